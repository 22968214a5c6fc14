//! Sankey diagram: flows of amounts between nodes, as ribbons from left to right. The thickness of
//! a ribbon is proportional to its amount.
//!
//! Record: `source`, `target`, `value` (greater than 0), `highlighted`. Flows that would form a
//! cycle are left out with a warning. Settings: `nodeOrder` (names from top to bottom),
//! `showValues`, `rulesets`.

mod flows;
mod labels;
mod layout;

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;

use flows::{Flow, Flows};
use labels::Labels;
use layout::Layout;

/// The Sankey diagram.
pub const KIND: Kind = Kind { slug: "sankey", draw };

/// Maximum number of node colors. More could not be distinguished, so further nodes are grey.
const MAX_HUES: usize = 8;

/// Draws ribbons, nodes and labels.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let flows = flows::read(chart, scene);
    if flows.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let values = flows.nodes.iter().map(|it| it.value).chain(flows.all.iter().map(|it| it.value));
    let format = NumberFormat::for_values(values, &chart.format_rules("value"), chart.locale());
    describe(&flows, &format, scene);
    let (mut rows, fixed) = flows::rows(chart, &flows);
    let width = (style.unit * 10.0).min(frame.area.width() / (flows.layers as f64 * 3.0));
    let labels = Labels::plan(chart, &flows, &rows, &format, frame, width);
    let sizes = (width, style.label_size * 1.1);
    let layout = layout::arrange(&flows, &mut rows, fixed, labels.plot, sizes);
    let colors = colors(chart, &flows, style);
    ribbons(chart, &flows, &layout, &colors, &format, frame, scene);
    for (index, node) in flows.nodes.iter().enumerate() {
        scene.begin_mark("node", None, || {
            (None, format!("{}: {}", node.name, format.text(node.value)))
        });
        // A node with a tiny amount stays visible: its rectangle is at least 0.75 points high.
        let rect = layout.nodes[index];
        let missing = (0.75 - rect.height()).max(0.0) / 2.0;
        scene.rect(Rect { y0: rect.y0 - missing, y1: rect.y1 + missing, ..rect }, colors[index]);
    }
    scene.end_mark();
    labels.draw(&flows, &rows, &layout, style, scene);
}

/// Sets the text description of the scene: number of flows and nodes, and the largest flow.
fn describe(flows: &Flows, format: &NumberFormat, scene: &mut Scene) {
    let largest = flows.all.iter().max_by(|one, two| one.value.total_cmp(&two.value));
    if let Some(flow) = largest {
        scene.description = format!(
            "Sankey diagram of {} flows between {} places. The largest leads from {} to {} ({}).",
            flows.all.len(),
            flows.nodes.len(),
            flows.nodes[flow.from].name,
            flows.nodes[flow.to].name,
            format.text(flow.value),
        );
    }
}

/// Returns the color of each node. Nodes with outgoing flows have series colors, because ribbons
/// have the color of their source. All other nodes are grey. If any flow is highlighted, all nodes
/// are grey.
fn colors(chart: &Chart, flows: &Flows, style: &ChartStyle) -> Vec<Color> {
    let grey = style.muted_color.mix(style.background, 0.2);
    let plain = flows.all.iter().all(|it| !it.highlighted);
    let mut used = 0;
    let color = |node: &flows::Node| {
        if !plain || node.leaving.is_empty() || used == MAX_HUES {
            return grey;
        }
        used += 1;
        chart.series_color(used - 1)
    };
    flows.nodes.iter().map(color).collect()
}

/// Draws the ribbons.
fn ribbons(
    chart: &Chart,
    flows: &Flows,
    layout: &Layout,
    colors: &[Color],
    format: &NumberFormat,
    frame: &Frame,
    scene: &mut Scene,
) {
    let any_highlighted = flows.all.iter().any(|it| it.highlighted);
    let fill = |flow: &Flow| match (any_highlighted, flow.highlighted) {
        (false, _) => pale(colors[flow.from], &frame.style),
        (true, true) => chart.theme.highlight_color.with_opacity(0.6),
        (true, false) => frame.style.faded_color().with_opacity(0.3),
    };
    // Wide ribbons are drawn first and highlighted ribbons last, so that none of them is hidden.
    let mut order: Vec<usize> = (0..flows.all.len()).collect();
    order.sort_by(|one, two| {
        let (one, two) = (&flows.all[*one], &flows.all[*two]);
        one.highlighted.cmp(&two.highlighted).then(two.value.total_cmp(&one.value))
    });
    for index in order {
        let flow = &flows.all[index];
        scene.begin_mark("flow", Some(flow.row), || {
            let (from, to) = (&flows.nodes[flow.from].name, &flows.nodes[flow.to].name);
            (Some("value".to_owned()), format!("{from} – {to}: {}", format.text(flow.value)))
        });
        let (start, end) = layout.ends[index];
        let thickness = (flow.value * layout.scale).max(0.5);
        let left = layout.nodes[flow.from].x1;
        let right = layout.nodes[flow.to].x0;
        scene.fill(ribbon((left, start), (right, end), thickness), fill(flow));
    }
    scene.end_mark();
}

/// Returns the color of a ribbon. It is translucent, so that crossings show, and pale enough for
/// the text color to have a contrast of 4.6. If no opacity reaches that contrast, the lowest one is
/// used.
fn pale(color: Color, style: &ChartStyle) -> Color {
    const OPACITIES: [f64; 4] = [0.42, 0.34, 0.26, 0.18];
    let shades = OPACITIES.map(|it| color.with_opacity(it));
    let carries = |it: &Color| style.text_color.contrast(it.over(style.background)) >= 4.6;
    shades.into_iter().find(carries).unwrap_or(shades[3])
}

/// Returns the path of a ribbon with constant vertical thickness, horizontal at both ends.
fn ribbon((left, start): (f64, f64), (right, end): (f64, f64), thickness: f64) -> BezPath {
    let middle = f64::midpoint(left, right);
    let mut path = BezPath::new();
    path.move_to((left, start));
    path.curve_to((middle, start), (middle, end), (right, end));
    path.line_to((right, end + thickness));
    path.curve_to(
        (middle, end + thickness),
        (middle, start + thickness),
        (left, start + thickness),
    );
    path.close_path();
    path
}
