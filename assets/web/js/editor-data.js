// @ts-check
/** The data pane of the editor: the grid and its toolbar. */

import { chart, isSynced } from "./chart.js";
import { effect, h, signal } from "./core.js";
import { changeColumns, listColumns, mapColumn, mayAddColumns } from "./document-columns.js";
import { selectedRow } from "./editor-canvas.js";
import { getEditor } from "./editor-state.js";
import { followRecords } from "./note-records.js";
import { TABLE_EXTENSIONS } from "./own-table.js";
import { acceptTables } from "./page-tables.js";
import { listReplacedSampleTexts } from "./sample-texts.js";
import { buildSyncBar, openSyncDialog } from "./sync-bar.js";
import { createTableStrip } from "./table-strip.js";
import { getText } from "./texts.js";
import { createButton, findElement, runBusy, showToast } from "./ui.js";
import { isEqualJson } from "./json-merge.js";
import { doesTabMoveByCell } from "./shortcuts.js";
import "./grid.js";

/** Smallest and largest height of the pane in pixels, and the step of the arrow keys. */
const MIN_HEIGHT = 96;
const MAX_HEIGHT = 900;
const HEIGHT_STEP = 24;
/** Height of the pane in pixels before the user changes it, as in the style sheet. */
const DEFAULT_HEIGHT = 300;

/** @typedef {import("./document-store.js").DocumentStore} DocumentStore */

/**
 * Builds the data pane.
 * @param {DocumentStore} store
 * @param {import("./core.js").Signal<any>} kind chart kind of the API
 * @param {import("./live-image.js").LiveImage} image
 */
export function buildDataPane(store, kind, image) {
  const grid = /** @type {any} */ (document.createElement("chart-grid"));
  grid.setAttribute("aria-label", getText("editor-data.data"));
  grid.doesTabMoveByCell = doesTabMoveByCell;
  // The chart finds all other columns by their keys.
  grid.isOrdered = (/** @type {import("./document-columns.js").Column} */ column) => Boolean(column.isRepeated);
  grid.readColors = () => ({ palette: getEditor().palette, background: getEditor().background });
  const strip = createTableStrip(store);
  /** Widths of columns that the user has set, by key. @type {Map<string, number>} */
  const widths = new Map();
  const summary = signal("");

  effect(() => {
    const content = store.content.value;
    // Numbers and dates are those of the document, in which English is the default, and not those of the page.
    grid.locale = content.settings.locale ?? "en";
    grid.columns = listColumns(kind.value, content).map((column) => (widths.has(column.key) ? { ...column, width: widths.get(column.key) } : column));
    grid.records = content.data;
    summary.value = getText("common.rows", { count: content.data.length });
  });
  effect(() => {
    grid.readOnlyReason = isSynced.value ? getText("sync.readOnly") : "";
    if (isSynced.value) strip.hide();
  });
  effect(() => {
    grid.mayAddColumns = mayAddColumns(kind.value);
    grid.fields = kind.value.data_columns.map((/** @type {any} */ { key, title }) => ({ key, title }));
  });
  effect(() => {
    grid.highlightedRows = new Set(selectedRow.value === null ? [] : [selectedRow.value]);
  });
  effect(() => {
    grid.problems = image.problems.value.flatMap(({ path, message }) => {
      const [, row, key] = /^data\[(\d+)\](?:\.(.+))?$/.exec(path) ?? [];
      return row === undefined ? [] : [{ row: Number(row), key: key ?? "", message }];
    });
  });

  /** Kinds of the document since the page was loaded, by id. @type {Map<string, any>} */
  const knownKinds = new Map();
  effect(() => void knownKinds.set(kind.value.id, kind.value));
  const listSampleTexts = (/** @type {Record<string, any>[]} */ before, /** @type {import("./document-store.js").Content} */ content) => listReplacedSampleTexts(kind.peek(), [...knownKinds.values()], before, content);
  /** Records before the changes of an open edit; null without changes. @type {Record<string, any>[] | null} */
  let dataBeforeEdit = null;

  /** Removes the texts of the sample after its last record was replaced, as a step that can be undone alone. */
  const removeSampleTexts = () => {
    // An open edit may still be canceled.
    if (grid.edit || !dataBeforeEdit) return;
    const changes = listSampleTexts(dataBeforeEdit, store.content.peek());
    dataBeforeEdit = null;
    if (changes.length === 0) return;
    const step = store.applyChanges(changes, { label: getText("editor-data.removeSampleTexts") });
    showToast(getText("editor-data.sampleTextsRemoved"), { action: { label: getText("common.undo"), ...store.offerUndo(step) } });
  };
  grid.addEventListener("grid-edit-end", removeSampleTexts);

  grid.addEventListener("grid-change", (/** @type {CustomEvent} */ event) => {
    dataBeforeEdit ??= store.content.peek().data;
    const { records, columns, label, mergeKey } = event.detail;
    for (const { key, width } of columns ?? []) {
      if (width) widths.set(key, width);
    }
    const content = { ...store.content.peek(), data: records };
    const changes = [{ path: ["data"], value: records }, ...(columns ? changeColumns(kind.peek(), content, columns) : [])];
    const notes = content.style?.annotations;
    const moved = Array.isArray(notes) ? followRecords(notes, store.content.peek().data, records) : notes;
    if (moved !== notes) changes.push({ path: ["style", "annotations"], value: moved });
    store.applyChanges(changes, { label, mergeKey });
    // A new width alone is no change of the document.
    if (columns) grid.columns = listColumns(kind.peek(), store.content.peek()).map((column) => ({ ...column, width: widths.get(column.key) }));
    removeSampleTexts();
  });
  grid.addEventListener("grid-select", (/** @type {CustomEvent} */ event) => {
    selectedRow.value = event.detail.row < store.content.peek().data.length ? event.detail.row : null;
  });
  grid.addEventListener("grid-map-column", (/** @type {CustomEvent} */ event) => {
    const { key, targetKey } = event.detail;
    store.applyChanges(mapColumn(kind.peek(), store.content.peek(), key, targetKey), { label: getText("editor-data.useColumn") });
  });
  grid.addEventListener("grid-edit-lost", (/** @type {CustomEvent} */ event) => {
    const { row, record, text } = event.detail;
    const addAgain = () => {
      const { data } = store.content.peek();
      store.setValue(["data"], data.toSpliced(Math.min(row, data.length), 0, record), { label: getText("editor-data.addRowAgain") });
    };
    showToast(getText("editor-data.editedRowRemoved", { text }), { seconds: 60, isError: true, action: { label: getText("editor-data.addRowAgain"), run: addAgain } });
  });
  grid.addEventListener("grid-paste-table", (/** @type {CustomEvent} */ event) => {
    const { text, html, rows } = event.detail;
    if (!isNewTable(rows)) return;
    event.preventDefault();
    strip.useClipboard(text, html);
  });

  /**
   * Whether pasted rows are a table of their own, and not cells for the present columns: the chart has no own data yet,
   * or the first row has names and the second one numbers.
   * @param {string[][]} rows
   */
  const isNewTable = (rows) => {
    const { data } = store.content.peek();
    if (data.length === 0 || isEqualJson(data, kind.peek().sample_data)) return true;
    const hasDigit = (/** @type {string} */ cell) => /^[^a-z]*\d[^a-z]*$/i.test(cell.trim());
    const [names = [], values = []] = rows;
    return names.every((name, index) => (name.trim() !== "" || index === 0) && !hasDigit(name)) && values.some(hasDigit);
  };

  const fileInput = h("input", { type: "file", hidden: true, accept: TABLE_EXTENSIONS, onchange: () => fileInput.files?.[0] && strip.useFile(fileInput.files[0]).then(() => (fileInput.value = "")) });
  const uploadButton = createButton(getText("editor-data.useFile"), { kind: "plain", icon: "upload", hidden: () => isSynced.value, onclick: () => fileInput.click() });
  const syncButton = createButton(getText("sync.keepUpToDate"), { kind: "plain", icon: "sync", hidden: () => isSynced.value || chart.provider !== "" || chart.shareToken !== null, onclick: openSyncDialog });
  const clearButton = createButton(getText("editor-data.clear"), {
    kind: "plain",
    hidden: () => isSynced.value,
    onclick: () => {
      const content = store.content.peek();
      const texts = listSampleTexts(content.data, { ...content, data: [] });
      const step = store.applyChanges([{ path: ["data"], value: [] }, ...texts], { label: getText("editor-data.clearData") });
      showToast(texts.length ? getText("editor-data.clearedWithTexts") : getText("editor-data.cleared"), { action: { label: getText("common.undo"), ...store.offerUndo(step) } });
    },
  });
  const pasteButton = createButton(getText("editor-data.pasteTable"), {
    kind: "plain",
    hidden: () => isSynced.value,
    onclick: () => runBusy(pasteButton, pasteTable),
  });
  const pasteTable = async () => {
    try {
      const items = await navigator.clipboard.read();
      const item = items[0];
      const read = async (/** @type {string} */ type) => (item?.types.includes(type) ? (await item.getType(type)).text() : "");
      const [text, html] = await Promise.all([read("text/plain"), read("text/html")]);
      await strip.useClipboard(text, html);
    } catch {
      showToast(getText("editor-data.clipboardBlocked"), { isError: true });
    }
  };

  const pane = h(
    "section",
    { class: "data-pane", id: "data", "aria-label": getText("editor-data.data") },
    createSplitter(() => pane),
    h("header", { class: "data-tools" }, h("h2", null, getText("editor-data.data")), h("span", { class: "muted" }, () => summary.value), pasteButton, uploadButton, syncButton, clearButton, fileInput),
    buildSyncBar(() => grid.focusGrid()),
    strip.element,
    grid,
  );
  const unlessSynced = (/** @type {(...args: any[]) => unknown} */ use) => (/** @type {any[]} */ ...args) => (isSynced.peek() ? showToast(getText("sync.readOnly")) : use(...args));
  acceptTables({ useClipboard: unlessSynced(strip.useClipboard), useFile: unlessSynced(strip.useFile) });
  findElement("#body").append(pane);
  return {
    grid,
    /** Selects the cell of a mark and scrolls to it. @param {number} row @param {string | null} field */
    selectMark: (row, field) => grid.selectCell(row, field ?? grid.columns[0]?.key, { focus: false }),
    /** Moves the focus to the grid. */
    focus: () => grid.focusGrid(),
  };
}

/**
 * Creates the separator above the pane, which changes its height by dragging and by the arrow keys.
 * @param {() => HTMLElement} getPane
 */
function createSplitter(getPane) {
  const readHeight = () => getPane().getBoundingClientRect().height;
  const setHeight = (/** @type {number} */ height) => {
    const clamped = Math.round(Math.max(MIN_HEIGHT, Math.min(MAX_HEIGHT, height)));
    getPane().style.setProperty("--data-height", `${clamped}px`);
    splitter.setAttribute("aria-valuenow", String(clamped));
    try {
      localStorage.setItem("data-height", String(clamped));
    } catch {
      // The height is not remembered.
    }
  };
  const splitter = h("div", { class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "horizontal", "aria-label": getText("editor-data.height"), "aria-valuemin": MIN_HEIGHT, "aria-valuemax": MAX_HEIGHT });
  splitter.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    setHeight(readHeight() + (event.key === "ArrowUp" ? HEIGHT_STEP : -HEIGHT_STEP));
  });
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    const [startY, startHeight] = [event.clientY, readHeight()];
    const move = (/** @type {PointerEvent} */ moved) => setHeight(startHeight + startY - moved.clientY);
    splitter.addEventListener("pointermove", move);
    splitter.addEventListener("lostpointercapture", () => splitter.removeEventListener("pointermove", move), { once: true });
  });
  splitter.setAttribute("aria-valuenow", String(DEFAULT_HEIGHT));
  queueMicrotask(() => {
    const stored = Number(localStorage.getItem("data-height"));
    if (stored) setHeight(stored);
  });
  return splitter;
}
