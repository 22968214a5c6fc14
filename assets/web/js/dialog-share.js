// @ts-check
/** The dialog for sharing: access of people, teams, links and the public. */

import { get, path } from "./api.js";
import { chart, doc, refresh } from "./chart.js";
import { effect, h, scope, signal } from "./core.js";
import { accessEntries, createLink, invite, isDirect, revokeAccess, setPublic, updateAccess } from "./share.js";
import { members } from "./threads.js";
import { button, busy, confirm, dialog, errorText, icon, localTime, menu, relativeTime, showError, toast } from "./ui.js";

/** @typedef {import("./chart.js").Ace} Ace */

/** Validity periods of a link. 0 days means unlimited. */
const TERMS = [
  { label: "for ever", days: 0 },
  { label: "for a day", days: 1 },
  { label: "for a week", days: 7 },
  { label: "for a month", days: 30 },
];

/** @param {string} text @param {string} what */
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} is copied.`, { seconds: 4 });
  } catch {
    // The clipboard needs a secure context. Without it the user copies the text manually.
    toast(text, { seconds: 30 });
  }
}

/** @param {number} days */
const after = (days) => (days ? new Date(Date.now() + days * 86_400_000).toISOString() : null);

/**
 * Builds a select with the access modes "can view" and "can edit".
 * @param {string} label
 * @param {"r" | "w"} mode
 * @param {(mode: "r" | "w") => Promise<unknown>} [change]
 */
function role(label, mode, change) {
  const select = h("select", { "aria-label": label, class: "role" }, h("option", { value: "r" }, "can view"), h("option", { value: "w" }, "can edit"));
  select.value = mode;
  select.addEventListener("change", async () => {
    if (!change) return;
    try {
      await change(/** @type {"r" | "w"} */ (select.value));
    } catch (error) {
      select.value = mode;
      toast(errorText(error), { bad: true });
    }
  });
  return select;
}

/** @param {Ace} ace */
function aceName(ace) {
  if (ace.type === "link") return ace.mode === "w" ? "Link that edits" : "Link that views";
  return ace.name ?? ace.email ?? "Somebody";
}

/** @param {Ace} ace */
function about(ace) {
  const parts = [
    ace.folder && `for the folder ${ace.folder}`,
    ace.type === "team" && "team",
    ace.name && ace.email,
    ace.pending && "invited, not yet accepted",
    ace.expires_at && (Date.parse(ace.expires_at) < Date.now() ? "has ended" : `until ${localTime(ace.expires_at)}`),
    ace.type === "link" && (ace.last_used_at ? `last used ${relativeTime(ace.last_used_at)}` : "not used yet"),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** @param {Ace} ace */
function options(ace) {
  const done = (/** @type {string} */ text) => () => toast(text, { seconds: 4 });
  const name = aceName(ace);
  const rotate = () =>
    confirm({
      title: "Give this link another address?",
      text: "The current address will no longer open the chart.",
      action: "New address",
      run: async () => {
        const made = await updateAccess(ace, { rotate: true });
        if (made.link) await copy(made.link, "The new address");
      },
    });
  return [
    ...(ace.type === "link" ? [{ label: "New address", icon: "restore", run: rotate }] : []),
    ...(ace.type === "email" ? [{ label: "Send the invitation again", icon: "restore", run: () => updateAccess(ace, { rotate: true }).then(done("The invitation is sent again.")) }] : []),
    ...TERMS.map((it) => ({ label: `Valid ${it.label} from now`, run: () => updateAccess(ace, { expires_at: after(it.days) }).then(done("Changed.")) })),
    null,
    {
      label: ace.type === "link" ? "Revoke" : "Remove",
      icon: "trash",
      danger: true,
      run: () => revokeAccess(ace).then(done(ace.type === "link" ? "The link opens nothing any more." : `${name} can open the chart this way no more.`)),
    },
  ];
}

/** @param {Ace} ace */
function row(ace) {
  const name = aceName(ace);
  const more = (/** @type {MouseEvent} */ event) => menu(/** @type {Element} */ (event.currentTarget), options(ace), name);
  const avatar = ace.user_id ? h("img", { class: "avatar", src: `/api/v1/users/${ace.user_id}/avatar.svg`, width: 28, height: 28, alt: "" }) : h("span", { class: "grant-icon" }, icon(ace.type === "link" ? "link" : ace.type === "team" ? "organization" : "user"));
  const text = h("span", { class: "grant-text" }, h("strong", null, name), h("span", { class: "muted" }, about(ace)));
  if (!isDirect(ace)) return h("li", { class: "grant" }, avatar, text, h("span", { class: "muted" }, ace.mode === "w" ? "can edit" : "can view"));
  const address = ace.link;
  return h(
    "li",
    { class: "grant" },
    avatar,
    text,
    address && button("Copy", { icon: "copy", "aria-label": `Copy the address of ${name}`, onclick: () => copy(address, "The link") }),
    role(`What ${name} may do`, ace.mode, (mode) => updateAccess(ace, { mode })),
    h("button", { type: "button", class: "cross", "aria-label": `More about ${name}`, "aria-haspopup": "menu", "aria-expanded": false, onclick: more }, icon("more")),
  );
}

/** Builds the form that shares the chart with a person or a team. @param {HTMLElement} fault */
function inviteLine(fault) {
  const list = h("datalist", { id: "known-people" });
  effect(() => list.replaceChildren(...members.value.filter((it) => it.email && String(it.id) !== chart.user).map((it) => h("option", { value: it.email }, it.name))));
  const who = h("input", { type: "text", "aria-label": "E-mail address, or name of a team", placeholder: chart.ofOrganization ? "E-mail or team" : "E-mail", list: "known-people", autocomplete: "off", autocapitalize: "none", spellcheck: false, autofocus: true });
  /** @type {{ id: string, name: string }[]} */
  let teams = [];
  if (chart.ofOrganization) {
    get(path`/orgs/${chart.owner}/teams`).then(
      ({ data }) => {
        teams = data.teams ?? data;
        list.append(...teams.map((it) => h("option", { value: it.name }, "Team")));
      },
      () => {}, // Guests of the organization do not see its teams.
    );
  }
  const mode = role("What they may do", "r");
  const send = async () => {
    showError(fault);
    const text = who.value.trim();
    if (!text) return who.focus();
    const team = teams.find((it) => it.name.toLowerCase() === text.toLowerCase());
    try {
      const ace = await busy(press, () => invite(team ? { team: team.id } : text.includes("@") ? { email: text } : { user_id: text }, /** @type {"r" | "w"} */ (mode.value)));
      who.value = "";
      if (ace.link) {
        fault.append(h("p", { class: "notice" }, h("span", null, "This server sends no mail. Pass this link on to ", h("strong", null, text), "."), button("Copy link", { onclick: () => copy(ace.link ?? "", "The link") })));
      } else toast(`Shared with ${aceName(ace)}.`, { seconds: 4 });
    } catch (error) {
      showError(fault, error);
      who.focus();
    }
  };
  const press = button("Share", { kind: "primary", onclick: send });
  who.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    send();
  });
  return h("div", { class: "invite" }, who, list, mode, press);
}

/** Builds the form that creates a link. @param {HTMLElement} fault */
function linkLine(fault) {
  const mode = role("What the link may do", "r");
  const term = h("select", { "aria-label": "How long the link is valid", class: "role" }, TERMS.map((it) => h("option", { value: String(it.days) }, it.label)));
  const press = button("Make a link", {
    icon: "link",
    onclick: () =>
      busy(press, async () => {
        showError(fault);
        try {
          const ace = await createLink(/** @type {"r" | "w"} */ (mode.value), after(Number(term.value)));
          if (ace.link) await copy(ace.link, "The new link");
        } catch (error) {
          showError(fault, error);
        }
      }),
  });
  return h("div", { class: "invite" }, h("span", { class: "grow" }, "Anyone with the link"), mode, term, press);
}

/** Builds the switch that makes the chart public. */
function publicLine() {
  const reason = signal("");
  const fault = h("div");
  if (chart.ofOrganization) {
    get(path`/orgs/${chart.owner}/settings`).then(
      ({ data }) => (reason.value = data.disable_public_documents ? `${chart.ownerName} lets nothing be public.` : ""),
      () => {},
    );
  }
  const input = h("input", { type: "checkbox", role: "switch", "aria-describedby": "public-hint", checked: () => doc.value?.isPublic ?? false, disabled: () => Boolean(reason.value) });
  input.addEventListener("change", async () => {
    showError(fault);
    input.disabled = true;
    try {
      await setPublic(input.checked);
    } catch (error) {
      input.checked = !input.checked;
      showError(fault, error);
    }
    input.disabled = Boolean(reason.peek());
  });
  const hint = () => reason.value || (doc.value?.isPublic ? "Everybody can open this page, without signing in." : "Only people it is shared with can open this page.");
  return h("div", { class: "public-line" }, h("label", { class: "check" }, input, "Public page"), h("p", { class: "muted", id: "public-hint" }, hint), fault);
}

/** Opens the dialog. */
export function open() {
  const page = `${location.origin}${location.pathname}`;
  const copyPage = button("Copy this page’s address", { icon: "link", onclick: () => copy(page, "The address") });
  if (!chart.writes) {
    const text = chart.inTrash ? "This chart is in the trash: it cannot be shared." : `You may look at this chart, not share it. ${chart.ownerName} can.`;
    dialog({ title: "Share", body: [h("p", null, text), copyPage], actions: [{ label: "Done", value: "" }] });
    return;
  }
  const faults = { people: h("div"), links: h("div") };
  const list = (/** @type {(it: Ace) => boolean} */ fits, /** @type {string} */ empty) => () => {
    const all = accessEntries().filter(fits);
    return all.length ? h("ul", { class: "grants" }, all.map(row)) : h("p", { class: "muted" }, empty);
  };
  const ownerNote = chart.ofOrganization ? `Belongs to ${chart.ownerName}: its members can edit it, unless its folder is a team’s.` : `Belongs to ${chart.ownerName}.`;
  const body = () =>
    /** @type {HTMLElement[]} */ ([
      inviteLine(faults.people),
      faults.people,
      h("h3", null, "People and teams"),
      h("p", { class: "muted" }, ownerNote),
      h("div", null, list((it) => it.type !== "link", "Shared with nobody yet.")),
      h("h3", null, "Links"),
      linkLine(faults.links),
      faults.links,
      h("div", null, list((it) => it.type === "link", "There are no links.")),
      h("h3", null, "Everybody"),
      publicLine(),
      copyPage,
    ]);
  const [parts, end] = scope(body);
  const box = dialog({ title: "Share", wide: true, className: "share", body: parts, actions: [{ label: "Done", value: "" }] });
  box.closed.then(end);
  refresh().catch((error) => showError(faults.people, error));
}
