//! Lenient conversion of JSON values to numbers, texts, dates and booleans.

use std::borrow::Cow;

use serde_json::Value;

use crate::format::date;
use crate::text;

/// Maximum magnitude of a number. Differences and sums of larger numbers could overflow.
const MAX_MAGNITUDE: f64 = 1e290;
/// Minimum magnitude of a number. Smaller numbers count as zero.
const MIN_MAGNITUDE: f64 = 1e-290;

/// Returns a finite number, also from a text such as `"1,234.5"`, `"12 %"` or `"−3"`.
///
/// None for other values and for magnitudes above 1e290.
pub fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(it) => it.as_f64()?,
        Value::String(it) => parse_number(it)?,
        _ => return None,
    };
    match number.abs() {
        it if it.is_nan() || it > MAX_MAGNITUDE => None,
        it if it < MIN_MAGNITUDE => Some(0.0),
        _ => Some(number),
    }
}

/// Parses a number that people typed, without a check of its magnitude.
///
/// Ignores a percent sign at the end and the group separators comma, space and apostrophe.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() || text.len() > 40 {
        return None;
    }
    let is_plain = |it: char| it.is_ascii_digit() || matches!(it, '.' | '-' | '+' | 'e' | 'E');
    if text.chars().all(is_plain) {
        return text.parse().ok();
    }
    let bare: String = text
        .trim_end_matches('%')
        .chars()
        .filter(|it| !matches!(it, ',' | ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’'))
        .map(|it| if it == '\u{2212}' { '-' } else { it })
        .collect();
    if bare.chars().all(is_plain) { bare.parse().ok() } else { None }
}

/// Returns a field of a record, or null.
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
/// right. Updates `hint` when the field is found elsewhere.
pub fn field_with_hint<'a>(record: &'a Value, key: &str, hint: &mut usize) -> &'a Value {
    let Value::Object(fields) = record else { return field(record, key) };
    if let Some((name, value)) = fields.iter().nth(*hint)
        && name == key
    {
        return value;
    }
    if fields.len() <= 12
        && let Some((at, (_, value))) = fields.iter().enumerate().find(|(_, it)| it.0 == key)
    {
        *hint = at;
        return value;
    }
    field(record, key)
}

/// Converts a value to a label. Texts are sanitized. Null, arrays and objects give an empty text.
pub fn display_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(it) => text::sanitize(it),
        Value::Number(it) => Cow::Owned(it.to_string()),
        Value::Bool(it) => Cow::Borrowed(if *it { "true" } else { "false" }),
        _ => Cow::Borrowed(""),
    }
}

/// Parses a date in a text, or a year as a number, into seconds since 1970.
pub fn timestamp(value: &Value) -> Option<f64> {
    match value {
        Value::String(it) => date::parse(it),
        Value::Number(it) => {
            let year = it.as_i64().filter(|it| (1000..=9999).contains(it))?;
            Some(date::timestamp(i32::try_from(year).ok()?, 1, 1))
        }
        _ => None,
    }
}

/// Returns whether a value is true. The texts `"true"`, `"yes"` and `"1"` and the number 1 count too.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(it) => *it,
        Value::String(it) => it.eq_ignore_ascii_case("true") || it == "1" || it == "yes",
        Value::Number(it) => it.as_f64() == Some(1.0),
        _ => false,
    }
}

/// Returns the label of a record: its field `label`, `name`, `category` or `date`.
pub fn record_label(record: &Value) -> Cow<'_, str> {
    const KEYS: [&str; 4] = ["label", "name", "category", "date"];
    let found = KEYS.iter().map(|key| field(record, key)).find(|it| !it.is_null());
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
        assert_eq!(number(&json!("\u{2212}3")), Some(-3.0));
        assert_eq!(number(&json!(1e308)), None);
        for odd in [json!("NaN"), json!("inf"), json!("twelve"), json!([1]), json!(null), json!("")]
        {
            assert_eq!(number(&odd), None, "{odd}");
        }
    }

    #[test]
    fn labels_come_from_the_first_field_that_exists() {
        assert_eq!(record_label(&json!({"name": "a"})), "a");
        assert_eq!(record_label(&json!({"label": 3, "name": "a"})), "3");
        assert_eq!(record_label(&json!([1])), "");
    }
}
