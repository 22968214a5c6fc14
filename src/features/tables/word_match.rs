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
    let ends = find(from).zip(find(to)).or_else(|| find_ends(columns, &free, [from, to], false));
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
/// word or the start of one: the first has a synonym of the first column of `ends`, and the second one of
/// the second, or none at all if `may_lack_end`.
fn find_ends(
    columns: &[MappedColumn<'_>],
    free: &[usize],
    ends: [&Column; 2],
    may_lack_end: bool,
) -> Option<(usize, usize)> {
    let normalize = |text: &str| heading::normalize(&text.replace(['(', ')', '[', ']'], " "));
    let headings: Vec<(usize, String)> =
        free.iter().map(|index| (*index, normalize(&columns[*index].heading))).collect();
    headings.iter().find_map(|(start, normalized)| {
        let name = without_synonym(normalized, ends[0])?;
        let is_end = |(index, other): &&(usize, String)| {
            let is_other = index != start;
            let lacks_end = may_lack_end && !name.is_empty() && *other == name;
            is_other && (lacks_end || without_synonym(other, ends[1]).as_ref() == Some(&name))
        };
        Some((*start, headings.iter().find(is_end)?.0))
    })
}

/// Returns a normalized heading without the synonym of a column in it, which is a word or the start of one:
/// `kosten` for `plankosten` and the synonym `plan`. None if no word has a synonym, or several have one.
fn without_synonym(normalized: &str, column: &Column) -> Option<String> {
    let mut count = 0;
    let words = normalized.split(' ').filter_map(|word| {
        let rest = if is_name(column, word) { Some("") } else { strip_name(column, word) };
        count += usize::from(rest.is_some());
        let word = rest.unwrap_or(word);
        (!word.is_empty()).then_some(word)
    });
    let rest: Vec<&str> = words.collect();
    (count == 1).then(|| rest.join(" "))
}

/// Minimum length in bytes of the rest of a word that begins with a synonym.
const MIN_STEM_BYTES: usize = 3;

/// Returns the rest of a word that begins with a synonym of a column of the kind, as `kosten` of
/// `plankosten`. None if it begins with none, or if the rest is too short to be a word.
fn strip_name<'w>(column: &Column, word: &'w str) -> Option<&'w str> {
    let rests = column.synonyms.iter().filter_map(|name| {
        let name = heading::normalize(name);
        word.strip_prefix(name.as_str()).filter(|_| !name.is_empty())
    });
    rests.filter(|rest| rest.len() >= MIN_STEM_BYTES).min_by_key(|rest| rest.len())
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

/// Normalized headings of the step where an arrow begins, and of the one where it ends.
const ARROW_ENDS: [&[&str]; 2] = [
    &["from", "source", "von", "quelle", "start", "de", "origin"],
    &["to", "target", "nach", "ziel", "zu", "end", "ende", "vers", "destination"],
];

/// Maps a table of arrows, as `From`, `To`, `Label`, to a kind that shows steps with their next ones: the
/// start names a step, the end is its next one, and the only other column of texts is the condition. Does
/// nothing unless both ends are found, and for a table with amounts.
pub(super) fn map_arrows<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key);
    let (Some(step), Some(next), Some(condition)) =
        (find("label"), find("next"), find("condition"))
    else {
        return;
    };
    // Arrows with amounts are flows.
    if profiles.iter().any(ColumnProfile::is_amount) {
        return;
    }
    let is_text = |index: &usize| {
        columns[*index].target.is_none() && profiles[*index].column_type == ColumnType::Text
    };
    let texts: Vec<usize> = (0..columns.len()).filter(is_text).collect();
    let find_end = |names: &[&str]| {
        let is_end = |index: &&usize| {
            names.contains(&heading::normalize(&columns[**index].heading).as_str())
        };
        texts.iter().find(is_end).copied()
    };
    let (Some(from), Some(to)) = (find_end(ARROW_ENDS[0]), find_end(ARROW_ENDS[1])) else { return };
    let others: Vec<usize> =
        texts.into_iter().filter(|index| ![from, to].contains(index)).collect();
    columns[from].assign(step, MatchReason::Synonym);
    columns[to].assign(next, MatchReason::Synonym);
    if let [index] = others[..] {
        columns[index].assign(condition, MatchReason::Type);
    }
}

/// Keys of the plan and the result of kinds that compare both.
const PLAN_KEYS: [(&str, &str); 3] =
    [("planned", "actual"), ("plan", "actual"), ("target", "value")];
/// Keys of two values of a kind that differ in time or size.
const PAIR_KEYS: [(&str, &str); 2] = [("before", "after"), ("low", "high")];

/// Releases a plan that a synonym or a word of its heading gave, if it cannot be compared with the result:
/// one of them has percentages or another unit, as a budget beside a progress in percent, or the heading is
/// `Soll` beside `Haben`, the two sides of an account.
pub(super) fn release_other_plans(
    columns: &mut [MappedColumn<'_>],
    profiles: &[ColumnProfile],
    kind: &KindInfo,
) {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key);
    let pair = |keys: &(&str, &str)| Some([find(keys.0)?, find(keys.1)?]);
    let Some([plan, result]) = PLAN_KEYS.iter().find_map(pair) else { return };
    let position = |wanted: &Column| {
        columns.iter().position(|mapped| mapped.column().is_some_and(|column| column == wanted))
    };
    let Some(planned) = position(plan) else { return };
    let is_guess = columns[planned]
        .target
        .is_some_and(|(_, reason)| [MatchReason::Synonym, MatchReason::Type].contains(&reason));
    let has_heading =
        |wanted: &str| columns.iter().any(|mapped| heading::normalize(&mapped.heading) == wanted);
    let is_account = has_heading("soll") && has_heading("haben");
    let differs =
        position(result).is_some_and(|actual| !profiles[planned].may_share_unit(&profiles[actual]));
    if is_guess && (is_account || differs) {
        columns[planned].release();
    }
}

/// Maps two values of a kind by headings that are equal apart from a word or the start of a word, as in
/// `Planned hours` beside `Actual hours`, `Plankosten` beside `Istkosten`, and `Umsatz vorher` beside
/// `Umsatz nachher`. A plan may stand beside a heading without such a word, as `Zielumsatz` beside `Umsatz`.
///
/// Plan and result without such headings get the first free column of amounts each with a synonym as one
/// word of its heading, as in `Work planned` beside `Work done`. A plan gets no column if no other one is
/// left for the result.
pub(super) fn map_pairs<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) {
    let find = |key: &str| kind.columns.iter().find(|column| column.key == key);
    let pair = |keys: &(&str, &str)| Some([find(keys.0)?, find(keys.1)?]);
    for pair in PAIR_KEYS.iter().filter_map(pair) {
        map_pair(columns, profiles, pair, false);
    }
    let Some([plan, result]) = PLAN_KEYS.iter().find_map(pair) else { return };
    if map_pair(columns, profiles, [plan, result], true) {
        return;
    }
    let is_free = |index: &usize| columns[*index].target.is_none() && profiles[*index].is_amount();
    let has_others = (0..columns.len()).filter(is_free).count() > 1;
    if has_others || column_match::is_mapped(columns, result) {
        map_by_word(columns, profiles, plan, &plan.synonyms);
    }
    map_by_word(columns, profiles, result, &result.synonyms);
}

/// Maps `first` and `second` by their headings. Returns whether it found both. Does nothing if `first` is
/// mapped. `second` may be mapped, and may have a heading without a word of its own if `may_lack_end`.
fn map_pair<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    [first, second]: [&'k Column; 2],
    may_lack_end: bool,
) -> bool {
    if column_match::is_mapped(columns, first) {
        return false;
    }
    let is_second = |mapped: &MappedColumn<'_>| mapped.column() == Some(second);
    let known = columns.iter().position(is_second);
    let is_free = |index: &usize| columns[*index].target.is_none() && profiles[*index].is_amount();
    let candidates: Vec<usize> = (0..columns.len()).filter(is_free).chain(known).collect();
    let is_new = |(one, two): &(usize, usize)| {
        Some(*one) != known && known.is_none_or(|known| known == *two)
    };
    let found = find_ends(columns, &candidates, [first, second], may_lack_end);
    let Some((one, two)) = found.filter(is_new) else { return false };
    columns[one].assign(first, MatchReason::Synonym);
    if known.is_none() {
        columns[two].assign(second, MatchReason::Synonym);
    }
    true
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
