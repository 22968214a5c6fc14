// @ts-check
/** The comments panel, and the commands that create, select and move comments. */

import { resolveApiUrl } from "./api.js";
import { chart, registerRefreshTask } from "./chart.js";
import { buildBase, findRequest, readDraft, removeDraft, saveDraft, startDrafts, takeDraftsOfDeleted, watchDraft } from "./comment-drafts.js";
import { createCommentForm, splitMentions } from "./comment-form.js";
import { effect, h, signal, syncKeyedList } from "./core.js";
import { buildPins, getImageCenter } from "./pins.js";
import { getText } from "./texts.js";
import {
  addReply,
  arePinsHidden,
  createThread,
  deleteComments,
  draftPosition,
  isLoaded,
  isOwnComment,
  isPlacing,
  loadError,
  loadThreads,
  mayDelete,
  movingThreadId,
  selectedThreadId,
  setResolved,
  showsResolved,
  threads,
  updateComment,
  visibleThreads,
} from "./threads.js";
import { askConfirmation, createButton, createIcon, createTimeElement, describeError, findElement, openMenu, showError, showToast } from "./ui.js";

/** @typedef {import("./threads.js").Thread} Thread */
/** @typedef {import("./threads.js").Comment} Comment */
/** @template T @typedef {import("./core.js").Signal<T>} Signal */

/** Builds the pins and the count of open threads, loads the threads, and reloads them with each refresh. */
export async function startComments() {
  startDrafts();
  buildPins();
  // The key C may have been pressed before.
  if (isPlacing.peek()) focusHint();
  effect(() => {
    const openCount = threads.value.filter((thread) => !thread.resolved).length;
    const badge = findElement("#comment-count");
    badge.hidden = !openCount;
    badge.textContent = String(openCount);
  });
  effect(() => {
    // The text of a new comment is entered in the panel.
    if (draftPosition.value) window.dispatchEvent(new Event("open-comments"));
  });
  effect(() => {
    if (isLoaded.value) keepTextsOfDeleted(takeDraftsOfDeleted(threads.value));
  });
  if (readDraft(NEW_COMMENT)) showToast(getText("comments-panel.unsent"), { action: { label: getText("comments-panel.continue"), run: continueNewComment } });
  await loadThreads().catch(() => {});
  registerRefreshTask(loadThreads);
}

const showErrorToast = (/** @type {unknown} */ error) => showToast(describeError(error), { isError: true });

/** Handles the keys C, N, Shift+C and Shift+N. @param {string} key */
export function handleShortcut(key) {
  if (key === "C") {
    arePinsHidden.value = !arePinsHidden.peek();
    showToast(getText(arePinsHidden.peek() ? "comments-panel.pinsHidden" : "comments-panel.pinsShown"), { seconds: 3 });
  } else if (key === "c") startPlacing();
  else selectAdjacentThread(key === "n" ? 1 : -1);
}

/** Name of the draft of a new comment. */
const NEW_COMMENT = "new";

/** Makes the texts for comments that somebody else has deleted a new comment, unless another one is not sent yet. @param {import("./comment-drafts.js").CommentDraft[]} drafts */
function keepTextsOfDeleted(drafts) {
  const text = drafts.map((draft) => draft.text).join("\n\n");
  if (!text) return;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    showToast(getText("comments-panel.textCopied"), { seconds: 4 });
  };
  if (readDraft(NEW_COMMENT)) return void showToast(getText("comments-panel.deletedElsewhere"), { seconds: 20, action: { label: getText("comments-panel.copyText"), run: copy } });
  saveDraft(NEW_COMMENT, { text, picked: drafts.flatMap((draft) => draft.picked) });
  showToast(getText("comments-panel.keptAsNew"), { seconds: 20, action: { label: getText("comments-panel.continue"), run: continueNewComment } });
}

/** Removes the drafts of a thread that the user deletes. @param {Thread} thread */
function removeDraftsOf(thread) {
  removeDraft(`reply:${thread.id}`);
  thread.comments.forEach(({ id }) => removeDraft(`edit:${id}`));
}

/** Shows the new comment that is not sent yet, if there is one. Returns whether there is one. */
function continueNewComment() {
  const draft = readDraft(NEW_COMMENT);
  if (draft) draftPosition.value ??= draft.position ?? getImageCenter();
  return draft !== null;
}

/** Starts the mode in which a press on the image sets the position of a new comment, or continues the unsent comment. */
function startPlacing() {
  // The text of a comment that cannot be sent becomes the draft again.
  const request = findRequest(NEW_COMMENT);
  if (request) return void request.then(startPlacing);
  arePinsHidden.value = false;
  if (continueNewComment()) return focusNewComment();
  draftPosition.value = null;
  isPlacing.value = true;
  focusHint();
}

/** Moves the focus to the field of the new comment, if it is built. */
const focusNewComment = () => /** @type {HTMLElement | null} */ (document.querySelector(".new-thread textarea"))?.focus();

/** Moves the focus to the hint with the keys, if it is built. */
function focusHint() {
  /** @type {HTMLElement | null} */ (document.querySelector(".stage-hint button"))?.focus();
}

/** Selects the next visible thread (1) or the previous one (-1). @param {number} offset */
function selectAdjacentThread(offset) {
  const visible = visibleThreads.peek();
  if (!visible.length) return;
  const current = visible.findIndex((thread) => thread.id === selectedThreadId.peek());
  const next = current < 0 ? (offset > 0 ? 0 : visible.length - 1) : (current + offset + visible.length) % visible.length;
  showThread(visible[next].id);
}

/** Selects a thread by its id or the id of one of its comments, and scrolls to it. @param {string} id */
export function showThread(id) {
  const thread = threads.peek().find((candidate) => candidate.id === id || candidate.comments.some((comment) => comment.id === id));
  if (!thread) {
    if (isLoaded.peek()) showToast(getText("comments-panel.gone"));
    return;
  }
  selectedThreadId.value = thread.id;
  history.replaceState(null, "", `#comment-${id}`);
  const element = document.getElementById(`comment-${id}`) ?? document.getElementById(`thread-${thread.id}`);
  element?.scrollIntoView({ block: "nearest" });
  document.getElementById(`thread-${thread.id}`)?.focus({ preventScroll: true });
}

/** Lets the arrow keys move the pin of a thread until it loses the focus. @param {Thread} thread */
function startMove(thread) {
  arePinsHidden.value = false;
  movingThreadId.value = thread.id;
  const pin = document.getElementById(`pin-${thread.id}`);
  pin?.focus();
  pin?.addEventListener("blur", () => (movingThreadId.value = null), { once: true });
}

/** @param {Thread} thread */
async function copyLink(thread) {
  const { origin, pathname, search } = location;
  await navigator.clipboard.writeText(`${origin}${pathname}${search}#comment-${thread.id}`);
  showToast(getText("comments-panel.linkCopied"), { seconds: 4 });
}

/** @param {Thread} thread */
async function confirmDeleteThread(thread) {
  const text = getText("comments-panel.deleteThreadConsequences", { count: thread.comments.length });
  await askConfirmation({ title: getText("comments-panel.deleteThread", { number: thread.number }), text, action: getText("common.delete"), danger: true, run: () => deleteComments(thread.id, undefined, () => removeDraftsOf(thread)) });
}

/** @param {Comment} comment */
async function confirmDeleteComment(comment) {
  await askConfirmation({ title: getText("comments-panel.deleteComment"), text: getText("comments-panel.deleteCommentConsequences"), action: getText("common.delete"), danger: true, run: () => deleteComments(comment.thread_id, comment.id, () => removeDraft(`edit:${comment.id}`)) });
}

/** Renders the text of a comment with its mentions. @param {Comment} comment */
function renderContent(comment) {
  const renderPart = (/** @type {import("./threads.js").Part} */ part) => (part.type === "text" ? part.text : h("span", { class: "mention" }, `@${part.name ?? getText("comments-panel.somebody")}`));
  return h("p", { class: "comment-text" }, comment.content.map(renderPart));
}

/**
 * Builds the place of a form that opens and closes. It is open from the start if it has a draft, and takes the focus
 * only when the user opens it. If it has the focus when it closes, the button that opens it gets the focus.
 * @param {string} draftName
 * @param {() => HTMLElement | undefined} getOpener
 * @param {(options: { draftName: string, close: (outcome: { hadFocus: boolean }) => void, reopen: () => void }) => { element: HTMLElement, focus: () => void }} build
 */
function createFormState(draftName, getOpener, build) {
  const isOpen = signal(readDraft(draftName) !== null);
  let takesFocus = false;
  const open = () => {
    const request = findRequest(draftName);
    if (request) return void request.then(open);
    takesFocus = true;
    isOpen.value = true;
  };
  const close = (/** @type {{ hadFocus: boolean }} */ { hadFocus }) => {
    isOpen.value = false;
    if (hadFocus) getOpener()?.focus();
  };
  const buildForm = () => {
    const form = build({ draftName, close, reopen: open });
    if (takesFocus) queueMicrotask(form.focus);
    return form.element;
  };
  return { isOpen, open, buildForm };
}

/** Removes the draft of a changed comment if the comment has its text by now. @param {string} name @param {Comment} comment */
function removeSavedDraft(name, { content }) {
  const draft = readDraft(name);
  if (draft && buildBase(splitMentions(draft.text.trim(), new Map(draft.picked))) === buildBase(content)) removeDraft(name);
}

/** @param {Signal<Comment>} entry */
function buildCommentRow(entry) {
  const { id, author_displayname: name, author_avatar_url: avatar, created } = entry.peek();
  const draftName = `edit:${id}`;
  removeSavedDraft(draftName, entry.peek());
  const openEditForm = () => {
    removeSavedDraft(draftName, entry.peek());
    editForm.open();
  };
  const editButton = h("button", { type: "button", class: "link", onclick: openEditForm }, getText("common.edit"));
  const editForm = createFormState(draftName, () => editButton, (options) =>
    createCommentForm({
      ...options,
      label: getText("comments-panel.change"),
      action: getText("common.save"),
      content: entry.peek().content,
      getSaved: () => entry.value.content,
      send: (content) => updateComment(entry.peek(), content),
    }),
  );
  const actions = isOwnComment(entry.peek()) && [
    editButton,
    mayDelete && h("button", { type: "button", class: "link", onclick: () => confirmDeleteComment(entry.peek()) }, getText("common.delete")),
  ];
  return h(
    "li",
    { id: `comment-${id}`, class: "comment" },
    avatar && h("img", { class: "avatar", src: resolveApiUrl(avatar), width: 24, height: 24, alt: "" }),
    h("p", { class: "by" }, h("strong", null, name), " ", createTimeElement(created), () => entry.value.updated && ` · ${getText("comments-panel.edited")}`),
    () => (editForm.isOpen.value ? editForm.buildForm() : renderContent(entry.value)),
    h("p", { class: "comment-actions" }, actions),
  );
}

/** @param {Signal<Thread>} entry */
function buildThreadRow(entry) {
  const id = entry.peek().id;
  /** @type {HTMLElement | undefined} */
  let replyButton;
  const buildReplyButton = () => {
    const getLabel = () => getText(watchDraft(`reply:${id}`) ? "comments-panel.continueReply" : "comments-panel.reply");
    return (replyButton = h("button", { type: "button", class: "link", onclick: replyForm.open }, getLabel));
  };
  const replyForm = createFormState(`reply:${id}`, () => replyButton, (options) =>
    createCommentForm({ ...options, label: getText("comments-panel.reply"), action: getText("comments-panel.reply"), send: (content) => addReply(id, content) }),
  );
  const toggleResolved = () => setResolved(id, !entry.peek().resolved).catch(showErrorToast);
  const openThreadMenu = (/** @type {MouseEvent} */ event) => {
    const thread = entry.peek();
    openMenu(
      /** @type {Element} */ (event.currentTarget),
      [
        { label: getText("comments-panel.movePin"), icon: "move", run: () => startMove(thread) },
        { label: getText("common.copyLink"), icon: "link", run: () => copyLink(thread) },
        ...(mayDelete ? [null, { label: getText("common.delete"), icon: "trash", danger: true, run: () => confirmDeleteThread(thread) }] : []),
      ],
      getText("comments-panel.commentNumber", { number: thread.number }),
    );
  };
  const comments = h("ol", { class: "comments" });
  syncKeyedList(comments, () => entry.value.comments, (comment) => comment.id, buildCommentRow);
  return h(
    "li",
    {
      id: `thread-${id}`,
      tabindex: -1,
      class: () => ["thread", selectedThreadId.value === id && "selected", entry.value.resolved && "resolved"],
      onclick: () => (selectedThreadId.value = id),
    },
    h(
      "div",
      { class: "thread-head" },
      h("button", { type: "button", class: "pin-mark", "aria-label": () => getText("comments-panel.showPin", { number: entry.value.number }), onclick: () => document.getElementById(`pin-${id}`)?.focus() }, () => entry.value.number),
      () => entry.value.resolved && h("span", { class: "badge" }, getText("comments-panel.resolved")),
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "link", onclick: toggleResolved }, () => getText(entry.value.resolved ? "comments-panel.reopen" : "comments-panel.resolve")),
      h("button", { type: "button", class: "cross", "aria-label": () => getText("comments-panel.moreAbout", { number: entry.value.number }), "aria-haspopup": "menu", "aria-expanded": false, onclick: openThreadMenu }, createIcon("more")),
    ),
    comments,
    () => (replyForm.isOpen.value ? replyForm.buildForm() : buildReplyButton()),
  );
}

/** Builds the form for a new thread. It is visible while the new comment has a position. */
function buildNewThreadForm() {
  const container = h("div");
  continueNewComment();
  /** @type {HTMLElement | null} */
  let formElement = null;
  effect(() => {
    const position = draftPosition.value;
    const draft = position ? readDraft(NEW_COMMENT) : watchDraft(NEW_COMMENT);
    if (!position) return container.replaceChildren(...(draft ? [createButton(getText("comments-panel.continue"), { onclick: continueNewComment })] : []));
    // The pin may have been moved.
    if (draft) saveDraft(NEW_COMMENT, { ...draft, position });
    if (formElement?.isConnected) return;
    let sentId = "";
    const form = createCommentForm({
      draftName: NEW_COMMENT,
      label: getText("common.newComment"),
      action: getText("comments-panel.comment"),
      getPosition: () => draftPosition.peek() ?? getImageCenter(),
      close: ({ hadFocus, isSent }) => {
        draftPosition.value = null;
        if (isSent) showThread(sentId);
        else if (hadFocus) (container.querySelector("button") ?? /** @type {HTMLElement | null} */ (document.querySelector(".panel-head .button")))?.focus();
      },
      reopen: continueNewComment,
      send: async (content) => {
        sentId = await createThread(draftPosition.peek() ?? getImageCenter(), content);
      },
    });
    formElement = form.element;
    container.replaceChildren(h("div", { class: "new-thread" }, h("p", { class: "muted" }, getText("comments-panel.draftPin")), form.element));
    queueMicrotask(form.focus);
  });
  return container;
}

/**
 * Builds the panel.
 * @param {() => void} close
 */
export function buildPanel(close) {
  const list = h("ol", { class: "threads" });
  syncKeyedList(list, () => visibleThreads.value, (thread) => thread.id, buildThreadRow);
  const status = h("div");
  effect(() => {
    const [error, allThreads] = [loadError.value, threads.value];
    showError(status, error);
    const isEmpty = !error && !visibleThreads.value.length && !draftPosition.value;
    if (error) status.append(createButton(getText("common.tryAgain"), { onclick: () => loadThreads().catch(() => {}) }));
    else if (!isLoaded.value) status.append(h("p", { class: "muted" }, getText("comments-panel.loading")));
    else if (isEmpty) status.append(h("p", { class: "muted" }, getText(allThreads.length ? "comments-panel.allResolved" : "comments-panel.none")));
  });
  const countResolved = () => threads.value.filter((thread) => thread.resolved).length;
  return h(
    "aside",
    { class: "panel", "aria-labelledby": "panel-title" },
    h(
      "header",
      { class: "panel-head" },
      h("h2", { id: "panel-title", tabindex: -1 }, getText("common.comments")),
      createButton(getText("common.newComment"), { icon: "plus", onclick: startPlacing }),
      h("button", { type: "button", class: "cross", "aria-label": getText("comments-panel.close"), onclick: close }, createIcon("close")),
    ),
    h(
      "div",
      { class: "panel-body" },
      buildNewThreadForm(),
      status,
      list,
      () =>
        countResolved() > 0 &&
        h("label", { class: "check" }, h("input", { type: "checkbox", checked: showsResolved.value, onchange: (/** @type {Event} */ event) => (showsResolved.value = /** @type {HTMLInputElement} */ (event.target).checked) }), getText("comments-panel.showResolved", { number: countResolved() })),
      chart.userId && h("p", { class: "keys muted" }, getText("comments-panel.keys")),
    ),
  );
}

/** Hides the new comment, keeps its draft, and clears the selection when the panel is closed. */
export function handleClose() {
  draftPosition.value = null;
  isPlacing.value = false;
  selectedThreadId.value = null;
}
