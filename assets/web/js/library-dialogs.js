// @ts-check
/** Dialogs of the library that ask for a name or for a target folder. */

import { h } from "./core.js";
import { dialog, field } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */
/** @typedef {import("./library-model.js").Place} Place */

/**
 * Asks for a name.
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.label
 * @param {string} options.action
 * @param {string} [options.value]
 * @param {number} [options.longest]
 * @param {(name: string) => Promise<unknown>} options.run
 * @returns {Promise<string | null>}
 */
export function askName({ title, label, action, value = "", longest = 255, run }) {
  const input = h("input", { name: "title", type: "text", required: true, maxlength: longest, value, autocomplete: "off", autofocus: true });
  const { closed } = dialog({
    title,
    body: field(label, input),
    actions: [{ label: "Cancel", value: "" }, { label: action, value: "done", run: () => run(input.value.trim()) }],
  });
  input.select();
  return closed;
}

/**
 * Asks for the target folder of a move.
 * @param {Item[]} items
 * @param {Place[]} places
 * @param {string} me
 * @param {(owner: string, folder: string) => Promise<unknown>} run
 */
export function askPlace(items, places, me, run) {
  const folders = items.filter((it) => it.type === "folder");
  const isWithin = (/** @type {string} */ owner, /** @type {string} */ name) =>
    folders.some((it) => it.owner === owner && (name === it.name || name.startsWith(`${it.name}/`)));
  const isHere = (/** @type {string} */ owner, /** @type {string} */ name) => items.every((it) => it.owner === owner && it.parent === name);
  /** @type {HTMLElement[]} */
  const rows = [];
  for (const { owner, folders } of places) {
    for (const { name, title, mode } of folders) {
      if (mode !== "w") continue;
      const label = name === "/" ? (owner.id === me ? "My charts" : owner.name) : title;
      const depth = Math.min(name === "/" ? 0 : name.split("/").length - 1, 8);
      const unfit = isWithin(owner.id, name) || isHere(owner.id, name);
      const words = `${owner.name} ${name} ${label}`.toLowerCase();
      rows.push(
        h(
          "label",
          { class: `place depth-${depth}`, "data-words": words },
          h("input", { type: "radio", name: "place", required: true, disabled: unfit, value: JSON.stringify([owner.id, name]) }),
          h("span", null, label, isHere(owner.id, name) && h("span", { class: "muted" }, " (it is here)")),
        ),
      );
    }
  }
  const filter = h("input", {
    type: "search",
    autocomplete: "off",
    autofocus: true,
    oninput: () => {
      const wanted = filter.value.trim().toLowerCase();
      for (const it of rows) it.hidden = !(it.dataset.words ?? "").includes(wanted);
      none.hidden = rows.some((it) => !it.hidden);
    },
  });
  const none = h("p", { class: "muted", hidden: true }, "There is no such folder.");
  const what = items.length === 1 ? `“${items[0].title}”` : `${items.length} items`;
  return dialog({
    title: `Move ${what} to…`,
    body: /** @type {any} */ ([field("Find a folder", filter), h("fieldset", { class: "places" }, h("legend", { class: "hidden" }, "Folders"), rows, none)]),
    actions: [
      { label: "Cancel", value: "" },
      {
        label: "Move",
        run: (form) => {
          const [owner, folder] = JSON.parse(String(new FormData(form).get("place")));
          return run(owner, folder);
        },
      },
    ],
  }).closed;
}
