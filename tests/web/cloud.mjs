// Tests of connected accounts of cloud storage: the account page, the choice of a file, and a chart that follows a sheet of
// Google to a screen. The providers are the stand-ins of tests/stand_ins.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, startStandIn, test } from "./lib.mjs";

const PASSWORD = "correct horse battery";
const SHEET_TYPE = "application/vnd.google-apps.spreadsheet";

const google = await startStandIn("googledrive");
const server = await startServer({
  demo: false,
  env: { CHARTROOM_REMOTE_PRIVATE: "yes", CHARTROOM_SYNC_SPREAD: "0s", CHARTROOM_SYNC_MIN_INTERVAL: "1s", ...google.settings },
});
await runCommand(server.dataDirectory, ["user", "create", "--email", "ann@example.org", "--name", "Ann", "--password-stdin"], PASSWORD);
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, { email: "ann@example.org", password: PASSWORD });
const dialog = page.getByRole("dialog");

/** Creates a bar chart with a title. */
async function createChart(title) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PATCH", path, { title });
  return { path, id: path.split("/").at(-1) ?? "", view: new URL(document_view).pathname };
}

test("the account page offers the providers that are set up, and names the others", async () => {
  await page.goto("/account/connections");
  assert.match(await page.locator("main").innerText(), /No account is connected yet/);
  assert.match(await page.locator("main").innerText(), /has not set up: Box, Dropbox, OneDrive, Smartsheet/);
  await assertAccessible(page, "account-connections-empty");
  await page.getByRole("link", { name: "Connect Google Drive" }).click();
  // The stand-in permits the access at once.
  await page.getByText("The account is connected.").waitFor();
  assert.equal(new URL(page.url()).pathname, "/account/connections");
  assert.equal(await page.getByText("Connected", { exact: true }).count(), 1);
});

test("a connection is renamed on the page", async () => {
  await page.goto("/account/connections");
  const field = page.getByRole("textbox", { name: "Name" });
  await field.fill("Numbers of Ann");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByText("The connection has a new name.").waitFor();
  await page.getByRole("heading", { name: "Numbers of Ann" }).waitFor();
  await assertAccessible(page, "account-connections");
  await assertAccessibleOnPhone(page, "account-connections");
  await assertNoHorizontalScroll(page);
});

test("a sheet of Google is chosen in the dialog, and its changes reach the chart and a screen", async () => {
  const { id: folder } = await google.send({ add_folder: { parent: "root", name: "Reports" } });
  await google.send({ add_file: { parent: "root", name: "Photo.png", text: "x" } });
  const { id } = await google.send({ add_file: { parent: folder, name: "Budget", text: "City,Sales\nVienna,120\nGraz,80\n", media_type: SHEET_TYPE } });
  const chart = await createChart("From Google");
  await page.goto(chart.view);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await page.getByRole("button", { name: "Keep up to date…" }).click();
  await dialog.getByRole("button", { name: "Choose from an account…" }).click();
  await dialog.getByRole("button", { name: "Photo.png" }).waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Photo.png" }).isDisabled());
  await assertAccessible(page, "cloud-picker");
  await assertAccessibleOnPhone(page, "cloud-picker");
  // Keyboard only from here: the first folder has the focus.
  await dialog.getByRole("button", { name: "Reports" }).focus();
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Budget" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Budget");
  await page.keyboard.press("Enter");
  await dialog.getByText("Budget at Google Drive").waitFor();
  await dialog.locator(".sync-preview td", { hasText: "Vienna" }).waitFor();
  assert.equal(await dialog.getByRole("textbox", { name: "Address of the spreadsheet" }).isVisible(), false);
  await assertAccessible(page, "cloud-source");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.textContent?.includes("Vienna"));
  const cast = await callApi(page, "POST", "/cast/sessions", { document_id: chart.id, device_name: "Lobby" });
  const screen = await openPage(chromium, server);
  await screen.goto(new URL(cast.cast_url).pathname);
  // The session knows the revision that the screen has drawn.
  const waitForDrawn = async () => {
    for (let tries = 0; tries < 100; tries += 1) {
      const [session] = await callApi(page, "GET", `/cast/sessions/${chart.id}`);
      const { last_modified } = await callApi(page, "GET", `/cast/${cast.token}/check`);
      if (session.last_drawn === last_modified) return last_modified;
      await page.waitForTimeout(100);
    }
    return assert.fail("the screen does not draw the chart");
  };
  const readScreen = async () => (await screen.request.get(`/api/v1/cast/${cast.token}/document.svg`)).text();
  const before = await waitForDrawn();
  assert.match(await readScreen(), /Vienna/);
  await google.send({ set_content: { id, text: "City,Sales\nSalzburg,200\nLinz,45\n" } });
  await page.getByRole("button", { name: "Update now" }).click();
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.textContent?.includes("Salzburg"));
  assert.match(await readScreen(), /Salzburg/);
  assert.notEqual(await waitForDrawn(), before, "the screen has drawn the new data");
  assertNoErrors(screen);
  await screen.close();
  // The dialog knows the provider of the stored file.
  await page.getByRole("button", { name: "Change…" }).click();
  await dialog.getByText("A file at Google Drive").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
});

test("another person is asked before they stop a source that only its owner can set up again", async () => {
  await runCommand(server.dataDirectory, ["user", "create", "--email", "ben@example.org", "--name", "Ben", "--password-stdin"], PASSWORD);
  await google.send({ add_file: { parent: "root", name: "Shared", text: "City,Sales\nVienna,120\n", media_type: SHEET_TYPE } });
  const [{ id: connection }] = await callApi(page, "GET", "/sync/connections");
  const { results } = await callApi(page, "GET", `/cloud/googledrive/${connection}/folders?files=1`);
  const { file } = results.find((/** @type {any} */ entry) => entry.file?.title === "Shared");
  const chart = await createChart("Of two people");
  await callApi(page, "POST", "/sync/create", { document_id: chart.id, url: file.sync_url });
  const other = await openPage(chromium, server);
  await signIn(other, { email: "ben@example.org", password: PASSWORD });
  const [{ id: owner }, { id: ben }] = [await callApi(page, "GET", "/user"), await callApi(other, "GET", "/user")];
  await callApi(page, "POST", "/share", { owner, document: chart.id, user_id: ben, mode: "w" });
  const readStatus = async () => (await callApi(page, "GET", chart.path)).sync?.status;
  const question = other.getByRole("dialog", { name: "Stop the updates?" });
  for (const [answer, status] of /** @type {[string, string | undefined][]} */ ([["Cancel", "ok"], ["Stop", undefined]])) {
    await callApi(page, "GET", `/sync/document/${chart.id}?fresh=true`);
    await other.goto(chart.view);
    await other.getByRole("button", { name: "Stop" }).click();
    await question.getByText("Only they can set it up again.").waitFor();
    await question.getByRole("button", { name: answer }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(await readStatus(), status);
  }
  // Their own source is stopped at once, because Undo brings it back.
  await callApi(page, "POST", "/sync/create", { document_id: chart.id, url: file.sync_url });
  await callApi(page, "GET", `/sync/document/${chart.id}?fresh=true`);
  await page.goto(chart.view);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("The updates are stopped. The chart keeps its data.").waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("button", { name: "Update now" }).waitFor();
  assertNoErrors(other);
  await other.close();
});

test("a plain file keeps another chart up to date, and its failure is on the card", async () => {
  let [status, body] = [200, "City,Sales\nBonn,4\n"];
  const source = createServer((_, response) => {
    response.writeHead(status, { "Content-Type": "text/csv" });
    response.end(status === 200 ? body : "");
  });
  await new Promise((resolve) => source.listen(0, "127.0.0.1", () => resolve(undefined)));
  source.unref();
  const { port } = /** @type {import("node:net").AddressInfo} */ (source.address());
  const chart = await createChart("From a file");
  await callApi(page, "POST", "/sync/create", { document_id: chart.id, url: `http://127.0.0.1:${port}/sales.csv` });
  const read = async () => (await callApi(page, "GET", `/sync/document/${chart.id}?fresh=true`), callApi(page, "GET", chart.path));
  assert.deepEqual((await read()).data, [{ label: "Bonn", value: 4 }]);
  body = "City,Sales\nBonn,5\n";
  assert.deepEqual((await read()).data, [{ label: "Bonn", value: 5 }]);
  status = 404;
  assert.equal((await read()).sync.status, "failing");
  await page.goto("/");
  const card = page.locator(".chart", { hasText: "From a file" });
  await card.getByText(/Source does not work/).first().waitFor();
  source.close();
});

test("a connection that the provider has ended stops the chart and is renewed from the dialog", async () => {
  await google.send({ revoke_all: {} });
  const chart = await createChart("Renewed");
  await page.goto(chart.view);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await page.getByRole("button", { name: "Keep up to date…" }).click();
  await dialog.getByRole("button", { name: "Choose from an account…" }).click();
  const link = dialog.getByRole("link", { name: "Permit the access again" });
  await link.waitFor();
  assert.match(await dialog.innerText(), /has ended/);
  await assertAccessible(page, "cloud-ended");
  await page.goto("/account/connections");
  await page.getByText("The provider has ended this connection.", { exact: false }).waitFor();
  await page.getByRole("link", { name: "Permit the access again" }).click();
  await page.getByText("The account is connected.").waitFor();
  const [connection] = await callApi(page, "GET", "/sync/connections");
  assert.equal(connection.state, "active");
});

test("an account is disconnected after a question, and the page is in German, too", async () => {
  const german = await openPage(chromium, server, { locale: "de-DE", storageState: await page.context().storageState() });
  await german.goto("/account/connections");
  await german.getByRole("heading", { name: "Cloud-Speicher" }).waitFor();
  await assertAccessible(german, "account-connections-german");
  await german.close();
  await page.goto("/account/connections");
  await page.getByRole("link", { name: "Disconnect…" }).click();
  await page.getByText("keep their present data", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("The account is disconnected.").waitFor();
  assert.deepEqual(await callApi(page, "GET", "/sync/connections"), []);
  // The dialog of the chart says so, although it shows no field for the address of the file.
  await page.goto("/");
  await page.getByRole("link", { name: "From Google" }).first().click();
  await page.getByRole("button", { name: "Change…" }).click();
  await dialog.getByRole("alert").getByText("The connection to Google Drive does not exist.").waitFor({ timeout: 10_000 });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.stop();
  google.stop();
});
