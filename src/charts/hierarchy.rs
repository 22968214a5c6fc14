//! Records that name their parents, as a tree of amounts; for the kinds that nest shares.
//!
//! A record's `parent` (or `group`) names the `id` or the `label` of another record. A parent that
//! has no record of its own becomes a group, a loop of parents is cut open, and a group that
//! claims more than its parts gets the difference as a part called "Other".

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Word;
use crate::parents;
use crate::parents::Named;

/// A record or a group of records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Place of its record; none for groups without one and for joined parts.
    pub row: Option<usize>,
    /// Name.
    pub label: String,
    /// Amount of everything in it, over 0 once it is in the tree.
    pub value: f64,
    /// Its parts, the largest first.
    pub children: Vec<usize>,
    /// Whether it is to stand out.
    pub highlighted: bool,
    /// Its own colour.
    pub color: Option<Color>,
    /// Whether it stands for what is not named.
    pub rest: bool,
}

/// The nodes and where they begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// All nodes; others hold their places.
    pub nodes: Vec<Node>,
    /// The outermost nodes, the largest first.
    pub tops: Vec<usize>,
    /// The node that holds all of `tops`, when the records name one.
    pub whole: Option<usize>,
}

impl Tree {
    /// Reads the records of a chart. Of siblings, those beyond `most` are joined to one.
    pub fn read(chart: &Chart, scene: &mut Scene, most: usize) -> Tree {
        let mut tree = Tree::default();
        let mut below = 0;
        for (row, record) in chart.data.iter().enumerate() {
            let value = data::number(data::field(record, "value")).unwrap_or(0.0);
            below += usize::from(value < 0.0);
            tree.nodes.push(Node {
                row: Some(row),
                label: data::label(record).into_owned(),
                value: value.max(0.0),
                highlighted: data::flag(data::field(record, "highlighted")),
                color: data::field(record, "color").as_str().and_then(Color::parse),
                ..Node::default()
            });
        }
        if below > 0 {
            scene.warn(format!("Records below zero, which have no area: {below}."));
        }
        let mut parents = tree.link(chart.data);
        let loops = parents::cut_loops(&mut parents);
        if loops > 0 {
            scene.warn(format!("Records that are their own ancestors: {loops}."));
        }
        let order = tree.hang(&parents);
        tree.sum(&order, most, chart.language().word(Word::Other));
        tree.enter();
        tree
    }

    /// The node at a place.
    pub fn node(&self, at: usize) -> Option<&Node> {
        self.nodes.get(at)
    }

    /// The nodes at these places.
    pub fn all<'a>(&'a self, places: &'a [usize]) -> impl Iterator<Item = &'a Node> {
        places.iter().filter_map(|it| self.nodes.get(*it))
    }

    /// The parent of each node, with new nodes for parents that have no record.
    fn link(&mut self, records: &[Value]) -> Vec<Option<usize>> {
        let named = |record| Named {
            id: data::words(data::field(record, "id")),
            label: data::label(record),
            parent: parent_of(record),
        };
        let named: Vec<Named> = records.iter().map(named).collect();
        let mut parents = parents::find(&named, |name| {
            self.nodes.push(Node { label: name.to_owned(), ..Node::default() });
            Some(self.nodes.len() - 1)
        });
        parents.resize(self.nodes.len(), None);
        parents
    }

    /// Enters each node among the parts of its parent; returns all, parents before their parts.
    fn hang(&mut self, parents: &[Option<usize>]) -> Vec<usize> {
        for (place, parent) in parents.iter().enumerate() {
            match parent.and_then(|it| self.nodes.get_mut(it)) {
                Some(node) => node.children.push(place),
                None => self.tops.push(place),
            }
        }
        let mut order = self.tops.clone();
        let mut at = 0;
        while let Some(place) = order.get(at).copied() {
            order.extend(self.nodes.get(place).map_or(&[][..], |it| &it.children));
            at += 1;
        }
        order
    }

    /// Sums up from the leaves, drops what is nothing, sorts, and joins the smallest siblings.
    fn sum(&mut self, order: &[usize], most: usize, other: &str) {
        for place in order.iter().rev() {
            let Some(node) = self.nodes.get_mut(*place) else { continue };
            let children = std::mem::take(&mut node.children);
            let (own, row) = (node.value, node.row);
            let mut children = self.tidy(children, most, other);
            let parts: f64 = self.all(&children).map(|it| it.value).sum();
            // A difference that is mere rounding is none.
            if parts > 0.0 && own > parts * 1.000_001 {
                children.push(self.nodes.len());
                let label = other.to_owned();
                let value = own - parts;
                self.nodes.push(Node { row, label, value, rest: true, ..Node::default() });
            }
            if let Some(node) = self.nodes.get_mut(*place) {
                node.value = own.max(parts);
                node.children = children;
            }
        }
        let tops = std::mem::take(&mut self.tops);
        self.tops = self.tidy(tops, most, other);
    }

    fn tidy(&mut self, mut siblings: Vec<usize>, most: usize, other: &str) -> Vec<usize> {
        let value = |it: &usize| self.nodes.get(*it).map_or(0.0, |it| it.value);
        siblings.retain(|it| value(it) > 0.0);
        siblings.sort_by(|one, two| value(two).total_cmp(&value(one)));
        if siblings.len() > most.max(2) {
            let joined = siblings.split_off(most.max(2) - 1);
            let value = joined.iter().map(value).sum();
            let label = format!("{other} ({})", joined.len());
            siblings.push(self.nodes.len());
            self.nodes.push(Node { label, value, rest: true, ..Node::default() });
        }
        siblings
    }

    /// A single node that holds all others is the whole, not a part.
    fn enter(&mut self) {
        if let [only] = self.tops[..]
            && let Some(node) = self.nodes.get(only)
            && !node.children.is_empty()
        {
            self.whole = Some(only);
            self.tops = node.children.clone();
        }
    }
}

fn parent_of(record: &Value) -> Cow<'_, str> {
    let named = ["parent", "group"].map(|key| data::words(data::field(record, key)));
    named.into_iter().find(|it| !it.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::color::WHITE;
    use crate::{Locale, Style, Theme, find_kind};

    fn tree(data: &Value, most: usize) -> (Tree, Vec<String>) {
        let mut scene = Scene::new(100.0, 100.0, WHITE);
        let chart = Chart {
            kind: find_kind("treemap").unwrap(),
            title: "",
            settings: &json!({}),
            data: data.as_array().unwrap(),
            theme: &Theme::default(),
            style: &Style::default(),
            width: 100.0,
            height: 100.0,
            locale: Locale::default(),
            interactive: false,
            id_prefix: "",
        };
        let tree = Tree::read(&chart, &mut scene, most);
        (tree, scene.warnings)
    }

    fn tops(tree: &Tree) -> Vec<(&str, f64)> {
        tree.all(&tree.tops).map(|it| (it.label.as_str(), it.value)).collect()
    }

    #[test]
    fn groups_without_a_record_are_made() {
        let (tree, _) = tree(
            &json!([{"label": "a", "parent": "G", "value": 1}, {"label": "b", "parent": "G", "value": 2},
                    {"label": "H", "value": 9}]),
            10,
        );
        assert_eq!(tops(&tree), [("H", 9.0), ("G", 3.0)]);
    }

    #[test]
    fn a_loop_is_cut_open() {
        let (tree, warnings) = tree(
            &json!([{"label": "a", "parent": "b", "value": 1}, {"label": "b", "parent": "c"},
                    {"label": "c", "parent": "a"}, {"label": "d", "parent": "d", "value": 4}]),
            10,
        );
        assert_eq!(tops(&tree), [("d", 4.0), ("a", 1.0)]);
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn a_group_larger_than_its_parts_has_a_rest() {
        let (tree, _) = tree(
            &json!([{"label": "All", "value": 10}, {"label": "a", "parent": "All", "value": 4},
                    {"label": "b", "parent": "All", "value": -1}]),
            10,
        );
        assert_eq!(tops(&tree), [("a", 4.0), ("Other", 6.0)]);
        assert_eq!(tree.whole, Some(0));
    }

    #[test]
    fn many_siblings_are_joined() {
        let data: Vec<Value> =
            (1..=9).map(|it| json!({"label": it.to_string(), "value": it})).collect();
        let (tree, _) = tree(&json!(data), 3);
        assert_eq!(tops(&tree), [("9", 9.0), ("8", 8.0), ("Other (7)", 28.0)]);
    }

    #[test]
    fn long_chains_are_walked_without_recursion() {
        let data: Vec<Value> =
            (0..50_000).map(|it| json!({"id": it, "parent": it + 1, "value": 1})).collect();
        let (tree, _) = tree(&json!(data), 5);
        assert_eq!(tree.all(&tree.tops).map(|it| it.value).sum::<f64>(), 1.0);
    }
}
