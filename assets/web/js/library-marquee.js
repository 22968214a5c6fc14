// @ts-check
/**
 * Selection of cards with a rectangle that the mouse draws from an empty place of the page. With Ctrl or Shift, the cards
 * are added to the selection. Escape restores the selection. The keyboard selects with Space, Shift and Ctrl+A.
 */

import { h } from "./core.js";

/** Distance in pixels that the pointer moves before the rectangle appears. */
const MIN_DISTANCE_PX = 5;
/** Distance in pixels from the edge of the window within which the page scrolls. */
const SCROLL_MARGIN_PX = 32;
/** Distance in pixels that the page scrolls per frame. */
const SCROLL_STEP_PX = 14;
/** Elements on which a press does something else. */
const CONTROLS = ".chart, a, button, input, select, textarea, label, summary, dialog, [popover], [role=toolbar], .toasts";

/** @typedef {{ x: number, y: number }} Point in pixels of the page */

/** @param {Point} a @param {Point} b */
const getBox = (a, b) => ({ left: Math.min(a.x, b.x), top: Math.min(a.y, b.y), right: Math.max(a.x, b.x), bottom: Math.max(a.y, b.y) });

/** Returns the keys of the cards that a box in pixels of the page touches. @param {HTMLElement} container @param {ReturnType<typeof getBox>} box */
function findKeys(container, box) {
  const cards = /** @type {HTMLElement[]} */ ([...container.querySelectorAll("li[data-key]")]);
  const touched = cards.filter((card) => {
    const { left, top, right, bottom } = card.getBoundingClientRect();
    return left + scrollX < box.right && right + scrollX > box.left && top + scrollY < box.bottom && bottom + scrollY > box.top;
  });
  return touched.map((card) => card.dataset.key ?? "");
}

/**
 * Lets the mouse select cards with a rectangle.
 * @param {HTMLElement} main element with the empty places
 * @param {import("./library-cards.js").LibraryContext["selectedKeys"]} selectedKeys
 */
export function startMarquee(main, selectedKeys) {
  main.addEventListener("pointerdown", (event) => {
    const isFree = event.target instanceof Element && !event.target.closest(CONTROLS);
    if (isFree && event.button === 0 && event.pointerType === "mouse") trackMarquee(main, selectedKeys, event);
  });
}

/**
 * Follows the mouse until its button is released.
 * @param {HTMLElement} main
 * @param {import("./library-cards.js").LibraryContext["selectedKeys"]} selectedKeys
 * @param {PointerEvent} pressed
 */
function trackMarquee(main, selectedKeys, pressed) {
  const start = { x: pressed.clientX + scrollX, y: pressed.clientY + scrollY };
  const before = selectedKeys.peek();
  const kept = pressed.ctrlKey || pressed.metaKey || pressed.shiftKey ? before : new Set();
  const rectangle = h("div", { class: "marquee" });
  const controller = new AbortController();
  const { signal } = controller;
  let pointer = { x: pressed.clientX, y: pressed.clientY };
  let frame = 0;

  const update = () => {
    const box = getBox(start, { x: pointer.x + scrollX, y: pointer.y + scrollY });
    if (!rectangle.isConnected) {
      if (Math.hypot(box.right - box.left, box.bottom - box.top) < MIN_DISTANCE_PX) return;
      document.body.append(rectangle);
      scrollAtEdges();
    }
    Object.assign(rectangle.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.right - box.left}px`, height: `${box.bottom - box.top}px` });
    selectedKeys.value = new Set([...kept, ...findKeys(main, box)]);
  };
  const scrollAtEdges = () => {
    const step = pointer.y < SCROLL_MARGIN_PX ? -SCROLL_STEP_PX : pointer.y > innerHeight - SCROLL_MARGIN_PX ? SCROLL_STEP_PX : 0;
    if (step) scrollBy(0, step);
    frame = requestAnimationFrame(scrollAtEdges);
  };
  const end = () => {
    controller.abort();
    cancelAnimationFrame(frame);
    rectangle.remove();
  };
  document.addEventListener("pointermove", (event) => {
    pointer = { x: event.clientX, y: event.clientY };
    update();
  }, { signal });
  document.addEventListener("scroll", update, { signal });
  // The press would select texts.
  document.addEventListener("selectstart", (event) => event.preventDefault(), { signal });
  for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, end, { signal });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !rectangle.isConnected) return;
    event.preventDefault();
    event.stopPropagation();
    end();
    selectedKeys.value = before;
  }, { signal, capture: true });
}
