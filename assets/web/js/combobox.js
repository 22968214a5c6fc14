// @ts-check
/** A text field with a searchable list of values. */

import { effect, h } from "./core.js";
import { toText } from "./settings-model.js";
import { getText } from "./texts.js";
import { positionPopover } from "./ui.js";

/**
 * Creates a combobox. Typing filters the list by name and value. Enter or leaving the field stores the text.
 * @param {import("./settings-controls.js").ControlContext} context
 * @param {Record<string, string>} options names by value
 * @param {boolean} isFree whether other texts than the values are allowed
 * @returns {import("./settings-controls.js").Control}
 */
export function createCombobox({ id, label, hint, schema, value, write }, options, isFree) {
  const values = Object.keys(options);
  const listId = `${id}-list`;
  const list = h("ul", { class: "combobox-list", id: listId, role: "listbox", popover: "manual", "aria-label": label });
  /** @type {string[]} */
  let shown = [];
  let active = -1;
  const describe = (/** @type {any} */ current) => (typeof current === "string" && options[current]) || toText(current);
  const current = () => value.peek() ?? schema.default;
  const isOpen = () => list.matches(":popover-open");

  const close = () => {
    if (isOpen()) list.hidePopover();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    active = -1;
  };
  const choose = (/** @type {string} */ chosen) => {
    close();
    input.value = describe(chosen);
    if (chosen !== current()) write(chosen);
  };
  /** Stores the text, or shows the stored value again if it is not allowed. */
  const commit = () => {
    close();
    const text = input.value.trim();
    const match = values.find((candidate) => candidate === text || options[candidate].toLowerCase() === text.toLowerCase());
    if (text === describe(current())) input.value = text;
    else if (match !== undefined) choose(match);
    else if (text === "") write(undefined);
    else if (isFree) write(text);
    else input.value = describe(current());
  };
  const activate = (/** @type {number} */ index) => {
    active = index;
    Array.from(list.children, (option, at) => option.setAttribute("aria-selected", String(at === index)));
    input.setAttribute("aria-activedescendant", `${listId}-${index}`);
    list.children[index]?.scrollIntoView({ block: "nearest" });
  };
  const open = (/** @type {string} */ query) => {
    const words = query.trim().toLowerCase();
    shown = values.filter((candidate) => `${options[candidate]}\n${candidate}`.toLowerCase().includes(words));
    active = -1;
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(
      ...shown.map((candidate, index) =>
        h("li", { id: `${listId}-${index}`, role: "option", "aria-selected": candidate === current(), onclick: () => choose(candidate) }, h("span", { class: "grow" }, options[candidate]), options[candidate] !== candidate && h("span", { class: "muted" }, candidate)),
      ),
    );
    if (!shown.length) return close();
    if (!isOpen()) list.showPopover();
    list.style.minWidth = `${input.getBoundingClientRect().width}px`;
    positionPopover(list, input);
    input.setAttribute("aria-expanded", "true");
  };
  const handleKey = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      if (!isOpen()) open("");
      if (shown.length) activate((active + step + shown.length + (active < 0 && step < 0 ? 1 : 0)) % shown.length);
    } else if (event.key === "Enter" && isOpen() && active >= 0) choose(shown[active]);
    else if (event.key === "Enter") commit();
    else if (event.key === "Escape" && (isOpen() || input.value !== describe(current()))) {
      close();
      input.value = describe(current());
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const input = h("input", {
    id,
    type: "text",
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": listId,
    placeholder: hint.placeholder ?? getText("common.automatic"),
    oninput: () => open(input.value),
    onclick: () => (isOpen() ? close() : open("")),
    onkeydown: handleKey,
    onblur: commit,
  });
  // A press on the list must not take the focus from the field.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("mousedown", (event) => event.preventDefault());
  effect(() => {
    input.value = describe(value.value ?? schema.default);
  });
  return { element: h("div", { class: "combobox" }, input, list), target: input, type: "combobox" };
}
