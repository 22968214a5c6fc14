// Tests of the German texts of the editor: the data grid with an import, the settings, the style panel and the dialog for
// the chart kind.

import assert from "node:assert/strict";
import { assertAccessible, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, startServer, test } from "./lib.mjs";

const PASSWORD = "correct horse battery";
const server = await startServer({ demo: false });
await runCommand(server.dataDirectory, ["user", "create", "--email", "ann@example.org", "--name", "Ann", "--password-stdin"], PASSWORD);
const chromium = await launchBrowser();
const page = await openPage(chromium, server, { locale: "de-DE", permissions: ["clipboard-read", "clipboard-write"] });
await page.goto("/sign-in");
await page.locator("#email").fill("ann@example.org");
await page.locator("#password").fill(PASSWORD);
await page.locator("#password").press("Enter");
await page.waitForURL((url) => url.pathname !== "/sign-in");

const panel = page.locator("#panel");
const pane = page.getByRole("region", { name: "Daten" });
const findCell = (row, column) => page.locator(`chart-grid [role=row][aria-rowindex="${row + 2}"] [role=gridcell]`).nth(column);
const readStatus = () => page.locator(".grid-status").innerText();

/** Creates a chart, in German or in another language, and opens its editor. Returns its API path. */
async function openEditor(locale = null) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "grouped-column" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  const content = await callApi(page, "GET", path);
  assert.equal(content.settings.locale, "de");
  if (locale) await callApi(page, "PUT", path, { ...content, settings: { ...content.settings, locale } });
  await page.goto(new URL(document_view).pathname);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part]"));
  return path;
}

/** Saves, and waits until the stored document meets a condition. @param {string} path @param {(document: any) => boolean} isMet */
async function waitForDocument(path, isMet) {
  await page.keyboard.press("Control+s");
  for (let tries = 0; tries < 100; tries += 1) {
    if (isMet(await callApi(page, "GET", path))) return;
    await page.waitForTimeout(100);
  }
  assert.fail("the document does not have the expected content");
}

test("the data grid counts, explains and names its commands in German", async () => {
  await openEditor();
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  await pane.getByText("6 Zeilen", { exact: true }).waitFor();
  await findCell(0, 1).click();
  await page.keyboard.press("Shift+ArrowRight");
  await page.locator(".grid-status", { hasText: "Summe" }).waitFor();
  assert.match(await readStatus(), /^1 Zeile × 2 Spalten · Summe 69,7 · Mittelwert /);
  await findCell(0, 1).click({ button: "right" });
  const menu = page.getByRole("menu", { name: "Zellen" });
  assert.match(await menu.getByRole("menuitem", { name: "Zeile darüber einfügen" }).innerText(), /Strg\+Umschalt\+\+$/);
  await page.keyboard.press("Escape");
  await page.keyboard.type("viel");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowUp");
  assert.equal(await readStatus(), "„viel“ ist keine Zahl.");
  assertNoErrors(page);
});

test("numbers of a pasted table are read in the language of the document, and not of the page", async () => {
  const path = await openEditor("en");
  await findCell(0, 1).click();
  await page.keyboard.type("1,234");
  await page.keyboard.press("Enter");
  assert.equal(await findCell(0, 1).innerText(), "1234", "a separator of thousands in English");
  await page.evaluate(() => navigator.clipboard.writeText("Monat\tUmsatz\tNotiz\nJan\t12.5\tneu\nFeb\t13.5\tneu\nMär\tviel\talt"));
  await pane.getByRole("button", { name: "Tabelle einfügen" }).click();
  const strip = page.getByRole("status").filter({ hasText: "Spalten:" });
  await strip.waitFor();
  assert.match(await strip.innerText(), /^3 Zeilen\. Die erste Zeile dient als Namen\. Spalten: Monat → Bezeichnung, Umsatz\. Nicht gezeigt: Notiz\. Eine Zelle muss geprüft werden\./);
  await waitForDocument(path, ({ data }) => data[0].label === "Jan" && Object.values(data[0]).includes(12.5));
  await pane.getByRole("button", { name: "Rückgängig" }).click();
  assertNoErrors(page);
});

test("numbers are typed, pasted and drawn in German in a new chart of a German page", async () => {
  const path = await openEditor();
  await findCell(0, 1).click();
  await page.keyboard.type("1.234");
  await page.keyboard.press("Enter");
  await waitForDocument(path, ({ data }) => Object.values(data[0]).includes(1234));
  await page.evaluate(() => navigator.clipboard.writeText("Monat\tUmsatz\nJan\t3.120\nFeb\t980\nMär\t1.940"));
  await pane.getByRole("button", { name: "Tabelle einfügen" }).click();
  await waitForDocument(path, ({ data }) => data.length === 3 && Object.values(data[0]).includes(3120) && Object.values(data[2]).includes(1940));
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.textContent?.match(/[1-4]\.\d{3}/));
  assertNoErrors(page);
});

test("the settings have German names, and numbers with a decimal comma", async () => {
  const path = await openEditor();
  await panel.getByRole("searchbox", { name: "In den Einstellungen suchen" }).fill("xyz");
  await panel.getByText("Keine Einstellung passt zu „xyz“.").waitFor();
  await panel.getByRole("searchbox").fill("");
  const field = panel.getByRole("spinbutton").first();
  await field.fill("1,5x");
  await field.press("Enter");
  await panel.getByText("Geben Sie eine Zahl ein oder eine Rechnung wie =120*1,2.").waitFor();
  await field.fill("=5*1,5");
  await field.press("Enter");
  assert.equal(await field.inputValue(), "7,5");
  assert.equal(await field.getAttribute("aria-valuetext"), "7,5");
  await waitForDocument(path, ({ settings }) => JSON.stringify(settings).includes(":7.5"));
  await panel.getByRole("button", { name: "Ändern" }).click();
  const dialog = page.getByRole("dialog", { name: "Diagrammtyp" });
  await dialog.getByRole("button", { name: "Aktuell" }).waitFor();
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("the style panel has German texts, lengths and contrasts", async () => {
  await openEditor();
  await page.locator("#tool-style").click();
  await panel.getByRole("radiogroup", { name: "Design" }).getByRole("radio", { name: "Zeitungspapier" }).waitFor();
  assert.match(await panel.getByRole("group", { name: "Folien und Bildschirme" }).getByRole("button", { name: "Folie 16:9" }).innerText(), /13,33 × 7,5 in/);
  await panel.getByText("Alle 3 Farben sind unterscheidbar", { exact: false }).waitFor();
  assert.match(await panel.locator(".theme-colors .contrast").first().innerText(), /\d,\d\d : 1$/);
  const width = panel.getByLabel("Breite");
  await width.fill("5");
  await width.press("Enter");
  await panel.getByText("Geben Sie 40 bis 4096 pt ein oder eine andere Einheit wie 120mm oder =1200/2.").waitFor();
  await width.fill("120,5 mm");
  await width.press("Enter");
  assert.equal(await width.inputValue(), "120,5");
  await panel.getByLabel("Farbsehen").selectOption({ label: "Protanopie, ohne Rotzapfen" });
  await page.locator(".view-badge").getByText("Nur Ansicht: gesehen mit Protanopie.").waitFor();
  await assertAccessible(page, "languages-style");
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
