//! Layered layout of a flow chart: the positions of the steps and of the arrows between layers.
//!
//! A link over several layers passes a *dummy item* in each layer between its ends. Steps and dummy
//! items together are called *items*: indexes below the number of nodes are steps.
//!
//! All coordinates are in flow space: `x` is across the flow and `y` along it. Only
//! [`FlowLayout::to_canvas`] knows whether the flow runs down or to the right.

use kurbo::{Point, Rect};

use crate::frame::ChartStyle;
use crate::graph_layers;
use crate::kinds::flow_chart::graph::{FlowGraph, Link, NodeShape};
use crate::spread;

/// Number of rounds in which items move towards their neighbors.
const ROUNDS: usize = 24;

/// A laid-out flow chart, without the routes of its arrows.
pub struct FlowLayout {
    /// Whether the flow runs down. Otherwise it runs to the right.
    pub runs_down: bool,
    /// Rectangles of all items: the boxes of the steps, then the dummy items.
    pub boxes: Vec<Rect>,
    /// Items that each link passes, with both ends included. Two for most links.
    pub paths: Vec<Vec<usize>>,
    /// For each link, whether it leads backward, against the flow.
    pub is_backward: Vec<bool>,
    /// Layer of each item.
    pub layer_of: Vec<usize>,
    /// Start of each layer along the flow in points.
    pub layer_starts: Vec<f64>,
    /// End of each layer along the flow in points.
    pub layer_ends: Vec<f64>,
    /// Distance between two layers in points.
    pub channel: f64,
    /// Space before the first and after the last layer in points, for backward links.
    pub outer_channel: f64,
    /// Position across the flow at which the lanes of backward links start.
    pub backward_start: f64,
    /// Width of the lane of one backward link in points.
    pub lane_width: f64,
}

/// Options of a layout.
pub struct LayoutOptions {
    /// Whether the flow runs down. Otherwise it runs to the right.
    pub runs_down: bool,
    /// Maximum width of a box as a multiple of the normal maximum.
    pub width_factor: f64,
    /// Maximum height of a box as a multiple of the normal maximum.
    pub height_factor: f64,
    /// Width of the widest arrow label in points.
    pub max_label_width: f64,
}

/// Available space across and along the flow, and the space that an item needs. All in points.
struct FlowSpace {
    /// Start and end of the space across the flow, without the lanes of backward links.
    across: (f64, f64),
    /// Start and end of the space along the flow.
    along: (f64, f64),
    /// Width of a dummy item, through which a link passes a layer.
    lane_width: f64,
    /// Minimum gap between two steps of a layer.
    gap: f64,
}

impl FlowLayout {
    /// Converts a point from flow space to the canvas: swaps its coordinates if the flow runs to
    /// the right.
    pub fn to_canvas(&self, point: Point) -> Point {
        if self.runs_down { point } else { Point::new(point.y, point.x) }
    }

    /// Returns the box of a step on the canvas. Empty at the origin if there is no such step.
    pub fn rect(&self, index: usize) -> Rect {
        let area = self.boxes.get(index).copied().unwrap_or_default();
        Rect::from_points(
            self.to_canvas(area.origin()),
            self.to_canvas(Point::new(area.x1, area.y1)),
        )
    }
}

/// Lays out the steps of a graph in `area`: their layers, boxes and dummy items, with free channels
/// and lanes for the arrows. Does not route the arrows.
pub fn lay_out(
    graph: &FlowGraph,
    area: Rect,
    options: &LayoutOptions,
    style: &ChartStyle,
) -> FlowLayout {
    let runs_down = options.runs_down;
    let layers = graph_layers::assign_layers(graph.nodes.len(), &graph.pairs());
    let is_backward = layers.is_back_edge.clone();
    let backward_count = is_backward.iter().filter(|is_backward| **is_backward).count();
    let mut layer_of = layers.layer_of;
    let mut rows = vec![Vec::new(); layers.count.max(1)];
    layer_of.iter().enumerate().for_each(|(index, layer)| rows[*layer].push(index));
    let paths = insert_dummy_items(graph, &is_backward, &mut layer_of, &mut rows);
    let pairs = collect_forward_pairs(&paths, &is_backward);
    graph_layers::reduce_crossings(&mut rows, layer_of.len(), &pairs);
    let (across, along) = if runs_down {
        ((area.x0, area.x1), (area.y0, area.y1))
    } else {
        ((area.y0, area.y1), (area.x0, area.x1))
    };
    let lane_width = style.label_size * 1.1;
    let lane_width = lane_width.min((across.1 - across.0) * 0.3 / backward_count.max(1) as f64);
    let backward_width = backward_count as f64 * lane_width;
    let across = (across.0, across.1 - backward_width);
    let gap = style.label_size * if runs_down { 1.6 } else { 1.1 };
    let space = FlowSpace { across, along, lane_width, gap };
    let outer_channel =
        measure_outer_channel(graph, &is_backward, &layer_of, layers.count, runs_down, style);
    let mut sizes = size_layers(graph, &rows, &space, options, outer_channel, style);
    let node_count = graph.nodes.len();
    let mut centers =
        position_items(node_count, &rows, &pairs, layer_of.len(), &space, sizes.box_width);
    let scale = shrink_to_fit(&mut centers, node_count, sizes.box_width, &space);
    sizes.box_width *= scale;
    let box_width = sizes.box_width;
    if scale == 1.0 {
        spread_items(&mut centers, node_count, box_width, &space);
    }
    let backward_start = center_items(&mut centers, node_count, box_width, &space, backward_width);
    let boxes = build_item_boxes(graph, &centers, &layer_of, &sizes, options, style);
    let (layer_starts, layer_ends) = sizes.spans.iter().copied().unzip();
    FlowLayout {
        runs_down,
        boxes,
        paths,
        is_backward,
        layer_of,
        layer_starts,
        layer_ends,
        channel: sizes.channel,
        outer_channel,
        backward_start,
        lane_width,
    }
}

/// Returns the pairs of successive items on the paths of all links that do not lead backward.
fn collect_forward_pairs(paths: &[Vec<usize>], is_backward: &[bool]) -> Vec<(usize, usize)> {
    paths
        .iter()
        .zip(is_backward)
        .filter(|pair| !pair.1)
        .flat_map(|pair| pair.0.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))))
        .collect()
}

/// Returns the space in points that backward links need before the first layer, and the same space
/// after the last one.
///
/// It is 0 if no backward link starts in the last layer or ends in the first one.
fn measure_outer_channel(
    graph: &FlowGraph,
    is_backward: &[bool],
    layer_of: &[usize],
    layer_count: usize,
    runs_down: bool,
    style: &ChartStyle,
) -> f64 {
    let passes_outside =
        |link: &Link| layer_of[link.from] + 1 == layer_count || layer_of[link.to] == 0;
    let any_outside = graph
        .links
        .iter()
        .zip(is_backward)
        .any(|(link, is_backward)| *is_backward && passes_outside(link));
    if any_outside { style.label_size * if runs_down { 0.8 } else { 1.3 } } else { 0.0 }
}

/// Returns the rectangle of each item in flow space, from its center across the flow and the span
/// of its layer.
///
/// Steps that are no decisions have a maximum height on the canvas. Diamonds reach slightly into
/// the channels. Dummy items have no width.
fn build_item_boxes(
    graph: &FlowGraph,
    centers: &[f64],
    layer_of: &[usize],
    sizes: &LayerSizes,
    options: &LayoutOptions,
    style: &ChartStyle,
) -> Vec<Rect> {
    let max_height = |em: f64| style.label_size * em * options.height_factor;
    let item_box = |(index, center): (usize, &f64)| {
        let shape = graph.nodes.get(index).map(|node| node.shape);
        let (start, end) = sizes.spans[layer_of[index]];
        let half = if shape.is_some() { sizes.box_width / 2.0 } else { 0.0 };
        let cell = Rect::new(center - half, start, center + half, end);
        match shape {
            // Diamonds need the whole cell. Boxes of the same size would look empty.
            Some(NodeShape::Decision) => cell.inflate(0.0, (sizes.channel * 0.12).min(3.0)),
            Some(_) if options.runs_down => limit_size(cell, 0.0, max_height(2.6)),
            Some(_) => limit_size(cell, max_height(3.4), 0.0),
            None => cell,
        }
    };
    centers.iter().enumerate().map(item_box).collect()
}

/// Shrinks a rectangle in flow space about its center to a maximum size across (x) and along (y)
/// the flow, in points. A maximum of 0 means no limit.
fn limit_size(cell: Rect, max_across: f64, max_along: f64) -> Rect {
    let inset = |side: f64, max: f64| if max > 0.0 { (max - side).min(0.0) / 2.0 } else { 0.0 };
    cell.inflate(inset(cell.width(), max_across), inset(cell.height(), max_along))
}

/// Maximum factor by which the distances across the flow are increased.
const MAX_SPREAD: f64 = 1.7;

/// Increases the distances between all items by one factor, at most `MAX_SPREAD`, if there is
/// unused space across the flow. The boxes keep their width. The result is centered later by
/// `center_items`.
fn spread_items(centers: &mut [f64], node_count: usize, box_width: f64, space: &FlowSpace) {
    let (low, high) = measure_extent(centers, node_count, box_width);
    let spread = high - low - box_width;
    if spread < 1.0 {
        return;
    }
    let scale = ((space.across.1 - space.across.0 - box_width) / spread).clamp(1.0, MAX_SPREAD);
    let center = f64::midpoint(low, high);
    centers.iter_mut().for_each(|position| *position = center + (*position - center) * scale);
}

/// Returns the lowest and highest coordinate of all items across the flow, in points.
///
/// The first `node_count` items are `box_width` wide. The dummy items after them have no width.
fn measure_extent(centers: &[f64], node_count: usize, box_width: f64) -> (f64, f64) {
    let half = |index: usize| if index < node_count { box_width / 2.0 } else { 0.0 };
    let items = || centers.iter().enumerate();
    let low = items().map(|item| item.1 - half(item.0)).fold(f64::MAX, f64::min);
    let high = items().map(|item| item.1 + half(item.0)).fold(f64::MIN, f64::max);
    (low, high)
}

/// Reduces the distances between all items by one factor if they need more than the space across
/// the flow. Returns this factor, by which the caller must also multiply the width of the boxes. 1
/// if everything fits.
fn shrink_to_fit(centers: &mut [f64], node_count: usize, box_width: f64, space: &FlowSpace) -> f64 {
    let (low, high) = measure_extent(centers, node_count, box_width);
    let scale = ((space.across.1 - space.across.0) / (high - low).max(1.0)).min(1.0);
    if scale < 1.0 {
        centers
            .iter_mut()
            .for_each(|position| *position = space.across.0 + (*position - low) * scale);
    }
    scale
}

/// Moves all items so that they, together with the lanes of backward links (`backward_width`
/// points) after them, are centered across the flow. Returns the coordinate at which these lanes
/// start.
fn center_items(
    centers: &mut [f64],
    node_count: usize,
    box_width: f64,
    space: &FlowSpace,
    backward_width: f64,
) -> f64 {
    let (low, high) = measure_extent(centers, node_count, box_width);
    let middle = f64::midpoint(space.across.0, space.across.1 + backward_width);
    let offset = middle - f64::midpoint(low, high + backward_width);
    centers.iter_mut().for_each(|position| *position += offset);
    high + offset
}

/// Returns the items that each link passes, from its first to its last node, with a new dummy item
/// in every layer between them.
///
/// Appends the dummy items to `layer_of`, and to the items of each layer in `rows`. Backward links
/// run outside the layers and get none.
fn insert_dummy_items(
    graph: &FlowGraph,
    is_backward: &[bool],
    layer_of: &mut Vec<usize>,
    rows: &mut [Vec<usize>],
) -> Vec<Vec<usize>> {
    let mut paths = Vec::with_capacity(graph.links.len());
    for (link, is_backward) in graph.links.iter().zip(is_backward) {
        let mut path = vec![link.from];
        if !is_backward {
            let (first, end) = (layer_of[link.from] + 1, layer_of[link.to]);
            for (layer, row) in rows.iter_mut().enumerate().take(end).skip(first) {
                path.push(layer_of.len());
                row.push(layer_of.len());
                layer_of.push(layer);
            }
        }
        path.push(link.to);
        paths.push(path);
    }
    paths
}

/// Sizes of boxes and layers in points.
struct LayerSizes {
    /// Width of a box across the flow.
    box_width: f64,
    /// Distance between two layers.
    channel: f64,
    /// Start and end of each layer along the flow.
    spans: Vec<(f64, f64)>,
}

/// Limits of the sizes of boxes and channels in points.
struct SizeLimits {
    /// Maximum width of a box across the flow.
    max_across: f64,
    /// Minimum length of a box along the flow.
    min_along: f64,
    /// Maximum length of a box along the flow.
    max_along: f64,
    /// Preferred distance between two layers.
    preferred_channel: f64,
    /// Minimum distance between two layers.
    min_channel: f64,
}

impl SizeLimits {
    /// Computes the limits of boxes and channels in points from the font size and the direction of
    /// the flow. The factors of `options` scale only the maximum sizes of boxes. If the flow runs
    /// to the right, the preferred channel has space for the widest arrow label.
    fn new(options: &LayoutOptions, style: &ChartStyle) -> SizeLimits {
        let LayoutOptions { runs_down, width_factor, height_factor, max_label_width } = *options;
        let size = style.label_size;
        if runs_down {
            SizeLimits {
                max_across: size * 13.0 * width_factor,
                min_along: size * 1.5,
                max_along: size * 3.2 * height_factor,
                preferred_channel: size * 2.6,
                min_channel: size * 0.85,
            }
        } else {
            SizeLimits {
                max_across: size * 5.0 * height_factor,
                min_along: size * 6.0,
                max_along: size * 9.5 * width_factor,
                preferred_channel: (max_label_width + size * 2.0).max(size * 2.6),
                min_channel: size * 1.5,
            }
        }
    }
}

/// Computes the width of the boxes, the distance between the layers, and the spans of the layers
/// along the flow, centered in the space. Layers with a decision are longer than others.
///
/// `rows` are the items of each layer. `outer_channel` is the space in points before the first and
/// after the last layer.
fn size_layers(
    graph: &FlowGraph,
    rows: &[Vec<usize>],
    space: &FlowSpace,
    options: &LayoutOptions,
    outer_channel: f64,
    style: &ChartStyle,
) -> LayerSizes {
    let limits = SizeLimits::new(options, style);
    let widths = rows.iter().map(|row| {
        let steps = row.iter().filter(|item| **item < graph.nodes.len()).count();
        let available =
            space.across.1 - space.across.0 - (row.len() - steps) as f64 * space.lane_width;
        (available + space.gap) / steps.max(1) as f64 - space.gap
    });
    let box_width = widths.fold(limits.max_across, f64::min).max(1.0);
    // Layers with a diamond are higher, because a diamond has less space for its label than a box.
    let is_decision =
        |item: &usize| graph.nodes.get(*item).is_some_and(|node| node.shape == NodeShape::Decision);
    let decision_weight = if options.runs_down { 1.6 } else { 1.25 };
    let weight = |row: &Vec<usize>| if row.iter().any(is_decision) { decision_weight } else { 1.0 };
    let weights: Vec<f64> = rows.iter().map(weight).collect();
    let (sum, gaps) = (weights.iter().sum::<f64>().max(1.0), (rows.len().max(1) - 1) as f64);
    let length = space.along.1 - space.along.0 - 2.0 * outer_channel;
    let channel = ((length - limits.min_along * sum) / gaps.max(1.0))
        .clamp(limits.min_channel, limits.preferred_channel);
    let unit = ((length - channel * gaps) / sum).clamp(1.0, limits.max_along);
    let remaining = (length - unit * sum) / gaps.max(1.0);
    let channel = remaining.clamp(0.0, limits.preferred_channel * 1.5);
    let used = unit * sum + channel * gaps;
    let mut start = space.along.0 + outer_channel + ((length - used) / 2.0).max(0.0);
    let mut spans = Vec::with_capacity(weights.len());
    for weight in weights {
        spans.push((start, start + unit * weight));
        start += unit * weight + channel;
    }
    LayerSizes { box_width, channel, spans }
}

/// Returns the center of each item across the flow: near the mean of its neighbors in the layers
/// before and after, without overlaps in its layer.
///
/// `rows` are the items of each layer in order, and `pairs` the pairs of connected items.
fn position_items(
    node_count: usize,
    rows: &[Vec<usize>],
    pairs: &[(usize, usize)],
    item_count: usize,
    space: &FlowSpace,
    box_width: f64,
) -> Vec<f64> {
    // Neighbors of each item in earlier and in later layers.
    let mut neighbors_before = vec![Vec::new(); item_count];
    let mut neighbors_after = vec![Vec::new(); item_count];
    for (from, to) in pairs {
        neighbors_after[*from].push(*to);
        neighbors_before[*to].push(*from);
    }
    let size =
        |item: usize| if item < node_count { box_width + space.gap } else { space.lane_width };
    let mut centers = vec![f64::midpoint(space.across.0, space.across.1); item_count];
    for round in 0..=ROUNDS {
        for step in 0..rows.len() {
            let is_forward = round % 2 == 0;
            let row = &rows[if is_forward { step } else { rows.len() - 1 - step }];
            let preferred: Vec<f64> = row
                .iter()
                .map(|item| {
                    let (before, after) = (&neighbors_before[*item], &neighbors_after[*item]);
                    let (first, second) =
                        if is_forward { (before, after) } else { (after, before) };
                    let near = if first.is_empty() { second } else { first };
                    let sum: f64 = near.iter().map(|neighbor| centers[*neighbor]).sum();
                    if near.is_empty() { centers[*item] } else { sum / near.len() as f64 }
                })
                .collect();
            let sizes: Vec<f64> = row.iter().map(|item| size(*item)).collect();
            let half = space.gap / 2.0;
            let moved = spread::spread_apart(
                &preferred,
                &sizes,
                space.across.0 - half,
                space.across.1 + half,
            );
            row.iter().zip(moved).for_each(|(item, center)| centers[*item] = center);
        }
    }
    centers
}
