// @ts-check
/** Pins of comment threads on the image. The tip of a pin marks the position. */

import { chart } from "./chart.js";
import { effect, h, keyedList, signal } from "./core.js";
import { size } from "./picture.js";
import { draft, move, moving, pinsHidden, placing, plain, selected, shown } from "./threads.js";
import { button, errorText, find, toast } from "./ui.js";

/** Distance in pixels after which a press becomes a drag. */
const SLACK = 4;

const canvas = find("#canvas");

/** @typedef {import("./threads.js").Position} Position */
/** @typedef {import("./threads.js").Thread} Thread */

/**
 * Returns a position on the image, rounded to a tenth of a point.
 * @param {number} x @param {number} y
 * @returns {Position}
 */
function within(x, y) {
  const { width, height } = size.peek();
  const tenth = (/** @type {number} */ it, /** @type {number} */ most) => Math.round(Math.min(Math.max(it, 0), most) * 10) / 10;
  return { x: tenth(x, width), y: tenth(y, height) };
}

/** Returns the center of the image. */
export const middle = () => within(size.peek().width / 2, size.peek().height / 2);

/** Returns the number of image points per screen pixel. */
const scale = () => size.peek().width / canvas.getBoundingClientRect().width;

/**
 * Places the tip of a pin. Near an edge the body of the pin points inwards.
 * @param {HTMLElement} pin @param {Position} position
 */
function stand(pin, { x, y }) {
  const { width, height } = size.value;
  pin.style.left = `${Math.min(Math.max(x / width, 0), 1) * 100}%`;
  pin.style.top = `${Math.min(Math.max(y / height, 0), 1) * 100}%`;
  pin.classList.toggle("to-left", x > width * 0.94);
  pin.classList.toggle("downwards", y < height * 0.07);
}

/** Returns the step of an arrow key: one point, ten with Shift. @param {KeyboardEvent} event */
function step(event) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
  const length = event.shiftKey ? 10 : 1;
  return dx || dy ? { x: dx * length, y: dy * length } : null;
}

/**
 * Makes a pin draggable with the pointer.
 * @param {HTMLElement} pin
 * @param {() => Position} from
 * @param {(to: Position) => void} done
 * @returns {() => boolean} whether the press that just ended was a drag
 */
function draggable(pin, from, done) {
  /** @type {{ x: number, y: number, at: Position, to: Position | null } | null} */
  let grip = null;
  let dragged = false;
  pin.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    dragged = false;
    grip = { x: event.clientX, y: event.clientY, at: from(), to: null };
    pin.setPointerCapture(event.pointerId);
  });
  pin.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
    if (!grip.to && Math.hypot(dx, dy) < SLACK) return;
    grip.to = within(grip.at.x + dx * scale(), grip.at.y + dy * scale());
    pin.classList.add("dragged");
    stand(pin, grip.to);
  });
  const end = (/** @type {boolean} */ keeps) => {
    pin.classList.remove("dragged");
    const { at, to } = grip ?? {};
    grip = null;
    if (!to || !at) return;
    dragged = true;
    if (keeps) done(to);
    else stand(pin, at);
  };
  pin.addEventListener("pointerup", () => end(true));
  pin.addEventListener("pointercancel", () => end(false));
  return () => dragged;
}

/** @param {Thread} thread */
function label(thread) {
  const [first] = thread.comments;
  const text = first ? plain(first.content) : "";
  const start = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const replies = thread.comments.length - 1;
  const more = replies > 0 ? `, ${replies} ${replies === 1 ? "reply" : "replies"}` : "";
  return `Comment ${thread.number}${thread.resolved ? ", resolved" : ""}, ${first?.author_displayname ?? ""}: ${start}${more}`;
}

/** @param {import("./core.js").Signal<Thread>} entry */
function pin(entry) {
  /** Unsaved position of a pin that is moved with the arrow keys. */
  const carried = signal(/** @type {Position | null} */ (null));
  const id = entry.peek().id;
  const here = () => carried.value ?? entry.value.position;
  const save = (/** @type {Position} */ to) => move(id, to).catch((error) => toast(errorText(error), { bad: true }));
  const element = h(
    "button",
    {
      type: "button",
      id: `pin-${id}`,
      class: "pin",
      "aria-label": () => label(entry.value),
      "aria-pressed": () => selected.value === id,
    },
    () => entry.value.number,
  );
  effect(() => {
    element.classList.toggle("resolved", Boolean(entry.value.resolved));
    element.classList.toggle("carried", moving.value === id);
  });
  effect(() => stand(element, here()));
  const wasDragged = draggable(element, () => entry.peek().position, save);
  element.addEventListener("click", (event) => {
    event.stopPropagation();
    if (wasDragged() || moving.peek() === id) return;
    selected.value = id;
    location.hash === `#comment-${id}` ? window.dispatchEvent(new HashChangeEvent("hashchange")) : (location.hash = `comment-${id}`);
  });
  element.addEventListener("keydown", (event) => {
    if (moving.peek() !== id) return;
    const by = step(event);
    if (by) carried.value = within(here().x + by.x, here().y + by.y);
    else if (event.key === "Enter" || event.key === " ") {
      if (carried.peek()) save(/** @type {Position} */ (carried.peek()));
      moving.value = carried.value = null;
    } else if (event.key === "Escape") moving.value = carried.value = null;
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return element;
}

/** Builds the pin of the comment that is being written. */
function draftPin() {
  const element = h("button", { type: "button", id: "draft-pin", class: "pin draft", "aria-label": "New comment. Arrow keys move it." }, "+");
  effect(() => {
    element.hidden = !draft.value;
    if (draft.value) stand(element, draft.value);
  });
  draggable(element, () => draft.peek() ?? middle(), (to) => (draft.value = to));
  element.addEventListener("click", (event) => event.stopPropagation());
  element.addEventListener("keydown", (event) => {
    const [by, at] = [step(event), draft.peek()];
    if (!by || !at) return;
    draft.value = within(at.x + by.x, at.y + by.y);
    event.preventDefault();
  });
  return element;
}

/** Builds the hint for the current action on the image, including its keys. */
function hint() {
  const place = h("div", { class: "stage-hint", role: "status" });
  effect(() => {
    place.replaceChildren();
    if (placing.value) {
      const put = () => {
        draft.value = middle();
        placing.value = false;
      };
      place.append(
        h("span", null, "Press where the comment belongs."),
        button("Place in the middle", { onclick: put }),
        button("Cancel", { onclick: () => (placing.value = false) }),
      );
    } else if (moving.value) {
      place.append(h("span", null, "Arrow keys move the pin, ten points with Shift. Enter places it, Escape leaves it where it was."));
    }
  });
  return place;
}

/** Shows the pins, and handles clicks on the image while the user places a comment. */
export function buildPins() {
  const layer = h("div", { class: "pins", role: "group", "aria-label": "Comments on the picture" });
  effect(() => {
    layer.hidden = pinsHidden.value || !shown.value.length;
  });
  const own = h("div", { class: "pins" }, draftPin());
  canvas.append(layer, own);
  canvas.before(hint());
  keyedList(layer, () => shown.value, (it) => it.id, pin);
  effect(() => {
    canvas.classList.toggle("placing", placing.value);
  });
  canvas.addEventListener("click", (event) => {
    if (!placing.peek() || !chart.user) return;
    const box = canvas.getBoundingClientRect();
    draft.value = within((event.clientX - box.left) * scale(), (event.clientY - box.top) * scale());
    placing.value = false;
  });
}
