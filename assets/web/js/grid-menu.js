// @ts-check
/** Menus and dialogs of the data grid. They are loaded when the first one opens. */

import { h } from "./core.js";
import { HEADER_ROW } from "./grid-model.js";
import { MAX_WIDTH, MIN_WIDTH } from "./grid-view.js";
import { getText } from "./texts.js";
import { createField, openDialog, openMenu } from "./ui.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {import("./ui.js").Item} Item */

/** Runs a command with the focus in the grid. The menu then leaves the focus there. @param {ChartGrid} grid @param {() => unknown} command */
const inGrid = (grid, command) => () => {
  grid.focusGrid();
  return command();
};

/** Opens the menu of the selected cells. @param {ChartGrid} grid @param {{ x: number, y: number }} point */
export function openCellMenu(grid, point) {
  const { commands, range } = grid;
  const count = range.bottom - range.top + 1;
  const copy = { label: getText("common.copy"), keys: getText("grid.controlKey", { key: "C" }), run: inGrid(grid, () => document.execCommand("copy")) };
  const fill = (/** @type {string} */ label, /** @type {Partial<import("./grid-model.js").Range>} */ source) => ({ label, run: inGrid(grid, () => commands.fill({ ...range, ...source }, range)) });
  // The first column is on the right in a grid from right to left.
  const [toEnd, toStart] = grid.view.isRtl ? [getText("grid.fillLeft"), getText("grid.fillRight")] : [getText("grid.fillRight"), getText("grid.fillLeft")];
  const find = { label: getText("grid.find"), keys: getText("grid.controlKey", { key: "F" }), run: () => grid.openFind() };
  /** @type {Item[]} */
  const items = [
    { label: getText("grid.cut"), keys: getText("grid.controlKey", { key: "X" }), run: inGrid(grid, () => document.execCommand("cut")) },
    copy,
    { label: getText("grid.paste"), keys: getText("grid.controlKey", { key: "V" }), run: inGrid(grid, () => pasteFromClipboard(grid)) },
    { label: getText("grid.clear"), keys: getText("common.keyDelete"), run: inGrid(grid, () => commands.clear()) },
    null,
    { label: getText("grid.insertRowsAbove", { count }), keys: getText("grid.controlShiftKey", { key: "+" }), run: inGrid(grid, () => commands.insertRows(0)) },
    { label: getText("grid.insertRowsBelow", { count }), run: inGrid(grid, () => commands.insertRows(1)) },
    { label: getText("grid.deleteRows", { count }), keys: getText("grid.controlShiftKey", { key: "-" }), run: inGrid(grid, () => commands.deleteRows()) },
    { label: getText("grid.moveRowsUp", { count }), keys: getText("grid.altShiftKey", { key: "↑" }), run: inGrid(grid, () => commands.moveRows(-1)) },
    { label: getText("grid.moveRowsDown", { count }), keys: getText("grid.altShiftKey", { key: "↓" }), run: inGrid(grid, () => commands.moveRows(1)) },
    null,
    { label: getText("grid.fillDown"), keys: getText("grid.controlKey", { key: "D" }), run: inGrid(grid, () => commands.fillDown()) },
    ...(range.bottom > range.top ? [{ label: getText("grid.continueSeries"), run: inGrid(grid, () => commands.continueSeries()) }, fill(getText("grid.fillUp"), { top: range.bottom })] : []),
    ...(range.right > range.left ? [fill(toEnd, { right: range.left }), fill(toStart, { left: range.right })] : []),
    null,
    find,
  ];
  openMenu(point, grid.readOnlyReason ? [copy, find] : items, getText("grid.cells"));
}

/** Pastes from the clipboard, if the browser permits it. @param {ChartGrid} grid */
async function pasteFromClipboard(grid) {
  try {
    const [item] = await navigator.clipboard.read();
    const read = async (/** @type {string} */ type) => (item?.types.includes(type) ? (await item.getType(type)).text() : "");
    grid.commands.paste(await read("text/plain"), await read("text/html"));
  } catch {
    grid.showHint(getText("grid.clipboardBlocked"));
  }
}

/**
 * Opens the menu of the active column. A second press on its button closes it.
 * @param {ChartGrid} grid
 * @param {boolean} isPress
 */
export function openHeaderMenu(grid, isPress) {
  const { commands } = grid;
  const { column: index } = grid.selection;
  const heading = grid.view.findCell(HEADER_ROW, index);
  const column = grid.columns[index];
  if (!heading || !column) return;
  const copy = { label: getText("grid.copyColumn"), keys: getText("grid.controlKey", { key: "C" }), run: inGrid(grid, () => document.execCommand("copy")) };
  const { left, right } = grid.range;
  const count = right - left + 1;
  const toLeft = grid.view.isRtl ? 1 : -1;
  const insert = (/** @type {number} */ at) => inGrid(grid, () => commands.insertColumn(at));
  const fields = grid.fields.map((field) => ({ label: getText("grid.useFor", { field: field.title }), checked: field.key === column.key, run: inGrid(grid, () => commands.mapColumn(field.key)) }));
  /** @type {Item[]} */
  const items = [
    { label: getText("grid.sortAscending"), run: inGrid(grid, () => commands.sort(false)) },
    { label: getText("grid.sortDescending"), run: inGrid(grid, () => commands.sort(true)) },
    null,
    copy,
    ...(commands.canMoveColumns(toLeft) ? [{ label: getText("grid.moveColumnsLeft", { count }), keys: getText("grid.altShiftKey", { key: "←" }), run: inGrid(grid, () => commands.moveColumns(toLeft)) }] : []),
    ...(commands.canMoveColumns(-toLeft) ? [{ label: getText("grid.moveColumnsRight", { count }), keys: getText("grid.altShiftKey", { key: "→" }), run: inGrid(grid, () => commands.moveColumns(-toLeft)) }] : []),
    { label: getText("grid.setWidth"), run: () => openWidthDialog(grid) },
    { label: getText("grid.fitWidth"), run: inGrid(grid, () => commands.fitColumn(index)) },
    null,
    ...(grid.mayAddColumns ? [{ label: getText("grid.insertColumnBefore"), run: insert(left) }, { label: getText("grid.insertColumnAfter"), run: insert(right + 1) }] : []),
    ...(column.isRepeated ? [{ label: getText("grid.rename"), keys: "F2", run: () => openRenameDialog(grid) }] : []),
    { label: getText("grid.deleteColumns", { count }), danger: true, run: inGrid(grid, () => commands.deleteColumns()) },
    ...(fields.length ? [null, ...fields] : []),
  ];
  const { left: x, bottom: y } = heading.getBoundingClientRect();
  openMenu(isPress ? heading : { x, y }, grid.readOnlyReason ? [copy] : items, getText("grid.columnMenu", { column: column.title }));
}

/** Opens the list of values for the active cell. @param {ChartGrid} grid */
export function openChoices(grid) {
  const { row, column: index } = grid.selection;
  const column = grid.columns[index];
  const cell = grid.view.findCell(row, index);
  if (!cell || (column?.type !== "choice" && column?.type !== "boolean")) return;
  const current = grid.records[row]?.[column.key];
  /** @type {[string, unknown][]} */
  const values = column.type === "boolean" ? [[getText("grid.yes"), true], [getText("grid.no"), false]] : (column.choices ?? []).map((choice) => [choice, choice]);
  const items = [...values, /** @type {[string, unknown]} */ ([getText("grid.empty"), null])].map(([label, value]) => ({ label, checked: (current ?? null) === value, run: inGrid(grid, () => grid.commands.setActive(value)) }));
  const { left, bottom } = cell.getBoundingClientRect();
  openMenu({ x: left, y: bottom }, items, column.title);
}

/** Opens a dialog with one field, and returns the focus to the grid. @param {ChartGrid} grid @param {string} title @param {HTMLElement} field @param {string} action @param {() => unknown} run */
async function openFieldDialog(grid, title, field, action, run) {
  await openDialog({ title, body: field, actions: [{ label: getText("common.cancel"), value: "" }, { label: action, run }] }).closed;
  grid.focusGrid();
}

/** @param {ChartGrid} grid */
export function openRenameDialog(grid) {
  const { column: index } = grid.selection;
  const input = h("input", { type: "text", name: "title", required: true, maxlength: 200, value: grid.columns[index].title, autocomplete: "off" });
  const run = () => grid.commands.changeColumn(index, { title: input.value.trim() }, getText("grid.renameColumn"));
  return openFieldDialog(grid, getText("grid.renameColumn"), createField(getText("grid.columnTitle"), input), getText("common.rename"), run);
}

/** @param {ChartGrid} grid */
function openWidthDialog(grid) {
  const { column: index } = grid.selection;
  const input = h("input", { type: "number", name: "width", required: true, min: MIN_WIDTH, max: MAX_WIDTH, value: grid.view.widthOf(index) });
  const run = () => grid.commands.resizeColumn(index, Number(input.value));
  const limits = getText("grid.widthLimits", { min: MIN_WIDTH, max: MAX_WIDTH });
  return openFieldDialog(grid, getText("grid.columnWidth"), createField(getText("grid.widthInPixels"), input, limits), getText("grid.applyWidth"), run);
}
