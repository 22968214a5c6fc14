// @ts-check
/** Charts and folders as cards or rows, with selection, menus, arrows and dragging. */

import { h, syncKeyedList } from "./core.js";
import { createThumbnail } from "./library-thumbnails.js";
import { renderHighlight } from "./search.js";
import { buildSyncNote } from "./sync-state.js";
import { getText, getTextParts } from "./texts.js";
import { createIcon, createTimeElement } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */
/** @template T @typedef {import("./core.js").Signal<T>} Signal */

/**
 * State and actions of the library page that cards use.
 * @typedef {object} LibraryContext
 * @property {string} view name of the page: `all`, `recent`, `folder`, `shared`, `trash` or `search`
 * @property {number} [trashDays] days until an item in the trash is deleted permanently
 * @property {Signal<Item[]>} folders
 * @property {Signal<Item[]>} items
 * @property {Signal<Set<string>>} selectedKeys keys of the selected items
 * @property {Signal<"grid" | "rows">} layout
 * @property {import("./library-sort.js").Arrangement} arrangement
 * @property {(item: Item, anchor: Element | { x: number, y: number }) => void} openItemMenu opens the menu of an item, or of the selection if it contains the item
 * @property {(to: { owner: string, folder: string }) => void} moveSelection moves the selected items to a folder
 */

/** Returns the visible items, folders first. @param {LibraryContext} context @returns {Item[]} */
export function getVisibleItems(context) {
  return [...context.folders.value, ...context.items.value];
}

/** Media type of drags within the page. */
const DRAG_TYPE = "application/x-chartroom";
/** Key of the item at which a range selection with Shift starts. */
let rangeAnchor = "";

/**
 * Adds an item to the selection, or removes it. With `range`, adds all items from the previously toggled
 * one to this one.
 * @param {LibraryContext} context
 * @param {string} key
 * @param {{ range?: boolean }} [options]
 */
function toggleSelection(context, key, { range = false } = {}) {
  const selected = new Set(context.selectedKeys.peek());
  const keys = getVisibleItems(context).map((item) => item.key);
  const anchorIndex = keys.indexOf(rangeAnchor);
  if (range && anchorIndex >= 0) {
    const targetIndex = keys.indexOf(key);
    keys.slice(Math.min(anchorIndex, targetIndex), Math.max(anchorIndex, targetIndex) + 1).forEach((selectedKey) => selected.add(selectedKey));
  } else {
    if (!selected.delete(key)) selected.add(key);
    rangeAnchor = key;
  }
  context.selectedKeys.value = selected;
}

/** Builds the text below a title: time, size, owner or remaining days. @param {LibraryContext} context @param {Item} item */
function buildNote(context, item) {
  if (context.view === "trash") {
    const daysLeft = Math.ceil((Date.parse(item.deleted ?? "") + (context.trashDays ?? 30) * 864e5 - Date.now()) / 864e5);
    const remainingText = daysLeft <= 1 ? getText("library.deletedWithinDay") : getText("library.daysLeft", { count: daysLeft });
    const time = createTimeElement(item.deleted ?? "");
    return [...getTextParts(item.type === "folder" ? "library.folderDeletedAt" : "library.deletedAt", { time }), h("span", { class: daysLeft <= 3 ? "soon" : null }, ` · ${remainingText}`)];
  }
  if (item.type === "folder") return [item.sharer ? `${item.sharer.name} · ` : "", item.childCount === 0 ? getText("library.empty") : getText("library.itemCount", { count: item.childCount, number: String(item.childCount) })];
  const folderNote = context.view === "folder" || item.parent === "/" ? "" : ` · ${item.parent.slice(1)}`;
  return [item.sharer ? `${item.sharer.name} · ` : "", createTimeElement(item.updated), item.sharer ? "" : folderNote];
}

/** Whether the search hits are in the title, or there are none, so that no excerpt is shown. @param {Item} item */
function isHighlightInTitle({ highlight, title }) {
  return !highlight || renderHighlight(highlight).map((node) => node.textContent).join("") === title;
}

/** Builds the title with the search hits marked. @param {Item} item @returns {Node[]} */
function buildTitle(item) {
  return item.highlight && isHighlightInTitle(item) ? renderHighlight(item.highlight) : [document.createTextNode(item.title)];
}

/** Builds the card of an item. @param {LibraryContext} context @param {Signal<Item>} entry */
function buildCard(context, entry) {
  const { key, type } = entry.peek();
  const getTitle = () => entry.value.title;
  const handleClick = (/** @type {MouseEvent} */ event) => {
    const isOnControl = event.target instanceof Element && event.target.closest(".pick, .more");
    if (isOnControl || event.defaultPrevented) return;
    const isOnTitle = event.target instanceof Element && event.target.closest("a");
    if (event.ctrlKey || event.metaKey || event.shiftKey || !isOnTitle) {
      event.preventDefault();
      toggleSelection(context, key, { range: event.shiftKey });
    }
  };
  const element = h(
    "li",
    {
      class: () => ["chart", type === "folder" && "folder", context.selectedKeys.value.has(key) && "chosen"].filter(Boolean).join(" "),
      "data-key": key,
      draggable: String(context.view !== "trash" && entry.peek().mayWrite),
      onclick: handleClick,
      oncontextmenu: (/** @type {MouseEvent} */ event) => {
        event.preventDefault();
        context.openItemMenu(entry.peek(), { x: event.clientX, y: event.clientY });
      },
      ondragstart: (/** @type {DragEvent} */ event) => startDrag(context, key, event),
    },
    type === "folder" ? createIcon("folder") : createThumbnail(() => entry.value.thumbnail),
    h(
      "div",
      { class: "text" },
      h("div", { class: "name" }, () => entry.value.isStarred && [createIcon("star"), h("span", { class: "hidden" }, getText("library.starredTitle"), " ")], () => (context.view === "trash" ? h("span", { tabindex: 0, class: "title" }, getTitle()) : h("a", { href: entry.value.view, draggable: "false", class: "title" }, buildTitle(entry.value)))),
      () => !isHighlightInTitle(entry.value) && h("div", { class: "excerpt" }, renderHighlight(entry.value.highlight ?? "")),
      !context.arrangement.isFixed && h("div", { class: "kind-name muted" }, () => context.arrangement.getKindTitle(entry.value.kindId)),
      h("div", { class: "muted" }, h("div", null, () => buildNote(context, entry.value)), () => context.view !== "trash" && entry.value.sync && h("div", null, buildSyncNote(entry.value.sync))),
    ),
    h("label", { class: "pick" }, h("input", {
      type: "checkbox",
      "aria-label": () => getText("library.selectItem", { title: getTitle() }),
      checked: () => context.selectedKeys.value.has(key),
      onclick: (/** @type {MouseEvent} */ event) => toggleSelection(context, key, { range: event.shiftKey }),
    })),
    h("button", {
      type: "button",
      class: "more",
      "aria-haspopup": "menu",
      "aria-label": () => getText("library.actionsFor", { title: getTitle() }),
      onclick: (/** @type {MouseEvent} */ event) => context.openItemMenu(entry.peek(), /** @type {Element} */ (event.currentTarget)),
    }, createIcon("more")),
  );
  if (type === "folder" && context.view !== "trash" && entry.peek().mayWrite) {
    makeDropTarget(element, context, () => ({ owner: entry.peek().owner, folder: entry.peek().name }));
  }
  return element;
}

/** Starts dragging the selection. An unselected item becomes the selection first. @param {LibraryContext} context @param {string} key @param {DragEvent} event */
function startDrag(context, key, event) {
  if (!context.selectedKeys.peek().has(key)) context.selectedKeys.value = new Set([key]);
  event.dataTransfer?.setData(DRAG_TYPE, key);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
}

/**
 * Makes an element a drop target that moves the selection to a folder.
 * @param {HTMLElement} element
 * @param {LibraryContext} context
 * @param {() => { owner: string, folder: string }} getFolder
 */
export function makeDropTarget(element, context, getFolder) {
  const isOwnDrag = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes(DRAG_TYPE);
  element.addEventListener("dragover", (event) => {
    if (!isOwnDrag(event)) return;
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    element.classList.remove("over");
    if (!isOwnDrag(event)) return;
    event.preventDefault();
    context.moveSelection(getFolder());
  });
}

/**
 * Builds two lists: folders, then charts.
 * @param {LibraryContext} context
 * @param {HTMLElement} folderControls element between the lists
 * @returns {HTMLElement}
 */
export function buildCards(context, folderControls) {
  const [folderList, chartList] = ["folders", "charts"].map((listName) => {
    const list = h("ul", { class: () => `${listName} ${context.layout.value}`, "aria-label": getText(listName === "folders" ? "library.folders" : "library.charts") });
    const itemType = listName === "folders" ? "folder" : "document";
    syncKeyedList(list, () => getVisibleItems(context).filter((item) => item.type === itemType), (item) => item.key, (entry) => buildCard(context, entry));
    return list;
  });
  const headings = h("div", { class: () => `heading-row ${context.layout.value}`, hidden: () => context.arrangement.isFixed || getVisibleItems(context).length === 0 }, context.arrangement.headings);
  const element = h("div", { class: () => ["cards", !context.arrangement.isFixed && "arranged"].filter(Boolean).join(" ") }, headings, folderList, folderControls, chartList);
  element.addEventListener("keydown", (event) => moveFocus(element, event));
  return element;
}

/**
 * Handles arrow keys on a title: moves the focus to the nearest title in that direction.
 * @param {HTMLElement} element
 * @param {KeyboardEvent} event
 */
function moveFocus(element, event) {
  const start = event.target;
  if (!(start instanceof HTMLElement) || !start.matches(".title") || event.ctrlKey || event.metaKey || event.altKey) return;
  const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!direction) return;
  const getCenter = (/** @type {Element} */ title) => {
    const box = (title.closest("li") ?? title).getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = getCenter(start);
  let bestDistance = Infinity;
  /** @type {HTMLElement | null} */
  let nearest = null;
  for (const candidate of /** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll(".title"))) {
    const [dx, dy] = [getCenter(candidate)[0] - x, getCenter(candidate)[1] - y];
    const along = dx * direction[0] + dy * direction[1];
    const across = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
    const distance = along + across * 3;
    if (along > 4 && distance < bestDistance) [bestDistance, nearest] = [distance, candidate];
  }
  event.preventDefault();
  nearest?.focus();
}

/**
 * Returns the keys of the items that can have the focus after some items disappear, best first: the
 * items themselves, those after them and those before them.
 * @param {LibraryContext} context
 * @param {Item[]} list
 * @returns {string[]}
 */
export function findFocusKeys(context, list) {
  const keys = getVisibleItems(context).map((item) => item.key);
  const changed = new Set(list.map((item) => item.key));
  const lastIndex = keys.findLastIndex((key) => changed.has(key));
  return [...changed, ...keys.slice(lastIndex + 1), ...keys.slice(0, Math.max(lastIndex, 0)).reverse()];
}

/**
 * Focuses the first of these items that is listed, if the element with the focus was removed from the
 * page. Without such an item, focuses the heading of the page. Waits until an open dialog is closed.
 * @param {string[]} keys
 * @param {{ isMoved?: boolean }} [options] `isMoved` moves the focus also if its element still exists
 */
export function keepFocus(keys, { isMoved = false } = {}) {
  const dialog = document.querySelector("dialog[open]");
  // The dialog returns the focus to an element that may be gone.
  if (dialog) return void dialog.addEventListener("close", () => setTimeout(() => keepFocus(keys, { isMoved })), { once: true });
  if (!isMoved && document.activeElement && document.activeElement !== document.body) return;
  const titles = new Map([...document.querySelectorAll("[data-key]")].map((element) => [element.getAttribute("data-key"), element.querySelector(".title")]));
  const target = keys.map((key) => titles.get(key)).find((title) => title instanceof HTMLElement) ?? document.querySelector("h1");
  if (!(target instanceof HTMLElement)) return;
  if (target.matches("h1")) target.tabIndex = -1;
  target.focus();
}
