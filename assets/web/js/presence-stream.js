// @ts-check
/**
 * The event stream about the people and changes of the document. It never piles up: a tab has at most one stream, a
 * browser has at most three, and hidden tabs close theirs, because a browser opens only six connections to a server.
 */

import { buildDocumentUrl } from "./chart.js";

/** Maximum number of streams of all tabs of a browser. */
const MAX_STREAMS = 3;
/** Time in milliseconds after which a hidden tab closes its stream. */
const HIDDEN_TIME_MS = 20_000;
/** Time in milliseconds without an event after which a stream counts as lost. The server sends one every 20 seconds. */
const SILENCE_TIME_MS = 50_000;
/** First and longest pause in milliseconds before another attempt. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** Name of the channel on which a visible tab asks hidden ones for their streams. */
const CHANNEL_NAME = "chartroom-presence";

/** @typedef {{ id: string, name: string, avatar_url: string, activity: "edit" | "view", since: string }} Person */
/** @typedef {{ etag: string, revision: number, updated: string, updated_by: string, updated_by_name?: string }} Revision */

/**
 * Returns the pause before an attempt in milliseconds. It doubles with each failed one, and differs between tabs so that
 * they do not all return at once after a restart of the server.
 * @param {number} failures
 * @param {number} random 0 to 1
 */
export function computePause(failures, random) {
  return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failures) * (0.5 + random / 2);
}

/**
 * Waits until this tab may open one of the streams of the browser. Returns a function that gives the place back.
 * Browsers without locks, on pages without HTTPS, have no limit.
 * @param {AbortSignal} signal ends the wait
 * @returns {Promise<() => void>}
 */
function acquirePlace(signal) {
  if (!navigator.locks) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    const others = new AbortController();
    let isGranted = false;
    const stop = () => {
      others.abort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    for (let place = 0; place < MAX_STREAMS; place += 1) {
      const hold = () => {
        if (isGranted || signal.aborted) return undefined;
        isGranted = true;
        signal.removeEventListener("abort", stop);
        others.abort();
        return new Promise((/** @type {(value: void) => void} */ release) => resolve(() => release()));
      };
      // The requests for the other places end with an error.
      navigator.locks.request(`${CHANNEL_NAME}-${place}`, { signal: others.signal }, hold).catch(() => {});
    }
  });
}

/**
 * Keeps a stream open while the tab is visible.
 * @param {{ onPeople: (people: Person[]) => void, onRevision: (revision: Revision) => void, onStateChange: (isOpen: boolean) => void, onEnd: () => Promise<unknown>, mayConnect: () => boolean }} callbacks
 *   `onEnd` is called after the server has ended the stream; `mayConnect` returns whether the user may still read the document
 */
export function keepStream({ onPeople, onRevision, onStateChange, onEnd, mayConnect }) {
  /** Ends the current attempt or stream. @type {AbortController | null} */
  let current = null;
  let isOpen = false;
  let failures = 0;
  let pauseTimer = 0;
  let hiddenTimer = 0;
  let silenceTimer = 0;
  const channel = new BroadcastChannel(CHANNEL_NAME);

  const setOpen = (/** @type {boolean} */ next) => {
    if (isOpen === next) return;
    isOpen = next;
    onStateChange(next);
  };

  const close = () => {
    clearTimeout(pauseTimer);
    clearTimeout(silenceTimer);
    current?.abort();
    current = null;
    setOpen(false);
  };

  const retry = () => {
    close();
    if (document.visibilityState !== "visible" || !mayConnect()) return;
    pauseTimer = window.setTimeout(connect, computePause(failures, Math.random()));
    failures += 1;
  };

  const watchSilence = () => {
    clearTimeout(silenceTimer);
    silenceTimer = window.setTimeout(retry, SILENCE_TIME_MS);
  };

  const end = async () => {
    close();
    await onEnd();
    retry();
  };

  /** @param {AbortController} attempt */
  const openSource = (attempt) => {
    const source = new EventSource(buildDocumentUrl("/presence"));
    attempt.signal.addEventListener("abort", () => source.close());
    const listen = (/** @type {string} */ name, /** @type {(data: any) => void} */ handle) =>
      source.addEventListener(name, (event) => {
        watchSilence();
        handle(JSON.parse(/** @type {MessageEvent} */ (event).data));
      });
    listen("beat", () => {});
    listen("revision", onRevision);
    listen("people", (people) => {
      failures = 0;
      setOpen(true);
      onPeople(people);
    });
    listen("end", end);
    // The browser would try again at once and forever.
    source.onerror = retry;
    watchSilence();
  };

  const connect = async () => {
    if (current || document.visibilityState !== "visible" || !mayConnect()) return;
    clearTimeout(pauseTimer);
    const attempt = new AbortController();
    current = attempt;
    channel.postMessage("wanted");
    try {
      const release = await acquirePlace(attempt.signal);
      if (attempt.signal.aborted) return release();
      attempt.signal.addEventListener("abort", release);
      openSource(attempt);
    } catch {
      // The tab was hidden while it waited.
    }
  };

  /** Connects without a pause, after an event that makes success likely. */
  const connectSoon = () => {
    failures = 0;
    if (!current) connect();
  };

  // A hidden tab gives its place to a visible one at once.
  channel.onmessage = () => document.visibilityState !== "visible" && close();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.visibilityState === "visible") return connectSoon();
    // Without locks, tabs do not know of each other.
    hiddenTimer = window.setTimeout(close, navigator.locks ? HIDDEN_TIME_MS : 0);
  });
  window.addEventListener("online", connectSoon);
  window.addEventListener("offline", retry);
  window.addEventListener("signed-in", connectSoon);
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", connectSoon);
  connect();
}
