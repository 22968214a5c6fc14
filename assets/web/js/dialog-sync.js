// @ts-check
/** The dialog for the source that keeps the data of the chart up to date: address, worksheet, preview and schedule. */

import { ApiError, get, post } from "./api.js";
import { chart, doc, getDocumentPath, refreshDocument, withShareToken } from "./chart.js";
import { createCloudPicker, PROVIDER_NAMES as CLOUD_NAMES } from "./cloud-picker.js";
import { h } from "./core.js";
import { drawPicture } from "./draft-pictures.js";
import { getEditor } from "./editor-state.js";
import { describeMapping } from "./own-table.js";
import { joinHeadingChoice, splitHeadingChoice } from "./sync-address.js";
import { getJobPath } from "./sync-bar.js";
import { describeInterval, hasDayOfWeek, hasTimeOfDay, INTERVALS, toLocal, toUtc } from "./sync-schedule.js";
import { toCell } from "./table-rows.js";
import { getText, PAGE_LANGUAGE } from "./texts.js";
import { createButton, createField, describeError, openDialog, runBusy, showError, showFieldErrors, showToast, toSentence } from "./ui.js";

/** Number of rows in the preview. */
const MAX_PREVIEW_ROWS = 20;
/** Size of the picture in points. */
const PICTURE_SIZE = { width: 480, height: 270 };
/** Interval and time of a new job: each day at nine. */
const DEFAULT_INTERVAL = 86_400;
const DEFAULT_TIME = "09:00";

/** Name that the server gives the only worksheet of a file without names. */
const UNNAMED_SHEET = "Sheet1";

/** Names of the providers of shared links. Those of companies are the same in all languages. @type {Record<string, string>} */
const PROVIDER_NAMES = { ...CLOUD_NAMES, web: getText("sync.web") };

/** @typedef {{ url: string, sheet_name: string, sheet_id: string, interval_sec: number, time_of_day_utc?: string, day_of_week: number, document_settings: Record<string, any>, error?: string }} Job */
/** @typedef {{ name: string, sheet_id: string, rows: any[][] }} Worksheet */
/** @typedef {{ valid: boolean, provider_name: string, source_error?: { code: number, message: string }, worksheets?: { id: string, name: string }[], static_worksheet?: boolean, fixed_headers?: boolean }} CheckedSource */

/** Creates an error that the dialog shows next to the field with this name. @param {string} field @param {string} message */
const createFieldError = (field, message) => new ApiError(400, { errors: [{ field, message }] });

/** Key of the address that was typed and not used yet, in the storage of the tab. */
const DRAFT_KEY = `sync-address-${chart.id}`;

/** Reads the typed address. */
function readDraft() {
  try {
    return sessionStorage.getItem(DRAFT_KEY) ?? "";
  } catch {
    return "";
  }
}

/** Keeps the typed address, or forgets it if it is empty. @param {string} address */
function writeDraft(address) {
  try {
    if (address) sessionStorage.setItem(DRAFT_KEY, address);
    else sessionStorage.removeItem(DRAFT_KEY);
  } catch {
    // The address is not remembered.
  }
}

/** Builds the first rows of a worksheet as a table with the numbers of the rows. @param {Worksheet} worksheet */
function buildTable({ rows }) {
  const shown = rows.slice(0, MAX_PREVIEW_ROWS);
  const columns = Array.from({ length: Math.max(...shown.map((row) => row.length), 0) }, (_, index) => index);
  const toText = (/** @type {any} */ cell) => (typeof cell === "object" && cell !== null ? cell.display_value : String(cell ?? ""));
  const buildCell = (/** @type {any} */ cell) => h("td", { class: typeof cell === "number" ? "number" : null }, toText(cell));
  const buildRow = (/** @type {any[]} */ row, /** @type {number} */ index) => h("tr", null, h("th", { scope: "row" }, String(index + 1)), columns.map((column) => buildCell(row[column])));
  return h("table", null, h("tbody", null, shown.map(buildRow)));
}

/** Creates the preview of a worksheet and of the chart with its data. */
function createPreview() {
  const count = h("p", { class: "muted" });
  const table = h("div", { class: "sync-table", tabindex: 0, role: "region", "aria-label": getText("sync.previewTable") });
  const image = h("img", { alt: getText("sync.previewChart"), ...PICTURE_SIZE });
  const note = h("p", { class: "muted", role: "status" });
  const error = h("div");
  const element = h("div", { class: "sync-preview", hidden: true }, h("div", { class: "sync-rows" }, count, table), h("div", { class: "sync-chart" }, image, note, error));

  /** Draws the chart with the rows, as the document would have them. @param {Worksheet} worksheet @param {string} headings whether the first row has headings @param {AbortSignal} signal */
  const drawChart = async (worksheet, headings, signal) => {
    const rows = JSON.stringify(worksheet.rows.map((row) => row.map(toCell)));
    const { data } = await post(getDocumentPath("/data"), rows, { type: `application/json${headings && `; header=${headings}`}`, query: withShareToken(), signal });
    const content = { ...getEditor().store.content.peek(), data: data.data, settings: data.settings };
    image.hidden = !(await drawPicture(image, async () => content, PICTURE_SIZE, signal));
    note.textContent = data.mapping ? describeMapping({ left_over_reasons: [], left_over: [], missing: [], ...data }) : "";
  };
  return {
    element,
    hide: () => {
      element.hidden = true;
    },
    /** Shows a worksheet. @param {Worksheet} worksheet @param {string} headings whether the first row has headings @param {AbortSignal} signal drops the preview */
    show: async (worksheet, headings, signal) => {
      const total = worksheet.rows.length;
      count.textContent = total > MAX_PREVIEW_ROWS ? getText("sync.firstRows", { shown: MAX_PREVIEW_ROWS, count: total }) : getText("common.rows", { count: total });
      table.replaceChildren(buildTable(worksheet));
      note.textContent = "";
      showError(error);
      element.hidden = false;
      try {
        await drawChart(worksheet, headings, signal);
      } catch (failure) {
        if (signal.aborted) return;
        image.hidden = true;
        showError(error, getText("sync.noPreview", { error: describeError(failure) }));
      }
    },
  };
}

/** Creates the fields of the schedule with the values of a job. @param {Job | null} job */
function createScheduleFields(job) {
  const initial = job?.interval_sec ?? DEFAULT_INTERVAL;
  const jobDay = job && hasDayOfWeek(initial) ? job.day_of_week : undefined;
  const moment = job?.time_of_day_utc ? toLocal({ time: job.time_of_day_utc, day: jobDay }) : { time: DEFAULT_TIME, day: 1 };
  const intervals = [...new Set([...INTERVALS, initial])].sort((a, b) => a - b);
  const interval = h("select", { name: "interval_sec", onchange: () => update() }, intervals.map((seconds) => h("option", { value: seconds, selected: seconds === initial }, describeInterval(seconds))));
  const dayFormat = new Intl.DateTimeFormat(PAGE_LANGUAGE, { weekday: "long", timeZone: "UTC" });
  // 4 January 1970 was a Sunday. The week of the list begins with Monday.
  const days = [1, 2, 3, 4, 5, 6, 0].map((day) => h("option", { value: day, selected: day === moment.day }, dayFormat.format(Date.UTC(1970, 0, 4 + day))));
  const day = h("select", { name: "day_of_week" }, days);
  const time = h("input", { type: "time", name: "time_of_day_utc", required: true, value: moment.time });
  const [dayField, timeField] = [createField(getText("sync.day"), day), createField(getText("sync.time"), time)];
  const hint = h("p", { class: "hint" }, getText("sync.zoneHint", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_", " ") }));
  const update = () => {
    const seconds = Number(interval.value);
    dayField.hidden = !hasDayOfWeek(seconds);
    timeField.hidden = hint.hidden = !hasTimeOfDay(seconds);
    // A hidden field must not prevent the submission.
    time.disabled = timeField.hidden;
  };
  update();
  /** Returns the fields of the API. */
  const read = () => {
    const seconds = Number(interval.value);
    if (seconds === 0) return { interval_sec: 0 };
    if (!hasTimeOfDay(seconds)) return { interval_sec: seconds, time_of_day_utc: (seconds === initial && job?.time_of_day_utc) || "00:00" };
    const utc = toUtc({ time: time.value, day: hasDayOfWeek(seconds) ? Number(day.value) : undefined });
    return { interval_sec: seconds, time_of_day_utc: utc.time, ...(hasDayOfWeek(seconds) ? { day_of_week: utc.day } : {}) };
  };
  const element = h("div", { class: "sync-schedule" }, createField(getText("sync.interval"), interval), dayField, timeField, hint);
  return { element, read };
}

/** Opens the dialog with the source of the document, or without one. */
export async function open() {
  /** @type {Job | null} */
  const job = doc.peek()?.sync ? (await get(getJobPath(), { query: withShareToken() })).data : null;
  /** Address that was checked last, if it is valid. */
  let checkedAddress = "";
  /** @type {CheckedSource | null} */
  let source = null;
  let running = new AbortController();
  const jobSource = splitHeadingChoice(job?.url ?? readDraft());
  const address = h("input", { type: "text", name: "url", inputmode: "url", placeholder: "https://", autocapitalize: "none", autocomplete: "off", spellcheck: "false", maxlength: 4096, value: jobSource.address, autofocus: true });
  const checkButton = createButton(getText("sync.check"), { onclick: () => runBusy(checkButton, checkAndShow) });
  const status = h("p", { class: "muted", role: "status" });
  const sheet = h("select", { name: "sheet_id", onchange: () => showSheet() });
  const sheetField = createField(getText("own-table.worksheet"), sheet);
  const choices = [["", getText("sync.firstRowAuto")], ["present", getText("sync.firstRowHeadings")], ["absent", getText("sync.firstRowData")]];
  const firstRow = h("select", { name: "first_row", onchange: () => showSheet() }, choices.map(([value, text]) => h("option", { value, selected: value === jobSource.choice }, text)));
  const firstRowField = createField(getText("sync.firstRow"), firstRow);
  const preview = createPreview();
  const schedule = createScheduleFields(job);
  sheetField.hidden = firstRowField.hidden = true;

  const forgetSource = () => {
    running.abort();
    [checkedAddress, source] = ["", null];
    status.textContent = "";
    sheetField.hidden = firstRowField.hidden = true;
    preview.hide();
  };
  const showProblem = (/** @type {string} */ field, /** @type {string} */ message) => {
    // The field of the address is hidden for a file of an account.
    if (!showFieldErrors(dialog.form, createFieldError(field, message))) dialog.setError(toSentence(message));
  };

  /** Fills the list of worksheets. The one of the job stays selected. @param {{ id: string, name: string }[]} worksheets */
  const showSheets = (worksheets) => {
    const isOfJob = job !== null && jobSource.address === checkedAddress && Boolean(job.sheet_id || job.sheet_name);
    // By name before id, as the server does: many programs number worksheets again at each save, so that the id of a job that
    // fails may be that of another one.
    const ofJob = () => worksheets.find(({ name }) => name === job?.sheet_name) ?? (job?.error ? undefined : worksheets.find(({ id }) => id === job?.sheet_id));
    const chosen = isOfJob ? ofJob() : worksheets[0];
    const missing = chosen ? [] : [h("option", { value: "", selected: true }, job?.sheet_name || job?.sheet_id || "")];
    sheet.replaceChildren(...missing, ...worksheets.map(({ id, name }) => h("option", { value: id, selected: id === chosen?.id }, name)));
    sheetField.hidden = worksheets.length < 2 && chosen !== undefined;
    if (!chosen) showProblem("sheet_id", getText("sync.sheetMissing"));
  };

  /** Loads the selected worksheet and shows its preview. */
  const showSheet = async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    preview.hide();
    if (!sheet.value) return;
    showFieldErrors(dialog.form, null);
    dialog.setError();
    try {
      const { data } = await post("/sync/document", { url: checkedAddress, worksheet_id: sheet.value }, { signal });
      await preview.show(data, source?.fixed_headers ? "present" : firstRow.value, signal);
    } catch (error) {
      if (!signal.aborted) showProblem("url", describeProblem(error));
    }
  };

  /** Describes an error without the name of the field, which is beside it. @param {unknown} error */
  const describeProblem = (error) => (error instanceof ApiError && error.fields.length ? error.fields[0].message : describeError(error));

  /** Checks the address, and shows its provider and worksheets, or its error. Returns whether a table can be read from it. */
  const check = async () => {
    const typed = splitHeadingChoice(address.value.trim());
    if (typed.choice) [address.value, firstRow.value] = [typed.address, typed.choice];
    const url = typed.address;
    showFieldErrors(dialog.form, null);
    dialog.setError();
    forgetSource();
    if (!url) {
      showProblem("url", getText("sync.addressMissing"));
      return false;
    }
    status.textContent = getText("sync.checking");
    try {
      const { data } = await post("/sync/document/check", { url });
      // The address was changed meanwhile.
      if (address.value.trim() !== url) return false;
      status.textContent = "";
      if (!data.valid) throw createFieldError("url", data.source_error?.message ?? getText("api.internalError"));
      [checkedAddress, source] = [url, data];
      const provider = PROVIDER_NAMES[data.provider_name] ?? data.provider_name;
      const [first] = data.worksheets;
      const isNamed = data.static_worksheet && first?.name && first.name !== UNNAMED_SHEET;
      status.textContent = isNamed ? getText("sync.foundOne", { provider, name: first.name }) : getText("sync.found", { provider, count: data.worksheets.length });
      firstRowField.hidden = Boolean(data.fixed_headers);
      showSheets(data.worksheets);
      return true;
    } catch (error) {
      status.textContent = "";
      showProblem("url", describeProblem(error));
      return false;
    }
  };
  const checkAndShow = async () => {
    if (await check()) await showSheet();
  };

  /** Stores the job. Returns false if the user has to choose first. */
  const save = async () => {
    const mustChoose = checkedAddress !== address.value.trim() && (!(await check()) || !sheetField.hidden);
    if (mustChoose) {
      if (source) {
        sheet.focus();
        await showSheet();
      }
      return false;
    }
    if (!sheet.value) throw createFieldError("sheet_id", getText("sync.sheetMissing"));
    const { sync } = getEditor();
    await sync.save();
    const name = sheet.selectedOptions[0]?.textContent ?? "";
    const chosen = source?.static_worksheet ? {} : { sheet_id: sheet.value, sheet_name: name };
    const settings = job?.document_settings ? { document_settings: job.document_settings } : {};
    await post("/sync/create", { document_id: chart.id, url: joinHeadingChoice(checkedAddress, source?.fixed_headers ? "" : firstRow.value), ...chosen, ...settings, ...schedule.read() }, { query: withShareToken() });
    writeDraft("");
    await refreshDocument();
    showToast(getText(job ? "sync.saved" : "sync.created"), { seconds: 5 });
  };

  address.addEventListener("input", () => {
    if (!job) writeDraft(address.value.trim());
    if (source && address.value.trim() !== checkedAddress) forgetSource();
  });
  address.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // Enter would create the job before its preview is visible.
    event.preventDefault();
    checkButton.click();
  });
  const addressField = createField(getText("sync.address"), address, getText("sync.addressHint"));
  addressField.classList.add("grow");
  const addressRow = h("div", { class: "sync-address" }, addressField, checkButton);
  const fileName = h("strong", { class: "grow" });
  const fileRow = h("div", { class: "sync-file" }, fileName, createButton(getText("sync.otherSource"), { onclick: () => chooseFile(null) }));
  const picker = createCloudPicker((file) => chooseFile(file));
  const pickButton = createButton(getText("sync.chooseFile"), { onclick: () => runBusy(pickButton, () => showPicker()) });
  const pickRow = h("p", null, pickButton);

  /** Shows the name of a file in an account in place of its address. @param {string} name */
  const showSource = (name = "") => {
    const isFile = address.value.startsWith("cloud:");
    const provider = isFile ? CLOUD_NAMES[new URL(address.value).hostname] ?? "" : "";
    fileName.textContent = isFile ? getText(name ? "sync.fileOf" : "sync.someFile", { name, provider }) : "";
    fileRow.hidden = !isFile;
    addressRow.hidden = pickRow.hidden = isFile;
    picker.hide();
  };
  const showPicker = async () => {
    pickRow.hidden = true;
    await picker.show();
  };
  /** Uses a file of an account, or lets the user enter an address. @param {{ url: string, name: string } | null} file */
  const chooseFile = (file) => {
    address.value = file?.url ?? "";
    forgetSource();
    showSource(file?.name);
    if (file) checkAndShow();
    else address.focus();
  };
  const dialog = openDialog({
    title: getText("sync.title"),
    wide: true,
    className: "sync",
    body: [
      h("p", null, getText("sync.intro")),
      addressRow,
      fileRow,
      pickRow,
      picker.element,
      status,
      sheetField,
      firstRowField,
      preview.element,
      schedule.element,
    ],
    actions: [
      { label: getText("common.cancel"), value: "" },
      { label: getText(job ? "common.save" : "sync.create"), run: save },
    ],
  });
  dialog.closed.then(() => {
    running.abort();
    // The button that opened the dialog is hidden once there is a source.
    if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector(".sync-bar button"))?.focus();
  });
  showSource();
  if (job) checkAndShow();
}
