//! Positions of nodes and ribbons. Nodes are as near to their neighbors as order and gaps allow.

use kurbo::Rect;

use crate::kinds::sankey::flows::{FlowGraph, LayerOrder};
use crate::spread;

/// Number of rounds in which nodes move toward their neighbors.
const RELAXATION_ROUNDS: usize = 24;
/// Number of steps in which the scale is found.
const SCALE_ROUNDS: usize = 40;

/// The height that nodes and their labels share.
///
/// A node takes the height of its label if that is greater, so that each label stands beside its
/// own node.
#[derive(Clone, Copy)]
pub struct NodeSpace {
    /// Height in points of all nodes of a layer with the gaps between them.
    height: f64,
    /// Vertical gap in points between two nodes of a layer.
    gap: f64,
    /// Height in points of an amount of 1, if labels need no height.
    pub scale_without_labels: f64,
}

/// Positions of nodes and ribbons in points.
pub struct Layout {
    /// Rectangle of each node.
    pub node_rects: Vec<Rect>,
    /// Positions of the upper edge of each ribbon.
    pub ribbon_tops: Vec<RibbonTops>,
    /// Height in points of an amount of 1.
    pub scale: f64,
}

/// y coordinates of the upper edge of a ribbon at both ends, in points.
#[derive(Clone, Default)]
pub struct RibbonTops {
    /// y coordinate at the source node.
    pub at_source: f64,
    /// y coordinate at the target node.
    pub at_target: f64,
}

/// Limits within which the nodes of a layer move.
struct MovementLimits<'a> {
    /// Height of each node in points.
    heights: &'a [f64],
    /// Height of the label of each node in points.
    label_heights: &'a [f64],
    space: NodeSpace,
    /// Rectangle that contains all nodes.
    plot: Rect,
    /// Whether the nodes of a layer keep their order.
    is_order_fixed: bool,
}

impl NodeSpace {
    /// Returns the space of the nodes within `height` points, with the greatest scale at which all
    /// layers fit without labels. The gaps have `min_gap` points, but together at most a third of the
    /// height in the layer with the most nodes.
    pub fn new(graph: &FlowGraph, layers: &[Vec<usize>], height: f64, min_gap: f64) -> NodeSpace {
        let max_nodes = layers.iter().map(Vec::len).max().unwrap_or(1);
        let gap = min_gap.min(height / 3.0 / (max_nodes.max(2) - 1) as f64);
        let scales = layers.iter().map(|layer| {
            let sum: f64 = layer.iter().map(|node| graph.nodes[*node].value).sum();
            (height - gap * (layer.len().max(1) - 1) as f64) / sum.max(f64::MIN_POSITIVE)
        });
        NodeSpace { height, gap, scale_without_labels: scales.fold(f64::MAX, f64::min) }
    }

    /// Returns whether the nodes of a layer and their labels fit into the height. `sizes` are pairs of
    /// the height of a node and the height of its label (0 without one), in points.
    pub fn fits(self, sizes: impl Iterator<Item = (f64, f64)>) -> bool {
        let (mut sum, mut paddings) = (0.0, [f64::MAX; 2]);
        for (node_height, label_height) in sizes {
            let slot = self.slot(node_height, label_height);
            sum += slot;
            // The nodes at the ends need no gap beyond them.
            let padding = (slot - node_height.max(label_height)) / 2.0;
            if padding < paddings[0] {
                paddings = [padding, paddings[0]];
            } else {
                paddings[1] = paddings[1].min(padding);
            }
        }
        let [first, second] = paddings;
        let second = if second == f64::MAX { first } else { second };
        sum - first - second <= self.height + 0.01
    }

    /// Returns the height in points that a node takes: its own with half a gap above and below it, or
    /// the height of its label if that is greater.
    fn slot(self, node_height: f64, label_height: f64) -> f64 {
        (node_height + self.gap).max(label_height)
    }

    /// Returns the greatest scale, in points per unit of the amounts, with which the nodes of all layers
    /// and their labels fit. It is at most the scale without labels.
    fn find_scale(self, graph: &FlowGraph, layers: &[Vec<usize>], label_heights: &[f64]) -> f64 {
        let fits = |scale: f64| {
            layers.iter().filter(|layer| !layer.is_empty()).all(|layer| {
                self.fits(
                    layer
                        .iter()
                        .map(|node| (graph.nodes[*node].value * scale, label_heights[*node])),
                )
            })
        };
        if fits(self.scale_without_labels) {
            return self.scale_without_labels;
        }
        let (mut low, mut high) = (0.0, self.scale_without_labels);
        for _ in 0..SCALE_ROUNDS {
            let middle = f64::midpoint(low, high);
            if fits(middle) { low = middle } else { high = middle }
        }
        low
    }
}

/// Lays out the nodes of `node_width` points in `plot`, and the ribbons between them.
///
/// Moves nodes vertically toward their neighbors, without overlap. `label_heights` holds the height of
/// the label of each node in points. Reorders the nodes within the layers of `order` unless it is fixed.
pub fn lay_out_nodes(
    graph: &FlowGraph,
    order: &mut LayerOrder,
    plot: Rect,
    node_width: f64,
    (space, label_heights): (NodeSpace, &[f64]),
) -> Layout {
    let layers = &mut order.layers;
    let scale = space.find_scale(graph, layers, label_heights);
    let heights: Vec<f64> = graph.nodes.iter().map(|node| node.value * scale).collect();
    let slot = |node: usize| space.slot(heights[node], label_heights[node]);
    let mut middles = vec![0.0; heights.len()];
    for layer in layers.iter() {
        let height: f64 = layer.iter().map(|node| slot(*node)).sum();
        let mut top = plot.center().y - height / 2.0;
        for node in layer {
            middles[*node] = top + slot(*node) / 2.0;
            top += slot(*node);
        }
    }
    let limits = MovementLimits {
        heights: &heights,
        label_heights,
        space,
        plot,
        is_order_fixed: order.is_fixed,
    };
    let layer_count = layers.len();
    for round in 0..RELAXATION_ROUNDS {
        for step in 1..layer_count {
            let toward_sources = round % 2 == 0;
            let layer = if toward_sources { step } else { layer_count - 1 - step };
            relax_layer(graph, &mut layers[layer], toward_sources, &limits, &mut middles);
        }
    }
    let layer_distance = (plot.width() - node_width) / (layer_count.max(2) - 1) as f64;
    let place_node = |(node, height): (usize, &f64)| {
        let left = plot.x0 + layer_distance * graph.nodes[node].layer as f64;
        let top = middles[node] - height / 2.0;
        Rect::new(left, top, left + node_width, top + height)
    };
    let node_rects: Vec<Rect> = heights.iter().enumerate().map(place_node).collect();
    let ribbon_tops = place_ribbons(graph, &node_rects, scale);
    Layout { node_rects, ribbon_tops, scale }
}

/// Moves the nodes of a layer toward their sources or, if not `toward_sources`, toward their
/// targets.
///
/// Each node aims for the mean of its neighbors, weighted by the amounts of the flows. The limits
/// may change that position. Updates `middles`, the y coordinates of the middles of all nodes.
/// Sorts `layer` from top to bottom unless the order is fixed.
fn relax_layer(
    graph: &FlowGraph,
    layer: &mut [usize],
    toward_sources: bool,
    limits: &MovementLimits,
    middles: &mut [f64],
) {
    let mut preferred: Vec<(usize, f64)> = Vec::with_capacity(layer.len());
    for index in layer.iter() {
        let node = &graph.nodes[*index];
        let links = if toward_sources { &node.incoming } else { &node.outgoing };
        let (mut weighted_sum, mut weight) = (0.0, 0.0);
        for flow in links.iter().filter_map(|link| graph.flows.get(*link)) {
            let neighbor = if toward_sources { flow.source } else { flow.target };
            let share = flow.value / node.value;
            weighted_sum += middles[neighbor] * share;
            weight += share;
        }
        let middle = if weight > 0.0 { weighted_sum / weight } else { middles[*index] };
        preferred.push((*index, middle));
    }
    if !limits.is_order_fixed {
        preferred.sort_by(|a, b| a.1.total_cmp(&b.1));
        layer.iter_mut().zip(&preferred).for_each(|(slot, (node, _))| *slot = *node);
    }
    let preferred_middles: Vec<f64> = preferred.iter().map(|(_, middle)| *middle).collect();
    let sizes: Vec<f64> = preferred
        .iter()
        .map(|(node, _)| limits.space.slot(limits.heights[*node], limits.label_heights[*node]))
        .collect();
    // Half a gap of the outermost nodes may lie outside, but no node and no label.
    let padding = |node: Option<&(usize, f64)>, size: Option<&f64>| {
        let (Some((node, _)), Some(size)) = (node, size) else { return 0.0 };
        (size - limits.heights[*node].max(limits.label_heights[*node])) / 2.0
    };
    let top = limits.plot.y0 - padding(preferred.first(), sizes.first());
    let bottom = limits.plot.y1 + padding(preferred.last(), sizes.last());
    let spread_middles = spread::spread_apart(&preferred_middles, &sizes, top, bottom);
    for ((node, _), middle) in preferred.iter().zip(spread_middles) {
        middles[*node] = middle;
    }
}

/// Returns the upper edge of each ribbon at both ends, in the order of `graph.flows`. The ribbons of a
/// node are stacked from its upper edge, in the vertical order of the nodes at their other ends.
fn place_ribbons(graph: &FlowGraph, node_rects: &[Rect], scale: f64) -> Vec<RibbonTops> {
    let flows = &graph.flows;
    let mut tops = vec![RibbonTops::default(); flows.len()];
    let middle_of = |node: usize| node_rects[node].center().y;
    for (node, rect) in graph.nodes.iter().zip(node_rects) {
        let mut outgoing = node.outgoing.clone();
        outgoing
            .sort_by(|a, b| middle_of(flows[*a].target).total_cmp(&middle_of(flows[*b].target)));
        let mut top = rect.y0;
        for flow in outgoing {
            tops[flow].at_source = top;
            top += flows[flow].value * scale;
        }
        let mut incoming = node.incoming.clone();
        incoming
            .sort_by(|a, b| middle_of(flows[*a].source).total_cmp(&middle_of(flows[*b].source)));
        let mut top = rect.y0;
        for flow in incoming {
            tops[flow].at_target = top;
            top += flows[flow].value * scale;
        }
    }
    tops
}
