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
    /// Adds a number, given as the text of its cell. Its unit may be absent. Percent and permille count
    /// as the same unit. Returns whether it is the first one with another unit than those before it.
    pub(super) fn add(&mut self, cell: &str) -> bool {
        // Most numbers have no unit.
        if self.has_others || !cell.contains(|c: char| !c.is_ascii_digit() && !".,-' ".contains(c))
        {
            return false;
        }
        let Some(unit) = NumberUnit::find(cell) else { return false };
        let is_permille = |unit: &NumberUnit| unit.text.ends_with('‰');
        let is_percent = |unit: &NumberUnit| unit.text.ends_with('%');
        match &self.unit {
            // The reader converts both to percent.
            Some(first) if is_percent(first) && is_permille(&unit) => self.count += 1,
            Some(first) if is_permille(first) && is_percent(&unit) => {
                self.unit = Some(unit);
                self.count += 1;
            }
            Some(first) if !is_same(first, &unit) => self.has_others = true,
            Some(_) => self.count += 1,
            None => (self.unit, self.count) = (Some(unit), 1),
        }
        self.has_others
    }

    /// Returns whether the numbers have several units: two of them, or a percent sign in at most half of
    /// them, as in a list of figures, but not in one of two numbers. `numbers` counts all of them, with and without a unit.
    pub(super) fn is_mixed(&self, numbers: usize) -> bool {
        let is_percent = self.unit.as_ref().is_some_and(|unit| unit.text.ends_with('%'));
        let is_exception = self.count * 2 < numbers || self.count * 2 == numbers && numbers > 2;
        self.has_others || is_percent && is_exception
    }

    /// Returns the unit if more than half of the numbers have it, and no number has another one.
    /// `numbers` counts all numbers, with and without a unit. The next call returns None.
    pub(super) fn take_common(&mut self, numbers: usize) -> Option<NumberUnit> {
        let is_common = !self.has_others && self.count * 2 > numbers;
        self.unit.take().filter(|_| is_common)
    }
}

/// Returns whether two units differ at most in the space between number and unit, as in `5 %` and `5%`.
fn is_same(one: &NumberUnit, other: &NumberUnit) -> bool {
    one.is_prefix == other.is_prefix && one.text.trim() == other.text.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permille_beside_percent_counts_as_percent() {
        let common = |cells: &[&str]| {
            let mut units = UnitCount::default();
            cells.iter().for_each(|cell| {
                units.add(cell);
            });
            units.take_common(cells.len()).map(|unit| unit.text)
        };
        let percent = Some("\u{a0}%".to_owned());
        assert_eq!(common(&["5 ‰", "3 %", "2 %"]), percent);
        assert_eq!(common(&["3 %", "5 ‰"]), percent);
        assert_eq!(common(&["3 ‰", "5 ‰"]), Some("\u{a0}‰".to_owned()));
        assert_eq!(common(&["3 %", "5 €"]), None);
    }

    #[test]
    fn percentages_among_other_numbers_are_mixed_units() {
        let is_mixed = |cells: &[&str]| {
            let mut units = UnitCount::default();
            cells.iter().for_each(|cell| {
                units.add(cell);
            });
            units.is_mixed(cells.len())
        };
        assert!(is_mixed(&["1250", "3.2%", "45", "99.9%"]));
        assert!(is_mixed(&["1250", "3.2%", "45"]));
        assert!(!is_mixed(&["5%", "3.2%", "45"]));
        assert!(!is_mixed(&["5%", "7"]));
    }

    #[test]
    fn a_space_before_the_unit_does_not_make_another_unit() {
        let count = |cells: &[&str]| {
            let mut units = UnitCount::default();
            let has_others = cells.iter().any(|cell| units.add(cell));
            (has_others, units.take_common(cells.len()).map(|unit| unit.text))
        };
        assert_eq!(count(&["100 %", "50%", "7%"]), (false, Some("\u{a0}%".to_owned())));
        assert_eq!(count(&["12€", "5 €"]), (false, Some("€".to_owned())));
        assert_eq!(count(&["€12", "5 €"]), (true, None));
    }
}
