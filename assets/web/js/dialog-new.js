// @ts-check
/** The dialog for a new chart: a kind from the portfolio, and optionally a table to start with. */

import { ApiError, get, post, put, url } from "./api.js";
import { h } from "./core.js";
import { busy, dialog, errorText, field, fieldErrors, toast } from "./ui.js";

/** Maximum size of a table file in bytes. */
const LARGEST = 8 * 1024 * 1024;

/** Kinds shown as examples in an empty library. Kinds that the server does not have are skipped. */
const EXAMPLES = ["grouped-column", "line", "donut", "gantt"];

/** Builds the image of a kind, rendered with its sample data. @param {any} kind */
function sample(kind) {
  return h("img", { src: url(`/portfolio/widgets/${kind.slug}/thumbnail.svg`), width: 160, height: 90, loading: "lazy", alt: "" });
}

/**
 * Builds cards for some kinds. Each card creates a chart with the sample data of its kind.
 * @param {() => { owner: string, folder: string }} place folder for the new chart
 * @returns {Promise<HTMLElement>}
 */
export async function examples(place) {
  const { widgets } = (await get("/portfolio")).data;
  const kinds = EXAMPLES.map((slug) => Object.values(widgets).find((/** @type {any} */ it) => it.slug === slug)).filter(Boolean);
  const begin = async (/** @type {any} */ kind) => {
    const { data } = await post("/create-document", { widget: kind.slug, ...place() }, { creates: true });
    location.assign(new URL(data.document_view, location.origin).pathname);
    return new Promise(() => {});
  };
  const card = (/** @type {any} */ kind) => {
    const press = h("button", { type: "button", class: "kind", onclick: () => busy(press, () => begin(kind)).catch((error) => toast(errorText(error), { bad: true })) }, sample(kind), h("span", null, kind.title));
    return h("li", null, press);
  };
  return h("section", { class: "examples", "aria-labelledby": "examples" }, h("h2", { id: "examples" }, "Or begin with an example"), h("ul", null, kinds.map(card)));
}

/** @param {any} kind @returns {string} the text that the filter searches */
function words(kind) {
  return [kind.title, kind.slug, kind.summary, ...kind.tags, ...kind.aliases, ...kind.categories].join(" ").toLowerCase();
}

/** @param {any} portfolio @returns {any[]} every kind once, favorites and recent kinds first */
function ordered({ lists, widgets }) {
  const ids = lists.flatMap((/** @type {any} */ it) => (["favorites", "recent"].includes(it.id) ? it.ids : []));
  const all = lists.find((/** @type {any} */ it) => it.id === "all")?.ids ?? Object.keys(widgets);
  return [...new Set([...ids, ...all])].map((id) => widgets[id]).filter(Boolean);
}

/**
 * Shows the dialog, creates the chart and opens it.
 * @param {{ owner: string, folder: string }} place folder for the new chart
 * @param {{ data?: boolean }} [options] `data`: focus the field for the table first
 */
export async function newChart(place, { data: withData = false } = {}) {
  const { data } = await get("/portfolio");
  const kinds = ordered(data);
  const categories = [...new Set(kinds.flatMap((it) => it.categories))].sort();

  const search = h("input", { type: "search", autocomplete: "off", autofocus: true, oninput: () => show() });
  const category = h("select", { onchange: () => show() }, h("option", { value: "" }, "All kinds"), categories.map((it) => h("option", { value: it }, it)));
  const cards = kinds.map((kind) =>
    h(
      "label",
      { class: "kind", "data-words": words(kind), "data-categories": kind.categories.join("|"), title: kind.summary },
      h("input", { type: "radio", name: "widget", value: kind.slug, required: true }),
      sample(kind),
      h("span", null, kind.title),
    ),
  );
  const none = h("p", { class: "muted", hidden: true }, "No kind is called that. Other words may find one.");
  const show = () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/);
    for (const it of cards) {
      const { words = "", categories = "" } = it.dataset;
      it.hidden = !wanted.every((word) => words.includes(word)) || (category.value !== "" && !categories.split("|").includes(category.value));
    }
    none.hidden = cards.some((it) => !it.hidden);
    const left = cards.filter((it) => !it.hidden);
    const first = /** @type {HTMLInputElement | undefined} */ (left[0]?.querySelector("input") ?? undefined);
    // Select the only kind that matches the search.
    if (left.length === 1 && first) first.checked = true;
  };

  const table = h("textarea", { name: "body", rows: 4, spellcheck: "false", class: "table-text", placeholder: "Month\tSales\nJanuary\t120" });
  const file = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain" });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    if (chosen.size > LARGEST) return fail("The file is larger than 8 MB. Create the chart first and send the data through the API.");
    fail();
    table.value = await chosen.text();
  });

  /** @type {import("./api.js").ApiResponse<{ endpoint: string, document_view: string }> | null} */
  let made = null;
  // Only this page knows the new chart. A 412 means that the table was saved, but its response was lost.
  const arrived = (/** @type {unknown} */ error) => {
    if (!(error instanceof ApiError && error.isStale)) throw error;
  };
  const create = async (/** @type {HTMLFormElement} */ form) => {
    const chosen = new FormData(form).get("widget");
    const text = table.value.trim();
    // Create the chart once. After the server rejects a table, the user corrects it and submits again.
    made ??= await post("/create-document", { widget: chosen, ...place }, { creates: true });
    for (const it of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[name=widget]"))) it.disabled = !it.checked;
    if (text) await put(`${made.data.endpoint}/data`, `${text}\n`, { type: "text/csv", ifMatch: made.etag }).catch(arrived);
    location.assign(new URL(made.data.document_view, location.origin).pathname);
    // The dialog stays open until the next page loads.
    return new Promise(() => {});
  };
  const { form, fail } = dialog({
    title: "New chart",
    wide: true,
    body: /** @type {any} */ ([
      h("div", { class: "finder" }, field("Find a kind", search), field("Category", category)),
      h("fieldset", { class: "kinds" }, h("legend", { class: "hidden" }, "Kind of chart"), cards, none),
      h(
        "details",
        { class: "own-data", open: withData },
        h("summary", null, "Begin with your own data"),
        h("div", { class: "own-data-fields" }, field("Table", table, "Paste it from a spreadsheet, or as CSV. The first row names the columns."), field("Or a file", file)),
      ),
    ]),
    actions: [{ label: "Cancel", value: "" }, { label: "Create", run: create }],
  });
  if (withData) table.focus();
  form.addEventListener("input", () => fieldErrors(form, null));
}
