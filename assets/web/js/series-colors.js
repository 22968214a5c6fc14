// @ts-check
/** The colors of series: those of the theme, and those that the chart on the canvas uses. */

import { post } from "./api.js";
import { measureDistance, mixColors } from "./color-vision.js";
import { toHex } from "./css-color.js";
import { listColumns } from "./document-columns.js";
import { getText } from "./texts.js";

/** Number of colors that are read from a theme. A shorter theme repeats its colors in other shades. */
const SEQUENCE_LENGTH = 16;
/** Colors with which the server mixes lines that would hardly be visible. */
const READABLE_TARGETS = ["#ffffff", "#1a1a1a"];
/** Number of twentieths up to which a mixed color is found again. */
const MAX_READABLE_STEPS = 12;
/** Distance in OKLab of equal colors that were computed with another precision. */
const ROUNDING_DISTANCE = 0.006;
/** Largest step between the positions of colors of series. Some charts skip a color. */
const MAX_GAP = 2;
/** Texts of the sample. */
const [SAMPLE_TITLE, SAMPLE_LABEL] = [getText("style-panel.sampleTitle"), "0123456789"];
/** Minimum width of the sample of fonts in points, and the width of its subtitle and its title in font sizes. */
const [MIN_SAMPLE_WIDTH, SAMPLE_EM_WIDTH, SAMPLE_TITLE_EM_WIDTH] = [340, 28, 14];

/**
 * A theme as the server renders it. `colors` are those of the series in order. `sample` is an image with a title, a
 * subtitle and a legend.
 * @typedef {{ colors: string[], background: string, family: string, titleSize: number, bodySize: number, sample: string }} RenderedTheme
 */

/**
 * A color that the chart uses. `index` is the position in the sequence. `drawn` is the color on the canvas: the server
 * makes lines darker or lighter that would hardly be visible. `name` is the series or the record, if only one has the
 * color.
 * @typedef {{ index: number, color: string, drawn: string, name: string }} UsedColor
 */

/**
 * Reads colors and fonts of a theme from a small chart that the server renders, because the API has no list of the
 * colors of built-in themes, and only members of an organization may read its themes.
 * @param {string} theme
 * @param {Record<string, any> | null} customTheme
 * @param {AbortSignal} signal
 * @returns {Promise<RenderedTheme>}
 */
export async function renderTheme(theme, customTheme, signal) {
  const keys = Array.from({ length: SEQUENCE_LENGTH }, (_, index) => `s${index}`);
  const record = Object.fromEntries([["label", SAMPLE_LABEL], ...keys.map((key) => [key, 1])]);
  const body = {
    plugin_id: "grouped-column",
    title: SAMPLE_TITLE,
    settings: { showValues: false, showLegend: false },
    data: [record],
    theme,
    custom_theme: customTheme,
    // Font sizes of themes are those of a chart with this size.
    style: { subtitle: getText("style-panel.sampleText"), no_branding: true, width: 720, height: 405, margin: { top: 12, right: 12, bottom: 12, left: 12 } },
  };
  const { data } = await post("/render", body, { query: { interactive: 1 }, signal, isBackground: true });
  const root = new DOMParser().parseFromString(data, "image/svg+xml").documentElement;
  const bars = new Map(Array.from(root.querySelectorAll("[data-field]:not(text)"), (bar) => [bar.getAttribute("data-field"), toHex(bar.getAttribute("fill") ?? "")]));
  const readSize = (/** @type {string} */ text) => Number([...root.querySelectorAll("text")].find((element) => element.textContent?.includes(text))?.getAttribute("font-size") ?? 0);
  const [titleSize, bodySize] = [readSize(SAMPLE_TITLE), readSize(SAMPLE_LABEL)];
  // The sample ends below the subtitle, above the bars.
  const bottom = Number(root.querySelector('[data-part="subtitle"]')?.getAttribute("y") ?? 0) + bodySize;
  const width = Math.max(MIN_SAMPLE_WIDTH, bodySize * SAMPLE_EM_WIDTH, titleSize * SAMPLE_TITLE_EM_WIDTH);
  root.setAttribute("viewBox", `0 0 ${width} ${bottom}`);
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(bottom));
  return {
    colors: keys.map((key) => bars.get(key)).filter((color) => typeof color === "string"),
    background: toHex(root.querySelector("rect")?.getAttribute("fill") ?? "") ?? "#ffffff",
    family: root.querySelector("[font-family]")?.getAttribute("font-family")?.split(",")[0].replace(/["']/g, "").trim() ?? "",
    titleSize,
    bodySize,
    sample: new XMLSerializer().serializeToString(root),
  };
}

/** A mark of the image. @typedef {{ fills: string[], isVisible: boolean, field: string, row: string }} Mark */

/** Lists the marks of an image with their colors, without texts. @param {ParentNode} root @param {string} background @returns {Mark[]} */
function listMarks(root, background) {
  // Charts have many marks and few colors.
  /** @type {Map<string, string | null>} */
  const known = new Map();
  const convert = (/** @type {string} */ text) => {
    if (!known.has(text)) known.set(text, toHex(text));
    return known.get(text) ?? null;
  };
  return Array.from(root.querySelectorAll("[data-row]:not(text), [data-rows], [data-field]:not(text)"), (element) => {
    const read = (/** @type {string} */ name) => convert(element.getAttribute(name) ?? "none");
    const fill = read("fill");
    const stroke = read("stroke");
    // The outline of a filled mark only separates it from its neighbors.
    const fills = [fill ?? stroke].filter((color) => color !== null && color !== background).map(String);
    const isVisible = fill === null || element.getAttribute("fill-opacity") !== "0";
    return { fills, isVisible, field: element.getAttribute("data-field") ?? "", row: element.getAttribute("data-row") ?? "" };
  });
}

/**
 * Finds the color that the server draws instead of a color of the sequence, because a line or an outline would hardly be
 * visible: a mixture with white or black.
 * @param {string} color
 * @param {Mark[]} marks candidates
 */
function findReadable(color, marks) {
  for (const target of READABLE_TARGETS) {
    for (let step = 1; step <= MAX_READABLE_STEPS; step += 1) {
      const mixed = mixColors(color, target, step / 20);
      const mark = marks.find(({ fills }) => fills.some((fill) => measureDistance(fill, mixed) < ROUNDING_DISTANCE));
      if (mark) return mark.fills[0];
    }
  }
  return undefined;
}

/**
 * Lists the colors of a sequence that the image uses. Charts that show numbers as shades use at most one of them.
 * @param {ParentNode} root the image
 * @param {string[]} sequence colors `#rrggbb` of the series in order
 * @param {string} background
 * @param {any} kind
 * @param {import("./document-store.js").Content} content
 * @returns {UsedColor[]}
 */
export function listUsedColors(root, sequence, background, kind, content) {
  const all = listMarks(root, background);
  const columns = listColumns(kind, content);
  const visible = all.filter((mark) => mark.isVisible && mark.fills.length && !sequence.includes(mark.fills[0]));
  const groups = [...new Set(sequence)]
    .map((color) => {
      const marks = all.filter((mark) => mark.fills.includes(color));
      if (marks.some((mark) => mark.isVisible)) return { color, drawn: color, marks };
      // The points of a line are invisible areas for the pointer, in the color of the series.
      const fields = listNames(marks, "field");
      const drawn = fields.length ? visible.find((mark) => fields.includes(mark.field))?.fills[0] : findReadable(color, visible);
      return { color, drawn: drawn ?? color, marks: drawn ? visible.filter((mark) => mark.fills[0] === drawn) : marks };
    })
    .filter(({ marks }) => marks.length > 0)
    .map((group) => ({ ...group, fields: listNames(group.marks, "field"), rows: listNames(group.marks, "row") }));
  const used = groups
    .flatMap(({ color, drawn, fields, rows }) => {
      const isByRow = groups.filter((other) => other.fields.some((field) => fields.includes(field))).length > 1;
      const names = isByRow ? rows.map((row) => nameRecord(content.data[Number(row)], columns)) : fields.map((field) => columns.find(({ key }) => key === field)?.title ?? "");
      // A color that is listed twice is used twice if several series or records have it.
      const indices = sequence.flatMap((other, index) => (other === color ? [index] : [])).slice(0, Math.max(1, names.length));
      const isNamed = names.length === indices.length;
      return indices.map((index, at) => ({ index, color, drawn, name: isNamed ? names[at] : "" }));
    })
    .sort((one, other) => one.index - other.index);
  // A color far after the others is no color of a series, but the one of highlighted marks.
  const end = used.findIndex(({ index }, at) => index - (used[at - 1]?.index ?? -1) > MAX_GAP);
  return end < 0 ? used : used.slice(0, end);
}

/** Returns the different fields or rows of marks. @param {Mark[]} marks @param {"field" | "row"} member */
const listNames = (marks, member) => [...new Set(marks.map((mark) => mark[member]).filter(Boolean))];

/** Returns the first text of a record. @param {Record<string, any> | undefined} record @param {{ key: string }[]} columns @returns {string} */
const nameRecord = (record, columns) => columns.map(({ key }) => record?.[key]).find((value) => typeof value === "string") ?? "";
