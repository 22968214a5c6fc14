// @ts-check
/** The calls that share the chart. Each reads the document again, so that all that is shown is true. */

import { call, get, put } from "./api.js";
import { at, by, chart, doc, refresh } from "./chart.js";

/** @typedef {import("./chart.js").Ace} Ace */

/** Who may open the chart beside its owner, as last read; those who may change it see all. */
export const people = () => doc.value?.acl ?? [];

/** Whether an entry is the chart's own, not one of a folder above. @param {Ace} ace */
export const isHere = (ace) => ace.document === chart.id;

/** What a call about the chart says in any case. */
const what = () => ({ owner: chart.owner, document: chart.id });

/**
 * Whom an entry is for, as a call names it.
 * @param {Ace} ace
 */
function whom(ace) {
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
  const { data } = await call(method, "/share", { body: { ...what(), ...body }, creates: method === "POST" });
  await refresh();
  return data;
}

/**
 * Shares with somebody.
 * @param {{ email?: string, user_id?: string, team?: string }} who
 * @param {"r" | "w"} mode
 */
export const invite = (who, mode) => send("POST", { ...who, mode });

/**
 * Makes a link.
 * @param {"r" | "w"} mode
 * @param {string | null} expires
 */
export const link = (mode, expires) => send("POST", { mode, expires_at: expires });

/**
 * Changes an entry.
 * @param {Ace} ace
 * @param {{ mode?: "r" | "w", expires_at?: string | null, rotate?: boolean }} to
 */
export const vary = (ace, to) => send("PATCH", { ...whom(ace), ...to });

/** Ends an entry. @param {Ace} ace */
export const stop = (ace) => send("DELETE", whom(ace));

/**
 * Makes the chart public, or no more. The interface replaces documents as a whole: what is sent is
 * what was read a moment before, and only if nobody has changed it since.
 * @param {boolean} isPublic
 */
export async function setPublic(isPublic) {
  const { data, etag } = await get(at(), { query: by() });
  // A version would be all that is written, an owner would move it.
  const { version, owner, ...whole } = data;
  await put(at(), { ...whole, isPublic }, { query: by(), ifMatch: etag });
  const now = await refresh();
  if (now.isPublic !== isPublic) throw new Error("the document is not as it was sent");
}
