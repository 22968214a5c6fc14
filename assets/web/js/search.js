// @ts-check
/** The search box: lists results while the user types, opens the search page on Enter. */

import { get } from "./api.js";
import { h } from "./core.js";
import { errorText, icon } from "./ui.js";

/** Delay after the last key, in milliseconds. */
const PAUSE = 150;
/** Maximum number of results below the box. */
const MOST = 8;

/**
 * Converts HTML with hits in `<mark>` to nodes. Only text and marks are kept.
 * @param {string} html
 * @returns {Node[]}
 */
export function marked(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html").body;
  return [...parsed.childNodes].map((it) => (it.nodeName === "MARK" ? h("mark", null, it.textContent) : document.createTextNode(it.textContent ?? "")));
}

/**
 * Marks the words of the query in a title.
 * @param {string} title
 * @param {string} query
 * @returns {Node[]}
 */
export function hits(title, query) {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter(Boolean).map((it) => it.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return [document.createTextNode(title)];
  const parts = title.split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.join("|")}))`, "giu"));
  return parts.map((it, at) => (at % 2 ? h("mark", null, it) : document.createTextNode(it)));
}

/**
 * Adds a list of results to a search field.
 * @param {HTMLInputElement} input
 */
export function searchBox(input) {
  const list = h("div", { class: "found", id: "found", role: "listbox", "aria-label": "Results", hidden: true });
  const said = h("p", { class: "hidden", role: "status" });
  input.after(list, said);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list" })) {
    input.setAttribute(name, value);
  }
  /** @type {AbortController | null} */
  let asked = null;
  let timer = 0;
  let at = -1;

  const rows = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=option]")]);
  const close = () => {
    clearTimeout(timer);
    asked?.abort();
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const open = (/** @type {Node[]} */ content) => {
    list.replaceChildren(...content);
    list.hidden = false;
    at = -1;
    input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-expanded", "true");
  };
  const point = (/** @type {number} */ to) => {
    const all = rows();
    if (!all.length) return;
    at = (to + all.length) % all.length;
    all.forEach((it, index) => it.setAttribute("aria-selected", String(index === at)));
    all[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", all[at].id);
  };
  const ask = async () => {
    const query = input.value.trim();
    asked?.abort();
    if (!query) return close();
    asked = new AbortController();
    try {
      const { data } = await get("/search", { query: { query, limit: MOST }, signal: asked.signal });
      said.textContent = data.count === 1 ? "1 result" : `${data.count} results`;
      open(results(data, query));
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      // An incomplete query, such as a lone minus sign, is not an error.
      if (/** @type {any} */ (error).status === 400) return close();
      open([h("p", { class: "found-note", role: "presentation" }, errorText(error))]);
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      close();
      event.preventDefault();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) ask();
      else point(at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1));
    } else if (event.key === "Enter" && at >= 0 && !list.hidden) {
      event.preventDefault();
      rows()[at]?.click();
    }
  });
  input.addEventListener("blur", () => setTimeout(close, 200));
  // Keep the focus in the field when a result is pressed.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
}

/**
 * @param {any} data
 * @param {string} query
 * @returns {Node[]}
 */
function results(data, query) {
  if (!data.results.length) return [h("p", { class: "found-note", role: "presentation" }, `Nothing was found for “${query}”.`)];
  let number = 0;
  const row = (/** @type {any} */ it) => {
    const document = it.document;
    const title = document ? document.title.trim() || "Untitled" : it.folder.title;
    const view = new URL(it.urls.view, location.origin).pathname;
    const picture = document
      ? h("img", { src: `/api/v1/users/${document.owner}/documents/${document.id}/thumbnail.png?v=${document.history_version}`, width: 64, height: 36, alt: "" })
      : icon("folder");
    const above = document ? document.folder : it.folder.name.slice(0, -it.folder.title.length - 1) || "/";
    return h(
      "div",
      { role: "option", id: `found-${(number += 1)}`, "aria-selected": "false", onclick: () => location.assign(view) },
      h("span", { class: "found-picture" }, picture),
      h("span", { class: "found-text" }, h("span", { class: "name" }, hits(title, query)), h("span", { class: "muted" }, document?.owner_name ?? "", above === "/" ? "" : ` ${above}`)),
    );
  };
  const group = (/** @type {string} */ label, /** @type {any[]} */ entries) =>
    entries.length ? [h("div", { role: "group", "aria-label": label }, h("p", { class: "found-head", "aria-hidden": true }, label), entries.map(row))] : [];
  const folders = data.results.filter((/** @type {any} */ it) => it.folder);
  const charts = data.results.filter((/** @type {any} */ it) => it.document);
  const whole = h(
    "div",
    { role: "option", id: "found-all", class: "found-all", "aria-selected": "false", onclick: () => location.assign(`/search?q=${encodeURIComponent(query)}`) },
    data.count === 1 ? "Show the result" : `Show all ${data.count} results`,
  );
  return [...group("Folders", folders), ...group("Charts", charts), whole];
}
