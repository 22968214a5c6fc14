// @ts-check
/** What somebody else changed since it was read: who and when, to look at or to go on all the same. */

import { ApiError } from "./api.js";
import { h } from "./core.js";
import { dialog, relativeTime } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */

/**
 * A change of one thing that holds only for the state it was read in.
 * @typedef {object} Job
 * @property {Item} item
 * @property {(tag: string | null) => Promise<any>} run the change, if the thing still has this entity tag
 * @property {string | null} tag
 */

/** @typedef {{ job: Job, problem: Record<string, any> }} Met a job that met another's change */

/**
 * “Ben changed it 2 minutes ago”.
 * @param {Record<string, any>} problem of a 412
 * @param {string} what
 */
export function whoChanged(problem, what = "it") {
  return `${problem.updated_by_name ?? "Somebody"} changed ${what} ${relativeTime(problem.updated)}`;
}

/**
 * Does something that must not undo another person's change unseen. What one changed oneself, in another
 * window, is no obstacle.
 * @template T
 * @param {(tag: string | null) => Promise<T>} run
 * @param {string | null} tag
 * @param {string} me
 * @returns {Promise<T>}
 * @throws {ApiError} of status 412 when somebody else changed it
 */
export async function guarded(run, tag, me) {
  try {
    return await run(tag);
  } catch (error) {
    if (!(error instanceof ApiError && error.isStale && error.problem.updated_by === me)) throw error;
    return run(error.problem.etag);
  }
}

/**
 * Asks whether to do all the same what met another's change, and does it.
 * @param {Met[]} met
 * @param {string} verb such as `Rename`
 * @returns {Promise<any[] | null>} what the jobs gave; null when it was left
 */
export async function askAnyway(met, verb) {
  const one = met.length === 1;
  const row = ({ job, problem }) => {
    const { item } = job;
    const look = !item.deleted && h("a", { href: item.view, target: "_blank" }, "Look at it", h("span", { class: "hidden" }, ` (“${item.title}”, in a new tab)`));
    return h("li", null, !one && h("b", null, item.title, ": "), `${whoChanged(problem)}. `, look);
  };
  /** @type {any[]} */
  const done = [];
  const run = async () => {
    while (met.length) {
      const [{ job, problem }] = met;
      try {
        done.push(await job.run(problem.etag));
      } catch (error) {
        // Changed once more: the next press goes by what it is now.
        if (error instanceof ApiError && error.isStale) met[0].problem = error.problem;
        throw error;
      }
      met.shift();
    }
  };
  const { closed } = dialog({
    title: one ? `“${met[0].job.item.title}” was changed meanwhile` : `${met.length} items were changed meanwhile`,
    body: h("ul", { class: "met" }, met.map(row)),
    actions: [{ label: "Cancel", value: "" }, { label: `${verb} anyway`, value: "done", run }],
  });
  return (await closed) === "done" ? done : null;
}
