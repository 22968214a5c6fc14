// @ts-check
/** Keyboard shortcuts: their list, and the option to turn off single-character keys (WCAG 2.1.4). */

import { h } from "./core.js";
import { button, dialog, find } from "./ui.js";

/** Key of the option in the local storage. */
const KEPT = "shortcuts";

/** Shortcuts by page: the id of an element that only this page has, the heading, keys with descriptions. */
const GROUPS = /** @type {const} */ ([
  ["main", "Everywhere", [["/", "Search"], ["?", "Show the keys"], ["Esc", "Close what is open"]]],
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
      ["Esc", "Select nothing"],
    ],
  ],
  [
    "chart",
    "Chart",
    [
      ["C", "New comment"],
      ["N", "Next comment"],
      ["Shift+N", "Comment before"],
      ["Shift+C", "Hide or show the pins"],
      ["H", "History"],
      ["Arrow keys", "Move a pin that is held; with Shift farther"],
      ["Ctrl+Enter", "Send a comment"],
    ],
  ],
]);

/** Whether the event is text input into a field. @param {Event} event @returns {boolean} */
function isTyping(event) {
  const at = event.target;
  return at instanceof HTMLElement && (at.isContentEditable || at.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
}

function isOff() {
  try {
    return localStorage.getItem(KEPT) === "off";
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
export function mayAct(event) {
  const isSingle = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey;
  const isBusy = event.defaultPrevented || event.altKey || isTyping(event) || document.querySelector("dialog[open], :popover-open:not(.toasts)");
  return !isBusy && !(isSingle && isOff());
}

/** Builds the checkbox for the account menu and the dialog. */
function choice() {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    checked: !isOff(),
    onchange: () => {
      try {
        localStorage.setItem(KEPT, input.checked ? "on" : "off");
      } catch {
        // Without storage the keys stay on.
      }
      for (const it of document.querySelectorAll(".keys-choice input")) /** @type {HTMLInputElement} */ (it).checked = input.checked;
    },
  });
  return h("label", { class: "keys-choice" }, input, "Keys of a single letter");
}

/** Opens the dialog with the shortcuts of this page. */
export function showKeys() {
  const groups = GROUPS.filter(([id]) => document.getElementById(id));
  const list = groups.map(([, title, keys]) => [
    h("h3", null, title),
    h("dl", { class: "facts" }, keys.flatMap(([key, what]) => [h("dt", null, h("kbd", null, key)), h("dd", null, what)])),
  ]);
  dialog({ title: "Keys", body: /** @type {any} */ ([list.flat(), h("hr"), choice()]), className: "keys" });
}

/** Adds the option and a button for the list to the account menu. @param {HTMLElement} place */
export function keysMenu(place) {
  const show = () => {
    find("#account").hidePopover();
    showKeys();
  };
  place.append(choice(), h("button", { type: "button", onclick: show }, h("span", { class: "grow" }, "Show the keys"), h("kbd", { "aria-hidden": true }, "?")));
}
