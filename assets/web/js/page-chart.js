// @ts-check
/** The chart page: buttons, title and panels. Modules of dialogs are loaded on first use. */

import { ApiError, patch } from "./api.js";
import { at, by, chart, doc, follow, heard, refresh, state, tag } from "./chart.js";
import { effect, h, scope, signal } from "./core.js";
import { mayAct } from "./keys.js";
import { adopt, show } from "./picture.js";
import { guarded, whoChanged } from "./stale.js";
import { button, clockTime, errorText, find, icon, localTime, showError, timeElement, toast } from "./ui.js";

const tools = find("#tools");
const notices = find("#notices");

/** Name of the open panel: `comments`, `history` or null. */
const open = signal(/** @type {string | null} */ (null));

/** @type {Record<string, () => Promise<{ panel: (close: () => void) => HTMLElement, closed?: () => void }>>} */
const PANELS = {
  comments: () => import("./comments.js"),
  history: () => import("./history.js"),
};

/** @type {HTMLElement | null} */
let panel = null;

/** @type {(() => void) | undefined} Cleanup of the open panel. */
let cleanupPanel;

/** @param {string | null} name */
async function toggle(name) {
  cleanupPanel?.();
  cleanupPanel = undefined;
  panel?.remove();
  panel = null;
  open.value = open.peek() === name ? null : name;
  const wanted = open.peek();
  find("#body").classList.toggle("with-panel", wanted !== null);
  if (!wanted) return;
  try {
    const parts = await PANELS[wanted]();
    if (open.peek() !== wanted) return;
    const close = () => {
      toggle(wanted);
      find(`#tool-${wanted}`).focus();
    };
    const [element, end] = scope(() => parts.panel(close));
    panel = element;
    cleanupPanel = () => {
      end();
      parts.closed?.();
    };
    panel.id = "panel";
    find("#body").append(panel);
    /** @type {HTMLElement | null} */ (panel.querySelector("h2"))?.focus();
  } catch (error) {
    toggle(wanted);
    toast(errorText(error), { bad: true });
  }
}

/**
 * Loads the module of a dialog and opens the dialog.
 * @param {() => Promise<{ open: () => unknown }>} load
 */
async function openDialog(load) {
  try {
    (await load()).open();
  } catch (error) {
    toast(errorText(error), { bad: true });
  }
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} picture
 */
function panelButton(name, label, picture) {
  const attrs = { id: `tool-${name}`, "aria-controls": "panel", "aria-expanded": () => open.value === name };
  return button(label, { icon: picture, ...attrs, onclick: () => toggle(name) });
}

/** Connects the export buttons: the first repeats the last export, the second opens the dialog. */
function exportButtons() {
  const label = signal("");
  const ask = () => openDialog(() => import("./dialog-export.js"));
  const renew = () => {
    label.value = localStorage.getItem("export-label") ?? "";
  };
  renew();
  window.addEventListener("exported", renew);
  const again = async () => {
    if (!label.peek()) return ask();
    try {
      (await import("./dialog-export.js")).again();
    } catch (error) {
      toast(errorText(error), { bad: true });
    }
  };
  const first = h("button", { type: "button", class: "button quiet", id: "tool-export", onclick: again }, icon("download"), () =>
    label.value ? `Export ${label.value}` : "Export",
  );
  const more = h("button", { type: "button", class: "button quiet", "aria-label": "Export options", hidden: () => !label.value, onclick: ask }, icon("down"));
  return h("div", { class: "joined" }, first, more);
}

function buildTools() {
  if (chart.user) {
    const count = h("span", { id: "comment-count", class: "count", hidden: true });
    const comments = panelButton("comments", "Comments", "comment");
    comments.append(count);
    tools.append(comments, panelButton("history", "History", "history"));
  }
  if (chart.inTrash) return;
  tools.append(exportButtons());
  if (!chart.user) return;
  if (chart.writes) tools.append(button("Cast", { icon: "cast", id: "tool-cast", onclick: () => openDialog(() => import("./dialog-cast.js")) }));
  tools.append(button("Share", { kind: "primary", icon: "share", id: "tool-share", onclick: () => openDialog(() => import("./dialog-share.js")) }));
}

/** Makes the title editable in place. */
function buildName() {
  const place = find("#name");
  const heading = find("h1", place);
  if (!chart.writes) return;
  const start = h("button", { type: "button", class: "cross", "aria-label": "Rename", onclick: () => edit() }, icon("pencil"));
  place.append(start);
  const edit = (/** @type {string} */ offer = doc.peek()?.title ?? heading.textContent ?? "") => {
    const input = h("input", { type: "text", value: offer, maxlength: 500, "aria-label": "Title", autocomplete: "off" });
    const fault = h("div");
    const end = () => {
      form.remove();
      heading.hidden = start.hidden = false;
      start.focus();
    };
    const save = async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      showError(fault);
      const title = input.value.trim();
      try {
        await guarded((ifMatch) => patch(at(), { title }, { query: by(), ifMatch }), tag(), chart.user);
        await refresh();
        end();
      } catch (error) {
        const isStale = error instanceof ApiError && error.isStale;
        if (isStale) await refresh();
        showError(fault, isStale ? `${whoChanged(error.problem, "this chart")}. Save again to rename it all the same.` : error);
        if (error instanceof ApiError && error.status === 409) offerFree(fault, input, title);
      }
    };
    const form = h(
      "form",
      { class: "rename", onsubmit: save, onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && end() },
      input,
      button("Save", { kind: "primary", type: "submit" }),
      button("Cancel", { onclick: end }),
      fault,
    );
    heading.hidden = start.hidden = true;
    place.append(form);
    input.select();
  };
}

/**
 * Offers a free title with a number if the title is taken.
 * @param {HTMLElement} fault
 * @param {HTMLInputElement} input
 * @param {string} title
 */
function offerFree(fault, input, title) {
  const [, words, number] = /^(.*?)(?: \((\d+)\))?$/.exec(title) ?? [];
  const free = `${words} (${Number(number ?? 1) + 1})`;
  const take = () => {
    input.value = free;
    input.focus();
  };
  fault.append(button(`Use “${free}”`, { onclick: take }));
}

const STATES = {
  offline: () => `Offline: the picture is as of ${clockTime(heard)}. It comes up to date by itself.`,
  gone: () => "This chart was removed, or is no longer shared with you. What you see is its last state.",
  "signed-out": () => "You are signed out.",
};

/** Shows the reason why the page is not up to date. */
function buildNotices() {
  const live = h("div", { role: "status" });
  notices.append(live);
  effect(() => {
    const say = STATES[/** @type {keyof typeof STATES} */ (state.value)];
    const next = encodeURIComponent(location.pathname + location.search);
    live.replaceChildren();
    if (!say) return;
    const signIn = state.value === "signed-out" && h("a", { href: `/sign-in?next=${next}` }, "Sign in");
    const library = state.value === "gone" && h("a", { href: "/" }, "My charts");
    live.append(h("p", { class: "notice" }, state.value === "offline" ? icon("offline") : icon("warn"), h("span", null, say(), " ", signIn || library)));
  });
}

/** Updates the title, the time and the image when the document changes. */
function followDocument() {
  const heading = find("#name h1");
  let shown = "";
  effect(() => {
    const now = doc.value;
    if (!now) return;
    heading.textContent = now.title.trim() || "Untitled";
    document.title = `${heading.textContent} - Chartroom`;
    const time = timeElement(now.updated);
    time.id = "changed";
    find("#changed").replaceWith(time);
    find(".printed time").textContent = localTime(now.updated);
    const mark = `${now.updated} ${now.history_version}`;
    const isFirst = !shown;
    if (mark === shown) return;
    shown = mark;
    // The page already contains the first image.
    if (isFirst && now.updated === first) return;
    window.dispatchEvent(new CustomEvent("changed"));
    if (!document.querySelector("#preview")) show().catch((error) => toast(errorText(error), { bad: true }));
  });
}

const first = find("#changed").getAttribute("datetime");

/** Handles single-key shortcuts. */
function buildKeys() {
  document.addEventListener("keydown", (event) => {
    if (!chart.user || event.ctrlKey || event.metaKey || !mayAct(event)) return;
    const key = event.key;
    if (key === "h" || key === "H") toggle("history");
    else if (["c", "C", "n", "N"].includes(key)) pressed(key);
    else return;
    event.preventDefault();
  });
}

/** @param {string} key */
async function pressed(key) {
  const comments = await import("./comments.js");
  if (key !== "C" && open.peek() !== "comments") await toggle("comments");
  comments.pressed(key);
}

async function start() {
  adopt();
  buildTools();
  buildName();
  buildNotices();
  buildKeys();
  followDocument();
  try {
    await refresh();
  } catch (error) {
    toast(errorText(error), { bad: true });
  }
  follow();
  if (!chart.user) return;
  const comments = await import("./comments.js");
  await comments.begin();
  if (location.hash.startsWith("#comment-")) {
    if (open.peek() !== "comments") await toggle("comments");
    comments.goTo(location.hash.slice("#comment-".length));
  }
  window.addEventListener("hashchange", async () => {
    if (!location.hash.startsWith("#comment-")) return;
    if (open.peek() !== "comments") await toggle("comments");
    comments.goTo(location.hash.slice("#comment-".length));
  });
  window.addEventListener("open-comments", () => open.peek() !== "comments" && toggle("comments"));
}

start();
