//! Cells of a table in a file that is not CSV text, in little memory.

use super::currency_format::CurrencyFormat;
use super::limits::Limits;
use super::limits::MAX_CELL_CHARACTERS;
use super::limits::MAX_CELLS;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::number_dates::NumberDate;
use super::report::cell_address;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Number of rows of the largest worksheet.
const MAX_SHEET_ROWS: u32 = 1_048_576;
/// Number of columns of the widest worksheet.
const MAX_SHEET_COLUMNS: u32 = 16_384;

/// Type of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Text. The other cells of its column decide the meaning, such as a number or a date.
    Text,
    /// A number in JSON syntax, after a plus sign if the cell shows one.
    Number,
    /// A percentage like a number: `45` for 45 %.
    Percentage,
    /// An amount of money like a number, without the currency that the cell shows.
    Currency(CurrencyFormat),
    /// A date, a time or a duration in the syntax of ISO 8601, without a zone.
    Date,
    /// `TRUE` or `FALSE`.
    Boolean,
}

/// A cell of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Content without whitespace around it; empty for an empty cell.
    pub text: &'a str,
    pub kind: CellKind,
}

impl CellKind {
    /// Returns whether the text of the cell is a number in JSON syntax, after a plus sign if it shows one.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::Percentage | Self::Currency(_))
    }
}

impl<'a> Cell<'a> {
    /// Creates a cell of the kind `Text`. Does not remove whitespace.
    pub fn from_text(text: &'a str) -> Self {
        Self { text, kind: CellKind::Text }
    }
}

/// A cell that is not empty. Its text is a part of [`CellGrid::text`]. It has only 16 bytes, because
/// a table may have millions.
#[derive(Debug, Clone, Copy)]
struct StoredCell {
    row: u32,
    start: u32,
    end: u32,
    column: u16,
    kind: CellKind,
}

/// The cells of a worksheet that are not empty, in the order of the file.
pub(super) struct GridBuilder {
    text: String,
    cells: Vec<StoredCell>,
    limits: Limits,
}

impl GridBuilder {
    /// Creates a worksheet without cells.
    pub fn new(limits: Limits) -> Self {
        Self { text: String::new(), cells: Vec::new(), limits }
    }

    /// Adds a cell, which replaces one at the same place. Ignores it if the text is blank. Row and
    /// column start at 0.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the address is outside of a worksheet,
    /// the cell or the table is too large, or the deadline has passed.
    pub fn push(&mut self, row: u32, column: u32, cell: Cell<'_>) -> Result<()> {
        let text = cell.text.trim();
        if text.is_empty() {
            return Ok(());
        }
        self.limits.check_time(self.cells.len())?;
        if row >= MAX_SHEET_ROWS || column >= MAX_SHEET_COLUMNS {
            return Err(body_error(format!(
                "has a cell outside of the {MAX_SHEET_ROWS} rows and {MAX_SHEET_COLUMNS} columns of a worksheet"
            )));
        }
        if text.len() > MAX_CELL_CHARACTERS && text.chars().count() > MAX_CELL_CHARACTERS {
            let address = cell_address(row, column);
            let message =
                format!("has more than {MAX_CELL_CHARACTERS} characters in cell {address}");
            return Err(body_error(message));
        }
        if self.cells.len() == MAX_CELLS {
            return Err(body_error(format!("has more than {MAX_CELLS} cells")));
        }
        let max_bytes = self.limits.max_text_bytes;
        if self.text.len() + text.len() > max_bytes {
            return Err(too_much_text(max_bytes));
        }
        let start = to_u32(self.text.len());
        self.text.push_str(text);
        self.cells.push(StoredCell {
            row,
            start,
            end: to_u32(self.text.len()),
            column: u16::try_from(column).unwrap_or(u16::MAX),
            kind: cell.kind,
        });
        Ok(())
    }

    /// Returns the number of cells that were added and not blank, including replaced ones.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Sorts the cells by row and column, and removes replaced ones. The columns of the result
    /// count from the first one with a cell.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the table has too many columns or cells, counting the empty
    /// cells between others.
    pub fn finish(self) -> Result<CellGrid> {
        let Self { text, mut cells, .. } = self;
        let address = |cell: &StoredCell| (cell.row, cell.column);
        if !cells.is_sorted_by_key(address) {
            cells.sort_by_key(address);
        }
        // The last cell with an address counts.
        cells.dedup_by(|next, kept| {
            let is_same = address(next) == address(kept);
            if is_same {
                *kept = *next;
            }
            is_same
        });
        let columns = cells.iter().map(|cell| cell.column);
        let first_column = columns.clone().min().unwrap_or(0);
        let end_column = columns.max().map_or(0, |last| usize::from(last) + 1);
        let column_count = end_column.saturating_sub(usize::from(first_column));
        if column_count > MAX_COLUMNS {
            return Err(body_error(format!("has more than {MAX_COLUMNS} columns")));
        }
        let grid = CellGrid { text, cells, first_column, column_count };
        let cell_count: usize = grid.rows().map(|row| row.len()).sum();
        if cell_count > MAX_CELLS {
            return Err(body_error(format!("has more than {MAX_CELLS} cells")));
        }
        Ok(grid)
    }
}

/// The cells of a worksheet, by row and column. Columns count from the first one with a cell.
pub(super) struct CellGrid {
    text: String,
    cells: Vec<StoredCell>,
    first_column: u16,
    column_count: usize,
}

impl CellGrid {
    /// Returns the number of empty columns to the left of the first one with a cell.
    pub fn first_column(&self) -> u16 {
        self.first_column
    }

    /// Returns the number of columns from the first to the last one with a cell.
    pub fn column_count(&self) -> usize {
        self.column_count
    }

    /// Removes the cells outside of some columns, counted from the first one with a cell. The
    /// columns of the result count from `columns.start`.
    pub fn keep_columns(&mut self, columns: std::ops::Range<usize>) {
        let first = usize::from(self.first_column);
        self.cells.retain(|cell| columns.contains(&(usize::from(cell.column) - first)));
        self.first_column = u16::try_from(first + columns.start).unwrap_or(u16::MAX);
        self.column_count = columns.len();
    }

    /// Returns the index of the first cell after the first `count` rows with cells. If there are
    /// fewer rows, returns the number of cells.
    pub fn skip_rows(&self, count: usize) -> usize {
        (0..count).fold(0, |at, _| self.row_at(at).map_or(at, |(_, next)| next))
    }

    /// Replaces the numbers in the columns `dates` by ISO dates, from the cell at index
    /// `first_cell` on. Columns count from the first one with a cell. A text that the notation of
    /// its column cannot read stays.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the texts become too long.
    pub fn replace_by_dates(
        &mut self,
        dates: &[(usize, NumberDate)],
        first_cell: usize,
        limits: Limits,
    ) -> Result<()> {
        if dates.is_empty() {
            return Ok(());
        }
        for cell in self.cells.iter_mut().skip(first_cell) {
            let column = usize::from(cell.column - self.first_column);
            let notation = dates.iter().find(|(known, _)| *known == column);
            let text = &self.text[cell.start as usize..cell.end as usize];
            let Some(date) = notation.and_then(|(_, notation)| notation.to_iso(text)) else {
                continue;
            };
            if self.text.len() + date.len() > limits.max_text_bytes {
                return Err(too_much_text(limits.max_text_bytes));
            }
            cell.start = to_u32(self.text.len());
            self.text.push_str(&date);
            cell.end = to_u32(self.text.len());
            cell.kind = CellKind::Date;
        }
        Ok(())
    }

    /// Iterates over the rows that have cells. They are in rising order. Blank rows are skipped.
    pub fn rows(&self) -> impl Iterator<Item = GridRow<'_>> {
        let rows = self.cells.chunk_by(|one, other| one.row == other.row);
        rows.map(|cells| GridRow { grid: self, cells })
    }

    /// Returns the row that starts with the cell at `index`, and the index
    /// after its last cell. None at the end.
    pub fn row_at(&self, index: usize) -> Option<(GridRow<'_>, usize)> {
        let rest = self.cells.get(index..)?;
        let row = rest.first()?.row;
        let count = rest.iter().take_while(|cell| cell.row == row).count();
        Some((GridRow { grid: self, cells: &rest[..count] }, index + count))
    }
}

/// A row of a [`CellGrid`] with at least one cell.
#[derive(Clone, Copy)]
pub(super) struct GridRow<'a> {
    grid: &'a CellGrid,
    cells: &'a [StoredCell],
}

impl<'a> GridRow<'a> {
    /// Returns the number of the row in the worksheet, from 1.
    pub fn number(&self) -> u32 {
        self.cells.first().map_or(0, |cell| cell.row + 1)
    }

    /// Returns the number of cells from the first column of the table to the last one that is not
    /// empty.
    pub fn len(&self) -> usize {
        self.cells.last().map_or(0, |cell| usize::from(cell.column - self.grid.first_column) + 1)
    }

    /// Iterates over the columns with cells, counted from the first one of the table. They are in
    /// rising order.
    pub fn filled_columns(&self) -> impl Iterator<Item = usize> {
        let first = self.grid.first_column;
        self.cells.iter().map(move |cell| usize::from(cell.column - first))
    }

    /// Returns the cell in a column, counted from the first one of the table, from 0. It is an
    /// empty text if the row has no cell there.
    pub fn cell(&self, index: usize) -> Cell<'a> {
        let column = index + usize::from(self.grid.first_column);
        match self.cells.binary_search_by_key(&column, |cell| usize::from(cell.column)) {
            Ok(found) => {
                let StoredCell { start, end, kind, .. } = self.cells[found];
                Cell { text: &self.grid.text[start as usize..end as usize], kind }
            }
            Err(_) => Cell::from_text(""),
        }
    }
}

/// Returns the error about cells with too much text.
fn too_much_text(max_bytes: usize) -> Error {
    body_error(format!("has more than {max_bytes} bytes of text in its cells"))
}

/// Converts an offset in bytes in a text, which `Limits::max_text_bytes` bounds. A larger one gives
/// the maximum.
fn to_u32(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_cell_is_small() {
        assert_eq!(size_of::<StoredCell>(), 16);
    }
}
