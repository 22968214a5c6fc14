//! Dates as people and spreadsheet programs write them, such as `31.12.2023`, `3/14/24` and `Mrz
//! 24`.
//!
//! A text such as `3/4/2024` has two readings, so that a column needs one [`DateOrder`].

mod periods;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Ordering;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::date_words;
use crate::date_words::{
    find_month, is_filler, is_quarter_word, is_week_word, is_weekday, strip_weekday, strip_zone,
};
use crate::format;
use crate::format::date::PeriodUnit;
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
/// programs write a text like that in American English only, see [`is_american_style`].
pub fn find_order<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    known: Option<DateOrder>,
) -> DateOrder {
    let count =
        |order| texts.clone().filter(|text| read_date(text).certain_order == Some(order)).count();
    match count(DateOrder::MonthDay).cmp(&count(DateOrder::DayMonth)) {
        Ordering::Greater => DateOrder::MonthDay,
        Ordering::Less => DateOrder::DayMonth,
        Ordering::Equal => known.unwrap_or_else(|| match texts.clone().any(is_american_style) {
            true => DateOrder::MonthDay,
            false => DateOrder::DayMonth,
        }),
    }
}

/// Returns whether a date has a form of American English: with slashes and a day or month of one
/// digit, such as `3/5/24`, or with a time such as `1:30 PM`. Does not check that the text is a
/// date.
pub fn is_american_style(text: &str) -> bool {
    has_short_parts(text) || has_half_day(text)
}

/// Returns whether a text such as `3/5/24` has slashes, and one of its first two parts has one
/// character.
fn has_short_parts(text: &str) -> bool {
    let mut parts = text.split('/');
    let is_short = |part: Option<&str>| part.is_some_and(|part| part.trim().len() == 1);
    text.contains('/') && (is_short(parts.next()) || is_short(parts.next()))
}

/// Returns whether a text has a colon and ends with AM, PM, a.m. or p.m. in any case, as in
/// `1:30 PM`. A time zone after it is ignored.
pub fn has_half_day(text: &str) -> bool {
    let text = strip_zone(text.trim()).trim_end_matches('.');
    let is_ending = |ending: &&str| {
        let at = text.len().saturating_sub(ending.len());
        text.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    text.contains(':') && ["AM", "PM", "a.m", "p.m"].iter().any(is_ending)
}

/// Returns the readings of a text as a date, possibly with a weekday, a time of day and a time
/// zone. No field is set if the text is not a date. Both orders are set for a date without an
/// order, such as `2024-03-09` and `3 March 2024`. Allocates nothing for dates of numbers.
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
/// Removes weekdays, and replaces names of time zones such as `CET` by their offset `+01:00`. A text
/// that charts can read is otherwise returned without changes.
pub fn to_iso_date(text: &str, order: DateOrder) -> Option<String> {
    let whole = to_ascii(text.trim());
    let whole = strip_weekday(&whole);
    let text = strip_zone(whole);
    if !may_be_date(text) {
        return None;
    }
    let zone = if text.len() < whole.len() { date_words::iso_zone(whole) } else { None };
    let zone = zone.unwrap_or_default();
    if date::parse(text).is_some() {
        return Some(format!("{text}{zone}"));
    }
    let (day, time) = split_time(text);
    let iso = parse_numbers(day, order).map(NumericDate::to_iso).or_else(|| parse_words(day))?;
    let whole = if time.is_empty() { iso } else { format!("{iso} {time}{zone}") };
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
/// Korean dates by hyphens: `2024年3月4日` becomes `2024-03-04`. Returns texts that are too long for a
/// date unchanged.
fn to_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.len() > MAX_BYTES {
        return Cow::Borrowed(text);
    }
    let text: String = text.chars().map(number_text::to_ascii_digit).collect();
    Cow::Owned(join_signed_date(&text).unwrap_or(text))
}

/// Returns a date such as `2024年3月4日` with hyphens. A month, a day and a time may be absent. None
/// if no year sign follows a number, or if a number before a sign is invalid.
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

/// Returns whether a text is empty or a time of day such as `14:30`, without AM or PM.
fn is_time(text: &str) -> bool {
    text.is_empty() || date::parse(&format!("2000-01-01 {text}")).is_some()
}

/// Returns the time zone of a date with a time of day, such as `+01:00` and `CET`. All names of UTC
/// give `Z`. `None` without a zone. Charts show the wall clock if all zones are equal, and UTC
/// otherwise.
pub fn find_zone(text: &str) -> Option<&str> {
    date_words::find_zone(text)
}

/// Returns whether a text is only the name of a month in a language of the locales, or its
/// abbreviation.
pub fn is_month_name(word: &str) -> bool {
    month_of_name(word).is_some()
}

/// Returns whether a text is only the name of a day of the week in a language of the locales, or its
/// abbreviation.
pub fn is_weekday_name(word: &str) -> bool {
    matches!(fold_words(word).as_slice(), [word] if is_weekday(word))
}

/// Returns the number, 1 to 12, of the month with this name or abbreviation in a language of the
/// locales. Ignores case, diacritics and points. None for other texts.
pub fn month_of_name(word: &str) -> Option<usize> {
    match fold_words(word).as_slice() {
        [word] => find_month(word),
        _ => None,
    }
}

/// Returns the unit and the number, from 1, of a week, a quarter or a month without a year, such as
/// `KW 14`, `3. Quartal` and `Mrz`. None for other texts.
pub(crate) fn read_period_of_year(text: &str) -> Option<(PeriodUnit, u32)> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let words = fold_words(text);
    let parts: Vec<&str> = words.iter().flat_map(|word| periods::split_digits(word)).collect();
    let (word, number) = match parts.as_slice() {
        [month] => return Some((PeriodUnit::Month, u32::try_from(find_month(month)?).ok()?)),
        [number, word] if number.starts_with(|first: char| first.is_ascii_digit()) => {
            (*word, *number)
        }
        [word, number] => (*word, *number),
        _ => return None,
    };
    let number = u32::try_from(parse_digits(number, 2)?).ok()?;
    // `T1` may be the name of anything.
    let is_quarter = is_quarter_word(word) && word != "t" && (1..=4).contains(&number);
    match is_week_word(word) && (1..=53).contains(&number) {
        true => Some((PeriodUnit::Week, number)),
        false => is_quarter.then_some((PeriodUnit::Quarter, number)),
    }
}

/// Returns whether a text has a word or letter for a quarter or a week, such as `Q2` or `KW 14`.
/// Ignores the numbers. False for a text with a time of day, in which `T` is no `Trimestre`.
pub(crate) fn has_quarter_or_week(text: &str) -> bool {
    if text.contains(':') {
        return false;
    }
    let mut words = text.split(|letter: char| !letter.is_alphabetic());
    words.any(|word| {
        let word = word.to_lowercase();
        is_quarter_word(&word) || is_week_word(&word)
    })
}

/// Returns the month, 1 to 12, and the number of a text such as `Mar 24` or `Mar 5`, in which the
/// number can be a year or a day. None for other texts, and for a number with an apostrophe, which
/// is a year.
pub fn month_with_short_number(text: &str) -> Option<(usize, i32)> {
    if !may_be_date(text) || text.contains(['\'', '’']) {
        return None;
    }
    match fold_words(text).as_slice() {
        [month, number] => Some((find_month(month)?, parse_digits(number, 2)?)),
        _ => None,
    }
}

/// Splits a text into the date and the time of day, which is the last part. The time is empty if
/// there is none. Times with a word, such as `2:30 PM`, get the notation of ISO 8601.
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
    /// Returns the date in the notation of ISO 8601, such as `2024-03-09`, or `2024-03` without a
    /// day.
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

/// Returns the number of days of a month, 1 to 12, of the Gregorian calendar.
fn days_in_month(year: i32, month: i32) -> i32 {
    let days = date::days_from_civil(year, month + 1, 1) - date::days_from_civil(year, month, 1);
    i32::try_from(days).unwrap_or(0)
}

/// Converts dates with the name of a month, a quarter or a week to ISO 8601: `3. März 2024`,
/// `March 3, 2024`, `Mrz 24`, `Q2 2024`, `KW 14 2024`. A week becomes its Monday. `Mar 24` is a
/// month with a year, but `24 March`, a day without a year, gives None like other texts.
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

/// Returns whether a text starts with exactly four digits.
fn starts_with_year(text: &str) -> bool {
    text.bytes().take_while(u8::is_ascii_digit).count() == 4
}

/// Returns a day in the notation of ISO 8601, or None if it is not in the calendar. `day` may end
/// with letters, as in `3rd`, and `year` has two or four digits.
fn iso_day(year: &str, month: usize, day: &str) -> Option<String> {
    let day = day.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let iso = format!("{:04}-{month:02}-{:02}", parse_year(year)?, parse_digits(day, 2)?);
    date::parse(&iso).is_some().then_some(iso)
}

/// Splits a text at all other characters than letters and digits, and returns the words in lower
/// case and without diacritics.
pub(crate) fn fold_words(text: &str) -> Vec<String> {
    let letters = text.nfkd().filter(|letter| !is_combining_mark(*letter));
    let folded: String = letters.flat_map(char::to_lowercase).collect();
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Parses a year with four digits from 1000 on, or with two digits, which mean 1970 to 2069. An
/// apostrophe before it is ignored. None for other texts.
fn parse_year(text: &str) -> Option<i32> {
    let text = text.trim_start_matches(['\'', '’']);
    match text.len() {
        4 => parse_digits(text, 4).filter(|year| (1000..=9999).contains(year)),
        2 => parse_digits(text, 2)
            .map(|year| if year < CENTURY_PIVOT { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

/// Parses a number of one to `max_digits` ASCII digits. None for other texts.
fn parse_digits(text: &str, max_digits: usize) -> Option<i32> {
    let is_valid =
        (1..=max_digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_valid { text.parse().ok() } else { None }
}
