// @ts-check
/** The choice of a spreadsheet in a connected account of cloud storage. */

import { ApiError, get } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createButton, createField, createIcon, describeError, showError } from "./ui.js";

/** @typedef {{ id: string, provider: string, title: string, state: string, urls: { auth?: string } }} Connection */
/** @typedef {{ name: string, auth_url?: string, connections?: Connection[] }} Provider */
/** @typedef {{ id: string, title: string, is_spreadsheet?: boolean, sync_url?: string }} Entry */
/** @typedef {{ folder: { id: string, title: string }, results: { type: string, folder?: Entry, file?: Entry }[], cursor?: string }} FolderList */
/** @typedef {{ url: string, name: string }} ChosenFile */

/** Names of the providers, the same in all languages. @type {Record<string, string>} */
export const PROVIDER_NAMES = { box: "Box", dropbox: "Dropbox", googledrive: "Google Drive", onedrive: "OneDrive", smartsheet: "Smartsheet" };

/** Returns an address that begins a connection and leads back to the present page. @param {string} url */
const toStart = (url) => `${new URL(url).pathname}?next=${encodeURIComponent(location.pathname + location.search)}`;

/**
 * Creates the choice, which loads the accounts when it is shown for the first time.
 *
 * @param {(file: ChosenFile) => void} onChoose
 */
export function createCloudPicker(onChoose) {
  const accounts = h("select", { onchange: () => openAccount() });
  const accountField = createField(getText("cloud-picker.account"), accounts);
  const path = h("ol", { class: "cloud-path", "aria-label": getText("cloud-picker.path") });
  const list = h("ul", { class: "cloud-files", "aria-label": getText("cloud-picker.files") });
  const status = h("p", { class: "muted", role: "status" });
  const error = h("div");
  const more = createButton(getText("cloud-picker.more"), { hidden: true });
  const offers = h("p", { class: "hint cloud-offers" });
  const element = h("div", { class: "cloud-picker", hidden: true }, accountField, path, error, status, list, more, offers);
  /** @type {Connection[]} */
  let connections = [];
  /** Folders from the root to the shown one. @type {{ id: string, title: string }[]} */
  let folders = [];
  let running = new AbortController();

  const current = () => connections.find(({ id }) => id === accounts.value);

  /** Shows an error. A connection that has ended has a link to renew it. @param {unknown} failure */
  const showFailure = (failure) => {
    const url = current()?.urls.auth;
    const hasEnded = failure instanceof ApiError && failure.code === "reconnect_required";
    showError(error, describeError(failure));
    if (hasEnded && url) error.append(" ", h("a", { href: toStart(url) }, getText("cloud-picker.renew")));
  };

  /** Builds an entry: a folder to open, or a file to choose. @param {FolderList["results"][number]} entry */
  const buildEntry = ({ type, folder, file }) => {
    if (type === "folder" && folder) {
      const open = () => openFolder([...folders, folder]);
      return h("li", null, h("button", { type: "button", onclick: open }, createIcon("folder"), h("span", null, folder.title)));
    }
    if (!file) return null;
    const choose = () => onChoose({ url: file.sync_url ?? "", name: file.title });
    const disabled = !file.is_spreadsheet;
    return h("li", null, h("button", { type: "button", disabled, title: disabled ? getText("cloud-picker.noSpreadsheet") : null, onclick: choose }, createIcon("grid"), h("span", null, file.title)));
  };

  /** Adds a part of a list. @param {string} address @param {AbortSignal} signal */
  const load = async (address, signal) => {
    status.textContent = getText("cloud-picker.loading");
    more.hidden = true;
    try {
      /** @type {{ data: FolderList }} */
      const { data } = await get(address, { signal });
      list.append(...data.results.map(buildEntry).filter((entry) => entry !== null));
      status.textContent = list.childElementCount || data.cursor ? "" : getText("cloud-picker.empty");
      const { cursor } = data;
      more.hidden = !cursor;
      more.onclick = () => load(`${connectionPath()}/folders/continue/${cursor}`, signal);
    } catch (failure) {
      if (signal.aborted) return;
      status.textContent = "";
      showFailure(failure);
    }
  };

  const connectionPath = () => `/cloud/${current()?.provider}/${accounts.value}`;

  /** Opens the last folder of a path. @param {typeof folders} steps */
  const openFolder = async (steps) => {
    running.abort();
    running = new AbortController();
    folders = steps;
    showError(error);
    list.replaceChildren();
    const buildStep = (/** @type {{ title: string }} */ step, /** @type {number} */ index) => {
      const isLast = index === steps.length - 1;
      return h("li", null, h("button", { type: "button", "aria-current": isLast ? "location" : null, onclick: () => openFolder(steps.slice(0, index + 1)) }, step.title));
    };
    path.replaceChildren(...steps.map(buildStep));
    const id = steps.at(-1)?.id ?? "root";
    await load(`${connectionPath()}/folders${id === "root" ? "" : `/${id}`}?files=1`, running.signal);
    if (element.contains(document.activeElement) || document.activeElement === document.body) /** @type {HTMLElement | null} */ (list.querySelector("button:enabled"))?.focus();
  };

  const openAccount = () => openFolder([{ id: "root", title: current()?.title ?? "" }]);

  /** Loads the accounts and the providers that can be connected. */
  const loadAccounts = async () => {
    status.textContent = getText("cloud-picker.loading");
    /** @type {{ data: Provider[] }} */
    const { data } = await get("/sync/providers");
    connections = data.flatMap((provider) => provider.connections ?? []);
    accounts.replaceChildren(...connections.map(({ id, title }) => h("option", { value: id }, title)));
    accountField.hidden = connections.length === 0;
    const links = data.filter(({ auth_url }) => auth_url).map(({ name, auth_url }) => h("a", { href: toStart(auth_url ?? "") }, getText("cloud-picker.connect", { name: PROVIDER_NAMES[name] ?? name })));
    offers.replaceChildren(...(links.length ? links : [getText("cloud-picker.notSetUp")]));
    status.textContent = connections.length || !links.length ? "" : getText("cloud-picker.noAccount");
    if (connections.length) await openAccount();
  };

  return {
    element,
    /** Shows the choice. */
    show: async () => {
      element.hidden = false;
      showError(error);
      try {
        await loadAccounts();
      } catch (failure) {
        status.textContent = "";
        showFailure(failure);
      }
    },
    hide: () => {
      running.abort();
      element.hidden = true;
    },
  };
}
