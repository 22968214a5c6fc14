// @ts-check
/** API requests that share the chart. Each one reloads the document, so that the page shows current access entries. */

import { call, get, put } from "./api.js";
import { at, by, chart, doc, refresh } from "./chart.js";

/** @typedef {import("./chart.js").Ace} Ace */

/** Access entries of the loaded document. The server sends all of them to editors only. */
export const accessEntries = () => doc.value?.acl ?? [];

/** Whether an entry belongs to the chart, not to a parent folder. @param {Ace} ace */
export const isDirect = (ace) => ace.document === chart.id;

/** Request fields that identify the document. */
const documentFields = () => ({ owner: chart.owner, document: chart.id });

/**
 * Returns the request field that identifies the grantee of an entry.
 * @param {Ace} ace
 */
function granteeField(ace) {
  if (ace.type === "user") return { user_id: ace.user_id };
  if (ace.type === "team") return { team: ace.team };
  if (ace.type === "email") return { email: ace.email };
  return { link: ace.link };
}

/**
 * @param {string} method
 * @param {Record<string, unknown>} body
 * @returns {Promise<Ace>}
 */
async function send(method, body) {
  const { data } = await call(method, "/share", { body: { ...documentFields(), ...body }, creates: method === "POST" });
  await refresh();
  return data;
}

/**
 * Shares the chart with a person or a team.
 * @param {{ email?: string, user_id?: string, team?: string }} who
 * @param {"r" | "w"} mode
 */
export const invite = (who, mode) => send("POST", { ...who, mode });

/**
 * Creates a share link.
 * @param {"r" | "w"} mode
 * @param {string | null} expires
 */
export const createLink = (mode, expires) => send("POST", { mode, expires_at: expires });

/**
 * Changes an access entry.
 * @param {Ace} ace
 * @param {{ mode?: "r" | "w", expires_at?: string | null, rotate?: boolean }} to
 */
export const updateAccess = (ace, to) => send("PATCH", { ...granteeField(ace), ...to });

/** Deletes an access entry. @param {Ace} ace */
export const revokeAccess = (ace) => send("DELETE", granteeField(ace));

/**
 * Makes the chart public or private. The API replaces documents as a whole, so the function reads the
 * document first and sends it back with `If-Match`.
 * @param {boolean} isPublic
 */
export async function setPublic(isPublic) {
  const { data, etag } = await get(at(), { query: by() });
  // With `version` the server would restore that version, and with `owner` it would move the document.
  const { version, owner, ...whole } = data;
  await put(at(), { ...whole, isPublic }, { query: by(), ifMatch: etag });
  const now = await refresh();
  if (now.isPublic !== isPublic) throw new Error("the document is not as it was sent");
}
