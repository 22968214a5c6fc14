//! Checks that compare a picture with the records from which it was drawn.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use chartroom_charts::color::Color;
use chartroom_charts::scene::Primitive;
use chartroom_charts::{Omission, Scene, data};

/// A fault of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A record has neither a mark nor a note.
    LostRecord,
    /// A name appears neither whole nor in the count of a note.
    LostName,
    /// A missing value has a mark.
    GapDrawn,
    /// A number in a mark is not a number of the record.
    WrongNumber,
    /// A number other than zero is printed as zero.
    PrintedAsZero,
    /// Two series have the same color.
    SharedColor,
    /// A text overlaps another one, is too small or leaves the canvas.
    BadText,
}

/// A fault with its description.
pub type Finding = (Fault, String);

/// The texts of a scene, with the index of the record if they belong to a mark.
struct SceneTexts {
    all: Vec<(Option<usize>, String)>,
    /// All texts without spaces and hyphens.
    squeezed: BTreeSet<String>,
}

impl SceneTexts {
    /// Returns whether a name appears whole, also as several lines.
    fn has_name(&self, name: &str) -> bool {
        self.starts_with_lines(&squeeze(name), 0)
    }

    /// Returns whether `rest` consists of texts of the scene, at most eight.
    fn starts_with_lines(&self, rest: &str, depth: usize) -> bool {
        let is_start = |text: &&String| !text.is_empty() && rest.starts_with(text.as_str());
        rest.is_empty()
            || depth < 8
                && self
                    .squeezed
                    .iter()
                    .filter(is_start)
                    .any(|text| self.starts_with_lines(&rest[text.len()..], depth + 1))
    }
}

/// Returns a text without spaces, hyphens and soft hyphens.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '\u{ad}' | '‑')).collect()
}

fn read_texts(scene: &Scene) -> SceneTexts {
    let text = |primitive: &Primitive| match primitive {
        Primitive::Text(text) => Some(text.text.clone()),
        _ => None,
    };
    let row = |mark: u32| scene.marks.get((mark as usize).checked_sub(1)?)?.row;
    let all: Vec<(Option<usize>, String)> = (scene.shapes.iter())
        .filter_map(|shape| Some((row(shape.mark), text(&shape.primitive)?)))
        .collect();
    let squeezed = all.iter().map(|(_, text)| squeeze(text)).collect();
    SceneTexts { all, squeezed }
}

/// Returns the faults of an interactive scene that was drawn from `records`.
pub fn find_faults(slug: &str, records: &[Value], scene: &Scene) -> Vec<Finding> {
    let texts = read_texts(scene);
    let mut findings = Vec::new();
    find_lost_records(slug, records, scene, &texts, &mut findings);
    find_lost_names(slug, records, scene, &texts, &mut findings);
    find_drawn_gaps(slug, records, scene, &mut findings);
    findings.extend(find_number_faults(slug, records, scene));
    // The titles of small multiples tell the series apart, so that all of them may have one color.
    if slug != "small-multiples" {
        find_shared_colors(records, scene, &mut findings);
    }
    findings
}

/// Returns the wrong numbers of an interactive scene that was drawn from `records`.
pub fn find_number_faults(slug: &str, records: &[Value], scene: &Scene) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Risks have key numbers, lines of a bump chart have ranks, and dials have the ends of a range.
    if !["risk-matrix", "bump", "gauge"].contains(&slug) {
        find_wrong_numbers(slug, records, scene, &read_texts(scene), &mut findings);
    }
    findings
}

/// Returns the sum of the numbers that the picture states for records, names or series that it
/// leaves out.
fn count_stated(scene: &Scene, texts: &SceneTexts, wanted: impl Fn(Omission) -> bool) -> usize {
    // All records of these are drawn.
    let is_drawn = |omission: Omission| {
        matches!(omission, Omission::Value | Omission::TiedRank | Omission::OwnAxes)
    };
    let omitted: usize = (scene.omissions.iter())
        .filter(|(omission, _)| wanted(*omission) && !is_drawn(*omission))
        .map(|(_, count)| count)
        .sum();
    // The smallest parts, merged into "Other (17)".
    let merged = texts.all.iter().filter_map(|(_, text)| {
        text.strip_prefix("Other (")?.strip_suffix(')')?.parse::<usize>().ok()
    });
    let omitted = omitted + merged.sum::<usize>();
    // Notes such as "and 3 more rows, 1 more column".
    let more = texts.all.iter().filter_map(|(_, text)| text.strip_prefix("and "));
    let counts =
        more.flat_map(|text| text.split(' ').filter_map(|word| word.parse::<usize>().ok()));
    omitted + counts.sum::<usize>()
}

/// Keys of the columns with the name of a record.
const NAME_KEYS: [&str; 6] = ["label", "question", "criterion", "option", "text", "Organization"];

fn record_name(record: &Value) -> Option<&str> {
    NAME_KEYS.iter().find_map(|key| record[*key].as_str()).filter(|name| !name.is_empty())
}

fn find_lost_records(
    slug: &str,
    records: &[Value],
    scene: &Scene,
    texts: &SceneTexts,
    findings: &mut Vec<Finding>,
) {
    let marked: BTreeSet<usize> = scene.marks.iter().filter_map(|mark| mark.row).collect();
    // One mark may stand for many records: bins, boxes, curves.
    if marked.is_empty()
        || ["histogram", "line", "area", "time-series", "radar", "burndown", "projection"]
            .contains(&slug)
    {
        return;
    }
    let is_named = |record: &Value| record_name(record).is_some_and(|name| texts.has_name(name));
    let lost: Vec<usize> = (0..records.len())
        .filter(|row| !marked.contains(row) && !is_named(&records[*row]))
        .collect();
    // An overlap of sets is an area of the circles. Its mark is the text in it.
    let stated =
        count_stated(scene, texts, |omission| omission != Omission::Name || slug == "venn");
    if lost.len() > stated {
        findings.push((
            Fault::LostRecord,
            format!("records {lost:?} have no mark, and notes count {stated}"),
        ));
    }
}

fn find_lost_names(
    slug: &str,
    records: &[Value],
    scene: &Scene,
    texts: &SceneTexts,
    findings: &mut Vec<Finding>,
) {
    let mut names: BTreeSet<&str> = records.iter().filter_map(record_name).collect();
    // The group of an omitted record, and the only group, have no name of their own.
    let has_mark = |record: &Value| cell_number(&record["value"]).is_some_and(|value| value > 0.0);
    let with_marks = records.iter().filter(|record| records.len() > 1 && has_mark(record));
    names.extend(with_marks.flat_map(|record| {
        ["source", "target", "row", "column", "parent"]
            .into_iter()
            .filter(|_| ["sankey", "heat-map", "treemap", "sunburst"].contains(&slug))
            .filter_map(|key| record[key].as_str())
    }));
    let lost: Vec<&&str> = names.iter().filter(|name| !texts.has_name(name)).collect();
    let stated = count_stated(scene, texts, |_| true);
    if lost.len() > stated {
        findings.push((
            Fault::LostName,
            format!("{} of {} not whole, notes count {stated}: {lost:?}", lost.len(), names.len()),
        ));
    }
    // Series. A bump chart has them as periods on its axis, of which readers can infer some.
    if slug == "bump" {
        return;
    }
    let series: BTreeSet<&str> = (records.iter().filter_map(Value::as_object))
        .flat_map(|record| record.keys().map(String::as_str))
        .filter(|key| key.starts_with("Revenue "))
        .collect();
    let lost: Vec<&&str> = series.iter().filter(|name| !texts.has_name(name)).collect();
    if lost.len() > stated {
        findings.push((Fault::LostName, format!("series {lost:?}, notes count {stated}")));
    }
}

/// Returns whether a cell holds no value: null, empty or a mark for a missing value.
fn is_gap(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => ["", "n/a", "–"].contains(&text.as_str()),
        _ => false,
    }
}

fn find_drawn_gaps(slug: &str, records: &[Value], scene: &Scene, findings: &mut Vec<Finding>) {
    // A table and a heat map have a cell for a missing value.
    if ["table"].contains(&slug) {
        return;
    }
    for mark in &scene.marks {
        let (Some(row), Some(field)) = (mark.row, &mark.field) else { continue };
        let Some(value) = records.get(row).and_then(|record| record.get(field)) else { continue };
        if is_gap(value) && mark.tip.chars().any(|c| c.is_ascii_digit()) {
            let name = record_name(&records[row]).unwrap_or_default();
            let numbers = mark.tip.replace(name, "").replace(field.as_str(), "");
            if numbers.chars().any(|c| c.is_ascii_digit()) {
                findings.push((
                    Fault::GapDrawn,
                    format!("record {row}, {field}: {value} has the mark {:?}", mark.tip),
                ));
            }
        }
    }
}

/// A printed number: its value, and half the unit of its last digit.
struct PrintedNumber {
    value: f64,
    tolerance: f64,
    is_percent: bool,
}

/// Suffixes of large numbers. A suffix comes before its own end.
const MAGNITUDES: [(&str, f64); 22] = [
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("bn", 1e9),
    ("B", 1e9),
    ("T", 1e12),
    ("tn", 1e12),
    ("万亿", 1e12),
    ("万", 1e4),
    ("萬", 1e4),
    ("만", 1e4),
    ("億", 1e8),
    ("亿", 1e8),
    ("억", 1e8),
    ("兆", 1e12),
    ("조", 1e12),
    ("ألف", 1e3),
    ("مليون", 1e6),
    ("مليار", 1e9),
    ("ترليون", 1e12),
    ("L", 1e5),
    ("Cr", 1e7),
];

/// Reads a number with an optional magnitude, such as `−1,234.5`, `12.5k` or `33%`, in English or in a
/// language with the same or Arabic separators.
fn read_printed(text: &str) -> Option<PrintedNumber> {
    let convert = |character: char| match character {
        '\u{2212}' | '–' => Some('-'),
        '٪' => Some('%'),
        '٫' => Some('.'),
        ',' | '٬' | '\u{a0}' | '\u{202f}' | '\u{61c}' | '\u{200e}' => None,
        '٠'..='٩' => char::from_digit(character as u32 - '٠' as u32, 10),
        _ => Some(character),
    };
    let text: String = text.trim().chars().filter_map(convert).collect();
    let (digits, is_percent) = match text.strip_suffix('%') {
        Some(digits) => (digits.trim_end().to_owned(), true),
        None => (text, false),
    };
    let found = MAGNITUDES.iter().find_map(|(suffix, factor)| {
        Some((digits.strip_suffix(suffix)?.trim_end().to_owned(), *factor))
    });
    let (digits, factor) = found.unwrap_or((digits, 1.0));
    let digits = digits.trim_start_matches('+');
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    let tolerance = 0.5001 * 10f64.powi(-decimals) * factor;
    Some(PrintedNumber { value: value * factor, tolerance, is_percent })
}

/// Returns the number of a cell, also of one with a German number.
fn cell_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) if text.contains(',') => {
            text.replace('.', "").replace(',', ".").parse().ok()
        }
        value => data::number(value),
    }
}

fn find_wrong_numbers(
    slug: &str,
    records: &[Value],
    scene: &Scene,
    texts: &SceneTexts,
    findings: &mut Vec<Finding>,
) {
    // A note counts the values that have no share.
    let has_negative_values =
        scene.omissions.iter().any(|(omission, _)| *omission == Omission::BelowZero);
    for (row, text) in &texts.all {
        let (Some(row), Some(printed)) = (row, read_printed(text)) else { continue };
        let Some(record) = records.get(*row).and_then(Value::as_object) else { continue };
        let numbers: Vec<f64> = record.values().filter_map(cell_number).collect();
        if numbers.is_empty() {
            continue;
        }
        if printed.is_percent && has_negative_values {
            continue;
        }
        // A tile without space for its name has a number, and so has its name in a list.
        let is_key = || texts.all.iter().filter(|(_, other)| other == text).count() == 2;
        if slug == "treemap" && printed.value <= records.len() as f64 && is_key() {
            continue;
        }
        let is_near = |value: f64| (value - printed.value).abs() <= printed.tolerance;
        let row_sum: f64 = numbers.iter().map(|number| number.abs()).sum();
        let column_shares = record.iter().filter_map(|(key, value)| {
            let sum: f64 = records
                .iter()
                .filter_map(|other| cell_number(&other[key]))
                .filter(|n| *n > 0.0)
                .sum();
            Some(cell_number(value)? / sum * 100.0)
        });
        let row_shares = numbers.iter().map(|number| number / row_sum * 100.0);
        // Shares are rounded so that they add up, so that each may be off by one unit.
        let is_share = column_shares
            .chain(row_shares)
            .any(|share| (share - printed.value).abs() <= 2.0 * printed.tolerance);
        let is_value = numbers.iter().any(|number| is_near(*number) || is_near(number.abs()));
        let is_sum = numbers.len() > 1 && (is_near(row_sum) || is_near(numbers.iter().sum()));
        let fault = match printed.value {
            0.0 if numbers.iter().all(|number| *number != 0.0) && !is_share => Fault::PrintedAsZero,
            _ if is_value || is_share || is_sum => continue,
            _ => Fault::WrongNumber,
        };
        findings.push((fault, format!("record {row} prints {text:?}: {numbers:?}")));
    }
}

/// Returns the fill or stroke color of a primitive that is no text.
fn primitive_color(primitive: &Primitive) -> Option<Color> {
    match primitive {
        Primitive::Rect { fill, .. } | Primitive::Dots { fill, .. } => Some(*fill),
        Primitive::Path { fill, stroke, .. } | Primitive::Circle { fill, stroke, .. } => {
            fill.or(stroke.map(|stroke| stroke.color))
        }
        Primitive::Polyline { stroke, .. } => Some(stroke.color),
        _ => None,
    }
}

fn find_shared_colors(records: &[Value], scene: &Scene, findings: &mut Vec<Finding>) {
    let series_count = records.iter().filter_map(Value::as_object).map(Map::len).max().unwrap_or(0);
    if series_count < 4 {
        return;
    }
    let mut fields_by_color: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for shape in &scene.shapes {
        let mark = (shape.mark as usize).checked_sub(1).and_then(|index| scene.marks.get(index));
        let field = mark.and_then(|mark| mark.field.as_deref());
        let (Some(field), Some(color)) = (field, primitive_color(&shape.primitive)) else {
            continue;
        };
        if field.starts_with("Revenue ") {
            fields_by_color.entry(format!("{color:?}")).or_default().insert(field);
        }
    }
    for (color, fields) in fields_by_color {
        if fields.len() > 1 {
            findings.push((Fault::SharedColor, format!("{color} is the color of {fields:?}")));
        }
    }
}

type Map = serde_json::Map<String, Value>;
