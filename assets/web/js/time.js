// @ts-check
/** Formatting of relative and local times. */

import { h } from "./core.js";
import { PAGE_LANGUAGE, getText } from "./texts.js";

/** Locale with the language of the page and the region of the browser. */
const LOCALE = (() => {
  return navigator.languages.find((locale) => locale.split("-")[0] === PAGE_LANGUAGE) ?? PAGE_LANGUAGE;
})();

/** Units of `Intl.RelativeTimeFormat` with their length in seconds, longest first. */
const UNITS = /** @type {const} */ ([
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
]);

const RELATIVE_FORMAT = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
const DAY_FORMAT = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const DATE_FORMAT = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const DATE_TIME_FORMAT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });
const DAY_TIME_FORMAT = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const FULL_DATE_FORMAT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full" });
const CLOCK_FORMAT = new Intl.DateTimeFormat(LOCALE, { timeStyle: "short" });

/**
 * Formats a time relative to `now`. Times of at least seven days ago or ahead are dates. Returns the
 * stamp unchanged if it is invalid. Examples: “just now”, “5 minutes ago”, “yesterday”, “12 Nov”, “12 Nov 2025”.
 * @param {string | number | Date} stamp
 * @param {number} [now] milliseconds
 * @returns {string}
 */
export function formatRelativeTime(stamp, now = Date.now()) {
  const then = new Date(stamp);
  const seconds = (then.getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return String(stamp);
  if (Math.abs(seconds) < 60) return getText("time.justNow");
  if (Math.abs(seconds) >= 7 * 86400) {
    return (then.getFullYear() === new Date(now).getFullYear() ? DAY_FORMAT : DATE_FORMAT).format(then);
  }
  const [unit, length] = UNITS.find((entry) => Math.abs(seconds) >= entry[1]) ?? UNITS[2];
  return RELATIVE_FORMAT.format(Math.trunc(seconds / length), unit);
}

/**
 * Formats date and time in local time: “12 Nov 2025, 14:02”.
 * @param {string | number | Date} stamp
 * @returns {string}
 */
export function formatLocalTime(stamp) {
  return DATE_TIME_FORMAT.format(new Date(stamp));
}

/**
 * Formats the date in local time: “Wednesday, 12 November 2025”.
 * @param {string | number | Date} stamp
 * @returns {string}
 */
export function formatFullDate(stamp) {
  return FULL_DATE_FORMAT.format(new Date(stamp));
}

/**
 * Formats the time of day in local time: “14:02”.
 * @param {string | number | Date} stamp
 * @returns {string}
 */
export function formatClockTime(stamp) {
  return CLOCK_FORMAT.format(new Date(stamp));
}

/**
 * Formats a time that is usually today: “14:02”, or with the date on another day, “12 Nov, 14:02”.
 * @param {string | number | Date} stamp
 * @param {number} [now] milliseconds
 * @returns {string}
 */
export function formatMoment(stamp, now = Date.now()) {
  const [then, today] = [new Date(stamp), new Date(now)];
  if (then.toDateString() === today.toDateString()) return CLOCK_FORMAT.format(then);
  return (then.getFullYear() === today.getFullYear() ? DAY_TIME_FORMAT : DATE_TIME_FORMAT).format(then);
}

/**
 * Creates a `<time>` with the result of `formatMoment` as text and the complete time as tooltip.
 * @param {string} stamp RFC 3339 time from the API
 * @returns {HTMLTimeElement}
 */
export function createMomentElement(stamp) {
  return h("time", { datetime: stamp, title: formatLocalTime(stamp), "data-moment": "" }, formatMoment(stamp));
}

/**
 * Creates a `<time>` with the relative time as text and the local time as tooltip.
 * @param {string} stamp RFC 3339 time from the API
 * @returns {HTMLTimeElement}
 */
export function createTimeElement(stamp) {
  return h("time", { datetime: stamp, title: formatLocalTime(stamp), "data-ago": "" }, formatRelativeTime(stamp));
}

/**
 * Replaces UTC times from the server by local times, and updates relative times each minute. A time
 * with `data-utc` stays and has the local time only as tooltip.
 * @param {ParentNode} [within]
 */
export function localizeTimes(within = document) {
  const update = () => {
    for (const element of within.querySelectorAll("time[datetime]")) {
      const stamp = element.getAttribute("datetime") ?? "";
      if (Number.isNaN(Date.parse(stamp))) continue;
      if (element.hasAttribute("data-utc")) {
        element.setAttribute("title", getText("time.localTime", { time: formatLocalTime(stamp) }));
        continue;
      }
      const format = element.hasAttribute("data-ago") ? formatRelativeTime : element.hasAttribute("data-moment") ? formatMoment : formatLocalTime;
      const shown = format(stamp);
      if (element.textContent !== shown) element.textContent = shown;
      if (!element.hasAttribute("title")) element.setAttribute("title", formatLocalTime(stamp));
    }
  };
  update();
  setInterval(update, 60_000);
}
