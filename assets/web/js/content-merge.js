// @ts-check
/** Merging of the contents of a document. */

import { isEqualJson, mergeJson, setValueAt } from "./json-merge.js";

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {import("./json-merge.js").MergeConflict} MergeConflict */

/** Members that belong together, because the columns of the data and the settings are those of the chart kind. */
const KIND_MEMBERS = /** @type {const} */ (["plugin_id", "settings", "data"]);

/** Path of the conflict about all of these members. */
const KIND_PATH = ["plugin_id"];

/** Returns the members that depend on the kind. @param {Content} content */
const pickKindMembers = (content) => Object.fromEntries(KIND_MEMBERS.map((key) => [key, content[key]]));

/**
 * Whether one side changed the kind, and the other made changes that do not fit it: another kind, settings, or data of
 * which the first one changed the columns.
 * @param {Content} base
 * @param {Content} mine
 * @param {Content} theirs
 */
function hasClashingKind(base, mine, theirs) {
  if (mine.plugin_id === theirs.plugin_id) return false;
  const isChanged = (/** @type {Content} */ content, /** @type {typeof KIND_MEMBERS[number]} */ key) => !isEqualJson(content[key], base[key]);
  const [ofNewKind, other] = isChanged(mine, "plugin_id") ? [mine, theirs] : [theirs, mine];
  return isChanged(other, "plugin_id") || isChanged(other, "settings") || (isChanged(other, "data") && isChanged(ofNewKind, "data"));
}

/**
 * Combines the changes of two sides since `base`, as `mergeJson` does. If one side changed the chart kind, and changes of the
 * other do not fit it, there is one conflict about kind, data and settings, with the path of the kind.
 * @param {Content} base
 * @param {Content} mine
 * @param {Content} theirs
 * @returns {{ merged: Content, conflicts: MergeConflict[] }}
 */
export function mergeContents(base, mine, theirs) {
  if (!hasClashingKind(base, mine, theirs)) return mergeJson(base, mine, theirs);
  const others = { ...theirs, ...pickKindMembers(mine) };
  const { merged, conflicts } = mergeJson({ ...base, ...pickKindMembers(mine) }, mine, others);
  const conflict = { path: [...KIND_PATH], base: base.plugin_id, mine: mine.plugin_id, theirs: theirs.plugin_id };
  return { merged, conflicts: [conflict, ...conflicts] };
}

/**
 * Returns a content with the value of the other side of a conflict.
 * @param {Content} content
 * @param {MergeConflict} conflict
 * @param {Content} theirs content of the other side
 * @returns {Content}
 */
export function takeTheirs(content, { path, theirs: value }, theirs) {
  return isEqualJson(path, KIND_PATH) ? { ...content, ...pickKindMembers(theirs) } : setValueAt(content, path, value);
}
