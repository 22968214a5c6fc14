// Tests of the times of day of a schedule without a browser, at a place where the clocks change.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { runTests, test } from "./lib.mjs";

process.env.TZ = "Europe/Berlin";

// Node treats a file as a module only if a package.json says so. A data URL needs none.
const text = readFileSync(new URL("../../assets/web/js/sync-schedule.js", import.meta.url), "utf8");
const source = Buffer.from(text.replace(/^import .*$/m, "")).toString("base64");
const { toLocal, toUtc } = await import(`data:text/javascript;base64,${source}`);

// The clocks change in the night before Sunday, 29 March 2026: from UTC+1 to UTC+2.
const FRIDAY = new Date("2026-03-27T12:00:00+01:00");
const MONDAY = new Date("2026-03-30T12:00:00+02:00");

test("a daily time is that of the next run, on whichever day of the week it is", () => {
  assert.equal(toUtc({ time: "18:00" }, FRIDAY).time, "17:00");
  assert.equal(toUtc({ time: "09:00" }, FRIDAY).time, "08:00");
  assert.equal(toUtc({ time: "18:00" }, MONDAY).time, "16:00");
  assert.equal(toLocal({ time: "17:00" }, FRIDAY).time, "18:00");
  assert.equal(toLocal({ time: "16:00" }, MONDAY).time, "18:00");
});

test("a weekly time is that on its day, also after the clocks change", () => {
  assert.deepEqual(toUtc({ time: "09:00", day: 1 }, FRIDAY), { time: "07:00", day: 1 });
  assert.deepEqual(toUtc({ time: "00:30", day: 1 }, FRIDAY), { time: "22:30", day: 0 });
  assert.deepEqual(toUtc({ time: "13:00", day: 5 }, FRIDAY), { time: "12:00", day: 5 });
  assert.deepEqual(toUtc({ time: "11:00", day: 5 }, FRIDAY), { time: "09:00", day: 5 });
  assert.deepEqual(toLocal({ time: "22:30", day: 0 }, FRIDAY), { time: "00:30", day: 1 });
});

test("a time that the day of the change lacks stays the same on other days", () => {
  const change = new Date("2026-03-29T00:30:00+01:00");
  assert.deepEqual(toUtc({ time: "02:30", day: 3 }, change), { time: "00:30", day: 3 });
});

await runTests();
