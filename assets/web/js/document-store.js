// @ts-check
/** The content of the edited document, with one history of undo steps for the grid, the settings and the canvas. */

import { batch, signal } from "./core.js";
import { getValueAt, isEqualJson, isObject, mergeJson, setValueAt } from "./json-merge.js";

/** Maximum number of undo steps. */
const MAX_STEPS = 500;
/** Time in milliseconds in which changes with the same merge key form one step. */
const MERGE_TIME_MS = 800;

/** @typedef {import("./json-merge.js").Key} Key */

/**
 * The writable fields of a document.
 * @typedef {{ plugin_id: string, title: string, settings: Record<string, any>, data: Record<string, any>[], theme: string,
 *   custom_theme: Record<string, any> | null, style: Record<string, any> | null, isPublic: boolean }} Content
 */

/**
 * A new value at a path. The value undefined removes the member.
 * @typedef {{ path: Key[], value: any }} Change
 */

/** @typedef {{ path: Key[], before: any, after: any }} Patch */

/** @typedef {{ patches: Patch[], label: string, mergeKey: string, time: number }} Step */

/**
 * `mergeTime` is the time in milliseconds in which changes with the same merge key form one step. A drag has no limit.
 * @typedef {{ label: string, mergeKey?: string, mergeTime?: number }} ChangeOptions
 */

/**
 * Returns the writable fields of a document representation.
 * @param {Record<string, any>} doc
 * @returns {Content}
 */
export function readContent(doc) {
  const { plugin_id, title, settings, data, theme, custom_theme, style, isPublic } = doc;
  return { plugin_id, title, settings: settings ?? {}, data: data ?? [], theme: theme ?? "", custom_theme: custom_theme ?? null, style: style ?? null, isPublic: isPublic ?? false };
}

/**
 * Returns the part of a path at which a change of its value creates an object, or the whole path. Undo removes the object
 * again.
 * @param {Content} root
 * @param {Key[]} path
 */
function findMissingPlace(root, path) {
  const lengths = path.slice(1).map((_, index) => index + 1);
  const length = lengths.find((length) => !isContainer(getValueAt(root, path.slice(0, length))));
  return path.slice(0, length);
}

/** Returns whether a path is another one or begins with it. @param {Key[]} path @param {Key[] | undefined} other */
const isBelow = (path, other) => other !== undefined && other.every((key, index) => key === path[index]);

/** Returns whether a value can have members or elements. @param {unknown} value */
const isContainer = (value) => isObject(value) || Array.isArray(value);

/**
 * Creates the store of a document. `content` changes with each change, and all its parts are immutable.
 * @param {Content} initial
 */
export function createDocumentStore(initial) {
  const content = signal(initial);
  /** @type {Step[]} */
  let undoSteps = [];
  /** @type {Step[]} */
  let redoSteps = [];
  const undoLabel = signal("");
  const redoLabel = signal("");
  /** The step that `undo` takes back. */
  const newestStep = signal(/** @type {Step | null} */ (null));

  const updateLabels = () => {
    newestStep.value = undoSteps.at(-1) ?? null;
    undoLabel.value = undoSteps.at(-1)?.label ?? "";
    redoLabel.value = redoSteps.at(-1)?.label ?? "";
  };

  /**
   * Makes changes as one undo step. Changes with the same merge key within a short time belong to one
   * step. Changes that change nothing make no step.
   * @param {Change[]} changes
   * @param {ChangeOptions} options
   * @returns {Step | null} the step, for `offerUndo`; null if nothing changes
   */
  const applyChanges = (changes, { label, mergeKey = "", mergeTime = MERGE_TIME_MS }) => {
    /** @type {Patch[]} */
    const patches = [];
    let next = content.peek();
    for (const { path, value } of changes) {
      const before = getValueAt(next, path);
      if (Object.is(before, value) || (path[0] !== "data" && isEqualJson(before, value))) continue;
      const place = findMissingPlace(next, path);
      const old = getValueAt(next, place);
      next = setValueAt(next, path, value);
      patches.push({ path: place, before: old, after: getValueAt(next, place) });
    }
    if (patches.length === 0) return null;
    const last = undoSteps.at(-1);
    const now = Date.now();
    // The first change of a step may have created the object of the others.
    const isSamePath = (/** @type {Patch} */ patch, /** @type {number} */ index) => isBelow(patch.path, last?.patches[index]?.path);
    if (last && mergeKey && last.mergeKey === mergeKey && now - last.time < mergeTime && patches.length === last.patches.length && patches.every(isSamePath)) {
      last.patches.forEach((patch) => (patch.after = getValueAt(next, patch.path)));
      last.time = now;
    } else {
      undoSteps.push({ patches, label, mergeKey, time: now });
      undoSteps = undoSteps.slice(-MAX_STEPS);
    }
    redoSteps = [];
    batch(() => {
      content.value = next;
      updateLabels();
    });
    return undoSteps.at(-1) ?? null;
  };

  /**
   * Replaces `from` by `to` at a path. If the value has changed since, for example by another person, the
   * other changes stay, also where they clash.
   * @param {Content} root
   * @param {Key[]} path
   * @param {any} from
   * @param {any} to
   */
  const replaceValue = (root, path, from, to) => {
    const current = getValueAt(root, path);
    // An object that the change created stays if it has other members by now.
    const isShared = (to === undefined || to === null) && isObject(from) && isObject(current);
    if (Object.is(current, from) || isEqualJson(current, from)) return setValueAt(root, path, to);
    const { merged } = mergeJson(from, current, isShared ? {} : to);
    const value = isShared && Object.keys(merged).length === 0 ? to : merged;
    return setValueAt(root, path, value);
  };

  const undo = () => {
    const step = undoSteps.pop();
    if (!step) return;
    redoSteps.push(step);
    batch(() => {
      content.value = step.patches.reduceRight((root, { path, before, after }) => replaceValue(root, path, after, before), content.peek());
      updateLabels();
    });
    return step.label;
  };

  const redo = () => {
    const step = redoSteps.pop();
    if (!step) return;
    // A later change must not join a repeated step.
    step.time = 0;
    undoSteps.push(step);
    batch(() => {
      content.value = step.patches.reduce((root, { path, before, after }) => replaceValue(root, path, before, after), content.peek());
      updateLabels();
    });
    return step.label;
  };

  /**
   * Returns an action that takes a step back. It is offered while the step is the last one, because later steps may need
   * its content.
   * @param {Step | null} step
   */
  const offerUndo = (step) => ({
    isOffered: () => step !== null && newestStep.value === step,
    run: () => {
      if (step && newestStep.peek() === step) undo();
    },
  });

  /**
   * Takes the last step back if it has a merge key, without a step to redo. For a drag that Escape cancels.
   * @param {string} mergeKey
   */
  const discardStep = (mergeKey) => {
    if (undoSteps.at(-1)?.mergeKey !== mergeKey) return;
    undo();
    redoSteps.pop();
    updateLabels();
  };

  /**
   * Adds the changes of other people to both values of a patch, so that taking it back keeps them.
   * @param {Patch} patch
   * @param {Content} next content with their changes
   */
  const includeChanges = (patch, next) => {
    const after = getValueAt(next, patch.path);
    if (isEqualJson(after, patch.after)) return;
    const before = patch.before ?? (Array.isArray(patch.after) ? [] : patch.before);
    const { merged } = mergeJson(patch.after, after, before);
    patch.before = Array.isArray(merged) && merged.length === 0 ? patch.before : merged;
    patch.after = after;
  };

  /**
   * Removes the steps that changed the data, because data of a source replace them: taking them back would bring
   * outdated data into the document.
   */
  const dropDataSteps = () => {
    const isKept = (/** @type {Step} */ step) => !step.patches.some(({ path }) => path[0] === "data");
    [undoSteps, redoSteps] = [undoSteps.filter(isKept), redoSteps.filter(isKept)];
    batch(updateLabels);
  };

  return {
    content,
    dropDataSteps,
    /** Label of the step that `undo` takes back; empty if there is none. */
    undoLabel,
    /** Label of the step that `redo` repeats; empty if there is none. */
    redoLabel,
    applyChanges,
    /** Makes one change. See `applyChanges`. @param {Key[]} path @param {any} value @param {ChangeOptions} options */
    setValue: (path, value, options) => applyChanges([{ path, value }], options),
    offerUndo,
    /** Takes the last step back. Returns its label, or undefined without a step. */
    undo,
    discardStep,
    /** Repeats the step that was taken back last. Returns its label, or undefined without a step. */
    redo,
    /** Sets the content without an undo step, for changes of other people. The steps stay. @param {Content} next */
    setContent: (next) => {
      // A later change must not join the last step, which would then also take back the changes of others.
      const last = undoSteps.at(-1);
      if (last) last.time = 0;
      // One that joins at any time, such as the text of a note, goes on from the content with them.
      if (last?.mergeKey && last.patches.length === 1) includeChanges(last.patches[0], next);
      content.value = next;
    },
  };
}

/** @typedef {ReturnType<typeof createDocumentStore>} DocumentStore */
