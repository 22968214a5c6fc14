// @ts-check
/** Small UI framework of the pages: elements, signals and keyed lists. */

/**
 * Content of an element. Booleans, null and undefined add nothing.
 * @typedef {Node | string | number | boolean | null | undefined} StaticChild
 */

/**
 * Content of an element, or a function that returns it. A function is called again whenever a signal
 * that it reads changes.
 * @typedef {StaticChild | StaticChild[] | (() => StaticChild | StaticChild[])} Child
 */

/**
 * An observable value. An effect that reads `value` runs again on each change. `peek` returns the value
 * without a subscription.
 * @template T
 * @typedef {{ value: T, peek: () => T }} Signal
 */

/**
 * An effect. `sources` are the watcher sets of the signals that it has read.
 * @typedef {{ run: () => void, sources: Set<Set<Watcher>>, dispose: () => void }} Watcher
 */

/** @type {Watcher | null} */
let activeWatcher = null; // The running effect. It subscribes to the signals that it reads.
/** @type {(() => void)[] | null} */
let activeDisposers = null; // Collects the dispose functions of new effects.
/** @type {Set<Watcher> | null} */
let pendingWatchers = null; // Effects to run at the end of the batch.

/**
 * Calls all functions, even if some of them throw. Reports each error as an uncaught error of the page.
 * @param {Iterable<() => unknown>} callbacks
 */
function callAll(callbacks) {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      reportError(error);
    }
  }
}

/**
 * Creates a signal. Setting a value that is identical by `Object.is` notifies no effect.
 * @template T
 * @param {T} initial
 * @returns {Signal<T>}
 */
export function signal(initial) {
  let current = initial;
  /** @type {Set<Watcher>} */
  const watchers = new Set();
  return {
    get value() {
      if (activeWatcher) {
        watchers.add(activeWatcher);
        activeWatcher.sources.add(watchers);
      }
      return current;
    },
    set value(next) {
      if (Object.is(next, current)) return;
      current = next;
      batch(() => watchers.forEach((watcher) => pendingWatchers?.add(watcher)));
    },
    peek: () => current,
  };
}

/**
 * Runs a function now, and again whenever a signal that it read changes. If the function returns a
 * cleanup function, that is called before the next run and on dispose. Effects and lists that the
 * function creates are disposed at the same times.
 *
 * An error of the first run is thrown. An error of a later run is reported as an uncaught error of the
 * page, so that neither the other effects nor the code that sets the signal stop.
 * @param {() => void | (() => void)} callback
 * @returns {() => void} disposes the effect
 */
export function effect(callback) {
  /** @type {(() => void) | undefined} */
  let cleanup;
  const reset = () => {
    cleanup?.();
    cleanup = undefined;
    for (const source of watcher.sources) source.delete(watcher);
    watcher.sources.clear();
  };
  let isDisposed = false;
  /** @type {Watcher} */
  const watcher = {
    sources: new Set(),
    run() {
      reset();
      if (isDisposed) return;
      const [outerWatcher, outerDisposers] = [activeWatcher, activeDisposers];
      activeWatcher = watcher;
      /** @type {(() => void)[]} */
      const innerDisposers = [];
      activeDisposers = innerDisposers;
      // Set before the call, because a run that throws may have created effects.
      cleanup = () => callAll(innerDisposers.splice(0));
      try {
        const ownCleanup = callback();
        if (typeof ownCleanup === "function") innerDisposers.push(ownCleanup);
      } finally {
        [activeWatcher, activeDisposers] = [outerWatcher, outerDisposers];
        // The callback has disposed its own effect.
        if (isDisposed) reset();
      }
    },
    dispose() {
      isDisposed = true;
      reset();
    },
  };
  try {
    watcher.run();
  } catch (error) {
    watcher.dispose();
    throw error;
  }
  activeDisposers?.push(watcher.dispose);
  return watcher.dispose;
}

/**
 * Creates a signal that is derived from other signals. Callers must not set it.
 * @template T
 * @param {() => T} compute
 * @returns {{ readonly value: T, peek: () => T }}
 */
export function computed(compute) {
  const result = signal(/** @type {T} */ (/** @type {unknown} */ (undefined)));
  effect(() => {
    result.value = compute();
  });
  return result;
}

/**
 * Makes several changes at once. Each affected effect runs once, after the last change. A batch within
 * another batch is part of the outer one. Errors of the effects are reported as uncaught errors of the page.
 * @template T
 * @param {() => T} callback
 * @returns {T}
 */
export function batch(callback) {
  if (pendingWatchers) return callback();
  pendingWatchers = new Set();
  try {
    return callback();
  } finally {
    const dueWatchers = pendingWatchers;
    pendingWatchers = null;
    // Changes made by these effects start a new batch.
    callAll(Array.from(dueWatchers, (watcher) => watcher.run));
  }
}

/**
 * Calls `callback` without a subscription to the signals that it reads, and collects the effects and
 * lists that it creates. If it throws, they are disposed.
 * @template T
 * @param {() => T} callback
 * @returns {[T, () => void]} the result of `callback`, and a function that disposes the effects and lists
 */
export function createScope(callback) {
  const [outerWatcher, outerDisposers] = [activeWatcher, activeDisposers];
  /** @type {(() => void)[]} */
  const innerDisposers = [];
  [activeWatcher, activeDisposers] = [null, innerDisposers];
  const dispose = () => callAll(innerDisposers.splice(0));
  try {
    return [callback(), dispose];
  } catch (error) {
    dispose();
    throw error;
  } finally {
    [activeWatcher, activeDisposers] = [outerWatcher, outerDisposers];
  }
}

/** Names to set as properties, because the attribute of the same name is only the initial value. */
const PROPERTY_NAMES = new Set(["value", "checked", "selected", "indeterminate", "srcObject"]);

/**
 * Sets one attribute. Sets a property instead for the names in `PROPERTY_NAMES`. `dataset` takes an
 * object. Booleans of `aria-` attributes are written as text. Arrays are joined with spaces.
 * @param {Element} element
 * @param {string} name
 * @param {any} value
 */
function setAttribute(element, name, value) {
  if (PROPERTY_NAMES.has(name)) {
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
 * whenever a signal that it reads changes. `ref: f` calls the function with the element. `class` may be
 * an array with false members. The values false, null and undefined remove an attribute.
 * @param {Element} element
 * @param {Record<string, any> | null | undefined} attrs
 */
export function setAttributes(element, attrs) {
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (name.startsWith("on")) {
      if (typeof value === "function") element.addEventListener(name.slice(2), value);
    } else if (name === "ref") {
      value(element);
    } else if (typeof value === "function") {
      effect(() => setAttribute(element, name, value()));
    } else {
      setAttribute(element, name, value);
    }
  }
}

/**
 * Converts content to nodes. A document fragment is replaced by its children.
 * @param {StaticChild | StaticChild[]} content
 * @returns {Node[]}
 */
function toNodes(content) {
  if (Array.isArray(content)) return content.flatMap(toNodes);
  if (content === null || content === undefined || typeof content === "boolean") return [];
  if (content instanceof DocumentFragment) return [...content.childNodes];
  return [content instanceof Node ? content : document.createTextNode(String(content))];
}

/**
 * Appends content to a node. The content of a function is updated in place when its signals change.
 * @param {Node} parent
 * @param {Child[]} children
 */
export function appendChildren(parent, children) {
  for (const child of children) {
    if (typeof child !== "function") {
      toNodes(child).forEach((node) => parent.appendChild(node));
      continue;
    }
    const marker = document.createTextNode("");
    parent.appendChild(marker);
    /** @type {Node[]} */
    let currentNodes = [];
    effect(() => {
      const nextNodes = toNodes(child());
      currentNodes.filter((node) => !nextNodes.includes(node)).forEach((node) => node.parentNode?.removeChild(node));
      nextNodes.forEach((node) => marker.parentNode?.insertBefore(node, marker));
      currentNodes = nextNodes;
    });
  }
}

/**
 * Creates an HTML element: `h("button", { class: "button", onclick: save }, "Save")`. The prefix
 * `svg:` creates an SVG element: `h("svg:path", { d })`.
 * @template {string} K
 * @param {K} tag
 * @param {Record<string, any> | null} [attrs] see `setAttributes`
 * @param {...Child} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : SVGElement}
 */
export function h(tag, attrs, ...children) {
  const element = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  // Append the children first, because the value of a select must be one of its options.
  appendChildren(element, children);
  setAttributes(element, attrs);
  return /** @type {any} */ (element);
}

/**
 * Synchronizes the children of an element with a list. An entry keeps its element, with focus and
 * scroll position, while the list contains its key. Changes arrive through the signal that
 * `createElement` gets. An effect or scope that creates the list disposes it. If `createElement` throws,
 * the list omits the entry, and the error is reported as an uncaught error of the page.
 * @template T
 * @template {Element} E
 * @param {Element} parent must not have other children
 * @param {() => T[]} readEntries returns the list from signals
 * @param {(entry: T) => string | number} getKey unique in the list
 * @param {(entry: Signal<T>) => E} createElement
 * @returns {() => void} disposes the list
 */
export function syncKeyedList(parent, readEntries, getKey, createElement) {
  /** @type {Map<string | number, { entry: Signal<T>, element: E, dispose: () => void }>} */
  const rows = new Map();
  const disposeEffect = effect(() => {
    const entries = readEntries();
    const keys = new Set(entries.map(getKey));
    for (const [id, row] of rows) {
      if (keys.has(id)) continue;
      row.dispose();
      row.element.remove();
      rows.delete(id);
    }
    /** @type {ChildNode | null} */
    let nextChild = parent.firstChild;
    for (const item of entries) {
      const id = getKey(item);
      let row = rows.get(id);
      if (row) {
        row.entry.value = item;
      } else {
        const entry = signal(item);
        try {
          const [element, dispose] = createScope(() => createElement(entry));
          row = { entry, element, dispose };
        } catch (error) {
          reportError(error);
          continue;
        }
        rows.set(id, row);
      }
      // Move only elements in a wrong position, because moving an element removes its focus.
      if (nextChild && row.element !== nextChild && row.element === nextChild.nextSibling) {
        parent.appendChild(nextChild);
        nextChild = row.element;
      }
      if (row.element === nextChild) nextChild = nextChild.nextSibling;
      else parent.insertBefore(row.element, nextChild);
    }
  });
  const dispose = () => {
    disposeEffect();
    rows.forEach((row) => row.dispose());
    rows.clear();
  };
  // The effect does not dispose the rows, because they outlive its runs.
  activeDisposers?.push(dispose);
  return dispose;
}
