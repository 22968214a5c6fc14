// Tests of the data grid in a browser with real keys, clipboard and input method: editing, selection, mouse,
// records and columns. `grid-tables.mjs` tests tables in the clipboard and large grids.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createDriver, mountGrid, openGridPage, SALES_RECORDS } from "./grid-page/harness.mjs";
import { assertAccessible, runTests, test } from "./lib.mjs";

const session = await openGridPage();
const { page } = session;
const grid = createDriver(page);
const { press } = grid;
const devTools = await page.context().newCDPSession(page);

const getActiveText = () => page.evaluate(() => document.activeElement?.textContent);
const getValues = async (key) => (await grid.records()).map((record) => record[key] ?? null);
const getKeys = async () => (await grid.columns()).map((column) => column.key);
const getFocusedName = () => page.evaluate(() => document.activeElement?.textContent?.trim());

test("typing on a selected cell replaces its content, and each input is a change of the same edit", async () => {
  await mountGrid(page);
  await grid.select(0, "s1");
  await page.keyboard.type("75");
  assert.equal((await grid.records())[0].s1, 75);
  await press("Enter");
  const changes = await grid.changes();
  assert.deepEqual(changes.map((change) => change.records[0].s1), [7, 75]);
  assert.deepEqual(new Set(changes.map((change) => `${change.label}, ${change.mergeKey}, ${change.columns}`)), new Set(["Edit cell, cell 0 s1, undefined"]));
  assert.deepEqual(await grid.selection(), { row: 1, key: "s1", rows: [1, 1], keys: ["s1"] });
  // Other records keep their identity.
  assert.ok(await page.evaluate(() => window["harness"].undo[0].records.every((record, row) => row === 0 || record === window["harness"].grid.records[row])));
});

test("the first character of an input method replaces the content of the cell", async () => {
  await mountGrid(page);
  await grid.select(1, "label");
  await devTools.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
  assert.equal(await getActiveText(), "に");
  await devTools.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
  assert.deepEqual(await grid.changes(), [], "a composition is no value yet");
  await devTools.send("Input.insertText", { text: "日本" });
  assert.equal((await grid.records())[1].label, "日本");
  await press("Enter");
  assert.deepEqual(await getValues("label"), ["North", "日本", "East", "West"]);
  // Also in an empty cell.
  await grid.select(3, "note");
  await devTools.send("Input.imeSetComposition", { text: "か", selectionStart: 1, selectionEnd: 1 });
  await devTools.send("Input.insertText", { text: "花" });
  await press("Tab");
  assert.equal((await grid.records())[3].note, "花");
});

test("Ctrl+Z and Ctrl+Y reach the page, and undo the typing within an open edit", async () => {
  await mountGrid(page);
  await grid.select(0, "label");
  await page.keyboard.type("Alps");
  await press("Enter");
  await press("Control+z");
  assert.equal((await grid.records())[0].label, "North");
  await press("Control+Shift+z");
  assert.equal((await grid.records())[0].label, "Alps");
  await press("Control+z", "Control+y");
  assert.equal((await grid.records())[0].label, "Alps");
  // In an edit the browser undoes.
  await press("F2");
  await page.keyboard.type("ern");
  assert.equal(await getActiveText(), "Southern");
  await press("Control+z");
  const undoneText = await getActiveText();
  assert.ok("Souther".startsWith(undoneText), undoneText);
  assert.equal((await grid.records())[0].label, "Alps");
  await press("Escape");
  assert.equal((await grid.records())[1].label, "South");
});

test("Shift with arrows selects a range, and copying it gives tab-separated text", async () => {
  await mountGrid(page);
  await grid.select(0, "label");
  await press("Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight");
  assert.deepEqual(await grid.selection(), { row: 0, key: "label", rows: [0, 1], keys: ["label", "s1", "s2"] });
  assert.equal(await page.locator('.grid-cell[aria-selected="true"]').count(), 6);
  assert.match(await grid.status(), /^2 rows × 3 columns · Sum 3890.5 · Average 972.625$/);
  assert.equal(await page.locator("chart-grid [role=status]").innerText(), "2 rows × 3 columns selected");
  await press("Control+c");
  assert.equal(await grid.readClipboard(), "North\t1200\t1350.5\nSouth\t640\t700");
  await press("Control+x");
  assert.deepEqual((await grid.records()).slice(0, 2), [{}, { note: "new shop" }]);
});

test("pasted numbers with separators and percent signs become numbers", async () => {
  await mountGrid(page);
  await grid.writeClipboard("1,200\n3.5%\n(1,234)\n€ 12,000.50\n1 234 567");
  await grid.select(0, "s1");
  await press("Control+v");
  assert.deepEqual(await getValues("s1"), [1200, 3.5, -1234, 12000.5, 1234567]);
});

test("a paste past the last row and column grows the grid", async () => {
  await mountGrid(page, { mayAddColumns: true });
  await grid.writeClipboard("1\t2\t3\n4\t5\t6\nx\t7\t8");
  await grid.select(3, "s2");
  await press("Control+v");
  const [keys, records] = [await getKeys(), await grid.records()];
  assert.deepEqual(keys, ["label", "s1", "s2", "note", "s3"]);
  assert.deepEqual((await grid.columns())[4], { key: "s3", title: "Series 3", type: "number", isRepeated: true, role: "series" });
  assert.deepEqual(records.slice(3), [{ label: "West", s1: 95, s2: 1, note: "2", s3: 3 }, { s2: 4, note: "5", s3: 6 }, { s2: "x", note: "7", s3: 8 }]);
  // Without permission, the grid says that columns are left out.
  await mountGrid(page);
  await grid.select(0, "note");
  await press("Control+v");
  assert.match(await grid.status(), /^2 columns did not fit and were left out\.$/);
});

test("arrows, Home, End, page keys and Ctrl move the active cell", async () => {
  await mountGrid(page, { records: Array.from({ length: 60 }, (_, row) => (row === 20 ? {} : { label: `r${row}`, s1: row })) });
  await grid.select(0, "label");
  const expectCell = async (keys, row, key) => {
    await press(...keys.split(" "));
    const { row: actualRow, key: actualKey } = await grid.selection();
    assert.deepEqual([actualRow, actualKey], [row, key], keys);
    assert.equal(await page.evaluate(() => document.activeElement?.closest(".grid-row")?.getAttribute("aria-rowindex")), String(row + 2), `focus after ${keys}`);
  };
  await expectCell("ArrowDown ArrowRight", 1, "s1");
  await expectCell("ArrowLeft ArrowUp", 0, "label");
  await expectCell("Control+ArrowDown", 19, "label");
  await expectCell("Control+ArrowDown", 21, "label");
  await expectCell("Control+ArrowDown", 59, "label");
  await expectCell("ArrowDown ArrowDown", 60, "label");
  await expectCell("Control+ArrowUp Control+ArrowUp", 21, "label");
  await expectCell("Control+ArrowRight", 21, "s1");
  await expectCell("Control+ArrowRight", 21, "note");
  await expectCell("Home", 21, "label");
  await expectCell("End", 21, "note");
  await expectCell("Control+End", 59, "note");
  await expectCell("Control+Home", 0, "label");
  await press("PageDown");
  const { row } = await grid.selection();
  assert.ok(row > 5 && row < 12, `PageDown goes to row ${row}`);
  await expectCell("PageUp", 0, "label");
  await press("Shift+Control+End");
  assert.deepEqual((await grid.selection()).rows, [0, 59]);
  await press("Escape", "Shift+PageDown");
  assert.deepEqual((await grid.selection()).rows, [0, row]);
  await press("Control+a");
  assert.deepEqual(await grid.selection(), { row: 0, key: "label", rows: [0, 59], keys: ["label", "s1", "s2", "note"] });
});

test("Enter and F2 edit, Escape restores, Tab and arrows end an edit", async () => {
  await mountGrid(page);
  await grid.select(1, "label");
  await press("F2");
  await page.keyboard.type(" West");
  await press("ArrowLeft", "ArrowLeft", "Backspace");
  await press("Enter");
  assert.equal((await grid.records())[1].label, "South Wst");
  await press("Enter");
  await page.keyboard.type("ern");
  assert.equal((await grid.records())[2].label, "Eastern");
  await press("Escape");
  assert.deepEqual(await getValues("label"), ["North", "South Wst", "East", "West"]);
  assert.equal(await getActiveText(), "East");
  await page.keyboard.type("a");
  await press("ArrowRight");
  await page.keyboard.type("5");
  await press("Tab");
  await page.keyboard.type("6");
  await press("Shift+Tab");
  assert.deepEqual((await grid.records())[2], { label: "a", s1: 5, s2: 6 });
  assert.equal((await grid.selection()).key, "s1");
  // An edit in the empty row that is cancelled leaves no record behind.
  await grid.select(4, "label");
  await page.keyboard.type("New");
  assert.equal((await grid.records()).length, 5);
  await press("Escape");
  assert.equal((await grid.records()).length, 4);
  await page.keyboard.type("New");
  await press("Enter");
  await page.keyboard.type("Newer");
  await press("Enter");
  assert.deepEqual(await getValues("label"), ["North", "South Wst", "a", "West", "New", "Newer"]);
});

test("an edit is committed if the focus leaves its cell, but not if the window loses the focus", async () => {
  await mountGrid(page);
  await grid.select(0, "s1");
  await page.keyboard.type("1,5 apples");
  await page.evaluate(() => {
    // The document has no focus, as if another window had it.
    document.hasFocus = () => false;
    document.activeElement?.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
    delete document.hasFocus;
  });
  assert.equal(await page.locator(".grid-cell.editing").count(), 1);
  await page.getByRole("button", { name: "After" }).click();
  assert.equal(await page.locator(".grid-cell.editing").count(), 0);
  assert.equal((await grid.records())[0].s1, "1,5 apples");
  assert.equal(await grid.cell(0, 1).getAttribute("aria-invalid"), "true");
  // A click on another cell does the same.
  await grid.cell(1, 1).dblclick();
  await page.keyboard.type("5");
  await grid.cell(2, 1).click();
  assert.deepEqual(await getValues("s1"), ["1,5 apples", 6405, 310, 95]);
});

test("Tab leaves the grid in both directions, and there is one tab stop", async () => {
  await mountGrid(page);
  await grid.select(1, "s1");
  await press("Tab");
  assert.equal(await getFocusedName(), "After");
  await press("Shift+Tab");
  assert.equal(await getFocusedName(), "640");
  await press("Shift+Tab");
  assert.equal(await getFocusedName(), "Before");
  assert.equal(await page.locator("chart-grid [tabindex='0']").count(), 1);
});

test("Delete, Ctrl+D, and Ctrl+Shift with plus and minus change cells and rows", async () => {
  await mountGrid(page);
  await grid.select(0, "s1");
  await press("Shift+ArrowDown", "Delete");
  assert.deepEqual(await getValues("s1"), [null, null, 310, 95]);
  await grid.select(2, "s1");
  await press("Shift+ArrowDown", "Shift+ArrowDown", "Control+d");
  assert.deepEqual(await getValues("s1"), [null, null, 310, 310, 310]);
  await grid.select(1, "s2");
  await press("Control+d");
  assert.equal((await grid.records())[1].s2, 1350.5);
  await press("Shift+ArrowDown", "Control+Shift+Equal");
  assert.deepEqual(await getValues("label"), ["North", null, null, "South", "East", "West", null]);
  assert.deepEqual((await grid.selection()).rows, [1, 2]);
  await press("Control+Shift+Minus");
  assert.deepEqual(await getValues("label"), ["North", "South", "East", "West", null]);
  const labels = (await grid.changes()).map((change) => change.label);
  assert.deepEqual(labels, ["Clear cells", "Fill down", "Fill down", "Insert rows", "Delete rows"]);
  assert.equal(new Set((await grid.changes()).map((change) => change.mergeKey)).size, 5, "separate steps of the history");
});

test("rows and columns move by keyboard only", async () => {
  await mountGrid(page);
  await grid.select(0, "s1");
  await press("Alt+Shift+ArrowDown", "Alt+Shift+ArrowDown");
  assert.deepEqual(await getValues("label"), ["South", "East", "North", "West"]);
  assert.deepEqual(await grid.selection(), { row: 2, key: "s1", rows: [2, 2], keys: ["s1"] });
  await press("Alt+Shift+ArrowRight");
  assert.deepEqual(await getKeys(), ["label", "s2", "s1", "note"]);
  await press("Alt+Shift+ArrowLeft", "Alt+Shift+ArrowLeft", "Alt+Shift+ArrowLeft");
  assert.deepEqual(await getKeys(), ["s1", "label", "s2", "note"]);
  // The selection follows a column that the page moves back.
  await press("Control+z", "Control+z");
  assert.deepEqual(await getKeys(), ["label", "s2", "s1", "note"]);
  assert.equal(await getActiveText(), "1200");
  await press("Control+y", "Control+y");
  assert.deepEqual(await getKeys(), ["s1", "label", "s2", "note"]);
  assert.equal(await getActiveText(), "1200");
  // From the first row to the headers: two columns move together.
  await press("Control+Home", "ArrowUp", "Shift+ArrowRight", "Alt+Shift+ArrowRight");
  assert.deepEqual(await getKeys(), ["s2", "s1", "label", "note"]);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("role")), "columnheader");
  assert.deepEqual(await grid.selection(), { row: -1, key: "s1", rows: [0, 3], keys: ["s1", "label"] });
});

test("records set during an edit keep the edit, the selection and the scroll position, and emit nothing", async () => {
  const records = Array.from({ length: 200 }, (_, row) => ({ label: `r${row}`, s1: row }));
  await mountGrid(page, { records });
  await grid.select(120, "label");
  await press("F2");
  await page.keyboard.type("-edited");
  const before = await page.evaluate(() => {
    const { grid, changes, selects } = window["harness"];
    const state = { top: grid.querySelector(".grid-scroller").scrollTop, changes: changes.length, selects: selects.length };
    window["editedCell"] = document.activeElement;
    // Another person has changed the same cell and others.
    grid.records = grid.records.map((record, row) => ({ ...record, s1: row * 2, label: row === 120 ? "theirs" : record.label }));
    grid.columns = grid.columns.map((column) => ({ ...column }));
    grid.problems = [{ row: 3, key: "s1", message: "s1 must be positive" }];
    return state;
  });
  await grid.cell(121, 1).getByText("242").waitFor();
  const after = await page.evaluate(() => {
    const { grid, changes, selects } = window["harness"];
    const isSame = document.activeElement === window["editedCell"];
    return { isSame, text: document.activeElement?.textContent, top: grid.querySelector(".grid-scroller").scrollTop, changes: changes.length, selects: selects.length };
  });
  assert.deepEqual(after, { isSame: true, text: "r120-edited", ...before });
  await page.keyboard.type("!");
  await press("Enter");
  assert.equal((await grid.records())[120].label, "r120-edited!");
  assert.equal((await grid.records())[120].s1, 240);
});

test("an edit and its input method follow a record and a column that others move", async () => {
  const records = Array.from({ length: 200 }, (_, row) => ({ label: `r${row}`, s1: row }));
  await mountGrid(page, { records });
  await grid.select(120, "s1");
  await grid.select(120, "label");
  await devTools.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
  await page.evaluate(() => {
    const { grid } = window["harness"];
    grid.records = [{ label: "first", s1: 1 }, { label: "second", s1: 2 }, ...grid.records.slice(1).map((record) => ({ ...record }))];
    grid.columns = [grid.columns[1], grid.columns[0], ...grid.columns.slice(2)];
  });
  await grid.cell(121, 0).getByText("120").waitFor();
  await devTools.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
  assert.equal(await getActiveText(), "にほ");
  await devTools.send("Input.insertText", { text: "日本" });
  await press("Enter");
  const changed = await grid.records();
  assert.deepEqual([changed.length, changed[120].label, changed[121], changed[122].label], [201, "r119", { label: "日本", s1: 120 }, "r121"]);
  assert.deepEqual((await grid.selection()).row, 122);
});

test("dragging selects, fills, moves and resizes, and Escape cancels", async () => {
  await mountGrid(page);
  const [from, to] = [await grid.center(grid.cell(0, 1)), await grid.center(grid.cell(2, 2))];
  await grid.drag(from, to);
  assert.deepEqual(await grid.selection(), { row: 0, key: "s1", rows: [0, 2], keys: ["s1", "s2"] });
  await grid.drag(await grid.center(grid.index(1)), await grid.center(grid.index(2)));
  assert.deepEqual(await grid.selection(), { row: 1, key: "label", rows: [1, 2], keys: ["label", "s1", "s2", "note"] });

  // The chip in a header opens the menu.
  const [second, third] = [await grid.center(grid.heading(1).locator(".grid-title")), await grid.center(grid.heading(3))];
  await page.mouse.move(second.x, second.y);
  await page.mouse.down();
  await page.mouse.move(third.x, third.y, { steps: 5 });
  await press("Escape");
  await page.mouse.up();
  assert.deepEqual(await getKeys(), ["label", "s1", "s2", "note"]);
  await grid.drag(second, { x: third.x + 60, y: third.y });
  assert.deepEqual(await getKeys(), ["label", "s2", "note", "s1"]);
  assert.equal((await grid.changes()).at(-1).label, "Move column");

  const edge = await grid.center(grid.heading(0).locator(".grid-edge"));
  await grid.drag(edge, { x: edge.x + 50, y: edge.y });
  const [change] = (await grid.changes()).slice(-1);
  assert.deepEqual([change.label, change.mergeKey, change.columns[0].width], ["Resize column", "width label", 218]);
  const newEdge = await grid.center(grid.heading(0).locator(".grid-edge"));
  await page.mouse.dblclick(newEdge.x, newEdge.y);
  const { width } = (await grid.columns())[0];
  assert.ok(width > 50 && width < 150, `fitted to ${width} px`);
});

test("the fill handle continues numbers and dates, and repeats texts", async () => {
  const columns = [{ key: "n", title: "N", type: "number" }, { key: "d", title: "D", type: "date" }, { key: "t", title: "T", type: "text" }];
  const records = [{ n: 10, d: "2026-01-31", t: "a" }, { n: 15, d: "2026-02-28", t: "b" }, {}, {}, {}];
  await mountGrid(page, { columns, records });
  await grid.drag(await grid.center(grid.cell(0, 0)), await grid.center(grid.cell(1, 2)));
  const target = await grid.center(grid.cell(4, 2));
  await grid.drag(await grid.center(page.locator(".grid-handle")), target);
  assert.deepEqual(await getValues("n"), [10, 15, 20, 25, 30]);
  assert.deepEqual(await getValues("d"), ["2026-01-31", "2026-02-28", "2026-03-28", "2026-04-25", "2026-05-23"]);
  assert.deepEqual(await getValues("t"), ["a", "b", "a", "b", "a"]);
  assert.deepEqual((await grid.selection()).rows, [0, 4]);
  // The same by menu: the filled rows at the top of the selection go on.
  await mountGrid(page, { columns, records: [{ n: 2, d: "2026-01" }, { n: 4, d: "2026-04" }, {}, {}] });
  await grid.select(0, "n");
  await press("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "ContextMenu");
  await grid.menuItem("Continue series down").click();
  assert.deepEqual([await getValues("n"), await getValues("d")], [[2, 4, 6, 8], ["2026-01", "2026-04", "2026-07", "2026-10"]]);
});

test("the menus of cells and headers have the commands", async () => {
  await mountGrid(page, { mayAddColumns: true, fields: [{ key: "label", title: "Label" }, { key: "s1", title: "Series" }, { key: "color", title: "Color" }] });
  await grid.cell(1, 0).click({ button: "right" });
  await grid.menuItem("Insert row below").click();
  assert.deepEqual(await getValues("label"), ["North", "South", null, "East", "West"]);
  assert.equal(await page.evaluate(() => document.activeElement?.closest("[role=row]")?.getAttribute("aria-rowindex")), "4");
  await press("Shift+F10");
  await grid.menuItem("Delete row").click();
  assert.deepEqual(await getValues("label"), ["North", "South", "East", "West"]);
  await grid.cell(1, 2).click({ button: "right" });
  await grid.menuItem("Copy").click();
  await grid.cell(3, 2).click({ button: "right" });
  await grid.menuItem("Paste").click();
  await page.waitForFunction(() => window["harness"].grid.records[3].s2 === 700);
  await grid.select(0, "s1");
  await press("Shift+ArrowDown", "Shift+ArrowRight", "Shift+F10");
  await grid.menuItem("Fill right").click();
  assert.deepEqual(await getValues("s2"), [1200, 640, 290, 700]);
  await press("Control+z", "Control+z");
  assert.deepEqual(await getValues("label"), ["North", "South", "East", "West"]);
  // Each direction of the fill handle has a command.
  await grid.select(1, "s1");
  await press("Shift+ArrowDown", "Shift+F10");
  await grid.menuItem("Fill up").click();
  assert.deepEqual(await getValues("s1"), [1200, 310, 310, 95]);
  await press("Shift+ArrowRight", "Shift+F10");
  await grid.menuItem("Fill left").click();
  assert.deepEqual([await getValues("s1"), await getValues("s2")], [[1200, 700, 290, 95], [1350.5, 700, 290, 120]]);
  await press("Control+z", "Control+z");

  await grid.heading(1).locator(".grid-menu-button").click();
  await grid.menuItem("Sort ascending").click();
  assert.deepEqual(await getValues("s1"), [95, 310, 640, 1200]);
  await press("Enter");
  await grid.menuItem("Sort descending").click();
  assert.deepEqual(await getValues("s1"), [1200, 640, 310, 95]);
  await press("Alt+ArrowDown");
  await grid.menuItem("Move column right").click();
  assert.deepEqual(await getKeys(), ["label", "s2", "s1", "note"]);
  await press("F2");
  await page.getByLabel("Title").fill("Sales 2025");
  await press("Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal((await grid.columns())[2].title, "Sales 2025");
  await press("Enter");
  await grid.menuItem("Column width…").click();
  await page.getByLabel("Width in pixels").fill("200");
  await press("Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal((await grid.columns())[2].width, 200);
  await press("Enter");
  await grid.menuItem("Insert column before").click();
  assert.deepEqual(await getKeys(), ["label", "s2", "s3", "s1", "note"]);
  await press("Enter");
  await grid.menuItem("Delete column").click();
  assert.deepEqual(await getKeys(), ["label", "s2", "s1", "note"]);
  await grid.heading(3).locator(".grid-chip").click();
  await grid.menuItem("Use for Color").click();
  assert.deepEqual(await grid.others(), [["grid-map-column", { key: "note", targetKey: "color" }]]);
  await grid.heading(3).click({ button: "right" });
  await grid.menuItem("Delete column").click();
  assert.ok(!(await grid.records()).some((record) => "note" in record));
});

test("a chip that is dragged to another column gives it the field, and a press opens the menu", async () => {
  const columns = [
    { key: "x", title: "Height", type: "number", role: "Horizontal" },
    { key: "y", title: "Age", type: "number", role: "Vertical" },
    { key: "Pets", title: "Pets", type: "text", isExtra: true },
    { key: "Cats", title: "Cats", type: "text", isExtra: true },
  ];
  await mountGrid(page, { columns, records: [{ x: 1, y: 2, Pets: 3, Cats: 4 }], fields: [{ key: "x", title: "Horizontal" }, { key: "y", title: "Vertical" }] });
  const chip = async (column) => grid.center(grid.heading(column).locator(".grid-chip"));
  await grid.drag(await chip(0), await grid.center(grid.heading(1)));
  await grid.drag(await chip(1), await grid.center(grid.heading(2)));
  await grid.drag(await chip(2), await grid.center(grid.heading(0)));
  const fields = [["y", "x"], ["Pets", "y"], ["Pets", "x"]];
  assert.deepEqual(await grid.others(), fields.map(([key, targetKey]) => ["grid-map-column", { key, targetKey }]));
  // Two columns without a field have none to exchange.
  await grid.drag(await chip(2), await grid.center(grid.heading(3)));
  const [from, to] = [await chip(0), await grid.center(grid.heading(1))];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  assert.ok(await grid.heading(1).evaluate((element) => element.classList.contains("is-chip-target")));
  await press("Escape");
  await page.mouse.up();
  assert.equal((await grid.others()).length, fields.length);
  await grid.heading(0).locator(".grid-chip").click();
  await grid.menuItem("Use for Vertical").waitFor();
  await press("Escape");
});

test("values that do not fit the column stay, are marked and described", async () => {
  const columns = [
    { key: "n", title: "Number", type: "number" },
    { key: "d", title: "Date", type: "date" },
    { key: "b", title: "Flag", type: "boolean" },
    { key: "c", title: "Status", type: "choice", choices: ["Open", "Done"] },
    { key: "k", title: "Color", type: "color" },
  ];
  const excelDate = { type: "date", display_value: "3 May", date_string: "2026-05-03", formatting_string: "D MMM" };
  await mountGrid(page, { columns, records: [{ n: "many", d: excelDate, b: true, c: "open", k: "#1b5bd0" }], problems: [{ row: 0, key: "k", message: "Color is too pale." }] });
  await grid.select(0, "n");
  assert.equal(await grid.cell(0, 0).getAttribute("aria-invalid"), "true");
  assert.equal(await grid.status(), "“many” is not a number.");
  const description = await page.evaluate(() => document.getElementById(document.activeElement?.getAttribute("aria-describedby") ?? "")?.textContent);
  assert.equal(description, "“many” is not a number.");
  assert.equal(await grid.cell(0, 1).innerText(), "3 May");
  assert.equal(await grid.cell(0, 1).getAttribute("aria-invalid"), null);
  assert.equal(await grid.cell(0, 2).innerText(), "Yes");
  assert.equal(await grid.cell(0, 3).getAttribute("title"), "“open” is not one of: Open, Done.");
  assert.equal(await grid.cell(0, 4).getAttribute("title"), "Color is too pale.");
  await page.keyboard.type("12x");
  assert.equal((await grid.changes()).at(-1).records[0].n, 12);
  await press("Tab");
  assert.equal((await grid.records())[0].n, "12x");
  // Charts draw durations as numbers.
  for (const duration of ["7:45", "2:06:39", "1 h 45 min"]) {
    await grid.select(0, "n");
    await page.keyboard.type(duration);
    await press("Tab");
    assert.equal((await grid.records())[0].n, duration);
    assert.equal(await grid.cell(0, 0).getAttribute("aria-invalid"), null, duration);
  }
  // Without a change, F2 and Enter keep the date object.
  await press("F2", "Enter");
  assert.deepEqual((await grid.records())[0].d, excelDate);
  await grid.select(0, "d");
  await page.keyboard.type("31.12.2026");
  await press("Tab");
  assert.equal((await grid.records())[0].d, "2026-12-31");
  await press("Space");
  assert.equal((await grid.records())[0].b, false);
  await grid.select(0, "c");
  await press("Enter");
  await grid.menuItem("Done").click();
  assert.equal((await grid.records())[0].c, "Done");
});

test("dates with names of months are dates in all languages that charts read", async () => {
  const dates = ["15. März 2026", "März 2026", "Jänner 2026", "3 de marzo de 2026", "12 février 2026", "3 lutego 2026", "juillet 2026", "15 maart 2026", "Mrz 26"];
  const others = ["15. Mürz 2026", "de 2026"];
  // The words of the server.
  const source = await readFile(new URL("../../src/charts/date_words.rs", import.meta.url), "utf8");
  const names = [...source.slice(source.indexOf("const MONTHS"), source.indexOf("const FILLERS")).matchAll(/"([a-z]+)"/g)].map(([, name]) => name);
  assert.ok(names.length > 100, `${names.length} names`);
  dates.push(...names.map((name) => `3 ${name} 2026`));
  for (const locale of ["en", "ja"]) {
    await mountGrid(page, { locale, columns: [{ key: "d", title: "Date", type: "date" }], records: [...dates, ...others].map((d) => ({ d })) });
    const marked = await page.evaluate(() => {
      const element = /** @type {any} */ (document.querySelector("chart-grid"));
      return element.records.filter((_, row) => element.findProblem(row, 0)).map(({ d }) => d);
    });
    assert.deepEqual(marked, others, locale);
  }
  await grid.select(0, "d");
  await page.keyboard.type("7. Dezember 2026");
  await press("Enter");
  assert.equal((await getValues("d"))[0], "2026-12-07");
});

test("a read-only grid can be selected and copied, but not changed", async () => {
  await mountGrid(page, { readOnlyReason: "Synced from sales.csv." });
  await grid.select(0, "label");
  await page.keyboard.type("x");
  await grid.writeClipboard("a\tb");
  await press("Delete", "Control+d", "Control+v", "F2", "Control+Shift+Equal", "Alt+Shift+ArrowDown", "Alt+Shift+ArrowRight", "Enter");
  await page.keyboard.type("y");
  await devTools.send("Input.insertText", { text: "z" });
  assert.deepEqual(await grid.changes(), []);
  assert.deepEqual(await grid.others(), []);
  assert.equal(await page.locator("chart-grid [contenteditable]").count(), 0);
  assert.equal(await getActiveText(), "North");
  assert.equal(await page.getByRole("grid").getAttribute("aria-readonly"), "true");
  await page.getByText("Synced from sales.csv.", { exact: true }).first().waitFor();
  await press("Control+Home", "Shift+ArrowRight", "Control+c");
  assert.equal(await grid.readClipboard(), "North\t1200");
  assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), "5");
});

test("Ctrl+F finds texts in the data", async () => {
  await mountGrid(page);
  await grid.select(0, "label");
  await press("Control+f");
  const field = page.getByLabel("Find in data");
  await field.fill("o");
  await page.getByText("1 of 3").waitFor();
  await press("Enter");
  assert.deepEqual([(await grid.selection()).row, (await grid.selection()).key], [1, "label"]);
  await press("Enter", "Enter", "Shift+Enter");
  await page.getByText("3 of 3").waitFor();
  await field.fill("zebra");
  await page.getByText("Not found").waitFor();
  await press("Escape");
  assert.equal(await getActiveText(), "new shop");
});

test("the grid is accessible in light and dark", async () => {
  await mountGrid(page, { records: [...SALES_RECORDS, { label: "Far", s1: "many" }], highlightedRows: [2], mayAddColumns: true, fields: [{ key: "s1", title: "Series" }] });
  await grid.select(1, "s1");
  await press("Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight");
  await assertAccessible(page, "grid-range");
  await press("Escape", "F2");
  await assertAccessible(page, "grid-edit");
  await press("Escape", "Control+f");
  await page.getByLabel("Find in data").fill("o");
  await assertAccessible(page, "grid-find");
  await press("Escape", "Control+Home", "ArrowUp", "Enter");
  await page.getByRole("menu").waitFor();
  await assertAccessible(page, "grid-menu");
  await press("Escape");
  await grid.select(4, "s1");
  await assertAccessible(page, "grid-problem");
  await mountGrid(page, { readOnlyReason: "Synced from sales.csv.", highlightedRows: [0, 1] });
  await grid.select(1, "note");
  await assertAccessible(page, "grid-read-only");
  const snapshot = await page.getByRole("grid").ariaSnapshot();
  assert.match(snapshot, /columnheader "Region \*/);
  assert.match(snapshot, /rowheader "2"/);
});

await runTests(session.close);
