// @ts-check
/** Browser tests of the pages of an organization: accessibility, keyboard, narrow windows, no scripts. */

import assert from "node:assert/strict";

import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startNameServer, startServer, test } from "./lib.mjs";

const password = "correct horse battery";
const chromium = await launchBrowser();
const nameServer = await startNameServer();
const server = await startServer({ demo: false, env: { CHARTROOM_DNS: nameServer.address } });
const people = ["Ann Admin", "Ben Baker", "Cid Castellanos-Montgomery", "Dora Diaz"];

for (const name of people) {
  const email = `${name.split(" ")[0].toLowerCase()}@example.org`;
  await runCommand(server.dataDirectory, ["user", "create", "--email", email, "--name", name, "--password-stdin"], password);
}
await runCommand(server.dataDirectory, ["org", "create", "--name", "Acme & Sons", "--slug", "acme", "--plan", "enterprise", "--seats", "8"]);
await runCommand(server.dataDirectory, ["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);
for (const name of ["ben", "cid"]) await runCommand(server.dataDirectory, ["org", "member", "add", "acme", `${name}@example.org`]);

/** Opens a page as a signed-in user. @param {string} name @param {import("playwright-core").BrowserContextOptions} [options] */
async function openAs(name, options = {}) {
  const page = await openPage(chromium, server, options);
  await signIn(page, { email: `${name}@example.org`, password });
  return page;
}

/** Checks the present page with a wide window and at the size of a phone. @param {import("playwright-core").Page} page @param {string} name */
async function check(page, name) {
  await assertAccessible(page, `org-${name}`);
  await assertAccessibleOnPhone(page, `org-${name}-phone`);
}

test("every page is accessible, wide and narrow, in light and dark", async () => {
  const page = await openAs("ann");
  for (const path of ["invites", "teams", "domains", "subscription"]) {
    await page.goto(`/orgs/acme/${path}`);
    await check(page, `${path}-empty`);
  }
  const me = await callApi(page, "GET", "/user");
  const members = (await callApi(page, "GET", "/orgs/acme/members")).members;
  const ben = members.find((/** @type {{ name: string }} */ member) => member.name === "Ben Baker").id;
  const team = await callApi(page, "POST", "/orgs/acme/teams", { name: "Sales and Marketing", members: [ben] });
  for (const name of ["Support", "Research"]) await callApi(page, "POST", "/orgs/acme/teams", { name, members: [] });
  await callApi(page, "POST", "/create-document", { widget: "bar", owner: me.orgs[0].id, folder: "/Sales and Marketing" });
  await callApi(page, "POST", "/orgs/acme/invites", { emails: ["first.person@example.com", "a.rather.long.address@subdomain.of.example.com"], role: "member" });
  await callApi(page, "POST", "/orgs/acme/domains", { domain: "acme.example" });
  await callApi(page, "PATCH", "/orgs/acme/settings", { auto_update_seat_count: true, auto_update_seat_count_limit: 20, layouts: [{ name: "Slide", width: 960, height: 540, margin: { top: 40, right: 40, bottom: 40, left: 40 } }, { name: "A4 portrait", width: 595, height: 842, display_unit: "mm", margin: { top: 57, right: 57, bottom: 57, left: 57 } }] });
  await runCommand(server.dataDirectory, ["org", "subscription", "acme", "--price-per-seat", "700", "--period-end", "2099-12-31T00:00:00Z"]);
  for (const [path, name] of /** @type {const} */ ([
    ["", "members"],
    ["?q=nobody", "members-none"],
    [`/members/${ben}`, "member"],
    ["/members/new", "new-member"],
    [`/members/remove?id=${ben}`, "removal"],
    ["/invites?done=invited", "invites"],
    ["/teams", "teams"],
    [`/teams/${team.id}`, "team"],
    [`/teams/${team.id}/delete`, "team-deletion"],
    ["/domains?done=domain-failed", "domains"],
    ["/domains/acme.example/delete", "domain-deletion"],
    ["/scim", "provisioning"],
    ["/settings", "settings"],
    ["/settings/layouts/delete?name=Slide", "layout-deletion"],
    ["/subscription", "subscription"],
    ["/audit", "audit-log"],
    ["/audit?q=nobody&action=team.create", "audit-log-none"],
    [`/audit?from=2020-02-30&user_id=${me.id}`, "audit-log-error"],
  ])) {
    await page.goto(`/orgs/acme${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await check(page, name);
  }
  assertNoErrors(page);
  await page.context().close();
});

test("an invite needs no mouse, and shows errors and prices", async () => {
  const page = await openAs("ann");
  await page.goto("/orgs/acme/invites");
  await page.getByLabel("E-mail addresses").focus();
  await page.keyboard.insertText("one@example.com two@example.com three@example.com four@example.com ben@example.org nothing");
  await page.keyboard.press("Tab");
  await page.keyboard.press("B");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Invite 4 people?" }).waitFor();
  assert.equal(await page.getByText("Is not an e-mail address.").count(), 1);
  assert.ok(await page.getByText("Seats to add").isVisible());
  await check(page, "invite-check");
  const invite = page.getByRole("button", { name: "Add seats and invite the 4 possible" });
  const isFocused = () => invite.evaluate((button) => button === document.activeElement);
  for (let presses = 0; presses < 30 && !(await isFocused()); presses += 1) await page.keyboard.press("Tab");
  assert.ok(await isFocused(), "the button is reached with the keyboard");
  await page.keyboard.press("Enter");
  await page.getByText("The people are invited.").waitFor();
  const { invites } = await callApi(page, "GET", "/orgs/acme/invites");
  assert.equal(invites.at(-1).role, "brand_manager");
  assert.equal(invites.length, 6);

  await page.getByLabel("E-mail addresses").fill("one@example.com");
  await page.getByRole("button", { name: "Check addresses" }).click();
  await page.getByRole("heading", { name: "Nobody can be invited" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Invite/ }).count(), 0);
  await check(page, "invite-nobody");
  assertNoErrors(page);
  await page.context().close();
});

test("the pages work without scripts, from the library to a removed member", async () => {
  const page = await openAs("ann", { javaScriptEnabled: false });
  await page.goto("/");
  await page.getByRole("link", { name: "Manage Acme & Sons" }).click();
  await page.getByRole("heading", { name: "Members" }).waitFor();
  await page.getByLabel("Name or e-mail").fill("cid");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByLabel("Select Cid Castellanos-Montgomery").check();
  await page.getByRole("button", { name: "Remove selected…" }).click();
  await page.getByText("Removes Cid Castellanos-Montgomery from Acme & Sons.").waitFor();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByText("The selected people are no longer members.").waitFor();
  assert.equal(await page.getByText("cid@example.org").count(), 0);
  await page.getByRole("link", { name: "Teams" }).click();
  await page.getByLabel("Name").fill("Support");
  await page.getByRole("button", { name: "Create the team" }).click();
  await page.getByText("A team named \"Support\" already exists.").waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "Support");
  assertNoErrors(page);
  await page.context().close();
});

test("a form with errors is accessible", async () => {
  const page = await openAs("ann");
  await page.goto("/orgs/acme/settings");
  await page.getByLabel("Largest number of seats").fill("many");
  await page.getByRole("button", { name: "Save the settings" }).click();
  await page.getByText("Largest number of seats must be a whole number").waitFor();
  await check(page, "settings-error");
  await page.goto("/orgs/acme/members/new");
  await page.getByLabel("Full name").fill("Nora");
  await page.getByLabel("E-mail", { exact: true }).fill("nora@example.com");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByText("E-mail must be on a domain that the organization has verified.").waitFor();
  await check(page, "new-member-error");
  assertNoErrors(page);
  await page.context().close();
});

test("the TXT record is copied by a button", async () => {
  const page = await openAs("ann", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto("/orgs/acme/domains");
  await page.getByRole("button", { name: "Copy the TXT record of acme.example" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copied the TXT record of acme.example" }).waitFor();
  const { verifications } = await callApi(page, "GET", "/orgs/acme/domains");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), verifications[0].record_value);
  assertNoErrors(page);
  await page.context().close();
});

test("a check shows the values that were found until the record is published", async () => {
  const page = await openAs("ann");
  await page.goto("/orgs/acme/domains");
  nameServer.records.set("acme.example", ["v=spf1 -all", "another-verification=0123456789012345678901234567890123456789"]);
  await page.getByRole("button", { name: "Check now acme.example" }).click();
  await page.getByText("The name servers have no matching TXT record.").waitFor();
  assert.ok(await page.getByText("v=spf1 -all").isVisible());
  await check(page, "domains-failed");

  const value = (await callApi(page, "GET", "/orgs/acme/domains")).verifications[0].record_value;
  nameServer.records.get("acme.example")?.push(value);
  await page.getByRole("button", { name: "Check now acme.example" }).click();
  await page.getByText("The TXT record was found.").waitFor();
  await check(page, "domains-verified");

  await page.goto("/orgs/acme/members/new");
  await page.getByLabel("Full name").fill("Mona Managed");
  await page.getByLabel("E-mail", { exact: true }).fill("mona@acme.example");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByText("The account is created.").waitFor();
  await page.getByRole("link", { name: "Edit Mona Managed" }).click();
  await page.getByLabel("Full name").waitFor();
  await check(page, "member-managed");
  await page.goto("/orgs/acme/domains/acme.example/delete");
  await page.getByText("1 managed account with an address on the domain").waitFor();
  await check(page, "domain-deletion-verified");
  assertNoErrors(page);
  await page.context().close();
});

test("members read, strangers see nothing, and a suspended organization cannot be changed", async () => {
  const ben = await openAs("ben");
  await ben.goto("/orgs/acme");
  await ben.getByRole("heading", { name: "Members" }).waitFor();
  assert.equal(await ben.getByRole("checkbox").count(), 0);
  await check(ben, "members-read-only");
  await ben.goto("/orgs/acme/invites");
  await ben.getByText("Only admins can open this page.").waitFor();
  await check(ben, "refused");
  await ben.context().close();

  const dora = await openAs("dora");
  const response = await dora.goto("/orgs/acme");
  assert.equal(response?.status(), 404);
  await dora.context().close();

  await runCommand(server.dataDirectory, ["org", "suspend", "acme"]);
  const ann = await openAs("ann");
  for (const [path, name] of /** @type {const} */ ([["", "members"], ["/invites", "invites"], ["/settings", "settings"]])) {
    await ann.goto(`/orgs/acme${path}`);
    await ann.getByText("This organization is suspended because of a payment issue.").waitFor();
    await check(ann, `${name}-suspended`);
  }
  assert.ok(await ann.getByRole("button", { name: "Save the settings" }).isDisabled());
  assertNoErrors(ann);
  await ann.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
  nameServer.stop();
});
