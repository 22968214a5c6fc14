//! Points in time: milliseconds since 1970 UTC, printed as RFC 3339 with milliseconds and `Z`.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

/// A point in time, in milliseconds since the Unix epoch (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The system's clock. Within a transaction use the transaction's own time instead.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// This much later.
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long ago this was, for people: in whole minutes, hours from two on, days from two on.
    pub fn age_at(self, now: Self) -> String {
        let minutes = now.0.saturating_sub(self.0).max(0) / 60_000;
        match minutes {
            0..120 => format!("{minutes} min"),
            120..2_880 => format!("{} h", minutes / 60),
            _ => format!("{} days", minutes / 1_440),
        }
    }

    /// This much earlier.
    pub fn before(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// Months as pages write them.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Timestamp {
    /// For people, to the minute: `21 Nov 2026, 13:59 UTC`. A script in the page may show it in the
    /// reader's own time.
    pub fn readable(self) -> String {
        let (year, month, day) = civil(self.0.div_euclid(86_400_000));
        let minute = self.0.rem_euclid(86_400_000) / 60_000;
        let month = usize::try_from(month - 1).ok().and_then(|it| MONTHS.get(it)).unwrap_or(&"");
        format!("{day} {month} {year}, {:02}:{:02} UTC", minute / 60, minute % 60)
    }
}

/// A year from 0 to 9999 as text.
type Text = [u8; 24];

impl Timestamp {
    /// The text, digit by digit: every answer and every line of the log carries such times. None
    /// for a year that has more or less than four digits.
    fn text(self) -> Option<Text> {
        let (days, millis) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil(days);
        let year = u32::try_from(year).ok().filter(|it| *it <= 9999)?;
        // Unsigned numbers of 32 bits are divided several times as fast as signed ones of 64.
        let small = |value: i64| u32::try_from(value).unwrap_or_default();
        let (month, day, millis) = (small(month), small(day), small(millis));
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut digits = |place: usize, value: u32| {
            text[place] += (value / 10 % 10) as u8;
            text[place + 1] += (value % 10) as u8;
        };
        digits(0, year / 100);
        digits(2, year);
        digits(5, month);
        digits(8, day);
        digits(11, millis / 3_600_000);
        digits(14, millis / 60_000 % 60);
        digits(17, millis / 1000 % 60);
        digits(20, millis % 1000 / 10);
        text[22] += (millis % 10) as u8;
        Some(text)
    }
}

fn ascii(text: &Text) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.text() {
            return f.write_str(ascii(&text));
        }
        let (days, millis) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil(days);
        let (hour, minute) = (millis / 3_600_000, millis / 60_000 % 60);
        let (second, milli) = (millis / 1000 % 60, millis % 1000);
        let time = format_args!("T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
        write!(f, "{year:04}-{month:02}-{day:02}{time}")
    }
}

/// Year, month and day of a count of days since 1970-01-01 (proleptic Gregorian calendar,
/// counted in eras of 400 years that begin on 1 March).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.0))
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self)
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.text() {
            Some(text) => to.serialize_str(ascii(&text)),
            None => to.collect_str(self),
        }
    }
}

impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }

    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_times_to_the_minute() {
        assert_eq!(Timestamp(1_795_269_599_123).readable(), "21 Nov 2026, 13:59 UTC");
        assert_eq!(Timestamp(-1).readable(), "31 Dec 1969, 23:59 UTC");
    }

    #[test]
    fn ages_are_told_roughly() {
        let check = |minutes: i64, want: &str| {
            assert_eq!(Timestamp(5).age_at(Timestamp(5 + minutes * 60_000)), want);
        };
        check(-1, "0 min");
        check(119, "119 min");
        check(120, "2 h");
        check(47 * 60 + 59, "47 h");
        check(48 * 60, "2 days");
    }

    #[test]
    fn prints_rfc_3339_with_milliseconds() {
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
