// @ts-check
/** Client of the public API: JSON requests and responses, errors as `ApiError`, entity tags. */

import { getText } from "./texts.js";

/** Path prefix of the API. */
export const API_BASE = "/api/v1";

/** Delays before the retries after a network failure, in milliseconds. */
const RETRY_DELAYS_MS = [300, 1200];

/** Maximum `Retry-After` in seconds for which a request is retried automatically. */
const MAX_RETRY_AFTER_SECONDS = 3;

/**
 * @typedef {object} Options
 * @property {Record<string, string | number | boolean | null | undefined>} [query] parameters; null and undefined are omitted
 * @property {unknown} [body] sent as JSON; a Blob, FormData or URLSearchParams is sent unchanged, and so is a string if `type` is set
 * @property {string} [type] media type of a body that is a string
 * @property {string | null} [ifMatch] expected entity tag; the server responds with 412 if the resource has another one
 * @property {string | null} [ifNoneMatch] entity tag of the cached response; the server responds with 304 without data if it still matches
 * @property {boolean} [creates] sends an idempotency key, so that a repeated POST takes effect once
 * @property {AbortSignal} [signal]
 * @property {boolean} [keepalive] the request continues after the page is closed
 * @property {boolean} [isForPageUser] the response must be for the user of the page, and not for somebody who has signed in with
 *   the same browser since; set for changes that the user causes
 * @property {boolean} [isBackground] the user did not cause the request, so a 401 opens no sign-in dialog
 */

/**
 * @template [T=any]
 * @typedef {object} ApiResponse
 * @property {number} status
 * @property {T} data the parsed JSON; the text of another media type; null without a body
 * @property {string | null} etag
 * @property {Headers} headers
 */

/** A failed request. `status` is 0 if the server could not be reached. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{ title?: string, detail?: string, code?: string, request_id?: string, errors?: { field: string, message: string }[] } & Record<string, any>} problem
   * @param {Headers} [headers]
   */
  constructor(status, problem, headers) {
    super(problem.detail || problem.title || getText("api.responded", { status }));
    this.name = "ApiError";
    this.status = status;
    /** Short title, the same for all errors with this code. */
    this.title = problem.title || getText("api.somethingWrong");
    /** Explanation of this error. */
    this.detail = problem.detail || "";
    /** Machine-readable code, such as `not_found`. */
    this.code = problem.code || "";
    /** @type {{ field: string, message: string }[]} */
    this.fields = problem.errors || [];
    /** Request id, by which the operator finds the request in the log. */
    this.requestId = problem.request_id || headers?.get("x-request-id") || "";
    /** Seconds to wait before the next attempt; null if the server did not send `Retry-After`. */
    this.retryAfter = parseSeconds(headers?.get("retry-after"));
    /** The complete problem document; that of a 412 has `etag`, `updated` and `updated_by`. */
    this.problem = problem;
  }

  /** Whether the server was not reached. */
  get isOffline() {
    return this.status === 0;
  }

  /** Whether the user has to sign in again. */
  get isSignedOut() {
    return this.status === 401;
  }

  /** Whether the resource, or the file at a provider, has changed since its entity tag was read. */
  get isStale() {
    return this.status === 412 || this.code === "revision_conflict";
  }
}

/** Parses a number of seconds. Returns null for other text. @param {string | null | undefined} text */
function parseSeconds(text) {
  const number = Number.parseInt(text ?? "", 10);
  return Number.isFinite(number) ? number : null;
}

/**
 * Returns the path of an API address with its query, without a host. The caller escapes path segments
 * with `encodePath`.
 * @param {string} address path below `API_BASE`, or an absolute address from a response
 * @param {Options["query"]} [query]
 * @returns {string}
 */
export function resolveApiUrl(address, query) {
  const { pathname, search } = new URL(address, location.origin);
  // Addresses in responses have the configured host, which can differ from the host of this page.
  let text = pathname.startsWith(`${API_BASE}/`) ? pathname : API_BASE + pathname;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  if (params.size) text += `?${params}`;
  return text;
}

/**
 * Builds a path and escapes its values: `` encodePath`/users/${owner}/documents/${id}` ``.
 * @param {TemplateStringsArray} texts
 * @param {...(string | number)} values
 * @returns {string}
 */
export function encodePath(texts, ...values) {
  return String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)));
}

/**
 * Returns the path of a folder below `/users/{owner}/folders`. Escapes each segment and keeps the slashes.
 * @param {string} owner
 * @param {string} folder absolute path, `/` for the root folder
 * @returns {string}
 */
export function encodeFolderPath(owner, folder) {
  const segments = folder.split("/").filter(Boolean).map(encodeURIComponent).join("/");
  return encodePath`/users/${owner}/folders` + (segments ? `/${segments}` : "");
}

/** Returns a random idempotency key. `crypto.randomUUID` exists in secure contexts only. */
function createIdempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the id of the user that the server rendered the page for; empty on pages without one. */
export const readPageUserId = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-user]"))?.dataset.user ?? "";

/**
 * Creates the options for `fetch`: headers, body and abort signal.
 * @param {string} method
 * @param {Options} options
 * @returns {RequestInit}
 */
function createRequest(method, options) {
  const headers = new Headers({ Accept: "application/json" });
  /** @type {BodyInit | undefined} */
  let body;
  const content = options.body;
  if (content instanceof Blob || content instanceof FormData || content instanceof URLSearchParams) {
    body = content;
  } else if (typeof content === "string" && options.type) {
    body = content;
  } else if (content !== undefined) {
    body = JSON.stringify(content);
    headers.set("Content-Type", "application/json");
  }
  if (options.type) headers.set("Content-Type", options.type);
  if (options.ifMatch) headers.set("If-Match", options.ifMatch);
  if (options.ifNoneMatch) headers.set("If-None-Match", options.ifNoneMatch);
  const isForPageUser = options.isForPageUser ?? (method !== "GET" && !options.isBackground);
  const pageUser = isForPageUser ? readPageUserId() : "";
  if (pageUser) headers.set("Chartroom-Page-User", pageUser);
  if (options.creates) headers.set("Idempotency-Key", createIdempotencyKey());
  const { signal, keepalive } = options;
  return { method, headers, body, signal, keepalive, credentials: "same-origin" };
}

/**
 * Waits. The promise rejects if the signal aborts in the meantime.
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function wait(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/**
 * Reads a body: parsed if it is JSON, otherwise as text. Returns null for 204, 304 and empty JSON.
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function readBody(response) {
  if (response.status === 204 || response.status === 304) return null;
  const type = response.headers.get("content-type") ?? "";
  if (type === "application/octet-stream") return response.blob();
  const text = await response.text();
  if (!/[/+]json\b/.test(type)) return text;
  return text ? JSON.parse(text) : null;
}

/**
 * Sends a request. Retries it after a network failure, or after a 503 with a short `Retry-After`, if a
 * repetition is safe. If the session of a signed-in page has expired, waits for the sign-in dialog and
 * repeats the request once, because the server did nothing for the first one.
 * @template [T=any]
 * @param {string} method
 * @param {string} address see `resolveApiUrl`
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 * @throws {ApiError} for every status of 400 and above, and if the server could not be reached
 */
export async function sendRequest(method, address, options = {}) {
  const target = resolveApiUrl(address, options.query);
  const request = createRequest(method, options);
  const previousSignIns = signInCount;
  try {
    return await sendWithRetries(target, request, options);
  } catch (error) {
    const mayAsk = error instanceof ApiError && error.isSignedOut && !options.isBackground && !options.keepalive;
    if (!mayAsk || !(signInCount > previousSignIns || (await requestSignIn()))) throw error;
    return sendWithRetries(target, request, options);
  }
}

/** Number of sign-ins in the dialog. A request that was sent before the last one is repeated without a dialog. */
let signInCount = 0;

/** @type {Promise<boolean> | null} Result of the open sign-in dialog, which all waiting requests share. */
let pendingSignIn = null;

/** Whether the server rendered the page for a signed-in user. */
export const isSignedInPage = () => document.getElementById("account") !== null;

/**
 * Opens the sign-in dialog over the page, unless it is open. Dispatches `signed-in` to the window after the sign-in.
 * @returns {Promise<boolean>} whether the user of the page is signed in again; false for the page of a guest
 */
export async function requestSignIn() {
  if (!isSignedInPage()) return false;
  pendingSignIn ??= import("./sign-in-dialog.js")
    .then((dialog) => dialog.askSignIn())
    .then((isSignedIn) => {
      if (isSignedIn) signInCount += 1;
      return isSignedIn;
    })
    .finally(() => (pendingSignIn = null));
  const isSignedIn = await pendingSignIn;
  if (isSignedIn) window.dispatchEvent(new Event("signed-in"));
  return isSignedIn;
}

/** Returns the entity tag of a response. Proxies that compress a response mark its tag as weak, and a weak one never matches in `If-Match`. @param {Headers} headers */
const readEntityTag = (headers) => headers.get("etag")?.replace(/^W\//, "") ?? null;

/**
 * Sends a request, with the retries that `sendRequest` describes.
 * @param {string} target
 * @param {RequestInit} request
 * @param {Options} options
 * @returns {Promise<ApiResponse>}
 * @throws {ApiError}
 */
async function sendWithRetries(target, request, options) {
  const { method } = request;
  // Requests with If-Match are not retried: if the first attempt succeeded, the second would fail
  // because the entity tag has changed.
  const isRetryable = method === "GET" || options.creates || (method !== "POST" && method !== "PATCH" && !options.ifMatch);
  for (let attempt = 0; ; attempt += 1) {
    let response;
    let data;
    try {
      response = await fetch(target, request);
      data = await readBody(response);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      if (!isRetryable || attempt >= RETRY_DELAYS_MS.length) throw createOfflineError();
      await wait(RETRY_DELAYS_MS[attempt], options.signal);
      continue;
    }
    const { status, headers, ok } = response;
    if (ok || status === 304) return { status, data, etag: readEntityTag(headers), headers };
    // A 404 after a retry is a success, because an earlier attempt deleted the resource.
    if (status === 404 && method === "DELETE" && attempt > 0) return { status: 204, data, etag: null, headers };
    const error = new ApiError(status, data && typeof data === "object" ? data : {}, headers);
    const delaySeconds = error.retryAfter ?? MAX_RETRY_AFTER_SECONDS + 1;
    if (status !== 503 || !isRetryable || attempt >= RETRY_DELAYS_MS.length || delaySeconds > MAX_RETRY_AFTER_SECONDS) throw error;
    await wait(delaySeconds * 1000, options.signal);
  }
}

function createOfflineError() {
  return new ApiError(0, { title: getText("api.noConnection"), detail: getText("api.unreachable") });
}

/**
 * @template [T=any]
 * @param {string} address
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const get = (address, options) => sendRequest("GET", address, options);

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} [body]
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const post = (address, body, options) => sendRequest("POST", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} body
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const put = (address, body, options) => sendRequest("PUT", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} body
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const patch = (address, body, options) => sendRequest("PATCH", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const del = (address, options) => sendRequest("DELETE", address, options);
