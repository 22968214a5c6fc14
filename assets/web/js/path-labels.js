// @ts-check
/** Names of the fields of a document for people, as the panels of the editor call them. */

import { getText } from "./texts.js";

/** @typedef {import("./json-merge.js").Key} Key */

/** Names of the members of a document. */
const FIELD_NAMES = {
  title: getText("saving.fieldTitle"),
  settings: getText("saving.fieldSettings"),
  data: getText("saving.fieldData"),
  theme: getText("saving.fieldTheme"),
  custom_theme: getText("saving.fieldTheme"),
  style: getText("saving.fieldStyle"),
  isPublic: getText("saving.fieldPublic"),
  plugin_id: getText("saving.fieldKind"),
};

/** Names of the members of a style, and of the margins in it. */
const STYLE_NAMES = {
  subtitle: getText("editor.subtitle"),
  footer: getText("editor.footer"),
  description: getText("editor.description"),
  no_title: getText("editor.hideTitle"),
  no_footnote: getText("editor.hideFooter"),
  no_branding: getText("editor.hideLogo"),
  width: getText("common.width"),
  height: getText("common.height"),
  background: getText("style-panel.background"),
  custom_colors: getText("style-panel.colors"),
  annotations: getText("notes.panel"),
  margin: getText("style-panel.margins"),
  top: getText("style-panel.marginTop"),
  right: getText("style-panel.marginRight"),
  bottom: getText("style-panel.marginBottom"),
  left: getText("style-panel.marginLeft"),
};

/** Returns a key without a name as words: `number_format` and `numberFormat` as “number format”. @param {Key} key */
const toWords = (key) => String(key).replaceAll("_", " ").replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/**
 * Returns the keys of a path that the server writes, such as `settings.series[0].color` or `/axis/min`.
 * @param {string} path
 * @returns {Key[]}
 */
export function parsePath(path) {
  const isPointer = path.startsWith("/");
  const parts = isPointer ? path.slice(1).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")) : path.split(/[.[\]]+/).filter(Boolean);
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Returns the title of a column of the data. @param {any} kind @param {any} settings @param {Key} key */
export function findColumnTitle(kind, settings, key) {
  const lists = [settings?.series, settings?.columns].filter(Array.isArray).flat();
  const name = String(key);
  const title = lists.find((entry) => entry?.key === name)?.title || kind?.data_columns?.find((/** @type {any} */ column) => column.key === name && !column.repeats)?.title;
  return title ?? name;
}

/**
 * Returns the names of a setting and of its parts.
 * @param {Key[]} path path in the settings
 * @param {any} kind
 * @param {any} settings
 */
function nameSetting(path, kind, settings) {
  let [schema, value] = [kind?.settings_schema, settings];
  return path.map((key) => {
    value = value?.[key];
    if (typeof key === "number" && schema?.type !== "object") {
      schema = schema?.items;
      const name = value?.title || (typeof value?.key === "string" ? findColumnTitle(kind, settings, value.key) : "");
      return name || getText("saving.pathEntry", { number: String(key + 1) });
    }
    const member = schema?.properties?.[key];
    // The keys of other objects, such as the formats, are those of columns.
    const isColumn = !member && schema?.additionalProperties?.properties;
    schema = member ?? schema?.additionalProperties;
    return member?.title ?? (isColumn ? findColumnTitle(kind, settings, key) : toWords(key));
  });
}

/**
 * Returns the name of a field: `Data › row 3 › Sales`, `Value axis › Start`.
 * @param {Key[]} path
 * @param {{ kind: any, settings: any }} document chart kind of the API, null if it is unknown, and settings of the document
 */
export function describePath([first, ...rest], { kind, settings }) {
  if (first === "settings" && rest.length > 0) return nameSetting(rest, kind, settings).join(" › ");
  const name = FIELD_NAMES[/** @type {keyof typeof FIELD_NAMES} */ (first)] ?? toWords(first);
  const parts = rest.map((key, index) => {
    // The key of a column can be a number, such as a year.
    if (first === "data" && index === 1) return findColumnTitle(kind, settings, key);
    if (typeof key === "number") return getText(first === "data" ? "saving.pathRow" : "saving.pathEntry", { number: String(key + 1) });
    return (first === "style" && STYLE_NAMES[/** @type {keyof typeof STYLE_NAMES} */ (key)]) || toWords(key);
  });
  return first === "style" && parts.length > 0 ? parts.join(" › ") : [name, ...parts].join(" › ");
}

/**
 * Returns the schema of a setting, and the key of its hint in the member `ui` of the kind.
 * @param {Key[]} path path in the settings
 * @param {any} kind
 */
function findSetting(path, kind) {
  let [schema, hintKey] = [kind?.settings_schema, ""];
  for (const key of path) {
    if (typeof key === "number" && schema?.type !== "object") {
      [schema, hintKey] = [schema?.items, `${hintKey}[]`];
      continue;
    }
    const member = schema?.properties?.[key];
    hintKey = `${hintKey ? `${hintKey}.` : ""}${member ? key : "*"}`;
    schema = member ?? schema?.additionalProperties;
  }
  return { schema, hint: kind?.ui?.[hintKey] };
}

/**
 * Returns the name of a value as its control shows it: a choice, or “On” and “Off” for truth values. A setting without a
 * value has the name of its default. Returns undefined for other values, such as texts and numbers.
 * @param {Key[]} path
 * @param {unknown} value
 * @param {{ kind: any }} document chart kind of the API; null if it is unknown
 * @returns {string | undefined}
 */
export function nameValue([first, ...rest], value, { kind }) {
  if (first === "data") return undefined;
  const { schema, hint } = first === "settings" ? findSetting(rest, kind) : { schema: null, hint: null };
  const shown = value === undefined || value === null ? schema?.default : value;
  if (typeof shown === "boolean") return shown ? getText("settings-form.on") : getText("settings-form.off");
  const hasAutomatic = ["boolean", "number", "integer"].includes(schema?.type) || (schema?.enum && !schema.enum.includes(""));
  if (shown === undefined && hasAutomatic) return getText("common.automatic");
  return hint?.choices?.[/** @type {string} */ (shown)]?.label;
}
