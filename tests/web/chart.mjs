// Tests of the chart page in a browser (title, comments, versions, exports, sharing, cast screens) and of
// the view of a share link.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, assertNoHorizontalScroll, callApi, findProgram, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
const { sign_in: account } = server.welcome;
await signIn(page, account);

const WIDE_VIEWPORT = { width: 1440, height: 900 };
const PHONE_VIEWPORT = { width: 390, height: 844 };
const SMALL_VIEWPORT = { width: 320, height: 700 };

const findToast = (text) => page.locator(".toast", { hasText: text });
const findDialog = () => page.locator("dialog[open]");
const findTool = (name) => page.locator("#tools").getByRole("button", { name, exact: true });
const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());

/** Creates a chart of Ann, or of an organization. Returns its API path, its id and the address of its page. */
async function createChart(title, owner) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar", folder: "/Plans", owner });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PATCH", path, { title });
  return { path, id: path.split("/").at(-1), view: new URL(document_view).pathname };
}

/** Replaces the data of a chart through the API. */
async function saveNorthValue(chart, value) {
  const data = [{ label: "North", value }, { label: "South", value: 640 }];
  await callApi(page, "PUT", `${chart.path}/data`, data);
}

/** Opens the page of a chart and waits for its buttons and its image. */
async function openChart(chart, target = page) {
  await target.goto(chart.view);
  await target.locator("#tool-export").waitFor();
  await target.locator(".paper").evaluate((container) => container.shadowRoot?.querySelector("svg[part]") || Promise.reject(new Error("no image")));
}

/** Waits until the image contains a text. */
const waitForImageText = async (text, target = page) => target.waitForFunction((text) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(text), text);

/** Checks accessibility in a wide window and on a phone, and that the page does not scroll horizontally at 320 px. */
async function checkAllSizes(name) {
  await assertAccessible(page, name);
  await page.setViewportSize(PHONE_VIEWPORT);
  await assertAccessible(page, name);
  await page.setViewportSize(SMALL_VIEWPORT);
  await assertNoHorizontalScroll(page);
  await page.setViewportSize(WIDE_VIEWPORT);
}

/** Opens a page in a browser context that is signed in as Ben with an API token. */
async function openPageAsBen() {
  const args = ["--data-dir", server.welcome.data_dir, "--json", "user", "token", "ben@example.com", "--name", "web"];
  const result = spawnSync(findProgram(), args, { encoding: "utf8" });
  const { token } = JSON.parse(result.stdout);
  return openPage(chromium, server, { extraHTTPHeaders: { authorization: `Bearer ${token}` } });
}

test("a chart can be read and downloaded without scripts", async () => {
  const chart = await createChart("Plain");
  const plainPage = await openPage(chromium, server, { javaScriptEnabled: false, storageState: await page.context().storageState() });
  await plainPage.goto(chart.view);
  assert.equal(await plainPage.getByRole("heading", { level: 1 }).innerText(), "Plain");
  await plainPage.getByRole("img", { name: "Plain" }).waitFor();
  await plainPage.getByText("Show data as table").click();
  await plainPage.getByRole("rowheader", { name: "North", exact: true }).waitFor();
  const [file] = await Promise.all([plainPage.waitForEvent("download"), plainPage.getByRole("link", { name: "SVG image" }).click()]);
  assert.match(await readFile(await file.path(), "utf8"), /^<svg .*Plain/s);
  await plainPage.context().close();
});

test("the chart page is accessible in light and dark mode and in all sizes", async () => {
  const chart = await createChart("Orders by region");
  await openChart(chart);
  await checkAllSizes("chart");
  assert.match(await page.locator("#changed").innerText(), /just now|minute/);
  for (const name of ["Plans"]) await page.getByLabel("Breadcrumb").getByRole("link", { name }).waitFor();
  assertNoErrors(page);
});

test("a guest with a link for editing renames a chart in place, and Escape cancels the change", async () => {
  const chart = await createChart("First");
  const { owner } = await callApi(page, "GET", chart.path);
  const { link } = await callApi(page, "POST", "/share", { owner, document: chart.id, mode: "w" });
  const guest = await openPage(chromium, server);
  await guest.goto(new URL(link).pathname);
  await guest.getByRole("link", { name: "Edit" }).click();
  await guest.getByRole("button", { name: "Rename" }).click();
  await assertAccessible(guest, "chart-rename");
  await guest.getByRole("textbox", { name: "Title" }).fill("Second");
  await guest.keyboard.press("Enter");
  await guest.getByRole("heading", { name: "Second", level: 1 }).waitFor();
  await waitForImageText("Second", guest);
  assert.equal((await callApi(page, "GET", chart.path)).title, "Second");
  await guest.getByRole("button", { name: "Rename" }).click();
  await guest.keyboard.type("Third");
  await guest.keyboard.press("Escape");
  await guest.getByRole("heading", { name: "Second", level: 1 }).waitFor();
  assert.equal(await guest.evaluate(() => document.activeElement?.textContent), "Rename");
  // A title of somebody else is not overwritten without a question.
  await guest.getByRole("button", { name: "Rename" }).click();
  await callApi(page, "PATCH", chart.path, { title: "Fourth" });
  await waitForImageText("Fourth", guest);
  await guest.getByRole("textbox", { name: "Title" }).fill("Fifth");
  await guest.keyboard.press("Enter");
  await guest.getByText(/changed this chart/).waitFor();
  assert.equal((await callApi(page, "GET", chart.path)).title, "Fourth");
  await guest.keyboard.press("Enter");
  await guest.getByRole("heading", { name: "Fifth", level: 1 }).waitFor();
  assertNoErrors(guest);
  await guest.context().close();
});

test("changes of other clients appear automatically", async () => {
  const chart = await createChart("Followed");
  await openChart(chart);
  await saveNorthValue(chart, 7777);
  await waitForImageText("7,777");
  await callApi(page, "PATCH", chart.path, { title: "Renamed elsewhere" });
  await page.getByRole("heading", { name: "Renamed elsewhere", level: 1 }).waitFor();
  assertNoErrors(page);
});

test("a comment with a mention is created, answered, edited, moved, resolved and deleted", async () => {
  const { orgs } = await callApi(page, "GET", "/user");
  const chart = await createChart("Discussed", orgs[0].id);
  await callApi(page, "POST", "/share", { owner: orgs[0].id, document: chart.id, email: "ben@example.com" });
  await openChart(chart);
  await findTool("Comments").click();
  await page.getByText("No comments yet.").waitFor();
  await checkAllSizes("comments-empty");
  await page.getByRole("heading", { name: "Comments" }).focus();
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Place in the middle" }).waitFor();
  await assertAccessible(page, "comments-placing");
  const canvasBox = await page.locator("#canvas").boundingBox();
  await page.mouse.click(canvasBox.x + canvasBox.width / 4, canvasBox.y + canvasBox.height / 2);
  await page.getByRole("textbox", { name: "New comment" }).waitFor();
  await page.keyboard.type("Is this right, @bro");
  await page.getByRole("option", { name: /Ben Brook/ }).waitFor();
  await assertAccessible(page, "comments-mention");
  await page.keyboard.press("Enter");
  await page.keyboard.type("<b>or not</b>?");
  await page.keyboard.press("Control+Enter");
  const thread = page.locator(".thread");
  await thread.getByText("@Ben Brook").waitFor();
  assert.equal(await thread.locator("b").count(), 0);
  const readThread = async () => (await callApi(page, "GET", `${chart.path}/comments`)).threads[0];
  let storedThread = await readThread();
  assert.deepEqual(storedThread.comments[0].content.map((part) => part.type), ["text", "user", "text"]);
  assert.equal(storedThread.comments[0].content[1].name, "Ben Brook");
  // A pixel of the screen is almost two points of the picture.
  assert.ok(Math.abs(storedThread.position.x - 180) <= 2 && Math.abs(storedThread.position.y - 203) <= 2, JSON.stringify(storedThread.position));
  await checkAllSizes("comments");

  await thread.getByRole("button", { name: "Reply" }).click();
  await page.keyboard.type("It is.");
  await page.keyboard.press("Control+Enter");
  await thread.getByText("It is.").waitFor();
  await thread.getByRole("button", { name: "Edit" }).last().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" Surely.");
  await thread.getByRole("button", { name: "Save" }).click();
  await thread.getByText("It is. Surely.").waitFor();

  // Move the pin with the pointer, then with the keyboard.
  const pin = page.getByRole("button", { name: /^Comment 1,/ });
  const pinBox = await pin.boundingBox();
  await page.mouse.move(pinBox.x + 12, pinBox.y + 12);
  await page.mouse.down();
  await page.mouse.move(pinBox.x + 112, pinBox.y + 12, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => !document.querySelector(".dragged"));
  await page.waitForTimeout(300);
  const movedPosition = (await readThread()).position;
  assert.ok(movedPosition.x > 230 && Math.abs(movedPosition.y - storedThread.position.y) < 0.2, JSON.stringify(movedPosition));
  await thread.getByRole("button", { name: "More about comment 1" }).click();
  await assertAccessible(page, "comments-menu");
  await page.getByRole("menuitem", { name: "Move its pin" }).click();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(300);
  storedThread = await readThread();
  assert.deepEqual([storedThread.position.x.toFixed(1), storedThread.position.y.toFixed(1)], [(movedPosition.x + 1).toFixed(1), (movedPosition.y + 10).toFixed(1)]);

  await thread.getByRole("button", { name: "Resolve" }).click();
  await page.getByLabel(/^Show resolved/).check();
  await thread.getByText("Resolved", { exact: true }).waitFor();
  assert.equal((await readThread()).resolved, true);
  await assertAccessible(page, "comments-resolved");

  // A link to a comment opens the panel and selects its thread.
  await page.goto("about:blank");
  await page.goto(`${chart.view}#comment-${storedThread.comments[1].id}`);
  await page.locator(".thread.selected").getByText("It is. Surely.").waitFor();
  await thread.getByRole("button", { name: "More about comment 1" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await findDialog().getByRole("button", { name: "Delete" }).click();
  await page.getByText("No comments yet.").waitFor();
  assertNoErrors(page);
});

test("comments are created and selected with the keyboard", async () => {
  const chart = await createChart("By keys");
  for (const x of [100, 300]) await callApi(page, "POST", `${chart.path}/comments`, { position: { x, y: 100 }, content: [{ type: "text", text: `At ${x}` }] });
  await openChart(chart);
  await page.getByRole("button", { name: /^Comment 2,/ }).waitFor();
  await page.keyboard.press("n");
  await page.locator(".thread.selected").getByText("At 100").waitFor();
  await page.keyboard.press("n");
  await page.locator(".thread.selected").getByText("At 300").waitFor();
  await page.keyboard.press("Shift+N");
  await page.locator(".thread.selected").getByText("At 100").waitFor();
  await page.keyboard.press("c");
  await page.waitForFunction(() => document.activeElement?.textContent === "Place in the middle");
  await page.keyboard.press("Enter");
  await page.locator("#draft-pin").focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.getByRole("textbox", { name: "New comment" }).focus();
  await page.keyboard.type("Left of the middle");
  await page.keyboard.press("Control+Enter");
  await page.locator(".thread.selected").getByText("Left of the middle").waitFor();
  const { threads } = await callApi(page, "GET", `${chart.path}/comments`);
  assert.deepEqual(threads[2].position, { x: 350, y: 202.5 });
  // Comments on documents of a user cannot be deleted, so the menu has no such item.
  await page.getByRole("button", { name: "More about comment 3" }).click();
  assert.equal(await page.getByRole("menuitem", { name: "Delete" }).count(), 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+C");
  await page.getByRole("button", { name: /^Comment 2,/ }).waitFor({ state: "hidden" });
  assertNoErrors(page);
});

test("the text of a new comment and of a reply stays until it is sent or discarded", async () => {
  const chart = await createChart("Half a comment");
  await callApi(page, "POST", `${chart.path}/comments`, { position: { x: 100, y: 100 }, content: [{ type: "text", text: "First" }] });
  await openChart(chart);
  await page.locator("#tool-comments").click();
  await page.locator(".panel").getByRole("button", { name: "New comment" }).click();
  await page.getByRole("button", { name: "Place in the middle" }).click();
  const field = page.getByRole("textbox", { name: "New comment" });
  await field.fill("Too");
  await page.locator("#draft-pin").press("Shift+ArrowLeft");
  await field.fill("Too high");
  await page.locator(".thread").getByRole("button", { name: "Reply" }).click();
  const reply = page.getByRole("textbox", { name: "Reply" });
  await reply.fill("I agree");
  // Another panel replaces the comments.
  await findTool("History").click();
  await field.waitFor({ state: "detached" });
  await page.locator("#tool-comments").click();
  assert.equal(await field.inputValue(), "Too high");
  assert.equal(await reply.inputValue(), "I agree");
  await field.press("Escape");
  await page.locator(".panel").getByRole("button", { name: "Continue the comment" }).click();
  assert.equal(await field.inputValue(), "Too high");
  await page.goto("/");
  await openChart(chart);
  await findToast("not sent yet").getByRole("button", { name: "Continue the comment" }).click();
  assert.equal(await field.inputValue(), "Too high");
  await assertAccessible(page, "comments-draft");
  await reply.press("Control+Enter");
  await page.locator(".comment", { hasText: "I agree" }).waitFor();
  // Cancel discards, and can be undone.
  await field.locator("xpath=ancestor::form").getByRole("button", { name: "Cancel" }).click();
  await findToast("discarded").getByRole("button", { name: "Undo" }).click();
  await field.press("Control+Enter");
  await page.locator(".comment", { hasText: "Too high" }).waitFor();
  const { threads } = await callApi(page, "GET", `${chart.path}/comments`);
  assert.deepEqual(threads[1].position, { x: 350, y: 202.5 });
  await openChart(chart);
  await page.locator("#tool-comments").click();
  await page.locator(".comment", { hasText: "Too high" }).waitFor();
  assert.equal(await page.locator(".composer").count(), 0);
  assertNoErrors(page);
});

/** Opens the comments of a new chart with one comment. Returns the chart, and the API path of the comment. */
async function openComments(title, owner) {
  const chart = await createChart(title, owner);
  const { id } = await callApi(page, "POST", `${chart.path}/comments`, { position: { x: 100, y: 100 }, content: [{ type: "text", text: "First" }] });
  await openChart(chart);
  await page.locator("#tool-comments").click();
  const { threads } = await callApi(page, "GET", `${chart.path}/comments`);
  return { chart, comment: `${chart.path}/comments/${id}/${threads[0].comments[0].id}` };
}

/** Starts a new comment with a text. Returns its field. */
async function writeComment(text) {
  await page.locator(".panel").getByRole("button", { name: "New comment" }).click();
  await page.getByRole("button", { name: "Place in the middle" }).click();
  const field = page.getByRole("textbox", { name: "New comment" });
  await field.fill(text);
  return field;
}

const readTexts = async (chart) => (await callApi(page, "GET", `${chart.path}/comments`)).threads.map((thread) => thread.comments[0].content[0].text);
const storeDraft = (name, days, target = page) => target.evaluate(([key, saved]) => localStorage.setItem(key, JSON.stringify({ text: "Other", picked: [], saved })), [`comment-draft:${name}`, Date.now() - days * 86_400_000]);
const countDrafts = (target = page) => target.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("comment-draft:")).length);

test("a comment that is being sent is not changed, closed or offered again, and stays if it cannot be sent", async () => {
  const { chart } = await openComments("Slowly sent");
  const continueButton = page.locator(".panel").getByRole("button", { name: "Continue the comment" });
  for (const isRefused of [false, true]) {
    const field = await writeComment("Sent once");
    let release;
    const gate = new Promise((resolve) => (release = resolve));
    await page.route("**/comments*", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await gate;
      await (isRefused ? route.abort() : route.continue());
    });
    await field.press("Control+Enter");
    await field.press("End");
    await page.keyboard.type(" and more");
    assert.equal(await field.inputValue(), "Sent once");
    await field.press("Escape");
    await page.locator(".new-thread").getByRole("button", { name: "Cancel" }).click({ force: true });
    assert.equal(await field.count(), 1);
    // Another panel replaces the comments.
    await findTool("History").click();
    await field.waitFor({ state: "detached" });
    await page.locator("#tool-comments").click();
    await page.locator(".comment", { hasText: "First" }).waitFor();
    assert.equal(await field.count(), 0);
    assert.equal(await continueButton.count(), 0);
    release();
    if (isRefused) {
      await continueButton.click();
      assert.equal(await field.inputValue(), "Sent once");
    } else await page.locator(".comment", { hasText: "Sent once" }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
  }
  assert.deepEqual(await readTexts(chart), ["First", "Sent once"]);
  await page.getByRole("textbox", { name: "New comment" }).press("Control+Enter");
  await page.locator(".thread", { hasText: "Sent once" }).nth(1).waitFor();
  assert.equal(await countDrafts(), 0);
  assertNoErrors(page);
});

test("a comment that two tabs show as a draft is sent once", async () => {
  const { chart } = await openComments("Two tabs");
  const field = await writeComment("Draft");
  const tab = await page.context().newPage();
  await openChart(chart, tab);
  await tab.locator("#tool-comments").click();
  const other = tab.getByRole("textbox", { name: "New comment" });
  await other.waitFor();
  await field.fill("Draft with more");
  await tab.waitForFunction(() => /** @type {any} */ (document.querySelector(".new-thread textarea"))?.value === "Draft with more");
  await field.press("Control+Enter");
  await other.waitFor({ state: "detached" });
  assert.equal(await tab.locator(".panel").getByRole("button", { name: "Continue the comment" }).count(), 0);
  assert.deepEqual(await readTexts(chart), ["First", "Draft with more"]);
  // Another text is not lost.
  const second = await writeComment("One");
  await tab.locator(".panel").getByRole("button", { name: "Continue the comment" }).click();
  await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("comment-draft:")).forEach((key) => localStorage.setItem(key, JSON.stringify({ text: "Two", picked: [] }))));
  await tab.waitForFunction(() => /** @type {any} */ (document.querySelector(".new-thread textarea"))?.value === "Two");
  await second.press("Control+Enter");
  await page.locator(".comment", { hasText: "One" }).waitFor();
  assert.equal(await other.inputValue(), "Two");
  await other.locator("xpath=ancestor::form").getByRole("button", { name: "Cancel" }).click();
  await tab.close();
  assertNoErrors(page);
});

test("a changed text of a comment does not replace a newer one of another device before it is shown", async () => {
  const { chart, comment } = await openComments("Changed on two devices");
  const change = (text) => callApi(page, "PUT", comment, { content: [{ type: "text", text }] });
  const [form, field] = [page.locator(".comment .composer"), page.getByRole("textbox", { name: "Change the comment" })];
  const [save, notice] = [form.getByRole("button", { name: "Save" }), form.getByRole("status").filter({ hasText: "changed elsewhere" })];
  await page.locator(".comment").getByRole("button", { name: "Edit" }).click();
  await field.fill("First, changed here");
  // The page has not loaded the newer text yet.
  await change("First, changed elsewhere");
  await save.click();
  await notice.waitFor();
  assert.match(await notice.textContent(), /“First, changed elsewhere”/);
  assert.deepEqual([await readTexts(chart), await field.inputValue()], [["First, changed elsewhere"], "First, changed here"]);
  await assertAccessible(page, "comment-changed-elsewhere");
  // Another newer text has to be seen too.
  await change("First, changed twice");
  await save.click();
  await form.getByText("“First, changed twice”").waitFor();
  assert.deepEqual(await readTexts(chart), ["First, changed twice"]);
  // The draft of an earlier visit comes with the notice as well.
  await openChart(chart);
  await page.locator("#tool-comments").click();
  await notice.waitFor();
  assert.equal(await field.inputValue(), "First, changed here");
  await save.click();
  await page.locator(".comment-text", { hasText: "First, changed here" }).waitFor();
  assert.deepEqual([await readTexts(chart), await countDrafts()], [["First, changed here"], 0]);
  assertNoErrors(page);
});

test("the text of a reply to a comment that somebody else deletes is kept as a new comment", async () => {
  // Only comments on charts of organizations can be deleted.
  const { orgs } = await callApi(page, "GET", "/user");
  const { chart, comment } = await openComments("Deleted elsewhere", orgs[0].id);
  const thread = comment.split("/").slice(0, -1).join("/");
  await page.locator(".thread").getByRole("button", { name: "Reply" }).click();
  await page.getByRole("textbox", { name: "Reply" }).fill("I agree");
  await callApi(page, "DELETE", thread);
  await findToast("Your text is kept as a new comment").getByRole("button", { name: "Continue the comment" }).click();
  const field = page.getByRole("textbox", { name: "New comment" });
  assert.equal(await field.inputValue(), "I agree");
  await field.press("Control+Enter");
  await page.locator(".comment", { hasText: "I agree" }).waitFor();
  assert.deepEqual([await readTexts(chart), await countDrafts()], [["I agree"], 0]);
  // A thread that the user deletes takes its drafts with it.
  await page.locator(".thread").getByRole("button", { name: "Reply" }).click();
  await page.getByRole("textbox", { name: "Reply" }).fill("Not needed");
  await page.locator(".thread").getByRole("button", { name: "More about comment 1" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await findDialog().getByRole("button", { name: "Delete" }).click();
  await page.locator(".thread").waitFor({ state: "detached" });
  assert.equal(await countDrafts(), 0);
  assertNoErrors(page);
});

test("drafts that are stored as comments or belong to deleted ones, old drafts, and those of a user who signs out are removed", async () => {
  const { chart, comment } = await openComments("Stale drafts");
  await page.locator(".comment").getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "Change the comment" });
  await field.fill("First, changed here");
  await field.press("Escape");
  await page.locator(".comment").getByRole("button", { name: "Edit" }).click();
  assert.equal(await field.inputValue(), "First, changed here");
  await callApi(page, "PUT", comment, { content: [{ type: "text", text: "First, changed here" }] });
  await openChart(chart);
  await page.locator("#tool-comments").click();
  await page.locator(".comment-text", { hasText: "changed here" }).waitFor();
  assert.equal(await field.count(), 0);
  await page.locator(".comment").getByRole("button", { name: "Edit" }).click();
  await field.press("Escape");
  const user = await page.locator("#chart").getAttribute("data-user");
  for (const [name, days, count] of [["1:other:new", 29, 1], ["1:other:new", 31, 0], [`${user}:${chart.id}:new`, 0, 1], [`${user}:${chart.id}:reply:deleted`, 0, 1]]) {
    await storeDraft(name, days);
    await openChart(chart);
    await page.waitForFunction((count) => Object.keys(localStorage).filter((key) => key.startsWith("comment-draft:")).length === count, count);
  }
  await page.evaluate((key) => localStorage.removeItem(key), `comment-draft:${user}:${chart.id}:new`);
  const visitor = await openPage(chromium, server);
  await signIn(visitor, account);
  await storeDraft("1:other:new", 0, visitor);
  await visitor.getByRole("button", { name: /^Account of/ }).click();
  await visitor.getByRole("button", { name: "Sign out" }).click();
  await visitor.waitForURL("**/sign-in*");
  assert.equal(await countDrafts(visitor), 0);
  await visitor.context().close();
  assertNoErrors(page);
});

test("the focus stays at a reply or a comment after its form has closed", async () => {
  await openComments("Focus");
  const readFocus = () => page.evaluate(() => document.activeElement?.textContent);
  const reply = page.getByRole("textbox", { name: "Reply" });
  await page.locator(".thread").getByRole("button", { name: "Reply" }).click();
  await reply.fill("I agree");
  await reply.press("Escape");
  assert.equal(await readFocus(), "Continue the reply");
  await page.keyboard.press("Enter");
  await reply.waitFor();
  await page.locator(".thread .composer").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await readFocus(), "Reply");
  await page.keyboard.press("Enter");
  await reply.fill("I agree");
  await reply.press("Control+Enter");
  await reply.waitFor({ state: "detached" });
  assert.equal(await readFocus(), "Reply");
  const change = page.getByRole("textbox", { name: "Change the comment" });
  for (const key of ["Escape", "Control+Enter"]) {
    await page.locator(".comment", { hasText: "I agree" }).getByRole("button", { name: "Edit" }).click();
    await change.press(key);
    await change.waitFor({ state: "detached" });
    assert.equal(await readFocus(), "Edit");
  }
  assertNoErrors(page);
});

test("a version is previewed, restored, named and copied, and the restore is undone", async () => {
  const chart = await createChart("Versioned");
  const { version, owner, ...fields } = await callApi(page, "GET", chart.path);
  await callApi(page, "PATCH", `${chart.path}/history/${fields.history_version}`, { name: "As it began" });
  await callApi(page, "PUT", chart.path, { ...fields, title: "Versioned later", data: [{ label: "North", value: 4321 }], final_save: true });
  await openChart(chart);
  await waitForImageText("4,321");
  await findTool("History").click();
  await page.locator(".version").nth(1).waitFor();
  await page.getByText(/Title: “Versioned” → “Versioned later”/).waitFor();
  // The region of the browser decides about the order of day and month.
  assert.match((await page.locator("#panel h3").first().textContent()) ?? "", /^\w+,? \d+ \w+ \d{4}$/);
  await checkAllSizes("history");
  await page.getByRole("button", { name: /As it began/ }).click();
  await page.locator("#preview").waitFor();
  await waitForImageText("1,284");
  assert.equal((await callApi(page, "GET", chart.path)).title, "Versioned later");
  await checkAllSizes("history-preview");
  await page.getByRole("button", { name: "Back" }).click();
  await waitForImageText("4,321");
  await page.getByRole("button", { name: /As it began/ }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await findToast("is restored").waitFor();
  await waitForImageText("1,284");
  assert.equal((await callApi(page, "GET", chart.path)).title, "Versioned");
  await findToast("is restored").getByRole("button", { name: "Undo" }).click();
  await waitForImageText("4,321");
  await page.getByRole("button", { name: /^Name the version/ }).first().click();
  await assertAccessible(page, "history-name");
  await page.getByRole("textbox", { name: "Name" }).fill("Signed off");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /Signed off/ }).waitFor();
  await page.getByRole("button", { name: /As it began/ }).click();
  await page.getByRole("button", { name: "Copy to new" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/d/") && !url.pathname.includes(chart.id));
  await waitForImageText("1,284");
  assertNoErrors(page);
});

test("a chart is exported with the chosen options, and the export button repeats the last export", async () => {
  const chart = await createChart("Exported");
  await openChart(chart);
  await findTool("Export").click();
  await page.getByText("1440 × 810 px.").waitFor();
  await checkAllSizes("export");
  await page.getByLabel("Or width in pixels").fill("1000");
  await page.getByText("1000 × 563 px.").waitFor();
  await page.getByRole("radio", { name: "3×" }).check();
  await page.getByText("2160 × 1215 px.").waitFor();
  await page.getByLabel(/Transparent/).check();
  const [firstDownload] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  const bytes = await readFile(await firstDownload.path());
  assert.equal(bytes.readUInt32BE(16), 2160);
  const [secondDownload] = await Promise.all([page.waitForEvent("download"), findTool("Export PNG ×3").click()]);
  assert.deepEqual(await readFile(await secondDownload.path()), bytes);
  await findTool("Export options").click();
  await page.getByRole("radio", { name: "Page" }).check();
  const [htmlDownload] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  assert.match(await readFile(await htmlDownload.path(), "utf8"), /^<!doctype html>/);
  await findTool("Export options").click();
  await page.getByRole("radio", { name: "PDF" }).check();
  await page.getByText("One page of 720 × 405 pt").waitFor();
  assert.equal(await page.getByRole("radio", { name: "3×" }).isVisible(), false, "a PDF has no resolution");
  const [pdfRequest] = await Promise.all([page.waitForRequest(/\/token$/), page.getByRole("button", { name: "Copy link" }).click()]);
  assert.equal(pdfRequest.postDataJSON().type, undefined, "the token is for all formats");
  await findToast("can open the image for 1 hour").waitFor();
  assert.match(await readClipboard(), /\.pdf\?token=/);
  const [pdfDownload] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  assert.match(await readFile(await pdfDownload.path(), "latin1"), /^%PDF-1\.7/);
  assert.match(pdfDownload.suggestedFilename(), /\.pdf$/);
  await findTool("Export PDF").waitFor();
  await findTool("Export options").click();
  await page.getByRole("radio", { name: "SVG" }).check();
  // The lifetime of the link is visible and can be chosen.
  assert.equal(await page.getByLabel("Validity of the link").inputValue(), "3600");
  await page.getByLabel("Validity of the link").selectOption("for 24 hours");
  const [tokenRequest] = await Promise.all([page.waitForRequest(/\/token$/), page.getByRole("button", { name: "Copy link" }).click()]);
  assert.equal(tokenRequest.postDataJSON().expires_in_sec, 86_400);
  await findToast("can open the image for 24 hours").waitFor();
  const stranger = await openPage(chromium, server);
  const response = await stranger.goto(new URL(await readClipboard()).href.replace(/^https?:\/\/[^/]+/, server.baseUrl));
  assert.match(response.headers()["content-type"], /^image\/svg/);
  await stranger.context().close();
  await page.getByRole("button", { name: "Copy image" }).click();
  await findToast("The image is copied").waitFor();
  const types = await page.evaluate(async () => (await navigator.clipboard.read())[0].types);
  assert.deepEqual(types, ["image/png"]);
  const alpha = await page.evaluate(async () => {
    const blob = await (await navigator.clipboard.read())[0].getType("image/png");
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas?.drawImage(await createImageBitmap(blob), 0, 0);
    return canvas?.getImageData(0, 0, 1, 1).data[3];
  });
  assert.equal(alpha, 0, "the copied image keeps the chosen transparent background");
  for (const [name, start] of [["CSV", "Label,Value"], ["Excel (XLSX)", "PK"]]) {
    const [dataDownload] = await Promise.all([page.waitForEvent("download"), findDialog().getByRole("link", { name }).click()]);
    assert.ok((await readFile(await dataDownload.path(), "latin1")).startsWith(start), name);
  }
  await page.keyboard.press("Escape");
  await page.evaluate(() => localStorage.removeItem("export-label"));
  assertNoErrors(page);
});

/** Waits until the access of the first entry of a shared chart is stored. */
async function waitForAccess(chart, mode) {
  const deadline = Date.now() + 10_000;
  while ((await callApi(page, "GET", chart.path)).acl[0]?.mode !== mode) {
    assert.ok(Date.now() < deadline, "the access is not stored");
    await page.waitForTimeout(100);
  }
}

test("an export leaves out the title, also when it is repeated or copied, and the chart keeps it", async () => {
  const chart = await createChart("Without its title");
  await openChart(chart);
  const exportButton = page.locator("#tool-export");
  const openDialog = async () => ((await page.getByRole("button", { name: "Export options" }).isVisible()) ? page.getByRole("button", { name: "Export options" }) : exportButton).click();
  const download = async (press) => readFile(await (await Promise.all([page.waitForEvent("download"), press()]))[0].path(), "utf8");
  await openDialog();
  const dialog = findDialog();
  await dialog.getByRole("radio", { name: "SVG" }).check();
  assert.match(await download(() => dialog.getByRole("button", { name: "Download" }).click()), /Without its title/);
  await openDialog();
  await dialog.getByRole("checkbox", { name: "Title and subtitle" }).uncheck();
  // A link would show the title.
  assert.equal(await dialog.getByRole("button", { name: "Copy link" }).isVisible(), false);
  await checkAllSizes("export-parts");
  const file = await download(() => dialog.getByRole("button", { name: "Download" }).click());
  assert.match(file, /^<svg/);
  assert.doesNotMatch(file.replace(/<title[^>]*>.*?<\/title>/, ""), /Without its title/);
  assert.equal(await download(() => exportButton.click()), file);
  const { title, style } = await callApi(page, "GET", chart.path);
  assert.deepEqual([title, Boolean(style?.no_title)], ["Without its title", false]);
  await openDialog();
  await dialog.getByRole("radio", { name: "Page" }).check();
  assert.equal(await dialog.getByRole("checkbox", { name: "Title and subtitle" }).isVisible(), false);
  await dialog.getByRole("radio", { name: "PNG" }).check();
  await dialog.getByRole("checkbox", { name: "Title and subtitle" }).check();
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("an export has another theme and size, also when it is repeated, and the chart keeps its own", async () => {
  const chart = await createChart("In the dark");
  await openChart(chart);
  const exportButton = page.locator("#tool-export");
  const openDialog = async () => ((await page.getByRole("button", { name: "Export options" }).isVisible()) ? page.getByRole("button", { name: "Export options" }) : exportButton).click();
  const download = async (press) => readFile(await (await Promise.all([page.waitForEvent("download"), press()]))[0].path(), "utf8");
  const before = await callApi(page, "GET", chart.path);
  await page.evaluate(() => localStorage.removeItem("export"));
  await openDialog();
  const dialog = findDialog();
  await dialog.getByRole("radio", { name: "SVG" }).check();
  await dialog.getByLabel("Theme").selectOption({ label: "Dark" });
  await dialog.getByRole("option", { name: /^Square post/ }).waitFor({ state: "attached" });
  await dialog.getByLabel("Size").selectOption({ label: (await dialog.getByRole("option", { name: /^Square post/ }).textContent()) ?? "" });
  await dialog.getByText("540 × 540").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Copy link" }).isVisible(), false);
  await checkAllSizes("export-look");
  const file = await download(() => dialog.getByRole("button", { name: "Download" }).click());
  assert.match(file, /^<svg[^>]* viewBox="0 0 540 540"/);
  assert.match(file, /<rect width="100%" height="100%" fill="#15191f"/);
  assert.equal(await download(() => exportButton.click()), file);
  const { theme, style } = await callApi(page, "GET", chart.path);
  assert.deepEqual([theme, style], [before.theme, before.style]);
  await openDialog();
  await page.waitForFunction(() => /** @type {HTMLSelectElement | null} */ (document.querySelector("dialog[open] select[name=size]"))?.value.startsWith("Square post"));
  await dialog.getByLabel("Size").selectOption({ label: "As in the chart" });
  await dialog.getByLabel("Theme").selectOption({ label: "As in the chart" });
  await dialog.getByRole("button", { name: "Copy link" }).waitFor();
  await dialog.getByRole("radio", { name: "PNG" }).check();
  await page.evaluate(() => localStorage.removeItem("export"));
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("a chart is shared with a user and with a link, which opens until it is revoked", async () => {
  const chart = await createChart("Shared");
  await openChart(chart);
  await findTool("Share").click();
  await checkAllSizes("share");
  await page.getByRole("combobox", { name: /^E-mail/ }).fill("not an address@");
  await findDialog().getByRole("button", { name: "Share" }).click();
  await findDialog().getByRole("alert").waitFor();
  await assertAccessible(page, "share-refused");
  await page.getByRole("combobox", { name: /^E-mail/ }).fill("ben@example.com");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "More about Ben Brook" }).waitFor();
  await page.getByRole("combobox", { name: "Access of Ben Brook" }).selectOption("w");
  await waitForAccess(chart, "w");
  await page.getByRole("button", { name: "Create link" }).click();
  await findToast("The new link is copied").waitFor();
  const firstLink = new URL(await readClipboard()).pathname;
  await checkAllSizes("share-filled");

  const guest = await openPage(chromium, server, { javaScriptEnabled: false });
  await guest.goto(firstLink);
  await guest.getByRole("heading", { name: "Shared", level: 1 }).waitFor();
  await guest.getByRole("img", { name: "Shared" }).waitFor();
  await guest.getByText("Show data as table").click();
  await guest.getByRole("rowheader", { name: "North", exact: true }).waitFor();
  const [file] = await Promise.all([guest.waitForEvent("download"), guest.getByRole("link", { name: "PNG image" }).click()]);
  assert.equal((await readFile(await file.path())).subarray(1, 4).toString(), "PNG");

  await page.getByRole("button", { name: "More about Link for viewing" }).click();
  await assertAccessible(page, "share-menu");
  await page.getByRole("menuitem", { name: "New address" }).click();
  await page.getByRole("button", { name: "New address" }).click();
  await findToast("The new address is copied").waitFor();
  const secondLink = new URL(await readClipboard()).pathname;
  assert.notEqual(secondLink, firstLink);
  await guest.goto(firstLink);
  await guest.getByRole("heading", { name: "This link is not valid" }).waitFor();
  await guest.goto(secondLink);
  await guest.getByRole("heading", { name: "Shared", level: 1 }).waitFor();
  await page.getByRole("button", { name: "More about Link for viewing" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByText("There are no links.").waitFor();
  await guest.goto(secondLink);
  await guest.getByRole("heading", { name: "This link is not valid" }).waitFor();

  // Making the chart public keeps all fields of the document.
  const before = await callApi(page, "GET", chart.path);
  await page.getByRole("switch", { name: "Public page" }).check();
  await page.getByText("Everybody can open this page").waitFor();
  const after = await callApi(page, "GET", chart.path);
  assert.equal(after.isPublic, true);
  for (const key of ["title", "settings", "data", "style", "theme", "folder", "plugin_id"]) assert.deepEqual(after[key], before[key], key);
  const response = await guest.goto(chart.view);
  assert.equal(response.status(), 200);
  await guest.context().close();
  await page.getByRole("button", { name: "Done" }).click();
  assertNoErrors(page);
});

test("the share dialog says that the organization does not allow public documents", async () => {
  const { orgs } = await callApi(page, "GET", "/user");
  const chart = await createChart("Private", orgs[0].id);
  await callApi(page, "PATCH", `/orgs/${orgs[0].id}/settings`, { disable_public_documents: true });
  await openChart(chart);
  await findTool("Share").click();
  await page.getByText("does not allow public documents.").waitFor();
  assert.equal(await page.getByRole("switch", { name: "Public page" }).isDisabled(), true);
  await page.getByRole("button", { name: "Create link" }).click();
  await findDialog().getByText(/share with users or teams/).waitFor();
  await assertAccessible(page, "share-policy");
  await callApi(page, "PATCH", `/orgs/${orgs[0].id}/settings`, { disable_public_documents: false });
  await page.keyboard.press("Escape");
});

test("a screen is paired in the cast dialog, shows an edit within two seconds, and is stopped", async () => {
  const chart = await createChart("On the wall");
  const screen = await openPage(chromium, server, { viewport: { width: 1280, height: 720 } });
  await screen.goto("/cast/receiver");
  const code = screen.locator("#code", { hasText: /^[B-Z]{4}-[B-Z]{4}$/ });
  await code.waitFor();
  await openChart(chart);
  await findTool("More actions").click();
  await page.getByRole("menuitem", { name: "Cast" }).click();
  await page.getByText("No screen shows this chart.").waitFor();
  await checkAllSizes("cast");
  await page.getByRole("button", { name: "Show on screen" }).click();
  await findDialog().getByText("Type the code that the screen shows.").waitFor();
  await page.getByLabel("Code on the screen").fill("BBBBBBBB");
  await page.getByLabel("Name of the screen").fill("Hall");
  await page.getByRole("button", { name: "Show on screen" }).click();
  await findDialog().getByRole("alert").waitFor();
  await assertAccessible(page, "cast-wrong-code");
  await page.getByLabel("Code on the screen").fill((await code.textContent()).toLowerCase().replace("-", ""));
  await page.getByRole("button", { name: "Show on screen" }).click();
  await findToast("The screen shows the chart now.").waitFor();
  await findDialog().getByText("Hall").waitFor();
  await screen.waitForURL((url) => url.pathname !== "/cast/receiver", { timeout: 15_000 });
  const image = screen.locator("#stage img.on");
  await image.waitFor();
  await findDialog().getByText(/shows the current version/).waitFor({ timeout: 15_000 });
  await checkAllSizes("cast-filled");
  const previousSource = await image.getAttribute("src");
  const start = performance.now();
  await saveNorthValue(chart, 5150);
  await screen.waitForFunction((src) => document.querySelector("#stage img.on").getAttribute("src") !== src, previousSource);
  const duration = performance.now() - start;
  assert.ok(duration < 2000, `an edit took ${Math.round(duration)} ms`);
  await page.getByRole("button", { name: "Copy the address of Hall" }).click();
  await findToast("The address is copied").waitFor();
  assert.equal(new URL(await readClipboard()).pathname, new URL(screen.url()).pathname);
  await page.getByRole("button", { name: "Stop showing on Hall" }).click();
  await page.getByText("No screen shows this chart.").waitFor();
  await screen.locator("#message", { hasText: "disconnected" }).waitFor({ timeout: 5000 });
  await page.getByRole("button", { name: "Copy an address instead" }).click();
  await findDialog().getByText("has not shown an image yet").waitFor();
  await page.keyboard.press("Escape");
  assertNoErrors(page);
  await screen.context().close();
});

test("a reader sees why the chart is read-only, and which actions are possible", async () => {
  const chart = await createChart("Looked at");
  const { id } = await callApi(page, "GET", "/user");
  await callApi(page, "POST", "/share", { owner: id, document: chart.id, email: "ben@example.com" });
  const readerPage = await openPageAsBen();
  await openChart(chart, readerPage);
  await readerPage.getByText("You can view this chart but not change it. Ann Archer can give you write access.").waitFor();
  assert.equal(await readerPage.getByRole("button", { name: "Rename" }).count(), 0);
  assert.equal(await readerPage.locator("#tool-cast").count(), 0);
  await assertAccessible(readerPage, "chart-read-only");
  await readerPage.getByText("Show data as table").click();
  await readerPage.evaluate(() => scrollTo(0, 0));
  await assertAccessibleOnPhone(readerPage, "chart-table");
  await readerPage.locator("#tool-share").click();
  await readerPage.getByText("You can view this chart but not share it.").waitFor();
  await assertAccessible(readerPage, "share-read-only");
  await readerPage.keyboard.press("Escape");
  await readerPage.locator("#tool-history").click();
  await readerPage.locator(".version").first().waitFor();
  assert.equal(await readerPage.getByRole("button", { name: /^Name the version/ }).count(), 0);
  // After the access is revoked, the page shows a notice and keeps its content.
  await callApi(page, "DELETE", "/share", { owner: id, document: chart.id, email: "ben@example.com" });
  await readerPage.getByText("is no longer shared with you").waitFor();
  assert.equal(await readerPage.getByText("You can view this chart").isVisible(), false, "the notices contradict each other");
  await assertAccessible(readerPage, "chart-gone");
  assertNoErrors(readerPage);
  await readerPage.context().close();
  await callApi(page, "DELETE", chart.path);
  await page.goto(chart.view);
  await page.getByText("This chart is in the trash.").waitFor();
  await assertAccessible(page, "chart-trash");
});

test("the page shows a notice while the network is down", async () => {
  const chart = await createChart("Far away");
  await openChart(chart);
  await page.context().setOffline(true);
  await page.getByText("Offline: the image is from").waitFor({ timeout: 15_000 });
  await assertAccessible(page, "chart-offline");
  await page.context().setOffline(false);
  await page.getByText("Offline: the image is from").waitFor({ state: "hidden" });
  assertNoErrors(page);
});

test("invitations and invalid links are accessible and use the chosen appearance", async () => {
  const chart = await createChart("Invited");
  const folder = "/Invitations";
  await callApi(page, "PUT", "/users/me/folders/Invitations", {});
  const { id } = await callApi(page, "GET", "/user");
  for (const [name, node] of [["chart", { document: chart.id }], ["folder", { folder }]]) {
    const { link } = await callApi(page, "POST", "/share", { owner: id, ...node, email: `new-${name}@example.org`, mode: "r" });
    const guest = await openPage(chromium, server);
    await guest.goto(new URL(link).pathname);
    await guest.getByRole("heading", { level: 1 }).waitFor();
    await guest.getByRole("button", { name: /^Continue as|^Accept/ }).or(guest.getByRole("main").getByRole("link", { name: "Sign in" })).first().waitFor();
    await assertAccessible(guest, `invitation-${name}`);
    await assertAccessibleOnPhone(guest, `invitation-${name}`);
    await guest.evaluate(() => localStorage.setItem("appearance", "dark"));
    await guest.reload();
    assert.equal(await guest.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(15, 15, 14)");
    // Invalid share links and setup links use the appearance too.
    for (const [address, state] of [["/s/nothing", "dead-link"], ["/setup/nothing", "dead-setup"]]) {
      await guest.goto(address);
      assert.equal(await guest.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(15, 15, 14)", address);
      await guest.evaluate(() => localStorage.removeItem("appearance"));
      await guest.reload();
      await assertAccessible(guest, `${state}-guest`);
      await assertAccessibleOnPhone(guest, `${state}-guest`);
      await guest.evaluate(() => localStorage.setItem("appearance", "dark"));
    }
    assertNoErrors(guest);
    await guest.context().close();
  }
  // A user who is signed in with another account, and the page of a shared folder.
  const { link } = await callApi(page, "POST", "/share", { owner: id, document: chart.id, email: "third@example.org", mode: "r" });
  const otherPage = await openPageAsBen();
  await otherPage.goto(new URL(link).pathname);
  await otherPage.getByRole("heading", { level: 1 }).waitFor();
  await assertAccessible(otherPage, "invitation-signed-in");
  await assertAccessibleOnPhone(otherPage, "invitation-signed-in");
  await otherPage.context().close();
  const folderShare = await callApi(page, "POST", "/share", { owner: id, folder: "/Plans" });
  const guest = await openPage(chromium, server);
  await guest.goto(new URL(folderShare.link).pathname);
  await guest.getByRole("heading", { name: "Plans" }).waitFor();
  await assertAccessible(guest, "share-folder");
  await assertAccessibleOnPhone(guest, "share-folder");
  await guest.locator("ul.charts a").first().click();
  await guest.getByRole("link", { name: "Back to the folder" }).waitFor();
  await assertAccessible(guest, "share-folder-chart");
  assertNoErrors(guest);
  await guest.context().close();
});

test("a printed chart page has the image, address and time, and no controls", async () => {
  const chart = await createChart("On paper");
  await callApi(page, "POST", `${chart.path}/comments`, { position: { x: 100, y: 100 }, content: [{ type: "text", text: "A pin" }] });
  await openChart(chart);
  await page.getByRole("button", { name: /^Comment 1,/ }).waitFor();
  await page.locator("#tool-comments").click();
  await page.locator(".thread").waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await page.locator(".paper svg[part]").first().isVisible(), true);
  assert.equal(await page.getByRole("heading", { name: "On paper", level: 1 }).isVisible(), true);
  assert.ok((await page.locator(".printed").innerText()).includes(chart.view));
  const visibleControls = await page.locator("button, a, input, textarea, select, summary, [role=button], .pins, .panel").evaluateAll((elements) => elements.filter((element) => element.checkVisibility({ checkVisibilityCSS: true }) && !element.matches(".skip, svg *")).map((element) => element.outerHTML.slice(0, 80)));
  assert.deepEqual(visibleControls, []);
  // The paper is white, although the page is dark.
  const colors = await page.evaluate(() => [getComputedStyle(document.documentElement).colorScheme, getComputedStyle(document.body).backgroundColor]);
  assert.deepEqual(colors, ["light", "rgba(0, 0, 0, 0)"]);
  assert.equal((await page.pdf()).subarray(0, 4).toString(), "%PDF");
  await page.goto("/");
  await page.locator("#places .branch").nth(1).waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "light");
  assert.equal(await page.getByRole("button", { name: "New chart" }).isVisible(), false);
  assert.equal(await page.locator("li.chart").first().isVisible(), true);
  await page.emulateMedia({ media: "screen", colorScheme: "light", reducedMotion: "reduce" });
  assertNoErrors(page);
});

/** Returns width and height of the pages of a PDF in points. @param {Buffer} pdf */
const listPageSizes = (pdf) => [...pdf.toString("latin1").matchAll(/\/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, width, height]) => [Number(width), Number(height)]);

/** Fails if the printed image uses neither the width nor most of the height of a sheet. @param {number} ratio of the image */
async function assertPrintedWide(ratio) {
  await page.emulateMedia({ media: "print" });
  const [sheet, image] = await page.evaluate(() => [document.documentElement.clientWidth, document.querySelector(".paper")?.shadowRoot?.querySelector("svg")?.getBoundingClientRect().width ?? 0]);
  const height = await page.evaluate(() => window.innerHeight);
  await page.emulateMedia({ media: null });
  assert.ok(image > Math.min(sheet, height * ratio) * 0.9, `${image} px of ${sheet} px`);
}

test("a printed chart page has the paper turned to the long side of the chart, and a chart fits one sheet", async () => {
  const chart = await createChart("Turned");
  const { id } = await callApi(page, "GET", "/user");
  const { link } = await callApi(page, "POST", "/share", { owner: id, document: chart.id });
  await page.emulateMedia({ media: null });
  for (const [width, height] of [[720, 405], [640, 480], [400, 700]]) {
    await page.goto("/");
    const { version: _, owner: __, ...fields } = await callApi(page, "GET", chart.path);
    await callApi(page, "PUT", chart.path, { ...fields, style: { ...fields.style, width, height } });
    for (const path of [chart.view, new URL(link).pathname]) {
      await page.goto(path);
      await page.locator(".paper").first().waitFor();
      const sizes = listPageSizes(await page.pdf({ preferCSSPageSize: true, format: "A4" }));
      assert.equal(sizes.length, 1, `${path}, ${width} × ${height}: ${JSON.stringify(sizes)}`);
      if (path === chart.view) await assertPrintedWide(width / height);
      // The page of a link has no scripts.
      if (path === chart.view) assert.equal(sizes[0][0] > sizes[0][1], width > height, `${path}, ${width} × ${height}: ${JSON.stringify(sizes)}`);
    }
  }
  await page.goto("/");
  assertNoErrors(page);
});

test("a chart page that is printed before its scripts have loaded fits one sheet", async () => {
  const chart = await createChart("Early");
  const { version: _, owner: __, ...fields } = await callApi(page, "GET", chart.path);
  await callApi(page, "PUT", chart.path, { ...fields, style: { ...fields.style, width: 400, height: 700 } });
  const opening = await page.context().newPage();
  await opening.route("**/*.js*", (route) => route.abort());
  await opening.goto(chart.view);
  await opening.locator("#chart.opening").waitFor();
  const sizes = listPageSizes(await opening.pdf({ preferCSSPageSize: true, format: "A4" }));
  assert.equal(sizes.length, 1, JSON.stringify(sizes));
  await opening.close();
});

test("the view of a share link is accessible in light and dark mode and in all sizes, and can be printed", async () => {
  const chart = await createChart("Quarterly figures");
  const { id } = await callApi(page, "GET", "/user");
  const { link } = await callApi(page, "POST", "/share", { owner: id, document: chart.id });
  const guest = await openPage(chromium, server);
  await guest.goto(new URL(link).pathname);
  for (const size of [WIDE_VIEWPORT, PHONE_VIEWPORT]) {
    await guest.setViewportSize(size);
    await assertAccessible(guest, "share-view");
  }
  await guest.setViewportSize(SMALL_VIEWPORT);
  await assertNoHorizontalScroll(guest);
  await guest.getByText("Show data as table").click();
  await assertAccessible(guest, "share-view-table");
  await guest.emulateMedia({ media: "print" });
  assert.equal(await guest.locator(".bar").isVisible(), false);
  assert.equal(await guest.locator(".printed").isVisible(), true);
  const pdf = await guest.pdf({ path: process.env.SCREENSHOTS && `${process.env.SCREENSHOTS}/share-view.pdf` });
  assert.equal(pdf.subarray(0, 4).toString(), "%PDF");
  assertNoErrors(guest);
  await guest.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
