//! The common type of the cells in a column of a table, and the conversion of cells to JSON values.

use std::borrow::Cow;

use serde_json::Value;

use super::cell_findings;
use super::cell_findings::CellFinding;
use super::cell_findings::CellFindings;
use super::cell_grid::Cell;
use super::cell_grid::CellKind;
use super::flags::FlagCheck;
use super::number_dates::NumberDateCheck;
use crate::features::portfolio::ColumnType;
use crate::features::tables;
use crate::features::tables::CellType;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::NumberNotation;
use chartroom_charts::number_text::SeparatorVotes;

/// Common type of the cells in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellContent {
    /// All cells are empty or placeholders.
    Empty,
    /// More cells are numbers than other texts, and no cell is a code such as `007`.
    Numbers(NumberNotation),
    /// Other text.
    Texts,
}

impl CellContent {
    /// Returns the type for the mapping of columns.
    pub fn cell_type(&self) -> CellType {
        match self {
            Self::Empty => CellType::Empty,
            Self::Numbers(notation) => CellType::Numbers(*notation),
            Self::Texts => CellType::Texts,
        }
    }
}

/// Detection of the common type of the cells in a column, cell by cell. Empty
/// cells and placeholders such as `n/a` have no type.
#[derive(Debug, Clone, Default)]
pub struct ContentCheck {
    /// Number of cells with a type.
    cells: usize,
    votes: SeparatorVotes,
    has_codes: bool,
    /// Number of texts that are durations, and whether one has parts of a second.
    durations: usize,
    has_parts_of_seconds: bool,
    /// Number of texts that are school marks such as `2` and `2-`, and of those with a sign.
    marks: usize,
    signed_marks: usize,
    /// Number of texts that are dates with points.
    dotted_dates: usize,
    /// Whether letters after numbers may be flags.
    reads_flags: bool,
    flags: Option<Box<FlagCheck>>,
    pub(super) findings: CellFindings,
    pub(super) dates: NumberDateCheck,
}

impl ContentCheck {
    /// Creates the check of a column with cells that may have flags. The caller removes them.
    pub(super) fn with_flags() -> Self {
        Self { reads_flags: true, ..Self::default() }
    }

    /// Adds a cell to the detection of the common type of the column, and to the counts of decimal
    /// separators, signs and flags. Records each finding once, so add the cells from top to bottom.
    /// Ignores empty cells and placeholders such as `n/a`.
    pub fn add_cell(&mut self, cell: Cell<'_>) {
        match cell.kind {
            // A digit is a number with each decimal separator.
            CellKind::Number => self.add_number(cell, "1"),
            CellKind::Percentage => self.add_number(cell, "1%"),
            CellKind::Currency(currency) => self.add_number(cell, &currency.add_to("1")),
            CellKind::Date | CellKind::Boolean => self.cells += 1,
            CellKind::Text if number_text::is_missing(cell.text) => return,
            CellKind::Text => {
                self.cells += 1;
                self.has_codes = self.has_codes || is_code(cell.text);
                self.add_text(cell);
            }
        }
        let has_sign = matches!(cell.kind, CellKind::Percentage | CellKind::Currency(_));
        self.dates.add(if has_sign { "" } else { cell.text });
    }

    /// Adds a number that the file declares as one, so that its decimal separator tells nothing.
    /// `text` is a substitute of one digit with the same currency or percent sign.
    fn add_number(&mut self, cell: Cell<'_>, text: &str) {
        self.cells += 1;
        let has_sign = self.votes.signs().next().is_some();
        let sign = self.votes.add(text).sign;
        if let Some(flags) = &mut self.flags {
            flags.add_number(text);
        }
        if let Some(finding) = cell_findings::sign_finding(cell, sign)
            && (has_sign || sign.is_some())
        {
            self.findings.add(finding);
        }
    }

    /// Adds a text that is not a placeholder, and the findings about it that may have to be
    /// reported.
    fn add_text(&mut self, cell: Cell<'_>) {
        if self.reads_flags {
            FlagCheck::add_text(&mut self.flags, &self.votes, cell.text);
        }
        self.durations += usize::from(chartroom_charts::clock_value(cell.text).is_some());
        self.has_parts_of_seconds |= chartroom_charts::has_parts_of_seconds(cell.text);
        self.dotted_dates += usize::from(is_dotted_date(cell.text));
        self.marks += usize::from(is_school_mark(cell.text));
        self.signed_marks += usize::from(is_school_mark(cell.text) && cell.text.len() > 1);
        let vote = self.votes.add(cell.text);
        self.findings.add_text(cell.text, vote.is_number);
        // Each finding is added once, by the first cell with it.
        for (has_finding, finding) in [
            (self.votes.has_ambiguous_text(), CellFinding::TwoReadings),
            (self.votes.has_both_separators(), CellFinding::OtherSeparator),
            (self.votes.has_different_units(), CellFinding::OtherUnit),
        ] {
            if has_finding {
                self.findings.add(finding);
            }
        }
        if vote.is_number
            && !vote.has_unit
            && let Some(finding) = cell_findings::sign_finding(cell, vote.sign)
        {
            self.findings.add(finding);
        }
    }

    /// Returns the readings of the cells, without flags if the column has some.
    fn readings(&self) -> &SeparatorVotes {
        let without_flags = self.flags.as_ref().and_then(|flags| flags.readings(self.cells));
        without_flags.unwrap_or(&self.votes)
    }

    /// Returns the flags of the column with their counts, such as `b (3), p (1)`. None if the
    /// letters after its numbers are no flags, or if it has codes.
    pub(super) fn find_flags(&self) -> Option<String> {
        let flags = self.flags.as_ref().filter(|flags| flags.readings(self.cells).is_some())?;
        (!self.has_codes).then(|| flags.describe())
    }

    /// Returns the currencies and percent signs of the numbers, in the order of their first cells.
    /// Each occurs once.
    pub(super) fn signs(&self) -> impl Iterator<Item = &'static str> {
        self.votes.signs()
    }

    /// Returns whether a number has a unit of measure.
    pub(super) fn has_units(&self) -> bool {
        self.votes.has_units()
    }

    /// Returns whether at least half of the numbers have a currency or percent sign.
    pub(super) fn sign_is_usual(&self) -> bool {
        self.votes.sign_is_usual()
    }

    /// Returns whether at least one cell is a number with a decimal point or with a decimal comma.
    pub(super) fn has_readable_number(&self) -> bool {
        self.votes.decide(DecimalSeparator::Point).numbers > 0
            || self.votes.decide(DecimalSeparator::Comma).numbers > 0
    }

    /// Returns whether numbers are left out because of their currency or percent sign.
    pub(super) fn has_left_out_numbers(&self) -> bool {
        self.votes.decide(DecimalSeparator::Point).left_out > 0
    }

    /// Returns the number of cells that are neither empty nor placeholders.
    pub(super) fn cell_count(&self) -> usize {
        self.cells
    }

    /// Returns the decimal separator that more cells need than the other one.
    /// None without such cells, or with equally many of both.
    pub fn certain_separator(&self) -> Option<DecimalSeparator> {
        self.readings().certain_separator()
    }

    /// Returns the decimal separator that follows from the whole numbers of the column. None if some cells
    /// need one, or if it does not follow.
    pub(super) fn likely_separator(&self) -> Option<DecimalSeparator> {
        self.readings().likely_separator()
    }

    /// Returns whether most cells are dates with points, such as `15.09.2024`.
    pub(super) fn has_dotted_dates(&self) -> bool {
        self.dotted_dates * 2 > self.cells
    }

    /// Returns the first cell that is a different number with each decimal
    /// separator, if no other cell decides. Without its unit.
    pub fn find_undecided_text(&self) -> Option<String> {
        let ambiguous = self.votes.decide(DecimalSeparator::Point).ambiguous?;
        let is_undecided = self.readings().decide(DecimalSeparator::Point).ambiguous.is_some();
        is_undecided.then_some(ambiguous)
    }

    /// Returns the common type: numbers if more than half of the cells with a type are numbers and
    /// none is a code, if all others are durations with parts of a second, or if the column has flags.
    /// Empty if no cell has a type. Otherwise texts. Marks such as `2-` and `3+` are texts, because their
    /// signs stand for parts of a mark.
    /// `default` is the decimal separator if no cell tells it.
    pub fn content(&self, default: DecimalSeparator) -> CellContent {
        let reading = self.readings().decide(default);
        let numbers = reading.numbers;
        match self.cells {
            _ if self.find_flags().is_some() => CellContent::Numbers(reading.notation),
            0 => CellContent::Empty,
            cells if self.signed_marks > 0 && self.marks == cells => CellContent::Texts,
            // Numbers beside durations such as `2:04.11` are seconds.
            cells
                if self.has_parts_of_seconds
                    && numbers + self.durations == cells
                    && numbers > 0 =>
            {
                CellContent::Numbers(reading.notation)
            }
            cells if self.has_codes || numbers <= cells - numbers => CellContent::Texts,
            _ => CellContent::Numbers(reading.notation),
        }
    }
}

/// Returns whether a text is a school mark from 1 to 6, possibly with a sign after it.
fn is_school_mark(text: &str) -> bool {
    let digit = text.strip_suffix(['+', '-', '\u{2212}']).unwrap_or(text);
    matches!(digit.as_bytes(), [b'1'..=b'6'])
}

/// Appends a cell as JSON value, by the type of the column of the chart kind or else by the content
/// of the column. Texts, dates and colors are strings.
///
/// In a column of numbers, another text stays a string. Images show it as a gap and report it,
/// unless it is a placeholder. An amount in another currency than the column becomes null, because
/// charts would read it as a number. In a column of booleans, a placeholder is false, and a text
/// that stands for neither true nor false stays a string.
pub fn push_cell(
    out: &mut String,
    cell: Cell<'_>,
    column: Option<ColumnType>,
    content: &CellContent,
) {
    match (column, content) {
        (Some(ColumnType::Boolean), _) => match parse_boolean(cell.text) {
            Some(value) => out.push_str(if value { "true" } else { "false" }),
            None => out.push_str(&Value::from(cell.text).to_string()),
        },
        (None | Some(ColumnType::Number), _) if cell.kind.is_number() => match content {
            CellContent::Numbers(notation) if has_other_sign(cell, *notation) => {
                out.push_str("null")
            }
            _ => out.push_str(cell.text.trim_start_matches('+')),
        },
        (Some(ColumnType::Text | ColumnType::Date | ColumnType::Color), _)
        | (_, CellContent::Texts | CellContent::Empty) => {
            out.push_str(&Value::from(cell.text).to_string())
        }
        (_, CellContent::Numbers(notation)) => match notation.read_as_json(cell.text) {
            Some(number) if cell.kind == CellKind::Text => out.push_str(&number),
            None if cell.kind == CellKind::Text && notation.has_other_sign(cell.text) => {
                out.push_str("null")
            }
            _ => out.push_str(&Value::from(cell.text).to_string()),
        },
    }
}

/// Returns the text of a cell in the notation of its column: with its decimal separator, and with
/// the percent sign or the currency that a spreadsheet program shows. The text of such a number has
/// a decimal point and no percent sign. The text of any other cell is returned unchanged.
pub fn text_in_notation<'a>(cell: Cell<'a>, notation: NumberNotation) -> Cow<'a, str> {
    if !cell.kind.is_number() {
        return Cow::Borrowed(cell.text);
    }
    let number = match notation.separator {
        DecimalSeparator::Comma => Cow::Owned(cell.text.replace('.', ",")),
        DecimalSeparator::Point => Cow::Borrowed(cell.text),
    };
    match cell.kind {
        CellKind::Percentage => Cow::Owned(format!("{number}%")),
        CellKind::Currency(currency) => Cow::Owned(currency.add_to(&number)),
        _ => number,
    }
}

/// Returns whether a number of a spreadsheet has another currency or percent sign than its column.
/// False for a number without a sign.
fn has_other_sign(cell: Cell<'_>, notation: NumberNotation) -> bool {
    let has_sign = matches!(cell.kind, CellKind::Percentage | CellKind::Currency(_));
    has_sign && notation.has_other_sign(&text_in_notation(cell, notation))
}

/// Parses a boolean: `1`, `0`, or a text such as `yes`, `nein` or `x`. A placeholder is false. None
/// for any other text.
fn parse_boolean(cell: &str) -> Option<bool> {
    match cell {
        "1" => Some(true),
        "0" => Some(false),
        cell if number_text::is_missing(cell) => Some(false),
        cell => tables::parse_boolean(cell),
    }
}

/// Returns whether a text starts with a day, a month and a year, and a point between each.
fn is_dotted_date(text: &str) -> bool {
    let date = text.split(' ').next().unwrap_or_default();
    let is_number = |part: &str, lengths: &[usize]| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut parts = date.split('.');
    let parts = [parts.next(), parts.next(), parts.next(), parts.next()];
    let [Some(day), Some(month), Some(year), None] = parts else { return false };
    is_number(day, &[1, 2]) && is_number(month, &[1, 2]) && is_number(year, &[2, 4])
}

/// Returns whether a cell is an id rather than an amount: a number with leading
/// zeros, such as a postal code, or with an exponent without sign and decimals, such as `1e5`.
/// Programs write `1.20E+06` for a large number.
fn is_code(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+', '\u{2212}']).as_bytes();
    let has_leading_zero =
        digits.starts_with(b"0") && digits.get(1).is_some_and(u8::is_ascii_digit);
    let has_exponent = cell.contains(['e', 'E']) && !cell.contains(['.', '+', '-']);
    has_leading_zero || has_exponent && number_text::is_plain(cell)
}

#[cfg(test)]
mod tests {
    use super::DecimalSeparator::{Comma, Point};
    use super::*;

    /// Returns the type of a column.
    fn content_of(cells: &[&str], default: DecimalSeparator) -> CellContent {
        let mut check = ContentCheck::default();
        cells.iter().for_each(|cell| check.add_cell(Cell::from_text(cell)));
        check.content(default)
    }

    #[test]
    fn cells_with_a_type_keep_it() {
        let typed = |text, kind| Cell { text, kind };
        let mut check = ContentCheck::default();
        check.add_cell(typed("1.234", CellKind::Number));
        check.add_cell(typed("5", CellKind::Number));
        check.add_cell(Cell::from_text("1,5"));
        let content = check.content(Comma);
        assert_eq!(content, CellContent::Numbers(NumberNotation::new(Comma)));
        let write = |cell, column| {
            let mut out = String::new();
            push_cell(&mut out, cell, column, &content);
            out
        };
        assert_eq!(write(typed("1.234", CellKind::Number), Some(ColumnType::Number)), "1.234");
        assert_eq!(write(typed("1.234", CellKind::Number), None), "1.234");
        assert_eq!(write(typed("2023", CellKind::Number), Some(ColumnType::Date)), "\"2023\"");
        assert_eq!(write(typed("13:05:00", CellKind::Date), None), "\"13:05:00\"");
        assert_eq!(write(Cell::from_text("1,5"), None), "1.5");
        check.add_cell(typed("2024-03-31", CellKind::Date));
        check.add_cell(typed("TRUE", CellKind::Boolean));
        check.add_cell(typed("TRUE", CellKind::Boolean));
        assert_eq!(check.content(Comma), CellContent::Texts);
    }

    #[test]
    fn an_unknown_boolean_is_not_read_as_false() {
        let write = |text: &str| {
            let mut out = String::new();
            let cell = Cell::from_text(text);
            push_cell(&mut out, cell, Some(ColumnType::Boolean), &CellContent::Texts);
            out
        };
        assert_eq!(["1", "yes", "X"].map(write), ["true"; 3]);
        assert_eq!(["0", "no", "nein", "-"].map(write), ["false"; 4]);
        assert_eq!(write("oui"), "\"oui\"");
    }

    #[test]
    fn amounts_in_another_currency_than_most_are_missing() {
        let content = content_of(&["1 €", "2 €", "3 $"], Point);
        let write = |text: &str| {
            let mut out = String::new();
            push_cell(&mut out, Cell::from_text(text), None, &content);
            out
        };
        assert_eq!(["1 €", "3 $", "about 4"].map(write), ["1", "null", "\"about 4\""]);
        assert_eq!(content_of(&["1 €", "2 zł", "3 $"], Point), CellContent::Texts);
    }

    #[test]
    fn most_cells_decide_the_type_and_codes_are_texts() {
        let numbers = |separator| CellContent::Numbers(NumberNotation::new(separator));
        assert_eq!(content_of(&["1,234", "45 %", "(12.5k)"], Comma), numbers(Point));
        assert_eq!(content_of(&["1.234 €", "5"], Comma), numbers(Comma));
        assert_eq!(content_of(&["1,5", "2", "n/a", "#DIV/0!"], Point), numbers(Comma));
        assert_eq!(content_of(&["", "n/a"], Point), CellContent::Empty);
        assert_eq!(content_of(&["1.20E+06", "950000"], Point), numbers(Point));
        assert_eq!(content_of(&["1E-3", "-2e+5"], Point), numbers(Point));
        assert_eq!(content_of(&["26,41", "2:04,11", "4:21,05"], Point), numbers(Comma));
        for texts in [
            ["1", "1,2,3"],
            ["007", "12"],
            ["1e5", "12"],
            ["2026-01-02", "2026-01-03"],
            ["26", "2:04"],
        ] {
            assert_eq!(content_of(&texts, Point), CellContent::Texts, "{texts:?}");
        }
    }
}
