// The receiver's script is ECMAScript 2015, by a parser that is told to know no later edition.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parse } from "acorn";

const SCRIPT = new URL("../../assets/cast/cast.js", import.meta.url);
const options = { ecmaVersion: 2015, sourceType: "script", allowHashBang: false };

/** What later editions brought: refused, or else the check says nothing. */
const LATER = [
  "a ** b",
  "async function f() {}",
  "f(a, b,)",
  "({ ...a })",
  "try {} catch {}",
  "a?.b",
  "a ?? b",
  "a ||= b",
  "1n",
  "1_000",
  "import('a')",
  "class A { b = 1 }",
  "/a/s",
  "/(?<=a)b/",
];

try {
  for (const text of LATER) assert.throws(() => parse(text, options), text);
  parse(readFileSync(SCRIPT, "utf8"), options);
  console.log("ok   the script of screens is ECMAScript 2015\nresult: 1 passed, 0 failed");
} catch (error) {
  console.log(`FAIL the script of screens is ECMAScript 2015\n${error}\nresult: 0 passed, 1 failed`);
  process.exitCode = 1;
}
