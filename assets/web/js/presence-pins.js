// @ts-check
/** Pins that show for a few seconds where another person has changed something. */

import { h } from "./core.js";
import { isEqualJson } from "./json-merge.js";
import { buildAvatarUrl, findPersonName } from "./presence.js";
import { getText } from "./texts.js";

/** Time in milliseconds for which a pin is visible. */
const PIN_TIME_MS = 6000;
/** Maximum number of pins for one change, such as a pasted table. */
const MAX_PINS = 12;

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {import("./json-merge.js").Key} Key */

/** Panels of the editor that show a member of the content or of its style. */
const PANELS = { settings: "settings", plugin_id: "settings", title: "text", theme: "style", custom_theme: "style" };
const STYLE_PANELS = { annotations: "notes", subtitle: "text", footer: "text", description: "text", no_title: "text", no_footnote: "text", no_branding: "text" };

/** Whether a value is an object or an array. @param {any} value */
const hasMembers = (value) => typeof value === "object" && value !== null;

/**
 * Lists the paths at which two JSON values differ, as deep as possible. An array with another length counts as one value,
 * except the rows of the data, of which the different ones at the same index count.
 * @param {any} before
 * @param {any} after
 * @param {Key[]} [path]
 * @returns {Key[][]}
 */
export function listChangedPaths(before, after, path = []) {
  if (isEqualJson(before, after)) return [];
  const isData = path.length === 1 && path[0] === "data";
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length && !isData) return [path];
    const changed = after.flatMap((value, index) => listChangedPaths(before[index], value, [...path, index]));
    // Only rows at the end were removed.
    return changed.length ? changed : [path];
  }
  if (!hasMembers(before) || !hasMembers(after) || Array.isArray(before) || Array.isArray(after)) return [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => listChangedPaths(before[key], after[key], [...path, key]));
}

/** Creates a pin with the avatar of a person. It removes itself. @param {string} author account id; empty for a guest */
function createPin(author) {
  const label = getText("presence.changedBy", { name: findPersonName(author) });
  const avatar = author === "" ? h("span", { class: "presence-guest" }, "?") : h("img", { src: buildAvatarUrl(author), width: 20, height: 20, alt: "" });
  const pin = h("span", { class: "presence-pin", title: label, "aria-hidden": true }, avatar);
  setTimeout(() => pin.remove(), PIN_TIME_MS);
  return pin;
}

/** Adds a pin to an element, in place of an earlier one. @param {Element} place @param {string} author */
function pinElement(place, author) {
  place.querySelector(":scope > .presence-pin")?.remove();
  place.classList.add("presence-place");
  place.append(createPin(author));
}

/**
 * Returns the element of the open panel that shows a value, or null.
 * @param {Key[]} path
 * @returns {Element | null}
 */
function findControl(path) {
  const panel = document.querySelector("#panel");
  if (!panel) return null;
  const [first, ...rest] = path;
  if (first === "settings") {
    // The row of the setting, or of the setting that contains it.
    for (let parts = rest; parts.length > 0; parts = parts.slice(0, -1)) {
      const key = parts.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("").slice(1);
      const row = /** @type {HTMLElement | null} */ (panel.querySelector(`[data-path="${CSS.escape(key)}"]`));
      if (row?.offsetParent) return row;
    }
    return null;
  }
  if (first === "style" && rest[0] === "annotations") return panel.querySelectorAll(".notes > .note")[Number(rest[1])] ?? null;
  const names = [path.join("."), String(path.at(-1))];
  const field = names.map((name) => panel.querySelector(`[name="${CSS.escape(name)}"]`)).find(Boolean);
  return field?.closest(".theme-choices, .field") ?? null;
}

/**
 * Shows a pin at a changed value: at its cell, at its control, or at the button of the panel that has the control.
 * @param {Key[]} path
 * @param {string} author
 * @param {any} grid
 */
function pinPath(path, author, grid) {
  const [first, second, third] = path;
  if (first === "data") {
    const column = grid.columns.findIndex((/** @type {{ key: string }} */ { key }) => key === third);
    if (typeof second === "number" && grid.view && second < grid.rowCount) pinCell(grid, second, Math.max(0, column), author);
    return;
  }
  const control = findControl(path);
  if (control) return pinElement(control, author);
  const name = first === "style" ? (STYLE_PANELS[/** @type {keyof typeof STYLE_PANELS} */ (second)] ?? "style") : PANELS[/** @type {keyof typeof PANELS} */ (first)];
  const button = name && document.querySelector(`#tool-${name}`);
  if (button) pinElement(button, author);
}

/**
 * Shows a frame around a cell of the grid, with a pin. Both scroll with the cell.
 * @param {any} grid
 * @param {number} row
 * @param {number} column
 * @param {string} author
 */
function pinCell(grid, row, column, author) {
  const frame = h("div", { class: "presence-cell" }, createPin(author));
  grid.view.placeBox(frame, { top: row, bottom: row, left: column, right: column });
  grid.view.overlay.append(frame);
  setTimeout(() => frame.remove(), PIN_TIME_MS);
}

/**
 * Shows where another person has changed the content.
 * @param {Content} before
 * @param {Content} after
 * @param {string} author account id; empty for a guest
 * @param {any} grid
 */
export function showChangePins(before, after, author, grid) {
  const paths = listChangedPaths(before, after);
  // The grid and the form show the new content first.
  requestAnimationFrame(() => paths.slice(0, MAX_PINS).forEach((path) => pinPath(path, author, grid)));
}
