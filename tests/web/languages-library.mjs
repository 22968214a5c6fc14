// Tests of the library and the page of a chart in German: texts of their scripts, plurals, values and numbers.

import assert from "node:assert/strict";
import { assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runTests, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server, { locale: "de-DE" });
await page.goto("/sign-in");
// The labels of the sign-in page do not matter here.
await callApi(page, "POST", "/session", server.welcome.sign_in);

/** Checks that nothing is wider than the window of a phone. */
async function assertFitsOnPhone() {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await assertNoHorizontalScroll(page);
  if (size) await page.setViewportSize(size);
}

test("the library is in German", async () => {
  await callApi(page, "PUT", "/users/me/folders/Vertrieb/Inland", {});
  await callApi(page, "PUT", "/users/me/folders/Vertrieb/Ausland", {});
  await callApi(page, "PUT", "/users/me/folders/Einkauf/Lager", {});
  await page.goto("/");
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  await page.getByRole("button", { name: "Neuer Ordner" }).waitFor();
  const folders = page.getByRole("list", { name: "Ordner" });
  await folders.getByRole("listitem").filter({ hasText: "Einkauf" }).getByText("1 Eintrag", { exact: true }).waitFor();
  await folders.getByRole("listitem").filter({ hasText: "Vertrieb" }).getByText("2 Einträge", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Aktionen für Einkauf" }).click();
  await page.getByRole("menuitem", { name: "Umbenennen…" }).click();
  const dialog = page.getByRole("dialog", { name: "Ordner umbenennen" });
  await dialog.getByLabel("Name").fill("Beschaffung");
  await dialog.getByRole("button", { name: "Umbenennen" }).click();
  await page.getByText("In „Beschaffung“ umbenannt").waitFor();
  await page.getByRole("button", { name: "Rückgängig" }).click();
  await page.getByText("Rückgängig gemacht").waitFor();
  for (const name of ["Einkauf", "Vertrieb"]) await page.getByRole("checkbox", { name: `${name} auswählen` }).click();
  await page.getByText("2 ausgewählt").waitFor();
  await assertFitsOnPhone();
  await page.getByRole("toolbar", { name: "Auswahl" }).getByRole("button", { name: "Papierkorb" }).click();
  await page.getByText("2 Einträge in den Papierkorb verschoben").waitFor();
  assertNoErrors(page);
});

test("the page of a chart and its dialogs are in German", async () => {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  for (const text of ["Erster", "Zweiter"]) await callApi(page, "POST", `${path}/comments`, { position: { x: 50, y: 50 }, content: [{ type: "text", text }] });
  await page.goto(new URL(document_view).pathname);
  await page.getByRole("button", { name: "Exportieren" }).click();
  const exportDialog = page.getByRole("dialog", { name: "Exportieren" });
  await exportDialog.getByRole("group", { name: "Auflösung" }).waitFor();
  await exportDialog.getByRole("spinbutton", { name: "Oder Breite in Pixeln" }).fill("20");
  await exportDialog.getByText("Die Breite ist auf das 0,5- bis 4-Fache der Breite des Diagramms begrenzt.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Freigeben" }).click();
  const shareDialog = page.getByRole("dialog", { name: "Freigeben" });
  await shareDialog.getByRole("combobox", { name: "Zugriff über den Link" }).selectOption("darf bearbeiten");
  await shareDialog.getByRole("button", { name: "Link erstellen" }).click();
  await shareDialog.getByRole("button", { name: "Mehr zu Link zum Bearbeiten" }).click();
  await page.getByRole("menuitem", { name: "Ab jetzt eine Woche gültig" }).waitFor();
  await page.keyboard.press("Escape");
  await assertFitsOnPhone();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Kommentare/ }).click();
  await page.getByRole("button", { name: "Mehr zu Kommentar 2" }).click();
  await page.getByRole("menu", { name: "Kommentar 2" }).getByRole("menuitem", { name: "Link kopieren" }).waitFor();
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
