// @ts-check
/** Browser tests of invites and of links to set a password, with a real mail server. */

import assert from "node:assert/strict";

import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startMailServer, startServer, test } from "./lib.mjs";

const password = "correct horse battery";
const chromium = await launchBrowser();

/** Starts a server with the organization Acme, its admin Ann, and the users Ben and Cid. */
async function startOrganization() {
  const mailServer = await startMailServer();
  const server = await startServer({ demo: false, env: mailServer.env });
  for (const name of ["Ann", "Ben", "Cid"]) {
    await runCommand(server.dataDirectory, ["user", "create", "--email", `${name.toLowerCase()}@example.org`, "--name", name, "--password-stdin"], password);
  }
  await runCommand(server.dataDirectory, ["org", "create", "--name", "Acme & Sons", "--slug", "acme", "--plan", "enterprise", "--seats", "10"]);
  await runCommand(server.dataDirectory, ["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);
  const ann = await openPage(chromium, server);
  await signIn(ann, { email: "ann@example.org", password });
  const invite = async (/** @type {string} */ email) => {
    await callApi(ann, "POST", "/orgs/acme/invites", { emails: [email], role: "brand_manager", message: "Welcome to <the> team." });
    const mail = await mailServer.nextMail();
    assert.equal(mail.to.replace(/[<>]/g, ""), email);
    return { mail, link: /^http\S+\/invite\/\S+$/m.exec(mail.text)?.[0] ?? "" };
  };
  const stop = async () => {
    await ann.context().close();
    await server.remove();
    await mailServer.stop();
  };
  return { server, mailServer, ann, invite, stop };
}

/** Returns the names of Acme's members. @param {import("playwright-core").Page} page */
async function memberNames(page) {
  const { members } = await callApi(page, "GET", "/orgs/acme/members");
  return members.map((/** @type {{ name: string }} */ member) => member.name);
}

test("a new person accepts an invite with name and password", async () => {
  const { server, ann, invite, stop } = await startOrganization();
  const { mail, link } = await invite("new@example.com");
  assert.equal(mail.subject, "Ann invites you to Acme & Sons");
  assert.match(mail.text, /^Ann invites you to join Acme & Sons on Chartroom\.$/m);
  assert.match(mail.text, /^Welcome to <the> team\.$/m);
  assert.match(mail.html, /Acme &amp; Sons|Acme &#38; Sons/);
  assert.match(mail.html, /Welcome to (&lt;|&#60;)the(&gt;|&#62;) team\./);
  assert.ok(mail.html.includes(link), "the HTML part has the same link");

  const page = await openPage(chromium, server);
  await page.goto(link);
  await page.getByRole("heading", { name: "Join Acme & Sons" }).waitFor();
  await assertAccessible(page, "invite-new");
  await assertAccessibleOnPhone(page, "invite-new-phone");
  await page.getByLabel("Full name").fill("Nea New");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account and join" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  const user = await callApi(page, "GET", "/user");
  assert.deepEqual([user.name, user.email, user.orgs[0].role], ["Nea New", "new@example.com", "brand_manager"]);
  assert.deepEqual(await memberNames(ann), ["Ann", "Nea New"]);
  await page.goto(link);
  await page.getByRole("heading", { name: "This invitation is not open" }).waitFor();
  await page.context().close();
  await stop();
});

test("an existing account accepts an invite after the sign-in, and another person is refused", async () => {
  const { server, ann, invite, stop } = await startOrganization();
  const { link } = await invite("ben@example.org");

  const cid = await openPage(chromium, server);
  await signIn(cid, { email: "cid@example.org", password });
  await cid.goto(link);
  await cid.getByText("You are signed in as Cid, with another e-mail address.").waitFor();
  assert.equal(await cid.getByRole("button", { name: /Join/ }).count(), 0);
  await assertAccessible(cid, "invite-other");
  assert.deepEqual(await memberNames(ann), ["Ann"]);
  await cid.context().close();

  const ben = await openPage(chromium, server);
  await ben.goto(link);
  await ben.getByText("There is an account with this address.").waitFor();
  await assertAccessible(ben, "invite-sign-in");
  await ben.getByRole("link", { name: "Sign in" }).last().click();
  await ben.getByLabel("E-mail or username").fill("ben@example.org");
  await ben.getByLabel("Password").fill(password);
  await ben.getByRole("button", { name: "Sign in" }).click();
  await ben.getByRole("button", { name: "Join as Ben" }).waitFor();
  await assertAccessible(ben, "invite-join");
  await ben.getByRole("button", { name: "Join as Ben" }).click();
  await ben.waitForURL((url) => url.pathname === "/");
  assert.deepEqual(await memberNames(ann), ["Ann", "Ben"]);
  assertNoErrors(ben);
  await ben.context().close();
  await stop();
});

await runTests(() => chromium.close());
