// @ts-check
/** The dialog for exports: the chart as an image or page file, as a link, or on the clipboard. */

import { post } from "./api.js";
import { buildDocumentUrl, doc, getDocumentPath, withShareToken } from "./chart.js";
import { imageSize } from "./chart-image.js";
import { createScope, h, signal } from "./core.js";
import { createButton, createField, describeError, openDialog, runBusy, showToast } from "./ui.js";

/** Limits of the server for the scale in pixels per point. */
const SCALE_LIMITS = { min: 0.5, max: 4 };
/** Limit of the server for the width and the height of a PNG. */
const MAX_SIDE_PIXELS = 8192;

/**
 * Options of an export. `scale` is in pixels per point. If `width` is set, in pixels, it replaces `scale`.
 * @typedef {{ format: "png" | "svg" | "html", scale: number, width: number | null, transparent: boolean }} ExportOptions
 */

/** @type {ExportOptions} */
const DEFAULT_OPTIONS = { format: "png", scale: 2, width: null, transparent: false };

/** Returns the options of the last export in this browser, or the default options. @returns {ExportOptions} */
function readLastOptions() {
  try {
    return { ...DEFAULT_OPTIONS, ...JSON.parse(localStorage.getItem("export") ?? "{}") };
  } catch {
    return DEFAULT_OPTIONS;
  }
}

/** Formats options for the export button, such as “PNG ×2”. @param {ExportOptions} options */
function formatExportLabel(options) {
  if (options.format === "html") return "page";
  if (options.format === "svg") return "SVG";
  return options.width ? `PNG ${options.width} px` : `PNG ×${options.scale}`;
}

/** Returns the scale in pixels per point, within the limits of the server. @param {ExportOptions} options */
function getScale(options) {
  const scale = options.width ? options.width / imageSize.peek().width : options.scale;
  return Math.min(Math.max(scale, SCALE_LIMITS.min), SCALE_LIMITS.max);
}

/** Builds the query of the rendering API for these options. @param {ExportOptions} options */
function buildQuery(options) {
  const transparent = options.transparent && options.format !== "html" ? 1 : null;
  return options.format === "png" ? { scale: Number(getScale(options).toFixed(4)), transparent } : { transparent };
}

/** Returns width and height of the PNG in pixels. @param {ExportOptions} options */
function getPixelSize(options) {
  const { width, height } = imageSize.peek();
  const scale = getScale(options);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** Describes the size of the file for the user, or the limit that it exceeds. @param {ExportOptions} options */
function describeSize(options) {
  const { width, height } = imageSize.peek();
  if (options.format === "svg") return `${width} × ${height} pt, sharp at any size.`;
  if (options.format === "html") return "One file with the image and its data. It loads nothing from other servers.";
  const pixels = getPixelSize(options);
  if (Math.max(pixels.width, pixels.height) > MAX_SIDE_PIXELS) return `${pixels.width} × ${pixels.height} px exceeds the limit of ${MAX_SIDE_PIXELS} px per side.`;
  const limitNote = options.width && Math.abs(pixels.width - options.width) > 1 ? ` The scale is limited to ${SCALE_LIMITS.min} to ${SCALE_LIMITS.max} pixels per point.` : "";
  return `${pixels.width} × ${pixels.height} px.${limitNote}`;
}

/** Downloads the chart, and stores the options for the next export. @param {ExportOptions} options */
function downloadChart(options) {
  const link = h("a", { href: buildDocumentUrl(`.${options.format}`, { ...buildQuery(options), download: 1 }), download: "" });
  document.body.append(link);
  link.click();
  link.remove();
  localStorage.setItem("export", JSON.stringify(options));
  localStorage.setItem("export-label", formatExportLabel(options));
  window.dispatchEvent(new Event("exported"));
}

/** Exports the chart with the options of the last export. */
export function repeatExport() {
  const options = readLastOptions();
  downloadChart(options);
  showToast(`Downloading “${doc.peek()?.title || "Untitled"}” as ${formatExportLabel(options)}.`, { seconds: 4 });
}

/** Copies an address that opens the image without credentials for one hour. @param {ExportOptions} options */
async function copyLink(options) {
  const body = { type: options.format, transparent: options.transparent };
  const { data } = await post(getDocumentPath("/token"), body, { query: withShareToken(), creates: true });
  const link = new URL(data.urls[options.format]);
  if (options.format === "png") link.searchParams.set("scale", String(buildQuery(options).scale));
  await navigator.clipboard.writeText(link.href);
  showToast("The link is copied. Anybody who has it can open the image for one hour.");
}

/** Copies the image as PNG. @param {ExportOptions} options */
async function copyImage(options) {
  const image = fetch(buildDocumentUrl(".png", buildQuery({ ...options, format: "png" }))).then((response) => {
    if (!response.ok) throw new Error(`the image could not be rendered (${response.status})`);
    return response.blob();
  });
  // Pass a promise, because the clipboard permission of the click would expire during the request.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
  showToast("The image is copied.", { seconds: 4 });
}

/** Runs a function that copies, and shows its error as a toast. @param {() => Promise<void>} callback @param {string} content */
async function runWithErrorToast(callback, content) {
  try {
    await callback();
  } catch (error) {
    const text = error instanceof DOMException ? `This browser does not allow copying ${content} here.` : describeError(error);
    showToast(text, { isError: true });
  }
}

/** Opens the dialog. */
export function open() {
  const options = signal(readLastOptions());
  const [body, disposeForm] = createScope(() => buildForm(options));
  const exportDialog = openDialog({ title: "Export", className: "export", body, actions: [{ label: "Download", run: () => downloadChart(options.peek()) }] });
  exportDialog.closed.then(disposeForm);
}

/**
 * Builds the form of the dialog.
 * @param {import("./core.js").Signal<ExportOptions>} options
 * @returns {HTMLElement[]}
 */
function buildForm(options) {
  const setOptions = (/** @type {Partial<ExportOptions>} */ changes) => (options.value = { ...options.peek(), ...changes });
  const createChoice = (/** @type {string} */ group, /** @type {string} */ label, /** @type {string} */ value, /** @type {boolean} */ checked, /** @type {() => void} */ select) =>
    h("label", null, h("input", { type: "radio", name: group, value, checked, onchange: select }), h("span", null, label));
  const initial = options.peek();
  const formats = h(
    "fieldset",
    { class: "choice" },
    h("legend", null, "Format"),
    h(
      "div",
      { class: "segments" },
      createChoice("format", "PNG", "png", initial.format === "png", () => setOptions({ format: "png" })),
      createChoice("format", "SVG", "svg", initial.format === "svg", () => setOptions({ format: "svg" })),
      createChoice("format", "Page", "html", initial.format === "html", () => setOptions({ format: "html" })),
    ),
  );
  const widthInput = h("input", { type: "number", name: "width", min: 20, max: MAX_SIDE_PIXELS, step: 1, value: initial.width ?? "", placeholder: "Automatic", oninput: () => setOptions({ width: widthInput.valueAsNumber || null }) });
  const createScaleChoice = (/** @type {number} */ scale) =>
    createChoice("scale", `${scale}×`, String(scale), !initial.width && initial.scale === scale, () => {
      widthInput.value = "";
      setOptions({ scale, width: null });
    });
  const scales = h(
    "fieldset",
    { class: "choice", hidden: () => options.value.format !== "png", disabled: () => options.value.format !== "png" },
    h("legend", null, "Pixels per point"),
    h("div", { class: "segments" }, [1, 2, 3, 4].map(createScaleChoice)),
  );
  const widthField = h("div", { hidden: () => options.value.format !== "png" }, createField("Or width in pixels", widthInput));
  const transparentField = h(
    "label",
    { class: "check", hidden: () => options.value.format === "html" },
    h("input", { type: "checkbox", checked: initial.transparent, onchange: (/** @type {Event} */ event) => setOptions({ transparent: /** @type {HTMLInputElement} */ (event.target).checked }) }),
    "Transparent background",
  );
  const linkButton = createButton("Copy link", { icon: "link", onclick: () => runBusy(linkButton, () => runWithErrorToast(() => copyLink(options.peek()), "links")) });
  const imageButton = createButton("Copy image", { icon: "copy", onclick: () => runBusy(imageButton, () => runWithErrorToast(() => copyImage(options.peek()), "images")) });
  const printButton = createButton("Print", { icon: "print", onclick: () => window.print() });
  const summary = h("p", { class: "muted", role: "status" }, () => describeSize(options.value));
  return [formats, scales, widthField, transparentField, summary, h("div", { class: "row" }, imageButton, linkButton, printButton)];
}
