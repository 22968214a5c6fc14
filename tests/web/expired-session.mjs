// Tests of the sign-in dialog, which opens over the page when a session has expired.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, findProgram, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
const { sign_in: account } = server.welcome;
await signIn(page, account);

const dataArgs = ["--data-dir", server.welcome.data_dir, "--json"];
const { token } = JSON.parse(spawnSync(findProgram(), [...dataArgs, "user", "token", account.email, "--name", "test"], { encoding: "utf8" }).stdout);

/** Ends all browser sessions of Ann, with a token as another client would. */
async function endSessions() {
  const response = await fetch(`${server.baseUrl}/api/v1/user/sessions`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
  assert.ok(response.ok, String(response.status));
}

/** Reads from the API with the token. @param {string} path */
async function readAsAnn(path) {
  const response = await fetch(`${server.baseUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  return response.json();
}

const ben = { email: "ben@example.com", password: "a password of Ben" };
const result = spawnSync(findProgram(), ["--data-dir", server.welcome.data_dir, "user", "password", "--password-stdin", ben.email], { encoding: "utf8", input: `${ben.password}\n` });
assert.equal(result.status, 0, result.stderr);

const findSignInDialog = () => page.locator("dialog.sign-in");

/** Fills in the dialog and sends it with Enter. */
async function signInAgain({ email, password } = account) {
  await findSignInDialog().getByLabel("E-mail or username").fill(email);
  await findSignInDialog().getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
}

async function openNewChart(title) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar", folder: "/Plans" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PATCH", path, { title });
  await page.goto(new URL(document_view).pathname);
  await page.locator("#tool-export").waitFor();
  return path;
}

test("a comment that was written before the session expired is sent after the sign-in", async () => {
  const path = await openNewChart("Commented");
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Place in the middle" }).click();
  await page.getByRole("textbox", { name: "New comment" }).fill("Is North right?");
  await endSessions();
  await page.getByRole("textbox", { name: "New comment" }).focus();
  await page.keyboard.press("Control+Enter");
  await findSignInDialog().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("autocomplete")), "username");
  await assertAccessible(page, "expired-session");
  await assertAccessibleOnPhone(page, "expired-session-phone");
  await signInAgain({ email: account.email, password: "not the password" });
  await findSignInDialog().getByRole("alert").waitFor();
  assert.doesNotMatch(await findSignInDialog().getByRole("alert").innerText(), /signed out/);
  await assertAccessible(page, "expired-session-error");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("autocomplete")), "current-password");
  await signInAgain();
  await page.locator(".thread").getByText("Is North right?").waitFor();
  assert.equal(await findSignInDialog().count(), 0);
  const { threads } = await readAsAnn(`${path}/comments`);
  assert.equal(threads.length, 1);
  assertNoErrors(page);
});

/** Changes the title on the picture. */
async function editTitle(title) {
  await page.getByRole("button", { name: "Edit the title" }).click();
  await page.keyboard.type(title);
  await page.keyboard.press("Enter");
}

test("a sign-in in another tab renews the session", async () => {
  const path = await openNewChart("Renewed in another tab");
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Place in the middle" }).click();
  await page.getByRole("textbox", { name: "New comment" }).fill("Is South right?");
  await endSessions();
  await page.getByRole("textbox", { name: "New comment" }).focus();
  await page.keyboard.press("Control+Enter");
  const [other] = await Promise.all([page.context().waitForEvent("page"), findSignInDialog().getByRole("link", { name: "Sign in another way" }).click()]);
  // Coming back without a sign-in changes nothing. Chromium without windows sends no event.
  const comeBack = () => page.evaluate(() => void window.dispatchEvent(new Event("focus")));
  const refused = page.waitForResponse((response) => response.url().endsWith("/api/v1/user"));
  await comeBack();
  assert.equal((await refused).status(), 401);
  assert.equal(await findSignInDialog().count(), 1);
  await signIn(other, account);
  await other.close();
  await comeBack();
  await page.locator(".thread").getByText("Is South right?").waitFor();
  assert.equal(await findSignInDialog().count(), 0);
  const { threads } = await readAsAnn(`${path}/comments`);
  assert.equal(threads.length, 1);
});

test("the save of the editor is repeated once after the sign-in, and keeps the check of the version", async () => {
  const path = await openNewChart("Before");
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await endSessions();
  const changes = [];
  page.on("request", (request) => request.method() === "PUT" && changes.push(request.headers()["if-match"]));
  await editTitle("After");
  await signInAgain();
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  assert.equal(changes.length, 2);
  assert.ok(changes[0] && changes[0] === changes[1]);
  assert.equal((await readAsAnn(path)).title, "After");
  assertNoErrors(page);
});

test("the dialog opens above another dialog, and Escape keeps the values of that one", async () => {
  const path = await openNewChart("Shared in a dialog");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const shareDialog = page.locator("dialog.share");
  const input = shareDialog.getByLabel("E-mail address, or name of a team");
  await input.fill("ben@example.com");
  await endSessions();
  await page.keyboard.press("Enter");
  await findSignInDialog().waitFor();
  await page.keyboard.press("Escape");
  await shareDialog.getByText("You are signed out.").waitFor();
  assert.equal(await input.inputValue(), "ben@example.com");
  await assertAccessible(page, "expired-session-cancelled");
  // The button in the error opens the dialog again.
  await shareDialog.getByRole("button", { name: "Sign in" }).click();
  await signInAgain();
  await shareDialog.getByText("You are signed out.").waitFor({ state: "detached" });
  await input.focus();
  await page.keyboard.press("Enter");
  await shareDialog.getByText("Ben Brook", { exact: true }).waitFor();
  assert.equal((await readAsAnn(path)).acl.length, 1);
  assertNoErrors(page);
});

test("several requests open one dialog, and all of them are repeated", async () => {
  const path = await openNewChart("Several");
  await endSessions();
  const results = page.evaluate(async (path) => {
    const api = await import(new URL("api.js", document.querySelector("script[type=module]").src).href);
    const responses = await Promise.all([1, 2, 3].map((number) => api.post(`${path}/comments`, { position: { x: number, y: 1 }, content: [{ type: "text", text: String(number) }] })));
    return responses.map((response) => response.status);
  }, path);
  await findSignInDialog().waitFor();
  assert.equal(await page.locator("dialog[open]").count(), 1);
  await signInAgain();
  for (const status of await results) assert.ok(status === 200 || status === 201, String(status));
  assert.equal((await readAsAnn(`${path}/comments`)).threads.length, 3);
});

test("an open page shows that the session has expired, without a dialog, and continues after the sign-in", async () => {
  const path = await openNewChart("Watched");
  await endSessions();
  await page.locator("#notices").getByText("You are signed out.").waitFor();
  assert.equal(await findSignInDialog().count(), 0);
  await assertAccessible(page, "expired-session-notice");
  await page.locator("#notices").getByRole("button", { name: "Sign in" }).click();
  await signInAgain();
  await page.locator("#notices").getByText("You are signed out.").waitFor({ state: "detached" });
  await fetch(`${server.baseUrl}/api/v1${path}`, { method: "PATCH", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify({ title: "Still followed" }) });
  await page.getByRole("heading", { name: "Still followed", level: 1 }).waitFor();
  assertNoErrors(page);
});

test("another user does not continue the work, and the page is reloaded only after a question", async () => {
  const path = await openNewChart("Ann’s");
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  await endSessions();
  await editTitle("Kept text");
  await signInAgain(ben);
  const question = page.getByRole("dialog", { name: "Reload the page?" });
  await question.getByText("Ben Brook").waitFor();
  await assertAccessible(page, "expired-session-other-user");
  await question.getByRole("button", { name: /^Sign in as Ann/ }).click();
  await findSignInDialog().waitFor();
  assert.equal((await readAsAnn(path)).title, "Ann’s");
  assert.ok(await page.locator("#name h1").getByText("Kept text").count());
  await signInAgain(ben);
  await Promise.all([page.waitForNavigation(), question.getByRole("button", { name: "Reload" }).click()]);
  // The chart is hidden from Ben.
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  assert.equal((await callApi(page, "GET", "/user")).name, "Ben Brook");
  assert.equal((await readAsAnn(path)).title, "Ann’s");
});

test("after a sign-in of another user in another tab, work on the page is not saved in the other name", async () => {
  await page.goto("/");
  await callApi(page, "DELETE", "/session");
  await signIn(page, account);
  const path = await openNewChart("Of two people");
  const { owner, id } = await readAsAnn(path);
  await callApi(page, "POST", "/share", { owner, document: id, email: ben.email, mode: "w" });
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  const other = await page.context().newPage();
  await other.goto(server.baseUrl);
  await callApi(other, "DELETE", "/session");
  await signIn(other, ben);
  await editTitle("Typed by Ann");
  await findSignInDialog().waitFor();
  assert.equal((await readAsAnn(path)).title, "Of two people");
  await signInAgain();
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  const { title, updated_by } = await readAsAnn(path);
  assert.deepEqual([title, updated_by], ["Typed by Ann", owner]);
  await other.close();
  assertNoErrors(page);
});

test("a chart that another user of the browser may not read has not ended for the user of its page", async () => {
  await page.goto("/");
  await callApi(page, "DELETE", "/session");
  await signIn(page, account);
  const path = await openNewChart("Private to Ann");
  await page.locator("chart-grid [role=gridcell]").first().waitFor();
  const other = await page.context().newPage();
  await other.goto(server.baseUrl);
  await callApi(other, "DELETE", "/session");
  await signIn(other, ben);
  await page.locator("#notices").getByText("You are signed out.").waitFor();
  assert.equal(await page.locator("#notices").getByText("You may no longer").filter({ visible: true }).count(), 0);
  await page.locator("#notices").getByRole("button", { name: "Sign in" }).click();
  await signInAgain();
  await editTitle("Typed afterwards");
  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  assert.equal((await readAsAnn(path)).title, "Typed afterwards");
  await other.close();
  assertNoErrors(page);
});

test("the dialog counts the seconds until the next attempt after too many wrong passwords", async () => {
  await openNewChart("Too many attempts");
  await endSessions();
  await page.locator("#tool-comments").click();
  await page.getByRole("button", { name: "Sign in" }).first().click();
  // Cid has no part in the other tests, which the limit would end.
  await findSignInDialog().getByLabel("E-mail or username").fill("cid@example.com");
  const timer = findSignInDialog().getByRole("timer");
  for (let tries = 0; tries < 30 && !(await timer.count()); tries += 1) {
    await findSignInDialog().getByLabel("Password").fill(`wrong ${tries}`);
    const response = page.waitForResponse("**/session");
    await page.keyboard.press("Enter");
    await (await response).finished();
    await page.waitForFunction(() => !document.querySelector("dialog.sign-in [aria-busy]"));
  }
  const readSeconds = async () => Number(/(\d+) s/.exec(await timer.innerText())?.[1]);
  const first = await readSeconds();
  assert.ok(first >= 1, await findSignInDialog().innerText());
  assert.equal((await findSignInDialog().getByRole("alert").innerText()).match(/again/gi)?.length, 1);
  await page.waitForFunction((before) => Number(/(\d+) s/.exec(document.querySelector("[role=timer]")?.textContent ?? "")?.[1] ?? 0) < before, first);
  await timer.getByText("You can try again now.").or(findSignInDialog().getByText("You can try again now.")).waitFor({ timeout: 30_000 });
  await page.keyboard.press("Escape");
  assertNoErrors(page);
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
