// @ts-check
/** The picture on the canvas: SVG of the server in a shadow root, so that its ids stay its own. */

import { get } from "./api.js";
import { signal } from "./core.js";
import { find } from "./ui.js";
import { at, by } from "./chart.js";

const paper = find("#paper");

/** Width and height of the picture in points, in which positions on it are told. */
export const size = signal({ width: 720, height: 405 });

/** @returns {ShadowRoot} */
function ground() {
  // A browser that does not know shadow roots in HTML has left the template as it was.
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

/** Takes over the picture that the server wrote into the page. */
export function adopt() {
  const svg = ground().querySelector("svg");
  if (!svg) return;
  svg.setAttribute("part", "picture");
  measure(svg);
}

/**
 * Reads a picture.
 * @param {number} [version] of the history; the present one when left out
 * @returns {Promise<SVGSVGElement>}
 */
async function read(version) {
  const suffix = version === undefined ? ".svg" : `/history/${version}.svg`;
  const { data } = await get(at(suffix), { query: by() });
  const root = new DOMParser().parseFromString(data, "image/svg+xml").documentElement;
  if (!(root instanceof SVGSVGElement)) throw new Error("the picture is no SVG");
  return document.importNode(root, true);
}

/** The newest wish: an answer to an older one is not shown. */
let wish = 0;

/**
 * Shows the document, or one of its versions. The picture before stays until the next has come.
 * @param {number} [version]
 * @returns {Promise<boolean>} whether it is shown: not when another was asked for meanwhile
 */
export async function show(version) {
  const own = (wish += 1);
  const svg = await read(version);
  if (own !== wish) return false;
  svg.setAttribute("part", "picture");
  ground().replaceChildren(svg);
  measure(svg);
  return true;
}
