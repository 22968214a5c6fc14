//! Points in time with millisecond resolution, formatted as RFC 3339 in UTC.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::time::OffsetDateTime;
use ::time::format_description::well_known::Rfc2822;
use ::time::format_description::well_known::Rfc3339;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::language;
use crate::language::Language;

/// A point in time, in milliseconds since the Unix epoch (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Parses a time in RFC 3339 with any offset; a fraction of a millisecond is dropped. Returns
    /// None for any other text.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).ok().map(Self)
    }

    /// Parses the date of an HTTP header in the form that RFC 9110 section 5.6.7 prefers, such as `Sun, 06 Nov
    /// 1994 08:49:37 GMT`. Returns None for any other text, also for the two obsolete forms.
    pub fn parse_http_date(text: &str) -> Option<Self> {
        let time = OffsetDateTime::parse(text, &Rfc2822).ok()?;
        Some(Self(time.unix_timestamp().saturating_mul(1000)))
    }

    /// Returns the current time of the system clock, or the epoch if the clock is before it.
    ///
    /// In a transaction use `tx.now`, so that all rows of the transaction have the same time.
    pub fn now() -> Self {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
    }

    /// Returns the time `duration` later, or the latest possible time on overflow.
    pub fn saturating_add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Formats the time elapsed until `now` for people: `119 min`, `47 h` or `2 days`.
    ///
    /// The unit is minutes below two hours, hours below two days, and days otherwise. Rounds down.
    /// A time after `now` gives `0 min`.
    pub fn format_age(self, now: Self) -> String {
        let minutes = now.0.saturating_sub(self.0).max(0) / 60_000;
        match minutes {
            0..120 => format!("{minutes} min"),
            120..2_880 => format!("{} h", minutes / 60),
            _ => format!("{} days", minutes / 1_440),
        }
    }

    /// Returns the time `duration` earlier, or the earliest possible time on overflow.
    pub fn saturating_sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// Abbreviated English month names for pages.
const MONTH_NAMES: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Timestamp {
    /// Formats the time for people in the current language: `21 Nov 2026, 13:59 UTC`.
    ///
    /// A script of the page may replace the text with the local time of the reader.
    pub fn format_to_minute(self) -> String {
        let (year, month, day) = civil_from_days(self.0.div_euclid(86_400_000));
        let minute = self.0.rem_euclid(86_400_000) / 60_000;
        let date = match language::current() {
            Language::English => {
                let index = usize::try_from(month - 1).ok();
                let name = index.and_then(|index| MONTH_NAMES.get(index)).unwrap_or(&"");
                format!("{day} {name} {year}")
            }
            Language::German => format!("{day:02}.{month:02}.{year}"),
        };
        format!("{date}, {:02}:{:02} UTC", minute / 60, minute % 60)
    }
}

/// An RFC 3339 time in ASCII, for years from 0 to 9999.
type Rfc3339Text = [u8; 24];

impl Timestamp {
    /// Formats the time as RFC 3339 in UTC with milliseconds. Returns None if the year is not
    /// between 0 and 9999.
    ///
    /// It writes the digits itself instead of using `format!`, because every response and every log
    /// line contains such times.
    fn format_rfc3339(self) -> Option<Rfc3339Text> {
        let (days, millis) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil_from_days(days);
        let year = u32::try_from(year).ok().filter(|year| *year <= 9999)?;
        // Dividing `u32` is several times as fast as dividing `i64`.
        let to_u32 = |value: i64| u32::try_from(value).unwrap_or_default();
        let (month, day, millis) = (to_u32(month), to_u32(day), to_u32(millis));
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut write_two_digits = |index: usize, value: u32| {
            text[index] += (value / 10 % 10) as u8;
            text[index + 1] += (value % 10) as u8;
        };
        write_two_digits(0, year / 100);
        write_two_digits(2, year);
        write_two_digits(5, month);
        write_two_digits(8, day);
        write_two_digits(11, millis / 3_600_000);
        write_two_digits(14, millis / 60_000 % 60);
        write_two_digits(17, millis / 1000 % 60);
        write_two_digits(20, millis % 1000 / 10);
        text[22] += (millis % 10) as u8;
        Some(text)
    }
}

/// Returns the text as a string slice.
fn text_as_str(text: &Rfc3339Text) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}

impl fmt::Display for Timestamp {
    /// Writes the time as RFC 3339 in UTC with milliseconds. Years outside 0 to 9999 keep all
    /// digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.format_rfc3339() {
            return f.write_str(text_as_str(&text));
        }
        let (days, millis) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute) = (millis / 3_600_000, millis / 60_000 % 60);
        let (second, milli) = (millis / 1000 % 60, millis % 1000);
        let time = format_args!("T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
        write!(f, "{year:04}-{month:02}-{day:02}{time}")
    }
}

/// Returns year, month (1 to 12) and day (1 to 31) of a number of days since 1970-01-01, which can
/// be negative.
///
/// Proleptic Gregorian calendar, calculated in eras of 400 years that begin on 1 March.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

impl ToSql for Timestamp {
    /// Returns the milliseconds since the epoch as an SQL integer.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.0))
    }
}

impl FromSql for Timestamp {
    /// Reads an SQL integer as milliseconds since the epoch. Fails for values of other types.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self)
    }
}

impl serde::Serialize for Timestamp {
    /// Serializes the time as a string in RFC 3339 with milliseconds, like `Display`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.format_rfc3339() {
            Some(text) => serializer.serialize_str(text_as_str(&text)),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    /// Deserializes a string in RFC 3339.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_rfc3339(&text)
            .ok_or_else(|| serde::de::Error::custom("must be a time in RFC 3339"))
    }
}

impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    /// Returns the schema of a string with the format `date-time`.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }

    /// Returns true: the schema is repeated in place instead of being referenced.
    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_to_minute_shows_date_and_time_in_utc() {
        assert_eq!(Timestamp(1_795_269_599_123).format_to_minute(), "21 Nov 2026, 13:59 UTC");
        assert_eq!(Timestamp(-1).format_to_minute(), "31 Dec 1969, 23:59 UTC");
        language::set_current(Language::German);
        assert_eq!(Timestamp(1_795_269_599_123).format_to_minute(), "21.11.2026, 13:59 UTC");
        language::set_current(Language::English);
    }

    #[test]
    fn format_age_uses_one_unit_and_rounds_down() {
        let check = |minutes: i64, want: &str| {
            assert_eq!(Timestamp(5).format_age(Timestamp(5 + minutes * 60_000)), want);
        };
        check(-1, "0 min");
        check(119, "119 min");
        check(120, "2 h");
        check(47 * 60 + 59, "47 h");
        check(48 * 60, "2 days");
    }

    #[test]
    fn dates_of_http_headers_are_parsed() {
        let check = |text: &str, seconds: Option<i64>| {
            let time = seconds.map(|seconds| Timestamp(seconds * 1000));
            assert_eq!(Timestamp::parse_http_date(text), time, "{text}");
        };
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799));
        check("Sunday, 06-Nov-94 08:49:37 GMT", None);
        check("Sun, 31 Feb 2026 08:49:37 GMT", None);
        check("120", None);
        check("", None);
    }

    #[test]
    fn display_is_rfc_3339_with_milliseconds() {
        let check = |millis, want: &str| assert_eq!(Timestamp(millis).to_string(), want);
        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_400_000, "2000-02-29T00:00:00.000Z");
        check(1_795_269_599_123, "2026-11-21T13:59:59.123Z");
        check(-1, "1969-12-31T23:59:59.999Z");
        check(-62_167_219_200_000, "0000-01-01T00:00:00.000Z");
        check(253_402_300_799_999, "9999-12-31T23:59:59.999Z");
        check(253_402_300_800_000, "10000-01-01T00:00:00.000Z");
    }
}
