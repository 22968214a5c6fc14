// @ts-check
/** The version panel: lists versions by day with author and thumbnail, previews and restores them. */

import { ApiError, get, patch, post } from "./api.js";
import { buildDocumentUrl, chart, getDocumentPath, getEntityTag, refreshDocument, withShareToken } from "./chart.js";
import { showVersion } from "./chart-image.js";
import { effect, h, signal } from "./core.js";
import { runConditionalChange } from "./edit-conflicts.js";
import { findEditor } from "./editor-state.js";
import { getText } from "./texts.js";
import { formatFullDate } from "./time.js";
import { createButton, createField, createIcon, describeError, findElement, formatClockTime, formatLocalTime, openDialog, runBusy, showError, showToast } from "./ui.js";
import { buildVersionDiff } from "./version-diff.js";

/** Maximum number of attempts to save the changes in the editor before a version is restored. */
const MAX_SAVE_ATTEMPTS = 5;
/** Number of versions per page. */
const PAGE_SIZE = 30;

/** Origins of versions that were not saved by a user on a page. */
const CHANNEL_LABELS = { api: getText("history.throughApi"), sync: getText("history.bySync"), restore: getText("history.restoredVersion") };

/** @typedef {{ history_version: number, saved_at: string, author: { id: string, name: string | null } | null, channel: string, title: string, name: string | null, record_count: number }} Version */

/** Loaded versions, newest first. */
const versions = signal(/** @type {Version[]} */ ([]));
/** Number of versions on the server. */
const versionCount = signal(0);
/** Old version on the canvas; null for the current version. */
const preview = signal(/** @type {Version | null} */ (null));

/**
 * Returns the number of the current version, the newest one. The loaded document may have an older number, because the
 * response to a save has none.
 */
const getCurrentNumber = () => versions.value[0]?.history_version;

/** Loads a page of versions and appends the new ones. With an offset of 0, replaces the list. @param {number} offset */
async function loadVersions(offset) {
  const { data } = await get(getDocumentPath("/history"), { query: withShareToken({ offset, limit: PAGE_SIZE }) });
  versionCount.value = data.count;
  const previous = offset ? versions.peek() : [];
  const known = new Set(previous.map((version) => version.history_version));
  versions.value = [...previous, ...data.results.filter((/** @type {Version} */ version) => !known.has(version.history_version))];
}

/** Returns the name of the author. A version without an author was saved by a guest. @param {Version} version */
const getAuthorName = (version) => version.author?.name ?? (version.author ? getText("history.formerUser") : getText("common.guest"));

/** Shows a version on the canvas. @param {Version} version */
async function previewVersion(version) {
  const isCurrent = getCurrentNumber() === version.history_version;
  try {
    const isShown = await showVersion(isCurrent ? undefined : version.history_version);
    if (isShown) preview.value = isCurrent ? null : version;
    // In a small window the list is below the image.
    if (isShown) findElement(".stage").scrollIntoView({ block: "nearest" });
    if (isShown && isCurrent) showToast(getText("history.isCurrent"), { seconds: 3 });
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/** Ends the preview and shows the current version. */
async function showCurrentVersion() {
  preview.value = null;
  document.querySelector("#preview")?.remove();
  try {
    await showVersion();
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/** Saves the changes in the editor, which a restored version would mix with. Throws the failure of the save. */
async function saveEdits() {
  const sync = findEditor()?.sync;
  // A save that meets newer changes of others adds them, and waits for the next attempt.
  for (let attempt = 0; sync && attempt < MAX_SAVE_ATTEMPTS; attempt += 1) {
    await sync.save();
    if (sync.state.peek() !== "waiting") break;
  }
  if (sync && sync.state.peek() !== "saved") throw sync.failure.peek() ?? new Error(getText("saving.failed"));
}

/** Restores a version and shows a toast with Undo, which restores the previous version. @param {Version} version */
async function restoreVersion(version) {
  await saveEdits();
  await loadVersions(0);
  const previousVersion = getCurrentNumber();
  const requestRestore = (/** @type {number | undefined} */ number) => (/** @type {string | null} */ ifMatch) => post(getDocumentPath(`/history/${number}/restore`), undefined, { query: withShareToken(), ifMatch });
  const { etag } = await runConditionalChange(requestRestore(version.history_version), getEntityTag(), chart.userId);
  preview.value = null;
  document.querySelector("#preview")?.remove();
  await refreshDocument();
  await showVersion();
  await loadVersions(0);
  const undo = async () => {
    await saveEdits();
    try {
      await requestRestore(previousVersion)(etag);
    } catch (error) {
      if (error instanceof ApiError && error.isStale) return showToast(getText("history.changedSince"), { isError: true });
      throw error;
    }
    await refreshDocument();
    await loadVersions(0);
  };
  showToast(getText("history.restored", { time: formatLocalTime(version.saved_at) }), { action: { label: getText("common.undo"), run: undo } });
}

/** Creates a chart from a version and opens it. @param {Version} version */
async function copyVersion(version) {
  const { data } = await post(getDocumentPath(), { action: "fork", history_version: version.history_version }, { query: withShareToken(), creates: true });
  location.assign(new URL(data.urls.document_view).pathname);
}

/** Opens the dialog that names a version. @param {Version} version */
function openNameDialog(version) {
  const input = h("input", { type: "text", name: "name", value: version.name ?? "", maxlength: 500, autofocus: true });
  const save = async () => {
    await patch(getDocumentPath(`/history/${version.history_version}`), { name: input.value.trim() || null }, { query: withShareToken() });
    await loadVersions(0);
  };
  openDialog({
    title: getText("history.nameTitle"),
    body: createField(getText("common.name"), input, getText("history.nameHint")),
    actions: [{ label: getText("common.cancel") }, { label: getText("common.save"), run: save }],
  });
}

/** Shows a bar above the image during the preview of a version. Returns a function that ends the effect. */
function createBannerEffect() {
  return effect(() => {
    const version = preview.value;
    document.querySelector("#preview")?.remove();
    if (!version) return;
    const errorContainer = h("div");
    /** @param {string} label @param {() => Promise<unknown>} callback @param {string} [kind] */
    const createActionButton = (label, callback, kind) => {
      const actionButton = createButton(label, { kind, onclick: () => runBusy(actionButton, callback).catch((error) => showError(errorContainer, error)) });
      return actionButton;
    };
    const facts = [version.name && getText("history.quoted", { text: version.name }), formatLocalTime(version.saved_at), getAuthorName(version)];
    const banner = h(
      "div",
      { class: "preview-banner", id: "preview", role: "status" },
      h("span", { class: "grow" }, createIcon("history"), " ", facts.filter(Boolean).join(", ")),
      chart.mayWrite && createActionButton(getText("common.restore"), () => restoreVersion(version), "primary"),
      createActionButton(getText("history.copyToNew"), () => copyVersion(version)),
      createButton(getText("common.back"), { onclick: showCurrentVersion }),
      errorContainer,
    );
    findElement("#canvas").before(banner);
  });
}

/** @param {Version} version */
function buildVersionRow(version) {
  const number = version.history_version;
  const channel = CHANNEL_LABELS[/** @type {keyof typeof CHANNEL_LABELS} */ (version.channel)];
  const isCurrent = () => getCurrentNumber() === number;
  const isShown = () => (preview.value ? preview.value.history_version === number : isCurrent());
  const thumbnail = h("img", { src: buildDocumentUrl(`/history/${number}.svg`, { text: "embedded" }), width: 96, height: 54, loading: "lazy", alt: "" });
  return h(
    "li",
    { class: "version" },
    h(
      "button",
      { type: "button", class: "version-button", "aria-current": () => (isShown() ? "true" : null), onclick: () => previewVersion(version) },
      thumbnail,
      h(
        "span",
        { class: "version-text" },
        h("strong", null, version.name ?? formatClockTime(version.saved_at)),
        h("span", { class: "muted" }, [version.name && formatClockTime(version.saved_at), getAuthorName(version), channel].filter(Boolean).join(" · ")),
        () => isCurrent() && h("span", { class: "badge" }, getText("history.current")),
      ),
    ),
    chart.mayWrite && h("button", { type: "button", class: "cross", "aria-label": getText("history.nameVersion", { time: formatLocalTime(version.saved_at), number: String(number) }), onclick: () => openNameDialog(version) }, createIcon("pencil")),
    () => isShown() && buildVersionDiff(number),
  );
}

/** Builds the list of versions, grouped by the day on which they were saved. */
function buildDays() {
  /** @type {Map<string, Version[]>} */
  const versionsByDay = new Map();
  for (const version of versions.value) versionsByDay.set(formatFullDate(version.saved_at), [...(versionsByDay.get(formatFullDate(version.saved_at)) ?? []), version]);
  return [...versionsByDay].map(([name, list]) => h("section", { class: "day" }, h("h3", null, name), h("ol", { class: "versions" }, list.map(buildVersionRow))));
}

/** @type {(() => void) | null} */
let disposeBanner = null;
/** @type {(() => void) | null} */
let stopReloading = null;

/**
 * Builds the panel.
 * @param {() => void} close
 */
export function buildPanel(close) {
  const errorContainer = h("div");
  const isLoading = signal(true);
  const load = async (/** @type {number} */ offset) => {
    showError(errorContainer);
    try {
      await loadVersions(offset);
    } catch (error) {
      showError(errorContainer, error);
      errorContainer.append(createButton(getText("common.tryAgain"), { onclick: () => load(offset) }));
    }
    isLoading.value = false;
  };
  load(0);
  const reload = () => load(0);
  window.addEventListener("changed", reload);
  stopReloading = () => window.removeEventListener("changed", reload);
  disposeBanner = createBannerEffect();
  const moreButton = createButton(getText("history.earlier"), { onclick: () => runBusy(moreButton, () => load(versions.peek().length)) });
  effect(() => {
    moreButton.hidden = versions.value.length >= versionCount.value;
  });
  return h(
    "aside",
    { class: "panel", "aria-labelledby": "panel-title" },
    h(
      "header",
      { class: "panel-head" },
      h("h2", { id: "panel-title", tabindex: -1 }, getText("common.history")),
      h("button", { type: "button", class: "cross", "aria-label": getText("history.close"), onclick: close }, createIcon("close")),
    ),
    h("div", { class: "panel-body" }, errorContainer, () => isLoading.value && h("p", { class: "muted" }, getText("history.loading")), h("div", null, buildDays), moreButton),
  );
}

/** Removes the listeners and ends the preview when the panel is closed. */
export function handleClose() {
  disposeBanner?.();
  stopReloading?.();
  if (preview.peek()) showCurrentVersion();
}
