// @ts-check
/** Small UI framework of the pages: elements, signals and keyed lists. */

/**
 * Content of an element. A function is called again whenever a signal that it reads changes.
 * @typedef {Node | string | number | boolean | null | undefined} Plain
 * @typedef {Plain | Plain[] | (() => Plain | Plain[])} Child
 */

/**
 * An observable value. An effect that reads `value` runs again on each change.
 * @template T
 * @typedef {{ value: T, peek: () => T }} Signal
 */

/** @typedef {{ run: () => void, sources: Set<Set<Watcher>>, dispose: () => void }} Watcher */

/** @type {Watcher | null} */
let watching = null; // The running effect. It subscribes to the signals that it reads.
/** @type {(() => void)[] | null} */
let owned = null; // Collects the dispose functions of new effects.
/** @type {Set<Watcher> | null} */
let waiting = null; // Effects to run at the end of the batch.

/**
 * Creates a signal.
 * @template T
 * @param {T} first initial value
 * @returns {Signal<T>}
 */
export function signal(first) {
  let now = first;
  /** @type {Set<Watcher>} */
  const watchers = new Set();
  return {
    get value() {
      if (watching) {
        watchers.add(watching);
        watching.sources.add(watchers);
      }
      return now;
    },
    set value(next) {
      if (Object.is(next, now)) return;
      now = next;
      batch(() => watchers.forEach((it) => waiting?.add(it)));
    },
    peek: () => now,
  };
}

/**
 * Runs a function now, and again whenever a signal that it read changes. If the function returns a
 * cleanup function, that is called before the next run and on dispose.
 * @param {() => void | (() => void)} work
 * @returns {() => void} disposes the effect
 */
export function effect(work) {
  /** @type {void | (() => void)} */
  let cleanup;
  const reset = () => {
    if (typeof cleanup === "function") cleanup();
    cleanup = undefined;
    for (const source of watcher.sources) source.delete(watcher);
    watcher.sources.clear();
  };
  let ended = false;
  /** @type {Watcher} */
  const watcher = {
    sources: new Set(),
    run() {
      reset();
      if (ended) return;
      const [outer, keeper] = [watching, owned];
      watching = watcher;
      /** @type {(() => void)[]} */
      const inner = [];
      owned = inner;
      try {
        const own = work();
        cleanup = () => {
          inner.forEach((end) => end());
          if (typeof own === "function") own();
        };
      } finally {
        [watching, owned] = [outer, keeper];
      }
    },
    dispose() {
      ended = true;
      reset();
    },
  };
  owned?.push(watcher.dispose);
  watcher.run();
  return watcher.dispose;
}

/**
 * Creates a read-only signal that is derived from other signals.
 * @template T
 * @param {() => T} read
 * @returns {{ readonly value: T, peek: () => T }}
 */
export function computed(read) {
  const out = signal(/** @type {T} */ (/** @type {unknown} */ (undefined)));
  effect(() => {
    out.value = read();
  });
  return out;
}

/**
 * Makes several changes at once. Each affected effect runs once, after the last change.
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
export function batch(work) {
  if (waiting) return work();
  waiting = new Set();
  try {
    return work();
  } finally {
    const due = waiting;
    waiting = null;
    // Changes made by these effects start a new batch.
    for (const it of due) it.run();
  }
}

/**
 * Calls `make` without a subscription to the signals that it reads, and collects the effects that it creates.
 * @template T
 * @param {() => T} make
 * @returns {[T, () => void]} the result of `make`, and a function that disposes the effects
 */
export function scope(make) {
  const [outer, keeper] = [watching, owned];
  /** @type {(() => void)[]} */
  const inner = [];
  [watching, owned] = [null, inner];
  try {
    return [make(), () => inner.splice(0).forEach((end) => end())];
  } finally {
    [watching, owned] = [outer, keeper];
  }
}

/** Names to set as properties, because the attribute of the same name is only the initial value. */
const PROPERTIES = new Set(["value", "checked", "selected", "indeterminate", "srcObject"]);

/**
 * @param {Element} element
 * @param {string} name
 * @param {any} value
 */
function put(element, name, value) {
  if (PROPERTIES.has(name)) {
    /** @type {any} */ (element)[name] = value ?? "";
  } else if (name === "dataset") {
    Object.assign(/** @type {HTMLElement} */ (element).dataset, value);
  } else if (name.startsWith("aria-") && typeof value === "boolean") {
    element.setAttribute(name, String(value));
  } else if (value === false || value === null || value === undefined) {
    element.removeAttribute(name);
  } else {
    const text = Array.isArray(value) ? value.filter(Boolean).join(" ") : value;
    element.setAttribute(name, text === true ? "" : String(text));
  }
}

/**
 * Sets attributes and listeners. `onclick: f` adds a listener. Any other function is called again
 * whenever a signal that it reads changes. `class` may be an array with false members. The values
 * false, null and undefined remove an attribute.
 * @param {Element} element
 * @param {Record<string, any> | null | undefined} attrs
 */
export function assign(element, attrs) {
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (name.startsWith("on")) {
      if (typeof value === "function") element.addEventListener(name.slice(2), value);
    } else if (name === "ref") {
      value(element);
    } else if (typeof value === "function") {
      effect(() => put(element, name, value()));
    } else {
      put(element, name, value);
    }
  }
}

/**
 * @param {Plain | Plain[]} it
 * @returns {Node[]}
 */
function nodes(it) {
  if (Array.isArray(it)) return it.flatMap(nodes);
  if (it === null || it === undefined || typeof it === "boolean") return [];
  if (it instanceof DocumentFragment) return [...it.childNodes];
  return [it instanceof Node ? it : document.createTextNode(String(it))];
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
export function append(parent, children) {
  for (const child of children) {
    if (typeof child !== "function") {
      nodes(child).forEach((it) => parent.appendChild(it));
      continue;
    }
    const end = document.createTextNode("");
    parent.appendChild(end);
    /** @type {Node[]} */
    let shown = [];
    effect(() => {
      const next = nodes(child());
      shown.filter((it) => !next.includes(it)).forEach((it) => it.parentNode?.removeChild(it));
      next.forEach((it) => end.parentNode?.insertBefore(it, end));
      shown = next;
    });
  }
}

/**
 * Creates an HTML element: `h("button", { class: "button", onclick: save }, "Save")`. The prefix
 * `svg:` creates an SVG element: `h("svg:path", { d })`.
 * @template {string} K
 * @param {K} tag
 * @param {Record<string, any> | null} [attrs] as `assign` takes them
 * @param {...Child} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : SVGElement}
 */
export function h(tag, attrs, ...children) {
  const element = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  // Append the children first, because the value of a select must be one of its options.
  append(element, children);
  assign(element, attrs);
  return /** @type {any} */ (element);
}

/**
 * Synchronizes the children of an element with a list. An entry keeps its element, with focus and
 * scroll position, while the list contains its key. Changes arrive through the signal passed to `make`.
 * @template T
 * @template {Element} E
 * @param {Element} parent must not have other children
 * @param {() => T[]} read returns the list from signals
 * @param {(entry: T) => string | number} key unique in the list
 * @param {(entry: Signal<T>) => E} make
 * @returns {() => void} disposes the list
 */
export function keyedList(parent, read, key, make) {
  /** @type {Map<string | number, { entry: Signal<T>, element: E, end: () => void }>} */
  const rows = new Map();
  const end = effect(() => {
    const entries = read();
    const keys = new Set(entries.map(key));
    for (const [id, row] of rows) {
      if (keys.has(id)) continue;
      row.end();
      row.element.remove();
      rows.delete(id);
    }
    /** @type {ChildNode | null} */
    let at = parent.firstChild;
    for (const it of entries) {
      const id = key(it);
      let row = rows.get(id);
      if (row) {
        row.entry.value = it;
      } else {
        const entry = signal(it);
        const [element, stop] = scope(() => make(entry));
        row = { entry, element, end: stop };
        rows.set(id, row);
      }
      // Move only elements in a wrong position, because moving an element removes its focus.
      if (at && row.element !== at && row.element === at.nextSibling) {
        parent.appendChild(at);
        at = row.element;
      }
      if (row.element === at) at = at.nextSibling;
      else parent.insertBefore(row.element, at);
    }
  });
  return () => {
    end();
    rows.forEach((row) => row.end());
  };
}
