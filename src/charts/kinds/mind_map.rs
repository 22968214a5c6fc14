//! A thought in the middle, with branches of further thoughts to its left and right.
//!
//! Record: `id`, `parent` (the id of the thought it belongs to), `label`, `color` (of a main
//! branch). Settings: `sides` (`both`, `right`).
//!
//! Several thoughts without a parent become main branches round a point.

mod sides;

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
use crate::text::Face;
use crate::tree::RecordTree;
use sides::{LINE, Plan};

/// The mind map.
pub const KIND: Kind = Kind { slug: "mind-map", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = RecordTree::read(chart.data, scene);
    if tree.nodes.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    describe(&tree, scene);
    let style = &frame.style;
    let both = chart.str_setting("sides") != "right";
    let find = |area: Rect, part: &RecordTree| sides::find(part, style, area, both);
    let Some((part, plan)) = tree.fit_layout(frame, scene, find) else { return };
    let hues = hues(chart, style, &part, &plan);
    twigs(&part, &plan, &hues, style, scene);
    thoughts(&part, &plan, &hues, style, scene);
}

/// The colour of each thought: that of its main branch; the middle has the ink of titles.
fn hues(chart: &Chart, style: &ChartStyle, tree: &RecordTree, plan: &Plan) -> Vec<Color> {
    let depth = usize::from(plan.heart.is_some());
    let mut next = 0;
    let mut hues: Vec<Color> = Vec::with_capacity(tree.nodes.len());
    for (node, branch) in tree.nodes.iter().zip(tree.ancestors_at_depth(depth)) {
        let hue = match branch.and_then(|it| hues.get(it)) {
            _ if node.depth < depth => style.text_color,
            Some(hue) => *hue,
            None => {
                let own = data::field(&chart.data[node.row], "color").as_str();
                let own = own.and_then(Color::parse);
                next += 1;
                own.unwrap_or_else(|| chart.series_color(next - 1)).over(style.background)
            }
        };
        hues.push(hue);
    }
    hues
}

/// The curved lines between thoughts, thinner outwards.
fn twigs(tree: &RecordTree, plan: &Plan, hues: &[Color], style: &ChartStyle, scene: &mut Scene) {
    for (at, node) in tree.nodes.iter().enumerate() {
        let (Some(rect), Some(hue)) = (plan.boxes.get(at), hues.get(at)) else { continue };
        let parent = node.parent.and_then(|it| plan.boxes.get(it)).or(plan.point.as_ref());
        let Some(parent) = parent else { continue };
        let leftward = rect.center().x < parent.center().x;
        let outer = node.parent.is_some_and(|it| plan.heart != Some(it));
        let from = match (leftward, outer) {
            (_, false) => parent.center().x,
            (true, true) => parent.x0,
            (false, true) => parent.x1,
        };
        // Lines run under the words, from one end to the other.
        let (near, far) = if leftward { (rect.x1, rect.x0) } else { (rect.x0, rect.x1) };
        let start = if outer { parent.y1 } else { parent.center().y };
        let bend = f64::midpoint(from, near);
        let bend = if outer { bend } else { f64::midpoint(bend, near) };
        let mut path = BezPath::new();
        path.move_to((from, start));
        path.curve_to((bend, start), (bend, rect.y1), (near, rect.y1));
        path.line_to((far, rect.y1));
        let width = if outer { 1.25 } else { 2.5 } * style.unit;
        scene.stroke(path, Stroke::new(*hue, width).rounded());
    }
    if let Some(point) = plan.point {
        scene.circle(point.center(), style.unit * 5.0, style.text_color, None);
    }
}

fn thoughts(tree: &RecordTree, plan: &Plan, hues: &[Color], style: &ChartStyle, scene: &mut Scene) {
    let middle = plan.heart.and_then(|it| plan.boxes.get(it)).or(plan.point.as_ref());
    let middle = middle.map_or(0.0, |it| it.center().x);
    for (at, (node, rect)) in tree.nodes.iter().zip(&plan.boxes).enumerate() {
        let heart = plan.heart == Some(at);
        let main = node.depth == usize::from(plan.heart.is_some());
        scene.begin_mark("thought", Some(node.row), || {
            (Some("label".to_owned()), node.label.clone())
        });
        if scene.interactive && !heart {
            // Something to point at between the letters.
            scene.rect(*rect, style.background.with_opacity(0.0));
        }
        let mut ink = style.value_color;
        if heart {
            let (fill, over) = style.text_color.with_readable_text();
            let radius = (rect.height() / 2.0).min(style.unit * 14.0);
            scene.push(Primitive::Rect { rect: *rect, radius, fill });
            ink = over;
        } else if main {
            let hue = hues.get(at).copied().unwrap_or(style.text_color);
            ink = hue.readable_on(style.background, 4.5);
        }
        let face = Face::new(heart || main, false);
        let size = plan.size_of(heart);
        let lines =
            text::wrap(&node.label, plan.room(rect, heart), sides::most_lines(heart), size, face);
        let full = lines.last().is_some_and(|it| it.ends_with('…')).then(|| node.label.clone());
        let height = lines.len() as f64 * size * LINE;
        // Words stand on their line, those of the middle in the middle.
        let mut top = if heart { rect.center().y - height / 2.0 } else { rect.y1 - height };
        for line in &lines {
            let y = top + (LINE - 1.0) / 2.0 * size + ASCENT_EM * size;
            let y = if heart { y + size * 0.08 } else { y - size * 0.02 };
            // Lines of a thought begin where its twig reaches it.
            let (x, anchor) = match heart {
                true => (rect.center().x, Anchor::Middle),
                false if rect.center().x < middle => (rect.x1, Anchor::End),
                false => (rect.x0, Anchor::Start),
            };
            let set = style.label_text(x, y, anchor, size, line);
            let width = text::width(line, size, face);
            scene.text(Text { face, width, color: ink, full: full.clone(), ..set });
            top += size * LINE;
        }
    }
    scene.end_mark();
}

fn describe(tree: &RecordTree, scene: &mut Scene) {
    let count = tree.nodes.len();
    let noun = if count == 1 { "thought" } else { "thoughts" };
    scene.description = format!("Mind map of {count} {noun}.");
    let mut roots = tree.roots();
    if let (Some(root), None) = (roots.next().and_then(|it| tree.nodes.get(it)), roots.next()) {
        let branches: Vec<&str> = root
            .children
            .iter()
            .filter_map(|it| tree.nodes.get(*it))
            .map(|it| it.label.as_str())
            .take(8)
            .collect();
        scene.description.push_str(&format!(" In the middle: {}.", root.label));
        if !branches.is_empty() {
            scene.description.push_str(&format!(" Main branches: {}.", branches.join(", ")));
        }
    }
}
