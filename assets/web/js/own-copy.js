// @ts-check
/** Saves changes that cannot be saved in their chart as a new chart. Works in any page. */

import { ApiError, get, post, put } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createButton, createIcon, describeError, findElement, runBusy, showToast } from "./ui.js";

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {{ urls: { endpoint: string, document_view: string }, etag: string | null }} NewDocument */

/**
 * A way to save a content as another chart: a function that creates the document, and the label of its button.
 * @typedef {{ create: (content: Content, title: string) => Promise<NewDocument>, label: string }} CopyTarget
 */

/** A chart of the user, without access to that of the page. @type {CopyTarget} */
export const OWN_CHART = {
  create: async ({ plugin_id: widget }) => {
    const { data, etag } = await post("/create-document", { widget }, { creates: true });
    return { urls: data, etag };
  },
  label: getText("saving.saveAsNew"),
};

/** Saves a content in a new document. A theme of another organization is left out. @param {NewDocument} created @param {Content} content @returns {Promise<void>} */
async function saveContent({ urls, etag }, content) {
  try {
    await put(urls.endpoint, { ...content, isPublic: false, final_save: true }, { ifMatch: etag });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Only this page knows the new document: an earlier attempt was saved, but its response was lost.
    if (error.isStale) {
      const present = error.problem.etag ?? (await get(urls.endpoint)).etag;
      if (present && present !== etag) return saveContent({ urls, etag: present }, content);
    }
    const isThemeRefused = content.theme !== "" && error.fields.some(({ field }) => field === "theme");
    if (!isThemeRefused) throw error;
    await saveContent({ urls, etag }, { ...content, theme: "" });
  }
}

/**
 * Returns a function that saves a content as another chart, and returns the address of its page. After an error, the next
 * attempt continues with the same chart.
 * @param {CopyTarget} target
 * @returns {(content: Content) => Promise<string>}
 */
export function createCopySaver({ create }) {
  /** @type {NewDocument | null} */
  let copy = null;
  return async (content) => {
    const title = getText("saving.copyTitle", { title: content.title });
    copy ??= await create(content, title);
    await saveContent(copy, { ...content, title });
    const view = copy.urls.document_view;
    copy = null;
    return view;
  };
}

/** Says that changes are saved as a copy, and offers to open it. @param {string} view address of its page */
export function showCopySaved(view) {
  showToast(getText("saving.copySaved"), { seconds: 20, action: { label: getText("saving.openCopy"), run: () => window.open(view, "_blank") } });
}

/**
 * Creates a button that saves a content as another chart.
 * @param {CopyTarget} target
 * @param {() => Content} readContent
 * @param {(saved: Content, view: string) => void} onSaved gets the content and the address of the page of the other chart
 */
export function createCopyButton(target, readContent, onSaved) {
  const saveCopy = createCopySaver(target);
  const run = async () => {
    const content = readContent();
    try {
      onSaved(content, await saveCopy(content));
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const button = createButton(target.label, { onclick: () => runBusy(button, run) });
  return button;
}

/**
 * Shows a notice about changes that are not in the chart, with buttons that save them as another chart or discard them.
 * @param {string} text
 * @param {CopyTarget} target
 * @param {Content} content
 * @param {() => void} [onEnd] called after the changes were saved or discarded
 */
export function showCopyNotice(text, target, content, onEnd = () => {}) {
  const close = () => {
    onEnd();
    notice.remove();
  };
  const finish = (/** @type {Content} */ _, /** @type {string} */ view) => {
    close();
    showCopySaved(view);
  };
  const buttons = [createCopyButton(target, () => content, finish), createButton(getText("saving.discard"), { onclick: close })];
  const notice = h("p", { class: "notice", role: "status" }, createIcon("warn"), h("span", null, text, " "), buttons);
  findElement("#notices").append(notice);
}
