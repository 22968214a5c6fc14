//! Records with parents as a tree of values, for chart kinds with nested shares.
//!
//! The field `parent` (or `group`) of a record holds the `id` or the `label` of another record. A
//! parent without a record becomes a group. If it is a path such as `Europe › Germany`, each part
//! becomes a group in the one before it, so that equal names in different groups stay apart. Records with a parent and a value are no parents by an
//! ambiguous label, such as `Other` below several groups. A cycle of parents is broken at its first record. If
//! the value of a group is larger than the sum of its children, the difference becomes a child
//! "Other". A record of a group that holds the total of the others gives the group its value.

mod subtotals;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Locale, Omission, Term};
use crate::parents;
use crate::parents::ParentRef;
use crate::value_tree::subtotals::Subtotal;
use crate::value_tree::subtotals::TotalName;

/// Separator of the groups in a path, from the outermost to the innermost.
pub const PATH_SEPARATOR: &str = " › ";
/// Maximum number of groups in a path. The first group has the names of all that are beyond it.
const MAX_PATH_LEVELS: usize = 8;
/// Maximum number of names in the warning about totals.
const MAX_NAMED_GROUPS: usize = 8;

/// A record, a group of records, or several small records merged into one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueNode {
    /// Index of the record in the data; None for groups without a record and for merged nodes.
    pub row: Option<usize>,
    /// Name.
    pub label: String,
    /// Value including all descendants. Positive for all nodes that the tree refers to.
    pub value: f64,
    /// Indexes of the children in [`ValueTree::nodes`], the largest first. Merged children and an
    /// unnamed difference ("Other") are last.
    pub children: Vec<usize>,
    /// Whether the record is highlighted.
    pub highlighted: bool,
    /// Color of the record, if it has one.
    pub color: Option<Color>,
    /// Whether the node stands for merged siblings or for an unnamed difference ("Other").
    pub is_other: bool,
}

/// A forest of nodes with values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueTree {
    /// All nodes. Other fields refer to them by index.
    pub nodes: Vec<ValueNode>,
    /// Indexes of the top-level nodes, the largest first.
    pub top_level: Vec<usize>,
    /// Index of the node that contains all of `top_level`, if the records have one.
    pub root: Option<usize>,
}

/// Indexes of groups of which the sum of the parts differs from a value in the data, parents before
/// children.
#[derive(Default)]
struct UnequalSums {
    /// Groups with an own value below the sum.
    above_value: Vec<usize>,
    /// Groups of which a part with a word for totals exceeds the sum of the others.
    below_total: Vec<usize>,
}

impl ValueTree {
    /// Reads the records of a chart and builds the tree.
    ///
    /// If a node or the top level has more than `max_siblings` children (at least 2), the smallest
    /// are merged into one. Negative values count as 0. Nodes without a value above 0 are not among
    /// the children or the top level. The scene counts negative values, and the zeros and missing
    /// values of records without children. Groups with a value below the sum of their children have the
    /// sum, and the scene names them. Cycles of parents are broken at their first record and add a warning.
    pub fn read(chart: &Chart, scene: &mut Scene, max_siblings: usize) -> ValueTree {
        let mut tree = ValueTree::default();
        let numbers: Vec<Option<f64>> =
            chart.data.iter().map(|record| data::number(data::field(record, "value"))).collect();
        for (row, (record, number)) in chart.data.iter().zip(&numbers).enumerate() {
            let value = number.unwrap_or(0.0);
            tree.nodes.push(ValueNode {
                row: Some(row),
                label: data::record_label(record).into_owned(),
                value: value.max(0.0),
                highlighted: data::is_true(data::field(record, "highlighted")),
                color: data::field(record, "color").as_str().and_then(Color::parse),
                ..ValueNode::default()
            });
        }
        chart.omit_negative("value", scene);
        let total_names: Vec<Option<TotalName>> = chart.data.iter().map(read_total_name).collect();
        let mut parents = tree.resolve_parents(chart.data);
        let cycles = parents::break_cycles(&mut parents);
        if cycles > 0 {
            scene.warn(format!("Records that are their own ancestors: {cycles}."));
        }
        let order = tree.add_children(&parents);
        // The value of a node with children is their sum.
        let leaves = tree.nodes.iter().filter(|node| node.children.is_empty());
        for (row, node) in leaves.filter_map(|node| Some((node.row?, node))) {
            let is_blank = chart.data.get(row).is_none_or(data::is_blank);
            match numbers.get(row).copied().flatten() {
                Some(0.0) => scene.omit_named(Omission::Zero, &node.label),
                None if !is_blank => scene.omit_named(Omission::NoValue, &node.label),
                _ => {}
            }
        }
        let sums = tree.sum_values(&order, &total_names, max_siblings, chart.locale());
        tree.report_sums(&sums, scene);
        tree.unwrap_root();
        tree
    }

    /// Returns the node at an index. None if there is no such node.
    pub fn node(&self, index: usize) -> Option<&ValueNode> {
        self.nodes.get(index)
    }

    /// Returns the nodes at these indexes, without those that do not exist.
    pub fn nodes_at<'a>(&'a self, indexes: &'a [usize]) -> impl Iterator<Item = &'a ValueNode> {
        indexes.iter().filter_map(|index| self.nodes.get(*index))
    }

    /// Returns the index of the parent of each node, None at the top level. Adds nodes for parents
    /// without a record. The result may contain cycles.
    fn resolve_parents(&mut self, records: &[Value]) -> Vec<Option<usize>> {
        let to_reference = |record| ParentRef {
            id: data::display_text(data::field(record, "id")),
            label: data::record_label(record),
            parent: read_parent_name(record),
        };
        let mut references: Vec<ParentRef> = records.iter().map(to_reference).collect();
        hide_ambiguous_labels(records, &mut references);
        let mut paths = Vec::new();
        let mut parents = parents::resolve_parents(&references, |name| {
            if name.contains(PATH_SEPARATOR) {
                paths.push((self.nodes.len(), name.to_owned()));
            }
            self.nodes.push(ValueNode { label: name.to_owned(), ..ValueNode::default() });
            Some(self.nodes.len() - 1)
        });
        parents.resize(self.nodes.len(), None);
        self.split_paths(&references, paths, &mut parents);
        parents
    }

    /// Gives each group with a path as name the last part of the path as label, and the group of the
    /// parts before it as parent. Adds groups that no record refers to. `paths` has the indexes and
    /// paths of the groups.
    fn split_paths(
        &mut self,
        references: &[ParentRef],
        paths: Vec<(usize, String)>,
        parents: &mut Vec<Option<usize>>,
    ) {
        // A first part may be a record at the top level, or a group that other records refer to.
        let mut index_of: HashMap<String, usize> = HashMap::new();
        for (index, reference) in references.iter().enumerate().rev() {
            if reference.parent.is_empty() && !reference.label.is_empty() {
                index_of.insert(reference.label.to_string(), index);
            }
        }
        let groups = self.nodes.iter().enumerate().skip(references.len());
        index_of.extend(groups.map(|(index, node)| (node.label.clone(), index)));
        for (mut index, path) in paths {
            let mut rest = path.as_str();
            for _ in 1..MAX_PATH_LEVELS {
                let Some((start, label)) = rest.rsplit_once(PATH_SEPARATOR) else { break };
                if let Some(node) = self.nodes.get_mut(index) {
                    label.clone_into(&mut node.label);
                }
                let known = index_of.get(start).copied();
                let parent = known.unwrap_or_else(|| {
                    self.nodes.push(ValueNode { label: start.to_owned(), ..ValueNode::default() });
                    parents.push(None);
                    index_of.insert(start.to_owned(), self.nodes.len() - 1);
                    self.nodes.len() - 1
                });
                parents[index] = Some(parent);
                if known.is_some() {
                    break;
                }
                (index, rest) = (parent, start);
            }
        }
    }

    /// Adds each node to the children of its parent, or to the top level, in the order of the
    /// nodes. Returns all nodes, parents before children. `parents` must contain no cycle.
    fn add_children(&mut self, parents: &[Option<usize>]) -> Vec<usize> {
        for (index, parent) in parents.iter().enumerate() {
            match parent.and_then(|parent| self.nodes.get_mut(parent)) {
                Some(node) => node.children.push(index),
                None => self.top_level.push(index),
            }
        }
        let mut order = self.top_level.clone();
        let mut next = 0;
        while let Some(index) = order.get(next).copied() {
            order.extend(self.nodes.get(index).map_or(&[][..], |node| &node.children));
            next += 1;
        }
        order
    }

    /// Sums the values from the leaves up. `order` has parents before children. `total_names` has an
    /// entry for each record.
    ///
    /// A child without children that is the total of its siblings is removed, see
    /// [`subtotals::find_subtotal`]. Its value is the own value of the parent unless that has one.
    ///
    /// The value of a parent is its own value or the sum of its children, the larger of both. If
    /// its own value is larger and the sum is above 0, it gets a last child with the label "Other"
    /// in the language of `locale` for the difference. Reduces the children of each node and the
    /// top level by [`Self::sort_and_merge`].
    fn sum_values(
        &mut self,
        order: &[usize],
        total_names: &[Option<TotalName>],
        max_siblings: usize,
        locale: Locale,
    ) -> UnequalSums {
        let mut sums = UnequalSums::default();
        for index in order.iter().rev() {
            if self.take_subtotal(*index, total_names).is_some_and(|total| total.is_larger) {
                sums.below_total.push(*index);
            }
            let Some(node) = self.nodes.get_mut(*index) else { continue };
            let children = std::mem::take(&mut node.children);
            let (own, row) = (node.value, node.row);
            let mut children = self.sort_and_merge(children, max_siblings, locale);
            let parts: f64 = self.nodes_at(&children).map(|node| node.value).sum();
            // A difference below one millionth is a rounding error.
            if parts > 0.0 && own > parts * 1.000_001 {
                children.push(self.nodes.len());
                let label = locale.translate(Term::Other).to_owned();
                let value = own - parts;
                self.nodes.push(ValueNode {
                    row,
                    label,
                    value,
                    is_other: true,
                    ..ValueNode::default()
                });
            }
            if own > 0.0 && parts > own * 1.000_001 {
                sums.above_value.push(*index);
            }
            if let Some(node) = self.nodes.get_mut(*index) {
                node.value = own.max(parts);
                node.children = children;
            }
        }
        let top_level = std::mem::take(&mut self.top_level);
        self.top_level = self.sort_and_merge(top_level, max_siblings, locale);
        // Parents before children.
        sums.above_value.reverse();
        sums.below_total.reverse();
        sums
    }

    /// Names the groups with a value below the sum of their parts, and those with a total above it.
    fn report_sums(&self, sums: &UnequalSums, scene: &mut Scene) {
        for node in self.nodes_at(&sums.above_value) {
            scene.omit_named(Omission::LargerParts, &node.label);
        }
        let below = self.nodes_at(&sums.below_total).map(|node| node.label.as_str());
        let names: Vec<&str> = below.take(MAX_NAMED_GROUPS).collect();
        if !names.is_empty() {
            scene.warn(format!("Totals above the sum of their group: {}.", names.join(", ")));
        }
    }

    /// Removes the child of a node that is the total of the others, and gives the node its value unless
    /// it has one. Returns the total.
    fn take_subtotal(
        &mut self,
        index: usize,
        total_names: &[Option<TotalName>],
    ) -> Option<Subtotal> {
        let name_of = |child: &ValueNode| {
            let is_leaf = child.children.is_empty() && !child.is_other;
            child.row.filter(|_| is_leaf).and_then(|row| total_names.get(row).copied().flatten())
        };
        let children = self.nodes_at(&self.nodes.get(index)?.children);
        let parts: Vec<(f64, Option<TotalName>)> =
            children.map(|child| (child.value, name_of(child))).collect();
        let total = subtotals::find_subtotal(&parts)?;
        let removed = self.nodes.get_mut(index)?.children.remove(total.index);
        let row = self.nodes.get(removed).and_then(|removed| removed.row);
        let node = self.nodes.get_mut(index)?;
        if node.value <= 0.0 {
            node.value = total.value;
        }
        node.row = node.row.or(row);
        Some(total)
    }

    /// Removes siblings without a value and sorts the others by value, the largest first.
    ///
    /// If there are more than `max_siblings` (at least 2), merges the smallest into one last node
    /// with the label "Other" in the language of `locale` and their number, so that `max_siblings`
    /// remain.
    fn sort_and_merge(
        &mut self,
        mut siblings: Vec<usize>,
        max_siblings: usize,
        locale: Locale,
    ) -> Vec<usize> {
        let value_of = |index: &usize| self.nodes.get(*index).map_or(0.0, |node| node.value);
        siblings.retain(|index| value_of(index) > 0.0);
        siblings.sort_by(|one, two| value_of(two).total_cmp(&value_of(one)));
        if siblings.len() > max_siblings.max(2) {
            let merged = siblings.split_off(max_siblings.max(2) - 1);
            let value = merged.iter().map(value_of).sum();
            let other = locale.translate(Term::Other);
            let label = format!("{other} ({})", locale.format_integer(merged.len()));
            siblings.push(self.nodes.len());
            self.nodes.push(ValueNode { label, value, is_other: true, ..ValueNode::default() });
        }
        siblings
    }

    /// If the top level is a single node with children, makes it the root and its children the top
    /// level. Otherwise the tree has no root.
    fn unwrap_root(&mut self) {
        if let [only] = self.top_level[..]
            && let Some(node) = self.nodes.get(only)
            && !node.children.is_empty()
        {
            self.root = Some(only);
            self.top_level = node.children.clone();
        }
    }
}

/// Returns the kind of name of a record that can be the total of its group.
fn read_total_name(record: &Value) -> Option<TotalName> {
    let parent = read_parent_name(record);
    if parent.is_empty() {
        return None;
    }
    subtotals::classify(&data::record_label(record), &parent)
}

/// Removes the labels of records that are no parents of others: records with a parent and a value, and
/// a label that a record below another parent has too, or that means "Other" in any language.
///
/// A table with two levels can have `Other` below several groups, and a group `Other`. Its records
/// would otherwise be parts of the first record with that label, and replace its value.
fn hide_ambiguous_labels(records: &[Value], references: &mut [ParentRef]) {
    let mut first_parents: HashMap<&str, &str> = HashMap::new();
    let mut ambiguous: HashSet<&str> = HashSet::new();
    for reference in references.iter() {
        let first = first_parents.entry(&reference.label).or_insert(&reference.parent);
        if *first != reference.parent {
            ambiguous.insert(&reference.label);
        }
    }
    let is_part = |(record, reference): (&Value, &ParentRef)| {
        let has_value = data::number(data::field(record, "value")).is_some_and(|value| value > 0.0);
        let is_other = || Term::Other.is_translation(&reference.label.to_lowercase());
        has_value
            && !reference.parent.is_empty()
            && (ambiguous.contains(&*reference.label) || is_other())
    };
    let are_parts: Vec<bool> = records.iter().zip(references.iter()).map(is_part).collect();
    for (reference, is_part) in references.iter_mut().zip(are_parts) {
        if is_part {
            reference.label = Cow::Borrowed("");
        }
    }
}

/// Returns the name by which a record refers to its parent: the field `parent`, else `group`. Empty
/// if there is none.
fn read_parent_name(record: &Value) -> Cow<'_, str> {
    let names = ["parent", "group"].map(|key| data::display_text(data::field(record, key)));
    names.into_iter().find(|name| !name.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
