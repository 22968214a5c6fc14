// @ts-check
/** Small pictures of unsaved contents, drawn by the server one after the other. */

import { post } from "./api.js";

/** Number of pictures that are drawn at the same time. */
const MAX_RUNNING = 2;

/** @type {(() => Promise<void>)[]} */
const queue = [];
let running = 0;

/** Starts queued work while fewer than `MAX_RUNNING` pictures are drawn. */
function runQueue() {
  while (running < MAX_RUNNING && queue.length) {
    running += 1;
    const work = /** @type {() => Promise<void>} */ (queue.shift());
    work().finally(() => {
      running -= 1;
      runQueue();
    });
  }
}

/**
 * Shows an image that the server draws, when it is its turn.
 * @param {HTMLImageElement} image
 * @param {() => Promise<string>} loadSvg
 * @param {AbortSignal} [signal] drops the picture
 * @returns {Promise<boolean>} whether the picture is shown
 */
export function showDrawnImage(image, loadSvg, signal) {
  return new Promise((resolve) => {
    queue.push(async () => {
      if (signal?.aborted) return resolve(false);
      try {
        const url = URL.createObjectURL(new Blob([await loadSvg()], { type: "image/svg+xml" }));
        image.addEventListener("load", () => URL.revokeObjectURL(url), { once: true });
        image.src = url;
        resolve(true);
      } catch {
        resolve(false);
      }
    });
    runQueue();
  });
}

/**
 * Draws a content into an image element.
 * @param {HTMLImageElement} image
 * @param {() => Promise<Record<string, any>>} loadContent returns the content, when it is the turn of the picture
 * @param {{ width: number, height: number, theme?: string }} query
 * @param {AbortSignal} [signal] drops the picture
 * @returns {Promise<boolean>} whether the picture was drawn
 */
export function drawPicture(image, loadContent, query, signal) {
  const loadSvg = async () => {
    const { isPublic: _, ...body } = await loadContent();
    // An image element does not use the fonts of the page.
    return (await post("/render", body, { query: { ...query, text: "embedded" }, signal })).data;
  };
  return showDrawnImage(image, loadSvg, signal);
}

/**
 * Calls a function for each element when it becomes visible within a container, once.
 * @param {HTMLElement} container
 * @param {HTMLElement[]} elements
 * @param {(element: HTMLElement) => void} onVisible
 * @param {AbortSignal} signal ends the observation
 */
export function watchVisible(container, elements, onVisible, signal) {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        onVisible(/** @type {HTMLElement} */ (target));
      }
    },
    { root: container, rootMargin: "200px" },
  );
  elements.forEach((element) => observer.observe(element));
  signal.addEventListener("abort", () => observer.disconnect());
}
