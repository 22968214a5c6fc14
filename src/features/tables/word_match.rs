//! Matches of headings that need more than the comparison of whole names: classes of values, and
//! plans beside results.

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;

use super::column_match;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::heading;

/// Maps the ends and the count of classes of values, as in `From`, `To`, `Count`, for a kind that
/// counts values or shows given counts. Headings are compared with title and synonyms. Without a
/// match, both ends may have a synonym as one word of otherwise equal headings, as in `Income from`
/// and `Income to`, and the count may have any heading if no other column of amounts is left. Does
/// nothing unless all three are found or mapped already, or the table has one column of texts such as
/// `18–29` and `65+` with both ends, and the count.
pub(super) fn map_classes<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let Some(wanted) = class_columns(kind) else { return };
    let is_free = |index: &usize| columns[*index].target.is_none() && profiles[*index].is_amount();
    let find = |column: &Column| {
        (0..columns.len()).find(|index| {
            let mapped = &columns[*index];
            let is_own = mapped.column().is_some_and(|target| target.key == column.key);
            let normalized = heading::normalize(&mapped.heading);
            is_own || is_free(index) && is_name(column, &normalized)
        })
    };
    let free: Vec<usize> = (0..columns.len()).filter(is_free).collect();
    let [from, to, count] = wanted;
    let ends = find(from).zip(find(to)).or_else(|| find_ends(columns, &free, [from, to]));
    let Some((start, end)) = ends else { return map_class_texts(columns, profiles, wanted, &free) };
    let mut others = free.iter().copied().filter(|index| ![start, end].contains(index));
    let only = others.next().filter(|_| others.next().is_none());
    let Some(counts) = find(count).or(only) else { return };
    for (column, index) in wanted.into_iter().zip([start, end, counts]) {
        if columns[index].target.is_none() {
            columns[index].assign(column, MatchReason::Synonym);
        }
    }
}

/// Maps the first free column of texts such as `18–29` and `65+` to the start of the classes, and the
/// count: a column with the name of the count, or the only one of the amounts `free`. Does nothing
/// unless both are found.
fn map_class_texts<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    [from, _, count]: [&'k Column; 3],
    free: &[usize],
) {
    let is_class_column = |index: &usize| {
        let ColumnProfile { column_type, examples, .. } = &profiles[*index];
        columns[*index].target.is_none()
            && *column_type == ColumnType::Text
            && !examples.is_empty()
            && examples.iter().all(|text| chartroom_charts::is_value_class(text))
    };
    let named = |index: &usize| is_name(count, &heading::normalize(&columns[*index].heading));
    let is_count =
        |index: &usize| columns[*index].column().is_some_and(|target| target.key == count.key);
    let only = free.first().copied().filter(|_| free.len() == 1);
    let counts = (0..columns.len()).find(is_count);
    let counts = counts.or_else(|| free.iter().copied().find(named)).or(only);
    let (Some(start), Some(counts)) = ((0..columns.len()).find(is_class_column), counts) else {
        return;
    };
    for (column, index) in [(from, start), (count, counts)] {
        if columns[index].target.is_none() {
            columns[index].assign(column, MatchReason::Type);
        }
    }
}

/// Returns the positions of two of the columns `free` with headings that are equal apart from one
/// word: the start of a class has a synonym of the first column of `ends`, and its end one of the
/// second.
fn find_ends(
    columns: &[MappedColumn<'_>],
    free: &[usize],
    ends: [&Column; 2],
) -> Option<(usize, usize)> {
    let headings: Vec<(usize, String)> =
        free.iter().map(|index| (*index, heading::normalize(&columns[*index].heading))).collect();
    let without_end = |normalized: &str, column: &Column| {
        let words: Vec<&str> = normalized.split(' ').collect();
        let rest: Vec<&str> = words.iter().copied().filter(|word| !is_name(column, word)).collect();
        (rest.len() + 1 == words.len()).then(|| rest.join(" "))
    };
    headings.iter().find_map(|(start, normalized)| {
        let name = without_end(normalized, ends[0])?;
        let is_end = |(index, other): &&(usize, String)| {
            index != start && without_end(other, ends[1]).as_ref() == Some(&name)
        };
        Some((*start, headings.iter().find(is_end)?.0))
    })
}

/// Returns whether a normalized heading is the title or a synonym of a column of the kind.
fn is_name(column: &Column, normalized: &str) -> bool {
    let mut names = column.synonyms.iter().chain([&column.title]);
    names.any(|name| heading::normalize(name) == normalized)
}

/// Returns whether the start and the count of the classes of a kind are mapped, so that it needs no
/// single values. False for a kind without classes.
pub(super) fn has_classes(columns: &[MappedColumn<'_>], kind: &KindInfo) -> bool {
    class_columns(kind).is_some_and(|[from, _, count]| {
        [from, count].iter().all(|column| column_match::is_mapped(columns, column))
    })
}

/// Returns the columns `from`, `to` and `count` of a kind, the ends and the count of a class. None if
/// one of them is absent.
fn class_columns(kind: &KindInfo) -> Option<[&Column; 3]> {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key);
    Some([find("from")?, find("to")?, find("count")?])
}

/// Maps the height `value` and then the `width` of the columns of a kind that requires both, each to
/// the first free column of amounts with a synonym of this kind as one word of its heading, as in
/// `Operating margin` beside `Revenue`, which is a value in other kinds.
pub(super) fn map_height_and_width<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key && column.required);
    let (Some(height), Some(width)) = (find("value"), find("width")) else { return };
    for column in [height, width] {
        map_by_word(columns, profiles, column, &column.synonyms[..column.own_synonyms]);
    }
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
        map_by_word(columns, profiles, column, &column.synonyms);
    }
}

/// Maps `column` of the kind to the first free column of amounts that has one of `synonyms` as one word
/// of its heading. Does nothing if `column` is mapped already or has no numbers.
fn map_by_word<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    column: &'k Column,
    synonyms: &[String],
) {
    if column.column_type != KindColumnType::Number || column_match::is_mapped(columns, column) {
        return;
    }
    let has_word = |heading: &str| {
        let normalized = heading::normalize(heading);
        let is_synonym =
            |word: &str| synonyms.iter().any(|synonym| heading::normalize(synonym) == word);
        normalized.split(' ').any(is_synonym)
    };
    let found = (0..columns.len()).find(|index| {
        let mapped = &columns[*index];
        mapped.target.is_none() && profiles[*index].is_amount() && has_word(&mapped.heading)
    });
    if let Some(index) = found {
        columns[index].assign(column, MatchReason::Synonym);
    }
}
