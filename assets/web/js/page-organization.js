// @ts-check
/** Script of the pages of an organization: adds copy buttons, and scrolls to the current entry of a narrow navigation. The pages work without it. */

import { h } from "./core.js";
import { getText } from "./texts.js";

/** Time for which a button reports the result, in milliseconds. */
const REPORT_TIME = 2000;

/** Appends a button that copies the text of an element. Its attribute `data-copy` names the text. @param {HTMLElement} source */
function addCopyButton(source) {
  const label = h("span", null, getText("common.copy"));
  const name = h("span", { class: "hidden" }, " ", getText("ui.copySubject", { subject: source.dataset.copy ?? "" }));
  const status = h("span", { class: "hidden", role: "status" });
  const report = (/** @type {string} */ text) => {
    label.textContent = status.textContent = text;
    setTimeout(() => {
      label.textContent = getText("common.copy");
      status.textContent = "";
    }, REPORT_TIME);
  };
  const copy = () => navigator.clipboard.writeText(source.textContent ?? "").then(() => report(getText("common.copied")), () => report(getText("ui.notCopied")));
  source.after(h("button", { type: "button", class: "button quiet small copy", onclick: copy }, label, name), status);
}

// Browsers offer the clipboard only to pages from HTTPS or the same machine.
if (navigator.clipboard) {
  for (const element of document.querySelectorAll("[data-copy]")) addCopyButton(/** @type {HTMLElement} */ (element));
}
document.querySelector(".rail [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
