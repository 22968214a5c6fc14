// @ts-check
/** Thumbnails that load when they come near the visible area, the visible ones first. */

import { effect, h, signal } from "./core.js";

/** Distance from the visible area at which a thumbnail loads, in pixels. */
const MARGIN_PX = 250;

/** Functions that load the thumbnail of a box. @type {WeakMap<Element, () => void>} */
const loaders = new WeakMap();

/** Paths of the thumbnails that the page from the server has requested already. */
const requestedPaths = new Set([.../** @type {NodeListOf<HTMLImageElement>} */ (document.querySelectorAll(".thumbnail img"))].map((image) => image.getAttribute("src")));

const observer = new IntersectionObserver(
  (entries) => {
    const isVisible = ({ boundingClientRect: box }) => box.bottom > 0 && box.top < window.innerHeight;
    // Browsers send requests of the same priority in the order in which they were made.
    const near = entries.filter((entry) => entry.isIntersecting);
    for (const entry of [...near.filter(isVisible), ...near.filter((candidate) => !isVisible(candidate))]) {
      observer.unobserve(entry.target);
      loaders.get(entry.target)?.();
    }
  },
  { rootMargin: `${MARGIN_PX}px 0px` },
);

/**
 * Creates the box of a thumbnail. The box has its size before the image is loaded, so that nothing moves.
 * @param {() => string} getPath returns the address of the thumbnail
 * @returns {HTMLElement}
 */
export function createThumbnail(getPath) {
  const isNear = signal(requestedPaths.has(getPath()));
  const image = h("img", { width: 640, height: 360, draggable: "false", alt: "" });
  const box = h("div", { class: "thumbnail" }, image);
  effect(() => {
    if (isNear.value) image.src = getPath();
  });
  if (isNear.peek()) return box;
  loaders.set(box, () => (isNear.value = true));
  observer.observe(box);
  return box;
}
