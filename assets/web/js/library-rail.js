// @ts-check
/** The folder tree of the library. */

import { effect, h, signal } from "./core.js";
import { target } from "./library-cards.js";
import { folderView, parentOf } from "./library-model.js";
import { icon } from "./ui.js";

/** @typedef {import("./library-model.js").Place} Place */

/** Key of the open folders in the session storage. */
const KEPT = "library-open";

/**
 * @param {HTMLElement} list list of accounts; the server renders its first level
 * @param {{ user: { id: string }, owner?: string, path?: string, view: string }} boot
 * @param {import("./library-cards.js").LibraryContext} context
 * @param {import("./core.js").Signal<Place[] | null>} places
 */
export function rail(list, boot, context, places) {
  const open = signal(new Set(JSON.parse(sessionStorage.getItem(KEPT) ?? "null") ?? [`${boot.user.id}:/`]));
  if (boot.view === "folder" && boot.path) {
    for (let at = boot.path; at !== "/"; at = parentOf(at)) open.peek().add(`${boot.owner}:${parentOf(at)}`);
  }
  const flip = (/** @type {string} */ key) => {
    const next = new Set(open.peek());
    if (!next.delete(key)) next.add(key);
    open.value = next;
    sessionStorage.setItem(KEPT, JSON.stringify([...next]));
    // The tree was rebuilt. Return the focus to the pressed button.
    /** @type {HTMLElement | null} */ (list.querySelector(`[data-flip="${CSS.escape(key)}"]`))?.focus();
  };

  /**
   * @param {Place} place
   * @param {{ name: string, title: string, mode: string }} folder
   * @returns {HTMLElement}
   */
  const node = (place, folder) => {
    const key = `${place.owner.id}:${folder.name}`;
    const inside = place.folders.filter((it) => it.name !== "/" && it.name !== folder.name && parentOf(it.name) === folder.name);
    const isOpen = open.value.has(key);
    const label = folder.name === "/" ? (place.owner.id === boot.user.id ? "My charts" : place.owner.name) : folder.title;
    const here = boot.view === "folder" && boot.owner === place.owner.id && boot.path === folder.name;
    const picture = folder.name === "/" && place.owner.type === "org" ? "organization" : "folder";
    const link = h("a", { href: folderView(place.owner.id, folder.name), "aria-current": here ? "page" : null }, icon(picture), h("span", null, label));
    if (folder.mode === "w") target(link, context, () => ({ owner: place.owner.id, folder: folder.name }));
    const twist = h("button", { type: "button", class: "twist", "data-flip": key, "aria-expanded": isOpen, "aria-label": `Folders in ${label}`, onclick: () => flip(key) }, icon("right"));
    return h(
      "li",
      null,
      h("div", { class: "branch" }, inside.length ? twist : h("span", { class: "twist" }), link),
      isOpen && inside.length > 0 && h("ul", null, inside.map((it) => node(place, it))),
    );
  };

  effect(() => {
    const all = places.value;
    if (!all) return;
    const tops = all.flatMap((place) => {
      const names = new Set(place.folders.map((it) => it.name));
      // A shared folder is a root if its parent is not shared.
      const first = place.folders.filter((it) => it.name === "/" || !(names.has("/") || names.has(parentOf(it.name))));
      return first.map((it) => node(place, it));
    });
    list.replaceChildren(...tops);
  });
}
