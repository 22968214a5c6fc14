// @ts-check
/** Notes on the canvas of the editor: select, move, resize, edit, color and remove them with the pointer or with keys. */

import { createDragKey, followPointer, isDragging, limitToFrames, readArrowStep, readBracketStep } from "./canvas-drag.js";
import { findMark, findMarkAt, findNearestMark, getDocumentSize, getPointsPerPixel, measureBoxDistance, measureLineDistance, measureNote, readDocumentSize, readPointer, roundTenth, setDocumentSize } from "./canvas-geometry.js";
import { getImageRoot, onImage } from "./chart-image.js";
import { batch, createScope, effect, h, syncKeyedList } from "./core.js";
import { placedType, selectedNote } from "./editor-canvas.js";
import { getEditor } from "./editor-state.js";
import { followRecord, isEqualJson, mergeJson } from "./json-merge.js";
import { createNoteBar, positionBar } from "./note-bar.js";
import { createHandle, listHandles, stepMark } from "./note-handles.js";
import { attachNote, describeMark, describeNote, fitTextBox, getCanvasEnds, getOffsetOrigin, hasOffset, MAX_NOTES, moveOnCanvas } from "./note-model.js";
import { addLayer, announce, hasGhost, hideGhost, hideGhostOriginals, layer, moveGhost, positionAt, positionOver, showGhost, showOutline, showRing, updateLayerSize } from "./note-overlay.js";
import { startNotePlacing } from "./note-placing.js";
import { editNoteText } from "./note-text.js";
import { followNotes, trackNote } from "./note-tracking.js";
import { getText } from "./texts.js";
import { findElement, showToast } from "./ui.js";

/** @typedef {import("./canvas-geometry.js").Point} Point */
/** @typedef {import("./canvas-geometry.js").Box} Box */
/** @typedef {import("./canvas-geometry.js").NoteShapes} NoteShapes */
/** @typedef {import("./note-model.js").Note} Note */

/** Distances in pixels within which a press hits the line of a note: over a mark, beside marks, and with a finger. */
const [MARK_TOLERANCE, TOLERANCE, TOUCH_TOLERANCE] = [3, 6, 14];
/** Time in milliseconds in which two presses are a double press. */
const DOUBLE_PRESS_MS = 500;
/** Size in points of a note on the canvas that the image does not show. */
const FALLBACK_SIZE = { width: 80, height: 20 };

const canvas = findElement("#canvas");

/** Returns the notes of a style. The API accepts any values in the list. @param {Record<string, any> | null} style @returns {Note[]} */
const listNotes = (style) => (style?.annotations ?? []).map((/** @type {unknown} */ note) => (note && typeof note === "object" ? note : {}));
/** Returns the notes of the edited document. @returns {Note[]} */
export const readNotes = () => listNotes(getEditor().store.content.value.style);
/** Returns the notes without a subscription. @returns {Note[]} */
export const peekNotes = () => listNotes(getEditor().store.content.peek().style);
const readRecords = () => getEditor().store.content.peek().data;

/** The list of notes in which the selected note and the tracked ones have their places. @type {Note[]} */
let placedNotes = [];

/** Stores the list of notes. The selected note and the tracked ones keep their numbers. @param {Note[]} notes @param {import("./document-store.js").ChangeOptions} options */
export const writeNotes = (notes, options) =>
  batch(() => {
    const step = getEditor().store.setValue(["style", "annotations"], notes.length ? notes : undefined, options);
    placedNotes = peekNotes();
    return step;
  });

/** Moves the selection and the tracked notes to their places after changes of others, undo and redo. @param {Note[]} notes */
function followChanges(notes) {
  const before = placedNotes;
  placedNotes = notes;
  if (isEqualJson(before, notes)) return;
  followNotes(before, notes);
  const selected = selectedNote.peek();
  if (selected !== null && selected < before.length) selectedNote.value = followRecord(before, notes, selected);
}

/** Stores one note. @param {number} index @param {Note} note @param {import("./document-store.js").ChangeOptions} options */
export const writeNote = (index, note, options) => writeNotes(peekNotes().with(index, note), options);

/** Returns a note with the changes from `before` to `after`, which keep changes of others since `before`. @param {Note} before @param {Note} after @param {number} index @returns {Note} */
const addChanges = (before, after, index) => mergeJson(before, after, peekNotes()[index]).merged;

/** Removes a note, with an offer to take that back. @param {number} index */
export function removeNote(index) {
  if (selectedNote.peek() === index) selectedNote.value = null;
  else if ((selectedNote.peek() ?? -1) > index) selectedNote.value = (selectedNote.peek() ?? 0) - 1;
  const hadFocus = layer.contains(document.activeElement);
  const step = writeNotes(peekNotes().toSpliced(index, 1), { label: getText("notes.remove") });
  showToast(getText("notes.removed"), { action: { label: getText("common.undo"), ...getEditor().store.offerUndo(step) } });
  if (hadFocus) (findButton(Math.min(index, peekNotes().length - 1)) ?? canvas).focus();
}

/** Returns the button of a note. @param {number} index @returns {HTMLElement | null} */
const findButton = (index) => layer.querySelector(`.note-button[data-index="${index}"]`);

/** Returns the shapes of a note: as drawn, or for a note that the image does not tag, by its position. @param {number} index @returns {NoteShapes | null} */
function measureOrGuess(index) {
  const drawn = measureNote(index);
  const note = peekNotes()[index];
  if (drawn || !note?.position || note.anchor) return drawn;
  const [from, to] = getCanvasEnds(note);
  const end = note.type === "text" ? { x: from.x + (note.size?.width || FALLBACK_SIZE.width), y: from.y + FALLBACK_SIZE.height } : to;
  return { box: { x0: Math.min(from.x, end.x), y0: Math.min(from.y, end.y), x1: Math.max(from.x, end.x), y1: Math.max(from.y, end.y) }, text: null, line: note.type === "rect" ? null : [from, end], elements: [] };
}

/** Runs a function when the image shows the present content. @param {() => void} callback */
function whenDrawn(callback) {
  let isDone = false;
  const dispose = effect(() => {
    if (isDone || getEditor().image.isOutdated.value) return;
    isDone = true;
    queueMicrotask(() => {
      dispose();
      callback();
    });
  });
}

/** Returns the note below the pointer, or null. @param {PointerEvent | MouseEvent} event @returns {number | null} */
function findNoteAt(event) {
  const target = /** @type {Element} */ (event.composedPath()[0]);
  const direct = target.closest?.('[data-part="annotation"]')?.getAttribute("data-field");
  if (direct) return Number(direct);
  const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
  const isOnMark = target.hasAttribute?.("data-row") || target.hasAttribute?.("data-rows") || target.hasAttribute?.("data-part");
  const tolerance = (isOnMark ? MARK_TOLERANCE : isTouch ? TOUCH_TOLERANCE : TOLERANCE) * getPointsPerPixel();
  const point = readPointer(event);
  const index = peekNotes().findLastIndex((note, candidate) => {
    const shapes = measureOrGuess(candidate);
    if (!shapes || measureBoxDistance(shapes.box, point) > tolerance) return false;
    if (shapes.text && measureBoxDistance(shapes.text, point) === 0) return true;
    if (shapes.line) return measureLineDistance(shapes.line, point) <= tolerance;
    if (note.type !== "rect") return note.type === "text" && !isOnMark;
    const { x0, y0, x1, y1 } = shapes.box;
    const inner = { x0: x0 + tolerance, y0: y0 + tolerance, x1: x1 - tolerance, y1: y1 - tolerance };
    return measureBoxDistance(inner, point) > 0 || inner.x0 > inner.x1 || inner.y0 > inner.y1;
  });
  return index < 0 ? null : index;
}

/** Returns the note one or more rows further, with both marks; null if there are no marks. @param {Note} note @param {number} step */
function shiftRows(note, step) {
  const shift = (/** @type {any} */ ref) => ref && { ...ref, row: (findMark(ref, readRecords())?.row ?? 0) + step };
  const next = { ...note, anchor: shift(note.anchor), ...(note.to ? { to: shift(note.to) } : {}) };
  const isDrawn = (/** @type {any} */ ref) => !ref || (ref.row >= 0 && findMark(ref, readRecords()));
  return isDrawn(next.anchor) && isDrawn(next.to) ? next : null;
}

/** Returns the box that an offset moves: the text, or the start of a line without one. @param {Note} note @param {NoteShapes} shapes @returns {Box} */
function getMovedBox(note, shapes) {
  if (shapes.text) return shapes.text;
  const { x, y } = shapes.line?.[0] ?? { x: shapes.box.x0, y: shapes.box.y0 };
  return { x0: x, y0: y, x1: x, y1: y };
}

/** Returns the box of the outline: for a text that of its lines, without the line to its mark. @param {Note} note @param {NoteShapes} shapes */
const getMainBox = (note, shapes) => (note.type === "text" && shapes.text ? shapes.text : shapes.box);

/** Returns a box at a distance. @param {Box} box @param {Point} delta @returns {Box} */
const shiftBox = (box, { x, y }) => ({ x0: box.x0 + x, y0: box.y0 + y, x1: box.x1 + x, y1: box.y1 + y });

/** Returns the point that the offset of a note refers to, or null without an offset or its mark. @param {Note} note */
function findOffsetOrigin(note) {
  const mark = note.anchor && hasOffset(note) ? findMark(note.anchor, readRecords()) : null;
  return mark && getOffsetOrigin(note, mark, note.to ? findMark(note.to, readRecords()) : null);
}

/**
 * Returns a note moved by a distance, and the distance that it really moves; null if it has no place of its own.
 * @param {Note} note @param {NoteShapes} shapes @param {Point} delta @param {Point | null} [origin] known origin of its offset
 */
function moveFreely(note, shapes, delta, origin = findOffsetOrigin(note)) {
  if (!note.anchor) return moveOnCanvas(note, shapes.box, delta, readDocumentSize());
  if (!origin) return null;
  const box = getMovedBox(note, shapes);
  const fitted = fitTextBox(shiftBox(box, delta), origin);
  return { note: { ...note, offset: fitted.offset }, delta: { x: fitted.box.x0 - box.x0, y: fitted.box.y0 - box.y0 } };
}

/** Moves a note by keys: by a distance, or to other marks if it has no place of its own. @param {number} index @param {Point} delta in points */
export function moveNote(index, delta) {
  const note = peekNotes()[index];
  const shapes = measureOrGuess(index);
  if (!note || !shapes) return;
  // A stored offset is newer than the image while keys are fast, and exact if another text takes the place.
  const offset = note.anchor && note.offset && hasOffset(note) ? { x: roundTenth(note.offset.x + delta.x), y: roundTenth(note.offset.y + delta.y) } : null;
  const moved = offset ? { ...note, offset } : moveFreely(note, shapes, delta)?.note;
  const next = moved ?? shiftRows(note, Math.sign(delta.x + delta.y));
  if (!next) return announce(getText("notes.noFurtherMark"));
  writeNote(index, next, { label: getText("notes.move"), mergeKey: `move-note-${index}` });
}

/** Attaches a note to the next or previous mark. @param {number} index @param {number} step */
function walkNote(index, step) {
  const note = peekNotes()[index];
  const current = note.anchor ? findMark(note.anchor, readRecords()) : null;
  const isFree = !note.anchor || hasOffset(note);
  const mark = stepMark(current, step);
  const { size: _, ...withoutSize } = note;
  const next = isFree ? mark && attachNote(note.type === "text" || note.anchor ? note : withoutSize, mark) : shiftRows(note, step);
  if (!next) return announce(getText("notes.noFurtherMark"));
  writeNote(index, next, { label: getText("notes.move"), mergeKey: `move-note-${index}` });
  const at = findMark(next.anchor, readRecords());
  if (at) announce(getText("notes.attached", { mark: describeMark(at, readRecords()) }));
}

/** Drags a note. A double press without a drag edits its text. @param {number} index @param {PointerEvent} event `pointerdown` @param {boolean} isDouble */
function dragNote(index, event, isDouble) {
  const note = peekNotes()[index];
  const shapes = measureOrGuess(index);
  if (!note || !shapes) return;
  const mergeKey = createDragKey();
  const place = trackNote(index);
  // A note that somebody else removes meanwhile stays removed.
  let written = note;
  const write = (/** @type {Note} */ next) => {
    if (place.index === null) return;
    writeNote(place.index, addChanges(written, next, place.index), { label: getText("notes.move"), mergeKey, mergeTime: Infinity });
    written = next;
  };
  const store = limitToFrames(write);
  const began = readPointer(event);
  const firstMark = findNearestMark(began);
  const ownMark = note.anchor ? findMark(note.anchor, readRecords()) : null;
  const origin = findOffsetOrigin(note);
  const texts = shapes.elements.filter((element) => element.localName === "text");
  const findOther = (/** @type {PointerEvent} */ moved) => {
    const mark = note.anchor && hasOffset(note) && !moved.altKey ? findMarkAt(moved) : null;
    return mark && mark.row !== ownMark?.row ? mark : null;
  };
  followPointer(event, canvas, {
    onMove: (moved) => {
      const point = readPointer(moved);
      const delta = { x: point.x - began.x, y: point.y - began.y };
      const free = moveFreely(note, shapes, delta, origin);
      if (!free) {
        const mark = findNearestMark(point);
        showRing(mark?.box ?? null);
        const next = mark && firstMark && shiftRows(note, mark.row - firstMark.row);
        if (next) store.call(next);
        return;
      }
      if (!hasGhost()) {
        showGhost(index, note.anchor ? texts : shapes.elements);
        controls.classList.add("dragged");
      }
      moveGhost(free.delta);
      showOutline(note.anchor ? getMovedBox(note, shapes) : getMainBox(note, shapes), free.delta);
      showRing(findOther(moved)?.box ?? null);
      store.call(free.note);
    },
    onEnd: (released, wasDragged) => {
      store.flush();
      const mark = wasDragged ? findOther(released) : null;
      if (mark) write(attachNote(note, mark));
      place.release();
      finishDrag();
      if (isDouble && !wasDragged && place.index !== null) editText(place.index);
    },
    onCancel: () => {
      store.cancel();
      place.release();
      getEditor().store.discardStep(mergeKey);
      announce(getText("notes.dragCanceled"));
      finishDrag();
    },
  });
}

/** Ends a drag: the copy stays until the image shows the new place. */
function finishDrag() {
  showRing(null);
  whenDrawn(() => {
    if (isDragging.peek()) return;
    hideGhost();
    controls.classList.remove("dragged");
    updateNotes();
  });
}

/** Handles and buttons of the selected note. They follow its own button in the order of the focus. */
const controls = h("div", { class: "note-controls" });
const handleList = h("div", { class: "note-handles" });
/** @type {import("./note-handles.js").Handle[]} */
let handles = [];
/** @type {HTMLElement | null} */
let bar = null;
let handleKey = "";
/** The note of the handles. @type {ReturnType<typeof trackNote> | null} */
let handlePlace = null;
/** The note as the handles know it, with their last change. @type {Note} */
let handledNote = {};

/** Shows the handles of the selected note. @param {number} index @param {Note} note @param {NoteShapes} shapes */
function updateHandles(index, note, shapes) {
  handles = listHandles(note, readRecords(), shapes);
  handledNote = note;
  const key = JSON.stringify([index, handles.map(({ id }) => id)]);
  if (key !== handleKey) {
    handleKey = key;
    handlePlace?.release();
    const place = trackNote(index);
    handlePlace = place;
    const tools = {
      readRecords,
      write: (/** @type {Note} */ next, /** @type {import("./document-store.js").ChangeOptions} */ options) => {
        if (place.index === null) return;
        const changed = addChanges(handledNote, next, place.index);
        handledNote = next;
        writeNote(place.index, changed, options);
      },
      discard: (/** @type {string} */ mergeKey) => getEditor().store.discardStep(mergeKey),
      onDrag: (/** @type {boolean} */ isActive) => {
        controls.classList.toggle("resized", isActive);
        if (isActive) showOutline(null);
        else whenDrawn(updateNotes);
      },
    };
    handleList.replaceChildren(...handles.map(({ id }) => createHandle(() => handles.find((handle) => handle.id === id), index, tools)));
  }
  handles.forEach(({ point }, position) => positionAt(/** @type {HTMLElement} */ (handleList.children[position]), point));
}

/** Moves the controls of all notes to the places in the image. */
function updateNotes() {
  if (isDragging.peek()) return;
  const { store } = getEditor();
  setDocumentSize(getDocumentSize(store.content.peek().style));
  updateLayerSize();
  const notes = peekNotes();
  notes.forEach((each, index) => {
    const button = findButton(index);
    const shapes = measureOrGuess(index);
    if (!button) return;
    button.hidden = !shapes;
    if (shapes) positionOver(button, getMainBox(each, shapes));
  });
  const index = selectedNote.peek();
  const note = index === null ? undefined : notes[index];
  const shapes = index === null ? null : measureOrGuess(index);
  controls.hidden = !note || !shapes;
  if (index === null || !note || !shapes || placedType.peek()) {
    showOutline(null);
    handleKey = "";
    handleList.replaceChildren();
    if (!note) controls.remove();
    return;
  }
  if (!hasGhost()) showOutline(getMainBox(note, shapes));
  const item = findButton(index)?.parentElement;
  if (item && controls.parentElement !== item) item.append(controls);
  updateHandles(index, note, shapes);
  // The bar stays, although the effect that calls this function runs again.
  bar ??= createScope(() => createNoteBar({ onEdit: () => editText(selectedNote.peek() ?? 0), onRemove: () => removeNote(selectedNote.peek() ?? 0) }))[0];
  if (!bar.isConnected || bar.parentElement !== controls) controls.replaceChildren(handleList, bar);
  positionBar(bar, getMainBox(note, shapes), [...handleList.children]);
}

/** Opens the field for the text of a note. @param {number} index */
export function editText(index) {
  const note = peekNotes()[index];
  const shapes = measureOrGuess(index);
  if (!note || !shapes) return;
  const place = trackNote(index);
  editNoteText(shapes.text ?? shapes.box, note, {
    write: (text, options) => {
      // A text that is typed into a note that somebody else removes is not lost.
      if (place.index === null) writeNotes([...peekNotes(), { ...note, text }], options);
      else writeNote(place.index, { ...peekNotes()[place.index], text }, options);
      place.index ??= peekNotes().length - 1;
    },
    discard: (key) => getEditor().store.discardStep(key),
    onEnd: (text, key, isByKey) => {
      place.release();
      if (place.index === null) return;
      // A text note without a text could not be seen.
      if (!text.trim() && note.type === "text") {
        selectedNote.value = null;
        writeNotes(peekNotes().toSpliced(place.index, 1), { label: getText("notes.remove"), mergeKey: key, mergeTime: Infinity });
      } else if (isByKey) findButton(place.index)?.focus({ preventScroll: true });
    },
  });
}

/** Selects a note. @param {number} index */
function selectNote(index) {
  selectedNote.value = index;
  findButton(index)?.focus({ preventScroll: true });
}

/** Handles a key on the button of a note. @param {KeyboardEvent} event @param {number} index */
function handleKeyOnNote(event, index) {
  const step = readArrowStep(event);
  const walk = readBracketStep(event);
  if (step) moveNote(index, step);
  else if (walk) walkNote(index, walk);
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === "Enter" || event.key === "F2") editText(index);
  else if (event.key === "Delete" || event.key === "Backspace") removeNote(index);
  else if (event.key === "Escape" && selectedNote.peek() !== null) selectedNote.value = null;
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Creates the button of a note, which is above its shapes and lets the pointer through. @param {number} index */
function createNoteButton(index) {
  const describe = () => (readNotes()[index] ? describeNote(readNotes()[index], index) : "");
  const button = h("button", { type: "button", class: "note-button", "data-index": index, "aria-label": describe, "aria-pressed": () => selectedNote.value === index, "aria-description": getText("notes.keys") });
  button.addEventListener("focus", () => button.matches(":focus-visible") && (selectedNote.value = index));
  button.addEventListener("keydown", (event) => handleKeyOnNote(event, index));
  // Screen readers press buttons without keys and without a place.
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    if (event.detail === 0) selectedNote.value = index;
  });
  return h("li", { class: "note-item" }, button);
}

/** Adds a note, and selects it. @param {Note} note */
function addNote(note) {
  if (peekNotes().length >= MAX_NOTES) return showToast(getText("notes.tooMany", { count: MAX_NOTES }), { isError: true });
  writeNotes([...peekNotes(), note], { label: getText("notes.add") });
  const index = peekNotes().length - 1;
  announce(getText("notes.added", { note: describeNote(note, index) }));
  whenDrawn(() => {
    updateNotes();
    selectNote(index);
    if (note.type === "text") editText(index);
  });
}

/** Listens to the pointer on the image. */
function addPointerListeners() {
  let wasNotePressed = false;
  /** Last press on a note, to recognize a double press. The browser misses one if the image is replaced meanwhile. */
  let lastPress = { index: -1, time: 0 };
  const isImage = (/** @type {Event} */ event) => getImageRoot().contains(/** @type {Node} */ (event.composedPath()[0]));
  canvas.addEventListener("pointerdown", (event) => {
    wasNotePressed = placedType.peek() !== null;
    const isBusy = event.button !== 0 || wasNotePressed || canvas.classList.contains("placing") || canvas.closest(".panning") || document.querySelector("#preview");
    if (isBusy || !isImage(event)) return;
    const index = findNoteAt(event);
    if (index === null) return;
    wasNotePressed = true;
    event.preventDefault();
    selectNote(index);
    const isDouble = lastPress.index === index && event.timeStamp - lastPress.time < DOUBLE_PRESS_MS;
    lastPress = { index: isDouble ? -1 : index, time: event.timeStamp };
    dragNote(index, event, isDouble);
  }, true);
  canvas.addEventListener("click", (event) => {
    if (wasNotePressed) event.stopPropagation();
    else if (isImage(event) || event.target === canvas) selectedNote.value = null;
  }, true);
}

/** Starts the notes on the canvas. The editor must be set. */
export function startNotes() {
  canvas.tabIndex = -1;
  addLayer();
  const list = h("ul", { class: "note-items", "aria-label": getText("notes.list") });
  layer.prepend(list);
  syncKeyedList(list, () => readNotes().map((_, index) => index), (index) => index, (entry) => createNoteButton(entry.peek()));
  addPointerListeners();
  new ResizeObserver(updateNotes).observe(canvas);
  startNotePlacing({ readRecords, onPlace: addNote });
  onImage(() => {
    hideGhostOriginals();
    updateNotes();
  });
  placedNotes = peekNotes();
  effect(() => {
    const notes = readNotes();
    followChanges(notes);
    const count = notes.length;
    if ((selectedNote.value ?? -1) >= count) selectedNote.value = null;
    list.hidden = count === 0;
    // Both change the controls.
    placedType.value;
    updateNotes();
  });
}
