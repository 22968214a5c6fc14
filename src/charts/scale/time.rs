//! Ticks of time axes on calendar units, from seconds to centuries.

use crate::format::Locale;
use crate::format::date;

/// The distance between two ticks in calendar units.
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

    /// Returns the finest step that is at least `seconds` long.
    pub fn at_least(seconds: f64) -> CalendarStep {
        let found =
            CALENDAR_STEPS.iter().find(|it| it.average_seconds() >= seconds * 0.999).copied();
        found.unwrap_or_else(|| {
            let years = (seconds / (365.25 * date::DAY_SECONDS)).clamp(1.0, 2e4);
            let power = 10f64.powf(years.log10().floor());
            let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|it| it * power >= years * 0.999);
            CalendarStep::Years((factor.unwrap_or(10.0) * power) as i32)
        })
    }

    /// Returns the latest tick at or before `seconds`.
    fn floor(self, seconds: f64) -> f64 {
        let it = date::to_civil(seconds);
        let (year, month) = (it.year, it.month as i32);
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
    fn next(self, seconds: f64) -> f64 {
        let it = date::to_civil(seconds);
        match self {
            CalendarStep::Seconds(count) => seconds + count as f64,
            CalendarStep::Days(count) => seconds + count as f64 * date::DAY_SECONDS,
            CalendarStep::Months(count) => date::timestamp(it.year, it.month as i32 + count, 1),
            CalendarStep::Years(count) => date::timestamp(it.year + count, 1, 1),
        }
    }

    /// Returns the label of the tick at `seconds`, in the unit of this step.
    fn label(self, seconds: f64, locale: Locale) -> String {
        let it = date::to_civil(seconds);
        match self {
            CalendarStep::Seconds(count) if count < 60 => {
                format!("{:02}:{:02}:{:02}", it.hour, it.minute, it.second)
            }
            CalendarStep::Seconds(_) => format!("{:02}:{:02}", it.hour, it.minute),
            CalendarStep::Days(_) => date::format_day(seconds, false, locale),
            CalendarStep::Months(_) => date::month_name(it.month, locale).to_owned(),
            CalendarStep::Years(_) => it.year.to_string(),
        }
    }

    /// Returns the day or year around the tick at `seconds`; None for steps of years.
    fn context(self, seconds: f64, locale: Locale) -> Option<String> {
        match self {
            CalendarStep::Seconds(_) => Some(date::format_day(seconds, true, locale)),
            CalendarStep::Days(_) | CalendarStep::Months(_) => {
                Some(date::to_civil(seconds).year.to_string())
            }
            CalendarStep::Years(_) => None,
        }
    }
}

/// Returns the ticks from `low` to `high`, at least `gap` seconds apart and at most 60.
pub fn ticks(low: f64, high: f64, gap: f64, locale: Locale) -> Vec<TimeTick> {
    let step = CalendarStep::at_least(gap.max((high - low) / 60.0));
    let mut out: Vec<TimeTick> = Vec::new();
    let mut last_context = None;
    let mut at = step.floor(low);
    while at <= high && out.len() < 60 {
        if at >= low {
            let context = step.context(at, locale);
            let shown = if context == last_context { None } else { context.clone() };
            last_context = context;
            out.push(TimeTick { at, label: step.label(at, locale), context: shown });
        }
        let next = step.next(at);
        if next <= at {
            break;
        }
        at = next;
    }
    out
}

/// Returns the only tick of an axis with one timestamp. Its label is a date at midnight,
/// otherwise a time with the date as context.
pub fn single_tick(at: f64, locale: Locale) -> Vec<TimeTick> {
    let fine = [CalendarStep::Days(1), CalendarStep::Seconds(60)]
        .into_iter()
        .find(|it| it.floor(at) == at);
    let step = fine.unwrap_or(CalendarStep::Seconds(1));
    vec![TimeTick { at, label: step.label(at, locale), context: step.context(at, locale) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: &str, to: &str, gap_days: f64) -> Vec<String> {
        let at = |text| date::parse(text).expect("a date");
        let all = ticks(at(from), at(to), gap_days * date::DAY_SECONDS, Locale::default());
        all.into_iter()
            .map(|it| it.context.map_or(it.label.clone(), |c| format!("{}/{c}", it.label)))
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
        let words = |text| {
            let tick = single_tick(date::parse(text).expect("a date"), Locale::default()).remove(0);
            (tick.label, tick.context.unwrap_or_default())
        };
        assert_eq!(words("2025-03-09"), ("9 Mar".to_owned(), "2025".to_owned()));
        assert_eq!(words("2025-03-09T14:30"), ("14:30".to_owned(), "9 Mar 2025".to_owned()));
    }

    #[test]
    fn extreme_spans_give_a_bounded_number_of_ticks() {
        assert!(ticks(-3e11, 2e11, 1.0, Locale::default()).len() <= 61);
        assert!(ticks(0.0, 0.0, 0.0, Locale::default()).len() <= 1);
    }
}
