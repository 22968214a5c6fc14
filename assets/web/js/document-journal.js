// @ts-check
/** Keeps unsaved changes in the browser, so that a crash, a reload or a closed lid loses nothing. */

/** Name of the database. */
const DATABASE_NAME = "chartroom-journal";
/** Name of its object store. */
const STORE_NAME = "documents";
/** Age in milliseconds above which an entry is deleted, because nobody came back for it. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

/** @typedef {import("./document-store.js").Content} Content */

/**
 * Unsaved changes of one visit. `base` is the content that the server had before them, and `baseTime` the time of its last
 * change, if the entry is not older than this member.
 * @typedef {{ key: string, scope: string, tab: string, time: number, base: Content, content: Content, baseTime?: string }} Entry
 */

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
  /** Changes of the journal run one after the other. @type {Promise<unknown>} */
  let last = Promise.resolve();
  let works = true;
  /** Whether this visit has an entry. */
  let isWritten = false;
  const enqueue = (/** @type {() => Promise<unknown>} */ run) => {
    last = last.then(run).then(
      () => (works = true),
      (error) => {
        works = false;
        console.warn("The journal of unsaved changes does not work.", error);
      },
    );
    return last;
  };
  return {
    tab,
    /** Whether the last change of the journal was stored. */
    works: () => works,
    /** Stores the unsaved content and the content of the server. @param {Content} base @param {Content} content @param {string | undefined} baseTime see `Entry` */
    write(base, content, baseTime) {
      isWritten = true;
      return enqueue(() => runRequest("readwrite", (store) => store.put({ key, scope, tab, time: Date.now(), base, content, baseTime })));
    },
    /** Deletes the entry of this visit, if it has one, because everything is saved. */
    clear() {
      if (!isWritten) return;
      isWritten = false;
      enqueue(() => runRequest("readwrite", (store) => store.delete(key)));
    },
    /** Deletes an entry. @param {Entry} entry */
    remove: (entry) => enqueue(() => runRequest("readwrite", (store) => store.delete(entry.key))),
    /**
     * Returns the entries of the document, oldest first, and deletes outdated ones. An entry is outdated by the clocks of
     * both the device and the server, because the one of a device can be wrong for a while.
     * @param {number} serverTime in milliseconds
     * @returns {Promise<Entry[]>}
     */
    async list(serverTime) {
      try {
        const entries = /** @type {Entry[]} */ (await runRequest("readonly", (store) => store.index("scope").getAll(scope)));
        const now = Math.min(Date.now(), serverTime);
        const isRecent = (/** @type {Entry} */ entry) => now - entry.time < MAX_AGE_MS;
        entries.filter((entry) => !isRecent(entry)).forEach((entry) => this.remove(entry));
        return entries.filter(isRecent).sort((a, b) => a.time - b.time);
      } catch (error) {
        console.warn("The journal of unsaved changes does not work.", error);
        return [];
      }
    },
  };
}

/** @typedef {ReturnType<typeof openJournal>} Journal */
