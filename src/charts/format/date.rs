//! Parsing and formatting of dates and times without a time zone.
//!
//! A timestamp is the number of seconds since 1970-01-01 00:00 on the wall clock of the data.

use crate::format::locale::{DateOrder, Locale};

/// Length of a day in seconds.
pub const DAY_SECONDS: f64 = 86_400.0;
/// Timestamp of 0:00 on the first day of the year 1. Times of the year 1 are times of day without a
/// date.
pub const FIRST_MIDNIGHT: f64 = -719_162.0 * DAY_SECONDS;

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

/// Returns the days from 1970-01-01 to a Gregorian date. Months outside 1 to 12 carry into the
/// year.
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

/// Returns the timestamp of the start of a date. Months outside 1 to 12 carry into the year.
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

/// Parses a date into a timestamp.
///
/// Accepts `2024`, `2024-03`, `2024-03-09` and `2024-Q2`, each optionally followed by
/// `T14:30[:15[.5]][Z|+02:00]`. A slash may stand for each hyphen of the date, and a space for `T`.
/// Ignores the zone, because charts show the wall clock of the data, and fractions of a second.
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

/// Parses a time of day into seconds since midnight. Ignores the zone and fractions of a second.
fn parse_time_of_day(time: &str) -> Option<f64> {
    let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let mut parts = time[..end].split(':');
    let hour = parse_digits(parts.next()?, 1, 2)?;
    let minute = parse_digits(parts.next()?, 2, 2)?;
    let second = match parts.next() {
        Some(part) => parse_digits(part.split('.').next().unwrap_or(""), 2, 2)?,
        None => 0,
    };
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && second < 60;
    valid.then(|| f64::from(hour * 3600 + minute * 60 + second))
}

/// Parses a number of `min` to `max` digits. None for a text with another character or length.
fn parse_digits(text: &str, min: usize, max: usize) -> Option<i32> {
    let fits = (min..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// Returns whether a timestamp is a time of day without a date.
pub fn is_time_of_day(seconds: f64) -> bool {
    (FIRST_MIDNIGHT..FIRST_MIDNIGHT + 365.0 * DAY_SECONDS).contains(&seconds)
}

/// Formats a timestamp with its year, and with its time of day unless that is midnight, such as
/// `9 Mar 2024, 14:30`. A time of day without a date stands alone.
pub fn format_moment(seconds: f64, locale: Locale) -> String {
    let pattern = if to_civil(seconds).second == 0 { "HH:mm" } else { "HH:mm:ss" };
    let time = || format_with_pattern(seconds, pattern, locale);
    let day = || format_day(seconds, true, locale);
    match seconds.rem_euclid(DAY_SECONDS) == 0.0 {
        _ if is_time_of_day(seconds) => time(),
        true => day(),
        false => format!("{}{}{}", day(), locale.list_separator(), time()),
    }
}

/// Formats the date of a timestamp in the short form of a locale, such as `9 Mar 2024`.
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

/// Adds the year before or after a part of a date.
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

/// Formats a timestamp with a pattern of the tokens `YYYY YY MMM MM M DD D HH mm ss`.
///
/// Other characters are copied. The digits are those of the locale.
pub fn format_with_pattern(seconds: f64, pattern: &str, locale: Locale) -> String {
    let civil = to_civil(seconds);
    let mut out = String::new();
    let mut rest = pattern;
    const TOKENS: [&str; 10] = ["YYYY", "YY", "MMM", "MM", "M", "DD", "D", "HH", "mm", "ss"];
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
            _ => format!("{:02}", civil.second),
        };
        out.push_str(&locale.localize_digits(number));
        rest = &rest[token.len()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_survive_a_round_trip() {
        for text in ["1970-01-01", "2000-02-29", "2024-12-31", "1900-03-01", "2100-02-28"] {
            let civil = to_civil(parse(text).expect(text));
            assert_eq!(format!("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day), text);
        }
        assert_eq!(timestamp(1970, 1, 2), DAY_SECONDS);
        assert_eq!(timestamp(1, 1, 1), FIRST_MIDNIGHT);
    }

    #[test]
    fn a_moment_has_its_time_of_day() {
        let format = |text: &str| format_moment(parse(text).expect(text), Locale::parse("en"));
        assert_eq!(format("2024-03-09"), "9 Mar 2024");
        assert_eq!(format("2024-03-09T14:30"), "9 Mar 2024, 14:30");
        assert_eq!(format("0001-01-01T06:15:30"), "06:15:30");
        assert_eq!(format("0001-01-02"), "00:00");
    }

    #[test]
    fn invalid_dates_are_rejected() {
        for text in ["", "24-01-01", "2024-13-01", "2023-02-29", "2024-01-01T25:00", "x", "2024-Q5"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("2024-Q2"), parse("2024-04-01"));
        assert_eq!(parse("2024-03-09T14:30:00Z"), Some(timestamp(2024, 3, 9) + 52_200.0));
    }

    #[test]
    fn printed_days_and_months_are_read_back() {
        for tag in ["en", "en-US", "de", "fr", "ja", "ko", "he", "ar", "pl", "zh"] {
            let locale = Locale::parse(tag);
            for seconds in [timestamp(2026, 3, 14), timestamp(2026, 11, 1), timestamp(1999, 12, 31)]
            {
                let day = read_dated_name(&format_day(seconds, true, locale), locale);
                let year = to_civil(seconds).year;
                let short = format_day(seconds, false, locale);
                let year_text = format_year(year, locale);
                assert_eq!(day, Some(DatedName { seconds, year, short, year_text }), "{tag}");
                let month = read_dated_name(&format_month(seconds, locale), locale);
                assert_eq!(month.map(|name| name.year), Some(year), "{tag}");
            }
        }
        for text in
            ["14 Mar", "Mar", "2026", "Umsatz 2026", "Mars 2026", "31 Feb 2026", "March 2026"]
        {
            assert_eq!(read_dated_name(text, Locale::parse("en")), None, "{text}");
        }
    }

    #[test]
    fn the_date_order_depends_on_the_language() {
        let day = timestamp(2024, 3, 9);
        assert_eq!(format_day(day, true, Locale::parse("en")), "9 Mar 2024");
        assert_eq!(format_day(day, false, Locale::parse("de")), "9. März");
        assert_eq!(format_with_pattern(day, "DD.MM.YY", Locale::parse("de")), "09.03.24");
    }
}
