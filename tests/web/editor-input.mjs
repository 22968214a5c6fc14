// Tests that the chart editor loses no input: copies of a tab, changes of other people, undo, and slow requests.

import assert from "node:assert/strict";
import { blockSaves, cleanUp, createChart, DATA, findToast, getCell, openEditor, openPageAsBen, page, readDocument, save, typeIntoCell, waitForImageText, waitForState } from "./editor-driver.mjs";
import { assertNoErrors, callApi, runTests, test } from "./lib.mjs";

test("a copy of a tab keeps unsaved changes of its own", async () => {
  const chart = await createChart("Copied tab");
  await openEditor(chart);
  const allowSaves = await blockSaves(page);
  await typeIntoCell(0, 1, "901");
  await waitForState("Offline: kept on this device");
  // A duplicated tab gets a copy of the session storage.
  const stored = await page.evaluate(() => ({ ...sessionStorage }));
  const copy = await page.context().newPage();
  await copy.addInitScript((entries) => Object.assign(sessionStorage, entries), stored);
  await openEditor(chart, copy);
  await copy.waitForTimeout(400);
  assert.equal(await findToast("Unsaved changes from", copy).count(), 0, "the changes belong to the first tab");
  await blockSaves(copy);
  await typeIntoCell(2, 1, "903", copy);
  await waitForState("Offline: kept on this device", copy);
  await allowSaves();
  await save(chart);
  await waitForImageText("901", copy);
  await copy.waitForTimeout(400);
  const session = await page.context().newCDPSession(copy);
  session.send("Page.crash").catch(() => {});
  await copy.waitForEvent("crash");
  await copy.close();
  const next = await page.context().newPage();
  await openEditor(chart, next);
  await findToast("Unsaved changes from", next).waitFor();
  await waitForImageText("903", next);
  await waitForState("Saved", next);
  assert.deepEqual((await readDocument(chart)).data.map(({ value }) => value), [901, 80, 903]);
  await next.close();
  assertNoErrors(page);
});

await runTests(cleanUp);
