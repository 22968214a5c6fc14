//! Relation of the rows of a table and the records of a document.

use crate::features::portfolio::Column;

/// Relation of the rows of a table and the records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecordLayout<'k> {
    /// One record for each row.
    Rows,
    /// One record for each cell in columns without a target of their own. The
    /// heading is the value of `name`, the cell that of `value`.
    Cells { name: &'k Column, value: &'k Column },
    /// One record for each column with a target. The heading is the value of `name`, and
    /// each row is a series named by its text in the column `row_names` of the table.
    Headings { name: &'k Column, series: &'k Column, row_names: usize },
    /// One record for each name in a long table. Each text of the column
    /// `groups` of the table is a series, which gets the numbers of its rows.
    Groups { name: &'k Column, series: &'k Column, groups: usize },
    /// One record for each name, with a list of the numbers in its rows as `values`.
    Samples { name: &'k Column, values: &'k Column },
    /// One record for each column with a target, with its heading as `name` and a list of its cells as
    /// `values`.
    ColumnSamples { name: &'k Column, values: &'k Column },
}

impl RecordLayout<'_> {
    /// Returns whether the texts of the column of the table at `index`, from 0, are the names of
    /// series. False for layouts without such a column.
    pub fn has_series_names_in(&self, index: usize) -> bool {
        match self {
            Self::Groups { groups: names, .. } | Self::Headings { row_names: names, .. } => {
                *names == index
            }
            _ => false,
        }
    }

    /// Returns whether the layout provides the values of a column of the kind, so that no column of the
    /// table has to be mapped to it. Always false for `Rows`.
    pub fn provides(&self, column: &Column) -> bool {
        match self {
            Self::Rows => false,
            Self::Cells { name, value: other }
            | Self::Headings { name, series: other, .. }
            | Self::Groups { name, series: other, .. }
            | Self::Samples { name, values: other }
            | Self::ColumnSamples { name, values: other } => {
                [name.key.as_str(), other.key.as_str()].contains(&column.key.as_str())
            }
        }
    }
}
