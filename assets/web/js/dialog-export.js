// @ts-check
/** The dialog for exports: the chart as an image or page file, as a link, or on the clipboard. */

import { post, resolveApiUrl } from "./api.js";
import { buildDocumentUrl, chart, doc, getDocumentPath, withShareToken } from "./chart.js";
import { imageSize } from "./chart-image.js";
import { createScope, h, signal } from "./core.js";
import { PAGE_LANGUAGE, getText } from "./texts.js";
import { createButton, createField, describeError, openDialog, runBusy, showToast } from "./ui.js";

/** Limits of the server for the scale in pixels per point. */
const SCALE_LIMITS = { min: 0.5, max: 4 };
/** Time in milliseconds for which a drawn file is kept for its download. */
const KEPT_FILE_MS = 60_000;
/** Limit of the server for the width and the height of a PNG. */
const MAX_SIDE_PIXELS = 8192;

/** Format of lengths. */
const LENGTH_FORMAT = new Intl.NumberFormat(PAGE_LANGUAGE, { useGrouping: false });

/**
 * Options of an export. `scale`, the resolution, is in pixels per point. If `width` is set, in pixels, it replaces `scale`.
 * `omitted` are the members of the style that hide parts of the image in the file. `theme` and `size` replace those of the
 * chart in the file, unless they are empty.
 * @typedef {{ format: "png" | "svg" | "pdf" | "html", scale: number, width: number | null, transparent: boolean, omitted: string[], theme: "" | "light" | "dark", size: import("./layout-presets.js").Preset | null }} ExportOptions
 */

/** @type {ExportOptions} */
const DEFAULT_OPTIONS = { format: "png", scale: 2, width: null, transparent: false, omitted: [], theme: "", size: null };

/** Parts that an export can leave out: the member of the style that hides them, and their name. */
const OMITTABLE_PARTS = [
  ["no_title", getText("dialogs.partTitle")],
  ["no_footnote", getText("dialogs.partFooter")],
  ["no_branding", getText("dialogs.partLogo")],
];

/** The running editor; null on the page of a reader, which does not load it. @type {import("./editor-state.js").Editor | null} */
let editor = null;

/** Finds the running editor. */
async function findEditor() {
  if (chart.mayWrite) editor = (await import("./editor-state.js")).findEditor();
}

/** Returns the options of the last export in this browser, or the default options. @returns {ExportOptions} */
function readLastOptions() {
  try {
    return { ...DEFAULT_OPTIONS, ...JSON.parse(localStorage.getItem("export") ?? "{}") };
  } catch {
    return DEFAULT_OPTIONS;
  }
}

/** Formats options for the export button, such as “PNG ×2”. A page is `page` in each language. @param {ExportOptions} options */
function formatExportLabel(options) {
  if (options.format === "html") return "page";
  if (options.format === "svg" || options.format === "pdf") return options.format.toUpperCase();
  return options.width ? `PNG ${options.width} px` : `PNG ×${options.scale}`;
}

/** Returns width and height of the image in points. @param {ExportOptions} options */
const getPointSize = (options) => (isAdapted(options) && options.size ? options.size : imageSize.peek());

/** Returns the scale in pixels per point, within the limits of the server. @param {ExportOptions} options */
function getScale(options) {
  const scale = options.width ? options.width / getPointSize(options).width : options.scale;
  return Math.min(Math.max(scale, SCALE_LIMITS.min), SCALE_LIMITS.max);
}

/** Builds the query of the rendering API for these options. @param {ExportOptions} options */
function buildQuery(options) {
  const transparent = options.transparent && options.format !== "html" ? 1 : null;
  return options.format === "png" ? { scale: Number(getScale(options).toFixed(4)), transparent } : { transparent };
}

/** Returns width and height of the PNG in pixels. @param {ExportOptions} options */
function getPixelSize(options) {
  const { width, height } = getPointSize(options);
  const scale = getScale(options);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** Describes the size of the file for the user, or the limit that it exceeds. @param {ExportOptions} options */
function describeSize(options) {
  const format = (/** @type {{ width: number, height: number }} */ { width, height }) => ({ width: LENGTH_FORMAT.format(width), height: LENGTH_FORMAT.format(height) });
  if (options.format === "svg") return getText("dialogs.vectorSize", format(getPointSize(options)));
  if (options.format === "pdf") return getText("dialogs.pdfSize", format(getPointSize(options)));
  if (options.format === "html") return getText("dialogs.pageSize");
  const pixels = getPixelSize(options);
  const size = format(pixels);
  if (Math.max(pixels.width, pixels.height) > MAX_SIDE_PIXELS) return getText("dialogs.sizeTooLarge", { ...size, limit: LENGTH_FORMAT.format(MAX_SIDE_PIXELS) });
  const isLimited = options.width && Math.abs(pixels.width - options.width) > 1;
  return isLimited ? getText("dialogs.limitedPixelSize", { ...size, ...SCALE_LIMITS }) : getText("dialogs.pixelSize", size);
}

/**
 * Saves the edited content, because the server exports the stored document. Returns whether all is saved, as
 * on a page without the editor.
 */
async function saveEdits() {
  if (!editor) return true;
  await editor.sync.save();
  return editor.sync.state.peek() === "saved";
}

/** Returns the edited content. Throws an error on the page of a reader. */
function readContent() {
  if (!editor) throw new Error("the page has no editor");
  return editor.store.content.peek();
}

/** Whether the file differs from the stored chart in parts, theme or size. A page never does. @param {ExportOptions} options */
const isAdapted = (options) => options.format !== "html" && editor !== null && (options.omitted.length > 0 || options.theme !== "" || options.size !== null);

/** Returns the edited content as an export shows it. @param {ExportOptions} options */
function adaptContent(options) {
  const { isPublic: _, ...content } = readContent();
  if (!isAdapted(options)) return content;
  const hidden = Object.fromEntries(options.omitted.map((member) => [member, true]));
  const { width, height, margin } = options.size ?? {};
  const style = { ...content.style, ...hidden, ...(options.size && { width, height }), ...(margin && { margin }) };
  return { ...content, style, ...(options.theme && { theme: options.theme, custom_theme: undefined }) };
}

/**
 * Draws the edited chart as a file with these options. The server draws stored documents only if they are its own.
 * @param {ExportOptions} options
 * @returns {Promise<Blob>}
 */
async function drawFile(options) {
  const content = adaptContent(options);
  const address = resolveApiUrl("/render", { format: options.format, ...buildQuery(options), text: options.format === "svg" ? "embedded" : null });
  return readImage(fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) }));
}

/** Returns the body of a successful response. @param {Promise<Response>} request */
async function readImage(request) {
  const response = await request;
  if (!response.ok) throw new Error(`the image could not be rendered (${response.status})`);
  return response.blob();
}

/** Lets the browser download a file. @param {string} href @param {string} name empty for the name that the server sends */
function startDownload(href, name) {
  const link = h("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Downloads the chart of a document at a provider. @param {ExportOptions} options */
async function downloadDrawnFile(options) {
  const url = URL.createObjectURL(await drawFile(options));
  const title = readContent().title.trim() || getText("common.untitled");
  startDownload(url, `${title.replace(/[\\/:*?"<>|]/g, "_")}.${options.format}`);
  setTimeout(() => URL.revokeObjectURL(url), KEPT_FILE_MS);
}

/** Downloads the chart as it is edited, also if it cannot be saved. @param {ExportOptions} options */
async function downloadFile(options) {
  // The browser downloads a page with the stored chart, also if the edited one cannot be saved.
  const isStored = !chart.provider && ((await saveEdits()) || options.format === "html");
  if (isStored && !isAdapted(options)) startDownload(buildDocumentUrl(`.${options.format}`, { ...buildQuery(options), download: 1 }), "");
  else await downloadDrawnFile(options);
}

/** Downloads the chart, and stores the options for the next export. @param {ExportOptions} options */
function downloadChart(options) {
  downloadFile(options).catch((error) => showToast(describeError(error), { isError: true }));
  localStorage.setItem("export", JSON.stringify(options));
  localStorage.setItem("export-label", formatExportLabel(options));
  window.dispatchEvent(new Event("exported"));
}

/** Exports the chart with the options of the last export. */
export async function repeatExport() {
  await findEditor();
  const options = readLastOptions();
  downloadChart(options);
  const title = doc.peek()?.title || getText("common.untitled");
  const text = options.format === "html" ? getText("dialogs.downloadingPage", { title }) : getText("dialogs.downloading", { title, format: formatExportLabel(options) });
  showToast(text, { seconds: 4 });
}

/** Lifetimes of a download link in seconds. The longest one is the limit of the server. */
const LINK_LIFETIMES = [
  { seconds: 600, label: getText("dialogs.tenMinutes") },
  { seconds: 3600, label: getText("dialogs.oneHour") },
  { seconds: 28_800, label: getText("dialogs.eightHours") },
  { seconds: 86_400, label: getText("dialogs.oneDay") },
];

/** Lifetime of a link that is selected at first, in seconds. */
const DEFAULT_LINK_SECONDS = 3600;

/**
 * Copies an address that opens the image without credentials for some time.
 * @param {ExportOptions} options
 * @param {number} seconds one of `LINK_LIFETIMES`
 */
async function copyLink(options, seconds) {
  // A token has no type for PDF alone. One without a type is valid for all formats.
  const type = options.format === "pdf" ? undefined : options.format;
  const body = { type, transparent: options.transparent, expires_in_sec: seconds };
  const { data } = await post(getDocumentPath("/token"), body, { query: withShareToken(), creates: true });
  const link = new URL(data.urls[options.format]);
  if (options.format === "png") link.searchParams.set("scale", String(buildQuery(options).scale));
  await navigator.clipboard.writeText(link.href);
  const { label } = LINK_LIFETIMES.find((lifetime) => lifetime.seconds === seconds) ?? LINK_LIFETIMES[1];
  showToast(getText("dialogs.imageLinkCopied", { duration: label }));
}

/** Copies the image as PNG. @param {ExportOptions} options */
async function copyImage(options) {
  const png = /** @type {ExportOptions} */ ({ ...options, format: "png" });
  const readStored = () => readImage(fetch(buildDocumentUrl(".png", buildQuery(png))));
  const isDrawn = chart.provider !== "" || isAdapted(png);
  const image = isDrawn ? drawFile(png) : saveEdits().then((isStored) => (isStored ? readStored() : drawFile(png)));
  // Pass a promise, because the clipboard permission of the click would expire during the request.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
  showToast(getText("dialogs.imageCopied"), { seconds: 4 });
}

/** Runs a function that copies, and shows its error as a toast. @param {() => Promise<void>} callback @param {string} refusal text if the browser does not allow copying */
async function runWithErrorToast(callback, refusal) {
  try {
    await callback();
  } catch (error) {
    showToast(error instanceof DOMException ? refusal : describeError(error), { isError: true });
  }
}

/** Opens the dialog. */
export async function open() {
  await findEditor();
  const options = signal(readLastOptions());
  const [body, disposeForm] = createScope(() => buildForm(options));
  const exportDialog = openDialog({ title: getText("dialogs.export"), className: "export", body, actions: [{ label: getText("common.download"), run: () => downloadChart(options.peek()) }] });
  exportDialog.closed.then(disposeForm);
}

/**
 * Builds the fields for the theme and the size of the file.
 * @param {ExportOptions} initial
 * @param {(changes: Partial<ExportOptions>) => void} setOptions
 */
function buildLookFields(initial, setOptions) {
  const themes = /** @type {const} */ ([["", getText("dialogs.asInChart")], ["light", getText("ui.light")], ["dark", getText("ui.dark")]]);
  const themeSelect = h("select", { name: "theme" }, themes.map(([value, label]) => h("option", { value }, label)));
  themeSelect.value = initial.theme;
  themeSelect.addEventListener("change", () => setOptions({ theme: /** @type {ExportOptions["theme"]} */ (themeSelect.value) }));
  const unchanged = h("option", { value: "" }, getText("dialogs.asInChart"));
  const sizeSelect = h("select", { name: "size" }, unchanged);
  /** Presets by the value of their option. @type {Map<string, import("./layout-presets.js").Preset>} */
  const presets = new Map();
  sizeSelect.addEventListener("change", () => setOptions({ size: presets.get(sizeSelect.value) ?? null }));
  const fill = async () => {
    const { BUILTIN_PRESETS, describeSize, loadOrgPresets } = await import("./layout-presets.js");
    const createOption = (/** @type {import("./layout-presets.js").Preset} */ preset) => {
      const value = `${preset.name} (${describeSize(preset)})`;
      presets.set(value, preset);
      return h("option", { value }, value);
    };
    const createGroup = (/** @type {import("./layout-presets.js").PresetGroup} */ group) => h("optgroup", { label: group.title }, group.presets.map(createOption));
    sizeSelect.append(...BUILTIN_PRESETS.map(createGroup));
    const last = initial.size && `${initial.size.name} (${describeSize(initial.size)})`;
    // A preset of another organization, or one that was removed since the last export.
    if (last && !presets.has(last)) sizeSelect.append(createOption(/** @type {import("./layout-presets.js").Preset} */ (initial.size)));
    if (last) sizeSelect.value = last;
    const own = await loadOrgPresets(doc.peek()?.owner ?? "");
    unchanged.after(...own.map(createGroup));
  };
  fill().catch((error) => console.warn(error));
  return [createField(getText("style-panel.theme"), themeSelect), createField(getText("dialogs.size"), sizeSelect)];
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
    h("legend", null, getText("dialogs.format")),
    h(
      "div",
      { class: "segments" },
      createChoice("format", "PNG", "png", initial.format === "png", () => setOptions({ format: "png" })),
      createChoice("format", "SVG", "svg", initial.format === "svg", () => setOptions({ format: "svg" })),
      createChoice("format", "PDF", "pdf", initial.format === "pdf", () => setOptions({ format: "pdf" })),
      createChoice("format", getText("dialogs.page"), "html", initial.format === "html", () => setOptions({ format: "html" })),
    ),
  );
  const widthInput = h("input", { type: "number", name: "width", min: 20, max: MAX_SIDE_PIXELS, step: 1, value: initial.width ?? "", placeholder: getText("common.automatic"), oninput: () => setOptions({ width: widthInput.valueAsNumber || null }) });
  const createScaleChoice = (/** @type {number} */ scale) =>
    createChoice("scale", `${scale}×`, String(scale), !initial.width && initial.scale === scale, () => {
      widthInput.value = "";
      setOptions({ scale, width: null });
    });
  const scales = h(
    "fieldset",
    { class: "choice", hidden: () => options.value.format !== "png", disabled: () => options.value.format !== "png" },
    h("legend", null, getText("dialogs.resolution")),
    h("div", { class: "segments" }, [1, 2, 3, 4].map(createScaleChoice)),
  );
  const widthField = h("div", { hidden: () => options.value.format !== "png" }, createField(getText("dialogs.widthInPixels"), widthInput));
  const transparentField = h(
    "label",
    { class: "check", hidden: () => options.value.format === "html" },
    h("input", { type: "checkbox", checked: initial.transparent, onchange: (/** @type {Event} */ event) => setOptions({ transparent: /** @type {HTMLInputElement} */ (event.target).checked }) }),
    getText("dialogs.transparent"),
  );
  const setOmitted = (/** @type {string} */ member, /** @type {boolean} */ isOmitted) => setOptions({ omitted: [...options.peek().omitted.filter((other) => other !== member), ...(isOmitted ? [member] : [])] });
  const createPartChoice = (/** @type {string} */ member, /** @type {string} */ label) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: !initial.omitted.includes(member), onchange: (/** @type {Event} */ event) => setOmitted(member, !(/** @type {HTMLInputElement} */ (event.target).checked)) }), label);
  const partsField = h("fieldset", { class: "choice", hidden: () => options.value.format === "html" }, h("legend", null, getText("dialogs.parts")), h("div", { class: "row" }, OMITTABLE_PARTS.map(([member, label]) => createPartChoice(member, label))));
  const lifetimeSelect = h("select", { class: "role", "aria-label": getText("share.linkValidity") }, LINK_LIFETIMES.map(({ seconds, label }) => h("option", { value: String(seconds) }, getText("dialogs.forDuration", { duration: label }))));
  lifetimeSelect.value = String(DEFAULT_LINK_SECONDS);
  const linkButton = createButton(getText("common.copyLink"), { icon: "link", onclick: () => runBusy(linkButton, () => runWithErrorToast(() => copyLink(options.peek(), Number(lifetimeSelect.value)), getText("dialogs.linksNotCopied"))) });
  // A link shows the stored chart.
  const linkLine = h("div", { class: "invite", hidden: () => isAdapted(options.value) }, h("span", { class: "grow" }, getText("dialogs.imageLink")), lifetimeSelect, linkButton);
  const embedButton = createButton(getText("share.embed"), { icon: "code", onclick: async () => (await import("./dialog-embed.js")).open() });
  const imageButton = createButton(getText("dialogs.copyImage"), { icon: "copy", onclick: () => runBusy(imageButton, () => runWithErrorToast(() => copyImage(options.peek()), getText("dialogs.imagesNotCopied"))) });
  const printButton = createButton(getText("dialogs.print"), { icon: "print", onclick: () => window.print() });
  const dataLinks = h("p", { class: "data-links" }, getText("dialogs.data"), " ", h("a", { href: buildDocumentUrl("/data.csv"), download: "" }, "CSV"), " ", h("a", { href: buildDocumentUrl("/data.xlsx"), download: "" }, "Excel (XLSX)"));
  const summary = h("p", { class: "muted", role: "status" }, () => describeSize(options.value));
  const lookFields = h("div", { class: "row", hidden: () => options.value.format === "html" }, buildLookFields(initial, setOptions));
  const parts = [formats, scales, widthField, ...(editor ? [lookFields, partsField] : []), transparentField, summary];
  // Other programs read a document at a provider there.
  if (chart.provider) return [...parts, h("div", { class: "row" }, imageButton, printButton), dataLinks];
  return [...parts, h("div", { class: "row" }, imageButton, embedButton, printButton), linkLine, dataLinks];
}
