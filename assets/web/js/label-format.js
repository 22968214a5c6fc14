// @ts-check
/** Labels, numbers and lists within other texts, and settings without a label. */

import { PAGE_LANGUAGE } from "./texts.js";

/** Numbers without separators of thousands, with all digits. */
const PLAIN_NUMBER_FORMAT = new Intl.NumberFormat(PAGE_LANGUAGE, { useGrouping: false, maximumFractionDigits: 20 });
/** Lists without a comma before the last word. */
const LIST_FORMAT = new Intl.ListFormat(PAGE_LANGUAGE === "en" ? "en-GB" : PAGE_LANGUAGE);

/**
 * Settings that the server keeps for itself: `fromTable` has the values that the last table has set, so that the next
 * one replaces them. They are not shown.
 */
export const INTERNAL_SETTINGS = ["fromTable"];

/** Returns a label for use inside a sentence. Other languages than English keep the capital letters of nouns. @param {string} label */
export const toInnerLabel = (label) => (PAGE_LANGUAGE === "en" ? label.toLowerCase() : label);

/** Formats a value of the data as it is, with the decimal separator of the language. @param {unknown} value */
export const formatDataValue = (value) => (typeof value === "number" ? PLAIN_NUMBER_FORMAT.format(value) : String(value));

/** Joins names as in “A, B and C”. @param {string[]} names */
export const joinNames = (names) => LIST_FORMAT.format(names);
