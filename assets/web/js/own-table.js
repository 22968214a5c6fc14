// @ts-check
/** The fields for an own table in the dialog for a new chart, and the analysis of the table by the server. */

import { post } from "./api.js";
import { h } from "./core.js";
import { NEW_CHART_LANGUAGE, getText } from "./texts.js";
import { createButton, createField, describeError, runBusy } from "./ui.js";

/** Maximum size of a table file in bytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Delay between the last key press and the analysis. */
const ANALYSIS_DELAY_MS = 350;
/** Name of the file for an HTML table from the clipboard. */
const CLIPBOARD_FILE_NAME = "clipboard.html";
/** Maximum number of columns and problems that the summary names. */
const MAX_NAMED = 4;

/** Media types by file extension. The server detects the files of spreadsheet programs by their content. */
const MEDIA_TYPES = new Map([
  ["csv", "text/csv"],
  ["txt", "text/csv"],
  ["md", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["tab", "text/tab-separated-values"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ["json", "application/json"],
  ...["xlsx", "xlsm", "xlsb", "xls", "ods"].map((extension) => /** @type {[string, string]} */ ([extension, "application/octet-stream"])),
]);

/** Extensions of table files, for the attribute `accept` of a field for files. */
export const TABLE_EXTENSIONS = [...MEDIA_TYPES.keys()].map((extension) => `.${extension}`).join(",");

/** Returns the media type of a table file by its extension, CSV if it is unknown. @param {File} file */
export const findMediaType = (file) => MEDIA_TYPES.get(findExtension(file)) ?? "text/csv";

/**
 * A table to send: the text of the field, or a file.
 * @typedef {{ body: string | Blob, type: string, sheet: string | null }} Upload
 */

/** Names of the types of columns in the API. @type {Record<string, string>} */
const TYPE_NAMES = {
  number: getText("own-table.typeNumber"),
  date: getText("own-table.typeDate"),
  boolean: getText("own-table.typeBoolean"),
  text: getText("own-table.typeText"),
  empty: getText("own-table.typeEmpty"),
};

/** Joins the first names of a list and counts the others. @param {string[]} names */
function joinNames(names) {
  const list = names.slice(0, MAX_NAMED).join(", ");
  const count = names.length - MAX_NAMED;
  return count > 0 ? getText("own-table.moreNames", { list, count }) : list;
}

/** Joins the first parts of a sentence and counts the others. @param {string[]} parts */
function joinParts(parts) {
  const list = parts.slice(0, MAX_NAMED).join("; ");
  const count = parts.length - MAX_NAMED;
  return count > 0 ? getText("own-table.moreParts", { list, count }) : list;
}

/**
 * Describes the columns of a kind that the table fills.
 * @param {any} fit member of `kinds` in the response of `POST /tables`
 * @returns {string}
 */
export function describeMapping(fit) {
  const used = fit.mapping.map((/** @type {{ column: string, key: string, title?: string }} */ { column, key, title }) => {
    const target = title ?? (key === "series" ? getText("own-table.seriesNames") : key);
    return column === target || column === key ? column : `${column} → ${target}`;
  });
  const parts = [used.length ? getText("own-table.columnsUsed", { names: joinNames(used) }) : ""];
  /** @type {Map<string, string>} */
  const reasons = new Map(fit.left_over_reasons.map((/** @type {any} */ reason) => [reason.column, reason.message]));
  const others = fit.left_over.filter((/** @type {string} */ heading) => !reasons.has(heading));
  if (others.length) parts.push(getText("own-table.columnsNotShown", { names: joinNames(others) }));
  const explained = [...reasons].map(([heading, message]) => getText("own-table.columnReason", { heading, message }));
  if (explained.length) parts.push(`${joinParts(explained)}.`);
  if (fit.missing.length) parts.push(getText("own-table.columnsMissing", { names: fit.missing.map((/** @type {any} */ column) => column.title).join(", ") }));
  return parts.filter(Boolean).join(" ");
}

/** Describes the size and the columns of a table. @param {any} table response of `POST /tables` @returns {string} */
function describeTable({ records, columns }) {
  const names = columns.map((/** @type {any} */ { heading, type }) => `${heading || getText("own-table.noHeading")} (${TYPE_NAMES[type] ?? type})`);
  return getText("own-table.summary", { records: getText("own-table.records", { count: records }), columns: getText("common.columns", { count: columns.length }), names: joinNames(names) });
}

/**
 * Loads the table at a web address, through the server.
 * @param {string} url
 * @returns {Promise<File>} named like the last part of the address, with an extension that its content needs
 */
async function loadFromAddress(url) {
  const { data: blob } = await post("/tables/download", { url });
  const path = new URL(url).pathname.split("/").filter(Boolean).pop() ?? "";
  const file = new File([blob], path || new URL(url).hostname);
  if (MEDIA_TYPES.has(findExtension(file))) return file;
  const beginning = (await blob.slice(0, 100).text()).trimStart();
  const extension = beginning.startsWith("<") ? ".html" : /^[[{]/.test(beginning) ? ".json" : "";
  return new File([blob], file.name + extension);
}

/** Returns the HTML and the text in the clipboard, empty without one. @returns {Promise<{ html: string, text: string }>} */
async function readClipboard() {
  const [item] = await navigator.clipboard.read();
  const readType = async (/** @type {string} */ type) => (item?.types.includes(type) ? (await item.getType(type)).text() : "");
  return { html: await readType("text/html"), text: await readType("text/plain") };
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
  const input = h("textarea", { name: "body", rows: 4, spellcheck: "false", class: "table-text", placeholder: getText("own-table.sample") });
  const fileInput = h("input", { type: "file", accept: TABLE_EXTENSIONS });
  const sheetSelect = h("select", { onchange: () => analyze() });
  const sheetField = h("div", { hidden: true }, createField(getText("own-table.worksheet"), sheetSelect));
  const addressInput = h("input", { type: "url", inputmode: "url", placeholder: "https://", autocapitalize: "none", spellcheck: "false" });
  const fileNote = h("p", { class: "table-file", hidden: true });
  const summary = h("p", { class: "table-summary muted", role: "status" });
  const problems = h("ul", { class: "table-problems muted", hidden: true });

  /** Returns the table to send. Returns null if there is none. @returns {Upload | null} */
  const getUpload = () => {
    if (file) return { body: file, type: findMediaType(file), sheet: sheetSelect.value || null };
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
      const { data } = await post("/tables", upload.body, { type: upload.type, query: { sheet: upload.sheet, locale: NEW_CHART_LANGUAGE }, signal });
      summary.textContent = describeTable(data);
      showSheets(data.table);
      const ofCells = (data.table?.problems ?? []).map((/** @type {any} */ problem) => getText("own-table.cellProblem", { cell: problem.cell, message: problem.message }));
      const ofColumns = data.problems.map((/** @type {any} */ problem) => getText("own-table.recordProblem", { column: problem.column, record: String(problem.record), text: problem.text, message: problem.message }));
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
    if (file) {
      const note = file.name === CLIPBOARD_FILE_NAME ? getText("own-table.clipboardUsed") : getText("own-table.fileUsed", { file: file.name });
      fileNote.replaceChildren(h("span", null, `${note} `), createButton(getText("common.remove"), { kind: "plain", onclick: removeFile }));
    }
    analyze();
    if (next && !file) summary.textContent = getText("own-table.fileTooLarge");
  };
  /** Uses the table in the clipboard, as a spreadsheet or a web page puts it there. */
  const pasteTable = async () => {
    try {
      const { html, text } = await readClipboard();
      clearTimeout(timer);
      // The HTML tells merged cells, such as a title above the header, from other cells.
      if (/<table[\s>]/i.test(html)) return setFile(new File([html], CLIPBOARD_FILE_NAME));
      fileInput.value = "";
      input.value = text;
      setFile(null);
    } catch {
      summary.textContent = getText("own-table.clipboardBlocked");
    }
  };
  const pasteButton = createButton(getText("own-table.pasteFromClipboard"), { kind: "quiet", icon: "copy", onclick: () => runBusy(pasteButton, pasteTable) });
  /** Uses the table at the entered address. */
  const loadAddress = async () => {
    const url = addressInput.value.trim();
    if (!url) return addressInput.focus();
    try {
      fileInput.value = "";
      setFile(await loadFromAddress(url));
    } catch (error) {
      summary.textContent = describeError(error);
    }
  };
  const loadButton = createButton(getText("own-table.load"), { kind: "quiet", icon: "download", onclick: () => runBusy(loadButton, loadAddress) });
  const removeFile = () => {
    fileInput.value = "";
    setFile(null);
    input.focus();
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(analyze, ANALYSIS_DELAY_MS);
  });
  addressInput.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // Enter would create the chart.
    event.preventDefault();
    loadButton.click();
  });
  fileInput.addEventListener("change", () => setFile(fileInput.files?.[0] ?? null));
  const element = h(
    "div",
    { class: "own-data-fields" },
    createField(getText("own-table.table"), input, getText("own-table.tableHint")),
    h("div", null, pasteButton),
    createField(getText("own-table.file"), fileInput, getText("own-table.fileHint")),
    h("div", { class: "table-address" }, createField(getText("own-table.address"), addressInput), loadButton),
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
