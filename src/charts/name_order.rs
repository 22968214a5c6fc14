//! Order of names of which some are absent in the first groups of the records, such as the months of a
//! region without a record for February.

use std::collections::HashMap;

use crate::class_text;
use crate::number_text::DecimalSeparator;
use crate::time_order;
use crate::time_order::TimeKey;
use crate::times_of_day;

/// End of a list of names.
const END: usize = usize::MAX;

/// Returns the indexes of names in the order of time or of classes, such as `18–29`, if each group has its
/// names in that order, and otherwise in that of the records. `names` has the different names in the order of
/// their first records, and `records` the group and the name of each record as indexes.
pub fn order_names(names: &[impl AsRef<str>], records: &[(usize, usize)]) -> Vec<usize> {
    order_by_rank(names, records).unwrap_or_else(|| merge_names(records, names.len()))
}

/// Returns the indexes of different periods or classes of one form in the order of their ranks, for records with these pairs of
/// group and index. None for other texts, and unless the periods of each group go forward, with at least
/// two in one of them. Periods without a year must be the same at the start of each group, because a group
/// that starts in January may follow one that ends in December.
fn order_by_rank(texts: &[impl AsRef<str>], records: &[(usize, usize)]) -> Option<Vec<usize>> {
    let keys: Vec<TimeKey> =
        texts.iter().map(|text| find_key(text.as_ref())).collect::<Option<_>>()?;
    let first = keys.first()?;
    let mut last_of: HashMap<usize, &TimeKey> = HashMap::new();
    let mut has_steps = false;
    for (group, index) in records {
        let key = keys.get(*index).filter(|key| key.form == first.form)?;
        // Indexes are in the order of the first records.
        let may_start = key.has_year || *index == 0;
        let last = last_of.insert(*group, key);
        has_steps |= last.is_some_and(|last| last.position < key.position);
        if last.map_or(!may_start, |last| last.position > key.position) {
            return None;
        }
    }
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by(|one, two| keys[*one].cmp(&keys[*two]));
    has_steps.then_some(order)
}

/// Returns the rank of a period, a class of values or a time of day. None for other names.
fn find_key(name: &str) -> Option<TimeKey> {
    let find_class = || {
        let class = class_text::parse(name, DecimalSeparator::Point)?;
        let bits = class.from.unwrap_or(f64::NEG_INFINITY).to_bits();
        // Texts in the order of the numbers.
        let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        let position = format!("{ordered:016x}");
        Some(TimeKey { form: "class".to_owned(), position, has_year: true })
    };
    let find_time = || {
        let position = format!("{:09.2}", times_of_day::parse(name)?);
        Some(TimeKey { form: "time of day".to_owned(), position, has_year: false })
    };
    time_order::find_key(name).or_else(find_class).or_else(find_time)
}

/// Returns the names in an order that fits all groups. `records` has the group and the name of each
/// record. Both are numbers from 0 in the order of their first records, so that the result contains each
/// number below `name_count` once.
///
/// Neighboring records of the same group are a run. A name that is new in a run comes before the next
/// known name of the run, or last. The order of the first records would put February after December if
/// the first region has no February.
fn merge_names(records: &[(usize, usize)], name_count: usize) -> Vec<usize> {
    // The name before and after each name, in a ring around `END`.
    let mut neighbors: HashMap<usize, (usize, usize)> = HashMap::with_capacity(name_count + 1);
    neighbors.insert(END, (END, END));
    for run in records.chunk_by(|one, two| one.0 == two.0) {
        let mut next = END;
        for (_, name) in run.iter().rev() {
            if !neighbors.contains_key(name) {
                let before = neighbors.get(&next).map_or(END, |(before, _)| *before);
                neighbors.entry(before).and_modify(|(_, after)| *after = *name);
                neighbors.entry(next).and_modify(|(before, _)| *before = *name);
                neighbors.insert(*name, (before, next));
            }
            next = *name;
        }
    }
    let following = |name: &usize| neighbors.get(name).map(|(_, after)| *after);
    let first = following(&END).filter(|name| *name != END);
    std::iter::successors(first, |name| following(name).filter(|name| *name != END)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the merged names of records, each with a group and a name of one letter: `A1 A3 B1`.
    fn merge(records: &str) -> String {
        let mut groups: Vec<&str> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        let mut pairs = Vec::new();
        for record in records.split(' ') {
            let (group, name) = record.split_at(1);
            for (list, text) in [(&mut groups, group), (&mut names, name)] {
                if !list.contains(&text) {
                    list.push(text);
                }
            }
            let position = |list: &[&str], text: &str| list.iter().position(|one| *one == text);
            pairs.push((position(&groups, group).unwrap(), position(&names, name).unwrap()));
        }
        merge_names(&pairs, names.len()).into_iter().map(|index| names[index]).collect()
    }

    #[test]
    fn names_that_the_first_group_lacks_come_before_their_followers() {
        assert_eq!(merge("A1 A3 A4 B1 B2 B3 B4"), "1234");
        assert_eq!(merge("A3 A4 B1 B2 B3 B4 B5"), "12345");
        assert_eq!(merge("A4 A1 B4 B3 B2 B1"), "4321");
        assert_eq!(merge("A1 A2 B3 B4"), "1234");
    }

    #[test]
    fn periods_and_classes_that_follow_each_other_in_each_group_are_ordered() {
        for (names, records, want) in [
            ("FY21 FY24 FY22 FY23", "00 01 12 13", "FY21 FY22 FY23 FY24"),
            ("18–29 65+ 30–49 50–64", "00 01 12 13", "18–29 30–49 50–64 65+"),
            ("8:00 12:00 9:00", "00 01 10 12", "8:00 9:00 12:00"),
            // Over midnight, and from the highest to the lowest.
            ("22:00 23:00 0:00 1:00", "00 01 12 13", "22:00 23:00 0:00 1:00"),
            ("65+ 30–49 18–29", "00 01 12", "65+ 30–49 18–29"),
        ] {
            let names: Vec<&str> = names.split(' ').collect();
            let digit = |letter: u8| usize::from(letter - b'0');
            let pair = |pair: &str| (digit(pair.as_bytes()[0]), digit(pair.as_bytes()[1]));
            let records: Vec<(usize, usize)> = records.split(' ').map(pair).collect();
            let order = order_names(&names, &records);
            let ordered: Vec<&str> = order.into_iter().map(|index| names[index]).collect();
            assert_eq!(ordered.join(" "), want);
        }
    }

    #[test]
    fn other_records_keep_the_order_of_their_first_records() {
        // The names are sorted, and the groups change.
        assert_eq!(merge("A1 B1 A2 B2 B3 A4"), "1234");
        assert_eq!(merge("A2 A1 A3 B3 B1 B2"), "213");
        assert_eq!(merge("A1 A1 A2"), "12");
        assert_eq!(merge_names(&[], 0), [0; 0]);
    }
}
