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
    let has_name_in_pair =
        titles.iter().any(|(setting, _, is_name)| *is_name && is_title_in_pair(setting));
    let named = titles
        .into_iter()
        .filter(|(setting, _, is_name)| *is_name || has_name_in_pair && is_title_in_pair(setting));
    named.map(|(setting, heading, _)| (setting, heading)).collect()
}

/// Returns whether a setting is the title of one of two columns that a legend compares.
fn is_title_in_pair(setting: &str) -> bool {
    TITLES_IN_PAIRS.contains(&setting)
}

/// Returns whether a heading says more about its column than the chart kind does.
fn is_name(heading: &str, reason: MatchReason) -> bool {
    // The title of the column lacks a unit as in `Value (in T€)`.
    let has_unit = tables::scale_in_brackets(heading).is_some();
    let is_title = reason == MatchReason::Title && !has_unit;
    reason != MatchReason::Key
        && !is_title
        && !EMPTY_HEADINGS.contains(&heading.to_lowercase().as_str())
}

/// Returns whether the heading of a column names an end of classes, such as `von`, and not their values. It
/// names the values if the column has whole classes, such as `18–29` below `Age`.
fn is_bound(mapping: &TableMapping<'_>, column: &Column, reason: MatchReason) -> bool {
    let has_ends = || {
        mapping.columns.iter().filter_map(|mapped| mapped.column()).any(|other| other.key == "to")
    };
    column.key == "from" && (reason != MatchReason::Type || has_ends())
}
