//! Dates and times of spreadsheet programs, which count days, as texts of ISO 8601.

use chartroom_charts::format::date;
use chartroom_charts::format::date::CivilDateTime;

/// Milliseconds of a day.
pub(super) const DAY_MS: i64 = 86_400_000;
/// Days from 1899-12-30, day 0 of the count since 1900, to 1970-01-01.
const DAYS_TO_1970: i64 = 25_569;
/// Days of 400 years of the Gregorian calendar.
const DAYS_OF_400_YEARS: i64 = 146_097;
/// Days between the counts since 1900 and since 1904.
pub(super) const DAYS_TO_1904: u16 = 1462;
/// Day after 9999-12-31, the last date of spreadsheet programs.
const END_OF_DATES: f64 = 2_958_466.0;
/// The day 1900-02-29 never existed, but it is counted.
pub(super) const MISSING_DAY: i64 = 60;

/// Converts a count of days to a date `2024-03-31`, a date with time `2024-03-31T13:05:00` or, below
/// one day, a time `13:05:00`. Days count from 1904 if `is_1904`, and otherwise from 1900. Rounds to
/// milliseconds, which are written unless they are zero.
///
/// Returns None for a negative number, and for dates after the year 9999.
pub(super) fn format_date(serial: f64, is_1904: bool) -> Option<String> {
    let days_before = if is_1904 && serial >= 1.0 { DAYS_TO_1904 } else { 0 };
    to_ms(serial, days_before).map(format_date_ms)
}

/// Converts a count of days to milliseconds since 1899-12-30, the day before day 1 of the count.
/// `days_before` days are added to it. Rounds to milliseconds.
///
/// Returns None for a negative number, and for dates after the year 9999.
pub(super) fn to_ms(serial: f64, days_before: u16) -> Option<i64> {
    if !(0.0..END_OF_DATES).contains(&serial) {
        return None;
    }
    let total = ((serial + f64::from(days_before)) * DAY_MS as f64).round() as i64;
    is_in_range(total).then_some(total)
}

/// Returns whether milliseconds since 1899-12-30 are before the end of the year 9999.
pub(super) fn is_in_range(ms: i64) -> bool {
    ms < END_OF_DATES as i64 * DAY_MS
}

/// Formats the result of [`to_ms`] as a date, a date with time or, below one day, a time.
pub(super) fn format_date_ms(ms: i64) -> String {
    let (day, time) = (ms / DAY_MS, ms % DAY_MS);
    if day == 0 {
        return format_time(time);
    }
    let CivilDateTime { year, month, day, .. } = to_civil(day);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if time == 0 { date } else { format!("{date}T{}", format_time(time)) }
}

/// Returns the date of a day in the count since 1900. The missing day becomes 1900-02-28.
pub(super) fn to_civil(day: i64) -> CivilDateTime {
    // The days before the missing day are off by one.
    let day = day + i64::from(day < MISSING_DAY);
    // The calendar repeats after 400 years, and the conversion ends before the year 9999.
    let shifted = day - DAYS_TO_1970 - DAYS_OF_400_YEARS;
    let civil = date::to_civil(shifted as f64 * date::DAY_SECONDS);
    CivilDateTime { year: civil.year + 400, ..civil }
}

/// Parses a date, a date with time or a time in the form of [`format_date_ms`] to milliseconds since
/// 1899-12-30. Hours may exceed 24 without a date. Returns None for other texts and for dates that the
/// count of days does not have.
pub(super) fn parse_ms(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (Some(date), Some(time)),
        None if text.contains(':') => (None, Some(text)),
        None => (Some(text), None),
    };
    let ms = parse_time(time.unwrap_or("0:0"))?;
    let Some(date) = date else { return Some(ms) };
    let mut parts = date.split('-').map(|part| part.parse::<u32>().ok());
    let [year, month, day] = [(); 3].map(|()| parts.next().flatten());
    let (year, month, day) = (year?, month?, day?);
    if parts.next().is_some() || !(1900..=9999).contains(&year) {
        return None;
    }
    let signed = |number: u32| i32::try_from(number).ok();
    let since_1970 = date::days_from_civil(signed(year)?, signed(month)?, signed(day)?);
    let serial = since_1970 + DAYS_TO_1970;
    let serial = serial - i64::from(serial <= MISSING_DAY);
    let civil = to_civil(serial);
    let exists = (civil.month, civil.day) == (month, day) && ms < DAY_MS;
    (exists && serial > 0).then_some(serial * DAY_MS + ms)
}

/// Parses a time such as `13:05:00.500` to milliseconds. Returns None for other texts and for more than
/// a million hours.
fn parse_time(text: &str) -> Option<i64> {
    let mut units = [3_600_000.0, 60_000.0, 1000.0].into_iter();
    let mut ms = 0.0;
    for part in text.split(':') {
        let is_number = part.starts_with(|first: char| first.is_ascii_digit());
        ms += part.parse::<f64>().ok().filter(|_| is_number)? * units.next()?;
    }
    (units.len() < 2 && ms < 3.6e12).then_some(ms.round() as i64)
}

/// Converts a duration in days to hours, minutes and seconds, such as `36:00:00` for 1.5. Rounds to
/// milliseconds, which are written unless they are zero. Returns None for a negative or too large
/// number.
pub(super) fn format_duration(days: f64) -> Option<String> {
    to_ms(days, 0).map(format_time)
}

/// Formats milliseconds as hours, minutes and seconds, such as `13:05:00`, with three decimals unless
/// the fraction is zero. Hours have at least two digits and may exceed 24.
pub(super) fn format_time(ms: i64) -> String {
    let (seconds, fraction) = (ms / 1000, ms % 1000);
    let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 { time } else { format!("{time}.{fraction:03}") }
}

/// Shortens a date with or without time of ISO 8601: removes the time of midnight, a fraction of zero
/// and a `Z` at the end, but no other zone. Returns None if the text does not start with a date in the
/// form `2024-03-31`. Does not check that the date and the time exist.
pub(super) fn shorten_iso_date(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_suffix('Z').unwrap_or(text);
    let is_date = |date: &str| {
        let mut parts = date.split('-');
        let mut has_digits = |count: usize| {
            parts.next().is_some_and(|part| {
                part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        has_digits(4) && has_digits(2) && has_digits(2) && parts.next().is_none()
    };
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    if !is_date(date) {
        return None;
    }
    let time = match time.split_once('.') {
        Some((seconds, fraction)) if fraction.bytes().all(|byte| byte == b'0') => seconds,
        _ => time,
    };
    Some(match time {
        "" | "00:00:00" | "00:00" => date.to_owned(),
        _ => format!("{date}T{time}"),
    })
}

/// Converts a duration of ISO 8601 to hours, minutes and seconds: `PT13H05M00S` becomes `13:05:00`. A
/// day counts as 24 hours. Returns None if the text is no duration, is negative, or has years, months
/// or weeks.
pub(super) fn format_iso_duration(text: &str) -> Option<String> {
    let mut rest = text.trim().strip_prefix('P')?;
    let mut seconds = 0.0;
    if let Some((days, time)) = rest.split_once('D') {
        seconds += days.parse::<f64>().ok()? * 86_400.0;
        rest = time;
    }
    // Without the `T`, `M` stands for months.
    let mut rest = if rest.is_empty() { rest } else { rest.strip_prefix('T')? };
    for (unit, length) in [('H', 3600.0), ('M', 60.0), ('S', 1.0)] {
        if let Some((number, after)) = rest.split_once(unit) {
            seconds += number.replace(',', ".").parse::<f64>().ok()? * length;
            rest = after;
        }
    }
    if rest.is_empty() { format_duration(seconds / 86_400.0) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_since_1900_become_dates_and_times() {
        let check = |serial, want: &str| {
            assert_eq!(format_date(serial, false).as_deref(), Some(want), "{serial}");
        };
        check(1.0, "1900-01-01");
        check(31.0, "1900-01-31");
        check(59.0, "1900-02-28");
        check(60.0, "1900-02-28");
        check(60.5, "1900-02-28T12:00:00");
        check(61.0, "1900-03-01");
        check(366.0, "1900-12-31");
        check(45382.0, "2024-03-31");
        check(45351.0, "2024-02-29");
        check(45_382.545_138_888_89, "2024-03-31T13:05:00");
        check(45_382.999_999_999_9, "2024-04-01");
        check(0.545_138_888_888_9, "13:05:00");
        check(0.0, "00:00:00");
        check(36_526.000_011_574_07, "2000-01-01T00:00:01");
        check(1.000_005_787, "1900-01-01T00:00:00.500");
        check(2_958_465.0, "9999-12-31");
        for serial in [-1.0, 2_958_466.0, f64::NAN, f64::INFINITY] {
            assert_eq!(format_date(serial, false), None);
        }
    }

    #[test]
    fn dates_are_parsed_to_the_count_of_days() {
        for serial in [1.0, 59.0, 61.0, 366.0, 45_382.545_138_888_89, 0.25, 2_958_465.0] {
            let ms = to_ms(serial, 0).unwrap();
            assert_eq!(parse_ms(&format_date_ms(ms)), Some(ms), "{serial}");
        }
        assert_eq!(parse_ms("27:30:00"), Some(99_000_000));
        assert_eq!(parse_ms("00:00:00.250"), Some(250));
        for text in [
            "",
            "1899-12-31",
            "2024-02-30",
            "2024-13-01",
            "x",
            "1:2:3:4:5",
            "-1:00",
            "2024-01-01T24:00",
        ] {
            assert_eq!(parse_ms(text), None, "{text}");
        }
    }

    #[test]
    fn days_since_1904_become_dates() {
        assert_eq!(format_date(43920.0, true).as_deref(), Some("2024-03-31"));
        assert_eq!(format_date(1.0, true).as_deref(), Some("1904-01-02"));
        assert_eq!(format_date(0.5, true).as_deref(), Some("12:00:00"));
    }

    #[test]
    fn durations_may_exceed_24_hours() {
        assert_eq!(format_duration(1.145_833_333_33).as_deref(), Some("27:30:00"));
        assert_eq!(format_iso_duration("PT27H30M00S").as_deref(), Some("27:30:00"));
        assert_eq!(format_iso_duration("PT13H05M00.5S").as_deref(), Some("13:05:00.500"));
        assert_eq!(format_iso_duration("P1DT1H").as_deref(), Some("25:00:00"));
        assert_eq!(format_iso_duration("P2D").as_deref(), Some("48:00:00"));
        for text in ["", "13:05", "P1Y", "P1M", "P1M2D", "P1H", "P1D2H", "PT1X", "PTH"] {
            assert_eq!(format_iso_duration(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_iso_8601_are_shortened() {
        let check = |text, want: Option<&str>| assert_eq!(shorten_iso_date(text).as_deref(), want);
        check("2024-03-31", Some("2024-03-31"));
        check("2024-03-31T00:00:00", Some("2024-03-31"));
        check("2024-03-31T13:05:00.000Z", Some("2024-03-31T13:05:00"));
        check("2024-03-31T13:05:00.250", Some("2024-03-31T13:05:00.250"));
        check("31.03.2024", None);
        check("2024-3-31", None);
    }
}
