// @ts-check
/** Lengths with units, and presets for the size of a chart: the built-in ones and those of organizations. */

import { get } from "./api.js";
import { formatFieldNumber, parseNumber } from "./settings-model.js";
import { getText } from "./texts.js";

/** Units of length in points. A CSS pixel has 0.75 points. @type {Record<string, { points: number, title: string, decimals: number }>} */
export const UNITS = {
  pt: { points: 1, title: getText("common.points"), decimals: 2 },
  px: { points: 0.75, title: getText("common.pixels"), decimals: 2 },
  mm: { points: 72 / 25.4, title: getText("common.millimetres"), decimals: 1 },
  in: { points: 72, title: getText("common.inches"), decimals: 2 },
};

/** Further names of units in texts, with the unit that shows the length and its points. @type {Record<string, { unit: string, points: number }>} */
const OTHER_UNITS = { cm: { unit: "mm", points: 720 / 25.4 }, '"': { unit: "in", points: 72 }, "″": { unit: "in", points: 72 } };

/**
 * A preset. Lengths are in points. Without `margin` it keeps the margins of the chart.
 * @typedef {{ name: string, width: number, height: number, unit: string, margin?: { top: number, right: number, bottom: number, left: number } }} Preset
 */

/** A group of presets. @typedef {{ title: string, presets: Preset[] }} PresetGroup */

/** The built-in presets. @type {PresetGroup[]} */
export const BUILTIN_PRESETS = [
  {
    title: getText("style-panel.slidesAndScreens"),
    presets: [
      { name: getText("style-panel.standardSize"), width: 720, height: 405, unit: "px" },
      { name: getText("style-panel.wideSlide"), width: 960, height: 540, unit: "in" },
      { name: getText("style-panel.slide"), width: 720, height: 540, unit: "in" },
    ],
  },
  {
    title: getText("style-panel.socialMedia"),
    presets: [
      { name: getText("style-panel.squarePost"), width: 540, height: 540, unit: "px" },
      { name: getText("style-panel.portraitPost"), width: 540, height: 675, unit: "px" },
      { name: getText("style-panel.story"), width: 540, height: 960, unit: "px" },
    ],
  },
  {
    title: getText("style-panel.forPrint"),
    presets: [
      { name: getText("style-panel.newspaperColumn"), width: 340, height: 300, unit: "mm" },
      { name: getText("style-panel.landscapePage"), width: 841.89, height: 595.28, unit: "mm" },
      { name: getText("style-panel.portraitPage"), width: 595.28, height: 841.89, unit: "mm" },
    ],
  },
];

/** Returns a length in points as a number in a unit, in the language of the page and without the unit. @param {number} points @param {string} unit */
export function formatLength(points, unit) {
  const { points: size, decimals } = UNITS[unit];
  return formatFieldNumber(Number((points / size).toFixed(decimals)));
}

/** Describes the size of a preset in its unit: `297 × 210 mm`. @param {Preset} preset */
export const describeSize = ({ width, height, unit }) => `${formatLength(width, unit)} × ${formatLength(height, unit)} ${unit}`;

/**
 * Parses a length such as `120mm`, `5 in`, `12,5 cm`, `=1200/2` and `=1200/2 px`.
 * @param {string} text
 * @param {string} unit unit of a text without one
 * @returns {{ points: number, unit: string } | null} null for other texts
 */
export function parseLength(text, unit) {
  const [, number, name] = /^(.*?)\s*([a-z]+|["″])?$/is.exec(text.trim()) ?? [];
  const key = name?.toLowerCase();
  const known = key === undefined ? { unit, points: UNITS[unit].points } : Object.hasOwn(UNITS, key) ? { unit: key, points: UNITS[key].points } : OTHER_UNITS[key];
  const value = parseNumber(number ?? "");
  if (value === null || !known) return null;
  // Three decimals of a point are finer than what any unit shows.
  return { points: Number((value * known.points).toFixed(3)), unit: known.unit };
}

/** Converts a preset of the API. @param {any} layout @returns {Preset} */
function readPreset({ name, width, height, display_unit, margin }) {
  const { top = 0, right = 0, bottom = 0, left = 0 } = margin ?? {};
  return { name, width, height, unit: Object.hasOwn(UNITS, display_unit ?? "") ? display_unit : "pt", margin: { top, right, bottom, left } };
}

/**
 * Loads the presets of the organizations of the user. The organization that owns the document is first. An
 * organization without presets, and one that refuses to show them, is left out.
 * @param {string} owner account that owns the document
 * @returns {Promise<PresetGroup[]>}
 */
export async function loadOrgPresets(owner) {
  const { data: user } = await get("/user");
  const load = async (/** @type {any} */ org) => {
    const { data } = await get(`/orgs/${org.id}/settings`);
    return { title: org.name, presets: data.layouts.map(readPreset) };
  };
  const orgs = [...user.orgs].sort((one, other) => Number(other.id === owner) - Number(one.id === owner));
  const results = await Promise.allSettled(orgs.map(load));
  return results.flatMap((result) => (result.status === "fulfilled" && result.value.presets.length ? [result.value] : []));
}

/** Whether two lengths in points look equal. @param {number | undefined} one @param {number | undefined} other */
const isSameLength = (one, other) => Math.abs((one ?? Number.NaN) - (other ?? Number.NaN)) < 0.01;

/** Whether a chart has size and margins of a preset. @param {Preset} preset @param {any} style */
export function matchesPreset({ width, height, margin }, style) {
  const hasMargins = !margin || Object.entries(margin).every(([side, points]) => isSameLength(style?.margin?.[side], points));
  return isSameLength(style?.width, width) && isSameLength(style?.height, height) && hasMargins;
}

/** Returns the changes of the document for a preset. @param {Preset} preset @returns {import("./document-store.js").Change[]} */
export function applyPreset({ width, height, margin }) {
  const sizes = [
    { path: ["style", "width"], value: width },
    { path: ["style", "height"], value: height },
  ];
  return margin ? [...sizes, { path: ["style", "margin"], value: margin }] : sizes;
}
