// @ts-check
/** Column headers of the data grid: title, chip with the field of the chart kind, button of the menu. */

import { h } from "./core.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {import("./grid-model.js").Column} Column */

/** Creates the header of a column. @param {number} index @returns {HTMLElement} */
export function createHeaderCell(index) {
  return h(
    "div",
    { class: "grid-heading", role: "columnheader", "aria-colindex": index + 2, "aria-haspopup": "menu", tabindex: -1 },
    h("span", { class: "grid-head-content" }, h("span", { class: "grid-title" }), h("span", { class: "grid-chip", hidden: true })),
    h("span", { class: "grid-menu-button", "aria-hidden": true }, createIcon("down")),
    h("span", { class: "grid-edge", "aria-hidden": true }),
  );
}

/** Returns the text of the chip: the field of the chart kind that the column is used for. @param {Column} column @param {ChartGrid} grid */
function describeField(column, grid) {
  if (column.isExtra) return getText("grid.notUsed");
  const field = grid.fields.find((candidate) => candidate.key === column.key);
  const role = column.role ?? "";
  const text = field?.title ?? role.charAt(0).toUpperCase() + role.slice(1);
  return text.toLowerCase() === column.title.toLowerCase() ? "" : text;
}

/** Updates the header of a column. @param {HTMLElement} cell @param {Column} column @param {ChartGrid} grid */
export function updateHeaderCell(cell, column, grid) {
  const [title, chip] = /** @type {HTMLElement[]} */ (Array.from(cell.querySelectorAll(".grid-title, .grid-chip")));
  const text = column.required ? `${column.title} *` : column.title;
  if (title.textContent !== text) {
    title.textContent = text;
    title.title = column.required ? getText("grid.requiredColumn", { column: column.title }) : column.title;
  }
  const field = describeField(column, grid);
  if (chip.textContent !== field) chip.textContent = field;
  chip.hidden = !field;
  cell.classList.toggle("is-number", column.type === "number");
  cell.classList.toggle("is-extra", Boolean(column.isExtra));
}
