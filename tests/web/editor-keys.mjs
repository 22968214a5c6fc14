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

const TABLE = "Region\tSales\nEast\t31\nWest\t32";

test("a table is pasted anywhere on the page, except in fields and dialogs", async () => {
  const chart = await createChart("Pasted anywhere");
  await openEditor(chart);
  await page.locator("#tool-text").click();
  await page.evaluate((text) => navigator.clipboard.writeText(text), TABLE);
  const strip = page.locator(".data-strip", { hasText: "2 rows" });
  const undo = async () => {
    await strip.getByRole("button", { name: "Undo" }).click();
    await strip.waitFor({ state: "hidden" });
  };
  for (const focus of [() => page.locator(".stage").click({ position: { x: 5, y: 5 } }), () => page.locator("#tool-export").focus(), () => page.locator(".paper [data-part=title]").first().focus(), () => page.locator("#panel-title").focus()]) {
    await focus();
    await page.keyboard.press("Control+v");
    await strip.waitFor();
    await waitForImageText("East");
    await undo();
  }
  await page.locator("#panel [name=subtitle]").click();
  await page.keyboard.press("Control+v");
  await page.waitForFunction(() => document.querySelector("#panel [name=subtitle]").value.includes("East"));
  await page.keyboard.press("Control+k");
  await page.locator("dialog.palette input").waitFor();
  await page.keyboard.press("Control+v");
  await page.keyboard.press("Escape");
  // A sentence is no table.
  await page.evaluate(() => navigator.clipboard.writeText("Well, this is a sentence.\nThen, this is another one."));
  await page.locator("#tool-export").focus();
  await page.keyboard.press("Control+v");
  await page.waitForTimeout(300);
  assert.equal(await strip.count(), 0);
  assert.deepEqual((await save(chart)).data, DATA);
  assertNoErrors(page);
});

test("a file with a table is dropped anywhere on the page", async () => {
  const chart = await createChart("Dropped anywhere");
  await openEditor(chart);
  const files = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "sales.tsv", { type: "text/tab-separated-values" }));
    return transfer;
  }, TABLE);
  assert.equal(await page.locator(".stage").evaluate((stage, dataTransfer) => stage.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true })), files), false);
  await page.locator(".stage").dispatchEvent("drop", { dataTransfer: files });
  await page.locator(".data-strip", { hasText: "2 rows" }).waitFor();
  assert.equal((await save(chart)).data[0].label, "East");
  assertNoErrors(page);
});

await runTests(cleanUp);
