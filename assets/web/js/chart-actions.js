// @ts-check
/** Actions of the page of a chart that concern its place in the library: new, duplicate, move, trash. */

import { ApiError, post } from "./api.js";
import { chart, doc, getDocumentPath, getEntityTag, refreshDocument, withShareToken } from "./chart.js";
import { describeConflict, runConditionalChange } from "./edit-conflicts.js";
import { askTargetFolder } from "./library-dialogs.js";
import { listVisibleFolders, moveItem, moveToTrash, restoreItem } from "./library-model.js";
import { getText } from "./texts.js";
import { describeError, showToast } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */
/** @typedef {import("./ui.js").Item} MenuItem */

/** Returns the chart as an item of the library. @returns {Item} */
function toLibraryItem() {
  const { title = "", folder = "/", owner = chart.owner } = doc.peek() ?? {};
  return /** @type {Item} */ ({ key: chart.id, type: "document", owner, id: chart.id, title: title.trim() || getText("common.untitled"), parent: folder, endpoint: getDocumentPath(), mayWrite: chart.mayWrite });
}

/**
 * Makes a change with the entity tag of the loaded document. If another user has changed the document,
 * loads it and says so, and the next attempt uses the new entity tag.
 * @template T
 * @param {(tag: string | null) => Promise<T>} change
 * @returns {Promise<T>}
 * @throws {Error}
 */
async function changeDocument(change) {
  try {
    return await runConditionalChange(change, getEntityTag(), chart.userId);
  } catch (error) {
    if (!(error instanceof ApiError && error.isStale)) throw error;
    await refreshDocument();
    throw new ApiError(409, { detail: getText("chart-page.actionConflict", { conflict: describeConflict(error.problem, getText("chart-page.thisChart")) }) });
  }
}

/** Creates a copy and opens it. The copy is in the same folder if the user may write there, otherwise in their own. */
async function duplicate() {
  const { data } = await post(getDocumentPath(), { action: "duplicate" }, { query: withShareToken(), creates: true });
  location.assign(new URL(data.urls.document_view, location.origin).pathname);
}

/** Opens the dialog that moves the chart to another folder. A new owner gives the page another address. */
async function move() {
  const item = toLibraryItem();
  await askTargetFolder([item], await listVisibleFolders(), chart.userId, async (owner, folder) => {
    await changeDocument((tag) => moveItem(item, owner, folder, tag));
    location.assign(`/d/${encodeURIComponent(owner)}/${encodeURIComponent(chart.id)}`);
  });
}

/** Moves the chart to the trash. The page then offers to restore it. */
async function trash() {
  await changeDocument((tag) => moveToTrash(toLibraryItem(), tag));
  location.reload();
}

/** Restores the chart from the trash. @throws {Error} */
export const restoreInPlace = () => changeDocument((tag) => restoreItem(toLibraryItem(), tag));

/** Restores the chart from the trash and reloads the page. */
export async function restore() {
  try {
    await restoreInPlace();
    location.reload();
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/** Returns the address of the dialog for a new chart, in the folder of this chart if the user may write there. */
function getNewChartUrl() {
  const folderUrl = doc.peek()?.urls?.parent_folder;
  return `${chart.mayWrite && folderUrl ? new URL(folderUrl, location.origin).pathname : "/"}#new`;
}

/**
 * Returns the items of the menu of the chart, for a signed-in user.
 * @returns {MenuItem[]}
 */
export function buildMenuItems() {
  const items = [
    { label: getText("common.newChart"), icon: "plus", href: getNewChartUrl() },
    { label: getText(chart.mayWrite ? "common.duplicate" : "chart-page.makeCopy"), icon: "copy", run: duplicate },
  ];
  if (!chart.mayWrite) return items;
  return [...items, { label: getText("common.moveTo"), icon: "move", run: move }, null, { label: getText("common.moveToTrash"), icon: "trash", danger: true, run: trash }];
}
