// @ts-check
/**
 * The small bar of a pressed mark: its color, its label, and the way to the settings of its series. It is at the top of the
 * canvas, or at the bottom of a narrow window, so that it covers no marks.
 */

import { post } from "./api.js";
import { findMark, listMarks } from "./canvas-geometry.js";
import { isSynced } from "./chart.js";
import { getImageRoot, imageSize } from "./chart-image.js";
import { createColorButton } from "./color-field.js";
import { createScope, effect, h } from "./core.js";
import { findRepeatedColumn, getListSetting, listRepeatedEntries } from "./document-columns.js";
import { placedType, pressedMark, selectedNote, selectedRow } from "./editor-canvas.js";
import { getEditor, showSetting } from "./editor-state.js";
import { separateRow } from "./joined-marks.js";
import { toInnerLabel } from "./label-format.js";
import { createColorContext, createIconButton } from "./note-bar.js";
import { describeMark } from "./note-model.js";
import { announce } from "./note-overlay.js";
import { editNoteText } from "./note-text.js";
import { getText } from "./texts.js";
import { createButton, createIcon, findElement } from "./ui.js";

/** Color for the question whether a change would be visible. */
const PROBE_COLOR = "#3f7d12";
/** Smallest number of characters of a part of a label, by which its record is found. */
const MIN_PART_LENGTH = 3;
/** Settings that show the values at the marks. */
const VALUE_SETTINGS = ["showValues", "showLabels"];

/** @typedef {import("./document-store.js").Content} Content */

/** A color that the user can change: its name, and the content with another one. @typedef {{ id: string, label: string, read: (content: Content) => string | undefined, change: (content: Content, color: string | undefined) => import("./document-store.js").Change }} ColorChoice */

/** Returns a record or an entry with another color, or without one. @param {Record<string, any>} entry @param {string | undefined} color */
function withColor(entry, color) {
  const { color: _, ...rest } = entry;
  return color ? { ...rest, color } : rest;
}

/** Returns the colors of each mark in an image, by its row and column. @param {ParentNode} root @returns {Map<string, string>} */
function readMarkColors(root) {
  /** @type {Map<string, string>} */
  const colors = new Map();
  for (const element of root.querySelectorAll("[data-row]:not(text)")) {
    const key = JSON.stringify([Number(element.getAttribute("data-row")), element.getAttribute("data-field")]);
    colors.set(key, `${colors.get(key) ?? ""} ${element.getAttribute("fill")} ${element.getAttribute("stroke")}`);
  }
  return colors;
}

/**
 * Lists the colors that could belong to a mark. `offerColors` leaves out those that the chart kind does not use.
 * @param {{ row: number, field: string | null }} mark
 * @returns {ColorChoice[]}
 */
function listColorChoices({ row, field }) {
  const { kind, palette, store } = getEditor();
  /** @type {ColorChoice[]} */
  const choices = isSynced.peek() ? [] : [{
    id: "record",
    label: getText("canvas.colorOfMark"),
    read: (content) => content.data[row]?.color,
    change: (content, color) => ({ path: ["data"], value: content.data.with(row, withColor(content.data[row], color)) }),
  }];
  const repeated = findRepeatedColumn(kind.peek());
  const setting = repeated && getListSetting(repeated);
  const hasColor = setting && kind.peek().settings_schema?.properties?.[setting]?.items?.properties?.color;
  const listEntries = (/** @type {Content} */ content) => listRepeatedEntries(kind.peek(), content);
  const series = hasColor ? listEntries(store.content.peek()).find(({ key }) => key === field) : undefined;
  if (series) {
    choices.push({
      id: "series",
      label: getText("canvas.colorOfSeries", { name: series.title || series.key }),
      read: (content) => /** @type {any} */ (listEntries(content).find(({ key }) => key === field))?.color,
      change: (content, color) => ({ path: ["settings", setting], value: listEntries(content).map((entry) => (entry.key === field ? withColor(entry, color) : entry)) }),
    });
    return choices;
  }
  const colors = store.content.peek().style?.custom_colors ?? [];
  const fill = listMarkFills(row, field)[0];
  const index = colors.length ? colors.findIndex((/** @type {string} */ color) => color.toLowerCase() === fill?.toLowerCase()) : palette.peek().length === 1 ? 0 : -1;
  if (index < 0) return choices;
  choices.push({
    id: "all",
    label: getText("canvas.colorOfAll"),
    read: (content) => content.style?.custom_colors?.[index],
    change: (content, color) => {
      const own = content.style?.custom_colors ?? [];
      const next = color ? (index < own.length ? own.with(index, color) : [...own, color]) : own.toSpliced(index, 1);
      return { path: ["style", "custom_colors"], value: next.length ? next : undefined };
    },
  });
  return choices;
}

/** Returns the fills of a mark in the image. @param {number} row @param {string | null} field */
const listMarkFills = (row, field) => [...getImageRoot().querySelectorAll(`[data-row="${row}"]:not(text)`)].filter((element) => element.getAttribute("data-field") === field).map((element) => element.getAttribute("fill") ?? "");

/** Returns a content with a change, without storing it. @param {Content} content @param {import("./document-store.js").Change} change @returns {Content} */
function applyChange(content, { path, value }) {
  const [member, key] = /** @type {["data" | "settings" | "style", string]} */ (path);
  return path.length === 1 ? { ...content, [member]: value } : { ...content, [member]: { ...content[member], [key]: value } };
}

/**
 * Returns the choices that change the color of the mark, by rendering the chart with each of them. Chart kinds differ in
 * the colors that they read.
 * @param {{ row: number, field: string | null }} mark
 */
async function offerColors(mark) {
  const content = getEditor().store.content.peek();
  const key = JSON.stringify([mark.row, mark.field]);
  const present = readMarkColors(getImageRoot()).get(key);
  const results = await Promise.all(
    listColorChoices(mark).map(async (choice) => {
      const probe = choice.read(content)?.toLowerCase() === PROBE_COLOR ? undefined : PROBE_COLOR;
      const { isPublic: _, ...body } = applyChange(content, choice.change(content, probe));
      try {
        const { data } = await post("/render", body, { query: { interactive: 1 }, isBackground: true });
        const image = new DOMParser().parseFromString(data, "image/svg+xml");
        separateRow(image, mark.row);
        return readMarkColors(image).get(key) === present ? [] : [choice];
      } catch {
        return [];
      }
    }),
  );
  return results.flat();
}

/** Returns the column with the text of a mark: the label of the kind, if the record has a text there. @param {number} row @returns {string | null} */
function findLabelKey(row) {
  const { kind, store } = getEditor();
  const record = store.content.peek().data[row];
  const columns = kind.peek().data_columns.filter((/** @type {any} */ column) => column.type === "text" && column.role !== "color" && !column.repeats);
  const label = columns.find((/** @type {any} */ column) => column.role === "label") ?? columns[0];
  return label && typeof record?.[label.key] === "string" ? label.key : null;
}

/** Opens the field for a text cell above its place in the image. @param {number} row @param {string} key @param {import("./canvas-geometry.js").Box} box */
function editCell(row, key, box) {
  const { store } = getEditor();
  editNoteText(box, { text: String(store.content.peek().data[row]?.[key] ?? "") }, {
    write: (text, options) => {
      const { data } = store.content.peek();
      if (data[row]) store.setValue(["data"], data.with(row, { ...data[row], [key]: text }), options);
    },
    discard: store.discardStep,
    onEnd: (_text, _key, isByKey) => isByKey && findElement("#canvas").focus({ preventScroll: true }),
  }, true);
}

/** Returns the text of an element without its title; the whole text of a shortened one. @param {Element} element */
function readElementText(element) {
  const title = element.querySelector("title");
  return (title?.textContent || element.textContent || "").trim();
}

/** Returns the record and column of a label in the image, or null. @param {Element} element @returns {{ row: number, key: string } | null} */
function findLabelCell(element) {
  const text = readElementText(element);
  const { data } = getEditor().store.content.peek();
  const read = (/** @type {number} */ row) => {
    const key = findLabelKey(row);
    return key === null ? null : { row, key, value: String(data[row][key]).trim() };
  };
  const tagged = element.getAttribute("data-row");
  if (tagged !== null) {
    const cell = read(Number(tagged));
    return cell && text !== "" && cell.value.includes(text.replace(/…$/, "")) ? cell : null;
  }
  const cells = data.map((_, row) => read(row)).filter((cell) => cell !== null);
  const equal = cells.filter(({ value }) => value === text);
  const similar = text.length < MIN_PART_LENGTH ? [] : cells.filter(({ value }) => value.includes(text.replace(/…$/, "")));
  // A text that several records have names no cell.
  return equal.length === 1 ? equal[0] : equal.length === 0 && similar.length === 1 ? similar[0] : null;
}

/** Whether a column is one of the repeated ones of the kind. @param {string | null} field */
function isSeries(field) {
  const { kind, store } = getEditor();
  return field !== null && findRepeatedColumn(kind.peek()) !== undefined && listRepeatedEntries(kind.peek(), store.content.peek()).some(({ key }) => key === field);
}

/** Returns the path of the setting for the series of a mark. @param {string | null} field */
function findSeriesSetting(field) {
  const { kind, store } = getEditor();
  const index = listRepeatedEntries(kind.peek(), store.content.peek()).findIndex(({ key }) => key === field);
  return `${getListSetting(findRepeatedColumn(kind.peek()))}[${index}]`;
}

/** Scrolls the open form of the settings to a setting, without moving the focus. @param {string} path empty to mark none */
const scrollToSetting = (path) => window.dispatchEvent(new CustomEvent("reveal-setting", { detail: { path, focus: false } }));

/** Creates the button that shows or hides the values in the image, if the kind has a setting for them. */
function createValuesButton() {
  const { kind, store } = getEditor();
  const properties = kind.peek().settings_schema?.properties ?? {};
  const name = VALUE_SETTINGS.find((candidate) => properties[candidate]?.type === "boolean");
  if (!name) return false;
  const schema = properties[name];
  const isShown = () => Boolean(store.content.value.settings[name] ?? schema.default);
  const toggle = () => store.setValue(["settings", name], !isShown(), { label: schema.title });
  return h("button", { type: "button", class: "button quiet", "aria-pressed": isShown, title: schema.title, onclick: toggle }, createIcon("text"), getText("canvas.toggleValues"));
}

/** Builds the bar of a mark. @param {{ row: number, field: string | null }} mark @param {ColorChoice[]} choices */
function buildBar(mark, choices) {
  const { store, kind } = getEditor();
  const { row, field } = mark;
  const name = describeMark(/** @type {any} */ (mark), store.content.peek().data);
  const buttons = choices.map((choice) => {
    const label = h("span", { class: "bar-label" }, choice.label);
    const button = createColorButton({
      label: getText("canvas.colorButton", { choice: toInnerLabel(choice.label) }),
      form: createColorContext(),
      emptyText: getText("canvas.colorFromTheme"),
      read: () => choice.read(store.content.value),
      write: (color, isTyping) => store.applyChanges([choice.change(store.content.peek(), color)], { label: getText("canvas.recolorMark"), mergeKey: isTyping ? `color-${choice.id}-${row}-${field}` : "" }),
    });
    return h("span", { class: "bar-color" }, label, button);
  });
  const canHighlight = !isSynced.peek() && kind.peek().data_columns.some((/** @type {any} */ column) => column.key === "highlighted" && column.type === "boolean");
  const isHighlighted = () => store.content.value.data[row]?.highlighted === true;
  const toggle = () => {
    const { data } = store.content.peek();
    const { highlighted, ...rest } = data[row];
    store.setValue(["data"], data.with(row, highlighted === true ? rest : { ...rest, highlighted: true }), { label: getText("canvas.highlightMark") });
  };
  const highlight = canHighlight && h("button", { type: "button", class: "button quiet", "aria-pressed": isHighlighted, onclick: toggle }, createIcon("star"), getText("canvas.highlight"));
  const labelKey = isSynced.peek() ? null : findLabelKey(row);
  const edit = labelKey !== null && createButton(getText("canvas.label"), { icon: "text", "aria-label": getText("canvas.editLabel"), onclick: () => editCell(row, labelKey, findLabelBox(row, labelKey)) });
  const settings = isSeries(field) && createButton(getText("canvas.seriesSettings"), { icon: "settings", onclick: () => showSetting(findSeriesSetting(field)) });
  return h("div", { class: "canvas-bar mark-bar", role: "group", "aria-label": getText("canvas.mark", { name }) }, buttons, highlight, edit, createValuesButton(), settings, createIconButton(getText("common.close"), "close", () => (pressedMark.value = null)));
}

/** Returns the box of the label of a record in the image, or that of its mark. @param {number} row @param {string} key @returns {import("./canvas-geometry.js").Box} */
function findLabelBox(row, key) {
  const { data } = getEditor().store.content.peek();
  const text = String(data[row]?.[key] ?? "").trim();
  const element = [...getImageRoot().querySelectorAll("text")].find((candidate) => readElementText(candidate) === text);
  const mark = findMark({ row }, data);
  if (!element) return mark?.box ?? { x0: 0, y0: 0, x1: 1, y1: 1 };
  const { x, y, width, height } = element.getBBox();
  return { x0: x, y0: y, x1: x + width, y1: y + height };
}

/** Starts the bar for pressed marks, and the editing of labels by a double press. The editor must be set. */
export function startMarkBar() {
  const { store } = getEditor();
  const canvas = findElement("#canvas");
  /** @type {HTMLElement | null} */
  let bar = null;
  effect(() => {
    const mark = pressedMark.value;
    const kind = getEditor().kind.value;
    if (!mark || !kind || placedType.value || store.content.peek().data[mark.row] === undefined) return;
    if (isSeries(mark.field)) scrollToSetting(findSeriesSetting(mark.field));
    let isCurrent = true;
    let dispose = () => {};
    offerColors(mark).then((choices) => {
      if (!isCurrent) return;
      [bar, dispose] = createScope(() => buildBar(mark, choices));
      findElement(".stage").after(bar);
      announce(getText("canvas.markBarShown", { mark: bar.getAttribute("aria-label") ?? "" }));
    });
    return () => {
      isCurrent = false;
      scrollToSetting("");
      const hadFocus = bar?.contains(document.activeElement);
      bar?.remove();
      bar = null;
      dispose();
      if (hadFocus) canvas.focus({ preventScroll: true });
    };
  });
  // Another selection, in the grid or among the notes, ends that of the mark.
  effect(() => {
    if (selectedNote.value !== null || selectedRow.value !== pressedMark.peek()?.row) pressedMark.value = null;
  });
  // A panel or a dialog has other commands.
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.closest("#panel, dialog")) pressedMark.value = null;
  });
  document.addEventListener("keydown", (event) => {
    const isInside = [canvas, bar].some((element) => element?.contains(/** @type {Node} */ (event.target)));
    const isOutside = event.target !== document.body && !isInside;
    if (event.key === "Escape" && !isOutside && !event.defaultPrevented && !document.querySelector("dialog[open], :popover-open:not(.toasts)")) pressedMark.value = null;
  });
  canvas.addEventListener("dblclick", (event) => {
    const element = /** @type {Element} */ (event.composedPath()[0]);
    const part = element.getAttribute?.("data-part") ?? "";
    if (event.defaultPrevented || isSynced.peek() || element.localName !== "text" || ["title", "subtitle", "footer", "annotation"].includes(part)) return;
    const cell = findLabelCell(element);
    if (!cell) return;
    const scale = imageSize.peek().width / (canvas.getBoundingClientRect().width || 1);
    const [box, outer] = [element.getBoundingClientRect(), canvas.getBoundingClientRect()];
    editCell(cell.row, cell.key, { x0: (box.left - outer.left) * scale, y0: (box.top - outer.top) * scale, x1: (box.right - outer.left) * scale, y1: (box.bottom - outer.top) * scale });
  });
}
