// The page of a chart in a browser: reading, naming, comments, versions, exports, sharing; and the view behind a link.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { browser, call, fits, looksWell, looksWellSmall, program, run, serve, signIn, test, unhurt, visit } from "./lib.mjs";

const server = await serve();
const chromium = await browser();
const page = await visit(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
const { sign_in: ann } = server.welcome;
await signIn(page, ann);

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const SMALL = { width: 320, height: 700 };

const toast = (text) => page.locator(".toast", { hasText: text });
const dialog = () => page.locator("dialog[open]");
const tool = (name) => page.locator("#tools").getByRole("button", { name, exact: true });
const copied = () => page.evaluate(() => navigator.clipboard.readText());

/** A chart of one's own, or of the organization: its path in the interface and its page. */
async function make(title, owner) {
  const { endpoint, document_view } = await call(page, "POST", "/create-document", { widget: "bar", folder: "/Plans", owner });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await call(page, "PATCH", path, { title });
  return { path, id: path.split("/").at(-1), view: new URL(document_view).pathname };
}

/** Saves figures as another program would. */
async function figures(chart, north) {
  const data = [{ label: "North", value: north }, { label: "South", value: 640 }];
  await call(page, "PUT", `${chart.path}/data`, data);
}

/** The page of a chart with everything on it. */
async function open(chart, on = page) {
  await on.goto(chart.view);
  await on.locator("#tool-export").waitFor();
  await on.locator(".paper").evaluate((it) => it.shadowRoot?.querySelector("svg[part]") || Promise.reject(new Error("no picture")));
}

/** What the picture says. */
const picture = (on = page) => on.locator(".paper").evaluate((it) => it.shadowRoot?.textContent ?? "");
const said = async (text, on = page) => on.waitForFunction((text) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(text), text);

/** The same in both widths, and nothing sticks out at 320 px. */
async function everywhere(name) {
  await looksWell(page, name);
  await page.setViewportSize(PHONE);
  await looksWell(page, name);
  await page.setViewportSize(SMALL);
  await fits(page);
  await page.setViewportSize(WIDE);
}

/** Opens a browser context for Ben, signed in by an API token. */
async function ben() {
  const words = ["--data-dir", server.welcome.data_dir, "--json", "user", "token", "ben@example.com", "--name", "web"];
  const made = spawnSync(program(), words, { encoding: "utf8" });
  const { token } = JSON.parse(made.stdout);
  return visit(chromium, server, { extraHTTPHeaders: { authorization: `Bearer ${token}` } });
}

test("a chart can be read and kept without scripts", async () => {
  const chart = await make("Plain");
  const plain = await visit(chromium, server, { javaScriptEnabled: false, storageState: await page.context().storageState() });
  await plain.goto(chart.view);
  assert.equal(await plain.getByRole("heading", { level: 1 }).innerText(), "Plain");
  await plain.getByRole("img", { name: "Plain" }).waitFor();
  await plain.getByText("Show data as table").click();
  await plain.getByRole("rowheader", { name: "North", exact: true }).waitFor();
  const [file] = await Promise.all([plain.waitForEvent("download"), plain.getByRole("link", { name: "SVG picture" }).click()]);
  assert.match(await readFile(await file.path(), "utf8"), /^<svg .*Plain/s);
  await plain.context().close();
});

test("the page of a chart, light and dark, wide and narrow", async () => {
  const chart = await make("Orders by region");
  await open(chart);
  await everywhere("chart");
  await page.getByText("Show data as table").click();
  await everywhere("chart-table");
  assert.match(await page.locator("#changed").innerText(), /just now|minute/);
  for (const name of ["Plans"]) await page.getByLabel("Where this chart is").getByRole("link", { name }).waitFor();
  unhurt(page);
});

test("a chart is renamed in its place, and Escape leaves its name", async () => {
  const chart = await make("First");
  await open(chart);
  await page.getByRole("button", { name: "Rename" }).click();
  await looksWell(page, "chart-rename");
  await page.getByRole("textbox", { name: "Title" }).fill("Second");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Second", level: 1 }).waitFor();
  await said("Second");
  assert.equal((await call(page, "GET", chart.path)).title, "Second");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.keyboard.type("Third");
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Second", level: 1 }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Rename");
  unhurt(page);
});

test("what is changed elsewhere appears by itself", async () => {
  const chart = await make("Followed");
  await open(chart);
  await figures(chart, 7777);
  await said("7,777");
  await call(page, "PATCH", chart.path, { title: "Renamed elsewhere" });
  await page.getByRole("heading", { name: "Renamed elsewhere", level: 1 }).waitFor();
  unhurt(page);
});

test("a comment is placed, mentions somebody, is answered, changed, moved and resolved", async () => {
  const { orgs } = await call(page, "GET", "/user");
  const chart = await make("Discussed", orgs[0].id);
  await call(page, "POST", "/share", { owner: orgs[0].id, document: chart.id, email: "ben@example.com" });
  await open(chart);
  await tool("Comments").click();
  await page.getByText("No comments yet.").waitFor();
  await everywhere("comments-empty");
  await page.getByRole("heading", { name: "Comments" }).focus();
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Place in the middle" }).waitFor();
  await looksWell(page, "comments-placing");
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
  await page.getByRole("textbox", { name: "New comment" }).waitFor();
  await page.keyboard.type("Is this right, @bro");
  await page.getByRole("option", { name: /Ben Brook/ }).waitFor();
  await looksWell(page, "comments-mention");
  await page.keyboard.press("Enter");
  await page.keyboard.type("<b>or not</b>?");
  await page.keyboard.press("Control+Enter");
  const thread = page.locator(".thread");
  await thread.getByText("@Ben Brook").waitFor();
  assert.equal(await thread.locator("b").count(), 0);
  const read = async () => (await call(page, "GET", `${chart.path}/comments`)).threads[0];
  let stored = await read();
  assert.deepEqual(stored.comments[0].content.map((it) => it.type), ["text", "user", "text"]);
  assert.equal(stored.comments[0].content[1].name, "Ben Brook");
  assert.deepEqual([Math.round(stored.position.x), Math.round(stored.position.y)], [180, 203]);
  await everywhere("comments");

  await thread.getByRole("button", { name: "Reply" }).click();
  await page.keyboard.type("It is.");
  await page.keyboard.press("Control+Enter");
  await thread.getByText("It is.").waitFor();
  await thread.getByRole("button", { name: "Edit" }).last().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" Surely.");
  await thread.getByRole("button", { name: "Save" }).click();
  await thread.getByText("It is. Surely.").waitFor();

  // By hand, and by keys.
  const pin = page.getByRole("button", { name: /^Comment 1,/ });
  const at = await pin.boundingBox();
  await page.mouse.move(at.x + 12, at.y + 12);
  await page.mouse.down();
  await page.mouse.move(at.x + 112, at.y + 12, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => !document.querySelector(".dragged"));
  await page.waitForTimeout(300);
  const moved = (await read()).position;
  assert.ok(moved.x > 230 && Math.abs(moved.y - stored.position.y) < 0.2, JSON.stringify(moved));
  await thread.getByRole("button", { name: "More about comment 1" }).click();
  await looksWell(page, "comments-menu");
  await page.getByRole("menuitem", { name: "Move its pin" }).click();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(300);
  stored = await read();
  assert.deepEqual([stored.position.x.toFixed(1), stored.position.y.toFixed(1)], [(moved.x + 1).toFixed(1), (moved.y + 10).toFixed(1)]);

  await thread.getByRole("button", { name: "Resolve" }).click();
  await page.getByLabel(/^Show resolved/).check();
  await thread.getByText("Resolved", { exact: true }).waitFor();
  assert.equal((await read()).resolved, true);
  await looksWell(page, "comments-resolved");

  // A link to a comment opens the panel there.
  await page.goto("about:blank");
  await page.goto(`${chart.view}#comment-${stored.comments[1].id}`);
  await page.locator(".thread.selected").getByText("It is. Surely.").waitFor();
  await thread.getByRole("button", { name: "More about comment 1" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await dialog().getByRole("button", { name: "Delete" }).click();
  await page.getByText("No comments yet.").waitFor();
  unhurt(page);
});

test("a comment is placed with the keyboard alone, and next and previous walk", async () => {
  const chart = await make("By keys");
  for (const x of [100, 300]) await call(page, "POST", `${chart.path}/comments`, { position: { x, y: 100 }, content: [{ type: "text", text: `At ${x}` }] });
  await open(chart);
  await page.getByRole("button", { name: /^Comment 2,/ }).waitFor();
  await page.keyboard.press("n");
  await page.locator(".thread.selected").getByText("At 100").waitFor();
  await page.keyboard.press("n");
  await page.locator(".thread.selected").getByText("At 300").waitFor();
  await page.keyboard.press("Shift+N");
  await page.locator(".thread.selected").getByText("At 100").waitFor();
  await page.keyboard.press("c");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Place in the middle");
  await page.keyboard.press("Enter");
  await page.locator("#draft-pin").focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.getByRole("textbox", { name: "New comment" }).focus();
  await page.keyboard.type("Left of the middle");
  await page.keyboard.press("Control+Enter");
  await page.locator(".thread.selected").getByText("Left of the middle").waitFor();
  const { threads } = await call(page, "GET", `${chart.path}/comments`);
  assert.deepEqual(threads[2].position, { x: 350, y: 202.5 });
  // In one's own account nobody deletes: it is not offered.
  await page.getByRole("button", { name: "More about comment 3" }).click();
  assert.equal(await page.getByRole("menuitem", { name: "Delete" }).count(), 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+C");
  await page.getByRole("button", { name: /^Comment 2,/ }).waitFor({ state: "hidden" });
  unhurt(page);
});

test("a version is looked at, restored and taken back, named and copied", async () => {
  const chart = await make("Versioned");
  const { version, owner, ...whole } = await call(page, "GET", chart.path);
  await call(page, "PATCH", `${chart.path}/history/${whole.history_version}`, { name: "As it began" });
  await call(page, "PUT", chart.path, { ...whole, title: "Versioned later", data: [{ label: "North", value: 4321 }], final_save: true });
  await open(chart);
  await said("4,321");
  await tool("History").click();
  await page.locator(".version").nth(1).waitFor();
  await page.getByText(/Title: “Versioned” → “Versioned later”/).waitFor();
  await everywhere("history");
  await page.getByRole("button", { name: /As it began/ }).click();
  await page.locator("#preview").waitFor();
  await said("1,284");
  assert.equal((await call(page, "GET", chart.path)).title, "Versioned later");
  await everywhere("history-preview");
  await page.getByRole("button", { name: "Back" }).click();
  await said("4,321");
  await page.getByRole("button", { name: /As it began/ }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await toast("is the present one again").waitFor();
  await said("1,284");
  assert.equal((await call(page, "GET", chart.path)).title, "Versioned");
  await toast("is the present one again").getByRole("button", { name: "Undo" }).click();
  await said("4,321");
  await page.getByRole("button", { name: /^Name the version/ }).first().click();
  await looksWell(page, "history-name");
  await page.getByRole("textbox", { name: "Name" }).fill("Signed off");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /Signed off/ }).waitFor();
  await page.getByRole("button", { name: /As it began/ }).click();
  await page.getByRole("button", { name: "Copy to new" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/d/") && !url.pathname.includes(chart.id));
  await said("1,284");
  unhurt(page);
});

test("a chart is exported as asked, and the same way again by one press", async () => {
  const chart = await make("Exported");
  await open(chart);
  await tool("Export").click();
  await page.getByText("1440 × 810 px.").waitFor();
  await everywhere("export");
  await page.getByLabel("Or its width in pixels").fill("1000");
  await page.getByText("1000 × 563 px.").waitFor();
  await page.getByRole("radio", { name: "3×" }).check();
  await page.getByText("2160 × 1215 px.").waitFor();
  await page.getByLabel(/Transparent/).check();
  const [first] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  const bytes = await readFile(await first.path());
  assert.equal(bytes.readUInt32BE(16), 2160);
  const [again] = await Promise.all([page.waitForEvent("download"), tool("Export PNG ×3").click()]);
  assert.deepEqual(await readFile(await again.path()), bytes);
  await tool("Export options").click();
  await page.getByRole("radio", { name: "Page" }).check();
  const [html] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  assert.match(await readFile(await html.path(), "utf8"), /^<!doctype html>/);
  await tool("Export options").click();
  await page.getByRole("radio", { name: "SVG" }).check();
  await page.getByRole("button", { name: "Copy link" }).click();
  await toast("The link is copied").waitFor();
  const stranger = await visit(chromium, server);
  const answer = await stranger.goto(new URL(await copied()).href.replace(/^https?:\/\/[^/]+/, server.base));
  assert.match(answer.headers()["content-type"], /^image\/svg/);
  await stranger.context().close();
  await page.getByRole("button", { name: "Copy image" }).click();
  await toast("The picture is copied").waitFor();
  const types = await page.evaluate(async () => (await navigator.clipboard.read())[0].types);
  assert.deepEqual(types, ["image/png"]);
  await page.keyboard.press("Escape");
  await page.evaluate(() => localStorage.removeItem("export-label"));
  unhurt(page);
});

test("a chart is shared with people and by a link that opens in a private window until it is revoked", async () => {
  const chart = await make("Shared");
  await open(chart);
  await tool("Share").click();
  await everywhere("share");
  await page.getByRole("combobox", { name: /^E-mail/ }).fill("not an address@");
  await dialog().getByRole("button", { name: "Share" }).click();
  await dialog().getByRole("alert").waitFor();
  await looksWell(page, "share-refused");
  await page.getByRole("combobox", { name: /^E-mail/ }).fill("ben@example.com");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "More about Ben Brook" }).waitFor();
  await page.getByRole("combobox", { name: "What Ben Brook may do" }).selectOption("w");
  await page.waitForFunction(async (path) => (await (await fetch(`/api/v1${path}`)).json()).acl[0]?.mode === "w", chart.path);
  await page.getByRole("button", { name: "Make a link" }).click();
  await toast("The new link is copied").waitFor();
  const link = new URL(await copied()).pathname;
  await everywhere("share-filled");

  const guest = await visit(chromium, server, { javaScriptEnabled: false });
  await guest.goto(link);
  await guest.getByRole("heading", { name: "Shared", level: 1 }).waitFor();
  await guest.getByRole("img", { name: "Shared" }).waitFor();
  await guest.getByText("Show data as table").click();
  await guest.getByRole("rowheader", { name: "North", exact: true }).waitFor();
  const [file] = await Promise.all([guest.waitForEvent("download"), guest.getByRole("link", { name: "PNG picture" }).click()]);
  assert.equal((await readFile(await file.path())).subarray(1, 4).toString(), "PNG");

  await page.getByRole("button", { name: "More about Link that views" }).click();
  await looksWell(page, "share-menu");
  await page.getByRole("menuitem", { name: "New address" }).click();
  await page.getByRole("button", { name: "New address" }).click();
  await toast("The new address is copied").waitFor();
  const second = new URL(await copied()).pathname;
  assert.notEqual(second, link);
  await guest.goto(link);
  await guest.getByRole("heading", { name: "This link is not valid" }).waitFor();
  await guest.goto(second);
  await guest.getByRole("heading", { name: "Shared", level: 1 }).waitFor();
  await page.getByRole("button", { name: "More about Link that views" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByText("There are no links.").waitFor();
  await guest.goto(second);
  await guest.getByRole("heading", { name: "This link is not valid" }).waitFor();

  // Everybody: nothing of the document is lost by it.
  const before = await call(page, "GET", chart.path);
  await page.getByRole("switch", { name: "Public page" }).check();
  await page.getByText("Everybody can open this page").waitFor();
  const after = await call(page, "GET", chart.path);
  assert.equal(after.isPublic, true);
  for (const key of ["title", "settings", "data", "style", "theme", "folder", "plugin_id"]) assert.deepEqual(after[key], before[key], key);
  const answer = await guest.goto(chart.view);
  assert.equal(answer.status(), 200);
  await guest.context().close();
  await page.getByRole("button", { name: "Done" }).click();
  unhurt(page);
});

test("an organization that lets nothing be public says so where one would share", async () => {
  const { orgs } = await call(page, "GET", "/user");
  const chart = await make("Private", orgs[0].id);
  await call(page, "PATCH", `/orgs/${orgs[0].id}/settings`, { disable_public_documents: true });
  await open(chart);
  await tool("Share").click();
  await page.getByText("lets nothing be public.").waitFor();
  assert.equal(await page.getByRole("switch", { name: "Public page" }).isDisabled(), true);
  await page.getByRole("button", { name: "Make a link" }).click();
  await dialog().getByText(/share with users or teams/).waitFor();
  await looksWell(page, "share-policy");
  await call(page, "PATCH", `/orgs/${orgs[0].id}/settings`, { disable_public_documents: false });
  await page.keyboard.press("Escape");
});

test("a screen is paired by its code, follows an edit within two seconds, and is stopped", async () => {
  const chart = await make("On the wall");
  const screen = await visit(chromium, server, { viewport: { width: 1280, height: 720 } });
  await screen.goto("/cast/receiver");
  const code = screen.locator("#code", { hasText: /^[B-Z]{4}-[B-Z]{4}$/ });
  await code.waitFor();
  await open(chart);
  await tool("Cast").click();
  await page.getByText("No screen shows this chart.").waitFor();
  await everywhere("cast");
  await page.getByRole("button", { name: "Show it there" }).click();
  await dialog().getByText("Type the code that the screen shows.").waitFor();
  await page.getByLabel("Code on the screen").fill("BBBBBBBB");
  await page.getByLabel("Name of the screen").fill("Hall");
  await page.getByRole("button", { name: "Show it there" }).click();
  await dialog().getByRole("alert").waitFor();
  await looksWell(page, "cast-wrong-code");
  await page.getByLabel("Code on the screen").fill((await code.textContent()).toLowerCase().replace("-", ""));
  await page.getByRole("button", { name: "Show it there" }).click();
  await toast("The screen shows the chart now.").waitFor();
  await dialog().getByText("Hall").waitFor();
  await screen.waitForURL((url) => url.pathname !== "/cast/receiver", { timeout: 15_000 });
  const shown = screen.locator("#stage img.on");
  await shown.waitFor();
  await dialog().getByText(/shows the newest state/).waitFor({ timeout: 15_000 });
  await everywhere("cast-filled");
  const before = await shown.getAttribute("src");
  const began = performance.now();
  await figures(chart, 5150);
  await screen.waitForFunction((src) => document.querySelector("#stage img.on").getAttribute("src") !== src, before);
  const took = performance.now() - began;
  assert.ok(took < 2000, `an edit took ${Math.round(took)} ms`);
  await page.getByRole("button", { name: "Copy the address of Hall" }).click();
  await toast("The address is copied").waitFor();
  assert.equal(new URL(await copied()).pathname, new URL(screen.url()).pathname);
  await page.getByRole("button", { name: "Stop showing on Hall" }).click();
  await page.getByText("No screen shows this chart.").waitFor();
  await screen.locator("#message", { hasText: "disconnected" }).waitFor({ timeout: 5000 });
  await page.getByRole("button", { name: "Copy an address instead" }).click();
  await dialog().getByText("has drawn nothing yet").waitFor();
  await page.keyboard.press("Escape");
  unhurt(page);
  await screen.context().close();
});

test("a reader sees why the chart is read-only, and which actions are possible", async () => {
  const chart = await make("Looked at");
  const { id } = await call(page, "GET", "/user");
  await call(page, "POST", "/share", { owner: id, document: chart.id, email: "ben@example.com" });
  const other = await ben();
  await open(chart, other);
  await other.getByText("You may look at this chart. Ann Archer can let you change it.").waitFor();
  assert.equal(await other.getByRole("button", { name: "Rename" }).count(), 0);
  assert.equal(await other.locator("#tool-cast").count(), 0);
  await looksWell(other, "chart-read-only");
  await other.locator("#tool-share").click();
  await other.getByText("You may look at this chart, not share it.").waitFor();
  await looksWell(other, "share-read-only");
  await other.keyboard.press("Escape");
  await other.locator("#tool-history").click();
  await other.locator(".version").first().waitFor();
  assert.equal(await other.getByRole("button", { name: /^Name the version/ }).count(), 0);
  // What is taken away is said; what is there to see stays.
  await call(page, "DELETE", "/share", { owner: id, document: chart.id, email: "ben@example.com" });
  await other.getByText("is no longer shared with you").waitFor();
  await looksWell(other, "chart-gone");
  unhurt(other);
  await other.context().close();
  await call(page, "DELETE", chart.path);
  await page.goto(chart.view);
  await page.getByText("This chart is in the trash.").waitFor();
  await looksWell(page, "chart-trash");
});

test("a lost network is said, and passes", async () => {
  const chart = await make("Far away");
  await open(chart);
  await page.context().setOffline(true);
  await page.getByText("Offline: the picture is as of").waitFor({ timeout: 15_000 });
  await looksWell(page, "chart-offline");
  await page.context().setOffline(false);
  await page.getByText("Offline: the picture is as of").waitFor({ state: "hidden" });
  unhurt(page);
});

test("an invitation is of the same look, and the choice of light or dark holds on it", async () => {
  const chart = await make("Invited");
  const folder = "/Invitations";
  await call(page, "PUT", "/users/me/folders/Invitations", {});
  const { id } = await call(page, "GET", "/user");
  for (const [name, what] of [["chart", { document: chart.id }], ["folder", { folder }]]) {
    const { link } = await call(page, "POST", "/share", { owner: id, ...what, email: `new-${name}@example.org`, mode: "r" });
    const guest = await visit(chromium, server);
    await guest.goto(new URL(link).pathname);
    await guest.getByRole("heading", { level: 1 }).waitFor();
    await guest.getByRole("button", { name: /^Continue as|^Accept/ }).or(guest.getByRole("main").getByRole("link", { name: "Sign in" })).first().waitFor();
    await looksWell(guest, `invitation-${name}`);
    await looksWellSmall(guest, `invitation-${name}`);
    await guest.evaluate(() => localStorage.setItem("appearance", "dark"));
    await guest.reload();
    assert.equal(await guest.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(15, 15, 14)");
    // A dead link too, and one of the set-up.
    for (const [address, state] of [["/s/nothing", "dead-link"], ["/setup/nothing", "dead-setup"]]) {
      await guest.goto(address);
      assert.equal(await guest.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(15, 15, 14)", address);
      await guest.evaluate(() => localStorage.removeItem("appearance"));
      await guest.reload();
      await looksWell(guest, `${state}-guest`);
      await looksWellSmall(guest, `${state}-guest`);
      await guest.evaluate(() => localStorage.setItem("appearance", "dark"));
    }
    unhurt(guest);
    await guest.context().close();
  }
  // To who is signed in with another account, and the folder behind a link.
  const { link } = await call(page, "POST", "/share", { owner: id, document: chart.id, email: "third@example.org", mode: "r" });
  const other = await ben();
  await other.goto(new URL(link).pathname);
  await other.getByRole("heading", { level: 1 }).waitFor();
  await looksWell(other, "invitation-signed-in");
  await looksWellSmall(other, "invitation-signed-in");
  await other.context().close();
  const open = await call(page, "POST", "/share", { owner: id, folder: "/Plans" });
  const guest = await visit(chromium, server);
  await guest.goto(new URL(open.link).pathname);
  await guest.getByRole("heading", { name: "Plans" }).waitFor();
  await looksWell(guest, "share-folder");
  await looksWellSmall(guest, "share-folder");
  await guest.locator("ul.charts a").first().click();
  await guest.getByRole("link", { name: "All of the folder" }).waitFor();
  await looksWell(guest, "share-folder-chart");
  unhurt(guest);
  await guest.context().close();
});

test("on paper a chart has its picture, where it is and when, and nothing to press", async () => {
  const chart = await make("On paper");
  await call(page, "POST", `${chart.path}/comments`, { position: { x: 100, y: 100 }, content: [{ type: "text", text: "A pin" }] });
  await open(chart);
  await page.getByRole("button", { name: /^Comment 1,/ }).waitFor();
  await page.locator("#tool-comments").click();
  await page.locator(".thread").waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await page.locator(".paper svg[part]").first().isVisible(), true);
  assert.equal(await page.getByRole("heading", { name: "On paper", level: 1 }).isVisible(), true);
  assert.ok((await page.locator(".printed").innerText()).includes(chart.view));
  const shown = await page.locator("button, a, input, textarea, select, summary, [role=button], .pins, .panel").evaluateAll((all) => all.filter((it) => it.checkVisibility({ checkVisibilityCSS: true }) && !it.matches(".skip")).map((it) => it.outerHTML.slice(0, 80)));
  assert.deepEqual(shown, []);
  // White, although the screen is dark.
  const ground = await page.evaluate(() => [getComputedStyle(document.documentElement).colorScheme, getComputedStyle(document.body).backgroundColor]);
  assert.deepEqual(ground, ["light", "rgba(0, 0, 0, 0)"]);
  assert.equal((await page.pdf()).subarray(0, 4).toString(), "%PDF");
  await page.goto("/");
  await page.locator("#places .branch").nth(1).waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "light");
  assert.equal(await page.getByRole("button", { name: "New chart" }).isVisible(), false);
  assert.equal(await page.locator("li.chart").first().isVisible(), true);
  await page.emulateMedia({ media: "screen", colorScheme: "light", reducedMotion: "reduce" });
  unhurt(page);
});

test("the view behind a link, light and dark, wide and narrow, and on paper", async () => {
  const chart = await make("Quarterly figures");
  const { id } = await call(page, "GET", "/user");
  const { link } = await call(page, "POST", "/share", { owner: id, document: chart.id });
  const guest = await visit(chromium, server);
  await guest.goto(new URL(link).pathname);
  for (const size of [WIDE, PHONE]) {
    await guest.setViewportSize(size);
    await looksWell(guest, "share-view");
  }
  await guest.setViewportSize(SMALL);
  await fits(guest);
  await guest.getByText("Show data as table").click();
  await looksWell(guest, "share-view-table");
  await guest.emulateMedia({ media: "print" });
  assert.equal(await guest.locator(".bar").isVisible(), false);
  assert.equal(await guest.locator(".printed").isVisible(), true);
  const paper = await guest.pdf({ path: process.env.SCREENSHOTS && `${process.env.SCREENSHOTS}/share-view.pdf` });
  assert.equal(paper.subarray(0, 4).toString(), "%PDF");
  unhurt(guest);
  await guest.context().close();
});

await run(async () => {
  await chromium.close();
  await server.remove();
});
