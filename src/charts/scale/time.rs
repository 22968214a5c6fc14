//! Ticks of time axes on calendar units, from milliseconds to centuries.

use crate::format::Locale;
use crate::format::date;
use crate::format::date::{PeriodOfYear, PeriodUnit, Precision};

/// Distance between two ticks in calendar units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalendarStep {
    /// A number of milliseconds below a second.
    Milliseconds(i64),
    /// A number of seconds.
    Seconds(i64),
    /// A number of days, counted from 1970-01-01; whole weeks start on Mondays.
    Days(i64),
    /// A number of months, counted from January.
    Months(i32),
    /// A number of quarters, counted from January.
    Quarters(i32),
    /// A number of years, counted from year 0.
    Years(i32),
}

/// A tick with its label and, where it changes, the larger calendar unit.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeTick {
    /// Time of the tick in seconds since 1970.
    pub seconds: f64,
    /// Position on the axis: seconds since 1970, or the index of an entry on an ordinal time axis.
    pub at: f64,
    /// Label in the small unit, such as `14:00`, `9 Mar`, `Mar` or `2024`.
    pub label: String,
    /// Label of the large unit (year or day), on the first tick and on each tick where it changes.
    pub context: Option<String>,
}

/// Steps below a year that people count in, in ascending order.
const REGULAR_STEPS: [CalendarStep; 34] = [
    CalendarStep::Milliseconds(1),
    CalendarStep::Milliseconds(2),
    CalendarStep::Milliseconds(5),
    CalendarStep::Milliseconds(10),
    CalendarStep::Milliseconds(20),
    CalendarStep::Milliseconds(50),
    CalendarStep::Milliseconds(100),
    CalendarStep::Milliseconds(200),
    CalendarStep::Milliseconds(500),
    CalendarStep::Seconds(1),
    CalendarStep::Seconds(2),
    CalendarStep::Seconds(5),
    CalendarStep::Seconds(10),
    CalendarStep::Seconds(15),
    CalendarStep::Seconds(30),
    CalendarStep::Seconds(60),
    CalendarStep::Seconds(120),
    CalendarStep::Seconds(300),
    CalendarStep::Seconds(600),
    CalendarStep::Seconds(900),
    CalendarStep::Seconds(1800),
    CalendarStep::Seconds(3600),
    CalendarStep::Seconds(2 * 3600),
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
];
/// Less common steps, for spans in which a regular step has too many ticks and the next one too
/// few.
const IRREGULAR_STEPS: [CalendarStep; 9] = [
    CalendarStep::Milliseconds(4),
    CalendarStep::Milliseconds(40),
    CalendarStep::Milliseconds(400),
    CalendarStep::Seconds(3),
    CalendarStep::Seconds(4),
    CalendarStep::Seconds(3 * 60),
    CalendarStep::Seconds(4 * 60),
    CalendarStep::Days(3),
    CalendarStep::Days(4),
];
/// Powers of ten of the steps of years, enough for all years of the calendar.
const YEAR_POWERS: [i32; 4] = [1, 10, 100, 1000];

/// Returns all steps in the order in which to try them: from the finest to the coarsest regular
/// step, up to thousands of years, then the less common steps in the same order.
pub fn list_steps() -> impl Iterator<Item = CalendarStep> {
    let years = |factors: &'static [i32]| {
        YEAR_POWERS.into_iter().flat_map(move |power| {
            factors.iter().map(move |factor| CalendarStep::Years(factor * power))
        })
    };
    REGULAR_STEPS.into_iter().chain(years(&[1, 2, 5])).chain(IRREGULAR_STEPS).chain(years(&[25]))
}

/// Steps between weeks without a year.
const WEEK_STEPS: [CalendarStep; 7] = [
    CalendarStep::Days(7),
    CalendarStep::Days(14),
    CalendarStep::Days(28),
    CalendarStep::Days(35),
    CalendarStep::Days(70),
    CalendarStep::Days(140),
    CalendarStep::Days(280),
];
/// Steps between months without a year.
const MONTH_STEPS: [CalendarStep; 5] = [
    CalendarStep::Months(1),
    CalendarStep::Months(2),
    CalendarStep::Months(3),
    CalendarStep::Months(6),
    CalendarStep::Months(12),
];
/// Steps between quarters.
const QUARTER_STEPS: [CalendarStep; 3] =
    [CalendarStep::Quarters(1), CalendarStep::Quarters(2), CalendarStep::Quarters(4)];

/// Returns the steps for periods without a year, from the finest to the coarsest.
pub fn list_steps_of_year(unit: PeriodUnit) -> impl Iterator<Item = CalendarStep> {
    let steps: &'static [CalendarStep] = match unit {
        PeriodUnit::Week => &WEEK_STEPS,
        PeriodUnit::Month => &MONTH_STEPS,
        PeriodUnit::Quarter => &QUARTER_STEPS,
    };
    steps.iter().copied()
}

/// Returns the steps for quarters of years, in the order in which to try them: one and two
/// quarters, then all steps of years.
pub fn list_quarter_steps() -> impl Iterator<Item = CalendarStep> {
    let is_year = |step: &CalendarStep| matches!(step, CalendarStep::Years(_));
    QUARTER_STEPS.into_iter().take(2).chain(list_steps().filter(is_year))
}

impl CalendarStep {
    /// Returns the average length in seconds, also of months and years.
    pub fn average_seconds(self) -> f64 {
        match self {
            CalendarStep::Milliseconds(count) => count as f64 / 1000.0,
            CalendarStep::Seconds(count) => count as f64,
            CalendarStep::Days(count) => count as f64 * date::DAY_SECONDS,
            CalendarStep::Months(count) => f64::from(count) * 30.4375 * date::DAY_SECONDS,
            CalendarStep::Quarters(count) => f64::from(count) * 91.3125 * date::DAY_SECONDS,
            CalendarStep::Years(count) => f64::from(count) * 365.25 * date::DAY_SECONDS,
        }
    }

    /// Returns the ticks from `low` to `high` (both inclusive), in ascending seconds since 1970.
    /// Returns None if there are more than `max_count`.
    pub fn compute_ticks(self, low: f64, high: f64, max_count: usize) -> Option<Vec<f64>> {
        // Fewer divisions than ticks, by more than one, cannot be due to the length of months.
        if (high - low) / self.average_seconds() > max_count as f64 + 2.0 {
            return None;
        }
        let mut ticks = Vec::with_capacity(max_count);
        let mut seconds = self.floor_to_tick(low);
        while seconds <= high {
            if seconds >= low {
                ticks.push(seconds);
            }
            let next = self.find_next_tick(seconds);
            if ticks.len() > max_count {
                return None;
            }
            // Years beyond the range of the calendar do not advance.
            if next <= seconds {
                break;
            }
            seconds = next;
        }
        Some(ticks)
    }

    /// Returns the latest tick at or before `seconds`, both in seconds since 1970.
    fn floor_to_tick(self, seconds: f64) -> f64 {
        let civil = date::to_civil(seconds);
        let (year, month) = (civil.year, civil.month as i32);
        match self {
            CalendarStep::Milliseconds(count) => {
                (seconds * 1000.0 / count as f64).floor() * count as f64 / 1000.0
            }
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
            CalendarStep::Quarters(count) => CalendarStep::Months(3 * count).floor_to_tick(seconds),
            CalendarStep::Years(count) => date::timestamp(year.div_euclid(count) * count, 1, 1),
        }
    }

    /// Returns the tick after the tick at `seconds`, both in seconds since 1970. Does not round
    /// `seconds` down to a tick first.
    pub fn find_next_tick(self, seconds: f64) -> f64 {
        let civil = date::to_civil(seconds);
        match self {
            // Rounded, so that the error does not grow from tick to tick.
            CalendarStep::Milliseconds(count) => (seconds * 1000.0 + count as f64).round() / 1000.0,
            CalendarStep::Seconds(count) => seconds + count as f64,
            CalendarStep::Days(count) => seconds + count as f64 * date::DAY_SECONDS,
            CalendarStep::Months(count) => {
                date::timestamp(civil.year, civil.month as i32 + count, 1)
            }
            CalendarStep::Quarters(count) => {
                CalendarStep::Months(3 * count).find_next_tick(seconds)
            }
            CalendarStep::Years(count) => date::timestamp(civil.year + count, 1, 1),
        }
    }

    /// Formats the label of the tick at `seconds`, in the unit of this step and without the larger
    /// units. A period without a year has its own name at every step.
    fn format_label(self, seconds: f64, locale: Locale) -> String {
        let civil = date::to_civil(seconds);
        if let Some(period) = PeriodOfYear::find(seconds) {
            return period.name(locale);
        }
        match self {
            CalendarStep::Milliseconds(_) => {
                date::format_with_pattern(seconds, "HH:mm:ss.SSS", locale)
            }
            CalendarStep::Seconds(count) if count < 60 => {
                date::format_with_pattern(seconds, "HH:mm:ss", locale)
            }
            CalendarStep::Seconds(_) => date::format_with_pattern(seconds, "HH:mm", locale),
            CalendarStep::Days(_) => date::format_day(seconds, false, locale),
            CalendarStep::Months(_) => date::month_name(civil.month, locale).to_owned(),
            CalendarStep::Quarters(_) => locale.format_quarter(civil.month.div_ceil(3)),
            CalendarStep::Years(_) => date::format_year(civil.year, locale),
        }
    }

    /// Formats the day or year around the tick at `seconds`, or returns None if it is the same as
    /// that of the tick at `previous`. Always returns None for steps of years, and for ticks
    /// without a date or without a year. A day has its year only where the year changes.
    fn format_context(self, seconds: f64, previous: Option<f64>, locale: Locale) -> Option<String> {
        let civil = date::to_civil(seconds);
        let previous = previous.map(date::to_civil);
        let is_same_year = previous.is_some_and(|previous| previous.year == civil.year);
        let is_same_day = is_same_year
            && previous
                .is_some_and(|previous| (previous.month, previous.day) == (civil.month, civil.day));
        match self {
            _ if date::is_time_of_day(seconds) || PeriodOfYear::find(seconds).is_some() => None,
            CalendarStep::Milliseconds(_) | CalendarStep::Seconds(_) => {
                (!is_same_day).then(|| date::format_day(seconds, !is_same_year, locale))
            }
            CalendarStep::Days(_) | CalendarStep::Months(_) | CalendarStep::Quarters(_) => {
                (!is_same_year).then(|| date::format_year(civil.year, locale))
            }
            CalendarStep::Years(_) => None,
        }
    }

    /// Returns the day (with its year) or the year around the tick at `seconds`. None for steps of
    /// years, for times of day without a date, and for periods without a year.
    pub fn format_full_context(self, seconds: f64, locale: Locale) -> Option<String> {
        self.format_context(seconds, None, locale)
    }

    /// Adds labels to ticks. Each tick is a time in seconds since 1970 and its position on the
    /// axis. A tick has a context only if the context differs from that of the tick before.
    pub fn label_ticks(self, ticks: &[(f64, f64)], locale: Locale) -> Vec<TimeTick> {
        let mut previous = None;
        let label_tick = |(seconds, at): &(f64, f64)| TimeTick {
            seconds: *seconds,
            at: *at,
            label: self.format_label(*seconds, locale),
            context: self.format_context(*seconds, previous.replace(*seconds), locale),
        };
        ticks.iter().map(label_tick).collect()
    }
}

/// Returns the only tick of an axis with one timestamp, in seconds since 1970.
///
/// Its label is the year, quarter or month if the date has this precision, or the name of a period
/// without a year. Otherwise, at midnight it is the day and the month, with the year as context,
/// and at any other time the time of day, with the full date as context. If the timestamp is a time
/// of day without a date, its label is always the time, and it has no context.
pub fn make_single_tick(seconds: f64, precision: Precision, locale: Locale) -> Vec<TimeTick> {
    if precision != Precision::Day || PeriodOfYear::find(seconds).is_some() {
        let label = match PeriodOfYear::find(seconds) {
            Some(period) => period.name(locale),
            None => precision.format(seconds, locale),
        };
        return vec![TimeTick { seconds, at: seconds, label, context: None }];
    }
    let fine = [CalendarStep::Days(1), CalendarStep::Seconds(60)]
        .into_iter()
        .filter(|step| *step != CalendarStep::Days(1) || !date::is_time_of_day(seconds))
        .find(|step| step.floor_to_tick(seconds) == seconds);
    let step = match fine {
        Some(step) => step,
        None if date::milliseconds(seconds) == 0 => CalendarStep::Seconds(1),
        None => CalendarStep::Milliseconds(1),
    };
    step.label_ticks(&[(seconds, seconds)], locale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: &str, to: &str, step: CalendarStep) -> Vec<String> {
        let at = |text| date::parse(text).expect("a date");
        let ticks = step.compute_ticks(at(from), at(to), 9).expect("few ticks");
        let ticks: Vec<(f64, f64)> = ticks.into_iter().map(|tick| (tick, tick)).collect();
        step.label_ticks(&ticks, Locale::default())
            .into_iter()
            .map(|tick| tick.context.map_or(tick.label.clone(), |c| format!("{}/{c}", tick.label)))
            .collect()
    }

    #[test]
    fn ticks_fall_on_calendar_units_and_larger_units_appear_once() {
        assert_eq!(
            labels("2023-11-15", "2024-03-10", CalendarStep::Months(1)),
            ["Dec/2023", "Jan/2024", "Feb", "Mar"]
        );
        assert_eq!(
            labels("2001-05-01", "2024-01-01", CalendarStep::Years(5)),
            ["2005", "2010", "2015", "2020"]
        );
        assert_eq!(
            labels("2024-01-01", "2024-01-20", CalendarStep::Days(7)),
            ["1 Jan/2024", "8 Jan", "15 Jan"]
        );
        assert_eq!(
            labels("2024-12-30T12:00", "2025-01-01T06:00", CalendarStep::Seconds(12 * 3600)),
            ["12:00/30 Dec 2024", "00:00/31 Dec", "12:00", "00:00/1 Jan 2025"]
        );
        assert_eq!(
            labels(
                "2024-12-30T12:00:01.15",
                "2024-12-30T12:00:01.4",
                CalendarStep::Milliseconds(100)
            ),
            ["12:00:01.200/30 Dec 2024", "12:00:01.300", "12:00:01.400"]
        );
    }

    #[test]
    fn steps_of_years_are_round_numbers() {
        for step in list_steps() {
            let CalendarStep::Years(count) = step else { continue };
            let leading = count / 10i32.pow((count.ilog10()).saturating_sub(1));
            assert!([1, 2, 5, 10, 20, 50, 25].contains(&leading), "{count}");
        }
    }

    #[test]
    fn a_single_timestamp_is_labeled_with_its_precision() {
        let label_and_context = |text| {
            let (seconds, precision) = (date::parse(text).unwrap(), Precision::of_text(text));
            let tick = make_single_tick(seconds, precision, Locale::default()).remove(0);
            (tick.label, tick.context.unwrap_or_default())
        };
        assert_eq!(label_and_context("2025-03-09"), ("9 Mar".to_owned(), "2025".to_owned()));
        assert_eq!(
            label_and_context("2025-03-09T14:30"),
            ("14:30".to_owned(), "9 Mar 2025".to_owned())
        );
        assert_eq!(label_and_context("2025-03-09T14:30:05.25").0, "14:30:05.250");
        for (text, label) in [("2020", "2020"), ("2020-03", "Mar 2020"), ("2020-Q2", "Q2 2020")] {
            assert_eq!(label_and_context(text), (label.to_owned(), String::new()));
        }
    }

    #[test]
    fn steps_are_close_enough_for_three_to_seven_ticks() {
        let mut all: Vec<f64> = list_steps().map(CalendarStep::average_seconds).collect();
        all.sort_by(f64::total_cmp);
        // Steps of years are round numbers, so that their ratio is up to 2.5. Three multiples of
        // the larger one or seven of the smaller one still fit into every span.
        all.retain(|seconds| *seconds <= CalendarStep::Years(2).average_seconds());
        assert!(all.windows(2).all(|pair| pair[1] / pair[0] < 7.0 / 3.0), "{all:?}");
    }

    #[test]
    fn extreme_spans_give_a_bounded_number_of_ticks() {
        for step in list_steps() {
            let ticks = step.compute_ticks(-3e11, 2e11, 7);
            assert!(ticks.is_none_or(|ticks| ticks.len() <= 7), "{step:?}");
            assert!(step.compute_ticks(0.0, 0.0, 7).is_none_or(|ticks| ticks.len() <= 1));
        }
    }
}
