// @ts-check
/**
 * Script of the page of a theme: color pickers, order of the colors, and a preview that follows the form.
 * The server renders the preview. Without the script, a button shows it.
 */

import { h } from "./core.js";
import { describeSignOut, sendForm } from "./form-request.js";
import { getText } from "./texts.js";
import { createIcon, findElement } from "./ui.js";

/** Time without input after which the preview is requested, in milliseconds. */
const INPUT_DELAY = 350;

const form = /** @type {HTMLFormElement} */ (findElement("#theme-form"));
const status = findElement("#preview-status");

/** Converts CSS colors to the notation of color pickers. */
const converter = document.createElement("canvas").getContext("2d");

/** Returns a CSS color as `#rrggbb`. Returns null for another text and for a translucent color. @param {string} text */
function toHex(text) {
  if (!converter || !CSS.supports("color", text.trim())) return null;
  converter.fillStyle = text.trim();
  return /^#[0-9a-f]{6}$/.test(String(converter.fillStyle)) ? String(converter.fillStyle) : null;
}

/** Replaces the swatch beside a text field by a color picker. @param {HTMLElement} container */
function addPicker(container) {
  const input = /** @type {HTMLInputElement} */ (findElement("input", container));
  const label = container.closest(".color-row, .field")?.querySelector("label")?.textContent ?? "";
  const picker = /** @type {HTMLInputElement} */ (h("input", { type: "color", "aria-label": getText("theme-editor.pickColor", { label }) }));
  picker.value = toHex(input.value) ?? "#ffffff";
  picker.disabled = form.querySelector("fieldset")?.disabled ?? false;
  picker.addEventListener("input", () => {
    input.value = picker.value;
  });
  input.addEventListener("input", () => {
    picker.value = toHex(input.value) ?? picker.value;
  });
  container.querySelector(".swatch")?.remove();
  container.prepend(picker);
}

/** Returns the rows of the colors of series. @returns {HTMLElement[]} */
const listRows = () => Array.from(form.querySelectorAll(".color-row"));

/** Labels of the buttons of a row, from the name of its color. */
const ACTION_LABELS = {
  up: (/** @type {string} */ color) => getText("theme-editor.moveUp", { color }),
  down: (/** @type {string} */ color) => getText("theme-editor.moveDown", { color }),
  remove: (/** @type {string} */ color) => getText("theme-editor.removeColor", { color }),
};

/** Numbers the rows again after a change of their order. The first row cannot move up, and the last one not down. */
function renumberRows() {
  listRows().forEach((row, index, rows) => {
    const name = getText("colors.numberedColor", { number: index + 1 });
    const label = findElement("label", row);
    const input = findElement("input[type=text]", row);
    label.textContent = name;
    input.id = `color-${index + 1}`;
    label.setAttribute("for", input.id);
    row.querySelector("input[type=color]")?.setAttribute("aria-label", getText("theme-editor.pickColor", { label: name }));
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (row.querySelectorAll("button"))) {
      const action = /** @type {keyof typeof ACTION_LABELS} */ (button.dataset.action);
      button.setAttribute("aria-label", ACTION_LABELS[action](name));
      button.disabled = (action === "up" && index === 0) || (action === "down" && index === rows.length - 1) || (action === "remove" && rows.length === 1);
    }
  });
}

/** Applies a change of the rows, keeps the focus near, and updates the preview. @param {() => HTMLElement | null} change returns the element to focus */
function changeRows(change) {
  const focused = change();
  for (const error of form.querySelectorAll(".color-row .error")) error.remove();
  for (const input of form.querySelectorAll(".color-row [aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }
  renumberRows();
  focused?.focus();
  requestPreview();
}

/** Adds the buttons of a row. @param {HTMLElement} row */
function addRowActions(row) {
  const button = (/** @type {keyof typeof ACTION_LABELS} */ action, /** @type {string} */ icon, /** @type {() => HTMLElement | null} */ change) =>
    h("button", { type: "button", class: "cross", dataset: { action }, onclick: () => changeRows(change) }, createIcon(icon));
  const move = (/** @type {Element | null} */ target, /** @type {"before" | "after"} */ side, /** @type {keyof typeof ACTION_LABELS} */ action) => {
    if (target) target[side](row);
    const own = /** @type {HTMLButtonElement} */ (findElement(`[data-action="${action}"]`, row));
    return own.disabled ? findElement("button", row) : own;
  };
  const remove = () => {
    const neighbor = /** @type {HTMLElement | null} */ (row.nextElementSibling ?? row.previousElementSibling);
    row.remove();
    return neighbor && findElement("input[type=text]", neighbor);
  };
  // Before an error, which has a line of its own.
  findElement(".color-input", row).after(
    h(
      "div",
      { class: "color-actions" },
      button("up", "up", () => move(row.previousElementSibling, "before", "up")),
      button("down", "down", () => move(row.nextElementSibling, "after", "down")),
      button("remove", "close", remove),
    ),
  );
}

/** Returns a new empty row. @returns {HTMLElement} */
function createRow() {
  const input = h("input", { type: "text", name: "colors", maxlength: 64, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  return h("li", { class: "color-row" }, h("label", null), h("div", { class: "color-input" }, input));
}

/** Adds the pickers, and for the colors of series the buttons that change their order. */
function enhanceColors() {
  const list = findElement("#series-colors .color-list", form);
  const rows = listRows();
  // Empty rows are for pages without scripts.
  for (const row of rows.slice(1)) if (!(/** @type {HTMLInputElement} */ (findElement("input", row)).value)) row.remove();
  for (const container of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll(".color-input"))) addPicker(container);
  if (form.querySelector("fieldset")?.disabled) return;
  listRows().forEach(addRowActions);
  const add = () =>
    changeRows(() => {
      const row = createRow();
      list.append(row);
      addPicker(findElement(".color-input", row));
      addRowActions(row);
      return findElement("input[type=text]", row);
    });
  list.after(h("button", { type: "button", class: "button quiet small", onclick: add }, createIcon("plus"), getText("theme-editor.addColor")));
  renumberRows();
}

let isRequesting = false;
let isOutdated = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Returns the values of the form as they are sent. @returns {URLSearchParams} */
const readValues = () => new URLSearchParams(/** @type {any} */ (new FormData(form)));

/** Sends the form to the server, which returns a page with the preview. @param {string} step @returns {Promise<import("./form-request.js").FormResponse>} */
function requestPage(step) {
  const body = readValues();
  body.set("step", step);
  return sendForm(String(form.dataset.preview), { method: "POST", body }, { isBackground: step === "preview" });
}

/** Shows a text or a text with a link about the preview. @param {...(string | Node)} content */
const showStatus = (...content) => status.replaceChildren(...content);

/** Shows that the session has ended. The values stay in the form. */
const showSignOut = () => showStatus(...describeSignOut("theme-editor.saveSignedOut", updatePreview));

/** Adds images and fonts that were uploaded since the page was opened. @param {Document} page */
function addUploads(page) {
  for (const id of ["#logo", "#families"]) {
    const list = findElement(id);
    const values = Array.from(list.querySelectorAll("option"), (option) => option.value);
    for (const option of page.querySelectorAll(`${id} option`)) {
      if (values.includes(/** @type {HTMLOptionElement} */ (option).value)) continue;
      option.removeAttribute("selected");
      list.append(option);
    }
  }
}

/**
 * Shows the preview of a response, or its errors. The previous preview stays if there are errors.
 * @param {import("./form-request.js").FormResponse} response
 */
function showPreview({ isSignedOut, page, reason: problem }) {
  if (isSignedOut) return showSignOut();
  if (page) addUploads(page);
  const content = page?.querySelector("#preview-content");
  const errors = Array.from(page?.querySelectorAll("#theme-form .error") ?? [], (error) => error.textContent ?? "");
  if (content?.querySelector("img")) {
    const [shown, next] = [document.querySelector("#preview details"), content.querySelector("details")];
    // The warnings stay as the person has opened or closed them.
    if (shown && next) next.toggleAttribute("open", shown.hasAttribute("open"));
    findElement("#preview-content").replaceChildren(...content.childNodes);
    showStatus();
  } else {
    const reason = errors.join(" ") || content?.querySelector(".notice")?.textContent || problem || getText("theme-editor.cannotRender");
    const hasImages = document.querySelector("#preview-content img") !== null;
    showStatus(hasImages ? getText("theme-editor.lastValid", { reason }) : "");
  }
}

/** Requests the preview. At most one request is open. If the form changes meanwhile, another one follows. */
async function updatePreview() {
  if (isRequesting) {
    isOutdated = true;
    return;
  }
  isRequesting = true;
  try {
    showPreview(await requestPage("preview"));
  } catch {
    showStatus(getText("theme-editor.previewOutdated"));
  } finally {
    isRequesting = false;
  }
  if (isOutdated) {
    isOutdated = false;
    await updatePreview();
  }
}

/** Requests the preview after a pause of the input. */
function requestPreview() {
  clearTimeout(timer);
  timer = setTimeout(updatePreview, INPUT_DELAY);
}

/** Groups of fields that the colors of a logo replace. */
const COLOR_GROUPS = ["#series-colors", "#single-colors"];

/** Enables or disables the fields that the colors of a logo replace. @param {boolean} isDisabled */
function disableColors(isDisabled) {
  for (const id of COLOR_GROUPS) /** @type {HTMLFieldSetElement} */ (findElement(id)).disabled = isDisabled;
}

/** Shows the colors in a response in the form. @param {import("./form-request.js").FormResponse} response */
function showLogoColors(response) {
  const { isSignedOut, page } = response;
  for (const id of COLOR_GROUPS) {
    const part = page?.querySelector(id);
    if (page?.querySelector("#preview-content img") && part) findElement(id).replaceWith(part);
  }
  if (!form.querySelector(".color-actions")) enhanceColors();
  showPreview(response);
  const message = page?.querySelector("#logo-message")?.textContent ?? form.querySelector("#logo-message")?.textContent;
  form.querySelector("#logo-message")?.remove();
  logoStatus.replaceChildren(...(isSignedOut ? describeSignOut("theme-editor.colorsSignedOut") : [message ?? status.textContent ?? ""]));
}

/** Takes the colors of the logo from the server and shows them in the form. @param {Event} event */
async function takeLogoColors(event) {
  event.preventDefault();
  clearTimeout(timer);
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  if (button.hasAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  try {
    const response = requestPage("logo-colors");
    // The response replaces these fields, so that changes of them would be lost.
    disableColors(true);
    showLogoColors(await response);
  } catch {
    logoStatus.textContent = getText("theme-editor.colorsNotTaken");
  } finally {
    disableColors(false);
    button.removeAttribute("aria-busy");
  }
  // Other fields may have changed meanwhile.
  requestPreview();
}

/** Values of the theme that is stored, or empty if the page shows values that are not. */
let storedValues = "";
let isSaving = false;

/** Checks that the session has not ended, because the page after a sign-in does not have the values. Then saves. @param {SubmitEvent} event */
async function saveTheme(event) {
  if (isSaving) return;
  event.preventDefault();
  try {
    const { isSignedOut, ok, reason } = await sendForm(String(form.dataset.preview), { redirect: "manual" });
    if (isSignedOut) showSignOut();
    else if (!ok && reason) showStatus(reason);
    else {
      isSaving = true;
      form.requestSubmit(event.submitter);
      return;
    }
  } catch {
    showStatus(getText("theme-editor.notSaved"));
  }
  status.scrollIntoView({ block: "center" });
}

/** Asks before the page is left with values that are not saved. */
function guardValues() {
  if (!("isUnsaved" in form.dataset)) storedValues = String(readValues());
  form.addEventListener("submit", saveTheme);
  addEventListener("beforeunload", (event) => {
    if (!isSaving && String(readValues()) !== storedValues) event.preventDefault();
  });
  addEventListener("pageshow", () => {
    isSaving = false;
  });
}

const logoStatus = h("p", { class: "hint", role: "status" });
const logoButton = findElement("#logo-colors");
logoButton.closest(".choice")?.after(logoStatus);
logoButton.addEventListener("click", takeLogoColors);
enhanceColors();
guardValues();
form.addEventListener("input", requestPreview);
form.addEventListener("change", requestPreview);
// The person may have uploaded a file in another tab.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") requestPreview();
});
// The preview follows the form, so that the button has no use.
findElement("#preview-button").hidden = true;
// After an error the server shows no preview.
if (!document.querySelector("#preview-content img")) requestPreview();
