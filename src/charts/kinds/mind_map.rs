//! Mind map: a topic in the center, with branches to its left and right.
//!
//! Record: `id`, `parent` (id of the parent record), `label`, `color` (of a main branch).
//! Settings: `sides` (`both`, `right`).
//!
//! If several records have no parent, they are main branches around a dot.

mod layout;

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;
use crate::tree::RecordTree;
use layout::{LINE_HEIGHT_EM, MindMapLayout};

/// The mind map.
pub const KIND: Kind = Kind { slug: "mind-map", draw };

/// Draws the nodes that fit, and the branches between them. Draws a note instead if there are no
/// nodes.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = RecordTree::read(chart.data, scene);
    if tree.nodes.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    describe(&tree, scene);
    let style = &frame.style;
    let on_both_sides = chart.str_setting("sides") != "right";
    let lay_out = |area: Rect, visible_tree: &RecordTree, may_shorten: bool| {
        let find = |on_both_sides| {
            layout::find_layout(visible_tree, style, area, on_both_sides, may_shorten)
        };
        // On a narrow canvas, one side has space for more levels.
        find(on_both_sides).or_else(|| find(false).filter(|_| on_both_sides))
    };
    let fitting = tree.fit_layout(frame, scene, lay_out, MindMapLayout::count_letters);
    let Some((visible_tree, layout)) = fitting else { return };
    let colors = choose_node_colors(chart, style, &visible_tree, &layout);
    draw_branches(&visible_tree, &layout, &colors, style, scene);
    draw_nodes(&visible_tree, &layout, &colors, style, scene);
}

/// Returns the color of each node: the color of its main branch. The center has the text color.
///
/// The color of a main branch is that of its record, otherwise the series color with the index of
/// the branch.
fn choose_node_colors(
    chart: &Chart,
    style: &ChartStyle,
    tree: &RecordTree,
    layout: &MindMapLayout,
) -> Vec<Color> {
    let main_depth = usize::from(layout.center_node.is_some());
    let mut main_branch_count = 0;
    let mut colors: Vec<Color> = Vec::with_capacity(tree.nodes.len());
    for (node, branch) in tree.nodes.iter().zip(tree.ancestors_at_depth(main_depth)) {
        let color = match branch.and_then(|index| colors.get(index)) {
            _ if node.depth < main_depth => style.text_color,
            Some(color) => *color,
            None => {
                let custom_color = data::field(&chart.data[node.row], "color").as_str();
                let custom_color = custom_color.and_then(Color::parse);
                main_branch_count += 1;
                custom_color
                    .unwrap_or_else(|| chart.series_color(main_branch_count - 1))
                    .over(style.background)
            }
        };
        colors.push(color);
    }
    colors
}

/// Draws the curved lines from parents to children, which continue as underlines of the labels, and
/// the dot in the center if several nodes have no parent. Lines of the main branches are thicker.
fn draw_branches(
    tree: &RecordTree,
    layout: &MindMapLayout,
    colors: &[Color],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let center_x = layout.center_x();
    for (index, node) in tree.nodes.iter().enumerate() {
        let (Some(rect), Some(color)) = (layout.boxes.get(index), colors.get(index)) else {
            continue;
        };
        let parent = node
            .parent
            .and_then(|parent_index| layout.boxes.get(parent_index))
            .or(layout.root_point.as_ref());
        let Some(parent) = parent else { continue };
        // Whether the line starts at another node than the center.
        let is_outer =
            node.parent.is_some_and(|parent_index| layout.center_node != Some(parent_index));
        let fork_x = |index| layout.fork_x(index, center_x);
        let from_x = node.parent.filter(|_| is_outer).and_then(fork_x).unwrap_or(center_x);
        // The line continues as an underline of the label, from its near end to its far end or to
        // the lines of its children.
        let is_left = rect.center().x < center_x;
        let (near_x, far_x) = if is_left { (rect.x1, rect.x0) } else { (rect.x0, rect.x1) };
        let far_x = fork_x(index).filter(|_| !node.children.is_empty()).unwrap_or(far_x);
        let from_y = if is_outer { parent.y1 } else { parent.center().y };
        let control_x = f64::midpoint(from_x, near_x);
        let control_x = if is_outer { control_x } else { f64::midpoint(control_x, near_x) };
        let mut path = BezPath::new();
        path.move_to((from_x, from_y));
        path.curve_to((control_x, from_y), (control_x, rect.y1), (near_x, rect.y1));
        path.line_to((far_x, rect.y1));
        let width = if is_outer { 1.25 } else { 2.5 } * style.unit;
        scene.stroke(path, Stroke::new(*color, width).rounded());
    }
    if let Some(root_point) = layout.root_point {
        scene.circle(root_point.center(), style.unit * 5.0, style.text_color, None);
    }
}

/// Draws the labels of the nodes on their lines, and the filled box of the center.
fn draw_nodes(
    tree: &RecordTree,
    layout: &MindMapLayout,
    colors: &[Color],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let center_x = layout.center_x();
    for (index, (node, rect)) in tree.nodes.iter().zip(&layout.boxes).enumerate() {
        let is_center = layout.center_node == Some(index);
        let is_main_branch = node.depth == usize::from(layout.center_node.is_some());
        scene.begin_mark("thought", Some(node.row), || {
            (Some("label".to_owned()), node.label.clone())
        });
        if scene.interactive && !is_center {
            // A transparent rectangle, so that the pointer also hits the space between the letters.
            scene.rect(*rect, style.background.with_opacity(0.0));
        }
        let mut color = style.value_color;
        if is_center {
            let (fill, text_color) = style.text_color.with_readable_text();
            let radius = (rect.height() / 2.0).min(style.unit * 14.0);
            scene.push(Primitive::Rect { rect: *rect, radius, fill });
            color = text_color;
        } else if is_main_branch {
            let branch_color = colors.get(index).copied().unwrap_or(style.text_color);
            color = branch_color.readable_on(style.background, 4.5);
        }
        let face = layout.face(index, node);
        let font_size = layout.font_size_of(is_center);
        let lines = layout.wrap(index, node);
        let is_shortened = lines.iter().any(|line| line.ends_with('…'));
        let full = is_shortened.then(|| node.label.clone());
        let height = lines.len() as f64 * font_size * LINE_HEIGHT_EM;
        // The label of the center is centered in its box, the others are placed on their line.
        let mut top = if is_center { rect.center().y - height / 2.0 } else { rect.y1 - height };
        for line in &lines {
            let y = top + (LINE_HEIGHT_EM - 1.0) / 2.0 * font_size + ASCENT_EM * font_size;
            let y = if is_center { y + font_size * 0.08 } else { y - font_size * 0.02 };
            // Text is aligned to the end of the label that the branch reaches.
            let (x, anchor) = match is_center {
                true => (rect.center().x, Anchor::Middle),
                false if rect.center().x < center_x => (rect.x1, Anchor::End),
                false => (rect.x0, Anchor::Start),
            };
            let label_text = style.label_text(x, y, anchor, font_size, line);
            let width = text::width(line, font_size, face);
            scene.text(Text { face, width, color, full: full.clone(), ..label_text });
            top += font_size * LINE_HEIGHT_EM;
        }
    }
    scene.end_mark();
}

/// Sets the text description of the scene: the number of nodes and, if exactly one has no parent,
/// the topic and its first eight main branches.
fn describe(tree: &RecordTree, scene: &mut Scene) {
    let count = tree.nodes.len();
    let noun = if count == 1 { "thought" } else { "thoughts" };
    scene.description = format!("Mind map of {count} {noun}.");
    let mut roots = tree.roots();
    if let (Some(root), None) = (roots.next().and_then(|index| tree.nodes.get(index)), roots.next())
    {
        let branches: Vec<&str> = root
            .children
            .iter()
            .filter_map(|child| tree.nodes.get(*child))
            .map(|node| node.label.as_str())
            .take(8)
            .collect();
        scene.description.push_str(&format!(" In the middle: {}.", root.label));
        if !branches.is_empty() {
            scene.description.push_str(&format!(" Main branches: {}.", branches.join(", ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn long_names_are_whole_on_a_canvas_of_the_default_size() {
        let name = |row: usize| {
            format!("Referat {row} für Haushalt, Beschaffung und Vergaberecht des Landes")
        };
        let parent = |row: usize| match row {
            0 => None,
            1..=6 => Some(0),
            _ => Some((row - 7) / 4 + 1),
        };
        let data: Vec<Value> = (0..27)
            .map(|row| json!({"id": row, "parent": parent(row), "label": name(row)}))
            .collect();
        let scene = crate::draw(&Chart::new(crate::find_kind("mind-map").unwrap(), &data));
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    }
}
