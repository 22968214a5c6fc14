// Starts SimpleSAMLphp as an identity provider, with the built-in web server of PHP.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { findFreePort } from "./lib.mjs";

/** Folder of the unpacked Debian package `simplesamlphp`. */
const PACKAGE_FOLDER = process.env.SIMPLESAMLPHP;

/** Password of all people at the identity provider. */
export const PROVIDER_PASSWORD = "provider password";

/** Returns a PHP array literal. @param {unknown} value @returns {string} */
function toPhp(value) {
  if (Array.isArray(value)) return `[${value.map(toPhp).join(", ")}]`;
  if (value !== null && typeof value === "object") return `[${Object.entries(value).map(([key, entry]) => `${toPhp(key)} => ${toPhp(entry)}`).join(", ")}]`;
  return typeof value === "string" ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'` : String(value);
}

/**
 * Starts the identity provider for a service. `people` have a user name and attributes.
 * @param {{ service: string, people: Record<string, Record<string, string>> }} options `service` is the base URL
 */
export async function startIdentityProvider({ service, people }) {
  assert.ok(PACKAGE_FOLDER && existsSync(PACKAGE_FOLDER), "SIMPLESAMLPHP must name the folder of the unpacked package simplesamlphp");
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "chartroom-idp-"));
  for (const name of ["config", "metadata", "cert", "log", "data", "sessions"]) await mkdir(join(folder, name));
  const subject = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=idp.example"];
  await promisify(execFile)("openssl", [...subject, "-keyout", join(folder, "cert/idp.key"), "-out", join(folder, "cert/idp.crt")]);
  const config = {
    baseurlpath: `${baseUrl}/`,
    certdir: `${folder}/cert/`,
    loggingdir: `${folder}/log/`,
    datadir: `${folder}/data/`,
    tempdir: `${folder}/data/`,
    secretsalt: "only for tests",
    "auth.adminpassword": "only for tests",
    timezone: "UTC",
    "logging.handler": "file",
    "enable.saml20-idp": true,
    "module.enable": { exampleauth: true, core: true, saml: true },
    "session.phpsession.savepath": `${folder}/sessions`,
    "session.cookie.secure": false,
    "store.type": "phpsession",
    "metadatadir": `${folder}/metadata/`,
    "metadata.sources": [{ type: "flatfile" }],
    "language.available": ["en"],
  };
  const users = Object.fromEntries(Object.entries(people).map(([name, attributes]) => [`${name}:${PROVIDER_PASSWORD}`, attributes]));
  const entityId = `${baseUrl}/metadata`;
  const hosted = {
    host: "__DEFAULT__",
    privatekey: "idp.key",
    certificate: "idp.crt",
    auth: "people",
    "signature.algorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "sign.authnrequest": true,
    "redirect.validate": true,
  };
  const metadata = await (await fetch(`${service}/sso/saml2`)).text();
  const certificate = metadata.match(/<ds:X509Certificate>([^<]+)</)?.[1];
  const remote = {
    AssertionConsumerService: `${service}/sso/saml2`,
    NameIDFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    "simplesaml.nameidattribute": "uid",
    "validate.authnrequest": true,
    certData: certificate,
  };
  await writeFile(join(folder, "config/config.php"), `<?php $config = ${toPhp(config)};`);
  await writeFile(join(folder, "config/authsources.php"), `<?php $config = ${toPhp({ people: { 0: "exampleauth:UserPass", ...users } }).replace("'0' =>", "0 =>")};`);
  await writeFile(join(folder, "metadata/saml20-idp-hosted.php"), `<?php $metadata[${toPhp(entityId)}] = ${toPhp(hosted)};`);
  await writeFile(join(folder, "metadata/saml20-sp-remote.php"), `<?php $metadata[${toPhp(service)}] = ${toPhp(remote)};`);
  const child = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", join(PACKAGE_FOLDER, "usr/share/simplesamlphp/www")], {
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: join(folder, "config"), PHP_CLI_SERVER_WORKERS: "2" },
    stdio: ["ignore", "ignore", "pipe"],
    // A group of its own, because the workers do not end with their parent.
    detached: true,
  });
  let log = "";
  child.stderr.on("data", (text) => (log += text));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const signInUrl = `${baseUrl}/saml2/idp/SSOService.php`;
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`${baseUrl}/saml2/idp/metadata.php`).catch(() => undefined);
    if (response?.ok) break;
    assert.ok(attempt < 100 && child.exitCode === null, `the identity provider did not start: ${response?.status} ${log}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    entityId,
    signInUrl,
    certificate: await readFile(join(folder, "cert/idp.crt"), "utf8"),
    /** URL at which a person begins a sign-in at the identity provider. */
    startUrl: `${signInUrl}?spentityid=${encodeURIComponent(service)}`,
    log: () => log,
    async stop() {
      if (child.pid) process.kill(-child.pid);
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
