// @ts-check
/** API requests that share the chart. Each one reloads the document, so that the page shows current access entries. */

import { get, put, sendRequest } from "./api.js";
import { chart, doc, getDocumentPath, refreshDocument, withShareToken } from "./chart.js";

/** @typedef {import("./chart.js").Ace} Ace */

/** Returns the access entries of the loaded document. The server sends all of them to editors only. */
export const getAccessEntries = () => doc.value?.acl ?? [];

/** Whether an entry belongs to the chart, not to a parent folder. @param {Ace} ace */
export const isDirect = (ace) => ace.document === chart.id;

/** Returns the request fields that identify the document. */
const getDocumentFields = () => ({ owner: chart.owner, document: chart.id });

/**
 * Returns the request field that identifies the grantee of an entry.
 * @param {Ace} ace
 */
function getGranteeField(ace) {
  if (ace.type === "user") return { user_id: ace.user_id };
  if (ace.type === "team") return { team: ace.team };
  if (ace.type === "email") return { email: ace.email };
  return { link: ace.link };
}

/**
 * Sends a request about the document's access entries and reloads the document.
 * @param {string} method
 * @param {Record<string, unknown>} body
 * @returns {Promise<Ace>}
 */
async function sendShareRequest(method, body) {
  const { data } = await sendRequest(method, "/share", { body: { ...getDocumentFields(), ...body }, creates: method === "POST" });
  await refreshDocument();
  return data;
}

/**
 * Shares the chart with a person or a team.
 * @param {{ email?: string, user_id?: string, team?: string }} grantee
 * @param {"r" | "w"} mode
 */
export const grantAccess = (grantee, mode) => sendShareRequest("POST", { ...grantee, mode });

/**
 * Creates a share link.
 * @param {"r" | "w"} mode
 * @param {string | null} expires RFC 3339 time; null for no expiry
 */
export const createShareLink = (mode, expires) => sendShareRequest("POST", { mode, expires_at: expires });

/**
 * Changes an access entry.
 * @param {Ace} ace
 * @param {{ mode?: "r" | "w", expires_at?: string | null, rotate?: boolean }} changes
 */
export const updateAccess = (ace, changes) => sendShareRequest("PATCH", { ...getGranteeField(ace), ...changes });

/** Deletes an access entry. @param {Ace} ace */
export const revokeAccess = (ace) => sendShareRequest("DELETE", getGranteeField(ace));

/**
 * Makes the chart public or private. The API replaces documents as a whole, so the function reads the
 * document first and sends it back with `If-Match`.
 * @param {boolean} isPublic
 * @throws {Error} if the document does not have the wanted state afterwards
 */
export async function setPublic(isPublic) {
  const { data, etag } = await get(getDocumentPath(), { query: withShareToken() });
  // With `version` the server would restore that version, and with `owner` it would move the document.
  const { version, owner, ...fields } = data;
  await put(getDocumentPath(), { ...fields, isPublic }, { query: withShareToken(), ifMatch: etag });
  const updated = await refreshDocument();
  if (updated.isPublic !== isPublic) throw new Error("the server did not store the change");
}
