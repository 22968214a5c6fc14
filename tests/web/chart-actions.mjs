// Tests of the chart page in a browser: its warnings, its place in the library, and its way back.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, findProgram, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);

/** Creates a chart of Ann. Returns its API path, its id and the address of its page. */
async function createChart(title, data) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar", folder: "/Plans" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PATCH", path, { title });
  if (data) await callApi(page, "PUT", `${path}/data`, data);
  return { path, id: path.split("/").at(-1), view: new URL(document_view).pathname };
}

async function openChart(chart, target = page) {
  await target.goto(chart.view);
  await target.locator("#tool-export").waitFor();
}

/** Opens a page in a browser context that is signed in as Ben with an API token. */
async function openPageAsBen() {
  const args = ["--data-dir", server.welcome.data_dir, "--json", "user", "token", "ben@example.com", "--name", "web"];
  const { token } = JSON.parse(spawnSync(findProgram(), args, { encoding: "utf8" }).stdout);
  return openPage(chromium, server, { extraHTTPHeaders: { authorization: `Bearer ${token}` } });
}

const openMenu = async (target = page) => target.getByRole("button", { name: "More actions" }).click();
const findItem = (name, target = page) => target.getByRole("menuitem", { name });

test("a chart without data says what is missing and offers kinds that can draw the data", async () => {
  const flows = [{ from: "Coal", to: "Power", amount: "none" }, { from: "Gas", to: "Heat", amount: "none" }, { from: "Gas", to: "Power", amount: "none" }];
  const chart = await createChart("Flows", flows);
  await openChart(chart);
  await page.getByText("No record holds a value that this kind of chart can draw.").waitFor();
  await page.getByText("Value must be a number, but its column has none. “Bar chart” needs Label and Value.").waitFor();
  await page.getByText("These kinds can draw the data:").waitFor();
  await assertAccessible(page, "chart-no-data");
  await assertAccessibleOnPhone(page, "chart-no-data-phone");
  const button = page.locator(".no-data-help button").first();
  const kind = await button.innerText();
  await button.click();
  await page.locator(".no-data-help").waitFor({ state: "hidden" });
  await page.locator(".chart-warnings").waitFor({ state: "hidden" });
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  const { plugin_id } = await callApi(page, "GET", chart.path);
  assert.equal((await callApi(page, "GET", `/portfolio/widgets/${plugin_id}`)).title, kind);
  // A missing column is named.
  const incomplete = await createChart("Incomplete", [{ label: "North" }, { label: "South" }]);
  await openChart(incomplete);
  await page.getByText("The data has no column for Value. “Bar chart” needs Label and Value.").waitFor();
  await openChart(chart);
  // The warnings follow the chart: without records there are none to draw.
  await callApi(page, "PUT", `${chart.path}/data`, []);
  await page.getByText("The chart has no records yet.").waitFor();
  assertNoErrors(page);
});

test("a long list of warnings is shortened, and readers see no list", async () => {
  const chart = await createChart("Many warnings", [{ label: "A", value: 3 }]);
  await callApi(page, "PATCH", chart.path, { settings: { orientation: "up", sort: "no", benchmark: "x", showValues: "maybe", showGrid: "maybe" } }).catch(() => {});
  await callApi(page, "POST", "/share", { owner: chart.path.split("/")[2], document: chart.id, email: "ben@example.com" });
  await openChart(chart);
  await page.evaluate(async () => {
    const base = document.querySelector("script[type=module]").src;
    const { createWarningsList } = await import(new URL("chart-warnings.js", base).href);
    const { signal } = await import(new URL("core.js", base).href);
    window["testWarnings"] = signal(["One", "Two", "Three", "Four", "Five"]);
    document.querySelector(".chart-foot").prepend(createWarningsList(window["testWarnings"]));
  });
  const list = page.locator(".chart-foot .chart-warnings");
  assert.deepEqual(await list.locator("li").allInnerTexts(), ["One", "Two", "Three"]);
  await list.getByRole("button", { name: "Show all 5" }).click();
  assert.equal(await list.locator("li").count(), 5);
  await assertAccessible(page, "chart-warnings");
  await page.evaluate(() => (window["testWarnings"].value = []));
  await list.waitFor({ state: "hidden" });
  await callApi(page, "PUT", `${chart.path}/data`, []);
  const ben = await openPageAsBen();
  await openChart(chart, ben);
  assert.equal(await ben.locator(".chart-warnings, .no-data-help").count(), 0);
  await ben.context().close();
  assertNoErrors(page);
});

test("the menu of a chart duplicates it, moves it, and moves it to the trash and back", async () => {
  const chart = await createChart("Filed", [{ label: "A", value: 3 }, { label: "B", value: 4 }]);
  await callApi(page, "PUT", "/users/me/folders/Archive", {});
  await openChart(chart);
  await openMenu();
  await findItem("Duplicate").waitFor();
  await assertAccessible(page, "chart-menu");
  await findItem("Duplicate").click();
  await page.waitForURL((url) => url.pathname.startsWith("/d/") && url.pathname !== chart.view);
  await page.locator("#tool-export").waitFor();
  assert.equal((await callApi(page, "GET", `/users/me/list/Plans`)).results.filter((entry) => /^Filed/.test(entry.document?.title ?? "")).length, 2);

  await openChart(chart);
  await openMenu();
  await findItem("Move to…").click();
  await page.getByRole("dialog").getByLabel("Archive").check();
  await assertAccessible(page, "chart-move");
  await assertAccessibleOnPhone(page, "chart-move-phone");
  await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  await page.getByLabel("Breadcrumb").getByRole("link", { name: "Archive" }).waitFor();
  assert.equal((await callApi(page, "GET", chart.path)).folder, "/Archive");

  await page.locator("#tool-export").waitFor();
  await openMenu();
  await findItem("Move to trash").click();
  await page.getByText("This chart is in the trash.").waitFor();
  await assertAccessible(page, "chart-trashed");
  await page.getByRole("button", { name: "Restore" }).click();
  await page.locator("#tool-export").waitFor();
  assert.equal((await callApi(page, "GET", chart.path)).folder, "/Archive");
  assertNoErrors(page);
});

test("a new chart is created from the page of another one, in the same folder", async () => {
  const chart = await createChart("First of two");
  await openChart(chart);
  await openMenu();
  await findItem("New chart").click();
  await page.waitForURL(/\/f\/[^/]+\/Plans$/);
  await page.getByRole("dialog").getByRole("heading", { name: "New chart" }).waitFor();
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("a shared chart leads back to Shared with me, and a reader makes a copy of it", async () => {
  const chart = await createChart("For Ben", [{ label: "A", value: 3 }]);
  await callApi(page, "POST", "/share", { owner: chart.path.split("/")[2], document: chart.id, email: "ben@example.com" });
  const ben = await openPageAsBen();
  await openChart(chart, ben);
  // The image shows the title, so the heading is for screen readers only.
  const heading = ben.getByRole("heading", { name: "For Ben", level: 1 });
  assert.ok((await heading.boundingBox()).width <= 1);
  await assertAccessible(ben, "chart-shared-with-me");
  await assertAccessibleOnPhone(ben, "chart-shared-with-me-phone");
  await openMenu(ben);
  await findItem("Make a copy", ben).waitFor();
  assert.deepEqual(await ben.getByRole("menuitem").allInnerTexts(), ["New chart", "Make a copy"]);
  await findItem("Make a copy", ben).click();
  await ben.waitForURL((url) => url.pathname.startsWith("/d/") && url.pathname !== chart.view);
  await ben.getByLabel("Breadcrumb").getByRole("link", { name: "My charts" }).waitFor();
  await openChart(chart, ben);
  await ben.getByLabel("Breadcrumb").getByRole("link", { name: "Shared with me" }).click();
  await ben.getByRole("heading", { name: "Shared with me", level: 1 }).waitFor();
  assertNoErrors(ben);
  await ben.context().close();
});

test("errors name the field in words, and an unknown name in the share dialog is explained", async () => {
  const chart = await createChart("Hard to share");
  await openChart(chart);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const input = page.getByLabel("E-mail address, or name of a team");
  await input.fill("nobody-of-this-name");
  await page.keyboard.press("Enter");
  await page.getByText("No account has this name. Enter an e-mail address to invite somebody.").waitFor();
  await assertAccessible(page, "share-unknown");
  await page.keyboard.press("Escape");
  const texts = await page.evaluate(async () => {
    const base = document.querySelector("script[type=module]").src;
    const { describeError } = await import(new URL("ui.js", base).href);
    const { ApiError } = await import(new URL("api.js", base).href);
    const errors = [{ field: "expires_at", message: "must be in the future" }, { field: "default_layout", message: "no such preset" }];
    return errors.map((error) => describeError(new ApiError(400, { errors: [error] })));
  });
  assert.deepEqual(texts, ["The expiry must be in the future.", "Default layout: no such preset."]);
  assertNoErrors(page);
});

test("the page of an error keeps search and account for a signed-in user", async () => {
  await page.goto(`/d/${"1".repeat(9)}/00000000-0000-7000-8000-000000000000`);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await page.getByLabel("Search charts and folders").waitFor();
  await page.getByRole("button", { name: "Account of Ann Archer" }).click();
  await page.getByRole("link", { name: "Account settings" }).waitFor();
  await assertAccessible(page, "error-signed-in");
  await assertAccessibleOnPhone(page, "error-signed-in-phone");
});

test("the first page of a server without users leads to the setup link and does not show it", async () => {
  const emptyServer = await startServer({ demo: false });
  const guest = await openPage(chromium, emptyServer);
  await guest.goto("/");
  await guest.getByRole("heading", { name: "Set up this server" }).waitFor();
  await guest.getByText("setup-link.txt").waitFor();
  const token = emptyServer.welcome.setup_link.split("/").at(-1);
  assert.ok(token.length > 20 && !(await guest.content()).includes(token));
  assert.equal(await guest.getByLabel("Password").count(), 0);
  await assertAccessible(guest, "setup-needed");
  await assertAccessibleOnPhone(guest, "setup-needed-phone");
  await guest.context().close();
  await emptyServer.remove();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
