// @ts-check
/** Immutable changes and the merging of JSON values. */

/** @typedef {string | number} Key */

/**
 * A JSON value that changes on both sides of a merge.
 * @typedef {{ path: Key[], base: any, mine: any, theirs: any }} MergeConflict
 */

/** Whether a value is an object with members, not an array. @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Whether two JSON values have the same content. The order of members does not matter, and an undefined
 * member equals an absent one.
 * @param {any} first
 * @param {any} second
 * @returns {boolean}
 */
export function isEqualJson(first, second) {
  if (Object.is(first, second)) return true;
  if (Array.isArray(first) && Array.isArray(second)) {
    return first.length === second.length && first.every((value, index) => isEqualJson(value, second[index]));
  }
  if (!isObject(first) || !isObject(second)) return false;
  const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...keys].every((key) => isEqualJson(first[key], second[key]));
}

/**
 * Returns the value at a path. Returns undefined if a part of the path is missing.
 * @param {any} root
 * @param {Key[]} path
 */
export function getValueAt(root, path) {
  return path.reduce((value, key) => value?.[key], root);
}

/**
 * Returns a copy of a value with another value at a path. Parts beside the path are shared with the
 * original. Missing objects on the path are created. The value undefined removes a member of an object.
 * @param {any} root
 * @param {Key[]} path
 * @param {any} value
 * @returns {any}
 */
export function setValueAt(root, path, value) {
  if (path.length === 0) return value;
  const [key, ...rest] = path;
  const copy = Array.isArray(root) ? [...root] : { ...(isObject(root) ? root : {}) };
  const changed = setValueAt(root?.[key], rest, value);
  if (changed === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = changed;
  return copy;
}

/**
 * Combines the changes of two sides since `base`. Objects are merged by member, and arrays by element if
 * their lengths allow it. Where both sides changed the same value in different ways, the result has the
 * value of `mine`, and `conflicts` lists the path.
 * @param {any} base
 * @param {any} mine
 * @param {any} theirs
 * @returns {{ merged: any, conflicts: MergeConflict[] }}
 */
export function mergeJson(base, mine, theirs) {
  /** @type {MergeConflict[]} */
  const conflicts = [];
  const merged = mergeValue(base, mine, theirs, [], conflicts);
  return { merged, conflicts };
}

/**
 * Merges the values at one path. See `mergeJson`.
 * @param {any} base
 * @param {any} mine
 * @param {any} theirs
 * @param {Key[]} path
 * @param {MergeConflict[]} conflicts receives the conflicts
 * @returns {any}
 */
function mergeValue(base, mine, theirs, path, conflicts) {
  if (isEqualJson(mine, theirs) || isEqualJson(base, theirs)) return mine;
  if (isEqualJson(base, mine)) return theirs;
  if (isObject(mine) && isObject(theirs)) return mergeMembers(isObject(base) ? base : {}, mine, theirs, path, conflicts);
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) {
    const merged = mergeArrays(base, mine, theirs, path, conflicts);
    if (merged) return merged;
  }
  conflicts.push({ path, base, mine, theirs });
  return mine;
}

/**
 * Merges objects by member. The order of the members is that of `mine`, and members that only `theirs`
 * has follow.
 * @param {Record<string, any>} base
 * @param {Record<string, any>} mine
 * @param {Record<string, any>} theirs
 * @param {Key[]} path
 * @param {MergeConflict[]} conflicts
 */
function mergeMembers(base, mine, theirs, path, conflicts) {
  /** @type {Record<string, any>} */
  const merged = {};
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const value = mergeValue(base[key], mine[key], theirs[key], [...path, key], conflicts);
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

/**
 * Returns the range of elements that differ between two arrays: the number of equal elements at the
 * start, and the ends of the range in both arrays.
 * @param {any[]} base
 * @param {any[]} other
 */
function findChangedRange(base, other) {
  const shorter = Math.min(base.length, other.length);
  let start = 0;
  while (start < shorter && isEqualJson(base[start], other[start])) start += 1;
  let equalAtEnd = 0;
  while (equalAtEnd < shorter - start && isEqualJson(base[base.length - 1 - equalAtEnd], other[other.length - 1 - equalAtEnd])) equalAtEnd += 1;
  return { start, baseEnd: base.length - equalAtEnd, end: other.length - equalAtEnd };
}

/**
 * Merges arrays by element if all have the same length. Otherwise, combines both changed ranges if they do
 * not overlap. Returns null if they overlap.
 * @param {any[]} base
 * @param {any[]} mine
 * @param {any[]} theirs
 * @param {Key[]} path
 * @param {MergeConflict[]} conflicts
 * @returns {any[] | null}
 */
function mergeArrays(base, mine, theirs, path, conflicts) {
  if (base.length === mine.length && base.length === theirs.length) {
    return mine.map((value, index) => mergeValue(base[index], value, theirs[index], [...path, index], conflicts));
  }
  const own = findChangedRange(base, mine);
  const other = findChangedRange(base, theirs);
  const isBefore = own.baseEnd <= other.start;
  const isAfter = other.baseEnd <= own.start;
  // Two insertions at the same place have no order.
  if ((!isBefore && !isAfter) || (own.start === other.start && own.baseEnd === other.baseEnd)) return null;
  const [first, firstValues, second, secondValues] = isBefore ? [own, mine, other, theirs] : [other, theirs, own, mine];
  return [
    ...base.slice(0, first.start),
    ...firstValues.slice(first.start, first.end),
    ...base.slice(first.baseEnd, second.start),
    ...secondValues.slice(second.start, second.end),
    ...base.slice(second.baseEnd),
  ];
}
