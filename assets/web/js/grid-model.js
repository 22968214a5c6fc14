// @ts-check
/** Selection of the data grid, and the operations on its records and columns. All functions are pure. */

import { isMissing } from "./grid-values.js";
import { getText } from "./texts.js";

/**
 * A column. `isExtra`: the chart kind does not use it. `isRepeated`: the kind repeats it, as for series.
 * @typedef {{ key: string, title: string, type: "text" | "number" | "date" | "color" | "boolean" | "choice", required?: boolean, choices?: string[], role?: string, isRepeated?: boolean, isExtra?: boolean, width?: number }} Column
 */

/** A record: values by key of the column. @typedef {Readonly<Record<string, unknown>>} GridRecord */

/**
 * A selection. `row` and `column` are the active cell, `headRow` and `headColumn` the opposite corner of the
 * range. Row `HEADER_ROW` is the header, which selects whole columns.
 * @typedef {{ row: number, column: number, headRow: number, headColumn: number }} Selection
 */

/** A rectangle of cells, with its edges. @typedef {{ top: number, bottom: number, left: number, right: number }} Range */

/** Row of the column headers. */
export const HEADER_ROW = -1;
/** Share of numbers among the texts of a new column from which it is a column of numbers. */
const MIN_NUMBER_SHARE = 0.9;

/** @param {number} row @param {number} column @returns {Selection} */
export const selectOne = (row, column) => ({ row, column, headRow: row, headColumn: column });

/** Returns the selected range. @param {Selection} selection @param {number} recordCount @returns {Range} */
export function getRange(selection, recordCount) {
  const { row, column, headRow, headColumn } = selection;
  const columns = { left: Math.min(column, headColumn), right: Math.max(column, headColumn) };
  if (row === HEADER_ROW) return { top: 0, bottom: Math.max(recordCount - 1, 0), ...columns };
  return { top: Math.min(row, headRow), bottom: Math.max(row, headRow), ...columns };
}

/** @param {Range} range */
export const isSingleCell = (range) => range.top === range.bottom && range.left === range.right;

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.max(low, Math.min(value, high));

/**
 * Returns the index at which Ctrl+arrow stops: the last filled cell of a block, or the first filled cell
 * after a gap, or the end.
 * @param {number} start
 * @param {number} step 1 or -1
 * @param {number} last index of the last cell
 * @param {(index: number) => boolean} isFilled
 */
export function findBlockEdge(start, step, last, isFilled) {
  const end = step > 0 ? last : 0;
  if (start === end) return start;
  let index = start + step;
  const isInBlock = isFilled(start) && isFilled(index);
  while (index !== end && (isInBlock ? isFilled(index + step) : !isFilled(index))) index += step;
  return index;
}

/**
 * Sets cells and adds records up to the last of them. Unchanged records keep their identity. A missing
 * value removes the member. Returns `records` if nothing changes.
 * @param {readonly GridRecord[]} records
 * @param {Iterable<{ row: number, key: string, value: unknown }>} changes
 * @returns {readonly GridRecord[]}
 */
export function setCells(records, changes) {
  /** @type {Map<number, Record<string, unknown>>} */
  const changed = new Map();
  let count = records.length;
  for (const { row, key, value } of changes) {
    const current = changed.get(row) ?? records[row];
    const isSame = isMissing(value) ? !current || !(key in current) || current[key] === null : current && Object.is(current[key], value);
    if (isSame) continue;
    const next = changed.get(row) ?? { ...current };
    if (isMissing(value)) delete next[key];
    else next[key] = value;
    changed.set(row, next);
    count = Math.max(count, row + 1);
  }
  if (!changed.size) return records;
  return Array.from({ length: count }, (_, row) => changed.get(row) ?? records[row] ?? {});
}

/** Iterates over the cells of a range. @param {Range} range @param {readonly Column[]} columns */
export function* listCells(range, columns) {
  for (let row = range.top; row <= range.bottom; row += 1) {
    for (let column = range.left; column <= range.right; column += 1) yield { row, key: columns[column].key, column };
  }
}

/** Empties the cells of a range. @param {readonly GridRecord[]} records @param {Range} range @param {readonly Column[]} columns */
export function clearRange(records, range, columns) {
  const last = Math.min(range.bottom, records.length - 1);
  const cells = listCells({ ...range, bottom: last }, columns);
  return setCells(records, Array.from(cells, (cell) => ({ ...cell, value: null })));
}

/** Inserts empty records. @param {readonly GridRecord[]} records @param {number} at @param {number} count */
export function insertRows(records, at, count) {
  return records.toSpliced(Math.min(at, records.length), 0, ...Array.from({ length: count }, () => ({})));
}

/** Removes the records `first` to `last`. @param {readonly GridRecord[]} records @param {number} first @param {number} last */
export const deleteRows = (records, first, last) => records.toSpliced(first, last - first + 1);

/**
 * Moves the items `first` to `last` by some positions. Returns the list itself if they cannot move so far.
 * @template T
 * @param {readonly T[]} items
 * @param {number} first
 * @param {number} last
 * @param {number} by
 * @returns {readonly T[]}
 */
export function moveItems(items, first, last, by) {
  if (by === 0 || first + by < 0 || last + by >= items.length) return items;
  const moved = items.slice(first, last + 1);
  return items.toSpliced(first, moved.length).toSpliced(first + by, 0, ...moved);
}

/**
 * Sorts records by a column, stably: numbers before texts, missing values last in both directions.
 * @param {readonly GridRecord[]} records
 * @param {string} key
 * @param {boolean} isDescending
 * @param {(value: unknown) => string} format
 * @param {string} locale
 */
export function sortRecords(records, key, isDescending, format, locale) {
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
  const items = records.map((record) => ({ record, value: record[key], text: format(record[key]) }));
  const direction = isDescending ? -1 : 1;
  items.sort((a, b) => {
    const missing = Number(isMissing(a.value)) - Number(isMissing(b.value));
    if (missing) return missing;
    if (typeof a.value === "number" && typeof b.value === "number") return direction * (a.value - b.value);
    const kinds = Number(typeof b.value === "number") - Number(typeof a.value === "number");
    return direction * (kinds || collator.compare(a.text, b.text));
  });
  const sorted = items.map((item) => item.record);
  return sorted.every((record, index) => record === records[index]) ? records : sorted;
}

/**
 * Creates a column with a key that is new: `s1`, `s2` and so on. It has type and role of the column that
 * the chart kind repeats. Without one, the kind does not use it.
 * @param {readonly Column[]} columns
 * @param {readonly GridRecord[]} records
 * @param {Column["type"]} [type]
 * @returns {Column}
 */
export function createColumn(columns, records, type) {
  const isUsed = (/** @type {string} */ key) => columns.some((column) => column.key === key) || records.some((record) => key in record);
  const model = columns.find((column) => column.isRepeated);
  const usedTitles = new Set(columns.map((column) => column.title));
  const getTitle = (/** @type {number} */ number) => (model ? getText("grid.newSeries", { number: String(number) }) : getText("grid.newColumn", { number: String(number) }));
  let [keyNumber, titleNumber] = [1, columns.length + 1];
  while (isUsed(`s${keyNumber}`)) keyNumber += 1;
  if (model) titleNumber = columns.filter((column) => column.isRepeated).length + 1;
  while (usedTitles.has(getTitle(titleNumber))) titleNumber += 1;
  const base = { key: `s${keyNumber}`, title: getTitle(titleNumber) };
  if (!model) return { ...base, type: type ?? "text", isExtra: true };
  return { ...base, type: model.type, isRepeated: true, ...(model.role && { role: model.role }) };
}

/** Returns the type of a new column for texts. @param {string[]} texts @param {(text: string) => boolean} isNumber @returns {Column["type"]} */
export function guessType(texts, isNumber) {
  const filled = texts.filter((text) => text.trim());
  return filled.length && filled.filter(isNumber).length >= filled.length * MIN_NUMBER_SHARE ? "number" : "text";
}

/** Removes columns and their values. @param {readonly GridRecord[]} records @param {readonly string[]} keys */
export function removeKeys(records, keys) {
  return records.map((record) => {
    if (!keys.some((key) => key in record)) return record;
    return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
  });
}

/** Number of days or months since 1970 of a date of ISO 8601 without a time, or null. @param {unknown} value */
function readIsoDate(value) {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(typeof value === "string" ? value : "") ?? [];
  if (!year) return null;
  const months = Number(year) * 12 + Number(month) - 1;
  return { months, day, days: day ? Math.round(Date.UTC(Number(year), Number(month) - 1, Number(day)) / 86_400_000) : null };
}

/** Returns the step between numbers if it is constant, and null otherwise. @param {number[]} numbers */
function findStep(numbers) {
  const step = numbers[1] - numbers[0];
  const isConstant = numbers.length > 1 && numbers.every((number, index) => index === 0 || Math.abs(number - numbers[index - 1] - step) < 1e-9 * Math.max(1, Math.abs(step)));
  return isConstant ? step : null;
}

/**
 * Continues a list of values: numbers and dates with a constant step go on, other values repeat.
 * @param {unknown[]} values at least one
 * @param {number} count
 * @returns {unknown[]}
 */
export function continueSeries(values, count) {
  const repeated = Array.from({ length: count }, (_, index) => values[index % values.length]);
  if (values.every((value) => typeof value === "number")) {
    const step = findStep(values);
    const last = values[values.length - 1];
    // Twelve digits hide the rounding of binary fractions.
    return step === null ? repeated : repeated.map((_, index) => Number((last + step * (index + 1)).toPrecision(12)));
  }
  const dates = values.map(readIsoDate);
  const last = dates[dates.length - 1];
  if (!last || dates.some((date) => !date)) return repeated;
  const known = /** @type {NonNullable<ReturnType<typeof readIsoDate>>[]} */ (dates);
  const monthStep = known.every((date) => date.day === last.day) ? findStep(known.map((date) => date.months)) : null;
  const { days } = last;
  const dayStep = days === null ? null : findStep(known.map((date) => date.days ?? NaN));
  if (monthStep) {
    return repeated.map((_, index) => {
      const months = last.months + monthStep * (index + 1);
      return `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}${last.day ? `-${last.day}` : ""}`;
    });
  }
  if (dayStep === null || days === null) return repeated;
  return repeated.map((_, index) => new Date((days + dayStep * (index + 1)) * 86_400_000).toISOString().slice(0, 10));
}

/**
 * Fills cells next to a range with the continued values of its columns or rows.
 * @param {readonly GridRecord[]} records
 * @param {Range} source
 * @param {Range} target contains the source and is larger in one direction
 * @param {readonly Column[]} columns
 */
export function fillRange(records, source, target, columns) {
  const isVertical = target.top !== source.top || target.bottom !== source.bottom;
  const isBackward = target.top < source.top || target.left < source.left;
  const [sourceFirst, sourceLast] = isVertical ? [source.top, source.bottom] : [source.left, source.right];
  const [targetFirst, targetLast] = isVertical ? [target.top, target.bottom] : [target.left, target.right];
  const [lineFirst, lineLast] = isVertical ? [source.left, source.right] : [source.top, source.bottom];
  const count = isBackward ? sourceFirst - targetFirst : targetLast - sourceLast;
  /** @type {{ row: number, key: string, value: unknown }[]} */
  const changes = [];
  for (let line = lineFirst; line <= lineLast; line += 1) {
    const at = (/** @type {number} */ index) => (isVertical ? { row: index, key: columns[line].key } : { row: line, key: columns[index].key });
    const values = Array.from({ length: sourceLast - sourceFirst + 1 }, (_, index) => {
      const { row, key } = at(sourceFirst + index);
      return records[row]?.[key] ?? null;
    });
    const filled = continueSeries(isBackward ? values.reverse() : values, count);
    filled.forEach((value, index) => changes.push({ ...at(isBackward ? sourceFirst - 1 - index : sourceLast + 1 + index), value }));
  }
  return setCells(records, changes);
}

/** Copies the first row of a range to its other rows. @param {readonly GridRecord[]} records @param {Range} range @param {readonly Column[]} columns */
export function fillDown(records, range, columns) {
  const cells = listCells({ ...range, top: range.top + 1 }, columns);
  return setCells(records, Array.from(cells, ({ row, key }) => ({ row, key, value: records[range.top]?.[key] ?? null })));
}
