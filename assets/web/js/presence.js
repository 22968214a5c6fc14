// @ts-check
/** Presence: the other people who have the document open, and their changes as soon as they are saved. */

import { get, resolveApiUrl } from "./api.js";
import { connectionState, getDocumentPath, getEntityTag, refreshDocument, setPushed, withShareToken } from "./chart.js";
import { h, signal, syncKeyedList } from "./core.js";
import { keepStream } from "./presence-stream.js";
import { getText } from "./texts.js";

/** Maximum number of avatars in the header. */
const MAX_AVATARS = 5;

/** @typedef {import("./presence-stream.js").Person} Person */

/** The other people who have the document open. Empty while there is no connection. */
const people = signal(/** @type {Person[]} */ ([]));

/** Names of people who were here or changed the document, by account id. @type {Map<string, string>} */
const names = new Map();

/** Returns the name of a person. @param {string} id account id; empty for a guest */
export function findPersonName(id) {
  return id === "" ? getText("common.guest") : (names.get(id) ?? getText("common.somebody"));
}

/**
 * Returns the name of the person who made the last change, also of one who has not been here since the page was opened.
 * @param {string | undefined} id account id; empty for a guest, undefined if it is unknown, as for a chart at a provider
 */
export async function loadEditorName(id) {
  if (id === undefined) return getText("common.somebody");
  if (id !== "" && !names.has(id)) {
    try {
      const { data } = await get(getDocumentPath("/history"), { query: { limit: 1, ...withShareToken() } });
      const author = data.results[0]?.author;
      if (author?.name && author.id === id) names.set(id, author.name);
    } catch {
      // The name is not worth a failure.
    }
  }
  return findPersonName(id);
}

/** Returns the address of the avatar of a person, with the initials in the color of the account. @param {string} id */
export const buildAvatarUrl = (id) => `/api/v1/users/${id}/avatar.svg`;

/** Whether the loaded document is the one of an entity tag. A representation adds to the tag. @param {string} etag */
function isLoaded(etag) {
  const plain = (/** @type {string} */ tag) => tag.replace(/^W\//, "").replace(/^"|"$/g, "");
  const loaded = plain(getEntityTag() ?? "");
  return loaded.startsWith(plain(etag)) && !/^[^+-]/.test(loaded.slice(plain(etag).length));
}

/**
 * Returns a function that loads the document if its revision is new. Calls during a load cause one more load at most.
 * @param {() => Promise<unknown>} settle waits for a running save, after which this page may have that revision
 */
function createLoader(settle) {
  let newest = "";
  let isLoading = false;
  return async (/** @type {string} */ etag) => {
    newest = etag;
    if (isLoading) return;
    isLoading = true;
    try {
      for (let checked = ""; checked !== newest; ) {
        await settle();
        checked = newest;
        if (!isLoaded(checked)) await refreshDocument();
      }
    } catch (error) {
      // The regular refresh tries again.
      console.warn(error);
    } finally {
      isLoading = false;
    }
  };
}

/** Returns the text for a person. @param {Person} person */
const describePerson = ({ name, activity }) => (activity === "edit" ? getText("presence.editing", { name }) : getText("presence.viewing", { name }));

/** Builds the list of avatars. It is hidden while nobody else is here. */
function buildPeopleList() {
  const list = h("ul", { class: "presence", id: "presence", "aria-label": getText("presence.list"), hidden: () => people.value.length === 0 });
  const rest = () => people.value.slice(MAX_AVATARS);
  const more = () => (rest().length ? [{ id: "", name: "", avatar_url: "", activity: /** @type {const} */ ("view"), since: "" }] : []);
  syncKeyedList(
    list,
    () => [...people.value.slice(0, MAX_AVATARS), ...more()],
    ({ id }) => id,
    (entry) => {
      if (entry.peek().id === "") {
        const describeRest = () => rest().map(describePerson).join("\n");
        return h("li", { class: "presence-more", title: describeRest }, h("span", { "aria-hidden": true }, () => `+${rest().length}`), h("span", { class: "hidden" }, describeRest));
      }
      const text = () => describePerson(entry.value);
      return h("li", { title: text, "data-activity": () => entry.value.activity }, h("img", { src: resolveApiUrl(entry.peek().avatar_url), width: 28, height: 28, alt: text }));
    },
  );
  return list;
}

/**
 * Shows the other people in the header, and loads changes of others at once while the connection is open.
 * @param {{ settle?: () => Promise<unknown> }} [options] `settle` waits for a running save
 */
export function startPresence({ settle = async () => {} } = {}) {
  const load = createLoader(settle);
  document.querySelector(".chart-names")?.append(buildPeopleList());
  keepStream({
    onPeople: (next) => {
      next.forEach(({ id, name }) => names.set(id, name));
      people.value = next;
    },
    onRevision: ({ etag, updated_by: author, updated_by_name: name }) => {
      if (author && name) names.set(author, name);
      load(etag);
    },
    onStateChange: (isOpen) => {
      setPushed(isOpen);
      if (!isOpen) people.value = [];
      // An unchanged revision loads nothing, and the regular refresh is rare while the stream is open.
      else if (connectionState.peek() === "offline") refreshDocument().catch(() => {});
    },
    // The response has the reason, and the page shows it.
    onEnd: () => refreshDocument().catch(() => {}),
    mayConnect: () => ["live", "offline"].includes(connectionState.peek()),
  });
}
