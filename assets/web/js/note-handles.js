// @ts-check
/** Handles of the selected note: ends of lines and of spans, corners of boxes, and the width of texts. */

import { createDragKey, followPointer, limitToFrames, readArrowStep, readBracketStep } from "./canvas-drag.js";
import { clampPoint, findMark, findMarkAt, findNearestMark, getPointsPerPixel, listMarks, readDocumentSize, readPointer } from "./canvas-geometry.js";
import { h } from "./core.js";
import { attachNote, createNote, describeMark, describePoint, getCanvasEnds, hasOffset, keepLook, moveCorner, setTextWidth } from "./note-model.js";
import { announce, positionAt, showPreview, showRing } from "./note-overlay.js";
import { getText } from "./texts.js";

/** Distance in pixels to a mark within which an end is attached to it. */
const SNAP_PIXELS = 8;

/** @typedef {import("./canvas-geometry.js").Point} Point */
/** @typedef {import("./canvas-geometry.js").Target} Target */
/** @typedef {import("./canvas-geometry.js").CanvasMark} CanvasMark */
/** @typedef {import("./note-model.js").Note} Note */

/**
 * A handle. `change` returns the note for another place of the handle. `walks` means that arrow keys go from mark to mark.
 * @typedef {{ id: string, label: string, point: Point, walks: boolean, mark: CanvasMark | null, change: (target: Target) => Note | null, preview: { shape: "line" | "box", fixed: Point } | null, mustBeMark: boolean }} Handle
 */

/** Returns the place of the pointer: its mark, or one nearby, or a point. Alt leaves marks alone. @param {PointerEvent} event @param {boolean} mustBeMark @returns {Target} */
export function readTarget(event, mustBeMark) {
  const point = readPointer(event);
  if (mustBeMark) return { point, mark: findMarkAt(event) ?? findNearestMark(point) };
  if (event.altKey) return { point, mark: null };
  return { point, mark: findMarkAt(event) ?? findNearestMark(point, SNAP_PIXELS * getPointsPerPixel()) };
}

/** Returns the mark before or after another one in the order of the data. @param {CanvasMark | null} mark @param {number} step */
export function stepMark(mark, step) {
  const all = listMarks();
  const index = all.findIndex((candidate) => mark !== null && candidate.row === mark.row && (mark.field === null || candidate.field === mark.field));
  if (all.length === 0) return null;
  return index < 0 ? all[step > 0 ? 0 : all.length - 1] : all[(index + step + all.length) % all.length];
}

/**
 * Returns the handles of a note.
 * @param {Note} note
 * @param {Record<string, any>[]} records
 * @param {import("./canvas-geometry.js").NoteShapes} shapes
 * @returns {Handle[]}
 */
export function listHandles(note, records, shapes) {
  const anchor = note.anchor ? findMark(note.anchor, records) : null;
  const to = note.to ? findMark(note.to, records) : null;
  if (note.anchor && !anchor) return [];
  const isLine = note.type === "line" || note.type === "arrow";
  if (note.type === "text") return [listWidthHandle(note, shapes)];
  if (!note.anchor && note.type === "rect") return listCorners(note);
  if (isLine && !(anchor && note.text && !to)) return listLineEnds(note, anchor, to, shapes);
  if (!anchor) return [];
  const attach = (/** @type {"anchor" | "to"} */ member) => (/** @type {Target} */ { mark }) => (mark ? attachNote(note, mark, member) : null);
  const create = (/** @type {string} */ id, /** @type {string} */ label, /** @type {"anchor" | "to"} */ member, /** @type {Point} */ point, /** @type {CanvasMark} */ mark) =>
    ({ id, label, point, walks: true, mark, mustBeMark: true, change: attach(member), preview: null });
  const handles = [create("start", hasOffset(note) ? getText("notes.handleMark") : getText("notes.handleStart"), "anchor", anchor.center, anchor)];
  // The end without a mark of its own is beside the first one, so that both can be taken.
  if (!isLine) handles.push(create("end", getText("notes.handleEnd"), "to", to?.center ?? { x: anchor.box.x1, y: anchor.box.y1 }, to ?? anchor));
  return handles;
}

/** Returns the handle for the width of a text. @param {Note} note @param {import("./canvas-geometry.js").NoteShapes} shapes @returns {Handle} */
function listWidthHandle(note, shapes) {
  const box = shapes.text ?? shapes.box;
  const change = (/** @type {Target} */ { point }) => setTextWidth(note, point.x - box.x0);
  return { id: "width", label: getText("common.width"), point: { x: box.x1 + 4, y: (box.y0 + box.y1) / 2 }, walks: false, mark: null, mustBeMark: false, change, preview: null };
}

/** Returns the handles at the corners of a box on the canvas. @param {Note} note @returns {Handle[]} */
function listCorners(note) {
  const [from, to] = getCanvasEnds(note);
  const corners = /** @type {const} */ ([
    ["nw", getText("notes.handleTopLeft"), from.x, from.y, to],
    ["ne", getText("notes.handleTopRight"), to.x, from.y, { x: from.x, y: to.y }],
    ["se", getText("notes.handleBottomRight"), to.x, to.y, from],
    ["sw", getText("notes.handleBottomLeft"), from.x, to.y, { x: to.x, y: from.y }],
  ]);
  return corners.map(([id, label, x, y, fixed]) => ({ id, label, point: { x, y }, walks: false, mark: null, mustBeMark: false, change: ({ point }) => moveCorner(note, id, point), preview: { shape: "box", fixed } }));
}

/** Returns the handles at both ends of a line or arrow. @param {Note} note @param {CanvasMark | null} anchor @param {CanvasMark | null} to @param {import("./canvas-geometry.js").NoteShapes} shapes @returns {Handle[]} */
function listLineEnds(note, anchor, to, shapes) {
  const [drawnStart, drawnEnd] = shapes.line ?? getCanvasEnds(note);
  /** @type {[Target, Target]} */
  let ends = [{ point: drawnStart, mark: null }, { point: drawnEnd, mark: null }];
  if (anchor && to) ends = [{ point: anchor.center, mark: anchor }, { point: to.center, mark: to }];
  // The line starts at its offset and ends at the mark.
  else if (anchor) ends = [{ point: note.offset ? clampPoint({ x: anchor.center.x + note.offset.x, y: anchor.center.y + note.offset.y }) : drawnStart, mark: null }, { point: anchor.center, mark: anchor }];
  else ends = /** @type {[Target, Target]} */ (getCanvasEnds(note).map((point) => ({ point, mark: null })));
  return ends.map((end, index) => {
    const other = ends[1 - index];
    const change = (/** @type {Target} */ target) => {
      const [start, finish] = index === 0 ? [target, other] : [other, target];
      const next = createNote(note.type === "arrow" ? "arrow" : "line", start, finish, readDocumentSize());
      return next && { ...next, ...keepLook(note) };
    };
    return { id: index === 0 ? "start" : "end", label: index === 0 ? getText("notes.handleStart") : getText("notes.handleEnd"), point: end.point, walks: false, mark: end.mark, mustBeMark: false, change, preview: { shape: "line", fixed: other.point } };
  });
}

/**
 * Creates the button of a handle.
 * @param {() => Handle | undefined} read returns the present handle
 * @param {number} index index of the note
 * @param {{ readRecords: () => Record<string, any>[], write: (note: Note, options: import("./document-store.js").ChangeOptions) => void, discard: (key: string) => void, onDrag: (isActive: boolean) => void }} tools
 */
export function createHandle(read, index, { readRecords, write, discard, onDrag }) {
  const handle = /** @type {Handle} */ (read());
  const label = getText("notes.handleName", { handle: handle.label, number: String(index + 1) });
  const element = h("button", { type: "button", class: `note-handle ${handle.id}`, "data-handle": handle.id, "aria-label": label, title: handle.mustBeMark ? getText("notes.handleAtMarkHint") : getText("notes.handleHint") });
  positionAt(element, handle.point);
  let point = handle.point;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    element.focus();
    const began = /** @type {Handle} */ (read());
    const mergeKey = createDragKey();
    const store = limitToFrames((/** @type {Note} */ note) => write(note, { label: getText("notes.resize"), mergeKey, mergeTime: Infinity }));
    const end = () => {
      showPreview(null);
      showRing(null);
      onDrag(false);
    };
    onDrag(true);
    followPointer(event, element, {
      onMove: (moved) => {
        const target = readTarget(moved, began.mustBeMark);
        const at = target.mark?.center ?? target.point;
        positionAt(element, began.id === "width" ? { x: target.point.x, y: began.point.y } : at);
        if (began.preview) showPreview(began.preview.shape, began.preview.fixed, at);
        showRing(began.id === "width" || (began.preview?.shape === "box") ? null : (target.mark?.box ?? null));
        const note = began.change(began.preview?.shape === "box" || began.id === "width" ? { ...target, mark: null } : target);
        if (note) store.call(note);
      },
      onEnd: () => {
        store.flush();
        end();
      },
      onCancel: () => {
        store.cancel();
        discard(mergeKey);
        positionAt(element, began.point);
        end();
      },
    });
  });
  element.addEventListener("keydown", (event) => {
    const current = read();
    if (!current) return;
    const step = readArrowStep(event);
    const walk = readBracketStep(event) || (current.walks && step ? Math.sign(step.x + step.y) : 0);
    if (!step && !walk) return;
    event.preventDefault();
    event.stopPropagation();
    const mark = walk && !["width", "nw", "ne", "se", "sw"].includes(current.id) ? stepMark(current.mark, walk) : null;
    if (walk && !mark) return;
    point = mark ? mark.center : clampPoint({ x: current.point.x + (step?.x ?? 0), y: current.point.y + (step?.y ?? 0) });
    const note = current.change({ point: current.id === "width" ? { ...point, x: point.x - 4 } : point, mark });
    if (!note) return;
    write(note, { label: getText("notes.resize"), mergeKey: `resize-${current.id}` });
    announce(getText("notes.handlePlace", { handle: current.label, place: mark ? describeMark(mark, readRecords()) : describePoint(point) }));
  });
  return element;
}

