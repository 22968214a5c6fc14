// @ts-check
/** A color control: a button with the color, and a popover with colors of the theme, recent colors, a picker and a text field. */

import { createScope, effect, h } from "./core.js";
import { isColor, measureContrast, toHex } from "./css-color.js";
import { toText } from "./settings-model.js";
import { PAGE_LANGUAGE, getText } from "./texts.js";
import { createIcon, positionPopover } from "./ui.js";

/** Key of the recent colors in the local storage. */
const RECENT_KEY = "chartroom.recent-colors";
/** Maximum number of recent colors. */
const MAX_RECENT = 8;
/** Contrast below which marks are hard to see, by WCAG 2.2, 1.4.11. */
const MIN_CONTRAST = 3;
const RATIO_FORMAT = new Intl.NumberFormat(PAGE_LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Returns the recent colors, newest first. @returns {string[]} */
function readRecent() {
  try {
    const colors = JSON.parse(localStorage.getItem(RECENT_KEY) ?? "[]");
    return Array.isArray(colors) ? colors.filter((color) => typeof color === "string" && isColor(color)).slice(0, MAX_RECENT) : [];
  } catch {
    return [];
  }
}

/** Adds a color to the recent ones. @param {string} color */
function addRecent(color) {
  try {
    localStorage.setItem(RECENT_KEY, JSON.stringify([color, ...readRecent().filter((other) => other !== color)].slice(0, MAX_RECENT)));
  } catch {
    // A browser may forbid storage. The colors of the theme are still there.
  }
}

/**
 * Creates a color button.
 * @param {object} options
 * @param {string} [options.id]
 * @param {string} options.label
 * @param {string} [options.labelledBy] id of the visible label
 * @param {() => string | undefined} options.read subscribes; undefined or empty without a color
 * @param {(color: string | undefined, isTyping: boolean) => void} options.write
 * @param {string} options.emptyText text without a color; empty if there must be one
 * @param {ColorContext} options.form
 * @returns {HTMLButtonElement}
 */
export function createColorButton({ id, label, read, write, emptyText, form }) {
  const text = h("span", { class: "color-text" });
  const sample = h("span", { class: "color-sample", "aria-hidden": true });
  const button = h("button", { type: "button", id, class: "color-button", "aria-haspopup": "dialog", "aria-expanded": "false" }, sample, text);
  effect(() => {
    const color = read() ?? "";
    sample.style.background = isColor(color) ? color : "";
    sample.classList.toggle("unset", !isColor(color));
    text.textContent = color || emptyText || getText("common.none");
    button.setAttribute("aria-label", `${label}: ${color || emptyText || getText("colors.noneAfterName")}`);
  });
  let closedAt = -Infinity;
  button.addEventListener("click", () => {
    // The press that closed the popover must not open it again.
    if (performance.now() - closedAt < 250) return;
    const handleClose = (/** @type {boolean} */ hadFocus) => {
      closedAt = performance.now();
      button.setAttribute("aria-expanded", "false");
      if (hadFocus) button.focus();
    };
    openColorPopover(button, { label, read, write, emptyText, form }, handleClose);
    button.setAttribute("aria-expanded", "true");
  });
  return button;
}

/**
 * Opens the popover of a color and moves the focus to it.
 * @param {HTMLElement} anchor element that the popover follows, in the page and on the screen
 * @param {object} options see `createColorButton`
 * @param {string} options.label
 * @param {() => string | undefined} options.read
 * @param {(color: string | undefined, isTyping: boolean) => void} options.write
 * @param {string} options.emptyText
 * @param {ColorContext} options.form
 * @param {(hadFocus: boolean) => void} onClose
 * @param {Element} [sibling] element after which the popover is inserted; `anchor` if omitted
 * @returns {HTMLElement}
 */
export function openColorPopover(anchor, options, onClose, sibling = anchor) {
  const [popover, dispose] = createScope(() => createColorPopover(options));
  popover.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    const color = options.read();
    if (color && isColor(color)) addRecent(color);
    const hadFocus = popover.contains(document.activeElement) || document.activeElement === document.body;
    dispose();
    popover.remove();
    onClose(hadFocus);
  });
  sibling.after(popover);
  popover.showPopover();
  positionPopover(popover, anchor);
  /** @type {HTMLElement | null} */ (popover.querySelector("[aria-pressed=true], button, input"))?.focus();
  return popover;
}

/** Colors around a color field. @typedef {Pick<import("./settings-form.js").FormContext, "palette" | "background" | "createId">} ColorContext */

/**
 * Creates the popover of a color button.
 * @param {object} options see `createColorButton`
 * @param {string} options.label
 * @param {() => string | undefined} options.read
 * @param {(color: string | undefined, isTyping: boolean) => void} options.write
 * @param {string} options.emptyText
 * @param {ColorContext} options.form
 */
function createColorPopover({ label, read, write, emptyText, form }) {
  const popover = h("div", { class: "color-popover", popover: "auto", role: "dialog", "aria-label": label });
  const swatch = (/** @type {string} */ color, /** @type {string} */ name) => {
    const element = h("button", { type: "button", class: "color-swatch", title: color, "aria-label": `${name}, ${color}`, "aria-pressed": () => read() === color, onclick: () => write(color, false) });
    element.style.background = color;
    return element;
  };
  const group = (/** @type {string} */ title, /** @type {string[]} */ colors, /** @type {(number: number) => string} */ describe) =>
    colors.length > 0 && h("div", { class: "color-group", role: "group", "aria-label": title }, h("p", { class: "color-title", "aria-hidden": true }, title), h("div", { class: "color-swatches" }, colors.map((color, index) => swatch(color, describe(index + 1)))));
  const picker = h("input", { type: "color", "aria-label": getText("colors.pick"), oninput: () => write(picker.value, true) });
  const error = h("p", { class: "setting-error", id: `${form.createId()}-error`, role: "status" });
  const store = () => {
    const color = input.value.trim();
    // Three and six digits are colors without their sign too.
    const full = /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color) ? `#${color}` : color;
    const isValid = isColor(full) && full.length <= 64;
    error.textContent = isValid || color === "" ? "" : getText("colors.invalid");
    input.setAttribute("aria-invalid", String(error.textContent !== ""));
    if (isValid && full !== read()) write(full, true);
  };
  const input = h("input", { type: "text", "aria-label": getText("colors.asText"), placeholder: "#2f6bde", maxlength: 64, autocomplete: "off", spellcheck: "false", "aria-describedby": error.id, oninput: store });
  effect(() => {
    const color = read() ?? "";
    picker.value = toHex(color) ?? "#ffffff";
    const isOwn = document.activeElement === input && (input.value.trim() === color || `#${input.value.trim()}` === color);
    if (!isOwn) input.value = color;
  });
  popover.append(
    ...[
      group(getText("colors.theme"), form.palette.peek(), (number) => getText("colors.themeColor", { number })),
      group(getText("colors.recent"), readRecent(), (number) => getText("colors.recentColor", { number })),
    ].filter((element) => element !== false),
    h("div", { class: "color-entry" }, picker, input, createEyedropper((color) => write(color, false))),
    error,
    createContrastText(read, form),
  );
  if (emptyText) popover.append(h("button", { type: "button", class: "button quiet small", onclick: () => write(undefined, false) }, createIcon("reset"), emptyText));
  return popover;
}

/** Creates a button that takes a color from the screen; false in browsers without this function. @param {(color: string) => void} use */
function createEyedropper(use) {
  const EyeDropper = /** @type {any} */ (window).EyeDropper;
  if (!EyeDropper) return false;
  const pick = async () => {
    try {
      use((await new EyeDropper().open()).sRGBHex);
    } catch (error) {
      // Escape ends the choice without a color.
      if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
    }
  };
  return h("button", { type: "button", class: "button quiet small icon-only", "aria-label": getText("colors.takeFromScreen"), title: getText("colors.takeFromScreen"), onclick: pick }, createIcon("dropper"));
}

/** Creates the text with the contrast to the background. @param {() => string | undefined} read @param {ColorContext} form */
function createContrastText(read, form) {
  const text = h("p", { class: "color-contrast", role: "status" });
  effect(() => {
    const contrast = measureContrast(read() ?? "", form.background.value);
    const isLow = contrast !== null && contrast < MIN_CONTRAST;
    text.classList.toggle("low", isLow);
    // Rounded down, so that a contrast below the limit never looks sufficient.
    const ratio = contrast === null ? "" : getText("colors.contrastOnBackground", { contrast: RATIO_FORMAT.format(Math.floor(contrast * 10) / 10) });
    text.replaceChildren(...(isLow ? [createIcon("warn")] : []), isLow ? `${ratio} ${getText("colors.lowContrast", { contrast: MIN_CONTRAST })}` : ratio);
  });
  return text;
}

/** Creates the control of a color. @param {import("./settings-controls.js").ControlContext} context @returns {import("./settings-controls.js").Control} */
export function createColor({ id, label, schema, hint, value, write, form }) {
  const button = createColorButton({ id, label, form, read: () => toText(value.value ?? schema.default), write, emptyText: hint.placeholder ?? getText("colors.fromTheme") });
  return { element: h("div", { class: "color-field" }, button), target: button, type: "color" };
}
