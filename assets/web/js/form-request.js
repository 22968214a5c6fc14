// @ts-check
/** Requests that send a form of a page and read the page of the response. */

import { requestSignIn } from "./api.js";
import { getTextParts } from "./texts.js";
import { createSignInControl } from "./ui.js";

/**
 * Response to a form.
 * @typedef {object} FormResponse
 * @property {boolean} ok whether the server accepted the form
 * @property {boolean} isSignedOut whether the session has ended, so that the server did not read the form
 * @property {Document | null} page page of the response; null if the response is not a page
 * @property {string} reason error of a response that is not a page, otherwise empty
 */

/**
 * Sends a request with the address of a form. If the session has expired, waits for the sign-in dialog and repeats
 * the request once, because the server did not read the form.
 *
 * The request does not ask for HTML, because the server would answer a request without a session with
 * a redirect to the sign-in page, which has the status of a success.
 * @param {string} url
 * @param {RequestInit} options
 * @param {{ isBackground?: boolean }} [context] `isBackground`: the user did not cause the request, so it opens no
 *   sign-in dialog
 * @returns {Promise<FormResponse>}
 */
export async function sendForm(url, options, { isBackground = false } = {}) {
  const response = await sendOnce(url, options);
  if (!response.isSignedOut || isBackground || !(await requestSignIn())) return response;
  return sendOnce(url, options);
}

/** Sends the request, without a sign-in. @param {string} url @param {RequestInit} options @returns {Promise<FormResponse>} */
async function sendOnce(url, options) {
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
 * Returns a text that the session has ended, with a button that opens the sign-in dialog.
 * @param {string} key text with the place `{signIn}` and the next step after the sign-in
 * @param {() => void} [onSignedIn] runs after the sign-in
 * @returns {(string | Node)[]}
 */
export function describeSignOut(key, onSignedIn) {
  return getTextParts(key, { signIn: createSignInControl(onSignedIn) });
}
