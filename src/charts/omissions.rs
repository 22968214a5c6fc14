//! The note below a chart about everything that the image leaves out.

use std::collections::BTreeSet;

use kurbo::Rect;

use crate::Scene;
use crate::format::{Locale, Omission};
use crate::frame::ChartStyle;
use crate::scene::{Anchor, Primitive, Text};
use crate::text;
use crate::text::Face;

/// Minimum height in points of a canvas with a note about all omissions. Smaller ones are previews, in
/// which most names have no space. Their note has only the records and series without space.
const MIN_CANVAS_HEIGHT: f64 = 300.0;
/// Line height of the note as a multiple of its font size.
const LINE_HEIGHT: f64 = 1.35;
/// Maximum number of lines of the note.
const MAX_LINES: usize = 2;

/// The area at the bottom of a chart that is reserved for the note.
#[derive(Clone, Copy)]
pub(crate) struct NoteArea {
    lines: usize,
}

impl NoteArea {
    /// Returns the area that the note about the omissions of a scene needs. None without omissions
    /// or if `area` is too low for a note and a chart.
    pub(crate) fn for_scene(scene: &Scene, area: Rect, style: &ChartStyle) -> Option<NoteArea> {
        let lines = wrap(scene, area.width(), style).len();
        let note = NoteArea { lines };
        (lines > 0 && area.height() - note.height(style) >= crate::MIN_PLOT_SIDE_PT).then_some(note)
    }

    /// Returns the height in points, with the distance to the chart.
    pub(crate) fn height(self, style: &ChartStyle) -> f64 {
        self.lines as f64 * style.small_size * LINE_HEIGHT + style.unit * 6.0
    }

    /// Draws the note about the omissions of the scene at the bottom of `area`, which includes this
    /// area.
    pub(crate) fn draw(self, area: Rect, style: &ChartStyle, scene: &mut Scene) {
        let bottom = area.y1 - style.small_size * 0.3;
        for (index, line) in wrap(scene, area.width(), style).iter().enumerate() {
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

/// Records the names that the shapes from the index `first` on show shortened.
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

/// Adds a warning for each omission of the scene.
pub(crate) fn add_warnings(scene: &mut Scene) {
    for (omission, count) in scene.omissions.clone() {
        // A consequence of every rounding, which the author need not change.
        if omission == Omission::Rounding {
            continue;
        }
        let english = Locale::default();
        let phrase = english.format_omission(omission, count);
        scene.warn(match omission.concerns_records() {
            true => format!("{} {phrase}.", english.not_shown()),
            false => format!("{phrase}."),
        });
    }
}

/// Wraps the note about the omissions of a scene into lines of at most `width` points. Returns no line
/// without omissions.
fn wrap(scene: &Scene, width: f64, style: &ChartStyle) -> Vec<String> {
    let is_preview = scene.height < MIN_CANVAS_HEIGHT;
    let is_told = |omission: Omission| {
        !is_preview || matches!(omission, Omission::NoSpace | Omission::Series)
    };
    let told: Vec<(Omission, usize)> =
        scene.omissions.iter().filter(|(omission, _)| is_told(*omission)).copied().collect();
    match note(&told, style.locale) {
        None => Vec::new(),
        Some(note) => text::wrap_balanced(&note, width, MAX_LINES, style.small_size, Face::ITALIC),
    }
}

/// Returns the note, such as "Not shown: 3 without a valid date, 2 below zero. Missing values: 4". None
/// without omissions.
fn note(omissions: &[(Omission, usize)], locale: Locale) -> Option<String> {
    let (records, others): (Vec<_>, Vec<_>) =
        omissions.iter().partition(|(omission, _)| omission.concerns_records());
    let format = |(omission, count): &(Omission, usize)| locale.format_omission(*omission, *count);
    let mut sentences = Vec::new();
    if !records.is_empty() {
        let reasons: Vec<String> = records.iter().map(format).collect();
        sentences.push(format!("{} {}", locale.not_shown(), reasons.join(locale.list_separator())));
    }
    sentences.extend(others.iter().map(format));
    (!sentences.is_empty()).then(|| sentences.join(locale.sentence_separator()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Chart;

    #[test]
    fn note_counts_each_reason_in_the_language_of_the_document() {
        let omissions = [(Omission::NoDate, 3), (Omission::BelowZero, 2), (Omission::Name, 4)];
        let english = note(&omissions, Locale::parse("en")).unwrap();
        assert_eq!(
            english,
            "Not shown: 3 without a valid date, 2 below zero. Names shortened or left out: 4"
        );
        let german = note(&omissions[2..], Locale::parse("de-AT")).unwrap();
        assert_eq!(german, "Gekürzte oder fehlende Namen: 4");
        assert_eq!(note(&[], Locale::parse("en")), None);
    }

    #[test]
    fn a_preview_tells_the_series_without_space_but_no_names() {
        let names: Vec<String> = (0..14).map(|index| format!("Stadtwerke {index}")).collect();
        let record = |month: usize| {
            let fields = names.iter().map(|name| (name.clone(), Value::from(month)));
            fields.chain([("label".to_owned(), Value::from("Kindertagesstätten"))]).collect()
        };
        let data: Vec<Value> = (0..9).map(|month| Value::Object(record(month))).collect();
        let kind = crate::find_kind("small-multiples").unwrap();
        let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &data) });
        let count = scene.omissions.iter().find(|(omission, _)| *omission == Omission::Series);
        let expected = format!("Not shown: {} series for lack of space", count.unwrap().1);
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(texts.contains(&&*expected), "{expected}: {texts:?}");
        assert!(scene.warnings.len() > 1, "{:?}", scene.warnings);
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
        for slug in ["bar", "lollipop", "pareto", "radial-bar"] {
            assert_eq!(missing_count(slug, &amounts), 1, "{slug}");
            assert_eq!(missing_count(slug, &amounts[2..]), 0, "{slug}");
        }
        for (slug, one, two) in [
            ("grouped-column", "2024", "2025"),
            ("butterfly", "left", "right"),
            ("population-pyramid", "left", "right"),
            ("dumbbell", "before", "after"),
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
}
