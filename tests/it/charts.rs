//! The chart kinds: list, sources and assets agree; samples are pinned; nothing breaks a picture.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use chartroom_charts::{Chart, FontCollection, Kind, Locale, Scene, Style, Theme};
use serde_json::{Value, json};

mod arbitrary;
mod finite;
mod flows;
mod annotations;
pub mod fonts;
mod logo;
mod harder;
mod odd;
mod said;
mod settings;
mod texts;

/// The built-in themes.
pub const THEMES: [&str; 6] = ["light", "dark", "print", "high-contrast", "newsprint", "blueprint"];

/// A document to draw, with everything that a chart borrows.
pub struct Case {
    pub kind: &'static Kind,
    pub title: String,
    pub settings: Value,
    pub data: Vec<Value>,
    pub style: Value,
    pub theme: Value,
    pub fonts: FontCollection,
    pub width: f64,
    pub height: f64,
    pub interactive: bool,
}

impl Case {
    /// The sample of a kind, as a fresh document shows it.
    pub fn sample(kind: &'static Kind) -> Case {
        let sample = read_json(&format!("assets/kinds/{}/sample.json", kind.slug));
        let text = |key: &str| sample[key].as_str().unwrap_or_default().to_owned();
        Case {
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

    pub fn sized(mut self, width: f64, height: f64) -> Case {
        (self.width, self.height) = (width, height);
        self
    }

    pub fn themed(mut self, theme: &str) -> Case {
        self.theme = read_json(&format!("assets/themes/{theme}.json"));
        self
    }

    pub fn draw(&self) -> Scene {
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

    pub fn svg(&self) -> String {
        chartroom_charts::svg::write(&self.draw(), &chartroom_charts::svg::Options::default())
    }
}

pub fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

pub fn read_json(path: &str) -> Value {
    let text = fs::read_to_string(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn names(folder: &str, suffix: &str) -> BTreeSet<String> {
    fs::read_dir(root(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(suffix).map(str::to_owned))
        .collect()
}

#[test]
fn list_sources_and_assets_of_kinds_agree() {
    let listed: BTreeSet<String> =
        chartroom_charts::kinds().iter().map(|it| it.slug.to_owned()).collect();
    let mut sources = names("src/charts/kinds", ".rs");
    sources.remove("mod");
    let sources = sources.iter().map(|it| it.replace('_', "-")).collect();
    assert_eq!(listed, sources, "left: list in kinds/mod.rs, right: files in src/charts/kinds");
    assert_eq!(listed, names("assets/kinds", ""), "left: list, right: folders in assets/kinds");
    assert_eq!(listed.len(), chartroom_charts::kinds().len(), "a slug stands twice in the list");
    let pinned = names("tests/it/charts", ".svg");
    assert_eq!(listed, pinned, "left: list, right: pictures in tests/it/charts");
}

#[test]
fn kinds_are_found_by_their_slug_only() {
    for kind in chartroom_charts::kinds() {
        assert_eq!(chartroom_charts::find_kind(kind.slug).map(|it| it.slug), Some(kind.slug));
    }
    assert!(chartroom_charts::find_kind("").is_none());
    assert!(chartroom_charts::find_kind("Pie").is_none());
}

#[test]
fn every_kind_describes_itself() {
    let mut ids = BTreeSet::new();
    for kind in chartroom_charts::kinds() {
        let slug = kind.slug;
        let about = read_json(&format!("assets/kinds/{slug}/kind.json"));
        assert_eq!(about["slug"], slug);
        assert!(ids.insert(about["id"].as_str().unwrap().to_owned()), "{slug}: id used twice");
        assert!(about["summary"].as_str().unwrap().chars().count() <= 120, "{slug}: summary");
        assert!(about["description"].as_str().unwrap().len() > 80, "{slug}: description");
        for key in ["categories", "tags", "aliases", "data_columns", "form"] {
            assert!(!about[key].as_array().unwrap().is_empty(), "{slug}: {key}");
        }
        check_form(slug, &about);
        let icon = fs::read_to_string(root(&format!("assets/kinds/{slug}/icon.svg"))).unwrap();
        for word in ["viewBox=\"0 0 48 48\"", "currentColor"] {
            assert!(icon.contains(word), "{slug}: icon without {word}");
        }
        for word in ["style=", "<style", "<script", "href"] {
            assert!(!icon.contains(word), "{slug}: icon with {word}");
        }
    }
}

/// The form names every setting once, and the defaults are those of the schema.
fn check_form(slug: &str, about: &Value) {
    let properties = about["settings_schema"]["properties"].as_object().unwrap();
    let groups = about["form"].as_array().unwrap();
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
        assert_eq!(schema.get("default"), about["default_settings"].get(name), "{slug}: {name}");
    }
}

#[test]
fn samples_use_known_settings_and_required_columns() {
    for kind in chartroom_charts::kinds() {
        let slug = kind.slug;
        let about = read_json(&format!("assets/kinds/{slug}/kind.json"));
        let case = Case::sample(kind);
        for name in case.settings.as_object().unwrap().keys() {
            let known = about["settings_schema"]["properties"].get(name);
            assert!(known.is_some(), "{slug}: sample sets unknown {name}");
        }
        for column in about["data_columns"].as_array().unwrap() {
            let wanted = column["required"] == json!(true) && column["repeats"] == json!(false);
            let key = column["key"].as_str().unwrap();
            let seen = case.data.iter().any(|record| record.get(key).is_some());
            assert!(seen || !wanted, "{slug}: sample without {key}");
        }
        assert!(case.style["subtitle"].is_string() && case.style["footer"].is_string(), "{slug}");
    }
}

/// Compares each sample with its pinned picture. `UPDATE_SNAPSHOTS=1` rewrites the pictures.
#[test]
fn samples_look_as_pinned() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut changed = Vec::new();
    for kind in chartroom_charts::kinds() {
        let path = root(&format!("tests/it/charts/{}.svg", kind.slug));
        let drawn = Case::sample(kind).svg();
        if update {
            fs::write(&path, &drawn).unwrap();
        }
        if fs::read_to_string(&path).unwrap_or_default() != drawn {
            changed.push(kind.slug);
        }
    }
    assert!(changed.is_empty(), "not as pinned, look and run with UPDATE_SNAPSHOTS=1: {changed:?}");
}

#[test]
fn samples_draw_without_warnings() {
    for kind in chartroom_charts::kinds() {
        for theme in THEMES {
            let scene = Case::sample(kind).themed(theme).draw();
            assert_eq!(scene.warnings, Vec::<String>::new(), "{} in {theme}", kind.slug);
        }
    }
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    for kind in chartroom_charts::kinds() {
        let (one, two) = (Case::sample(kind), Case::sample(kind));
        assert_eq!(one.svg(), two.svg(), "{}", kind.slug);
        assert_eq!(one.draw().description, two.draw().description);
    }
}

#[test]
fn pictures_explain_themselves_and_hold_nothing_active() {
    for kind in chartroom_charts::kinds() {
        let svg = Case::sample(kind).svg();
        for word in ["role=\"img\"", "<title", "<desc", "lang=\""] {
            assert!(svg.contains(word), "{}: no {word}", kind.slug);
        }
        for word in ["<style", "style=", "<script", "foreignObject", "data-part"] {
            assert!(!svg.contains(word), "{}: {word}", kind.slug);
        }
    }
}

#[test]
fn a_missing_theme_is_the_light_one() {
    for kind in chartroom_charts::kinds() {
        assert_eq!(Case::sample(kind).svg(), Case::sample(kind).themed("light").svg());
    }
}

#[test]
fn marks_name_their_record_when_the_picture_is_interactive() {
    for kind in chartroom_charts::kinds() {
        let case = Case { interactive: true, ..Case::sample(kind) };
        let svg = case.svg();
        assert!(svg.contains(" data-part=\""), "{}: no part", kind.slug);
        let tips = svg.matches("<title>").count();
        assert!(tips >= 2, "{}: {tips} tips", kind.slug);
        let rows = svg.split(" data-row=\"").skip(1).filter_map(|it| it.split('"').next());
        for row in rows {
            let row: usize = row.parse().unwrap();
            assert!(row < case.data.len(), "{}: no record {row}", kind.slug);
        }
    }
}

#[test]
fn the_description_tells_kind_and_figures() {
    for kind in chartroom_charts::kinds() {
        let desc = Case::sample(kind).draw().description;
        assert!(desc.ends_with('.') && desc.len() > 20, "{}: {desc:?}", kind.slug);
        assert!(desc.chars().any(|it| it.is_ascii_digit()), "{}: {desc:?}", kind.slug);
    }
}

/// The sample in another language, with some settings changed and its records `times` over.
fn in_language(slug: &str, tag: &str, settings: &[(&str, Value)], times: usize) -> String {
    let mut case = Case::sample(chartroom_charts::find_kind(slug).unwrap());
    case.settings["locale"] = json!(tag);
    for (key, value) in settings {
        case.settings[*key] = value.clone();
    }
    case.data = case.data.iter().cycle().take(case.data.len() * times).cloned().collect();
    case.svg()
}

#[test]
fn fixed_words_follow_the_language_of_the_chart() {
    for kind in chartroom_charts::kinds() {
        for (tag, words) in [("de-AT", "Keine Daten"), ("pl", "Brak danych"), ("xx", "No data")] {
            let svg = in_language(kind.slug, tag, &[], 0);
            assert!(svg.contains(&format!(">{words}<")), "{} in {tag}", kind.slug);
        }
    }
    for (slug, tag, setting, words) in [
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
    ] {
        let svg = in_language(slug, tag, &[setting], 1);
        assert!(svg.contains(words), "{slug} in {tag}: no {words}");
    }
    for (slug, tag, words) in [
        ("table", "de", "und noch "),
        ("gantt", "fr", " tâches de plus"),
        ("swot", "pl", "i jeszcze "),
    ] {
        let svg = in_language(slug, tag, &[], 20);
        assert!(svg.contains(words), "{slug} in {tag}: no {words}");
    }
}
