// @ts-check
/** The folder tree of the library. */

import { effect, h, signal } from "./core.js";
import { makeDropTarget } from "./library-cards.js";
import { buildFolderUrl, getParentPath } from "./library-model.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** @typedef {import("./library-model.js").AccountFolders} AccountFolders */

/** @typedef {AccountFolders["folders"][number]} Folder */

/** Key of the open folders in the session storage. */
const STORAGE_KEY = "library-open";

/** Groups folders by the path of the folder that contains them. @param {Folder[]} folders @returns {Map<string, Folder[]>} */
function groupByParent(folders) {
  /** @type {Map<string, Folder[]>} */
  const groups = new Map();
  for (const folder of folders) {
    if (folder.name === "/") continue;
    const parent = getParentPath(folder.name);
    const group = groups.get(parent);
    if (group) group.push(folder);
    else groups.set(parent, [folder]);
  }
  return groups;
}

/**
 * Builds the tree and rebuilds it when the accounts change. The session storage keeps the open folders.
 * @param {HTMLElement} list list of accounts; the server renders its first level
 * @param {{ user: { id: string }, owner?: string, path?: string, view: string }} pageData
 * @param {import("./library-cards.js").LibraryContext} context
 * @param {import("./core.js").Signal<AccountFolders[] | null>} accounts null until they are loaded
 */
export function buildFolderTree(list, pageData, context, accounts) {
  const openKeys = signal(new Set(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") ?? [`${pageData.user.id}:/`]));
  if (pageData.view === "folder" && pageData.path) {
    for (let path = pageData.path; path !== "/"; path = getParentPath(path)) openKeys.peek().add(`${pageData.owner}:${getParentPath(path)}`);
  }
  const toggleFolder = (/** @type {string} */ key) => {
    const next = new Set(openKeys.peek());
    if (!next.delete(key)) next.add(key);
    openKeys.value = next;
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...next]));
    // The tree was rebuilt. Return the focus to the pressed button.
    /** @type {HTMLElement | null} */ (list.querySelector(`[data-folder-key="${CSS.escape(key)}"]`))?.focus();
  };

  /**
   * Builds the entry of a folder with its open subfolders.
   * @param {AccountFolders} account
   * @param {Map<string, Folder[]>} childrenByParent see `groupByParent`
   * @param {Folder} folder
   * @returns {HTMLElement}
   */
  const buildNode = (account, childrenByParent, folder) => {
    const key = `${account.owner.id}:${folder.name}`;
    const children = childrenByParent.get(folder.name) ?? [];
    const isOpen = openKeys.value.has(key);
    const label = folder.name === "/" ? (account.owner.id === pageData.user.id ? getText("common.myCharts") : account.owner.name) : folder.title;
    const isCurrent = pageData.view === "folder" && pageData.owner === account.owner.id && pageData.path === folder.name;
    const iconName = folder.name === "/" && account.owner.type === "org" ? "organization" : "folder";
    const link = h("a", { href: buildFolderUrl(account.owner.id, folder.name), "aria-current": isCurrent ? "page" : null }, createIcon(iconName), h("span", null, label));
    if (folder.mode === "w") makeDropTarget(link, context, () => ({ owner: account.owner.id, folder: folder.name }));
    const toggleButton = h("button", { type: "button", class: "twist", "data-folder-key": key, "aria-expanded": isOpen, "aria-label": getText("library.foldersIn", { folder: label }), onclick: () => toggleFolder(key) }, createIcon("right"));
    return h(
      "li",
      null,
      h("div", { class: "branch" }, children.length ? toggleButton : h("span", { class: "twist" }), link),
      isOpen && children.length > 0 && h("ul", null, children.map((child) => buildNode(account, childrenByParent, child))),
    );
  };

  effect(() => {
    const loaded = accounts.value;
    if (!loaded) return;
    const roots = loaded.flatMap((account) => {
      const names = new Set(account.folders.map((folder) => folder.name));
      const childrenByParent = groupByParent(account.folders);
      // A shared folder is a root if its parent is not shared.
      const rootFolders = account.folders.filter((folder) => folder.name === "/" || !(names.has("/") || names.has(getParentPath(folder.name))));
      return rootFolders.map((folder) => buildNode(account, childrenByParent, folder));
    });
    list.replaceChildren(...roots);
  });
}
