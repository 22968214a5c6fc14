//! Sunburst chart: a circle of groups, with outer rings that divide each group into its parts.
//!
//! Record: `label`, `parent` (name of its group), `value` (greater than 0), `highlighted`, `color`.
//! Groups are labelled on their wedges, the outermost parts beside the circle. Settings: `levels`
//! (2 or 3), `sort`, `showValues`, `showPercentages`, `showTotal`, `centerLabel`.

mod names;

use std::f64::consts::TAU;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame;
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
/// Minimum angle in radians of a part that is labelled beside the circle.
const NARROWEST: f64 = 0.02;

/// A node with its position in the rings.
struct Wedge<'a> {
    node: &'a ValueNode,
    /// Index of the ring. 0 is the innermost ring.
    ring: usize,
    /// Whether the wedge extends to the edge of the circle and is labelled beside it.
    outer: bool,
    /// Start and end angle in radians, clockwise from twelve o'clock.
    span: (f64, f64),
    fill: Color,
}

/// Draws wedges, labels and the total in the center.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = ValueTree::read(chart, scene, MAX_SIBLINGS);
    if tree.top_level.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let wedges = cut(chart, &tree, style);
    let rings = wedges.iter().map(|it| it.ring + 1).max().unwrap_or(1);
    let (named, layout) = name(chart, &wedges, frame, scene);
    let bounds = bounds(rings).map(|it| it * layout.radius);
    let total: f64 = tree.nodes_at(&tree.top_level).map(|it| it.value).sum();
    for wedge in &wedges {
        let inner = bounds.get(wedge.ring).copied().unwrap_or(0.0);
        let outside = bounds.get(wedge.ring + 1).copied().unwrap_or(layout.radius);
        let outside = if wedge.outer { layout.radius } else { outside };
        scene.begin_mark("slice", wedge.node.row, || {
            (Some("value".to_owned()), tip(chart, wedge, total))
        });
        slices::draw_wedge(
            wedge.span,
            wedge.fill,
            layout.center,
            (outside, inner),
            style.background,
            scene,
        );
    }
    scene.end_mark();
    let mut unnamed = 0;
    let inside = |it: &&Wedge| !it.outer && !named.iter().any(|one| one.angles == it.span);
    for wedge in wedges.iter().filter(inside) {
        let inner = bounds.get(wedge.ring).copied().unwrap_or(0.0);
        let outside = bounds.get(wedge.ring + 1).copied().unwrap_or(layout.radius);
        let place =
            names::Place { center: layout.center, radii: (inner, outside), span: wedge.span };
        unnamed += usize::from(!names::draw(&wedge.node.label, wedge.fill, &place, style, scene));
    }
    if unnamed > 0 {
        scene.warn(format!("Groups too small to be named: {unnamed}."));
    }
    labels::draw(&layout, &named, frame.area, style, scene);
    let hole = bounds.first().copied().unwrap_or(0.0);
    middle(chart, &tree, total, (layout.center, hole), style, scene);
    describe(&tree, &wedges, chart, total, scene);
}

/// Lays out the labels beside the circle: those of the outer parts, or those of the groups if the
/// circle would be too small otherwise. Returns the labelled slices and the layout.
fn name(
    chart: &Chart,
    wedges: &[Wedge],
    frame: &Frame,
    scene: &mut Scene,
) -> (Vec<Slice>, labels::SliceLayout) {
    let style = &frame.style;
    let outer: Vec<&Wedge> = wedges.iter().filter(|it| it.outer).collect();
    let count = outer.len();
    let wide = |it: &Slice| it.angles.1 - it.angles.0 >= NARROWEST;
    let named: Vec<Slice> = slices_of(chart, outer).into_iter().filter(wide).collect();
    let layout = labels::layout_labels(&named, frame.area, style, CircleExtent::Full);
    let nested = wedges.iter().any(|it| !it.outer);
    if nested && layout.radius < style.label_size * 8.0 {
        let groups = wedges.iter().filter(|it| it.ring == 0).collect();
        let named = slices_of(chart, groups);
        let layout = labels::layout_labels(&named, frame.area, style, CircleExtent::Full);
        scene.warn("Only groups have room for their names.");
        return (named, layout);
    }
    let nameless = count - named.len() + layout.omitted;
    if nameless > 0 {
        scene.warn(format!("Parts too small to be named: {nameless}."));
    }
    (named, layout)
}

/// Returns the radii between the rings as shares of the outer radius. Inner rings are wider,
/// because they contain labels.
fn bounds(rings: usize) -> [f64; 4] {
    match rings {
        0 | 1 => [0.5, 1.0, 1.0, 1.0],
        2 => [0.26, 0.7, 1.0, 1.0],
        _ => [0.2, 0.53, 0.8, 1.0],
    }
}

/// Returns the wedges of all rings, parents before their children.
fn cut<'a>(chart: &Chart, tree: &'a ValueTree, style: &ChartStyle) -> Vec<Wedge<'a>> {
    let levels = chart.number_setting("levels").unwrap_or(3.0).clamp(1.0, 3.0) as usize;
    let total: f64 = tree.nodes_at(&tree.top_level).map(|it| it.value).sum();
    let accented = tree.nodes.iter().any(|it| it.highlighted && it.value > 0.0);
    let hues = match chart.style.custom_colors.len() {
        0 => chart.theme.colors.len(),
        own => own,
    };
    let mut wedges: Vec<Wedge> = Vec::new();
    let ring = |places: &[usize], ring: usize, from: f64, parent: Option<&Wedge>| {
        let mut from = from;
        let mut parts: Vec<Wedge<'a>> = Vec::with_capacity(places.len());
        for (index, node) in ordered(chart, tree, places).into_iter().enumerate() {
            let to = from + node.value / total * TAU;
            let outer = node.children.is_empty() || ring + 1 >= levels;
            let usual = match parent {
                Some(parent) => parent.fill.mix(style.background, 0.22),
                None if node.is_other => style.faded_color(),
                None => {
                    let paler = 0.3 * (index / hues.max(1)).min(2) as f64;
                    chart.series_color(index).mix(style.background, paler)
                }
            };
            // Parts of a highlighted group have lighter shades of its color.
            let fill = match (node.color, accented) {
                (Some(own), _) => own,
                (None, true) if node.highlighted => chart.theme.highlight_color,
                (None, true) if parent.is_none() => style.faded_color(),
                _ => usual,
            };
            let fill = fill.over(style.background).with_readable_text().0;
            parts.push(Wedge { node, ring, outer, span: (from, to), fill });
            from = to;
        }
        parts
    };
    wedges.extend(ring(&tree.top_level, 0, 0.0, None));
    let mut at = 0;
    while let Some(wedge) = wedges.get(at) {
        if !wedge.outer {
            let parts = ring(&wedge.node.children, wedge.ring + 1, wedge.span.0, Some(wedge));
            wedges.extend(parts);
        }
        at += 1;
    }
    wedges
}

/// Returns the nodes with these indices in the order of the setting `sort`. The indices are sorted
/// by descending value.
fn ordered<'a>(chart: &Chart, tree: &'a ValueTree, places: &[usize]) -> Vec<&'a ValueNode> {
    let mut nodes: Vec<&ValueNode> = places.iter().filter_map(|it| tree.node(*it)).collect();
    match chart.str_setting("sort") {
        "asc" => nodes.reverse(),
        "none" => nodes.sort_by_key(|it| (it.is_other, it.row.unwrap_or(usize::MAX))),
        _ => {}
    }
    nodes
}

/// Converts wedges into slices with formatted texts.
fn slices_of(chart: &Chart, wedges: Vec<&Wedge>) -> Vec<Slice> {
    let values: Vec<f64> = wedges.iter().map(|it| it.node.value).collect();
    let words = slices::format_amounts(chart, &values);
    let slice = |(wedge, (share, detail)): (&Wedge, (String, String))| Slice {
        row: wedge.node.row,
        label: wedge.node.label.clone(),
        value: wedge.node.value,
        highlighted: wedge.node.highlighted,
        angles: wedge.span,
        label_direction: slices::label_direction(wedge.span),
        short_text: share,
        detail,
        fill: wedge.fill,
    };
    wedges.into_iter().zip(words).map(slice).collect()
}

/// Returns label, value and share of the total as text.
fn tip(chart: &Chart, wedge: &Wedge, total: f64) -> String {
    let rest = (total - wedge.node.value).max(0.0);
    let words = slices::format_amounts(chart, &[wedge.node.value, rest]);
    let detail = words.first().map_or("", |it| it.1.as_str());
    format!("{}: {detail}", wedge.node.label)
}

/// Draws the total in the center, with its label.
fn middle(
    chart: &Chart,
    tree: &ValueTree,
    total: f64,
    (center, hole): (kurbo::Point, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !chart.bool_setting("showTotal", true) {
        return;
    }
    let format =
        NumberFormat::for_values([total].into_iter(), &chart.format_rules("value"), chart.locale());
    let own = text::sanitize(chart.str_setting("centerLabel"));
    let whole = tree.root.and_then(|it| tree.node(it)).map_or("", |it| it.label.as_str());
    let words = if own.is_empty() { whole } else { &own };
    // A label that does not fit is left out instead of ellipsized.
    let fits = style.text_width(words, style.label_size) < hole * 1.5;
    let words = if fits { words } else { "" };
    slices::draw_center_text(
        &format.text(total),
        words,
        style,
        (center, hole),
        CircleExtent::Full,
        scene,
    );
}

/// Sets the text description of the scene: number of parts and groups, and the largest group.
fn describe(tree: &ValueTree, wedges: &[Wedge], chart: &Chart, total: f64, scene: &mut Scene) {
    let inner = wedges.iter().filter(|it| it.ring == 0);
    let largest = inner.max_by(|one, two| one.node.value.total_cmp(&two.node.value));
    let parts = wedges.iter().filter(|it| it.outer).count();
    let groups = tree.top_level.len();
    if let Some(largest) = largest {
        let named = tip(chart, largest, total);
        scene.description =
            format!("Sunburst chart of {parts} parts in {groups} groups. Largest: {named}.");
    }
}
