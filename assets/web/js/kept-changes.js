// @ts-check
/** Unsaved changes of an earlier visit to a chart that the user cannot change at the moment. */

import { openJournal } from "./document-journal.js";
import { connectTabs } from "./document-tabs.js";
import { OWN_CHART, showCopyNotice } from "./own-copy.js";
import { getText } from "./texts.js";
import { formatLocalTime } from "./time.js";

/**
 * Shows the unsaved changes that this device has, and offers to save them as an own chart or to delete them.
 * @param {{ userId: string, id: string }} document
 * @param {number} serverTime in milliseconds
 * @param {(changes: { time: string, title: string }) => string} describe returns the text of the notice, for the time of the changes and their title
 */
export async function showKeptChanges(document, serverTime, describe) {
  const journal = openJournal(document.userId, document.id);
  const entries = await journal.list(serverTime);
  if (entries.length === 0) return;
  // Another tab still has the editor.
  const openTabs = await connectTabs(document, journal.tab, () => {}).findOpenTabs();
  for (const entry of entries.filter(({ tab }) => !openTabs.has(tab))) {
    const time = formatLocalTime(new Date(entry.time).toISOString());
    showCopyNotice(describe({ time, title: entry.content.title || getText("common.untitled") }), OWN_CHART, entry.content, () => void journal.remove(entry));
  }
}
