// A walk through the editor as a screen reader presents it: every element that Tab reaches has a role and a name in the
// accessibility tree, and the order is that of the page. axe checks every state of the editor.

import assert from "node:assert/strict";
import { assertAccessible, assertNoErrors, callApi, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

/** Maximum number of stops on a walk, so that a trap ends it. */
const MAX_STOPS = 250;
/** Names that say nothing about an element. */
const EMPTY_NAMES = /^(button|link|input|image|icon|select|more|undefined|null|\[object.*|\W*)$/i;

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);
const session = await page.context().newCDPSession(page);

const DATA = [{ label: "Graz", value: 1234.5 }, { label: "Linz", value: null }, { label: "Steyr", value: 987.25 }];

/** Creates a chart and opens its editor. Returns its API path. */
async function openEditor(title = "Walked") {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PUT", `${path}/data`, DATA);
  await callApi(page, "PATCH", path, { title });
  await page.goto(new URL(document_view).pathname);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part=title]"));
  return path;
}

/**
 * Reads the focused element from the accessibility tree of the browser.
 * @returns {Promise<{ role: string, name: string, value: string, description: string, html: string, box: { x: number, y: number, width: number, height: number }, region: string }>}
 */
async function readFocused() {
  const handle = await page.evaluateHandle(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element;
  });
  const facts = await handle.evaluate((element) => {
    const { x, y, width, height } = /** @type {Element} */ (element).getBoundingClientRect();
    const regions = ["dialog[open]", ".bar", ".chart-head", ".panel-buttons", ".stage", ".data-pane", "#panel", ".chart-foot"];
    const host = /** @type {any} */ (element).getRootNode().host ?? element;
    // The focus scrolls panels, so that the place in the scrolled content counts.
    let [scrolledX, scrolledY] = [scrollX, scrollY];
    for (let parent = host.parentElement; parent && parent !== document.documentElement; parent = parent.parentElement) {
      scrolledX += parent.scrollLeft;
      scrolledY += parent.scrollTop;
    }
    return { html: /** @type {Element} */ (element).outerHTML.slice(0, 160), box: { x: x + scrolledX, y: y + scrolledY, width, height }, region: regions.find((selector) => host.closest(selector)) ?? "page" };
  });
  await page.evaluate((element) => (window["walked"] = element), handle);
  const { result } = await session.send("Runtime.evaluate", { expression: "window.walked" });
  const { nodes } = await session.send("Accessibility.getPartialAXTree", { objectId: result.objectId, fetchRelatives: false });
  const [node] = nodes;
  const read = (/** @type {any} */ property) => String(property?.value ?? "");
  return { ...facts, role: read(node.role), name: read(node.name).trim(), value: read(node.properties?.find((property) => property.name === "valuetext")?.value) || read(node.value), description: read(node.description) };
}

/** Walks with Tab from the start of the page, or of the open dialog, until the focus leaves it or returns. */
async function walk() {
  const stops = [];
  const seen = new Set();
  for (let press = 0; press < MAX_STOPS; press += 1) {
    await page.keyboard.press("Tab");
    const state = await page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      if (!element || element === document.body) return "end";
      const marks = (window["marks"] ??= new WeakMap());
      if (marks.has(element)) return "again";
      marks.set(element, true);
      return "new";
    });
    if (state !== "new") break;
    stops.push(await readFocused());
    seen.add(stops.length);
  }
  await page.evaluate(() => delete window["marks"]);
  return stops;
}

/** Fails if a stop has no name, or a name that says nothing. Prints the walk if `WALK` is set. @param {string} state */
function assertNamed(stops, state) {
  if (process.env.WALK) console.log(`\n== ${state}\n${stops.map(({ region, role, name, value, description }) => `${region.padEnd(15)} ${role.padEnd(16)} ${name}${value ? ` = ${value}` : ""}${description ? ` (${description})` : ""}`).join("\n")}`);
  const unnamed = stops.filter(({ name, role, value }) => EMPTY_NAMES.test(role === "gridcell" ? value : name) || role === "" || role === "generic");
  assert.deepEqual(unnamed.map(({ role, name, html }) => `${role} “${name}” ${html}`), [], state);
  // Screen readers would read the separators of the page.
  assert.deepEqual(stops.filter(({ name }) => /^[·/›|]/.test(name)).map(({ name }) => name), [], `${state}: separators`);
  // Two controls with the same name and role in one region cannot be told apart.
  const keys = stops.map(({ region, role, name, description }) => `${region} ${role} ${name} ${description}`);
  assert.deepEqual(keys.filter((key, index) => keys.indexOf(key) !== index), [], `${state}: the same name twice`);
}

/** Fails if the focus jumps up or to the left within a region by more than a line. */
function assertVisualOrder(stops, state) {
  const jumps = [];
  for (let index = 1; index < stops.length; index += 1) {
    const [before, after] = [stops[index - 1], stops[index]];
    if (before.region !== after.region || !after.box.width) continue;
    // The bar of a note floats above it, but comes after it, because only the selected note has one.
    if (/^(Color|Edit|Remove)\b.* note/.test(after.name)) continue;
    const isAbove = after.box.y + after.box.height <= before.box.y + 1;
    const isSameLine = after.box.y < before.box.y + before.box.height && before.box.y < after.box.y + after.box.height;
    // Columns of cards or a sidebar may start at the top again, further to the right.
    if ((isAbove && after.box.x < before.box.x + before.box.width) || (isSameLine && after.box.x + after.box.width < before.box.x)) jumps.push(`${before.name} → ${after.name}`);
  }
  assert.deepEqual(jumps, [], state);
}

test("every stop of the editor has a name, in the order of the page", async () => {
  await openEditor();
  for (const panel of ["settings", "text", "style", "notes", "comments", "history"]) {
    if ((await page.locator(`#tool-${panel}`).getAttribute("aria-expanded")) !== "true") await page.locator(`#tool-${panel}`).click();
    await page.locator("#panel").waitFor();
    if (panel === "notes") {
      await page.locator("#panel").getByRole("button", { name: "Text", exact: true }).click();
      // Places the note, and ends the edit of its text.
      await page.keyboard.press("Enter");
      await page.locator(".canvas-text").waitFor();
      await page.keyboard.press("Enter");
      await page.locator("#panel .notes textarea").waitFor();
    }
    if (panel === "style") await page.locator(".theme-choices img[src]").nth(5).waitFor();
    // The walk starts at the top of the page.
    await page.locator("a.skip").focus();
    const stops = await walk();
    assert.ok(stops.length > 20, `${panel}: ${stops.length} stops`);
    assertNamed(stops, panel);
    assertVisualOrder(stops, panel);
    const regions = stops.map(({ region }) => region).filter((region, index, all) => region !== all[index - 1]);
    assert.equal(new Set(regions).size, regions.length, `${panel}: ${regions.join(", ")}`);
  }
  assertNoErrors(page);
});

test("the data grid tells position, value and problems of a cell", async () => {
  await openEditor("Cells");
  await page.locator("chart-grid [role=row][aria-rowindex='2'] [role=gridcell]").first().click();
  await page.keyboard.press("ArrowRight");
  const cell = await readFocused();
  assert.match(cell.role, /gridcell|textbox/);
  assert.match(`${cell.name} ${cell.value} ${cell.description}`, /1234[.,]5/);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const roles = (/** @type {string} */ role) => nodes.filter((node) => !node.ignored && node.role?.value === role);
  assert.equal(roles("grid").length, 1);
  assert.ok(roles("columnheader").some((node) => /Value/.test(String(node.name?.value))));
  assert.ok(roles("rowheader").length >= 3);
  const nameless = nodes.filter((node) => !node.ignored && ["button", "link", "checkbox", "switch", "radio", "combobox", "textbox", "spinbutton", "slider", "grid", "dialog", "region", "navigation"].includes(String(node.role?.value)) && !String(node.name?.value ?? "").trim());
  assert.deepEqual(nameless.map((node) => `${node.role?.value} ${node.backendDOMNodeId}`), []);
});

test("live regions announce the save, the undo and the result of a table", async () => {
  await openEditor("Announced");
  await page.evaluate(() => {
    const texts = (window["announced"] = /** @type {string[]} */ ([]));
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest("[aria-live], [role=status], [role=alert]");
        if (region?.textContent?.trim()) texts.push(region.textContent.trim());
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await page.locator("chart-grid [role=row][aria-rowindex='2'] [role=gridcell]").nth(1).click();
  await page.keyboard.type("55");
  await page.keyboard.press("Enter");
  const waitForAnnouncement = (/** @type {string} */ source) => page.waitForFunction((source) => window["announced"].some((/** @type {string} */ text) => new RegExp(source).test(text)), source);
  await waitForAnnouncement("^Saved$");
  await page.locator(".data-tools input[type=file]").setInputFiles({ name: "t.csv", mimeType: "text/csv", buffer: Buffer.from("Ort;Wert\nGraz;1,5\nLinz;2,5\n") });
  await waitForAnnouncement("2 rows");
});

test("every dialog and menu of the editor has names, keeps the focus, and has no violations", async () => {
  await openEditor("Dialogs");
  const dialogs = /** @type {const} */ ([["share", "#tool-share"], ["export", "#tool-export"], ["cast", "#tool-more"], ["kind", "#change-kind"]]);
  for (const [name, selector] of dialogs) {
    await page.locator(selector).click();
    if (name === "cast") await page.getByRole("menuitem", { name: "Cast" }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.waitFor();
    if (name === "kind") await dialog.locator(".kind-choice img[src]").first().waitFor();
    assertNamed(await walk(), name);
    await assertAccessible(page, `walk-${name}`);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate((selector) => document.activeElement === document.querySelector(selector), selector), true, `${name} returns the focus`);
  }
  for (const [name, open] of /** @type {[string, () => Promise<void>][]} */ ([
    ["more", () => page.locator("#tool-more").click()],
    ["account", () => page.getByRole("button", { name: /^Account of/ }).click()],
    ["column", () => page.locator("chart-grid [role=columnheader]").nth(1).click({ button: "right" })],
    ["cell", () => page.locator("chart-grid [role=gridcell]").first().click({ button: "right" })],
  ])) {
    await open();
    await page.locator(":popover-open:not(.toasts)").waitFor();
    await assertAccessible(page, `walk-menu-${name}`);
    await page.keyboard.press("Escape");
  }
  assertNoErrors(page);
});

test("the editor has no violations offline, read-only, after a failed save, and on a phone", async () => {
  const path = await openEditor("States");
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? route.abort() : route.continue()));
  await page.locator("chart-grid [role=row][aria-rowindex='2'] [role=gridcell]").nth(1).click();
  await page.keyboard.type("56");
  await page.keyboard.press("Enter");
  await page.locator(".save-state", { hasText: /^Offline/ }).waitFor();
  await assertAccessible(page, "walk-offline");
  await page.unroute("**/documents/*");
  // A refusal that a repetition would not change.
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? route.fulfill({ status: 413, contentType: "application/problem+json", body: '{"title":"Too large","detail":"the body must not be larger"}' }) : route.continue()));
  await page.keyboard.type("57");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+s");
  await page.locator(".save-state", { hasText: /^Not saved/ }).waitFor();
  await assertAccessible(page, "walk-failed");
  await page.unroute("**/documents/*");
  await page.keyboard.press("Control+s");
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const panel of ["settings", "text", "style", "notes"]) {
    if ((await page.locator(`#tool-${panel}`).getAttribute("aria-expanded")) !== "true") await page.locator(`#tool-${panel}`).click();
    await page.locator("#panel").waitFor();
    await assertAccessible(page, `walk-phone-${panel}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await callApi(page, "DELETE", path);
  await page.reload();
  await page.getByText("This chart is in the trash").waitFor();
  await assertAccessible(page, "walk-trash");
  assertNamed(await walk(), "trash");
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
