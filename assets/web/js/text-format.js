// @ts-check
/** A bar for the format of a text with simple HTML: bold, italic, links and line breaks. */

import { h } from "./core.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** The elements around a selection, with the letter that is their key with Ctrl. */
const STYLES = [
  { tag: "b", key: "b", label: getText("editor.bold"), symbol: h("b", null, "B") },
  { tag: "i", key: "i", label: getText("editor.italic"), symbol: h("i", null, "I") },
];
/** Element of a line break. */
const BREAK = "<br>";
/** Start of the address of a new link. */
const ADDRESS_START = "https://";

/**
 * Replaces the text of a field between two places, unless it would be longer than the field permits.
 * @param {HTMLTextAreaElement} field @param {string} text @param {[number, number]} places
 * @returns {boolean} whether the text is replaced
 */
function replaceText(field, text, [from, to]) {
  const length = field.value.length - (to - from) + text.length;
  if (field.maxLength >= 0 && length > field.maxLength) return false;
  field.setRangeText(text, from, to, "select");
  return true;
}

/** Puts an element around the selection of a field, or removes it if the selection is all of its content. @param {HTMLTextAreaElement} field @param {string} tag */
export function toggleElement(field, tag) {
  const { selectionStart: from, selectionEnd: to, value } = field;
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const selected = value.slice(from, to);
  if (value.slice(0, from).endsWith(open) && value.slice(to).startsWith(close)) {
    replaceText(field, selected, [from - open.length, to + close.length]);
  } else if (selected.startsWith(open) && selected.endsWith(close)) {
    replaceText(field, selected.slice(open.length, -close.length), [from, to]);
  } else if (replaceText(field, `${open}${selected}${close}`, [from, to])) {
    field.setSelectionRange(from + open.length, to + open.length);
  }
  reportInput(field);
}

/** Replaces the selection by a line break. @param {HTMLTextAreaElement} field */
function insertBreak(field) {
  if (replaceText(field, BREAK, [field.selectionStart, field.selectionEnd])) field.setSelectionRange(field.selectionEnd, field.selectionEnd);
  reportInput(field);
}

/** Makes the selection a link, and selects its address, so that it can be typed or pasted. @param {HTMLTextAreaElement} field */
function insertLink(field) {
  const { selectionStart: from, selectionEnd: to, value } = field;
  const open = '<a href="';
  if (!replaceText(field, `${open}${ADDRESS_START}">${value.slice(from, to)}</a>`, [from, to])) return;
  field.setSelectionRange(from + open.length, from + open.length + ADDRESS_START.length);
  field.focus();
  reportInput(field);
}

/** Tells a field that its text has changed. @param {HTMLTextAreaElement} field */
const reportInput = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));

/**
 * Adds the keys to a field: Ctrl+B, Ctrl+I, and Enter or, with `onlyShift`, Shift+Enter. Returns the bar with buttons.
 * @param {HTMLTextAreaElement} field
 * @param {string} name name of the field
 * @param {{ onlyShift?: boolean }} [options]
 */
export function createFormatBar(field, name, { onlyShift = false } = {}) {
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey) return;
    const style = event.ctrlKey || event.metaKey ? STYLES.find(({ key }) => key === event.key.toLowerCase()) : undefined;
    if (style) toggleElement(field, style.tag);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && (event.shiftKey || !onlyShift)) insertBreak(field);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const createButton = (/** @type {string} */ label, /** @type {string} */ keys, /** @type {import("./core.js").Child} */ symbol, /** @type {() => void} */ run) =>
    h("button", { type: "button", class: "button quiet", "aria-label": getText("editor.formatOf", { format: label, field: name }), title: `${label} (${keys})`, onclick: run }, symbol);
  const bar = h("div", { class: "format-bar", role: "group", "aria-label": getText("editor.formatOf", { format: getText("editor.format"), field: name }) },
    STYLES.map(({ tag, key, label, symbol }) => createButton(label, `Ctrl+${key.toUpperCase()}`, symbol.cloneNode(true), () => toggleElement(field, tag))),
    createButton(getText("editor.link"), "<a>", createIcon("link"), () => insertLink(field)),
    createButton(getText("editor.lineBreak"), onlyShift ? "Shift+Enter" : "Enter", "↵", () => insertBreak(field)),
  );
  // The field keeps focus and selection.
  bar.addEventListener("pointerdown", (event) => event.preventDefault());
  return bar;
}
