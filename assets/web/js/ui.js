// @ts-check
/** Dialogs, menus, toasts and other components shared by all pages. */

import { ApiError, isSignedInPage, requestSignIn } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { formatClockTime } from "./time.js";

/** Maximum time in milliseconds that `runWhenIdle` waits for an idle page. */
const MAX_IDLE_WAIT_MS = 1000;

/**
 * Runs a callback when the page has nothing else to do, after about a second at the latest.
 * @param {() => void} callback
 * @returns {() => void} cancels it
 */
export function runWhenIdle(callback) {
  // Older versions of Safari have no idle callbacks.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(callback, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(callback, { timeout: MAX_IDLE_WAIT_MS });
  return () => cancelIdleCallback(request);
}

/**
 * Returns the first element that matches a selector. Throws an error with the selector if there is none.
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {E}
 */
export function findElement(selector, within = document) {
  const element = within.querySelector(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return /** @type {E} */ (element);
}

/** Path of the sprite with the icons. */
const ICONS_PATH = new URL("../icons.svg", import.meta.url).pathname;

/**
 * Creates an icon from the sprite `icons.svg`. Icons are hidden from screen readers and need a text label.
 * @param {string} name
 * @returns {SVGElement}
 */
export function createIcon(name) {
  const href = `${ICONS_PATH}#${name}`;
  return h("svg:svg", { class: "icon", viewBox: "0 0 18 18", width: 18, height: 18, "aria-hidden": true }, h("svg:use", { href }));
}

/**
 * Returns an error as a sentence for the user. Logs errors that are not from the API to the console.
 * @param {unknown} error
 * @returns {string}
 */
export function describeError(error) {
  const wait = error instanceof ApiError && error.retryAfter ? ` ${getText("api.retryAfter", { seconds: error.retryAfter })}` : "";
  return describeProblem(error) + wait;
}

/** Returns an error as a sentence without the time of the next attempt. See `describeError`. @param {unknown} error */
function describeProblem(error) {
  if (!(error instanceof ApiError)) {
    console.error(error);
    return getText("api.internalError");
  }
  if (error.isSignedOut) return getText("api.signedOut");
  if (error.isOffline) return error.detail;
  if (error.isStale) return getText("api.changedMeanwhile", { name: error.problem.updated_by_name ?? getText("api.somebody"), time: formatClockTime(error.problem.updated) });
  const fields = error.fields.map(describeFieldError).join("; ");
  // The detail of this status repeats the time.
  const detail = error.status === 429 && error.retryAfter ? "" : error.detail;
  const text = toSentence(fields || detail || error.title);
  const id = error.status >= 500 && error.requestId ? ` ${getText("api.requestId", { id: error.requestId })}` : "";
  return text + id;
}

/**
 * Creates a text that counts the seconds to the next attempt. Screen readers read it without following it.
 * @param {number} seconds
 * @returns {HTMLElement}
 */
function createCountdown(seconds) {
  const element = h("span", { role: "timer" });
  const end = performance.now() + seconds * 1000;
  const show = () => {
    const rest = Math.ceil((end - performance.now()) / 1000);
    element.textContent = rest > 0 ? getText("api.retryAfter", { seconds: rest }) : getText("api.retryNow");
    if (rest <= 0 || !element.isConnected) clearInterval(timer);
  };
  const timer = setInterval(show, 1000);
  element.textContent = getText("api.retryAfter", { seconds });
  return element;
}

/** Names of API fields for users. Other fields are shown with spaces. @type {Record<string, string>} */
const FIELD_NAMES = {
  user_id: getText("api.account"),
  email: getText("api.address"),
  url: getText("api.address"),
  expires_at: getText("api.expiry"),
  title: getText("api.title"),
  name: getText("api.name"),
  data: getText("api.data"),
  team: getText("api.team"),
  folder: getText("api.folder"),
};

/** Verbs of all languages at the beginning of a message about a field, which continue a sentence. */
const PREDICATE =
  /^(must|is|are|has|have|needs|contains|cannot|exceeds|does|belongs|names|darf|dürfen|muss|müssen|ist|sind|hat|haben|braucht|enthält|kann|können|überschreitet|gehört|nennt|fehlt|wird|liegt) /;

/** Describes an error of a field, as in “The title must not be empty”. @param {{ field: string, message: string }} error */
function describeFieldError({ field, message }) {
  const name = FIELD_NAMES[field] ?? field.replaceAll("_", " ");
  return `${name}${PREDICATE.test(message) ? "" : ":"} ${message}`;
}

/** Capitalizes a text and adds a full stop if it has no closing punctuation. @param {string} text */
export function toSentence(text) {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}

/**
 * Shows an error in an element, or clears it. If the user is signed out, adds a button for the sign-in
 * dialog, or a link to the sign-in page on the page of a guest.
 * @param {HTMLElement} container an element that stays in the page
 * @param {unknown} [error] error or text; clears the element if omitted
 */
export function showError(container, error) {
  container.replaceChildren();
  if (error === undefined || error === null) return;
  const text = typeof error === "string" ? error : describeProblem(error);
  const mustSignIn = error instanceof ApiError && error.isSignedOut;
  const wait = error instanceof ApiError && error.retryAfter;
  container.append(h("p", { class: "error", role: "alert" }, text, wait && [" ", createCountdown(wait)], mustSignIn && [" ", createSignInControl(() => container.replaceChildren())]));
}

/**
 * Creates a button that opens the sign-in dialog over the page. On the page of a guest, creates a link to
 * the sign-in page, which leads back.
 * @param {() => void} [onSignedIn] runs after the sign-in
 * @returns {HTMLElement}
 */
export function createSignInControl(onSignedIn) {
  const next = encodeURIComponent(location.pathname + location.search);
  if (!isSignedInPage()) return h("a", { href: `/sign-in?next=${next}` }, getText("api.signIn"));
  const signIn = async () => (await requestSignIn()) && onSignedIn?.();
  return h("button", { type: "button", class: "link", onclick: signIn }, getText("api.signIn"));
}

/**
 * Shows field errors below their inputs, removes those of earlier calls, and focuses the first input
 * with an error. Returns whether the error has field errors and each of them has a visible input.
 * @param {HTMLFormElement} form form with inputs named after the fields
 * @param {unknown} error
 * @returns {boolean}
 */
export function showFieldErrors(form, error) {
  form.querySelectorAll(".field-error").forEach((element) => element.remove());
  form.querySelectorAll("[aria-invalid]").forEach((element) => element.removeAttribute("aria-invalid"));
  const errors = error instanceof ApiError ? error.fields : [];
  const shown = errors.filter(({ field, message }) => {
    const input = form.elements.namedItem(field);
    if (!(input instanceof HTMLElement) || input.closest("[hidden]")) return false;
    const id = `${field}-fault`;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", id);
    input.after(h("p", { class: "error field-error", id, role: "alert" }, toSentence(message)));
    return true;
  });
  if (shown.length) /** @type {HTMLElement} */ (form.elements.namedItem(shown[0].field)).focus();
  return errors.length > 0 && shown.length === errors.length;
}

/**
 * Marks a button as busy until the promise of `callback` settles. Ignores presses during this time.
 * @template T
 * @param {HTMLButtonElement} button
 * @param {() => Promise<T>} callback
 * @returns {Promise<T>}
 */
export async function runBusy(button, callback) {
  button.setAttribute("aria-busy", "true");
  button.setAttribute("aria-disabled", "true");
  const blockPress = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  button.addEventListener("click", blockPress, true);
  try {
    return await callback();
  } finally {
    button.removeEventListener("click", blockPress, true);
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
export function createButton(label, { kind = "quiet", icon: iconName, ...attrs } = {}) {
  return h("button", { type: "button", ...attrs, class: ["button", kind, attrs.class].filter(Boolean).join(" ") }, iconName && createIcon(iconName), label);
}

/**
 * Creates a field: an input with a label above and a hint below.
 * @param {string} label
 * @param {HTMLElement} input gets an id if it has none
 * @param {string} [hint]
 * @returns {HTMLElement}
 */
export function createField(label, input, hint) {
  input.id ||= `field-${(lastId += 1)}`;
  const hintId = `${input.id}-hint`;
  if (hint) input.setAttribute("aria-describedby", hintId);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, hint && h("p", { class: "hint", id: hintId }, hint));
}

/** Number in the most recently created element id. */
let lastId = 0;

/**
 * @typedef {object} Action
 * @property {string} label
 * @property {string} [kind] style of the button, see `createButton`
 * @property {(form: HTMLFormElement) => unknown} [run] work of the action; the dialog closes afterwards, but
 *   stays open if it returns `false`, or if it throws, with the error in the dialog
 * @property {string} [value] result of the dialog's promise; the label if omitted
 */

/**
 * Opens a modal dialog. Enter presses the last action with `run`. Escape and the cross close the
 * dialog. Afterwards the focus returns to the previously focused element.
 * @param {object} options
 * @param {string} options.title
 * @param {import("./core.js").Child} options.body
 * @param {Action[]} [options.actions] from left to right; the main one last
 * @param {boolean} [options.wide]
 * @param {string} [options.className] additional classes of the dialog
 * @returns {{ element: HTMLDialogElement, form: HTMLFormElement, closed: Promise<string | null>, close: (value?: string) => void, setError: (error?: unknown) => void }}
 *   `closed` resolves to null if the user dismisses the dialog; `setError` shows an error in the
 *   dialog, or clears it if omitted
 */
export function openDialog({ title, body, actions = [], wide = false, className = "" }) {
  const previousFocus = document.activeElement;
  const id = `dialog-${(lastId += 1)}`;
  const errorContainer = h("div", { class: "dialog-fault" });
  const element = h("dialog", { class: ["dialog", wide && "wide", className].filter(Boolean).join(" "), "aria-labelledby": id });
  const close = (/** @type {string} */ value = "") => {
    element.close(value);
    // Browsers leave the focus in a closed dialog until they draw the next frame. The keys until then are for the page.
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && element.contains(focused)) focused.blur();
  };
  const buttons = actions.map((action) => {
    const isMain = action === actions.findLast((candidate) => candidate.run);
    const attrs = isMain ? { type: "submit" } : { onclick: () => runAction(action, buttons[actions.indexOf(action)]) };
    return createButton(action.label, { kind: action.kind ?? (isMain ? "primary" : "quiet"), ...attrs });
  });
  /** @type {(action: Action, pressed: HTMLButtonElement) => Promise<void>} */
  const runAction = async (action, pressed) => {
    showError(errorContainer);
    showFieldErrors(form, null);
    try {
      const result = action.run && (await runBusy(pressed, async () => action.run?.(form)));
      if (result !== false) close(action.value ?? action.label);
    } catch (error) {
      if (!showFieldErrors(form, error)) showError(errorContainer, error);
    }
  };
  const handleSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const mainIndex = buttons.findIndex((candidate) => candidate.type === "submit");
    if (mainIndex >= 0 && !buttons[mainIndex].hasAttribute("aria-busy")) runAction(actions[mainIndex], buttons[mainIndex]);
  };
  const closeButton = h("button", { type: "button", class: "cross", "aria-label": getText("common.close"), onclick: () => close() }, createIcon("close"));
  const form = h(
    "form",
    { method: "dialog", novalidate: false, onsubmit: handleSubmit },
    h("header", { class: "dialog-head" }, h("h2", { id }, title), closeButton),
    h("div", { class: "dialog-body" }, body),
    errorContainer,
    buttons.length > 0 && h("footer", { class: "dialog-actions" }, buttons),
  );
  element.append(form);
  // Close the dialog if the press started and ended on the backdrop.
  let startedOutside = false;
  element.addEventListener("pointerdown", (event) => (startedOutside = event.target === element));
  element.addEventListener("click", (event) => startedOutside && event.target === element && close());
  // Browsers close a dialog that opened without a press together with the one below it. Close only this one.
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || element.querySelector(":popover-open")) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  document.body.append(element);
  element.showModal();
  /** @type {HTMLElement | null} */ (element.querySelector("[autofocus], .dialog-body input, .dialog-body textarea, .dialog-actions [type=submit]"))?.focus();
  const closed = new Promise((resolve) => {
    element.addEventListener("close", () => {
      element.remove();
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus();
      resolve(element.returnValue || null);
    });
  });
  return { element, form, closed, close, setError: (error) => showError(errorContainer, error) };
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
export async function askConfirmation({ title, text, action, danger = false, type, run }) {
  const confirmationInput = type && h("input", { type: "text", name: "typed", required: true, pattern: type, autocomplete: "off", autofocus: true });
  const body = [h("p", null, text), confirmationInput && createField(getText("ui.typeToContinue", { word: type }), confirmationInput)];
  const { closed } = openDialog({
    title,
    body: /** @type {any} */ (body),
    actions: [{ label: getText("common.cancel"), value: "" }, { label: action, value: "yes", kind: danger ? "danger" : "primary", run: run ?? (() => true) }],
  });
  return (await closed) === "yes";
}

/** @type {HTMLElement | null} Created with the first toast. */
let toastContainer = null;

/**
 * Shows a message at the bottom of the page for some seconds, optionally with an action such as Undo.
 * Shows at most three toasts.
 * @param {string} text
 * @param {object} [options]
 * @param {{ label: string, run: () => unknown, isOffered?: () => boolean }} [options.action] usually Undo; `isOffered` reads
 *   signals and hides the action
 * @param {number} [options.seconds] display time; the toast stays while it is hovered or focused, and three seconds longer
 * @param {boolean} [options.isError] uses the style for errors
 * @returns {() => void} removes the toast
 */
export function showToast(text, { action, seconds = 8, isError = false } = {}) {
  toastContainer ??= document.body.appendChild(h("div", { class: "toasts", role: "status", "aria-live": "polite", popover: "manual" }));
  const container = toastContainer;
  const dismiss = () => {
    clearTimeout(timer);
    element.remove();
    if (!container.childElementCount && container.matches(":popover-open")) container.hidePopover();
  };
  const runAction = async () => {
    dismiss();
    try {
      await action?.run();
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const element = h(
    "div",
    { class: ["toast", isError && "bad"].filter(Boolean).join(" ") },
    h("span", null, text),
    action && h("button", { type: "button", class: "link", onclick: runAction, hidden: action.isOffered && (() => !action.isOffered?.()) }, action.label),
    h("button", { type: "button", class: "cross", "aria-label": getText("ui.dismiss"), onclick: dismiss }, createIcon("close")),
  );
  let timer = setTimeout(dismiss, seconds * 1000);
  const stopTimer = () => clearTimeout(timer);
  const restartTimer = () => (timer = setTimeout(dismiss, 3000));
  for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, stopTimer);
  for (const type of ["pointerleave", "focusout"]) element.addEventListener(type, restartTimer);
  // Remove the oldest toasts.
  while (container.childElementCount > 2) container.firstElementChild?.remove();
  // Show the popover before filling it, so that screen readers announce the change. Reopen it, so that
  // it is above open dialogs.
  if (container.matches(":popover-open")) container.hidePopover();
  container.showPopover();
  container.append(element);
  return dismiss;
}

/**
 * Positions a popover below its anchor, or above it if there is no space below, within the window.
 * @param {HTMLElement} element visible, because its size is measured
 * @param {Element | { x: number, y: number }} anchor
 */
export function positionPopover(element, anchor) {
  const anchorBox = anchor instanceof Element ? anchor.getBoundingClientRect() : new DOMRect(anchor.x, anchor.y, 0, 0);
  const { width, height } = element.getBoundingClientRect();
  const [right, bottom] = [document.documentElement.clientWidth - 8, window.innerHeight - 8];
  const left = anchorBox.left + width > right && anchorBox.right - width >= 8 ? anchorBox.right - width : anchorBox.left;
  const top = anchorBox.bottom + 4 + height > bottom && anchorBox.top - 4 - height >= 8 ? anchorBox.top - 4 - height : anchorBox.bottom + 4;
  element.style.left = `${Math.max(8, Math.min(left, right - width))}px`;
  element.style.top = `${Math.max(8, Math.min(top, bottom - height))}px`;
}

/** @type {WeakMap<Element, number>} Time in milliseconds at which the menu of an element was closed. */
const menuClosedTimes = new WeakMap();

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
 * @returns {HTMLElement | null} null if the press closed the menu of the anchor
 */
export function openMenu(anchor, items, label = getText("ui.menu")) {
  const previousFocus = document.activeElement;
  // A second press on the anchor closes the menu.
  if (anchor instanceof Element && performance.now() - (menuClosedTimes.get(anchor) ?? -1000) < 250) return null;
  const runItem = async (/** @type {NonNullable<Item>} */ item) => {
    element.hidePopover();
    try {
      await item.run?.();
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const rows = items.map((item) => {
    if (!item) return h("hr", { role: "separator" });
    const role = item.checked === undefined ? "menuitem" : "menuitemradio";
    const attrs = { role, tabindex: -1, class: item.danger ? "danger" : null, "aria-checked": item.checked };
    const content = [item.icon && createIcon(item.icon), h("span", { class: "grow" }, item.label), item.keys && h("kbd", { "aria-hidden": true }, item.keys)];
    if (item.href) return h("a", { ...attrs, href: item.href, download: item.download && "", onclick: () => element.hidePopover() }, content);
    return h("button", { ...attrs, type: "button", onclick: () => runItem(item) }, content);
  });
  const element = h("div", { class: "menu", role: "menu", popover: "auto", "aria-label": label }, rows);
  const focusable = /** @type {HTMLElement[]} */ (rows.filter((row) => row.tagName !== "HR"));
  element.addEventListener("keydown", (event) => {
    const currentIndex = focusable.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const targetIndex = { ArrowDown: currentIndex + 1, ArrowUp: currentIndex - 1 + (currentIndex < 0 ? 1 : 0), Home: 0, End: focusable.length - 1 }[event.key];
    const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " " ? event.key.toLowerCase() : "";
    const match = letter && [...focusable.slice(currentIndex + 1), ...focusable].find((candidate) => candidate.textContent?.trim().toLowerCase().startsWith(letter));
    if (event.key === "Tab") element.hidePopover();
    else if (targetIndex !== undefined) focusable[(targetIndex + focusable.length) % focusable.length]?.focus();
    else if (match) match.focus();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  });
  element.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    if (anchor instanceof Element) {
      anchor.setAttribute("aria-expanded", "false");
      menuClosedTimes.set(anchor, performance.now());
    }
    const hadFocus = element.contains(document.activeElement) || document.activeElement === document.body;
    if (hadFocus && previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus();
    element.remove();
  });
  // Add the menu to the open dialog, because elements outside a modal dialog are inert.
  ((anchor instanceof Element && anchor.closest("dialog")) || document.body).append(element);
  element.showPopover();
  positionPopover(element, anchor);
  if (anchor instanceof Element) anchor.setAttribute("aria-expanded", "true");
  focusable[0]?.focus();
  return element;
}

export { formatClockTime, formatLocalTime, localizeTimes, formatRelativeTime, createTimeElement } from "./time.js";
