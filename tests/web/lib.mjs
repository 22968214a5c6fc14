// Helpers of the browser tests: they start the program, a mail server and a browser, and check pages.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const testFolder = dirname(fileURLToPath(import.meta.url));
const repositoryFolder = join(testFolder, "../..");
const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Paths of Chromium in common Linux distributions. The first one has no windows and needs a third less processor time. */
const BROWSER_PATHS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Folder for screenshots of the pages. Without it no screenshots are made. */
const SCREENSHOT_FOLDER = process.env.SCREENSHOTS;

/** Returns the folder of the builds. */
const findTarget = () => process.env.CARGO_TARGET_DIR ?? join(repositoryFolder, "target");

/** Returns the path of the program under test: `CHARTROOM`, or the debug build. */
export function findProgram() {
  const path = process.env.CHARTROOM ?? join(findTarget(), "x86_64-unknown-linux-gnu/debug/chartroom");
  assert.ok(existsSync(path), `${path} does not exist; run cargo build first`);
  return path;
}

/** Child processes, which are ended after the last test, because a failed test may not end its own. */
const childProcesses = new Set();

/** Runs a command of the program on a data directory. @returns {Promise<string>} standard output */
export function runCommand(dataDirectory, args, input = "") {
  return new Promise((resolve, reject) => {
    const child = spawn(findProgram(), ["--data-dir", dataDirectory, ...args], { stdio: ["pipe", "pipe", "pipe"] });
    let [output, errorOutput] = ["", ""];
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (errorOutput += text));
    child.once("exit", (code) => (code === 0 ? resolve(output) : reject(new Error(`${args.join(" ")}: ${errorOutput}`))));
    child.stdin.end(input);
  });
}

/**
 * Starts the server and waits until it listens. With `demo` it has sample accounts and charts. Otherwise
 * it uses `directory`, or an empty data directory. `welcome` is the JSON line that it prints at the start.
 * @param {{ demo?: boolean, env?: Record<string, string>, args?: string[], directory?: string, listen?: string }} [options]
 */
export async function startServer({ demo = true, env = {}, args = [], directory, listen = "127.0.0.1:0" } = {}) {
  const workFolder = await mkdtemp(join(tmpdir(), "chartroom-web-"));
  const dataDirectory = directory ?? join(workFolder, "data");
  const dataArgs = demo ? ["--demo"] : ["--data-dir", dataDirectory];
  const commandArgs = demo ? ["serve", ...dataArgs] : [...dataArgs, "serve"];
  const child = spawn(findProgram(), [...commandArgs, "--json", "--listen", listen, ...args], {
    env: { ...process.env, TMPDIR: workFolder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  childProcesses.add(child);
  let log = "";
  child.stderr.on("data", (text) => (log += text));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const lines = createInterface({ input: child.stdout });
  const welcome = await Promise.race([
    new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        try {
          resolve(JSON.parse(line));
        } catch {
          reject(new Error(`not JSON: ${line}`));
        }
      });
    }),
    exited.then(() => {
      throw new Error(`the server ended: ${log}`);
    }),
  ]);
  return {
    welcome,
    dataDirectory,
    baseUrl: welcome.url ?? welcome.base_url ?? welcome.address,
    process: child,
    log: () => log,
    /** Ends the server. Its data stay, so that another server can use them. */
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
    /** Ends the server and deletes its data, unless they are in `directory`. */
    async remove() {
      await this.stop();
      await rm(workFolder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts the stand-in of a provider of cloud storage. `send` runs a command and returns its result, `settings` are the
 * variables by which a server finds it.
 * @param {string} provider its name in the API
 */
export async function startStandIn(provider) {
  const child = spawn(join(findTarget(), "x86_64-unknown-linux-gnu/debug/stand_in"), [provider], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => JSON.parse((await lines.next()).value);
  const { client_id, client_secret, auth_url, token_url, api_url, content_url } = await read();
  const name = provider.toUpperCase();
  const settings = { CLIENT_ID: client_id, CLIENT_SECRET: client_secret, AUTH_URL: auth_url, TOKEN_URL: token_url, API_URL: api_url };
  /** @type {Record<string, Record<string, string>>} */
  const ofProvider = { BOX: { UPLOAD_URL: content_url }, DROPBOX: { CONTENT_URL: content_url }, GOOGLEDRIVE: { UPLOAD_URL: content_url, SCOPE: "full" } };
  const send = async (/** @type {Record<string, unknown>} */ command) => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    return read();
  };
  const named = Object.entries({ ...settings, ...ofProvider[name] }).map(([key, value]) => [`CHARTROOM_${name}_${key}`, value]);
  return { send, settings: Object.fromEntries(named), stop: () => child.stdin.end() };
}

/** Returns a port that is free at the moment. @returns {Promise<number>} */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** Whether a server listens on a local port. @param {number} port @returns {Promise<boolean>} */
function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket.destroy() !== null));
    socket.once("error", () => resolve(false));
  });
}

/**
 * Starts a DNS server over UDP that knows the TXT records in `records` (RFC 1035).
 * @returns {Promise<{ address: string, records: Map<string, string[]>, stop: () => void }>}
 */
export async function startNameServer() {
  const TXT = 16;
  const [records, socket] = [/** @type {Map<string, string[]>} */ (new Map()), createSocket("udp4")];
  socket.on("message", (query, peer) => {
    const labels = [];
    let end = 12;
    while (query[end] > 0) {
      labels.push(query.toString("latin1", end + 1, end + 1 + query[end]));
      end += query[end] + 1;
    }
    const texts = query.readUInt16BE(end + 1) === TXT ? (records.get(labels.join(".").toLowerCase()) ?? []) : [];
    const header = Buffer.from([query[0], query[1], 0x85, 0x80, 0, 1, 0, texts.length, 0, 0, 0, 0]);
    // Each answer refers to the name in the question, with class IN and no lifetime.
    const answers = texts.map((text) => Buffer.concat([Buffer.from([0xc0, 12, 0, TXT, 0, 1, 0, 0, 0, 0, 0, text.length + 1, text.length]), Buffer.from(text)]));
    socket.send(Buffer.concat([header, query.subarray(12, end + 5), ...answers]), peer.port, peer.address);
  });
  await new Promise((resolve) => socket.bind(0, "127.0.0.1", () => resolve(undefined)));
  return { address: `127.0.0.1:${socket.address().port}`, records, stop: () => socket.close() };
}

/**
 * Starts the mail server aiosmtpd. `env` makes the server under test use it. `nextMail` waits for the next
 * mail, at most 20 s.
 * @returns {Promise<{ env: Record<string, string>, nextMail: () => Promise<Mail>, stop: () => Promise<void> }>}
 */
export async function startMailServer() {
  const port = await findFreePort();
  const args = ["-n", "-l", `127.0.0.1:${port}`, "-c", "mail_server.Letterbox", "stdout"];
  const env = { ...process.env, PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: join(repositoryFolder, "tests/it/cli") };
  const child = spawn("aiosmtpd", args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.once("error", (error) => console.log(`aiosmtpd: ${error.message} (apt-get install python3-aiosmtpd)`));
  childProcesses.add(child);
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    assert.ok(child.pid && child.exitCode === null && tries < 600, "the mail server did not start");
    await wait(50);
  }
  let position = 0;
  return {
    env: { CHARTROOM_SMTP_HOST: "127.0.0.1", CHARTROOM_SMTP_PORT: String(port), CHARTROOM_SMTP_TLS: "none" },
    async nextMail() {
      for (let tries = 0; tries < 400; tries += 1) {
        const end = output.indexOf("END MESSAGE", position);
        if (end >= 0) {
          const begin = output.indexOf("\n", output.indexOf("MESSAGE FOLLOWS", position)) + 1;
          const text = output.slice(begin, output.lastIndexOf("\n", end));
          position = end + "END MESSAGE".length;
          return parseMail(text);
        }
        await wait(50);
      }
      throw new Error(`no mail came within 20 s: ${output.slice(position)}`);
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill();
      await exited;
    },
  };
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @typedef {{ to: string, subject: string, text: string, html: string }} Mail */

/** Parses a multipart mail (RFC 2045 to 2047, as far as the server uses them). @param {string} raw @returns {Mail} */
function parseMail(raw) {
  const [head, ...rest] = raw.split("\n\n");
  const headers = head.replace(/\n[ \t]+/g, " ");
  const getHeader = (/** @type {string} */ name, text = headers) => new RegExp(`^${name}: *(.*)$`, "im").exec(text)?.[1].trim() ?? "";
  const decodeQuotedPrintable = (/** @type {string} */ text) => text.replace(/=\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const decodeText = (/** @type {string} */ text, /** @type {string} */ encoding) =>
    Buffer.from(/^b/i.test(encoding) ? Buffer.from(text, "base64").toString("latin1") : decodeQuotedPrintable(text), "latin1").toString("utf8");
  const decodeHeader = (/** @type {string} */ text) =>
    text.replace(/\?= +=\?/g, "?==?").replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, encoding, word) => decodeText(encoding.toLowerCase() === "q" ? word.replace(/_/g, " ") : word, encoding));
  const boundary = /boundary="(.*?)"/.exec(headers)?.[1] ?? "";
  const parts = rest.join("\n\n").split(`--${boundary}`);
  const getPart = (/** @type {string} */ type) => {
    const part = parts.find((candidate) => getHeader("Content-Type", candidate).startsWith(type)) ?? "";
    const encoding = getHeader("Content-Transfer-Encoding", part);
    const body = part.slice(part.indexOf("\n\n") + 2);
    return /^(base64|quoted)/i.test(encoding) ? decodeText(body, encoding) : body;
  };
  return { to: getHeader("To"), subject: decodeHeader(getHeader("Subject")), text: getPart("text/plain"), html: getPart("text/html") };
}

/** Starts Chromium without background requests and without a proxy. @param {string[]} [args] further arguments */
export async function launchBrowser(args = []) {
  const executablePath = process.env.CHROMIUM ?? BROWSER_PATHS.find((path) => existsSync(path));
  assert.ok(executablePath, "no Chromium is installed: apt-get install chromium-headless-shell");
  return chromium.launch({
    executablePath,
    // Without hinting, texts are as wide as in a browser with windows.
    args: ["--font-render-hinting=none", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server", ...args],
  });
}

/**
 * Opens a page in a new browser context, which shares no cookies with others. `assertNoErrors` reports
 * its errors.
 * @param {import("playwright-core").Browser} browser
 * @param {{ baseUrl: string }} server
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openPage(browser, server, options = {}) {
  const context = await browser.newContext({ baseURL: server.baseUrl, viewport: { width: 1440, height: 900 }, locale: "en-GB", timezoneId: "Europe/Vienna", reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  recordErrors(page);
  return page;
}

/** Recorded errors by page. */
const errorsByPage = new WeakMap();

/** Records script errors, violations of the content security policy, requests to other hosts and unguarded changes. */
export function recordErrors(page) {
  const errors = [];
  errorsByPage.set(page, errors);
  page.on("pageerror", (error) => errors.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // Tests provoke responses with 4xx.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) errors.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") errors.push(`request to ${hostname}`);
    if (isUnguardedChange(request)) errors.push(`${request.method()} without If-Match: ${request.url()}`);
  });
}

/** Whether a page sends a change of a document or folder without `If-Match`. */
function isUnguardedChange(request) {
  const { accept, "if-match": entityTag } = request.headers();
  // Requests of `callApi` accept every media type.
  if (entityTag || accept !== "application/json") return false;
  const [, subpath = ""] = /^\/api\/v1\/users\/[^/]+\/(?:documents\/[^/]+|folders)(\/.*)?$/.exec(new URL(request.url()).pathname) ?? [null];
  const isNode = /^\/api\/v1\/users\/[^/]+\/(documents|folders)\//.test(new URL(request.url()).pathname);
  // A thread and the name of a version are not the document. A PUT with an empty object creates a folder.
  if (!isNode || /^\/(comments|history\/\d+$)/.test(subpath)) return false;
  const body = request.postData() ?? "";
  if (request.method() === "POST") return /\/(move|restore)$/.test(subpath) || /"action":"restore"/.test(body);
  return ["PUT", "PATCH", "DELETE"].includes(request.method()) && body !== "{}";
}

/** Fails if the page had errors. */
export function assertNoErrors(page) {
  assert.deepEqual(errorsByPage.get(page) ?? [], []);
}

/** Signs in with a password on the sign-in page. */
export async function signIn(page, { email, password }) {
  await page.goto("/sign-in?password");
  await page.getByLabel("E-mail or username").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}

/** Sends an API request with the session of the page. Returns the JSON of the response. */
export async function callApi(page, method, path, body) {
  return page.evaluate(
    async ([method, path, body]) => {
      const headers = body === undefined ? {} : { "Content-Type": "application/json" };
      const response = await fetch(`/api/v1${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text ? JSON.parse(text) : null;
    },
    [method, path, body],
  );
}

/**
 * Fails if axe finds violations in light or dark mode. Saves screenshots of both if `SCREENSHOTS` is set.
 * @param {import("playwright-core").Page} page
 * @param {string} name file name prefix of the screenshots
 */
export async function assertAccessible(page, name) {
  const isLoaded = await page.evaluate(() => "axe" in window);
  // The content security policy of the pages forbids a script element.
  if (!isLoaded) await page.evaluate((await import("node:fs")).readFileSync(axePath, "utf8"));
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() => window["axe"].run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    const messages = violations.map((violation) => `${violation.id}: ${violation.help}\n  ${violation.nodes.map((node) => `${node.target} ${node.failureSummary}`).join("\n  ")}`);
    assert.equal(messages.length, 0, `${name}, ${colorScheme}:\n${messages.join("\n")}`);
    if (SCREENSHOT_FOLDER) await saveScreenshots(page, SCREENSHOT_FOLDER, name, colorScheme);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
}

/** Saves a screenshot, and for a wide window also one with the width of a phone. */
async function saveScreenshots(page, folder, name, colorScheme) {
  await mkdir(folder, { recursive: true });
  const size = page.viewportSize();
  const saveScreenshot = (width) => page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
  await saveScreenshot(size?.width);
  if (size?.width !== 1440) return;
  await page.setViewportSize({ width: 390, height: 844 });
  await saveScreenshot(390);
  await page.setViewportSize(size);
}

/** Checks accessibility and scroll width at the size of a phone. @param {import("playwright-core").Page} page @param {string} name */
export async function assertAccessibleOnPhone(page, name) {
  const previousSize = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  try {
    await assertAccessible(page, name);
    await assertNoHorizontalScroll(page);
  } finally {
    if (previousSize) await page.setViewportSize(previousSize);
  }
}

/** Fails if the page scrolls horizontally. */
export async function assertNoHorizontalScroll(page) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} px wider than its window`);
}

/** Rejects if the promise takes longer, so that a test cannot hang. */
async function runWithTimeout(promise, milliseconds) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Time in milliseconds in which a file of tests ends after its result. */
const EXIT_TIME_MS = 5000;

const tests = [];

/** Adds a test. Tests run one after the other, in this order. @param {string} name @param {() => Promise<void>} run */
export function test(name, run) {
  tests.push({ name, run });
}

/**
 * Runs the tests of a file and prints a line for each. The first command line argument selects tests by name.
 * @param {() => Promise<void>} [cleanUp] runs after the last test
 */
export async function runTests(cleanUp) {
  const filter = process.argv[2] ?? "";
  let failed = 0;
  let passed = 0;
  for (const { name, run } of tests.filter((candidate) => candidate.name.includes(filter))) {
    const start = performance.now();
    try {
      await runWithTimeout(run(), 180_000);
      passed += 1;
      console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n${error.stack ?? error}`);
    }
  }
  await cleanUp?.();
  for (const child of childProcesses) child.kill();
  console.log(`result: ${passed} passed, ${failed} failed`);
  process.exitCode = failed || !passed ? 1 : 0;
  // A failed test can leave a server open, for which the process would wait forever.
  setTimeout(() => process.exit(), EXIT_TIME_MS).unref();
}
