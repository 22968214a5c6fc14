//! Distances between times that are the names of categories.

use crate::date_text;
use crate::fiscal_periods::FiscalPeriod;
use crate::format::date;

/// Minimum ratio of two steps that are different lengths. Months and quarters differ by less.
const MIN_STEP_RATIO: f64 = 1.4;
/// Steps of days up to this length skip weekends and holidays.
const MAX_WEEKEND_STEP: f64 = 4.0;
/// Days of a year.
const DAYS_PER_YEAR: f64 = 365.0;

/// Returns whether names are times that rise or fall in steps of different lengths, such as the years
/// 2000, 2005 and 2006. Lines between categories at equal distances then have other slopes than on a
/// time axis.
///
/// False for days that only skip weekends. Blank names do not count.
pub fn are_uneven<'a>(names: impl Iterator<Item = &'a str> + Clone) -> bool {
    let names = names.map(str::trim).filter(|name| !name.is_empty());
    let Some(times) = read_days(names.clone()).or_else(|| read_fiscal_periods(names)) else {
        return false;
    };
    let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let is_ordered = steps.iter().all(|step| *step > 0.0) || steps.iter().all(|step| *step < 0.0);
    let lengths = || steps.iter().map(|step| step.abs());
    let (low, high) = (lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max));
    is_ordered && high > MAX_WEEKEND_STEP && high >= low * MIN_STEP_RATIO
}

/// Returns the times of years and dates in days. None if a name is another text.
fn read_days<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Option<Vec<f64>> {
    let order = date_text::find_order(names.clone(), None);
    let read_day = |name: &str| {
        let year = name.parse::<f64>().ok().filter(|_| name.len() == 4);
        if let Some(year) = year {
            return (1500.0..2200.0).contains(&year).then_some(year * DAYS_PER_YEAR);
        }
        let seconds = date::parse(&date_text::to_iso_date(name, order)?)?;
        Some(seconds / 86_400.0)
    };
    names.map(read_day).collect()
}

/// Returns the numbers of fiscal periods of one form as years of days. None if a name is another text.
fn read_fiscal_periods<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<f64>> {
    let periods: Vec<FiscalPeriod> = names.map(FiscalPeriod::parse).collect::<Option<_>>()?;
    let first = periods.first()?;
    let is_same = periods.iter().all(|period| period.has_form_of(first));
    let days = |period: &FiscalPeriod| period.number as f64 * DAYS_PER_YEAR;
    is_same.then(|| periods.iter().map(days).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_different_lengths_are_found() {
        let are = |names: &str| are_uneven(names.split(", "));
        for names in [
            "2000, 2005, 2010, 2020, 2021",
            "2021, 2020, 2010",
            "FY21, FY22, FY25",
            "2024-01-01, 2024-02-01, 2024-06-01",
            "Jan 2024, Feb 2024, Jun 2024",
        ] {
            assert!(are(names), "{names}");
        }
        for names in [
            "2000, 2005, 2010",
            "2019, 2020",
            "FY21, FY22, FY23",
            "2024-01-31, 2024-02-29, 2024-03-31",
            "2024-01-04, 2024-01-05, 2024-01-08",
            "Q1 2024, Q2 2024, Q3 2024",
            "2001, 1999, 2005",
            "A, B, C",
            "1, 2, 5",
            "2020, 2021, Total",
            "",
        ] {
            assert!(!are(names), "{names}");
        }
    }
}
