//! The common type of the cells in a column of a table, and the conversion of cells to JSON values.

use serde_json::Value;

use super::cell_grid::Cell;
use super::cell_grid::CellKind;
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
    /// Number of cells that the file declares as numbers.
    typed_numbers: usize,
    votes: SeparatorVotes,
    has_codes: bool,
}

impl ContentCheck {
    /// Adds a cell.
    pub fn add_cell(&mut self, cell: Cell<'_>) {
        match cell.kind {
            CellKind::Number | CellKind::Percentage => {
                self.cells += 1;
                self.typed_numbers += 1;
            }
            CellKind::Date | CellKind::Boolean => self.cells += 1,
            CellKind::Text if number_text::is_missing(cell.text) => {}
            CellKind::Text => {
                self.cells += 1;
                self.has_codes = self.has_codes || is_code(cell.text);
                self.votes.add(cell.text);
            }
        }
    }

    /// Returns the decimal separator that more cells need than the other one.
    /// None without such cells, or with equally many of both.
    pub fn certain_separator(&self) -> Option<DecimalSeparator> {
        self.votes.certain_separator()
    }

    /// Returns whether the cells have different units of measure. The column then has no numbers.
    pub fn has_different_units(&self) -> bool {
        self.votes.has_different_units()
    }

    /// Returns whether a cell is a different number with each decimal separator.
    pub fn has_ambiguous_text(&self) -> bool {
        self.votes.has_ambiguous_text()
    }

    /// Returns the first cell that is a different number with each decimal
    /// separator, if no other cell decides. Without its unit.
    pub fn find_undecided_text(&self) -> Option<String> {
        self.votes.decide(DecimalSeparator::Point).ambiguous
    }

    /// Returns the common type. `default` is the decimal separator if no cell tells it.
    pub fn content(&self, default: DecimalSeparator) -> CellContent {
        let reading = self.votes.decide(default);
        let numbers = self.typed_numbers + reading.numbers;
        match self.cells {
            0 => CellContent::Empty,
            cells if self.has_codes || numbers <= cells - numbers => CellContent::Texts,
            _ => CellContent::Numbers(reading.notation),
        }
    }
}

/// Appends a cell as JSON value, by the type of the column of the chart kind or
/// else by the content of the column.
///
/// In a column of numbers, another text stays a string. Images show it as a gap and
/// report it, unless it is a placeholder. In a column of booleans, every text that does
/// not stand for true becomes `false`.
pub fn push_cell(
    out: &mut String,
    cell: Cell<'_>,
    column: Option<ColumnType>,
    content: &CellContent,
) {
    match (column, content) {
        (Some(ColumnType::Boolean), _) => {
            out.push_str(if is_true(cell.text) { "true" } else { "false" });
        }
        (None | Some(ColumnType::Number), _) if cell.kind.is_number() => {
            out.push_str(cell.text);
        }
        (Some(ColumnType::Text | ColumnType::Date | ColumnType::Color), _)
        | (_, CellContent::Texts | CellContent::Empty) => {
            out.push_str(&Value::from(cell.text).to_string())
        }
        (_, CellContent::Numbers(notation)) => match notation.read_as_json(cell.text) {
            Some(number) if cell.kind == CellKind::Text => out.push_str(&number),
            _ => out.push_str(&Value::from(cell.text).to_string()),
        },
    }
}

/// Returns whether a cell stands for true: `1`, or a text such as `yes`, `ja` or `x`.
fn is_true(cell: &str) -> bool {
    cell == "1" || tables::parse_boolean(cell) == Some(true)
}

/// Returns whether a cell is rather an id than an amount: a number with leading
/// zeros, such as a postal code, or with an exponent, such as `1e5`.
fn is_code(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+', '\u{2212}']).as_bytes();
    let has_leading_zero =
        digits.starts_with(b"0") && digits.get(1).is_some_and(u8::is_ascii_digit);
    has_leading_zero || cell.contains(['e', 'E']) && number_text::is_plain(cell)
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
    fn most_cells_decide_the_type_and_codes_are_texts() {
        let numbers = |separator| CellContent::Numbers(NumberNotation::new(separator));
        assert_eq!(content_of(&["1,234", "45 %", "(12.5k)"], Comma), numbers(Point));
        assert_eq!(content_of(&["1.234 €", "5"], Comma), numbers(Comma));
        assert_eq!(content_of(&["1,5", "2", "n/a", "#DIV/0!"], Point), numbers(Comma));
        assert_eq!(content_of(&["", "n/a"], Point), CellContent::Empty);
        for texts in [["1", "1,2,3"], ["007", "12"], ["1e5", "12"], ["2026-01-02", "2026-01-03"]] {
            assert_eq!(content_of(&texts, Point), CellContent::Texts, "{texts:?}");
        }
    }
}
