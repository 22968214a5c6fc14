//! Cells of a CSV table: their common type in a column, and their conversion to JSON values.

use serde_json::Value;

use crate::features::portfolio::ColumnType;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;

/// Common type of the cells in a column.
#[derive(Debug, Clone, Copy)]
pub(super) enum CellContent {
    /// All cells are empty.
    Empty,
    /// All non-empty cells are numbers.
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

/// Detection of the common type of the cells in a column, cell by cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContentCheck {
    has_cells: bool,
    /// Decimal separator of the table: true for the comma.
    decimal_comma: bool,
    /// Whether all cells are numbers with the decimal separator of the table.
    are_numbers: bool,
    /// Whether all cells are numbers with the other decimal separator.
    are_numbers_with_other: bool,
}

impl ContentCheck {
    /// Creates the check of a column without cells.
    pub(super) fn new(decimal_comma: bool) -> Self {
        Self { has_cells: false, decimal_comma, are_numbers: true, are_numbers_with_other: true }
    }

    /// Adds a cell. Ignores an empty one.
    pub(super) fn add_cell(&mut self, cell: &str) {
        if cell.is_empty() {
            return;
        }
        self.has_cells = true;
        // Most numbers need no separator.
        if is_plain_integer(cell) {
            return;
        }
        self.are_numbers = self.are_numbers && parse_number(cell, self.decimal_comma).is_some();
        self.are_numbers_with_other =
            self.are_numbers_with_other && parse_number(cell, !self.decimal_comma).is_some();
    }

    /// Returns the common type. If the cells are not numbers with the decimal separator of the
    /// table, tries the other separator.
    pub(super) fn content(&self) -> CellContent {
        match self {
            Self { has_cells: false, .. } => CellContent::Empty,
            Self { are_numbers: true, decimal_comma, .. } => {
                CellContent::Numbers { decimal_comma: *decimal_comma }
            }
            // If only the other decimal separator makes all cells numbers, the column uses that one.
            Self { are_numbers_with_other: true, decimal_comma, .. } => {
                CellContent::Numbers { decimal_comma: !decimal_comma }
            }
            _ => CellContent::Texts,
        }
    }
}

/// Appends a cell as JSON value, by the type of the column of the chart kind or else by the content
/// of the column.
///
/// If a cell of a number column is not a number, all cells of that column become strings.
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
        | (_, CellContent::Texts) => out.push_str(&Value::from(cell).to_string()),
        (_, CellContent::Numbers { decimal_comma }) => {
            out.push_str(&parse_number(cell, *decimal_comma).unwrap_or_else(|| "null".to_owned()));
        }
        (_, CellContent::Empty) => out.push_str("null"),
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
    let digits = cell.trim_start_matches(['-', '+', '\u{2212}']).as_bytes();
    let is_code = digits.starts_with(b"0") && digits.get(1).is_some_and(u8::is_ascii_digit);
    let has_exponent = cell.contains(['e', 'E']) && number_text::is_plain(cell);
    if is_code || has_exponent {
        return None;
    }
    number_text::read_as_json(cell, separator)
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
