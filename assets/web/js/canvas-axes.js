// @ts-check
/** Handles at the ends of value axes: a drag or an arrow key sets the start or the end of an axis. */

import { createDragKey, followPointer, limitToFrames } from "./canvas-drag.js";
import { getImageRoot, imageSize, onImage } from "./chart-image.js";
import { createScope, effect, h, signal } from "./core.js";
import { placedType } from "./editor-canvas.js";
import { getEditor } from "./editor-state.js";
import { getText, PAGE_LANGUAGE } from "./texts.js";
import { findElement } from "./ui.js";

/** Minimum number of steps in an axis to which a drag snaps. */
const MIN_STEPS = 40;
/** Distance in pixels of a handle to its axis, on the side without labels. */
const LABEL_GAP = 13;
/** Distance in pixels of a handle to the end of its axis, where the labels of another axis begin. */
const END_INSET = 7;
/** The same if two axes start in the same corner, so that their targets have 24 pixels each. */
const CORNER_INSET = LABEL_GAP + 17;
/** Digits of round numbers. */
const ROUND_DIGITS = [1, 2, 5, 10];
const ENDS = /** @type {const} */ (["min", "max"]);

/** @typedef {typeof ENDS[number]} End */
/** @typedef {[number, number]} Pair */

/**
 * A value axis of the image: the key of its setting, the values at its ends, their coordinates along it, and its
 * coordinate across it in points. `required` are values that it includes in any case.
 * @typedef {{ setting: string, isVertical: boolean, isLog: boolean, domain: Pair, range: Pair, required: Pair | null, across: number }} Axis
 */

/** Names of the ends, and of the undo steps that move them. @type {Record<End, { names: Record<string, string>, step: string }>} */
const END_TEXTS = {
  min: { names: { axis: getText("canvas.axisStart"), xAxis: getText("canvas.xAxisStart") }, step: getText("canvas.changeAxisStart") },
  max: { names: { axis: getText("canvas.axisEnd"), xAxis: getText("canvas.xAxisEnd") }, step: getText("canvas.changeAxisEnd") },
};

/** Index of an end in the pairs of an axis. @param {End} end */
const indexOf = (end) => (end === "min" ? 0 : 1);

/** Reads an axis from its group in the image. @param {Element} group @returns {Axis} */
function readAxis(group) {
  const read = (/** @type {string} */ name) => group.getAttribute(`data-${name}`) ?? "";
  const readPair = (/** @type {string} */ name) => /** @type {Pair} */ (read(name).split(" ").map(Number));
  return {
    setting: read("setting"),
    isVertical: read("direction") === "vertical",
    isLog: read("scale") === "log",
    domain: readPair("domain"),
    range: readPair("range"),
    required: read("required") ? readPair("required") : null,
    across: Number(read("across")),
  };
}

/** Returns the value at a coordinate along an axis, also beyond its ends. @param {Axis} axis @param {number} position in points */
export function findValue({ isLog, domain: [start, end], range }, position) {
  const share = (position - range[0]) / (range[1] - range[0]);
  return isLog ? start * (end / start) ** share : start + share * (end - start);
}

/** Returns the round step of a linear axis. @param {Axis} axis */
function findStep({ domain }) {
  const least = (domain[1] - domain[0]) / MIN_STEPS;
  const power = 10 ** Math.floor(Math.log10(least));
  return (ROUND_DIGITS.find((digit) => digit * power >= least) ?? 10) * power;
}

/** Removes the error of binary fractions. @param {number} value */
const clean = (value) => Number(value.toPrecision(12)) + 0;

/** Returns the nearest round value of an axis. @param {Axis} axis @param {number} value */
export function snapToAxis(axis, value) {
  if (!axis.isLog) {
    const step = findStep(axis);
    return clean(Math.round(value / step) * step);
  }
  const power = 10 ** Math.floor(Math.log10(value));
  const distance = (/** @type {number} */ digit) => Math.abs(Math.log(value / (digit * power)));
  return clean([...ROUND_DIGITS].sort((one, two) => distance(one) - distance(two))[0] * power);
}

/** Returns the next round value in a direction, `count` steps away. @param {Axis} axis @param {number} value @param {number} count */
export function stepOnAxis(axis, value, count) {
  if (!axis.isLog) return clean(Math.round(value / findStep(axis) + count) * findStep(axis));
  let next = value;
  for (let done = 0; done < Math.abs(count); done += 1) {
    const power = 10 ** Math.floor(Math.log10(next * (1 + 1e-9)));
    const [up, down] = [ROUND_DIGITS.find((digit) => digit * power > next * (1 + 1e-9)) ?? 10, [0.5, ...ROUND_DIGITS].findLast((digit) => digit * power < next * (1 - 1e-9)) ?? 0.5];
    next = (count > 0 ? up : down) * power;
  }
  return clean(next);
}

/** Moves a value so that the axis keeps a length and its required values. @param {Axis} axis @param {End} end @param {number} value */
export function limitEnd(axis, end, value) {
  const { required, domain } = axis;
  if (end === "min") return Math.min(value, required ? required[0] : stepOnAxis(axis, domain[1], -1));
  return Math.max(value, required ? required[1] : stepOnAxis(axis, domain[0], 1));
}

/** Starts the handles. The editor must be set. */
export function startAxisHandles() {
  const canvas = findElement("#canvas");
  const group = h("div", { class: "axis-handles", role: "group", "aria-label": getText("canvas.axes"), hidden: () => placedType.value !== null });
  /** The handles by setting and end, with functions that dispose their effects. @type {Map<string, [ReturnType<typeof createHandle>, () => void]>} */
  const handles = new Map();
  const update = () => {
    const axes = [...getImageRoot().querySelectorAll('[data-part="axis"]')].map(readAxis);
    const keys = new Set();
    const properties = getEditor().kind.peek().settings_schema?.properties ?? {};
    for (const axis of axes.filter(({ setting }) => setting in END_TEXTS.min.names)) {
      for (const end of ENDS.filter((name) => properties[axis.setting]?.properties?.[name])) {
        const key = `${axis.setting}.${end}`;
        keys.add(key);
        const handle = handles.get(key) ?? createScope(() => createHandle(canvas, axis, end));
        if (!handles.has(key)) group.append(handle[0].element);
        handles.set(key, handle);
        handle[0].update(axis, end === "min" && axes.length > 1);
      }
    }
    for (const [key, [{ element }, dispose]] of handles) {
      if (keys.has(key)) continue;
      dispose();
      element.remove();
      handles.delete(key);
    }
  };
  canvas.append(group);
  onImage(update);
  effect(() => {
    // The schema of another kind has other ends.
    if (getEditor().kind.value) update();
  });
}

/** Creates the handle at an end of an axis. @param {HTMLElement} canvas @param {Axis} first @param {End} end */
function createHandle(canvas, first, end) {
  const { store } = getEditor();
  const axis = signal(first);
  let isInset = false;
  const { names, step } = END_TEXTS[end];
  const path = ["settings", first.setting, end];
  const readOwn = () => /** @type {unknown} */ (store.content.value.settings?.[first.setting]?.[end]);
  const format = (/** @type {number} */ value) => value.toLocaleString(PAGE_LANGUAGE, { maximumSignificantDigits: 12 });
  const describe = () => (typeof readOwn() === "number" ? format(/** @type {number} */ (readOwn())) : getText("canvas.axisAutomatic", { value: format(axis.value.domain[indexOf(end)]) }));
  /** Text of the tip during a drag; empty otherwise. */
  const draggedTip = signal("");
  const element = h("span", {
    class: "axis-handle",
    role: "slider",
    tabindex: 0,
    "aria-label": names[first.setting],
    "aria-orientation": () => (axis.value.isVertical ? "vertical" : "horizontal"),
    "aria-valuenow": () => axis.value.domain[indexOf(end)],
    "aria-valuetext": describe,
    title: getText("canvas.axisHint", { end: names[first.setting] }),
  }, h("span", { class: "axis-tip", "aria-hidden": true }, () => draggedTip.value || describe()));
  const place = (/** @type {number} */ position) => {
    const { isVertical, across, range } = axis.peek();
    const { width, height } = imageSize.peek();
    const [x, y] = isVertical ? [across, position] : [position, across];
    const inwards = Math.sign(range[1] - range[0]) * (end === "min" ? 1 : -1) * (isInset ? CORNER_INSET : END_INSET);
    // The labels are between the axis and the nearer edge of the picture.
    const fromLabels = across < (isVertical ? width : height) / 2 ? LABEL_GAP : -LABEL_GAP;
    const [right, down] = isVertical ? [fromLabels, inwards] : [inwards, fromLabels];
    Object.assign(element.style, { left: `${(x / width) * 100}%`, top: `${(y / height) * 100}%`, translate: `calc(${right}px - 50%) calc(${down}px - 50%)` });
    element.classList.toggle("vertical", isVertical);
  };
  const write = (/** @type {number | undefined} */ value, /** @type {import("./document-store.js").ChangeOptions} */ options) => store.setValue(path, value, options);

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    element.focus();
    const mergeKey = createDragKey();
    const writeLater = limitToFrames((/** @type {number | undefined} */ value) => write(value, { label: step, mergeKey, mergeTime: Infinity }));
    // The axis of the next images has other ends.
    const start = axis.peek();
    const began = readOwn();
    const { width, height } = imageSize.peek();
    const length = start.isVertical ? height : width;
    const isOutwardsDown = start.range[indexOf(end)] > start.range[1 - indexOf(end)];
    const read = (/** @type {{ clientX: number, clientY: number }} */ { clientX, clientY }) => {
      const box = canvas.getBoundingClientRect();
      return start.isVertical ? ((clientY - box.top) / box.height) * height : ((clientX - box.left) / box.width) * width;
    };
    const offset = read(event) - start.range[indexOf(end)];
    const stop = () => {
      element.classList.remove("dragged");
      draggedTip.value = "";
      place(axis.peek().range[indexOf(end)]);
    };
    element.classList.add("dragged");
    followPointer(event, element, {
      onMove: (moved) => {
        const pointed = read(moved);
        const position = pointed - offset;
        // Beyond the edge of the picture, the end is automatic.
        const isAutomatic = isOutwardsDown ? pointed > length : pointed < 0;
        const value = isAutomatic ? undefined : limitEnd(start, end, snapToAxis(start, findValue(start, position)));
        place(Math.max(0, Math.min(length, position)));
        draggedTip.value = value === undefined ? getText("common.automatic") : format(value);
        writeLater.call(value);
      },
      onEnd: () => {
        writeLater.flush();
        stop();
        if (store.content.peek().settings?.[first.setting]?.[end] === began) store.discardStep(mergeKey);
      },
      onCancel: () => {
        writeLater.cancel();
        store.discardStep(mergeKey);
        stop();
      },
    });
  });
  element.addEventListener("dblclick", () => write(undefined, { label: step }));
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [up, down] = axis.peek().isVertical ? ["ArrowUp", "ArrowDown"] : ["ArrowRight", "ArrowLeft"];
    // The handle moves where the arrow points.
    const isReversed = (axis.peek().range[1] > axis.peek().range[0]) === axis.peek().isVertical;
    const direction = (event.key === up ? 1 : event.key === down ? -1 : 0) * (isReversed ? -1 : 1);
    const options = { label: step, mergeKey: `axis-${path.join()}` };
    if (direction) {
      const own = readOwn();
      const current = typeof own === "number" ? own : axis.peek().domain[indexOf(end)];
      write(limitEnd(axis.peek(), end, stepOnAxis(axis.peek(), current, direction * (event.shiftKey ? 10 : 1))), options);
    } else if (event.key === "Delete" || event.key === "Backspace") write(undefined, options);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    element,
    /** Moves the handle to the axis of a new image. @param {Axis} next @param {boolean} isInCorner whether another axis starts in the same corner */
    update: (next, isInCorner) => {
      axis.value = next;
      isInset = isInCorner;
      if (!element.classList.contains("dragged")) place(next.range[indexOf(end)]);
    },
  };
}
