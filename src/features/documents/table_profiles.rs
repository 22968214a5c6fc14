//! Types and properties of the columns of a table that was read from a file.

use std::borrow::Cow;

use super::open_records::for_each_row;
use crate::features::table_reader::Cell;
use crate::features::table_reader::CellContent;
use crate::features::table_reader::CellKind;
use crate::features::table_reader::Table;
use crate::features::table_reader::TableRow;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::ColumnProfiler;
use crate::features::tables::MAX_TRAILING_ROWS;
use crate::features::tables::RowNames;
use crate::features::tables::RowNote;
use crate::features::tables::TrailingRow;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::NumberNotation;
use chartroom_platform::error::Result;

/// Maximum number of characters of a text that names a row.
const MAX_QUOTED_CHARS: usize = 60;

/// Returns the types and properties of the columns of a table, without the totals and notes below its
/// records.
///
/// # Errors
/// `InvalidFields` about `body`, as for the first reading of the table.
pub fn profile_columns(table: &Table<'_>) -> Result<Vec<ColumnProfile>> {
    let first_trailing = table.report.rows.saturating_sub(MAX_TRAILING_ROWS);
    let (mut index, mut trailing) = (0, Vec::new());
    let mut date_order = find_date_order(table);
    let mut profiles = profile_rows(table, table.report.rows, date_order, |row| {
        if index >= first_trailing {
            trailing.push(read_trailing_row(table, row));
        }
        index += 1;
    })?;
    let agreed = find_agreed_date_order(&profiles);
    let is_assumed =
        |profile: &ColumnProfile| profile.date_order == tables::DateOrderSource::Assumed;
    if agreed.is_some() && agreed != date_order && profiles.iter().any(is_assumed) {
        date_order = agreed;
        profiles = profile_rows(table, table.report.rows, date_order, |_| {})?;
    }
    let note_count = tables::count_notes(&trailing, table.headings.len());
    let above_notes = &trailing[..trailing.len() - note_count];
    let sums: Vec<f64> = number_columns(table).map(|index| profiles[index].sum).collect();
    let rows = table.report.rows - note_count;
    let has_total =
        above_notes.last().is_some_and(|row| tables::is_total(row, &sums, rows.saturating_sub(1)));
    let total_rows = usize::from(has_total);
    if note_count + total_rows > 0 {
        profiles = profile_rows(table, rows - total_rows, date_order, |_| {})?;
        let names = trailing.iter().enumerate().skip(above_notes.len() - total_rows);
        let notes: Vec<RowNote> = names
            .map(|(index, row)| RowNote {
                record: table.report.rows - trailing.len() + index + 1,
                text: row.name.chars().take(MAX_QUOTED_CHARS).collect(),
                message: match index < above_notes.len() {
                    true => "is left out, because it is a total of the records",
                    false => "is left out, because it is a note",
                },
            })
            .collect();
        if let Some(first) = profiles.first_mut() {
            first.left_out = notes;
        }
        profiles.iter_mut().for_each(|profile| profile.total_rows = total_rows);
    }
    find_row_names(table, &mut profiles)?;
    Ok(profiles)
}

/// Returns the profiles of the first rows that are not blank. Calls `visit` for each of them.
fn profile_rows(
    table: &Table<'_>,
    rows: usize,
    date_order: Option<DateOrder>,
    mut visit: impl FnMut(&TableRow<'_>),
) -> Result<Vec<ColumnProfile>> {
    let columns = table.headings.iter().zip(&table.contents);
    let mut profilers: Vec<ColumnProfiler> = columns
        .map(|(heading, content)| {
            let profiler = ColumnProfiler::new(heading, content.cell_type());
            profiler.with_date_order(date_order)
        })
        .collect();
    for_each_row(table, Some(rows), |row| {
        for (index, profiler) in profilers.iter_mut().enumerate() {
            profiler.add_cell(&in_notation_of_column(row.cell(index), &table.contents[index]));
        }
        visit(row);
        Ok(())
    })?;
    Ok(profilers.into_iter().map(ColumnProfiler::finish).collect())
}

/// Returns the order of day and month that the language of the document or the numbers tell: a decimal comma is
/// not English.
fn find_date_order(table: &Table<'_>) -> Option<DateOrder> {
    let has_comma = table.contents.iter().any(|content| {
        matches!(
            content,
            CellContent::Numbers(NumberNotation { separator: DecimalSeparator::Comma, .. })
        )
    });
    table.date_order.or(has_comma.then_some(DateOrder::DayMonth))
}

/// Returns the order of day and month in all columns with a date that has only one reading, if it is the same.
fn find_agreed_date_order(profiles: &[ColumnProfile]) -> Option<DateOrder> {
    let mut certain = profiles.iter().filter_map(|profile| match profile.date_order {
        tables::DateOrderSource::Certain(order) => Some(order),
        _ => None,
    });
    let first = certain.next();
    first.filter(|first| certain.all(|order| order == *first))
}

/// Returns the columns with numbers.
fn number_columns(table: &Table<'_>) -> impl Iterator<Item = usize> {
    let contents = table.contents.iter().enumerate();
    contents
        .filter(|(_, content)| matches!(content, CellContent::Numbers(_)))
        .map(|(index, _)| index)
}

fn read_trailing_row(table: &Table<'_>, row: &TableRow<'_>) -> TrailingRow {
    let filled: Vec<(usize, &str)> = row
        .cells()
        .enumerate()
        .map(|(index, cell)| (index, cell.text))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let number = |index: usize| {
        let content = &table.contents[index];
        let CellContent::Numbers(notation) = content else { return None };
        notation.read(&in_notation_of_column(row.cell(index), content))
    };
    TrailingRow {
        name: filled.first().map_or(String::new(), |(_, text)| (*text).to_owned()),
        is_named_in_numbers: filled.first().is_some_and(|(index, _)| {
            matches!(table.contents[*index], CellContent::Numbers(_)) && number(*index).is_none()
        }),
        filled: filled.len(),
        numbers: number_columns(table).map(number).collect(),
    }
}

/// Notes in the profiles which two columns name each row.
fn find_row_names(table: &Table<'_>, profiles: &mut [ColumnProfile]) -> Result<()> {
    let Some(mut names) = RowNames::new(profiles) else { return Ok(()) };
    let columns = names.columns();
    let rows = profiles.first().map(|profile| profile.records);
    for_each_row(table, rows, |row| {
        names.add_row(columns.map(|index| row.cell(index).text));
        Ok(())
    })?;
    names.finish(profiles);
    Ok(())
}

/// Returns the text of a cell as texts of its column would have it: a number of a spreadsheet has a
/// decimal point, also in a column of texts with decimal commas, and a percentage has no sign.
fn in_notation_of_column<'a>(cell: Cell<'a>, content: &CellContent) -> Cow<'a, str> {
    match content {
        CellContent::Numbers(NumberNotation { separator, .. }) if cell.kind.is_number() => {
            let sign = if cell.kind == CellKind::Percentage { "%" } else { "" };
            match separator {
                DecimalSeparator::Comma => Cow::Owned(cell.text.replace('.', ",") + sign),
                DecimalSeparator::Point if sign.is_empty() => Cow::Borrowed(cell.text),
                DecimalSeparator::Point => Cow::Owned(cell.text.to_owned() + sign),
            }
        }
        _ => Cow::Borrowed(cell.text),
    }
}
