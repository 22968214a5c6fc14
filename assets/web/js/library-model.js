// @ts-check
/** Data model of the library: reads and changes charts and folders through the public API. */

import { ApiError, del, encodeFolderPath, encodePath, get, patch, post, put } from "./api.js";
import { getText } from "./texts.js";

/**
 * A chart or a folder.
 * @typedef {object} Item
 * @property {string} key unique within a listing
 * @property {"document" | "folder"} type
 * @property {string} owner account id
 * @property {string} id document id of a chart; empty for a folder
 * @property {string} title
 * @property {string} parent absolute path of the parent folder
 * @property {string} name absolute path of the folder; empty for a chart
 * @property {string} view address of the page
 * @property {string} endpoint address in the API
 * @property {string} etag entity tag at the time of the listing
 * @property {string} thumbnail address of the thumbnail; empty for a folder
 * @property {string} updated time of the last change
 * @property {string} [deleted] time of the move to the trash
 * @property {string} kindId id of the chart kind; empty for a folder
 * @property {boolean} isStarred whether the user has starred the chart
 * @property {boolean} mayWrite whether the user may change the item
 * @property {number} childCount number of items directly in the folder; 0 for a chart
 * @property {string} [highlight] HTML of a search result with the hits in `<mark>`
 * @property {import("./sync-state.js").SyncState} [sync] state of the source that keeps the data of a chart up to date
 * @property {{ id: string, name: string }} [sharer] account that shares the item
 */

/**
 * An account and its folders that the user may see.
 * @typedef {{ owner: { id: string, name: string, type: "user" | "org" }, folders: { name: string, title: string, mode: string }[] }} AccountFolders
 */

/** Order and filters of a listing; an empty text is the default. @typedef {{ sort: string, kind: string, owner: string }} ArrangementQuery */

/** Maximum number of entries on a page of a listing of the API. */
export const MAX_PAGE_SIZE = 100;

/** The change that undoes another one. @typedef {import("./edit-conflicts.js").ConditionalChange} Undo */
/** Expected entity tag of the item to change; null makes the change in any case. @typedef {string | null} Tag */

/** Returns the path of the parent folder. @param {string} name absolute path @returns {string} */
export function getParentPath(name) {
  return name.slice(0, name.lastIndexOf("/")) || "/";
}

/** Returns the path of a folder with this title in another one. @param {string} folder absolute path @param {string} title */
export function joinPath(folder, title) {
  return folder === "/" ? `/${title}` : `${folder}/${title}`;
}

/** Returns the address of a folder's page. @param {string} owner @param {string} folder @returns {string} */
export function buildFolderUrl(owner, folder) {
  return `/f/${[owner, ...folder.split("/").filter(Boolean)].map(encodeURIComponent).join("/")}`;
}

/** Converts an entry of a listing. @param {any} entry @returns {Item} */
export function toItem(entry) {
  const node = entry.document ?? entry.folder;
  const shared = {
    owner: node.owner,
    view: new URL(entry.urls.view, location.origin).pathname,
    etag: entry.etag,
    updated: node.updated,
    deleted: node.deleted_at,
    mayWrite: node.mode === "w",
    highlight: entry.highlight,
    sharer: entry.owner,
  };
  if (entry.document) {
    const endpoint = encodePath`/users/${node.owner}/documents/${node.id}`;
    return {
      ...shared,
      key: `d:${node.id}`,
      type: "document",
      id: node.id,
      title: node.title.trim() || getText("common.untitled"),
      parent: node.folder,
      name: "",
      endpoint,
      thumbnail: `/api/v1${endpoint}/thumbnail.png?v=${node.history_version}`,
      kindId: node.plugin_id,
      isStarred: entry.starred === true,
      sync: node.sync,
      childCount: 0,
    };
  }
  return {
    ...shared,
    key: `f:${node.owner}:${node.name}:${node.deleted_at ?? ""}`,
    type: "folder",
    id: "",
    title: node.title,
    parent: getParentPath(node.name),
    name: node.name,
    endpoint: encodeFolderPath(node.owner, node.name),
    thumbnail: "",
    kindId: "",
    isStarred: false,
    childCount: node.document_count + node.folder_count,
  };
}

/**
 * Returns one page of the listing of a view. It is empty for an unknown view and for a search without a query.
 * @param {{ view: string, user: { id: string }, owner?: string, path?: string, query?: string }} pageData
 * @param {ArrangementQuery} arrangement
 * @param {number} offset
 * @param {number} limit
 * @returns {Promise<{ count: number, items: Item[] }>}
 */
export async function listItems(pageData, arrangement, offset, limit) {
  const { view, user, owner = user.id, path: folder = "/", query = "" } = pageData;
  const address = {
    all: "/users/me/recent",
    recent: "/users/me/recent",
    starred: "/users/me/stars",
    folder: encodeFolderPath(owner, folder).replace("/folders", "/list"),
    shared: "/users/me/foreign-documents",
    trash: encodePath`/users/${owner}/trash`,
    search: "/search",
  }[view];
  if (!address || (view === "search" && !query)) return { count: 0, items: [] };
  const { data } = await get(address, { query: { offset, limit, query: view === "search" ? query : null, ...dropEmpty(arrangement) } });
  return { count: data.count, items: data.results.map(toItem) };
}

/**
 * Returns up to `limit` of the folders that a view shows above its listing, and whether there are more.
 * @param {{ view: string, user: { id: string } }} pageData
 * @param {ArrangementQuery} arrangement
 * @param {number} offset
 * @param {number} limit
 * @returns {Promise<{ items: Item[], hasMore: boolean }>}
 */
export async function listTopFolders({ view, user }, { sort, kind, owner }, offset, limit) {
  const address = { all: "/users/me/list", shared: "/users/me/foreign-folders" }[view];
  // The folders belong to the user, and no folder has a kind.
  if (!address || kind || (owner && owner !== user.id)) return { items: [], hasMore: false };
  /** @type {Promise<{ data: any }>[]} */
  const requests = [];
  // Folders come before charts. The additional entry shows whether there are more folders.
  for (let position = 0; position <= limit; position += MAX_PAGE_SIZE) {
    requests.push(get(address, { query: { offset: offset + position, limit: Math.min(MAX_PAGE_SIZE, limit + 1 - position), ...dropEmpty({ sort }) } }));
  }
  const entries = (await Promise.all(requests)).flatMap(({ data }) => data.results);
  const items = entries.filter((/** @type {any} */ entry) => entry.folder).map(toItem);
  return { items: items.slice(0, limit), hasMore: items.length > limit };
}

/** Returns parameters without those that are empty. @param {Record<string, string>} query @returns {Record<string, string>} */
const dropEmpty = (query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));

/** Stars a chart, or removes its star. @param {Item} item @param {boolean} isStarred @returns {Promise<Undo>} */
export async function setStar(item, isStarred) {
  const address = encodePath`/users/me/stars/${item.owner}/${item.id}`;
  const send = (/** @type {boolean} */ value) => (value ? put(address, undefined) : del(address));
  await send(isStarred);
  return { item, tag: null, run: () => send(!isStarred) };
}

/** Returns all folders that the user may see, by account. @returns {Promise<AccountFolders[]>} */
export async function listVisibleFolders() {
  return (await get("/users/me/visible-folders")).data;
}

/**
 * Creates a folder.
 * @param {string} owner
 * @param {string} folder parent folder
 * @param {string} title
 * @throws {ApiError} if the title contains a slash or is in use
 */
export async function createFolder(owner, folder, title) {
  const createTitleError = (/** @type {string} */ message) => new ApiError(409, { errors: [{ field: "title", message }] });
  if (title.includes("/")) throw createTitleError(getText("library.titleWithSlash"));
  const address = encodeFolderPath(owner, joinPath(folder, title));
  // PUT does not change an existing folder. Report it, because the user expects a new one.
  const { status } = await get(address).catch((error) => error);
  if (status === 200) throw createTitleError(getText("library.titleInUse"));
  await put(address, {});
}

/** Renames an item. @param {Item} item @param {string} title @param {Tag} tag @returns {Promise<Undo>} */
export async function renameItem(item, title, tag) {
  const send = item.type === "document" ? patch : put;
  const { data, etag } = await send(item.endpoint, { title }, { ifMatch: tag });
  const newEndpoint = item.type === "document" ? item.endpoint : encodeFolderPath(item.owner, data.name);
  return { item, tag: etag, run: (currentTag) => send(newEndpoint, { title: item.title }, { ifMatch: currentTag }) };
}

/** Moves an item to a folder, where a folder can get another name. @param {Item} item @param {string} owner @param {string} folder @param {Tag} tag @param {string} [name] @returns {Promise<Undo>} */
export async function moveItem(item, owner, folder, tag, name = item.title) {
  if (item.type === "document") {
    const { data, etag } = await post(`${item.endpoint}/move`, { owner, folder }, { ifMatch: tag });
    const moveEndpoint = `${encodePath`/users/${data.owner ?? owner}/documents/${item.id}`}/move`;
    return { item, tag: etag, run: (currentTag) => post(moveEndpoint, { owner: item.owner, folder: item.parent }, { ifMatch: currentTag }) };
  }
  const { data, etag } = await put(item.endpoint, { owner, name: joinPath(folder, name) }, { ifMatch: tag });
  return { item, tag: etag, run: (currentTag) => put(encodeFolderPath(owner, data.name), { owner: item.owner, name: item.name }, { ifMatch: currentTag }) };
}

/** Creates a copy of an item. @param {Item} item */
export function duplicateItem(item) {
  return post(item.endpoint, { action: "duplicate" }, { creates: true });
}

/** Moves an item to the trash. @param {Item} item @param {Tag} tag @returns {Promise<Undo>} */
export async function moveToTrash(item, tag) {
  const { etag } = await del(item.endpoint, { ifMatch: tag });
  return { item, tag: etag, run: (currentTag) => restoreItem(item, currentTag) };
}

/** Restores an item from the trash. @param {Item} item @param {Tag} tag */
export function restoreItem(item, tag) {
  return post(item.endpoint, { action: "restore" }, { ifMatch: tag });
}

/** Deletes an item permanently. @param {Item} item @param {Tag} tag */
export function deletePermanently(item, tag) {
  return del(item.endpoint, { query: { expunge: 1 }, ifMatch: tag });
}

/** Deletes all items in the trash of an account permanently. @param {string} owner */
export function emptyTrash(owner) {
  return del(encodePath`/users/${owner}/trash`);
}

/** Removes an item from the list of shared items. @param {Item} item */
export function leaveSharedItem(item) {
  if (item.type === "document") return del(encodePath`/users/me/foreign-documents/${item.owner}/${item.id}`);
  return del(encodeFolderPath(item.owner, item.name).replace(encodePath`/users/${item.owner}/folders`, encodePath`/users/me/foreign-folders/${item.owner}`));
}
