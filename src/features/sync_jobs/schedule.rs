//! The times at which a sync job runs. Pure functions of time, in whole seconds since 1970 UTC.

use std::str::FromStr;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Seconds of a day. UTC has no other days here, because times since 1970 have no leap seconds.
const DAY: i64 = 86_400;
/// Seconds of a week.
const WEEK: i64 = 7 * DAY;
/// Maximum interval in seconds: 366 days.
const MAX_INTERVAL: i64 = 366 * DAY;

/// A time of day in UTC, to the minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOfDay {
    /// Seconds since midnight.
    seconds: i64,
}

impl FromStr for TimeOfDay {
    type Err = Error;

    /// Parses `HH:MM` with two digits each.
    ///
    /// # Errors
    /// `InvalidFields` for `time_of_day_utc`.
    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (hours, minutes) = text.split_once(':')?;
            let number = |text: &str, max: i64| {
                let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
                let value: i64 = text.parse().ok().filter(|_| is_number)?;
                (value <= max).then_some(value)
            };
            Some(Self { seconds: number(hours, 23)? * 3600 + number(minutes, 59)? * 60 })
        };
        let message = "must be HH:MM in UTC, from 00:00 to 23:59";
        parse().ok_or_else(|| Error::invalid_field("time_of_day_utc", message))
    }
}

/// The schedule of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Whole seconds between two runs. 0: no runs by itself.
    interval: i64,
    time_of_day: TimeOfDay,
    /// Day for intervals of whole weeks. Sunday is 0.
    day_of_week: i64,
    /// Time at which the job was created.
    created: i64,
}

impl Schedule {
    /// Creates a schedule. `interval` is in seconds; fractions are truncated. `day_of_week` counts from
    /// Sunday, which is also the default, and applies to whole weeks only. `created` is in seconds since
    /// 1970.
    ///
    /// # Errors
    /// `InvalidFields` for `interval_sec` outside 1 s to 366 days and not 0, for `time_of_day_utc` if it
    /// is missing with an interval or malformed, and for `day_of_week` outside 0 to 6.
    pub fn new(
        interval: f64,
        time_of_day: Option<&str>,
        day_of_week: Option<i64>,
        created: i64,
    ) -> Result<Self> {
        let seconds = parse_interval(interval)?;
        let time_of_day = match (time_of_day, seconds) {
            (Some(text), _) => text.parse()?,
            (None, 0) => TimeOfDay { seconds: 0 },
            (None, _) => {
                let message = "is required if interval_sec is above 0";
                return Err(Error::invalid_field("time_of_day_utc", message));
            }
        };
        let day_of_week = day_of_week.unwrap_or(0);
        if !(0..=6).contains(&day_of_week) {
            let message = "must be an integer from 0 (Sunday) to 6";
            return Err(Error::invalid_field("day_of_week", message));
        }
        Ok(Self { interval: seconds, time_of_day, day_of_week, created })
    }

    /// Returns the first time of a run after `time`. None if the job does not run by itself. Runs that are
    /// less than a day apart are at least `min_interval` seconds apart.
    pub fn next_slot(&self, time: i64, min_interval: i64) -> Option<i64> {
        let time_of_day = self.time_of_day.seconds;
        if self.interval == 0 {
            return None;
        }
        if self.interval < DAY {
            let step = self.interval.max(min_interval).max(1);
            let day = (time - time_of_day).div_euclid(DAY) * DAY + time_of_day;
            return Some((day + ((time - day) / step + 1) * step).min(day + DAY));
        }
        let (first, step) = match self.interval % WEEK {
            0 => (self.first_slot_on(Some(self.day_of_week)), self.interval),
            // Rounded to whole days.
            _ => (self.first_slot_on(None), (self.interval + DAY / 2) / DAY * DAY),
        };
        Some(match time < first {
            true => first,
            false => first + ((time - first).div_euclid(step) + 1) * step,
        })
    }

    /// Returns the seconds between two runs. None if the job does not run by itself.
    pub fn step(&self, min_interval: i64) -> Option<i64> {
        (self.interval > 0).then(|| self.interval.max(min_interval))
    }

    /// Returns the first time after the creation with the time of day, on this day of the week if it is
    /// given.
    fn first_slot_on(&self, day_of_week: Option<i64>) -> i64 {
        let time_of_day = self.time_of_day.seconds;
        let first = (self.created - time_of_day).div_euclid(DAY) * DAY + time_of_day + DAY;
        // 1970-01-01 was a Thursday.
        let weekday = (first.div_euclid(DAY) + 4).rem_euclid(7);
        first + day_of_week.map_or(0, |day| (day - weekday).rem_euclid(7)) * DAY
    }
}

/// Returns an interval in whole seconds.
///
/// # Errors
/// `InvalidFields` for `interval_sec`.
#[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
fn parse_interval(interval: f64) -> Result<i64> {
    #[expect(clippy::cast_precision_loss, reason = "the constant is a small integer")]
    let max = MAX_INTERVAL as f64;
    if interval == 0.0 || (1.0..=max).contains(&interval) {
        return Ok(interval.trunc() as i64);
    }
    let message = format!("must be 0, or from 1 to {MAX_INTERVAL} seconds (366 days)");
    Err(Error::invalid_field("interval_sec", message))
}

#[cfg(test)]
mod tests {
    use chartroom_platform::time::Timestamp;
    use proptest::prelude::Just;
    use proptest::prelude::Strategy;
    use proptest::prop_assert;
    use proptest::prop_assert_eq;
    use proptest::prop_oneof;
    use proptest::proptest;

    use super::*;

    /// Parses a time of the table in seconds since 1970.
    fn seconds(text: &str) -> i64 {
        Timestamp::parse_rfc3339(text).unwrap().0 / 1000
    }

    #[test]
    fn slots_follow_the_table() {
        // Interval, time of day, day of the week, created, after, next.
        for (interval, time, day, created, after, next) in [
            (3600.0, "00:15", None, "02T10:00", "02T10:15", "02T11:15"),
            (25200.0, "06:00", None, "02T10:00", "02T20:00", "03T03:00"),
            (25200.0, "06:00", None, "02T10:00", "03T03:00", "03T06:00"),
            (3600.0, "10:00", Some(2), "02T10:00", "02T10:30", "02T11:00"),
            (86400.0, "10:00", None, "02T10:00", "02T10:00", "03T10:00"),
            (86400.0, "09:30", Some(5), "02T10:00", "02T10:00", "03T09:30"),
            (172_800.0, "09:30", None, "02T10:00", "06T00:00", "07T09:30"),
            (90000.0, "09:30", None, "02T10:00", "03T09:30", "04T09:30"),
            (604_800.0, "09:30", Some(1), "02T09:00", "02T09:00", "02T09:30"),
            (604_800.0, "09:30", None, "02T10:00", "02T10:00", "08T09:30"),
            (1_209_600.0, "09:30", Some(0), "02T10:00", "10T00:00", "22T09:30"),
            (2_592_000.0, "00:00", Some(3), "02T10:00", "02T10:00", "03T00:00"),
            (1.0, "00:00", None, "02T10:00", "02T10:00", "02T10:01"),
            (1.9, "00:00", None, "02T10:00", "02T10:00", "02T10:01"),
        ] {
            let at = |text: &str| seconds(&format!("2026-03-{text}:00Z"));
            let schedule = Schedule::new(interval, Some(time), day, at(created)).unwrap();
            let found = schedule.next_slot(at(after), 60);
            assert_eq!(found, Some(at(next)), "{interval} {time} {day:?} after {after}");
        }
        assert_eq!(Schedule::new(0.0, None, None, 0).unwrap().next_slot(5, 60), None);
    }

    #[test]
    fn invalid_schedules_are_refused() {
        let check = |interval: f64, time: Option<&str>, day: Option<i64>, field: &str| {
            let error = Schedule::new(interval, time, day, 0).unwrap_err();
            let Error::InvalidFields(fields) = &error else { panic!("{error:?}") };
            assert_eq!(fields[0].field, field, "{interval} {time:?} {day:?}");
        };
        for interval in [-1.0, 0.5, 31_622_401.0, f64::NAN, f64::INFINITY] {
            check(interval, Some("00:00"), None, "interval_sec");
        }
        for time in ["24:00", "1:00", "01:60", "01:0", "0100", "+1:00", "01:00:00", "", "٠١:٠٠"]
        {
            check(60.0, Some(time), None, "time_of_day_utc");
        }
        check(60.0, None, None, "time_of_day_utc");
        for day in [-1, 7] {
            check(60.0, Some("00:00"), Some(day), "day_of_week");
        }
        assert!(Schedule::new(31_622_400.0, Some("23:59"), Some(6), 0).is_ok());
    }

    proptest! {
        #[test]
        fn next_slot_is_the_first_one_after_the_time(
            interval in prop_oneof![
                1..DAY, Just(DAY), DAY..MAX_INTERVAL, (1_i64..52).prop_map(|weeks| weeks * WEEK)
            ],
            minutes in 0..1440_i64,
            day in 0..7_i64,
            created in 0..4_000_000_000_i64,
            later in 0..200_000_000_i64,
            fraction in 0.0..1.0_f64,
        ) {
            let time_of_day = format!("{:02}:{:02}", minutes / 60, minutes % 60);
            #[expect(clippy::cast_precision_loss, reason = "the interval is a small integer")]
            let interval = interval as f64;
            let schedule =
                Schedule::new(interval, Some(&time_of_day), Some(day), created).unwrap();
            let time = created + later;
            let next = schedule.next_slot(time, 60).unwrap();
            prop_assert!(next > time);
            // From every earlier time on, none lies between.
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a sample")]
            let between = time + ((next - time) as f64 * fraction) as i64;
            prop_assert_eq!(schedule.next_slot(between, 60), Some(next));
            let is_daily = next.rem_euclid(DAY) == minutes * 60;
            prop_assert!(is_daily || interval < 86_400.0);
            if interval % 604_800.0 == 0.0 {
                prop_assert_eq!((next.div_euclid(DAY) + 4).rem_euclid(7), day);
            }
        }
    }
}
