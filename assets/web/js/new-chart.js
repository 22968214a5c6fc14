// @ts-check
/**
 * Opens the dialog for a new chart at once. Its content is in `dialog-new.js`, which loads when the page
 * is idle or the dialog opens.
 */

import { h } from "./core.js";
import { getText } from "./texts.js";
import { createButton, createField, describeError, openDialog, runWhenIdle } from "./ui.js";

/** Number of empty boxes that take the place of the kinds while they load. */
const PLACEHOLDER_COUNT = 18;

const loadContent = () => import("./dialog-new.js");

/** The dialog that was opened last. @type {HTMLDialogElement | null} */
let lastDialog = null;

/** Loads the content of the dialog when the page is idle. */
export function preloadNewChartDialog() {
  // A failure is shown when the dialog opens.
  const load = () => loadContent().catch(() => {});
  const wait = () => void runWhenIdle(load);
  if (document.readyState === "complete") wait();
  else window.addEventListener("load", wait, { once: true });
}

/**
 * The folder for a new chart: of this server, or at a provider of cloud storage.
 * @typedef {{ owner: string, folder: string } | { provider: string, connection_id: string, folder_id: string }} TargetFolder
 */

/**
 * Parts of the dialog that are visible before its content is loaded.
 * @typedef {object} NewChartFrame
 * @property {HTMLFormElement} form
 * @property {HTMLElement} top place above the list of kinds
 * @property {HTMLInputElement} searchInput
 * @property {HTMLSelectElement} categorySelect has the option for all kinds
 * @property {HTMLFieldSetElement} kindList
 * @property {HTMLElement} bottom place below the list of kinds
 */

/**
 * Opens the dialog. Its action creates the chart, saves the table in it and opens it. While the dialog is
 * open, further calls do nothing.
 * @param {TargetFolder} targetFolder folder for the new chart
 * @param {{ data?: boolean, kind?: string }} [options] `data` shows the fields for an own table first, and `kind` is
 * the slug of the kind that is selected
 */
export function openNewChartDialog(targetFolder, options = {}) {
  // The event "close" comes later than the end of the dialog. A key between them opens the next dialog.
  if (lastDialog?.open) return;
  const searchInput = h("input", { type: "search", autocomplete: "off", autofocus: true });
  const categorySelect = h("select", null, h("option", { value: "" }, getText("dialogs.allKinds")));
  const kindList = h("fieldset", { class: "kinds" });
  const [top, bottom] = [h("div", { class: "own-data-place" }), h("div", { class: "own-data-place" })];
  /** @type {((form: HTMLFormElement) => Promise<unknown>) | null} */
  let createChart = null;
  const { form, element } = openDialog({
    title: getText("common.newChart"),
    wide: true,
    body: /** @type {any} */ ([top, h("div", { class: "finder" }, createField(getText("dialogs.findKind"), searchInput), createField(getText("dialogs.category"), categorySelect)), h("div", { class: "kind-gallery" }, kindList), bottom]),
    // Until the kinds are loaded, the action does nothing.
    actions: [{ label: getText("common.cancel"), value: "" }, { label: getText("dialogs.create"), run: (target) => createChart?.(target) ?? false }],
  });
  lastDialog = element;
  const fill = async () => {
    showPlaceholders(kindList);
    try {
      const { fillNewChartDialog } = await loadContent();
      createChart = await fillNewChartDialog({ form, top, searchInput, categorySelect, kindList, bottom }, targetFolder, options);
    } catch (error) {
      kindList.replaceChildren(h("p", { class: "error", role: "alert" }, describeError(error)), createButton(getText("common.tryAgain"), { onclick: fill }));
    }
  };
  fill();
}

/** Shows empty boxes in place of the kinds. @param {HTMLElement} kindList */
function showPlaceholders(kindList) {
  const boxes = Array.from({ length: PLACEHOLDER_COUNT }, () => h("div", { class: "kind placeholder", "aria-hidden": true }, h("span")));
  kindList.replaceChildren(h("legend", { class: "hidden" }, getText("dialogs.kindOfChart")), h("p", { class: "hidden", role: "status" }, getText("dialogs.loadingKinds")), ...boxes);
}
