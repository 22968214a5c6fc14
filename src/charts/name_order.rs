//! Order of names of which some are absent in the first groups of the records, such as the months of a
//! region without a record for February.

use std::collections::HashMap;

/// End of a list of names.
const END: usize = usize::MAX;

/// Returns the names in an order that fits all groups. `records` has the group and the name of each
/// record. Both are numbers from 0 in the order of their first records, so that the result contains each
/// number below `name_count` once.
///
/// Neighboring records of the same group are a run. A name that is new in a run comes before the next
/// known name of the run, or last. The order of the first records would put February after December if
/// the first region has no February.
pub fn merge_names(records: &[(usize, usize)], name_count: usize) -> Vec<usize> {
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
    fn other_records_keep_the_order_of_their_first_records() {
        // The names are sorted, and the groups change.
        assert_eq!(merge("A1 B1 A2 B2 B3 A4"), "1234");
        assert_eq!(merge("A2 A1 A3 B3 B1 B2"), "213");
        assert_eq!(merge("A1 A1 A2"), "12");
        assert_eq!(merge_names(&[], 0), [0; 0]);
    }
}
