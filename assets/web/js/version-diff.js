// @ts-check
/** The list of changes that a version made. */

import { ApiError, get } from "./api.js";
import { getDocumentPath, withShareToken } from "./chart.js";
import { h, signal } from "./core.js";
import { describeError } from "./ui.js";

/** Maximum number of lines before "more" is pressed. */
const MAX_INITIAL_LINES = 8;

/** Maximum length of a formatted value in characters. Longer ones are cut. */
const MAX_VALUE_LENGTH = 60;

/** Formats a value: text in quotation marks, missing and empty values as “nothing”, others as JSON. @param {unknown} value */
function formatValue(value) {
  if (value === undefined || value === null || value === "") return "nothing";
  const text = typeof value === "string" ? `“${value}”` : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** Formats a JSON pointer such as `/margin/top` as “margin › top”. @param {string} path */
const formatPath = (path) => path.split("/").slice(1).map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~").replaceAll("_", " ")).join(" › ");

/**
 * Describes the change of one field. Returns an empty array if there is none.
 * @param {string} label
 * @param {{ old?: unknown, new?: unknown } | null | undefined} change
 */
const describeChange = (label, change) => (change ? [`${label}: ${formatValue(change.old)} → ${formatValue(change.new)}`] : []);

/**
 * Describes the response of the diff API, one change per line.
 * @param {Record<string, any>} diff
 * @returns {string[]}
 */
export function describeDiff(diff) {
  const describePaths = (/** @type {string} */ group, /** @type {{ path: string, old?: unknown, new?: unknown }[]} */ changes) =>
    (changes ?? []).map((change) => `${group} ${formatPath(change.path)}: ${formatValue(change.old)} → ${formatValue(change.new)}`);
  return [
    ...describeChange("Title", diff.title),
    ...(diff.plugin_id ? ["Chart kind changed"] : []),
    ...describeChange("Theme", diff.theme),
    ...(diff.isPublic ? [diff.isPublic.new ? "Made public" : "Not public anymore"] : []),
    ...describePaths("Setting", diff.settings),
    ...describePaths("Style", diff.style),
    ...describePaths("Custom theme", diff.custom_theme),
    ...describeRows(diff.rows),
    ...(diff.svg_changed ? ["Stored image changed"] : []),
  ];
}

/** @typedef {{ type: "added" | "removed" | "changed", old_index: number | null, new_index: number | null, record?: Record<string, unknown>, cells: { column: string, old?: unknown, new?: unknown }[] }} RowChange */

/**
 * Formats a row as its number, counted from 1, and its first text.
 * @param {RowChange} row
 */
function formatRow(row) {
  const first = Object.values(row.record ?? {}).find((value) => typeof value === "string");
  return `row ${(row.new_index ?? row.old_index ?? 0) + 1}${first ? ` (${formatValue(first)})` : ""}`;
}

/**
 * Describes the changes of rows. If the server truncated the details, the last line has the totals.
 * @param {{ added: number, removed: number, changed: number, reordered: boolean, details: RowChange[], truncated: boolean }} changes
 */
function describeRows(changes) {
  const details = changes.details.flatMap((row) => {
    if (row.type !== "changed") return [`${row.type === "added" ? "Added" : "Removed"} ${formatRow(row)}`];
    return row.cells.map((cell) => `Row ${(row.new_index ?? 0) + 1}, ${cell.column}: ${formatValue(cell.old)} → ${formatValue(cell.new)}`);
  });
  return [...details, ...(changes.reordered ? ["Row order changed"] : []), ...(changes.truncated ? [`In total ${changes.changed} rows changed, ${changes.added} added, ${changes.removed} removed`] : [])];
}

/** Builds the list of changes from the version before. Loads them from the server. @param {number} version */
export function buildVersionDiff(version) {
  const result = signal(/** @type {string[] | string | null} */ (null));
  const showsAll = signal(false);
  const load = async () => {
    try {
      const { data } = await get(getDocumentPath(`/history/${version}/diff`), { query: withShareToken() });
      const lines = describeDiff(data);
      result.value = lines.length ? lines : "No changes.";
    } catch (error) {
      const isFirst = error instanceof ApiError && error.fields.some((fieldError) => fieldError.field === "against");
      result.value = isFirst ? "The first version." : describeError(error);
    }
  };
  load();
  return h("div", { class: "changes", role: "status" }, () => {
    const current = result.value;
    if (current === null) return h("p", { class: "muted" }, "Comparing…");
    if (typeof current === "string") return h("p", { class: "muted" }, current);
    const list = h("ul", null, (showsAll.value ? current : current.slice(0, MAX_INITIAL_LINES)).map((line) => h("li", null, line)));
    const rest = current.length - MAX_INITIAL_LINES;
    return rest > 0 && !showsAll.value ? [list, h("button", { type: "button", class: "link", onclick: () => (showsAll.value = true) }, `${rest} more`)] : list;
  });
}
