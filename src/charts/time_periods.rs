//! Weeks, quarters and months at distances that are proportional to time.
//!
//! A time series shows periods without a year, such as `KW 14`, in the order of the year. A line
//! chart keeps its periods as categories at equal distances, unless the data skips a period: the
//! distances show that it is missing.

use std::borrow::Cow;

use serde_json::Value;

use crate::data;
use crate::date_text;
use crate::date_text::DateOrder;
use crate::format::date;
use crate::format::date::{PeriodOfYear, PeriodUnit};
use crate::number_text;

/// Kind that leaves out records without a date.
const DATED_KIND: &str = "time-series";
/// Kinds with a time axis if all labels are dates, and with categories otherwise.
const KINDS_WITH_CATEGORIES: [&str; 2] = ["area", "line"];
/// Maximum number of years of periods without a year.
const MAX_YEARS: u32 = 3;

/// A period of a record.
#[derive(Clone, Copy)]
struct Period {
    unit: PeriodUnit,
    /// Number of the period, from 1 in a year, or from 1970 on if it has a year.
    number: i64,
    /// Start in seconds since 1970. None for a period without a year.
    start: Option<f64>,
}

/// Replaces the names of periods by dates of ISO 8601 in records of the kinds `time-series`, `line`
/// and `area`. All names must be weeks, quarters or months of the same unit, at least two different
/// ones, and in a line or area chart, a period must be skipped. Otherwise returns the records
/// unchanged.
pub(crate) fn place_periods<'a>(records: Cow<'a, [Value]>, slug: &str) -> Cow<'a, [Value]> {
    let is_dated = slug == DATED_KIND;
    if !is_dated && !KINDS_WITH_CATEGORIES.contains(&slug) {
        return records;
    }
    let has_dates = records.iter().any(|record| !data::field(record, "date").is_null());
    let key = if has_dates { "date" } else { "label" };
    let Some(starts) = find_starts(&records, key, is_dated) else { return records };
    let mut replaced = records.into_owned();
    for (record, start) in replaced.iter_mut().zip(starts) {
        if let (Some(value), Some(start)) = (record.get_mut(key), start) {
            *value = Value::String(start);
        }
    }
    Cow::Owned(replaced)
}

/// Returns the date or quarter in ISO 8601 of the period of each record, None for a record without
/// one. Returns None if the records keep their names. Reads the column `key`. `is_dated` means that
/// records may lack a period.
fn find_starts(records: &[Value], key: &str, is_dated: bool) -> Option<Vec<Option<String>>> {
    let mut periods = Vec::with_capacity(records.len());
    for record in records {
        let value = data::field(record, key);
        let text = value.as_str().unwrap_or_default().trim();
        let is_missing = value.is_null() || value.is_string() && number_text::is_missing(text);
        match read_period(text) {
            // Years without a number have 52 weeks, so that week 53 has no place.
            Some(period) if is_week_53(&period) && is_dated => periods.push(None),
            Some(period) if is_week_53(&period) => return None,
            Some(period) => periods.push(Some(period)),
            None if data::is_blank(record) || is_missing && is_dated => periods.push(None),
            None => return None,
        }
    }
    let known: Vec<Period> = periods.iter().flatten().copied().collect();
    let first = known.first()?;
    let has_year = first.start.is_some();
    let is_same = |period: &Period| period.unit == first.unit && period.start.is_some() == has_year;
    if !known.iter().all(is_same) || known.iter().all(|other| other.number == first.number) {
        return None;
    }
    let numbers = if !has_year && is_newest_first(&known) {
        let reversed: Vec<Period> = known.iter().rev().copied().collect();
        number_over_years(&reversed, has_year)?.into_iter().rev().collect()
    } else {
        number_over_years(&known, has_year)?
    };
    if !is_dated && !skips_period(&numbers) {
        return None;
    }
    let mut numbers = numbers.into_iter();
    let start_of = |period: Option<Period>| {
        let (period, number) = (period?, numbers.next()?);
        Some(match (period.start, period.unit) {
            (Some(start), PeriodUnit::Quarter) => {
                let civil = date::to_civil(start);
                format!("{:04}-Q{}", civil.year, civil.month.div_ceil(3))
            }
            (Some(start), _) => date::format_iso(start).split('T').next()?.to_owned(),
            (None, unit) => {
                let period = PeriodOfYear { unit, number: u32::try_from(number).ok()? };
                date::format_iso(period.to_timestamp()).split('T').next()?.to_owned()
            }
        })
    };
    Some(periods.into_iter().map(start_of).collect())
}

/// Returns whether a period is a week without a year beyond the 52nd.
fn is_week_53(period: &Period) -> bool {
    period.start.is_none()
        && period.unit == PeriodUnit::Week
        && period.number > i64::from(PeriodOfYear::count(PeriodUnit::Week))
}

/// Returns whether most steps between periods without a year go back in time. A step of more than
/// half a year counts as one over the turn of the year, in the opposite direction.
fn is_newest_first(periods: &[Period]) -> bool {
    let Some(first) = periods.first() else { return false };
    let half = i64::from(PeriodOfYear::count(first.unit)) / 2;
    let steps = periods.windows(2).map(|pair| pair[1].number - pair[0].number);
    let back = steps.filter(|step| *step > half || (-half..0).contains(step)).count();
    back * 2 > periods.len().saturating_sub(1)
}

/// Returns the numbers of periods, which continue over the turn of the year. Without a year, a fall
/// by more than half a year starts the next year. None if the periods have more than `MAX_YEARS`.
fn number_over_years(periods: &[Period], has_year: bool) -> Option<Vec<i64>> {
    let count = i64::from(PeriodOfYear::count(periods.first()?.unit));
    let mut years = 0;
    let mut previous: Option<i64> = None;
    let mut numbers = Vec::with_capacity(periods.len());
    for Period { number, .. } in periods {
        let falls = previous.is_some_and(|previous| previous - number > count / 2);
        years += i64::from(falls && !has_year);
        previous = Some(*number);
        numbers.push(number + years * count);
    }
    (years < i64::from(MAX_YEARS)).then_some(numbers)
}

/// Returns whether all numbers rise, and not all by the same step.
fn skips_period(numbers: &[i64]) -> bool {
    let steps: Vec<i64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.iter().all(|step| *step > 0) && steps.windows(2).any(|pair| pair[0] != pair[1])
}

/// Reads a week, a quarter or a month without a year, or a week or a quarter with its year. None
/// for other texts, such as a month with its year.
fn read_period(text: &str) -> Option<Period> {
    if let Some((unit, number)) = date_text::read_period_of_year(text) {
        return Some(Period { unit, number: i64::from(number), start: None });
    }
    if !date_text::has_quarter_or_week(text) {
        return None;
    }
    let iso = date_text::to_iso_date(text, DateOrder::DayMonth)?;
    let start = date::parse(&iso)?;
    let (unit, number) = if iso.contains('Q') {
        let civil = date::to_civil(start);
        (PeriodUnit::Quarter, i64::from(civil.year) * 4 + i64::from(civil.month / 3))
    } else {
        // Weeks start on a Monday, so that the division has no remainder.
        (PeriodUnit::Week, (start / date::DAY_SECONDS + 3.0).div_euclid(7.0) as i64)
    };
    Some(Period { unit, number, start: Some(start) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the labels of the records of a kind after placing.
    fn place(slug: &str, labels: &[&str]) -> Vec<String> {
        let records: Vec<Value> = labels.iter().map(|label| json!({ "label": label })).collect();
        let placed = place_periods(Cow::Owned(records), slug);
        placed.iter().map(|record| record["label"].as_str().unwrap_or("").to_owned()).collect()
    }

    #[test]
    fn weeks_without_a_year_have_the_distances_of_a_time_series() {
        let weeks = place("time-series", &["KW 14", "KW 15", "KW 18", "n/a"]);
        assert_eq!(weeks, ["0002-04-08", "0002-04-15", "0002-05-06", "n/a"]);
        let turn = place("time-series", &["Week 51", "Week 52", "Week 2"]);
        assert_eq!(turn, ["0002-12-23", "0002-12-30", "0003-01-13"]);
        let falling = place("time-series", &["Feb", "Jan", "Dec", "Nov"]);
        assert_eq!(falling, ["0007-02-01", "0007-01-01", "0006-12-01", "0006-11-01"]);
        assert_eq!(place("time-series", &["Dec", "Jan"]), ["0006-12-01", "0007-01-01"]);
        let week_53 = place("time-series", &["KW 52", "KW 53", "KW 1"]);
        assert_eq!(week_53, ["0002-12-30", "KW 53", "0003-01-06"]);
        assert_eq!(place("line", &["KW 50", "KW 52", "KW 53"])[2], "KW 53");
        let unsorted = place("time-series", &["KW 14", "KW 18", "KW 15"]);
        assert_eq!(unsorted, ["0002-04-08", "0002-05-06", "0002-04-15"]);
        assert_eq!(place("time-series", &["Q1", "Q2", "Q4"])[2], "0010-10-01");
        assert_eq!(place("time-series", &["Mrz", "Apr"]), ["0006-03-01", "0006-04-01"]);
    }

    #[test]
    fn times_of_different_weeks_keep_their_time_of_day() {
        let times = ["2025-06-01T21:00:00Z", "2025-06-02T00:00:00Z", "2025-06-02T03:00:00Z"];
        assert_eq!(place("time-series", &times), times);
    }

    #[test]
    fn lines_keep_the_distances_of_periods_only_if_one_is_missing() {
        assert_eq!(place("line", &["Q1 2023", "Q2 2023", "Q4 2023"])[2], "2023-Q4");
        assert_eq!(place("area", &["KW 14 2024", "KW 15 2024", "KW 18 2024"])[2], "2024-04-29");
        assert_eq!(place("line", &["KW 14", "KW 15", "KW 18"])[2], "0002-05-06");
        assert_eq!(place("line", &["Jan", "Feb", "Apr"])[2], "0006-04-01");
        for labels in [
            &["Q1 2023", "Q2 2023", "Q3 2023", "Q4 2023", "Q1 2024"][..],
            &["KW 51", "KW 52", "KW 1"],
            &["KW 14", "KW 16", "KW 18"],
            &["KW 14", "KW 18", "KW 15"],
            &["KW 14", "KW 15", "Total", "KW 18"],
            &["Q1", "Q2", "KW 9"],
            &["A1", "A2", "A5"],
        ] {
            assert_eq!(place("line", labels), labels);
        }
        assert_eq!(place("bar", &["Q1", "Q2", "Q4"]), ["Q1", "Q2", "Q4"]);
    }
}
