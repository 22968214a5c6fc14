// @ts-check
/** The version panel: lists versions by day with author and thumbnail, previews and restores them. */

import { get, patch, post } from "./api.js";
import { address, at, by, chart, doc, refresh, tag } from "./chart.js";
import { effect, h, signal } from "./core.js";
import { show } from "./picture.js";
import { guarded } from "./stale.js";
import { differences } from "./differences.js";
import { busy, button, clockTime, dialog, errorText, field, find, icon, localTime, showError, toast } from "./ui.js";

/** Number of versions per page. */
const PAGE = 30;

/** Origin of a version that was not saved by a user on the page. */
const CHANNELS = { api: "by a program", sync: "by sync", restore: "restored" };

/** @typedef {{ history_version: number, saved_at: string, author: { id: string, name: string | null } | null, channel: string, title: string, name: string | null, record_count: number }} Version */

const versions = signal(/** @type {Version[]} */ ([]));
const total = signal(0);
/** Version on the canvas; null for the current version. */
const preview = signal(/** @type {Version | null} */ (null));

/** @param {number} offset */
async function read(offset) {
  const { data } = await get(at("/history"), { query: by({ offset, limit: PAGE }) });
  total.value = data.count;
  const before = offset ? versions.peek() : [];
  const known = new Set(before.map((it) => it.history_version));
  versions.value = [...before, ...data.results.filter((/** @type {Version} */ it) => !known.has(it.history_version))];
}

/** @param {Version} it */
const author = (it) => it.author?.name ?? (it.author ? "Somebody who left" : "A guest");

/** @param {Version} it */
async function look(it) {
  const now = doc.peek()?.history_version === it.history_version;
  try {
    const isShown = await show(now ? undefined : it.history_version);
    if (isShown) preview.value = now ? null : it;
    if (isShown && now) toast("This is the present version.", { seconds: 3 });
  } catch (error) {
    toast(errorText(error), { bad: true });
  }
}

/** Shows the current version again. */
async function back() {
  preview.value = null;
  document.querySelector("#preview")?.remove();
  try {
    await show();
  } catch (error) {
    toast(errorText(error), { bad: true });
  }
}

/** @param {Version} it */
async function restore(it) {
  const before = doc.peek()?.history_version;
  const go = (/** @type {number | undefined} */ to) => (/** @type {string | null} */ ifMatch) => post(at(`/history/${to}/restore`), undefined, { query: by(), ifMatch });
  const { etag } = await guarded(go(it.history_version), tag(), chart.user);
  preview.value = null;
  document.querySelector("#preview")?.remove();
  await refresh();
  await show();
  await read(0);
  const undo = async () => {
    await guarded(go(before), etag, chart.user);
    await refresh();
    await read(0);
  };
  toast(`The version of ${localTime(it.saved_at)} is the present one again.`, { action: { label: "Undo", run: undo } });
}

/** @param {Version} it */
async function copy(it) {
  const { data } = await post(at(), { action: "fork", history_version: it.history_version }, { query: by(), creates: true });
  location.assign(new URL(data.urls.document_view).pathname);
}

/** @param {Version} it */
function rename(it) {
  const input = h("input", { type: "text", name: "name", value: it.name ?? "", maxlength: 500, autofocus: true });
  const save = async () => {
    await patch(at(`/history/${it.history_version}`), { name: input.value.trim() || null }, { query: by() });
    await read(0);
  };
  dialog({
    title: "Name this version",
    body: field("Name", input, "A version with a name is kept for ever. An empty name takes it away."),
    actions: [{ label: "Cancel" }, { label: "Save", run: save }],
  });
}

/** Builds the bar above the image during the preview of a version. */
function banner() {
  return effect(() => {
    const it = preview.value;
    document.querySelector("#preview")?.remove();
    if (!it) return;
    const fault = h("div");
    /** @param {string} label @param {() => Promise<unknown>} work @param {string} [kind] */
    const act = (label, work, kind) => {
      const pressed = button(label, { kind, onclick: () => busy(pressed, work).catch((error) => showError(fault, error)) });
      return pressed;
    };
    const name = it.name ? `“${it.name}”, ` : "";
    const strip = h(
      "div",
      { class: "preview-banner", id: "preview", role: "status" },
      h("span", { class: "grow" }, icon("history"), " ", `${name}${localTime(it.saved_at)}, ${author(it)}`),
      chart.writes && act("Restore", () => restore(it), "primary"),
      act("Copy to new", () => copy(it)),
      button("Back", { onclick: back }),
      fault,
    );
    find("#canvas").before(strip);
  });
}

/** @param {Version} it */
function row(it) {
  const number = it.history_version;
  const how = CHANNELS[/** @type {keyof typeof CHANNELS} */ (it.channel)];
  const isNow = () => doc.value?.history_version === number;
  const isShown = () => (preview.value ? preview.value.history_version === number : isNow());
  const picture = h("img", { src: address(`/history/${number}.svg`), width: 96, height: 54, loading: "lazy", alt: "" });
  return h(
    "li",
    { class: "version" },
    h(
      "button",
      { type: "button", class: "version-button", "aria-current": () => (isShown() ? "true" : null), onclick: () => look(it) },
      picture,
      h(
        "span",
        { class: "version-text" },
        h("strong", null, it.name ?? clockTime(it.saved_at)),
        h("span", { class: "muted" }, [it.name && clockTime(it.saved_at), author(it), how].filter(Boolean).join(" · ")),
        () => isNow() && h("span", { class: "badge" }, "Present"),
      ),
    ),
    chart.writes && h("button", { type: "button", class: "cross", "aria-label": `Name the version of ${localTime(it.saved_at)}`, onclick: () => rename(it) }, icon("pencil")),
    () => isShown() && differences(number),
  );
}

/** @param {string} stamp */
function day(stamp) {
  return new Intl.DateTimeFormat(document.documentElement.lang || "en", { dateStyle: "full" }).format(new Date(stamp));
}

/** Builds the list of versions, grouped by the day on which they were saved. */
function days() {
  /** @type {Map<string, Version[]>} */
  const all = new Map();
  for (const it of versions.value) all.set(day(it.saved_at), [...(all.get(day(it.saved_at)) ?? []), it]);
  return [...all].map(([name, list]) => h("section", { class: "day" }, h("h3", null, name), h("ol", { class: "versions" }, list.map(row))));
}

/** @type {(() => void) | null} */
let stopBanner = null;
/** @type {(() => void) | null} */
let stopChanges = null;

/**
 * Builds the panel.
 * @param {() => void} close
 */
export function panel(close) {
  const fault = h("div");
  const loading = signal(true);
  const load = async (/** @type {number} */ offset) => {
    showError(fault);
    try {
      await read(offset);
    } catch (error) {
      showError(fault, error);
      fault.append(button("Try again", { onclick: () => load(offset) }));
    }
    loading.value = false;
  };
  load(0);
  const changed = () => load(0);
  window.addEventListener("changed", changed);
  stopChanges = () => window.removeEventListener("changed", changed);
  stopBanner = banner();
  const more = button("Earlier versions", { onclick: () => busy(more, () => load(versions.peek().length)) });
  effect(() => {
    more.hidden = versions.value.length >= total.value;
  });
  return h(
    "aside",
    { class: "panel", "aria-labelledby": "panel-title" },
    h(
      "header",
      { class: "panel-head" },
      h("h2", { id: "panel-title", tabindex: -1 }, "History"),
      h("button", { type: "button", class: "cross", "aria-label": "Close history", onclick: close }, icon("close")),
    ),
    h("div", { class: "panel-body" }, fault, () => loading.value && h("p", { class: "muted" }, "Reading the versions…"), h("div", null, days), more),
  );
}

/** Shows the current version when the panel is closed. */
export function closed() {
  stopBanner?.();
  stopChanges?.();
  if (preview.peek()) back();
}
