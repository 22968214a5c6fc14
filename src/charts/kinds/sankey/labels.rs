//! Labels of the nodes with name and amount: left of the first layer, right of all others.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Omission};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::sankey::flows::FlowGraph;
use crate::kinds::sankey::label_text::{LINE_HEIGHT_EM, LabelText, Lines};
use crate::kinds::sankey::layout::{Layout, NodeSpace};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::value_labels::ValueLabelCount;

/// Maximum width of the outer labels as shares of the width, with two layers. The first one is
/// preferred.
const SHARES_OF_TWO_LAYERS: [f64; 4] = [0.32, 0.36, 0.4, 0.26];
/// Maximum width of the outer labels as shares of the width, with more layers. The first one is
/// preferred. Narrow ones leave more space for the labels between the layers.
const SHARES_OF_MORE_LAYERS: [f64; 5] = [0.24, 0.2, 0.16, 0.3, 0.34];
/// Maximum number of nodes for which all widths are tried.
const MAX_NODES_FOR_SEARCH: usize = 150;
/// Minimum width of the ribbons between the outer labels as a share of the width, with names that
/// could be broken instead.
const MIN_PLOT_SHARE: f64 = 0.48;
/// Minimum scale of the nodes as a share of that without labels, with amounts below the names.
const MIN_STACKED_SCALE: f64 = 0.75;
/// Minimum scale of the nodes as a share of that without labels. Names that would make it smaller
/// are left out.
const MIN_SCALE: f64 = 0.3;
/// Distance between labels of several lines as a multiple of the font size, so that their lines do not look
/// like those of one label.
const LABEL_GAP_EM: f64 = 0.4;

/// Layout of the labels, and the rectangle that they leave for the ribbons.
pub struct NodeLabels {
    /// Rectangle between the labels of the first and the last layer.
    pub plot: Rect,
    /// Label of each node. None if its layer has no space for it.
    labels: Vec<Option<LabelText>>,
    /// Font size in points.
    font_size: f64,
    /// Distance between labels of several lines in points.
    label_gap: f64,
    /// Distance in points between node and label.
    gap: f64,
    /// Whether the settings show amounts, as far as they have space.
    shows_amounts: bool,
}

/// Nodes, layers and sizes that all layouts of the labels share.
struct LabelInput<'a> {
    graph: &'a FlowGraph,
    layers: &'a [Vec<usize>],
    /// Formatted amount of each node. Empty texts if the settings hide the amounts.
    amounts: Vec<String>,
    /// Whether amounts are below names of one line, instead of in the same line.
    is_stacked: bool,
    area: Rect,
    node_width: f64,
    space: NodeSpace,
    gap: f64,
    style: &'a ChartStyle,
}

/// Font size and distance, and maximum widths of the outer labels as shares of the width.
#[derive(Clone, Copy)]
struct LabelSizes {
    font_size: f64,
    /// Distance between labels of several lines in points.
    label_gap: f64,
    first_share: f64,
    last_share: f64,
}

impl NodeLabels {
    /// Chooses font size, widths and lines of the labels and the rectangle that they leave. The choice
    /// shortens or omits the fewest names, then omits the fewest amounts, then breaks the fewest lines.
    ///
    /// Uses the small font only if the large one loses names or amounts, and labels that touch only if
    /// others lose more of them. `layers` holds the indices of
    /// the nodes of each layer, `node_width` is in points, `space` is the height for nodes and labels.
    pub fn new(
        chart: &Chart,
        graph: &FlowGraph,
        layers: &[Vec<usize>],
        format: &NumberFormat,
        frame: &Frame,
        (node_width, space): (f64, NodeSpace),
    ) -> NodeLabels {
        let style = &frame.style;
        let area = frame.area;
        let shows_amounts = chart.bool_setting("showValues", true);
        let format_amount =
            |value: f64| if shows_amounts { format.text(value) } else { String::new() };
        let is_named = |index: &&usize| is_named(graph, **index);
        let max_nodes = layers.iter().map(|layer| layer.iter().filter(is_named).count());
        let max_nodes = max_nodes.max().unwrap_or(1) as f64;
        let node_space = area.height() / max_nodes;
        let input = LabelInput {
            graph,
            layers,
            amounts: graph.nodes.iter().map(|node| format_amount(node.value)).collect(),
            is_stacked: shows_amounts && node_space >= style.label_size * LINE_HEIGHT_EM * 2.6,
            area,
            node_width,
            space,
            gap: style.unit * 5.0,
            style,
        };
        let has_space = node_space >= style.label_size * 1.3;
        let font_sizes = if has_space {
            vec![style.label_size, style.small_size]
        } else {
            vec![style.small_size]
        };
        let best = input.find_best(&font_sizes);
        best.unwrap_or_else(|| NodeLabels {
            plot: area,
            labels: Vec::new(),
            font_size: style.small_size,
            label_gap: 0.0,
            gap: 0.0,
            shows_amounts,
        })
    }

    /// Returns the height in points of the label of each node with the distance to others, in the order of
    /// the nodes. It is 0 without a label.
    pub fn list_heights(&self) -> Vec<f64> {
        let height = |label: &Option<LabelText>| {
            label.as_ref().map_or(0.0, |label| label.height(self.font_size, self.label_gap))
        };
        self.labels.iter().map(height).collect()
    }

    /// Draws the labels beside the middles of their nodes. The scene counts the nodes without a visible
    /// name, and the missing amounts if they are more than a quarter.
    pub fn draw(&self, graph: &FlowGraph, layout: &Layout, style: &ChartStyle, scene: &mut Scene) {
        for (node, (label, rect)) in self.labels.iter().zip(&layout.node_rects).enumerate() {
            if let Some(label) = label {
                self.draw_label(graph, node, label, *rect, style, scene);
            }
        }
        let is_omitted = |(index, label): &(usize, &Option<LabelText>)| {
            is_named(graph, *index) && label.as_ref().is_none_or(LabelText::is_empty)
        };
        let omitted_count = self.labels.iter().enumerate().filter(is_omitted).count();
        scene.omit(Omission::Name, omitted_count);
        let mut value_labels = ValueLabelCount::default();
        for (node, label) in graph.nodes.iter().zip(&self.labels) {
            let is_visible = label.as_ref().is_some_and(|label| !label.is_empty());
            if self.shows_amounts && !node.name.is_empty() && is_visible {
                let has_amount = label.as_ref().is_some_and(|label| !label.amount.is_empty());
                value_labels.add(node.value, has_amount);
            }
        }
        value_labels.report_segments(false, scene);
    }

    /// Returns the number of names that are shortened or left out.
    pub fn count_cut_names(&self, graph: &FlowGraph) -> usize {
        let is_cut = |(index, label): &(usize, &Option<LabelText>)| {
            is_named(graph, *index) && label.as_ref().is_none_or(LabelText::is_shortened)
        };
        self.labels.iter().enumerate().filter(is_cut).count()
    }

    /// Draws the label of the node `index`, vertically centered: left of the node in the first layer,
    /// right of it in all others. `rect` is the rectangle of the node.
    fn draw_label(
        &self,
        graph: &FlowGraph,
        index: usize,
        label: &LabelText,
        rect: Rect,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let Some(node) = graph.nodes.get(index) else { return };
        let (x, anchor) = match node.layer {
            0 => (rect.x0 - self.gap, Anchor::End),
            _ => (rect.x1 + self.gap, Anchor::Start),
        };
        let halo = choose_halo_color(graph, index, style);
        let size = self.font_size;
        let first_line = rect.center().y + HALF_CAP_HEIGHT_EM * size
            - (label.line_count().saturating_sub(1)) as f64 / 2.0 * size * LINE_HEIGHT_EM;
        let baseline = |line: usize| first_line + line as f64 * size * LINE_HEIGHT_EM;
        let amount_color = if halo.is_some() { style.text_color } else { style.label_color };
        let inline_amount = label.inline_amount();
        let last_line = label.name_lines.len().saturating_sub(1);
        let is_shortened = label.name_lines.iter().any(|line| line.ends_with('…'));
        for (line_index, line) in label.name_lines.iter().enumerate() {
            let amount = inline_amount.filter(|_| line_index == last_line);
            let amount_gap = label.amount_gap(amount, size);
            let (name_x, amount_x) = match anchor {
                Anchor::End => (x - style.text_width(amount.unwrap_or(""), size) - amount_gap, x),
                _ => (x, x + style.text_width(line, size) + amount_gap),
            };
            let full = is_shortened.then(|| node.name.clone());
            let text = style.label_text(name_x, baseline(line_index), anchor, size, line);
            scene.text(Text { color: style.text_color, halo, full, ..text });
            let amount = amount.unwrap_or("");
            let text = style.label_text(amount_x, baseline(line_index), anchor, size, amount);
            scene.text(Text { color: amount_color, halo, ..text });
        }
        if let Some(amount) = label.amount_below() {
            let text = style.label_text(x, baseline(last_line + 1), anchor, size, amount);
            scene.text(Text { color: amount_color, halo, ..text });
        }
    }
}

impl LabelInput<'_> {
    /// Returns the layout with the least losses, first of those with a distance between the labels. None
    /// without font sizes.
    fn find_best(&self, font_sizes: &[f64]) -> Option<NodeLabels> {
        let mut best: Option<((usize, usize, usize), NodeLabels)> = None;
        let sizes = font_sizes.iter().map(|size| (*size, LABEL_GAP_EM * size));
        for (font_size, label_gap) in sizes.chain(font_sizes.iter().map(|size| (*size, 0.0))) {
            if matches!(best, Some(((0, 0, _), _))) {
                break;
            }
            for sizes in list_sizes((font_size, label_gap), self.graph) {
                let labels = self.lay_out(sizes);
                let cost = self.count_losses(&labels);
                // Labels without a distance are better only if more of their texts are whole.
                let is_better = |least: &(usize, usize, usize)| match label_gap > 0.0 {
                    true => cost < *least,
                    false => (cost.0, cost.1) < (least.0, least.1),
                };
                if best.as_ref().is_none_or(|(least, _)| is_better(least)) {
                    best = Some((cost, labels));
                }
            }
        }
        best.map(|(_, labels)| labels)
    }

    /// Breaks the labels of all layers with the given font size and widths of the outer labels. The
    /// plot is as wide as the resulting outer labels leave, the inner ones fit between the layers.
    fn lay_out(&self, sizes: LabelSizes) -> NodeLabels {
        let LabelInput { graph, layers, area, gap, .. } = self;
        let size = sizes.font_size;
        let mut labels: Vec<Option<LabelText>> = graph.nodes.iter().map(|_| None).collect();
        let mut fill_layer = |layer: Option<&Vec<usize>>, max_width: f64| {
            let mut width: f64 = 0.0;
            let layer = layer.map_or(&[][..], Vec::as_slice);
            for (node, label) in self.break_layer(layer, max_width, (size, sizes.label_gap)) {
                width = width.max(label.width(size, self.style));
                labels.get_mut(node).into_iter().for_each(|slot| *slot = Some(label.clone()));
            }
            width.min(max_width)
        };
        let first_layer = fill_layer(layers.first(), area.width() * sizes.first_share);
        let last_layer = fill_layer(layers.last(), area.width() * sizes.last_share);
        let plot =
            Rect { x0: area.x0 + first_layer + gap, x1: area.x1 - last_layer - gap, ..*area };
        let interval_count = (graph.layer_count.max(2) - 1) as f64;
        let between_layers =
            (plot.width() - self.node_width) / interval_count - self.node_width - 2.5 * gap;
        let inner_layers = layers.get(1..layers.len().saturating_sub(1)).unwrap_or_default();
        for layer in inner_layers {
            fill_layer(Some(layer), between_layers);
        }
        let shows_amounts = self.amounts.iter().any(|amount| !amount.is_empty());
        let label_gap = sizes.label_gap;
        NodeLabels { plot, labels, font_size: size, label_gap, gap: *gap, shows_amounts }
    }

    /// Breaks the labels of a layer into the most lines with which the nodes stay high enough. Returns
    /// the index of each node with its label. `max_width`, the font size and the distance between labels
    /// are in points.
    ///
    /// If not even labels of one line have space, leaves out those of the smallest nodes.
    fn break_layer(
        &self,
        layer: &[usize],
        max_width: f64,
        (size, label_gap): (f64, f64),
    ) -> Vec<(usize, LabelText)> {
        let break_label = |node: &usize, lines: Lines| {
            let name = self.graph.nodes.get(*node).map_or("", |node| &node.name);
            let amount = self.amounts.get(*node).map_or("", String::as_str);
            (*node, LabelText::new(name, amount, max_width, lines, size, self.style))
        };
        // Passages have no labels. They follow the nodes, so that the heights of labels are in order.
        let (named, passages): (Vec<usize>, Vec<usize>) =
            layer.iter().partition(|index| is_named(self.graph, **index));
        let layer = [named.as_slice(), passages.as_slice()].concat();
        let stacked = [(4, true, true), (4, true, false)];
        let stacked = stacked.into_iter().filter(|_| self.is_stacked);
        let inline = [
            (4, false, true),
            (4, false, false),
            (3, false, false),
            (2, false, false),
            (1, false, false),
        ];
        for (max_name_lines, is_stacked, may_be_below_wrapped) in stacked.chain(inline) {
            let lines = Lines {
                max_name_lines,
                is_stacked,
                may_be_below: self.is_stacked || may_be_below_wrapped,
                may_be_below_wrapped,
            };
            let labels: Vec<_> = named.iter().map(|node| break_label(node, lines)).collect();
            let heights = labels.iter().map(|(_, label)| label.height(size, label_gap));
            let heights: Vec<f64> = heights.collect();
            let least_share = if is_stacked { MIN_STACKED_SCALE } else { MIN_SCALE };
            if self.fits(&layer, &heights, least_share) {
                return labels;
            }
        }
        let value_of = |node: &usize| self.graph.nodes.get(*node).map_or(0.0, |node| node.value);
        let mut largest = named.clone();
        largest.sort_by(|a, b| value_of(b).total_cmp(&value_of(a)));
        let counts: Vec<usize> = (0..=largest.len()).collect();
        largest.extend(passages);
        let fits =
            |count: usize| self.fits(&largest, &vec![size * LINE_HEIGHT_EM; count], MIN_SCALE);
        let count = counts.partition_point(|count| fits(*count)).saturating_sub(1);
        largest.iter().take(count).map(|node| break_label(node, Lines::ONE)).collect()
    }

    /// Returns whether the nodes of `layer` with labels of these heights fit if the scale is
    /// `least_share` of that without labels. `label_heights` are in points and in the order of
    /// `layer`. Nodes beyond the last height have no label.
    fn fits(&self, layer: &[usize], label_heights: &[f64], least_share: f64) -> bool {
        let scale = self.space.scale_without_labels * least_share;
        let value_of = |node: &usize| self.graph.nodes.get(*node).map_or(0.0, |node| node.value);
        let heights = layer.iter().map(|node| value_of(node) * scale);
        let label_heights = label_heights.iter().copied().chain(std::iter::repeat(0.0));
        self.space.fits(heights.zip(label_heights))
    }

    /// Returns three numbers, the smaller the better: names that are shortened or left out, amounts
    /// that are left out, and lines beyond the first of each label. The last number is `usize::MAX` if
    /// the labels leave little width for the ribbons.
    fn count_losses(&self, labels: &NodeLabels) -> (usize, usize, usize) {
        let (mut names, mut amounts, mut broken) = (0, 0, 0);
        for (index, (label, amount)) in labels.labels.iter().zip(&self.amounts).enumerate() {
            if !is_named(self.graph, index) {
                continue;
            }
            names += usize::from(label.as_ref().is_none_or(LabelText::is_shortened));
            let shows_amount = label.as_ref().is_some_and(|label| !label.amount.is_empty());
            amounts += usize::from(!amount.is_empty() && !shows_amount);
            broken += label.as_ref().map_or(0, |label| {
                let amount_lines = usize::from(!self.is_stacked && label.amount_below().is_some());
                label.name_lines.len().saturating_sub(1) + amount_lines
            });
        }
        // Narrow ribbons are worse than broken names.
        let is_narrow = labels.plot.width() < self.area.width() * MIN_PLOT_SHARE;
        (names, amounts, if is_narrow { usize::MAX } else { broken })
    }
}

/// Returns whether a node has a name, unlike a passage.
fn is_named(graph: &FlowGraph, index: usize) -> bool {
    graph.nodes.get(index).is_some_and(|node| !node.name.is_empty())
}

/// Returns the widths of the outer labels to try with the font size and the distance of labels, in the order of
/// preference: all pairs for both sides, or only equal widths if there are many nodes.
fn list_sizes((font_size, label_gap): (f64, f64), graph: &FlowGraph) -> Vec<LabelSizes> {
    let shares: &[f64] = match graph.layer_count {
        ..=2 => &SHARES_OF_TWO_LAYERS,
        _ => &SHARES_OF_MORE_LAYERS,
    };
    let mut sizes = Vec::new();
    for first_share in shares {
        let last_shares = shares.iter().filter(|last_share| {
            graph.nodes.len() <= MAX_NODES_FOR_SEARCH || **last_share == *first_share
        });
        sizes.extend(last_shares.map(|last_share| LabelSizes {
            font_size,
            label_gap,
            first_share: *first_share,
            last_share: *last_share,
        }));
    }
    sizes
}

/// Returns the halo color of the label of a node, the background color. None in the first and the last
/// layer, because only the labels between them are drawn over ribbons.
fn choose_halo_color(graph: &FlowGraph, node: usize, style: &ChartStyle) -> Option<Color> {
    let layer = graph.nodes.get(node).map_or(0, |node| node.layer);
    (layer > 0 && layer + 1 < graph.layer_count).then_some(style.background)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::scene::Primitive;

    /// Returns flows from taxes to a budget and from there to expenses.
    fn flows() -> Vec<Value> {
        let taxes = [
            ("Einkommensteuer natürlicher Personen", 320),
            ("Umsatzsteuer Inland und Einfuhr", 140),
            ("Energiesteuer und Stromsteuer", 40),
            ("Tabaksteuer und Alkoholsteuern", 38),
            ("Kraftfahrzeugsteuer Personenwagen", 37),
            ("Versicherungsteuer Sachversicherung", 36),
            ("Solidaritätszuschlag Unternehmen", 35),
        ];
        let expenses = [
            ("Arbeit und Soziales, Rentenversicherung", 300),
            ("Verteidigung und Bundeswehr Personal", 120),
            ("Verkehr und digitale Infrastruktur", 50),
            ("Bildung und Forschung an Hochschulen", 48),
            ("Gesundheit und Pflegeversicherung", 46),
            ("Familie, Senioren, Frauen und Jugend", 44),
        ];
        let to_budget = |(name, value)| json!({"source": name, "target": "Budget", "value": value});
        let from_budget =
            |(name, value)| json!({"source": "Budget", "target": name, "value": value});
        taxes.into_iter().map(to_budget).chain(expenses.into_iter().map(from_budget)).collect()
    }

    fn draw(width: f64, height: f64) -> Scene {
        let (kind, data) = (crate::find_kind("sankey").unwrap(), flows());
        crate::draw(&Chart { width, height, ..Chart::new(kind, &data) })
    }

    #[test]
    fn labels_of_several_lines_have_a_distance() {
        for (width, height) in [(640.0, 400.0), (720.0, 405.0), (560.0, 500.0)] {
            let scene = draw(width, height);
            let texts = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
                Primitive::Text(text) if text.anchor == Anchor::End => Some(text),
                _ => None,
            });
            let mut lines: Vec<(f64, &str, f64)> =
                texts.map(|text| (text.y, text.text.as_str(), text.size)).collect();
            lines.sort_by(|one, two| one.0.total_cmp(&two.0));
            for pair in lines.windows(2) {
                let [(above, amount, size), (below, name, _)] = pair else { continue };
                let is_next_label = amount.parse::<u32>().is_ok() && name.parse::<u32>().is_err();
                let distance = (below - above) / size;
                assert!(!is_next_label || distance > 1.5, "{width}, {amount}, {name}: {distance}");
            }
        }
    }

    #[test]
    fn amounts_without_space_are_counted() {
        let mut counted_charts = 0;
        for (width, height) in [(480.0, 300.0), (300.0, 300.0)] {
            let scene = draw(width, height);
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            let shown = texts.iter().filter(|text| text.parse::<u32>().is_ok()).count();
            let counted = scene.omissions.iter().find(|(reason, _)| *reason == Omission::Value);
            let missing = 14 - shown;
            let is_counted = counted == Some(&(Omission::Value, missing));
            assert!(missing * 4 <= 14 || is_counted, "{width}: {texts:?}");
            counted_charts += usize::from(is_counted);
        }
        assert!(counted_charts > 0);
    }
}
