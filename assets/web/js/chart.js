// @ts-check
/** The chart of the page: its data from the server, refreshed while the page is visible. */

import { ApiError, get } from "./api.js";
import { batch, signal } from "./core.js";
import { find } from "./ui.js";

/** Interval between two refreshes, in milliseconds. */
const REFRESH_INTERVAL = 5000;

const root = find("#chart");
const data = root.dataset;

/** Chart data that the server put into the page. */
export const chart = {
  id: data.doc ?? "",
  owner: data.owner ?? "",
  ownerName: data.ownerName ?? "",
  /** Path of the document in the API. */
  endpoint: data.endpoint ?? "",
  /** Account id of the signed-in user; empty for a guest. */
  user: data.user ?? "",
  writes: "writes" in data && !("trash" in data),
  inTrash: "trash" in data,
  /** Ids of organizations contain letters and digits, ids of users digits only. */
  ofOrganization: !/^\d+$/.test(data.owner ?? ""),
  /** Token of the share link that opened the page. */
  share: new URLSearchParams(location.search).get("share"),
};

/**
 * @typedef {object} Ace
 * @property {string} id
 * @property {"user" | "email" | "link" | "team"} type
 * @property {string} owner
 * @property {string} [document]
 * @property {string} [folder] set if the entry is inherited from this folder
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

/** The most recently loaded document. */
export const doc = signal(/** @type {Doc | null} */ (null));

/** State of the connection to the document: `live`, `offline`, `signed-out` or `gone`. */
export const state = signal("live");

/** Time of the last successful response, in milliseconds. */
export let heard = Date.now();

/** @type {string | null} */
let etag = null;

/** Entity tag of the loaded document, for `If-Match`. */
export const tag = () => etag;

/**
 * Returns an API path below the document.
 * @param {string} [suffix] such as `.svg` or `/history`
 */
export const at = (suffix = "") => chart.endpoint + suffix;

/**
 * Adds the token of the share link, if any, to a query.
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 */
export const by = (query = {}) => ({ ...query, share: chart.share });

/**
 * Returns an address below the document, with its query, for an attribute such as `src` or `href`.
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
 * Reloads the document if it has changed.
 * @returns {Promise<Doc>}
 */
export async function refresh() {
  try {
    const response = await get(at(), { query: by(), ifNoneMatch: etag });
    heard = Date.now();
    batch(() => {
      state.value = "live";
      if (response.status === 304) return;
      etag = response.etag;
      doc.value = response.data;
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

/**
 * Functions that run after each refresh of the document, such as loading its comments.
 * @type {Set<() => Promise<unknown>>}
 */
const companions = new Set();

/**
 * @param {() => Promise<unknown>} work
 * @returns {() => void} unregisters the function
 */
export function alongside(work) {
  companions.add(work);
  return () => companions.delete(work);
}

/** Refreshes the document regularly while the page is visible. */
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
      // The next round tries again. The page keeps its content.
      console.warn(error);
    }
    timer = window.setTimeout(round, REFRESH_INTERVAL);
  };
  document.addEventListener("visibilitychange", round);
  window.addEventListener("online", round);
  timer = window.setTimeout(round, REFRESH_INTERVAL);
}
