// Tests of the German texts of the editor in a browser: panels, canvas, history of steps, shortcuts, numbers and plurals.

import assert from "node:assert/strict";
import { chromium, cleanUp, click, createChart, findMiddle, openEditor, page, server, waitForNote } from "./canvas-driver.mjs";
import { assertNoErrors, assertNoHorizontalScroll, openPage, runTests, test } from "./lib.mjs";

const DATA = [
  { label: "Nord", value: 120.5 },
  { label: "Süd", value: 80 },
];
const german = await openPage(chromium, server, { locale: "de-DE", storageState: await page.context().storageState() });

/** Opens the German editor of a new chart. */
async function openGermanEditor(title) {
  const chart = await createChart(title, { data: DATA });
  await openEditor(chart, german);
  return chart;
}

test("a note is placed, named and removed in German", async () => {
  await openGermanEditor("Notiz");
  await german.locator("#tool-notes").click();
  await german.getByRole("heading", { name: "Notizen" }).waitFor();
  await german.getByRole("button", { name: "Bereich „Notizen“ schließen" }).waitFor();
  await german.getByRole("group", { name: "Notiz hinzufügen" }).getByRole("button", { name: "Text" }).click();
  await german.getByRole("group", { name: "Notiz platzieren: Text" }).getByRole("button", { name: "Abbrechen" }).waitFor();
  await click(await findMiddle({ row: 1 }, german), german);
  const field = german.getByRole("textbox", { name: "Text der Notiz" });
  assert.equal(await field.inputValue(), "Notiz");
  await field.fill("Tiefpunkt");
  await field.press("Enter");
  await waitForNote(0, german);
  await german.getByRole("button", { name: "Notiz 1, Text: Tiefpunkt" }).waitFor();
  await german.getByRole("button", { name: "Breite von Notiz 1" }).waitFor();
  await german.getByRole("group", { name: "Notiz", exact: true }).getByRole("button", { name: "Notiz entfernen" }).click();
  await german.getByText("Die Notiz ist entfernt.").waitFor();
  await german.getByRole("button", { name: "Rückgängig: Notiz entfernen" }).waitFor();
  assertNoErrors(german);
});

test("numbers have the separators of German, and points a singular", async () => {
  await openGermanEditor("Zahlen");
  await click(await findMiddle({ row: 0 }, german), german);
  await german.getByRole("group", { name: "Element: Nord, value 120,5" }).getByRole("button", { name: "Hervorheben" }).waitFor();
  await german.locator("#tool-style").click();
  const slider = german.getByRole("group", { name: "Ränder" }).getByRole("slider", { name: "Oberer Rand" });
  assert.equal(await slider.getAttribute("aria-valuetext"), "Automatisch, 24 Punkte");
  await slider.press("Home");
  assert.equal(await slider.getAttribute("aria-valuetext"), "0 Punkte");
  await slider.press("ArrowDown");
  assert.equal(await slider.getAttribute("aria-valuetext"), "1 Punkt");
  await german.getByRole("button", { name: "Rückgängig: Oberen Rand ändern" }).waitFor();
  assertNoErrors(german);
});

test("shortcuts, commands, versions and the presentation are in German", async () => {
  await openGermanEditor("Verlauf");
  const canvas = german.locator("#canvas");
  await canvas.focus();
  await german.keyboard.press("?");
  const shortcuts = german.getByRole("dialog", { name: "Tastenkürzel" });
  await shortcuts.getByText("Strg+Z, Strg+Umschalt+Z").waitFor();
  await german.keyboard.press("Escape");
  await german.keyboard.press("Control+k");
  await german.getByRole("combobox", { name: "Befehl oder Diagramm" }).fill("papier");
  await german.getByRole("option", { name: "Papierkorb Seite" }).waitFor();
  await german.keyboard.press("Escape");
  await canvas.focus();
  await german.keyboard.press("h");
  await german.getByText("Titel: „The north carries the season“ → „Verlauf“").waitFor();
  await german.getByText("Einstellung Reihenfolge: Absteigend → Wie in den Daten").waitFor();
  await german.getByText(/^\d+ weitere$/).waitFor();
  await canvas.focus();
  await german.keyboard.press("p");
  await german.getByRole("dialog", { name: "Präsentation" }).getByText(/^Verlauf, \d von \d$/).waitFor({ state: "attached" });
  await german.getByRole("button", { name: "Beenden" }).press("Enter");
  assertNoErrors(german);
});

test("the German texts fit on a phone", async () => {
  await openGermanEditor("Telefon");
  await german.setViewportSize({ width: 390, height: 844 });
  for (const panel of ["notes", "text"]) {
    await german.locator(`#tool-${panel}`).click();
    await german.locator(".panel-form").waitFor();
    await assertNoHorizontalScroll(german);
  }
});

await runTests(cleanUp);
