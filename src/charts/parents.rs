//! Which record is the parent of which, where records name their parents.

use std::borrow::Cow;
use std::collections::HashMap;

/// What a record says about its place.
pub struct Named<'a> {
    /// What others call it; may be empty.
    pub id: Cow<'a, str>,
    /// What it is called when nothing has the name as its id; may be empty.
    pub label: Cow<'a, str>,
    /// The id or the label of its parent; empty at the top.
    pub parent: Cow<'a, str>,
}

/// The place of each record's parent. Where no record has the name, `make` may give a place for
/// it, and is then not asked for that name again.
pub fn find(records: &[Named], mut make: impl FnMut(&str) -> Option<usize>) -> Vec<Option<usize>> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(records.len());
    for (at, record) in records.iter().enumerate().filter(|it| !it.1.id.is_empty()) {
        places.entry(&record.id).or_insert(at);
    }
    // A part may be called like its group, which then is another.
    let labelled = |it: &Named| !it.label.is_empty() && it.label != it.parent;
    for (at, record) in records.iter().enumerate().filter(|it| labelled(it.1)) {
        places.entry(&record.label).or_insert(at);
    }
    let mut parents = Vec::with_capacity(records.len());
    for name in records.iter().map(|it| it.parent.as_ref()) {
        let mut place = places.get(name).copied().filter(|_| !name.is_empty());
        if place.is_none() && !name.is_empty() {
            place = make(name);
            places.extend(place.map(|it| (name, it)));
        }
        parents.push(place);
    }
    parents
}

/// Takes the parent from the first record of each loop; returns how many loops there were.
pub fn cut_loops(parents: &mut [Option<usize>]) -> usize {
    let mut seen_by = vec![usize::MAX; parents.len()];
    let mut loops = 0;
    for start in 0..parents.len() {
        let mut at = start;
        while seen_by[at] == usize::MAX {
            seen_by[at] = start;
            match parents[at] {
                // Back on the way that began here.
                Some(next) if seen_by[next] == start => {
                    let round = std::iter::successors(Some(next), |it| parents[*it]);
                    let rest = round.skip(1).take_while(|it| *it != next);
                    parents[rest.fold(next, usize::min)] = None;
                    loops += 1;
                }
                Some(next) => at = next,
                None => {}
            }
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_end_at_their_first_record() {
        // 3 leads into the loop of 1 and 2, 0 is its own parent, 4 stands at the top.
        let mut parents = [Some(0), Some(2), Some(1), Some(2), None];
        assert_eq!(cut_loops(&mut parents), 2);
        assert_eq!(parents, [None, None, Some(1), Some(2), None]);
        // The way into a loop may come first in the data.
        let mut parents = [Some(2), Some(2), Some(1)];
        assert_eq!(cut_loops(&mut parents), 1);
        assert_eq!(parents, [Some(2), None, Some(1)]);
    }

    #[test]
    fn ids_come_before_labels_and_missing_names_are_made_once() {
        let named = |id, label, parent| Named {
            id: Cow::Borrowed(id),
            label: Cow::Borrowed(label),
            parent: Cow::Borrowed(parent),
        };
        let records = [
            named("", "a", "b"),
            named("b", "c", "x"),
            named("", "b", "x"),
            named("", "x", "x"),
            named("", "y", "c"),
        ];
        let mut asked = Vec::new();
        let found = find(&records, |name| {
            asked.push(name.to_owned());
            Some(9)
        });
        assert_eq!(found, [Some(1), Some(9), Some(9), Some(9), Some(1)]);
        assert_eq!(asked, ["x"]);
    }
}
