// @ts-check
/** The base of the pages: elements, signals and keyed lists. */

/**
 * What can stand inside an element. A function is read again whenever a signal it reads changes.
 * @typedef {Node | string | number | boolean | null | undefined} Plain
 * @typedef {Plain | Plain[] | (() => Plain | Plain[])} Child
 */

/**
 * A value that can be watched. Reading `value` inside an effect has it run anew on each change.
 * @template T
 * @typedef {{ value: T, peek: () => T }} Signal
 */

/** @typedef {{ run: () => void, sources: Set<Set<Watcher>>, dispose: () => void }} Watcher */

/** @type {Watcher | null} */
let watching = null; // The effect that runs now: what it reads is noted.
/** @type {(() => void)[] | null} */
let owned = null; // Where the ends of new effects are kept.
/** @type {Set<Watcher> | null} */
let waiting = null; // Effects that wait for the end of a batch.

/**
 * A new signal.
 * @template T
 * @param {T} first its first value
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
 * Runs a function now and whenever a signal changes that it read. What it returns, if a function,
 * is called before the next run and at the end.
 * @param {() => void | (() => void)} work
 * @returns {() => void} ends it
 */
export function effect(work) {
  /** @type {void | (() => void)} */
  let tidy;
  const forget = () => {
    if (typeof tidy === "function") tidy();
    tidy = undefined;
    for (const source of watcher.sources) source.delete(watcher);
    watcher.sources.clear();
  };
  let ended = false;
  /** @type {Watcher} */
  const watcher = {
    sources: new Set(),
    run() {
      forget();
      if (ended) return;
      const [outer, keeper] = [watching, owned];
      watching = watcher;
      /** @type {(() => void)[]} */
      const inner = [];
      owned = inner;
      try {
        const own = work();
        tidy = () => {
          inner.forEach((end) => end());
          if (typeof own === "function") own();
        };
      } finally {
        [watching, owned] = [outer, keeper];
      }
    },
    dispose() {
      ended = true;
      forget();
    },
  };
  owned?.push(watcher.dispose);
  watcher.run();
  return watcher.dispose;
}

/**
 * A signal that follows others.
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
 * Several changes at once: effects run when all are made, each once.
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
    // What an effect sets in turn runs after it, in a batch of its own.
    for (const it of due) it.run();
  }
}

/**
 * Makes something unwatched and keeps the effects within it together.
 * @template T
 * @param {() => T} make
 * @returns {[T, () => void]} the thing, and what ends its effects
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

/** What is set as a property: the attribute of the same name is only the first value. */
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
 * Sets attributes and listeners. `onclick: f` listens; any other function is read again on changes;
 * `class` may be an array with false members; false, null and undefined take an attribute away.
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
 * Builds an HTML element: `h("button", { class: "button", onclick: save }, "Save")`. A name that
 * begins with `svg:` builds one of SVG: `h("svg:path", { d })`.
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
  // Children first: the value of a select is one of its options.
  append(element, children);
  assign(element, attrs);
  return /** @type {any} */ (element);
}

/**
 * Keeps the children of an element in step with a list. An entry keeps its element as long as its
 * key stays (focus and scroll live on); its changes come through the signal that `make` was given.
 * @template T
 * @template {Element} E
 * @param {Element} parent holds nothing else
 * @param {() => T[]} read reads the list from signals
 * @param {(entry: T) => string | number} key unique in the list
 * @param {(entry: Signal<T>) => E} make
 * @returns {() => void} ends it
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
      // What stays in place is not touched, since moving an element takes its focus.
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
