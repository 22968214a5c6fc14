//! Choice between several columns of texts: the one that names each record, and
//! the one that groups them.

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;

use super::column_match;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::column_profile::MAX_DISTINCT;
use super::heading;
use super::row_unit;

/// Maximum number of characters of a name under an unknown heading.
const MAX_NAME_CHARS: usize = 40;
/// Maximum number of groups that are mapped by type. More have no colors of their own.
const MAX_GROUPS: usize = 12;
/// Maximum number of columns with the levels of nested groups that are mapped by type.
const MAX_LEVELS: usize = 4;

/// Maps the first column without a target in which most examples are countries or regions to the
/// region of a map. Does nothing for other kinds, if the region is mapped, and if a map of points has
/// coordinates.
pub(super) fn map_region<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let region = kind.columns.iter().find(|column| column.role == "region");
    let Some(region) = region.filter(|region| !column_match::is_mapped(columns, region)) else {
        return;
    };
    let latitude = kind.columns.iter().find(|column| column.key == "latitude");
    if latitude.is_some_and(|latitude| column_match::is_mapped(columns, latitude)) {
        return;
    }
    // The unit `kg` is also the code of a country.
    let is_place = |index: &usize| {
        let profile = &profiles[*index];
        columns[*index].target.is_none() && profile.has_places() && !row_unit::has_units(profile)
    };
    if let Some(index) = (0..columns.len()).find(is_place) {
        columns[index].assign(region, MatchReason::Type);
    }
}

/// Maps the label, and then the group or parent, of kinds without repeated columns if several columns
/// have texts. Keeps a label that the key or title as heading gave.
///
/// A column with a different text in each record names the records better than one with repeated texts,
/// even if its heading is unknown. A column with repeated texts is the parent in a chart of parts, and
/// the group in a chart of points.
pub(super) fn map_texts<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let label = kind
        .columns
        .iter()
        .find(|column| column.role == "label" && column.column_type == KindColumnType::Text);
    let Some(label) = label.filter(|_| !kind.columns.iter().any(|column| column.repeats)) else {
        return;
    };
    let is_label =
        |mapped: &MappedColumn<'_>| mapped.column().is_some_and(|column| column.key == label.key);
    let current = columns.iter().position(is_label);
    let is_certain = current.is_some_and(|index| {
        matches!(columns[index].target, Some((_, MatchReason::Key | MatchReason::Title)))
    });
    // Groups of points may have few equal names.
    let is_point_kind =
        shows_points(kind) && kind.columns.iter().any(|column| column.role == "group");
    let names_records = current.is_some_and(|index| match is_point_kind {
        true => !profiles[index].has_repeated,
        false => is_mostly_different(&profiles[index], names_values(kind)),
    });
    if !is_certain && !names_records {
        let parent = find_parent_of_parts(kind);
        let parent = parent.filter(|parent| !column_match::is_mapped(columns, parent));
        if !move_label(columns, profiles, label, current) && parent.is_some() {
            move_label_to_lowest_level(columns, profiles, label, current);
        }
    } else if let Some(index) = current.filter(|_| !is_certain) {
        yield_to_group(columns, profiles, kind, (label, index));
    }
    map_group(columns, profiles, kind, label);
}

/// Maps the present `label` at an index to the group of the kind instead, and the label to the first
/// free column with a different text in each record. Does so only if the present label repeats texts,
/// its heading is a synonym of the group too, as `Team` is, and there is such a free column.
fn yield_to_group<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    (label, current): (&'k Column, usize),
) {
    let normalized = heading::normalize(&profiles[current].heading);
    let is_synonym = |synonym: &String| heading::normalize(synonym) == normalized;
    let group = kind
        .columns
        .iter()
        .find(|column| column.role == "group" && column.synonyms.iter().any(is_synonym));
    let Some(group) = group.filter(|group| !column_match::is_mapped(columns, group)) else {
        return;
    };
    let names = (0..columns.len())
        .find(|index| can_be_label(columns, profiles, *index) && is_unique(&profiles[*index]));
    if let Some(index) = names.filter(|_| profiles[current].has_repeated) {
        columns[index].assign(label, MatchReason::Type);
        columns[current].assign(group, MatchReason::Synonym);
    }
}

/// Returns whether a column of the table has no target and short texts that are neither ids nor times. The
/// first column of texts may have long ones if each record has a different one, as in a list of measures.
fn can_be_label(columns: &[MappedColumn<'_>], profiles: &[ColumnProfile], index: usize) -> bool {
    let profile = &profiles[index];
    columns[index].target.is_none()
        && profile.column_type == ColumnType::Text
        && !heading::is_id(&profile.heading)
        && !row_unit::has_units(profile)
        && !profile.is_time()
        && (has_short_texts(profile) || is_first_text(profiles, index) && is_unique(profile))
}

/// Returns whether the column at an index is the first one with texts.
fn is_first_text(profiles: &[ColumnProfile], index: usize) -> bool {
    let is_text = |profile: &ColumnProfile| profile.column_type == ColumnType::Text;
    profiles.iter().position(is_text) == Some(index)
}

/// Maps the label to the first free column with a different text in each record, or else to the one
/// with the most names of a long table. Removes the match of the column at `current`, which is the
/// present label.
///
/// Does nothing and returns false without such a column, and if no label is mapped and no free column
/// repeats its texts.
fn move_label<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    label: &'k Column,
    current: Option<usize>,
) -> bool {
    let free: Vec<usize> =
        (0..columns.len()).filter(|index| can_be_label(columns, profiles, *index)).collect();
    let has_repeating = current.is_some() || free.iter().any(|index| profiles[*index].has_repeated);
    // In a long table, the column with more different texts names the parts of the groups.
    let most_names = free
        .iter()
        .copied()
        .filter(|index| {
            let names = profiles[*index].row_names;
            names.is_some() && names > current.and_then(|index| profiles[index].row_names)
        })
        .max_by_key(|index| profiles[*index].row_names);
    let unique =
        find_names(columns, profiles, |index| free.contains(&index) && is_unique(&profiles[index]));
    let Some(index) = unique.or(most_names).filter(|_| has_repeating) else { return false };
    if let Some(current) = current {
        columns[current].release();
    }
    columns[index].assign(label, MatchReason::Type);
    true
}

/// Maps the label to the free column with the most different texts, if there are more than in the
/// column at `current`, which is the present label. Parts of different groups may have equal names, such
/// as `Other`, so that no column of a table with several levels has a different text in each record. A column
/// with many empty cells has remarks.
fn move_label_to_lowest_level<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    label: &'k Column,
    current: Option<usize>,
) {
    let free = (0..columns.len()).filter(|index| can_be_label(columns, profiles, *index));
    let free =
        free.filter(|index| !profiles[*index].has_remarks() && has_short_texts(&profiles[*index]));
    let Some(lowest) = free.max_by_key(|index| profiles[*index].distinct) else { return };
    let distinct = current.map_or(0, |index| profiles[index].distinct);
    if profiles[lowest].distinct > distinct {
        if let Some(current) = current {
            columns[current].release();
        }
        columns[lowest].assign(label, MatchReason::Type);
    }
}

/// Returns the column for the names of groups of a kind with parts of a whole. None for other kinds.
fn find_parent_of_parts(kind: &KindInfo) -> Option<&Column> {
    let is_number = |column: &Column| column.column_type == KindColumnType::Number;
    let has_values = kind.columns.iter().any(|column| column.required && is_number(column));
    let is_parent =
        |column: &&Column| column.column_type == KindColumnType::Text && column.role == "parent";
    kind.columns.iter().find(is_parent).filter(|_| has_values)
}

/// Returns the indexes of columns of the table with the levels of nested groups, from the outermost to
/// the innermost: those with fewer different texts are outside, and then those further left.
pub fn sort_levels(mut indexes: Vec<usize>, profiles: &[ColumnProfile]) -> Vec<usize> {
    indexes.sort_by_key(|index| (profiles.get(*index).map(|profile| profile.distinct), *index));
    indexes
}

/// Maps the free columns with repeated texts to the parent in a chart of parts, or the only one to the
/// group in a chart of points. Several columns of parents are the levels of nested groups, at most
/// `MAX_LEVELS`. A group needs at most `MAX_GROUPS` different texts. Does nothing if there are more such
/// columns, if the parent or group is mapped, or if the label is not.
fn map_group<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    label: &Column,
) {
    let shows_points = shows_points(kind);
    let find_group = || {
        kind.columns.iter().find(|column| {
            column.column_type == KindColumnType::Text && column.role == "group" && shows_points
        })
    };
    let wanted = find_parent_of_parts(kind).or_else(find_group);
    let Some(wanted) = wanted.filter(|wanted| !column_match::is_mapped(columns, wanted)) else {
        return;
    };
    if !column_match::is_mapped(columns, label) {
        return;
    }
    let is_group = |index: &usize| {
        let profile = &profiles[*index];
        columns[*index].target.is_none()
            && profile.column_type == ColumnType::Text
            && profile.has_repeated
            && profile.distinct > 1
            && !row_unit::has_units(profile)
            && (wanted.role == "parent" || profile.distinct <= MAX_GROUPS)
    };
    let groups: Vec<usize> = (0..columns.len()).filter(is_group).collect();
    let max_count = if wanted.role == "parent" { MAX_LEVELS } else { 1 };
    if groups.len() <= max_count {
        for group in groups {
            columns[group].assign(wanted, MatchReason::Type);
        }
    }
}

/// Returns whether all required columns of a kind are numbers, as in a chart that shows each record as
/// a point. True for a kind without required columns.
fn shows_points(kind: &KindInfo) -> bool {
    kind.columns
        .iter()
        .all(|column| !column.required || column.column_type == KindColumnType::Number)
}

/// Returns whether the label names values, such as bars, which nobody can tell apart with equal names,
/// unlike tasks.
fn names_values(kind: &KindInfo) -> bool {
    let is_value =
        |column: &Column| column.required && column.column_type == KindColumnType::Number;
    kind.columns.iter().any(is_value)
}

/// Returns whether no text is repeated, or at least the different ones are more than half of all texts,
/// as in a list of tasks in which few have the same name, or more than three quarters of them for names of
/// values. True for `MAX_DISTINCT` different texts, because profiles count no more.
fn is_mostly_different(profile: &ColumnProfile, are_values: bool) -> bool {
    let (part, whole) = if are_values { (4, 3) } else { (2, 1) };
    !profile.has_repeated
        || profile.distinct == MAX_DISTINCT
        || profile.distinct * part > profile.filled() * whole
}

/// Returns the first free column of the table for which `is_name` is true, given its position. If it has
/// long texts, such as descriptions, returns another such column with a short text for each record
/// instead, if there is one. Codes name the records better than long remarks.
pub(super) fn find_names(
    columns: &[MappedColumn<'_>],
    profiles: &[ColumnProfile],
    is_name: impl Fn(usize) -> bool,
) -> Option<usize> {
    let free = || (0..columns.len()).filter(|index| columns[*index].target.is_none());
    let first = free().find(|index| is_name(*index))?;
    let profile = &profiles[first];
    if has_short_texts(profile) {
        return Some(first);
    }
    let has_names = |index: &usize| {
        let profile = &profiles[*index];
        profile.column_type == ColumnType::Text && is_unique(profile) && has_short_texts(profile)
    };
    let codes = || {
        let is_code = |index: &usize| heading::is_id(&profiles[*index].heading);
        let code = free().filter(has_names).find(is_code);
        code.filter(|_| heading::is_remark_heading(&profile.heading))
    };
    let names = free().filter(|index| is_name(*index)).find(has_names);
    Some(names.or_else(codes).unwrap_or(first))
}

/// Returns whether all examples of the column have at most `MAX_NAME_CHARS` characters, unlike those of
/// a column of comments.
fn has_short_texts(profile: &ColumnProfile) -> bool {
    profile.examples.iter().all(|text| text.chars().count() <= MAX_NAME_CHARS)
}

/// Returns whether there are at least two records, each with a text, and no text is repeated.
pub(super) fn is_unique(profile: &ColumnProfile) -> bool {
    profile.empty == 0 && profile.records > 1 && !profile.has_repeated
}
