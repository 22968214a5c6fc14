//! Gaps in the time axis: missing records of a series with regular steps, such as a sensor that was
//! off.

/// Minimum number of steps that show a rhythm.
const MIN_STEPS: usize = 20;
/// Minimum share of the steps with the same length. Five days a week are no rhythm of days.
const MIN_REGULAR_SHARE: f64 = 0.95;
/// Maximum distance of a regular step to the usual one as a share of it. Months have 28 to 31 days.
const STEP_TOLERANCE: f64 = 0.12;
/// Minimum length of a gap as a multiple of the usual step.
const MIN_GAP_STEPS: f64 = 1.9;

/// Inserts one timestamp without a record into each gap, a usual step after the last record before
/// it, so that lines end before the gap. The row of such a timestamp is `blank_row`.
///
/// `timestamps` are in seconds, in ascending order, with the rows of their records. Changes nothing
/// unless almost all steps between them have the same length.
pub fn insert_blank_rows(rows: &mut Vec<usize>, timestamps: &mut Vec<f64>, blank_row: usize) {
    let Some(step) = find_regular_step(timestamps) else { return };
    let mut previous = f64::INFINITY;
    for (row, timestamp) in std::mem::take(rows).into_iter().zip(std::mem::take(timestamps)) {
        if timestamp - previous >= step * MIN_GAP_STEPS {
            rows.push(blank_row);
            timestamps.push(previous + step);
        }
        rows.push(row);
        timestamps.push(timestamp);
        previous = timestamp;
    }
}

/// Returns the median step between different times in seconds, if almost all steps have about its
/// length. None otherwise, and for fewer than `MIN_STEPS` steps.
fn find_regular_step(timestamps: &[f64]) -> Option<f64> {
    let steps = timestamps.windows(2).map(|pair| pair[1] - pair[0]);
    let mut steps: Vec<f64> = steps.filter(|step| *step > 0.0).collect();
    if steps.len() < MIN_STEPS {
        return None;
    }
    let middle = steps.len() / 2;
    let (_, usual, _) = steps.select_nth_unstable_by(middle, f64::total_cmp);
    let usual = *usual;
    let is_regular = |step: &&f64| (**step - usual).abs() <= usual * STEP_TOLERANCE;
    let regular = steps.iter().filter(is_regular).count();
    (regular as f64 >= steps.len() as f64 * MIN_REGULAR_SHARE).then_some(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400.0;

    /// Returns the indices of the blank rows of a series with these days.
    fn find_gaps(days: impl Iterator<Item = u32>) -> Vec<usize> {
        let mut timestamps: Vec<f64> = days.map(|day| f64::from(day) * DAY).collect();
        let mut rows: Vec<usize> = (0..timestamps.len()).collect();
        insert_blank_rows(&mut rows, &mut timestamps, usize::MAX);
        assert!(timestamps.is_sorted());
        let blanks = rows.iter().enumerate().filter(|(_, row)| **row == usize::MAX);
        blanks.map(|(index, _)| index).collect()
    }

    #[test]
    fn missing_days_of_a_daily_series_are_gaps() {
        assert_eq!(
            find_gaps((0..60).filter(|day| !(20..25).contains(day) && *day != 40)),
            [20, 36]
        );
    }

    #[test]
    fn weekends_uneven_steps_and_short_series_have_no_gaps() {
        assert_eq!(find_gaps((0..100).filter(|day| day % 7 < 5)), [0; 0]);
        assert_eq!(find_gaps((0..40).map(|day| day * day)), [0; 0]);
        assert_eq!(find_gaps((0..15).filter(|day| *day != 9)), [0; 0]);
    }

    #[test]
    fn months_of_different_lengths_are_regular() {
        let months = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let starts = (0..36).scan(0, |day, month| {
            let start = *day;
            *day += months[month % 12];
            Some((month, start))
        });
        let days = starts.filter(|(month, _)| *month != 18).map(|(_, day)| day);
        assert_eq!(find_gaps(days), [18]);
    }
}
