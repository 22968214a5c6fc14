//! People or units in boxes, with lines to those who report to them.
//!
//! Record: `id`, `parent` (the id above; none at the top), `label`, `subtitle`, `highlighted`,
//! `color`. Settings: `direction` (`down`, `right`), `showSubtitles`.
//!
//! Lower levels that do not fit beside each other stand in a pile under their head; what does not
//! fit at all is counted.

mod plan;

use kurbo::{BezPath, Point, Rect};

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
use plan::Plan;

/// The organization chart.
pub const KIND: Kind = Kind { slug: "org-chart", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = RecordTree::read(chart.data, scene);
    if tree.nodes.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    describe(&tree, scene);
    let style = &frame.style;
    let find = |area: Rect, part: &RecordTree| plan::find(chart, style, area, part);
    let Some((part, plan)) = tree.fit_layout(frame, scene, find) else { return };
    links(&part, &plan, style, scene);
    boxes(chart, &part, &plan, style, scene);
}

/// The lines from each box to those under it.
fn links(tree: &RecordTree, plan: &Plan, style: &ChartStyle, scene: &mut Scene) {
    let stroke = Stroke::new(style.muted_color.mix(style.background, 0.35), 1.0);
    for (at, node) in tree.nodes.iter().enumerate() {
        let children = || node.children.iter().filter_map(|it| plan.boxes.get(*it));
        let (Some(own), Some(last)) = (plan.boxes.get(at), children().next_back()) else {
            continue;
        };
        let mut path = BezPath::new();
        if plan.piled.get(at) == Some(&true) {
            let rail = own.x0 + plan.indent / 2.0;
            path.move_to((rail, own.y1));
            path.line_to((rail, last.center().y));
            for child in children() {
                path.move_to((rail, child.center().y));
                path.line_to((child.x0, child.center().y));
            }
        } else {
            branch(&mut path, *own, children().copied(), plan.rightward);
        }
        scene.stroke(path, stroke);
    }
}

/// A stem from a box to a rail, and from the rail a branch to each child.
fn branch(path: &mut BezPath, own: Rect, children: impl Iterator<Item = Rect>, rightward: bool) {
    // Levels run along x when the tree grows to the right.
    let along = |it: Rect| if rightward { (it.x0, it.x1) } else { (it.y0, it.y1) };
    let across = |it: Rect| if rightward { it.center().y } else { it.center().x };
    let point = |a: f64, b: f64| if rightward { Point::new(a, b) } else { Point::new(b, a) };
    let (mut low, mut high) = (across(own), across(own));
    let mut rail = along(own).1;
    for child in children {
        rail = f64::midpoint(along(own).1, along(child).0);
        path.move_to(point(rail, across(child)));
        path.line_to(point(along(child).0, across(child)));
        (low, high) = (low.min(across(child)), high.max(across(child)));
    }
    path.move_to(point(along(own).1, across(own)));
    path.line_to(point(rail, across(own)));
    if high > low {
        path.move_to(point(rail, low));
        path.line_to(point(rail, high));
    }
}

fn boxes(chart: &Chart, tree: &RecordTree, plan: &Plan, style: &ChartStyle, scene: &mut Scene) {
    let any_highlighted =
        tree.nodes.iter().any(|it| data::is_true(data::field(&chart.data[it.row], "highlighted")));
    for (node, rect) in tree.nodes.iter().zip(&plan.boxes) {
        let record = &chart.data[node.row];
        let own = data::field(record, "color").as_str().and_then(Color::parse);
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let hue = chart.series_color(0).over(style.background);
        let usual = match (any_highlighted, highlighted, node.depth) {
            (true, true, _) => chart.theme.highlight_color,
            (true, false, _) => style.faded_color().mix(style.background, 0.65),
            (false, _, 0) => hue,
            (false, _, 1) => hue.mix(style.background, 0.62),
            (false, _, _) => hue.mix(style.background, 0.82),
        };
        let fill = own.unwrap_or(usual).over(style.background);
        let (fill, ink) = fill.with_readable_text();
        let subtitle = data::display_text(data::field(record, "subtitle"));
        scene.begin_mark("box", Some(node.row), || {
            let parts = [node.label.as_str(), subtitle.as_ref()];
            let named: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
            (Some("label".to_owned()), named.join(": "))
        });
        let radius = style.unit * 3.0;
        scene.push(Primitive::Rect { rect: *rect, radius, fill });
        words(&node.label, &subtitle, *rect, (plan, ink), style, scene);
    }
    scene.end_mark();
}

/// The name in bold and the subtitle under it, in the middle of a box.
fn words(
    label: &str,
    subtitle: &str,
    rect: Rect,
    (plan, ink): (&Plan, Color),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let room = rect.width() - plan.pad * 2.0;
    let parts = [(label, plan.size, Face::BOLD), (subtitle, plan.subtitle, style.label_face())];
    let wrapped = parts.map(|(words, size, face)| match size {
        0.0 => Vec::new(),
        _ => text::wrap(words, room, 2, size, face),
    });
    let height = |(lines, part): (&Vec<String>, &(&str, f64, Face))| {
        lines.len() as f64 * part.1 * plan::LINE
    };
    let total: f64 = wrapped.iter().zip(&parts).map(height).sum();
    let mut top = rect.center().y - total / 2.0;
    for (lines, (whole, size, face)) in wrapped.iter().zip(parts) {
        let full = lines.last().is_some_and(|it| it.ends_with('…')).then(|| whole.to_owned());
        for line in lines {
            let y = top + (plan::LINE - 1.0) / 2.0 * size + (ASCENT_EM + 0.06) * size;
            let width = text::width(line, size, face);
            let set = style.label_text(rect.center().x, y, Anchor::Middle, size, line);
            scene.text(Text { face, width, color: ink, full: full.clone(), ..set });
            top += size * plan::LINE;
        }
    }
}

fn describe(tree: &RecordTree, scene: &mut Scene) {
    let (count, levels) = (tree.nodes.len(), tree.levels);
    let (boxes, on) =
        (if count == 1 { "box" } else { "boxes" }, if levels == 1 { "" } else { "s" });
    scene.description = format!("Organization chart of {count} {boxes} on {levels} level{on}.");
    if let Some(top) = tree.nodes.first() {
        scene.description.push_str(&format!(" At the top: {}.", top.label));
    }
    let widest = tree.nodes.iter().rev().max_by_key(|it| it.children.len());
    if let Some(widest) = widest.filter(|it| it.children.len() > 1) {
        let below = widest.children.len();
        scene.description.push_str(&format!(" Most directly below: {}, {below}.", widest.label));
    }
}
