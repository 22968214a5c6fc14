// @ts-check
/** CSS colors: conversion to `#rrggbb` and contrast. */

/** Converts CSS colors. Created with the first color. @type {CanvasRenderingContext2D | null | undefined} */
let converter;

/**
 * Returns the channels of a CSS color from 0 to 255, and its opacity from 0 to 1.
 * @param {string} text
 * @returns {[number, number, number, number] | null} null for another text
 */
function parseColor(text) {
  if (!text.trim() || !CSS.supports("color", text.trim())) return null;
  converter ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!converter) return null;
  converter.fillStyle = "#000";
  converter.fillStyle = text.trim();
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(String(converter.fillStyle));
  if (hex) return [parseInt(hex[1], 16), parseInt(hex[2], 16), parseInt(hex[3], 16), 1];
  // Other notations and translucent colors are painted.
  converter.clearRect(0, 0, 1, 1);
  converter.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = converter.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

/** Returns an opaque CSS color as `#rrggbb`; null for another text and for a translucent color. @param {string} text @returns {string | null} */
export function toHex(text) {
  const color = parseColor(text);
  if (!color || color[3] < 1) return null;
  return `#${color.slice(0, 3).map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** Whether a text is a CSS color. @param {string} text */
export const isColor = (text) => parseColor(text) !== null;

/** Returns the relative luminance of WCAG 2.2. @param {number[]} color */
function measureLuminance(color) {
  const [red, green, blue] = color.map((channel) => (channel <= 10.31475 ? channel / 3294.6 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Returns the contrast ratio of WCAG 2.2 of two CSS colors, from 1 to 21. A translucent color is seen on the background.
 * @param {string} text
 * @param {string} background
 * @returns {number | null} null if one of them is not a color
 */
export function measureContrast(text, background) {
  const [front, back] = [parseColor(text), parseColor(background)];
  if (!front || !back) return null;
  const seen = front.slice(0, 3).map((channel, index) => channel * front[3] + back[index] * (1 - front[3]));
  const [lighter, darker] = [measureLuminance(seen), measureLuminance(back.slice(0, 3))].sort((one, other) => other - one);
  return (lighter + 0.05) / (darker + 0.05);
}
