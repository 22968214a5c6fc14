// Tests of the chart editor in a browser: live picture, undo, automatic save, two tabs, two people, crashes and tables.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertAccessible, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const PASSWORD = "correct horse battery";
const directory = await mkdtemp(join(tmpdir(), "chartroom-editor-"));
let server = await startServer({ demo: false, directory });
for (const name of ["Ann", "Ben"]) {
  await runCommand(directory, ["user", "create", "--email", `${name.toLowerCase()}@example.org`, "--name", name, "--password-stdin"], PASSWORD);
}
const chromium = await launchBrowser();
const page = await openPage(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
await signIn(page, { email: "ann@example.org", password: PASSWORD });

const DATA = [
  { label: "North", value: 120 },
  { label: "South", value: 80 },
  { label: "West", value: 45 },
];

/** Creates a chart of Ann with own data. Returns its API path and the address of its page. */
async function createChart(title, { widget = "bar", data = DATA } = {}) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PUT", `${path}/data`, data);
  await callApi(page, "PATCH", path, { title });
  return { path, view: new URL(document_view).pathname };
}

/** Opens the editor of a chart, and waits for the grid and the picture with marks. */
async function openEditor(chart, target = page) {
  await target.goto(chart.view);
  await target.locator("chart-grid [role=gridcell]").first().waitFor();
  await target.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part]"));
}

const readDocument = (chart) => callApi(page, "GET", chart.path);
const getCell = (row, column, target = page) => target.locator(`chart-grid [role=row][aria-rowindex="${row + 2}"] [role=gridcell]`).nth(column);
const waitForImageText = (text, target = page) => target.waitForFunction((wanted) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(wanted), text);
const waitForState = (text, target = page) => target.locator(".save-state", { hasText: new RegExp(`^${text}$`) }).waitFor();
const findToast = (text, target = page) => target.locator(".toast", { hasText: text });

/** Types a value into a cell. */
async function typeIntoCell(row, column, text, target = page) {
  await getCell(row, column, target).click();
  await target.keyboard.type(text);
  await target.keyboard.press("Enter");
}

/** Opens a page in which Ben is signed in, who may change the chart. */
async function openPageAsBen(chart) {
  const { owner, id } = await callApi(page, "GET", chart.path);
  await callApi(page, "POST", "/share", { owner, document: id, email: "ben@example.org", mode: "w" });
  const other = await openPage(chromium, server);
  await signIn(other, { email: "ben@example.org", password: PASSWORD });
  return other;
}

test("typing in the grid changes the picture at once, is saved by itself, and can be undone", async () => {
  const chart = await createChart("Typing");
  const before = await readDocument(chart);
  await openEditor(chart);
  await typeIntoCell(1, 1, "333");
  await waitForImageText("333");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).data[1].value, 333);
  await page.keyboard.press("Control+z");
  await waitForImageText("80");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const restored = await readDocument(chart);
  assert.deepEqual([restored.data, restored.settings, restored.style, restored.title], [before.data, before.settings, before.style, before.title]);
  assertNoErrors(page);
});

test("one history of steps covers grid, texts, style and settings", async () => {
  const chart = await createChart("One history");
  const before = await readDocument(chart);
  await openEditor(chart);
  await typeIntoCell(0, 1, "500");
  await page.locator(".paper [data-part=title]").first().click();
  await page.keyboard.type("New title");
  await page.keyboard.press("Enter");
  await waitForImageText("New title");
  await page.locator("#tool-style").click();
  await page.locator(".theme-choices label", { hasText: "Dark" }).click();
  await page.locator(".size-choice", { hasText: "Square post" }).click();
  await page.locator("#tool-text").click();
  await page.getByRole("textbox", { name: "Footer" }).fill("Source: own count");
  await waitForImageText("Source: own count");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const changed = await readDocument(chart);
  assert.equal(changed.data[0].value, 500);
  assert.equal(changed.title, "New title");
  assert.equal(changed.theme, "dark");
  assert.deepEqual([changed.style.width, changed.style.height, changed.style.footer], [540, 540, "Source: own count"]);
  const undoButton = page.getByRole("button", { name: /^Undo/ });
  for (let steps = 0; steps < 20 && (await undoButton.isEnabled()); steps += 1) await undoButton.click();
  await waitForImageText("One history");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const restored = await readDocument(chart);
  for (const member of ["data", "settings", "title", "theme"]) assert.deepEqual(restored[member], before[member], member);
  assert.deepEqual(restored.style, before.style);
  await page.getByRole("button", { name: /^Redo/ }).click();
  await waitForImageText("500");
  assertNoErrors(page);
});

test("a selected mark and the row of the grid belong together", async () => {
  const chart = await createChart("Selection");
  await openEditor(chart);
  await page.locator(".paper rect[data-row='2']").first().click();
  await page.locator("chart-grid [role=gridcell][aria-selected=true]", { hasText: "45" }).waitFor();
  await getCell(0, 0).click();
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-row='0'][data-selected]"));
  assertNoErrors(page);
});

test("Escape takes back a text that is edited on the picture", async () => {
  const chart = await createChart("Stays as it is");
  await openEditor(chart);
  await page.locator(".paper [data-part=title]").first().focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Gone");
  await waitForImageText("Gone");
  await page.keyboard.press("Escape");
  await waitForImageText("Stays as it is");
  assert.equal(await page.locator(".canvas-text").count(), 0);
  assertNoErrors(page);
});

test("a text is edited on the picture in its own color, font and direction", async () => {
  for (const [theme, title, fill, isRtl] of [["dark", "Dark title", "rgb(238, 241, 244)", false], ["light", "مبيعات الشهر", "rgb(29, 35, 41)", true]]) {
    const chart = await createChart(title);
    const { version: _, owner: __, ...fields } = await callApi(page, "GET", chart.path);
    await callApi(page, "PUT", chart.path, { ...fields, theme, settings: { locale: isRtl ? "ar" : "en" } });
    await openEditor(chart);
    const text = page.locator(".paper [data-part=title]");
    const [box, background] = [await text.boundingBox(), await page.evaluate(() => document.querySelector(".paper").shadowRoot.querySelector("svg > rect").getAttribute("fill"))];
    await text.click();
    const field = page.locator(".canvas-text.title");
    const look = await field.evaluate((element) => {
      const { color, direction, fontWeight, fontFamily } = getComputedStyle(element);
      const image = document.querySelector(".paper").shadowRoot.querySelector("[data-part=title]");
      return { color, direction, fontWeight, hasFont: fontFamily === getComputedStyle(image).fontFamily, background: element.style.background };
    });
    assert.deepEqual([look.color, look.direction, look.fontWeight, look.hasFont], [fill, isRtl ? "rtl" : "ltr", "700", true]);
    if (theme === "dark") assert.ok(look.background !== "" && background !== "#ffffff", look.background);
    const [place, canvas] = [await field.boundingBox(), await page.locator("#canvas").boundingBox()];
    // The text stays where it is, and a longer one has the width of the chart.
    const start = isRtl ? [place.x + place.width, box.x + box.width] : [place.x, box.x];
    assert.ok(Math.abs(start[0] - start[1]) < 8, JSON.stringify([place, box]));
    assert.ok(place.width > canvas.width * 0.9, `${place.width} of ${canvas.width} px`);
    await page.keyboard.press("Escape");
  }
  assertNoErrors(page);
});

test("the data are hidden and shown by their button, the separator and a shortcut, and stay hidden", async () => {
  const chart = await createChart("Hidden data");
  await openEditor(chart);
  const grid = page.locator("chart-grid");
  const splitter = page.getByRole("separator", { name: "Height of the data" });
  await page.getByRole("button", { name: "Hide the data" }).click();
  await grid.waitFor({ state: "hidden" });
  assert.ok((await page.locator("#data").boundingBox()).height < 80);
  await page.reload();
  await page.getByRole("button", { name: "Show the data" }).waitFor();
  assert.ok(await grid.isHidden());
  await page.locator("#canvas").focus();
  await page.keyboard.press("d");
  await grid.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("role")), "gridcell");
  await splitter.press("Enter");
  await grid.waitFor({ state: "hidden" });
  await splitter.press("ArrowUp");
  await grid.waitFor();
  await splitter.dblclick();
  await grid.waitFor({ state: "hidden" });
  await splitter.press("Enter");
  await splitter.press("Home");
  assert.equal(await splitter.getAttribute("aria-valuenow"), "96");
  await page.evaluate(() => localStorage.removeItem("data-height"));
  assertNoErrors(page);
});

test("the picture, the data and the panel are in the window together, and the separator divides it", async () => {
  const chart = await createChart("One window");
  await openEditor(chart);
  await page.locator("#panel .settings-form").waitFor();
  const read = (selector) => page.locator(selector).boundingBox();
  for (const selector of ["#canvas", "#data", "#panel"]) {
    const { y, height } = await read(selector);
    assert.ok(y + height <= 900, `${selector} ends at ${y + height} px`);
  }
  const before = await read("#canvas");
  const [{ x, y, width }, grip] = [await read(".splitter"), 4];
  await page.mouse.move(x + width / 2, y + grip);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + grip - 60, { steps: 4 });
  await page.mouse.up();
  const { height: smaller } = await read("#canvas");
  assert.ok(Math.abs(before.height - smaller - 60) < 3, `${before.height} and ${smaller} px`);
  assert.ok((await read("#data")).y + (await read("#data")).height <= 901);
  await page.getByRole("button", { name: "Hide the data" }).click();
  assert.ok((await read("#canvas")).height > before.height + 60);
  await page.getByRole("button", { name: "Show the data" }).click();
  await page.evaluate(() => localStorage.removeItem("data-height"));
  assertNoErrors(page);
});

test("the strip about a pasted table takes no space from the grid", async () => {
  const chart = await createChart("Strip");
  await openEditor(chart);
  await page.setViewportSize({ width: 1280, height: 800 });
  const readHeight = () => page.locator("chart-grid").evaluate((element) => element.getBoundingClientRect().height);
  const before = await readHeight();
  assert.ok(before > 150, `${before} px`);
  await getCell(0, 0).click();
  await page.evaluate(() => navigator.clipboard.writeText("Region\tSales of the year 2024\tSales of the year 2025\tShare of all sales\nNorth\t1200\t1350\t12.5 %\nSouth\t640\t700\t7 %\nEast\t310\t290\t3 %"));
  await page.keyboard.press("Control+v");
  await page.locator(".data-strip[role=status]").getByRole("button", { name: "Transpose" }).waitFor();
  assert.equal(await readHeight(), before);
  const strip = await page.locator(".data-strip[role=status]").boundingBox();
  assert.ok(strip.height < 100, `${strip.height} px`);
  await page.setViewportSize({ width: 1440, height: 900 });
  assertNoErrors(page);
});

test("a text that is typed while the server reads a table stays", async () => {
  const chart = await createChart("Read slowly");
  await openEditor(chart);
  await page.locator("#tool-text").click();
  await getCell(0, 0).click();
  await page.route("**/tables/document*", (route) => setTimeout(() => route.continue().catch(() => {}), 1500));
  await page.evaluate(() => navigator.clipboard.writeText("Region\tSales\nEast\t31\nWest\t32"));
  await page.keyboard.press("Control+v");
  await page.locator("#panel [name=title]").fill("Typed meanwhile");
  await page.locator(".data-strip", { hasText: "2 rows" }).waitFor();
  await page.unroute("**/tables/document*");
  await waitForImageText("Typed meanwhile");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const { title, data } = await readDocument(chart);
  assert.deepEqual([title, data[0]], ["Typed meanwhile", { label: "East", value: 31 }]);
  assertNoErrors(page);
});

test("a pasted table replaces the sample and its texts, with numbers of the language of the table", async () => {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const chart = { path: new URL(endpoint).pathname.replace("/api/v1", ""), view: new URL(document_view).pathname };
  const sample = await readDocument(chart);
  await openEditor(chart);
  await getCell(0, 0).click();
  const table = "Region;Umsatz\n" + Array.from({ length: 14 }, (_, index) => `Ort ${index + 1};${index + 1}.200,5`).join("\n");
  await page.evaluate((text) => navigator.clipboard.writeText(text), table);
  await page.keyboard.press("Control+v");
  await page.locator(".data-strip", { hasText: "14 rows" }).waitFor();
  await waitForImageText("Ort 14");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const changed = await readDocument(chart);
  assert.deepEqual(changed.data[1], { label: "Ort 2", value: 2200.5 });
  assert.equal(changed.title, "", "the title of the sample");
  assert.notEqual(changed.style?.subtitle, sample.style.subtitle);
  await page.locator(".data-strip").getByRole("button", { name: "Undo" }).click();
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const restored = await readDocument(chart);
  assert.deepEqual([restored.data, restored.title, restored.style], [sample.data, sample.title, sample.style]);
  assertNoErrors(page);
});

test("a table that is pasted right after another change does not take this change back", async () => {
  const chart = await createChart("Stored title");
  await openEditor(chart);
  // The save waits until the typing pauses, so that the server does not have the title yet.
  await page.locator("#tool-text").click();
  await page.locator("#panel [name=title]").fill("Typed title");
  await page.evaluate((text) => navigator.clipboard.writeText(text), "City;Sales\nVienna;1,5\nGraz;2,5\n");
  await page.getByRole("button", { name: "Paste a table" }).click();
  await page.locator(".data-strip", { hasText: "2 rows" }).waitFor();
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const { title, data } = await readDocument(chart);
  assert.deepEqual([title, data], ["Typed title", [{ label: "Vienna", value: 1.5 }, { label: "Graz", value: 2.5 }]]);
  assertNoErrors(page);
});

test("a file that is no table changes nothing", async () => {
  const chart = await createChart("Refused file");
  await openEditor(chart);
  await page.locator(".data-tools input[type=file]").setInputFiles({ name: "broken.xlsx", mimeType: "application/octet-stream", buffer: Buffer.from("PK\x03\x04 broken") });
  await findToast("The table cannot be used").waitFor();
  assert.deepEqual((await readDocument(chart)).data, DATA);
  assert.ok(await page.getByRole("button", { name: "Undo", exact: true }).isDisabled());
  assertNoErrors(page);
});

test("another kind keeps data and texts, and the change can be undone", async () => {
  const chart = await createChart("Another kind");
  await openEditor(chart);
  await page.locator("#change-kind").click();
  const dialog = page.locator("dialog[open]");
  await dialog.locator(".kind-choice[data-kind=donut] img[src]").waitFor();
  await dialog.getByRole("searchbox").fill("donut");
  await dialog.locator(".kind-choice[data-kind=donut]").click();
  await findToast("donut").waitFor();
  await waitForImageText("North");
  await page.locator(".kind-row", { hasText: "Donut" }).waitFor();
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const changed = await readDocument(chart);
  assert.deepEqual([changed.data, changed.title], [DATA, "Another kind"]);
  await findToast("donut").getByRole("button", { name: "Undo" }).click();
  await page.locator(".kind-row", { hasText: "Bar chart" }).waitFor();
  assertNoErrors(page);
});

test("another kind keeps every number, also those that could have a separator of thousands", async () => {
  // The labels tell a reader of texts that the comma is the decimal separator.
  const data = [{ label: "1,5 km", value: 1.234 }, { label: "2,5 km", value: 2.345 }, { label: "3,25 km", value: 3.456 }];
  const chart = await createChart("Exact numbers", { data });
  await openEditor(chart);
  await page.locator("#change-kind").click();
  await page.locator("dialog[open] .kind-choice[data-kind=lollipop]").click();
  await page.locator(".kind-row", { hasText: "Lollipop" }).waitFor();
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.deepEqual((await readDocument(chart)).data, data);
  assertNoErrors(page);
});

test("two tabs of one person never conflict, and both keep their changes", async () => {
  const chart = await createChart("Two tabs");
  await openEditor(chart);
  const second = await page.context().newPage();
  await openEditor(chart, second);
  await typeIntoCell(0, 1, "901");
  await typeIntoCell(2, 1, "903", second);
  await waitForImageText("901", second);
  await waitForImageText("903");
  await waitForState("Saved", second);
  await waitForState("Saved");
  assert.deepEqual((await readDocument(chart)).data.map(({ value }) => value), [901, 80, 903]);
  assert.equal(await page.locator("dialog[open]").count() + await second.locator("dialog[open]").count(), 0);
  await second.close();
});

test("changes of two people in different places are both kept", async () => {
  const chart = await createChart("Two people");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  await openEditor(chart, other);
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? setTimeout(() => route.continue().catch(() => {}), 2500) : route.continue()));
  await typeIntoCell(0, 1, "701");
  await typeIntoCell(2, 1, "703", other);
  await other.keyboard.press("Control+s");
  await waitForState("Saved", other);
  await findToast("changed this chart. The changes of both are kept.").waitFor();
  await waitForState("Saved");
  await page.unroute("**/documents/*");
  assert.deepEqual((await readDocument(chart)).data.map(({ value }) => value), [701, 80, 703]);
  await other.context().close();
});

test("a conflict shows both pictures, and the chosen value is saved", async () => {
  const chart = await createChart("Conflict");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  await openEditor(chart, other);
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? setTimeout(() => route.continue().catch(() => {}), 1500) : route.continue()));
  await typeIntoCell(0, 1, "611");
  await typeIntoCell(0, 1, "622", other);
  await other.keyboard.press("Control+s");
  await waitForState("Saved", other);
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.getByText("Ben changed the same parts").waitFor();
  await dialog.locator("img[src]").nth(1).waitFor();
  assert.equal(await dialog.locator("img[src]").count(), 2);
  await dialog.getByText("Mine: 611").waitFor();
  await assertAccessible(page, "editor-conflict");
  await dialog.getByRole("radio", { name: "Ben: 622" }).check();
  await dialog.getByRole("button", { name: "Keep the choice" }).click();
  await waitForImageText("622");
  await page.unroute("**/documents/*");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).data[0].value, 622);
  // The same again, and the own value wins.
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? setTimeout(() => route.continue().catch(() => {}), 4000) : route.continue()));
  await typeIntoCell(0, 1, "633", other);
  await typeIntoCell(0, 1, "644");
  await other.keyboard.press("Control+s");
  await waitForState("Saved", other);
  await page.keyboard.press("Control+s");
  await page.locator("dialog.conflict[open]").getByRole("button", { name: "Keep the choice" }).click();
  await page.unroute("**/documents/*");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).data[0].value, 644);
  await other.context().close();
});

test("a page that is left during a conflict keeps the changes of both people", async () => {
  const chart = await createChart("Left conflict");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  await openEditor(chart, other);
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? setTimeout(() => route.continue().catch(() => {}), 1500) : route.continue()));
  await typeIntoCell(0, 1, "411");
  await typeIntoCell(0, 1, "422", other);
  await typeIntoCell(2, 1, "423", other);
  await other.keyboard.press("Control+s");
  await waitForState("Saved", other);
  const dialog = page.locator("dialog.conflict[open]");
  await dialog.getByText("Mine: 411").waitFor();
  await page.unroute("**/documents/*");
  // Ben is not here any more when the page asks again.
  await other.goto("/");
  await page.reload();
  await dialog.getByText("Mine: 411").waitFor();
  await dialog.getByText("Ben changed the same parts").waitFor();
  assert.deepEqual((await readDocument(chart)).data.map(({ value }) => value), [422, 80, 423], "nobody has decided yet");
  // Another save while the question is open.
  const { version: _, owner: __, ...fields } = await readDocument(chart);
  await callApi(other, "PUT", chart.path, { ...fields, data: [{ label: "North", value: 422 }, { label: "South", value: 99 }, { label: "West", value: 423 }] });
  await waitForImageText("99");
  await dialog.getByRole("button", { name: "Keep the choice" }).click();
  await waitForImageText("411");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.deepEqual((await readDocument(chart)).data.map(({ value }) => value), [411, 99, 423]);
  await other.context().close();
});

test("an export has the changes that were made just before it", async () => {
  const chart = await createChart("Exported at once");
  await page.evaluate(() => localStorage.setItem("export", JSON.stringify({ format: "svg" })));
  await openEditor(chart);
  const exportWith = async (button) => {
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    return readFile(await download.path(), "utf8");
  };
  await typeIntoCell(0, 1, "8765");
  await page.locator("#tool-export").click();
  assert.match(await exportWith(page.getByRole("button", { name: "Download" })), /8,765/);
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? route.abort() : route.continue()));
  await typeIntoCell(0, 1, "8766");
  assert.match(await exportWith(page.locator("#tool-export")), /8,766/, "the change cannot be saved");
  await page.unroute("**/documents/*");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
});

test("a conflict with a change that the page finds by itself can be resolved too", async () => {
  const chart = await createChart("Found conflict");
  const other = await openPageAsBen(chart);
  await openEditor(chart);
  await openEditor(chart, other);
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? route.abort() : route.continue()));
  await typeIntoCell(0, 1, "511");
  await typeIntoCell(0, 1, "522", other);
  await other.keyboard.press("Control+s");
  await waitForState("Saved", other);
  await page.locator("dialog.conflict[open]").getByRole("button", { name: "Keep the choice" }).click();
  await page.unroute("**/documents/*");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).data[0].value, 511);
  await other.context().close();
});

test("at most one picture is drawn at a time, and the newest content is shown at last", async () => {
  const chart = await createChart("Scheduler");
  await openEditor(chart);
  let [running, most, count] = [0, 0, 0];
  await page.route("**/api/v1/render?*", async (route) => {
    [running, count] = [running + 1, count + 1];
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 120));
    await route.continue().catch(() => {});
    running -= 1;
  });
  await page.locator("#tool-text").click();
  const field = page.getByRole("textbox", { name: "Subtitle" });
  await field.click();
  await page.keyboard.type("0123456789 0123456789 0123456789 final");
  await waitForImageText("0123456789 0123456789 0123456789 final");
  await page.unroute("**/api/v1/render?*");
  assert.equal(most, 1);
  assert.ok(count < 38, `${count} pictures for 38 keys`);
  assertNoErrors(page);
});

test("pictures that take longer than the pauses between the keys appear while somebody types", async () => {
  const chart = await createChart("Slow pictures");
  await openEditor(chart);
  await page.route("**/api/v1/render?*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue().catch(() => {});
  });
  await page.locator("#tool-text").click();
  await page.getByRole("textbox", { name: "Subtitle" }).click();
  await page.evaluate(() => {
    window.pictureCount = 0;
    new MutationObserver(() => (window.pictureCount += 1)).observe(document.querySelector(".paper").shadowRoot, { childList: true });
  });
  for (let key = 0; key < 40; key += 1) {
    await page.keyboard.type("x");
    await page.waitForTimeout(100);
  }
  const count = await page.evaluate(() => window.pictureCount);
  assert.ok(count >= 2, `${count} pictures in 4 s`);
  await page.unroute("**/api/v1/render?*");
});

test("a picture that takes more than five seconds can be canceled, and is drawn with the next change", async () => {
  const chart = await createChart("Late picture");
  await openEditor(chart);
  await page.route("**/api/v1/render?*", () => {});
  const note = page.locator(".draw-delay");
  const began = Date.now();
  await typeIntoCell(0, 1, "12");
  await note.getByText("Still drawing").waitFor();
  assert.ok(Date.now() - began >= 5000);
  await waitForImageText("120");
  await assertAccessible(page, "editor-late");
  await note.getByRole("button", { name: "Cancel drawing" }).click();
  await note.getByText("Drawing was canceled. The picture is older than the chart.").waitFor();
  assert.ok(await page.locator(".draw-progress").isHidden());
  await page.unroute("**/api/v1/render?*");
  await note.getByRole("button", { name: "Draw again" }).click();
  await page.waitForFunction(() => !/120/.test(document.querySelector(".paper").shadowRoot.textContent));
  assert.equal(await note.textContent(), "");
  // A change during the wait is drawn by the next request.
  await page.route("**/api/v1/render?*", () => {});
  await typeIntoCell(0, 1, "13");
  await note.getByRole("button", { name: "Cancel drawing" }).click();
  await page.unroute("**/api/v1/render?*");
  await typeIntoCell(0, 1, "137");
  await waitForImageText("137");
  assert.equal(await note.textContent(), "");
  assertNoErrors(page);
});

test("an invalid value keeps the picture and says what is wrong", async () => {
  const chart = await createChart("Invalid value");
  await openEditor(chart);
  await callApi(page, "GET", chart.path);
  await page.route("**/api/v1/render?*", (route) => route.fulfill({ status: 400, contentType: "application/problem+json", body: JSON.stringify({ status: 400, title: "Invalid fields", errors: [{ field: "settings.axis.min", message: "must be a number" }] }) }));
  await typeIntoCell(0, 1, "12");
  await page.locator(".image-notes", { hasText: "Value axis › Start: must be a number" }).waitFor();
  await waitForImageText("120");
  await page.unroute("**/api/v1/render?*");
  await typeIntoCell(0, 1, "13");
  await waitForImageText("13");
  await page.waitForFunction(() => !document.querySelector(".image-notes")?.textContent);
});

test("a problem leads to its cell or its setting", async () => {
  const chart = await createChart("Ways to problems");
  await openEditor(chart);
  const errors = [{ field: "data[2].value", message: "must be a number" }, { field: "settings.axis.min", message: "must be a number" }];
  await page.route("**/api/v1/render?*", (route) => route.fulfill({ status: 400, contentType: "application/problem+json", body: JSON.stringify({ status: 400, title: "Invalid fields", errors }) }));
  await typeIntoCell(0, 1, "12");
  await page.getByRole("button", { name: "Show the setting" }).click();
  await page.waitForFunction(() => document.activeElement?.closest("[data-path='axis.min']"));
  await page.getByRole("button", { name: "Close the chart panel" }).click();
  await page.getByRole("button", { name: "Hide the data" }).click();
  await page.getByRole("button", { name: "Show the cell" }).click();
  await page.waitForFunction(() => document.activeElement?.closest("[role=row]")?.getAttribute("aria-rowindex") === "4" && document.activeElement.textContent === "45");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")), "true");
  await page.unroute("**/api/v1/render?*");
  assertNoErrors(page);
});

test("a crash of the tab in the middle of typing loses nothing", async () => {
  const chart = await createChart("Crash");
  const crashing = await page.context().newPage();
  await openEditor(chart, crashing);
  await crashing.route("**/documents/*", (route) => (route.request().method() === "PUT" ? new Promise(() => {}) : route.continue()));
  await typeIntoCell(1, 1, "456", crashing);
  await waitForImageText("456", crashing);
  await crashing.waitForTimeout(400);
  const session = await page.context().newCDPSession(crashing);
  session.send("Page.crash").catch(() => {});
  await crashing.waitForEvent("crash");
  await crashing.close();
  assert.equal((await readDocument(chart)).data[1].value, 80, "nothing was saved before the crash");
  await openEditor(chart);
  await findToast("Unsaved changes from").waitFor();
  await waitForImageText("456");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).data[1].value, 456);
});

/** Waits until the server has a value in a record. */
async function waitForValue(chart, row, value) {
  const deadline = Date.now() + 10_000;
  while ((await readDocument(chart)).data[row].value !== value) {
    assert.ok(Date.now() < deadline, `the server has ${JSON.stringify((await readDocument(chart)).data)}`);
    await page.waitForTimeout(100);
  }
}

test("leaving the page saves what was typed", async () => {
  const chart = await createChart("Leaving");
  await openEditor(chart);
  await typeIntoCell(1, 1, "458");
  await waitForImageText("458");
  await page.goto("/");
  await waitForValue(chart, 1, 458);
});

test("changes while the server is down are kept and saved after its return", async () => {
  const chart = await createChart("Server down");
  await openEditor(chart);
  const listen = new URL(server.baseUrl).host;
  await server.stop("SIGKILL");
  await typeIntoCell(0, 1, "777");
  await waitForState("Offline: kept on this device");
  const notice = page.locator("#notices").getByText(/^Offline: the image is from/);
  await notice.waitFor();
  await typeIntoCell(1, 1, "778");
  server = await startServer({ demo: false, directory, listen });
  await waitForState("Saved");
  await notice.waitFor({ state: "detached", timeout: 1000 });
  await waitForImageText("778");
  assert.deepEqual((await readDocument(chart)).data.map(({ value }) => value), [777, 778, 45]);
});

test("after a lost connection the picture shows the last value that was typed", async () => {
  const chart = await createChart("Connection lost");
  await openEditor(chart);
  await page.context().setOffline(true);
  await getCell(0, 1).click();
  await page.keyboard.type("7654", { delay: 300 });
  await page.keyboard.press("Enter");
  await waitForState("Offline: kept on this device");
  await page.waitForTimeout(2500);
  await page.context().setOffline(false);
  await waitForState("Saved");
  await waitForImageText("7,654");
  // A late repetition must not bring an older value back.
  await page.waitForTimeout(6000);
  await waitForImageText("7,654");
});

test("a value that Escape has taken back does not return when the page is left at once", async () => {
  const chart = await createChart("Taken back");
  for (const leave of [() => page.reload(), () => page.goto("/"), () => page.reload(), () => page.goto("/")]) {
    await openEditor(chart);
    await getCell(0, 1).click();
    await page.keyboard.type("7");
    await page.waitForTimeout(500);
    await page.keyboard.press("Escape");
    await leave();
    await openEditor(chart);
    await page.waitForTimeout(300);
    assert.equal(await findToast("Unsaved changes from").count(), 0);
    assert.equal(await getCell(0, 1).textContent(), "120");
  }
  assert.equal((await readDocument(chart)).data[0].value, 120);
});

test("a change that is undone while its save is running stays undone after the page is left", async () => {
  const chart = await createChart("Undone while saving");
  await openEditor(chart);
  let release = () => {};
  const isReleased = new Promise((resolve) => (release = resolve));
  const stored = new Promise((resolve) => {
    page.route("**/documents/*", async (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      const response = await route.fetch();
      resolve(response.status());
      await isReleased;
      await route.fulfill({ response }).catch(() => {});
    });
  });
  await typeIntoCell(0, 1, "777");
  await page.keyboard.press("Control+s");
  assert.equal(await stored, 200);
  await page.keyboard.press("Control+z");
  assert.equal(await getCell(0, 1).textContent(), "120");
  // The journal has a change 100 ms later.
  await page.waitForTimeout(250);
  await page.goto("/");
  release();
  await page.unroute("**/documents/*");
  await openEditor(chart);
  await waitForValue(chart, 0, 120);
  assert.equal(await getCell(0, 1).textContent(), "120");
});

test("notes are added, moved by keys and removed", async () => {
  const chart = await createChart("Notes");
  await openEditor(chart);
  await getCell(1, 1).click();
  await page.locator("#tool-notes").click();
  await page.locator("#panel").getByRole("button", { name: "Text", exact: true }).click();
  // The note is attached to the selected row.
  await page.keyboard.press("Enter");
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".note textarea").fill("A record year");
  await waitForImageText("A record year");
  await page.getByRole("button", { name: "Move with arrow keys" }).focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const [moved] = (await readDocument(chart)).style.annotations;
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const [note] = (await readDocument(chart)).style.annotations;
  assert.deepEqual([note.anchor, note.text], [{ row: 1, field: "value" }, "A record year"]);
  assert.ok(Math.abs(note.offset.y - moved.offset.y + 10) < 0.2, JSON.stringify([moved, note]));
  await page.locator(".note").getByRole("button", { name: "Remove" }).click();
  await page.waitForFunction(() => !document.querySelector(".paper")?.shadowRoot?.textContent?.includes("A record year"));
});

test("subtitle and footer get bold and italic words and line breaks, on the picture and in the panel", async () => {
  const chart = await createChart("Formats");
  await openEditor(chart);
  await page.locator("#tool-text").click();
  const subtitle = page.locator("#panel textarea[name=subtitle]");
  await subtitle.fill("Tonnes per year");
  await subtitle.evaluate((field) => field.setSelectionRange(0, 6));
  const bar = page.locator("#panel").getByRole("group", { name: "Format: Subtitle" });
  await bar.getByRole("button", { name: "Bold" }).click();
  assert.equal(await subtitle.inputValue(), "<b>Tonnes</b> per year");
  await page.waitForFunction(() => /700|bold/.test(document.querySelector(".paper").shadowRoot.querySelector("[data-part=subtitle]")?.outerHTML ?? ""));
  await assertAccessible(page, "editor-format");
  await bar.getByRole("button", { name: "Bold" }).click();
  assert.equal(await subtitle.inputValue(), "Tonnes per year", "a second press takes it back");
  await subtitle.press("End");
  await subtitle.press("Enter");
  await page.keyboard.type("without exports");
  assert.equal(await subtitle.inputValue(), "Tonnes per year<br>without exports");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).style.subtitle, "Tonnes per year<br>without exports");

  const image = page.locator(".paper [data-part=subtitle]").first();
  await image.click();
  const field = page.locator(".canvas-text.subtitle");
  await field.evaluate((element) => element.setSelectionRange(0, 6));
  await page.keyboard.press("Control+i");
  assert.equal(await field.inputValue(), "<i>Tonnes</i> per year<br>without exports");
  await field.press("End");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("2026");
  await page.locator("#canvas > .format-bar").getByRole("button", { name: "Bold" }).click();
  assert.ok(await field.evaluate((element) => element === document.activeElement), "a button keeps the field open");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  assert.equal(await page.locator("#canvas > .format-bar").count(), 0);
  assert.equal(await subtitle.inputValue(), "Tonnes per year<br>without exports", "Escape restores the text");

  const footer = page.locator("#panel textarea[name=footer]");
  await footer.fill("Source: bureau");
  await footer.evaluate((element) => element.setSelectionRange(8, 14));
  await page.locator("#panel").getByRole("button", { name: "Link: Footer" }).click();
  await page.keyboard.type("https://example.org/figures");
  assert.equal(await footer.inputValue(), 'Source: <a href="https://example.org/figures">bureau</a>');
  const link = page.locator(".paper a", { hasText: "bureau" });
  await link.waitFor();
  // In the editor, a press on the text edits it.
  await link.click();
  await page.locator(".canvas-text.footer").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  const { urls } = await callApi(page, "POST", `${chart.path}/token`, {});
  const reader = await openPage(chromium, server);
  await reader.goto(new URL(urls.html).pathname + new URL(urls.html).search);
  const shown = reader.getByRole("link", { name: "bureau" });
  assert.equal(await shown.getAttribute("href"), "https://example.org/figures");
  assert.match(await shown.getAttribute("rel"), /noopener/);
  await assertAccessible(reader, "link-in-footer");
  await reader.context().close();
  assertNoErrors(page);
});

test("the command palette presses buttons, opens pages and finds charts by name", async () => {
  const chart = await createChart("Quarterly harvest");
  await openEditor(chart);
  await page.keyboard.press("Control+k");
  const palette = page.locator("dialog.palette");
  await assertAccessible(page, "editor-palette");
  // The number of comments is hidden while there are none.
  await palette.getByRole("option", { name: "Comments", exact: true }).waitFor();
  await palette.getByRole("combobox").fill("hist");
  await palette.getByRole("option", { name: "History" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#panel h2", { hasText: "History" }).waitFor();
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("harvest");
  await palette.getByRole("option", { name: "Quarterly harvest" }).waitFor();
  await page.keyboard.press("Escape");
  // Commands of the editor, and of the menu of the chart.
  for (const name of ["Move to trash", "Duplicate", "Edit the title T"]) {
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill(name.replace(/ T$/, ""));
    await palette.getByRole("option", { name, exact: true }).waitFor();
    if (name !== "Edit the title T") await page.keyboard.press("Escape");
  }
  await page.keyboard.press("Enter");
  await page.locator(".canvas-text.title").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("chart kind");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Chart kind" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("recent");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/recent");
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("starred");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/starred");
  assertNoErrors(page);
});

test("a presentation shows the edited chart and the next chart of the folder", async () => {
  const [first, second] = [await createChart("Presented first"), await createChart("Presented second")];
  await openEditor(first);
  await typeIntoCell(0, 1, "4711");
  await waitForImageText("4,711");
  await page.locator("#tool-export").focus();
  await page.keyboard.press("p");
  const stage = page.locator("dialog.present");
  await stage.locator("img[alt='Presented first']").waitFor();
  await page.waitForFunction(() => document.fullscreenElement?.closest("dialog.present"));
  await page.keyboard.press("f");
  await page.waitForFunction(() => !document.fullscreenElement);
  await stage.locator("p", { hasText: / of [2-9]|of \d\d/ }).waitFor({ state: "attached" });
  await assertAccessible(page, "editor-present");
  const titles = new Set();
  for (let steps = 0; steps < 40 && !titles.has("Presented second"); steps += 1) {
    await page.keyboard.press("ArrowLeft");
    await page.waitForTimeout(150);
    titles.add(await stage.locator("img").getAttribute("alt"));
  }
  for (let steps = 0; steps < 40 && !titles.has("Presented second"); steps += 1) {
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(150);
    titles.add(await stage.locator("img").getAttribute("alt"));
  }
  assert.ok(titles.has("Presented second"), [...titles].join(", "));
  await page.keyboard.press("Escape");
  await stage.waitFor({ state: "detached" });
  assert.ok(second.view);
  assertNoErrors(page);
});

test("the picture is zoomed and fitted again, and F6 visits the regions", async () => {
  const chart = await createChart("Zoom");
  await openEditor(chart);
  const readWidth = () => page.locator("#canvas").evaluate((element) => element.getBoundingClientRect().width);
  const before = await readWidth();
  const size = page.locator(".zoom-size");
  const readSize = async () => Number.parseInt(await size.innerText(), 10);
  // A point of the chart is a pixel at 100 %.
  assert.ok(Math.abs((await readSize()) - before / 7.2) < 1);
  await page.getByRole("button", { name: "Larger" }).click();
  assert.ok((await readWidth()) > before * 1.2);
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  assert.ok(Math.abs((await readWidth()) - before) < 2);
  await size.click();
  assert.equal(await size.innerText(), "100 %");
  assert.equal(Math.round(await readWidth()), 720);
  await page.locator("#canvas [data-part=title]").focus();
  await page.keyboard.press("Control+=");
  assert.equal(await size.innerText(), "125 %");
  await page.keyboard.press("Control+-");
  await page.keyboard.press("Shift+1");
  assert.ok(Math.abs((await readWidth()) - before) < 2);
  await page.keyboard.press("Shift+0");
  assert.equal(Math.round(await readWidth()), 720);
  // A zoomed picture moves with the pointer while Space is held.
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("Control+=");
  const readScroll = () => page.locator(".stage").evaluate((stage) => [stage.scrollLeft, stage.scrollTop]);
  await page.locator(".stage").evaluate((stage) => stage.scrollTo(200, 150));
  await page.locator("#canvas").focus();
  await page.mouse.move(500, 400);
  await page.keyboard.down(" ");
  await page.mouse.down();
  await page.mouse.move(440, 360, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up(" ");
  assert.deepEqual(await readScroll(), [260, 190]);
  await page.mouse.move(500, 400);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 100);
  await page.keyboard.up("Control");
  await page.waitForFunction(() => Number.parseInt(document.querySelector(".zoom-size").textContent, 10) < 300);
  await page.keyboard.press("Shift+1");
  const visited = [];
  await page.locator("#tool-export").focus();
  const visit = async (key) => {
    await page.keyboard.press(key);
    visited.push(await page.evaluate(() => ["#tools", ".panel-buttons", ".stage", "#data", "#panel"].find((selector) => document.activeElement?.closest(selector))));
  };
  for (let press = 0; press < 5; press += 1) await visit("F6");
  assert.deepEqual(visited, [".panel-buttons", ".stage", "#data", "#panel", "#tools"]);
  for (let press = 0; press < 3; press += 1) await visit("Shift+F6");
  assert.deepEqual(visited.slice(5), ["#panel", "#data", ".stage"]);
  // The first text of the picture has the focus.
  await page.keyboard.press("Enter");
  await page.locator(".canvas-text.title").waitFor();
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("the editor is accessible in light and dark mode, in all panels, and fits a phone", async () => {
  const chart = await createChart("Accessible");
  await openEditor(chart);
  for (const panel of ["settings", "text", "style", "notes"]) {
    if ((await page.locator(`#tool-${panel}`).getAttribute("aria-expanded")) !== "true") await page.locator(`#tool-${panel}`).click();
    await page.locator("#panel").waitFor();
    if (panel === "style") await page.locator(".theme-choices img[src]").nth(5).waitFor();
    await assertAccessible(page, `editor-${panel}`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await assertAccessible(page, "editor-phone");
  await page.setViewportSize({ width: 320, height: 700 });
  await assertNoHorizontalScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
});

await runTests(async () => {
  await chromium.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});
