//! Columns of dates that are texts such as `03.05.2024`, `3/5/2024` and `5. März 2024`.
//!
//! A text with slashes or hyphens can have two readings, so that the texts of a column are read
//! together. The kinds then see dates of ISO 8601. A text that may be another date stays as it is
//! and is reported.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use crate::data;
use crate::date_text;
use crate::date_text::DateOrder;
use crate::format::{Locale, date};
use crate::number_columns;
use crate::number_text;

/// Kinds that need a date in each record, and the columns with dates. A date in `label` counts only
/// if no record has a `date`.
const DATED_KINDS: [(&str, &[&str]); 7] = [
    ("burndown", &["date"]),
    ("calendar-heat-map", &["date", "label"]),
    ("candlestick", &["date", "label"]),
    ("gantt", &["start", "end"]),
    ("roadmap", &["start", "end"]),
    ("time-series", &["date", "label"]),
    ("timeline", &["date"]),
];
/// Kinds with a time axis if all labels are dates, and with categories otherwise.
const KINDS_WITH_CATEGORIES: [&str; 4] = ["area", "line", "projection", "small-multiples"];

/// Replaces texts by dates of ISO 8601 in the columns that the kind `slug` reads as dates. Reports
/// for each column at most one text that has two readings, or that is no date in the order of the
/// other texts. Returns the records unchanged if no column has such texts.
///
/// The order of day and month is that of the texts of a column with only one reading, otherwise
/// that of the other columns. Otherwise, the month is first in times with AM or PM, and other texts
/// have the order of `locale`. Dates with points have the day first.
pub(crate) fn read_dates<'a>(
    records: Cow<'a, [Value]>,
    slug: &str,
    locale: Locale,
    mut warn: impl FnMut(String),
) -> Cow<'a, [Value]> {
    let columns = find_columns(&records, slug);
    if columns.is_empty() {
        return records;
    }
    let all = columns.iter().map(|column| column.separated);
    let all = all.fold(OrderVotes::default(), OrderVotes::add);
    let has_half_days = columns.iter().any(|column| column.has_half_days);
    let usual = if has_half_days { DateOrder::MonthDay } else { DateOrder::of_locale(locale) };
    let default = all.majority_order().unwrap_or(usual);
    let mut replaced = records.into_owned();
    for column in &columns {
        if let Some(message) = column.report(&replaced, &all, default) {
            warn(message);
        }
        for record in &mut replaced {
            let Some(value) = record.get_mut(column.key) else { continue };
            if let Some(iso) = value.as_str().and_then(|text| column.read(text, default)) {
                *value = Value::String(iso);
            }
        }
    }
    Cow::Owned(replaced)
}

/// Returns the columns of the kind `slug` with dates in other notations than ISO 8601. Looks at
/// `label` only if no record has a `date`. Empty for kinds without dates.
fn find_columns(records: &[Value], slug: &str) -> Vec<DateColumn> {
    let (keys, is_optional): (&[&str], bool) =
        match DATED_KINDS.iter().find(|(known, _)| *known == slug) {
            Some((_, keys)) => (keys, false),
            None if KINDS_WITH_CATEGORIES.contains(&slug) => (&["date", "label"], true),
            None => return Vec::new(),
        };
    let has_dates = records.iter().any(|record| !data::field(record, "date").is_null());
    let keys = keys.iter().filter(|key| **key != "label" || !has_dates);
    keys.filter_map(|key| DateColumn::find(records, key, is_optional)).collect()
}

/// Numbers of texts that are dates in only one order.
#[derive(Clone, Copy, Default)]
struct OrderVotes {
    day_first: usize,
    month_first: usize,
}

impl OrderVotes {
    /// Returns the sums of the votes of both.
    fn add(self, other: OrderVotes) -> OrderVotes {
        OrderVotes {
            day_first: self.day_first + other.day_first,
            month_first: self.month_first + other.month_first,
        }
    }

    /// Returns the order that more texts need. None if both orders have equally many.
    fn majority_order(self) -> Option<DateOrder> {
        match self.day_first.cmp(&self.month_first) {
            std::cmp::Ordering::Greater => Some(DateOrder::DayMonth),
            std::cmp::Ordering::Less => Some(DateOrder::MonthDay),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// A column with dates that kinds cannot read by themselves.
struct DateColumn {
    key: &'static str,
    /// Votes of the dates with points.
    dotted: OrderVotes,
    /// Votes of the dates with slashes or hyphens.
    separated: OrderVotes,
    /// Record of the first text with two readings, and not with points.
    ambiguous: Option<usize>,
    /// Whether a date with two readings has a time with AM or PM.
    has_half_days: bool,
    /// Whether numbers below 100 after the name of a month are rather days than years.
    has_days_without_year: bool,
}

impl DateColumn {
    /// Counts for the texts in the column `key` whether the day or the month comes first. None if no text
    /// is a date in another notation than ISO 8601, which chart kinds read without help.
    ///
    /// With `is_optional`, the column may also be one of categories. Then also None if any text is no date,
    /// or is a quarter or a week, or if the numbers after names of months look like days, as in `May 12`.
    fn find(records: &[Value], key: &'static str, is_optional: bool) -> Option<DateColumn> {
        let mut column = DateColumn {
            key,
            dotted: OrderVotes::default(),
            separated: OrderVotes::default(),
            ambiguous: None,
            has_half_days: false,
            has_days_without_year: false,
        };
        let mut short_numbers = Vec::new();
        let mut has_texts = false;
        for (row, record) in records.iter().enumerate() {
            let Some(text) = data::field(record, key).as_str().map(str::trim) else { continue };
            if is_iso(text) || number_text::is_missing(text) {
                continue;
            }
            let readings = date_text::read_date(text);
            let is_date = readings.day_first || readings.month_first;
            if is_optional && (!is_date || date_text::has_quarter_or_week(text)) {
                return None;
            }
            has_texts |= is_date;
            let has_points = has_points(text);
            let votes = if has_points { &mut column.dotted } else { &mut column.separated };
            match (readings.day_first, readings.month_first) {
                (true, false) => votes.day_first += 1,
                (false, true) => votes.month_first += 1,
                _ if readings.is_ambiguous && !has_points => {
                    column.ambiguous.get_or_insert(row);
                    column.has_half_days |= date_text::has_half_day(text);
                }
                _ => {}
            }
            short_numbers.extend(date_text::month_with_short_number(text));
        }
        column.has_days_without_year = are_days(&short_numbers);
        let is_readable = has_texts && !(is_optional && column.has_days_without_year);
        is_readable.then_some(column)
    }

    /// Returns the order of most dates with slashes and hyphens. `default` if both orders have
    /// equally many.
    fn order(&self, default: DateOrder) -> DateOrder {
        self.separated.majority_order().unwrap_or(default)
    }

    /// Converts a text that kinds cannot read without help to a date of ISO 8601. Texts with points
    /// have the day first unless the column decides otherwise. None for dates that kinds can read,
    /// for texts that are no date, and for a month with a number that is rather a day than a year.
    fn read(&self, text: &str, default: DateOrder) -> Option<String> {
        let text = text.trim();
        let is_day =
            self.has_days_without_year && date_text::month_with_short_number(text).is_some();
        if is_iso(text) || is_day {
            return None;
        }
        let order = match has_points(text) {
            true => self.dotted.majority_order().unwrap_or(DateOrder::DayMonth),
            false => self.order(default),
        };
        date_text::to_iso_date(text, order).filter(|iso| iso != text)
    }

    /// Returns a report about the first text that is no date in the order of the other texts,
    /// otherwise about the first text with two readings if no text decides between them. `all` has
    /// the votes of all columns.
    fn report(&self, records: &[Value], all: &OrderVotes, default: DateOrder) -> Option<String> {
        let text_of =
            |row: usize| records.get(row).and_then(|record| data::field(record, self.key).as_str());
        let name = number_columns::quote(self.key);
        let is_mixed = |votes: &OrderVotes| votes.day_first > 0 && votes.month_first > 0;
        if self.has_days_without_year || is_mixed(&self.dotted) || is_mixed(&self.separated) {
            let is_lost = |row: &usize| {
                text_of(*row).is_some_and(|text| {
                    let readings = date_text::read_date(text);
                    (readings.day_first || readings.month_first)
                        && !is_iso(text.trim())
                        && date::parse(text).is_none()
                        && self.read(text, default).is_none()
                })
            };
            let row = (0..records.len()).find(is_lost)?;
            let quoted = number_columns::quote(text_of(row)?);
            let record = row + 1;
            return Some(format!(
                "{quoted} in column {name}, record {record}, is not a date in the order of the other dates."
            ));
        }
        let is_decided = self.separated.majority_order().or(all.majority_order()).is_some();
        let text = text_of(self.ambiguous.filter(|_| !is_decided)?)?;
        let (quoted, iso) = (number_columns::quote(text), self.read(text, default)?);
        Some(format!("{quoted} in column {name} is read as {iso}."))
    }
}

/// Returns whether a text starts with a year, a hyphen and a digit, as in ISO 8601, has at least 7
/// bytes, and does not end with a word such as `PM` or `CET`. Cheaper than parsing it.
fn is_iso(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends_with_word =
        bytes.last().is_some_and(|last| last.is_ascii_alphabetic() && !b"Zz".contains(last));
    bytes.len() >= 7
        && !ends_with_word
        && bytes.iter().take(4).all(u8::is_ascii_digit)
        && bytes.get(4) == Some(&b'-')
        && bytes.get(5).is_some_and(u8::is_ascii_digit)
}

/// Returns whether the part of a text before the first colon has a point, so that the day has
/// points, as opposed to `p.m.` and fractions of a second.
fn has_points(text: &str) -> bool {
    text.split(':').next().is_some_and(|day| day.contains('.'))
}

/// Returns whether the numbers after the names of months are rather days than years: they have more
/// different values than the months, or one is below 10 and not all are equal. The pairs are a
/// month and its number.
fn are_days(short_numbers: &[(usize, i32)]) -> bool {
    let months: HashSet<usize> = short_numbers.iter().map(|(month, _)| *month).collect();
    let numbers: HashSet<i32> = short_numbers.iter().map(|(_, number)| *number).collect();
    numbers.len() > months.len() || numbers.iter().any(|number| *number < 10) && numbers.len() > 1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the column `date` of a time series after reading, and the warnings.
    fn read(texts: &[&str], tag: &str) -> (Vec<String>, Vec<String>) {
        read_column(texts, "time-series", "date", tag)
    }

    fn read_column(texts: &[&str], slug: &str, key: &str, tag: &str) -> (Vec<String>, Vec<String>) {
        let records: Vec<Value> = texts.iter().map(|text| json!({ key: text })).collect();
        let mut warnings = Vec::new();
        let warn = |warning| warnings.push(warning);
        let read = read_dates(Cow::Borrowed(&records), slug, Locale::parse(tag), warn);
        let texts = read.iter().map(|record| record[key].as_str().unwrap_or("").to_owned());
        (texts.collect(), warnings)
    }

    #[test]
    fn dates_without_a_second_reading_need_no_order() {
        let texts = ["03.05.2024", "5. März 2024", "Mrz 24", "2024-01-02", "31/12/2023", "n/a"];
        let expected = ["2024-05-03", "2024-03-05", "2024-03", "2024-01-02", "2023-12-31", "n/a"];
        for tag in ["de", "en", "en-US"] {
            let (dates, warnings) = read(&texts, tag);
            assert_eq!((dates.as_slice(), warnings.len()), (&expected.map(str::to_owned)[..], 0));
        }
    }

    #[test]
    fn a_value_over_twelve_or_the_locale_decides_the_order() {
        assert_eq!(read(&["3/5/2024", "3/25/2024"], "de").0, ["2024-03-05", "2024-03-25"]);
        assert_eq!(read(&["3/5/2024", "25/3/2024"], "en-US").0, ["2024-05-03", "2024-03-25"]);
        let (dates, warnings) = read(&["5/5/2024", "3/5/2024"], "en-US");
        assert_eq!(dates, ["2024-05-05", "2024-03-05"]);
        assert_eq!(warnings, ["“3/5/2024” in column “date” is read as 2024-03-05."]);
        let (dates, warnings) = read(&["3/5/2024"], "de");
        assert_eq!((&*dates[0], warnings.len()), ("2024-05-03", 1));
    }

    #[test]
    fn times_with_am_or_pm_have_the_month_first_if_no_other_date_decides() {
        let (dates, warnings) = read(&["3/4/2024 1:30 PM", "3/4/2024 2:00 p.m."], "de");
        assert_eq!(dates, ["2024-03-04 13:30:00", "2024-03-04 14:00:00"]);
        assert_eq!(warnings.len(), 1);
        let (dates, _) = read(&["3/4/2024 1:30 PM", "25/4/2024 2:00 PM"], "en");
        assert_eq!(dates, ["2024-04-03 13:30:00", "2024-04-25 14:00:00"]);
        assert_eq!(read(&["2024-03-04 1:30 PM"], "en").0, ["2024-03-04 13:30:00"]);
    }

    #[test]
    fn another_column_decides_the_order() {
        let records = [json!({ "start": "3/5/2024", "end": "3/15/2024" })];
        let locale = Locale::parse("de");
        let read = read_dates(Cow::Borrowed(&records), "gantt", locale, |text| panic!("{text}"));
        assert_eq!(read[0], json!({ "start": "2024-03-05", "end": "2024-03-15" }));
    }

    #[test]
    fn a_date_in_another_order_is_not_read_as_another_date() {
        let (dates, warnings) = read(&["3/25/2024", "25/3/2024", "4/26/2024"], "de");
        assert_eq!(dates, ["2024-03-25", "25/3/2024", "2024-04-26"]);
        let expected = "“25/3/2024” in column “date”, record 2, is not a date in the order of the other dates.";
        assert_eq!(warnings, [expected]);
        let days = ["Mar 24", "Mar 25", "Mar 26"];
        let (dates, warnings) = read(&days, "en");
        assert_eq!((dates.as_slice(), warnings.len()), (&days.map(str::to_owned)[..], 1));
    }

    #[test]
    fn categories_keep_their_names_unless_all_are_days_or_months() {
        let check = |texts: &[&str], slug: &str, expected: &[&str]| {
            assert_eq!(read_column(texts, slug, "label", "de").0, expected);
        };
        check(&["Jan 24", "Feb 24"], "line", &["2024-01", "2024-02"]);
        check(&["Jan 24", "Feb 24"], "bar", &["Jan 24", "Feb 24"]);
        check(&["Jan 24", "Gesamt"], "line", &["Jan 24", "Gesamt"]);
        check(&["Q1 2024", "Q2 2024"], "area", &["Q1 2024", "Q2 2024"]);
        check(&["KW 14 2024"], "area", &["KW 14 2024"]);
        check(&["KW14/2024", "2023Q4"], "line", &["KW14/2024", "2023Q4"]);
        // Weeks without a year stay categories in the order of the rows.
        check(&["KW 52", "KW 1"], "line", &["KW 52", "KW 1"]);
        check(&["2023Q4", "1Q24"], "time-series", &["2023-Q4", "2024-Q1"]);
        check(&["KW 14 2024"], "time-series", &["2024-04-01"]);
        check(&["Mar 24", "Mar 25"], "line", &["Mar 24", "Mar 25"]);
    }
}
