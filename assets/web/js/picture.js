// @ts-check
/** The rendered image on the canvas: an SVG in a shadow root, so that its ids do not collide with the page. */

import { get } from "./api.js";
import { signal } from "./core.js";
import { find } from "./ui.js";
import { at, by } from "./chart.js";

const paper = find("#paper");

/** Width and height of the image in points, the unit of positions on it. */
export const size = signal({ width: 720, height: 405 });

/** @returns {ShadowRoot} */
function shadowRoot() {
  // Browsers without declarative shadow DOM leave the template in the page.
  const root = paper.shadowRoot ?? paper.attachShadow({ mode: "open" });
  const template = paper.querySelector("template");
  if (template) {
    root.replaceChildren(template.content);
    template.remove();
  }
  return root;
}

/** @param {SVGSVGElement} svg */
function measure(svg) {
  const { width, height } = svg.viewBox.baseVal;
  if (width > 0 && height > 0) size.value = { width, height };
}

/** Uses the image that the server rendered into the page. */
export function adopt() {
  const svg = shadowRoot().querySelector("svg");
  if (!svg) return;
  svg.setAttribute("part", "picture");
  measure(svg);
}

/**
 * Loads the image of a version.
 * @param {number} [version] history version; the current one if omitted
 * @returns {Promise<SVGSVGElement>}
 */
async function read(version) {
  const suffix = version === undefined ? ".svg" : `/history/${version}.svg`;
  const { data } = await get(at(suffix), { query: by() });
  const root = new DOMParser().parseFromString(data, "image/svg+xml").documentElement;
  if (!(root instanceof SVGSVGElement)) throw new Error("the picture is no SVG");
  return document.importNode(root, true);
}

/** Number of the latest request. Responses to older requests are dropped. */
let latestRequest = 0;

/**
 * Shows the document or one of its versions. The previous image stays until the new one is loaded.
 * @param {number} [version]
 * @returns {Promise<boolean>} whether the image is shown; false if a later call replaced this one
 */
export async function show(version) {
  const request = (latestRequest += 1);
  const svg = await read(version);
  if (request !== latestRequest) return false;
  svg.setAttribute("part", "picture");
  shadowRoot().replaceChildren(svg);
  measure(svg);
  return true;
}
