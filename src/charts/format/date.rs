//! Dates and times of day without a zone: reading, splitting, writing.
//!
//! A moment is the number of seconds since the start of 1970 on the wall clock of the data.

use crate::format::Locale;
use crate::format::locale::DateOrder;

/// Seconds in a day.
pub const DAY: f64 = 86_400.0;

/// A moment, split by the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// Gregorian year, -9999 to 9999.
    pub year: i32,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// 0 to 23.
    pub hour: u32,
    /// 0 to 59.
    pub minute: u32,
    /// 0 to 59.
    pub second: u32,
}

/// Days since 1970-01-01 of a Gregorian date; months beyond the year carry over.
///
/// The method counts from 1 March, so that the leap day is the last of its year.
pub fn days(year: i32, month: i32, day: i32) -> i64 {
    let year = i64::from(year) + i64::from((month - 1).div_euclid(12));
    let month = i64::from((month - 1).rem_euclid(12)) + 1;
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The moment at the start of a date, in seconds.
pub fn moment(year: i32, month: i32, day: i32) -> f64 {
    days(year, month, day) as f64 * DAY
}

/// Splits a moment.
pub fn civil(seconds: f64) -> Civil {
    let whole = seconds.clamp(-3.7e11, 2.5e11).floor() as i64;
    let (days, rest) = (whole.div_euclid(86_400) + 719_468, whole.rem_euclid(86_400));
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Civil {
        year: year as i32,
        month: month as u32,
        day: (of_year - (153 * shifted + 2) / 5 + 1) as u32,
        hour: (rest / 3600) as u32,
        minute: (rest / 60 % 60) as u32,
        second: (rest % 60) as u32,
    }
}

/// Reads `2024`, `2024-03`, `2024-03-09`, `2024-Q2`, and those with `T14:30[:15[.5]][Z|+02:00]`.
/// A zone is dropped: charts show the clock that the data were written by.
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    let (date, time) = match text.find(['T', ' ']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let mut parts = date.split(['-', '/']);
    let year = digits(parts.next()?, 4, 4)?;
    let (mut month, mut day) = (1, 1);
    if let Some(part) = parts.next() {
        month = match part.strip_prefix(['Q', 'q']) {
            Some(quarter) => digits(quarter, 1, 1).filter(|it| (1..=4).contains(it))? * 3 - 2,
            None => digits(part, 1, 2)?,
        };
    }
    if let Some(part) = parts.next() {
        day = digits(part, 1, 2)?;
    }
    let last = (days(year, month + 1, 1) - days(year, month, 1)) as i32;
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=last).contains(&day) {
        return None;
    }
    let clock = match time {
        Some(time) => clock(time)?,
        None => 0.0,
    };
    Some(moment(year, month, day) + clock)
}

/// Seconds since midnight.
fn clock(time: &str) -> Option<f64> {
    let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let mut parts = time[..end].split(':');
    let hour = digits(parts.next()?, 1, 2)?;
    let minute = digits(parts.next()?, 2, 2)?;
    let second = match parts.next() {
        Some(part) => digits(part.split('.').next().unwrap_or(""), 2, 2)?,
        None => 0,
    };
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && second < 60;
    valid.then(|| f64::from(hour * 3600 + minute * 60 + second))
}

fn digits(text: &str, least: usize, most: usize) -> Option<i32> {
    let fits = (least..=most).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// The day in the locale's short form: 9 Mar 2024.
pub fn day_text(seconds: f64, with_year: bool, locale: Locale) -> String {
    let it = civil(seconds);
    let month = month_name(it.month, locale);
    match (locale.order, with_year) {
        (DateOrder::DayMonth, false) => format!("{} {month}", it.day),
        (DateOrder::DayMonth, true) => format!("{} {month} {}", it.day, it.year),
        (DateOrder::DayDotMonth, false) => format!("{}. {month}", it.day),
        (DateOrder::DayDotMonth, true) => format!("{}. {month} {}", it.day, it.year),
        (DateOrder::MonthDay, false) => format!("{month} {}", it.day),
        (DateOrder::MonthDay, true) => format!("{month} {}, {}", it.day, it.year),
    }
}

/// Short name of a month, 1 to 12.
pub fn month_name(month: u32, locale: Locale) -> &'static str {
    locale.months.get(month.saturating_sub(1) as usize).copied().unwrap_or("")
}

/// The moment by a pattern of `YYYY YY MMM MM M DD D HH mm ss`; other letters stand as they are.
pub fn by_pattern(seconds: f64, pattern: &str, locale: Locale) -> String {
    let it = civil(seconds);
    let mut out = String::new();
    let mut rest = pattern;
    const TOKENS: [&str; 10] = ["YYYY", "YY", "MMM", "MM", "M", "DD", "D", "HH", "mm", "ss"];
    while let Some(letter) = rest.chars().next() {
        let Some(token) = TOKENS.iter().find(|token| rest.starts_with(**token)) else {
            out.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        match *token {
            "YYYY" => out.push_str(&it.year.to_string()),
            "YY" => out.push_str(&format!("{:02}", it.year.rem_euclid(100))),
            "MMM" => out.push_str(month_name(it.month, locale)),
            "MM" => out.push_str(&format!("{:02}", it.month)),
            "M" => out.push_str(&it.month.to_string()),
            "DD" => out.push_str(&format!("{:02}", it.day)),
            "D" => out.push_str(&it.day.to_string()),
            "HH" => out.push_str(&format!("{:02}", it.hour)),
            "mm" => out.push_str(&format!("{:02}", it.minute)),
            _ => out.push_str(&format!("{:02}", it.second)),
        }
        rest = &rest[token.len()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_survive_the_round_trip() {
        for text in ["1970-01-01", "2000-02-29", "2024-12-31", "1900-03-01", "2100-02-28"] {
            let it = civil(parse(text).expect(text));
            assert_eq!(format!("{:04}-{:02}-{:02}", it.year, it.month, it.day), text);
        }
        assert_eq!(moment(1970, 1, 2), DAY);
    }

    #[test]
    fn odd_dates_are_refused() {
        for text in ["", "24-01-01", "2024-13-01", "2023-02-29", "2024-01-01T25:00", "x", "2024-Q5"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("2024-Q2"), parse("2024-04-01"));
        assert_eq!(parse("2024-03-09T14:30:00Z"), Some(moment(2024, 3, 9) + 52_200.0));
    }

    #[test]
    fn the_order_follows_the_language() {
        let day = moment(2024, 3, 9);
        assert_eq!(day_text(day, true, Locale::parse("en")), "9 Mar 2024");
        assert_eq!(day_text(day, false, Locale::parse("de")), "9. Mär");
        assert_eq!(by_pattern(day, "DD.MM.YY", Locale::parse("de")), "09.03.24");
    }
}
