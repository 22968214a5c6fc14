// @ts-check
/** Data model of the library: reads and changes charts and folders through the public API. */

import { ApiError, del, folderPath, get, patch, path, post, put } from "./api.js";

/**
 * A chart or a folder.
 * @typedef {object} Item
 * @property {string} key unique within a listing
 * @property {"document" | "folder"} type
 * @property {string} owner account id
 * @property {string} id of the chart; empty for a folder
 * @property {string} title
 * @property {string} parent absolute path of the parent folder
 * @property {string} name absolute path of the folder; empty for a chart
 * @property {string} view address of the page
 * @property {string} endpoint address in the API
 * @property {string} etag entity tag at the time of the listing
 * @property {string} picture address of the thumbnail; empty for a folder
 * @property {string} updated
 * @property {string} [deleted] time of the move to the trash
 * @property {boolean} writes whether the user may change the item
 * @property {number} inside number of items in the folder
 * @property {string} [highlight]
 * @property {{ id: string, name: string }} [from] user who shares the item
 */

/**
 * An account and its folders that the user may see.
 * @typedef {{ owner: { id: string, name: string, type: "user" | "org" }, folders: { name: string, title: string, mode: string }[] }} Place
 */

/** The change that undoes another one. @typedef {import("./stale.js").GuardedChange} Undo */
/** @typedef {string | null} Tag expected entity tag of the item to change */

/** @param {string} name absolute path @returns {string} the folder above */
export function parentOf(name) {
  return name.slice(0, name.lastIndexOf("/")) || "/";
}

/** @param {string} folder @param {string} title */
export function join(folder, title) {
  return folder === "/" ? `/${title}` : `${folder}/${title}`;
}

/** @param {string} owner @param {string} folder @returns {string} address of a folder's page */
export function folderView(owner, folder) {
  return `/f/${[owner, ...folder.split("/").filter(Boolean)].map(encodeURIComponent).join("/")}`;
}

/** An entry of a listing as an item. @param {any} entry @returns {Item} */
export function itemOf(entry) {
  const of = entry.document ?? entry.folder;
  const shared = {
    owner: of.owner,
    view: new URL(entry.urls.view, location.origin).pathname,
    etag: entry.etag,
    updated: of.updated,
    deleted: of.deleted_at,
    writes: of.mode === "w",
    highlight: entry.highlight,
    from: entry.owner,
  };
  if (entry.document) {
    const endpoint = path`/users/${of.owner}/documents/${of.id}`;
    return {
      ...shared,
      key: `d:${of.id}`,
      type: "document",
      id: of.id,
      title: of.title.trim() || "Untitled",
      parent: of.folder,
      name: "",
      endpoint,
      picture: `/api/v1${endpoint}/thumbnail.png?v=${of.history_version}`,
      inside: 0,
    };
  }
  return {
    ...shared,
    key: `f:${of.owner}:${of.name}:${of.deleted_at ?? ""}`,
    type: "folder",
    id: "",
    title: of.title,
    parent: parentOf(of.name),
    name: of.name,
    endpoint: folderPath(of.owner, of.name),
    picture: "",
    inside: of.document_count + of.folder_count,
  };
}

/**
 * Returns one page of the listing of a view.
 * @param {{ view: string, user: { id: string }, owner?: string, path?: string, query?: string }} boot
 * @param {number} offset
 * @param {number} limit
 * @returns {Promise<{ count: number, items: Item[] }>}
 */
export async function list(boot, offset, limit) {
  const { view, user, owner = user.id, path: folder = "/", query = "" } = boot;
  const address = {
    all: "/users/me/recent",
    recent: "/users/me/recent",
    folder: folderPath(owner, folder).replace("/folders", "/list"),
    shared: "/users/me/foreign-documents",
    trash: path`/users/${owner}/trash`,
    search: "/search",
  }[view];
  if (!address || (view === "search" && !query)) return { count: 0, items: [] };
  const { data } = await get(address, { query: { offset, limit, query: view === "search" ? query : null } });
  return { count: data.count, items: data.results.map(itemOf) };
}

/**
 * Returns the folders that a view shows above its listing.
 * @param {string} view
 * @returns {Promise<Item[]>}
 */
export async function topFolders(view) {
  if (view !== "all" && view !== "shared") return [];
  const { data } = await get(view === "all" ? "/users/me/list" : "/users/me/foreign-folders", { query: { limit: 100 } });
  return data.results.filter((/** @type {any} */ it) => it.folder).map(itemOf);
}

/** Returns all folders that the user may see. @returns {Promise<Place[]>} */
export async function places() {
  return (await get("/users/me/visible-folders")).data;
}

/** @param {string} owner @param {string} folder parent folder @param {string} title */
export async function makeFolder(owner, folder, title) {
  const fault = (/** @type {string} */ message) => new ApiError(409, { errors: [{ field: "title", message }] });
  if (title.includes("/")) throw fault("must not contain a slash");
  const address = folderPath(owner, join(folder, title));
  // PUT does not change an existing folder. Report it, because the user expects a new one.
  const { status } = await get(address).catch((error) => error);
  if (status === 200) throw fault("is the name of another folder here");
  await put(address, {});
}

/** @param {Item} item @param {string} title @param {Tag} tag @returns {Promise<Undo>} */
export async function rename(item, title, tag) {
  const send = item.type === "document" ? patch : put;
  const { data, etag } = await send(item.endpoint, { title }, { ifMatch: tag });
  const there = item.type === "document" ? item.endpoint : folderPath(item.owner, data.name);
  return { item, tag: etag, run: (now) => send(there, { title: item.title }, { ifMatch: now }) };
}

/** @param {Item} item @param {string} owner @param {string} folder @param {Tag} tag @returns {Promise<Undo>} */
export async function move(item, owner, folder, tag) {
  if (item.type === "document") {
    const { data, etag } = await post(`${item.endpoint}/move`, { owner, folder }, { ifMatch: tag });
    const there = `${path`/users/${data.owner ?? owner}/documents/${item.id}`}/move`;
    return { item, tag: etag, run: (now) => post(there, { owner: item.owner, folder: item.parent }, { ifMatch: now }) };
  }
  const { data, etag } = await put(item.endpoint, { owner, name: join(folder, item.title) }, { ifMatch: tag });
  return { item, tag: etag, run: (now) => put(folderPath(owner, data.name), { owner: item.owner, name: item.name }, { ifMatch: now }) };
}

/** Creates a copy. @param {Item} item */
export function duplicate(item) {
  return post(item.endpoint, { action: "duplicate" }, { creates: true });
}

/** Moves an item to the trash. @param {Item} item @param {Tag} tag @returns {Promise<Undo>} */
export async function discard(item, tag) {
  const { etag } = await del(item.endpoint, { ifMatch: tag });
  return { item, tag: etag, run: (now) => restore(item, now) };
}

/** @param {Item} item @param {Tag} tag */
export function restore(item, tag) {
  return post(item.endpoint, { action: "restore" }, { ifMatch: tag });
}

/** Deletes an item permanently. @param {Item} item @param {Tag} tag */
export function expunge(item, tag) {
  return del(item.endpoint, { query: { expunge: 1 }, ifMatch: tag });
}

/** @param {string} owner */
export function emptyTrash(owner) {
  return del(path`/users/${owner}/trash`);
}

/** Removes an item from the list of shared items. @param {Item} item */
export function leave(item) {
  if (item.type === "document") return del(path`/users/me/foreign-documents/${item.owner}/${item.id}`);
  return del(folderPath(item.owner, item.name).replace(path`/users/${item.owner}/folders`, path`/users/me/foreign-folders/${item.owner}`));
}
