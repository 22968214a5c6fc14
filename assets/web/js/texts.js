// @ts-check
/**
 * Texts in the language of the page. They are in `i18n`, in a folder per language. `{name}` in a text stands for a
 * value. A text with a number has the forms `one` and `other`, between which the value `count` decides.
 */

/** @typedef {string | { one: string, other: string }} Entry */
/** @typedef {string | number | Node} Value numbers get the separators of the language */

/** The texts by key, which a script of the language sets. @type {Record<string, Entry>} */
const TEXTS = /** @type {any} */ (globalThis).chartroomTexts ?? {};
/** Tag of the language of the page. */
export const PAGE_LANGUAGE = document.documentElement.lang || "en";
/** Language of new charts of this page; null for English, which charts have without a language. */
export const NEW_CHART_LANGUAGE = PAGE_LANGUAGE === "en" ? null : PAGE_LANGUAGE;
const PLURAL_RULES = new Intl.PluralRules(PAGE_LANGUAGE);
const NUMBER_FORMAT = new Intl.NumberFormat(PAGE_LANGUAGE);

/** Returns the form of a text that its values need. The key itself if there is no such text. @param {string} key @param {Record<string, Value>} values */
function findTemplate(key, values) {
  const entry = TEXTS[key] ?? key;
  if (typeof entry === "string") return entry;
  return PLURAL_RULES.select(Number(values.count ?? 0)) === "one" ? entry.one : entry.other;
}

/** Returns a value as text. @param {Value} value */
const toText = (value) => (typeof value === "number" ? NUMBER_FORMAT.format(value) : value instanceof Node ? (value.textContent ?? "") : value);

/**
 * Returns the text with this key.
 * @param {string} key name of the file in `i18n`, a period and the name of the text
 * @param {Record<string, Value>} [values]
 */
export function getText(key, values = {}) {
  return findTemplate(key, values).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? toText(values[name]) : whole));
}

/**
 * Returns the text with this key as children for `h`, so that values can be elements.
 * @param {string} key
 * @param {Record<string, Value>} values
 * @returns {(string | Node)[]}
 */
export function getTextParts(key, values) {
  const parts = findTemplate(key, values).split(/\{(\w+)\}/);
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const value = values[part] ?? `{${part}}`;
    return value instanceof Node ? value : toText(value);
  });
}
