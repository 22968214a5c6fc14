//! Matches between the columns of a table and those of a chart kind.

use serde::Deserialize;
use serde::Serialize;

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;

use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::heading;

/// Reason of a match between a column of a table and one of a chart kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchReason {
    /// The heading is the key.
    Key,
    /// The heading is the title.
    Title,
    /// The heading is a synonym.
    Synonym,
    /// The cells have the type, and the position decides.
    Type,
}

/// Reason why a column is left over that has the type of others which are mapped, or a part in the chart
/// without being in its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOverReason {
    /// The column is the total of the others.
    Total,
    /// The column is a total of the others and of more, in a chart that stacks them.
    LargerTotal,
    /// The amounts have another unit, so that they would need an axis of their own.
    OtherUnit,
    /// The column has the unit of all numbers.
    Unit,
}

impl LeftOverReason {
    /// Returns the reason as the rest of a sentence after the name of the column, such as
    /// `is not used, because ...`.
    pub fn message(self) -> &'static str {
        match self {
            Self::Total => "is not used, because it is the total of the other columns",
            Self::LargerTotal => {
                "is not used, because it is a total that contains the other columns"
            }
            Self::OtherUnit => {
                "is not used, because it has another unit than the columns in the chart"
            }
            Self::Unit => "is the unit of the numbers",
        }
    }
}

/// Mapping of one column of a table.
#[derive(Debug, Clone)]
pub struct MappedColumn<'k> {
    pub heading: String,
    /// Key of the values in the records.
    pub key: String,
    /// Column of the chart kind, and the reason. `None` if the column is left over.
    pub target: Option<(&'k Column, MatchReason)>,
    /// Reason why the column has no target, unless its type and its heading are the reason.
    pub left_over_reason: Option<LeftOverReason>,
}

impl<'k> MappedColumn<'k> {
    /// Returns the column of the chart kind to which this one is mapped. None if it is left over or not
    /// yet mapped.
    pub fn column(&self) -> Option<&'k Column> {
        self.target.map(|(column, _)| column)
    }

    /// Returns whether the column has neither a target nor a reason to be left over, so that it may get
    /// a target by its type.
    pub(super) fn is_free(&self) -> bool {
        self.target.is_none() && self.left_over_reason.is_none()
    }

    /// Returns whether the column is mapped by its key, title or a synonym of the kind itself, and not by
    /// type or by a synonym that many kinds share, such as `Name`.
    pub(super) fn has_specific_name(&self) -> bool {
        let Some((column, reason)) = self.target else { return false };
        match reason {
            MatchReason::Key | MatchReason::Title => true,
            MatchReason::Synonym => {
                let normalized = heading::normalize(&self.heading);
                let own = column.synonyms.iter().take(column.own_synonyms);
                own.into_iter().any(|synonym| heading::normalize(synonym) == normalized)
            }
            MatchReason::Type => false,
        }
    }

    /// Maps this column of the table to a column of the kind, in place of an earlier match. Its key
    /// becomes the one of `column`, but stays as it is if `column` repeats.
    pub(super) fn assign(&mut self, column: &'k Column, reason: MatchReason) {
        if !column.repeats {
            self.key.clone_from(&column.key);
        }
        self.target = Some((column, reason));
    }

    /// Takes back the match. The heading is the key again.
    pub(super) fn release(&mut self) {
        self.target = None;
        self.key.clone_from(&self.heading);
    }
}

/// Returns columns of a table without targets, one for each heading. The heading is the key. Without a
/// heading, the key is `column` and the number of the column from 1, such as `column3`.
pub(super) fn unmapped<'k>(headings: impl IntoIterator<Item = String>) -> Vec<MappedColumn<'k>> {
    let to_column = |(index, heading): (usize, String)| MappedColumn {
        key: if heading.is_empty() { format!("column{}", index + 1) } else { heading.clone() },
        heading,
        target: None,
        left_over_reason: None,
    };
    headings.into_iter().enumerate().map(to_column).collect()
}

/// Returns whether any column of the table is mapped to `column` of the kind, compared by key.
pub fn is_mapped(columns: &[MappedColumn<'_>], column: &Column) -> bool {
    columns
        .iter()
        .any(|mapped| mapped.column().is_some_and(|mapped_to| mapped_to.key == column.key))
}

/// Returns whether a column of the kind can show the cells of a column. Columns of
/// texts accept all cells, dates also years, booleans also 0 and 1, and colors any
/// text. Columns without cells fit all types.
pub(super) fn accepts(wanted: KindColumnType, profile: &ColumnProfile) -> bool {
    match (wanted, profile.column_type) {
        (_, ColumnType::Empty)
        | (KindColumnType::Number, ColumnType::Number)
        | (KindColumnType::Date, ColumnType::Date(_))
        | (KindColumnType::Boolean, ColumnType::Boolean)
        | (KindColumnType::Text, _) => true,
        // The heading tells dates, so that years may be irregular.
        (KindColumnType::Date, ColumnType::Number) => profile.may_be_years(),
        (KindColumnType::Boolean, ColumnType::Number) => {
            profile.range.is_some_and(|(low, high)| low >= 0.0 && high <= 1.0 && profile.is_whole)
        }
        (KindColumnType::Color, ColumnType::Text) => true,
        _ => false,
    }
}
