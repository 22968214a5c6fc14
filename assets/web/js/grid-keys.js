// @ts-check
/** Keyboard of the data grid. Keys that type text are not handled, so that they open an edit. */

import { clamp, findBlockEdge, HEADER_ROW, selectOne } from "./grid-model.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {{ row: number, column: number }} Position */

const ARROWS = new Map([["ArrowUp", { row: -1, column: 0 }], ["ArrowDown", { row: 1, column: 0 }], ["ArrowLeft", { row: 0, column: -1 }], ["ArrowRight", { row: 0, column: 1 }]]);

/** Adds the handlers of keys. @param {ChartGrid} grid */
export function addKeyHandlers(grid) {
  grid.view.scroller.addEventListener("keydown", (event) => {
    // Keys of an input method (in Safari only with the code 229), and characters that need AltGr.
    if (event.isComposing || event.key === "Process" || event.keyCode === 229 || event.getModifierState("AltGraph")) return;
    grid.flush();
    const isHandled = grid.edit ? handleEditKey(grid, event) : handleKey(grid, event);
    if (!isHandled) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Step of an arrow key in the direction of the writing. @param {ChartGrid} grid @param {string} key */
function readArrow(grid, key) {
  const step = ARROWS.get(key);
  return step && step.column && grid.view.isRtl ? { row: 0, column: -step.column } : step;
}

/** Moves the active cell within the grid. @param {ChartGrid} grid @param {number} rows @param {number} columns */
function moveActive(grid, rows, columns) {
  const { row, column } = grid.selection;
  grid.setSelection(selectOne(clamp(row + rows, 0, grid.rowCount - 1), clamp(column + columns, 0, grid.columns.length - 1)));
}

/** Handles a key during an edit. Returns whether the key needs no other handling. @param {ChartGrid} grid @param {KeyboardEvent} event */
function handleEditKey(grid, event) {
  const { editor } = grid;
  const isControl = event.ctrlKey || event.metaKey;
  const step = editor.current?.isReplacing && !isControl && !event.altKey && !event.shiftKey ? readArrow(grid, event.key) : undefined;
  if (step) {
    editor.commit();
    moveActive(grid, step.row, step.column);
    return true;
  }
  switch (event.key) {
    case "Enter":
      if (event.altKey) return document.execCommand("insertLineBreak");
      editor.commit();
      if (!isControl) moveActive(grid, event.shiftKey ? -1 : 1, 0);
      return true;
    case "Tab":
      editor.commit();
      moveActive(grid, 0, event.shiftKey ? -1 : 1);
      return true;
    case "Escape":
      editor.cancel();
      return true;
    case "F2":
      if (editor.current) editor.current.isReplacing = false;
      return true;
    default:
      return false;
  }
}

/** Handles a key without an edit. Returns whether the key needs no other handling. @param {ChartGrid} grid @param {KeyboardEvent} event */
function handleKey(grid, event) {
  const isControl = event.ctrlKey || event.metaKey;
  const step = readArrow(grid, event.key);
  if (step && event.altKey) return handleAltArrow(grid, event, step);
  if (isControl && event.altKey) return false;
  if (step) return moveByArrow(grid, step, isControl, event.shiftKey);
  if (handleNavigation(grid, event, isControl)) return true;
  return isControl ? handleControlKey(grid, event) : handlePlainKey(grid, event);
}

/** Alt+Shift+arrow moves columns or rows, Alt+down opens a menu. @param {ChartGrid} grid @param {KeyboardEvent} event @param {Position} step */
function handleAltArrow(grid, event, step) {
  if (event.ctrlKey || event.metaKey) return false;
  if (event.shiftKey) {
    if (step.column) grid.commands.moveColumns(step.column);
    else grid.commands.moveRows(step.row);
    return true;
  }
  if (event.key !== "ArrowDown") return false;
  if (grid.selection.row === HEADER_ROW) grid.commands.openHeaderMenu();
  else grid.commands.openChoices();
  return true;
}

/** @param {ChartGrid} grid @param {Position} step @param {boolean} toEdge @param {boolean} isExtending */
function moveByArrow(grid, step, toEdge, isExtending) {
  const { selection } = grid;
  const start = isExtending ? { row: selection.headRow, column: selection.headColumn } : selection;
  const [lastRow, lastColumn] = [grid.rowCount - 1, grid.columns.length - 1];
  let { row, column } = start;
  if (selection.row === HEADER_ROW) {
    if (step.row > 0 && !isExtending) row = 0;
    column = clamp(toEdge && step.column ? (step.column > 0 ? lastColumn : 0) : column + step.column, 0, lastColumn);
  } else if (toEdge) {
    if (step.row) row = findBlockEdge(row, step.row, lastRow, (index) => grid.isFilled(index, start.column));
    else column = findBlockEdge(column, step.column, lastColumn, (index) => grid.isFilled(start.row, index));
  } else {
    // The first row is below the headers, which can be reached but not added to a range.
    row = clamp(row + step.row, isExtending ? 0 : HEADER_ROW, lastRow);
    column = clamp(column + step.column, 0, lastColumn);
  }
  moveTo(grid, { row, column }, isExtending);
  return true;
}

/** @param {ChartGrid} grid @param {Position} target @param {boolean} isExtending */
function moveTo(grid, { row, column }, isExtending) {
  if (isExtending) grid.setSelection({ ...grid.selection, headRow: row, headColumn: column });
  else grid.setSelection(selectOne(row, column));
}

/** Home, End and the page keys. @param {ChartGrid} grid @param {KeyboardEvent} event @param {boolean} isControl */
function handleNavigation(grid, event, isControl) {
  const { selection } = grid;
  const isHeader = selection.row === HEADER_ROW;
  const { headRow: row, headColumn: column } = event.shiftKey ? selection : selectOne(selection.row, selection.column);
  const [lastRow, lastColumn] = [grid.rowCount - 1, grid.columns.length - 1];
  const lastRecord = clamp(grid.records.length - 1, 0, lastRow);
  /** @type {Position} */
  let target;
  if (event.key === "Home") target = { row: isControl && !isHeader ? 0 : row, column: 0 };
  else if (event.key === "End") target = { row: isControl && !isHeader ? lastRecord : row, column: lastColumn };
  else if (event.key === "PageDown" && !isControl) target = { row: clamp(row + grid.view.pageRows, 0, lastRow), column };
  else if (event.key === "PageUp" && !isControl) target = { row: isHeader ? row : clamp(row - grid.view.pageRows, 0, lastRow), column };
  else return false;
  moveTo(grid, target, event.shiftKey && !(isHeader && target.row !== row));
  return true;
}

/**
 * Goes to the next or previous cell in the order of reading. Before the first and behind the last cell, Tab leaves the
 * grid, so that it is no keyboard trap.
 * @param {ChartGrid} grid
 * @param {number} step 1 or -1
 * @returns {boolean} whether there is such a cell
 */
function moveByTab(grid, step) {
  const { row, column } = grid.selection;
  const count = grid.columns.length;
  const index = Math.max(row, 0) * count + column + step;
  if (row === HEADER_ROW || index < 0 || index >= grid.rowCount * count) return false;
  moveTo(grid, { row: Math.floor(index / count), column: index % count }, false);
  return true;
}

/** @param {ChartGrid} grid @param {KeyboardEvent} event */
function handlePlainKey(grid, event) {
  const { commands, selection } = grid;
  const isHeader = selection.row === HEADER_ROW;
  switch (event.key) {
    case "Enter":
      if (event.shiftKey) return false;
      if (isHeader) commands.openHeaderMenu();
      else commands.editActive();
      return true;
    case "F2":
      if (isHeader) commands.renameColumn();
      else commands.editActive();
      return true;
    case "Escape":
      return commands.collapseSelection();
    case "Delete":
    case "Backspace":
      commands.clear();
      return true;
    case "ContextMenu":
      commands.openMenuAtActive();
      return true;
    case "F10":
      if (!event.shiftKey) return false;
      commands.openMenuAtActive();
      return true;
    case "Tab":
      return grid.doesTabMoveByCell() && moveByTab(grid, event.shiftKey ? -1 : 1);
    case " ":
      if (event.shiftKey) grid.setSelection({ ...selection, row: Math.max(selection.row, 0), column: 0, headColumn: grid.columns.length - 1 });
      else if (isHeader) commands.openHeaderMenu();
      else if (grid.columns[selection.column]?.type === "boolean") commands.toggle();
      else return false;
      return true;
    default:
      return false;
  }
}

/** Keys with Ctrl, or with Cmd on a Mac. Ctrl+C, Ctrl+X and Ctrl+V arrive as clipboard events. @param {ChartGrid} grid @param {KeyboardEvent} event */
function handleControlKey(grid, event) {
  const { commands } = grid;
  const key = event.key.toLowerCase();
  if (event.shiftKey) {
    if (key === "z") return commands.requestUndo("grid-redo");
    if (["+", "=", "*"].includes(key) || event.code === "NumpadAdd") commands.insertRows(0);
    else if (["-", "_"].includes(key)) commands.deleteRows();
    else return false;
    return true;
  }
  if (key === "z") return commands.requestUndo("grid-undo");
  if (key === "y") return commands.requestUndo("grid-redo");
  if (key === "a") commands.selectAll();
  else if (key === "d") commands.fillDown();
  else if (key === "f") grid.openFind();
  else if (key === " ") commands.selectColumn();
  else return false;
  return true;
}
