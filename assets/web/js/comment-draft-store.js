// @ts-check
/** The storage of drafts of comments, for all accounts and charts. Every page can use it. */

/** Start of the names of all drafts in the storage. */
export const DRAFT_PREFIX = "comment-draft:";

/**
 * Removes the stored drafts that match.
 * @param {(key: string, value: string) => boolean} isRemoved
 */
export function removeStoredDrafts(isRemoved) {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(DRAFT_PREFIX) && isRemoved(key, localStorage.getItem(key) ?? "")) localStorage.removeItem(key);
    }
  } catch {
    // Without a permitted storage there is no stored draft.
  }
}
