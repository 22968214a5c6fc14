// @ts-check
/** The panel with the settings of the chart kind. */

import { computed, createScope, effect, h } from "./core.js";
import { openKindDialog } from "./dialog-kind.js";
import { listColumns } from "./document-columns.js";
import { getEditor } from "./editor-state.js";
import { createPanel } from "./panel-frame.js";
import { buildSettingsForm } from "./settings-form.js";
import { getText } from "./texts.js";
import { createButton } from "./ui.js";

/** Builds the form of a chart kind. @param {any} kind */
function buildForm(kind) {
  const { store, image, palette, background } = getEditor();
  return buildSettingsForm({
    kind,
    settings: computed(() => store.content.value.settings),
    records: computed(() => store.content.value.data),
    columns: computed(() => listColumns(kind, store.content.value)),
    problems: image.problems,
    palette,
    background,
    onChange: (path, value, options) => store.setValue(["settings", ...path], value, options),
  });
}

/** Builds the panel. @param {() => void} close */
export function buildPanel(close) {
  const { kind } = getEditor();
  const content = h("div");
  effect(() => {
    const shown = kind.value;
    const icon = h("img", { src: `/api/v1/portfolio/widgets/${shown.slug}/icon.svg`, alt: "", width: 28, height: 28 });
    const row = h("div", { class: "kind-row" }, icon, h("b", null, shown.title), createButton(getText("settings-form.changeKind"), { kind: "quiet", id: "change-kind", onclick: openKindDialog }));
    const [form, dispose] = createScope(() => buildForm(shown));
    content.replaceChildren(row, form.element);
    const reveal = (/** @type {Event} */ event) => {
      const { path, focus } = /** @type {CustomEvent<{ path: string, focus?: boolean }>} */ (event).detail;
      form.reveal(path, { focus });
    };
    window.addEventListener("reveal-setting", reveal);
    return () => {
      window.removeEventListener("reveal-setting", reveal);
      dispose();
    };
  });
  return createPanel(getText("settings-form.chart"), close, content);
}
