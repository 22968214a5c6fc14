//! Tables side by side on a worksheet, with an empty column between them.

use std::ops::Range;

use super::cell_grid::CellGrid;
use super::cell_grid::CellKind;
use super::cell_grid::GridRow;
use super::report::TableReport;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;

/// Number of rows that decide.
const SAMPLE_ROWS: usize = 20;

/// Removes all columns of the grid except the first of several tables side by side. Reports each other
/// table as a problem. Does nothing for a single table.
///
/// Empty columns also separate parts of one table, such as the columns of two years. A part is a table
/// of its own if it starts with a column of names and has numbers to the right of them, and the first
/// part does so too. Other parts left of the second table stay with the first one.
pub(super) fn keep_first_table(grid: &mut CellGrid, report: &mut TableReport) {
    let parts = find_parts(grid);
    let is_table = |part: &Range<usize>| has_names_and_numbers(grid, part);
    let Some(first) = parts.first().filter(|first| parts.len() > 1 && is_table(first)) else {
        return;
    };
    let others: Vec<Range<usize>> =
        parts[1..].iter().filter(|part| is_table(part)).cloned().collect();
    let Some(second) = others.first() else { return };
    let ends = parts.iter().map(|part| part.end).take_while(|end| *end <= second.start);
    let kept = first.start..ends.last().unwrap_or(first.end);
    let before = u32::from(grid.first_column());
    for other in &others {
        let row = grid.rows().find(|row| !row.cell(other.start).text.is_empty());
        let row = row.map_or(0, |row| row.number().saturating_sub(1));
        let column = before.saturating_add(u32::try_from(other.start).unwrap_or(u32::MAX));
        let message = "starts another table beside the first one; left out";
        report.add_problem(row, column, message.to_owned());
    }
    grid.keep_columns(kept);
}

/// Returns the ranges of consecutive columns with cells, from left to right. Columns count from the
/// first one with a cell.
fn find_parts(grid: &CellGrid) -> Vec<Range<usize>> {
    let mut filled = vec![false; grid.column_count()];
    for row in grid.rows() {
        row.filled_columns().for_each(|column| filled[column] = true);
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (column, _) in filled.iter().enumerate().filter(|(_, is_filled)| **is_filled) {
        match parts.last_mut() {
            Some(part) if part.end == column => part.end += 1,
            _ => parts.push(column..column + 1),
        }
    }
    parts
}

/// Returns whether, in the first `SAMPLE_ROWS` rows without the headings, most cells of the first
/// column of `part` are not numbers, and most of another column are. Counts only rows with a first and
/// another cell.
fn has_names_and_numbers(grid: &CellGrid, part: &Range<usize>) -> bool {
    let is_filled = |row: &GridRow<'_>| {
        let names = !row.cell(part.start).text.is_empty();
        names && part.clone().skip(1).any(|column| !row.cell(column).text.is_empty())
    };
    // The first row has headings.
    let rows: Vec<GridRow<'_>> = grid.rows().filter(is_filled).take(SAMPLE_ROWS).skip(1).collect();
    let count_numbers = |column: usize| rows.iter().filter(|row| is_number(row, column)).count();
    let names = rows.len() - count_numbers(part.start);
    !rows.is_empty()
        && names * 2 > rows.len()
        && part.clone().skip(1).any(|column| count_numbers(column) * 2 > rows.len())
}

/// Returns whether a cell of the row is a number, or a text that is one with a decimal point or comma.
fn is_number(row: &GridRow<'_>, column: usize) -> bool {
    let cell = row.cell(column);
    let separators = [DecimalSeparator::Point, DecimalSeparator::Comma];
    cell.kind.is_number()
        || cell.kind == CellKind::Text
            && separators.iter().any(|separator| number_text::read(cell.text, *separator).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::table_reader::cell_grid::Cell;
    use crate::features::table_reader::cell_grid::GridBuilder;
    use crate::features::table_reader::limits::Limits;
    use crate::features::table_reader::report::TableFormat;

    /// Returns the kept columns and the addresses of the reported cells.
    fn keep(rows: &[&str]) -> (usize, Vec<String>) {
        let limits = Limits { max_rows: 100, max_text_bytes: 1 << 16, deadline: None };
        let mut builder = GridBuilder::new(limits);
        for (row, text) in (0..).zip(rows) {
            for (column, cell) in (1..).zip(text.split(';')) {
                builder.push(row, column, Cell::from_text(cell)).unwrap();
            }
        }
        let mut grid = builder.finish().unwrap();
        let mut report = TableReport::new(TableFormat::Xlsx);
        keep_first_table(&mut grid, &mut report);
        let cells = report.problems.into_iter().map(|problem| problem.cell);
        (grid.column_count(), cells.collect())
    }

    #[test]
    fn the_first_of_two_tables_is_kept() {
        let rows = ["Team;Points;;Team;Goals", "A;72;;X;77", "B;63;;Y;33"];
        assert_eq!(keep(&rows), (2, vec!["E1".to_owned()]));
        let rows = ["Title", "Team;P;;Team;G;;City;N", "A;7;;X;7;;U;1", "B;6;;Y;3;;V;2"];
        assert_eq!(keep(&rows), (2, vec!["E2".to_owned(), "H2".to_owned()]));
    }

    #[test]
    fn empty_columns_within_a_table_are_no_border() {
        for rows in [
            ["Region;2022;2023;;2024;2025", "North;1;2;;3;4", "South;5;6;;7;8"],
            ["Region;Sales;;Note;", "North;1;;good;", "South;5;;bad;"],
            ["Task;Owner;;Team;Cost", "A;Ann;;X;5", "B;Ben;;Y;6"],
            ["Region;;North;South;", "Q1;;1;2;", "Q2;;3;4;"],
        ] {
            assert_eq!(keep(&rows).1, [""; 0], "{rows:?}");
        }
    }
}
