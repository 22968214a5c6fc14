// @ts-check
/** Times of day and days of the week of a schedule, in the time zone of the browser and in UTC. */

import { getText } from "./texts.js";

/** Lengths of units in seconds. */
const [MINUTE, HOUR, DAY, WEEK] = [60, 3600, 86_400, 604_800];

/** Intervals in seconds that the dialog offers. 0 is a single download. */
export const INTERVALS = [0, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, DAY, WEEK];

/**
 * A time of day as `HH:MM`, and a day of the week, where Sunday is 0. A daily time has no day.
 * @typedef {{ time: string, day?: number }} Moment
 */

/** Whether runs with this interval are at a time of day. @param {number} interval seconds */
export const hasTimeOfDay = (interval) => interval >= DAY;

/** Whether runs with this interval are on a day of the week. @param {number} interval seconds */
export const hasDayOfWeek = (interval) => interval >= WEEK && interval % WEEK === 0;

/** Writes numbers of hours and minutes as `HH:MM`. @param {number} hours @param {number} minutes */
const formatTime = (hours, minutes) => [hours, minutes].map((number) => String(number).padStart(2, "0")).join(":");

/**
 * Converts local time to UTC, for the next time with this time of day, on this day if there is one. The result differs
 * after the clocks change.
 * @param {Moment} local
 * @param {Date} [now]
 * @returns {{ time: string, day: number }}
 */
export function toUtc({ time, day }, now = new Date()) {
  const [hours, minutes] = time.split(":").map(Number);
  // Each date is built from its parts, because a step of days from a time that a day lacks would keep the wrong hour.
  const next = findNext(day, now.getDay(), now, (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours, minutes));
  return { time: formatTime(next.getUTCHours(), next.getUTCMinutes()), day: next.getUTCDay() };
}

/**
 * Converts UTC to local time. See `toUtc`.
 * @param {Moment} utc
 * @param {Date} [now]
 * @returns {{ time: string, day: number }}
 */
export function toLocal({ time, day }, now = new Date()) {
  const [hours, minutes] = time.split(":").map(Number);
  const next = findNext(day, now.getUTCDay(), now, (days) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, hours, minutes)));
  return { time: formatTime(next.getHours(), next.getMinutes()), day: next.getDay() };
}

/**
 * Finds the first time that is not before now, on a day of the week, or on any day without one.
 * @param {number | undefined} day
 * @param {number} today
 * @param {Date} now
 * @param {(days: number) => Date} build returns the time so many days after today
 */
function findNext(day, today, now, build) {
  const days = day === undefined ? 0 : (day - today + 7) % 7;
  const first = build(days);
  return first < now ? build(days + (day === undefined ? 1 : 7)) : first;
}

/** Describes an interval: “Every hour”, “Every 2 weeks”. @param {number} interval seconds */
export function describeInterval(interval) {
  if (interval === 0) return getText("sync.once");
  if (interval % WEEK === 0) return getText("sync.everyWeeks", { count: interval / WEEK });
  if (interval >= DAY) return getText("sync.everyDays", { count: Math.round(interval / DAY) });
  if (interval % HOUR === 0) return getText("sync.everyHours", { count: interval / HOUR });
  if (interval % MINUTE === 0) return getText("sync.everyMinutes", { count: interval / MINUTE });
  return getText("sync.everySeconds", { count: interval });
}
