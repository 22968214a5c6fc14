// Tests of the second factor: set up and sign-in, on the pages without scripts and in the sign-in dialog.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";

import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const password = "correct horse battery";
const server = await startServer({ demo: false });
const chromium = await launchBrowser();

/** Creates a user. Returns address, password, and an API token. @param {string} name */
async function createUser(name) {
  const email = `${name.toLowerCase()}@example.org`;
  await runCommand(server.dataDirectory, ["user", "create", "--email", email, "--name", name, "--password-stdin"], password);
  const { token } = JSON.parse(await runCommand(server.dataDirectory, ["--json", "user", "token", email, "--name", "test"]));
  return { email, password, token };
}

/** Sends an API request with a token. @param {string} token @param {string} method @param {string} path @param {unknown} [body] */
async function send(token, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${server.baseUrl}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.status === 204 ? null : response.json();
}

/**
 * Computes the code of an authenticator app (RFC 6238). Codes work once and in their order, so that a test uses those of
 * the steps -1, 0 and 1.
 * @param {string} secret in base 32
 * @param {number} steps
 */
function computeCode(secret, steps) {
  const bits = [...secret].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const message = Buffer.alloc(8);
  message.writeBigInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const tag = createHmac("sha1", key).update(message).digest();
  return String((tag.readUInt32BE(tag[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Checks the present page with a wide window and at the size of a phone. @param {import("playwright-core").Page} page @param {string} name */
async function check(page, name) {
  await assertAccessible(page, `second-factor-${name}`);
  await assertAccessibleOnPhone(page, `second-factor-${name}-phone`);
}

/** Fills in the first page of a sign-in. @param {import("playwright-core").Page} page @param {string} email */
async function enterPassword(page, email) {
  await page.goto("/sign-in?next=%2Frecent");
  await page.getByLabel("E-mail or username").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Enter the code of your second factor" }).waitFor();
}

for (const javaScriptEnabled of [false, true]) {
  test(`the second factor is set up from the shown secret and signs in, ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
    const user = await createUser(javaScriptEnabled ? "Ann" : "Ben");
    const page = await openPage(chromium, server, { javaScriptEnabled });
    await signIn(page, user);
    await page.goto("/account/security");
    const section = page.getByRole("region", { name: "Second factor" });
    const checkPage = async (name) => (javaScriptEnabled ? check(page, name) : undefined);
    await checkPage("off");
    await section.getByLabel("Current password").fill(password);
    await section.getByRole("button", { name: "Set up the second factor" }).click();
    await section.getByRole("img", { name: "QR code of the secret" }).waitFor();
    const secret = await section.locator("code").innerText();
    await checkPage("set-up");
    const codeField = section.getByLabel("Code of six digits");
    assert.equal(await codeField.getAttribute("autocomplete"), "one-time-code");
    await codeField.fill(computeCode(secret, 5));
    await section.getByRole("button", { name: "Turn on the second factor" }).click();
    await section.getByText("This code is wrong, has expired or was used before.").waitFor();
    assert.equal(await section.locator("code").innerText(), secret);
    await checkPage("wrong-code");
    await codeField.fill(computeCode(secret, -1));
    await section.getByRole("button", { name: "Turn on the second factor" }).click();
    await section.getByText("10 recovery codes are left.").waitFor();
    const codes = (await page.locator("code.codes").innerText()).trim().split(/\s+/);
    assert.equal(codes.length, 10);
    await checkPage("codes");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the codes" }).click();
    const stream = await (await download).createReadStream();
    assert.deepEqual((await stream.toArray()).join("").trim().split("\n"), codes);
    await page.goto("/account/security");
    assert.equal(await page.locator("code.codes").count(), 0);
    await checkPage("on");

    await page.context().clearCookies();
    await enterPassword(page, user.email);
    await checkPage("sign-in");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("autocomplete")), "one-time-code");
    await page.getByLabel("Code").fill(computeCode(secret, 5));
    await page.keyboard.press("Enter");
    await page.getByText("The code is wrong, has expired or was used before.").waitFor();
    await checkPage("sign-in-wrong");
    await page.getByLabel("Code").fill(computeCode(secret, 0));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/recent");

    await page.context().clearCookies();
    await enterPassword(page, user.email);
    await page.getByLabel("Code").fill(codes[3]);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/recent");
    await page.goto("/account/security");
    await section.getByText("9 recovery codes are left.").waitFor();
    await section.getByLabel("Current password").fill(password);
    await section.getByLabel("Code of the app, or a recovery code").fill(computeCode(secret, 1));
    await section.getByRole("button", { name: "Turn off the second factor" }).click();
    await page.getByText("The second factor is turned off.").waitFor();
    assertNoErrors(page);
    await page.context().close();
  });
}

test("the sign-in dialog asks for the code", async () => {
  const user = await createUser("Cid");
  const page = await openPage(chromium, server);
  await signIn(page, user);
  const { secret } = await send(user.token, "POST", "/user/second-factor", { current_password: password });
  // This ends the session of the page.
  await send(user.token, "POST", "/user/second-factor/confirm", { code: computeCode(secret, -1) });
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Reports");
  await page.keyboard.press("Enter");
  const dialog = page.locator("dialog.sign-in");
  await dialog.getByLabel("E-mail or username").fill(user.email);
  await dialog.getByLabel("Password").fill(password);
  assert.ok(await dialog.getByLabel("Code of the app").isHidden());
  await page.keyboard.press("Enter");
  const codeField = dialog.getByLabel("Code of the app");
  await codeField.waitFor();
  assert.equal(await dialog.getByRole("alert").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("autocomplete")), "one-time-code");
  await check(page, "dialog");
  await codeField.fill(computeCode(secret, 5));
  await page.keyboard.press("Enter");
  await dialog.getByText("The code is wrong, has expired or was used before.").waitFor();
  await codeField.fill(computeCode(secret, 0));
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  assert.equal((await callApi(page, "GET", "/user")).email, user.email);
  await page.context().close();
});

test("an organization that requires a second factor leads to its page", async () => {
  const user = await createUser("Dora");
  await runCommand(server.dataDirectory, ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "team", "--seats", "unlimited"]);
  await runCommand(server.dataDirectory, ["org", "member", "add", "acme", user.email, "--role", "admin"]);
  const page = await openPage(chromium, server);
  await signIn(page, user);
  await page.goto("/orgs/acme/settings");
  await page.getByLabel("Require a second factor").check();
  await page.getByRole("button", { name: "Save the settings" }).click();
  await page.getByText("Your organization requires a second factor.").waitFor();
  assert.equal(new URL(page.url()).pathname, "/account/security");
  await check(page, "required");
  await page.goto("/");
  await page.getByText("Your organization requires a second factor.").waitFor();
  const section = page.getByRole("region", { name: "Second factor" });
  await section.getByLabel("Current password").fill(password);
  await section.getByRole("button", { name: "Set up the second factor" }).click();
  const secret = await section.locator("code").innerText();
  await section.getByLabel("Code of six digits").fill(computeCode(secret, 0));
  await section.getByRole("button", { name: "Turn on the second factor" }).click();
  await section.getByText("10 recovery codes are left.").waitFor();
  await page.goto("/orgs/acme/settings");
  assert.ok(await page.getByLabel("Require a second factor").isChecked());
  await page.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
