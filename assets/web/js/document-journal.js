// @ts-check
/** Keeps unsaved changes in the browser, so that a crash, a reload or a closed lid loses nothing. */

/** Name of the database. */
const DATABASE_NAME = "chartroom-journal";
/** Name of its object store. */
const STORE_NAME = "documents";
/** Age in milliseconds above which an entry is deleted, because nobody came back for it. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;
/** Start of the names of the copies that a closing page leaves in the storage of the browser. */
const COPY_PREFIX = "journal-copy:";
/** Maximum length of such a copy in characters. Browsers allow about five million for all names of a server. */
const MAX_COPY_LENGTH = 1_000_000;

/** @typedef {import("./document-store.js").Content} Content */

/**
 * Unsaved changes. `base` is the content that the server had before them, and `baseTime` the time of its last change. `sent` are
 * contents that the server may have got since, because their save has no answer. Old entries lack the last two.
 * @typedef {{ base: Content, baseTime?: string, content: Content, sent?: Content[] }} Changes
 */

/** Unsaved changes of one visit. @typedef {Changes & { key: string, scope: string, tab: string, time: number }} Entry */

/** Returns the result of a request to the database. @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const waitFor = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @type {Promise<IDBDatabase> | null} */
let database = null;

/** Opens the database, once. */
function openDatabase() {
  if (!database) {
    const request = indexedDB.open(DATABASE_NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE_NAME, { keyPath: "key" }).createIndex("scope", "scope");
    const forget = () => (database = null);
    database = waitFor(request);
    // The next change tries again.
    database.then((opened) => (opened.onclose = forget), forget);
  }
  return database;
}

/**
 * Runs one request on the object store.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} run
 * @returns {Promise<T>}
 */
async function runRequest(mode, run) {
  const opened = await openDatabase();
  const transaction = opened.transaction(STORE_NAME, mode);
  const request = run(transaction.objectStore(STORE_NAME));
  // A page that closes does not receive the result, without which the browser would abort the transaction.
  if (mode === "readwrite") transaction.commit();
  return waitFor(request);
}

/**
 * Stores a copy of an entry. Unlike the database, this storage has written it when the function returns.
 * @param {Entry} entry
 */
function storeCopy(entry) {
  try {
    const text = JSON.stringify(entry);
    if (text.length <= MAX_COPY_LENGTH) localStorage.setItem(COPY_PREFIX + entry.key, text);
  } catch (error) {
    console.warn("Unsaved changes have no copy.", error);
  }
}

/** Deletes the copy of an entry, if it has one. @param {string} key */
function removeCopy(key) {
  try {
    localStorage.removeItem(COPY_PREFIX + key);
  } catch {
    // Without a permitted storage there are no copies.
  }
}

/** Returns the copies of the entries of a document. @param {string} scope @returns {Entry[]} */
function listCopies(scope) {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(`${COPY_PREFIX}${scope}/`));
    return names.map((name) => JSON.parse(localStorage.getItem(name) ?? ""));
  } catch {
    return [];
  }
}

/**
 * Creates the id of a visit: a tab that has the page open. It is not stored, because a duplicated tab gets a copy of its
 * storage, and two tabs with one id would overwrite each other's entries.
 * @returns {string}
 */
const createTabId = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Opens the journal of a document. Without IndexedDB, as in some private windows, it stores nothing.
 * @param {string} userId
 * @param {string} documentId
 */
export function openJournal(userId, documentId) {
  const scope = `${userId}/${documentId}`;
  const tab = createTabId();
  const key = `${scope}/${tab}`;
  let works = true;
  /** Number of changes of the journal that the database has not made yet. */
  let unfinished = 0;
  /** Whether this visit has an entry. */
  let isWritten = false;
  /**
   * Changes the journal. The database makes the changes in the order of the calls. A change does not wait for the one before,
   * because a page that closes would not begin it anymore.
   * @param {(store: IDBObjectStore) => IDBRequest} run
   */
  const change = async (run) => {
    unfinished += 1;
    try {
      await runRequest("readwrite", run);
      works = true;
    } catch (error) {
      works = false;
      console.warn("The journal of unsaved changes does not work.", error);
    } finally {
      unfinished -= 1;
    }
  };
  return {
    tab,
    /** Whether the last change of the journal was stored. */
    works: () => works,
    /**
     * Stores unsaved changes. When a page closes, browsers drop a change for which their database has no time yet.
     * @param {Changes} changes
     * @param {{ isClosing?: boolean }} [options]
     */
    write(changes, { isClosing = false } = {}) {
      isWritten = true;
      const entry = { key, scope, tab, time: Date.now(), ...changes };
      if (isClosing && unfinished > 0) storeCopy(entry);
      return change((store) => store.put(entry));
    },
    /** Deletes the entry of this visit, if it has one, because everything is saved. */
    clear() {
      if (!isWritten) return;
      isWritten = false;
      removeCopy(key);
      change((store) => store.delete(key));
    },
    /** Deletes an entry. @param {Entry} entry */
    remove(entry) {
      removeCopy(entry.key);
      return change((store) => store.delete(entry.key));
    },
    /**
     * Returns the entries of the document, oldest first, and deletes outdated ones. An entry is outdated by the clocks of
     * both the device and the server, because the one of a device can be wrong for a while.
     * @param {number} serverTime in milliseconds
     * @returns {Promise<Entry[]>}
     */
    async list(serverTime) {
      const copies = listCopies(scope);
      /** @type {Entry[]} */
      const stored = await runRequest("readonly", (store) => store.index("scope").getAll(scope)).catch((error) => {
        console.warn("The journal of unsaved changes does not work.", error);
        return [];
      });
      // A later entry of the same visit replaces an earlier one.
      const sorted = [...stored, ...copies].sort((a, b) => a.time - b.time);
      const entries = [...new Map(sorted.map((entry) => [entry.key, entry])).values()];
      const now = Math.min(Date.now(), serverTime);
      const isRecent = (/** @type {Entry} */ entry) => now - entry.time < MAX_AGE_MS;
      entries.filter((entry) => !isRecent(entry)).forEach((entry) => this.remove(entry));
      return entries.filter(isRecent).sort((a, b) => a.time - b.time);
    },
  };
}

/** @typedef {ReturnType<typeof openJournal>} Journal */
