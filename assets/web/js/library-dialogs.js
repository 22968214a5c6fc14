// @ts-check
/** Dialogs of the library that ask for a name or for a target folder. */

import { ApiError } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createButton, createField, openDialog } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */
/** @typedef {import("./library-model.js").AccountFolders} AccountFolders */

/**
 * Returns the name with the next number that is free, such as “Q3 (2)”.
 * @param {string} name a name in use
 * @param {string[]} taken other names in use
 */
function findFreeName(name, taken) {
  const [, base, number] = /^(.*?)(?: \((\d+)\))?$/.exec(name) ?? [];
  let next = Number(number ?? 1) + 1;
  while (taken.includes(`${base} (${next})`)) next += 1;
  return `${base} (${next})`;
}

/**
 * Creates the place for the offer of a free name, in a dialog with a name in use.
 * @param {(name: string) => string} describe returns the label of the button
 * @param {(name: string) => void} use is called when the button is pressed
 */
function createNameOffer(describe, use) {
  const element = h("div", { hidden: true });
  const hide = () => (element.hidden = true);
  const show = (/** @type {string} */ name) => {
    element.replaceChildren(createButton(describe(name), { class: "small", onclick: () => use(name) }));
    element.hidden = false;
  };
  return { element, show, hide };
}

/**
 * Asks for a name and calls `run` with it, without surrounding spaces. If the name is in use, offers a free one, which Enter
 * accepts.
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.label
 * @param {string} options.action
 * @param {string} [options.value]
 * @param {number} [options.maxLength] in characters
 * @param {() => Promise<string[]>} [options.listTaken] returns names in use
 * @param {(name: string) => Promise<unknown>} options.run
 * @returns {Promise<string | null>} null if the user cancels
 */
export function askName({ title, label, action, value = "", maxLength = 255, listTaken = async () => [], run }) {
  const input = h("input", { name: "title", type: "text", required: true, maxlength: maxLength, value, autocomplete: "off", autofocus: true });
  /** The name that the server has refused, and the one that Enter uses instead. */
  let [refused, free] = ["", ""];
  const offer = createNameOffer((name) => getText("library.useName", { name }), (name) => {
    input.value = name;
    form.requestSubmit();
  });
  input.addEventListener("input", offer.hide);
  const submit = async () => {
    if (!offer.element.hidden && input.value.trim() === refused) input.value = free;
    const name = input.value.trim();
    offer.hide();
    try {
      await run(name);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) {
        [refused, free] = [name, findFreeName(name, await listTaken().catch(() => []))];
        offer.show(free);
      }
      throw error;
    }
  };
  const { closed, form } = openDialog({
    title,
    body: [createField(label, input), offer.element],
    actions: [{ label: getText("common.cancel"), value: "" }, { label: action, value: "done", run: submit }],
  });
  input.select();
  return closed;
}

/**
 * Returns the names of the folders in a folder, as far as they are known.
 * @param {AccountFolders[]} accounts
 * @param {string} owner
 * @param {string} parent
 */
export function listFolderNames(accounts, owner, parent) {
  const prefix = parent === "/" ? "/" : `${parent}/`;
  const folders = accounts.find((account) => account.owner.id === owner)?.folders ?? [];
  return folders.map(({ name }) => name).filter((name) => name.startsWith(prefix) && name !== "/").map((name) => name.slice(prefix.length)).filter((name) => !name.includes("/"));
}

/**
 * Asks for the target folder of a move and calls `run` with it. Offers writable folders. The current parent,
 * and folders within a moved one, cannot be selected. If the target has a folder with the name of a moved one, offers a free
 * name for it.
 * @param {Item[]} items
 * @param {AccountFolders[]} accounts
 * @param {string} userId account id of the signed-in user
 * @param {(owner: string, folder: string, name?: string) => Promise<unknown>} run gets the new name of the folder, if it has one
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
  /** @type {string | undefined} */
  let newName;
  const offer = createNameOffer((name) => getText("library.moveAs", { name }), (name) => {
    newName = name;
    form.requestSubmit();
  });
  const move = async () => {
    const [owner, folder] = JSON.parse(String(new FormData(form).get("place")));
    const name = newName;
    newName = undefined;
    offer.hide();
    try {
      return await run(owner, folder, name);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409 && items.length === 1 && folders.length === 1) offer.show(findFreeName(name ?? items[0].title, listFolderNames(accounts, owner, folder)));
      throw error;
    }
  };
  const { closed, form } = openDialog({
    title: getText("library.moveItemsTo", { items: subject }),
    body: /** @type {any} */ ([createField(getText("library.findFolder"), filterInput), h("fieldset", { class: "places", onchange: offer.hide }, h("legend", { class: "hidden" }, getText("library.folders")), rows, noMatchHint), offer.element]),
    actions: [{ label: getText("common.cancel"), value: "" }, { label: getText("common.move"), run: move }],
  });
  return closed;
}
