// @ts-check
/** Describes the changes of a version in words. */

import { ApiError, get } from "./api.js";
import { at, by } from "./chart.js";
import { h, signal } from "./core.js";
import { errorText } from "./ui.js";

/** Number of lines before "more" is pressed. */
const SHOWN = 8;

/** Maximum length of a quoted text in characters. */
const LONGEST = 60;

/** @param {unknown} value */
function short(value) {
  if (value === undefined || value === null || value === "") return "nothing";
  const text = typeof value === "string" ? `“${value}”` : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Returns a path such as `/margin/top` as words. @param {string} path */
const named = (path) => path.split("/").slice(1).map((it) => it.replaceAll("~1", "/").replaceAll("~0", "~").replaceAll("_", " ")).join(" › ");

/**
 * @param {string} what
 * @param {{ old?: unknown, new?: unknown } | null | undefined} change
 */
const change = (what, change) => (change ? [`${what}: ${short(change.old)} → ${short(change.new)}`] : []);

/**
 * @param {Record<string, any>} diff
 * @returns {string[]}
 */
export function lines(diff) {
  const paths = (/** @type {string} */ group, /** @type {{ path: string, old?: unknown, new?: unknown }[]} */ list) =>
    (list ?? []).map((it) => `${group} ${named(it.path)}: ${short(it.old)} → ${short(it.new)}`);
  return [
    ...change("Title", diff.title),
    ...(diff.plugin_id ? ["Another chart kind"] : []),
    ...change("Theme", diff.theme),
    ...(diff.isPublic ? [diff.isPublic.new ? "Made public" : "Not public any more"] : []),
    ...paths("Setting", diff.settings),
    ...paths("Style", diff.style),
    ...paths("Own theme", diff.custom_theme),
    ...rows(diff.rows),
    ...(diff.svg_changed ? ["Another stored picture"] : []),
  ];
}

/** @typedef {{ type: "added" | "removed" | "changed", old_index: number | null, new_index: number | null, record?: Record<string, unknown>, cells: { column: string, old?: unknown, new?: unknown }[] }} RowChange */

/**
 * Names a row by its index and its first text.
 * @param {RowChange} row
 */
function which(row) {
  const first = Object.values(row.record ?? {}).find((it) => typeof it === "string");
  return `row ${(row.new_index ?? row.old_index ?? 0) + 1}${first ? ` (${short(first)})` : ""}`;
}

/** @param {{ added: number, removed: number, changed: number, reordered: boolean, details: RowChange[], truncated: boolean }} all */
function rows(all) {
  const told = all.details.flatMap((row) => {
    if (row.type !== "changed") return [`${row.type === "added" ? "Added" : "Removed"} ${which(row)}`];
    return row.cells.map((it) => `Row ${(row.new_index ?? 0) + 1}, ${it.column}: ${short(it.old)} → ${short(it.new)}`);
  });
  return [...told, ...(all.reordered ? ["Rows in another order"] : []), ...(all.truncated ? [`In all ${all.changed} rows changed, ${all.added} added, ${all.removed} removed`] : [])];
}

/** @param {number} version */
export function differences(version) {
  const state = signal(/** @type {string[] | string | null} */ (null));
  const all = signal(false);
  const load = async () => {
    try {
      const { data } = await get(at(`/history/${version}/diff`), { query: by() });
      const found = lines(data);
      state.value = found.length ? found : "Nothing but the save itself.";
    } catch (error) {
      const isFirst = error instanceof ApiError && error.fields.some((it) => it.field === "against");
      state.value = isFirst ? "The first version." : errorText(error);
    }
  };
  load();
  return h("div", { class: "changes", role: "status" }, () => {
    const now = state.value;
    if (now === null) return h("p", { class: "muted" }, "Comparing…");
    if (typeof now === "string") return h("p", { class: "muted" }, now);
    const list = h("ul", null, (all.value ? now : now.slice(0, SHOWN)).map((it) => h("li", null, it)));
    const rest = now.length - SHOWN;
    return rest > 0 && !all.value ? [list, h("button", { type: "button", class: "link", onclick: () => (all.value = true) }, `${rest} more`)] : list;
  });
}
