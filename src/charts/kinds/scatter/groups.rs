//! Names of the groups of points. Groups beyond the maximum are joined to one.

use std::collections::HashMap;

use crate::Chart;
use crate::Scene;
use crate::format::Omission;
use crate::format::Term;

/// Maximum number of groups with a color of their own, because more colors could not be
/// distinguished. With more groups, the smallest ones are joined to the last one.
pub const MAX_GROUPS: usize = 8;
/// Maximum number of joined groups that a warning names.
const MAX_NAMED_GROUPS: usize = 20;

/// Counts the points of each group. The number of a group is its position in order of appearance.
#[derive(Default)]
pub struct GroupCounter {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    counts: Vec<usize>,
}

/// The groups of a chart.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Names in order of appearance, "Other" last if groups are joined. Empty without groups.
    pub names: Vec<String>,
    /// Names of the groups that are joined to "Other", in order of appearance.
    pub joined: Vec<String>,
    /// Index in `names` of each number of the counter.
    indices: Vec<usize>,
}

impl GroupCounter {
    /// Adds a point of a group, and returns the number of the group, which starts at 0. A name that is
    /// new gets the next number.
    pub fn add(&mut self, name: &str) -> usize {
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                self.numbers.insert(name.to_owned(), self.names.len());
                self.names.push(name.to_owned());
                self.counts.push(0);
                self.names.len() - 1
            }
        };
        self.counts.get_mut(number).into_iter().for_each(|count| *count += 1);
        number
    }

    /// Returns whether no group has been added.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the groups. With more than `MAX_GROUPS`, those with the most points keep their names,
    /// and the others are joined to `other_name`, which is then the last of `MAX_GROUPS` names.
    pub fn finish(self, other_name: &str) -> Groups {
        let count = self.names.len();
        if count <= MAX_GROUPS {
            return Groups { names: self.names, joined: Vec::new(), indices: (0..count).collect() };
        }
        let mut largest: Vec<usize> = (0..count).collect();
        largest.retain(|number| self.names.get(*number).is_some_and(|name| name != other_name));
        // Of equally large groups, the first ones stay.
        largest.sort_by_key(|number| std::cmp::Reverse(self.counts.get(*number).copied()));
        largest.truncate(MAX_GROUPS - 1);
        let mut groups = Groups::default();
        for (number, name) in self.names.into_iter().enumerate() {
            if largest.contains(&number) {
                groups.indices.push(groups.names.len());
                groups.names.push(name);
                continue;
            }
            groups.indices.push(MAX_GROUPS - 1);
            if name != other_name {
                groups.joined.push(name);
            }
        }
        groups.names.push(other_name.to_owned());
        groups
    }
}

impl Groups {
    /// Returns the index in `names` of the group with this number of the counter: that of "Other" for
    /// a joined group, and 0 for an unknown number.
    pub fn index_of(&self, number: usize) -> usize {
        self.indices.get(number).copied().unwrap_or_default()
    }
}

/// Counts the groups `joined` to "Other" as an omission, and names the first `MAX_NAMED_GROUPS` of them
/// in a warning. Does nothing if there are none.
pub fn note_joined(chart: &Chart, joined: &[String], scene: &mut Scene) {
    if joined.is_empty() {
        return;
    }
    scene.omit(Omission::JoinedGroups, joined.len());
    let shown: Vec<&str> = joined.iter().map(String::as_str).take(MAX_NAMED_GROUPS).collect();
    let more = joined.len() - shown.len();
    let end = if more > 0 { format!(" and {more} more") } else { String::new() };
    let other = chart.locale().translate(Term::Other);
    scene.warn(format!("Groups shown as \"{other}\": {}{end}.", shown.join(", ")));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of(names: &[&str]) -> (Groups, Vec<String>) {
        let mut counter = GroupCounter::default();
        let numbers: Vec<usize> = names.iter().map(|name| counter.add(name)).collect();
        let groups = counter.finish("Other");
        let shown = numbers.iter().map(|number| groups.names[groups.index_of(*number)].clone());
        let shown = shown.collect();
        (groups, shown)
    }

    #[test]
    fn up_to_eight_groups_keep_their_names() {
        let names = ["a", "b", "Other", "c", "d", "e", "f", "g", "a"];
        let (groups, shown) = groups_of(&names);
        assert_eq!(groups.names, names[..8]);
        assert_eq!(groups.joined, [""; 0]);
        assert_eq!(shown, names);
    }

    #[test]
    fn the_smallest_of_many_groups_are_joined() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "i", "h", "c", "g", "f", "e"];
        let (groups, shown) = groups_of(&names);
        assert_eq!(groups.names, ["a", "c", "e", "f", "g", "h", "i", "Other"]);
        assert_eq!(groups.joined, ["b", "d"]);
        assert_eq!(shown[..4], ["a", "Other", "c", "Other"]);
        assert_eq!(shown[8], "i");
    }

    #[test]
    fn a_chart_notes_how_many_groups_are_joined_and_names_them() {
        for (slug, x, y) in [("scatter", "x", "y"), ("point-map", "longitude", "latitude")] {
            let record = |index: usize| serde_json::json!({x: 5 + index, y: 45 + index % 4, "group": format!("g{index}")});
            let data: Vec<_> = (0..12).map(record).collect();
            let kind = crate::find_kind(slug).unwrap();
            let scene = crate::draw(&Chart::new(kind, &data));
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            assert!(texts.contains(&"Groups combined as “Other”: 5"), "{slug} {texts:?}");
            assert!(texts.contains(&"g6") && !texts.contains(&"g7"), "{slug} {texts:?}");
            let named = "Groups shown as \"Other\": g7, g8, g9, g10, g11.";
            assert!(scene.warnings.iter().any(|warning| warning == named), "{:?}", scene.warnings);
            let scene = crate::draw(&Chart::new(kind, &data[..8]));
            assert_eq!(scene.omissions, [], "{slug}");
        }
    }
}
