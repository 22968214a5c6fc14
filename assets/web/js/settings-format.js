// @ts-check
/** The control for number and date formats of a settings form: one card for each column, with an example. */

import { h, signal, syncKeyedList } from "./core.js";
import { asObject } from "./settings-model.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** Rules for numbers and for dates. */
const NUMBER_RULES = ["decimals", "prefix", "suffix", "displayAsPercentage", "thousandsSeparator", "plusSign"];
const DATE_RULES = ["dateFormat"];

/** Tokens of a date pattern. Longer ones come first. */
const DATE_TOKENS = /YYYY|YY|MMM|MM|M|DD|D|HH|mm|SSS|ss/g;

/** Date of the examples of a column without dates. */
const SAMPLE_DATE = "2026-02-03";

/**
 * Formats a number by the rules of a column, as the renderer does for labels. Large numbers are written in full.
 * @param {number} value
 * @param {Record<string, any>} rules
 * @param {string} locale
 * @returns {string}
 */
export function formatNumberExample(value, rules, locale) {
  const size = Math.abs(value);
  const chosen = size >= 1000 ? 0 : size >= 10 ? 1 : 2;
  const decimals = Number.isInteger(rules.decimals) ? Math.min(6, Math.max(0, rules.decimals)) : undefined;
  const options = { useGrouping: rules.thousandsSeparator !== false && rules.thousandsSeparator !== "", minimumFractionDigits: decimals ?? 0, maximumFractionDigits: decimals ?? chosen };
  const format = createFormat(locale, (tag) => new Intl.NumberFormat(tag, options));
  const percent = rules.displayAsPercentage ? createFormat(locale, (tag) => new Intl.NumberFormat(tag, { style: "percent" })).formatToParts(1) : [];
  const sign = percent.slice(percent.findIndex((part) => part.type === "integer") + 1).map((part) => part.value).join("");
  const cut = (/** @type {any} */ text) => Array.from(String(text ?? "")).slice(0, 12).join("");
  const plus = value > 0 && rules.plusSign === true ? "+" : "";
  return `${value < 0 ? "\u2212" : plus}${cut(rules.prefix)}${format.format(size)}${sign}${cut(rules.suffix)}`;
}

/**
 * Formats a date by a pattern, as the renderer does.
 * @param {string} text date such as 2026-02-03, with or without a time
 * @param {string} pattern
 * @param {string} locale
 * @returns {string}
 */
export function formatDateExample(text, pattern, locale) {
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (Number.isNaN(date.getTime())) return text;
  const pad = (/** @type {number} */ value, size = 2) => String(value).padStart(size, "0");
  const month = () => createFormat(locale, (tag) => new Intl.DateTimeFormat(tag, { month: "short", timeZone: "UTC" })).format(date);
  /** @type {Record<string, () => string>} */
  const parts = {
    YYYY: () => String(date.getUTCFullYear()),
    YY: () => pad(date.getUTCFullYear() % 100),
    MMM: month,
    MM: () => pad(date.getUTCMonth() + 1),
    M: () => String(date.getUTCMonth() + 1),
    DD: () => pad(date.getUTCDate()),
    D: () => String(date.getUTCDate()),
    HH: () => pad(date.getUTCHours()),
    mm: () => pad(date.getUTCMinutes()),
    ss: () => pad(date.getUTCSeconds()),
    SSS: () => pad(date.getUTCMilliseconds(), 3),
  };
  return pattern.replace(DATE_TOKENS, (token) => parts[token]());
}

/** Creates a format for a language, or for English if the tag is not valid. @template T @param {string} locale @param {(tag: string) => T} create @returns {T} */
function createFormat(locale, create) {
  try {
    return create(locale);
  } catch {
    return create("en");
  }
}

/**
 * A card of formats. A change applies to all of its columns.
 * @typedef {{ key: string, title: string, type: string, columns: string[], rules: string[] }} Card
 */

/**
 * Returns the cards: those that the kind names, otherwise one for each column of numbers, and of dates if the kind uses
 * their format. Further columns that have rules follow.
 * @param {any} hint
 * @param {string[]} names all rules
 * @param {Record<string, any>} rulesets
 * @param {import("./settings-form.js").FormContext} form
 * @returns {Card[]}
 */
function listCards(hint, names, rulesets, form) {
  const columns = form.columns.value;
  const types = hint.control === "dateFormat" ? ["number", "date"] : ["number"];
  const rulesOf = (/** @type {string} */ type) => names.filter((name) => (type === "unknown" ? names : type === "date" ? DATE_RULES : NUMBER_RULES).includes(name));
  const expand = (/** @type {string} */ key) => columns.filter((column) => (key === "*" ? column.isRepeated && column.type === "number" : column.key === key)).map((column) => column.key);
  const named = (hint.formats ?? []).map((/** @type {any} */ card) => ({ ...card, columns: card.columns.flatMap(expand) })).filter((/** @type {any} */ card) => card.columns.length > 0);
  const single = hint.formats ? [] : columns.filter((column) => types.includes(column.type)).map((column) => ({ columns: [column.key] }));
  const cards = [...named, ...single].map(({ title, columns: keys, rules }) => {
    const first = columns.find((column) => column.key === keys[0]);
    return { key: keys[0], title: title ?? (first?.title || keys[0]), type: first?.type ?? "number", columns: keys, rules: rules ?? rulesOf(first?.type ?? "number") };
  });
  const known = new Set(cards.flatMap((card) => card.columns));
  const others = Object.keys(rulesets).filter((key) => !known.has(key));
  return [...cards, ...others.map((key) => ({ key, title: columns.find((column) => column.key === key)?.title || key, type: "unknown", columns: [key], rules: names }))];
}

/**
 * Returns the place of a rule of several columns. A change sets it for all of them.
 * @param {import("./settings-model.js").Place} place place of all rules
 * @param {() => string[]} listColumns
 * @param {string} key
 * @param {string} rule
 * @returns {import("./settings-model.js").Place}
 */
function createRulePlace(place, listColumns, key, rule) {
  return {
    key: `${place.key}.${key}.${rule}`,
    read: () => listColumns().map((column) => asObject(asObject(place.read())[column])[rule]).find((value) => value !== undefined),
    write: (value, options) => {
      const rulesets = { ...asObject(place.read()) };
      for (const column of listColumns()) {
        const { [rule]: _, ...others } = asObject(rulesets[column]);
        const next = value === undefined ? others : { ...others, [rule]: value };
        if (Object.keys(next).length) rulesets[column] = next;
        else delete rulesets[column];
      }
      place.write(rulesets, options);
    },
  };
}

/**
 * Creates the cards of formats.
 * @param {import("./settings-controls.js").ControlContext} context
 * @param {import("./settings-form.js").CreateNestedRow} createRow
 * @returns {import("./settings-controls.js").Control}
 */
export function createFormats(context, createRow) {
  const { id, labelId, schema, hint, place, value, form } = context;
  const rules = schema.additionalProperties.properties;
  const cards = () => listCards(hint, Object.keys(rules), asObject(value.value), form);
  const list = h("ul", { class: "setting-list" });
  syncKeyedList(list, cards, (card) => [card.type, card.key, ...card.rules].join(" "), (entry) => {
    const { key, type, rules: names } = entry.peek();
    const bodyId = form.createId();
    const isOpen = signal(false);
    const head = h(
      "button",
      { type: "button", class: "card-toggle", "aria-expanded": () => isOpen.value, "aria-controls": bodyId, onclick: () => (isOpen.value = !isOpen.peek()) },
      createIcon("down"),
      h("span", { class: "card-title" }, () => entry.value.title),
      h("span", { class: "card-example" }, h("span", { class: "hidden" }, `${getText("settings-form.example")} `), () => describeExample(key, type, asObject(asObject(value.value)[key]), form)),
    );
    const rows = names.filter((name) => name in rules).map((name) => createRow(createRulePlace(place, () => entry.value.columns, key, name), rules[name], form.kind.ui?.[`${place.key}.*.${name}`] ?? {}));
    const body = h("div", { class: "card-body", id: bodyId, role: "group", "aria-label": () => getText("settings-form.formatOf", { column: entry.value.title }), hidden: () => !isOpen.value }, rows);
    return h("li", { class: "list-card", dataset: { column: key } }, h("div", { class: "card-head" }, head), body);
  });
  const empty = h("p", { class: "hint", hidden: () => cards().length > 0 }, hint.control === "dateFormat" ? getText("settings-form.noNumbersOrDates") : getText("settings-form.noNumbers"));
  const element = h("div", { id, role: "group", tabindex: -1, "aria-labelledby": labelId }, empty, list);
  return { element, target: element, type: "formats", isGroup: true, isWide: true };
}

/** Returns the first value of a column in its format. @param {string} key @param {string} type @param {Record<string, any>} rules @param {import("./settings-form.js").FormContext} form @returns {string} */
function describeExample(key, type, rules, form) {
  const cells = form.records.value.map((record) => record?.[key]).filter((cell) => cell !== undefined && cell !== null && cell !== "");
  const locale = String(form.settings.value?.locale ?? "en");
  if (type === "date") return rules.dateFormat ? formatDateExample(String(cells[0] ?? SAMPLE_DATE), String(rules.dateFormat), locale) : String(cells[0] ?? "");
  const number = cells.map(Number).find(Number.isFinite);
  return type === "number" ? formatNumberExample(number ?? 1234.5, rules, locale) : "";
}
