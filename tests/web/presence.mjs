// Tests of presence in a browser: avatars of other people, changes without the regular refresh, pins, restarts and many tabs.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertAccessible, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, recordErrors, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const PASSWORD = "correct horse battery";
const NAMES = ["Ann Ash", "Ben Bay", "Cid Cole", "Dora Dun", "Eve Elm", "Flo Fox", "Gus Gray", "Hal Hill"];
const directory = await mkdtemp(join(tmpdir(), "chartroom-presence-"));
let server = await startServer({ demo: false, directory });
const findEmail = (/** @type {string} */ name) => `${name.split(" ")[0].toLowerCase()}@example.org`;
for (const name of NAMES) {
  await runCommand(directory, ["user", "create", "--email", findEmail(name), "--name", name, "--password-stdin"], PASSWORD);
}
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, { email: findEmail("Ann"), password: PASSWORD });
const ben = await openPage(chromium, server);
await signIn(ben, { email: findEmail("Ben"), password: PASSWORD });

const DATA = [
  { label: "North", value: 120 },
  { label: "South", value: 80 },
  { label: "West", value: 45 },
];

/** Creates a chart of Ann, shared with Ben. Returns its API path, the address of its page and its id. */
async function createChart(title, mode = "w") {
  const { endpoint, document_view, id, owner } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PUT", `${path}/data`, DATA);
  await callApi(page, "PATCH", path, { title });
  await callApi(page, "POST", "/share", { owner, document: id, email: findEmail("Ben"), mode });
  return { path, view: new URL(document_view).pathname, id, owner };
}

/** Opens the editor of a chart, and waits for the grid and the picture with marks. */
async function openEditor(chart, target = page) {
  await target.goto(chart.view);
  await target.locator("chart-grid [role=gridcell]").first().waitFor();
  await target.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part]"));
}

const getCell = (row, column, target = page) => target.locator(`chart-grid [role=row][aria-rowindex="${row + 2}"] [role=gridcell]`).nth(column);
const waitForImageText = (text, target = page, timeout = 10_000) => target.waitForFunction((wanted) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(wanted), text, { timeout });
const waitForPerson = (text, target = page) => target.locator(`#presence img[alt="${text}"]`).waitFor();
const waitForNobody = (target = page) => target.locator("#presence").waitFor({ state: "hidden" });

/** Types a value into a cell. */
async function typeIntoCell(row, column, text, target = page) {
  await getCell(row, column, target).click();
  await target.keyboard.type(text);
  await target.keyboard.press("Enter");
}

/** Counts the requests of a page for a document as JSON. Returns a function with their number so far. */
function countRefreshes(target, chart) {
  let count = 0;
  target.on("request", (request) => {
    if (request.method() === "GET" && new URL(request.url()).pathname === `/api/v1${chart.path}`) count += 1;
  });
  return () => count;
}

test("two people see each other's avatars, and a leaving one vanishes", async () => {
  const chart = await createChart("Avatars");
  await openEditor(chart);
  await waitForNobody();
  await openEditor(chart, ben);
  await waitForPerson("Ben Bay, editing");
  await waitForPerson("Ann Ash, editing", ben);
  assert.equal(await page.locator("#presence li").count(), 1);
  assert.equal(await page.locator("#presence").getAttribute("aria-label"), "Also here");
  assert.ok(await page.locator("#presence img").evaluate((image) => /** @type {HTMLImageElement} */ (image).naturalWidth > 0));
  await assertAccessible(page, "presence-two");
  await ben.goto("/");
  await waitForNobody();
  assertNoErrors(page);
  assertNoErrors(ben);
});

test("the notice of a lost connection vanishes when the stream opens again", async () => {
  const chart = await createChart("Back again");
  const visitor = await openPage(chromium, server, { storageState: await page.context().storageState() });
  let isLost = false;
  await visitor.route(`**${chart.path}*`, (route) => (route.request().method() === "GET" && isLost ? route.abort() : route.continue()));
  let hasStream = false;
  await visitor.route(`**${chart.path}/presence*`, (route) => (hasStream ? route.continue() : route.abort()));
  await openEditor(chart, visitor);
  isLost = true;
  const notice = visitor.locator("#notices", { hasText: "Offline" });
  await notice.waitFor();
  [isLost, hasStream] = [false, true];
  // The page was shown again: the stream opens at once, long before the next refresh.
  await visitor.evaluate(() => window.dispatchEvent(new Event("pageshow")));
  await notice.waitFor({ state: "hidden", timeout: 2000 });
  await visitor.context().close();
});

test("a change appears at the other person at once, with a pin at the cell, without a refresh", async () => {
  const chart = await createChart("Changes");
  await openEditor(chart);
  await openEditor(chart, ben);
  await waitForPerson("Ann Ash, editing", ben);
  await waitForPerson("Ben Bay, editing");
  const readCount = countRefreshes(page, chart);
  // Longer than two regular refreshes.
  await page.waitForTimeout(11_000);
  assert.equal(readCount(), 0, "no refresh while nothing changes");
  await typeIntoCell(1, 1, "333", ben);
  const saved = ben.waitForResponse((response) => response.request().method() === "PUT" && response.ok());
  await saved;
  const start = Date.now();
  await waitForImageText("333", page, 4000);
  const pin = page.locator("chart-grid .presence-pin");
  await pin.waitFor();
  assert.ok(Date.now() - start < 2000, `${Date.now() - start} ms`);
  assert.equal(await pin.getAttribute("title"), "Changed by Ben Bay");
  const [pinBox, cellBox] = [await pin.boundingBox(), await getCell(1, 1).boundingBox()];
  assert.ok(pinBox && cellBox);
  const distance = pinBox.x - (cellBox.x + cellBox.width);
  const offset = pinBox.y + pinBox.height / 2 - (cellBox.y + cellBox.height / 2);
  assert.ok(distance >= 0 && distance < 8 && Math.abs(offset) < 4, JSON.stringify({ pinBox, cellBox }));
  await assertAccessible(page, "presence-pin");
  assert.equal(await ben.locator(".presence-pin").count(), 0, "the author sees no pin");
  await pin.waitFor({ state: "detached" });
  assert.ok(Date.now() - start > 5000, "the pin stays for six seconds");
  assertNoErrors(page);
  assertNoErrors(ben);
});

test("pins appear at settings, texts and the buttons of closed panels", async () => {
  const chart = await createChart("Controls");
  await openEditor(chart);
  await waitForNobody();
  await openEditor(chart, ben);
  await waitForPerson("Ben Bay, editing");
  await page.locator("#panel .settings-form").waitFor();
  const put = async (change) => {
    const { version, owner, ...fields } = await callApi(ben, "GET", chart.path);
    await callApi(ben, "PUT", chart.path, change(fields));
  };
  const { settings_schema: schema } = await callApi(ben, "GET", "/widgets/bar");
  const [key] = Object.entries(schema.properties).find(([, { type }]) => type === "boolean");
  await put((fields) => ({ ...fields, settings: { ...fields.settings, [key]: !(fields.settings[key] ?? schema.properties[key].default ?? false) }, style: { ...fields.style, footer: "Source: count" } }));
  await page.locator(`#panel [data-path="${key}"] > .presence-pin`).waitFor();
  await page.locator("#tool-text > .presence-pin").waitFor();
  await assertAccessible(page, "presence-setting");
  await page.locator("#tool-text").click();
  await page.getByRole("textbox", { name: "Subtitle" }).waitFor();
  await put((fields) => ({ ...fields, style: { ...fields.style, subtitle: "In thousands" } }));
  await page.locator("#panel .field:has([name=subtitle]) > .presence-pin").waitFor();
  assertNoErrors(page);
});

test("changes of both are merged at once, and the toast names the other person", async () => {
  const chart = await createChart("Both");
  await openEditor(chart);
  await openEditor(chart, ben);
  await waitForPerson("Ben Bay, editing");
  await waitForPerson("Ann Ash, editing", ben);
  // Both change a cell before either change is saved.
  await typeIntoCell(0, 1, "777", ben);
  await page.waitForTimeout(900);
  await typeIntoCell(2, 1, "555");
  await page.locator(".toast", { hasText: "Ben Bay changed this chart. The changes of both are kept." }).waitFor();
  await waitForImageText("777");
  await waitForImageText("555", ben);
  assert.deepEqual((await callApi(page, "GET", chart.path)).data.map(({ value }) => value), [777, 80, 555]);
  assertNoErrors(page);
  assertNoErrors(ben);
});

test("readers are shown as viewing, and their picture follows at once", async () => {
  const chart = await createChart("Readers", "r");
  await openEditor(chart);
  await ben.goto(chart.view);
  await waitForPerson("Ben Bay, viewing");
  await waitForPerson("Ann Ash, editing", ben);
  const readCount = countRefreshes(ben, chart);
  await typeIntoCell(1, 1, "444");
  await page.waitForResponse((response) => response.request().method() === "PUT" && response.ok());
  await waitForImageText("444", ben, 2000);
  assert.ok(readCount() >= 1);
  await assertAccessible(ben, "presence-reader");
  await callApi(page, "DELETE", "/share", { owner: chart.owner, document: chart.id, email: findEmail("Ben") });
  await ben.locator(".notice", { hasText: "no longer shared with you" }).waitFor({ timeout: 4000 });
  await waitForNobody();
  assertNoErrors(page);
  assertNoErrors(ben);
});

test("presence returns after the server was killed and restarted", async () => {
  const chart = await createChart("Restart");
  await openEditor(chart);
  await openEditor(chart, ben);
  await waitForPerson("Ben Bay, editing");
  const listen = new URL(server.baseUrl).host;
  await server.stop("SIGKILL");
  await waitForNobody();
  await page.locator(".notice", { hasText: "Offline" }).waitFor({ timeout: 15_000 });
  // Attempts go on, with growing pauses.
  let attempts = 0;
  page.on("request", (request) => new URL(request.url()).pathname.endsWith("/presence") && (attempts += 1));
  await page.waitForTimeout(10_000);
  assert.ok(attempts >= 1 && attempts <= 8, `${attempts} attempts in 10 s`);
  server = await startServer({ demo: false, directory, listen });
  await page.locator('#presence img[alt="Ben Bay, editing"]').waitFor({ timeout: 40_000 });
  await ben.locator('#presence img[alt="Ann Ash, editing"]').waitFor({ timeout: 40_000 });
  await typeIntoCell(1, 1, "222", ben);
  await waitForImageText("222", page, 5000);
});

test("eight tabs of one browser stay usable and take at most three streams", async () => {
  const charts = [];
  for (let number = 0; number < 8; number += 1) charts.push(await createChart(`Tab ${number}`));
  let open = 0;
  let most = 0;
  const tabs = [];
  for (const chart of charts) {
    const tab = await page.context().newPage();
    recordErrors(tab);
    tab.on("request", (request) => {
      if (!new URL(request.url()).pathname.endsWith("/presence")) return;
      open += 1;
      most = Math.max(most, open);
    });
    const close = (request) => new URL(request.url()).pathname.endsWith("/presence") && (open -= 1);
    tab.on("requestfinished", close);
    tab.on("requestfailed", close);
    await openEditor(chart, tab);
    tabs.push(tab);
  }
  assert.ok(most <= 3 && open >= 1, `${most} streams at once, ${open} open`);
  for (const tab of tabs) {
    const start = Date.now();
    await typeIntoCell(1, 1, "999", tab);
    await waitForImageText("999", tab, 3000);
    await tab.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
    assert.ok(Date.now() - start < 6000, `${Date.now() - start} ms`);
  }
  // A tab without a stream still finds changes of others.
  for (const [index, chart] of charts.entries()) {
    await callApi(ben, "PATCH", chart.path, { title: `Renamed ${index}` });
    await waitForImageText(`Renamed ${index}`, tabs[index]);
  }
  // Closing tabs gives their places to the others.
  for (const tab of tabs.splice(0, 6)) {
    assertNoErrors(tab);
    await tab.close();
  }
  await openEditor(charts[7], ben);
  await tabs[1].locator('#presence img[alt="Ben Bay, editing"]').waitFor();
  for (const tab of tabs) await tab.close();
});

test("a hidden tab closes its stream, and opens it again", async () => {
  const chart = await createChart("Hidden");
  await openEditor(chart);
  await openEditor(chart, ben);
  await waitForPerson("Ben Bay, editing");
  const setVisibility = (state) =>
    ben.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => value });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  await setVisibility("hidden");
  await page.waitForTimeout(3000);
  await waitForPerson("Ben Bay, editing");
  await page.locator("#presence").waitFor({ state: "hidden", timeout: 25_000 });
  await setVisibility("visible");
  await waitForPerson("Ben Bay, editing");
});

test("more than five people are shown as a number, with all names for screen readers", async () => {
  const chart = await createChart("Many");
  const pages = [];
  const readToolPlaces = () => page.locator("#tools, #body").evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().toJSON()));
  await openEditor(chart);
  await waitForNobody();
  const places = await readToolPlaces();
  for (const name of NAMES.slice(1)) {
    if (name !== "Ben Bay") await callApi(page, "POST", "/share", { owner: chart.owner, document: chart.id, email: findEmail(name), mode: "r" });
    const other = name === "Ben Bay" ? ben : await openPage(chromium, server);
    if (other !== ben) {
      await signIn(other, { email: findEmail(name), password: PASSWORD });
      pages.push(other);
    }
    await other.goto(chart.view);
  }
  const more = page.locator("#presence .presence-more");
  await more.locator("span[aria-hidden]", { hasText: "+2" }).waitFor();
  assert.equal(await page.locator("#presence img").count(), 5);
  assert.deepEqual(await readToolPlaces(), places, "people move no button");
  assert.match((await more.locator(".hidden").textContent()) ?? "", /^\w+ \w+, viewing\n\w+ \w+, viewing$/);
  await assertAccessible(page, "presence-many");
  await page.setViewportSize({ width: 390, height: 844 });
  await assertNoHorizontalScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const other of pages) await other.context().close();
  await page.locator("#presence .presence-more").waitFor({ state: "detached" });
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
  await rm(directory, { recursive: true, force: true });
});
