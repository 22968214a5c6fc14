// Tests of margins, marks and labels on the canvas in a browser.

import assert from "node:assert/strict";
import { assertUndone, cleanUp, click, createChart, drag, findMiddle, findPoint, openEditor, page, readDocument, waitForState } from "./canvas-driver.mjs";
import { assertAccessible, assertNoErrors, runTests, test } from "./lib.mjs";

test("marks of a picture with thousands of them are joined, and still select their records", async () => {
  const data = Array.from({ length: 1200 }, (_, row) => ({ label: `Day ${row}`, a: 20 + (row % 7), b: 10 + (row % 11), c: 5 + (row % 3) }));
  const chart = await createChart("Many columns", { widget: "grouped-column", data });
  await openEditor(chart);
  const root = await page.evaluateHandle(() => document.querySelector(".paper").shadowRoot);
  const count = (selector) => root.evaluate((shadow, text) => shadow.querySelectorAll(text).length, selector);
  assert.ok((await count("*")) < 500, `${await count("*")} elements`);
  const paths = await count("[data-rows]");
  assert.ok(paths >= 3, `${paths} joined paths`);

  // The column of record 300 in the second series.
  const place = await root.evaluate((shadow) => {
    const fields = [...new Set([...shadow.querySelectorAll("[data-rows]")].map((element) => element.getAttribute("data-field")))];
    const path = [...shadow.querySelectorAll(`[data-rows][data-field="${fields[1]}"]`)].find((element) => element.getAttribute("data-rows").split(" ").some((part) => Number(part.split("-")[0]) <= 300 && Number(part.split("-").at(-1)) >= 300));
    const index = 300 - Number(path.getAttribute("data-rows").split("-")[0]);
    const [x, y, width, height] = path.getAttribute("d").split(/(?=M)/)[index].match(/-?[\d.]+/g).map(Number);
    const point = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(path.getScreenCTM());
    return { x: point.x, y: point.y, field: path.getAttribute("data-field") };
  });
  await click(place);
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.querySelector("[data-selected]"));
  const selected = await root.evaluate((shadow) => [...shadow.querySelectorAll("[data-selected]")].map((element) => [element.getAttribute("data-row"), element.getAttribute("data-field")]));
  const row = selected[0][0];
  assert.ok(Math.abs(Number(row) - 300) <= 1, `row ${row}`);
  assert.ok(selected.some(([, field]) => field === place.field), JSON.stringify(selected));
  assert.deepEqual(new Set(selected.map(([other]) => other)), new Set([row]));
  const cell = page.locator("chart-grid [role=gridcell][aria-selected=true]").first();
  assert.equal(await cell.evaluate((element) => element.closest("[role=row]").getAttribute("aria-rowindex")), String(Number(row) + 2));
  assert.equal(await count("[data-rows]"), paths, "the others stay joined");
  assertNoErrors(page);
});

test("margins are dragged with steps and an automatic place, and moved by keys", async () => {
  const chart = await createChart("Margins");
  const before = await readDocument(chart);
  await openEditor(chart);
  assert.ok(await page.locator(".margin-handles").isHidden());
  await page.locator("#tool-style").click();
  const left = page.getByRole("slider", { name: "Left margin" });
  await left.waitFor();
  assert.equal(await left.getAttribute("aria-valuetext"), "Automatic, 24 points");
  await assertAccessible(page, "canvas-margins");
  const middle = async (locator) => {
    const box = await locator.boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const start = await middle(left);
  await drag(start, { ...start, x: (await findPoint(61, 0)).x }, { beforeDrop: () => page.locator(".margin-tip", { hasText: "60 pt" }).waitFor() });
  assert.equal(await page.locator("#panel [name='style.margin.left']").inputValue(), "60");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).style.margin.left, 60);
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.querySelector("[data-part=title]")?.getAttribute("x") === "60");
  const at60 = await middle(left);
  assert.ok(Math.abs(at60.x - (await findPoint(60, 0)).x) < 1.5, "the handle is at the margin");

  await drag(at60, { ...at60, x: at60.x + 40 }, { beforeDrop: () => page.keyboard.press("Escape") });
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).style.margin.left, 60, "Escape restores the margin");

  await drag(at60, { ...at60, x: (await findPoint(25, 0)).x }, { beforeDrop: () => page.locator(".margin-tip", { hasText: "Automatic" }).first().waitFor() });
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).style.margin?.left ?? null, null);
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.querySelector("[data-part=title]")?.getAttribute("x") === "24");

  const top = page.getByRole("slider", { name: "Top margin" });
  await top.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("ArrowUp");
  assert.equal(await top.getAttribute("aria-valuenow"), "34");
  await page.keyboard.press("Delete");
  assert.equal(await top.getAttribute("aria-valuetext"), "Automatic, 24 points");
  await page.locator("#tool-style").click();
  await page.locator(".margin-handles").waitFor({ state: "hidden" });
  // The edge of the page shows the handles too.
  const edge = await findPoint(715, 300);
  await click(edge);
  await left.waitFor();
  await click(await findPoint(600, 350));
  await page.locator(".margin-handles").waitFor({ state: "hidden" });
  await assertUndone(chart, before);
  assertNoErrors(page);
});

test("a panel that loads slowly does not take the focus from an element that was focused meanwhile", async () => {
  const chart = await createChart("Slow panel");
  await page.route("**/js/panel-style.js*", (route) => setTimeout(() => route.continue(), 800));
  await openEditor(chart);
  await page.locator("#tool-style").click();
  await page.locator("#canvas").focus();
  await page.locator("#panel h2", { hasText: "Style" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "canvas");
  await page.unroute("**/js/panel-style.js*");
  await page.locator("#tool-text").click();
  await page.locator("#panel h2:focus", { hasText: "Text" }).waitFor();
  assertNoErrors(page);
});

test("a pressed mark shows a bar with the colors that its chart kind uses", async () => {
  const chart = await createChart("Bar of a mark");
  const before = await readDocument(chart);
  await openEditor(chart);
  await click(await findMiddle({ row: 1 }));
  const bar = page.locator(".mark-bar");
  await bar.waitFor();
  assert.equal(await bar.getAttribute("aria-label"), "Mark: South, value 80");
  await assertAccessible(page, "canvas-mark");
  await bar.getByRole("button", { name: /^Color, only this one/ }).click();
  await page.getByRole("textbox", { name: "Color as text" }).fill("#b1479b");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.querySelector("[data-row='1'][fill='#b1479b']"));
  assert.equal(await page.evaluate(() => document.querySelector(".paper").shadowRoot.querySelector("rect[data-row='0']").getAttribute("fill") !== "#b1479b"), true);
  await bar.getByRole("button", { name: "Highlight" }).click();
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.deepEqual((await readDocument(chart)).data[1], { label: "South", value: 80, color: "#b1479b", highlighted: true });
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await assertUndone(chart, before);

  const grouped = await createChart("Series", { widget: "grouped-column", data: [{ label: "A", x: 3, y: 4 }, { label: "B", x: 5, y: 2 }], settings: { series: [] } });
  await openEditor(grouped);
  await page.evaluate(() => 0);
  const mark = await page.evaluate(() => {
    const box = document.querySelector(".paper").shadowRoot.querySelector("rect[data-row='1'][data-field='y']").getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
  await click(mark);
  await bar.waitFor();
  assert.equal(await bar.getByRole("button", { name: /^Color, only this one/ }).count(), 0, "grouped columns have no color of a record");
  await bar.getByRole("button", { name: /^Color, whole series y/ }).click();
  await page.getByRole("textbox", { name: "Color as text" }).fill("#1e9e78");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.querySelectorAll("rect[data-field='y'][fill='#1e9e78']").length === 2);
  await bar.getByRole("button", { name: "Series settings" }).click();
  await page.locator("#panel .settings-form").waitFor();
  await page.waitForFunction(() => document.activeElement?.closest("#panel .list-card")?.querySelector(".card-title")?.textContent === "y");
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.deepEqual((await readDocument(grouped)).settings.series.map(({ key, color }) => [key, color]), [["x", undefined], ["y", "#1e9e78"]]);
  assertNoErrors(page);
});

test("a pressed mark scrolls the open settings to its series, and its bar hides the values", async () => {
  const fields = Array.from({ length: 12 }, (_, index) => `s${index + 1}`);
  const data = ["A", "B"].map((label, row) => ({ label, ...Object.fromEntries(fields.map((field, index) => [field, index + row + 2])) }));
  const chart = await createChart("Many series", { widget: "grouped-column", data, settings: { series: fields.map((key) => ({ key, title: key })) } });
  await openEditor(chart);
  await page.locator("#panel .settings-form").waitFor();
  const readVisible = () => page.evaluate(() => {
    const panel = document.querySelector("#panel").getBoundingClientRect();
    const inside = (element) => element.getBoundingClientRect().top >= panel.top - 1 && element.getBoundingClientRect().bottom <= Math.min(panel.bottom, innerHeight) + 1;
    return [...document.querySelectorAll("#panel .list-card.is-current")].filter((element) => element.checkVisibility() && inside(element)).map((element) => element.querySelector(".card-title").textContent);
  });
  const mark = await page.evaluate(() => {
    const box = document.querySelector(".paper").shadowRoot.querySelector("rect[data-row='1'][data-field='s12']").getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.bottom - 4 };
  });
  await click(mark);
  await page.locator(".mark-bar").waitFor();
  assert.deepEqual(await readVisible(), ["s12"]);
  assert.equal(await page.evaluate(() => document.querySelector("#panel").contains(document.activeElement)), false);
  const values = page.locator(".mark-bar").getByRole("button", { name: "Values" });
  const wasShown = (await values.getAttribute("aria-pressed")) === "true";
  await values.click();
  assert.equal(await values.getAttribute("aria-pressed"), String(!wasShown));
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.equal((await readDocument(chart)).settings.showValues, !wasShown);
  assertNoErrors(page);
});

test("the bar of a mark covers no marks, and a panel or a dialog closes it", async () => {
  const data = ["A", "B", "C", "D", "E"].map((label, index) => ({ label, x: 30 - 5 * index, y: 20 + index }));
  const chart = await createChart("Uncovered", { widget: "stacked-column", data, settings: { series: [] } });
  const bar = page.locator(".mark-bar");
  for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await openEditor(chart);
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    for (const [selector, name] of [["#tool-style", "panel"], ["#tool-export", "dialog"]]) {
      const mark = await page.evaluate(() => document.querySelector(".paper").shadowRoot.querySelector("rect[data-row='2'][data-field='x']").getBoundingClientRect().toJSON());
      await click({ x: mark.left + mark.width / 2, y: mark.top + mark.height / 2 });
      await bar.waitFor();
      const covered = await bar.evaluate((element) => {
        const box = element.getBoundingClientRect();
        const overlaps = (/** @type {DOMRect} */ other) => other.left < box.right && box.left < other.right && other.top < box.bottom && box.top < other.bottom;
        const marks = [...document.querySelector(".paper").shadowRoot.querySelectorAll("[data-row]:not(text)")];
        const gaps = [...element.querySelectorAll(".bar-label")].map((label) => label.nextElementSibling.getBoundingClientRect().left - label.getBoundingClientRect().right);
        return { marks: marks.filter((part) => overlaps(part.getBoundingClientRect())).length, gap: Math.min(...gaps), isInside: box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth };
      });
      assert.deepEqual({ ...covered, gap: covered.gap >= 8 }, { marks: 0, gap: true, isInside: true }, `${name} at ${width} px`);
      await page.locator(selector).click();
      await page.locator(name === "panel" ? "#panel h2" : "dialog[open]").waitFor();
      await bar.waitFor({ state: "detached" });
      await (name === "panel" ? page.locator(selector).click() : page.keyboard.press("Escape"));
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  assertNoErrors(page);
});

test("the bar of a mark stays in the window of a scrolled page, below its header", async () => {
  const data = ["A", "B", "C"].map((label, index) => ({ label, x: 30 - 5 * index, y: 20 + index }));
  const chart = await createChart("Scrolled", { widget: "stacked-column", data, settings: { series: [] } });
  const bar = page.locator(".mark-bar");
  for (const [width, height] of [[1200, 700], [900, 700], [660, 700]]) {
    await page.setViewportSize({ width, height });
    await openEditor(chart);
    const findMark = () => page.evaluate(() => document.querySelector(".paper").shadowRoot.querySelector("rect[data-row='1'][data-field='x']").getBoundingClientRect().toJSON());
    const top = (await findMark()).top;
    await page.evaluate((distance) => window.scrollBy({ top: distance, behavior: "instant" }), top - 120);
    const mark = await findMark();
    await click({ x: mark.left + mark.width / 2, y: mark.bottom - 4 });
    await bar.waitFor();
    const boxes = await bar.evaluate((element) => {
      const box = element.getBoundingClientRect();
      const header = document.querySelector("header.bar").getBoundingClientRect();
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + 3);
      return { isBelowHeader: box.top >= header.bottom, isInside: box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight, isOnTop: element.contains(top) };
    });
    assert.deepEqual(boxes, { isBelowHeader: true, isInside: true, isOnTop: true }, `at ${width} px`);
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
    if (width >= 960) continue;
    const part = await page.evaluate(() => document.querySelector(".paper").shadowRoot.querySelector("rect[data-row='1'][data-field='x']").getBoundingClientRect().toJSON());
    await click({ x: part.left + part.width / 2, y: part.top + 4 });
    await bar.waitFor();
    const coversPaper = await bar.evaluate((element) => element.getBoundingClientRect().top < document.querySelector(".paper").getBoundingClientRect().top + 80);
    assert.equal(coversPaper, false, `covers the title at ${width} px`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  assertNoErrors(page);
});

test("a double press on a label edits its cell", async () => {
  const chart = await createChart("Labels");
  const before = await readDocument(chart);
  await openEditor(chart);
  const label = await page.evaluate(() => {
    const text = [...document.querySelector(".paper").shadowRoot.querySelectorAll("text")].find((element) => element.textContent === "West");
    const box = text.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
  await page.mouse.dblclick(label.x, label.y);
  const field = page.getByRole("textbox", { name: "Label", exact: true });
  await field.waitFor();
  await page.keyboard.type("Far west");
  await assertAccessible(page, "canvas-label");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.textContent.includes("Far west"));
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  assert.deepEqual((await readDocument(chart)).data[2], { label: "Far west", value: 45 });
  await assertUndone(chart, before);
  assertNoErrors(page);
});

await runTests(cleanUp);
