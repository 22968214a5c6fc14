// @ts-check
/** The comments of the chart: what was said where, and the calls that say more. */

import { del, get, path, post, put } from "./api.js";
import { at, by, chart } from "./chart.js";
import { batch, computed, signal } from "./core.js";

/** @typedef {{ x: number, y: number }} Position in points of the picture */
/** @typedef {{ type: "text", text: string } | { type: "user", id: number, name?: string, avatar_url?: string }} Part */
/** @typedef {{ id: string, thread_id: string, author_id: number, author_displayname: string, author_avatar_url: string, content: Part[], created: string, updated?: string }} Comment */
/** @typedef {{ id: string, author_id: number, created: string, position: Position, resolved?: boolean, comments: Comment[], number: number }} Thread */
/** @typedef {{ id: number, name: string, email?: string, avatar_url?: string }} Member */

/** All threads in the order in which they were begun. */
export const threads = signal(/** @type {Thread[]} */ ([]));
/** Who can be mentioned. */
export const members = signal(/** @type {Member[]} */ ([]));
/** Whether the threads were read; else what stood against it. */
export const loaded = signal(false);
export const fault = signal(/** @type {unknown} */ (null));

/** Id of the thread that is looked at. */
export const selected = signal(/** @type {string | null} */ (null));
/** Where a new comment shall stand. */
export const draft = signal(/** @type {Position | null} */ (null));
/** Id of the thread whose pin the arrow keys move. */
export const moving = signal(/** @type {string | null} */ (null));
/** Whether the next press on the picture places a comment. */
export const placing = signal(false);
export const pinsHidden = signal(false);
export const showResolved = signal(false);

/** The threads that are shown: resolved ones only on wish, or while one is looked at. */
export const shown = computed(() => threads.value.filter((it) => !it.resolved || showResolved.value || it.id === selected.value));

/** Whether threads can be deleted here: by who may change the document of an organization. */
export const mayDelete = chart.writes && chart.ofOrganization;

/** @param {{ author_id: number }} it */
export const isMine = (it) => String(it.author_id) === chart.user;

/**
 * What a comment says as plain text.
 * @param {Part[]} content
 */
export function plain(content) {
  return content.map((it) => (it.type === "text" ? it.text : `@${it.name ?? "somebody"}`)).join("");
}

/** @type {string | null} */
let etag = null;
let last = "";

/** Reads the threads anew. */
export async function load() {
  try {
    const answer = await get(at("/comments"), { query: by(), ifNoneMatch: etag });
    if (answer.status === 304) return;
    etag = answer.etag;
    // Without a tag, the same answer again changes nothing either.
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
 * Moves a thread's pin at once; the server follows.
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

/** @param {string} thread @param {string} [comment] the whole thread when left out */
export async function remove(thread, comment) {
  await del(below(thread, comment), { query: by() });
  await load();
}
