// @ts-check
/** Rendering of the data grid: geometry, and elements for the visible rows and columns only. */

import { h } from "./core.js";
import { createHeaderCell, measureHeader, updateHeaderCell } from "./grid-header.js";
import { clamp, getRange, HEADER_ROW, isSingleCell } from "./grid-model.js";
import { formatValue, isColor, isGroupedColumn } from "./grid-values.js";
import { getText } from "./texts.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** Visible part of the scrolled content in pixels. @typedef {{ top: number, start: number, width: number, height: number }} Viewport */
/** @typedef {import("./grid-model.js").Column} Column */
/** A rendered row. `state` identifies the rendered content. @typedef {{ index: number, element: HTMLElement, header: HTMLElement, cells: Map<number, HTMLElement>, state: string }} RowView */

/** Height of a row in pixels at the default font size, with a mouse and with a finger. */
const ROW_HEIGHT = { fine: 28, coarse: 40 };
/** Width of a column without `width` by its type in pixels. */
const DEFAULT_WIDTHS = { text: 168, number: 120, date: 128, color: 128, boolean: 104, choice: 136 };
/** Additional width of a column in pixels for the larger buttons of touch screens. */
const COARSE_BUTTON_SPACE = 24;
/** Limits of the width of a column in pixels. */
export const MIN_WIDTH = 48;
export const MAX_WIDTH = 640;
/** Maximum width of a column that fits its content. */
const MAX_FITTED_WIDTH = 420;
/** Number of records that decide about the width of a column. */
const MEASURED_RECORDS = 500;
/** Maximum width to which a column without `width` grows for its header. */
const MAX_HEADER_WIDTH = 240;
/** Space of a cell beside its text in pixels. */
const CELL_PADDING = 18;
/** Width of the header of a row: space, and the width of a digit. */
const INDEX_WIDTH = { space: 26, digit: 8 };
/** Number of rows and columns that are rendered beyond the visible ones. */
const OVERSCAN = { rows: 6, columns: 1 };
/** Size of the visible part if the grid has no size, as in a hidden panel. */
const FALLBACK_SIZE = { width: 1200, height: 800 };

const coarsePointer = matchMedia("(pointer: coarse)");

/** Number in the most recently created id. */
let lastId = 0;

/** Creates a row without cells. @returns {RowView} */
function createRow() {
  const header = h("div", { class: "grid-index", role: "rowheader", "aria-colindex": 1 });
  return { index: -1, element: h("div", { class: "grid-row", role: "row" }, header), header, cells: new Map(), state: "" };
}

/** Sets or removes an attribute if it differs. @param {Element} element @param {string} name @param {string | null} value */
export function syncAttribute(element, name, value) {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Elements and geometry of a grid. */
export class GridView {
  /** Left edges of the columns, and the right edge of the last one, in pixels. @type {number[]} */
  edges = [0];
  rowHeight = ROW_HEIGHT.fine;
  indexWidth = INDEX_WIDTH.space;
  /** @type {Map<number, RowView>} */
  #rows = new Map();
  /** @type {HTMLElement[]} */
  #headers = [];
  /** Edges and widths that the elements have. @type {WeakMap<HTMLElement, string>} */
  #places = new WeakMap();
  /** Number of complete renderings. Scrolling renders only rows that are not up to date. */
  #version = 0;
  /** Whether the text of the focused cell has changed, so that its content needs to be selected again. */
  #isFocusedTextNew = false;
  /** Width of a column while its edge is dragged. @type {{ column: number, width: number } | null} */
  draggedWidth = null;
  /** Returns the width in pixels that the header of a column needs. @type {(column: import("./grid-model.js").Column) => number} */
  #measureHeader = () => 0;

  /** @param {ChartGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.statusId = `grid-status-${(lastId += 1)}`;
    this.corner = h("div", { class: "grid-corner", role: "columnheader", "aria-colindex": 1, title: getText("grid.selectAll") }, h("span", { class: "hidden" }, getText("grid.row")));
    this.addButton = h("button", { type: "button", class: "grid-add", tabindex: -1, "aria-hidden": true, title: getText("grid.addColumn") }, "+");
    this.headRow = h("div", { class: "grid-head-row", role: "row", "aria-rowindex": 1 }, this.corner);
    this.head = h("div", { class: "grid-head", role: "rowgroup" }, this.headRow);
    this.rangeBox = h("div", { class: "grid-range", "aria-hidden": true, hidden: true });
    this.targetBox = h("div", { class: "grid-target", "aria-hidden": true, hidden: true });
    this.handle = h("div", { class: "grid-handle", "aria-hidden": true, hidden: true });
    this.dropLine = h("div", { class: "grid-drop", "aria-hidden": true, hidden: true });
    this.overlay = h("div", { class: "grid-overlay", "aria-hidden": true }, this.rangeBox, this.targetBox, this.handle, this.dropLine);
    this.body = h("div", { class: "grid-body", role: "rowgroup" }, this.overlay);
    this.scroller = h("div", { class: "grid-scroller", role: "grid", "aria-multiselectable": true }, this.head, this.body);
    this.status = h("p", { class: "grid-status", id: this.statusId, dir: "auto" });
    this.reason = h("p", { class: "grid-reason", id: `${this.statusId}-reason` });
    this.live = h("p", { class: "hidden", role: "status", "aria-live": "polite" });
    grid.append(this.scroller, h("div", { class: "grid-foot" }, this.status, this.reason), this.live);
  }

  get isRtl() {
    return getComputedStyle(this.scroller).direction === "rtl";
  }

  /** Distance scrolled from the start of the line in pixels. */
  get scrollStart() {
    return Math.abs(this.scroller.scrollLeft);
  }

  get headHeight() {
    return this.head.offsetHeight;
  }

  /** Number of rows that fit into the visible part. */
  get pageRows() {
    return Math.max(1, Math.floor((this.#height - this.headHeight) / this.rowHeight) - 1);
  }

  get #height() {
    return this.scroller.clientHeight || FALLBACK_SIZE.height;
  }

  /** @param {number} column */
  widthOf(column) {
    return this.edges[column + 1] - this.edges[column];
  }

  /** Computes the geometry. The height of rows follows the font size of the page. */
  #measure() {
    const { grid } = this;
    const fontScale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
    this.rowHeight = Math.round((coarsePointer.matches ? ROW_HEIGHT.coarse : ROW_HEIGHT.fine) * fontScale);
    this.indexWidth = Math.round((INDEX_WIDTH.space + INDEX_WIDTH.digit * String(grid.rowCount).length) * fontScale);
    this.edges = [0];
    const buttonSpace = coarsePointer.matches ? COARSE_BUTTON_SPACE : 0;
    const { fontFamily } = getComputedStyle(this.scroller);
    this.#measureHeader = (column) => measureHeader(column, grid, fontFamily, fontScale);
    grid.columns.forEach((column, index) => {
      const isDragged = this.draggedWidth?.column === index;
      const headerWidth = Math.min(this.#measureHeader(column), MAX_HEADER_WIDTH * fontScale);
      const usualWidth = Math.max((DEFAULT_WIDTHS[column.type] ?? DEFAULT_WIDTHS.text) * fontScale, headerWidth) + buttonSpace * fontScale;
      const width = isDragged ? this.draggedWidth?.width : column.width ?? usualWidth;
      this.edges.push(this.edges[index] + Math.round(clamp(width ?? MIN_WIDTH, MIN_WIDTH, MAX_WIDTH)));
    });
    const { style } = this.scroller;
    style.setProperty("--grid-row-height", `${this.rowHeight}px`);
    style.setProperty("--grid-index-width", `${this.indexWidth}px`);
    const addWidth = grid.mayAddColumns && !grid.readOnlyReason ? this.rowHeight : 0;
    style.setProperty("--grid-width", `${this.indexWidth + this.edges[this.edges.length - 1] + addWidth}px`);
    this.body.style.height = `${grid.rowCount * this.rowHeight}px`;
  }

  /** Renders everything that is visible. Cells of an open edit keep their text. */
  render() {
    const { grid } = this;
    // Before all changes, because reading it after them computes the layout of the page.
    const viewport = this.#readViewport();
    this.#version += 1;
    this.#measure();
    syncAttribute(this.scroller, "aria-rowcount", String(Math.max(grid.records.length, grid.rowCount) + 1));
    syncAttribute(this.scroller, "aria-colcount", String(grid.columns.length + 1));
    syncAttribute(this.scroller, "aria-readonly", grid.readOnlyReason ? "true" : "false");
    syncAttribute(this.scroller, "aria-describedby", grid.readOnlyReason ? this.reason.id : null);
    if (this.reason.textContent !== grid.readOnlyReason) this.reason.textContent = grid.readOnlyReason;
    syncAttribute(this.scroller, "aria-label", grid.getAttribute("aria-label") ?? getText("grid.data"));
    this.#renderHead();
    this.renderRows(viewport);
    this.renderSelection();
  }

  #renderHead() {
    const { grid } = this;
    while (this.#headers.length > grid.columns.length) this.#headers.pop()?.remove();
    grid.columns.forEach((column, index) => {
      const cell = (this.#headers[index] ??= this.headRow.appendChild(createHeaderCell(index)));
      this.#placeCell(cell, index);
      updateHeaderCell(cell, column, grid);
    });
    const hasAddButton = grid.mayAddColumns && !grid.readOnlyReason;
    if (hasAddButton && !this.addButton.isConnected) this.headRow.append(this.addButton);
    if (!hasAddButton) this.addButton.remove();
    this.addButton.style.setProperty("--cell-start", `${this.indexWidth + this.edges[this.edges.length - 1]}px`);
  }

  /** Returns the visible part of the scrolled content in pixels. @returns {Viewport} */
  #readViewport() {
    const { scroller } = this;
    return { top: scroller.scrollTop, start: this.scrollStart, width: scroller.clientWidth || FALLBACK_SIZE.width, height: this.#height };
  }

  /** Returns the first and the last index that are visible. @param {Viewport} viewport @returns {{ top: number, bottom: number, left: number, right: number }} */
  #findWindow(viewport) {
    const { columns, rowCount } = this.grid;
    const { width, height } = viewport;
    // The browser adjusts the position to fewer rows and columns later.
    const scrollTop = Math.min(viewport.top, Math.max(0, rowCount * this.rowHeight - height));
    const start = Math.min(viewport.start, Math.max(0, this.edges[this.edges.length - 1] + this.indexWidth - width));
    let left = 0;
    while (left < columns.length - 1 && this.edges[left + 1] < start) left += 1;
    let right = left;
    while (right < columns.length - 1 && this.edges[right + 1] < start + width - this.indexWidth) right += 1;
    const top = Math.floor(scrollTop / this.rowHeight);
    return {
      top: clamp(top - OVERSCAN.rows, 0, rowCount - 1),
      bottom: clamp(top + Math.ceil(height / this.rowHeight) + OVERSCAN.rows, 0, rowCount - 1),
      left: Math.max(0, left - OVERSCAN.columns),
      right: Math.min(columns.length - 1, right + OVERSCAN.columns),
    };
  }

  /**
   * Gives an edited cell another place. Its element stays in the page, with the caret and an open composition; all others
   * are rendered again around it.
   * @param {HTMLElement} cell
   * @param {number} row
   * @param {number} column
   */
  moveCell(cell, row, column) {
    for (const view of this.#rows.values()) {
      if (!view.element.contains(cell)) {
        view.element.remove();
        continue;
      }
      for (const other of view.cells.values()) if (other !== cell) other.remove();
      view.cells = new Map([[column, cell]]);
      view.index = row;
      this.#rows = new Map([[row, view]]);
    }
    cell.setAttribute("aria-colindex", String(column + 2));
  }

  /** Renders the visible rows, and the row of the active cell, because it may have the focus. @param {Viewport} [viewport] */
  renderRows(viewport = this.#readViewport()) {
    const { row: activeRow } = this.grid.selection;
    const shown = this.#findWindow(viewport);
    const indexes = Array.from({ length: shown.bottom - shown.top + 1 }, (_, index) => shown.top + index);
    if (activeRow >= 0 && activeRow < shown.top) indexes.unshift(activeRow);
    if (activeRow > shown.bottom) indexes.push(activeRow);
    const needed = new Set(indexes);
    const spare = [...this.#rows.values()].filter((row) => !needed.has(row.index));
    for (const row of spare) {
      this.#rows.delete(row.index);
      row.element.remove();
    }
    /** @type {HTMLElement | null} */
    let next = null;
    // From the last to the first row, so that the next row is in its place. Rows in the page never move.
    for (const index of indexes.reverse()) {
      let row = this.#rows.get(index);
      if (!row) {
        row = spare.pop() ?? createRow();
        row.index = index;
        this.#rows.set(index, row);
        this.body.insertBefore(row.element, next);
      }
      this.#updateRow(row, shown.left, shown.right);
      next = row.element;
    }
    spare.forEach((row) => row.cells.clear());
  }

  /** @param {RowView} row @param {number} left @param {number} right */
  #updateRow(row, left, right) {
    const { grid } = this;
    const { index, element, header } = row;
    const active = grid.selection.row === index ? grid.selection.column : -1;
    const state = [this.#version, index, left, right, active].join(" ");
    if (row.state === state) return;
    row.state = state;
    element.style.setProperty("--row-top", `${index * this.rowHeight}px`);
    syncAttribute(element, "aria-rowindex", String(index + 2));
    const isNew = index >= grid.records.length;
    element.classList.toggle("is-new", isNew);
    element.classList.toggle("is-highlighted", grid.highlightedRows.has(index));
    const label = String(index + 1);
    if (header.textContent !== label) header.textContent = label;
    const isNeeded = (/** @type {number} */ column) => (column >= left && column <= right) || column === active;
    for (const [column, cell] of row.cells) {
      if (isNeeded(column) && column < grid.columns.length) continue;
      cell.remove();
      row.cells.delete(column);
    }
    /** @type {HTMLElement} */
    let previous = header;
    grid.columns.forEach((column, columnIndex) => {
      if (!isNeeded(columnIndex)) return;
      let cell = row.cells.get(columnIndex);
      if (!cell) {
        cell = h("div", { class: "grid-cell", role: "gridcell", "aria-colindex": columnIndex + 2 });
        row.cells.set(columnIndex, cell);
        previous.after(cell);
      }
      this.#updateCell(cell, index, columnIndex, column);
      previous = cell;
    });
  }

  /** Marks the highlighted rows, without the contents of cells. */
  renderHighlights() {
    for (const { index, element } of this.#rows.values()) element.classList.toggle("is-highlighted", this.grid.highlightedRows.has(index));
  }

  /** Sets edge and width of a cell. @param {HTMLElement} cell @param {number} column */
  #placeCell(cell, column) {
    const place = `${this.indexWidth + this.edges[column]} ${this.widthOf(column)}`;
    if (this.#places.get(cell) === place) return;
    this.#places.set(cell, place);
    cell.style.setProperty("--cell-start", `${this.indexWidth + this.edges[column]}px`);
    cell.style.setProperty("--cell-width", `${this.widthOf(column)}px`);
  }

  /** @param {HTMLElement} cell @param {number} row @param {number} columnIndex @param {Column} column */
  #updateCell(cell, row, columnIndex, column) {
    const { grid } = this;
    const value = grid.records[row]?.[column.key];
    this.#placeCell(cell, columnIndex);
    const isColorCell = column.type === "color" && isColor(value);
    const classes = ["grid-cell", `is-${column.type}`, column.isExtra && "is-extra", isColorCell && "has-swatch", grid.isEditing(row, columnIndex) && "editing"];
    const className = classes.filter(Boolean).join(" ");
    if (cell.className !== className) cell.className = className;
    if (isColorCell) cell.style.setProperty("--swatch", String(value));
    const message = grid.findProblem(row, columnIndex);
    syncAttribute(cell, "aria-invalid", message ? "true" : null);
    syncAttribute(cell, "title", message || null);
    if (grid.isEditing(row, columnIndex)) return;
    const text = formatValue(value, grid.locale, isGroupedColumn(grid.records, grid.columns, column));
    if (cell.textContent !== text || cell.childNodes.length > 1) {
      cell.textContent = text;
      if (document.activeElement === cell) this.#isFocusedTextNew = true;
    }
  }

  /** Renders selection and active cell, without the contents of cells. */
  renderSelection() {
    const { grid } = this;
    const { selection } = grid;
    const range = getRange(selection, grid.records.length);
    const isWhole = selection.row === HEADER_ROW;
    for (const { index, cells, header } of this.#rows.values()) {
      const isInRows = index >= range.top && index <= range.bottom;
      header.classList.toggle("is-in-range", isInRows);
      for (const [column, cell] of cells) {
        const isSelected = isInRows && column >= range.left && column <= range.right;
        const isActive = index === selection.row && column === selection.column;
        syncAttribute(cell, "aria-selected", String(isSelected));
        syncAttribute(cell, "tabindex", isActive ? "0" : null);
        syncAttribute(cell, "contenteditable", isActive && !grid.readOnlyReason ? "plaintext-only" : null);
        syncAttribute(cell, "spellcheck", isActive ? "false" : null);
        syncAttribute(cell, "aria-describedby", isActive && cell.hasAttribute("aria-invalid") ? this.statusId : null);
        if (isActive && coarsePointer.matches) cell.inputMode = grid.isEditing(index, column) ? "" : "none";
      }
    }
    this.#headers.forEach((cell, column) => {
      const isActive = isWhole && column === selection.column;
      const isInRange = column >= range.left && column <= range.right;
      cell.classList.toggle("is-in-range", isInRange);
      syncAttribute(cell, "aria-selected", String(isWhole && isInRange));
      syncAttribute(cell, "tabindex", isActive ? "0" : "-1");
    });
    this.rangeBox.hidden = isSingleCell(range);
    this.placeBox(this.rangeBox, range);
    this.handle.hidden = Boolean(grid.readOnlyReason) || isWhole || grid.edit !== null || !grid.columns.length;
    this.handle.style.setProperty("--box-start", `${this.indexWidth + (this.edges[range.right + 1] ?? 0)}px`);
    this.handle.style.setProperty("--box-top", `${(range.bottom + 1) * this.rowHeight}px`);
    if (!this.#isFocusedTextNew) return;
    this.#isFocusedTextNew = false;
    // After all changes, because it computes the layout of the page.
    if (document.activeElement instanceof HTMLElement && !grid.edit) this.selectContent(document.activeElement);
  }

  /** Places a box on a range. @param {HTMLElement} box @param {import("./grid-model.js").Range} range */
  placeBox(box, range) {
    box.style.setProperty("--box-start", `${this.indexWidth + this.edges[range.left]}px`);
    box.style.setProperty("--box-top", `${range.top * this.rowHeight}px`);
    box.style.setProperty("--box-width", `${(this.edges[range.right + 1] ?? 0) - this.edges[range.left]}px`);
    box.style.setProperty("--box-height", `${(range.bottom - range.top + 1) * this.rowHeight}px`);
  }

  /** Returns the element of a cell or of a column header, or null if it is not rendered. @param {number} row @param {number} column */
  findCell(row, column) {
    return (row === HEADER_ROW ? this.#headers[column] : this.#rows.get(row)?.cells.get(column)) ?? null;
  }

  /** Selects the content of a cell, so that typing and the first character of an input method replace it. @param {HTMLElement} cell */
  selectContent(cell) {
    getSelection()?.selectAllChildren(cell);
  }

  /** Focuses the active cell. */
  focusActive() {
    const { row, column } = this.grid.selection;
    const cell = this.findCell(row, column);
    if (!cell) return;
    cell.focus({ preventScroll: true });
    if (row !== HEADER_ROW && !this.grid.edit) this.selectContent(cell);
  }

  /** Scrolls a cell into the visible part, not below the headers. @param {number} row @param {number} column */
  scrollToCell(row, column) {
    const { scroller } = this;
    if (row !== HEADER_ROW) {
      const [top, height] = [row * this.rowHeight, this.#height - this.headHeight];
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top + this.rowHeight > scroller.scrollTop + height) scroller.scrollTop = top + this.rowHeight - height;
    }
    const width = (scroller.clientWidth || FALLBACK_SIZE.width) - this.indexWidth;
    let start = this.scrollStart;
    const [left, right] = [this.edges[column], this.edges[column + 1]];
    if (left < start) start = left;
    else if (right > start + width) start = Math.min(left, right - width);
    scroller.scrollLeft = this.isRtl ? -start : start;
  }

  /** Returns row and column at a point of the window, within the grid. @param {{ clientX: number, clientY: number }} point */
  hitTest({ clientX, clientY }) {
    const box = this.scroller.getBoundingClientRect();
    const fromStart = this.isRtl ? box.right - clientX : clientX - box.left;
    const x = fromStart - this.indexWidth + this.scrollStart;
    const y = clientY - box.top - this.headHeight + this.scroller.scrollTop;
    const after = this.edges.findIndex((edge) => edge > x);
    const lastColumn = this.grid.columns.length - 1;
    return { row: clamp(Math.floor(y / this.rowHeight), 0, this.grid.rowCount - 1), column: after < 0 ? lastColumn : clamp(after - 1, 0, lastColumn), x };
  }

  /** Returns the width at which a column shows its longest text. @param {number} index */
  fitWidth(index) {
    const { grid } = this;
    const column = grid.columns[index];
    const context = document.createElement("canvas").getContext("2d");
    if (!context) return this.widthOf(index);
    const { font } = getComputedStyle(this.body);
    context.font = font;
    const isGrouped = isGroupedColumn(grid.records, grid.columns, column);
    const texts = grid.records.slice(0, MEASURED_RECORDS).map((record) => formatValue(record[column.key], grid.locale, isGrouped));
    const widest = texts.reduce((width, text) => Math.max(width, context.measureText(text).width), 0);
    const swatch = column.type === "color" ? 20 : 0;
    return Math.ceil(clamp(Math.max(widest + CELL_PADDING + swatch, this.#measureHeader(column)), MIN_WIDTH, MAX_FITTED_WIDTH));
  }
}
