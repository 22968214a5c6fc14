// Screens in a browser: pairing by code, an edit that shows within two seconds, the end, and a server
// that is killed and comes back.

import assert from "node:assert/strict";
import { browser, call, fits, looksWell, looksWellSmall, run, serve, signIn, test, unhurt, visit } from "./lib.mjs";

const server = await serve();
const chromium = await browser();
const phone = await visit(chromium, server, { viewport: { width: 390, height: 844 } });
const { sign_in: ann } = server.welcome;
await signIn(phone, ann);

/** The picture that a screen shows. */
const shown = (screen) => screen.locator("#stage img.on").getAttribute("src");
const shows = (screen) => screen.locator("#stage img.on").waitFor();
/** Waits for another picture than `before`; gives the milliseconds since `since`. */
async function another(screen, before, since, timeout = 10_000) {
  await screen.waitForFunction((src) => document.querySelector("#stage img.on").src !== src, before, { timeout });
  return performance.now() - since;
}
const path = (id) => `/users/me/documents/${id}`;

test("a screen without a keyboard is paired by its code, follows an edit, and is ended", async () => {
  const screen = await visit(chromium, server, { viewport: { width: 1920, height: 1080 } });
  await screen.goto("/cast/receiver");
  const code = screen.locator("#code", { hasText: /^[B-Z]{4}-[B-Z]{4}$/ });
  await code.waitFor();
  await looksWell(screen, "cast-receiver");

  await phone.goto("/pair");
  await looksWellSmall(phone, "pair-code");
  await phone.getByLabel("Code on the screen").fill((await code.textContent()).toLowerCase());
  await phone.getByRole("button", { name: "Continue" }).click();
  await phone.getByRole("heading", { name: "Screen with code" }).waitFor();
  await looksWellSmall(phone, "pair");
  await phone.setViewportSize({ width: 320, height: 640 });
  await fits(phone);
  await phone.getByRole("radio").first().check();
  await phone.getByLabel("Name of the screen").fill("Lobby");
  await phone.getByRole("button", { name: "Show it" }).click();
  await phone.getByRole("heading", { name: "The screen is paired" }).waitFor();
  await screen.waitForURL((url) => url.pathname !== "/cast/receiver", { timeout: 15_000 });
  await shows(screen);
  assert.equal(await screen.title(), "Lobby - Chartroom");

  const token = new URL(screen.url()).pathname.split("/").pop();
  const { document_id: id } = await call(phone, "GET", `/cast/${token}/check`);
  await screen.waitForTimeout(1000);
  const before = await shown(screen);
  const began = performance.now();
  await call(phone, "PATCH", path(id), { title: "Changed on the phone" });
  const took = await another(screen, before, began);
  assert.ok(took < 2000, `an edit took ${Math.round(took)} ms`);

  await screen.keyboard.press("Enter");
  await screen.locator("#title", { hasText: "Changed on the phone" }).waitFor();
  await looksWell(screen, "cast-bar");
  await screen.keyboard.press("Escape");
  await screen.locator("#bar").waitFor({ state: "hidden" });

  await screen.waitForTimeout(1000);
  const [session] = await call(phone, "GET", `/cast/sessions/${id}`);
  assert.equal(session.device_name, "Lobby");
  assert.equal(session.last_drawn, (await call(phone, "GET", `/cast/${token}/check`)).last_modified);
  const ended = performance.now();
  await call(phone, "DELETE", `/cast/sessions/${session.id}`);
  await screen.locator("#message", { hasText: "This screen was disconnected" }).waitFor();
  assert.ok(performance.now() - ended < 5000, "it must be blank within five seconds");
  assert.equal(await screen.locator("#stage").isVisible(), false);
  assert.equal(await screen.evaluate(() => localStorage.length), 0);
  await looksWell(screen, "cast-over");
  await screen.waitForURL("**/cast/receiver", { timeout: 30_000 });
  unhurt(screen);
  unhurt(phone);
  await screen.context().close();
});

test("a wrong code is said to be one", async () => {
  await phone.goto("/pair/BCDFGHJK");
  await phone.getByRole("alert").waitFor();
  await looksWellSmall(phone, "pair-wrong");
});

test("a picture fills the screen whatever its shape", async () => {
  const found = await call(phone, "GET", "/users/me/list?limit=100");
  const entry = found.results.find((it) => it.type === "document");
  const { id } = entry ? entry.document : await call(phone, "POST", "/create-document", { widget: "bar" });
  const cast = await call(phone, "POST", "/cast/sessions", { document_id: id, device_name: "Shapes" });
  for (const [width, height] of [[1920, 1080], [1080, 1920], [1024, 768], [2560, 1080]]) {
    const screen = await visit(chromium, server, { viewport: { width, height } });
    await screen.goto(new URL(cast.cast_url).pathname);
    await shows(screen);
    const shape = await screen.evaluate(() => {
      const picture = document.querySelector("#stage img.on");
      return picture.naturalWidth / picture.naturalHeight;
    });
    assert.ok(Math.abs(shape / (width / height) - 1) < 0.02, `${width} x ${height}: ${shape}`);
    unhurt(screen);
    await screen.context().close();
  }
});

test("a browser that cannot show an SVG gets pixels of the screen’s own size, and follows edits with them", async () => {
  const { id } = await call(phone, "POST", "/create-document", { widget: "bar" });
  const cast = await call(phone, "POST", "/cast/sessions", { document_id: id, device_name: "Old set" });
  const screen = await visit(chromium, server, { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 2 });
  // As in an engine without it: the picture cannot be decoded.
  await screen.addInitScript(() => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => make.call(URL, blob.type.includes("svg") ? new Blob(["<svg"], { type: blob.type }) : blob);
  });
  const asked = [];
  screen.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").pop()));
  await screen.goto(new URL(cast.cast_url).pathname);
  await shows(screen);
  assert.deepEqual(asked.filter((it) => it.startsWith("document.")), ["document.svg", "document.png"]);
  const size = () => screen.evaluate(() => {
    const { naturalWidth, naturalHeight } = document.querySelector("#stage img.on");
    return [naturalWidth, naturalHeight, document.querySelector("#stage img.on").clientWidth];
  });
  const [width, height, shownWidth] = await size();
  assert.equal(width, shownWidth * 2, "a pixel of the picture for each of the screen");
  assert.ok(Math.abs(width / height - 1280 / 720) < 0.02, `${width} x ${height}`);
  await screen.waitForTimeout(1000);
  const [session] = await call(phone, "GET", `/cast/sessions/${id}`);
  assert.equal(session.last_drawn, (await call(phone, "GET", `${new URL(cast.cast_url).pathname}/check`)).last_modified);
  const before = await shown(screen);
  const began = performance.now();
  await call(phone, "PATCH", path(id), { title: "Pixels" });
  const took = await another(screen, before, began);
  assert.ok(took < 3000, `an edit took ${Math.round(took)} ms`);
  assert.equal(asked.filter((it) => it === "document.svg").length, 1, "it is not tried again");

  // The way from the screen itself: to the code for another chart. Only the owner ends the session.
  await screen.keyboard.press("Enter");
  await screen.getByRole("button", { name: "Show another chart" }).click();
  await screen.locator("#code", { hasText: /^[B-Z]{4}-[B-Z]{4}$/ }).waitFor();
  assert.equal((await call(phone, "GET", `/cast/sessions/${id}`)).length, 1);
  unhurt(screen);
  await screen.context().close();
});

test("the server is killed and comes back: the picture stays, and follows within 30 s", async () => {
  const own = await serve({ demo: false });
  const place = new URL(own.base).host;
  let now = own;
  try {
    const page = await visit(chromium, own);
    await page.goto(own.welcome.setup_link);
    await page.getByLabel("Full name").fill("Ann");
    await page.getByLabel("E-mail").fill("ann@example.org");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: /sign in/i }).click();
    await page.waitForURL((url) => !url.pathname.startsWith("/setup"));
    const { id } = await call(page, "POST", "/create-document", { widget: "bar" });
    const cast = await call(page, "POST", "/cast/sessions", { document_id: id, device_name: "Hall" });
    const screen = await visit(chromium, own, { viewport: { width: 1280, height: 720 } });
    await screen.goto(new URL(cast.cast_url).pathname);
    await shows(screen);
    await screen.waitForTimeout(1500);
    const before = await shown(screen);
    await own.stop("SIGKILL");
    await screen.locator("#chip", { hasText: "Not updating since" }).waitFor({ timeout: 60_000 });
    assert.equal(await shown(screen), before, "the last picture stays");
    now = await serve({ demo: false, directory: own.data, listen: place });
    const back = performance.now();
    await call(page, "PATCH", path(id), { title: "After the fall" });
    const took = await another(screen, before, back, 40_000);
    assert.ok(took < 30_000, `it took ${Math.round(took)} ms`);
    await screen.locator("#chip").waitFor({ state: "hidden" });
  } finally {
    await now.stop();
    await own.remove();
  }
});

await run(async () => {
  await chromium.close();
  await server.remove();
});
