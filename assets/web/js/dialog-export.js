// @ts-check
/** The chart as a file: picture or page, how large, with or without ground; also by link and clipboard. */

import { post } from "./api.js";
import { address, at, by, doc } from "./chart.js";
import { h, scope, signal } from "./core.js";
import { size } from "./picture.js";
import { button, busy, dialog, errorText, field, toast } from "./ui.js";

/** Bounds of what the server draws: pixels a point, and pixels a side. */
const SCALES = { least: 0.5, most: 4 };
const MOST_PIXELS = 8192;

/** @typedef {{ format: "png" | "svg" | "html", scale: number, width: number | null, transparent: boolean }} Wish */

/** @type {Wish} */
const FIRST = { format: "png", scale: 2, width: null, transparent: false };

/** What was exported last, in this browser. @returns {Wish} */
function last() {
  try {
    return { ...FIRST, ...JSON.parse(localStorage.getItem("export") ?? "{}") };
  } catch {
    return FIRST;
  }
}

/** @param {Wish} wish */
function name(wish) {
  if (wish.format === "html") return "page";
  if (wish.format === "svg") return "SVG";
  return wish.width ? `PNG ${wish.width} px` : `PNG ×${wish.scale}`;
}

/** Pixels a point. @param {Wish} wish */
function scaleOf(wish) {
  const scale = wish.width ? wish.width / size.peek().width : wish.scale;
  return Math.min(Math.max(scale, SCALES.least), SCALES.most);
}

/** @param {Wish} wish */
function query(wish) {
  const transparent = wish.transparent && wish.format !== "html" ? 1 : null;
  return wish.format === "png" ? { scale: Number(scaleOf(wish).toFixed(4)), transparent } : { transparent };
}

/** @param {Wish} wish */
function pixels(wish) {
  const { width, height } = size.peek();
  const scale = scaleOf(wish);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** @param {Wish} wish */
function tell(wish) {
  const { width, height } = size.peek();
  if (wish.format === "svg") return `${width} × ${height} pt, sharp at any size.`;
  if (wish.format === "html") return "One file with the picture and its data; it loads nothing from elsewhere.";
  const is = pixels(wish);
  if (Math.max(is.width, is.height) > MOST_PIXELS) return `${is.width} × ${is.height} px is more than the ${MOST_PIXELS} px a side that can be drawn.`;
  const bound = wish.width && Math.abs(is.width - wish.width) > 1 ? ` At most ${SCALES.most} and at least ${SCALES.least} pixels a point are drawn.` : "";
  return `${is.width} × ${is.height} px.${bound}`;
}

/** @param {Wish} wish */
function download(wish) {
  const link = h("a", { href: address(`.${wish.format}`, { ...query(wish), download: 1 }), download: "" });
  document.body.append(link);
  link.click();
  link.remove();
  localStorage.setItem("export", JSON.stringify(wish));
  localStorage.setItem("export-label", name(wish));
  window.dispatchEvent(new Event("exported"));
}

/** Exports as the last time. */
export function again() {
  const wish = last();
  download(wish);
  toast(`“${doc.peek()?.title || "Untitled"}” is on its way as ${name(wish)}.`, { seconds: 4 });
}

/** An address that opens the picture without credentials, for an hour. @param {Wish} wish */
async function copyLink(wish) {
  const body = { type: wish.format, transparent: wish.transparent };
  const { data } = await post(at("/token"), body, { query: by(), creates: true });
  const link = new URL(data.urls[wish.format]);
  if (wish.format === "png") link.searchParams.set("scale", String(query(wish).scale));
  await navigator.clipboard.writeText(link.href);
  toast("The link is copied. It opens the picture for an hour, for anybody who has it.");
}

/** @param {Wish} wish */
async function copyImage(wish) {
  const read = fetch(address(".png", query({ ...wish, format: "png" }))).then((answer) => {
    if (!answer.ok) throw new Error(`the picture could not be drawn (${answer.status})`);
    return answer.blob();
  });
  // A promise, since the press that allows it must not be waited away.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": read })]);
  toast("The picture is copied.", { seconds: 4 });
}

/** @param {() => Promise<void>} work @param {string} what */
async function tried(work, what) {
  try {
    await work();
  } catch (error) {
    const text = error instanceof DOMException ? `This browser does not let a page copy ${what} here.` : errorText(error);
    toast(text, { bad: true });
  }
}

/** Opens the dialog. */
export function open() {
  const wish = signal(last());
  const [body, end] = scope(() => form(wish));
  const box = dialog({ title: "Export", className: "export", body, actions: [{ label: "Download", run: () => download(wish.peek()) }] });
  box.closed.then(end);
}

/**
 * What the dialog asks.
 * @param {import("./core.js").Signal<Wish>} wish
 * @returns {HTMLElement[]}
 */
function form(wish) {
  const set = (/** @type {Partial<Wish>} */ part) => (wish.value = { ...wish.peek(), ...part });
  const choice = (/** @type {string} */ group, /** @type {string} */ label, /** @type {string} */ value, /** @type {boolean} */ checked, /** @type {() => void} */ choose) =>
    h("label", null, h("input", { type: "radio", name: group, value, checked, onchange: choose }), h("span", null, label));
  const start = wish.peek();
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
    { class: "choice", hidden: () => wish.value.format !== "png", disabled: () => wish.value.format !== "png" },
    h("legend", null, "Pixels a point"),
    h("div", { class: "segments" }, [1, 2, 3, 4].map(scaleChoice)),
  );
  const widthField = h("div", { hidden: () => wish.value.format !== "png" }, field("Or its width in pixels", width));
  const clear = h(
    "label",
    { class: "check", hidden: () => wish.value.format === "html" },
    h("input", { type: "checkbox", checked: start.transparent, onchange: (/** @type {Event} */ event) => set({ transparent: /** @type {HTMLInputElement} */ (event.target).checked }) }),
    "Transparent: without its background",
  );
  const linkButton = button("Copy link", { icon: "link", onclick: () => busy(linkButton, () => tried(() => copyLink(wish.peek()), "links")) });
  const imageButton = button("Copy image", { icon: "copy", onclick: () => busy(imageButton, () => tried(() => copyImage(wish.peek()), "pictures")) });
  const print = button("Print", { icon: "print", onclick: () => window.print() });
  const told = h("p", { class: "muted", role: "status" }, () => tell(wish.value));
  return [formats, scales, widthField, clear, told, h("div", { class: "row" }, imageButton, linkButton, print)];
}
