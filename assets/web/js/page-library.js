// @ts-check
/** The library page: makes the listing from the server interactive. */

import { ApiError } from "./api.js";
import { batch, effect, h, signal } from "./core.js";
import { confirmOverwrite, runConditionalChange } from "./edit-conflicts.js";
import { buildCards, getVisibleItems, makeDropTarget } from "./library-cards.js";
import { askName, askTargetFolder } from "./library-dialogs.js";
import * as model from "./library-model.js";
import { buildFolderTree } from "./library-tree.js";
import { mayTriggerShortcut } from "./shortcuts.js";
import { askConfirmation, createButton, createIcon, describeError, findElement, openMenu, runBusy, showError, showToast } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */

/** Number of entries per page. */
const PAGE_SIZE = 48;
/** Number of folders per page, where they are listed above the charts. */
const FOLDER_PAGE_SIZE = 96;
/** Maximum number of items that can be deleted permanently without a typed confirmation. */
const MAX_UNCONFIRMED = 20;

/** Data that the server put into the page. */
const pageData = JSON.parse(findElement("#boot").textContent ?? "");
const userId = pageData.user.id;
const isTrash = pageData.view === "trash";
const startOffset = Number(new URLSearchParams(location.search).get("offset"));
const startFolderOffset = Number(new URLSearchParams(location.search).get("folders"));

const readLayout = () => (localStorage.getItem("library-layout") === "rows" ? "rows" : "grid");
const folders = signal(/** @type {Item[]} */ (pageData.folders.map(model.toItem)));
const hasMoreFolders = signal(/** @type {boolean} */ (pageData.hasMoreFolders));
const items = signal(/** @type {Item[]} */ (pageData.listing.results.map(model.toItem)));
const count = signal(pageData.listing.count);
const selectedKeys = signal(/** @type {Set<string>} */ (new Set()));
const layout = signal(/** @type {"grid" | "rows"} */ (readLayout()));
const accounts = signal(/** @type {model.AccountFolders[] | null} */ (null));
/** @type {(() => Promise<unknown>) | null} */
let lastUndo = null;

const errorContainer = h("div", { class: "fault" });
const context = { view: pageData.view, trashDays: pageData.trashDays, folders, items, selectedKeys, layout, openItemMenu, moveSelection };

/** Returns the folder for new items: the current folder if it is writable, otherwise the user's root folder. */
function getTargetFolder() {
  if (pageData.view !== "folder") return { owner: userId, folder: "/" };
  const account = accounts.peek()?.find((candidate) => candidate.owner.id === pageData.owner);
  const isWritable = !account || account.folders.some((folder) => folder.name === pageData.path && folder.mode === "w");
  return isWritable ? { owner: pageData.owner, folder: pageData.path } : { owner: userId, folder: "/" };
}

/** Reloads the listing with as many items as before, and drops missing items from the selection. */
async function reloadItems() {
  const limit = Math.max(PAGE_SIZE, items.peek().length);
  /** @type {Item[]} */
  const all = [];
  let total = 0;
  while (all.length < limit) {
    const page = await model.listItems(pageData, startOffset + all.length, Math.min(model.MAX_PAGE_SIZE, limit - all.length));
    total = page.count;
    all.push(...page.items);
    if (!page.items.length) break;
  }
  const topFolders = await model.listTopFolders(pageData.view, startFolderOffset, Math.max(FOLDER_PAGE_SIZE, folders.peek().length));
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

/**
 * Changes several items one by one, so that a failure does not stop the other changes. If another
 * user has changed an item since it was listed, asks for confirmation first.
 * @param {import("./edit-conflicts.js").ConditionalChange[]} changes
 * @param {string} verb such as `Rename`
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
  if (failure) showToast(`${results.length} of ${changes.length} done. ${describeError(failure)}`, { isError: true });
  return results.length ? results : null;
}

/**
 * Changes items, reloads the listing, shows a toast and offers to undo the change. Returns `false` if
 * nothing was changed.
 * @param {Item[]} list
 * @param {string} verb such as `Rename`
 * @param {string} message text of the toast if all items were changed
 * @param {(item: Item, tag: string | null) => Promise<any>} apply resolves to the undo, if there is one
 */
async function changeItems(list, verb, message, apply) {
  const undos = await applyChanges(list.map((item) => ({ item, tag: item.etag, run: (tag) => apply(item, tag) })), verb);
  if (!undos) {
    // Show the changes of other users.
    await reloadItems();
    return false;
  }
  selectedKeys.value = new Set();
  await reloadItems();
  const undoable = undos.filter((undo) => typeof undo?.run === "function").reverse();
  lastUndo = undoable.length ? () => undoChanges(undoable) : null;
  const undo = lastUndo;
  const text = undos.length < list.length ? `${undos.length} of ${list.length} items changed` : message;
  showToast(text, undo ? { action: { label: "Undo", run: undo } } : {});
}

/** Makes the changes that undo earlier ones. */
async function undoChanges(/** @type {import("./edit-conflicts.js").ConditionalChange[]} */ undos) {
  lastUndo = null;
  if (await applyChanges(undos, "Undo")) showToast("Undone");
  await reloadItems();
}

/** Returns the title of a single item, or the number of items. */
const describeItems = (/** @type {Item[]} */ list) => (list.length === 1 ? `“${list[0].title}”` : `${list.length} items`);

const actions = {
  rename: (/** @type {Item} */ item) =>
    askName({
      title: `Rename ${item.type === "folder" ? "folder" : "chart"}`,
      label: "Name",
      action: "Rename",
      value: item.title,
      maxLength: item.type === "folder" ? 255 : 500,
      run: (name) => changeItems([item], "Rename", `Renamed to “${name}”`, (target, tag) => model.renameItem(target, name, tag)),
    }),
  move: async (/** @type {Item[]} */ list) => {
    accounts.value ??= await model.listVisibleFolders();
    await askTargetFolder(list, accounts.value ?? [], userId, (owner, folder) => moveItemsTo(list, owner, folder));
  },
  duplicate: (/** @type {Item[]} */ list) => changeItems(list, "Duplicate", `Duplicated ${describeItems(list)}`, model.duplicateItem),
  moveToTrash: (/** @type {Item[]} */ list) => changeItems(list, "Move to trash", `Moved ${describeItems(list)} to the trash`, model.moveToTrash),
  restore: (/** @type {Item[]} */ list) => changeItems(list, "Restore", `Restored ${describeItems(list)}`, model.restoreItem),
  deletePermanently: (/** @type {Item[]} */ list) =>
    askConfirmation({
      title: `Delete ${describeItems(list)} permanently?`,
      text: "Versions and comments are deleted too. This cannot be undone.",
      action: "Delete permanently",
      danger: true,
      type: list.length > MAX_UNCONFIRMED ? "delete" : undefined,
      run: () => changeItems(list, "Delete permanently", `Deleted ${describeItems(list)} permanently`, model.deletePermanently),
    }),
  leave: (/** @type {Item[]} */ list) =>
    askConfirmation({
      title: `Leave ${describeItems(list)}?`,
      text: "It disappears from this list. To see it again, ask its owner to share it with you again.",
      action: "Leave",
      danger: true,
      run: () => changeItems(list, "Leave", `Left ${describeItems(list)}`, model.leaveSharedItem),
    }),
  createFolder: () => {
    const { owner, folder } = getTargetFolder();
    return askName({
      title: "New folder",
      label: "Name",
      action: "Create folder",
      run: async (name) => {
        await model.createFolder(owner, folder, name);
        await reloadItems();
        showToast(`Created the folder “${name}”`);
      },
    });
  },
  createChart: async (/** @type {{ data?: boolean }} */ options = {}) => {
    const { openNewChartDialog } = await import("./dialog-new.js");
    await openNewChartDialog(getTargetFolder(), options);
  },
  emptyTrash: () =>
    askConfirmation({
      title: `Delete all ${count.peek()} items permanently?`,
      text: "Everything in the trash is deleted. This cannot be undone.",
      action: "Empty trash",
      danger: true,
      type: count.peek() > MAX_UNCONFIRMED ? "delete" : undefined,
      run: async () => {
        await model.emptyTrash(pageData.owner);
        await reloadItems();
        showToast("The trash is empty");
      },
    }),
};

/** Moves items to a folder. Skips items that are already there, and the folder itself. */
function moveItemsTo(/** @type {Item[]} */ list, /** @type {string} */ owner, /** @type {string} */ folder) {
  const isInFolder = (/** @type {Item} */ item) => item.owner === owner && (item.parent === folder || item.name === folder);
  const moved = list.filter((item) => !isInFolder(item));
  if (!moved.length) return Promise.resolve();
  const account = accounts.peek()?.find((candidate) => candidate.owner.id === owner);
  const name = folder === "/" ? (owner === userId ? "My charts" : (account?.owner.name ?? "the root folder")) : folder.split("/").at(-1);
  return changeItems(moved, "Move", `Moved ${describeItems(moved)} to “${name}”`, (item, tag) => model.moveItem(item, owner, folder, tag));
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
      { label: "Restore", icon: "restore", run: () => actions.restore(list) },
      { label: "Delete permanently…", icon: "trash", danger: true, run: () => actions.deletePermanently(list) },
    ]);
  }
  const areWritable = list.every((candidate) => candidate.mayWrite);
  openMenu(anchor, [
    ...(isSingle ? [{ label: "Open", icon: "right", href: item.view }] : []),
    ...(isSingle && areWritable ? [{ label: "Rename…", icon: "pencil", keys: "F2", run: () => actions.rename(item) }] : []),
    { label: "Duplicate", icon: "copy", keys: "Ctrl+D", run: () => actions.duplicate(list) },
    ...(areWritable ? [{ label: "Move to…", icon: "move", keys: "M", run: () => actions.move(list) }] : []),
    ...(isSingle && item.type === "document"
      ? [null, { label: "Download PNG", icon: "download", href: `/api/v1${item.endpoint}.png?download=1`, download: true }, { label: "Download SVG", icon: "download", href: `/api/v1${item.endpoint}.svg?download=1`, download: true }]
      : []),
    ...(pageData.view === "shared" ? [null, { label: "Leave…", icon: "sign-out", danger: true, run: () => actions.leave(list) }] : []),
    ...(areWritable && pageData.view !== "shared" ? [null, { label: "Move to trash", icon: "trash", keys: "Del", danger: true, run: () => actions.moveToTrash(list) }] : []),
  ]);
}

/** Builds the bar that is visible while items are selected. */
function buildSelectionBar() {
  const createActionButton = (/** @type {string} */ label, /** @type {string} */ iconName, /** @type {(list: Item[]) => unknown} */ run, kind = "quiet") =>
    createButton(label, { icon: iconName, kind, class: "small", onclick: () => runWithErrorToast(() => run(getSelection())) });
  const buttons = [createActionButton("Move to…", "move", actions.move), createActionButton("Duplicate", "copy", actions.duplicate)];
  if (pageData.view === "shared") buttons.push(createActionButton("Leave…", "sign-out", actions.leave));
  else buttons.push(createActionButton("Trash", "trash", actions.moveToTrash));
  const trashButtons = [createActionButton("Restore", "restore", actions.restore), createActionButton("Delete permanently…", "trash", actions.deletePermanently)];
  return h(
    "div",
    { class: "selection", role: "toolbar", "aria-label": "Selection", hidden: () => selectedKeys.value.size === 0 },
    h("span", { class: "selected", role: "status" }, () => (selectedKeys.value.size ? `${selectedKeys.value.size} selected` : "")),
    isTrash ? trashButtons : buttons,
    h("button", { type: "button", class: "cross", "aria-label": "Clear selection", onclick: () => (selectedKeys.value = new Set()) }, createIcon("close")),
  );
}

/** Builds the placeholder of an empty listing. */
function buildEmptyState() {
  const message = h("p", null, pageData.empty);
  if (pageData.view !== "all" && pageData.view !== "folder") return h("div", { class: "empty" }, message);
  const startButtons = h(
    "div",
    { class: "begin" },
    createButton("New chart", { kind: "primary", icon: "plus", onclick: () => runWithErrorToast(() => actions.createChart()) }),
    createButton("Paste data", { onclick: () => runWithErrorToast(() => actions.createChart({ data: true })) }),
  );
  const container = h("div");
  const disposeEffect = effect(() => {
    if (getVisibleItems(context).length) return;
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

/** Returns a list with the items of the next page, except those that it contains already because they moved meanwhile. */
function appendPage(/** @type {Item[]} */ list, /** @type {Item[]} */ page) {
  const known = new Set(list.map((item) => item.key));
  return [...list, ...page.filter((item) => !known.has(item.key))];
}

/** Builds the button that loads the next page of the listing. */
function buildLoadMore() {
  return buildLoadButton("Load more", () => startOffset + items.value.length >= count.value, async () => {
    const page = await model.listItems(pageData, startOffset + items.peek().length, PAGE_SIZE);
    batch(() => {
      count.value = page.count;
      items.value = appendPage(items.peek(), page.items);
    });
  });
}

/** Builds the button that loads the next page of the folders above the listing. */
function buildLoadFolders() {
  return buildLoadButton("More folders", () => !hasMoreFolders.value, async () => {
    const page = await model.listTopFolders(pageData.view, startFolderOffset + folders.peek().length, FOLDER_PAGE_SIZE);
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
    ? createButton("Empty trash…", { class: "small", hidden: () => count.value === 0, onclick: () => runWithErrorToast(actions.emptyTrash) })
    : createButton("New folder", { class: "small", icon: "folder-plus", hidden: pageData.view !== "all" && pageData.view !== "folder", onclick: () => runWithErrorToast(actions.createFolder) });
  return h("div", { class: "tools" }, folderButton, h("div", { class: "looks", role: "group", "aria-label": "Layout" }, createLayoutButton("grid", "Grid", "grid"), createLayoutButton("rows", "List", "list")));
}

/** Builds links to the trash of each account, if the user may see more than one. */
function buildTrashTabs() {
  if (!isTrash || !pageData.orgs.length) return null;
  const createLink = (/** @type {string} */ label, /** @type {string} */ id) =>
    h("a", { href: id === userId ? "/trash" : `/trash?owner=${encodeURIComponent(id)}`, "aria-current": id === pageData.owner ? "page" : null }, label);
  return h("nav", { class: "tabs", "aria-label": "Owner of the trash" }, createLink("Mine", userId), pageData.orgs.map((/** @type {any} */ organization) => createLink(organization.name, organization.id)));
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
    "N": () => actions.createChart(),
    "Shift+N": !isTrash && actions.createFolder,
    "F2": areWritable && list.length === 1 && (() => actions.rename(list[0])),
    "M": areWritable && (() => actions.move(list)),
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
  const offlineNotice = h("p", { class: "notice", role: "status", hidden: navigator.onLine }, "You are offline. The listing may be outdated, and changes are not possible.");
  window.addEventListener("offline", () => (offlineNotice.hidden = false));
  window.addEventListener("online", () => {
    offlineNotice.hidden = true;
    runWithErrorToast(reloadItems);
  });
  findElement(".head").append(buildTools());
  findElement(".head .muted").replaceChildren(h("span", null, () => (count.value === 1 ? "1 in total" : `${count.value} in total`)));
  const firstPageLink = startOffset > 0 || startFolderOffset > 0 ? h("p", null, h("a", { href: location.pathname }, "First page")) : null;
  findElement("#library").replaceChildren(
    offlineNotice,
    ...[buildTrashTabs(), firstPageLink].filter((element) => element !== null),
    h("div", { class: "blank", hidden: () => getVisibleItems(context).length > 0 }, buildEmptyState()),
    buildCards(context, buildLoadFolders()),
    errorContainer,
    buildLoadMore(),
    buildSelectionBar(),
  );
  if (!isTrash) findElement("#bar-actions").append(createButton("New chart", { kind: "primary", icon: "plus", onclick: () => runWithErrorToast(() => actions.createChart()) }));
  const searchInput = /** @type {HTMLInputElement} */ (findElement("#q"));
  if (pageData.query) searchInput.value = pageData.query;
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".crumbs a"))) {
    const [, , owner, ...names] = new URL(link.href).pathname.split("/").map(decodeURIComponent);
    if (link.pathname.startsWith("/f/")) makeDropTarget(link, context, () => ({ owner, folder: `/${names.join("/")}` }));
  }
  buildFolderTree(findElement("#places"), pageData, context, accounts);
  runWithErrorToast(async () => (accounts.value = await model.listVisibleFolders()));
}

buildPage();
