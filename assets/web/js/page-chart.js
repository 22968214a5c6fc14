// @ts-check
/** The chart page: buttons, title and panels. Modules of dialogs are loaded on first use. */

import { ApiError, get, patch, post, put } from "./api.js";
import { chart, connectionState, doc, getDocumentPath, getEntityTag, readLastResponseTime, readServerTime, refreshDocument, startPolling, withShareToken } from "./chart.js";
import { adoptServerImage, imageHeaders, showVersion } from "./chart-image.js";
import { computed, createScope, effect, h, signal } from "./core.js";
import { describeConflict, runConditionalChange } from "./edit-conflicts.js";
import { mayTriggerShortcut, openLoadedDialog } from "./shortcuts.js";
import { buildSyncNote } from "./sync-state.js";
import { getText } from "./texts.js";
import { createButton, createIcon, createSignInControl, createTimeElement, describeError, findElement, formatClockTime, formatLocalTime, openMenu, showError, showToast } from "./ui.js";

const tools = findElement("#tools");
const notices = findElement("#notices");

/** Name of the open panel: `comments` or `history`; null if no panel is open. */
const openPanelName = signal(/** @type {string | null} */ (null));

/**
 * Loads the module of a panel, by the name of the panel.
 * @type {Record<string, () => Promise<{ buildPanel: (close: () => void) => HTMLElement, handleClose?: () => void }>>}
 */
const PANELS = {
  comments: () => import("./comments.js"),
  history: () => import("./history.js"),
  settings: () => import("./panel-settings.js"),
  text: () => import("./panel-text.js"),
  style: () => import("./panel-style.js"),
  notes: () => import("./panel-notes.js"),
};

/** Panels of the editor: name, label and icon. */
const EDITOR_PANELS = /** @type {const} */ ([
  ["settings", getText("chart-page.panelChart"), "settings"],
  ["text", getText("chart-page.panelText"), "text"],
  ["style", getText("chart-page.panelStyle"), "palette"],
  ["notes", getText("chart-page.panelNotes"), "note"],
]);
/** Width of the window in pixels from which the panel with the settings opens by itself. */
const MIN_WIDTH_FOR_PANEL = 1100;

/** Width of the window in pixels from which the title is edited on the image. */
const MIN_WIDTH_FOR_TYPING_ON_IMAGE = 640;

/** @type {HTMLElement | null} */
let panel = null;

/** @type {(() => void) | undefined} Cleanup of the open panel. */
let cleanupPanel;

/** Closes the open panel. Opens the panel with this name, unless it was the open one. @param {string | null} name */
async function togglePanel(name) {
  cleanupPanel?.();
  cleanupPanel = undefined;
  panel?.remove();
  panel = null;
  openPanelName.value = openPanelName.peek() === name ? null : name;
  const opened = openPanelName.peek();
  findElement("#body").classList.toggle("with-panel", opened !== null);
  if (!opened) return;
  const focused = document.activeElement;
  try {
    const panelModule = await PANELS[opened]();
    if (openPanelName.peek() !== opened) return;
    const close = () => {
      togglePanel(opened);
      const button = findElement(`#tool-${opened}`);
      (button.checkVisibility() ? button : findElement("#tool-more")).focus();
    };
    const [element, dispose] = createScope(() => panelModule.buildPanel(close));
    panel = element;
    cleanupPanel = () => {
      dispose();
      panelModule.handleClose?.();
    };
    panel.id = "panel";
    findElement("#body").append(panel);
    showPanelWithImage(panel);
    // The module may load for a while. Who went on to another element meanwhile keeps it.
    if (document.activeElement === focused) /** @type {HTMLElement | null} */ (panel.querySelector("h2"))?.focus();
  } catch (error) {
    togglePanel(opened);
    showToast(describeError(error), { isError: true });
  }
}

/** Scrolls to the image if most of the panel below it is outside the window. @param {HTMLElement} element */
function showPanelWithImage(element) {
  const { top, height } = element.getBoundingClientRect();
  if (top + Math.min(height, window.innerHeight / 2) > window.innerHeight) findElement(".stage").scrollIntoView({ block: "start" });
}

/**
 * Loads the module of a dialog and opens the dialog.
 * @param {() => Promise<{ open: () => unknown }>} load
 */
async function loadDialog(load) {
  try {
    await openLoadedDialog(load, (module) => module.open());
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/**
 * Creates the button that opens or closes a panel.
 * @param {string} name
 * @param {string} label
 * @param {string} iconName
 */
function createPanelButton(name, label, iconName) {
  const attrs = { id: `tool-${name}`, "aria-controls": "panel", "aria-expanded": () => openPanelName.value === name };
  return createButton(label, { icon: iconName, ...attrs, onclick: () => togglePanel(name) });
}

/** Opens the dialog for the export. */
const openExportDialog = () => loadDialog(() => import("./dialog-export.js"));

/**
 * Builds the export buttons. The first repeats the last export, the second opens the dialog. Before the
 * first export there is only one button, which opens the dialog.
 */
function buildExportButtons() {
  const label = signal("");
  const updateLabel = () => {
    label.value = localStorage.getItem("export-label") ?? "";
  };
  updateLabel();
  window.addEventListener("exported", updateLabel);
  const repeatExport = async () => {
    if (!label.peek()) return openExportDialog();
    try {
      await (await import("./dialog-export.js")).repeatExport();
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const getLabel = () => {
    if (label.value === "page") return getText("chart-page.exportPage");
    return label.value ? getText("chart-page.exportAs", { format: label.value }) : getText("chart-page.export");
  };
  const repeatButton = h("button", { type: "button", class: "button quiet", id: "tool-export", onclick: repeatExport }, createIcon("download"), getLabel);
  const optionsButton = h("button", { type: "button", class: "button quiet", "aria-label": getText("chart-page.exportOptions"), hidden: () => !label.value, onclick: openExportDialog }, createIcon("down"));
  return h("div", { class: "joined" }, repeatButton, optionsButton);
}

/** Icons of the buttons that can be hidden, by their ids. @type {Record<string, string>} */
const FOLDED_ICONS = { "tool-history": "history", "tool-present": "screen", "tool-cast": "cast" };

/**
 * Marks a button that the style sheet hides if there is a menu, which then has its command.
 * @param {"always" | "medium" | "narrow"} when `medium` and `narrow`: only in windows that have no space for it
 * @param {HTMLElement} button
 */
function foldIn(when, button) {
  button.dataset.fold = when;
  return button;
}

/** Returns the commands of the hidden buttons, for the menu. @returns {NonNullable<import("./ui.js").Item>[]} */
function listFoldedItems() {
  const folded = /** @type {HTMLButtonElement[]} */ ([...tools.querySelectorAll("[data-fold]")]).filter((button) => !button.checkVisibility());
  return folded.map((button) => ({ label: button.textContent?.trim() ?? "", icon: FOLDED_ICONS[button.id], run: () => button.click() }));
}

/** Builds the buttons that the user may use. */
function buildTools() {
  if (chart.provider) {
    tools.append(buildExportButtons(), createButton(getText("chart-page.present"), { icon: "screen", id: "tool-present", onclick: openPresentation }));
    return;
  }
  if (chart.userId) {
    const count = h("span", { id: "comment-count", class: "count", hidden: true });
    const comments = createPanelButton("comments", getText("common.comments"), "comment");
    comments.append(count);
    tools.append(comments, foldIn("narrow", createPanelButton("history", getText("common.history"), "history")));
  }
  if (chart.isInTrash) {
    tools.append(createButton(getText("common.restore"), { kind: "primary", icon: "restore", id: "tool-restore", onclick: async () => (await import("./chart-actions.js")).restore() }));
    return;
  }
  tools.append(buildExportButtons(), foldIn("medium", createButton(getText("chart-page.present"), { icon: "screen", id: "tool-present", onclick: openPresentation })));
  if (!chart.userId) return;
  if (chart.mayWrite) tools.append(foldIn("always", createButton(getText("chart-page.cast"), { icon: "cast", id: "tool-cast", onclick: () => loadDialog(() => import("./dialog-cast.js")) })));
  const openActionMenu = async (/** @type {MouseEvent} */ event) => {
    const button = /** @type {Element} */ (event.currentTarget);
    const folded = listFoldedItems();
    openMenu(button, [...folded, ...(folded.length ? [null] : []), ...(await import("./chart-actions.js")).buildMenuItems()], getText("chart-page.actionMenu"));
  };
  tools.append(h("button", { type: "button", class: "button quiet", id: "tool-more", "aria-label": getText("chart-page.moreActions"), "aria-haspopup": "menu", "aria-expanded": "false", onclick: openActionMenu }, createIcon("more")));
  tools.append(createButton(getText("common.share"), { kind: "primary", icon: "share", id: "tool-share", onclick: () => loadDialog(() => import("./dialog-share.js")) }));
}

/** Adds the button that renames the file of the chart at its provider. Its name does not follow the title. */
function addRenameButton() {
  const name = findElement("#file-name");
  const rename = async () => {
    try {
      const { askName } = await import("./library-dialogs.js");
      await askName({ title: getText("chart-page.renameFile"), label: getText("common.name"), action: getText("common.rename"), value: name.textContent?.replace(/\.chart\.json$/i, "") ?? "", maxLength: 200, run: renameFile });
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const renameFile = async (/** @type {string} */ title) => {
    // A renamed file can have another id, under which changes that wait for their save would be lost.
    await (await import("./editor-state.js")).getEditor().sync.save();
    const { data } = await post(getDocumentPath("/rename"), { title });
    const path = location.pathname.replace(/[^/]+$/, encodeURIComponent(data.id));
    // A new id means that the provider has made a new file.
    if (path !== location.pathname) return location.replace(path);
    name.textContent = `${data.title}.chart.json`;
    await refreshDocument();
  };
  const label = getText("chart-page.renameFile");
  name.after(h("button", { type: "button", class: "link edit-title", "aria-label": label, title: label, onclick: rename }, createIcon("pencil")));
}

/** Starts the editor, and adds its buttons. */
async function addEditor() {
  const { startEditor } = await import("./page-editor.js");
  const editor = await startEditor();
  readEditedContent = () => editor.store.content.peek();
  waitForSave = editor.sync.settle;
  const rail = h("nav", { class: "panel-buttons", "aria-label": getText("chart-page.panels") }, EDITOR_PANELS.map(([name, label, iconName]) => createPanelButton(name, label, iconName)));
  findElement("#body").prepend(rail);
  tools.prepend(editor.tools);
  window.addEventListener("open-panel", async (event) => {
    const { name, field } = /** @type {CustomEvent<{ name: string, field: string }>} */ (event).detail;
    if (openPanelName.peek() !== name) await togglePanel(name);
    /** @type {HTMLElement | null} */ (document.querySelector(`#panel [name="${field}"]`))?.focus();
  });
  const openTitleField = () => window.dispatchEvent(new CustomEvent("open-panel", { detail: { name: "text", field: "title" } }));
  // On a phone, the texts of the image are too small to type in.
  const editTitle = () => (window.innerWidth < MIN_WIDTH_FOR_TYPING_ON_IMAGE ? openTitleField() : editor.editTitle());
  addTitleButton(getText("chart-page.editTitle"), editTitle);
  editorShortcuts = { t: editTitle, d: editor.focusData, a: openNotes };
  editorCommands = [
    { label: getText("chart-page.editTitle"), icon: "pencil", note: "T", run: editTitle },
    { label: getText("shortcuts.goToData"), icon: "right", note: "D", run: editor.focusData },
    { label: getText("notes.add"), icon: "plus", note: "A", run: openNotes },
    { label: getText("kind-dialog.title"), icon: "settings", run: async () => (await import("./dialog-kind.js")).openKindDialog() },
  ];
  effect(() => showTitle(editor.store.content.value.title));
  // A panel that was opened meanwhile stays.
  if (window.innerWidth >= MIN_WIDTH_FOR_PANEL && !location.hash && openPanelName.peek() === null) await togglePanel("settings");
}

/** Shortcuts of the editor by key; empty without an editor. @type {Record<string, () => unknown>} */
let editorShortcuts = {};

/** Opens the panel with the notes, and moves the focus to the first type of note that can be added. */
async function openNotes() {
  if (openPanelName.peek() !== "notes") await togglePanel("notes");
  /** @type {HTMLElement | null} */ (document.querySelector("#panel [role=group] button"))?.focus();
}

/** Adds the button that starts to edit the title. @param {string} label @param {() => void} onclick @returns {HTMLButtonElement} */
function addTitleButton(label, onclick) {
  const button = h("button", { type: "button", class: "link edit-title", onclick }, createIcon("pencil"), label);
  findElement(".chart-facts").append(button);
  return button;
}

/** Shows a title of the document: as a visible heading only without text, because the image shows any other title. @param {string} title */
function showTitle(title) {
  const heading = findElement("#name h1");
  heading.textContent = title.trim() || getText("common.untitled");
  heading.classList.toggle("hidden", title.trim() !== "" || !chart.mayWrite);
  document.title = `${heading.textContent} - Chartroom`;
}

/** Makes the title of the page editable in place, for guests with write access, who have no editor. */
function buildTitleEditor() {
  const container = findElement("#name");
  const heading = findElement("h1", container);
  if (!chart.mayWrite) return;
  const editButton = addTitleButton(getText("common.rename"), () => startEditing());
  const startEditing = (/** @type {string} */ initialTitle = doc.peek()?.title ?? heading.textContent ?? "") => {
    // Changes that others make from now on are not overwritten without a question.
    let tag = getEntityTag();
    const input = h("input", { type: "text", value: initialTitle, maxlength: 500, "aria-label": getText("chart-page.title"), autocomplete: "off" });
    const errorContainer = h("div");
    const stopEditing = () => {
      form.remove();
      heading.hidden = editButton.hidden = false;
      editButton.focus();
    };
    const handleSubmit = async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      showError(errorContainer);
      const title = input.value.trim();
      try {
        await runConditionalChange((ifMatch) => patch(getDocumentPath(), { title }, { query: withShareToken(), ifMatch }), tag, chart.userId);
        await refreshDocument();
        stopEditing();
      } catch (error) {
        const isStale = error instanceof ApiError && error.isStale;
        if (isStale) {
          await refreshDocument();
          tag = getEntityTag();
        }
        showError(errorContainer, isStale ? getText("chart-page.renameConflict", { conflict: describeConflict(error.problem, getText("chart-page.thisChart")) }) : error);
        if (error instanceof ApiError && error.status === 409) offerNumberedTitle(errorContainer, input, title);
      }
    };
    const form = h(
      "form",
      { class: "rename", onsubmit: handleSubmit, onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && stopEditing() },
      input,
      createButton(getText("common.save"), { kind: "primary", type: "submit" }),
      createButton(getText("common.cancel"), { onclick: stopEditing }),
      errorContainer,
    );
    heading.hidden = editButton.hidden = true;
    container.append(form);
    input.select();
  };
}

/**
 * Offers the title with the next number, such as “Sales (2)”.
 * @param {HTMLElement} errorContainer
 * @param {HTMLInputElement} input
 * @param {string} title
 */
function offerNumberedTitle(errorContainer, input, title) {
  const [, base, number] = /^(.*?)(?: \((\d+)\))?$/.exec(title) ?? [];
  const numberedTitle = `${base} (${Number(number ?? 1) + 1})`;
  const useTitle = () => {
    input.value = numberedTitle;
    input.focus();
  };
  errorContainer.append(createButton(getText("chart-page.useTitle", { title: numberedTitle }), { onclick: useTitle }));
}

/** Texts for the states of the connection, except `live`. */
const STATE_TEXTS = {
  offline: () => getText("chart-page.offline", { time: formatClockTime(readLastResponseTime()) }),
  gone: () => getText("chart-page.gone"),
  "signed-out": () => getText("chart-page.signedOut"),
};

/** Shows the reason why the page is not up to date. */
function buildNotices() {
  const status = h("div", { role: "status" });
  // Notices of the server about the access to the chart, which is over if it is gone.
  const accessNotices = /** @type {HTMLElement[]} */ ([...notices.children]);
  notices.append(status);
  effect(() => {
    const describeState = STATE_TEXTS[/** @type {keyof typeof STATE_TEXTS} */ (connectionState.value)];
    status.replaceChildren();
    accessNotices.forEach((notice) => (notice.hidden = connectionState.value === "gone"));
    if (!describeState) return;
    const signIn = connectionState.value === "signed-out" && createSignInControl();
    const library = connectionState.value === "gone" && h("a", { href: "/" }, getText("common.myCharts"));
    status.append(h("p", { class: "notice" }, connectionState.value === "offline" ? createIcon("offline") : createIcon("warn"), h("span", null, describeState(), " ", signIn || library)));
  });
}

/** Updates the title, the time and the image when the document changes, and dispatches `changed`. */
function showDocumentChanges() {
  let shownState = "";
  effect(() => {
    const current = doc.value;
    if (!current) return;
    // The editor shows the edited title.
    if (!readEditedContent()) showTitle(current.title);
    // Some providers do not tell when a file was changed.
    if (current.updated) {
      const time = createTimeElement(current.updated);
      time.id = "changed";
      findElement("#changed").replaceWith(time);
      findElement(".printed time").textContent = formatLocalTime(current.updated);
    }
    const state = `${current.updated} ${current.history_version}`;
    const isFirst = !shownState;
    if (state === shownState) return;
    shownState = state;
    // The page already contains the first image.
    if (isFirst && current.updated === renderedTime) return;
    window.dispatchEvent(new CustomEvent("changed"));
    if (!document.querySelector("#preview")) showVersion().catch((error) => showToast(describeError(error), { isError: true }));
  });
}

/** Shows the state of the source that keeps the data up to date beside the other facts. The editor shows it above the data. */
function showSourceState() {
  /** @type {HTMLElement | null} */
  let note = null;
  effect(() => {
    const sync = doc.value?.sync;
    note?.remove();
    note = sync ? buildSyncNote(sync, { hasTime: true }) : null;
    if (note) findElement("#changed").parentElement?.after(note);
  });
}

/** Time of the last change of the document that the server rendered into the page. */
const renderedTime = findElement("#changed").getAttribute("datetime");

/**
 * Shows the warnings about the image to users who may change the chart. A chart without data also gets
 * help. Readers see only the note that is part of the image.
 */
async function showWarnings() {
  if (!chart.mayWrite) return;
  const { createNoDataHelp, createWarningsList, hasNoData, parseWarnings } = await import("./chart-warnings.js");
  const warnings = signal(/** @type {string[]} */ ([]));
  const isEmpty = computed(() => hasNoData(warnings.value));
  const changeKind = async (/** @type {{ id: string }} */ kind) => {
    // The API replaces documents as a whole. With `version` it would restore that version, and with
    // `owner` it would move the document.
    const { version, owner, ...fields } = /** @type {Record<string, any>} */ (await refreshDocument());
    await put(getDocumentPath(), { ...fields, plugin_id: kind.id }, { query: withShareToken(), ifMatch: getEntityTag() });
    const { data } = await refreshDocument();
    // The upload maps the columns of the records to those of the new kind.
    await put(getDocumentPath("/data"), data, { query: withShareToken(), ifMatch: getEntityTag() });
    await refreshDocument();
  };
  const getDocument = () => /** @type {{ plugin_id: string, data: any[] }} */ (/** @type {unknown} */ (doc.value));
  findElement(".stage").append(createWarningsList(warnings), createNoDataHelp(() => isEmpty.value && doc.value !== null, getDocument, changeKind));
  effect(() => {
    if (imageHeaders.value) warnings.value = parseWarnings(imageHeaders.value);
  });
  // The image that the server rendered into the page has no headers.
  if (imageHeaders.peek()) return;
  const { headers } = await get(getDocumentPath(".svg"), { query: withShareToken(), isBackground: true });
  if (!imageHeaders.peek()) warnings.value = parseWarnings(headers);
}

/** Whether a key combination opens the dialog for the export. @param {KeyboardEvent} event */
const isExportKey = (event) => (event.ctrlKey || event.metaKey) && event.shiftKey && !event.altKey && event.key.toLowerCase() === "e" && !event.defaultPrevented;

/** Commands of the editor for the palette; empty without an editor. @type {import("./command-palette.js").Command[]} */
let editorCommands = [];

/** Adds the commands of the editor and those of the menu of the chart to the command palette. */
function addPaletteCommands() {
  window.addEventListener("list-commands", async (event) => {
    const { add } = /** @type {CustomEvent<{ add: (commands: import("./command-palette.js").Command[]) => void }>} */ (event).detail;
    add(editorCommands);
    if (!document.querySelector("#tool-more")) return;
    const items = (await import("./chart-actions.js")).buildMenuItems().filter((item) => item !== null);
    add(items.map(({ label, icon = "right", href, run }) => ({ label, icon, run: () => (href ? location.assign(href) : run?.()) })));
  });
}

/** Adds the shortcuts of the chart page. */
function addShortcuts() {
  document.addEventListener("keydown", (event) => {
    if (isExportKey(event) && document.getElementById("tool-export") && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      return void openExportDialog();
    }
    if (!chart.userId || event.ctrlKey || event.metaKey || !mayTriggerShortcut(event)) return;
    const key = event.key;
    if (key === "p" || key === "P") openPresentation();
    else if (Object.hasOwn(editorShortcuts, key.toLowerCase()) && !event.shiftKey) editorShortcuts[key.toLowerCase()]();
    else if (chart.provider) return;
    else if (key === "h" || key === "H") togglePanel("history");
    else if (["c", "C", "n", "N"].includes(key)) handleCommentShortcut(key);
    else return;
    event.preventDefault();
  });
}

/** Content of the edited document; null without an editor. @type {() => Record<string, any> | null} */
let readEditedContent = () => null;

/** Waits for a running save of the editor. @type {() => Promise<unknown>} */
let waitForSave = async () => {};

/** Opens the presentation. */
async function openPresentation() {
  try {
    await openLoadedDialog(() => import("./present.js"), (present) => present.openPresentation(readEditedContent));
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/** Loads the comments and handles C, N, Shift+C and Shift+N. All but Shift+C open the panel. @param {string} key */
async function handleCommentShortcut(key) {
  const comments = await import("./comments.js");
  if (key !== "C" && openPanelName.peek() !== "comments") await togglePanel("comments");
  comments.handleShortcut(key);
}

async function startPage() {
  adoptServerImage();
  buildTools();
  const hasEditor = chart.mayWrite && chart.userId !== "";
  if (!hasEditor) buildTitleEditor();
  if (chart.provider) addRenameButton();
  buildNotices();
  addShortcuts();
  addPaletteCommands();
  showDocumentChanges();
  if (!hasEditor) showSourceState();
  try {
    await refreshDocument();
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
  if (hasEditor && doc.peek()) await addEditor().catch((error) => showToast(describeError(error), { isError: true }));
  // The server reserves the places of the parts of the editor.
  findElement("#chart").classList.remove("opening");
  startPolling();
  // The editor shows the warnings of the content that it draws.
  if (!chart.mayWrite && chart.userId) {
    const describe = (/** @type {{ time: string }} */ { time }) => getText(chart.isInTrash ? "saving.keptOfTrash" : "saving.kept", { time });
    import("./kept-changes.js").then((module) => module.showKeptChanges(chart, readServerTime(), describe)).catch((error) => showToast(describeError(error), { isError: true }));
  }
  if (!hasEditor) showWarnings().catch((error) => showToast(describeError(error), { isError: true }));
  if (!chart.userId || chart.provider) return;
  if (!chart.isInTrash) (await import("./presence.js")).startPresence({ settle: () => waitForSave() });
  const comments = await import("./comments.js");
  await comments.startComments();
  if (location.hash.startsWith("#comment-")) {
    if (openPanelName.peek() !== "comments") await togglePanel("comments");
    comments.showThread(location.hash.slice("#comment-".length));
  }
  window.addEventListener("hashchange", async () => {
    if (!location.hash.startsWith("#comment-")) return;
    if (openPanelName.peek() !== "comments") await togglePanel("comments");
    comments.showThread(location.hash.slice("#comment-".length));
  });
  window.addEventListener("open-comments", () => openPanelName.peek() !== "comments" && togglePanel("comments"));
}

startPage();
