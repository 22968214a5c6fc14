// @ts-check
/** The color field as editor of a cell in the data grid. */

import { openColorPopover } from "./color-field.js";
import { signal } from "./core.js";
import { setCells } from "./grid-model.js";
import { toText } from "./settings-model.js";
import { getText } from "./texts.js";

/** Number of opened fields, for ids. */
let fieldCount = 0;

/**
 * Opens the color field at the active cell. Each choice is a change of the cell. Escape restores the color from before.
 * @param {import("./grid.js").ChartGrid} grid
 */
export function openCellColor(grid) {
  const { row, column } = grid.selection;
  const { key, title } = grid.columns[column];
  const cell = grid.view.findCell(row, column);
  if (!cell || row < 0) return;
  const original = grid.records[row]?.[key];
  const recordCount = grid.records.length;
  // The field follows its own changes and those by undo.
  const color = signal(toText(original));
  const mergeKey = `cell ${row} ${key}`;
  const update = () => (color.value = toText(grid.records[row]?.[key]));
  const write = (/** @type {unknown} */ value) => {
    let records = setCells(grid.records, [{ row, key, value: value ?? null }]);
    // A record that the field has added is removed again with its color.
    while (records.length > recordCount && !Object.keys(records[records.length - 1]).length) records = records.slice(0, -1);
    grid.emitChange({ records, label: getText("grid.editCell"), mergeKey });
    update();
  };
  const name = getText("grid.cellName", { column: title, row: String(row + 1) });
  const form = { ...grid.readColors(), createId: () => `cell-color-${(fieldCount += 1)}` };
  const options = { label: name, read: () => color.value || undefined, write, emptyText: getText("grid.noColor"), form };
  const popover = openColorPopover(cell, options, (hadFocus) => hadFocus && grid.focusGrid(), grid);
  popover.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") write(original);
    const isEnd = event.key === "Escape" || (event.key === "Enter" && event.target instanceof HTMLInputElement && event.target.type === "text");
    if (!isEnd) return;
    event.preventDefault();
    event.stopPropagation();
    popover.hidePopover();
  });
}
