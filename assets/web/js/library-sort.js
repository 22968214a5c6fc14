// @ts-check
/** Order and filters of the library, and the column headings of its list. */

import { h, signal } from "./core.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** Columns of the list: property for the sort, label, label of the button, and direction of the first press. */
const COLUMNS = [
  { property: "title", label: getText("common.name"), action: getText("library.sortByName"), isFirstDescending: false },
  { property: "kind", label: getText("library.kind"), action: getText("library.sortByKind"), isFirstDescending: false },
  { property: "updated", label: getText("library.changed"), action: getText("library.sortByChanged"), isFirstDescending: true },
];

/**
 * Order and filters. Effects that call the functions run again after a change.
 * @typedef {object} Arrangement
 * @property {() => { sort: string, kind: string, owner: string }} getQuery parameters for the API
 * @property {() => boolean} hasFilter whether some charts are left out
 * @property {(kindId: string) => string} getKindTitle
 * @property {HTMLElement} headings buttons that sort by a column
 * @property {boolean} isFixed whether the page has no choice of the order
 */

/**
 * Makes the form of the page change the list without loading the page again. The address of the page
 * follows, so that Back and a reload keep the choice.
 * @param {HTMLFormElement | null} form null on pages with a fixed order
 * @param {() => unknown} onChange loads the list
 * @returns {Arrangement}
 */
export function createArrangement(form, onChange) {
  const getSelect = (/** @type {string} */ name) => /** @type {HTMLSelectElement | null} */ (form?.querySelector(`[name=${name}]`) ?? null);
  const readQuery = () => ({ sort: getSelect("sort")?.value ?? "", kind: getSelect("kind")?.value ?? "", owner: getSelect("owner")?.value ?? "" });
  const query = signal(readQuery());
  const getQuery = () => query.value;
  const apply = () => {
    query.value = readQuery();
    const used = Object.entries(getQuery()).filter(([name, value]) => value && !(name === "sort" && value === "-updated"));
    const url = location.pathname + (used.length ? `?${new URLSearchParams(used)}` : "");
    // A page after the first one starts again.
    if (/[?&](offset|folders)=/.test(location.search)) return location.assign(url);
    history.replaceState(history.state, "", url);
    onChange();
  };
  form?.addEventListener("change", apply);
  form?.addEventListener("submit", (event) => event.preventDefault());
  const sortBy = (/** @type {string} */ value) => {
    const select = getSelect("sort");
    if (select) select.value = value;
    apply();
  };
  const buildHeading = (/** @type {typeof COLUMNS[number]} */ { property, label, action, isFirstDescending }) => {
    const isSorted = () => query.value.sort.replace("-", "") === property;
    const isDescending = () => query.value.sort.startsWith("-");
    const next = () => (isSorted() ? (isDescending() ? "" : "-") : isFirstDescending ? "-" : "") + property;
    return h("button", {
      type: "button",
      class: "column",
      "aria-pressed": () => String(isSorted()),
      "aria-label": () => (isSorted() ? getText(isDescending() ? "library.descending" : "library.ascending", { column: action }) : action),
      onclick: () => sortBy(next()),
    }, h("span", null, label), () => isSorted() && createIcon(isDescending() ? "down" : "up"));
  };
  const headings = h("div", { class: "columns", role: "group", "aria-label": getText("library.columns") }, COLUMNS.map(buildHeading));
  const titles = new Map([...(form?.querySelectorAll("[data-kind]") ?? [])].map((option) => [option.getAttribute("data-kind"), option.textContent ?? ""]));
  return { getQuery, hasFilter: () => Boolean(query.value.kind || query.value.owner), getKindTitle: (kindId) => titles.get(kindId) ?? "", headings, isFixed: !form };
}
