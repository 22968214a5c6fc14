// Changes each control of a settings form by real input, and compares the images before and after.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { callApi } from "./lib.mjs";

/**
 * Settings that do not change the image of a sample, with the reason. A key is a kind and a path, with `*` for a column
 * or an index.
 * @type {Record<string, string>}
 */
export const EXCUSES = {
  "bar-mekko axis.min": "all heights are written, so that the chart has no axis",
  "calendar-heat-map aggregate": "the sample has one record a day",
  "calendar-heat-map showValues": "the cells of a year are too small for numbers",
  "choropleth projection": "the places are in Europe, and only maps of the world have another projection",
  "choropleth regionTitle": "the codes have one meaning",
  "gauge axis.min": "the record has its own minimum",
  "gauge axis.max": "the record has its own maximum",
  "radar showValues": "the sample has two series, and only a single one has values",
  "sunburst levels": "the sample has two levels",
  "table sortBy": "the rows have no order without the setting sort",
  "table columns[0].bar": "the first column has texts",
  "world-map regionTitle": "the codes have one meaning",
  "world-map showValues": "the tiles are too small for numbers",
};

/** Smallest number with a group separator. */
const MIN_GROUPED = 1000;
/** Excuse of a group separator. */
const NO_GROUPS = "no value of the column has groups of digits";

/** Values for numbers, tried until the image changes. */
const NUMBERS = /** @type {[number, string][]} */ ([
  [3, "3"],
  [2, "2"],
  [144, "=120*1.2"],
  [0.5, "0.5"],
  [1000, "1,000"],
  [70, "70"],
  [5000, "=10*(4+1)*100"],
  [-20, "−20"],
  [50000, "50000"],
  [95, "95"],
]);

/** Values for texts with a meaning, tried until the image changes. */
const TEXTS = { locale: ["de", "ar"], map: ["europe", "world", "equal-earth"], dateFormat: ["YYYY", "DD.MM.YYYY"] };

/** Modules of the editor that are loaded alone. On the server they are a part of the bundle of the chart page. */
const EDITOR_MODULES = /\/js\/(document-store|json-merge)\.js$/;

/**
 * Opens a page of the server that has only the form of a kind, with its sample in the document store of the editor, and the
 * width of the editor's panel. All sections are open unless `keepsSections` is set.
 */
export async function openSettingsForm(page, slug, { settings, width = 312, problems = [], keepsSections = false } = {}) {
  await page.route(EDITOR_MODULES, (route) => route.fulfill({ path: fileURLToPath(new URL(`../../assets/web${EDITOR_MODULES.exec(route.request().url())[0]}`, import.meta.url)), contentType: "text/javascript" }));
  await page.goto("/help/errors/not_found");
  if (!keepsSections) await page.evaluate(() => localStorage.removeItem("chartroom.settings-sections"));
  const kind = await callApi(page, "GET", `/widgets/${slug}`);
  await page.evaluate(
    async ({ kind, settings, width, problems }) => {
      const stylesheet = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel="stylesheet"][href*="/assets/"]'));
      const base = stylesheet.href.replace(/css\/[^/]*$/, "");
      const addStyles = (name) =>
        new Promise((resolve) => {
          const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${base}css/${name}` });
          link.onload = resolve;
          document.head.append(link);
        });
      await Promise.all(["tokens.css", "base.css", "app.css", "float.css", "settings-form.css", "settings-controls.css"].map(addStyles));
      const [{ signal }, { buildSettingsForm }, { createDocumentStore, readContent }] = await Promise.all(["core", "settings-form", "document-store"].map((name) => import(`${base}js/${name}.js`)));
      const keys = [...new Set(kind.sample_data.flatMap(Object.keys))];
      const known = new Map(kind.data_columns.map((column) => [column.key, column]));
      const repeated = kind.data_columns.find((column) => column.repeats);
      const columns = keys.map((key) => {
        const column = known.get(key);
        const cell = kind.sample_data.map((record) => record[key]).find((value) => value !== undefined && value !== null);
        const type = column?.type ?? (typeof cell === "number" ? "number" : "text");
        return { key, title: column?.title ?? key, type, isRepeated: !column || column === repeated };
      });
      const freeze = (value) => {
        if (typeof value === "object" && value) Object.values(Object.freeze(value)).forEach(freeze);
        return value;
      };
      const { title, style } = kind.sample;
      const store = createDocumentStore(freeze(readContent({ plugin_id: kind.id, title, style, settings: settings ?? kind.sample.settings, data: kind.sample_data })));
      const editor = {
        kind,
        store,
        changes: [],
        starts: 0,
        /** The settings of the document. Setting them is always a step, with the label `start`. */
        settings: {
          get value() {
            return store.content.value.settings;
          },
          set value(value) {
            editor.starts += 1;
            store.applyChanges([{ path: ["settings"], value: freeze(value) }, { path: ["title"], value: `Start ${editor.starts}` }], { label: "start" });
          },
          peek: () => store.content.peek().settings,
        },
        records: signal(kind.sample_data),
        columns: signal(columns),
        problems: signal(problems),
        palette: signal(["#2f6bde", "#d9622b", "#1e9e78", "#b1479b", "#a87b00"]),
        background: signal("#ffffff"),
      };
      const onChange = (path, value, options) => {
        editor.changes.push({ path, value, ...options });
        store.setValue(["settings", ...path], freeze(value), options);
      };
      const form = buildSettingsForm({ ...editor, onChange });
      Object.assign(window, { editor, form });
      const panel = document.createElement("main");
      panel.id = "panel";
      panel.style.width = width === null ? "auto" : `${width}px`;
      panel.append(form.element);
      document.title = kind.title;
      document.body.replaceChildren(panel);
    },
    { kind, settings, width, problems },
  );
  return kind;
}

/** Creates the driver for the open form of a kind. @param {import("playwright-core").Page} page @param {any} kind */
export function createControlDriver(page, kind) {
  const result = { controls: 0, changed: 0, excused: 0, failures: [], excuses: [] };
  const base = kind.sample.settings;

  /** Renders the sample with other settings. @returns {Promise<string>} SVG */
  const render = (settings) =>
    page.evaluate(
      async ([kind, settings]) => {
        const body = { widget: kind.slug, title: kind.sample.title, style: kind.sample.style ?? undefined, data: kind.sample_data, settings };
        const response = await fetch("/api/v1/render", { method: "POST", headers: { "Content-Type": "application/json", Accept: "image/svg+xml" }, body: JSON.stringify(body) });
        const text = await response.text();
        return response.ok ? text : `${response.status} ${text}`;
      },
      [kind, settings],
    );
  const readSettings = () => page.evaluate(() => window["editor"].settings.peek());
  const setSettings = (settings) => page.evaluate((value) => (window["editor"].settings.value = value), settings);

  const readContent = () => page.evaluate(() => window["editor"].store.content.peek());

  /** Undoes all steps since the last `setSettings`. Returns their number. */
  const undoSteps = () =>
    page.evaluate(() => {
      const { store } = window["editor"];
      let steps = 0;
      for (; store.undoLabel.peek() !== "start"; steps += 1) store.undo();
      return steps;
    });

  /** Returns the values that the form shows, by row. */
  const readForm = () =>
    page.evaluate(() => {
      const describe = (element) => (element.type === "radio" || element.type === "checkbox" ? `${element.value} ${element.checked}` : element.tagName === "BUTTON" ? element.getAttribute("aria-label") : element.value);
      const rows = Array.from(document.querySelectorAll("#panel .setting"));
      return rows.map((row) => [row.getAttribute("data-path"), row.hasAttribute("hidden"), ...Array.from(row.querySelectorAll(".setting-control :is(input, select, textarea, .color-button)"), describe)].join(" | "));
    });

  /** Returns settings that meet the conditions of a setting, or the reason why the sample cannot meet them. */
  function meetConditions(conditions, settings) {
    let next = settings;
    for (const { setting, is, is_set: isSet, column, has_values: hasValues, any } of conditions) {
      if (any) next = meetConditions([any[0]], next).settings;
      if (column && kind.sample_data.some((record) => ![undefined, null, ""].includes(record[column])) !== hasValues) return { settings, reason: `the sample has no values in the column ${column}` };
      if (setting && is) next = { ...next, [setting]: is.includes(next[setting]) ? next[setting] : is[0] };
      if (setting && isSet) next = { ...next, [setting]: next[setting] || findSetValue(setting) };
      if (setting && isSet === false) next = Object.fromEntries(Object.entries(next).filter(([name]) => name !== setting));
    }
    return { settings: next };
  }

  /** Returns a value for a setting that a condition needs: a column of numbers, or a number. */
  const findSetValue = (setting) => (kind.settings_schema.properties[setting].type === "string" ? kind.ui[setting]?.control === "columnReference" ? Object.keys(kind.sample_data[0]).find((key) => typeof kind.sample_data[0][key] === "number") : "Quick" : 500);

  /** Returns the conditions of a setting and of the objects around it. */
  const listConditions = (path) => path.split(".").flatMap((_, index, parts) => kind.ui[parts.slice(0, index + 1).join(".")]?.show_if ?? []);

  /** Finds the row of a setting. */
  const findRow = (path) => page.locator(`#panel [data-path="${path}"]`);

  /** Records that a control changed the settings, and compares the images. Returns whether they differ. */
  async function compare(start, before) {
    const settings = await readSettings();
    assert.ok(!isDeepStrictEqual(settings, start), "the settings did not change");
    const after = await render(settings);
    assert.ok(after.startsWith("<svg") || after.startsWith("<?xml"), after.slice(0, 200));
    return after !== before;
  }

  /** Returns the ways to change a control, each with an input that the form may ignore. */
  async function listInputs(row, path, type) {
    const name = path.split(".").at(-1).replace(/\[\d+\]$/, "");
    const control = row.locator("> .setting-control");
    const typeText = (input) => async (text) => {
      await input.fill("");
      await input.pressSequentially(text);
      await input.press("Enter");
    };
    const each = (values, input) => values.map((value) => () => input(value));
    switch (type) {
      case "switch":
        return [() => control.locator("input").click()];
      case "segments":
      case "three-states":
        return (await control.locator("input:not(:checked)").all()).map((input, index) => async () => {
          // The list of unchecked inputs changes with the choice.
          const value = await page.evaluate(([path, index]) => window["unchecked"][path][index], [path, index]);
          await control.locator(`input[value="${value}"]`).click();
        });
      case "select":
      case "column": {
        const select = control.locator("select");
        const current = await select.inputValue();
        const values = await select.locator("option").evaluateAll((options) => options.map((option) => option.value));
        return each(values.filter((value) => value !== current), (value) => select.selectOption(value));
      }
      case "number":
        {
        const input = control.getByRole("spinbutton");
        const [minimum, maximum] = [await input.getAttribute("aria-valuemin"), await input.getAttribute("aria-valuemax")];
        const isWhole = (await input.getAttribute("inputmode")) === "numeric";
        const isValid = ([value]) => (!isWhole || Number.isInteger(value)) && value >= Number(minimum ?? -Infinity) && value <= Number(maximum ?? Infinity);
        return each(NUMBERS.filter(isValid).map(([, text]) => text), typeText(input));
      }
      case "slider":
        return ["ArrowRight", "ArrowLeft"].map((key) => async () => {
          const slider = control.getByRole("slider");
          await slider.focus();
          for (let step = 0; step < 3; step += 1) await slider.press(key);
        });
      case "combobox":
        return each(TEXTS[name] ?? ["de"], typeText(control.getByRole("combobox")));
      case "date":
        return each([kind.sample_data[Math.floor(kind.sample_data.length / 2)].date ?? kind.sample_data[Math.floor(kind.sample_data.length / 2)].start], (value) => control.locator("input").fill(value));
      case "text":
      case "textarea":
        return each(name === "forecastStart" ? [kind.sample_data[3].date] : ["Quick"], typeText(control.locator("input, textarea")));
      case "json":
        return [() => typeText(control.locator("textarea"))("[1]")];
      case "color":
        return each(["#7a3311"], changeColor(control.locator(".color-button")));
      case "palette":
        return [async () => {
          await control.getByRole("button", { name: "Add color" }).click();
          await changeColor(control.locator(".color-button").first())("#7a3311");
        }];
      case "texts":
        return [async () => {
          if (!(await control.locator(".list-row").count())) await control.getByRole("button", { name: "Add entry" }).click();
          await control.locator(".list-row input").first().pressSequentially(path === "nodeOrder" ? String(kind.sample_data.at(-1).source) : "Quick");
        }];
      case "columns":
        return [() => control.getByRole("button", { name: "Add column" }).click()];
      case "fixed-texts":
      case "named-texts":
        return [() => control.locator("input").first().pressSequentially("Quick")];
      case "cards":
        return [async () => {
          if (!(await control.locator(".list-card").count())) return control.locator("> * > .list-actions button").first().click();
          await control.locator(".card-head").last().getByRole("button", { name: /^Actions/ }).click();
          return page.getByRole("menuitem", { name: "Remove" }).click();
        }];
      default:
        throw new Error(`no input for the control ${type}`);
    }
  }

  /** Returns a function that types a color into the popover of a color button. */
  const changeColor = (button) => async (color) => {
    await button.click();
    const input = page.getByRole("dialog").getByLabel("Color as text");
    await input.fill(color);
    await page.keyboard.press("Escape");
  };

  /** Changes the control of a row once, or with further values until the image changes. */
  async function changeRow(path, start) {
    const row = findRow(path);
    const type = await row.getAttribute("data-control");
    result.controls += 1;
    const excuse = findExcuse(path);
    try {
      await setSettings(start);
      const content = await readContent();
      const shown = await readForm();
      const before = await render(start);
      await page.evaluate((path) => {
        const inputs = Array.from(document.querySelectorAll(`#panel [data-path="${path}"] > .setting-control input[type=radio]:not(:checked)`), (input) => input.value);
        window["unchecked"] = { ...window["unchecked"], [path]: inputs };
      }, path);
      let isImageChanged = false;
      let isEverChanged = false;
      for (const input of await listInputs(row, path, type)) {
        await input();
        if (isDeepStrictEqual(await readSettings(), start)) continue;
        isEverChanged = true;
        isImageChanged = await compare(start, before);
        await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
        assert.ok((await undoSteps()) > 0, "the change has no step to undo");
        assert.deepEqual(await readContent(), content, "undo does not bring the document back");
        if (isImageChanged) break;
      }
      assert.ok(isEverChanged, "the control does not change the settings");
      assert.deepEqual(await readForm(), shown, "the form does not show the old values");
      // Totals may have groups although no value has.
      if (excuse === NO_GROUPS) result[isImageChanged ? "changed" : "excused"] += 1;
      else if (isImageChanged === (excuse === null)) result[excuse === null ? "changed" : "excused"] += 1;
      else result.failures.push(isImageChanged ? `${path}: has an effect, so that it needs no excuse` : `${path} (${type}): no effect on the image`);
      if (excuse && excuse !== NO_GROUPS) result.excuses.push(excuse);
    } catch (error) {
      result.failures.push(`${path} (${type}): ${error.message}`);
      await page.keyboard.press("Escape");
    }
  }

  /** Returns the key of the excuse of a setting, or null. */
  function findExcuse(path) {
    const [, column] = /^rulesets\.([^.]+)\.thousandsSeparator$/.exec(path) ?? [];
    const hasGroups = column !== undefined && kind.sample_data.some((record) => Math.abs(record[column]) >= MIN_GROUPED);
    if (column !== undefined && !hasGroups) return NO_GROUPS;
    const general = path.replace(/^rulesets\.[^.]+/, "rulesets.*").replace(/\[\d+\]/, "[*]");
    return [`${kind.slug} ${path}`, `${kind.slug} ${general}`].find((key) => key in EXCUSES) ?? null;
  }

  /** Changes the rows in the cards of a list or of formats. */
  async function changeNested(path, type, start) {
    await setSettings(start);
    const control = findRow(path).locator("> .setting-control");
    let filled = start;
    if (type === "cards") {
      if (!(await control.locator(".list-card").count())) await control.locator("> * > .list-actions button:visible").last().click();
      filled = await readSettings();
      if (await control.locator(".list-card").first().locator(".card-toggle").getAttribute("aria-expanded") === "false") await control.locator(".list-card .card-toggle").first().click();
    }
    for (const toggle of type === "formats" ? await control.locator(".card-toggle").all() : []) await toggle.click();
    const paths = await control.locator(".setting").evaluateAll((rows) => rows.filter((row) => row.checkVisibility()).map((row) => row.getAttribute("data-path")));
    for (const nested of paths) await changeRow(nested, filled);
    await setSettings(start);
  }

  return {
    /** Changes all controls of the form. */
    async changeAll() {
      const rows = await page.locator("#panel .setting").evaluateAll((elements) =>
        elements.filter((row) => !row.parentElement?.closest(".setting")).map((row) => ({ path: row.getAttribute("data-path"), type: row.getAttribute("data-control") })),
      );
      for (const { path, type } of rows) {
        const { settings, reason } = meetConditions(listConditions(path), base);
        if (reason) {
          // A condition on the data hides the setting.
          result.controls += 1;
          if (await findRow(path).isHidden()) result.excused += 1;
          else result.failures.push(`${path}: shown although ${reason}`);
          continue;
        }
        await setSettings(settings);
        if (!(await findRow(path).isVisible())) {
          result.failures.push(`${path}: hidden although its conditions hold`);
          continue;
        }
        if (type !== "formats") await changeRow(path, settings);
        if (type === "formats" || type === "cards") await changeNested(path, type, settings);
      }
      return result;
    },
  };
}
