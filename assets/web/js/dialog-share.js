// @ts-check
/** The dialog for sharing: access of people, teams, links and the public. */

import { encodePath, get } from "./api.js";
import { chart, doc, refreshDocument } from "./chart.js";
import { createScope, effect, h, signal } from "./core.js";
import { createShareLink, getAccessEntries, grantAccess, isDirect, revokeAccess, setPublic, updateAccess } from "./share.js";
import { members } from "./threads.js";
import { askConfirmation, createButton, createIcon, describeError, formatLocalTime, formatRelativeTime, openDialog, openMenu, runBusy, showError, showToast } from "./ui.js";

/** @typedef {import("./chart.js").Ace} Ace */

/** Validity periods of a link. 0 days means unlimited. */
const VALIDITY_PERIODS = [
  { label: "forever", days: 0 },
  { label: "for a day", days: 1 },
  { label: "for a week", days: 7 },
  { label: "for a month", days: 30 },
];

/** Copies a text, or shows it if the browser does not allow copying. @param {string} text @param {string} subject of the message */
async function copyText(text, subject) {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`${subject} is copied.`, { seconds: 4 });
  } catch {
    // The clipboard needs a secure context. Without it the user copies the text manually.
    showToast(text, { seconds: 30 });
  }
}

/** Returns the time in this many days; null for 0. @param {number} days */
const getExpiryTime = (days) => (days ? new Date(Date.now() + days * 86_400_000).toISOString() : null);

/**
 * Builds a select with the access modes "can view" and "can edit". If `change` fails, the select returns
 * to `mode`.
 * @param {string} label
 * @param {"r" | "w"} mode
 * @param {(mode: "r" | "w") => Promise<unknown>} [change]
 */
function createModeSelect(label, mode, change) {
  const select = h("select", { "aria-label": label, class: "role" }, h("option", { value: "r" }, "can view"), h("option", { value: "w" }, "can edit"));
  select.value = mode;
  select.addEventListener("change", async () => {
    if (!change) return;
    try {
      await change(/** @type {"r" | "w"} */ (select.value));
    } catch (error) {
      select.value = mode;
      showToast(describeError(error), { isError: true });
    }
  });
  return select;
}

/** Returns the name of a person or team, or a label of a link. @param {Ace} ace */
function getGranteeName(ace) {
  if (ace.type === "link") return ace.mode === "w" ? "Link for editing" : "Link for viewing";
  return ace.name ?? ace.email ?? "Somebody";
}

/** Describes the origin, type, expiry and use of an entry in one line. @param {Ace} ace */
function describeEntry(ace) {
  const details = [
    ace.folder && `for the folder ${ace.folder}`,
    ace.type === "team" && "team",
    ace.name && ace.email,
    ace.pending && "invited, not yet accepted",
    ace.expires_at && (Date.parse(ace.expires_at) < Date.now() ? "expired" : `until ${formatLocalTime(ace.expires_at)}`),
    ace.type === "link" && (ace.last_used_at ? `last used ${formatRelativeTime(ace.last_used_at)}` : "not used yet"),
  ];
  return details.filter(Boolean).join(" · ");
}

/** Builds the items of the menu of an entry. @param {Ace} ace */
function buildMenuItems(ace) {
  const createToastAction = (/** @type {string} */ text) => () => showToast(text, { seconds: 4 });
  const name = getGranteeName(ace);
  const rotate = () =>
    askConfirmation({
      title: "Create a new address for this link?",
      text: "The current address will no longer open the chart.",
      action: "New address",
      run: async () => {
        const updated = await updateAccess(ace, { rotate: true });
        if (updated.link) await copyText(updated.link, "The new address");
      },
    });
  return [
    ...(ace.type === "link" ? [{ label: "New address", icon: "restore", run: rotate }] : []),
    ...(ace.type === "email" ? [{ label: "Send the invitation again", icon: "restore", run: () => updateAccess(ace, { rotate: true }).then(createToastAction("The invitation is sent again.")) }] : []),
    ...VALIDITY_PERIODS.map((period) => ({ label: `Valid ${period.label} from now`, run: () => updateAccess(ace, { expires_at: getExpiryTime(period.days) }).then(createToastAction("Changed.")) })),
    null,
    {
      label: ace.type === "link" ? "Revoke" : "Remove",
      icon: "trash",
      danger: true,
      run: () => revokeAccess(ace).then(createToastAction(ace.type === "link" ? "The link is revoked." : `The access of ${name} is removed.`)),
    },
  ];
}

/** Builds the row of an entry. Entries inherited from a folder cannot be changed here. @param {Ace} ace */
function buildEntryRow(ace) {
  const name = getGranteeName(ace);
  const openEntryMenu = (/** @type {MouseEvent} */ event) => openMenu(/** @type {Element} */ (event.currentTarget), buildMenuItems(ace), name);
  const avatar = ace.user_id ? h("img", { class: "avatar", src: `/api/v1/users/${ace.user_id}/avatar.svg`, width: 28, height: 28, alt: "" }) : h("span", { class: "grant-icon" }, createIcon(ace.type === "link" ? "link" : ace.type === "team" ? "organization" : "user"));
  const text = h("span", { class: "grant-text" }, h("strong", null, name), h("span", { class: "muted" }, describeEntry(ace)));
  if (!isDirect(ace)) return h("li", { class: "grant" }, avatar, text, h("span", { class: "muted" }, ace.mode === "w" ? "can edit" : "can view"));
  const link = ace.link;
  return h(
    "li",
    { class: "grant" },
    avatar,
    text,
    link && createButton("Copy", { icon: "copy", "aria-label": `Copy the address of ${name}`, onclick: () => copyText(link, "The link") }),
    createModeSelect(`Access of ${name}`, ace.mode, (mode) => updateAccess(ace, { mode })),
    h("button", { type: "button", class: "cross", "aria-label": `More about ${name}`, "aria-haspopup": "menu", "aria-expanded": false, onclick: openEntryMenu }, createIcon("more")),
  );
}

/** Builds the form that shares the chart with a person or a team. @param {HTMLElement} errorContainer */
function buildInviteForm(errorContainer) {
  const list = h("datalist", { id: "known-people" });
  effect(() => list.replaceChildren(...members.value.filter((member) => member.email && String(member.id) !== chart.userId).map((member) => h("option", { value: member.email }, member.name))));
  const granteeInput = h("input", { type: "text", "aria-label": "E-mail address, or name of a team", placeholder: chart.isOwnedByOrganization ? "E-mail or team" : "E-mail", list: "known-people", autocomplete: "off", autocapitalize: "none", spellcheck: false, autofocus: true });
  /** @type {{ id: string, name: string }[]} */
  let teams = [];
  if (chart.isOwnedByOrganization) {
    get(encodePath`/orgs/${chart.owner}/teams`).then(
      ({ data }) => {
        teams = data.teams ?? data;
        list.append(...teams.map((team) => h("option", { value: team.name }, "Team")));
      },
      () => {}, // Guests of the organization do not see its teams.
    );
  }
  const modeSelect = createModeSelect("Access", "r");
  const submit = async () => {
    showError(errorContainer);
    const text = granteeInput.value.trim();
    if (!text) return granteeInput.focus();
    const team = teams.find((candidate) => candidate.name.toLowerCase() === text.toLowerCase());
    try {
      const ace = await runBusy(submitButton, () => grantAccess(team ? { team: team.id } : text.includes("@") ? { email: text } : { user_id: text }, /** @type {"r" | "w"} */ (modeSelect.value)));
      granteeInput.value = "";
      if (ace.link) {
        errorContainer.append(h("p", { class: "notice" }, h("span", null, "This server sends no mail. Send this link to ", h("strong", null, text), "."), createButton("Copy link", { onclick: () => copyText(ace.link ?? "", "The link") })));
      } else showToast(`Shared with ${getGranteeName(ace)}.`, { seconds: 4 });
    } catch (error) {
      showError(errorContainer, error);
      granteeInput.focus();
    }
  };
  const submitButton = createButton("Share", { kind: "primary", onclick: submit });
  granteeInput.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    submit();
  });
  return h("div", { class: "invite" }, granteeInput, list, modeSelect, submitButton);
}

/** Builds the form that creates a link. @param {HTMLElement} errorContainer */
function buildLinkForm(errorContainer) {
  const modeSelect = createModeSelect("Access of the link", "r");
  const periodSelect = h("select", { "aria-label": "Validity of the link", class: "role" }, VALIDITY_PERIODS.map((period) => h("option", { value: String(period.days) }, period.label)));
  const submitButton = createButton("Create link", {
    icon: "link",
    onclick: () =>
      runBusy(submitButton, async () => {
        showError(errorContainer);
        try {
          const ace = await createShareLink(/** @type {"r" | "w"} */ (modeSelect.value), getExpiryTime(Number(periodSelect.value)));
          if (ace.link) await copyText(ace.link, "The new link");
        } catch (error) {
          showError(errorContainer, error);
        }
      }),
  });
  return h("div", { class: "invite" }, h("span", { class: "grow" }, "Anyone with the link"), modeSelect, periodSelect, submitButton);
}

/** Builds the switch that makes the chart public. It is disabled if the organization does not allow that. */
function buildPublicSwitch() {
  const reason = signal("");
  const errorContainer = h("div");
  if (chart.isOwnedByOrganization) {
    get(encodePath`/orgs/${chart.owner}/settings`).then(
      ({ data }) => (reason.value = data.disable_public_documents ? `${chart.ownerName} does not allow public documents.` : ""),
      () => {},
    );
  }
  const input = h("input", { type: "checkbox", role: "switch", "aria-describedby": "public-hint", checked: () => doc.value?.isPublic ?? false, disabled: () => Boolean(reason.value) });
  input.addEventListener("change", async () => {
    showError(errorContainer);
    input.disabled = true;
    try {
      await setPublic(input.checked);
    } catch (error) {
      input.checked = !input.checked;
      showError(errorContainer, error);
    }
    input.disabled = Boolean(reason.peek());
  });
  const getHint = () => reason.value || (doc.value?.isPublic ? "Everybody can open this page, without signing in." : "Only people it is shared with can open this page.");
  return h("div", { class: "public-line" }, h("label", { class: "check" }, input, "Public page"), h("p", { class: "muted", id: "public-hint" }, getHint), errorContainer);
}

/** Opens the dialog. Users who cannot change the chart only get its address. */
export function open() {
  const pageUrl = `${location.origin}${location.pathname}`;
  const copyPageButton = createButton("Copy this page’s address", { icon: "link", onclick: () => copyText(pageUrl, "The address") });
  if (!chart.mayWrite) {
    const text = chart.isInTrash ? "This chart is in the trash: it cannot be shared." : `You can view this chart but not share it. ${chart.ownerName} can share it.`;
    openDialog({ title: "Share", body: [h("p", null, text), copyPageButton], actions: [{ label: "Done", value: "" }] });
    return;
  }
  const errorContainers = { people: h("div"), links: h("div") };
  const buildList = (/** @type {(ace: Ace) => boolean} */ isIncluded, /** @type {string} */ emptyText) => () => {
    const entries = getAccessEntries().filter(isIncluded);
    return entries.length ? h("ul", { class: "grants" }, entries.map(buildEntryRow)) : h("p", { class: "muted" }, emptyText);
  };
  const ownerNote = chart.isOwnedByOrganization ? `Belongs to ${chart.ownerName}: its members can edit it, unless its folder belongs to a team.` : `Belongs to ${chart.ownerName}.`;
  const buildBody = () =>
    /** @type {HTMLElement[]} */ ([
      buildInviteForm(errorContainers.people),
      errorContainers.people,
      h("h3", null, "People and teams"),
      h("p", { class: "muted" }, ownerNote),
      h("div", null, buildList((ace) => ace.type !== "link", "Not shared with anyone yet.")),
      h("h3", null, "Links"),
      buildLinkForm(errorContainers.links),
      errorContainers.links,
      h("div", null, buildList((ace) => ace.type === "link", "There are no links.")),
      h("h3", null, "Everybody"),
      buildPublicSwitch(),
      copyPageButton,
    ]);
  const [content, disposeBody] = createScope(buildBody);
  const shareDialog = openDialog({ title: "Share", wide: true, className: "share", body: content, actions: [{ label: "Done", value: "" }] });
  shareDialog.closed.then(disposeBody);
  refreshDocument().catch((error) => showError(errorContainers.people, error));
}
