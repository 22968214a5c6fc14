// @ts-check
/** The rendered image on the canvas: an SVG in a shadow root, so that its ids do not collide with the page. */

import { get } from "./api.js";
import { getDocumentPath, withShareToken } from "./chart.js";
import { signal } from "./core.js";
import { findElement } from "./ui.js";

const container = findElement("#paper");

/** Width and height of the displayed image in points, the unit of positions on it. */
export const imageSize = signal({ width: 720, height: 405 });

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
 * @returns {Promise<SVGSVGElement>} not yet in the page
 */
async function loadImage(version) {
  const suffix = version === undefined ? ".svg" : `/history/${version}.svg`;
  const { data } = await get(getDocumentPath(suffix), { query: withShareToken() });
  const root = new DOMParser().parseFromString(data, "image/svg+xml").documentElement;
  if (!(root instanceof SVGSVGElement)) throw new Error("the image is not an SVG");
  return document.importNode(root, true);
}

/** Number of the latest request. Responses to older requests are dropped. */
let latestRequest = 0;

/**
 * Shows the document or one of its versions. The previous image stays until the new one is loaded.
 * @param {number} [version] history version; the current one if omitted
 * @returns {Promise<boolean>} whether the image is shown; false if a later call replaced this one
 */
export async function showVersion(version) {
  const request = (latestRequest += 1);
  const svg = await loadImage(version);
  if (request !== latestRequest) return false;
  svg.setAttribute("part", "image");
  getShadowRoot().replaceChildren(svg);
  updateImageSize(svg);
  return true;
}
