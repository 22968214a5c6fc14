// @ts-check
/** The chart of the page: its data from the server, refreshed while the page is visible. */

import { ApiError, get } from "./api.js";
import { batch, computed, signal } from "./core.js";
import { findElement } from "./ui.js";

/** Interval between two refreshes. */
const REFRESH_INTERVAL_MS = 5000;
/** Interval between two refreshes of the document while the server announces its changes, or if it is at a provider. */
const LONG_REFRESH_INTERVAL_MS = 60_000;

const root = findElement("#chart");
const data = root.dataset;

/** Chart data that the server put into the page. */
export const chart = {
  id: data.doc ?? "",
  owner: data.owner ?? "",
  ownerName: data.ownerName ?? "",
  /** Path of the document in the API. */
  endpoint: data.endpoint ?? "",
  /** Account id of the signed-in user; empty for a guest. */
  userId: data.user ?? "",
  /** Whether the user may change the document. */
  mayWrite: "writes" in data && !("trash" in data),
  isInTrash: "trash" in data,
  /** Name of the provider that keeps the document; empty for a document of this server. */
  provider: data.provider ?? "",
  /** Ids of organizations contain letters and digits, ids of users digits only. */
  isOwnedByOrganization: !/^\d+$/.test(data.owner ?? ""),
  /** Token of the share link that opened the page; null without one. */
  shareToken: new URLSearchParams(location.search).get("share"),
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

/** @typedef {{ id: string, owner: string, folder: string, title: string, updated: string, updated_by: string, history_version: number, isPublic: boolean, mode: "r" | "w", acl: Ace[], sync?: import("./sync-state.js").SyncState } & Record<string, any>} Doc */

/** The most recently loaded document. */
export const doc = signal(/** @type {Doc | null} */ (null));

/** Whether a source keeps the data up to date, so that the page shows them as read-only. */
export const isSynced = computed(() => Boolean(doc.value?.sync));

/** State of the connection to the document: `live`, `offline`, `signed-out` or `gone`. */
export const connectionState = signal("live");

let lastResponseTime = Date.now();

/** Returns the time of the last successful response, in milliseconds. */
export const readLastResponseTime = () => lastResponseTime;

/** Time of the server at its last response, in milliseconds; 0 if it is not known. */
let serverTime = 0;

/** Returns the time of the server at its last response, in milliseconds, or 0. */
export const readServerTime = () => serverTime;

/** @type {string | null} */
let etag = null;

/** Returns the entity tag of the loaded document, for `If-Match`. */
export const getEntityTag = () => etag;

/**
 * Sets the document after this page has saved it, so that it need not be loaded again.
 * @param {Record<string, any>} saved
 * @param {string | null} tag entity tag of the saved document
 */
export function setSavedDocument(saved, tag) {
  etag = tag;
  doc.value = /** @type {Doc} */ (saved);
}

/**
 * Returns the API path of the document, or one below it.
 * @param {string} [suffix] such as `.svg` or `/history`
 */
export const getDocumentPath = (suffix = "") => chart.endpoint + suffix;

/**
 * Adds the token of the share link, if any, to a query.
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 */
export const withShareToken = (query = {}) => ({ ...query, share: chart.shareToken });

/**
 * Returns an address below the document, with its query, for an attribute such as `src` or `href`.
 * @param {string} suffix
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 */
export function buildDocumentUrl(suffix, query = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(withShareToken(query))) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  return getDocumentPath(suffix) + (params.size ? `?${params}` : "");
}

/**
 * Reloads the document if it has changed. If the server cannot be reached or denies access, sets
 * `connectionState` and returns the document loaded before.
 * @returns {Promise<Doc>}
 * @throws {ApiError} for other errors while `connectionState` is `live`, and if no document is loaded
 */
export async function refreshDocument() {
  try {
    const response = await get(getDocumentPath(), { query: withShareToken(), ifNoneMatch: etag, isBackground: true, isForPageUser: true });
    lastResponseTime = Date.now();
    serverTime = Date.parse(response.headers.get("date") ?? "") || 0;
    batch(() => {
      connectionState.value = "live";
      if (response.status === 304) return;
      etag = response.etag;
      doc.value = response.data;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isOffline) connectionState.value = "offline";
    else if (error.isSignedOut) connectionState.value = "signed-out";
    else if (error.status === 404 || error.status === 403) connectionState.value = "gone";
    if (connectionState.peek() === "live" || !doc.peek()) throw error;
  }
  return /** @type {Doc} */ (doc.peek());
}

/**
 * Functions that run after each regular refresh, such as loading the comments.
 * @type {Set<() => Promise<unknown>>}
 */
const refreshTasks = new Set();

/**
 * Registers a function that runs after each regular refresh.
 * @param {() => Promise<unknown>} task
 * @returns {() => void} unregisters the function
 */
export function registerRefreshTask(task) {
  refreshTasks.add(task);
  return () => refreshTasks.delete(task);
}

/** Whether the server announces changes of the document at the moment. */
let isPushed = false;

/**
 * Sets whether the server announces changes of the document, so that it need not be loaded regularly. Some changes,
 * such as those of its shares, are not announced.
 * @param {boolean} next
 */
export function setPushed(next) {
  isPushed = next;
}

/** Refreshes the document regularly while the page is visible, until it is gone or the user is signed out. */
export function startPolling() {
  let timer = 0;
  const poll = async () => {
    clearTimeout(timer);
    const isEnded = ["gone", "signed-out"].includes(connectionState.peek());
    if (document.visibilityState !== "visible" || isEnded) return;
    try {
      const isRare = isPushed || chart.provider !== "";
      if (!isRare || Date.now() - lastResponseTime >= LONG_REFRESH_INTERVAL_MS) await refreshDocument();
      if (connectionState.peek() === "live") await Promise.all([...refreshTasks].map((task) => task()));
    } catch (error) {
      // The next refresh tries again. The page keeps its content.
      console.warn(error);
    }
    timer = window.setTimeout(poll, REFRESH_INTERVAL_MS);
  };
  document.addEventListener("visibilitychange", poll);
  window.addEventListener("online", poll);
  for (const type of ["signed-in", "connection-returned"]) {
    window.addEventListener(type, () => {
      connectionState.value = "live";
      poll();
    });
  }
  timer = window.setTimeout(poll, REFRESH_INTERVAL_MS);
}
