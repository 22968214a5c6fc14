//! Evidence for groups of thousands: whole numbers beside texts such as `1.073`.

use super::DecimalSeparator;

/// Largest number without a separator of thousands beside numbers with one.
const MAX_UNGROUPED: u32 = 999;
/// Smallest whole number that tells the magnitude of a column.
const MIN_HUNDREDS: u32 = 100;

/// Counts of the whole numbers in a column of texts, and of the texts that are a different number with
/// each decimal separator. These have one to three digits, a separator and three digits.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupVotes {
    /// Least and greatest whole number other than 0.
    whole: Option<(u32, u32)>,
    /// Whether a text with two readings has a point, and whether one has a comma.
    has_point: bool,
    has_comma: bool,
    /// Greatest number before the separator of these texts.
    max_before_separator: u32,
    /// Whether one of them ends with a zero, which numbers of different precision do not have as decimal.
    has_final_zero: bool,
}

impl GroupVotes {
    /// Adds a number that is the same with each separator. Ignores numbers that are not whole.
    pub fn add_whole(&mut self, text: &str) {
        let digits = text.trim_matches(|letter: char| !letter.is_ascii_digit());
        let Ok(number @ 1..) = digits.parse::<u32>() else { return };
        let (low, high) = self.whole.unwrap_or((number, number));
        self.whole = Some((low.min(number), high.max(number)));
    }

    /// Adds a number that differs with each separator.
    pub fn add_ambiguous(&mut self, text: &str) {
        let digits = text.trim_matches(|letter: char| !letter.is_ascii_digit());
        let Some((before, _)) = digits.split_once(['.', ',']) else { return };
        self.has_point |= digits.contains('.');
        self.has_comma |= digits.contains(',');
        self.max_before_separator = self.max_before_separator.max(before.parse().unwrap_or(0));
        self.has_final_zero |= digits.ends_with('0');
    }

    /// Returns the decimal separator if the other one separates thousands. None if that is not clear.
    ///
    /// It is clear beside whole numbers below 1000 if a text ends with a zero, or if the whole numbers are
    /// hundreds and all texts would be less than each of them with decimals.
    pub fn decimal_separator(&self) -> Option<DecimalSeparator> {
        let (low, high) = self.whole.filter(|(_, high)| *high <= MAX_UNGROUPED)?;
        let is_small = high >= MIN_HUNDREDS && self.max_before_separator < low;
        match (self.has_point, self.has_comma) {
            _ if !self.has_final_zero && !is_small => None,
            (true, false) => Some(DecimalSeparator::Comma),
            (false, true) => Some(DecimalSeparator::Point),
            _ => None,
        }
    }
}
