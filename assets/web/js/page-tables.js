// @ts-check
/** Tables that are pasted or dropped anywhere on the page of the editor, except in fields and dialogs. */

import { parseClipboard } from "./grid-clipboard.js";
import { TABLE_EXTENSIONS } from "./own-table.js";
import { isTyping } from "./shortcuts.js";

/**
 * Whether an event belongs to a field, a dialog, or a part of the page that has handled it.
 * @param {Event} event
 */
const isTaken = (event) => event.defaultPrevented || isTyping(event) || document.querySelector("dialog[open]") !== null;

/**
 * Whether the clipboard has a table: at least two rows and two columns. Sentences with commas have them too, but no cell
 * that begins with a number.
 * @param {string} text
 * @param {string} html
 */
function hasTable(text, html) {
  const rows = parseClipboard(html, text);
  if (rows.length < 2 || rows[0].length < 2) return false;
  return /<table[\s>]/i.test(html) || text.includes("\t") || rows.some((row) => row.some((cell) => /^\W*\d/.test(cell)));
}

/** Whether a file has the extension of a table. @param {File} file */
const isTableFile = (file) => TABLE_EXTENSIONS.split(",").some((extension) => file.name.toLowerCase().endsWith(extension));

/**
 * Accepts tables on the whole page.
 * @param {{ useClipboard: (text: string, html: string) => unknown, useFile: (file: File) => unknown }} callbacks
 */
export function acceptTables({ useClipboard, useFile }) {
  document.addEventListener("paste", (event) => {
    if (isTaken(event) || !event.clipboardData) return;
    const [text, html] = ["text/plain", "text/html"].map((type) => event.clipboardData?.getData(type) ?? "");
    const file = [...event.clipboardData.files].find(isTableFile);
    if (hasTable(text, html)) useClipboard(text, html);
    else if (file) useFile(file);
    else return;
    event.preventDefault();
  });
  document.addEventListener("dragover", (event) => {
    if (!isTaken(event) && event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    if (isTaken(event) || !file) return;
    event.preventDefault();
    useFile(file);
  });
}
