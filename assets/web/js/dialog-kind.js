// @ts-check
/** The dialog that changes the chart kind: every kind drawn with the data of this chart, best match first. */

import { get, post } from "./api.js";
import { h } from "./core.js";
import { listColumns } from "./document-columns.js";
import { drawPicture, watchVisible } from "./draft-pictures.js";
import { getEditor } from "./editor-state.js";
import { toInnerLabel } from "./label-format.js";
import { loadTableContent } from "./table-content.js";
import { formatRows } from "./table-rows.js";
import { getText } from "./texts.js";
import { describeError, openDialog, showError, showToast } from "./ui.js";

/** Size of the pictures in points. */
const PICTURE_SIZE = { width: 320, height: 180 };

/**
 * Returns the settings for another chart kind: those that follow from the table, and those of the document that the
 * other kind has too, with the same type.
 * @param {any} oldKind
 * @param {any} newKind
 * @param {Record<string, any>} oldSettings
 * @param {Record<string, any>} newSettings
 */
function keepSettings(oldKind, newKind, oldSettings, newSettings) {
  const oldSchemas = oldKind.settings_schema.properties;
  const kept = Object.entries(newKind.settings_schema.properties).filter(([key, /** @type {any} */ schema]) => {
    const value = oldSettings[key];
    const isSame = oldSchemas[key] && oldSchemas[key].type === schema.type;
    const isAllowed = !schema.enum || schema.enum.includes(value);
    // Lists of columns and their formats come from the table.
    return isSame && isAllowed && value !== undefined && !["series", "columns", "rulesets"].includes(key);
  });
  return { ...newSettings, ...Object.fromEntries(kept.map(([key]) => [key, oldSettings[key]])) };
}

/** Returns the data of the chart as a table of JSON rows, with the names of the columns. */
function formatData() {
  const { store, kind } = getEditor();
  const content = store.content.peek();
  return formatRows(listColumns(kind.peek(), content), content.data);
}

/**
 * Loads the content of the chart with another kind.
 * @param {{ id: string }} newKind
 * @param {string} rows data of the chart
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./document-store.js").Content>}
 */
async function loadContent(newKind, rows, signal) {
  const content = getEditor().store.content.peek();
  // Without settings, the server uses those of the new kind.
  const { settings, data } = await loadTableContent({ ...content, plugin_id: newKind.id, settings: undefined }, rows, "application/json; header=present", { signal });
  return { ...content, plugin_id: newKind.id, settings, data };
}

/**
 * Loads the content of the chart with another kind, again if somebody changes the data or the kind meanwhile.
 * @param {{ id: string }} newKind
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./document-store.js").Content>}
 */
async function loadNewestContent(newKind, signal) {
  const { store } = getEditor();
  for (;;) {
    const [rows, { plugin_id: id }] = [formatData(), store.content.peek()];
    const next = await loadContent(newKind, rows, signal);
    if (store.content.peek().plugin_id === id && formatData() === rows) return next;
  }
}

/**
 * Changes the kind of the chart, as one undo step. Changes that are made until the server has answered stay.
 * @param {{ id: string, title: string }} newKind
 * @param {AbortSignal} [signal] cancels the change
 */
export async function changeKind(newKind, signal) {
  const { store, kind } = getEditor();
  const { data: loadedKind } = await get(`/widgets/${newKind.id}`, { signal });
  const next = await loadNewestContent(newKind, signal);
  const settings = keepSettings(kind.peek(), loadedKind, store.content.peek().settings, next.settings);
  const changes = { plugin_id: newKind.id, settings, data: next.data };
  const step = store.applyChanges(Object.entries(changes).map(([key, value]) => ({ path: [key], value })), { label: getText("kind-dialog.change", { kind: newKind.title }) });
  showToast(getText("kind-dialog.changed", { kind: toInnerLabel(newKind.title) }), { action: { label: getText("common.undo"), ...store.offerUndo(step) } });
}

/** Opens the dialog. */
export async function openKindDialog() {
  const content = getEditor().store.content.peek();
  const rows = formatData();
  const aborter = new AbortController();
  const error = h("div");
  const list = h("div", { class: "kind-choices" });
  const search = h("input", { type: "search", placeholder: getText("kind-dialog.search"), "aria-label": getText("kind-dialog.search"), autofocus: true });
  const dialog = openDialog({ title: getText("kind-dialog.title"), wide: true, className: "kinds", body: [search, error, list] });
  dialog.closed.then(() => aborter.abort());
  /** Cancels the choice before the last one. */
  let chosen = new AbortController();
  const choose = async (/** @type {any} */ fit) => {
    chosen.abort();
    chosen = new AbortController();
    const signal = AbortSignal.any([chosen.signal, aborter.signal]);
    showError(error);
    try {
      await changeKind(fit, signal);
      dialog.close();
    } catch (failure) {
      if (!signal.aborted) showError(error, failure);
    }
  };

  try {
    const { data } = await post("/tables", rows, { type: "application/json; header=present", signal: aborter.signal });
    for (const fit of data.kinds) {
      const isCurrent = fit.id === content.plugin_id;
      const missing = fit.missing.map((/** @type {any} */ column) => column.title).join(", ");
      const note = isCurrent ? getText("kind-dialog.current") : missing ? getText("kind-dialog.needs", { columns: missing }) : "";
      const card = h(
        "button",
        { type: "button", class: "kind-choice", "aria-current": isCurrent ? "true" : null, dataset: { kind: fit.slug, title: fit.title.toLowerCase() }, onclick: () => choose(fit) },
        h("img", { alt: "", ...PICTURE_SIZE }),
        h("b", null, fit.title),
        h("span", { class: "muted" }, note),
      );
      list.append(card);
    }
    const drawCard = (/** @type {HTMLElement} */ card) => {
      const fit = data.kinds.find((/** @type {any} */ candidate) => candidate.slug === card.dataset.kind);
      const image = /** @type {HTMLImageElement} */ (card.querySelector("img"));
      drawPicture(image, () => loadContent(fit, rows, aborter.signal), PICTURE_SIZE, aborter.signal).then((isDrawn) => card.classList.toggle("undrawn", !isDrawn));
    };
    const cards = /** @type {HTMLElement[]} */ ([...list.children]);
    watchVisible(/** @type {HTMLElement} */ (dialog.element.querySelector(".dialog-body")), cards, drawCard, aborter.signal);
    search.addEventListener("input", () => {
      const needle = search.value.trim().toLowerCase();
      for (const card of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(".kind-choice"))) card.hidden = !card.dataset.title?.includes(needle);
    });
  } catch (failure) {
    if (!aborter.signal.aborted) showError(error, describeError(failure));
  }
}
