//! Parsing and formatting of dates and times without a time zone.
//!
//! A timestamp is the number of seconds since 1970-01-01 00:00 on the wall clock of the data.

#[cfg(test)]
mod tests;

use crate::format::locale::{DateOrder, Locale};

/// Length of a day in seconds.
pub const DAY_SECONDS: f64 = 86_400.0;
/// Timestamp of 0:00 on the first day of the year 1. Times of the year 1 are times of day without a
/// date.
pub const FIRST_MIDNIGHT: f64 = -719_162.0 * DAY_SECONDS;
/// Timestamp of the first Monday of the year 2. The weeks from there to the end of the year 5 are
/// weeks without a year.
const FIRST_WEEK: f64 = FIRST_MIDNIGHT + 371.0 * DAY_SECONDS;
/// First year of the months without a year.
const FIRST_MONTH_YEAR: i32 = 6;
/// First year of the quarters without a year.
const FIRST_QUARTER_YEAR: i32 = 10;
/// Number of the weeks without a year after which they start again.
const WEEKS_OF_YEAR: u32 = 52;

/// Unit of a period that is named without its year, such as `W14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodUnit {
    /// A week from Monday to Sunday.
    Week,
    /// A month.
    Month,
    /// Three months.
    Quarter,
}

/// A week, month or quarter without a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodOfYear {
    /// Unit of the period.
    pub unit: PeriodUnit,
    /// Number in the first year, from 1. Numbers beyond the end of the year are in the next one, at
    /// most in the third.
    pub number: u32,
}

impl PeriodOfYear {
    /// Returns the number of periods of a year: 52 weeks, 12 months or 4 quarters.
    pub fn count(unit: PeriodUnit) -> u32 {
        match unit {
            PeriodUnit::Week => WEEKS_OF_YEAR,
            PeriodUnit::Month => 12,
            PeriodUnit::Quarter => 4,
        }
    }

    /// Returns the start of the period as a timestamp in the first years of the calendar, which no
    /// data has.
    pub fn to_timestamp(self) -> f64 {
        let index = self.number.saturating_sub(1) as i32;
        match self.unit {
            PeriodUnit::Week => FIRST_WEEK + f64::from(index) * 7.0 * DAY_SECONDS,
            PeriodUnit::Month => timestamp(FIRST_MONTH_YEAR, 1 + index, 1),
            PeriodUnit::Quarter => timestamp(FIRST_QUARTER_YEAR, 1 + 3 * index, 1),
        }
    }

    /// Returns the period without a year that contains a timestamp, by the year from 2 to 13 that
    /// stands for its unit. None for other timestamps, such as those of data.
    pub fn find(seconds: f64) -> Option<PeriodOfYear> {
        if !(FIRST_WEEK..timestamp(FIRST_QUARTER_YEAR + 4, 1, 1)).contains(&seconds) {
            return None;
        }
        let CivilDateTime { year, month, .. } = to_civil(seconds);
        let (unit, index) = match year {
            FIRST_QUARTER_YEAR.. => {
                (PeriodUnit::Quarter, (year - FIRST_QUARTER_YEAR) as u32 * 4 + (month - 1) / 3)
            }
            FIRST_MONTH_YEAR.. => {
                (PeriodUnit::Month, (year - FIRST_MONTH_YEAR) as u32 * 12 + month - 1)
            }
            _ => {
                let days = (seconds - FIRST_WEEK) / DAY_SECONDS;
                (PeriodUnit::Week, (days / 7.0) as u32)
            }
        };
        Some(PeriodOfYear { unit, number: index + 1 })
    }

    /// Returns the name in a language, such as `W14`, `Mar` or `Q2`. Numbers beyond the end of the
    /// year start again at 1.
    pub fn name(self, locale: Locale) -> String {
        let number = (self.number.saturating_sub(1)) % Self::count(self.unit) + 1;
        match self.unit {
            PeriodUnit::Week => locale.format_week(number),
            PeriodUnit::Month => month_name(number, locale).to_owned(),
            PeriodUnit::Quarter => locale.format_quarter(number),
        }
    }
}

/// Precision of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// A year.
    Year,
    /// A quarter of a year.
    Quarter,
    /// A month.
    Month,
    /// A day or a moment.
    Day,
}

impl Precision {
    /// Returns the precision of a text that `parse` reads, by its length and its letter Q. The
    /// result is `Day` for a time of day too.
    pub fn of_text(text: &str) -> Precision {
        match text.trim().len() {
            0..=4 => Precision::Year,
            5..=7 if text.contains(['Q', 'q']) => Precision::Quarter,
            5..=7 => Precision::Month,
            _ => Precision::Day,
        }
    }

    /// Formats a timestamp with the parts of this precision, such as `2024`, `Q2 2024`, `Mar 2024`
    /// or `9 Mar 2024, 14:30`.
    pub fn format(self, seconds: f64, locale: Locale) -> String {
        let civil = to_civil(seconds);
        match self {
            Precision::Year => format_year(civil.year, locale),
            Precision::Quarter => {
                let quarter = locale.format_quarter(civil.month.div_ceil(3));
                let separator = match locale.date_order {
                    DateOrder::YearMonthDay { separator, .. } => separator,
                    _ => " ",
                };
                add_year(&quarter, separator, civil.year, locale)
            }
            Precision::Month => format_month(seconds, locale),
            Precision::Day => format_moment(seconds, locale),
        }
    }
}

/// A timestamp as a date of the Gregorian calendar and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CivilDateTime {
    /// Year, about -9800 to 9900. [`to_civil`] clamps timestamps to this range.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: u32,
    /// Day of the month, 1 to 31.
    pub day: u32,
    /// Hour, 0 to 23.
    pub hour: u32,
    /// Minute, 0 to 59.
    pub minute: u32,
    /// Second, 0 to 59.
    pub second: u32,
}

/// Returns the days from 1970-01-01 to a Gregorian date, negative before. Months outside 1 to 12
/// carry into the year, and days outside the month into other months.
///
/// The algorithm (Howard Hinnant's `days_from_civil`) counts years from 1 March, so that the leap
/// day is the last day of its year.
pub fn days_from_civil(year: i32, month: i32, day: i32) -> i64 {
    let year = i64::from(year) + i64::from((month - 1).div_euclid(12));
    let month = i64::from((month - 1).rem_euclid(12)) + 1;
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns the timestamp of the start of a date in seconds since 1970. Months outside 1 to 12 carry
/// into the year.
pub fn timestamp(year: i32, month: i32, day: i32) -> f64 {
    days_from_civil(year, month, day) as f64 * DAY_SECONDS
}

/// Converts a timestamp to date and time.
///
/// Drops fractions of a second, and clamps timestamps to the range of [`CivilDateTime::year`].
pub fn to_civil(seconds: f64) -> CivilDateTime {
    let whole = seconds.clamp(-3.7e11, 2.5e11).floor() as i64;
    let (days, day_seconds) = (whole.div_euclid(86_400) + 719_468, whole.rem_euclid(86_400));
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    CivilDateTime {
        year: year as i32,
        month: month as u32,
        day: (day_of_year - (153 * march_month + 2) / 5 + 1) as u32,
        hour: (day_seconds / 3600) as u32,
        minute: (day_seconds / 60 % 60) as u32,
        second: (day_seconds % 60) as u32,
    }
}

/// Parses a date into a timestamp. None for other texts and for days that the calendar does not
/// have.
///
/// Accepts `2024`, `2024-03`, `2024-03-09` and `2024-Q2`, each optionally followed by
/// `T14:30[:15[.5]][Z|+02:00]`. A slash may stand for each hyphen of the date, a space for `T`, and
/// a comma for the point. Ignores the zone, because charts show the wall clock of the data.
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    let (date, time) = match text.find(['T', ' ']) {
        Some(end) => (&text[..end], Some(&text[end + 1..])),
        None => (text, None),
    };
    let mut parts = date.split(['-', '/']);
    let year = parse_digits(parts.next()?, 4, 4)?;
    let (mut month, mut day) = (1, 1);
    if let Some(part) = parts.next() {
        month = match part.strip_prefix(['Q', 'q']) {
            Some(quarter) => parse_digits(quarter, 1, 1).filter(|n| (1..=4).contains(n))? * 3 - 2,
            None => parse_digits(part, 1, 2)?,
        };
    }
    if let Some(part) = parts.next() {
        day = parse_digits(part, 1, 2)?;
    }
    let last = (days_from_civil(year, month + 1, 1) - days_from_civil(year, month, 1)) as i32;
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=last).contains(&day) {
        return None;
    }
    let seconds = match time {
        Some(time) => parse_time_of_day(time)?,
        None => 0.0,
    };
    Some(timestamp(year, month, day) + seconds)
}

/// Parses a time of day such as `14:30` or `14:30:15.5` into seconds since midnight. Ignores the
/// zone. None for other texts, and from 24:00.
fn parse_time_of_day(time: &str) -> Option<f64> {
    let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let mut parts = time[..end].trim_end().split(':');
    let hour = parse_digits(parts.next()?, 1, 2)?;
    let minute = parse_digits(parts.next()?, 2, 2)?;
    let (second, fraction) = match parts.next() {
        Some(part) => {
            let (whole, fraction) = part.split_once(['.', ',']).unwrap_or((part, ""));
            (parse_digits(whole, 2, 2)?, parse_fraction(fraction)?)
        }
        None => (0, 0.0),
    };
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && second < 60;
    valid.then(|| f64::from(hour * 3600 + minute * 60 + second) + fraction)
}

/// Parses the digits after the decimal point of a number of seconds, rounded down to microseconds.
/// Returns 0 without digits, and None for other characters.
pub fn parse_fraction(digits: &str) -> Option<f64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let kept = digits.get(..6).unwrap_or(digits);
    let number: f64 = if kept.is_empty() { 0.0 } else { kept.parse().ok()? };
    Some(number / 10f64.powi(kept.len() as i32))
}

/// Returns the fraction of a second of a timestamp in milliseconds, 0 to 999. Rounds down, with a
/// tolerance of 0.02 ms, because timestamps of the first years are exact to 0.01 ms only.
pub fn milliseconds(seconds: f64) -> u32 {
    ((seconds - seconds.floor()) * 1000.0 + 0.02).floor().min(999.0) as u32
}

/// Parses a number of `min` to `max` digits. None for a text with another character or length.
fn parse_digits(text: &str, min: usize, max: usize) -> Option<i32> {
    let fits = (min..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// Formats a timestamp as ISO 8601, such as `2024-03-09T14:30:00`, with milliseconds unless they are
/// zero.
pub fn format_iso(seconds: f64) -> String {
    let CivilDateTime { year, month, day, hour, minute, second } = to_civil(seconds);
    let whole = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    match milliseconds(seconds) {
        0 => whole,
        milliseconds => format!("{whole}.{milliseconds:03}"),
    }
}

/// Returns whether a timestamp is a time of day without a date, that is, in the year 1.
pub fn is_time_of_day(seconds: f64) -> bool {
    (FIRST_MIDNIGHT..FIRST_MIDNIGHT + 365.0 * DAY_SECONDS).contains(&seconds)
}

/// Formats a timestamp with its year, and with its time of day unless that is midnight, such as
/// `9 Mar 2024, 14:30`. A time of day without a date stands alone, and a period without a year has
/// its name, such as `W14`. Seconds and milliseconds are shown unless they are zero.
pub fn format_moment(seconds: f64, locale: Locale) -> String {
    let pattern = match (to_civil(seconds).second, milliseconds(seconds)) {
        (0, 0) => "HH:mm",
        (_, 0) => "HH:mm:ss",
        _ => "HH:mm:ss.SSS",
    };
    let time = || format_with_pattern(seconds, pattern, locale);
    let day = || format_day(seconds, true, locale);
    if let Some(period) = PeriodOfYear::find(seconds) {
        return period.name(locale);
    }
    match seconds.rem_euclid(DAY_SECONDS) == 0.0 {
        _ if is_time_of_day(seconds) => time(),
        true => day(),
        false => format!("{}{}{}", day(), locale.list_separator(), time()),
    }
}

/// Formats the date of a timestamp in the short form of a locale, such as `9 Mar 2024`, or `9 Mar`
/// if not `with_year`. Leaves out the time of day.
pub fn format_day(seconds: f64, with_year: bool, locale: Locale) -> String {
    let civil = to_civil(seconds);
    let (day, month) = (civil.day, month_name(civil.month, locale));
    let (day_and_month, before_year) = match locale.date_order {
        DateOrder::DayMonth => (format!("{day} {month}"), " "),
        DateOrder::DayDotMonth => (format!("{day}. {month}"), " "),
        DateOrder::DayPrefixMonth(prefix) => (format!("{day} {prefix}{month}"), " "),
        DateOrder::MonthDay => (format!("{month} {day}"), ", "),
        DateOrder::YearMonthDay { day_sign, separator, .. } => {
            (format!("{month}{separator}{day}{day_sign}"), separator)
        }
    };
    if with_year {
        add_year(&day_and_month, before_year, civil.year, locale)
    } else {
        locale.localize_digits(day_and_month)
    }
}

/// Formats the month of a timestamp with its year, such as `Mar 2024`.
pub fn format_month(seconds: f64, locale: Locale) -> String {
    let civil = to_civil(seconds);
    let separator = match locale.date_order {
        DateOrder::YearMonthDay { separator, .. } => separator,
        _ => " ",
    };
    add_year(month_name(civil.month, locale), separator, civil.year, locale)
}

/// Adds the year and a separator to a part of a date: before it in locales with the year first,
/// else after it. The digits are those of the locale.
fn add_year(part: &str, separator: &str, year: i32, locale: Locale) -> String {
    let year = format_year(year, locale);
    let part = locale.localize_digits(part.to_owned());
    match locale.date_order {
        DateOrder::YearMonthDay { .. } => format!("{year}{separator}{part}"),
        _ => format!("{part}{separator}{year}"),
    }
}

/// A name that is a day or a month with its year, as [`format_day`] and [`format_month`] write it.
#[derive(Clone, Debug, PartialEq)]
pub struct DatedName {
    /// Start of the day or month in seconds since 1970.
    pub seconds: f64,
    /// Year of the date.
    pub year: i32,
    /// Name without the year.
    pub short: String,
    /// The year as the locale writes it.
    pub year_text: String,
}

/// Reads a day or a month with its year in the short form of a locale. None for other texts.
pub fn read_dated_name(text: &str, locale: Locale) -> Option<DatedName> {
    let zero = u32::from(locale.zero_digit);
    let to_ascii = |letter: char| {
        let digit = u32::from(letter).checked_sub(zero);
        digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(letter)
    };
    let digits: String = text.chars().map(to_ascii).collect();
    let numbers: Vec<i32> = digits
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|number| (1..=4).contains(&number.len()))
        .map_while(|number| number.parse().ok())
        .collect();
    let year = numbers.iter().copied().find(|number| *number >= 1000)?;
    let dates = (1..=12).rev().filter(|month| text.contains(month_name(*month, locale)));
    dates.into_iter().find_map(|month| {
        let month = month as i32;
        let first = timestamp(year, month, 1);
        let named = |seconds: f64, short: String| {
            let year_text = format_year(year, locale);
            DatedName { seconds, year, short, year_text }
        };
        if format_month(first, locale) == text {
            return Some(named(
                first,
                locale.localize_digits(month_name(month as u32, locale).to_owned()),
            ));
        }
        let days = numbers.iter().filter(|day| (1..=31).contains(*day));
        days.into_iter().find_map(|day| {
            let seconds = timestamp(year, month, *day);
            (format_day(seconds, true, locale) == text)
                .then(|| named(seconds, format_day(seconds, false, locale)))
        })
    })
}

/// Formats a year, such as `2024`, in Japanese `2024年`.
pub fn format_year(year: i32, locale: Locale) -> String {
    match locale.date_order {
        DateOrder::YearMonthDay { year_sign, .. } => format!("{year}{year_sign}"),
        _ => locale.format_integer(year),
    }
}

/// Returns the short name of a month, 1 to 12. Empty for other numbers.
pub fn month_name(month: u32, locale: Locale) -> &'static str {
    locale.month_names.get(month.saturating_sub(1) as usize).copied().unwrap_or("")
}

/// Formats a timestamp with a pattern of the tokens `YYYY YY MMM MM M DD D HH mm ss SSS`.
///
/// Other characters are copied. The digits of the tokens are those of the locale.
pub fn format_with_pattern(seconds: f64, pattern: &str, locale: Locale) -> String {
    let civil = to_civil(seconds);
    let mut out = String::new();
    let mut rest = pattern;
    const TOKENS: [&str; 11] = ["YYYY", "YY", "MMM", "MM", "M", "DD", "D", "HH", "mm", "ss", "SSS"];
    while let Some(character) = rest.chars().next() {
        let Some(token) = TOKENS.iter().find(|token| rest.starts_with(**token)) else {
            out.push(character);
            rest = &rest[character.len_utf8()..];
            continue;
        };
        let number = match *token {
            "YYYY" => civil.year.to_string(),
            "YY" => format!("{:02}", civil.year.rem_euclid(100)),
            "MMM" => month_name(civil.month, locale).to_owned(),
            "MM" => format!("{:02}", civil.month),
            "M" => civil.month.to_string(),
            "DD" => format!("{:02}", civil.day),
            "D" => civil.day.to_string(),
            "HH" => format!("{:02}", civil.hour),
            "mm" => format!("{:02}", civil.minute),
            "SSS" => format!("{:03}", milliseconds(seconds)),
            _ => format!("{:02}", civil.second),
        };
        out.push_str(&locale.localize_digits(number));
        rest = &rest[token.len()..];
    }
    out
}
