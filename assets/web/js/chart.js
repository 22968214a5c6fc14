// @ts-check
/** The chart of the page: what is known of it, kept up to date while somebody looks at it. */

import { ApiError, get } from "./api.js";
import { batch, signal } from "./core.js";
import { find } from "./ui.js";

/** How often the server is asked for changes, in milliseconds. */
const PACE = 5000;

const root = find("#chart");
const data = root.dataset;

/** What the server wrote into the page. */
export const chart = {
  id: data.doc ?? "",
  owner: data.owner ?? "",
  ownerName: data.ownerName ?? "",
  /** Path of the document in the interface. */
  endpoint: data.endpoint ?? "",
  /** Account id of who is signed in; empty for nobody. */
  user: data.user ?? "",
  writes: "writes" in data && !("trash" in data),
  inTrash: "trash" in data,
  /** Organizations have ids of letters and digits, people of digits. */
  ofOrganization: !/^\d+$/.test(data.owner ?? ""),
  /** The token of the share link by which the page was opened. */
  share: new URLSearchParams(location.search).get("share"),
};

/**
 * @typedef {object} Ace
 * @property {string} id
 * @property {"user" | "email" | "link" | "team"} type
 * @property {string} owner
 * @property {string} [document]
 * @property {string} [folder] when it comes from a folder above
 * @property {"r" | "w"} mode
 * @property {string} [user_id]
 * @property {string} [team]
 * @property {string} [name]
 * @property {string} [email]
 * @property {string} [avatar_url]
 * @property {string} [link]
 * @property {boolean} pending
 * @property {string} [expires_at]
 * @property {string} [last_used_at]
 */

/** @typedef {{ id: string, owner: string, folder: string, title: string, updated: string, updated_by: string, history_version: number, isPublic: boolean, mode: "r" | "w", acl: Ace[] } & Record<string, any>} Doc */

/** The document as it was last read. */
export const doc = signal(/** @type {Doc | null} */ (null));

/** Whether the page still follows the document: `live`, `offline`, `signed-out`, `gone`. */
export const state = signal("live");

/** When the server was last heard of, in milliseconds. */
export let heard = Date.now();

/** @type {string | null} */
let etag = null;

/** The entity tag of what was last read, for `If-Match`. */
export const tag = () => etag;

/**
 * An address below the document's, and the query that opens it.
 * @param {string} [suffix] such as `.svg` or `/history`
 */
export const at = (suffix = "") => chart.endpoint + suffix;

/**
 * A query with the share link's token, if there is one.
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 */
export const by = (query = {}) => ({ ...query, share: chart.share });

/**
 * The address of something below the document for an element of the page.
 * @param {string} suffix
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 */
export function address(suffix, query = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(by(query))) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  return at(suffix) + (params.size ? `?${params}` : "");
}

/**
 * Reads the document anew, unless it is as it was.
 * @returns {Promise<Doc>}
 */
export async function refresh() {
  try {
    const answer = await get(at(), { query: by(), ifNoneMatch: etag });
    heard = Date.now();
    batch(() => {
      state.value = "live";
      if (answer.status === 304) return;
      etag = answer.etag;
      doc.value = answer.data;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isOffline) state.value = "offline";
    else if (error.isSignedOut) state.value = "signed-out";
    else if (error.status === 404 || error.status === 403) state.value = "gone";
    if (state.peek() === "live" || !doc.peek()) throw error;
  }
  return /** @type {Doc} */ (doc.peek());
}

/** Work that is done at the same pace as the document is read, such as reading its comments. */
/** @type {Set<() => Promise<unknown>>} */
const companions = new Set();

/**
 * @param {() => Promise<unknown>} work
 * @returns {() => void} ends it
 */
export function alongside(work) {
  companions.add(work);
  return () => companions.delete(work);
}

/** Follows the document while the page can be seen. */
export function follow() {
  let timer = 0;
  const round = async () => {
    clearTimeout(timer);
    const ended = ["gone", "signed-out"].includes(state.peek());
    if (document.visibilityState !== "visible" || ended) return;
    try {
      await refresh();
      if (state.peek() === "live") await Promise.all([...companions].map((work) => work()));
    } catch (error) {
      // The next round tries again; what is on the page stays.
      console.warn(error);
    }
    timer = window.setTimeout(round, PACE);
  };
  document.addEventListener("visibilitychange", round);
  window.addEventListener("online", round);
  timer = window.setTimeout(round, PACE);
}
