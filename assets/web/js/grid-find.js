// @ts-check
/** Search in the data grid: a bar above the cells with the number of hits. It is loaded when it opens. */

import { h } from "./core.js";
import { selectOne } from "./grid-model.js";
import { formatValue, isGroupedColumn } from "./grid-values.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {{ row: number, column: number }} Hit */

/** Returns the cells with a text, by row. Ignores case. @param {ChartGrid} grid @param {string} text @returns {Hit[]} */
function findHits(grid, text) {
  const needle = text.toLocaleLowerCase(grid.locale);
  /** @type {Hit[]} */
  const hits = [];
  if (!needle) return hits;
  for (let row = 0; row < Math.min(grid.records.length, grid.rowCount); row += 1) {
    grid.columns.forEach((descriptor, column) => {
      const isGrouped = isGroupedColumn(grid.records, grid.columns, descriptor);
      const shown = formatValue(grid.records[row][descriptor.key], grid.locale, isGrouped);
      if (shown.toLocaleLowerCase(grid.locale).includes(needle)) hits.push({ row, column });
    });
  }
  return hits;
}

/** Whether a cell is at or after a position. @param {Hit} hit @param {Hit} position */
const isFrom = (hit, position) => hit.row > position.row || (hit.row === position.row && hit.column >= position.column);

/** Opens the search, or focuses its field if it is open. @param {ChartGrid} grid */
export function openFindBar(grid) {
  const open = /** @type {HTMLInputElement | null} */ (grid.querySelector(".grid-find input"));
  if (open) {
    open.focus();
    return open.select();
  }
  /** @type {Hit[]} */
  let hits = [];
  let position = -1;
  const input = h("input", { type: "search", "aria-label": getText("grid.findInData"), placeholder: getText("grid.findInData"), autocomplete: "off" });
  const count = h("span", { class: "grid-find-count", role: "status" });
  const show = () => {
    const found = hits.length ? getText("grid.hitPosition", { position: position + 1, count: hits.length }) : getText("grid.notFound");
    count.textContent = input.value ? found : "";
    const hit = hits[position];
    if (hit) grid.setSelection(selectOne(hit.row, hit.column), { focus: false });
  };
  const search = () => {
    hits = findHits(grid, input.value.trim());
    const found = hits.findIndex((hit) => isFrom(hit, grid.selection));
    position = hits.length ? Math.max(0, found) : -1;
    show();
  };
  const step = (/** @type {number} */ by) => {
    // The data may have changed since the last search.
    hits = findHits(grid, input.value.trim());
    position = hits.length ? (Math.min(position, hits.length - 1) + by + hits.length) % hits.length : -1;
    show();
  };
  const close = () => {
    bar.remove();
    grid.focusGrid();
  };
  input.addEventListener("input", search);
  const createStep = (/** @type {string} */ label, /** @type {string} */ icon, /** @type {number} */ by) =>
    h("button", { type: "button", class: "grid-find-button", "aria-label": label, onclick: () => step(by) }, createIcon(icon));
  const closeButton = h("button", { type: "button", class: "grid-find-button", "aria-label": getText("common.close"), onclick: close }, createIcon("close"));
  const bar = h("div", { class: "grid-find", role: "search", "aria-label": getText("grid.data") }, input, count, createStep(getText("grid.previousHit"), "up", -1), createStep(getText("grid.nextHit"), "down", 1), closeButton);
  bar.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target === input) step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  grid.prepend(bar);
  input.focus();
}
