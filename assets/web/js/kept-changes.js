// @ts-check
/** Unsaved changes of an earlier visit to a chart that the user may no longer change. */

import { chart, readServerTime } from "./chart.js";
import { createSaveAsNewButton } from "./content-copy.js";
import { h } from "./core.js";
import { openJournal } from "./document-journal.js";
import { getText } from "./texts.js";
import { createButton, createIcon, findElement, formatLocalTime } from "./ui.js";

/** Shows the unsaved changes that this device has, and offers to save them as an own chart or to delete them. */
export async function showKeptChanges() {
  const journal = openJournal(chart.userId, chart.id);
  const entries = await journal.list(readServerTime());
  for (const entry of entries) {
    const close = () => {
      journal.remove(entry);
      notice.remove();
    };
    const save = createSaveAsNewButton(() => entry.content, close);
    const text = getText("saving.kept", { time: formatLocalTime(new Date(entry.time).toISOString()) });
    const notice = h("p", { class: "notice", role: "status" }, createIcon("warn"), h("span", null, text, " "), save, createButton(getText("saving.discard"), { onclick: close }));
    findElement("#notices").append(notice);
  }
}
