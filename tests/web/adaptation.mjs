// Tests of the pages in a right-to-left language, of which there is none yet, and with texts of double size.

import assert from "node:assert/strict";
import { assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const account = server.welcome.sign_in;
const chromium = await launchBrowser();
const PAGES = ["/", "/recent", "/trash", "/search?q=energy", "/account", "/account/security", "/account/tokens", "/orgs/harbour-news", "/help/api"];
const PANELS = ["comments", "settings", "text", "style", "notes"];

/** Opens the editor of a new chart. Returns the address of its page. */
async function openNewChart(page) {
  const { document_view } = await callApi(page, "POST", "/create-document", { widget: "grouped-column" });
  const view = new URL(document_view).pathname;
  await page.goto(view);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  return view;
}

/** Checks that pages and the panels of the editor do not scroll horizontally. */
async function checkWidths(page) {
  for (const path of PAGES) {
    await page.goto(path);
    await page.locator("main h1").first().waitFor();
    await assertNoHorizontalScroll(page);
  }
  await openNewChart(page);
  for (const name of PANELS) {
    const button = page.locator(`#tool-${name}`);
    if ((await button.getAttribute("aria-expanded")) !== "true") await button.click();
    await page.locator("#panel h2").waitFor();
    await assertNoHorizontalScroll(page);
  }
}

test("a page in a right-to-left language is mirrored, and its charts are not", async () => {
  const page = await openPage(chromium, server, { viewport: { width: 1280, height: 800 } });
  await signIn(page, account);
  const turn = () => document.addEventListener("DOMContentLoaded", () => (document.documentElement.dir = "rtl"));
  await page.addInitScript(turn);
  await checkWidths(page);
  const findStart = async (selector) => (await page.locator(selector).first().boundingBox())?.x ?? assert.fail(selector);
  const titleBox = await page.locator(".paper [data-part=title]").first().boundingBox();
  const imageBox = await page.locator(".paper svg").boundingBox();
  assert.ok(titleBox && imageBox && titleBox.x > imageBox.x && titleBox.x + titleBox.width < imageBox.x + imageBox.width, JSON.stringify([titleBox, imageBox]));
  assert.ok((await findStart(".panel-buttons")) > (await findStart("#panel")), "the panel is at the left");
  await page.goto("/");
  assert.ok((await findStart("#rail")) > (await findStart("ul.charts")), "the rail is at the right");
  // The checkbox of a folder is beside its name, not above it.
  const folder = page.locator("li.folder").first();
  await folder.hover();
  const [name, pick] = [await folder.locator(".title").boundingBox(), await folder.locator(".pick").boundingBox()];
  assert.ok(name && pick && (pick.x >= name.x + name.width || pick.x + pick.width <= name.x), JSON.stringify([name, pick]));
  assertNoErrors(page);
  await page.context().close();
});

test("pages fit the window with texts of double size", async () => {
  const large = await launchBrowser(["--blink-settings=defaultFontSize=32"]);
  const page = await openPage(large, server, { viewport: { width: 1280, height: 900 } });
  await signIn(page, account);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), "32px");
  await checkWidths(page);
  assertNoErrors(page);
  await large.close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
