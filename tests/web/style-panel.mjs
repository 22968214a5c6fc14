// Tests of the style panel of the editor in a browser: presets and units, contrast, color vision, views, own colors, fonts,
// and the color field in the grid. The data are a German table with seven series.

import assert from "node:assert/strict";
import { assertAccessible, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const PASSWORD = "correct horse battery";
const server = await startServer({ demo: false });
for (const name of ["Ann", "Ben"]) {
  await runCommand(server.dataDirectory, ["user", "create", "--email", `${name.toLowerCase()}@example.org`, "--name", name, "--password-stdin"], PASSWORD);
}
for (const [name, slug] of [["Acme & Sons", "acme"], ["Beta Verlag", "beta"]]) {
  await runCommand(server.dataDirectory, ["org", "create", "--name", name, "--slug", slug, "--plan", "enterprise", "--seats", "8"]);
  await runCommand(server.dataDirectory, ["org", "member", "add", slug, "ann@example.org", "--role", "admin"]);
}
await runCommand(server.dataDirectory, ["org", "member", "add", "acme", "ben@example.org"]);
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, { email: "ann@example.org", password: PASSWORD });
await callApi(page, "PATCH", "/orgs/acme/settings", {
  layouts: [
    // New charts have the first preset.
    { name: "Intranet", width: 600, height: 337.5, display_unit: "px", margin: { top: 24, right: 24, bottom: 24, left: 24 } },
    { name: "Geschäftsbericht, ganze Breite", width: 481.8898, height: 283.4646, display_unit: "mm", margin: { top: 20, right: 14.1732, bottom: 20, left: 14.1732 } },
  ],
});
await callApi(page, "PATCH", "/orgs/beta/settings", { layouts: [{ name: "Buchseite", width: 360, height: 504, display_unit: "in", margin: { top: 36, right: 36, bottom: 36, left: 36 } }] });

const SERIES = ["Löhne und Gehälter", "Material", "Energie", "Miete", "Versicherung", "Werbung", "Sonstige Aufwendungen und Gebühren"];
/** Creates a German table with a column for each series. @param {number} count */
function createTable(count) {
  const rows = [2019, 2020, 2021, 2022].map((year, row) => [year, ...SERIES.slice(0, count).map((_, column) => `${(column + 1) * 100 + row * 7},5`)]);
  return [["Jahr", ...SERIES.slice(0, count)], ...rows].map((cells) => cells.join(";")).join("\n");
}

/** Creates a chart of Ann with a German table. @param {{ widget?: string, count?: number, style?: any, owner?: string, table?: string, theme?: string, customTheme?: any }} [options] */
async function createChart({ widget = "grouped-column", count = 7, style, owner, table = createTable(count), theme, customTheme } = {}) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget, owner });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await page.evaluate(
    async ([address, text]) => {
      const response = await fetch(address, { method: "PUT", headers: { "Content-Type": "text/csv" }, body: text });
      if (!response.ok) throw new Error(await response.text());
    },
    [`/api/v1${path}/data`, table],
  );
  const { plugin_id, data, settings, theme: defaultTheme, style: defaultStyle } = await callApi(page, "GET", path);
  const title = "Aufwendungen der Müller GmbH";
  await callApi(page, "PUT", path, { plugin_id, data, title, settings: { ...settings, locale: "de" }, theme: theme ?? defaultTheme, custom_theme: customTheme ?? null, style: { ...defaultStyle, ...style } });
  return { path, view: new URL(document_view).pathname };
}

const panel = page.locator("#panel");
const readDocument = (chart) => callApi(page, "GET", chart.path);
const findPairs = () => panel.locator(".color-pair p").allTextContents();
const listContrasts = () => panel.locator(".own-color .contrast").evaluateAll((texts) => texts.map((text) => text.lastChild?.textContent));

/** Opens the style panel of a chart, and waits for the colors of the theme and the picture with marks. */
async function openPanel(chart, target = page) {
  await target.goto(chart.view);
  await target.locator("chart-grid [role=gridcell]").first().waitFor();
  await target.waitForFunction(() => document.querySelector("#paper")?.shadowRoot?.querySelector("[data-part]"));
  await target.locator("#tool-style").click();
  await target.locator(".font-facts", { hasText: "pt" }).waitFor();
}

async function save() {
  await page.keyboard.press("Control+s");
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
}

/** Waits until a function returns the expected value. @param {() => Promise<any>} read @param {any} expected */
async function waitForValue(read, expected) {
  for (let tries = 0; tries < 60; tries += 1) {
    if (JSON.stringify(await read()) === JSON.stringify(expected)) return;
    await page.waitForTimeout(50);
  }
  assert.deepEqual(await read(), expected);
}

test("a preset of an organization sets size and margins in one step, and is marked", async () => {
  const chart = await createChart();
  const before = await readDocument(chart);
  await openPanel(chart);
  const group = panel.getByRole("group", { name: "Acme & Sons" });
  const preset = group.getByRole("button", { name: "Geschäftsbericht" });
  assert.match(String(await preset.textContent()), /170 × 100 mm/);
  assert.match(String(await group.getByRole("button", { name: "Intranet" }).textContent()), /800 × 450 px/);
  assert.match(String(await panel.getByRole("button", { name: "Buchseite" }).textContent()), /5 × 7 in/);
  assert.deepEqual(await panel.locator(".size-choice[aria-pressed=true] .size-name").allTextContents(), ["Intranet"]);
  await preset.click();
  assert.deepEqual(await panel.locator(".size-choice[aria-pressed=true] .size-name").allTextContents(), ["Geschäftsbericht, ganze Breite"]);
  assert.equal(await panel.getByLabel("Width").inputValue(), "170", "the unit of the preset");
  await page.waitForFunction(() => document.querySelector("#paper")?.shadowRoot?.querySelector("svg")?.getAttribute("viewBox")?.startsWith("0 0 481"));
  await save();
  const { style } = await readDocument(chart);
  assert.deepEqual([style.width, style.height, style.margin], [481.8898, 283.4646, { top: 20, right: 14.1732, bottom: 20, left: 14.1732 }]);
  await assertAccessible(page, "style-presets");
  await page.getByRole("button", { name: "Undo: Size Geschäftsbericht" }).click();
  await save();
  assert.deepEqual((await readDocument(chart)).style, before.style);
  assert.ok(await page.getByRole("button", { name: "Undo", exact: true }).isDisabled(), "one step");
  // A built-in preset keeps the margins.
  await panel.getByRole("button", { name: "A4 landscape" }).click();
  await save();
  const built = (await readDocument(chart)).style;
  assert.deepEqual([built.width, built.height, built.margin], [841.89, 595.28, before.style.margin]);
  assertNoErrors(page);
});

test("the presets of the organization that owns the chart are first", async () => {
  const { orgs } = await callApi(page, "GET", "/user");
  for (const { id, name } of orgs) {
    await openPanel(await createChart({ owner: id }));
    await panel.locator(".size-groups h4", { hasText: name }).waitFor();
    assert.equal(await panel.locator(".size-groups h4").first().textContent(), name);
  }
});

test("fields of lengths take units and calculations, and refuse other texts", async () => {
  const chart = await createChart();
  await openPanel(chart);
  const [width, height] = [panel.getByLabel("Width"), panel.getByLabel("Height")];
  const enter = async (/** @type {import("playwright-core").Locator} */ field, /** @type {string} */ text) => {
    await field.fill(text);
    await field.press("Enter");
  };
  const readSize = async () => {
    await save();
    const { style } = await readDocument(chart);
    return [style.width, style.height];
  };
  await panel.getByLabel("Unit of lengths").selectOption("pt");
  await enter(width, "120mm");
  await enter(height, "5in");
  assert.deepEqual(await readSize(), [340.157, 360]);
  assert.deepEqual([await width.inputValue(), await height.inputValue()], ["4.72", "5"], "all fields have the unit that was typed last");
  assert.deepEqual(new Set(await panel.locator(".length-unit").allTextContents()), new Set(["in"]));
  await panel.getByLabel("Unit of lengths").selectOption("px");
  await enter(width, "=1200/2");
  await enter(height, "12,5 cm");
  assert.deepEqual(await readSize(), [450, 354.331]);
  await width.focus();
  await width.press("Shift+ArrowUp");
  assert.deepEqual(await readSize(), [450 + 10 * (72 / 25.4), 354.331].map((points) => Number(points.toFixed(3))), "ten millimetres");
  const before = await readSize();
  for (const text of ["wide", "2mm", "9999pt", "=1200/", "12 furlong"]) {
    await enter(width, text);
    assert.equal(await width.getAttribute("aria-invalid"), "true", text);
    await panel.locator(".error:visible", { hasText: "Enter 14.1 to 1445 mm" }).waitFor();
    assert.deepEqual(await readSize(), before, text);
  }
  await width.fill("");
  await width.blur();
  await save();
  assert.equal((await readDocument(chart)).style.width, undefined, "an empty field removes the value");
  assertNoErrors(page);
});

/** Returns the contrast by WCAG 2.2, computed apart from the page. @param {string} one @param {string} other */
function computeContrast(one, other) {
  const luminance = (/** @type {string} */ hex) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return red * 0.2126 + green * 0.7152 + blue * 0.0722;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test("each own color shows its contrast to the background, and a low one is marked", async () => {
  const colors = ["#777777", "#767676", "#000000", "#ffff00", "#0000ff", "#949494", "#959595"];
  const chart = await createChart({ style: { custom_colors: colors } });
  await openPanel(chart);
  const expected = ["4.48 : 1", "4.54 : 1", "21.00 : 1", "1.07 : 1", "8.59 : 1", "3.03 : 1", "2.99 : 1"];
  await waitForValue(listContrasts, expected);
  for (const [index, color] of colors.slice(0, 6).entries()) assert.equal(expected[index], `${computeContrast(color, "#ffffff").toFixed(2)} : 1`);
  assert.deepEqual(await panel.locator(".own-color:has(.contrast.low) .color-text").allTextContents(), ["#ffff00", "#959595"]);
  await panel.locator(".theme-choices label", { hasText: "Dark" }).click();
  await waitForValue(listContrasts, colors.map((color) => `${computeContrast(color, "#15191f").toFixed(2)} : 1`));
  // A line is drawn darker than its color, and has the contrast of the drawn color.
  await openPanel(await createChart({ widget: "line", style: { custom_colors: ["#ffee66", "#1f3a93"] }, count: 2 }));
  const note = panel.locator(".own-color .color-note").first();
  await note.filter({ hasText: "drawn as" }).waitFor();
  const drawn = String(/#[0-9a-f]{6}/.exec(String(await note.textContent()))?.[0]);
  assert.equal((await listContrasts())[0], `${computeContrast(drawn, "#ffffff").toFixed(2)} : 1`);
  assertNoErrors(page);
});

/** Returns the hue of a color in degrees. @param {string} hex */
function computeHue(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
}

test("colors that look alike with a deficiency are named, and can be separated", async () => {
  const chart = await createChart({ style: { custom_colors: ["#c0504d", "#4f8f3a"] }, count: 2 });
  await openPanel(chart);
  await waitForValue(findPairs, ["Löhne und Gehälter and Material are hard to tell apart with deuteranopia."]);
  await assertAccessible(page, "style-pairs");
  await panel.getByRole("button", { name: "Use the nearest distinguishable color" }).click();
  await waitForValue(findPairs, []);
  await panel.locator(".vision-check", { hasText: "All 2 colors can be told apart" }).waitFor();
  await save();
  const [first, second] = (await readDocument(chart)).style.custom_colors;
  assert.equal(first, "#c0504d", "only one color changes");
  assert.notEqual(second, "#4f8f3a");
  assert.ok(Math.abs(computeHue(second) - computeHue("#4f8f3a")) < 12, `${second} has another hue`);
  assert.ok(computeContrast(second, "#ffffff") >= 3, second);
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await waitForValue(findPairs, ["Löhne und Gehälter and Material are hard to tell apart with deuteranopia."]);
  assertNoErrors(page);
});

test("blue and orange are no problem, equal colors are one for everybody, and unused colors do not count", async () => {
  await openPanel(await createChart({ style: { custom_colors: ["#1f77b4", "#ff7f0e", "#d62728", "#2ca02c"] }, count: 2 }));
  await panel.locator(".vision-check", { hasText: "All 2 colors can be told apart" }).waitFor();
  assert.deepEqual(await findPairs(), []);
  assert.deepEqual(await panel.locator(".own-color .color-note").allTextContents(), ["Löhne und Gehälter", "Material", "Not used by this chart", "Not used by this chart"]);
  await openPanel(await createChart({ style: { custom_colors: ["#1f77b4", "#ff7f0e", "#ff7f0e"] }, count: 3 }));
  await waitForValue(findPairs, ["Material and Energie are hard to tell apart for everybody."]);
  // Slices have the names of their records.
  await openPanel(await createChart({ widget: "donut", table: "Ort;Wert\nKöln;1.200,5\nBonn;800,25\nTrier;70,1", style: { custom_colors: ["#1a6bb0", "#f0e442", "#7a5fb0"] } }));
  await waitForValue(findPairs, ["Köln and Trier are hard to tell apart with protanopia and deuteranopia."]);
});

/** Returns the color in the middle of the first bar of the canvas, as it is on the screen. */
async function readBarPixel() {
  const box = await page.locator("#paper rect[data-row='3']").first().boundingBox();
  assert.ok(box);
  const picture = await page.screenshot({ clip: { x: box.x + box.width / 2 - 1, y: box.y + box.height / 2 - 1, width: 2, height: 2 } });
  return page.evaluate(async (bytes) => {
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
    const context = new OffscreenCanvas(2, 2).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, [...picture]);
}

/** Records the changes that the page sends while a function runs. @param {() => Promise<void>} run */
async function recordChanges(run) {
  const changes = [];
  const record = (/** @type {import("playwright-core").Request} */ request) => ["PUT", "PATCH"].includes(request.method()) && changes.push(request.url());
  page.on("request", record);
  await run();
  page.off("request", record);
  return changes;
}

test("views change the canvas only, are announced, and end with the panel", async () => {
  const chart = await createChart({ style: { custom_colors: ["#d62728", "#2ca02c"] }, count: 2 });
  await openPanel(chart);
  const before = await readDocument(chart);
  const original = await readBarPixel();
  assert.deepEqual(original, [0xd6, 0x27, 0x28]);
  // The matrices of Machado 2009, table 1, times the linear channels of #d62728, computed apart from the page.
  const expected = { protanopia: [97, 87, 37], deuteranopia: [139, 124, 31], tritanopia: [236, 0, 43] };
  const changes = await recordChanges(async () => {
    for (const [name, color] of Object.entries(expected)) {
      await panel.getByLabel("Color vision").selectOption(name);
      await page.locator(".view-badge", { hasText: `as seen with ${name}` }).waitFor();
      assert.match(String(await panel.locator("[role=status]", { hasText: "View only" }).textContent()), new RegExp(name));
      const seen = await readBarPixel();
      assert.ok(seen.every((channel, index) => Math.abs(channel - color[index]) <= 2), `${name}: ${seen} instead of ${color}`);
    }
    await assertAccessible(page, "style-vision");
    await panel.getByRole("switch", { name: "In the theme Dark" }).check();
    await page.waitForFunction(() => document.querySelector(".view-paper")?.shadowRoot?.querySelector("svg > rect")?.getAttribute("fill") === "#15191f");
    await assertAccessible(page, "style-dark-view");
    for (const [ground, color] of [["white", "rgb(255, 255, 255)"], ["black", "rgb(0, 0, 0)"], ["page", "rgb(18, 52, 86)"]]) {
      await panel.getByLabel("Background").selectOption(ground);
      if (ground === "page") await panel.getByLabel("Color of your page").fill("#123456");
      await page.waitForFunction((wanted) => {
        const sheet = document.querySelector(".view-paper");
        return sheet && getComputedStyle(sheet).backgroundColor === wanted && sheet.shadowRoot?.querySelector("svg") && !sheet.shadowRoot.querySelector("svg > rect");
      }, color);
    }
    await assertAccessible(page, "style-ground-view");
    // The canvas below the view can still be edited.
    assert.ok(await page.locator("#paper rect[data-row='3']").first().click({ trial: true }).then(() => true));
    await page.getByRole("button", { name: "Close the style panel" }).click();
    await panel.waitFor({ state: "detached" });
    await page.waitForTimeout(300);
  });
  assert.deepEqual(changes, []);
  assert.equal(await page.locator(".view-paper, .view-badge, #color-vision-filter").count(), 0);
  assert.equal(await page.locator("#canvas").evaluate((canvas) => getComputedStyle(canvas).filter), "none");
  assert.deepEqual(await readBarPixel(), original);
  assert.deepEqual(await readDocument(chart), before);
  // Another panel ends a view too, and the button in the badge does.
  await page.locator("#tool-style").click();
  await panel.getByLabel("Color vision").selectOption("tritanopia");
  await page.getByRole("button", { name: "Show it as it is" }).click();
  assert.ok(await page.locator(".view-badge").isHidden());
  await panel.getByLabel("Color vision").selectOption("tritanopia");
  await page.locator("#tool-text").click();
  await page.locator("#panel h2", { hasText: "Text" }).waitFor();
  assert.equal(await page.locator("#canvas").evaluate((canvas) => canvas.style.filter), "");
  assertNoErrors(page);
});

test("a chart on a dark background is shown in the light theme", async () => {
  await openPanel(await createChart({ theme: "dark", count: 2 }));
  await panel.getByRole("switch", { name: "In the theme Light" }).check();
  await page.waitForFunction(() => document.querySelector(".view-paper")?.shadowRoot?.querySelector("svg > rect")?.getAttribute("fill") === "#fff");
});

test("own colors are moved by keys, by the menu and by dragging, and one is reset", async () => {
  const chart = await createChart({ count: 3 });
  await openPanel(chart);
  assert.deepEqual(await panel.locator(".theme-colors .color-name").allTextContents(), SERIES.slice(0, 3));
  await panel.getByRole("button", { name: "Change the colors" }).click();
  const listColors = () => panel.locator(".own-color .color-text").allTextContents();
  await waitForValue(listColors, ["#3f90da", "#ffa90e", "#bd1f01"]);
  await panel.getByRole("button", { name: "Move Color 1" }).focus();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await listColors(), ["#ffa90e", "#3f90da", "#bd1f01"]);
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await listColors(), ["#ffa90e", "#bd1f01", "#3f90da"], "the focus follows the color");
  await panel.getByRole("button", { name: "Actions of Color 3" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  assert.deepEqual(await listColors(), ["#ffa90e", "#3f90da", "#bd1f01"]);
  const [from, to] = [await panel.getByRole("button", { name: "Move Color 3" }).boundingBox(), await panel.getByRole("button", { name: "Move Color 1" }).boundingBox()];
  assert.ok(from && to);
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 8, to.y - 6, { steps: 5 });
  await page.mouse.up();
  assert.deepEqual(await listColors(), ["#bd1f01", "#ffa90e", "#3f90da"]);
  await panel.getByRole("button", { name: "Actions of Color 1" }).click();
  await page.getByRole("menuitem", { name: "Only this one from the theme" }).click();
  assert.deepEqual(await listColors(), ["#3f90da", "#ffa90e", "#3f90da"]);
  await panel.locator(".color-button").first().click();
  const popover = page.getByRole("dialog", { name: "Color 1" });
  await popover.getByLabel("Color as text").fill("#0a7");
  assert.ok(await popover.getByRole("button", { name: "Take a color from the screen" }).isVisible());
  await assertAccessible(page, "style-color-popover");
  await page.keyboard.press("Escape");
  await save();
  assert.deepEqual((await readDocument(chart)).style.custom_colors, ["#0a7", "#ffa90e", "#3f90da"]);
  await panel.getByRole("button", { name: "Use the colors of the theme" }).click();
  await save();
  assert.equal((await readDocument(chart)).style.custom_colors, undefined);
  assertNoErrors(page);
});

test("the eyedropper takes a color from the screen", async () => {
  const chart = await createChart({ style: { custom_colors: ["#3f90da"] }, count: 1 });
  await page.addInitScript(() => {
    window["EyeDropper"] = class {
      open() {
        return window["isRefused"] ? Promise.reject(new DOMException("aborted", "AbortError")) : Promise.resolve({ sRGBHex: "#7a1fa2" });
      }
    };
  });
  await openPanel(chart);
  await panel.locator(".color-button").first().click();
  const dropper = page.getByRole("button", { name: "Take a color from the screen" });
  await page.evaluate(() => (window["isRefused"] = true));
  await dropper.click();
  await page.evaluate(() => (window["isRefused"] = false));
  await dropper.click();
  await page.keyboard.press("Escape");
  await save();
  assert.deepEqual((await readDocument(chart)).style.custom_colors, ["#7a1fa2"]);
  assertNoErrors(page);
});

test("the fonts of the theme are shown, with a link for those who may change it", async () => {
  const { id } = (await callApi(page, "GET", "/user")).orgs.find((org) => org.slug === "acme");
  await callApi(page, "POST", "/orgs/acme/themes", { title: "Hausfarben", colors: ["#7a1fa2", "#00796b"], fonts: { title: { family: "Noto Sans", size: 26 }, body: { family: "Noto Sans", size: 14 } } });
  const chart = await createChart({ owner: id, count: 2 });
  await openPanel(chart);
  assert.equal(await panel.locator(".font-facts").textContent(), "Noto Sans: title 18 pt, text 12 pt");
  await panel.locator(".theme-choices label", { hasText: "Hausfarben" }).click();
  await panel.locator(".font-facts", { hasText: "Noto Sans: title 26 pt, text 14 pt" }).waitFor();
  assert.ok(await panel.locator(".font-sample").evaluate((image) => image.complete && image.naturalWidth > 0));
  assert.equal(await panel.getByRole("link", { name: "Change the fonts of the theme" }).getAttribute("href"), "/orgs/acme/themes/hausfarben");
  await assertAccessible(page, "style-org-theme");
  await save();
  const other = await openPage(chromium, server);
  await signIn(other, { email: "ben@example.org", password: PASSWORD });
  await openPanel(chart, other);
  await other.locator(".font-facts", { hasText: "title 26 pt" }).waitFor();
  assert.equal(await other.getByRole("link", { name: "Change the fonts of the theme" }).count(), 0);
  await other.locator(".fonts .hint", { hasText: "Brand managers" }).waitFor();
  assertNoErrors(other);
  await other.context().close();
});

test("a theme of its own gives the chart its colors and fonts, until another theme is chosen", async () => {
  const own = { colors: ["#7a1fa2", "#00796b", "#c62828"], background_color: "#101418", text_color: "#ffffff", fonts: { title: { family: "Noto Sans", size: 30 }, body: { family: "Noto Sans", size: 11 } } };
  const chart = await createChart({ count: 3, customTheme: own });
  await openPanel(chart);
  assert.equal(await panel.locator(".font-facts").textContent(), "Noto Sans: title 30 pt, text 11 pt");
  await waitForValue(() => panel.locator(".theme-colors .contrast").evaluateAll((texts) => texts.map((text) => text.lastChild?.textContent)), own.colors.map((color) => `${computeContrast(color, "#101418").toFixed(2)} : 1`));
  assert.equal(await panel.locator(".theme-choices :checked").count(), 0);
  await panel.getByText("This chart has a theme of its own").waitFor();
  await panel.locator(".theme-choices label", { hasText: "Light" }).click();
  await panel.locator(".font-facts", { hasText: "title 18 pt" }).waitFor();
  await save();
  const { theme, custom_theme } = await readDocument(chart);
  assert.deepEqual([theme, custom_theme], ["light", null]);
  assertNoErrors(page);
});

test("a color cell of the grid opens the color field, and Escape restores its color", async () => {
  const chart = await createChart({ widget: "bar", table: "Ort;Wert;Farbe\nKöln;1.200,5;#1f77b4\nBonn;800,25;\nTrier;70,1;" });
  const { data } = await readDocument(chart);
  const key = Object.keys(data[0]).find((name) => data[0][name] === "#1f77b4");
  assert.equal(key, "color", JSON.stringify(data[0]));
  await openPanel(chart);
  const cell = (row) => page.locator(`chart-grid [role=row][aria-rowindex="${row + 2}"] .is-color`);
  await cell(1).click();
  await page.keyboard.press("Enter");
  const field = page.getByRole("dialog", { name: /row 2/ });
  await field.getByLabel("Color as text").fill("#d62728");
  await page.waitForFunction(() => document.querySelector("#paper")?.shadowRoot?.querySelector("[data-row='1'][fill='#d62728']"));
  await assertAccessible(page, "style-grid-color");
  await field.getByLabel("Color as text").press("Enter");
  await field.waitFor({ state: "detached" });
  assert.ok(await cell(1).evaluate((element) => element === document.activeElement), "the focus is in the grid again");
  await save();
  assert.equal((await readDocument(chart)).data[1].color, "#d62728");
  // Escape restores the color, and the arrows move on.
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Alt+ArrowDown");
  const first = page.getByRole("dialog", { name: /row 1/ });
  await first.getByRole("button", { name: "Theme color 1" }).click();
  await first.getByLabel("Color as text").press("Escape");
  await first.waitFor({ state: "detached" });
  await save();
  assert.deepEqual((await readDocument(chart)).data.map((record) => record.color), ["#1f77b4", "#d62728", undefined]);
  await page.keyboard.press("ArrowDown");
  // A typed color replaces the cell as in other columns.
  await page.keyboard.type("#2ca02c");
  await page.keyboard.press("Enter");
  await save();
  assert.equal((await readDocument(chart)).data[1].color, "#2ca02c");
  await cell(1).dblclick();
  await page.getByRole("button", { name: "No color" }).click();
  await page.keyboard.press("Escape");
  await save();
  assert.equal((await readDocument(chart)).data[1].color, "#2ca02c", "Escape restores a removed color");
  assertNoErrors(page);
});

test("the panel is accessible in light and dark mode, and fits a phone", async () => {
  const chart = await createChart({ widget: "line" });
  await openPanel(chart);
  await panel.locator(".theme-choices img[src]").nth(5).waitFor();
  await assertAccessible(page, "style-theme-colors");
  await panel.getByRole("button", { name: "Change the colors" }).click();
  await panel.locator(".own-color").nth(6).waitFor();
  await assertAccessible(page, "style-own-colors");
  await page.setViewportSize({ width: 320, height: 700 });
  await assertNoHorizontalScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
