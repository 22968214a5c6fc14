//! Records in JSON that are members of an object with dates as keys, such as rates of exchange.

use serde_json::Value;
use serde_json::value::RawValue;

use super::json_records::Members;
use super::limits::damaged;
use chartroom_platform::error::Result;

/// First and last year of keys that are dates. Other numbers of four digits are rather ids.
const YEARS: std::ops::RangeInclusive<u16> = 1800..=2199;
/// Maximum length of a date in bytes.
const MAX_DATE_BYTES: usize = 30;
/// Heading of the dates, and the one to use if the records have it, too.
const DATE_HEADINGS: [&str; 2] = ["date", "date (key)"];
/// Heading of single values.
const VALUE_HEADING: &str = "value";

/// Returns whether an object has dates as keys, and single values or records without lists as values. One year alone
/// is no date.
pub(super) fn is_dated(members: &[(String, &RawValue)]) -> bool {
    let has_only_years = members.iter().all(|(key, _)| key.len() == 4);
    let is_enough = members.len() > usize::from(has_only_years);
    let has_records = members.first().is_some_and(|(_, value)| is_object(value));
    let fits = |value: &RawValue| match has_records {
        true => is_object(value) && !value.get().contains('['),
        false => !value.get().starts_with(['{', '[']),
    };
    is_enough && members.iter().all(|(key, value)| is_date(key) && fits(value))
}

/// Returns whether a value is an object.
fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

/// Returns whether a key starts with a year and goes on like a date: `2024`, `2024-03`, `2024-Q1`, `2024-W05`,
/// `2024-03-01` or `2024-03-01T12:00`.
fn is_date(key: &str) -> bool {
    let Some((year, rest)) = key.split_at_checked(4) else { return false };
    let is_year = year.bytes().all(|byte| byte.is_ascii_digit())
        && year.parse().is_ok_and(|year| YEARS.contains(&year));
    let is_part = |byte: u8| {
        byte.is_ascii_digit()
            || matches!(byte, b'-' | b':' | b'.' | b'+' | b' ' | b'Q' | b'W' | b'T' | b'Z')
    };
    is_year
        && key.len() <= MAX_DATE_BYTES
        && (rest.is_empty() || rest.starts_with(['-', 'Q', 'W']) && rest.len() > 1)
        && rest.bytes().all(is_part)
}

/// Returns the cells of a member: its date, and its value or the cells of its record that `read` returns.
///
/// # Errors
/// Those of `read`.
pub(super) fn read_member(
    (key, value): (&str, &RawValue),
    read: impl FnOnce(&RawValue) -> Result<Vec<(String, String)>>,
) -> Result<Vec<(String, String)>> {
    let record = match is_object(value) {
        true => read(value)?,
        false => vec![(VALUE_HEADING.to_owned(), value.get().to_owned())],
    };
    let is_taken = record.iter().any(|(heading, _)| heading == DATE_HEADINGS[0]);
    let heading = DATE_HEADINGS[usize::from(is_taken)].to_owned();
    let mut cells = vec![(heading, Value::from(key).to_string())];
    cells.extend(record);
    Ok(cells)
}

/// Returns the members of an object.
///
/// # Errors
/// `InvalidFields` about `body` if the text is no object.
pub(super) fn members_of(object: &RawValue) -> Result<Vec<(String, &RawValue)>> {
    let Members(members) = serde_json::from_str(object.get()).map_err(damaged)?;
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_other_keys() {
        for key in [
            "2024",
            "2024-03",
            "2024-Q1",
            "2024Q1",
            "2024-W05",
            "2024-03-01",
            "2024-03-01T12:00:00Z",
        ] {
            assert!(is_date(key), "{key}");
        }
        for key in
            ["", "202", "1001", "2024-", "2024a", "2024-March", "20240", "9999-01-01", "٢٠٢٤"]
        {
            assert!(!is_date(key), "{key}");
        }
    }
}
