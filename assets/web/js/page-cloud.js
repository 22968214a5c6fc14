// @ts-check
/** The page of the charts that a connected account of cloud storage keeps, by folder. */

import { ApiError, del, encodePath, post } from "./api.js";
import { h } from "./core.js";
import { openNewChartDialog, preloadNewChartDialog } from "./new-chart.js";
import { getText } from "./texts.js";
import { askConfirmation, createButton, createIcon, createTimeElement, describeError, findElement, showError, showToast } from "./ui.js";

const root = findElement("#cloud");
const { provider = "", connection = "", title = "" } = root.dataset;
const connectionPath = encodePath`/cloud/${provider}/${connection}`;

/** Id of the root folder. */
const ROOT = "root";
/** Id of the folder that is shown. */
let folder = ROOT;

const error = h("div");

/** Shows an error. A connection that has ended has a link to renew it. @param {unknown} failure */
function showFailure(failure) {
  if (!failure) return showError(error);
  showError(error, describeError(failure));
  const next = encodeURIComponent(location.pathname + location.hash);
  if (failure instanceof ApiError && failure.code === "reconnect_required") error.append(" ", h("a", { href: `/cloud/oauth/${provider}/start?next=${next}` }, getText("cloud-picker.renew")));
}

/** Creates the thumbnail of a document, which loads when it comes near the visible area. A file that is no chart has an icon. @param {string | undefined} address */
function createThumbnail(address) {
  if (!address) return createIcon("charts");
  const { pathname, search } = new URL(address);
  const image = h("img", { width: 64, height: 36, loading: "lazy", draggable: "false", alt: "", onerror: () => image.replaceWith(createIcon("charts")) });
  image.src = pathname + search;
  return image;
}

/** Builds the link to a document. @param {import("./cloud-folder.js").ListEntry} entry */
function buildDocument({ document: entry, urls }) {
  if (!entry || !urls.view) return null;
  const time = entry.modified ? createTimeElement(entry.modified) : null;
  return h("li", null, h("a", { href: new URL(urls.view).pathname }, h("span", { class: "cloud-thumbnail" }, createThumbnail(urls.thumbnail)), h("span", { class: "grow" }, entry.title), time && h("span", { class: "muted" }, time)));
}

/** Keeps the folder in the address, so that it is open again after a visit of a chart. @param {import("./cloud-folder.js").Step[]} steps */
function keepFolder(steps) {
  folder = steps.at(-1)?.id ?? ROOT;
  const hash = folder === ROOT ? "" : `#folder=${folder}`;
  if (location.hash !== hash) history.replaceState(history.state, "", location.pathname + hash);
}

/** The list, which a dialog of other pages has too. @type {import("./cloud-folder.js").FolderView | null} */
let list = null;

/** Opens the folder of the address. */
async function openAddress() {
  const id = new URLSearchParams(location.hash.slice(1)).get("folder");
  await (id ? list?.openFolder(connectionPath, title, id) : list?.openRoot(connectionPath, title));
}

/** Asks for a name and creates a folder in the present one. */
async function createFolder() {
  try {
    const { askName } = await import("./library-dialogs.js");
    await askName({
      title: getText("cloud-picker.newFolder"),
      label: getText("common.name"),
      action: getText("dialogs.create"),
      maxLength: 200,
      run: async (/** @type {string} */ name) => {
        await post(`${connectionPath}/folders`, { title: name, ...(folder === ROOT ? {} : { parent_id: folder }) });
        await openAddress();
      },
    });
  } catch (failure) {
    showToast(describeError(failure), { isError: true });
  }
}

/** Asks whether a folder is deleted with its content, and deletes it. @param {import("./cloud-folder.js").Entry} entry */
const deleteFolder = ({ id, title: name }) =>
  askConfirmation({
    title: getText("cloud-picker.deleteTitle", { folder: name }),
    text: getText("cloud-picker.deleteText", { account: title }),
    action: getText("common.delete"),
    danger: true,
    run: () => del(`${connectionPath}/folders/${encodeURIComponent(id)}`),
  });

const openDialog = () => openNewChartDialog({ provider, connection_id: connection, folder_id: folder });
const tools = h(
  "div",
  { class: "cloud-tools" },
  createButton(getText("common.newChart"), { kind: "primary", icon: "plus", onclick: openDialog }),
  createButton(getText("cloud-picker.newFolder"), { icon: "folder", onclick: createFolder }),
);

async function startPage() {
  root.replaceChildren(tools, error);
  try {
    const { createFolderList } = await import("./cloud-folder.js");
    list = createFolderList({ buildFile: buildDocument, showFailure, label: getText("cloud-picker.charts"), deleteFolder, onOpen: keepFolder });
    root.append(...list.parts);
  } catch (failure) {
    return showFailure(failure);
  }
  window.addEventListener("hashchange", openAddress);
  await openAddress();
  preloadNewChartDialog();
}

startPage();
