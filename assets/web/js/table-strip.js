// @ts-check
/** Uses tables of the clipboard or of files as the data of a chart, and describes the result in a strip above the data. */

import { ApiError } from "./api.js";
import { h } from "./core.js";
import { parseClipboard, writeTsv } from "./grid-clipboard.js";
import { mergeJson } from "./json-merge.js";
import { describeMapping, findMediaType } from "./own-table.js";
import { loadTableContent } from "./table-content.js";
import { getText } from "./texts.js";
import { createButton, describeError, showToast } from "./ui.js";

/** @typedef {import("./document-store.js").DocumentStore} DocumentStore */
/** @typedef {import("./document-store.js").Content} Content */

/**
 * How to read a table: name of its worksheet; whether its first row has the names of the columns, or undefined if the
 * server decides; whether rows and columns are exchanged first.
 * @typedef {{ sheet?: string, hasNames?: boolean, isTransposed: boolean }} Reading
 */

/**
 * A table and its texts, if it comes from the clipboard, so that it can be read in another way.
 * @typedef {{ body: string | Blob, type: string, rows?: string[][] }} TableSource
 */

/**
 * The content before a table was used, and the action that takes its step back.
 * @typedef {{ sent: Content, undo: ReturnType<DocumentStore["offerUndo"]> }} EarlierUse
 */

/** @type {Reading} */
const PLAIN_READING = { isTransposed: false };

/** Exchanges rows and columns. @param {string[][]} rows equally long @returns {string[][]} */
const transpose = (rows) => rows[0].map((_, column) => rows.map((row) => row[column]));

/**
 * Returns a table as the server shall read it.
 * @param {TableSource} source
 * @param {Reading} reading
 * @returns {{ body: string | Blob, type: string }}
 */
function formatTable({ body, type, rows }, { hasNames, isTransposed }) {
  const header = hasNames === undefined ? "" : "; header=present";
  if (!rows || (hasNames !== false && !isTransposed)) return { body, type: type + header };
  const turned = isTransposed ? transpose(rows) : rows;
  const names = turned[0].map((_, index) => getText("grid.newColumn", { number: index + 1 }));
  // All cells are texts, which no language changes.
  return { body: writeTsv(hasNames === false ? [names, ...turned] : turned, "en"), type: `text/tab-separated-values${header}` };
}

/** Whether the first row was read as names. Without names, the server reports row 0. @param {any} result @param {Reading} reading */
const hasReadNames = (result, reading) => reading.hasNames ?? result.table?.header_row !== 0;

/** Describes how the server has read a table. @param {any} result @param {TableSource} source @param {Reading} reading */
function describeResult(result, source, reading) {
  const unread = (result.problems?.length ?? 0) + (result.table?.problems?.length ?? 0);
  return [
    getText("editor-data.rowsRead", { count: result.data.length }),
    source.rows ? getText(hasReadNames(result, reading) ? "editor-data.firstRowNames" : "editor-data.columnsNumbered") : "",
    result.mapping ? describeMapping({ left_over_reasons: [], left_over: [], missing: [], ...result }) : "",
    unread ? getText("editor-data.unreadCells", { count: unread }) : "",
  ].filter(Boolean).join(" ");
}

/**
 * Creates the strip, which is hidden until a table is used.
 * @param {DocumentStore} store
 */
export function createTableStrip(store) {
  const element = h("div", { class: "data-strip", role: "status", hidden: true });
  const hide = () => {
    element.hidden = true;
    element.replaceChildren();
  };
  const show = (/** @type {string} */ text, /** @type {(Node | null)[]} */ ...controls) => {
    element.replaceChildren(h("span", null, text), h("div", { class: "strip-actions" }, controls, createButton(getText("common.close"), { kind: "plain", onclick: hide })));
    element.hidden = false;
  };

  /**
   * Lets the server read a table and map its columns, and shows the result as one undo step. Settings and texts that
   * change meanwhile stay, and another kind gets the table for its own columns. Nothing changes if the server refuses the table.
   * @param {TableSource} source
   * @param {Reading} [reading]
   * @param {EarlierUse} [earlier] use of the same table; the new step replaces that of this use
   */
  const useTable = async (source, reading = PLAIN_READING, earlier = undefined) => {
    show(getText("editor-data.reading"));
    try {
      // After a later change, the earlier use stays, and the table is read for the present content.
      const replaced = earlier?.undo.isOffered() ? earlier : undefined;
      const sent = replaced?.sent ?? store.content.peek();
      const { body, type } = formatTable(source, reading);
      const result = await loadTableContent(sent, body, type, { sheet: reading.sheet, fit_height: 1 });
      // The columns of the result are those of the kind that was sent.
      if (store.content.peek().plugin_id !== sent.plugin_id) return await useTable(source, reading);
      if (replaced && !replaced.undo.isOffered()) return await useTable(source, reading);
      replaced?.undo.run();
      const current = store.content.peek();
      const parts = /** @type {const} */ (["settings", "title", "style"]).map((key) => ({ path: [key], value: mergeJson(sent[key], current[key], result[key]).merged }));
      const step = store.applyChanges([{ path: ["data"], value: result.data }, ...parts], { label: getText("editor-data.useTable") });
      showResult(result, source, reading, { sent, undo: store.offerUndo(step) });
    } catch (error) {
      hide();
      showToast(error instanceof ApiError ? getText("editor-data.tableRefused", { error: describeError(error) }) : describeError(error), { isError: true });
    }
  };

  /** @type {(result: any, source: TableSource, reading: Reading, use: EarlierUse) => void} */
  const showResult = (result, source, reading, use) => {
    const readAgain = (/** @type {Partial<Reading>} */ change) => useTable(source, { ...reading, ...change }, use);
    const createChange = (/** @type {string} */ label, /** @type {Partial<Reading>} */ change) => (source.rows ? createButton(label, { onclick: () => readAgain(change) }) : null);
    const hasNames = hasReadNames(result, reading);
    const others = result.table?.other_sheets ?? [];
    const select = h("select", { "aria-label": getText("own-table.worksheet"), onchange: () => readAgain({ sheet: select.value }) }, [result.table?.sheet, ...others].map((name) => h("option", { value: name }, name)));
    const takeBack = () => {
      use.undo.run();
      hide();
    };
    show(
      describeResult(result, source, reading),
      others.length ? select : null,
      createChange(getText(hasNames ? "editor-data.notNames" : "editor-data.useAsNames"), { hasNames: !hasNames }),
      createChange(getText("editor-data.transpose"), { isTransposed: !reading.isTransposed }),
      createButton(getText("common.undo"), { hidden: () => !use.undo.isOffered(), onclick: takeBack }),
    );
  };

  return {
    element,
    hide,
    /** Uses a table of the clipboard. @param {string} text @param {string} html */
    useClipboard: (text, html) => {
      const hasTable = /<table[\s>]/i.test(html);
      return useTable({ body: hasTable ? html : `${text}\n`, type: hasTable ? "text/html" : "text/csv", rows: parseClipboard(html, text) });
    },
    /** Uses a table file. @param {File} file */
    useFile: (file) => useTable({ body: file, type: findMediaType(file) }),
  };
}
