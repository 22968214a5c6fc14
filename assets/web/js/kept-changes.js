// @ts-check
/** Unsaved changes of an earlier visit to a chart that the user may no longer change. */

import { chart, readServerTime } from "./chart.js";
import { showCopyNotice } from "./content-copy.js";
import { openJournal } from "./document-journal.js";
import { connectTabs } from "./document-tabs.js";
import { getText } from "./texts.js";
import { formatLocalTime } from "./ui.js";

/** Shows the unsaved changes that this device has, and offers to save them as an own chart or to delete them. */
export async function showKeptChanges() {
  const journal = openJournal(chart.userId, chart.id);
  const entries = await journal.list(readServerTime());
  if (entries.length === 0) return;
  // Another tab still has the editor.
  const openTabs = await connectTabs(chart, journal.tab, () => {}).findOpenTabs();
  for (const entry of entries.filter(({ tab }) => !openTabs.has(tab))) {
    const text = getText("saving.kept", { time: formatLocalTime(new Date(entry.time).toISOString()) });
    showCopyNotice(text, "own", entry.content, () => void journal.remove(entry));
  }
}
