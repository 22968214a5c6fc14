//! The graph of a flow chart: steps as nodes and arrows as links, read from the records.

use std::collections::HashMap;
use std::collections::HashSet;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::kinds::flow_chart::conditions;
use crate::kinds::flow_chart::conditions::Successor;

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
    /// Index of its record in the data, or of the record with the first arrow to it.
    pub row: usize,
    /// Indexes of the records with arrows that start at the node. A table of arrows has one record
    /// for each.
    link_rows: Vec<usize>,
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
/// Skips records with neither id nor label. A record without an id has its label as id. Records
/// with the same id and the same label are one step if any record has a successor. Otherwise each
/// record is a step and leads to the next one. Warns about other repeated ids, and about unknown
/// ones.
pub fn read_graph(chart: &Chart, scene: &mut Scene) -> (FlowGraph, usize) {
    let no_ids = HashMap::new();
    let is_linked = |record: &Value| !parse_next(data::field(record, "next"), &no_ids).is_empty();
    let has_links = chart.data.iter().any(is_linked);
    let mut reader = GraphReader { has_links, ..GraphReader::default() };
    for (row, record) in chart.data.iter().enumerate() {
        reader.add_record(row, record, scene);
    }
    let links = reader.read_links(chart, scene);
    (FlowGraph { nodes: reader.nodes, links }, reader.omitted_count)
}

/// The steps that were read so far.
#[derive(Default)]
struct GraphReader {
    nodes: Vec<Node>,
    /// Index of the first step with each id.
    index_by_id: HashMap<String, usize>,
    /// Whether a record names a successor. Otherwise a repeated label is a step of its own.
    has_links: bool,
    /// Whether a record has an id that is not its label.
    has_ids: bool,
    /// Ids of the steps beyond the maximum, with the labels of each.
    omitted: HashMap<String, HashSet<String>>,
    /// Number of steps beyond the maximum.
    omitted_count: usize,
}

impl GraphReader {
    /// Adds the step of a record, or the record to the earlier step with the same id and label if
    /// there are arrows. Warns if an id has several labels. Skips a record with neither id nor
    /// label.
    fn add_record(&mut self, row: usize, record: &Value, scene: &mut Scene) {
        let label = data::record_label(record);
        let id = data::display_text(data::field(record, "id"));
        self.has_ids |= !id.is_empty();
        let id = if id.is_empty() { label.clone() } else { id };
        if id.is_empty() {
            return;
        }
        let shape = match data::display_text(data::field(record, "type")).as_ref() {
            "start" | "end" => NodeShape::Terminal,
            "decision" => NodeShape::Decision,
            _ => NodeShape::Step,
        };
        let label = if label.is_empty() { id.to_string() } else { label.into_owned() };
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let known = self.index_by_id.get(id.as_ref()).and_then(|index| self.nodes.get_mut(*index));
        if let Some(node) = known {
            if self.has_links && node.label == label {
                node.link_rows.push(row);
                node.highlighted |= highlighted;
                if shape != NodeShape::Step {
                    node.shape = shape;
                }
                return;
            }
            scene.warn("Several records have the same id; arrows lead to the first of them.");
        }
        let node = Node { row, link_rows: vec![row], label, shape, highlighted };
        self.add_node(id.into_owned(), node);
    }

    /// Adds a step under its id, unless an earlier step has that id. If the maximum is reached,
    /// only keeps the id as omitted and counts the step: with arrows, records with the same id and
    /// label are one step.
    fn add_node(&mut self, id: String, node: Node) {
        if self.nodes.len() == MAX_STEPS {
            let is_new = self.omitted.entry(id).or_default().insert(node.label);
            self.omitted_count += usize::from(is_new || !self.has_links);
        } else {
            self.index_by_id.entry(id).or_insert(self.nodes.len());
            self.nodes.push(node);
        }
    }

    /// Returns the arrows from the column `next` of the records, without repeated ones. If no
    /// record names a successor, each node leads to the next one.
    ///
    /// If no record has an id, a successor without a record is added as a step, as the ends of a
    /// table of arrows are. Otherwise skips unknown ids, and also arrows beyond the maximum, with a
    /// warning.
    fn read_links(&mut self, chart: &Chart, scene: &mut Scene) -> Vec<Link> {
        let mut links: Vec<Link> = Vec::new();
        let (mut any_successor, mut unknown_count) = (false, 0);
        let starts = self.nodes.iter().enumerate();
        let starts: Vec<(usize, usize)> = starts
            .flat_map(|(from, node)| node.link_rows.iter().map(move |row| (from, *row)))
            .collect();
        for (from, row) in starts {
            let next =
                chart.data.get(row).map_or(&Value::Null, |record| data::field(record, "next"));
            let mut successors = parse_next(next, &self.index_by_id);
            conditions::add_labels(&mut successors, &conditions::read(chart, row));
            for Successor { id, arrow_label } in successors {
                any_successor = true;
                if !self.has_ids && !self.index_by_id.contains_key(&id) {
                    let (label, shape) = (id.clone(), NodeShape::Step);
                    let link_rows = Vec::new();
                    self.add_node(
                        id.clone(),
                        Node { row, link_rows, label, shape, highlighted: false },
                    );
                }
                match self.index_by_id.get(&id) {
                    // A repeated row of a table of arrows.
                    Some(to)
                        if links.iter().any(|link| {
                            (link.from, link.to, &link.label) == (from, *to, &arrow_label)
                        }) => {}
                    Some(to) if links.len() < MAX_LINKS => {
                        links.push(Link { from, to: *to, label: arrow_label });
                    }
                    Some(_) => scene.warn(format!("Only the first {MAX_LINKS} arrows are drawn.")),
                    None if self.omitted.contains_key(&id) => {}
                    None => unknown_count += 1,
                }
            }
        }
        if unknown_count > 0 {
            scene.warn(format!("Arrows to unknown ids: {unknown_count}."));
        }
        if !any_successor {
            links.extend(self.nodes.iter().enumerate().map(|(from, node)| {
                let label = conditions::read(chart, node.row).into_owned();
                Link { from, to: from + 1, label }
            }));
            links.pop();
        }
        links
    }
}

/// Parses the column `next`. Empty without a successor.
///
/// A text contains ids separated by commas or semicolons, each with an optional label before a colon.
/// A list contains such texts, or objects with `to` and `label`.
fn parse_next(next: &Value, index_by_id: &HashMap<String, usize>) -> Vec<Successor> {
    match next {
        Value::Array(list) => {
            list.iter().flat_map(|entry| parse_entry(entry, index_by_id)).collect()
        }
        entry => parse_entry(entry, index_by_id),
    }
}

/// Parses one entry of the column `next` into successors. An object has the fields `to` and
/// `label`. A text contains ids separated by commas or semicolons, each with an optional arrow label
/// and a colon before it, or after it if only the part before the colon is a known id. A number is an id.
///
/// A text, or a part of it between separators, that equals an id of `index_by_id` is this id, even if
/// it contains commas or colons. Skips parts without an id. The returned ids may be unknown.
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
        let (label, id) = (label.trim(), id.trim());
        // Also `Ship: yes`, if only `Ship` is a step.
        let is_reversed = index_by_id.contains_key(label) && !index_by_id.contains_key(id);
        let (label, id) = if is_reversed { (id, label) } else { (label, id) };
        Successor { id: id.to_owned(), arrow_label: label.to_owned() }
    };
    text.split([',', ';']).map(parse_part).filter(|successor| !successor.id.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the labels of the steps, the arrows as pairs of labels, and the warnings.
    fn read(data: &[Value]) -> (Vec<String>, Vec<String>, Vec<String>) {
        let chart = Chart::new(crate::find_kind("flow-chart").unwrap(), data);
        let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
        let (graph, _) = read_graph(&chart, &mut scene);
        let label = |index: usize| graph.nodes[index].label.clone();
        let arrow = |link: &Link| format!("{}>{}>{}", label(link.from), link.label, label(link.to));
        let labels = (0..graph.nodes.len()).map(label).collect();
        (labels, graph.links.iter().map(arrow).collect(), scene.warnings)
    }

    #[test]
    fn a_table_of_arrows_has_one_step_per_name() {
        let arrow = |from: &str, to: &str| json!({"label": from, "next": to});
        let (labels, arrows, warnings) = read(&[
            arrow("Order", "Paid?"),
            arrow("Paid?", "yes: Ship"),
            arrow("Paid?", "no: Remind"),
            arrow("Remind", "Paid?"),
            arrow("Remind", "Paid?"),
        ]);
        assert_eq!(labels, ["Order", "Paid?", "Remind", "Ship"]);
        assert_eq!(arrows, ["Order>>Paid?", "Paid?>yes>Ship", "Paid?>no>Remind", "Remind>>Paid?"]);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn repeated_steps_without_arrows_stay_in_their_order() {
        let data =
            ["Start", "Review", "Fix", "Review", "Done"].map(|label| json!({"label": label}));
        let (labels, arrows, _) = read(&data);
        assert_eq!(labels, ["Start", "Review", "Fix", "Review", "Done"]);
        assert_eq!(arrows.len(), 4);
    }

    #[test]
    fn all_steps_beyond_the_maximum_are_counted() {
        let count_omitted = |data: &[Value]| {
            let chart = Chart::new(crate::find_kind("flow-chart").unwrap(), data);
            let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
            read_graph(&chart, &mut scene).1
        };
        assert_eq!(count_omitted(&vec![json!({"label": "A"}); 300]), 100);
        let named = |index: usize| json!({"label": index.to_string(), "next": "0"});
        let mut arrows: Vec<Value> = (0..210).map(named).collect();
        arrows.push(named(205));
        assert_eq!(count_omitted(&arrows), 10);
    }

    #[test]
    fn an_object_is_a_successor_without_a_list_too() {
        let (labels, arrows, warnings) = read(&[
            json!({"label": "A", "next": {"to": "B", "label": "yes"}}),
            json!({"label": "A", "next": {"to": "C"}}),
        ]);
        assert_eq!(labels, ["A", "B", "C"]);
        assert_eq!(arrows, ["A>yes>B", "A>>C"]);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn ids_may_be_separated_by_semicolons() {
        let (_, arrows, warnings) = read(&[
            json!({"id": 1, "label": "A", "next": "Yes: 2; No: 3"}),
            json!({"id": 2, "label": "B", "next": "3"}),
            json!({"id": 3, "label": "C"}),
        ]);
        assert_eq!(arrows, ["A>Yes>B", "A>No>C", "B>>C"]);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn ids_separated_by_a_comma_are_no_decimal_number() {
        let data = [
            json!({"id": 1, "label": "A", "next": "2"}),
            json!({"id": 2, "label": "B", "next": "3,4"}),
            json!({"id": 3, "label": "C", "next": "4"}),
            json!({"id": 4, "label": "D"}),
        ];
        let settings = json!({"locale": "de"});
        let kind = crate::find_kind("flow-chart").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
        assert_eq!(scene.warnings, Vec::<String>::new());
    }

    #[test]
    fn different_steps_with_one_id_and_unknown_ids_are_reported() {
        let (labels, arrows, warnings) = read(&[
            json!({"id": 1, "label": "A", "next": "2,9"}),
            json!({"id": 2, "label": "B"}),
            json!({"id": 2, "label": "C"}),
        ]);
        assert_eq!((labels.len(), arrows.as_slice()), (3, ["A>>B".to_owned()].as_slice()));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }
}
