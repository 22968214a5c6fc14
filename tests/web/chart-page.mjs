// Tests of the chart page around the editor: its heading, layout while it loads, leaving it, and revoked embed addresses.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { assertAccessible, assertNoErrors, callApi, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

/** Largest sum of layout shifts of a page that browsers rate as good is 0.1. */
const MAX_LAYOUT_SHIFT = 0.05;

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);

/** Creates a chart with a title. Returns its API path and the address of its page. */
async function createChart(title) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PATCH", path, { title });
  return { path, view: new URL(document_view).pathname };
}

/** Opens the editor of a chart. */
async function openEditor({ view }) {
  await page.goto(view);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("[data-part=title], [data-row]"));
}

/** Whether an element is visible for people who see, unlike a text that is for screen readers only. */
const isShown = (locator) => locator.evaluate((element) => element.getBoundingClientRect().width > 8);

test("the title is a visible heading only if the image does not show it", async () => {
  const chart = await createChart("Shown once");
  await openEditor(chart);
  const heading = page.getByRole("heading", { level: 1 });
  assert.equal(await heading.textContent(), "Shown once");
  assert.equal(await isShown(heading), false);
  await page.getByRole("button", { name: "Edit the title" }).click();
  await page.keyboard.press("Delete");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#name h1")?.textContent === "Untitled");
  assert.equal(await isShown(heading), true);
  await assertAccessible(page, "chart-page-untitled");
  // A chart without a title has no text on the image, so that the field in the panel gets the focus.
  await page.getByRole("button", { name: "Edit the title" }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "title");
  await page.keyboard.type("Again");
  await page.waitForFunction(() => document.title.startsWith("Again"));
  assert.equal(await isShown(heading), false);
  assertNoErrors(page);
});

test("nothing moves while the page of a chart loads, also if the scripts are slow", async () => {
  const chart = await createChart("Stays in place");
  const visitor = await openPage(chromium, server);
  await signIn(visitor, server.welcome.sign_in);
  await visitor.addInitScript(() => {
    window["layoutShift"] = 0;
    new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries())) window["layoutShift"] += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await visitor.route("**/js/page-editor.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await route.continue();
  });
  for (const size of [{ width: 1440, height: 900 }, { width: 1000, height: 800 }, { width: 390, height: 844 }]) {
    await visitor.setViewportSize(size);
    await visitor.goto(chart.view);
    await visitor.locator("chart-grid [role=gridcell]").first().waitFor();
    if (size.width >= 1100) await visitor.locator("#panel").waitFor();
    await visitor.waitForTimeout(300);
    const shift = await visitor.evaluate(() => window["layoutShift"]);
    assert.ok(shift < MAX_LAYOUT_SHIFT, `${shift} at ${size.width} px`);
  }
  await visitor.context().close();
});

test("a panel and the image are visible together in windows of all sizes", async () => {
  const chart = await createChart("Seen together");
  for (const [width, height] of [[1440, 900], [1024, 768], [768, 1024], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await openEditor(chart);
    for (const name of ["style", "history"]) {
      if (await page.locator(`#tool-${name}`).isVisible()) await page.locator(`#tool-${name}`).click();
      else {
        await page.locator("#tool-more").click();
        await page.getByRole("menuitem", { name: "History" }).click();
      }
      await page.locator("#panel h2").waitFor();
      await page.waitForFunction(() => document.activeElement?.id === "panel-title");
      const [canvas, panel] = await Promise.all(["#canvas", "#panel"].map((selector) => page.locator(selector).boundingBox()));
      const message = `${name} at ${width} px: ${JSON.stringify({ canvas, panel })}`;
      assert.ok(canvas.y >= 52 && canvas.y + canvas.height <= height && canvas.x >= 0 && canvas.x + canvas.width <= width, message);
      assert.ok(panel.y >= 52 && panel.y + Math.min(panel.height, 240) <= height && panel.x + panel.width <= width, message);
      const isBeside = panel.x >= canvas.x + canvas.width;
      assert.ok(isBeside || panel.y >= canvas.y + canvas.height, message);
      assert.equal(isBeside, width >= 960, message);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  assertNoErrors(page);
});

test("the tools of the editor take one row, on a phone two, and the menu has the others", async () => {
  const chart = await createChart("Few rows");
  const storageState = await page.context().storageState();
  for (const [locale, more] of [["en-GB", "More actions"], ["de-AT", "Weitere Aktionen"]]) {
    const visitor = await openPage(chromium, server, { storageState, locale });
    for (const [width, rows] of [[1440, 1], [1280, 1], [1024, 1], [768, 1], [390, 2]]) {
      await visitor.setViewportSize({ width, height: 844 });
      await visitor.goto(chart.view);
      await visitor.locator("#tool-undo, .editor-tools").first().waitFor();
      const [names, tools] = await Promise.all([".chart-names", "#tools"].map((selector) => visitor.locator(selector).boundingBox()));
      assert.equal(Math.round((tools.height + 8) / 42), rows, `${locale} at ${width} px: ${tools.height} px high`);
      if (width >= 1280) assert.ok(tools.y < names.y + names.height, `${locale} at ${width} px: the tools are below the names`);
    }
    await visitor.getByRole("button", { name: more }).click();
    await visitor.getByRole("menuitem").first().waitFor();
    const items = await visitor.getByRole("menuitem").allInnerTexts();
    assert.deepEqual(items.slice(0, 3), locale === "en-GB" ? ["History", "Present", "Cast"] : ["Verlauf", "Präsentieren", "Bildschirm"]);
    assertNoErrors(visitor);
    await visitor.context().close();
  }
});

test("a longer time of the last change moves nothing", async () => {
  const chart = await createChart("Steady");
  await openEditor(chart);
  const readTop = () => page.locator("#body").evaluate((element) => element.getBoundingClientRect().top);
  const top = await readTop();
  await page.locator("#changed").evaluate((element) => (element.textContent = "on Wednesday, 30 September 2026, 23:59"));
  assert.equal(await readTop(), top);
});

test("the commands of the data take one row beside a panel, on a phone two, and a failed save moves nothing", async () => {
  const chart = await createChart("Narrow");
  const visitor = await openPage(chromium, server, { storageState: await page.context().storageState(), locale: "de-AT", viewport: { width: 1024, height: 768 } });
  await visitor.route("**/documents/*", (route) => (route.request().method() === "PUT" ? route.abort() : route.continue()));
  for (const [width, rows] of [[1024, 1], [390, 2]]) {
    await visitor.setViewportSize({ width, height: 768 });
    await visitor.goto(chart.view);
    await visitor.locator("chart-grid [role=gridcell]").first().waitFor();
    await visitor.locator("#tool-settings").click();
    await visitor.locator("#panel h2").waitFor();
    const tops = await visitor.locator(".data-tools button:visible").evaluateAll((buttons) => new Set(buttons.map((button) => button.getBoundingClientRect().top)).size);
    assert.equal(tops, rows, `${width} px`);
    await visitor.locator("#tool-settings").click();
    await visitor.evaluate(() => scrollTo(0, 0));
    const readTop = () => visitor.locator("#body").evaluate((element) => element.getBoundingClientRect().top + scrollY);
    const top = await readTop();
    await visitor.locator("chart-grid [role=gridcell]").nth(1).click();
    await visitor.keyboard.type(String(width));
    await visitor.keyboard.press("Enter");
    await visitor.locator(".save-state", { hasText: "Offline" }).waitFor();
    assert.ok(Math.abs((await readTop()) - top) < 1, `${width} px: from ${top} to ${await readTop()}`);
  }
  await visitor.context().close();
});

test("a phone shows rows below the strip of a paste, and a previewed version of the list", async () => {
  const chart = await createChart("On a phone");
  await callApi(page, "PUT", `${chart.path}/data`, [{ label: "First", value: 1 }]);
  const phone = await openPage(chromium, server, { storageState: await page.context().storageState(), viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: "de-AT", permissions: ["clipboard-read", "clipboard-write"] });
  await phone.goto(chart.view);
  await phone.locator("chart-grid [role=gridcell]").first().click();
  await phone.evaluate(() => navigator.clipboard.writeText("Monat\tÖsterreich (€/MWh)\tDeutschland (€/MWh)\nJänner\t77,4\t76,6\nFebruar\t63,1\t61,3\nMärz\t64\t62"));
  await phone.keyboard.press("Control+v");
  const strip = phone.locator(".data-strip:visible", { hasText: "3 Zeilen" });
  await strip.waitFor();
  await phone.locator("chart-grid [role=row][aria-rowindex='2']").waitFor();
  const scroller = await phone.locator("chart-grid .grid-scroller").boundingBox();
  assert.ok(scroller.height >= 120, `${scroller.height} px of data`);
  await phone.keyboard.press("Control+s");
  await phone.locator(".save-state", { hasText: /^Gespeichert$/ }).waitFor();
  await phone.locator("#tool-more").click();
  await phone.getByRole("menuitem", { name: "Verlauf" }).click();
  const oldest = phone.locator("#panel .version-button").last();
  await oldest.waitFor();
  await phone.locator("#data").scrollIntoViewIfNeeded();
  await oldest.click();
  await phone.locator("#preview").waitFor();
  await phone.waitForFunction(() => {
    const { top, bottom } = document.querySelector("#canvas").getBoundingClientRect();
    return top >= 52 && bottom <= innerHeight;
  });
  await phone.context().close();
});

test("a comment that is begun before the page has loaded gets its hint and the focus afterwards", async () => {
  const chart = await createChart("Slow network");
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(undefined)));
  await page.route(`**/api/v1${chart.path}*`, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(chart.view);
  await page.locator("#tool-export").waitFor();
  await page.keyboard.press("c");
  await page.locator("#panel h2", { hasText: "Comments" }).waitFor();
  release();
  await page.waitForFunction(() => document.activeElement?.closest(".stage-hint"));
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "New comment" }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
  assertNoErrors(page);
});

test("the library shows a title that was typed right before", async () => {
  const chart = await createChart("Old name");
  await openEditor(chart);
  for (const [index, leave] of [
    () => page.getByRole("link", { name: "Chartroom" }).click(),
    () => page.evaluate(() => location.assign("/")),
  ].entries()) {
    if (index) await openEditor(chart);
    await page.getByRole("button", { name: "Edit the title" }).click();
    await page.keyboard.type(`New name ${index}`);
    await leave();
    await page.waitForURL("**/");
    await page.getByText("Old name").waitFor({ state: "hidden" });
    assert.equal(await page.locator("li.chart", { hasText: `New name ${index}` }).count(), 1);
    assert.equal((await callApi(page, "GET", chart.path)).title, `New name ${index}`);
  }
  assertNoErrors(page);
});

test("a page that cannot be saved is left after a moment", async () => {
  const chart = await createChart("Slow server");
  await openEditor(chart);
  await page.route("**/documents/*", (route) => (route.request().method() === "PUT" ? undefined : route.continue()));
  await page.getByRole("button", { name: "Edit the title" }).click();
  await page.keyboard.type("Late");
  const start = performance.now();
  await page.getByRole("link", { name: "Chartroom" }).click();
  await page.waitForURL("**/");
  assert.ok(performance.now() - start < 4000);
  await page.unroute("**/documents/*");
});

test("the page of an unknown path shows the account of the user", async () => {
  const response = await page.goto("/no/such/page");
  assert.equal(response?.status(), 404);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await page.getByRole("button", { name: "Account of Ann Archer" }).waitFor();
  await assertAccessible(page, "unknown-page");
  const guest = await openPage(chromium, server);
  assert.equal((await guest.goto("/no/such/page"))?.status(), 404);
  await guest.getByRole("link", { name: "Sign in" }).waitFor();
  assert.equal((await guest.request.get("/api/v1/no-such-route")).headers()["content-type"], "application/problem+json");
  assert.equal((await guest.request.post("/no/such/page")).status(), 404);
  await guest.context().close();
});

test("a revoked embed address says in its frame that the chart is no longer shared", async () => {
  const chart = await createChart("Embedded");
  const [, , owner, , document] = chart.path.split("/");
  const { link } = await callApi(page, "POST", "/share", { owner, document, mode: "r" });
  const token = new URL(link).pathname.split("/").at(-1);
  const address = `${server.baseUrl}/embed/${document}?share=${token}`;
  const site = createServer((_, outgoing) => {
    outgoing.setHeader("content-type", "text/html");
    outgoing.end(`<!doctype html><html lang="en"><title>Site</title><link rel="icon" href="data:,"><iframe src="${address}" title="Chart" width="320" height="120"></iframe>`);
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (site.address());
  const visitor = await openPage(chromium, server);
  await visitor.goto(`http://127.0.0.1:${port}/`);
  await visitor.frameLocator("iframe").locator(".picture svg").waitFor();
  const { acl } = await callApi(page, "GET", chart.path);
  await callApi(page, "DELETE", "/share", { owner, document, link: acl[0].link });
  await visitor.goto(`http://127.0.0.1:${port}/again`);
  await visitor.frameLocator("iframe").getByText("This chart is no longer shared.").waitFor();
  const [, frame] = visitor.frames();
  const overflow = await frame.evaluate(() => [document.documentElement.scrollHeight - innerHeight, document.documentElement.scrollWidth - innerWidth]);
  assert.ok(overflow.every((value) => value <= 0), overflow.join(" "));
  await assertAccessible(visitor, "embed-revoked");
  await visitor.context().close();
  site.close();
});

test("Tab moves by cell in the data grid if the account menu says so", async () => {
  const chart = await createChart("Tab");
  await openEditor(chart);
  const readCell = () => page.evaluate(() => {
    const cell = document.activeElement?.closest("[role=gridcell]") ?? document.querySelector("chart-grid [role=gridcell][aria-selected=true]");
    return document.activeElement?.closest("chart-grid") ? [Number(cell?.closest("[role=row]")?.getAttribute("aria-rowindex")), Number(cell?.getAttribute("aria-colindex"))].join(" ") : "outside";
  });
  const clickFirst = () => page.locator("chart-grid [role=row][aria-rowindex='2'] [role=gridcell]").first().click();
  await clickFirst();
  const first = await readCell();
  await page.keyboard.press("Tab");
  assert.equal(await readCell(), "outside");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("switch", { name: "Tab moves by cell in the data grid" }).check();
  await page.keyboard.press("Escape");
  await page.reload();
  await openEditor(chart);
  await clickFirst();
  assert.equal(await readCell(), first);
  const columns = await page.locator("chart-grid [role=columnheader]").count();
  const visited = [];
  for (let press = 0; press < columns; press += 1) {
    await page.keyboard.press("Tab");
    visited.push(await readCell());
  }
  assert.ok(visited.every((cell) => cell !== "outside") && new Set(visited).size === visited.length, visited.join(", "));
  assert.ok(visited.at(-1)?.startsWith("3 "), visited.join(", "));
  await page.keyboard.press("Shift+Tab");
  assert.equal(await readCell(), visited.at(-2));
  // Before the first cell, Tab leaves the grid.
  await clickFirst();
  await page.keyboard.press("Shift+Tab");
  assert.equal(await readCell(), "outside");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("switch", { name: "Tab moves by cell in the data grid" }).uncheck();
  await page.keyboard.press("Escape");
  await clickFirst();
  await page.keyboard.press("Tab");
  assert.equal(await readCell(), "outside");
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
