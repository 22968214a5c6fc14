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
import { createButton, createIcon, findElement, runBusy, showToast } from "./ui.js";
import { isEqualJson } from "./json-merge.js";
import { doesTabMoveByCell } from "./shortcuts.js";
import "./grid.js";

/** Smallest and largest height of the pane in pixels, and the step of the arrow keys. */
const MIN_HEIGHT = 96;
const MAX_HEIGHT = 900;
const HEIGHT_STEP = 24;
/** Height of the pane in pixels before the user changes it, as in the style sheet. */
const DEFAULT_HEIGHT = 264;
/** Height in pixels of the pane without its grid. */
const COLLAPSED_HEIGHT = 48;
/** Keys in the local storage of the height, and of whether the grid is hidden. */
const HEIGHT_KEY = "data-height";
const COLLAPSED_KEY = "data-collapsed";

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

  const size = createPaneSize();
  const { isCollapsed } = size;
  const pane = h(
    "section",
    { class: () => (isCollapsed.value ? "data-pane collapsed" : "data-pane"), id: "data", "aria-label": getText("editor-data.data") },
    createSplitter(size),
    h("header", { class: "data-tools" }, createCollapseButton(isCollapsed), h("h2", null, getText("editor-data.data")), h("span", { class: "muted" }, () => summary.value), pasteButton, uploadButton, syncButton, clearButton, fileInput),
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
    /** Moves the focus to the grid. Shows it if it is hidden. */
    focus: () => {
      isCollapsed.value = false;
      grid.focusGrid();
    },
  };
}

/** Stores a value in this browser, if it may. @param {string} key @param {string} value */
function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The value is not remembered.
  }
}

/**
 * Creates the size of the pane: its height without the grid hidden, and whether the grid is hidden. The browser remembers
 * both. The style sheet gives the rest of the window to the canvas.
 */
function createPaneSize() {
  const height = signal(Number(localStorage.getItem(HEIGHT_KEY)) || DEFAULT_HEIGHT);
  const isCollapsed = signal(localStorage.getItem(COLLAPSED_KEY) === "true");
  effect(() => remember(HEIGHT_KEY, String(height.value)));
  effect(() => remember(COLLAPSED_KEY, String(isCollapsed.value)));
  effect(() => findElement("#body").style.setProperty("--data-height", `${isCollapsed.value ? COLLAPSED_HEIGHT : height.value}px`));
  return { height, isCollapsed };
}

/** Creates the button that hides and shows the grid. @param {import("./core.js").Signal<boolean>} isCollapsed */
function createCollapseButton(isCollapsed) {
  const label = () => getText(isCollapsed.value ? "editor-data.showGrid" : "editor-data.hideGrid");
  return h("button", { type: "button", class: "button plain icon-only collapse", "aria-label": label, title: label, "aria-expanded": () => !isCollapsed.value, "aria-controls": "data", onclick: () => (isCollapsed.value = !isCollapsed.peek()) }, createIcon("down"));
}

/**
 * Creates the separator above the pane. Dragging, the arrow keys, Home and End change the height of the pane, and Enter and
 * a double press hide or show the grid.
 * @param {ReturnType<typeof createPaneSize>} size
 */
function createSplitter({ height, isCollapsed }) {
  const setHeight = (/** @type {number} */ next) => {
    height.value = Math.round(Math.max(MIN_HEIGHT, Math.min(MAX_HEIGHT, next)));
    isCollapsed.value = false;
  };
  const splitter = h("div", { class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "horizontal", "aria-label": getText("editor-data.height"), "aria-controls": "data", "aria-valuenow": () => height.value, "aria-valuemin": MIN_HEIGHT, "aria-valuemax": MAX_HEIGHT });
  const toggle = () => (isCollapsed.value = !isCollapsed.peek());
  /** @type {Record<string, () => unknown>} */
  const keys = {
    ArrowUp: () => setHeight(height.peek() + HEIGHT_STEP),
    ArrowDown: () => setHeight(height.peek() - HEIGHT_STEP),
    Home: () => setHeight(MIN_HEIGHT),
    End: () => setHeight(MAX_HEIGHT),
    Enter: toggle,
  };
  splitter.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  splitter.addEventListener("dblclick", toggle);
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    const [startY, startHeight] = [event.clientY, isCollapsed.peek() ? COLLAPSED_HEIGHT : height.peek()];
    const move = (/** @type {PointerEvent} */ moved) => moved.clientY !== startY && setHeight(startHeight + startY - moved.clientY);
    splitter.addEventListener("pointermove", move);
    splitter.addEventListener("lostpointercapture", () => splitter.removeEventListener("pointermove", move), { once: true });
  });
  return splitter;
}
