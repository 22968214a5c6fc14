// Tests of complete user journeys on an empty server: from the first start to the first chart, and from a
// mention in a comment to its mail.

import assert from "node:assert/strict";
import { assertAccessible, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startMailServer, startServer, test } from "./lib.mjs";

const chromium = await launchBrowser();
const password = "correct horse battery";

/** Waits until the image on a chart page contains a text. */
const waitForImageText = (page, text) =>
  page.waitForFunction((text) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(text), text);

test("the setup link creates the first user, who creates a chart from pasted data", async () => {
  const server = await startServer({ demo: false });
  const page = await openPage(chromium, server);
  // The server prints the setup link while it has no user.
  assert.ok(server.welcome.setup_link.startsWith(server.baseUrl), server.welcome.setup_link);
  await page.goto(server.welcome.setup_link);
  await page.getByLabel("Full name").fill("Eve Early");
  await page.getByLabel("E-mail").fill("eve@example.org");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account and sign in" }).click();
  await page.getByText("No charts yet.").waitFor();

  // The setup link works once. Afterwards the account can sign in.
  await page.getByRole("button", { name: "Account of Eve Early" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  const response = await page.goto(server.welcome.setup_link);
  assert.notEqual(response.status(), 200);
  await signIn(page, { email: "eve@example.org", password });

  await page.getByRole("button", { name: "New chart" }).first().click();
  await page.getByLabel("Find a kind").fill("bar chart");
  await page.locator("label.kind", { has: page.locator("input[value=bar]") }).click();
  await page.getByText("Start with your own data").click();
  await page.getByRole("textbox", { name: "Table" }).fill("Month\tVisitors\nJanuary\t1250\nFebruary\t874");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/d\//);
  await page.locator("#tool-export").waitFor();
  await waitForImageText(page, "February");
  await waitForImageText(page, "1,250");
  await page.locator("chart-grid [role=gridcell]", { hasText: "874" }).waitFor();

  // The chart has no title yet, so that its field in the panel gets the focus.
  await page.getByRole("button", { name: "Edit the title" }).click();
  await page.locator("#panel").getByRole("textbox", { name: "Title", exact: true }).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "title");
  await page.keyboard.type("Visitors by month");
  await waitForImageText(page, "Visitors by month");
  await page.getByRole("heading", { name: "Visitors by month", level: 1 }).waitFor();

  await page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
  await page.getByRole("link", { name: "Chartroom" }).click();
  const card = page.locator("li.chart", { hasText: "Visitors by month" });
  await card.waitFor();
  assert.equal(await page.locator("ul.charts > li").count(), 1);
  await card.locator("img").evaluate((image) => image.decode());
  await assertAccessible(page, "library-first");
  await card.getByRole("link").click();
  await waitForImageText(page, "February");
  assertNoErrors(page);
  await page.context().close();
  await server.remove();
});

test("a mention in a comment sends a mail with a link that opens the comment", async () => {
  const mailServer = await startMailServer();
  const server = await startServer({ demo: false, env: mailServer.env });
  const accounts = [["ann@example.org", "Ann Archer"], ["ben@example.org", "Ben Brook"], ["cleo@example.org", "Cleo Clay"]];
  for (const [email, name] of accounts) {
    await runCommand(server.dataDirectory, ["user", "create", "--email", email, "--name", name, "--password-stdin"], password);
  }
  const [ann, ben] = [await openPage(chromium, server), await openPage(chromium, server)];
  await signIn(ann, { email: accounts[0][0], password });
  const { id } = await callApi(ann, "GET", "/user");
  const { endpoint, document_view } = await callApi(ann, "POST", "/create-document", { widget: "bar" });
  await callApi(ann, "PATCH", new URL(endpoint).pathname.replace("/api/v1", ""), { title: "Sales “north”" });
  const document = new URL(endpoint).pathname.split("/").at(-1);

  // Ann shares the chart in the browser. That sends the first mail.
  await ann.goto(new URL(document_view).pathname);
  await ann.locator("#tool-share").click();
  await ann.getByRole("combobox", { name: /^E-mail/ }).fill(accounts[1][0]);
  await ann.keyboard.press("Enter");
  const shareMail = await mailServer.nextMail();
  assert.ok(shareMail.to.includes(accounts[1][0]), shareMail.to);
  await ann.keyboard.press("Escape");
  assert.equal((await callApi(ann, "GET", `/users/${id}/documents/${document}`)).acl.length, 1);

  await ann.locator("#tool-comments").click();
  await ann.getByRole("heading", { name: "Comments" }).focus();
  await ann.keyboard.press("c");
  // The people with access arrive after the name is typed.
  const commentsUrl = /\/comments(\?|$)/;
  let endTyping = () => {};
  const isTyped = new Promise((resolve) => (endTyping = () => resolve(undefined)));
  await ann.route(commentsUrl, async (route) => {
    await isTyped;
    await route.continue();
  });
  await ann.getByRole("button", { name: "Place in the middle" }).click();
  await ann.getByRole("textbox", { name: "New comment" }).focus();
  await ann.keyboard.type("Über 1,000 – is this right, @bro");
  endTyping();
  await ann.getByRole("option", { name: /Ben Brook/ }).waitFor();
  await ann.unroute(commentsUrl);
  await ann.keyboard.press("Enter");
  await ann.keyboard.type("<or not>?");
  await ann.keyboard.press("Control+Enter");
  await ann.locator(".thread").getByText("@Ben Brook").waitFor();

  const mentionMail = await mailServer.nextMail();
  assert.equal(mentionMail.to.replace(/[<>]/g, ""), accounts[1][0]);
  assert.equal(mentionMail.subject, "Ann Archer mentioned you in “Sales “north””");
  assert.match(mentionMail.text, /^Ann Archer mentioned you in a comment on the chart "Sales “north”":/);
  assert.match(mentionMail.text, /^> Über 1,000 – is this right, @Ben Brook <or not>\?$/m);
  assert.match(mentionMail.html, /&lt;or not&gt;|&#60;or not&#62;/);
  const link = /^http\S+#comment-\S+$/m.exec(mentionMail.text)?.[0] ?? "";
  assert.ok(link.startsWith(`${server.baseUrl}/d/`) && mentionMail.html.includes(link), mentionMail.text);

  // Ben is not signed in. After the sign-in, the link opens the comment.
  await ben.goto(link);
  await ben.waitForURL(/\/sign-in/);
  await ben.getByLabel("E-mail or username").fill(accounts[1][0]);
  await ben.getByLabel("Password").fill(password);
  await ben.getByRole("button", { name: "Sign in" }).click();
  await ben.locator(".thread.selected").getByText("is this right").waitFor();
  await ben.locator(".thread.selected").getByText("<or not>?").waitFor();
  await assertAccessible(ben, "mentioned");

  // Ben replies with a mention of Ann, who gets a mail.
  await ben.locator(".thread").getByRole("button", { name: "Reply" }).click();
  await ben.keyboard.type("It is, @ann");
  await ben.getByRole("option", { name: /Ann Archer/ }).waitFor();
  await ben.keyboard.press("Enter");
  await ben.keyboard.press("Control+Enter");
  const replyMail = await mailServer.nextMail();
  assert.equal(replyMail.to.replace(/[<>]/g, ""), accounts[0][0]);
  assert.match(replyMail.text, /^> It is, @Ann Archer/m);
  await ann.goto("about:blank");
  await ann.goto(/^http\S+#comment-\S+$/m.exec(replyMail.text)?.[0] ?? "");
  await ann.locator(".thread.selected").getByText("@Ann Archer").waitFor();
  assertNoErrors(ann);
  assertNoErrors(ben);
  await ann.context().close();
  await ben.context().close();
  await server.remove();
  await mailServer.stop();
});

await runTests(() => chromium.close());
