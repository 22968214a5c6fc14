// @ts-check
/** Column headers of the data grid: title, chip with the field of the chart kind, button of the menu. */

import { h } from "./core.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {import("./grid-model.js").Column} Column */

/** Space of a header beside its title in pixels: margins and the button of the menu. */
const TITLE_SPACE = 42;
/** Space of the chip beside its text in pixels, with the gap to the title. */
const CHIP_SPACE = 20;

/** Measures texts. None without a canvas. @type {CanvasRenderingContext2D | null} */
const context = document.createElement("canvas").getContext("2d");
/** Widths in pixels by font and text. @type {Map<string, number>} */
const widths = new Map();

// Texts that were measured before the font has arrived have another width.
document.fonts?.ready.then(() => widths.clear());

/** Returns the width of a text in pixels. @param {string} text @param {string} font */
function measureText(text, font) {
  const key = `${font} ${text}`;
  let width = widths.get(key);
  if (width === undefined && context) {
    context.font = font;
    width = context.measureText(text).width;
    widths.set(key, width);
  }
  return width ?? 0;
}

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

/** Returns the title of a column in its header. @param {Column} column */
const describeTitle = (column) => (column.required ? `${column.title} *` : column.title);

/**
 * Returns the width in pixels at which the header of a column shows its title and its chip.
 * @param {Column} column
 * @param {ChartGrid} grid
 * @param {string} family font family
 * @param {number} fontScale font size of the page, as a multiple of 16 px
 */
export function measureHeader(column, grid, family, fontScale) {
  const title = measureText(describeTitle(column), `600 ${13 * fontScale}px ${family}`);
  const field = describeField(column, grid);
  const chip = field ? measureText(field, `400 ${11 * fontScale}px ${family}`) + CHIP_SPACE * fontScale : 0;
  return Math.ceil(title + chip + TITLE_SPACE * fontScale);
}

/** Updates the header of a column. @param {HTMLElement} cell @param {Column} column @param {ChartGrid} grid */
export function updateHeaderCell(cell, column, grid) {
  const [title, chip] = /** @type {HTMLElement[]} */ (Array.from(cell.querySelectorAll(".grid-title, .grid-chip")));
  const text = describeTitle(column);
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
