//! Reading records: numbers, words, dates and flags out of whatever the data hold.

use std::borrow::Cow;

use serde_json::Value;

use crate::format::date;
use crate::text;

/// Magnitudes beyond this cannot be subtracted and summed safely, and no chart shows them.
const LARGEST: f64 = 1e290;
/// Magnitudes below this are zero to any chart.
const SMALLEST: f64 = 1e-290;

/// A finite number, also out of text such as `"1,234.5"`, `"12 %"` or `"−3"`.
pub fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(it) => it.as_f64()?,
        Value::String(it) => number_in(it)?,
        _ => return None,
    };
    match number.abs() {
        it if it.is_nan() || it > LARGEST => None,
        it if it < SMALLEST => Some(0.0),
        _ => Some(number),
    }
}

/// The number that a text holds, not yet checked for its size.
pub fn number_in(words: &str) -> Option<f64> {
    let words = words.trim();
    if words.is_empty() || words.len() > 40 {
        return None;
    }
    let plain = |it: char| it.is_ascii_digit() || matches!(it, '.' | '-' | '+' | 'e' | 'E');
    if words.chars().all(plain) {
        return words.parse().ok();
    }
    let bare: String = words
        .trim_end_matches('%')
        .chars()
        .filter(|it| !matches!(it, ',' | ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’'))
        .map(|it| if it == '\u{2212}' { '-' } else { it })
        .collect();
    if bare.chars().all(plain) { bare.parse().ok() } else { None }
}

/// A field of a record, or null. Records have few fields: comparing beats hashing.
pub fn field<'a>(record: &'a Value, key: &str) -> &'a Value {
    static NULL: Value = Value::Null;
    let Value::Object(fields) = record else { return &NULL };
    if fields.len() > 12 {
        return fields.get(key).unwrap_or(&NULL);
    }
    fields.iter().find(|(name, _)| *name == key).map_or(&NULL, |(_, value)| value)
}

/// The same for a column: records mostly name their fields in one order, so that the place where
/// the last record had the field is tried first.
pub fn field_near<'a>(record: &'a Value, key: &str, place: &mut usize) -> &'a Value {
    let Value::Object(fields) = record else { return field(record, key) };
    if let Some((name, value)) = fields.iter().nth(*place)
        && name == key
    {
        return value;
    }
    if fields.len() <= 12
        && let Some((at, (_, value))) = fields.iter().enumerate().find(|(_, it)| it.0 == key)
    {
        *place = at;
        return value;
    }
    field(record, key)
}

/// A label: text as it is, numbers and flags in words, everything else empty.
pub fn words(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(it) => text::clean(it),
        Value::Number(it) => Cow::Owned(it.to_string()),
        Value::Bool(it) => Cow::Borrowed(if *it { "true" } else { "false" }),
        _ => Cow::Borrowed(""),
    }
}

/// A moment in seconds since 1970, out of a date in text or a year as a number.
pub fn moment(value: &Value) -> Option<f64> {
    match value {
        Value::String(it) => date::parse(it),
        Value::Number(it) => {
            let year = it.as_i64().filter(|it| (1000..=9999).contains(it))?;
            Some(date::moment(i32::try_from(year).ok()?, 1, 1))
        }
        _ => None,
    }
}

/// Whether a flag is set; the text `"true"` and the number 1 count too.
pub fn flag(value: &Value) -> bool {
    match value {
        Value::Bool(it) => *it,
        Value::String(it) => it.eq_ignore_ascii_case("true") || it == "1" || it == "yes",
        Value::Number(it) => it.as_f64() == Some(1.0),
        _ => false,
    }
}

/// The name of a record: `label`, or what else it may be called.
pub fn label(record: &Value) -> Cow<'_, str> {
    const NAMES: [&str; 4] = ["label", "name", "category", "date"];
    let found = NAMES.iter().map(|key| field(record, key)).find(|it| !it.is_null());
    found.map_or(Cow::Borrowed(""), words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_read_from_what_people_type() {
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
    fn labels_come_from_the_first_name_there_is() {
        assert_eq!(label(&json!({"name": "a"})), "a");
        assert_eq!(label(&json!({"label": 3, "name": "a"})), "3");
        assert_eq!(label(&json!([1])), "");
    }
}
