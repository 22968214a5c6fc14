// @ts-check
/** The panel with the texts around the chart, and its description for screen readers. */

import { effect, h } from "./core.js";
import { getEditor } from "./editor-state.js";
import { createPanel } from "./panel-frame.js";
import { createFormatBar } from "./text-format.js";
import { getText } from "./texts.js";
import { createField } from "./ui.js";

/** The fields: path of the value, label, name of the undo step, hint and maximum length. @type {[string[], string, string, string, number][]} */
const TEXT_FIELDS = [
  [["title"], getText("editor.title"), getText("editor.editTitle"), "", 500],
  [["style", "subtitle"], getText("editor.subtitle"), getText("editor.editSubtitle"), getText("editor.subtitleHint"), 2000],
  [["style", "footer"], getText("editor.footer"), getText("editor.editFooter"), getText("editor.footerHint"), 2000],
  [["style", "description"], getText("editor.description"), getText("editor.editDescription"), getText("editor.descriptionHint"), 2000],
];

/** Keys of the texts with simple HTML. */
const FORMATTED = ["subtitle", "footer"];

/** The switches that hide parts of the picture. @type {[string, string][]} */
const SWITCHES = [
  ["no_title", getText("editor.hideTitle")],
  ["no_footnote", getText("editor.hideFooter")],
  ["no_branding", getText("editor.hideLogo")],
];

/** Builds the panel. @param {() => void} close */
export function buildPanel(close) {
  const { store } = getEditor();
  const fields = TEXT_FIELDS.map(([path, label, step, hint, maxLength]) => {
    const read = () => path.reduce((/** @type {any} */ value, key) => value?.[key], store.content.value) ?? "";
    const field = h("textarea", { rows: 2, maxlength: maxLength, name: path.at(-1) });
    field.addEventListener("input", () => store.setValue(path, field.value || (path[0] === "title" ? "" : undefined), { label: step, mergeKey: `text-${path.join(".")}` }));
    effect(() => {
      const text = String(read());
      if (field.value !== text) field.value = text;
    });
    const row = createField(label, field, hint || undefined);
    if (FORMATTED.includes(path.at(-1) ?? "")) field.before(createFormatBar(field, label));
    return row;
  });
  const switches = SWITCHES.map(([key, label]) => {
    const checked = () => store.content.value.style?.[key] === true;
    const input = h("input", { type: "checkbox", checked, onchange: () => store.setValue(["style", key], input.checked || undefined, { label }) });
    return h("label", { class: "check" }, input, label);
  });
  return createPanel(getText("editor.textPanel"), close, h("div", { class: "panel-form" }, ...fields, ...switches));
}
