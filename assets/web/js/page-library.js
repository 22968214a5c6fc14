// @ts-check
/** The library page: makes the listing from the server interactive. */

import { ApiError } from "./api.js";
import { batch, effect, h, signal } from "./core.js";
import { confirmOverwrite, runConditionalChange } from "./edit-conflicts.js";
import { buildCards, findFocusKeys, getVisibleItems, keepFocus, makeDropTarget } from "./library-cards.js";
import { askName, askTargetFolder, listFolderNames } from "./library-dialogs.js";
import { keepListPosition, readListPosition, showListPosition } from "./library-history.js";
import { startMarquee } from "./library-marquee.js";
import * as model from "./library-model.js";
import { createArrangement } from "./library-sort.js";
import { buildFolderTree } from "./library-tree.js";
import { openNewChartDialog, preloadNewChartDialog } from "./new-chart.js";
import { mayTriggerShortcut } from "./shortcuts.js";
import { getText } from "./texts.js";
import { askConfirmation, createButton, createIcon, describeError, findElement, openMenu, runBusy, showError, showToast } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */

/** Number of entries per page. */
const PAGE_SIZE = 48;
/** Number of folders per page, where they are listed above the charts. */
const FOLDER_PAGE_SIZE = 96;
/** Distance from the visible area at which the next page of the listing loads. */
const LOAD_MARGIN_PX = 600;
/** Maximum number of items that can be deleted permanently without a typed confirmation. */
const MAX_UNCONFIRMED = 20;

/** Data that the server put into the page. */
const pageData = JSON.parse(findElement("#boot").textContent ?? "");
// The sign-in dialog recognizes the user of the page by this attribute.
findElement("#library").dataset.user = pageData.user.id;
const userId = pageData.user.id;
const isTrash = pageData.view === "trash";
const startOffset = Number(new URLSearchParams(location.search).get("offset"));
const startFolderOffset = Number(new URLSearchParams(location.search).get("folders"));

const folders = signal(/** @type {Item[]} */ (pageData.folders.map(model.toItem)));
const hasMoreFolders = signal(/** @type {boolean} */ (pageData.hasMoreFolders));
const items = signal(/** @type {Item[]} */ (pageData.listing.results.map(model.toItem)));
const count = signal(pageData.listing.count);
const selectedKeys = signal(/** @type {Set<string>} */ (new Set()));
const layout = signal(/** @type {"grid" | "rows"} */ (localStorage.getItem("library-layout") === "rows" ? "rows" : "grid"));
const accounts = signal(/** @type {model.AccountFolders[] | null} */ (null));
/** @type {(() => Promise<unknown>) | null} */
let lastUndo = null;

const errorContainer = h("div", { class: "fault" });
const arrangement = createArrangement(document.querySelector("#arrange"), () => runWithErrorToast(showFirstPage));
const context = { view: pageData.view, trashDays: pageData.trashDays, folders, items, selectedKeys, layout, arrangement, openItemMenu, moveSelection };

/** Returns the folder for new items: the current folder if it is writable, otherwise the user's root folder. */
function getTargetFolder() {
  if (pageData.view !== "folder") return { owner: userId, folder: "/" };
  const account = accounts.peek()?.find((candidate) => candidate.owner.id === pageData.owner);
  const isWritable = !account || account.folders.some((folder) => folder.name === pageData.path && folder.mode === "w");
  return isWritable ? { owner: pageData.owner, folder: pageData.path } : { owner: userId, folder: "/" };
}

/** The newest load of the listing. @type {Promise<void>} */
let newestLoad = Promise.resolve();
/** Number of loads of the listing so far. */
let loadCount = 0;

/**
 * Reloads the listing, and drops missing items from the selection. Waits for a newer load, if one begins meanwhile: with
 * another order, for example.
 * @param {{ itemCount: number, folderCount: number }} [wanted] numbers of items and folders; as many as before if omitted
 * @returns {Promise<void>}
 */
function reloadItems(wanted = { itemCount: items.peek().length, folderCount: folders.peek().length }) {
  loadCount += 1;
  newestLoad = loadItems(wanted, loadCount);
  return newestLoad;
}

/** Loads the listing. See `reloadItems`. @param {{ itemCount: number, folderCount: number }} wanted @param {number} load number of the load @returns {Promise<void>} */
async function loadItems({ itemCount, folderCount }, load) {
  const limit = Math.max(PAGE_SIZE, itemCount);
  /** @type {Item[]} */
  const all = [];
  let total = 0;
  while (all.length < limit) {
    const page = await model.listItems(pageData, arrangement.getQuery(), startOffset + all.length, Math.min(model.MAX_PAGE_SIZE, limit - all.length));
    total = page.count;
    all.push(...page.items);
    if (!page.items.length) break;
  }
  const topFolders = await model.listTopFolders(pageData, arrangement.getQuery(), startFolderOffset, Math.max(FOLDER_PAGE_SIZE, folderCount));
  if (load !== loadCount) return newestLoad;
  batch(() => {
    items.value = all;
    folders.value = topFolders.items;
    hasMoreFolders.value = topFolders.hasMore;
    count.value = total;
    const keys = new Set([...topFolders.items, ...all].map((item) => item.key));
    selectedKeys.value = new Set([...selectedKeys.peek()].filter((key) => keys.has(key)));
  });
  accounts.value = await model.listVisibleFolders();
}

/** Shows the first page of the listing, after its order or a filter has changed. */
async function showFirstPage() {
  showError(errorContainer);
  selectedKeys.value = new Set();
  await reloadItems({ itemCount: 0, folderCount: 0 });
}

/**
 * Changes several items one by one, so that a failure does not stop the other changes. If another
 * user has changed an item since it was listed, asks for confirmation first.
 * @param {import("./edit-conflicts.js").ConditionalChange[]} changes
 * @param {string} verb label of the action, such as `Rename`
 * @returns {Promise<any[] | null>} results of the completed changes; null if there are none
 * @throws {unknown} the last failure, if all changes failed
 */
async function applyChanges(changes, verb) {
  /** @type {any[]} */
  const results = [];
  /** @type {import("./edit-conflicts.js").Conflict[]} */
  const conflicts = [];
  /** @type {unknown} */
  let failure = null;
  for (const change of changes) {
    try {
      results.push(await runConditionalChange(change.run, change.tag, userId));
    } catch (error) {
      if (error instanceof ApiError && error.isStale) conflicts.push({ change, problem: error.problem });
      else failure = error;
    }
  }
  if (conflicts.length) results.push(...((await confirmOverwrite(conflicts, verb)) ?? []));
  if (!results.length && failure) throw failure;
  if (failure) showToast(getText("library.changesDone", { done: String(results.length), total: String(changes.length), error: describeError(failure) }), { isError: true });
  return results.length ? results : null;
}

/**
 * Changes items, reloads the listing, shows a toast and offers to undo the change. Returns `false` if
 * nothing was changed.
 * @param {Item[]} list
 * @param {string} verb label of the action, such as `Rename`
 * @param {string} message text of the toast if all items were changed
 * @param {(item: Item, tag: string | null) => Promise<any>} apply resolves to the undo, if there is one
 */
async function changeItems(list, verb, message, apply) {
  const nextKeys = findFocusKeys(context, list);
  const undos = await applyChanges(list.map((item) => ({ item, tag: item.etag, run: (tag) => apply(item, tag) })), verb);
  if (!undos) {
    // Show the changes of other users.
    await reloadItems();
    return false;
  }
  selectedKeys.value = new Set();
  await reloadItems();
  keepFocus(nextKeys);
  const undoable = undos.filter((undo) => typeof undo?.run === "function").reverse();
  lastUndo = undoable.length ? () => undoChanges(undoable) : null;
  const undo = lastUndo;
  const text = undos.length < list.length ? getText("library.itemsChanged", { changed: String(undos.length), total: String(list.length) }) : message;
  showToast(text, undo ? { action: { label: getText("common.undo"), run: undo } } : {});
}

/** Makes the changes that undo earlier ones. */
async function undoChanges(/** @type {import("./edit-conflicts.js").ConditionalChange[]} */ undos) {
  lastUndo = null;
  const isUndone = await applyChanges(undos, getText("common.undo"));
  await reloadItems();
  keepFocus(undos.map((undo) => undo.item.key).reverse(), { isMoved: true });
  if (isUndone) showToast(getText("library.undone"));
}

/** Returns the title of a single item, or the number of items. */
const describeItems = (/** @type {Item[]} */ list) => (list.length === 1 ? getText("ui.quoted", { title: list[0].title }) : getText("library.itemCount", { count: list.length, number: String(list.length) }));

/** Returns the names of the folders in a folder. */
async function listNames(/** @type {string} */ owner, /** @type {string} */ folder) {
  accounts.value ??= await model.listVisibleFolders();
  return listFolderNames(accounts.value ?? [], owner, folder);
}

const actions = {
  rename: (/** @type {Item} */ item) =>
    askName({
      title: getText(item.type === "folder" ? "library.renameFolder" : "library.renameChart"),
      label: getText("common.name"),
      action: getText("common.rename"),
      value: item.title,
      maxLength: item.type === "folder" ? 255 : 500,
      listTaken: () => listNames(item.owner, item.parent),
      run: (name) => changeItems([item], getText("common.rename"), getText("library.renamed", { name }), (target, tag) => model.renameItem(target, name, tag)),
    }),
  move: async (/** @type {Item[]} */ list) => {
    accounts.value ??= await model.listVisibleFolders();
    await askTargetFolder(list, accounts.value ?? [], userId, (owner, folder, name) => moveItemsTo(list, owner, folder, name));
  },
  duplicate: (/** @type {Item[]} */ list) => changeItems(list, getText("common.duplicate"), getText("library.duplicated", { items: describeItems(list) }), model.duplicateItem),
  moveToTrash: (/** @type {Item[]} */ list) => changeItems(list, getText("common.moveToTrash"), getText("library.movedToTrash", { items: describeItems(list) }), model.moveToTrash),
  restore: (/** @type {Item[]} */ list) => changeItems(list, getText("common.restore"), getText("library.restored", { items: describeItems(list) }), model.restoreItem),
  deletePermanently: (/** @type {Item[]} */ list) =>
    askConfirmation({
      title: getText("library.deleteQuestion", { items: describeItems(list) }),
      text: getText("library.deleteConsequences"),
      action: getText("library.deletePermanently"),
      danger: true,
      type: list.length > MAX_UNCONFIRMED ? getText("library.confirmationWord") : undefined,
      run: () => changeItems(list, getText("library.deletePermanently"), getText("library.deleted", { items: describeItems(list) }), model.deletePermanently),
    }),
  star: (/** @type {Item[]} */ list) => {
    const isStarred = !list.every((item) => item.isStarred);
    return changeItems(list, getText("library.star"), getText(isStarred ? "library.starred" : "library.starRemoved", { items: describeItems(list) }), (item) => model.setStar(item, isStarred));
  },
  leave: (/** @type {Item[]} */ list) =>
    askConfirmation({
      title: getText("library.leaveQuestion", { items: describeItems(list) }),
      text: getText("library.leaveConsequences"),
      action: getText("library.leave"),
      danger: true,
      run: () => changeItems(list, getText("library.leave"), getText("library.left", { items: describeItems(list) }), model.leaveSharedItem),
    }),
  createFolder: () => {
    const { owner, folder } = getTargetFolder();
    return askName({
      title: getText("common.newFolder"),
      label: getText("common.name"),
      action: getText("library.createFolder"),
      listTaken: () => listNames(owner, folder),
      run: async (name) => {
        await model.createFolder(owner, folder, name);
        await reloadItems();
        showToast(getText("library.folderCreated", { name }));
      },
    });
  },
  createChart: (/** @type {{ data?: boolean, kind?: string }} */ options = {}) => {
    openNewChartDialog(getTargetFolder(), options);
  },
  emptyTrash: () =>
    askConfirmation({
      title: getText("library.emptyQuestion", { count: count.peek(), number: String(count.peek()) }),
      text: getText("library.emptyConsequences"),
      action: getText("library.emptyTrash"),
      danger: true,
      type: count.peek() > MAX_UNCONFIRMED ? getText("library.confirmationWord") : undefined,
      run: async () => {
        await model.emptyTrash(pageData.owner);
        await reloadItems();
        showToast(getText("library.trashEmpty"));
      },
    }),
};

/** Moves items to a folder. Skips items that are already there, and the folder itself. A single folder can get another name. */
function moveItemsTo(/** @type {Item[]} */ list, /** @type {string} */ owner, /** @type {string} */ folder, /** @type {string | undefined} */ name = undefined) {
  const isInFolder = (/** @type {Item} */ item) => item.owner === owner && (item.parent === folder || item.name === folder);
  const moved = list.filter((item) => !isInFolder(item));
  if (!moved.length) return Promise.resolve();
  const account = accounts.peek()?.find((candidate) => candidate.owner.id === owner);
  const target = folder === "/" ? (owner === userId ? getText("common.myCharts") : (account?.owner.name ?? getText("library.rootFolder"))) : folder.split("/").at(-1);
  return changeItems(moved, getText("common.move"), getText("library.moved", { items: describeItems(moved), folder: target ?? "" }), (item, tag) => model.moveItem(item, owner, folder, tag, name));
}

/** Returns the selected items. */
const getSelection = () => getVisibleItems(context).filter((item) => selectedKeys.value.has(item.key));

/** Moves the selected items to a folder, after they were dropped there. */
async function moveSelection(/** @type {{ owner: string, folder: string }} */ target) {
  await runWithErrorToast(() => moveItemsTo(getSelection(), target.owner, target.folder));
}

/** Runs a function and shows its error as a toast. */
async function runWithErrorToast(/** @type {() => unknown} */ callback) {
  try {
    await callback();
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/** Opens the menu of an item. If the item is selected, the menu applies to the whole selection. */
function openItemMenu(/** @type {Item} */ item, /** @type {Element | { x: number, y: number }} */ anchor) {
  const list = selectedKeys.peek().has(item.key) ? getSelection() : [item];
  const isSingle = list.length === 1;
  if (isTrash) {
    return void openMenu(anchor, [
      { label: getText("common.restore"), icon: "restore", run: () => actions.restore(list) },
      { label: getText("library.deletePermanentlyMore"), icon: "trash", danger: true, run: () => actions.deletePermanently(list) },
    ]);
  }
  const areWritable = list.every((candidate) => candidate.mayWrite);
  const areDocuments = list.every((candidate) => candidate.type === "document");
  openMenu(anchor, [
    ...(isSingle ? [{ label: getText("common.open"), icon: "right", href: item.view }] : []),
    ...(isSingle && areWritable ? [{ label: getText("library.renameMore"), icon: "pencil", keys: "F2", run: () => actions.rename(item) }] : []),
    ...(areDocuments ? [{ label: list.every((candidate) => candidate.isStarred) ? getText("library.removeStar") : getText("library.star"), icon: "star", keys: "S", run: () => actions.star(list) }] : []),
    { label: getText("common.duplicate"), icon: "copy", keys: getText("library.keyDuplicate"), run: () => actions.duplicate(list) },
    ...(areWritable ? [{ label: getText("common.moveTo"), icon: "move", keys: "M", run: () => actions.move(list) }] : []),
    ...(isSingle && item.type === "document"
      ? [null, { label: getText("library.downloadPng"), icon: "download", href: `/api/v1${item.endpoint}.png?download=1`, download: true }, { label: getText("library.downloadSvg"), icon: "download", href: `/api/v1${item.endpoint}.svg?download=1`, download: true }, { label: getText("library.downloadPdf"), icon: "download", href: `/api/v1${item.endpoint}.pdf?download=1`, download: true }]
      : []),
    ...(pageData.view === "shared" ? [null, { label: getText("library.leaveMore"), icon: "sign-out", danger: true, run: () => actions.leave(list) }] : []),
    ...(areWritable && pageData.view !== "shared" ? [null, { label: getText("common.moveToTrash"), icon: "trash", keys: getText("common.keyDelete"), danger: true, run: () => actions.moveToTrash(list) }] : []),
  ]);
}

/** Builds the bar that is visible while items are selected. */
function buildSelectionBar() {
  const createActionButton = (/** @type {string} */ label, /** @type {string} */ iconName, /** @type {(list: Item[]) => unknown} */ run, kind = "quiet") =>
    createButton(label, { icon: iconName, kind, class: "small", onclick: () => runWithErrorToast(() => run(getSelection())) });
  const buttons = [createActionButton(getText("common.moveTo"), "move", actions.move), createActionButton(getText("common.duplicate"), "copy", actions.duplicate)];
  if (pageData.view === "shared") buttons.push(createActionButton(getText("library.leaveMore"), "sign-out", actions.leave));
  else buttons.push(createActionButton(getText("common.trash"), "trash", actions.moveToTrash));
  const trashButtons = [createActionButton(getText("common.restore"), "restore", actions.restore), createActionButton(getText("library.deletePermanentlyMore"), "trash", actions.deletePermanently)];
  return h(
    "div",
    { class: "selection", role: "toolbar", "aria-label": getText("library.selection"), hidden: () => selectedKeys.value.size === 0 },
    h("span", { class: "selected", role: "status" }, () => (selectedKeys.value.size ? getText("library.selected", { number: String(selectedKeys.value.size) }) : "")),
    isTrash ? trashButtons : buttons,
    h("button", { type: "button", class: "cross", "aria-label": getText("library.clearSelection"), onclick: () => (selectedKeys.value = new Set()) }, createIcon("close")),
  );
}

/** Builds the placeholder of an empty listing. */
function buildEmptyState() {
  const message = h("p", null, () => (arrangement.hasFilter() ? getText("library.noMatch") : pageData.empty));
  if (!pageData.mayStore) return h("div", { class: "empty" }, message);
  if (pageData.view !== "all" && pageData.view !== "folder") return h("div", { class: "empty" }, message, h("a", { class: "button quiet", href: "/" }, getText("common.allCharts")));
  const startButtons = h(
    "div",
    { class: "begin", hidden: arrangement.hasFilter },
    createButton(getText("common.newChart"), { kind: "primary", icon: "plus", onclick: () => runWithErrorToast(() => actions.createChart()) }),
    createButton(getText("library.pasteData"), { onclick: () => runWithErrorToast(() => actions.createChart({ data: true })) }),
  );
  const container = h("div", { hidden: arrangement.hasFilter });
  const disposeEffect = effect(() => {
    if (getVisibleItems(context).length || arrangement.hasFilter()) return;
    queueMicrotask(() => disposeEffect());
    runWithErrorToast(async () => container.replaceChildren(await (await import("./dialog-new.js")).buildExamples(getTargetFolder)));
  });
  return h("div", { class: "empty" }, message, startButtons, container);
}

/**
 * Builds a button that loads a page. Shows an error in the page.
 * @param {string} label
 * @param {() => boolean} isComplete whether everything is loaded, which hides the button
 * @param {() => Promise<void>} load
 */
function buildLoadButton(label, isComplete, load) {
  const button = createButton(label, {
    onclick: () =>
      runBusy(button, async () => {
        showError(errorContainer);
        try {
          await load();
        } catch (error) {
          showError(errorContainer, error);
        }
      }),
  });
  return h("div", { class: "load", hidden: isComplete }, button);
}

/**
 * Presses the button of a container when it comes near the visible area, unless the last attempt failed.
 * @param {HTMLElement} container see `buildLoadButton`
 */
function loadWhileScrolling(container) {
  const observer = new IntersectionObserver(
    ([entry]) => {
      const button = container.querySelector("button");
      if (entry.isIntersecting && !errorContainer.childElementCount && !button?.hasAttribute("aria-busy")) button?.click();
    },
    { rootMargin: `${LOAD_MARGIN_PX}px 0px` },
  );
  observer.observe(container);
  // An observer reports changes only, and the container may still be near after a page was added.
  effect(() => {
    if (!items.value.length) return;
    observer.unobserve(container);
    setTimeout(() => observer.observe(container));
  });
  return container;
}

/** Returns a list with the items of the next page, except those that it contains already because they moved meanwhile. */
function appendPage(/** @type {Item[]} */ list, /** @type {Item[]} */ page) {
  const known = new Set(list.map((item) => item.key));
  return [...list, ...page.filter((item) => !known.has(item.key))];
}

/** Builds the button that loads the next page of the listing. */
function buildLoadMore() {
  return buildLoadButton(getText("library.loadMore"), () => startOffset + items.value.length >= count.value, async () => {
    const load = loadCount;
    const page = await model.listItems(pageData, arrangement.getQuery(), startOffset + items.peek().length, PAGE_SIZE);
    // The page is one of an outdated list.
    if (load !== loadCount) return;
    batch(() => {
      count.value = page.count;
      items.value = appendPage(items.peek(), page.items);
    });
  });
}

/** Builds the button that loads the next page of the folders above the listing. */
function buildLoadFolders() {
  return buildLoadButton(getText("library.moreFolders"), () => !hasMoreFolders.value, async () => {
    const load = loadCount;
    const page = await model.listTopFolders(pageData, arrangement.getQuery(), startFolderOffset + folders.peek().length, FOLDER_PAGE_SIZE);
    if (load !== loadCount) return;
    batch(() => {
      hasMoreFolders.value = page.hasMore;
      folders.value = appendPage(folders.peek(), page.items);
    });
  });
}

/** Builds the button for folders or the trash, and the choice of the layout. */
function buildTools() {
  const createLayoutButton = (/** @type {"grid" | "rows"} */ value, /** @type {string} */ label, /** @type {string} */ iconName) =>
    h("button", {
      type: "button",
      class: "button plain small only",
      "aria-label": label,
      title: label,
      "aria-pressed": () => String(layout.value === value),
      onclick: () => {
        layout.value = value;
        localStorage.setItem("library-layout", value);
      },
    }, createIcon(iconName));
  const folderButton = isTrash
    ? createButton(getText("library.emptyTrashMore"), { class: "small", hidden: () => count.value === 0, onclick: () => runWithErrorToast(actions.emptyTrash) })
    : createButton(getText("common.newFolder"), { class: "small", icon: "folder-plus", hidden: !pageData.mayStore || (pageData.view !== "all" && pageData.view !== "folder"), onclick: () => runWithErrorToast(actions.createFolder) });
  return h("div", { class: "tools" }, folderButton, h("div", { class: "looks", role: "group", "aria-label": getText("library.layout") }, createLayoutButton("grid", getText("library.grid"), "grid"), createLayoutButton("rows", getText("library.list"), "list")));
}

/** Returns the items that a shortcut applies to: the selection, otherwise the focused item. */
function getShortcutTargets() {
  const list = getSelection();
  if (list.length) return list;
  const key = document.activeElement?.closest("[data-key]")?.getAttribute("data-key");
  return getVisibleItems(context).filter((item) => item.key === key);
}

document.addEventListener("keydown", (event) => {
  if (!mayTriggerShortcut(event)) return;
  const list = getShortcutTargets();
  const areWritable = list.length > 0 && !isTrash && list.every((item) => item.mayWrite);
  const shortcut = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.shiftKey && /^[a-z]$/i.test(event.key) ? "Shift+" : ""}${event.key.length === 1 ? event.key.toUpperCase() : event.key}`;
  /** @type {Record<string, (() => unknown) | false | null>} */
  const handlers = {
    "N": pageData.mayStore && (() => actions.createChart()),
    "Shift+N": !isTrash && pageData.mayStore && actions.createFolder,
    "F2": areWritable && list.length === 1 && (() => actions.rename(list[0])),
    "M": areWritable && (() => actions.move(list)),
    "S": !isTrash && list.length > 0 && list.every((item) => item.type === "document") && (() => actions.star(list)),
    "Ctrl+D": !isTrash && list.length > 0 && (() => actions.duplicate(list)),
    "Delete": isTrash ? list.length > 0 && (() => actions.deletePermanently(list)) : areWritable && pageData.view !== "shared" && (() => actions.moveToTrash(list)),
    "Ctrl+Z": lastUndo,
    "Ctrl+A": () => (selectedKeys.value = new Set(getVisibleItems(context).map((item) => item.key))),
    "Escape": selectedKeys.peek().size > 0 && (() => (selectedKeys.value = new Set())),
  };
  const handler = handlers[shortcut];
  const isOnTitle = event.target instanceof Element && event.target.matches(".title");
  if (event.key === " " && isOnTitle && list.length) {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (event.target.closest("li")?.querySelector(".pick input"))?.click();
  } else if (handler) {
    event.preventDefault();
    runWithErrorToast(handler);
  }
});

/** Replaces the listing from the server with the interactive one. */
function buildPage() {
  const offlineNotice = h("p", { class: "notice", role: "status", hidden: navigator.onLine }, getText("library.offline"));
  window.addEventListener("offline", () => (offlineNotice.hidden = false));
  window.addEventListener("online", () => {
    offlineNotice.hidden = true;
    runWithErrorToast(reloadItems);
  });
  findElement(".head").append(buildTools());
  findElement(".head .muted").replaceChildren(h("span", null, () => getText("library.total", { number: String(count.value) })));
  const firstPageLink = startOffset > 0 || startFolderOffset > 0 ? h("p", null, h("a", { href: location.pathname }, getText("library.firstPage"))) : null;
  findElement("#library").replaceChildren(
    offlineNotice,
    ...(firstPageLink ? [firstPageLink] : []),
    h("div", { class: "blank", hidden: () => getVisibleItems(context).length > 0 }, buildEmptyState()),
    buildCards(context, buildLoadFolders()),
    errorContainer,
    loadWhileScrolling(buildLoadMore()),
    buildSelectionBar(),
  );
  if (!isTrash && pageData.mayStore) findElement("#bar-actions").append(createButton(getText("common.newChart"), { kind: "primary", icon: "plus", onclick: () => runWithErrorToast(() => actions.createChart()) }));
  const trashCount = document.querySelector(".tabs [aria-current] .tab-count");
  if (trashCount) effect(() => void (trashCount.textContent = String(count.value)));
  const searchInput = /** @type {HTMLInputElement} */ (findElement("#q"));
  if (pageData.query) searchInput.value = pageData.query;
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".crumbs a"))) {
    const [, , owner, ...names] = new URL(link.href).pathname.split("/").map(decodeURIComponent);
    if (link.pathname.startsWith("/f/")) makeDropTarget(link, context, () => ({ owner, folder: `/${names.join("/")}` }));
  }
  startMarquee(findElement("main"), selectedKeys);
  buildFolderTree(findElement("#places"), pageData, context, accounts);
  runWithErrorToast(async () => (accounts.value = await model.listVisibleFolders()));
  runWithErrorToast(restorePosition);
  preloadNewChartDialog();
}

/** Loads as many items as the list had when the user left the page, and returns to their position. */
async function restorePosition() {
  const position = readListPosition();
  try {
    if (position && (position.itemCount > items.peek().length || position.folderCount > folders.peek().length)) {
      await reloadItems(position);
    }
    if (position) showListPosition(position);
  } finally {
    keepListPosition(() => ({ itemCount: items.peek().length, folderCount: folders.peek().length }));
  }
}

buildPage();
// Other pages link to the dialog for a new chart, and `/new/{kind}` to that for a kind.
const [isNewChart, newKind] = /^#new(?:-([a-z0-9-]+))?$/.exec(location.hash) ?? [];
if (isNewChart && !isTrash && pageData.mayStore) {
  history.replaceState(null, "", location.pathname + location.search);
  runWithErrorToast(() => actions.createChart({ kind: newKind }));
}
