// @ts-check
/** Browser tests of the account pages and of the password reset: accessibility, no scripts, effects. */

import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";

import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startMailServer, startServer, test } from "./lib.mjs";

const password = "correct horse battery";
const chromium = await launchBrowser();
const mailServer = await startMailServer();
const server = await startServer({ demo: false, env: mailServer.env });
const silentServer = await startServer({ demo: false });

for (const name of ["Ann Admin", "Ben Baker", "Cid Castellanos-Montgomery"]) {
  const email = `${name.split(" ")[0].toLowerCase()}@example.org`;
  await runCommand(server.dataDirectory, ["user", "create", "--email", email, "--name", name, "--password-stdin"], password);
}

/** Opens a page as a signed-in user. @param {string} name @param {import("playwright-core").BrowserContextOptions} [options] */
async function openAs(name, options = {}) {
  const page = await openPage(chromium, server, options);
  await signIn(page, { email: `${name}@example.org`, password });
  return page;
}

/** Checks the present page with a wide window and at the size of a phone. @param {import("playwright-core").Page} page @param {string} name */
async function check(page, name) {
  await assertAccessible(page, `account-${name}`);
  await assertAccessibleOnPhone(page, `account-${name}-phone`);
}

/** Returns a PNG file with a color gradient. @param {number} width @param {number} height */
function createPng(width, height) {
  const chunk = (/** @type {string} */ type, /** @type {Buffer} */ data) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    checksum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, checksum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set([(x * 255) / width, (y * 255) / height, 160], y * (1 + width * 3) + 1 + x * 3);
  }
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

test("every page is accessible, wide and narrow, in light and dark", async () => {
  const page = await openAs("cid");
  for (const path of ["", "/security", "/tokens", "/notifications"]) {
    await page.goto(`/account${path}`);
    await check(page, `${path.slice(1) || "profile"}-empty`);
  }
  for (const options of [{ userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1" }, { userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0" }]) await openAs("cid", options);
  await callApi(page, "POST", "/user/tokens", { name: "Nightly import of the sales figures from the data warehouse", expires_at: "2099-12-31T23:59:59Z" });
  await callApi(page, "POST", "/user/tokens", { name: "laptop" });
  for (const path of ["security", "tokens"]) {
    await page.goto(`/account/${path}`);
    await check(page, path);
  }
  assertNoErrors(page);
  await page.context().close();
});

test("the profile is changed without scripts", async () => {
  const page = await openAs("ann", { javaScriptEnabled: false });
  await page.goto("/account");
  await page.getByLabel("Full name").fill("Ann Adler");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The profile is saved.").waitFor();
  assert.equal(await page.getByLabel("Full name").inputValue(), "Ann Adler");
  await page.getByLabel("Width").fill("297");
  await page.getByLabel("Height").fill("210");
  await page.getByLabel("Unit").selectOption("mm");
  for (const side of ["Top", "Right", "Bottom", "Left"]) await page.getByLabel(`${side} margin`).fill("10");
  await page.getByRole("button", { name: "Save the layout" }).click();
  await page.getByText("New documents get this layout.").waitFor();
  await page.getByLabel("Width").fill("1");
  await page.getByRole("button", { name: "Save the layout" }).click();
  await page.getByText("Width must be from 40 to 4096 points.").waitFor();
  await page.getByRole("button", { name: "Use the default" }).click();
  await page.getByText("New documents get the default layout again.").waitFor();
  await page.context().close();
});

test("errors of the profile are shown, and an avatar is uploaded and removed", async () => {
  const page = await openAs("ann");
  await page.goto("/account");
  await page.getByLabel("Width").fill("1");
  await page.getByRole("button", { name: "Save the layout" }).click();
  await page.getByText("Width must be from 40 to 4096 points.").waitFor();
  await page.getByText("Layout of new documents").scrollIntoViewIfNeeded();
  await check(page, "layout-error");
  const upload = page.getByRole("button", { name: "Upload the image" });
  await page.getByLabel("Image", { exact: true }).setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no image") });
  await upload.click();
  await page.getByText("The image must be an intact PNG").waitFor();
  await check(page, "avatar-error");
  const image = { name: "photo.png", mimeType: "image/png", buffer: createPng(600, 400) };
  await page.getByLabel("Image", { exact: true }).setInputFiles(image);
  await upload.click();
  await page.getByText("The avatar is saved.").waitFor();
  const readPixel = () =>
    page.locator(".bar .account img").evaluate((element) => {
      const source = /** @type {HTMLImageElement} */ (element);
      const canvas = Object.assign(document.createElement("canvas"), { width: 96, height: 96 });
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      context.drawImage(source, 0, 0, 96, 96);
      return [...context.getImageData(48, 90, 1, 1).data];
    });
  const [, green, blue] = await readPixel();
  assert.ok(green > 200 && Math.abs(blue - 160) < 12, `the bar shows the new avatar: ${green} ${blue}`);
  await check(page, "avatar");
  await page.getByRole("button", { name: "Remove the avatar" }).click();
  await page.getByText("The avatar is removed.").waitFor();
  assert.ok(Math.abs((await readPixel())[1] - green) > 50, "the bar shows the initials again");
  assertNoErrors(page);
  await page.context().close();
});

test("a token is shown once, copied, used and revoked", async () => {
  const page = await openAs("ann");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/account/tokens");
  await page.getByLabel("Name").fill("ci");
  await page.getByRole("button", { name: "Create the token" }).click();
  await page.getByRole("heading", { name: "The token “ci” is created" }).waitFor();
  await check(page, "token-created");
  await page.getByRole("button", { name: "Copy token" }).click();
  await page.getByRole("button", { name: "Copied token" }).waitFor();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(secret, /^chartroom_[0-9A-Za-z]{40}$/);
  const status = async () => (await fetch(`${server.baseUrl}/api/v1/user`, { headers: { authorization: `Bearer ${secret}` } })).status;
  assert.equal(await status(), 200);
  await page.goto("/account/tokens");
  assert.ok(!(await page.content()).includes(secret));
  await page.getByRole("button", { name: "Revoke ci" }).click();
  await page.getByText("The API token is revoked.").waitFor();
  assert.equal(await status(), 401);
  await page.getByLabel("Name").fill(" ");
  await page.getByRole("button", { name: "Create the token" }).click();
  await page.getByText("Name must not be empty.").waitFor();
  await check(page, "token-error");
  assertNoErrors(page);
  await page.context().close();
});

test("other browsers are signed out from the list and by a new password", async () => {
  const [page, second, third] = [await openAs("ben"), await openAs("ben"), await openAs("ben")];
  await page.goto("/");
  await page.getByRole("button", { name: "Account of Ben Baker" }).click();
  await page.getByRole("link", { name: "Account settings" }).click();
  await page.getByRole("link", { name: "Password and sessions" }).click();
  assert.equal(await page.getByText("This browser").count(), 1);
  await page.getByRole("button", { name: /^Sign out Chrome/ }).first().click();
  await page.getByText("The session is signed out.").waitFor();
  const statuses = async () => Promise.all([second, third].map((other) => other.request.get("/api/v1/user").then((response) => response.status())));
  assert.deepEqual((await statuses()).sort(), [200, 401]);
  await page.locator("#current-password").fill("wrong");
  await page.getByLabel("New password").fill("another horse battery");
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("This is not the current password.").waitFor();
  await check(page, "password-error");
  await page.locator("#current-password").fill(password);
  await page.getByLabel("New password").fill("another horse battery");
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("The password is changed.").waitFor();
  assert.deepEqual(await statuses(), [401, 401]);
  const notice = await mailServer.nextMail();
  assert.equal(notice.to, "ben@example.org");
  assert.match(notice.text, /Your password was changed .*UTC/);
  const preview = await openPage(chromium, server);
  await preview.setContent(notice.html);
  await assertAccessible(preview, "account-security-mail");
  await preview.context().close();
  await page.getByRole("link", { name: "Notifications" }).click();
  await page.getByLabel("Mentions in comments").uncheck();
  await page.getByRole("button", { name: "Save the notifications" }).click();
  await page.getByText("The notifications are saved.").waitFor();
  assert.deepEqual(await callApi(page, "GET", "/user/notifications"), { mentions: false, shares: true });
  await check(page, "notifications");
  for (const other of [page, second, third]) await other.context().close();
});

test("a forgotten password is reset by mail", async () => {
  const page = await openPage(chromium, server);
  await page.goto("/sign-in");
  await check(page, "sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await check(page, "forgot");
  await page.getByLabel("E-mail").fill("cid@example.org");
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText("a mail with a link follows").waitFor();
  await check(page, "forgot-sent");
  const mail = await mailServer.nextMail();
  assert.equal(mail.to, "cid@example.org");
  const link = /** @type {RegExpExecArray} */ (/^http\S+$/m.exec(mail.text))[0];
  assert.ok(mail.html.includes(link));
  const preview = await openPage(chromium, server);
  await preview.setContent(mail.html);
  await assertAccessible(preview, "account-reset-mail");
  await preview.context().close();
  await page.goto(link);
  await page.getByLabel("New password").fill("another horse battery");
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.getByRole("button", { name: "Account of Cid Castellanos-Montgomery" }).waitFor();
  await page.context().clearCookies();
  assert.match((await mailServer.nextMail()).text, /Your password was changed/);
  await page.goto(link);
  await page.getByRole("heading", { name: "This link does not work" }).waitFor();
  await check(page, "link-used");
  await page.context().close();
});

test("a server without mail names the command", async () => {
  const page = await openPage(chromium, silentServer);
  await page.goto("/forgot-password");
  await page.getByText("chartroom user password ADDRESS --password-stdin").waitFor();
  await check(page, "forgot-without-mail");
  await page.context().close();
});

await runTests(async () => {
  await chromium.close();
  await Promise.all([server.remove(), silentServer.remove(), mailServer.stop()]);
});
