// @ts-check
/** Immutable changes and the merging of JSON values. */

/**
 * Maximum number of pairs of elements that are compared to align two ranges. Longer ranges are divided at elements that occur
 * once. If a part is still longer, its elements are paired by position or have one changed range.
 */
const MAX_ALIGNED_PAIRS = 4_000_000;

/** @typedef {string | number} Key */

/**
 * A JSON value that changes on both sides of a merge.
 * @typedef {{ path: Key[], base: any, mine: any, theirs: any }} MergeConflict
 */

/** Whether a value is an object with members, not an array. @param {any} value */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

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
 * Combines the changes of two sides since `base`. Objects are merged by member, and arrays by inserted, deleted and
 * changed elements. Where both sides changed the same value in different ways, the result has the
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
 * A change of an array: the elements of the base from `start` to `baseEnd` are replaced by `values`.
 * @typedef {{ start: number, baseEnd: number, values: any[] }} Hunk
 */

/**
 * Returns the length of the longest common subsequence of the rest of two lists, for each pair of positions.
 * @param {string[]} first
 * @param {string[]} second
 * @returns {Uint16Array} row by row, with a row and a column more than the lists have elements
 */
function measureCommonRests(first, second) {
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  for (let row = first.length - 1; row >= 0; row -= 1) {
    for (let column = second.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      lengths[at] = first[row] === second[column] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  return lengths;
}

/**
 * Returns pairs of positions of texts that occur once in each of two lists, with increasing positions in both. There are as
 * many as possible (the anchors of a patience diff).
 * @param {string[]} first
 * @param {string[]} second
 * @returns {[number, number][]}
 */
function findAnchors(first, second) {
  const indexUnique = (/** @type {string[]} */ texts) => {
    const positions = new Map();
    texts.forEach((text, index) => positions.set(text, positions.has(text) ? -1 : index));
    return positions;
  };
  const others = indexUnique(second);
  const pairs = [...indexUnique(first)].map(([text, row]) => [row, others.get(text) ?? -1]).filter(([row, column]) => row >= 0 && column >= 0);
  // The last pair of the best sequence of each length, and before each pair the one that precedes it.
  /** @type {number[]} */
  const lastOfLength = [];
  const previous = pairs.map(([, column], index) => {
    let [low, high] = [0, lastOfLength.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[lastOfLength[middle]][1] < column) low = middle + 1;
      else high = middle;
    }
    lastOfLength[low] = index;
    return low > 0 ? lastOfLength[low - 1] : -1;
  });
  /** @type {[number, number][]} */
  const anchors = [];
  for (let index = lastOfLength.at(-1) ?? -1; index >= 0; index = previous[index]) anchors.push(/** @type {[number, number]} */ (pairs[index]));
  return anchors.reverse();
}

/**
 * Returns the changes from `base` to `other`, in order. Elements that are neither inserted nor deleted are changes of
 * their own.
 * @param {any[]} base
 * @param {any[]} other
 * @returns {Hunk[]}
 */
function findHunks(base, other) {
  const range = findChangedRange(base, other);
  const before = base.slice(range.start, range.baseEnd);
  const after = other.slice(range.start, range.end);
  const [first, second] = [before, after].map((values) => values.map((value) => JSON.stringify(value)));
  // Long ranges are compared between elements that are surely the same.
  const anchors = before.length * after.length > MAX_ALIGNED_PAIRS ? findAnchors(first, second) : [];
  /** @type {Hunk[]} */
  const hunks = [];
  let [row, column] = [0, 0];
  for (const [endRow, endColumn] of [...anchors, [first.length, second.length]]) {
    const start = range.start + row;
    const values = after.slice(column, endColumn);
    if ((endRow - row) * values.length > MAX_ALIGNED_PAIRS) hunks.push(...splitHunk(base, { start, baseEnd: range.start + endRow, values }));
    else hunks.push(...alignElements(base, start, values, first.slice(row, endRow), second.slice(column, endColumn)));
    [row, column] = [endRow + 1, endColumn + 1];
  }
  return hunks;
}

/**
 * Returns the changes of a range of an array, which keep the longest common subsequence.
 * @param {any[]} base
 * @param {number} start start of the range in `base`
 * @param {any[]} values the new elements of the range
 * @param {string[]} first texts of the elements of the range in `base`
 * @param {string[]} second texts of the new elements
 * @returns {Hunk[]}
 */
function alignElements(base, start, values, first, second) {
  const lengths = measureCommonRests(first, second);
  const width = second.length + 1;
  /** @type {Hunk[]} */
  const hunks = [];
  let [row, column] = [0, 0];
  while (row < first.length || column < second.length) {
    const [startRow, startColumn] = [row, column];
    while ((row < first.length || column < second.length) && !(row < first.length && column < second.length && first[row] === second[column])) {
      const skipsRow = column >= second.length || (row < first.length && lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]);
      if (skipsRow) row += 1;
      else column += 1;
    }
    if (row > startRow || column > startColumn) {
      hunks.push(...splitHunk(base, { start: start + startRow, baseEnd: start + row, values: values.slice(startColumn, column) }));
    }
    while (row < first.length && column < second.length && first[row] === second[column]) {
      row += 1;
      column += 1;
    }
  }
  return hunks;
}

/**
 * Returns one change for each element that differs, if as many are inserted as deleted, otherwise the change itself.
 * @param {any[]} base
 * @param {Hunk} hunk
 * @returns {Hunk[]}
 */
function splitHunk(base, hunk) {
  if (hunk.values.length !== hunk.baseEnd - hunk.start) return [hunk];
  const hunks = hunk.values.map((value, index) => ({ start: hunk.start + index, baseEnd: hunk.start + index + 1, values: [value] }));
  return hunks.filter(({ start, values }) => !isEqualJson(base[start], values[0]));
}

/** Whether two changes cannot both be made: they have a base element in common, or insert at the same place. @param {Hunk} one @param {Hunk} other */
const clash = (one, other) => (one.start < other.baseEnd && other.start < one.baseEnd) || (one.start === other.start && one.baseEnd === other.baseEnd);

/**
 * Combines the changes of both sides, and merges an element that both changed. Returns null if they replaced the same elements by others, or inserted some at the same place.
 * @param {any[]} base
 * @param {any[]} mine
 * @param {any[]} theirs
 * @param {Key[]} path
 * @param {MergeConflict[]} conflicts
 * @returns {any[] | null}
 */
function mergeArrays(base, mine, theirs, path, conflicts) {
  const [own, others] = [findHunks(base, mine), findHunks(base, theirs)];
  /** @type {any[]} */
  const merged = [];
  /** @type {MergeConflict[]} */
  const found = [];
  let at = 0;
  while (own.length > 0 || others.length > 0) {
    const [first, second] = [own[0], others[0]];
    if (first && second && clash(first, second)) {
      const isElement = [first, second].every(({ start, baseEnd, values }) => baseEnd - start === 1 && values.length === 1);
      if (!isElement) {
        if (!isEqualJson(first, second)) return null;
        merged.push(...base.slice(at, first.start), ...first.values);
      } else {
        merged.push(...base.slice(at, first.start));
        merged.push(mergeValue(base[first.start], first.values[0], second.values[0], [...path, merged.length], found));
      }
      at = first.baseEnd;
      own.shift();
      others.shift();
      continue;
    }
    const isOwn = !second || (first && (first.start < second.start || (first.start === second.start && first.baseEnd < second.baseEnd)));
    const hunk = /** @type {Hunk} */ ((isOwn ? own : others).shift());
    merged.push(...base.slice(at, hunk.start), ...hunk.values);
    at = hunk.baseEnd;
  }
  conflicts.push(...found);
  return [...merged, ...base.slice(at)];
}

/** Returns the number of members with a value that two records have in common. @param {Record<string, any>} one @param {Record<string, any>} other */
const countSharedMembers = (one, other) => Object.keys(one).filter((key) => one[key] !== null && one[key] !== "" && isEqualJson(one[key], other[key])).length;

/**
 * Returns the index that a record has after changes of others, or null if they removed it. A record that was changed and
 * moved is the most similar one among those that took its place, unless another record is as similar.
 * @param {readonly Record<string, any>[]} before
 * @param {readonly Record<string, any>[]} after
 * @param {number} index index in `before`; an index after its end keeps its distance from the end
 */
export function followRecord(before, after, index) {
  let shift = 0;
  for (const { start, baseEnd, values } of findHunks([...before], [...after])) {
    if (start > index) break;
    if (index < baseEnd) {
      if (values.length === 1 && baseEnd - start === 1) return index + shift;
      const counts = values.map((value) => countSharedMembers(before[index], value));
      // Not as arguments, of which engines accept a limited number.
      const best = counts.reduce((one, other) => Math.max(one, other), 0);
      const at = counts.indexOf(best);
      const isAsClose = (/** @type {Record<string, any>} */ record) => record !== before[index] && countSharedMembers(record, values[at]) >= best;
      return best === 0 || before.slice(start, baseEnd).some(isAsClose) ? null : start + shift + at;
    }
    shift += values.length - (baseEnd - start);
  }
  return index + shift;
}
