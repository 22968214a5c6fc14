//! Names of the columns of a chart from the headings of a table.

use crate::features::portfolio::Column;
use crate::features::tables;
use crate::features::tables::MatchReason;
use crate::features::tables::RecordLayout;
use crate::features::tables::TableMapping;
use chartroom_platform::language;

/// Headings that say nothing about their column and are not used as names, in lower case.
const EMPTY_HEADINGS: [&str; 5] = ["", "value", "values", "wert", "werte"];

/// Settings with the titles of columns that a legend compares in pairs. Charts of one column have
/// `valueTitle` alone.
const TITLES_IN_PAIRS: [&str; 10] = [
    "actualTitle",
    "planTitle",
    "valueTitle",
    "targetTitle",
    "leftTitle",
    "rightTitle",
    "beforeTitle",
    "afterTitle",
    "lowTitle",
    "highTitle",
];

/// Settings with the titles of two axes. A title beside one axis alone would hide the measure of the other.
const TITLES_OF_AXES: [&str; 2] = ["xTitle", "yTitle"];

/// Sets the name of a column without a heading to its number, such as `Column 2` for the key `column2`.
pub(super) fn number_column(key: &str, name: &mut String) {
    let number = key.strip_prefix("column").filter(|_| name.is_empty());
    if let Some(number) = number {
        *name = language::fill("kinds.numberedColumn").with("number", number).into();
    }
}

/// Returns the setting of each name of a column that the headings of a table give, and the name. See
/// [`super::mapped_settings::MappedSettings::from_mapping`].
pub(super) fn list_titles(mapping: &TableMapping<'_>) -> Vec<(String, String)> {
    let titles = mapping.columns.iter().filter_map(|mapped| {
        let (column, reason) = mapped.target?;
        // The headings of a wide table name the records.
        let is_record = match mapping.layout {
            RecordLayout::Cells { value, .. }
            | RecordLayout::ColumnSamples { values: value, .. } => value.key == column.key,
            _ => false,
        };
        let setting = column.title_setting.clone()?;
        let can_be_name =
            !mapped.heading.is_empty() && !is_record && !is_bound(mapping, column, reason);
        can_be_name.then(|| {
            let is_name = is_name(&mapped.heading, reason);
            (setting, mapped.heading.clone(), is_name)
        })
    });
    let titles: Vec<(String, String, bool)> = titles.collect();
    let has_name_in = |group: &[&str]| {
        titles.iter().any(|(setting, _, is_name)| *is_name && group.contains(&setting.as_str()))
    };
    let has_name_in_pair = has_name_in(&TITLES_IN_PAIRS);
    let has_name_of_axis = has_name_in(&TITLES_OF_AXES);
    let named = titles.into_iter().filter(|(setting, heading, is_name)| {
        *is_name
            || has_name_in_pair && TITLES_IN_PAIRS.contains(&setting.as_str())
            || has_name_of_axis
                && TITLES_OF_AXES.contains(&setting.as_str())
                && is_empty_heading(heading)
    });
    named.map(|(setting, heading, _)| (setting, heading)).collect()
}

/// Returns whether a heading says nothing about its column, see [`EMPTY_HEADINGS`].
fn is_empty_heading(heading: &str) -> bool {
    EMPTY_HEADINGS.contains(&heading.to_lowercase().as_str())
}

/// Returns whether a heading says more about its column than the chart kind does.
fn is_name(heading: &str, reason: MatchReason) -> bool {
    // The title of the column lacks a unit as in `Value (in T€)`.
    let has_unit = tables::scale_in_brackets(heading).is_some();
    let is_title = reason == MatchReason::Title && !has_unit;
    reason != MatchReason::Key && !is_title && !is_empty_heading(heading)
}

/// Returns whether the heading of a column names an end of classes, such as `von`, and not their values. It
/// names the values if the column has whole classes, such as `18–29` below `Age`.
fn is_bound(mapping: &TableMapping<'_>, column: &Column, reason: MatchReason) -> bool {
    let has_ends = || {
        mapping.columns.iter().filter_map(|mapped| mapped.column()).any(|other| other.key == "to")
    };
    column.key == "from" && (reason != MatchReason::Type || has_ends())
}
