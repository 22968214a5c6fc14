// @ts-check
/** The client of the public interface: JSON in and out, errors as `ApiError`, entity tags. */

/** Where the interface begins. */
export const BASE = "/api/v1";

/** Pauses before the calls that repeat one that met no network, in milliseconds. */
const PAUSES = [300, 1200];

/** The longest `Retry-After` in seconds that is waited for unasked. */
const PATIENCE = 3;

/**
 * @typedef {object} Options
 * @property {Record<string, string | number | boolean | null | undefined>} [query] null and undefined are left out
 * @property {unknown} [body] sent as JSON; a Blob, FormData, URLSearchParams or string as it is
 * @property {string} [type] media type of a body that is a string
 * @property {string | null} [ifMatch] entity tag that the thing must still have, else 412
 * @property {string | null} [ifNoneMatch] entity tag of what one has: the answer is 304 without data
 * @property {boolean} [creates] a POST that may be repeated: the server does it once
 * @property {AbortSignal} [signal]
 * @property {boolean} [keepalive] lives on when the page is left
 */

/**
 * @template [T=any]
 * @typedef {object} Answer
 * @property {number} status
 * @property {T} data the JSON; text or null when the answer is none
 * @property {string | null} etag
 * @property {Headers} headers
 */

/** A call that failed. `status` is 0 when the server was not reached. */
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
    /** A few words, the same for all errors of a kind. */
    this.title = problem.title || "Something went wrong";
    /** What is wrong in this case. */
    this.detail = problem.detail || "";
    /** The word for programs, such as `not_found`. */
    this.code = problem.code || "";
    /** @type {{ field: string, message: string }[]} */
    this.fields = problem.errors || [];
    /** What the operator finds in the log. */
    this.requestId = problem.request_id || headers?.get("x-request-id") || "";
    /** Seconds to wait before the next try; null when the server did not say. */
    this.retryAfter = seconds(headers?.get("retry-after"));
    /** The whole answer: a 412 has `etag`, `updated` and `updated_by`. */
    this.problem = problem;
  }

  /** Whether the server was not reached. */
  get isOffline() {
    return this.status === 0;
  }

  /** Whether one has to sign in again. */
  get isSignedOut() {
    return this.status === 401;
  }

  /** Whether somebody else saved in the meantime. */
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
 * An address of the interface with its query. Segments are to be escaped by `path`.
 * @param {string} address below `BASE`, or a whole path of this server as answers carry it
 * @param {Options["query"]} [query]
 * @returns {string}
 */
export function url(address, query) {
  const { pathname, search } = new URL(address, location.origin);
  // Answers carry addresses with the configured host, which need not be the one in use.
  let text = pathname.startsWith(`${BASE}/`) ? pathname : BASE + pathname;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  if (params.size) text += `?${params}`;
  return text;
}

/**
 * A path with its values escaped: `` path`/users/${owner}/documents/${id}` ``.
 * @param {TemplateStringsArray} texts
 * @param {...(string | number)} values
 * @returns {string}
 */
export function path(texts, ...values) {
  return String.raw({ raw: texts }, ...values.map((it) => encodeURIComponent(it)));
}

/**
 * The address of a folder below `/users/{owner}/folders`: each segment escaped, the slashes kept.
 * @param {string} owner
 * @param {string} folder absolute path, `/` for the top
 * @returns {string}
 */
export function folderPath(owner, folder) {
  const inside = folder.split("/").filter(Boolean).map(encodeURIComponent).join("/");
  return path`/users/${owner}/folders` + (inside ? `/${inside}` : "");
}

/** A word that names a call, also where the page is not a secure context. */
function key() {
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
  if (options.creates) headers.set("Idempotency-Key", key());
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
 * Makes a call. One that does no harm twice is repeated when the network is lost.
 * @template [T=any]
 * @param {string} method
 * @param {string} address as `url` takes it
 * @param {Options} [options]
 * @returns {Promise<Answer<T>>}
 * @throws {ApiError} for every answer of 400 and above, and when the server was not reached
 */
export async function call(method, address, options = {}) {
  const to = url(address, options.query);
  const request = init(method, options);
  // With If-Match a second try would meet the tag that the first has made.
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
    // What a lost answer already deleted is gone.
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
 * @returns {Promise<Answer<T>>}
 */
export const get = (address, options) => call("GET", address, options);

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} [body]
 * @param {Options} [options]
 * @returns {Promise<Answer<T>>}
 */
export const post = (address, body, options) => call("POST", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} body
 * @param {Options} [options]
 * @returns {Promise<Answer<T>>}
 */
export const put = (address, body, options) => call("PUT", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {unknown} body
 * @param {Options} [options]
 * @returns {Promise<Answer<T>>}
 */
export const patch = (address, body, options) => call("PATCH", address, { ...options, body });

/**
 * @template [T=any]
 * @param {string} address
 * @param {Options} [options]
 * @returns {Promise<Answer<T>>}
 */
export const del = (address, options) => call("DELETE", address, options);
