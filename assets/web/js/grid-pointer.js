// @ts-check
/**
 * Mouse, pen and touch in the data grid: selecting, filling, moving and resizing columns by dragging. Each of
 * them can also be done with keys or a menu. A finger scrolls, and selects by a tap.
 */

import { clamp, HEADER_ROW, selectOne } from "./grid-model.js";
import { MAX_WIDTH, MIN_WIDTH } from "./grid-view.js";

/** @typedef {import("./grid.js").ChartGrid} ChartGrid */
/** @typedef {import("./grid-model.js").Range} Range */

/**
 * A drag. `move` follows the pointer, `end` applies the result, `stop` removes marks in any case.
 * @typedef {{ move: (event: PointerEvent) => void, end?: () => void, stop?: () => void }} Drag
 */

/** Distance in pixels from which a press on a header moves its column. */
const MOVE_DISTANCE = 5;
/** Distance to the edge of the grid in pixels within which a drag scrolls, and the step per frame. */
const SCROLL_EDGE = 24;
const SCROLL_STEP = 14;

/** Adds the handlers of pointers. @param {ChartGrid} grid */
export function addPointerHandlers(grid) {
  const { scroller } = grid.view;
  scroller.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const drag = startDrag(grid, event);
    if (drag) followPointer(grid, event, drag);
  });
  // The default would move focus and text selection.
  scroller.addEventListener("mousedown", (event) => {
    const isInEdit = grid.edit?.cell.contains(/** @type {Node} */ (event.target));
    const isOnScrollBar = event.target === scroller;
    if (!isInEdit && !isOnScrollBar) event.preventDefault();
  });
  scroller.addEventListener("click", (event) => handleClick(grid, /** @type {PointerEvent} */ (event)));
  scroller.addEventListener("dblclick", (event) => handleDoubleClick(grid, event));
}

/** Index of the header at an element. @param {Element} element */
const readColumn = (element) => Number(element.closest(".grid-heading")?.getAttribute("aria-colindex")) - 2;

/** Selects the pressed place and returns the drag that starts there. @param {ChartGrid} grid @param {PointerEvent} event @returns {Drag | null} */
function startDrag(grid, event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (grid.edit?.cell.contains(target)) return null;
  grid.flush();
  if (target.closest(".grid-edge")) return startResize(grid, event, readColumn(target));
  if (target.closest(".grid-handle")) return startFill(grid);
  if (target.closest(".grid-chip")) return awaitChipDrag(grid, event, readColumn(target));
  if (target.closest(".grid-menu-button")) return null;
  if (target.closest(".grid-heading")) return startHeaderDrag(grid, event, readColumn(target));
  if (target.closest(".grid-index")) return startRowSelection(grid, event);
  if (target.closest(".grid-cell")) return startCellSelection(grid, event);
  return null;
}

/** @param {ChartGrid} grid @param {PointerEvent} event @returns {Drag} */
function startCellSelection(grid, event) {
  const { row, column } = grid.view.hitTest(event);
  const isExtending = event.shiftKey && grid.selection.row !== HEADER_ROW;
  grid.setSelection(isExtending ? { ...grid.selection, headRow: row, headColumn: column } : selectOne(row, column));
  return {
    move(moved) {
      const { row: headRow, column: headColumn } = grid.view.hitTest(moved);
      if (headRow !== grid.selection.headRow || headColumn !== grid.selection.headColumn) grid.setSelection({ ...grid.selection, headRow, headColumn });
    },
  };
}

/** @param {ChartGrid} grid @param {PointerEvent} event @returns {Drag} */
function startRowSelection(grid, event) {
  const { row } = grid.view.hitTest(event);
  const lastColumn = grid.columns.length - 1;
  const first = event.shiftKey ? Math.max(0, grid.selection.row) : row;
  const select = (/** @type {number} */ headRow) => grid.setSelection({ row: first, column: 0, headRow, headColumn: lastColumn });
  select(row);
  return { move: (moved) => select(grid.view.hitTest(moved).row) };
}

/** Selects columns. A longer drag moves them. @param {ChartGrid} grid @param {PointerEvent} event @param {number} column @returns {Drag} */
function startHeaderDrag(grid, event, column) {
  const { view } = grid;
  const { left, right } = grid.range;
  const isInside = grid.selection.row === HEADER_ROW && column >= left && column <= right;
  if (event.shiftKey && grid.selection.row === HEADER_ROW) grid.setSelection({ ...grid.selection, headColumn: column });
  else if (!isInside) grid.setSelection(selectOne(HEADER_ROW, column));
  const moved = grid.range;
  let isMoving = false;
  let target = moved.left;
  const readDistance = () => (target > moved.right ? target - moved.right - 1 : Math.min(0, target - moved.left));
  return {
    move(next) {
      isMoving ||= Math.abs(next.clientX - event.clientX) >= MOVE_DISTANCE;
      if (!isMoving || grid.readOnlyReason) return;
      const { x } = view.hitTest(next);
      // The boundary of columns that is nearest to the pointer.
      target = view.edges.reduce((best, edge, index) => (Math.abs(edge - x) < Math.abs(view.edges[best] - x) ? index : best), 0);
      const canMove = grid.commands.canMoveColumns(readDistance(), moved);
      grid.classList.toggle("is-moving-column", canMove);
      view.dropLine.hidden = !canMove;
      view.dropLine.style.setProperty("--box-start", `${view.indexWidth + view.edges[target]}px`);
    },
    end() {
      if (isMoving) grid.commands.moveColumns(readDistance(), moved);
      else if (!event.shiftKey) grid.setSelection(selectOne(HEADER_ROW, column));
    },
    stop() {
      grid.classList.remove("is-moving-column");
      view.dropLine.hidden = true;
    },
  };
}

/**
 * Starts to drag the chip of a column after a longer move, because a press opens the menu.
 * @param {ChartGrid} grid
 * @param {PointerEvent} start
 * @param {number} column
 */
function awaitChipDrag(grid, start, column) {
  if (grid.readOnlyReason || !grid.fields.length) return null;
  const listeners = new AbortController();
  const { signal } = listeners;
  const handleMove = (/** @type {PointerEvent} */ event) => {
    if (Math.abs(event.clientX - start.clientX) < MOVE_DISTANCE) return;
    listeners.abort();
    followPointer(grid, event, createChipDrag(grid, column));
  };
  addEventListener("pointermove", handleMove, { signal });
  for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => listeners.abort(), { signal });
  return null;
}

/** Gives the field of a column to the column below the pointer. @param {ChartGrid} grid @param {number} column @returns {Drag} */
function createChipDrag(grid, column) {
  const { view, commands } = grid;
  let target = column;
  const mark = (/** @type {boolean} */ isTarget) => view.findCell(HEADER_ROW, target)?.classList.toggle("is-chip-target", isTarget);
  grid.classList.add("is-moving-chip");
  return {
    move(moved) {
      const next = view.hitTest(moved).column;
      if (next === target) return;
      mark(false);
      target = next;
      mark(target !== column && commands.canExchangeFields(column, target));
    },
    end: () => commands.exchangeFields(column, target),
    stop() {
      mark(false);
      grid.classList.remove("is-moving-chip");
    },
  };
}

/** @param {ChartGrid} grid @param {PointerEvent} event @param {number} column @returns {Drag | null} */
function startResize(grid, event, column) {
  const { view } = grid;
  if (grid.readOnlyReason) return null;
  const startWidth = view.widthOf(column);
  const direction = view.isRtl ? -1 : 1;
  let width = startWidth;
  return {
    move(moved) {
      width = clamp(startWidth + direction * (moved.clientX - event.clientX), MIN_WIDTH, MAX_WIDTH);
      view.draggedWidth = { column, width };
      view.render();
    },
    end: () => width !== startWidth && grid.commands.resizeColumn(column, width),
    stop() {
      view.draggedWidth = null;
      view.render();
    },
  };
}

/** Fills the cells between the selection and the pointer, in the direction of the longer distance. @param {ChartGrid} grid @returns {Drag} */
function startFill(grid) {
  const { view } = grid;
  const source = grid.range;
  /** @type {Range} */
  let target = source;
  return {
    move(moved) {
      const { row, column } = view.hitTest(moved);
      const down = Math.max(row - source.bottom, source.top - row, 0);
      const across = Math.max(column - source.right, source.left - column, 0);
      target = source;
      if (down && down >= across) target = { ...source, top: Math.min(source.top, row), bottom: Math.max(source.bottom, row) };
      else if (across) target = { ...source, left: Math.min(source.left, column), right: Math.max(source.right, column) };
      view.targetBox.hidden = false;
      view.placeBox(view.targetBox, target);
    },
    end: () => target !== source && grid.commands.fill(source, target),
    stop() {
      view.targetBox.hidden = true;
    },
  };
}

/** Returns the direction in which a drag at the edge of the grid scrolls. @param {DOMRect} box @param {PointerEvent} event @param {ChartGrid} grid */
function findScrollDirection(box, event, { view }) {
  const [start, end] = view.isRtl ? [0, view.indexWidth] : [view.indexWidth, 0];
  const isBefore = (/** @type {number} */ value, /** @type {number} */ edge) => value < edge + SCROLL_EDGE;
  const isAfter = (/** @type {number} */ value, /** @type {number} */ edge) => value > edge - SCROLL_EDGE;
  const x = isBefore(event.clientX, box.left + start) ? -1 : isAfter(event.clientX, box.right - end) ? 1 : 0;
  const y = isBefore(event.clientY, box.top + view.headHeight) ? -1 : isAfter(event.clientY, box.bottom) ? 1 : 0;
  return { x, y };
}

/**
 * Follows a pointer until it is released. Escape cancels the drag. The grid scrolls while the pointer is at
 * its edge and has moved since the press.
 * @param {ChartGrid} grid
 * @param {PointerEvent} start
 * @param {Drag} drag
 */
function followPointer(grid, start, drag) {
  const { scroller } = grid.view;
  let last = start;
  let frame = 0;
  const scroll = () => {
    const { x, y } = findScrollDirection(scroller.getBoundingClientRect(), last, grid);
    const before = [scroller.scrollLeft, scroller.scrollTop];
    scroller.scrollBy(x * SCROLL_STEP, y * SCROLL_STEP);
    if (before[0] !== scroller.scrollLeft || before[1] !== scroller.scrollTop) drag.move(last);
    frame = requestAnimationFrame(scroll);
  };
  const handleMove = (/** @type {PointerEvent} */ event) => {
    last = event;
    drag.move(event);
    frame ||= requestAnimationFrame(scroll);
  };
  const finish = (/** @type {boolean} */ isApplied) => {
    cancelAnimationFrame(frame);
    listeners.abort();
    drag.stop?.();
    if (isApplied) drag.end?.();
  };
  const listeners = new AbortController();
  const { signal } = listeners;
  scroller.setPointerCapture(start.pointerId);
  scroller.addEventListener("pointermove", handleMove, { signal });
  scroller.addEventListener("pointerup", () => finish(true), { signal });
  scroller.addEventListener("pointercancel", () => finish(false), { signal });
  const handleKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    finish(false);
  };
  addEventListener("keydown", handleKey, { signal, capture: true });
}

/** Buttons in headers, the corner, and taps. @param {ChartGrid} grid @param {PointerEvent} event */
function handleClick(grid, event) {
  // The target of a click after pointer capture is the scroller.
  const target = /** @type {HTMLElement} */ (event.target);
  if (grid.edit?.cell.contains(target)) return;
  if (target.closest(".grid-add")) return grid.commands.insertColumn(grid.columns.length);
  if (target.closest(".grid-corner")) return grid.commands.selectAll();
  const isTouch = event.pointerType === "touch";
  const heading = target.closest(".grid-heading");
  if (heading && (isTouch || target.closest(".grid-chip, .grid-menu-button"))) {
    const column = readColumn(target);
    const { left, right } = grid.range;
    const isInside = grid.selection.row === HEADER_ROW && column >= left && column <= right;
    if (!isInside) grid.setSelection(selectOne(HEADER_ROW, column));
    if (!isTouch || target.closest(".grid-chip, .grid-menu-button") || isInside) grid.commands.openHeaderMenu(true);
    return;
  }
  if (!isTouch) return;
  const { row, column } = grid.view.hitTest(event);
  if (target.closest(".grid-index")) return grid.setSelection({ row, column: 0, headRow: row, headColumn: grid.columns.length - 1 });
  const isActive = grid.selection.row === row && grid.selection.column === column;
  grid.setSelection(selectOne(row, column));
  // A second tap opens the keyboard of the screen.
  if (isActive) grid.commands.editActive();
}

/** @param {ChartGrid} grid @param {MouseEvent} event */
function handleDoubleClick(grid, event) {
  const point = document.elementFromPoint(event.clientX, event.clientY);
  const target = point && grid.contains(point) ? point : /** @type {Element} */ (event.target);
  if (grid.edit?.cell.contains(target)) return;
  if (target.closest(".grid-edge")) grid.commands.fitColumn(readColumn(target));
  else if (target.closest(".grid-heading")) grid.commands.renameColumn();
  else if (target.closest(".grid-handle")) fillToNeighbours(grid);
  else if (target.closest(".grid-cell")) grid.commands.editActive();
}

/** Fills as far down as the column beside the selection has values. @param {ChartGrid} grid */
function fillToNeighbours(grid) {
  const { range: source } = grid;
  const beside = source.left > 0 ? source.left - 1 : source.right + 1;
  let { bottom } = source;
  while (beside < grid.columns.length && grid.isFilled(bottom + 1, beside)) bottom += 1;
  if (bottom > source.bottom) grid.commands.fill(source, { ...source, bottom });
}
