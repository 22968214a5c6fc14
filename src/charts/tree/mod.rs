//! Records with parents as a forest, for organization charts and mind maps.

mod tidy;

use kurbo::Rect;
use serde_json::Value;

use crate::Scene;
use crate::data;
use crate::frame::Frame;
use crate::parents;
use crate::parents::ParentRef;
use crate::scene::Anchor;

pub use tidy::{NodeExtent, tidy_layout};

/// Maximum number of boxes of a chart. Records on the deepest levels are omitted first.
const MAX_NODES: usize = 400;

/// A record in the forest.
#[derive(Clone, Debug)]
pub struct RecordNode {
    /// Index of the record in the data.
    pub row: usize,
    /// Label, or the id if the record has no label.
    pub label: String,
    /// Index of the parent in [`RecordTree::nodes`]; None for a root.
    pub parent: Option<usize>,
    /// Indexes of the children, in the order of the records.
    pub children: Vec<usize>,
    /// Number of ancestors.
    pub depth: usize,
}

/// A forest of records.
#[derive(Clone, Debug, Default)]
pub struct RecordTree {
    /// All nodes, level by level, so that parents precede their children.
    pub nodes: Vec<RecordNode>,
    /// Number of levels.
    pub levels: usize,
}

impl RecordTree {
    /// Reads the fields `id` and `parent` and the label of each record. `parent` holds the id or
    /// the label of another record.
    ///
    /// The id replaces a missing label. Records with neither are left out. Records with a parent
    /// that does not exist become roots, and so does the first record of each cycle of parents.
    /// Both add a warning.
    pub fn read(data: &[Value], scene: &mut Scene) -> RecordTree {
        let mut found: Vec<(usize, ParentRef)> = Vec::new();
        for (row, record) in data.iter().enumerate() {
            let (id, label) =
                (data::display_text(data::field(record, "id")), data::record_label(record));
            let label = if label.is_empty() { id.clone() } else { label };
            if !label.is_empty() {
                let parent = data::display_text(data::field(record, "parent"));
                found.push((row, ParentRef { id, label, parent }));
            }
        }
        let (rows, references): (Vec<usize>, Vec<ParentRef>) = found.into_iter().unzip();
        let mut missing = 0;
        let mut parents = parents::resolve_parents(&references, |_| {
            missing += 1;
            None
        });
        if missing > 0 {
            scene.warn(format!("Records with a missing parent, drawn as roots: {missing}."));
        }
        let cycles = parents::break_cycles(&mut parents);
        if cycles > 0 {
            scene.warn(format!("Cycles of parents, broken at their first record: {cycles}."));
        }
        let labels = references.into_iter().map(|reference| reference.label.into_owned());
        arrange(rows.into_iter().zip(labels).collect(), &parents)
    }

    /// Returns the indexes of the roots in `nodes`, in ascending order.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.parent.is_none())
            .map(|(index, _)| index)
    }

    /// Returns the tree reduced to at most `count` nodes: upper levels first, and within a level
    /// the first children of all parents before the second ones.
    pub fn truncated(&self, count: usize) -> RecordTree {
        if count >= self.nodes.len() {
            return self.clone();
        }
        let mut sibling_index = vec![0usize; self.nodes.len()];
        let roots: Vec<usize> = self.roots().collect();
        for siblings in self.nodes.iter().map(|node| &node.children).chain([&roots]) {
            for (index, child) in siblings.iter().enumerate() {
                sibling_index[*child] = index;
            }
        }
        let mut ranked: Vec<usize> = (0..self.nodes.len()).collect();
        ranked.sort_by_key(|index| (self.nodes[*index].depth, sibling_index[*index], *index));
        ranked.truncate(count);
        ranked.sort_unstable();
        let mut new_index = vec![None; self.nodes.len()];
        for (new, old) in ranked.iter().enumerate() {
            new_index[*old] = Some(new);
        }
        let parents: Vec<Option<usize>> = ranked
            .iter()
            .map(|old| self.nodes[*old].parent.and_then(|parent| new_index[parent]))
            .collect();
        let kept = ranked.iter().map(|old| (self.nodes[*old].row, self.nodes[*old].label.clone()));
        arrange(kept.collect(), &parents)
    }

    /// Returns the tree of the nodes for which `is_included` returns true for their index, and the
    /// previous index of each new node. Nodes with an excluded parent become roots.
    pub fn filtered(&self, is_included: impl Fn(usize) -> bool) -> (RecordTree, Vec<usize>) {
        let kept: Vec<usize> = (0..self.nodes.len()).filter(|index| is_included(*index)).collect();
        let mut new_index = vec![None; self.nodes.len()];
        for (new, old) in kept.iter().enumerate() {
            new_index[*old] = Some(new);
        }
        let parents: Vec<Option<usize>> = kept
            .iter()
            .map(|old| self.nodes[*old].parent.and_then(|parent| new_index[parent]))
            .collect();
        // `row` temporarily holds the previous index, until `arrange` has determined the order.
        let found = kept.iter().map(|old| (*old, self.nodes[*old].label.clone())).collect();
        let mut tree = arrange(found, &parents);
        let old: Vec<usize> = tree.nodes.iter().map(|node| node.row).collect();
        for (node, old) in tree.nodes.iter_mut().zip(&old) {
            node.row = self.nodes[*old].row;
        }
        (tree, old)
    }

    /// Returns the tree, reduced until `plan` finds a layout for it, and that layout.
    ///
    /// `plan` gets the area for the layout, the tree, and whether it may shorten names. A layout
    /// with whole names is preferred, unless one with shortened names shows more letters.
    /// `count_letters` returns their number. A tree of more than 400 nodes is always reduced.
    ///
    /// If nodes are omitted, draws a note with their number below that area and adds a warning.
    /// Returns None if no layout fits the canvas, with the warning but without the note.
    pub fn fit_layout<T>(
        &self,
        frame: &Frame,
        scene: &mut Scene,
        plan: impl Fn(Rect, &RecordTree, bool) -> Option<T>,
        count_letters: impl Fn(&RecordTree, &T) -> usize,
    ) -> Option<(RecordTree, T)> {
        let (style, area) = (&frame.style, frame.area);
        let is_small = self.nodes.len() <= MAX_NODES;
        let above_note = Rect { y1: area.y1 - style.small_size * 1.8, ..area };
        let find = |may_shorten: bool| {
            let all = is_small.then(|| plan(area, self, may_shorten)).flatten();
            all.map(|layout| (self.clone(), layout))
                .or_else(|| self.find_largest_fitting(|part| plan(above_note, part, may_shorten)))
        };
        let count = |found: &Option<(RecordTree, T)>| {
            found.as_ref().map_or(0, |(tree, _)| tree.nodes.len())
        };
        let mut found = find(false);
        if count(&found) < self.nodes.len() {
            let shortened = find(true);
            let letters = |found: &Option<(RecordTree, T)>| {
                found.as_ref().map_or(0, |(tree, layout)| count_letters(tree, layout))
            };
            if letters(&shortened) > letters(&found) {
                found = shortened;
            }
        }
        let omitted = self.nodes.len() - count(&found);
        if omitted > 0 {
            scene.warn(format!("Records that do not fit on the canvas: {omitted}."));
        }
        if omitted > 0 && found.is_some() {
            let base = area.y1 - style.small_size * 0.3;
            scene.text(style.overflow_note((area.x0, base), Anchor::Start, omitted, ""));
        }
        found
    }

    /// Returns the largest part of the tree, with at most [`MAX_NODES`] nodes, for which `plan`
    /// finds a layout, and that layout. None if `plan` finds none even for one node.
    ///
    /// The parts are those of [`RecordTree::truncated`]. Finds the size by bisection, so `plan`
    /// should find a layout for every smaller part, too.
    fn find_largest_fitting<T>(
        &self,
        plan: impl Fn(&RecordTree) -> Option<T>,
    ) -> Option<(RecordTree, T)> {
        let all = self.truncated(MAX_NODES);
        if let Some(found) = plan(&all) {
            return Some((all, found));
        }
        let (mut low, mut high) = (0, all.nodes.len());
        let mut best = None;
        while low + 1 < high {
            let middle = low.midpoint(high);
            let part = all.truncated(middle);
            match plan(&part) {
                Some(found) => (low, best) = (middle, Some((part, found))),
                None => high = middle,
            }
        }
        best
    }

    /// Returns the position of each node in its stack, starting at 1, parents before their
    /// descendants. 0 for nodes that are not stacked. A stack has the descendants of a node of the
    /// level `stacked_from_level`.
    pub fn find_stack_positions(&self, stacked_from_level: usize) -> Vec<usize> {
        let mut positions = vec![0; self.nodes.len()];
        for (head, node) in self.nodes.iter().enumerate() {
            if node.depth != stacked_from_level {
                continue;
            }
            let mut pending = vec![head];
            let mut position = 0;
            while let Some(index) = pending.pop() {
                if let Some(node_position) = positions.get_mut(index) {
                    *node_position = position;
                }
                position += 1;
                pending.extend(
                    self.nodes.get(index).iter().flat_map(|node| node.children.iter().rev()),
                );
            }
        }
        positions
    }

    /// Returns for each node the index of its ancestor (or itself) on the level `depth`, counted
    /// from 0. None for nodes above it.
    pub fn ancestors_at_depth(&self, depth: usize) -> Vec<Option<usize>> {
        let mut ancestors: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            let above = node.parent.and_then(|parent| ancestors.get(parent).copied().flatten());
            ancestors.push(if node.depth == depth { Some(index) } else { above });
        }
        ancestors
    }
}

/// Sorts nodes by level, with siblings in their order, and links parents and children. `found`
/// holds row and label of each node, and `parents` the index of its parent in `found`, None for a
/// root. Leaves out cycles of parents and their descendants.
fn arrange(found: Vec<(usize, String)>, parents: &[Option<usize>]) -> RecordTree {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    let mut order: Vec<usize> = Vec::with_capacity(found.len());
    for (index, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(index),
            None => order.push(index),
        }
    }
    let mut next = 0;
    while let Some(index) = order.get(next) {
        order.extend_from_slice(&children[*index]);
        next += 1;
    }
    let mut new_index = vec![0usize; found.len()];
    for (new, old) in order.iter().enumerate() {
        new_index[*old] = new;
    }
    let mut labels: Vec<(usize, String)> = found;
    let mut tree = RecordTree::default();
    for old in order {
        let (row, label) = std::mem::take(&mut labels[old]);
        let parent = parents[old].map(|index| new_index[index]);
        let depth = parent.and_then(|index| tree.nodes.get(index)).map_or(0, |node| node.depth + 1);
        let children = children[old].iter().map(|child| new_index[*child]).collect();
        tree.nodes.push(RecordNode { row, label, parent, children, depth });
        tree.levels = tree.levels.max(depth + 1);
    }
    tree
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::color::WHITE;

    fn read(data: &Value) -> (RecordTree, Vec<String>) {
        let mut scene = Scene::new(100.0, 100.0, WHITE);
        let records = data.as_array().map_or(&[][..], |entries| entries.as_slice());
        (RecordTree::read(records, &mut scene), scene.warnings)
    }

    fn shape(tree: &RecordTree) -> Vec<(&str, usize)> {
        tree.nodes.iter().map(|node| (node.label.as_str(), node.depth)).collect()
    }

    #[test]
    fn parents_precede_their_children() {
        let (tree, warnings) = read(&json!([
            {"id": 3, "parent": 2, "label": "c"}, {"id": 2, "parent": 1, "label": "b"},
            {"id": 1, "label": "a"}, {"label": "d", "parent": "a"}]));
        assert_eq!(shape(&tree), [("a", 0), ("b", 1), ("d", 1), ("c", 2)]);
        assert!(warnings.is_empty() && tree.levels == 3);
    }

    #[test]
    fn cycles_are_broken_and_orphans_are_roots() {
        let (tree, warnings) = read(&json!([
            {"id": "a", "parent": "c"}, {"id": "b", "parent": "a"}, {"id": "c", "parent": "b"},
            {"id": "d", "parent": "d"}, {"id": "e", "parent": "x"}]));
        assert_eq!(shape(&tree), [("a", 0), ("d", 0), ("e", 0), ("b", 1), ("c", 2)]);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }

    #[test]
    fn a_truncated_tree_keeps_upper_levels_and_first_children() {
        let (tree, _) = read(&json!([{"id": "a"}, {"id": "b", "parent": "a"},
            {"id": "c", "parent": "a"}, {"id": "b1", "parent": "b"}, {"id": "b2", "parent": "b"},
            {"id": "c1", "parent": "c"}]));
        assert_eq!(shape(&tree.truncated(5)), [("a", 0), ("b", 1), ("c", 1), ("b1", 2), ("c1", 2)]);
    }
}
