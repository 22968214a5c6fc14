// @ts-check
/** The records of a document as a table of JSON rows, which the server reads like a file, but without guessing numbers. */

/** @typedef {import("./document-columns.js").Column} Column */

/** Returns a value as a cell. Dates become texts of ISO 8601, missing values null. @param {any} value */
export function toCell(value) {
  if (typeof value !== "object" || value === null) return value ?? null;
  return value.date_string ?? value.display_value ?? JSON.stringify(value);
}

/**
 * Returns the records as a JSON array of rows. The first row has the names of the columns. Columns without any value
 * are left out. Numbers stay numbers: as text, `1.234` could be read with a separator of thousands.
 * @param {Column[]} columns
 * @param {Record<string, any>[]} records
 */
export function formatRows(columns, records) {
  const used = columns.filter(({ key }) => records.some((record) => record[key] !== undefined && record[key] !== null && record[key] !== ""));
  return JSON.stringify([used.map(({ title }) => title), ...records.map((record) => used.map(({ key }) => toCell(record[key])))]);
}
