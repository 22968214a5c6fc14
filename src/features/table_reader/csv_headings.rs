//! Headings of CSV text, and rows at its start.

use super::cell_grid::Cell;
use super::csv_rows::CsvRow;
use super::csv_rows::CsvRows;
use super::heading_row;
use super::heading_row::HeadingRow;
use super::headings;
use super::layout::SAMPLE_ROWS;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use chartroom_platform::error::Result;

/// Headings of CSV text, and their place.
pub(super) struct CsvHeadings {
    /// Headings of the columns. All are empty if the text has none.
    pub headings: Vec<String>,
    /// Number of rows above the records, including those of the headings. Blank lines do not count.
    pub rows_above: usize,
    /// Number of the line of the headings, from 1. 0 if the text has none.
    pub header_row: u32,
    /// Whether the headings seem to be a record, but the caller says that they are headings.
    pub seem_to_be_record: bool,
}

/// Reads the headings of CSV text below the first `rows_above` rows: one or two rows. They are absent
/// if `heading_row` says so or the first row is a record.
///
/// # Errors
/// `InvalidFields` about `body` if all headings are empty or one is too long, if there is only one cell,
/// or if a row has too many cells.
pub(super) fn read_headings(
    text: &str,
    delimiter: u8,
    rows_above: usize,
    heading_row: HeadingRow,
) -> Result<CsvHeadings> {
    let mut rows = CsvRows::new(text, delimiter, MAX_COLUMNS);
    skip_rows(&mut rows, rows_above)?;
    let (first, line_breaks) = read_row(&mut rows)?;
    let header_row = line_of_last_row(text, &rows, line_breaks);
    if first.len() == 1 && rows.is_at_end() {
        headings::check(&first)?;
        return Err(body_error("has only one cell, but needs headings and a row below them"));
    }
    let below = read_samples(text, delimiter, rows_above + 1, SAMPLE_ROWS)?;
    // The third row tells whether the second one has headings too.
    if heading_row != HeadingRow::Absent
        && let [second, third, ..] = below.as_slice()
        && let Some(headings) = headings::join_second_row([&first, second, third])
    {
        headings::check(&headings)?;
        let (_, line_breaks) = read_row(&mut rows)?;
        let header_row = line_of_last_row(text, &rows, line_breaks);
        return Ok(CsvHeadings {
            headings,
            rows_above: rows_above + 2,
            header_row,
            seem_to_be_record: false,
        });
    }
    let below_cells: Vec<Vec<Cell<'_>>> = below.iter().map(|row| cells_of(row)).collect();
    let is_record = heading_row::is_record(&cells_of(&first), &below_cells);
    if heading_row.is_absent(is_record) {
        let filled = |row: &Vec<String>| row.iter().rposition(|cell| !cell.is_empty());
        let last = std::iter::once(&first).chain(&below).filter_map(filled).max();
        let headings = vec![String::new(); last.map_or(1, |last| last + 1)];
        return Ok(CsvHeadings { headings, rows_above, header_row: 0, seem_to_be_record: false });
    }
    headings::check(&first)?;
    let rows_above = rows_above + 1;
    Ok(CsvHeadings { headings: first, rows_above, header_row, seem_to_be_record: is_record })
}

/// Returns texts as cells.
fn cells_of(row: &[String]) -> Vec<Cell<'_>> {
    row.iter().map(|text| Cell::from_text(text)).collect()
}

/// Reads and drops the next `count` rows, or all if there are fewer.
///
/// # Errors
/// `InvalidFields` about `body` if a row has too many cells.
pub(super) fn skip_rows(rows: &mut CsvRows<'_>, count: usize) -> Result<()> {
    for _ in 0..count {
        rows.next_row().map_err(|_| body_error(format!("has more than {MAX_COLUMNS} columns")))?;
    }
    Ok(())
}

/// Returns the cells of at most `max_samples` rows below the first `count` rows of CSV text. Stops
/// before a row with too many cells.
///
/// # Errors
/// `InvalidFields` about `body` if one of the first `count` rows has too many cells.
pub(super) fn read_samples(
    text: &str,
    delimiter: u8,
    count: usize,
    max_samples: usize,
) -> Result<Vec<Vec<String>>> {
    let mut rows = CsvRows::new(text, delimiter, MAX_COLUMNS);
    skip_rows(&mut rows, count)?;
    let samples = (0..max_samples).map_while(|_| read_row(&mut rows).ok());
    Ok(samples.map(|(cells, _)| cells).filter(|cells| !cells.is_empty()).collect())
}

/// Reads the cells of the next row, and the number of line breaks within them. Empty at the end of the
/// table.
///
/// # Errors
/// `InvalidFields` about `body` if the row has too many cells.
fn read_row(rows: &mut CsvRows<'_>) -> Result<(Vec<String>, usize)> {
    let row =
        rows.next_row().map_err(|_| body_error(format!("has more than {MAX_COLUMNS} columns")))?;
    let line_breaks = row.as_ref().map_or(0, CsvRow::count_line_breaks);
    Ok((row.map_or_else(Vec::new, |row| row.cells().map(str::to_owned).collect()), line_breaks))
}

/// Returns the number of the line, from 1, in which the row starts that `rows` read last from `text`.
/// `line_breaks` is the number of line breaks within the cells of this row.
pub(super) fn line_of_last_row(text: &str, rows: &CsvRows<'_>, line_breaks: usize) -> u32 {
    let read = &text.as_bytes()[..text.len() - rows.unread_bytes()];
    let read = read.trim_ascii_end();
    let line = read.iter().filter(|byte| **byte == b'\n').count() + 1;
    u32::try_from(line.saturating_sub(line_breaks)).unwrap_or(u32::MAX)
}
