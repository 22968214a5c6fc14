// @ts-check
/** The dialog for a new chart: a kind from the portfolio, and optionally a table to start with. */

import { ApiError, get, post, put, resolveApiUrl } from "./api.js";
import { h } from "./core.js";
import { createTableFields, describeMapping } from "./own-table.js";
import { createField, describeError, openDialog, runBusy, showFieldErrors, showToast } from "./ui.js";

/** Number of kinds that are marked as suitable for the own table. */
const SUGGESTED_KINDS = 3;

/** Kinds shown as examples in an empty library. Kinds that the server does not have are skipped. */
const EXAMPLE_SLUGS = ["grouped-column", "line", "donut", "gantt"];

/** Builds the image of a kind, rendered with its sample data. @param {any} kind */
function buildThumbnail(kind) {
  return h("img", { src: resolveApiUrl(`/portfolio/widgets/${kind.slug}/thumbnail.svg`), width: 160, height: 90, loading: "lazy", alt: "" });
}

/**
 * Builds cards for the kinds of `EXAMPLE_SLUGS`. Each card creates a chart with the sample data of its
 * kind and opens it.
 * @param {() => { owner: string, folder: string }} getTargetFolder returns the folder for the new chart
 * @returns {Promise<HTMLElement>}
 */
export async function buildExamples(getTargetFolder) {
  const { widgets } = (await get("/portfolio")).data;
  const kinds = EXAMPLE_SLUGS.map((slug) => Object.values(widgets).find((/** @type {any} */ widget) => widget.slug === slug)).filter(Boolean);
  const createExample = async (/** @type {any} */ kind) => {
    const { data } = await post("/create-document", { widget: kind.slug, ...getTargetFolder() }, { creates: true });
    location.assign(new URL(data.document_view, location.origin).pathname);
    return new Promise(() => {});
  };
  const buildCard = (/** @type {any} */ kind) => {
    const cardButton = h("button", { type: "button", class: "kind", onclick: () => runBusy(cardButton, () => createExample(kind)).catch((error) => showToast(describeError(error), { isError: true })) }, buildThumbnail(kind), h("span", null, kind.title));
    return h("li", null, cardButton);
  };
  return h("section", { class: "examples", "aria-labelledby": "examples" }, h("h2", { id: "examples" }, "Or start with an example"), h("ul", null, kinds.map(buildCard)));
}

/** Returns the text of a kind that the filter searches, in lower case. @param {any} kind @returns {string} */
function buildSearchText(kind) {
  return [kind.title, kind.slug, kind.summary, ...kind.tags, ...kind.aliases, ...kind.categories].join(" ").toLowerCase();
}

/** Returns every kind once, favorites and recent kinds first. @param {any} portfolio @returns {any[]} */
function orderKinds({ lists, widgets }) {
  const firstIds = lists.flatMap((/** @type {any} */ list) => (["favorites", "recent"].includes(list.id) ? list.ids : []));
  const allIds = lists.find((/** @type {any} */ list) => list.id === "all")?.ids ?? Object.keys(widgets);
  return [...new Set([...firstIds, ...allIds])].map((id) => widgets[id]).filter(Boolean);
}

/**
 * Opens the dialog. Its action creates the chart, saves the table in it and opens it.
 * @param {{ owner: string, folder: string }} targetFolder folder for the new chart
 * @param {{ data?: boolean }} [options] `data` focuses the field for the table
 */
export async function openNewChartDialog(targetFolder, { data: withData = false } = {}) {
  const { data } = await get("/portfolio");
  const kinds = orderKinds(data);
  const categories = [...new Set(kinds.flatMap((kind) => kind.categories))].sort();

  const searchInput = h("input", { type: "search", autocomplete: "off", autofocus: true, oninput: () => filterKinds() });
  const categorySelect = h("select", { onchange: () => filterKinds() }, h("option", { value: "" }, "All kinds"), categories.map((category) => h("option", { value: category }, category)));
  const options = kinds.map((kind) =>
    h(
      "label",
      { class: "kind", "data-search-text": buildSearchText(kind), "data-categories": kind.categories.join("|"), title: kind.summary },
      h("input", { type: "radio", name: "widget", value: kind.slug, required: true }),
      buildThumbnail(kind),
      h("span", null, kind.title),
    ),
  );
  const noMatchHint = h("p", { class: "muted", hidden: true }, "No kind matches. Try other words.");
  const kindList = h("fieldset", { class: "kinds" }, h("legend", { class: "hidden" }, "Kind of chart"), options, noMatchHint);
  const filterKinds = () => {
    const terms = searchInput.value.trim().toLowerCase().split(/\s+/);
    for (const option of options) {
      const { searchText = "", categories = "" } = option.dataset;
      option.hidden = !terms.every((term) => searchText.includes(term)) || (categorySelect.value !== "" && !categories.split("|").includes(categorySelect.value));
    }
    noMatchHint.hidden = options.some((option) => !option.hidden);
    const visible = options.filter((option) => !option.hidden);
    const first = /** @type {HTMLInputElement | undefined} */ (visible[0]?.querySelector("input") ?? undefined);
    // Select the only kind that matches the search.
    if (visible.length === 1 && first) first.checked = true;
  };

  const mappingHint = h("p", { class: "muted", role: "status" });
  /** Mapping of the own table by kind. @type {Map<string, any>} */
  let fits = new Map();
  let isChosen = false;
  const showMapping = () => {
    const selected = options.find((option) => option.querySelector("input")?.checked);
    const fit = fits.get(selected?.querySelector("input")?.value ?? "");
    mappingHint.textContent = fit ? describeMapping(fit) : "";
  };
  /** Shows the kinds that suit the table first, and selects the best one unless the user chose a kind. */
  const orderByFit = (/** @type {any} */ analysis) => {
    fits = new Map((analysis?.kinds ?? []).map((/** @type {any} */ fit) => [fit.slug, fit]));
    const rank = [...fits.keys()];
    const input = (/** @type {HTMLElement} */ option) => /** @type {HTMLInputElement} */ (option.querySelector("input"));
    const place = (/** @type {HTMLElement} */ option) => (rank.length ? rank.indexOf(input(option).value) : options.indexOf(option));
    const ordered = [...options].sort((first, second) => place(first) - place(second));
    for (const [index, option] of ordered.entries()) {
      option.classList.toggle("suggested", rank.length > 0 && index < SUGGESTED_KINDS);
      const fit = fits.get(input(option).value);
      option.title = fit ? `${fit.title}: ${fit.reason}` : (kinds.find((kind) => kind.slug === input(option).value)?.summary ?? "");
    }
    kindList.append(...ordered, noMatchHint);
    if (rank.length && !isChosen && searchInput.value === "") input(ordered[0]).checked = true;
    showMapping();
  };
  const table = createTableFields(orderByFit);

  /** @type {import("./api.js").ApiResponse<{ endpoint: string, document_view: string }> | null} */
  let created = null;
  // Ignores a 412. Only this page knows the new chart, so a 412 means that the table was saved, but the
  // response was lost.
  const ignoreStale = (/** @type {unknown} */ error) => {
    if (!(error instanceof ApiError && error.isStale)) throw error;
  };
  const createChart = async (/** @type {HTMLFormElement} */ form) => {
    const slug = new FormData(form).get("widget");
    const upload = table.getUpload();
    // A table that the server cannot read leaves no chart behind.
    if (upload && !created) await post("/tables", upload.body, { type: upload.type, query: { sheet: upload.sheet } });
    // Create the chart once. After the server rejects a table, the user corrects it and submits again.
    created ??= await post("/create-document", { widget: slug, ...targetFolder }, { creates: true });
    for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[name=widget]"))) radio.disabled = !radio.checked;
    if (upload) await put(`${created.data.endpoint}/data`, upload.body, { type: upload.type, query: { sheet: upload.sheet, fit_height: true }, ifMatch: created.etag }).catch(ignoreStale);
    location.assign(new URL(created.data.document_view, location.origin).pathname);
    // The dialog stays open until the next page loads.
    return new Promise(() => {});
  };
  const ownData = h("details", { class: "own-data", open: withData }, h("summary", null, "Start with your own data"), table.element);
  const { form } = openDialog({
    title: "New chart",
    wide: true,
    body: /** @type {any} */ ([
      ...(withData ? [ownData, mappingHint] : []),
      h("div", { class: "finder" }, createField("Find a kind", searchInput), createField("Category", categorySelect)),
      kindList,
      ...(withData ? [] : [ownData, mappingHint]),
    ]),
    actions: [{ label: "Cancel", value: "" }, { label: "Create", run: createChart }],
  });
  if (withData) table.focus();
  kindList.addEventListener("change", () => {
    isChosen = true;
    showMapping();
  });
  form.addEventListener("input", () => showFieldErrors(form, null));
}
