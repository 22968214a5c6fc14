// @ts-check
/**
 * Keyboard shortcuts: their list, and the options for keys, which each browser stores: to turn off single-character keys
 * (WCAG 2.1.4), and to go from cell to cell with Tab.
 */

import { h } from "./core.js";
import { getText } from "./texts.js";
import { findElement, openDialog } from "./ui.js";

/**
 * Options for keys by name, which is also the key in the local storage: label, and whether the option is on if nothing
 * is stored.
 */
const KEY_OPTIONS = /** @type {const} */ ({
  shortcuts: [getText("shortcuts.singleKeys"), true],
  "grid-tab": [getText("shortcuts.gridTab"), false],
});

/** @typedef {keyof typeof KEY_OPTIONS} KeyOption */

/** Shortcuts by page: the id of an element that only this page has, the heading, keys with descriptions. */
const SHORTCUT_GROUPS = /** @type {const} */ ([
  ["main", getText("shortcuts.everywhere"), [["/", getText("common.search")], ["?", getText("shortcuts.show")], ["Ctrl+K", getText("shortcuts.palette")], ["G L", getText("shortcuts.openLibrary")], ["G N", getText("common.newChart")], ["Esc", getText("shortcuts.closeDialog")]]],
  [
    "library",
    getText("common.library"),
    [
      ["N", getText("common.newChart")],
      ["Shift+N", getText("common.newFolder")],
      ["Arrow keys", getText("shortcuts.goToItem")],
      ["Enter", getText("common.open")],
      ["Space", getText("shortcuts.select")],
      ["Ctrl+A", getText("shortcuts.selectAll")],
      ["F2", getText("common.rename")],
      ["M", getText("common.moveTo")],
      ["Ctrl+D", getText("common.duplicate")],
      ["S", getText("shortcuts.star")],
      ["Del", getText("shortcuts.moveToTrash")],
      ["Ctrl+Z", getText("common.undo")],
      ["Esc", getText("shortcuts.clearSelection")],
    ],
  ],
  [
    "chart",
    getText("shortcuts.chart"),
    [
      ["C", getText("common.newComment")],
      ["N", getText("shortcuts.nextComment")],
      ["Shift+N", getText("shortcuts.previousComment")],
      ["Shift+C", getText("shortcuts.togglePins")],
      ["H", getText("common.history")],
      ["P", getText("shortcuts.present")],
      ["T", getText("shortcuts.editTitle")],
      ["D", getText("shortcuts.goToData")],
      ["A", getText("shortcuts.addNote")],
      ["Ctrl+Shift+E", getText("shortcuts.openExport")],
      ["F6", getText("shortcuts.nextRegion")],
      ["Ctrl+Z, Ctrl+Shift+Z", getText("shortcuts.undoRedo")],
      ["Ctrl+S", getText("shortcuts.saveNow")],
      ["Ctrl+=, Ctrl+-", getText("shortcuts.zoom")],
      ["Shift+1, Shift+0", getText("shortcuts.zoomFit")],
      ["Arrow keys", getText("shortcuts.moveNote")],
      ["[ and ]", getText("shortcuts.attachNote")],
      ["Enter, Del", getText("shortcuts.editNote")],
      ["Ctrl+Enter", getText("shortcuts.sendComment")],
    ],
  ],
]);

/** Names of keys in the language of the page. */
const KEY_NAMES = /** @type {Record<string, string>} */ ({
  Ctrl: getText("shortcuts.keyCtrl"),
  Shift: getText("shortcuts.keyShift"),
  Enter: getText("shortcuts.keyEnter"),
  Space: getText("shortcuts.keySpace"),
  Del: getText("common.keyDelete"),
  Esc: getText("shortcuts.keyEscape"),
  "Arrow keys": getText("shortcuts.keyArrows"),
  "[ and ]": getText("shortcuts.keyBrackets"),
});

/** Returns keys such as `Ctrl+K, Del` with the names of the language. @param {string} keys */
const formatKeys = (keys) => keys.split(", ").map((combination) => combination.split("+").map((key) => KEY_NAMES[key] ?? key).join("+")).join(", ");

/** Whether the event is text input into a field. @param {Event} event @returns {boolean} */
export function isTyping(event) {
  const target = event.target;
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
}

/** Whether an option for keys is on. @param {KeyOption} name @returns {boolean} */
function isOptionOn(name) {
  const isOnByDefault = KEY_OPTIONS[name][1];
  try {
    const stored = localStorage.getItem(name);
    return stored === null ? isOnByDefault : stored === "on";
  } catch {
    return isOnByDefault;
  }
}

/** Whether Tab goes to the next cell of the data grid, instead of leaving the grid. */
export const doesTabMoveByCell = () => isOptionOn("grid-tab");

/**
 * Whether a key may trigger a shortcut of the page. It may not while the user types in a field, while a
 * dialog or menu is open, or if it is a single character and these are turned off.
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
export function mayTriggerShortcut(event) {
  const isSingle = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey;
  const isBusy = event.defaultPrevented || event.altKey || isTyping(event) || document.querySelector("dialog[open], :popover-open:not(.toasts)");
  return !isBusy && !(isSingle && !isOptionOn("shortcuts"));
}

/**
 * Loads a module and opens its dialog. Letters that are typed meanwhile belong to the field of the dialog, and neither to
 * the cell or field that has the focus until then, nor to shortcuts.
 * @template T
 * @param {() => Promise<T>} load
 * @param {(loaded: T) => unknown} open
 */
export async function openLoadedDialog(load, open) {
  const focused = document.activeElement;
  let text = "";
  const hold = (/** @type {KeyboardEvent} */ event) => {
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isEdit = ["Enter", "Backspace", "Delete"].includes(event.key);
    // The user goes on in another field.
    const isElsewhere = event.target !== focused && isTyping(event);
    if (!(isLetter || isEdit) || isElsewhere || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopPropagation();
    if (isLetter) text += event.key;
    else if (event.key === "Backspace") text = text.slice(0, -1);
  };
  document.addEventListener("keydown", hold, { capture: true });
  try {
    const isOpen = open(await load());
    if (text && document.activeElement?.matches("dialog[open] :is(input, textarea)")) document.execCommand("insertText", false, text);
    await isOpen;
  } finally {
    document.removeEventListener("keydown", hold, { capture: true });
  }
}

/** Builds the switch of an option for keys, for the account menu and the dialog. @param {KeyOption} name */
function buildToggle(name) {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    checked: isOptionOn(name),
    onchange: () => {
      try {
        localStorage.setItem(name, input.checked ? "on" : "off");
      } catch {
        // Without storage the default applies.
      }
      for (const other of document.querySelectorAll(`.keys-choice[data-option="${name}"] input`)) /** @type {HTMLInputElement} */ (other).checked = input.checked;
    },
  });
  return h("label", { class: "keys-choice", dataset: { option: name } }, input, KEY_OPTIONS[name][0]);
}

/** Builds the switches of all options for keys. */
const buildToggles = () => [buildToggle("shortcuts"), buildToggle("grid-tab")];

/** Opens the dialog with the shortcuts of this page. */
export function openShortcutDialog() {
  const groups = SHORTCUT_GROUPS.filter(([id]) => document.getElementById(id));
  const sections = groups.map(([, title, shortcuts]) => [
    h("h3", null, title),
    h("dl", { class: "facts" }, shortcuts.flatMap(([key, description]) => [h("dt", null, h("kbd", null, formatKeys(key))), h("dd", null, description)])),
  ]);
  openDialog({ title: getText("shortcuts.title"), body: /** @type {any} */ ([sections.flat(), h("hr"), ...buildToggles()]), className: "keys" });
}

/** Adds the switch and a button that opens the list to the account menu. @param {HTMLElement} place */
export function addShortcutMenuItems(container) {
  const handleClick = () => {
    findElement("#account").hidePopover();
    openShortcutDialog();
  };
  container.append(...buildToggles(), h("button", { type: "button", onclick: handleClick }, h("span", { class: "grow" }, getText("shortcuts.show")), h("kbd", { "aria-hidden": true }, "?")));
}
