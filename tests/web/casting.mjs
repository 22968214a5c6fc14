// Tests of cast screens in a browser: pairing by code, display of an edit within two seconds, end of the
// session, and restart of a killed server.

import assert from "node:assert/strict";
import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, assertNoHorizontalScroll, callApi, launchBrowser, openPage, runTests, signIn, startServer, test } from "./lib.mjs";

const server = await startServer();
const chromium = await launchBrowser();
const phone = await openPage(chromium, server, { viewport: { width: 390, height: 844 } });
const { sign_in: account } = server.welcome;
await signIn(phone, account);

/** Returns the address of the image on a screen. */
const getImageSource = (screen) => screen.locator("#stage img.on").getAttribute("src");
const waitForImage = (screen) => screen.locator("#stage img.on").waitFor();
/** Waits until a screen shows another image than `previousSource`. Returns the milliseconds since `start`. */
async function waitForOtherImage(screen, previousSource, start, timeout = 10_000) {
  await screen.waitForFunction((src) => document.querySelector("#stage img.on").src !== src, previousSource, { timeout });
  return performance.now() - start;
}
const getDocumentPath = (id) => `/users/me/documents/${id}`;

test("a screen is paired with its code, shows an edit, and goes blank when its session ends", async () => {
  const screen = await openPage(chromium, server, { viewport: { width: 1920, height: 1080 } });
  await screen.goto("/cast/receiver");
  const code = screen.locator("#code", { hasText: /^[B-Z]{4}-[B-Z]{4}$/ });
  await code.waitFor();
  await assertAccessible(screen, "cast-receiver");

  await phone.goto("/pair");
  await assertAccessibleOnPhone(phone, "pair-code");
  await phone.getByLabel("Code on the screen").fill((await code.textContent()).toLowerCase());
  await phone.getByRole("button", { name: "Continue" }).click();
  await phone.getByRole("heading", { name: "Screen with code" }).waitFor();
  await assertAccessibleOnPhone(phone, "pair");
  await phone.setViewportSize({ width: 320, height: 640 });
  await assertNoHorizontalScroll(phone);
  await phone.getByRole("radio").first().check();
  await phone.getByLabel("Name of the screen").fill("Lobby");
  await phone.getByRole("button", { name: "Show it" }).click();
  await phone.getByRole("heading", { name: "The screen is paired" }).waitFor();
  await screen.waitForURL((url) => url.pathname !== "/cast/receiver", { timeout: 15_000 });
  await waitForImage(screen);
  assert.equal(await screen.title(), "Lobby - Chartroom");

  const token = new URL(screen.url()).pathname.split("/").pop();
  const { document_id: id } = await callApi(phone, "GET", `/cast/${token}/check`);
  await screen.waitForTimeout(1000);
  const previousSource = await getImageSource(screen);
  const start = performance.now();
  await callApi(phone, "PATCH", getDocumentPath(id), { title: "Changed on the phone" });
  const duration = await waitForOtherImage(screen, previousSource, start);
  assert.ok(duration < 2000, `an edit took ${Math.round(duration)} ms`);

  await screen.keyboard.press("Enter");
  await screen.locator("#title", { hasText: "Changed on the phone" }).waitFor();
  await assertAccessible(screen, "cast-bar");
  await screen.keyboard.press("Escape");
  await screen.locator("#bar").waitFor({ state: "hidden" });

  await screen.waitForTimeout(1000);
  const [session] = await callApi(phone, "GET", `/cast/sessions/${id}`);
  assert.equal(session.device_name, "Lobby");
  assert.equal(session.last_drawn, (await callApi(phone, "GET", `/cast/${token}/check`)).last_modified);
  const end = performance.now();
  await callApi(phone, "DELETE", `/cast/sessions/${session.id}`);
  await screen.locator("#message", { hasText: "This screen was disconnected" }).waitFor();
  assert.ok(performance.now() - end < 5000, "the screen must be blank within five seconds");
  assert.equal(await screen.locator("#stage").isVisible(), false);
  assert.equal(await screen.evaluate(() => localStorage.length), 0);
  await assertAccessible(screen, "cast-over");
  await screen.waitForURL("**/cast/receiver", { timeout: 30_000 });
  assertNoErrors(screen);
  assertNoErrors(phone);
  await screen.context().close();
});

test("an unknown pairing code shows an error", async () => {
  await phone.goto("/pair/BCDFGHJK");
  await phone.getByRole("alert").waitFor();
  await assertAccessibleOnPhone(phone, "pair-wrong");
});

test("the image has the aspect ratio of the screen", async () => {
  const listing = await callApi(phone, "GET", "/users/me/list?limit=100");
  const entry = listing.results.find((candidate) => candidate.type === "document");
  const { id } = entry ? entry.document : await callApi(phone, "POST", "/create-document", { widget: "bar" });
  const cast = await callApi(phone, "POST", "/cast/sessions", { document_id: id, device_name: "Shapes" });
  for (const [width, height] of [[1920, 1080], [1080, 1920], [1024, 768], [2560, 1080]]) {
    const screen = await openPage(chromium, server, { viewport: { width, height } });
    await screen.goto(new URL(cast.cast_url).pathname);
    await waitForImage(screen);
    const aspectRatio = await screen.evaluate(() => {
      const image = document.querySelector("#stage img.on");
      return image.naturalWidth / image.naturalHeight;
    });
    assert.ok(Math.abs(aspectRatio / (width / height) - 1) < 0.02, `${width} x ${height}: ${aspectRatio}`);
    assertNoErrors(screen);
    await screen.context().close();
  }
});

test("a browser that cannot show the SVG gets a PNG in the resolution of the screen", async () => {
  const { id } = await callApi(phone, "POST", "/create-document", { widget: "bar" });
  const cast = await callApi(phone, "POST", "/cast/sessions", { document_id: id, device_name: "Old set" });
  const screen = await openPage(chromium, server, { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 2 });
  // Replace SVG images by invalid ones, so that the browser cannot decode them.
  await screen.addInitScript(() => {
    const createObjectUrl = URL.createObjectURL;
    URL.createObjectURL = (blob) => createObjectUrl.call(URL, blob.type.includes("svg") ? new Blob(["<svg"], { type: blob.type }) : blob);
  });
  const requestedFiles = [];
  screen.on("request", (request) => requestedFiles.push(new URL(request.url()).pathname.split("/").pop()));
  await screen.goto(new URL(cast.cast_url).pathname);
  await waitForImage(screen);
  assert.deepEqual(requestedFiles.filter((file) => file.startsWith("document.")), ["document.svg", "document.png"]);
  const getImageSize = () => screen.evaluate(() => {
    const { naturalWidth, naturalHeight } = document.querySelector("#stage img.on");
    return [naturalWidth, naturalHeight, document.querySelector("#stage img.on").clientWidth];
  });
  const [width, height, shownWidth] = await getImageSize();
  assert.equal(width, shownWidth * 2, "the image has one pixel for each pixel of the screen");
  assert.ok(Math.abs(width / height - 1280 / 720) < 0.02, `${width} x ${height}`);
  await screen.waitForTimeout(1000);
  const [session] = await callApi(phone, "GET", `/cast/sessions/${id}`);
  assert.equal(session.last_drawn, (await callApi(phone, "GET", `${new URL(cast.cast_url).pathname}/check`)).last_modified);
  const previousSource = await getImageSource(screen);
  const start = performance.now();
  await callApi(phone, "PATCH", getDocumentPath(id), { title: "Pixels" });
  const duration = await waitForOtherImage(screen, previousSource, start);
  assert.ok(duration < 3000, `an edit took ${Math.round(duration)} ms`);
  assert.equal(requestedFiles.filter((file) => file === "document.svg").length, 1, "the SVG is not requested again");

  // The button on the screen leads to a new pairing code. It does not end the session.
  await screen.keyboard.press("Enter");
  await screen.getByRole("button", { name: "Show another chart" }).click();
  await screen.locator("#code", { hasText: /^[B-Z]{4}-[B-Z]{4}$/ }).waitFor();
  assert.equal((await callApi(phone, "GET", `/cast/sessions/${id}`)).length, 1);
  assertNoErrors(screen);
  await screen.context().close();
});

test("a screen keeps its image while the server is down and updates within 30 s after a restart", async () => {
  const firstServer = await startServer({ demo: false });
  const host = new URL(firstServer.baseUrl).host;
  let currentServer = firstServer;
  try {
    const page = await openPage(chromium, firstServer);
    await page.goto(firstServer.welcome.setup_link);
    await page.getByLabel("Full name").fill("Ann");
    await page.getByLabel("E-mail").fill("ann@example.org");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: /sign in/i }).click();
    await page.waitForURL((url) => !url.pathname.startsWith("/setup"));
    const { id } = await callApi(page, "POST", "/create-document", { widget: "bar" });
    const cast = await callApi(page, "POST", "/cast/sessions", { document_id: id, device_name: "Hall" });
    const screen = await openPage(chromium, firstServer, { viewport: { width: 1280, height: 720 } });
    await screen.goto(new URL(cast.cast_url).pathname);
    await waitForImage(screen);
    await screen.waitForTimeout(1500);
    const previousSource = await getImageSource(screen);
    await firstServer.stop("SIGKILL");
    await screen.locator("#chip", { hasText: "Not updating since" }).waitFor({ timeout: 60_000 });
    assert.equal(await getImageSource(screen), previousSource, "the last image stays");
    currentServer = await startServer({ demo: false, directory: firstServer.dataDirectory, listen: host });
    const start = performance.now();
    await callApi(page, "PATCH", getDocumentPath(id), { title: "After the restart" });
    const duration = await waitForOtherImage(screen, previousSource, start, 40_000);
    assert.ok(duration < 30_000, `it took ${Math.round(duration)} ms`);
    await screen.locator("#chip").waitFor({ state: "hidden" });
  } finally {
    await currentServer.stop();
    await firstServer.remove();
  }
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
