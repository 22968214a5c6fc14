//! Types and properties of the columns of a table that was read from a file.

use std::borrow::Cow;

use super::open_records::for_each_row;
use super::table_texts::MAX_FOOTER_CHARS;
use crate::features::table_reader;
use crate::features::table_reader::Cell;
use crate::features::table_reader::CellContent;
use crate::features::table_reader::Table;
use crate::features::table_reader::TableRow;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::ColumnProfiler;
use crate::features::tables::MAX_TRAILING_ROWS;
use crate::features::tables::RecordRows;
use crate::features::tables::RowNames;
use crate::features::tables::RowNote;
use crate::features::tables::TotalFinder;
use crate::features::tables::TrailingRow;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::NumberNotation;
use chartroom_platform::error::Result;

/// Maximum number of characters of a text that names a row.
const MAX_QUOTED_CHARS: usize = 60;

/// Returns the types and properties of the columns of a table, in their order, without the rows
/// that are totals of other rows and without the notes below the records. The first profile lists
/// these rows in `left_out`.
///
/// Reads the table again if its dates agree on another order of day and month, and if rows are left
/// out.
///
/// # Errors
/// `InvalidFields` about `body`, as for the first reading of the table.
pub fn profile_columns(table: &Table<'_>) -> Result<Vec<ColumnProfile>> {
    let mut date_order = find_date_order(table);
    let all = RecordRows::up_to(table.report.rows);
    let mut summaries = SummaryRows::default();
    let mut profiles = profile_rows(table, &all, date_order, |number, row, profilers| {
        summaries.add_row(table, number, row, profilers);
    })?;
    let agreed = find_agreed_date_order(&profiles);
    let is_assumed =
        |profile: &ColumnProfile| profile.date_order == tables::DateOrderSource::Assumed;
    if agreed.is_some() && agreed != date_order && profiles.iter().any(is_assumed) {
        date_order = agreed;
        profiles = profile_rows(table, &all, date_order, |_, _, _| {})?;
    }
    let sums: Vec<f64> = summed_columns(table).map(|index| profiles[index].sum).collect();
    let notes = summaries.finish(table, &sums);
    let totals: Vec<usize> =
        notes.iter().filter(|note| note.is_total).map(|note| note.record).collect();
    let total_rows = totals.len();
    let note_count = notes.len() - total_rows;
    let rows = RecordRows { last: Some(table.report.rows - note_count), skipped: totals };
    if !notes.is_empty() {
        profiles = profile_rows(table, &rows, date_order, |_, _, _| {})?;
        if let Some(first) = profiles.first_mut() {
            first.left_out = notes;
        }
        profiles.iter_mut().for_each(|profile| profile.total_rows = total_rows);
    }
    tables::settle_coordinates(&mut profiles);
    tables::settle_durations(&mut profiles);
    tables::settle_counts(&mut profiles);
    tables::settle_numbered_names(&mut profiles);
    tables::settle_turn_of_year(&mut profiles);
    set_row_names(table, &rows, &mut profiles)?;
    Ok(profiles)
}

/// Rows of a table that may be totals or notes.
#[derive(Default)]
struct SummaryRows {
    totals: TotalFinder,
    /// Start of the name of each row in `totals`, with its number.
    names: Vec<(usize, String)>,
    /// The last rows of the table.
    trailing: Vec<TrailingRow>,
}

impl SummaryRows {
    /// Adds a row if it may be a total or note: remembers one of the last rows of the table, and
    /// one with a first text that may name a total. `number` counts the rows that are not blank
    /// from 1. `profilers` contain the rows above it.
    fn add_row(
        &mut self,
        table: &Table<'_>,
        number: usize,
        row: &TableRow<'_>,
        profilers: &[ColumnProfiler],
    ) {
        if number + MAX_TRAILING_ROWS > table.report.rows {
            self.trailing.push(read_trailing_row(table, row));
        }
        let mut filled = row.cells().map(|cell| cell.text).filter(|text| !text.is_empty());
        let Some(name) = filled.next().filter(|name| tables::may_name_total(name)) else { return };
        let sums_above = summed_columns(table).map(|index| profilers[index].sum()).collect();
        let numbers = read_trailing_row(table, row).numbers;
        self.totals.add_row(number, name, numbers, sums_above);
        self.names.push((number, shorten(name)));
    }

    /// Returns the rows that are totals, in their order, and then the notes at the end of the
    /// table. `sums` are those of the columns of numbers over all rows.
    fn finish(self, table: &Table<'_>, sums: &[f64]) -> Vec<RowNote> {
        let note_count = tables::count_notes(&self.trailing, table.headings.len());
        let rows = table.report.rows - note_count;
        let above_notes = &self.trailing[..self.trailing.len() - note_count];
        let mut totals = self.totals.finish(rows, sums);
        let last_total =
            above_notes.last().filter(|row| tables::is_total(row, sums, rows.saturating_sub(1)));
        let mut names = self.names;
        if let Some(row) = last_total.filter(|_| totals.last() != Some(&rows)) {
            totals.push(rows);
            names.push((rows, shorten(&row.name)));
        }
        let totals = totals.into_iter().map(|record| RowNote {
            record,
            text: names
                .iter()
                .find(|(number, _)| *number == record)
                .map_or(String::new(), |(_, name)| name.clone()),
            whole_note: String::new(),
            message: "is left out, because it is a total of the records",
            is_total: true,
        });
        let notes = self.trailing[above_notes.len()..].iter().enumerate();
        let notes = notes.map(|(index, row)| RowNote {
            record: rows + index + 1,
            text: shorten(&row.text),
            whole_note: row.text.chars().take(MAX_FOOTER_CHARS + 1).collect(),
            message: "is not a record, because it is a note",
            is_total: false,
        });
        totals.chain(notes).collect()
    }
}

/// Returns the first `MAX_QUOTED_CHARS` characters of a text, without a mark for the omission.
fn shorten(name: &str) -> String {
    name.chars().take(MAX_QUOTED_CHARS).collect()
}

/// Returns the profiles of the columns over the rows that are records. Before a row is added, calls
/// `visit` with its number (from 1, counting skipped but not blank rows), the row, and the
/// profilers with the rows above it.
fn profile_rows(
    table: &Table<'_>,
    rows: &RecordRows,
    date_order: Option<DateOrder>,
    mut visit: impl FnMut(usize, &TableRow<'_>, &[ColumnProfiler]),
) -> Result<Vec<ColumnProfile>> {
    let columns = table.headings.iter().zip(&table.contents);
    let mut profilers: Vec<ColumnProfiler> = columns
        .map(|(heading, content)| {
            let profiler = ColumnProfiler::new(heading, content.cell_type());
            profiler.with_date_order(date_order)
        })
        .collect();
    let mut number = 0;
    for_each_row(table, rows, |row| {
        number += 1;
        while !rows.contains(number) && rows.reaches(number) {
            number += 1;
            profilers.iter_mut().for_each(ColumnProfiler::skip_row);
        }
        visit(number, row, &profilers);
        for (index, profiler) in profilers.iter_mut().enumerate() {
            profiler.add_cell(&in_notation_of_column(row.cell(index), &table.contents[index]));
        }
        Ok(())
    })?;
    Ok(profilers.into_iter().map(ColumnProfiler::finish).collect())
}

/// Returns the order of day and month in the language of the document. If the language is unknown,
/// a column with decimal commas means that the day is first, because such a table is not English.
/// Otherwise None.
fn find_date_order(table: &Table<'_>) -> Option<DateOrder> {
    let has_comma = table.contents.iter().any(|content| {
        matches!(
            content,
            CellContent::Numbers(NumberNotation { separator: DecimalSeparator::Comma, .. })
        )
    });
    table.date_order.or(has_comma.then_some(DateOrder::DayMonth))
}

/// Returns the order of day and month of the columns with a date that has only one reading. None if
/// there is no such column, or they differ.
pub(super) fn find_agreed_date_order(profiles: &[ColumnProfile]) -> Option<DateOrder> {
    let mut certain = profiles.iter().filter_map(|profile| match profile.date_order {
        tables::DateOrderSource::Certain(order) => Some(order),
        _ => None,
    });
    let first = certain.next();
    first.filter(|first| certain.all(|order| order == *first))
}

/// Returns the indices of the columns with sums: those of numbers, and those of texts that may be durations
/// such as `38:30`. The only column of a table with texts has no sum.
fn summed_columns(table: &Table<'_>) -> impl Iterator<Item = usize> {
    let has_names = table.headings.len() > 1;
    let is_summed = move |content: &CellContent| match content {
        CellContent::Numbers(_) => true,
        CellContent::Texts => has_names,
        CellContent::Empty => false,
    };
    let contents = table.contents.iter().enumerate();
    contents.filter(move |(_, content)| is_summed(content)).map(|(index, _)| index)
}

/// Summarizes a row: its texts, the number of its filled cells, and the number or duration in each
/// column with a sum (None for another text). The row is named in numbers if its first text is no number
/// but in a column of numbers.
fn read_trailing_row(table: &Table<'_>, row: &TableRow<'_>) -> TrailingRow {
    let filled: Vec<(usize, &str)> = row
        .cells()
        .enumerate()
        .map(|(index, cell)| (index, cell.text))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let number = |index: usize| match table.contents[index] {
        CellContent::Texts => chartroom_charts::clock_value(row.cell(index).text),
        _ => read_number(table, row, index),
    };
    let separator = match table.report.separator {
        Some(separator @ (',' | ';')) => format!("{separator} "),
        _ => " ".to_owned(),
    };
    let texts: Vec<&str> = filled.iter().map(|(_, text)| *text).collect();
    TrailingRow {
        name: texts.first().map_or(String::new(), |text| (*text).to_owned()),
        text: texts.join(&separator),
        is_contiguous: filled.iter().map(|(index, _)| *index).eq(0..filled.len()),
        is_named_in_numbers: filled.first().is_some_and(|(index, _)| {
            matches!(table.contents[*index], CellContent::Numbers(_)) && number(*index).is_none()
        }),
        filled: filled.len(),
        numbers: summed_columns(table).map(number).collect(),
    }
}

/// Returns the number in the cell with a column index. None if the column is not one of numbers, or
/// the cell is empty or not readable in the notation of the column.
pub(super) fn read_number(table: &Table<'_>, row: &TableRow<'_>, index: usize) -> Option<f64> {
    let content = &table.contents[index];
    let CellContent::Numbers(notation) = content else { return None };
    notation.read(&in_notation_of_column(row.cell(index), content))
}

/// Stores in the profiles which two columns together name each row. Does nothing without such
/// columns.
fn set_row_names(
    table: &Table<'_>,
    rows: &RecordRows,
    profiles: &mut [ColumnProfile],
) -> Result<()> {
    let Some(mut names) = RowNames::new(profiles) else { return Ok(()) };
    let columns = names.columns();
    for_each_row(table, rows, |row| {
        names.add_row(columns.map(|index| row.cell(index).text));
        Ok(())
    })?;
    names.finish(profiles);
    Ok(())
}

/// Returns the text of a cell in the notation of its column, as people write it into a cell.
/// Numbers of a spreadsheet get the decimal separator and the sign of the column; other cells are
/// unchanged.
fn in_notation_of_column<'a>(cell: Cell<'a>, content: &CellContent) -> Cow<'a, str> {
    match content {
        CellContent::Numbers(notation) => table_reader::text_in_notation(cell, *notation),
        _ => Cow::Borrowed(cell.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::table_reader::Limits;
    use crate::features::table_reader::ReadOptions;

    #[test]
    fn the_total_of_durations_is_no_record() {
        let left_out = |text: &str| -> Vec<String> {
            let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20, deadline: None };
            let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
            let table = table_reader::read(text.as_bytes(), &options, limits).unwrap();
            let profiles = profile_columns(&table).unwrap();
            profiles[0].left_out.iter().map(|note| note.text.clone()).collect()
        };
        let hours = "Name;Arbeitszeit;Saldo\nAnna;7:45;1:15\nBen;38:30;-2:30\nSumme;46:15;-1:15\n";
        assert_eq!(left_out(hours), ["Summe"]);
        let other = hours.replace("46:15;-1:15", "40:00;0:00");
        assert_eq!(left_out(&other), [""; 0]);
        assert_eq!(left_out("Dauer\n1:00\n2:00\n3:00\n"), [""; 0]);
    }
}
