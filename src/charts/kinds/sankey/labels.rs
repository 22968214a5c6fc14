//! Labels of the nodes with name and amount: left of the first layer, right of all others.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Omission};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::sankey::flows::FlowGraph;
use crate::kinds::sankey::layout::Layout;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::spread;
use crate::text;

/// Line height as a share of the font size.
const LINE_HEIGHT_EM: f64 = 1.2;
/// Space between a name and an amount in the same line, as a share of the font size.
const AMOUNT_GAP_EM: f64 = 0.4;

/// Layout of the labels, and the rectangle that they leave for the ribbons.
pub struct NodeLabels {
    /// Rectangle between the labels of the first and the last layer.
    pub plot: Rect,
    /// Formatted amount of each node. Empty texts if the settings hide the amounts.
    amounts: Vec<String>,
    /// Whether the amount is below the name instead of in the same line.
    is_stacked: bool,
    /// Font size in points.
    font_size: f64,
    /// Distance in points between node and label.
    gap: f64,
    /// Space for the labels.
    max_widths: MaxWidths,
}

/// Maximum width of the labels in points.
struct MaxWidths {
    /// Left of the first layer.
    first_layer: f64,
    /// Between two layers, right of the nodes of the left one.
    between_layers: f64,
    /// Right of the last layer.
    last_layer: f64,
}

/// Position of a label beside its node.
struct LabelPosition {
    /// Index of the node.
    node: usize,
    /// x coordinate of the anchor in points.
    x: f64,
    /// Side of the label that touches `x`.
    anchor: Anchor,
    /// y coordinate of the middle of the label in points.
    middle: f64,
}

impl NodeLabels {
    /// Chooses font size and form of the labels, and reserves the space for them. `layers` holds
    /// the nodes of each layer, `node_width` is in points.
    pub fn new(
        chart: &Chart,
        graph: &FlowGraph,
        layers: &[Vec<usize>],
        format: &NumberFormat,
        frame: &Frame,
        node_width: f64,
    ) -> NodeLabels {
        let style = &frame.style;
        let area = frame.area;
        let shows_amounts = chart.bool_setting("showValues", true);
        let format_amount =
            |value: f64| if shows_amounts { format.text(value) } else { String::new() };
        let amounts: Vec<String> =
            graph.nodes.iter().map(|node| format_amount(node.value)).collect();
        let max_nodes = layers.iter().map(Vec::len).max().unwrap_or(1) as f64;
        let is_stacked =
            shows_amounts && area.height() / max_nodes >= style.label_size * LINE_HEIGHT_EM * 2.6;
        let font_size = if area.height() / max_nodes >= style.label_size * 1.3 {
            style.label_size
        } else {
            style.small_size
        };
        let gap = style.unit * 5.0;
        let measure_widest = |layer: Option<&Vec<usize>>, max_share: f64| {
            let widths = layer.into_iter().flatten().map(|node| {
                let (name, amount) = (&graph.nodes[*node].name, &amounts[*node]);
                measure_label(name, amount, is_stacked, font_size, style)
            });
            widths.fold(0.0, f64::max).min(area.width() * max_share)
        };
        let max_share = if graph.layer_count > 2 { 0.24 } else { 0.32 };
        let first_layer = measure_widest(layers.first(), max_share);
        let last_layer = measure_widest(layers.last(), max_share);
        let plot = Rect { x0: area.x0 + first_layer + gap, x1: area.x1 - last_layer - gap, ..area };
        let interval_count = (graph.layer_count.max(2) - 1) as f64;
        let between_layers = (plot.width() - node_width) / interval_count - node_width - 2.5 * gap;
        let max_widths = MaxWidths { first_layer, between_layers, last_layer };
        NodeLabels { plot, amounts, is_stacked, font_size, gap, max_widths }
    }

    /// Draws the labels of all layers, moved apart so that they do not overlap. If not all labels
    /// of a layer fit, the labels of its smallest nodes are left out with a warning.
    pub fn draw(
        &self,
        graph: &FlowGraph,
        layers: &[Vec<usize>],
        layout: &Layout,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let line_height = self.font_size * LINE_HEIGHT_EM;
        let usual_height = if self.is_stacked { line_height * 2.0 } else { line_height };
        let max_labels = (self.plot.height() / usual_height) as usize;
        let full_height = |node: &usize| match self.is_stacked {
            true => self.break_lines(graph, *node, true, style).len().max(2) as f64 * line_height,
            false => line_height,
        };
        // Amounts below names of two lines are kept only if every layer has space for them.
        let keeps_amounts = layers
            .iter()
            .all(|layer| layer.iter().map(full_height).sum::<f64>() <= self.plot.height());
        let label_height =
            |node: &usize| if keeps_amounts { full_height(node) } else { usual_height };
        let mut omitted_count = 0;
        for layer in layers {
            let mut labeled = layer.clone();
            if labeled.len() > max_labels {
                let value_of = |node: &usize| graph.nodes[*node].value;
                labeled.sort_by(|a, b| value_of(b).total_cmp(&value_of(a)));
                omitted_count += labeled.len() - max_labels;
                labeled.truncate(max_labels);
            }
            let middle_of = |node: &usize| layout.node_rects[*node].center().y;
            labeled.sort_by(|a, b| middle_of(a).total_cmp(&middle_of(b)));
            let preferred: Vec<f64> = labeled.iter().map(middle_of).collect();
            let heights: Vec<f64> = labeled.iter().map(label_height).collect();
            let middles = spread::spread_apart(&preferred, &heights, self.plot.y0, self.plot.y1);
            for (node, middle) in labeled.iter().zip(middles) {
                let position = self.attach_label(graph, *node, layout.node_rects[*node], middle);
                if self.is_stacked {
                    self.draw_stacked(graph, &position, keeps_amounts, style, scene);
                } else {
                    self.draw_in_one_line(graph, &position, style, scene);
                }
            }
        }
        scene.omit(Omission::Name, omitted_count);
    }

    /// Returns the position of a label: left of the node in the first layer, right of it in all
    /// others. `rect` is the rectangle of the node, `middle` the y coordinate of the label.
    fn attach_label(
        &self,
        graph: &FlowGraph,
        node: usize,
        rect: Rect,
        middle: f64,
    ) -> LabelPosition {
        match find_layer(graph, node) {
            0 => LabelPosition { node, x: rect.x0 - self.gap, anchor: Anchor::End, middle },
            _ => LabelPosition { node, x: rect.x1 + self.gap, anchor: Anchor::Start, middle },
        }
    }

    /// Returns the maximum width of the label of a node in points.
    fn max_width(&self, graph: &FlowGraph, node: usize) -> f64 {
        match find_layer(graph, node) {
            0 => self.max_widths.first_layer,
            layer if layer + 1 == graph.layer_count => self.max_widths.last_layer,
            _ => self.max_widths.between_layers,
        }
    }

    /// Returns the lines of a label: the name, then the amount.
    ///
    /// A name that needs two lines has priority over the amount. It keeps the amount only if
    /// `keeps_amounts`. A name that does not fit into two lines is shortened to one. An amount that
    /// is wider than the space is left out.
    fn break_lines(
        &self,
        graph: &FlowGraph,
        index: usize,
        keeps_amounts: bool,
        style: &ChartStyle,
    ) -> Vec<String> {
        let (Some(node), Some(amount)) = (graph.nodes.get(index), self.amounts.get(index)) else {
            return Vec::new();
        };
        let max_width = self.max_width(graph, index);
        let two_lines = wrap_into_two_lines(&node.name, max_width, self.font_size, style);
        let shows_amount = keeps_amounts || two_lines.is_none();
        let mut lines = two_lines.unwrap_or_else(|| {
            let face = style.label_face();
            vec![text::ellipsize(&node.name, max_width, self.font_size, face).into_owned()]
        });
        let amount_fits = || style.text_width(amount, self.font_size) <= max_width;
        if shows_amount && !amount.is_empty() && amount_fits() {
            lines.push(amount.clone());
        }
        lines
    }

    /// Draws a label with the amount below the name, in the lines of `break_lines`.
    fn draw_stacked(
        &self,
        graph: &FlowGraph,
        position: &LabelPosition,
        keeps_amounts: bool,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let LabelPosition { node: index, x, anchor, middle } = *position;
        let Some(node) = graph.nodes.get(index) else { return };
        let halo = choose_halo_color(graph, index, style);
        let lines = self.break_lines(graph, index, keeps_amounts, style);
        let middle_line = lines.len().saturating_sub(1) as f64 / 2.0;
        for (line_index, line) in lines.iter().enumerate() {
            let baseline = middle
                + HALF_CAP_HEIGHT_EM * self.font_size
                + (line_index as f64 - middle_line) * self.font_size * LINE_HEIGHT_EM;
            let is_amount =
                line_index > 0 && line_index + 1 == lines.len() && !node.name.ends_with(line);
            let color =
                if is_amount && halo.is_none() { style.label_color } else { style.text_color };
            let full = line.ends_with('…').then(|| node.name.clone());
            let label = style.label_text(x, baseline, anchor, self.font_size, line);
            scene.text(Text { color, halo, full, ..label });
        }
    }

    /// Draws a label with name and amount in one line. If both do not fit, draws only the name,
    /// ellipsized if necessary.
    fn draw_in_one_line(
        &self,
        graph: &FlowGraph,
        position: &LabelPosition,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let LabelPosition { node: index, x, anchor, middle } = *position;
        let (Some(node), Some(amount)) = (graph.nodes.get(index), self.amounts.get(index)) else {
            return;
        };
        let size = self.font_size;
        let max_width = self.max_width(graph, index);
        let halo = choose_halo_color(graph, index, style);
        let fits = measure_label(&node.name, amount, false, size, style) <= max_width + 0.01;
        let amount = if fits { amount.as_str() } else { "" };
        let name = text::ellipsize(&node.name, max_width, size, style.label_face());
        let full = (name.len() != node.name.len()).then(|| node.name.clone());
        let baseline = middle + HALF_CAP_HEIGHT_EM * size;
        let amount_gap = if amount.is_empty() { 0.0 } else { size * AMOUNT_GAP_EM };
        let (name_x, amount_x) = match anchor {
            Anchor::End => (x - style.text_width(amount, size) - amount_gap, x),
            _ => (x, x + style.text_width(&name, size) + amount_gap),
        };
        let name_text = style.label_text(name_x, baseline, anchor, size, &name);
        scene.text(Text { color: style.text_color, halo, full, ..name_text });
        let color = if halo.is_some() { style.text_color } else { style.label_color };
        let amount_text = style.label_text(amount_x, baseline, anchor, size, amount);
        scene.text(Text { color, halo, ..amount_text });
    }
}

/// Returns the layer of a node, or 0 if the node does not exist.
fn find_layer(graph: &FlowGraph, node: usize) -> usize {
    graph.nodes.get(node).map_or(0, |node| node.layer)
}

/// Returns the halo color of a label. Only labels between the first and the last layer have a halo,
/// because they are drawn over ribbons.
fn choose_halo_color(graph: &FlowGraph, node: usize, style: &ChartStyle) -> Option<Color> {
    let layer = find_layer(graph, node);
    (layer > 0 && layer + 1 < graph.layer_count).then_some(style.background)
}

/// Wraps a name that needs two lines. Returns None if it fits into one line, or if it does not fit
/// into two.
fn wrap_into_two_lines(
    name: &str,
    max_width: f64,
    size: f64,
    style: &ChartStyle,
) -> Option<Vec<String>> {
    if style.text_width(name, size) <= max_width {
        return None;
    }
    let lines = text::wrap(name, max_width, 2, size, style.label_face());
    let fits = |line: &String| !line.ends_with('…') && style.text_width(line, size) <= max_width;
    (lines.len() == 2 && lines.iter().all(fits)).then_some(lines)
}

/// Returns the width in points of a label without shortening. `size` is the font size.
fn measure_label(name: &str, amount: &str, is_stacked: bool, size: f64, style: &ChartStyle) -> f64 {
    let name_width = style.text_width(name, size);
    let amount_width = style.text_width(amount, size);
    match (is_stacked, amount_width > 0.0) {
        (true, _) => name_width.max(amount_width),
        (false, true) => name_width + size * AMOUNT_GAP_EM + amount_width,
        (false, false) => name_width,
    }
}
