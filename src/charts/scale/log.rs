//! Ticks of logarithmic axes: powers of ten, or 1, 2 and 5 times a power of ten within few of them.

use crate::scale::{Ticks, nice_ticks};

/// Number of decades below which ticks at equal differences are more numerous than 1, 2 and 5.
const FEW_DECADES: f64 = 0.7;
/// Number of decades up to which gridlines without labels show the multiples of each power of ten.
const MAX_DECADES_WITH_MINOR_TICKS: f64 = 6.0;

/// The ticks of a logarithmic axis.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTicks {
    /// Lowest and highest value of the axis, both above zero.
    pub domain: (f64, f64),
    /// Values of the ticks in ascending order.
    pub values: Vec<f64>,
    /// Values of gridlines without labels, in ascending order.
    pub minor_values: Vec<f64>,
}

/// Returns a domain with round ends that contains `low` and `high`, and at most `max_count` ticks
/// in it. Both values must be finite and above zero. `max_count` is at least 3. If `low` is not
/// below `high`, half and double of `low` replace them. Values within `FEW_DECADES` usually get
/// ticks at equal differences.
///
/// If `max_count` is 3 or 4, there may be one more tick. There are at least three ticks if it is 7.
pub fn log_ticks(low: f64, high: f64, max_count: usize) -> LogTicks {
    let (low, high) = if low < high { (low, high) } else { (low / 2.0, low * 2.0) };
    if (high / low).log10() < FEW_DECADES {
        // The number of ticks is only about the target, of which 2 is the smallest.
        let mut candidates =
            (2..=max_count.max(4) - 2).rev().map(|target| nice_ticks(low, high, target));
        let is_short = |(_, ticks): &((f64, f64), Ticks)| ticks.values.len() <= max_count;
        let smallest = || nice_ticks(low, high, 2);
        let (domain, ticks) = candidates.find(is_short).unwrap_or_else(smallest);
        if domain.0 > 0.0 && ticks.values.len() <= max_count + 1 {
            return LogTicks { domain, values: ticks.values, minor_values: Vec::new() };
        }
    }
    let fine = multiples(low, high, &[1.0, 2.0, 5.0]);
    let from = fine.iter().copied().rfind(|value| *value <= low * (1.0 + 1e-9)).unwrap_or(low);
    let to = fine.iter().copied().find(|value| *value >= high * (1.0 - 1e-9)).unwrap_or(high);
    let in_domain = |factors: &[f64]| -> Vec<f64> {
        let slack = 1.0 + 1e-9;
        let all = multiples(low, high, factors).into_iter();
        all.filter(|value| *value * slack >= from && *value <= to * slack).collect()
    };
    let powers = in_domain(&[1.0]);
    let with_every_nth_power =
        (1..=powers.len().max(1)).map(|n| powers.iter().copied().step_by(n).collect::<Vec<f64>>());
    let values = [in_domain(&[1.0, 2.0, 5.0]), in_domain(&[1.0, 3.0])]
        .into_iter()
        .chain(with_every_nth_power)
        .find(|values| values.len() <= max_count)
        .unwrap_or_default();
    let minor_values = if (to / from).log10() <= MAX_DECADES_WITH_MINOR_TICKS {
        let all = in_domain(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).into_iter();
        all.filter(|minor| !values.iter().any(|value| (value / minor - 1.0).abs() < 1e-9)).collect()
    } else {
        Vec::new()
    };
    LogTicks { domain: (from, to), values, minor_values }
}

/// Returns the products of `factors` and each power of ten from below `low` to above `high`. They
/// ascend if the factors ascend from 1 to below 10. Some may be outside `low` to `high`.
fn multiples(low: f64, high: f64, factors: &[f64]) -> Vec<f64> {
    // f64 has powers of ten from 1e-307 to 1e308.
    let first = low.log10().floor().clamp(-306.0, 306.0) as i32;
    let last = high.log10().ceil().clamp(-306.0, 306.0) as i32;
    let powers = (first..=last).flat_map(|power| factors.iter().map(move |factor| (power, factor)));
    // Parsing gives the nearest number, but a product such as 3 * 0.1 has a rounding error.
    powers.filter_map(|(power, factor)| format!("{factor}e{power}").parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_powers_of_ten_or_1_2_5() {
        assert_eq!(log_ticks(1.0, 1e5, 7).values, [1.0, 10.0, 100.0, 1e3, 1e4, 1e5]);
        assert_eq!(log_ticks(3.0, 80.0, 7).values, [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(log_ticks(0.6, 70.0, 5).values, [1.0, 3.0, 10.0, 30.0, 100.0]);
        assert_eq!(log_ticks(1.0, 1e9, 5).values, [1.0, 100.0, 1e4, 1e6, 1e8]);
        assert_eq!(log_ticks(42.0, 78.0, 7).values, [40.0, 50.0, 60.0, 70.0, 80.0]);
    }

    #[test]
    fn every_range_has_three_to_seven_ticks_and_includes_the_data() {
        for low in [1e-290, 0.00123, 0.7, 1.0, 9.99, 4217.0, 1e200] {
            for ratio in [1.0, 1.0001, 1.1, 1.7, 3.0, 4.9, 5.1, 8.0, 40.0, 1e3, 7e5, 1e12, 1e80] {
                let LogTicks { domain, values, .. } = log_ticks(low, low * ratio, 7);
                assert!(domain.0 <= low * 1.000001 && domain.1 >= low * ratio * 0.999999);
                assert!((3..=7).contains(&values.len()), "{low} {ratio}: {domain:?} {values:?}");
                assert!(values.iter().all(|value| *value >= domain.0 * 0.999999));
            }
        }
    }

    #[test]
    fn ticks_at_equal_differences_are_not_more_than_the_maximum() {
        assert_eq!(log_ticks(9.9, 15.1, 7).values, [8.0, 10.0, 12.0, 14.0, 16.0]);
        for low in (1..100).map(|step| 10f64.powf(f64::from(step) / 50.0)) {
            for ratio in (1..200).map(|step| 1.0 + f64::from(step) / 40.0) {
                for max_count in 3..=7 {
                    let LogTicks { domain, values, .. } = log_ticks(low, low * ratio, max_count);
                    // A single difference between ticks would be too few.
                    let slack = usize::from(max_count < 5);
                    assert!(values.len() <= max_count + slack, "{low} {ratio}: {values:?}");
                    assert!(domain.0 <= low && domain.1 >= low * ratio * (1.0 - 1e-9));
                    assert!(values.len() >= 3 || max_count < 7, "{low} {ratio}: {values:?}");
                }
            }
        }
    }
}
