//! Parents of records that refer to their parent by id or label.

use std::borrow::Cow;
use std::collections::HashMap;

/// The identifiers of a record and its reference to its parent.
pub struct ParentRef<'a> {
    /// Id of the record; may be empty.
    pub id: Cow<'a, str>,
    /// Label of the record; may be empty. A reference matches it if no record has that id.
    pub label: Cow<'a, str>,
    /// Id or label of the parent; empty for a root.
    pub parent: Cow<'a, str>,
}

/// Returns the index of the parent of each record. None for roots and for references to a name that
/// no record has.
///
/// Ids take precedence over labels, and the first record with a name over later ones. The label of
/// a record is ignored if the record refers to a parent of the same name. If no record has the
/// referenced name, `create_parent` may create a record and return its index. Further references to
/// the name then use that index without a call.
pub fn resolve_parents(
    records: &[ParentRef],
    mut create_parent: impl FnMut(&str) -> Option<usize>,
) -> Vec<Option<usize>> {
    let mut index_of: HashMap<&str, usize> = HashMap::with_capacity(records.len());
    for (index, record) in records.iter().enumerate().filter(|(_, record)| !record.id.is_empty()) {
        index_of.entry(&record.id).or_insert(index);
    }
    // A record with a label equal to its parent reference refers to another record of that name.
    let is_referable =
        |record: &ParentRef| !record.label.is_empty() && record.label != record.parent;
    for (index, record) in records.iter().enumerate().filter(|(_, record)| is_referable(record)) {
        index_of.entry(&record.label).or_insert(index);
    }
    let mut parents = Vec::with_capacity(records.len());
    for name in records.iter().map(|record| record.parent.as_ref()) {
        let mut parent = index_of.get(name).copied().filter(|_| !name.is_empty());
        if parent.is_none() && !name.is_empty() {
            parent = create_parent(name);
            index_of.extend(parent.map(|index| (name, index)));
        }
        parents.push(parent);
    }
    parents
}

/// Makes the record with the lowest index of each cycle a root, by setting its parent to None. Returns the
/// number of cycles. All indices in `parents` must be valid.
pub fn break_cycles(parents: &mut [Option<usize>]) -> usize {
    let mut visited_from = vec![usize::MAX; parents.len()];
    let mut cycles = 0;
    for start in 0..parents.len() {
        let mut index = start;
        while visited_from[index] == usize::MAX {
            visited_from[index] = start;
            match parents[index] {
                // The path from `start` has returned to itself.
                Some(next) if visited_from[next] == start => {
                    let cycle = std::iter::successors(Some(next), |member| parents[*member]);
                    let others = cycle.skip(1).take_while(|member| *member != next);
                    parents[others.fold(next, usize::min)] = None;
                    cycles += 1;
                }
                Some(next) => index = next,
                None => {}
            }
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_broken_at_their_first_record() {
        // 3 leads into the cycle of 1 and 2, 0 is its own parent, 4 is a root.
        let mut parents = [Some(0), Some(2), Some(1), Some(2), None];
        assert_eq!(break_cycles(&mut parents), 2);
        assert_eq!(parents, [None, None, Some(1), Some(2), None]);
        // The path into a cycle may come first in the data.
        let mut parents = [Some(2), Some(2), Some(1)];
        assert_eq!(break_cycles(&mut parents), 1);
        assert_eq!(parents, [Some(2), None, Some(1)]);
    }

    #[test]
    fn ids_take_precedence_over_labels_and_missing_parents_are_created_once() {
        let record = |id, label, parent| ParentRef {
            id: Cow::Borrowed(id),
            label: Cow::Borrowed(label),
            parent: Cow::Borrowed(parent),
        };
        let records = [
            record("", "a", "b"),
            record("b", "c", "x"),
            record("", "b", "x"),
            record("", "x", "x"),
            record("", "y", "c"),
        ];
        let mut created = Vec::new();
        let found = resolve_parents(&records, |name| {
            created.push(name.to_owned());
            Some(9)
        });
        assert_eq!(found, [Some(1), Some(9), Some(9), Some(9), Some(1)]);
        assert_eq!(created, ["x"]);
    }
}
