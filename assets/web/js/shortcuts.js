// @ts-check
/** Keyboard shortcuts: their list, and the option to turn off single-character keys (WCAG 2.1.4). */

import { h } from "./core.js";
import { findElement, openDialog } from "./ui.js";

/** Key of the option in the local storage. Its value is `on` or `off`. */
const STORAGE_KEY = "shortcuts";

/** Shortcuts by page: the id of an element that only this page has, the heading, keys with descriptions. */
const SHORTCUT_GROUPS = /** @type {const} */ ([
  ["main", "Everywhere", [["/", "Search"], ["?", "Show keyboard shortcuts"], ["Esc", "Close a dialog or menu"]]],
  [
    "library",
    "Library",
    [
      ["N", "New chart"],
      ["Shift+N", "New folder"],
      ["Arrow keys", "Go to another chart or folder"],
      ["Enter", "Open"],
      ["Space", "Select"],
      ["Ctrl+A", "Select all"],
      ["F2", "Rename"],
      ["M", "Move to…"],
      ["Ctrl+D", "Duplicate"],
      ["Del", "Move to the trash"],
      ["Ctrl+Z", "Undo"],
      ["Esc", "Clear the selection"],
    ],
  ],
  [
    "chart",
    "Chart",
    [
      ["C", "New comment"],
      ["N", "Next comment"],
      ["Shift+N", "Previous comment"],
      ["Shift+C", "Hide or show the pins"],
      ["H", "History"],
      ["Arrow keys", "Move a pin; with Shift by ten points"],
      ["Ctrl+Enter", "Send a comment"],
    ],
  ],
]);

/** Whether the event is text input into a field. @param {Event} event @returns {boolean} */
function isTyping(event) {
  const target = event.target;
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
}

/** Whether the user has turned off single-character keys. */
function areSingleKeysOff() {
  try {
    return localStorage.getItem(STORAGE_KEY) === "off";
  } catch {
    return false;
  }
}

/**
 * Whether a key may trigger a shortcut of the page. It may not while the user types in a field, while a
 * dialog or menu is open, or if it is a single character and these are turned off.
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
export function mayTriggerShortcut(event) {
  const isSingle = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey;
  const isBusy = event.defaultPrevented || event.altKey || isTyping(event) || document.querySelector("dialog[open], :popover-open:not(.toasts)");
  return !isBusy && !(isSingle && areSingleKeysOff());
}

/** Builds the switch for single-character keys, for the account menu and the dialog. */
function buildToggle() {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    checked: !areSingleKeysOff(),
    onchange: () => {
      try {
        localStorage.setItem(STORAGE_KEY, input.checked ? "on" : "off");
      } catch {
        // Without storage the keys stay on.
      }
      for (const other of document.querySelectorAll(".keys-choice input")) /** @type {HTMLInputElement} */ (other).checked = input.checked;
    },
  });
  return h("label", { class: "keys-choice" }, input, "Single-key shortcuts");
}

/** Opens the dialog with the shortcuts of this page. */
export function openShortcutDialog() {
  const groups = SHORTCUT_GROUPS.filter(([id]) => document.getElementById(id));
  const sections = groups.map(([, title, shortcuts]) => [
    h("h3", null, title),
    h("dl", { class: "facts" }, shortcuts.flatMap(([key, description]) => [h("dt", null, h("kbd", null, key)), h("dd", null, description)])),
  ]);
  openDialog({ title: "Keyboard shortcuts", body: /** @type {any} */ ([sections.flat(), h("hr"), buildToggle()]), className: "keys" });
}

/** Adds the switch and a button that opens the list to the account menu. @param {HTMLElement} place */
export function addShortcutMenuItems(container) {
  const handleClick = () => {
    findElement("#account").hidePopover();
    openShortcutDialog();
  };
  container.append(buildToggle(), h("button", { type: "button", onclick: handleClick }, h("span", { class: "grow" }, "Show keyboard shortcuts"), h("kbd", { "aria-hidden": true }, "?")));
}
