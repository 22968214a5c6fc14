// @ts-check
/** Zoom of the picture in the editor: buttons, Ctrl with the wheel, and keys. The picture is moved by scrolling or by dragging with Space. */

import { imageSize } from "./chart-image.js";
import { effect, h, signal } from "./core.js";
import { getText } from "./texts.js";
import { createIcon, findElement } from "./ui.js";

/** Smallest and largest zoom, as a factor of the size that fits. */
const [MIN_ZOOM, MAX_ZOOM] = [0.25, 8];
/** Factor of one step. */
const STEP = 1.25;

/** Adds the zoom to the canvas. */
export function startZoom() {
  const stage = findElement(".stage");
  const canvas = findElement("#canvas");
  const zoom = signal(1);
  /** Pixels of the window for a point of the chart. */
  const scale = signal(1);
  const readScale = () => canvas.getBoundingClientRect().width / imageSize.peek().width;
  const setZoom = (/** @type {number} */ next) => {
    const previous = zoom.peek();
    zoom.value = Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, next));
    const factor = zoom.peek() / previous;
    const [centerX, centerY] = [stage.scrollLeft + stage.clientWidth / 2, stage.scrollTop + stage.clientHeight / 2];
    canvas.style.setProperty("--zoom", String(zoom.peek()));
    stage.classList.toggle("zoomed", zoom.peek() !== 1);
    scale.value = readScale();
    stage.scrollTo(centerX * factor - stage.clientWidth / 2, centerY * factor - stage.clientHeight / 2);
  };
  const showActualSize = () => setZoom(zoom.peek() / readScale());
  // A new size of the window, of a panel or of the chart changes the size that fits.
  new ResizeObserver(() => (scale.value = readScale())).observe(canvas);
  const createStep = (/** @type {string} */ label, /** @type {string} */ icon, /** @type {() => void} */ run) =>
    h("button", { type: "button", class: "button quiet icon-only", "aria-label": label, title: label, onclick: run }, createIcon(icon));
  const tools = h(
    "div",
    { class: "zoom-tools", role: "group", "aria-label": getText("editor.zoom") },
    createStep(getText("editor.zoomOut"), "minus", () => setZoom(zoom.peek() / STEP)),
    h("button", { type: "button", class: "button quiet zoom-size", title: getText("editor.zoomActual"), onclick: showActualSize }, () => `${Math.round(scale.value * 100)} %`),
    createStep(getText("editor.zoomIn"), "plus", () => setZoom(zoom.peek() * STEP)),
    h("button", { type: "button", class: "button quiet", title: getText("editor.zoomFit"), onclick: () => setZoom(1) }, getText("editor.zoomFitShort")),
  );
  effect(() => {
    if (imageSize.value.width) scale.value = readScale();
  });
  stage.after(tools);
  stage.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      setZoom(zoom.peek() * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    },
    { passive: false },
  );
  stage.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLTextAreaElement) return;
    if ((event.ctrlKey || event.metaKey) && (event.key === "=" || event.key === "+")) setZoom(zoom.peek() * STEP);
    else if ((event.ctrlKey || event.metaKey) && event.key === "-") setZoom(zoom.peek() / STEP);
    else if (event.shiftKey && event.code === "Digit1") setZoom(1);
    else if (event.shiftKey && event.code === "Digit0") showActualSize();
    else return;
    event.preventDefault();
  });
  addPanning(stage);
}

/** Moves the picture while Space is held and the pointer is dragged. @param {HTMLElement} stage */
function addPanning(stage) {
  let isSpaceHeld = false;
  const isTyping = (/** @type {EventTarget | null} */ target) => target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select, button"));
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || isTyping(event.target) || document.querySelector("dialog[open]") || !stage.classList.contains("zoomed") || !stage.matches(":hover")) return;
    isSpaceHeld = true;
    stage.classList.add("panning");
    event.preventDefault();
  });
  document.addEventListener("keyup", (event) => {
    if (event.key !== " ") return;
    isSpaceHeld = false;
    stage.classList.remove("panning");
  });
  stage.addEventListener("pointerdown", (event) => {
    if (!isSpaceHeld) return;
    event.preventDefault();
    const [startX, startY, left, top] = [event.clientX, event.clientY, stage.scrollLeft, stage.scrollTop];
    const move = (/** @type {PointerEvent} */ moved) => stage.scrollTo(left + startX - moved.clientX, top + startY - moved.clientY);
    stage.setPointerCapture(event.pointerId);
    stage.addEventListener("pointermove", move);
    stage.addEventListener("lostpointercapture", () => stage.removeEventListener("pointermove", move), { once: true });
  });
}
