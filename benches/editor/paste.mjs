// Measures the time from a paste of 12,000 cells in the chart editor until the grid shows them and takes the next key.
//
// Usage: (cd tests/web && npm ci) && CHARTROOM=path/to/chartroom node benches/editor/paste.mjs
//
// Pastes tables with 1,000 rows and 12 columns at the first cell of a chart, as a spreadsheet program copies them, and
// prints the times in milliseconds: of the first paste after the page was opened, and the median of the next ones.

import { callApi, launchBrowser, openPage, signIn, startServer } from "../../tests/web/lib.mjs";

const [ROWS, COLUMNS, PASTES, PAGES] = [1000, 12, 9, 3];

/** Returns a table with a name and numbers in each row. The first name tells the tables apart. */
const createTable = (number) =>
  Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, column) => (column === 0 ? `Table ${number} row ${row}` : (((row * 7919 + column * 131 + number) % 100_000) / 100).toFixed(2))).join("\t"),
  ).join("\n");

/** Returns the median of numbers. */
const findMedian = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);

const [first, later] = [[], []];
for (let visit = 0; visit < PAGES; visit += 1) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "line" });
  await callApi(page, "PUT", `${new URL(endpoint).pathname.replace("/api/v1", "")}/data`, [{ label: "A", s1: 1 }, { label: "B", s1: 2 }]);
  await page.goto(new URL(document_view).pathname);
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await page.waitForTimeout(2000);
  for (let paste = 0; paste < PASTES; paste += 1) {
    await page.keyboard.press("Escape");
    await page.locator("chart-grid [role=gridcell]").first().click();
    const time = await page.evaluate(
      ([text, name]) =>
        new Promise((resolve) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const start = performance.now();
          const check = () => {
            const cell = document.querySelector('chart-grid [role=row][aria-rowindex="2"] [role=gridcell]');
            if (!cell?.textContent?.includes(name)) return requestAnimationFrame(check);
            // After the frame with the cells, when the next key can be handled.
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
          };
          document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
          check();
        }),
      [createTable(visit * PASTES + paste), `Table ${visit * PASTES + paste} row 0`],
    );
    (paste === 0 ? first : later).push(time);
    await page.waitForTimeout(1500);
  }
}
console.log(`first paste ${first.map((time) => time.toFixed(0)).join(", ")} ms; next ones: median ${findMedian(later).toFixed(0)} ms, maximum ${Math.max(...later).toFixed(0)} ms`);
await chromium.close();
await server.remove();
