// @ts-check
/**
 * Editing of a cell in the data grid. The active cell is editable and its content selected, so that the first
 * character replaces it, also that of an input method. The edit opens with that input.
 */

import { voteDateOrder } from "./grid-dates.js";
import { setCells } from "./grid-model.js";
import { convertText, findTypeProblem, toEditText, voteSeparator } from "./grid-values.js";
import { getText } from "./texts.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {import("./grid-model.js").GridRecord} GridRecord */
/** @typedef {import("./grid-model.js").Column} Column */

/**
 * An open edit. Arrow keys leave the cell if `isReplacing`, and move the caret otherwise. `startText` is the
 * text at the start, or null if the first input replaces it. `recordCount` is the number of records at the start, with those that others have added or removed since.
 * @typedef {{ row: number, column: number, key: string, original: unknown, startText: string | null, recordCount: number, hasEmitted: boolean, emittedValue?: unknown, isReplacing: boolean, cell: HTMLElement, descriptor: Column }} OpenEdit
 */

/** Editing of a cell. */
export class GridEdit {
  /** @type {OpenEdit | null} */
  current = null;

  /** @param {ChartGrid} grid */
  constructor(grid) {
    this.grid = grid;
  }

  addListeners() {
    const { scroller } = this.grid.view;
    scroller.addEventListener("beforeinput", (event) => this.#handleBeforeInput(event));
    scroller.addEventListener("compositionstart", () => this.#startByTyping());
    scroller.addEventListener("compositionend", () => this.#emitLive());
    scroller.addEventListener("input", (event) => /** @type {InputEvent} */ (event).isComposing || this.#emitLive());
    scroller.addEventListener("focusout", (event) => this.#handleFocusOut(event));
  }

  /** @param {InputEvent} event */
  #handleBeforeInput(event) {
    if (this.current) return;
    const { inputType } = event;
    if (/^insert(Text|CompositionText|ReplacementText)$/.test(inputType)) return this.#startByTyping();
    // The composition has started the edit before.
    if (event.isComposing) return;
    event.preventDefault();
    if (inputType.startsWith("delete")) this.grid.commands.clear();
    else if (inputType === "insertParagraph" || inputType === "insertLineBreak") this.open();
    else if (inputType === "historyUndo") this.grid.commands.requestUndo("grid-undo");
    else if (inputType === "historyRedo") this.grid.commands.requestUndo("grid-redo");
  }

  /** @param {boolean} isReplacing @param {string | null} startText */
  #start(isReplacing, startText) {
    const { grid } = this;
    grid.flush();
    const { row, column } = grid.selection;
    const cell = grid.view.findCell(row, column);
    if (!cell || grid.readOnlyReason || row < 0) return null;
    const descriptor = grid.columns[column];
    const { key } = descriptor;
    const original = grid.records[row]?.[key] ?? null;
    this.current = { row, column, key, original, startText, recordCount: grid.records.length, hasEmitted: false, isReplacing, cell, descriptor };
    cell.classList.add("editing");
    grid.view.renderSelection();
    return this.current;
  }

  #startByTyping() {
    if (!this.current) this.#start(true, null);
  }

  /** Opens an edit with the whole text and the caret at its end. */
  open() {
    const { grid } = this;
    if (grid.readOnlyReason) return grid.announce(grid.readOnlyReason);
    const { row, column } = grid.selection;
    if (row < 0 || this.current) return;
    const text = toEditText(grid.records[row]?.[grid.columns[column]?.key], grid.locale);
    const edit = this.#start(false, text);
    if (!edit) return;
    const { cell } = edit;
    if (cell.textContent !== text) cell.textContent = text;
    cell.focus({ preventScroll: true });
    getSelection()?.selectAllChildren(cell);
    getSelection()?.collapseToEnd();
  }

  /** Returns the text of the edited cell without the line break that Chromium adds at the end. @param {OpenEdit} edit */
  #readText({ cell }) {
    return cell.innerText.replace(/\n$/, "");
  }

  /** Converts a text to the type of the column. A single text decides about its notation itself. @param {OpenEdit} edit @param {string} text */
  #convert({ descriptor }, text) {
    const { grid } = this;
    const fallback = grid.notation;
    const { separator } = voteSeparator([text.trim()], fallback.separator);
    const { notation } = voteDateOrder([text], { ...fallback, separator });
    return convertText(text, descriptor, notation);
  }

  /**
   * Emits the value of each input, so that the chart follows. Texts that are not of the type wait for the end,
   * and so do numbers in the notation of another language, because `1,2` may become `1,200`.
   */
  #emitLive() {
    const edit = this.current;
    if (!edit) return;
    const { grid } = this;
    const value = convertText(this.#readText(edit), edit.descriptor, grid.notation);
    if (!findTypeProblem(value, edit.descriptor, grid.notation)) this.#emit(edit, value);
  }

  /** @param {OpenEdit} edit @param {unknown} value */
  #emit(edit, value) {
    const { grid } = this;
    const { row, key } = edit;
    const records = setCells(grid.records, [{ row, key, value }]);
    if (records === grid.records) return;
    [edit.hasEmitted, edit.emittedValue] = [true, value];
    grid.emitChange({ records, label: getText("grid.editCell"), mergeKey: `cell ${row} ${key}` });
  }

  /** Whether the cell of an edit still has the value that it has emitted, and not one of somebody else. @param {OpenEdit} edit */
  #hasOwnValue({ row, key, hasEmitted, emittedValue }) {
    return hasEmitted && (this.grid.records[row]?.[key] ?? null) === (emittedValue ?? null);
  }

  /** Ends the edit and keeps its value. Does not repeat a value that is known already, because somebody else may have changed it since. */
  commit() {
    const edit = this.current;
    if (!edit) return;
    const text = this.#readText(edit);
    this.current = null;
    if (text !== edit.startText) {
      const value = this.#convert(edit, text);
      if (!edit.hasEmitted || value !== edit.emittedValue) this.#emit(edit, value);
    } else if (this.#hasOwnValue(edit)) this.#emit(edit, edit.original);
    this.#close(edit);
  }

  /** Ends the edit and restores the value from before it. */
  cancel() {
    const edit = this.current;
    if (!edit) return;
    const { grid } = this;
    this.current = null;
    if (this.#hasOwnValue(edit)) {
      const { row, key, original } = edit;
      let records = setCells(grid.records, [{ row, key, value: original }]);
      // Records that the edit has added are removed again.
      while (records.length > edit.recordCount && !Object.keys(records[records.length - 1]).length) records = records.slice(0, -1);
      grid.emitChange({ records, label: getText("grid.editCell"), mergeKey: `cell ${row} ${key}` });
    }
    this.#close(edit);
  }

  /** @param {OpenEdit} edit */
  #close({ cell }) {
    // New text nodes, so that the undo of the browser in a later edit does not change this cell.
    cell.textContent = "";
    this.grid.refresh();
    if (document.activeElement === cell) this.grid.view.selectContent(cell);
    this.grid.dispatchEvent(new CustomEvent("grid-edit-end"));
  }

  /**
   * Lets an edit follow its record and its column after a change by others. If they no longer exist, ends the edit and
   * tells the page its text. Also ends it if the grid is read-only now.
   * @param {number | null} row the row of the record now; null if it was removed
   * @param {readonly GridRecord[]} before the records before the change
   * @returns {boolean} whether the edited cell has moved
   */
  follow(row, before) {
    const edit = this.current;
    if (!edit) return false;
    const { grid } = this;
    const column = grid.columns.findIndex(({ key }) => key === edit.key);
    if (row === null || column < 0 || row >= grid.rowCount || grid.readOnlyReason) {
      this.#end(edit, before);
      return false;
    }
    edit.recordCount += grid.records.length - before.length;
    if (edit.row === row && edit.column === column) return false;
    Object.assign(edit, { row, column });
    return true;
  }

  /** Ends an edit if its cell is gone. @param {OpenEdit} edit @param {readonly GridRecord[]} before */
  #end(edit, before) {
    const { grid } = this;
    const text = this.#readText(edit);
    this.current = null;
    edit.cell.textContent = "";
    if (text === edit.startText || grid.readOnlyReason) return;
    const record = { ...before[edit.row], [edit.key]: this.#convert(edit, text) };
    grid.dispatchEvent(new CustomEvent("grid-edit-lost", { detail: { row: edit.row, record, text } }));
  }

  /** @param {FocusEvent} event */
  #handleFocusOut(event) {
    // The window has lost the focus, and gives it back to the cell later.
    if (!this.current || !document.hasFocus()) return;
    if (event.relatedTarget !== this.current.cell) this.commit();
  }
}
