// Tests of the merging of JSON values without a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { runTests, test } from "./lib.mjs";

// Node treats a file as a module only if a package.json says so. A data URL needs none.
const source = readFileSync(new URL("../../assets/web/js/json-merge.js", import.meta.url), "base64");
const { followRecord, mergeJson } = await import(`data:text/javascript;base64,${source}`);

const ROWS = Array.from({ length: 10 }, (_, index) => ({ label: `Row ${index}`, value: index }));

/** Returns the rows with the values of some of them replaced, and then with rows inserted and deleted. */
function change(rows, { values = {}, inserted = {}, deleted = [] }) {
  return rows.flatMap((row, index) => {
    const changed = index in values ? { ...row, value: values[index] } : row;
    return [...(inserted[index] ?? []), ...(deleted.includes(index) ? [] : [changed])];
  });
}

test("inserted and deleted rows are merged with changed ones on both sides of them", () => {
  const mine = change(ROWS, { inserted: { 5: [{ label: "New", value: 50 }] }, deleted: [9] });
  const theirs = change(ROWS, { values: { 2: 20, 8: 80 } });
  const expected = change(ROWS, { inserted: { 5: [{ label: "New", value: 50 }] }, deleted: [9], values: { 2: 20, 8: 80 } });
  for (const [one, other] of [[mine, theirs], [theirs, mine]]) {
    assert.deepEqual(mergeJson(ROWS, one, other), { merged: expected, conflicts: [] });
  }
});

test("a row that both changed is merged by cell, also below an inserted row", () => {
  const inserted = { 0: [{ label: "First", value: -1 }] };
  const mine = change(ROWS, { inserted, values: { 3: 30 } });
  const theirs = ROWS.map((row, index) => (index === 3 ? { ...row, label: "Renamed" } : row));
  const { merged, conflicts } = mergeJson(ROWS, mine, theirs);
  assert.deepEqual([merged[4], conflicts], [{ label: "Renamed", value: 30 }, []]);
  const clashing = mergeJson(ROWS, mine, change(ROWS, { values: { 3: 33 } }));
  assert.deepEqual(clashing.conflicts, [{ path: [4, "value"], base: 3, mine: 30, theirs: 33 }]);
  assert.equal(clashing.merged[4].value, 30);
});

test("rows at the same place, and a row that one side deleted and the other changed, are conflicts", () => {
  const insert = (label) => change(ROWS, { inserted: { 5: [{ label, value: 0 }] } });
  assert.deepEqual(mergeJson(ROWS, insert("Mine"), insert("Theirs")).conflicts.map(({ path }) => path), [[]]);
  assert.deepEqual(mergeJson(ROWS, insert("Same"), insert("Same")), { merged: insert("Same"), conflicts: [] });
  const conflicts = mergeJson(ROWS, change(ROWS, { deleted: [3] }), change(ROWS, { values: { 3: 4 } })).conflicts;
  assert.deepEqual(conflicts.map(({ path }) => path), [[]]);
});

test("random changes of different rows are all kept", () => {
  let seed = 1;
  const random = (limit) => (seed = (seed * 48_271) % 2_147_483_647) % limit;
  for (let round = 0; round < 2000; round += 1) {
    const sides = [{ values: {}, inserted: {}, deleted: [] }, { values: {}, inserted: {}, deleted: [] }];
    // No two changes touch each other: insertions are above a row of the same side.
    for (let row = 0; row < ROWS.length; row += 2) {
      const side = sides[random(2)];
      const kind = random(4);
      if (kind === 0) side.values[row] = 1000 + round;
      else if (kind === 1) side.deleted.push(row);
      else if (kind === 2) side.inserted[row] = [{ label: `New ${row}`, value: round }];
    }
    const both = { values: { ...sides[0].values, ...sides[1].values }, inserted: { ...sides[0].inserted, ...sides[1].inserted }, deleted: [...sides[0].deleted, ...sides[1].deleted] };
    const [mine, theirs] = sides.map((side) => change(ROWS, side));
    assert.deepEqual(mergeJson(ROWS, mine, theirs), { merged: change(ROWS, both), conflicts: [] }, JSON.stringify(sides));
  }
});

test("changes at both ends of a long table are merged, also with equal rows", () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ label: index % 7 === 0 ? "Subtotal" : `Row ${index}`, value: index % 7 === 0 ? 0 : index }));
  const theirs = change(rows, { inserted: { 10: [{ label: "New", value: 50 }] }, values: { 100: -100 }, deleted: [19_990] });
  const mine = change(rows, { values: { 5: -5, 12: -12, 19_993: -1 }, inserted: { 9000: [{ label: "Middle", value: 1 }] }, deleted: [19_980] });
  const expected = change(rows, { inserted: { 10: [{ label: "New", value: 50 }], 9000: [{ label: "Middle", value: 1 }] }, values: { 5: -5, 12: -12, 100: -100, 19_993: -1 }, deleted: [19_980, 19_990] });
  assert.deepEqual(mergeJson(rows, mine, theirs), { merged: expected, conflicts: [] });
  assert.deepEqual(mergeJson(rows, theirs, mine), { merged: expected, conflicts: [] });
  assert.equal(followRecord(rows, theirs, 19_995), 19_995);
  assert.equal(followRecord(rows, theirs, 500), 501);
});

test("a record is followed when rows are inserted, removed, changed and exchanged", async () => {
  const before = [{ n: "a", v: 1 }, { n: "b", v: 2 }, { n: "c", v: 3 }];
  const follow = (after, index = 1) => followRecord(before, after, index);
  assert.equal(follow([{ n: "x", v: 9 }, ...before]), 2);
  assert.equal(follow(before.slice(1)), 0);
  assert.equal(follow([before[0], before[2]]), null);
  assert.equal(follow([before[0], { n: "b", v: 7 }, before[2]]), 1, "changed by another person");
  assert.equal(follow([before[0], { n: "x", v: 9 }, { n: "b", v: 7 }, before[2]]), 2, "changed below a new row");
  assert.equal(follow([before[0], { n: "c", v: 2 }]), null, "perhaps another record");
  assert.equal(follow([{ n: "a", v: 8 }]), null, "only another record is left");
  assert.equal(follow([]), null);
  assert.equal(follow([...before, { n: "x", v: 9 }], 3), 4, "the empty row stays at the end");
});

await runTests();
