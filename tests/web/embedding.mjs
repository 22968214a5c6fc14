// Test of a chart in a frame of another site.

import assert from "node:assert/strict";
import { createServer, request as sendRequest } from "node:http";
import { callApi, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

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

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
