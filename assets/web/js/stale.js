// @ts-check
/** Conflicts with changes of other users: shows who changed an item and when, and asks whether to continue. */

import { ApiError } from "./api.js";
import { h } from "./core.js";
import { dialog, relativeTime } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */

/**
 * A change of one item, made only if the item still has the expected entity tag.
 * @typedef {object} GuardedChange
 * @property {Item} item
 * @property {(tag: string | null) => Promise<any>} run makes the change if the item has this entity tag
 * @property {string | null} tag
 */

/** @typedef {{ job: GuardedChange, problem: Record<string, any> }} Conflict a change that the server rejected with 412 */

/**
 * Returns a text such as “Ben changed it 2 minutes ago”.
 * @param {Record<string, any>} problem of a 412
 * @param {string} what
 */
export function whoChanged(problem, what = "it") {
  return `${problem.updated_by_name ?? "Somebody"} changed ${what} ${relativeTime(problem.updated)}`;
}

/**
 * Makes a change that must not silently overwrite another user's change. If the same user changed the
 * item in another window, the change is repeated with the new entity tag.
 * @template T
 * @param {(tag: string | null) => Promise<T>} run
 * @param {string | null} tag
 * @param {string} me
 * @returns {Promise<T>}
 * @throws {ApiError} with status 412 if another user has changed the item
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
 * Asks whether to make the rejected changes anyway, and makes them.
 * @param {Conflict[]} conflicts
 * @param {string} verb such as `Rename`
 * @returns {Promise<any[] | null>} results of the changes; null if the user cancels
 */
export async function askAnyway(conflicts, verb) {
  const one = conflicts.length === 1;
  const row = ({ job, problem }) => {
    const { item } = job;
    const look = !item.deleted && h("a", { href: item.view, target: "_blank" }, "Look at it", h("span", { class: "hidden" }, ` (“${item.title}”, in a new tab)`));
    return h("li", null, !one && h("b", null, item.title, ": "), `${whoChanged(problem)}. `, look);
  };
  /** @type {any[]} */
  const done = [];
  const run = async () => {
    while (conflicts.length) {
      const [{ job, problem }] = conflicts;
      try {
        done.push(await job.run(problem.etag));
      } catch (error) {
        // The item changed again. The next press uses the new entity tag.
        if (error instanceof ApiError && error.isStale) conflicts[0].problem = error.problem;
        throw error;
      }
      conflicts.shift();
    }
  };
  const { closed } = dialog({
    title: one ? `“${conflicts[0].job.item.title}” was changed meanwhile` : `${conflicts.length} items were changed meanwhile`,
    body: h("ul", { class: "met" }, conflicts.map(row)),
    actions: [{ label: "Cancel", value: "" }, { label: `${verb} anyway`, value: "done", run }],
  });
  return (await closed) === "done" ? done : null;
}
