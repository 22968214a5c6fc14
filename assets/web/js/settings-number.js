// @ts-check
/** The control for a number of a settings form: a field with steps and calculations, and a slider. */

import { effect, h } from "./core.js";
import { formatFieldNumber, parseNumber, roundToStep, toText } from "./settings-model.js";
import { getText } from "./texts.js";
import { createIcon } from "./ui.js";

/** Number of steps of an arrow key while Shift is pressed. */
const LARGE_STEP = 10;

/**
 * Creates the handler of keys of a field for a number: Up and Down change it by one step, with Shift by ten, and Enter
 * stores the text.
 * @param {(steps: number) => void} changeBy
 * @param {() => void} storeText
 */
export const createStepKeyHandler = (changeBy, storeText) => (/** @type {KeyboardEvent} */ event) => {
  const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (direction) changeBy(direction * (event.shiftKey ? LARGE_STEP : 1));
  else if (event.key === "Enter") storeText();
  else return;
  event.preventDefault();
};

/**
 * Creates the control of a number. An empty field removes the setting. Up and Down change the number by one step,
 * with Shift by ten. A text that starts with `=` is calculated on Enter or on leaving the field.
 * @param {import("./settings-controls.js").ControlContext} context
 * @returns {import("./settings-controls.js").Control}
 */
export function createNumber(context) {
  const { id, label, schema, hint, value, write, setError } = context;
  const isWhole = schema.type === "integer";
  const step = hint.step ?? (isWhole ? 1 : undefined);
  const [minimum, maximum] = [schema.minimum ?? -Infinity, schema.maximum ?? Infinity];
  // A default with a placeholder means that the chart chooses, so that the field is empty.
  const isAutomatic = (/** @type {any} */ current) => current === undefined || current === null || (hint.placeholder !== undefined && current === schema.default);
  const readNumber = () => Number(value.peek() ?? schema.default ?? 0) || 0;
  const toFieldText = (/** @type {any} */ current) => (typeof current === "number" ? formatFieldNumber(current) : toText(current));
  const describe = (/** @type {any} */ current) => (isAutomatic(current) ? "" : toFieldText(current));
  const findProblem = (/** @type {number | null} */ number) => {
    if (number === null) return getText("settings-form.enterNumber");
    if (isWhole && !Number.isInteger(number)) return getText("settings-form.enterWholeNumber");
    if (number < minimum) return getText("settings-form.numberTooSmall", { limit: formatFieldNumber(minimum) });
    return number > maximum ? getText("settings-form.numberTooLarge", { limit: formatFieldNumber(maximum) }) : null;
  };
  const store = (/** @type {number | undefined} */ number) => {
    setError(null);
    write(number, true);
  };
  const storeText = (/** @type {boolean} */ isFinal) => {
    const text = input.value.trim();
    if (text === "") return value.peek() === undefined || describe(shownValue()) === "" ? setError(null) : store(undefined);
    if (text.startsWith("=") && !isFinal) return undefined;
    const number = parseNumber(text);
    const problem = findProblem(number);
    // An incomplete number, such as a minus sign, is no problem while it is typed.
    if (problem) return isFinal ? setError(problem) : undefined;
    if (number !== shownValue()) store(/** @type {number} */ (number));
    if (isFinal) input.value = formatFieldNumber(/** @type {number} */ (number));
    return setError(null);
  };
  const shownValue = () => value.peek() ?? schema.default;
  const changeBy = (/** @type {number} */ steps) => {
    const size = step ?? chooseStep(readNumber());
    const start = parseNumber(input.value) ?? readNumber();
    const next = Math.min(maximum, Math.max(minimum, roundToStep(start + steps * size, size)));
    input.value = formatFieldNumber(next);
    store(next);
  };
  const input = h("input", {
    id,
    type: "text",
    inputmode: isWhole ? "numeric" : "decimal",
    role: "spinbutton",
    autocomplete: "off",
    placeholder: hint.placeholder ?? (schema.default === undefined ? getText("settings-form.automatic") : ""),
    "aria-valuemin": schema.minimum,
    "aria-valuemax": schema.maximum,
    oninput: () => storeText(false),
    onchange: () => storeText(true),
    onkeydown: createStepKeyHandler(changeBy, () => storeText(true)),
  });
  effect(() => {
    const current = value.value ?? schema.default;
    const isOwn = document.activeElement === input && input.value.trim() !== "" && parseNumber(input.value) === current;
    if (!isOwn) input.value = describe(current);
    setError(null);
    if (isAutomatic(current)) input.removeAttribute("aria-valuenow");
    else input.setAttribute("aria-valuenow", String(Number(current) || 0));
    input.setAttribute("aria-valuetext", isAutomatic(current) ? input.placeholder || getText("settings-form.empty") : `${toFieldText(current)}${hint.unit ? ` ${hint.unit}` : ""}`);
  });
  const stepper = (/** @type {string} */ name, /** @type {string} */ icon, /** @type {number} */ steps) =>
    h("button", { type: "button", class: "stepper", tabindex: -1, "aria-label": name, onclick: () => changeBy(steps) }, createIcon(icon));
  const unit = hint.unit && h("span", { class: "unit", "aria-hidden": true }, hint.unit);
  const isSlider = hint.control === "slider";
  const field = h("div", { class: "number-field" }, input, unit, !isSlider && [stepper(getText("settings-form.decrease", { setting: label }), "minus", -1), stepper(getText("settings-form.increase", { setting: label }), "plus", 1)]);
  if (!isSlider) return { element: field, target: input, type: "number" };
  return { element: h("div", { class: "slider-field" }, createSlider(context, store), field), target: input, type: "slider" };
}

/**
 * Creates the slider of a number field.
 * @param {import("./settings-controls.js").ControlContext} context
 * @param {(number: number) => void} store
 */
function createSlider({ label, schema, hint, value }, store) {
  const [minimum, maximum] = [hint.minimum ?? schema.minimum, hint.maximum ?? schema.maximum];
  const slider = h("input", { type: "range", min: minimum, max: maximum, step: hint.step ?? 1, "aria-label": getText("settings-form.slider", { setting: label }), oninput: () => store(Number(slider.value)) });
  effect(() => {
    slider.value = String(value.value ?? schema.default ?? minimum);
  });
  return slider;
}

/** Returns a step for a number without one: about a hundredth of it, as 1, 10, 0.1 and so on. @param {number} value */
function chooseStep(value) {
  return value === 0 ? 1 : 10 ** Math.min(6, Math.max(-6, Math.floor(Math.log10(Math.abs(value))) - 1));
}
