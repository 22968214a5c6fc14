// Helpers for the tests of the chart editor. They start a server with two accounts and a browser, and drive the grid.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callApi, launchBrowser, openPage, runCommand, signIn, startServer } from "./lib.mjs";

export const PASSWORD = "correct horse battery";
const directory = await mkdtemp(join(tmpdir(), "chartroom-editor-"));
export const server = await startServer({ demo: false, directory });
for (const name of ["Ann", "Ben"]) {
  await runCommand(directory, ["user", "create", "--email", `${name.toLowerCase()}@example.org`, "--name", name, "--password-stdin"], PASSWORD);
}
export const chromium = await launchBrowser();
export const page = await openPage(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
await signIn(page, { email: "ann@example.org", password: PASSWORD });

export const DATA = [
  { label: "North", value: 120 },
  { label: "South", value: 80 },
  { label: "West", value: 45 },
];

/** Creates a chart of Ann, with own data, or with the sample of its kind if `data` is null. */
export async function createChart(title, { widget = "bar", data = DATA } = {}) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  if (data) {
    await callApi(page, "PUT", `${path}/data`, data);
    await callApi(page, "PATCH", path, { title });
  }
  return { path, view: new URL(document_view).pathname };
}

/** Waits for the grid and the picture with marks. */
export async function waitForEditor(target) {
  await target.locator("chart-grid [role=gridcell]").first().waitFor();
  await target.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part]"));
}

/** Opens the editor of a chart, and waits for it. */
export async function openEditor(chart, target = page) {
  await target.goto(chart.view);
  await waitForEditor(target);
}

export const readDocument = (chart) => callApi(page, "GET", chart.path);

/** Replaces fields of a document as the user of a page, without its editor. */
export async function replaceFields(chart, changes, target = page) {
  const { version: _, owner: __, ...fields } = await callApi(target, "GET", chart.path);
  await callApi(target, "PUT", chart.path, { ...fields, ...changes, final_save: true });
}

export const getCell = (row, column, target = page) => target.locator(`chart-grid [role=row][aria-rowindex="${row + 2}"] [role=gridcell]`).nth(column);
export const waitForImageText = (text, target = page) => target.waitForFunction((wanted) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(wanted), text);
export const waitForState = (text, target = page) => target.locator(".save-state", { hasText: new RegExp(`^${text}$`) }).waitFor();
export const findToast = (text, target = page) => target.locator(".toast", { hasText: text });

/** Saves the chart now. Returns its document. */
export async function save(chart, target = page) {
  await target.keyboard.press("Control+s");
  await waitForState("Saved", target);
  return readDocument(chart);
}

/** Types a value into a cell. */
export async function typeIntoCell(row, column, text, target = page) {
  await getCell(row, column, target).click();
  await target.keyboard.type(text);
  await target.keyboard.press("Enter");
}

/** Opens a page in which Ben is signed in, who may change the chart. */
export async function openPageAsBen(chart) {
  const { owner, id } = await callApi(page, "GET", chart.path);
  await callApi(page, "POST", "/share", { owner, document: id, email: "ben@example.org", mode: "w" });
  const other = await openPage(chromium, server);
  await signIn(other, { email: "ben@example.org", password: PASSWORD });
  return other;
}

/** Makes the saves of a page fail as without a connection. Returns a function that lets them through again. */
export async function blockSaves(target) {
  await target.route("**/documents/*", (route) => (route.request().method() === "PUT" ? route.abort() : route.continue()));
  return () => target.unroute("**/documents/*");
}

/** Ends browser and server, and deletes the data. */
export async function cleanUp() {
  await chromium.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
