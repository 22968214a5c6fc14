// @ts-check
/** Script of every page: local times, appearance, shortcuts and the search box. */

import { h } from "./core.js";
import { keysMenu, mayAct, showKeys } from "./keys.js";
import { searchBox } from "./search.js";
import { localTimes } from "./time.js";

const CHOICES = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** @param {string} value */
function choose(value) {
  const root = document.documentElement;
  if (value === "system") delete root.dataset.appearance;
  else root.dataset.appearance = value;
  try {
    localStorage.setItem("appearance", value);
  } catch {
    // Without storage the choice applies to this page only.
  }
}

/** @param {HTMLElement} place */
function appearance(place) {
  const now = document.documentElement.dataset.appearance ?? "system";
  const options = CHOICES.map(([value, label]) =>
    h("label", null, h("input", { type: "radio", name: "appearance", value, checked: value === now, onchange: () => choose(value) }), label),
  );
  place.append(h("fieldset", { class: "segments" }, h("legend", { class: "hidden" }, "Appearance"), options));
}

/** Passes the fragment of a comment link through the sign-in, because browsers do not send it to the server. */
function keepFragment() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[action='/sign-in']"));
  if (form) form.action += location.hash;
}

localTimes();
keepFragment();
const place = document.getElementById("appearance");
if (place) {
  appearance(place);
  keysMenu(place);
}
const box = /** @type {HTMLInputElement | null} */ (document.getElementById("q"));
if (box) {
  searchBox(box);
  document.addEventListener("keydown", (event) => {
    if (!["/", "?"].includes(event.key) || event.ctrlKey || event.metaKey || !mayAct(event)) return;
    event.preventDefault();
    if (event.key === "?") return showKeys();
    box.focus();
    box.select();
  });
}
