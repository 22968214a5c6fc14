// Tests of the UI framework of the pages without a browser: effects, scopes and keyed lists.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { runTests, test } from "./lib.mjs";

// Node treats a file as a module only if a package.json says so. A data URL needs none.
const source = readFileSync(new URL("../../assets/web/js/core.js", import.meta.url), "base64");
const { batch, createScope, effect, signal, syncKeyedList } = await import(`data:text/javascript;base64,${source}`);

/** Messages of the errors that reached the page as uncaught errors. */
let uncaughtErrors = [];
globalThis.reportError = (error) => uncaughtErrors.push(error.message);

/** Returns the uncaught errors since the last call. */
function takeUncaughtErrors() {
  const errors = uncaughtErrors;
  uncaughtErrors = [];
  return errors;
}

/** The part of an element that keyed lists use. */
class FakeElement {
  parent = null;
  children = [];

  constructor(name) {
    this.name = name;
  }

  get firstChild() {
    return this.children[0] ?? null;
  }

  get nextSibling() {
    const siblings = this.parent?.children ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  insertBefore(child, reference) {
    child.remove();
    this.children.splice(reference ? this.children.indexOf(reference) : this.children.length, 0, child);
    child.parent = this;
  }

  appendChild(child) {
    this.insertBefore(child, null);
  }

  remove() {
    const siblings = this.parent?.children ?? [];
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1);
    this.parent = null;
  }
}

/** Creates a keyed list of names. Each row records its name when it is created and when `tick` changes. */
function createCountingList(names, tick) {
  const runs = [];
  const parent = new FakeElement("list");
  const dispose = syncKeyedList(parent, () => names.value, (name) => name, (entry) => {
    const name = entry.peek();
    effect(() => {
      void tick.value;
      runs.push(name);
    });
    return new FakeElement(name);
  });
  return { parent, dispose, takeRuns: () => runs.splice(0).join(" ") };
}

test("a disposed keyed list disposes its rows", async () => {
  const tick = signal(0);
  const list = createCountingList(signal(["a", "b"]), tick);
  tick.value += 1;
  assert.equal(list.takeRuns(), "a b a b");
  list.dispose();
  tick.value += 1;
  assert.equal(list.takeRuns(), "");
});

test("a scope disposes the rows of its keyed lists", async () => {
  const tick = signal(0);
  const [list, dispose] = createScope(() => createCountingList(signal(["a", "b"]), tick));
  tick.value += 1;
  assert.equal(list.takeRuns(), "a b a b");
  dispose();
  tick.value += 1;
  assert.equal(list.takeRuns(), "");
});

test("an effect disposes the rows of its keyed lists before it runs again", async () => {
  const tick = signal(0);
  const version = signal(1);
  let list = null;
  effect(() => {
    void version.value;
    list = createCountingList(signal(["a"]), tick);
  });
  const oldList = list;
  version.value = 2;
  oldList.takeRuns();
  list.takeRuns();
  tick.value += 1;
  assert.equal(oldList.takeRuns(), "");
  assert.equal(list.takeRuns(), "a");
});

test("a keyed list keeps the rows of its keys and disposes removed ones", async () => {
  const tick = signal(0);
  const names = signal(["a", "b", "c"]);
  const list = createCountingList(names, tick);
  const [first] = list.parent.children;
  list.takeRuns();
  names.value = ["c", "a", "d"];
  assert.deepEqual(list.parent.children.map((child) => child.name), ["c", "a", "d"]);
  assert.equal(list.parent.children[1], first);
  assert.equal(list.takeRuns(), "d");
  tick.value += 1;
  assert.equal(list.takeRuns(), "a c d");
});

test("an effect that throws does not stop the others, and its error is reported", async () => {
  const value = signal(1);
  const seen = [];
  effect(() => void seen.push(`first ${value.value}`));
  effect(() => {
    if (value.value === 2) throw new Error("planted");
  });
  effect(() => void seen.push(`last ${value.value}`));
  value.value = 2;
  assert.deepEqual(seen, ["first 1", "last 1", "first 2", "last 2"]);
  assert.deepEqual(takeUncaughtErrors(), ["planted"]);

  // The effect that has thrown stays subscribed.
  value.value = 3;
  value.value = 2;
  assert.deepEqual(takeUncaughtErrors(), ["planted"]);
  assert.equal(seen.at(-1), "last 2");
});

test("a batch runs all effects even if its function throws", async () => {
  const value = signal(1);
  const seen = [];
  effect(() => void seen.push(value.value));
  const change = () => {
    value.value = 2;
    throw new Error("failed change");
  };
  assert.throws(() => batch(change), /failed change/);
  assert.deepEqual(seen, [1, 2]);
});

test("a cleanup that throws does not stop the others", async () => {
  const seen = [];
  const dispose = effect(() => {
    effect(() => () => {
      throw new Error("planted");
    });
    effect(() => () => void seen.push("inner"));
    return () => void seen.push("outer");
  });
  dispose();
  assert.deepEqual(seen, ["inner", "outer"]);
  assert.deepEqual(takeUncaughtErrors(), ["planted"]);
});

test("effects created before an error are disposed", async () => {
  const value = signal(0);
  let runs = 0;
  const fail = () => {
    effect(() => {
      void value.value;
      runs += 1;
    });
    throw new Error("planted");
  };
  assert.throws(() => createScope(fail), /planted/);
  assert.throws(() => effect(fail), /planted/);
  assert.equal(runs, 2);
  value.value = 1;
  assert.equal(runs, 2);
});

test("an entry without an element does not stop the rest of a keyed list", async () => {
  const names = signal(["a", "b", "c"]);
  let isBroken = true;
  const parent = new FakeElement("list");
  syncKeyedList(parent, () => names.value, (name) => name, (entry) => {
    if (isBroken && entry.peek() === "b") throw new Error("planted");
    return new FakeElement(entry.peek());
  });
  assert.deepEqual(parent.children.map((child) => child.name), ["a", "c"]);
  assert.deepEqual(takeUncaughtErrors(), ["planted"]);
  isBroken = false;
  names.value = ["a", "b", "c"];
  assert.deepEqual(parent.children.map((child) => child.name), ["a", "b", "c"]);
});

await runTests();
