//! Choice of the relation of rows and records. A wide table has the values of
//! one measure in several columns, such as one for each month.

use std::collections::HashSet;

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;
use chartroom_charts::date_text;

use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::heading;
use super::heading_words;
use super::long_table;
use super::period_rows;
use super::record_layout::RecordLayout;

/// Minimum number of columns of a wide table that are named by periods.
const MIN_PERIODS: usize = 3;
/// Minimum number of criteria of a radar chart with an area.
const MIN_SPOKES: usize = 3;
/// Minimum number of rows with numbers in equal steps that are names without a heading that tells it.
const MIN_STEPPED_ROWS: usize = 4;
/// Maximum number of rows that become series. A chart shows no more, see
/// [`chartroom_charts::MAX_SERIES`].
const MAX_ROWS_AS_SERIES: usize = chartroom_charts::MAX_SERIES;

/// Chooses the layout of the records. For every layout except `Rows`, also maps the columns that it
/// uses.
///
/// - A kind with a time axis and series gets one record for each heading of a
///   wide table with periods as headings.
/// - A kind with series gets one record for each name of a long table.
/// - A kind that computes statistics gets one record with all values of each repeated name, or of each
///   column of amounts.
/// - A SWOT analysis gets one record for each text below the name of a field.
/// - A kind that needs two names and a value gets one record for each cell.
/// - A kind that needs one name and a value gets one record for each cell of a table with one row.
///
/// Otherwise, each row is a record. That is also the case for a table with a
/// heading that is already mapped to one of the columns above.
pub fn choose_layout<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) -> RecordLayout<'k> {
    let is_free = |index: &usize| columns[*index].is_free();
    let free: Vec<usize> = (0..columns.len()).filter(is_free).collect();
    let numbers: Vec<usize> =
        free.iter().copied().filter(|index| profiles[*index].is_amount()).collect();
    let layout = match has_series(kind) {
        true => choose_headings(columns, profiles, kind, &numbers)
            .or_else(|| long_table::choose_groups(columns, profiles, kind))
            .or_else(|| period_rows::choose_period_rows(columns, profiles, kind, &numbers)),
        false => choose_samples(columns, profiles, kind)
            .or_else(|| choose_fields(columns, kind))
            .or_else(|| choose_cells(columns, profiles, kind, &numbers))
            .or_else(|| choose_column_samples(columns, profiles, kind, &numbers)),
    };
    layout.unwrap_or(RecordLayout::Rows)
}

/// Returns the layout of a table with one measurement in each row, for a kind that
/// computes statistics of the values of each name. Maps both columns. `None` without a
/// column of repeated names, and unless the table has exactly one column of amounts,
/// which is not mapped to another column of the kind.
fn choose_samples<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) -> Option<RecordLayout<'k>> {
    let (name, values) = find_sample_columns(kind)?;
    let is_number = |index: &usize| profiles[*index].is_amount();
    let amounts: Vec<usize> = (0..columns.len()).filter(is_number).collect();
    let repeats = |index: &usize| {
        let profile = &profiles[*index];
        profile.is_name() && profile.distinct > 0 && profile.distinct < profile.filled()
    };
    let &[amount] = amounts.as_slice() else { return None };
    let is_values_or_free =
        |mapped: &MappedColumn<'_>| mapped.column().is_none_or(|column| column.key == values.key);
    let mapped_name = columns
        .iter()
        .position(|mapped| mapped.column().is_some_and(|column| column.key == name.key));
    // A name of each group repeats more often than one of a person.
    let repeats_often =
        |index: &usize| repeats(index) && profiles[*index].distinct * 2 <= profiles[*index].records;
    let is_certain = |index: &usize| {
        columns[*index].has_specific_name() || !repeats(index) || repeats_often(index)
    };
    let is_group = |index: &usize| columns[*index].target.is_none() && repeats_often(index);
    let names = mapped_name
        .filter(is_certain)
        .or_else(|| (0..columns.len()).find(is_group))
        .or(mapped_name)
        .or_else(|| (0..columns.len()).find(repeats))
        .filter(repeats)?;
    if !is_values_or_free(&columns[amount]) {
        return None;
    }
    if mapped_name != Some(names) {
        unmap(columns, name);
    }
    if columns[names].target.is_none() {
        columns[names].assign(name, MatchReason::Type);
    }
    if columns[amount].target.is_none() {
        columns[amount].assign(values, MatchReason::Type);
    }
    Some(RecordLayout::Samples { name, values })
}

/// Returns the columns of names and of lists of values of a kind that computes statistics. None for other
/// kinds.
fn find_sample_columns(kind: &KindInfo) -> Option<(&Column, &Column)> {
    let is_list =
        |column: &&Column| column.key == "values" && column.column_type == KindColumnType::Text;
    let name = kind.columns.iter().find(|column| column.role == "label" && column.required)?;
    Some((name, kind.columns.iter().find(is_list)?))
}

/// Returns the layout of a table with a column of measurements for each sample, for a kind that computes
/// statistics, and maps these columns: those of `numbers` that do not count the rows, and columns without a
/// cell beside them. A first column of rising whole numbers below a word such as `Patient` is the key of the
/// rows, beside others. `None` if a column of the table is a value of the kind, if their units differ, or if
/// a heading is the key of the name or the values.
fn choose_column_samples<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    numbers: &[usize],
) -> Option<RecordLayout<'k>> {
    let (name, values) = find_sample_columns(kind)?;
    let is_blocked = |mapped: &MappedColumn<'_>| {
        mapped.column().is_some_and(|column| column.role == values.role)
            || [&name.key, &values.key].contains(&&mapped.heading)
    };
    let mut samples: Vec<usize> =
        numbers.iter().copied().filter(|index| !profiles[*index].is_numbering()).collect();
    let is_key = |index: &usize| {
        let profile = &profiles[*index];
        *index == 0 && counts_rows(profile) && heading_words::is_key(&profile.heading)
    };
    if samples.len() > 1 && samples.first().is_some_and(is_key) {
        samples.remove(0);
    }
    if samples.is_empty() || columns.iter().any(is_blocked) || !share_unit(profiles, &samples) {
        return None;
    }
    let is_empty = |index: &usize| {
        profiles[*index].filled() == 0
            && columns[*index].is_free()
            && !columns[*index].heading.is_empty()
    };
    samples.extend((0..columns.len()).filter(is_empty));
    unmap(columns, name);
    assign_cells(columns, &samples, values);
    Some(RecordLayout::ColumnSamples { name, values })
}

/// Returns whether each two of the columns `numbers` may have the same unit, as
/// [`ColumnProfile::may_share_unit`] says.
fn share_unit(profiles: &[ColumnProfile], numbers: &[usize]) -> bool {
    let columns: Vec<&ColumnProfile> = numbers.iter().map(|index| &profiles[*index]).collect();
    let Some(first) = columns.first() else { return true };
    // One with a known unit decides about all others.
    let decider = columns.iter().find(|column| column.unit_or_scale_text().is_some());
    let decider = decider.unwrap_or(first);
    columns.iter().all(|column| decider.may_share_unit(column))
}

/// Returns whether a kind has a column that repeats, one for each series.
fn has_series(kind: &KindInfo) -> bool {
    kind.columns.iter().any(|column| column.repeats)
}

/// Returns the layout of a wide table for a kind with a time axis, and maps only its columns of
/// numbers. `numbers` are the positions of the free columns of amounts. `None` unless there are at
/// least `MIN_PERIODS` of them, all with periods as headings, and exactly one other column that varies,
/// with a different name in each of a few rows. A radar chart gets this layout for one or two rows with
/// any headings and values of one unit, unless the heading of the names is a word for criteria.
fn choose_headings<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    numbers: &[usize],
) -> Option<RecordLayout<'k>> {
    let series = kind.columns.iter().find(|column| column.repeats)?;
    let name = kind.columns.iter().find(|column| column.required && !column.repeats)?;
    let has_periods = numbers.len() >= MIN_PERIODS
        && heading_words::are_periods(
            numbers.iter().map(|index| profiles[*index].heading.as_str()),
        );
    let others: Vec<usize> = (0..columns.len())
        .filter(|index| {
            let is_left_over = columns[*index].left_over_reason.is_some();
            !numbers.contains(index) && !is_left_over && tells_rows_apart(&profiles[*index])
        })
        .collect();
    let [row_names] = others.as_slice() else { return None };
    let profile = &profiles[*row_names];
    let are_names = profile.is_name() && !profile.is_time() && profile.distinct == profile.records;
    // A radar chart of one or two rows would be a line.
    let is_row_of_criteria = kind.slug == "radar"
        && profile.records < MIN_SPOKES
        && numbers.len() >= MIN_SPOKES
        && !columns[*row_names].has_specific_name()
        && share_unit(profiles, numbers);
    let is_suitable = (kind.table_fit.has_time_axis && has_periods || is_row_of_criteria)
        && are_names
        && profile.records <= MAX_ROWS_AS_SERIES
        && kind.columns.iter().all(|column| column.key != columns[*row_names].heading)
        && headings_fit(name, profiles, numbers);
    if !is_suitable {
        return None;
    }
    for (index, mapped) in columns.iter_mut().enumerate() {
        if numbers.contains(&index) {
            mapped.assign(series, MatchReason::Type);
        } else {
            mapped.target = None;
            mapped.key.clone_from(&mapped.heading);
        }
    }
    Some(RecordLayout::Headings { name, series, row_names: *row_names })
}

/// Returns whether a column may name the rows: it has cells, they are not all equal, and the heading
/// does not name ids or codes. This excludes the indicator of a file of statistics, which is the same
/// in all rows. In a table with one row, a cell is enough.
fn tells_rows_apart(profile: &ColumnProfile) -> bool {
    let is_constant = profile.distinct == 1 && profile.records > 1;
    profile.filled() > 0 && !is_constant && !heading::is_id(&profile.heading)
}

/// Returns whether the headings of the columns `numbers` can be the values of the column `name` of the
/// kind. A column of dates needs dates, and other columns accept all headings.
fn headings_fit(name: &Column, profiles: &[ColumnProfile], numbers: &[usize]) -> bool {
    let headings = numbers.iter().map(|index| profiles[*index].heading.as_str());
    let order = date_text::find_order(headings.clone(), None);
    name.column_type != KindColumnType::Date
        || headings.into_iter().all(|heading| date_text::to_iso_date(heading, order).is_some())
}

/// Returns the layout of a wide table for a kind that needs one value in each record,
/// and maps the columns. `None` if the value is mapped, if a heading is the key of the
/// value or the name, or if the table is not wide.
///
/// A table is wide if the columns `numbers`, at least two, have different headings, and
/// exactly one column names the rows. A kind without names of rows needs a single row
/// with at least `MIN_PERIODS` such columns.
fn choose_cells<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
    numbers: &[usize],
) -> Option<RecordLayout<'k>> {
    let required: Vec<&'k Column> = kind.columns.iter().filter(|column| column.required).collect();
    let is_mapped = |column: &Column| {
        columns
            .iter()
            .any(|mapped| mapped.target.is_some_and(|(target, _)| target.key == column.key))
    };
    let are_different = || {
        let headings: HashSet<&str> =
            numbers.iter().map(|index| columns[*index].heading.as_str()).collect();
        headings.len() == numbers.len() && !headings.contains("")
    };
    let is_text = |column: &Column| column.column_type == KindColumnType::Text;
    let is_number = |column: &Column| column.column_type == KindColumnType::Number;
    let (row, name, value) = match required.as_slice() {
        [row, name, value] if is_text(row) && is_text(name) && is_number(value) => {
            (Some(*row), *name, *value)
        }
        [name, value] if is_text(name) && is_number(value) => (None, *name, *value),
        _ => return None,
    };
    // A left over column keeps its heading as key.
    let is_key = |column: &Column| columns.iter().any(|mapped| mapped.heading == column.key);
    if numbers.len() < 2 || is_mapped(value) || is_key(value) || is_key(name) || !are_different() {
        return None;
    }
    let Some(row) = row else {
        // The name of the only row may be mapped to the label.
        let records = profiles.first().map_or(0, |profile| profile.records);
        let is_single_row = records == 1 && numbers.len() >= MIN_PERIODS;
        return is_single_row.then(|| {
            unmap(columns, name);
            assign_cells(columns, numbers, value);
            RecordLayout::Cells { name, value }
        });
    };
    let row_names = find_row_names(profiles, row)?;
    let numbers: Vec<usize> = numbers.iter().copied().filter(|index| *index != row_names).collect();
    if numbers.len() < 2 {
        return None;
    }
    unmap(columns, row);
    columns[row_names].assign(row, reason_to_map(&columns[row_names], row));
    assign_cells(columns, &numbers, value);
    Some(RecordLayout::Cells { name, value })
}

/// Returns the position of the only column that names the rows, for the column `row` of the kind. Without
/// names, that is the first column if its whole numbers rise and name periods or have equal steps, such as
/// hours, and `row` is that of a matrix.
fn find_row_names(profiles: &[ColumnProfile], row: &Column) -> Option<usize> {
    let names = (0..profiles.len()).filter(|index| profiles[*index].is_name());
    let mut names: Vec<usize> = names.collect();
    if names.len() > 1 {
        names.retain(|index| tells_rows_apart(&profiles[*index]));
    }
    match names.as_slice() {
        [only] => Some(*only),
        [] => {
            let first = profiles.first()?;
            let are_names = counts_rows(first)
                && (heading_words::is_time_or_age(&first.heading) || has_equal_steps(first));
            (row.key == "row" && are_names).then_some(0)
        }
        _ => None,
    }
}

/// Returns whether a column has rising whole numbers, which are all different.
fn counts_rows(profile: &ColumnProfile) -> bool {
    profile.column_type == ColumnType::Number
        && profile.is_whole
        && profile.rises
        && !profile.has_repeated
        && profile.empty == 0
}

/// Returns whether at least `MIN_STEPPED_ROWS` rising whole numbers have the same distance, found out from
/// the first ones and the range.
fn has_equal_steps(profile: &ColumnProfile) -> bool {
    let numbers: Vec<f64> = profile.examples.iter().map_while(|text| text.parse().ok()).collect();
    let ([first, second, ..], Some((low, high))) = (numbers.as_slice(), profile.range) else {
        return false;
    };
    let step = second - first;
    profile.records >= MIN_STEPPED_ROWS
        && numbers.windows(2).all(|pair| pair[1] - pair[0] == step)
        && high - low == step * (profile.records - 1) as f64
}

/// Returns the layout of a table with a column of texts for each field of a SWOT analysis, and maps
/// these columns. Each cell becomes a record. `None` for other kinds, with fewer than two fields, and
/// if a heading is the key of the text or the field.
fn choose_fields<'k>(
    columns: &mut [MappedColumn<'k>],
    kind: &'k KindInfo,
) -> Option<RecordLayout<'k>> {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key);
    let (name, value) = (find("field")?, find("text")?);
    let is_key = |mapped: &MappedColumn<'_>| [&name.key, &value.key].contains(&&mapped.heading);
    let is_field = |index: &usize| chartroom_charts::is_swot_field(&columns[*index].heading);
    let fields: Vec<usize> = (0..columns.len()).filter(is_field).collect();
    if kind.slug != "swot" || fields.len() < 2 || columns.iter().any(is_key) {
        return None;
    }
    unmap(columns, name);
    unmap(columns, value);
    assign_cells(columns, &fields, value);
    Some(RecordLayout::Cells { name, value })
}

/// Returns the reason for mapping a column of the table to `target`: the
/// present reason if it is mapped to `target` already, otherwise its type.
fn reason_to_map(mapped: &MappedColumn<'_>, target: &Column) -> MatchReason {
    match mapped.target {
        Some((column, reason)) if column.key == target.key => reason,
        _ => MatchReason::Type,
    }
}

/// Removes all matches with `column` of the kind. The headings of these columns become their keys
/// again.
fn unmap(columns: &mut [MappedColumn<'_>], column: &Column) {
    for mapped in columns.iter_mut() {
        if mapped.target.is_some_and(|(target, _)| target.key == column.key) {
            mapped.target = None;
            mapped.key.clone_from(&mapped.heading);
        }
    }
}

/// Maps the columns at the positions `numbers` to the column `value` of the kind, in place of earlier
/// matches.
fn assign_cells<'k>(columns: &mut [MappedColumn<'k>], numbers: &[usize], value: &'k Column) {
    for index in numbers {
        columns[*index].assign(value, MatchReason::Type);
    }
}
