// @ts-check
/** Notes stay with their records when these are sorted, inserted or removed. */

/** @typedef {Record<string, any>} Note */

/**
 * Returns the notes for records that were sorted, inserted or removed: each note stays with its record. Notes of removed
 * records are left out. Records are the same if they are the same object. Others keep their row.
 * @param {Note[]} notes
 * @param {readonly Record<string, any>[]} before
 * @param {readonly Record<string, any>[]} after
 * @returns {Note[]} the same list if nothing changes
 */
export function followRecords(notes, before, after) {
  const rows = new Map(after.map((record, row) => [record, row]));
  const follow = (/** @type {any} */ ref) => {
    if (!Number.isInteger(ref?.row) || ref.row >= before.length) return ref;
    const row = rows.get(before[ref.row]) ?? (after.length >= before.length ? ref.row : null);
    return row === null ? null : row === ref.row ? ref : { ...ref, row };
  };
  const next = notes.flatMap((note) => {
    if (!note || typeof note !== "object") return [note];
    const [anchor, to] = [follow(note.anchor), follow(note.to)];
    if (anchor === null || to === null) return [];
    return [anchor === note.anchor && to === note.to ? note : { ...note, anchor, ...(to === undefined ? {} : { to }) }];
  });
  return next.length === notes.length && next.every((note, index) => note === notes[index]) ? notes : next;
}
