// The library in a browser: finding, arranging, throwing away and bringing back.

import assert from "node:assert/strict";
import { browser, call, command, fits, looksWell, looksWellSmall, run, serve, signIn, test, unhurt, visit } from "./lib.mjs";

const server = await serve();
const chromium = await browser();
const page = await visit(chromium, server);
const { sign_in: ann } = server.welcome;
await signIn(page, ann);

const card = (title) => page.locator("li.chart", { has: page.locator(".title", { hasText: new RegExp(`^${title}$`) }) });
const toast = (text) => page.locator(".toast", { hasText: text });
const dialog = (of = page) => of.locator("dialog[open]");
/** A chart of one's own with this title in a folder. */
async function make(title, folder = "/") {
  const { endpoint } = await call(page, "POST", "/create-document", { widget: "bar", folder });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await call(page, "PATCH", path, { title });
  return path;
}
/** A token of somebody else. */
async function token(email) {
  const made = await command(server.welcome.data_dir, ["--json", "user", "token", email, "--name", "web"]);
  return JSON.parse(made).token;
}
const mine = async () => `/f/${(await call(page, "GET", "/user")).id}`;

test("sign-in leads to the charts, with a wrong password it says so in place", async () => {
  const page = await visit(chromium, server);
  await page.goto("/");
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await looksWell(page, "sign-in");
  await looksWellSmall(page, "sign-in");
  await page.getByLabel("E-mail or username").fill(ann.email);
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await looksWell(page, "sign-in-wrong");
  await signIn(page, ann);
  await page.getByRole("heading", { name: "All charts" }).waitFor();
  unhurt(page);
  await page.context().close();
});

test("without scripts every view can be read and followed", async () => {
  const plain = await visit(chromium, server, { javaScriptEnabled: false });
  await signIn(plain, ann);
  assert.equal(await plain.locator("ul.charts > li").count(), 48);
  await plain.getByRole("link", { name: "More", exact: true }).click();
  assert.ok((await plain.locator("ul.charts > li").count()) > 0);
  for (const name of ["Recent", "Shared with me", "Trash", "My charts", "Harbour News"]) {
    await plain.getByLabel("Library").getByRole("link", { name }).click();
    await plain.getByRole("heading", { level: 1 }).waitFor();
  }
  await plain.goto("/search?q=energy");
  assert.ok((await plain.locator("mark").count()) > 0);
  await plain.context().close();
});

test("all charts, as pictures and as a list, light and dark, wide and narrow", async () => {
  await page.goto("/");
  await page.locator("#places .branch").nth(1).waitFor();
  await looksWell(page, "all");
  await page.getByRole("button", { name: "List", exact: true }).click();
  await looksWell(page, "all-list");
  await page.setViewportSize({ width: 390, height: 844 });
  await looksWell(page, "all-list");
  await page.getByRole("button", { name: "Pictures", exact: true }).click();
  await looksWell(page, "all");
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 });
    await fits(page);
  }
  // A long word of a folder's name stays whole where the phone has room for it.
  await page.setViewportSize({ width: 375, height: 700 });
  const lines = await card("Project management").locator(".title").evaluate((it) => {
    const range = document.createRange();
    range.selectNodeContents(it);
    return range.getClientRects().length;
  });
  assert.equal(lines, 2);
  await page.setViewportSize({ width: 1440, height: 900 });
  unhurt(page);
});

test("more charts are loaded on demand, once each", async () => {
  await page.goto("/");
  const before = await page.locator("ul.charts > li").count();
  assert.equal(before, 48);
  await page.getByRole("button", { name: "Load more" }).click();
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length > 48);
  const keys = await page.locator("ul.charts > li").evaluateAll((all) => all.map((it) => it.dataset.key));
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(await page.getByRole("button", { name: "Load more" }).isVisible(), false);
});

test("a slash leads to the search, which answers while one types", async () => {
  await page.goto("/");
  await page.locator(".title").first().focus();
  await page.keyboard.press("/");
  await page.keyboard.type("ener");
  const options = page.getByRole("option");
  await options.first().waitFor();
  assert.ok((await page.locator("#found mark").count()) > 0);
  await looksWell(page, "search-open");
  await looksWellSmall(page, "search-open");
  await page.keyboard.press("ArrowDown");
  assert.equal(await options.first().getAttribute("aria-selected"), "true");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/f\//);
  await page.keyboard.press("/");
  await page.keyboard.type("energy");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/search\?q=energy/);
  assert.equal(await page.locator("#q").inputValue(), "energy");
  await looksWell(page, "search");
  await page.goto("/search?q=xyzzyx");
  await page.getByText("Nothing was found").waitFor();
  await looksWell(page, "search-none");
  unhurt(page);
});

test("a folder is made, a name in use is refused in place, and it is renamed", async () => {
  await page.goto(await mine());
  await page.getByRole("button", { name: "New folder" }).click();
  await looksWell(page, "new-folder");
  await page.getByRole("textbox", { name: "Name" }).fill("Energy");
  await page.keyboard.press("Enter");
  await dialog().getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("Spring");
  await page.keyboard.press("Enter");
  await card("Spring").waitFor();
  await dialog().waitFor({ state: "detached" });
  await card("Spring").locator(".title").focus();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "Name" }).fill("Summer");
  await page.keyboard.press("Enter");
  await card("Summer").waitFor();
  await page.locator("#places").getByRole("link", { name: "Summer" }).waitFor();
  await dialog().waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  await card("Spring").waitFor();
  unhurt(page);
});

test("a chart is renamed by its menu and by the keyboard, and that is undone", async () => {
  await make("First name");
  await page.goto(await mine());
  await card("First name").getByRole("button", { name: "Actions for First name" }).click();
  await looksWell(page, "menu");
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Second name");
  await dialog().getByRole("button", { name: "Rename" }).click();
  await card("Second name").waitFor();
  await toast("Renamed").getByRole("button", { name: "Undo" }).click();
  await card("First name").waitFor();
});

test("charts are moved by dialog and by dragging, and that is undone", async () => {
  await make("Wanderer");
  await call(page, "PUT", "/users/me/folders/Spring", {});
  await page.goto(await mine());
  await card("Wanderer").locator(".title").focus();
  await page.keyboard.press("m");
  await page.getByLabel("Find a folder").fill("spring");
  await looksWell(page, "move");
  await page.getByRole("radio", { name: /Spring/ }).check();
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await toast("Moved “Wanderer” to “Spring”").waitFor();
  assert.equal(await card("Wanderer").count(), 0);
  await toast("Moved").getByRole("button", { name: "Undo" }).click();
  await card("Wanderer").waitFor();
  await card("Wanderer").dragTo(card("Spring"));
  await toast("Moved “Wanderer” to “Spring”").waitFor();
  await page.goto(`${await mine()}/Spring`);
  await card("Wanderer").waitFor();
  await looksWell(page, "folder");
  // Back by dragging onto the breadcrumb.
  await card("Wanderer").dragTo(page.locator(".crumbs").getByRole("link", { name: "My charts" }));
  await page.getByText("This folder is empty.").waitFor();
  await looksWell(page, "folder-empty");
  unhurt(page);
});

/** Waits until the page shows `count` charts, because a message may appear before the list reloads. */
const shows = (count) =>
  page.waitForFunction((count) => document.querySelectorAll("ul.charts > li").length === count, count);

test("several are selected by clicks and keys, duplicated and thrown away together", async () => {
  for (const title of ["One", "Two", "Three"]) await make(title, "/Several");
  await page.goto(`${await mine()}/Several`);
  await card("One").locator(".title").click({ modifiers: ["Control"] });
  await page.getByText("1 selected").waitFor();
  await card("Three").locator(".title").click({ modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
  await looksWell(page, "selection");
  await looksWellSmall(page, "selection");
  await page.keyboard.press("Escape");
  await page.getByText("3 selected").waitFor({ state: "hidden" });
  await page.keyboard.press("Control+a");
  await page.getByRole("toolbar").getByRole("button", { name: "Duplicate" }).click();
  await toast("Duplicated 3 items").waitFor();
  await shows(6);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await toast("Moved 6 items to the trash").waitFor();
  await shows(0);
  await page.keyboard.press("Control+z");
  await toast("Undone").waitFor();
  await shows(6);
  unhurt(page);
});

test("what somebody else changed meanwhile is changed only when one still wants it", async () => {
  const path = await make("Contested");
  const { id } = await call(page, "GET", "/user");
  await call(page, "POST", "/share", { owner: id, document: path.split("/").at(-1), email: "ben@example.com", mode: "w" });
  const ben = await visit(chromium, server, { extraHTTPHeaders: { authorization: `Bearer ${await token("ben@example.com")}` } });
  await ben.goto("/shared");
  await page.goto(await mine());
  await card("Contested").waitFor();
  await call(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "Ben’s title" });

  // The page asks the user, offers to show the other change, and lets the user continue.
  const rename = async (from, to) => {
    await card(from).locator(".title").focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name" }).fill(to);
    await page.keyboard.press("Enter");
  };
  await rename("Contested", "Ann’s title");
  const question = page.locator("dialog[open]", { hasText: "was changed meanwhile" });
  await question.getByText("Ben Brook changed it just now.").waitFor();
  assert.match(await question.getByRole("link", { name: /Look at it/ }).getAttribute("href"), /^\/d\//);
  await looksWell(page, "changed-meanwhile");
  await looksWellSmall(page, "changed-meanwhile");
  assert.equal((await call(page, "GET", path)).title, "Ben’s title");
  await question.getByRole("button", { name: "Rename anyway" }).click();
  await card("Ann’s title").waitFor();
  await dialog().waitFor({ state: "detached" });

  // The way back asks too, and what is left alone is shown as it is by now.
  await call(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "Ben again" });
  await toast("Renamed").getByRole("button", { name: "Undo" }).click();
  await question.getByRole("button", { name: "Cancel" }).click();
  await card("Ben again").waitFor();
  await call(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "And again" });
  await card("Ben again").locator(".title").focus();
  await page.keyboard.press("Delete");
  await question.getByRole("button", { name: "Cancel" }).click();
  await card("And again").waitFor();
  assert.equal((await call(page, "GET", path)).deleted_at, undefined);

  await call(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "Third" });
  await page.goto(await mine());
  await card("Third").waitFor();

  // What one changed oneself, elsewhere, is no question.
  await call(page, "PATCH", path, { title: "Mine elsewhere" });
  await rename("Third", "Mine here");
  await card("Mine here").waitFor();
  assert.equal(await question.count(), 0);
  await dialog().waitFor({ state: "detached" });
  await card("Mine here").locator(".title").focus();
  await page.keyboard.press("Delete");
  await toast("to the trash").getByRole("button", { name: "Undo" }).click();
  await card("Mine here").waitFor();
  unhurt(page);
  await ben.context().close();
});

test("the trash says how long, brings back, deletes for good and is emptied", async () => {
  for (const title of ["Gone", "Back", "Rest"]) {
    const path = await make(title);
    await call(page, "DELETE", path);
  }
  await page.goto("/trash");
  await card("Gone").waitFor();
  assert.match(await card("Gone").innerText(), /30 days left/);
  await looksWell(page, "trash");
  await looksWellSmall(page, "trash");
  await card("Back").getByRole("button", { name: "Actions for Back" }).click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await toast("Restored “Back”").waitFor();
  assert.equal(await card("Back").count(), 0);
  await card("Gone").getByRole("button", { name: "Actions for Gone" }).click();
  await page.getByRole("menuitem", { name: "Delete for good" }).click();
  await looksWell(page, "delete-for-good");
  await dialog().getByRole("button", { name: "Delete for good" }).click();
  await toast("for good").waitFor();
  assert.equal(await card("Gone").count(), 0);
  await page.getByRole("button", { name: "Empty trash" }).click();
  await dialog().getByRole("button", { name: "Empty trash" }).click();
  await page.locator(".empty").getByText("The trash is empty").waitFor();
  await looksWell(page, "trash-empty");
  await page.goto(await mine());
  await card("Back").waitFor();
  unhurt(page);
});

test("a new chart is made of a kind that is found by a word, with a table of one's own", async () => {
  await call(page, "PUT", "/users/me/folders/Spring", {});
  await page.goto(`${await mine()}/Spring`);
  await page.locator("#places .branch").nth(1).waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Find a kind").waitFor();
  await page.waitForLoadState("networkidle");
  await looksWell(page, "new-chart");
  await looksWellSmall(page, "new-chart");
  await page.getByLabel("Find a kind").fill("no such kind");
  await page.getByText("No kind is called that").waitFor();
  await page.getByLabel("Find a kind").fill("bar chart");
  await page.locator("label.kind", { has: page.locator("input[value=bar]") }).click();
  await page.getByText("Begin with your own data").click();
  await page.getByRole("textbox", { name: "Table" }).fill("\n");
  await page.getByRole("textbox", { name: "Table" }).fill("Month,Visitors\nJanuary,120\nFebruary,80");
  await looksWell(page, "new-chart-data");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/d\//);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const document = await call(page, "GET", `/users/me/documents/${id}`);
  assert.equal(document.folder, "/Spring");
  assert.equal(document.data.length, 2);
  assert.ok(JSON.stringify(document.data).includes("February"));
});

test("what others share is listed apart, cannot be changed, and is left again", async () => {
  const fresh = await serve({ demo: false });
  const password = "correct horse battery";
  const people = ["eve@example.org", "ben@example.org"];
  for (const email of people) {
    await command(fresh.data, ["user", "create", "--email", email, "--name", email.split("@")[0], "--password-stdin"], password);
  }
  const [eve, ben] = [await visit(chromium, fresh), await visit(chromium, fresh)];
  await signIn(eve, { email: people[0], password });
  await signIn(ben, { email: people[1], password });
  await ben.goto("/shared");
  await ben.getByText("Nobody has shared anything").waitFor();
  await looksWell(ben, "shared-empty");
  const { id } = await call(eve, "GET", "/user");
  for (const folder of ["/Open", "/"]) {
    const { endpoint } = await call(eve, "POST", "/create-document", { widget: "bar", folder });
    const what = folder === "/" ? { document: new URL(endpoint).pathname.split("/").at(-1) } : { folder };
    await call(eve, "POST", "/share", { owner: id, ...what, email: people[1], mode: "r" });
  }
  await ben.goto("/shared");
  await ben.locator("#places").getByRole("link", { name: "Open" }).waitFor();
  assert.deepEqual([await ben.locator(".folders > li").count(), await ben.locator(".charts > li").count()], [1, 1]);
  await looksWell(ben, "shared");
  await ben.locator(".charts .more").click({ force: true });
  assert.equal(await ben.getByRole("menuitem", { name: "Rename" }).count(), 0);
  await ben.getByRole("menuitem", { name: "Leave" }).click();
  await dialog(ben).getByRole("button", { name: "Leave" }).click();
  await ben.locator(".toast", { hasText: "Left" }).waitFor();
  assert.deepEqual([await ben.locator(".folders > li").count(), await ben.locator(".charts > li").count()], [1, 0]);
  // A folder of somebody else: its name is known, not what is above it.
  await ben.locator(".folders .title").click();
  await ben.locator(".crumbs").getByRole("link", { name: "Shared with me" }).waitFor();
  await ben.locator("li.chart").waitFor();
  unhurt(ben);
  await eve.context().close();
  await ben.context().close();
  await fresh.remove();
});

test("light or dark is a choice that stays", async () => {
  await page.goto("/");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await looksWell(page, "account");
  await page.getByText("Dark", { exact: true }).click();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), "rgb(15, 15, 14)");
  await page.goto("/recent");
  assert.equal(await ground(), "rgb(15, 15, 14)");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByText("System", { exact: true }).click();
  assert.equal(await ground(), "rgb(244, 244, 241)");
});

test("keys are listed, and those of a single letter can be switched off", async () => {
  await page.goto("/");
  await page.locator("#places .branch").nth(1).waitFor();
  await page.keyboard.press("?");
  await dialog().getByText("New folder").waitFor();
  await looksWell(page, "keys");
  await looksWellSmall(page, "keys");
  await dialog().getByRole("switch", { name: "Keys of a single letter" }).uncheck();
  await page.keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
  await page.locator(".title").first().focus();
  for (const key of ["n", "m", "?", "/"]) await page.keyboard.press(key);
  assert.equal(await dialog().count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "");
  // Keys that are no letter stay, and so does the choice.
  await page.keyboard.press("F2");
  await dialog().getByRole("textbox", { name: "Name" }).waitFor();
  await page.keyboard.press("Escape");
  await page.goto("/recent");
  await page.getByRole("button", { name: /^Account of/ }).click();
  assert.equal(await page.getByRole("switch", { name: "Keys of a single letter" }).isChecked(), false);
  await page.getByRole("switch", { name: "Keys of a single letter" }).check();
  await page.getByRole("button", { name: "Show the keys" }).click();
  await dialog().getByText("New folder").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("main").click({ position: { x: 4, y: 4 } });
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
  unhurt(page);
});

test("a lost network is said, and nothing is lost with it", async () => {
  await page.goto(await mine());
  await page.locator("#places .branch").nth(1).waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.locator(".title").first().focus();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "Name" }).fill("Never");
  await page.keyboard.press("Enter");
  await dialog().getByText("The server cannot be reached").waitFor();
  await looksWell(page, "offline");
  assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Never");
  await page.keyboard.press("Escape");
  await page.context().setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "hidden" });
});

test("errors and help are pages of the same look", async () => {
  for (const [address, name] of [["/f/nobody", "error-folder"], ["/help/errors/not_found", "error-help"], ["/help/api", "help-api"], ["/s/none", "dead-link"]]) {
    await page.goto(address);
    await looksWell(page, name);
    await looksWellSmall(page, name);
  }
  await page.goto("/help/api");
  assert.equal(await page.getByRole("link", { name: "Sign in" }).count(), 0);
  await page.getByRole("button", { name: /^Account of/ }).waitFor();
  const nobody = await visit(chromium, server);
  await nobody.goto("/help/api");
  await nobody.getByRole("link", { name: "Sign in" }).waitFor();
  await looksWell(nobody, "help-api-guest");
  await nobody.goto("/d/1/00000000-0000-7000-8000-000000000000");
  await looksWell(nobody, "guest-elsewhere");
  await nobody.context().close();
});

test("an empty server is set up by its link, and begins with an empty library", async () => {
  const fresh = await serve({ demo: false });
  const page = await visit(chromium, fresh);
  await page.goto(new URL(fresh.welcome.setup_link).pathname);
  await looksWell(page, "setup");
  await looksWellSmall(page, "setup");
  await page.getByLabel("Full name").fill("Eve Early");
  await page.getByLabel("E-mail").fill("eve@example.org");
  await page.getByLabel("Password").fill("a few good words");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("No charts yet.").waitFor();
  await page.getByRole("region", { name: "Or begin with an example" }).waitFor();
  await page.waitForLoadState("networkidle");
  await looksWell(page, "library-empty");
  await page.setViewportSize({ width: 390, height: 844 });
  await looksWell(page, "library-empty");
  // A table first: the field for it has the focus.
  await page.getByRole("button", { name: "Paste data" }).click();
  await page.locator("textarea[name=body]:focus").waitFor();
  await page.keyboard.press("Escape");
  // Or an example, drawn with its own sample.
  const examples = page.getByRole("region", { name: "Or begin with an example" }).getByRole("button");
  assert.equal(await examples.count(), 4);
  for (const it of await examples.locator("img").all()) await it.evaluate((it) => it.decode());
  await examples.filter({ hasText: "Donut" }).first().click();
  await page.waitForURL(/\/d\//);
  await page.locator(".paper").waitFor();
  unhurt(page);
  await page.context().close();
  await fresh.remove();
});

await run(async () => {
  await chromium.close();
  await server.remove();
});
