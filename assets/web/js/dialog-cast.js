// @ts-check
/** The dialog for cast screens: lists, adds and stops screens that show the chart. */

import { del, encodePath, get, post } from "./api.js";
import { chart, doc } from "./chart.js";
import { createScope, h, signal } from "./core.js";
import { getText, getTextParts } from "./texts.js";
import { createButton, createField, createIcon, formatLocalTime, formatRelativeTime, openDialog, runBusy, showError, showToast } from "./ui.js";

/** Interval between two reloads of the list while the dialog is open. */
const RELOAD_INTERVAL_MS = 5000;

/**
 * A cast session. `cast_url` is empty if the server no longer has it. `last_drawn` is the `updated` time
 * of the version on the screen.
 * @typedef {{ id: string, document_id: string, device_name: string, created_at: string, last_activity_at: string, expires_at: string, cast_url: string, last_drawn?: string }} Session
 */

/**
 * Describes the last contact to a screen, and the version that it last reported.
 * @param {Session} session
 */
function describeScreen(session) {
  const time = formatRelativeTime(session.last_activity_at);
  if (!session.last_drawn) return getText("dialogs.noImageYet", { time });
  const updated = doc.peek()?.updated;
  if (updated && Date.parse(session.last_drawn) >= Date.parse(updated)) return getText("dialogs.showsCurrent", { time });
  return getText("dialogs.showsVersion", { time, version: formatLocalTime(session.last_drawn) });
}

/** Formats a pairing code as on the screen: `BCDF-GHJK`. @param {string} text */
function formatCode(text) {
  const letters = text.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4, 8)}` : letters;
}

/** Opens the dialog and reloads its list regularly until the dialog is closed. */
export function open() {
  const sessions = signal(/** @type {Session[] | null} */ (null));
  const errorContainer = h("div");
  let timer = 0;
  const load = async () => {
    clearTimeout(timer);
    try {
      sessions.value = (await get(encodePath`/cast/sessions/${chart.id}`, { isBackground: true })).data;
      showError(errorContainer);
    } catch (error) {
      showError(errorContainer, error);
    }
    timer = window.setTimeout(load, RELOAD_INTERVAL_MS);
  };

  const stopSession = async (/** @type {Session} */ session) => {
    await del(encodePath`/cast/sessions/${session.id}`);
    showToast(getText("dialogs.screenStopped", { screen: session.device_name }), { seconds: 5 });
    await load();
  };
  const copyAddress = async (/** @type {{ cast_url: string }} */ session) => {
    try {
      await navigator.clipboard.writeText(session.cast_url);
      showToast(getText("dialogs.screenAddressCopied"), { seconds: 5 });
    } catch {
      showToast(getText("dialogs.screenAddress", { address: session.cast_url }), { isError: true, seconds: 30 });
    }
  };
  const buildRow = (/** @type {Session} */ session) => {
    const stopButton = createButton(getText("dialogs.stop"), { "aria-label": getText("dialogs.stopScreen", { screen: session.device_name }), onclick: () => runBusy(stopButton, () => stopSession(session)).catch((error) => showError(errorContainer, error)) });
    return h(
      "li",
      { class: "grant" },
      h("span", { class: "grant-icon" }, createIcon("screen")),
      h("span", { class: "grant-text" }, h("strong", null, session.device_name || getText("dialogs.someScreen")), h("span", { class: "muted" }, describeScreen(session))),
      session.cast_url && h("button", { type: "button", class: "cross", "aria-label": getText("dialogs.copyScreenAddress", { screen: session.device_name }), onclick: () => copyAddress(session) }, createIcon("copy")),
      stopButton,
    );
  };
  const renderSessions = () => {
    const current = sessions.value;
    if (current === null) return h("p", { class: "muted" }, getText("dialogs.loadingScreens"));
    if (!current.length) return h("p", { class: "muted" }, getText("dialogs.noScreen"));
    return h("ul", { class: "grants" }, current.map(buildRow));
  };

  const codeInput = h("input", { type: "text", name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: false, maxlength: 12, placeholder: "BCDF-GHJK", class: "code", autofocus: true });
  codeInput.addEventListener("change", () => (codeInput.value = formatCode(codeInput.value)));
  const nameInput = h("input", { type: "text", name: "device_name", autocomplete: "off", maxlength: 100, placeholder: getText("dialogs.screenExample") });
  // Without a code, the session is for the address instead of a paired screen.
  const startSession = async (/** @type {string} */ code) => {
    const body = { document_id: chart.id, device_name: nameInput.value.trim() || getText("dialogs.screen"), ...(code ? { code } : {}) };
    const { data } = await post("/cast/sessions", body, { creates: true });
    await load();
    nameInput.value = codeInput.value = "";
    return data;
  };
  const addressButton = createButton(getText("dialogs.copyAddressInstead"), {
    icon: "link",
    onclick: () =>
      runBusy(addressButton, async () => {
        try {
          await copyAddress(await startSession(""));
        } catch (error) {
          castDialog.setError(error);
        }
      }),
  });
  const [list, disposeList] = createScope(() => h("div", null, renderSessions));
  const receiverAddress = `${location.host}/cast/receiver`;
  const castDialog = openDialog({
    title: getText("dialogs.cast"),
    className: "cast",
    body: [
      h("p", null, getTextParts("dialogs.openReceiver", { address: h("strong", { class: "address" }, receiverAddress) })),
      h("div", { class: "pair" }, createField(getText("dialogs.screenCode"), codeInput), createField(getText("dialogs.screenName"), nameInput)),
      h("h3", null, getText("dialogs.screens")),
      errorContainer,
      list,
      addressButton,
    ],
    actions: [
      { label: getText("common.close"), value: "" },
      {
        label: getText("dialogs.showOnScreen"),
        run: async () => {
          if (!codeInput.value.trim()) {
            castDialog.setError(getText("dialogs.codeMissing"));
            codeInput.focus();
            return false;
          }
          await startSession(formatCode(codeInput.value));
          showToast(getText("dialogs.screenShows"), { seconds: 5 });
          return false;
        },
      },
    ],
  });
  load();
  castDialog.closed.then(() => {
    clearTimeout(timer);
    disposeList();
  });
}
