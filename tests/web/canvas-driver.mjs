// Helpers for the tests of editing on the canvas. They start a server with an account and a browser, and find places on the picture.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callApi, launchBrowser, openPage, runCommand, signIn, startServer } from "./lib.mjs";

export const PASSWORD = "correct horse battery";
const directory = await mkdtemp(join(tmpdir(), "chartroom-canvas-"));
export const server = await startServer({ demo: false, directory });
await runCommand(directory, ["user", "create", "--email", "ann@example.org", "--name", "Ann", "--password-stdin"], PASSWORD);
export const chromium = await launchBrowser();
export const page = await openPage(chromium, server);
await signIn(page, { email: "ann@example.org", password: PASSWORD });

export const DATA = [
  { label: "North", value: 120 },
  { label: "South", value: 80 },
  { label: "West", value: 45 },
  { label: "East", value: 20 },
];

/** Creates a chart of Ann. Returns its API path and the address of its page. */
export async function createChart(title, { widget = "bar", data = DATA, style, settings } = {}) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PUT", `${path}/data`, data);
  const { version: _, owner: __, ...fields } = await callApi(page, "GET", path);
  const { status, text } = await page.evaluate(async ([path, body]) => {
    const response = await fetch(`/api/v1${path}`, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  }, [path, { ...fields, title, settings: { ...fields.settings, ...settings }, style: { ...fields.style, margin: {}, ...style } }]);
  assert.equal(status, 200, text);
  return { path, view: new URL(document_view).pathname };
}

/** Opens the editor of a chart, and waits for the picture with marks and for the tools on the canvas. */
export async function openEditor(chart, target = page) {
  await target.goto(chart.view);
  await target.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part]"));
  await target.locator(".margin-handles").waitFor({ state: "attached" });
}

export const readDocument = (chart) => callApi(page, "GET", chart.path);
export const waitForState = (text, target = page) => target.locator(".save-state", { hasText: new RegExp(`^${text}$`) }).waitFor();

/** Saves the chart, and returns its notes. */
export async function saveNotes(chart, target = page) {
  // The picture of the last change may still be on its way.
  await target.locator(".draw-progress").waitFor({ state: "hidden" });
  await target.keyboard.press("Control+s");
  await waitForState("Saved", target);
  return (await readDocument(chart)).style?.annotations ?? [];
}

/** Returns the middle of the marks of a row in pixels of the window, or of a note with `note`. */
export async function findMiddle({ row, note, share = 0.5 }, target = page) {
  return target.evaluate(([row, note, share]) => {
    const selector = note === undefined ? `[data-row="${row}"]:not(text)` : `[data-part=annotation][data-field="${note}"]`;
    const element = document.querySelector(".paper").shadowRoot.querySelector(selector);
    const box = element.getBoundingClientRect();
    return { x: box.left + box.width * share, y: box.top + box.height / 2 };
  }, [row, note, share]);
}

/** Returns the place of a point of the canvas in pixels of the window. */
export async function findPoint(x, y, target = page) {
  return target.evaluate(([x, y]) => {
    const box = document.querySelector("#canvas").getBoundingClientRect();
    const { width, height } = document.querySelector(".paper").shadowRoot.querySelector("svg").viewBox.baseVal;
    return { x: box.left + (x / width) * box.width, y: box.top + (y / height) * box.height };
  }, [x, y]);
}

/** Presses a type in the panel of notes, which opens first if it is closed. */
export async function choose(type, target = page) {
  if (!(await target.locator(".panel-form [aria-label='Add note']").isVisible())) await target.locator("#tool-notes").click();
  await target.locator("[aria-label='Add note']").getByRole("button", { name: type, exact: true }).click();
  await target.locator(".note-hint").waitFor();
  await target.locator("#canvas").scrollIntoViewIfNeeded();
}

/** Drags with the mouse in some steps. `beforeDrop` runs before the release. */
export async function drag(from, to, { beforeDrop, target = page } = {}) {
  await target.mouse.move(from.x, from.y);
  await target.mouse.down();
  for (let step = 1; step <= 5; step += 1) await target.mouse.move(from.x + ((to.x - from.x) * step) / 5, from.y + ((to.y - from.y) * step) / 5);
  await beforeDrop?.();
  await target.mouse.up();
}

export const click = (place, target = page) => target.mouse.click(place.x, place.y);
export const waitForNote = (index, target = page) => target.waitForFunction((wanted) => document.querySelector(".paper")?.shadowRoot?.querySelector(`[data-part=annotation][data-field="${wanted}"]`), index);
export const waitForNoField = (target = page) => target.locator(".canvas-text").waitFor({ state: "detached" });

/** Takes all steps back, and asserts that the document is as before. */
export async function assertUndone(chart, before, target = page) {
  const undoButton = target.getByRole("button", { name: /^Undo/ }).first();
  for (let steps = 0; steps < 60 && (await undoButton.isEnabled()); steps += 1) await undoButton.click();
  await saveNotes(chart, target);
  const restored = await readDocument(chart);
  for (const member of ["data", "settings", "style", "title", "theme"]) assert.deepEqual(restored[member], before[member], member);
}

/** Ends the browser and the server, and deletes its data. */
export async function cleanUp() {
  await chromium.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
