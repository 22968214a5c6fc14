//! Where steps stand: in layers along the way, each layer ordered so that few arrows cross.
//!
//! Everything here is across (`x`) and along (`y`) the way; only [`Plan::turn`] knows whether that
//! leads down or to the right.

use kurbo::{Point, Rect};

use crate::frame::Look;
use crate::kinds::flow_chart::graph::{Graph, Link, Shape};
use crate::layers;
use crate::slices::spread;

/// Rounds in which steps move towards those that they are joined to.
const ROUNDS: usize = 24;

/// A laid-out chart, still without its arrows.
pub struct Plan {
    /// Whether the way leads down, not to the right.
    pub down: bool,
    /// Boxes of the steps, then places of the arrows that pass a layer.
    pub places: Vec<Rect>,
    /// The items that each arrow passes, ends included; two for most.
    pub ways: Vec<Vec<usize>>,
    /// Which arrows lead back.
    pub backward: Vec<bool>,
    /// Layer of each item.
    pub layer: Vec<usize>,
    /// Start of each layer along the way.
    pub starts: Vec<f64>,
    /// End of each layer along the way.
    pub ends: Vec<f64>,
    /// Between two layers.
    pub channel: f64,
    /// Before the first and behind the last layer.
    pub outer: f64,
    /// Where arrows that lead back run, and how far those are apart.
    pub lanes: (f64, f64),
}

/// Room across and along the way, and what must fit into it.
struct Room {
    across: (f64, f64),
    along: (f64, f64),
    /// Width of the place of an arrow that passes a layer.
    lane: f64,
    gap: f64,
}

impl Plan {
    /// The point of the picture.
    pub fn turn(&self, point: Point) -> Point {
        if self.down { point } else { Point::new(point.y, point.x) }
    }

    /// The box of a step in the picture.
    pub fn rect(&self, index: usize) -> Rect {
        let it = self.places.get(index).copied().unwrap_or_default();
        Rect::from_points(self.turn(it.origin()), self.turn(Point::new(it.x1, it.y1)))
    }
}

/// Lays a graph out in `area`; `words` is the width of the widest words at an arrow. Boxes are at
/// most `ease` times as wide as they usually are.
pub fn plan(graph: &Graph, area: Rect, (down, ease): (bool, f64), words: f64, look: &Look) -> Plan {
    let layers = layers::arrange(graph.nodes.len(), &graph.pairs());
    let backward = layers.backward.clone();
    let back = backward.iter().filter(|it| **it).count();
    let mut layer = layers.of;
    let mut rows = vec![Vec::new(); layers.count.max(1)];
    layer.iter().enumerate().for_each(|(index, it)| rows[*it].push(index));
    let ways = ways(graph, &backward, &mut layer, &mut rows);
    let pairs: Vec<(usize, usize)> = ways
        .iter()
        .zip(&backward)
        .filter(|it| !it.1)
        .flat_map(|it| it.0.windows(2).filter_map(|it| Some((*it.first()?, *it.get(1)?))))
        .collect();
    layers::untangle(&mut rows, layer.len(), &pairs);
    let (across, along) = if down {
        ((area.x0, area.x1), (area.y0, area.y1))
    } else {
        ((area.y0, area.y1), (area.x0, area.x1))
    };
    let lane = look.label * 1.1;
    let lane = lane.min((across.1 - across.0) * 0.3 / back.max(1) as f64);
    let across = (across.0, across.1 - back as f64 * lane);
    let room = Room { across, along, lane, gap: look.label * if down { 1.6 } else { 1.1 } };
    // Arrows that lead back need a little room before the first and behind the last layer.
    let leaves = |it: &Link| layer[it.from] + 1 == layers.count || layer[it.to] == 0;
    let outside = graph.links.iter().zip(&backward).any(|it| *it.1 && leaves(it.0));
    let outer = if outside { look.label * if down { 0.8 } else { 1.3 } } else { 0.0 };
    let (mut width, channel, spans) = sizes(graph, &rows, &room, (down, ease, outer, words), look);
    let mut middles = middles(graph.nodes.len(), &rows, &pairs, layer.len(), &room, width);
    let share = shrink(&mut middles, graph.nodes.len(), width, &room);
    width *= share;
    if share == 1.0 {
        widen(&mut middles, graph.nodes.len(), width, &room);
    }
    let edge = center(&mut middles, graph.nodes.len(), width, (&room, back as f64 * lane));
    let place = |(index, middle): (usize, &f64)| {
        let shape = graph.nodes.get(index).map(|it| it.shape);
        let (start, end) = spans[layer[index]];
        let half = if shape.is_some() { width / 2.0 } else { 0.0 };
        let cell = Rect::new(middle - half, start, middle + half, end);
        match shape {
            // Questions need room; other boxes would look empty with as much.
            Some(Shape::Decision) => cell.inflate(0.0, (channel * 0.12).min(3.0)),
            Some(_) if down => trim(cell, (0.0, look.label * 2.6)),
            Some(_) => trim(cell, (look.label * 3.4, 0.0)),
            None => cell,
        }
    };
    let places = middles.iter().enumerate().map(place).collect();
    let (starts, ends) = spans.iter().copied().unzip();
    let lanes = (edge, lane);
    Plan { down, places, ways, backward, layer, starts, ends, channel, outer, lanes }
}

/// The box with at most this much across and along the way; 0 leaves it.
fn trim(cell: Rect, (across, along): (f64, f64)) -> Rect {
    let less = |side: f64, most: f64| if most > 0.0 { (most - side).min(0.0) / 2.0 } else { 0.0 };
    cell.inflate(less(cell.width(), across), less(cell.height(), along))
}

/// How much farther apart steps of a layer may stand than they must.
const WIDEST: f64 = 1.7;

/// Moves everything apart where the room holds more; [`center`] follows.
fn widen(middles: &mut [f64], nodes: usize, width: f64, room: &Room) {
    let (low, high) = ends(middles, nodes, width);
    let spread = high - low - width;
    if spread < 1.0 {
        return;
    }
    let share = ((room.across.1 - room.across.0 - width) / spread).clamp(1.0, WIDEST);
    let center = f64::midpoint(low, high);
    middles.iter_mut().for_each(|it| *it = center + (*it - center) * share);
}

/// Where everything begins and ends across the way.
fn ends(middles: &[f64], nodes: usize, width: f64) -> (f64, f64) {
    let half = |index: usize| if index < nodes { width / 2.0 } else { 0.0 };
    let ends = || middles.iter().enumerate();
    let low = ends().map(|it| it.1 - half(it.0)).fold(f64::MAX, f64::min);
    let high = ends().map(|it| it.1 + half(it.0)).fold(f64::MIN, f64::max);
    (low, high)
}

/// Draws everything together where there is more than the room holds; returns by how much.
fn shrink(middles: &mut [f64], nodes: usize, width: f64, room: &Room) -> f64 {
    let (low, high) = ends(middles, nodes, width);
    let share = ((room.across.1 - room.across.0) / (high - low).max(1.0)).min(1.0);
    if share < 1.0 {
        middles.iter_mut().for_each(|it| *it = room.across.0 + (*it - low) * share);
    }
    share
}

/// Moves everything to the middle; returns where the lanes of arrows that lead back begin.
fn center(middles: &mut [f64], nodes: usize, width: f64, (room, lanes): (&Room, f64)) -> f64 {
    let (low, high) = ends(middles, nodes, width);
    let middle = f64::midpoint(room.across.0, room.across.1 + lanes);
    let aside = middle - f64::midpoint(low, high + lanes);
    middles.iter_mut().for_each(|it| *it += aside);
    high + aside
}

/// The items of each arrow: its ends, and a place in every layer between them.
fn ways(
    graph: &Graph,
    backward: &[bool],
    layer: &mut Vec<usize>,
    rows: &mut [Vec<usize>],
) -> Vec<Vec<usize>> {
    let mut ways = Vec::with_capacity(graph.links.len());
    for (link, backward) in graph.links.iter().zip(backward) {
        let mut way = vec![link.from];
        if !backward {
            for (index, row) in
                rows.iter_mut().enumerate().take(layer[link.to]).skip(layer[link.from] + 1)
            {
                way.push(layer.len());
                row.push(layer.len());
                layer.push(index);
            }
        }
        way.push(link.to);
        ways.push(way);
    }
    ways
}

/// Width of a box across the way, room between layers, and where each layer begins and ends.
fn sizes(
    graph: &Graph,
    rows: &[Vec<usize>],
    room: &Room,
    (down, ease, outer, words): (bool, f64, f64, f64),
    look: &Look,
) -> (f64, f64, Vec<(f64, f64)>) {
    let label = look.label;
    // Most across, least and most along, and the wanted and the least room between layers.
    let (wide, least, most, wanted, narrow) = if down {
        (label * 13.0 * ease, label * 1.5, label * 3.2, label * 2.6, label * 0.85)
    } else {
        let wanted = (words + label * 2.0).max(label * 2.6);
        (label * 5.0, label * 6.0, label * 9.5 * ease, wanted, label * 1.5)
    };
    let width = rows.iter().map(|row| {
        let real = row.iter().filter(|it| **it < graph.nodes.len()).count();
        let free = room.across.1 - room.across.0 - (row.len() - real) as f64 * room.lane;
        (free + room.gap) / real.max(1) as f64 - room.gap
    });
    let width = width.fold(wide, f64::min).max(1.0);
    // Between the slopes of a question there is less room.
    let question = |it: &usize| graph.nodes.get(*it).is_some_and(|it| it.shape == Shape::Decision);
    let slopes = if down { 1.6 } else { 1.25 };
    let weight = |row: &Vec<usize>| if row.iter().any(question) { slopes } else { 1.0 };
    let weights: Vec<f64> = rows.iter().map(weight).collect();
    let (sum, gaps) = (weights.iter().sum::<f64>().max(1.0), (rows.len().max(1) - 1) as f64);
    let whole = room.along.1 - room.along.0 - 2.0 * outer;
    let channel = ((whole - least * sum) / gaps.max(1.0)).clamp(narrow, wanted);
    let unit = ((whole - channel * gaps) / sum).clamp(1.0, most);
    let spare = (whole - unit * sum) / gaps.max(1.0);
    let channel = spare.clamp(0.0, wanted * 1.5);
    let used = unit * sum + channel * gaps;
    let mut start = room.along.0 + outer + ((whole - used) / 2.0).max(0.0);
    let mut spans = Vec::with_capacity(weights.len());
    for weight in weights {
        spans.push((start, start + unit * weight));
        start += unit * weight + channel;
    }
    (width, channel, spans)
}

/// The middle of each item across the way, as near to its neighbours as the others allow.
fn middles(
    nodes: usize,
    rows: &[Vec<usize>],
    pairs: &[(usize, usize)],
    count: usize,
    room: &Room,
    width: f64,
) -> Vec<f64> {
    let mut near = vec![(Vec::new(), Vec::new()); count];
    for (from, to) in pairs {
        near[*from].1.push(*to);
        near[*to].0.push(*from);
    }
    let size = |it: usize| if it < nodes { width + room.gap } else { room.lane };
    let center = f64::midpoint(room.across.0, room.across.1);
    let mut middles = vec![center; count];
    for round in 0..=ROUNDS {
        for step in 0..rows.len() {
            let forth = round % 2 == 0;
            let row = &rows[if forth { step } else { rows.len() - 1 - step }];
            let wanted: Vec<f64> = row
                .iter()
                .map(|it| {
                    let (before, after) = &near[*it];
                    let beside = if forth { before } else { after };
                    let beside =
                        if beside.is_empty() { if forth { after } else { before } } else { beside };
                    let sum: f64 = beside.iter().map(|it| middles[*it]).sum();
                    if beside.is_empty() { middles[*it] } else { sum / beside.len() as f64 }
                })
                .collect();
            let sizes: Vec<f64> = row.iter().map(|it| size(*it)).collect();
            let half = room.gap / 2.0;
            let places =
                spread::spread(&wanted, &sizes, room.across.0 - half, room.across.1 + half);
            row.iter().zip(places).for_each(|(it, place)| middles[*it] = place);
        }
    }
    middles
}
