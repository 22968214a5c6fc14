//! The description of a table that was read: its format, its place in the file and its problems.

use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of problems in a report.
const MAX_PROBLEMS: usize = 100;

/// Format of a file with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TableFormat {
    /// Text with separators: CSV, TSV and the like.
    Csv,
    /// Array of arrays.
    Json,
    /// `<table>` of a page or of the clipboard.
    Html,
    /// Workbook of Excel 2007 and newer.
    Xlsx,
    /// Workbook of Excel 2007 and newer with macros, which are ignored.
    Xlsm,
    /// Binary workbook of Excel 2007 and newer.
    Xlsb,
    /// Workbook of Excel 97 to 2003.
    Xls,
    /// OpenDocument spreadsheet.
    Ods,
}

/// A cell that could not be read as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TableProblem {
    /// Address of the cell, such as `B7`.
    pub cell: String,
    /// Explanation for people.
    #[serde(serialize_with = "chartroom_platform::messages::serialize")]
    pub message: String,
    /// Whether the problem is the unit of the cell, which a chart with a unit for each cell shows.
    #[serde(skip)]
    pub(super) is_about_unit: bool,
}

/// A message about a cell.
pub(super) struct CellMessage {
    /// Row of the cell, from 0.
    pub row: u32,
    pub text: String,
    /// Whether it is about the unit of the cell, which a chart with a unit for each cell shows.
    pub is_about_unit: bool,
}

/// Description of a table that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TableReport {
    /// Format of the file, detected from its content.
    pub format: TableFormat,
    /// Character encoding. Absent for files of spreadsheet programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<&'static str>,
    /// Separator of the cells. Absent unless `format` is `csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// Name of the worksheet. Absent unless the file has worksheets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// Names of the other visible worksheets.
    pub other_sheets: Vec<String>,
    /// First text above the headings that is no note, such as the caption of a table. Absent without
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Number of the row or line with the headings, from 1. 0 if the table has none.
    pub header_row: u32,
    /// Number of rows below the headings that are not blank.
    pub rows: usize,
    /// Cells with problems, at most 100.
    pub problems: Vec<TableProblem>,
    /// Number of further problems.
    pub more_problems: usize,
    /// Number of columns of the worksheet to the left of the table.
    #[serde(skip)]
    pub(super) columns_before: u32,
    /// Whether the days of dates count from 1904 instead of 1900.
    #[serde(skip)]
    pub(super) is_1904: bool,
}

impl TableReport {
    /// Returns the report for a chart that shows each cell with its own unit: without the problems
    /// about cells with another unit than most, or without one.
    pub fn without_unit_problems(mut self) -> Self {
        self.problems.retain(|problem| !problem.is_about_unit);
        self
    }

    /// Creates a report without problems and rows, with the headings in row 1. It has no encoding,
    /// separator and worksheet until the reader of the file sets them.
    pub(super) fn new(format: TableFormat) -> Self {
        Self {
            format,
            encoding: None,
            separator: None,
            sheet: None,
            other_sheets: Vec::new(),
            title: None,
            header_row: 1,
            rows: 0,
            problems: Vec::new(),
            more_problems: 0,
            columns_before: 0,
            is_1904: false,
        }
    }

    /// Sets the number of the row of the headings, and adds a problem if they seem to be a record.
    pub(super) fn set_header_row(&mut self, header_row: u32, seems_to_be_record: bool) {
        self.header_row = header_row;
        if seems_to_be_record {
            let message = "is in a row that seems to be a record, but is used as headings";
            self.add_problem_in_table(header_row.saturating_sub(1), 0, message.to_owned());
        }
    }

    /// Adds a problem of a cell. `row` is the index in the worksheet or text, and `column` the index in
    /// the table, both from 0. Adds the columns to the left of the table to the address.
    pub(super) fn add_problem_in_table(&mut self, row: u32, column: usize, message: String) {
        self.add_message(column, CellMessage { row, text: message, is_about_unit: false });
    }

    /// Adds a message about a cell of a column of the table, like [`Self::add_problem_in_table`].
    pub(super) fn add_message(&mut self, column: usize, message: CellMessage) {
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        self.push(self.columns_before.saturating_add(column), message);
    }

    /// Adds a problem of a cell, or only counts it in `more_problems` if the report has `MAX_PROBLEMS`
    /// already. `row` and `column` are indexes in the worksheet or text, from 0.
    pub(super) fn add_problem(&mut self, row: u32, column: u32, message: String) {
        self.push(column, CellMessage { row, text: message, is_about_unit: false });
    }

    /// Adds a message about a cell, as [`Self::add_problem`] does.
    fn push(&mut self, column: u32, message: CellMessage) {
        if self.problems.len() == MAX_PROBLEMS {
            self.more_problems += 1;
            return;
        }
        let CellMessage { row, text, is_about_unit } = message;
        let cell = cell_address(row, column);
        self.problems.push(TableProblem { cell, message: text, is_about_unit });
    }
}

/// Returns the address of a cell, such as `B7` for row 6 and column 1. Row and column start at 0.
pub(super) fn cell_address(row: u32, column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or_default()));
        rest /= 26;
    }
    letters.iter().rev().collect::<String>() + &(u64::from(row) + 1).to_string()
}

/// Returns row and column of an address such as `B7`, both from 0: here (6, 1). Accepts one to three
/// letters in any case, and no `$`. None for other texts and for row 0.
pub(super) fn parse_cell_address(text: &str) -> Option<(u32, u32)> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    // The last column is XFD.
    if !(1..=3).contains(&letters) {
        return None;
    }
    let column = text[..letters]
        .bytes()
        .fold(0, |column, letter| column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1);
    let digits = &text[letters..];
    // The parser of numbers accepts a plus sign.
    let row: u32 = digits.parse().ok().filter(|_| !digits.starts_with('+'))?;
    Some((row.checked_sub(1)?, column - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_and_read() {
        for (row, column, text) in [
            (0, 0, "A1"),
            (6, 1, "B7"),
            (9, 25, "Z10"),
            (9, 26, "AA10"),
            (1_048_575, 16_383, "XFD1048576"),
        ] {
            assert_eq!(cell_address(row, column), text);
            assert_eq!(parse_cell_address(text), Some((row, column)));
        }
        for text in ["", "7", "B", "B0", "ABCD1", "B-1", "B+7", "B99999999999", "É1"] {
            assert_eq!(parse_cell_address(text), None, "{text}");
        }
    }
}
