// @ts-check
/** Shows the chart on the full screen, and the other charts of its folder with the arrow keys. */

import { encodeFolderPath, get, post } from "./api.js";
import { buildDocumentUrl, chart, doc } from "./chart.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createIcon, showToast } from "./ui.js";

/** Time in milliseconds after which the pointer and the buttons hide. */
const IDLE_MS = 2000;
/** Maximum number of charts of the folder. */
const MAX_CHARTS = 200;

/** @typedef {{ title: string, load: (size: { width: number, height: number }) => Promise<string> }} Slide */

/** Loads an image as SVG text, with the fonts of the page, which an image element does not use. @param {string} endpoint @param {{ width: number, height: number }} size */
const loadSvg = async (endpoint, size) => (await get(`${endpoint}.svg`, { query: { ...size, text: "embedded" } })).data;

/** Loads the image of the saved chart of the page as SVG text. @param {{ width: number, height: number }} size */
const loadSvgOfPage = async (size) => (await get(buildDocumentUrl(".svg", { ...size, text: "embedded" }))).data;

/** Returns the charts of the folder, the present one first if the folder cannot be read. @param {Slide} current @returns {Promise<{ slides: Slide[], index: number }>} */
async function listSlides(current) {
  const folder = doc.peek()?.folder;
  if (folder === undefined || chart.shareToken) return { slides: [current], index: 0 };
  const path = encodeFolderPath(chart.owner, folder).replace("/folders", "/list");
  const { data } = await get(path, { query: { limit: MAX_CHARTS } });
  const documents = data.results.filter((/** @type {any} */ entry) => entry.type === "document").map((/** @type {any} */ entry) => entry.document);
  const slides = documents.map((/** @type {any} */ { id, title, urls }) => (id === chart.id ? current : { title, load: (/** @type {any} */ size) => loadSvg(new URL(urls.endpoint).pathname, size) }));
  const index = documents.findIndex((/** @type {any} */ { id }) => id === chart.id);
  return index < 0 ? { slides: [current], index: 0 } : { slides, index };
}

/**
 * Opens the presentation.
 * @param {() => Record<string, any> | null} readContent content of the edited document; null to show the saved one
 */
export async function openPresentation(readContent) {
  const content = readContent();
  const { isPublic: _, ...body } = content ?? {};
  const load = async (/** @type {{ width: number, height: number }} */ size) => (content ? (await post("/render", body, { query: { ...size, text: "embedded" } })).data : loadSvgOfPage(size));
  /** @type {Slide[]} */
  let slides = [{ title: doc.peek()?.title ?? "", load }];
  let index = 0;
  let isBlack = false;
  const image = h("img", { alt: "" });
  const status = h("p", { class: "hidden", role: "status" });
  const createStep = (/** @type {string} */ label, /** @type {string} */ icon, /** @type {() => void} */ run) => h("button", { type: "button", class: "button", "aria-label": label, title: label, onclick: run }, createIcon(icon));
  const buttons = h(
    "div",
    { class: "present-tools" },
    createStep(getText("presence.previousChart"), "left", () => move(-1)),
    createStep(getText("presence.nextChart"), "right", () => move(1)),
    createStep(getText("presence.leave"), "close", () => dialog.close()),
  );
  // Browsers refuse to show a dialog itself on the full screen.
  const stage = h("div", { class: "present-stage" }, image, status, buttons);
  const dialog = h("dialog", { class: "present", "aria-label": getText("presence.presentation") }, stage);

  const showPosition = () => (status.textContent = getText("presence.position", { title: slides[index].title, number: index + 1, count: slides.length }));
  const show = async () => {
    const slide = slides[index];
    const size = { width: Math.min(1920, window.innerWidth), height: Math.min(1920, window.innerHeight) };
    try {
      const svg = await slide.load(size);
      if (slide !== slides[index]) return;
      const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      image.addEventListener("load", () => URL.revokeObjectURL(url), { once: true });
      image.src = url;
      image.alt = slide.title;
      showPosition();
    } catch (error) {
      console.warn(error);
      showToast(getText("presence.notShown"), { isError: true });
    }
  };
  const move = (/** @type {number} */ step) => {
    const next = index + step;
    if (next < 0 || next >= slides.length) return;
    index = next;
    show();
  };
  let timer = 0;
  const wake = () => {
    dialog.classList.remove("idle");
    clearTimeout(timer);
    timer = window.setTimeout(() => dialog.classList.add("idle"), IDLE_MS);
  };
  dialog.addEventListener("pointermove", wake);
  dialog.addEventListener("keydown", (event) => {
    wake();
    const isOnButton = event.target instanceof HTMLButtonElement;
    if (event.key === "ArrowRight" || event.key === "PageDown" || (event.key === " " && !isOnButton)) move(1);
    else if (event.key === "ArrowLeft" || event.key === "PageUp") move(-1);
    else if (event.key === "b" || event.key === "B") dialog.classList.toggle("black", (isBlack = !isBlack));
    else if (event.key === "f" || event.key === "F") toggleFullScreen();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // Without the permission for the full screen, the presentation fills the window.
  const toggleFullScreen = () => (document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen?.().catch(() => {}));
  const handleResize = () => show();
  dialog.addEventListener("close", () => {
    window.removeEventListener("resize", handleResize);
    clearTimeout(timer);
    if (document.fullscreenElement) document.exitFullscreen();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  window.addEventListener("resize", handleResize);
  wake();
  await toggleFullScreen();
  await show();
  try {
    ({ slides, index } = await listSlides(slides[0]));
    showPosition();
  } catch (error) {
    // Without the folder, only this chart is shown.
    console.warn(error);
  }
}
