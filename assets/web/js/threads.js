// @ts-check
/** Comment threads of the chart: their state, and the API requests that change them. */

import { del, encodePath, get, post, put } from "./api.js";
import { chart, getDocumentPath, withShareToken } from "./chart.js";
import { batch, computed, signal } from "./core.js";
import { getText } from "./texts.js";

/** @typedef {{ x: number, y: number }} Position in points of the image */
/** @typedef {{ type: "text", text: string } | { type: "user", id: number, name?: string, avatar_url?: string }} Part */
/** @typedef {{ id: string, thread_id: string, author_id: number, author_displayname: string, author_avatar_url: string, content: Part[], created: string, updated?: string }} Comment */
/** @typedef {{ id: string, author_id: number, created: string, position: Position, resolved?: boolean, comments: Comment[], number: number }} Thread */
/** @typedef {{ id: number, name: string, email?: string, avatar_url?: string }} Member */

/** All threads in the order of their creation. */
export const threads = signal(/** @type {Thread[]} */ ([]));
/** People who can be mentioned. */
export const members = signal(/** @type {Member[]} */ ([]));
/** Whether the threads are loaded. */
export const isLoaded = signal(false);
/** Error of the first load; null if it succeeded or did not end yet. */
export const loadError = signal(/** @type {unknown} */ (null));

/** Id of the selected thread, or null. */
export const selectedThreadId = signal(/** @type {string | null} */ (null));
/** Position of the new comment that is being written; null if there is none. */
export const draftPosition = signal(/** @type {Position | null} */ (null));
/** Id of the thread with the pin that the arrow keys move, or null. */
export const movingThreadId = signal(/** @type {string | null} */ (null));
/** Whether the next press on the image places a comment. */
export const isPlacing = signal(false);
/** Whether the user has hidden the pins. */
export const arePinsHidden = signal(false);
/** Whether the list contains resolved threads. */
export const showsResolved = signal(false);

/** Visible threads. Resolved threads are visible if the option is on or the thread is selected. */
export const visibleThreads = computed(() => threads.value.filter((thread) => !thread.resolved || showsResolved.value || thread.id === selectedThreadId.value));

/** Whether the user can delete all threads and comments: editors of an organization's document can. */
export const mayDelete = chart.mayWrite && chart.isOwnedByOrganization;

/** Whether the user wrote a comment. @param {{ author_id: number }} comment */
export const isOwnComment = (comment) => String(comment.author_id) === chart.userId;

/**
 * Returns a comment as plain text.
 * @param {Part[]} content
 */
export function toPlainText(content) {
  return content.map((part) => (part.type === "text" ? part.text : `@${part.name ?? getText("comments-panel.somebody")}`)).join("");
}

/** @type {string | null} */
let etag = null;
/** JSON of the latest response, to recognize an unchanged one. */
let lastResponseText = "";

/**
 * Reloads the threads and the people who can be mentioned. Numbers the threads from 1. If the first load
 * fails, also sets `loadError`.
 */
export async function loadThreads() {
  try {
    const response = await get(getDocumentPath("/comments"), { query: withShareToken(), ifNoneMatch: etag, isBackground: true });
    if (response.status === 304) return;
    etag = response.etag;
    // Without an entity tag an unchanged response does not update the signals either.
    const text = JSON.stringify(response.data);
    batch(() => {
      isLoaded.value = true;
      loadError.value = null;
      if (text === lastResponseText) return;
      lastResponseText = text;
      members.value = response.data.team_members ?? [];
      threads.value = response.data.threads.map((/** @type {Thread} */ thread, /** @type {number} */ index) => ({ ...thread, number: index + 1 }));
    });
  } catch (error) {
    if (!isLoaded.peek()) loadError.value = error;
    throw error;
  }
}

/** @param {string} threadId @param {string} [commentId] */
const getThreadPath = (threadId, commentId) => getDocumentPath("/comments") + (commentId ? encodePath`/${threadId}/${commentId}` : encodePath`/${threadId}`);

/**
 * Creates a thread with its first comment.
 * @param {Position} position
 * @param {Part[]} content
 * @returns {Promise<string>} the new thread's id
 */
export async function createThread(position, content) {
  const { data } = await post(getDocumentPath("/comments"), { position, content }, { query: withShareToken(), creates: true });
  await loadThreads();
  return data.id;
}

/** @param {string} threadId @param {Part[]} content */
export async function addReply(threadId, content) {
  await post(getThreadPath(threadId), { content }, { query: withShareToken(), creates: true });
  await loadThreads();
}

/** @param {Comment} comment @param {Part[]} content */
export async function updateComment(comment, content) {
  await put(getThreadPath(comment.thread_id, comment.id), { content }, { query: withShareToken() });
  await loadThreads();
}

/**
 * Moves the pin of a thread immediately and saves its position afterwards. Moves it back if saving fails.
 * @param {string} threadId @param {Position} position
 */
export async function movePin(threadId, position) {
  const previousThreads = threads.peek();
  threads.value = previousThreads.map((item) => (item.id === threadId ? { ...item, position } : item));
  try {
    await put(getThreadPath(threadId), { position }, { query: withShareToken() });
    lastResponseText = "";
    await loadThreads();
  } catch (error) {
    threads.value = previousThreads;
    throw error;
  }
}

/** @param {string} threadId @param {boolean} resolved */
export async function setResolved(threadId, resolved) {
  await put(getThreadPath(threadId), { resolved }, { query: withShareToken() });
  await loadThreads();
}

/** @param {string} threadId @param {string} [commentId] deletes the whole thread if omitted @param {() => void} [onDeleted] called before the threads are reloaded */
export async function deleteComments(threadId, commentId, onDeleted = () => {}) {
  await del(getThreadPath(threadId, commentId), { query: withShareToken() });
  onDeleted();
  await loadThreads();
}
