//! Cells of a CSV table: their common type in a column, and their conversion to JSON values.

use serde_json::Value;

use crate::features::portfolio::ColumnType;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;

/// Common type of the cells in a column.
#[derive(Debug, Clone, Copy)]
pub(super) enum CellContent {
    /// All cells are empty or placeholders.
    Empty,
    /// More cells are numbers than other texts, and no cell is a code such as `007`.
    Numbers { decimal_comma: bool },
    /// Other text.
    Texts,
}

impl CellContent {
    /// Returns true if cells of this type can fill a column of the type `wanted`. Always false for
    /// columns of booleans and colors.
    pub(super) fn fits_type(&self, wanted: ColumnType) -> bool {
        match self {
            Self::Empty => false,
            Self::Numbers { .. } => matches!(wanted, ColumnType::Number | ColumnType::Text),
            Self::Texts => matches!(wanted, ColumnType::Text | ColumnType::Date),
        }
    }
}

/// Detection of the common type of the cells in a column, cell by cell. Empty cells and placeholders
/// such as `n/a` have no type.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContentCheck {
    /// Decimal separator of the table: true for the comma.
    decimal_comma: bool,
    /// Number of cells with a type.
    cells: usize,
    /// Number of cells that are numbers with the decimal separator of the table.
    numbers: usize,
    /// Number of cells that are numbers with the other decimal separator.
    numbers_with_other: usize,
    has_codes: bool,
}

impl ContentCheck {
    /// Creates the check of a column without cells.
    pub(super) fn new(decimal_comma: bool) -> Self {
        Self { decimal_comma, cells: 0, numbers: 0, numbers_with_other: 0, has_codes: false }
    }

    /// Adds a cell.
    pub(super) fn add_cell(&mut self, cell: &str) {
        if number_text::is_missing(cell) {
            return;
        }
        self.cells += 1;
        // Most numbers need no separator.
        if is_plain_integer(cell) {
            self.numbers += 1;
            self.numbers_with_other += 1;
            return;
        }
        self.has_codes = self.has_codes || is_code(cell);
        self.numbers += usize::from(parse_number(cell, self.decimal_comma).is_some());
        self.numbers_with_other += usize::from(parse_number(cell, !self.decimal_comma).is_some());
    }

    /// Returns the common type. The decimal separator is the one that makes more cells numbers, with
    /// equal numbers that of the table.
    pub(super) fn content(&self) -> CellContent {
        let Self { decimal_comma, cells, numbers, numbers_with_other, has_codes } = *self;
        let most = numbers.max(numbers_with_other);
        match cells {
            0 => CellContent::Empty,
            _ if has_codes || most <= cells - most => CellContent::Texts,
            _ => CellContent::Numbers {
                decimal_comma: decimal_comma ^ (numbers_with_other > numbers),
            },
        }
    }
}

/// Appends a cell as JSON value, by the type of the column of the chart kind or else by the content
/// of the column.
///
/// In a column of numbers, another text stays a string. Images show it as a gap and report it, unless
/// it is a placeholder.
pub(super) fn push_cell(
    out: &mut String,
    cell: &str,
    column: Option<ColumnType>,
    content: &CellContent,
) {
    match (column, content) {
        (Some(ColumnType::Boolean), _) => {
            out.push_str(if parse_boolean(cell) { "true" } else { "false" });
        }
        (Some(ColumnType::Text | ColumnType::Date | ColumnType::Color), _)
        | (_, CellContent::Texts | CellContent::Empty) => {
            out.push_str(&Value::from(cell).to_string())
        }
        (_, CellContent::Numbers { decimal_comma }) => match parse_number(cell, *decimal_comma) {
            Some(number) => out.push_str(&number),
            None => out.push_str(&Value::from(cell).to_string()),
        },
    }
}

/// Returns true for `true`, `yes`, `1` and `x` in any case, else false.
fn parse_boolean(cell: &str) -> bool {
    matches!(cell.to_lowercase().as_str(), "true" | "yes" | "1" | "x")
}

/// Returns true if a cell has only digits and no leading zero. Such a cell is a number with any decimal
/// separator.
fn is_plain_integer(cell: &str) -> bool {
    let is_code = cell.len() > 1 && cell.starts_with('0');
    !is_code && cell.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses the number in a cell and returns it as a JSON number, see [`number_text::read_as_json`].
/// Returns `None` also for a code with leading zeros such as `007`, and for an exponent, because
/// both can be ids.
fn parse_number(cell: &str, decimal_comma: bool) -> Option<String> {
    let separator = if decimal_comma { DecimalSeparator::Comma } else { DecimalSeparator::Point };
    if is_code(cell) || cell.contains(['e', 'E']) && number_text::is_plain(cell) {
        return None;
    }
    number_text::read_as_json(cell, separator)
}

/// Returns whether a cell has leading zeros, like a postal code.
fn is_code(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+', '\u{2212}']).as_bytes();
    digits.starts_with(b"0") && digits.get(1).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_separators_and_codes_are_not_numbers() {
        let check = |cell: &str, comma, want: Option<&str>| {
            assert_eq!(parse_number(cell, comma).as_deref(), want, "{cell}");
            assert!(!is_plain_integer(cell) || want == Some(cell) || cell.is_empty(), "{cell}");
        };
        check("0", true, Some("0"));
        check("120", false, Some("120"));
        check("1,234,567", false, Some("1234567"));
        check("1 234.50", false, Some("1234.50"));
        check("1'234", false, Some("1234"));
        check("1.234,5", true, Some("1234.5"));
        check("-0.5", false, Some("-0.5"));
        check("\u{2212}3", false, Some("-3"));
        check("45 %", false, Some("45"));
        check("1.234 €", true, Some("1234"));
        check("(12.5k)", false, Some("-12500"));
        check("1,23", false, None);
        check("12,34,567", false, Some("1234567"));
        check("007", false, None);
        check("1e5", false, None);
        check("", false, None);
        check("2026-01-02", false, None);
    }
}
