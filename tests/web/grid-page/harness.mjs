// Puts a data grid into a page of the server and plays the part of the editor: it applies the changes, and keeps
// the history for undo and redo.

import { assertNoErrors, launchBrowser, openPage, signIn, startServer } from "../lib.mjs";

/** Columns and records of the grid at the start of each test. */
export const SALES_COLUMNS = [
  { key: "label", title: "Region", type: "text", required: true, role: "label" },
  { key: "s1", title: "2025", type: "number", role: "series", isRepeated: true },
  { key: "s2", title: "2026", type: "number", role: "series", isRepeated: true },
  { key: "note", title: "Note", type: "text", isExtra: true },
];
export const SALES_RECORDS = [
  { label: "North", s1: 1200, s2: 1350.5 },
  { label: "South", s1: 640, s2: 700, note: "new shop" },
  { label: "East", s1: 310, s2: 290 },
  { label: "West", s1: 95, s2: 120 },
];

/** Starts a server and a browser, and opens a page with an empty place for grids. */
export async function openGridPage(options = {}) {
  const server = await startServer();
  const browser = await launchBrowser();
  const page = await openPage(browser, server, { permissions: ["clipboard-read", "clipboard-write"], ...options });
  await signIn(page, server.welcome.sign_in);
  await page.locator("#account").waitFor({ state: "attached" });
  return {
    page,
    browser,
    server,
    /** Ends browser and server, and fails if the page had errors. */
    async close() {
      await browser.close();
      await server.remove();
      assertNoErrors(page);
    },
  };
}

/**
 * Puts a grid with these properties between two buttons into the page. `window.harness` has the grid, its
 * events and the history.
 */
export async function mountGrid(page, properties = {}) {
  const { columns = SALES_COLUMNS, records = SALES_RECORDS, height = 360, highlightedRows = [], ...others } = properties;
  await page.evaluate(
    async ({ properties, height, highlightedRows }) => {
      const styleSheet = /** @type {HTMLLinkElement} */ (document.querySelector('link[href$="css/bundle-base.css"]'));
      const base = styleSheet.href.replace("css/bundle-base.css", "");
      await import(`${base}js/grid.js`);
      if (!document.querySelector('link[href$="css/grid.css"]')) {
        const link = document.createElement("link");
        link.rel = "stylesheet";
        link.href = `${base}css/grid.css`;
        document.head.append(link);
        await new Promise((resolve) => link.addEventListener("load", resolve));
      }
      const main = /** @type {HTMLElement} */ (document.querySelector("main"));
      const grid = /** @type {any} */ (document.createElement("chart-grid"));
      grid.setAttribute("aria-label", "Data of the chart");
      Object.assign(grid, properties, { highlightedRows: new Set(highlightedRows) });
      grid.style.height = `${height}px`;
      const createButton = (text) => Object.assign(document.createElement("button"), { textContent: text, className: "button" });
      const heading = Object.assign(document.createElement("h1"), { textContent: "Grid" });
      main.replaceChildren(heading, createButton("Before"), grid, createButton("After"));
      const harness = { grid, changes: [], selects: [], others: [], undo: [], redo: [], isPrevented: false };
      const apply = ({ records, columns }) => {
        grid.records = records;
        if (columns) grid.columns = columns;
      };
      grid.addEventListener("grid-change", ({ detail }) => {
        const last = harness.undo.at(-1);
        if (last?.mergeKey !== detail.mergeKey) harness.undo.push({ records: grid.records, columns: grid.columns, mergeKey: detail.mergeKey });
        harness.redo = [];
        harness.changes.push(detail);
        apply(detail);
      });
      grid.addEventListener("grid-select", ({ detail }) => harness.selects.push(detail));
      for (const name of ["grid-map-column", "grid-paste-table"]) {
        grid.addEventListener(name, (event) => {
          harness.others.push([name, event.detail]);
          if (harness.isPrevented) event.preventDefault();
        });
      }
      const travel = (from, to) => {
        const state = from.pop();
        if (!state) return;
        to.push({ records: grid.records, columns: grid.columns, mergeKey: "" });
        apply(state);
      };
      // The events bubble to the page.
      main.addEventListener("grid-undo", () => travel(harness.undo, harness.redo));
      main.addEventListener("grid-redo", () => travel(harness.redo, harness.undo));
      window["harness"] = harness;
    },
    { properties: { columns, records, ...others }, height, highlightedRows },
  );
  await page.evaluate(() => document.fonts.ready);
}

/** Functions that drive the grid of a page and read its state. */
export function createDriver(page) {
  return {
    records: () => page.evaluate(() => window["harness"].grid.records),
    columns: () => page.evaluate(() => window["harness"].grid.columns),
    changes: () => page.evaluate(() => window["harness"].changes),
    selection: () => page.evaluate(() => window["harness"].selects.at(-1)),
    others: () => page.evaluate(() => window["harness"].others),
    select: (row, key) => page.evaluate(([row, key]) => window["harness"].grid.selectCell(row, key), /** @type {const} */ ([row, key])),
    /** Presses keys one after the other. */
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    /** Element of a cell by row and column, both from 0. */
    cell: (row, column) => page.locator(`.grid-row[aria-rowindex="${row + 2}"] .grid-cell[aria-colindex="${column + 2}"]`),
    heading: (column) => page.locator(`.grid-heading[aria-colindex="${column + 2}"]`),
    index: (row) => page.locator(`.grid-row[aria-rowindex="${row + 2}"] .grid-index`),
    status: () => page.locator(".grid-status").innerText(),
    menuItem: (name) => page.getByRole("menu").getByText(name, { exact: true }),
    readClipboard: () => page.evaluate(() => navigator.clipboard.readText()),
    /** Writes text and HTML to the clipboard, as another program does it: without sanitizing the HTML. */
    writeClipboard: (text, html = "") =>
      page.evaluate(
        ([text, html]) => {
          const write = (event) => {
            event.clipboardData.setData("text/plain", text);
            if (html) event.clipboardData.setData("text/html", html);
            event.preventDefault();
            event.stopPropagation();
          };
          addEventListener("copy", write, { capture: true, once: true });
          if (!document.execCommand("copy")) throw new Error("nothing was copied");
        },
        /** @type {const} */ ([text, html]),
      ),
    async drag(from, to, { steps = 6 } = {}) {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps });
      await page.mouse.up();
    },
    async center(locator) {
      const box = await locator.boundingBox();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    },
  };
}
