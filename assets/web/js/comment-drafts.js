// @ts-check
/**
 * Texts of comments that are not sent yet. The browser keeps them for each account and chart until they are sent or
 * discarded, so that closing a panel or the page loses none.
 */

import { chart } from "./chart.js";

/** @typedef {{ text: string, picked: [string, number][], position?: import("./threads.js").Position }} CommentDraft `picked`: names and ids of mentioned people */

/** Drafts that the browser does not store, because its storage is full or not permitted. @type {Map<string, string>} */
const unstored = new Map();

/** @param {string} name */
const buildKey = (name) => `comment-draft:${chart.userId}:${chart.id}:${name}`;

/**
 * Returns the draft of a form, or null.
 * @param {string} name `new`, or `reply` or `edit` with the id of the thread or the comment
 * @returns {CommentDraft | null}
 */
export function readDraft(name) {
  const key = buildKey(name);
  try {
    return JSON.parse(unstored.get(key) ?? localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** Keeps the draft of a form. A draft without text is removed. @param {string} name @param {CommentDraft} draft */
export function saveDraft(name, draft) {
  if (!draft.text.trim()) return removeDraft(name);
  const [key, value] = [buildKey(name), JSON.stringify(draft)];
  try {
    localStorage.setItem(key, value);
    unstored.delete(key);
  } catch {
    unstored.set(key, value);
  }
}

/** @param {string} name */
export function removeDraft(name) {
  const key = buildKey(name);
  unstored.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Without a permitted storage there is no stored draft.
  }
}
