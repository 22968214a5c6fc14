// @ts-check
/** The dialog for cast screens: lists, adds and stops screens that show the chart. */

import { del, get, path, post } from "./api.js";
import { chart, doc } from "./chart.js";
import { h, scope, signal } from "./core.js";
import { button, busy, dialog, field, icon, localTime, relativeTime, showError, toast } from "./ui.js";

/** Interval between two reloads of the list while the dialog is open, in milliseconds. */
const RELOAD_INTERVAL = 5000;

/** @typedef {{ id: string, document_id: string, device_name: string, created_at: string, last_activity_at: string, expires_at: string, cast_url: string, last_drawn?: string }} Session `cast_url` is empty if the server no longer has it. `last_drawn` is the `updated` time of the version on the screen. */

/**
 * Describes the version that a screen last reported.
 * @param {Session} it
 */
function shownVersion(it) {
  if (!it.last_drawn) return "has drawn nothing yet";
  const now = doc.peek()?.updated;
  return now && Date.parse(it.last_drawn) >= Date.parse(now) ? "shows the newest state" : `shows the state of ${localTime(it.last_drawn)}`;
}

/** Formats a pairing code as on the screen: `BCDF-GHJK`. @param {string} text */
function formatCode(text) {
  const letters = text.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4, 8)}` : letters;
}

/** Opens the dialog. */
export function open() {
  const sessions = signal(/** @type {Session[] | null} */ (null));
  const fault = h("div");
  let timer = 0;
  const load = async () => {
    clearTimeout(timer);
    try {
      sessions.value = (await get(path`/cast/sessions/${chart.id}`)).data;
      showError(fault);
    } catch (error) {
      showError(fault, error);
    }
    timer = window.setTimeout(load, RELOAD_INTERVAL);
  };

  const stop = async (/** @type {Session} */ it) => {
    await del(path`/cast/sessions/${it.id}`);
    toast(`“${it.device_name}” shows the chart no more.`, { seconds: 5 });
    await load();
  };
  const copy = async (/** @type {{ cast_url: string }} */ it) => {
    try {
      await navigator.clipboard.writeText(it.cast_url);
      toast("The address is copied. Anybody who opens it sees the chart.", { seconds: 5 });
    } catch {
      toast(`This browser does not let a page copy here. The address is ${it.cast_url}`, { bad: true, seconds: 30 });
    }
  };
  const row = (/** @type {Session} */ it) => {
    const halt = button("Stop", { "aria-label": `Stop showing on ${it.device_name}`, onclick: () => busy(halt, () => stop(it)).catch((error) => showError(fault, error)) });
    return h(
      "li",
      { class: "grant" },
      h("span", { class: "grant-icon" }, icon("screen")),
      h("span", { class: "grant-text" }, h("strong", null, it.device_name || "A screen"), h("span", { class: "muted" }, `Last heard of ${relativeTime(it.last_activity_at)}, ${shownVersion(it)}`)),
      it.cast_url && h("button", { type: "button", class: "cross", "aria-label": `Copy the address of ${it.device_name}`, onclick: () => copy(it) }, icon("copy")),
      halt,
    );
  };
  const read = () => {
    const all = sessions.value;
    if (all === null) return h("p", { class: "muted" }, "Looking for screens…");
    if (!all.length) return h("p", { class: "muted" }, "No screen shows this chart.");
    return h("ul", { class: "grants" }, all.map(row));
  };

  const code = h("input", { type: "text", name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: false, maxlength: 12, placeholder: "BCDF-GHJK", class: "code", autofocus: true });
  code.addEventListener("change", () => (code.value = formatCode(code.value)));
  const name = h("input", { type: "text", name: "device_name", autocomplete: "off", maxlength: 100, placeholder: "Screen in the hall" });
  const begin = async (/** @type {string} */ pairing) => {
    const body = { document_id: chart.id, device_name: name.value.trim() || "Screen", ...(pairing ? { code: pairing } : {}) };
    const { data } = await post("/cast/sessions", body, { creates: true });
    await load();
    name.value = code.value = "";
    return data;
  };
  const byAddress = button("Copy an address instead", {
    icon: "link",
    onclick: () =>
      busy(byAddress, async () => {
        try {
          await copy(await begin(""));
        } catch (error) {
          box.fail(error);
        }
      }),
  });
  const [list, end] = scope(() => h("div", null, read));
  const receiver = `${location.host}/cast/receiver`;
  const box = dialog({
    title: "Cast to a screen",
    className: "cast",
    body: [
      h("p", null, "Open ", h("strong", { class: "address" }, receiver), " on the screen and type the code that it shows."),
      h("div", { class: "pair" }, field("Code on the screen", code), field("Name of the screen", name)),
      h("h3", null, "Screens"),
      fault,
      list,
      byAddress,
    ],
    actions: [
      { label: "Close", value: "" },
      {
        label: "Show it there",
        run: async () => {
          if (!code.value.trim()) {
            box.fail("Type the code that the screen shows.");
            code.focus();
            return false;
          }
          await begin(formatCode(code.value));
          toast("The screen shows the chart now.", { seconds: 5 });
          return false;
        },
      },
    ],
  });
  load();
  box.closed.then(() => {
    clearTimeout(timer);
    end();
  });
}
