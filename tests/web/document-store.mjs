// Tests of the undo steps of a document without a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { runTests, test } from "./lib.mjs";

/** Returns the URL of a module of the pages that imports these URLs instead of other modules. */
function loadModule(name, imports = {}) {
  const source = readFileSync(new URL(`../../assets/web/js/${name}.js`, import.meta.url), "utf8");
  const replaced = Object.entries(imports).reduce((text, [other, url]) => text.replace(`"./${other}.js"`, `"${url}"`), source);
  return `data:text/javascript;base64,${Buffer.from(replaced).toString("base64")}`;
}

const imports = { core: loadModule("core"), "json-merge": loadModule("json-merge") };
const { createDocumentStore, readContent } = await import(loadModule("document-store", imports));

const START = readContent({ plugin_id: "bar", title: "Sales", settings: { columns: [{ title: "A" }] }, data: [{ label: "a" }] });

test("undo removes the objects that a change created, and redo creates them again", () => {
  for (const path of [["settings", "axis", "min"], ["style", "width"], ["custom_theme", "fonts", "title", "size"], ["settings", "columns", 0, "format", "unit"], ["data", 0, "value"]]) {
    const store = createDocumentStore(START);
    store.setValue(path, 3, { label: "change" });
    const changed = store.content.peek();
    assert.notDeepEqual(changed, START);
    store.undo();
    assert.deepEqual(store.content.peek(), START, path.join("."));
    store.redo();
    assert.deepEqual(store.content.peek(), changed, path.join("."));
  }
});

test("a value that is typed into a new object is one step", () => {
  const store = createDocumentStore(START);
  for (const text of ["E", "EU", "EUR"]) store.setValue(["settings", "axis", "title"], text, { label: "title", mergeKey: "title" });
  assert.equal(store.content.peek().settings.axis.title, "EUR");
  store.undo();
  assert.deepEqual(store.content.peek(), START);
  assert.equal(store.undoLabel.peek(), "");
  store.redo();
  assert.equal(store.content.peek().settings.axis.title, "EUR");
});

test("undo of several changes of a new object leaves nothing", () => {
  for (const member of ["settings", "style", "custom_theme"]) {
    const store = createDocumentStore(START);
    for (const key of ["first", "second", "third"]) store.setValue([member, "new", key], 3, { label: key });
    for (const key of ["third", "second", "first"]) assert.equal(store.undo(), key);
    assert.deepEqual(store.content.peek(), START, member);
  }
});

test("undo keeps what somebody else added to a new object", () => {
  const store = createDocumentStore(START);
  store.setValue(["settings", "axis", "min"], 3, { label: "minimum" });
  const content = store.content.peek();
  store.setContent({ ...content, settings: { ...content.settings, axis: { min: 3, max: 9 } } });
  store.undo();
  assert.deepEqual(store.content.peek().settings.axis, { max: 9 });
});

test("taking back a step that goes on after a change of another person keeps that change", () => {
  const path = ["style", "annotations"];
  const write = (store, text) => store.setValue(path, [{ text }, ...(store.content.peek().style?.annotations ?? []).slice(1)], { label: "note", mergeKey: "note 0", mergeTime: Infinity });
  for (const start of [undefined, [{ text: "" }]]) {
    const store = createDocumentStore({ ...START, style: start ? { annotations: start } : {} });
    write(store, "a");
    store.setContent({ ...store.content.peek(), style: { annotations: [{ text: "a" }, { text: "of Ben" }] } });
    write(store, "ab");
    store.undo();
    assert.deepEqual(store.content.peek().style.annotations, start ? [{ text: "" }, { text: "of Ben" }] : [{ text: "of Ben" }]);
    store.redo();
    assert.deepEqual(store.content.peek().style.annotations, [{ text: "ab" }, { text: "of Ben" }]);
  }
});

await runTests();
