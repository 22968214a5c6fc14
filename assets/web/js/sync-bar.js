// @ts-check
/** The bar above the data of a document that a source keeps up to date, and its buttons. */

import { del, encodePath, get, post } from "./api.js";
import { chart, doc, isSynced, refreshDocument, withShareToken } from "./chart.js";
import { effect, h } from "./core.js";
import { openLoadedDialog } from "./shortcuts.js";
import { describeSync, hasSyncProblem } from "./sync-state.js";
import { getText } from "./texts.js";
import { askConfirmation, createButton, createIcon, describeError, runBusy, showToast } from "./ui.js";

/** Interval between two refreshes while the first run of a source lasts. */
const FIRST_RUN_INTERVAL_MS = 1000;
/** Time after which the run of a source should have ended. */
const RUN_TIME_MS = 2000;
/** Longest delay of a timer in browsers. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Returns the API path of the sync job of the document. */
export const getJobPath = () => encodePath`/sync/document/${chart.id}`;

/** Loads the dialog for the source and opens it. */
export async function openSyncDialog() {
  try {
    await openLoadedDialog(() => import("./dialog-sync.js"), (dialog) => dialog.open());
  } catch (error) {
    showToast(describeError(error), { isError: true });
  }
}

/** Runs the job now. The bar shows an error of the source. */
async function updateNow() {
  const { data: job } = await get(getJobPath(), { query: withShareToken({ fresh: true }) });
  await refreshDocument();
  if (!job.error) showToast(getText("sync.updated"), { seconds: 5 });
}

/** Returns whether the source is a file of an account that this person has not connected. @param {string} url */
async function isOfOtherPerson(url) {
  if (!url.startsWith("cloud:")) return false;
  const { data: connections } = await get("/sync/connections");
  return !connections.some((/** @type {{ provider: string, id: string }} */ { provider, id }) => url.startsWith(`cloud://${provider}/${id}/`));
}

/** Removes the source after a question. `text` says who can set it up again. Returns whether it is removed. @param {string} text */
async function askAndStop(text) {
  const run = async () => (await del(getJobPath(), { query: withShareToken() }), true);
  const isStopped = await askConfirmation({ title: getText("sync.stopQuestion"), text, action: getText("sync.stop"), danger: true, run });
  if (isStopped) await refreshDocument();
  return isStopped;
}

/** Removes the source. The data stay, and can be edited then. Asks first where Undo would fail: a share link permits no new source, and a file of an account needs its connection. Returns whether the source is removed. */
async function stop() {
  if (chart.shareToken) return askAndStop(getText("sync.stopByLink"));
  const { data: job } = await get(getJobPath(), { query: withShareToken() });
  if (await isOfOtherPerson(job.url)) return askAndStop(getText("sync.stopOfOther"));
  await del(getJobPath(), { query: withShareToken() });
  await refreshDocument();
  const { prepared_data, downloaded_at, next_download_at, error, ...fields } = job;
  const restart = async () => {
    await post("/sync/create", { document_id: chart.id, ...fields }, { query: withShareToken() });
    await refreshDocument();
  };
  showToast(getText("sync.stoppedNow"), { action: { label: getText("common.undo"), run: restart } });
  return true;
}

/** Refreshes the document when its source should have new data, because a run without changes is not announced. */
function followRuns() {
  effect(() => {
    const sync = doc.value?.sync;
    if (!sync) return;
    const wait = sync.status === "waiting" ? FIRST_RUN_INTERVAL_MS : Date.parse(sync.next_download_at ?? "") - Date.now() + RUN_TIME_MS;
    if (!(wait > 0) || wait > MAX_DELAY_MS) return;
    const refresh = () => document.visibilityState === "visible" && refreshDocument().catch((error) => console.warn(error));
    const timer = sync.status === "waiting" ? window.setInterval(refresh, wait) : window.setTimeout(refresh, wait);
    return () => clearInterval(timer);
  });
}

/**
 * Builds the bar. It is hidden while the document has no source.
 * @param {() => void} focusData moves the focus to the data, after the bar has disappeared
 */
export function buildSyncBar(focusData) {
  const runAction = (/** @type {HTMLButtonElement} */ button, /** @type {() => Promise<void>} */ action) =>
    runBusy(button, action).catch((error) => showToast(describeError(error), { isError: true }));
  const updateButton = createButton(getText("sync.updateNow"), { icon: "sync", onclick: () => runAction(updateButton, updateNow) });
  const changeButton = createButton(getText("sync.change"), { hidden: chart.shareToken !== null, onclick: openSyncDialog });
  const stopButton = createButton(getText("sync.stop"), {
    onclick: () =>
      runAction(stopButton, async () => {
        if (await stop()) focusData();
      }),
  });
  const text = h("span", { class: "sync-text" });
  // Screen readers announce problems, but not each update.
  const problem = h("span", { class: "sync-text", role: "status" });
  const bar = h("div", { class: "data-strip sync-bar", role: "group", "aria-label": getText("sync.source"), hidden: () => !isSynced.value }, text, problem, updateButton, changeButton, stopButton);
  effect(() => {
    const sync = doc.value?.sync;
    const isProblem = sync !== undefined && hasSyncProblem(sync);
    bar.classList.toggle("problem", isProblem);
    const parts = sync ? describeSync(sync) : [];
    text.hidden = isProblem;
    problem.hidden = !isProblem;
    text.replaceChildren(...(isProblem ? [] : parts));
    problem.replaceChildren(...(isProblem ? [createIcon("warn"), h("span", null, parts)] : []));
  });
  followRuns();
  return bar;
}
