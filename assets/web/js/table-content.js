// @ts-check
/** The content that a document would have with a table. The server reads the table and stores nothing. */

import { post } from "./api.js";

/** Maximum number of present records that are sent, so that the server recognizes the sample of a chart kind. */
const MAX_SENT_RECORDS = 1000;

/** @typedef {Omit<import("./document-store.js").Content, "isPublic">} TableTarget */

/**
 * Maps a table to the columns of a chart kind.
 * @param {Partial<TableTarget> & { plugin_id: string }} target present content; settings and style of the chart kind if it has none
 * @param {string | Blob} body the table
 * @param {string} type its media type
 * @param {{ sheet?: string | null, fit_height?: number, signal?: AbortSignal }} [options] `sheet` is the name of a worksheet; with `fit_height` the height grows with the data
 * @returns {Promise<any>} the response of the API: title, settings, style and data, and how the table was read
 */
export async function loadTableContent(target, body, type, { signal, ...query } = {}) {
  const { plugin_id, title, settings, theme, custom_theme, style, data } = target;
  const sent = { plugin_id, title, settings, theme, custom_theme, style, data: data?.slice(0, MAX_SENT_RECORDS) };
  const form = new FormData();
  form.append("document", new Blob([JSON.stringify(sent)], { type: "application/json" }));
  form.append("table", new Blob([body], { type }));
  return (await post("/tables/document", form, { query, signal })).data;
}
