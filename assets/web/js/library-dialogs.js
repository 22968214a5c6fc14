// @ts-check
/** Dialogs of the library that ask for a name or for a target folder. */

import { h } from "./core.js";
import { getText } from "./texts.js";
import { createField, openDialog } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */
/** @typedef {import("./library-model.js").AccountFolders} AccountFolders */

/**
 * Asks for a name and calls `run` with it, without surrounding spaces.
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.label
 * @param {string} options.action
 * @param {string} [options.value]
 * @param {number} [options.maxLength] in characters
 * @param {(name: string) => Promise<unknown>} options.run
 * @returns {Promise<string | null>} null if the user cancels
 */
export function askName({ title, label, action, value = "", maxLength = 255, run }) {
  const input = h("input", { name: "title", type: "text", required: true, maxlength: maxLength, value, autocomplete: "off", autofocus: true });
  const { closed } = openDialog({
    title,
    body: createField(label, input),
    actions: [{ label: getText("common.cancel"), value: "" }, { label: action, value: "done", run: () => run(input.value.trim()) }],
  });
  input.select();
  return closed;
}

/**
 * Asks for the target folder of a move and calls `run` with it. Offers writable folders. The current parent,
 * and folders within a moved one, cannot be selected.
 * @param {Item[]} items
 * @param {AccountFolders[]} accounts
 * @param {string} userId account id of the signed-in user
 * @param {(owner: string, folder: string) => Promise<unknown>} run
 */
export function askTargetFolder(items, accounts, userId, run) {
  const folders = items.filter((item) => item.type === "folder");
  const isWithin = (/** @type {string} */ owner, /** @type {string} */ name) =>
    folders.some((folder) => folder.owner === owner && (name === folder.name || name.startsWith(`${folder.name}/`)));
  const isParent = (/** @type {string} */ owner, /** @type {string} */ name) => items.every((item) => item.owner === owner && item.parent === name);
  /** @type {HTMLElement[]} */
  const rows = [];
  for (const { owner, folders } of accounts) {
    for (const { name, title, mode } of folders) {
      if (mode !== "w") continue;
      const label = name === "/" ? (owner.id === userId ? getText("common.myCharts") : owner.name) : title;
      const depth = Math.min(name === "/" ? 0 : name.split("/").length - 1, 8);
      const isDisabled = isWithin(owner.id, name) || isParent(owner.id, name);
      const searchText = `${owner.name} ${name} ${label}`.toLowerCase();
      rows.push(
        h(
          "label",
          { class: `place depth-${depth}`, "data-search-text": searchText },
          h("input", { type: "radio", name: "place", required: true, disabled: isDisabled, value: JSON.stringify([owner.id, name]) }),
          h("span", null, label, isParent(owner.id, name) && h("span", { class: "muted" }, " ", getText("library.currentFolder"))),
        ),
      );
    }
  }
  const filterInput = h("input", {
    type: "search",
    autocomplete: "off",
    autofocus: true,
    oninput: () => {
      const query = filterInput.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !(row.dataset.searchText ?? "").includes(query);
      noMatchHint.hidden = rows.some((row) => !row.hidden);
    },
  });
  const noMatchHint = h("p", { class: "muted", hidden: true }, getText("library.noFolderMatches"));
  const subject = items.length === 1 ? getText("ui.quoted", { title: items[0].title }) : getText("library.itemCount", { count: items.length, number: String(items.length) });
  return openDialog({
    title: getText("library.moveItemsTo", { items: subject }),
    body: /** @type {any} */ ([createField(getText("library.findFolder"), filterInput), h("fieldset", { class: "places" }, h("legend", { class: "hidden" }, getText("library.folders")), rows, noMatchHint)]),
    actions: [
      { label: getText("common.cancel"), value: "" },
      {
        label: getText("common.move"),
        run: (form) => {
          const [owner, folder] = JSON.parse(String(new FormData(form).get("place")));
          return run(owner, folder);
        },
      },
    ],
  }).closed;
}
