// What the tests of the pages share: the real program with its sample data, and a real browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Where Debian and others put it. */
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Folder for pictures of the pages; none are made without it. */
const SHOTS = process.env.SCREENSHOTS;

/** The program under test. */
export function program() {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
  const found = process.env.CHARTROOM ?? join(target, "x86_64-unknown-linux-gnu/debug/chartroom");
  assert.ok(existsSync(found), `${found} is not there: cargo build first`);
  return found;
}

/** Programs that a test started: one that fails may leave them. */
const started = new Set();

/** Runs a command of the program on a data directory. @returns {Promise<string>} what it printed */
export function command(data, words, input = "") {
  return new Promise((done, fail) => {
    const child = spawn(program(), ["--data-dir", data, ...words], { stdio: ["pipe", "pipe", "pipe"] });
    let [said, wrong] = ["", ""];
    child.stdout.on("data", (text) => (said += text));
    child.stderr.on("data", (text) => (wrong += text));
    child.once("exit", (code) => (code === 0 ? done(said) : fail(new Error(`${words.join(" ")}: ${wrong}`))));
    child.stdin.end(input);
  });
}

/**
 * Starts the program. With `demo` it has sample people and charts; else it is empty, in a data
 * directory of its own.
 * @param {{ demo?: boolean, env?: Record<string, string>, args?: string[], directory?: string, listen?: string }} [options]
 */
export async function serve({ demo = true, env = {}, args = [], directory, listen = "127.0.0.1:0" } = {}) {
  const work = await mkdtemp(join(tmpdir(), "chartroom-web-"));
  const data = directory ?? join(work, "data");
  const place = demo ? ["--demo"] : ["--data-dir", data];
  const words = demo ? ["serve", ...place] : [...place, "serve"];
  const child = spawn(program(), [...words, "--json", "--listen", listen, ...args], {
    env: { ...process.env, TMPDIR: work, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let log = "";
  child.stderr.on("data", (text) => (log += text));
  const ended = new Promise((done) => child.once("exit", done));
  const lines = createInterface({ input: child.stdout });
  const welcome = await Promise.race([
    new Promise((done, fail) => {
      lines.on("line", (line) => {
        try {
          done(JSON.parse(line));
        } catch {
          fail(new Error(`not JSON: ${line}`));
        }
      });
    }),
    ended.then(() => {
      throw new Error(`the server ended: ${log}`);
    }),
  ]);
  return {
    welcome,
    data,
    base: welcome.url ?? welcome.base_url ?? welcome.address,
    process: child,
    log: () => log,
    /** Ends it. Its data stay for another start unless it made them itself. */
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
    async remove() {
      await this.stop();
      await rm(work, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. @returns {Promise<number>} */
function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => done(port));
    });
  });
}

/** Whether something takes connections there. @param {number} port @returns {Promise<boolean>} */
function listens(port) {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => done(socket.destroy() !== null));
    socket.once("error", () => done(false));
  });
}

/**
 * A real mail server, aiosmtpd: what it takes can be read; `env` has the server under test use it.
 * @returns {Promise<{ env: Record<string, string>, next: () => Promise<Mail>, stop: () => Promise<void> }>}
 */
export async function mailServer() {
  const port = await freePort();
  const words = ["-n", "-l", `127.0.0.1:${port}`, "-c", "mail_server.Letterbox", "stdout"];
  const env = { ...process.env, PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: join(root, "tests/it/cli") };
  const child = spawn("aiosmtpd", words, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => child.once("exit", done));
  child.once("error", (error) => console.log(`aiosmtpd: ${error.message} (apt-get install python3-aiosmtpd)`));
  started.add(child);
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  for (let tries = 0; !(await listens(port)); tries += 1) {
    assert.ok(child.pid && child.exitCode === null && tries < 600, "the mail server did not start");
    await pause(50);
  }
  let read = 0;
  return {
    env: { CHARTROOM_SMTP_HOST: "127.0.0.1", CHARTROOM_SMTP_PORT: String(port), CHARTROOM_SMTP_TLS: "none" },
    async next() {
      for (let tries = 0; tries < 400; tries += 1) {
        const end = said.indexOf("END MESSAGE", read);
        if (end >= 0) {
          const begin = said.indexOf("\n", said.indexOf("MESSAGE FOLLOWS", read)) + 1;
          const text = said.slice(begin, said.lastIndexOf("\n", end));
          read = end + "END MESSAGE".length;
          return letter(text);
        }
        await pause(50);
      }
      throw new Error(`no mail came within 20 s: ${said.slice(read)}`);
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill();
      await ended;
    },
  };
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** @typedef {{ to: string, subject: string, text: string, html: string }} Mail */

/** What a mail says (RFC 2045 to 2047, as far as ours go). @param {string} raw @returns {Mail} */
function letter(raw) {
  const [head, ...rest] = raw.split("\n\n");
  const headers = head.replace(/\n[ \t]+/g, " ");
  const field = (/** @type {string} */ name, within = headers) => new RegExp(`^${name}: *(.*)$`, "im").exec(within)?.[1].trim() ?? "";
  const bytes = (/** @type {string} */ text) => text.replace(/=\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const decoded = (/** @type {string} */ text, /** @type {string} */ how) =>
    Buffer.from(/^b/i.test(how) ? Buffer.from(text, "base64").toString("latin1") : bytes(text), "latin1").toString("utf8");
  const words = (/** @type {string} */ text) =>
    text.replace(/\?= +=\?/g, "?==?").replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, how, word) => decoded(how.toLowerCase() === "q" ? word.replace(/_/g, " ") : word, how));
  const boundary = /boundary="(.*?)"/.exec(headers)?.[1] ?? "";
  const parts = rest.join("\n\n").split(`--${boundary}`);
  const part = (/** @type {string} */ type) => {
    const found = parts.find((it) => field("Content-Type", it).startsWith(type)) ?? "";
    const how = field("Content-Transfer-Encoding", found);
    const body = found.slice(found.indexOf("\n\n") + 2);
    return /^(base64|quoted)/i.test(how) ? decoded(body, how) : body;
  };
  return { to: field("To"), subject: words(field("Subject")), text: part("text/plain"), html: part("text/html") };
}

/** A browser that reaches nothing but this machine. */
export async function browser() {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((it) => existsSync(it));
  assert.ok(executablePath, "no Chromium is installed: apt-get install chromium");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server"],
  });
}

/**
 * A window of its own: no cookie of another. Faults of the page fail the test at its end.
 * @param {import("playwright-core").Browser} browser
 * @param {{ base: string }} server
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function visit(browser, server, options = {}) {
  const context = await browser.newContext({ baseURL: server.base, viewport: { width: 1440, height: 900 }, locale: "en-GB", timezoneId: "Europe/Vienna", reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  watch(page);
  return page;
}

/** What went wrong in pages, by page. */
const faults = new WeakMap();

/** Notes errors of scripts, refusals of the policy and requests to elsewhere. */
export function watch(page) {
  const list = [];
  faults.set(page, list);
  page.on("pageerror", (error) => list.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // Answers of 4xx are part of what is tested.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) list.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") list.push(`request to ${hostname}`);
    if (overwrites(request)) list.push(`${request.method()} without If-Match: ${request.url()}`);
  });
}

/** Whether the page changes a document or a folder without saying which state of it is meant. */
function overwrites(request) {
  const { accept, "if-match": tag } = request.headers();
  // Calls of the tests themselves take anything.
  if (tag || accept !== "application/json") return false;
  const [, below = ""] = /^\/api\/v1\/users\/[^/]+\/(?:documents\/[^/]+|folders)(\/.*)?$/.exec(new URL(request.url()).pathname) ?? [null];
  const isOne = /^\/api\/v1\/users\/[^/]+\/(documents|folders)\//.test(new URL(request.url()).pathname);
  // A thread, a screen and the name of a version are not the document; an empty body makes a folder.
  if (!isOne || /^\/(comments|history\/\d+$)/.test(below)) return false;
  const body = request.postData() ?? "";
  if (request.method() === "POST") return /\/(move|restore)$/.test(below) || /"action":"restore"/.test(body);
  return ["PUT", "PATCH", "DELETE"].includes(request.method()) && body !== "{}";
}

/** Fails when something went wrong in a page. */
export function unhurt(page) {
  assert.deepEqual(faults.get(page) ?? [], []);
}

/** Signs in by the page. */
export async function signIn(page, { email, password }) {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail or username").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}

/** A call of the interface with the page's own session. */
export async function call(page, method, path, body) {
  return page.evaluate(
    async ([method, path, body]) => {
      const headers = body === undefined ? {} : { "Content-Type": "application/json" };
      const answer = await fetch(`/api/v1${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text ? JSON.parse(text) : null;
    },
    [method, path, body],
  );
}

/**
 * axe finds nothing, light and dark, and a picture is made of both when wanted.
 * @param {import("playwright-core").Page} page
 * @param {string} name of the pictures
 */
export async function looksWell(page, name) {
  const injected = await page.evaluate(() => "axe" in window);
  // Not as a script element: the policy of the pages would refuse it.
  if (!injected) await page.evaluate((await import("node:fs")).readFileSync(axe, "utf8"));
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() => window["axe"].run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    const said = violations.map((it) => `${it.id}: ${it.help}\n  ${it.nodes.map((node) => `${node.target} ${node.failureSummary}`).join("\n  ")}`);
    assert.equal(said.length, 0, `${name}, ${colorScheme}:\n${said.join("\n")}`);
    if (SHOTS) await pictures(page, SHOTS, name, colorScheme);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
}

/** Pictures of a state, of one in a wide window also in a narrow one. */
async function pictures(page, folder, name, colorScheme) {
  await mkdir(folder, { recursive: true });
  const size = page.viewportSize();
  const picture = (width) => page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
  await picture(size?.width);
  if (size?.width !== 1440) return;
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(390);
  await page.setViewportSize(size);
}

/** The same on a small screen. @param {import("playwright-core").Page} page @param {string} name */
export async function looksWellSmall(page, name) {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  try {
    await looksWell(page, name);
    await fits(page);
  } finally {
    if (before) await page.setViewportSize(before);
  }
}

/** Nothing sticks out to the side. */
export async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `the page is ${over} px wider than its window`);
}

/** Fails when it takes longer, so that nothing hangs. */
async function within(work, milliseconds) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not done after ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const tests = [];

/** A test; they run one after the other, in this order. @param {string} name @param {() => Promise<void>} run */
export function test(name, run) {
  tests.push({ name, run });
}

/** Runs all tests of a file; a line each. What `clean` does happens at the end. @param {() => Promise<void>} [clean] */
export async function run(clean) {
  const wanted = process.argv[2] ?? "";
  let failed = 0;
  let passed = 0;
  for (const { name, run } of tests.filter((it) => it.name.includes(wanted))) {
    const begin = performance.now();
    try {
      await within(run(), 180_000);
      passed += 1;
      console.log(`ok   ${name} (${Math.round(performance.now() - begin)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n${error.stack ?? error}`);
    }
  }
  await clean?.();
  for (const child of started) child.kill();
  console.log(`result: ${passed} passed, ${failed} failed`);
  process.exitCode = failed || !passed ? 1 : 0;
}
