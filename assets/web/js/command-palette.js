// @ts-check
/** The command palette (Ctrl+K): the buttons of the page, its other pages, and charts by name. */

import { get } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createIcon, describeError, findElement, showToast } from "./ui.js";

/** Pages that can be opened from everywhere, with their icons. */
const PAGES = [
  { label: getText("common.myCharts"), href: "/", icon: "charts" },
  { label: getText("shortcuts.pageRecent"), href: "/recent", icon: "recent" },
  { label: getText("shortcuts.pageStarred"), href: "/starred", icon: "star" },
  { label: getText("common.sharedWithMe"), href: "/shared", icon: "shared" },
  { label: getText("common.trash"), href: "/trash", icon: "trash" },
  { label: getText("common.accountSettings"), href: "/account", icon: "user" },
  { label: getText("shortcuts.pageApi"), href: "/help/api", icon: "code" },
];
/** Buttons of the page that are commands. */
const BUTTON_SELECTOR = ".chart-tools button, .panel-buttons button, .data-tools button, #bar-actions button, .bar-actions button";
/** Pause in milliseconds before charts are searched. */
const SEARCH_PAUSE_MS = 150;
/** Maximum number of charts in the list. */
const MAX_CHARTS = 6;

/**
 * A command. Pages add commands that are no buttons: the event `list-commands` at the window has the function `add`, which
 * they may also call later, while the palette is open.
 * @typedef {{ label: string, icon: string, note?: string, run: () => unknown }} Command
 */

/** Returns the visible texts in a button, with a space between two of them. @param {HTMLElement} button */
function readVisibleText(button) {
  // All parts of a button in a menu are hidden.
  const parts = [...button.childNodes].filter((node) => !(node instanceof Element) || !button.checkVisibility() || node.checkVisibility());
  return parts.map((node) => node.textContent?.trim()).filter(Boolean).join(" ");
}

/** Returns the commands of the page: its buttons that can be pressed, visible or in the menu of the chart. @returns {Command[]} */
function listPageCommands() {
  const buttons = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll(BUTTON_SELECTOR)]);
  return buttons
    .filter((button) => !button.disabled && (button.checkVisibility() || button.dataset.fold !== undefined))
    .map((button) => ({ label: button.getAttribute("aria-label") ?? readVisibleText(button), icon: "right", run: () => button.click() }))
    .filter(({ label }) => label !== "");
}

/** Whether each word of the query begins a word of the label. @param {string} label @param {string} query */
function isMatch(label, query) {
  const words = label.toLowerCase().split(/[\s:]+/);
  return query.toLowerCase().split(/\s+/).filter(Boolean).every((part) => words.some((word) => word.startsWith(part)));
}

/** Opens the palette, unless a dialog is open. */
export function openPalette() {
  if (document.querySelector("dialog[open]")) return;
  const own = listPageCommands();
  const pages = PAGES.map(({ label, href, icon }) => ({ label, icon, note: getText("shortcuts.kindPage"), run: () => location.assign(href) }));
  /** @type {Command[]} */
  let shown = [];
  /** @type {Command[]} */
  let charts = [];
  let selected = 0;
  let timer = 0;
  const list = h("ul", { role: "listbox", id: "palette-list", "aria-label": getText("shortcuts.commands") });
  const input = h("input", { type: "text", role: "combobox", "aria-label": getText("shortcuts.commandField"), "aria-controls": "palette-list", "aria-expanded": true, "aria-autocomplete": "list", placeholder: getText("shortcuts.commandField"), autocomplete: "off", spellcheck: "false" });
  const dialog = h("dialog", { class: "dialog palette", "aria-label": getText("shortcuts.commands") }, input, list);

  const render = () => {
    shown = [...[...own, ...pages].filter(({ label }) => isMatch(label, input.value)), ...charts];
    selected = Math.max(0, Math.min(selected, shown.length - 1));
    const rows = shown.map(({ label, icon, note }, index) =>
      h("li", { role: "option", id: `palette-${index}`, "aria-selected": index === selected, onclick: () => run(index) }, createIcon(icon), h("span", null, label), note && h("span", { class: "muted" }, note)),
    );
    list.replaceChildren(...(rows.length ? rows : [h("li", { class: "muted", role: "option", "aria-disabled": true, "aria-selected": false }, getText("shortcuts.noCommand"))]));
    input.setAttribute("aria-activedescendant", rows.length ? `palette-${selected}` : "");
    rows[selected]?.scrollIntoView({ block: "nearest" });
  };
  const run = async (/** @type {number} */ index) => {
    const command = shown[index];
    if (!command) return;
    dialog.close();
    try {
      await command.run();
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const add = (/** @type {Command[]} */ commands) => {
    own.push(...commands);
    render();
  };
  const searchCharts = async () => {
    const query = input.value.trim();
    if (!query) return;
    try {
      const { data } = await get("/search", { query: { query, limit: MAX_CHARTS } });
      if (query !== input.value.trim()) return;
      const found = data.results.filter((/** @type {any} */ result) => result.type === "document");
      charts = found.map((/** @type {any} */ { document: { title, urls } }) => ({ label: title || getText("common.untitled"), icon: "charts", note: getText("shortcuts.kindChart"), run: () => location.assign(new URL(urls.document_view).pathname) }));
      render();
    } catch (error) {
      // The commands of the page work without the search.
      console.warn(error);
    }
  };

  input.addEventListener("input", () => {
    selected = 0;
    charts = [];
    render();
    clearTimeout(timer);
    timer = window.setTimeout(searchCharts, SEARCH_PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      selected = shown.length ? (selected + step + shown.length) % shown.length : 0;
      render();
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(selected);
    }
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  findElement("body").append(dialog);
  render();
  window.dispatchEvent(new CustomEvent("list-commands", { detail: { add } }));
  dialog.showModal();
  input.focus();
}
