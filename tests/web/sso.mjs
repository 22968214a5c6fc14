// @ts-check
// Tests of single sign-on with SimpleSAMLphp as the identity provider, in both directions.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import samlify from "samlify";

import { PROVIDER_PASSWORD, startIdentityProvider } from "./identity-provider.mjs";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, findFreePort, launchBrowser, openPage, runCommand, runTests, signIn, startNameServer, startServer, test } from "./lib.mjs";

const password = "correct horse battery";
const chromium = await launchBrowser();
const nameServer = await startNameServer();
// The identity provider must know the address of the server.
const server = await startServer({ demo: false, env: { CHARTROOM_DNS: nameServer.address }, listen: `127.0.0.1:${await findFreePort()}` });
const people = {
  vera: { uid: "id-of-vera", email: "vera@acme.example", displayName: "Vera Voss" },
  otto: { uid: "id-of-otto", email: "otto@other.example", displayName: "Otto Ott" },
};
const provider = await startIdentityProvider({ service: server.baseUrl, people });

await runCommand(server.dataDirectory, ["user", "create", "--email", "ann@example.org", "--name", "Ann Admin", "--password-stdin"], password);
await runCommand(server.dataDirectory, ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "enterprise", "--seats", "8"]);
await runCommand(server.dataDirectory, ["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);

/** Opens a page as the administrator. */
async function openAsAdmin() {
  const page = await openPage(chromium, server);
  await signIn(page, { email: "ann@example.org", password });
  return page;
}

/** Signs a person in at the page of the identity provider. @param {import("playwright-core").Page} page @param {string} name */
async function enterAtProvider(page, name) {
  await page.locator("#username").fill(name);
  await page.locator("#password").fill(PROVIDER_PASSWORD);
  await page.locator("#password").press("Enter");
}

/** Ends the session at the identity provider, so that it asks for a name again. @param {import("playwright-core").Page} page */
async function forgetProvider(page) {
  await page.context().clearCookies({ name: /^SimpleSAML/ });
}

/** Checks the present page with a wide window and at the size of a phone. @param {import("playwright-core").Page} page @param {string} name */
async function check(page, name) {
  await assertAccessible(page, `sso-${name}`);
  await assertAccessibleOnPhone(page, `sso-${name}-phone`);
}

test("an administrator connects and tests the identity provider", async () => {
  const page = await openAsAdmin();
  await callApi(page, "POST", "/orgs/acme/domains", { domain: "acme.example" });
  const { verifications } = await callApi(page, "GET", "/orgs/acme/domains");
  nameServer.records.set("acme.example", [verifications[0].record_value]);
  await callApi(page, "POST", "/orgs/acme/domains/acme.example/verify");
  await callApi(page, "PUT", "/orgs/acme/sso", { entity_id: provider.entityId, certificate: provider.certificate, sign_in_url: provider.signInUrl });
  const lastSignIn = async () => (await callApi(page, "GET", "/orgs/acme/sso")).last_sign_in;
  await page.goto("/sso/saml2/signin?test=acme");
  await enterAtProvider(page, "otto");
  await page.getByRole("heading", { name: "This person could not sign in" }).waitFor();
  await page.getByText("Reason: domain").waitFor();
  await page.getByText("id-of-otto").first().waitFor();
  await check(page, "test-of-stranger");
  assert.equal(await lastSignIn(), null);
  await forgetProvider(page);
  // A mistake in the settings.
  await callApi(page, "PUT", "/orgs/acme/sso", { entity_id: `${provider.entityId}x`, certificate: provider.certificate, sign_in_url: provider.signInUrl });
  await page.goto("/sso/saml2/signin?test=acme");
  await enterAtProvider(page, "vera");
  await page.getByText("The test failed.").waitFor();
  await forgetProvider(page);
  await check(page, "test-failed");
  await page.getByRole("link", { name: "Back to the settings" }).click();
  await page.getByText("no organization has an identity provider with the entity id").first().waitFor();
  await callApi(page, "PUT", "/orgs/acme/sso", { entity_id: provider.entityId, certificate: provider.certificate, sign_in_url: provider.signInUrl });
  await page.goto("/sso/saml2/signin?test=acme");
  await enterAtProvider(page, "vera");
  await page.getByRole("heading", { name: "The test succeeded" }).waitFor();
  await page.getByText("id-of-vera").first().waitFor();
  await check(page, "test");
  assert.notEqual(await lastSignIn(), null);
  assert.equal((await callApi(page, "GET", "/user")).name, "Ann Admin", "the administrator stays signed in");
  await page.context().close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`a person signs in with an address, ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
    const page = await openPage(chromium, server, { javaScriptEnabled });
    await page.goto("/sign-in?next=%2Faccount");
    if (javaScriptEnabled) await check(page, "address");
    await page.getByLabel("E-mail or username").fill("vera@acme.example");
    await page.getByRole("button", { name: "Continue" }).click();
    if (javaScriptEnabled) await check(page, "choice");
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await enterAtProvider(page, "vera");
    // The identity provider hides the button of this form.
    if (!javaScriptEnabled) await page.locator("form").evaluate((form) => /** @type {HTMLFormElement} */ (form).submit());
    await page.waitForURL(`${server.baseUrl}/account`);
    const user = await (await page.context().request.get(`${server.baseUrl}/api/v1/user`)).json();
    assert.deepEqual([user.name, user.email], ["Vera Voss", "vera@acme.example"]);
    await page.context().close();
  });
}

test("a person begins at the identity provider", async () => {
  const page = await openPage(chromium, server);
  await page.goto(`${provider.startUrl}&RelayState=${encodeURIComponent("/account/security")}`);
  await enterAtProvider(page, "vera");
  await page.waitForURL(`${server.baseUrl}/account/security`);
  assert.equal((await callApi(page, "GET", "/user")).email, "vera@acme.example");
  assertNoErrors(page);
  await page.context().close();
});

test("an address on another domain is refused with a reason", async () => {
  const page = await openPage(chromium, server);
  await page.goto(provider.startUrl);
  await enterAtProvider(page, "otto");
  await page.getByRole("heading", { name: "The sign-in did not work" }).waitFor();
  await page.getByText("Reason: domain").waitFor();
  await check(page, "rejected");
  await page.context().close();
});

test("required single sign-on leads there without a question and refuses passwords", async () => {
  const admin = await openAsAdmin();
  await callApi(admin, "PATCH", "/orgs/acme/settings", { enforce_sso: true });
  const page = await openPage(chromium, server);
  await page.goto("/sign-in?next=%2Faccount");
  await page.getByLabel("E-mail or username").fill("vera@acme.example");
  await page.getByRole("button", { name: "Continue" }).click();
  await enterAtProvider(page, "vera");
  await page.waitForURL(`${server.baseUrl}/account`);
  const refused = await page.request.post(`${server.baseUrl}/api/v1/session`, { data: { email: "vera@acme.example", password } });
  assert.equal(refused.status(), 401);
  // The operator turns it off when the identity provider is gone.
  await runCommand(server.dataDirectory, ["org", "sso", "acme", "--off"]);
  assert.equal((await callApi(admin, "GET", "/orgs/acme/settings")).enforce_sso, false);
  await admin.context().close();
  await page.context().close();
});

/**
 * Creates an identity provider with samlify.
 * @param {string} metadata of the server
 */
function createSamlifyProvider(metadata) {
  const folder = mkdtempSync(join(tmpdir(), "chartroom-samlify-"));
  const files = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=samlify.example"];
  execFileSync("openssl", [...subject, "-keyout", files[0], "-out", files[1]], { stdio: "ignore" });
  const [privateKey, certificate] = files.map((file) => readFileSync(file, "utf8"));
  rmSync(folder, { recursive: true });
  // samlify requires a validator. The metadata and requests of the server are validated by their use.
  samlify.setSchemaValidator({ validate: async () => "not validated" });
  const urn = "urn:oasis:names:tc:SAML:2.0";
  const service = samlify.ServiceProvider({ metadata });
  const settings = { entityID: "https://samlify.example/idp", signInUrl: "https://samlify.example/login" };
  const provider = samlify.IdentityProvider({
    entityID: settings.entityID,
    privateKey,
    signingCert: certificate,
    requestSignatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    wantAuthnRequestsSigned: true,
    nameIDFormat: [`${urn}:nameid-format:persistent`],
    singleSignOnService: [{ Binding: `${urn}:bindings:HTTP-Redirect`, Location: settings.signInUrl }],
    loginResponseTemplate: {
      context: samlify.SamlLib.defaultLoginResponseTemplate.context,
      attributes: [{ name: "email", valueTag: "email", nameFormat: `${urn}:attrname-format:basic`, valueXsiType: "xs:string" }],
    },
  });
  /** Verifies the request in a URL. Returns its id. @param {string} url */
  const parseRequest = async (url) => {
    const query = Object.fromEntries(new URL(url).searchParams);
    const octetString = url.slice(url.indexOf("SAMLRequest="), url.indexOf("&Signature="));
    const { extract } = await provider.parseLoginRequest(service, "redirect", { query, octetString });
    return extract.request.id;
  };
  /** Creates the response to a request, in base64. @param {string} id @param {string} email */
  const respond = async (id, email) => {
    const [now, later] = [new Date().toISOString(), new Date(Date.now() + 300_000).toISOString()];
    const acs = service.entityMeta.getAssertionConsumerService("post");
    const statement = `<saml:AuthnStatement AuthnInstant="${now}"><saml:AuthnContext><saml:AuthnContextClassRef>${urn}:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
    const values = {
      ID: `_r${id}`, AssertionID: `_a${id}`, InResponseTo: id, Issuer: settings.entityID, Destination: acs, Audience: service.entityMeta.getEntityID(),
      SubjectRecipient: acs, NameIDFormat: `${urn}:nameid-format:persistent`, NameID: "id-of-sam", IssueInstant: now, StatusCode: `${urn}:status:Success`,
      ConditionsNotBefore: now, ConditionsNotOnOrAfter: later, SubjectConfirmationDataNotOnOrAfter: later, attrEmail: email,
    };
    const fill = (/** @type {string} */ template) => ({ id: values.ID, context: samlify.SamlLib.replaceTagsByValue(template.replace("{AuthnStatement}", statement), values) });
    return (await provider.createLoginResponse(service, { extract: { request: { id } } }, "post", { email }, fill)).context;
  };
  return { ...settings, certificate, parseRequest, respond };
}

test("samlify accepts a request, and its response signs in", async () => {
  const admin = await openAsAdmin();
  const samlifyProvider = createSamlifyProvider(await (await fetch(`${server.baseUrl}/sso/saml2`)).text());
  const { entityID, signInUrl, certificate } = samlifyProvider;
  await callApi(admin, "PUT", "/orgs/acme/sso", { entity_id: entityID, certificate, sign_in_url: signInUrl });
  await admin.context().close();
  const begun = await fetch(`${server.baseUrl}/sso/saml2/signin?email=sam@acme.example&next=/account`, { redirect: "manual" });
  const [location, cookie] = [begun.headers.get("location") ?? "", begun.headers.get("set-cookie")?.split(";")[0] ?? ""];
  const id = await samlifyProvider.parseRequest(location);
  await assert.rejects(samlifyProvider.parseRequest(location.replace("SAMLRequest=", "SAMLRequest=A")));
  const post = (/** @type {string} */ response) => fetch(`${server.baseUrl}/sso/saml2`, { method: "POST", redirect: "manual", body: new URLSearchParams({ SAMLResponse: response }) });
  const response = await samlifyProvider.respond(id, "sam@acme.example");
  const changed = Buffer.from(Buffer.from(response, "base64").toString().replace("sam@acme.example", "ann@acme.example")).toString("base64");
  assert.equal((await post(changed)).status, 403);
  const accepted = await post(response);
  assert.equal(accepted.status, 303);
  const finished = await fetch(new URL(accepted.headers.get("location") ?? "", server.baseUrl), { redirect: "manual", headers: { cookie } });
  assert.equal(finished.headers.get("location"), "/account");
  const user = await fetch(`${server.baseUrl}/api/v1/user`, { headers: { cookie: finished.headers.get("set-cookie")?.split(";")[0] ?? "" } });
  assert.equal((await user.json()).email, "sam@acme.example");
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
  await provider.stop();
  nameServer.stop();
});
