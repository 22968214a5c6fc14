// @ts-check
/** The panel with the notes of the chart: texts, arrows, lines, boxes, shaded spans and differences. */

import { moveNote, peekNotes, readNotes, removeNote, writeNote, writeNotes } from "./canvas-notes.js";
import { readArrowStep } from "./canvas-drag.js";
import { computed, effect, h } from "./core.js";
import { placedType, selectedNote, selectedRow } from "./editor-canvas.js";
import { getEditor } from "./editor-state.js";
import { followRecord } from "./json-merge.js";
import { NOTE_TYPES, needsMarks } from "./note-model.js";
import { createPanel, scrollPanelTo } from "./panel-frame.js";
import { getText } from "./texts.js";
import { createButton, createField } from "./ui.js";

/** Maximum number of rows that the fields of a note list. */
const MAX_LISTED_ROWS = 1000;

/** @typedef {import("./note-model.js").NoteType} NoteType */

/** Returns the name of a record: the first text in it, or its number. @param {Record<string, any>} record @param {number} row */
function describeRow(record, row) {
  const text = Object.values(record).find((value) => typeof value === "string" && value.trim());
  return text ? `${row + 1}: ${text}` : getText("notes.row", { number: String(row + 1) });
}

/** Builds the panel. @param {() => void} close */
export function buildPanel(close) {
  const { store } = getEditor();
  const list = h("ol", { class: "notes" });
  const startPlacing = (/** @type {NoteType} */ type) => {
    // A second press on another type begins again.
    placedType.value = null;
    placedType.value = type;
  };
  const addButtons = Object.entries(NOTE_TYPES).map(([type, name]) => createButton(name, { kind: "quiet", icon: "plus", "aria-pressed": () => placedType.value === type, onclick: () => startPlacing(/** @type {NoteType} */ (type)) }));
  // The fields of a note stay while their values change, so that they keep the focus.
  const shape = computed(() => JSON.stringify(readNotes().map((note) => [note.type, Boolean(note.anchor), Boolean(note.to)])) + store.content.value.data.length);
  /** @type {Record<string, any>[]} */
  let listedNotes = [];
  effect(() => {
    if (!shape.value) return;
    const restoreFocus = rememberFocus(list);
    const before = listedNotes;
    listedNotes = peekNotes();
    list.replaceChildren(...listedNotes.map((_, index) => buildNote(index)));
    restoreFocus((index) => followRecord(before, listedNotes, index));
  });
  effect(() => {
    const index = selectedNote.value;
    [...list.children].forEach((item, position) => item.setAttribute("aria-current", String(position === index)));
    if (index !== null) scrollPanelTo(list.children[index]);
  });
  const hint = h("p", { class: "hint" }, () => (selectedRow.value === null ? getText("notes.panelHint") : getText("notes.panelHintWithRow")));
  return createPanel(getText("notes.panel"), close, h("div", { class: "panel-form" }, hint, h("div", { class: "row", role: "group", "aria-label": getText("notes.add") }, addButtons), list));
}

/**
 * Remembers the focused control of a note. The returned function focuses it again after the list was rebuilt, because notes
 * were added or removed. Its argument returns the new place of a note, or null for a removed one.
 * @param {HTMLElement} list
 * @returns {(follow: (index: number) => number | null) => void}
 */
function rememberFocus(list) {
  const focused = document.activeElement;
  const findControls = (/** @type {Element | null | undefined} */ item) => [...(item?.querySelectorAll("textarea, select, button") ?? [])];
  const item = focused && list.contains(focused) ? focused.closest(".note") : null;
  const [index, position] = item && focused ? [[...list.children].indexOf(item), findControls(item).indexOf(focused)] : [-1, -1];
  const range = focused instanceof HTMLTextAreaElement ? [focused.selectionStart, focused.selectionEnd] : null;
  return (follow) => {
    const place = index < 0 ? null : (follow(index) ?? selectedNote.peek());
    const control = /** @type {HTMLElement | undefined} */ (findControls(list.children[place ?? -1])[position]);
    control?.focus({ preventScroll: true });
    if (range && control instanceof HTMLTextAreaElement) control.setSelectionRange(range[0], range[1]);
  };
}

/** Builds the fields of a note. @param {number} index */
function buildNote(index) {
  const { store } = getEditor();
  const read = () => readNotes()[index] ?? {};
  const note = peekNotes()[index];
  const change = (/** @type {Record<string, any>} */ members, /** @type {string} */ label) => writeNote(index, { ...read(), ...members }, { label, mergeKey: `note-${index}-${label}` });
  const text = h("textarea", { rows: 2, maxlength: 500, placeholder: note.type === "difference" ? getText("notes.differencePlaceholder") : "", oninput: () => change({ text: text.value }, getText("notes.edit")) });
  effect(() => {
    if (text.value !== (read().text ?? "")) text.value = read().text ?? "";
  });
  const rows = store.content.peek().data.slice(0, MAX_LISTED_ROWS).map(describeRow);
  const createRowField = (/** @type {string} */ label, /** @type {"anchor" | "to"} */ member) => {
    const select = h("select", { onchange: () => change({ [member]: { ...read()[member], row: Number(select.value), label: undefined } }, getText("notes.move")) }, rows.map((name, row) => h("option", { value: row }, name)));
    effect(() => void (select.value = String(read()[member]?.row ?? "")));
    return createField(label, select);
  };
  const moveButton = h("button", { type: "button", class: "button quiet", title: getText("notes.moveWithKeysHint") }, getText("notes.moveWithKeys"));
  moveButton.addEventListener("keydown", (event) => {
    const step = readArrowStep(event);
    if (!step) return;
    event.preventDefault();
    moveNote(index, step);
  });
  const isAnchored = Boolean(note.anchor);
  const hasEnd = needsMarks(note.type) || (isAnchored && Boolean(note.to));
  const swap = (/** @type {number} */ other) => {
    const notes = readNotes();
    selectedNote.value = other;
    writeNotes(notes.with(index, notes[other]).with(other, notes[index]), { label: getText("notes.reorder") });
  };
  const name = NOTE_TYPES[/** @type {NoteType} */ (note.type)] ?? note.type;
  const number = String(index + 1);
  const order = (/** @type {string} */ title, /** @type {string} */ label, /** @type {string} */ icon, /** @type {number} */ other) =>
    createButton("", { kind: "plain", icon, "aria-label": label, title, disabled: () => other < 0 || other >= readNotes().length, onclick: () => swap(other) });
  const remove = createButton(getText("common.remove"), { kind: "plain", icon: "trash", onclick: () => removeNote(index) });
  const item = h(
    "li",
    { class: "note", "aria-current": () => String(selectedNote.value === index) },
    h("b", null, name),
    createField(getText("notes.text"), text),
    isAnchored && createRowField(hasEnd ? getText("notes.from") : getText("notes.at"), "anchor"),
    hasEnd && createRowField(getText("notes.to"), "to"),
    h(
      "div",
      { class: "row" },
      moveButton,
      order(getText("common.moveUp"), getText("notes.moveUpNumber", { number }), "up", index - 1),
      order(getText("common.moveDown"), getText("notes.moveDownNumber", { number }), "down", index + 1),
      remove,
    ),
  );
  item.addEventListener("focusin", () => (selectedNote.value = index));
  item.addEventListener("click", (event) => {
    if (!(event.target instanceof Element && event.target.closest("button"))) selectedNote.value = index;
  });
  return item;
}
