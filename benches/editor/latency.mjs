// Measures the time from a key press in the chart editor to the painted picture, and the weight of the page.
//
// Usage: (cd tests/web && npm ci) && CHARTROOM=path/to/chartroom node benches/editor/latency.mjs
//
// Types digits into a cell of charts of five kinds with 20, 200 and 2,000 rows, on this machine, and prints the
// median and the 95th percentile in milliseconds. The time ends after the frame in which the new picture is in the
// page. The first key of each chart is not counted.

import { callApi, launchBrowser, openPage, signIn, startServer } from "../../tests/web/lib.mjs";

const KINDS = ["bar", "line", "grouped-column", "scatter", "table"];
const ROW_COUNTS = [20, 200, 2000];
const KEY_COUNT = 30;
const KEY_PAUSE_MS = 250;

/** Returns records that suit all of the kinds. */
const createRecords = (count) => Array.from({ length: count }, (_, index) => ({ label: `Item ${index + 1}`, value: ((index * 7919) % 997) + 1, x: index, y: ((index * 104729) % 1009) + 1, s1: index % 50, s2: (index * 3) % 70 }));

/** Returns a quantile of sorted numbers. */
const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);

console.log("kind            rows   p50 ms   p95 ms   render p50 ms");
for (const widget of KINDS) {
  for (const count of ROW_COUNTS) {
    const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget });
    const path = new URL(endpoint).pathname.replace("/api/v1", "");
    await callApi(page, "PUT", `${path}/data?mapping=none`, createRecords(count));
    await page.goto(new URL(document_view).pathname);
    await page.locator("chart-grid [role=gridcell]").first().waitFor();
    await page.waitForFunction(() => document.querySelector(".paper")?.shadowRoot?.querySelector("svg"));
    await page.waitForTimeout(1000);
    await page.evaluate(() => {
      const root = document.querySelector(".paper").shadowRoot;
      window.times = [];
      let pressed = 0;
      // The oldest digit without a picture. The keys that end an edit change no picture.
      document.addEventListener("keydown", ({ key }) => /^\d$/.test(key) && (pressed ||= performance.now()), true);
      new MutationObserver(() => {
        const start = pressed;
        if (start) requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - start)));
        pressed = 0;
      }).observe(root, { childList: true });
    });
    const cell = page.locator('chart-grid [role=row][aria-rowindex="3"] [role=gridcell]').nth(1);
    await cell.click();
    // Each key changes one cell: Enter ends the edit and moves down.
    for (let key = 0; key < KEY_COUNT; key += 1) {
      await page.keyboard.type(String((key % 9) + 1));
      await page.keyboard.press(key % 2 ? "ArrowUp" : "Enter");
      await page.waitForTimeout(KEY_PAUSE_MS);
    }
    const times = (await page.evaluate(() => window.times)).slice(1).sort((a, b) => a - b);
    const renders = await page.evaluate(() => performance.getEntriesByType("resource").filter((entry) => entry.name.includes("/render?")).map((entry) => entry.duration));
    renders.sort((a, b) => a - b);
    const cells = [quantile(times, 0.5), quantile(times, 0.95), quantile(renders, 0.5)].map((value) => (value ?? NaN).toFixed(1).padStart(8));
    console.log(`${widget.padEnd(15)} ${String(count).padStart(4)} ${cells.join(" ")}   (${times.length} pictures)`);
  }
}

// Weight of the page for a first visit, compressed.
const fresh = await openPage(chromium, server);
await signIn(fresh, server.welcome.sign_in);
const session = await fresh.context().newCDPSession(fresh);
await session.send("Network.enable");
await session.send("Network.setCacheDisabled", { cacheDisabled: true });
let [bytes, requests] = [0, 0];
session.on("Network.loadingFinished", ({ encodedDataLength }) => {
  bytes += encodedDataLength;
  requests += 1;
});
const { endpoint: _, document_view } = await callApi(fresh, "POST", "/create-document", { widget: "bar" });
[bytes, requests] = [0, 0];
await fresh.goto(new URL(document_view).pathname);
await fresh.locator("chart-grid [role=gridcell]").first().waitFor();
const usable = await fresh.evaluate(() => performance.now());
await fresh.waitForTimeout(1500);
console.log(`page: ${requests} requests, ${Math.round(bytes / 1000)} kB compressed, grid usable after ${Math.round(usable)} ms`);
await chromium.close();
await server.remove();
