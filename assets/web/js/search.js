// @ts-check
/** The search box: lists results while the user types, opens the search page on Enter. */

import { get } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createIcon, describeError } from "./ui.js";

/** Delay of the request after the last input. */
const DEBOUNCE_MS = 150;
/** Maximum number of results below the box. */
const MAX_RESULTS = 8;

/**
 * Converts HTML with hits in `<mark>` to nodes. Keeps only text and marks, so that no other HTML of the
 * response is inserted.
 * @param {string} html
 * @returns {Node[]}
 */
export function renderHighlight(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html").body;
  return [...parsed.childNodes].map((node) => (node.nodeName === "MARK" ? h("mark", null, node.textContent) : document.createTextNode(node.textContent ?? "")));
}

/**
 * Marks each occurrence of a query word at the beginning of a word of the title, ignoring case.
 * @param {string} title
 * @param {string} query
 * @returns {Node[]}
 */
export function highlightWords(title, query) {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return [document.createTextNode(title)];
  const parts = title.split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.join("|")}))`, "giu"));
  return parts.map((part, index) => (index % 2 ? h("mark", null, part) : document.createTextNode(part)));
}

/**
 * Adds a list of results to a search field. Arrow keys select a result, Enter opens it.
 * @param {HTMLInputElement} input
 */
export function attachSearchResults(input) {
  const list = h("div", { class: "found", id: "found", role: "listbox", "aria-label": getText("ui.results"), hidden: true });
  const status = h("p", { class: "hidden", role: "status" });
  input.after(list, status);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list" })) {
    input.setAttribute(name, value);
  }
  /** @type {AbortController | null} */
  let controller = null;
  let timer = 0;
  let activeIndex = -1;

  const getOptions = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=option]")]);
  const close = () => {
    clearTimeout(timer);
    controller?.abort();
    list.hidden = true;
    activeIndex = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const open = (/** @type {Node[]} */ content) => {
    list.replaceChildren(...content);
    list.hidden = false;
    activeIndex = -1;
    input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-expanded", "true");
  };
  // Moves the highlight to an option. The index wraps around at both ends.
  const setActiveOption = (/** @type {number} */ target) => {
    const options = getOptions();
    if (!options.length) return;
    activeIndex = (target + options.length) % options.length;
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === activeIndex)));
    options[activeIndex].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[activeIndex].id);
  };
  const search = async () => {
    const query = input.value.trim();
    controller?.abort();
    if (!query) return close();
    controller = new AbortController();
    try {
      const { data } = await get("/search", { query: { query, limit: MAX_RESULTS }, signal: controller.signal });
      status.textContent = getText("ui.resultCount", { count: data.count, number: String(data.count) });
      open(buildResults(data, query));
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      // An incomplete query, such as a lone minus sign, is not an error.
      if (/** @type {any} */ (error).status === 400) return close();
      open([h("p", { class: "found-note", role: "presentation" }, describeError(error))]);
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, DEBOUNCE_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      close();
      event.preventDefault();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) search();
      else setActiveOption(activeIndex + (event.key === "ArrowDown" ? 1 : activeIndex < 0 ? 0 : -1));
    } else if (event.key === "Enter" && activeIndex >= 0 && !list.hidden) {
      event.preventDefault();
      getOptions()[activeIndex]?.click();
    }
  });
  input.addEventListener("blur", () => setTimeout(close, 200));
  // Keep the focus in the field when a result is pressed.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
}

/**
 * Builds the list of results: folders, charts, and an entry that opens the search page.
 * @param {any} data response of the search API
 * @param {string} query
 * @returns {Node[]}
 */
function buildResults(data, query) {
  if (!data.results.length) return [h("p", { class: "found-note", role: "presentation" }, getText("ui.nothingFound", { query }))];
  let lastOptionNumber = 0;
  const buildOption = (/** @type {any} */ result) => {
    const document = result.document;
    const title = document ? document.title.trim() || getText("common.untitled") : result.folder.title;
    const view = new URL(result.urls.view, location.origin).pathname;
    const image = document
      ? h("img", { src: `/api/v1/users/${document.owner}/documents/${document.id}/thumbnail.png?v=${document.history_version}`, width: 64, height: 36, alt: "" })
      : createIcon("folder");
    const parentPath = document ? document.folder : result.folder.name.slice(0, -result.folder.title.length - 1) || "/";
    return h(
      "div",
      { role: "option", id: `found-${(lastOptionNumber += 1)}`, "aria-selected": "false", onclick: () => location.assign(view) },
      h("span", { class: "found-image" }, image),
      h("span", { class: "found-text" }, h("span", { class: "name" }, highlightWords(title, query)), h("span", { class: "muted" }, document?.owner_name ?? "", parentPath === "/" ? "" : ` ${parentPath}`)),
    );
  };
  const buildGroup = (/** @type {string} */ label, /** @type {any[]} */ entries) =>
    entries.length ? [h("div", { role: "group", "aria-label": label }, h("p", { class: "found-head", "aria-hidden": true }, label), entries.map(buildOption))] : [];
  const folders = data.results.filter((/** @type {any} */ result) => result.folder);
  const charts = data.results.filter((/** @type {any} */ result) => result.document);
  const showAllOption = h(
    "div",
    { role: "option", id: "found-all", class: "found-all", "aria-selected": "false", onclick: () => location.assign(`/search?q=${encodeURIComponent(query)}`) },
    getText("ui.showResults", { count: data.count, number: String(data.count) }),
  );
  return [...buildGroup(getText("library.folders"), folders), ...buildGroup(getText("library.charts"), charts), showAllOption];
}
