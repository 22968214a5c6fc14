// @ts-check
/** Positions on the canvas of the editor in points of the document: pointers, marks and notes of the displayed image. */

import { getImageRoot, imageSize, onImage } from "./chart-image.js";
import { listJoinedMarks, separateAt, separateRow } from "./joined-marks.js";
import { findElement } from "./ui.js";

/** @typedef {{ x: number, y: number }} Point */

/** @typedef {{ x0: number, y0: number, x1: number, y1: number }} Box */

/** A mark of the image: its record, its column if it has one, its box, and a point inside. @typedef {{ row: number, field: string | null, box: Box, center: Point }} CanvasMark */

/** A place that the user points at: a point, and the mark there if any. @typedef {{ point: Point, mark: CanvasMark | null }} Target */

/**
 * The shapes of a note. `text` is the box of its text, `line` its longest line.
 * @typedef {{ box: Box, text: Box | null, line: [Point, Point] | null, elements: SVGGraphicsElement[] }} NoteShapes
 */

/** Size of a document without an own size, in points. */
export const DEFAULT_SIZE = { width: 720, height: 405 };
/** Ascent of a text, and height of its lines, as multiples of the font size, as in the renderer. */
const [ASCENT_EM, LINE_HEIGHT] = [0.76, 1.3];
/** Number of points per side of the grid that is searched for a point inside a mark, as in the renderer. */
const GRID_SIDE = 9;

const canvas = findElement("#canvas");

/** Marks of the displayed image; null before they are measured. @type {CanvasMark[] | null} */
let marks = null;
onImage(() => (marks = null));

/** Returns the box around several boxes. @param {Box[]} boxes @returns {Box} */
export const joinBoxes = (boxes) => ({ x0: Math.min(...boxes.map((box) => box.x0)), y0: Math.min(...boxes.map((box) => box.y0)), x1: Math.max(...boxes.map((box) => box.x1)), y1: Math.max(...boxes.map((box) => box.y1)) });

/** Returns the middle of a box. @param {Box} box @returns {Point} */
export const getBoxCenter = (box) => ({ x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 });

/** Returns the distance of a point to a box; 0 inside. @param {Box} box @param {Point} point */
export const measureBoxDistance = (box, { x, y }) => Math.hypot(Math.max(box.x0 - x, 0, x - box.x1), Math.max(box.y0 - y, 0, y - box.y1));

/** Returns the distance of a point to a line. @param {[Point, Point]} line @param {Point} point */
export function measureLineDistance([from, to], { x, y }) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const share = Math.max(0, Math.min(1, ((x - from.x) * dx + (y - from.y) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(from.x + share * dx - x, from.y + share * dy - y);
}

/** Returns the canvas size of a document in points. @param {Record<string, any> | null} style @returns {{ width: number, height: number }} */
export function getDocumentSize(style) {
  const choose = (/** @type {"width" | "height"} */ side) => (style?.[side] > 0 ? Number(style?.[side]) : DEFAULT_SIZE[side]);
  return { width: choose("width"), height: choose("height") };
}

/** Size of the edited document in points, set by `setDocumentSize`. */
let documentSize = { ...DEFAULT_SIZE };

/** Sets the size that all positions refer to. @param {{ width: number, height: number }} size in points */
export function setDocumentSize(size) {
  documentSize = size;
  marks = null;
}

/** Returns the size that all positions refer to, in points. */
export const readDocumentSize = () => documentSize;

/** Returns the number of points per CSS pixel. */
export const getPointsPerPixel = () => documentSize.width / canvas.getBoundingClientRect().width;

/** Returns the position of a pointer in points, moved onto the canvas. @param {{ clientX: number, clientY: number }} event @returns {Point} */
export function readPointer({ clientX, clientY }) {
  const outer = canvas.getBoundingClientRect();
  const x = ((clientX - outer.left) / outer.width) * documentSize.width;
  const y = ((clientY - outer.top) / outer.height) * documentSize.height;
  return clampPoint({ x, y });
}

/** Moves a point onto the canvas and rounds it to a tenth. @param {Point} point @returns {Point} */
export const clampPoint = ({ x, y }) => ({ x: roundTenth(Math.max(0, Math.min(documentSize.width, x))), y: roundTenth(Math.max(0, Math.min(documentSize.height, y))) });

/** Rounds to a tenth of a point. @param {number} value */
export const roundTenth = (value) => Math.round(value * 10) / 10 + 0;

/** Returns the box of an element in points of the document. @param {SVGGraphicsElement} element @returns {Box} */
function measureElement(element) {
  const { x, y, width, height } = element.getBBox();
  return scaleBox({ x0: x, y0: y, x1: x + width, y1: y + height });
}

/** Converts a box from points of the image to points of the document. @param {Box} box @returns {Box} */
function scaleBox({ x0, y0, x1, y1 }) {
  const { width, height } = imageSize.peek();
  const [scaleX, scaleY] = [documentSize.width / width, documentSize.height / height];
  return { x0: x0 * scaleX, y0: y0 * scaleY, x1: x1 * scaleX, y1: y1 * scaleY };
}

/** Returns a point inside the elements that is near the middle of their box, as the renderer finds it. @param {SVGGraphicsElement[]} elements @param {Box} box @returns {Point} */
function findInnerPoint(elements, box) {
  const middle = getBoxCenter(box);
  const { width, height } = imageSize.peek();
  const contains = (/** @type {Point} */ point) => {
    const inImage = new DOMPoint((point.x / documentSize.width) * width, (point.y / documentSize.height) * height);
    return elements.some((element) => !(element instanceof SVGGeometryElement) || (element.getAttribute("fill") !== "none" && element.isPointInFill(inImage)));
  };
  if (contains(middle)) return middle;
  const share = (/** @type {number} */ cell) => (cell + 0.5) / GRID_SIDE;
  const grid = Array.from({ length: GRID_SIDE ** 2 }, (_, cell) => ({ x: box.x0 + (box.x1 - box.x0) * share(cell % GRID_SIDE), y: box.y0 + (box.y1 - box.y0) * share(Math.floor(cell / GRID_SIDE)) }));
  const measure = (/** @type {Point} */ point) => Math.hypot(point.x - middle.x, point.y - middle.y);
  return grid.sort((one, two) => measure(one) - measure(two)).find(contains) ?? middle;
}

/** Prefers shapes over lines through all records and over labels, as the renderer does. @param {SVGGraphicsElement[]} elements */
function chooseShapes(elements) {
  let chosen = elements;
  for (const isWeak of [(/** @type {Element} */ element) => element.getAttribute("data-part") === "line", (/** @type {Element} */ element) => element.localName === "text"]) {
    if (chosen.some((element) => !isWeak(element))) chosen = chosen.filter((element) => !isWeak(element));
  }
  return chosen;
}

/** Returns the elements of the image that have a row. @returns {SVGGraphicsElement[]} */
const listMarkElements = () => [...getImageRoot().querySelectorAll("[data-row]")].map((element) => /** @type {SVGGraphicsElement} */ (element));

/** Returns the marks of the image, by row and then in their order in the image. @returns {CanvasMark[]} */
export function listMarks() {
  if (marks) return marks;
  /** @type {Map<string, SVGGraphicsElement[]>} */
  const groups = new Map();
  for (const element of listMarkElements()) {
    const key = JSON.stringify([Number(element.getAttribute("data-row")), element.getAttribute("data-field")]);
    groups.set(key, [...(groups.get(key) ?? []), element]);
  }
  const withShapes = new Set([...groups].filter(([, elements]) => elements.some((element) => element.localName !== "text")).map(([key]) => JSON.parse(key)[0]));
  marks = [...groups].flatMap(([key, elements]) => {
    const [row, field] = JSON.parse(key);
    const shapes = chooseShapes(elements);
    // If the shapes of a record have marks of their own, its label is no further mark.
    if (withShapes.has(row) && shapes[0].localName === "text") return [];
    const box = joinBoxes(shapes.map(measureElement));
    return [{ row, field, box, center: findInnerPoint(shapes, box) }];
  });
  for (const joined of listJoinedMarks(getImageRoot())) {
    const box = scaleBox(joined.box);
    marks.push({ ...joined, box, center: getBoxCenter(box) });
  }
  return marks.sort((one, two) => one.row - two.row);
}

/** Returns the index of the record that a reference names, or null. @param {any} ref @param {Record<string, any>[]} records */
export function findRow(ref, records) {
  if (Number.isInteger(ref?.row)) return ref.row < records.length ? ref.row : null;
  const label = String(ref?.label ?? "");
  const index = label === "" ? -1 : records.findIndex((record) => Object.values(record).some((value) => String(value) === label));
  return index < 0 ? null : index;
}

/** Returns the mark of a row, and of a column if it has one; null if it is not drawn. @param {number} row @param {string | null} field @returns {CanvasMark | null} */
function measureMark(row, field) {
  separateRow(getImageRoot(), row);
  const elements = /** @type {SVGGraphicsElement[]} */ ([...getImageRoot().querySelectorAll(`[data-row="${row}"]`)]);
  const shapes = chooseShapes(elements.filter((element) => !field || (element.getAttribute("data-field") ?? field) === field));
  if (shapes.length === 0) return null;
  const box = joinBoxes(shapes.map(measureElement));
  return { row, field, box, center: findInnerPoint(shapes, box) };
}

/** Returns the drawn mark that a reference names, or null. @param {any} ref @param {Record<string, any>[]} records @returns {CanvasMark | null} */
export function findMark(ref, records) {
  const row = findRow(ref, records);
  return row === null ? null : measureMark(row, ref.field || null);
}

/** Returns the mark with the nearest box to a point, or null without marks. @param {Point} point @param {number} [maxDistance] in points @returns {CanvasMark | null} */
export function findNearestMark(point, maxDistance = Infinity) {
  const measure = (/** @type {CanvasMark} */ mark) => measureBoxDistance(mark.box, point) + Math.hypot(mark.center.x - point.x, mark.center.y - point.y) / 1000;
  const nearest = listMarks().map((mark) => ({ mark, distance: measure(mark) })).reduce((/** @type {{ mark: CanvasMark | null, distance: number }} */ best, entry) => (entry.distance < best.distance ? entry : best), { mark: null, distance: Infinity });
  return nearest.mark && measureBoxDistance(nearest.mark.box, point) <= maxDistance ? nearest.mark : null;
}

/** Returns the mark below the pointer, or null. @param {{ clientX: number, clientY: number }} event @returns {CanvasMark | null} */
export function findMarkAt({ clientX, clientY }) {
  separateAt(getImageRoot(), { clientX, clientY });
  const element = getImageRoot().elementsFromPoint(clientX, clientY).find((candidate) => candidate.hasAttribute("data-row"));
  if (!element) return null;
  const [row, field] = [Number(element.getAttribute("data-row")), element.getAttribute("data-field")];
  return measureMark(row, field) ?? measureMark(row, null);
}

/**
 * Returns the shapes of a note in the image, or null if it is not drawn.
 * @param {number} index
 * @returns {NoteShapes | null}
 */
export function measureNote(index) {
  const elements = [...getImageRoot().querySelectorAll(`[data-part="annotation"][data-field="${index}"]`)].map((element) => /** @type {SVGGraphicsElement} */ (element));
  if (elements.length === 0) return null;
  const texts = elements.filter((element) => element.localName === "text");
  const lines = elements.filter((element) => element.localName === "line").map(measureLine);
  const line = lines.sort((one, two) => measureLength(two) - measureLength(one))[0] ?? null;
  return { box: joinBoxes(elements.map(measureElement)), text: texts.length ? measureText(texts) : null, line, elements };
}

/** Returns the length of a line. @param {[Point, Point]} line */
const measureLength = ([from, to]) => Math.hypot(to.x - from.x, to.y - from.y);

/** Returns the ends of a line element in points of the document. @param {Element} element @returns {[Point, Point]} */
function measureLine(element) {
  const { width, height } = imageSize.peek();
  const read = (/** @type {number} */ end) => ({ x: (Number(element.getAttribute(`x${end}`)) * documentSize.width) / width, y: (Number(element.getAttribute(`y${end}`)) * documentSize.height) / height });
  return [read(1), read(2)];
}

/** Returns the box that the renderer gives to the lines of a text, which differs from that of the glyphs. @param {SVGGraphicsElement[]} texts @returns {Box} */
function measureText(texts) {
  const box = joinBoxes(texts.map(measureElement));
  const scale = documentSize.height / imageSize.peek().height;
  const size = Number(texts[0].getAttribute("font-size"));
  const y0 = (Number(texts[0].getAttribute("y")) - ((LINE_HEIGHT - 1) / 2 + ASCENT_EM) * size) * scale;
  return { ...box, y0, y1: y0 + texts.length * LINE_HEIGHT * size * scale };
}
