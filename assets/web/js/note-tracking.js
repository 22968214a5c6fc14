// @ts-check
/** Keeps track of notes that are being edited while other people add and remove notes. */

import { followRecord } from "./json-merge.js";

/**
 * The place of a note in the list; null if it was removed.
 * @typedef {{ index: number | null }} NotePlace
 */

/** @type {Set<NotePlace>} */
const places = new Set();

/**
 * Starts to track a note.
 * @param {number} index
 * @returns {NotePlace & { release: () => void }} `release` ends it
 */
export function trackNote(index) {
  const place = { index: /** @type {number | null} */ (index), release: () => void places.delete(place) };
  places.add(place);
  return place;
}

/**
 * Updates the places of the tracked notes after a change of the list.
 * @param {Record<string, any>[]} before
 * @param {Record<string, any>[]} after
 */
export function followNotes(before, after) {
  for (const place of places) {
    if (place.index !== null) place.index = followRecord(before, after, place.index);
  }
}
