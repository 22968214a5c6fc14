//! Totals among changes: values that repeat the level which the values before them have reached.

/// Minimum number of changes between two totals. One change is always equal to its sum.
const MIN_CHANGES: usize = 2;
/// Minimum number of values of a series that ends with a total. Three values such as 100, -50 and
/// 50 may be equal by chance.
const MIN_VALUES: usize = 4;
/// Maximum distance of a total to its sum as a share of it, because of rounded values.
const MAX_ROUNDING_SHARE: f64 = 0.005;
/// Distance of a total to its sum as a share of it that sums of decimal fractions have.
const FLOAT_TOLERANCE: f64 = 1e-9;

/// The level that a series of changes has reached.
///
/// ```
/// let mut total = chartroom_charts::running_total::RunningTotal::default();
/// let totals: Vec<bool> = [900.0, -400.0, 500.0, -200.0, 100.0].map(|value| total.add(value)).into();
/// assert_eq!(totals, [false, false, true, false, false]);
/// assert!(!total.ends_with_total());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct RunningTotal {
    level: f64,
    values: usize,
    changes: usize,
    ends_with_total: bool,
}

impl RunningTotal {
    /// Adds a value. Returns true if the value is a total: it repeats the level after at least
    /// `MIN_CHANGES` changes since the last total. The level then stays. Any other value is added
    /// to the level as a change.
    pub fn add(&mut self, value: f64) -> bool {
        self.values += 1;
        self.ends_with_total = self.changes >= MIN_CHANGES && self.is_level(value);
        if self.ends_with_total {
            self.changes = 0;
            return true;
        }
        self.values -= 1;
        self.add_change(value);
        false
    }

    /// Adds a value with the name of a total. Returns true if the value repeats the level, at any
    /// number of changes since the last total, unless it is the first value. Any other value is
    /// added to the level as a change.
    pub fn add_named(&mut self, value: f64) -> bool {
        if self.values == 0 || !self.is_level(value) {
            self.add_change(value);
            return false;
        }
        self.values += 1;
        self.changes = 0;
        self.ends_with_total = true;
        true
    }

    /// Adds a value to the level as a change, even if it is equal to the level.
    pub fn add_change(&mut self, value: f64) {
        self.values += 1;
        self.changes += 1;
        self.level += value;
        self.ends_with_total = false;
    }

    /// Returns whether a value is the level (the sum of all changes), apart from the rounding of
    /// the changes to the digits of the value. False for 0.
    fn is_level(&self, value: f64) -> bool {
        let distance = (value - self.level).abs();
        if value == 0.0 || distance > MAX_ROUNDING_SHARE * value.abs() {
            return false;
        }
        let decimals = value.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let rounding = 0.5 * (self.changes + 1) as f64 / 10f64.powf(decimals as f64);
        distance <= rounding.max(FLOAT_TOLERANCE * value.abs())
    }

    /// Returns whether the last value is a total, of at least `MIN_VALUES` values. Only then are
    /// the totals among the others certain, because equal values may be a coincidence.
    pub fn ends_with_total(&self) -> bool {
        self.ends_with_total && self.values >= MIN_VALUES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns which of the values are totals, and whether the last one ends the series.
    fn find_totals(values: &[f64]) -> (Vec<bool>, bool) {
        let mut total = RunningTotal::default();
        let totals = values.iter().map(|value| total.add(*value)).collect();
        (totals, total.ends_with_total())
    }

    #[test]
    fn rounded_values_add_up_to_a_total() {
        assert!(find_totals(&[4820.0, -1940.0, -1385.0, -242.0, 1254.0]).1);
        assert!(!find_totals(&[12.5, -3.2, -1.1, 8.3]).1);
        assert!(find_totals(&[125.5, -3.2, -1.1, 121.3]).1);
        assert!(find_totals(&[0.1, 0.2, 0.4, 0.7]).1);
    }

    #[test]
    fn named_values_are_totals_if_they_repeat_the_level() {
        let mut total = RunningTotal::default();
        [10.0, 10.0, 20.0].into_iter().for_each(|value| total.add_change(value));
        assert!(total.add_named(40.0));
        assert!(!total.add_named(41.0));
        assert!(!RunningTotal::default().add_named(5.0));
    }

    #[test]
    fn changes_are_no_totals() {
        for values in [[5.0, 3.0, -2.0, 5.0], [4820.0, -1940.0, -1385.0, 1502.0], [0.0; 4]] {
            assert_eq!(find_totals(&values), (vec![false; 4], false), "{values:?}");
        }
        assert!(!find_totals(&[100.0, -50.0, 50.0]).1);
    }
}
