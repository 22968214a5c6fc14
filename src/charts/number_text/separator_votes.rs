//! Choice of the notation of the numbers in a column of texts.

use std::cmp::Ordering;

use super::units::split_unit;
use super::{DecimalSeparator, MAX_BYTES, NumberNotation, read_as_json};

/// Counts of the texts of a column by their readings, which tell the decimal separator.
#[derive(Debug, Clone, Default)]
pub struct SeparatorVotes {
    /// Number of texts that are numbers only with a decimal point.
    point: usize,
    /// Number of texts that are numbers only with a decimal comma.
    comma: usize,
    /// Number of texts that are the same number with both.
    same: usize,
    /// Number of texts that are different numbers.
    different: usize,
    /// The first text that is a different number with each separator.
    ambiguous: Option<String>,
    /// The first unit of measure after a number.
    unit: Option<&'static str>,
    /// Number of texts with a unit.
    with_unit: usize,
    /// Whether a text is no number, or a text has another unit than the first one.
    has_other_texts: bool,
    has_other_units: bool,
}

/// The notation of the numbers in a column of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnReading {
    /// The separator that most texts need, and the unit.
    pub notation: NumberNotation,
    /// Number of texts that are numbers in this notation.
    pub numbers: usize,
    /// A text with two readings, if no text decides between them. The caller then should tell the
    /// user how it was read.
    pub ambiguous: Option<String>,
}

impl SeparatorVotes {
    /// Adds a text of the column. A text that is no number has no vote.
    pub fn add(&mut self, text: &str) {
        // Most numbers need no separator.
        if !text.is_empty()
            && text.len() <= MAX_BYTES
            && text.bytes().all(|byte| byte.is_ascii_digit())
        {
            self.same += 1;
            return;
        }
        let (text, unit) = match split_unit(text) {
            Some((number, unit)) => (number, Some(unit)),
            None => (text, None),
        };
        if unit.is_some() {
            self.with_unit += 1;
            self.has_other_units |= self.unit.is_some() && self.unit != unit;
            self.unit = self.unit.or(unit);
        }
        let readings = [DecimalSeparator::Point, DecimalSeparator::Comma]
            .map(|separator| read_as_json(text, separator));
        match readings {
            [Some(one), Some(other)] if one == other => self.same += 1,
            [Some(_), Some(_)] => {
                self.different += 1;
                self.ambiguous.get_or_insert_with(|| text.to_owned());
            }
            [Some(_), None] => self.point += 1,
            [None, Some(_)] => self.comma += 1,
            [None, None] => self.has_other_texts = true,
        }
    }

    /// Returns whether a text has two readings, whatever the other texts are.
    pub fn has_ambiguous_text(&self) -> bool {
        self.ambiguous.is_some()
    }

    /// Returns the decimal separator if texts with only one reading decide it.
    pub fn certain_separator(&self) -> Option<DecimalSeparator> {
        match self.point.cmp(&self.comma) {
            Ordering::Greater => Some(DecimalSeparator::Point),
            Ordering::Less => Some(DecimalSeparator::Comma),
            Ordering::Equal => None,
        }
    }

    /// Returns whether texts of the column have different units, so that their numbers cannot be compared.
    pub fn has_different_units(&self) -> bool {
        self.has_other_units
    }

    /// Chooses the notation of the column. Texts that can be read in one way only decide the decimal
    /// separator, by their number. Without such texts, or with equally many of both, it is `default`.
    /// Texts with different units are no numbers. Neither are texts with a letter as unit beside other
    /// texts, because `12 A` may be a house.
    pub fn decide(&self, default: DecimalSeparator) -> ColumnReading {
        let separator = self.certain_separator().unwrap_or(default);
        let with_separator =
            if separator == DecimalSeparator::Point { self.point } else { self.comma };
        let is_letter = self.unit.is_some_and(|unit| unit.len() == 1);
        let has_units = !(self.has_other_units || is_letter && self.has_other_texts);
        let numbers = self.same + self.different + with_separator;
        ColumnReading {
            notation: NumberNotation { separator, unit: self.unit.filter(|_| has_units) },
            numbers: if has_units { numbers } else { numbers.saturating_sub(self.with_unit) },
            ambiguous: self.ambiguous.clone().filter(|_| self.point == self.comma),
        }
    }
}
