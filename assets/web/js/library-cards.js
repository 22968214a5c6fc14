// @ts-check
/** Charts and folders as cards or rows, with selection, menus, arrows and dragging. */

import { h, keyedList } from "./core.js";
import { marked } from "./search.js";
import { icon, timeElement } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */
/** @template T @typedef {import("./core.js").Signal<T>} Signal */

/**
 * State and actions of the library page that cards use.
 * @typedef {object} LibraryContext
 * @property {string} view
 * @property {number} [trashDays]
 * @property {Signal<Item[]>} folders
 * @property {Signal<Item[]>} items
 * @property {Signal<Set<string>>} chosen keys of the selected items
 * @property {Signal<"grid" | "rows">} layout
 * @property {(item: Item, anchor: Element | { x: number, y: number }) => void} menu
 * @property {(to: { owner: string, folder: string }) => void} drop
 */

/** Returns the visible items, folders first. @param {LibraryContext} context @returns {Item[]} */
export function shown(context) {
  return [...context.folders.value, ...context.items.value];
}

/** Media type of drags within the page. */
const DRAG = "application/x-chartroom";
/** First item of a range selection with Shift. */
let anchor = "";

/**
 * @param {LibraryContext} context
 * @param {string} key
 * @param {{ range?: boolean }} [how]
 */
function toggle(context, key, { range = false } = {}) {
  const chosen = new Set(context.chosen.peek());
  const keys = shown(context).map((it) => it.key);
  const from = keys.indexOf(anchor);
  if (range && from >= 0) {
    const to = keys.indexOf(key);
    keys.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((it) => chosen.add(it));
  } else {
    if (!chosen.delete(key)) chosen.add(key);
    anchor = key;
  }
  context.chosen.value = chosen;
}

/** Returns the text below a title. @param {LibraryContext} context @param {Item} item */
function note(context, item) {
  if (context.view === "trash") {
    const left = Math.ceil((Date.parse(item.deleted ?? "") + (context.trashDays ?? 30) * 864e5 - Date.now()) / 864e5);
    const days = left <= 1 ? "gone within a day" : `${left} days left`;
    return [item.type === "folder" ? "Folder deleted " : "Deleted ", timeElement(item.deleted ?? ""), h("span", { class: left <= 3 ? "soon" : null }, ` · ${days}`)];
  }
  if (item.type === "folder") return [item.from ? `${item.from.name} · ` : "", item.inside === 0 ? "Empty" : item.inside === 1 ? "1 item" : `${item.inside} items`];
  const where = context.view === "folder" || item.parent === "/" ? "" : ` · ${item.parent.slice(1)}`;
  return [item.from ? `${item.from.name} · ` : "", timeElement(item.updated), item.from ? "" : where];
}

/** Whether the search hits are in the title, so that no excerpt is shown. @param {Item} item */
function isOfTitle({ highlight, title }) {
  return !highlight || marked(highlight).map((it) => it.textContent).join("") === title;
}

/** Returns the title with the search hits marked. @param {Item} item @returns {Node[]} */
function name(item) {
  return item.highlight && isOfTitle(item) ? marked(item.highlight) : [document.createTextNode(item.title)];
}

/** @param {LibraryContext} context @param {Signal<Item>} entry */
function card(context, entry) {
  const { key, type } = entry.peek();
  const title = () => entry.value.title;
  const press = (/** @type {MouseEvent} */ event) => {
    const onControl = event.target instanceof Element && event.target.closest(".pick, .more");
    if (onControl || event.defaultPrevented) return;
    const onName = event.target instanceof Element && event.target.closest("a");
    if (event.ctrlKey || event.metaKey || event.shiftKey || !onName) {
      event.preventDefault();
      toggle(context, key, { range: event.shiftKey });
    }
  };
  const element = h(
    "li",
    {
      class: () => ["chart", type === "folder" && "folder", context.chosen.value.has(key) && "chosen"].filter(Boolean).join(" "),
      "data-key": key,
      draggable: String(context.view !== "trash" && entry.peek().writes),
      onclick: press,
      oncontextmenu: (/** @type {MouseEvent} */ event) => {
        event.preventDefault();
        context.menu(entry.peek(), { x: event.clientX, y: event.clientY });
      },
      ondragstart: (/** @type {DragEvent} */ event) => drag(context, key, event),
    },
    type === "folder"
      ? icon("folder")
      : h("img", { src: () => entry.value.picture, width: 640, height: 360, loading: "lazy", draggable: "false", alt: "" }),
    h(
      "div",
      { class: "text" },
      h("div", { class: "name" }, () => (context.view === "trash" ? h("span", { tabindex: 0, class: "title" }, title()) : h("a", { href: entry.value.view, draggable: "false", class: "title" }, name(entry.value)))),
      () => !isOfTitle(entry.value) && h("div", { class: "excerpt" }, marked(entry.value.highlight ?? "")),
      h("div", { class: "muted" }, () => note(context, entry.value)),
    ),
    h("label", { class: "pick" }, h("input", {
      type: "checkbox",
      "aria-label": () => `Select ${title()}`,
      checked: () => context.chosen.value.has(key),
      onclick: (/** @type {MouseEvent} */ event) => toggle(context, key, { range: event.shiftKey }),
    })),
    h("button", {
      type: "button",
      class: "more",
      "aria-haspopup": "menu",
      "aria-label": () => `Actions for ${title()}`,
      onclick: (/** @type {MouseEvent} */ event) => context.menu(entry.peek(), /** @type {Element} */ (event.currentTarget)),
    }, icon("more")),
  );
  if (type === "folder" && context.view !== "trash" && entry.peek().writes) {
    target(element, context, () => ({ owner: entry.peek().owner, folder: entry.peek().name }));
  }
  return element;
}

/** @param {LibraryContext} context @param {string} key @param {DragEvent} event */
function drag(context, key, event) {
  if (!context.chosen.peek().has(key)) context.chosen.value = new Set([key]);
  event.dataTransfer?.setData(DRAG, key);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
}

/**
 * Makes an element a drop target for its folder.
 * @param {HTMLElement} element
 * @param {LibraryContext} context
 * @param {() => { owner: string, folder: string }} where
 */
export function target(element, context, where) {
  const isOurs = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes(DRAG);
  element.addEventListener("dragover", (event) => {
    if (!isOurs(event)) return;
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    element.classList.remove("over");
    if (!isOurs(event)) return;
    event.preventDefault();
    context.drop(where());
  });
}

/**
 * Builds two lists: folders, then charts.
 * @param {LibraryContext} context
 * @returns {HTMLElement}
 */
export function cards(context) {
  const lists = ["folders", "charts"].map((name) => {
    const list = h("ul", { class: () => `${name} ${context.layout.value}`, "aria-label": name === "folders" ? "Folders" : "Charts" });
    const wanted = name === "folders" ? "folder" : "document";
    keyedList(list, () => shown(context).filter((it) => it.type === wanted), (it) => it.key, (entry) => card(context, entry));
    return list;
  });
  const element = h("div", { class: "cards" }, lists);
  element.addEventListener("keydown", (event) => arrows(element, event));
  return element;
}

/**
 * Moves the focus with arrow keys to the nearest title in that direction.
 * @param {HTMLElement} element
 * @param {KeyboardEvent} event
 */
function arrows(element, event) {
  const from = event.target;
  if (!(from instanceof HTMLElement) || !from.matches(".title") || event.ctrlKey || event.metaKey || event.altKey) return;
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!way) return;
  const middle = (/** @type {Element} */ it) => {
    const box = (it.closest("li") ?? it).getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = middle(from);
  let best = Infinity;
  /** @type {HTMLElement | null} */
  let to = null;
  for (const it of /** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll(".title"))) {
    const [dx, dy] = [middle(it)[0] - x, middle(it)[1] - y];
    const along = dx * way[0] + dy * way[1];
    const across = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    const far = along + across * 3;
    if (along > 4 && far < best) [best, to] = [far, it];
  }
  event.preventDefault();
  to?.focus();
}
