// @ts-check
/** Draws the edited document while it changes: one request at a time, always of the newest content. */

import { ApiError, post } from "./api.js";
import { effect, signal } from "./core.js";

/** Time in milliseconds after which a running request is given up for a newer content. */
const MAX_OUTDATED_MS = 400;
/** Median duration of renders in milliseconds above which drawing waits for a pause. */
const SLOW_RENDER_MS = 80;
/** Pause in milliseconds before a slow render. */
const SLOW_RENDER_PAUSE_MS = 120;
/** Delays in milliseconds before the repetitions after a failure of the network. */
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000];
/** Time in milliseconds without a new picture after which the user may cancel the drawing. */
const LATE_MS = 5000;
/** Number of durations for the median. */
const SAMPLE_COUNT = 5;

/** @typedef {import("./document-store.js").Content} Content */

/** @typedef {{ path: string, message: string }} Problem */

/**
 * Starts to draw the content on each change. The previous picture stays until the next one arrives.
 * @param {{ value: Content, peek: () => Content }} content
 * @param {(svg: string) => void} showImage
 * @param {Record<string, any>} query further parameters of the request
 */
export function startLiveImage(content, showImage, query = {}) {
  /** Problems of the content, by the path of the field. The picture is older then. */
  const problems = signal(/** @type {Problem[]} */ ([]));
  /** Messages about the picture, such as omitted values. */
  const warnings = signal(/** @type {string[]} */ ([]));
  /** Whether the picture is older than the content. */
  const isOutdated = signal(false);
  /** Error of the last request, other than problems of the content; null without one. */
  const failure = signal(/** @type {unknown} */ (null));
  /** Whether the next picture takes long, so that the user may cancel it. */
  const isLate = signal(false);
  /** Whether the user has canceled the drawing, and nothing has changed since. */
  const isCanceled = signal(false);
  /** @type {Content | null} */
  let waiting = null;
  /** @type {{ controller: AbortController, began: number } | null} */
  let running = null;
  /** @type {number[]} */
  let durations = [];
  /** Time of the first change that waits for a picture, in milliseconds. */
  let waitingSince = 0;
  let timer = 0;
  let retryTimer = 0;
  let lateTimer = 0;
  let retries = 0;
  /** Whether the last request was given up. The next one may finish, so that slow pictures appear at all. */
  let wasAborted = false;
  let isDisposed = false;

  const isSlow = () => {
    const sorted = [...durations].sort((a, b) => a - b);
    return (sorted[Math.floor(sorted.length / 2)] ?? 0) > SLOW_RENDER_MS;
  };

  /** Measures the time until the next picture, if one is needed. */
  const watchDelay = () => {
    clearTimeout(lateTimer);
    isLate.value = false;
    if (waiting || running) lateTimer = window.setTimeout(() => (isLate.value = true), LATE_MS);
  };

  const schedule = () => {
    clearTimeout(timer);
    if (!waiting) return;
    if (running) {
      if (wasAborted) return;
      // The response to an old content would only delay the new one.
      const age = performance.now() - running.began;
      timer = window.setTimeout(() => running?.controller.abort(), Math.max(0, MAX_OUTDATED_MS - age));
      return;
    }
    if (!isSlow()) return send();
    // Somebody who types without a pause sees pictures too.
    const rest = waitingSince + MAX_OUTDATED_MS - performance.now();
    timer = window.setTimeout(send, Math.max(0, Math.min(SLOW_RENDER_PAUSE_MS, rest)));
  };

  const send = async () => {
    const drawn = waiting;
    if (!drawn || running) return;
    waiting = null;
    const request = { controller: new AbortController(), began: performance.now() };
    running = request;
    try {
      const { isPublic: _, ...body } = drawn;
      // The sign-in opens with the next save, in a pause of the typing.
      const options = { query: { interactive: 1, ...query }, signal: request.controller.signal, isBackground: true };
      const { data, headers } = await post("/render", body, options);
      durations = [...durations, performance.now() - request.began].slice(-SAMPLE_COUNT);
      retries = 0;
      showImage(data);
      problems.value = [];
      failure.value = null;
      warnings.value = JSON.parse(headers.get("x-chart-warnings") ?? "[]");
    } catch (error) {
      if (!request.controller.signal.aborted) handleError(error);
      else if (!isDisposed && !isCanceled.peek()) waiting ??= drawn;
    } finally {
      running = null;
      wasAborted = request.controller.signal.aborted;
      isOutdated.value = waiting !== null;
      if (!wasAborted || !waiting) watchDelay();
      schedule();
    }
  };

  /** Draws the present content again. */
  const redraw = () => {
    clearTimeout(retryTimer);
    isCanceled.value = false;
    waiting = content.peek();
    if (!running) watchDelay();
    schedule();
  };

  const handleError = (/** @type {unknown} */ error) => {
    if (error instanceof ApiError && error.fields.length) {
      problems.value = error.fields.map(({ field, message }) => ({ path: field, message }));
      failure.value = null;
      return;
    }
    failure.value = error;
    const mayRetry = error instanceof ApiError && (error.isOffline || error.status === 503 || error.status === 429);
    if (!mayRetry || waiting) return;
    clearTimeout(retryTimer);
    const delay = RETRY_DELAYS_MS[Math.min(retries, RETRY_DELAYS_MS.length - 1)] * (0.8 + Math.random() * 0.4);
    retries += 1;
    retryTimer = window.setTimeout(redraw, delay);
  };

  let isFirst = true;
  const dispose = effect(() => {
    const next = content.value;
    // The page has the picture of the initial content.
    if (isFirst) {
      isFirst = false;
      return;
    }
    const isWaiting = waiting !== null || running !== null;
    if (!waiting) waitingSince = performance.now();
    clearTimeout(retryTimer);
    waiting = next;
    isOutdated.value = true;
    isCanceled.value = false;
    if (!isWaiting) watchDelay();
    schedule();
  });

  window.addEventListener("signed-in", redraw);

  return {
    problems,
    warnings,
    isOutdated,
    isLate,
    isCanceled,
    failure,
    redraw,
    /** Gives up the next picture. The present one stays until the next change. */
    cancel: () => {
      isCanceled.value = true;
      waiting = null;
      running?.controller.abort();
      clearTimeout(timer);
      watchDelay();
    },
    /** Ends the drawing. */
    dispose: () => {
      dispose();
      isDisposed = true;
      running?.controller.abort();
      waiting = null;
      clearTimeout(timer);
      clearTimeout(retryTimer);
      clearTimeout(lateTimer);
      window.removeEventListener("signed-in", redraw);
    },
  };
}

/** @typedef {ReturnType<typeof startLiveImage>} LiveImage */
