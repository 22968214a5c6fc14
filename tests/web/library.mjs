// Tests of the library in a browser: search, folders, moving, selection, trash, sharing, shortcuts and setup.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

// The source of a table is on this machine.
const server = await startServer({ env: { CHARTROOM_REMOTE_PRIVATE: "yes" } });
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
const { sign_in: account } = server.welcome;
await signIn(page, account);

const findCard = (title) => page.locator("li.chart", { has: page.locator(".title", { hasText: new RegExp(`^${title}$`) }) });
const findToast = (text) => page.locator(".toast", { hasText: text });
const findDialog = (target = page) => target.locator("dialog[open]");
/** Creates a chart of Ann with this title in a folder. Returns its API path. */
async function createChart(title, folder = "/") {
  const { endpoint } = await callApi(page, "POST", "/create-document", { widget: "bar", folder });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PATCH", path, { title });
  return path;
}
/** Creates an API token of a user. */
async function createToken(email) {
  const output = await runCommand(server.welcome.data_dir, ["--json", "user", "token", email, "--name", "web"]);
  return JSON.parse(output).token;
}
/** Returns the path of the page with the root folder of Ann. */
const getRootFolderPath = async () => `/f/${(await callApi(page, "GET", "/user")).id}`;

test("the sign-in opens the library, and shows an error for a wrong password", async () => {
  const page = await openPage(chromium, server);
  await page.goto("/");
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await assertAccessible(page, "sign-in");
  await assertAccessibleOnPhone(page, "sign-in");
  await page.getByLabel("E-mail or username").fill(account.email);
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await assertAccessible(page, "sign-in-wrong");
  await signIn(page, account);
  await page.getByRole("heading", { name: "All charts" }).waitFor();
  assertNoErrors(page);
  await page.context().close();
});

test("the address of a kind opens the dialog for a new chart with this kind", async () => {
  const { data } = await page.evaluate(async () => ({ data: await (await fetch("/api/v1/widgets/slope")).json() }));
  for (const address of [data.urls.view, "/new/slope"]) {
    await page.goto(address);
    await findDialog().locator("input[name=widget][value=slope]:checked").waitFor({ state: "attached" });
    assert.equal(new URL(page.url()).hash, "");
  }
  await findDialog().getByText("Slope").first().waitFor();
  await page.goto("/new");
  await findDialog().locator("input[name=widget]").first().waitFor({ state: "attached" });
  assert.equal(await findDialog().locator("input[name=widget]:checked").count(), 0);
  assert.equal((await page.request.get("/new/no-kind")).status(), 404);
  assertNoErrors(page);
});

test("the page of an account that may store nothing says so, and offers nothing to add", async () => {
  const { id } = (await callApi(page, "GET", "/user")).orgs.find(({ role }) => role === "admin");
  const forbid = (isForbidden) => callApi(page, "PATCH", `/orgs/${id}/settings`, { disable_document_storage: isForbidden });
  const buttons = page.getByRole("button", { name: /^New (chart|folder)$/ });
  await page.goto("/");
  await buttons.first().waitFor();
  assert.equal(await page.locator(".storage-notice").count(), 0);
  await forbid(true);
  for (const [path, text] of [["/", "An organization of this account has disabled"], [`/f/${id}`, "The organization has disabled"]]) {
    await page.goto(path);
    await page.locator(".storage-notice", { hasText: text }).waitFor();
    await page.locator("#library [data-key]").first().waitFor();
    assert.equal(await buttons.filter({ visible: true }).count(), 0);
    await page.keyboard.press("n");
    assert.equal(await findDialog().count(), 0);
  }
  await assertAccessible(page, "library-storage-disabled");
  await forbid(false);
  assertNoErrors(page);
});

test("the account menu shows the used storage, also of organizations that the user administers", async () => {
  await page.goto("/");
  const menu = page.locator("#account");
  const openMenu = () => page.getByRole("button", { name: /^Account of/ }).click();
  await openMenu();
  const usage = menu.locator(".usage");
  await usage.filter({ hasText: "Your storage" }).waitFor();
  const user = await callApi(page, "GET", "/user");
  const administered = user.orgs.filter((org) => org.role === "admin").map((org) => org.name);
  assert.ok(administered.length > 0);
  assert.deepEqual(await usage.locator("p > .grow").allTextContents(), ["Your storage", ...administered]);
  assert.match(await usage.first().textContent(), /\d (KiB|MiB) of 2 GiB used$/);
  assert.equal(Number(await menu.getByRole("meter", { name: "Your storage" }).getAttribute("value")), user.storage_used_bytes);
  await assertAccessible(page, "account-menu");
  // The next opening shows the current value.
  await page.keyboard.press("Escape");
  const path = await createChart("Uses storage");
  await openMenu();
  const { storage_used_bytes: used } = await callApi(page, "GET", "/user");
  assert.ok(used > user.storage_used_bytes);
  await menu.locator(`meter[value="${used}"]`).waitFor();
  await page.keyboard.press("Escape");
  await callApi(page, "DELETE", `${path}?expunge=1`);
});

test("every view of the library works without scripts", async () => {
  const plainPage = await openPage(chromium, server, { javaScriptEnabled: false });
  await signIn(plainPage, account);
  assert.equal(await plainPage.locator("ul.charts > li").count(), 48);
  await plainPage.getByRole("link", { name: "Next", exact: true }).click();
  assert.ok((await plainPage.locator("ul.charts > li").count()) > 0);
  for (const name of ["Recent", "Shared with me", "Trash", "My charts", "Harbour News"]) {
    await plainPage.getByLabel("Library").getByRole("link", { name, exact: true }).click();
    await plainPage.getByRole("heading", { level: 1 }).waitFor();
  }
  await plainPage.goto("/search?q=energy");
  assert.ok((await plainPage.locator("mark").count()) > 0);
  await plainPage.context().close();
});

test("the library is accessible as grid and as list, in light and dark mode and in all sizes", async () => {
  await page.goto("/");
  await page.locator("#places .branch").nth(1).waitFor();
  await assertAccessible(page, "all");
  await page.getByRole("button", { name: "List", exact: true }).click();
  await assertAccessible(page, "all-list");
  await page.setViewportSize({ width: 390, height: 844 });
  await assertAccessible(page, "all-list");
  await page.getByRole("button", { name: "Grid", exact: true }).click();
  await assertAccessible(page, "all");
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 });
    await assertNoHorizontalScroll(page);
  }
  // A long word in a folder name is not broken if the phone has space for it.
  await page.setViewportSize({ width: 375, height: 700 });
  const lineCount = await findCard("Project management").locator(".title").evaluate((title) => {
    const range = document.createRange();
    range.selectNodeContents(title);
    return range.getClientRects().length;
  });
  assert.equal(lineCount, 2);
  await page.setViewportSize({ width: 1440, height: 900 });
  assertNoErrors(page);
});

test("the Load more button loads the remaining charts without duplicates", async () => {
  await page.goto("/");
  const initialCount = await page.locator("ul.charts > li").count();
  assert.equal(initialCount, 48);
  // Scrolling to the button would load the page too.
  await page.getByRole("button", { name: "Load more" }).dispatchEvent("click");
  await page.waitForFunction(() => document.querySelectorAll("ul.charts > li").length > 48);
  const keys = await page.locator("ul.charts > li").evaluateAll((items) => items.map((item) => item.dataset.key));
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(await page.getByRole("button", { name: "Load more" }).isVisible(), false);
});

test("the slash key focuses the search, which lists results while the user types", async () => {
  await page.goto("/");
  await page.locator(".title").first().focus();
  await page.keyboard.press("/");
  await page.keyboard.type("ener");
  const options = page.getByRole("option");
  await options.first().waitFor();
  assert.ok((await page.locator("#found mark").count()) > 0);
  await assertAccessible(page, "search-open");
  await assertAccessibleOnPhone(page, "search-open");
  await page.keyboard.press("ArrowDown");
  assert.equal(await options.first().getAttribute("aria-selected"), "true");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/f\//);
  await page.keyboard.press("/");
  await page.keyboard.type("energy");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/search\?q=energy/);
  assert.equal(await page.locator("#q").inputValue(), "energy");
  await assertAccessible(page, "search");
  await page.goto("/search?q=xyzzyx");
  await page.getByText("Nothing was found").waitFor();
  await assertAccessible(page, "search-none");
  assertNoErrors(page);
});

test("a folder is created and renamed, and a name in use shows an error", async () => {
  await page.goto(await getRootFolderPath());
  await page.getByRole("button", { name: "New folder" }).click();
  await assertAccessible(page, "new-folder");
  await page.getByRole("textbox", { name: "Name" }).fill("Energy");
  await page.keyboard.press("Enter");
  await findDialog().getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("Spring");
  await page.keyboard.press("Enter");
  await findCard("Spring").waitFor();
  await findDialog().waitFor({ state: "detached" });
  await findCard("Spring").locator(".title").focus();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "Name" }).fill("Summer");
  await page.keyboard.press("Enter");
  await findCard("Summer").waitFor();
  await page.locator("#places").getByRole("link", { name: "Summer" }).waitFor();
  await findDialog().waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  await findCard("Spring").waitFor();
  assertNoErrors(page);
});

test("a free name is offered where a name is in use: in a new, a renamed and a moved folder", async () => {
  for (const path of ["Names/Q3", "Names/Q3%20(2)", "Names/Inner/Q3"]) await callApi(page, "PUT", `/users/me/folders/${path}`, {});
  await page.goto(`${await getRootFolderPath()}/Names`);
  await page.getByRole("button", { name: "New folder" }).click();
  const [field, offer] = [page.getByRole("textbox", { name: "Name" }), findDialog().getByRole("button", { name: /^(Use|Move as) “/ })];
  await field.fill("Q3");
  await page.keyboard.press("Enter");
  await offer.waitFor();
  assert.equal(await offer.textContent(), "Use “Q3 (3)”");
  await assertAccessible(page, "name-in-use");
  // Another name withdraws the offer, and Enter accepts it.
  await field.fill("Q33");
  assert.equal(await offer.isVisible(), false);
  await field.fill("Q3");
  await page.keyboard.press("Enter");
  await offer.waitFor();
  await page.keyboard.press("Enter");
  await findCard("Q3 \\(3\\)").waitFor();
  await findDialog().waitFor({ state: "detached" });
  await findCard("Inner").locator(".title").focus();
  await page.keyboard.press("F2");
  await field.fill("Q3 (2)");
  await page.keyboard.press("Enter");
  await offer.click();
  await findCard("Q3 \\(4\\)").waitFor();
  await page.goto(`${await getRootFolderPath()}/Names/Q3%20(4)`);
  await findCard("Q3").locator(".title").focus();
  await page.keyboard.press("m");
  await findDialog().locator("label.place", { hasText: /^Names$/ }).click();
  await findDialog().getByRole("button", { name: "Move", exact: true }).click();
  assert.equal(await offer.textContent(), "Move as “Q3 (5)”");
  await offer.click();
  await findCard("Q3").waitFor({ state: "detached" });
  await page.goto(`${await getRootFolderPath()}/Names`);
  await findCard("Q3 \\(5\\)").waitFor();
  assertNoErrors(page);
});

test("a chart is renamed with its menu, and the change is undone", async () => {
  await createChart("First name");
  await page.goto(await getRootFolderPath());
  await findCard("First name").getByRole("button", { name: "Actions for First name" }).click();
  await assertAccessible(page, "menu");
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Second name");
  await findDialog().getByRole("button", { name: "Rename" }).click();
  await findCard("Second name").waitFor();
  await findToast("Renamed").getByRole("button", { name: "Undo" }).click();
  await findCard("First name").waitFor();
});

test("a chart is moved with the dialog and by dragging, and a move is undone", async () => {
  await createChart("Wanderer");
  await callApi(page, "PUT", "/users/me/folders/Spring", {});
  await page.goto(await getRootFolderPath());
  await findCard("Wanderer").locator(".title").focus();
  await page.keyboard.press("m");
  await page.getByLabel("Find a folder").fill("spring");
  await assertAccessible(page, "move");
  await page.getByRole("radio", { name: /Spring/ }).check();
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await findToast("Moved “Wanderer” to “Spring”").waitFor();
  assert.equal(await findCard("Wanderer").count(), 0);
  await findToast("Moved").getByRole("button", { name: "Undo" }).click();
  await findCard("Wanderer").waitFor();
  await findCard("Wanderer").dragTo(findCard("Spring"));
  await findToast("Moved “Wanderer” to “Spring”").waitFor();
  await page.goto(`${await getRootFolderPath()}/Spring`);
  await findCard("Wanderer").waitFor();
  await assertAccessible(page, "folder");
  // Move it back by dragging it to the breadcrumb.
  await findCard("Wanderer").dragTo(page.locator(".crumbs").getByRole("link", { name: "My charts" }));
  await page.getByText("This folder is empty.").waitFor();
  await assertAccessible(page, "folder-empty");
  assertNoErrors(page);
});

/** Waits until the page shows `count` charts, because a message may appear before the list reloads. */
const waitForChartCount = (count) =>
  page.waitForFunction((count) => document.querySelectorAll("ul.charts > li").length === count, count);

test("several charts are selected, duplicated and moved to the trash together", async () => {
  for (const title of ["One", "Two", "Three"]) await createChart(title, "/Several");
  await page.goto(`${await getRootFolderPath()}/Several`);
  await findCard("One").locator(".title").click({ modifiers: ["Control"] });
  await page.getByText("1 selected").waitFor();
  await findCard("Three").locator(".title").click({ modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
  await assertAccessible(page, "selection");
  await assertAccessibleOnPhone(page, "selection");
  await page.keyboard.press("Escape");
  await page.getByText("3 selected").waitFor({ state: "hidden" });
  await page.keyboard.press("Control+a");
  await page.getByRole("toolbar").getByRole("button", { name: "Duplicate" }).click();
  await findToast("Duplicated 3 items").waitFor();
  await waitForChartCount(6);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await findToast("Moved 6 items to the trash").waitFor();
  await waitForChartCount(0);
  await page.keyboard.press("Control+z");
  await findToast("Undone").waitFor();
  await waitForChartCount(6);
  assertNoErrors(page);
});

test("the mouse selects charts with a rectangle, which Escape takes back and Ctrl adds to", async () => {
  for (let number = 1; number <= 12; number += 1) await createChart(`Box ${number}`, "/Boxes");
  await page.goto(`${await getRootFolderPath()}/Boxes?sort=title`);
  await findCard("Box 12").waitFor();
  const findBox = async (title) => (await findCard(title).boundingBox()) ?? assert.fail(title);
  const [first, second, last] = [await findBox("Box 1"), await findBox("Box 2"), await findBox("Box 6")];
  const drag = async (from, to) => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
  };
  const above = { x: first.x - 8, y: first.y - 6 };
  await drag(above, { x: second.x + 20, y: second.y + 20 });
  await page.getByText("2 selected").waitFor();
  assert.equal(await page.locator(".marquee").count(), 1);
  await page.keyboard.press("Escape");
  await page.getByText("2 selected").waitFor({ state: "hidden" });
  await page.mouse.up();
  await drag(above, { x: second.x + 20, y: second.y + 20 });
  await page.mouse.up();
  await page.getByText("2 selected").waitFor();
  assert.equal(await page.locator(".marquee").count(), 0);
  // The rectangle adds the last chart of the second row.
  await page.keyboard.down("Control");
  await drag({ x: last.x + last.width + 6, y: last.y + last.height + 4 }, { x: last.x + last.width - 20, y: last.y + last.height - 20 });
  await page.mouse.up();
  await page.keyboard.up("Control");
  await page.getByText("3 selected").waitFor();
  // It reaches charts below the window, because the page scrolls at its edge.
  await page.setViewportSize({ width: 1440, height: 420 });
  await page.evaluate(() => scrollTo(0, 0));
  await drag(above, { x: first.x + 2000, y: 410 });
  await page.getByText("12 selected").waitFor();
  await page.mouse.up();
  assert.equal(await page.evaluate(() => String(getSelection())), "");
  await page.setViewportSize({ width: 1440, height: 900 });
  assertNoErrors(page);
});

test("a change that conflicts with another user's change needs a confirmation", async () => {
  const path = await createChart("Contested");
  const { id } = await callApi(page, "GET", "/user");
  await callApi(page, "POST", "/share", { owner: id, document: path.split("/").at(-1), email: "ben@example.com", mode: "w" });
  const ben = await openPage(chromium, server, { extraHTTPHeaders: { authorization: `Bearer ${await createToken("ben@example.com")}` } });
  await ben.goto("/shared");
  await page.goto(await getRootFolderPath());
  await findCard("Contested").waitFor();
  await callApi(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "Ben’s title" });

  // The page asks the user, offers to show the other change, and lets the user continue.
  const renameCard = async (from, to) => {
    await findCard(from).locator(".title").focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name" }).fill(to);
    await page.keyboard.press("Enter");
  };
  await renameCard("Contested", "Ann’s title");
  const conflictDialog = page.locator("dialog[open]", { hasText: "was changed meanwhile" });
  await conflictDialog.getByText("Ben Brook changed it just now.").waitFor();
  assert.match(await conflictDialog.getByRole("link", { name: /View it/ }).getAttribute("href"), /^\/d\//);
  await assertAccessible(page, "changed-meanwhile");
  await assertAccessibleOnPhone(page, "changed-meanwhile");
  assert.equal((await callApi(page, "GET", path)).title, "Ben’s title");
  await conflictDialog.getByRole("button", { name: "Rename anyway" }).click();
  await findCard("Ann’s title").waitFor();
  await findDialog().waitFor({ state: "detached" });

  // Undo also asks. After Cancel, the page shows the current title.
  await callApi(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "Ben again" });
  await findToast("Renamed").getByRole("button", { name: "Undo" }).click();
  await conflictDialog.getByRole("button", { name: "Cancel" }).click();
  await findCard("Ben again").waitFor();
  await callApi(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "And again" });
  await findCard("Ben again").locator(".title").focus();
  await page.keyboard.press("Delete");
  await conflictDialog.getByRole("button", { name: "Cancel" }).click();
  await findCard("And again").waitFor();
  assert.equal((await callApi(page, "GET", path)).deleted_at, undefined);

  await callApi(ben, "PATCH", path.replace("/me/", `/${id}/`), { title: "Third" });
  await page.goto(await getRootFolderPath());
  await findCard("Third").waitFor();

  // A change by the same user in another client causes no question.
  await callApi(page, "PATCH", path, { title: "Mine elsewhere" });
  await renameCard("Third", "Mine here");
  await findCard("Mine here").waitFor();
  assert.equal(await conflictDialog.count(), 0);
  await findDialog().waitFor({ state: "detached" });
  await findCard("Mine here").locator(".title").focus();
  await page.keyboard.press("Delete");
  await findToast("to the trash").getByRole("button", { name: "Undo" }).click();
  await findCard("Mine here").waitFor();
  assertNoErrors(page);
  await ben.context().close();
});

test("the trash shows the remaining days, restores items, deletes them permanently and is emptied", async () => {
  for (const title of ["Gone", "Back", "Rest"]) {
    const path = await createChart(title);
    await callApi(page, "DELETE", path);
  }
  await page.goto("/trash");
  await findCard("Gone").waitFor();
  assert.match(await findCard("Gone").innerText(), /30 days left/);
  await assertAccessible(page, "trash");
  await assertAccessibleOnPhone(page, "trash");
  await findCard("Back").getByRole("button", { name: "Actions for Back" }).click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await findToast("Restored “Back”").waitFor();
  assert.equal(await findCard("Back").count(), 0);
  await findCard("Gone").getByRole("button", { name: "Actions for Gone" }).click();
  await page.getByRole("menuitem", { name: "Delete permanently" }).click();
  await assertAccessible(page, "delete-permanently");
  await findDialog().getByRole("button", { name: "Delete permanently" }).click();
  await findToast("permanently").waitFor();
  assert.equal(await findCard("Gone").count(), 0);
  await page.getByRole("button", { name: "Empty trash" }).click();
  await findDialog().getByRole("button", { name: "Empty trash" }).click();
  await page.locator(".empty").getByText("The trash is empty").waitFor();
  await assertAccessible(page, "trash-empty");
  await page.goto(await getRootFolderPath());
  await findCard("Back").waitFor();
  assertNoErrors(page);
});

test("a new chart is created from a searched kind and a pasted table", async () => {
  await callApi(page, "PUT", "/users/me/folders/Spring", {});
  await page.goto(`${await getRootFolderPath()}/Spring`);
  await page.locator("#places .branch").nth(1).waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Find a kind").waitFor();
  await page.waitForLoadState("networkidle");
  await assertAccessible(page, "new-chart");
  await assertAccessibleOnPhone(page, "new-chart");
  await page.getByLabel("Find a kind").fill("no such kind");
  await page.getByText("No kind matches").waitFor();
  await page.getByLabel("Find a kind").fill("bar chart");
  await page.locator("label.kind", { has: page.locator("input[value=bar]") }).click();
  await page.getByText("Start with your own data").click();
  await page.getByRole("textbox", { name: "Table" }).fill("\n");
  await page.getByRole("textbox", { name: "Table" }).fill("Month,Visitors\nJanuary,120\nFebruary,80");
  await assertAccessible(page, "new-chart-data");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/d\//);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const document = await callApi(page, "GET", `/users/me/documents/${id}`);
  assert.equal(document.folder, "/Spring");
  assert.equal(document.data.length, 2);
  assert.ok(JSON.stringify(document.data).includes("February"));
});

test("the dialog for a new chart describes the selected kind, and leads to similar ones", async () => {
  await page.goto("/");
  await page.locator("#places .branch").first().waitFor();
  await page.keyboard.press("n");
  const details = page.getByRole("region", { name: "About the kind" });
  await page.locator("label.kind", { has: page.locator("input[value=slope]") }).click();
  await details.getByRole("heading", { name: "Slope chart" }).waitFor();
  await details.getByText("Each record is a line from its value before to its value after").waitFor();
  await page.waitForFunction(() => document.querySelector(".kind-columns")?.children.length === 4);
  assert.deepEqual(await details.getByRole("listitem").allInnerTexts(), ["Label (required)", "Before (required)", "After (required)", "Highlighted"]);
  await details.getByText("Not rated yet").waitFor();
  assert.ok(await details.locator("img").evaluate((image) => image.decode().then(() => image.naturalWidth > 0)));
  await assertAccessible(page, "new-chart-details");
  await assertAccessibleOnPhone(page, "new-chart-details");
  // A favorite is first in the next dialog, and a rated kind has its stars.
  await details.getByRole("button", { name: "Favorite" }).click();
  await page.waitForFunction(() => document.querySelector(".favorite")?.getAttribute("aria-pressed") === "true");
  await callApi(page, "POST", "/widgets/slope/reviews", { rating: 4 });
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  assert.equal(await page.locator("label.kind:not(.placeholder)").first().locator("input").inputValue(), "slope");
  await page.locator("label.kind").first().click();
  await details.getByText("4 of 5 stars, 1 review").waitFor();
  await details.getByRole("button", { name: "Favorite" }).click();
  await page.waitForFunction(() => document.querySelector(".favorite")?.getAttribute("aria-pressed") === "false");
  await details.getByRole("button", { name: "Dumbbell chart" }).click();
  await details.getByRole("heading", { name: "Dumbbell chart" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.value), "dumbbell");
  assert.ok(await page.locator("input[value=dumbbell]").isChecked());
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

test("the kinds are drawn in the theme of the organization that gets the chart", async () => {
  const [org] = (await callApi(page, "GET", "/user")).orgs;
  const { default_theme: before } = await callApi(page, "GET", `/orgs/${org.id}`);
  await callApi(page, "PATCH", `/orgs/${org.id}`, { default_theme: "dark" });
  await page.goto(`/f/${org.id}`);
  await page.locator("#places .branch").first().waitFor();
  await page.keyboard.press("n");
  // The pictures of the visible kinds have another ground than white.
  await page.waitForFunction(() => {
    const image = document.querySelector("label.kind:not(.placeholder) img");
    if (!image?.src.startsWith("blob:") || !image.complete || !image.naturalWidth) return false;
    const canvas = Object.assign(document.createElement("canvas"), { width: 20, height: 20 });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 20, 20);
    return context.getImageData(0, 0, 1, 1).data[0] < 60;
  });
  await page.keyboard.press("Escape");
  await callApi(page, "PATCH", `/orgs/${org.id}`, { default_theme: before ?? "light" });
  assertNoErrors(page);
});

test("a new chart from an own table suggests kinds and shows the mapping", async () => {
  await callApi(page, "PUT", "/users/me/folders/Tables", {});
  await page.goto(`${await getRootFolderPath()}/Tables`);
  await page.locator("#places .branch").nth(1).waitFor();
  await page.keyboard.press("n");
  await page.getByText("Start with your own data").click();
  const tableInput = page.getByRole("textbox", { name: "Table" });
  await tableInput.fill("Aufgabe;Beginn;Ende;Zuständig\nPlanung;01.03.2026;20.03.2026;Ann\nBau;21.03.2026;30.06.2026;Ben\nAbnahme;offen;15.07.2026;Cleo");
  await page.getByText("3 records, 4 columns: Aufgabe (text), Beginn (date), Ende (date), Zuständig (text).").waitFor();
  await page.getByText(/Beginn, record 3: “offen”/).waitFor();
  const suggested = page.locator("label.kind.suggested");
  assert.equal(await suggested.count(), 3);
  assert.equal(await page.locator("label.kind").first().locator("input:checked").getAttribute("value"), "gantt");
  await page.getByText(/Aufgabe → Label, Beginn → Start, Ende → End/).waitFor();
  await assertAccessible(page, "new-chart-suggested");
  await assertAccessibleOnPhone(page, "new-chart-suggested");
  // The dialog says why it leaves out a column.
  await tableInput.fill("Region,Spring,Summer,Total\nNorth,1,2,3\nSouth,4,5,9\nWest,2,2,4");
  await page.getByText("“Total” is not used, because it is the total of the other columns.").waitFor();
  // A kind that the user chose stays selected.
  await page.getByLabel("Find a kind").fill("bar chart");
  await page.locator("label.kind", { has: page.locator("input[value=bar]") }).click();
  await page.getByLabel("Find a kind").fill("");
  await tableInput.fill("Month,Visitors\nJanuary,120");
  await page.getByText("1 record, 2 columns").waitFor();
  assert.ok(await page.locator("input[value=bar]").isChecked());

  // A file that the server cannot read leaves no chart behind.
  const fileInput = page.getByLabel("Or a file");
  await fileInput.setInputFiles({ name: "broken.xlsx", mimeType: "", buffer: Buffer.from("PK\u0003\u0004 no workbook") });
  await page.getByText("broken.xlsx is used.").waitFor();
  await page.getByRole("status").filter({ hasText: /ZIP|damaged|file/ }).first().waitFor();
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator("dialog .error, dialog [role=alert]").filter({ hasText: /./ }).first().waitFor();

  // Another worksheet of an Excel file is chosen, and its table becomes the data.
  await fileInput.setInputFiles(new URL("../it/tables/fixtures/xlsxwriter.xlsx", import.meta.url).pathname);
  await page.getByText("4 records, 6 columns").waitFor();
  await page.getByText("Cell C8 contains the error #DIV/0!").waitFor();
  await page.getByText("is left out, because it is a total of the records").waitFor();
  assert.ok(await tableInput.isDisabled());
  await page.getByLabel("Worksheet").selectOption("Andere");
  await page.getByText("1 record, 2 columns: a (number), b (number).").waitFor();
  await page.getByLabel("Worksheet").selectOption("Zahlen 2024");
  await page.getByText("4 records, 6 columns").waitFor();
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/d\//);
  const document = await callApi(page, "GET", `/users/me/documents/${new URL(page.url()).pathname.split("/").at(-1)}`);
  assert.equal(document.data[0].label, "Nord & Süd");
  assert.equal(document.data[0].value, 1284.5);
  // The table that was refused has left no chart behind.
  await page.goto(`${await getRootFolderPath()}/Tables`);
  await page.locator("ul.charts > li").first().waitFor();
  assert.equal(await page.locator("ul.charts > li").count(), 1);
});

test("a new chart starts with the table at a web address", async () => {
  const source = createServer((request, response) => {
    const tables = {
      "/umsatz.csv": "Stadt;Umsatz\nKöln;1.234,5\nBonn;987,25\n",
      "/report": "<table><tr><th>City</th><th>Sales</th></tr><tr><td>Oslo</td><td>7</td></tr></table>",
    };
    const table = tables[request.url];
    response.writeHead(table ? 200 : 404).end(table);
  });
  await new Promise((resolve) => source.listen(0, "127.0.0.1", () => resolve(null)));
  const base = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (source.address()).port}`;
  await page.goto("/");
  await page.locator("#places .branch").first().waitFor();
  await page.keyboard.press("n");
  await page.getByText("Start with your own data").click();
  const address = page.getByLabel("Web address");
  await address.fill(`${base}/gone`);
  await page.getByRole("button", { name: "Load", exact: true }).click();
  await page.getByText("The address cannot be loaded: its server responded with status 404.").waitFor();
  await address.fill("umsatz.csv");
  await address.press("Enter");
  await page.getByText("The address must start with http:// or https://.").waitFor();
  await address.fill(`${base}/report`);
  await address.press("Enter");
  await page.getByText("1 record, 2 columns: City (text), Sales (number).").waitFor();
  await address.fill(`${base}/umsatz.csv`);
  await address.press("Enter");
  await page.getByText("umsatz.csv is used.").waitFor();
  await page.getByText("2 records, 2 columns: Stadt (text), Umsatz (number).").waitFor();
  await assertAccessible(page, "new-chart-address");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/d\//);
  const document = await callApi(page, "GET", `/users/me/documents/${new URL(page.url()).pathname.split("/").at(-1)}`);
  assert.deepEqual(document.data.map(({ label, value }) => [label, value]), [["Köln", 1234.5], ["Bonn", 987.25]]);
  source.close();
});

test("shared items are listed separately, cannot be changed with read access, and can be left", async () => {
  const emptyServer = await startServer({ demo: false });
  const password = "correct horse battery";
  const addresses = ["eve@example.org", "ben@example.org"];
  for (const email of addresses) {
    await runCommand(emptyServer.dataDirectory, ["user", "create", "--email", email, "--name", email.split("@")[0], "--password-stdin"], password);
  }
  const [eve, ben] = [await openPage(chromium, emptyServer), await openPage(chromium, emptyServer)];
  await signIn(eve, { email: addresses[0], password });
  await signIn(ben, { email: addresses[1], password });
  await ben.goto("/shared");
  await ben.getByText("Nobody has shared anything").waitFor();
  await assertAccessible(ben, "shared-empty");
  const { id } = await callApi(eve, "GET", "/user");
  for (const folder of ["/Open", "/"]) {
    const { endpoint } = await callApi(eve, "POST", "/create-document", { widget: "bar", folder });
    const node = folder === "/" ? { document: new URL(endpoint).pathname.split("/").at(-1) } : { folder };
    await callApi(eve, "POST", "/share", { owner: id, ...node, email: addresses[1], mode: "r" });
  }
  await ben.goto("/shared");
  await ben.locator("#places").getByRole("link", { name: "Open" }).waitFor();
  assert.deepEqual([await ben.locator(".folders > li").count(), await ben.locator(".charts > li").count()], [1, 1]);
  await assertAccessible(ben, "shared");
  await ben.locator(".charts .more").click({ force: true });
  assert.equal(await ben.getByRole("menuitem", { name: "Rename" }).count(), 0);
  await ben.getByRole("menuitem", { name: "Leave" }).click();
  await findDialog(ben).getByRole("button", { name: "Leave" }).click();
  await ben.locator(".toast", { hasText: "Left" }).waitFor();
  assert.deepEqual([await ben.locator(".folders > li").count(), await ben.locator(".charts > li").count()], [1, 0]);
  // The breadcrumb of a shared folder does not contain its parent folders.
  await ben.locator(".folders .title").click();
  await ben.locator(".crumbs").getByRole("link", { name: "Shared with me" }).waitFor();
  await ben.locator("li.chart").waitFor();
  assertNoErrors(ben);
  await eve.context().close();
  await ben.context().close();
  await emptyServer.remove();
});

test("the chosen appearance is kept", async () => {
  await page.goto("/");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await assertAccessible(page, "account");
  await page.getByText("Dark", { exact: true }).click();
  const getBackground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await getBackground(), "rgb(15, 15, 14)");
  await page.goto("/recent");
  assert.equal(await getBackground(), "rgb(15, 15, 14)");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByText("System", { exact: true }).click();
  assert.equal(await getBackground(), "rgb(244, 244, 241)");
});

test("the keyboard shortcuts are listed, and single-key shortcuts can be turned off", async () => {
  await page.goto("/");
  await page.locator("#places .branch").nth(1).waitFor();
  await page.keyboard.press("?");
  await findDialog().getByText("New folder").waitFor();
  await assertAccessible(page, "keys");
  await assertAccessibleOnPhone(page, "keys");
  await findDialog().getByRole("switch", { name: "Single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await findDialog().waitFor({ state: "detached" });
  await page.locator(".title").first().focus();
  for (const key of ["n", "m", "?", "/"]) await page.keyboard.press(key);
  assert.equal(await findDialog().count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "");
  // Other keys still work, and the next page keeps the choice.
  await page.keyboard.press("F2");
  await findDialog().getByRole("textbox", { name: "Name" }).waitFor();
  await page.keyboard.press("Escape");
  await page.goto("/recent");
  await page.getByRole("button", { name: /^Account of/ }).click();
  assert.equal(await page.getByRole("switch", { name: "Single-key shortcuts" }).isChecked(), false);
  await page.getByRole("switch", { name: "Single-key shortcuts" }).check();
  await page.getByRole("button", { name: "Show keyboard shortcuts" }).click();
  await findDialog().getByText("New folder").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("main").click({ position: { x: 4, y: 4 } });
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
  assertNoErrors(page);
});

test("the page shows a notice while the network is down and keeps the entered text", async () => {
  await page.goto(await getRootFolderPath());
  await page.locator("#places .branch").nth(1).waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.locator(".title").first().focus();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "Name" }).fill("Never");
  await page.keyboard.press("Enter");
  await findDialog().getByText("The server cannot be reached").waitFor();
  await assertAccessible(page, "offline");
  assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Never");
  await page.keyboard.press("Escape");
  await page.context().setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "hidden" });
});

test("error and help pages are accessible", async () => {
  for (const [address, name] of [["/f/nobody", "error-folder"], ["/help/errors/not_found", "error-help"], ["/help/api", "help-api"], ["/s/none", "dead-link"]]) {
    await page.goto(address);
    await assertAccessible(page, name);
    await assertAccessibleOnPhone(page, name);
  }
  await page.goto("/help/api");
  assert.equal(await page.getByRole("link", { name: "Sign in" }).count(), 0);
  await page.getByRole("button", { name: /^Account of/ }).waitFor();
  const guest = await openPage(chromium, server);
  await guest.goto("/help/api");
  await guest.getByRole("link", { name: "Sign in" }).waitFor();
  await assertAccessible(guest, "help-api-guest");
  await guest.goto("/d/1/00000000-0000-7000-8000-000000000000");
  await assertAccessible(guest, "guest-elsewhere");
  await guest.context().close();
});

test("the setup link creates the first user, and the empty library offers examples", async () => {
  const emptyServer = await startServer({ demo: false });
  const page = await openPage(chromium, emptyServer);
  await page.goto(new URL(emptyServer.welcome.setup_link).pathname);
  await assertAccessible(page, "setup");
  await assertAccessibleOnPhone(page, "setup");
  await page.getByLabel("Full name").fill("Eve Early");
  await page.getByLabel("E-mail").fill("eve@example.org");
  await page.getByLabel("Password").fill("a few good words");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("No charts yet.").waitFor();
  await page.getByRole("region", { name: "Or start with an example" }).waitFor();
  await page.waitForLoadState("networkidle");
  await assertAccessible(page, "library-empty");
  await page.setViewportSize({ width: 390, height: 844 });
  await assertAccessible(page, "library-empty");
  // Paste data opens the dialog with the focus in the table field.
  await page.getByRole("button", { name: "Paste data" }).click();
  await page.locator("textarea[name=body]:focus").waitFor();
  await page.keyboard.press("Escape");
  // An example creates a chart with sample data.
  const examples = page.getByRole("region", { name: "Or start with an example" }).getByRole("button");
  assert.equal(await examples.count(), 4);
  for (const image of await examples.locator("img").all()) await image.evaluate((image) => image.decode());
  await examples.filter({ hasText: "Donut" }).first().click();
  await page.waitForURL(/\/d\//);
  await page.locator(".paper").waitFor();
  assertNoErrors(page);
  await page.context().close();
  await emptyServer.remove();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
