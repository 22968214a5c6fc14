// @ts-check
/** The list of changes that a version made. */

import { ApiError, get } from "./api.js";
import { doc, getDocumentPath, withShareToken } from "./chart.js";
import { h, signal } from "./core.js";
import { INTERNAL_SETTINGS, formatDataValue } from "./label-format.js";
import { describePath, findColumnTitle, nameValue, parsePath } from "./path-labels.js";
import { getText } from "./texts.js";
import { describeError } from "./ui.js";

/** Maximum number of lines before "more" is pressed. */
const MAX_INITIAL_LINES = 8;

/** Maximum length of a formatted value in characters. Longer ones are cut. */
const MAX_VALUE_LENGTH = 60;

/** Formats a value: text in quotation marks, missing and empty values as “nothing”, others as JSON. @param {unknown} value */
function formatValue(value) {
  if (value === undefined || value === null || value === "") return getText("history.nothing");
  if (typeof value === "number") return formatDataValue(value);
  const text = typeof value === "string" ? getText("history.quoted", { text: value }) : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** @typedef {{ path: string, old?: unknown, new?: unknown }} FieldChange */

/** Formats the values of a change, for its text. @param {{ old?: unknown, new?: unknown }} change */
const formatValues = (change) => ({ old: formatValue(change.old), new: formatValue(change.new) });

/**
 * Describes the response of the diff API, one change per line.
 * @param {Record<string, any>} diff
 * @param {{ kind: any, settings: any }} document chart kind of the API and settings, for the names of fields
 * @returns {string[]}
 */
export function describeDiff(diff, document) {
  const list = (/** @type {"settings" | "style" | "custom_theme"} */ member) => {
    return (diff[member] ?? []).flatMap((/** @type {FieldChange} */ change) => {
      const keys = parsePath(change.path);
      if (member === "settings" && INTERNAL_SETTINGS.includes(String(keys[0]))) return [];
      const path = [...(member === "custom_theme" ? [] : [member]), ...keys];
      const format = (/** @type {unknown} */ value) => nameValue(path, value, document) ?? formatValue(value);
      return { path: describePath(path, document), old: format(change.old), new: format(change.new) };
    });
  };
  return [
    ...(diff.title ? [getText("history.titleChanged", formatValues(diff.title))] : []),
    ...(diff.plugin_id ? [getText("history.kindChanged")] : []),
    ...(diff.theme ? [getText("history.themeChanged", formatValues(diff.theme))] : []),
    ...(diff.isPublic ? [diff.isPublic.new ? getText("history.madePublic") : getText("history.madePrivate")] : []),
    ...list("settings").map((values) => getText("history.settingChanged", values)),
    ...list("style").map((values) => getText("history.styleChanged", values)),
    ...list("custom_theme").map((values) => getText("history.customThemeChanged", values)),
    ...describeRows(diff.rows, document),
    ...(diff.svg_changed ? [getText("history.imageChanged")] : []),
  ];
}

/** @typedef {{ type: "added" | "removed" | "changed", old_index: number | null, new_index: number | null, record?: Record<string, unknown>, cells: { column: string, old?: unknown, new?: unknown }[] }} RowChange */

/**
 * Describes an added or removed row by its number, counted from 1, and its first text.
 * @param {RowChange} row
 */
function describeRow(row) {
  const first = Object.values(row.record ?? {}).find((value) => typeof value === "string");
  const number = String((row.new_index ?? row.old_index ?? 0) + 1);
  if (!first) return row.type === "added" ? getText("history.rowAdded", { number }) : getText("history.rowRemoved", { number });
  const values = { number, name: formatValue(first) };
  return row.type === "added" ? getText("history.rowAddedNamed", values) : getText("history.rowRemovedNamed", values);
}

/**
 * Describes the changes of rows. If the server truncated the details, the last line has the totals.
 * @param {{ added: number, removed: number, changed: number, reordered: boolean, details: RowChange[], truncated: boolean }} changes
 * @param {{ kind: any, settings: any }} document
 */
function describeRows(changes, document) {
  const details = changes.details.flatMap((row) => {
    if (row.type !== "changed") return [describeRow(row)];
    const number = String((row.new_index ?? 0) + 1);
    return row.cells.map((cell) => getText("history.cellChanged", { number, column: findColumnTitle(document.kind, document.settings, cell.column), ...formatValues(cell) }));
  });
  const totals = { count: changes.changed, added: changes.added, removed: changes.removed };
  return [...details, ...(changes.reordered ? [getText("history.orderChanged")] : []), ...(changes.truncated ? [getText("history.rowTotals", totals)] : [])];
}

/** Builds the list of changes from the version before. Loads them from the server. @param {number} version */
export function buildVersionDiff(version) {
  const result = signal(/** @type {string[] | string | null} */ (null));
  const showsAll = signal(false);
  const load = async () => {
    try {
      const { plugin_id: kindId, settings } = /** @type {import("./chart.js").Doc} */ (doc.peek());
      const loads = [get(getDocumentPath(`/history/${version}/diff`), { query: withShareToken() }), get(`/widgets/${kindId}`).catch(() => ({ data: null }))];
      const [{ data }, { data: kind }] = await Promise.all(loads);
      const lines = describeDiff(data, { kind, settings });
      result.value = lines.length ? lines : getText("history.noChanges");
    } catch (error) {
      const isFirst = error instanceof ApiError && error.fields.some((fieldError) => fieldError.field === "against");
      result.value = isFirst ? getText("history.firstVersion") : describeError(error);
    }
  };
  load();
  return h("div", { class: "changes", role: "status" }, () => {
    const current = result.value;
    if (current === null) return h("p", { class: "muted" }, getText("history.comparing"));
    if (typeof current === "string") return h("p", { class: "muted" }, current);
    const list = h("ul", null, (showsAll.value ? current : current.slice(0, MAX_INITIAL_LINES)).map((line) => h("li", null, line)));
    const rest = current.length - MAX_INITIAL_LINES;
    return rest > 0 && !showsAll.value ? [list, h("button", { type: "button", class: "link", onclick: () => (showsAll.value = true) }, getText("history.more", { count: rest }))] : list;
  });
}
