//! Cells of a column that may have to be reported, found while the table is read.

use super::cell_grid::Cell;
use crate::features::tables;
use chartroom_charts::date_text;

/// Maximum number of texts of a column that are checked for numbers with other characters.
const MAX_CHECKED_TEXTS: usize = 1000;
/// Characters that can be before the digits of a number.
const SIGNS: [char; 14] =
    ['+', '-', '\u{2212}', '–', '(', '~', '<', '>', '≈', '€', '$', '£', '¥', ' '];

/// Property of a cell that may have to be reported. Only the first cell of a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellFinding {
    /// A different number with each decimal separator.
    TwoReadings,
    /// Another decimal separator than the cells above.
    OtherSeparator,
    /// Another unit of measure than the cells above.
    OtherUnit,
    /// A number with a currency or percent sign.
    Sign(&'static str),
    /// A number without a currency, percent sign or unit, which is not zero.
    NoSign,
    /// A number such as `0.15` without a percent sign.
    Fraction,
    /// A text with digits that is not a number, such as `11.1*`.
    NotNumber,
    /// A text that does not stand for true or false.
    NotBoolean,
    /// A time in another zone than the cells above.
    OtherZone,
}

/// Findings in the cells of a column, and counts that decide whether they are reported.
#[derive(Debug, Clone, Default)]
pub(super) struct CellFindings {
    /// Findings and their rows, from 1. Row 0 is not yet known.
    pub(super) found: Vec<(CellFinding, u32)>,
    /// Number of texts that were checked for numbers with other characters.
    pub(super) checked_texts: usize,
    /// Number of texts with digits that are not numbers.
    pub(super) not_numbers: usize,
    /// Number of texts that stand for true or false, without `0` and `1`.
    pub(super) booleans: usize,
    /// Number of cells `0` and `1`.
    pub(super) bits: usize,
    /// Time zone of the first time with one.
    zone: Option<String>,
}

impl CellFindings {
    /// Returns the number of findings so far.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Adds a finding, unless the column has it already. Its row is unknown until `set_row`.
    pub fn add(&mut self, finding: CellFinding) {
        if !self.found.iter().any(|(known, _)| *known == finding) {
            self.found.push((finding, 0));
        }
    }

    /// Sets `row`, counted from 1, in all findings that have no row yet.
    pub fn set_row(&mut self, row: u32) {
        self.found.iter_mut().filter(|(_, known)| *known == 0).for_each(|(_, known)| *known = row);
    }

    /// Adds the findings in a text that is not empty, and counts it as boolean, bit or text with a
    /// number. `is_number` says that the text is a number. Finds texts that are no booleans,
    /// numbers from 0 to 1 that may be fractions, texts that start like a number, and times in
    /// another zone than the first one.
    pub fn add_text(&mut self, text: &str, is_number: bool) {
        let is_boolean = tables::parse_boolean(text).is_some();
        let is_bit = matches!(text, "0" | "1");
        self.booleans += usize::from(is_boolean);
        self.bits += usize::from(is_bit);
        if !is_boolean && !is_bit {
            self.add(CellFinding::NotBoolean);
        }
        if is_number {
            let digits = text.trim_start_matches(['-', '+', '\u{2212}']);
            let is_plain =
                digits.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte));
            if is_plain && digits.starts_with(['0', '.', ',']) && digits.contains(['.', ',']) {
                self.add(CellFinding::Fraction);
            }
            return;
        }
        if self.checked_texts < MAX_CHECKED_TEXTS {
            self.checked_texts += 1;
            if is_number_with_marks(text) {
                self.not_numbers += 1;
                self.add(CellFinding::NotNumber);
            }
        }
        let Some(zone) = date_text::find_zone(text) else { return };
        match &self.zone {
            Some(first) if first != zone => self.add(CellFinding::OtherZone),
            Some(_) => {}
            None => self.zone = Some(zone.to_owned()),
        }
    }
}

/// Returns whether a text that is no number starts like one, and has no further digits, such as
/// `11.1*`, `5.2 b` and `$3.02T`. False for dates.
pub(super) fn is_number_with_marks(text: &str) -> bool {
    let number = text.trim_start_matches(SIGNS);
    let is_part = |letter: char| letter.is_ascii_digit() || ".,' \u{a0}\u{202f}’".contains(letter);
    let rest = number.trim_start_matches(is_part);
    let readings = || date_text::read_date(text);
    number.starts_with(|first: char| first.is_ascii_digit())
        && !rest.contains(|letter: char| letter.is_ascii_digit())
        && !(readings().day_first || readings().month_first)
}

/// Returns the finding about the currency or percent sign of a number: `Sign` with the sign, or
/// `NoSign` without one. None for the text `0` without a sign.
pub(super) fn sign_finding(cell: Cell<'_>, sign: Option<&'static str>) -> Option<CellFinding> {
    match sign {
        Some(sign) => Some(CellFinding::Sign(sign)),
        None => (cell.text != "0").then_some(CellFinding::NoSign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_marks_have_one_number() {
        for text in ["11,1*", "9,8¹)", "10,2 (p)", "8,7r", "$3.02T", "1.1 Eur"] {
            assert!(is_number_with_marks(text), "{text}");
        }
        for text in ["18-24", "high", "31.12.2023", "2023/24", "(p) 5", "Q1"] {
            assert!(!is_number_with_marks(text), "{text}");
        }
    }
}
