// @ts-check
/** The comments panel, and the commands that start, find and move comments. */

import { url } from "./api.js";
import { alongside, chart } from "./chart.js";
import { composer } from "./compose.js";
import { effect, h, keyedList, signal } from "./core.js";
import { buildPins, middle } from "./pins.js";
import {
  begin as beginThread,
  change,
  draft,
  fault,
  isMine,
  load,
  loaded,
  mayDelete,
  moving,
  pinsHidden,
  placing,
  remove,
  reply,
  resolve,
  selected,
  showResolved,
  shown,
  threads,
} from "./threads.js";
import { button, confirm, errorText, find, icon, menu, showError, timeElement, toast } from "./ui.js";

/** @typedef {import("./threads.js").Thread} Thread */
/** @typedef {import("./threads.js").Comment} Comment */
/** @template T @typedef {import("./core.js").Signal<T>} Signal */

/** Loads the threads, shows their pins and keeps them up to date. */
export async function begin() {
  buildPins();
  effect(() => {
    const open = threads.value.filter((it) => !it.resolved).length;
    const count = find("#comment-count");
    count.hidden = !open;
    count.textContent = String(open);
  });
  effect(() => {
    // The text of a new comment is entered in the panel.
    if (draft.value) window.dispatchEvent(new Event("open-comments"));
  });
  await load().catch(() => {});
  alongside(load);
}

const failed = (/** @type {unknown} */ error) => toast(errorText(error), { bad: true });

/** Handles the keys C, N, Shift+C and Shift+N. @param {string} key */
export function pressed(key) {
  if (key === "C") {
    pinsHidden.value = !pinsHidden.peek();
    toast(pinsHidden.peek() ? "Pins are hidden. Shift+C shows them." : "Pins are shown.", { seconds: 3 });
  } else if (key === "c") place();
  else step(key === "n" ? 1 : -1);
}

function place() {
  pinsHidden.value = false;
  draft.value = null;
  placing.value = true;
  find(".stage-hint button").focus();
}

/** Selects the next or the previous thread. @param {number} by */
function step(by) {
  const all = shown.peek();
  if (!all.length) return;
  const now = all.findIndex((it) => it.id === selected.peek());
  const to = now < 0 ? (by > 0 ? 0 : all.length - 1) : (now + by + all.length) % all.length;
  goTo(all[to].id);
}

/** Selects a thread by its id or the id of one of its comments. @param {string} id */
export function goTo(id) {
  const thread = threads.peek().find((it) => it.id === id || it.comments.some((said) => said.id === id));
  if (!thread) {
    if (loaded.peek()) toast("This comment is not there any more.");
    return;
  }
  selected.value = thread.id;
  history.replaceState(null, "", `#comment-${id}`);
  const element = document.getElementById(`comment-${id}`) ?? document.getElementById(`thread-${thread.id}`);
  element?.scrollIntoView({ block: "nearest" });
  document.getElementById(`thread-${thread.id}`)?.focus({ preventScroll: true });
}

/** @param {Thread} thread */
function startMove(thread) {
  pinsHidden.value = false;
  moving.value = thread.id;
  const pin = document.getElementById(`pin-${thread.id}`);
  pin?.focus();
  pin?.addEventListener("blur", () => (moving.value = null), { once: true });
}

/** @param {Thread} thread */
async function copyLink(thread) {
  const { origin, pathname, search } = location;
  await navigator.clipboard.writeText(`${origin}${pathname}${search}#comment-${thread.id}`);
  toast("The link to this comment is copied.", { seconds: 4 });
}

/** @param {Thread} thread */
async function removeThread(thread) {
  const count = thread.comments.length;
  const text = count > 1 ? `Its ${count} comments are deleted for everybody.` : "It is deleted for everybody.";
  await confirm({ title: `Delete comment ${thread.number}?`, text, action: "Delete", danger: true, run: () => remove(thread.id) });
}

/** @param {Comment} comment */
async function removeComment(comment) {
  await confirm({ title: "Delete this comment?", text: "It is deleted for everybody.", action: "Delete", danger: true, run: () => remove(comment.thread_id, comment.id) });
}

/** @param {Comment} comment */
function words(comment) {
  const say = (/** @type {import("./threads.js").Part} */ it) => (it.type === "text" ? it.text : h("span", { class: "mention" }, `@${it.name ?? "somebody"}`));
  return h("p", { class: "words" }, comment.content.map(say));
}

/** @param {Signal<Comment>} entry */
function saidRow(entry) {
  const editing = signal(false);
  const { id, author_displayname: name, author_avatar_url: avatar, created } = entry.peek();
  const edit = () => {
    const field = composer({
      label: "Change the comment",
      action: "Save",
      content: entry.peek().content,
      cancel: () => (editing.value = false),
      send: async (content) => {
        await change(entry.peek(), content);
        editing.value = false;
      },
    });
    queueMicrotask(field.focus);
    return field.element;
  };
  const own = isMine(entry.peek()) && [
    h("button", { type: "button", class: "link", onclick: () => (editing.value = true) }, "Edit"),
    mayDelete && h("button", { type: "button", class: "link", onclick: () => removeComment(entry.peek()) }, "Delete"),
  ];
  return h(
    "li",
    { id: `comment-${id}`, class: "said" },
    avatar && h("img", { class: "avatar", src: url(avatar), width: 24, height: 24, alt: "" }),
    h("p", { class: "by" }, h("strong", null, name), " ", timeElement(created), () => entry.value.updated && " · edited"),
    () => (editing.value ? edit() : words(entry.value)),
    h("p", { class: "said-actions" }, own),
  );
}

/** @param {Signal<Thread>} entry */
function threadRow(entry) {
  const id = entry.peek().id;
  const answering = signal(false);
  const answer = () => {
    const field = composer({
      label: "Reply",
      action: "Reply",
      cancel: () => (answering.value = false),
      send: async (content) => {
        await reply(id, content);
        answering.value = false;
      },
    });
    queueMicrotask(field.focus);
    return field.element;
  };
  const settle = () => resolve(id, !entry.peek().resolved).catch(failed);
  const more = (/** @type {MouseEvent} */ event) => {
    const thread = entry.peek();
    menu(
      /** @type {Element} */ (event.currentTarget),
      [
        { label: "Move its pin", icon: "move", run: () => startMove(thread) },
        { label: "Copy link", icon: "link", run: () => copyLink(thread) },
        ...(mayDelete ? [null, { label: "Delete", icon: "trash", danger: true, run: () => removeThread(thread) }] : []),
      ],
      `Comment ${thread.number}`,
    );
  };
  const said = h("ol", { class: "sayings" });
  keyedList(said, () => entry.value.comments, (it) => it.id, saidRow);
  return h(
    "li",
    {
      id: `thread-${id}`,
      tabindex: -1,
      class: () => ["thread", selected.value === id && "selected", entry.value.resolved && "resolved"],
      onclick: () => (selected.value = id),
    },
    h(
      "div",
      { class: "thread-head" },
      h("button", { type: "button", class: "pin-mark", "aria-label": () => `Show pin ${entry.value.number} on the picture`, onclick: () => document.getElementById(`pin-${id}`)?.focus() }, () => entry.value.number),
      () => entry.value.resolved && h("span", { class: "badge" }, "Resolved"),
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "link", onclick: settle }, () => (entry.value.resolved ? "Reopen" : "Resolve")),
      h("button", { type: "button", class: "cross", "aria-label": () => `More about comment ${entry.value.number}`, "aria-haspopup": "menu", "aria-expanded": false, onclick: more }, icon("more")),
    ),
    said,
    () => (answering.value ? answer() : h("button", { type: "button", class: "link", onclick: () => (answering.value = true) }, "Reply")),
  );
}

/** Builds the form for a new thread. It is visible while a position on the image is marked. */
function newThread() {
  const place = h("div");
  /** @type {HTMLElement | null} */
  let shownField = null;
  effect(() => {
    const marked = draft.value !== null;
    if (!marked) place.replaceChildren();
    if (!marked || shownField?.isConnected) return;
    const field = composer({
      label: "New comment",
      action: "Comment",
      cancel: () => (draft.value = null),
      send: async (content) => {
        const id = await beginThread(draft.peek() ?? middle(), content);
        draft.value = null;
        goTo(id);
      },
    });
    shownField = field.element;
    place.replaceChildren(h("div", { class: "new-thread" }, h("p", { class: "muted" }, "The pin marked + shows where it will stand."), field.element));
    queueMicrotask(field.focus);
  });
  return place;
}

/**
 * Builds the panel.
 * @param {() => void} close
 */
export function panel(close) {
  const list = h("ol", { class: "threads" });
  keyedList(list, () => shown.value, (it) => it.id, threadRow);
  const state = h("div");
  effect(() => {
    const [problem, all] = [fault.value, threads.value];
    showError(state, problem);
    const empty = !problem && !shown.value.length && !draft.value;
    if (problem) state.append(button("Try again", { onclick: () => load().catch(() => {}) }));
    else if (!loaded.value) state.append(h("p", { class: "muted" }, "Reading the comments…"));
    else if (empty) state.append(h("p", { class: "muted" }, all.length ? "All comments are resolved." : "No comments yet. Press New comment, then the place on the picture that it is about."));
  });
  const resolvedCount = () => threads.value.filter((it) => it.resolved).length;
  return h(
    "aside",
    { class: "panel", "aria-labelledby": "panel-title" },
    h(
      "header",
      { class: "panel-head" },
      h("h2", { id: "panel-title", tabindex: -1 }, "Comments"),
      button("New comment", { icon: "plus", onclick: place }),
      h("button", { type: "button", class: "cross", "aria-label": "Close comments", onclick: close }, icon("close")),
    ),
    h(
      "div",
      { class: "panel-body" },
      newThread(),
      state,
      list,
      () =>
        resolvedCount() > 0 &&
        h("label", { class: "check" }, h("input", { type: "checkbox", checked: showResolved.value, onchange: (/** @type {Event} */ event) => (showResolved.value = /** @type {HTMLInputElement} */ (event.target).checked) }), `Show resolved (${resolvedCount()})`),
      chart.user && h("p", { class: "keys muted" }, "C new, N next, Shift+N previous, Shift+C hides the pins."),
    ),
  );
}

/** Discards the unplaced comment when the panel is closed. */
export function closed() {
  draft.value = null;
  placing.value = false;
  selected.value = null;
}
