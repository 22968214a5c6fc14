// @ts-check
/** Requests that send a form of a page and read the page of the response. */

import { h } from "./core.js";

/**
 * Response to a form.
 * @typedef {object} FormResponse
 * @property {boolean} ok whether the server accepted the form
 * @property {boolean} isSignedOut whether the session has ended, so that the server did not read the form
 * @property {Document | null} page page of the response; null if the response is not a page
 * @property {string} reason error of a response that is not a page, otherwise empty
 */

/**
 * Sends a request with the address of a form.
 *
 * The request does not ask for HTML, because the server would answer a request without a session with
 * a redirect to the sign-in page, which has the status of a success.
 * @param {string} url
 * @param {RequestInit} options
 * @returns {Promise<FormResponse>}
 */
export async function sendForm(url, options) {
  const response = await fetch(url, { ...options, headers: { Accept: "application/json" } });
  // The page behind a redirect is not needed, and browsers do not show its status.
  if (response.type === "opaqueredirect") return { ok: true, isSignedOut: false, page: null, reason: "" };
  const text = await response.text();
  const result = { ok: response.ok, isSignedOut: response.status === 401, page: null, reason: "" };
  if (response.headers.get("Content-Type")?.startsWith("text/html")) {
    return { ...result, page: new DOMParser().parseFromString(text, "text/html") };
  }
  return { ...result, ok: false, reason: readReason(text) };
}

/** Returns the sentence of an error of the API, or an empty text. @param {string} text @returns {string} */
function readReason(text) {
  try {
    const detail = String(JSON.parse(text).detail ?? "");
    return detail && `${detail[0].toUpperCase()}${detail.slice(1)}${detail.endsWith(".") ? "" : "."}`;
  } catch {
    return "";
  }
}

/**
 * Returns a text that the session has ended, with a link to the sign-in page in another tab.
 * @param {string} advice next step after the sign-in, such as "then save again"
 * @returns {Node[]}
 */
export function describeSignOut(advice) {
  return [
    document.createTextNode("You are signed out. "),
    h("a", { href: "/sign-in", target: "_blank", rel: "noopener" }, "Sign in in another tab"),
    document.createTextNode(`, ${advice}.`),
  ];
}
