// Tests of a library with 1,000 folders: every folder is reachable, and no action blocks the page for long.

import assert from "node:assert/strict";
import { assertAccessible, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

/** Number of folders in the root folder. */
const FOLDER_COUNT = 1000;
/** Number of folders that another user shares, more than fit on one page. */
const SHARED_COUNT = 101;
/** Maximum processor time of the page for an action, in milliseconds. About three times the time of the slowest. */
const MAX_ACTION_MS = 10_000;

const password = "correct horse battery";
const server = await startServer({ demo: false });
for (const name of ["ann", "ben"]) {
  await runCommand(server.dataDirectory, ["user", "create", "--email", `${name}@example.org`, "--name", name, "--password-stdin"], password);
}
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, { email: "ann@example.org", password });

const formatName = (index) => `Folder ${String(index).padStart(4, "0")}`;
const countCards = () => page.locator("ul.folders > li").count();

/** Creates folders in the root folder of the user of a page. Shares them with Ann if `isShared` is set. */
async function createFolders(page, count, isShared) {
  const names = Array.from({ length: count }, (_, index) => formatName(index));
  const { id } = await callApi(page, "GET", "/user");
  await page.evaluate(
    async ([names, owner, isShared]) => {
      const send = async (method, path, body) => {
        const response = await fetch(`/api/v1${path}`, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      };
      while (names.length) {
        await Promise.all(names.splice(0, 20).map(async (name) => {
          await send("PUT", `/users/me/folders/${encodeURIComponent(name)}`, {});
          if (isShared) await send("POST", "/share", { owner, folder: `/${name}`, email: "ann@example.org" });
        }));
      }
    },
    [names, id, isShared],
  );
}

const devTools = await page.context().newCDPSession(page);
await devTools.send("Performance.enable");

/** Returns the processor time that the main thread of the page has used, in milliseconds. */
async function readProcessorTime() {
  const { metrics } = await devTools.send("Performance.getMetrics");
  return (metrics.find((metric) => metric.name === "ThreadTime")?.value ?? Number.NaN) * 1000;
}

/**
 * Runs an action in the page and waits for the next frame. Prints the processor time that the page needs, and
 * fails if it needs too much. Other programs on the machine do not change that time.
 */
async function measure(name, action) {
  const start = await readProcessorTime();
  await action();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const duration = Math.round((await readProcessorTime()) - start);
  console.log(`     ${name}: ${duration} ms`);
  assert.ok(duration < MAX_ACTION_MS, `${name} took ${duration} ms`);
}

/** Presses "More folders" until the page shows all folders. */
async function loadAllFolders(count) {
  const button = page.getByRole("button", { name: "More folders" });
  for (let shown = await countCards(); await button.isVisible(); shown = await countCards()) {
    assert.ok(shown < count, `${shown} folders and still a button for more`);
    await measure(`load the folders after the first ${shown}`, async () => {
      await button.click();
      await page.waitForFunction((shown) => document.querySelectorAll("ul.folders > li").length > shown, shown);
    });
  }
  const titles = await page.locator("ul.folders .title").allInnerTexts();
  assert.equal(new Set(titles).size, count);
}

test("every folder of a large library is reachable, and no action blocks the page for long", async () => {
  await createFolders(page, FOLDER_COUNT, false);
  await page.goto("/");
  await page.waitForFunction((count) => document.querySelectorAll("#places a").length > count, FOLDER_COUNT);
  assert.ok((await countCards()) < FOLDER_COUNT);
  await assertAccessible(page, "folders-more");
  await loadAllFolders(FOLDER_COUNT);
  await measure("scroll to the end", () => page.evaluate(() => window.scrollTo(0, document.body.scrollHeight)));
  await measure("select one folder", () => page.locator("ul.folders .pick input").first().check({ force: true }));
  await measure("select all folders", () => page.keyboard.press("Control+a"));
  await page.getByText(`${FOLDER_COUNT} selected`).waitFor();
  await measure("clear the selection", () => page.keyboard.press("Escape"));
  const rootToggle = page.getByRole("button", { name: "Folders in My charts" });
  await measure("close the tree", () => rootToggle.click());
  assert.equal(await page.locator("#places a").count(), 1);
  await measure("open the tree", () => rootToggle.click());
  assert.equal(await page.locator("#places a").count(), FOLDER_COUNT + 1);

  // A change reloads as many folders as before.
  await page.locator("ul.folders .title").last().focus();
  await measure("rename the last folder", async () => {
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name" }).fill("Folder 1000");
    await page.keyboard.press("Enter");
    await page.locator("ul.folders .title", { hasText: "Folder 1000" }).waitFor();
  });
  assert.equal(await countCards(), FOLDER_COUNT);
  await measure("open the dialog for a move", async () => {
    await page.locator("ul.folders .title").first().focus();
    await page.keyboard.press("m");
    await page.locator("dialog[open] .place").last().waitFor({ state: "attached" });
  });
  assert.equal(await page.locator("dialog[open] .place").count(), FOLDER_COUNT + 1);
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("every shared folder is reachable", async () => {
  const owner = await openPage(chromium, server);
  await signIn(owner, { email: "ben@example.org", password });
  await createFolders(owner, SHARED_COUNT, true);
  await owner.context().close();
  await page.goto("/shared");
  await page.getByRole("button", { name: "More folders" }).waitFor();
  await loadAllFolders(SHARED_COUNT);
  assertNoErrors(page);
});

test("every folder is reachable by links without scripts", async () => {
  const plainPage = await openPage(chromium, server, { javaScriptEnabled: false });
  await signIn(plainPage, { email: "ann@example.org", password });
  const titles = new Set();
  const next = plainPage.getByRole("link", { name: "Next folders" });
  for (let isLast = false; !isLast; ) {
    (await plainPage.locator("ul.folders .name").allInnerTexts()).forEach((title) => titles.add(title));
    isLast = !(await next.isVisible());
    if (!isLast) await plainPage.goto((await next.getAttribute("href")) ?? "");
  }
  assert.equal(titles.size, FOLDER_COUNT);
  await plainPage.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
