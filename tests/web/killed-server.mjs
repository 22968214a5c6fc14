// Tests of the chart editor while the server is killed during saves: nothing that a person typed is lost.

import assert from "node:assert/strict";
import { assertNoErrors, runTests, signIn, startServer, test } from "./lib.mjs";
import * as driver from "./editor-driver.mjs";
import { chromium, createChart, openEditor, page, readDocument, typeIntoCell, waitForEditor, waitForState } from "./editor-driver.mjs";

let server = driver.server;
const listen = new URL(server.baseUrl).host;
const ROWS = 12;

/** Kills the server. */
const kill = () => server.stop("SIGKILL");

/** Starts the server again with its data. */
async function restart() {
  server = await startServer({ demo: false, directory: server.dataDirectory, listen });
}

const createRows = () => Array.from({ length: ROWS }, (_, row) => ({ label: `Place ${row + 1}`, value: row }));

/** Checks that a document has exactly the values that were typed. */
async function assertValues(chart, values) {
  assert.deepEqual((await readDocument(chart)).data.map(({ value }) => value), values);
}

/** Moments of a kill: the save has not reached the server, it is being stored, or it is stored and its response gets lost. */
const MOMENTS = {
  before: async () => kill(),
  during: async (route) => {
    const response = route.fetch().catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 1));
    await kill();
    await response;
  },
  after: async (route) => {
    assert.equal((await route.fetch()).status(), 200);
    await kill();
  },
};

test("edits before, during and after a kill are stored once the server is back", async () => {
  const chart = await createChart("Killed", { data: createRows() });
  await openEditor(chart);
  const values = createRows().map(({ value }) => value);
  const type = async (row, value) => {
    values[row] = value;
    await typeIntoCell(row, 1, String(value));
  };
  for (const [round, moment] of ["before", "during", "after", "during", "after", "before", "during", "after", "during"].entries()) {
    /** @type {() => void} */
    let confirm = () => {};
    const killed = new Promise((resolve) => (confirm = resolve));
    let isHit = false;
    await page.route("**/documents/*", async (route) => {
      if (isHit || route.request().method() !== "PUT") return route.continue();
      isHit = true;
      await MOMENTS[moment](route);
      await route.abort();
      return confirm();
    });
    // The page may save before the key does it.
    await type(round, 100 + round);
    await page.keyboard.press("Control+s");
    await killed;
    await page.unroute("**/documents/*");
    await type(round + 1, 200 + round);
    await restart();
    await type(round + 2, 300 + round);
    await waitForState("Saved");
    await assertValues(chart, values);
  }
});

test("edits during a kill return after the page was closed too", async () => {
  const chart = await createChart("Killed and closed", { data: createRows() });
  const context = await chromium.newContext({ baseURL: server.baseUrl });
  const first = await context.newPage();
  await signIn(first, { email: "ann@example.org", password: driver.PASSWORD });
  await openEditor(chart, first);
  const values = createRows().map(({ value }) => value);
  for (let round = 0; round < 3; round += 1) {
    const tab = await context.newPage();
    await openEditor(chart, tab);
    await typeIntoCell(round, 1, String(500 + round), tab);
    await tab.keyboard.press("Control+s");
    await tab.waitForTimeout(2 * round);
    await kill();
    await typeIntoCell(round + 3, 1, String(600 + round), tab);
    // The journal has a change 100 ms later.
    await tab.waitForTimeout(200);
    await tab.close();
    await restart();
    const reopened = await context.newPage();
    await reopened.goto(chart.view);
    await waitForEditor(reopened);
    [values[round], values[round + 3]] = [500 + round, 600 + round];
    await reopened.waitForFunction((text) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(text), String(600 + round));
    await waitForState("Saved", reopened);
    await reopened.close();
    await assertValues(chart, values);
  }
  await context.close();
});

test("there were no script errors", async () => assertNoErrors(page));

await runTests(async () => {
  await driver.cleanUp();
  await server.stop();
});
