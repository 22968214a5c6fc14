// Test that the script of cast screens is ECMAScript 2015, with a parser that rejects later syntax.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parse } from "acorn";

const SCRIPT = new URL("../../assets/cast/cast.js", import.meta.url);
const PARSER_OPTIONS = { ecmaVersion: 2015, sourceType: "script", allowHashBang: false };

/** Syntax of later editions. The parser must reject it, because otherwise the check proves nothing. */
const LATER_SYNTAX = [
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
  for (const text of LATER_SYNTAX) assert.throws(() => parse(text, PARSER_OPTIONS), text);
  parse(readFileSync(SCRIPT, "utf8"), PARSER_OPTIONS);
  console.log("ok   the script of cast screens is ECMAScript 2015\nresult: 1 passed, 0 failed");
} catch (error) {
  console.log(`FAIL the script of cast screens is ECMAScript 2015\n${error}\nresult: 0 passed, 1 failed`);
  process.exitCode = 1;
}
