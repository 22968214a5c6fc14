// Tests that unsaved work is not lost when the access of its author ends.

import assert from "node:assert/strict";
import { blockSaves, chromium, cleanUp, createChart, DATA, findToast, getCell, openEditor, openPageAsBen, page, readDocument, server, typeIntoCell, waitForEditor, waitForState } from "./editor-driver.mjs";
import { assertAccessible, assertNoErrors, assertNoHorizontalScroll, callApi, openPage, runTests, test } from "./lib.mjs";

const SAVE_AS_NEW = { name: "Save as a new chart" };

/** Opens a chart of Ann in Ben’s editor. */
async function openAsBen(title) {
  const chart = await createChart(title);
  const ben = await openPageAsBen(chart);
  await openEditor(chart, ben);
  return { chart, ben };
}

/** Changes or removes the access of Ben. */
async function setAccess(chart, mode) {
  const { owner, id } = await readDocument(chart);
  const grantee = { owner, document: id, email: "ben@example.org" };
  if (mode) await callApi(page, "PATCH", "/share", { ...grantee, mode });
  else await callApi(page, "DELETE", "/share", grantee);
}

/** Presses the button for a new chart, and returns the document that it made. The editor opens it; other pages offer that. */
async function saveAsNew(target, { opens = false } = {}) {
  const button = target.locator("#notices").getByRole("button", SAVE_AS_NEW);
  if (opens) {
    const before = target.url();
    await button.click();
    await target.waitForURL((url) => url.href !== before);
    const path = await target.locator("#chart").getAttribute("data-endpoint");
    return callApi(target, "GET", path.replace("/api/v1", ""));
  }
  const created = target.waitForResponse((response) => response.url().endsWith("/create-document"));
  await button.click();
  const { endpoint } = await (await created).json();
  await findToast("Your changes are saved as a copy", target).waitFor();
  return callApi(target, "GET", new URL(endpoint).pathname.replace("/api/v1", ""));
}

test("changes that the user may no longer save are offered as a new chart", async () => {
  const { chart, ben } = await openAsBen("Removed access");
  await setAccess(chart, null);
  await typeIntoCell(0, 1, "801", ben);
  const notice = ben.locator("#notices").getByText("You may no longer change this chart");
  await notice.waitFor();
  await assertAccessible(ben, "ended-access");
  await assertNoHorizontalScroll(ben);
  const copy = await saveAsNew(ben, { opens: true });
  assert.deepEqual([copy.title, copy.data], ["Removed access (my changes)", [{ ...DATA[0], value: 801 }, DATA[1], DATA[2]]]);
  await waitForEditor(ben);
  assert.equal(await getCell(0, 1, ben).textContent(), "801");
  assert.equal((await readDocument(chart)).data[0].value, 120);
  await ben.context().close();
  assertNoErrors(page);
});

test("a chart that has become read-only shows the changes that the device keeps", async () => {
  const { chart, ben } = await openAsBen("Read-only");
  await blockSaves(ben);
  await typeIntoCell(0, 1, "802", ben);
  await waitForState("Offline: kept on this device", ben);
  await setAccess(chart, "r");
  // The question before the page closes.
  ben.on("dialog", (question) => question.accept());
  await ben.goto(chart.view);
  const kept = ben.locator("#notices").getByText("This device has your unsaved changes");
  await kept.waitFor();
  assert.equal(await ben.locator("chart-grid").count(), 0);
  await assertAccessible(ben, "kept-changes");
  await ben.unroute("**/documents/*");
  const copy = await saveAsNew(ben);
  assert.equal(copy.data[0].value, 802);
  await kept.waitFor({ state: "detached" });
  await ben.reload();
  await ben.locator("#tool-export").waitFor();
  await ben.waitForTimeout(500);
  assert.equal(await kept.count(), 0);
  assert.equal((await readDocument(chart)).data[0].value, 120);
  await ben.context().close();
});

/** Types a value into the first record without a connection, so that only the device has it. */
async function typeUnsaved(ben, value) {
  await blockSaves(ben);
  await typeIntoCell(0, 1, value, ben);
  await waitForState("Offline: kept on this device", ben);
  // The question before the page closes.
  ben.on("dialog", (question) => question.accept());
}

test("the page of a chart that can no longer be opened offers the changes that the device keeps", async () => {
  const { chart, ben } = await openAsBen("Out of reach");
  await typeUnsaved(ben, "803");
  await setAccess(chart, null);
  assert.equal((await ben.goto(chart.view)).status(), 404);
  const kept = ben.locator("#notices").getByText("This device has your unsaved changes of “Out of reach” from");
  await kept.waitFor();
  await assertAccessible(ben, "lost-chart");
  await assertNoHorizontalScroll(ben);
  await ben.unroute("**/documents/*");
  const copy = await saveAsNew(ben);
  assert.deepEqual([copy.title, copy.data[0].value], ["Out of reach (my changes)", 803]);
  await kept.waitFor({ state: "detached" });
  await ben.reload();
  await ben.getByRole("heading", { name: "Not found" }).waitFor();
  await ben.waitForTimeout(500);
  assert.equal(await kept.count(), 0);
  await ben.context().close();
});

test("changes of a chart that was moved to the trash elsewhere are saved after restoring it", async () => {
  const chart = await createChart("Trashed");
  await openEditor(chart);
  await callApi(page, "DELETE", chart.path);
  await typeIntoCell(0, 1, "804");
  const notice = page.locator("#notices").getByText("This chart was moved to the trash");
  await notice.waitFor();
  await assertAccessible(page, "edited-in-trash");
  await assertNoHorizontalScroll(page);
  await page.locator("#notices").getByRole("button", { name: "Restore" }).click();
  await waitForState("Saved");
  await notice.waitFor({ state: "hidden" });
  assert.equal((await readDocument(chart)).data[0].value, 804);
});

test("changes of a chart in the trash are saved when it is restored elsewhere", async () => {
  const chart = await createChart("Restored elsewhere");
  await openEditor(chart);
  await callApi(page, "DELETE", chart.path);
  await typeIntoCell(0, 1, "806");
  const notice = page.locator("#notices").getByText("This chart was moved to the trash");
  await notice.waitFor();
  await callApi(page, "POST", chart.path, { action: "restore" });
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor({ timeout: 70_000 });
  await notice.waitFor({ state: "hidden" });
  assert.equal((await readDocument(chart)).data[0].value, 806);
});

test("changes of a chart in the trash are kept, and come back after restoring it", async () => {
  const chart = await createChart("Kept in the trash");
  const other = await openPage(chromium, server, { storageState: await page.context().storageState({ indexedDB: true }) });
  await openEditor(chart, other);
  await typeUnsaved(other, "805");
  await callApi(page, "DELETE", chart.path);
  await other.goto(chart.view);
  await other.locator("#notices").getByText("They come back when the chart is restored").waitFor();
  await assertAccessible(other, "kept-in-trash");
  await other.unroute("**/documents/*");
  await other.locator("#tool-restore").click();
  await findToast("Unsaved changes from", other).waitFor();
  await waitForState("Saved", other);
  assert.equal((await readDocument(chart)).data[0].value, 805);
  await other.context().close();
});

await runTests(cleanUp);
