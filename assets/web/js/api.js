// @ts-check
/** Client of the public API: JSON requests and responses, errors as `ApiError`, entity tags. */

/** Path prefix of the API. */
export const BASE = "/api/v1";

/** Delays before the retries after a network failure, in milliseconds. */
const PAUSES = [300, 1200];

/** Maximum `Retry-After` in seconds for which a request is retried automatically. */
const PATIENCE = 3;

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
    super(problem.detail || problem.title || `The server answered ${status}.`);
    this.name = "ApiError";
    this.status = status;
    /** Short title, the same for all errors with this code. */
    this.title = problem.title || "Something went wrong";
    /** Explanation of this error. */
    this.detail = problem.detail || "";
    /** Machine-readable code, such as `not_found`. */
    this.code = problem.code || "";
    /** @type {{ field: string, message: string }[]} */
    this.fields = problem.errors || [];
    /** Request id, by which the operator finds the request in the log. */
    this.requestId = problem.request_id || headers?.get("x-request-id") || "";
    /** Seconds to wait before the next attempt; null if the server did not send `Retry-After`. */
    this.retryAfter = seconds(headers?.get("retry-after"));
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

  /** Whether the resource has changed since its entity tag was read. */
  get isStale() {
    return this.status === 412;
  }
}

/** @param {string | null | undefined} text */
function seconds(text) {
  const number = Number.parseInt(text ?? "", 10);
  return Number.isFinite(number) ? number : null;
}

/**
 * Returns an API address with its query. The caller escapes path segments with `path`.
 * @param {string} address path below `BASE`, or an absolute address from a response
 * @param {Options["query"]} [query]
 * @returns {string}
 */
export function url(address, query) {
  const { pathname, search } = new URL(address, location.origin);
  // Addresses in responses have the configured host, which can differ from the host of this page.
  let text = pathname.startsWith(`${BASE}/`) ? pathname : BASE + pathname;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  if (params.size) text += `?${params}`;
  return text;
}

/**
 * Builds a path and escapes its values: `` path`/users/${owner}/documents/${id}` ``.
 * @param {TemplateStringsArray} texts
 * @param {...(string | number)} values
 * @returns {string}
 */
export function path(texts, ...values) {
  return String.raw({ raw: texts }, ...values.map((it) => encodeURIComponent(it)));
}

/**
 * Returns the path of a folder below `/users/{owner}/folders`. It escapes each segment and keeps the slashes.
 * @param {string} owner
 * @param {string} folder absolute path, `/` for the root folder
 * @returns {string}
 */
export function folderPath(owner, folder) {
  const inside = folder.split("/").filter(Boolean).map(encodeURIComponent).join("/");
  return path`/users/${owner}/folders` + (inside ? `/${inside}` : "");
}

/** Returns a random idempotency key. `crypto.randomUUID` exists in secure contexts only. */
function idempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (it) => it.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} method
 * @param {Options} options
 * @returns {RequestInit}
 */
function init(method, options) {
  const headers = new Headers({ Accept: "application/json" });
  /** @type {BodyInit | undefined} */
  let body;
  const given = options.body;
  if (given instanceof Blob || given instanceof FormData || given instanceof URLSearchParams) {
    body = given;
  } else if (typeof given === "string" && options.type) {
    body = given;
  } else if (given !== undefined) {
    body = JSON.stringify(given);
    headers.set("Content-Type", "application/json");
  }
  if (options.type) headers.set("Content-Type", options.type);
  if (options.ifMatch) headers.set("If-Match", options.ifMatch);
  if (options.ifNoneMatch) headers.set("If-None-Match", options.ifNoneMatch);
  if (options.creates) headers.set("Idempotency-Key", idempotencyKey());
  const { signal, keepalive } = options;
  return { method, headers, body, signal, keepalive, credentials: "same-origin" };
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/**
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function read(response) {
  if (response.status === 204 || response.status === 304) return null;
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  if (!/[/+]json\b/.test(type)) return text;
  return text ? JSON.parse(text) : null;
}

/**
 * Sends a request. Retries it after a network failure if a repetition is safe.
 * @template [T=any]
 * @param {string} method
 * @param {string} address as `url` takes it
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 * @throws {ApiError} for every status of 400 and above, and if the server could not be reached
 */
export async function call(method, address, options = {}) {
  const to = url(address, options.query);
  const request = init(method, options);
  // Requests with If-Match are not retried: if the first attempt succeeded, the second would fail
  // because the entity tag has changed.
  const repeats = method === "GET" || options.creates || (method !== "POST" && method !== "PATCH" && !options.ifMatch);
  for (let attempt = 0; ; attempt += 1) {
    let response;
    let data;
    try {
      response = await fetch(to, request);
      data = await read(response);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      if (!repeats || attempt >= PAUSES.length) throw offline();
      await pause(PAUSES[attempt], options.signal);
      continue;
    }
    const { status, headers, ok } = response;
    if (ok || status === 304) return { status, data, etag: headers.get("etag"), headers };
    // A 404 after a retry is a success, because an earlier attempt deleted the resource.
    if (status === 404 && method === "DELETE" && attempt > 0) return { status: 204, data, etag: null, headers };
    const error = new ApiError(status, data && typeof data === "object" ? data : {}, headers);
    const wait = error.retryAfter ?? PATIENCE + 1;
    if (status !== 503 || !repeats || attempt >= PAUSES.length || wait > PATIENCE) throw error;
    await pause(wait * 1000, options.signal);
  }
}

function offline() {
  const title = "No connection";
  return new ApiError(0, { title, detail: "The server cannot be reached. Check the connection and try again." });
}

/**
 * @template [T=any]
 * @param {string} address
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const get = (address, options) => call("GET", address, options);

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} [body]
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const post = (address, body, options) => call("POST", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} body
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const put = (address, body, options) => call("PUT", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} body
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const patch = (address, body, options) => call("PATCH", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {Options} [options]
 * @returns {Promise<ApiResponse<T>>}
 */
export const del = (address, options) => call("DELETE", address, options);
