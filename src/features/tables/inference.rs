//! Mapping of columns by the type of their cells and their position.

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;

use chartroom_charts::time_order;

use super::column_match;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::heading;
use super::text_roles;
use super::word_match;

/// Maps columns of the table without a target to columns of the kind without a match, by the type of
/// their cells and their position.
///
/// In this order: dates, labels and required texts, required numbers, an optional amount, the repeated
/// column. Skips each that no column of the table fits.
pub fn map_by_type<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let is_open = |columns: &[MappedColumn<'k>], column: &Column| {
        !column.repeats && !column_match::is_mapped(columns, column)
    };
    for column in kind.columns.iter().filter(|column| column.column_type == KindColumnType::Date) {
        // An optional end belongs to a start by type, but no other optional date is a guess.
        if is_open(columns, column) && (column.required || column.role == "end") {
            assign_first(columns, column, |index| is_date(&profiles[index]));
        }
        // A kind without numbers needs irregular years for nothing else.
        if is_open(columns, column) && column.required && needed_numbers(columns, kind) == 0 {
            assign_first(columns, column, |index| profiles[index].may_be_years());
        }
        // The chart places times of day, and periods such as `KW 14`.
        if is_open(columns, column) && kind.slug == "time-series" {
            assign_first(columns, column, |index| {
                profiles[index].is_periods && profiles[index].column_type == ColumnType::Text
            });
        }
        // Days such as `Day 1` and `Mon`, or 1 to 10, are steps.
        if is_open(columns, column) && takes_steps(column, kind) {
            assign_first(columns, column, |index| profiles[index].has_steps());
        }
    }
    let has_series = kind.columns.iter().any(|column| column.repeats);
    for column in kind.columns.iter().filter(|column| is_text_to_infer(column)) {
        if has_series && assign_different_names(columns, profiles, column) {
            continue;
        }
        // The name of a place is its label already.
        let is_named = column.role == "label" && has_region(columns);
        if is_open(columns, column) && !is_named {
            assign_text(columns, profiles, column, needed_numbers(columns, kind));
        }
    }
    assign_numbers(columns, profiles, kind);
    assign_only_amount(columns, profiles, kind);
    let series = kind.columns.iter().find(|column| column.repeats);
    if let Some(series) = series
        && !is_long_form(columns, kind)
    {
        assign_series(columns, profiles, series);
    }
}

/// Returns whether the chart kind places steps without dates, such as `Day 1`, by the column of dates.
pub fn takes_steps(column: &Column, kind: &KindInfo) -> bool {
    kind.slug == "burndown" && column.column_type == KindColumnType::Date
}

/// Returns whether each record has one value, named by a mapped column with the role `period` or
/// `count`, instead of one value for each series.
pub fn is_long_form(columns: &[MappedColumn<'_>], kind: &KindInfo) -> bool {
    kind.columns
        .iter()
        .filter(|column| column.role == "period" || column.role == "count")
        .any(|column| column_match::is_mapped(columns, column))
}

/// Returns whether a column of the kind may get texts of the table by type: required texts except ids,
/// and the column `label`, even if it is optional.
fn is_text_to_infer(column: &Column) -> bool {
    column.column_type == KindColumnType::Text
        && !column.repeats
        && column.role != "id"
        && (column.required || column.key == "label" && column.role == "label")
}

/// Returns whether a column of the table is mapped to a column with the role `region`, as on a map.
fn has_region(columns: &[MappedColumn<'_>]) -> bool {
    columns.iter().any(|mapped| mapped.column().is_some_and(|column| column.role == "region"))
}

/// Returns whether a column has dates or years.
fn is_date(profile: &ColumnProfile) -> bool {
    matches!(profile.column_type, ColumnType::Date(_)) || profile.is_years
}

/// Returns the number of required columns of numbers of the kind without a match. A required column
/// that repeats always counts as one.
fn needed_numbers(columns: &[MappedColumn<'_>], kind: &KindInfo) -> usize {
    let is_number = |column: &&Column| {
        column.required
            && column.column_type == KindColumnType::Number
            && (column.repeats || !column_match::is_mapped(columns, column))
    };
    kind.columns.iter().filter(is_number).count()
}

/// Maps the first column of the table without a target for which `condition`, given its position, is
/// true to `column` of the kind. Returns whether there is one.
fn assign_first<'k>(
    columns: &mut [MappedColumn<'k>],
    column: &'k Column,
    condition: impl Fn(usize) -> bool,
) -> bool {
    let found = (0..columns.len()).find(|at| columns[*at].target.is_none() && condition(*at));
    if let Some(index) = found {
        columns[index].assign(column, MatchReason::Type);
    }
    found.is_some()
}

/// Maps `column`, the required name of the records, to the first free column of texts that are all
/// different. Does so only if the column that would name the records repeats its texts, as names of
/// groups do. That is the column with a synonym as heading, which loses this match, or else the first
/// free column of names. Returns whether it mapped a column.
fn assign_different_names<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    column: &'k Column,
) -> bool {
    let is_name = |index: &usize| {
        let profile = &profiles[*index];
        profile.column_type == ColumnType::Text && !heading::is_id(&profile.heading)
    };
    let has_synonym = |mapped: &MappedColumn<'_>| {
        mapped.target.is_some_and(|(target, reason)| {
            target.key == column.key && reason == MatchReason::Synonym
        })
    };
    let is_open = !column_match::is_mapped(columns, column);
    let names = (0..columns.len()).find(|index| {
        has_synonym(&columns[*index])
            || is_open && columns[*index].target.is_none() && profiles[*index].is_name()
    });
    let repeats = |index: &usize| profiles[*index].has_repeated;
    let Some(names) = names.filter(is_name).filter(repeats).filter(|_| column.required) else {
        return false;
    };
    let is_different = |index: usize| {
        let profile = &profiles[index];
        is_name(&index) && text_roles::is_unique(profile)
    };
    let found = text_roles::find_names(columns, profiles, is_different);
    let is_assigned = assign_first(columns, column, |index| Some(index) == found);
    if is_assigned && has_synonym(&columns[names]) {
        columns[names].release();
    }
    is_assigned
}

/// Maps `column` of the kind to a column of names: the first free one of texts, dates or years that is
/// not an id, else any such column. A required one may also get numbers, if more than
/// `reserved_numbers` columns of numbers are free.
fn assign_text<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    column: &'k Column,
    reserved_numbers: usize,
) {
    let is_name = |index: usize| profiles[index].is_name();
    let is_id = |index: usize| heading::is_id(&profiles[index].heading);
    let names = text_roles::find_names(columns, profiles, |index| is_name(index) && !is_id(index));
    if assign_first(columns, column, |index| Some(index) == names)
        || assign_first(columns, column, is_name)
        || !column.required
    {
        return;
    }
    if release_numbering(columns, profiles) {
        assign_first(columns, column, |index| profiles[index].is_numbering());
        return;
    }
    let free = |index: &usize| {
        columns[*index].target.is_none() && profiles[*index].column_type == ColumnType::Number
    };
    if (0..columns.len()).filter(free).count() > reserved_numbers {
        assign_first(columns, column, |index| profiles[index].column_type == ColumnType::Number);
    }
}

/// Releases a column that counts the records, such as a score from 0 to 10, from the values to which a
/// synonym mapped it, if another column of amounts is free for them. Returns whether there was one.
fn release_numbering(columns: &mut [MappedColumn<'_>], profiles: &[ColumnProfile]) -> bool {
    let has_other = columns.iter().zip(profiles).any(|(mapped, profile)| {
        mapped.target.is_none() && profile.is_amount() && !profile.is_numbering()
    });
    let mut pairs = columns.iter_mut().zip(profiles);
    let numbering = pairs.find(|(mapped, profile)| {
        let is_value = |target: &(&Column, MatchReason)| {
            target.0.role == "value" && target.1 == MatchReason::Synonym
        };
        mapped.target.as_ref().is_some_and(is_value) && profile.is_numbering()
    });
    let Some((mapped, _)) = numbering.filter(|_| has_other) else { return false };
    mapped.release();
    true
}

/// Maps the required columns of numbers of the kind to free columns of numbers, both in their order. In
/// the long form, see `is_long_form`, maps the values too. Takes ids and years only if there are too
/// few others. A table with the later period first gets `before` and `after` in the reverse order.
fn assign_numbers<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let is_long = is_long_form(columns, kind);
    let has_classes = word_match::has_classes(columns, kind);
    let is_wanted = |column: &&'k Column| {
        let is_value = column.required || is_long && column.role == "value";
        column.column_type == KindColumnType::Number
            && !column.repeats
            && is_value
            && !(column.key == "value" && has_classes)
            && !column_match::is_mapped(columns, column)
    };
    let wanted: Vec<&'k Column> = kind.columns.iter().filter(is_wanted).collect();
    let is_free = |index: &usize| {
        columns[*index].target.is_none() && profiles[*index].column_type == ColumnType::Number
    };
    let mut free: Vec<usize> = (0..columns.len()).filter(is_free).collect();
    free.sort_by_key(|index| (!profiles[*index].is_amount(), *index));
    // A change leads to the latest value.
    let change = kind.columns.iter().find(|column| column.key == "change");
    let latest = match change.is_some_and(|change| column_match::is_mapped(columns, change)) {
        true => find_latest_heading(&free, profiles),
        false => find_latest(&free, profiles, kind),
    };
    if let ([_], Some(latest)) = (&wanted[..], latest) {
        free = vec![latest];
    }
    free.truncate(wanted.len());
    free.sort_unstable();
    let are_times = wanted.iter().map(|column| column.role.as_str()).eq(["before", "after"]);
    let headings = free.iter().map(|index| profiles[*index].heading.as_str());
    if are_times && time_order::falls(headings) {
        free.reverse();
    }
    for (column, index) in wanted.into_iter().zip(free) {
        columns[index].assign(column, MatchReason::Type);
    }
}

/// Returns the position in the table of the latest of the columns `free` with periods as headings, for
/// a kind that shows the values of places at one time. `None` for other kinds and headings.
fn find_latest(free: &[usize], profiles: &[ColumnProfile], kind: &KindInfo) -> Option<usize> {
    let shows_places = kind.columns.iter().any(|column| column.role == "region");
    find_latest_heading(free, profiles).filter(|_| shows_places)
}

/// Returns the position in the table of the latest of the columns `free` with periods as headings. `None`
/// for other headings. Ignores columns with less than half of the cells of the fullest one, because their
/// values are still incomplete.
fn find_latest_heading(free: &[usize], profiles: &[ColumnProfile]) -> Option<usize> {
    let filled = |index: &usize| profiles[*index].filled();
    let most = free.iter().map(filled).max()?;
    let complete: Vec<usize> =
        free.iter().copied().filter(|index| filled(index) * 2 >= most).collect();
    let headings = complete.iter().map(|index| profiles[*index].heading.as_str());
    complete.get(time_order::find_latest(headings)?).copied()
}

/// Maps the only free column of amounts, or for places the latest one, to the column `value` of a kind
/// without repeated columns. Does nothing if `value` is mapped already, or has no numbers.
fn assign_only_amount<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let value = kind.columns.iter().find(|column| column.key == "value");
    let Some(value) = value.filter(|value| value.column_type == KindColumnType::Number) else {
        return;
    };
    if column_match::is_mapped(columns, value) || kind.columns.iter().any(|column| column.repeats) {
        return;
    }
    let is_left = |index: &usize| columns[*index].target.is_none() && profiles[*index].is_amount();
    let left: Vec<usize> = (0..columns.len()).filter(is_left).collect();
    let only = if let [index] = left[..] { Some(index) } else { None };
    if let Some(index) = only.or_else(|| find_latest(&left, profiles, kind)) {
        columns[index].assign(value, MatchReason::Type);
    }
}

/// Maps all free columns that fit to the repeated column `series`. For numbers, takes ids and years
/// only if no column of amounts is free. For texts, takes all columns.
fn assign_series<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    series: &'k Column,
) {
    let takes_numbers = series.column_type == KindColumnType::Number;
    let has_amounts = columns
        .iter()
        .zip(profiles)
        .any(|(mapped, profile)| mapped.is_free() && profile.is_amount());
    for (mapped, profile) in columns.iter_mut().zip(profiles) {
        let fits = match takes_numbers {
            true if has_amounts => profile.is_amount(),
            true => profile.column_type == ColumnType::Number,
            false => true,
        };
        if mapped.is_free() && fits {
            let reason =
                if mapped.heading == series.key { MatchReason::Key } else { MatchReason::Type };
            mapped.assign(series, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::portfolio;
    use crate::features::tables::profile::CellType;
    use crate::features::tables::profile::ColumnProfiler;
    use chartroom_charts::number_text::DecimalSeparator;
    use chartroom_charts::number_text::NumberNotation;

    #[test]
    fn a_column_of_different_names_is_found_in_a_table_of_any_size() {
        let numbers = CellType::Numbers(NumberNotation::new(DecimalSeparator::Point));
        // Names that repeat do not tell rows apart, however many there are.
        for (rows, names, is_found) in [(900, 900, true), (1500, 1500, true), (5000, 1500, false)] {
            let mut groups = ColumnProfiler::new("Gruppe", CellType::Texts);
            let mut clubs = ColumnProfiler::new("Verein", CellType::Texts);
            let mut points = ColumnProfiler::new("Punkte", numbers);
            for row in 0..rows {
                groups.add_cell(["A", "B"][row % 2]);
                clubs.add_cell(&format!("Verein {}", row % names));
                points.add_cell(&row.to_string());
            }
            let profiles = [groups, clubs, points].map(ColumnProfiler::finish);
            let headings = profiles.iter().map(|profile| profile.heading.clone());
            let mut columns = column_match::unmapped(headings);
            map_by_type(&mut columns, &profiles, portfolio::find_kind("grouped-column").unwrap());
            let keys = columns.iter().map(|column| column.column().map(|column| &*column.role));
            let keys: Vec<Option<&str>> = keys.collect();
            assert_eq!(keys[1] == Some("label"), is_found, "{rows}: {keys:?}");
            assert_eq!(keys[2], Some("series"), "{rows}");
        }
    }
}
