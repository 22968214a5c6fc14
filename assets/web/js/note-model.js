// @ts-check
/** Notes of a chart as they are stored: new ones from the places that the user points at, moved, resized and attached to other marks. */

import { clampPoint, getBoxCenter, joinBoxes, roundTenth } from "./canvas-geometry.js";
import { formatDataValue, toInnerLabel } from "./label-format.js";
import { getText } from "./texts.js";

/** Types of notes with their names. */
export const NOTE_TYPES = {
  text: getText("notes.typeText"),
  arrow: getText("notes.typeArrow"),
  line: getText("notes.typeLine"),
  rect: getText("notes.typeBox"),
  span: getText("notes.typeSpan"),
  difference: getText("notes.typeDifference"),
};
/** Maximum number of notes that the renderer reads. */
export const MAX_NOTES = 100;
/** Text of a new note. */
const NEW_TEXT = getText("notes.newText");
/** Smallest distance in points between a mark and a text that is beside it. A smaller one centers the text. */
const MIN_OFFSET = 0.5;
/** Smallest width in points that a text can be given. */
const MIN_TEXT_WIDTH = 24;

/** @typedef {keyof typeof NOTE_TYPES} NoteType */
/** @typedef {import("./canvas-geometry.js").Point} Point */
/** @typedef {import("./canvas-geometry.js").Box} Box */
/** @typedef {import("./canvas-geometry.js").CanvasMark} CanvasMark */
/** @typedef {import("./canvas-geometry.js").Target} Target */
/** @typedef {Record<string, any>} Note */

/** Whether both ends of a type are marks. @param {string} type */
export const needsMarks = (type) => type === "span" || type === "difference";

/** Returns the reference to a mark. @param {CanvasMark} mark */
export const createMarkRef = ({ row, field }) => ({ row, ...(field === null ? {} : { field }) });

/** Whether two targets are the same mark. @param {CanvasMark | null} one @param {CanvasMark | null} two */
export const isSameMark = (one, two) => one !== null && two !== null && one.row === two.row && one.field === two.field;

/**
 * Returns a note from its start to its end, or null if the type needs another place.
 * @param {NoteType} type
 * @param {Target} start
 * @param {Target | null} end null if the user pointed at one place only
 * @param {{ width: number, height: number }} size size of the document in points
 * @returns {Note | null}
 */
export function createNote(type, start, end, size) {
  const hasTwoMarks = start.mark !== null && end !== null && end.mark !== null && !isSameMark(start.mark, end.mark);
  const to = hasTwoMarks && end?.mark ? { to: createMarkRef(end.mark) } : {};
  if (type === "difference") return start.mark && hasTwoMarks ? { type, text: "", anchor: createMarkRef(start.mark), ...to } : null;
  if (type === "span") return start.mark ? { type, text: "", anchor: createMarkRef(start.mark), ...to } : null;
  if (type === "text") {
    if (start.mark) return { type, text: NEW_TEXT, anchor: createMarkRef(start.mark) };
    const width = end ? Math.abs(end.point.x - start.point.x) : 0;
    const x = end && width >= MIN_TEXT_WIDTH ? Math.min(end.point.x, start.point.x) : start.point.x;
    return { type, text: NEW_TEXT, position: { x, y: start.point.y }, ...(width >= MIN_TEXT_WIDTH ? { size: { width: roundTenth(width), height: 0 } } : {}) };
  }
  if (!end) return createSingle(type, start, size);
  if (type === "rect") return start.mark && end.mark ? { type, text: "", anchor: createMarkRef(start.mark), ...to } : createCanvasNote(type, start.point, end.point);
  if (hasTwoMarks && start.mark) return { type, text: "", anchor: createMarkRef(start.mark), ...to };
  if (end.mark && !start.mark) return { type, text: "", anchor: createMarkRef(end.mark), offset: subtract(start.point, end.mark.center) };
  // The head of an arrow is at its mark, so that an arrow away from a mark has no mark.
  if (start.mark && type === "line") return { type, text: "", anchor: createMarkRef(start.mark), offset: subtract(end.point, start.mark.center) };
  return createCanvasNote(type, start.point, end.point);
}

/** Returns a note for a single place: at a mark, or with a common size. @param {"arrow" | "line" | "rect"} type @param {Target} place @param {{ width: number, height: number }} size @returns {Note} */
function createSingle(type, { point, mark }, { width, height }) {
  if (mark) return { type, text: type === "rect" ? "" : NEW_TEXT, anchor: createMarkRef(mark) };
  const [noteWidth, noteHeight] = [roundTenth(width * 0.15), roundTenth(height * 0.12)];
  const from = { x: Math.min(point.x, width - noteWidth), y: Math.min(point.y, height - noteHeight) };
  return createCanvasNote(type, from, { x: from.x + noteWidth, y: from.y + noteHeight });
}

/** Returns a note between two points of the canvas. @param {string} type @param {Point} from @param {Point} to @returns {Note} */
function createCanvasNote(type, from, to) {
  const [start, end] = type === "rect" ? [{ x: Math.min(from.x, to.x), y: Math.min(from.y, to.y) }, { x: Math.max(from.x, to.x), y: Math.max(from.y, to.y) }] : [from, to];
  return { type, text: "", position: start, size: { width: roundTenth(end.x - start.x), height: roundTenth(end.y - start.y) } };
}

/** @param {Point} one @param {Point} two @returns {Point} */
const subtract = (one, two) => ({ x: roundTenth(one.x - two.x), y: roundTenth(one.y - two.y) });

/** Returns the text and the color of a note, for another form of it. @param {Note} note */
export const keepLook = (note) => ({ text: note.text ?? "", ...(note.color ? { color: note.color } : {}) });

/** Whether a note is moved by its offset to its mark: texts, and lines and arrows from a text to one mark. @param {Note} note */
export const hasOffset = (note) => Boolean(note.anchor) && (note.type === "text" || (note.type === "rect" && Boolean(note.text)) || ((note.type === "arrow" || note.type === "line") && !note.to));

/** Returns the offset on one axis for a text from `low` to `high` at the distance 0 of its mark. @param {number} low @param {number} high */
function fitOffset(low, high) {
  if (low >= MIN_OFFSET) return low;
  if (high <= -MIN_OFFSET) return high;
  // The renderer knows three places: beside the middle of the mark on either side, and around it.
  const places = [{ offset: 0, shift: Math.abs(low + high) / 2 }, { offset: MIN_OFFSET, shift: Math.abs(low) }, { offset: -MIN_OFFSET, shift: Math.abs(high) }];
  return places.reduce((best, place) => (place.shift < best.shift ? place : best)).offset;
}

/**
 * Returns the offset of a text from its mark for a box near it, and the box that the renderer uses then.
 * @param {Box} box
 * @param {Point} center middle of the mark
 * @returns {{ offset: Point, box: Box }}
 */
export function fitTextBox(box, center) {
  const [width, height] = [box.x1 - box.x0, box.y1 - box.y0];
  const isPoint = width === 0 && height === 0;
  const offset = isPoint ? subtract({ x: box.x0, y: box.y0 }, center) : { x: roundTenth(fitOffset(box.x0 - center.x, box.x1 - center.x)), y: roundTenth(fitOffset(box.y0 - center.y, box.y1 - center.y)) };
  const sign = (/** @type {number} */ value) => (Math.abs(value) < MIN_OFFSET ? 0 : Math.sign(value));
  const x0 = center.x + offset.x + ((sign(offset.x) - 1) / 2) * width;
  const y0 = center.y + offset.y + ((sign(offset.y) - 1) / 2) * height;
  return { offset, box: { x0, y0, x1: x0 + width, y1: y0 + height } };
}

/** Returns a note on the canvas moved by a distance, within the canvas. @param {Note} note @param {Box} box of its shapes @param {Point} delta @param {{ width: number, height: number }} size */
export function moveOnCanvas(note, box, delta, size) {
  const limit = (/** @type {number} */ step, /** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ length) => Math.max(Math.min(0, -low), Math.min(Math.max(0, length - high), step));
  const moved = { x: limit(delta.x, box.x0, box.x1, size.width), y: limit(delta.y, box.y0, box.y1, size.height) };
  const position = { x: roundTenth((note.position?.x ?? 0) + moved.x), y: roundTenth((note.position?.y ?? 0) + moved.y) };
  return { note: { ...note, position }, delta: moved };
}

/** Returns the start and the end of a note between two points. @param {Note} note @returns {[Point, Point]} */
export function getCanvasEnds(note) {
  const { x = 0, y = 0 } = note.position ?? {};
  return [{ x, y }, { x: x + (note.size?.width ?? 0), y: y + (note.size?.height ?? 0) }];
}

/** Returns a canvas box with one corner at another point. @param {Note} note @param {"nw" | "ne" | "se" | "sw"} corner @param {Point} point @returns {Note} */
export function moveCorner(note, corner, point) {
  const [from, to] = getCanvasEnds(note);
  const next = clampPoint(point);
  const [one, two] = [{ x: corner.endsWith("w") ? next.x : from.x, y: corner.startsWith("n") ? next.y : from.y }, { x: corner.endsWith("e") ? next.x : to.x, y: corner.startsWith("s") ? next.y : to.y }];
  return { ...createCanvasNote("rect", one, two), ...keepLook(note) };
}

/** Returns a note with another maximum width of its text. @param {Note} note @param {number} width in points */
export const setTextWidth = (note, width) => ({ ...note, size: { height: 0, ...note.size, width: Math.max(MIN_TEXT_WIDTH, roundTenth(width)) } });

/** Returns the middle that the offset of a note refers to. @param {Note} note @param {CanvasMark} mark @param {CanvasMark | null} other @returns {Point} */
export const getOffsetOrigin = (note, mark, other) => (note.type === "rect" ? getBoxCenter(other ? joinBoxes([mark.box, other.box]) : mark.box) : mark.center);

/** Returns a note at another mark. Its text is placed again. @param {Note} note @param {CanvasMark} mark @param {"anchor" | "to"} [member] @returns {Note} */
export function attachNote(note, mark, member = "anchor") {
  const { offset: _, position: __, ...rest } = note;
  const next = { ...rest, [member]: createMarkRef(mark) };
  const isSame = next.to && next.to.row === next.anchor?.row && next.to.field === next.anchor?.field;
  if (!isSame || note.type === "difference") return next;
  const { to: ___, ...single } = next;
  return single;
}

/** Describes a note for its buttons. @param {Note} note @param {number} index */
export function describeNote(note, index) {
  const text = String(note.text ?? "").trim();
  const values = { number: String(index + 1), type: toInnerLabel(NOTE_TYPES[/** @type {NoteType} */ (note.type)] ?? note.type) };
  return text ? getText("notes.nameWithText", { ...values, text: text.length > 60 ? `${text.slice(0, 60)}…` : text }) : getText("notes.name", values);
}

/** Describes a mark for announcements. @param {CanvasMark} mark @param {Record<string, any>[]} records */
export function describeMark({ row, field }, records) {
  const name = Object.values(records[row] ?? {}).find((value) => typeof value === "string" && value.trim());
  const value = field === null ? undefined : records[row]?.[field];
  return `${name ?? getText("canvas.row", { number: String(row + 1) })}${field === null ? "" : `, ${field}`}${value === undefined || value === null ? "" : ` ${formatDataValue(value)}`}`;
}

/** Describes a point for announcements. @param {Point} point */
export const describePoint = ({ x, y }) => getText("canvas.point", { x: String(Math.round(x)), y: String(Math.round(y)) });
