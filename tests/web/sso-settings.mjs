// @ts-check
/** Browser tests of the page about single sign-on: accessibility, the steps of each provider, saving with errors, the requirement. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const password = "correct horse battery";
const chromium = await launchBrowser();
const server = await startServer({ demo: false });
const fixtures = new URL("../it/sso_settings/", import.meta.url);
const certificate = await readFile(new URL("valid.pem", fixtures), "utf8");
const endedCertificate = await readFile(new URL("ended.pem", fixtures), "utf8");

for (const name of ["Ann Admin", "Ben Baker"]) {
  const email = `${name.split(" ")[0].toLowerCase()}@example.org`;
  await runCommand(server.dataDirectory, ["user", "create", "--email", email, "--name", name, "--password-stdin"], password);
}
await runCommand(server.dataDirectory, ["org", "create", "--name", "Acme & Sons", "--slug", "acme", "--plan", "enterprise", "--seats", "8"]);
await runCommand(server.dataDirectory, ["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);

/** Opens the page as the admin. @param {import("playwright-core").BrowserContextOptions} [options] */
async function openSettings(options = {}) {
  const page = await openPage(chromium, server, options);
  await signIn(page, { email: "ann@example.org", password });
  await page.goto("/orgs/acme");
  await page.getByRole("link", { name: "Single sign-on" }).click();
  await page.getByRole("heading", { level: 1, name: "Single sign-on" }).waitFor();
  return page;
}

/** Checks the present page with a wide window and at the size of a phone. @param {import("playwright-core").Page} page @param {string} name */
async function check(page, name) {
  await assertAccessible(page, `sso-${name}`);
  await assertAccessibleOnPhone(page, `sso-${name}-phone`);
}

/** Fills the form and sends it. @param {import("playwright-core").Page} page @param {string} text @param {string} [url] */
async function save(page, text, url = "https://idp.example/sso") {
  await page.getByLabel("Entity ID of the identity provider").fill("https://idp.example/saml");
  await page.getByLabel("Sign-in URL").fill(url);
  await page.getByLabel("Certificate", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Save the identity provider" }).click();
}

test("each provider has its steps, in light and dark, wide and narrow", async () => {
  const page = await openSettings();
  await check(page, "empty");
  for (const [name, step] of /** @type {const} */ ([
    ["Okta", "user.getInternalProperty"],
    ["Microsoft Entra ID", "user.objectid"],
    ["Google Workspace", "Employee ID"],
    ["OneLogin", "SAML Custom Connector (Advanced)"],
    ["Keycloak", "Master SAML Processing URL"],
    ["AD FS", "objectGUID"],
  ])) {
    await page.getByRole("navigation", { name: "Identity providers" }).getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 3, name }).waitFor();
    assert.equal(await page.getByText(step).count(), 1, name);
    assert.equal(await page.locator('nav[aria-label="Identity providers"] [aria-current]').textContent(), name);
  }
  await check(page, "steps");
  assertNoErrors(page);
  await page.context().close();
});

test("the values are copied", async () => {
  const page = await openSettings({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy ACS address (reply URL)" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^http:.*\/sso\/saml2$/);
  await page.getByRole("button", { name: "Copy Metadata" }).waitFor();
  await page.getByRole("button", { name: "Copy Signing certificate" }).click();
  await page.getByRole("button", { name: "Copied Signing certificate" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download the PEM file" }).click()]);
  assert.equal(download.suggestedFilename(), "chartroom-saml.pem");
  assert.equal(await readFile(await download.path(), "utf8"), copied);
  assert.match(copied, /^-----BEGIN CERTIFICATE-----\n/);
  assertNoErrors(page);
  await page.context().close();
});

test("the provider is saved with errors and warnings, and removed", async () => {
  const page = await openSettings();
  await save(page, "no certificate");
  await page.locator("#certificate-error").waitFor();
  assert.equal(await page.getByLabel("Entity ID of the identity provider").inputValue(), "https://idp.example/saml");
  await check(page, "errors");
  await page.goto("/orgs/acme/sso");
  await save(page, `${certificate}${endedCertificate}`, "http://idp.example/sso");
  await page.getByText("The identity provider is saved.").waitFor();
  assert.ok(await page.getByText("The sign-in URL begins with http.").isVisible());
  assert.ok(await page.getByText("A certificate of the identity provider ended on 1 Jan 2021").isVisible());
  assert.ok(await page.getByText("CN=idp.example").isVisible());
  assert.equal(await page.getByRole("link", { name: "Test sign-in" }).getAttribute("href"), "/sso/saml2/signin?test=acme");
  assert.equal(await page.getByRole("button", { name: "Require single sign-on" }).count(), 0, "no test has succeeded");
  await check(page, "saved");
  await page.getByRole("link", { name: "Remove…" }).click();
  await page.getByRole("heading", { name: "Remove the identity provider?" }).waitFor();
  await check(page, "removal");
  await page.getByRole("button", { name: "Remove the identity provider" }).click();
  await page.getByText("The identity provider is removed.").waitFor();
  assertNoErrors(page);
  await page.context().close();
});

test("without scripts, the page works and the requirement is switched off", async () => {
  const page = await openSettings({ javaScriptEnabled: false });
  await save(page, certificate);
  await page.getByText("The identity provider is saved.").waitFor();
  const scripted = await openPage(chromium, server);
  await signIn(scripted, { email: "ann@example.org", password });
  await callApi(scripted, "PATCH", "/orgs/acme/settings", { enforce_sso: true });
  await page.goto("/orgs/acme/sso");
  assert.ok(await page.getByText("Required", { exact: true }).isVisible());
  await scripted.goto("/orgs/acme/sso");
  await check(scripted, "required");
  await page.getByRole("button", { name: "Allow passwords again" }).click();
  await page.getByText("Passwords work again beside single sign-on.").waitFor();
  assert.equal((await callApi(scripted, "GET", "/orgs/acme/settings")).enforce_sso, false);
  await scripted.context().close();
  await page.context().close();
});

test("the page about user provisioning has the steps of each provider, or the way without them", async () => {
  const page = await openSettings();
  await page.getByRole("link", { name: "User provisioning", exact: true }).click();
  for (const [name, step] of /** @type {const} */ ([
    ["Okta", "SCIM connector base URL"],
    ["Microsoft Entra ID", "Tenant URL"],
    ["Google Workspace", "only applications of its catalog"],
    ["OneLogin", "SCIM Provisioner with SAML (SCIM v2 Enterprise)"],
    ["Keycloak", "only with an extension"],
    ["AD FS", "AD FS has no SCIM"],
  ])) {
    await page.getByRole("navigation", { name: "Identity providers" }).getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 3, name }).waitFor();
    assert.equal(await page.getByText(step).count(), 1, name);
    await check(page, `provisioning-${name.toLowerCase().replaceAll(" ", "-")}`);
  }
  assertNoErrors(page);
  await page.context().close();
});

test("the page is in German", async () => {
  const page = await openPage(chromium, server);
  await signIn(page, { email: "ann@example.org", password });
  await callApi(page, "PATCH", "/user", { language: "de" });
  await page.goto("/orgs/acme/sso?provider=entra");
  await page.getByRole("heading", { level: 2, name: "Schritte beim Identitätsanbieter" }).waitFor();
  await check(page, "german");
  assertNoErrors(page);
  await page.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
