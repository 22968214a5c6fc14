// Tests of notes on the canvas in a browser: placed and changed by mouse, keyboard and touch.

import assert from "node:assert/strict";
import { assertUndone, choose, chromium, cleanUp, click, createChart, drag, findMiddle, findPoint, openEditor, page, PASSWORD, readDocument, saveNotes, server, waitForNoField, waitForNote } from "./canvas-driver.mjs";
import { assertAccessible, assertNoErrors, assertNoHorizontalScroll, openPage, runTests, signIn, test } from "./lib.mjs";

test("each type of note is placed with the mouse, and undo restores the document", async () => {
  const chart = await createChart("Mouse");
  const before = await readDocument(chart);
  await openEditor(chart);

  await choose("Text");
  await click(await findMiddle({ row: 1 }));
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.type("Fell since May");
  await page.keyboard.press("Enter");
  await choose("Text");
  await click(await findPoint(500, 250));
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.press("Enter");
  await choose("Arrow");
  await drag(await findPoint(560, 300), await findMiddle({ row: 2 }));
  await choose("Line");
  await drag(await findMiddle({ row: 0, share: 0.3 }), await findMiddle({ row: 1, share: 0.3 }));
  await choose("Box");
  await drag(await findPoint(400, 300), await findPoint(520, 360));
  await choose("Shaded span");
  await drag(await findMiddle({ row: 1 }), await findMiddle({ row: 2 }));
  await choose("Difference");
  await click(await findMiddle({ row: 0 }));
  await page.locator(".note-hint", { hasText: "Choose the end" }).waitFor();
  await click(await findMiddle({ row: 3 }));

  const notes = await saveNotes(chart);
  const [anchored, free, arrow, line, box, span, difference] = notes;
  assert.equal(notes.length, 7);
  assert.deepEqual(anchored, { type: "text", text: "Fell since May", anchor: { row: 1, field: "value" } });
  assert.equal(free.text, "Note");
  assert.ok(Math.abs(free.position.x - 500) < 1 && Math.abs(free.position.y - 250) < 1, JSON.stringify(free));
  assert.deepEqual(arrow.anchor, { row: 2, field: "value" });
  assert.ok(arrow.offset.x > 50 && arrow.offset.y > 10, JSON.stringify(arrow));
  assert.deepEqual(line, { type: "line", text: "", anchor: { row: 0, field: "value" }, to: { row: 1, field: "value" } });
  assert.ok(Math.abs(box.position.x - 400) < 1 && Math.abs(box.size.width - 120) < 1 && Math.abs(box.size.height - 60) < 1, JSON.stringify(box));
  assert.deepEqual(span, { type: "span", text: "", anchor: { row: 1, field: "value" }, to: { row: 2, field: "value" } });
  assert.deepEqual(difference, { type: "difference", text: "", anchor: { row: 0, field: "value" }, to: { row: 3, field: "value" } });
  for (const index of [0, 1, 2, 3, 4, 5]) await waitForNote(index);
  await assertAccessible(page, "canvas-notes");
  await assertUndone(chart, before);
  assertNoErrors(page);
});

test("each type of note is placed with the keyboard", async () => {
  const chart = await createChart("Keyboard");
  const before = await readDocument(chart);
  await openEditor(chart);
  const cursor = page.locator(".note-cursor");

  await choose("Text");
  await page.waitForFunction(() => document.activeElement?.classList.contains("note-cursor"));
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowDown");
  await assertAccessible(page, "canvas-placing");
  await cursor.focus();
  await page.keyboard.press("Enter");
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.type("By keys");
  await page.keyboard.press("Enter");
  await waitForNoField();

  await choose("Text");
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  await page.keyboard.press("[");
  await page.keyboard.press("Tab");
  assert.match(await cursor.getAttribute("aria-label"), /^Text, start at South, value 80/);
  await page.keyboard.press("Enter");
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.press("Enter");

  for (const [type, walk] of [["Arrow", "]"], ["Line", "]"], ["Box", "]"], ["Shaded span", "]"], ["Difference", "]"]]) {
    await choose(type);
    await page.keyboard.press(walk);
    await page.keyboard.press("Enter");
    await page.keyboard.press(walk);
    await page.keyboard.press(walk);
    await page.keyboard.press("Enter");
    await page.locator(".note-hint").waitFor({ state: "detached" });
  }
  // Twice the same place is a note at one mark.
  await choose("Shaded span");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await choose("Arrow");
  await page.keyboard.press("Escape");
  await page.locator(".note-hint").waitFor({ state: "detached" });

  const notes = await saveNotes(chart);
  assert.deepEqual(notes[0], { type: "text", text: "By keys", position: { x: 370, y: 203.5 } });
  assert.deepEqual(notes[1], { type: "text", text: "Note", anchor: { row: 1, field: "value" } });
  assert.deepEqual(notes.slice(2).map(({ type }) => type), ["arrow", "line", "rect", "span", "difference", "span"]);
  for (const note of notes.slice(2, 5)) assert.deepEqual([note.anchor, note.to], [{ row: 0, field: "value" }, { row: 2, field: "value" }], note.type);
  for (const note of notes.slice(5, 7)) assert.ok(note.to && note.to.row !== note.anchor.row, JSON.stringify(note));
  assert.equal(notes[7].to, undefined);
  await assertUndone(chart, before);
  assertNoErrors(page);
});

test("notes are selected, moved, resized, edited, colored and removed with the mouse, each as one step", async () => {
  const annotations = [
    { type: "text", text: "Free text", position: { x: 420, y: 300 } },
    { type: "text", text: "At a mark", anchor: { row: 2, field: "value" } },
    { type: "rect", text: "", position: { x: 500, y: 200 }, size: { width: 80, height: 60 } },
    { type: "line", text: "", position: { x: 350, y: 350 }, size: { width: 120, height: 20 } },
  ];
  const chart = await createChart("Change", { style: { annotations } });
  const before = await readDocument(chart);
  await openEditor(chart);
  await page.locator("#tool-notes").click();
  const undo = page.getByRole("button", { name: /^Undo/ }).first();
  const steps = [];
  const recordStep = async () => steps.push(await undo.getAttribute("aria-label"));

  const text = await findMiddle({ note: 0 });
  const [from, to] = [await findPoint(0, 0), await findPoint(30, 20)];
  await drag(text, { x: text.x + to.x - from.x, y: text.y + to.y - from.y }, {
    beforeDrop: async () => {
      // A pause would split steps that are merged by time.
      await page.waitForTimeout(900);
      await page.mouse.move(text.x + to.x - from.x, text.y + to.y - from.y);
    },
  });
  await recordStep();
  let notes = await saveNotes(chart);
  assert.ok(Math.abs(notes[0].position.x - 450) < 1.5 && Math.abs(notes[0].position.y - 320) < 1.5, JSON.stringify(notes[0]));
  assert.equal(await page.locator(".note[aria-current=true]").count(), 1);
  await page.locator(".note-handle.width").waitFor();
  await assertAccessible(page, "canvas-note-selected");

  // The text follows the pointer, beside its mark.
  const anchored = await findMiddle({ note: 1 });
  const free = await findPoint(600, 330);
  await drag(anchored, free);
  notes = await saveNotes(chart);
  assert.deepEqual(notes[1].anchor, { row: 2, field: "value" });
  const placed = await findMiddle({ note: 1 });
  assert.ok(notes[1].offset.x > 100, JSON.stringify(notes[1]));
  const textPlace = await page.evaluate(() => {
    const box = [...document.querySelector(".paper").shadowRoot.querySelectorAll("text[data-part=annotation][data-field='1']")][0].getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
  assert.ok(Math.hypot(textPlace.x - free.x, textPlace.y - free.y) < 6, JSON.stringify([textPlace, free, placed]));
  await drag(textPlace, await findMiddle({ row: 0 }));
  notes = await saveNotes(chart);
  assert.deepEqual([notes[1].anchor, notes[1].offset], [{ row: 0, field: "value" }, undefined]);

  // The outline of a box is thin, but its surroundings hit it.
  await click(await findPoint(500, 230));
  await page.locator(".note-handle.se").waitFor();
  const corner = await findPoint(580, 260);
  await drag(corner, await findPoint(620, 290));
  notes = await saveNotes(chart);
  assert.ok(Math.abs(notes[2].size.width - 120) < 1.5 && Math.abs(notes[2].size.height - 90) < 1.5, JSON.stringify(notes[2]));
  await drag(await findPoint(620, 290), await findPoint(650, 340), { beforeDrop: () => page.keyboard.press("Escape") });
  assert.deepEqual((await saveNotes(chart))[2], notes[2], "Escape restores the box");

  await click(await findPoint(410, 360));
  await page.locator(".note-handle.end").waitFor();
  await drag(await findPoint(470, 370), await findMiddle({ row: 1 }));
  notes = await saveNotes(chart);
  assert.deepEqual(notes[3].anchor, { row: 1, field: "value" }, JSON.stringify(notes[3]));
  assert.ok(notes[3].offset.y > 50);

  const again = await findMiddle({ note: 0 });
  await page.mouse.dblclick(again.x, again.y);
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.type("Changed");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".note textarea").first().inputValue(), "Changed");
  // The next press is on the new text in the picture.
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.textContent.includes("Changed"));
  await page.mouse.dblclick(again.x, again.y);
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.type("Dropped");
  await page.keyboard.press("Escape");
  await waitForNoField();
  assert.equal((await saveNotes(chart))[0].text, "Changed");

  await page.locator(".canvas-bar .color-button").click();
  await page.getByRole("textbox", { name: "Color as text" }).fill("#b1479b");
  await assertAccessible(page, "canvas-note-color");
  await page.keyboard.press("Escape");
  notes = await saveNotes(chart);
  assert.equal(notes[0].color, "#b1479b");

  await page.locator(".canvas-bar").getByRole("button", { name: "Remove the note" }).click();
  assert.equal((await saveNotes(chart)).length, 3);
  await page.locator(".toast", { hasText: "The note is removed." }).getByRole("button", { name: "Undo" }).click();
  assert.equal((await saveNotes(chart)).length, 4);
  await undo.click();
  await assertUndone(chart, before);
  assert.deepEqual(steps, ["Undo: Move note"]);
  assertNoErrors(page);
});

test("a note that a drag brings back to its start is where it was", async () => {
  const annotations = [
    { type: "text", text: "Here", position: { x: 300, y: 330 } },
    { type: "text", text: "West", anchor: { row: 2, field: "value" }, offset: { x: 40, y: -20 } },
    { type: "line", text: "", position: { x: 400, y: 300 }, size: { width: 80, height: 30 } },
  ];
  const chart = await createChart("There and back", { style: { annotations } });
  await openEditor(chart);
  for (const index of [0, 1]) {
    const from = await findMiddle({ note: index });
    await drag(from, { x: from.x + 60, y: from.y - 50 }, { beforeDrop: async () => {
      await page.waitForTimeout(200);
      await page.mouse.move(from.x, from.y - 50);
      await page.waitForTimeout(200);
      await page.mouse.move(from.x, from.y);
      await page.waitForTimeout(200);
    } });
    assert.deepEqual((await saveNotes(chart))[index], annotations[index], String(index));
  }
  assertNoErrors(page);
});

test("a note that was typed and is dragged has one outline", async () => {
  const chart = await createChart("One outline");
  await openEditor(chart);
  await choose("Text");
  await click(await findPoint(300, 300));
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.type("Dragged");
  await page.keyboard.press("Enter");
  await waitForNoField();
  // The picture with the whole text, where the note is pressed.
  await page.waitForFunction(() => document.querySelector(".paper").shadowRoot.querySelector("[data-part=annotation]")?.textContent.includes("Dragged"));
  await saveNotes(chart);
  await page.locator(".note-button:focus-visible").waitFor();
  const from = await findMiddle({ note: 0 });
  await drag(from, { x: from.x + 90, y: from.y - 40 }, {
    beforeDrop: async () => {
      await page.locator(".note-controls.dragged").waitFor({ state: "attached" });
      assert.equal(await page.locator(".note-outline").getAttribute("visibility"), "visible");
      assert.equal(await page.locator(".note-button").evaluate((button) => getComputedStyle(button).outlineStyle), "none");
    },
  });
  await saveNotes(chart);
  assertNoErrors(page);
});

test("one press of undo takes a whole drag back, and Escape leaves no step", async () => {
  const chart = await createChart("One step", { style: { annotations: [{ type: "text", text: "Here", position: { x: 300, y: 330 } }] } });
  await openEditor(chart);
  const undo = page.getByRole("button", { name: /^Undo/ }).first();
  const text = await findMiddle({ note: 0 });
  await drag(text, { x: text.x + 90, y: text.y - 40 }, { beforeDrop: () => page.keyboard.press("Escape") });
  assert.ok(await undo.isDisabled(), "a canceled drag has no step");
  assert.deepEqual((await saveNotes(chart))[0].position, { x: 300, y: 330 });
  await drag(text, { x: text.x + 90, y: text.y - 40 }, { beforeDrop: async () => {
    await page.waitForTimeout(900);
    await page.mouse.move(text.x + 95, text.y - 40);
  } });
  assert.notDeepEqual((await saveNotes(chart))[0].position, { x: 300, y: 330 });
  await undo.click();
  assert.ok(await undo.isDisabled(), "a drag is one step");
  assert.deepEqual((await saveNotes(chart))[0].position, { x: 300, y: 330 });
  assertNoErrors(page);
});

test("notes are moved, resized, edited and removed with keys, and the panel follows the selection", async () => {
  const annotations = [
    { type: "text", text: "First", position: { x: 420, y: 300 } },
    { type: "arrow", text: "Second", anchor: { row: 1, field: "value" } },
    { type: "span", text: "", anchor: { row: 0 }, to: { row: 1 } },
  ];
  const chart = await createChart("Keys", { style: { annotations } });
  const before = await readDocument(chart);
  await openEditor(chart);
  await page.locator("#tool-notes").click();
  const first = page.locator(".note-button[data-index='0']");
  await page.locator("#panel .note").nth(1).locator("textarea").focus();
  await page.waitForFunction(() => document.querySelector(".note-button[data-index='1']")?.getAttribute("aria-pressed") === "true");
  await page.keyboard.press("Shift+Tab");

  await first.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator("#panel .note").nth(0).getAttribute("aria-current"), "true");
  // The handle and the bar come after the button of the note.
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Width of note 1");
  await page.keyboard.press("Shift+ArrowRight");
  let notes = await saveNotes(chart);
  assert.deepEqual(notes[0].position, { x: 410, y: 301 });
  assert.ok(notes[0].size.width > 24, JSON.stringify(notes[0]));

  await page.locator(".note-button[data-index='1']").focus();
  // As Windows reports AltGr with 9.
  await page.keyboard.press("Control+Alt+]");
  notes = await saveNotes(chart);
  assert.deepEqual(notes[1].anchor, { row: 2, field: "value" });
  await page.locator(".note-button[data-index='1']").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Shift+ArrowUp");
  notes = await saveNotes(chart);
  const { offset } = notes[1];
  assert.ok(offset.y < -10, JSON.stringify(notes[1]));
  await page.locator(".note-button[data-index='1']").focus();
  for (let count = 0; count < 4; count += 1) await page.keyboard.press("Shift+ArrowUp");
  notes = await saveNotes(chart);
  assert.deepEqual([notes[1].offset.x, Math.round(offset.y - notes[1].offset.y)], [offset.x, 40], "no key is lost while the picture follows");
  // Small steps lead from one side of the mark to the other.
  await page.locator(".note-button[data-index='1']").focus();
  for (let count = 0; count < 9; count += 1) await page.keyboard.press("Shift+ArrowDown");
  for (let count = 0; count < 40; count += 1) {
    await page.keyboard.press("ArrowDown");
    await page.locator(".draw-progress").waitFor({ state: "hidden" });
  }
  notes = await saveNotes(chart);
  assert.ok(notes[1].offset.y > 1, JSON.stringify(notes[1]));

  await page.locator(".note-button[data-index='2']").focus();
  await page.keyboard.press("ArrowDown");
  notes = await saveNotes(chart);
  assert.deepEqual([notes[2].anchor.row, notes[2].to.row], [1, 2]);
  await page.locator("[data-handle=end]").focus();
  await page.keyboard.press("]");
  notes = await saveNotes(chart);
  assert.deepEqual([notes[2].anchor.row, notes[2].to.row], [1, 3]);

  await first.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Typed");
  await page.keyboard.press("Enter");
  await waitForNoField();
  assert.ok(await first.evaluate((element) => element === document.activeElement), "the focus returns to the note");
  await page.keyboard.press("Delete");
  notes = await saveNotes(chart);
  assert.deepEqual(notes.map(({ type }) => type), ["arrow", "span"]);
  await assertUndone(chart, before);
  assertNoErrors(page);
});

test("notes are placed and moved by touch", async () => {
  const chart = await createChart("Touch");
  const before = await readDocument(chart);
  const phone = await openPage(chromium, server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await signIn(phone, { email: "ann@example.org", password: PASSWORD });
  await openEditor(chart, phone);
  const tap = async (place) => phone.touchscreen.tap(place.x, place.y);
  // The bar of the page must not cover the picture.
  const showCanvas = () => phone.evaluate(() => document.querySelector("#canvas").scrollIntoView({ block: "center" }));
  const chooseByTap = async (type) => {
    if (!(await phone.locator("[aria-label='Add note']").isVisible())) await phone.locator("#tool-notes").tap();
    await phone.locator("[aria-label='Add note']").getByRole("button", { name: type, exact: true }).tap();
    await phone.locator(".note-hint").waitFor();
    await showCanvas();
    await phone.waitForTimeout(100);
  };
  for (const [type, ...rows] of [["Text", 0], ["Arrow", 1], ["Line", 1], ["Box", 2], ["Shaded span", 3], ["Difference", 0, 2]]) {
    await chooseByTap(type);
    for (const row of rows) await tap(await findMiddle({ row }, phone));
    await phone.locator(".note-hint").waitFor({ state: "detached" });
    if (type !== "Text") continue;
    await phone.locator(".canvas-text").waitFor();
    await phone.keyboard.press("Enter");
    // Later notes cover others on a small picture. Pointers press their shapes, and the list of the panel has all.
    await showCanvas();
    await assertAccessible(phone, "canvas-phone");
  }
  let notes = await saveNotes(chart, phone);
  assert.deepEqual(notes.map(({ type, anchor, to }) => [type, anchor.row, to?.row]), [["text", 0, undefined], ["arrow", 1, undefined], ["line", 1, undefined], ["rect", 2, undefined], ["span", 3, undefined], ["difference", 0, 2]]);
  await assertNoHorizontalScroll(phone);

  // A finger drags the text of the arrow.
  const session = await phone.context().newCDPSession(phone);
  await showCanvas();
  const from = await phone.evaluate(() => {
    const box = document.querySelector(".paper").shadowRoot.querySelector("text[data-part=annotation][data-field='1']").getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [from] });
  for (let step = 1; step <= 6; step += 1) await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: from.x - 4 * step, y: from.y + 6 * step }] });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  notes = await saveNotes(chart, phone);
  assert.ok(notes[1].offset || notes[1].anchor.row !== 1, JSON.stringify(notes[1]));
  const targets = await phone.evaluate(() => [...document.querySelectorAll(".note-handle, .canvas-bar button, .margin-grip")].filter((element) => element.checkVisibility()).map((element) => element.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height)));
  assert.ok(targets.length > 0 && targets.every((size) => size >= 24), JSON.stringify(targets));
  await assertUndone(chart, before, phone);
  assertNoErrors(phone);
  await phone.context().close();
});

test("a note stays with its record when rows are sorted, inserted and removed", async () => {
  const chart = await createChart("Records", { style: { annotations: [{ type: "text", text: "West is small", anchor: { row: 2, field: "value" } }, { type: "span", text: "", anchor: { row: 0 }, to: { row: 1 } }] } });
  const before = await readDocument(chart);
  await openEditor(chart);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  const grid = page.locator("chart-grid");
  await grid.evaluate((element) => element.selectCell(0, "value"));
  await grid.evaluate((element) => element.commands.sort(false));
  let notes = await saveNotes(chart);
  let { data } = await readDocument(chart);
  assert.deepEqual(data.map(({ label }) => label), ["East", "West", "South", "North"]);
  assert.deepEqual(notes.map(({ anchor, to }) => [data[anchor.row].label, to && data[to.row].label]), [["West", undefined], ["North", "South"]]);
  await page.keyboard.press("Control+z");
  assert.deepEqual(await saveNotes(chart), before.style.annotations);

  await grid.evaluate((element) => element.selectCell(0, "value"));
  await grid.evaluate((element) => element.commands.insertRows(false));
  notes = await saveNotes(chart);
  ({ data } = await readDocument(chart));
  assert.equal(data.length, 5);
  assert.equal(data[notes[0].anchor.row].label, "West");
  await grid.evaluate((element) => element.selectCell(3, "value"));
  await grid.evaluate((element) => element.commands.deleteRows());
  notes = await saveNotes(chart);
  assert.deepEqual(notes.map(({ type }) => type), ["span"], "the note of a removed record is removed too");
  await assertUndone(chart, before);
  assertNoErrors(page);
});

test("notes work with many rows, gaps, negative values and right-to-left text, zoomed and scrolled", async () => {
  const data = Array.from({ length: 40 }, (_, index) => ({ label: `شهر ${index + 1}`, value: index % 7 === 3 ? null : Math.round(Math.sin(index / 3) * 90) }));
  const chart = await createChart("مبيعات الشهر", { widget: "bar", data, style: { height: 1100 }, settings: { locale: "ar" } });
  const before = await readDocument(chart);
  await openEditor(chart);
  for (let step = 0; step < 5; step += 1) await page.getByRole("button", { name: "Larger" }).click();
  await page.locator(".stage").evaluate((element) => element.scrollTo(element.scrollWidth / 4, element.scrollHeight / 3));
  await choose("Text");
  const findVisible = (row) => page.evaluate((row) => {
    const element = document.querySelector(".paper").shadowRoot.querySelector(`rect[data-row="${row}"]`);
    element.scrollIntoView({ block: "center", inline: "center" });
    const box = element.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  }, row);
  await click(await findVisible(20));
  await page.locator(".canvas-text").waitFor();
  await page.keyboard.type("ارتفاع كبير");
  await page.keyboard.press("Enter");
  await waitForNote(0);
  let notes = await saveNotes(chart);
  assert.deepEqual(notes, [{ type: "text", text: "ارتفاع كبير", anchor: { row: 20, field: "value" } }]);
  const readText = () => page.evaluate(() => {
    const box = document.querySelector(".paper").shadowRoot.querySelector("text[data-part=annotation]").getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
  // On either side of its mark the text is where the pointer leaves it. Alt keeps it at its mark.
  for (const [x, y] of [[-260, -50], [280, 90]]) {
    const began = await readText();
    const mark = await findMiddle({ row: 20 });
    const place = { x: mark.x + x, y: mark.y + y };
    await page.mouse.move(began.x, began.y);
    await page.mouse.down();
    await page.mouse.move(began.x + 30, began.y + 10);
    await page.mouse.move(place.x, place.y);
    await page.keyboard.down("Alt");
    await page.mouse.move(place.x + 1, place.y);
    await page.mouse.up();
    await page.keyboard.up("Alt");
    notes = await saveNotes(chart);
    assert.equal(notes[0].anchor.row, 20);
    assert.deepEqual([Math.sign(notes[0].offset.x), Math.sign(notes[0].offset.y)], [Math.sign(x), Math.sign(y)]);
    const ended = await readText();
    assert.ok(Math.hypot(ended.x - place.x, ended.y - place.y) < 8, JSON.stringify([ended, place]));
  }
  await page.locator(".note-button[data-index='0']").waitFor();
  await assertAccessible(page, "canvas-zoomed");
  await choose("Shaded span");
  await drag(await findVisible(8), await findVisible(8));
  await page.locator(".note-hint").waitFor({ state: "detached" });
  notes = await saveNotes(chart);
  assert.deepEqual([notes[1].type, notes[1].anchor.row], ["span", 8]);
  await assertUndone(chart, before);
  assertNoErrors(page);
});

await runTests(cleanUp);
