//! Reading of CSV text. The first row contains the headings, apart from lines with a title or comments
//! above it. Numbers may have thousands separators.

use std::borrow::Cow;

use super::csv_cells::CellContent;
use super::csv_cells::ContentCheck;
use super::csv_encoding;
use super::csv_layout::CsvLayout;
use super::csv_rows::CsvRow;
use super::csv_rows::CsvRows;
use super::csv_rows::TooManyCells;
use crate::features::tables::ColumnProfile;
use crate::features::tables::ColumnProfiler;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum number of columns of a table.
const MAX_COLUMNS: usize = 1000;
/// Maximum number of cells of a table, including empty cells and those of blank rows. 100,000 records
/// can have 30 columns.
const MAX_CELLS: usize = 3_000_000;
/// Maximum length of a heading in bytes. Each record repeats the headings as keys.
const MAX_HEADING_BYTES: usize = 1000;

/// A validated CSV table, not yet mapped to a chart kind.
///
/// The rows stay text. They are read again for the conversion to records, so that the memory of a
/// table does not depend on the number of its cells.
pub struct CsvTable<'a> {
    text: Cow<'a, str>,
    layout: CsvLayout,
    /// Headings of the columns.
    headings: Vec<String>,
    /// Common type of the cells of each column.
    contents: Vec<CellContent>,
}

impl<'a> CsvTable<'a> {
    /// Parses CSV text (RFC 4180) with commas, semicolons, tabs or vertical bars as separators. Trims
    /// headings and cells, and skips blank rows. Cells missing at the end of a row are empty.
    /// `charset` is the encoding that the client names; without it, the encoding is detected.
    ///
    /// Stops at the first error, so that a table beyond a limit costs no more than one at the limit.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the bytes are not text or have no headings, a too long
    /// heading, too many columns or cells, or a row with more cells than headings. `InvalidFields`
    /// about `data` if there are more than `max_rows` rows.
    pub fn parse(bytes: &'a [u8], charset: Option<&str>, max_rows: usize) -> Result<Self> {
        let text = csv_encoding::decode(bytes, charset).map_err(|message| body_error(&message))?;
        let layout = CsvLayout::detect(&text, MAX_COLUMNS);
        let mut rows = CsvRows::new(&text, layout.delimiter, MAX_COLUMNS);
        skip_rows(&mut rows, layout.rows_above)?;
        let headings = read_headings(&mut rows)?;
        // Semicolons separate the cells where the comma is the decimal separator.
        let separator = match layout.delimiter {
            b';' => DecimalSeparator::Comma,
            _ => DecimalSeparator::Point,
        };
        let mut checks = vec![ContentCheck::new(separator); headings.len()];
        let (mut row_count, mut cell_count) = (0, 0);
        while let Some(row) = next_row(&mut rows)? {
            cell_count += row.len();
            if cell_count > MAX_CELLS {
                return Err(body_error(&format!("has more than {MAX_CELLS} cells")));
            }
            if row.is_blank() {
                continue;
            }
            if row_count == max_rows {
                return Err(Error::invalid_field(
                    "data",
                    format!("has more than {max_rows} records"),
                ));
            }
            row_count += 1;
            checks.iter_mut().zip(row.cells()).for_each(|(check, cell)| check.add_cell(cell));
        }
        let contents = checks.iter().map(ContentCheck::content).collect();
        drop(rows);
        Ok(Self { text, layout, headings, contents })
    }

    /// Returns the types and properties of the columns.
    ///
    /// # Errors
    /// Those of [`Self::for_each_row`].
    pub fn profile_columns(&self) -> Result<Vec<ColumnProfile>> {
        let columns = self.headings.iter().zip(&self.contents);
        let mut profilers: Vec<ColumnProfiler> = columns
            .map(|(heading, content)| ColumnProfiler::new(heading, content.cell_type()))
            .collect();
        self.for_each_row(|row| {
            for (index, profiler) in profilers.iter_mut().enumerate() {
                profiler.add_cell(row.cell(index));
            }
            Ok(())
        })?;
        Ok(profilers.into_iter().map(ColumnProfiler::finish).collect())
    }

    /// Returns the headings.
    pub fn headings(&self) -> &[String] {
        &self.headings
    }

    /// Returns the common type of the cells of each column.
    pub(super) fn contents(&self) -> &[CellContent] {
        &self.contents
    }

    /// Calls a function for each row that is not blank.
    ///
    /// # Errors
    /// The first error of the function. `InvalidFields` about `body` as in [`Self::parse`].
    pub fn for_each_row(&self, mut visit: impl FnMut(&CsvRow<'_>) -> Result<()>) -> Result<()> {
        let mut rows = CsvRows::new(&self.text, self.layout.delimiter, MAX_COLUMNS);
        // The headings are below the rows above them.
        skip_rows(&mut rows, self.layout.rows_above + 1)?;
        while let Some(row) = next_row(&mut rows)? {
            if !row.is_blank() {
                visit(&row)?;
            }
        }
        Ok(())
    }
}

/// Reads rows without using them.
///
/// # Errors
/// `InvalidFields` about `body` if a row has too many cells.
fn skip_rows(rows: &mut CsvRows<'_>, count: usize) -> Result<()> {
    for _ in 0..count {
        rows.next_row().map_err(|_| body_error(&format!("has more than {MAX_COLUMNS} columns")))?;
    }
    Ok(())
}

/// Reads the first row and limits the next rows to as many cells.
///
/// # Errors
/// `InvalidFields` about `body` if all headings are empty, one of them is too long, or there are too
/// many.
fn read_headings(rows: &mut CsvRows<'_>) -> Result<Vec<String>> {
    let first =
        rows.next_row().map_err(|_| body_error(&format!("has more than {MAX_COLUMNS} columns")))?;
    let headings: Vec<String> =
        first.map_or_else(Vec::new, |row| row.cells().map(str::to_owned).collect());
    if headings.iter().all(String::is_empty) {
        return Err(body_error("must have a first row with column headings"));
    }
    if headings.iter().any(|heading| heading.len() > MAX_HEADING_BYTES) {
        return Err(body_error(&format!("has a heading of more than {MAX_HEADING_BYTES} bytes")));
    }
    rows.limit_cells(headings.len());
    Ok(headings)
}

/// Reads the next row. `None` at the end of the table.
///
/// # Errors
/// `InvalidFields` about `body` if the row has more cells than there are headings.
fn next_row<'a>(rows: &'a mut CsvRows<'_>) -> Result<Option<CsvRow<'a>>> {
    rows.next_row().map_err(|TooManyCells { line }| {
        body_error(&format!("has more cells than columns in line {line}"))
    })
}

/// Returns an error about the request body.
fn body_error(message: &str) -> Error {
    Error::invalid_field("body", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_tables_are_rejected() {
        let check = |bytes: &[u8], want: &str| {
            let error = CsvTable::parse(bytes, None, 1).err().unwrap().to_string();
            assert_eq!(error, want);
        };
        check(b"", "body: must have a first row with column headings");
        check(b"a,b\n1,2,3\n", "body: has more cells than columns in line 2");
        check(b"a\n1\n2\n", "data: has more than 1 records");
        check(&b",".repeat(999), "body: must have a first row with column headings");
        check(&b"a,".repeat(1000), "body: has more than 1000 columns");
        check(&b"a".repeat(1001), "body: has a heading of more than 1000 bytes");
        let many_cells = [b"a,".repeat(999), b"\n".to_vec(), b",\n".repeat(1_500_001)].concat();
        check(&many_cells, "body: has more than 3000000 cells");
        check(b"a\n\0\n", "body: is not a text file");
    }
}
