//! Flows and nodes of a Sankey diagram, read from the records.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::HashSet;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::Omission;
use crate::graph_layers;

/// Maximum number of flows. The smallest flows beyond it are left out, because more ribbons could
/// not be distinguished.
const MAX_FLOWS: usize = 1000;
/// Minimum number of names with a flow to themselves in a table of two states. A single one may be work that
/// is done again.
const MIN_STAYING: usize = 2;
/// Maximum number of entries of the setting `nodeOrder` that are read.
const MAX_ORDERED_NAMES: usize = 10_000;

/// An amount that flows from one node to another.
#[derive(Clone)]
pub struct Flow {
    /// Index of the record in the data.
    pub row: usize,
    /// Index of the source node.
    pub source: usize,
    /// Index of the target node.
    pub target: usize,
    /// Amount, greater than 0.
    pub value: f64,
    /// Whether the flow is highlighted.
    pub highlighted: bool,
}

/// A node: the source or target of at least one flow, or a passage.
#[derive(Clone)]
pub struct Node {
    /// Name. Empty for a passage.
    pub name: String,
    /// Layer, starting with 0 at the left.
    pub layer: usize,
    /// Amount that passes through the node: the greater of inflow and outflow.
    pub value: f64,
    /// Indices of the outgoing flows.
    pub outgoing: Vec<usize>,
    /// Indices of the incoming flows.
    pub incoming: Vec<usize>,
}

/// Flows and nodes to draw.
#[derive(Clone)]
pub struct FlowGraph {
    /// Flows in the order of the data.
    pub flows: Vec<Flow>,
    /// Nodes in order of their first appearance in the flows.
    pub nodes: Vec<Node>,
    /// Number of layers.
    pub layer_count: usize,
}

impl Node {
    /// Returns a passage in a layer, without flows: a node without a name, which keeps space for ribbons.
    pub fn passage(layer: usize) -> Node {
        let (outgoing, incoming) = (Vec::new(), Vec::new());
        Node { name: String::new(), layer, value: 0.0, outgoing, incoming }
    }

    /// Returns a copy of the node without its flows.
    pub fn without_flows(&self) -> Node {
        Node { name: self.name.clone(), value: self.value, ..Node::passage(self.layer) }
    }
}

/// Vertical order of the nodes in each layer.
pub struct LayerOrder {
    /// Indices of the nodes of each layer from top to bottom. The first layer is the leftmost one.
    pub layers: Vec<Vec<usize>>,
    /// Whether the setting `nodeOrder` names at least one node, so that the order must be kept.
    pub is_fixed: bool,
}

/// Numbers of records without a flow.
#[derive(Default)]
struct LeftOut {
    /// Without a source, a target or a number, but not blank.
    incomplete: usize,
    /// With the value zero.
    zero: usize,
    /// With a value below zero.
    negative: usize,
}

/// Reads the flows and assigns their nodes to layers.
///
/// The ends of flows between two states are different nodes, see [`split_states`]. Leaves out records
/// without source, target or positive amount, flows that close a cycle, and the
/// smallest flows beyond `MAX_FLOWS`. The scene counts them, except blank records, and except invalid
/// records if there are no valid ones. Several records with the same ends stay separate flows.
pub fn read_flow_graph(chart: &Chart, scene: &mut Scene) -> FlowGraph {
    let mut flows = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut index_by_name: HashMap<String, usize> = HashMap::new();
    let mut left_out = LeftOut::default();
    for (row, record) in chart.data.iter().enumerate() {
        let source = data::display_text(data::field(record, "source"));
        let target = data::display_text(data::field(record, "target"));
        let value = data::number(data::field(record, "value"));
        let (false, false, Some(value)) = (source.is_empty(), target.is_empty(), value) else {
            left_out.incomplete += usize::from(!data::is_blank(record));
            continue;
        };
        if value <= 0.0 {
            *(if value < 0.0 { &mut left_out.negative } else { &mut left_out.zero }) += 1;
            continue;
        }
        let [source, target] = [source, target].map(|name| {
            *index_by_name.entry(name.clone().into_owned()).or_insert_with(|| {
                names.push(name.into_owned());
                names.len() - 1
            })
        });
        let highlighted = data::is_true(data::field(record, "highlighted"));
        flows.push(Flow { row, source, target, value, highlighted });
    }
    if !flows.is_empty() {
        scene.omit(Omission::Incomplete, left_out.incomplete);
        scene.omit(Omission::Zero, left_out.zero);
        scene.omit(Omission::BelowZero, left_out.negative);
    }
    split_states(&mut flows, &mut names);
    remove_back_edges(&mut flows, names.len(), scene);
    keep_largest_flows(&mut flows, scene);
    build_graph(flows, names)
}

/// Gives the targets nodes of their own if at least `MIN_STAYING` names have a flow to themselves: the records
/// then tell what changed and what stayed between two states, such as plans of customers in two years.
fn split_states(flows: &mut [Flow], names: &mut Vec<String>) {
    let staying = flows.iter().filter(|flow| flow.source == flow.target);
    let staying: HashSet<usize> = staying.map(|flow| flow.source).collect();
    if staying.len() < MIN_STAYING {
        return;
    }
    let count = names.len();
    names.extend_from_within(..);
    flows.iter_mut().for_each(|flow| flow.target += count);
}

/// Removes the flows that close a cycle or lead from a node to itself. The scene counts them.
fn remove_back_edges(flows: &mut Vec<Flow>, node_count: usize, scene: &mut Scene) {
    let links: Vec<(usize, usize)> = flows.iter().map(|flow| (flow.source, flow.target)).collect();
    let is_back_edge = graph_layers::assign_layers(node_count, &links).is_back_edge;
    let removed_count = is_back_edge.iter().filter(|is_back| **is_back).count();
    if removed_count > 0 {
        scene.omit(Omission::Cyclic, removed_count);
        let mut index = 0;
        flows.retain(|_| {
            index += 1;
            !is_back_edge[index - 1]
        });
    }
}

/// Removes the smallest flows beyond `MAX_FLOWS`, of equal ones the later, and keeps the order of the
/// others. The scene counts the removed flows.
fn keep_largest_flows(flows: &mut Vec<Flow>, scene: &mut Scene) {
    if flows.len() > MAX_FLOWS {
        scene.omit(Omission::NoSpace, flows.len() - MAX_FLOWS);
        flows.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.row.cmp(&b.row)));
        flows.truncate(MAX_FLOWS);
        flows.sort_by_key(|flow| flow.row);
    }
}

/// Creates the nodes of the flows, which must not form a cycle, and assigns them to layers, each right
/// of its sources. Nodes without outgoing flows are in the last layer.
///
/// On entry, `source` and `target` of the flows are indices into `names`. They become indices into
/// the nodes. Names without a flow get no node.
fn build_graph(mut flows: Vec<Flow>, names: Vec<String>) -> FlowGraph {
    let mut node_by_name_index = vec![None; names.len()];
    let mut nodes: Vec<Node> = Vec::new();
    for flow in &mut flows {
        for end in [&mut flow.source, &mut flow.target] {
            let node = *node_by_name_index[*end].get_or_insert_with(|| {
                let name = names[*end].clone();
                let (outgoing, incoming) = (Vec::new(), Vec::new());
                nodes.push(Node { name, layer: 0, value: 0.0, outgoing, incoming });
                nodes.len() - 1
            });
            *end = node;
        }
    }
    for (index, flow) in flows.iter().enumerate() {
        nodes[flow.source].outgoing.push(index);
        nodes[flow.target].incoming.push(index);
    }
    let links: Vec<(usize, usize)> = flows.iter().map(|flow| (flow.source, flow.target)).collect();
    let layers = graph_layers::assign_layers(nodes.len(), &links);
    for (node, layer) in nodes.iter_mut().zip(&layers.layer_of) {
        let sum_values =
            |indices: &[usize]| indices.iter().map(|index| flows[*index].value).sum::<f64>();
        node.value = sum_values(&node.outgoing).max(sum_values(&node.incoming));
        // Nodes without outgoing flows are in the last layer, so that they can be compared.
        node.layer = if node.outgoing.is_empty() { layers.count - 1 } else { *layer };
    }
    FlowGraph { flows, nodes, layer_count: layers.count }
}

/// Returns the vertical order of the nodes in each layer.
///
/// Nodes named by the setting `nodeOrder` are at the top of their layer, in that order. The others are
/// in an order with few crossings of ribbons, which starts from descending amounts.
pub fn order_layers(chart: &Chart, graph: &FlowGraph) -> LayerOrder {
    let mut layers = vec![Vec::new(); graph.layer_count];
    for (index, node) in graph.nodes.iter().enumerate() {
        layers[node.layer].push(index);
    }
    for layer in &mut layers {
        layer.sort_by_key(|node| Reverse(to_sort_key(graph.nodes[*node].value)));
    }
    let links: Vec<(usize, usize)> =
        graph.flows.iter().map(|flow| (flow.source, flow.target)).collect();
    graph_layers::reduce_crossings(&mut layers, graph.nodes.len(), &links);
    let listed_names =
        chart.setting("nodeOrder").as_array().map_or(&[][..], |list| list.as_slice());
    let mut rank_by_name: HashMap<&str, usize> = HashMap::new();
    for (rank, name) in listed_names.iter().enumerate().take(MAX_ORDERED_NAMES) {
        rank_by_name.entry(name.as_str().unwrap_or("")).or_insert(rank);
    }
    let find_rank = |node: &usize| rank_by_name.get(graph.nodes[*node].name.as_str()).copied();
    let is_fixed = layers.iter().flatten().any(|node| find_rank(node).is_some());
    if is_fixed {
        for layer in &mut layers {
            layer.sort_by_key(|node| find_rank(node).unwrap_or(usize::MAX));
        }
    }
    LayerOrder { layers, is_fixed }
}

/// Returns the bits of a number as a sort key. The bits of numbers from 0 up have the same order as
/// the numbers. Negative numbers have the key of 0.
fn to_sort_key(value: f64) -> u64 {
    value.max(0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_record_without_a_flow_is_counted_with_its_reason() {
        let data = [
            json!({"source": "Eintritt", "target": "Einnahmen", "value": 12.5}),
            json!({"source": "Verlust", "target": "Rücklage", "value": -1.4}),
            json!({"source": "Kurse", "target": "Einnahmen", "value": 0}),
            json!({"source": "Pacht", "target": "Einnahmen", "value": null}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("sankey").unwrap(), &data));
        let counted = [(Omission::Incomplete, 1), (Omission::Zero, 1), (Omission::BelowZero, 1)];
        assert_eq!(scene.omissions, counted);
    }

    #[test]
    fn blank_records_are_not_counted() {
        let data = [
            json!({"source": "Pacht", "target": "Einnahmen", "value": 12.5}),
            json!({"source": "", "target": " ", "value": null}),
            json!({}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("sankey").unwrap(), &data));
        assert_eq!(scene.omissions, []);
    }

    #[test]
    fn changes_between_two_states_have_nodes_on_both_sides() {
        let record = |source: &str, target: &str, value: u32| json!({"source": source, "target": target, "value": value});
        let mut data = vec![
            record("Basic", "Basic", 400),
            record("Basic", "Pro", 120),
            record("Pro", "Pro", 210),
            record("Pro", "Basic", 35),
        ];
        let kind = crate::find_kind("sankey").unwrap();
        let scene = crate::draw(&Chart::new(kind, &data));
        assert_eq!(scene.omissions, []);
        let names = scene.text_boxes().filter(|(text, _)| *text == "Basic").count();
        assert_eq!(names, 2);
        // Work that is done again.
        data =
            vec![record("Build", "Test", 5), record("Test", "Test", 1), record("Test", "Ship", 4)];
        assert_eq!(crate::draw(&Chart::new(kind, &data)).omissions, [(Omission::Cyclic, 1)]);
    }
}
