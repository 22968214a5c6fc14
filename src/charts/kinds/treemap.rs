//! Treemap: a rectangle divided into tiles, one per record, with areas proportional to the values.
//!
//! Record: `label`, `parent` (name of its group), `value` (greater than 0), `highlighted`, `color`.
//! Tiles of a group are placed together below a heading. Deeper levels are summed up. Settings:
//! `showValues`, `showPercentages`, `showHeadings`.

mod squarify;
mod tiles;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::slices;
use crate::text;
use crate::text::Face;
use crate::value_tree::{ValueNode, ValueTree};

use squarify::squarify;
use tiles::Tile;

/// The treemap.
pub const KIND: Kind = Kind { slug: "treemap", draw };

/// Maximum number of siblings. The smallest ones beyond it are merged, because their tiles would be
/// too small.
const MAX_SIBLINGS: usize = 120;
/// Distance between two tiles in units.
const GAP: f64 = 1.5;

/// A top-level node with its rectangles.
struct Group<'a> {
    node: &'a ValueNode,
    /// Formatted value and share.
    detail: String,
    /// Rectangle of its tiles.
    inner: Rect,
    /// Rectangle of its heading. None if the node has no children, if headings are switched off, or
    /// if the heading does not fit.
    heading: Option<Rect>,
}

/// Draws the tiles and the headings of their groups.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = ValueTree::read(chart, scene, MAX_SIBLINGS);
    if tree.top_level.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let grouped = tree.nodes_at(&tree.top_level).any(|it| !it.children.is_empty());
    let groups = arrange(chart, &tree, frame, grouped);
    let tiles = fill(chart, &tree, &groups, style, grouped);
    for tile in &tiles {
        scene.begin_mark("tile", tile.node.row, || {
            let label = &tile.node.label;
            (Some("value".to_owned()), format!("{label}: {}", tile.detail))
        });
        tile.draw(style, scene);
    }
    scene.end_mark();
    for group in &groups {
        if let Some(rect) = group.heading {
            heading(group, rect, style, scene);
        }
    }
    let nameless = |it: &&Group| it.heading.is_none() && !it.node.children.is_empty();
    let nameless = groups.iter().filter(nameless).count();
    if nameless > 0 && chart.bool_setting("showHeadings", true) {
        scene.warn(format!("Groups too small for a heading: {nameless}."));
    }
    describe(&groups, &tiles, grouped, scene);
}

/// Lays out the groups. Headings take space, so the weights are corrected until the tiles of all
/// groups have areas in the same proportion to their values.
fn arrange<'a>(chart: &Chart, tree: &'a ValueTree, frame: &Frame, grouped: bool) -> Vec<Group<'a>> {
    let style = &frame.style;
    let nodes: Vec<&ValueNode> = tree.nodes_at(&tree.top_level).collect();
    let values: Vec<f64> = nodes.iter().map(|it| it.value).collect();
    let total: f64 = values.iter().sum();
    let gap = if grouped { 4.0 } else { GAP } * style.unit;
    // Half a gap is added on all sides, so that the outer edges of the tiles are those of the area.
    let area = frame.area.inflate(gap / 2.0, gap / 2.0);
    let with_headings = grouped && chart.bool_setting("showHeadings", true);
    let place = |rect: Rect, node: &ValueNode| {
        let rect = rect.inset(-(gap / 2.0).min(rect.width() / 4.0).min(rect.height() / 4.0));
        let height = style.label_size * 1.5;
        let fits = rect.height() > height * 2.4 && rect.width() > style.label_size * 3.5;
        if !with_headings || node.children.is_empty() || !fits {
            return (rect, None);
        }
        let below = rect.y0 + height;
        (Rect { y0: below, ..rect }, Some(Rect { y1: below, ..rect }))
    };
    let mut weights: Vec<f64> = values.iter().map(|it| it / total * area.area()).collect();
    let mut rects = squarify(&weights, area);
    for _ in 0..if grouped { 4 } else { 0 } {
        let taken: Vec<f64> = rects
            .iter()
            .zip(&nodes)
            .map(|(rect, node)| rect.area() - place(*rect, node).0.area())
            .collect();
        let left = (area.area() - taken.iter().sum::<f64>()).max(0.0);
        weights = values.iter().zip(&taken).map(|(it, taken)| it / total * left + taken).collect();
        rects = squarify(&weights, area);
    }
    let details = slices::format_amounts(chart, &values);
    let groups = nodes.into_iter().zip(rects).zip(details);
    groups
        .map(|((node, rect), (_, detail))| {
            let (inner, heading) = place(rect, node);
            Group { node, detail, inner, heading }
        })
        .collect()
}

/// Returns the tiles of all groups.
fn fill<'a>(
    chart: &Chart,
    tree: &'a ValueTree,
    groups: &[Group<'a>],
    style: &ChartStyle,
    grouped: bool,
) -> Vec<Tile<'a>> {
    let shown = |group: &Group<'a>| -> Vec<&'a ValueNode> {
        let parts = tree.nodes_at(&group.node.children);
        if group.node.children.is_empty() { vec![group.node] } else { parts.collect() }
    };
    let accented =
        groups.iter().any(|it| it.node.highlighted || shown(it).iter().any(|it| it.highlighted));
    let mut tiles = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let nodes = shown(group);
        let weights: Vec<f64> = nodes.iter().map(|it| it.value).collect();
        let gap = if nodes.len() > 1 { GAP * style.unit / 2.0 } else { 0.0 };
        let rects = squarify(&weights, group.inner.inflate(gap, gap));
        for (node, rect) in nodes.into_iter().zip(rects) {
            let rect = rect.inset(-gap.min(rect.width() / 4.0).min(rect.height() / 4.0));
            let usual = hue(chart, style, index, grouped, node.is_other);
            let raised = node.highlighted || group.node.highlighted;
            let color = match (node.color.or(group.node.color), accented) {
                (Some(own), _) => own,
                (None, false) => usual,
                (None, true) if raised => chart.theme.highlight_color,
                (None, true) => style.faded_color(),
            };
            let fill = color.over(style.background).with_readable_text().0;
            tiles.push(Tile { node, detail: String::new(), rect, fill });
        }
    }
    let values: Vec<f64> = tiles.iter().map(|it| it.node.value).collect();
    for (tile, (_, detail)) in tiles.iter_mut().zip(slices::format_amounts(chart, &values)) {
        tile.detail = detail;
    }
    tiles
}

/// Returns the color of a tile: the same for all tiles, or one per group. If the series colors
/// repeat, they become paler.
fn hue(chart: &Chart, style: &ChartStyle, group: usize, grouped: bool, rest: bool) -> Color {
    if !grouped {
        return if rest { style.faded_color() } else { chart.series_color(0) };
    }
    let hues = match chart.style.custom_colors.len() {
        0 => chart.theme.colors.len(),
        own => own,
    };
    let paler = 0.3 * (group / hues.max(1)).min(2) as f64 + if rest { 0.3 } else { 0.0 };
    chart.series_color(group).mix(style.background, paler)
}

/// Draws the name of a group above its tiles, and its value if it fits.
fn heading(group: &Group, rect: Rect, style: &ChartStyle, scene: &mut Scene) {
    let (size, face) = (style.label_size, Face::BOLD);
    let name = text::ellipsize(&group.node.label, rect.width(), size, face);
    let base = rect.y0 + ASCENT_EM * size + size * 0.12;
    let width = text::width(&name, size, face);
    let full = (*name != *group.node.label).then(|| group.node.label.clone());
    let set = style.label_text(rect.x0, base, Anchor::Start, size, &name);
    scene.text(Text { face, width, full, color: style.value_color, ..set });
    let x = rect.x0 + width + size * 0.5;
    if x + style.text_width(&group.detail, size) <= rect.x1 {
        let set = style.label_text(x, base, Anchor::Start, size, &group.detail);
        scene.text(Text { color: style.muted_color, ..set });
    }
}

/// Sets the text description of the scene: number of tiles, and the largest and smallest one.
fn describe(groups: &[Group], tiles: &[Tile], grouped: bool, scene: &mut Scene) {
    let by = |one: &&Tile, two: &&Tile| one.node.value.total_cmp(&two.node.value);
    let named = |it: &Tile| format!("{} {}", it.node.label, it.detail).trim().to_owned();
    let (Some(most), Some(least)) = (tiles.iter().max_by(by), tiles.iter().min_by(by)) else {
        return;
    };
    let among = if grouped { format!(" in {} groups", groups.len()) } else { String::new() };
    if let [only] = tiles {
        scene.description = format!("Treemap of 1 tile: {}.", named(only));
        return;
    }
    let (count, most, least) = (tiles.len(), named(most), named(least));
    scene.description =
        format!("Treemap of {count} tiles{among}. Largest: {most}. Smallest: {least}.");
}
