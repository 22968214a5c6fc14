//! Routes of the arrows of a flow chart: orthogonal, across the flow only in the channels between
//! layers.
//!
//! In each channel the arrows are assigned to tracks, so that they do not cover each other. All
//! coordinates are in flow space (see [`layout`](crate::kinds::flow_chart::layout)).

use std::collections::BTreeMap;

use kurbo::Point;

use crate::kinds::flow_chart::graph::{FlowGraph, NodeShape};
use crate::kinds::flow_chart::layout::FlowLayout;

/// The segment of a link that runs across the flow, in one channel. Coordinates are in points.
struct CrossSegment {
    /// Index of the link.
    link: usize,
    /// Position among the cross segments of its link.
    order: usize,
    /// Coordinate across the flow at which the segment starts.
    from: f64,
    /// Coordinate across the flow at which the segment ends.
    to: f64,
}

/// The links with the same target in one channel. They share a track.
struct TrackGroup<'a> {
    /// Coordinate across the flow of the target.
    target: f64,
    segments: Vec<&'a CrossSegment>,
}

impl TrackGroup<'_> {
    /// Returns whether any segment starts at least half a point across the flow from its end.
    fn is_bent(&self) -> bool {
        self.segments.iter().any(|segment| (segment.from - segment.to).abs() >= 0.5)
    }

    /// Returns whether any segment starts within 2 points of this coordinate across the flow.
    fn starts_at(&self, coordinate: f64) -> bool {
        self.segments.iter().any(|segment| (segment.from - coordinate).abs() < 2.0)
    }
}

/// Returns the points of each link in flow space: its start at the outline of its node, its
/// corners, and its end at the next node.
pub fn route_links(graph: &FlowGraph, layout: &FlowLayout) -> Vec<Vec<Point>> {
    let ports = assign_ports(graph, layout);
    let mut channels: BTreeMap<usize, Vec<CrossSegment>> = BTreeMap::new();
    let center = |item: usize| layout.boxes.get(item).map_or(0.0, |area| area.center().x);
    for (link, path) in layout.paths.iter().enumerate() {
        let (Some(first), Some(last)) = (path.first(), path.last()) else { continue };
        // Channel `n` is before layer `n`.
        if layout.is_backward[link] {
            let lane = backward_lane(layout, link);
            let (first_channel, last_channel) =
                (layout.layer_of[*first] + 1, layout.layer_of[*last]);
            let segment = CrossSegment { link, order: 0, from: ports[link], to: lane };
            channels.entry(first_channel).or_default().push(segment);
            let segment = CrossSegment { link, order: 1, from: lane, to: center(*last) };
            channels.entry(last_channel).or_default().push(segment);
            continue;
        }
        for (order, pair) in path.windows(2).enumerate() {
            let [item, next] = pair else { continue };
            let from = if order == 0 { ports[link] } else { center(*item) };
            let segment = CrossSegment { link, order, from, to: center(*next) };
            channels.entry(layout.layer_of[*item] + 1).or_default().push(segment);
        }
    }
    // Coordinate along the flow of each cross segment, by link and order.
    let mut tracks: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (channel, segments) in &channels {
        let (start, length) = match channel.checked_sub(1) {
            Some(before) if *channel < layout.layer_starts.len() => {
                (layout.layer_ends[before], layout.channel)
            }
            Some(before) => (layout.layer_ends[before], layout.outer_channel),
            None => (layout.layer_starts[0] - layout.outer_channel, layout.outer_channel),
        };
        for (segment, share) in assign_tracks(segments) {
            tracks.insert((segment.link, segment.order), start + length * share);
        }
    }
    build_routes(graph, layout, &ports, &tracks)
}

/// Returns the coordinate across the flow at which each link leaves its node.
///
/// The links of a node leave side by side, in the order of the next items on their paths, so that
/// they do not cross. Backward links come last. Of one or two links, one that leads nearly straight
/// on leaves at the coordinate of its next item instead.
fn assign_ports(graph: &FlowGraph, layout: &FlowLayout) -> Vec<f64> {
    // Coordinate of the target, and index, of the links that leave each node.
    let mut leaving_links = vec![Vec::new(); graph.nodes.len()];
    for (link, path) in layout.paths.iter().enumerate() {
        let target = path
            .get(1)
            .and_then(|item| layout.boxes.get(*item))
            .map_or(0.0, |area| area.center().x);
        let target = if layout.is_backward[link] { f64::MAX } else { target };
        leaving_links[graph.links[link].from].push((target, link));
    }
    let mut ports = vec![0.0; graph.links.len()];
    for (node, links) in leaving_links.iter_mut().enumerate() {
        links.sort_by(|a, b| a.0.total_cmp(&b.0));
        let area = layout.boxes.get(node).copied().unwrap_or_default();
        let step = area.width() * 0.56 / links.len().max(2) as f64;
        let is_single = links.len() == 1;
        for (index, (_, link)) in links.iter().enumerate() {
            let offset = (index as f64 - (links.len() - 1) as f64 / 2.0) * step;
            ports[*link] = area.center().x + if is_single { 0.0 } else { offset };
        }
        // Of one or two links, the one that leads nearly straight on leaves at the coordinate of
        // its target.
        let tolerance = area.width() * 0.12;
        let straight =
            links.iter().find(|(target, _)| (target - area.center().x).abs() < tolerance);
        if let (Some((target, link)), 1 | 2) = (straight, links.len()) {
            ports[*link] = *target;
        }
    }
    ports
}

/// Assigns the segments of a channel to tracks. Returns each segment, in a new order, with its
/// track as a share of the channel along the flow (0.2 to 0.7).
///
/// Segments with the same target share a track. A segment that starts where another one ends gets
/// the earlier track, so that the two do not cover each other. This is not possible if the other
/// one also starts where the first one ends.
fn assign_tracks(segments: &[CrossSegment]) -> Vec<(&CrossSegment, f64)> {
    let mut groups: Vec<TrackGroup> = Vec::new();
    let mut sorted: Vec<&CrossSegment> = segments.iter().collect();
    // Among segments in the same direction the one that starts farthest ahead gets the first track.
    let key = |segment: &CrossSegment| {
        if segment.to > segment.from { -segment.from } else { segment.from }
    };
    sorted.sort_by(|a, b| key(a).total_cmp(&key(b)));
    for segment in sorted {
        match groups.iter_mut().find(|group| (group.target - segment.to).abs() < 0.5) {
            Some(group) => group.segments.push(segment),
            None => groups.push(TrackGroup { target: segment.to, segments: vec![segment] }),
        }
    }
    for _ in 0..groups.len().min(20) {
        for later in 0..groups.len() {
            for earlier in 0..later {
                let starts_at_target =
                    |from: usize, to: usize| groups[from].starts_at(groups[to].target);
                if starts_at_target(later, earlier) && !starts_at_target(earlier, later) {
                    groups.swap(earlier, later);
                }
            }
        }
    }
    let count = groups.iter().filter(|group| group.is_bent()).count() as f64;
    let mut shares = Vec::new();
    let mut track = 0.0;
    for group in &groups {
        track += f64::from(u8::from(group.is_bent()));
        // Tracks end at 70 % of the channel, because the rest is for the arrow heads.
        let share = 0.2 + 0.5 * track / (count + 1.0);
        shares.extend(group.segments.iter().map(|segment| (*segment, share)));
    }
    shares
}

/// Combines ports and tracks into the points of each link, from the outline of its first node to
/// the start of its last node along the flow. `tracks` has the coordinate along the flow of each
/// cross segment, by link and order.
fn build_routes(
    graph: &FlowGraph,
    layout: &FlowLayout,
    ports: &[f64],
    tracks: &BTreeMap<(usize, usize), f64>,
) -> Vec<Vec<Point>> {
    let mut routes = Vec::with_capacity(graph.links.len());
    for (link, path) in layout.paths.iter().enumerate() {
        let (Some(from), Some(to)) = (path.first(), path.last()) else { continue };
        let (Some(start), Some(end)) = (layout.boxes.get(*from), layout.boxes.get(*to)) else {
            continue;
        };
        let mut x = ports[link];
        let mut points = vec![Point::new(x, exit_y(graph, *from, *start, x))];
        let stops: Vec<f64> = if layout.is_backward[link] {
            vec![backward_lane(layout, link), end.center().x]
        } else {
            path.iter()
                .skip(1)
                .filter_map(|item| layout.boxes.get(*item))
                .map(|area| area.center().x)
                .collect()
        };
        for (order, stop) in stops.iter().enumerate() {
            let Some(track) = tracks.get(&(link, order)) else { continue };
            if (stop - x).abs() >= 0.5 {
                points.push(Point::new(x, *track));
                points.push(Point::new(*stop, *track));
                x = *stop;
            }
        }
        points.push(Point::new(x, end.y0));
        routes.push(points);
    }
    routes
}

/// Returns the coordinate across the flow of the lane of the backward link at index `link`. Each
/// backward link has its own lane.
fn backward_lane(layout: &FlowLayout, link: usize) -> f64 {
    let before = layout.is_backward.iter().take(link).filter(|is_backward| **is_backward).count();
    layout.backward_start + layout.lane_width * (before as f64 + 0.6)
}

/// Returns the coordinate along the flow at which an arrow leaves the outline of its node: the end
/// of a box, or a slanted edge of a diamond. In points.
///
/// `x` is the coordinate of the arrow across the flow, and `area` the rectangle of the node. An `x`
/// outside a diamond counts as its corner.
fn exit_y(graph: &FlowGraph, node: usize, area: kurbo::Rect, x: f64) -> f64 {
    let is_decision = graph.nodes.get(node).is_some_and(|node| node.shape == NodeShape::Decision);
    let offset_share = (x - area.center().x).abs() / (area.width() / 2.0).max(1e-6);
    area.y1 - if is_decision { offset_share.min(1.0) * area.height() / 2.0 } else { 0.0 }
}
