// Tests that the chart editor loses no input: copies of a tab, changes of other people, undo, and slow requests.

import assert from "node:assert/strict";
import { blockSaves, cleanUp, createChart, DATA, findToast, getCell, openEditor, openPageAsBen, page, readDocument, replaceFields, save, typeIntoCell, waitForImageText, waitForState } from "./editor-driver.mjs";
import { assertAccessible, assertNoErrors, callApi, runTests, test } from "./lib.mjs";

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

/** Replaces the data of a chart as Ben, without an editor. */
const replaceData = (chart, other, data) => callApi(other, "PUT", `${chart.path}/data`, data);

test("an open edit follows its record when somebody else inserts and removes rows above", async () => {
  const chart = await createChart("Followed edit");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  await getCell(2, 0).dblclick();
  await page.keyboard.press("End");
  await replaceData(chart, other, [{ label: "Center", value: 7 }, ...DATA]);
  await getCell(0, 0).getByText("Center").waitFor();
  await page.keyboard.type("ern");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Western");
  assert.equal(await page.evaluate(() => document.activeElement?.closest("[role=row]")?.getAttribute("aria-rowindex")), "5");
  await page.waitForTimeout(2500);
  await replaceData(chart, other, (await readDocument(chart)).data.slice(2));
  await getCell(0, 0).getByText("South").waitFor();
  await page.keyboard.type("most");
  await page.keyboard.press("Tab");
  assert.deepEqual((await save(chart)).data, [DATA[1], { label: "Westernmost", value: 45 }]);
  // Ann's steps do not take back the changes of Ben.
  await page.getByRole("button", { name: "Undo: Edit cell" }).click();
  assert.deepEqual((await save(chart)).data, [DATA[1], { label: "Western", value: 45 }]);
  await other.context().close();
  assertNoErrors(page);
});

test("the selected cell stays with its record when somebody else inserts a row above", async () => {
  const chart = await createChart("Followed selection");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  // The first cell is selected at the start.
  assert.equal(await page.locator("chart-grid [role=gridcell][aria-selected=true]").textContent(), "North");
  await getCell(1, 1).click();
  await replaceData(chart, other, [{ label: "Center", value: 7 }, ...DATA]);
  await getCell(0, 0).getByText("Center").waitFor();
  await page.keyboard.press("Delete");
  assert.deepEqual((await save(chart)).data.map(({ value }) => value ?? null), [7, 120, null, 45]);
  await other.context().close();
  assertNoErrors(page);
});

test("a text that is typed into a row that somebody else removes can be put back", async () => {
  const chart = await createChart("Removed row");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  await getCell(1, 0).dblclick();
  await page.keyboard.press("End");
  await page.keyboard.type("ern");
  await page.waitForTimeout(2500);
  await replaceData(chart, other, [DATA[0], DATA[2]]);
  const toast = findToast("“Southern”");
  await toast.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "West", "the focus stays in the grid");
  assert.deepEqual((await readDocument(chart)).data, [DATA[0], DATA[2]]);
  await toast.getByRole("button", { name: "Add the row again" }).click();
  assert.deepEqual((await save(chart)).data, [DATA[0], { label: "Southern", value: 80 }, DATA[2]]);
  await other.context().close();
  assertNoErrors(page);
});

test("cells and texts that are typed while the kind of the chart changes stay", async () => {
  const flows = [{ from: "Coal", to: "Power", amount: "none" }, { from: "Gas", to: "Heat", amount: "none" }, { from: "Gas", to: "Power", amount: "none" }];
  const chart = await createChart("Slow kind", { data: flows });
  await openEditor(chart);
  await page.locator("#tool-text").click();
  await page.route("**/tables/document*", (route) => setTimeout(() => route.continue().catch(() => {}), 1500));
  await page.locator(".no-data-help button").first().click();
  await typeIntoCell(0, 0, "Peat");
  await page.locator("#panel [name=title]").fill("Typed meanwhile");
  await findToast("The chart is now a").waitFor();
  await page.unroute("**/tables/document*");
  const { title, data } = await save(chart);
  assert.equal(title, "Typed meanwhile");
  assert.ok(Object.values(data[0]).includes("Peat"), JSON.stringify(data[0]));
  assertNoErrors(page);
});

test("a table that is read while the kind changes gets the columns of the new kind", async () => {
  const chart = await createChart("Table and kind");
  await openEditor(chart);
  await page.evaluate(() => navigator.clipboard.writeText("Region\tSales\nEast\t31\nWest\t32"));
  await page.route("**/tables/document*", (route) => setTimeout(() => route.continue().catch(() => {}), route.request().postData()?.includes("East") ? 2500 : 0));
  await page.getByRole("button", { name: "Paste a table" }).click();
  await page.locator("#change-kind").click();
  await page.locator("dialog[open] .kind-choice[data-kind=line]").click();
  await page.locator(".kind-row", { hasText: "Line graph" }).waitFor();
  await page.locator(".data-strip", { hasText: "2 rows" }).waitFor();
  await page.unroute("**/tables/document*");
  const { settings, data } = await save(chart);
  assert.deepEqual(data.map((record) => [record.label, record[settings.series[0].key]]), [["East", 31], ["West", 32]]);
  assert.ok(await page.evaluate(() => document.querySelector("chart-grid").columns.every(({ isExtra }) => !isExtra)));
  assertNoErrors(page);
});

test("a closed dialog changes the kind no longer", async () => {
  const chart = await createChart("Canceled kind");
  await openEditor(chart);
  await page.locator("#change-kind").click();
  const choice = page.locator("dialog[open] .kind-choice[data-kind=lollipop]");
  await choice.locator("img[src]").waitFor();
  let isAnswered = false;
  await page.route("**/tables/document*", (route) => setTimeout(() => route.continue().catch(() => {}).then(() => (isAnswered = true)), 800));
  await choice.click();
  await page.keyboard.press("Escape");
  await typeIntoCell(0, 1, "55");
  for (let tries = 0; tries < 40 && !isAnswered; tries += 1) await page.waitForTimeout(50);
  await page.waitForTimeout(500);
  await page.unroute("**/tables/document*");
  const { data } = await save(chart);
  assert.equal(data[0].value, 55);
  await page.locator(".kind-row", { hasText: "Bar chart" }).waitFor();
  assertNoErrors(page);
});

test("an offer to undo takes back its own step only", async () => {
  const chart = await createChart("Offers of undo");
  await openEditor(chart);
  await page.evaluate(() => navigator.clipboard.writeText("Region\tSales\nEast\t31\nWest\t32"));
  await page.getByRole("button", { name: "Paste a table" }).click();
  const undoTable = page.locator(".data-strip").getByRole("button", { name: "Undo" });
  await undoTable.waitFor();
  await page.locator("#tool-text").click();
  await page.locator("#panel [name=title]").fill("Typed later");
  await undoTable.waitFor({ state: "hidden" });
  // The step is the last one again.
  await page.getByRole("button", { name: /^Undo:/ }).click();
  await undoTable.click();
  assert.deepEqual((await save(chart)).data, DATA);

  await page.getByRole("button", { name: "Clear", exact: true }).click();
  const undoClear = findToast("All rows are removed").getByRole("button", { name: "Undo" });
  await undoClear.waitFor();
  await page.locator("#panel [name=title]").fill("Typed later");
  await undoClear.waitFor({ state: "hidden" });
  await findToast("All rows are removed").waitFor();
  assertNoErrors(page);
});

test("the texts of the sample go with the last record of the sample, and come back with one step", async () => {
  const chart = await createChart("", { data: null, widget: "bar" });
  const sample = await readDocument(chart);
  await openEditor(chart);
  const readTexts = () => page.evaluate(() => document.querySelector(".paper").shadowRoot.textContent);
  for (let row = 0; row < sample.data.length - 1; row += 1) await typeIntoCell(row, 0, `Town ${row}`);
  await waitForImageText("Town 0");
  assert.ok((await readTexts()).includes(sample.title), "a record of the sample is left");
  // A canceled edit changes nothing.
  await getCell(sample.data.length - 1, 0).click();
  await page.keyboard.type("Tow");
  await page.keyboard.press("Escape");
  assert.equal(await findToast("The texts of the sample are removed").count(), 0);
  await typeIntoCell(sample.data.length - 1, 0, "Last town");
  const toast = findToast("The texts of the sample are removed");
  await toast.waitFor();
  const changed = await save(chart);
  assert.equal(changed.title, "");
  assert.equal(changed.style.subtitle, undefined);
  assert.equal(changed.data.at(-1).label, "Last town");
  await toast.getByRole("button", { name: "Undo" }).click();
  const restored = await save(chart);
  assert.deepEqual([restored.title, restored.style.subtitle, restored.data.at(-1).label], [sample.title, sample.style.subtitle, "Last town"]);
  // Somebody who keeps the texts is not asked again.
  await typeIntoCell(0, 0, "First town");
  assert.equal((await save(chart)).title, sample.title);
  assertNoErrors(page);
});

test("Clear removes the texts of the sample too, and own texts stay", async () => {
  const chart = await createChart("", { data: null, widget: "line" });
  const sample = await readDocument(chart);
  await openEditor(chart);
  await page.locator("#tool-text").click();
  await page.locator("#panel [name=title]").fill("Own title");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  const toast = findToast("All rows and the texts of the sample are removed");
  await toast.waitFor();
  const cleared = await save(chart);
  assert.deepEqual([cleared.data, cleared.title, cleared.style.subtitle, cleared.style.footer], [[], "Own title", undefined, undefined]);
  await toast.getByRole("button", { name: "Undo" }).click();
  const restored = await save(chart);
  assert.deepEqual([restored.data, restored.settings, restored.style], [sample.data, sample.settings, sample.style]);
  assertNoErrors(page);
});

test("the first typed record of an empty chart keeps own settings, and removes texts of the sample", async () => {
  const { title, settings } = await readDocument(await createChart("", { data: null, widget: "bar" }));
  const chart = await createChart("Own title", { data: [] });
  // The own settings are those of the sample by chance.
  await replaceFields(chart, { title: "Own title", settings, style: {} });
  await openEditor(chart);
  await typeIntoCell(0, 0, "Vienna");
  const own = await save(chart);
  assert.deepEqual([own.title, own.settings], ["Own title", settings]);
  await replaceFields(chart, { title, data: [] });
  await openEditor(chart);
  await typeIntoCell(0, 0, "Vienna");
  await findToast("The texts of the sample are removed").waitFor();
  assert.equal((await save(chart)).title, "");
  assertNoErrors(page);
});

test("typed data leave the same texts and settings as the server leaves for new records, in every kind", async () => {
  const kinds = (await callApi(page, "GET", "/portfolio/search?include_description=1")).widgets;
  assert.ok(kinds.length > 40, `${kinds.length} kinds`);
  let changedKinds = 0;
  for (const { slug } of kinds) {
    const kind = await callApi(page, "GET", `/widgets/${slug}`);
    const chart = await createChart("", { data: null, widget: slug });
    const sample = await readDocument(chart);
    const typed = sample.data.map((record) => ({ ...record, note: "typed" }));
    await callApi(page, "PUT", `${chart.path}/data`, typed);
    const stored = await readDocument(chart);
    const changed = await page.evaluate(
      async ([kind, sample, typed]) => {
        const folder = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=modulepreload]")).href.replace(/[^/]*$/, "");
        const [{ listReplacedSampleTexts }, { setValueAt }] = await Promise.all([import(`${folder}sample-texts.js`), import(`${folder}json-merge.js`)]);
        const content = { ...sample, data: typed };
        return listReplacedSampleTexts(kind, [kind], sample.data, content).reduce((document, { path, value }) => setValueAt(document, path, value), content);
      },
      [kind, sample, typed],
    );
    for (const member of ["title", "settings", "style"]) assert.deepEqual(changed[member], stored[member], `${slug}: ${member}`);
    changedKinds += Number(stored.title !== sample.title);
  }
  assert.ok(changedKinds > 40, `${changedKinds} kinds`);
});

test("columns move where their order has an effect, and the command is missing where it has none", async () => {
  const chart = await createChart("Moved columns", { widget: "line", data: [{ label: "May", s1: 3, s2: 5 }, { label: "June", s1: 4, s2: 7 }] });
  await openEditor(chart);
  const readKeys = () => page.evaluate(() => document.querySelector("chart-grid").columns.map(({ key }) => key));
  const listMoves = async (column) => {
    await page.locator("chart-grid .grid-heading").nth(column).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Sort ascending" }).waitFor();
    const names = await page.getByRole("menuitem", { name: /^Move/ }).allInnerTexts();
    await page.keyboard.press("Escape");
    return names.map((name) => name.split("\n")[0]);
  };
  assert.deepEqual(await listMoves(0), []);
  assert.deepEqual(await listMoves(1), ["Move column right"]);
  assert.deepEqual(await listMoves(2), ["Move column left"]);
  await getCell(0, 0).click();
  await page.keyboard.press("Alt+Shift+ArrowRight");
  await page.locator("chart-grid [role=status]", { hasText: "The order of this column cannot be changed" }).waitFor();
  assert.deepEqual(await readKeys(), ["label", "s1", "s2"]);
  assert.ok(await page.getByRole("button", { name: "Undo", exact: true }).isDisabled());
  await getCell(0, 2).click();
  await page.keyboard.press("Alt+Shift+ArrowLeft");
  await page.locator("chart-grid [role=status]", { hasText: "Moved" }).waitFor();
  assert.deepEqual((await save(chart)).settings.series.map(({ key }) => key), ["s2", "s1"]);
  assert.deepEqual(await readKeys(), ["label", "s2", "s1"]);
  assertNoErrors(page);
});

test("a column takes its title and its number format to its new field, and undo brings them back", async () => {
  const chart = await createChart("", { widget: "scatter", data: null });
  const data = [[170, 30, 1], [180, 40, 2], [165, 22, 3]].map(([x, y, Pets]) => ({ x, y, Pets }));
  await replaceFields(chart, { data, settings: { xTitle: "Height", yTitle: "Age", fromTable: { xTitle: "Height" }, rulesets: { x: { decimalPlaces: 1 } } } });
  await openEditor(chart);
  const before = await readDocument(chart);
  const readTitles = () => page.locator("chart-grid .grid-title").allInnerTexts();
  const useFor = async (title, field) => {
    await page.locator("chart-grid .grid-heading", { hasText: title }).locator(".grid-menu-button").click();
    await page.getByRole("menu").getByText(`Use for ${field}`, { exact: true }).click();
  };
  await useFor("Age", "Horizontal value");
  const exchanged = await save(chart);
  assert.deepEqual([exchanged.data[0].x, exchanged.data[0].y, exchanged.settings.xTitle, exchanged.settings.yTitle], [30, 170, "Age", "Height"]);
  assert.deepEqual([exchanged.settings.rulesets, exchanged.settings.fromTable], [{ y: { decimalPlaces: 1 } }, { xTitle: "Age" }]);
  // A column without a field is named by its key.
  await useFor("Pets", "Horizontal value");
  const used = await save(chart);
  assert.deepEqual([used.data[0].x, used.data[0].Age, used.settings.xTitle], [1, 30, "Pets"]);
  assert.deepEqual((await readTitles()).filter((title) => /Pets|Age|Height/.test(title)).map((title) => title.replace(" *", "")), ["Pets", "Height", "Age"]);
  for (const _ of ["Pets", "Age"]) await page.getByRole("button", { name: "Undo: Use another column" }).click();
  const restored = await save(chart);
  assert.deepEqual([restored.data, restored.settings], [before.data, before.settings]);
});

test("a pasted table is read again without names and with rows and columns exchanged, as one step", async () => {
  const chart = await createChart("Read again");
  await openEditor(chart);
  const paste = async (text) => {
    await page.evaluate((table) => navigator.clipboard.writeText(table), text);
    await page.getByRole("button", { name: "Paste a table" }).click();
  };
  const strip = page.locator(".data-strip");
  // A first row with a number is a record, and one of texts has names.
  await paste("East\t31\nWest\t32\nNorth\t33");
  await strip.getByText("3 rows. The columns are numbered.").waitFor();
  assert.deepEqual((await save(chart)).data, [{ label: "East", value: 31 }, { label: "West", value: 32 }, { label: "North", value: 33 }]);
  await strip.getByRole("button", { name: "Use first row as names" }).click();
  await strip.getByText("2 rows. First row used as names.").waitFor();
  await strip.getByRole("button", { name: "Undo" }).click();
  assert.deepEqual((await save(chart)).data, DATA);
  assert.ok(await page.getByRole("button", { name: "Undo", exact: true }).isDisabled(), "one step for all readings");

  const lines = await createChart("Exchanged", { widget: "line", data: [{ label: "May", s1: 3 }, { label: "June", s1: 4 }] });
  const before = await readDocument(lines);
  await openEditor(lines);
  await paste("Region\tEast\tWest\tNorth\nMay\t1,5\t2,5\t3,25\nJune\t4\t5\t6");
  await strip.getByText("2 rows. First row used as names.").waitFor();
  await strip.getByRole("button", { name: "Not names" }).click();
  await strip.getByText("3 rows. The columns are numbered.").waitFor();
  await strip.getByRole("button", { name: "Use first row as names" }).click();
  await strip.getByText("2 rows. First row used as names.").waitFor();
  await assertAccessible(page, "editor-strip");
  await strip.getByRole("button", { name: "Transpose" }).click();
  await strip.getByText("3 rows. First row used as names.").waitFor();
  const { data } = await save(lines);
  assert.deepEqual(data.map(({ label, ...values }) => [label, Object.values(values)]), [["East", [1.5, 4]], ["West", [2.5, 5]], ["North", [3.25, 6]]]);
  // A later change stays.
  await page.locator("#tool-text").click();
  await page.locator("#panel [name=title]").fill("Typed later");
  await strip.getByRole("button", { name: "Transpose" }).click();
  await strip.getByText("2 rows. First row used as names.").waitFor();
  const again = await save(lines);
  assert.equal(again.title, "Typed later");
  // Settings and records are those of the same reading.
  assert.deepEqual(again.data.map(({ label, ...values }) => [label, Object.values(values)]), [["May", [1.5, 2.5, 3.25]], ["June", [4, 5, 6]]]);
  assert.deepEqual(again.settings.series.map(({ key, title }) => [key, title]), Object.keys(again.data[0]).slice(1).map((key, index) => [key, ["East", "West", "North"][index]]));
  for (let steps = 0; steps < 5 && (await page.getByRole("button", { name: /^Undo:/ }).count()); steps += 1) await page.getByRole("button", { name: /^Undo:/ }).click();
  const { title, settings, style, data: restored } = await save(lines);
  assert.deepEqual([title, settings, style, restored], [before.title, before.settings, before.style, before.data]);
  assertNoErrors(page);
});

test("a conflict and the history name fields as the panels do", async () => {
  const data = [{ label: "May", s1: 3, s2: 5 }, { label: "June", s1: 4, s2: 7 }];
  const chart = await createChart("Named fields", { widget: "line", data });
  const other = await openPageAsBen(chart);
  const createSettings = (color, min) => ({ series: [{ key: "s1", title: "Plan", color }, { key: "s2", title: "Actual" }], axis: { min } });
  await replaceFields(chart, { settings: createSettings("#111111", 1) });
  await openEditor(chart);
  const allowSaves = await blockSaves(page);
  await page.evaluate(async (settings) => {
    const folder = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=modulepreload]")).href.replace(/[^/]*$/, "");
    (await import(`${folder}editor-state.js`)).getEditor().store.setValue(["settings"], settings, { label: "Change" });
  }, createSettings("#222222", 2));
  await typeIntoCell(0, 1, "31");
  await replaceFields(chart, { settings: createSettings("#333333", 1.5), data: [{ ...data[0], s1: 32 }, data[1]] }, other);
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.waitFor();
  assert.deepEqual((await dialog.locator("legend").allInnerTexts()).sort(), ["Data › row 1 › Plan", "Series › Plan › Color", "Value axis › Start"]);
  await allowSaves();
  await dialog.getByRole("button", { name: "Keep the choice" }).click();
  await save(chart);
  await page.locator("#tool-history").click();
  const panel = page.locator("#panel");
  await panel.getByText("Setting Value axis › Start: 1.5 → 2").waitFor();
  await panel.getByText("Setting Series › Plan › Color: “#333333” → “#222222”").waitFor();
  await panel.getByText("Row 1, Plan: 32 → 31").waitFor();
  await other.context().close();
  assertNoErrors(page);
});

test("warnings about an image name no settings of the API", async () => {
  const chart = await createChart("Far apart", { data: [{ label: "Small", value: 2 }, { label: "Large", value: 90000 }] });
  await openEditor(chart);
  const warning = page.locator(".stage li, .image-notes li", { hasText: "A logarithmic axis" });
  await warning.waitFor();
  assert.match(await warning.innerText(), /smallest\. A logarithmic axis would show both/);
});

test("a pasted table leaves no internal values in the settings and the history", async () => {
  const SAMPLES = { pie: DATA, sankey: [{ source: "A", target: "B", value: 3 }] };
  for (const widget of /** @type {const} */ (["pie", "sankey"])) {
    const chart = await createChart("Own table", { widget, data: SAMPLES[widget] });
    await openEditor(chart);
    await getCell(0, 0).click();
    const table = widget === "pie" ? "Land\tMio. €\nAT\t5\nDE\t7\nCH\t9" : "Von\tNach\tMio. €\nA\tB\t5\nB\tC\t7\nA\tC\t2";
    await page.evaluate((text) => navigator.clipboard.writeText(text), table);
    await page.keyboard.press("Control+v");
    await page.locator(".data-strip", { hasText: "3 rows" }).waitFor();
    const { settings } = await save(chart);
    assert.ok("fromTable" in settings, `${widget}: ${JSON.stringify(settings)}`);
    await page.locator(".settings-form .settings-section").first().waitFor();
    assert.equal(await page.getByText("fromTable").count(), 0, widget);
    assert.equal(await page.locator(".settings-form").getByText("Other settings").isVisible(), false, widget);
    await page.locator("#tool-history").click();
    const changes = page.locator("#panel .changes li");
    await changes.first().waitFor();
    while (await page.locator("#panel .changes button").count()) await page.locator("#panel .changes button").first().click();
    const lines = await changes.allInnerTexts();
    assert.ok(!lines.some((line) => /from ?table/i.test(line)), lines.join("\n"));
  }
  assertNoErrors(page);
});

test("the undo of a restored version brings back what was saved on the page, and the list marks the current version", async () => {
  const chart = await createChart("Restored");
  await replaceFields(chart, { title: "Second title" });
  await openEditor(chart);
  await typeIntoCell(0, 1, "777");
  await save(chart);
  await page.locator("#tool-history").click();
  const versions = page.locator("#panel .version");
  await versions.nth(1).waitFor();
  await versions.first().getByText("Current").waitFor();
  await versions.nth(1).getByRole("button").first().click();
  await page.locator("#preview").getByRole("button", { name: "Restore" }).click();
  const toast = findToast("is restored");
  await toast.waitFor();
  assert.equal((await readDocument(chart)).data[0].value, 120);
  await toast.getByRole("button", { name: "Undo" }).click();
  await waitForImageText("777");
  assert.equal((await readDocument(chart)).data[0].value, 777);
  assertNoErrors(page);
});

test("the undo of a restored version overwrites nothing that was typed since", async () => {
  const chart = await createChart("Restored, then typed");
  await replaceFields(chart, { title: "Second title" });
  await openEditor(chart);
  await typeIntoCell(0, 1, "777");
  await save(chart);
  await page.locator("#tool-history").click();
  await page.locator("#panel .version").nth(1).getByRole("button").first().click();
  await page.locator("#preview").getByRole("button", { name: "Restore" }).click();
  const undo = findToast("is restored").getByRole("button", { name: "Undo" });
  await undo.waitFor();
  await waitForImageText("120");
  await typeIntoCell(1, 1, "555");
  await undo.click();
  await findToast("The chart has changed since then").waitFor();
  assert.deepEqual((await save(chart)).data.map(({ value }) => value), [120, 555, 45]);
  assertNoErrors(page);
});

/** Makes Ann and Ben change the same cell, to 411 and 422, and opens the dialog on Ann's page. */
async function causeConflict(chart, other) {
  await openEditor(chart);
  const allowSaves = await blockSaves(page);
  await typeIntoCell(0, 1, "411");
  await typeIntoCell(2, 0, "Westend");
  await replaceFields(chart, { data: [{ ...DATA[0], value: 422 }, { ...DATA[1], value: 81 }, DATA[2]] }, other);
  await page.locator("dialog.conflict[open]").waitFor();
  await allowSaves();
}

test("after the changes of another person are taken, undo brings the own ones back", async () => {
  const chart = await createChart("Taken theirs");
  const other = await openPageAsBen(chart);
  await causeConflict(chart, other);
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.getByRole("button", { name: "Take Ben’s" }).click();
  const westend = { label: "Westend", value: 45 };
  assert.deepEqual((await save(chart)).data, [{ ...DATA[0], value: 422 }, { ...DATA[1], value: 81 }, westend], "the other changes of both are kept");
  await findToast("The chosen changes of Ben replace yours").getByRole("button", { name: "Undo" }).click();
  const own = [{ ...DATA[0], value: 411 }, { ...DATA[1], value: 81 }, westend];
  assert.deepEqual((await save(chart)).data, own);
  await page.getByRole("button", { name: "Redo: Resolve conflict" }).click();
  assert.equal((await save(chart)).data[0].value, 422);
  await other.context().close();
  assertNoErrors(page);
});

test("an open cell does not write its saved value over a newer one of another person", async () => {
  const chart = await createChart("Open cell");
  const other = await openPageAsBen(chart);
  for (const end of ["Enter", "Escape"]) {
    await openEditor(chart);
    await getCell(1, 1).click();
    await page.keyboard.type("5");
    await page.keyboard.press("Control+s");
    await waitForState("Saved");
    await replaceFields(chart, { data: [DATA[0], { ...DATA[1], value: 77 }, DATA[2]] }, other);
    await waitForImageText("77");
    await page.keyboard.press(end);
    assert.equal((await save(chart)).data[1].value, 77, end);
  }
  await other.context().close();
  assertNoErrors(page);
});

test("changes that a closing page has sent are not added again after others changed them", async () => {
  const chart = await createChart("Closed page");
  const other = await openPageAsBen(chart);
  const tab = await page.context().newPage();
  await openEditor(chart, tab);
  await typeIntoCell(0, 1, "931", tab);
  await tab.waitForTimeout(300);
  await tab.close({ runBeforeUnload: true });
  for (let attempt = 0; attempt < 50 && (await readDocument(chart)).data[0].value !== 931; attempt += 1) await page.waitForTimeout(100);
  assert.equal((await readDocument(chart)).data[0].value, 931, "the closing page has saved");
  await replaceFields(chart, { data: DATA }, other);
  await openEditor(chart);
  await page.waitForTimeout(1500);
  assert.equal(await findToast("are restored").count(), 0);
  assert.deepEqual((await readDocument(chart)).data, DATA);
  assert.equal(await getCell(0, 1).innerText(), "120");
  await other.context().close();
});

test("a change of another person is asked about, although the own account saved last", async () => {
  const chart = await createChart("Saved last");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  const allowSaves = await blockSaves(page);
  // The page hears of nothing until both have saved.
  await page.route("**/documents/*", (route) => (route.request().method() === "GET" ? route.abort() : route.fallback()));
  await typeIntoCell(0, 1, "411");
  await replaceFields(chart, { data: [{ ...DATA[0], value: 422 }, DATA[1], DATA[2]] }, other);
  const second = await page.context().newPage();
  await second.goto("/");
  await replaceFields(chart, { title: "Saved by Ann elsewhere" }, second);
  await allowSaves();
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.waitFor();
  assert.match(await dialog.innerText(), /Ben/);
  await dialog.getByRole("button", { name: "Take Ben’s" }).click();
  const { title, data } = await save(chart);
  assert.deepEqual([title, data[0].value], ["Saved by Ann elsewhere", 422]);
  await second.close();
  await other.context().close();
});

test("a change of the kind by another person is asked about only if own changes do not fit it", async () => {
  const chart = await createChart("Two kinds");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  await typeIntoCell(0, 1, "411");
  const [pie, line] = await Promise.all(["pie", "line"].map(async (slug) => (await callApi(page, "GET", `/widgets/${slug}`)).id));
  await replaceFields(chart, { plugin_id: pie }, other);
  const fitting = await save(chart);
  assert.deepEqual([fitting.plugin_id, fitting.data[0].value], [pie, 411], "the columns are the same");
  const allowSaves = await blockSaves(page);
  await typeIntoCell(0, 1, "412");
  const points = fitting.data.map(({ label, value }) => ({ label, s1: value + 1 }));
  await replaceFields(chart, { plugin_id: line, data: points, settings: {} }, other);
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.waitFor();
  assert.match(await dialog.innerText(), /Chart kind, data and settings[\s\S]*Pie chart[\s\S]*Ben: Line graph/);
  await allowSaves();
  await dialog.getByRole("button", { name: "Take Ben’s" }).click();
  const taken = await save(chart);
  assert.deepEqual([taken.plugin_id, taken.data], [line, points]);
  await page.getByRole("button", { name: "Undo: Resolve conflict" }).click();
  const own = await save(chart);
  assert.deepEqual([own.plugin_id, own.data[0].value], [pie, 412]);
  await other.context().close();
  assertNoErrors(page);
});

test("a text that is typed into a note stays in it when somebody else removes the note before", async () => {
  const chart = await createChart("Followed note");
  const other = await openPageAsBen(chart);
  const notes = ["First", "Second", "Third"].map((text, index) => ({ type: "text", text, position: { x: 100 + index * 180, y: 60 } }));
  for (const isOnCanvas of [true, false]) {
    await replaceFields(chart, { style: { annotations: notes } });
    await openEditor(chart);
    const button = page.locator('.note-button[data-index="1"]');
    await button.focus();
    await page.keyboard.press("F2");
    const field = page.locator(".canvas-text.of-note");
    await field.waitFor();
    if (!isOnCanvas) {
      await page.keyboard.press("Escape");
      await page.locator("#tool-notes").click();
      await page.locator("#panel .note textarea").nth(1).focus();
    }
    await page.keyboard.press("End");
    await page.keyboard.type("s");
    const { style } = await save(chart);
    await replaceFields(chart, { style: { annotations: style.annotations.slice(1) } }, other);
    await page.locator('.note-button[data-index="2"]').waitFor({ state: "detached" });
    await page.keyboard.type("!");
    assert.deepEqual((await save(chart)).style.annotations.map(({ text }) => text), ["Seconds!", "Third"], isOnCanvas ? "canvas" : "panel");
  }
  await other.context().close();
  assertNoErrors(page);
});

test("a conflict of a new order with a changed cell tells the two lists apart", async () => {
  const data = [{ label: "May", value: 3 }, { label: "June", value: 4 }, { label: "July", value: 5 }];
  const chart = await createChart("Sorted and changed", { data });
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  const allowSaves = await blockSaves(page);
  await page.evaluate(async () => {
    const folder = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=modulepreload]")).href.replace(/[^/]*$/, "");
    const { store } = (await import(`${folder}editor-state.js`)).getEditor();
    store.setValue(["data"], [...store.content.peek().data].reverse(), { label: "Sort" });
  });
  await replaceFields(chart, { data: [data[0], { label: "June", value: 44 }, data[2]] }, other);
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.waitFor();
  assert.deepEqual(await dialog.locator(".conflict-field label").allInnerTexts(), [
    "Mine: 3 entries in another order, from entry 1: July, 5; June, 4; May, 3",
    "Ben: 3 entries, from entry 2: June, 44",
  ]);
  await allowSaves();
  await dialog.getByRole("button", { name: "Keep the choice" }).click();
  await save(chart);
  await other.context().close();
  assertNoErrors(page);
});

test("a cell that is being edited when a conflict is shown keeps its text", async () => {
  const chart = await createChart("Edited in a conflict");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  const allowSaves = await blockSaves(page);
  await typeIntoCell(0, 1, "411");
  await getCell(1, 1).click();
  // A number in the notation of another language is read at the end of the edit.
  await page.keyboard.type("7,5");
  await replaceFields(chart, { data: [{ ...DATA[0], value: 422 }, ...DATA.slice(1)] }, other);
  await page.locator("dialog.conflict[open]").waitFor();
  await allowSaves();
  await page.locator("dialog.conflict[open]").getByRole("button", { name: "Keep the choice" }).click();
  assert.deepEqual((await save(chart)).data.map(({ value }) => value), [411, 7.5, 45]);
  await other.context().close();
  assertNoErrors(page);
});

test("a conflict about changes of an earlier visit can be undone too", async () => {
  const chart = await createChart("Taken theirs later");
  const other = await openPageAsBen(chart);
  await causeConflict(chart, other);
  await page.reload();
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.waitFor();
  await dialog.getByRole("button", { name: /^Take / }).click();
  await dialog.waitFor({ state: "detached" });
  await waitForImageText("422");
  await page.getByRole("button", { name: "Undo: Resolve conflict" }).click();
  assert.deepEqual((await save(chart)).data.map(({ value }) => value), [411, 81, 45]);
  await other.context().close();
  assertNoErrors(page);
});

await runTests(cleanUp);
