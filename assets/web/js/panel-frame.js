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

/** Scrolls the panel to an item if it scrolls by itself. The page stays, because the user looks at the picture. @param {Element | undefined} item */
export function scrollPanelTo(item) {
  const panel = item?.closest("#panel");
  const scrolls = panel && getComputedStyle(panel).overflowY === "auto" && panel.scrollHeight > panel.clientHeight;
  if (!scrolls) return;
  const [outer, inner] = [panel.getBoundingClientRect(), item.getBoundingClientRect()];
  panel.scrollTop += Math.min(0, inner.top - outer.top) || Math.max(0, Math.min(inner.bottom - outer.bottom, inner.top - outer.top));
}
