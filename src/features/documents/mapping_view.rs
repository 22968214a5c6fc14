//! Description of the mapping of a table to a chart kind, for responses and the command line.

use schemars::JsonSchema;
use serde::Serialize;

use crate::features::tables::MappedColumn;
use crate::features::tables::MatchReason;
use crate::features::tables::RecordLayout;
use crate::features::tables::TableMapping;

/// Mapping of a table to the columns of a chart kind.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MappingView {
    /// Columns of the table with their keys in the records.
    pub mapping: Vec<ColumnMappingView>,
    /// Headings of columns that the kind does not use, or their keys without a heading, such as `column3`.
    /// They are stored under it. Ids of the rows of a long table are not stored.
    pub left_over: Vec<String>,
    /// Columns of `left_over` that have the type of others which the kind uses, or the unit of the numbers,
    /// with the reason.
    pub left_over_reasons: Vec<LeftOverColumn>,
    /// Required columns of the kind without values.
    pub missing: Vec<MissingColumn>,
    /// Rows at the end of the table that are no records, such as a total.
    pub left_out_rows: Vec<LeftOutRow>,
    /// `rows`: each row is a record. `cells`: each cell of a wide table is a record. `headings`:
    /// each heading of a wide table is a record, and each row a series. `groups`: the rows of a
    /// long table with the same label are a record, and each text of another column is a series.
    /// `samples`: the rows with the same label, or the cells below a heading, are a record with a list
    /// of their values.
    #[schemars(extend("enum" = ["rows", "cells", "headings", "groups", "samples"]))]
    pub records_from: &'static str,
}

/// A column that is left over for another reason than its type and its heading.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOverColumn {
    /// Heading of the column.
    pub column: String,
    /// Reason, such as `is not used, because it is the total of the other columns`.
    #[serde(serialize_with = "chartroom_platform::messages::serialize")]
    pub message: &'static str,
}

/// A row that is no record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOutRow {
    /// Number of the row among those below the headings that are not blank, from 1.
    pub record: usize,
    /// Start of the text that names the row.
    pub text: String,
    /// Reason, such as `is not a record, because it is a note`.
    #[serde(serialize_with = "chartroom_platform::messages::serialize")]
    pub message: &'static str,
}

/// Mapping of one column.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ColumnMappingView {
    /// Heading of the column.
    pub column: String,
    /// Key of the chart kind, or the heading for a column that repeats. If the records are from the
    /// headings, the key that contains the heading. If they are from the headings or from groups,
    /// `series` for the column that names the series.
    pub key: String,
    /// Name of this column of the chart kind for people. Absent for a column that repeats, and for the one
    /// that names the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether the key, the title or a synonym equals the heading, or the type of the cells fits.
    #[schemars(extend("enum" = ["key", "title", "synonym", "type"]))]
    pub by: &'static str,
}

/// A required column without values.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MissingColumn {
    pub key: String,
    /// Name for people.
    pub title: String,
}

/// Returns the heading of a column, or its key without a heading.
fn name_of<'a>(mapped: &'a MappedColumn<'_>) -> &'a str {
    if mapped.heading.is_empty() { &mapped.key } else { &mapped.heading }
}

impl MappingView {
    /// Builds the description of a mapping, with the columns in the order of the table.
    pub fn new(mapping: &TableMapping<'_>) -> Self {
        let missing = mapping.missing.iter().map(|column| MissingColumn {
            key: column.key.clone(),
            title: column.local_title().to_owned(),
        });
        let left_over = mapping
            .columns
            .iter()
            .enumerate()
            .filter(|(index, mapped)| {
                mapped.target.is_none() && !mapping.layout.has_series_names_in(*index)
            })
            .map(|(_, mapped)| mapped);
        let reasons = left_over.clone().filter_map(|mapped| {
            let message = mapped.left_over_reason?.message();
            Some(LeftOverColumn { column: name_of(mapped).to_owned(), message })
        });
        let columns = mapping
            .columns
            .iter()
            .enumerate()
            .filter_map(|(index, mapped)| build_column(index, mapped, &mapping.layout));
        Self {
            left_over_reasons: reasons.collect(),
            left_over: left_over.map(|mapped| name_of(mapped).to_owned()).collect(),
            mapping: columns.collect(),
            missing: missing.collect(),
            left_out_rows: mapping
                .left_out
                .iter()
                .map(|note| LeftOutRow {
                    record: note.record,
                    text: note.text.clone(),
                    message: note.message,
                })
                .collect(),
            records_from: match mapping.layout {
                RecordLayout::Rows => "rows",
                RecordLayout::Cells { .. } => "cells",
                RecordLayout::Headings { .. } => "headings",
                RecordLayout::Groups { .. } => "groups",
                RecordLayout::Samples { .. } | RecordLayout::ColumnSamples { .. } => "samples",
            },
        }
    }
}

/// Builds the description of the column `index` of the table: its heading, its key in the records,
/// and the reason for the match. `None` if it is left over.
fn build_column(
    index: usize,
    mapped: &MappedColumn<'_>,
    layout: &RecordLayout<'_>,
) -> Option<ColumnMappingView> {
    let (key, column, by) = match (layout, mapped.target) {
        (layout, _) if layout.has_series_names_in(index) => ("series", None, "type"),
        (RecordLayout::Headings { name, .. }, Some(_)) => (name.key.as_str(), Some(*name), "type"),
        (_, Some((column, reason))) => {
            let by = match reason {
                MatchReason::Key => "key",
                MatchReason::Title => "title",
                MatchReason::Synonym => "synonym",
                MatchReason::Type => "type",
            };
            (mapped.key.as_str(), Some(column).filter(|column| !column.repeats), by)
        }
        (_, None) => return None,
    };
    let title = column.map(|column| column.local_title().to_owned());
    Some(ColumnMappingView { column: mapped.heading.clone(), key: key.to_owned(), title, by })
}
