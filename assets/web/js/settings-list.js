// @ts-check
/** List controls of a settings form: texts, colors, columns, and cards of objects. */

import { createColorButton } from "./color-field.js";
import { effect, h, signal, syncKeyedList } from "./core.js";
import { toInnerLabel } from "./label-format.js";
import { asList, createItemPlace, createMemberPlace, toSingular, toText } from "./settings-model.js";
import { getText } from "./texts.js";
import { createButton, createIcon, openMenu, runWhenIdle } from "./ui.js";

/** Maximum number of new rows that a list builds at once. */
const MAX_ROWS_AT_ONCE = 4;

/** @typedef {import("./settings-controls.js").ControlContext} ControlContext */
/** @typedef {import("./settings-controls.js").Control} Control */

/**
 * Creates a list with items that can be added, moved, duplicated and removed.
 * @param {ControlContext} context
 * @param {object} options
 * @param {string} options.type
 * @param {string} options.itemName name of an item, such as `Color`
 * @param {string} options.addText label of the button that adds an item
 * @param {() => any} options.createItem value of a new item
 * @param {(index: number, tools: { handle: HTMLElement, menu: HTMLElement, readItem: () => any }) => HTMLElement} options.createRow
 * @param {string} options.emptyText text of an empty list
 * @param {() => boolean} [options.canAdd] whether there is something to add
 * @param {() => any[]} [options.listAll] values of a complete list, offered while the list is empty
 * @param {(from: number, to: number) => void} [options.onmove] keeps facts about items
 * @param {(index: number) => import("./ui.js").Item[]} [options.listActions] further actions in the menu of an item
 * @returns {Control}
 */
export function createList(context, { type, itemName, addText, createItem, createRow, emptyText, canAdd = () => true, listAll, onmove, listActions = () => [] }) {
  const { id, labelId, schema, value, write } = context;
  const maximum = schema.maxItems ?? Infinity;
  const items = () => asList(value.value ?? schema.default);
  const peekItems = () => asList(value.peek() ?? schema.default);
  const store = (/** @type {any[]} */ next) => write(next.length ? next : undefined);
  const focusRow = (/** @type {number} */ index, selector = "button, input, select") => {
    rowCount.value = Math.max(rowCount.peek(), index + 1);
    /** @type {HTMLElement | null} */ (list.children[index]?.querySelector(selector))?.focus();
  };
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    const next = [...peekItems()];
    if (to < 0 || to >= next.length || to === from) return;
    next.splice(to, 0, ...next.splice(from, 1));
    onmove?.(from, to);
    store(next);
    focusRow(to, ".list-handle");
    status.textContent = getText("settings-form.moved", { item: itemName, position: to + 1, count: next.length });
  };
  const duplicate = (/** @type {number} */ index) => {
    store(peekItems().toSpliced(index, 0, structuredClone(peekItems()[index])));
    focusRow(index + 1);
  };
  const remove = (/** @type {number} */ index) => {
    store(peekItems().toSpliced(index, 1));
    const rest = peekItems().length;
    if (rest) focusRow(Math.min(index, rest - 1));
    else addButton.focus();
  };
  const nameItem = (/** @type {number} */ index) => getText("settings-form.item", { item: itemName, number: index + 1 });
  const openItemMenu = (/** @type {HTMLElement} */ button, /** @type {number} */ index) => {
    const count = peekItems().length;
    openMenu(
      button,
      [
        index > 0 ? { label: getText("common.moveUp"), icon: "up", run: () => move(index, index - 1) } : undefined,
        index < count - 1 ? { label: getText("common.moveDown"), icon: "down", run: () => move(index, index + 1) } : undefined,
        count < maximum ? { label: getText("common.duplicate"), icon: "copy", run: () => duplicate(index) } : undefined,
        ...listActions(index),
        { label: getText("common.remove"), icon: "trash", danger: true, run: () => remove(index) },
      ].filter((item) => item !== undefined),
      nameItem(index),
    );
  };
  const createTools = (/** @type {number} */ index) => {
    const name = nameItem(index);
    const handle = h("button", { type: "button", class: "list-handle", "aria-label": getText("settings-form.moveItem", { item: name }), title: getText("settings-form.moveHint") }, createIcon("menu"));
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(index, index + step);
    });
    addDrag(handle, list, index, move);
    const menu = h("button", { type: "button", class: "cross", "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": getText("settings-form.itemActions", { item: name }), onclick: () => openItemMenu(menu, index) }, createIcon("more"));
    return { handle, menu, readItem: () => items()[index] };
  };
  const list = h("ol", { class: "setting-list" });
  const rowCount = followCount(items);
  syncKeyedList(list, () => items().slice(0, rowCount.value).map((/** @type {any} */ _, /** @type {number} */ index) => index), (index) => index, (entry) => {
    const row = createRow(entry.peek(), createTools(entry.peek()));
    return row;
  });
  const add = () => {
    store([...peekItems(), createItem()]);
    focusRow(peekItems().length - 1, "input, select, .color-button");
  };
  const addButton = createButton(addText, { class: "small", icon: "plus", onclick: add, hidden: () => items().length >= maximum || !canAdd() });
  const allButton = listAll && createButton(getText("settings-form.listAll"), { class: "small", onclick: () => store(listAll()), hidden: () => items().length > 0 || listAll().length === 0 });
  const status = h("p", { class: "hidden", role: "status" });
  const empty = h("p", { class: "hint", hidden: () => items().length > 0 }, emptyText);
  const element = h("div", { id, role: "group", tabindex: -1, "aria-labelledby": labelId }, empty, list, h("div", { class: "list-actions" }, addButton, allButton), status);
  return { element, target: element, type, isGroup: true, isWide: true };
}

/**
 * Creates a signal with the number of items of a list that have a row. After an increase by many items, such as the series
 * of a pasted table, it grows in steps while the page is idle, so that the table and the next keys need not wait.
 * @param {() => any[]} items reads the list from signals
 */
function followCount(items) {
  const count = signal(-1);
  effect(() => {
    const { length } = items();
    if (count.peek() < 0 || length - count.peek() <= MAX_ROWS_AT_ONCE) {
      count.value = length;
      return;
    }
    let cancel = () => {};
    const addRows = () => {
      count.value = Math.min(count.peek() + MAX_ROWS_AT_ONCE, length);
      if (count.peek() < length) cancel = runWhenIdle(addRows);
    };
    cancel = runWhenIdle(addRows);
    return () => cancel();
  });
  return count;
}

/**
 * Makes a row draggable by its handle to another position of the list.
 * @param {HTMLElement} handle
 * @param {HTMLElement} list
 * @param {number} index
 * @param {(from: number, to: number) => void} move
 */
function addDrag(handle, list, index, move) {
  const findTarget = (/** @type {number} */ y) => {
    const boxes = Array.from(list.children, (row) => row.getBoundingClientRect());
    return boxes.filter((box, at) => at !== index && box.top + box.height / 2 < y).length;
  };
  const mark = (/** @type {number | null} */ target) =>
    Array.from(list.children, (row, at) => {
      row.classList.toggle("dragged", target !== null && at === index);
      row.classList.toggle("drop-before", target !== null && at === target && target < index);
      row.classList.toggle("drop-after", target !== null && at === target && target > index);
    });
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    handle.setPointerCapture(event.pointerId);
    const stop = new AbortController();
    const follow = (/** @type {PointerEvent} */ moved) => mark(findTarget(moved.clientY));
    const finish = (/** @type {PointerEvent} */ end) => {
      stop.abort();
      mark(null);
      if (end.type === "pointerup") move(index, findTarget(end.clientY));
    };
    handle.addEventListener("pointermove", follow, { signal: stop.signal });
    for (const type of /** @type {const} */ (["pointerup", "pointercancel"])) handle.addEventListener(type, finish, { signal: stop.signal });
  });
}

/** Creates a list of colors. @param {ControlContext} context @returns {Control} */
export function createPalette(context) {
  const { value, write, form } = context;
  return createList(context, {
    type: "palette",
    itemName: getText("common.color"),
    addText: getText("colors.addColor"),
    createItem: () => form.palette.peek()[(asList(value.peek()).length) % Math.max(1, form.palette.peek().length)] ?? "#2f6bde",
    emptyText: getText("settings-form.colorsOfTheme"),
    createRow: (index, { handle, menu, readItem }) => {
      const store = (/** @type {string | undefined} */ color, /** @type {boolean} */ isTyping) => color !== undefined && write(asList(value.peek()).with(index, color), isTyping);
      const button = createColorButton({ label: getText("colors.numberedColor", { number: index + 1 }), read: () => toText(readItem()), write: store, emptyText: "", form });
      return h("li", { class: "list-row" }, handle, button, menu);
    },
  });
}

/** Creates a list of texts, or the fixed fields of a list with a name for each position. @param {ControlContext} context @returns {Control} */
export function createTexts(context) {
  const { label, hint, value, write } = context;
  if (hint.item_labels) return createFixedTexts(context, hint.item_labels);
  return createList(context, {
    type: "texts",
    itemName: getText("settings-form.entry"),
    addText: getText("settings-form.addEntry"),
    createItem: () => "",
    emptyText: hint.placeholder ?? getText("settings-form.noEntries"),
    createRow: (index, { handle, menu, readItem }) => {
      const input = h("input", { type: "text", autocomplete: "off", "aria-label": getText("settings-form.numberedEntry", { setting: label, number: index + 1 }), oninput: () => write(asList(value.peek()).with(index, input.value), true) });
      effect(() => {
        const text = toText(readItem());
        if (input.value !== text) input.value = text;
      });
      return h("li", { class: "list-row" }, handle, input, menu);
    },
  });
}

/** Creates one field for each position of a list. @param {ControlContext} context @param {string[]} names @returns {Control} */
function createFixedTexts({ id, labelId, label, value, write }, names) {
  const inputs = names.map((name, index) => {
    const store = () => {
      const next = names.map((_, at) => (at === index ? input.value : toText(asList(value.peek())[at])));
      while (next.length && next[next.length - 1] === "") next.pop();
      write(next.length ? next : undefined, true);
    };
    const input = h("input", { type: "text", autocomplete: "off", "aria-label": `${label}: ${name}`, oninput: store });
    effect(() => {
      const text = toText(asList(value.value)[index]);
      if (input.value !== text) input.value = text;
    });
    return h("div", { class: "named-text" }, h("span", { "aria-hidden": true }, name), input);
  });
  const element = h("div", { id, role: "group", tabindex: -1, class: "named-texts", "aria-labelledby": labelId }, inputs);
  return { element, target: element, type: "fixed-texts", isGroup: true, isWide: true };
}

/** Creates a list of columns. @param {ControlContext} context @returns {Control} */
export function createColumnReferences(context) {
  const { label, hint, value, write, form } = context;
  const unusedKey = () => listSeries(form).find((key) => !asList(value.peek()).includes(key));
  return createList(context, {
    type: "columns",
    itemName: getText("settings-form.column"),
    addText: getText("settings-form.addColumn"),
    createItem: () => unusedKey() ?? "",
    canAdd: () => (form.columns.value, value.value, unusedKey() !== undefined),
    emptyText: hint.placeholder ?? getText("settings-form.chartChooses"),
    createRow: (index, { handle, menu, readItem }) => {
      const select = h("select", { "aria-label": getText("settings-form.numberedColumn", { setting: label, number: index + 1 }), onchange: () => write(asList(value.peek()).with(index, select.value)) });
      effect(() => {
        const key = toText(readItem());
        const columns = form.columns.value;
        const extra = columns.some((column) => column.key === key) ? [] : [h("option", { value: key }, key || getText("settings-form.noColumn"))];
        select.replaceChildren(...extra, ...columns.map((column) => h("option", { value: column.key }, column.title || column.key)));
        select.value = key;
      });
      return h("li", { class: "list-row" }, handle, select, menu);
    },
  });
}

/** Returns the keys of the columns that repeat, or of the columns of numbers. @param {import("./settings-form.js").FormContext} form */
function listSeries(form) {
  const columns = form.columns.peek();
  const type = form.kind.data_columns?.find((/** @type {any} */ column) => column.repeats)?.type;
  const repeated = columns.filter((column) => column.isRepeated && (type !== "number" || column.type === "number"));
  return (repeated.length ? repeated : columns.filter((column) => column.type === "number")).map((column) => column.key);
}

/**
 * Creates a list of objects as collapsible cards.
 * @param {ControlContext} context
 * @param {import("./settings-form.js").CreateNestedRow} createRow creates the row of a member
 * @returns {Control}
 */
export function createCards(context, createRow) {
  const { label, schema, place, form } = context;
  const hintOf = (/** @type {string} */ name) => form.kind.ui?.[`${place.key}[].${name}`] ?? {};
  const members = Object.entries(schema.items.properties).filter(([name]) => hintOf(name).control !== "none");
  const columnMember = members.find(([name]) => hintOf(name).control === "columnReference")?.[0];
  const required = new Set(schema.items.required ?? []);
  const itemName = columnMember ? getText("settings-form.column") : toSingular(label) ?? getText("settings-form.entry");
  const open = signal(/** @type {Set<number>} */ (new Set()));
  const unusedKey = () => listSeries(form).find((key) => !asList(context.value.peek()).some((/** @type {any} */ item) => item?.[String(columnMember)] === key));
  const createItem = () => {
    open.value = new Set([...open.peek(), asList(context.value.peek()).length]);
    const entries = members.filter(([name]) => required.has(name)).map(([name, member]) => [name, name === columnMember ? unusedKey() ?? "" : createRequiredValue(member, asList(context.value.peek()), name)]);
    return Object.fromEntries(entries);
  };
  return createList(context, {
    type: "cards",
    itemName,
    addText: getText("settings-form.addItem", { item: toInnerLabel(itemName) }),
    createItem,
    emptyText: columnMember ? getText("settings-form.everyColumn") : getText("settings-form.noItems"),
    canAdd: () => !columnMember || (form.columns.value, context.value.value, unusedKey() !== undefined),
    listAll: columnMember ? () => (form.columns.value, listSeries(form).map((key) => ({ [columnMember]: key }))) : undefined,
    onmove: (from, to) => {
      const states = asList(context.value.peek()).map((/** @type {any} */ _, /** @type {number} */ index) => open.peek().has(index));
      states.splice(to, 0, ...states.splice(from, 1));
      open.value = new Set(states.flatMap((/** @type {boolean} */ isOpen, /** @type {number} */ index) => (isOpen ? [index] : [])));
    },
    createRow: (index, { handle, menu, readItem }) => {
      const item = createItemPlace(place, index);
      const bodyId = form.createId();
      const toggle = () => {
        const next = new Set(open.peek());
        if (!next.delete(index)) next.add(index);
        open.value = next;
      };
      const title = () => describeItem(readItem(), columnMember, form) || getText("settings-form.item", { item: itemName, number: index + 1 });
      const head = h("button", { type: "button", class: "card-toggle", "aria-expanded": () => open.value.has(index), "aria-controls": bodyId, onclick: toggle }, createIcon("down"), h("span", { class: "card-title" }, title));
      const body = h("div", { class: "card-body", id: bodyId, role: "group", "aria-label": title, hidden: () => !open.value.has(index) });
      for (const [name, member] of members) body.append(createRow(createMemberPlace(item, name), member, hintOf(name), required.has(name)));
      return h("li", { class: "list-card", dataset: { index: String(index) } }, h("div", { class: "card-head" }, handle, head, menu), body);
    },
  });
}

/** Returns a value for a required member of a new item: a number after those of the other items, or an empty text. @param {any} schema @param {any[] | undefined} items @param {string} name */
function createRequiredValue(schema, items, name) {
  if (schema.type === "number" || schema.type === "integer") return Math.max(0, ...(items ?? []).map((item) => Number(item?.[name]) || 0)) + 1;
  return schema.default ?? "";
}

/** Returns the name of an item: its title, the title of its column, or its first value. @param {any} item @param {string | undefined} columnMember @param {import("./settings-form.js").FormContext} form @returns {string} */
function describeItem(item, columnMember, form) {
  if (typeof item?.title === "string" && item.title) return item.title;
  const key = columnMember && item?.[columnMember];
  if (key) return form.columns.value.find((column) => column.key === key)?.title || String(key);
  const first = Object.values(item ?? {}).find((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? "" : String(first);
}
