//! Records that name their parent, as a forest, for charts of teams and of thoughts.

mod tidy;

use kurbo::Rect;
use serde_json::Value;

use crate::Scene;
use crate::data;
use crate::frame::Frame;
use crate::parents;
use crate::parents::Named;
use crate::scene::Anchor;

pub use tidy::{Block, tidy};

/// A picture holds no more boxes than this; the deepest ones are left out first.
const MOST_NODES: usize = 400;

/// A record in its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Place of its record.
    pub row: usize,
    /// Name; the id when the record has no label.
    pub label: String,
    /// Place of its parent among the nodes; none for a root.
    pub parent: Option<usize>,
    /// Places of its children, in the order of the records.
    pub children: Vec<usize>,
    /// Steps from its root.
    pub depth: usize,
}

/// Nodes with parents before children, level by level.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// All of them.
    pub nodes: Vec<Node>,
    /// Number of levels.
    pub levels: usize,
}

impl Tree {
    /// Reads `id`, `parent` and `label`. A parent is named by its id, else by its label. A record
    /// whose parent is missing is a root, and so is the first record of a circle.
    pub fn read(data: &[Value], scene: &mut Scene) -> Tree {
        let mut found: Vec<(usize, Named)> = Vec::new();
        for (row, record) in data.iter().enumerate() {
            let (id, label) = (data::words(data::field(record, "id")), data::label(record));
            let label = if label.is_empty() { id.clone() } else { label };
            if !label.is_empty() {
                let parent = data::words(data::field(record, "parent"));
                found.push((row, Named { id, label, parent }));
            }
        }
        let (rows, named): (Vec<usize>, Vec<Named>) = found.into_iter().unzip();
        let mut missing = 0;
        let mut parents = parents::find(&named, |_| {
            missing += 1;
            None
        });
        if missing > 0 {
            scene.warn(format!("Records whose parent is missing, drawn as roots: {missing}."));
        }
        let circles = parents::cut_loops(&mut parents);
        if circles > 0 {
            scene.warn(format!("Circles of parents, opened at their first record: {circles}."));
        }
        let labels = named.into_iter().map(|it| it.label.into_owned());
        arrange(rows.into_iter().zip(labels).collect(), &parents)
    }

    /// The roots.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().enumerate().filter(|it| it.1.parent.is_none()).map(|it| it.0)
    }

    /// The tree with so many nodes at most: upper levels first, and of one level the first
    /// children of every parent first.
    pub fn first(&self, count: usize) -> Tree {
        if count >= self.nodes.len() {
            return self.clone();
        }
        let mut place = vec![0usize; self.nodes.len()];
        let roots: Vec<usize> = self.roots().collect();
        for siblings in self.nodes.iter().map(|it| &it.children).chain([&roots]) {
            for (at, child) in siblings.iter().enumerate() {
                place[*child] = at;
            }
        }
        let mut ranked: Vec<usize> = (0..self.nodes.len()).collect();
        ranked.sort_by_key(|it| (self.nodes[*it].depth, place[*it], *it));
        ranked.truncate(count);
        ranked.sort_unstable();
        let mut new = vec![None; self.nodes.len()];
        for (at, old) in ranked.iter().enumerate() {
            new[*old] = Some(at);
        }
        let parents: Vec<Option<usize>> =
            ranked.iter().map(|it| self.nodes[*it].parent.and_then(|it| new[it])).collect();
        let kept = ranked.iter().map(|it| (self.nodes[*it].row, self.nodes[*it].label.clone()));
        arrange(kept.collect(), &parents)
    }

    /// The nodes that are wanted, with the place that each had; those without a wanted parent
    /// are roots.
    pub fn part(&self, wanted: impl Fn(usize) -> bool) -> (Tree, Vec<usize>) {
        let kept: Vec<usize> = (0..self.nodes.len()).filter(|it| wanted(*it)).collect();
        let mut new = vec![None; self.nodes.len()];
        for (at, old) in kept.iter().enumerate() {
            new[*old] = Some(at);
        }
        let parents: Vec<Option<usize>> =
            kept.iter().map(|it| self.nodes[*it].parent.and_then(|it| new[it])).collect();
        // Rows stand for the old places until the new order is known.
        let found = kept.iter().map(|it| (*it, self.nodes[*it].label.clone())).collect();
        let mut tree = arrange(found, &parents);
        let old: Vec<usize> = tree.nodes.iter().map(|it| it.row).collect();
        for (node, old) in tree.nodes.iter_mut().zip(&old) {
            node.row = self.nodes[*old].row;
        }
        (tree, old)
    }

    /// The tree, or the part of it that has room, with the layout that `plan` finds for it; what
    /// is left out is counted at the foot. None when the canvas has room for nothing.
    pub fn laid<T>(
        &self,
        frame: &Frame,
        scene: &mut Scene,
        plan: impl Fn(Rect, &Tree) -> Option<T>,
    ) -> Option<(Tree, T)> {
        let (look, area) = (&frame.look, frame.area);
        let few = self.nodes.len() <= MOST_NODES;
        let whole = if few { plan(area, self).map(|it| (self.clone(), it)) } else { None };
        let above_note = Rect { y1: area.y1 - look.small * 1.8, ..area };
        let found = whole.or_else(|| self.fitted(|part| plan(above_note, part)));
        let left_out = self.nodes.len() - found.as_ref().map_or(0, |it| it.0.nodes.len());
        if left_out > 0 {
            scene.warn(format!("Records without room: {left_out}."));
        }
        if left_out > 0 && found.is_some() {
            let base = area.y1 - look.small * 0.3;
            scene.text(look.more((area.x0, base), Anchor::Start, left_out, ""));
        }
        found
    }

    /// The largest part of the tree, by [`Tree::first`], for which `plan` finds a layout.
    fn fitted<T>(&self, plan: impl Fn(&Tree) -> Option<T>) -> Option<(Tree, T)> {
        let all = self.first(MOST_NODES);
        if let Some(found) = plan(&all) {
            return Some((all, found));
        }
        let (mut low, mut high) = (0, all.nodes.len());
        let mut best = None;
        while low + 1 < high {
            let middle = low.midpoint(high);
            let part = all.first(middle);
            match plan(&part) {
                Some(found) => (low, best) = (middle, Some((part, found))),
                None => high = middle,
            }
        }
        best
    }

    /// The ancestor of each node, itself included, on the level `depth`; none above that level.
    pub fn branches(&self, depth: usize) -> Vec<Option<usize>> {
        let mut branch: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let above = node.parent.and_then(|it| branch.get(it).copied().flatten());
            branch.push(if node.depth == depth { Some(at) } else { above });
        }
        branch
    }
}

/// Puts nodes in the order of their levels and links them both ways.
fn arrange(found: Vec<(usize, String)>, parents: &[Option<usize>]) -> Tree {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    let mut order: Vec<usize> = Vec::with_capacity(found.len());
    for (at, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(at),
            None => order.push(at),
        }
    }
    let mut next = 0;
    while let Some(at) = order.get(next) {
        order.extend_from_slice(&children[*at]);
        next += 1;
    }
    let mut place = vec![0usize; found.len()];
    for (at, old) in order.iter().enumerate() {
        place[*old] = at;
    }
    let mut labels: Vec<(usize, String)> = found;
    let mut tree = Tree::default();
    for old in order {
        let (row, label) = std::mem::take(&mut labels[old]);
        let parent = parents[old].map(|it| place[it]);
        let depth = parent.and_then(|it| tree.nodes.get(it)).map_or(0, |it| it.depth + 1);
        let children = children[old].iter().map(|it| place[*it]).collect();
        tree.nodes.push(Node { row, label, parent, children, depth });
        tree.levels = tree.levels.max(depth + 1);
    }
    tree
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::color::WHITE;

    fn read(data: &Value) -> (Tree, Vec<String>) {
        let mut scene = Scene::new(100.0, 100.0, WHITE);
        let records = data.as_array().map_or(&[][..], |it| it.as_slice());
        (Tree::read(records, &mut scene), scene.warnings)
    }

    fn shape(tree: &Tree) -> Vec<(&str, usize)> {
        tree.nodes.iter().map(|it| (it.label.as_str(), it.depth)).collect()
    }

    #[test]
    fn parents_stand_before_their_children() {
        let (tree, warnings) = read(&json!([
            {"id": 3, "parent": 2, "label": "c"}, {"id": 2, "parent": 1, "label": "b"},
            {"id": 1, "label": "a"}, {"label": "d", "parent": "a"}]));
        assert_eq!(shape(&tree), [("a", 0), ("b", 1), ("d", 1), ("c", 2)]);
        assert!(warnings.is_empty() && tree.levels == 3);
    }

    #[test]
    fn circles_are_opened_and_orphans_are_roots() {
        let (tree, warnings) = read(&json!([
            {"id": "a", "parent": "c"}, {"id": "b", "parent": "a"}, {"id": "c", "parent": "b"},
            {"id": "d", "parent": "d"}, {"id": "e", "parent": "x"}]));
        assert_eq!(shape(&tree), [("a", 0), ("d", 0), ("e", 0), ("b", 1), ("c", 2)]);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }

    #[test]
    fn a_part_keeps_upper_levels_and_first_children() {
        let (tree, _) = read(&json!([{"id": "a"}, {"id": "b", "parent": "a"},
            {"id": "c", "parent": "a"}, {"id": "b1", "parent": "b"}, {"id": "b2", "parent": "b"},
            {"id": "c1", "parent": "c"}]));
        assert_eq!(shape(&tree.first(5)), [("a", 0), ("b", 1), ("c", 1), ("b1", 2), ("c1", 2)]);
    }
}
