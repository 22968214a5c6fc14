// @ts-check
/** Dates in the texts of the data grid. The notation of a column is decided by all its texts. */

/** @typedef {import("./grid-values.js").Notation} Notation */
/** @typedef {{ year: number, month: number, day?: number }} CalendarDate */

/** Maximum length of a date in characters. Longer texts are not dates. */
const MAX_DATE_LENGTH = 40;
/** Two-digit years below this number belong to the 21st century. The server uses the same number. */
const CENTURY_PIVOT = 70;

const ISO_DATE = /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[-+]\d{2}:?\d{2})?)?)?)?$/;
const PERIOD = /^(?:\d{4}[-/ ]?(?:[QT][1-4]|H[12]|(?:W|KW|CW) ?\d{1,2})|(?:[QT][1-4]|H[12]|(?:W|KW|CW) ?\d{1,2})[-/ ]?\d{4})$/i;
const TIME = /[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?: ?([ap])\.?m\.?)?(?: ?(Z|UTC|[-+]\d{2}:?\d{2}))?$/i;
const NUMERIC_DATE = /^(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})\.?$/;
const NUMERIC_MONTH = /^(\d{1,2})[./-](\d{4})$/;
const SIGNED_DATE = /^(\d{4})[年년] ?(\d{1,2})[月월](?: ?(\d{1,2})[日일])?$/;

/**
 * Folded names of the months and their abbreviations in the languages with Latin letters that charts read, January first.
 * The server has the same list in `date_words.rs`.
 */
const LATIN_MONTHS = [
  "jan january januar janner januari janv janvier ene enero gen gennaio janeiro sty styczen stycznia",
  "feb february februar feber februari fevr fev fevrier febrero febbraio fevereiro lut luty lutego",
  "mar march marz mrz maerz mars marzo marco mrt maart marts marzec marca",
  "apr april avr avril abr abril aprile kwi kwiecien kwietnia",
  "may mai mayo mag maggio maio mei maj maja",
  "jun june juni juin junio giu giugno junho cze czerwiec czerwca",
  "jul july juli juil juillet julio lug luglio julho lip lipiec lipca",
  "aug august aout ago agosto augustus augusti sie sierpien sierpnia",
  "sep sept september septembre septiembre setiembre set settembre setembro wrz wrzesien wrzesnia",
  "oct october okt oktober octobre octubre ott ottobre out outubro paz pazdziernik pazdziernika",
  "nov november novembre noviembre novembro lis listopad listopada",
  "dec december dez dezember decembre dic diciembre dicembre dezembro gru grudzien grudnia",
];
/** Folded words between the parts of a date, as in `3 de marzo de 2025`. The server has the same list. */
const FILLERS = new Set(["de", "del", "le", "of", "the", "den"]);

/** @type {Map<string, Map<string, number>>} Months by folded name and abbreviation, for each language. */
const monthNames = new Map();

/** Removes case, diacritics and points. @param {string} word */
const fold = (word) => word.normalize("NFKD").replace(/[\p{M}.]/gu, "").toLowerCase();

/** Returns the months by name, in a language and in those that charts read. @param {string} locale */
function listMonthNames(locale) {
  let names = monthNames.get(locale);
  if (names) return names;
  names = new Map(LATIN_MONTHS.flatMap((words, index) => words.split(" ").map((word) => /** @type {[string, number]} */ ([word, index + 1]))));
  for (let month = 1; month <= 12; month += 1) {
    for (const options of /** @type {Intl.DateTimeFormatOptions[]} */ ([{ month: "long" }, { month: "short" }, { month: "long", day: "numeric" }, { month: "short", day: "numeric" }])) {
      const parts = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).formatToParts(Date.UTC(2024, month - 1, 3));
      const name = fold(parts.find((part) => part.type === "month")?.value ?? "");
      if (/\p{L}/u.test(name)) names.set(name, month);
    }
  }
  monthNames.set(locale, names);
  return names;
}

/** Returns a year of four digits. @param {string} text */
function readYear(text) {
  const year = Number(text);
  return text.length > 2 ? year : year + (year < CENTURY_PIVOT ? 2000 : 1900);
}

/** Returns the date if the calendar has it, and null otherwise. @param {number} year @param {number} month @param {number} [day] @returns {CalendarDate | null} */
function checkDate(year, month, day) {
  const isValid = month >= 1 && month <= 12 && (day === undefined || (day >= 1 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()));
  return isValid ? { year, month, day } : null;
}

/** Parses `31.12.2023`, `12/31/23`, `2023/12/31` and `12/2023`. @param {string} text @param {boolean} monthFirst */
function parseNumericDate(text, monthFirst) {
  const monthOnly = NUMERIC_MONTH.exec(text);
  if (monthOnly) return checkDate(Number(monthOnly[2]), Number(monthOnly[1]));
  const [, first, sign, second, third] = NUMERIC_DATE.exec(text) ?? [];
  if (!first) return null;
  if (first.length === 4) return third.length <= 2 ? checkDate(Number(first), Number(second), Number(third)) : null;
  // The year may be the first number of `24-03-05`.
  if (first.length > 2 || (third.length !== 4 && (third.length !== 2 || sign === "-"))) return null;
  const [day, month] = monthFirst ? [second, first] : [first, second];
  return checkDate(readYear(third), Number(month), Number(day));
}

/** Parses `3. März 2024`, `March 3, 2024` and `Mar 24`, a month with a year. @param {string} text @param {string} locale */
function parseDateOfWords(text, locale) {
  const words = text.split(/[\s,/-]+|(?<=\d)\.(?=\s|$)/).filter((word) => word && !FILLERS.has(word.toLowerCase()));
  const names = listMonthNames(locale);
  const monthAt = words.findLastIndex((word) => names.has(fold(word)));
  if (monthAt < 0 || words.length > 4) return null;
  const month = /** @type {number} */ (names.get(fold(words[monthAt])));
  const numbers = words.filter((_, index) => index !== monthAt).map((word) => /^'?(\d{1,4})(?:st|nd|rd|th|\.)?$/i.exec(word)?.[1]);
  // A weekday may stand before the date.
  const [first, second] = /^\p{L}+\.?$/u.test(words[0]) && monthAt > 0 ? numbers.slice(1) : numbers;
  if (!first || (numbers.length > 2 && !second)) return null;
  if (!second) return first.length < 4 && monthAt > 0 ? null : checkDate(readYear(first), month);
  const [year, day] = first.length === 4 ? [first, second] : [second, first];
  return checkDate(readYear(year), month, Number(day));
}

/** Returns the time of day in the notation of ISO 8601, or null for an invalid time. @param {RegExpExecArray} match */
function formatTime([, hours, minutes, seconds, halfDay, zone]) {
  const hour = halfDay ? (Number(hours) % 12) + (halfDay.toLowerCase() === "p" ? 12 : 0) : Number(hours);
  if (hour > 24 || Number(minutes) > 59 || Number(seconds ?? 0) > 59 || (halfDay && Number(hours) > 12)) return null;
  const suffix = zone && (/^[zu]/i.test(zone) ? "Z" : zone);
  return `${String(hour).padStart(2, "0")}:${minutes}${seconds ? `:${seconds}` : ""}${suffix ?? ""}`;
}

/** Splits a text into the date and the time of day. The time is null if it is invalid. @param {string} text */
function splitTime(text) {
  const match = TIME.exec(text);
  return match ? { day: text.slice(0, match.index), time: formatTime(match) } : { day: text, time: "" };
}

/** Whether the numbers of a date are separated by points. @param {string} text */
const isDotted = (text) => /^\d{1,2}\. ?\d/.test(text);

/**
 * Returns a date in the notation of ISO 8601, such as `2026-03-09` or `2026-03`, possibly with a time of day.
 * Returns quarters and weeks unchanged, because charts read them. Returns null if the text is not a date.
 * @param {string} text without space around it
 * @param {Notation} notation
 * @returns {string | null}
 */
export function parseDate(text, notation) {
  if (text.length > MAX_DATE_LENGTH || !/\d/.test(text.normalize("NFKC"))) return null;
  const source = text.normalize("NFKC");
  if (PERIOD.test(source)) return text;
  if (ISO_DATE.test(source)) {
    const [, year, month, day] = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?/.exec(source) ?? [];
    return checkDate(Number(year), Number(month ?? 1), day ? Number(day) : undefined) && text;
  }
  const { day, time } = splitTime(source);
  if (time === null) return null;
  const [, year, month, dayNumber] = SIGNED_DATE.exec(day) ?? [];
  const date = year
    ? checkDate(Number(year), Number(month), dayNumber ? Number(dayNumber) : undefined)
    : parseNumericDate(day, isDotted(day) ? notation.dottedMonthFirst : notation.monthFirst) ?? parseDateOfWords(day, notation.locale);
  if (!date || (time && date.day === undefined)) return null;
  const iso = [String(date.year).padStart(4, "0"), date.month, date.day].filter((part) => part !== undefined);
  return iso.map((part) => String(part).padStart(2, "0")).join("-") + (time ? ` ${time}` : "");
}

/**
 * Returns the notation in which most dates of a column can be read. Without a date that has only one
 * reading, the order is that of the language, and `ambiguous` is a text with two readings. Dates with points
 * have the day first unless one of them cannot.
 * @param {string[]} texts
 * @param {Notation} fallback
 * @returns {{ notation: Notation, ambiguous: string | null }}
 */
export function voteDateOrder(texts, fallback) {
  const counts = { dotted: 0, separated: 0 };
  /** @type {string | null} */
  let ambiguous = null;
  let hasHalfDay = false;
  for (const source of texts) {
    const { day } = splitTime(source.trim());
    const [dayFirst, monthFirst] = [parseNumericDate(day, false), parseNumericDate(day, true)];
    const kind = isDotted(day) ? "dotted" : "separated";
    if (dayFirst && !monthFirst) counts[kind] -= 1;
    else if (monthFirst && !dayFirst) counts[kind] += 1;
    else if (kind === "separated" && dayFirst && monthFirst && dayFirst.day !== monthFirst.day) {
      ambiguous ??= source.trim();
      hasHalfDay ||= /\d ?[ap]\.?m\.?$/i.test(source);
    }
  }
  const monthFirst = counts.separated ? counts.separated > 0 : hasHalfDay || fallback.monthFirst;
  return { notation: { ...fallback, monthFirst, dottedMonthFirst: counts.dotted > 0 }, ambiguous: counts.separated ? null : ambiguous };
}
