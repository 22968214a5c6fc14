// Tests of the keys of the chart editor: dialogs, regions, and tables that are pasted or dropped anywhere.

import assert from "node:assert/strict";
import { cleanUp, createChart, DATA, getCell, openEditor, page, readDocument, save, waitForImageText } from "./editor-driver.mjs";
import { assertNoErrors, runTests, test } from "./lib.mjs";

test("letters that are typed while a dialog is loaded go into its field, and not into the grid or to shortcuts", async () => {
  const chart = await createChart("Held letters");
  await openEditor(chart);
  await getCell(1, 0).click();
  await page.route("**/js/*.js", (route) => setTimeout(() => route.continue().catch(() => {}), 300));
  await page.keyboard.press("Control+k");
  await page.keyboard.type("share");
  const field = page.locator("dialog.palette input");
  await field.waitFor();
  assert.equal(await field.inputValue(), "share");
  await page.keyboard.press("Enter");
  await page.keyboard.type("ben");
  await page.locator("dialog.share").waitFor();
  await page.keyboard.type("@example.org");
  assert.equal(await page.evaluate(() => document.activeElement?.value), "ben@example.org");
  await page.keyboard.press("Escape");
  await page.locator("dialog.share").waitFor({ state: "detached" });
  // The letter C would open the comments.
  await page.locator("#tool-share").click();
  await page.keyboard.type("c");
  await page.locator("dialog.share").waitFor();
  await page.unroute("**/js/*.js");
  assert.equal(await page.locator("#panel-title", { hasText: "Comments" }).count(), 0);
  await page.keyboard.press("Escape");
  assert.deepEqual((await readDocument(chart)).data, DATA);
  assert.deepEqual(await page.evaluate(() => document.querySelector("chart-grid").records), DATA);
  assertNoErrors(page);
});

test("Escape in a dialog closes the dialog, and a note is still being placed", async () => {
  const chart = await createChart("Escape in a dialog");
  await openEditor(chart);
  await page.locator(".margin-handles").waitFor({ state: "attached" });
  await page.locator("#tool-notes").click();
  await page.locator("[aria-label='Add note']").getByRole("button", { name: "Text", exact: true }).click();
  await page.locator(".note-hint").waitFor();
  await page.keyboard.press("Control+k");
  await page.locator("dialog.palette input").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog.palette").waitFor({ state: "detached" });
  assert.equal(await page.locator(".note-hint").count(), 1);
  await page.keyboard.press("Escape");
  await page.locator(".note-hint").waitFor({ state: "detached" });
  assertNoErrors(page);
});

await runTests(cleanUp);
