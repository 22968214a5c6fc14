//! Ticks of value axes, with steps of 1, 2, 2.5 or 5 times a power of ten.

/// The ticks of a value axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Difference between neighboring ticks.
    pub step: f64,
    /// Values of the ticks in ascending order.
    pub values: Vec<f64>,
}

impl Ticks {
    /// Returns the largest absolute value of the ticks, 0 without ticks.
    pub fn max_magnitude(&self) -> f64 {
        self.values.iter().map(|value| value.abs()).fold(0.0, f64::max)
    }
}

/// Returns the greatest number that is 1, 2 or 5 times a power of ten and not greater than `value`.
/// Returns 0 if there is none, because `value` is 0 or negative.
pub fn round_down(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let candidates = [10.0, 5.0, 2.0, 1.0].map(|factor| factor * power);
    let found = candidates.into_iter().find(|candidate| *candidate <= value * (1.0 + 1e-9));
    found.filter(|number| number.is_finite()).unwrap_or(0.0)
}

/// Returns a domain with round ends that contains `low` and `high`, and its ticks, about
/// `target_count` of them.
///
/// `target_count` is limited to 2 to 12. The ends and their difference must be finite. If `low` and
/// `high` are (almost) equal, the domain is widened. The first and the last tick are the ends of
/// the domain. `low` may be greater than `high`.
pub fn nice_ticks(low: f64, high: f64, target_count: usize) -> ((f64, f64), Ticks) {
    let (low, high) = widen_if_equal(low.min(high), low.max(high));
    list_ticks(low, high, choose_step(high - low, target_count.clamp(2, 12)))
}

/// Returns the domain of whole steps that contains `low` and `high`, and its ticks, 25 at most.
fn list_ticks(low: f64, high: f64, step: f64) -> ((f64, f64), Ticks) {
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil();
    let count = (last - first).clamp(1.0, 24.0) as usize;
    // Multiples of the step instead of sums, because sums would accumulate rounding errors.
    let values: Vec<f64> =
        (0..=count).map(|index| normalize_zero((first + index as f64) * step)).collect();
    ((values[0], values[count]), Ticks { step, values })
}

/// Distances of ticks of durations, in the unit of their last part: seconds or minutes. More than a day of
/// seconds is a round number of hours.
pub const CLOCK_STEPS: [f64; 29] = [
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    15.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1800.0,
    3600.0,
    7200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    180_000.0,
    360_000.0,
    720_000.0,
    1_800_000.0,
    3_600_000.0,
    7_200_000.0,
    18_000_000.0,
    36_000_000.0,
];

/// Returns the same as [`nice_ticks`] for durations by the clock, with steps such as 15 minutes. `low` and
/// `high` are in the unit of the last part.
pub fn clock_ticks(low: f64, high: f64, target_count: usize) -> ((f64, f64), Ticks) {
    let (low, high) = widen_if_equal(low.min(high), low.max(high));
    let rough = (high - low) / target_count.clamp(2, 12) as f64;
    let is_wide = |step: &&f64| **step >= rough / 1.05;
    let Some(step) = CLOCK_STEPS.iter().find(is_wide).copied().filter(|_| rough > 0.05) else {
        return nice_ticks(low, high, target_count);
    };
    list_ticks(low, high, step)
}

/// Returns `value`, with 0.0 instead of -0.0, so that no label reads "-0".
fn normalize_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// Returns `low` and `high` as they are, or if they are (almost) equal, moved apart by a tenth of
/// the larger magnitude at each end. Returns 0 and 1 if both are 0.
fn widen_if_equal(low: f64, high: f64) -> (f64, f64) {
    let reach = low.abs().max(high.abs());
    if high - low > reach * 1e-9 {
        return (low, high);
    }
    if reach == 0.0 {
        return (0.0, 1.0);
    }
    (low - reach * 0.1, high + reach * 0.1)
}

/// Returns the round step that divides `span` into about `target_count` parts: 1, 2, 2.5 or 5 times
/// a power of ten. It is at most 5 % smaller than `span / target_count`, and less than twice as
/// large.
fn choose_step(span: f64, target_count: usize) -> f64 {
    let rough = span / target_count as f64;
    let power = 10f64.powf(rough.log10().floor());
    let share = rough / power;
    let factor = match share {
        n if n <= 1.05 => 1.0,
        n if n <= 2.05 => 2.0,
        n if n <= 2.55 => 2.5,
        n if n <= 5.1 => 5.0,
        _ => 10.0,
    };
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        for (low, high) in
            [(0.0, 158.0), (0.0, 7.0), (-35.0, 210.0), (0.0013, 0.0042), (1e15, 3e15)]
        {
            let ((from, to), ticks) = nice_ticks(low, high, 5);
            assert!(from <= low && to >= high, "{low} {high}: {from} {to}");
            assert!((3..=8).contains(&ticks.values.len()), "{ticks:?}");
            let lead = ticks.step / 10f64.powf(ticks.step.log10().floor());
            assert!(
                [1.0, 2.0, 2.5, 5.0, 10.0].iter().any(|factor| (lead - factor).abs() < 1e-6),
                "{lead}"
            );
        }
    }

    #[test]
    fn equal_and_extreme_ends_give_a_finite_domain() {
        for (low, high) in
            [(0.0, 0.0), (5.0, 5.0), (-1e-9, -1e-9), (-1e290, 1e290), (1e-290, 2e-290)]
        {
            let ((from, to), ticks) = nice_ticks(low, high, 5);
            assert!(from < to && from.is_finite() && to.is_finite());
            assert!(ticks.values.iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn numbers_are_rounded_down_to_round_ones() {
        let cases = [(12_600.0, 10_000.0), (99.0, 50.0), (0.34, 0.2), (1.0, 1.0), (0.0, 0.0)];
        for (value, round) in cases {
            assert!((round_down(value) - round).abs() <= 1e-9 * round, "{value}");
        }
        assert_eq!(round_down(-3.0), 0.0);
    }
}
