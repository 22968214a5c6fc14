// @ts-check
/** Warnings about the image of a chart, and help for a chart without data. */

import { encodePath, get, post } from "./api.js";
import { effect, h, signal } from "./core.js";
import { joinNames } from "./label-format.js";
import { getText } from "./texts.js";
import { createButton, createIcon, describeError, runBusy, showToast } from "./ui.js";

/** @template T @typedef {import("./core.js").Signal<T>} Signal */

/** Response header with the warnings, a JSON array of texts. */
const WARNINGS_HEADER = "X-Chart-Warnings";

/** Beginning of the warning about a chart that draws no record, which the server translates. */
const NO_DATA_WARNING = getText("chart-page.noDataWarning");

/** Number of warnings that are visible before the others are requested. */
const MAX_VISIBLE_WARNINGS = 3;

/** Number of chart kinds that the help offers. */
const MAX_OFFERED_KINDS = 3;

/** Minimum score of an offered kind, from 0 to 1. */
const MIN_SCORE = 0.3;

/**
 * A chart kind with its mapping of a table, as `POST /tables` returns it.
 * @typedef {{ id: string, slug: string, title: string, score: number, reason: string, mapping: { column: string, key: string }[], missing: { key: string, title: string }[] }} KindScore
 */

/**
 * Response of `POST /tables`.
 * @typedef {{ columns: { heading: string, type: string }[], kinds: KindScore[] }} TableAnalysis
 */

/** A chart kind of the portfolio. @typedef {{ id: string, title: string, data_columns: { key: string, title: string, type: string, required: boolean }[] }} Kind */

/** Returns the warnings of an image response. @param {Headers} headers @returns {string[]} */
export function parseWarnings(headers) {
  try {
    return JSON.parse(headers.get(WARNINGS_HEADER) ?? "[]");
  } catch {
    return [];
  }
}

/** Returns a warning without the setting of the API that it recommends, such as (`axis.scale`: "log"). @param {string} text */
const removeApiNames = (text) => text.replace(/ \(`[\w.]+`: "[^"]*"\)/g, "");

/** Whether the warnings say that the chart draws no record. @param {string[]} warnings */
export const hasNoData = (warnings) => warnings.some((text) => text.startsWith(NO_DATA_WARNING));

/**
 * Creates the list of warnings, which follows the signal. It is hidden without warnings, and shows the
 * first ones until the user requests all.
 * @param {Signal<string[]>} warnings
 * @returns {HTMLElement}
 */
export function createWarningsList(warnings) {
  const showsAll = signal(false);
  const isLong = () => warnings.value.length > MAX_VISIBLE_WARNINGS;
  const list = h("ul", null, () => warnings.value.slice(0, showsAll.value ? undefined : MAX_VISIBLE_WARNINGS).map((text) => h("li", null, removeApiNames(text))));
  const moreButton = h("button", { type: "button", class: "link", hidden: () => !isLong(), "aria-expanded": () => showsAll.value, onclick: () => (showsAll.value = !showsAll.peek()) }, () =>
    showsAll.value ? getText("editor.warningsLess") : getText("editor.warningsAll", { count: warnings.value.length }),
  );
  return h("section", { class: "chart-warnings", "aria-label": getText("editor.warnings"), hidden: () => warnings.value.length === 0 }, createIcon("warn"), h("div", { role: "status" }, list, moreButton));
}

/**
 * Returns the first required column of numbers that gets a column without numbers.
 * @param {Kind} kind
 * @param {TableAnalysis} analysis
 * @param {KindScore} score mapping of the records to the kind
 */
function findUnusableColumn(kind, analysis, score) {
  const hasNumbers = (/** @type {string} */ key) => {
    const heading = score.mapping.find((entry) => entry.key === key)?.column;
    return analysis.columns.some((column) => column.heading === heading && column.type === "number");
  };
  return kind.data_columns.find((column) => column.required && column.type === "number" && !hasNumbers(column.key));
}

/**
 * Returns the kinds that can draw the records, best first.
 * @param {string} currentId
 * @param {TableAnalysis} analysis
 * @returns {Promise<KindScore[]>}
 */
async function findFittingKinds(currentId, analysis) {
  const complete = analysis.kinds.filter((score) => score.id !== currentId && score.missing.length === 0 && score.score >= MIN_SCORE);
  const candidates = complete.slice(0, MAX_OFFERED_KINDS * 3);
  const kinds = await Promise.all(candidates.map((score) => get(encodePath`/portfolio/widgets/${score.id}`)));
  return candidates.filter((score, index) => !findUnusableColumn(kinds[index].data, analysis, score)).slice(0, MAX_OFFERED_KINDS);
}

/**
 * Describes the missing data of a chart kind in one or two sentences.
 * @param {Kind} kind
 * @param {TableAnalysis | null} analysis null without records
 * @returns {string}
 */
function describeMissingData(kind, analysis) {
  const required = kind.data_columns.filter((column) => column.required);
  const need = required.length ? getText("editor.kindNeeds", { kind: kind.title, columns: joinNames(required.map((column) => column.title)) }) : "";
  return `${describeProblem(kind, analysis)} ${need}`.trim();
}

/** Describes the problem of the records in one sentence. @param {Kind} kind @param {TableAnalysis | null} analysis null without records */
function describeProblem(kind, analysis) {
  if (!analysis) return getText("editor.noRecords");
  const score = analysis.kinds.find((candidate) => candidate.id === kind.id);
  const missing = score?.missing.map((column) => column.title) ?? [];
  if (missing.length) return getText("editor.missingColumns", { columns: joinNames(missing) });
  const unusable = score && findUnusableColumn(kind, analysis, score);
  return unusable ? getText("editor.columnWithoutNumbers", { column: unusable.title }) : getText("editor.unusableValues");
}

/**
 * Creates the help for a chart without data: a text about what is missing, and chart kinds that can draw
 * the records. It is empty until it is loaded, and while `isShown` is false.
 * @param {() => boolean} isShown reads signals
 * @param {() => { plugin_id: string, data: any[] }} getDocument
 * @param {(kind: KindScore) => Promise<unknown>} changeKind changes the kind of the chart
 * @returns {HTMLElement}
 */
export function createNoDataHelp(isShown, getDocument, changeKind) {
  const container = h("section", { class: "no-data-help", "aria-label": getText("editor.missingData"), hidden: true });
  let latestLoad = 0;
  effect(() => {
    const load = (latestLoad += 1);
    container.hidden = true;
    if (!isShown()) return;
    buildHelp(getDocument(), changeKind).then(
      (children) => {
        if (load !== latestLoad) return;
        container.replaceChildren(...children);
        container.hidden = false;
      },
      (error) => showToast(describeError(error), { isError: true }),
    );
  });
  return container;
}

/**
 * Builds the content of the help.
 * @param {{ plugin_id: string, data: any[] }} doc
 * @param {(kind: KindScore) => Promise<unknown>} changeKind
 * @returns {Promise<HTMLElement[]>}
 */
async function buildHelp(doc, changeKind) {
  const { data: kind } = await get(encodePath`/portfolio/widgets/${doc.plugin_id}`);
  /** @type {TableAnalysis | null} */
  const analysis = doc.data.length ? (await post("/tables", doc.data)).data : null;
  const text = h("p", null, describeMissingData(kind, analysis));
  const fitting = analysis ? await findFittingKinds(kind.id, analysis) : [];
  if (!fitting.length) return [text];
  const useKind = (/** @type {KindScore} */ score, /** @type {HTMLButtonElement} */ button) => runBusy(button, () => changeKind(score)).catch((error) => showToast(describeError(error), { isError: true }));
  const buttons = fitting.map((score) => {
    const button = createButton(score.title, { title: score.reason, onclick: () => useKind(score, button) });
    return button;
  });
  return [text, h("p", { class: "muted" }, getText("editor.fittingKinds")), h("div", { class: "row" }, buttons)];
}
