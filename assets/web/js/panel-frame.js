// @ts-check
/** The frame of a panel beside the canvas: heading, button to close it, and content. */

import { h } from "./core.js";
import { toInnerLabel } from "./label-format.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/**
 * Creates a panel.
 * @param {string} title
 * @param {() => void} close
 * @param {...import("./core.js").Child} content
 * @returns {HTMLElement}
 */
export function createPanel(title, close, ...content) {
  const label = getText("editor.closePanel", { panel: toInnerLabel(title) });
  return h(
    "aside",
    { class: "panel", "aria-labelledby": "panel-title" },
    h("header", { class: "panel-head" }, h("h2", { id: "panel-title", tabindex: -1 }, title), h("button", { type: "button", class: "cross", "aria-label": label, onclick: close }, createIcon("close"))),
    h("div", { class: "panel-body" }, ...content),
  );
}
