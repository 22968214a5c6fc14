// @ts-check
/**
 * Script of the page of the assets: uploads files one by one, also by drag and drop, and shows fonts in their own face.
 * Without the script, the form sends all files at once.
 */

import { h } from "./core.js";
import { describeSignOut, sendForm } from "./form-request.js";
import { getText } from "./texts.js";

/** Number of loaded fonts, which gives each of them its own family name. */
let fontCount = 0;

/** Loads the font of a sample and applies it. @param {HTMLElement} sample */
async function showFont(sample) {
  const family = `asset-font-${(fontCount += 1)}`;
  const font = new FontFace(family, `url(${JSON.stringify(sample.dataset.font)})`, { style: sample.dataset.style });
  try {
    document.fonts.add(await font.load());
    sample.style.fontFamily = family;
    sample.style.fontStyle = String(sample.dataset.style);
  } catch {
    // The sample stays in the font of the page.
  }
}

/** Loads a font when its sample comes into view. */
function observeFonts() {
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      void showFont(/** @type {HTMLElement} */ (target));
    }
  });
  for (const sample of document.querySelectorAll("[data-font]")) observer.observe(sample);
}

/**
 * A file that is not stored.
 * @typedef {object} RefusedFile
 * @property {string} name
 * @property {(string | Node)[]} reason sentence
 */

/** Result of all files of an upload. @typedef {{ stored: string[], refused: RefusedFile[] }} UploadResult */

/**
 * Uploads a file with the form of the page.
 * @param {HTMLFormElement} form
 * @param {File} file
 * @returns {Promise<{ page: Document | null, reason: (string | Node)[], isSignedOut: boolean }>} the page of the response; the reason is empty if the file is stored
 */
async function uploadFile(form, file) {
  const refuse = (/** @type {(string | Node)[]} */ ...reason) => ({ page: null, reason, isSignedOut: false });
  const { maxBytes, maxSize } = form.dataset;
  if (file.size > Number(maxBytes)) return refuse(getText("theme-editor.fileTooLarge", { size: maxSize ?? "" }));
  const body = new FormData();
  body.append("file", file);
  try {
    const { ok, isSignedOut, page, reason } = await sendForm(form.action, { method: "POST", body });
    if (isSignedOut) return { ...refuse(...describeSignOut("theme-editor.uploadSignedOut")), isSignedOut };
    // Another page than that of the assets does not show that the file is stored.
    if (ok && page?.querySelector("#asset-list")) return { page, reason: [], isSignedOut };
    const item = page?.querySelector(".refused li");
    item?.querySelector("strong")?.remove();
    return refuse(item?.textContent?.replace(/^: /, "") || page?.querySelector("main p")?.textContent || reason || getText("theme-editor.fileRefused"));
  } catch {
    return refuse(getText("theme-editor.unreachable"));
  }
}

/** Shows which files are stored, and why the others are not. @param {UploadResult} result */
function showResult({ stored, refused }) {
  const items = refused.map(({ name, reason }) => h("li", null, h("strong", null, name), ": ", reason));
  document.querySelector("#upload-result")?.replaceChildren(
    ...(refused.length ? [h("div", { class: "error", role: "alert" }, h("p", null, getText("theme-editor.filesNotStored", { count: refused.length })), h("ul", { class: "refused" }, items))] : []),
    ...(stored.length ? [h("p", { class: "success", role: "status" }, getText("theme-editor.filesStored", { count: stored.length }))] : []),
  );
}

/** Shows the list of the assets of another page. @param {Document | null} page */
function showAssets(page) {
  for (const id of ["#asset-list", "#asset-count"]) {
    const part = page?.querySelector(id);
    if (part) document.querySelector(id)?.replaceWith(part);
  }
}

/** Uploads files one after the other, and shows the new list. @param {HTMLFormElement} form @param {File[]} files */
async function uploadFiles(form, files) {
  const status = /** @type {HTMLElement} */ (document.querySelector("#upload-status"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  // A disabled button would lose the focus.
  if (button.getAttribute("aria-disabled") === "true" || !files.length) return;
  button.setAttribute("aria-disabled", "true");
  /** @type {UploadResult} */
  const result = { stored: [], refused: [] };
  let isSignedOut = false;
  for (const [index, file] of files.entries()) {
    status.textContent = getText("theme-editor.uploading", { name: file.name, number: index + 1, total: files.length });
    const upload = isSignedOut ? { page: null, reason: [getText("chart-page.signedOut")], isSignedOut } : await uploadFile(form, file);
    isSignedOut = upload.isSignedOut;
    if (upload.reason.length) result.refused.push({ name: file.name, reason: upload.reason });
    else result.stored.push(file.name);
    showAssets(upload.page);
  }
  status.textContent = "";
  showResult(result);
  observeFonts();
  button.removeAttribute("aria-disabled");
  form.reset();
}

/** Makes the form a drop zone. @param {HTMLFormElement} form */
function enhanceForm(form) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
  form.querySelector(".form-limit")?.remove();
  const label = form.querySelector("label[for=file]");
  if (label) label.textContent = getText("theme-editor.chooseFiles");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void uploadFiles(form, Array.from(input.files ?? []));
  });
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("is-over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("is-over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("is-over");
    void uploadFiles(form, Array.from(event.dataTransfer?.files ?? []));
  });
  preventOpening(form);
}

/** Prevents that a file dropped outside of the form is opened instead of the page. @param {HTMLFormElement} form */
function preventOpening(form) {
  for (const type of /** @type {const} */ (["dragover", "drop"])) {
    document.addEventListener(type, (event) => {
      const hasFiles = event.dataTransfer?.types.includes("Files");
      if (!hasFiles || form.contains(/** @type {Node} */ (event.target))) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
    });
  }
}

const uploadForm = /** @type {HTMLFormElement | null} */ (document.querySelector("#upload"));
if (uploadForm) enhanceForm(uploadForm);
observeFonts();
