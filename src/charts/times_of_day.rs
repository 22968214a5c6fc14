//! Times of day without a date, such as `06:15`, `9:30 AM` and `14.30 Uhr`.
//!
//! Charts place them on a time axis: on the first day of the year 1, which no table of dates has.
//! Times after midnight at the end of a column are on the second day.

use std::borrow::Cow;

use serde_json::Value;

use crate::data;
use crate::format::date;
use crate::number_text;

/// Maximum length of a time of day in bytes. Longer texts are not times.
const MAX_BYTES: usize = 24;
/// Kinds with a time axis on which times of day have a meaning.
const KINDS: [&str; 6] =
    ["area", "candlestick", "line", "projection", "small-multiples", "time-series"];
/// Those of them that leave out a record without a time. The others show names then.
const DATED_KINDS: [&str; 2] = ["candlestick", "time-series"];

/// Replaces times of day by timestamps of ISO 8601 if the kind `slug` has a time axis and all dates
/// or labels of the records are times of day, at least two different ones. Otherwise returns the
/// records unchanged.
///
/// If the times of a table without groups rise, fall once and end before the first time, those
/// after the fall are on the next day.
pub(crate) fn read_times<'a>(records: Cow<'a, [Value]>, slug: &str) -> Cow<'a, [Value]> {
    if !KINDS.contains(&slug) {
        return records;
    }
    let key = match records.iter().any(|record| !data::field(record, "date").is_null()) {
        true => "date",
        false => "label",
    };
    let Some(times) = read_column(&records, key, DATED_KINDS.contains(&slug)) else {
        return records;
    };
    let mut replaced = records.into_owned();
    for (record, time) in replaced.iter_mut().zip(times) {
        if let (Some(value), Some(time)) = (record.get_mut(key), time) {
            *value = Value::String(to_iso(time));
        }
    }
    Cow::Owned(replaced)
}

/// Returns the time of each record in seconds after the first midnight. The time of a record is
/// None if the record is blank, or if it lacks its time and `may_lack_times`.
///
/// Returns None if the column is not one of times: another record has no time, or all times are
/// equal. Times that rise and fall need groups, or a single fall after which they end before the
/// first time.
fn read_column(records: &[Value], key: &str, may_lack_times: bool) -> Option<Vec<Option<f64>>> {
    let mut times = Vec::new();
    for record in records {
        let value = data::field(record, key);
        let text = value.as_str().unwrap_or_default();
        let is_missing =
            value.is_null() || value.is_string() && number_text::is_missing(text.trim());
        match parse(text) {
            Some(time) => times.push(Some(time)),
            None if data::is_blank(record) || is_missing && may_lack_times => times.push(None),
            None => return None,
        }
    }
    let known: Vec<f64> = times.iter().flatten().copied().collect();
    let (first, last) = (*known.first()?, *known.last()?);
    let rises = known.windows(2).filter(|pair| pair[0] < pair[1]).count();
    let falls: Vec<usize> =
        (1..known.len()).filter(|index| known[*index] < known[*index - 1]).collect();
    // Groups repeat the times, and a falling column begins with the latest one.
    let has_groups = records.iter().any(|record| !data::field(record, "group").is_null());
    match falls.as_slice() {
        _ if rises + falls.len() == 0 => return None,
        [] => {}
        _ if has_groups || rises == 0 => {}
        [_] if last < first => add_day_after_fall(&mut times),
        _ => return None,
    }
    Some(times)
}

/// Adds a day, in seconds, to the times after the only fall.
fn add_day_after_fall(times: &mut [Option<f64>]) {
    let mut previous = 0.0;
    let mut offset = 0.0;
    for time in times.iter_mut().flatten() {
        if *time < previous {
            offset = date::DAY_SECONDS;
        }
        previous = *time;
        *time += offset;
    }
}

/// Returns the timestamp of ISO 8601 for a time in seconds after the first midnight.
fn to_iso(time: f64) -> String {
    date::format_iso(date::FIRST_MIDNIGHT + time)
}

/// Returns the texts that [`read_times`] may write for a time of day: those of the first and the
/// second day. None for other texts.
pub(crate) fn list_timestamps(text: &str) -> Option<[String; 2]> {
    let time = parse(text)?;
    Some([to_iso(time), to_iso(time + date::DAY_SECONDS)])
}

/// Returns the timestamp, in seconds since 1970, of a time of day in a text, on the first day with
/// times of day. None for other texts.
pub(crate) fn timestamp(text: &str) -> Option<f64> {
    parse(text).map(|time| date::FIRST_MIDNIGHT + time)
}

/// Parses a time of day into seconds since midnight. `24:00` is the end of the day. None for other
/// texts.
///
/// Accepts hours and minutes, optionally with seconds and their fraction, after a colon, and after
/// a point or `h` if the text says that it is a time: `14.30 Uhr`, `14h30`. The hour may stand
/// alone before `Uhr`, `AM` or `PM`.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() > MAX_BYTES || !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let text = text.to_lowercase().replace(['\u{a0}', '\u{202f}'], " ");
    let (clock, half) = split_half_day(&text);
    let (clock, has_word) = match clock.strip_suffix("uhr") {
        Some(clock) => (clock.trim_end(), true),
        None => (clock, half.is_some()),
    };
    let mut parts = clock.split([':', '.', 'h']);
    let (hour, minute, second) = (parts.next()?, parts.next(), parts.next());
    let is_time = has_word || clock.contains(':') || clock.contains('h');
    let fraction = parts.next();
    if !is_time || fraction.is_some_and(|digits| !is_digits(digits)) || parts.next().is_some() {
        return None;
    }
    // Without minutes, `6h` may be a duration.
    let minute = match minute {
        None if has_word => 0.0,
        None => return None,
        Some(minute) => two_digits(minute)?,
    };
    let second = second.map_or(Some(0.0), two_digits)?;
    let hour = parse_hour(hour, half)?;
    let fraction = fraction.map_or(Some(0.0), date::parse_fraction)?;
    let time = hour * 3600.0 + minute * 60.0 + second + fraction;
    (time <= date::DAY_SECONDS).then_some(time)
}

/// Half of a day of the clock with 12 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HalfDay {
    /// From midnight to noon.
    Am,
    /// From noon to midnight.
    Pm,
}

/// Splits `am`, `a.m.`, `pm` or `p.m.` from the end of a text in lower case, with the spaces before
/// it. Returns the text and None if it has no such ending.
fn split_half_day(text: &str) -> (&str, Option<HalfDay>) {
    let endings =
        [("a.m.", HalfDay::Am), ("am", HalfDay::Am), ("p.m.", HalfDay::Pm), ("pm", HalfDay::Pm)];
    let found = endings.into_iter().find_map(|(ending, half)| {
        text.strip_suffix(ending).map(|clock| (clock.trim_end(), Some(half)))
    });
    found.unwrap_or((text, None))
}

/// Parses an hour of one or two digits: 0 to 24, or 1 to 12 if `half` is given. Returns the hour of
/// the day, 0 to 24, or None.
fn parse_hour(text: &str, half: Option<HalfDay>) -> Option<f64> {
    let hour: u8 =
        if is_digits(text) && text.len() <= 2 { text.parse().ok()? } else { return None };
    let hour = match half {
        None if hour <= 24 => hour,
        Some(HalfDay::Am) if (1..=12).contains(&hour) => hour % 12,
        Some(HalfDay::Pm) if (1..=12).contains(&hour) => hour % 12 + 12,
        _ => return None,
    };
    Some(f64::from(hour))
}

/// Parses exactly two digits below 60. None for other texts.
fn two_digits(text: &str) -> Option<f64> {
    let number: f64 =
        if is_digits(text) && text.len() == 2 { text.parse().ok()? } else { return None };
    (number < 60.0).then_some(number)
}

/// Returns whether a text has only digits of ASCII, at least one.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the labels of the records of a kind after reading.
    fn read(slug: &str, labels: &[&str]) -> Vec<String> {
        let records: Vec<Value> = labels.iter().map(|label| json!({ "label": label })).collect();
        let read = read_times(Cow::Owned(records), slug);
        read.iter().map(|record| record["label"].as_str().unwrap_or("").to_owned()).collect()
    }

    #[test]
    fn times_of_day_are_read_as_people_write_them() {
        for (text, hours) in [
            ("06:15", Some(6.25)),
            ("6:15", Some(6.25)),
            ("13:30:00", Some(13.5)),
            ("13:30:00.500", Some(13.5 + 0.5 / 3600.0)),
            ("9:30 AM", Some(9.5)),
            ("9:30\u{202f}PM", Some(21.5)),
            ("12 AM", Some(0.0)),
            ("12:15 p.m.", Some(12.25)),
            ("14.30 Uhr", Some(14.5)),
            ("6 Uhr", Some(6.0)),
            ("14h30", Some(14.5)),
            ("24:00", Some(24.0)),
            ("24:01", None),
            ("27:30:00", None),
            ("14.30", None),
            ("6h", None),
            ("6", None),
            ("1:1", None),
            ("13:30 PM", None),
            ("06:00–07:00", None),
            ("12:60", None),
            ("", None),
        ] {
            assert_eq!(parse(text), hours.map(|hours| hours * 3600.0), "{text}");
        }
    }

    #[test]
    fn a_column_of_times_is_on_one_day_and_continues_after_midnight() {
        let times = read("line", &["06:00", "6:15", "10:00"]);
        assert_eq!(times, ["0001-01-01T06:00:00", "0001-01-01T06:15:00", "0001-01-01T10:00:00"]);
        let night = read("time-series", &["22:00", "23:30", "01:00", "n/a"]);
        let day = ["0001-01-01T22:00:00", "0001-01-01T23:30:00", "0001-01-02T01:00:00", "n/a"];
        assert_eq!(night, day);
        let laps = read("line", &["06:00:00.5", "06:00:00.75"]);
        assert_eq!(laps, ["0001-01-01T06:00:00.500", "0001-01-01T06:00:00.750"]);
        let falling = read("time-series", &["10:00", "08:00"]);
        assert_eq!(falling, ["0001-01-01T10:00:00", "0001-01-01T08:00:00"]);
    }

    #[test]
    fn other_columns_and_kinds_keep_their_names() {
        for (slug, labels) in [
            ("bar", &["06:00", "07:00"][..]),
            ("line", &["06:00", "Noon"]),
            ("line", &["06:00", "07:30", "n/a"]),
            ("line", &["06:00", "06:00"]),
            ("line", &["06:00", "18:00", "07:00", "19:00"]),
            ("line", &["2024-01-01", "2024-01-02"]),
        ] {
            assert_eq!(read(slug, labels), labels, "{slug}");
        }
    }
}
