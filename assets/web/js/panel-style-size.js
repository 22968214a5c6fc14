// @ts-check
/** The part of the style panel for size and margins: presets as outlines, and fields for lengths with units. */

import { doc } from "./chart.js";
import { effect, h, signal } from "./core.js";
import { getEditor } from "./editor-state.js";
import { applyPreset, BUILTIN_PRESETS, describeSize, formatLength, loadOrgPresets, matchesPreset, parseLength, UNITS } from "./layout-presets.js";
import { createStepKeyHandler } from "./settings-number.js";
import { getText } from "./texts.js";
import { createButton, createField } from "./ui.js";

/** Smallest and largest side of a chart in points. */
const [MIN_SIDE, MAX_SIDE] = [40, 4096];
/** Largest margin in points that the renderer uses. */
const MAX_MARGIN = 500;
/** Size of a new chart in points. */
const DEFAULT_SIZE = { width: 720, height: 405 };
/** Sides of the margins with the labels of their fields and of their undo steps. */
const MARGIN_SIDES = [
  { side: "top", label: getText("style-panel.marginTop"), undoLabel: getText("style-panel.changeMarginTop") },
  { side: "right", label: getText("style-panel.marginRight"), undoLabel: getText("style-panel.changeMarginRight") },
  { side: "bottom", label: getText("style-panel.marginBottom"), undoLabel: getText("style-panel.changeMarginBottom") },
  { side: "left", label: getText("style-panel.marginLeft"), undoLabel: getText("style-panel.changeMarginLeft") },
];
/** Side of the square for the outline of a preset, in pixels. */
const OUTLINE_SIDE = 34;
/** Key of the unit in the local storage. */
const UNIT_KEY = "chartroom.length-unit";

/** Returns the unit that was used last in this browser. */
function readStoredUnit() {
  try {
    const unit = localStorage.getItem(UNIT_KEY) ?? "";
    return Object.hasOwn(UNITS, unit) ? unit : "pt";
  } catch {
    return "pt";
  }
}

/** Unit in which the fields show lengths. */
const unit = signal(readStoredUnit());

/** Uses another unit in all fields, and remembers it. @param {string} next */
function useUnit(next) {
  unit.value = next;
  try {
    localStorage.setItem(UNIT_KEY, next);
  } catch {
    // The unit is not remembered.
  }
}

/** Draws the proportions of a preset, with the area inside the margins. @param {import("./layout-presets.js").Preset} preset */
function createOutline({ width, height, margin }) {
  const scale = (OUTLINE_SIDE - 4) / Math.max(width, height);
  const [left, top] = [(OUTLINE_SIDE - width * scale) / 2, (OUTLINE_SIDE - height * scale) / 2];
  const inner =
    margin &&
    h("svg:rect", {
      class: "inner",
      x: left + margin.left * scale,
      y: top + margin.top * scale,
      width: Math.max(0, width - margin.left - margin.right) * scale,
      height: Math.max(0, height - margin.top - margin.bottom) * scale,
    });
  return h(
    "svg:svg",
    { width: OUTLINE_SIDE, height: OUTLINE_SIDE, viewBox: `0 0 ${OUTLINE_SIDE} ${OUTLINE_SIDE}`, "aria-hidden": true },
    h("svg:rect", { x: left, y: top, width: width * scale, height: height * scale, rx: 1.5 }),
    inner,
  );
}

/** Builds the presets in their groups. Those of organizations are loaded, and are above the built-in ones. */
function buildPresets() {
  const { store } = getEditor();
  const groups = signal(BUILTIN_PRESETS);
  loadOrgPresets(doc.peek()?.owner ?? "")
    .then((own) => (groups.value = [...own, ...BUILTIN_PRESETS]))
    .catch((error) => console.warn(error));
  // Sizes of several presets may be equal. Only the first one is the current one, and those with margins are first.
  const findCurrent = () => groups.value.flatMap(({ presets }) => presets).find((preset) => matchesPreset(preset, { ...DEFAULT_SIZE, ...store.content.value.style }));
  const createChoice = (/** @type {import("./layout-presets.js").Preset} */ preset) => {
    const choose = () => {
      store.applyChanges(applyPreset(preset), { label: getText("style-panel.useSize", { name: preset.name }) });
      useUnit(preset.unit);
    };
    return h("button", { type: "button", class: "size-choice", "aria-pressed": () => findCurrent() === preset, onclick: choose }, createOutline(preset), h("span", { class: "size-name" }, preset.name), h("span", { class: "size-figures" }, describeSize(preset)));
  };
  const createGroup = (/** @type {import("./layout-presets.js").PresetGroup} */ { title, presets }) => h("div", { role: "group", "aria-label": title }, h("h4", null, title), h("div", { class: "size-choices" }, presets.map(createChoice)));
  const element = h("div", { class: "size-groups" });
  effect(() => element.replaceChildren(...groups.value.map(createGroup)));
  return element;
}

/**
 * Creates a field for a length. It takes units and calculations, and shows the length in the unit of the panel. An
 * empty field removes the value.
 * @param {string} label
 * @param {string} undoLabel label of a change in the list of undo steps
 * @param {string[]} path
 * @param {number} min in points
 * @param {number} max in points
 */
function createLengthField(label, undoLabel, path, min, max) {
  const { store } = getEditor();
  const read = (/** @type {any} */ content) => path.reduce((value, key) => value?.[key], content);
  const describe = (/** @type {any} */ points) => (typeof points === "number" ? formatLength(points, unit.value) : "");
  const error = h("p", { class: "error", id: `length-${path.join("-")}-error`, role: "status", hidden: true });
  const setProblem = (/** @type {string} */ text) => {
    error.hidden = text === "";
    error.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
  };
  const write = (/** @type {number | undefined} */ points) => store.setValue(path, points, { label: undoLabel, mergeKey: path.join(".") });
  const limits = () => getText("style-panel.lengthLimits", { min: formatLength(min, unit.peek()), max: formatLength(max, unit.peek()), unit: unit.peek() });
  const storeText = (/** @type {boolean} */ isFinal) => {
    const text = input.value.trim();
    if (text === describe(read(store.content.peek()))) return setProblem("");
    if (text === "") {
      write(undefined);
      return setProblem("");
    }
    const length = parseLength(text, unit.peek());
    const isValid = length !== null && length.points >= min && length.points <= max;
    // Half of a calculation or of a number with a unit is no problem while it is typed.
    if (!isFinal && (!isValid || text.startsWith("="))) return undefined;
    if (!isValid) return setProblem(limits());
    write(length.points);
    setProblem("");
    if (!isFinal) return undefined;
    useUnit(length.unit);
    input.value = describe(length.points);
  };
  const changeBy = (/** @type {number} */ steps) => {
    const size = UNITS[unit.peek()].points;
    const stored = read(store.content.peek());
    // The field shows a rounded length.
    const typed = input.value.trim() === describe(stored) ? undefined : parseLength(input.value, unit.peek())?.points;
    const start = typed ?? stored ?? DEFAULT_SIZE[/** @type {"width"} */ (path[1])] ?? 0;
    const points = Math.min(max, Math.max(min, Number((start + steps * size).toFixed(3))));
    write(points);
    input.value = describe(points);
    setProblem("");
  };
  const input = h("input", {
    type: "text",
    name: path.join("."),
    autocomplete: "off",
    spellcheck: "false",
    placeholder: getText("common.automatic"),
    "aria-describedby": `${error.id}-unit ${error.id}`,
    oninput: () => storeText(false),
    onchange: () => storeText(true),
    onkeydown: createStepKeyHandler(changeBy, () => storeText(true)),
  });
  effect(() => {
    const text = describe(read(store.content.value));
    const isTyping = document.activeElement === input && parseLength(input.value, unit.peek())?.points === read(store.content.peek());
    if (input.value === text || isTyping) return;
    input.value = text;
    setProblem("");
  });
  const field = createField(label, input);
  // The unit is within the border of the field.
  const box = h("div", { class: "length-field" });
  input.before(box);
  box.append(input, h("span", { class: "length-unit", id: `${error.id}-unit` }, () => unit.value));
  return h("div", null, field, error);
}

/** Creates the choice of the unit. */
function createUnitChoice() {
  const select = h("select", { "aria-label": getText("style-panel.unit"), onchange: () => useUnit(select.value) }, Object.entries(UNITS).map(([id, { title }]) => h("option", { value: id }, `${title} (${id})`)));
  effect(() => {
    select.value = unit.value;
  });
  return select;
}

/** Builds the section. */
export function buildSizes() {
  const { store } = getEditor();
  const swap = createButton(getText("style-panel.swapSides"), {
    kind: "plain",
    onclick: () => {
      const { width, height } = { ...DEFAULT_SIZE, ...store.content.peek().style };
      store.applyChanges([{ path: ["style", "width"], value: height }, { path: ["style", "height"], value: width }], { label: getText("style-panel.swapSides") });
    },
  });
  return h(
    "section",
    null,
    h("div", { class: "style-head" }, h("h3", null, getText("style-panel.size")), createUnitChoice()),
    buildPresets(),
    h(
      "div",
      { class: "pair" },
      createLengthField(getText("common.width"), getText("style-panel.changeWidth"), ["style", "width"], MIN_SIDE, MAX_SIDE),
      createLengthField(getText("common.height"), getText("style-panel.changeHeight"), ["style", "height"], MIN_SIDE, MAX_SIDE),
    ),
    swap,
    h("h3", null, getText("style-panel.margins")),
    h("div", { class: "pair" }, MARGIN_SIDES.map(({ side, label, undoLabel }) => createLengthField(label, undoLabel, ["style", "margin", side], 0, MAX_MARGIN))),
  );
}
