//! Dates as people and spreadsheet programs write them, such as `31.12.2023`, `3/14/24` and `Mrz
//! 24`.
//!
//! A text such as `3/4/2024` has two readings, so that a column needs one [`DateOrder`].

mod periods;

use std::borrow::Cow;
use std::cmp::Ordering;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::date_words;
use crate::date_words::{find_month, is_filler, strip_weekday, strip_zone};
use crate::format;
use crate::format::{Locale, date};
use crate::number_text;
use crate::times_of_day;

/// Maximum length of a date in bytes. Longer texts are not dates.
const MAX_BYTES: usize = 40;
/// Two-digit years below this number belong to the 21st century.
const CENTURY_PIVOT: i32 = 70;

/// Order of day and month in dates of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// As in `31.12.2023`.
    DayMonth,
    /// As in `12/31/2023`.
    MonthDay,
}

impl DateOrder {
    /// Returns the order of a locale. [`Self::MonthDay`] also if its dates start with the year.
    pub fn of_locale(locale: Locale) -> Self {
        match locale.date_order {
            format::DateOrder::MonthDay | format::DateOrder::YearMonthDay { .. } => Self::MonthDay,
            format::DateOrder::DayMonth
            | format::DateOrder::DayDotMonth
            | format::DateOrder::DayPrefixMonth(_) => Self::DayMonth,
        }
    }
}

/// Readings of a text as a date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DateReadings {
    /// Whether the text is a date with the day first.
    pub day_first: bool,
    /// Whether the text is a date with the month first.
    pub month_first: bool,
    /// The only possible order. A date with points has the day first. `None` for a date without an
    /// order, and for a text with two readings.
    pub certain_order: Option<DateOrder>,
    /// Whether both orders are possible and give different dates.
    pub is_ambiguous: bool,
}

/// Returns the order of day and month in texts of one kind, such as the headings of a table.
///
/// Texts with only one reading decide. Without them, it is `known`, otherwise the month is first if
/// programs write a text like that in American English only, see [`has_short_parts`].
pub fn find_order<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    known: Option<DateOrder>,
) -> DateOrder {
    let count =
        |order| texts.clone().filter(|text| read_date(text).certain_order == Some(order)).count();
    match count(DateOrder::MonthDay).cmp(&count(DateOrder::DayMonth)) {
        Ordering::Greater => DateOrder::MonthDay,
        Ordering::Less => DateOrder::DayMonth,
        Ordering::Equal => known.unwrap_or_else(|| match texts.clone().any(has_short_parts) {
            true => DateOrder::MonthDay,
            false => DateOrder::DayMonth,
        }),
    }
}

/// Returns whether a text such as `3/5/24` has slashes, and a day or month of one digit.
pub fn has_short_parts(text: &str) -> bool {
    let mut parts = text.split('/');
    let is_short = |part: Option<&str>| part.is_some_and(|part| part.trim().len() == 1);
    text.contains('/') && (is_short(parts.next()) || is_short(parts.next()))
}

/// Returns the readings of a text as a date, possibly with a weekday, a time of day and a time
/// zone. No field is set if the text is not a date. Allocates nothing for dates of numbers.
pub fn read_date(text: &str) -> DateReadings {
    let text = to_ascii(text.trim());
    let text = strip_zone(strip_weekday(&text));
    let without_order = DateReadings { day_first: true, month_first: true, ..Default::default() };
    if !may_be_date(text) {
        return DateReadings::default();
    }
    if date::parse(text).is_some() {
        return without_order;
    }
    let (day, time) = split_time(text);
    if !is_time(&time) {
        return DateReadings::default();
    }
    let day_first = parse_numbers(day, DateOrder::DayMonth);
    let month_first = parse_numbers(day, DateOrder::MonthDay);
    let certain_order = match (day_first, month_first) {
        (None, None) if parse_words(day).is_some() => return without_order,
        (Some(_), None) => Some(DateOrder::DayMonth),
        (None, Some(_)) => Some(DateOrder::MonthDay),
        (Some(date), Some(_)) if date.day.is_some() && day.contains('.') => {
            Some(DateOrder::DayMonth)
        }
        _ => None,
    };
    DateReadings {
        day_first: day_first.is_some(),
        month_first: month_first.is_some(),
        certain_order,
        is_ambiguous: certain_order.is_none() && day_first != month_first,
    }
}

/// Returns a date as a text that charts read: `2024`, `2024-03`, `2024-03-09` or `2024-Q2`,
/// possibly with a time of day. `None` if the text is not a date in this order.
///
/// Removes weekdays and time zones. A text that charts can read is otherwise returned without
/// changes.
pub fn to_iso_date(text: &str, order: DateOrder) -> Option<String> {
    let text = to_ascii(text.trim());
    let text = strip_zone(strip_weekday(&text));
    if !may_be_date(text) {
        return None;
    }
    if date::parse(text).is_some() {
        return Some(text.to_owned());
    }
    let (day, time) = split_time(text);
    let iso = parse_numbers(day, order).map(NumericDate::to_iso).or_else(|| parse_words(day))?;
    let whole = if time.is_empty() { iso } else { format!("{iso} {time}") };
    date::parse(&whole).is_some().then_some(whole)
}

/// Returns a date like [`to_iso_date`]. `None` also if both orders are possible and give different
/// dates.
pub fn to_certain_iso_date(text: &str) -> Option<String> {
    let readings = read_date(text);
    let order = readings.certain_order.unwrap_or(DateOrder::DayMonth);
    if readings.is_ambiguous { None } else { to_iso_date(text, order) }
}

/// Replaces Arabic and full-width digits by those of ASCII, and the signs of Chinese, Japanese and
/// Korean dates by hyphens: `2024年3月4日` becomes `2024-03-04`.
fn to_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.len() > MAX_BYTES {
        return Cow::Borrowed(text);
    }
    let text: String = text.chars().map(number_text::to_ascii_digit).collect();
    Cow::Owned(join_signed_date(&text).unwrap_or(text))
}

/// Returns a date such as `2024年3月4日` with hyphens. A month, a day and a time may be absent.
fn join_signed_date(text: &str) -> Option<String> {
    let (year, rest) = text.split_once(['年', '년'])?;
    let mut date = format!("{:04}", parse_digits(year.trim(), 4)?);
    let mut rest = rest.trim();
    for signs in [['月', '월'], ['日', '일']] {
        let Some((number, after)) = rest.split_once(signs) else { break };
        date.push_str(&format!("-{:02}", parse_digits(number.trim(), 2)?));
        rest = after.trim();
    }
    Some(format!("{date} {rest}").trim_end().to_owned())
}

/// Returns whether a text is short enough for a date and has a digit.
fn may_be_date(text: &str) -> bool {
    text.len() <= MAX_BYTES && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns whether a text is empty or a time of day.
fn is_time(text: &str) -> bool {
    text.is_empty() || date::parse(&format!("2000-01-01 {text}")).is_some()
}

/// Returns the time zone of a date with a time of day, such as `+01:00` and `CET`. All names of UTC
/// give `Z`. `None` without a zone. Charts ignore zones.
pub fn find_zone(text: &str) -> Option<&str> {
    date_words::find_zone(text)
}

/// Returns whether a word is the name of a month in a language of the locales, or its abbreviation.
pub fn is_month_name(word: &str) -> bool {
    month_of_name(word).is_some()
}

/// Returns the number, 1 to 12, of the month with this name or abbreviation in a language of the
/// locales.
pub fn month_of_name(word: &str) -> Option<usize> {
    match fold_words(word).as_slice() {
        [word] => find_month(word),
        _ => None,
    }
}

/// Returns the month and the number of a text such as `Mar 24` or `Mar 5`, in which the number can
/// be a year or a day.
pub fn month_with_short_number(text: &str) -> Option<(usize, i32)> {
    if !may_be_date(text) || text.contains(['\'', '’']) {
        return None;
    }
    match fold_words(text).as_slice() {
        [month, number] => Some((find_month(month)?, parse_digits(number, 2)?)),
        _ => None,
    }
}

/// Splits a text at the time of day, which is the last part. Times with a word, such as `2:30 PM`,
/// get the notation of ISO 8601.
fn split_time(text: &str) -> (&str, Cow<'_, str>) {
    if !text.contains(':') {
        return (text, Cow::Borrowed(""));
    }
    if text.ends_with(char::is_alphabetic) || text.ends_with('.') {
        let spaces = text.match_indices(' ').map(|(at, _)| text.split_at(at));
        let with_word = spaces.into_iter().find_map(|(date, time)| {
            let seconds = times_of_day::parse(time)?;
            let time = date::format_with_pattern(seconds, "HH:mm:ss", Locale::default());
            Some((date.trim_end_matches([' ', ',']), Cow::Owned(time)))
        });
        if let Some(found) = with_word {
            return found;
        }
    }
    match text.rsplit_once([' ', 'T']) {
        Some((date, time)) if time.contains(':') => {
            (date.trim_end_matches([' ', ',']), Cow::Borrowed(time))
        }
        _ => (text, Cow::Borrowed("")),
    }
}

/// A valid date that consists of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NumericDate {
    year: i32,
    month: i32,
    /// `None` for a month.
    day: Option<i32>,
}

impl NumericDate {
    /// Returns the date in the notation of ISO 8601.
    fn to_iso(self) -> String {
        let Self { year, month, .. } = self;
        match self.day {
            Some(day) => format!("{year:04}-{month:02}-{day:02}"),
            None => format!("{year:04}-{month:02}"),
        }
    }
}

/// Parses `31.12.2023`, `12/31/23`, `31-12-2023`, `2023/12/31` and `12/2023`. `order` matters only
/// for dates that end with the year. `None` for invalid dates, and for `24-03-05`.
fn parse_numbers(text: &str, order: DateOrder) -> Option<NumericDate> {
    // Korean dates end with a point: `2024. 3. 5.`
    let text = text.strip_suffix('.').filter(|rest| starts_with_year(rest)).unwrap_or(text);
    let separator = text.chars().find(|letter| matches!(letter, '.' | '/' | '-'))?;
    let mut parts = text.split(separator).map(str::trim);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let Some(year) = third else {
        let (month, year) = (parse_digits(first, 2)?, parse_digits(second, 4)?);
        let is_valid = second.len() == 4 && (1..=12).contains(&month);
        return is_valid.then_some(NumericDate { year, month, day: None });
    };
    let is_year_first = first.len() == 4;
    let (first, year) = if is_year_first { (year, first) } else { (first, year) };
    let (first, second) = (parse_digits(first, 2)?, parse_digits(second, 2)?);
    let (day, month) = match order {
        DateOrder::MonthDay if !is_year_first => (second, first),
        _ => (first, second),
    };
    // The year may be the first number of `24-03-05`.
    if separator == '-' && year.len() < 4 {
        return None;
    }
    let year = parse_year(year)?;
    let is_valid = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    is_valid.then_some(NumericDate { year, month, day: Some(day) })
}

/// Returns the number of days of a month.
fn days_in_month(year: i32, month: i32) -> i32 {
    let days = date::days_from_civil(year, month + 1, 1) - date::days_from_civil(year, month, 1);
    i32::try_from(days).unwrap_or(0)
}

/// Converts dates with the name of a month, a quarter or a week to ISO 8601: `3. März 2024`,
/// `March 3, 2024`, `Mrz 24`, `Q2 2024`, `KW 14 2024`. A week becomes its Monday.
fn parse_words(text: &str) -> Option<String> {
    let words = fold_words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // `mar` before another month is a day of the week.
    let month_at = words.iter().rposition(|word| find_month(word).is_some());
    if let Some(at) = month_at {
        let month = find_month(words[at])?;
        let numbers: Vec<&str> = words
            .iter()
            .enumerate()
            .filter(|(index, word)| *index != at && !is_filler(word) && **word != "mar")
            .map(|(_, word)| *word)
            .collect();
        return match numbers.as_slice() {
            // `24 March` is a day without a year.
            [number] if number.len() < 4 && at > 0 => None,
            [year] => Some(format!("{:04}-{month:02}", parse_year(year)?)),
            // `2024 March 3`
            [year, day] if year.len() == 4 => iso_day(year, month, day),
            [day, year] => iso_day(year, month, day),
            _ => None,
        };
    }
    periods::parse_period(&words)
}

/// Returns whether a text starts with a number of four digits.
fn starts_with_year(text: &str) -> bool {
    text.bytes().take_while(u8::is_ascii_digit).count() == 4
}

/// Returns the date of a day in a month, if both numbers are valid.
fn iso_day(year: &str, month: usize, day: &str) -> Option<String> {
    let day = day.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let iso = format!("{:04}-{month:02}-{:02}", parse_year(year)?, parse_digits(day, 2)?);
    date::parse(&iso).is_some().then_some(iso)
}

/// Splits a text into its words, in lower case and without diacritics.
fn fold_words(text: &str) -> Vec<String> {
    let letters = text.nfkd().filter(|letter| !is_combining_mark(*letter));
    let folded: String = letters.flat_map(char::to_lowercase).collect();
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Parses a year with four digits, or with two digits, which mean 1970 to 2069. An apostrophe
/// before it is ignored.
fn parse_year(text: &str) -> Option<i32> {
    let text = text.trim_start_matches(['\'', '’']);
    match text.len() {
        4 => parse_digits(text, 4).filter(|year| (1000..=9999).contains(year)),
        2 => parse_digits(text, 2)
            .map(|year| if year < CENTURY_PIVOT { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

/// Parses a number of one to `max_digits` digits.
fn parse_digits(text: &str, max_digits: usize) -> Option<i32> {
    let is_valid =
        (1..=max_digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_valid { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::DateOrder::{DayMonth, MonthDay};
    use super::*;

    #[test]
    fn dates_become_the_notation_of_charts() {
        let check = |text: &str, order: DateOrder, want: &str| {
            assert_eq!(to_iso_date(text, order).as_deref(), Some(want), "{text}");
        };
        check("31.12.2023", DayMonth, "2023-12-31");
        check("1.2.24", DayMonth, "2024-02-01");
        check("12/31/23", MonthDay, "2023-12-31");
        check("3/4/2024", DayMonth, "2024-04-03");
        check("3/4/2024", MonthDay, "2024-03-04");
        check("31.12.2023 14:30", DayMonth, "2023-12-31 14:30");
        check("3/14/2026 9:30 PM", MonthDay, "2026-03-14 21:30:00");
        check("14.03.2026, 6:05 Uhr", DayMonth, "2026-03-14 06:05:00");
        check("March 3, 2024 12:05 a.m.", DayMonth, "2024-03-03 00:05:00");
        check("03/2024", DayMonth, "2024-03");
        check("Mrz 24", DayMonth, "2024-03");
        check("März 2024", DayMonth, "2024-03");
        check("3. März 2024", DayMonth, "2024-03-03");
        check("March 3rd, 2024", DayMonth, "2024-03-03");
        check("Q2 2024", DayMonth, "2024-Q2");
        check("2024 Q2", DayMonth, "2024-Q2");
        check("KW 1 2026", DayMonth, "2025-12-29");
        check("2024-W14", DayMonth, "2024-04-01");
        check("14 avr. 2025", DayMonth, "2025-04-14");
        check("1er mai 2025", DayMonth, "2025-05-01");
        check("3 de marzo de 2025", DayMonth, "2025-03-03");
        check("12 października 2025", DayMonth, "2025-10-12");
        check("Mo, 03.03.2025", DayMonth, "2025-03-03");
        check("Monday, March 3, 2025", DayMonth, "2025-03-03");
        check("2026/03/01 9:12:33 AM MEZ", DayMonth, "2026-03-01 09:12:33");
        check("03/Mar/26 4:40 PM", DayMonth, "2026-03-03 16:40:00");
        check("2024-03-09T14:30", DayMonth, "2024-03-09T14:30");
        check("2024", DayMonth, "2024");
        for text in [
            "24-03-05",
            "24 March",
            "5 May",
            "31.13.2023",
            "12/31/2023",
            "x",
            "3.5",
            "1-2",
            "Mai",
            "24.12.",
            "12.345",
        ] {
            assert_eq!(to_iso_date(text, DayMonth), None, "{text}");
        }
    }

    #[test]
    fn quarters_weeks_and_dates_of_many_languages_are_read() {
        let check = |text: &str, order: DateOrder, want: &str| {
            assert_eq!(to_iso_date(text, order).as_deref(), Some(want), "{text}");
        };
        check("KW14/2024", DayMonth, "2024-04-01");
        check("14. KW 2024", DayMonth, "2024-04-01");
        check("W14 2024", DayMonth, "2024-04-01");
        check("2024 KW 14", DayMonth, "2024-04-01");
        check("CW 14/24", DayMonth, "2024-04-01");
        check("semaine 14 2024", DayMonth, "2024-04-01");
        check("2023Q4", DayMonth, "2023-Q4");
        check("Q4 2023", DayMonth, "2023-Q4");
        check("Q4/23", DayMonth, "2023-Q4");
        check("1Q24", DayMonth, "2024-Q1");
        check("4. Quartal 2023", DayMonth, "2023-Q4");
        check("T1 2023", DayMonth, "2023-Q1");
        check("4º trimestre 2023", DayMonth, "2023-Q4");
        check("2024年第1季度", DayMonth, "2024-Q1");
        check("2023M09", DayMonth, "2023-09");
        check("2024. 3. 5.", DayMonth, "2024-03-05");
        check("lundi 4 mars 2024", DayMonth, "2024-03-04");
        check("lun 4 mar 2024", DayMonth, "2024-03-04");
        check("mar 5 2024", DayMonth, "2024-03-05");
        check("mar 5 mar 2024", DayMonth, "2024-03-05");
        check("mar 2 abr 2024", DayMonth, "2024-04-02");
        check("2023m9", DayMonth, "2023-09");
        check("Mon Mar 04 2024 00:00:00 GMT+0100 (CET)", DayMonth, "2024-03-04 00:00:00");
        for text in ["KW 60 2024", "KW 14", "Q5 2024", "W 12/30", "T1 23"] {
            assert_eq!(to_iso_date(text, DayMonth), None, "{text}");
        }
    }

    #[test]
    fn the_order_is_certain_if_only_one_is_possible() {
        let certain = |text: &str| read_date(text).certain_order;
        assert_eq!(certain("31.12.2023"), Some(DayMonth));
        assert_eq!(certain("12/31/2023"), Some(MonthDay));
        assert_eq!(certain("12/31/2023 14:30"), Some(MonthDay));
        assert_eq!(certain("3.4.2024"), Some(DayMonth));
        assert_eq!(
            (certain("3/4/2024"), certain("2024-03-04"), certain("Mai 2024")),
            (None, None, None)
        );
        assert!(read_date("3/4/2024").is_ambiguous);
        for text in ["3.4.2024", "4/4/2024", "12/2024", "2024-03-04", "x"] {
            assert!(!read_date(text).is_ambiguous, "{text}");
        }
    }

    #[test]
    fn a_short_number_beside_a_month_is_a_year_or_a_day() {
        assert_eq!(month_with_short_number("Mrz 24"), Some((3, 24)));
        assert_eq!(month_with_short_number("May 5"), Some((5, 5)));
        for text in ["Mar '24", "Mar 2024", "24 Mar", "Mar", "KW 24"] {
            assert_eq!(month_with_short_number(text), None, "{text}");
        }
        assert!(is_month_name("März") && !is_month_name("Q1") && !is_month_name("März 24"));
    }

    #[test]
    fn a_date_with_two_readings_is_not_certain() {
        let certain = |text: &str| to_certain_iso_date(text);
        assert_eq!(certain("12/31/2023").as_deref(), Some("2023-12-31"));
        assert_eq!(certain("3. März 2024").as_deref(), Some("2024-03-03"));
        assert_eq!(certain("3/4/2024"), None);
    }

    #[test]
    fn readings_agree_with_the_conversion() {
        for text in
            ["31.12.2023", "1/2/24", "12/31/23", "Mrz 24", "2024", "x", "3.4.2024 25:00", "12/2024"]
        {
            let readings = read_date(text);
            assert_eq!(readings.day_first, to_iso_date(text, DayMonth).is_some(), "{text}");
            assert_eq!(readings.month_first, to_iso_date(text, MonthDay).is_some(), "{text}");
        }
    }
}
