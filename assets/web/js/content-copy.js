// @ts-check
/** Copies the chart of the page, for changes that cannot be saved in it. */

import { encodePath, post } from "./api.js";
import { chart, doc, getDocumentPath, withShareToken } from "./chart.js";
import { getText } from "./texts.js";

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {import("./own-copy.js").NewDocument} NewDocument */

/**
 * Creates a document in the folder of the present one at its provider.
 * @param {Content} content
 * @param {string} title
 * @returns {Promise<NewDocument>}
 */
async function createFileBeside({ plugin_id: widget }, title) {
  const { provider, connection_id: connection, folder_id } = /** @type {Record<string, any>} */ (doc.peek());
  const { data, etag } = await post(encodePath`/cloud/${provider}/${connection}/documents`, { widget, title, folder_id }, { creates: true });
  return { urls: data, etag };
}

/** Copies the document of the page. @returns {Promise<NewDocument>} */
async function forkDocument() {
  const { data, etag } = await post(getDocumentPath(), { action: "fork" }, { query: withShareToken(), creates: true });
  return { urls: data.urls, etag };
}

/** A copy beside the chart of the page. @type {import("./own-copy.js").CopyTarget} */
export const COPY_OF_CHART = { create: chart.provider ? createFileBeside : forkDocument, label: getText("saving.saveMineAsCopy") };
