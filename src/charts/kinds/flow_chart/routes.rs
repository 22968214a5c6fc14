//! The ways of arrows: straight along, and across only between two layers, each on its own track.

use std::collections::BTreeMap;

use kurbo::Point;

use crate::kinds::flow_chart::graph::{Graph, Shape};
use crate::kinds::flow_chart::plan::Plan;

/// A way across a channel.
struct Hop {
    link: usize,
    /// Place of this hop among those of its arrow.
    order: usize,
    from: f64,
    to: f64,
}

/// The corners of each arrow, in the plan's directions.
pub fn routes(graph: &Graph, plan: &Plan) -> Vec<Vec<Point>> {
    let ports = ports(graph, plan);
    let mut channels: BTreeMap<usize, Vec<Hop>> = BTreeMap::new();
    let middle = |it: usize| plan.places.get(it).map_or(0.0, |it| it.center().x);
    for (link, way) in plan.ways.iter().enumerate() {
        let (Some(first), Some(last)) = (way.first(), way.last()) else { continue };
        // Channel `n` lies before layer `n`.
        if plan.backward[link] {
            let lane = lane(plan, link);
            let (out, home) = (plan.layer[*first] + 1, plan.layer[*last]);
            let hop = Hop { link, order: 0, from: ports[link], to: lane };
            channels.entry(out).or_default().push(hop);
            let hop = Hop { link, order: 1, from: lane, to: middle(*last) };
            channels.entry(home).or_default().push(hop);
            continue;
        }
        for (order, pair) in way.windows(2).enumerate() {
            let [one, two] = pair else { continue };
            let from = if order == 0 { ports[link] } else { middle(*one) };
            let hop = Hop { link, order, from, to: middle(*two) };
            channels.entry(plan.layer[*one] + 1).or_default().push(hop);
        }
    }
    let mut tracks: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (channel, hops) in &channels {
        let (start, length) = match channel.checked_sub(1) {
            Some(before) if *channel < plan.starts.len() => (plan.ends[before], plan.channel),
            Some(before) => (plan.ends[before], plan.outer),
            None => (plan.starts[0] - plan.outer, plan.outer),
        };
        for (hop, share) in shares(hops) {
            tracks.insert((hop.link, hop.order), start + length * share);
        }
    }
    corners(graph, plan, &ports, &tracks)
}

/// Where each arrow leaves its step: side by side, in the order of where they lead.
fn ports(graph: &Graph, plan: &Plan) -> Vec<f64> {
    let mut leaving = vec![Vec::new(); graph.nodes.len()];
    for (link, way) in plan.ways.iter().enumerate() {
        let to = way.get(1).and_then(|it| plan.places.get(*it)).map_or(0.0, |it| it.center().x);
        let to = if plan.backward[link] { f64::MAX } else { to };
        leaving[graph.links[link].from].push((to, link));
    }
    let mut ports = vec![0.0; graph.links.len()];
    for (node, list) in leaving.iter_mut().enumerate() {
        list.sort_by(|one, two| one.0.total_cmp(&two.0));
        let place = plan.places.get(node).copied().unwrap_or_default();
        let step = place.width() * 0.56 / list.len().max(2) as f64;
        let single = list.len() == 1;
        for (index, (_, link)) in list.iter().enumerate() {
            let aside = (index as f64 - (list.len() - 1) as f64 / 2.0) * step;
            ports[*link] = place.center().x + if single { 0.0 } else { aside };
        }
        // One that leads nearly straight on does so.
        let near = place.width() * 0.12;
        let straight = list.iter().find(|it| (it.0 - place.center().x).abs() < near);
        if let (Some((to, link)), 1 | 2) = (straight, list.len()) {
            ports[*link] = *to;
        }
    }
    ports
}

/// The share of a channel at which each hop crosses it. Hops to one place share a track; a hop
/// that leaves where another one arrives crosses first, so that they do not lie on each other.
fn shares(hops: &[Hop]) -> Vec<(&Hop, f64)> {
    let mut groups: Vec<(f64, Vec<&Hop>)> = Vec::new();
    let mut sorted: Vec<&Hop> = hops.iter().collect();
    // Of those that lead the same way the foremost crosses first.
    let key = |it: &Hop| if it.to > it.from { -it.from } else { it.from };
    sorted.sort_by(|one, two| key(one).total_cmp(&key(two)));
    for hop in sorted {
        match groups.iter_mut().find(|it| (it.0 - hop.to).abs() < 0.5) {
            Some(group) => group.1.push(hop),
            None => groups.push((hop.to, vec![hop])),
        }
    }
    for _ in 0..groups.len().min(20) {
        for one in 0..groups.len() {
            for two in 0..one {
                let meets = groups[one].1.iter().any(|it| (it.from - groups[two].0).abs() < 2.0);
                let met = groups[two].1.iter().any(|it| (it.from - groups[one].0).abs() < 2.0);
                if meets && !met {
                    groups.swap(one, two);
                }
            }
        }
    }
    let bent = |group: &[&Hop]| group.iter().any(|it| (it.from - it.to).abs() >= 0.5);
    let count = groups.iter().filter(|it| bent(&it.1)).count() as f64;
    let mut shares = Vec::new();
    let mut track = 0.0;
    for (_, group) in &groups {
        track += f64::from(u8::from(bent(group)));
        // The last part belongs to the arrow heads.
        let share = 0.2 + 0.5 * track / (count + 1.0);
        shares.extend(group.iter().map(|it| (*it, share)));
    }
    shares
}

fn corners(
    graph: &Graph,
    plan: &Plan,
    ports: &[f64],
    tracks: &BTreeMap<(usize, usize), f64>,
) -> Vec<Vec<Point>> {
    let mut routes = Vec::with_capacity(graph.links.len());
    for (link, way) in plan.ways.iter().enumerate() {
        let (Some(from), Some(to)) = (way.first(), way.last()) else { continue };
        let (Some(start), Some(end)) = (plan.places.get(*from), plan.places.get(*to)) else {
            continue;
        };
        let mut at = ports[link];
        let mut points = vec![Point::new(at, leaves(graph, *from, *start, at))];
        let stops: Vec<f64> = if plan.backward[link] {
            vec![lane(plan, link), end.center().x]
        } else {
            way.iter()
                .skip(1)
                .filter_map(|it| plan.places.get(*it))
                .map(|it| it.center().x)
                .collect()
        };
        for (order, stop) in stops.iter().enumerate() {
            let Some(track) = tracks.get(&(link, order)) else { continue };
            if (stop - at).abs() >= 0.5 {
                points.push(Point::new(at, *track));
                points.push(Point::new(*stop, *track));
                at = *stop;
            }
        }
        points.push(Point::new(at, end.y0));
        routes.push(points);
    }
    routes
}

/// The lane of an arrow that leads back.
fn lane(plan: &Plan, link: usize) -> f64 {
    let before = plan.backward.iter().take(link).filter(|it| **it).count();
    plan.lanes.0 + plan.lanes.1 * (before as f64 + 0.6)
}

/// Where an arrow leaves the outline of its step.
fn leaves(graph: &Graph, node: usize, place: kurbo::Rect, at: f64) -> f64 {
    let decision = graph.nodes.get(node).is_some_and(|it| it.shape == Shape::Decision);
    let aside = (at - place.center().x).abs() / (place.width() / 2.0).max(1e-6);
    place.y1 - if decision { aside.min(1.0) * place.height() / 2.0 } else { 0.0 }
}
