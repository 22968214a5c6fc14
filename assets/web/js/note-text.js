// @ts-check
/** The field for the text of a note or a label, above its place in the image. */

import { createDragKey } from "./canvas-drag.js";
import { readDocumentSize } from "./canvas-geometry.js";
import { imageSize } from "./chart-image.js";
import { h } from "./core.js";
import { positionAt } from "./note-overlay.js";
import { getText } from "./texts.js";
import { findElement } from "./ui.js";

/** Maximum length of a text in characters, as in the panel. */
const MAX_LENGTH = 500;
/** Font size of notes in points. */
const FONT_SIZE = 12;
/** Smallest width of the field in pixels. */
const MIN_WIDTH = 120;

/** @type {(() => void) | null} Ends the open edit. */
let endEditing = null;

/**
 * Opens a field above a box. Enter or a press elsewhere keeps the text, Escape restores the previous one.
 * @param {import("./canvas-geometry.js").Box} box in points
 * @param {{ text?: string }} value
 * @param {object} callbacks
 * @param {(text: string, options: import("./document-store.js").ChangeOptions) => void} callbacks.write stores a text
 * @param {(key: string) => void} callbacks.discard takes the step with a merge key back
 * @param {(text: string, key: string, isByKey: boolean) => void} callbacks.onEnd `isByKey` means that the focus is free
 * @param {boolean} [isLabel] whether the text is the label of a mark
 */
export function editNoteText(box, value, { write, discard, onEnd }, isLabel = false) {
  endEditing?.();
  const canvas = findElement("#canvas");
  const mergeKey = createDragKey();
  const before = value.text ?? "";
  const pixels = canvas.getBoundingClientRect().width / readDocumentSize().width;
  const [label, step] = isLabel ? [getText("canvas.label"), getText("canvas.editLabelStep")] : [getText("notes.textField"), getText("notes.edit")];
  const field = h("textarea", { class: "canvas-text of-note", "aria-label": label, maxlength: MAX_LENGTH, rows: 1, oninput: () => write(field.value, { label: step, mergeKey, mergeTime: Infinity }) });
  field.value = before;
  const left = Math.max(0, Math.min(box.x0, readDocumentSize().width - MIN_WIDTH / pixels));
  positionAt(field, { x: left, y: Math.max(0, box.y0) });
  field.style.minWidth = `${Math.max(MIN_WIDTH, (box.x1 - box.x0) * pixels + 16)}px`;
  field.style.fontSize = `${FONT_SIZE * (imageSize.peek().width / readDocumentSize().width) * pixels}px`;
  let isOpen = true;
  const close = (/** @type {boolean} */ isKept, isByKey = true) => {
    if (!isOpen) return;
    isOpen = false;
    endEditing = null;
    const text = isKept ? field.value : before;
    field.remove();
    if (!isKept) discard(mergeKey);
    onEnd(text, mergeKey, isByKey);
  };
  const finish = () => close(true, false);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") close(false);
    else if (event.key === "Enter") {
      event.preventDefault();
      close(true);
    }
    event.stopPropagation();
  });
  for (const type of ["pointerdown", "click", "dblclick"]) field.addEventListener(type, (event) => event.stopPropagation());
  field.addEventListener("blur", finish);
  endEditing = finish;
  canvas.append(field);
  field.focus();
  field.select();
}
