//! Sunburst chart: a circle of groups, with outer rings that divide each group into its parts.
//!
//! Record: `label`, `parent` (name of its group), `value` (greater than 0), `highlighted`, `color`.
//! Groups are labeled on their wedges, the outermost parts beside the circle. Settings: `levels`
//! (2 or 3), `sort`, `showValues`, `showPercentages`, `showTotal`, `centerLabel`, `valueTitle`.

mod names;

use std::f64::consts::TAU;

use kurbo::Circle;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Omission};
use crate::frame;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::slices;
use crate::slices::labels;
use crate::slices::{CircleExtent, Slice};
use crate::text;
use crate::value_tree::{ValueNode, ValueTree};

/// The sunburst chart.
pub const KIND: Kind = Kind { slug: "sunburst", draw };

/// Maximum number of siblings. The smallest ones beyond it are merged, because their wedges would
/// be too thin.
const MAX_SIBLINGS: usize = 24;
/// Minimum angle in radians of a part that is labeled beside the circle.
const MIN_LABELED_ANGLE: f64 = 0.02;
/// Minimum radius of a circle beside a list of its parts, as a multiple of the font size.
const MIN_LIST_RADIUS_EM: f64 = 4.0;
/// Maximum number of rings.
const MAX_RINGS: usize = 3;

/// A node with its position in the rings.
struct Wedge<'a> {
    /// Node of the tree that the wedge shows.
    node: &'a ValueNode,
    /// Index of the ring. 0 is the innermost ring.
    ring: usize,
    /// Whether the wedge extends to the edge of the circle and is labeled beside it.
    is_outer: bool,
    /// Start and end angle in radians, clockwise from twelve o'clock.
    angles: (f64, f64),
    /// Fill color.
    fill: Color,
}

/// Labels beside the circle.
struct OuterLabels {
    /// Slices that are labeled beside the circle.
    slices: Vec<Slice>,
    /// Position of the circle and of the labels.
    layout: labels::SliceLayout,
}

/// Draws wedges, labels and the total in the center, and a legend of the groups if the name of one does
/// not fit. Draws a note instead if there are no groups.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = ValueTree::read(chart, scene, MAX_SIBLINGS);
    if tree.top_level.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let wedges = build_wedges(chart, &tree, style);
    let ring_count = wedges.iter().map(|wedge| wedge.ring + 1).max().unwrap_or(1);
    let frame_below_legend = draw_group_legend(chart, &wedges, ring_count, frame, scene);
    let has_legend = frame_below_legend.area != frame.area;
    let frame = &frame_below_legend;
    let OuterLabels { slices: labeled, layout } =
        lay_out_outer_labels(chart, &wedges, frame, scene);
    let radii = choose_ring_radii(ring_count).map(|share| share * layout.radius);
    let inner_radius = |wedge: &Wedge| radii.get(wedge.ring).copied().unwrap_or(0.0);
    let outer_radius = |wedge: &Wedge| radii.get(wedge.ring + 1).copied().unwrap_or(layout.radius);
    let total: f64 = tree.nodes_at(&tree.top_level).map(|node| node.value).sum();
    for wedge in &wedges {
        let outer = if wedge.is_outer { layout.radius } else { outer_radius(wedge) };
        scene.begin_mark("slice", wedge.node.row, || {
            (Some("value".to_owned()), format_tooltip(chart, wedge, total))
        });
        slices::draw_wedge(
            wedge.angles,
            wedge.fill,
            layout.center,
            (outer, inner_radius(wedge)),
            style.background,
            scene,
        );
    }
    scene.end_mark();
    let mut unlabeled_count = 0;
    for wedge in wedges.iter().filter(|wedge| needs_label(wedge, has_legend, &labeled)) {
        let shape = names::WedgeShape {
            center: layout.center,
            inner_radius: inner_radius(wedge),
            outer_radius: outer_radius(wedge),
            angles: wedge.angles,
        };
        let is_drawn = names::draw_label(&wedge.node.label, wedge.fill, &shape, style, scene);
        unlabeled_count += usize::from(!is_drawn);
    }
    scene.omit(Omission::Name, unlabeled_count);
    labels::draw(&layout, &labeled, frame.area, style, scene);
    let hole = Circle::new(layout.center, radii[0]);
    draw_total(chart, &tree, total, hole, style, scene);
    describe(&tree, &wedges, chart, total, scene);
}

/// Returns whether a wedge needs a label on itself: it is not an outer wedge, and its name is neither in
/// the legend, which has the groups of the innermost ring, nor among the labels outside (`labeled`).
fn needs_label(wedge: &Wedge, has_legend: bool, labeled: &[Slice]) -> bool {
    let is_label_of =
        |slice: &Slice| slice.angles == wedge.angles && slice.label == wedge.node.label;
    let is_in_legend = has_legend && wedge.ring == 0;
    !wedge.is_outer && !is_in_legend && !labeled.iter().any(is_label_of)
}

/// Draws a legend of the groups if the name of one does not fit on its wedge and is not beside the
/// circle. Returns the frame with the area below the legend, or a copy of `frame` without a legend.
///
/// A low area has no legend.
fn draw_group_legend(
    chart: &Chart,
    wedges: &[Wedge],
    ring_count: usize,
    frame: &Frame,
    scene: &mut Scene,
) -> Frame {
    let style = &frame.style;
    let mut scratch = Scene::new(scene.width, scene.height, style.background);
    let outer_labels = lay_out_outer_labels(chart, wedges, frame, &mut scratch);
    let layout = &outer_labels.layout;
    let radii = choose_ring_radii(ring_count).map(|share| share * layout.radius);
    let groups = || wedges.iter().filter(|wedge| wedge.ring == 0 && !wedge.is_outer);
    let has_no_space = |wedge: &Wedge| {
        let shape = names::WedgeShape {
            center: layout.center,
            inner_radius: radii[0],
            outer_radius: radii[1],
            angles: wedge.angles,
        };
        let is_labeled = outer_labels
            .slices
            .iter()
            .any(|slice| slice.row == wedge.node.row && slice.label == wedge.node.label);
        !is_labeled && !names::fits_whole(&wedge.node.label, wedge.fill, &shape, style)
    };
    let mut frame = frame.clone();
    if frame.area.height() > style.label_size * 14.0 && groups().any(has_no_space) {
        let entries = groups().map(|wedge| (wedge.node.label.as_str(), wedge.fill));
        frame.area = legend::draw(scene, style, frame.area, entries);
    }
    frame
}

/// Lays out the circle and the labels beside it without drawing them. They are the labels of the outer
/// parts that are not too thin, or all of them as a list if that loses no name, or those of the groups
/// if the circle would be too small otherwise. The scene counts the outer parts without a label.
fn lay_out_outer_labels(
    chart: &Chart,
    wedges: &[Wedge],
    frame: &Frame,
    scene: &mut Scene,
) -> OuterLabels {
    let style = &frame.style;
    let outer: Vec<&Wedge> = wedges.iter().filter(|wedge| wedge.is_outer).collect();
    let outer_count = outer.len();
    let is_wide = |slice: &Slice| slice.angles.1 - slice.angles.0 >= MIN_LABELED_ANGLE;
    let all = make_slices(chart, outer);
    let list = labels::layout_labels(&all, frame.area, style, CircleExtent::Full, true);
    let slices: Vec<Slice> =
        make_slices(chart, wedges.iter().filter(|wedge| wedge.is_outer).collect())
            .into_iter()
            .filter(is_wide)
            .collect();
    let layout = labels::layout_labels(&slices, frame.area, style, CircleExtent::Full, false);
    let loses_names = slices.len() < all.len() || !layout.is_complete();
    let has_groups = wedges.iter().any(|wedge| !wedge.is_outer);
    let is_small = has_groups && layout.radius < style.label_size * 8.0;
    let min_list_radius = style.label_size * MIN_LIST_RADIUS_EM;
    if (loses_names || is_small) && list.is_complete() && list.radius >= min_list_radius {
        return OuterLabels { slices: all, layout: list };
    }
    if is_small {
        let groups = wedges.iter().filter(|wedge| wedge.ring == 0).collect();
        let slices = make_slices(chart, groups);
        let layout = labels::layout_labels(&slices, frame.area, style, CircleExtent::Full, false);
        scene.omit(Omission::Name, outer_count);
        return OuterLabels { slices, layout };
    }
    let unlabeled_count = outer_count - slices.len() + layout.omitted;
    scene.omit(Omission::Name, unlabeled_count);
    OuterLabels { slices, layout }
}

/// Returns the inner radius of each ring as a share of the radius of the circle, followed by 1 for
/// the edge of the circle. Inner rings are wider, because they contain labels.
fn choose_ring_radii(ring_count: usize) -> [f64; MAX_RINGS + 1] {
    match ring_count {
        0 | 1 => [0.5, 1.0, 1.0, 1.0],
        2 => [0.26, 0.7, 1.0, 1.0],
        _ => [0.2, 0.53, 0.8, 1.0],
    }
}

/// Returns the wedges of all rings, from the innermost ring outwards, siblings in the order of the setting
/// `sort`. The first starts at twelve o'clock. Angles are in proportion to the values.
///
/// The setting `levels` limits the rings. Nodes beyond the last ring have no wedges. Parts have a paler
/// shade of the color of their group unless they have a color of their own.
fn build_wedges<'a>(chart: &Chart, tree: &'a ValueTree, style: &ChartStyle) -> Vec<Wedge<'a>> {
    let max_rings = MAX_RINGS as f64;
    let levels = chart.number_setting("levels").unwrap_or(max_rings).clamp(1.0, max_rings) as usize;
    let total: f64 = tree.nodes_at(&tree.top_level).map(|node| node.value).sum();
    let any_highlighted = tree.nodes.iter().any(|node| node.highlighted && node.value > 0.0);
    let mut wedges: Vec<Wedge> = Vec::new();
    let build_siblings =
        |indices: &[usize], ring: usize, start_angle: f64, parent: Option<&Wedge>| {
            let mut start = start_angle;
            let mut siblings: Vec<Wedge<'a>> = Vec::with_capacity(indices.len());
            for (index, node) in sort_nodes(chart, tree, indices).into_iter().enumerate() {
                let end = start + node.value / total * TAU;
                let is_outer = node.children.is_empty() || ring + 1 >= levels;
                let default_fill = match parent {
                    Some(parent) => parent.fill.mix(style.background, 0.22),
                    None if node.is_other => style.faded_color(),
                    None => chart.series_color(index),
                };
                // Parts of a highlighted group have lighter shades of its color.
                let fill = match (node.color, any_highlighted) {
                    (Some(color), _) => color,
                    (None, true) if node.highlighted => chart.theme.highlight_color,
                    (None, true) if parent.is_none() => style.faded_color(),
                    _ => default_fill,
                };
                let fill = fill.over(style.background).with_readable_text().0;
                siblings.push(Wedge { node, ring, is_outer, angles: (start, end), fill });
                start = end;
            }
            siblings
        };
    wedges.extend(build_siblings(&tree.top_level, 0, 0.0, None));
    let mut next = 0;
    while let Some(wedge) = wedges.get(next) {
        if !wedge.is_outer {
            let (ring, start) = (wedge.ring + 1, wedge.angles.0);
            let children = build_siblings(&wedge.node.children, ring, start, Some(wedge));
            wedges.extend(children);
        }
        next += 1;
    }
    wedges
}

/// Returns the nodes with these indices in the order of the setting `sort`.
///
/// `asc` reverses the indices. `none` sorts by position in the data, with nodes that are "Other"
/// last. Otherwise, the indices keep their order, which must be by descending value.
fn sort_nodes<'a>(chart: &Chart, tree: &'a ValueTree, indices: &[usize]) -> Vec<&'a ValueNode> {
    let mut nodes: Vec<&ValueNode> = indices.iter().filter_map(|index| tree.node(*index)).collect();
    match chart.str_setting("sort") {
        "asc" => nodes.reverse(),
        "none" => nodes.sort_by_key(|node| (node.is_other, node.row.unwrap_or(usize::MAX))),
        _ => {}
    }
    nodes
}

/// Converts wedges into slices with formatted values and shares, in the same order.
fn make_slices(chart: &Chart, wedges: Vec<&Wedge>) -> Vec<Slice> {
    let values: Vec<f64> = wedges.iter().map(|wedge| wedge.node.value).collect();
    let texts = slices::format_amounts(chart, &values);
    let make_slice = |(wedge, (short_text, detail)): (&Wedge, (String, String))| Slice {
        row: wedge.node.row,
        label: wedge.node.label.clone(),
        value: wedge.node.value,
        highlighted: wedge.node.highlighted,
        angles: wedge.angles,
        label_direction: slices::label_direction(wedge.angles),
        short_text,
        detail,
        fill: wedge.fill,
        outline: None,
    };
    wedges.into_iter().zip(texts).map(make_slice).collect()
}

/// Returns the text of the tooltip: the label of the wedge, its value, and its share of `total`, as the
/// settings ask for.
fn format_tooltip(chart: &Chart, wedge: &Wedge, total: f64) -> String {
    let rest = (total - wedge.node.value).max(0.0);
    let texts = slices::format_amounts(chart, &[wedge.node.value, rest]);
    let detail = texts.first().map_or("", |(_, detail)| detail.as_str());
    format!("{}: {detail}", wedge.node.label)
}

/// Draws the total in the hole, with the setting `centerLabel` or the name of the root below it, which is
/// left out if it does not fit. Draws nothing if the setting `showTotal` is false.
fn draw_total(
    chart: &Chart,
    tree: &ValueTree,
    total: f64,
    hole: Circle,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !chart.bool_setting("showTotal", true) {
        return;
    }
    let format =
        NumberFormat::for_values([total].into_iter(), &chart.format_rules("value"), chart.locale());
    let center_label = text::sanitize(chart.str_setting("centerLabel"));
    let root_label =
        tree.root.and_then(|index| tree.node(index)).map_or("", |node| node.label.as_str());
    let label = if center_label.is_empty() { root_label } else { &center_label };
    // A label that does not fit is left out instead of ellipsized.
    let fits = style.text_width(label, style.label_size) < hole.radius * 1.5;
    let label = if fits { label } else { "" };
    slices::draw_center_text(
        &format.text(total),
        label,
        style,
        (hole.center, hole.radius),
        CircleExtent::Full,
        scene,
    );
}

/// Sets the text description of the scene: number of parts and groups, and the largest group.
fn describe(tree: &ValueTree, wedges: &[Wedge], chart: &Chart, total: f64, scene: &mut Scene) {
    let groups = wedges.iter().filter(|wedge| wedge.ring == 0);
    let largest = groups.max_by(|a, b| a.node.value.total_cmp(&b.node.value));
    let part_count = wedges.iter().filter(|wedge| wedge.is_outer).count();
    let group_count = tree.top_level.len();
    if let Some(largest) = largest {
        let tooltip = format_tooltip(chart, largest, total);
        scene.description = format!(
            "Sunburst chart of {part_count} parts in {group_count} groups. Largest: {tooltip}."
        );
    }
}
