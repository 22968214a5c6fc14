// @ts-check
/** Commands of the data grid: changes of cells, rows and columns, clipboard, and the menus. */

import { convertTable, parseClipboard, writeHtml, writeTsv } from "./grid-clipboard.js";
import * as model from "./grid-model.js";
import { formatValue, isMissing, parseNumber } from "./grid-values.js";
import { openLoadedDialog } from "./shortcuts.js";
import { getText } from "./texts.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {import("./grid-model.js").Column} Column */
/** @typedef {import("./grid-model.js").GridRecord} GridRecord */

/** Number of cells from which a pasted table may replace the whole grid, wherever it is pasted. */
const LARGE_PASTE_CELLS = 9;
/** Time after the menu key in which the browser may request its own menu. */
const MENU_KEY_MS = 500;
/** Commands that need the menus, which are loaded when the first one opens. */
const loadMenus = () => import("./grid-menu.js");

/** Commands of a grid. They act on its selection. */
export class GridCommands {
  /** @param {ChartGrid} grid */
  constructor(grid) {
    this.grid = grid;
  }

  addListeners() {
    const { scroller } = this.grid.view;
    scroller.addEventListener("copy", (event) => this.#copy(event));
    scroller.addEventListener("cut", (event) => {
      if (this.#copy(event) && this.#mayEdit()) this.clear(getText("grid.cutCells"));
    });
    scroller.addEventListener("paste", (event) => this.#handlePaste(event));
    scroller.addEventListener("contextmenu", (event) => this.#handleContextMenu(event));
    for (const type of ["dragstart", "drop"]) scroller.addEventListener(type, (event) => this.grid.edit || (type === "dragstart" && event.preventDefault()));
  }

  /** Whether the grid may be changed. Announces the reason if not. */
  #mayEdit() {
    if (this.grid.readOnlyReason) this.grid.announce(this.grid.readOnlyReason);
    return !this.grid.readOnlyReason;
  }

  /** @param {"grid-undo" | "grid-redo"} name */
  requestUndo(name) {
    this.grid.dispatchEvent(new CustomEvent(name, { bubbles: true }));
    return true;
  }

  /** Empties the selected cells. @param {string} [label] */
  clear(label = getText("grid.clearCells")) {
    const { grid } = this;
    if (this.#mayEdit()) grid.emitChange({ records: model.clearRange(grid.records, grid.range, grid.columns), label });
  }

  /** Opens the edit of the active cell, or the choices or the color field of its column. */
  editActive() {
    const { grid } = this;
    const type = grid.columns[grid.selection.column]?.type;
    if (type === "choice" || type === "boolean" || type === "color") this.openChoices();
    else grid.editor.open();
  }

  /** Switches the truth value of the active cell. */
  toggle() {
    const { row, column } = this.grid.selection;
    this.setActive(this.grid.records[row]?.[this.grid.columns[column].key] !== true);
  }

  /** Sets the value of the active cell. @param {unknown} value */
  setActive(value) {
    const { grid } = this;
    const { row, column } = grid.selection;
    const { key } = grid.columns[column];
    if (this.#mayEdit()) grid.emitChange({ records: model.setCells(grid.records, [{ row, key, value }]), label: getText("grid.editCell"), mergeKey: `cell ${row} ${key}` });
  }

  /** Reduces the selection to the active cell. Returns whether that changes it. */
  collapseSelection() {
    const { grid } = this;
    const { row, column } = grid.selection;
    if (model.isSingleCell(grid.range) || row < 0) return false;
    grid.setSelection(model.selectOne(row, column));
    return true;
  }

  selectAll() {
    const { grid } = this;
    grid.setSelection({ row: 0, column: 0, headRow: Math.max(0, Math.min(grid.records.length, grid.rowCount) - 1), headColumn: grid.columns.length - 1 }, { reveal: "none" });
  }

  selectColumn() {
    const { left, right } = this.grid.range;
    this.grid.setSelection({ row: model.HEADER_ROW, column: left, headRow: model.HEADER_ROW, headColumn: right });
  }

  /** Copies the first selected row to the others, or the row above to a single row. */
  fillDown() {
    const { grid } = this;
    const { range } = grid;
    const source = range.top === range.bottom && range.top > 0 ? { ...range, top: range.top - 1 } : range;
    if (this.#mayEdit()) grid.emitChange({ records: model.fillDown(grid.records, source, grid.columns), label: getText("grid.fillDown") });
  }

  /** Continues the filled rows at the top of the selection to its end. */
  continueSeries() {
    const { grid } = this;
    const { range } = grid;
    let bottom = range.top;
    const hasValue = (/** @type {number} */ row) => grid.columns.slice(range.left, range.right + 1).some(({ key }) => !isMissing(grid.records[row]?.[key]));
    while (bottom < range.bottom && hasValue(bottom + 1)) bottom += 1;
    this.fill({ ...range, bottom }, range);
  }

  /** Fills a range from a part of it. @param {model.Range} source @param {model.Range} target */
  fill(source, target) {
    const { grid } = this;
    if (!this.#mayEdit()) return;
    grid.emitChange({ records: model.fillRange(grid.records, source, target, grid.columns), label: getText("grid.fillCells") });
    grid.setSelection({ row: target.top, column: target.left, headRow: target.bottom, headColumn: target.right });
  }

  /** Inserts as many rows as are selected, above the selection or below it. @param {0 | 1} side */
  insertRows(side) {
    const { grid } = this;
    const { top, bottom } = grid.range;
    if (!this.#mayEdit() || grid.selection.row < 0) return;
    const at = Math.min(side ? bottom + 1 : top, grid.records.length);
    const count = bottom - top + 1;
    grid.emitChange({ records: model.insertRows(grid.records, at, count), label: getText("grid.insertRows", { count }) });
    this.#selectRows(at, at + count - 1);
    grid.announce(getText("grid.rowsInserted", { count }));
  }

  /** Selects cells of other rows in the selected columns. @param {number} first @param {number} last */
  #selectRows(first, last) {
    const { grid } = this;
    const limit = (/** @type {number} */ row) => model.clamp(row, 0, grid.rowCount - 1);
    const { column, headColumn } = grid.selection;
    grid.setSelection({ row: limit(first), column, headRow: limit(last), headColumn });
  }

  deleteRows() {
    const { grid } = this;
    const { top, bottom } = grid.range;
    const last = Math.min(bottom, grid.records.length - 1);
    if (!this.#mayEdit() || grid.selection.row < 0 || last < top) return;
    const count = last - top + 1;
    grid.emitChange({ records: model.deleteRows(grid.records, top, last), label: getText("grid.deleteRows", { count }) });
    this.#selectRows(top, top);
    grid.announce(getText("grid.rowsDeleted", { count }));
  }

  /** Moves the selected rows. @param {number} by */
  moveRows(by) {
    const { grid } = this;
    const { top, bottom } = grid.range;
    if (!this.#mayEdit() || grid.selection.row < 0 || bottom >= grid.records.length) return;
    const records = model.moveItems(grid.records, top, bottom, by);
    if (records === grid.records) return;
    grid.emitChange({ records, label: getText("grid.moveRows", { count: bottom - top + 1 }) });
    const { row, headRow, column, headColumn } = grid.selection;
    grid.setSelection({ row: row + by, headRow: headRow + by, column, headColumn });
    grid.announce(getText("grid.movedToRow", { row: String(top + by + 1) }));
  }

  /** Whether the selected columns can be moved, and their new order has an effect. @param {number} by @param {model.Range} [range] */
  canMoveColumns(by, range = this.grid.range) {
    const { columns, isOrdered } = this.grid;
    const [first, last] = [Math.min(range.left, range.left + by), Math.max(range.right, range.right + by)];
    return first >= 0 && last < columns.length && columns.slice(first, last + 1).every(isOrdered);
  }

  /** Moves the selected columns. @param {number} by @param {model.Range} [range] */
  moveColumns(by, range = this.grid.range) {
    const { grid } = this;
    if (!this.#mayEdit()) return;
    if (!this.canMoveColumns(by, range)) return grid.announce(getText("grid.columnStays"));
    const columns = model.moveItems(grid.columns, range.left, range.right, by);
    if (columns === grid.columns) return;
    const { row, headRow, column, headColumn } = grid.selection;
    grid.emitChange({ columns, label: getText("grid.moveColumns", { count: range.right - range.left + 1 }) });
    grid.setSelection({ row, headRow, column: column + by, headColumn: headColumn + by });
    grid.announce(getText("grid.movedToColumn", { column: String(range.left + by + 1) }));
  }

  /** Inserts a column and selects its header. @param {number} at */
  insertColumn(at) {
    const { grid } = this;
    if (!this.#mayEdit() || !grid.mayAddColumns) return;
    grid.emitChange({ columns: grid.columns.toSpliced(at, 0, model.createColumn(grid.columns, grid.records)), label: getText("grid.insertColumn") });
    grid.setSelection(model.selectOne(model.HEADER_ROW, model.clamp(at, 0, grid.columns.length - 1)));
  }

  deleteColumns() {
    const { grid } = this;
    const { left, right } = grid.range;
    const keys = grid.columns.slice(left, right + 1).map((column) => column.key);
    if (!this.#mayEdit()) return;
    const change = { records: model.removeKeys(grid.records, keys), columns: grid.columns.toSpliced(left, keys.length) };
    grid.emitChange({ ...change, label: getText("grid.deleteColumns", { count: keys.length }) });
    grid.setSelection(model.selectOne(grid.selection.row, model.clamp(left, 0, Math.max(0, grid.columns.length - 1))));
  }

  /** Replaces properties of a column. @param {number} index @param {Partial<Column>} properties @param {string} label @param {string} [mergeKey] */
  changeColumn(index, properties, label, mergeKey) {
    const { grid } = this;
    if (this.#mayEdit()) grid.emitChange({ columns: grid.columns.with(index, { ...grid.columns[index], ...properties }), label, mergeKey });
  }

  /** @param {number} index @param {number} width in pixels */
  resizeColumn(index, width) {
    this.changeColumn(index, { width: Math.round(width) }, getText("grid.resizeColumn"), `width ${this.grid.columns[index].key}`);
  }

  /** @param {number} index */
  fitColumn(index) {
    this.resizeColumn(index, this.grid.view.fitWidth(index));
  }

  /** Sorts all records by the active column. @param {boolean} isDescending */
  sort(isDescending) {
    const { grid } = this;
    const column = grid.columns[grid.selection.column];
    // The order of truth values is the same in all languages.
    const format = (/** @type {unknown} */ value) => (typeof value === "boolean" ? String(value) : formatValue(value, grid.locale));
    const records = model.sortRecords(grid.records, column.key, isDescending, format, grid.locale);
    if (this.#mayEdit()) grid.emitChange({ records, label: getText("grid.sortRows") });
    grid.announce(isDescending ? getText("grid.sortedDescending", { column: column.title }) : getText("grid.sortedAscending", { column: column.title }));
  }

  /** @param {string} targetKey */
  mapColumn(targetKey) {
    const { key } = this.grid.columns[this.grid.selection.column];
    if (this.#mayEdit() && key !== targetKey) this.grid.dispatchEvent(new CustomEvent("grid-map-column", { detail: { key, targetKey } }));
  }

  /** Whether two columns can exchange their fields: at least one of them has a field. @param {number} from @param {number} to */
  canExchangeFields(from, to) {
    const { columns } = this.grid;
    return from !== to && !(columns[from].isExtra && columns[to].isExtra);
  }

  /** Gives the field of a column to another one, which gives its own field in return. @param {number} from @param {number} to */
  exchangeFields(from, to) {
    const { grid } = this;
    if (!this.canExchangeFields(from, to)) return;
    const [first, second] = [grid.columns[from], grid.columns[to]];
    // A column without a field takes that of the other one.
    const [taker, giver] = first.isExtra ? [first, second] : [second, first];
    grid.setSelection(model.selectOne(model.HEADER_ROW, to));
    if (this.#mayEdit()) grid.dispatchEvent(new CustomEvent("grid-map-column", { detail: { key: taker.key, targetKey: giver.key } }));
  }

  /** @param {boolean} [isPress] whether a press on the button of the menu opens it */
  async openHeaderMenu(isPress = false) {
    (await loadMenus()).openHeaderMenu(this.grid, isPress);
  }

  async openChoices() {
    const { grid } = this;
    if (!this.#mayEdit()) return;
    if (grid.columns[grid.selection.column]?.type === "color") (await import("./grid-color.js")).openCellColor(grid);
    else (await loadMenus()).openChoices(grid);
  }

  async renameColumn() {
    if (this.grid.columns[this.grid.selection.column]?.isRepeated && this.#mayEdit()) await openLoadedDialog(loadMenus, (menus) => menus.openRenameDialog(this.grid));
  }

  /** Opens the menu of the active cell or header below it. */
  async openMenuAtActive() {
    const { grid } = this;
    const { row, column } = grid.selection;
    const cell = grid.view.findCell(row, column);
    if (!cell) return;
    // The browser's own menu would follow the key, at the first item of this menu.
    const listeners = new AbortController();
    const suppress = (/** @type {Event} */ event) => {
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("contextmenu", suppress, { capture: true, signal: listeners.signal });
    document.addEventListener("pointerdown", () => listeners.abort(), { capture: true, signal: listeners.signal });
    setTimeout(() => listeners.abort(), MENU_KEY_MS);
    const menus = await loadMenus();
    const { left, bottom } = cell.getBoundingClientRect();
    if (row === model.HEADER_ROW) menus.openHeaderMenu(grid, false);
    else menus.openCellMenu(grid, { x: left, y: bottom });
  }

  /** @param {MouseEvent} event */
  async #handleContextMenu(event) {
    const { grid } = this;
    const target = /** @type {HTMLElement} */ (event.target);
    if (grid.edit?.cell.contains(target)) return;
    event.preventDefault();
    const { clientX, clientY } = event;
    // Releasing the button would close a menu that is already open.
    if (event.buttons) await new Promise((resolve) => addEventListener("pointerup", () => setTimeout(resolve), { once: true }));
    const isHeading = target.closest(".grid-heading");
    const { row, column } = grid.view.hitTest(event);
    const { top, bottom, left, right } = grid.range;
    if (isHeading) {
      if (grid.selection.row !== model.HEADER_ROW || column < left || column > right) grid.setSelection(model.selectOne(model.HEADER_ROW, column));
      return this.openHeaderMenu();
    }
    const isIndex = target.closest(".grid-index");
    const isInside = row >= top && row <= bottom && (isIndex || (column >= left && column <= right)) && grid.selection.row !== model.HEADER_ROW;
    if (!isInside) grid.setSelection(isIndex ? { row, column: 0, headRow: row, headColumn: grid.columns.length - 1 } : model.selectOne(row, column));
    (await loadMenus()).openCellMenu(grid, { x: clientX, y: clientY });
  }

  /** Writes the selected cells to the clipboard. Returns false during an edit, when the browser copies text. @param {ClipboardEvent} event */
  #copy(event) {
    const { grid } = this;
    if (grid.edit || !event.clipboardData) return false;
    event.preventDefault();
    const { top, bottom, left, right } = grid.range;
    const columns = grid.columns.slice(left, right + 1);
    const rows = Array.from({ length: bottom - top + 1 }, (_, index) => columns.map(({ key }) => grid.records[top + index]?.[key] ?? null));
    // The titles belong to whole columns.
    if (grid.selection.row === model.HEADER_ROW) rows.unshift(columns.map((column) => column.title));
    event.clipboardData.setData("text/plain", writeTsv(rows, grid.locale));
    event.clipboardData.setData("text/html", writeHtml(rows, grid.locale));
    grid.announce(getText("grid.cellsCopied", { count: rows.length * columns.length }));
    return true;
  }

  /** @param {ClipboardEvent} event */
  #handlePaste(event) {
    const [text, html] = ["text/plain", "text/html"].map((type) => event.clipboardData?.getData(type) ?? "");
    if (!text && !html) return;
    event.preventDefault();
    if (this.grid.edit) document.execCommand("insertText", false, text.replace(/\s*[\r\n]+\s*/g, " ").trim());
    else this.paste(text, html);
  }

  /** Pastes a table at the selection, or lets the page take it over. @param {string} text @param {string} html */
  paste(text, html) {
    const { grid } = this;
    if (!this.#mayEdit()) return;
    const rows = parseClipboard(html, text);
    const cellCount = rows.length * (rows[0]?.length ?? 0);
    if (!cellCount) return;
    const { top, left } = grid.range;
    const isAtStart = top === 0 && left === 0;
    if ((isAtStart && cellCount > 1) || cellCount > LARGE_PASTE_CELLS) {
      const isFree = grid.dispatchEvent(new CustomEvent("grid-paste-table", { cancelable: true, detail: { text, html, rows } }));
      if (!isFree) return;
    }
    this.#pasteRows(rows);
  }

  /** Pastes texts. Repeats them if the selection is a multiple of their size. @param {string[][]} source */
  #pasteRows(source) {
    const { grid } = this;
    const { top, bottom, left, right } = grid.range;
    const [height, width] = [source.length, source[0].length];
    const [down, across] = [(bottom - top + 1) / height, (right - left + 1) / width].map((times) => (Number.isInteger(times) ? times : 1));
    const { columns, added, lost } = this.#makeColumns(source, left, width);
    const { values, hints } = convertTable(source, columns.slice(left, left + width), grid.notation);
    const listChanges = function* () {
      for (let row = 0; row < height * down; row += 1) {
        for (let column = 0; column < width * across && left + column < columns.length; column += 1) {
          yield { row: top + row, key: columns[left + column].key, value: values[row % height][column % width] };
        }
      }
    };
    // A column for each repetition has its own type.
    const changes = across > 1 ? this.#convertRepeated([...listChanges()], source, columns) : listChanges();
    const selection = { row: top, column: left, headRow: top + height * down - 1, headColumn: left + width * across - 1 };
    grid.emitChange({ records: model.setCells(grid.records, changes), columns: added ? columns : undefined, label: getText("grid.paste"), selection });
    if (lost) hints.unshift(getText("grid.columnsLeftOut", { count: lost }));
    if (hints.length) grid.showHint(hints.join(" "));
    else grid.announce(getText("grid.cellsPasted", { count: height * down * width * across }));
  }

  /** Converts the texts of repeated columns by the type of the column they go to. @param {{ row: number, key: string, value: unknown }[]} changes @param {string[][]} source @param {readonly Column[]} columns */
  #convertRepeated(changes, source, columns) {
    const { grid } = this;
    const { top, left } = grid.range;
    const byKey = new Map(columns.map((column, index) => [column.key, { column, index }]));
    for (const change of changes) {
      const target = byKey.get(change.key);
      if (!target) continue;
      const text = source[(change.row - top) % source.length][(target.index - left) % source[0].length];
      change.value = convertTable([[text]], [target.column], grid.notation).values[0][0];
    }
    return changes;
  }

  /** Adds columns for a table that is wider than the grid, if that is allowed. @param {string[][]} source @param {number} left @param {number} width */
  #makeColumns(source, left, width) {
    const { grid } = this;
    let columns = [...grid.columns];
    const missing = Math.max(0, left + width - columns.length);
    if (!grid.mayAddColumns) return { columns, added: 0, lost: missing };
    const isNumber = (/** @type {string} */ text) => parseNumber(text.trim(), ".") !== null || parseNumber(text.trim(), ",") !== null;
    for (let index = width - missing; index < width; index += 1) {
      const type = model.guessType(source.map((row) => row[index]), isNumber);
      columns = [...columns, model.createColumn(columns, grid.records, type)];
    }
    return { columns, added: missing, lost: 0 };
  }
}
