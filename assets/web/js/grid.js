// @ts-check
/**
 * The element `chart-grid`: an editable grid of records with selection, clipboard and keyboard.
 *
 * The grid keeps no history. Each edit dispatches `grid-change` with the complete new records, and the page
 * sets the properties `records` and `columns` again. The grid emits nothing while properties are set.
 */

import { signal } from "./core.js";
import { GridCommands } from "./grid-commands.js";
import { GridEdit } from "./grid-edit.js";
import { addKeyHandlers } from "./grid-keys.js";
import { clamp, getRange, HEADER_ROW, isSingleCell, selectOne } from "./grid-model.js";
import { addPointerHandlers } from "./grid-pointer.js";
import { createNotation, findTypeProblem, formatValue } from "./grid-values.js";
import { GridView } from "./grid-view.js";
import { followRecord } from "./json-merge.js";
import { getText } from "./texts.js";

/** @typedef {import("./grid-model.js").Column} Column */
/** @typedef {import("./grid-model.js").GridRecord} GridRecord */
/** @typedef {import("./grid-model.js").Selection} Selection */
/** @typedef {{ row: number, key: string, message: string }} Problem */

/** Number of cells from which only the first rows are shown. */
const MAX_SHOWN_CELLS = 200_000;
/** Maximum number of selected cells that the summary below the grid adds up. */
const MAX_SUMMED_CELLS = 100_000;

/** Properties that the page sets, with their initial values. A change renders the grid again. */
const INITIAL_PROPERTIES = {
  columns: /** @type {readonly Column[]} */ ([]),
  records: /** @type {readonly GridRecord[]} */ ([]),
  readOnlyReason: "",
  problems: /** @type {readonly Problem[]} */ ([]),
  locale: "en",
  mayAddColumns: false,
  highlightedRows: /** @type {ReadonlySet<number>} */ (new Set()),
  fields: /** @type {readonly { key: string, title: string }[]} */ ([]),
};

/** The element `chart-grid`. */
export class ChartGrid extends HTMLElement {
  #properties = { ...INITIAL_PROPERTIES };
  /** @type {Map<string, string>} Messages by row and key. */
  #problemMessages = new Map();
  /** Language that the page has set. */
  #documentLocale = "en";
  #notation = createNotation("en");
  #isDirty = false;
  #isScheduled = false;
  #hint = "";
  #changeCount = 0;
  /** Keys of the rendered columns, so that the selection follows columns that the page moves. @type {string[]} */
  #renderedKeys = [];
  /** Records that the selection and an open edit belong to. @type {readonly GridRecord[]} */
  #followedRecords = [];
  /** @type {Selection} */
  selection = selectOne(0, 0);
  view = /** @type {GridView} */ (/** @type {unknown} */ (null));
  editor = new GridEdit(this);
  commands = new GridCommands(this);
  /** Returns the colors that the color field offers, and the background for its contrast. The page may replace it. */
  readColors = () => ({ palette: signal(/** @type {string[]} */ ([])), background: signal("#ffffff") });

  get columns() {
    return this.#properties.columns;
  }

  set columns(columns) {
    this.#setProperty("columns", columns);
  }

  get records() {
    return this.#properties.records;
  }

  set records(records) {
    this.#setProperty("records", records);
  }

  get readOnlyReason() {
    return this.#properties.readOnlyReason;
  }

  set readOnlyReason(reason) {
    this.#setProperty("readOnlyReason", reason);
  }

  get problems() {
    return this.#properties.problems;
  }

  set problems(problems) {
    this.#problemMessages = new Map(problems.map(({ row, key, message }) => [`${row} ${key}`, message]));
    this.#setProperty("problems", problems);
  }

  get locale() {
    return this.#properties.locale;
  }

  set locale(locale) {
    if (locale === this.#documentLocale) return;
    this.#documentLocale = locale;
    this.#notation = createNotation(locale);
    this.#setProperty("locale", this.#notation.locale);
  }

  get mayAddColumns() {
    return this.#properties.mayAddColumns;
  }

  set mayAddColumns(mayAdd) {
    this.#setProperty("mayAddColumns", mayAdd);
  }

  get highlightedRows() {
    return this.#properties.highlightedRows;
  }

  set highlightedRows(rows) {
    this.#properties.highlightedRows = rows;
    this.view?.renderHighlights();
  }

  get fields() {
    return this.#properties.fields;
  }

  set fields(fields) {
    this.#setProperty("fields", fields);
  }

  /** Whether Tab goes to the next cell, instead of leaving the grid. The page replaces the function. */
  doesTabMoveByCell = () => false;

  /**
   * Whether the order of a column among others of its kind has an effect. The page replaces the function.
   * @type {(column: Column) => boolean}
   */
  isOrdered = () => true;

  /** Notation of numbers and dates in the language of the document. */
  get notation() {
    return this.#notation;
  }

  /** The open edit of a cell, or null. */
  get edit() {
    return this.editor.current;
  }

  /** Number of rows that are shown, with the empty one at the end. */
  get rowCount() {
    const limit = Math.max(1, Math.floor(MAX_SHOWN_CELLS / Math.max(1, this.columns.length)));
    return Math.max(1, Math.min(limit, this.records.length + (this.readOnlyReason ? 0 : 1)));
  }

  get range() {
    return getRange(this.selection, this.records.length);
  }

  connectedCallback() {
    if (this.view) return this.#invalidate();
    // Properties that were set before the element was defined hide the accessors.
    for (const name of /** @type {(keyof typeof INITIAL_PROPERTIES)[]} */ (Object.keys(INITIAL_PROPERTIES))) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete (/** @type {any} */ (this)[name]);
      /** @type {any} */ (this)[name] = value;
    }
    this.view = new GridView(this);
    this.#addListeners();
    this.#isDirty = true;
    this.flush();
  }

  #addListeners() {
    let isFrameRequested = false;
    const renderSoon = () => {
      if (isFrameRequested) return;
      isFrameRequested = true;
      requestAnimationFrame(() => {
        isFrameRequested = false;
        this.flush();
        this.view.renderRows();
        this.view.renderSelection();
      });
    };
    this.view.scroller.addEventListener("scroll", renderSoon, { passive: true });
    new ResizeObserver(renderSoon).observe(this.view.scroller);
    this.editor.addListeners();
    this.commands.addListeners();
    addKeyHandlers(this);
    addPointerHandlers(this);
  }

  /** @template {keyof typeof INITIAL_PROPERTIES} K @param {K} name @param {(typeof INITIAL_PROPERTIES)[K]} value */
  #setProperty(name, value) {
    if (this.#properties[name] === value) return;
    this.#properties[name] = value;
    this.#invalidate();
  }

  /** Renders after the current task, so that several properties can be set. */
  #invalidate() {
    this.#isDirty = true;
    if (this.#isScheduled || !this.isConnected) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.flush());
  }

  /**
   * Lets the selection and an open edit follow their records after a change that this grid has not made, such as one of
   * another person.
   */
  #followRecords() {
    const [before, edit] = [this.#followedRecords, this.edit];
    this.#followedRecords = this.records;
    const rows = new Map();
    const follow = (/** @type {number} */ row) => {
      // The empty row at the end belongs to no record, unless somebody types into it.
      if (row < 0 || before === this.records || (row >= before.length && !edit)) return row;
      if (!rows.has(row)) rows.set(row, followRecord(before, this.records, row));
      return rows.get(row);
    };
    const { row, headRow, ...columns } = this.selection;
    const editRow = edit && follow(edit.row);
    const hasMoved = this.editor.follow(editRow, before);
    this.selection = { ...columns, row: follow(row) ?? row, headRow: follow(headRow) ?? headRow };
    if (!hasMoved || !edit) return;
    const by = edit.row - row;
    this.view.moveCell(edit.cell, edit.row, edit.column);
    this.view.scroller.scrollTop += by * this.view.rowHeight;
  }

  /** Renders changed properties now. Keeps the selection, if its cells still exist, and an open edit. */
  flush() {
    this.#isScheduled = false;
    if (!this.#isDirty || !this.view || !this.isConnected) return;
    this.#isDirty = false;
    const hadFocus = this.view.scroller.contains(document.activeElement);
    this.#followRecords();
    const { row, column, headRow, headColumn } = this.selection;
    const followColumn = (/** @type {number} */ index) => {
      const moved = this.columns.findIndex(({ key }) => key === this.#renderedKeys[index]);
      return moved < 0 ? index : moved;
    };
    this.selection = this.#limit({ row, column: followColumn(column), headRow, headColumn: followColumn(headColumn) });
    this.#renderedKeys = this.columns.map(({ key }) => key);
    this.view.render();
    this.showStatus();
    // The focused cell was removed with its row or column.
    if (hadFocus && !this.view.scroller.contains(document.activeElement)) this.view.focusActive();
  }

  /** Returns the part of a selection that exists. @param {Selection} selection @returns {Selection} */
  #limit({ row, column, headRow, headColumn }) {
    const limitRow = (/** @type {number} */ value) => clamp(value, HEADER_ROW, this.rowCount - 1);
    const limitColumn = (/** @type {number} */ value) => clamp(value, 0, Math.max(0, this.columns.length - 1));
    return { row: limitRow(row), column: limitColumn(column), headRow: limitRow(headRow), headColumn: limitColumn(headColumn) };
  }

  /** Renders an edit that was opened or closed. */
  refresh() {
    this.#isDirty = true;
    this.flush();
  }

  /** Whether a cell has an open edit. @param {number} row @param {number} column */
  isEditing(row, column) {
    return this.edit !== null && this.edit.row === row && this.edit.column === column;
  }

  /** Whether a cell has a value. @param {number} row @param {number} column */
  isFilled(row, column) {
    return formatValue(this.records[row]?.[this.columns[column]?.key], this.locale) !== "";
  }

  /** Returns the problem of a cell: that of the page, or that its value does not fit the type. @param {number} row @param {number} column */
  findProblem(row, column) {
    const descriptor = this.columns[column];
    if (!descriptor || row < 0) return "";
    const message = this.#problemMessages.get(`${row} ${descriptor.key}`);
    return message ?? findTypeProblem(this.records[row]?.[descriptor.key], descriptor, this.#notation);
  }

  /**
   * Changes the selection. Commits an open edit of another cell. `reveal` is the end of the selection that is scrolled into
   * the visible part: the one that the user moves, or its start.
   * @param {Selection} selection
   * @param {{ focus?: boolean, reveal?: "head" | "start" | "none" }} [options]
   */
  setSelection(selection, options) {
    if (!this.columns.length) return;
    if (this.edit && (this.edit.row !== selection.row || this.edit.column !== selection.column)) this.editor.commit();
    this.flush();
    this.#replaceSelection(selection, options);
  }

  /** Changes the selection, and renders changed properties together with it. @param {Selection} selection @param {{ focus?: boolean, reveal?: "head" | "start" | "none" }} [options] */
  #replaceSelection(selection, { focus = true, reveal = "head" } = {}) {
    const previous = this.selection;
    const isDirty = this.#isDirty;
    this.selection = selection;
    this.#hint = "";
    this.flush();
    if (reveal === "head") this.view.scrollToCell(selection.headRow, selection.headColumn);
    if (reveal === "start") this.view.scrollToCell(selection.row, selection.column);
    this.view.renderRows();
    this.view.renderSelection();
    if (focus) this.view.focusActive();
    if (!isDirty) this.showStatus();
    if (!isSingleCell(this.range)) this.announce(getText("grid.selected", { size: this.#describeSize() }));
    const names = /** @type {const} */ (["row", "column", "headRow", "headColumn"]);
    if (names.some((name) => previous[name] !== selection[name])) this.#emitSelection();
  }

  #emitSelection() {
    const { top, bottom, left, right } = this.range;
    const keys = this.columns.slice(left, right + 1).map((column) => column.key);
    const { row, column } = this.selection;
    this.dispatchEvent(new CustomEvent("grid-select", { detail: { row, key: this.columns[column].key, rows: [top, bottom], keys } }));
  }

  /**
   * Dispatches a change. Does nothing if nothing changes or the grid is read-only. `selection` is selected afterwards, also
   * without a change. It may have cells that the change adds, and is limited to the cells that there are.
   * @param {{ records?: readonly GridRecord[], columns?: readonly Column[], label: string, mergeKey?: string, selection?: Selection }} change
   */
  emitChange({ records = this.records, columns, label, mergeKey, selection }) {
    const nextColumns = columns === this.columns ? undefined : columns;
    // The page may put new columns between others.
    const selectedKeys = selection && (columns ?? this.columns).slice(selection.column, selection.headColumn + 1).map(({ key }) => key);
    if (!this.readOnlyReason && (records !== this.records || nextColumns)) this.#dispatchChange(records, nextColumns, label, mergeKey);
    if (!selection || !selectedKeys) return this.flush();
    const indexes = this.columns.flatMap(({ key }, index) => (selectedKeys.includes(key) ? [index] : []));
    // The selection has the order of the present columns already.
    this.#renderedKeys = this.columns.map(({ key }) => key);
    this.#replaceSelection(this.#limit({ ...selection, column: indexes[0] ?? selection.column, headColumn: indexes.at(-1) ?? selection.headColumn }), { reveal: "start" });
  }

  /** @param {readonly GridRecord[]} records @param {readonly Column[] | undefined} columns @param {string} label @param {string} [mergeKey] */
  #dispatchChange(records, columns, label, mergeKey) {
    this.#changeCount += 1;
    const detail = { records, columns, label, mergeKey: mergeKey ?? `change ${this.#changeCount}` };
    // The commands that move records also move the selection.
    this.#followedRecords = records;
    this.dispatchEvent(new CustomEvent("grid-change", { detail }));
  }

  /** Announces a text to screen readers. @param {string} text */
  announce(text) {
    this.view.live.textContent = text;
  }

  /** Shows a text below the grid until the selection changes. @param {string} text */
  showHint(text) {
    this.#hint = text;
    this.announce(text);
    this.showStatus();
  }

  /** Shows the problem of the active cell, a hint, or a summary of the selection. */
  showStatus() {
    const { row, column } = this.selection;
    const problem = this.findProblem(row, column);
    const shownRows = this.rowCount;
    const isCut = this.records.length > shownRows;
    const limit = isCut ? getText("grid.rowsLimited", { shown: shownRows, count: this.records.length }) : "";
    const text = [problem || this.#hint || this.#summarize(), limit].filter(Boolean).join(" ");
    if (this.view.status.textContent !== text) this.view.status.textContent = text;
    this.view.status.classList.toggle("is-problem", Boolean(problem));
  }

  /** Returns the size of the selected range: `2 rows × 1 column`. */
  #describeSize() {
    const { top, bottom, left, right } = this.range;
    return getText("grid.size", { rows: getText("common.rows", { count: bottom - top + 1 }), columns: getText("common.columns", { count: right - left + 1 }) });
  }

  /** Returns size, sum and average of the selected range, or an empty text for a single cell. */
  #summarize() {
    const { range } = this;
    if (isSingleCell(range)) return "";
    const size = this.#describeSize();
    if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > MAX_SUMMED_CELLS) return size;
    const keys = this.columns.slice(range.left, range.right + 1).map(({ key }) => key);
    const numbers = this.records.slice(range.top, range.bottom + 1).flatMap((record) => keys.map((key) => record[key]).filter((value) => typeof value === "number"));
    if (numbers.length < 2) return size;
    const sum = Number(numbers.reduce((total, value) => total + value, 0).toPrecision(12));
    const average = Number((sum / numbers.length).toPrecision(6));
    return getText("grid.summary", { size, sum: formatValue(sum, this.locale), average: formatValue(average, this.locale) });
  }

  /**
   * Selects a cell by its row and the key of its column. Ignores unknown keys.
   * @param {number} row
   * @param {string} key
   * @param {{ focus?: boolean }} [options]
   */
  selectCell(row, key, { focus = true } = {}) {
    const column = this.columns.findIndex((candidate) => candidate.key === key);
    this.flush();
    if (column >= 0) this.setSelection(selectOne(clamp(row, HEADER_ROW, this.rowCount - 1), column), { focus });
  }

  /** Focuses the active cell. */
  focusGrid() {
    this.flush();
    const { row, column } = this.selection;
    this.view.scrollToCell(row, column);
    this.view.renderRows();
    this.view.renderSelection();
    this.view.focusActive();
  }

  /** Opens the search in the data. */
  async openFind() {
    const { openFindBar } = await import("./grid-find.js");
    openFindBar(this);
  }
}

customElements.define("chart-grid", ChartGrid);
