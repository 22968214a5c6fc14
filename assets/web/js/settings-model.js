// @ts-check
/** Values, conditions and texts of a settings form, without elements. */

import { effect, signal } from "./core.js";
import { PAGE_LANGUAGE } from "./texts.js";

/** Whether numbers in fields have a decimal comma, as in the language of the page. */
const HAS_DECIMAL_COMMA = new Intl.NumberFormat(PAGE_LANGUAGE).format(0.5).includes(",");
/** Numbers with separators of thousands in the language of the page. */
const GROUPED_NUMBER = HAS_DECIMAL_COMMA ? /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$/ : /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/;

/**
 * A hint of a chart kind for one setting, see the member `ui` of the API.
 * @typedef {object} Hint
 * @property {string} [control]
 * @property {string} [help]
 * @property {Record<string, { label: string, icon?: string }>} [choices]
 * @property {Record<string, string>} [suggestions]
 * @property {string} [unit]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [step]
 * @property {string} [placeholder]
 * @property {boolean} [keeps_empty]
 * @property {string[]} [item_labels]
 * @property {string} [keys_from]
 * @property {{ title?: string, columns: string[], rules?: string[] }[]} [formats]
 * @property {Condition[]} [show_if]
 */

/** @typedef {{ setting?: string, is?: any[], is_set?: boolean, column?: string, has_values?: boolean, any?: Condition[] }} Condition */

/** Options of a change: `label` for the list of undo steps, `mergeKey` equal for changes that are one step. @typedef {{ label: string, mergeKey: string | null }} ChangeOptions */

/**
 * A place in the settings. `read` subscribes to the signal of the settings and returns undefined for an
 * absent value. `write` with undefined removes the value. `key` is the path as in messages of the server,
 * without `settings.`.
 * @typedef {{ key: string, read: () => any, write: (value: any, options: ChangeOptions) => void }} Place
 */

/** Whether two JSON values are equal. Members of objects may have another order. @param {any} one @param {any} other @returns {boolean} */
export function isEqual(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other || Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => key in other && isEqual(one[key], other[key]));
}

/** Returns the value at a path of an object; undefined if a part is absent. @param {any} object @param {(string | number)[]} path */
export const readAt = (object, path) => path.reduce((value, part) => (value === null || value === undefined || typeof value !== "object" ? undefined : value[part]), object);

/**
 * Creates a signal that follows other signals and changes only if the value differs as JSON.
 * @template T
 * @param {() => T} read
 * @returns {{ readonly value: T, peek: () => T }}
 */
export function watchValue(read) {
  const result = signal(/** @type {T} */ (/** @type {unknown} */ (undefined)));
  effect(() => {
    const next = read();
    if (!isEqual(next, result.peek())) result.value = next;
  });
  return result;
}

/** Returns the place of a member of an object at `parts`. @param {import("./settings-form.js").FormContext} form @param {string[]} parts @returns {Place} */
export function createPlace(form, parts) {
  return {
    key: parts.join("."),
    read: () => readAt(form.settings.value, parts),
    write: (value, options) => form.onChange(parts, value, options),
  };
}

/**
 * Returns the place of an item of a list. A change replaces the whole list, so that paths have no numbers.
 * @param {Place} list
 * @param {number} index
 * @returns {Place}
 */
export function createItemPlace(list, index) {
  return {
    key: `${list.key}[${index}]`,
    read: () => asList(list.read())[index],
    write: (value, options) => list.write(asList(list.read()).map((/** @type {any} */ item, /** @type {number} */ at) => (at === index ? value : item)), options),
  };
}

/** Returns the place of a member of an item of a list. @param {Place} item @param {string} name @returns {Place} */
export function createMemberPlace(item, name) {
  return {
    key: `${item.key}.${name}`,
    read: () => asObject(item.read())[name],
    write: (value, options) => {
      const { [name]: _, ...others } = asObject(item.read());
      item.write(value === undefined ? others : { ...asObject(item.read()), [name]: value }, options);
    },
  };
}

/** Returns the schema of a setting by its path in a kind; undefined if there is none. @param {any} schema @param {string} path */
const findSchema = (schema, path) => path.split(".").reduce((found, name) => found?.properties?.[name], schema);

/**
 * Whether all conditions of a setting hold. An absent setting counts as its default.
 * @param {Condition[] | undefined} conditions
 * @param {any} schema schema of all settings
 * @param {any} settings
 * @param {any[]} records
 * @returns {boolean}
 */
export function meetsConditions(conditions, schema, settings, records) {
  return (conditions ?? []).every((condition) => {
    if (condition.any) return condition.any.some((part) => meetsConditions([part], schema, settings, records));
    const { column, setting } = condition;
    if (column !== undefined) return records.some((record) => isPresent(record?.[column])) === condition.has_values;
    const value = readAt(settings, String(setting).split("."));
    if (condition.is_set !== undefined) return isPresent(value) === condition.is_set;
    const current = value === undefined ? findSchema(schema, String(setting))?.default : value;
    return (condition.is ?? []).some((allowed) => isEqual(allowed, current));
  });
}

/** Whether a value is neither absent nor empty. @param {any} value */
const isPresent = (value) => value !== undefined && value !== null && value !== "";

/** Returns a list, and an empty one for a value of a wrong type. @param {any} value @returns {any[]} */
export const asList = (value) => (Array.isArray(value) ? value : []);

/** Returns an object, and an empty one for a value of a wrong type. @param {any} value @returns {Record<string, any>} */
export const asObject = (value) => (typeof value === "object" && value && !Array.isArray(value) ? value : {});

/** Returns a value as the text of a field. A value of a wrong type is JSON, so that it stays visible. @param {any} value @returns {string} */
export const toText = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** Whether a value differs from the default of its schema. @param {any} value @param {any} schema */
export function isChanged(value, schema) {
  if (value === undefined) return false;
  const standard = schema.default ?? (schema.type === "array" ? [] : schema.type === "object" ? {} : undefined);
  return !isEqual(value, standard);
}

/** Returns the singular of an English plural; undefined in other languages, which have no simple rule for it. @param {string} plural */
export const toSingular = (plural) => (PAGE_LANGUAGE === "en" ? plural.replace(/s$/, "") : undefined);

/** Returns a number as text of a field, without separators of thousands. @param {number} number */
export const formatFieldNumber = (number) => (HAS_DECIMAL_COMMA ? String(number).replace(".", ",") : String(number));

/**
 * Parses a number as people write it: `1,234.5`, `0,5`, `−3`, or a calculation after `=`, such as `=120*1.2`. In a
 * language with a decimal comma, `1.234,5` has a separator of thousands.
 * @param {string} text
 * @returns {number | null} null for other texts
 */
export function parseNumber(text) {
  const plain = text.trim().replace(/\u2212/g, "-").replace(/[\s\u00a0\u202f]/g, "");
  if (plain.startsWith("=")) return calculate(plain.slice(1));
  const ungrouped = GROUPED_NUMBER.test(plain) ? plain.replaceAll(HAS_DECIMAL_COMMA ? "." : ",", "") : plain;
  const grouped = ungrouped.replace(",", ".");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(grouped)) return null;
  const value = Number(grouped);
  return Number.isFinite(value) ? value : null;
}

/** Calculates an expression of numbers, `+ - * /` and brackets. @param {string} text @returns {number | null} null if it is not valid */
function calculate(text) {
  const tokens = text.replace(/[×·]/g, "*").replace(/[÷:]/g, "/").replace(/(\d),(\d)/g, "$1.$2").match(/\d+\.?\d*|\.\d+|[-+*/()]|./g) ?? [];
  let position = 0;
  const fail = () => Number.NaN;
  /** @returns {number} */
  const readSum = () => {
    let sum = readProduct();
    while (tokens[position] === "+" || tokens[position] === "-") sum = tokens[position++] === "+" ? sum + readProduct() : sum - readProduct();
    return sum;
  };
  const readProduct = () => {
    let product = readFactor();
    while (tokens[position] === "*" || tokens[position] === "/") product = tokens[position++] === "*" ? product * readFactor() : product / readFactor();
    return product;
  };
  /** @returns {number} */
  const readFactor = () => {
    const token = tokens[position++];
    if (token === "-") return -readFactor();
    if (token === "+") return readFactor();
    if (token === "(") {
      const inner = readSum();
      return tokens[position++] === ")" ? inner : fail();
    }
    return token !== undefined && /^[\d.]+$/.test(token) ? Number(token) : fail();
  };
  const value = readSum();
  // Hides the error of binary fractions, as in 0.1 + 0.2.
  return position === tokens.length && Number.isFinite(value) ? Number(value.toPrecision(12)) : null;
}

/** Rounds a number to the decimals of a step. @param {number} value @param {number} step */
export const roundToStep = (value, step) => Number(value.toFixed(Math.min(12, Math.max(0, Math.ceil(-Math.log10(step)) + 2))));

/** Returns the texts by which a search finds a setting. @param {string} title @param {any} schema @param {Hint} hint */
export function collectSearchTexts(title, schema, hint) {
  const choices = Object.values(hint.choices ?? {}).map((choice) => choice.label);
  const members = Object.values(schema.items?.properties ?? schema.additionalProperties?.properties ?? {}).flatMap((/** @type {any} */ member) => [member.title, member.description]);
  return [title, hint.help ?? schema.description, ...choices, ...members, ...(hint.item_labels ?? [])].filter(Boolean).join("\n").toLowerCase();
}
