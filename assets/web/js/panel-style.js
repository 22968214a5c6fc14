// @ts-check
/** The panel with theme, fonts, colors, views, size and margins of the chart. */

import { get } from "./api.js";
import { effect, h, signal } from "./core.js";
import { drawPicture } from "./draft-pictures.js";
import { getEditor } from "./editor-state.js";
import { createPanel } from "./panel-frame.js";
import { buildColors, followTheme } from "./panel-style-colors.js";
import { buildSizes } from "./panel-style-size.js";
import { buildPreview } from "./style-preview.js";
import { getText, getTextParts } from "./texts.js";

/** A theme in the list. `page` is the path of its page for members who may change it. @typedef {{ id: string, title: string, page?: string }} ThemeChoice */

/** The built-in themes with their names. @type {ThemeChoice[]} */
const BUILTIN_THEMES = [
  { id: "light", title: getText("style-panel.themeLight") },
  { id: "dark", title: getText("style-panel.themeDark") },
  { id: "newsprint", title: getText("style-panel.themeNewsprint") },
  { id: "blueprint", title: getText("style-panel.themeBlueprint") },
  { id: "high-contrast", title: getText("style-panel.themeHighContrast") },
  { id: "print", title: getText("style-panel.themePrint") },
];

/** Pause in milliseconds before the pictures of the themes are drawn again. */
const REDRAW_PAUSE_MS = 700;

/** Loads the themes of the organizations of the user. Leaves out an organization that refuses to show them. @returns {Promise<ThemeChoice[]>} */
async function loadOrgThemes() {
  const { data: user } = await get("/user");
  const load = async (/** @type {any} */ org) => {
    const { data } = await get(`/orgs/${org.id}/themes`);
    const isEditor = org.role === "admin" || org.role === "brand_manager";
    return data.themes.map((/** @type {any} */ { name, title }) => ({ id: `${org.id}/${name}`, title: title || name, page: isEditor ? `/orgs/${org.slug}/themes/${name}` : undefined }));
  };
  const results = await Promise.allSettled(user.orgs.map(load));
  return results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}

/** Builds the list of themes as pictures of this chart. @param {{ value: ThemeChoice[] }} themes */
function buildThemes(themes) {
  const { store } = getEditor();
  const list = h("div", { class: "theme-choices", role: "radiogroup", "aria-label": getText("style-panel.theme") });
  effect(() => {
    const aborter = new AbortController();
    const images = themes.value.map(({ id, title }) => {
      const image = h("img", { alt: "", width: 132, height: 74 });
      const isChosen = () => !store.content.value.custom_theme && (store.content.value.theme || "light") === id;
      const input = h("input", { type: "radio", name: "theme", value: id, checked: isChosen });
      input.addEventListener("change", () => store.applyChanges([{ path: ["theme"], value: id }, { path: ["custom_theme"], value: null }], { label: getText("style-panel.useTheme", { theme: title }) }));
      return { id, image, element: h("label", null, input, image, h("span", null, title)) };
    });
    list.replaceChildren(...images.map(({ element }) => element));
    let timer = 0;
    const stop = effect(() => {
      const { theme: _, custom_theme: __, ...content } = store.content.value;
      clearTimeout(timer);
      timer = window.setTimeout(
        () => images.forEach(({ id, image }) => drawPicture(image, async () => ({ ...content, theme: id, custom_theme: null }), { width: 264, height: 148 }, aborter.signal)),
        images[0].image.src ? REDRAW_PAUSE_MS : 0,
      );
    });
    return () => {
      stop();
      clearTimeout(timer);
      aborter.abort();
    };
  });
  const note = h("p", { class: "hint", hidden: () => !store.content.value.custom_theme }, getText("style-panel.ownTheme"));
  return h("section", null, h("h3", null, getText("style-panel.theme")), note, list);
}

/**
 * Builds the section about the fonts. A chart cannot use other fonts than its theme, unless it replaces the whole theme
 * and no longer follows it. Therefore the section leads to the theme.
 * @param {{ value: import("./series-colors.js").RenderedTheme | null }} rendered
 * @param {{ value: ThemeChoice[] }} themes
 */
function buildFonts(rendered, themes) {
  const { store } = getEditor();
  const sample = h("img", { class: "font-sample", alt: "" });
  effect(() => {
    const theme = rendered.value;
    sample.hidden = !theme;
    if (!theme) return;
    const url = URL.createObjectURL(new Blob([theme.sample], { type: "image/svg+xml" }));
    sample.src = url;
    sample.alt = getText("style-panel.fontSample", { family: theme.family });
    return () => URL.revokeObjectURL(url);
  });
  const describe = () => (rendered.value ? getText("style-panel.fontSizes", { family: rendered.value.family, title: rendered.value.titleSize, text: rendered.value.bodySize }) : "");
  const findPage = () => (store.content.value.custom_theme ? undefined : themes.value.find(({ id }) => id === store.content.value.theme)?.page);
  const explain = () => {
    const page = findPage();
    if (store.content.value.custom_theme) return getText("style-panel.ownThemeFonts");
    if (page) return getTextParts("style-panel.changeFonts", { link: h("a", { href: page, target: "_blank", rel: "noopener" }, getText("style-panel.changeFontsLink")) });
    return store.content.value.theme.includes("/") ? getText("style-panel.managedFonts") : getText("style-panel.otherFonts");
  };
  return h("section", { class: "fonts" }, h("h3", null, getText("style-panel.fonts")), sample, h("p", { class: "font-facts" }, describe), h("p", { class: "hint" }, explain));
}

/** Builds the panel. @param {() => void} close */
export function buildPanel(close) {
  const themes = signal(BUILTIN_THEMES);
  loadOrgThemes().then((own) => (themes.value = [...own, ...BUILTIN_THEMES])).catch((error) => console.warn(error));
  const rendered = followTheme();
  return createPanel(getText("style-panel.title"), close, h("div", { class: "panel-form style-panel" }, buildThemes(themes), buildFonts(rendered, themes), buildColors(rendered), buildPreview(), buildSizes()));
}
