// @ts-check
/** The parts of the running editor, for its panels and dialogs. */

/** Time in milliseconds in which the form of the settings appears. */
const FORM_WAIT_MS = 3000;

/**
 * @typedef {object} Editor
 * @property {import("./document-store.js").DocumentStore} store
 * @property {import("./document-sync.js").DocumentSync} sync
 * @property {import("./live-image.js").LiveImage} image
 * @property {import("./core.js").Signal<any>} kind chart kind of the API
 * @property {import("./core.js").Signal<string[]>} palette colors of the theme
 * @property {import("./core.js").Signal<string>} background background color of the picture
 * @property {ReturnType<typeof import("./editor-data.js").buildDataPane>} data
 * @property {ReturnType<typeof import("./editor-canvas.js").startCanvasEditing>} canvas
 */

/** @type {Editor | null} */
let editor = null;

/** Sets the running editor. @param {Editor} started */
export function setEditor(started) {
  editor = started;
}

/** Returns the running editor. Returns null if the page has none. */
export const findEditor = () => editor;

/** Returns the running editor. Throws an error if the page has none. @returns {Editor} */
export function getEditor() {
  if (!editor) throw new Error("the page has no editor");
  return editor;
}

/** Opens the form of the settings, and moves the focus to a setting. @param {string} path such as `axis.min` */
export function showSetting(path) {
  window.dispatchEvent(new CustomEvent("open-panel", { detail: { name: "settings", field: "" } }));
  const began = performance.now();
  const reveal = () => {
    if (document.querySelector("#panel .settings-form")) window.dispatchEvent(new CustomEvent("reveal-setting", { detail: { path } }));
    else if (performance.now() - began < FORM_WAIT_MS) requestAnimationFrame(reveal);
  };
  reveal();
}
