//! Totals among changes: values that repeat the level which the values before them have reached.

/// Minimum number of changes between two totals. One change is always equal to its sum.
const MIN_CHANGES: usize = 2;
/// Minimum number of values of a series that ends with a total. Three values such as 100, -50 and 50 may
/// be equal by chance.
const MIN_VALUES: usize = 4;
/// Maximum distance of a total to its sum as a share of it, for sums of decimal fractions.
const TOLERANCE: f64 = 1e-9;

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
    /// Adds a value. Returns whether it is the total of the changes before it, which leaves the level as it
    /// is.
    pub fn add(&mut self, value: f64) -> bool {
        self.values += 1;
        let distance = (value - self.level).abs();
        self.ends_with_total = self.changes >= MIN_CHANGES
            && value != 0.0
            && distance <= TOLERANCE * value.abs().max(self.level.abs());
        if self.ends_with_total {
            self.changes = 0;
        } else {
            self.changes += 1;
            self.level += value;
        }
        self.ends_with_total
    }

    /// Returns whether the last of at least four values is a total. Only then are the totals among the others
    /// certain, because equal values may be a coincidence.
    pub fn ends_with_total(&self) -> bool {
        self.ends_with_total && self.values >= MIN_VALUES
    }
}
