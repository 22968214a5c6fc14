// @ts-check
/** Handles for the margins at the inner edges of the page, while the Style panel is open or after a press on the edge. */

import { createDragKey, followPointer, limitToFrames } from "./canvas-drag.js";
import { getDocumentSize } from "./canvas-geometry.js";
import { getImageRoot } from "./chart-image.js";
import { computed, effect, h, signal } from "./core.js";
import { placedType } from "./editor-canvas.js";
import { getEditor } from "./editor-state.js";
import { getText } from "./texts.js";
import { findElement } from "./ui.js";

/** Step in points to which a drag snaps, and distance in points to the default at which it becomes automatic. */
const [SNAP_STEP, AUTOMATIC_DISTANCE] = [4, 2];
/** Largest margin in points that a document may have. */
const MAX_MARGIN = 500;
/** Default margin in points on a canvas of the default size, as in the renderer. */
const DEFAULT_MARGIN = 24;
/** Smallest drawn margin in points, and largest one as a share of the side, as in the renderer. */
const [MIN_DRAWN, MAX_SHARE] = [4, 0.25];
/** Width in pixels of the edge of the page that can be pressed. */
const EDGE_PIXELS = 10;
const SIDES = /** @type {const} */ (["top", "left", "right", "bottom"]);

/** @typedef {typeof SIDES[number]} Side */

/** Names of the margins and of the undo steps that change them. @type {Record<Side, { name: string, step: string }>} */
const MARGIN_TEXTS = {
  top: { name: getText("canvas.marginTop"), step: getText("canvas.changeMarginTop") },
  left: { name: getText("canvas.marginLeft"), step: getText("canvas.changeMarginLeft") },
  right: { name: getText("canvas.marginRight"), step: getText("canvas.changeMarginRight") },
  bottom: { name: getText("canvas.marginBottom"), step: getText("canvas.changeMarginBottom") },
};

/** Whether a side is moved up and down. @param {Side} side */
const isVertical = (side) => side === "top" || side === "bottom";

/** Returns the size of the document and the scale of its margins, as the renderer computes them. @param {any} style */
function measurePage(style) {
  const { width, height } = getDocumentSize(style);
  const share = Math.min(width / 720, height / 405);
  const scale = Math.max(0.4, Math.min(1, share));
  const unit = Math.max(0.7, Math.min(1.8, Math.sqrt(share)));
  // Margins of a document are stated for the default size. Smaller canvases scale them.
  return { width, height, scale, automatic: DEFAULT_MARGIN * (share < 1 ? scale : unit) };
}

/** Returns the margin of a side as the renderer draws it, in points. @param {any} style @param {Side} side */
function measureMargin(style, side) {
  const page = measurePage(style);
  const own = style?.margin?.[side];
  const length = isVertical(side) ? page.height : page.width;
  return Math.max(MIN_DRAWN, Math.min(length * MAX_SHARE, typeof own === "number" ? own * page.scale : page.automatic));
}

/** Starts the handles. The editor must be set. */
export function startMargins() {
  const canvas = findElement("#canvas");
  const isEdgePressed = signal(false);
  const isPanelOpen = signal(false);
  const updatePanel = () => (isPanelOpen.value = document.querySelector("#tool-style")?.getAttribute("aria-expanded") === "true");
  new MutationObserver(updatePanel).observe(findElement("#body"), { subtree: true, attributeFilter: ["aria-expanded"] });
  updatePanel();
  const isShown = computed(() => (isPanelOpen.value || isEdgePressed.value) && placedType.value === null);
  const group = h("div", { class: "margin-handles", role: "group", "aria-label": getText("canvas.margins"), hidden: () => !isShown.value }, SIDES.map(createMarginHandle));
  canvas.append(group);
  canvas.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (group.contains(target)) return;
    const isMark = target.closest?.("[data-part]") !== null;
    const box = canvas.getBoundingClientRect();
    const distance = Math.min(event.clientX - box.left, box.right - event.clientX, event.clientY - box.top, box.bottom - event.clientY);
    isEdgePressed.value = !isMark && distance <= EDGE_PIXELS && (target === canvas || getImageRoot().contains(target));
  });
  group.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isEdgePressed.peek()) isEdgePressed.value = false;
  });
}

/** Creates the handle of a side. @param {Side} side */
function createMarginHandle(side) {
  const { store } = getEditor();
  const canvas = findElement("#canvas");
  const readStyle = () => store.content.value.style;
  const readOwn = () => readStyle()?.margin?.[side];
  const getMaximum = () => {
    const page = measurePage(store.content.value.style);
    return Math.min(MAX_MARGIN, Math.floor(((isVertical(side) ? page.height : page.width) * MAX_SHARE) / page.scale));
  };
  const { name, step: stepName } = MARGIN_TEXTS[side];
  const describe = () => (typeof readOwn() === "number" ? getText("canvas.marginValue", { count: readOwn() }) : getText("canvas.marginAutomatic", { count: Math.round(measureMargin(readStyle(), side)) }));
  const describeShortly = (/** @type {number | undefined} */ points) => (typeof points === "number" ? getText("canvas.marginTip", { points }) : getText("common.automatic"));
  /** Text of the tip during a drag; empty otherwise. */
  const draggedTip = signal("");
  const tip = h("span", { class: "margin-tip", "aria-hidden": true }, () => draggedTip.value || describeShortly(readOwn()));
  const line = h("span", { class: "margin-line", "aria-hidden": true });
  const grip = h("span", {
    class: "margin-grip",
    role: "slider",
    tabindex: 0,
    "aria-label": name,
    "aria-orientation": isVertical(side) ? "vertical" : "horizontal",
    "aria-valuemin": 0,
    "aria-valuemax": () => getMaximum(),
    "aria-valuenow": () => readOwn() ?? Math.round(measureMargin(readStyle(), side)),
    "aria-valuetext": describe,
    title: getText("canvas.marginHint", { margin: name }),
  }, tip);
  const element = h("div", { class: `margin-handle ${side}` }, line, grip);
  const setMargin = (/** @type {number | undefined} */ points, /** @type {import("./document-store.js").ChangeOptions} */ options) =>
    store.setValue(["style", "margin", side], points === undefined ? undefined : Math.max(0, Math.min(getMaximum(), points)), options);
  const place = (/** @type {number} */ margin) => {
    const { width, height } = measurePage(store.content.peek().style);
    element.style[side] = `${(margin / (isVertical(side) ? height : width)) * 100}%`;
  };
  effect(() => place(measureMargin(readStyle(), side)));

  /** Returns the margin for a distance to the edge in drawn points: automatic near the default, otherwise in steps. @param {number} distance */
  const snap = (distance) => {
    const page = measurePage(store.content.peek().style);
    if (Math.abs(distance - page.automatic) <= AUTOMATIC_DISTANCE) return undefined;
    return Math.round(distance / page.scale / SNAP_STEP) * SNAP_STEP;
  };
  grip.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    grip.focus();
    const mergeKey = createDragKey();
    const write = limitToFrames((/** @type {number | undefined} */ points) => setMargin(points, { label: stepName, mergeKey, mergeTime: Infinity }));
    element.classList.add("dragged");
    const began = store.content.peek().style?.margin?.[side];
    followPointer(event, grip, {
      onMove: (moved) => {
        const { width, height, scale, automatic } = measurePage(store.content.peek().style);
        const box = canvas.getBoundingClientRect();
        const x = ((moved.clientX - box.left) / box.width) * width;
        const y = ((moved.clientY - box.top) / box.height) * height;
        const points = snap({ top: y, right: width - x, bottom: height - y, left: x }[side]);
        // The line is at its place before the image follows.
        place(points === undefined ? automatic : Math.max(MIN_DRAWN, Math.min(getMaximum(), points) * scale));
        draggedTip.value = describeShortly(points === undefined ? undefined : Math.max(0, Math.min(getMaximum(), points)));
        write.call(points);
      },
      onEnd: () => {
        write.flush();
        draggedTip.value = "";
        element.classList.remove("dragged");
        if (store.content.peek().style?.margin?.[side] === began) store.discardStep(mergeKey);
      },
      onCancel: () => {
        write.cancel();
        store.discardStep(mergeKey);
        element.classList.remove("dragged");
        place(measureMargin(store.content.peek().style, side));
        draggedTip.value = "";
      },
    });
  });
  grip.addEventListener("dblclick", () => setMargin(undefined, { label: stepName }));
  grip.addEventListener("keydown", (event) => {
    // The handle moves where the arrow points.
    const inwards = { top: "ArrowDown", right: "ArrowLeft", bottom: "ArrowUp", left: "ArrowRight" }[side];
    const outwards = { top: "ArrowUp", right: "ArrowRight", bottom: "ArrowDown", left: "ArrowLeft" }[side];
    const step = (event.key === inwards ? 1 : event.key === outwards ? -1 : 0) * (event.shiftKey ? 10 : 1);
    const { scale } = measurePage(store.content.peek().style);
    const current = readOwn() ?? Math.round(measureMargin(store.content.peek().style, side) / scale);
    const options = { label: stepName, mergeKey: `margin-${side}` };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) setMargin(current + step, options);
    else if (event.key === "Home") setMargin(0, options);
    else if (event.key === "End") setMargin(getMaximum(), options);
    else if (event.key === "Delete" || event.key === "Backspace") setMargin(undefined, options);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return element;
}
