//! Sankey diagram: flows of amounts between nodes, as ribbons from left to right. The thickness of
//! a ribbon is proportional to its amount.
//!
//! Record: `source`, `target`, `value` (greater than 0), `highlighted`. Flows that would form a
//! cycle are left out with a warning. Settings: `nodeOrder` (names from top to bottom),
//! `showValues`, `rulesets`, `valueTitle`.

mod flows;
mod label_text;
mod labels;
mod layout;
mod routes;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;

use flows::{Flow, FlowGraph};
use labels::NodeLabels;
use layout::{Layout, NodeSpace};
use routes::RoutedGraph;

/// The Sankey diagram.
pub const KIND: Kind = Kind { slug: "sankey", draw };

/// Maximum number of node colors. More could not be distinguished, so further nodes are gray.
const MAX_NODE_COLORS: usize = 8;
/// Minimum contrast ratio between the text color and a ribbon on the background.
const MIN_TEXT_CONTRAST: f64 = 4.6;
/// Minimum height in points of a node, so that a node with a tiny amount stays visible.
const MIN_NODE_HEIGHT: f64 = 0.75;
/// Minimum thickness in points of a ribbon, so that a flow with a tiny amount stays visible.
const MIN_RIBBON_THICKNESS: f64 = 0.5;

/// Minimum scale of nodes with ribbons around them, as a share of that with straight ribbons.
const MIN_SCALE_WITH_PASSAGES: f64 = 0.6;

/// Positions of everything in a diagram.
struct Plan {
    routed: RoutedGraph,
    labels: NodeLabels,
    layout: Layout,
}

/// Draws ribbons, then nodes, then labels. Draws a note instead if there are no flows.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let graph = flows::read_flow_graph(chart, scene);
    if graph.flows.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let node_amounts = graph.nodes.iter().map(|node| node.value);
    let amounts = node_amounts.chain(graph.flows.iter().map(|flow| flow.value));
    let format = NumberFormat::for_values(amounts, &chart.format_rules("value"), chart.locale());
    describe(&graph, &format, scene);
    let plan = plan_diagram(chart, &graph, &format, frame);
    let Plan { routed, labels, layout } = &plan;
    let node_colors = choose_node_colors(chart, &graph, style);
    draw_ribbons(chart, &graph, &plan, &node_colors, &format, frame, scene);
    for (index, node) in graph.nodes.iter().enumerate() {
        scene.begin_mark("node", None, || {
            (None, format!("{}: {}", node.name, format.text(node.value)))
        });
        let rect = layout.node_rects[index];
        let extension = (MIN_NODE_HEIGHT - rect.height()).max(0.0) / 2.0;
        let visible_rect = Rect { y0: rect.y0 - extension, y1: rect.y1 + extension, ..rect };
        scene.rect(visible_rect, node_colors[index]);
    }
    scene.end_mark();
    labels.draw(&routed.graph, layout, style, scene);
}

/// Plans the diagram with straight ribbons. If they would lead through nodes, plans them around the nodes
/// instead, unless that makes the nodes much smaller or the setting `nodeOrder` fixes the order.
fn plan_diagram(chart: &Chart, graph: &FlowGraph, format: &NumberFormat, frame: &Frame) -> Plan {
    let (direct, is_fixed) = lay_out(chart, RoutedGraph::direct(graph), format, frame);
    if is_fixed || !direct.routed.crosses_nodes(&direct.layout) {
        return direct;
    }
    let routed = RoutedGraph::with_passages(graph);
    let around = routed.map(|routed| lay_out(chart, routed, format, frame).0);
    let is_better = |around: &Plan| {
        around.layout.scale >= direct.layout.scale * MIN_SCALE_WITH_PASSAGES
            && around.labels.count_cut_names(&around.routed.graph)
                <= direct.labels.count_cut_names(graph)
            && !around.routed.crosses_nodes(&around.layout)
    };
    around.filter(is_better).unwrap_or(direct)
}

/// Lays out labels, nodes and ribbons. Also returns whether the settings fix the order of the nodes.
fn lay_out(
    chart: &Chart,
    routed: RoutedGraph,
    format: &NumberFormat,
    frame: &Frame,
) -> (Plan, bool) {
    let (graph, style) = (&routed.graph, &frame.style);
    let mut order = flows::order_layers(chart, graph);
    let node_width = (style.unit * 10.0).min(frame.area.width() / (graph.layer_count as f64 * 3.0));
    let space = NodeSpace::new(graph, &order.layers, frame.area.height(), style.label_size * 1.1);
    let labels = NodeLabels::new(chart, graph, &order.layers, format, frame, (node_width, space));
    let label_heights = labels.list_heights();
    let layout =
        layout::lay_out_nodes(graph, &mut order, labels.plot, node_width, (space, &label_heights));
    (Plan { routed, labels, layout }, order.is_fixed)
}

/// Sets the text description of the scene: the numbers of flows and nodes, and the largest flow with its
/// ends and amount. Does nothing without flows.
fn describe(graph: &FlowGraph, format: &NumberFormat, scene: &mut Scene) {
    let largest = graph.flows.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    if let Some(flow) = largest {
        scene.description = format!(
            "Sankey diagram of {} flows between {} places. The largest leads from {} to {} ({}).",
            graph.flows.len(),
            graph.nodes.len(),
            graph.nodes[flow.source].name,
            graph.nodes[flow.target].name,
            format.text(flow.value),
        );
    }
}

/// Returns the color of each node, in the order of `graph.nodes`.
///
/// The first `MAX_NODE_COLORS` nodes with outgoing flows have series colors, because ribbons have
/// the color of their source. All other nodes are gray. If any flow is highlighted, all nodes are
/// gray.
fn choose_node_colors(chart: &Chart, graph: &FlowGraph, style: &ChartStyle) -> Vec<Color> {
    let gray = style.muted_color.mix(style.background, 0.2);
    let any_highlighted = graph.flows.iter().any(|flow| flow.highlighted);
    let mut used_count = 0;
    let choose_color = |node: &flows::Node| {
        if any_highlighted || node.outgoing.is_empty() || used_count == MAX_NODE_COLORS {
            return gray;
        }
        used_count += 1;
        chart.series_color(used_count - 1)
    };
    graph.nodes.iter().map(choose_color).collect()
}

/// Draws the ribbons in a translucent shade of the color of their source node, wide ones first, each as
/// a mark with a tooltip. Very thin ribbons have the thickness `MIN_RIBBON_THICKNESS`.
///
/// If any flow is highlighted, highlighted ribbons have the highlight color and all others a faded
/// color.
fn draw_ribbons(
    chart: &Chart,
    graph: &FlowGraph,
    plan: &Plan,
    node_colors: &[Color],
    format: &NumberFormat,
    frame: &Frame,
    scene: &mut Scene,
) {
    let any_highlighted = graph.flows.iter().any(|flow| flow.highlighted);
    let choose_fill = |flow: &Flow| match (any_highlighted, flow.highlighted) {
        (false, _) => make_translucent(node_colors[flow.source], &frame.style),
        (true, true) => chart.theme.highlight_color.with_opacity(0.6),
        (true, false) => frame.style.faded_color().with_opacity(0.3),
    };
    // Wide ribbons are drawn first and highlighted ribbons last, so that none of them is hidden.
    let mut drawing_order: Vec<usize> = (0..graph.flows.len()).collect();
    drawing_order.sort_by(|a, b| {
        let (a, b) = (&graph.flows[*a], &graph.flows[*b]);
        a.highlighted.cmp(&b.highlighted).then(b.value.total_cmp(&a.value))
    });
    for index in drawing_order {
        let flow = &graph.flows[index];
        scene.begin_mark("flow", Some(flow.row), || {
            let (source, target) = (&graph.nodes[flow.source].name, &graph.nodes[flow.target].name);
            (Some("value".to_owned()), format!("{source} – {target}: {}", format.text(flow.value)))
        });
        let thickness = (flow.value * plan.layout.scale).max(MIN_RIBBON_THICKNESS);
        let path = plan.routed.ribbon_path(index, &plan.layout, thickness);
        scene.fill(path, choose_fill(flow));
    }
    scene.end_mark();
}

/// Returns a translucent shade of a color, so that crossings of ribbons show.
///
/// The shade has the highest of four opacities with which the text color of the style reaches
/// `MIN_TEXT_CONTRAST` on it, or else the lowest one.
fn make_translucent(color: Color, style: &ChartStyle) -> Color {
    const OPACITIES: [f64; 4] = [0.42, 0.34, 0.26, 0.18];
    let shades = OPACITIES.map(|opacity| color.with_opacity(opacity));
    let is_readable = |shade: &Color| {
        style.text_color.contrast(shade.over(style.background)) >= MIN_TEXT_CONTRAST
    };
    shades.into_iter().find(is_readable).unwrap_or(shades[3])
}
