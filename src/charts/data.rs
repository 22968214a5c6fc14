//! Lenient conversion of JSON values to numbers, texts, dates and booleans.

use std::borrow::Cow;

use serde_json::Value;

use crate::format::date;
use crate::number_text;
use crate::number_text::DecimalSeparator;
use crate::text;

/// Maximum magnitude of a number. Differences and sums of larger numbers could overflow.
const MAX_MAGNITUDE: f64 = 1e290;
/// Minimum magnitude of a number. Smaller numbers count as zero.
const MIN_MAGNITUDE: f64 = 1e-290;

/// Returns whether all fields of a record are null or texts of white space only, as in an empty
/// line of a table. Numbers and booleans are never blank.
pub fn is_blank(record: &Value) -> bool {
    let is_empty = |value: &Value| {
        value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
    };
    match record {
        Value::Object(fields) => fields.values().all(is_empty),
        value => is_empty(value),
    }
}

/// Returns a finite number, also from a text such as `"1,234.5"`, `"12 %"` or `"−3"`.
///
/// None for other values and for magnitudes above 1e290. Magnitudes below 1e-290 give 0.
pub fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => parse_number(text)?,
        _ => return None,
    };
    match number.abs() {
        magnitude if magnitude.is_nan() || magnitude > MAX_MAGNITUDE => None,
        magnitude if magnitude < MIN_MAGNITUDE => Some(0.0),
        _ => Some(number),
    }
}

/// Parses a number that people typed, in the notations of [`number_text::read_as_json`]. None for
/// other texts, and for texts of more than [`number_text::MAX_BYTES`] bytes.
///
/// Where a comma can separate groups or decimals, it separates groups: `1,234` is 1234, but `1,5`
/// is 1.5. A point in the same position separates decimals: `1.234` is 1.234. [`draw`](crate::draw)
/// has already replaced the texts of columns with the other notation.
///
/// Does not check the magnitude: `1e999` is infinite.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() || text.len() > number_text::MAX_BYTES {
        return None;
    }
    if number_text::is_plain(text) {
        return text.parse().ok();
    }
    number_text::read(text, DecimalSeparator::Point)
        .or_else(|| number_text::read(text, DecimalSeparator::Comma))
}

/// Returns a field of a record, or null if it is absent or the record is not an object.
///
/// Compares the keys of small records one by one, because that is faster than hashing.
pub fn field<'a>(record: &'a Value, key: &str) -> &'a Value {
    static NULL: Value = Value::Null;
    let Value::Object(fields) = record else { return &NULL };
    if fields.len() > 12 {
        return fields.get(key).unwrap_or(&NULL);
    }
    fields.iter().find(|(name, _)| *name == key).map_or(&NULL, |(_, value)| value)
}

/// Returns a field of a record, or null, and tries the position `hint` first.
///
/// Records mostly have the same field order, so the position in the previous record is likely
/// right. Updates `hint` when it finds the field elsewhere in a record of at most 12 fields.
pub fn field_with_hint<'a>(record: &'a Value, key: &str, hint: &mut usize) -> &'a Value {
    let Value::Object(fields) = record else { return field(record, key) };
    if let Some((name, value)) = fields.iter().nth(*hint)
        && name == key
    {
        return value;
    }
    if fields.len() <= 12
        && let Some((index, (_, value))) =
            fields.iter().enumerate().find(|(_, (name, _))| *name == key)
    {
        *hint = index;
        return value;
    }
    field(record, key)
}

/// Converts a value to a label. Texts are sanitized. Numbers are written as in JSON, without the
/// locale. Null, arrays and objects give an empty text.
pub fn display_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text::sanitize(text),
        Value::Number(number) => Cow::Owned(number.to_string()),
        Value::Bool(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
        _ => Cow::Borrowed(""),
    }
}

/// Parses a text with a date (see [`date::parse`]), or a number that is a year from 1000 to 9999,
/// into seconds since 1970. None for other values.
pub fn timestamp(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => date::parse(text),
        Value::Number(number) => {
            let year = number.as_i64().filter(|year| (1000..=9999).contains(year))?;
            Some(date::timestamp(i32::try_from(year).ok()?, 1, 1))
        }
        _ => None,
    }
}

/// Returns whether a value is a text such as `TBD` and `open`, which is neither a date for
/// `date::parse` nor a placeholder of a missing value. False for empty texts, dashes and `n/a`,
/// which stand for no date, and for values that are not texts.
pub fn is_unknown_date(value: &Value) -> bool {
    let Some(text) = value.as_str().map(str::trim) else { return false };
    !number_text::is_missing(text) && date::parse(text).is_none()
}

/// Returns the end of the period that a date names, in seconds since 1970: the start of the next
/// year, quarter, month or day. A date with a time of day is its own end. Accepts the same values
/// as `timestamp`, and returns None for others.
pub fn period_end(value: &Value) -> Option<f64> {
    let start = timestamp(value)?;
    let text = value.as_str().unwrap_or_default().trim();
    // A time of day may follow each date, also a year.
    if text.contains(['T', ' ']) {
        return Some(start);
    }
    let months = match text.len() {
        0..=4 => 12,
        5..=7 if text.contains(['Q', 'q']) => 3,
        5..=7 => 1,
        _ => return Some(start + date::DAY_SECONDS),
    };
    let first = date::to_civil(start);
    Some(date::timestamp(first.year, first.month as i32 + months, 1))
}

/// Returns whether the period of the date `last` is completely before the date `first`. False if
/// one of them is no date.
pub fn is_reversed(first: &Value, last: &Value) -> bool {
    match (timestamp(first), timestamp(last), period_end(last)) {
        (Some(first), Some(last), Some(end)) => last < first && end <= first,
        _ => false,
    }
}

/// Returns whether a value is true.
///
/// The texts `"true"` (in any case), `"yes"` and `"1"` and the number 1 count too. All other
/// values, also null, are false.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => text.eq_ignore_ascii_case("true") || text == "1" || text == "yes",
        Value::Number(number) => number.as_f64() == Some(1.0),
        _ => false,
    }
}

/// Returns the label of a record: its first field of `label`, `name`, `category` and `date` that is
/// present and not null, even if its text is empty. Empty if there is none.
pub fn record_label(record: &Value) -> Cow<'_, str> {
    const KEYS: [&str; 4] = ["label", "name", "category", "date"];
    let found = KEYS.iter().map(|key| field(record, key)).find(|value| !value.is_null());
    found.map_or(Cow::Borrowed(""), display_text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_parsed_as_people_type_them() {
        assert_eq!(number(&json!("1,234.5")), Some(1234.5));
        assert_eq!(number(&json!("12 %")), Some(12.0));
        assert_eq!(number(&json!("95,5")), Some(95.5));
        assert_eq!(number(&json!("1.234,5")), Some(1234.5));
        assert_eq!(number(&json!("(1,234)")), Some(-1234.0));
        assert_eq!(number(&json!("1,2,3")), None);
        assert_eq!(number(&json!("\u{2212}3")), Some(-3.0));
        assert_eq!(number(&json!(1e308)), None);
        for odd in [json!("NaN"), json!("inf"), json!("twelve"), json!([1]), json!(null), json!("")]
        {
            assert_eq!(number(&odd), None, "{odd}");
        }
    }

    #[test]
    fn a_period_ends_with_its_last_day() {
        let check = |value: Value, end: &str| {
            assert_eq!(period_end(&value), date::parse(end), "{value}");
        };
        check(json!(2023), "2024-01-01");
        check(json!("2024"), "2025-01-01");
        check(json!("2024-Q4"), "2025-01-01");
        check(json!("2024-02"), "2024-03-01");
        check(json!("2024-12"), "2025-01-01");
        check(json!("2024-2-29"), "2024-03-01");
        check(json!("2024-02-29"), "2024-03-01");
        check(json!("2024-02-29 12:00"), "2024-02-29 12:00");
        check(json!("2024 14:30"), "2024-01-01 14:30");
        check(json!("2024T9:30"), "2024-01-01 09:30");
        check(json!(" 2024-Q2 "), "2024-07-01");
        check(json!("soon"), "soon");
    }

    #[test]
    fn texts_in_place_of_dates_are_unknown_dates() {
        for text in ["TBD", "?", "open", "offen", "???"] {
            assert!(is_unknown_date(&json!(text)), "{text}");
        }
        for value in [json!("2024-03"), json!(""), json!("n/a"), json!("-"), json!(null), json!(3)]
        {
            assert!(!is_unknown_date(&value), "{value}");
        }
    }

    #[test]
    fn labels_come_from_the_first_field_that_exists() {
        assert_eq!(record_label(&json!({"name": "a"})), "a");
        assert_eq!(record_label(&json!({"label": 3, "name": "a"})), "3");
        assert_eq!(record_label(&json!([1])), "");
    }
}
