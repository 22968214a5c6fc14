// @ts-check
/** Edit conflicts: shows which user changed an item and when, and asks whether to overwrite the change. */

import { ApiError } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { formatRelativeTime, openDialog } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */

/**
 * A change of one item, made only if the item still has the expected entity tag.
 * @typedef {object} ConditionalChange
 * @property {Item} item
 * @property {(tag: string | null) => Promise<any>} run makes the change if the item has this entity tag; null makes it in any case
 * @property {string | null} tag expected entity tag
 */

/**
 * A change that the server rejected with 412, and the problem document of the response.
 * @typedef {{ change: ConditionalChange, problem: Record<string, any> }} Conflict
 */

/**
 * Returns a text such as “Ben changed it 2 minutes ago”.
 * @param {Record<string, any>} problem problem document of a 412
 * @param {"it" | "this chart"} [subject] object of the sentence
 */
export function describeConflict(problem, subject = "it") {
  const values = { name: problem.updated_by_name ?? getText("api.somebody"), time: formatRelativeTime(problem.updated) };
  return subject === "it" ? getText("saving.changedIt", values) : getText("saving.changedChart", values);
}

/**
 * Makes a change that must not silently overwrite another user's change. If the same user changed the
 * item in another window, the change is repeated with the new entity tag.
 * @template T
 * @param {(tag: string | null) => Promise<T>} run
 * @param {string | null} tag
 * @param {string} userId account id of the signed-in user
 * @returns {Promise<T>}
 * @throws {ApiError} with status 412 if another user has changed the item
 */
export async function runConditionalChange(run, tag, userId) {
  try {
    return await run(tag);
  } catch (error) {
    if (!(error instanceof ApiError && error.isStale && error.problem.updated_by === userId)) throw error;
    return run(error.problem.etag);
  }
}

/**
 * Asks whether to make the rejected changes anyway, and makes them. Removes completed changes from
 * `conflicts`, so that a repetition after an error continues with the rest.
 * @param {Conflict[]} conflicts
 * @param {string} verb such as `Rename`
 * @returns {Promise<any[] | null>} results of the changes; null if the user cancels
 */
export async function confirmOverwrite(conflicts, verb) {
  const isSingle = conflicts.length === 1;
  const buildRow = ({ change, problem }) => {
    const { item } = change;
    const link = !item.deleted && h("a", { href: item.view, target: "_blank" }, getText("saving.viewItem"), h("span", { class: "hidden" }, " ", getText("saving.viewItemDetails", { title: item.title })));
    return h("li", null, !isSingle && h("b", null, item.title, ": "), `${describeConflict(problem)}. `, link);
  };
  /** @type {any[]} */
  const results = [];
  const run = async () => {
    while (conflicts.length) {
      const [{ change, problem }] = conflicts;
      try {
        results.push(await change.run(problem.etag));
      } catch (error) {
        // The item changed again. The next press uses the new entity tag.
        if (error instanceof ApiError && error.isStale) conflicts[0].problem = error.problem;
        throw error;
      }
      conflicts.shift();
    }
  };
  const { closed } = openDialog({
    title: isSingle ? getText("saving.itemChanged", { title: conflicts[0].change.item.title }) : getText("saving.itemsChanged", { count: conflicts.length }),
    body: h("ul", { class: "conflicts" }, conflicts.map(buildRow)),
    actions: [{ label: getText("common.cancel"), value: "" }, { label: getText("saving.doAnyway", { action: verb }), value: "done", run }],
  });
  return (await closed) === "done" ? results : null;
}
