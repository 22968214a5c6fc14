//! The note below a chart about everything that the image leaves out.

use std::collections::BTreeSet;

use kurbo::Rect;

use crate::Scene;
use crate::format::{Locale, Omission};
use crate::frame::ChartStyle;
use crate::overlapping_texts;
use crate::scene::{Anchor, Primitive, Text};
use crate::text;
use crate::text::Face;

/// Minimum height in points of a canvas with a note. On lower ones a line would cost a large part
/// of the chart.
pub(crate) const MIN_CANVAS_HEIGHT: f64 = 150.0;
/// Height in points below which a canvas is a preview: its note has no remarks about precision, and
/// takes a part of the bottom margin. Names have precedence over a note about values.
const MAX_PREVIEW_HEIGHT: f64 = 300.0;
/// Share of the bottom margin of a preview that the note takes.
const MARGIN_SHARE: f64 = 0.6;
/// Minimum height in points that a note leaves to the chart in a preview, such as below a long
/// title.
const MIN_PREVIEW_CHART_HEIGHT: f64 = 90.0;
/// Line height of the note as a multiple of its font size.
const LINE_HEIGHT: f64 = 1.35;
/// Maximum number of names of records in the note, for each reason.
const MAX_NOTED_NAMES: usize = 4;
/// Maximum number of names of records in a warning.
const MAX_WARNED_NAMES: usize = 20;
/// Maximum number of characters of such a name.
const MAX_NAME_CHARS: usize = 30;
/// Maximum number of lines of the note.
const MAX_LINES: usize = 2;

/// The area at the bottom of a chart that is reserved for the note.
#[derive(Clone, Copy)]
pub(crate) struct NoteArea {
    lines: usize,
    /// Height in points of the part in the bottom margin.
    overhang: f64,
}

impl NoteArea {
    /// Returns the area that the note about the omissions of a scene needs at the bottom of `area`, the
    /// area of the chart. None without omissions or if `area` is too low for a note and a chart.
    pub(crate) fn for_scene(scene: &Scene, area: Rect, style: &ChartStyle) -> Option<NoteArea> {
        let lines = wrap(scene, area.width(), MAX_LINES, style).len();
        let margin = scene.height - area.y1;
        let is_preview = scene.height < MAX_PREVIEW_HEIGHT;
        // A footer or a logo below the chart leaves more than the margin.
        let is_free = is_preview && margin <= style.margin;
        let overhang = if is_free { margin * MARGIN_SHARE } else { 0.0 };
        let note = NoteArea { lines, overhang };
        let min_height =
            if is_preview { MIN_PREVIEW_CHART_HEIGHT } else { crate::MIN_PLOT_SIDE_PT };
        (lines > 0 && area.height() - note.height(style) >= min_height).then_some(note)
    }

    /// Returns the height in points that the note takes from the area of the chart: its lines and the
    /// distance to the chart, without the part in the bottom margin.
    pub(crate) fn height(self, style: &ChartStyle) -> f64 {
        self.lines as f64 * style.small_size * LINE_HEIGHT + style.unit * 6.0 - self.overhang
    }

    /// Draws the note about the omissions of the scene at the bottom of `area`, the area of the chart
    /// including that of the note. The note is shortened to the reserved lines.
    pub(crate) fn draw(self, area: Rect, style: &ChartStyle, scene: &mut Scene) {
        let bottom = area.y1 + self.overhang - style.small_size * 0.3;
        let lines = wrap(scene, area.width(), self.lines, style);
        for (index, line) in lines.iter().enumerate() {
            let lines_below = self.lines.saturating_sub(index + 1) as f64;
            let baseline = bottom - lines_below * style.small_size * LINE_HEIGHT;
            if index < self.lines {
                let text =
                    style.label_text(area.x0, baseline, Anchor::Start, style.small_size, line);
                let width = text::width(line, style.small_size, Face::ITALIC);
                scene.text(Text { face: Face::ITALIC, width, color: style.muted_color, ..text });
            }
        }
    }
}

/// Adds the number of names that the shapes from the index `first` on show shortened, each name once, to
/// the omissions of the scene.
pub(crate) fn count_shortened_names(scene: &mut Scene, first: usize) {
    let shortened: BTreeSet<&str> = scene
        .shapes
        .iter()
        .skip(first)
        .filter_map(|shape| match &shape.primitive {
            Primitive::Text(text) => text.full.as_deref(),
            _ => None,
        })
        .collect();
    let count = shortened.len();
    scene.omit(Omission::Name, count);
}

/// Adds an English warning with count and some names of records for each omission of the scene, except
/// those with a warning of their own.
pub(crate) fn add_warnings(scene: &mut Scene) {
    for (omission, count) in scene.omissions.clone() {
        if omission.has_own_warning() {
            continue;
        }
        let english = Locale::default();
        let phrase = format_with_names(scene, omission, count, english, MAX_WARNED_NAMES);
        scene.warn(match omission.concerns_records() {
            true => format!("{} {phrase}.", english.not_shown()),
            false => format!("{phrase}."),
        });
    }
}

/// Returns whether the note in `noted` takes too much of a low canvas (a preview) compared with `scene`,
/// the same chart without the note: the space of texts in the chart, or of names although the note is only
/// about values. Missing ones leave visible gaps, and those without a label have a mark. False for other
/// canvases.
pub(crate) fn costs_texts(scene: &Scene, noted: &Scene) -> bool {
    let is_visible = |(omission, _): &(Omission, usize)| {
        matches!(omission, Omission::MissingValue | Omission::Value)
    };
    let lacks_names =
        |scene: &Scene| scene.omissions.iter().any(|(omission, _)| *omission == Omission::Name);
    let has_removed =
        |scene: &Scene| scene.warnings.iter().any(|warning| warning == overlapping_texts::WARNING);
    let costs_names = stated_omissions(scene).iter().all(is_visible) && lacks_names(noted);
    let costs_others = has_removed(noted) && !has_removed(scene);
    scene.height < MAX_PREVIEW_HEIGHT && (costs_names || costs_others)
}

/// Returns the omissions that the note states, with their counts: all of them, but in a preview only those
/// that do not only concern the precision of numbers, because such remarks take too much space there.
fn stated_omissions(scene: &Scene) -> Vec<(Omission, usize)> {
    let is_preview = scene.height < MAX_PREVIEW_HEIGHT;
    let is_stated =
        |(omission, _): &&(Omission, usize)| !is_preview || !omission.concerns_precision();
    scene.omissions.iter().filter(is_stated).copied().collect()
}

/// Wraps the note about the omissions of a scene into at most `max_lines` lines of at most `width` points,
/// and shortens it if it is longer. Returns no line without omissions.
fn wrap(scene: &Scene, width: f64, max_lines: usize, style: &ChartStyle) -> Vec<String> {
    match note(scene, &stated_omissions(scene), style.locale) {
        None => Vec::new(),
        Some(note) => text::wrap_balanced(&note, width, max_lines, style.small_size, Face::ITALIC),
    }
}

/// Returns the note in the language of the locale, such as "Not shown: 3 without a valid date, 2 below
/// zero. Missing values: 4". The omissions of records are in the first sentence. None without omissions.
fn note(scene: &Scene, omissions: &[(Omission, usize)], locale: Locale) -> Option<String> {
    let (records, others): (Vec<_>, Vec<_>) =
        omissions.iter().partition(|(omission, _)| omission.concerns_records());
    // Names would take too much space in a preview.
    let max_names = if scene.height < MAX_PREVIEW_HEIGHT { 0 } else { MAX_NOTED_NAMES };
    let format = |(omission, count): &(Omission, usize)| {
        format_with_names(scene, *omission, *count, locale, max_names)
    };
    let mut sentences = Vec::new();
    if !records.is_empty() {
        let reasons: Vec<String> = records.iter().map(format).collect();
        sentences.push(format!("{} {}", locale.not_shown(), reasons.join(locale.list_separator())));
    }
    sentences.extend(others.iter().map(format));
    (!sentences.is_empty()).then(|| sentences.join(locale.sentence_separator()))
}

/// Returns the phrase about an omission of `count` items with the names of its first records in
/// parentheses, as far as they are known. An ellipsis stands for names beyond `max_names`, and long names
/// are cut to `MAX_NAME_CHARS`.
fn format_with_names(
    scene: &Scene,
    omission: Omission,
    count: usize,
    locale: Locale,
    max_names: usize,
) -> String {
    let phrase = locale.format_omission(omission, count);
    let names = scene.omitted_names.iter().filter(|(reason, _)| *reason == omission);
    let shorten = |name: &str| match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name.to_owned(),
    };
    let mut listed: Vec<String> =
        names.clone().take(max_names).map(|(_, name)| shorten(name)).collect();
    if listed.is_empty() {
        return phrase;
    }
    if names.count() > max_names {
        listed.push("…".to_owned());
    }
    format!("{phrase} ({})", listed.join(locale.list_separator()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Chart;

    #[test]
    fn note_counts_each_reason_in_the_language_of_the_document() {
        let omissions = [(Omission::NoDate, 3), (Omission::BelowZero, 2), (Omission::Name, 4)];
        let mut scene = Scene::new(720.0, 405.0, crate::color::WHITE);
        let english = note(&scene, &omissions, Locale::parse("en")).unwrap();
        assert_eq!(
            english,
            "Not shown: 3 without a valid date, 2 below zero. Names shortened or left out: 4"
        );
        let german = note(&scene, &omissions[2..], Locale::parse("de-AT")).unwrap();
        assert_eq!(german, "Gekürzte oder fehlende Namen: 4");
        assert_eq!(note(&scene, &[], Locale::parse("en")), None);
        ["Build", "Launch"].iter().for_each(|name| scene.omit_named(Omission::NoDate, name));
        let named = note(&scene, &scene.omissions, Locale::parse("en"));
        assert_eq!(named.unwrap(), "Not shown: 2 without a valid date (Build, Launch)");
        ["A", "B", "C"].iter().for_each(|name| scene.omit_named(Omission::NoDate, name));
        let named = note(&scene, &scene.omissions, Locale::parse("en"));
        assert!(named.unwrap().ends_with("(Build, Launch, A, B, …)"));
    }

    #[test]
    fn a_preview_has_a_note_about_records_and_names_but_not_about_rounding() {
        let notes_of = |slug: &str, count: usize| -> Vec<String> {
            let data: Vec<Value> = (0..count)
                .map(|index| json!({"label": format!("District {index}"), "value": 7 + index % 3}))
                .collect();
            let kind = crate::find_kind(slug).unwrap();
            let scene =
                crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &data) });
            let is_inside = scene.text_boxes().all(|(_, bounds)| bounds.y1 <= 180.0);
            assert!(is_inside, "{slug}");
            let texts = scene.text_boxes().map(|(text, _)| text.to_owned());
            texts.filter(|text| text.contains("Not shown") || text.contains("Shares")).collect()
        };
        let notes = notes_of("radial-bar", 40);
        assert!(notes.len() == 1 && notes[0].ends_with("for lack of space"), "{notes:?}");
        assert_eq!(notes_of("waffle", 3), [""; 0]);
    }

    #[test]
    fn small_canvases_state_shortened_names_but_not_rounded_shares() {
        let notes = |slug: &str, data: &[Value]| -> Vec<String> {
            let kind = crate::find_kind(slug).unwrap();
            let chart = Chart { width: 320.0, height: 180.0, ..Chart::new(kind, data) };
            let scene = crate::draw(&chart);
            let texts = scene.text_boxes().map(|(text, _)| text.to_owned());
            texts.filter(|text| text.contains("Names ") || text.contains("Shares ")).collect()
        };
        let named = |index: usize| json!({"label": format!("{index}. Freiwillige Feuerwehr der Stadt Neumarkt in der Oberpfalz"), "value": index + 3});
        let records: Vec<Value> = (0..12).map(named).collect();
        assert_eq!(notes("bar", &records), ["Names shortened or left out: 12"]);
        let tiles = notes(
            "treemap",
            &[json!({"label": "A", "value": 1}), json!({"label": "Bad Doberan", "value": 900})],
        );
        assert_eq!(tiles, ["Names shortened or left out: 1"]);
        let thirds: Vec<Value> =
            ["A", "B", "C"].map(|name| json!({"label": name, "value": 1})).into();
        assert_eq!(notes("pie", &thirds), [""; 0]);
    }

    #[test]
    fn a_note_about_gaps_does_not_take_the_space_of_names_on_small_canvases() {
        let record = |index: usize| json!({"label": format!("Office {}", ['a', 'b'][index % 2]), "value": if index == 4 { json!(null) } else { json!(index) }, "target": 9});
        let data: Vec<Value> = (0..11).map(record).collect();
        let kind = crate::find_kind("bullet").unwrap();
        let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &data) });
        assert_eq!(scene.omissions, [(Omission::MissingValue, 1)]);
    }

    #[test]
    fn series_without_values_are_counted_and_not_in_the_legend() {
        let data: Vec<Value> = ["W", "X", "Y"]
            .map(|name| json!({"label": name, "Bahn": 3, "Bus": null, "Rad": "k. A.", "Auto": 7}))
            .into();
        let settings = json!({"series": ["Bahn", "Bus", "Rad", "Auto"]});
        for slug in [
            "area",
            "combo",
            "grouped-column",
            "line",
            "percent-column",
            "radar",
            "small-multiples",
            "stacked-column",
        ] {
            let kind = crate::find_kind(slug).unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            assert_eq!(scene.omissions, [(Omission::EmptySeries, 2)], "{slug}");
            let has = |name: &str| scene.text_boxes().any(|(text, _)| text == name);
            assert!(has("Bahn") && has("Auto") && !has("Bus") && !has("Rad"), "{slug}");
            assert!(has("Series without values: 2 (Bus, Rad)"), "{slug}");
            let one = json!({"series": ["Bahn", "Bus"]});
            let scene = crate::draw(&Chart { settings: &one, ..Chart::new(kind, &data) });
            let is_named = scene.text_boxes().any(|(text, _)| text == "Bahn");
            assert!(is_named, "{slug}: the only series with values");
            let without = json!({"series": ["Bus", "Rad"]});
            let scene = crate::draw(&Chart { settings: &without, ..Chart::new(kind, &data) });
            assert_eq!(scene.omissions, [], "{slug}: no data at all");
        }
    }

    #[test]
    fn missing_values_of_bars_are_counted_once_and_blank_lines_and_empty_columns_are_not() {
        let missing_count = |slug: &str, data: &[Value]| -> usize {
            let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), data));
            let is_missing =
                |reason: &Omission| matches!(reason, Omission::MissingValue | Omission::NoValue);
            let counts = scene.omissions.iter().filter(|(reason, _)| is_missing(reason));
            counts.map(|(_, count)| count).sum()
        };
        let amounts = [
            json!({"label": "Kiel", "value": 247_717}),
            json!({"label": "Bad Schwartau", "value": "k. A."}),
            json!({"label": "Lübeck", "value": 218_095}),
            json!({"label": "", "value": ""}),
        ];
        for slug in ["bar", "lollipop", "pareto", "radial-bar", "bullet", "histogram"] {
            assert_eq!(missing_count(slug, &amounts), 1, "{slug}");
            assert_eq!(missing_count(slug, &amounts[2..]), 0, "{slug}");
        }
        for (slug, one, two) in [
            ("grouped-column", "2024", "2025"),
            ("butterfly", "left", "right"),
            ("population-pyramid", "left", "right"),
            ("dumbbell", "before", "after"),
            ("tornado", "low", "high"),
            ("variance", "actual", "plan"),
        ] {
            let record = |name: &str, first: Value, second: Value| json!({"label": name, one: first, two: second});
            let mut data = vec![
                record("Schulen", json!(12.5), json!(13)),
                record("Kultur", json!(4), json!("k. A.")),
                record("Verkehr", json!(null), json!(null)),
                record("", json!(""), json!(null)),
            ];
            assert_eq!(missing_count(slug, &data), 3, "{slug}");
            data.remove(2);
            data.remove(0);
            assert_eq!(missing_count(slug, &data), 0, "{slug}: a column without any value");
        }
    }

    #[test]
    fn records_that_have_no_mark_are_named() {
        let data = [
            json!({"label": "Kiel", "value": 247_717}),
            json!({"label": "Bad Schwartau", "value": "k. A."}),
            json!({"label": "Storno", "value": -3}),
            json!({"label": "Lübeck", "value": 218_095}),
            json!({"label": "Bad Schwartau", "value": null}),
        ];
        for slug in [
            "pie",
            "waffle",
            "treemap",
            "sunburst",
            "pareto",
            "radial-bar",
            "pictogram",
            "word-cloud",
            "parliament",
        ] {
            let with_seats = data.clone().map(|mut record| {
                record["seats"] = record["value"].clone();
                record
            });
            let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), &with_seats));
            let expected = "Not shown: 2 without a value (Bad Schwartau).";
            assert!(scene.warnings.contains(&expected.to_owned()), "{slug}: {:?}", scene.warnings);
            let expected = "Not shown: 1 below zero (Storno).";
            assert!(scene.warnings.contains(&expected.to_owned()), "{slug}: {:?}", scene.warnings);
        }
        let answers = [
            json!({"question": "Bus", "No": 3, "Yes": 7}),
            json!({"question": "App", "No": null, "Yes": ""}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("likert").unwrap(), &answers));
        assert_eq!(scene.warnings, ["Not shown: 1 without a value (App)."]);
        let places =
            [json!({"region": "Italy", "value": "<1"}), json!({"region": "Spain", "value": 3})];
        let scene = crate::draw(&Chart::new(crate::find_kind("world-map").unwrap(), &places));
        assert_eq!(scene.warnings.last().unwrap(), "Not shown: 1 without a value (Italy).");
        let scene = crate::draw(&Chart::new(crate::find_kind("beeswarm").unwrap(), &data));
        assert_eq!(scene.warnings.last().unwrap(), "Not shown: 2 without a value (Bad Schwartau).");
    }

    #[test]
    fn points_and_events_without_a_place_are_named() {
        for (slug, key, reason) in
            [("scatter", "y", "incomplete"), ("timeline", "date", "without a valid date")]
        {
            let point = |name: &str, value: Value| json!({"label": name, "x": 1, key: value});
            let data = [
                point("Ida", json!(2024)),
                point("Jan", json!("offen")),
                point("Kai", json!(2025)),
            ];
            let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), &data));
            let expected = format!("Not shown: 1 {reason} (Jan).");
            assert!(scene.warnings.contains(&expected), "{slug}: {:?}", scene.warnings);
        }
    }

    #[test]
    fn comparisons_name_all_records_with_values_and_count_the_others() {
        for (slug, one, two) in [
            ("slope", "before", "after"),
            ("bump", "2019", "2023"),
            ("harvey-balls", "Cost", "Fit"),
        ] {
            let record = |name: &str, first: Value, second: Value| json!({"label": name, one: first, two: second});
            let data = [
                record("A", json!(1), json!(3)),
                record("B", json!("n/a"), json!(null)),
                record("C", json!(4), json!(2)),
                record("", json!(""), json!(null)),
            ];
            let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), &data));
            assert_eq!(scene.omissions, [(Omission::NoValue, 1)], "{slug}");
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            for name in ["A", "C"] {
                assert!(texts.contains(&name), "{slug}: {texts:?}");
            }
        }
    }
}
