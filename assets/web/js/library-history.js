// @ts-check
/** Position in a list, kept in the history entry of the page, so that Back returns to it. */

/** Delay between the end of scrolling and the storage of the position. */
const SCROLL_DELAY_MS = 150;

/**
 * Position in a list.
 * @typedef {{ itemCount: number, folderCount: number, top: number, focusedKey: string | null }} ListPosition
 */

/** Returns the position that the history entry contains, or null. @returns {ListPosition | null} */
export function readListPosition() {
  return history.state?.list ?? null;
}

/**
 * Stores the position in the history entry after the user scrolls, and before the page is left.
 * @param {() => { itemCount: number, folderCount: number }} getCounts returns the numbers of loaded items and folders
 */
export function keepListPosition(getCounts) {
  const store = () => {
    const focusedKey = document.activeElement?.closest("[data-key]")?.getAttribute("data-key") ?? null;
    /** @type {ListPosition} */
    const list = { ...getCounts(), top: window.scrollY, focusedKey };
    history.replaceState({ ...history.state, list }, "");
  };
  let timer = 0;
  window.addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = window.setTimeout(store, SCROLL_DELAY_MS);
  }, { passive: true });
  window.addEventListener("pagehide", store);
  // A browser that ends the page in the background sends no `pagehide`.
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && store());
  // This page scrolls after it has loaded the items.
  history.scrollRestoration = "manual";
}

/** Scrolls to a position and focuses the item that had the focus. @param {ListPosition} position */
export function showListPosition({ top, focusedKey }) {
  if (focusedKey) /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(focusedKey)}"] .title`))?.focus({ preventScroll: true });
  window.scrollTo({ top, behavior: "instant" });
}
