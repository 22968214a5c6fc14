// @ts-check
/** Controls of a settings form for truth values, choices, texts, columns and JSON. */

import { effect, h, syncKeyedList } from "./core.js";
import { createCombobox } from "./combobox.js";
import { asObject, isEqual, toText } from "./settings-model.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/**
 * Facts that a control needs. `value` is a signal of the stored value, undefined if it is absent. `write` stores a
 * value, and with `isTyping` as part of one step of typing. `setError` shows a problem of a value that is not stored.
 * @typedef {object} ControlContext
 * @property {string} id id of the main element
 * @property {string} label
 * @property {string} labelId id of the element with the label
 * @property {any} schema
 * @property {import("./settings-model.js").Hint} hint
 * @property {import("./settings-model.js").Place} place
 * @property {{ readonly value: any, peek: () => any }} value
 * @property {(value: any, isTyping?: boolean) => void} write
 * @property {(message: string | null) => void} setError
 * @property {boolean} isRequired whether the value cannot be removed
 * @property {import("./settings-form.js").FormContext} form
 */

/**
 * A control. `target` has the label, the descriptions and the focus. A control with `isGroup` has several elements
 * and is named by the label's id. `isWide` controls stand below their label.
 * @typedef {{ element: HTMLElement, target: HTMLElement, type: string, isGroup?: boolean, isWide?: boolean }} Control
 */

/** Maximum number of choices that are shown as segments. Pictures need less space than words. */
const MAX_SEGMENTS = 3;
const MAX_PICTURES = 8;
/** Maximum length of all words in one row of segments. */
const MAX_SEGMENT_LETTERS = 16;
/** Maximum number of choices of a list without a search. */
const MAX_OPTIONS = 12;

/** Creates a switch. @param {ControlContext} context @returns {Control} */
export function createSwitch({ id, schema, value, write }) {
  const input = h("input", { type: "checkbox", role: "switch", id, class: "setting-switch", onchange: () => write(input.checked) });
  effect(() => {
    input.checked = Boolean(value.value ?? schema.default);
  });
  return { element: input, target: input, type: "switch" };
}

/** Creates the three states of a truth value without a default. @param {ControlContext} context @returns {Control} */
export function createThreeStates(context) {
  const choices = [
    { value: undefined, label: getText("settings-form.auto") },
    { value: true, label: getText("settings-form.on") },
    { value: false, label: getText("settings-form.off") },
  ];
  return { ...createSegments(context, choices), type: "three-states" };
}

/**
 * Creates the control of an `enum`: segments for a few short words or for pictures, otherwise a list.
 * @param {ControlContext} context
 * @returns {Control}
 */
export function createChoice(context) {
  const { schema, hint } = context;
  /** @type {{ value: any, label: string, icon?: string }[]} */
  const choices = schema.enum.map((/** @type {any} */ value) => ({ value, label: hint.choices?.[value]?.label ?? String(value), icon: hint.choices?.[value]?.icon }));
  const hasPictures = choices.every((choice) => choice.icon);
  const letters = choices.reduce((sum, choice) => sum + choice.label.length + (choice.icon ? 3 : 0), 0);
  if (hasPictures ? choices.length <= MAX_PICTURES : choices.length <= MAX_SEGMENTS && letters <= MAX_SEGMENT_LETTERS) return createSegments(context, choices);
  if (choices.length <= MAX_OPTIONS) return createSelect(context, choices);
  const options = Object.fromEntries(choices.map((choice) => [choice.value, choice.label]));
  return createCombobox(context, options, false);
}

/**
 * Creates a group of radio buttons in one row. If all have icons and their words need too much space, the words are
 * only names and tooltips.
 * @param {ControlContext} context
 * @param {{ value: any, label: string, icon?: string }[]} choices
 * @returns {Control}
 */
function createSegments({ id, labelId, schema, value, write }, choices) {
  const letters = choices.reduce((sum, choice) => sum + choice.label.length + 3, 0);
  const isPicture = choices.every((choice) => choice.icon) && letters > MAX_SEGMENT_LETTERS;
  const inputs = choices.map((choice) => h("input", { type: "radio", name: id, value: String(choice.value), onchange: () => write(choice.value) }));
  effect(() => {
    const current = value.value === undefined ? schema.default : value.value;
    choices.forEach((choice, index) => (inputs[index].checked = isEqual(choice.value, current)));
  });
  const segments = choices.map((choice, index) =>
    h("label", { class: "segment", title: isPicture && choice.label }, inputs[index], choice.icon && createIcon(choice.icon), h("span", { class: isPicture && "hidden" }, choice.label)),
  );
  const element = h("div", { class: "segments", id, role: "radiogroup", "aria-labelledby": labelId }, segments);
  return { element, target: element, type: "segments", isGroup: true };
}

/**
 * Creates a list of choices.
 * @param {ControlContext} context
 * @param {{ value: any, label: string }[]} choices
 * @returns {Control}
 */
function createSelect({ id, schema, value, write }, choices) {
  const texts = choices.map((choice) => String(choice.value));
  const select = h("select", { id, onchange: () => write(select.value === "" && !texts.includes("") ? undefined : choices[texts.indexOf(select.value)]?.value ?? select.value) });
  effect(() => {
    const current = value.value === undefined ? schema.default : value.value;
    const shown = current === undefined ? "" : String(current);
    const extra = texts.includes(shown) ? [] : [h("option", { value: shown }, shown || getText("common.automatic"))];
    select.replaceChildren(...extra, ...choices.map((choice) => h("option", { value: String(choice.value) }, choice.label)));
    select.value = shown;
  });
  return { element: select, target: select, type: "select" };
}

/** Creates a text field, or a list with free entry if the setting has suggestions. @param {ControlContext} context @returns {Control} */
export function createText(context) {
  const { id, schema, hint, value, write } = context;
  if (hint.suggestions) return createCombobox(context, hint.suggestions, true);
  const isLong = hint.control === "textArea";
  const store = () => write(input.value === "" && !hint.keeps_empty && !schema.default ? undefined : input.value, true);
  const placeholder = () => (hint.keeps_empty && value.value === "" ? getText("settings-form.none") : (hint.placeholder ?? ""));
  const input = h(isLong ? "textarea" : "input", { id, type: isLong ? null : "text", rows: isLong ? 2 : null, autocomplete: "off", placeholder, oninput: store });
  effect(() => {
    const text = toText(value.value ?? schema.default);
    if (input.value !== text) input.value = text;
  });
  return { element: input, target: input, type: isLong ? "textarea" : "text", isWide: isLong };
}

/**
 * Creates a date field. A text that is not a date such as 2026-03-20 is shown in a text field, so that it stays visible.
 * @param {ControlContext} context
 * @returns {Control}
 */
export function createDate({ id, hint, value, write }) {
  const input = h("input", { id, type: "date", oninput: () => write(input.value === "" ? undefined : input.value, true), title: hint.placeholder });
  effect(() => {
    const text = toText(value.value);
    const type = text === "" || /^\d{4}-\d{2}-\d{2}$/.test(text) ? "date" : "text";
    // A field that is being edited keeps its type.
    if (input.type !== type && document.activeElement !== input) input.type = type;
    if (input.value !== text) input.value = text;
  });
  return { element: input, target: input, type: "date" };
}

/** Words for the types of columns in lists. */
const TYPE_MARKS = new Map([
  ["number", "123"],
  ["date", getText("settings-form.markDate")],
  ["boolean", getText("settings-form.markBoolean")],
  ["color", getText("common.color")],
  ["text", "Abc"],
]);

/** Creates a list of the columns of the data. @param {ControlContext} context @returns {Control} */
export function createColumnReference({ id, hint, schema, value, write, form, isRequired }) {
  const select = h("select", { id, onchange: () => write(select.value === "" ? undefined : select.value) });
  effect(() => {
    const current = toText(value.value ?? schema.default);
    const columns = form.columns.value;
    const isKnown = current === "" || columns.some((column) => column.key === current);
    select.replaceChildren(
      ...(isRequired && current !== "" ? [] : [h("option", { value: "" }, hint.placeholder ?? getText("settings-form.noColumn"))]),
      ...columns.map((column) => h("option", { value: column.key }, `${column.title || column.key} · ${TYPE_MARKS.get(column.type) ?? "Abc"}`)),
      ...(isKnown ? [] : [h("option", { value: current }, getText("settings-form.notInData", { column: current }))]),
    );
    select.value = current;
  });
  return { element: select, target: select, type: "column" };
}

/** Creates a field for JSON. @param {ControlContext} context @returns {Control} */
export function createJsonField({ id, value, write, setError }) {
  const store = () => {
    const text = input.value.trim();
    try {
      write(text === "" ? undefined : JSON.parse(text));
      setError(null);
    } catch (error) {
      setError(getText("settings-form.invalidJson", { error: /** @type {Error} */ (error).message }));
    }
  };
  const input = h("textarea", { id, class: "setting-json", rows: 3, spellcheck: "false", autocomplete: "off", onchange: store });
  effect(() => {
    const text = value.value === undefined ? "" : JSON.stringify(value.value, null, 1);
    if (input.value !== text) input.value = text;
    setError(null);
  });
  return { element: input, target: input, type: "json", isWide: true };
}

/**
 * Creates one text field for each name of an object: the names in a data column, and those that are set.
 * @param {ControlContext} context
 * @returns {Control}
 */
export function createNamedTexts({ id, label, labelId, hint, value, write, form }) {
  const names = () => {
    const cells = hint.keys_from ? form.records.value.flatMap((record) => splitNames(record?.[/** @type {string} */ (hint.keys_from)])) : [];
    return [...new Set([...cells, ...Object.keys(asObject(value.value))])];
  };
  const list = h("div", { class: "named-texts" });
  syncKeyedList(list, names, (name) => name, (entry) => {
    const name = entry.peek();
    const store = () => {
      const { [name]: _, ...others } = asObject(value.peek());
      const next = input.value === "" ? others : { ...others, [name]: input.value };
      write(Object.keys(next).length ? next : undefined, true);
    };
    const input = h("input", { type: "text", "aria-label": `${label}: ${name}`, placeholder: name, autocomplete: "off", oninput: store });
    effect(() => {
      const text = toText(asObject(value.value)[name]);
      if (input.value !== text) input.value = text;
    });
    return h("div", { class: "named-text" }, h("span", { "aria-hidden": true }, name), input);
  });
  const element = h("div", { id, role: "group", tabindex: -1, "aria-labelledby": labelId }, list, () => names().length === 0 && h("p", { class: "hint" }, getText("settings-form.noNames")));
  return { element, target: element, type: "named-texts", isGroup: true, isWide: true };
}

/** Returns the names in a cell: the items of a list, or the parts of a text. @param {any} cell @returns {string[]} */
function splitNames(cell) {
  if (Array.isArray(cell)) return cell.map(String);
  return typeof cell === "string" ? cell.split(/[,;&|]/).map((name) => name.trim()).filter(Boolean) : [];
}
