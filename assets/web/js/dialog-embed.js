// @ts-check
/** The dialog with the code that embeds the chart in a page of another site. */

import { chart, doc } from "./chart.js";
import { imageSize } from "./chart-image.js";
import { createScope, h, signal } from "./core.js";
import { createShareLink, getAccessEntries, isDirect } from "./share.js";
import { getText } from "./texts.js";
import { createButton, createField, openDialog, runBusy, showError, showToast } from "./ui.js";

/** Height of the bar below the image in an embedded chart, in CSS pixels. */
const BAR_HEIGHT = 32;

/** @typedef {{ address: string, title: string, width: number, height: number, id: string }} Embedding */

/** Escapes a text for an attribute in double quotes. @param {string} text */
const escapeAttribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/**
 * Returns HTML that shows the chart in a frame with fixed proportions, without a script.
 * @param {Embedding} embedding
 * @returns {string}
 */
export function buildFixedCode({ address, title, width, height }) {
  const frame = `<iframe src="${escapeAttribute(address)}" title="${escapeAttribute(title)}" loading="lazy" style="width: 100%; height: 100%; border: 0"></iframe>`;
  return `<div style="max-width: ${width}px; aspect-ratio: ${width} / ${height + BAR_HEIGHT}">${frame}</div>`;
}

/**
 * Returns HTML that shows the chart in a frame as wide as its surroundings, with a script that sets the
 * height that the chart reports.
 * @param {Embedding} embedding
 * @returns {string}
 */
export function buildResizingCode({ address, title, height, id }) {
  const frameId = `chartroom-${id}`;
  return `<iframe id="${escapeAttribute(frameId)}" src="${escapeAttribute(address)}" title="${escapeAttribute(title)}" style="width: 100%; height: ${height + BAR_HEIGHT}px; border: 0"></iframe>
<script>
addEventListener("message", (event) => {
  const frame = document.getElementById("${frameId}");
  const isHeight = event.data?.type === "chartroom-height" && event.data.height > 0;
  if (frame && event.source === frame.contentWindow && isHeight) frame.style.height = event.data.height + "px";
});
</script>`;
}

/** Returns the token of a link for viewing without an end. Returns null if there is none. */
function findLinkToken() {
  const ace = getAccessEntries().find((entry) => entry.type === "link" && entry.mode === "r" && !entry.expires_at && isDirect(entry) && entry.link);
  return ace?.link ? new URL(ace.link).pathname.split("/").at(-1) ?? null : null;
}

/** Returns the permanent address for frames, or null while strangers could not open it. */
function getEmbedAddress() {
  const address = `${location.origin}/embed/${encodeURIComponent(chart.id)}`;
  if (doc.value?.isPublic) return address;
  const token = findLinkToken();
  return token && `${address}?share=${encodeURIComponent(token)}`;
}

/** Copies a text. @param {string} text @param {string} message shown afterwards */
async function copyText(text, message) {
  try {
    await navigator.clipboard.writeText(text);
    showToast(message, { seconds: 4 });
  } catch {
    showToast(getText("dialogs.copyBlocked"), { isError: true });
  }
}

/** Opens the dialog. */
export function open() {
  const [body, dispose] = createScope(buildBody);
  const dialog = openDialog({ title: getText("dialogs.embed"), wide: true, className: "embed", body, actions: [{ label: getText("common.done"), value: "" }] });
  dialog.closed.then(dispose);
}

/** Builds the content of the dialog, which follows the access to the chart. */
function buildBody() {
  const mode = signal(/** @type {"fixed" | "resizing"} */ ("fixed"));
  return [h("div", { class: "embed-body" }, () => (getEmbedAddress() ? buildCode(mode) : buildPrivateNotice()))];
}

/** Builds the text for a private chart without a link, and the button that creates one. */
function buildPrivateNotice() {
  if (!chart.mayWrite) return [h("p", null, getText("dialogs.embedPrivateReader", { owner: chart.ownerName }))];
  const errorContainer = h("div");
  const createLink = async () => {
    showError(errorContainer);
    try {
      await createShareLink("r", null);
    } catch (error) {
      showError(errorContainer, error);
    }
  };
  const button = createButton(getText("dialogs.createEmbedLink"), { kind: "primary", icon: "link", onclick: () => runBusy(button, createLink) });
  return [h("p", null, getText("dialogs.embedPrivate")), errorContainer, button];
}

/**
 * Builds the choice of the code, the code and the address.
 * @param {import("./core.js").Signal<"fixed" | "resizing">} mode
 */
function buildCode(mode) {
  const address = getEmbedAddress() ?? "";
  const { width, height } = imageSize.peek();
  const embedding = { address, title: doc.peek()?.title.trim() || getText("dialogs.chart"), width: Math.round(width), height: Math.round(height), id: chart.id };
  const getCode = () => (mode.value === "fixed" ? buildFixedCode(embedding) : buildResizingCode(embedding));
  const choice = (/** @type {"fixed" | "resizing"} */ value, /** @type {string} */ label) =>
    h("label", null, h("input", { type: "radio", name: "embed-mode", value, checked: mode.peek() === value, onchange: () => (mode.value = value) }), h("span", null, label));
  const modes = h("fieldset", { class: "choice" }, h("legend", null, getText("dialogs.size")), h("div", { class: "segments" }, choice("fixed", getText("dialogs.fixedProportions")), choice("resizing", getText("dialogs.followsChart"))));
  const hint = h("p", { class: "muted" }, () => getText(mode.value === "fixed" ? "dialogs.fixedHint" : "dialogs.resizingHint"));
  const codeField = h("textarea", { rows: 6, readonly: true, spellcheck: "false", class: "embed-code", value: getCode });
  const addressField = h("input", { type: "text", readonly: true, value: address });
  const addressHint = getText(doc.peek()?.isPublic ? "dialogs.addressWhilePublic" : "dialogs.addressWhileLink");
  return [
    modes,
    hint,
    createField(getText("dialogs.code"), codeField),
    h("div", { class: "row" }, createButton(getText("dialogs.copyCode"), { kind: "primary", icon: "copy", onclick: () => copyText(getCode(), getText("dialogs.codeCopied")) })),
    createField(getText("dialogs.address"), addressField, addressHint),
    h("div", { class: "row" }, createButton(getText("dialogs.copyAddress"), { icon: "link", onclick: () => copyText(address, getText("share.addressCopied")) })),
  ];
}
