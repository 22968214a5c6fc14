// @ts-check
/** Messages between the tabs of one browser that edit the same document, so that they never conflict. */

/** Time in milliseconds in which other tabs answer that they are open. */
const ANSWER_TIME_MS = 150;

/** @typedef {import("./document-store.js").Content} Content */

/**
 * Connects this tab with the other tabs of a user and a document.
 * @param {{ userId: string, id: string }} document
 * @param {string} tab id of this visit
 * @param {(saved: { content: Content, etag: string | null, doc: Record<string, any> }) => void} onSaved called after another tab has saved
 */
export function connectTabs({ userId, id }, tab, onSaved) {
  const channel = new BroadcastChannel(`chartroom-document-${userId}-${id}`);
  /** @type {Set<string>} Tabs that have answered. */
  const openTabs = new Set();
  /** Whether the page is being left. The page that follows it takes over its unsaved changes. */
  let isLeaving = false;
  window.addEventListener("pagehide", () => (isLeaving = true));
  window.addEventListener("pageshow", () => (isLeaving = false));
  channel.onmessage = ({ data }) => {
    if (data.tab === tab) return;
    if (data.type === "who" && !isLeaving) channel.postMessage({ type: "here", tab });
    else if (data.type === "here") openTabs.add(data.tab);
    else if (data.type === "saved") onSaved(data);
  };
  return {
    /** Tells the other tabs what this tab has saved. @param {Content} content @param {string | null} etag @param {Record<string, any>} doc */
    announce: (content, etag, doc) => channel.postMessage({ type: "saved", tab, content, etag, doc }),
    /** Returns the ids of the other open tabs of the document. @returns {Promise<Set<string>>} */
    async findOpenTabs() {
      openTabs.clear();
      channel.postMessage({ type: "who", tab });
      await new Promise((resolve) => setTimeout(resolve, ANSWER_TIME_MS));
      return new Set(openTabs);
    },
  };
}
