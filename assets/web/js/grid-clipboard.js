// @ts-check
/** Tables in the clipboard: reads HTML, TSV and CSV, converts their texts by column, writes TSV and HTML. */

import { voteDateOrder } from "./grid-dates.js";
import { convertText, parseNumber, toEditText, voteSeparator } from "./grid-values.js";
import { PAGE_LANGUAGE, getText } from "./texts.js";

/** @typedef {import("./grid-model.js").Column} Column */
/** @typedef {import("./grid-values.js").Notation} Notation */

/** Maximum number of cells of a table that is read. */
const MAX_TABLE_CELLS = 2_000_000;
/** Maximum value of `colspan` and `rowspan` that is used. */
const MAX_SPAN = 1000;
/** Number of lines that decide about the separator of a CSV text. */
const SNIFFED_LINES = 20;
/** Elements with a line break after their content. */
const BLOCKS = new Set(["P", "DIV", "LI"]);

/** Returns the declarations of a `style` attribute, which `parseHtmlTable` has renamed. @param {Element} element */
const readStyle = (element) => element.getAttribute("data-style") ?? "";

/** Returns the text of an HTML cell. White space is collapsed, line breaks stay. @param {Node} node @returns {string} */
function collectText(node) {
  if (node.nodeType === Node.TEXT_NODE) return (node.nodeValue ?? "").replace(/[ \t\r\n\f]+/g, " ");
  if (!(node instanceof Element)) return "";
  if (node.tagName === "BR") return "\n";
  if (["SCRIPT", "STYLE", "TEMPLATE"].includes(node.tagName)) return "";
  const text = Array.from(node.childNodes, collectText).join("");
  return BLOCKS.has(node.tagName) ? `${text}\n` : text;
}

/** @param {Element} cell */
function readCell(cell) {
  return /white-space\s*:\s*pre/i.test(readStyle(cell)) ? cell.textContent ?? "" : collectText(cell).replace(/ *\n */g, "\n").trim();
}

/** @param {Element} element */
const isHidden = (element) => /display\s*:\s*none/i.test(readStyle(element));

/** @param {Element} cell @param {string} name */
const readSpan = (cell, name) => Math.min(Math.max(Number.parseInt(cell.getAttribute(name) ?? "1", 10) || 1, 1), MAX_SPAN);

/**
 * Returns the rows of a table. The text of a merged cell is repeated in all cells that it covers. A number
 * is not repeated, because it would count several times.
 * @param {HTMLTableElement} table
 */
function readTable(table) {
  const rowElements = Array.from(table.rows).filter((row) => !isHidden(row));
  /** @type {string[][]} */
  const rows = rowElements.map(() => []);
  let count = 0;
  rowElements.forEach((rowElement, top) => {
    let left = 0;
    for (const cell of Array.from(rowElement.cells).filter((candidate) => !isHidden(candidate))) {
      while (rows[top][left] !== undefined) left += 1;
      const text = readCell(cell);
      const isNumber = parseNumber(text, ".") !== null || parseNumber(text, ",") !== null;
      const [width, height] = [readSpan(cell, "colspan"), Math.min(readSpan(cell, "rowspan"), rows.length - top)];
      count += width * height;
      if (count > MAX_TABLE_CELLS) return;
      for (let row = top; row < top + height; row += 1) {
        for (let column = left; column < left + width; column += 1) rows[row][column] = isNumber && (row > top || column > left) ? "" : text;
      }
      left += width;
    }
  });
  return toRectangle(rows);
}

/** Makes all rows equally long. @param {string[][]} rows */
function toRectangle(rows) {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const isComplete = (/** @type {(string | undefined)[]} */ row) => row.length === width && !row.includes(undefined);
  return rows.map((row) => (isComplete(row) ? row : Array.from({ length: width }, (_, column) => row[column] ?? "")));
}

/**
 * Returns the rows of the largest table in an HTML text, or null if it has none.
 * @param {string} html
 * @returns {string[][] | null}
 */
export function parseHtmlTable(html) {
  if (!/<table/i.test(html)) return null;
  // The document of the parser is inert: it loads and runs nothing. The content security policy applies
  // nevertheless, and would log an error for each style of a spreadsheet program.
  const source = html.replace(/<style\b[\s\S]*?<\/style>/gi, "").replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\s(style|on[a-z]+)\s*=/gi, " data-$1="));
  const tables = Array.from(new DOMParser().parseFromString(source, "text/html").querySelectorAll("table"));
  const largest = tables.reduce((best, table) => (table.querySelectorAll("td, th").length > best.querySelectorAll("td, th").length ? table : best), tables[0]);
  const rows = largest ? readTable(largest) : [];
  return rows[0]?.length ? rows : null;
}

/**
 * Splits a text at a separator. Quoted fields may contain separators, line breaks and doubled quotes.
 * @param {string} text
 * @param {string} separator
 * @param {number} [maxRows]
 * @returns {string[][]}
 */
export function splitFields(text, separator, maxRows = Infinity) {
  if (maxRows === Infinity && !text.includes('"')) {
    const lines = text.split(/\r\n|\r|\n/);
    // A line break at the end begins no row.
    if (lines.length > 1 && !lines.at(-1)) lines.pop();
    return lines.map((line) => (separator ? line.split(separator) : [line]));
  }
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let position = 0;
  while (position <= text.length && rows.length < maxRows) {
    let field = "";
    // A quote without its counterpart is a character of the field.
    const closing = text[position] === '"' ? findClosingQuote(text, position, separator) : -1;
    if (closing > 0) {
      field = text.slice(position + 1, closing).replaceAll('""', '"');
      position = closing + 1;
    }
    const start = position;
    while (position < text.length && text[position] !== separator && text[position] !== "\n" && text[position] !== "\r") position += 1;
    row.push(field + text.slice(start, position));
    if (text[position] === separator) {
      position += 1;
      continue;
    }
    rows.push(row);
    row = [];
    position += text[position] === "\r" && text[position + 1] === "\n" ? 2 : 1;
    if (position >= text.length) break;
  }
  return rows;
}

/** Returns the position of the quote that ends a field, or -1. @param {string} text @param {number} start @param {string} separator */
function findClosingQuote(text, start, separator) {
  let position = text.indexOf('"', start + 1);
  while (position >= 0 && text[position + 1] === '"') position = text.indexOf('"', position + 2);
  const next = text[position + 1];
  return position >= 0 && (next === undefined || next === separator || next === "\n" || next === "\r") ? position : -1;
}

/**
 * Returns the separator of the fields: tab if the text has one, otherwise the one of `;`, `,` and `|` that
 * gives all lines the same number of fields, at least two. An empty text means a single column.
 * @param {string} text
 */
export function sniffSeparator(text) {
  if (splitFields(text, "\t", SNIFFED_LINES).some((row) => row.length > 1)) return "\t";
  const candidates = [";", ",", "|"].filter((separator) => {
    const rows = splitFields(text, separator, SNIFFED_LINES);
    // A single line with a comma is rather a sentence or a number.
    return rows.length > 1 && rows[0].length > 1 && rows.every((row) => row.length === rows[0].length);
  });
  // Lines such as `1,5` have a comma in each line, but are numbers.
  const isNumbers = text.split(/[\r\n]+/).every((line) => /^\s*[-+−(]?[\d.,\s]*\)?\s*$/.test(line) && (line.match(/,/g) ?? []).length <= 1);
  return candidates.find((separator) => separator !== "," || !isNumbers) ?? "";
}

/** Returns the rows of TSV, CSV or plain text, equally long. @param {string} text @returns {string[][]} */
export function parseText(text) {
  const source = text.replace(/^\ufeff/, "");
  const rows = splitFields(source, sniffSeparator(source));
  return toRectangle(rows);
}

/** Returns the table of the clipboard: HTML first, then text. @param {string} html @param {string} text */
export function parseClipboard(html, text) {
  return parseHtmlTable(html) ?? parseText(text);
}

/**
 * Converts the texts of each column to its type. The texts of a column decide together about the decimal
 * separator, and about the order of day and month. `hints` say how a text with two readings was read.
 * @param {string[][]} rows
 * @param {readonly (Column | undefined)[]} columns
 * @param {Notation} fallback notation of the language
 * @returns {{ values: unknown[][], hints: string[] }}
 */
export function convertTable(rows, columns, fallback) {
  /** @type {string[]} */
  const hints = [];
  const values = rows.map((row) => /** @type {unknown[]} */ ([...row]));
  columns.forEach((column, index) => {
    if (!column) return;
    const texts = rows.map((row) => row[index] ?? "");
    let notation = fallback;
    /** @type {string | null} */
    let ambiguous = null;
    if (column.type === "number") {
      const vote = voteSeparator(texts.map((text) => text.trim()), fallback.separator);
      notation = { ...fallback, separator: vote.separator };
      ambiguous = vote.ambiguous;
    } else if (column.type === "date") {
      ({ notation, ambiguous } = voteDateOrder(texts, fallback));
    }
    texts.forEach((text, row) => (values[row][index] = convertText(text, column, notation)));
    const read = ambiguous && convertText(ambiguous, column, notation);
    if (read !== null && read !== ambiguous) hints.push(getText("grid.readAs", { text: String(ambiguous), column: column.title, value: toEditText(read, PAGE_LANGUAGE) }));
  });
  return { values, hints };
}

/** Returns a field of TSV, quoted if needed. @param {string} text */
const quoteField = (text) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns the text of a value for other programs. @param {unknown} value @param {string} locale */
function toClipboardText(value, locale) {
  return typeof value === "boolean" ? String(value).toUpperCase() : toEditText(value, locale);
}

/** Returns values as tab-separated text. @param {unknown[][]} rows @param {string} locale */
export function writeTsv(rows, locale) {
  return rows.map((row) => row.map((value) => quoteField(toClipboardText(value, locale))).join("\t")).join("\n");
}

/** Returns values as an HTML table. @param {unknown[][]} rows @param {string} locale */
export function writeHtml(rows, locale) {
  const escape = (/** @type {string} */ text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const writeCell = (/** @type {string} */ text) => {
    // Other white space would be collapsed.
    if (/^\s|\s$|\s\s|[\t\r]/.test(text)) return `<td style="white-space: pre">${escape(text)}</td>`;
    return `<td>${escape(text).replaceAll("\n", "<br>")}</td>`;
  };
  const body = rows.map((row) => `<tr>${row.map((value) => writeCell(toClipboardText(value, locale))).join("")}</tr>`);
  return `<meta charset="utf-8"><table>${body.join("")}</table>`;
}
