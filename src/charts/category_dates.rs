//! Dates of ISO 8601 as names of categories, such as `2026-03-14T00:00:00` in a table of Excel.
//!
//! Charts without a time axis print them as dates in the language of the chart, with the year, so
//! that different dates have different names. Labels below columns show the year where it changes.

use std::borrow::Cow;

use serde_json::Value;

use crate::data;
use crate::format::{Locale, date};
use crate::number_text;

/// Kinds with categories that may be dates.
const KINDS: [&str; 33] = [
    "bar",
    "bar-mekko",
    "beeswarm",
    "box-plot",
    "bullet",
    "bump",
    "butterfly",
    "combo",
    "donut",
    "dumbbell",
    "funnel",
    "gauge",
    "grouped-column",
    "half-donut",
    "harvey-balls",
    "heat-map",
    "likert",
    "lollipop",
    "marimekko",
    "pareto",
    "percent-column",
    "pictogram",
    "pie",
    "population-pyramid",
    "quadrant",
    "radar",
    "radial-bar",
    "scatter",
    "slope",
    "stacked-column",
    "tornado",
    "variance",
    "waterfall",
];
/// Columns with names of categories.
const KEYS: [&str; 7] = ["label", "name", "category", "date", "row", "column", "period"];

/// Replaces dates of ISO 8601 in the columns with category names by dates in the language of the
/// chart. Days keep their time of day unless it is midnight.
///
/// Changes only columns in which all texts are days (with or without a time of day) or all are
/// months. Missing values do not count. Records of kinds outside [`KINDS`] stay as they are.
pub(crate) fn format_names<'a>(
    records: Cow<'a, [Value]>,
    slug: &str,
    locale: Locale,
) -> Cow<'a, [Value]> {
    if !KINDS.contains(&slug) {
        return records;
    }
    let columns = KEYS.iter().filter_map(|key| Some((*key, find_precision(&records, key)?)));
    let columns: Vec<(&str, Precision)> = columns.collect();
    if columns.is_empty() {
        return records;
    }
    let mut replaced = records.into_owned();
    for record in &mut replaced {
        for (key, precision) in &columns {
            let Some(value) = record.get_mut(*key) else { continue };
            if let Some(seconds) = value.as_str().and_then(date::parse) {
                *value = Value::String(precision.format(seconds, locale));
            }
        }
    }
    Cow::Owned(replaced)
}

/// Returns the name that [`format_names`] gives to one category. None for a text that is not a day
/// or a month of ISO 8601.
pub(crate) fn format_name(text: &str, locale: Locale) -> Option<String> {
    Some(Precision::of_text(text)?.format(date::parse(text)?, locale))
}

/// Precision of the dates of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    Month,
    Day,
}

impl Precision {
    /// Returns the precision of a date of ISO 8601 by its length and hyphens. None for other texts,
    /// also for years and quarters. The text may still be an invalid date.
    fn of_text(text: &str) -> Option<Precision> {
        let text = text.trim().as_bytes();
        let has_hyphen = |index: usize| text.get(index) == Some(&b'-');
        let is_digit = |index: usize| text.get(index).is_some_and(u8::is_ascii_digit);
        match text.len() {
            7 if has_hyphen(4) && is_digit(5) => Some(Precision::Month),
            10.. if has_hyphen(4) && has_hyphen(7) => Some(Precision::Day),
            _ => None,
        }
    }

    /// Formats a timestamp as a month with its year, or as a day with its year and its time of day
    /// unless that is midnight.
    fn format(self, seconds: f64, locale: Locale) -> String {
        match self {
            Precision::Month => date::format_month(seconds, locale),
            Precision::Day => date::format_moment(seconds, locale),
        }
    }
}

/// Returns the common precision of the dates in a column. None if the column has no date, or also a
/// number, another text or a date of the other precision. Missing values do not count.
fn find_precision(records: &[Value], key: &str) -> Option<Precision> {
    let mut found = None;
    for record in records {
        let text = match data::field(record, key) {
            Value::Null => continue,
            Value::String(text) if number_text::is_missing(text.trim()) => continue,
            value => value.as_str()?,
        };
        let precision = Precision::of_text(text).filter(|_| date::parse(text).is_some())?;
        if *found.get_or_insert(precision) != precision {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(slug: &str, key: &str, texts: &[&str], tag: &str) -> Vec<String> {
        let records: Vec<Value> = texts.iter().map(|text| json!({ key: text })).collect();
        let formatted = format_names(Cow::Owned(records), slug, Locale::parse(tag));
        formatted.iter().map(|record| record[key].as_str().unwrap_or("").to_owned()).collect()
    }

    #[test]
    fn dates_of_iso_8601_are_printed_in_the_language_of_the_chart() {
        let days = ["2026-03-14T00:00:00", "2026-03-15", "2026-03-16T06:30:00", ""];
        let expected = ["14. März 2026", "15. März 2026", "16. März 2026, 06:30", ""];
        assert_eq!(names("grouped-column", "date", &days, "de"), expected);
        let expected = ["Mar 14, 2026", "Mar 15, 2026"];
        assert_eq!(names("heat-map", "column", &days[..2], "en-US"), expected);
        let months = ["2026-03", "2026-04"];
        assert_eq!(names("combo", "label", &months, "en"), ["Mar 2026", "Apr 2026"]);
    }

    #[test]
    fn other_names_and_kinds_with_time_axes_are_unchanged() {
        for (slug, texts) in [
            ("bar", &["2026-03-14", "Gesamt"][..]),
            ("bar", &["2026-03", "2026-03-14"]),
            ("bar", &["2026-Q1", "2026-Q2"]),
            ("bar", &["2026", "2027"]),
            ("bar", &["14.03.2026"]),
            ("time-series", &["2026-03-14"]),
            ("line", &["2026-03-14"]),
        ] {
            assert_eq!(names(slug, "label", texts, "de"), texts, "{slug}");
        }
    }
}
