//! Positions of nodes and ribbons. Nodes are as near to their neighbors as order and gaps allow.

use kurbo::Rect;

use crate::kinds::sankey::flows::{FlowGraph, LayerOrder};
use crate::spread;

/// Number of rounds in which nodes move toward their neighbors.
const RELAXATION_ROUNDS: usize = 24;

/// Sizes of nodes in points.
pub struct NodeMetrics {
    /// Width of a node.
    pub width: f64,
    /// Minimum vertical gap between two nodes of a layer. It is reduced if the gaps would take more
    /// than a third of the height.
    pub min_gap: f64,
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
    /// Minimum gap between two nodes of a layer in points.
    gap: f64,
    /// Rectangle that contains all nodes.
    plot: Rect,
    /// Whether the nodes of a layer keep their order.
    is_order_fixed: bool,
}

/// Lays out the nodes in `plot`, and the ribbons between them.
///
/// Reorders the nodes within the layers of `order` unless it is fixed.
pub fn lay_out_nodes(
    graph: &FlowGraph,
    order: &mut LayerOrder,
    plot: Rect,
    metrics: &NodeMetrics,
) -> Layout {
    let layers = &mut order.layers;
    let max_nodes = layers.iter().map(Vec::len).max().unwrap_or(1);
    // Gaps take at most a third of the height.
    let gap = metrics.min_gap.min(plot.height() / 3.0 / (max_nodes.max(2) - 1) as f64);
    let sum_values =
        |layer: &Vec<usize>| layer.iter().map(|node| graph.nodes[*node].value).sum::<f64>();
    let height_without_gaps =
        |layer: &Vec<usize>| plot.height() - gap * (layer.len().max(1) - 1) as f64;
    let scales = layers
        .iter()
        .map(|layer| height_without_gaps(layer) / sum_values(layer).max(f64::MIN_POSITIVE));
    let scale = scales.fold(f64::MAX, f64::min);
    let heights: Vec<f64> = graph.nodes.iter().map(|node| node.value * scale).collect();
    let mut middles = vec![0.0; heights.len()];
    for layer in layers.iter() {
        let mut top = plot.y0 + (height_without_gaps(layer) - sum_values(layer) * scale) / 2.0;
        for node in layer {
            middles[*node] = top + heights[*node] / 2.0;
            top += heights[*node] + gap;
        }
    }
    let limits = MovementLimits { heights: &heights, gap, plot, is_order_fixed: order.is_fixed };
    let layer_count = layers.len();
    for round in 0..RELAXATION_ROUNDS {
        for step in 1..layer_count {
            let toward_sources = round % 2 == 0;
            let layer = if toward_sources { step } else { layer_count - 1 - step };
            relax_layer(graph, &mut layers[layer], toward_sources, &limits, &mut middles);
        }
    }
    let layer_distance = (plot.width() - metrics.width) / (layer_count.max(2) - 1) as f64;
    let place_node = |(node, height): (usize, &f64)| {
        let left = plot.x0 + layer_distance * graph.nodes[node].layer as f64;
        let top = middles[node] - height / 2.0;
        Rect::new(left, top, left + metrics.width, top + height)
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
    let gap = limits.gap;
    let preferred_middles: Vec<f64> = preferred.iter().map(|(_, middle)| *middle).collect();
    let sizes: Vec<f64> = preferred.iter().map(|(node, _)| limits.heights[*node] + gap).collect();
    let (top, bottom) = (limits.plot.y0 - gap / 2.0, limits.plot.y1 + gap / 2.0);
    let spread_middles = spread::spread_apart(&preferred_middles, &sizes, top, bottom);
    for ((node, _), middle) in preferred.iter().zip(spread_middles) {
        middles[*node] = middle;
    }
}

/// Returns the upper edge of each ribbon. The ribbons of a node have the vertical order of the
/// nodes at their other ends.
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
