// @ts-check
/** The form of a chart's settings, generated from the settings schema of its kind and the hints for each setting. */

import { createColor } from "./color-field.js";
import { computed, effect, h, signal, syncKeyedList } from "./core.js";
import { INTERNAL_SETTINGS } from "./label-format.js";
import { createChoice, createColumnReference, createDate, createJsonField, createNamedTexts, createSwitch, createText, createThreeStates } from "./settings-controls.js";
import { createFormats } from "./settings-format.js";
import { createCards, createColumnReferences, createPalette, createTexts } from "./settings-list.js";
import { collectSearchTexts, createPlace, isChanged, isEqual, meetsConditions, watchValue } from "./settings-model.js";
import { createNumber } from "./settings-number.js";
import { scrollPanelTo } from "./panel-frame.js";
import { getText } from "./texts.js";
import { createIcon, positionPopover } from "./ui.js";

/** @typedef {{ key: string, title: string, type: string, isRepeated: boolean }} FormColumn */

/** A problem of a value. `path` is dotted, such as `settings.axis.min`. @typedef {{ path: string, message: string }} Problem */

/** @template T @typedef {{ readonly value: T, peek: () => T }} ReadSignal */

/**
 * @typedef {object} FormOptions
 * @property {any} kind kind of the chart as in the API, with `settings_schema`, `form` and `ui`
 * @property {ReadSignal<any>} settings immutable settings of the document; an absent member has its default
 * @property {ReadSignal<any[]>} records
 * @property {ReadSignal<FormColumn[]>} columns
 * @property {ReadSignal<Problem[]>} problems problems that the server reports
 * @property {ReadSignal<string[]>} palette CSS colors of the theme
 * @property {ReadSignal<string>} background CSS color behind the marks
 * @property {(path: string[], value: any, options: import("./settings-model.js").ChangeOptions) => void} onChange
 *   stores a value; undefined removes the member
 */

/**
 * State that all rows share. `register` adds a row until its effect is disposed.
 * @typedef {FormOptions & { createId: () => string, query: import("./core.js").Signal<string>, register: (row: Row) => void, problemsOf: (key: string) => string[], rows: import("./core.js").Signal<Map<string, Row>> }} FormContext
 */

/** A row of the form. `isShown` is false if a condition or the search hides it. @typedef {{ key: string, element: HTMLElement, target: HTMLElement, isShown: () => boolean }} Row */

/** Creates a row in a card. `isRequired` values cannot be removed. @typedef {(place: import("./settings-model.js").Place, schema: any, hint: import("./settings-model.js").Hint, isRequired?: boolean) => HTMLElement} CreateNestedRow */

/** Key of the collapsed sections in the local storage. */
const SECTIONS_KEY = "chartroom.settings-sections";

/** Number of forms on this page, for ids. */
let formCount = 0;

/**
 * Builds the form of a chart's settings. It shows values only from the signal `settings`, so it follows undo.
 * @param {FormOptions} options
 * @returns {{ element: HTMLElement, reveal: (path: string | (string | number)[], options?: { focus?: boolean }) => void, focusSearch: () => void }}
 *   `reveal` opens the section and cards of a setting and moves the focus to it, or only scrolls the panel to it
 */
export function buildSettingsForm(options) {
  const form = createContext(options);
  const { kind, query } = form;
  const search = h("input", { type: "search", class: "settings-search", "aria-label": getText("settings-form.searchName"), placeholder: getText("settings-form.search"), autocomplete: "off", spellcheck: "false", oninput: () => (query.value = search.value.trim().toLowerCase()) });
  const focusSearch = () => {
    search.focus();
    search.select();
  };
  const sections = (kind.form ?? []).map((/** @type {any} */ section) => createSection(form, section.title, section.settings));
  const others = createOtherSection(form);
  const isEmpty = () => query.value !== "" && ![...form.rows.value.values()].some((row) => row.isShown());
  const status = h("p", { class: "settings-empty", role: "status" }, () => (isEmpty() ? getText("settings-form.noMatch", { text: search.value.trim() }) : ""));
  const element = h("div", { class: "settings-form" }, h("div", { class: "settings-head" }, createIcon("search"), search), createGeneralProblems(form), status, sections, others);
  element.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "f") {
      event.preventDefault();
      focusSearch();
    } else if (event.key === "Escape" && event.target === search && search.value !== "") {
      event.preventDefault();
      event.stopPropagation();
      clearSearch();
    }
  });
  const clearSearch = () => {
    search.value = "";
    query.value = "";
  };
  const reveal = (/** @type {string | (string | number)[]} */ path, { focus = true } = {}) => {
    element.querySelectorAll(".list-card.is-current").forEach((card) => card.classList.remove("is-current"));
    const parts = Array.isArray(path) ? path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("").slice(1) : path;
    const row = findRow(form, parts.replace(/^settings\./, ""));
    if (!row) return;
    clearSearch();
    // A setting that a condition hides has no place to show.
    if (row.element.hidden) return;
    const card = findCard(row, parts.replace(/^settings\./, ""));
    for (let parent = row.element.parentElement; parent && parent !== element; parent = parent.parentElement) {
      if (!parent.id) continue;
      const toggle = /** @type {HTMLElement | null} */ (element.querySelector(`[aria-controls="${parent.id}"][aria-expanded="false"]`));
      toggle?.click();
    }
    card?.classList.add("is-current");
    if (!focus) return scrollPanelTo(card ?? row.element);
    (card ?? row.element).scrollIntoView({ block: "nearest" });
    const toggle = /** @type {HTMLElement | null | undefined} */ (card?.querySelector(".card-toggle"));
    if (toggle?.getAttribute("aria-expanded") === "false") toggle.click();
    const focusable = toggle ?? findFocusable(row);
    focusable.focus();
  };
  return { element, reveal, focusSearch };
}

/** Returns the card of a list that a path leads to, if it leads into a list of cards. @param {Row} row @param {string} path @returns {Element | null} */
function findCard(row, path) {
  const index = path.startsWith(`${row.key}[`) ? /^\[(\d+)\]/.exec(path.slice(row.key.length))?.[1] : undefined;
  return index === undefined ? null : row.element.querySelector(`.list-card[data-index="${index}"]`);
}

/** Returns the element of a row that takes the focus. @param {Row} row @returns {HTMLElement} */
function findFocusable({ target }) {
  if (target.matches("input, select, textarea, button")) return target;
  return target.querySelector("input:checked, input, select, textarea, button") ?? target;
}

/** Creates the state that the rows share. @param {FormOptions} options @returns {FormContext} */
function createContext(options) {
  const prefix = `setting-${(formCount += 1)}`;
  let idCount = 0;
  /** @type {import("./core.js").Signal<Map<string, Row>>} */
  const rows = signal(new Map());
  // Each problem belongs to the deepest row of its path.
  const problemsByRow = computed(() => {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    for (const { path, message } of options.problems.value) {
      if (path !== "settings" && !path.startsWith("settings.")) continue;
      const key = findKey(rows.value, path.slice("settings.".length)) ?? "";
      found.set(key, [...(found.get(key) ?? []), message]);
    }
    return found;
  });
  return {
    ...options,
    createId: () => `${prefix}-${(idCount += 1)}`,
    query: signal(""),
    rows,
    problemsOf: (key) => problemsByRow.value.get(key) ?? [],
    register: (row) => {
      effect(() => {
        rows.value = new Map(rows.peek()).set(row.key, row);
        return () => {
          if (rows.peek().get(row.key) !== row) return;
          const others = new Map(rows.peek());
          others.delete(row.key);
          rows.value = others;
        };
      });
    },
  };
}

/** Returns the key of the deepest row that contains a path. @param {Map<string, Row>} rows @param {string} path @returns {string | undefined} */
function findKey(rows, path) {
  for (let key = path; key !== ""; key = key.replace(/(^|\.)[^.[]*$|\[\d+\]$/, "")) if (rows.has(key)) return key;
  return undefined;
}

/** Returns the deepest row that contains a path. @param {FormContext} form @param {string} path */
const findRow = (form, path) => form.rows.peek().get(findKey(form.rows.peek(), path) ?? "");

/** Creates the list of problems that belong to no setting. @param {FormContext} form */
function createGeneralProblems(form) {
  return h("div", { class: "settings-problems", role: "status" }, () => form.problemsOf("").map((message) => h("p", { class: "setting-error" }, message)));
}

/** Returns the sections that are collapsed, by kind and title. @returns {Record<string, boolean>} */
function readCollapsed() {
  try {
    const stored = JSON.parse(localStorage.getItem(SECTIONS_KEY) ?? "{}");
    return typeof stored === "object" && stored ? stored : {};
  } catch {
    return {};
  }
}

/** Stores whether a section is collapsed. @param {string} key @param {boolean} isCollapsed */
function storeCollapsed(key, isCollapsed) {
  try {
    const { [key]: _, ...others } = readCollapsed();
    localStorage.setItem(SECTIONS_KEY, JSON.stringify(isCollapsed ? { ...others, [key]: true } : others));
  } catch {
    // Without storage, the section is open after the next load.
  }
}

/**
 * Creates a section that can be collapsed. A search shows its matching rows even if it is collapsed.
 * @param {FormContext} form
 * @param {string} title
 * @param {string[]} names settings
 */
function createSection(form, title, names) {
  const key = `${form.kind.slug}/${title}`;
  const isCollapsed = signal(readCollapsed()[key] === true);
  const [headId, bodyId] = [form.createId(), form.createId()];
  const isOpen = () => !isCollapsed.value || form.query.value !== "";
  const toggle = () => {
    isCollapsed.value = !isCollapsed.peek();
    storeCollapsed(key, isCollapsed.peek());
  };
  const properties = form.kind.settings_schema.properties ?? {};
  const rows = names.filter((name) => name in properties).map((name) => createSetting(form, [name], properties[name], () => [], title));
  const hasRows = () => rows.some((row) => !row.isHidden());
  const problemCount = () => [...form.rows.value.keys()].filter((rowKey) => names.some((name) => rowKey === name || rowKey.startsWith(`${name}.`) || rowKey.startsWith(`${name}[`))).reduce((sum, rowKey) => sum + form.problemsOf(rowKey).length, 0);
  const count = () => (problemCount() ? h("span", { class: "section-problems" }, getText("settings-form.problems", { count: problemCount() })) : null);
  const head = h("h3", null, h("button", { type: "button", class: "section-toggle", id: headId, "aria-expanded": isOpen, "aria-controls": bodyId, onclick: toggle }, createIcon("down"), h("span", { class: "grow" }, title), count));
  const body = h("div", { class: "section-body", id: bodyId, role: "group", "aria-labelledby": headId, hidden: () => !isOpen() }, rows.map((row) => row.element));
  return h("section", { class: "settings-section", hidden: () => !hasRows() }, head, body);
}

/** Creates the section of the settings that the schema of the kind does not know. They are JSON. @param {FormContext} form */
function createOtherSection(form) {
  const known = form.kind.settings_schema.properties ?? {};
  const names = () => Object.keys(form.settings.value ?? {}).filter((name) => !(name in known || INTERNAL_SETTINGS.includes(name)));
  const [headId, body] = [form.createId(), h("div", { class: "section-body" })];
  syncKeyedList(body, names, (name) => name, (entry) => createSetting(form, [entry.peek()], { title: entry.peek() }, () => [], getText("settings-form.otherSettings")).element);
  const hasRows = () => names().some((name) => form.rows.value.get(name)?.isShown());
  return h("section", { class: "settings-section", role: "group", "aria-labelledby": headId, hidden: () => !hasRows() }, h("h3", { id: headId, class: "section-title" }, getText("settings-form.otherSettings")), body);
}

/**
 * Creates the row of a setting, or the group of rows of an object.
 * @param {FormContext} form
 * @param {string[]} path
 * @param {any} schema
 * @param {() => import("./settings-model.js").Condition[]} outerConditions conditions of the objects around it
 * @param {string} outerTitle title of the section or group, which a search finds too
 * @returns {{ element: HTMLElement, isHidden: () => boolean }}
 */
function createSetting(form, path, schema, outerConditions, outerTitle) {
  const hint = form.kind.ui?.[path.join(".")] ?? {};
  const conditions = () => [...outerConditions(), ...(hint.show_if ?? [])];
  const members = Object.entries(schema.properties ?? {});
  // The kind does not use the setting.
  if (hint.control === "none") return { element: h("div", { hidden: true }), isHidden: () => true };
  if (schema.type !== "object" || !members.length) return createRow(form, createPlace(form, path), schema, hint, { conditions, outerTitle });
  const rows = members.map(([name, member]) => createSetting(form, [...path, name], member, conditions, `${outerTitle}\n${schema.title}\n${hint.help ?? schema.description ?? ""}`));
  const isHidden = () => rows.every((row) => row.isHidden());
  const titleId = form.createId();
  const title = h("div", { class: "group-title" }, h("span", { id: titleId }, schema.title), createHelp(form, schema.title, hint.help ?? schema.description).elements);
  const element = h("div", { class: "setting-group", role: "group", "aria-labelledby": titleId, hidden: isHidden }, title, rows.map((row) => row.element));
  return { element, isHidden };
}

/**
 * Creates the help of a setting: a button with a popover. Its text also describes the control.
 * @param {FormContext} form
 * @param {string} title
 * @param {string | undefined} text
 * @returns {{ id: string | null, elements: HTMLElement[] }}
 */
function createHelp(form, title, text) {
  if (!text) return { id: null, elements: [] };
  const id = form.createId();
  const popover = h("div", { class: "help-popover", id, popover: "auto" }, text);
  const button = h("button", { type: "button", class: "help-button", popovertarget: id, "aria-label": getText("settings-form.help", { setting: title }) }, "?");
  popover.addEventListener("toggle", (event) => {
    const isOpen = /** @type {ToggleEvent} */ (event).newState === "open";
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) positionPopover(popover, button);
  });
  return { id, elements: [button, popover] };
}

/**
 * Creates a row: label, control, help, the dot that resets a changed value, and problems.
 * @param {FormContext} form
 * @param {import("./settings-model.js").Place} place
 * @param {any} schema
 * @param {import("./settings-model.js").Hint} hint
 * @param {{ conditions?: () => import("./settings-model.js").Condition[], outerTitle?: string, isNested?: boolean, isRequired?: boolean }} [options] a nested row is found with the setting that contains it
 */
function createRow(form, place, schema, hint, { conditions = () => [], outerTitle = "", isNested = false, isRequired = false } = {}) {
  const label = schema.title ?? place.key;
  const [id, labelId, errorId] = [form.createId(), form.createId(), form.createId()];
  const value = watchValue(place.read);
  const localProblem = signal(/** @type {string | null} */ (null));
  const write = (/** @type {any} */ next, isTyping = false) => !(isRequired && next === undefined) && !isEqual(next, value.peek()) && place.write(next, { label, mergeKey: isTyping ? place.key : null });
  const context = { id, label, labelId, schema, hint, place, value, write, form, isRequired, setError: (/** @type {string | null} */ message) => (localProblem.value = message) };
  const control = createControl(context);
  const help = createHelp(form, label, hint.help ?? schema.description);
  const problems = () => [localProblem.value, ...form.problemsOf(place.key)].filter((message) => message !== null);
  effect(() => {
    const isInvalid = problems().length > 0;
    const described = [isInvalid && errorId, help.id].filter(Boolean).join(" ");
    if (described) control.target.setAttribute("aria-describedby", described);
    else control.target.removeAttribute("aria-describedby");
    // A group has no state of its own, so that its description has the problem.
    if (isInvalid && !control.isGroup) control.target.setAttribute("aria-invalid", "true");
    else control.target.removeAttribute("aria-invalid");
  });
  const resetLabel = getText("settings-form.reset", { setting: label });
  const reset = () => {
    place.write(undefined, { label: resetLabel, mergeKey: null });
    localProblem.value = null;
    (control.isGroup ? /** @type {HTMLElement | null} */ (control.target.querySelector("input:checked, input, select, button")) ?? control.target : control.target).focus();
  };
  const dot = h("button", { type: "button", class: "reset-dot", "aria-label": resetLabel, title: resetLabel, onclick: reset, hidden: () => isRequired || !isChanged(value.value, schema) });
  const texts = `${collectSearchTexts(label, schema, hint)}\n${outerTitle}`.toLowerCase();
  const matches = () => isNested || form.query.value === "" || texts.includes(form.query.value);
  const isAllowed = computed(() => meetsConditions(conditions(), form.kind.settings_schema, form.settings.value, form.records.value));
  const isHidden = () => !matches() || !(isAllowed.value || problems().length > 0);
  const labelElement = control.isGroup ? h("span", { class: "setting-label", id: labelId }, label) : h("label", { class: "setting-label", id: labelId, for: id }, label);
  const controlElement = h("div", { class: "setting-control" }, control.element);
  const helpElement = h("div", { class: "setting-help" }, help.elements);
  const element = h(
    "div",
    { class: ["setting", control.isWide && "wide", control.type === "switch" && "flag"], dataset: { path: place.key, control: control.type }, hidden: isHidden },
    dot,
    labelElement,
    // The help of a wide control stands above it, beside the label.
    control.isWide ? [helpElement, controlElement] : [controlElement, helpElement],
    h("div", { class: "setting-errors", id: errorId, role: "status" }, () => problems().map((message) => h("p", { class: "setting-error" }, message))),
  );
  form.register({ key: place.key, element, target: control.target, isShown: () => !isNested && !isHidden() });
  return { element, isHidden };
}

/** Creates the control that suits a setting. @param {import("./settings-controls.js").ControlContext} context @returns {import("./settings-controls.js").Control} */
function createControl(context) {
  const { schema, hint, form } = context;
  /** @type {CreateNestedRow} */
  const createNestedRow = (place, member, memberHint, isRequired) => createRow(form, place, member, memberHint, { isNested: true, isRequired }).element;
  switch (hint.control) {
    case "color":
      return createColor(context);
    case "palette":
      return createPalette(context);
    case "columnReference":
      return createColumnReference(context);
    case "columnReferences":
      return createColumnReferences(context);
    case "date":
      return createDate(context);
    case "format":
    case "dateFormat":
      return createFormats(context, createNestedRow);
    default:
  }
  if (schema.enum) return createChoice(context);
  if (schema.type === "boolean") return schema.default === undefined ? createThreeStates(context) : createSwitch(context);
  if (schema.type === "number" || schema.type === "integer") return createNumber(context);
  if (schema.type === "string") return createText(context);
  if (schema.type === "array" && schema.items?.type === "string") return createTexts(context);
  if (schema.type === "array" && schema.items?.properties) return createCards(context, createNestedRow);
  if (schema.type === "object" && schema.additionalProperties?.type === "string") return createNamedTexts(context);
  return createJsonField(context);
}
