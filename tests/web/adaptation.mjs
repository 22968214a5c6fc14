// Tests of the pages in languages that do not exist yet: right-to-left, and with longer texts; and of texts of double size.

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

/** Makes the texts of the scripts 40 % longer, with words of six letters. */
function lengthenTexts() {
  const lengthen = (/** @type {any} */ entry) => {
    if (typeof entry !== "string") return { one: lengthen(entry.one), other: lengthen(entry.other) };
    const length = Math.ceil(entry.replace(/\{\w+\}/g, "").length * 0.4);
    return `${entry}${length < 6 ? "~".repeat(length) : " ~~~~~~".repeat(Math.ceil(length / 7))}`;
  };
  /** @type {Record<string, any>} */
  let texts = {};
  Object.defineProperty(globalThis, "chartroomTexts", {
    get: () => texts,
    set: (all) => (texts = Object.fromEntries(Object.entries(all).map(([key, entry]) => [key, lengthen(entry)]))),
  });
}

/** Returns the texts of controls that are cut. @param {import("playwright-core").Page} page */
const listCutTexts = (page) =>
  page.evaluate(() => {
    const isCut = (/** @type {Element} */ element) => element.scrollWidth > element.clientWidth + 2 && !element.closest(".hidden") && getComputedStyle(element).textOverflow !== "ellipsis";
    return [...document.querySelectorAll("button, label, h2, h3, legend")].filter((element) => element.checkVisibility() && isCut(element)).map((element) => element.textContent);
  });

test("controls have space for texts that are 40 % longer", async () => {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    const page = await openPage(chromium, server, { viewport: { width, height } });
    await signIn(page, account);
    await page.addInitScript(lengthenTexts);
    await checkWidths(page);
    await page.locator("#tool-comments", { hasText: "Comments~" }).waitFor();
    for (const name of ["share", "export"]) {
      await page.locator(`#tool-${name}`).click();
      await page.locator("dialog[open] h2").waitFor();
      await assertNoHorizontalScroll(page);
      assert.deepEqual(await listCutTexts(page), [], `${name}, ${width} px`);
      await page.keyboard.press("Escape");
    }
    assertNoErrors(page);
    await page.context().close();
  }
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
