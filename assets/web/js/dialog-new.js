// @ts-check
/** Content of the dialog for a new chart: a kind from the portfolio, and optionally a table to start with. */

import { ApiError, del, encodePath, get, post, put, resolveApiUrl } from "./api.js";
import { h } from "./core.js";
import { drawPicture, showDrawnImage, watchVisible } from "./draft-pictures.js";
import { createKindDetails } from "./kind-details.js";
import { createTableFields, describeMapping } from "./own-table.js";
import { loadTableContent } from "./table-content.js";
import { NEW_CHART_LANGUAGE, PAGE_LANGUAGE, getText } from "./texts.js";
import { createField, describeError, runBusy, showFieldErrors, showToast } from "./ui.js";

/** Number of kinds that are marked as suitable for the own table. */
const SUGGESTED_KINDS = 3;

/** Kinds shown as examples in an empty library. Kinds that the server does not have are skipped. */
const EXAMPLE_SLUGS = ["grouped-column", "line", "donut", "gantt"];

/** Size of the images of kinds with the own table, in points. */
const DRAWN_SIZE = { width: 320, height: 180 };

/** Returns the address of the image of a kind with its sample data. @param {string} slug */
const getSampleUrl = (slug) => resolveApiUrl(`/portfolio/widgets/${slug}/thumbnail.svg`);

/** Builds the image of a kind, rendered with its sample data. @param {any} kind */
function buildThumbnail(kind) {
  return h("img", { src: getSampleUrl(kind.slug), width: 160, height: 90, loading: "lazy", alt: "" });
}

/**
 * Returns the theme of new charts in a folder, if their owner is an organization with a theme of its own.
 * @param {import("./new-chart.js").TargetFolder} targetFolder
 * @returns {Promise<string | null>}
 */
async function findOwnTheme(targetFolder) {
  if (!("owner" in targetFolder)) return null;
  const { data: user } = await get("/user");
  const org = user.orgs.find((/** @type {any} */ candidate) => candidate.id === targetFolder.owner);
  const theme = org && (await get(encodePath`/orgs/${org.id}`)).data.default_theme;
  return theme && theme !== "light" ? theme : null;
}

/**
 * Shows the picture of a kind: with the own table, with its sample in the theme of the organization, or with its sample.
 * @param {HTMLImageElement} image
 * @param {string} slug
 * @param {{ upload: import("./own-table.js").Upload | null, theme: string | null }} look
 * @param {AbortSignal} signal drops the picture
 */
function showKind(image, slug, { upload, theme }, signal) {
  if (upload) {
    const query = { kind: slug, sheet: upload.sheet, locale: NEW_CHART_LANGUAGE, ...DRAWN_SIZE };
    return void showDrawnImage(image, async () => (await post("/tables/chart.svg", upload.body, { type: upload.type, query, signal })).data, signal);
  }
  if (!theme) return void (image.src = getSampleUrl(slug));
  const loadSample = async () => {
    const { data: kind } = await get(encodePath`/widgets/${slug}`, { signal });
    return { plugin_id: kind.id, settings: kind.default_settings, data: kind.sample_data, ...kind.sample, theme };
  };
  drawPicture(image, loadSample, DRAWN_SIZE, signal);
}

/**
 * Draws the pictures of the kinds, the visible ones first.
 * @param {HTMLElement} kindList
 * @param {HTMLElement[]} options in the order of their fit
 * @param {{ upload: import("./own-table.js").Upload | null, theme: string | null }} look
 * @param {AbortSignal} signal drops the pictures
 */
function drawKinds(kindList, options, look, signal) {
  const draw = (/** @type {HTMLElement} */ option) => {
    const slug = /** @type {HTMLInputElement} */ (option.querySelector("input")).value;
    showKind(/** @type {HTMLImageElement} */ (option.querySelector("img")), slug, look, signal);
  };
  if (!look.upload && !look.theme) options.forEach(draw);
  else watchVisible(kindList, options, draw, signal);
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
  return h("section", { class: "examples", "aria-labelledby": "examples" }, h("h2", { id: "examples" }, getText("dialogs.examples")), h("ul", null, kinds.map(buildCard)));
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
 * Returns how well a kind matches a search, 0 is best: title that equals the search, title that starts
 * with it, title with words that start with the terms, title that contains them, other name that contains
 * them, other text.
 * Returns null if the kind does not match.
 * @param {any} kind
 * @param {string} query in lower case, without surrounding spaces
 * @returns {number | null}
 */
export function rankMatch(kind, query) {
  const terms = query.split(/\s+/);
  if (!terms.every((term) => buildSearchText(kind).includes(term))) return null;
  const title = kind.title.toLowerCase();
  const words = title.split(/[^\p{L}\p{N}]+/u);
  const contains = (/** @type {string} */ name) => terms.every((term) => name.toLowerCase().includes(term));
  if (title === query) return 0;
  if (title.startsWith(query)) return 1;
  if (terms.every((term) => words.some((/** @type {string} */ word) => word.startsWith(term)))) return 2;
  if (contains(title)) return 3;
  return [kind.slug, ...kind.aliases].some(contains) ? 4 : 5;
}

/**
 * Fills the dialog for a new chart. Returns its action, which creates the chart, saves the table in it
 * and opens it.
 * @param {import("./new-chart.js").NewChartFrame} frame
 * @param {import("./new-chart.js").TargetFolder} targetFolder folder for the new chart
 * @param {{ data?: boolean, kind?: string }} options `data` shows the fields for an own table first, and `kind` is the
 * slug of the kind that is selected
 * @returns {Promise<(form: HTMLFormElement) => Promise<unknown>>}
 */
export async function fillNewChartDialog({ form, top, searchInput, categorySelect, kindList, bottom }, targetFolder, { data: withData = false, kind: firstKind }) {
  const { data } = await get("/portfolio");
  const kinds = orderKinds(data);
  const categories = [...new Set(kinds.flatMap((kind) => kind.categories))].sort(new Intl.Collator(PAGE_LANGUAGE).compare);
  categorySelect.append(...categories.map((category) => h("option", { value: category }, category)));
  const kindBySlug = new Map(kinds.map((kind) => [kind.slug, kind]));
  const options = kinds.map((kind) =>
    h(
      "label",
      { class: "kind", title: kind.summary },
      h("input", { type: "radio", name: "widget", value: kind.slug, required: true }),
      buildThumbnail(kind),
      h("span", null, kind.title),
    ),
  );
  const getInput = (/** @type {HTMLElement} */ option) => /** @type {HTMLInputElement} */ (option.querySelector("input"));
  /** The kinds in the order without a search. */
  let ordered = options;
  const noMatchHint = h("p", { class: "muted", hidden: true }, getText("dialogs.noKindMatches"));
  kindList.replaceChildren(h("legend", { class: "hidden" }, getText("dialogs.kindOfChart")), ...options, noMatchHint);
  const filterKinds = () => {
    const query = searchInput.value.trim().toLowerCase();
    /** @type {Map<HTMLElement, number>} */
    const ranks = new Map();
    for (const option of ordered) {
      const kind = kindBySlug.get(getInput(option).value);
      const rank = rankMatch(kind, query);
      option.hidden = rank === null || (categorySelect.value !== "" && !kind.categories.includes(categorySelect.value));
      ranks.set(option, query === "" ? 0 : (rank ?? 0));
    }
    noMatchHint.hidden = options.some((option) => !option.hidden);
    kindList.append(...[...ordered].sort((first, second) => (ranks.get(first) ?? 0) - (ranks.get(second) ?? 0)), noMatchHint);
    kindList.scrollTop = 0;
    const visible = options.filter((option) => !option.hidden);
    // Select the only kind that matches the search.
    if (visible.length === 1) getInput(visible[0]).checked = true;
    showSelected();
  };
  searchInput.addEventListener("input", filterKinds);
  categorySelect.addEventListener("change", filterKinds);

  const mappingHint = h("p", { class: "muted", role: "status" });
  /** Mapping of the own table by kind. @type {Map<string, any>} */
  let fits = new Map();
  let isChosen = false;
  /** Drops the pictures of the last table. */
  let drawing = new AbortController();
  let drawCount = 0;
  const drawAll = () => {
    drawing.abort();
    drawing = new AbortController();
    drawCount += 1;
    drawKinds(kindList, ordered, readLook(), drawing.signal);
    showSelected();
  };
  /** Theme of new charts, if their organization has one. @type {string | null} */
  let theme = null;
  const readLook = () => ({ upload: fits.size ? table.getUpload() : null, theme });
  const selectKind = (/** @type {string} */ slug) => {
    searchInput.value = categorySelect.value = "";
    filterKinds();
    const option = options.find((candidate) => getInput(candidate).value === slug);
    if (!option) return;
    getInput(option).checked = isChosen = true;
    option.scrollIntoView({ block: "nearest" });
    getInput(option).focus({ preventScroll: true });
    showSelected();
  };
  const details = createKindDetails(kinds, selectKind);
  kindList.after(details.element);
  let shownPicture = "";
  /** Shows how the own table fits the selected kind, and the details of the kind. */
  const showSelected = () => {
    const selected = options.find((option) => getInput(option).checked);
    const slug = selected && getInput(selected).value;
    const fit = slug && fits.get(slug);
    mappingHint.textContent = fit ? describeMapping(fit) : "";
    const picture = `${slug} ${drawCount}`;
    if (!slug || picture === shownPicture) return;
    shownPicture = picture;
    details.show(kindBySlug.get(slug), (image) => showKind(image, slug, readLook(), drawing.signal));
  };
  /** Shows the kinds that suit the table first, and selects the best one unless the user chose a kind. */
  const orderByFit = (/** @type {any} */ analysis) => {
    fits = new Map((analysis?.kinds ?? []).map((/** @type {any} */ fit) => [fit.slug, fit]));
    const rank = [...fits.keys()];
    const place = (/** @type {HTMLElement} */ option) => (rank.length ? rank.indexOf(getInput(option).value) : options.indexOf(option));
    ordered = [...options].sort((first, second) => place(first) - place(second));
    for (const [index, option] of ordered.entries()) {
      option.classList.toggle("suggested", rank.length > 0 && index < SUGGESTED_KINDS);
      option.setAttribute("data-note", getText("dialogs.fitsData"));
      const fit = fits.get(getInput(option).value);
      option.title = fit ? getText("dialogs.kindFit", { kind: fit.title, reason: fit.reason }) : (kindBySlug.get(getInput(option).value)?.summary ?? "");
    }
    filterKinds();
    if (rank.length && !isChosen && searchInput.value === "") getInput(ordered[0]).checked = true;
    drawAll();
  };
  const table = createTableFields(orderByFit);

  const isExternal = "provider" in targetFolder;
  // The name of a file does not follow the title of its chart.
  const nameInput = h("input", { name: "title", type: "text", required: isExternal, maxlength: 200, autocomplete: "off" });
  const createChart = async (/** @type {HTMLFormElement} */ target) => {
    const slug = String(new FormData(target).get("widget"));
    const upload = table.getUpload();
    // A table that the server cannot read leaves no chart behind.
    if (upload) await post("/tables", upload.body, { type: upload.type, query: { sheet: upload.sheet } });
    const created = isExternal ? await createFile(targetFolder, slug, nameInput.value.trim(), upload) : await post("/create-document", { widget: slug, ...targetFolder }, { creates: true });
    if (upload && !isExternal) await saveTable(created, upload);
    location.assign(new URL(created.data.document_view, location.origin).pathname);
    // The dialog stays open until the next page loads.
    return new Promise(() => {});
  };
  const ownData = h("details", { class: "own-data", open: withData }, h("summary", null, getText("dialogs.ownData")), table.element);
  (withData ? top : bottom).replaceChildren(ownData, mappingHint);
  if (isExternal) top.prepend(createField(getText("common.name"), nameInput));
  // Words that were typed while the kinds loaded.
  if (searchInput.value) filterKinds();
  else if (firstKind) selectKind(firstKind);
  if (withData && [document.body, searchInput].includes(/** @type {any} */ (document.activeElement))) table.focus();
  kindList.addEventListener("change", () => {
    isChosen = true;
    showSelected();
  });
  form.addEventListener("input", () => showFieldErrors(form, null));
  const useTheme = (/** @type {string | null} */ found) => {
    theme = found;
    if (theme) drawAll();
  };
  findOwnTheme(targetFolder).then(useTheme, (error) => console.warn(error));
  return createChart;
}

/**
 * Creates a chart at a provider, with a table if there is one.
 * @param {{ provider: string, connection_id: string, folder_id: string }} target
 * @param {string} widget slug of the kind
 * @param {string} title of the chart, and name of its file
 * @param {import("./own-table.js").Upload | null} upload
 */
async function createFile({ provider, connection_id: connection, folder_id }, widget, title, upload) {
  // A table that the server cannot read leaves no file behind.
  const content = upload && (await loadTableContent({ plugin_id: widget, title }, upload.body, upload.type, { sheet: upload.sheet, fit_height: 1 }));
  const created = await post(encodePath`/cloud/${provider}/${connection}/documents`, { widget, title, folder_id }, { creates: true });
  if (content) await put(created.data.endpoint, { title, settings: content.settings, style: content.style, data: content.data });
  return created;
}

/**
 * Saves the table in a new chart. If the server refuses the table, deletes the chart and throws the
 * refusal, so that no stray chart stays behind.
 * @param {import("./api.js").ApiResponse<{ endpoint: string }>} created
 * @param {import("./own-table.js").Upload} upload
 */
async function saveTable({ data: { endpoint }, etag }, upload) {
  try {
    await put(`${endpoint}/data`, upload.body, { type: upload.type, query: { sheet: upload.sheet, fit_height: true }, ifMatch: etag });
  } catch (error) {
    // Only this page knows the new chart, so a 412 means that the table was saved, but the response was lost.
    if (error instanceof ApiError && error.isStale) return;
    await del(endpoint, { query: { expunge: 1 }, ifMatch: etag }).catch(() => {});
    throw error;
  }
}
