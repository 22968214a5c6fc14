//! Calendar ticks: seconds to centuries, on the units that people count in.

use crate::format::Locale;
use crate::format::date;

/// A step of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many seconds.
    Seconds(i64),
    /// So many days, counted from the first of the month where they divide it.
    Days(i64),
    /// So many months.
    Months(i32),
    /// So many years.
    Years(i32),
}

/// A tick with its label, and the larger unit where that changes.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeTick {
    /// The moment in seconds.
    pub at: f64,
    /// The small unit: `14:00`, `9 Mar`, `Mar`, `2024`.
    pub label: String,
    /// The large unit (year or day), on the first tick and wherever it changes.
    pub context: Option<String>,
}

const STEPS: [Step; 26] = [
    Step::Seconds(1),
    Step::Seconds(5),
    Step::Seconds(15),
    Step::Seconds(30),
    Step::Seconds(60),
    Step::Seconds(300),
    Step::Seconds(900),
    Step::Seconds(1800),
    Step::Seconds(3600),
    Step::Seconds(3 * 3600),
    Step::Seconds(6 * 3600),
    Step::Seconds(12 * 3600),
    Step::Days(1),
    Step::Days(2),
    Step::Days(7),
    Step::Days(14),
    Step::Months(1),
    Step::Months(2),
    Step::Months(3),
    Step::Months(6),
    Step::Years(1),
    Step::Years(2),
    Step::Years(5),
    Step::Years(10),
    Step::Years(25),
    Step::Years(50),
];

impl Step {
    /// About how long it is, in seconds.
    pub fn seconds(self) -> f64 {
        match self {
            Step::Seconds(count) => count as f64,
            Step::Days(count) => count as f64 * date::DAY,
            Step::Months(count) => f64::from(count) * 30.4375 * date::DAY,
            Step::Years(count) => f64::from(count) * 365.25 * date::DAY,
        }
    }

    /// The finest step that is at least this long, in seconds.
    pub fn at_least(seconds: f64) -> Step {
        let found = STEPS.iter().find(|it| it.seconds() >= seconds * 0.999).copied();
        found.unwrap_or_else(|| {
            let years = (seconds / (365.25 * date::DAY)).clamp(1.0, 2e4);
            let power = 10f64.powf(years.log10().floor());
            let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|it| it * power >= years * 0.999);
            Step::Years((factor.unwrap_or(10.0) * power) as i32)
        })
    }

    /// The first moment of this step at or before `seconds`.
    fn floor(self, seconds: f64) -> f64 {
        let it = date::civil(seconds);
        let (year, month) = (it.year, it.month as i32);
        match self {
            Step::Seconds(count) => (seconds / count as f64).floor() * count as f64,
            // 1970-01-01 was a Thursday: weeks start on Mondays.
            Step::Days(count) if count % 7 == 0 => {
                let length = count as f64 * date::DAY;
                ((seconds + 3.0 * date::DAY) / length).floor() * length - 3.0 * date::DAY
            }
            Step::Days(count) => {
                (seconds / (count as f64 * date::DAY)).floor() * count as f64 * date::DAY
            }
            Step::Months(count) => date::moment(year, (month - 1).div_euclid(count) * count + 1, 1),
            Step::Years(count) => date::moment(year.div_euclid(count) * count, 1, 1),
        }
    }

    fn after(self, seconds: f64) -> f64 {
        let it = date::civil(seconds);
        match self {
            Step::Seconds(count) => seconds + count as f64,
            Step::Days(count) => seconds + count as f64 * date::DAY,
            Step::Months(count) => date::moment(it.year, it.month as i32 + count, 1),
            Step::Years(count) => date::moment(it.year + count, 1, 1),
        }
    }

    fn label(self, seconds: f64, locale: Locale) -> String {
        let it = date::civil(seconds);
        match self {
            Step::Seconds(count) if count < 60 => {
                format!("{:02}:{:02}:{:02}", it.hour, it.minute, it.second)
            }
            Step::Seconds(_) => format!("{:02}:{:02}", it.hour, it.minute),
            Step::Days(_) => date::day_text(seconds, false, locale),
            Step::Months(_) => date::month_name(it.month, locale).to_owned(),
            Step::Years(_) => it.year.to_string(),
        }
    }

    fn context(self, seconds: f64, locale: Locale) -> Option<String> {
        match self {
            Step::Seconds(_) => Some(date::day_text(seconds, true, locale)),
            Step::Days(_) | Step::Months(_) => Some(date::civil(seconds).year.to_string()),
            Step::Years(_) => None,
        }
    }
}

/// Ticks within a span of time, at least `gap` seconds apart; at most 60.
pub fn ticks(low: f64, high: f64, gap: f64, locale: Locale) -> Vec<TimeTick> {
    let step = Step::at_least(gap.max((high - low) / 60.0));
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
        let next = step.after(at);
        if next <= at {
            break;
        }
        at = next;
    }
    out
}

/// The tick of a lone moment, as fine as it was given: a day, or a time of that day.
pub fn single(at: f64, locale: Locale) -> Vec<TimeTick> {
    let fine = [Step::Days(1), Step::Seconds(60)].into_iter().find(|it| it.floor(at) == at);
    let step = fine.unwrap_or(Step::Seconds(1));
    vec![TimeTick { at, label: step.label(at, locale), context: step.context(at, locale) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: &str, to: &str, gap_days: f64) -> Vec<String> {
        let at = |text| date::parse(text).expect("a date");
        let all = ticks(at(from), at(to), gap_days * date::DAY, Locale::default());
        all.into_iter()
            .map(|it| it.context.map_or(it.label.clone(), |c| format!("{}/{c}", it.label)))
            .collect()
    }

    #[test]
    fn ticks_fall_on_calendar_units_and_the_year_shows_once() {
        assert_eq!(
            labels("2023-11-15", "2024-03-10", 25.0),
            ["Dec/2023", "Jan/2024", "Feb", "Mar"]
        );
        assert_eq!(labels("2001-05-01", "2024-01-01", 1500.0), ["2005", "2010", "2015", "2020"]);
        assert_eq!(labels("2024-01-01", "2024-01-20", 5.0), ["1 Jan/2024", "8 Jan", "15 Jan"]);
    }

    #[test]
    fn a_lone_moment_is_as_fine_as_it_was_given() {
        let words = |text| {
            let tick = single(date::parse(text).expect("a date"), Locale::default()).remove(0);
            (tick.label, tick.context.unwrap_or_default())
        };
        assert_eq!(words("2025-03-09"), ("9 Mar".to_owned(), "2025".to_owned()));
        assert_eq!(words("2025-03-09T14:30"), ("14:30".to_owned(), "9 Mar 2025".to_owned()));
    }

    #[test]
    fn odd_spans_end() {
        assert!(ticks(-3e11, 2e11, 1.0, Locale::default()).len() <= 61);
        assert!(ticks(0.0, 0.0, 0.0, Locale::default()).len() <= 1);
    }
}
