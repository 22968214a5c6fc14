//! Units that the columns of a chart get from its table.

use std::collections::BTreeMap;

use super::axis_choice::AxisChoice;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::MappedColumn;
use crate::features::tables::RecordLayout;
use crate::features::tables::TableMapping;
use chartroom_charts::number_text::NumberUnit;

/// Returns the keys of the records that contain numbers with a unit, each with its unit.
///
/// Charts write the values of a common axis with one unit. Therefore, columns that may share an
/// axis get their units only if each of them has one. `axis_choice` tells which series have an
/// axis of their own. If the repeated columns are the rows or groups of the table, they get the unit
/// that all columns have in common, if there is one. Columns with the role `progress` get none,
/// because their percentages become shares of 1. Each column of a table chart has its own unit. A column
/// such as `Unit` that no column of the kind shows is the unit of the others, see `tables::find_unit_of_rows`.
/// `repeated` has key and name of each repeated column.
pub fn list_units(
    mapping: &TableMapping<'_>,
    profiles: &[ColumnProfile],
    repeated: &[(String, String)],
    axis_choice: Option<AxisChoice>,
) -> Vec<(String, NumberUnit)> {
    let is_transposed =
        matches!(mapping.layout, RecordLayout::Headings { .. } | RecordLayout::Groups { .. });
    let common = tables::find_unit_of_rows(&mapping.columns, profiles).map(|(_, unit)| unit);
    let mut groups: BTreeMap<&str, Vec<(&str, Option<NumberUnit>)>> = BTreeMap::new();
    for (index, (mapped, profile)) in mapping.columns.iter().zip(profiles).enumerate() {
        let Some(column) = mapped.column() else { continue };
        let is_cell = is_table_column(column);
        let has_numbers = column.column_type == ColumnType::Number && column.role != "progress"
            || is_cell && profile.unit.is_some();
        if has_numbers && !mapping.layout.has_series_names_in(index) {
            let is_separate = is_cell || axis_choice.is_some_and(|choice| choice.separates(index));
            let group = if is_separate { &mapped.key } else { unit_group(column) };
            let columns = groups.entry(group).or_default();
            let unit = profile.unit.clone();
            let unit = unit.filter(|_| !tables::keeps_own_units(column, profile));
            let unit = unit.or_else(|| unit_of_heading(column, profile));
            let common = common.as_ref().filter(|_| !is_cell);
            columns.push((&mapped.key, unit.or_else(|| common.cloned())));
        }
    }
    let mut units: BTreeMap<&str, Option<NumberUnit>> = BTreeMap::new();
    if let Some(columns) = groups.get_mut("value") {
        add_unit_of_value(columns, mapping, profiles);
    }
    for columns in groups.into_values() {
        // Shares of 1 on the scale of a percentage have no unit of their own.
        let is_bare_end = |(key, _): &&(&str, _)| ["min", "max", "target"].contains(key);
        let value_has_unit = || columns.iter().any(|(key, unit)| *key == "value" && unit.is_some());
        let has_unit = |column: &(&str, Option<NumberUnit>)| {
            column.1.is_some() || is_bare_end(&column) && value_has_unit()
        };
        if columns.iter().all(has_unit) {
            for (key, unit) in columns {
                // Columns of a wide table have the same key.
                let known = units.entry(key).or_insert_with(|| unit.clone());
                *known = known.take().filter(|known| Some(known) == unit.as_ref());
            }
        }
    }
    if is_transposed {
        let mut all = units.into_values();
        let first = all.next().flatten();
        let Some(unit) = first.filter(|first| all.all(|unit| unit.as_ref() == Some(first))) else {
            return Vec::new();
        };
        return repeated.iter().map(|(key, _)| (key.clone(), unit.clone())).collect();
    }
    units.into_iter().filter_map(|(key, unit)| Some((key.to_owned(), unit?))).collect()
}

/// Gives the ends and the target of a scale the unit of the value, if they have none: `1.2m €` on a scale
/// to `2000000`. Shares of 1 beside percentages get none. `columns` are those of one axis.
fn add_unit_of_value(
    columns: &mut [(&str, Option<NumberUnit>)],
    mapping: &TableMapping<'_>,
    profiles: &[ColumnProfile],
) {
    let value = columns.iter().find(|(key, _)| *key == "value");
    let Some(unit) = value.and_then(|(_, unit)| unit.clone()) else { return };
    let is_bare = |(key, unit): &(&str, Option<NumberUnit>)| {
        unit.is_none() && ["min", "max", "target"].contains(key)
    };
    let are_shares = || {
        let all = mapping.columns.iter().zip(profiles);
        let mut bare = all.filter(|(mapped, _)| is_bare(&(&mapped.key, None)));
        bare.all(|(_, profile)| profile.range.is_none_or(|(_, high)| high <= 1.0))
    };
    if unit.text.trim() == "%" && are_shares() {
        return;
    }
    for column in columns.iter_mut().filter(|column| is_bare(column)) {
        column.1 = Some(unit.clone());
    }
}

/// Returns the text in brackets at the end of the heading, as in `Share (%)` and `Sales (m€)`, if it is a
/// unit or a power of ten, and the chart does not show the heading beside the numbers of the column.
fn unit_of_heading(column: &Column, profile: &ColumnProfile) -> Option<NumberUnit> {
    let is_hidden = column.role == "figure" && column.title_setting.is_none();
    let unit = tables::unit_in_brackets(&profile.heading)
        .or_else(|| tables::scale_in_brackets(&profile.heading))
        .filter(|_| is_hidden && !profile.has_mixed_units)?;
    let space = if unit == "%" { "" } else { "\u{a0}" };
    Some(NumberUnit { text: format!("{space}{unit}"), is_prefix: false })
}

/// Returns the keys of the columns of a table chart in which positive numbers have a plus sign. Empty for
/// other kinds.
pub fn list_signed_columns(mapping: &TableMapping<'_>, profiles: &[ColumnProfile]) -> Vec<String> {
    let is_signed = |(mapped, profile): &(&MappedColumn<'_>, &ColumnProfile)| {
        profile.has_plus_signs && mapped.column().is_some_and(is_table_column)
    };
    let signed = mapping.columns.iter().zip(profiles).filter(is_signed);
    signed.map(|(mapped, _)| mapped.key.clone()).collect()
}

/// Returns whether a column of the kind stands for the columns of a table chart, which show each cell
/// as it is.
pub fn is_table_column(column: &Column) -> bool {
    column.repeats && column.role == "column"
}

/// Returns the group of columns that share an axis: `series`, `value`, or the key of an own axis.
fn unit_group(column: &Column) -> &str {
    let has_own_axis = ["x", "y", "size", "count", "start", "end"].contains(&column.role.as_str())
        || ["width", "change", "probability", "impact"].contains(&column.key.as_str());
    match column.repeats {
        true => "series",
        false if has_own_axis => &column.key,
        false => "value",
    }
}
