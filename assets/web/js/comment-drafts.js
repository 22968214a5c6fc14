// @ts-check
/**
 * Texts of comments that are not sent yet. The browser keeps them for each account and chart until they are sent or
 * discarded, so that closing a panel or the page loses none. Drafts that are 30 days old and drafts of deleted comments are
 * removed. Sign-out removes all drafts.
 */

import { chart } from "./chart.js";
import { DRAFT_PREFIX, removeStoredDrafts } from "./comment-draft-store.js";
import { signal } from "./core.js";

/** @typedef {{ text: string, picked: [string, number][], position?: import("./threads.js").Position, base?: string, saved?: number }} CommentDraft `picked`: names and ids of mentioned people; `base`: the content that the draft changes; `saved`: time in milliseconds since 1970 */

/** Maximum age of a draft in milliseconds. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** Drafts that the browser does not store, because its storage is full or not permitted. @type {Map<string, string>} */
const unstored = new Map();
/** Requests that send drafts, by the name of the draft. @type {Map<string, Promise<unknown>>} */
const requests = new Map();
/** Number of times that another tab changed a draft, or that the sending of one began or ended. */
const changeCount = signal(0);

/** @param {string} name */
const buildKey = (name) => `${DRAFT_PREFIX}${chart.userId}:${chart.id}:${name}`;

/** Parses a stored draft. Returns null if it is none. @param {string | null | undefined} value @returns {CommentDraft | null} */
function parseDraft(value) {
  try {
    return JSON.parse(value ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name */
function readStoredDraft(name) {
  const key = buildKey(name);
  try {
    return parseDraft(unstored.get(key) ?? localStorage.getItem(key));
  } catch {
    return null;
  }
}

/**
 * Returns the draft of a form, or null. A draft that is being sent is not returned.
 * @param {string} name `new`, or `reply` or `edit` with the id of the thread or the comment
 * @returns {CommentDraft | null}
 */
export const readDraft = (name) => (requests.has(name) ? null : readStoredDraft(name));

/** Returns the draft of a form as `readDraft` does. The effect runs again after a change in another tab. @param {string} name */
export const watchDraft = (name) => (changeCount.value >= 0 ? readDraft(name) : null);

/** Keeps the draft of a form. A draft without text is removed. @param {string} name @param {CommentDraft} draft */
export function saveDraft(name, draft) {
  if (!draft.text.trim()) return removeDraft(name);
  const [key, value] = [buildKey(name), JSON.stringify({ ...draft, saved: Date.now() })];
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

/** Returns the request that sends a draft, or undefined. It never rejects. @param {string} name */
export const findRequest = (name) => requests.get(name);

/**
 * Sends a draft, and removes it afterwards unless its text has changed meanwhile.
 * @param {string} name
 * @param {string} text
 * @param {() => Promise<unknown>} send returns false if it has sent nothing
 * @returns {Promise<boolean>} whether the draft was sent
 */
export async function sendDraft(name, text, send) {
  const request = send();
  requests.set(name, request.catch(() => {}));
  changeCount.value += 1;
  try {
    const isSent = (await request) !== false;
    if (isSent && readStoredDraft(name)?.text === text) removeDraft(name);
    return isSent;
  } finally {
    requests.delete(name);
    changeCount.value += 1;
  }
}

/** Returns a text that differs if the content of a comment differs. @param {import("./threads.js").Part[]} content */
export const buildBase = (content) => JSON.stringify(content.map((part) => (part.type === "text" ? part.text : part.id)));

/** Removes old drafts of all charts, and follows changes of drafts in other tabs. */
export function startDrafts() {
  const oldest = Date.now() - MAX_AGE_MS;
  removeStoredDrafts((_key, value) => !((parseDraft(value)?.saved ?? 0) > oldest));
  window.addEventListener("storage", ({ key }) => {
    if (key?.startsWith(DRAFT_PREFIX)) changeCount.value += 1;
  });
}

/**
 * Removes the drafts for threads and comments that do not exist anymore, and returns them.
 * @param {import("./threads.js").Thread[]} threads
 * @returns {CommentDraft[]}
 */
export function takeDraftsOfDeleted(threads) {
  const names = threads.flatMap((thread) => [`reply:${thread.id}`, ...thread.comments.map((comment) => `edit:${comment.id}`)]);
  const kept = new Set(["new", ...names].map(buildKey));
  /** @type {CommentDraft[]} */
  const taken = [];
  removeStoredDrafts((key, value) => {
    const isDeleted = key.startsWith(buildKey("")) && !kept.has(key);
    const draft = isDeleted ? parseDraft(value) : null;
    if (draft) taken.push(draft);
    return isDeleted;
  });
  return taken;
}

/**
 * Calls back when another tab changes or removes a draft, until `isActive` is false.
 * @param {string} name
 * @param {() => boolean} isActive
 * @param {(before: CommentDraft | null, after: CommentDraft | null) => void} callback
 */
export function followDraft(name, isActive, callback) {
  const handleStorage = (/** @type {StorageEvent} */ event) => {
    if (!isActive()) window.removeEventListener("storage", handleStorage);
    else if (event.key === buildKey(name)) callback(parseDraft(event.oldValue), parseDraft(event.newValue));
  };
  window.addEventListener("storage", handleStorage);
}
