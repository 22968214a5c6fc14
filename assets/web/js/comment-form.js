// @ts-check
/** The form for a comment: `@` lists people to mention, Ctrl+Enter sends. */

import { buildBase, findRequest, followDraft, readDraft, removeDraft, saveDraft, sendDraft } from "./comment-drafts.js";
import { effect, h } from "./core.js";
import { getText } from "./texts.js";
import { loadThreads, members, toPlainText } from "./threads.js";
import { createButton, describeError, runBusy, showError, showToast } from "./ui.js";

/** Maximum length of a comment in characters, the same as on the server. */
const MAX_LENGTH = 10_000;
/** Maximum number of suggested people. */
const MAX_SUGGESTIONS = 6;

/** @typedef {import("./threads.js").Part} Part */
/** @typedef {import("./threads.js").Member} Member */

/** Number in the most recently created list id. */
let lastId = 0;

/**
 * Splits the text of a comment into parts. “@” with the name of a picked person becomes a
 * mention.
 * @param {string} text
 * @param {Map<string, number>} picked ids by name
 * @returns {Part[]}
 */
export function splitMentions(text, picked) {
  /** @type {Part[]} */
  const parts = [];
  let remaining = text;
  while (remaining) {
    const mentions = [...picked].map(([name, id]) => ({ name, id, at: remaining.indexOf(`@${name}`) })).filter((mention) => mention.at >= 0);
    // Use the first name in the text. If two names start there, use the longer one.
    mentions.sort((a, b) => a.at - b.at || b.name.length - a.name.length);
    const [mention] = mentions;
    if (!mention) break;
    if (mention.at > 0) parts.push({ type: "text", text: remaining.slice(0, mention.at) });
    parts.push({ type: "user", id: mention.id });
    remaining = remaining.slice(mention.at + mention.name.length + 1);
  }
  if (remaining) parts.push({ type: "text", text: remaining });
  return parts;
}

/**
 * Creates the notice of a form that changes a comment. It appears when the comment has got another text since, on another
 * device or in another tab.
 * @param {() => Part[]} getSaved returns the content of the comment; an effect follows it
 * @param {{ base: string }} state `base` is the content that the change began with, as `buildBase` returns it
 * @param {() => Part[]} readParts returns the entered content
 */
function createChangeNotice(getSaved, state, readParts) {
  const element = h("p", { class: "notice", role: "status", hidden: true });
  /** Content that the notice shows; empty if it is hidden. */
  let shown = "";
  effect(() => {
    const saved = getSaved();
    const text = buildBase(saved);
    // A save without an answer has stored the entered text.
    if (text === buildBase(readParts())) state.base = text;
    const isOutdated = text !== state.base;
    shown = isOutdated ? text : "";
    element.hidden = !isOutdated;
    element.textContent = isOutdated ? getText("comments-panel.changedElsewhere", { text: toPlainText(saved) }) : "";
  });
  return {
    element,
    /** Reloads the comment. Returns whether it has a text that the notice has not shown before. */
    async findUnseen() {
      const before = shown;
      await loadThreads();
      return shown !== "" && shown !== before;
    },
  };
}

/**
 * Creates the form. Suggests people while the user types “@” and a name. If `send` fails, the form shows
 * the error and keeps the text. Typed text is kept as a draft until it is sent or discarded with Cancel. Escape closes
 * the form and keeps the draft. While the comment is being sent, the form cannot be changed or closed. If another tab
 * changes or sends the same text, this form follows. If the changed comment gets another text elsewhere, the form shows that
 * text before it replaces it.
 * @param {object} options
 * @param {string} options.draftName name of the draft. Its text replaces the initial content
 * @param {string} options.label accessible name and placeholder
 * @param {string} options.action label of the button
 * @param {(content: Part[]) => Promise<unknown>} options.send
 * @param {(outcome: { hadFocus: boolean, isSent: boolean }) => void} options.close removes the form
 * @param {() => void} options.reopen shows the form again
 * @param {() => import("./threads.js").Position | undefined} [options.getPosition] returns the position that the draft keeps
 * @param {Part[]} [options.content] initial content
 * @param {() => Part[]} [options.getSaved] returns the content of the comment that the form changes; an effect follows it
 * @returns {{ element: HTMLFormElement, focus: () => void }}
 */
export function createCommentForm({ draftName, label, action, send, close, reopen, getPosition = () => undefined, content = [], getSaved }) {
  const id = `people-${(lastId += 1)}`;
  /** @type {Map<string, number>} */
  const picked = new Map();
  const findName = (/** @type {number} */ id) => members.peek().find((member) => member.id === id)?.name;
  const texts = content.map((part) => {
    if (part.type === "text") return part.text;
    const name = part.name ?? findName(part.id) ?? String(part.id);
    picked.set(name, part.id);
    return `@${name}`;
  });
  const input = h("textarea", { rows: 3, maxlength: MAX_LENGTH, "aria-label": label, placeholder: getText("comments-panel.mentionHint", { label }), "aria-autocomplete": "list" });
  const draft = readDraft(draftName);
  const state = { base: draft?.base ?? buildBase(content) };
  for (const [name, id] of draft?.picked ?? []) picked.set(name, id);
  input.value = draft?.text ?? texts.join("");
  const list = h("ul", { class: "people", role: "listbox", id, "aria-label": getText("comments-panel.people"), hidden: true });
  const status = h("span", { class: "hidden", role: "status" });
  const errorContainer = h("div");
  const readParts = () => splitMentions(input.value.trim(), picked);
  const changeNotice = getSaved && createChangeNotice(getSaved, state, readParts);
  /** @type {Member[]} */
  let suggestions = [];
  let activeIndex = 0;

  const buildDraft = () => ({ text: input.value, picked: [...picked], position: getPosition(), base: state.base });
  const keepDraft = () => saveDraft(draftName, buildDraft());
  // The panel may have been closed meanwhile.
  const leave = (isSent = false) => {
    if (form.isConnected) close({ hadFocus: form.contains(document.activeElement), isSent });
  };
  const discard = () => {
    if (findRequest(draftName)) return;
    const discarded = readDraft(draftName) && buildDraft();
    removeDraft(draftName);
    leave();
    if (!discarded) return;
    const restore = () => {
      saveDraft(draftName, discarded);
      reopen();
    };
    showToast(getText("comments-panel.discarded"), { action: { label: getText("common.undo"), run: restore } });
  };

  const getMentionQuery = () => /(?:^|\s)@([^@\n]{0,40})$/.exec(input.value.slice(0, input.selectionStart))?.[1];

  const renderSuggestions = () => {
    list.hidden = !suggestions.length;
    list.replaceChildren(...suggestions.map((member, index) => buildSuggestion(member, index)));
    if (suggestions.length) {
      input.setAttribute("aria-controls", id);
      input.setAttribute("aria-activedescendant", `${id}-${activeIndex}`);
      status.textContent = getText("comments-panel.suggestions", { count: suggestions.length });
    } else {
      input.removeAttribute("aria-controls");
      input.removeAttribute("aria-activedescendant");
      status.textContent = "";
    }
  };

  const buildSuggestion = (/** @type {Member} */ member, /** @type {number} */ index) => {
    const handlePress = (/** @type {Event} */ event) => {
      event.preventDefault();
      insertMention(member);
    };
    return h(
      "li",
      { role: "option", id: `${id}-${index}`, "aria-selected": index === activeIndex, onpointerdown: handlePress },
      h("span", null, member.name),
      member.email && h("span", { class: "muted" }, member.email),
    );
  };

  const updateSuggestions = () => {
    const query = getMentionQuery()?.toLowerCase();
    activeIndex = 0;
    const isMatch = (/** @type {Member} */ member) => {
      const searchText = `${member.name} ${member.email ?? ""}`.toLowerCase();
      return searchText.startsWith(query ?? "") || searchText.includes(` ${query}`) || (query && searchText.includes(query));
    };
    suggestions = query === undefined ? [] : members.peek().filter(isMatch).slice(0, MAX_SUGGESTIONS);
    renderSuggestions();
  };

  const insertMention = (/** @type {Member} */ member) => {
    if (input.readOnly) return;
    const cursor = input.selectionStart;
    const mentionStart = input.value.slice(0, cursor).lastIndexOf("@");
    picked.set(member.name, member.id);
    input.setRangeText(`@${member.name} `, mentionStart, cursor, "end");
    keepDraft();
    suggestions = [];
    renderSuggestions();
    input.focus();
  };

  const handleKey = (/** @type {KeyboardEvent} */ event) => {
    const direction = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    else if (suggestions.length && direction) {
      activeIndex = (activeIndex + direction + suggestions.length) % suggestions.length;
      renderSuggestions();
    } else if (suggestions.length && (event.key === "Enter" || event.key === "Tab")) insertMention(suggestions[activeIndex]);
    else if (event.key === "Escape" && suggestions.length) {
      suggestions = [];
      renderSuggestions();
    } else if (event.key === "Escape") {
      if (!findRequest(draftName)) leave();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const cancelButton = createButton(getText("common.cancel"), { onclick: discard });
  const submitButton = createButton(action, { kind: "primary", type: "submit", title: getText("comments-panel.keySend") });
  const form = h(
    "form",
    {
      class: "composer",
      onsubmit: async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        showError(errorContainer);
        if (!input.value.trim()) {
          showError(errorContainer, getText("comments-panel.enterComment"));
          input.focus();
          return;
        }
        if (submitButton.hasAttribute("aria-busy")) return;
        const [text, parts] = [input.value, readParts()];
        input.readOnly = true;
        cancelButton.setAttribute("aria-disabled", "true");
        const sendUnlessChanged = async () => ((await changeNotice?.findUnseen()) ? false : send(parts));
        try {
          if (await runBusy(submitButton, () => sendDraft(draftName, text, sendUnlessChanged))) leave(true);
        } catch (error) {
          // The field or the draft keeps the text.
          if (form.isConnected) showError(errorContainer, error);
          else showToast(describeError(error), { isError: true });
        } finally {
          input.readOnly = false;
          cancelButton.removeAttribute("aria-disabled");
        }
      },
    },
    input,
    list,
    status,
    changeNotice?.element,
    errorContainer,
    h("div", { class: "composer-actions" }, submitButton, cancelButton),
  );
  // Reload the members, because the chart may have been shared with more people in the meantime. The
  // user may have typed a name before the response arrives.
  const reloadMembers = async () => {
    const before = members.peek();
    await loadThreads().catch(() => {});
    if (members.peek() !== before && document.activeElement === input) updateSuggestions();
  };
  input.addEventListener("focus", reloadMembers, { once: true });
  input.addEventListener("input", updateSuggestions);
  input.addEventListener("input", keepDraft);
  input.addEventListener("keydown", handleKey);
  input.addEventListener("blur", () => {
    suggestions = [];
    renderSuggestions();
  });
  followDraft(draftName, () => form.isConnected, (before, after) => {
    if (findRequest(draftName) || before?.text !== input.value) return;
    if (!after) return leave();
    for (const [name, id] of after.picked) picked.set(name, id);
    input.value = after.text;
  });
  return { element: form, focus: () => input.focus() };
}
