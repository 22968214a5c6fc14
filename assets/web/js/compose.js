// @ts-check
/** The form for a comment: `@` lists people to mention, Ctrl+Enter sends. */

import { h } from "./core.js";
import { load, members } from "./threads.js";
import { button, busy, showError } from "./ui.js";

/** Maximum length of a comment in characters, the same as on the server. */
const MOST = 10_000;
/** Maximum number of people in the list. */
const OFFERED = 6;

/** @typedef {import("./threads.js").Part} Part */
/** @typedef {import("./threads.js").Member} Member */

let counter = 0;

/**
 * Splits the text of a comment into parts. The name of a picked person becomes a mention.
 * @param {string} text
 * @param {Map<string, number>} picked names and ids
 * @returns {Part[]}
 */
export function parts(text, picked) {
  /** @type {Part[]} */
  const found = [];
  let rest = text;
  while (rest) {
    const hits = [...picked].map(([name, id]) => ({ name, id, at: rest.indexOf(`@${name}`) })).filter((it) => it.at >= 0);
    // Use the first name in the text. If two names start there, use the longer one.
    hits.sort((a, b) => a.at - b.at || b.name.length - a.name.length);
    const [hit] = hits;
    if (!hit) break;
    if (hit.at > 0) found.push({ type: "text", text: rest.slice(0, hit.at) });
    found.push({ type: "user", id: hit.id });
    rest = rest.slice(hit.at + hit.name.length + 1);
  }
  if (rest) found.push({ type: "text", text: rest });
  return found;
}

/**
 * @param {object} options
 * @param {string} options.label accessible name and placeholder
 * @param {string} options.action label of the button
 * @param {(content: Part[]) => Promise<unknown>} options.send
 * @param {() => void} options.cancel
 * @param {Part[]} [options.content] initial content
 * @returns {{ element: HTMLFormElement, focus: () => void }}
 */
export function composer({ label, action, send, cancel, content = [] }) {
  const id = `people-${(counter += 1)}`;
  /** @type {Map<string, number>} */
  const picked = new Map();
  const name = (/** @type {number} */ id) => members.peek().find((it) => it.id === id)?.name;
  const text = content.map((it) => {
    if (it.type === "text") return it.text;
    const known = it.name ?? name(it.id) ?? String(it.id);
    picked.set(known, it.id);
    return `@${known}`;
  });
  const input = h("textarea", { rows: 3, maxlength: MOST, "aria-label": label, placeholder: `${label}; @ mentions somebody`, "aria-autocomplete": "list" });
  input.value = text.join("");
  const list = h("ul", { class: "people", role: "listbox", id, "aria-label": "People", hidden: true });
  const count = h("span", { class: "hidden", role: "status" });
  const fault = h("div");
  /** @type {Member[]} */
  let offered = [];
  let active = 0;

  const typed = () => /(?:^|\s)@([^@\n]{0,40})$/.exec(input.value.slice(0, input.selectionStart))?.[1];

  const paint = () => {
    list.hidden = !offered.length;
    list.replaceChildren(...offered.map((it, index) => row(it, index)));
    if (offered.length) {
      input.setAttribute("aria-controls", id);
      input.setAttribute("aria-activedescendant", `${id}-${active}`);
      count.textContent = `${offered.length} ${offered.length === 1 ? "person" : "people"}: arrows choose, Enter takes`;
    } else {
      input.removeAttribute("aria-controls");
      input.removeAttribute("aria-activedescendant");
      count.textContent = "";
    }
  };

  const row = (/** @type {Member} */ it, /** @type {number} */ index) => {
    const take = (/** @type {Event} */ event) => {
      event.preventDefault();
      pick(it);
    };
    return h(
      "li",
      { role: "option", id: `${id}-${index}`, "aria-selected": index === active, onpointerdown: take },
      h("span", null, it.name),
      it.email && h("span", { class: "muted" }, it.email),
    );
  };

  const offer = () => {
    const query = typed()?.toLowerCase();
    active = 0;
    const fits = (/** @type {Member} */ it) => {
      const all = `${it.name} ${it.email ?? ""}`.toLowerCase();
      return all.startsWith(query ?? "") || all.includes(` ${query}`) || (query && all.includes(query));
    };
    offered = query === undefined ? [] : members.peek().filter(fits).slice(0, OFFERED);
    paint();
  };

  const pick = (/** @type {Member} */ it) => {
    const end = input.selectionStart;
    const begin = input.value.slice(0, end).lastIndexOf("@");
    picked.set(it.name, it.id);
    input.setRangeText(`@${it.name} `, begin, end, "end");
    offered = [];
    paint();
    input.focus();
  };

  const keys = (/** @type {KeyboardEvent} */ event) => {
    const turn = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    else if (offered.length && turn) {
      active = (active + turn + offered.length) % offered.length;
      paint();
    } else if (offered.length && (event.key === "Enter" || event.key === "Tab")) pick(offered[active]);
    else if (event.key === "Escape" && offered.length) {
      offered = [];
      paint();
    } else if (event.key === "Escape") cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const submit = button(action, { kind: "primary", type: "submit", title: "Ctrl+Enter" });
  const form = h(
    "form",
    {
      class: "composer",
      onsubmit: async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        showError(fault);
        if (!input.value.trim()) {
          showError(fault, "Write something first.");
          input.focus();
          return;
        }
        if (submit.hasAttribute("aria-busy")) return;
        try {
          await busy(submit, () => send(parts(input.value.trim(), picked)));
        } catch (error) {
          // The field keeps the text.
          showError(fault, error);
        }
      },
    },
    input,
    list,
    count,
    fault,
    h("div", { class: "composer-actions" }, submit, button("Cancel", { onclick: cancel })),
  );
  // Reload the members, because the chart may have been shared with more people in the meantime.
  input.addEventListener("focus", () => load().catch(() => {}), { once: true });
  input.addEventListener("input", offer);
  input.addEventListener("keydown", keys);
  input.addEventListener("blur", () => {
    offered = [];
    paint();
  });
  return { element: form, focus: () => input.focus() };
}
