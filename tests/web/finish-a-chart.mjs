// Journeys of people with a table of their own to a finished and shared chart: with a CSV file, an Excel file and a table
// of a web page in the clipboard, each by mouse alone and by keyboard alone. Prints the steps and the time.

import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";
import { createExcelTable, csvTable, htmlTable } from "./messy-tables.mjs";

const PASSWORD = "correct horse battery";
/** Maximum number of clicks, or of keys that are not typed text, of a journey. */
const [MAX_CLICKS, MAX_KEYS] = [30, 260];

const server = await startServer({ demo: false });
await runCommand(server.dataDirectory, ["user", "create", "--email", "eve@example.org", "--name", "Eve Early", "--password-stdin"], PASSWORD);
const chromium = await launchBrowser();
const excelTable = await createExcelTable();

/** Hands that use a mouse. Typed texts come from the keyboard, but no other key. @param {import("playwright-core").Page} page */
function createMouse(page) {
  const count = { steps: 0, characters: 0 };
  return {
    count,
    /** Presses a control. @param {import("playwright-core").Locator} locator */
    async press(locator) {
      await locator.click();
      count.steps += 1;
    },
    choose(/** @type {import("playwright-core").Locator} */ input) {
      return this.press(input.locator("xpath=ancestor::label"));
    },
    toggle(/** @type {import("playwright-core").Locator} */ input) {
      return this.press(input);
    },
    async type(/** @type {string} */ text) {
      await page.keyboard.type(text);
      count.characters += text.length;
    },
    /** Starts to edit the title. */
    async openTitle() {
      await this.press(page.locator(".paper [data-part=title], .edit-title").first());
    },
    /** Places a note in the picture. */
    async place() {
      const box = await page.locator("#canvas").boundingBox();
      await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * 0.6, (box?.y ?? 0) + (box?.height ?? 0) * 0.4);
      count.steps += 1;
    },
    async end() {},
  };
}

/** Hands that use no mouse. @param {import("playwright-core").Page} page */
function createKeyboard(page) {
  const count = { steps: 0, characters: 0 };
  const key = async (/** @type {string} */ name) => {
    await page.keyboard.press(name);
    count.steps += 1;
  };
  const hasFocus = (/** @type {import("playwright-core").Locator} */ locator) =>
    locator.evaluate((element) => element === element.ownerDocument.activeElement || element === /** @type {any} */ (element.getRootNode()).activeElement).catch(() => false);
  /** Moves the focus to a control with Tab, or backwards, whichever is shorter, as a person who sees it does. */
  const reach = async (/** @type {import("playwright-core").Locator} */ locator) => {
    await locator.waitFor({ state: "attached" });
    if (await hasFocus(locator)) return;
    const direction = await locator.evaluate((target) => {
      const focused = document.activeElement;
      return focused && focused !== document.body && target.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING && !target.contains(focused) ? "Shift+Tab" : "Tab";
    });
    for (let tries = 0; tries < 90; tries += 1) {
      await key(direction);
      if (await hasFocus(locator)) return;
    }
    const where = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120));
    throw new Error(`${locator} cannot be reached with ${direction}; the focus is at ${where}`);
  };
  return {
    count,
    key,
    reach,
    async press(/** @type {import("playwright-core").Locator} */ locator) {
      await reach(locator);
      await key("Enter");
    },
    /** Chooses an option of a group with Tab to the group and the arrow keys. */
    async choose(/** @type {import("playwright-core").Locator} */ input) {
      const name = await input.getAttribute("name");
      const group = page.locator(`input[name="${name}"]`);
      await reach(group.locator("xpath=self::*[@type='radio']").and(page.locator(":checked")).first());
      for (let tries = 0; tries < 40 && !(await input.isChecked()); tries += 1) await key("ArrowDown");
      assert.ok(await input.isChecked(), `the option ${input} cannot be reached by arrow keys`);
    },
    async type(/** @type {string} */ text) {
      await page.keyboard.type(text);
      count.characters += text.length;
    },
    async openTitle() {
      await this.press(page.locator(".edit-title"));
    },
    async toggle(/** @type {import("playwright-core").Locator} */ input) {
      await reach(input);
      await key("Space");
    },
    /** Places a note at the suggested mark. */
    async place() {
      await key("Enter");
    },
    /** Ends the edit of a text. */
    async end() {
      await key("Enter");
    },
  };
}

/** Waits until the image on a page contains the texts. */
const waitForImageTexts = (/** @type {import("playwright-core").Page} */ page, /** @type {string[]} */ ...texts) =>
  page.waitForFunction((wanted) => {
    const text = (document.querySelector(".paper")?.shadowRoot ?? document.querySelector(".paper"))?.textContent ?? "";
    return wanted.every((part) => text.includes(part));
  }, texts);

const saveScreenshot = async (/** @type {import("playwright-core").Page} */ page, /** @type {string} */ name) => {
  if (!process.env.SCREENSHOTS) return;
  await mkdir(process.env.SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
};

/** Starts a chart with a table, from the library. The kind is the one with the slug, or the suggested one. */
async function startChart(page, hands, { table, kind }) {
  await page.goto("/");
  await hands.press(page.getByRole("button", { name: "New chart" }).first());
  const dialog = page.locator("dialog[open]");
  await dialog.locator("label.kind:not(.placeholder)").first().waitFor();
  await hands.press(dialog.locator("summary"));
  if (table.buffer) {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), hands.press(dialog.locator("input[type=file]"))]);
    await chooser.setFiles(table);
  } else {
    await page.evaluate(async ({ html, text }) => {
      const toBlob = (/** @type {string} */ content, /** @type {string} */ type) => new Blob([content], { type });
      await navigator.clipboard.write([new ClipboardItem({ "text/html": toBlob(html, "text/html"), "text/plain": toBlob(text, "text/plain") })]);
    }, table);
    await hands.press(dialog.getByRole("button", { name: "Paste from the clipboard" }));
  }
  await dialog.locator(".table-summary", { hasText: "record" }).waitFor();
  await saveScreenshot(page, `${kind}-${hands.key ? "keyboard" : "mouse"}-new`);
  await hands.choose(dialog.locator(`input[name=widget][value=${kind}]`));
  await hands.press(dialog.getByRole("button", { name: "Create" }));
  await page.waitForURL(/\/d\//, { waitUntil: "commit", timeout: 30_000 });
  await page.locator("#panel").waitFor();
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
}

/** Finishes the chart: title, a setting, a note, theme and size. */
async function finishChart(page, hands, { title, note, setting }) {
  await hands.openTitle();
  await page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await hands.type(title);
  if (await page.locator(".canvas-text").count()) await hands.end();
  await waitForImageTexts(page, title);
  const panel = page.locator("#panel");
  if (!(await panel.locator(".settings-form, .setting-search, [type=search]").count())) await hands.press(page.locator("#tool-settings"));
  await setting(panel, hands);
  await hands.press(page.locator("#tool-notes"));
  await hands.press(panel.getByRole("button", { name: "Text", exact: true }));
  await page.locator(".note-hint").waitFor();
  await hands.place();
  await page.waitForFunction(() => document.activeElement?.matches(".canvas-text"));
  await hands.type(note);
  await hands.end();
  await waitForImageTexts(page, note);
  await hands.press(page.locator("#tool-style"));
  await panel.locator(".theme-choices input").first().waitFor({ state: "attached" });
  await hands.choose(panel.getByRole("radio", { name: "Newsprint" }));
  await hands.press(panel.locator(".size-choice", { hasText: "Square post" }));
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
}

/** Shares the chart by a link, and exports it as PNG. Returns the link and the file. */
async function shareAndExport(page, hands) {
  await hands.press(page.locator("#tool-share"));
  const share = page.locator("dialog.share");
  await hands.press(share.getByRole("button", { name: "Create link" }));
  await page.locator(".toast", { hasText: "is copied" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await hands.press(share.getByRole("button", { name: "Done" }));
  await hands.press(page.locator("#tool-export"));
  const [download] = await Promise.all([page.waitForEvent("download"), hands.press(page.locator("dialog.export").getByRole("button", { name: "Download" }))]);
  return { link, file: await readFile(await download.path()) };
}

/** Reads the document of the page. */
async function readDocument(page) {
  const path = await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector("#chart")).dataset.endpoint ?? "");
  return callApi(page, "GET", path.replace("/api/v1", ""));
}

/** Checks the stored document and the shared image against the table. */
async function checkResult(page, { link, file }, journey) {
  const chart = await readDocument(page);
  const [labelKey, valueKey] = journey.keys;
  const values = chart.data.map((/** @type {any} */ record) => [record[labelKey], record[valueKey] ?? null]);
  assert.deepEqual(values, journey.table.values);
  assert.deepEqual([chart.title, chart.theme, chart.style.width, chart.style.height], [journey.title, "newsprint", 540, 540]);
  assert.deepEqual(chart.style.annotations.map((/** @type {any} */ { type, text }) => [type, text]), [["text", journey.note]]);
  assert.notDeepEqual(chart.settings, journey.firstSettings);
  assert.deepEqual([...file.subarray(1, 4)], [...Buffer.from("PNG")]);
  assert.equal(file.readUInt32BE(16) / file.readUInt32BE(20), 1, "the PNG is square");
  const reader = await openPage(chromium, server);
  await reader.goto(new URL(link).pathname);
  await waitForImageTexts(reader, journey.title, journey.note, ...journey.texts);
  await saveScreenshot(reader, `${journey.kind}-shared`);
  assertNoErrors(reader);
  await reader.context().close();
}

const hideGrid = (/** @type {any} */ panel, /** @type {any} */ hands) => hands.choose(panel.getByRole("radio", { name: "Off" }).first());
const switchFirst = (/** @type {any} */ panel, /** @type {any} */ hands) => hands.toggle(panel.getByRole("switch").first());

const JOURNEYS = [
  { name: "CSV file", table: csvTable, kind: "time-series", setting: switchFirst, keys: ["date", "Umsatz (Tsd. €)"], title: "Umsatz in Graz", note: "Messe", texts: ["Reklamationen"] },
  { name: "Excel file", table: excelTable, kind: "bar", setting: hideGrid, keys: ["label", "value"], title: "Strom aus Kraftwerken", note: "Umbau", texts: ["Donaustadt", "Ybbs-Persenbeug", "1,205", "1,052"] },
  { name: "table of a page", table: htmlTable, kind: "lollipop", setting: hideGrid, keys: ["label", "value"], title: "Besuche der Museen", note: "Sonderschau", texts: ["Albertina", "Technisches Museum", "1,745"] },
];

/** Rows of the printed table. @type {string[]} */
const results = [];

for (const journey of JOURNEYS) {
  for (const [device, createHands, limit] of /** @type {const} */ ([["mouse", createMouse, MAX_CLICKS], ["keyboard", createKeyboard, MAX_KEYS]])) {
    test(`a person with a ${journey.name} finishes and shares a chart by ${device} alone`, async () => {
      const page = await openPage(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
      await signIn(page, { email: "eve@example.org", password: PASSWORD });
      const hands = createHands(page);
      const start = performance.now();
      await startChart(page, hands, journey);
      const { settings: firstSettings } = await readDocument(page);
      await finishChart(page, hands, journey);
      await saveScreenshot(page, `${journey.kind}-${device}-finished`);
      const shared = await shareAndExport(page, hands);
      const { steps, characters } = hands.count;
      results.push(`${journey.name.padEnd(16)} ${device.padEnd(9)} ${String(steps).padStart(4)} steps ${String(characters).padStart(4)} characters ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s`);
      await checkResult(page, shared, { ...journey, firstSettings });
      assert.ok(steps <= limit, `${steps} steps`);
      assertNoErrors(page);
      await page.context().close();
    });
  }
}

test("a person with a phone views a chart, comments on it, and changes the title and a cell by touch", async () => {
  const page = await openPage(chromium, server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await signIn(page, { email: "eve@example.org", password: PASSWORD });
  const { endpoint } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PUT", `${path}/data`, excelTable.values.map(([label, value]) => ({ label, value })));
  await callApi(page, "PATCH", path, { title: "Kraftwerke" });
  const count = { steps: 0, characters: 0 };
  const start = performance.now();
  const tap = async (/** @type {import("playwright-core").Locator} */ locator) => {
    await locator.tap();
    count.steps += 1;
  };
  const type = async (/** @type {string} */ text) => {
    await page.keyboard.type(text);
    count.characters += text.length;
  };
  await page.goto("/");
  await tap(page.locator("li.chart").getByRole("link", { name: "Kraftwerke", exact: true }));
  await page.waitForURL(/\/d\//, { waitUntil: "commit", timeout: 30_000 });
  await waitForImageTexts(page, "Kraftwerke", "Donaustadt", "1,052");
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await assertNoHorizontalScroll(page);
  await saveScreenshot(page, "phone-view");

  await tap(page.getByRole("button", { name: "Edit the title" }));
  await page.waitForFunction(() => document.activeElement?.matches("#panel textarea"));
  // A field with smaller letters makes phones zoom the page.
  assert.ok(await page.evaluate(() => parseFloat(getComputedStyle(/** @type {Element} */ (document.activeElement)).fontSize) >= 16));
  await page.keyboard.press("End");
  await type(" 2025");
  await waitForImageTexts(page, "Kraftwerke 2025");
  await saveScreenshot(page, "phone-title");
  await tap(page.locator("#panel").getByRole("button", { name: /^Close/ }));

  const cell = page.locator("chart-grid [role=row][aria-rowindex='3'] [role=gridcell]").nth(1);
  await tap(cell);
  await tap(cell);
  await page.keyboard.press("Control+a");
  await type("399");
  await page.keyboard.press("Enter");
  await waitForImageTexts(page, "399");
  await saveScreenshot(page, "phone-cell");

  await tap(page.locator("#tool-comments"));
  await tap(page.getByRole("button", { name: "New comment" }).first());
  await tap(page.getByRole("button", { name: "Place in the middle" }));
  await tap(page.getByRole("textbox", { name: "New comment" }));
  await type("Stimmt Theiß?");
  await saveScreenshot(page, "phone-comment");
  await tap(page.locator("#panel").getByRole("button", { name: /^(Send|Comment)$/ }));
  await page.locator(".thread").getByText("Stimmt Theiß?").waitFor();
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  results.push(`${"small edits".padEnd(16)} ${"touch".padEnd(9)} ${String(count.steps).padStart(4)} steps ${String(count.characters).padStart(4)} characters ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s`);
  const chart = await callApi(page, "GET", path);
  assert.equal(chart.title, "Kraftwerke 2025");
  assert.deepEqual(chart.data[1], { label: "Theiß", value: 399 });
  assert.equal((await callApi(page, "GET", `${path}/comments`)).threads.length, 1);
  assert.ok(count.steps <= 12, String(count.steps));
  await assertNoHorizontalScroll(page);
  assertNoErrors(page);
  await page.context().close();
});

await runTests(async () => {
  console.log(results.join("\n"));
  await chromium.close();
  await server.remove();
});
