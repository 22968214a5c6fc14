//! Limits of classes by several methods, rounded as far as the values allow.

use crate::scale::nice_ticks;

/// Maximum number of different values that natural breaks examine. More are thinned evenly.
const MAX_VALUES_FOR_BREAKS: usize = 400;
/// Relative error of divisions.
const ROUNDING: f64 = 1e-9;
/// Share of the values in one class of equal width from which the distribution counts as skewed.
const SKEWED_SHARE: f64 = 0.7;

/// A method to choose the limits of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Equal widths, or equal numbers of values if most would be in one class.
    Auto,
    /// Round limits at equal distances.
    Equal,
    /// About equally many values in each class.
    Quantile,
    /// Classes of values that are as similar as possible (Jenks).
    NaturalBreaks,
    /// No limits.
    Continuous,
}

impl Method {
    /// Returns the method of the setting `classes`: `equal`, `quantile`, `jenks` or `continuous`.
    /// Any other text gives `Auto`.
    pub fn parse(setting: &str) -> Method {
        match setting {
            "equal" => Method::Equal,
            "quantile" => Method::Quantile,
            "jenks" => Method::NaturalBreaks,
            "continuous" => Method::Continuous,
            _ => Method::Auto,
        }
    }
}

/// Returns the edges of the classes in ascending order, with both ends, and the smallest unit in
/// which they are round. Zero is an edge if there are values on both sides of it.
///
/// There are about `count` classes of equal width, or at most `count` others. Without values, there
/// is one class from 0 to 1.
pub fn find_edges(values: &[f64], method: Method, count: usize) -> (Vec<f64>, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (sorted.first().copied(), sorted.last().copied()) else {
        return (vec![0.0, 1.0], 1.0);
    };
    let (_, ticks) = nice_ticks(low, high, count);
    let equal: Vec<f64> = ticks.values.iter().copied().map(to_shortest_decimal).collect();
    let equal = (equal, ticks.step);
    let is_skewed = || {
        let in_class = |pair: &[f64]| match pair {
            [from, to] => sorted.iter().filter(|value| *value >= from && *value < to).count(),
            _ => 0,
        };
        let largest = ticks.values.windows(2).map(in_class).max().unwrap_or(0);
        largest as f64 > SKEWED_SHARE * sorted.len() as f64
    };
    let starts = match method {
        Method::Equal | Method::Continuous => return equal,
        Method::Auto if !is_skewed() => return equal,
        Method::Auto | Method::Quantile => split_at_zero(&sorted, count, find_quantiles),
        Method::NaturalBreaks => split_at_zero(&sorted, count, find_natural_breaks),
    };
    round_edges(&sorted, &starts)
}

/// Applies a method to the values below zero and to the others, so that a class starts at zero.
/// Divides `count` classes between both by the number of values. Returns the indices in `sorted` at
/// which classes start, except the first one.
fn split_at_zero(
    sorted: &[f64],
    count: usize,
    find_starts: impl Fn(&[f64], usize) -> Vec<usize>,
) -> Vec<usize> {
    let below = sorted.partition_point(|value| *value < 0.0);
    if below == 0 || below == sorted.len() {
        return find_starts(sorted, count);
    }
    let share = below as f64 / sorted.len() as f64;
    // A single class of many values would show all of them as near zero.
    let min_count = |values: usize| if values > 2 && count > 3 { 2 } else { 1 };
    let min_above = min_count(sorted.len() - below).min(count.max(2) - 1);
    let max_below = (count.max(2) - min_above).max(1);
    let count_below = (count as f64 * share).round() as usize;
    let count_below = count_below.clamp(min_count(below).min(max_below), max_below);
    let (negative, positive) = sorted.split_at(below);
    let mut starts = find_starts(negative, count_below);
    starts.push(below);
    let positive_starts = find_starts(positive, count.saturating_sub(count_below).max(1));
    starts.extend(positive_starts.into_iter().map(|start| start + below));
    starts
}

/// Returns the indices of the starts of classes with about equally many values, except the first
/// one. Equal values are in one class, so that there may be fewer than `count` classes. Of
/// neighboring starts, the one with the roundest limit is chosen.
fn find_quantiles(sorted: &[f64], count: usize) -> Vec<usize> {
    let min_slack = usize::from(sorted.len() >= 2 * count);
    let slack = (sorted.len() / (count * 10).max(1)).max(min_slack);
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    let mut starts = Vec::new();
    for class in 1..count {
        let target = sorted.len() * class / count;
        let Some(value) = sorted.get(target) else { continue };
        let exact = sorted.partition_point(|other| other < value);
        let previous = starts.last().copied().unwrap_or(0);
        let nearby = exact.saturating_sub(slack)..=exact + slack;
        let is_start = |start: &usize| {
            *start > previous && *start < sorted.len() && at(*start - 1) < at(*start)
        };
        let roundness = |start: usize| {
            let limit = round_between(at(start - 1), at(start), false, 0.0);
            limit.map_or(0.0, |(limit, unit)| unit / limit.abs().max(unit))
        };
        let rated = nearby.filter(is_start).map(|start| (roundness(start), start));
        let best = rated.max_by(|a, b| {
            a.0.total_cmp(&b.0).then_with(|| b.1.abs_diff(exact).cmp(&a.1.abs_diff(exact)))
        });
        starts.extend(best.map(|(_, start)| start));
    }
    starts
}

/// Returns the indices of the starts of the classes with the smallest sum of squared deviations
/// from their means, except the first one. More than `MAX_VALUES_FOR_BREAKS` values are thinned
/// evenly.
fn find_natural_breaks(sorted: &[f64], count: usize) -> Vec<usize> {
    // A few hundred values show where the gaps are.
    let stride = sorted.len().div_ceil(MAX_VALUES_FOR_BREAKS).max(1);
    let sample: Vec<f64> = sorted.iter().copied().step_by(stride).collect();
    let scale = sample.iter().map(|value| value.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let mut sums = vec![(0.0, 0.0)];
    for value in &sample {
        let value = value / scale;
        let (sum, squares) = sums.last().copied().unwrap_or_default();
        sums.push((sum + value, squares + value * value));
    }
    let deviation = |start: usize, end: usize| {
        let ((sum, squares), (first_sum, first_squares)) = match (sums.get(end), sums.get(start)) {
            (Some(last), Some(first)) => (*last, *first),
            _ => return 0.0,
        };
        let total: f64 = sum - first_sum;
        squares - first_squares - total * total / (end - start).max(1) as f64
    };
    // Best sum of deviations of the first values in a number of classes, and the last start.
    let mut costs: Vec<f64> = (0..=sample.len()).map(|end| deviation(0, end)).collect();
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for class in 1..count.min(sample.len()) {
        let mut choice = vec![class; sample.len() + 1];
        let mut next = vec![f64::INFINITY; sample.len() + 1];
        for end in class + 1..=sample.len() {
            for start in class..end {
                let cost =
                    costs.get(start).copied().unwrap_or(f64::INFINITY) + deviation(start, end);
                if let (Some(best), Some(chosen)) = (next.get_mut(end), choice.get_mut(end))
                    && cost < *best
                {
                    (*best, *chosen) = (cost, start);
                }
            }
        }
        choices.push(choice);
        costs = next;
    }
    let mut starts = Vec::new();
    let mut end = sample.len();
    for choice in choices.iter().rev() {
        end = choice.get(end).copied().unwrap_or(0);
        let value = sample.get(end).copied().unwrap_or_default();
        let start = sorted.partition_point(|other| *other < value);
        if start > 0 && starts.last() != Some(&start) {
            starts.push(start);
        }
    }
    starts.reverse();
    starts
}

/// Returns ascending edges, with both ends, such that each class has the values between two starts,
/// and the smallest unit of the inner edges. An edge is the roundest number above the values of the
/// lower class and not above those of the upper one. The highest class is below its upper edge if
/// its lower edge is the highest value.
fn round_edges(sorted: &[f64], starts: &[usize]) -> (Vec<f64>, f64) {
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    let (low, high) = (at(0), at(sorted.len().saturating_sub(1)));
    let min_unit = if sorted.iter().all(|value| value.fract() == 0.0) { 1.0 } else { 0.0 };
    let mut limits: Vec<f64> = Vec::new();
    let mut units = Vec::new();
    for start in starts {
        let (below, above) = (at(start.saturating_sub(1)), at(*start));
        if below < 0.0 && above >= 0.0 {
            limits.push(0.0);
        } else if below < above {
            // A limit at the highest value would also be the end of the scale.
            let inner = (above == high).then(|| round_between(below, above, true, min_unit));
            let outer =
                || round_between(below, above, false, 0.0).unwrap_or((above, above.abs() * 1e-6));
            let (limit, unit) = inner.flatten().unwrap_or_else(outer);
            limits.push(limit);
            units.push(unit);
        }
    }
    if units.is_empty() {
        let (_, ticks) = nice_ticks(low, high, 3);
        units.push(ticks.step);
    }
    // The ends are as round as the limits beside them.
    let (first_unit, last_unit) = match units.as_slice() {
        [only] => (*only, *only),
        [first, .., last] => (*first, *last),
        [] => (1.0, 1.0),
    };
    // The highest values may be much higher than the last limit.
    let coarse = 10f64.powf((high - low).log10().floor() - 1.0);
    let last_unit = last_unit.max(if coarse.is_finite() { coarse } else { 0.0 });
    let first = (low / first_unit + ROUNDING).floor() * first_unit;
    let last = (high / last_unit - ROUNDING).ceil() * last_unit;
    let mut edges = vec![first];
    edges.extend(limits.into_iter().filter(|limit| *limit > first));
    let last_limit = edges.last().copied().unwrap_or(first);
    edges.push(if last > last_limit { last } else { last_limit + last_unit });
    let step = units.iter().copied().fold(f64::INFINITY, f64::min);
    edges.iter_mut().for_each(|edge| *edge = to_shortest_decimal(*edge));
    (edges, step)
}

/// Returns the roundest number above `below` and not above `above`, and its unit: 1, 2 or 5 times a
/// power of ten. With `is_strict`, the number is also below `above`. None if its unit would be less
/// than `min_unit` or less than twenty powers of ten below the numbers.
fn round_between(below: f64, above: f64, is_strict: bool, min_unit: f64) -> Option<(f64, f64)> {
    let mut power = 10f64.powf(above.abs().max(below.abs()).log10().ceil());
    for _ in 0..20 {
        for factor in [1.0, 0.5, 0.2] {
            let unit = power * factor;
            if unit < min_unit * (1.0 - ROUNDING) {
                return None;
            }
            let limit = to_shortest_decimal((above / unit * (1.0 + f64::EPSILON)).floor() * unit);
            let limit = if is_strict && limit >= above { limit - unit } else { limit };
            if limit > below && limit <= above {
                return Some((limit, unit));
            }
        }
        power /= 10.0;
    }
    None
}

/// Returns the number with 15 significant digits, without the error of a product: 0.3 for 3 × 0.1.
/// Such a limit equals the value in the data that is printed in the same way.
pub(super) fn to_shortest_decimal(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_in_one_class_and_limits_are_round() {
        let values: Vec<f64> = (1..=100).map(|value| f64::from(value) * 1.37).collect();
        let (edges, step) = find_edges(&values, Method::Quantile, 4);
        assert_eq!(edges.len(), 5);
        assert!(step >= 0.5, "{edges:?} {step}");
        for pair in edges.windows(2) {
            let count = values.iter().filter(|v| **v >= pair[0] && **v < pair[1]).count();
            assert!((23..=27).contains(&count), "{edges:?}");
        }
        let (edges, _) = find_edges(&[5.0, 5.0, 5.0], Method::Quantile, 5);
        assert_eq!(edges.len(), 2, "{edges:?}");
        assert!(edges[0] <= 5.0 && edges[1] > 5.0);
    }

    #[test]
    fn natural_breaks_are_in_the_gaps() {
        let values = [1.0, 2.0, 3.0, 50.0, 51.0, 53.0, 400.0, 410.0];
        let (edges, _) = find_edges(&values, Method::NaturalBreaks, 3);
        assert_eq!(edges.len(), 4, "{edges:?}");
        assert!(edges[1] > 3.0 && edges[1] <= 50.0 && edges[2] > 53.0 && edges[2] <= 400.0);
    }

    #[test]
    fn zero_is_a_limit_of_values_on_both_sides() {
        let values = [-3.2, -1.0, -0.4, 0.8, 2.0, 7.0, 9.5];
        for method in [Method::Equal, Method::Quantile, Method::NaturalBreaks, Method::Auto] {
            let (edges, _) = find_edges(&values, method, 5);
            assert!(edges.contains(&0.0), "{method:?} {edges:?}");
        }
    }

    #[test]
    fn a_single_outlier_does_not_hide_the_others() {
        let mut values: Vec<f64> = (1..=30).map(f64::from).collect();
        values.push(30_000.0);
        let (edges, _) = find_edges(&values, Method::Auto, 5);
        assert!(edges.len() > 4 && edges[1] < 30.0, "{edges:?}");
    }

    #[test]
    fn the_highest_values_have_a_class_of_their_own() {
        let classes = |values: &[f64], method: Method, count: usize| -> Vec<Vec<f64>> {
            let (edges, _) = find_edges(values, method, count);
            let in_class = |pair: &[f64]| {
                values.iter().copied().filter(|v| *v >= pair[0] && *v < pair[1]).collect()
            };
            let mut classes: Vec<Vec<f64>> = edges.windows(2).map(in_class).collect();
            // The upper edge of the highest class belongs to it.
            let last = edges.last().unwrap();
            classes.last_mut().unwrap().extend(values.iter().filter(|value| *value == last));
            classes
        };
        let jenks = Method::NaturalBreaks;
        assert_eq!(classes(&[1.0, 2.0, 3.0, 100.0], jenks, 2), [vec![1.0, 2.0, 3.0], vec![100.0]]);
        let counts = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
        assert_eq!(classes(&counts, Method::Quantile, 3), [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]);
        for method in [Method::Quantile, jenks] {
            for seed in 1..400_u32 {
                let value = |index: u32| f64::from(seed.wrapping_mul(index + 7) * 37 % 50);
                let values: Vec<f64> = (0..12)
                    .map(|index| value(index) / [1.0, 10.0, 4.0][seed as usize % 3])
                    .collect();
                let found = classes(&values, method, 5);
                assert!(found.iter().all(|class| !class.is_empty()), "{values:?} {found:?}");
                assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 12, "{values:?} {found:?}");
            }
        }
    }

    #[test]
    fn a_few_values_below_zero_have_more_than_one_class() {
        let values = [
            -9077.0, -4466.0, -3445.0, -788.0, 97.0, 100.0, 291.0, 525.0, 825.0, 1413.0, 1453.0,
            1590.0, 1860.0, 1944.0, 3237.0, 3800.0,
        ];
        for values in [values.to_vec(), values.iter().map(|value| -value).collect()] {
            let (edges, _) = find_edges(&values, Method::Quantile, 5);
            let below = edges.iter().filter(|edge| **edge < 0.0).count();
            assert!((2..=3).contains(&below) && edges.len() == 6, "{edges:?}");
        }
        let (edges, _) = find_edges(&[-5.0, 1.0, 2.0, 3.0, 4.0, 5.0], Method::Quantile, 5);
        assert_eq!(edges.iter().filter(|edge| **edge < 0.0).count(), 1, "{edges:?}");
    }

    #[test]
    fn quantiles_have_round_limits_between_values_that_differ() {
        let provinces = [
            40_673.0,
            44_972.0,
            44_975.0,
            173_787.0,
            538_605.0,
            834_691.0,
            1_058_694.0,
            1_209_107.0,
            1_454_902.0,
            4_695_290.0,
            5_519_013.0,
            8_874_683.0,
            15_608_369.0,
        ];
        let (edges, _) = find_edges(&provinces, Method::Quantile, 5);
        assert_eq!(edges[1], 100_000.0, "{edges:?}");
        assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "{edges:?}");
    }

    #[test]
    fn the_ends_are_as_round_as_the_limits_beside_them() {
        let values =
            [0.06, 0.15, 13.0, 20.0, 45.0, 2142.0, 2301.0, 3052.0, 3381.0, 4204.0, 27_721.0];
        let (edges, _) = find_edges(&values, Method::Quantile, 4);
        assert_eq!((edges[0], edges.last()), (0.0, Some(&28_000.0)), "{edges:?}");
    }

    #[test]
    fn limits_equal_the_values_that_are_printed_in_the_same_way() {
        let values: Vec<f64> =
            (0..=10).map(|index| format!("0.{index}").parse().unwrap()).collect();
        for (method, count) in
            [(Method::Equal, 10), (Method::Quantile, 7), (Method::NaturalBreaks, 7)]
        {
            let (edges, _) = find_edges(&values, method, count);
            for edge in &edges {
                let printed: f64 = format!("{edge:.2}").parse().unwrap();
                assert_eq!(*edge, printed, "{method:?} {edges:?}");
            }
        }
    }
}
