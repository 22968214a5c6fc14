//! Tests of the chart kinds: descriptions and assets, snapshots of the samples, and difficult data.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use chartroom_charts::{Chart, FontCollection, Kind, Locale, Scene, Style, Theme};
use serde_json::{Value, json};

mod arbitrary;
mod axis_places;
mod combo_axes;
mod corpus;
mod finite;
mod flows;
mod free_space;
mod annotations;
pub mod fonts;
mod log_axes;
mod logo;
mod previews;
mod real_tables;
mod right_to_left;
mod difficult_data;
mod invalid_data;
mod text_content;
mod settings;
mod time_axes;
mod text_layout;

/// The built-in themes.
pub const THEMES: [&str; 6] = ["light", "dark", "print", "high-contrast", "newsprint", "blueprint"];

/// A chart document to render, with the data that a [`Chart`] borrows.
pub struct ChartCase {
    pub kind: &'static Kind,
    pub title: String,
    pub settings: Value,
    pub data: Vec<Value>,
    pub style: Value,
    pub theme: Value,
    pub fonts: FontCollection,
    /// Width of the canvas in points.
    pub width: f64,
    /// Height of the canvas in points.
    pub height: f64,
    pub interactive: bool,
}

impl ChartCase {
    /// Returns the sample of a kind, at 720 x 405 points with the default theme.
    pub fn sample(kind: &'static Kind) -> ChartCase {
        let sample = read_json(&format!("assets/kinds/{}/sample.json", kind.slug));
        let text = |key: &str| sample[key].as_str().unwrap_or_default().to_owned();
        ChartCase {
            kind,
            title: text("title"),
            settings: sample["settings"].clone(),
            data: sample["data"].as_array().cloned().unwrap_or_default(),
            style: sample["style"].clone(),
            theme: Value::Null,
            fonts: FontCollection::builtin(),
            width: 720.0,
            height: 405.0,
            interactive: false,
        }
    }

    /// Returns the case with another canvas size in points.
    pub fn with_size(mut self, width: f64, height: f64) -> ChartCase {
        (self.width, self.height) = (width, height);
        self
    }

    /// Returns the case with a built-in theme.
    pub fn with_theme(mut self, theme: &str) -> ChartCase {
        self.theme = read_json(&format!("assets/themes/{theme}.json"));
        self
    }

    /// Renders the chart as a scene.
    pub fn render(&self) -> Scene {
        chartroom_charts::draw(&Chart {
            kind: self.kind,
            title: &self.title,
            settings: &self.settings,
            data: &self.data,
            theme: &Theme::parse_with_fonts(&self.theme, self.fonts),
            style: &Style::parse(&self.style),
            width: self.width,
            height: self.height,
            default_locale: Locale::default(),
            interactive: self.interactive,
            id_prefix: "c",
        })
    }

    /// Renders the chart as SVG text.
    pub fn render_svg(&self) -> String {
        chartroom_charts::svg::write(&self.render(), &chartroom_charts::svg::Options::default())
    }
}

/// Returns the absolute path of a file in the repository.
pub fn repo_path(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Reads a JSON file of the repository. Panics if it is missing or invalid.
pub fn read_json(path: &str) -> Value {
    let text =
        fs::read_to_string(repo_path(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the names of the files with a suffix in a folder, without the suffix.
fn file_stems(folder: &str, suffix: &str) -> BTreeSet<String> {
    fs::read_dir(repo_path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(suffix).map(str::to_owned))
        .collect()
}

#[test]
fn kind_list_matches_sources_and_assets() {
    let listed: BTreeSet<String> =
        chartroom_charts::kinds().iter().map(|kind| kind.slug.to_owned()).collect();
    let mut sources = file_stems("src/charts/kinds", ".rs");
    sources.remove("mod");
    let sources = sources.iter().map(|source| source.replace('_', "-")).collect();
    assert_eq!(listed, sources, "left: list in kinds/mod.rs, right: files in src/charts/kinds");
    assert_eq!(
        listed,
        file_stems("assets/kinds", ""),
        "left: list, right: folders in assets/kinds"
    );
    assert_eq!(listed.len(), chartroom_charts::kinds().len(), "a slug is twice in the list");
    let snapshots = file_stems("tests/it/charts", ".svg");
    assert_eq!(listed, snapshots, "left: list, right: snapshots in tests/it/charts");
}

#[test]
fn kinds_are_found_by_exact_slug() {
    for kind in chartroom_charts::kinds() {
        assert_eq!(chartroom_charts::find_kind(kind.slug).map(|kind| kind.slug), Some(kind.slug));
    }
    assert!(chartroom_charts::find_kind("").is_none());
    assert!(chartroom_charts::find_kind("Pie").is_none());
}

#[test]
fn every_kind_has_a_complete_description() {
    let mut ids = BTreeSet::new();
    for kind in chartroom_charts::kinds() {
        let slug = kind.slug;
        let description = read_json(&format!("assets/kinds/{slug}/kind.json"));
        assert_eq!(description["slug"], slug);
        assert!(
            ids.insert(description["id"].as_str().unwrap().to_owned()),
            "{slug}: id used twice"
        );
        assert!(description["summary"].as_str().unwrap().chars().count() <= 120, "{slug}: summary");
        assert!(description["description"].as_str().unwrap().len() > 80, "{slug}: description");
        for key in ["categories", "tags", "aliases", "data_columns", "form"] {
            assert!(!description[key].as_array().unwrap().is_empty(), "{slug}: {key}");
        }
        assert_form_matches_schema(slug, &description);
        let icon = fs::read_to_string(repo_path(&format!("assets/kinds/{slug}/icon.svg"))).unwrap();
        for word in ["viewBox=\"0 0 48 48\"", "currentColor"] {
            assert!(icon.contains(word), "{slug}: icon without {word}");
        }
        for word in ["style=", "<style", "<script", "href"] {
            assert!(!icon.contains(word), "{slug}: icon with {word}");
        }
    }
}

/// Panics unless the form names every setting once and the default settings equal the defaults of
/// the schema.
fn assert_form_matches_schema(slug: &str, description: &Value) {
    let properties = description["settings_schema"]["properties"].as_object().unwrap();
    let groups = description["form"].as_array().unwrap();
    let mut shown: Vec<&str> = groups
        .iter()
        .flat_map(|group| group["settings"].as_array().unwrap())
        .map(|name| name.as_str().unwrap())
        .collect();
    shown.sort_unstable();
    let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
    known.sort_unstable();
    assert_eq!(shown, known, "{slug}: left: form, right: schema");
    for (name, schema) in properties {
        assert!(schema["title"].is_string(), "{slug}: {name} without a title");
        assert_eq!(
            schema.get("default"),
            description["default_settings"].get(name),
            "{slug}: {name}"
        );
    }
}

#[test]
fn samples_use_known_settings_and_required_columns() {
    for kind in chartroom_charts::kinds() {
        let slug = kind.slug;
        let description = read_json(&format!("assets/kinds/{slug}/kind.json"));
        let case = ChartCase::sample(kind);
        for name in case.settings.as_object().unwrap().keys() {
            let known = description["settings_schema"]["properties"].get(name);
            assert!(known.is_some(), "{slug}: sample sets unknown {name}");
        }
        for column in description["data_columns"].as_array().unwrap() {
            let is_required =
                column["required"] == json!(true) && column["repeats"] == json!(false);
            let key = column["key"].as_str().unwrap();
            let is_present = case.data.iter().any(|record| record.get(key).is_some());
            assert!(is_present || !is_required, "{slug}: sample without {key}");
        }
        assert!(case.style["subtitle"].is_string() && case.style["footer"].is_string(), "{slug}");
    }
}

/// Compares each sample with its snapshot. `UPDATE_SNAPSHOTS=1` rewrites the snapshots.
#[test]
fn samples_match_their_svg_snapshots() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut changed = Vec::new();
    for kind in chartroom_charts::kinds() {
        let path = repo_path(&format!("tests/it/charts/{}.svg", kind.slug));
        let svg = ChartCase::sample(kind).render_svg();
        if update {
            fs::write(&path, &svg).unwrap();
        }
        if fs::read_to_string(&path).unwrap_or_default() != svg {
            changed.push(kind.slug);
        }
    }
    assert!(
        changed.is_empty(),
        "differs from the snapshot, review and run with UPDATE_SNAPSHOTS=1: {changed:?}"
    );
}

#[test]
fn samples_render_without_warnings() {
    for kind in chartroom_charts::kinds() {
        for theme in THEMES {
            let scene = ChartCase::sample(kind).with_theme(theme).render();
            assert_eq!(scene.warnings, [""; 0], "{} in {theme}", kind.slug);
        }
    }
}

#[test]
fn rendering_is_deterministic() {
    for kind in chartroom_charts::kinds() {
        let (first, second) = (ChartCase::sample(kind), ChartCase::sample(kind));
        assert_eq!(first.render_svg(), second.render_svg(), "{}", kind.slug);
        assert_eq!(first.render().description, second.render().description);
    }
}

#[test]
fn svg_is_accessible_and_has_no_active_content() {
    for kind in chartroom_charts::kinds() {
        let svg = ChartCase::sample(kind).render_svg();
        for word in ["role=\"img\"", "<title", "<desc", "lang=\""] {
            assert!(svg.contains(word), "{}: no {word}", kind.slug);
        }
        for word in ["<style", " style=", "<script", "foreignObject", "data-part"] {
            assert!(!svg.contains(word), "{}: {word}", kind.slug);
        }
    }
}

#[test]
fn missing_theme_falls_back_to_light() {
    for kind in chartroom_charts::kinds() {
        assert_eq!(
            ChartCase::sample(kind).render_svg(),
            ChartCase::sample(kind).with_theme("light").render_svg()
        );
    }
}

#[test]
fn interactive_svg_links_marks_to_records() {
    for kind in chartroom_charts::kinds() {
        let case = ChartCase { interactive: true, ..ChartCase::sample(kind) };
        let svg = case.render_svg();
        assert!(svg.contains(" data-part=\""), "{}: no part", kind.slug);
        let tooltips = svg.matches("<title>").count();
        assert!(tooltips >= 2, "{}: {tooltips} tips", kind.slug);
        let rows = svg.split(" data-row=\"").skip(1).filter_map(|part| part.split('"').next());
        for row in rows {
            let row: usize = row.parse().unwrap();
            assert!(row < case.data.len(), "{}: no record {row}", kind.slug);
        }
    }
}

#[test]
fn description_mentions_figures() {
    for kind in chartroom_charts::kinds() {
        let description = ChartCase::sample(kind).render().description;
        assert!(
            description.ends_with('.') && description.len() > 20,
            "{}: {description:?}",
            kind.slug
        );
        assert!(
            description.chars().any(|character| character.is_ascii_digit()),
            "{}: {description:?}",
            kind.slug
        );
    }
}

/// Renders the sample of a kind in a language as SVG, with changed settings and its records
/// repeated. Zero repetitions leave no records.
fn render_in_language(
    slug: &str,
    language: &str,
    settings: &[(&str, Value)],
    repetitions: usize,
) -> String {
    let mut case = ChartCase::sample(chartroom_charts::find_kind(slug).unwrap());
    case.settings["locale"] = json!(language);
    for (key, value) in settings {
        case.settings[*key] = value.clone();
    }
    case.data = case.data.iter().cycle().take(case.data.len() * repetitions).cloned().collect();
    case.render_svg()
}

#[test]
fn built_in_texts_use_the_language_of_the_chart() {
    for kind in chartroom_charts::kinds() {
        for (language, text) in [("de-AT", "Keine Daten"), ("pl", "Brak danych"), ("xx", "No data")]
        {
            let svg = render_in_language(kind.slug, language, &[], 0);
            assert!(svg.contains(&format!(">{text}<")), "{} in {language}", kind.slug);
        }
    }
    for (slug, language, setting, text) in [
        ("swot", "fr", ("fieldTitles", json!({})), "Faiblesses"),
        ("waterfall", "de", ("showLegend", json!(true)), "Abnahme"),
        ("pie", "es", ("otherAfter", json!(2)), "Otros ("),
        ("risk-matrix", "it", ("xTitle", Value::Null), "Impatto"),
        ("slope", "sv", ("beforeTitle", Value::Null), "Före"),
        ("gantt", "da", ("showToday", json!("2026-04-20")), "I dag, "),
        ("harvey-balls", "it", ("showTotals", json!(true)), "per nulla"),
        ("gauge", "de", ("targetTitle", Value::Null), "Ziel "),
        ("scorecard", "da", ("changeTitle", json!("")), "Mål "),
        ("histogram", "pt", ("marker", json!("median")), "Mediana "),
        ("burndown", "da", ("showLegend", json!(true)), "Planlagt"),
        ("table", "nl", ("showTotals", json!(true)), "Totaal"),
        ("pareto", "de", ("shareTitle", Value::Null), "Kumulierter Anteil"),
        ("dumbbell", "it", ("differenceTitle", Value::Null), "Differenza"),
        ("variance", "fr", ("varianceTitle", Value::Null), "Écart"),
        ("projection", "pl", ("forecastTitle", Value::Null), "Prognoza"),
        ("bar-mekko", "nl", ("widthTitle", Value::Null), "Breedte (Totaal "),
    ] {
        let svg = render_in_language(slug, language, &[setting], 1);
        assert!(svg.contains(text), "{slug} in {language}: no {text}");
    }
    for (slug, language, text) in [
        ("table", "de", "und noch "),
        ("gantt", "fr", " tâches de plus"),
        ("swot", "pl", "i jeszcze "),
    ] {
        let svg = render_in_language(slug, language, &[], 20);
        assert!(svg.contains(text), "{slug} in {language}: no {text}");
    }
}

/// In Japanese, every Latin word of a tooltip is one of the data or the settings. Maps name countries in
/// English if they lack the language.
#[test]
fn tooltips_have_no_english_words_of_their_own() {
    let maps = ["choropleth", "point-map", "world-map"];
    for kind in chartroom_charts::kinds().iter().filter(|kind| !maps.contains(&kind.slug)) {
        let mut case = ChartCase { interactive: true, ..ChartCase::sample(kind) };
        case.settings["locale"] = json!("ja");
        let known = format!("{} {:?}", case.settings, case.data).to_lowercase();
        let svg = case.render_svg();
        let tooltips = svg.split("<title>").skip(1).filter_map(|part| part.split('<').next());
        for tooltip in tooltips.filter(|tooltip| !case.title.contains(*tooltip)) {
            let text = tooltip.replace("&amp;", "&").to_lowercase();
            let words = text.split(|letter: char| !letter.is_ascii_alphabetic());
            let own = words.filter(|word| word.len() > 1 && !known.contains(word));
            assert_eq!(own.collect::<Vec<_>>(), [""; 0], "{}: {tooltip}", kind.slug);
        }
    }
}
