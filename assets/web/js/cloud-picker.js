// @ts-check
/** The choice of a spreadsheet in a connected account of cloud storage. */

import { ApiError, get } from "./api.js";
import { createFolderList } from "./cloud-folder.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createField, createIcon, describeError, showError } from "./ui.js";

/** @typedef {{ id: string, provider: string, title: string, state: string, urls: { auth?: string } }} Connection */
/** @typedef {{ name: string, auth_url?: string, connections?: Connection[] }} Provider */
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
  const error = h("div");
  const offers = h("p", { class: "hint cloud-offers" });
  /** @type {Connection[]} */
  let connections = [];

  const current = () => connections.find(({ id }) => id === accounts.value);

  /** Shows an error. A connection that has ended has a link to renew it. @param {unknown} failure */
  const showFailure = (failure) => {
    if (!failure) return showError(error);
    const url = current()?.urls.auth;
    const hasEnded = failure instanceof ApiError && failure.code === "reconnect_required";
    showError(error, describeError(failure));
    if (hasEnded && url) error.append(" ", h("a", { href: toStart(url) }, getText("cloud-picker.renew")));
  };

  /** Builds the button of a file, which is disabled unless it is a spreadsheet. @param {import("./cloud-folder.js").ListEntry} entry */
  const buildFile = ({ file }) => {
    if (!file) return null;
    const choose = () => onChoose({ url: file.sync_url ?? "", name: file.title });
    const disabled = !file.is_spreadsheet;
    return h("li", null, h("button", { type: "button", disabled, title: disabled ? getText("cloud-picker.noSpreadsheet") : null, onclick: choose }, createIcon("grid"), h("span", null, file.title)));
  };
  const list = createFolderList({ buildFile, showFailure, label: getText("cloud-picker.files"), withFiles: true });
  const { status } = list;
  const element = h("div", { class: "cloud-picker", hidden: true }, accountField, error, ...list.parts, offers);

  const openAccount = () => list.openRoot(`/cloud/${current()?.provider}/${accounts.value}`, current()?.title ?? "");

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
      list.stop();
      element.hidden = true;
    },
  };
}
