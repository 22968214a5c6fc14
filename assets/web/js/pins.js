// @ts-check
/** Pins of comment threads on the image. The tip of a pin marks the position. */

import { chart } from "./chart.js";
import { imageSize } from "./chart-image.js";
import { effect, h, signal, syncKeyedList } from "./core.js";
import { getText } from "./texts.js";
import { arePinsHidden, draftPosition, isPlacing, movePin, movingThreadId, selectedThreadId, toPlainText, visibleThreads } from "./threads.js";
import { createButton, describeError, findElement, showToast } from "./ui.js";

/** Distance in pixels after which a press becomes a drag. */
const DRAG_THRESHOLD_PIXELS = 4;

const canvas = findElement("#canvas");

/** @typedef {import("./threads.js").Position} Position */
/** @typedef {import("./threads.js").Thread} Thread */

/**
 * Moves a position into the image and rounds it to a tenth of a point.
 * @param {number} x @param {number} y
 * @returns {Position}
 */
function clampPosition(x, y) {
  const { width, height } = imageSize.peek();
  const roundToTenth = (/** @type {number} */ value, /** @type {number} */ max) => Math.round(Math.min(Math.max(value, 0), max) * 10) / 10;
  return { x: roundToTenth(x, width), y: roundToTenth(y, height) };
}

/** Returns the center of the image in points. */
export const getImageCenter = () => clampPosition(imageSize.peek().width / 2, imageSize.peek().height / 2);

/** Returns the number of image points per CSS pixel. */
const getPointsPerPixel = () => imageSize.peek().width / canvas.getBoundingClientRect().width;

/**
 * Moves the tip of a pin to a position. Near the right or upper edge the body of the pin points inwards.
 * @param {HTMLElement} pin @param {Position} position
 */
function positionPin(pin, { x, y }) {
  const { width, height } = imageSize.value;
  pin.style.left = `${Math.min(Math.max(x / width, 0), 1) * 100}%`;
  pin.style.top = `${Math.min(Math.max(y / height, 0), 1) * 100}%`;
  pin.classList.toggle("to-left", x > width * 0.94);
  pin.classList.toggle("downwards", y < height * 0.07);
}

/**
 * Returns the step of an arrow key in points: 1, or 10 with Shift. Returns null for other keys.
 * @param {KeyboardEvent} event
 */
function getArrowStep(event) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
  const length = event.shiftKey ? 10 : 1;
  return dx || dy ? { x: dx * length, y: dy * length } : null;
}

/**
 * Makes a pin draggable with the pointer. A canceled drag moves the pin back.
 * @param {HTMLElement} pin
 * @param {() => Position} getStart returns the position of the pin before the drag
 * @param {(to: Position) => void} onDrop
 * @returns {() => boolean} whether the press that just ended was a drag
 */
function makeDraggable(pin, getStart, onDrop) {
  /**
   * `x` and `y` are the pointer at the start in pixels. `to` is null until the drag threshold is exceeded.
   * @type {{ x: number, y: number, at: Position, to: Position | null } | null}
   */
  let drag = null;
  let dragged = false;
  pin.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    dragged = false;
    drag = { x: event.clientX, y: event.clientY, at: getStart(), to: null };
    pin.setPointerCapture(event.pointerId);
  });
  pin.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.to && Math.hypot(dx, dy) < DRAG_THRESHOLD_PIXELS) return;
    drag.to = clampPosition(drag.at.x + dx * getPointsPerPixel(), drag.at.y + dy * getPointsPerPixel());
    pin.classList.add("dragged");
    positionPin(pin, drag.to);
  });
  const endDrag = (/** @type {boolean} */ isDropped) => {
    pin.classList.remove("dragged");
    const { at, to } = drag ?? {};
    drag = null;
    if (!to || !at) return;
    dragged = true;
    if (isDropped) onDrop(to);
    else positionPin(pin, at);
  };
  pin.addEventListener("pointerup", () => endDrag(true));
  pin.addEventListener("pointercancel", () => endDrag(false));
  return () => dragged;
}

/**
 * Returns the accessible name of a pin: number, author, start of the text and number of replies.
 * @param {Thread} thread
 */
function describeThread(thread) {
  const [first] = thread.comments;
  const text = first ? toPlainText(first.content) : "";
  const excerpt = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const replyCount = thread.comments.length - 1;
  const values = { number: String(thread.number), author: first?.author_displayname ?? "", text: excerpt };
  const name = thread.resolved ? getText("canvas.pinResolved", values) : getText("canvas.pin", values);
  return replyCount > 0 ? `${name}, ${getText("canvas.pinReplies", { count: replyCount })}` : name;
}

/** Builds the pin of a thread. @param {import("./core.js").Signal<Thread>} entry */
function buildPin(entry) {
  /** Unsaved position while the arrow keys move the pin; null otherwise. */
  const keyboardPosition = signal(/** @type {Position | null} */ (null));
  const id = entry.peek().id;
  const getPosition = () => keyboardPosition.value ?? entry.value.position;
  const save = (/** @type {Position} */ to) => movePin(id, to).catch((error) => showToast(describeError(error), { isError: true }));
  const element = h(
    "button",
    {
      type: "button",
      id: `pin-${id}`,
      class: "pin",
      "aria-label": () => describeThread(entry.value),
      "aria-pressed": () => selectedThreadId.value === id,
    },
    () => entry.value.number,
  );
  effect(() => {
    element.classList.toggle("resolved", Boolean(entry.value.resolved));
    element.classList.toggle("carried", movingThreadId.value === id);
  });
  effect(() => positionPin(element, getPosition()));
  const wasDragged = makeDraggable(element, () => entry.peek().position, save);
  element.addEventListener("click", (event) => {
    event.stopPropagation();
    if (wasDragged() || movingThreadId.peek() === id) return;
    selectedThreadId.value = id;
    location.hash === `#comment-${id}` ? window.dispatchEvent(new HashChangeEvent("hashchange")) : (location.hash = `comment-${id}`);
  });
  element.addEventListener("keydown", (event) => {
    if (movingThreadId.peek() !== id) return;
    const arrowStep = getArrowStep(event);
    if (arrowStep) keyboardPosition.value = clampPosition(getPosition().x + arrowStep.x, getPosition().y + arrowStep.y);
    else if (event.key === "Enter" || event.key === " ") {
      if (keyboardPosition.peek()) save(/** @type {Position} */ (keyboardPosition.peek()));
      movingThreadId.value = keyboardPosition.value = null;
    } else if (event.key === "Escape") movingThreadId.value = keyboardPosition.value = null;
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return element;
}

/** Builds the pin of the comment that is being written. */
function buildDraftPin() {
  const element = h("button", { type: "button", id: "draft-pin", class: "pin draft", "aria-label": getText("canvas.newPin") }, "+");
  effect(() => {
    element.hidden = !draftPosition.value;
    if (draftPosition.value) positionPin(element, draftPosition.value);
  });
  makeDraggable(element, () => draftPosition.peek() ?? getImageCenter(), (to) => (draftPosition.value = to));
  element.addEventListener("click", (event) => event.stopPropagation());
  element.addEventListener("keydown", (event) => {
    const [arrowStep, position] = [getArrowStep(event), draftPosition.peek()];
    if (!arrowStep || !position) return;
    draftPosition.value = clampPosition(position.x + arrowStep.x, position.y + arrowStep.y);
    event.preventDefault();
  });
  return element;
}

/** Builds the hint for the current action on the image, including its keys. */
function buildHint() {
  const container = h("div", { class: "stage-hint", role: "status" });
  effect(() => {
    container.replaceChildren();
    if (isPlacing.value) {
      const placeInCenter = () => {
        draftPosition.value = getImageCenter();
        isPlacing.value = false;
      };
      container.append(
        h("span", null, getText("canvas.placePin")),
        createButton(getText("canvas.placePinInMiddle"), { onclick: placeInCenter }),
        createButton(getText("common.cancel"), { onclick: () => (isPlacing.value = false) }),
      );
    } else if (movingThreadId.value) {
      container.append(h("span", null, getText("canvas.movePin")));
    }
  });
  return container;
}

/** Shows the pins, and handles clicks on the image while the user places a comment. */
export function buildPins() {
  const layer = h("div", { class: "pins", role: "group", "aria-label": getText("canvas.comments") });
  effect(() => {
    layer.hidden = arePinsHidden.value || !visibleThreads.value.length;
  });
  const draftLayer = h("div", { class: "pins" }, buildDraftPin());
  canvas.append(layer, draftLayer);
  canvas.before(buildHint());
  syncKeyedList(layer, () => visibleThreads.value, (thread) => thread.id, buildPin);
  effect(() => {
    canvas.classList.toggle("placing", isPlacing.value);
  });
  canvas.addEventListener("click", (event) => {
    if (!isPlacing.peek() || !chart.userId) return;
    const box = canvas.getBoundingClientRect();
    draftPosition.value = clampPosition((event.clientX - box.left) * getPointsPerPixel(), (event.clientY - box.top) * getPointsPerPixel());
    isPlacing.value = false;
  });
}
