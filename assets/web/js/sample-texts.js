// @ts-check
/**
 * Texts and settings of the sample of a chart kind, which describe the data of the sample and would be wrong beside other
 * data. The server removes them when an uploaded table replaces the sample, and these functions when typed data do.
 */

import { isEqualJson } from "./json-merge.js";

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {import("./document-store.js").Change} Change */

/** Minimum number of successive records with one field each that tell a sample, as on the server. */
const MIN_EQUAL_RECORDS = 5;

/**
 * Whether records contain one of the sample of a kind. Other data may have the same sample records with fewer than two
 * fields, so that these need `MIN_EQUAL_RECORDS` of them in the same order.
 * @param {any} kind chart kind of the API
 * @param {Record<string, any>[]} records
 */
export function hasSampleRecord(kind, records) {
  /** @type {(record: Record<string, any>) => boolean} */
  const hasFields = (record) => Object.keys(record).length > 1;
  const large = kind.sample_data.filter(hasFields);
  if (records.some((record) => large.some((/** @type {Record<string, any>} */ candidate) => isEqualJson(record, candidate)))) return true;
  /** @type {Record<string, any>[]} */
  const small = kind.sample_data.filter((/** @type {Record<string, any>} */ record) => !hasFields(record));
  const isRun = (/** @type {number} */ row, /** @type {number} */ start) => Array.from({ length: MIN_EQUAL_RECORDS }).every((_, index) => isEqualJson(records[row + index], small[start + index]));
  const starts = small.slice(0, Math.max(0, small.length - MIN_EQUAL_RECORDS + 1));
  return records.some((_, row) => starts.some((_, start) => isRun(row, start)));
}

/**
 * Returns the changes that give a content the defaults of its kind, where it still has the title, a setting or a member of
 * the style of a sample.
 * @param {any} kind kind of the content
 * @param {any} sampleKind kind of the sample
 * @param {Content} content
 * @returns {Change[]}
 */
export function listSampleRemovals(kind, sampleKind, content) {
  const { title, settings, style } = sampleKind.sample;
  /** @type {(member: "settings" | "style", sample: Record<string, any>, defaults: Record<string, any>) => Change[]} */
  const reset = (member, sample, defaults) =>
    Object.keys(sample ?? {})
      .filter((key) => content[member]?.[key] !== undefined && isEqualJson(content[member]?.[key], sample[key]) && !isEqualJson(sample[key], defaults[key]))
      .map((key) => ({ path: [member, key], value: defaults[key] }));
  const titles = title && content.title === title ? [{ path: ["title"], value: "" }] : [];
  return [...titles, ...reset("settings", settings, kind.default_settings), ...reset("style", style, kind.default_layout)];
}

/** Whether a content has the title or a text of the style of a sample. @param {any} kind @param {Content} content */
function hasSampleText(kind, content) {
  const { title, style } = kind.sample;
  const texts = Object.entries(style ?? {}).filter(([, value]) => typeof value === "string" && value !== "");
  return (title !== "" && content.title === title) || texts.some(([key, value]) => content.style?.[key] === value);
}

/**
 * Returns the changes that remove the texts of the samples that a document showed before a change of its data, and
 * shows no longer. A document without records shows the samples of which it still has a text.
 * @param {any} kind kind of the content
 * @param {any[]} knownKinds the document may show the samples of these kinds
 * @param {Record<string, any>[]} before records before the change
 * @param {Content} content content after the change
 * @returns {Change[]}
 */
export function listReplacedSampleTexts(kind, knownKinds, before, content) {
  const { data } = content;
  if (before.length === 0 && data.length === 0) return [];
  const isReplaced = (/** @type {any} */ candidate) => (before.length === 0 ? hasSampleText(candidate, content) : hasSampleRecord(candidate, before)) && !hasSampleRecord(candidate, data);
  // Most documents have no text of a sample, and a comparison of all records takes long.
  const findRemovals = (/** @type {any} */ candidate) => {
    const removals = listSampleRemovals(kind, candidate, content);
    return removals.length > 0 && isReplaced(candidate) ? removals : [];
  };
  return knownKinds.flatMap(findRemovals);
}
