// @ts-check
/** Details of the selected kind in the dialog for a new chart: a large picture, its data, its rating, and similar kinds. */

import { del, encodePath, get, put } from "./api.js";
import { h } from "./core.js";
import { PAGE_LANGUAGE, getText } from "./texts.js";
import { createButton, createIcon, describeError, showToast } from "./ui.js";

/** Maximum number of similar kinds. */
const MAX_SIMILAR = 4;
/** Score of a common category. Each common tag adds one. */
const CATEGORY_SCORE = 2;
const RATING_FORMAT = new Intl.NumberFormat(PAGE_LANGUAGE, { maximumFractionDigits: 1 });

/** Returns the kinds with most categories and tags in common, the best first. @param {any} kind @param {any[]} kinds */
function listSimilarKinds(kind, kinds) {
  const countCommon = (/** @type {string[]} */ first, /** @type {string[]} */ second) => first.filter((word) => second.includes(word)).length;
  const scored = kinds.filter(({ id }) => id !== kind.id).map((other) => ({ other, score: CATEGORY_SCORE * countCommon(kind.categories, other.categories) + countCommon(kind.tags, other.tags) }));
  return scored.filter(({ score }) => score > 0).sort((first, second) => second.score - first.score).slice(0, MAX_SIMILAR).map(({ other }) => other);
}

/** Describes a column of the data that a kind needs or can use. @param {any} column */
function describeColumn({ title, required, repeats }) {
  if (repeats) return getText("dialogs.columnRepeats", { column: title });
  return required ? getText("dialogs.columnRequired", { column: title }) : title;
}

/** Describes the rating of a kind. @param {{ average: number | null, count: number }} rating */
const describeRating = ({ average, count }) => (average === null ? getText("dialogs.notRated") : getText("dialogs.rating", { average: RATING_FORMAT.format(average), count }));

/** Creates the button that makes a kind a favorite, which is listed first. @param {any} kind */
function createFavoriteButton(kind) {
  const show = () => button.setAttribute("aria-pressed", String(kind.is_favorite));
  const toggle = async () => {
    const path = encodePath`/portfolio/favorites/${kind.id}`;
    try {
      await (kind.is_favorite ? del(path) : put(path, {}));
      kind.is_favorite = !kind.is_favorite;
      show();
    } catch (error) {
      showToast(describeError(error), { isError: true });
    }
  };
  const button = h("button", { type: "button", class: "button quiet small favorite", onclick: toggle }, createIcon("star"), getText("dialogs.favorite"));
  show();
  return button;
}

/**
 * Creates the details, which are hidden until a kind is shown.
 * @param {any[]} kinds
 * @param {(slug: string) => void} select selects another kind
 */
export function createKindDetails(kinds, select) {
  const element = h("section", { class: "kind-details", "aria-label": getText("dialogs.kindDetails"), hidden: true });
  const image = h("img", { alt: "", width: 320, height: 180 });
  /** Descriptions of the columns of each kind, by its slug. @type {Map<string, Promise<string[]>>} */
  const columns = new Map();
  const loadColumns = (/** @type {string} */ slug) => {
    const loading = columns.get(slug) ?? get(encodePath`/portfolio/widgets/${slug}`).then(({ data }) => data.data_columns.map(describeColumn));
    columns.set(slug, loading);
    loading.catch(() => columns.delete(slug));
    return loading;
  };
  let shown = "";
  /** Shows a kind. `draw` shows its picture in the image. @param {any} kind @param {(image: HTMLImageElement) => void} draw */
  const show = async (kind, draw) => {
    shown = kind.slug;
    element.hidden = false;
    draw(image);
    const list = h("ul", { class: "kind-columns" });
    const similar = listSimilarKinds(kind, kinds).map((other) => createButton(other.title, { kind: "plain", onclick: () => select(other.slug) }));
    element.replaceChildren(
      image,
      h("div", { class: "kind-heading" }, h("h3", null, kind.title), createFavoriteButton(kind)),
      h("p", { class: "muted" }, describeRating(kind.rating)),
      h("p", null, kind.summary),
      h("h4", null, getText("dialogs.kindData")),
      list,
      ...(similar.length ? [h("h4", null, getText("dialogs.similarKinds")), h("div", { class: "similar-kinds" }, similar)] : []),
      h("p", null, kind.description),
    );
    element.scrollTop = 0;
    try {
      const texts = await loadColumns(kind.slug);
      if (shown === kind.slug) list.replaceChildren(...texts.map((text) => h("li", null, text)));
    } catch (error) {
      if (shown === kind.slug) list.replaceChildren(h("li", null, describeError(error)));
    }
  };
  return { element, show };
}
