// @ts-check
/**
 * Views of the chart that are never saved: as people with a color vision deficiency see it, in a dark or light theme,
 * and without its background. They end with the panel.
 */

import { DEFICIENCIES, isDark } from "./color-vision.js";
import { effect, h, signal } from "./core.js";
import { toHex } from "./css-color.js";
import { getEditor } from "./editor-state.js";
import { toInnerLabel } from "./label-format.js";
import { startLiveImage } from "./live-image.js";
import { getText } from "./texts.js";
import { createButton, createField, findElement } from "./ui.js";

/** Grounds of the view without a background, with their colors. */
const GROUNDS = [
  { id: "", title: getText("style-panel.groundOwn"), color: "" },
  { id: "white", title: getText("style-panel.groundWhite"), color: "#ffffff" },
  { id: "black", title: getText("style-panel.groundBlack"), color: "#000000" },
  { id: "page", title: getText("style-panel.groundPage"), color: "" },
];
/** Id of the SVG filter. */
const FILTER_ID = "color-vision-filter";

/** Color of the page on which the user wants to put charts. It stays until the page is reloaded. */
const pageColor = signal("#f4f4f1");

/** Creates the SVG filter for a deficiency. @param {(typeof DEFICIENCIES)[number]} deficiency */
function createFilter({ matrix }) {
  const rows = [0, 3, 6].map((at) => `${matrix.slice(at, at + 3).join(" ")} 0 0`);
  // The matrices are for linear light, which is also the default of SVG filters.
  const filter = h("svg:filter", { id: FILTER_ID, "color-interpolation-filters": "linearRGB", x: 0, y: 0, width: "100%", height: "100%" }, h("svg:feColorMatrix", { type: "matrix", values: `${rows.join(" ")} 0 0 0 1 0` }));
  return h("svg:svg", { class: "filter-holder", width: 0, height: 0, "aria-hidden": true }, filter);
}

/** Creates the sheet above the canvas that shows another image of the chart. Pointers reach the canvas below it. */
function createOverlay() {
  const overlay = h("div", { class: "paper view-paper", "aria-hidden": true, hidden: true });
  const root = overlay.attachShadow({ mode: "open" });
  /** @param {string} text SVG */
  const showImage = (text) => {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    svg.setAttribute("part", "image");
    root.replaceChildren(document.importNode(svg, true));
    overlay.hidden = false;
  };
  return { overlay, showImage };
}

/**
 * Shows the chart with other options of the server, as long as the effect that calls this function does not run again.
 * @param {{ theme?: string, transparent?: string }} query
 * @param {() => string} readGround color below the image; empty for none
 */
function showOverlay(query, readGround) {
  const { store } = getEditor();
  const { overlay, showImage } = createOverlay();
  const image = startLiveImage(store.content, showImage, query);
  image.redraw();
  effect(() => {
    overlay.style.background = readGround();
  });
  findElement("#canvas").append(overlay);
  return () => {
    image.dispose();
    overlay.remove();
  };
}

/** Descriptions of the grounds within the description of a view, by id. @type {Record<string, string>} */
const GROUND_DESCRIPTIONS = {
  white: getText("style-panel.viewWhite"),
  black: getText("style-panel.viewBlack"),
  page: getText("style-panel.viewPage"),
};

/** Describes the present view for the badge and screen readers. @param {string} vision @param {string} theme @param {string} ground */
function describeView(vision, theme, ground) {
  const parts = [
    vision && getText("style-panel.viewVision", { deficiency: toInnerLabel(vision) }),
    theme && getText("style-panel.viewTheme", { theme }),
    ground && GROUND_DESCRIPTIONS[ground],
  ].filter(Boolean);
  return parts.length ? getText("style-panel.viewOnly", { view: parts.join(", ") }) : "";
}

/** Builds the section. The views end when the scope that builds it is disposed. */
export function buildPreview() {
  const { background } = getEditor();
  const vision = signal("");
  const showsCounterpart = signal(false);
  const ground = signal("");
  const counterpart = () => (isDark(toHex(background.value) ?? "#ffffff") ? { id: "light", title: getText("style-panel.themeLight") } : { id: "dark", title: getText("style-panel.themeDark") });
  const findVision = () => DEFICIENCIES.find(({ id }) => id === vision.value);
  const reset = () => {
    vision.value = "";
    showsCounterpart.value = false;
    ground.value = "";
  };

  effect(() => {
    if (!showsCounterpart.value && !ground.value) return;
    const query = { theme: showsCounterpart.value ? counterpart().id : undefined, transparent: ground.value ? "1" : undefined };
    const id = ground.value;
    return showOverlay(query, () => (id === "page" ? pageColor.value : GROUNDS.find((candidate) => candidate.id === id)?.color ?? ""));
  });
  effect(() => {
    const deficiency = findVision();
    if (!deficiency) return;
    const holder = createFilter(deficiency);
    const canvas = findElement("#canvas");
    canvas.append(holder);
    canvas.style.filter = `url("#${FILTER_ID}")`;
    return () => {
      canvas.style.filter = "";
      holder.remove();
    };
  });
  const describe = () => describeView(findVision()?.title ?? "", showsCounterpart.value ? counterpart().title : "", ground.value);
  const badge = h("div", { class: "view-badge", hidden: () => describe() === "" }, h("span", null, describe), createButton(getText("style-panel.endView"), { kind: "plain", onclick: () => (reset(), visionSelect.focus()) }));
  findElement(".stage").prepend(badge);
  effect(() => () => badge.remove());

  const visionSelect = h("select", { onchange: () => (vision.value = visionSelect.value) }, h("option", { value: "" }, getText("style-panel.fullVision")), DEFICIENCIES.map(({ id, title, cones }) => h("option", { value: id }, `${title}, ${cones}`)));
  const groundSelect = h("select", { onchange: () => (ground.value = groundSelect.value) }, GROUNDS.map(({ id, title }) => h("option", { value: id }, title)));
  effect(() => {
    visionSelect.value = vision.value;
    groundSelect.value = ground.value;
  });
  const switchInput = h("input", { type: "checkbox", role: "switch", "aria-describedby": "view-counterpart-hint", checked: () => showsCounterpart.value, onchange: () => (showsCounterpart.value = switchInput.checked) });
  const pageInput = h("input", { type: "color", "aria-label": getText("style-panel.groundPage"), value: pageColor.peek(), oninput: () => (pageColor.value = pageInput.value) });
  return h(
    "section",
    { class: "views", "aria-labelledby": "views-title" },
    h("h3", { id: "views-title" }, getText("style-panel.views")),
    h("p", { class: "hint" }, getText("style-panel.viewsHint")),
    createField(getText("style-panel.colorVision"), visionSelect),
    h("label", { class: "check" }, switchInput, () => getText("style-panel.inTheme", { theme: counterpart().title })),
    h("p", { class: "hint", id: "view-counterpart-hint" }, () => getText("style-panel.inThemeHint", { theme: counterpart().title, id: counterpart().id })),
    h("div", { class: "ground-row" }, createField(getText("style-panel.background"), groundSelect), h("div", { class: "ground-color", hidden: () => ground.value !== "page" }, pageInput)),
    h("p", { class: "hidden", role: "status" }, describe),
  );
}
