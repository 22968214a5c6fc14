// @ts-check
/** Saves the edited document by itself, keeps unsaved changes on the device, and merges changes of others. */

import { ApiError, post, put } from "./api.js";
import { chart, connectionState, doc, getDocumentPath, getEntityTag, readServerTime, refreshDocument, setSavedDocument, withShareToken } from "./chart.js";
import { mergeContents, takeTheirs } from "./content-merge.js";
import { batch, effect, signal } from "./core.js";
import { openJournal } from "./document-journal.js";
import { readContent } from "./document-store.js";
import { connectTabs } from "./document-tabs.js";
import { findOtherAuthor, findOwnVersion, listVersionsSince } from "./document-versions.js";
import { isEqualJson } from "./json-merge.js";
import { getText } from "./texts.js";

/** Pause in milliseconds after the last change before a save. */
const SAVE_PAUSE_MS = 1500;
/** Maximum time in milliseconds between a change and its save. */
const MAX_UNSAVED_MS = 10_000;
/** Delays in milliseconds before the repetitions of a failed save. */
const RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000];
/** Delay in milliseconds before a change is written to the journal. */
const JOURNAL_DELAY_MS = 100;
/** Maximum size in bytes of a save while the page closes. Browsers allow 64 KiB. */
const MAX_CLOSING_SAVE_BYTES = 60_000;

/** Maximum number of contents without an answer that are remembered. */
const MAX_UNANSWERED = 10;

/** @typedef {import("./document-store.js").Content} Content */
/** @typedef {import("./document-store.js").DocumentStore} DocumentStore */
/** @typedef {import("./json-merge.js").MergeConflict} MergeConflict */

/**
 * State of the save: all saved; changes wait; a save runs; the server cannot be reached; the server refused the
 * save; a conflict waits for a decision.
 * @typedef {"saved" | "waiting" | "saving" | "offline" | "failed" | "conflict"} SaveState
 */

/**
 * Changes of this page and of others that do not fit together. `merged` has all changes, and where they clash
 * those of this page.
 * @typedef {{ mine: Content, theirs: Content, merged: Content, conflicts: MergeConflict[], author: string, updated: string }} Conflict
 */

/**
 * The content of the server, its entity tag, the content of this page that it had meanwhile although its answer was lost, and
 * the other person who changed it.
 * @typedef {{ current: import("./chart.js").Doc, tag: string | null, theirs: Content, arrived: Content | null, other: import("./document-versions.js").OtherAuthor | null, name: string }} ServerChanges
 */

/** Returns why the server refuses a save, whatever its content is. @param {unknown} error @returns {"" | "access" | "trash"} */
function findRefusal(error) {
  if (!(error instanceof ApiError) || error.fields.length > 0) return "";
  if ([403, 404, 410].includes(error.status)) return "access";
  // Saves have no other conflict of this kind.
  return error.code === "conflict" && !chart.provider ? "trash" : "";
}

/**
 * Starts to save the content of a store.
 * @param {DocumentStore} store has the content of `doc`
 * @param {{ resolveConflict: (conflict: Conflict) => Promise<Content>, onMerged: (author: string) => void, onForeignChange: (before: Content, after: Content, author: string) => void, onRestored: (time: number, undo: ReturnType<DocumentStore["offerUndo"]>) => void, onTheirsChosen: (author: string, undo: ReturnType<DocumentStore["offerUndo"]>) => void, onDataReplaced: (own: Content) => void, loadName: (author: string | undefined) => Promise<string> }} callbacks
 *   `resolveConflict` returns the content to go on with; `onMerged` is called after changes of another person were added to
 *   unsaved ones; `onForeignChange` after changes of another account were shown, with the content before and after them and the account id;
 *   `onRestored` after unsaved changes of an earlier visit were added, with their time in milliseconds
 *   and an action that takes them back; `onTheirsChosen` after changes of another person have replaced own ones in a
 *   conflict, with the same action; `onDataReplaced` before the data of a source replace own changes of the data, with the own
 *   content
 */
export function startDocumentSync(store, { resolveConflict, onMerged, onForeignChange, onRestored, onTheirsChosen, onDataReplaced, loadName }) {
  const state = signal(/** @type {SaveState} */ ("saved"));
  const failure = signal(/** @type {unknown} */ (null));
  /** Why the server refuses all saves: the user may no longer change the document, or it is in the trash. @type {import("./core.js").Signal<"" | "access" | "trash">} */
  const refusal = signal("");
  const journal = openJournal(chart.userId, chart.id);
  /** The content of the server, as far as this page knows. */
  let base = store.content.peek();
  /** Entity tag of `base`. */
  let etag = getEntityTag();
  /** Time of the last change of `base`. */
  let baseTime = doc.peek()?.updated;
  /** @type {{ content: Content, time: string | undefined } | null} The base before the changes of others that wait for a decision. */
  let baseOfConflict = null;
  /** Contents that were sent without an answer of the server, so that one of them may have been saved. @type {Content[]} */
  let unanswered = [];
  /** @type {number | undefined} Time of the first unsaved change. */
  let unsavedSince;
  let timer = 0;
  let journalTimer = 0;
  let retries = 0;
  /** Whether a source kept the data of `base` up to date. */
  let wasSynced = Boolean(doc.peek()?.sync);
  /** Whether this page has saved something. */
  let hasSaved = false;
  /** @type {Promise<void> | null} The running save or merge. */
  let running = null;
  /** Whether the document has changed on the server meanwhile. */
  let hasMissedChange = false;

  /** The content of a running save, so that changes since can be told from those that it stores. @type {Content | null} */
  let sending = null;

  const hasUnsavedChanges = () => !isEqualJson(store.content.peek(), base);
  /** Returns the newest content that the server may have instead of `base`: that of a save that runs or has no answer. */
  const findSent = () => sending ?? unanswered.at(-1) ?? null;
  /** Whether the content differs from what the server has, or may have. */
  const mayLoseChanges = () => {
    const sent = findSent();
    return hasUnsavedChanges() || baseOfConflict !== null || (sent !== null && !isEqualJson(store.content.peek(), sent));
  };

  const tabs = connectTabs(chart, journal.tab, ({ content, etag: savedEtag, doc: saved }) => {
    const { merged, conflicts } = mergeContents(base, store.content.peek(), content);
    // The other tab may have added changes of another person. The next save finds out.
    if (conflicts.length > 0) return;
    [base, etag, baseTime] = [content, savedEtag, saved.updated];
    setSavedDocument({ ...saved, ...content }, savedEtag);
    store.setContent(merged);
  });

  const schedule = (delay = SAVE_PAUSE_MS) => {
    clearTimeout(timer);
    if (!hasUnsavedChanges()) {
      unsavedSince = undefined;
      if (!running) state.value = "saved";
      return;
    }
    unsavedSince ??= Date.now();
    if (state.peek() === "saved") state.value = "waiting";
    const rest = MAX_UNSAVED_MS - (Date.now() - unsavedSince);
    timer = window.setTimeout(save, Math.max(0, Math.min(delay, rest)));
  };

  const scheduleRetry = () => {
    clearTimeout(timer);
    timer = window.setTimeout(save, RETRY_DELAYS_MS[Math.min(retries, RETRY_DELAYS_MS.length - 1)]);
    retries += 1;
  };

  /**
   * Whether the loaded data come from a source that this page did not know, or have changed since. They replace the data
   * of this page, and nobody has to choose between the two.
   * @param {import("./chart.js").Doc} current
   * @param {Content} theirs
   */
  const takesSourceData = (current, theirs) => {
    const isNew = Boolean(current.sync) && !wasSynced;
    wasSynced = Boolean(current.sync);
    return isNew || (wasSynced && !isEqualJson(base.data, theirs.data));
  };

  /** Replaces the content as one undo step. @param {Content} content @param {string} label */
  const replaceContent = (content, label) => store.applyChanges(Object.entries(content).map(([key, value]) => ({ path: [key], value })), { label });

  /**
   * Replaces own changes by the chosen ones of another person, as a step of its own that can be undone.
   * @param {Content} merged content with the own changes
   * @param {Content} chosen
   * @param {string} author name of the other person
   */
  const applyChoice = (merged, chosen, author) => {
    if (isEqualJson(merged, chosen)) return;
    const step = replaceContent(chosen, getText("saving.resolveStep"));
    if (step) onTheirsChosen(author, store.offerUndo(step));
  };

  /**
   * Returns the other person who changed the document since a known state, or null if all changes are own ones. Without the
   * versions, changes before the last own save can be those of others: then the id is undefined.
   * @param {import("./chart.js").Doc} current
   * @param {import("./document-versions.js").Version[] | null} versions the ones since then; null if they are not known
   * @returns {import("./document-versions.js").OtherAuthor | null}
   */
  const findOtherEditor = (current, versions) => {
    if (versions?.length) return findOtherAuthor(versions);
    if (current.updated_by !== chart.userId) return { id: current.updated_by, name: null, time: current.updated };
    return versions ? null : { id: undefined, name: null, time: "" };
  };

  /**
   * Returns the content that the server got although its answer was lost, or null.
   * @param {Content} theirs content of the server
   * @param {import("./document-versions.js").Version[] | null} versions the ones since then; null if they are not known
   * @returns {Promise<Content | null>}
   */
  const findArrived = async (theirs, versions) => {
    const current = unanswered.find((content) => isEqualJson(content, theirs));
    if (current || unanswered.length === 0 || !versions) return current ?? null;
    return findOwnVersion(versions, unanswered).catch(() => null);
  };

  /**
   * Loads the content of the server, and finds out who changed it since `base`. Returns null without a connection.
   * @param {string} [author] name of the person who made the last change
   * @returns {Promise<ServerChanges | null>}
   */
  const loadServerChanges = async (author) => {
    const current = await refreshDocument();
    if (connectionState.peek() !== "live") return null;
    const tag = getEntityTag();
    const theirs = readContent(current);
    const isNewer = !isEqualJson(base, theirs);
    const mayBeOwn = current.updated_by === chart.userId || unanswered.length > 0;
    const versions = isNewer && mayBeOwn ? await listVersionsSince(baseTime) : null;
    const arrived = await findArrived(theirs, versions);
    const other = findOtherEditor(current, versions);
    const knownName = (other?.id === current.updated_by && author) || other?.name;
    const name = knownName || (other && isNewer ? await loadName(other.id) : "");
    // Another tab, or the refresh, was faster.
    if (getEntityTag() !== tag) return loadServerChanges(author);
    return { current, tag, theirs, arrived, other, name };
  };

  /**
   * Asks how to go on with changes that clash, and makes the choice.
   * @param {Conflict} conflict
   */
  const settleConflict = async (conflict) => {
    const { mine, theirs, merged, conflicts, author } = conflict;
    const chosen = await resolveConflict(conflict).catch((error) => {
      failure.value = error;
      // Nobody has decided. The own values come back with Undo.
      return conflicts.reduce((content, found) => takeTheirs(content, found, theirs), merged);
    });
    // The content may have changed since.
    const { merged: own } = mergeContents(mine, store.content.peek(), merged);
    batch(() => {
      store.setContent(own);
      applyChoice(merged, mergeContents(merged, chosen, own).merged, author);
    });
  };

  /** Adds the changes of others since `base` to the content. @param {string} [author] name of the person who made the last one */
  const mergeServerContent = async (author) => {
    const changes = await loadServerChanges(author);
    if (!changes) return;
    const { current, tag, theirs, arrived, other, name } = changes;
    base = arrived ?? base;
    unanswered = [];
    const isFromSource = takesSourceData(current, theirs);
    if (isFromSource) {
      const own = store.content.peek();
      if (![base.data, theirs.data].some((data) => isEqualJson(own.data, data))) onDataReplaced(own);
      store.dropDataSteps();
    }
    const merge = () => {
      const mine = isFromSource ? { ...store.content.peek(), data: theirs.data } : store.content.peek();
      // The data of the source are no change of this page.
      return { mine, ...mergeContents(isFromSource ? { ...base, data: theirs.data } : base, mine, theirs) };
    };
    // An open edit of a cell ends before the question, which is then about its value too.
    const focused = other && merge().conflicts.length > 0 ? document.activeElement : null;
    if (focused instanceof HTMLElement) focused.blur();
    const { mine, merged, conflicts } = merge();
    const hadChanges = hasUnsavedChanges();
    const isChanged = !isEqualJson(base, theirs);
    const previous = { content: base, time: baseTime };
    [base, etag, baseTime] = [theirs, tag, current.updated];
    if (conflicts.length === 0 || !other) {
      store.setContent(merged);
      const mayBeOwn = !other || (other.id === undefined && current.updated_by === chart.userId);
      // A new state of the source alone is no change of a person.
      if (mayBeOwn || isFromSource || !isChanged) return;
      onForeignChange(mine, merged, other.id);
      if (hadChanges) onMerged(name);
      return;
    }
    state.value = "conflict";
    baseOfConflict = previous;
    await settleConflict({ mine, theirs, merged, conflicts, author: name, updated: other.time });
    if (focused instanceof HTMLElement && focused.isConnected && document.activeElement === document.body) focused.focus();
    baseOfConflict = null;
    state.value = "waiting";
    schedule();
  };

  const sendSave = async () => {
    const sent = store.content.peek();
    sending = sent;
    const request = put(getDocumentPath(), sent, { query: withShareToken(), ifMatch: etag }).finally(() => (sending = null));
    const { data, etag: newEtag } = await request.catch((error) => {
      const mayHaveArrived = error instanceof ApiError && (error.isOffline || error.status >= 500);
      if (mayHaveArrived) unanswered = [...unanswered, sent].slice(-MAX_UNANSWERED);
      refusal.value = findRefusal(error);
      throw error;
    });
    unanswered = [];
    [base, etag, baseTime, hasSaved] = [sent, newEtag, data.timestamp, true];
    refusal.value = "";
    if (connectionState.peek() !== "live") window.dispatchEvent(new Event("connection-returned"));
    const saved = { ...doc.peek(), ...sent, updated: data.timestamp, updated_by: chart.userId };
    setSavedDocument(saved, newEtag);
    tabs.announce(sent, newEtag, saved);
  };

  /** Saves the content, or adds newer changes of others to it. Returns whether it is saved. */
  const saveOrMerge = async () => {
    try {
      await sendSave();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.isStale)) throw error;
      await mergeServerContent(error.problem.updated_by_name);
      return false;
    }
  };

  const saveOnce = async () => {
    state.value = "saving";
    try {
      if (!(await saveOrMerge())) {
        state.value = "waiting";
        schedule(0);
        return;
      }
      [retries, unsavedSince, failure.value] = [0, undefined, null];
      state.value = hasUnsavedChanges() ? "waiting" : "saved";
      if (!hasUnsavedChanges()) journal.clear();
      schedule();
    } catch (error) {
      failure.value = error;
      // Changes after a failed attempt wait as after a save, and do not start an attempt for each key.
      unsavedSince = Date.now();
      const isOffline = error instanceof ApiError && error.isOffline;
      state.value = isOffline ? "offline" : "failed";
      // A repetition of a refused save would be refused again, until the content changes.
      if (isOffline || (error instanceof ApiError && (error.status >= 500 || error.status === 429))) scheduleRetry();
    }
  };

  /** Notes work as the running one, so that no other begins before its end. @param {Promise<void>} work */
  const track = (work) => {
    running = work.finally(() => {
      running = null;
      const mustMerge = hasMissedChange && getEntityTag() !== etag && state.peek() !== "conflict";
      hasMissedChange = false;
      if (mustMerge) startMerge();
      // The content of the server was chosen in a conflict, or is that of this page.
      else if (!hasUnsavedChanges()) schedule();
    });
    return running;
  };

  /** Adds the changes of others that the regular refresh has found. */
  const startMerge = () => void track(mergeServerContent().then(() => schedule(), (error) => void (failure.value = error)));

  /** Saves the content now, if it has unsaved changes. Waits for a running save or merge first. */
  async function save() {
    clearTimeout(timer);
    while (running) await running;
    if (!hasUnsavedChanges() || state.peek() === "conflict") return;
    const work = saveOnce().catch((error) => {
      failure.value = error;
      state.value = "failed";
    });
    await track(work);
  }

  /**
   * Returns the content of an earlier visit that the server has, or had since: that of the visit itself, or one that the visit
   * had sent without an answer. Returns null if it got none of them, or if that is not known.
   * @param {import("./document-journal.js").Entry} entry
   * @param {import("./document-versions.js").Version[] | null} versions the ones since then; null if they are not known
   */
  const findStored = async ({ content, sent = [] }, versions) => {
    const contents = [content, ...sent];
    const current = contents.find((candidate) => isEqualJson(store.content.peek(), candidate));
    if (current || !versions) return current ?? null;
    // Without an answer, the changes are added as if they had not arrived.
    return findOwnVersion(versions, contents).catch(() => null);
  };

  /** Adds the unsaved changes of an earlier visit to the content. @param {import("./document-journal.js").Entry} entry */
  const restoreEntry = async (entry) => {
    const versions = await listVersionsSince(entry.baseTime);
    const stored = await findStored(entry, versions);
    if (stored === entry.content) return void journal.remove(entry);
    const other = findOtherEditor(/** @type {import("./chart.js").Doc} */ (doc.peek()), versions);
    const author = other ? other.name || (await loadName(other.id)) : "";
    const current = store.content.peek();
    // Data that a source keeps up to date are not those of an earlier visit.
    const isSynced = Boolean(doc.peek()?.sync);
    const known = stored ?? entry.base;
    const restored = isSynced ? { ...entry.content, data: known.data } : entry.content;
    if (isSynced && ![entry.base.data, known.data, current.data].some((data) => isEqualJson(entry.content.data, data))) onDataReplaced(entry.content);
    const { merged, conflicts } = mergeContents(known, restored, current);
    if (!isEqualJson(merged, current)) {
      const conflict = { mine: restored, theirs: current, merged, conflicts, author, updated: other?.time ?? "" };
      const chosen = conflicts.length > 0 && other ? await resolveConflict(conflict) : merged;
      // Others may have saved while the dialog was open.
      const { merged: own } = mergeContents(current, store.content.peek(), merged);
      const step = replaceContent(own, getText("saving.restoreStep"));
      onRestored(entry.time, store.offerUndo(step));
      applyChoice(own, mergeContents(merged, chosen, own).merged, author);
      await writeToJournal(store.content.peek());
    }
    journal.remove(entry);
  };

  const restoreJournal = async () => {
    const entries = await journal.list(readServerTime());
    if (entries.length === 0) return;
    const openTabs = await tabs.findOpenTabs();
    for (const entry of entries.filter(({ tab }) => !openTabs.has(tab))) await restoreEntry(entry);
  };

  /** Stores unsaved content in the journal. @param {Content} content @param {{ isClosing?: boolean }} [options] */
  const writeToJournal = (content, options) => {
    const known = baseOfConflict ?? { content: base, time: baseTime };
    const sent = sending ? [...unanswered, sending] : unanswered;
    return journal.write({ base: known.content, baseTime: known.time, content, sent }, options);
  };

  let isFirst = true;
  effect(() => {
    const content = store.content.value;
    if (isFirst) {
      isFirst = false;
      return;
    }
    clearTimeout(journalTimer);
    // At once, because the page can be left next, and a change that was taken back must not return.
    if (mayLoseChanges()) journalTimer = window.setTimeout(() => writeToJournal(content), JOURNAL_DELAY_MS);
    else journal.clear();
    schedule();
  });

  // Changes of others that the regular refresh has found.
  effect(() => {
    const current = doc.value;
    if (!current || getEntityTag() === etag) return;
    // The document may be out of the trash, or writable again.
    if (refusal.peek()) {
      refusal.value = "";
      schedule(0);
    }
    if (running || state.peek() === "conflict") hasMissedChange = true;
    else startMerge();
  });

  window.addEventListener("online", () => save());
  // A save that was refused before the sign-in.
  window.addEventListener("signed-in", () => save());
  // Other unsaved changes are saved while the page closes, or wait in the journal.
  const isAtRisk = () => state.peek() === "failed" || (hasUnsavedChanges() && !journal.works());
  window.addEventListener("beforeunload", (event) => isAtRisk() && event.preventDefault());
  // The system may end the page of a phone without a further event.
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && save());
  window.addEventListener("pagehide", () => {
    const content = store.content.peek();
    if (mayLoseChanges()) {
      writeToJournal(content, { isClosing: true });
      const body = { ...content, final_save: true };
      // A save during a conflict would overwrite the changes of others before anybody has decided.
      const maySend = !baseOfConflict && new Blob([JSON.stringify(body)]).size < MAX_CLOSING_SAVE_BYTES;
      if (maySend) put(getDocumentPath(), body, { query: withShareToken(), ifMatch: etag, keepalive: true }).catch(() => {});
      return;
    }
    clearTimeout(journalTimer);
    journal.clear();
    if (hasSaved && !chart.provider) {
      post(getDocumentPath(), { action: "close" }, { query: withShareToken(), keepalive: true }).catch(() => {});
    }
  });
  restoreJournal().catch((error) => (failure.value = error));

  /** Waits for a running save or merge. */
  const settle = async () => void (await running);

  /** Takes the content of the server in place of unsaved changes, unless there are newer ones. @param {Content} unsaved */
  const discard = (unsaved) => {
    if (!isEqualJson(store.content.peek(), unsaved)) return;
    store.setContent(base);
    journal.clear();
    refusal.value = "";
    schedule();
  };

  return { state, failure, refusal, save, settle, discard };
}

/** @typedef {ReturnType<typeof startDocumentSync>} DocumentSync */
