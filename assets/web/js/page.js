// @ts-check
/** Script of every page: local times, appearance, used storage, shortcuts and the search box. */

import { removeStoredDrafts } from "./comment-draft-store.js";
import { h } from "./core.js";
import { attachSearchResults } from "./search.js";
import { addShortcutMenuItems, mayTriggerShortcut, openLoadedDialog, openShortcutDialog } from "./shortcuts.js";
import { attachStorageUsage } from "./storage-usage.js";
import { getText } from "./texts.js";
import { localizeTimes } from "./time.js";
import { findElement } from "./ui.js";

/** Values and labels of the appearance. */
const APPEARANCES = [
  ["system", getText("ui.system")],
  ["light", getText("ui.light")],
  ["dark", getText("ui.dark")],
];

/** Applies and stores the appearance. @param {string} value `system`, `light` or `dark` */
function setAppearance(value) {
  const root = document.documentElement;
  if (value === "system") delete root.dataset.appearance;
  else root.dataset.appearance = value;
  try {
    localStorage.setItem("appearance", value);
  } catch {
    // Without storage the choice applies to this page only.
  }
}

/** Appends the choice of the appearance to a container. @param {HTMLElement} container */
function appendAppearanceSwitch(container) {
  const current = document.documentElement.dataset.appearance ?? "system";
  const options = APPEARANCES.map(([value, label]) =>
    h("label", null, h("input", { type: "radio", name: "appearance", value, checked: value === current, onchange: () => setAppearance(value) }), label),
  );
  container.append(h("fieldset", { class: "segments" }, h("legend", { class: "hidden" }, getText("ui.appearance")), options));
}

/** Passes the fragment of a comment link through the sign-in, because browsers do not send it to the server. */
function forwardFragment() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[action='/sign-in']"));
  if (form) form.action += location.hash;
}

/** Time in milliseconds after G in which a second key opens a page. */
const SECOND_KEY_MS = 1500;

/** Adds G followed by L, which opens the library, and G followed by N, which opens the dialog for a new chart. */
function addPlaceShortcuts() {
  let firstKeyTime = -Infinity;
  const handleKey = (/** @type {KeyboardEvent} */ event) => {
    const isSecond = event.timeStamp - firstKeyTime < SECOND_KEY_MS;
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    firstKeyTime = -Infinity;
    if (event.ctrlKey || event.metaKey || !mayTriggerShortcut(event)) return;
    const key = event.key.toLowerCase();
    if (key === "g") firstKeyTime = event.timeStamp;
    if (!isSecond || !["l", "n"].includes(key)) return;
    // The library opens the dialog itself.
    if (key === "n" && document.getElementById("library")) return;
    event.preventDefault();
    // On the page of a chart, the second key alone is another shortcut.
    event.stopPropagation();
    location.assign(key === "l" ? "/" : "/#new");
  };
  document.addEventListener("keydown", handleKey, { capture: true });
}

/** Turns the paper to the long side of the chart, before the browser prints the page of a chart. */
function turnPaper() {
  const paper = document.querySelector(".paper");
  const box = /** @type {SVGSVGElement | null | undefined} */ ((paper?.shadowRoot ?? paper)?.querySelector("svg"))?.viewBox.baseVal;
  document.body.classList.toggle("landscape", Boolean(box && box.width > box.height));
}

// The next user of the browser must not find texts of this one.
document.querySelector("form[action='/sign-out']")?.addEventListener("submit", () => removeStoredDrafts(() => true));
localizeTimes();
window.addEventListener("beforeprint", turnPaper);
forwardFragment();
const appearanceContainer = document.getElementById("appearance");
if (appearanceContainer) {
  appendAppearanceSwitch(appearanceContainer);
  addShortcutMenuItems(appearanceContainer);
  attachStorageUsage(findElement("#account"), findElement("#storage"));
}
if (document.getElementById("account")) {
  document.addEventListener("keydown", async (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    await openLoadedDialog(() => import("./command-palette.js"), ({ openPalette }) => openPalette());
  });
}
if (document.getElementById("account")) addPlaceShortcuts();
const searchInput = /** @type {HTMLInputElement | null} */ (document.getElementById("q"));
if (searchInput) {
  attachSearchResults(searchInput);
  document.addEventListener("keydown", (event) => {
    if (!["/", "?"].includes(event.key) || event.ctrlKey || event.metaKey || !mayTriggerShortcut(event)) return;
    event.preventDefault();
    if (event.key === "?") return openShortcutDialog();
    searchInput.focus();
    searchInput.select();
  });
}
