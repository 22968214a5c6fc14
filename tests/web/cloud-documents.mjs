// Tests of charts that are kept at a provider of cloud storage: the page of the folders, new charts, the editor with its
// saves, conflicts and exports, for the stand-ins of all five providers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, startStandIn, test } from "./lib.mjs";

const PASSWORD = "correct horse battery";
const PROVIDERS = ["box", "dropbox", "googledrive", "onedrive", "smartsheet"];
const standIns = Object.fromEntries(await Promise.all(PROVIDERS.map(async (provider) => [provider, await startStandIn(provider)])));
const settings = Object.assign({}, ...Object.values(standIns).map((standIn) => standIn.settings));
const server = await startServer({ demo: false, env: { CHARTROOM_REMOTE_PRIVATE: "yes", ...settings } });
await runCommand(server.dataDirectory, ["user", "create", "--email", "ann@example.org", "--name", "Ann", "--password-stdin"], PASSWORD);
const chromium = await launchBrowser();
const page = await openPage(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
await signIn(page, { email: "ann@example.org", password: PASSWORD });
const dialog = page.getByRole("dialog");

/** Returns the connection to a provider. */
const findConnection = async (provider) => (await callApi(page, "GET", "/sync/connections")).find((connection) => connection.provider === provider);

/** Returns the API path of the document of the present page. */
const readDocumentPath = async () => (await page.locator("#chart").getAttribute("data-endpoint"))?.replace("/api/v1", "") ?? "";

/** Waits until the editor of the present page works. */
async function waitForEditor(target = page) {
  await target.locator("chart-grid [role=gridcell]").first().waitFor();
  await target.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part]"));
}

/** Waits until everything is saved. */
const waitForSave = (target = page) => target.locator(".save-state[data-state=saved]").waitFor();

/** Puts a table into the clipboard and uses it in the editor. */
async function pasteTable(text, target = page) {
  await target.evaluate((table) => navigator.clipboard.writeText(table), text);
  await target.getByRole("button", { name: "Paste a table" }).click();
  await target.locator(".data-strip", { hasText: "rows" }).waitFor();
}

/** Writes a new title into the panel. */
async function setTitle(title, target = page) {
  await target.locator("#tool-text").click();
  await target.locator("#panel [name=title]").fill(title);
  await target.locator("#tool-text").click();
}

/** Opens a sheet of Smartsheet, because files are attachments of sheets there. */
async function openSheet() {
  await page.getByRole("button", { name: "New chart" }).first().click();
  await dialog.locator("input[value=bar]").check({ force: true });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Draft");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("choose a sheet", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".cloud-path button").first().click();
  await page.getByRole("button", { name: "Team", exact: true }).click();
  await page.getByRole("button", { name: "Sales", exact: true }).click();
  await page.getByText("This folder is empty.").waitFor();
}

/** Creates a folder in the root folder, and deletes it after a question that is cancelled once. */
async function deleteNewFolder() {
  await page.locator(".cloud-path button").first().click();
  const folder = page.getByRole("button", { name: "Old plans", exact: true });
  await page.getByRole("button", { name: "New folder" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Old plans");
  await dialog.getByRole("button", { name: "Create" }).click();
  await folder.waitFor();
  const remove = page.getByRole("button", { name: "Delete the folder “Old plans”" });
  await remove.click();
  await dialog.getByText("also with files that are not shown here").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await remove.click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await folder.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Reports", exact: true }).waitFor();
  assert.ok(await page.locator("#cloud").evaluate((root) => root.contains(document.activeElement)), "the focus stays in the list");
}

for (const provider of PROVIDERS) {
  test(`${provider}: a chart is created in a folder, edited, and saved in its file`, async () => {
    await page.goto(`/cloud/oauth/${provider}/start`);
    await page.getByText("The account is connected.").waitFor();
    const { id, title } = await findConnection(provider);
    await page.goto("/");
    await page.locator("#rail").getByRole("link", { name: title }).click();
    await page.locator("#cloud [role=status]", { hasText: /^(This folder is empty\.)?$/ }).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "New folder" }).click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Reports");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Reports", exact: true }).click();
    await page.getByText("This folder is empty.").waitFor();
    if (provider === "smartsheet") await openSheet();
    await page.getByRole("button", { name: "New chart" }).first().click();
    await dialog.locator("input[value=bar]").check({ force: true });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Draft");
    await dialog.getByRole("button", { name: "Create" }).click();
    await waitForEditor();
    assert.match(page.url(), new RegExp(`/c/${provider}/${id}/`));
    await pasteTable("Region,Sales\nNorth,12.5\nSouth,7.25\n");
    await setTitle(`Sales at ${provider}`);
    await waitForSave();
    const path = await readDocumentPath();
    const stored = await callApi(page, "GET", path);
    assert.deepEqual([stored.title, stored.data.map((record) => Object.values(record))], [`Sales at ${provider}`, [["North", 12.5], ["South", 7.25]]]);
    // A change that waits for its save is not lost by the renaming.
    await setTitle(`Waiting at ${provider}`);
    await page.getByRole("button", { name: "Rename the file" }).click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Final");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.locator("#file-name", { hasText: "Final.chart.json" }).waitFor();
    await waitForEditor();
    await page.waitForFunction((title) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(title), `Waiting at ${provider}`);
    await setTitle(`Renamed at ${provider}`);
    await waitForSave();
    // The next visit shows what the provider has.
    await page.reload();
    await waitForEditor();
    await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.textContent?.includes("North"));
    await page.locator(".crumbs a").click();
    const link = page.getByRole("list", { name: "Charts and folders" }).getByRole("link");
    await link.waitFor();
    await page.locator(".cloud-path", { hasText: provider === "smartsheet" ? "Sales" : "Reports" }).waitFor();
    assert.deepEqual(await link.locator(".grow").allInnerTexts(), ["Final"]);
    await page.waitForFunction(() => {
      const image = /** @type {HTMLImageElement | null} */ (document.querySelector(".cloud-thumbnail img"));
      return image?.complete && image.naturalWidth === 640 && image.naturalHeight === 360 && image.clientHeight === 36;
    });
    await callApi(page, "GET", path.replace(/[^/]+$/, (await link.getAttribute("href"))?.split("/").at(-1) ?? ""));
    await deleteNewFolder();
  });
}

test("the pages are accessible, fit a phone, and are in German, too", async () => {
  const { id } = await findConnection("dropbox");
  await page.goto(`/c/dropbox/${id}`);
  await page.getByRole("button", { name: "Delete the folder “Reports”" }).waitFor();
  await assertAccessible(page, "cloud-root");
  await page.getByRole("button", { name: "Reports", exact: true }).click();
  const link = page.getByRole("list", { name: "Charts and folders" }).getByRole("link");
  await link.waitFor();
  await assertAccessible(page, "cloud-folder");
  await assertAccessibleOnPhone(page, "cloud-folder");
  await assertNoHorizontalScroll(page);
  await link.click();
  await waitForEditor();
  await assertAccessible(page, "cloud-chart");
  await assertNoHorizontalScroll(page);
  const german = await openPage(chromium, server, { locale: "de-DE", storageState: await page.context().storageState() });
  await german.goto(`/c/dropbox/${id}`);
  await german.getByRole("button", { name: "Neuer Ordner" }).waitFor();
  await assertAccessible(german, "cloud-folder-german");
  await german.close();
});

test("a chart is created with an own table", async () => {
  const { id } = await findConnection("onedrive");
  await page.goto(`/c/onedrive/${id}`);
  await page.getByRole("button", { name: "New chart" }).first().click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Own table");
  await dialog.getByText("Own data").click();
  await dialog.getByRole("textbox", { name: "Table" }).fill("Month;Revenue;Costs\nJan;1,5;0,5\nFeb;2,5;0,75\n");
  await dialog.locator(".kind.suggested").first().waitFor();
  await assertAccessible(page, "cloud-new-chart");
  await dialog.getByRole("button", { name: "Create" }).click();
  await waitForEditor();
  const stored = await callApi(page, "GET", await readDocumentPath());
  assert.equal(stored.title, "Own table");
  assert.deepEqual(stored.data.map((record) => Object.values(record).filter((value) => typeof value === "number")), [[1.5, 0.5], [2.5, 0.75]]);
});

test("changes of two pages are merged, and a conflict is asked about", async () => {
  const connection = await findConnection("dropbox");
  await page.goto(`/c/dropbox/${connection.id}`);
  await page.getByRole("button", { name: "Reports", exact: true }).click();
  await page.getByRole("list", { name: "Charts and folders" }).getByRole("link").click();
  await page.waitForURL(/\/c\/dropbox\/[^/]+\/.+/);
  const other = await openPage(chromium, server, { storageState: await page.context().storageState() });
  await other.goto(page.url());
  await Promise.all([waitForEditor(), waitForEditor(other)]);
  const path = await readDocumentPath();
  const { settings, ...stored } = await callApi(page, "GET", path);
  // Another program changes the records, this page the title: both stay.
  await callApi(page, "PUT", path, { ...stored, settings, data: [...stored.data, { ...stored.data[0], [Object.keys(stored.data[0])[0]]: "West" }] });
  await setTitle("Merged");
  await waitForSave();
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.textContent?.includes("West"));
  const merged = await callApi(page, "GET", path);
  assert.deepEqual([merged.title, merged.data.length], ["Merged", 3]);
  // The page of another browser still has the old title, and changes it.
  await setTitle("Title of the other page", other);
  await other.getByRole("dialog").getByText("Title of the other page").first().waitFor();
  await assertAccessible(other, "cloud-conflict");
  await other.getByRole("dialog").getByRole("button", { name: "Save mine as a copy" }).click();
  await other.getByRole("dialog").waitFor({ state: "detached" });
  const now = await callApi(page, "GET", path);
  assert.equal(now.title, "Merged", "the choice of the copy keeps the other title");
  const list = await callApi(page, "GET", `/cloud/dropbox/${connection.id}/folders/${now.folder_id}`);
  assert.equal(list.results.length, 2, "the copy is beside the document");
  await other.close();
});

test("a save without an answer is no conflict with itself", async () => {
  await page.reload();
  await waitForEditor();
  const path = await readDocumentPath();
  let isLost = false;
  await page.route("**/cloud/dropbox/**", async (route) => {
    if (route.request().method() !== "PUT" || isLost) return route.continue();
    isLost = true;
    await route.fetch();
    // Further changes come before the page tries again.
    await setTitle("Typed after it");
    await route.abort();
  });
  await setTitle("Without an answer");
  await page.waitForFunction(() => document.querySelector(".save-state")?.textContent?.includes("Offline"));
  await waitForSave();
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.equal((await callApi(page, "GET", path)).title, "Typed after it");
  await page.unroute("**/cloud/dropbox/**");
  await setTitle("Merged");
  await waitForSave();
});

test("a chart is downloaded as a table and as an image of its present content", async () => {
  await page.reload();
  await waitForEditor();
  await page.locator("#tool-export").click();
  const [table] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("link", { name: "CSV" }).click()]);
  assert.equal(table.suggestedFilename(), "Merged.csv");
  assert.match(await readFile(await table.path(), "utf8"), /West/);
  await dialog.getByRole("radio", { name: "SVG" }).check();
  const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Download" }).click()]);
  assert.equal(download.suggestedFilename(), "Merged.svg");
  const svg = await readFile(await download.path(), "utf8");
  assert.match(svg, /<svg[\s\S]*West/);
});

test("a file that is deleted at the provider loses no work, and says so", async () => {
  const { id } = await findConnection("googledrive");
  const created = await callApi(page, "POST", `/cloud/googledrive/${id}/documents`, { widget: "bar", title: "Short life" });
  await page.goto(new URL(created.document_view).pathname);
  await waitForEditor();
  // The id of the file at the provider is the text of the encoded one.
  const file = Buffer.from(created.id, "base64url").toString();
  assert.deepEqual(await standIns.googledrive.send({ trash: { id: file } }), { done: true });
  await setTitle("Not saved");
  await page.locator(".save-state[data-state=failed]").waitFor();
  assert.match((await page.locator(".save-state").getAttribute("title")) ?? "", /document/i);
  // The browser keeps the change, and asks before the page closes.
  page.once("dialog", (question) => question.accept());
  await page.goto("/");
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.stop();
  Object.values(standIns).forEach((standIn) => standIn.stop());
});
