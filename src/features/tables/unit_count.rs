//! The unit that the numbers of a column have in common.

use chartroom_charts::number_text::NumberUnit;

/// Count of the numbers with the first unit of a column.
#[derive(Default)]
pub(super) struct UnitCount {
    unit: Option<NumberUnit>,
    count: usize,
    /// Whether a number has another unit.
    has_others: bool,
}

impl UnitCount {
    /// Adds a number with its text.
    pub(super) fn add(&mut self, cell: &str) {
        // Most numbers have no unit.
        if self.has_others || !cell.contains(|c: char| !c.is_ascii_digit() && !".,-' ".contains(c))
        {
            return;
        }
        let Some(unit) = NumberUnit::find(cell) else { return };
        match &self.unit {
            Some(first) if *first != unit => self.has_others = true,
            Some(_) => self.count += 1,
            None => (self.unit, self.count) = (Some(unit), 1),
        }
    }

    /// Returns the unit if more than half of the numbers have it and no number another one.
    pub(super) fn take_common(&mut self, numbers: usize) -> Option<NumberUnit> {
        let is_common = !self.has_others && self.count * 2 > numbers;
        self.unit.take().filter(|_| is_common)
    }
}
