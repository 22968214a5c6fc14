// Tests of long lists in the library in a browser: loading, scrolling, focus, sorting, stars, and the dialog for a new chart.

import assert from "node:assert/strict";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, recordErrors, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);
/** Cookies of Ann, for other windows. */
const storageState = await page.context().storageState();

const findDialog = () => page.locator("dialog[open]");
const findToast = (text) => page.locator(".toast", { hasText: text });
const getFocusedTitle = () => page.evaluate(() => document.activeElement?.closest("[data-key]")?.querySelector(".title")?.textContent ?? document.activeElement?.tagName);
/** Opens a page in a new window of Ann. */
async function openWindow(options) {
  const newPage = await openPage(chromium, server, { storageState, ...options });
  await newPage.context().addInitScript(() => {
    window["layoutShift"] = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window["layoutShift"] += /** @type {any} */ (entry).value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  return newPage;
}
/** Creates charts of Ann in a new folder, the last one first in the list. Returns the path of its page. */
async function createCharts(folder, titles, widget = "bar") {
  const user = await callApi(page, "GET", "/user");
  await callApi(page, "PUT", `/users/me/folders/${encodeURIComponent(folder)}`, {});
  for (const title of titles) {
    const { endpoint } = await callApi(page, "POST", "/create-document", { widget, folder: `/${folder}` });
    await callApi(page, "PATCH", new URL(endpoint).pathname.replace("/api/v1", ""), { title });
  }
  return `/f/${user.id}/${encodeURIComponent(folder)}`;
}
const listTitles = (target = page) => target.locator("ul.charts .title").allTextContents();

test("a first view of 48 charts loads the visible thumbnails first, needs little data, and nothing moves", async () => {
  for (const path of ["/recent", "/"]) {
    const slowPage = await openWindow();
    const client = await slowPage.context().newCDPSession(slowPage);
    await client.send("Network.enable");
    await client.send("Network.emulateNetworkConditions", { offline: false, latency: 200, downloadThroughput: 200_000, uploadThroughput: 100_000 });
    const requests = [];
    let byteCount = 0;
    client.on("Network.requestWillBeSent", ({ request }) => requests.push(request.url));
    client.on("Network.loadingFinished", ({ encodedDataLength }) => (byteCount += encodedDataLength));
    await slowPage.goto(path);
    await slowPage.locator("#places .branch").first().waitFor();
    await slowPage.waitForLoadState("networkidle");
    assert.equal(await slowPage.locator("ul.charts > li").count(), 48);
    assert.ok(requests.length <= 60, `${path}: ${requests.length} requests`);
    assert.ok(byteCount <= 600_000, `${path}: ${byteCount} bytes`);
    assert.ok(requests.some((url) => url.endsWith("/fonts/regular-latin.woff2")));
    assert.ok(!requests.some((url) => /\.ttf|latin-extended|cyrillic/.test(url)));
    const shift = await slowPage.evaluate(() => window["layoutShift"]);
    assert.ok(shift < 0.005, `${path}: layout shift ${shift}`);
    const images = await slowPage.locator("ul.charts img").evaluateAll((elements) => elements.map((image) => {
      const { top, bottom, height } = image.getBoundingClientRect();
      return { src: image.src, isVisible: bottom > 0 && top < window.innerHeight, isLoaded: image.complete && image.naturalWidth > 0, height };
    }));
    const visible = images.filter((image) => image.isVisible);
    assert.ok(visible.every((image) => image.isLoaded));
    assert.ok(images.filter((image) => image.src).length < 30);
    assert.ok(images.every((image) => Math.abs(image.height - images[0].height) < 2), "a thumbnail that is not loaded has no space");
    const order = requests.filter((url) => url.includes("/thumbnail.png"));
    const lastVisible = Math.max(...visible.map((image) => order.indexOf(image.src)));
    // The page from the server contains the first eight thumbnails.
    assert.ok(lastVisible <= Math.max(visible.length, 8), `the last visible thumbnail is request ${lastVisible + 1}`);
    await slowPage.context().close();
  }
  const fastPage = await openWindow();
  await fastPage.goto("/recent");
  await fastPage.locator("#places .branch").first().waitFor();
  await fastPage.locator("ul.charts > li").last().scrollIntoViewIfNeeded();
  await fastPage.waitForFunction(() => [...document.querySelectorAll("ul.charts > li")].filter((item) => item.getBoundingClientRect().top < window.innerHeight && item.getBoundingClientRect().bottom > 0).every((item) => (item.querySelector("img")?.naturalWidth ?? 0) > 0));
  assertNoErrors(fastPage);
  await fastPage.context().close();
});

test("the dialog for a new chart opens at once and once on a slow network", async () => {
  const slowPage = await openWindow();
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  for (const pattern of ["**/js/dialog-new.js", "**/api/v1/portfolio"]) {
    await slowPage.route(pattern, async (route) => {
      await released;
      await route.continue();
    });
  }
  await slowPage.goto("/");
  await slowPage.locator("#places .branch").first().waitFor();
  const milliseconds = await slowPage.evaluate(() => {
    const button = /** @type {HTMLElement} */ (document.querySelector("#bar-actions button"));
    const start = performance.now();
    button.click();
    button.click();
    return document.querySelector("dialog[open]") ? performance.now() - start : Infinity;
  });
  // No answer of the network is needed. Two tests that run side by side once took 117 ms.
  assert.ok(milliseconds < 250, `${milliseconds} ms`);
  const dialog = slowPage.locator("dialog[open]");
  assert.equal(await dialog.count(), 1);
  assert.ok((await dialog.locator(".placeholder").count()) > 0);
  await assertAccessible(slowPage, "new-chart-loading");
  // Words that are typed while the kinds load filter them afterwards. The button does nothing until then.
  await slowPage.keyboard.type("gantt");
  await slowPage.keyboard.press("Enter");
  release();
  await dialog.locator("label.kind:visible").first().waitFor();
  assert.equal(await dialog.locator(".placeholder").count(), 0);
  assert.equal(await dialog.locator("label.kind:visible").first().locator("input").inputValue(), "gantt");
  await slowPage.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await slowPage.keyboard.press("n");
  await dialog.locator("label.kind").first().waitFor();
  assert.equal(await dialog.count(), 1);
  // The next key opens the dialog again, even if the browser has not sent the event "close" yet.
  await slowPage.evaluate(() => {
    for (const key of ["Escape", "n"]) (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });
  await dialog.locator("label.kind").first().waitFor();
  assert.equal(await slowPage.locator("dialog").count(), 1);
  await slowPage.keyboard.press("Escape");
  // A failure is shown in the dialog, with a way to try again.
  await slowPage.unroute("**/api/v1/portfolio");
  await slowPage.route("**/api/v1/portfolio", (route) => route.fulfill({ status: 500, contentType: "application/problem+json", body: "{}" }));
  await slowPage.keyboard.press("n");
  await dialog.getByRole("alert").waitFor();
  await assertAccessible(slowPage, "new-chart-failed");
  await slowPage.unroute("**/api/v1/portfolio");
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.locator("label.kind").first().waitFor();
  await slowPage.context().close();
});

test("a search for kinds shows titles that match first", async () => {
  await page.goto("/");
  await page.keyboard.press("n");
  const search = page.getByLabel("Find a kind");
  const visibleKinds = () => page.locator("label.kind:visible > span").allTextContents();
  await page.locator("label.kind").first().waitFor();
  const all = await visibleKinds();
  await search.fill("line");
  const lines = await visibleKinds();
  assert.equal(lines[0], "Line graph");
  const withTitle = lines.filter((title) => /line/i.test(title)).length;
  assert.ok(withTitle > 1 && withTitle < lines.length);
  assert.ok(lines.slice(0, withTitle).every((title) => /line/i.test(title)), lines.join(", "));
  await search.fill("bar");
  assert.match((await visibleKinds())[0], /^Bar chart/);
  await search.fill("");
  assert.deepEqual(await visibleKinds(), all);
  await page.keyboard.press("Escape");
  await findDialog().waitFor({ state: "detached" });
});

test("more charts load while scrolling, and Back returns to the same position", async () => {
  const path = await createCharts("Scrolled", Array.from({ length: 60 }, (_, index) => `Scrolled ${index + 1}`));
  await page.goto(path);
  await page.locator("#places .branch").first().waitFor();
  assert.equal(await page.locator("ul.charts > li").count(), 48);
  assert.ok(await page.getByRole("button", { name: "Load more" }).isVisible());
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 20_000);
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length === 60);
  await page.getByRole("button", { name: "Load more" }).waitFor({ state: "hidden" });
  const keys = await page.locator("ul.charts > li").evaluateAll((items) => items.map((item) => item.dataset.key));
  assert.equal(new Set(keys).size, 60);
  const link = page.locator("ul.charts .title", { hasText: /^Scrolled 3$/ });
  await link.scrollIntoViewIfNeeded();
  await page.waitForTimeout(300);
  const before = await page.evaluate(() => window.scrollY);
  assert.ok(before > 1000);
  await link.click();
  await page.waitForURL(/\/d\//);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length === 60);
  await page.waitForFunction((top) => Math.abs(window.scrollY - top) < 3, before);
  assert.equal(await getFocusedTitle(), "Scrolled 3");
  assertNoErrors(page);
});

test("an error while loading more is shown once, and the button tries again", async () => {
  const path = await createCharts("Failing", Array.from({ length: 50 }, (_, index) => `Failing ${index + 1}`));
  await page.goto(path);
  await page.locator("#places .branch").first().waitFor();
  let requestCount = 0;
  await page.route("**/list/Failing?*", (route) => {
    requestCount += 1;
    return route.fulfill({ status: 500, contentType: "application/problem+json", body: "{}" });
  });
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 20_000);
  await page.locator("#library .fault [role=alert]").waitFor();
  await page.mouse.wheel(0, -20_000);
  await page.mouse.wheel(0, 20_000);
  await page.waitForTimeout(300);
  assert.equal(requestCount, 1);
  await page.unroute("**/list/Failing?*");
  await page.getByRole("button", { name: "Load more" }).click();
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length === 50);
});

test("the focus goes to the next item after a delete and to the restored one after its undo", async () => {
  const path = await createCharts("Focus", ["Four", "Three", "Two", "One"]);
  await page.goto(path);
  await page.locator("#places .branch").first().waitFor();
  await page.locator(".title", { hasText: /^Two$/ }).focus();
  await page.keyboard.press("Delete");
  await findToast("Moved “Two” to the trash").waitFor();
  assert.equal(await getFocusedTitle(), "Three");
  await page.keyboard.press("Control+z");
  await findToast("Undone").waitFor();
  assert.equal(await getFocusedTitle(), "Two");
  await page.locator(".title", { hasText: /^Three$/ }).focus();
  await page.keyboard.press("Delete");
  await findToast("Moved “Three” to the trash").waitFor();
  // The toast is reached with the keyboard too.
  await findToast("Moved “Three”").getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.textContent === "Three");
  // Several items; the last one has no next item.
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await findToast("Moved 4 items to the trash").waitFor();
  assert.equal(await getFocusedTitle(), "H1");
  await page.keyboard.press("Control+z");
  await page.locator(".title", { hasText: /^Four$/ }).waitFor();
  await page.waitForFunction(() => document.activeElement?.matches(".title"));
  await page.locator(".title").last().focus();
  const titles = await listTitles();
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length === 3);
  await page.waitForFunction((title) => document.activeElement?.textContent === title, titles[2]);
  // The menu and the dialog of the trash keep the focus too.
  await page.getByRole("button", { name: `Actions for ${titles[0]}` }).click();
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await page.waitForFunction((title) => document.activeElement?.textContent === title, titles[1]);
  await page.goto("/trash");
  await page.locator(".title", { hasText: titles[0] }).focus();
  const following = await page.locator(".title").nth(1).textContent();
  await page.keyboard.press("Delete");
  await findDialog().getByRole("button", { name: "Delete permanently" }).click();
  await findDialog().waitFor({ state: "detached" });
  await page.waitForFunction((title) => document.activeElement?.textContent === title, following);
  assertNoErrors(page);
});

test("nested dialogs close one by one with Escape", async () => {
  await page.goto("/");
  await page.locator("#places .branch").first().waitFor();
  const open = (title) => page.evaluate(async (title) => {
    const path = /** @type {HTMLScriptElement} */ (document.querySelector("script[type=module]")).src.replace(/[^/]*$/, "ui.js");
    const { openDialog } = await import(path);
    openDialog({ title, body: "", actions: [{ label: "Cancel", value: "" }, { label: "Go", run: () => true }] });
  }, title);
  // Browsers treat dialogs that open without a press as one, and close them together.
  for (const title of ["First", "Second", "Third"]) await open(title);
  for (const title of ["Third", "Second", "First"]) {
    assert.equal(await findDialog().last().getByRole("heading").textContent(), title);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: title, exact: true }).waitFor({ state: "detached" });
  }
  assert.equal(await findDialog().count(), 0);
});

test("the trash shows every owner with the number of items", async () => {
  const user = await callApi(page, "GET", "/user");
  const [organization] = user.orgs;
  const { endpoint } = await callApi(page, "POST", "/create-document", { widget: "bar", owner: organization.id });
  await callApi(page, "DELETE", new URL(endpoint).pathname.replace("/api/v1", ""));
  await page.goto("/trash");
  const tabs = page.getByRole("navigation", { name: "Owner of the trash" });
  const [own, foreign] = await Promise.all([user.id, organization.id].map(async (id) => (await callApi(page, "GET", `/users/${id}/trash`)).count));
  assert.ok(foreign > 0);
  assert.deepEqual(await tabs.getByRole("link").allTextContents(), [`Mine ${own}`, `${organization.name} ${foreign}`]);
  await assertAccessible(page, "trash-owners");
  await assertAccessibleOnPhone(page, "trash-owners");
  await tabs.getByRole("link", { name: organization.name }).click();
  await page.waitForURL(/owner=/);
  assert.equal(await tabs.locator("[aria-current]").textContent(), `${organization.name} ${foreign}`);
  await page.locator(".title").first().focus();
  await page.locator("li.chart").first().getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button", { name: "Restore" }).click();
  await tabs.getByRole("link", { name: `${organization.name} ${foreign - 1}` }).waitFor();
  const plainPage = await openPage(chromium, server, { storageState, javaScriptEnabled: false });
  await plainPage.goto("/trash");
  assert.equal(await plainPage.getByRole("navigation", { name: "Owner of the trash" }).getByRole("link").count(), 2);
  await plainPage.context().close();
});

test("on phones and tablets the checkboxes do not cover names", async () => {
  await callApi(page, "PUT", `/users/me/folders/${encodeURIComponent("Communication and administration")}`, {});
  for (const [width, height] of [[390, 844], [320, 700], [820, 1180]]) {
    const touchPage = await openWindow({ viewport: { width, height }, hasTouch: true, isMobile: true });
    for (const layout of ["Grid", "List"]) {
      await touchPage.goto("/");
      await touchPage.locator(".pick").first().waitFor({ state: "attached" });
      await touchPage.getByRole("button", { name: layout, exact: true }).click();
      const covered = await touchPage.locator("li.chart").evaluateAll((cards) => cards.filter((card) => {
        const name = document.createRange();
        name.selectNodeContents(card.querySelector(".name"));
        return [".pick", ".more"].some((selector) => {
          const box = card.querySelector(selector).getBoundingClientRect();
          return [...name.getClientRects()].some((line) => line.left < box.right && line.right > box.left && line.top < box.bottom && line.bottom > box.top);
        });
      }).map((card) => card.textContent));
      assert.deepEqual(covered, [], `${layout}, ${width} px`);
      const onImages = await touchPage.locator("ul.charts > li").evaluateAll((cards) => cards.filter((card) => {
        const [image, box] = [".thumbnail", ".pick"].map((selector) => card.querySelector(selector).getBoundingClientRect());
        return image.left < box.right && image.right > box.left && image.top < box.bottom && image.bottom > box.top;
      }).length);
      assert.equal(onImages, 0, `${layout}, ${width} px: checkboxes on images`);
      await assertNoHorizontalScroll(touchPage);
      await assertAccessible(touchPage, `touch-${layout.toLowerCase()}`);
    }
    assertNoErrors(touchPage);
    await touchPage.context().close();
  }
});

test("a refused table leaves no chart behind, and the dialog says why", async () => {
  const path = await createCharts("Refused", []);
  await page.goto(path);
  await page.locator("#places .branch").first().waitFor();
  await page.keyboard.press("n");
  await page.locator("label.kind").first().waitFor();
  await page.getByText("Start with your own data").click();
  const tableInput = page.getByRole("textbox", { name: "Table" });
  const create = () => findDialog().getByRole("button", { name: "Create" }).click();
  for (const [text, reason] of [["Month,Visitors\n\"January,120\nFebruary,80", /quotation mark/i], ["Hello", /only one cell/i]]) {
    await tableInput.fill(text);
    await page.locator(".table-summary", { hasText: reason }).waitFor();
    await page.locator("label.kind", { has: page.locator("input[value=bar]") }).click();
    await create();
    await findDialog().getByRole("alert").filter({ hasText: reason }).waitFor();
  }
  await assertAccessible(page, "new-chart-refused");
  // The server accepts the table, but not for this chart.
  await tableInput.fill("Month,Visitors\nJanuary,120\nFebruary,80");
  await page.getByText("2 records, 2 columns").waitFor();
  await page.route(/\/documents\/[^/]+\/data/, (route) => route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify({ title: "Refused", detail: "the table does not fit", status: 422, code: "invalid" }) }));
  await create();
  await findDialog().getByRole("alert").filter({ hasText: "The table does not fit" }).waitFor();
  assert.equal((await callApi(page, "GET", "/users/me/list/Refused")).count, 0);
  assert.ok(!(await callApi(page, "GET", "/users/me/trash?limit=100")).results.some((entry) => entry.document?.folder === "/Refused"));
  await page.unroute(/\/documents\/[^/]+\/data/);
  await create();
  await page.waitForURL(/\/d\//);
  assert.equal((await callApi(page, "GET", "/users/me/list/Refused")).count, 1);
  assertNoErrors(page);
});

test("charts are sorted and filtered, and Back and a reload keep the choice", async () => {
  const path = await createCharts("Sorted", ["Chart 10", "chart 9", "Émile", "Chart 2"]);
  await createCharts("Sorted", ["A line"], "line");
  await callApi(page, "PUT", "/users/me/folders/Sorted/Part%2010", {});
  await callApi(page, "PUT", "/users/me/folders/Sorted/Part%209", {});
  await page.goto(path);
  await page.locator("#places .branch").first().waitFor();
  assert.deepEqual(await listTitles(), ["A line", "Chart 2", "Émile", "chart 9", "Chart 10"]);
  const sort = page.getByLabel("Sort by", { exact: true });
  await sort.focus();
  await sort.selectOption({ label: "Name, A to Z" });
  await page.waitForFunction(() => document.querySelectorAll("ul.charts .title")[2]?.textContent === "chart 9");
  assert.deepEqual(await listTitles(), ["A line", "Chart 2", "chart 9", "Chart 10", "Émile"]);
  assert.deepEqual(await page.locator("ul.folders .title").allTextContents(), ["Part 9", "Part 10"]);
  assert.equal(new URL(page.url()).search, "?sort=title");
  assert.ok(await sort.evaluate((select) => select === document.activeElement));
  await assertAccessible(page, "sorted");
  await assertAccessibleOnPhone(page, "sorted");
  await page.getByLabel("Kind", { exact: true }).selectOption("line");
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length === 1);
  assert.equal(await page.locator("ul.folders > li").count(), 0);
  await page.locator("ul.charts .title").click();
  await page.waitForURL(/\/d\//);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length === 1);
  assert.equal(await page.getByLabel("Kind", { exact: true }).inputValue(), "line");
  await page.getByLabel("Kind", { exact: true }).selectOption("gantt");
  await page.getByText("No chart matches the filters.").waitFor();
  await page.reload();
  await page.getByText("No chart matches the filters.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Paste data" }).isVisible(), false);
  await assertAccessible(page, "filtered-empty");

  // The headings of the list sort too.
  await page.goto(path);
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByRole("button", { name: "Sort by kind" }).click();
  await page.waitForFunction(() => document.querySelector("ul.charts > li:last-child .title")?.textContent === "A line");
  assert.deepEqual(await page.locator("ul.charts .kind-name").allTextContents(), ["Bar chart", "Bar chart", "Bar chart", "Bar chart", "Line graph"]);
  await page.getByRole("button", { name: "Sort by name" }).click();
  await page.getByRole("button", { name: "Sort by name, ascending" }).click();
  await page.getByRole("button", { name: "Sort by name, descending" }).waitFor();
  await page.waitForFunction(() => document.querySelector("ul.charts .title")?.textContent === "Émile");
  assert.equal(await sort.inputValue(), "-title");
  await assertAccessible(page, "sorted-list");
  await assertAccessibleOnPhone(page, "sorted-list");
  await page.getByRole("button", { name: "Grid", exact: true }).click();

  // All charts have a filter by owner. Without scripts, a button applies the choice.
  await page.goto("/");
  const organization = (await callApi(page, "GET", "/user")).orgs[0];
  const { count } = await callApi(page, "GET", `/users/me/recent?owner=${organization.id}`);
  await page.getByLabel("Owner", { exact: true }).selectOption({ label: organization.name });
  await page.locator(".head", { hasText: `${count} in total` }).waitFor();
  assert.equal(await page.locator("ul.folders > li").count(), 0);
  const plainPage = await openPage(chromium, server, { storageState, javaScriptEnabled: false });
  await plainPage.goto(path);
  await plainPage.getByLabel("Sort by", { exact: true }).selectOption({ label: "Name, A to Z" });
  await plainPage.getByRole("button", { name: "Apply" }).click();
  assert.deepEqual(await plainPage.locator("ul.charts .name a").allTextContents(), ["A line", "Chart 2", "chart 9", "Chart 10", "Émile"]);
  await plainPage.goto("/?sort=title");
  await plainPage.getByRole("link", { name: "Next", exact: true }).click();
  assert.equal(new URL(plainPage.url()).searchParams.get("sort"), "title");
  await plainPage.context().close();
  assertNoErrors(page);
});

test("a slow response does not replace the order that was chosen after it", async () => {
  const path = await createCharts("Two orders", ["Beta", "Alpha", "Gamma"]);
  await page.goto(path);
  await page.locator("#places .branch").first().waitFor();
  let isSlow = true;
  await page.route(/[?&]sort=title/, async (route) => {
    if (isSlow) await page.waitForTimeout(700);
    isSlow = false;
    await route.continue();
  });
  const sort = page.getByLabel("Sort by", { exact: true });
  const slow = page.waitForResponse(/[?&]sort=title/);
  await sort.selectOption({ label: "Name, A to Z" });
  await sort.selectOption({ label: "Name, Z to A" });
  await slow;
  await page.waitForTimeout(300);
  assert.deepEqual(await listTitles(), ["Gamma", "Beta", "Alpha"]);
  await page.unroute(/[?&]sort=title/);
  assertNoErrors(page);
});

test("a chart is starred with its menu and the S key, and listed until its star is removed", async () => {
  const path = await createCharts("Stars", ["Second", "First"]);
  await page.goto("/starred");
  await page.getByText("No starred charts yet").waitFor();
  await assertAccessible(page, "starred-empty");
  await page.locator(".empty").getByRole("link", { name: "All charts" }).waitFor();
  await page.goto(path);
  await page.locator("#places .branch").first().waitFor();
  await page.getByRole("button", { name: "Actions for First" }).click();
  await page.getByRole("menuitem", { name: "Star" }).click();
  await findToast("Starred “First”").waitFor();
  await page.locator(".title", { hasText: /^Second$/ }).focus();
  await page.keyboard.press("s");
  await findToast("Starred “Second”").waitFor();
  assert.equal(await getFocusedTitle(), "Second");
  assert.equal(await page.locator(".name", { hasText: "Starred:" }).count(), 2);
  await assertAccessible(page, "stars");
  await page.getByLabel("Library").getByRole("link", { name: "Starred" }).click();
  await page.waitForURL("/starred");
  assert.deepEqual(await listTitles(), ["Second", "First"]);
  await assertAccessible(page, "starred");
  await assertAccessibleOnPhone(page, "starred");
  await page.locator("#places .branch").first().waitFor();
  await page.locator(".title", { hasText: /^Second$/ }).focus();
  await page.keyboard.press("s");
  await findToast("Removed the star of “Second”").waitFor();
  assert.equal(await getFocusedTitle(), "First");
  await page.keyboard.press("Control+z");
  await findToast("Undone").waitFor();
  assert.equal((await callApi(page, "GET", "/users/me/stars")).count, 2);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("s");
  await page.getByText("No starred charts yet").waitFor();
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
