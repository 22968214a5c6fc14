//! Times with different time zones in one table, such as `10:00+01:00` beside `10:00+02:00`.
//!
//! Charts show the wall clock of the data. With several zones, the wall clock gives different
//! moments the same position, so that all times are converted to UTC.

use std::borrow::Cow;

use serde_json::Value;

use crate::data;
use crate::date_words;
use crate::format::date;

/// Columns with times.
const KEYS: [&str; 4] = ["date", "label", "start", "end"];

/// If two times have different zones, replaces all times with a zone by times in UTC. The second
/// value is whether it did so.
///
/// Times without a zone stay unchanged. Changes nothing if all times with a zone are midnights,
/// because these are days of the local calendar.
pub(crate) fn convert_to_utc<'a>(records: Cow<'a, [Value]>) -> (Cow<'a, [Value]>, bool) {
    let mut first = None;
    let mut is_mixed = false;
    let mut are_days = true;
    let fields = records.iter().flat_map(|record| KEYS.map(|key| data::field(record, key)));
    for (seconds, offset) in fields.filter_map(read_zoned) {
        is_mixed |= *first.get_or_insert(offset) != offset;
        are_days &= seconds.rem_euclid(date::DAY_SECONDS) == 0.0;
    }
    if !is_mixed || are_days {
        return (records, false);
    }
    let mut converted = records.into_owned();
    for record in &mut converted {
        for key in KEYS {
            let Some(value) = record.get_mut(key) else { continue };
            if let Some((seconds, offset)) = read_zoned(value) {
                let moment = seconds - f64::from(offset) * 60.0;
                *value = Value::String(format!("{}Z", date::format_iso(moment)));
            }
        }
    }
    (Cow::Owned(converted), true)
}

/// Returns the wall clock of a time in seconds since 1970, and the offset of its zone in minutes.
/// None for other values and for times without a zone.
fn read_zoned(value: &Value) -> Option<(f64, i32)> {
    // Cheaper than parsing: other texts have no colon.
    let text = value.as_str().filter(|text| text.contains(':'))?;
    Some((date::parse(text)?, date_words::zone_offset(text)?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the dates after the conversion, and whether they are in UTC.
    fn convert(dates: &[&str]) -> (Vec<String>, bool) {
        let records: Vec<Value> = dates.iter().map(|date| json!({ "date": date })).collect();
        let (converted, is_utc) = convert_to_utc(Cow::Owned(records));
        let dates = converted.iter().map(|record| record["date"].as_str().unwrap().to_owned());
        (dates.collect(), is_utc)
    }

    #[test]
    fn times_of_different_zones_become_utc() {
        let mixed = [
            "2024-03-31T01:59:59.250+01:00",
            "2024-03-31T03:00:00+02:00",
            "2024-03-30 20:00-05:00",
            "2024-03-31T01:00",
            "n/a",
        ];
        let expected = [
            "2024-03-31T00:59:59.250Z",
            "2024-03-31T01:00:00Z",
            "2024-03-31T01:00:00Z",
            "2024-03-31T01:00",
            "n/a",
        ];
        assert_eq!(convert(&mixed), (expected.map(str::to_owned).to_vec(), true));
    }

    #[test]
    fn times_of_one_zone_and_local_days_keep_their_wall_clock() {
        for dates in [
            ["2024-03-31T10:00:00.250+02:00", "2024-03-31T11:00+0200"],
            ["2024-03-31T00:00+01:00", "2024-04-01T00:00+02:00"],
            ["2024-03-31T10:00Z", "2024-03-31T11:00+00:00"],
            ["2024-03-31T10:00", "2024-03-31T11:00+02:00"],
        ] {
            assert_eq!(convert(&dates), (dates.map(str::to_owned).to_vec(), false));
        }
    }
}
