// @ts-check
/** The editor of a chart: connects the store, the picture, the data, the panels and the automatic save. */

import { ApiError, get } from "./api.js";
import { connectionState, doc } from "./chart.js";
import { getImageRoot, imageSize, onImage, showLiveImage } from "./chart-image.js";
import { resolveConflict } from "./conflict-dialog.js";
import { createNoDataHelp, createWarningsList, hasNoData } from "./chart-warnings.js";
import { COPY_OF_CHART } from "./content-copy.js";
import { computed, effect, h, signal } from "./core.js";
import { changeKind } from "./dialog-kind.js";
import { createDocumentStore, readContent } from "./document-store.js";
import { startDocumentSync } from "./document-sync.js";
import { startCanvasEditing } from "./editor-canvas.js";
import { buildDataPane } from "./editor-data.js";
import { getEditor, setEditor, showSetting } from "./editor-state.js";
import { startZoom } from "./editor-zoom.js";
import { saveBeforeLeaving } from "./leave-page.js";
import { startLiveImage } from "./live-image.js";
import { OWN_CHART, createCopyButton, showCopyNotice, showCopySaved } from "./own-copy.js";
import { describePath, parsePath } from "./path-labels.js";
import { loadEditorName } from "./presence.js";
import { showChangePins } from "./presence-pins.js";
import { getText } from "./texts.js";
import { createButton, createIcon, describeError, findElement, formatClockTime, runBusy, showToast } from "./ui.js";

/** Texts for the states of the save. */
const STATE_TEXTS = {
  saved: getText("saving.saved"),
  waiting: getText("saving.waiting"),
  saving: getText("saving.saving"),
  offline: getText("saving.offline"),
  failed: getText("saving.failed"),
  conflict: getText("saving.conflict"),
};

/** Returns the different colors of the marks without their texts, in the order of the drawing. */
function listMarkColors() {
  const fills = [...getImageRoot().querySelectorAll("[data-row]:not(text), [data-rows]")].flatMap((element) => [element.getAttribute("fill"), element.getAttribute("stroke")]);
  return [...new Set(fills.filter((fill) => fill && fill !== "none"))].slice(0, 12).map(String);
}

/** Follows the colors of the picture, for the pickers of colors. */
function followColors() {
  const palette = signal(/** @type {string[]} */ ([]));
  const background = signal("#ffffff");
  const update = () => {
    palette.value = listMarkColors();
    background.value = getImageRoot().querySelector("svg > rect")?.getAttribute("fill") ?? "#ffffff";
  };
  onImage(update);
  update();
  return { palette, background };
}

/** Describes problems of fields with the names of the fields. @param {import("./live-image.js").Problem[]} problems */
function describeFields(problems) {
  const { kind, store } = getEditor();
  const described = { kind: kind.peek(), settings: store.content.peek().settings };
  return problems.map(({ path, message }) => `${describePath(parsePath(path), described)}: ${message}`);
}

/**
 * Builds the buttons for undo and redo, and the state of the save.
 * @param {import("./document-store.js").DocumentStore} store
 * @param {import("./document-sync.js").DocumentSync} sync
 */
function buildEditorTools(store, sync) {
  const createStepButton = (/** @type {() => string} */ describe, /** @type {string} */ iconName, /** @type {{ value: string }} */ label, /** @type {() => void} */ run) =>
    h("button", { type: "button", class: "button quiet icon-only", disabled: () => !label.value, "aria-label": describe, title: describe, onclick: run }, createIcon(iconName));
  const describeUndo = () => (store.undoLabel.value ? getText("editor.undoStep", { step: store.undoLabel.value }) : getText("common.undo"));
  const describeRedo = () => (store.redoLabel.value ? getText("editor.redoStep", { step: store.redoLabel.value }) : getText("common.redo"));
  const retry = h("button", { type: "button", class: "link", hidden: () => sync.state.value !== "failed", onclick: () => sync.save() }, getText("common.tryAgain"));
  const state = h("span", { class: "save-state", role: "status", "aria-live": "polite", dataset: { state: "" } }, () => STATE_TEXTS[sync.state.value]);
  effect(() => {
    state.dataset.state = sync.state.value;
    const error = sync.failure.value;
    const fields = error instanceof ApiError ? error.fields.map(({ field, message }) => ({ path: field, message })) : [];
    const text = () => (fields.length ? describeFields(fields).join("\n") : describeError(error));
    state.title = error && sync.state.value === "failed" ? text() : "";
  });
  return h(
    "div",
    { class: "editor-tools" },
    createStepButton(describeUndo, "undo", store.undoLabel, () => void store.undo()),
    createStepButton(describeRedo, "redo", store.redoLabel, () => void store.redo()),
    state,
    retry,
  );
}

/** Adds the keys for undo, redo and save. @param {import("./document-store.js").DocumentStore} store @param {import("./document-sync.js").DocumentSync} sync */
function addEditorShortcuts(store, sync) {
  const isOwnUndo = (/** @type {EventTarget | null} */ target) => target instanceof HTMLElement && target.matches("input:not([type=checkbox], [type=radio], [type=range], [type=color]), textarea, [contenteditable]") && !target.closest("chart-grid");
  document.addEventListener("keydown", (event) => {
    if (event.key === "F6" && !document.querySelector("dialog[open]")) return visitRegion(event);
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
    const key = event.key.toLowerCase();
    if (key === "s") {
      event.preventDefault();
      sync.save();
    } else if ((key === "z" || key === "y") && !document.querySelector("dialog[open]")) {
      // A field has an undo of its own while somebody types in it.
      if (isOwnUndo(event.target) || event.target instanceof HTMLElement && event.target.closest("chart-grid")) return;
      event.preventDefault();
      if (key === "z" && !event.shiftKey) store.undo();
      else store.redo();
    }
  });
  document.addEventListener("grid-undo", () => void store.undo());
  document.addEventListener("grid-redo", () => void store.redo());
}

/** Focuses the first element that a selector finds. Returns whether there is one. @param {string} selector */
const focusFirst = (selector) => {
  const element = /** @type {HTMLElement | null} */ (document.querySelector(selector));
  element?.focus();
  return element !== null;
};

/** Focuses the first text of the picture, or the canvas if the picture has none. */
function focusCanvas() {
  const text = /** @type {SVGElement | null} */ (getImageRoot().querySelector("[data-part][tabindex]"));
  if (!text) return focusFirst("#canvas");
  text.focus();
  return true;
}

/**
 * The regions that F6 visits, in order: selectors, and functions that move the focus there and return whether the region
 * exists.
 * @type {[string, () => boolean][]}
 */
const REGIONS = [
  ["#tools", () => focusFirst("#tools button:not(:disabled, [hidden])")],
  [".panel-buttons", () => focusFirst("#body .panel-buttons button")],
  [".stage", focusCanvas],
  ["#data", () => (getEditor().data.focus(), true)],
  ["#panel", () => focusFirst("#panel-title")],
];

/** Moves the focus to the next region, or with Shift to the previous one. @param {KeyboardEvent} event */
function visitRegion(event) {
  const current = REGIONS.findIndex(([selector]) => document.activeElement?.closest(selector));
  const step = event.shiftKey ? -1 : 1;
  event.preventDefault();
  for (let tries = 1; tries <= REGIONS.length; tries += 1) {
    const index = (current + step * tries + REGIONS.length * 2) % REGIONS.length;
    if (REGIONS[index][1]()) return;
  }
}

/** Loads the tools on the canvas after the editor, which works without them. */
async function startCanvasTools() {
  try {
    const [notes, margins, axes, bar] = await Promise.all([import("./canvas-notes.js"), import("./canvas-margins.js"), import("./canvas-axes.js"), import("./mark-bar.js")]);
    notes.startNotes();
    margins.startMargins();
    axes.startAxisHandles();
    bar.startMarkBar();
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/**
 * Creates the note about a problem, with a button that leads to its cell or setting.
 * @param {import("./live-image.js").Problem} problem
 * @param {string} text
 */
function createProblemNote({ path }, text) {
  const [member, ...keys] = parsePath(path);
  const [row, key] = keys;
  const showCell = () => {
    const { data } = getEditor();
    data.focus();
    data.grid.selectCell(row, key ?? data.grid.columns[0]?.key);
  };
  const isCell = member === "data" && typeof row === "number";
  const showButton = isCell
    ? createButton(getText("editor.showCell"), { kind: "plain", onclick: showCell })
    : member === "settings" && keys.length > 0 && createButton(getText("editor.showSetting"), { kind: "plain", onclick: () => showSetting(path) });
  return h("p", { class: "notice" }, h("span", null, text), showButton);
}

/** Shows what the program could not draw, and whether the picture is older than the content. @param {import("./live-image.js").LiveImage} image */
function buildImageNotes(image) {
  const notes = h("div", { class: "image-notes", role: "status" });
  effect(() => {
    const problems = image.problems.value;
    const failure = image.failure.value;
    const intro = problems.length ? getText("editor.imageBeforeProblem") : failure ? describeError(failure) : "";
    const texts = describeFields(problems);
    notes.replaceChildren(...(intro ? [h("p", { class: "notice" }, intro)] : []), ...problems.map((problem, index) => createProblemNote(problem, texts[index])));
  });
  const { store } = getEditor();
  const isEmpty = computed(() => hasNoData(image.warnings.value));
  const help = createNoDataHelp(() => isEmpty.value, () => store.content.value, changeKind);
  const progress = h("div", { class: "draw-progress", hidden: () => !image.isOutdated.value });
  const delay = h("div", { class: "draw-delay", role: "status" }, () => {
    if (image.isLate.value) return [getText("editor.stillDrawing"), createButton(getText("common.cancel"), { "aria-label": getText("editor.cancelDrawing"), onclick: image.cancel })];
    return image.isCanceled.value ? [getText("editor.drawingStopped"), createButton(getText("editor.drawAgain"), { onclick: image.redraw })] : [];
  });
  findElement(".stage").append(notes, createWarningsList(image.warnings), help);
  findElement("#canvas").append(progress);
  // Over the canvas, so that it moves nothing.
  findElement(".stage").after(delay);
}

/** Restores the chart from the trash, and saves the changes. @param {import("./document-sync.js").DocumentSync} sync */
async function restoreAndSave(sync) {
  try {
    await (await import("./chart-actions.js")).restoreInPlace();
    await sync.save();
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/**
 * Shows that the user may no longer change the chart, or that it is in the trash, while there are unsaved changes. Offers to
 * save them as an own one.
 * @param {import("./document-store.js").DocumentStore} store
 * @param {import("./document-sync.js").DocumentSync} sync
 */
function buildAccessNotice(store, sync) {
  const isInTrash = () => sync.refusal.value === "trash";
  const hasEnded = () => sync.state.value !== "saved" && (sync.refusal.value !== "" || connectionState.value === "gone");
  const text = () => getText(isInTrash() ? "saving.inTrash" : "saving.accessEnded");
  const restoreButton = createButton(getText("common.restore"), { hidden: () => !isInTrash(), onclick: () => runBusy(restoreButton, () => restoreAndSave(sync)) });
  const openCopy = (/** @type {import("./document-store.js").Content} */ saved, /** @type {string} */ view) => {
    sync.discard(saved);
    // The work goes on in the new chart, unless something was typed meanwhile.
    if (sync.state.peek() === "saved") location.assign(view);
    else showCopySaved(view);
  };
  const copyButton = createCopyButton(OWN_CHART, () => store.content.peek(), openCopy);
  findElement("#notices").append(h("p", { class: "notice", role: "status", hidden: () => !hasEnded() }, createIcon("warn"), h("span", null, text, " "), restoreButton, copyButton));
}

/** Chart kinds that were loaded, by id. @type {Map<string, Promise<any>>} */
const loadedKinds = new Map();

/** Loads a chart kind, once. @param {string} id */
function loadKind(id) {
  const loading = loadedKinds.get(id) ?? get(`/widgets/${id}`).then(({ data }) => data);
  loadedKinds.set(id, loading);
  loading.catch(() => loadedKinds.delete(id));
  return loading;
}

/**
 * Starts the editor on the chart page. The document must be loaded.
 * @returns {Promise<{ tools: HTMLElement, store: import("./document-store.js").DocumentStore, sync: import("./document-sync.js").DocumentSync, editTitle: () => void, focusData: () => void }>}
 */
export async function startEditor() {
  const loaded = doc.peek();
  if (!loaded) throw new Error("the document is not loaded");
  const store = createDocumentStore(readContent(loaded));
  const kind = signal(await loadKind(store.content.peek().plugin_id));
  const image = startLiveImage(store.content, showLiveImage);
  // The page has a picture without marks.
  image.redraw();
  const sync = startDocumentSync(store, {
    resolveConflict,
    onMerged: (author) => showToast(getText("saving.merged", { author })),
    onForeignChange: (before, after, author) => showChangePins(before, after, author, data.grid),
    loadName: loadEditorName,
    onDataReplaced: (own) => showCopyNotice(getText("saving.dataReplaced"), COPY_OF_CHART, own),
    onTheirsChosen: (author, undo) => showToast(getText("saving.theirsChosen", { author }), { seconds: 20, action: { label: getText("common.undo"), ...undo } }),
    onRestored: (time, undo) => showToast(getText("saving.restored", { time: formatClockTime(time) }), { seconds: 20, action: { label: getText("common.undo"), ...undo } }),
  });
  const openTextPanel = (/** @type {string} */ field) => window.dispatchEvent(new CustomEvent("open-panel", { detail: { name: "text", field } }));
  const canvas = startCanvasEditing(store, { onSelectMark: (row, field) => data.selectMark(row, field), onMissingPart: openTextPanel });
  const data = buildDataPane(store, kind, image);
  setEditor({ store, sync, image, kind, data, canvas, ...followColors() });
  buildImageNotes(image);
  buildAccessNotice(store, sync);
  startZoom();
  startCanvasTools();
  addEditorShortcuts(store, sync);
  saveBeforeLeaving(sync);
  findElement("#chart").classList.add("editing");
  effect(() => {
    const { width, height } = imageSize.value;
    findElement("#canvas").style.setProperty("--ratio", String(width / height));
  });
  effect(() => {
    const id = store.content.value.plugin_id;
    const use = (/** @type {any} */ loadedKind) => store.content.peek().plugin_id === id && (kind.value = loadedKind);
    findElement(".chart-facts span").textContent = kind.value.title;
    if (kind.peek().id !== id) loadKind(id).then(use, (error) => showToast(describeError(error), { isError: true }));
  });
  return { tools: buildEditorTools(store, sync), store, sync, editTitle: () => canvas.editPart("title"), focusData: () => data.focus() };
}
