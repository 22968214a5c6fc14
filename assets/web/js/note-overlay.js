// @ts-check
/** The layer above the image for notes: outline, handles, copies of dragged texts, and previews of new notes. */

import { readDocumentSize } from "./canvas-geometry.js";
import { getImageRoot, imageSize } from "./chart-image.js";
import { h } from "./core.js";
import { findElement } from "./ui.js";

/** @typedef {import("./canvas-geometry.js").Point} Point */
/** @typedef {import("./canvas-geometry.js").Box} Box */

/** Space in points between a note and its outline. */
const OUTLINE_GAP = 4;

const canvas = findElement("#canvas");
const shapes = h("svg:svg", { class: "note-shapes", "aria-hidden": true });
/** Layer for the controls of notes. */
export const layer = h("div", { class: "note-layer" }, shapes);
const announcer = h("div", { class: "hidden", role: "status" });
const outline = h("svg:rect", { class: "note-outline", rx: 3, visibility: "hidden" });
const preview = h("svg:g", { class: "note-preview" });
const ghost = h("svg:g", { class: "note-ghost" });
const ring = h("svg:rect", { class: "note-ring", rx: 3, visibility: "hidden" });
shapes.append(ghost, outline, preview, ring);

/** Adds the layer to the canvas. */
export function addLayer() {
  canvas.append(layer, announcer);
}

/** Tells screen readers a text. @param {string} text */
export function announce(text) {
  announcer.textContent = text;
}

/** Uses the units of the document for the shapes. */
export function updateLayerSize() {
  const { width, height } = readDocumentSize();
  shapes.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

/** Moves an element of the layer to a point. @param {HTMLElement} element @param {Point} point */
export function positionAt(element, { x, y }) {
  const { width, height } = readDocumentSize();
  element.style.left = `${(x / width) * 100}%`;
  element.style.top = `${(y / height) * 100}%`;
}

/** Gives an element of the layer the size and place of a box. @param {HTMLElement} element @param {Box} box */
export function positionOver(element, { x0, y0, x1, y1 }) {
  const { width, height } = readDocumentSize();
  positionAt(element, { x: x0, y: y0 });
  element.style.width = `${((x1 - x0) / width) * 100}%`;
  element.style.height = `${((y1 - y0) / height) * 100}%`;
}

/** Shows a rectangle around a box, or hides it. @param {SVGElement} rect @param {Box | null} box @param {number} gap */
function showRect(rect, box, gap) {
  rect.setAttribute("visibility", box ? "visible" : "hidden");
  if (!box) return;
  const values = { x: box.x0 - gap, y: box.y0 - gap, width: box.x1 - box.x0 + 2 * gap, height: box.y1 - box.y0 + 2 * gap };
  for (const [name, value] of Object.entries(values)) rect.setAttribute(name, String(value));
}

/** Shows the outline of the selected note, or hides it. @param {Box | null} box @param {Point} [delta] distance of a drag */
export function showOutline(box, delta = { x: 0, y: 0 }) {
  showRect(outline, box, OUTLINE_GAP);
  outline.setAttribute("transform", `translate(${delta.x} ${delta.y})`);
}

/** Shows a ring around the mark that a note will be attached to, or hides it. @param {Box | null} box */
export const showRing = (box) => showRect(ring, box, 2);

/** Shows a line or box of a new or changed note. Null hides it. @param {"line" | "box" | null} shape @param {Point} [from] @param {Point} [to] */
export function showPreview(shape, from = { x: 0, y: 0 }, to = from) {
  preview.replaceChildren();
  if (shape === "line") preview.append(h("svg:line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
  else if (shape === "box") preview.append(h("svg:rect", { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) }));
}

/**
 * Shows copies of elements, which follow the pointer while the image follows later. Hides the originals, also in newer
 * images, until `hideGhost`.
 * @param {number} index index of the note
 * @param {SVGGraphicsElement[]} elements
 */
export function showGhost(index, elements) {
  const { width, height } = imageSize.peek();
  const size = readDocumentSize();
  const group = h("svg:g", { transform: `scale(${size.width / width} ${size.height / height})`, "font-family": getImageRoot().querySelector("svg > g")?.getAttribute("font-family") ?? "" });
  for (const element of elements) {
    const copy = /** @type {SVGElement} */ (element.cloneNode(true));
    for (const name of ["data-part", "data-field", "data-dragged", "tabindex"]) copy.removeAttribute(name);
    group.append(copy);
  }
  ghost.replaceChildren(group);
  moveGhost({ x: 0, y: 0 });
  ghostFilter = { index, isTextOnly: elements.every((element) => element.localName === "text") };
  hideGhostOriginals();
}

/** Note with a copy, and whether only its texts are copied; null without one. @type {{ index: number, isTextOnly: boolean } | null} */
let ghostFilter = null;

/** Whether a copy is shown. */
export const hasGhost = () => ghostFilter !== null;

/** Hides the elements of the image that have a copy. */
export function hideGhostOriginals() {
  getImageRoot().querySelectorAll("[data-dragged]").forEach((element) => element.removeAttribute("data-dragged"));
  if (!ghostFilter) return;
  const name = ghostFilter.isTextOnly ? "text" : "";
  getImageRoot().querySelectorAll(`${name}[data-part="annotation"][data-field="${ghostFilter.index}"]`).forEach((element) => element.setAttribute("data-dragged", ""));
}

/** Moves the copies. @param {Point} delta in points */
export function moveGhost({ x, y }) {
  ghost.setAttribute("transform", `translate(${x} ${y})`);
}

/** Removes the copies, and shows the originals. */
export function hideGhost() {
  ghostFilter = null;
  ghost.replaceChildren();
  hideGhostOriginals();
}
