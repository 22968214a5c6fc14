//! Ticks of time axes on calendar units, from seconds to centuries.

use crate::format::Locale;
use crate::format::date;

/// Distance between two ticks in calendar units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalendarStep {
    /// A number of seconds.
    Seconds(i64),
    /// A number of days, counted from 1970-01-01; whole weeks start on Mondays.
    Days(i64),
    /// A number of months, counted from January.
    Months(i32),
    /// A number of years, counted from year 0.
    Years(i32),
}

/// A tick with its label and, where it changes, the larger calendar unit.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeTick {
    /// Position on the axis: seconds since 1970, or the index of an entry on an ordinal time axis.
    pub at: f64,
    /// Label in the small unit, such as `14:00`, `9 Mar`, `Mar` or `2024`.
    pub label: String,
    /// Label of the large unit (year or day), on the first tick and on each tick where it changes.
    pub context: Option<String>,
}

const CALENDAR_STEPS: [CalendarStep; 26] = [
    CalendarStep::Seconds(1),
    CalendarStep::Seconds(5),
    CalendarStep::Seconds(15),
    CalendarStep::Seconds(30),
    CalendarStep::Seconds(60),
    CalendarStep::Seconds(300),
    CalendarStep::Seconds(900),
    CalendarStep::Seconds(1800),
    CalendarStep::Seconds(3600),
    CalendarStep::Seconds(3 * 3600),
    CalendarStep::Seconds(6 * 3600),
    CalendarStep::Seconds(12 * 3600),
    CalendarStep::Days(1),
    CalendarStep::Days(2),
    CalendarStep::Days(7),
    CalendarStep::Days(14),
    CalendarStep::Months(1),
    CalendarStep::Months(2),
    CalendarStep::Months(3),
    CalendarStep::Months(6),
    CalendarStep::Years(1),
    CalendarStep::Years(2),
    CalendarStep::Years(5),
    CalendarStep::Years(10),
    CalendarStep::Years(25),
    CalendarStep::Years(50),
];

impl CalendarStep {
    /// Returns the average length in seconds.
    pub fn average_seconds(self) -> f64 {
        match self {
            CalendarStep::Seconds(count) => count as f64,
            CalendarStep::Days(count) => count as f64 * date::DAY_SECONDS,
            CalendarStep::Months(count) => f64::from(count) * 30.4375 * date::DAY_SECONDS,
            CalendarStep::Years(count) => f64::from(count) * 365.25 * date::DAY_SECONDS,
        }
    }

    /// Returns the finest step with an average length of at least `seconds`, with a tolerance of
    /// 0.1 %. Returns at most 20,000 years.
    pub fn at_least(seconds: f64) -> CalendarStep {
        let found =
            CALENDAR_STEPS.iter().find(|step| step.average_seconds() >= seconds * 0.999).copied();
        found.unwrap_or_else(|| {
            let years = (seconds / (365.25 * date::DAY_SECONDS)).clamp(1.0, 2e4);
            let power = 10f64.powf(years.log10().floor());
            let factor = [1.0, 2.0, 5.0, 10.0]
                .into_iter()
                .find(|candidate| candidate * power >= years * 0.999);
            CalendarStep::Years((factor.unwrap_or(10.0) * power) as i32)
        })
    }

    /// Returns the latest tick at or before `seconds`.
    fn floor_to_tick(self, seconds: f64) -> f64 {
        let civil = date::to_civil(seconds);
        let (year, month) = (civil.year, civil.month as i32);
        match self {
            CalendarStep::Seconds(count) => (seconds / count as f64).floor() * count as f64,
            // 1970-01-01 was a Thursday, so Mondays are three days before a multiple of weeks.
            CalendarStep::Days(count) if count % 7 == 0 => {
                let length = count as f64 * date::DAY_SECONDS;
                ((seconds + 3.0 * date::DAY_SECONDS) / length).floor() * length
                    - 3.0 * date::DAY_SECONDS
            }
            CalendarStep::Days(count) => {
                (seconds / (count as f64 * date::DAY_SECONDS)).floor()
                    * count as f64
                    * date::DAY_SECONDS
            }
            CalendarStep::Months(count) => {
                date::timestamp(year, (month - 1).div_euclid(count) * count + 1, 1)
            }
            CalendarStep::Years(count) => date::timestamp(year.div_euclid(count) * count, 1, 1),
        }
    }

    /// Returns the tick after the tick at `seconds`.
    fn find_next_tick(self, seconds: f64) -> f64 {
        let civil = date::to_civil(seconds);
        match self {
            CalendarStep::Seconds(count) => seconds + count as f64,
            CalendarStep::Days(count) => seconds + count as f64 * date::DAY_SECONDS,
            CalendarStep::Months(count) => {
                date::timestamp(civil.year, civil.month as i32 + count, 1)
            }
            CalendarStep::Years(count) => date::timestamp(civil.year + count, 1, 1),
        }
    }

    /// Formats the label of the tick at `seconds`, in the unit of this step.
    fn format_label(self, seconds: f64, locale: Locale) -> String {
        let civil = date::to_civil(seconds);
        match self {
            CalendarStep::Seconds(count) if count < 60 => {
                format!("{:02}:{:02}:{:02}", civil.hour, civil.minute, civil.second)
            }
            CalendarStep::Seconds(_) => format!("{:02}:{:02}", civil.hour, civil.minute),
            CalendarStep::Days(_) => date::format_day(seconds, false, locale),
            CalendarStep::Months(_) => date::month_name(civil.month, locale).to_owned(),
            CalendarStep::Years(_) => civil.year.to_string(),
        }
    }

    /// Formats the day or year around the tick at `seconds`; None for steps of years.
    fn format_context(self, seconds: f64, locale: Locale) -> Option<String> {
        match self {
            CalendarStep::Seconds(_) => Some(date::format_day(seconds, true, locale)),
            CalendarStep::Days(_) | CalendarStep::Months(_) => {
                Some(date::to_civil(seconds).year.to_string())
            }
            CalendarStep::Years(_) => None,
        }
    }
}

/// Returns the ticks from `low` to `high` (in seconds since 1970), about `gap` seconds or more
/// apart and at most 60.
pub fn compute_ticks(low: f64, high: f64, gap: f64, locale: Locale) -> Vec<TimeTick> {
    let step = CalendarStep::at_least(gap.max((high - low) / 60.0));
    let mut out: Vec<TimeTick> = Vec::new();
    let mut last_context = None;
    let mut seconds = step.floor_to_tick(low);
    while seconds <= high && out.len() < 60 {
        if seconds >= low {
            let context = step.format_context(seconds, locale);
            let shown = if context == last_context { None } else { context.clone() };
            last_context = context;
            out.push(TimeTick {
                at: seconds,
                label: step.format_label(seconds, locale),
                context: shown,
            });
        }
        let next = step.find_next_tick(seconds);
        if next <= seconds {
            break;
        }
        seconds = next;
    }
    out
}

/// Returns the only tick of an axis with one timestamp, in seconds since 1970.
///
/// Its label is the date if the timestamp is midnight, otherwise the time with the date as context.
pub fn make_single_tick(seconds: f64, locale: Locale) -> Vec<TimeTick> {
    let fine = [CalendarStep::Days(1), CalendarStep::Seconds(60)]
        .into_iter()
        .find(|step| step.floor_to_tick(seconds) == seconds);
    let step = fine.unwrap_or(CalendarStep::Seconds(1));
    vec![TimeTick {
        at: seconds,
        label: step.format_label(seconds, locale),
        context: step.format_context(seconds, locale),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: &str, to: &str, gap_days: f64) -> Vec<String> {
        let at = |text| date::parse(text).expect("a date");
        let all = compute_ticks(at(from), at(to), gap_days * date::DAY_SECONDS, Locale::default());
        all.into_iter()
            .map(|tick| tick.context.map_or(tick.label.clone(), |c| format!("{}/{c}", tick.label)))
            .collect()
    }

    #[test]
    fn ticks_fall_on_calendar_units_and_the_year_appears_once() {
        assert_eq!(
            labels("2023-11-15", "2024-03-10", 25.0),
            ["Dec/2023", "Jan/2024", "Feb", "Mar"]
        );
        assert_eq!(labels("2001-05-01", "2024-01-01", 1500.0), ["2005", "2010", "2015", "2020"]);
        assert_eq!(labels("2024-01-01", "2024-01-20", 5.0), ["1 Jan/2024", "8 Jan", "15 Jan"]);
    }

    #[test]
    fn a_single_timestamp_is_labeled_with_its_precision() {
        let label_and_context = |text| {
            let tick =
                make_single_tick(date::parse(text).expect("a date"), Locale::default()).remove(0);
            (tick.label, tick.context.unwrap_or_default())
        };
        assert_eq!(label_and_context("2025-03-09"), ("9 Mar".to_owned(), "2025".to_owned()));
        assert_eq!(
            label_and_context("2025-03-09T14:30"),
            ("14:30".to_owned(), "9 Mar 2025".to_owned())
        );
    }

    #[test]
    fn extreme_spans_give_a_bounded_number_of_ticks() {
        assert!(compute_ticks(-3e11, 2e11, 1.0, Locale::default()).len() <= 61);
        assert!(compute_ticks(0.0, 0.0, 0.0, Locale::default()).len() <= 1);
    }
}
