// @ts-check
/** Formats times for people: relative and local times. */

import { h } from "./core.js";

/** Locale with the language of the page and the region of the browser. */
const LOCALE = (() => {
  const page = document.documentElement.lang || "en";
  return navigator.languages.find((it) => it.split("-")[0] === page) ?? page;
})();

/** Units of `Intl.RelativeTimeFormat` with their length in seconds, longest first. */
const UNITS = /** @type {const} */ ([
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
]);

const ago = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
const day = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const date = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(LOCALE, { timeStyle: "short" });

/**
 * Returns a relative time: “just now”, “5 minutes ago”, “yesterday”, “12 Nov”, “12 Nov 2025”.
 * @param {string | number | Date} stamp
 * @param {number} [now] milliseconds
 * @returns {string}
 */
export function relativeTime(stamp, now = Date.now()) {
  const then = new Date(stamp);
  const seconds = (then.getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return String(stamp);
  if (Math.abs(seconds) < 60) return "just now";
  if (Math.abs(seconds) >= 7 * 86400) {
    return (then.getFullYear() === new Date(now).getFullYear() ? day : date).format(then);
  }
  const [unit, length] = UNITS.find((it) => Math.abs(seconds) >= it[1]) ?? UNITS[2];
  return ago.format(Math.trunc(seconds / length), unit);
}

/**
 * Returns the date and time in local time: “12 Nov 2025, 14:02”.
 * @param {string | number | Date} stamp
 * @returns {string}
 */
export function localTime(stamp) {
  return moment.format(new Date(stamp));
}

/**
 * Returns the time of day: “14:02”.
 * @param {string | number | Date} stamp
 * @returns {string}
 */
export function clockTime(stamp) {
  return clock.format(new Date(stamp));
}

/**
 * Creates a `<time>` with the relative time as text and the local time as tooltip.
 * @param {string} stamp RFC 3339 time from the API
 * @returns {HTMLTimeElement}
 */
export function timeElement(stamp) {
  return h("time", { datetime: stamp, title: localTime(stamp), "data-ago": "" }, relativeTime(stamp));
}

/**
 * Replaces UTC times from the server by local times, and updates relative times regularly.
 * @param {ParentNode} [within]
 */
export function localTimes(within = document) {
  const say = () => {
    for (const it of within.querySelectorAll("time[datetime]")) {
      const stamp = it.getAttribute("datetime") ?? "";
      if (Number.isNaN(Date.parse(stamp))) continue;
      const text = it.hasAttribute("data-ago") ? relativeTime(stamp) : localTime(stamp);
      if (it.textContent !== text) it.textContent = text;
      if (!it.hasAttribute("title")) it.setAttribute("title", localTime(stamp));
    }
  };
  say();
  setInterval(say, 60_000);
}
