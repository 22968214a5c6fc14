// Tests of the chart editor when its page is left in the middle of work: nothing that a person did is lost or returns.

import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { assertNoErrors, runTests, test } from "./lib.mjs";
import { chromium, createChart, getCell, openEditor, page, readDocument, server, typeIntoCell, waitForState } from "./editor-driver.mjs";

/** Lets the server store saves, and holds their responses back. `stored` resolves after the first one. */
async function holdResponses() {
  let release = () => {};
  let confirm = () => {};
  const isReleased = new Promise((resolve) => (release = () => resolve(undefined)));
  const stored = new Promise((resolve) => (confirm = () => resolve(undefined)));
  await page.route("**/documents/*", async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    const response = await route.fetch();
    confirm();
    await isReleased;
    await route.fulfill({ response }).catch(() => {});
  });
  const stop = async () => {
    release();
    await page.unroute("**/documents/*");
  };
  return { stored, stop };
}

/**
 * Waits until the first values of a chart are these on the server, and that they stay. The page may have saved them
 * before it was left, or restores and saves them now.
 */
async function assertSavedValues(chart, expected, message = "") {
  const readValues = async () => (await readDocument(chart)).data.slice(0, 2).map(({ value }) => value);
  const end = Date.now() + 15_000;
  while (Date.now() < end && !isDeepStrictEqual(await readValues(), expected)) await page.waitForTimeout(100);
  await waitForState("Saved");
  assert.deepEqual(await readValues(), expected, message);
}

test("a change that is undone while its save is running stays undone when something else is typed before the page is left", async () => {
  for (const [pause, leave] of /** @type {const} */ ([[0, () => page.reload()], [60, () => page.goto("/")], [250, () => page.reload()]])) {
    const chart = await createChart("Undone and typed");
    await openEditor(chart);
    const { stored, stop } = await holdResponses();
    await typeIntoCell(0, 1, "777");
    await page.keyboard.press("Control+s");
    await stored;
    await page.keyboard.press("Control+z");
    assert.equal(await getCell(0, 1).textContent(), "120");
    await getCell(1, 1).click();
    await page.keyboard.type("458");
    await page.waitForTimeout(pause);
    await leave();
    await stop();
    await openEditor(chart);
    await assertSavedValues(chart, [120, 458], `after ${pause} ms`);
  }
});

/** Keeps the database with unsaved changes busy in another tab. */
const keepDatabaseBusy = (/** @type {import("playwright-core").Page} */ tab, /** @type {number} */ milliseconds) =>
  tab.evaluate(async (milliseconds) => {
    const opening = indexedDB.open("chartroom-journal", 1);
    await new Promise((resolve) => (opening.onsuccess = resolve));
    const transaction = opening.result.transaction("documents", "readwrite");
    const end = performance.now() + milliseconds;
    const read = () => {
      if (performance.now() < end) transaction.objectStore("documents").get("none").onsuccess = read;
    };
    transaction.oncomplete = () => opening.result.close();
    read();
  }, milliseconds);

test("values that are typed while the database of the browser is busy return after the page is left", async () => {
  // Browsers send no request of this size while a page closes.
  const data = Array.from({ length: 3000 }, (_, row) => ({ label: `A place with a long name and the number ${row}`, value: row }));
  const chart = await createChart("Busy database", { data });
  const tab = await page.context().newPage();
  await tab.goto("/");
  for (const [round, leave] of [() => page.goto("/"), () => page.reload(), () => page.goto("/"), () => page.reload()].entries()) {
    await openEditor(chart);
    // Changes of the round before are restored by then.
    await waitForState("Saved");
    await getCell(0, 1).click();
    await keepDatabaseBusy(tab, 800);
    await page.keyboard.type(`${1000 + round}`);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(150);
    await page.keyboard.type(`${2000 + round}`);
    await leave();
    await openEditor(chart);
    await assertSavedValues(chart, [1000 + round, 2000 + round]);
  }
  await tab.close();
});

test("there were no script errors", async () => assertNoErrors(page));

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
