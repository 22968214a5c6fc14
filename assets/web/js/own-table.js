// @ts-check
/** The fields for an own table in the dialog for a new chart, and the analysis of the table by the server. */

import { post } from "./api.js";
import { h } from "./core.js";
import { createButton, createField, describeError } from "./ui.js";

/** Maximum size of a table file in bytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Delay between the last key press and the analysis. */
const ANALYSIS_DELAY_MS = 350;
/** Maximum number of columns and problems that the summary names. */
const MAX_NAMED = 4;

/** Media types by file extension. The server detects the files of spreadsheet programs by their content. */
const MEDIA_TYPES = new Map([
  ["csv", "text/csv"],
  ["txt", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["tab", "text/tab-separated-values"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ...["xlsx", "xlsm", "xlsb", "xls", "ods"].map((extension) => /** @type {[string, string]} */ ([extension, "application/octet-stream"])),
]);

/**
 * A table to send: the text of the field, or a file.
 * @typedef {{ body: string | Blob, type: string, sheet: string | null }} Upload
 */

/** Returns a number with its noun: `1 record`, `2 records`. @param {number} count @param {string} noun */
const countNoun = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Joins the first texts of a list and counts the others.
 * @param {string[]} texts
 * @param {string} separator
 */
function joinFirst(texts, separator) {
  const more = texts.length - MAX_NAMED;
  return texts.slice(0, MAX_NAMED).join(separator) + (more > 0 ? `${separator}and ${more} more` : "");
}

/**
 * Describes the columns of a kind that the table fills.
 * @param {any} fit member of `kinds` in the response of `POST /tables`
 * @returns {string}
 */
export function describeMapping(fit) {
  const used = fit.mapping.map((/** @type {any} */ column) => (column.column === column.key ? column.column : `${column.column} → ${column.key}`));
  const parts = [used.length ? `Columns: ${joinFirst(used, ", ")}.` : ""];
  /** @type {Map<string, string>} */
  const reasons = new Map(fit.left_over_reasons.map((/** @type {any} */ reason) => [reason.column, reason.message]));
  const others = fit.left_over.filter((/** @type {string} */ heading) => !reasons.has(heading));
  if (others.length) parts.push(`Not shown: ${joinFirst(others, ", ")}.`);
  const explained = [...reasons].map(([heading, message]) => `“${heading}” ${message}`);
  if (explained.length) parts.push(`${joinFirst(explained, "; ")}.`);
  if (fit.missing.length) parts.push(`Missing: ${fit.missing.map((/** @type {any} */ column) => column.title).join(", ")}.`);
  return parts.filter(Boolean).join(" ");
}

/**
 * Creates the fields. `onAnalysis` receives the response of `POST /tables`, or null without a table.
 * @param {(analysis: any) => void} onAnalysis
 */
export function createTableFields(onAnalysis) {
  /** @type {File | null} */
  let file = null;
  /** @type {AbortController | null} */
  let running = null;
  let timer = 0;
  const input = h("textarea", { name: "body", rows: 4, spellcheck: "false", class: "table-text", placeholder: "Month\tSales\nJanuary\t120" });
  const fileInput = h("input", { type: "file", accept: [...MEDIA_TYPES.keys()].map((extension) => `.${extension}`).join(",") });
  const sheetSelect = h("select", { onchange: () => analyze() });
  const sheetField = h("div", { hidden: true }, createField("Worksheet", sheetSelect));
  const fileNote = h("p", { class: "table-file", hidden: true });
  const summary = h("p", { class: "table-summary muted", role: "status" });
  const problems = h("ul", { class: "table-problems muted", hidden: true });

  /** Returns the table to send. Returns null if there is none. @returns {Upload | null} */
  const getUpload = () => {
    if (file) return { body: file, type: MEDIA_TYPES.get(findExtension(file)) ?? "text/csv", sheet: sheetSelect.value || null };
    const text = input.value.trim();
    return text ? { body: `${text}\n`, type: "text/csv", sheet: null } : null;
  };
  const showProblems = (/** @type {string[]} */ texts) => {
    problems.hidden = texts.length === 0;
    problems.replaceChildren(...texts.slice(0, MAX_NAMED).map((text) => h("li", null, text)));
  };
  const showSheets = (/** @type {any} */ table) => {
    const names = table?.sheet ? [table.sheet, ...table.other_sheets] : [];
    sheetField.hidden = names.length < 2;
    // Keep the order of the file after another worksheet is selected.
    if (sheetSelect.options.length !== names.length) sheetSelect.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
  };
  /** Sends the table to the server and shows the result. */
  const analyze = async () => {
    running?.abort();
    const upload = getUpload();
    showProblems([]);
    if (!upload) {
      summary.textContent = "";
      return onAnalysis(null);
    }
    running = new AbortController();
    const { signal } = running;
    try {
      const { data } = await post("/tables", upload.body, { type: upload.type, query: { sheet: upload.sheet }, signal });
      summary.textContent = `${countNoun(data.records, "record")}, ${countNoun(data.columns.length, "column")}: ${joinFirst(data.columns.map((/** @type {any} */ column) => `${column.heading || "no heading"} (${column.type})`), ", ")}.`;
      showSheets(data.table);
      const ofCells = (data.table?.problems ?? []).map((/** @type {any} */ problem) => `Cell ${problem.cell} ${problem.message}.`);
      const ofColumns = data.problems.map((/** @type {any} */ problem) => `${problem.column}, record ${problem.record}: “${problem.text}” ${problem.message}.`);
      showProblems([...ofCells, ...ofColumns]);
      onAnalysis(data);
    } catch (error) {
      if (signal.aborted) return;
      summary.textContent = describeError(error);
      onAnalysis(null);
    }
  };
  const setFile = (/** @type {File | null} */ next) => {
    file = next && next.size <= MAX_FILE_BYTES ? next : null;
    sheetSelect.replaceChildren();
    sheetField.hidden = true;
    input.disabled = file !== null;
    fileNote.hidden = file === null;
    if (file) fileNote.replaceChildren(h("span", null, `${file.name} is used. `), createButton("Remove file", { kind: "plain", onclick: removeFile }));
    analyze();
    if (next && !file) summary.textContent = "The file is larger than 8 MB. Create the chart first and send the data through the API.";
  };
  const removeFile = () => {
    fileInput.value = "";
    setFile(null);
    input.focus();
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(analyze, ANALYSIS_DELAY_MS);
  });
  fileInput.addEventListener("change", () => setFile(fileInput.files?.[0] ?? null));
  const element = h(
    "div",
    { class: "own-data-fields" },
    createField("Table", input, "Paste it from a spreadsheet, or as CSV. The first row names the columns."),
    createField("Or a file", fileInput, "Excel, OpenDocument, CSV, TSV or HTML."),
    fileNote,
    sheetField,
    summary,
    problems,
  );
  // A dropped file is used instead of text.
  element.addEventListener("dragover", (event) => event.preventDefault());
  element.addEventListener("drop", (event) => {
    const dropped = event.dataTransfer?.files[0];
    if (!dropped) return;
    event.preventDefault();
    setFile(dropped);
  });
  return { element, getUpload, focus: () => input.focus() };
}

/** Returns the extension of a file in lower case. @param {File} file @returns {string} */
function findExtension(file) {
  return file.name.split(".").pop()?.toLowerCase() ?? "";
}
