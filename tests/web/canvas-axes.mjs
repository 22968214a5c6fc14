// Tests of the handles at the ends of value axes in a browser.

import assert from "node:assert/strict";
import { assertUndone, chromium, cleanUp, createChart, drag, findPoint, openEditor, page, readDocument, server, waitForState } from "./canvas-driver.mjs";
import { assertAccessible, assertNoErrors, openPage, runTests, test } from "./lib.mjs";

const DATA = ["Jan", "Feb", "Mar", "Apr"].map((label, row) => ({ label, value: 52 + 13 * row }));
const start = page.getByRole("slider", { name: "Start of the value axis" });
const end = page.getByRole("slider", { name: "End of the value axis" });

/** Returns the ends of the drawn axis of a setting. */
const readEnds = (setting = "axis") =>
  page.evaluate((name) => document.querySelector(".paper").shadowRoot.querySelector(`[data-part=axis][data-setting="${name}"]`).getAttribute("data-domain").split(" ").map(Number), setting);

/** Waits until the picture has an axis with an end. */
const waitForEnd = (index, value, setting = "axis") =>
  page.waitForFunction(([index, value, name]) => Number(document.querySelector(".paper").shadowRoot.querySelector(`[data-part=axis][data-setting="${name}"]`)?.getAttribute("data-domain").split(" ")[index]) === value, [index, value, setting]);

async function findCenter(locator) {
  const box = await locator.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function save(chart) {
  await page.locator(".draw-progress").waitFor({ state: "hidden" });
  await page.keyboard.press("Control+s");
  await waitForState("Saved");
  return (await readDocument(chart)).settings.axis ?? null;
}

test("the ends of an axis are dragged to round values and to an automatic place", async () => {
  const chart = await createChart("Axis", { widget: "line", data: DATA });
  const before = await readDocument(chart);
  await openEditor(chart);
  await start.waitFor({ state: "attached" });
  const [low, high] = await readEnds();
  assert.equal(await end.getAttribute("aria-valuetext"), `Automatic, ${high}`);
  assert.equal(await end.getAttribute("aria-orientation"), "vertical");
  const [bottom, top] = [await findCenter(start), await findCenter(end)];
  assert.ok(bottom.y > top.y + 100, "the end is above the start");
  // A quarter of the axis downwards, while the picture follows.
  const target = high - (high - low) / 4;
  await drag(top, { x: top.x, y: top.y + (bottom.y - top.y) / 4 }, { beforeDrop: () => page.locator(".axis-handle.dragged .axis-tip").waitFor() });
  const { max } = await save(chart);
  assert.ok(Math.abs(max - target) <= (high - low) / 40, `${max} is near ${target}`);
  assert.equal(max, Number(max.toPrecision(3)), "a round value");
  await waitForEnd(1, max);
  assert.ok(Math.abs((await findCenter(end)).y - top.y) < 12, "the handle is at the end of the new axis");
  assert.equal(await end.getAttribute("aria-valuetext"), String(max));
  await assertAccessible(page, "canvas-axes");

  await drag(await findCenter(start), { x: bottom.x, y: bottom.y - 60 }, { beforeDrop: () => page.keyboard.press("Escape") });
  assert.equal((await save(chart)).min, undefined, "Escape restores the start");

  const above = await findPoint(0, 0);
  await drag(await findCenter(end), { x: top.x, y: above.y - 12 }, { beforeDrop: () => page.locator(".axis-tip", { hasText: "Automatic" }).first().waitFor() });
  assert.equal((await save(chart))?.max, undefined);
  await waitForEnd(1, high);
  await assertUndone(chart, before);
  assertNoErrors(page);
});

test("the ends of an axis are moved by keys", async () => {
  const chart = await createChart("Axis keys", { widget: "line", data: DATA });
  await openEditor(chart);
  const [low] = await readEnds();
  await start.focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((value) => Number(document.querySelector("[aria-label='Start of the value axis']").getAttribute("aria-valuenow")) < value, low);
  const { min } = await save(chart);
  assert.ok(min < low);
  await start.focus();
  await page.keyboard.press("Shift+ArrowUp");
  const raised = (await save(chart)).min;
  assert.ok(raised > min + 9 * (low - min), `${raised} is ten steps above ${min}`);
  await start.focus();
  await page.keyboard.press("Delete");
  assert.equal((await save(chart))?.min, undefined);
  await waitForEnd(0, low);
  assertNoErrors(page);
});

test("the axis of columns cannot cut them off, and a horizontal axis has handles too", async () => {
  const columns = await createChart("Columns", { widget: "stacked-column", data: DATA, settings: { showGrid: true } });
  await openEditor(columns);
  const high = (await readEnds())[1];
  const [bottom, top] = [await findCenter(start), await findCenter(end)];
  await drag(top, { x: top.x, y: (top.y + bottom.y) / 2 });
  const { max } = await save(columns);
  assert.equal(max, 91, "the largest value");
  await waitForEnd(1, 91);
  assert.ok(high > 91);

  const points = DATA.map((_, row) => ({ label: `P${row}`, x: 30 + 20 * row, y: 5 + row }));
  const scatter = await createChart("Points", { widget: "scatter", data: points });
  await openEditor(scatter);
  const [, right] = await readEnds("xAxis");
  // The handles at the common corner do not cover each other.
  await assertAccessible(page, "canvas-axes-corner");
  const [before] = await readEnds();
  const corner = await findCenter(start);
  await drag(corner, { x: corner.x, y: corner.y - 60 });
  await page.waitForFunction((value) => Number(document.querySelector("[aria-label='Start of the value axis']").getAttribute("aria-valuenow")) > value, before);
  assert.ok((await save(scatter)).min > before);
  const xEnd = page.getByRole("slider", { name: "End of the x axis" });
  assert.equal(await xEnd.getAttribute("aria-orientation"), "horizontal");
  await xEnd.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((value) => Number(document.querySelector("[aria-label='End of the x axis']").getAttribute("aria-valuenow")) > value, right);
  await save(scatter);
  assert.ok((await readDocument(scatter)).settings.xAxis.max > right);
  assertNoErrors(page);
});

test("the handles of another chart kind follow its axis", async () => {
  const chart = await createChart("Another kind", { widget: "line", data: DATA });
  await openEditor(chart);
  await start.waitFor({ state: "attached" });
  await page.locator("#change-kind").click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("searchbox").fill("area");
  await dialog.locator(".kind-choice[data-kind=area]").click();
  await page.locator(".kind-row", { hasText: "Area graph" }).waitFor();
  await page.locator(".draw-progress").waitFor({ state: "hidden" });
  await end.focus();
  const before = Number(await end.getAttribute("aria-valuenow"));
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((value) => Number(document.querySelector("[aria-label='End of the value axis']").getAttribute("aria-valuenow")) > value, before);
  assert.ok((await save(chart)).max > before);
  assertNoErrors(page);
});

test("the handles cover no labels, and a phone without a mouse has none", async () => {
  const months = ["January", "February", "March", "April"].map((label, row) => ({ label, value: 12 + 20 * row }));
  for (const widget of ["line", "stacked-column", "bar"]) {
    const chart = await createChart("Uncovered labels", { widget, data: months, settings: { showGrid: true } });
    await openEditor(chart);
    await end.waitFor({ state: "attached" });
    const covered = await page.evaluate(() => {
      const dots = [...document.querySelectorAll(".axis-handle")].map((handle) => {
        const { insetInlineStart, insetBlockStart, width, height } = getComputedStyle(handle, "::before");
        const box = handle.getBoundingClientRect();
        return new DOMRect(box.left + parseFloat(insetInlineStart), box.top + parseFloat(insetBlockStart), parseFloat(width), parseFloat(height));
      });
      const texts = [...document.querySelector(".paper").shadowRoot.querySelectorAll("text")];
      return texts.filter((text) => {
        const label = text.getBoundingClientRect();
        return dots.some((dot) => dot.left < label.right && label.left < dot.right && dot.top < label.bottom && label.top < dot.bottom);
      }).map((text) => text.textContent);
    });
    assert.deepEqual(covered, [], widget);
  }
  const phone = await openPage(chromium, server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, storageState: await page.context().storageState() });
  await openEditor(await createChart("Small", { widget: "line", data: months }), phone);
  await phone.locator("#tool-style").tap();
  await phone.locator("#panel h2").waitFor();
  assert.equal(await phone.locator(".axis-handle:visible, .margin-grip:visible").count(), 0);
  await phone.context().close();
  assertNoErrors(page);
});

await runTests(cleanUp);
