// @ts-check
/** Times for people: how long ago, and the moment in local time. */

import { h } from "./core.js";

/** The language of the page in the region of the reader. */
const LOCALE = (() => {
  const page = document.documentElement.lang || "en";
  return navigator.languages.find((it) => it.split("-")[0] === page) ?? page;
})();

/** Units of `Intl.RelativeTimeFormat` with their seconds, the longest first. */
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
 * A moment as one says it: “just now”, “5 minutes ago”, “yesterday”, “12 Nov”, “12 Nov 2025”.
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
 * A moment in full, in local time: “12 Nov 2025, 14:02”.
 * @param {string | number | Date} stamp
 * @returns {string}
 */
export function localTime(stamp) {
  return moment.format(new Date(stamp));
}

/**
 * The time of day alone: “14:02”.
 * @param {string | number | Date} stamp
 * @returns {string}
 */
export function clockTime(stamp) {
  return clock.format(new Date(stamp));
}

/**
 * A `<time>` that says how long ago and, in its tip, when.
 * @param {string} stamp as the interface writes it (RFC 3339)
 * @returns {HTMLTimeElement}
 */
export function timeElement(stamp) {
  return h("time", { datetime: stamp, title: localTime(stamp), "data-ago": "" }, relativeTime(stamp));
}

/**
 * Rewrites the times that the server wrote in UTC, and keeps them true from then on.
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
