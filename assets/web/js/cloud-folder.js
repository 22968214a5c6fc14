// @ts-check
/** The list of a folder at a provider of cloud storage, with the path to it. */

import { get } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createButton, createIcon } from "./ui.js";

/** @typedef {{ id: string, title: string, modified?: string, is_spreadsheet?: boolean, sync_url?: string }} Entry */
/** @typedef {{ type: string, folder?: Entry, document?: Entry, file?: Entry, urls: { view?: string, endpoint?: string, thumbnail?: string } }} ListEntry */
/** @typedef {{ folder: { id: string, title: string, parent_id?: string }, results: ListEntry[], cursor?: string }} FolderList */
/** @typedef {{ id: string, title: string }} Step */

/** Id of the root folder of each account. */
const ROOT = "root";

/**
 * Creates the list. `open` shows a folder.
 *
 * @param {object} options
 * @param {(entry: ListEntry) => HTMLElement | null} options.buildFile builds an entry that is no folder; null leaves it out
 * @param {(failure: unknown) => void} options.showFailure shows an error; undefined for none
 * @param {string} options.label name of the list
 * @param {boolean} [options.withFiles] whether the list has files that are no documents
 * @param {(folder: Entry) => Promise<boolean>} [options.deleteFolder] asks and deletes a folder; whether it is deleted. Without it, folders cannot be deleted
 * @param {(steps: Step[]) => void} [options.onOpen] called with the folders from the root to the one that is opened
 */
export function createFolderList({ buildFile, showFailure, label, withFiles = false, deleteFolder, onOpen }) {
  const path = h("ol", { class: "cloud-path", "aria-label": getText("cloud-picker.path") });
  const list = h("ul", { class: "cloud-files", "aria-label": label });
  const status = h("p", { class: "muted", role: "status" });
  const more = createButton(getText("cloud-picker.more"), { hidden: true });
  let running = new AbortController();
  /** API path of the connection. */
  let connection = "";

  /** Builds an entry. @param {ListEntry} entry @param {Step[]} steps */
  const buildEntry = (entry, steps) => {
    const { folder } = entry;
    if (!folder) return buildFile(entry);
    const opener = h("button", { type: "button", onclick: () => open([...steps, folder]) }, createIcon("folder"), h("span", null, folder.title));
    if (!deleteFolder) return h("li", null, opener);
    const label = getText("cloud-picker.deleteFolder", { folder: folder.title });
    const remove = async () => (await deleteFolder(folder)) && open(steps);
    return h("li", { class: "with-tool" }, opener, h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: remove }, createIcon("trash")));
  };

  /** Adds a part of a list. @param {string} address @param {Step[]} steps @param {AbortSignal} signal */
  const load = async (address, steps, signal) => {
    status.textContent = getText("cloud-picker.loading");
    more.hidden = true;
    try {
      /** @type {{ data: FolderList }} */
      const { data } = await get(address, { signal });
      list.append(...data.results.map((entry) => buildEntry(entry, steps)).filter((entry) => entry !== null));
      status.textContent = list.childElementCount || data.cursor ? "" : getText("cloud-picker.empty");
      const { cursor } = data;
      more.hidden = !cursor;
      more.onclick = () => load(`${connection}/folders/continue/${cursor}`, steps, signal);
      return data.folder;
    } catch (failure) {
      if (signal.aborted) return null;
      status.textContent = "";
      showFailure(failure);
      return null;
    }
  };

  /** Shows the folders from the root to the present one. @param {Step[]} steps */
  const showPath = (steps) => {
    const buildStep = (/** @type {Step} */ step, /** @type {number} */ index) => {
      const isLast = index === steps.length - 1;
      return h("li", null, h("button", { type: "button", "aria-current": isLast ? "location" : null, onclick: () => open(steps.slice(0, index + 1)) }, step.title));
    };
    path.replaceChildren(...steps.map(buildStep));
  };

  /** Opens the last folder of a path. A folder without a title gets that of the provider. @param {Step[]} steps */
  const open = async (steps) => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const hadFocus = [path, list].some((element) => element.contains(document.activeElement));
    showFailure(undefined);
    // Thumbnails that still load would delay the list, because a provider gets one request of an account at a time.
    for (const image of list.querySelectorAll("img")) image.removeAttribute("src");
    list.replaceChildren();
    showPath(steps);
    onOpen?.(steps);
    const last = steps.at(-1) ?? { id: ROOT, title: "" };
    const address = last.id === ROOT ? `${connection}/folders` : `${connection}/folders/${last.id}`;
    const folder = await load(withFiles ? `${address}?files=1` : address, steps, signal);
    if (signal.aborted) return;
    if (folder && !last.title) {
      last.title = folder.title;
      showPath(steps);
    }
    // The button that was pressed is not in the page any more.
    if (hadFocus && document.activeElement === document.body) /** @type {HTMLElement | null} */ (list.querySelector("button:enabled, a") ?? path.querySelector("[aria-current]"))?.focus();
  };

  return {
    /** The parts of the list, in order. */
    parts: [path, status, list, more],
    status,
    /** Opens the root folder of a connection. @param {string} connectionPath its API path @param {string} title */
    openRoot: (connectionPath, title) => {
      connection = connectionPath;
      return open([{ id: ROOT, title }]);
    },
    /** Opens a folder below the root of a connection. @param {string} connectionPath its API path @param {string} title that of the root @param {string} id of the folder */
    openFolder: (connectionPath, title, id) => {
      connection = connectionPath;
      return open([{ id: ROOT, title }, { id, title: "" }]);
    },
    /** Drops the running request. */
    stop: () => running.abort(),
  };
}

/** @typedef {ReturnType<typeof createFolderList>} FolderView */
