// @ts-check
/** Placing of a new note: by a click or a drag on the image, or by keys. */

import { followPointer, readArrowStep, readBracketStep } from "./canvas-drag.js";
import { clampPoint, findNearestMark, listMarks, readDocumentSize } from "./canvas-geometry.js";
import { effect, h } from "./core.js";
import { placedType, selectedNote, selectedRow } from "./editor-canvas.js";
import { readTarget, stepMark } from "./note-handles.js";
import { createNote, describeMark, describePoint, isSameMark, needsMarks, NOTE_TYPES } from "./note-model.js";
import { announce, layer, positionAt, showPreview, showRing } from "./note-overlay.js";
import { getText } from "./texts.js";
import { createButton, findElement, showToast } from "./ui.js";

/** @typedef {import("./canvas-geometry.js").Target} Target */
/** @typedef {import("./note-model.js").NoteType} NoteType */

const canvas = findElement("#canvas");

/** Instructions by type, for the pointer. */
const POINTER_HINTS = {
  text: getText("notes.placeText"),
  arrow: getText("notes.placeArrow"),
  line: getText("notes.placeLine"),
  rect: getText("notes.placeBox"),
  span: getText("notes.placeSpan"),
  difference: getText("notes.placeDifference"),
};
/** Instructions for keys. */
const KEY_HINT = getText("notes.placeKeys");

/**
 * Starts to watch for a type that is to be placed.
 * @param {{ readRecords: () => Record<string, any>[], onPlace: (note: import("./note-model.js").Note) => void }} options
 */
export function startNotePlacing({ readRecords, onPlace }) {
  effect(() => {
    const type = placedType.value;
    if (!type) return;
    if (needsMarks(type) && listMarks().length < (type === "difference" ? 2 : 1)) {
      showToast(getText("notes.placeWithoutMarks"), { isError: true });
      placedType.value = null;
      return;
    }
    return place(type, readRecords, onPlace);
  });
}

/** Returns the first place for the keyboard: the selected mark, or the middle. @param {boolean} mustBeMark @returns {Target} */
function chooseFirstTarget(mustBeMark) {
  const { width, height } = readDocumentSize();
  const middle = { x: width / 2, y: height / 2 };
  const selected = selectedRow.peek() === null ? null : (listMarks().find(({ row }) => row === selectedRow.peek()) ?? null);
  const mark = selected ?? (mustBeMark ? findNearestMark(middle) : null);
  return { point: mark?.center ?? middle, mark };
}

/**
 * Lets the user place a note. Returns a function that ends the mode.
 * @param {NoteType} type
 * @param {() => Record<string, any>[]} readRecords
 * @param {(note: import("./note-model.js").Note) => void} onPlace
 */
function place(type, readRecords, onPlace) {
  const previousFocus = document.activeElement;
  const mustBeMark = needsMarks(type);
  const name = NOTE_TYPES[type];
  const aborter = new AbortController();
  let cursor = chooseFirstTarget(mustBeMark);
  /** @type {Target | null} The place of the start, while the end is still to be chosen. */
  let start = null;
  const cursorButton = h("button", { type: "button", class: "note-cursor", "data-type": type }, h("span", { "aria-hidden": true }, name));
  const hintText = h("span", null, POINTER_HINTS[type]);
  const hint = h("div", { class: "stage-hint note-hint", role: "group", "aria-label": getText("notes.placeType", { type: name }) }, h("b", null, name), hintText, h("span", { class: "note-keys" }, KEY_HINT), createButton(getText("common.cancel"), { kind: "quiet", onclick: () => cancel() }));

  const describe = (/** @type {Target} */ { point, mark }) => (mark ? describeMark(mark, readRecords()) : describePoint(point));
  const show = (/** @type {Target} */ target) => {
    cursor = target;
    const at = target.mark?.center ?? target.point;
    positionAt(cursorButton, at);
    cursorButton.classList.toggle("at-mark", target.mark !== null);
    const values = { type: name, place: describe(target) };
    cursorButton.setAttribute("aria-label", `${start ? getText("notes.placeEndAt", values) : getText("notes.placeStartAt", values)} ${KEY_HINT}`);
    showRing(target.mark?.box ?? null);
    const from = start?.mark?.center ?? start?.point;
    showPreview(from ? (type === "rect" || type === "text" ? "box" : "line") : null, from, at);
  };
  const cancel = () => {
    placedType.value = null;
    announce(getText("notes.placeCanceled"));
    if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus();
  };
  const finish = (/** @type {Target} */ from, /** @type {Target | null} */ end) => {
    const isSame = end !== null && isSameMark(from.mark, end.mark) && type !== "rect";
    const note = createNote(type, from, isSame ? null : end, readDocumentSize());
    if (!note) return waitForEnd(from, getText("notes.placeAnotherMark"));
    placedType.value = null;
    onPlace(note);
  };
  const waitForEnd = (/** @type {Target} */ from, text = getText("notes.placeChooseEnd", { place: describe(from) })) => {
    start = from;
    hintText.textContent = text;
    announce(text);
    show(from);
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || canvas.closest(".panning")) return;
    event.preventDefault();
    event.stopPropagation();
    const pressed = readTarget(event, mustBeMark);
    const hadStart = start !== null;
    show(pressed);
    followPointer(event, canvas, {
      onMove: (moved) => {
        start ??= pressed;
        show(readTarget(moved, mustBeMark));
      },
      onEnd: (released, wasDragged) => {
        const end = wasDragged ? readTarget(released, mustBeMark) : pressed;
        if (start && (wasDragged || hadStart)) finish(start, end);
        else if (type === "difference") waitForEnd(pressed);
        else finish(pressed, null);
      },
      onCancel: cancel,
    });
  }, { signal: aborter.signal, capture: true });
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch" && event.buttons === 0) show(readTarget(event, mustBeMark));
  }, { signal: aborter.signal });
  cursorButton.addEventListener("keydown", (event) => {
    const step = readArrowStep(event);
    const tab = event.key === "Tab" && !event.ctrlKey && listMarks().length ? (event.shiftKey ? -1 : 1) : 0;
    const walk = tab || readBracketStep(event) || (mustBeMark && step ? Math.sign(step.x + step.y) : 0);
    if (walk) {
      const mark = stepMark(cursor.mark, walk);
      if (mark) show({ point: mark.center, mark });
    } else if (step) show({ point: clampPoint({ x: (cursor.mark?.center ?? cursor.point).x + step.x, y: (cursor.mark?.center ?? cursor.point).y + step.y }), mark: null });
    else if (event.key === "Enter" || event.key === " ") {
      if (event.repeat) return event.preventDefault();
      if (type === "text") finish(cursor, null);
      else if (!start) waitForEnd(cursor);
      else finish(start, isSamePlace(start, cursor) ? null : cursor);
    } else return;
    if (walk || step) announce(describe(cursor));
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("keydown", (event) => {
    // Escape in a dialog closes the dialog.
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopPropagation();
    cancel();
  }, { signal: aborter.signal, capture: true });

  selectedNote.value = null;
  canvas.classList.add("placing-note");
  canvas.before(hint);
  layer.append(cursorButton);
  show(cursor);
  cursorButton.focus();
  announce(`${POINTER_HINTS[type]} ${KEY_HINT}`);
  return () => {
    aborter.abort();
    canvas.classList.remove("placing-note");
    hint.remove();
    cursorButton.remove();
    showRing(null);
    showPreview(null);
  };
}

/** Whether two targets are the same mark, or the same point. @param {Target} one @param {Target} two */
function isSamePlace(one, two) {
  if (one.mark || two.mark) return isSameMark(one.mark, two.mark);
  return one.point.x === two.point.x && one.point.y === two.point.y;
}
