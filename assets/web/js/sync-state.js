// @ts-check
/** The state of the source that keeps the data of a document up to date, as texts. */

import { h } from "./core.js";
import { getText, getTextParts } from "./texts.js";
import { createMomentElement } from "./time.js";
import { createIcon, toSentence } from "./ui.js";

/**
 * State of the sync job of a document: it has not run yet; the last run was successful; a run is overdue; the last run
 * failed; it does not run any more.
 * @typedef {object} SyncState
 * @property {"waiting" | "ok" | "late" | "failing" | "stopped"} status
 * @property {string} [downloaded_at] time of the last successful download
 * @property {string} [next_download_at] time of the next run or attempt
 * @property {string} [error] reason of the last failure
 */

/** Whether the source needs the attention of a person. @param {SyncState} sync */
export const hasSyncProblem = ({ status }) => status === "failing" || status === "stopped";

/** Short texts of the states. They have the time of the data, except where there are none. */
const NOTES = { waiting: "sync.waitingNote", ok: "sync.okNote", late: "sync.lateNote", failing: "sync.failingNote", stopped: "sync.stoppedNote" };

/**
 * Builds the state in a few words, such as “Data from 09:00”.
 * @param {SyncState} sync
 * @param {{ hasTime?: boolean }} [options] `hasTime` adds the time of the shown data to a problem
 */
export function buildSyncNote(sync, { hasTime = false } = {}) {
  const { status, downloaded_at: downloaded } = sync;
  const isProblem = hasSyncProblem(sync);
  const time = downloaded ? createMomentElement(downloaded) : "";
  const parts = getTextParts(NOTES[downloaded || isProblem ? status : "waiting"], { time });
  if (isProblem && downloaded && hasTime) parts.push(" ", ...getTextParts("sync.problemTime", { time }));
  return h("span", { class: ["sync-note", isProblem && "problem"] }, isProblem && createIcon("warn"), h("span", null, parts));
}

/**
 * Describes the state in sentences for people who may change the source.
 * @param {SyncState} sync
 * @returns {(string | Node)[]}
 */
export function describeSync(sync) {
  const { status, downloaded_at: downloaded, next_download_at: next, error } = sync;
  const times = { time: downloaded ? createMomentElement(downloaded) : "", next: next ? createMomentElement(next) : "" };
  if (hasSyncProblem(sync)) {
    const reason = getText(status === "failing" ? "sync.failing" : "sync.stopped", { error: toSentence(error ?? "") });
    const shown = downloaded ? getTextParts("sync.shownData", times) : [getText("sync.shownOwnData")];
    const attempt = next && status === "failing" ? getTextParts("sync.nextAttempt", times) : [];
    return [reason, " ", ...shown, " ", ...attempt];
  }
  if (!downloaded) return [getText("sync.waiting")];
  if (!next) return getTextParts("sync.okOnce", times);
  return getTextParts(status === "late" ? "sync.late" : "sync.ok", times);
}
