// @ts-check
/** Browser tests of the pages of themes and assets: upload, colors of a logo, live preview, fonts in charts, accessibility. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

import { assertAccessible, assertAccessibleOnPhone, assertNoErrors, callApi, launchBrowser, openPage, runCommand, runTests, signIn, startServer, test } from "./lib.mjs";

const password = "correct horse battery";
const chromium = await launchBrowser();
const server = await startServer({ demo: false, env: {} });

for (const name of ["Ann Admin", "Bea Brand", "Ben Baker"]) {
  const email = `${name.split(" ")[0].toLowerCase()}@example.org`;
  await runCommand(server.dataDirectory, ["user", "create", "--email", email, "--name", name, "--password-stdin"], password);
}
await runCommand(server.dataDirectory, ["org", "create", "--name", "Acme & Sons", "--slug", "acme", "--plan", "enterprise", "--seats", "8"]);
for (const [name, role] of [["ann", "admin"], ["bea", "brand_manager"], ["ben", "member"]]) await runCommand(server.dataDirectory, ["org", "member", "add", "acme", `${name}@example.org`, "--role", role]);

/** A logo with two colors and a white area. */
const LOGO_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" fill="#ffffff"/><rect width="50" height="40" rx="6" fill="#7a1fa2"/><circle cx="90" cy="20" r="16" fill="#00796b"/></svg>`;

/** Fonts of common packages, with a family name to replace. */
const FONTS = /** @type {const} */ ([
  ["/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf", "DejaVu Serif"],
  ["/usr/share/fonts/truetype/lato/Lato-Black.ttf", "Lato"],
]);

/** Returns a PNG of one color. @param {number} width @param {number} height @param {[number, number, number]} color */
function encodePng(width, height, color) {
  const crcTable = Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value >>> 0;
  });
  const chunk = (/** @type {string} */ type, /** @type {Buffer} */ data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const crc = body.reduce((sum, byte) => crcTable[(sum ^ byte) & 255] ^ (sum >>> 8), 0xffffffff);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array(width).fill(color).flat())]);
  const pixels = deflateSync(Buffer.concat(Array(height).fill(row)));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** Returns a font of the system under a family name that no system font has, so that only the uploaded file can provide it. */
function renameFont() {
  const found = FONTS.find(([path]) => existsSync(path));
  assert.ok(found, "no font is installed: apt-get install fonts-dejavu");
  const [path, family] = found;
  const name = family.replace(/[a-z]/g, "q");
  const file = readFileSync(path);
  const toUtf16 = (/** @type {string} */ text) => Buffer.from(text, "utf16le").swap16();
  for (const [old, replacement] of [[Buffer.from(family, "latin1"), Buffer.from(name, "latin1")], [toUtf16(family), toUtf16(name)]]) {
    for (let at = file.indexOf(old); at >= 0; at = file.indexOf(old, at)) replacement.copy(file, at);
  }
  return { file, name };
}

/** Opens a page as a signed-in user. @param {string} name @param {import("playwright-core").BrowserContextOptions} [options] */
async function openAs(name, options = {}) {
  const page = await openPage(chromium, server, options);
  await signIn(page, { email: `${name}@example.org`, password });
  return page;
}

/** Signs in with the dialog over the page. @param {import("playwright-core").Page} page @param {string} name */
async function signInOverPage(page, name) {
  const dialog = page.locator("dialog.sign-in");
  await dialog.getByLabel("E-mail or username").fill(`${name}@example.org`);
  await dialog.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
}

/** Checks the present page with a wide window and at the size of a phone. @param {import("playwright-core").Page} page @param {string} name */
async function check(page, name) {
  // The bar must not cover parts of a control.
  await page.evaluate(() => scrollTo(0, 0));
  await assertAccessible(page, `themes-${name}`);
  await assertAccessibleOnPhone(page, `themes-${name}-phone`);
}

/** Returns the decoded SVG of an image of the preview. @param {import("playwright-core").Page} page @param {number} index */
const readPreview = (page, index) =>
  page.locator("#preview-content img").nth(index).evaluate((image) => atob(String(image.getAttribute("src")).split(",")[1]));

/** Waits until an image of the preview contains a text. @param {import("playwright-core").Page} page @param {string} text */
async function waitForPreview(page, text) {
  await page.waitForFunction((wanted) => {
    const image = document.querySelector("#preview-content img");
    return image ? atob(String(image.getAttribute("src")).split(",")[1]).includes(wanted) : false;
  }, text);
}

test("empty pages are accessible", async () => {
  const page = await openAs("bea");
  for (const path of ["themes", "assets", "themes/_new"]) {
    await page.goto(`/orgs/acme/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await check(page, `${path.replace("/", "-")}-empty`);
  }
  assertNoErrors(page);
  await page.context().close();
});

test("a logo is uploaded, its colors become a theme, and a document is rendered in it", async () => {
  const page = await openAs("bea");
  await page.goto("/orgs/acme/assets");
  await page.getByLabel("Images or fonts").setInputFiles([
    { name: "acme.svg", mimeType: "image/svg+xml", buffer: Buffer.from(LOGO_SVG) },
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no image") },
    { name: "huge.png", mimeType: "image/png", buffer: Buffer.alloc(6 << 20) },
  ]);
  await page.getByRole("button", { name: "Upload" }).click();
  await page.getByText("1 file is stored.").waitFor();
  assert.ok(await page.getByText("notes.txt: The file must be a PNG, JPEG, WebP or SVG image").isVisible());
  assert.ok(await page.getByText("huge.png: The file is too large. A file may have at most 5.0 MiB.").isVisible());
  assert.ok(await page.getByRole("link", { name: "acme.svg", exact: true }).isVisible());
  assert.ok(await page.getByText("1 of at most 100").isVisible());
  await check(page, "assets-refused");

  await page.goto("/orgs/acme/themes/_new");
  await page.getByLabel("Title", { exact: true }).fill("Acme Brand");
  assert.ok(!(await readPreview(page, 0)).includes("#7a1fa2"));
  await page.getByLabel("Logo", { exact: true }).selectOption("acme.svg");
  await page.getByRole("button", { name: "Take colors from the logo" }).click();
  await page.getByText("2 colors of acme.svg are now the first of the list.").waitFor();
  assert.equal(await page.getByLabel("Color 1", { exact: true }).inputValue(), "#7a1fa2");
  assert.equal(await page.getByLabel("Color 2", { exact: true }).inputValue(), "#00796b");
  assert.equal(await page.getByLabel("Highlight color", { exact: true }).inputValue(), "#7a1fa2");
  await waitForPreview(page, "#7a1fa2");
  assert.deepEqual((await callApi(page, "GET", "/orgs/acme/themes")).themes, [], "nothing is stored yet");
  await check(page, "theme-logo");

  await page.getByRole("button", { name: "Create the theme" }).click();
  await page.getByText("The theme is created.").waitFor();
  const [theme] = (await callApi(page, "GET", "/orgs/acme/themes")).themes;
  assert.deepEqual([theme.name, theme.colors[0], theme.logo], ["acme-brand", "#7a1fa2", "acme.svg"]);
  const me = await callApi(page, "GET", "/user");
  const created = await callApi(page, "POST", "/create-document", { widget: "bar", title: "Sales", theme: theme.id });
  const path = `/users/${created.owner ?? me.id}/documents/${created.id}`;
  const document = await callApi(page, "GET", path);
  await page.evaluate(
    async ([address, body]) => {
      const current = await fetch(address);
      await fetch(address, { method: "PUT", body, headers: { "Content-Type": "application/json", "If-Match": String(current.headers.get("ETag")) } });
    },
    [`/api/v1${path}`, JSON.stringify({ ...document, theme: theme.id })],
  );
  const svg = await page.evaluate(async (address) => (await fetch(address)).text(), `/api/v1${path}.svg`);
  assert.ok(svg.includes("#7a1fa2"), "the bars have the first color");
  assert.ok(svg.includes("#00796b"), "the circle of the logo is in the image");
  assertNoErrors(page);
  await page.context().close();
});

test("the preview follows the form with one request at a time, and keyboards change the order of colors", async () => {
  const page = await openAs("bea");
  await page.goto("/orgs/acme/themes/acme-brand");
  let [open, most, total] = [0, 0, 0];
  await page.route("**/preview", async (route) => {
    [open, total] = [open + 1, total + 1];
    most = Math.max(most, open);
    const response = await route.fetch();
    await new Promise((resolve) => setTimeout(resolve, 400));
    open -= 1;
    await route.fulfill({ response });
  });
  const first = page.getByLabel("Color 1", { exact: true });
  for (const color of ["#112233", "#223344", "#334455", "#445567"]) {
    await first.fill(color);
    await page.waitForTimeout(450);
  }
  await waitForPreview(page, "#445567");
  assert.equal(most, 1);
  assert.ok(total >= 2 && total <= 4, `${total} requests`);
  await page.unrouteAll({ behavior: "wait" });

  await page.getByRole("button", { name: "Move down Color 1", exact: true }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Color 2", { exact: true }).inputValue(), "#445567");
  assert.ok(await page.getByRole("button", { name: "Move down Color 2", exact: true }).evaluate((button) => button === document.activeElement));
  await waitForPreview(page, "#445567");
  await page.getByRole("button", { name: "Add a color" }).click();
  await page.keyboard.insertText("inky");
  await page.getByText("The preview shows the last valid theme.").waitFor();
  assert.ok((await readPreview(page, 0)).includes("#445567"));
  await check(page, "theme-invalid-preview");
  // The page of the response has the same text as the preview.
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Save the theme" }).click()]);
  await page.getByText("must be a CSS color such as #3f90da.").first().waitFor();
  await check(page, "theme-error");
  assert.equal((await callApi(page, "GET", "/orgs/acme/themes/acme-brand")).colors[0], "#7a1fa2");
  assertNoErrors(page);
  await page.context().close();
});

test("an uploaded font is shown in its own face and used by charts", async () => {
  const page = await openAs("bea");
  const font = renameFont();
  await page.goto("/orgs/acme/assets");
  await page.getByLabel("Images or fonts").setInputFiles([
    { name: "brand-font.ttf", mimeType: "font/ttf", buffer: font.file },
    { name: "raster logo.png", mimeType: "image/png", buffer: encodePng(120, 40, [194, 24, 91]) },
  ]);
  await page.getByRole("button", { name: "Upload" }).click();
  await page.getByText("2 files are stored.").waitFor();
  const sample = page.locator(".font-sample span");
  await page.waitForFunction(() => (/** @type {HTMLElement | null} */ (document.querySelector(".font-sample"))?.style.fontFamily ?? "") !== "");
  const [ownWidth, ...otherWidths] = await sample.evaluate((text) => {
    const measure = (/** @type {string} */ family) => {
      /** @type {HTMLElement} */ (text).style.fontFamily = family;
      return Math.round(text.getBoundingClientRect().width);
    };
    return [measure(""), measure("var(--font)"), measure("absent-family")];
  });
  assert.ok(!otherWidths.includes(ownWidth), `the sample has the uploaded font: ${ownWidth} ${otherWidths}`);
  await page.reload();

  const fonts = { title: { family: font.name, size: 24, weight: 700 }, body: { family: font.name, size: 13 } };
  const theme = await callApi(page, "POST", "/orgs/acme/themes", { name: "lettered", title: "Lettered", fonts, logo: "raster logo.png", logo_position: "top-right", colors: ["#7a1fa2", "#00796b"] });
  await page.goto("/orgs/acme/assets");
  await page.getByText("Used by 1 theme: lettered").first().waitFor();
  await check(page, "assets");

  await page.goto("/orgs/acme/themes/lettered/sample.svg");
  const facts = await page.evaluate(async (family) => {
    await document.fonts.ready;
    const texts = Array.from(document.querySelectorAll("text"));
    const title = texts.find((text) => text.textContent?.includes("Online"));
    const measure = () => title?.getComputedTextLength() ?? 0;
    const own = measure();
    title?.setAttribute("font-family", "monospace");
    for (const part of title?.querySelectorAll("[font-family]") ?? []) part.setAttribute("font-family", "monospace");
    return { faces: Array.from(document.fonts, (face) => [face.family.replaceAll('"', ""), face.status]), own, other: measure(), images: document.querySelectorAll("image").length, family };
  }, font.name);
  assert.ok(facts.faces.some(([family, status]) => family === font.name && status === "loaded"), JSON.stringify(facts));
  assert.ok(facts.own > 0 && Math.abs(facts.own - facts.other) > 1, JSON.stringify(facts));
  assert.equal(facts.images, 1, "the logo is in the image");
  await page.reload();
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/themes-font-in-svg.png` });
  assert.equal(theme.name, "lettered");

  await page.goto("/orgs/acme/themes/lettered");
  const image = page.locator("#preview-content img").first();
  assert.ok(await image.evaluate((element) => /** @type {HTMLImageElement} */ (element).naturalWidth > 0));
  assert.ok((await readPreview(page, 0)).includes("@font-face"));
  await check(page, "theme-font");
  assertNoErrors(page);
  await page.context().close();
});

test("the gallery and the questions are accessible, also with long names", async () => {
  const page = await openAs("bea");
  const long = "Averyveryverylongthemenamewithoutanyspace".repeat(2);
  await callApi(page, "POST", "/orgs/acme/themes", { name: "pale", title: `${long} ä`, colors: ["#ffee00", "#eeeeee", "#3f90da", ...Array(20).fill("#88aa33")], text_color: "#999" });
  await callApi(page, "POST", "/orgs/acme/themes", { name: "night", title: "Night", background_color: "#10131a", text_color: "#f0f0f0", axis_color: "#99a", grid_color: "#333" });
  await page.goto("/orgs/acme/themes");
  await page.getByRole("button", { name: "Use as default theme: Lettered" }).click();
  await page.getByText("New documents of the organization have the chosen theme.").waitFor();
  await page.getByText("warnings about Averyvery").click();
  assert.ok(await page.getByText("Text color #999999 has a contrast of").isVisible());
  await check(page, "gallery");
  for (const [path, name] of /** @type {const} */ ([["themes/lettered/delete", "deletion"], ["assets/brand-font.ttf/delete", "asset-deletion"], ["themes/pale", "theme-warnings"]])) {
    await page.goto(`/orgs/acme/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await check(page, name);
  }
  assertNoErrors(page);
  await page.context().close();
});

test("files are dropped on the form", async () => {
  const page = await openAs("bea");
  await page.goto("/orgs/acme/assets");
  await page.locator("#upload").evaluate((form, svg) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([svg], "dropped.svg", { type: "image/svg+xml" }));
    form.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
    form.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, LOGO_SVG);
  await page.getByText("1 file is stored.").waitFor();
  assert.ok((await callApi(page, "GET", "/orgs/acme/assets")).assets.some((/** @type {{ filename: string }} */ asset) => asset.filename === "dropped.svg"));
  assertNoErrors(page);
  await page.context().close();
});

test("an upload without a session is refused, and other files are not opened", async () => {
  const page = await openAs("bea");
  await page.goto("/orgs/acme/assets");
  const isPrevented = await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "lost.svg", { type: "image/svg+xml" }));
    return !document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  assert.ok(isPrevented);
  const upload = async () => {
    await page.getByLabel("Images or fonts").setInputFiles([{ name: "late.svg", mimeType: "image/svg+xml", buffer: Buffer.from(LOGO_SVG) }]);
    await page.getByRole("button", { name: "Upload" }).click();
  };
  await upload();
  await page.getByText("1 file is stored.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Upload" }).evaluate((button) => button === document.activeElement));
  await callApi(page, "DELETE", "/orgs/acme/assets/late.svg");
  await page.context().clearCookies();
  await upload();
  const dialog = page.locator("dialog.sign-in");
  await dialog.waitFor();
  await assertAccessible(page, "themes-upload-signed-out");
  await page.keyboard.press("Escape");
  await page.getByText("1 file is not stored:").waitFor();
  await page.getByText("late.svg: You are signed out. Sign in, then upload the file again.").waitFor();
  assert.equal(await page.getByText("1 file is stored.").count(), 0);
  // After the sign-in over the page, the same upload continues.
  await upload();
  await signInOverPage(page, "bea");
  await page.getByText("1 file is stored.").waitFor();
  assert.equal(await page.getByText("1 file is not stored:").count(), 0);
  await callApi(page, "DELETE", "/orgs/acme/assets/late.svg");
  await page.context().close();
});

test("Enter saves a theme, and unsaved values are kept without a session", async () => {
  const page = await openAs("bea");
  await callApi(page, "POST", "/orgs/acme/themes", { name: "typed", title: "Typed", colors: ["#111111"] });
  await page.goto("/orgs/acme/themes/typed");
  /** @type {string[]} */
  const questions = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.type());
    void dialog.accept();
  });
  await page.getByLabel("Title", { exact: true }).fill("Entered");
  await page.getByLabel("Color 1", { exact: true }).press("Enter");
  await page.getByText("The theme is saved.").waitFor();
  assert.equal((await callApi(page, "GET", "/orgs/acme/themes/typed")).title, "Entered");
  await page.reload();
  assert.deepEqual(questions, [], "nothing is unsaved");

  await page.getByLabel("Title", { exact: true }).fill("Lost");
  // This address shows no notice about the save before.
  await page.goto("/orgs/acme/themes/typed");
  assert.deepEqual(questions, ["beforeunload"]);
  await page.getByLabel("Title", { exact: true }).fill("Kept");
  await page.waitForTimeout(800);
  await page.context().clearCookies();
  // A preview of typed values opens no dialog.
  await page.getByLabel("Title", { exact: true }).fill("Kept once more");
  await page.getByText("You are signed out. Sign in, then save again here.").waitFor();
  assert.equal(await page.locator("dialog[open]").count(), 0);
  await page.getByLabel("Title", { exact: true }).fill("Kept");
  await page.getByRole("button", { name: "Save the theme" }).click();
  await page.locator("dialog.sign-in").waitFor();
  assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "Kept");
  await signInOverPage(page, "bea");
  await page.getByText("The theme is saved.").waitFor();
  assert.equal((await callApi(page, "GET", "/orgs/acme/themes/typed")).title, "Kept");
  await callApi(page, "DELETE", "/orgs/acme/themes/typed");
  await page.context().close();
});

test("the pages work without scripts", async () => {
  const page = await openAs("bea", { javaScriptEnabled: false });
  await page.goto("/orgs/acme/assets");
  await page.getByLabel("Images or fonts").setInputFiles([
    { name: "plain.svg", mimeType: "image/svg+xml", buffer: Buffer.from(LOGO_SVG) },
    { name: "bad.txt", mimeType: "text/plain", buffer: Buffer.from("x") },
  ]);
  await page.getByRole("button", { name: "Upload" }).click();
  await page.getByText("1 file is not stored:").waitFor();
  await page.getByText("1 file is stored.").waitFor();
  await page.getByRole("link", { name: "Themes" }).click();
  await page.getByRole("link", { name: "New theme" }).click();
  await page.getByLabel("Title", { exact: true }).fill("Plain");
  await page.getByLabel("Logo", { exact: true }).selectOption("plain.svg");
  await page.getByRole("button", { name: "Take colors from the logo" }).click();
  await page.getByText("2 colors of plain.svg are now the first of the list.").waitFor();
  await page.getByLabel("Color 1", { exact: true }).fill("#0b5394");
  await page.getByRole("button", { name: "Preview" }).click();
  assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "Plain");
  assert.equal(await page.locator("#preview-content img").count(), 6);
  await page.getByRole("button", { name: "Create the theme" }).click();
  await page.getByText("The theme is created.").waitFor();
  await page.getByRole("link", { name: "Delete the theme…" }).click();
  await page.getByText("Documents that use the theme stay").waitFor();
  await page.getByRole("button", { name: "Delete the theme" }).click();
  await page.getByText("The theme is deleted.").waitFor();
  assertNoErrors(page);
  await page.context().close();
});

test("members see themes and files, and a suspended organization cannot be changed", async () => {
  const ben = await openAs("ben");
  for (const path of ["themes", "assets"]) {
    await ben.goto(`/orgs/acme/${path}`);
    assert.equal(await ben.getByRole("main").getByRole("button").count(), 0);
    await check(ben, `${path}-member`);
  }
  await ben.context().close();
  await runCommand(server.dataDirectory, ["org", "suspend", "acme"]);
  const page = await openAs("bea");
  for (const path of ["themes", "assets", "themes/lettered"]) {
    await page.goto(`/orgs/acme/${path}`);
    await page.getByText("This organization is suspended because of a payment issue.").waitFor();
    await check(page, `${path.replace("/", "-")}-suspended`);
  }
  assert.ok(await page.getByRole("button", { name: "Save the theme" }).isDisabled());
  assertNoErrors(page);
  await page.context().close();
});

await runTests(async () => {
  await chromium.close();
  await server.remove();
});
