// @ts-check
/** The columns of the data grid: those of the chart kind, the repeated ones of the document, and all others in the records. */

import { isEqualJson } from "./json-merge.js";

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {import("./document-store.js").Change} Change */

/**
 * A column of the grid. `isExtra` means that the chart kind does not use it.
 * @typedef {{ key: string, title: string, type: string, required?: boolean, role?: string, isRepeated?: boolean, isExtra?: boolean, width?: number }} Column
 */

/** Returns the column description of a kind that stands for any number of columns; undefined if it has none. @param {any} kind */
export const findRepeatedColumn = (kind) => kind.data_columns.find((/** @type {any} */ column) => column.repeats);

/** Returns the name of the setting that lists the repeated columns. @param {any} repeated */
export const getListSetting = (repeated) => (repeated.role === "column" ? "columns" : "series");

/** Returns the value of a setting by its dotted name. @param {any} settings @param {string} name */
const readSetting = (settings, name) => name.split(".").reduce((value, key) => value?.[key], settings);

/** Returns all keys of the records in the order of their first appearance. @param {Record<string, any>[]} records */
function listKeys(records) {
  /** @type {Set<string>} */
  const keys = new Set();
  for (const record of records) {
    for (const key in record) keys.add(key);
  }
  return keys;
}

/** Whether a column without an entry in the list of repeated columns is one of them. @param {any} repeated @param {Record<string, any>[]} records @param {string} key */
const isDrawnByDefault = (repeated, records, key) => repeated.type !== "number" || records.some((record) => typeof record[key] === "number");

/**
 * Lists the repeated columns of a document as the renderer does: those of the setting, or without it all that fit.
 * @param {any} kind
 * @param {Content} content
 * @returns {{ key: string, title?: string }[]}
 */
export function listRepeatedEntries(kind, content) {
  const repeated = findRepeatedColumn(kind);
  if (!repeated) return [];
  const listed = content.settings[getListSetting(repeated)];
  if (Array.isArray(listed) && listed.length > 0) return listed.filter((entry) => typeof entry?.key === "string");
  const fixed = new Set(kind.data_columns.filter((/** @type {any} */ column) => !column.repeats).map((/** @type {any} */ column) => column.key));
  const others = [...listKeys(content.data)].filter((key) => !fixed.has(key));
  return others.filter((key) => isDrawnByDefault(repeated, content.data, key)).map((key) => ({ key }));
}

/**
 * Returns the columns of the grid in their order.
 * @param {any} kind chart kind of the API
 * @param {Content} content
 * @returns {Column[]}
 */
export function listColumns(kind, content) {
  /** @type {Column[]} */
  const columns = [];
  for (const column of kind.data_columns) {
    if (column.repeats) {
      const entries = listRepeatedEntries(kind, content);
      columns.push(...entries.map(({ key, title }) => ({ key, title: title || key, type: column.type, isRepeated: true })));
    } else {
      const title = (column.title_setting && readSetting(content.settings, column.title_setting)) || column.title;
      const type = column.role === "color" ? "color" : column.type;
      // The field of the kind is shown beside another name only.
      const role = String(title) === column.title ? undefined : column.title;
      columns.push({ key: column.key, title: String(title), type, required: column.required, role });
    }
  }
  const known = new Set(columns.map(({ key }) => key));
  const extra = [...listKeys(content.data)].filter((key) => !known.has(key));
  return [...columns, ...extra.map((key) => ({ key, title: key, type: "text", isExtra: true }))];
}

/** Whether the grid may add columns, because the kind has repeated ones. @param {any} kind */
export const mayAddColumns = (kind) => findRepeatedColumn(kind) !== undefined;

/**
 * Returns the change of the settings for a new list of columns: names, order, and added or removed columns. Returns
 * an empty list if the settings stay.
 * @param {any} kind
 * @param {Content} content
 * @param {Column[]} columns
 * @returns {Change[]}
 */
export function changeColumns(kind, content, columns) {
  const repeated = findRepeatedColumn(kind);
  if (!repeated) return [];
  const before = listRepeatedEntries(kind, content);
  const entries = new Map(before.map((entry) => [entry.key, entry]));
  const after = columns
    .filter((column) => column.isRepeated)
    .map(({ key, title }) => {
      const entry = entries.get(key);
      const shown = entry?.title || key;
      return entry && title === shown ? entry : { ...entry, key, title };
    });
  return isEqualJson(before, after) ? [] : [{ path: ["settings", getListSetting(repeated)], value: after }];
}

/** Returns the name that a table or the user has given to a column; undefined if its kind names it. @param {Column} column */
const findOwnTitle = (column) => (column.isExtra || column.isRepeated || column.role !== undefined ? column.title : undefined);

/** Exchanges two members of an object. The first one gets the key `nextKey`. @param {Record<string, any>} object @param {string} targetKey @param {string} key @param {string} nextKey */
function exchangeMembers(object, targetKey, key, nextKey) {
  const { [key]: value, [targetKey]: previous, ...rest } = object;
  return { ...rest, ...(value === undefined ? {} : { [targetKey]: value }), ...(previous === undefined ? {} : { [nextKey]: previous }) };
}

/**
 * Returns the changes of the settings that give a column another title, or the title of its kind.
 * @param {any} kind
 * @param {any} settings
 * @param {Column} column
 * @param {string | undefined} title
 * @returns {Change[]}
 */
function changeTitle(kind, settings, column, title) {
  const name = kind.data_columns.find((/** @type {any} */ { key }) => key === column.key)?.title_setting;
  if (!name) return [];
  const path = ["settings", ...name.split(".")];
  // A title that comes from the table still does, so that the next table replaces it.
  const isOfTable = settings.fromTable?.[name] !== undefined && settings.fromTable[name] === readSetting(settings, name);
  return [{ path, value: title }, ...(isOfTable ? [{ path: ["settings", "fromTable", name], value: title }] : [])];
}

/**
 * Returns the changes for a column that the chart shall use as the field `targetKey`. The column that had this field
 * exchanges its place with it, and the titles and number formats of both move with their values.
 * @param {any} kind
 * @param {Content} content
 * @param {string} key
 * @param {string} targetKey
 * @returns {Change[]}
 */
export function mapColumn(kind, content, key, targetKey) {
  const columns = listColumns(kind, content);
  const [source, target] = [key, targetKey].map((wanted) => columns.find((column) => column.key === wanted));
  if (!source || !target) return [];
  // The key of a column that the chart does not use is its name.
  const nextKey = source.isExtra && !columns.some((column) => column.key === target.title) ? target.title : key;
  const { settings } = content;
  const changes = /** @type {Change[]} */ ([{ path: ["data"], value: content.data.map((record) => exchangeMembers(record, targetKey, key, nextKey)) }]);
  changes.push(...changeTitle(kind, settings, target, findOwnTitle(source)), ...changeTitle(kind, settings, source, findOwnTitle(target)));
  if (source.isRepeated || target.isRepeated) {
    const titles = new Map([[targetKey, source.title], [key, target.title]]);
    const entries = listRepeatedEntries(kind, content).map((entry) => (titles.has(entry.key) ? { ...entry, title: titles.get(entry.key) } : entry));
    changes.push({ path: ["settings", getListSetting(findRepeatedColumn(kind))], value: entries });
  }
  const formats = settings.rulesets ?? {};
  if (key in formats || targetKey in formats) changes.push({ path: ["settings", "rulesets"], value: exchangeMembers(formats, targetKey, key, nextKey) });
  return changes;
}
