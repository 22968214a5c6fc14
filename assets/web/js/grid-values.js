// @ts-check
/** Values of the data grid: their texts, and the conversion of texts to numbers, dates and other types. */

import { parseDate } from "./grid-dates.js";
import { getText } from "./texts.js";

/** @typedef {import("./grid-model.js").Column} Column */

/**
 * Notation of numbers and dates in texts. `monthFirst` is the order in dates such as `3/4/2026`, and
 * `dottedMonthFirst` in those such as `3.4.2026`.
 * @typedef {{ separator: "." | ",", monthFirst: boolean, dottedMonthFirst: boolean, locale: string }} Notation
 */

/** Maximum length of a number with its signs in characters. Longer texts are not numbers. */
const MAX_NUMBER_LENGTH = 60;
/** Numbers from this size on, and those below its inverse, are shown with an exponent. */
const MIN_EXPONENT_NUMBER = 1e15;

const CURRENCY = "\\p{Sc}|US\\$|R\\$|A\\$|C\\$|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|CAD|AUD|MXN|TRY|ZAR|RUB|zł|Kč|Ft|kr\\.?|S?Fr\\.|円|元|원";
const CURRENCY_BEFORE = new RegExp(`^(?:${CURRENCY})\\s*`, "u");
const CURRENCY_AFTER = new RegExp(`\\s*(?:${CURRENCY}|%|‰)$`, "u");
const SIGN_BEFORE = /^([-−–+])\s*/;
const MAGNITUDE = /\s*(k|K|Tsd\.?|tys\.?|M|Mio\.?|mio\.?|mln|million|Millionen|bn|Mrd\.?|mrd|mld|Md)$/;
/** Durations such as `2:06:39` and `1 h 45 min`, which charts draw as numbers. */
const DURATION = /^(?:\d{1,4}:[0-5]\d(?::[0-5]\d)?(?:[.,]\d+)?|\d+\s*(?:h|hrs?|hours?|std|stunden?|heures?)\.?(?:\s*\d+\s*(?:m|mins?|minutes?|minuten)\.?)?)$/i;
/** Powers of ten by the first letter of a magnitude, except those in milliards. */
const MAGNITUDE_POWERS = new Map([["k", 3], ["K", 3], ["T", 3], ["t", 3], ["b", 9]]);
/** Digit zero of other scripts: Arabic, Persian, Devanagari and full width. */
const ZEROS = [0x660, 0x6f0, 0x966, 0xff10];

const TRUE_WORDS = new Set(["true", "yes", "y", "1", "x", "✓", "✔", "wahr", "ja", "vrai", "oui", "verdadero", "sí", "si", "sim", "vero", "on"]);
const FALSE_WORDS = new Set(["false", "no", "n", "0", "falsch", "nein", "faux", "non", "falso", "não", "off"]);

/** @type {Map<string, "." | ",">} */
const separators = new Map();
/** @type {Map<string, Intl.NumberFormat>} */
const numberFormats = new Map();
/** Smallest number with five digits. */
const MIN_LARGE_NUMBER = 10_000;
/** Whether columns have large numbers, by records and key. @type {WeakMap<readonly object[], Map<string, boolean>>} */
const largeNumbers = new WeakMap();

/** Returns a language tag that `Intl` accepts. @param {string} tag */
function toValidLocale(tag) {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}

/** Returns the decimal separator of a language. @param {string} locale @returns {"." | ","} */
export function findDecimalSeparator(locale) {
  let separator = separators.get(locale);
  if (!separator) {
    const parts = new Intl.NumberFormat(toValidLocale(locale)).formatToParts(1.5);
    separator = [",", "٫"].includes(parts.find((part) => part.type === "decimal")?.value ?? ".") ? "," : ".";
    separators.set(locale, separator);
  }
  return separator;
}

/** Whether dates of a language have the month before the day. @param {string} locale */
export function hasMonthFirst(locale) {
  const parts = new Intl.DateTimeFormat(toValidLocale(locale), { dateStyle: "short" }).formatToParts(0);
  const types = parts.map((part) => part.type);
  return types.indexOf("month") < types.indexOf("day");
}

/** Returns the notation of a language. @param {string} locale @returns {Notation} */
export function createNotation(locale) {
  return { separator: findDecimalSeparator(locale), monthFirst: hasMonthFirst(locale), dottedMonthFirst: false, locale: toValidLocale(locale) };
}

/** Replaces digits and signs of other scripts by those of ASCII. @param {string} text @param {"." | ","} separator */
function toAscii(text, separator) {
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const other = separator === "." ? "," : ".";
  /** @type {Record<string, string>} */
  const signs = { "٫": separator, "٬": other, "٪": "%", "％": "%", "，": ",", "．": ".", "－": "-", "\u061c": "", "\u200e": "", "\u200f": "" };
  return text.replace(/[٠-٩۰-۹०-९０-９٫٬٪％，．－\u061c\u200e\u200f]/g, (character) => {
    const code = character.charCodeAt(0);
    const zero = ZEROS.find((candidate) => code >= candidate && code < candidate + 10);
    return zero === undefined ? signs[character] : String(code - zero);
  });
}

/** Whole numbers, and decimal numbers with one sign that cannot be a separator of groups, such as `-12.5`. */
const PLAIN_POINT = /^-?\d+(?:\.\d+)?$/;
const DECIMAL_POINT = /^-?(?:\d{4,}\.\d+|0\d*\.\d+|\d+\.(?:\d{1,2}|\d{4,}))$/;
const DECIMAL_COMMA = /^-?(?:\d{4,},\d+|0\d*,\d+|\d+,(?:\d{1,2}|\d{4,}))$/;
/** Groups of three digits with the same sign between them. The first one may be shorter. */
const GROUPS_OF_THREE = /^(?!0)\d{1,3}([.,\s'’ʼ])\d{3}(?:\1\d{3})*$/;
/** The same with groups of two digits before the last one, as in India. */
const INDIAN_GROUPS = /^(?!0)\d{1,2}([.,\s'’ʼ])\d{2}(?:\1\d{2})*\1\d{3}$/;

/**
 * Returns the digits of a whole number without the separators of its groups. Returns null for other texts.
 * @param {string} whole
 * @param {"." | ","} separator decimal separator
 * @returns {string | null}
 */
function joinGroups(whole, separator) {
  if (/^\d+$/.test(whole)) return whole;
  const match = GROUPS_OF_THREE.exec(whole) ?? INDIAN_GROUPS.exec(whole);
  return match && match[1] !== separator ? whole.replaceAll(match[1], "") : null;
}

/** Removes currency and percent sign at both ends. @param {string} text */
function stripCurrency(text) {
  return text.replace(CURRENCY_BEFORE, "").replace(CURRENCY_AFTER, "").trim();
}

/**
 * Parses a number such as `1,200`, `1.200,5`, `3.5%`, `(1,234)`, `€ 5` and `12.5k`. Currency and percent
 * sign are ignored, as on the server. Returns null if the text is not a number with this decimal separator.
 * @param {string} source
 * @param {"." | ","} separator
 * @returns {number | null}
 */
export function parseNumber(source, separator) {
  if (source.length > MAX_NUMBER_LENGTH) return null;
  // Most numbers have no other signs. A large table has many of them, so that they are parsed fast. Adding 0 removes the
  // minus before 0.
  if (separator === "." && PLAIN_POINT.test(source)) return Number(source) + 0;
  if (/^-?[\d.,]+$/.test(source)) return source.startsWith("-") ? parseDigits(source.slice(1), separator, true, 0) : parseDigits(source, separator, false, 0);
  let text = stripCurrency(toAscii(source, separator).trim());
  let minusCount = 0;
  const inner = /^\((.*)\)$/.exec(text)?.[1];
  if (inner !== undefined) {
    minusCount += 1;
    text = stripCurrency(inner.trim());
  }
  const sign = SIGN_BEFORE.exec(text);
  if (sign) {
    minusCount += sign[1] === "+" ? 0 : 1;
    text = stripCurrency(text.slice(sign[0].length));
  }
  const magnitude = MAGNITUDE.exec(text);
  if (magnitude) text = text.slice(0, magnitude.index);
  if (/[\d.,]\s*[-−]$/.test(text)) {
    minusCount += sign ? 2 : 1;
    text = text.slice(0, -1).trimEnd();
  }
  const power = magnitude ? (/^(Mrd|mrd|mld|Md)/.test(magnitude[1]) ? 9 : MAGNITUDE_POWERS.get(magnitude[1][0]) ?? 6) : 0;
  return minusCount > 1 ? null : parseDigits(text, separator, minusCount > 0, power);
}

/**
 * Parses a number without sign, possibly with an exponent.
 * @param {string} text
 * @param {"." | ","} separator
 * @param {boolean} isNegative
 * @param {number} power power of ten that multiplies the number
 * @returns {number | null}
 */
function parseDigits(text, separator, isNegative, power) {
  const match = /[eE]([-+]?\d{1,3})$/.exec(text);
  const body = match ? text.slice(0, match.index) : text;
  const end = body.indexOf(separator);
  const whole = end < 0 ? body : body.slice(0, end);
  const decimals = end < 0 ? "" : body.slice(end + 1);
  if (!/^\d*$/.test(decimals)) return null;
  const digits = whole === "" && decimals ? "0" : joinGroups(whole, separator);
  if (digits === null || (match && digits !== whole)) return null;
  // Powers in the text, because a multiplication would add binary rounding.
  const allPowers = Number(match?.[1] ?? 0) + power;
  const number = Number(decimals || allPowers ? `${digits}.${decimals || "0"}e${allPowers}` : digits);
  // Without a minus before 0.
  return Number.isFinite(number) ? (isNegative && number ? -number : number) : null;
}

/**
 * Returns the decimal separator that most texts of a column need, and otherwise `fallback`. `ambiguous` is
 * a text with two readings if no text decides.
 * @param {string[]} texts
 * @param {"." | ","} fallback
 * @returns {{ separator: "." | ",", ambiguous: string | null }}
 */
export function voteSeparator(texts, fallback) {
  let [points, commas] = [0, 0];
  /** @type {string | null} */
  let ambiguous = null;
  for (const text of texts) {
    if (/^\d*$/.test(text)) continue;
    if (DECIMAL_POINT.test(text)) {
      points += 1;
      continue;
    }
    if (DECIMAL_COMMA.test(text)) {
      commas += 1;
      continue;
    }
    const [withPoint, withComma] = [parseNumber(text, "."), parseNumber(text, ",")];
    if (withPoint !== null && withComma === null) points += 1;
    else if (withComma !== null && withPoint === null) commas += 1;
    else if (withPoint !== withComma) ambiguous ??= text;
  }
  if (points !== commas) return { separator: points > commas ? "." : ",", ambiguous: null };
  return { separator: fallback, ambiguous };
}

/** Parses a truth value in common languages. Returns null for other texts. @param {string} text */
function parseBoolean(text) {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : null;
}

/**
 * Converts a text to a value of the type of a column. A text that cannot be read stays a text. An empty
 * text is a missing value, null.
 * @param {string} text
 * @param {Column} column
 * @param {Notation} notation
 * @returns {unknown}
 */
export function convertText(text, column, notation) {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  switch (column.type) {
    case "number":
      return parseNumber(trimmed, notation.separator) ?? text;
    case "date":
      return parseDate(trimmed, notation) ?? text;
    case "boolean":
      return parseBoolean(trimmed) ?? text;
    case "choice":
      return column.choices?.find((choice) => choice.toLowerCase() === trimmed.toLowerCase()) ?? text;
    case "color":
      return trimmed;
    default:
      return text;
  }
}

/** Whether a cell is empty. @param {unknown} value */
export const isMissing = (value) => value === undefined || value === null || value === "";

/** Returns the text of a date cell or another object. @param {any} value @returns {string} */
function describeObject(value) {
  if (typeof value.display_value === "string") return value.display_value;
  return typeof value.date_string === "string" ? value.date_string : JSON.stringify(value);
}

/**
 * Whether the thousands of all numbers in a column are separated: if a number has five digits or more, and so needs a
 * separator. A column with at most four digits has none, because its numbers may be years. Columns of series are
 * decided together.
 * @param {readonly Record<string, unknown>[]} records
 * @param {readonly Column[]} columns all columns
 * @param {Column} column
 */
export function isGroupedColumn(records, columns, column) {
  if (!column.isRepeated) return hasLargeNumber(records, column.key);
  return columns.some(({ key, role, isRepeated }) => isRepeated && role === column.role && hasLargeNumber(records, key));
}

/** Whether a column has a number with five digits or more before the decimal separator. @param {readonly Record<string, unknown>[]} records @param {string} key */
function hasLargeNumber(records, key) {
  let known = largeNumbers.get(records);
  if (!known) largeNumbers.set(records, (known = new Map()));
  let isFound = known.get(key);
  if (isFound === undefined) {
    isFound = records.some((record) => typeof record[key] === "number" && Math.abs(record[key]) >= MIN_LARGE_NUMBER);
    known.set(key, isFound);
  }
  return isFound;
}

/** Returns a number as shown in cells. @param {number} value @param {string} locale @param {boolean} isGrouped whether four digits have a separator too */
function formatNumber(value, locale, isGrouped) {
  const size = Math.abs(value);
  if (size >= MIN_EXPONENT_NUMBER || (size > 0 && size < 1 / MIN_EXPONENT_NUMBER)) return toEditText(value, locale);
  const useGrouping = isGrouped ? "auto" : "min2";
  let format = numberFormats.get(`${useGrouping} ${locale}`);
  if (!format) {
    const options = /** @type {any} */ ({ maximumFractionDigits: 15, useGrouping });
    format = new Intl.NumberFormat(toValidLocale(locale), options);
    numberFormats.set(`${useGrouping} ${locale}`, format);
  }
  return format.format(value);
}

/**
 * Returns a value as shown in its cell.
 * @param {unknown} value
 * @param {string} locale
 * @param {boolean} [isGrouped] whether four digits have a separator too, see `isGroupedColumn`
 * @returns {string}
 */
export function formatValue(value, locale, isGrouped = false) {
  if (isMissing(value)) return "";
  if (typeof value === "number") return formatNumber(value, locale, isGrouped);
  if (typeof value === "boolean") return value ? getText("grid.yes") : getText("grid.no");
  return typeof value === "object" ? describeObject(value) : String(value);
}

/**
 * Returns the text for editing and for the clipboard. A number has no separators of groups, and reading
 * the text in the same language gives the same value.
 * @param {unknown} value
 * @param {string} locale
 * @returns {string}
 */
export function toEditText(value, locale) {
  if (typeof value === "number") return String(value).replace(".", findDecimalSeparator(locale));
  return formatValue(value, locale);
}

/**
 * Returns why a value does not fit the type of its column, or an empty text if it fits.
 * @param {unknown} value
 * @param {Column} column
 * @param {Notation} notation
 * @returns {string}
 */
export function findTypeProblem(value, column, notation) {
  if (isMissing(value) || column.type === "text") return "";
  const text = formatValue(value, notation.locale);
  if (column.type === "number") return typeof value === "number" || DURATION.test(text.trim()) ? "" : getText("grid.noNumber", { text });
  if (column.type === "boolean") return typeof value === "boolean" ? "" : getText("grid.noTruthValue", { text });
  if (column.type === "choice") return column.choices?.includes(String(value)) ? "" : getText("grid.noChoice", { text, choices: column.choices?.join(", ") ?? "" });
  if (column.type === "color") return isColor(value) ? "" : getText("grid.noColorText", { text });
  const isDate = typeof value === "object" || typeof value === "number" || parseDate(String(value).trim(), notation) !== null;
  return isDate ? "" : getText("grid.noDate", { text });
}

/** Whether a value is a color of CSS. @param {unknown} value */
export const isColor = (value) => typeof value === "string" && CSS.supports("color", value.trim());
