// @ts-check
/** The part of the style panel for own colors: their order, their contrast, and colors that are hard to tell apart. */

import { getImageRoot, onImage } from "./chart-image.js";
import { createColorButton } from "./color-field.js";
import { DEFICIENCIES, findDistinguishableColor, findSimilarPairs, MIN_MARK_CONTRAST, simulate } from "./color-vision.js";
import { computed, effect, h, signal } from "./core.js";
import { measureContrast, toHex } from "./css-color.js";
import { getEditor } from "./editor-state.js";
import { joinNames, toInnerLabel } from "./label-format.js";
import { listUsedColors, renderTheme } from "./series-colors.js";
import { createList } from "./settings-list.js";
import { PAGE_LANGUAGE, getText, getTextParts } from "./texts.js";
import { createButton, createIcon, showToast } from "./ui.js";

/** Maximum number of own colors. */
const MAX_COLORS = 64;
/** Number of colors of the theme that become own colors at first. */
const FIRST_COLORS = 12;
/** Number of similar pairs that are described. */
const MAX_PAIRS = 6;
const COLORS_PATH = ["style", "custom_colors"];
const CONTRAST_FORMAT = new Intl.NumberFormat(PAGE_LANGUAGE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** @typedef {import("./series-colors.js").UsedColor} UsedColor */
/** @typedef {import("./series-colors.js").RenderedTheme} RenderedTheme */

/** Returns a contrast as `4.54 : 1`. A contrast below the limit never looks sufficient. @param {number} contrast */
function formatContrast(contrast) {
  const rounded = Math.round(contrast * 100) / 100;
  const isRoundedUp = contrast < MIN_MARK_CONTRAST && rounded >= MIN_MARK_CONTRAST;
  return `${CONTRAST_FORMAT.format(isRoundedUp ? MIN_MARK_CONTRAST - 0.01 : rounded)} : 1`;
}

/**
 * Follows the theme of the document as the server renders it. The value is null before the first response.
 * @returns {{ value: RenderedTheme | null, peek: () => RenderedTheme | null }}
 */
export function followTheme() {
  const { store } = getEditor();
  const theme = signal(/** @type {RenderedTheme | null} */ (null));
  const source = computed(() => JSON.stringify([store.content.value.theme || "light", store.content.value.custom_theme]));
  effect(() => {
    const [name, customTheme] = JSON.parse(source.value);
    const aborter = new AbortController();
    renderTheme(name, customTheme, aborter.signal).then(
      (rendered) => (theme.value = rendered),
      (error) => aborter.signal.aborted || console.warn(error),
    );
    return () => aborter.abort();
  });
  return theme;
}

/** Follows the image on the canvas with a number that grows with each new one. */
function followImage() {
  const count = signal(0);
  const stop = onImage(() => (count.value += 1));
  effect(() => stop);
  return count;
}

/** Returns the own colors of the document. @param {any} content @returns {string[]} */
const readOwnColors = (content) => (Array.isArray(content.style?.custom_colors) ? content.style.custom_colors : []);

/** Creates the text with the contrast of a color. @param {() => UsedColor | { drawn: string } | undefined} read @param {() => string} readBackground */
function createContrastText(read, readBackground) {
  const text = h("span", { class: "contrast" });
  effect(() => {
    const color = read()?.drawn ?? "";
    const contrast = measureContrast(color, readBackground());
    const isLow = contrast !== null && contrast < MIN_MARK_CONTRAST;
    text.classList.toggle("low", isLow);
    text.title = isLow ? getText("colors.lowContrast", { contrast: MIN_MARK_CONTRAST }) : getText("style-panel.contrast");
    text.replaceChildren(...(isLow ? [createIcon("warn"), h("span", { class: "hidden" }, `${getText("style-panel.lowContrast")} `)] : []), contrast === null ? "" : formatContrast(contrast));
  });
  return text;
}

/** Creates a square with a color. @param {string} color */
function createSample(color) {
  const sample = h("span", { class: "color-sample", "aria-hidden": true });
  sample.style.background = color;
  return sample;
}

/** Lists names of deficiencies as text: `protanopia and deuteranopia`. @param {typeof DEFICIENCIES} deficiencies */
function listDeficiencies(deficiencies) {
  return joinNames(deficiencies.map(({ title }) => toInnerLabel(title)));
}

/**
 * Builds the section.
 * @param {{ value: RenderedTheme | null, peek: () => RenderedTheme | null }} theme
 */
export function buildColors(theme) {
  const { store, kind, background, palette } = getEditor();
  const imageCount = followImage();
  const own = computed(() => readOwnColors(store.content.value));
  const themeColors = () => theme.value?.colors ?? [];
  const peekSequence = () => (own.peek().length ? own.peek().map((color) => toHex(color) ?? "") : themeColors());
  const readBackground = () => toHex(background.value) ?? "#ffffff";
  // As text, so that an image with the same colors changes nothing.
  const usedText = computed(() => {
    // Only with a new image, because the previous one does not have the colors of the content.
    imageCount.value;
    return JSON.stringify(listUsedColors(getImageRoot(), peekSequence(), readBackground(), kind.value, store.content.peek()));
  });
  const used = computed(() => /** @type {UsedColor[]} */ (JSON.parse(usedText.value)));
  const setColors = (/** @type {string[] | undefined} */ colors, /** @type {string} */ label, mergeKey = "") => store.setValue(COLORS_PATH, colors?.length ? colors : undefined, { label, mergeKey });
  /** Changes one color. A chart without own colors gets those of the theme first. @param {number} index @param {string} color */
  const setColor = (index, color) => {
    const colors = own.peek().length ? own.peek() : (theme.peek()?.colors ?? []).slice(0, Math.max(FIRST_COLORS, index + 1));
    return setColors(colors.with(index, color), getText("style-panel.changeColor"));
  };
  const form = /** @type {any} */ ({ palette: computed(() => (themeColors().length ? themeColors().slice(0, FIRST_COLORS) : palette.value)), background, createId: () => "own-colors" });

  const list = createOwnColors({ own, used, form, theme, setColors, readBackground });
  const ownElement = h("div", { hidden: () => own.value.length === 0 }, list, createButton(getText("style-panel.useThemeColors"), { kind: "plain", icon: "reset", onclick: () => setColors(undefined, getText("style-panel.useThemeColors")) }));
  const startButton = createButton(getText("style-panel.changeColors"), { icon: "palette", onclick: () => setColors(themeColors().slice(0, Math.max(2, ...used.value.map(({ index }) => index + 1))), getText("style-panel.changeColors")), disabled: () => themeColors().length === 0 });
  const themeList = h("ul", { class: "theme-colors" });
  effect(() => {
    themeList.replaceChildren(...(own.value.length ? [] : used.value).map((color) => h("li", null, createSample(color.drawn), h("span", { class: "color-name" }, color.name || getText("colors.numberedColor", { number: color.index + 1 })), createContrastText(() => color, readBackground))));
  });
  const themeElement = h("div", { hidden: () => own.value.length > 0 }, h("p", { class: "hint" }, () => (used.value.length ? getText("style-panel.themeColorsUsed") : getText("style-panel.themeColors"))), themeList, startButton);
  return h("section", { class: "colors", "aria-labelledby": "colors-title" }, h("h3", { id: "colors-title" }, getText("style-panel.colors")), ownElement, themeElement, createVisionCheck(used, readBackground, setColor));
}

/**
 * Creates the list of the own colors.
 * @param {object} options
 * @param {{ value: string[], peek: () => string[] }} options.own
 * @param {{ value: UsedColor[] }} options.used
 * @param {any} options.form
 * @param {{ peek: () => RenderedTheme | null }} options.theme
 * @param {(colors: string[] | undefined, label: string, mergeKey?: string) => void} options.setColors
 * @param {() => string} options.readBackground
 */
function createOwnColors({ own, used, form, theme, setColors, readBackground }) {
  const context = /** @type {any} */ ({
    id: "own-colors",
    labelId: "colors-title",
    schema: { maxItems: MAX_COLORS },
    value: own,
    write: (/** @type {string[] | undefined} */ colors) => setColors(colors, getText("style-panel.changeColors")),
    form,
  });
  /** Returns the color of the theme for a position, if there is another one. @param {number} index */
  const findThemeColor = (index) => {
    const color = theme.peek()?.colors[index];
    return color && color !== toHex(own.peek()[index]) ? color : undefined;
  };
  const { element } = createList(context, {
    type: "palette",
    itemName: getText("common.color"),
    addText: getText("colors.addColor"),
    createItem: () => theme.peek()?.colors[own.peek().length] ?? "#2f6bde",
    emptyText: "",
    listActions: (index) => {
      const color = findThemeColor(index);
      return color ? [{ label: getText("style-panel.resetColor"), icon: "reset", run: () => setColors(own.peek().with(index, color), getText("style-panel.useThemeColor")) }] : [];
    },
    createRow: (index, { handle, menu }) => {
      const readColor = () => own.value[index] ?? "";
      const readUsed = () => used.value.find((color) => color.index === index);
      const write = (/** @type {string | undefined} */ color) => color !== undefined && setColors(own.peek().with(index, color), getText("style-panel.changeColor"), `own-color-${index}`);
      const button = createColorButton({ label: getText("colors.numberedColor", { number: index + 1 }), read: readColor, write, emptyText: "", form });
      const note = h("span", { class: "color-note" }, () => {
        const color = readUsed();
        if (!color) return getText("style-panel.colorNotUsed");
        return color.drawn === color.color ? color.name : getText("style-panel.drawnAs", { name: color.name, color: color.drawn });
      });
      const figures = h("div", { class: "color-facts" }, note, createContrastText(() => readUsed() ?? { drawn: readColor() }, readBackground));
      return h("li", { class: "list-row own-color" }, handle, button, menu, figures);
    },
  });
  return element;
}

/**
 * Creates the list of colors that are hard to tell apart, with a button for each pair.
 * @param {{ value: UsedColor[] }} used
 * @param {() => string} readBackground
 * @param {(index: number, color: string) => import("./document-store.js").Step | null} setColor
 */
function createVisionCheck(used, readBackground, setColor) {
  const describeColor = (/** @type {UsedColor} */ { name, index }) => name || getText("colors.numberedColor", { number: index + 1 });
  /** Finds a change that separates a pair: of the second color, or else of the first. @param {import("./color-vision.js").ColorPair} pair @param {UsedColor[]} colors */
  const findChange = ({ first, second }, colors) => {
    const measure = (/** @type {string} */ color) => measureContrast(color, readBackground());
    for (const at of [second, first]) {
      const others = colors.filter((_, index) => index !== at).map(({ drawn }) => drawn);
      const color = findDistinguishableColor(colors[at].drawn, others, measure);
      if (color) return { color, changed: colors[at] };
    }
    return null;
  };
  const createPair = (/** @type {import("./color-vision.js").ColorPair} */ pair, /** @type {UsedColor[]} */ colors) => {
    const [first, second] = [colors[pair.first], colors[pair.second]];
    const names = h("b", null, joinNames([describeColor(first), describeColor(second)]));
    const problem = pair.deficiencies.length ? getTextParts("style-panel.similarWith", { names, deficiencies: listDeficiencies(pair.deficiencies) }) : getTextParts("style-panel.similarForAll", { names });
    const shown = pair.deficiencies[0] ?? null;
    const samples = h("span", { class: "pair-samples" }, createSample(first.drawn), createSample(second.drawn), shown && [h("span", { "aria-hidden": true }, "→"), createSample(simulate(first.drawn, shown)), createSample(simulate(second.drawn, shown))]);
    const change = findChange(pair, colors);
    const use = () => {
      if (!change) return;
      const step = setColor(change.changed.index, change.color);
      showToast(getText("style-panel.colorChanged", { name: describeColor(change.changed), color: change.color }), { action: { label: getText("common.undo"), ...getEditor().store.offerUndo(step) } });
      check.focus();
    };
    const button = change
      ? h("button", { type: "button", class: "button quiet small", "aria-label": getText("style-panel.useNearestFor", { color: change.color, name: describeColor(change.changed) }), onclick: use }, createSample(change.color), getText("style-panel.useNearest"))
      : h("p", { class: "hint" }, getText("style-panel.noNearest"));
    return h("li", { class: "color-pair" }, samples, h("p", null, problem), button);
  };
  const check = h("div", { class: "vision-check", tabindex: -1, role: "group", "aria-labelledby": "vision-title" });
  const summary = h("p", { class: "hint", role: "status" });
  const list = h("ul", { class: "color-pairs" });
  effect(() => {
    const colors = used.value;
    const pairs = findSimilarPairs(colors.map(({ drawn }) => drawn));
    const found = [getText("style-panel.similarPairs", { count: pairs.length, colors: colors.length }), pairs.length > MAX_PAIRS && getText("style-panel.mostAlike", { number: MAX_PAIRS })];
    const fine = colors.length < 2 ? getText("style-panel.fewColors") : getText("style-panel.colorsFine", { count: colors.length });
    summary.textContent = pairs.length ? found.filter(Boolean).join(" ") : fine;
    list.replaceChildren(...pairs.slice(0, MAX_PAIRS).map((pair) => createPair(pair, colors)));
  });
  check.append(h("h4", { id: "vision-title" }, getText("style-panel.similarColors")), summary, list);
  return check;
}
