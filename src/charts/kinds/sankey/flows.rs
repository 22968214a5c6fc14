//! Flows and nodes of a Sankey diagram, read from the records.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::graph_layers;

/// Maximum number of flows. The smallest flows beyond it are left out, because more ribbons could
/// not be distinguished.
const MAX_FLOWS: usize = 1000;

/// An amount that flows from one node to another.
pub struct Flow {
    /// Index of the record in the data.
    pub row: usize,
    /// Index of the source node.
    pub from: usize,
    /// Index of the target node.
    pub to: usize,
    /// Amount, greater than 0.
    pub value: f64,
    /// Whether the flow is highlighted.
    pub highlighted: bool,
}

/// A node: the source or target of at least one flow.
pub struct Node {
    /// Name.
    pub name: String,
    /// Layer, starting with 0 at the left.
    pub layer: usize,
    /// Amount that passes through the node: the greater of inflow and outflow.
    pub value: f64,
    /// Indices of the outgoing flows.
    pub leaving: Vec<usize>,
    /// Indices of the incoming flows.
    pub entering: Vec<usize>,
}

/// Flows and nodes to draw.
pub struct Flows {
    /// Flows in the order of the data.
    pub all: Vec<Flow>,
    /// Nodes in order of their first appearance in the data.
    pub nodes: Vec<Node>,
    /// Number of layers.
    pub layers: usize,
}

/// Reads the flows and assigns their nodes to layers.
///
/// Leaves out records without source, target or positive amount, flows that lead back, and the
/// smallest flows beyond the maximum. Warns about them.
pub fn read(chart: &Chart, scene: &mut Scene) -> Flows {
    let mut all = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut odd = 0;
    for (row, record) in chart.data.iter().enumerate() {
        let from = data::display_text(data::field(record, "source"));
        let to = data::display_text(data::field(record, "target"));
        let value = data::number(data::field(record, "value")).filter(|it| *it > 0.0);
        let (false, false, Some(value)) = (from.is_empty(), to.is_empty(), value) else {
            odd += 1;
            continue;
        };
        let [from, to] = [from, to].map(|name| {
            *known.entry(name.clone().into_owned()).or_insert_with(|| {
                names.push(name.into_owned());
                names.len() - 1
            })
        });
        let highlighted = data::is_true(data::field(record, "highlighted"));
        all.push(Flow { row, from, to, value, highlighted });
    }
    if odd > 0 && !all.is_empty() {
        scene.warn(format!("Records without two places and an amount over 0: {odd}."));
    }
    forward(&mut all, names.len(), scene);
    largest(&mut all, scene);
    gather(all, names)
}

/// Removes the flows that lead back to an earlier node, and warns about them.
fn forward(all: &mut Vec<Flow>, count: usize, scene: &mut Scene) {
    let links: Vec<(usize, usize)> = all.iter().map(|it| (it.from, it.to)).collect();
    let backward = graph_layers::assign_layers(count, &links).is_back_edge;
    let number = backward.iter().filter(|it| **it).count();
    if number > 0 {
        scene.warn(format!("Flows that lead back to where they came from are left out: {number}."));
        let mut index = 0;
        all.retain(|_| {
            index += 1;
            !backward[index - 1]
        });
    }
}

/// Keeps only the largest flows if there are too many, and warns about it.
fn largest(all: &mut Vec<Flow>, scene: &mut Scene) {
    if all.len() > MAX_FLOWS {
        scene.warn(format!("Only the {MAX_FLOWS} largest flows of {} are drawn.", all.len()));
        all.sort_by(|one, two| two.value.total_cmp(&one.value).then(one.row.cmp(&two.row)));
        all.truncate(MAX_FLOWS);
        all.sort_by_key(|it| it.row);
    }
}

/// Collects the nodes that still have a flow, and assigns them to layers.
fn gather(mut all: Vec<Flow>, names: Vec<String>) -> Flows {
    let mut place = vec![None; names.len()];
    let mut nodes: Vec<Node> = Vec::new();
    for flow in &mut all {
        for end in [&mut flow.from, &mut flow.to] {
            let at = *place[*end].get_or_insert_with(|| {
                let name = names[*end].clone();
                let (leaving, entering) = (Vec::new(), Vec::new());
                nodes.push(Node { name, layer: 0, value: 0.0, leaving, entering });
                nodes.len() - 1
            });
            *end = at;
        }
    }
    for (index, flow) in all.iter().enumerate() {
        nodes[flow.from].leaving.push(index);
        nodes[flow.to].entering.push(index);
    }
    let links: Vec<(usize, usize)> = all.iter().map(|it| (it.from, it.to)).collect();
    let layers = graph_layers::assign_layers(nodes.len(), &links);
    for (node, layer) in nodes.iter_mut().zip(&layers.layer_of) {
        let sum = |list: &[usize]| list.iter().map(|it| all[*it].value).sum::<f64>();
        node.value = sum(&node.leaving).max(sum(&node.entering));
        // Nodes without outgoing flows are in the last layer, so that they can be compared.
        node.layer = if node.leaving.is_empty() { layers.count - 1 } else { *layer };
    }
    Flows { all, nodes, layers: layers.count }
}

/// Returns the nodes of each layer from top to bottom, and whether `nodeOrder` names any of them.
///
/// Nodes named by `nodeOrder` come first, in that order. The others follow in an order with few
/// crossings of ribbons.
pub fn rows(chart: &Chart, flows: &Flows) -> (Vec<Vec<usize>>, bool) {
    let mut rows = vec![Vec::new(); flows.layers];
    for (index, node) in flows.nodes.iter().enumerate() {
        rows[node.layer].push(index);
    }
    for row in &mut rows {
        row.sort_by_key(|it| Reverse(ordered_bits(flows.nodes[*it].value)));
    }
    let links: Vec<(usize, usize)> = flows.all.iter().map(|it| (it.from, it.to)).collect();
    graph_layers::reduce_crossings(&mut rows, flows.nodes.len(), &links);
    let listed = chart.setting("nodeOrder").as_array().map_or(&[][..], |it| it.as_slice());
    let mut rank: HashMap<&str, usize> = HashMap::new();
    for (index, name) in listed.iter().enumerate().take(10_000) {
        rank.entry(name.as_str().unwrap_or("")).or_insert(index);
    }
    let known = |it: &usize| rank.get(flows.nodes[*it].name.as_str()).copied();
    let fixed = rows.iter().flatten().any(|it| known(it).is_some());
    if fixed {
        rows.iter_mut().for_each(|row| row.sort_by_key(|it| known(it).unwrap_or(usize::MAX)));
    }
    (rows, fixed)
}

/// Returns the bits of a number as a sort key. The bits of numbers from 0 up have the same order as
/// the numbers.
fn ordered_bits(value: f64) -> u64 {
    value.max(0.0).to_bits()
}
