// @ts-check
/** Dialogs, menus, toasts and other components shared by all pages. */

import { ApiError } from "./api.js";
import { h } from "./core.js";
import { clockTime } from "./time.js";

/**
 * Returns the first element that matches a selector. Throws an error with the selector if there is none.
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {E}
 */
export function find(selector, within = document) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return /** @type {E} */ (found);
}

/**
 * Creates an icon from the sprite `icons.svg`. Icons are hidden from screen readers and need a text label.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const href = `${new URL("../icons.svg", import.meta.url).pathname}#${name}`;
  return h("svg:svg", { class: "icon", viewBox: "0 0 18 18", width: 18, height: 18, "aria-hidden": true }, h("svg:use", { href }));
}

/**
 * Returns an error as a sentence for the user.
 * @param {unknown} error
 * @returns {string}
 */
export function errorText(error) {
  if (!(error instanceof ApiError)) {
    console.error(error);
    return "This page ran into a fault of its own. Reload it and try again.";
  }
  if (error.isSignedOut) return "You are signed out. Sign in again to go on.";
  if (error.isOffline) return error.detail;
  if (error.isStale) return `${error.problem.updated_by_name ?? "Somebody"} changed it meanwhile, at ${clockTime(error.problem.updated)}.`;
  const fields = error.fields.map((it) => `${it.field}: ${it.message}`).join("; ");
  const text = sentence(fields || error.detail || error.title);
  const wait = error.retryAfter ? ` Try again in ${error.retryAfter} s.` : "";
  const id = error.status >= 500 && error.requestId ? ` (Request ${error.requestId})` : "";
  return text + wait + id;
}

/** @param {string} text */
function sentence(text) {
  const big = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(big) ? big : `${big}.`;
}

/**
 * Shows an error in an element, or clears it.
 * @param {HTMLElement} place an element that stays in the page
 * @param {unknown} [error] error or text; clears the element if omitted
 */
export function showError(place, error) {
  place.replaceChildren();
  if (error === undefined || error === null) return;
  const text = typeof error === "string" ? error : errorText(error);
  const again = error instanceof ApiError && error.isSignedOut;
  const next = encodeURIComponent(location.pathname + location.search);
  place.append(h("p", { class: "error", role: "alert" }, text, again && [" ", h("a", { href: `/sign-in?next=${next}` }, "Sign in")]));
}

/**
 * Shows field errors below their inputs. Returns whether every error has an input.
 * @param {HTMLFormElement} form form with inputs named after the fields
 * @param {unknown} error
 * @returns {boolean}
 */
export function fieldErrors(form, error) {
  form.querySelectorAll(".field-error").forEach((it) => it.remove());
  form.querySelectorAll("[aria-invalid]").forEach((it) => it.removeAttribute("aria-invalid"));
  const faults = error instanceof ApiError ? error.fields : [];
  const placed = faults.filter(({ field, message }) => {
    const input = form.elements.namedItem(field);
    if (!(input instanceof HTMLElement)) return false;
    const id = `${field}-fault`;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", id);
    input.after(h("p", { class: "error field-error", id, role: "alert" }, sentence(message)));
    return true;
  });
  if (placed.length) /** @type {HTMLElement} */ (form.elements.namedItem(placed[0].field)).focus();
  return faults.length > 0 && placed.length === faults.length;
}

/**
 * Marks a button as busy until the promise settles. Ignores presses during this time.
 * @template T
 * @param {HTMLButtonElement} button
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function busy(button, work) {
  button.setAttribute("aria-busy", "true");
  button.setAttribute("aria-disabled", "true");
  const stop = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  button.addEventListener("click", stop, true);
  try {
    return await work();
  } finally {
    button.removeEventListener("click", stop, true);
    button.removeAttribute("aria-busy");
    button.removeAttribute("aria-disabled");
  }
}

/**
 * Creates a button. `kind` is its style: `primary`, `quiet` (default), `danger` or `plain`.
 * @param {string} label
 * @param {{ kind?: string, icon?: string, onclick?: (event: MouseEvent) => void, [attr: string]: any }} [options]
 * @returns {HTMLButtonElement}
 */
export function button(label, { kind = "quiet", icon: name, ...attrs } = {}) {
  return h("button", { type: "button", ...attrs, class: ["button", kind, attrs.class].filter(Boolean).join(" ") }, name && icon(name), label);
}

/**
 * Creates a field: an input with a label above and a hint below.
 * @param {string} label
 * @param {HTMLElement} input gets an id if it has none
 * @param {string} [hint]
 * @returns {HTMLElement}
 */
export function field(label, input, hint) {
  input.id ||= `field-${(counter += 1)}`;
  const hintId = `${input.id}-hint`;
  if (hint) input.setAttribute("aria-describedby", hintId);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, hint && h("p", { class: "hint", id: hintId }, hint));
}

let counter = 0;

/**
 * @typedef {object} Action
 * @property {string} label
 * @property {string} [kind] style of the button, see `button`
 * @property {(form: HTMLFormElement) => unknown} [run] work of the action; the dialog closes afterwards, but
 *   stays open if it returns `false`, or if it throws, with the error in the dialog
 * @property {string} [value] result of the dialog's promise; the label if omitted
 */

/**
 * Opens a modal dialog. Enter presses the first action with `run`. Escape and the cross close the
 * dialog. Afterwards the focus returns to the previously focused element.
 * @param {object} options
 * @param {string} options.title
 * @param {import("./core.js").Child} options.body
 * @param {Action[]} [options.actions] from left to right; the main one last
 * @param {boolean} [options.wide]
 * @param {string} [options.className] additional classes of the dialog
 * @returns {{ element: HTMLDialogElement, form: HTMLFormElement, closed: Promise<string | null>, close: (value?: string) => void, fail: (error?: unknown) => void }}
 *   `closed` resolves to null if the user dismisses the dialog; `fail` shows an error in the dialog
 */
export function dialog({ title, body, actions = [], wide = false, className = "" }) {
  const before = document.activeElement;
  const id = `dialog-${(counter += 1)}`;
  const fault = h("div", { class: "dialog-fault" });
  const element = h("dialog", { class: ["dialog", wide && "wide", className].filter(Boolean).join(" "), "aria-labelledby": id });
  const close = (/** @type {string} */ value = "") => element.close(value);
  const buttons = actions.map((action) => {
    const main = action === actions.findLast((it) => it.run);
    const attrs = main ? { type: "submit" } : { onclick: () => perform(action, buttons[actions.indexOf(action)]) };
    return button(action.label, { kind: action.kind ?? (main ? "primary" : "quiet"), ...attrs });
  });
  /** @type {(action: Action, pressed: HTMLButtonElement) => Promise<void>} */
  const perform = async (action, pressed) => {
    showError(fault);
    fieldErrors(form, null);
    try {
      const result = action.run && (await busy(pressed, async () => action.run?.(form)));
      if (result !== false) close(action.value ?? action.label);
    } catch (error) {
      if (!fieldErrors(form, error)) showError(fault, error);
    }
  };
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const at = buttons.findIndex((it) => it.type === "submit");
    if (at >= 0 && !buttons[at].hasAttribute("aria-busy")) perform(actions[at], buttons[at]);
  };
  const cross = h("button", { type: "button", class: "cross", "aria-label": "Close", onclick: () => close() }, icon("close"));
  const form = h(
    "form",
    { method: "dialog", novalidate: false, onsubmit: submit },
    h("header", { class: "dialog-head" }, h("h2", { id }, title), cross),
    h("div", { class: "dialog-body" }, body),
    fault,
    buttons.length > 0 && h("footer", { class: "dialog-actions" }, buttons),
  );
  element.append(form);
  // Close the dialog if the press started and ended on the backdrop.
  let outside = false;
  element.addEventListener("pointerdown", (event) => (outside = event.target === element));
  element.addEventListener("click", (event) => outside && event.target === element && close());
  document.body.append(element);
  element.showModal();
  /** @type {HTMLElement | null} */ (element.querySelector("[autofocus], .dialog-body input, .dialog-body textarea, .dialog-actions [type=submit]"))?.focus();
  const closed = new Promise((resolve) => {
    element.addEventListener("close", () => {
      element.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      resolve(element.returnValue || null);
    });
  });
  return { element, form, closed, close, fail: (error) => showError(fault, error) };
}

/**
 * Asks for confirmation before an action that cannot be undone.
 * @param {object} options
 * @param {string} options.title question
 * @param {import("./core.js").Child} [options.text] consequences of the action
 * @param {string} options.action label of the button
 * @param {boolean} [options.danger]
 * @param {string} [options.type] word that the user has to type first
 * @param {() => unknown} [options.run] work to do before the dialog closes, see `Action`
 * @returns {Promise<boolean>}
 */
export async function confirm({ title, text, action, danger = false, type, run }) {
  const typed = type && h("input", { type: "text", name: "typed", required: true, pattern: type, autocomplete: "off", autofocus: true });
  const body = [h("p", null, text), typed && field(`Type “${type}” to go on`, typed)];
  const { closed } = dialog({
    title,
    body: /** @type {any} */ (body),
    actions: [{ label: "Cancel", value: "" }, { label: action, value: "yes", kind: danger ? "danger" : "primary", run: run ?? (() => true) }],
  });
  return (await closed) === "yes";
}

/** @type {HTMLElement | null} */
let shelf = null;

/**
 * Shows a message at the bottom of the page for some seconds, optionally with an action such as Undo.
 * @param {string} text
 * @param {object} [options]
 * @param {{ label: string, run: () => unknown }} [options.action] usually Undo
 * @param {number} [options.seconds] display time; hovering or focusing the toast keeps it open
 * @param {boolean} [options.bad] style for errors
 * @returns {() => void} removes the toast
 */
export function toast(text, { action, seconds = 8, bad = false } = {}) {
  shelf ??= document.body.appendChild(h("div", { class: "toasts", role: "status", "aria-live": "polite", popover: "manual" }));
  const place = shelf;
  const end = () => {
    clearTimeout(timer);
    element.remove();
    if (!place.childElementCount && place.matches(":popover-open")) place.hidePopover();
  };
  const act = async () => {
    end();
    try {
      await action?.run();
    } catch (error) {
      toast(errorText(error), { bad: true });
    }
  };
  const element = h(
    "div",
    { class: ["toast", bad && "bad"].filter(Boolean).join(" ") },
    h("span", null, text),
    action && h("button", { type: "button", class: "link", onclick: act }, action.label),
    h("button", { type: "button", class: "cross", "aria-label": "Dismiss", onclick: end }, icon("close")),
  );
  let timer = setTimeout(end, seconds * 1000);
  const hold = () => clearTimeout(timer);
  const free = () => (timer = setTimeout(end, 3000));
  for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, hold);
  for (const type of ["pointerleave", "focusout"]) element.addEventListener(type, free);
  // Show at most three toasts and remove the oldest.
  while (place.childElementCount > 2) place.firstElementChild?.remove();
  // Show the popover before filling it, so that screen readers announce the change. Reopen it, so that
  // it is above open dialogs.
  if (place.matches(":popover-open")) place.hidePopover();
  place.showPopover();
  place.append(element);
  return end;
}

/**
 * Positions a popover next to its anchor, within the window.
 * @param {HTMLElement} element shown
 * @param {Element | { x: number, y: number }} anchor
 */
export function placeAt(element, anchor) {
  const at = anchor instanceof Element ? anchor.getBoundingClientRect() : new DOMRect(anchor.x, anchor.y, 0, 0);
  const { width, height } = element.getBoundingClientRect();
  const [right, bottom] = [document.documentElement.clientWidth - 8, window.innerHeight - 8];
  const left = at.left + width > right && at.right - width >= 8 ? at.right - width : at.left;
  const top = at.bottom + 4 + height > bottom && at.top - 4 - height >= 8 ? at.top - 4 - height : at.bottom + 4;
  element.style.left = `${Math.max(8, Math.min(left, right - width))}px`;
  element.style.top = `${Math.max(8, Math.min(top, bottom - height))}px`;
}

/** @type {WeakMap<Element, number>} */
const shut = new WeakMap(); // Time at which the menu of an element was closed.

/**
 * @typedef {{ label: string, icon?: string, run?: () => unknown, href?: string, download?: boolean, danger?: boolean, checked?: boolean, keys?: string } | null} Item
 *   null is a separator; `keys` is the displayed shortcut; `checked` makes the item a radio item
 */

/**
 * Opens a menu. Arrow keys, Home, End and first letters move the focus. Escape closes the menu and
 * returns the focus.
 * @param {Element | { x: number, y: number }} anchor element that opens the menu, or a point of the window
 * @param {Item[]} items
 * @param {string} [label] accessible name
 * @returns {HTMLElement | null} null if the press only closed the menu
 */
export function menu(anchor, items, label = "Menu") {
  const before = document.activeElement;
  // A second press on the anchor closes the menu.
  if (anchor instanceof Element && performance.now() - (shut.get(anchor) ?? -1000) < 250) return null;
  const run = async (/** @type {NonNullable<Item>} */ item) => {
    element.hidePopover();
    try {
      await item.run?.();
    } catch (error) {
      toast(errorText(error), { bad: true });
    }
  };
  const rows = items.map((item) => {
    if (!item) return h("hr", { role: "separator" });
    const role = item.checked === undefined ? "menuitem" : "menuitemradio";
    const attrs = { role, tabindex: -1, class: item.danger ? "danger" : null, "aria-checked": item.checked };
    const words = [item.icon && icon(item.icon), h("span", { class: "grow" }, item.label), item.keys && h("kbd", { "aria-hidden": true }, item.keys)];
    if (item.href) return h("a", { ...attrs, href: item.href, download: item.download && "", onclick: () => element.hidePopover() }, words);
    return h("button", { ...attrs, type: "button", onclick: () => run(item) }, words);
  });
  const element = h("div", { class: "menu", role: "menu", popover: "auto", "aria-label": label }, rows);
  const entries = /** @type {HTMLElement[]} */ (rows.filter((it) => it.tagName !== "HR"));
  element.addEventListener("keydown", (event) => {
    const at = entries.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + (at < 0 ? 1 : 0), Home: 0, End: entries.length - 1 }[event.key];
    const typed = event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " " ? event.key.toLowerCase() : "";
    const named = typed && [...entries.slice(at + 1), ...entries].find((it) => it.textContent?.trim().toLowerCase().startsWith(typed));
    if (event.key === "Tab") element.hidePopover();
    else if (to !== undefined) entries[(to + entries.length) % entries.length]?.focus();
    else if (named) named.focus();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  });
  element.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    if (anchor instanceof Element) {
      anchor.setAttribute("aria-expanded", "false");
      shut.set(anchor, performance.now());
    }
    const within = element.contains(document.activeElement) || document.activeElement === document.body;
    if (within && before instanceof HTMLElement && before.isConnected) before.focus();
    element.remove();
  });
  // Add the menu to the open dialog, because elements outside a modal dialog are inert.
  ((anchor instanceof Element && anchor.closest("dialog")) || document.body).append(element);
  element.showPopover();
  placeAt(element, anchor);
  if (anchor instanceof Element) anchor.setAttribute("aria-expanded", "true");
  entries[0]?.focus();
  return element;
}

export { clockTime, localTime, localTimes, relativeTime, timeElement } from "./time.js";
