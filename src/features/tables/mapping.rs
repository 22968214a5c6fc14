//! Mapping of the columns of a table to the columns of a chart kind: by key,
//! title, synonym, and then by type and position.

use serde::Deserialize;
use serde::Serialize;

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;
use crate::features::portfolio::TableProperty;

use super::column_match;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_match::is_mapped;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType as TableColumnType;
use super::column_properties;
use super::comparable_columns;
use super::comparable_columns::Together;
use super::heading;
use super::heading_words;
use super::inference;
use super::latest_value;
use super::layout;
use super::record_layout::RecordLayout;
use super::record_rows::RecordRows;
use super::row_unit;
use super::text_roles;
use super::trailing_rows::RowNote;
use super::word_match;

/// Mapping of a table to a chart kind.
#[derive(Debug, Clone)]
pub struct TableMapping<'k> {
    /// Columns of the table, in their order.
    pub columns: Vec<MappedColumn<'k>>,
    /// Relation of rows and records.
    pub layout: RecordLayout<'k>,
    /// Required columns of the kind without a match.
    pub missing: Vec<&'k Column>,
    /// The rows with records.
    pub rows: RecordRows,
    /// Column of the kind that marks totals, if no column of the table is mapped to it.
    pub total_flag: Option<&'k Column>,
    /// Whether the records get the reverse order of the rows, because those go back in time.
    pub reverses_rows: bool,
    /// The rows that are no records.
    pub left_out: Vec<RowNote>,
}

impl<'k> TableMapping<'k> {
    /// Returns the mapping in which each heading is a key, without a chart kind. Each row is a record.
    pub fn without_kind(headings: impl IntoIterator<Item = String>) -> Self {
        Self {
            columns: column_match::unmapped(headings),
            layout: RecordLayout::Rows,
            missing: Vec::new(),
            rows: RecordRows::default(),
            total_flag: None,
            reverses_rows: false,
            left_out: Vec::new(),
        }
    }

    /// Returns the columns of the kind with the headings that are mapped to them, for [`map_table_again`].
    /// Only those with one value for each row. Other layouts do not depend on the order of the columns.
    pub fn kept_columns(&self) -> Vec<KeptColumn> {
        let is_kept = |mapped: &&MappedColumn<'k>| {
            self.layout == RecordLayout::Rows
                && !mapped.heading.is_empty()
                && self.columns.iter().filter(|other| other.heading == mapped.heading).count() == 1
        };
        let kept = self.columns.iter().filter(is_kept).filter_map(|mapped| {
            let (column, reason) = mapped.target.filter(|(column, _)| !column.repeats)?;
            Some(KeptColumn { heading: mapped.heading.clone(), key: column.key.clone(), reason })
        });
        kept.collect()
    }

    /// Returns the first column of the table that is mapped to the column `key` of the kind. None if
    /// there is none.
    pub fn find(&self, key: &str) -> Option<&MappedColumn<'k>> {
        self.columns.iter().find(|mapped| mapped.column().is_some_and(|column| column.key == key))
    }
}

/// A column of a chart kind with the heading that an earlier table had for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptColumn {
    /// Heading in the table.
    pub heading: String,
    /// Key of the column of the kind.
    pub key: String,
    /// Reason of the earlier match.
    pub reason: MatchReason,
}

/// Maps a table like [`map_table`], but a heading that `kept` has stays with its column of the kind,
/// wherever it is in the table. So the values of a chart do not change places if columns of its source
/// move. If a heading of `kept` is absent, its column of the kind gets no other one by type. Columns that the
/// kind does not have are ignored.
pub fn map_table_again<'k>(
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    kept: &[KeptColumn],
) -> TableMapping<'k> {
    let headings = profiles.iter().map(|profile| profile.heading.clone());
    let mut columns = column_match::unmapped(headings);
    let normalized: Vec<String> =
        profiles.iter().map(|profile| heading::normalize(&profile.heading)).collect();
    map_kept(&mut columns, kind, kept);
    map_by_key(&mut columns, kind);
    word_match::map_arrows(&mut columns, profiles, kind);
    map_by_name(&mut columns, profiles, kind, MatchReason::Title, &|column, index| {
        let is_title = heading::normalize(&column.title) == normalized[index];
        is_title.then_some(0)
    });
    word_match::map_classes(&mut columns, profiles, kind);
    word_match::map_height_and_width(&mut columns, profiles, kind);
    map_by_synonyms(&mut columns, profiles, kind, &normalized);
    latest_value::move_to_latest(&mut columns, profiles);
    word_match::map_pairs(&mut columns, profiles, kind);
    text_roles::map_region(&mut columns, profiles, kind);
    text_roles::map_texts(&mut columns, profiles, kind);
    if combines_columns(kind) {
        comparable_columns::mark_incomparable(&mut columns, profiles, together(kind));
    }
    let layout = layout::choose_layout(&mut columns, profiles, kind);
    if layout == RecordLayout::Rows {
        inference::map_by_type(&mut columns, profiles, kind);
        word_match::release_other_plans(&mut columns, profiles, kind);
        release_guesses(&mut columns, kept);
    }
    row_unit::mark_unit_of_rows(&mut columns, profiles);
    let missing = list_missing(&columns, &layout, kind);
    let left_out = profiles.iter().flat_map(|profile| &profile.left_out);
    let left_out = left_out.filter(|note| !(note.is_total && keeps_totals(kind))).cloned();
    let left_out: Vec<RowNote> = left_out.collect();
    let rows = RecordRows {
        last: profiles.first().map(|profile| profile.records + profile.total_rows),
        skipped: left_out.iter().filter(|note| note.is_total).map(|note| note.record).collect(),
    };
    let total_flag = kind.columns.iter().find(|column| column.key == "isTotal");
    let total_flag = total_flag.filter(|flag| !is_mapped(&columns, flag));
    let follows_rows = matches!(layout, RecordLayout::Rows | RecordLayout::Groups { .. });
    let reverses_rows = follows_rows && reverses_rows(&columns, profiles, kind);
    TableMapping { columns, layout, missing, rows, total_flag, reverses_rows, left_out }
}

/// Maps a table to the columns of a chart kind, chooses the layout of its records, and lists the rows
/// that are no records.
///
/// Each column of the kind gets the column of the table with its key as heading, else with its title,
/// else with a synonym and fitting cells. Then a layout such as that of a wide table maps the columns
/// that it uses. With one record for each row, required columns, and a few optional ones, get columns
/// by type and position, and a repeated column gets all other columns of its type.
pub fn map_table<'k>(profiles: &[ColumnProfile], kind: &'k KindInfo) -> TableMapping<'k> {
    map_table_again(profiles, kind, &[])
}

/// Returns whether the records should get the reverse order of the rows: the kind shows times from left
/// to right, and its column of names goes back in time.
fn reverses_rows(
    columns: &[MappedColumn<'_>],
    profiles: &[ColumnProfile],
    kind: &KindInfo,
) -> bool {
    let shows_time =
        kind.table_fit.has_time_axis || kind.table_fit.needs.contains(&TableProperty::Time);
    let is_name = |column: &Column| column.required && !column.repeats;
    let mut names =
        columns.iter().zip(profiles).filter(|(mapped, _)| mapped.column().is_some_and(is_name));
    shows_time && names.next().is_some_and(|(_, profile)| profile.falls_in_time)
}

/// Returns whether a kind shows several columns of numbers together: as repeated series, or as the
/// cells of a matrix with two required names and one required number.
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

/// Returns the relation of the columns that a kind shows together. Kinds that need parts of a whole
/// stack them, and so do those with a setting for it.
fn together(kind: &KindInfo) -> Together {
    let needs = |property| kind.table_fit.needs.contains(&property);
    let has_setting = kind.settings_schema["properties"]["stacked"].is_object();
    match mixes_units(kind) {
        true => Together::OwnAxes,
        // A radar chart compares parts side by side.
        false if has_setting || needs(TableProperty::Parts) && kind.slug != "radar" => {
            Together::Stacked
        }
        false => Together::OneAxis,
    }
}

/// Returns whether a kind has a setting for a second axis or for axes of their own, so that its series
/// may have different units.
pub(super) fn mixes_units(kind: &KindInfo) -> bool {
    let properties = &kind.settings_schema["properties"];
    properties["secondAxis"].is_object() || properties["sharedAxis"].is_object()
}

/// Returns whether a kind shows totals beside their parts: it has a column that marks them, or shows
/// any table.
fn keeps_totals(kind: &KindInfo) -> bool {
    kind.columns.iter().any(|column| {
        column.key == "isTotal" || column.repeats && column.column_type == KindColumnType::Text
    })
}

/// Maps each column with a heading of `kept` to the same column of the kind as before, if no other column
/// of the table has the heading.
fn map_kept<'k>(columns: &mut [MappedColumn<'k>], kind: &'k KindInfo, kept: &[KeptColumn]) {
    for KeptColumn { heading, key, reason } in kept {
        let found = kind.columns.iter().find(|column| column.key == *key && !column.repeats);
        let mut same = columns.iter_mut().filter(|mapped| mapped.heading == *heading);
        if let (Some(column), Some(mapped), None) = (found, same.next(), same.next()) {
            mapped.assign(column, *reason);
        }
    }
}

/// Takes back guesses by type for columns of the kind that had a heading of `kept` which is absent now, so that
/// other values do not take its place until it comes back.
fn release_guesses(columns: &mut [MappedColumn<'_>], kept: &[KeptColumn]) {
    for KeptColumn { heading, key, .. } in kept {
        if columns.iter().any(|mapped| mapped.heading == *heading) {
            continue;
        }
        let is_guess = |mapped: &&mut MappedColumn<'_>| {
            mapped
                .target
                .is_some_and(|(column, reason)| column.key == *key && reason == MatchReason::Type)
        };
        columns.iter_mut().filter(is_guess).for_each(MappedColumn::release);
    }
}

/// Maps columns by headings that are a synonym: as a whole, without numbers such as years, or before a comma.
/// `normalized` has the normalized headings.
fn map_by_synonyms<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    normalized: &[String],
) {
    map_by_name(columns, profiles, kind, MatchReason::Synonym, &|column, index| {
        find_synonym(column, &normalized[index])
    });
    let without_numbers: Vec<String> =
        normalized.iter().map(|heading| heading::without_numbers(heading)).collect();
    map_by_name(columns, profiles, kind, MatchReason::Synonym, &|column, index| {
        let stem = &without_numbers[index];
        // `Month 0`, `Month 1` and so on hold the amounts of months, and not their names.
        let is_one_of_several = without_numbers.iter().filter(|other| *other == stem).count() > 1;
        let is_amount = column.column_type == KindColumnType::Number;
        find_synonym(column, stem).filter(|_| is_amount || !is_one_of_several)
    });
    map_by_name(columns, profiles, kind, MatchReason::Synonym, &|column, index| {
        find_synonym(column, &heading::before_comma(&profiles[index].heading))
    });
}

/// Maps each column with a key of the kind as exact heading, except keys of columns that repeat.
/// Several columns with the same heading are all mapped.
fn map_by_key<'k>(columns: &mut [MappedColumn<'k>], kind: &'k KindInfo) {
    let free: Vec<&Column> = kind
        .columns
        .iter()
        .filter(|column| !column.repeats && !is_mapped(columns, column))
        .collect();
    for mapped in columns.iter_mut() {
        let found = free.iter().find(|column| column.key == mapped.heading);
        if let Some(column) = found.filter(|_| mapped.target.is_none()) {
            mapped.assign(column, MatchReason::Key);
        }
    }
}

/// Maps each column of the kind without a match to the free column of the table with the lowest rank,
/// or to the first of several. `rank` gets a column of the kind and the position of a column of the
/// table, and returns None if their names do not match.
///
/// A title matches cells of every type. A synonym needs fitting cells. Neither gives an optional column a
/// number that a required one needs.
fn map_by_name<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    reason: MatchReason,
    rank: &dyn Fn(&Column, usize) -> Option<usize>,
) {
    // A group of the values of a series has several records.
    let has_groups = kind.columns.iter().any(|column| column.repeats);
    for column in kind.columns.iter().filter(|column| !column.repeats) {
        let is_settled =
            is_mapped(columns, column) || takes_needed_number(columns, profiles, kind, column);
        if is_settled {
            continue;
        }
        let candidates = (0..columns.len())
            .filter(|index| columns[*index].target.is_none())
            .filter(|index| {
                reason == MatchReason::Title || !is_rate_of_change(column, profiles, *index)
            })
            .filter(|index| {
                reason == MatchReason::Title
                    || column_properties::holds_risk_steps(column, &profiles[*index])
                    || column_match::accepts(column.column_type, &profiles[*index])
                        && !is_other_content(column, &profiles[*index])
                        && !is_other_name(column, profiles, *index, has_groups)
            })
            .filter_map(|index| Some((rank(column, index)?, index)));
        // A column without a cell may have the best name, such as that of a total beside the amounts.
        let candidates =
            candidates.map(|(rank, index)| (profiles[index].filled() == 0, rank, index));
        let best = candidates.min().filter(|(is_empty, ..)| {
            !(*is_empty && reason == MatchReason::Synonym && needs_other_cells(column, profiles))
        });
        if let Some((_, _, index)) = best {
            columns[index].assign(column, reason);
        }
    }
}

/// Returns whether the column of the table at `index` does not name what `column` of the kind names: its
/// numbers count the records beside names, it has the amounts of an ability such as `Skill` beside names,
/// or it names each record although `has_groups` tells that a group has several.
fn is_other_name(
    column: &Column,
    profiles: &[ColumnProfile],
    index: usize,
    has_groups: bool,
) -> bool {
    let profile = &profiles[index];
    match (column.key.as_str(), column.role.as_str()) {
        ("criterion", _) => profile.is_amount() && profiles.iter().any(ColumnProfile::is_name),
        (_, "label") => is_beside_names(profiles, index),
        (_, "group") => has_groups && text_roles::is_unique(profile),
        _ => false,
    }
}

/// Returns whether a column of the kind must have numbers, and another column of the table has amounts.
fn needs_other_cells(column: &Column, profiles: &[ColumnProfile]) -> bool {
    column.required
        && column.column_type == KindColumnType::Number
        && profiles.iter().any(ColumnProfile::is_amount)
}

/// Returns whether the cells are amounts although the heading says something else: under the name of an
/// end of a flow, under `Year`, where they are totals of a year, and under `Breite` or `Länge`, where
/// they are sizes. `column` is the column of the kind that the heading matches.
fn is_other_content(column: &Column, profile: &ColumnProfile) -> bool {
    let is_text = column.column_type == KindColumnType::Text;
    let is_coordinate = ["latitude", "longitude"].contains(&column.key.as_str());
    profile.is_amount()
        && (is_end_of_flow(column)
            || is_text && heading::is_year_heading(&profile.heading)
            || is_coordinate && heading::is_size_or_coordinate(&profile.heading))
}

/// Returns whether the column at `index` has changes in percent beside the amounts that change, as in
/// `2023`, `2024`, `Change`, and `column` of the kind has amounts. Sums of such changes mean nothing.
fn is_rate_of_change(column: &Column, profiles: &[ColumnProfile], index: usize) -> bool {
    let profile = &profiles[index];
    column.required
        && column.role == "value"
        && profile.is_amount()
        && profile.is_percentage()
        && heading_words::is_change(&profile.heading)
        && profiles.iter().any(|other| other.is_amount() && !other.is_percentage())
}

/// Returns whether the column at `index` only numbers the records, and another column names them, as in
/// `Level`, `Need` with `1`, `Esteem`.
fn is_beside_names(profiles: &[ColumnProfile], index: usize) -> bool {
    let is_name = |profile: &ColumnProfile| {
        profile.column_type == TableColumnType::Text && text_roles::is_unique(profile)
    };
    profiles[index].is_numbering() && profiles.iter().any(is_name)
}

/// Returns whether a column of the kind is a text that names the source or the target of a flow.
fn is_end_of_flow(column: &Column) -> bool {
    column.column_type == KindColumnType::Text
        && ["source", "target"].contains(&column.role.as_str())
}

/// Returns whether the column `optional` of the kind would take a number that a required column without
/// a match needs. This is the case if there are no more free columns of amounts than required ones.
/// False if `optional` is required or not a number.
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
        .filter(|column| column.required && is_number(column) && !is_mapped(columns, column))
        .filter(|column| !is_replaced(columns, column));
    let free = columns
        .iter()
        .zip(profiles)
        .filter(|(mapped, profile)| mapped.target.is_none() && profile.is_amount());
    let needed = needed.count();
    !optional.required && is_number(optional) && needed > 0 && free.count() <= needed
}

/// Returns the position of a normalized heading among the synonyms of a column of the kind, from 0.
/// None if it is empty or no synonym.
fn find_synonym(column: &Column, normalized: &str) -> Option<usize> {
    if normalized.is_empty() {
        return None;
    }
    column.synonyms.iter().position(|synonym| heading::normalize(synonym) == normalized)
}

/// Returns the required columns of the kind that have no match and get no values from the layout. The
/// repeated column is not missing in the long form, and `value` not if classes or projected values are mapped.
fn list_missing<'k>(
    columns: &[MappedColumn<'_>],
    layout: &RecordLayout<'_>,
    kind: &'k KindInfo,
) -> Vec<&'k Column> {
    let is_long_form = inference::is_long_form(columns, kind);
    let has_classes = word_match::has_classes(columns, kind);
    kind.columns
        .iter()
        .filter(|column| column.required && !is_mapped(columns, column))
        .filter(|column| !(layout.provides(column) || column.repeats && is_long_form))
        .filter(|column| !(column.key == "value" && has_classes))
        .filter(|column| !is_replaced(columns, column))
        .collect()
}

/// Returns whether a chart needs no past values, because the table has projected ones.
fn is_replaced(columns: &[MappedColumn<'_>], column: &Column) -> bool {
    let is_projected =
        |mapped: &MappedColumn<'_>| mapped.column().is_some_and(|column| column.key == "projected");
    column.key == "value" && columns.iter().any(is_projected)
}
