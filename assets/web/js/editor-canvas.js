// @ts-check
/** Editing on the canvas: a mark selects its row, and title, subtitle and footer are edited in place. */

import { getImageRoot, imageSize, onImage } from "./chart-image.js";
import { effect, h, signal } from "./core.js";
import { separateAt, separateRow } from "./joined-marks.js";
import { createFormatBar } from "./text-format.js";
import { getText } from "./texts.js";
import { findElement } from "./ui.js";

/** Outline of selected marks and of texts that can be edited. */
const MARK_STYLES = `
  [data-part="annotation"] { cursor: move; touch-action: none; }
  [data-dragged] { visibility: hidden; }
  [data-row], [data-rows], [data-part="title"], [data-part="subtitle"], [data-part="footer"] { cursor: pointer; }
  [data-selected] { outline: 1.5px solid #1b5bd0; outline-offset: 1px; }
  [data-part="title"]:hover, [data-part="subtitle"]:hover, [data-part="footer"]:hover { outline: 1px dashed #1b5bd0; outline-offset: 2px; }
  [data-part]:focus-visible { outline: 2px solid #1b5bd0; outline-offset: 2px; }
`;

/** The texts that can be edited in place, with the names of their undo steps and the paths of their values. */
const TEXT_PARTS = {
  title: { label: getText("editor.title"), description: getText("editor.pressToEditTitle"), step: getText("editor.editTitle"), path: ["title"], maxLength: 500 },
  subtitle: { label: getText("editor.subtitle"), description: getText("editor.pressToEditSubtitle"), step: getText("editor.editSubtitle"), path: ["style", "subtitle"], maxLength: 2000 },
  footer: { label: getText("editor.footer"), description: getText("editor.pressToEditFooter"), step: getText("editor.editFooter"), path: ["style", "footer"], maxLength: 2000 },
};

/** @typedef {keyof typeof TEXT_PARTS} TextPart */
/** @typedef {import("./document-store.js").DocumentStore} DocumentStore */

/** Row of the selected marks; null without a selection. */
export const selectedRow = signal(/** @type {number | null} */ (null));

/** Mark that was pressed last on the canvas; null after another press. */
export const pressedMark = signal(/** @type {{ row: number, field: string | null } | null} */ (null));

/** Index of the selected note; null without a selection. */
export const selectedNote = signal(/** @type {number | null} */ (null));

/** Type of the note that is being placed; null otherwise. */
export const placedType = signal(/** @type {import("./note-model.js").NoteType | null} */ (null));

/** Returns the part of an element of the image, if it is a text that can be edited. @param {Element | null} element @returns {TextPart | null} */
function findTextPart(element) {
  const part = element?.closest("[data-part]")?.getAttribute("data-part") ?? "";
  return part in TEXT_PARTS ? /** @type {TextPart} */ (part) : null;
}

/** Returns the common box of all elements of a part, relative to the canvas. @param {TextPart} part @param {HTMLElement} canvas */
function measurePart(part, canvas) {
  const boxes = [...getImageRoot().querySelectorAll(`[data-part="${part}"]`)].map((element) => element.getBoundingClientRect());
  if (boxes.length === 0) return null;
  const outer = canvas.getBoundingClientRect();
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  const right = Math.max(...boxes.map((box) => box.right));
  return { left: left - outer.left, right: right - outer.left, top: top - outer.top, height: bottom - top, outerWidth: outer.width };
}

/** Distance of a field above a text to the text, with the border, and to the edge of the canvas, in pixels. */
const [FIELD_SPACE, EDGE_SPACE] = [6, 16];

/**
 * Lays a field over a text of the image: with its place, font, color and direction, and with space for a longer text.
 * @param {HTMLElement} field
 * @param {Element} text
 * @param {NonNullable<ReturnType<typeof measurePart>>} box
 */
function coverText(field, text, box) {
  const { direction, fill, fontFamily, fontWeight } = getComputedStyle(text);
  const isRtl = direction === "rtl";
  const left = isRtl ? EDGE_SPACE - FIELD_SPACE : box.left - FIELD_SPACE;
  const right = isRtl ? box.right + FIELD_SPACE : box.outerWidth - EDGE_SPACE - FIELD_SPACE;
  const scale = box.outerWidth / imageSize.peek().width;
  field.dir = direction;
  Object.assign(field.style, {
    left: `${left}px`,
    top: `${box.top - FIELD_SPACE}px`,
    width: `${right - left}px`,
    minHeight: `${box.height + 2 * FIELD_SPACE}px`,
    fontSize: `${Number(text.getAttribute("font-size") ?? 14) * scale}px`,
    fontFamily,
    fontWeight,
    color: fill,
    background: getImageRoot().querySelector("svg > rect")?.getAttribute("fill") ?? "",
  });
}

/**
 * Makes the canvas editable.
 * @param {DocumentStore} store
 * @param {{ onSelectMark: (row: number, field: string | null) => void, onMissingPart: (part: TextPart) => void }} callbacks
 *   `onMissingPart` is called for a text that the image does not show, so that it can be edited elsewhere
 */
export function startCanvasEditing(store, { onSelectMark, onMissingPart }) {
  const canvas = findElement("#canvas");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(MARK_STYLES);
  /** @type {(() => void) | null} Ends the open edit of a text. */
  let endEditing = null;

  const markSelection = () => {
    const row = selectedRow.peek();
    const root = getImageRoot();
    root.querySelectorAll("[data-selected]").forEach((element) => element.removeAttribute("data-selected"));
    if (row === null) return;
    separateRow(root, row);
    root.querySelectorAll(`[data-row="${row}"]`).forEach((element) => element.setAttribute("data-selected", ""));
  };

  const prepareImage = () => {
    const root = getImageRoot();
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [sheet];
    // A picture with texts that can be pressed is a group, not a single image.
    root.querySelector("svg")?.setAttribute("role", "group");
    for (const [part, { description }] of Object.entries(TEXT_PARTS)) {
      const element = root.querySelector(`[data-part="${part}"]`);
      element?.setAttribute("tabindex", "0");
      element?.setAttribute("role", "button");
      element?.setAttribute("aria-description", description);
    }
    // A press on a text edits it. Its links work outside of the editor.
    root.querySelectorAll("a").forEach((link) => link.removeAttribute("href"));
    markSelection();
  };

  /** Opens a field above a text of the image. @param {TextPart} part */
  const editPart = (part) => {
    endEditing?.();
    const box = measurePart(part, canvas);
    if (!box) return onMissingPart(part);
    const { label, step, path, maxLength } = TEXT_PARTS[part];
    const before = readText(store, part);
    const element = /** @type {Element} */ (getImageRoot().querySelector(`[data-part="${part}"]`));
    const mergeKey = `text-${part}-${Date.now()}`;
    const handleInput = () => store.setValue(path, field.value, { label: step, mergeKey });
    const field = h("textarea", { class: `canvas-text ${part}`, "aria-label": label, maxlength: maxLength, rows: 1, oninput: handleInput });
    field.value = before;
    coverText(field, element, box);
    const bar = part === "title" ? null : createFormatBar(field, label, { onlyShift: true });
    // At the end of the line, because the title begins above its start.
    if (bar) Object.assign(bar.style, { left: `calc(${field.style.left} + ${field.style.width})`, top: field.style.top });
    const close = (/** @type {boolean} */ keepsFocus) => {
      if (endEditing !== finish) return;
      endEditing = null;
      bar?.remove();
      field.remove();
      if (keepsFocus) /** @type {SVGElement | null} */ (getImageRoot().querySelector(`[data-part="${part}"]`))?.focus();
    };
    const finish = () => close(false);
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") {
        store.setValue(path, part === "title" ? before : before || undefined, { label: step, mergeKey });
        close(true);
      } else if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        close(true);
      } else return;
      event.stopPropagation();
    });
    field.addEventListener("blur", finish);
    endEditing = finish;
    // The bar follows, so that a reader hears of it after the field. Its keys work in the field.
    canvas.append(field, ...(bar ? [bar] : []));
    bar?.querySelectorAll("button").forEach((button) => (button.tabIndex = -1));
    field.focus();
    field.select();
  };

  canvas.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.composedPath()[0]);
    const part = findTextPart(target);
    if (part) return editPart(part);
    // Controls above the image, such as those of notes, are no part of it.
    if (target !== canvas && !getImageRoot().contains(target)) return;
    const mark = target.closest?.("[data-row]") ?? separateAt(getImageRoot(), event);
    if (!mark) {
      selectedRow.value = pressedMark.value = null;
      return;
    }
    selectedRow.value = Number(mark.getAttribute("data-row"));
    onSelectMark(selectedRow.peek() ?? 0, mark.getAttribute("data-field"));
    pressedMark.value = { row: selectedRow.peek() ?? 0, field: mark.getAttribute("data-field") };
  });
  canvas.addEventListener("keydown", (event) => {
    const part = findTextPart(/** @type {Element} */ (event.composedPath()[0]));
    if (!part || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    editPart(part);
  });
  onImage(prepareImage);
  prepareImage();
  effect(() => {
    if (selectedRow.value !== undefined) markSelection();
  });
  return { editPart };
}

/** Returns the text of a part. @param {DocumentStore} store @param {TextPart} part @returns {string} */
export function readText(store, part) {
  const { title, style } = store.content.peek();
  return part === "title" ? title : (style?.[part] ?? "");
}
