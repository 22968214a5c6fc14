// Tests of the data grid in a browser: tables in the clipboard, notations of numbers and dates, large grids, touch,
// right-to-left pages and forced colors. `grid.mjs` tests editing and selection.

import assert from "node:assert/strict";
import { createDriver, mountGrid, openGridPage } from "./grid-page/harness.mjs";
import { assertAccessible, assertNoErrors, openPage, runTests, signIn, test } from "./lib.mjs";

/** Time in milliseconds within which a paste of 12,000 cells must be usable. It takes about 100 on two slow cores. */
const MAX_PASTE_MS = 2000;
/** Maximum number of elements of a grid, however many records it has. */
const MAX_ELEMENTS = 900;

const session = await openGridPage();
const { page } = session;
const grid = createDriver(page);
const { press } = grid;

const getValues = async (key) => (await grid.records()).map((record) => record[key] ?? null);

/** Columns of one type with the keys `a`, `b` and so on. */
const createColumns = (...types) => types.map((type, index) => ({ key: "abcdefghijkl"[index], title: "ABCDEFGHIJKL"[index], type }));

/** Pastes into the first cell of a new grid. Returns the values of each column. */
async function pasteInto(columns, text, { html, ...properties } = {}) {
  await mountGrid(page, { columns, records: [], ...properties });
  await grid.writeClipboard(text, html);
  await grid.select(0, columns[0].key);
  await press("Control+v");
  const records = await grid.records();
  return columns.map(({ key }) => records.map((record) => record[key] ?? null));
}

test("a column with a number of five digits separates the thousands of all its numbers", async () => {
  const records = [{ a: 7904, b: 2019 }, { a: 98312, b: 2020 }, { a: 1067.5, b: 1999 }];
  await mountGrid(page, { columns: createColumns("number", "number"), records });
  const shown = (column) => Promise.all([0, 1, 2].map((row) => grid.cell(row, column).innerText()));
  assert.deepEqual([await shown(0), await shown(1)], [["7,904", "98,312", "1,067.5"], ["2019", "2020", "1999"]]);
  await grid.select(1, "a");
  await press("1", "2", "Enter");
  assert.deepEqual(await shown(0), ["7904", "12", "1067.5"], "no number needs a separator any more");
  const series = createColumns("number", "number").map((column) => ({ ...column, role: "series", isRepeated: true }));
  await mountGrid(page, { columns: [...series, { key: "c", title: "C", type: "number" }], records: [{ a: 12400, b: 9800, c: 2024 }] });
  assert.deepEqual(await Promise.all([0, 1, 2].map((column) => grid.cell(0, column).innerText())), ["12,400", "9,800", "2024"]);
});

test("HTML tables are pasted with merged cells, line breaks and entities", async () => {
  const html = `<html><head><style>td { color: red }</style></head><body><!--StartFragment--><table>
    <tr><td rowspan="2">Europe</td><td>Alps &amp;\n  Po</td><td>1,200</td></tr>
    <tr><td>Rhine<br>Main</td><td rowspan="2">7.5</td></tr>
    <tr style="display: none"><td>hidden</td></tr>
    <tr><td colspan="2"><b>Asia</b> <i>east</i></td></tr></table><!--EndFragment--></body></html>`;
  const [areas, names, numbers] = await pasteInto(createColumns("text", "text", "number"), "not used", { html });
  assert.deepEqual(areas, ["Europe", "Europe", "Asia east"]);
  assert.deepEqual(names, ["Alps & Po", "Rhine\nMain", "Asia east"]);
  assert.deepEqual(numbers, [1200, 7.5, null], "a merged number counts once");
});

test("the HTML of spreadsheet programs is pasted", async () => {
  const columns = createColumns("text", "number", "date");
  const expected = [["North sea", "South"], [1234.5, -7], ["2026-03-31", "2026-04-01"]];
  const excel = `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style><!--td {mso-number-format:General;} .xl65 {text-align:right;}--></style></head>
    <body link=blue><table border=0 cellpadding=0 style='border-collapse:collapse'><!--StartFragment--><col width=87 style='mso-width-source:userset'>
    <tr height=20 style='height:15.0pt'><td height=20 class=xl65>North
    sea</td><td class=xl65 align=right>&nbsp;1,234.50 </td><td align=right>31/03/2026</td></tr>
    <tr height=20><td>South</td><td align=right>(7.00)</td><td align=right>01/04/2026</td></tr><!--EndFragment--></table></body></html>`;
  const sheets = `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}--></style><table cellspacing="0" dir="ltr" style="table-layout:fixed">
    <colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr style="height:21px;"><td style="overflow:hidden" data-sheets-value="{&quot;1&quot;:2}">North sea</td><td style="text-align:right">1,234.5</td><td>31/03/2026</td></tr>
    <tr style="height:21px;"><td>South</td><td>-7</td><td>01/04/2026</td></tr></tbody></table></google-sheets-html-origin>`;
  const calc = `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"/><style type="text/css">body,td { font-family:"Liberation Sans" }</style></head><body><table cellspacing="0" border="0"><colgroup width="85"></colgroup>
    <tr><td height="17" align="left"><font face="Liberation Sans">North sea</font></td><td align="right" sdval="1234.5" sdnum="1033;"><font>1234.5</font></td><td align="right" sdval="46112" sdnum="1033;1033;DD/MM/YYYY">31/03/2026</td></tr>
    <tr><td align="left">South</td><td align="right" sdval="-7" sdnum="1033;">-7</td><td align="right">01/04/2026</td></tr></table></body></html>`;
  for (const html of [excel, sheets, calc]) assert.deepEqual(await pasteInto(columns, "not used", { html }), expected);
});

test("HTML in the clipboard runs no script and loads nothing", async () => {
  const html = '<table><tr><td>a<img src="/api/v1/user?pasted" onerror="window.pasted = true"><script>window.pasted = true</script></td><td>&lt;b&gt;</td></tr></table>';
  const requests = [];
  const record = (request) => requests.push(request.url());
  page.on("request", record);
  await pasteInto(createColumns("text", "text"), "", { html });
  assert.deepEqual(await grid.records(), [{ a: "a", b: "<b>" }]);
  assert.equal(await page.evaluate(() => window["pasted"]), undefined);
  assert.equal(await page.locator("chart-grid b").count(), 0);
  page.off("request", record);
  assert.deepEqual(requests.filter((url) => url.includes("pasted")), []);
});

test("CSV with quotes, separators and line breaks in fields is pasted", async () => {
  const [names, numbers, notes] = await pasteInto(createColumns("text", "number", "text"), 'name;value;note\r\n"Smith; ""Jo""";"1.200,5";"two\r\nlines"\r\nPlain "5""x";3,5;"open\r\n');
  assert.deepEqual(names, ["name", 'Smith; "Jo"', 'Plain "5""x"']);
  assert.deepEqual(numbers, ["value", 1200.5, 3.5]);
  assert.deepEqual(notes, ["note", "two\r\nlines", '"open']);
  assert.equal(await grid.cell(0, 1).getAttribute("aria-invalid"), "true");
  const [commas] = await pasteInto(createColumns("number"), "1,5\n2,25\n1.000,5");
  assert.deepEqual(commas, [1.5, 2.25, 1000.5]);
  const [words, more] = await pasteInto(createColumns("text", "text"), '"a,b",c\n"d",e\n');
  assert.deepEqual([words, more], [["a,b", "d"], ["c", "e"]]);
  const [sentence] = await pasteInto(createColumns("text", "text"), "Well, yes");
  assert.deepEqual(sentence, ["Well, yes"]);
});

test("copied cells come back unchanged, with quotes, line breaks and truth values", async () => {
  const columns = createColumns("text", "number", "boolean", "date");
  const records = [{ a: 'say "hi"\tnow', b: -1234567.25, c: true, d: "2026-03-04" }, { a: "two\nlines", b: 0.001, c: false }];
  for (const locale of ["en", "de", "hi-IN", "ar-EG"]) {
    await mountGrid(page, { columns, records, locale });
    await press("Tab");
    await grid.select(0, "a");
    await press("Control+a", "Control+c");
    await grid.select(2, "a");
    await press("Control+v");
    assert.deepEqual((await grid.records()).slice(2), records, locale);
    // Text only, as from an editor.
    await grid.writeClipboard(await grid.readClipboard());
    await grid.select(4, "a");
    await press("Control+v");
    assert.deepEqual((await grid.records()).slice(4), records, `${locale}, text`);
  }
  assert.match(await grid.readClipboard(), /^"say ""hi""\tnow"\t/);
});

test("the separators of numbers are decided per column, and by the language of the document otherwise", async () => {
  const columns = createColumns("number", "number", "number");
  const [decided, spaces, ambiguous] = await pasteInto(columns, "1.234\t1\u202f234,5\t1,234\n1.234,5\t−12\u00a0000 €\t2,345\nCHF 1'000\t(5)\t12.5k");
  assert.deepEqual(decided, [1234, 1234.5, 1000]);
  assert.deepEqual(spaces, [1234.5, -12000, -5]);
  assert.deepEqual(ambiguous, [1234, 2345, 12500]);
  const [german] = await pasteInto(columns.slice(0, 1), "1.234\n2.345\n12,5%\n", { locale: "de" });
  assert.deepEqual(german, [1234, 2345, 12.5]);
  const [read] = await pasteInto(columns.slice(0, 1), "1.234\n2.345", { locale: "de" });
  assert.deepEqual(read, [1234, 2345]);
  assert.equal(await grid.status(), "“1.234” in column A was read as 1234.");
  // Typed numbers follow the language, unless they have only one reading.
  await mountGrid(page, { columns, records: [{ a: 1234.5 }], locale: "de" });
  assert.equal(await grid.cell(0, 0).innerText(), "1234,5");
  await grid.select(0, "a");
  for (const text of ["1.500", "1,5", "1,200.75", "12 345"]) {
    await page.keyboard.type(text);
    await press("Enter");
  }
  assert.deepEqual(await getValues("a"), [1500, 1.5, 1200.75, 12345]);
  await press("ArrowUp", "F2");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "12345");
});

test("texts that are no number stay texts", async () => {
  const texts = ["1,23,4", "12.34.56", "1 000,000.5.1", "--5", "(5", "0x10", "1e999", "n/a", "5 apples", "Infinity", "1,234,56"];
  const [values] = await pasteInto(createColumns("number"), texts.join("\n"));
  assert.deepEqual(values, texts);
  assert.equal(await page.locator(".grid-cell[aria-invalid]").count(), texts.length);
});

test("the order of day and month is decided per column, and a text with two readings is reported", async () => {
  const columns = createColumns("date", "date", "date");
  const [dayFirst, monthFirst, words] = await pasteInto(columns, "03/04/2026\t3/4/26\t3 March 2026\n31/12/2026\t12/31/26\tMarch 5, 2026 14:30\n2026-05-06\t1/2/26\tQ3 2026", { locale: "en-US" });
  assert.deepEqual(dayFirst, ["2026-04-03", "2026-12-31", "2026-05-06"]);
  assert.deepEqual(monthFirst, ["2026-03-04", "2026-12-31", "2026-01-02"]);
  assert.deepEqual(words, ["2026-03-03", "2026-03-05 14:30", "Q3 2026"]);
  assert.equal(await grid.status(), "3 rows × 3 columns");
  const [british] = await pasteInto(columns.slice(0, 1), "03/04/2026\n05/06/2026\n30/02/2026\n4.5.2026\nsoon", { locale: "en-GB" });
  assert.deepEqual(british, ["2026-04-03", "2026-06-05", "30/02/2026", "2026-05-04", "soon"]);
  assert.equal(await grid.status(), "“03/04/2026” in column A was read as 2026-04-03.");
  assert.equal(await page.locator(".grid-cell[aria-invalid]").count(), 2);
  const [american] = await pasteInto(columns.slice(0, 1), "03/04/2026\n05/06/2026", { locale: "en-US" });
  assert.deepEqual(american, ["2026-03-04", "2026-05-06"]);
  const [german] = await pasteInto(columns.slice(0, 1), "3. März 2026\n3.4.26\nMär 2026", { locale: "de" });
  assert.deepEqual(german, ["2026-03-03", "2026-04-03", "2026-03"]);
});

test("truth values, choices and colors are read in their columns", async () => {
  const columns = [...createColumns("boolean", "color"), { key: "c", title: "C", type: "choice", choices: ["Open", "Done"] }];
  const [flags, colors, choices] = await pasteInto(columns, "TRUE\t red \topen\nnein\t#12345\tDONE\nmaybe\trgb(1 2 3)\tlater");
  assert.deepEqual(flags, [true, false, "maybe"]);
  assert.deepEqual(colors, ["red", "#12345", "rgb(1 2 3)"]);
  assert.deepEqual(choices, ["Open", "Done", "later"]);
  assert.equal(await page.locator(".grid-cell[aria-invalid]").count(), 3);
});

test("a large table is offered to the page, and pasted by the grid if the page does not take it", async () => {
  const columns = createColumns("text", "number");
  await mountGrid(page, { columns, records: [{ a: "x", b: 1 }] });
  await page.evaluate(() => (window["harness"].isPrevented = true));
  await grid.writeClipboard("n\tv\np\t5");
  await grid.select(0, "a");
  await press("Control+v");
  assert.deepEqual(await grid.others(), [["grid-paste-table", { text: "n\tv\np\t5", html: "", rows: [["n", "v"], ["p", "5"]] }]]);
  assert.deepEqual(await grid.changes(), []);
  await page.evaluate(() => (window["harness"].isPrevented = false));
  await press("Control+v");
  assert.deepEqual(await grid.records(), [{ a: "n", b: "v" }, { a: "p", b: 5 }]);
  assert.equal((await grid.others()).length, 2);
  // Not offered: a single cell, and a small table elsewhere.
  await grid.select(1, "a");
  await press("Control+v");
  await grid.writeClipboard("one");
  await press("Control+Home", "Control+v");
  assert.equal((await grid.others()).length, 2);
  await grid.writeClipboard(Array.from({ length: 6 }, (_, row) => `r${row}\t${row}`).join("\n"));
  await grid.select(1, "a");
  await press("Control+v");
  assert.equal((await grid.others()).length, 3, "more than 3 by 3 cells anywhere");
});

test("a paste repeats to fill the selection", async () => {
  await mountGrid(page, { columns: createColumns("number", "text", "number"), records: [{}, {}, {}, {}] });
  await grid.writeClipboard("1,000");
  await grid.select(0, "a");
  await press("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "Control+v");
  assert.deepEqual(await grid.records(), [...Array(3).fill({ a: 1000, b: "1,000" }), {}]);
  await grid.writeClipboard("5\n6");
  await grid.select(0, "c");
  await press("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "Control+v");
  assert.deepEqual(await getValues("c"), [5, 6, 5, 6]);
});

test("a paste into an open edit inserts text", async () => {
  await mountGrid(page, { columns: createColumns("text"), records: [{ a: "Old " }] });
  await grid.writeClipboard("two\nlines");
  await grid.select(0, "a");
  await press("F2", "Control+v", "Enter");
  assert.deepEqual(await getValues("a"), ["Old two lines"]);
});

test("50,000 cells are smooth, and 12,000 pasted cells are usable quickly", async () => {
  const columns = createColumns(...Array(10).fill("number"));
  await mountGrid(page, { columns, records: [] });
  await page.evaluate(() => {
    const { grid } = window["harness"];
    grid.records = Array.from({ length: 5000 }, (_, row) => Object.fromEntries(grid.columns.map(({ key }, column) => [key, row * 10 + column])));
  });
  await grid.select(4999, "j");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "49,999");
  const countElements = () => page.locator("chart-grid *").count();
  assert.ok((await countElements()) < MAX_ELEMENTS, `${await countElements()} elements`);
  const frames = await page.evaluate(async () => {
    const scroller = document.querySelector(".grid-scroller");
    const times = [];
    for (let step = 0; step < 60; step += 1) {
      const start = performance.now();
      scroller.scrollTop = step * 1700;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b);
  });
  console.log(`     scrolling 50,000 cells: median ${Math.round(frames[30])} ms, p95 ${Math.round(frames[57])} ms per frame, ${await countElements()} elements`);
  assert.ok(frames[30] < 250, `${frames[30]} ms per frame`);
  assert.ok((await countElements()) < MAX_ELEMENTS, "scrolled rows are removed");
  // The active cell keeps the focus out of sight, and typing goes to it.
  await page.keyboard.type("7");
  assert.equal(await page.evaluate(() => window["harness"].grid.records[4999].j), 7);
  await press("Escape");

  await mountGrid(page, { columns: createColumns(...Array(12).fill("number")), records: [] });
  await grid.writeClipboard(Array.from({ length: 1000 }, (_, row) => Array.from({ length: 12 }, (_, column) => `${row},${String(100 + column)}.5`).join("\t")).join("\n"));
  await grid.select(0, "a");
  await page.evaluate(() => {
    addEventListener("keydown", () => (window["pasteStart"] = performance.now()), { capture: true, once: true });
    addEventListener("paste", () => requestAnimationFrame(() => setTimeout(() => (window["pasteMs"] = performance.now() - window["pasteStart"]))), { once: true });
  });
  await page.keyboard.down("Control");
  await page.keyboard.press("v");
  await page.keyboard.up("Control");
  const milliseconds = await (await page.waitForFunction(() => window["pasteMs"])).jsonValue();
  console.log(`     paste of 12,000 cells: ${Math.round(milliseconds)} ms until painted`);
  assert.equal((await grid.records()).length, 1000);
  assert.equal((await grid.records())[999].l, 999111.5);
  assert.ok(milliseconds < MAX_PASTE_MS, `${milliseconds} ms`);
  assert.ok((await countElements()) < MAX_ELEMENTS);
});

test("a long table that is pasted or selected shows its start, and fewer records scroll the grid", async () => {
  await mountGrid(page, { columns: createColumns("text", "number"), records: [{ a: "old", b: 1 }] });
  await grid.writeClipboard(Array.from({ length: 500 }, (_, row) => `row ${row}\t${row}`).join("\n"));
  await grid.select(0, "a");
  await press("Control+v");
  const readScrollTop = () => page.evaluate(() => document.querySelector(".grid-scroller").scrollTop);
  assert.equal(await readScrollTop(), 0);
  assert.deepEqual(await page.evaluate(() => window["harness"].grid.range), { top: 0, bottom: 499, left: 0, right: 1 });
  await press("Control+a");
  assert.equal(await readScrollTop(), 0);
  // The other end of the selection is shown where the user moves it.
  await press("Control+Shift+ArrowDown");
  assert.ok((await readScrollTop()) > 0);
  const shownTexts = await page.evaluate(() => {
    const { grid } = window["harness"];
    grid.records = grid.records.slice(0, 30);
    grid.flush();
    return Array.from(document.querySelectorAll("chart-grid [role=gridcell]"), (cell) => cell.textContent);
  });
  assert.ok(shownTexts.includes("row 29"), shownTexts.join());
});

test("many columns are rendered in part, and more than 200,000 cells are cut with a note", async () => {
  const columns = Array.from({ length: 400 }, (_, index) => ({ key: `c${index}`, title: `C${index}`, type: "number" }));
  await mountGrid(page, { columns, records: [{ c399: 5 }, { c0: 1 }] });
  await grid.select(0, "c399");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "5");
  assert.ok((await page.locator(".grid-cell").count()) < 400);
  await press("Control+ArrowLeft");
  assert.equal((await grid.selection()).key, "c0");
  await mountGrid(page, { columns: createColumns("number", "number"), records: [] });
  await page.evaluate(() => void (window["harness"].grid.records = Array.from({ length: 150_000 }, (_, row) => ({ a: row }))));
  await page.getByText("Only the first 100,000 of 150,000 rows are shown.").waitFor();
  await grid.select(0, "a");
  await press("Control+ArrowDown");
  assert.equal((await grid.selection()).row, 99_999);
});

test("a grid without columns, hidden, moved in the page or with odd values renders without an error", async () => {
  await mountGrid(page, { columns: [], records: [{ a: 1 }] });
  await page.locator(".grid-corner").click();
  await page.evaluate(() => {
    const { grid } = window["harness"];
    grid.selectCell(5, "unknown");
    grid.hidden = true;
    grid.columns = [{ key: "a", title: "A", type: "number" }, { key: "b", title: "B", type: "text" }];
    grid.records = [{ a: 1, b: ["x", 2] }, { a: false, b: { c: 1 } }, { a: null, b: 0 }, {}];
    grid.remove();
    document.querySelector("main").append(grid);
    grid.hidden = false;
  });
  await grid.cell(3, 1).waitFor();
  assert.equal(await grid.cell(0, 1).innerText(), '["x",2]');
  assert.equal(await grid.cell(1, 0).getAttribute("title"), "“No” is not a number.");
  await grid.select(99, "b");
  assert.equal((await grid.selection()).row, 4);
  await page.evaluate(() => (window["harness"].grid.records = [{ a: 1 }]));
  await press("ArrowUp");
  assert.equal((await grid.selection()).row, 0, "the selection moves to the rows that are left");
  await page.keyboard.type("z");
  await press("Enter");
  assert.deepEqual(await grid.records(), [{ a: 1, b: "z" }]);
});

test("columns are as wide as their headers need, up to a limit", async () => {
  const columns = [
    { key: "a", title: "Inhabitants, thousands", type: "number", required: true },
    { key: "b", title: "b", type: "boolean" },
    { key: "c", title: `Long ${"name ".repeat(30)}`, type: "number" },
  ];
  await mountGrid(page, { columns, records: [{ a: 1 }] });
  const read = (index) => grid.heading(index).evaluate((cell) => ({ width: cell.offsetWidth, isCut: cell.querySelector(".grid-title").scrollWidth > cell.querySelector(".grid-title").clientWidth }));
  const [long, short, longest] = [await read(0), await read(1), await read(2)];
  assert.ok(long.width > 170 && !long.isCut, JSON.stringify(long));
  assert.deepEqual([short.width, longest.width, longest.isCut], [104, 240, true]);
});

test("Ctrl+C in a column header copies the column with its title", async () => {
  await mountGrid(page);
  await grid.heading(1).locator(".grid-title").click();
  assert.deepEqual(await grid.selection(), { row: -1, key: "s1", rows: [0, 3], keys: ["s1"] });
  await press("Control+c");
  assert.equal(await grid.readClipboard(), "2025\n1200\n640\n310\n95");
});

test("fingers select with a tap, edit with a second one, and get higher rows", async () => {
  const touchPage = await openPage(session.browser, session.server, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  await signIn(touchPage, session.server.welcome.sign_in);
  await mountGrid(touchPage);
  const touch = createDriver(touchPage);
  await touch.cell(1, 0).tap();
  assert.deepEqual(await touch.selection(), { row: 1, key: "label", rows: [1, 1], keys: ["label"] });
  assert.equal((await touch.cell(1, 0).boundingBox())?.height, 40);
  assert.equal(await touch.cell(1, 0).getAttribute("inputmode"), "none");
  await touch.cell(1, 0).tap();
  await touchPage.keyboard.type("!");
  await touch.cell(0, 1).tap();
  assert.equal((await touch.records())[1].label, "South!");
  await touch.heading(0).locator(".grid-menu-button").tap();
  await touch.menuItem("Sort descending").tap();
  assert.equal((await touch.records())[0].label, "West");
  await assertAccessible(touchPage, "grid-touch");
  assertNoErrors(touchPage);
  await touchPage.context().close();
});

test("arrows, order of the columns and dragging follow the direction of the text", async () => {
  await mountGrid(page);
  await page.evaluate(() => (window["harness"].grid.dir = "rtl"));
  await grid.select(0, "label");
  await press("ArrowLeft");
  assert.equal((await grid.selection()).key, "s1");
  await press("Alt+Shift+ArrowLeft");
  assert.deepEqual((await grid.columns()).map(({ key }) => key), ["label", "s2", "s1", "note"]);
  const [first, last] = [await grid.center(grid.cell(0, 0)), await grid.center(grid.cell(1, 2))];
  assert.ok(first.x > last.x, "the first column is on the right");
  await grid.drag(first, last);
  assert.deepEqual(await grid.selection(), { row: 0, key: "label", rows: [0, 1], keys: ["label", "s2", "s1"] });
  await assertAccessible(page, "grid-rtl");
  // The commands that fill have the directions of the screen.
  await grid.select(0, "label");
  await press("Shift+ArrowLeft", "Shift+F10");
  await grid.menuItem("Fill left").click();
  assert.equal((await grid.records())[0].s2, "North");
  await press("Control+z");
  const edge = await grid.center(grid.heading(0).locator(".grid-edge"));
  await grid.drag(edge, { x: edge.x - 40, y: edge.y });
  assert.equal((await grid.columns())[0].width, 208);
});

test("selection, focus and problems are visible in forced colors", async () => {
  await mountGrid(page, { records: [{ label: "a", s1: "many" }, { label: "b" }, { label: "c" }], highlightedRows: [2] });
  await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
  await grid.select(0, "label");
  await press("Shift+ArrowDown");
  const getStyle = (locator, name) => locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);
  assert.notEqual(await getStyle(grid.cell(1, 0), "background-color"), await getStyle(grid.cell(2, 0), "background-color"));
  assert.equal(await getStyle(grid.cell(0, 0), "outline-style"), "solid");
  assert.equal(await getStyle(grid.cell(0, 1), "border-top-style"), "dotted");
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/grid-forced-colors.png` });
  await page.emulateMedia({ forcedColors: "none", colorScheme: "light" });
});

await runTests(session.close);
