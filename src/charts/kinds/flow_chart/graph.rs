//! The graph of a flow chart: steps as nodes and arrows as links, read from the records.

use std::collections::HashMap;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;

/// Maximum number of steps. The rest is omitted.
const MAX_STEPS: usize = 200;
/// Maximum number of arrows. More would cover the steps.
const MAX_LINKS: usize = 600;

/// Shape of a node.
#[derive(Clone, Copy, PartialEq)]
pub enum NodeShape {
    /// Start or end of the procedure: a bar with round ends.
    Terminal,
    /// An action: a box.
    Step,
    /// A question: a diamond.
    Decision,
}

/// A step of the procedure.
#[derive(Clone)]
pub struct Node {
    /// Index of its record in the data.
    pub row: usize,
    /// Label in the shape.
    pub label: String,
    /// Shape, from the column `type`.
    pub shape: NodeShape,
    /// Whether the node is drawn in the accent color.
    pub highlighted: bool,
}

/// An arrow between two steps.
#[derive(Clone)]
pub struct Link {
    /// Index of the node at which the arrow starts.
    pub from: usize,
    /// Index of the node at which the arrow ends.
    pub to: usize,
    /// Label of the arrow. Usually empty.
    pub label: String,
}

/// A successor of a step, as given in the column `next`.
struct Successor {
    /// Id of the successor.
    id: String,
    /// Label of the arrow to the successor. Empty if there is none.
    arrow_label: String,
}

/// Steps and arrows of a flow chart.
#[derive(Clone)]
pub struct FlowGraph {
    /// Steps in the order of the data.
    pub nodes: Vec<Node>,
    /// Arrows in the order of the data.
    pub links: Vec<Link>,
}

impl FlowGraph {
    /// Returns the arrows as pairs of node indexes.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        self.links.iter().map(|link| (link.from, link.to)).collect()
    }

    /// Removes the nodes with a false entry in `kept`, and their arrows. Renumbers the other
    /// arrows. `kept` must have an entry for each node.
    pub fn retain_nodes(&mut self, kept: &[bool]) {
        let mut new_indexes = Vec::with_capacity(kept.len());
        let mut count = 0;
        for is_kept in kept {
            new_indexes.push(is_kept.then_some(count));
            count += usize::from(*is_kept);
        }
        let mut index = 0;
        self.nodes.retain(|_| {
            index += 1;
            kept[index - 1]
        });
        self.links.retain_mut(|link| match (new_indexes[link.from], new_indexes[link.to]) {
            (Some(from), Some(to)) => {
                (link.from, link.to) = (from, to);
                true
            }
            _ => false,
        });
    }
}

/// Reads steps and arrows. Returns the graph and the number of steps beyond the maximum.
///
/// Skips records with neither id nor label. A record without an id has its label as id. If no
/// record has a successor, each step leads to the next one. Warns about repeated and unknown ids.
pub fn read_graph(chart: &Chart, scene: &mut Scene) -> (FlowGraph, usize) {
    let mut nodes = Vec::new();
    let mut index_by_id: HashMap<String, usize> = HashMap::new();
    let mut omitted = 0;
    for (row, record) in chart.data.iter().enumerate() {
        let label = data::record_label(record);
        let id = data::display_text(data::field(record, "id"));
        let id = if id.is_empty() { label.clone() } else { id };
        if id.is_empty() {
            continue;
        }
        if nodes.len() == MAX_STEPS {
            omitted += 1;
            continue;
        }
        if index_by_id.contains_key(id.as_ref()) {
            scene.warn("Several records have the same id; arrows lead to the first of them.");
        }
        index_by_id.entry(id.clone().into_owned()).or_insert(nodes.len());
        let shape = match data::display_text(data::field(record, "type")).as_ref() {
            "start" | "end" => NodeShape::Terminal,
            "decision" => NodeShape::Decision,
            _ => NodeShape::Step,
        };
        let label = if label.is_empty() { id.into_owned() } else { label.into_owned() };
        let highlighted = data::is_true(data::field(record, "highlighted"));
        nodes.push(Node { row, label, shape, highlighted });
    }
    let links = read_links(chart, &nodes, &index_by_id, scene);
    (FlowGraph { nodes, links }, omitted)
}

/// Reads the arrows from the column `next` of the records of `nodes`. If none of them names a
/// successor, each node leads to the next one.
///
/// Skips unknown ids and arrows beyond the maximum, with a warning.
fn read_links(
    chart: &Chart,
    nodes: &[Node],
    index_by_id: &HashMap<String, usize>,
    scene: &mut Scene,
) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let (mut any_successor, mut unknown_count) = (false, 0);
    for (from, node) in nodes.iter().enumerate() {
        let next =
            chart.data.get(node.row).map_or(&Value::Null, |record| data::field(record, "next"));
        for Successor { id, arrow_label } in parse_next(next, index_by_id) {
            any_successor = true;
            match index_by_id.get(&id) {
                Some(to) if links.len() < MAX_LINKS => {
                    links.push(Link { from, to: *to, label: arrow_label });
                }
                Some(_) => scene.warn(format!("Only the first {MAX_LINKS} arrows are drawn.")),
                None => unknown_count += 1,
            }
        }
    }
    if unknown_count > 0 {
        scene.warn(format!("Arrows to unknown ids: {unknown_count}."));
    }
    if !any_successor {
        let link_from_previous = |to: usize| Link { from: to - 1, to, label: String::new() };
        links.extend((1..nodes.len()).map(link_from_previous));
    }
    links
}

/// Parses the column `next`.
///
/// A text contains ids separated by commas, each with an optional label before a colon. A list
/// contains such texts, or objects with `to` and `label`.
fn parse_next(next: &Value, index_by_id: &HashMap<String, usize>) -> Vec<Successor> {
    match next {
        Value::Array(list) => {
            list.iter().flat_map(|entry| parse_entry(entry, index_by_id)).collect()
        }
        entry => parse_entry(entry, index_by_id),
    }
}

/// Parses one entry of the column `next`: a text or an object. Entries without an id are skipped.
///
/// A text that is an existing id is not split at commas and colons.
fn parse_entry(entry: &Value, index_by_id: &HashMap<String, usize>) -> Vec<Successor> {
    if entry.is_object() {
        let id = data::display_text(data::field(entry, "to")).into_owned();
        let arrow_label = data::display_text(data::field(entry, "label")).into_owned();
        return if id.is_empty() { Vec::new() } else { vec![Successor { id, arrow_label }] };
    }
    let text = data::display_text(entry);
    if text.is_empty() {
        return Vec::new();
    }
    if index_by_id.contains_key(text.as_ref()) {
        return vec![Successor { id: text.into_owned(), arrow_label: String::new() }];
    }
    let parse_part = |part: &str| {
        let part = part.trim();
        let is_id = index_by_id.contains_key(part);
        let (label, id) = part.split_once(':').filter(|_| !is_id).unwrap_or(("", part));
        Successor { id: id.trim().to_owned(), arrow_label: label.trim().to_owned() }
    };
    text.split(',').map(parse_part).filter(|successor| !successor.id.is_empty()).collect()
}
