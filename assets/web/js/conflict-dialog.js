// @ts-check
/** The dialog for changes of two people that do not fit together: both pictures, and the fields in which they differ. */

import { encodePath, get, post } from "./api.js";
import { chart } from "./chart.js";
import { COPY_OF_CHART } from "./content-copy.js";
import { takeTheirs } from "./content-merge.js";
import { h } from "./core.js";
import { findEditor } from "./editor-state.js";
import { isEqualJson, isObject } from "./json-merge.js";
import { formatDataValue } from "./label-format.js";
import { createCopySaver, showCopySaved } from "./own-copy.js";
import { describePath, nameValue } from "./path-labels.js";
import { getText } from "./texts.js";
import { formatRelativeTime, openDialog } from "./ui.js";

/** @typedef {import("./document-sync.js").Conflict} Conflict */
/** @typedef {import("./document-store.js").Content} Content */

/** Maximum length of a value in the list of differences. */
const MAX_VALUE_LENGTH = 60;

/** Cuts a text that is too long for the list of differences. @param {string} text */
const shorten = (text) => (text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text);

/** Returns an entry of a list as text, such as “North, 12”. @param {any} entry */
const describeEntry = (entry) => (isObject(entry) ? Object.values(entry).map(describeValue).join(", ") : describeValue(entry));

/**
 * Returns a list as short text: the number of its entries, and the entries from the first difference to the common
 * former state on, so that lists of the same length can be told apart.
 * @param {any[]} list
 * @param {any} base
 */
function describeList(list, base) {
  const former = Array.isArray(base) ? base : [];
  const start = list.findIndex((entry, index) => !isEqualJson(entry, former[index]));
  const count = getText("saving.entries", { count: list.length });
  if (start < 0) return count;
  const sorted = (/** @type {any[]} */ entries) => entries.map((entry) => JSON.stringify(entry)).sort();
  const isReordered = isEqualJson(sorted(list), sorted(former));
  const changed = isReordered ? list.slice(start) : list.slice(start).filter((entry, index) => !isEqualJson(entry, former[start + index]));
  const values = { count, number: start + 1, entries: shorten(changed.map(describeEntry).join("; ")) };
  return isReordered ? getText("saving.entriesReordered", values) : getText("saving.entriesChanged", values);
}

/** Returns a value as short text. @param {any} value @param {any} [base] common former value */
function describeValue(value, base) {
  if (value === undefined || value === null || value === "") return getText("saving.emptyValue");
  if (Array.isArray(value)) return describeList(value, base);
  if (typeof value === "number") return formatDataValue(value);
  return shorten(typeof value === "string" ? value : JSON.stringify(value));
}

/** Creates an image of a content, with a caption. @param {string} caption @param {Content} content */
function createPicture(caption, content) {
  const image = h("img", { alt: "" });
  const { isPublic: _, ...body } = content;
  post("/render", body, { query: { width: 420, height: 236, text: "embedded" } }).then(
    ({ data }) => {
      const url = URL.createObjectURL(new Blob([data], { type: "image/svg+xml" }));
      image.addEventListener("load", () => URL.revokeObjectURL(url));
      image.src = url;
    },
    () => image.replaceWith(h("p", { class: "muted" }, getText("saving.imageFailed"))),
  );
  return h("figure", null, h("figcaption", null, caption), image);
}

/** Describes what has happened. @param {string} author @param {string} updated time of the other changes; empty if it is unknown */
function describeConflict(author, updated) {
  if (chart.provider) return getText("saving.conflictTextOfFile", { provider: chart.provider });
  return updated ? getText("saving.conflictTextWithTime", { author, time: formatRelativeTime(updated) }) : getText("saving.conflictText", { author });
}

/**
 * Loads the titles of the chart kinds that conflicts are about.
 * @param {import("./json-merge.js").MergeConflict[]} conflicts
 * @returns {Promise<Record<string, string>>} titles by id; an id if the title is not known
 */
async function loadKindTitles(conflicts) {
  const ids = conflicts.filter(({ path }) => path[0] === "plugin_id").flatMap(({ mine, theirs }) => [mine, theirs]);
  const loadTitle = (/** @type {string} */ id) => get(encodePath`/widgets/${id}`).then(({ data }) => data.title, () => id);
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await loadTitle(id)])));
}

/**
 * Asks how to go on with changes that do not fit together.
 * @param {Conflict} conflict
 * @returns {Promise<Content>} the content to go on with; closing the dialog keeps the own changes
 */
export async function resolveConflict({ mine, theirs, merged, conflicts, author, updated }) {
  /** Number of the conflicts for which the other value was chosen. @type {Set<number>} */
  const chosenTheirs = new Set();
  const saveCopy = createCopySaver(COPY_OF_CHART);
  const kindTitles = await loadKindTitles(conflicts);
  const described = { kind: findEditor()?.kind.peek() ?? null, settings: merged.settings };
  const rows = conflicts.map(({ path, base, mine: own, theirs: other }, index) => {
    const name = `conflict-${index}`;
    const choose = (/** @type {boolean} */ isOther) => () => (isOther ? chosenTheirs.add(index) : chosenTheirs.delete(index));
    const isKind = path[0] === "plugin_id";
    const format = (/** @type {any} */ value) => (isKind ? kindTitles[value] : nameValue(path, value, described)) ?? describeValue(value, base);
    return h(
      "fieldset",
      { class: "conflict-field" },
      h("legend", null, isKind ? getText("saving.fieldKindAndData") : describePath(path, described)),
      h("label", null, h("input", { type: "radio", name, checked: true, onchange: choose(false) }), getText("saving.mineValue", { value: format(own) })),
      h("label", null, h("input", { type: "radio", name, onchange: choose(true) }), `${author}: ${format(other)}`),
    );
  });
  const { closed } = openDialog({
    title: getText("saving.conflictTitle", { author }),
    wide: true,
    className: "conflict",
    body: [
      // Keys that were meant for the page must not choose.
      h("p", { tabindex: -1, autofocus: true }, describeConflict(author, updated)),
      h("div", { class: "conflict-pictures" }, createPicture(getText("saving.mine"), merged), createPicture(author, theirs)),
      h("div", { class: "conflict-fields" }, rows),
    ],
    actions: [
      { label: getText("saving.saveMineAsCopy"), value: "copy", run: async () => showCopySaved(await saveCopy(mine)) },
      { label: getText("saving.takeTheirs", { author }), value: "theirs" },
      { label: getText("saving.keepChoice"), value: "choice", run: () => true },
    ],
  });
  const result = await closed;
  if (result === "copy") return theirs;
  if (result === "theirs") conflicts.forEach((_, index) => chosenTheirs.add(index));
  return [...chosenTheirs].reduce((content, index) => takeTheirs(content, conflicts[index], theirs), merged);
}

