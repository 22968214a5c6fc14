// Tests of the links of shared charts for people without an account: invitations by mail and links for editing.

import assert from "node:assert/strict";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runTests, signIn, startMailServer, startServer, test } from "./lib.mjs";

const mailServer = await startMailServer();
const server = await startServer({ env: mailServer.env });
const chromium = await launchBrowser();
const page = await openPage(chromium, server);
await signIn(page, server.welcome.sign_in);

/** Creates a chart of Ann. Returns its owner, its id, its API path and the address of its page. */
async function createChart(title) {
  const { endpoint, document_view } = await callApi(page, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(page, "PATCH", path, { title });
  return { owner: path.split("/")[2], document: path.split("/").at(-1), path, view: new URL(document_view).pathname };
}

test("an invited person without an account creates one and reads the chart", async () => {
  const { owner, document, view } = await createChart("For Nea");
  await callApi(page, "POST", "/share", { owner, document, email: "nea@example.org", mode: "r" });
  const mail = await mailServer.nextMail();
  const link = /https?:\S+\/s\/\S+/.exec(mail.text)?.[0] ?? "";
  const guest = await openPage(chromium, server);
  await guest.goto(new URL(link).pathname);
  await guest.getByRole("heading", { name: "For Nea", level: 1 }).waitFor();
  assert.equal(await guest.getByLabel("E-mail").inputValue(), "nea@example.org");
  await assertAccessible(guest, "invitation-register");
  await assertAccessibleOnPhone(guest, "invitation-register-phone");
  await guest.getByLabel("Full name").fill("Nea New");
  await guest.getByLabel("Password").evaluate((input) => input.removeAttribute("minlength"));
  await guest.getByLabel("Password").fill("short");
  await guest.getByRole("button", { name: "Create account and open it" }).click();
  await guest.locator("#password-error").waitFor();
  assert.equal(await guest.getByLabel("Full name").inputValue(), "Nea New");
  await assertAccessible(guest, "invitation-register-error");
  await guest.getByLabel("Password").fill("a few words for Nea");
  await guest.getByRole("button", { name: "Create account and open it" }).click();
  await guest.waitForURL((url) => url.pathname === view);
  await guest.getByRole("img", { name: "For Nea" }).waitFor();
  assert.equal((await callApi(guest, "GET", "/user")).email, "nea@example.org");
  await guest.context().close();
});

test("a visitor with a link for editing changes the chart without an account", async () => {
  const { owner, document, path } = await createChart("Open to all");
  const { link } = await callApi(page, "POST", "/share", { owner, document, mode: "w" });
  const guest = await openPage(chromium, server);
  await guest.goto(new URL(link).pathname);
  await guest.getByText("Anyone with this link can change the chart, without an account.").waitFor();
  await assertAccessible(guest, "link-for-editing");
  await assertAccessibleOnPhone(guest, "link-for-editing-phone");
  await guest.getByRole("link", { name: "Edit" }).click();
  await guest.getByText("You can change this chart, because you opened a link for editing.").waitFor();
  await assertAccessible(guest, "chart-guest-editor");
  await assertAccessibleOnPhone(guest, "chart-guest-editor-phone");
  await guest.getByRole("button", { name: "Rename" }).click();
  await guest.getByRole("textbox", { name: "Title" }).fill("Changed by a guest");
  await guest.keyboard.press("Enter");
  await guest.getByRole("heading", { name: "Changed by a guest", level: 1 }).waitFor();
  assert.equal((await callApi(page, "GET", path)).title, "Changed by a guest");
  // The sign-in leads back to the chart with the same link.
  await guest.locator("#notices").getByRole("link", { name: "Sign in" }).click();
  await guest.getByLabel("E-mail or username").fill(server.welcome.sign_in.email);
  await guest.getByLabel("Password").fill(server.welcome.sign_in.password);
  await guest.getByRole("button", { name: "Sign in" }).click();
  await guest.waitForURL((url) => url.pathname.endsWith(document) && url.searchParams.has("share"));
  assertNoErrors(guest);
  await guest.context().close();
});

test("a link for viewing offers no editing", async () => {
  const { owner, document } = await createChart("Only to view");
  const { link } = await callApi(page, "POST", "/share", { owner, document, mode: "r" });
  const guest = await openPage(chromium, server);
  await guest.goto(new URL(link).pathname);
  await guest.getByRole("img", { name: "Only to view" }).waitFor();
  assert.equal(await guest.getByRole("link", { name: "Edit" }).count(), 0);
  assert.equal(await guest.getByText("Anyone with this link can change").count(), 0);
  assertNoErrors(guest);
  await guest.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
  await mailServer.stop();
});
