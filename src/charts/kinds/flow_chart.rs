//! Flow chart: the steps and decisions of a procedure, with arrows to their successors.
//!
//! Record: `id`, `label`, `type` (`start`, `step`, `decision`, `end`), `next` (an id, several ids
//! separated by commas, or a list; each may have an arrow label: `Yes: id`, or an object with `to`
//! and `label`), `condition` (label of the arrows to `next` without their own), `highlighted`.
//! Settings: `direction` (`auto`, `down`, `right`).
//!
//! The layout is layered (Sugiyama): the nodes are assigned to layers, ordered within their layers
//! so that few arrows cross, and connected by orthogonal arrows in the channels between the layers.

mod arrows;
mod columns;
mod conditions;
mod graph;
mod layout;
mod routes;

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::graph_layers;
use crate::kinds::Kind;
use crate::scene::{Anchor, Primitive, Stroke};
use crate::steps;
use crate::steps::StepText;

use graph::{FlowGraph, Node, NodeShape};
use layout::{FlowLayout, LayoutOptions};

/// The flow chart.
pub const KIND: Kind = Kind { slug: "flow-chart", draw };

/// A layout with the labels of its nodes.
struct LabelledLayout {
    layout: FlowLayout,
    /// Label of each node, wrapped to fit its box.
    labels: Vec<StepText>,
    /// Chart style, with a larger font size if all labels have space for it.
    style: ChartStyle,
    /// Penalty for labels that do not fit: 2 per shortened label, and 1 if the labels are small or
    /// fill their boxes.
    label_penalty: usize,
}

/// The steps that fit on the canvas, with their layout.
struct FittingSteps {
    /// Parts of the flow that are side by side. One for most charts.
    parts: Vec<FlowPart>,
    /// Number of steps that do not fit.
    omitted: usize,
}

/// A part of the flow with its layout.
struct FlowPart {
    graph: FlowGraph,
    labelled: LabelledLayout,
    /// Left end of its area in points.
    left: f64,
    /// Step at which the arrow from the part before ends.
    entry: Option<usize>,
    /// Step at which the arrow to the next part starts.
    exit: Option<usize>,
}

impl FlowPart {
    /// Returns the number of arrow labels that are too high for the space between two layers: all
    /// of them or 0, because all spaces are equal. 0 if the flow runs to the right.
    fn count_tight_arrow_labels(&self) -> usize {
        let LabelledLayout { layout, style, .. } = &self.labelled;
        let is_tight = layout.runs_down && layout.channel < style.small_size * 2.3;
        let labelled_links = self.graph.links.iter().filter(|link| !link.label.is_empty());
        if is_tight { labelled_links.count() } else { 0 }
    }

    /// Returns whether the boxes are large enough and no step lost its whole label. Shortened
    /// labels are permitted.
    fn is_readable(&self) -> bool {
        let (style, rect) = (&self.labelled.style, self.labelled.layout.rect(0));
        let boxes_are_large =
            rect.width() >= style.label_size * 4.0 && rect.height() >= style.small_size * 1.1;
        let is_hidden =
            |(label, node): (&StepText, &Node)| label.height() == 0.0 && !node.label.is_empty();
        boxes_are_large && !self.labelled.labels.iter().zip(&self.graph.nodes).any(is_hidden)
    }
}

/// Draws arrows, nodes and arrow labels of the steps that fit, and a note about the others. Draws a
/// "No data" note instead without steps.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let FittingSteps { parts, omitted } = lay_out_fitting_steps(chart, frame, scene);
    let nodes = || parts.iter().flat_map(|part| &part.graph.nodes);
    let Some(first) = nodes().next() else { return frame::draw_no_data(frame, scene) };
    let area = steps::draw_overflow_note(omitted, frame.area, &frame.style, scene);
    let decisions = nodes().filter(|node| node.shape == NodeShape::Decision).count();
    let links = parts.iter().map(|part| part.graph.links.len()).sum::<usize>() + parts.len() - 1;
    scene.description = format!(
        "Flow chart of {} steps, {decisions} of them decisions, and {links} arrows, starting with {}.",
        nodes().count(),
        first.label,
    );
    let any_highlighted = nodes().any(|node| node.highlighted);
    for part in &parts {
        draw_part(chart, part, any_highlighted, area, scene);
    }
    for pair in parts.windows(2) {
        if let [before, after] = pair {
            columns::draw_connector(before, after, scene);
        }
    }
}

/// Draws arrows, nodes and arrow labels of a part of the flow. `area` is that of the whole chart.
fn draw_part(chart: &Chart, part: &FlowPart, any_highlighted: bool, area: Rect, scene: &mut Scene) {
    let FlowPart { graph, labelled, .. } = part;
    let style = &labelled.style;
    let layout = &labelled.layout;
    let to_canvas =
        |route: Vec<Point>| route.into_iter().map(|point| layout.to_canvas(point)).collect();
    let routes: Vec<Vec<Point>> =
        routes::route_links(graph, layout).into_iter().map(to_canvas).collect();
    for (link, route) in graph.links.iter().zip(&routes) {
        let row = graph.nodes.get(link.from).map(|node| node.row);
        scene.begin_mark("arrow", row, || {
            let name = |index: usize| graph.nodes.get(index).map_or("", |node| node.label.as_str());
            (Some("next".to_owned()), format!("{} – {}", name(link.from), name(link.to)))
        });
        arrows::draw_arrow(route, style, scene);
    }
    scene.end_mark();
    for (index, (node, label)) in graph.nodes.iter().zip(&labelled.labels).enumerate() {
        scene.begin_mark("step", Some(node.row), || (Some("label".to_owned()), node.label.clone()));
        draw_node(chart, node, label, layout.rect(index), any_highlighted, style, scene);
    }
    scene.end_mark();
    let node_areas = graph.nodes.iter().enumerate().flat_map(|(index, node)| {
        let rect = layout.rect(index);
        // Arrow labels may use the corners outside a diamond, so it is approximated by five
        // rectangles.
        let part_count = if node.shape == NodeShape::Decision { 5 } else { 1 };
        (0..part_count).map(move |part| {
            let share = |count: i32| f64::from(count) / f64::from(part_count);
            let size = (rect.width() * share(part_count - part), rect.height() * share(part + 1));
            let size = if part_count == 1 { (rect.width(), rect.height()) } else { size };
            (index, Rect::from_center_size(rect.center(), size))
        })
    });
    let node_areas: Vec<(usize, Rect)> = node_areas.collect();
    arrows::draw_labels(graph, &routes, &node_areas, area, style, scene);
}

/// Reads the records and lays out as many steps as fit.
///
/// If steps are omitted, labels are shortened or arrow labels lack space, also tries several
/// columns and smaller text, and returns the layout with the fewest omitted steps, then shortened
/// labels, then arrow labels without space.
fn lay_out_fitting_steps(chart: &Chart, frame: &Frame, scene: &mut Scene) -> FittingSteps {
    let whole = lay_out_in_one_part(chart, frame, scene);
    let count_losses = |steps: &FittingSteps| {
        let cut_labels =
            |part: &FlowPart| part.labelled.labels.iter().filter(|label| !label.is_uncut()).count();
        let cut_count = steps.parts.iter().map(cut_labels).sum::<usize>();
        // The labels of arrows are left out more often than those of steps.
        let tight_count = steps.parts.iter().map(FlowPart::count_tight_arrow_labels).sum::<usize>();
        (steps.omitted, cut_count, tight_count)
    };
    let mut least_losses = count_losses(&whole);
    let mut best = whole;
    if least_losses == (0, 0, 0) {
        return best;
    }
    let (graph, omitted_before) = graph::read_graph(chart, scene);
    for parts in columns::list_layouts(chart.str_setting("direction"), &graph, frame) {
        let candidate = FittingSteps { parts, omitted: omitted_before };
        let losses = count_losses(&candidate);
        if losses < least_losses && candidate.parts.iter().all(FlowPart::is_readable) {
            (best, least_losses) = (candidate, losses);
        }
        if least_losses == (0, 0, 0) {
            break;
        }
    }
    if best.omitted > 0 {
        let shown = best.parts.iter().map(|part| part.graph.nodes.len()).sum();
        let columns = lay_out_in_columns_above_note(chart, &graph, omitted_before, shown, frame);
        return columns.unwrap_or(best);
    }
    best
}

/// Lays out more of the first steps in several columns than fit into one, above the note about
/// omitted steps. The `omitted_before` steps that are not in `graph` count as omitted, too.
///
/// Returns None if no columns show more than `shown_count` steps with whole labels.
fn lay_out_in_columns_above_note(
    chart: &Chart,
    graph: &FlowGraph,
    omitted_before: usize,
    shown_count: usize,
    frame: &Frame,
) -> Option<FittingSteps> {
    let note_height = steps::overflow_note_height(&frame.style);
    let area = Rect { y1: frame.area.y1 - note_height, ..frame.area };
    let frame = Frame { area, style: frame.style.clone() };
    let mut max_layers = MAX_STEPS_IN_COLUMNS;
    while max_layers > shown_count {
        let mut part = graph.clone();
        let omitted = omitted_before + limit_layers(&mut part, max_layers, max_layers);
        if part.nodes.len() <= shown_count {
            return None;
        }
        let is_whole = |parts: &Vec<FlowPart>| {
            parts.len() > 1
                && parts.iter().all(|part| {
                    let LabelledLayout { layout, style, labels, .. } = &part.labelled;
                    part.is_readable()
                        && layout.rect(0).height() >= style.small_size * 1.3
                        && labels.iter().all(StepText::is_uncut)
                })
        };
        let direction = chart.str_setting("direction");
        if let Some(parts) = columns::list_layouts(direction, &part, &frame).find(is_whole) {
            return Some(FittingSteps { parts, omitted });
        }
        max_layers = (max_layers * 4 / 5).min(part.nodes.len() - 1);
    }
    None
}

/// Maximum number of steps for which columns are tried if not all steps fit.
const MAX_STEPS_IN_COLUMNS: usize = 60;

/// Lays out as many steps as fit without columns.
///
/// Starts with the number of layers, and of steps per layer, that could fit. Reduces both by a
/// quarter until the boxes are large enough and every label is visible, or until less than a tenth
/// is left.
fn lay_out_in_one_part(chart: &Chart, frame: &Frame, scene: &mut Scene) -> FittingSteps {
    let (style, area) = (&frame.style, frame.area);
    let (long_side, short_side) =
        (area.width().max(area.height()), area.height().min(area.width()));
    let max_layers =
        (long_side / (style.label_size * 4.0)).max(short_side / (style.label_size * 2.2));
    let max_per_layer = short_side / (style.label_size * 2.2);
    let mut share = 1.0;
    loop {
        let (mut graph, mut omitted) = graph::read_graph(chart, scene);
        if graph.nodes.is_empty() {
            return FittingSteps { parts: Vec::new(), omitted };
        }
        omitted += limit_layers(
            &mut graph,
            (max_layers * share) as usize,
            (max_per_layer * share) as usize,
        );
        let note_height = if omitted > 0 { steps::overflow_note_height(style) } else { 0.0 };
        let area = Rect { y1: area.y1 - note_height, ..area };
        let labelled = lay_out_with_large_labels(chart, &graph, area, style);
        let part = FlowPart { graph, labelled, left: area.x0, entry: None, exit: None };
        if part.is_readable() || share < 0.1 {
            return FittingSteps { parts: vec![part], omitted };
        }
        share *= 0.75;
    }
}

/// Removes the steps beyond the first `max_layers` layers, and in each layer those beyond the first
/// `max_per_layer`. Both count as at least 1. Returns the number of removed steps.
fn limit_layers(graph: &mut FlowGraph, max_layers: usize, max_per_layer: usize) -> usize {
    let layer_of = graph_layers::assign_layers(graph.nodes.len(), &graph.pairs()).layer_of;
    let mut counts = vec![0; layer_of.len().max(1)];
    let keep = |layer: &usize| {
        counts[*layer] += 1;
        *layer < max_layers.max(1) && counts[*layer] <= max_per_layer.max(1)
    };
    let kept: Vec<bool> = layer_of.iter().map(keep).collect();
    let removed = kept.iter().filter(|kept| !**kept).count();
    if removed > 0 {
        graph.retain_nodes(&kept);
    }
    removed
}

/// Maximum number of steps for which larger font sizes are tried.
const MAX_STEPS_WITH_LARGE_LABELS: usize = 24;

/// Lays out the graph in the larger of two increased font sizes at which all labels and arrows have
/// enough space. Falls back to the normal size.
///
/// Larger sizes are tried only for graphs of at most `MAX_STEPS_WITH_LARGE_LABELS` steps. In the
/// normal size, labels can be small or shortened.
fn lay_out_with_large_labels(
    chart: &Chart,
    graph: &FlowGraph,
    area: Rect,
    style: &ChartStyle,
) -> LabelledLayout {
    let direction = chart.str_setting("direction");
    let larger = |factor: &f64| {
        lay_out_in_best_direction(direction, graph, area, &style.scale_labels(*factor))
    };
    let factors: &[f64] =
        if graph.nodes.len() > MAX_STEPS_WITH_LARGE_LABELS { &[] } else { &[1.3, 1.15] };
    let fits = |candidate: &LabelledLayout| {
        candidate.label_penalty == 0 && candidate.layout.channel > candidate.style.label_size * 2.0
    };
    let largest = factors.iter().map(larger).find(fits);
    largest.unwrap_or_else(|| lay_out_in_best_direction(direction, graph, area, style))
}

/// Lays out the graph downward or to the right, with larger boxes if labels do not fit otherwise.
///
/// The setting `direction` (`down`, `right`) decides. Without it, the direction with the smaller
/// label penalty is chosen, or at equal penalties the one with larger boxes.
fn lay_out_in_best_direction(
    direction: &str,
    graph: &FlowGraph,
    area: Rect,
    style: &ChartStyle,
) -> LabelledLayout {
    let label_widths =
        graph.links.iter().map(|link| style.text_width(&link.label, style.small_size));
    let max_label_width = label_widths.fold(0.0, f64::max).min(style.label_size * 6.0);
    let lay_out = |runs_down: bool, (width_factor, height_factor): (f64, f64)| {
        let options = LayoutOptions { runs_down, width_factor, height_factor, max_label_width };
        let layout = layout::lay_out(graph, area, &options, style);
        let (labels, label_penalty) = wrap_node_labels(graph, &layout, style);
        LabelledLayout { layout, labels, label_penalty, style: style.clone() }
    };
    // Long labels get larger boxes, although these look less balanced.
    let lay_out_direction = |runs_down: bool| {
        let mut best = lay_out(runs_down, (1.0, 1.0));
        for factors in [(1.8, 1.0), (1.0, 2.0), (1.8, 2.4)] {
            if best.label_penalty > 0 {
                let larger = lay_out(runs_down, factors);
                if larger.label_penalty < best.label_penalty {
                    best = larger;
                }
            }
        }
        best
    };
    match direction {
        "down" => lay_out_direction(true),
        "right" => lay_out_direction(false),
        _ => {
            let (right, down) = (lay_out_direction(false), lay_out_direction(true));
            let box_size = |candidate: &LabelledLayout| {
                let rect = candidate.layout.rect(0);
                rect.width().min(style.label_size * 8.0) * rect.height().min(style.label_size * 3.0)
            };
            let cost = |candidate: &LabelledLayout| (candidate.label_penalty, -box_size(candidate));
            if cost(&down) < cost(&right) { down } else { right }
        }
    }
}

/// Returns the labels of all nodes in one font size, wrapped to fit their boxes, and their penalty
/// (see `LabelledLayout`).
///
/// All labels are small if any of them would be shortened otherwise.
fn wrap_node_labels(
    graph: &FlowGraph,
    layout: &FlowLayout,
    style: &ChartStyle,
) -> (Vec<StepText>, usize) {
    let labels_at = |size: f64| -> Vec<StepText> {
        let wrap = |(index, node): (usize, &Node)| wrap_node_label(node, layout.rect(index), size);
        graph.nodes.iter().enumerate().map(wrap).collect()
    };
    let normal = labels_at(style.label_size);
    let is_small = !normal.iter().all(StepText::is_uncut);
    let labels = if is_small { labels_at(style.small_size) } else { normal };
    // Several lines that fill their box touch its border.
    let is_tight = |(index, (label, node)): (usize, (&StepText, &Node))| {
        let free_height = layout.rect(index).height() - label.height();
        let has_lines = label.height() > style.small_size * 2.0;
        node.shape != NodeShape::Decision && has_lines && free_height < style.small_size * 0.5
    };
    let any_tight = labels.iter().zip(&graph.nodes).enumerate().any(is_tight);
    let cut_count = labels.iter().filter(|label| !label.is_uncut()).count();
    (labels, cut_count * 2 + usize::from(is_small || any_tight))
}

/// Returns the label of a node with the font size `size`, wrapped to fit its box.
///
/// In a diamond the lines get shorter the more there are, so one, two and three lines are tried. If
/// the label is shortened in all of them, it gets two lines.
fn wrap_node_label(node: &Node, rect: Rect, size: f64) -> StepText {
    let wrap = |max_size: (f64, f64)| StepText::new("", &node.label, max_size, (size, size));
    match node.shape {
        NodeShape::Decision => {}
        // The first and last line must not touch the round ends.
        NodeShape::Terminal => {
            let height = (rect.height() - size * 0.6).max(size * 1.05).min(rect.height() - 1.0);
            return wrap((rect.width() - size * 0.9, height));
        }
        _ => return wrap((rect.width() - size * 0.9, rect.height() - 1.0)),
    }
    let wrap_lines = |count: f64| {
        let height = size * (count * 1.22 - 0.2);
        // The corners of the text may come close to the edges of the diamond.
        let share = 1.0 - (height - size * 0.35) / rect.height().max(1.0);
        wrap((rect.width() * share - size * 0.6, height.min(rect.height())))
    };
    let [one, two, three] = [wrap_lines(1.0), wrap_lines(2.0), wrap_lines(3.0)];
    if one.is_uncut() {
        one
    } else if two.is_uncut() || !three.is_uncut() {
        two
    } else {
        three
    }
}

/// Draws the shape of a node with its label.
///
/// Terminals and highlighted nodes have a solid fill, the others a pale one. If any node is
/// highlighted, the others are gray.
fn draw_node(
    chart: &Chart,
    node: &Node,
    label: &StepText,
    rect: Rect,
    any_highlighted: bool,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (default_color, is_solid) = match node.shape {
        NodeShape::Terminal => (chart.series_color(0), true),
        NodeShape::Step => (chart.series_color(0), false),
        NodeShape::Decision => (chart.series_color(1), false),
    };
    let (color, is_solid) = match (any_highlighted, node.highlighted) {
        (false, _) => (default_color, is_solid),
        (true, true) => (chart.theme.highlight_color, true),
        (true, false) => (style.faded_color(), is_solid),
    };
    let fill = if is_solid { color } else { color.mix(style.background, 0.8) };
    let fill = fill.with_readable_text().0;
    let text_color =
        if is_solid { fill.text_color() } else { style.text_color.readable_on(fill, 4.5) };
    draw_shape(node.shape, rect, fill, Stroke::new(color, style.unit), scene);
    let top_center = (rect.center().x, rect.center().y - label.height() / 2.0);
    label.draw(scene, style, top_center, Anchor::Middle, (text_color, text_color));
}

/// Draws a bar with round ends for a terminal, a box for a step, or a diamond for a decision, that
/// fills `rect`. The bar has no outline, the others have `rim`.
fn draw_shape(shape: NodeShape, rect: Rect, fill: Color, rim: Stroke, scene: &mut Scene) {
    if shape == NodeShape::Terminal {
        let radius = rect.width().min(rect.height()) / 2.0;
        return scene.push(Primitive::Rect { rect, radius, fill });
    }
    let path = if shape == NodeShape::Step {
        kurbo::Shape::to_path(&rect.to_rounded_rect(2.0), 0.1)
    } else {
        let middle = rect.center();
        let mut path = BezPath::new();
        path.move_to((middle.x, rect.y0));
        path.line_to((rect.x1, middle.y));
        path.line_to((middle.x, rect.y1));
        path.line_to((rect.x0, middle.y));
        path.close_path();
        path
    };
    scene.push(Primitive::Path { path, fill: Some(fill), stroke: Some(rim) });
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_reduced_flow_uses_the_width_of_the_canvas() {
        let data: Vec<Value> = (0..40)
            .map(|row| json!({"id": row, "label": format!("Prüfschritt {row}"), "next": row + 1}))
            .collect();
        let kind = crate::find_kind("flow-chart").unwrap();
        let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &data) });
        let is_step = |(text, _): &(&str, Rect)| text.starts_with("Prüfschritt");
        let boxes = scene.text_boxes().filter(is_step).count();
        assert!(boxes >= 10, "{boxes}");
    }
}
