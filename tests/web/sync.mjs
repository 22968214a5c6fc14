// Tests of a source that keeps the data of a chart up to date: its dialog, the schedule in other time zones, the read-only
// data, changes and failures of the source, and German texts.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createExcelTable } from "./messy-tables.mjs";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const PASSWORD = "correct horse battery";
const SALES = "City,Sales\nVienna,120\nGraz,80\nLinz,45\n";
const server = await startServer({ demo: false, env: { CHARTROOM_REMOTE_PRIVATE: "yes", CHARTROOM_SYNC_SPREAD: "0s", CHARTROOM_SYNC_MIN_INTERVAL: "1s" } });
for (const name of ["Ann", "Ben"]) {
  await runCommand(server.dataDirectory, ["user", "create", "--email", `${name.toLowerCase()}@example.org`, "--name", name, "--password-stdin"], PASSWORD);
}
const chromium = await launchBrowser();
const page = await openPage(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
await signIn(page, { email: "ann@example.org", password: PASSWORD });

/**
 * Starts a server with one file. Tests change `body` and `status`.
 * @param {string | Buffer} body
 * @param {string} [name] of the file
 */
async function startSource(body, name = "sales.csv") {
  const source = { body, status: 200, url: "", stop: () => httpServer.close() };
  const httpServer = createServer((_, response) => {
    response.writeHead(source.status, { "Content-Type": name.endsWith(".csv") ? "text/csv" : "application/octet-stream" });
    response.end(source.status === 200 ? source.body : "");
  });
  await new Promise((resolve) => httpServer.listen(0, "127.0.0.1", () => resolve(undefined)));
  // A failed test does not stop its source.
  httpServer.unref();
  const { port } = /** @type {import("node:net").AddressInfo} */ (httpServer.address());
  source.url = `http://127.0.0.1:${port}/${name}`;
  return source;
}

/** Creates a chart of Ann with own data. */
async function createChart(title, widget = "bar") {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PUT", `${path}/data`, [{ label: "Own", value: 7 }, { label: "Data", value: 9 }]);
  await callApi(page, "PATCH", path, { title });
  return { path, id: path.split("/").at(-1) ?? "", view: new URL(document_view).pathname };
}

/** Opens the editor of a chart, and waits for the grid and the picture with marks. */
async function openEditor(chart, target = page) {
  await target.goto(chart.view);
  await target.locator("chart-grid [role=gridcell]").first().waitFor();
  await target.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part]"));
}

/** Creates a job, with a run each second by default, and waits for the first run. */
async function createJob(chart, source, fields = { interval_sec: 1, time_of_day_utc: "00:00" }) {
  await callApi(page, "POST", "/sync/create", { document_id: chart.id, url: source.url, ...fields });
  await waitForDocument(chart, ({ sync }) => sync.status === "ok");
}

/** Waits until the stored document meets a condition, and returns it. */
async function waitForDocument(chart, isMet) {
  let last;
  for (let tries = 0; tries < 150; tries += 1) {
    last = await callApi(page, "GET", chart.path);
    if (isMet(last)) return last;
    await page.waitForTimeout(100);
  }
  assert.fail(`the document does not have the expected content: ${JSON.stringify(last.sync)} ${JSON.stringify(last.data)}`);
}

const readJob = (chart) => callApi(page, "GET", `/sync/document/${chart.id}`);
const waitForImageText = (text, target = page) => target.waitForFunction((wanted) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(wanted), text);
const getCell = (row, column, target = page) => target.locator(`chart-grid [role=row][aria-rowindex="${row + 2}"] [role=gridcell]`).nth(column);
const dialog = page.getByRole("dialog");
const bar = page.getByRole("group", { name: "Source of the data" });

/** Presses Tab until an element has the focus. @param {import("playwright-core").Locator} target */
async function tabTo(target) {
  for (let tries = 0; tries < 30; tries += 1) {
    if (await target.evaluate((element) => element === document.activeElement || element.contains(document.activeElement))) return;
    await page.keyboard.press("Tab");
  }
  assert.fail("Tab does not reach the element");
}

/** Opens the dialog with the keyboard. */
async function openDialogByKey(name = "Keep up to date…") {
  await page.getByRole("button", { name }).focus();
  await page.keyboard.press("Enter");
  await dialog.waitFor();
}

test("a source is set up with the keyboard, after a preview of its rows and of the chart", async () => {
  const [chart, source] = [await createChart("By keyboard"), await startSource(SALES)];
  await openEditor(chart);
  await openDialogByKey();
  const address = dialog.getByRole("textbox", { name: "Address of the spreadsheet" });
  assert.ok(await address.evaluate((element) => element === document.activeElement));
  // Errors are next to the field, in the words of the server.
  await page.keyboard.press("Enter");
  await dialog.locator(".field-error", { hasText: "Enter the address of a spreadsheet." }).waitFor();
  await page.keyboard.type("ftp://example.org/sales.csv");
  await page.keyboard.press("Enter");
  await dialog.locator(".field-error", { hasText: /address of the source/ }).waitFor();
  assert.ok(await address.evaluate((element) => element === document.activeElement && element.getAttribute("aria-invalid") === "true"));
  source.status = 404;
  await page.keyboard.press("Control+a");
  await page.keyboard.type(source.url);
  await page.keyboard.press("Enter");
  await dialog.locator(".field-error", { hasText: "There is no file at this address." }).waitFor();
  // The typed address is still there after the dialog was closed.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await openDialogByKey();
  assert.equal(await address.inputValue(), source.url);
  source.status = 200;
  await page.keyboard.press("Enter");
  await dialog.getByText("Web address: one worksheet.").waitFor();
  await dialog.getByRole("cell", { name: "Graz" }).waitFor();
  assert.equal(await dialog.locator(".sync-table tr").count(), 4);
  await page.waitForFunction(() => /** @type {HTMLImageElement} */ (document.querySelector(".sync-chart img")).naturalWidth > 0);
  assert.equal(await dialog.getByLabel("Worksheet").isVisible(), false);
  await assertAccessible(page, "sync-dialog");
  await assertAccessibleOnPhone(page, "sync-dialog-phone");
  // A weekly schedule in Vienna, an hour ahead of UTC in November and two in summer.
  await tabTo(dialog.getByRole("combobox", { name: "Update" }));
  await page.keyboard.type("Every week");
  await dialog.getByText(/In your time zone, Europe\/Vienna/).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.type("Wednesday");
  await page.keyboard.press("Tab");
  await page.keyboard.type("0930");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.locator(".toast", { hasText: "The chart now takes its data from the spreadsheet." }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Update now");
  await waitForImageText("Vienna");
  await bar.getByText(/^Data from \d\d:\d\d; next update /).waitFor();
  const job = await readJob(chart);
  const next = new Date(job.next_download_at);
  const local = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Vienna", weekday: "long", hour: "2-digit", minute: "2-digit" }).format(next);
  assert.match(local, /Wednesday.*09:30/);
  assert.equal(job.interval_sec, 604_800);
  const stored = await waitForDocument(chart, ({ data }) => data.length === 3);
  assert.deepEqual(stored.data.map(({ label, value }) => [label, value]), [["Vienna", 120], ["Graz", 80], ["Linz", 45]]);
  await assertAccessible(page, "sync-editor");
  await page.locator("#tool-settings").click();
  await page.setViewportSize({ width: 390, height: 844 });
  await bar.scrollIntoViewIfNeeded();
  await assertAccessible(page, "sync-bar");
  await assertNoHorizontalScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  // The dialog has the values of the job, and Save keeps them.
  await openDialogByKey("Change…");
  await dialog.getByText("Web address: one worksheet.").waitFor();
  assert.deepEqual(await dialog.locator("[name=day_of_week], [name=time_of_day_utc]").evaluateAll((fields) => fields.map((field) => /** @type {HTMLInputElement} */ (field).value)), ["3", "09:30"]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const saved = await readJob(chart);
  assert.deepEqual([saved.url, saved.interval_sec, saved.time_of_day_utc, saved.day_of_week], [job.url, job.interval_sec, job.time_of_day_utc, job.day_of_week]);
  source.stop();
  assertNoErrors(page);
});

test("times and days of a schedule are converted between time zones", async () => {
  const [chart, source] = [await createChart("Time zones"), await startSource(SALES)];
  /** Sets up the schedule in a time zone without changes of the clocks, and returns the stored job. */
  const setUp = async (timezoneId, { interval, day, time }) => {
    const other = await openPage(chromium, server, { timezoneId });
    await signIn(other, { email: "ann@example.org", password: PASSWORD });
    await openEditor(chart, other);
    await other.getByRole("button", { name: /^(Keep up to date|Change)…$/ }).click();
    const form = other.getByRole("dialog");
    await form.getByRole("textbox", { name: "Address of the spreadsheet" }).fill(source.url);
    await form.getByRole("combobox", { name: "Update" }).selectOption({ label: interval });
    if (day) await form.getByRole("combobox", { name: "Day" }).selectOption({ label: day });
    if (time) await form.getByLabel("Time", { exact: true }).fill(time);
    // The button checks the address first.
    await form.getByRole("button", { name: /^(Create|Save)$/ }).click();
    await form.waitFor({ state: "detached" });
    assertNoErrors(other);
    await other.context().close();
    const { interval_sec, time_of_day_utc, day_of_week } = await readJob(chart);
    return { interval_sec, time_of_day_utc, day_of_week };
  };
  // 09:00 is the evening before in UTC, and 20:00 the morning after.
  assert.deepEqual(await setUp("Pacific/Kiritimati", { interval: "Every week", day: "Monday", time: "09:00" }), { interval_sec: 604_800, time_of_day_utc: "19:00", day_of_week: 0 });
  assert.deepEqual(await setUp("Pacific/Honolulu", { interval: "Every week", day: "Saturday", time: "20:00" }), { interval_sec: 604_800, time_of_day_utc: "06:00", day_of_week: 0 });
  assert.deepEqual(await setUp("Asia/Kathmandu", { interval: "Every day", time: "05:00" }), { interval_sec: 86_400, time_of_day_utc: "23:15", day_of_week: 0 });
  // The stored time is shown in another zone.
  const other = await openPage(chromium, server, { timezoneId: "Asia/Kolkata" });
  await signIn(other, { email: "ann@example.org", password: PASSWORD });
  await openEditor(chart, other);
  await other.getByRole("button", { name: "Change…" }).click();
  assert.equal(await other.getByRole("dialog").getByLabel("Time", { exact: true }).inputValue(), "04:45");
  await other.context().close();
  assert.deepEqual(await setUp("Asia/Tokyo", { interval: "Every 15 minutes" }), { interval_sec: 900, time_of_day_utc: "00:00", day_of_week: 0 });
  assert.equal((await setUp("Asia/Tokyo", { interval: "Only once, now" })).interval_sec, 0);
  source.stop();
});

test("a worksheet is chosen, and a job with a missing one asks for another", async () => {
  const { buffer } = await createExcelTable();
  const [chart, source] = [await createChart("Worksheets"), await startSource(buffer, "plants.xlsx")];
  await openEditor(chart);
  await openDialogByKey();
  await dialog.getByRole("textbox", { name: "Address of the spreadsheet" }).fill(source.url);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Web address: 2 worksheets.").waitFor();
  const sheets = dialog.getByRole("combobox", { name: "Worksheet" });
  assert.deepEqual(await sheets.locator("option").allInnerTexts(), ["Übersicht", "Notizen"]);
  assert.ok(await sheets.evaluate((element) => element === document.activeElement), "the dialog asks for the worksheet");
  await dialog.getByRole("cell", { name: "Donaustadt" }).waitFor();
  await page.waitForFunction(() => /** @type {HTMLImageElement} */ (document.querySelector(".sync-chart img")).naturalWidth > 0);
  await dialog.getByText(/Werk/).first().waitFor();
  await assertAccessible(page, "sync-worksheets");
  await sheets.selectOption("Notizen");
  await dialog.getByRole("cell", { name: "eigene Zählung" }).waitFor();
  await sheets.selectOption("Übersicht");
  await dialog.getByRole("cell", { name: "Donaustadt" }).waitFor();
  await dialog.getByRole("combobox", { name: "Update" }).selectOption({ label: "Every hour" });
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.waitFor({ state: "detached" });
  await waitForImageText("Donaustadt");
  const job = await readJob(chart);
  assert.deepEqual([job.sheet_name, job.interval_sec], ["Übersicht", 3600]);
  // The program numbers the worksheets by their position, so that the id is that of another one.
  await callApi(page, "POST", "/sync/create", { document_id: chart.id, url: source.url, sheet_id: "2", sheet_name: "Gone" });
  await page.reload();
  await bar.getByText(/The source does not work: /).waitFor();
  await openDialogByKey("Change…");
  await dialog.locator(".field-error", { hasText: "This worksheet is not in the spreadsheet." }).waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.locator(".field-error").waitFor();
  await sheets.selectOption("Notizen");
  await dialog.getByRole("cell", { name: "eigene Zählung" }).waitFor();
  await page.keyboard.press("Escape");
  source.stop();
  assertNoErrors(page);
});

test("whether the first row has headings is chosen in the dialog, which keeps the choice", async () => {
  const [chart, source] = [await createChart("Without headings"), await startSource("Vienna,120\nGraz,80\n")];
  await openEditor(chart);
  await openDialogByKey();
  const address = dialog.getByRole("textbox", { name: "Address of the spreadsheet" });
  const firstRow = dialog.getByRole("combobox", { name: "First row" });
  const waitForPreview = async () => {
    const response = await page.waitForResponse((found) => found.request().method() === "POST" && found.url().includes(`${chart.id}/data`));
    return (await response.json()).data.map(({ label }) => label);
  };
  assert.equal(await firstRow.isVisible(), false);
  await address.fill(source.url);
  // The first run decides like the preview.
  let preview = waitForPreview();
  await page.keyboard.press("Enter");
  assert.deepEqual(await preview, ["Vienna", "Graz"]);
  assert.equal(await firstRow.inputValue(), "");
  preview = waitForPreview();
  await firstRow.selectOption("Headings");
  assert.deepEqual(await preview, ["Graz"]);
  await assertAccessible(page, "sync-dialog-first-row");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.waitFor({ state: "detached" });
  await waitForDocument(chart, ({ sync, data }) => sync?.status === "ok" && data[0].label === "Graz");
  assert.equal((await readJob(chart)).url, `${source.url}#header=present`);
  await bar.getByRole("button", { name: "Change…" }).click();
  await dialog.getByText("Web address: one worksheet.").waitFor();
  assert.deepEqual([await address.inputValue(), await firstRow.inputValue()], [source.url, "present"]);
  // The keys of records in JSON are headings, and the place of the list is named.
  source.body = '{"next":null,"result":{"records":[{"City":"Linz","Sales":45}]}}';
  await address.fill(source.url.replace("sales", "records"));
  preview = waitForPreview();
  await page.keyboard.press("Enter");
  await dialog.getByText("Web address: result.records.").waitFor();
  assert.deepEqual(await preview, ["Linz"]);
  assert.equal(await firstRow.isVisible(), false);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  source.stop();
});

test("the data are read-only, and follow the source without a reload and without a conflict", async () => {
  const [chart, source] = [await createChart("Follow"), await startSource(SALES)];
  await openEditor(chart);
  // A change of the data before the source, which must not come back with Undo.
  await getCell(0, 1).click();
  await page.keyboard.type("55");
  await page.keyboard.press("Enter");
  await waitForImageText("55");
  await createJob(chart, source);
  await waitForImageText("Vienna");
  await bar.waitFor();
  for (const name of ["Paste a table", "Use a file", "Clear", "Keep up to date…"]) assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
  assert.equal(await page.locator("chart-grid [role=grid]").getAttribute("aria-readonly"), "true");
  await getCell(0, 1).click();
  await page.keyboard.type("999");
  await page.keyboard.press("Delete");
  await page.evaluate(() => navigator.clipboard.writeText("a\tb\n1\t2\n"));
  await page.keyboard.press("Control+v");
  assert.equal(await getCell(0, 1).innerText(), "120");
  await page.keyboard.press("Control+z");
  await page.waitForTimeout(300);
  assert.equal(await getCell(0, 1).innerText(), "120", "Undo does not bring outdated data back");
  // The mark has no color or label of its own to edit, because the next update would remove it.
  await page.locator(".paper rect[data-row='1']").first().click();
  await page.locator(".mark-bar").waitFor();
  assert.equal(await page.locator(".mark-bar").getByRole("button", { name: /label|Highlight/ }).count(), 0);
  await page.keyboard.press("Escape");
  // A text that is not saved yet stays when the source changes.
  await page.locator("#tool-text").click();
  await page.getByRole("textbox", { name: "Footer" }).fill("Source: sales");
  source.body = "City,Sales\nVienna,121\nGraz,80\nLinz,45\nWels,333\n";
  await waitForImageText("333");
  await getCell(3, 0).getByText("Wels").waitFor();
  const stored = await waitForDocument(chart, ({ style }) => style?.footer === "Source: sales");
  assert.deepEqual(stored.data.map(({ value }) => value), [121, 80, 45, 333]);
  assert.equal(await page.getByRole("dialog").count(), 0, "nobody is asked to choose");
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  source.stop();
  assertNoErrors(page);
});

test("another editor sees the new data too, and not as a change of the creator", async () => {
  const [chart, source] = [await createChart("Both"), await startSource(SALES)];
  const { owner } = await callApi(page, "GET", chart.path);
  await callApi(page, "POST", "/share", { owner, document: chart.id, email: "ben@example.org", mode: "w" });
  const other = await openPage(chromium, server);
  await signIn(other, { email: "ben@example.org", password: PASSWORD });
  await openEditor(chart, other);
  // A cell that is not saved when the source begins needs no decision, and is not lost.
  await other.route("**/documents/*", (route) => (route.request().method() === "PUT" ? route.abort() : route.continue()));
  await getCell(0, 1, other).click();
  await other.keyboard.type("55");
  await other.keyboard.press("Enter");
  await createJob(chart, source);
  await waitForImageText("Vienna", other);
  await other.unroute("**/documents/*");
  const notice = other.locator("#notices .notice", { hasText: "A source keeps the data up to date now" });
  await notice.waitFor();
  const forked = other.waitForResponse((response) => response.request().method() === "POST" && response.url().includes(chart.id));
  await notice.getByRole("button", { name: "Save mine as a copy" }).click();
  const { urls } = await (await forked).json();
  const saved = other.locator(".toast", { hasText: "Your changes are saved as a copy" });
  await saved.waitFor();
  const copy = await callApi(other, "GET", new URL(urls.endpoint).pathname.replace("/api/v1", ""));
  assert.deepEqual([copy.title, copy.data[0]], ["Both (my changes)", { label: "Own", value: 55 }]);
  await saved.getByRole("button", { name: "Dismiss" }).click();
  await notice.waitFor({ state: "detached" });
  await other.locator("#tool-text").click();
  await other.getByRole("textbox", { name: "Footer" }).fill("From Ben");
  source.body = SALES.replace("120", "777");
  await waitForImageText("777", other);
  await waitForDocument(chart, ({ style, data }) => style?.footer === "From Ben" && data[0].value === 777);
  assert.equal(await other.locator(".presence-pin, .toast, dialog").count(), 0);
  assertNoErrors(other);
  await other.context().close();
  source.stop();
});

test("a failing source is shown in the editor, to readers and in the library, with the last data", async () => {
  const [chart, source, working] = [await createChart("Failing"), await startSource(SALES), await createChart("Working")];
  await createJob(working, source, { interval_sec: 86_400, time_of_day_utc: "12:00" });
  const { owner } = await callApi(page, "GET", chart.path);
  await callApi(page, "POST", "/share", { owner, document: chart.id, email: "ben@example.org", mode: "r" });
  await createJob(chart, source, { interval_sec: 86_400, time_of_day_utc: "12:00" });
  const reader = await openPage(chromium, server);
  await signIn(reader, { email: "ben@example.org", password: PASSWORD });
  await reader.goto(chart.view);
  await reader.locator(".chart-facts", { hasText: /Data from \d\d:\d\d/ }).waitFor();
  await openEditor(chart);
  await bar.getByText(/^Data from \d\d:\d\d; next update /).waitFor();
  source.status = 500;
  await bar.getByRole("button", { name: "Update now" }).click();
  await bar.getByText(/The source does not work: .* The chart shows the data from \d\d:\d\d\. Next attempt /).waitFor();
  await waitForImageText("Vienna");
  await assertAccessible(page, "sync-failing");
  await assertAccessibleOnPhone(page, "sync-failing-phone");
  await reader.reload();
  await reader.locator(".chart-facts .problem", { hasText: /Source does not work \(data from \d\d:\d\d\)/ }).waitFor();
  assert.equal(await reader.locator(".chart-facts .problem .icon").count(), 1, "not by color alone");
  await assertAccessible(reader, "sync-reader");
  await assertAccessibleOnPhone(reader, "sync-reader-phone");
  await page.locator("#tool-settings").click();
  await page.setViewportSize({ width: 390, height: 844 });
  await bar.scrollIntoViewIfNeeded();
  await assertAccessible(page, "sync-failing-bar");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/");
  const card = page.locator("li.chart", { has: page.getByRole("link", { name: "Failing" }) });
  await card.locator(".sync-note.problem", { hasText: "Source does not work" }).waitFor();
  await page.locator("li.chart", { has: page.getByRole("link", { name: "Working" }) }).locator(".sync-note", { hasText: /^Data from \d\d:\d\d$/ }).waitFor();
  await assertAccessible(page, "sync-library");
  await assertAccessibleOnPhone(page, "sync-library-phone");
  await page.getByRole("button", { name: "List" }).click();
  await assertAccessible(page, "sync-library-list");
  await page.getByRole("button", { name: "Grid" }).click();
  source.status = 200;
  await openEditor(chart);
  await bar.getByRole("button", { name: "Update now" }).click();
  await page.locator(".toast", { hasText: "The data are up to date." }).waitFor();
  await bar.getByText(/^Data from /).waitFor();
  assertNoErrors(reader);
  await reader.context().close();
  source.stop();
  assertNoErrors(page);
});

test("after a stop the data can be edited, and Undo starts the updates again", async () => {
  const [chart, source] = [await createChart("Stop"), await startSource(SALES)];
  await createJob(chart, source, { interval_sec: 3600, time_of_day_utc: "00:15" });
  const before = await readJob(chart);
  await openEditor(chart);
  await bar.getByRole("button", { name: "Stop" }).focus();
  await page.keyboard.press("Enter");
  await bar.waitFor({ state: "hidden" });
  assert.ok(await page.evaluate(() => document.activeElement?.closest("chart-grid") !== null), "the focus is in the data");
  await getCell(0, 1).click();
  await page.keyboard.type("66");
  await page.keyboard.press("Enter");
  await waitForImageText("66");
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await bar.getByText(/^Data from /).waitFor();
  const after = await readJob(chart);
  assert.deepEqual([after.url, after.interval_sec, after.time_of_day_utc], [before.url, before.interval_sec, before.time_of_day_utc]);
  await waitForDocument(chart, ({ data }) => data[0].value === 120);
  source.stop();
  assertNoErrors(page);
});

test("the page is usable at 200 % zoom", async () => {
  const [chart, source] = [await createChart("Zoom"), await startSource(SALES)];
  await createJob(chart, source, { interval_sec: 3600, time_of_day_utc: "00:15" });
  // A window of 1280 pixels has half of them at 200 %.
  await page.setViewportSize({ width: 640, height: 450 });
  await openEditor(chart);
  await page.getByRole("button", { name: "Change…" }).click();
  await dialog.getByText("Web address: one worksheet.").waitFor();
  await dialog.getByRole("cell", { name: "Graz" }).waitFor();
  await assertNoHorizontalScroll(page);
  await assertAccessible(page, "sync-zoom");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1440, height: 900 });
  source.stop();
  assertNoErrors(page);
});

test("the texts are German on a German page", async () => {
  const [chart, source] = [await createChart("Deutsch"), await startSource(SALES)];
  const german = await openPage(chromium, server, { locale: "de-DE" });
  await german.goto("/sign-in?password");
  await german.locator("#email").fill("ann@example.org");
  await german.locator("#password").fill(PASSWORD);
  await german.locator("#password").press("Enter");
  await german.waitForURL((url) => url.pathname !== "/sign-in");
  await openEditor(chart, german);
  await german.getByRole("button", { name: "Aktuell halten…" }).click();
  const form = german.getByRole("dialog", { name: "Daten aktuell halten" });
  await form.getByRole("textbox", { name: "Adresse der Tabelle" }).fill(source.url);
  await form.getByRole("button", { name: "Prüfen" }).click();
  await form.getByText("Webadresse: ein Arbeitsblatt.").waitFor();
  await form.getByRole("combobox", { name: "Aktualisieren" }).selectOption({ label: "Jede Woche" });
  assert.equal(await form.getByRole("combobox", { name: "Tag" }).locator("option").first().innerText(), "Montag");
  await german.waitForFunction(() => /** @type {HTMLImageElement} */ (document.querySelector(".sync-chart img")).naturalWidth > 0);
  await assertAccessible(german, "sync-german");
  await form.getByRole("button", { name: "Einrichten" }).click();
  await form.waitFor({ state: "detached" });
  await german.getByRole("group", { name: "Quelle der Daten" }).getByText(/^Daten von \d\d:\d\d; nächste Aktualisierung /).waitFor();
  await assertAccessibleOnPhone(german, "sync-german-editor-phone");
  await german.goto("/");
  await german.locator(".sync-note", { hasText: /Daten von \d\d:\d\d/ }).first().waitFor();
  assertNoErrors(german);
  await german.context().close();
  source.stop();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
