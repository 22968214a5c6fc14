// @ts-check
/** Comment threads of the chart: their state, and the API requests that change them. */

import { del, get, path, post, put } from "./api.js";
import { at, by, chart } from "./chart.js";
import { batch, computed, signal } from "./core.js";

/** @typedef {{ x: number, y: number }} Position in points of the image */
/** @typedef {{ type: "text", text: string } | { type: "user", id: number, name?: string, avatar_url?: string }} Part */
/** @typedef {{ id: string, thread_id: string, author_id: number, author_displayname: string, author_avatar_url: string, content: Part[], created: string, updated?: string }} Comment */
/** @typedef {{ id: string, author_id: number, created: string, position: Position, resolved?: boolean, comments: Comment[], number: number }} Thread */
/** @typedef {{ id: number, name: string, email?: string, avatar_url?: string }} Member */

/** All threads in the order of their creation. */
export const threads = signal(/** @type {Thread[]} */ ([]));
/** People who can be mentioned. */
export const members = signal(/** @type {Member[]} */ ([]));
/** Whether the threads are loaded. `fault` has the error if loading failed. */
export const loaded = signal(false);
export const fault = signal(/** @type {unknown} */ (null));

/** Id of the selected thread. */
export const selected = signal(/** @type {string | null} */ (null));
/** Position of the comment that is being written. */
export const draft = signal(/** @type {Position | null} */ (null));
/** Id of the thread with the pin that the arrow keys move. */
export const moving = signal(/** @type {string | null} */ (null));
/** Whether the next press on the image places a comment. */
export const placing = signal(false);
export const pinsHidden = signal(false);
export const showResolved = signal(false);

/** Visible threads. Resolved threads are visible if the option is on or the thread is selected. */
export const shown = computed(() => threads.value.filter((it) => !it.resolved || showResolved.value || it.id === selected.value));

/** Whether the user can delete all threads and comments: editors of an organization's document can. */
export const mayDelete = chart.writes && chart.ofOrganization;

/** @param {{ author_id: number }} it */
export const isMine = (it) => String(it.author_id) === chart.user;

/**
 * Returns a comment as plain text.
 * @param {Part[]} content
 */
export function plain(content) {
  return content.map((it) => (it.type === "text" ? it.text : `@${it.name ?? "somebody"}`)).join("");
}

/** @type {string | null} */
let etag = null;
let last = "";

/** Reloads the threads. */
export async function load() {
  try {
    const answer = await get(at("/comments"), { query: by(), ifNoneMatch: etag });
    if (answer.status === 304) return;
    etag = answer.etag;
    // Without an entity tag an unchanged response does not update the signals either.
    const text = JSON.stringify(answer.data);
    batch(() => {
      loaded.value = true;
      fault.value = null;
      if (text === last) return;
      last = text;
      members.value = answer.data.team_members ?? [];
      threads.value = answer.data.threads.map((/** @type {Thread} */ it, /** @type {number} */ index) => ({ ...it, number: index + 1 }));
    });
  } catch (error) {
    if (!loaded.peek()) fault.value = error;
    throw error;
  }
}

/** @param {string} thread @param {string} [comment] */
const below = (thread, comment) => at("/comments") + (comment ? path`/${thread}/${comment}` : path`/${thread}`);

/**
 * @param {Position} position
 * @param {Part[]} content
 * @returns {Promise<string>} the new thread's id
 */
export async function begin(position, content) {
  const { data } = await post(at("/comments"), { position, content }, { query: by(), creates: true });
  await load();
  return data.id;
}

/** @param {string} thread @param {Part[]} content */
export async function reply(thread, content) {
  await post(below(thread), { content }, { query: by(), creates: true });
  await load();
}

/** @param {Comment} comment @param {Part[]} content */
export async function change(comment, content) {
  await put(below(comment.thread_id, comment.id), { content }, { query: by() });
  await load();
}

/**
 * Moves the pin of a thread immediately and saves its position afterwards.
 * @param {string} thread @param {Position} position
 */
export async function move(thread, position) {
  const before = threads.peek();
  threads.value = before.map((it) => (it.id === thread ? { ...it, position } : it));
  try {
    await put(below(thread), { position }, { query: by() });
    last = "";
    await load();
  } catch (error) {
    threads.value = before;
    throw error;
  }
}

/** @param {string} thread @param {boolean} resolved */
export async function resolve(thread, resolved) {
  await put(below(thread), { resolved }, { query: by() });
  await load();
}

/** @param {string} thread @param {string} [comment] deletes the whole thread if omitted */
export async function remove(thread, comment) {
  await del(below(thread, comment), { query: by() });
  await load();
}
