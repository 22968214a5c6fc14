// @ts-check
/** The dialog for sharing: access of people, teams, links and the public. */

import { ApiError, encodePath, get } from "./api.js";
import { chart, doc, refreshDocument } from "./chart.js";
import { createScope, effect, h, signal } from "./core.js";
import { createShareLink, getAccessEntries, grantAccess, isDirect, revokeAccess, setPublic, updateAccess } from "./share.js";
import { getText, getTextParts } from "./texts.js";
import { members } from "./threads.js";
import { askConfirmation, createButton, createIcon, describeError, formatLocalTime, formatRelativeTime, openDialog, openMenu, runBusy, showError, showToast } from "./ui.js";

/** @typedef {import("./chart.js").Ace} Ace */

/** Validity periods of a link: label, label of the menu entry that sets the period, and length. 0 days means unlimited. */
const VALIDITY_PERIODS = [
  { label: getText("share.forever"), action: getText("share.validForever"), days: 0 },
  { label: getText("share.forDay"), action: getText("share.validForDay"), days: 1 },
  { label: getText("share.forWeek"), action: getText("share.validForWeek"), days: 7 },
  { label: getText("share.forMonth"), action: getText("share.validForMonth"), days: 30 },
];

/** Copies a text, or shows it if the browser does not allow copying. @param {string} text @param {string} message shown afterwards */
async function copyText(text, message) {
  try {
    await navigator.clipboard.writeText(text);
    showToast(message, { seconds: 4 });
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
  const select = h("select", { "aria-label": label, class: "role" }, h("option", { value: "r" }, getText("share.canView")), h("option", { value: "w" }, getText("share.canEdit")));
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
  if (ace.type === "link") return getText(ace.mode === "w" ? "share.linkForEditing" : "share.linkForViewing");
  return ace.name ?? ace.email ?? getText("api.somebody");
}

/** Describes the origin, type, expiry and use of an entry in one line. @param {Ace} ace */
function describeEntry(ace) {
  const details = [
    ace.folder && getText("share.forFolder", { folder: ace.folder }),
    ace.type === "team" && getText("share.isTeam"),
    ace.name && ace.email,
    ace.pending && getText("share.invited"),
    ace.expires_at && (Date.parse(ace.expires_at) < Date.now() ? getText("share.expired") : getText("share.until", { time: formatLocalTime(ace.expires_at) })),
    ace.type === "link" && (ace.last_used_at ? getText("share.lastUsed", { time: formatRelativeTime(ace.last_used_at) }) : getText("share.notUsed")),
  ];
  return details.filter(Boolean).join(" · ");
}

/** Builds the items of the menu of an entry. @param {Ace} ace */
function buildMenuItems(ace) {
  const createToastAction = (/** @type {string} */ text) => () => showToast(text, { seconds: 4 });
  const name = getGranteeName(ace);
  const rotate = () =>
    askConfirmation({
      title: getText("share.newAddressQuestion"),
      text: getText("share.newAddressConsequences"),
      action: getText("share.newAddress"),
      run: async () => {
        const updated = await updateAccess(ace, { rotate: true });
        if (updated.link) await copyText(updated.link, getText("share.newAddressCopied"));
      },
    });
  return [
    ...(ace.type === "link" ? [{ label: getText("share.newAddress"), icon: "restore", run: rotate }] : []),
    ...(ace.type === "email" ? [{ label: getText("share.inviteAgain"), icon: "restore", run: () => updateAccess(ace, { rotate: true }).then(createToastAction(getText("share.invitedAgain"))) }] : []),
    ...VALIDITY_PERIODS.map((period) => ({ label: period.action, run: () => updateAccess(ace, { expires_at: getExpiryTime(period.days) }).then(createToastAction(getText("share.accessChanged"))) })),
    null,
    {
      label: getText(ace.type === "link" ? "share.revoke" : "common.remove"),
      icon: "trash",
      danger: true,
      run: () => revokeAccess(ace).then(createToastAction(ace.type === "link" ? getText("share.linkRevoked") : getText("share.accessRemoved", { name }))),
    },
  ];
}

/** Builds the row of an entry. Entries inherited from a folder cannot be changed here. @param {Ace} ace */
function buildEntryRow(ace) {
  const name = getGranteeName(ace);
  const openEntryMenu = (/** @type {MouseEvent} */ event) => openMenu(/** @type {Element} */ (event.currentTarget), buildMenuItems(ace), name);
  const avatar = ace.user_id ? h("img", { class: "avatar", src: `/api/v1/users/${ace.user_id}/avatar.svg`, width: 28, height: 28, alt: "" }) : h("span", { class: "grant-icon" }, createIcon(ace.type === "link" ? "link" : ace.type === "team" ? "organization" : "user"));
  const text = h("span", { class: "grant-text" }, h("strong", null, name), h("span", { class: "muted" }, describeEntry(ace)));
  if (!isDirect(ace)) return h("li", { class: "grant" }, avatar, text, h("span", { class: "muted" }, getText(ace.mode === "w" ? "share.canEdit" : "share.canView")));
  const link = ace.link;
  return h(
    "li",
    { class: "grant" },
    avatar,
    text,
    link && createButton(getText("common.copy"), { icon: "copy", "aria-label": getText("share.copyAddressOf", { name }), onclick: () => copyText(link, getText("share.linkCopied")) }),
    createModeSelect(getText("share.accessOf", { name }), ace.mode, (mode) => updateAccess(ace, { mode })),
    h("button", { type: "button", class: "cross", "aria-label": getText("share.moreAbout", { name }), "aria-haspopup": "menu", "aria-expanded": false, onclick: openEntryMenu }, createIcon("more")),
  );
}

/** Returns a text if the entered name belongs to no account or team. @param {unknown} error */
function describeGranteeError(error) {
  // The other error of this field says that the owner has access already.
  const isUnknown = error instanceof ApiError && error.fields.some(({ field, message }) => field === "user_id" && !/owner|eigentümer/i.test(message));
  if (!isUnknown) return null;
  return getText(chart.isOwnedByOrganization ? "share.unknownNameOrTeam" : "share.unknownName");
}

/** Builds the form that shares the chart with a person or a team. @param {HTMLElement} errorContainer */
function buildInviteForm(errorContainer) {
  const list = h("datalist", { id: "known-people" });
  effect(() => list.replaceChildren(...members.value.filter((member) => member.email && String(member.id) !== chart.userId).map((member) => h("option", { value: member.email }, member.name))));
  const granteeInput = h("input", { type: "text", "aria-label": getText("share.grantee"), placeholder: getText(chart.isOwnedByOrganization ? "share.emailOrTeam" : "share.email"), list: "known-people", autocomplete: "off", autocapitalize: "none", spellcheck: false, autofocus: true });
  /** @type {{ id: string, name: string }[]} */
  let teams = [];
  if (chart.isOwnedByOrganization) {
    get(encodePath`/orgs/${chart.owner}/teams`).then(
      ({ data }) => {
        teams = data.teams ?? data;
        list.append(...teams.map((team) => h("option", { value: team.name }, getText("share.team"))));
      },
      () => {}, // Guests of the organization do not see its teams.
    );
  }
  const modeSelect = createModeSelect(getText("share.access"), "r");
  const submit = async () => {
    showError(errorContainer);
    const text = granteeInput.value.trim();
    if (!text) return granteeInput.focus();
    const team = teams.find((candidate) => candidate.name.toLowerCase() === text.toLowerCase());
    try {
      const ace = await runBusy(submitButton, () => grantAccess(team ? { team: team.id } : text.includes("@") ? { email: text } : { user_id: text }, /** @type {"r" | "w"} */ (modeSelect.value)));
      granteeInput.value = "";
      if (ace.link) {
        errorContainer.append(h("p", { class: "notice" }, h("span", null, getTextParts("share.sendLink", { name: h("strong", null, text) })), createButton(getText("common.copyLink"), { onclick: () => copyText(ace.link ?? "", getText("share.linkCopied")) })));
      } else showToast(getText("share.sharedWith", { name: getGranteeName(ace) }), { seconds: 4 });
    } catch (error) {
      showError(errorContainer, describeGranteeError(error) ?? error);
      granteeInput.focus();
    }
  };
  const submitButton = createButton(getText("common.share"), { kind: "primary", onclick: submit });
  granteeInput.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    submit();
  });
  return h("div", { class: "invite" }, granteeInput, list, modeSelect, submitButton);
}

/** Builds the form that creates a link. @param {HTMLElement} errorContainer */
function buildLinkForm(errorContainer) {
  const modeSelect = createModeSelect(getText("share.linkAccess"), "r");
  const periodSelect = h("select", { "aria-label": getText("share.linkValidity"), class: "role" }, VALIDITY_PERIODS.map((period) => h("option", { value: String(period.days) }, period.label)));
  const submitButton = createButton(getText("share.createLink"), {
    icon: "link",
    onclick: () =>
      runBusy(submitButton, async () => {
        showError(errorContainer);
        try {
          const ace = await createShareLink(/** @type {"r" | "w"} */ (modeSelect.value), getExpiryTime(Number(periodSelect.value)));
          if (ace.link) await copyText(ace.link, getText("share.newLinkCopied"));
        } catch (error) {
          showError(errorContainer, error);
        }
      }),
  });
  return h("div", { class: "invite" }, h("span", { class: "grow" }, getText("share.anyoneWithLink")), modeSelect, periodSelect, submitButton);
}

/** Builds the switch that makes the chart public. It is disabled if the organization does not allow that. */
function buildPublicSwitch() {
  const reason = signal("");
  const errorContainer = h("div");
  if (chart.isOwnedByOrganization) {
    get(encodePath`/orgs/${chart.owner}/settings`).then(
      ({ data }) => (reason.value = data.disable_public_documents ? getText("share.publicForbidden", { owner: chart.ownerName }) : ""),
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
  const getHint = () => reason.value || getText(doc.value?.isPublic ? "share.publicHint" : "share.privateHint");
  return h("div", { class: "public-line" }, h("label", { class: "check" }, input, getText("share.publicPage")), h("p", { class: "muted", id: "public-hint" }, getHint), errorContainer);
}

/** Opens the dialog. Users who cannot change the chart only get its address. */
export function open() {
  const pageUrl = `${location.origin}${location.pathname}`;
  const copyPageButton = createButton(getText("share.copyPageAddress"), { icon: "link", onclick: () => copyText(pageUrl, getText("share.addressCopied")) });
  if (!chart.mayWrite) {
    const text = chart.isInTrash ? getText("share.inTrash") : getText("share.mayNotShare", { owner: chart.ownerName });
    openDialog({ title: getText("common.share"), body: [h("p", null, text), copyPageButton], actions: [{ label: getText("common.done"), value: "" }] });
    return;
  }
  const embedButton = createButton(getText("share.embed"), { icon: "code", onclick: async () => (await import("./dialog-embed.js")).open() });
  const errorContainers = { people: h("div"), links: h("div") };
  const buildList = (/** @type {(ace: Ace) => boolean} */ isIncluded, /** @type {string} */ emptyText) => () => {
    const entries = getAccessEntries().filter(isIncluded);
    return entries.length ? h("ul", { class: "grants" }, entries.map(buildEntryRow)) : h("p", { class: "muted" }, emptyText);
  };
  const ownerNote = getText(chart.isOwnedByOrganization ? "share.belongsToOrganization" : "share.belongsTo", { owner: chart.ownerName });
  const buildBody = () =>
    /** @type {HTMLElement[]} */ ([
      buildInviteForm(errorContainers.people),
      errorContainers.people,
      h("h3", null, getText("share.peopleAndTeams")),
      h("p", { class: "muted" }, ownerNote),
      h("div", null, buildList((ace) => ace.type !== "link", getText("share.notShared"))),
      h("h3", null, getText("share.links")),
      buildLinkForm(errorContainers.links),
      errorContainers.links,
      h("div", null, buildList((ace) => ace.type === "link", getText("share.noLinks"))),
      h("h3", null, getText("share.everybody")),
      buildPublicSwitch(),
      h("div", { class: "row" }, copyPageButton, embedButton),
    ]);
  const [content, disposeBody] = createScope(buildBody);
  const shareDialog = openDialog({ title: getText("common.share"), wide: true, className: "share", body: content, actions: [{ label: getText("common.done"), value: "" }] });
  shareDialog.closed.then(disposeBody);
  refreshDocument().catch((error) => showError(errorContainers.people, error));
}
