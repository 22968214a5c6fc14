//! The receiver of the cells that the readers of spreadsheet files find.

use super::number_format::CellFormat;
use super::sheet_list::SheetEntry;
use chartroom_platform::error::Result;

/// A date, a time or a duration that a file stores as text.
#[derive(Debug, Clone, Copy)]
pub(super) struct DateText<'a> {
    /// Date or time in ISO 8601 without a zone, such as `2024-03-31` or `27:30:00`.
    pub iso: &'a str,
    /// Text that the cell shows. Empty if the file does not store it.
    pub displayed: &'a str,
    pub format: CellFormat<'a>,
}

/// Rows and columns of merged cells, from 0, including the last ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergedRange {
    pub first_row: u32,
    pub last_row: u32,
    pub first_column: u32,
    pub last_column: u32,
}

/// Receives the cells of worksheets, those of one worksheet in any order. Rows and columns start at 0.
///
/// All functions return `InvalidFields` about `body` beyond a limit or after the deadline.
pub(super) trait CellSink {
    /// Starts a worksheet, to which all further cells belong.
    fn start_sheet(&mut self, sheet: &SheetEntry) -> Result<()>;

    /// Adds a text, which may be empty.
    fn push_text(&mut self, row: u32, column: u32, text: &str) -> Result<()>;

    /// Adds a number, which `format` may turn into a date or another kind of cell.
    fn push_number(
        &mut self,
        row: u32,
        column: u32,
        number: f64,
        format: CellFormat<'_>,
    ) -> Result<()>;

    /// Adds a date, a time or a duration.
    fn push_date(&mut self, row: u32, column: u32, date: DateText<'_>) -> Result<()>;

    /// Adds a boolean.
    fn push_boolean(&mut self, row: u32, column: u32, value: bool) -> Result<()>;

    /// Adds an error value such as `#DIV/0!`.
    fn push_error(&mut self, row: u32, column: u32, text: &str) -> Result<()>;

    /// Returns whether the sink needs the merged ranges. Readers may skip them otherwise.
    fn needs_merged_ranges(&self) -> bool;

    /// Merges cells: only the first one keeps its content. Called after the cells of the worksheet.
    fn merge(&mut self, range: MergedRange) -> Result<()>;
}
