// Tests of the joined scripts and style sheets. An independent parser compares the served scripts with the
// modules that developers write, and the browser counts the requests and bytes of the pages.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, tokenizer } from "acorn";
import { assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const SCRIPT_FOLDER = new URL("../../assets/web/js/", import.meta.url);
const PARSER_OPTIONS = { ecmaVersion: "latest", sourceType: "module" };

const PASSWORD = "correct horse battery";

const directory = await mkdtemp(join(tmpdir(), "chartroom-bundles-"));
const server = await startServer({ demo: false, directory });
await runCommand(directory, ["user", "create", "--email", "ann@example.org", "--name", "Ann", "--password-stdin"], PASSWORD);
const browser = await launchBrowser();
const page = await openPage(browser, server);
await signIn(page, { email: "ann@example.org", password: PASSWORD });
const scriptFolder = await page.evaluate(() => /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=modulepreload]")).href.replace(/[^/]*$/, ""));

/** Fetches a served script. @param {string} name */
async function fetchScript(name) {
  const response = await fetch(scriptFolder + name);
  assert.equal(response.status, 200, name);
  return response.text();
}

/** Returns the tokens of a text without positions. Braces, commas and parentheses are tokens too. @param {string} text */
const listTokens = (text) => [...tokenizer(text, PARSER_OPTIONS)].map((token) => (token.value === undefined ? token.type.label : `${token.type.label} ${JSON.stringify(token.value?.source ?? token.value)}`)).join("\n");

/** Returns a module without its imports and exports, as the bundles contain it. @param {string} text */
function stripModuleSyntax(text) {
  let stripped = "";
  let position = 0;
  for (const node of /** @type {any[]} */ (parse(text, PARSER_OPTIONS).body)) {
    const isList = node.type === "ImportDeclaration" || (node.type === "ExportNamedDeclaration" && !node.declaration);
    if (isList) {
      stripped += text.slice(position, node.start);
      position = node.end;
    } else if (node.type === "ExportNamedDeclaration") {
      stripped += text.slice(position, node.start);
      position = node.declaration.start;
    }
  }
  return stripped + text.slice(position);
}

test("joined scripts have the tokens of the modules", async () => {
  const names = readdirSync(SCRIPT_FOLDER).filter((name) => name.endsWith(".js"));
  const bundles = ["shared", "dialogs", "changes", "components", "page", "cloud", "library", "chart", "editor"].map((name) => `bundle-${name}.js`);
  const texts = await Promise.all([...bundles, ...names].map(fetchScript));
  for (const text of texts) parse(text, PARSER_OPTIONS);
  // A bundle is the place where a dynamic import finds a module.
  const joined = texts.map((text) => listTokens(text.replace(/import\("\.\/bundle-\w+\.js"\)\.then\(\(bundle\) => bundle\.\$(\w+)\)/g, (_, name) => `import("./${name.replaceAll("_", "-")}.js")`)));
  assert.ok(names.length > 80, String(names.length));
  for (const name of names) {
    const tokens = listTokens(stripModuleSyntax(readFileSync(new URL(name, SCRIPT_FOLDER), "utf8")));
    assert.ok(tokens.length > 100 && joined.some((text) => text.includes(tokens)), `${name} is served with other tokens`);
  }
});

test("a module of a bundle is one instance, however it is imported", async () => {
  const same = await page.evaluate(async (folder) => {
    const [shared, core] = await Promise.all([import(`${folder}bundle-shared.js`), import(`${folder}core.js`)]);
    return shared.$core.signal === core.signal && typeof core.signal === "function";
  }, scriptFolder);
  assert.equal(same, true);
});

/** Loads a page with an empty cache. Returns the number of requests and the transferred bytes. @param {string} path @param {string} selector element to wait for */
async function measureFirstVisit(path, selector) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  const sum = { requests: 0, bytes: 0 };
  session.on("Network.requestWillBeSent", () => (sum.requests += 1));
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (sum.bytes += encodedDataLength));
  await page.goto(path, { waitUntil: "networkidle" });
  await page.locator(selector).first().waitFor();
  await session.detach();
  return sum;
}

test("the editor loads at most 40 files and 250 kB, the library at most 30 and 200 kB", async () => {
  const { document_view } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const editor = await measureFirstVisit(new URL(document_view).pathname, "chart-grid [role=gridcell]");
  const library = await measureFirstVisit("/", ".cards li");
  const text = JSON.stringify({ editor, library });
  console.log(`     ${text}`);
  assert.ok(editor.requests <= 40 && editor.bytes <= 250_000, text);
  assert.ok(library.requests <= 30 && library.bytes <= 200_000, text);
  assertNoErrors(page);
});

await runTests(async () => {
  await browser.close();
  await server.remove();
  await rm(directory, { recursive: true, force: true });
});
