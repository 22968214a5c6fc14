// @ts-check
/** The library page: makes the listing from the server interactive. */

import { ApiError } from "./api.js";
import { batch, effect, h, signal } from "./core.js";
import { mayAct } from "./keys.js";
import { cards, shown, target } from "./library-cards.js";
import { askName, askPlace } from "./library-dialogs.js";
import * as model from "./library-model.js";
import { rail } from "./library-rail.js";
import { askAnyway, guarded } from "./stale.js";
import { busy, button, confirm, errorText, find, icon, menu, showError, toast } from "./ui.js";

/** @typedef {import("./library-model.js").Item} Item */

/** Number of entries per page. */
const PAGE = 48;
/** Permanent deletion of more items than this requires a typed confirmation. */
const MANY = 20;

const boot = JSON.parse(find("#boot").textContent ?? "");
const me = boot.user.id;
const isTrash = boot.view === "trash";
const start = new URLSearchParams(location.search).get("offset");

const kept = () => (localStorage.getItem("library-layout") === "rows" ? "rows" : "grid");
const folders = signal(/** @type {Item[]} */ (boot.folders.map(model.itemOf)));
const items = signal(/** @type {Item[]} */ (boot.listing.results.map(model.itemOf)));
const count = signal(boot.listing.count);
const chosen = signal(/** @type {Set<string>} */ (new Set()));
const layout = signal(/** @type {"grid" | "rows"} */ (kept()));
const places = signal(/** @type {model.Place[] | null} */ (null));
/** @type {(() => Promise<unknown>) | null} */
let lastUndo = null;

const fault = h("div", { class: "fault" });
const context = { view: boot.view, trashDays: boot.trashDays, folders, items, chosen, layout, menu: openMenu, drop };

/** Returns the folder for new items: the current folder if it is writable, otherwise the user's root folder. */
function home() {
  if (boot.view !== "folder") return { owner: me, folder: "/" };
  const place = places.peek()?.find((it) => it.owner.id === boot.owner);
  const writes = !place || place.folders.some((it) => it.name === boot.path && it.mode === "w");
  return writes ? { owner: boot.owner, folder: boot.path } : { owner: me, folder: "/" };
}

/** Reloads the listing. */
async function refresh() {
  const first = Number(start ?? 0);
  const wanted = Math.max(PAGE, items.peek().length);
  /** @type {Item[]} */
  const all = [];
  let total = 0;
  while (all.length < wanted) {
    const page = await model.list(boot, first + all.length, Math.min(100, wanted - all.length));
    total = page.count;
    all.push(...page.items);
    if (!page.items.length) break;
  }
  const tops = await model.topFolders(boot.view);
  batch(() => {
    items.value = all;
    folders.value = tops;
    count.value = total;
    const keys = new Set([...tops, ...all].map((it) => it.key));
    chosen.value = new Set([...chosen.peek()].filter((it) => keys.has(it)));
  });
  places.value = await model.places();
}

/**
 * Changes several items one by one, so that a failure does not stop the other changes. If another
 * user has changed an item since it was listed, asks for confirmation first.
 * @param {import("./stale.js").GuardedChange[]} jobs
 * @param {string} verb
 * @returns {Promise<any[] | null>} results of the completed changes; null if there are none
 */
async function each(jobs, verb) {
  /** @type {any[]} */
  const done = [];
  /** @type {import("./stale.js").Conflict[]} */
  const conflicts = [];
  /** @type {unknown} */
  let failure = null;
  for (const job of jobs) {
    try {
      done.push(await guarded(job.run, job.tag, me));
    } catch (error) {
      if (error instanceof ApiError && error.isStale) conflicts.push({ job, problem: error.problem });
      else failure = error;
    }
  }
  if (conflicts.length) done.push(...((await askAnyway(conflicts, verb)) ?? []));
  if (!done.length && failure) throw failure;
  if (failure) toast(`${done.length} of ${jobs.length} done. ${errorText(failure)}`, { bad: true });
  return done.length ? done : null;
}

/**
 * Changes items, shows a toast and offers to undo the change. Returns `false` if nothing was changed.
 * @param {Item[]} list
 * @param {string} verb
 * @param {string} said
 * @param {(item: Item, tag: string | null) => Promise<any>} work
 */
async function change(list, verb, said, work) {
  const undos = await each(list.map((item) => ({ item, tag: item.etag, run: (tag) => work(item, tag) })), verb);
  if (!undos) {
    // Show the changes of other users.
    await refresh();
    return false;
  }
  chosen.value = new Set();
  await refresh();
  const backs = undos.filter((it) => typeof it?.run === "function").reverse();
  lastUndo = backs.length ? () => back(backs) : null;
  const undo = lastUndo;
  const words = undos.length < list.length ? `${undos.length} of ${list.length} items are done` : said;
  toast(words, undo ? { action: { label: "Undo", run: undo } } : {});
}

async function back(/** @type {import("./stale.js").GuardedChange[]} */ undos) {
  lastUndo = null;
  if (await each(undos, "Undo")) toast("Undone");
  await refresh();
}

const named = (/** @type {Item[]} */ list) => (list.length === 1 ? `“${list[0].title}”` : `${list.length} items`);

const actions = {
  rename: (/** @type {Item} */ item) =>
    askName({
      title: `Rename ${item.type === "folder" ? "folder" : "chart"}`,
      label: "Name",
      action: "Rename",
      value: item.title,
      longest: item.type === "folder" ? 255 : 500,
      run: (name) => change([item], "Rename", `Renamed to “${name}”`, (it, tag) => model.rename(it, name, tag)),
    }),
  move: async (/** @type {Item[]} */ list) => {
    places.value ??= await model.places();
    await askPlace(list, places.value ?? [], me, (owner, folder) => moveTo(list, owner, folder));
  },
  duplicate: (/** @type {Item[]} */ list) => change(list, "Duplicate", `Duplicated ${named(list)}`, model.duplicate),
  discard: (/** @type {Item[]} */ list) => change(list, "Move to trash", `Moved ${named(list)} to the trash`, model.discard),
  restore: (/** @type {Item[]} */ list) => change(list, "Restore", `Restored ${named(list)}`, model.restore),
  expunge: (/** @type {Item[]} */ list) =>
    confirm({
      title: `Delete ${named(list)} for good?`,
      text: "Nobody can bring it back: the chart, its versions and its comments go with it.",
      action: "Delete for good",
      danger: true,
      type: list.length > MANY ? "delete" : undefined,
      run: () => change(list, "Delete for good", `Deleted ${named(list)} for good`, model.expunge),
    }),
  leave: (/** @type {Item[]} */ list) =>
    confirm({
      title: `Leave ${named(list)}?`,
      text: "It disappears from this list. To see it again, ask its owner to share it with you again.",
      action: "Leave",
      danger: true,
      run: () => change(list, "Leave", `Left ${named(list)}`, model.leave),
    }),
  folder: () => {
    const { owner, folder } = home();
    return askName({
      title: "New folder",
      label: "Name",
      action: "Make folder",
      run: async (name) => {
        await model.makeFolder(owner, folder, name);
        await refresh();
        toast(`Made the folder “${name}”`);
      },
    });
  },
  chart: async (/** @type {{ data?: boolean }} */ options = {}) => {
    const { newChart } = await import("./dialog-new.js");
    await newChart(home(), options);
  },
  empty: () =>
    confirm({
      title: `Delete all ${count.peek()} items for good?`,
      text: "The trash is emptied. Nothing of it can be brought back.",
      action: "Empty trash",
      danger: true,
      type: count.peek() > MANY ? "delete" : undefined,
      run: async () => {
        await model.emptyTrash(boot.owner);
        await refresh();
        toast("The trash is empty");
      },
    }),
};

function moveTo(/** @type {Item[]} */ list, /** @type {string} */ owner, /** @type {string} */ folder) {
  const isThere = (/** @type {Item} */ it) => it.owner === owner && (it.parent === folder || it.name === folder);
  const moved = list.filter((it) => !isThere(it));
  if (!moved.length) return Promise.resolve();
  const place = places.peek()?.find((it) => it.owner.id === owner);
  const name = folder === "/" ? (owner === me ? "My charts" : (place?.owner.name ?? "the top")) : folder.split("/").at(-1);
  return change(moved, "Move", `Moved ${named(moved)} to “${name}”`, (it, tag) => model.move(it, owner, folder, tag));
}

/** Returns the selected items. */
const selection = () => shown(context).filter((it) => chosen.value.has(it.key));

async function drop(/** @type {{ owner: string, folder: string }} */ to) {
  await attempt(() => moveTo(selection(), to.owner, to.folder));
}

/** Runs a function and shows its error as a toast. */
async function attempt(/** @type {() => unknown} */ work) {
  try {
    await work();
  } catch (error) {
    toast(errorText(error), { bad: true });
  }
}

function openMenu(/** @type {Item} */ item, /** @type {Element | { x: number, y: number }} */ anchor) {
  const list = chosen.peek().has(item.key) ? selection() : [item];
  const one = list.length === 1;
  if (isTrash) {
    return void menu(anchor, [
      { label: "Restore", icon: "restore", run: () => actions.restore(list) },
      { label: "Delete for good…", icon: "trash", danger: true, run: () => actions.expunge(list) },
    ]);
  }
  const writes = list.every((it) => it.writes);
  menu(anchor, [
    ...(one ? [{ label: "Open", icon: "right", href: item.view }] : []),
    ...(one && writes ? [{ label: "Rename…", icon: "pencil", keys: "F2", run: () => actions.rename(item) }] : []),
    { label: "Duplicate", icon: "copy", keys: "Ctrl+D", run: () => actions.duplicate(list) },
    ...(writes ? [{ label: "Move to…", icon: "move", keys: "M", run: () => actions.move(list) }] : []),
    ...(one && item.type === "document"
      ? [null, { label: "Download PNG", icon: "download", href: `/api/v1${item.endpoint}.png?download=1`, download: true }, { label: "Download SVG", icon: "download", href: `/api/v1${item.endpoint}.svg?download=1`, download: true }]
      : []),
    ...(boot.view === "shared" ? [null, { label: "Leave…", icon: "sign-out", danger: true, run: () => actions.leave(list) }] : []),
    ...(writes && boot.view !== "shared" ? [null, { label: "Move to trash", icon: "trash", keys: "Del", danger: true, run: () => actions.discard(list) }] : []),
  ]);
}

/** Builds the bar that is visible while items are selected. */
function selectionBar() {
  const act = (/** @type {string} */ label, /** @type {string} */ name, /** @type {(list: Item[]) => unknown} */ run, kind = "quiet") =>
    button(label, { icon: name, kind, class: "small", onclick: () => attempt(() => run(selection())) });
  const usual = [act("Move to…", "move", actions.move), act("Duplicate", "copy", actions.duplicate)];
  if (boot.view === "shared") usual.push(act("Leave…", "sign-out", actions.leave));
  else usual.push(act("Trash", "trash", actions.discard));
  const trash = [act("Restore", "restore", actions.restore), act("Delete for good…", "trash", actions.expunge)];
  return h(
    "div",
    { class: "selection", role: "toolbar", "aria-label": "Selection", hidden: () => chosen.value.size === 0 },
    h("span", { class: "selected", role: "status" }, () => (chosen.value.size ? `${chosen.value.size} selected` : "")),
    isTrash ? trash : usual,
    h("button", { type: "button", class: "cross", "aria-label": "Select nothing", onclick: () => (chosen.value = new Set()) }, icon("close")),
  );
}

/** Builds the placeholder of an empty listing. */
function nothing() {
  const said = h("p", null, boot.empty);
  if (boot.view !== "all" && boot.view !== "folder") return h("div", { class: "empty" }, said);
  const begin = h(
    "div",
    { class: "begin" },
    button("New chart", { kind: "primary", icon: "plus", onclick: () => attempt(() => actions.chart()) }),
    button("Paste data", { onclick: () => attempt(() => actions.chart({ data: true })) }),
  );
  const place = h("div");
  const end = effect(() => {
    if (shown(context).length) return;
    queueMicrotask(() => end());
    attempt(async () => place.replaceChildren(await (await import("./dialog-new.js")).examples(home)));
  });
  return h("div", { class: "empty" }, said, begin, place);
}

function more() {
  const load = button("Load more", {
    onclick: () =>
      busy(load, async () => {
        showError(fault);
        try {
          const page = await model.list(boot, Number(start ?? 0) + items.peek().length, PAGE);
          const known = new Set(items.peek().map((it) => it.key));
          batch(() => {
            count.value = page.count;
            items.value = [...items.peek(), ...page.items.filter((it) => !known.has(it.key))];
          });
        } catch (error) {
          showError(fault, error);
        }
      }),
  });
  return h("div", { class: "load", hidden: () => Number(start ?? 0) + items.value.length >= count.value }, load);
}

function tools() {
  const look = (/** @type {"grid" | "rows"} */ value, /** @type {string} */ label, /** @type {string} */ name) =>
    h("button", {
      type: "button",
      class: "button plain small only",
      "aria-label": label,
      title: label,
      "aria-pressed": () => String(layout.value === value),
      onclick: () => {
        layout.value = value;
        localStorage.setItem("library-layout", value);
      },
    }, icon(name));
  const whole = isTrash
    ? button("Empty trash…", { class: "small", hidden: () => count.value === 0, onclick: () => attempt(actions.empty) })
    : button("New folder", { class: "small", icon: "folder-plus", hidden: boot.view !== "all" && boot.view !== "folder", onclick: () => attempt(actions.folder) });
  return h("div", { class: "tools" }, whole, h("div", { class: "looks", role: "group", "aria-label": "Look" }, look("grid", "Pictures", "grid"), look("rows", "List", "list")));
}

/** Builds links to the trash of each account, if the user may see more than one. */
function trashes() {
  if (!isTrash || !boot.orgs.length) return null;
  const link = (/** @type {string} */ label, /** @type {string} */ id) =>
    h("a", { href: id === me ? "/trash" : `/trash?owner=${encodeURIComponent(id)}`, "aria-current": id === boot.owner ? "page" : null }, label);
  return h("nav", { class: "tabs", "aria-label": "Owner of the trash" }, link("Mine", me), boot.orgs.map((/** @type {any} */ it) => link(it.name, it.id)));
}

/** Returns the items that a shortcut applies to: the selection, otherwise the focused item. */
function subject() {
  const list = selection();
  if (list.length) return list;
  const key = document.activeElement?.closest("[data-key]")?.getAttribute("data-key");
  return shown(context).filter((it) => it.key === key);
}

document.addEventListener("keydown", (event) => {
  if (!mayAct(event)) return;
  const list = subject();
  const writes = list.length > 0 && !isTrash && list.every((it) => it.writes);
  const name = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.shiftKey && /^[a-z]$/i.test(event.key) ? "Shift+" : ""}${event.key.length === 1 ? event.key.toUpperCase() : event.key}`;
  /** @type {Record<string, (() => unknown) | false | null>} */
  const keys = {
    "N": () => actions.chart(),
    "Shift+N": !isTrash && actions.folder,
    "F2": writes && list.length === 1 && (() => actions.rename(list[0])),
    "M": writes && (() => actions.move(list)),
    "Ctrl+D": !isTrash && list.length > 0 && (() => actions.duplicate(list)),
    "Delete": isTrash ? list.length > 0 && (() => actions.expunge(list)) : writes && boot.view !== "shared" && (() => actions.discard(list)),
    "Ctrl+Z": lastUndo,
    "Ctrl+A": () => (chosen.value = new Set(shown(context).map((it) => it.key))),
    "Escape": chosen.peek().size > 0 && (() => (chosen.value = new Set())),
  };
  const run = keys[name];
  const onTitle = event.target instanceof Element && event.target.matches(".title");
  if (event.key === " " && onTitle && list.length) {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (event.target.closest("li")?.querySelector(".pick input"))?.click();
  } else if (run) {
    event.preventDefault();
    attempt(run);
  }
});

function begin() {
  const offline = h("p", { class: "notice", role: "status", hidden: navigator.onLine }, "You are offline. What is shown may be old, and changes have to wait.");
  window.addEventListener("offline", () => (offline.hidden = false));
  window.addEventListener("online", () => {
    offline.hidden = true;
    attempt(refresh);
  });
  find(".head").append(tools());
  find(".head .muted").replaceChildren(h("span", null, () => (count.value === 1 ? "1 in all" : `${count.value} in all`)));
  const previous = Number(start) > 0 ? h("p", null, h("a", { href: location.pathname }, "From the beginning")) : null;
  find("#library").replaceChildren(
    offline,
    ...[trashes(), previous].filter((it) => it !== null),
    h("div", { class: "blank", hidden: () => shown(context).length > 0 }, nothing()),
    cards(context),
    fault,
    more(),
    selectionBar(),
  );
  if (!isTrash) find("#bar-actions").append(button("New chart", { kind: "primary", icon: "plus", onclick: () => attempt(() => actions.chart()) }));
  const input = /** @type {HTMLInputElement} */ (find("#q"));
  if (boot.query) input.value = boot.query;
  for (const it of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".crumbs a"))) {
    const [, , owner, ...names] = new URL(it.href).pathname.split("/").map(decodeURIComponent);
    if (it.pathname.startsWith("/f/")) target(it, context, () => ({ owner, folder: `/${names.join("/")}` }));
  }
  rail(find("#places"), boot, context, places);
  attempt(async () => (places.value = await model.places()));
}

begin();
