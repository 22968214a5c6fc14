// @ts-check
/**
 * Colors as people with color vision deficiencies see them, and colors that are hard to tell apart. All colors are
 * texts `#rrggbb`.
 */

import { getText } from "./texts.js";

/**
 * The complete color vision deficiencies. The matrices convert linear sRGB, for severity 1.0, from table 1 of G. M.
 * Machado, M. M. Oliveira and L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
 * Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009.
 */
export const DEFICIENCIES = [
  { id: "protanopia", title: getText("colors.protanopia"), cones: getText("colors.withoutRedCones"), matrix: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998] },
  { id: "deuteranopia", title: getText("colors.deuteranopia"), cones: getText("colors.withoutGreenCones"), matrix: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881] },
  { id: "tritanopia", title: getText("colors.tritanopia"), cones: getText("colors.withoutBlueCones"), matrix: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039] },
];

/**
 * Distance in OKLab below which the colors of separate marks count as hard to tell apart. It is just below the smallest
 * distance within two sequences that are published as safe for these deficiencies: that of M. Petroff, 2021 (the theme
 * Light, 0.061), and that of M. Okabe and K. Ito, 2008 (0.075).
 */
export const MIN_DISTANCE = 0.06;
/** Distance that a changed color must have, so that the change can be seen. */
const CLEAR_DISTANCE = 1.25 * MIN_DISTANCE;
/** Contrast to the background from which marks are easy to see, by WCAG 2.2, 1.4.11. */
export const MIN_MARK_CONTRAST = 3;
/** Steps of the search for another lightness, from 0 to 1 in OKLab. */
const LIGHTNESS_STEPS = 100;
/** Number of halvings in the search for the largest chroma of sRGB. */
const GAMUT_ROUNDS = 8;
/** Range of the search. Darker and lighter colors have no visible hue. */
const [MIN_LIGHTNESS, MAX_LIGHTNESS] = [0.15, 0.97];

/** @typedef {[number, number, number]} Triple */

/** Returns the channels of linear sRGB, from 0 to 1. @param {string} hex @returns {Triple} */
function toLinear(hex) {
  const decode = (/** @type {number} */ at) => {
    const channel = parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  };
  return [decode(1), decode(3), decode(5)];
}

/** Returns a color as text. Channels outside of 0 to 1 are cut. @param {number[]} linear */
function toHex(linear) {
  const encode = (/** @type {number} */ channel) => {
    const limited = Math.min(1, Math.max(0, channel));
    const encoded = limited <= 0.0031308 ? limited * 12.92 : 1.055 * limited ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255).toString(16).padStart(2, "0");
  };
  return `#${linear.map(encode).join("")}`;
}

/** Multiplies a matrix of nine numbers with a column. @param {number[]} matrix @param {number[]} column @returns {Triple} */
function multiply(matrix, [x, y, z]) {
  const row = (/** @type {number} */ at) => matrix[at] * x + matrix[at + 1] * y + matrix[at + 2] * z;
  return [row(0), row(3), row(6)];
}

/** Returns a color as seen with a deficiency. @param {string} hex @param {{ matrix: number[] } | null} deficiency null returns the color */
export function simulate(hex, deficiency) {
  return deficiency ? toHex(multiply(deficiency.matrix, toLinear(hex))) : hex;
}

/** Matrices of OKLab, from B. Ottosson, "A perceptual color space for image processing", 2020. */
const LINEAR_TO_LMS = [0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619, 0.2817188376, 0.6299787005];
const LMS_TO_OKLAB = [0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371, 0.7827717662, -0.808675766];
const OKLAB_TO_LMS = [1, 0.3963377774, 0.2158037573, 1, -0.1055613458, -0.0638541728, 1, -0.0894841775, -1.291485548];
const LMS_TO_LINEAR = [4.0767416621, -3.3077115913, 0.2309699292, -1.2684380046, 2.6097574011, -0.3413193965, -0.0041960863, -0.7034186147, 1.707614701];

/** Converts a color to OKLab: lightness from 0 to 1, and two axes of color. @param {string} hex @returns {Triple} */
function toOklab(hex) {
  const [long, medium, short] = multiply(LINEAR_TO_LMS, toLinear(hex)).map(Math.cbrt);
  return multiply(LMS_TO_OKLAB, [long, medium, short]);
}

/**
 * Returns the color of a hue and a lightness, with as much of the chroma as sRGB has.
 * @param {number} lightness
 * @param {number} a
 * @param {number} b
 */
function fromOklab(lightness, a, b) {
  const convert = (/** @type {number} */ share) => {
    const [long, medium, short] = multiply(OKLAB_TO_LMS, [lightness, a * share, b * share]);
    return multiply(LMS_TO_LINEAR, [long ** 3, medium ** 3, short ** 3]);
  };
  const isInGamut = (/** @type {number[]} */ linear) => linear.every((channel) => channel > -0.0005 && channel < 1.0005);
  const full = convert(1);
  if (isInGamut(full)) return toHex(full);
  let [inside, outside] = [0, 1];
  for (let round = 0; round < GAMUT_ROUNDS; round += 1) {
    const middle = (inside + outside) / 2;
    if (isInGamut(convert(middle))) inside = middle;
    else outside = middle;
  }
  return toHex(convert(inside));
}

/** Mixes two colors in OKLab. @param {string} one @param {string} other @param {number} share of the other color, from 0 to 1 */
export function mixColors(one, other, share) {
  const [first, second] = [toOklab(one), toOklab(other)];
  const [lightness, a, b] = first.map((value, axis) => value + (second[axis] - value) * share);
  return fromOklab(lightness, a, b);
}

/** Whether a color is nearer to black than to white for the eye. @param {string} hex */
export const isDark = (hex) => toOklab(hex)[0] < 0.5;

/** Returns the distance of two colors that are given in OKLab. @param {Triple} one @param {Triple} other */
const computeDistance = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

/** Returns the distance of two colors in OKLab. @param {string} one @param {string} other */
export const measureDistance = (one, other) => computeDistance(toOklab(one), toOklab(other));

/** Full color vision, followed by the deficiencies. */
const VISIONS = [null, ...DEFICIENCIES];

/**
 * A pair of colors that are hard to tell apart: their positions in the list, the deficiencies with which they look
 * alike, and their smallest distance. An empty list of deficiencies means that they look alike for everybody.
 * @typedef {{ first: number, second: number, deficiencies: typeof DEFICIENCIES, distance: number }} ColorPair
 */

/** Returns the pairs of colors that are hard to tell apart, the most alike ones first. @param {string[]} colors @returns {ColorPair[]} */
export function findSimilarPairs(colors) {
  /** @type {ColorPair[]} */
  const pairs = [];
  const seen = VISIONS.map((deficiency) => colors.map((color) => toOklab(simulate(color, deficiency))));
  for (let first = 0; first < colors.length; first += 1) {
    for (let second = first + 1; second < colors.length; second += 1) {
      const distances = seen.map((list) => computeDistance(list[first], list[second]));
      const distance = Math.min(...distances);
      if (distance >= MIN_DISTANCE) continue;
      const deficiencies = distances[0] < MIN_DISTANCE ? [] : DEFICIENCIES.filter((_, index) => distances[index + 1] < MIN_DISTANCE);
      pairs.push({ first, second, deficiencies, distance });
    }
  }
  return pairs.sort((one, other) => one.distance - other.distance);
}

/**
 * Returns the color with the same hue and the nearest lightness that can be told apart from all others. Prefers colors
 * with enough contrast to the background.
 * @param {string} color
 * @param {string[]} others
 * @param {(color: string) => number | null} measureContrast contrast to the background
 * @returns {string | null} null if no lightness of this hue is different enough
 */
export function findDistinguishableColor(color, others, measureContrast) {
  const [lightness, a, b] = toOklab(color);
  const seenOthers = VISIONS.map((deficiency) => others.map((other) => toOklab(simulate(other, deficiency))));
  const isDistinct = (/** @type {string} */ candidate) =>
    VISIONS.every((deficiency, vision) => {
      const seen = toOklab(simulate(candidate, deficiency));
      return seenOthers[vision].every((other) => computeDistance(seen, other) >= CLEAR_DISTANCE);
    });
  const steps = Array.from({ length: LIGHTNESS_STEPS + 1 }, (_, index) => index / LIGHTNESS_STEPS).filter((step) => step >= MIN_LIGHTNESS && step <= MAX_LIGHTNESS);
  /** @type {string | null} */
  let pale = null;
  for (const step of steps.sort((one, other) => Math.abs(one - lightness) - Math.abs(other - lightness))) {
    const candidate = fromOklab(step, a, b);
    if (!isDistinct(candidate)) continue;
    if ((measureContrast(candidate) ?? 0) >= MIN_MARK_CONTRAST) return candidate;
    pale ??= candidate;
  }
  return pale;
}
