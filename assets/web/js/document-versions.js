// @ts-check
/** Reads from the version history which accounts changed the document since a known state. */

import { get } from "./api.js";
import { chart, getDocumentPath, withShareToken } from "./chart.js";
import { isEqualJson } from "./json-merge.js";
import { readContent } from "./document-store.js";

/** Maximum number of versions in which changes are looked for. The server allows 100 per page. */
const MAX_LISTED_VERSIONS = 100;
/** Number of versions in which a save without an answer is looked for. */
const MAX_SEARCHED_VERSIONS = 10;

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {{ history_version: number, saved_at: string, author: { id: string, name: string | null } | null }} Version */
/** Another person, and the time of the last change. The id is empty for a guest with a link, and undefined for somebody unknown. @typedef {{ id: string | undefined, name: string | null, time: string }} OtherAuthor */

/**
 * Returns the versions that were saved after a time, newest first. Returns null if they are not known: for a file at a
 * provider, without an answer of the server, and if there are too many.
 * @param {string | undefined} time `updated` of the known state
 * @returns {Promise<Version[] | null>}
 */
export async function listVersionsSince(time) {
  if (chart.provider || !time) return null;
  try {
    const { data } = await get(getDocumentPath("/history"), { query: withShareToken({ limit: MAX_LISTED_VERSIONS }), isBackground: true });
    const versions = /** @type {Version[]} */ (data.results).filter(({ saved_at: saved }) => Date.parse(saved) > Date.parse(time));
    return versions.length === MAX_LISTED_VERSIONS && data.count > MAX_LISTED_VERSIONS ? null : versions;
  } catch (error) {
    console.warn("The versions of the document are not known.", error);
    return null;
  }
}

/** Whether the user of the page saved a version. @param {Version} version */
const isOwn = ({ author }) => author?.id === chart.userId;

/**
 * Returns the other person with the newest version, or null if all versions are of the user of the page. The newest version
 * alone is not enough: the changes before it can be those of others.
 * @param {Version[]} versions
 * @returns {OtherAuthor | null}
 */
export function findOtherAuthor(versions) {
  const other = versions.find((version) => !isOwn(version));
  return other ? { id: "", name: null, ...other.author, time: other.saved_at } : null;
}

/**
 * Returns the content that the newest version of the user of the page with one of these contents has, or null.
 * @param {Version[]} versions
 * @param {Content[]} contents
 * @returns {Promise<Content | null>}
 * @throws {import("./api.js").ApiError}
 */
export async function findOwnVersion(versions, contents) {
  for (const { history_version: number } of versions.filter(isOwn).slice(0, MAX_SEARCHED_VERSIONS)) {
    const { data } = await get(getDocumentPath(`/history/${number}`), { query: withShareToken(), isBackground: true });
    // A version does not say who may read the document.
    const stored = readContent(data);
    const found = contents.find((content) => isEqualJson({ ...stored, isPublic: content.isPublic }, content));
    if (found) return found;
  }
  return null;
}
