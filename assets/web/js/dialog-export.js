// @ts-check
/** The dialog for exports: the chart as an image or page file, as a link, or on the clipboard. */

import { post } from "./api.js";
import { address, at, by, doc } from "./chart.js";
import { h, scope, signal } from "./core.js";
import { size } from "./picture.js";
import { button, busy, dialog, errorText, field, toast } from "./ui.js";

/** Limits of the server: pixels per point, and pixels per side. */
const SCALES = { least: 0.5, most: 4 };
const MOST_PIXELS = 8192;

/** @typedef {{ format: "png" | "svg" | "html", scale: number, width: number | null, transparent: boolean }} ExportOptions */

/** @type {ExportOptions} */
const FIRST = { format: "png", scale: 2, width: null, transparent: false };

/** Returns the options of the last export in this browser. @returns {ExportOptions} */
function last() {
  try {
    return { ...FIRST, ...JSON.parse(localStorage.getItem("export") ?? "{}") };
  } catch {
    return FIRST;
  }
}

/** @param {ExportOptions} options */
function name(options) {
  if (options.format === "html") return "page";
  if (options.format === "svg") return "SVG";
  return options.width ? `PNG ${options.width} px` : `PNG ×${options.scale}`;
}

/** Returns the scale in pixels per point. @param {ExportOptions} options */
function scaleOf(options) {
  const scale = options.width ? options.width / size.peek().width : options.scale;
  return Math.min(Math.max(scale, SCALES.least), SCALES.most);
}

/** @param {ExportOptions} options */
function query(options) {
  const transparent = options.transparent && options.format !== "html" ? 1 : null;
  return options.format === "png" ? { scale: Number(scaleOf(options).toFixed(4)), transparent } : { transparent };
}

/** @param {ExportOptions} options */
function pixels(options) {
  const { width, height } = size.peek();
  const scale = scaleOf(options);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** @param {ExportOptions} options */
function describeSize(options) {
  const { width, height } = size.peek();
  if (options.format === "svg") return `${width} × ${height} pt, sharp at any size.`;
  if (options.format === "html") return "One file with the picture and its data; it loads nothing from elsewhere.";
  const is = pixels(options);
  if (Math.max(is.width, is.height) > MOST_PIXELS) return `${is.width} × ${is.height} px is more than the ${MOST_PIXELS} px a side that can be drawn.`;
  const bound = options.width && Math.abs(is.width - options.width) > 1 ? ` At most ${SCALES.most} and at least ${SCALES.least} pixels a point are drawn.` : "";
  return `${is.width} × ${is.height} px.${bound}`;
}

/** @param {ExportOptions} options */
function download(options) {
  const link = h("a", { href: address(`.${options.format}`, { ...query(options), download: 1 }), download: "" });
  document.body.append(link);
  link.click();
  link.remove();
  localStorage.setItem("export", JSON.stringify(options));
  localStorage.setItem("export-label", name(options));
  window.dispatchEvent(new Event("exported"));
}

/** Exports the chart with the options of the last export. */
export function again() {
  const options = last();
  download(options);
  toast(`“${doc.peek()?.title || "Untitled"}” is on its way as ${name(options)}.`, { seconds: 4 });
}

/** Copies an address that opens the image without credentials for one hour. @param {ExportOptions} options */
async function copyLink(options) {
  const body = { type: options.format, transparent: options.transparent };
  const { data } = await post(at("/token"), body, { query: by(), creates: true });
  const link = new URL(data.urls[options.format]);
  if (options.format === "png") link.searchParams.set("scale", String(query(options).scale));
  await navigator.clipboard.writeText(link.href);
  toast("The link is copied. It opens the picture for an hour, for anybody who has it.");
}

/** @param {ExportOptions} options */
async function copyImage(options) {
  const read = fetch(address(".png", query({ ...options, format: "png" }))).then((answer) => {
    if (!answer.ok) throw new Error(`the picture could not be drawn (${answer.status})`);
    return answer.blob();
  });
  // Pass a promise, because the clipboard permission of the click would expire during the request.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": read })]);
  toast("The picture is copied.", { seconds: 4 });
}

/** @param {() => Promise<void>} work @param {string} what */
async function withErrorToast(work, what) {
  try {
    await work();
  } catch (error) {
    const text = error instanceof DOMException ? `This browser does not let a page copy ${what} here.` : errorText(error);
    toast(text, { bad: true });
  }
}

/** Opens the dialog. */
export function open() {
  const options = signal(last());
  const [body, end] = scope(() => form(options));
  const box = dialog({ title: "Export", className: "export", body, actions: [{ label: "Download", run: () => download(options.peek()) }] });
  box.closed.then(end);
}

/**
 * Builds the form of the dialog.
 * @param {import("./core.js").Signal<ExportOptions>} options
 * @returns {HTMLElement[]}
 */
function form(options) {
  const set = (/** @type {Partial<ExportOptions>} */ part) => (options.value = { ...options.peek(), ...part });
  const choice = (/** @type {string} */ group, /** @type {string} */ label, /** @type {string} */ value, /** @type {boolean} */ checked, /** @type {() => void} */ choose) =>
    h("label", null, h("input", { type: "radio", name: group, value, checked, onchange: choose }), h("span", null, label));
  const start = options.peek();
  const formats = h(
    "fieldset",
    { class: "choice" },
    h("legend", null, "Form"),
    h(
      "div",
      { class: "segments" },
      choice("format", "PNG", "png", start.format === "png", () => set({ format: "png" })),
      choice("format", "SVG", "svg", start.format === "svg", () => set({ format: "svg" })),
      choice("format", "Page", "html", start.format === "html", () => set({ format: "html" })),
    ),
  );
  const width = h("input", { type: "number", name: "width", min: 20, max: MOST_PIXELS, step: 1, value: start.width ?? "", placeholder: "Automatic", oninput: () => set({ width: width.valueAsNumber || null }) });
  const scaleChoice = (/** @type {number} */ it) =>
    choice("scale", `${it}×`, String(it), !start.width && start.scale === it, () => {
      width.value = "";
      set({ scale: it, width: null });
    });
  const scales = h(
    "fieldset",
    { class: "choice", hidden: () => options.value.format !== "png", disabled: () => options.value.format !== "png" },
    h("legend", null, "Pixels a point"),
    h("div", { class: "segments" }, [1, 2, 3, 4].map(scaleChoice)),
  );
  const widthField = h("div", { hidden: () => options.value.format !== "png" }, field("Or its width in pixels", width));
  const clear = h(
    "label",
    { class: "check", hidden: () => options.value.format === "html" },
    h("input", { type: "checkbox", checked: start.transparent, onchange: (/** @type {Event} */ event) => set({ transparent: /** @type {HTMLInputElement} */ (event.target).checked }) }),
    "Transparent: without its background",
  );
  const linkButton = button("Copy link", { icon: "link", onclick: () => busy(linkButton, () => withErrorToast(() => copyLink(options.peek()), "links")) });
  const imageButton = button("Copy image", { icon: "copy", onclick: () => busy(imageButton, () => withErrorToast(() => copyImage(options.peek()), "pictures")) });
  const print = button("Print", { icon: "print", onclick: () => window.print() });
  const summary = h("p", { class: "muted", role: "status" }, () => describeSize(options.value));
  return [formats, scales, widthField, clear, summary, h("div", { class: "row" }, imageButton, linkButton, print)];
}
