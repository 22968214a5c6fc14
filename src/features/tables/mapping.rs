//! Mapping of the columns of a table to the columns of a chart kind: by key, title, synonym, and then
//! by type and position.

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;

use super::column_match;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_match::is_mapped;
use super::comparable_columns;
use super::heading;
use super::inference;
use super::layout;
use super::profile::ColumnProfile;
use super::record_layout::RecordLayout;
use super::text_roles;
use super::trailing_rows::RowNote;

/// Mapping of a table to a chart kind.
#[derive(Debug, Clone)]
pub struct TableMapping<'k> {
    /// Columns of the table, in their order.
    pub columns: Vec<MappedColumn<'k>>,
    /// Relation of rows and records.
    pub layout: RecordLayout<'k>,
    /// Required columns of the kind without a match.
    pub missing: Vec<&'k Column>,
    /// Number of rows with records. The rows below are no records. None for all rows.
    pub rows: Option<usize>,
    /// The rows below the records.
    pub left_out: Vec<RowNote>,
}

impl<'k> TableMapping<'k> {
    /// Returns the mapping in which each heading is a key, without a chart kind.
    pub fn without_kind(headings: impl IntoIterator<Item = String>) -> Self {
        Self {
            columns: column_match::unmapped(headings),
            layout: RecordLayout::Rows,
            missing: Vec::new(),
            rows: None,
            left_out: Vec::new(),
        }
    }

    /// Returns the column of the table that is mapped to a key of the kind.
    pub fn find(&self, key: &str) -> Option<&MappedColumn<'k>> {
        self.columns.iter().find(|mapped| mapped.column().is_some_and(|column| column.key == key))
    }
}

/// Maps a table to the columns of a chart kind.
///
/// Each column of the kind gets the column of the table with its key as heading, else with its title,
/// else with a synonym and fitting cells. Then required columns, and a few optional ones, get columns
/// by type and position. A repeated column gets all other columns of its type.
pub fn map_table<'k>(profiles: &[ColumnProfile], kind: &'k KindInfo) -> TableMapping<'k> {
    let headings = profiles.iter().map(|profile| profile.heading.clone());
    let mut columns = column_match::unmapped(headings);
    let normalized: Vec<String> =
        profiles.iter().map(|profile| heading::normalize(&profile.heading)).collect();
    map_by_key(&mut columns, kind);
    map_by_name(&mut columns, profiles, kind, MatchReason::Title, &|column, index| {
        let is_title = heading::normalize(&column.title) == normalized[index];
        is_title.then_some(0)
    });
    map_by_name(&mut columns, profiles, kind, MatchReason::Synonym, &|column, index| {
        find_synonym(column, &normalized[index])
    });
    map_by_name(&mut columns, profiles, kind, MatchReason::Synonym, &|column, index| {
        find_synonym(column, &heading::without_numbers(&normalized[index]))
    });
    map_by_name(&mut columns, profiles, kind, MatchReason::Synonym, &|column, index| {
        find_synonym(column, &heading::before_comma(&profiles[index].heading))
    });
    text_roles::map_region(&mut columns, profiles, kind);
    text_roles::map_texts(&mut columns, profiles, kind);
    if combines_columns(kind) {
        comparable_columns::mark_incomparable(&mut columns, profiles, mixes_units(kind));
    }
    let layout = layout::choose_layout(&mut columns, profiles, kind);
    if layout == RecordLayout::Rows {
        inference::map_by_type(&mut columns, profiles, kind);
    }
    let missing = list_missing(&columns, &layout, kind);
    let total_rows = match keeps_totals(kind) {
        true => profiles.first().map_or(0, |profile| profile.total_rows),
        false => 0,
    };
    let rows = profiles.first().map(|profile| profile.records + total_rows);
    let left_out = profiles.iter().flat_map(|profile| &profile.left_out);
    let left_out = left_out.filter(|note| rows.is_none_or(|rows| note.record > rows)).cloned();
    TableMapping { columns, layout, missing, rows, left_out: left_out.collect() }
}

/// Returns whether a kind shows several columns of numbers together: as series, or as the cells of a matrix.
pub(super) fn combines_columns(kind: &KindInfo) -> bool {
    let is_required = |column: &&Column, column_type| {
        column.required && column.column_type == column_type && !column.repeats
    };
    let texts = kind.columns.iter().filter(|column| is_required(column, KindColumnType::Text));
    let numbers = kind.columns.iter().filter(|column| is_required(column, KindColumnType::Number));
    let is_matrix = texts.count() == 2 && numbers.count() == 1;
    let is_series =
        |column: &Column| column.repeats && column.column_type == KindColumnType::Number;
    is_matrix || kind.columns.iter().any(is_series)
}

/// Returns whether a kind can show series on axes of their own.
pub(super) fn mixes_units(kind: &KindInfo) -> bool {
    let properties = &kind.settings_schema["properties"];
    properties["secondAxis"].is_object() || properties["sharedAxis"].is_object()
}

/// Returns whether a kind shows totals beside their parts: it marks them, or shows any table.
fn keeps_totals(kind: &KindInfo) -> bool {
    kind.columns.iter().any(|column| {
        column.key == "isTotal" || column.repeats && column.column_type == KindColumnType::Text
    })
}

/// Maps the columns with a key as heading. Several columns may have the same heading.
fn map_by_key<'k>(columns: &mut [MappedColumn<'k>], kind: &'k KindInfo) {
    for mapped in columns.iter_mut() {
        let found = kind.columns.iter().find(|column| column.key == mapped.heading);
        if let Some(column) = found.filter(|column| !column.repeats) {
            mapped.assign(column, MatchReason::Key);
        }
    }
}

/// Maps columns with a heading that has a rank for a column of the kind. The lowest rank counts, then the
/// first column of the table.
fn map_by_name<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    reason: MatchReason,
    rank: &dyn Fn(&Column, usize) -> Option<usize>,
) {
    for column in kind.columns.iter().filter(|column| !column.repeats) {
        let is_settled = is_mapped(columns, column)
            || reason == MatchReason::Synonym
                && takes_needed_number(columns, profiles, kind, column);
        if is_settled {
            continue;
        }
        let candidates = (0..columns.len())
            .filter(|index| columns[*index].target.is_none())
            .filter(|index| {
                reason == MatchReason::Title
                    || column_match::accepts(column.column_type, &profiles[*index])
                        && !(is_end_of_flow(column) && profiles[*index].is_amount())
            })
            .filter_map(|index| Some((rank(column, index)?, index)));
        if let Some((_, index)) = candidates.min() {
            columns[index].assign(column, reason);
        }
    }
}

/// Returns whether a column names an end of a flow, which an amount under the same heading does not.
fn is_end_of_flow(column: &Column) -> bool {
    column.column_type == KindColumnType::Text
        && ["source", "target"].contains(&column.role.as_str())
}

/// Returns whether an optional column would take a number that a required one without a match needs.
fn takes_needed_number(
    columns: &[MappedColumn<'_>],
    profiles: &[ColumnProfile],
    kind: &KindInfo,
    optional: &Column,
) -> bool {
    let is_number = |column: &Column| column.column_type == KindColumnType::Number;
    let needed = kind
        .columns
        .iter()
        .filter(|column| column.required && is_number(column) && !is_mapped(columns, column));
    let free = columns
        .iter()
        .zip(profiles)
        .filter(|(mapped, profile)| mapped.target.is_none() && profile.is_amount());
    !optional.required && is_number(optional) && free.count() <= needed.count()
}

/// Returns the position of a normalized heading among the synonyms of a column.
fn find_synonym(column: &Column, normalized: &str) -> Option<usize> {
    if normalized.is_empty() {
        return None;
    }
    column.synonyms.iter().position(|synonym| heading::normalize(synonym) == normalized)
}

/// Returns the required columns of the kind without a match.
fn list_missing<'k>(
    columns: &[MappedColumn<'_>],
    layout: &RecordLayout<'_>,
    kind: &'k KindInfo,
) -> Vec<&'k Column> {
    let is_long_form = inference::is_long_form(columns, kind);
    kind.columns
        .iter()
        .filter(|column| column.required && !is_mapped(columns, column))
        .filter(|column| !(layout.provides(column) || column.repeats && is_long_form))
        .collect()
}
