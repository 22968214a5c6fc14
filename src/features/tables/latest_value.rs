//! The value that a change belongs to, in tables with a column for each of several periods.

use chartroom_charts::time_order;

use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;

/// Moves the match of the column `value` of a kind from a period such as `Sales 2024` to the latest one of
/// the same form, such as `Sales 2025`, if another column has the change: it leads to the latest value.
/// Does nothing if the key of the kind is the heading.
pub(super) fn move_to_latest(columns: &mut [MappedColumn<'_>], profiles: &[ColumnProfile]) {
    let find = |key: &str| {
        columns.iter().position(|mapped| mapped.column().is_some_and(|column| column.key == key))
    };
    let Some((value, _)) = find("value").zip(find("change")) else { return };
    let Some((column, reason)) = columns[value].target else { return };
    let is_free = |index: &usize| columns[*index].target.is_none() && profiles[*index].is_amount();
    let candidates: Vec<usize> =
        std::iter::once(value).chain((0..columns.len()).filter(is_free)).collect();
    let headings = candidates.iter().map(|index| profiles[*index].heading.as_str());
    let latest = time_order::find_latest(headings).and_then(|at| candidates.get(at).copied());
    if let Some(latest) = latest.filter(|at| *at != value && reason != MatchReason::Key) {
        columns[value].release();
        columns[latest].assign(column, reason);
    }
}
