// Tests of charts in frames of other sites.

import assert from "node:assert/strict";
import { createServer, request as sendRequest } from "node:http";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();

/** Starts an HTTP server on a free port. @returns {Promise<{ url: string, close: () => void }>} */
async function listen(handler) {
  const listener = createServer(handler);
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = /** @type {import("node:net").AddressInfo} */ (listener.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      listener.close();
      listener.closeAllConnections();
    },
  };
}

/** Starts a proxy in front of the server. It adds the status of each response to `statuses`. */
function startProxy(statuses) {
  const { hostname, port, host } = new URL(server.baseUrl);
  return listen((incoming, outgoing) => {
    const options = { hostname, port, path: incoming.url, method: incoming.method, headers: { ...incoming.headers, host } };
    const forwarded = sendRequest(options, (response) => {
      statuses.push(response.statusCode);
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });
}

test("a chart in a frame of another site appears again when the browser has it in its cache", async () => {
  const owner = await openPage(chromium, server);
  await signIn(owner, server.welcome.sign_in);
  const { endpoint } = await callApi(owner, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname;
  const data = [{ label: "North", value: 3 }, { label: "South", value: 5 }];
  await callApi(owner, "PUT", path.replace("/api/v1", ""), { title: "Framed", isPublic: true, data });
  await owner.context().close();

  const statuses = [];
  const proxy = await startProxy(statuses);
  const site = await listen((incoming, outgoing) => {
    outgoing.setHeader("content-type", "text/html");
    outgoing.end(`<!doctype html><title>${incoming.url}</title><link rel="icon" href="data:,"><iframe src="${proxy.url}${path}.html" width="720" height="405"></iframe>`);
  });
  const page = await openPage(chromium, { baseUrl: site.url });
  for (const visit of ["/first", "/second", "/third"]) {
    await page.goto(visit);
    await page.frameLocator("iframe").locator(".picture svg").waitFor();
    assert.match(await page.frameLocator("iframe").locator(".picture").textContent(), /North/);
  }
  assert.deepEqual(statuses, [200, 304, 304]);
  await page.context().close();
  site.close();
  proxy.close();
});

/** Starts a site of another origin with a page that contains the code. */
function startSite(getCode) {
  return listen((incoming, outgoing) => {
    outgoing.setHeader("content-type", "text/html; charset=utf-8");
    outgoing.end(`<!doctype html><title>Site</title><link rel="icon" href="data:,"><main style="width: 80%">${getCode()}</main>`);
  });
}

test("the embed codes of the dialog show a private chart on another site, in its proportions", async () => {
  const owner = await openPage(chromium, server, { permissions: ["clipboard-read", "clipboard-write"] });
  await signIn(owner, server.welcome.sign_in);
  const { endpoint, document_view } = await callApi(owner, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  await callApi(owner, "PATCH", path, { title: 'Private & "quoted"' });
  await owner.goto(new URL(document_view).pathname);
  await owner.getByRole("button", { name: "Share", exact: true }).click();
  await owner.getByRole("button", { name: "Embed…" }).click();
  const dialog = owner.getByRole("dialog", { name: "Embed" });
  await dialog.getByText("This chart is private.").waitFor();
  await assertAccessible(owner, "embed-private");
  await dialog.getByRole("button", { name: "Create a link for embedding" }).click();
  await dialog.getByLabel("Code").waitFor();
  await assertAccessible(owner, "embed");
  await assertAccessibleOnPhone(owner, "embed-phone");
  const copy = async (name) => {
    await dialog.getByRole("button", { name }).click();
    await owner.locator(".toast", { hasText: "is copied" }).last().waitFor();
    return owner.evaluate(() => navigator.clipboard.readText());
  };
  let code = await copy("Copy code");
  assert.doesNotMatch(code, /<script/);
  const address = await copy("Copy address");
  assert.match(address, /\/embed\/[^/]+\?share=/);

  const site = await startSite(() => code);
  const visitor = await openPage(chromium, { baseUrl: site.url });
  await visitor.goto("/");
  await visitor.frameLocator("iframe").locator(".picture svg").waitFor();
  assert.match(await visitor.frameLocator("iframe").locator(".picture").textContent(), /Private & "quoted"/);
  assert.equal(await visitor.locator("iframe").getAttribute("title"), 'Private & "quoted"');
  const measure = () => visitor.locator("iframe").boundingBox();
  let box = await measure();
  assert.ok(Math.abs(box.width / box.height - 720 / 437) < 0.02, JSON.stringify(box));
  await visitor.setViewportSize({ width: 400, height: 800 });
  box = await measure();
  assert.ok(box.width < 400 && Math.abs(box.width / box.height - 720 / 437) < 0.02, JSON.stringify(box));

  // The other code follows a change of the size of the chart.
  await dialog.getByLabel("Follows the chart").check();
  await assertAccessible(owner, "embed-resizing");
  code = await copy("Copy code");
  await visitor.goto("/resizing");
  await visitor.frameLocator("iframe").locator(".picture svg").waitFor();
  const waitForRatio = (ratio) =>
    visitor.waitForFunction((ratio) => {
      const { width, height } = document.querySelector("iframe").getBoundingClientRect();
      return Math.abs(height - 32 - width / ratio) < 6;
    }, ratio);
  await waitForRatio(720 / 405);
  const { style } = await callApi(owner, "GET", path);
  await callApi(owner, "PATCH", path, { style: { ...style, height: 720 } }).catch(() => {});
  const { version, owner: account, ...fields } = await callApi(owner, "GET", path);
  await callApi(owner, "PUT", path, { ...fields, style: { ...style, height: 720 } });
  await visitor.reload();
  await waitForRatio(1);
  await visitor.setViewportSize({ width: 900, height: 800 });
  await waitForRatio(1);
  // A revoked link closes the frame.
  const { acl } = await callApi(owner, "GET", path);
  const [, , accountId, , document] = path.split("/");
  await callApi(owner, "DELETE", "/share", { owner: accountId, document, link: acl[0].link });
  const response = await visitor.request.get(address);
  assert.ok([401, 404].includes(response.status()), String(response.status()));
  assertNoErrors(owner);
  await owner.context().close();
  await visitor.context().close();
  site.close();
});

test("a public chart has an embed address without a link, which stays when it moves", async () => {
  const owner = await openPage(chromium, server);
  await signIn(owner, server.welcome.sign_in);
  const { endpoint } = await callApi(owner, "POST", "/create-document", { widget: "bar" });
  const path = new URL(endpoint).pathname.replace("/api/v1", "");
  const address = `${server.baseUrl}/embed/${path.split("/").at(-1)}`;
  const guest = await openPage(chromium, server);
  assert.ok([401, 404].includes((await guest.request.get(address)).status()));
  const data = [{ label: "North", value: 3 }];
  await callApi(owner, "PUT", path, { title: "Open", isPublic: true, data });
  const response = await guest.request.get(address);
  assert.equal(response.status(), 200);
  assert.match(response.headers()["content-security-policy"], /frame-ancestors \*/);
  assert.equal(response.headers()["x-frame-options"], undefined);
  const { orgs } = await callApi(owner, "GET", "/user");
  await callApi(owner, "POST", `${path}/move`, { owner: orgs[0].id, folder: "/" });
  assert.equal((await guest.request.get(address)).status(), 200);
  await owner.context().close();
  await guest.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
