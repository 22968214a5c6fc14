// @ts-check
/** The small bar beside the selected note, with its color, and buttons to edit and to remove it. */

import { createColorButton } from "./color-field.js";
import { readDocumentSize } from "./canvas-geometry.js";
import { h } from "./core.js";
import { selectedNote } from "./editor-canvas.js";
import { getEditor } from "./editor-state.js";
import { positionAt } from "./note-overlay.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** Space in pixels between a bar and its note, as in the style sheet, with the edge of the page. */
const GAP_PIXELS = 14;

/** Number of bars, for ids. */
let barCount = 0;

/** Returns the parts of a settings form that a color button needs. @returns {import("./settings-form.js").FormContext} */
export function createColorContext() {
  const { palette, background } = getEditor();
  const prefix = `bar-${(barCount += 1)}`;
  let count = 0;
  return /** @type {any} */ ({ palette, background, createId: () => `${prefix}-${(count += 1)}` });
}

/** Creates a button with an icon. @param {string} label @param {string} icon @param {() => void} onclick */
export const createIconButton = (label, icon, onclick) => h("button", { type: "button", class: "button quiet icon-only", "aria-label": label, title: label, onclick }, createIcon(icon));

/** Creates the bar for the selected note. @param {{ onEdit: () => void, onRemove: () => void }} actions */
export function createNoteBar({ onEdit, onRemove }) {
  const { store } = getEditor();
  const read = () => store.content.value.style?.annotations?.[selectedNote.value ?? -1];
  const color = createColorButton({
    label: getText("notes.color"),
    form: createColorContext(),
    emptyText: getText("canvas.colorFromTheme"),
    read: () => read()?.color,
    write: (value, isTyping) => {
      const index = selectedNote.peek();
      const notes = store.content.peek().style?.annotations ?? [];
      if (index === null || !notes[index]) return;
      const { color: _, ...rest } = notes[index];
      store.setValue(["style", "annotations"], notes.with(index, value ? { ...rest, color: value } : rest), { label: getText("notes.recolor"), mergeKey: isTyping ? `note-color-${index}` : "" });
    },
  });
  return h("div", { class: "canvas-bar", role: "group", "aria-label": getText("notes.bar") }, color, createIconButton(getText("notes.editText"), "pencil", onEdit), createIconButton(getText("notes.removeThis"), "trash", onRemove));
}

/** Puts a bar above a box, or below it without space above, within the width of the canvas. @param {HTMLElement} bar @param {import("./canvas-geometry.js").Box} box */
export function positionBar(bar, box) {
  const { width } = readDocumentSize();
  const pixels = (bar.closest("#canvas")?.getBoundingClientRect().width ?? width) / width;
  const isBelow = box.y0 * pixels < bar.offsetHeight + GAP_PIXELS;
  bar.classList.toggle("below", isBelow);
  positionAt(bar, { x: box.x0, y: isBelow ? box.y1 : box.y0 });
  bar.style.left = `max(0px, min(${(box.x0 / width) * 100}%, 100% - ${bar.offsetWidth}px))`;
}
