//! Organization chart: people or units as boxes, joined by lines to their subordinates.
//!
//! Record: `id`, `parent` (id of the record above, empty at the top), `label`, `subtitle`,
//! `highlighted`, `color`. Settings: `direction` (`down`, `right`), `showSubtitles`.
//!
//! Boxes of lower levels that do not fit side by side are stacked below the box above them. Boxes
//! that do not fit at all are counted in a note.

mod enlarge;
mod font_sizes;
mod layout;
mod widths;

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Omission;
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;
use crate::text::Face;
use crate::tree::{RecordNode, RecordTree};
use layout::OrgChartLayout;
use widths::MeasuredWidths;

/// The organization chart.
pub const KIND: Kind = Kind { slug: "org-chart", draw };

/// Draws the boxes that fit, and the lines between them. The scene counts subtitles without space. Draws a
/// note instead if there are no nodes.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = RecordTree::read(chart.data, scene);
    if tree.nodes.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    describe(&tree, scene);
    let style = &frame.style;
    let widths = MeasuredWidths::default();
    let lay_out = |area: Rect, visible_tree: &RecordTree, may_shorten: bool| {
        layout::find_layout(chart, style, area, visible_tree, may_shorten, &widths)
    };
    let fitting = tree.fit_layout(frame, scene, lay_out, OrgChartLayout::count_letters);
    let Some((visible_tree, mut layout)) = fitting else { return };
    if visible_tree.nodes.len() == tree.nodes.len() {
        layout = enlarge::enlarge(layout, frame.area);
    }
    draw_links(&visible_tree, &layout, style, scene);
    draw_boxes(chart, &visible_tree, &layout, style, scene);
    if layout.subtitle_size == 0.0 && chart.bool_setting("showSubtitles", true) {
        let subtitle =
            |node: &RecordNode| data::display_text(data::field(&chart.data[node.row], "subtitle"));
        let subtitles = visible_tree.nodes.iter().map(subtitle);
        scene.omit(Omission::Subtitle, subtitles.filter(|subtitle| !subtitle.is_empty()).count());
    }
}

/// Draws the lines from each box to its children: along a vertical line at the left of stacked
/// children, otherwise as branches between two levels.
fn draw_links(tree: &RecordTree, layout: &OrgChartLayout, style: &ChartStyle, scene: &mut Scene) {
    let stroke = Stroke::new(style.muted_color.mix(style.background, 0.35), 1.0);
    for (index, node) in tree.nodes.iter().enumerate() {
        let children = || node.children.iter().filter_map(|child| layout.boxes.get(*child));
        let (Some(rect), Some(last_child)) = (layout.boxes.get(index), children().next_back())
        else {
            continue;
        };
        let mut path = BezPath::new();
        if layout.has_stacked_children.get(index) == Some(&true) {
            let rail_x = rect.x0 + layout.stack_indent / 2.0;
            path.move_to((rail_x, rect.y1));
            path.line_to((rail_x, last_child.center().y));
            for child in children() {
                path.move_to((rail_x, child.center().y));
                path.line_to((child.x0, child.center().y));
            }
        } else {
            add_branch(&mut path, *rect, children().copied(), layout.grows_right);
        }
        scene.stroke(path, stroke);
    }
}

/// Adds the lines from a box to its children to `path`: a stem from the box to a rail, and a branch
/// from the rail to each child.
fn add_branch(
    path: &mut BezPath,
    parent: Rect,
    children: impl Iterator<Item = Rect>,
    grows_right: bool,
) {
    // If the tree grows to the right, levels are along x and siblings along y. If not, the reverse.
    let start_end = |rect: Rect| if grows_right { (rect.x0, rect.x1) } else { (rect.y0, rect.y1) };
    let cross_center = |rect: Rect| if grows_right { rect.center().y } else { rect.center().x };
    let point = |a: f64, b: f64| if grows_right { Point::new(a, b) } else { Point::new(b, a) };
    let (mut low, mut high) = (cross_center(parent), cross_center(parent));
    let mut rail = start_end(parent).1;
    for child in children {
        rail = f64::midpoint(start_end(parent).1, start_end(child).0);
        path.move_to(point(rail, cross_center(child)));
        path.line_to(point(start_end(child).0, cross_center(child)));
        (low, high) = (low.min(cross_center(child)), high.max(cross_center(child)));
    }
    path.move_to(point(start_end(parent).1, cross_center(parent)));
    path.line_to(point(rail, cross_center(parent)));
    if high > low {
        path.move_to(point(rail, low));
        path.line_to(point(rail, high));
    }
}

/// Draws the boxes with their labels. A box has the color of its record, else the highlight color
/// or gray if any record is highlighted, else a color that gets paler on lower levels.
fn draw_boxes(
    chart: &Chart,
    tree: &RecordTree,
    layout: &OrgChartLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let any_highlighted = tree
        .nodes
        .iter()
        .any(|node| data::is_true(data::field(&chart.data[node.row], "highlighted")));
    for (node, rect) in tree.nodes.iter().zip(&layout.boxes) {
        let record = &chart.data[node.row];
        let custom_color = data::field(record, "color").as_str().and_then(Color::parse);
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let base_color = chart.series_color(0).over(style.background);
        let default_color = match (any_highlighted, highlighted, node.depth) {
            (true, true, _) => chart.theme.highlight_color,
            (true, false, _) => style.faded_color().mix(style.background, 0.65),
            (false, _, 0) => base_color,
            (false, _, 1) => base_color.mix(style.background, 0.62),
            (false, _, _) => base_color.mix(style.background, 0.82),
        };
        let fill = custom_color.unwrap_or(default_color).over(style.background);
        let (fill, text_color) = fill.with_readable_text();
        let subtitle = data::display_text(data::field(record, "subtitle"));
        scene.begin_mark("box", Some(node.row), || {
            let parts = [node.label.as_str(), subtitle.as_ref()];
            let shown_parts: Vec<&str> =
                parts.into_iter().filter(|part| !part.is_empty()).collect();
            (Some("label".to_owned()), shown_parts.join(": "))
        });
        let radius = style.unit * 3.0;
        scene.push(Primitive::Rect { rect: *rect, radius, fill });
        draw_box_text(&node.label, &subtitle, *rect, layout, text_color, style, scene);
    }
    scene.end_mark();
}

/// Draws the label in bold and the subtitle below it, centered in the box. Each is shortened if it
/// does not fit into the lines of the layout. If the font size of subtitles is 0, they are omitted.
fn draw_box_text(
    label: &str,
    subtitle: &str,
    rect: Rect,
    layout: &OrgChartLayout,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let parts = [
        (label, layout.label_size, Face::BOLD),
        (subtitle, layout.subtitle_size, style.label_face()),
    ];
    let wrapped = parts.map(|(part_text, size, face)| match size {
        0.0 => Vec::new(),
        _ => layout.wrap(part_text, rect, size, face),
    });
    let height = |(lines, (_, size, _)): (&Vec<String>, &(&str, f64, Face))| {
        lines.len() as f64 * size * layout::LINE_HEIGHT_EM
    };
    let total_height: f64 = wrapped.iter().zip(&parts).map(height).sum();
    let mut top = rect.center().y - total_height / 2.0;
    for (lines, (full_text, size, face)) in wrapped.iter().zip(parts) {
        let full =
            lines.last().is_some_and(|line| line.ends_with('…')).then(|| full_text.to_owned());
        for line in lines {
            let y = top + (layout::LINE_HEIGHT_EM - 1.0) / 2.0 * size + (ASCENT_EM + 0.06) * size;
            let width = text::width(line, size, face);
            let label_text = style.label_text(rect.center().x, y, Anchor::Middle, size, line);
            scene.text(Text { face, width, color, full: full.clone(), ..label_text });
            top += size * layout::LINE_HEIGHT_EM;
        }
    }
}

/// Sets the text description of the scene: the number of boxes and levels, the first box at the top
/// and, if any box has several children, the box with the most children.
fn describe(tree: &RecordTree, scene: &mut Scene) {
    let (count, levels) = (tree.nodes.len(), tree.levels);
    let (boxes, plural) =
        (if count == 1 { "box" } else { "boxes" }, if levels == 1 { "" } else { "s" });
    scene.description = format!("Organization chart of {count} {boxes} on {levels} level{plural}.");
    if let Some(top) = tree.nodes.first() {
        scene.description.push_str(&format!(" At the top: {}.", top.label));
    }
    let widest = tree.nodes.iter().rev().max_by_key(|node| node.children.len());
    if let Some(widest) = widest.filter(|node| node.children.len() > 1) {
        let below = widest.children.len();
        scene.description.push_str(&format!(" Most directly below: {}, {below}.", widest.label));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn names_get_more_lines_before_they_are_cut() {
        let name = |row: usize| format!("Referat {row} für Haushalt, Einkauf und Recht des Landes");
        let parent = |row: usize| match row {
            0 => None,
            1..=6 => Some(0),
            _ => Some((row - 7) / 4 + 1),
        };
        let data: Vec<Value> = (0..19)
            .map(|row| json!({"id": row, "parent": parent(row), "label": name(row)}))
            .collect();
        let scene = crate::draw(&Chart::new(crate::find_kind("org-chart").unwrap(), &data));
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    }

    #[test]
    fn names_of_a_tree_to_the_right_are_wrapped_before_they_are_cut() {
        let name = |row: usize| format!("Department {row} for Procurement");
        let parent = |row: usize| if row == 0 { None } else { Some((row - 1) / 2) };
        let data: Vec<Value> = (0..22)
            .map(|row| json!({"id": row, "parent": parent(row), "label": name(row)}))
            .collect();
        let settings = json!({"direction": "right"});
        let chart = Chart::new(crate::find_kind("org-chart").unwrap(), &data);
        let chart = Chart { settings: &settings, height: 640.0, ..chart };
        let scene = crate::draw(&chart);
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    }

    #[test]
    fn subtitles_without_space_are_counted() {
        let parent = |row: usize| if row == 0 { None } else { Some((row - 1) / 3) };
        let record = |row: usize| json!({"id": row, "parent": parent(row), "label": format!("Ingeborg Christodoulopoulos {row}"), "subtitle": "Bereichsleitung Informationstechnologie"});
        let has_omitted = |count: usize| {
            let data: Vec<Value> = (0..count).map(record).collect();
            let scene = crate::draw(&Chart::new(crate::find_kind("org-chart").unwrap(), &data));
            scene.omissions.iter().any(|(omission, _)| *omission == Omission::Subtitle)
        };
        assert!(has_omitted(26));
        assert!(!has_omitted(4));
    }
}
