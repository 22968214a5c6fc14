//! Durations of tasks, such as `10 days`, from which the end of a task follows.

use std::borrow::Cow;

use serde_json::Value;

use crate::data;
use crate::format::{Locale, date};
use crate::number_columns;
use crate::number_text;
use crate::number_text::DecimalSeparator;

/// Key of the column with durations.
const KEY: &str = "duration";
/// Kinds with tasks that have a start and an end.
const KINDS: [&str; 2] = ["gantt", "roadmap"];
/// Maximum duration in days: longer than any calendar that charts show.
const MAX_DAYS: f64 = 1_000_000.0;
/// Maximum number of working days that are counted one by one.
const MAX_WORKING_DAYS: f64 = 20_000.0;

/// Unit of a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DurationUnit {
    /// Hours by the clock.
    Hours,
    /// Days of the calendar, with weekends.
    Days,
    /// Days without weekends. Holidays are not known.
    WorkingDays,
    /// Seven days of the calendar each.
    Weeks,
    /// Months of the calendar.
    Months,
    /// Years of the calendar.
    Years,
}

/// Words for the units in English, German, French, Spanish and Italian, in lower case.
const UNIT_WORDS: [(DurationUnit, &[&str]); 6] = [
    (
        DurationUnit::Hours,
        &["h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "heures", "horas", "ore"],
    ),
    (
        DurationUnit::WorkingDays,
        &[
            "wd",
            "at",
            "workday",
            "workdays",
            "working days",
            "working day",
            "business days",
            "business day",
            "arbeitstag",
            "arbeitstage",
            "arbeitstagen",
            "werktage",
        ],
    ),
    (
        DurationUnit::Days,
        &[
            "d", "day", "days", "t", "tg", "tag", "tage", "tagen", "jour", "jours", "día", "días",
            "dias", "giorno", "giorni",
        ],
    ),
    (
        DurationUnit::Weeks,
        &[
            "w",
            "wk",
            "wks",
            "wo",
            "week",
            "weeks",
            "woche",
            "wochen",
            "semaine",
            "semaines",
            "semana",
            "semanas",
            "settimana",
            "settimane",
        ],
    ),
    (
        DurationUnit::Months,
        &[
            "mo", "mon", "mons", "month", "months", "monat", "monate", "monaten", "mois", "mes",
            "meses", "mese", "mesi",
        ],
    ),
    (
        DurationUnit::Years,
        &["y", "yr", "yrs", "year", "years", "jahr", "jahre", "jahren", "an", "ans", "años"],
    ),
];

impl DurationUnit {
    /// Returns the unit with a name or an abbreviation, such as `days` or `Wo.`. Ignores the case,
    /// and points and question marks at the end. None for other words.
    pub fn find(word: &str) -> Option<Self> {
        let word = word.trim().trim_end_matches(['.', '?']).to_lowercase();
        let found = UNIT_WORDS.iter().find(|(_, words)| words.contains(&word.as_str()));
        found.map(|(unit, _)| *unit)
    }

    /// Returns the unit in a heading such as `Dauer (Wochen)` or `Duration in days`. Ignores the
    /// first word, so that `Days` has no unit. Two words such as `working days` come before single
    /// words. None without a unit.
    pub fn find_in_heading(heading: &str) -> Option<Self> {
        let mut words = heading.split(|letter: char| !letter.is_alphanumeric());
        // The first word is the name of the column.
        words.next();
        let rest: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let pairs = rest.windows(2).filter_map(|pair| Self::find(&pair.join(" ")));
        pairs.chain(rest.iter().filter_map(|word| Self::find(word))).next()
    }

    /// Returns a duration in the notation that charts read: a number of days, or a text with the
    /// unit.
    pub fn to_json(self, amount: f64) -> Value {
        let unit = match self {
            Self::Days => return Value::from(amount),
            Self::Hours => "hours",
            Self::WorkingDays => "working days",
            Self::Weeks => "weeks",
            Self::Months => "months",
            Self::Years => "years",
        };
        Value::from(format!("{amount} {unit}"))
    }
}

/// Returns the keys of the columns of the kind `slug` with durations, in which texts such as
/// `2 weeks` must stay texts. Empty for kinds without durations.
pub(crate) fn columns_of(slug: &str) -> &'static [&'static str] {
    if KINDS.contains(&slug) { &[KEY] } else { &[] }
}

/// Returns the amount and the unit of a duration: a number of days, or a text such as `2 weeks`.
/// `None` for other values, and for amounts below zero or above [`MAX_DAYS`].
fn read(value: &Value) -> Option<(f64, DurationUnit)> {
    let (amount, unit) = match value {
        Value::Number(days) => (days.as_f64()?, DurationUnit::Days),
        Value::String(text) => {
            let text = text.trim();
            let end = text.find(|letter: char| letter.is_alphabetic() || letter == '?');
            let (number, word) = text.split_at(end.unwrap_or(text.len()));
            let word = word.trim_end_matches('?');
            let unit = if word.is_empty() { DurationUnit::Days } else { DurationUnit::find(word)? };
            let with = |separator| number_text::read(number.trim(), separator);
            (with(DecimalSeparator::Point).or_else(|| with(DecimalSeparator::Comma))?, unit)
        }
        _ => return None,
    };
    (0.0..=MAX_DAYS).contains(&amount).then_some((amount, unit))
}

/// Returns the end of a duration. `start` and the end are in seconds since 1970. One day that
/// starts at midnight ends at the next midnight. A month ends on the same day of a later month, at
/// most on its last day.
///
/// Working days skip weekends. More than `MAX_WORKING_DAYS` of them count as this number.
fn end_after(start: f64, amount: f64, unit: DurationUnit, locale: Locale) -> f64 {
    let day = date::DAY_SECONDS;
    let months = |count: f64| {
        let from = date::to_civil(start);
        let whole = from.month as i32 + count.min(120_000.0).trunc() as i32;
        let time_of_day = start.rem_euclid(day);
        let last = date::timestamp(from.year, whole + 1, 1) - day;
        let same_day =
            date::timestamp(from.year, whole, 1) + f64::from(from.day.saturating_sub(1)) * day;
        // The 31st of a shorter month is its last day. Parts of a month have 30 days.
        same_day.min(last) + time_of_day + count.fract() * 30.0 * day
    };
    match unit {
        DurationUnit::Hours => start + amount * day / 24.0,
        DurationUnit::Days => start + amount * day,
        DurationUnit::Weeks => start + amount * 7.0 * day,
        DurationUnit::Months => months(amount),
        DurationUnit::Years => months(amount * 12.0),
        DurationUnit::WorkingDays => {
            let mut end = start;
            let mut left = amount.min(MAX_WORKING_DAYS);
            // A weekend lasts as long as it delays work. 1970-01-01 was a Thursday.
            let first_free = if locale.has_weekend_on_friday { 1.0 } else { 2.0 };
            let is_free = |at: f64| ((at / day).floor() - first_free).rem_euclid(7.0) < 2.0;
            while left > 0.0 {
                while is_free(end) {
                    end += day;
                }
                end += left.min(1.0) * day;
                left -= 1.0;
            }
            end
        }
    }
}

/// Sets the end of each task that has a start and a duration, but has no end or a text such as
/// `TBD` instead. If start and end are at midnight, the end is the last day of the duration. A task
/// with the duration 0 becomes a milestone and gets no end.
///
/// Reports the first value that is no duration, of the tasks without an end. Leaves the records of
/// kinds without tasks unchanged.
pub(crate) fn fill_ends<'a>(
    records: Cow<'a, [Value]>,
    slug: &str,
    locale: Locale,
    mut warn: impl FnMut(String),
) -> Cow<'a, [Value]> {
    let has_durations =
        KINDS.contains(&slug) && records.iter().any(|record| !record[KEY].is_null());
    if !has_durations {
        return records;
    }
    let mut filled = records.into_owned();
    let mut has_unreadable = false;
    for (row, record) in filled.iter_mut().enumerate() {
        let Some(record) = record.as_object_mut() else { continue };
        let is_missing = record.get("end").is_none_or(|end| {
            data::display_text(end).trim().is_empty() || data::is_unknown_date(end)
        });
        let start = record.get("start").and_then(data::timestamp);
        let duration = record.get(KEY).and_then(read);
        if let (Some(value), None, true, false) =
            (record.get(KEY), duration, is_missing, has_unreadable)
            && !number_text::is_missing(data::display_text(value).trim())
        {
            has_unreadable = true;
            let text = number_columns::quote(&data::display_text(value));
            warn(format!("{text} in column “{KEY}”, record {}, is not a duration.", row + 1));
        }
        let (Some(start), Some((amount, unit)), true) = (start, duration, is_missing) else {
            continue;
        };
        if amount == 0.0 {
            record.insert("milestone".to_owned(), Value::from(true));
            continue;
        }
        let end = end_after(start, amount, unit, locale);
        let has_whole_days =
            start.rem_euclid(date::DAY_SECONDS) == 0.0 && end.rem_euclid(date::DAY_SECONDS) == 0.0;
        let last = date::to_civil(if has_whole_days { end - date::DAY_SECONDS } else { end });
        let date::CivilDateTime { year, month, day, hour, minute, second } = last;
        let mut text = format!("{year:04}-{month:02}-{day:02}");
        if !has_whole_days {
            text.push_str(&format!(" {hour:02}:{minute:02}:{second:02}"));
        }
        record.insert("end".to_owned(), Value::from(text));
    }
    Cow::Owned(filled)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the end of a task, or `milestone`.
    fn end_of(start: &str, duration: Value) -> String {
        let records = vec![json!({ "start": start, "duration": duration })];
        let filled = fill_ends(Cow::Owned(records), "gantt", Locale::default(), |_| ());
        if filled[0]["milestone"] == true {
            return "milestone".to_owned();
        }
        filled[0]["end"].as_str().unwrap_or("none").to_owned()
    }

    #[test]
    fn the_end_is_the_last_day_of_the_duration() {
        let check = |start: &str, duration: Value, want: &str| {
            assert_eq!(end_of(start, duration.clone()), want, "{start} {duration}");
        };
        check("2026-03-02", json!(1), "2026-03-02");
        check("2026-03-02", json!(10), "2026-03-11");
        check("2026-03-02", json!("10 days?"), "2026-03-11");
        check("2026-03-02", json!("10 Arbeitstage"), "2026-03-13");
        check("2026-03-07", json!("1 wd"), "2026-03-09");
        check("2026-03-02", json!("2 weeks"), "2026-03-15");
        check("2026-03-02", json!("1,5 Wochen"), "2026-03-12 12:00:00");
        check("2026-01-31", json!("1 month"), "2026-02-27");
        check("2026-01-01", json!("3mo"), "2026-03-31");
        check("2026-01-01", json!("1 Jahr"), "2026-12-31");
        check("2026-01-01 08:00", json!("4 h"), "2026-01-01 12:00:00");
        check("2026-03-02", json!(0), "milestone");
        for unreadable in [json!(-1), json!("long"), json!("3 sprints"), json!(null), json!([1])] {
            check("2026-03-02", unreadable, "none");
        }
        let mut warnings = Vec::new();
        let records = ["n/a", "3 sprints", "long"].map(|text| json!({ "duration": text }));
        let locale = Locale::default();
        fill_ends(records.to_vec().into(), "gantt", locale, |text| warnings.push(text));
        assert_eq!(warnings, ["“3 sprints” in column “duration”, record 2, is not a duration."]);
        let open_end = vec![json!({"start": "2026-03-02", "end": "TBD", "duration": 10})];
        let filled = fill_ends(Cow::Owned(open_end), "gantt", Locale::default(), |_| ());
        assert_eq!(filled[0]["end"], "2026-03-11");
        let with_end = vec![json!({"start": "2026-03-02", "end": "2026-03-04", "duration": 10})];
        let kept = fill_ends(Cow::Owned(with_end), "gantt", Locale::default(), |_| ());
        assert_eq!(kept[0]["end"], "2026-03-04");
    }

    #[test]
    fn headings_name_units() {
        let find = DurationUnit::find_in_heading;
        assert_eq!(find("Dauer (Tage)"), Some(DurationUnit::Days));
        assert_eq!(find("Duration [working days]"), Some(DurationUnit::WorkingDays));
        assert_eq!(find("Dauer in Wo."), Some(DurationUnit::Weeks));
        assert_eq!((find("Dauer"), find("Days")), (None, None));
        assert_eq!(DurationUnit::Weeks.to_json(2.5), json!("2.5 weeks"));
    }
}
