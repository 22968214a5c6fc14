// @ts-check
/** Saves the edited document before the browser opens another page, so that this page shows the new content. */

/** Longest time in milliseconds that a page waits for the save. After that the save continues in the background. */
const MAX_WAIT_MS = 800;

/**
 * Delays the navigation to another page of this tab until unsaved changes are saved. Does not delay the buttons of the
 * browser for back and forward, which browsers do not permit. Browsers without the Navigation API do not wait.
 * @param {import("./document-sync.js").DocumentSync} sync
 */
export function saveBeforeLeaving(sync) {
  const navigation = /** @type {any} */ (window).navigation;
  let isLeaving = false;
  navigation?.addEventListener("navigate", async (/** @type {any} */ event) => {
    const isPage = event.cancelable && !event.hashChange && event.downloadRequest === null && !event.formData && event.navigationType !== "traverse" && !event.destination.sameDocument;
    if (isLeaving || !isPage || !["waiting", "saving"].includes(sync.state.peek())) return;
    event.preventDefault();
    await Promise.race([sync.save(), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
    isLeaving = true;
    const { url } = event.destination;
    if (event.navigationType === "reload") location.reload();
    else if (event.navigationType === "replace") location.replace(url);
    else location.assign(url);
  });
  // The page can return from the cache of the browser.
  window.addEventListener("pageshow", () => (isLeaving = false));
}
