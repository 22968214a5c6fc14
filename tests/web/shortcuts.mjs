// Tests of the keyboard shortcuts that open pages, dialogs and parts of the editor.

import assert from "node:assert/strict";
import { assertNoErrors, callApi, openPage, runTests, signIn, test } from "./lib.mjs";
import { chromium, createChart, openEditor, page, PASSWORD, server } from "./editor-driver.mjs";

const hasFocus = (selector) => page.waitForFunction((wanted) => document.activeElement?.closest(wanted), selector);
/** Leaves cells and fields, so that letters are shortcuts. */
const focusButton = () => page.locator("#tool-share").focus();

test("G and L open the library, G and N the dialog for a new chart", async () => {
  const chart = await createChart("Places");
  await openEditor(chart);
  await focusButton();
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.waitForURL((url) => url.pathname === "/");
  await page.locator("li.chart").first().waitFor();
  for (const start of ["/", "/trash", "/account", chart.view]) {
    await page.goto(start);
    if (start === chart.view) await openEditor(chart);
    await page.locator("#account-button, [popovertarget=account]").first().focus();
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.locator("dialog[open]").getByRole("heading", { name: "New chart" }).waitFor();
    assert.equal(await page.locator("dialog[open]").count(), 1, start);
    await page.keyboard.press("Escape");
  }
});

test("T edits the title, D goes to the data, A to the notes, and Ctrl+Shift+E exports", async () => {
  await openEditor(await createChart("Keys of the editor"));
  await focusButton();
  await page.keyboard.press("t");
  await hasFocus("textarea.canvas-text, .canvas-text");
  // Letters are text now.
  await page.keyboard.press("End");
  await page.keyboard.type(" tad");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.textContent?.includes("editor tad"));
  await focusButton();
  await page.keyboard.press("d");
  await hasFocus("chart-grid");
  await focusButton();
  await page.keyboard.press("a");
  await hasFocus("#panel [role=group]");
  assert.equal(await page.locator("#panel-title").textContent(), "Notes");
  await page.keyboard.press("Control+Shift+e");
  await page.locator("dialog.export[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  const list = page.locator("dialog[open] dl");
  for (const text of ["G L", "T", "D", "A", "Ctrl+Shift+E"]) await list.getByText(text, { exact: true }).waitFor();
  await page.keyboard.press("Escape");
});

test("a reader has no keys of the editor, and letters in a cell are text", async () => {
  const chart = await createChart("Keys of readers");
  await openEditor(chart);
  await page.locator("chart-grid [role=gridcell]").first().click();
  await page.keyboard.type("gl");
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).pathname, chart.view);
  assert.equal(await page.locator("chart-grid [role=gridcell]").first().textContent(), "gl");
  const { owner, id } = await callApi(page, "GET", chart.path);
  await callApi(page, "POST", "/share", { owner, document: id, email: "ben@example.org" });
  const reader = await openPage(chromium, server);
  await signIn(reader, { email: "ben@example.org", password: PASSWORD });
  await reader.goto(chart.view);
  await reader.locator("#tool-share").waitFor();
  for (const key of ["t", "d", "a"]) await reader.keyboard.press(key);
  assert.equal(await reader.locator("#panel, dialog[open], .canvas-text").count(), 0);
  assertNoErrors(reader);
  await reader.context().close();
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
