// Tests of the settings form in a browser. For every chart kind, a script changes each control by real input, compares
// the rendered image before and after, and undoes the change. The form is built on a page of the server.

import assert from "node:assert/strict";
import { createControlDriver, EXCUSES, openSettingsForm } from "./settings-driver.mjs";
import { assertAccessible, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);
const { widgets: kinds } = await callApi(page, "GET", "/portfolio/search?include_description=1");
const slugs = kinds.map((kind) => kind.slug);

const openForm = (slug, options) => openSettingsForm(page, slug, options);
const readSettings = () => page.evaluate(() => window["editor"].settings.peek());
const setSettings = (settings) => page.evaluate((value) => (window["editor"].settings.value = value), settings);
const readChanges = () => page.evaluate(() => window["editor"].changes.splice(0));
const findSetting = (path) => page.locator(`#panel [data-path="${path}"]`);

/** Returns the row of a setting, its control with a role, and the errors below it. */
const findControl = (path, role, options) => findSetting(path).getByRole(role, options);
const readErrors = (path) => findSetting(path).locator("> .setting-errors").innerText();
const readFocus = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? /** @type {any} */ (document.activeElement)?.labels?.[0]?.textContent ?? document.activeElement?.textContent);
const listVisible = () => page.locator("#panel .setting").evaluateAll((rows) => rows.filter((row) => row.checkVisibility()).map((row) => row.getAttribute("data-path")));

test("search finds settings by title, help and choices", async () => {
  await openForm("bar");
  await page.locator("#panel .section-toggle").first().focus();
  await page.keyboard.press("Control+f");
  assert.equal(await readFocus(), "Search in settings");
  await page.keyboard.type("benchmark");
  assert.deepEqual(await listVisible(), ["benchmark"]);
  await page.keyboard.press("Escape");
  assert.ok((await listVisible()).length > 8);
  await page.keyboard.type("DESCENDING");
  assert.deepEqual(await listVisible(), ["sort"]);
  await page.getByLabel("Search in settings").fill("powers of ten");
  assert.deepEqual(await listVisible(), ["axis.scale"]);
  await page.getByLabel("Search in settings").fill("no such thing");
  assert.deepEqual(await listVisible(), []);
  assert.match(await page.locator("#panel .settings-empty").innerText(), /No setting matches “no such thing”/);
  await assertAccessible(page, "settings-no-match");
  // A search opens a collapsed section only while it lasts.
  await page.getByLabel("Search in settings").fill("");
  await page.getByRole("button", { name: "Benchmark", exact: true }).click();
  assert.ok(await findSetting("benchmark").isHidden());
  await page.getByLabel("Search in settings").fill("reference line");
  assert.ok(await findSetting("benchmark").isVisible());
  await page.getByLabel("Search in settings").fill("");
  assert.ok(await findSetting("benchmark").isHidden());
  assertNoErrors(page);
});

test("the words of segments are whole and in one row", async () => {
  let checked = 0;
  for (const slug of ["bar", "calendar-heat-map", "histogram", "stacked-column"]) {
    await openForm(slug);
    const groups = await page.locator(".segments:visible").evaluateAll((elements) =>
      elements.map((element) => {
        const frame = element.getBoundingClientRect();
        const isWhole = [...element.children].every((segment) => {
          const [box, words] = [segment, segment.lastElementChild].map((part) => part.getBoundingClientRect());
          return segment.querySelector(".icon") || (words.left >= box.left + 2 && words.right <= box.right - 2 && box.right <= frame.right);
        });
        return { text: element.textContent, isWhole, rows: new Set([...element.children].map((segment) => segment.getBoundingClientRect().top)).size };
      }),
    );
    checked += groups.length;
    assert.deepEqual(groups.filter(({ isWhole, rows }) => !isWhole || rows > 1), [], slug);
  }
  assert.ok(checked > 6, `${checked} groups`);
});

test("sections stay collapsed after a reload", async () => {
  await openForm("line");
  const toggle = page.getByRole("button", { name: "Labels and grid" });
  await toggle.click();
  assert.equal(await toggle.getAttribute("aria-expanded"), "false");
  await openForm("line", { keepsSections: true });
  assert.equal(await page.getByRole("button", { name: "Labels and grid" }).getAttribute("aria-expanded"), "false");
  assert.ok(await findSetting("showGrid").isHidden());
  await page.getByRole("button", { name: "Labels and grid" }).click();
  assert.ok(await findSetting("showGrid").isVisible());
});

test("a dot resets a changed setting", async () => {
  await openForm("bar", { settings: { sort: "desc", axis: { min: 5, max: 2000 }, custom: { a: 1 } } });
  assert.deepEqual(await page.locator(".reset-dot:visible").evaluateAll((dots) => dots.map((dot) => dot.getAttribute("aria-label"))), ["Reset Order", "Reset Start", "Reset End", "Reset custom"]);
  await page.getByRole("button", { name: "Reset Start" }).focus();
  await page.keyboard.press("Enter");
  assert.deepEqual(await readSettings(), { sort: "desc", axis: { max: 2000 }, custom: { a: 1 } });
  assert.equal(await readFocus(), "Start");
  assert.equal(await page.getByLabel("Start", { exact: true }).getAttribute("placeholder"), "Automatic");
  await page.getByRole("button", { name: "Reset Order" }).click();
  assert.deepEqual((await readSettings()).sort, undefined);
  assert.ok(await findControl("sort", "radio", { name: "As in the data" }).isChecked());
  const changes = await readChanges();
  assert.deepEqual(changes.map(({ path, label, mergeKey }) => [path, label, mergeKey]), [[["axis", "min"], "Reset Start", null], [["sort"], "Reset Order", null]]);
  // A setting that the kind does not know is JSON.
  const json = findSetting("custom").locator("textarea");
  await json.fill('{"a": 2');
  await json.blur();
  assert.match(await readErrors("custom"), /not valid JSON/);
  await json.fill('{"a": 2}');
  await json.blur();
  assert.deepEqual((await readSettings()).custom, { a: 2 });
  assert.equal(await readErrors("custom"), "");
});

test("conditions hide settings, which keep their values", async () => {
  await openForm("bar", { settings: { benchmark: 500, benchmarkTitle: "Goal" } });
  assert.ok(await findSetting("benchmarkTitle").isVisible());
  await findControl("benchmark", "spinbutton").fill("");
  assert.ok(await findSetting("benchmarkTitle").isHidden());
  assert.deepEqual(await readSettings(), { benchmarkTitle: "Goal" });
  await findControl("benchmark", "spinbutton").fill("700");
  assert.equal(await findControl("benchmarkTitle", "textbox").inputValue(), "Goal");
  await openForm("gauge");
  assert.ok(await findSetting("showTarget").isVisible());
  await page.evaluate(() => (window["editor"].records.value = [{ label: "A", value: 3 }]));
  assert.ok(await findSetting("showTarget").isHidden());
  assert.ok(await findSetting("targetTitle").isHidden());
  assertNoErrors(page);
});

test("numbers have steps, calculations and limits", async () => {
  await openForm("pareto");
  const input = findControl("otherAfter", "spinbutton");
  assert.equal(await input.inputValue(), "");
  await input.focus();
  await page.keyboard.press("ArrowUp");
  assert.equal((await readSettings()).otherAfter, 1);
  await page.keyboard.press("Shift+ArrowUp");
  assert.equal((await readSettings()).otherAfter, 11);
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  assert.equal((await readSettings()).otherAfter, 0, "not below the minimum");
  await findSetting("otherAfter").getByRole("button", { name: "Increase" }).click();
  assert.equal((await readSettings()).otherAfter, 1);
  await input.fill("=2*(3+4)-2");
  assert.equal((await readSettings()).otherAfter, 1, "a calculation waits for Enter");
  await input.press("Enter");
  assert.equal((await readSettings()).otherAfter, 12);
  assert.equal(await input.inputValue(), "12");
  for (const [text, message] of [["7.5", /whole number/], ["abc", /=120\*1.2/], ["101", /at most 100/], ["=1/0", /Enter a number/], ["=2*(3", /Enter a number/]]) {
    await input.fill(text);
    await input.press("Enter");
    assert.match(await readErrors("otherAfter"), message, text);
    assert.equal(await input.getAttribute("aria-invalid"), "true");
    assert.equal((await readSettings()).otherAfter, 12, text);
  }
  await input.fill("9");
  assert.equal(await readErrors("otherAfter"), "");
  const changes = await readChanges();
  assert.deepEqual(new Set(changes.map((change) => change.mergeKey)), new Set(["otherAfter"]));
  const slider = findControl("threshold", "slider");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal((await readSettings()).threshold, 81);
  assert.equal(await findControl("threshold", "spinbutton").inputValue(), "81");
  assert.equal(await findControl("threshold", "spinbutton").getAttribute("aria-valuetext"), "81 %");
  assert.equal(await findSetting("threshold").locator(".unit").innerText(), "%");
});

test("a field keeps focus and caret while it is typed in, and follows undo", async () => {
  await openForm("bar", { settings: { benchmark: 500, benchmarkTitle: "Gl" } });
  const input = findControl("benchmarkTitle", "textbox");
  await input.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("oa");
  assert.equal((await readSettings()).benchmarkTitle, "Goal");
  assert.equal(await input.evaluate((element) => /** @type {HTMLInputElement} */ (element).selectionStart), 3);
  const changes = await readChanges();
  assert.deepEqual(changes.map((change) => [change.value, change.mergeKey, change.label]), [["Gol", "benchmarkTitle", "Benchmark label"], ["Goal", "benchmarkTitle", "Benchmark label"]]);
  await setSettings({ benchmark: 500, benchmarkTitle: "Old" });
  assert.equal(await input.inputValue(), "Old");
  assert.equal(await readFocus(), "Benchmark label");
  // A number keeps the text that was typed, such as a closing zero.
  const number = findControl("benchmark", "spinbutton");
  await number.fill("");
  await number.pressSequentially("1.50");
  assert.equal(await number.inputValue(), "1.50");
  assert.equal((await readSettings()).benchmark, 1.5);
  await setSettings({ benchmark: 7 });
  assert.equal(await number.inputValue(), "7");
  assertNoErrors(page);
});

test("colors come from the theme, a picker or text, with a hint for low contrast", async () => {
  await openForm("waterfall");
  const button = findControl("positiveColor", "button", { name: /^Color of ups/ });
  assert.equal(await button.getAttribute("aria-label"), "Color of ups: From the theme");
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Color of ups" });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal((await readSettings()).positiveColor, "#d9622b");
  assert.match(await dialog.locator(".color-contrast").innerText(), /^3\.6 : 1 on the background\.$/);
  const text = dialog.getByLabel("Color as text");
  await text.fill("#ffe680");
  assert.match(await dialog.locator(".color-contrast").innerText(), /^1\.2 : 1 .* easy to see from 3 : 1\.$/);
  await assertAccessible(page, "settings-color");
  await text.fill("#12");
  assert.match(await dialog.getByRole("status").first().innerText(), /not a CSS color/);
  assert.equal((await readSettings()).positiveColor, "#ffe680");
  await dialog.getByLabel("Pick a color").fill("#336699");
  assert.equal((await readSettings()).positiveColor, "#336699");
  await page.keyboard.press("Escape");
  assert.equal(await readFocus(), "Color of ups: #336699");
  const other = findControl("negativeColor", "button", { name: /^Color of downs/ });
  await other.click();
  await page.getByRole("button", { name: "Recent color 1, #336699" }).click();
  assert.equal((await readSettings()).negativeColor, "#336699");
  await page.getByRole("button", { name: "From the theme", exact: true }).click();
  assert.equal((await readSettings()).negativeColor, undefined);
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("a palette is reordered by keys, by its menu and by dragging", async () => {
  await openForm("choropleth", { settings: { scale: ["#aa0000", "#00aa00", "#0000aa"] } });
  const row = findSetting("scale");
  const readScale = async () => (await readSettings()).scale?.map((color) => color[1] + color[3] + color[5]).join(" ");
  assert.equal(await readScale(), "a00 0a0 00a");
  await row.getByRole("button", { name: "Move Color 1" }).focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await readScale(), "0a0 a00 00a");
  assert.equal(await readFocus(), "Move Color 2");
  await row.getByRole("button", { name: "Actions of Color 3" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  assert.equal(await readScale(), "0a0 00a a00");
  const [from, to] = [await row.getByRole("button", { name: "Move Color 1" }).boundingBox(), await row.getByRole("button", { name: "Move Color 3" }).boundingBox()];
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 8, to.y + to.height - 2, { steps: 4 });
  await page.mouse.up();
  assert.equal(await readScale(), "00a a00 0a0");
  await row.getByRole("button", { name: "Actions of Color 1" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  assert.equal(await readScale(), "a00 0a0");
  await row.getByRole("button", { name: "Add color" }).click();
  assert.equal((await readSettings()).scale.length, 3);
  await assertAccessible(page, "settings-palette");
  assertNoErrors(page);
});

test("series are cards that can be added, duplicated, moved and removed", async () => {
  await openForm("line", { settings: {} });
  const row = findSetting("series");
  await row.getByRole("button", { name: "List all" }).click();
  assert.deepEqual((await readSettings()).series, [{ key: "before" }, { key: "after" }]);
  assert.ok(await row.getByRole("button", { name: "Add column" }).isHidden(), "all columns are listed");
  await row.locator(".card-toggle").first().click();
  await findControl("series[0].title", "textbox").pressSequentially("Earlier");
  assert.deepEqual((await readSettings()).series[0], { key: "before", title: "Earlier" });
  await row.getByRole("button", { name: "Move Column 1" }).focus();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual((await readSettings()).series.map((item) => item.key), ["after", "before"]);
  assert.equal(await row.locator(".card-toggle").nth(1).getAttribute("aria-expanded"), "true", "the open card stays open");
  await assertAccessible(page, "settings-cards");
  await row.getByRole("button", { name: "Actions of Column 2" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  assert.equal((await readSettings()).series.length, 3);
  for (let count = 3; count > 0; count -= 1) {
    // A press within 250 ms after a menu was closed counts as the press that closed it.
    await page.waitForTimeout(300);
    await row.getByRole("button", { name: `Actions of Column ${count}` }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
  }
  assert.deepEqual(await readSettings(), {});
  assertNoErrors(page);
});

test("formats have an example, and one card for columns of one axis", async () => {
  await openForm("bar", { settings: { locale: "de" } });
  const card = page.locator('.list-card[data-column="value"]');
  assert.match(await card.locator(".card-example").innerText(), /1\.284/);
  await card.locator(".card-toggle").click();
  await findControl("rulesets.value.decimals", "spinbutton").fill("2");
  await findControl("rulesets.value.suffix", "textbox").fill(" t");
  await findControl("rulesets.value.displayAsPercentage", "switch").click();
  assert.match(await card.locator(".card-example").innerText(), /1\.284,00\u00a0% t/);
  await findControl("rulesets.value.thousandsSeparator", "switch").click();
  assert.match(await card.locator(".card-example").innerText(), /1284,00/);
  assert.deepEqual((await readSettings()).rulesets, { value: { decimals: 2, suffix: " t", displayAsPercentage: true, thousandsSeparator: false } });
  await assertAccessible(page, "settings-format");
  await openForm("line", { settings: {} });
  await page.locator(".list-card .card-toggle", { hasText: "All series" }).click();
  await findControl("rulesets.before.prefix", "textbox").fill("€");
  assert.deepEqual((await readSettings()).rulesets, { before: { prefix: "€" }, after: { prefix: "€" } });
  await page.getByRole("button", { name: "Reset Text before" }).click();
  assert.deepEqual((await readSettings()).rulesets, {});
  await openForm("timeline", { settings: { rulesets: { date: { dateFormat: "DD.MM.YY" } } } });
  assert.match(await page.locator('.list-card[data-column="date"] .card-example').innerText(), /\d\d\.\d\d\.\d\d$/);
  assertNoErrors(page);
});

test("a combobox filters its list and takes other texts", async () => {
  await openForm("bar");
  const input = findControl("locale", "combobox");
  await input.click();
  const options = findControl("locale", "option");
  assert.equal(await options.count(), 20);
  await page.keyboard.type("germ");
  assert.equal(await options.count(), 2);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await input.getAttribute("aria-activedescendant"), await page.getByRole("option", { name: "German (Switzerland)" }).getAttribute("id"));
  await assertAccessible(page, "settings-combobox");
  await page.keyboard.press("Enter");
  assert.equal((await readSettings()).locale, "de-CH");
  await input.fill("en-AU");
  await input.press("Enter");
  assert.equal((await readSettings()).locale, "en-AU");
  await input.fill("x");
  await input.press("Escape");
  assert.equal(await input.inputValue(), "en-AU");
  await input.fill("");
  await input.blur();
  assert.equal((await readSettings()).locale, undefined);
  assertNoErrors(page);
});

test("problems of the server stand under their controls", async () => {
  const problems = [
    { path: "settings.axis.min", message: "must be a number" },
    { path: "settings.series[1].color", message: "must be a string" },
    { path: "settings.interpolation", message: "must be one of the choices" },
    { path: "settings", message: "must be an object" },
    { path: "data[0].value", message: "belongs to another panel" },
  ];
  await openForm("line", { settings: { axis: { min: "x" }, series: [{ key: "before" }, { key: "after", color: 3 }] }, problems });
  assert.equal(await readErrors("axis.min"), "must be a number");
  const input = findControl("axis.min", "spinbutton");
  assert.equal(await input.getAttribute("aria-invalid"), "true");
  const describe = (locator) => locator.evaluate((element) => (element.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent).join(" "));
  assert.match(await describe(input), /must be a number.*Lowest value shown/);
  assert.match(await describe(findControl("interpolation", "radiogroup")), /must be one of the choices/);
  assert.match(await page.locator("#panel").innerText(), /must be an object/);
  assert.doesNotMatch(await page.locator("#panel").innerText(), /another panel/);
  assert.match(await page.getByRole("button", { name: /^Series/ }).first().innerText(), /2 problems/);
  await page.evaluate(() => window["form"].reveal("settings.series[1].color"));
  assert.equal(await readErrors("series[1].color"), "must be a string");
  assert.match(String(await readFocus()), /^Color: /);
  await assertAccessible(page, "settings-problems");
  await page.evaluate(() => (window["editor"].problems.value = []));
  assert.equal(await readErrors("axis.min"), "");
  assert.equal(await input.getAttribute("aria-invalid"), null);
  assert.doesNotMatch(String(await describe(input)), /must be/);
  await page.getByRole("button", { name: "Axis and numbers" }).click();
  await page.evaluate(() => window["form"].reveal(["axis", "min"]));
  assert.equal(await readFocus(), "Start");
  await page.evaluate(() => window["form"].focusSearch());
  assert.equal(await readFocus(), "Search in settings");
  assertNoErrors(page);
});

test("the form is usable by keyboard and has roles and names for screen readers", async () => {
  await openForm("pyramid");
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const roles = new Set(["searchbox", "heading", "button", "group", "switch", "combobox", "spinbutton", "slider", "radiogroup", "radio", "textbox"]);
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const listNodes = (node) => [node, ...(node.childIds ?? []).flatMap((id) => listNodes(byId.get(id)))];
  const walk = listNodes(nodes[0]).filter((node) => !node.ignored && roles.has(node.role?.value)).map((node) => `${node.role.value} ${node.name?.value}${node.description?.value ? `: ${node.description.value}` : ""}`);
  assert.deepEqual(walk, [
    "searchbox Search in settings",
    "heading Appearance",
    "button Appearance",
    "group Appearance",
    "switch Point down: Point the tip down. The first record remains at the top.",
    "button Help: Point down",
    "heading Language",
    "button Language",
    "group Language",
    "combobox Language: Language tag for numbers, dates and fixed texts, such as en or de. Without it, English is used.",
    "button Help: Language",
  ]);
  await page.getByLabel("Search in settings").focus();
  const stops = [];
  for (let step = 0; step < 7; step += 1) {
    await page.keyboard.press("Tab");
    stops.push(await readFocus());
  }
  assert.deepEqual(stops.slice(0, 6), ["Appearance", "Point down", "Help: Point down", "Language", "Language", "Help: Language"]);
  await page.getByLabel("Point down", { exact: true }).focus();
  await page.keyboard.press("Space");
  assert.deepEqual((await readSettings()).inverted, true);
  await page.getByRole("button", { name: "Help: Point down" }).focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.locator(".help-popover:popover-open").isVisible());
  assert.match(await page.locator(".help-popover:popover-open").innerText(), /^Point the tip down/);
  await assertAccessible(page, "settings-help");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".help-popover:popover-open").count(), 0);
  assertNoErrors(page);
});

test("values of a wrong type stay visible and can be replaced", async () => {
  for (const slug of slugs) {
    const { settings_schema: schema } = await callApi(page, "GET", `/widgets/${slug}`);
    for (const value of [7, "wrong", null, [{ key: 3 }, "x"], { value: 1, min: [] }]) {
      const settings = Object.fromEntries(Object.keys(schema.properties).map((name) => [name, value]));
      if (value === 7) await openForm(slug, { settings });
      else await setSettings(settings);
      assert.deepEqual(await readSettings(), settings);
    }
    // Then every control shows valid values again.
    await setSettings({});
    assert.equal(await page.locator("#panel .reset-dot:visible").count(), 0, slug);
    assertNoErrors(page);
  }
  await openForm("bar", { settings: { sort: 7, benchmarkTitle: { a: 1 }, benchmark: "x" } });
  assert.equal(await findControl("benchmarkTitle", "textbox").inputValue(), '{"a":1}');
  assert.equal(await findControl("benchmark", "spinbutton").inputValue(), "x");
  await findControl("benchmark", "spinbutton").fill("3");
  await findControl("sort", "radio", { name: "Ascending" }).click();
  assert.deepEqual(await readSettings(), { sort: "asc", benchmarkTitle: { a: 1 }, benchmark: 3 });
});

test("the form fits narrow pages and has no accessibility findings", async () => {
  for (const slug of ["bar", "combo", "scatter", "choropleth", "pictogram", "donut"]) {
    await openForm(slug);
    await assertAccessible(page, `settings-${slug}`);
    const overflow = await page.locator("#panel .setting, #panel .section-toggle").evaluateAll((rows) => rows.filter((row) => row.scrollWidth > row.clientWidth + 1).map((row) => row.getAttribute("data-path")));
    assert.deepEqual(overflow, [], `${slug}: wider than its panel`);
  }
  const previousSize = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 900 });
  for (const slug of ["scatter", "donut"]) {
    await openForm(slug, { width: null });
    await assertAccessible(page, `settings-phone-${slug}`);
    await assertNoHorizontalScroll(page);
  }
  await page.emulateMedia({ forcedColors: "active" });
  await assertAccessible(page, "settings-forced-colors");
  await page.emulateMedia({ forcedColors: null });
  await page.setViewportSize(previousSize);
});

/** Totals of the test of all controls. */
const totals = { kinds: 0, controls: 0, changed: 0, excused: 0 };
const usedExcuses = new Set();

for (const slug of slugs) {
  test(`controls of ${slug}`, async () => {
    const kind = await openForm(slug);
    const result = await createControlDriver(page, kind).changeAll();
    assert.equal(result.failures.length, 0, `${slug}: ${result.failures.length} of ${result.controls} controls\n${result.failures.join("\n")}`);
    result.excuses.forEach((excuse) => usedExcuses.add(excuse));
    totals.kinds += 1;
    for (const name of ["controls", "changed", "excused"]) totals[name] += result[name];
    assertNoErrors(page);
  });
}

test("every control of every kind was changed", async () => {
  console.log(`     kinds ${totals.kinds}, controls ${totals.controls}, changed ${totals.changed}, excused ${totals.excused}`);
  assert.equal(totals.changed + totals.excused, totals.controls);
  // A filter of tests may run only some kinds.
  if (process.argv[2] && totals.kinds < slugs.length) return;
  assert.equal(totals.kinds, slugs.length);
  assert.deepEqual(Object.keys(EXCUSES).filter((excuse) => !usedExcuses.has(excuse)), [], "excuses without use");
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
