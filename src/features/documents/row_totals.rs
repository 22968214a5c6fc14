//! Totals among the rows of a table, for kinds that show levels and changes.

use super::open_records::for_each_row;
use super::table_profiles::read_number;
use crate::features::table_reader::Table;
use crate::features::tables;
use crate::features::tables::RecordLayout;
use crate::features::tables::TableMapping;
use chartroom_charts::running_total::RunningTotal;
use chartroom_platform::error::Result;

/// A row of the table: its number, and whether it has the name of a total.
struct ValueRow {
    value: Option<f64>,
    is_named: bool,
}

/// Returns for each record, in order, whether it is a total, that is, the level that the changes
/// before it have reached. Totals without the name of one count only if the last row is a total
/// too. Empty if the kind marks no totals, the table has a column for them, its rows are not the
/// records, or no total has the name of one. The chart finds totals without names itself.
///
/// # Errors
/// `InvalidFields` about `body`, as for the first reading of the table.
pub(super) fn find_named_totals(
    table: &Table<'_>,
    mapping: &TableMapping<'_>,
) -> Result<Vec<bool>> {
    let find = |key: &str| {
        let is_mapped = |column: &tables::MappedColumn<'_>| {
            column.column().is_some_and(|column| column.key == key)
        };
        mapping.columns.iter().position(is_mapped)
    };
    let (Some(names), Some(values)) = (find("label"), find("value")) else { return Ok(Vec::new()) };
    if mapping.total_flag.is_none() || mapping.layout != RecordLayout::Rows {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for_each_row(table, &mapping.rows, |row| {
        rows.push(ValueRow {
            value: read_number(table, row, values),
            is_named: tables::may_name_result(row.cell(names).text),
        });
        Ok(())
    })?;
    let (totals, ends_with_total) = mark_totals(&rows, RunningTotal::add);
    let totals = match ends_with_total {
        true => totals,
        // Equal values among the others may be a coincidence.
        false => {
            mark_totals(&rows, |total, value| {
                total.add_change(value);
                false
            })
            .0
        }
    };
    let has_name = rows.iter().zip(&totals).any(|(row, is_total)| row.is_named && *is_total);
    Ok(if has_name { totals } else { Vec::new() })
}

/// Returns for each row whether it is a total, and whether the rows, at least four, end with one. A
/// row with the name of a total is one if its value is the level so far. `add` adds the value of
/// another row to the level and returns whether it is a total. A row without a value is none.
fn mark_totals(
    rows: &[ValueRow],
    mut add: impl FnMut(&mut RunningTotal, f64) -> bool,
) -> (Vec<bool>, bool) {
    let mut total = RunningTotal::default();
    let totals = rows.iter().map(|row| match row.value {
        Some(value) if row.is_named => total.add_named(value),
        Some(value) => add(&mut total, value),
        None => false,
    });
    let totals = totals.collect();
    (totals, total.ends_with_total())
}
