//! Matches of headings that need more than the comparison of whole names: classes of values, and
//! plans beside results.

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;

use super::column_match;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::heading;

/// Maps the ends and the count of classes of values, as in `From`, `To`, `Count`, for a kind that
/// counts values or shows given counts. Headings are compared with title and synonyms. Does nothing
/// unless all three are found or mapped already.
pub(super) fn map_classes<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let Some(wanted) = class_columns(kind) else { return };
    let find = |column: &Column| {
        (0..columns.len()).find(|index| {
            let mapped = &columns[*index];
            let is_own = mapped.column().is_some_and(|target| target.key == column.key);
            let is_free = mapped.target.is_none() && profiles[*index].is_amount();
            let normalized = heading::normalize(&mapped.heading);
            let mut names = column.synonyms.iter().chain([&column.title]);
            is_own || is_free && names.any(|name| heading::normalize(name) == normalized)
        })
    };
    let found = wanted.map(find);
    let [Some(from), Some(to), Some(count)] = found else { return };
    for (column, index) in wanted.into_iter().zip([from, to, count]) {
        if columns[index].target.is_none() {
            columns[index].assign(column, MatchReason::Synonym);
        }
    }
}

/// Returns whether both ends and the count of the classes of a kind are mapped, so that it needs no
/// single values. False for a kind without classes.
pub(super) fn has_classes(columns: &[MappedColumn<'_>], kind: &KindInfo) -> bool {
    class_columns(kind)
        .is_some_and(|wanted| wanted.iter().all(|column| column_match::is_mapped(columns, column)))
}

/// Returns the columns `from`, `to` and `count` of a kind, the ends and the count of a class. None if
/// one of them is absent.
fn class_columns(kind: &KindInfo) -> Option<[&Column; 3]> {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key);
    Some([find("from")?, find("to")?, find("count")?])
}

/// Maps the columns `planned` and then `actual` of a kind that compares them over time, each to the
/// first free column of amounts with a synonym as one word of its heading, as in `Work planned` beside
/// `Work done`.
pub(super) fn map_plan<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key);
    let (Some(planned), Some(actual)) = (find("planned"), find("actual")) else { return };
    for column in [planned, actual] {
        if column.column_type != KindColumnType::Number || column_match::is_mapped(columns, column)
        {
            continue;
        }
        let has_word = |heading: &str| {
            let normalized = heading::normalize(heading);
            let mut words = normalized.split(' ');
            let is_synonym = |word: &str| {
                column.synonyms.iter().any(|synonym| heading::normalize(synonym) == word)
            };
            words.any(is_synonym)
        };
        let found = (0..columns.len()).find(|index| {
            let mapped = &columns[*index];
            mapped.target.is_none() && profiles[*index].is_amount() && has_word(&mapped.heading)
        });
        if let Some(index) = found {
            columns[index].assign(column, MatchReason::Synonym);
        }
    }
}
