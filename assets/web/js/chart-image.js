// @ts-check
/** The rendered image on the canvas: an SVG in a shadow root, so that its ids do not collide with the page. */

import { get } from "./api.js";
import { getDocumentPath, withShareToken } from "./chart.js";
import { signal } from "./core.js";
import { findElement } from "./ui.js";

const container = findElement("#paper");

/** Width and height of the displayed image in points, the unit of positions on it. */
export const imageSize = signal({ width: 720, height: 405 });

/** Response headers of the displayed image; null for the image that the server rendered into the page. */
export const imageHeaders = signal(/** @type {Headers | null} */ (null));

/** Returns the shadow root of the canvas. Creates it if the browser did not. @returns {ShadowRoot} */
function getShadowRoot() {
  // Browsers without declarative shadow DOM leave the template in the page.
  const root = container.shadowRoot ?? container.attachShadow({ mode: "open" });
  const template = container.querySelector("template");
  if (template) {
    root.replaceChildren(template.content);
    template.remove();
  }
  return root;
}

/** Sets `imageSize` to the size of an image. Ignores an empty view box. @param {SVGSVGElement} svg */
function updateImageSize(svg) {
  const { width, height } = svg.viewBox.baseVal;
  if (width > 0 && height > 0) imageSize.value = { width, height };
}

/** Uses the image that the server rendered into the page. */
export function adoptServerImage() {
  const svg = getShadowRoot().querySelector("svg");
  if (!svg) return;
  svg.setAttribute("part", "image");
  updateImageSize(svg);
}

/**
 * Loads the image of a version.
 * @param {number} [version] history version; the current one if omitted
 * @returns {Promise<{ svg: SVGSVGElement, headers: Headers }>} the image is not yet in the page
 */
async function loadImage(version) {
  const suffix = version === undefined ? ".svg" : `/history/${version}.svg`;
  const { data, headers } = await get(getDocumentPath(suffix), { query: withShareToken() });
  return { svg: parseImage(data), headers };
}

/** Number of the latest request. Responses to older requests are dropped. */
let latestRequest = 0;

/** The newest image of the edited document as SVG text; null unless it is being edited. @type {string | null} */
let liveImage = null;
/** Whether the canvas shows an old version instead of the edited document. */
let showsOldVersion = false;

/** Functions that are called with each new image on the canvas. @type {Set<(svg: SVGSVGElement) => void>} */
const imageListeners = new Set();

/**
 * Registers a function that is called with each new image on the canvas.
 * @param {(svg: SVGSVGElement) => void} listener
 * @returns {() => void} removes the function
 */
export function onImage(listener) {
  imageListeners.add(listener);
  return () => void imageListeners.delete(listener);
}

/** Puts an image on the canvas. @param {SVGSVGElement} svg */
function replaceImage(svg) {
  svg.setAttribute("part", "image");
  getShadowRoot().replaceChildren(svg);
  updateImageSize(svg);
  imageListeners.forEach((listener) => listener(svg));
}

/** Parses an image. @param {string} text @returns {SVGSVGElement} not yet in the page */
function parseImage(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (!(root instanceof SVGSVGElement)) throw new Error("the image is not an SVG");
  return document.importNode(root, true);
}

/**
 * Shows a new image of the edited document. While an old version is on the canvas, it is shown afterwards.
 * @param {string} text SVG
 */
export function showLiveImage(text) {
  liveImage = text;
  if (!showsOldVersion) replaceImage(parseImage(text));
}

/** Returns the root of the image on the canvas. */
export const getImageRoot = getShadowRoot;

/**
 * Shows the document or one of its versions. The previous image stays until the new one is loaded.
 * @param {number} [version] history version; the current one if omitted
 * @returns {Promise<boolean>} whether the image is shown; false if a later call replaced this one
 */
export async function showVersion(version) {
  const request = (latestRequest += 1);
  showsOldVersion = version !== undefined;
  if (!showsOldVersion && liveImage !== null) {
    replaceImage(parseImage(liveImage));
    return true;
  }
  const { svg, headers } = await loadImage(version);
  if (request !== latestRequest) return false;
  replaceImage(svg);
  imageHeaders.value = headers;
  return true;
}
