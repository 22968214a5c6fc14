// @ts-check
/** What the library shows and what can be done with it, by the public interface. */

import { ApiError, del, folderPath, get, patch, path, post, put } from "./api.js";

/**
 * A chart or a folder.
 * @typedef {object} Item
 * @property {string} key unique in a listing
 * @property {"document" | "folder"} type
 * @property {string} owner account id
 * @property {string} id of a chart; empty for a folder
 * @property {string} title
 * @property {string} parent absolute path of the folder that it is in
 * @property {string} name absolute path of a folder; empty for a chart
 * @property {string} view address of its page
 * @property {string} endpoint address in the interface
 * @property {string} etag its entity tag when it was listed
 * @property {string} picture address of its thumbnail; empty for a folder
 * @property {string} updated
 * @property {string} [deleted] when it was thrown away
 * @property {boolean} writes whether the reader may change it
 * @property {number} inside how much is in a folder
 * @property {string} [highlight]
 * @property {{ id: string, name: string }} [from] who shares it
 */

/**
 * The folders of an account that one may see.
 * @typedef {{ owner: { id: string, name: string, type: "user" | "org" }, folders: { name: string, title: string, mode: string }[] }} Place
 */

/** What takes a change back. @typedef {import("./stale.js").Job} Undo */
/** @typedef {string | null} Tag the state of a thing for which a change is meant */

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
 * A page of what a view of the library lists.
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
 * The folders that a view shows before its listing.
 * @param {string} view
 * @returns {Promise<Item[]>}
 */
export async function topFolders(view) {
  if (view !== "all" && view !== "shared") return [];
  const { data } = await get(view === "all" ? "/users/me/list" : "/users/me/foreign-folders", { query: { limit: 100 } });
  return data.results.filter((/** @type {any} */ it) => it.folder).map(itemOf);
}

/** All folders that one may see. @returns {Promise<Place[]>} */
export async function places() {
  return (await get("/users/me/visible-folders")).data;
}

/** @param {string} owner @param {string} folder the one to make it in @param {string} title */
export async function makeFolder(owner, folder, title) {
  const fault = (/** @type {string} */ message) => new ApiError(409, { errors: [{ field: "title", message }] });
  if (title.includes("/")) throw fault("must not contain a slash");
  const address = folderPath(owner, join(folder, title));
  // PUT leaves one alone that is there: it must not look newly made.
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

/** A copy; the thing itself stays as it is. @param {Item} item */
export function duplicate(item) {
  return post(item.endpoint, { action: "duplicate" }, { creates: true });
}

/** Into the trash. @param {Item} item @param {Tag} tag @returns {Promise<Undo>} */
export async function discard(item, tag) {
  const { etag } = await del(item.endpoint, { ifMatch: tag });
  return { item, tag: etag, run: (now) => restore(item, now) };
}

/** @param {Item} item @param {Tag} tag */
export function restore(item, tag) {
  return post(item.endpoint, { action: "restore" }, { ifMatch: tag });
}

/** For good. @param {Item} item @param {Tag} tag */
export function expunge(item, tag) {
  return del(item.endpoint, { query: { expunge: 1 }, ifMatch: tag });
}

/** @param {string} owner */
export function emptyTrash(owner) {
  return del(path`/users/${owner}/trash`);
}

/** Takes something off the list of what others share. @param {Item} item */
export function leave(item) {
  if (item.type === "document") return del(path`/users/me/foreign-documents/${item.owner}/${item.id}`);
  return del(folderPath(item.owner, item.name).replace(path`/users/${item.owner}/folders`, path`/users/me/foreign-folders/${item.owner}`));
}
