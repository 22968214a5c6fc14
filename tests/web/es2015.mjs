// Says whether a script is ECMAScript 2015, by a parser that knows no later edition:
// `node tests/web/es2015.mjs FILE …`.
import { readFileSync } from "node:fs";
import { parse } from "acorn";

const options = { ecmaVersion: 2015, sourceType: "script", allowHashBang: false };

// What later editions brought must be refused, else the check says nothing.
const later = [
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
for (const text of later) {
  try {
    parse(text, options);
  } catch {
    continue;
  }
  console.error(`the parser takes what came after 2015: ${text}`);
  process.exit(2);
}

for (const file of process.argv.slice(2)) {
  try {
    parse(readFileSync(file, "utf8"), options);
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    process.exit(1);
  }
}
