//! Headings of a worksheet, and the place of its records.

use super::cell_grid::Cell;
use super::cell_grid::CellGrid;
use super::cell_grid::GridRow;
use super::heading_row;
use super::heading_row::HeadingRow;
use super::headings;
use super::layout::SAMPLE_ROWS;
use super::limits::body_error;
use chartroom_platform::error::Result;

/// Headings of a worksheet, and their place.
pub(super) struct GridHeadings {
    /// Headings of the columns. All are empty if the worksheet has none.
    pub headings: Vec<String>,
    /// Index of the first cell of the records.
    pub first_cell: usize,
    /// Number of the row of the headings, from 1. 0 if the worksheet has none.
    pub header_row: u32,
    /// Whether the headings seem to be a record, but the caller says that they are headings.
    pub seem_to_be_record: bool,
}

/// Reads the headings of a worksheet below the first `rows_above` rows: one or two rows. They are absent
/// if `heading_row` says so or the first row is a record.
///
/// # Errors
/// `InvalidFields` about `body` if there is no row, or if all headings are empty or one is too long.
pub(super) fn read_headings(
    grid: &CellGrid,
    rows_above: usize,
    heading_row: HeadingRow,
) -> Result<GridHeadings> {
    let header_cell = grid.skip_rows(rows_above);
    let Some((header, first_cell)) = grid.row_at(header_cell) else {
        return Err(body_error("must have a first row with column headings"));
    };
    let first = read_texts(grid, header);
    let below = || read_rows(grid, first_cell);
    if heading_row != HeadingRow::Absent
        && let [(second, next), (third, _)] = below().take(2).collect::<Vec<_>>()[..]
        && let rows = [&first[..], &read_texts(grid, second), &read_texts(grid, third)]
        && let Some(headings) = headings::join_second_row(rows)
    {
        headings::check(&headings)?;
        let header_row = second.number();
        let seem_to_be_record = false;
        return Ok(GridHeadings { headings, first_cell: next, header_row, seem_to_be_record });
    }
    let cells_below: Vec<Vec<Cell<'_>>> =
        below().take(SAMPLE_ROWS).map(|(row, _)| read_cells(grid, row)).collect();
    let is_record = heading_row::is_record(&read_cells(grid, header), &cells_below);
    if heading_row.is_absent(is_record) {
        let headings = vec![String::new(); first.len()];
        let (first_cell, header_row, seem_to_be_record) = (header_cell, 0, false);
        return Ok(GridHeadings { headings, first_cell, header_row, seem_to_be_record });
    }
    headings::check(&first)?;
    let (headings, header_row) = (first, header.number());
    Ok(GridHeadings { headings, first_cell, header_row, seem_to_be_record: is_record })
}

/// Returns the texts of at most `count` rows from the cell with the index `first_cell`.
pub(super) fn read_samples(grid: &CellGrid, first_cell: usize, count: usize) -> Vec<Vec<String>> {
    read_rows(grid, first_cell).take(count).map(|(row, _)| read_texts(grid, row)).collect()
}

/// Iterates over the rows from the cell with the index `first_cell`, each with the index of the cell
/// after it.
fn read_rows(grid: &CellGrid, first_cell: usize) -> impl Iterator<Item = (GridRow<'_>, usize)> {
    std::iter::successors(grid.row_at(first_cell), |(_, next)| grid.row_at(*next))
}

/// Returns the texts of all cells of a row.
fn read_texts(grid: &CellGrid, row: GridRow<'_>) -> Vec<String> {
    (0..grid.column_count()).map(|index| row.cell(index).text.to_owned()).collect()
}

/// Returns all cells of a row.
fn read_cells<'a>(grid: &CellGrid, row: GridRow<'a>) -> Vec<Cell<'a>> {
    (0..grid.column_count()).map(|index| row.cell(index)).collect()
}
