// @ts-check
/** Drags on the canvas: of one pointer, with a threshold, taken back by Escape. */

import { signal } from "./core.js";

/** Distances in pixels after which a press becomes a drag, of a mouse or pen and of a finger. */
const [DRAG_THRESHOLD_PIXELS, TOUCH_THRESHOLD_PIXELS] = [4, 8];

/** Number of drags on this page, for the keys of their undo steps. */
let dragCount = 0;

/** Whether a drag is under way. */
export const isDragging = signal(false);

/** Returns a key for the undo step of the next drag. */
export const createDragKey = () => `drag-${(dragCount += 1)}`;

/**
 * Follows the pointer of a press until its release. Escape cancels, and so does the browser, for example when it
 * begins to scroll.
 * @param {PointerEvent} event `pointerdown`
 * @param {HTMLElement} element gets the pointer
 * @param {{ onMove: (event: PointerEvent) => void, onEnd: (event: PointerEvent, wasDragged: boolean) => void, onCancel: () => void }} callbacks
 *   `onMove` begins after the threshold
 */
export function followPointer(event, element, { onMove, onEnd, onCancel }) {
  const { pointerId, clientX, clientY } = event;
  const threshold = event.pointerType === "touch" ? TOUCH_THRESHOLD_PIXELS : DRAG_THRESHOLD_PIXELS;
  let wasDragged = false;
  const aborter = new AbortController();
  const options = { signal: aborter.signal };
  const stop = () => {
    aborter.abort();
    isDragging.value = false;
    if (element.hasPointerCapture(pointerId)) element.releasePointerCapture(pointerId);
  };
  const cancel = () => {
    stop();
    onCancel();
  };
  element.setPointerCapture(pointerId);
  isDragging.value = true;
  element.addEventListener("pointermove", (moved) => {
    if (moved.pointerId !== pointerId) return;
    if (!wasDragged && Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < threshold) return;
    wasDragged = true;
    onMove(moved);
  }, options);
  element.addEventListener("pointerup", (released) => {
    if (released.pointerId !== pointerId) return;
    stop();
    onEnd(released, wasDragged);
  }, options);
  element.addEventListener("pointercancel", (canceled) => canceled.pointerId === pointerId && cancel(), options);
  document.addEventListener("keydown", (pressed) => {
    if (pressed.key !== "Escape") return;
    pressed.preventDefault();
    pressed.stopPropagation();
    cancel();
  }, { ...options, capture: true });
}

/**
 * Returns the step of an arrow key in points: 1, or 10 with Shift. Returns null for other keys.
 * @param {KeyboardEvent} event
 */
export function readArrowStep(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
  const length = event.shiftKey ? 10 : 1;
  return x || y ? { x: x * length, y: y * length } : null;
}

/**
 * Returns the step of a bracket: 1 for `]`, -1 for `[`, 0 for other keys and for shortcuts of the browser. Many keyboards
 * have brackets on AltGr, which Windows reports as Ctrl with Alt, and a Mac as Alt.
 * @param {KeyboardEvent} event
 */
export function readBracketStep(event) {
  if (event.metaKey || (event.ctrlKey && !event.altKey)) return 0;
  return { "[": -1, "]": 1 }[event.key] ?? 0;
}

/**
 * Calls a function at most once per frame, with the newest arguments.
 * @template {any[]} T
 * @param {(...args: T) => void} callback
 * @returns {{ call: (...args: T) => void, flush: () => void, cancel: () => void }}
 */
export function limitToFrames(callback) {
  /** @type {T | null} */
  let waiting = null;
  let frame = 0;
  const flush = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    const args = waiting;
    waiting = null;
    if (args) callback(...args);
  };
  return {
    call: (...args) => {
      waiting = args;
      frame ||= requestAnimationFrame(flush);
    },
    flush,
    cancel: () => {
      cancelAnimationFrame(frame);
      frame = 0;
      waiting = null;
    },
  };
}
