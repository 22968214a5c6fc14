// @ts-check
/** The chart page: buttons, title and panels. Modules of dialogs are loaded on first use. */

import { ApiError, patch } from "./api.js";
import { chart, connectionState, doc, getDocumentPath, getEntityTag, lastResponseTime, refreshDocument, startPolling, withShareToken } from "./chart.js";
import { adoptServerImage, showVersion } from "./chart-image.js";
import { createScope, effect, h, signal } from "./core.js";
import { describeConflict, runConditionalChange } from "./edit-conflicts.js";
import { mayTriggerShortcut } from "./shortcuts.js";
import { createButton, createIcon, createTimeElement, describeError, findElement, formatClockTime, formatLocalTime, showError, showToast } from "./ui.js";

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
};

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
  try {
    const panelModule = await PANELS[opened]();
    if (openPanelName.peek() !== opened) return;
    const close = () => {
      togglePanel(opened);
      findElement(`#tool-${opened}`).focus();
    };
    const [element, dispose] = createScope(() => panelModule.buildPanel(close));
    panel = element;
    cleanupPanel = () => {
      dispose();
      panelModule.handleClose?.();
    };
    panel.id = "panel";
    findElement("#body").append(panel);
    /** @type {HTMLElement | null} */ (panel.querySelector("h2"))?.focus();
  } catch (error) {
    togglePanel(opened);
    showToast(describeError(error), { isError: true });
  }
}

/**
 * Loads the module of a dialog and opens the dialog.
 * @param {() => Promise<{ open: () => unknown }>} load
 */
async function loadDialog(load) {
  try {
    (await load()).open();
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

/**
 * Builds the export buttons. The first repeats the last export, the second opens the dialog. Before the
 * first export there is only one button, which opens the dialog.
 */
function buildExportButtons() {
  const label = signal("");
  const openExportDialog = () => loadDialog(() => import("./dialog-export.js"));
  const updateLabel = () => {
    label.value = localStorage.getItem("export-label") ?? "";
  };
  updateLabel();
  window.addEventListener("exported", updateLabel);
  const repeatExport = async () => {
    if (!label.peek()) return openExportDialog();
    try {
      (await import("./dialog-export.js")).repeatExport();
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const repeatButton = h("button", { type: "button", class: "button quiet", id: "tool-export", onclick: repeatExport }, createIcon("download"), () =>
    label.value ? `Export ${label.value}` : "Export",
  );
  const optionsButton = h("button", { type: "button", class: "button quiet", "aria-label": "Export options", hidden: () => !label.value, onclick: openExportDialog }, createIcon("down"));
  return h("div", { class: "joined" }, repeatButton, optionsButton);
}

/** Builds the buttons that the user may use. */
function buildTools() {
  if (chart.userId) {
    const count = h("span", { id: "comment-count", class: "count", hidden: true });
    const comments = createPanelButton("comments", "Comments", "comment");
    comments.append(count);
    tools.append(comments, createPanelButton("history", "History", "history"));
  }
  if (chart.isInTrash) return;
  tools.append(buildExportButtons());
  if (!chart.userId) return;
  if (chart.mayWrite) tools.append(createButton("Cast", { icon: "cast", id: "tool-cast", onclick: () => loadDialog(() => import("./dialog-cast.js")) }));
  tools.append(createButton("Share", { kind: "primary", icon: "share", id: "tool-share", onclick: () => loadDialog(() => import("./dialog-share.js")) }));
}

/** Makes the title editable in place. */
function buildTitleEditor() {
  const container = findElement("#name");
  const heading = findElement("h1", container);
  if (!chart.mayWrite) return;
  const editButton = h("button", { type: "button", class: "cross", "aria-label": "Rename", onclick: () => startEditing() }, createIcon("pencil"));
  container.append(editButton);
  const startEditing = (/** @type {string} */ initialTitle = doc.peek()?.title ?? heading.textContent ?? "") => {
    const input = h("input", { type: "text", value: initialTitle, maxlength: 500, "aria-label": "Title", autocomplete: "off" });
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
        await runConditionalChange((ifMatch) => patch(getDocumentPath(), { title }, { query: withShareToken(), ifMatch }), getEntityTag(), chart.userId);
        await refreshDocument();
        stopEditing();
      } catch (error) {
        const isStale = error instanceof ApiError && error.isStale;
        if (isStale) await refreshDocument();
        showError(errorContainer, isStale ? `${describeConflict(error.problem, "this chart")}. Save again to rename it anyway.` : error);
        if (error instanceof ApiError && error.status === 409) offerNumberedTitle(errorContainer, input, title);
      }
    };
    const form = h(
      "form",
      { class: "rename", onsubmit: handleSubmit, onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && stopEditing() },
      input,
      createButton("Save", { kind: "primary", type: "submit" }),
      createButton("Cancel", { onclick: stopEditing }),
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
  errorContainer.append(createButton(`Use “${numberedTitle}”`, { onclick: useTitle }));
}

/** Texts for the states of the connection, except `live`. */
const STATE_TEXTS = {
  offline: () => `Offline: the image is from ${formatClockTime(lastResponseTime)}. It updates automatically.`,
  gone: () => "This chart was removed, or is no longer shared with you. The page shows its last version.",
  "signed-out": () => "You are signed out.",
};

/** Shows the reason why the page is not up to date. */
function buildNotices() {
  const status = h("div", { role: "status" });
  notices.append(status);
  effect(() => {
    const getText = STATE_TEXTS[/** @type {keyof typeof STATE_TEXTS} */ (connectionState.value)];
    const next = encodeURIComponent(location.pathname + location.search);
    status.replaceChildren();
    if (!getText) return;
    const signIn = connectionState.value === "signed-out" && h("a", { href: `/sign-in?next=${next}` }, "Sign in");
    const library = connectionState.value === "gone" && h("a", { href: "/" }, "My charts");
    status.append(h("p", { class: "notice" }, connectionState.value === "offline" ? createIcon("offline") : createIcon("warn"), h("span", null, getText(), " ", signIn || library)));
  });
}

/** Updates the title, the time and the image when the document changes, and dispatches `changed`. */
function showDocumentChanges() {
  const heading = findElement("#name h1");
  let shownState = "";
  effect(() => {
    const current = doc.value;
    if (!current) return;
    heading.textContent = current.title.trim() || "Untitled";
    document.title = `${heading.textContent} - Chartroom`;
    const time = createTimeElement(current.updated);
    time.id = "changed";
    findElement("#changed").replaceWith(time);
    findElement(".printed time").textContent = formatLocalTime(current.updated);
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

/** Time of the last change of the document that the server rendered into the page. */
const renderedTime = findElement("#changed").getAttribute("datetime");

/** Adds the shortcuts of the chart page. */
function addShortcuts() {
  document.addEventListener("keydown", (event) => {
    if (!chart.userId || event.ctrlKey || event.metaKey || !mayTriggerShortcut(event)) return;
    const key = event.key;
    if (key === "h" || key === "H") togglePanel("history");
    else if (["c", "C", "n", "N"].includes(key)) handleCommentShortcut(key);
    else return;
    event.preventDefault();
  });
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
  buildTitleEditor();
  buildNotices();
  addShortcuts();
  showDocumentChanges();
  try {
    await refreshDocument();
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
  startPolling();
  if (!chart.userId) return;
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
