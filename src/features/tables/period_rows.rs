//! Tables with a row for each period, for kinds with a record for each name and period.

use std::collections::HashSet;

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;

use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::heading;
use super::heading_words;
use super::record_layout::RecordLayout;

/// Returns the layout of a table with a row for each period and a column for each name, and maps its
/// columns. Each cell becomes a record. `numbers` are the positions of the free columns of amounts.
///
/// `None` for kinds without a column of periods, and unless the table consists of one column of periods
/// and at least two of `numbers` with different headings that are no periods.
pub(super) fn choose_period_rows<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    numbers: &[usize],
) -> Option<RecordLayout<'k>> {
    let period = kind.columns.iter().find(|column| column.role == "period")?;
    let is_value =
        |column: &&Column| column.key == "value" && column.column_type == KindColumnType::Number;
    let value = kind.columns.iter().find(is_value)?;
    let name = kind.columns.iter().find(|column| column.required && !column.repeats)?;
    let is_period = |index: &usize| {
        let mapped = &columns[*index];
        let is_numbered = || heading_words::is_round(&heading::normalize(&mapped.heading));
        match mapped.column() {
            Some(column) => column.key == period.key,
            None => profiles[*index].is_time() || is_numbered(),
        }
    };
    let rows = (0..columns.len()).find(is_period)?;
    let cells: Vec<usize> = numbers.iter().copied().filter(|index| *index != rows).collect();
    let names: HashSet<&str> = cells.iter().map(|index| columns[*index].heading.trim()).collect();
    let are_names = names.len() == cells.len()
        && !names.contains("")
        && !names.iter().any(|heading| heading::is_period(heading));
    if cells.len() < 2 || cells.len() + 1 != columns.len() || !are_names {
        return None;
    }
    if columns[rows].target.is_none() {
        columns[rows].assign(period, MatchReason::Type);
    }
    for index in cells {
        columns[index].assign(value, MatchReason::Type);
    }
    Some(RecordLayout::Cells { name, value })
}
