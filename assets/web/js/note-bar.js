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

/** Space in pixels between a bar and its note, as in the style sheet. */
const GAP_PIXELS = 10;
/** Space in pixels between a bar and the edge of the page. */
const EDGE_PIXELS = 4;

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

/**
 * Puts a bar above a box and its handles, or below the box without space above, within the width of the canvas.
 * @param {HTMLElement} bar
 * @param {import("./canvas-geometry.js").Box} box
 * @param {Element[]} handles
 */
export function positionBar(bar, box, handles) {
  const { width } = readDocumentSize();
  const canvas = bar.closest("#canvas")?.getBoundingClientRect();
  const pixels = (canvas?.width ?? width) / width;
  const height = bar.offsetHeight;
  const left = `max(0px, min(${(box.x0 / width) * 100}%, 100% - ${bar.offsetWidth}px))`;
  bar.style.left = left;
  const place = bar.getBoundingClientRect();
  const near = handles.map((handle) => handle.getBoundingClientRect()).filter((handle) => handle.left < place.right && handle.right > place.left);
  let top = box.y0 * pixels;
  for (const handle of near) {
    const [first, last] = [handle.top - (canvas?.top ?? 0), handle.bottom - (canvas?.top ?? 0)];
    if (first < top - GAP_PIXELS && last > top - GAP_PIXELS - height) top = first;
  }
  const isBelow = top < height + GAP_PIXELS + EDGE_PIXELS;
  bar.classList.toggle("below", isBelow);
  positionAt(bar, { x: box.x0, y: isBelow ? box.y1 : top / pixels });
  bar.style.left = left;
}
