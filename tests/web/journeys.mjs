// Complete user journeys on a server that starts empty: from the first start to the first chart, and
// from a mention in a comment to its mail.

import assert from "node:assert/strict";
import { browser, call, command, looksWell, mailServer, run, serve, signIn, test, unhurt, visit } from "./lib.mjs";

const chromium = await browser();
const password = "correct horse battery";

/** What the picture of a chart's page says. */
const picture = (page, text) =>
  page.waitForFunction((text) => document.querySelector(".paper")?.shadowRoot?.textContent?.includes(text), text);

test("from the first start to the first chart", async () => {
  const server = await serve({ demo: false });
  const page = await visit(chromium, server);
  // Before there is a user there is nothing to sign in to, and the link that was printed opens the set-up.
  assert.ok(server.welcome.setup_link.startsWith(server.base), server.welcome.setup_link);
  await page.goto(server.welcome.setup_link);
  await page.getByLabel("Full name").fill("Eve Early");
  await page.getByLabel("E-mail").fill("eve@example.org");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account and sign in" }).click();
  await page.getByText("No charts yet.").waitFor();

  // The link was for once; the account is there to sign in with.
  await page.getByRole("button", { name: "Account of Eve Early" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  const again = await page.goto(server.welcome.setup_link);
  assert.notEqual(again.status(), 200);
  await signIn(page, { email: "eve@example.org", password });

  await page.getByRole("button", { name: "New chart" }).first().click();
  await page.getByLabel("Find a kind").fill("bar chart");
  await page.locator("label.kind", { has: page.locator("input[value=bar]") }).click();
  await page.getByText("Begin with your own data").click();
  await page.getByRole("textbox", { name: "Table" }).fill("Month\tVisitors\nJanuary\t1250\nFebruary\t874");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/d\//);
  await page.locator("#tool-export").waitFor();
  await picture(page, "February");
  await picture(page, "1,250");
  await page.getByText("Show data as table").click();
  await page.getByRole("rowheader", { name: "January" }).waitFor();
  assert.equal(await page.getByRole("row", { name: /February/ }).getByRole("cell").innerText(), "874");

  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Visitors by month");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Visitors by month", level: 1 }).waitFor();

  await page.getByRole("link", { name: "Chartroom" }).click();
  const card = page.locator("li.chart", { hasText: "Visitors by month" });
  await card.waitFor();
  assert.equal(await page.locator("ul.charts > li").count(), 1);
  await card.locator("img").evaluate((it) => it.decode());
  await looksWell(page, "library-first");
  await card.getByRole("link").click();
  await picture(page, "February");
  unhurt(page);
  await page.context().close();
  await server.remove();
});

test("a comment mentions somebody, the mail arrives, and its link opens the comment", async () => {
  const post = await mailServer();
  const server = await serve({ demo: false, env: post.env });
  const people = [["ann@example.org", "Ann Archer"], ["ben@example.org", "Ben Brook"], ["cleo@example.org", "Cleo Clay"]];
  for (const [email, name] of people) {
    await command(server.data, ["user", "create", "--email", email, "--name", name, "--password-stdin"], password);
  }
  const [ann, ben] = [await visit(chromium, server), await visit(chromium, server)];
  await signIn(ann, { email: people[0][0], password });
  const { id } = await call(ann, "GET", "/user");
  const { endpoint, document_view } = await call(ann, "POST", "/create-document", { widget: "bar" });
  await call(ann, "PATCH", new URL(endpoint).pathname.replace("/api/v1", ""), { title: "Sales “north”" });
  const document = new URL(endpoint).pathname.split("/").at(-1);

  // Ann shares the chart in the browser, which is the first mail.
  await ann.goto(new URL(document_view).pathname);
  await ann.locator("#tool-share").click();
  await ann.getByRole("combobox", { name: /^E-mail/ }).fill(people[1][0]);
  await ann.keyboard.press("Enter");
  const shared = await post.next();
  assert.ok(shared.to.includes(people[1][0]), shared.to);
  await ann.keyboard.press("Escape");
  assert.equal((await call(ann, "GET", `/users/${id}/documents/${document}`)).acl.length, 1);

  await ann.locator("#tool-comments").click();
  await ann.getByRole("heading", { name: "Comments" }).focus();
  await ann.keyboard.press("c");
  await ann.getByRole("button", { name: "Place in the middle" }).click();
  await ann.getByRole("textbox", { name: "New comment" }).focus();
  await ann.keyboard.type("Über 1,000 – is this right, @bro");
  await ann.getByRole("option", { name: /Ben Brook/ }).waitFor();
  await ann.keyboard.press("Enter");
  await ann.keyboard.type("<or not>?");
  await ann.keyboard.press("Control+Enter");
  await ann.locator(".thread").getByText("@Ben Brook").waitFor();

  const mail = await post.next();
  assert.equal(mail.to.replace(/[<>]/g, ""), people[1][0]);
  assert.equal(mail.subject, "Ann Archer mentioned you in “Sales “north””");
  assert.match(mail.text, /^Ann Archer mentioned you in a comment on the chart "Sales “north”":/);
  assert.match(mail.text, /^> Über 1,000 – is this right, @Ben Brook <or not>\?$/m);
  assert.match(mail.html, /&lt;or not&gt;|&#60;or not&#62;/);
  const link = /^http\S+#comment-\S+$/m.exec(mail.text)?.[0] ?? "";
  assert.ok(link.startsWith(`${server.base}/d/`) && mail.html.includes(link), mail.text);

  // Ben is not signed in: the way leads through the sign-in and back to the comment.
  await ben.goto(link);
  await ben.waitForURL(/\/sign-in/);
  await ben.getByLabel("E-mail or username").fill(people[1][0]);
  await ben.getByLabel("Password").fill(password);
  await ben.getByRole("button", { name: "Sign in" }).click();
  await ben.locator(".thread.selected").getByText("is this right").waitFor();
  await ben.locator(".thread.selected").getByText("<or not>?").waitFor();
  await looksWell(ben, "mentioned");

  // Ben replies with a mention of Ann, who gets a mail.
  await ben.locator(".thread").getByRole("button", { name: "Reply" }).click();
  await ben.keyboard.type("It is, @ann");
  await ben.getByRole("option", { name: /Ann Archer/ }).waitFor();
  await ben.keyboard.press("Enter");
  await ben.keyboard.press("Control+Enter");
  const answer = await post.next();
  assert.equal(answer.to.replace(/[<>]/g, ""), people[0][0]);
  assert.match(answer.text, /^> It is, @Ann Archer/m);
  await ann.goto("about:blank");
  await ann.goto(/^http\S+#comment-\S+$/m.exec(answer.text)?.[0] ?? "");
  await ann.locator(".thread.selected").getByText("@Ann Archer").waitFor();
  unhurt(ann);
  unhurt(ben);
  await ann.context().close();
  await ben.context().close();
  await server.remove();
  await post.stop();
});

await run(() => chromium.close());
