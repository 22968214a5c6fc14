// @ts-check
/** Used and available storage in the account menu: of the user, and of organizations with the role `admin`. */

import { encodePath, get } from "./api.js";
import { h } from "./core.js";
import { PAGE_LANGUAGE, getText } from "./texts.js";

/** @typedef {{ storage_used_bytes: number, storage_limit_bytes: number | null }} Usage */

/** Binary units above bytes, as in the error messages of the server. */
const UNITS = ["KiB", "MiB", "GiB", "TiB"];

/** Format of sizes. */
const SIZE_FORMAT = new Intl.NumberFormat(PAGE_LANGUAGE, { maximumFractionDigits: 1, useGrouping: false });

/** Fraction of the limit above which the bar has the color of a warning. */
const WARNING_FRACTION = 0.9;

/** Formats a size with at most one decimal, rounded down. @param {number} bytes */
export function formatBytes(bytes) {
  let [value, unit] = [bytes, ""];
  for (const larger of UNITS) {
    if (value < 1024) break;
    [value, unit] = [value / 1024, larger];
  }
  const size = SIZE_FORMAT.format(Math.floor(value * 10) / 10);
  return unit ? `${size} ${unit}` : getText("ui.bytes", { size, count: value });
}

/** Renders one line with a bar if there is a limit. @param {string} name @param {Usage} usage */
function renderUsage(name, { storage_used_bytes: used, storage_limit_bytes: limit }) {
  const text = limit === null ? getText("ui.storageUsed", { used: formatBytes(used) }) : getText("ui.storageUsedOf", { used: formatBytes(used), limit: formatBytes(limit) });
  const bar = limit !== null && h("meter", { min: 0, max: limit, high: limit * WARNING_FRACTION, optimum: 0, value: used, "aria-label": name });
  return h("div", { class: "usage" }, h("p", null, h("span", { class: "grow" }, name), h("span", { class: "muted" }, text)), bar);
}

/** Loads the usage and shows it in the container. Keeps the content if the server cannot be reached. @param {HTMLElement} container */
async function showUsage(container) {
  const { data: user } = await get("/user", { isBackground: true });
  const administered = user.orgs.filter((/** @type {{ role: string }} */ org) => org.role === "admin");
  const orgs = await Promise.all(administered.map((/** @type {{ id: string }} */ org) => get(encodePath`/orgs/${org.id}`, { isBackground: true })));
  container.replaceChildren(renderUsage(getText("ui.yourStorage"), user), ...orgs.map(({ data }) => renderUsage(data.name, data)));
}

/** Shows the current usage in the container each time the menu opens. @param {HTMLElement} menu @param {HTMLElement} container */
export function attachStorageUsage(menu, container) {
  menu.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === "open") showUsage(container).catch(() => {});
  });
}
