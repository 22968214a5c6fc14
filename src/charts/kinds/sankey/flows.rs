//! Flows and the places they join, read from the records.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::graph_layers;

/// More ribbons than this are a tangle; the smallest are left out.
const MOST: usize = 1000;

/// An amount that goes from one place to another.
pub struct Flow {
    /// Place of its record.
    pub row: usize,
    /// Place that it leaves.
    pub from: usize,
    /// Place that it reaches.
    pub to: usize,
    /// Its amount, over 0.
    pub value: f64,
    /// Whether it stands out.
    pub highlighted: bool,
}

/// A place that flows leave or reach.
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its layer, from 0 at the left.
    pub layer: usize,
    /// What passes through: the greater of what comes and what goes.
    pub value: f64,
    /// Flows that leave it.
    pub leaving: Vec<usize>,
    /// Flows that reach it.
    pub entering: Vec<usize>,
}

/// Everything that is to be drawn.
pub struct Flows {
    /// In the order of the data.
    pub all: Vec<Flow>,
    /// In the order in which the data name them.
    pub nodes: Vec<Node>,
    /// Number of layers.
    pub layers: usize,
}

/// Reads the flows, leaves out what cannot be drawn, and puts the places into layers.
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

/// Leaves out the flows that lead back.
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

fn largest(all: &mut Vec<Flow>, scene: &mut Scene) {
    if all.len() > MOST {
        scene.warn(format!("Only the {MOST} largest flows of {} are drawn.", all.len()));
        all.sort_by(|one, two| two.value.total_cmp(&one.value).then(one.row.cmp(&two.row)));
        all.truncate(MOST);
        all.sort_by_key(|it| it.row);
    }
}

/// The places that still have a flow, in layers.
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
        // What leads no further stands at the end, where all such can be compared.
        node.layer = if node.leaving.is_empty() { layers.count - 1 } else { *layer };
    }
    Flows { all, nodes, layers: layers.count }
}

/// The places of each layer from top to bottom: as `nodeOrder` lists them, the others behind so
/// that few ribbons cross; and whether the setting names any.
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

/// Numbers from 0 up sort as their bits do.
fn ordered_bits(value: f64) -> u64 {
    value.max(0.0).to_bits()
}
