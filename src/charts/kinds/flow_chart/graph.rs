//! Steps and what follows from each, read from the records.

use std::collections::HashMap;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;

/// More steps than this are no picture; the rest is left out.
const MOST: usize = 200;
/// More arrows than this leave no step visible.
const MOST_LINKS: usize = 600;

/// How a step is drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Shape {
    /// Where the procedure begins or ends.
    Terminal,
    /// Something that is done.
    Step,
    /// A question.
    Decision,
}

/// A record.
pub struct Node {
    /// Place of its record.
    pub row: usize,
    /// Its name.
    pub label: String,
    /// How it is drawn.
    pub shape: Shape,
    /// Whether it stands out.
    pub highlighted: bool,
}

/// An arrow between two steps.
pub struct Link {
    /// Place of the step that it leaves.
    pub from: usize,
    /// Place of the step that it reaches.
    pub to: usize,
    /// Words at the arrow; mostly empty.
    pub label: String,
}

/// Everything that is to be drawn.
pub struct Graph {
    /// In the order of the data.
    pub nodes: Vec<Node>,
    /// In the order in which the records name them.
    pub links: Vec<Link>,
}

impl Graph {
    /// The arrows as pairs of steps.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        self.links.iter().map(|it| (it.from, it.to)).collect()
    }

    /// Leaves out the steps that are not kept, and their arrows.
    pub fn keep(&mut self, kept: &[bool]) {
        let mut place = Vec::with_capacity(kept.len());
        let mut count = 0;
        for it in kept {
            place.push(it.then_some(count));
            count += usize::from(*it);
        }
        let mut index = 0;
        self.nodes.retain(|_| {
            index += 1;
            kept[index - 1]
        });
        self.links.retain_mut(|link| match (place[link.from], place[link.to]) {
            (Some(from), Some(to)) => {
                (link.from, link.to) = (from, to);
                true
            }
            _ => false,
        });
    }
}

/// Reads steps and arrows; when no record names what follows, each leads to the next one.
pub fn read(chart: &Chart, scene: &mut Scene) -> (Graph, usize) {
    let mut nodes = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut more = 0;
    for (row, record) in chart.data.iter().enumerate() {
        let label = data::label(record);
        let id = data::words(data::field(record, "id"));
        let id = if id.is_empty() { label.clone() } else { id };
        if id.is_empty() {
            continue;
        }
        if nodes.len() == MOST {
            more += 1;
            continue;
        }
        if known.contains_key(id.as_ref()) {
            scene.warn("Several records have the same id; arrows lead to the first of them.");
        }
        known.entry(id.clone().into_owned()).or_insert(nodes.len());
        let shape = match data::words(data::field(record, "type")).as_ref() {
            "start" | "end" => Shape::Terminal,
            "decision" => Shape::Decision,
            _ => Shape::Step,
        };
        let label = if label.is_empty() { id.into_owned() } else { label.into_owned() };
        let highlighted = data::flag(data::field(record, "highlighted"));
        nodes.push(Node { row, label, shape, highlighted });
    }
    let links = links(chart, &nodes, &known, scene);
    (Graph { nodes, links }, more)
}

fn links(
    chart: &Chart,
    nodes: &[Node],
    known: &HashMap<String, usize>,
    scene: &mut Scene,
) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let (mut named, mut unknown) = (false, 0);
    for (from, node) in nodes.iter().enumerate() {
        let next = chart.data.get(node.row).map_or(&Value::Null, |it| data::field(it, "next"));
        for (label, id) in followers(next, known) {
            named = true;
            match known.get(&id) {
                Some(to) if links.len() < MOST_LINKS => links.push(Link { from, to: *to, label }),
                Some(_) => scene.warn(format!("Only the first {MOST_LINKS} arrows are drawn.")),
                None => unknown += 1,
            }
        }
    }
    if unknown > 0 {
        scene.warn(format!("Arrows to steps that no record has: {unknown}."));
    }
    if !named {
        let chain = |from: usize| Link { from, to: from + 1, label: String::new() };
        links.extend((1..nodes.len()).map(|it| chain(it - 1)));
    }
    links
}

/// Words at the arrow and id of each follower. Text may name several, parted by commas, each with
/// its words before a colon; a list holds texts, or objects with `to` and `label`.
fn followers(next: &Value, known: &HashMap<String, usize>) -> Vec<(String, String)> {
    match next {
        Value::Array(list) => list.iter().flat_map(|it| follower(it, known)).collect(),
        it => follower(it, known),
    }
}

fn follower(next: &Value, known: &HashMap<String, usize>) -> Vec<(String, String)> {
    if next.is_object() {
        let id = data::words(data::field(next, "to")).into_owned();
        let label = data::words(data::field(next, "label")).into_owned();
        return if id.is_empty() { Vec::new() } else { vec![(label, id)] };
    }
    let words = data::words(next);
    if words.is_empty() || known.contains_key(words.as_ref()) {
        return if words.is_empty() {
            Vec::new()
        } else {
            vec![(String::new(), words.into_owned())]
        };
    }
    let entry = |it: &str| {
        let it = it.trim();
        let (label, id) =
            it.split_once(':').filter(|_| !known.contains_key(it)).unwrap_or(("", it));
        (label.trim().to_owned(), id.trim().to_owned())
    };
    words.split(',').map(entry).filter(|it| !it.1.is_empty()).collect()
}
