//! Arrows of a flow chart: lines with round corners, and labels that cover nothing else.

use kurbo::{BezPath, Point, Rect, Vec2};

use crate::Scene;
use crate::format::Omission;
use crate::frame::ChartStyle;
use crate::kinds::flow_chart::graph::{FlowGraph, Link, NodeShape};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};

/// Distance between an arrow label and the nodes beside it (x) and above or below it (y), in
/// [`ChartStyle::unit`]s. A label that touches a box seems to belong to it.
const NODE_CLEARANCE: (f64, f64) = (4.0, 2.0);

/// Draws an arrow along a route of points on the canvas, with its head at the last point. Draws
/// nothing if the route has no length.
pub fn draw_arrow(points: &[Point], style: &ChartStyle, scene: &mut Scene) {
    let (Some(first), Some(tip)) = (points.first(), points.last()) else { return };
    let previous = points.iter().rev().find(|point| (**point - *tip).hypot() > 0.01);
    let Some(previous) = previous else { return };
    let direction = (*tip - *previous).normalize();
    let head_length = (style.unit * 6.0).min((*tip - *previous).hypot());
    let color = style.muted_color;
    let mut path = BezPath::new();
    path.move_to(*first);
    for corner in points.windows(3) {
        let [from, corner, to] = corner else { continue };
        let (backward, forward) = (*from - *corner, *to - *corner);
        let radius = (style.unit * 5.0).min(backward.hypot() / 2.0).min(forward.hypot() / 2.0);
        if radius < 0.1 {
            path.line_to(*corner);
            continue;
        }
        path.line_to(*corner + backward.normalize() * radius);
        path.quad_to(*corner, *corner + forward.normalize() * radius);
    }
    path.line_to(*tip - direction * head_length * 0.8);
    scene.stroke(path, Stroke::new(color, 1.25 * style.unit));
    let aside = Vec2::new(-direction.y, direction.x) * head_length * 0.5;
    let mut triangle = BezPath::new();
    triangle.move_to(*tip);
    triangle.line_to(*tip - direction * head_length + aside);
    triangle.line_to(*tip - direction * head_length - aside);
    triangle.close_path();
    scene.fill(triangle, color);
}

/// Draws the labels of the arrows, each at the first free position along its route. `routes`
/// contains the route of each link of `graph`, and `node_areas` the indexes and areas of nodes. A label must
/// be within `area` and must not overlap `node_areas`, other labels or arrows, except its own arrow if it
/// interrupts that arrow. Positions that keep [`NODE_CLEARANCE`] from all nodes take precedence.
///
/// If fewer than half of the labels fit, none is drawn, because a single answer such as "Yes" could
/// seem to belong to another arrow. The scene counts the labels that are not drawn.
pub fn draw_labels(
    graph: &FlowGraph,
    routes: &[Vec<Point>],
    node_areas: &[(usize, Rect)],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let mut occupied: Vec<Rect> = node_areas.iter().map(|(_, rect)| *rect).collect();
    let mut placed = Vec::new();
    let mut dropped_count = 0;
    for (index, (link, route)) in graph.links.iter().zip(routes).enumerate() {
        if link.label.is_empty() {
            continue;
        }
        let is_free = |candidate: &LabelCandidate| {
            let mut other_routes = routes
                .iter()
                .enumerate()
                .filter(|(other, _)| !(candidate.is_on_line && *other == index));
            area.contains_rect(candidate.rect)
                && !occupied.iter().any(|rect| rect.overlaps(candidate.rect))
                && !other_routes.any(|(_, route)| route_touches(route, candidate.rect))
        };
        let link_areas = node_areas.iter().filter(|(node, _)| {
            let shape = graph.nodes.get(*node).map(|node| node.shape);
            *node != link.from || shape != Some(NodeShape::Decision)
        });
        let mut candidates = list_label_candidates(link, route, style);
        candidates.retain(is_free);
        match choose_clearest(candidates, link_areas, style) {
            Some(candidate) => {
                occupied.push(candidate.rect);
                placed.push((candidate, &link.label));
            }
            None => dropped_count += 1,
        }
    }
    if dropped_count > placed.len() {
        dropped_count += placed.len();
        placed.clear();
    }
    for (LabelCandidate { rect, is_on_line }, label) in placed {
        let (center, size) = (rect.center(), style.small_size);
        if is_on_line {
            scene.rect(rect, style.background);
        }
        let text = style.label_text(
            center.x,
            center.y + HALF_CAP_HEIGHT_EM * size,
            Anchor::Middle,
            size,
            label,
        );
        scene.text(Text { color: style.value_color, ..text });
    }
    scene.omit(Omission::Name, dropped_count);
}

/// Returns the first candidate that keeps [`NODE_CLEARANCE`] from the nodes, otherwise the first one. None
/// without candidates. The caller leaves out the decision at which an arrow starts, because an answer next
/// to it is easiest to understand.
fn choose_clearest<'a>(
    candidates: Vec<LabelCandidate>,
    node_areas: impl Iterator<Item = &'a (usize, Rect)> + Clone,
    style: &ChartStyle,
) -> Option<LabelCandidate> {
    let (x, y) = NODE_CLEARANCE;
    let is_clear = |candidate: &LabelCandidate| {
        let surroundings = candidate.rect.inflate(x * style.unit, y * style.unit);
        !node_areas.clone().any(|(_, node)| node.overlaps(surroundings))
    };
    let index = candidates.iter().position(is_clear).unwrap_or(0);
    candidates.into_iter().nth(index)
}

/// A possible position of an arrow label.
struct LabelCandidate {
    rect: Rect,
    /// Whether the label interrupts its own arrow. Otherwise it is beside the arrow.
    is_on_line: bool,
}

/// Returns possible positions of the label of `link` in the order in which they are tried: segments
/// from the start of the route, in each its middle first, and at each point on the segment, then
/// beside it.
fn list_label_candidates(link: &Link, route: &[Point], style: &ChartStyle) -> Vec<LabelCandidate> {
    let unit = style.unit;
    let size = kurbo::Size::new(
        style.text_width(&link.label, style.small_size) + unit * 3.0,
        style.small_size * 1.2,
    );
    let mut candidates = Vec::new();
    let last = route.len().saturating_sub(2);
    for (index, segment) in route.windows(2).enumerate() {
        let [from, to] = segment else { continue };
        let length = (*to - *from).hypot();
        // Labels must not cover the arrow head.
        let usable_length = length - if index == last { unit * 6.0 } else { 0.0 };
        let is_horizontal = (from.y - to.y).abs() < 0.1;
        let needed_length = if is_horizontal { size.width } else { size.height };
        let aside = if is_horizontal {
            Vec2::new(0.0, -size.height / 2.0 - unit)
        } else {
            Vec2::new(size.width / 2.0 + unit, 0.0)
        };
        for share in [0.5, 0.3, 0.7] {
            let center = *from + (*to - *from) * (usable_length / length.max(0.01)) * share;
            let rect = Rect::from_center_size(center, size);
            if usable_length >= needed_length + unit * 14.0 {
                candidates.push(LabelCandidate { rect, is_on_line: true });
            }
            if usable_length >= needed_length * 0.5 {
                candidates.push(LabelCandidate { rect: rect + aside, is_on_line: false });
                candidates.push(LabelCandidate { rect: rect - aside, is_on_line: false });
            }
        }
    }
    candidates
}

/// Returns whether a route of horizontal and vertical segments comes within half a point of `rect`.
fn route_touches(route: &[Point], rect: Rect) -> bool {
    route.windows(2).any(|segment| match segment {
        [from, to] => Rect::from_points(*from, *to).inflate(0.5, 0.5).overlaps(rect),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Chart;

    #[test]
    fn labels_keep_their_distance_from_boxes_if_they_can() {
        let data = [
            json!({"id": 1, "label": "Antrag", "type": "start", "next": "2"}),
            json!({"id": 2, "label": "Vollständig?", "type": "decision", "next": "ja: 3; nein: 4"}),
            json!({"id": 3, "label": "Prüfen", "next": "nach 2 Tagen: 5"}),
            json!({"id": 4, "label": "Nachfordern", "next": "erneut: 2"}),
            json!({"id": 5, "label": "Bewilligt?", "type": "decision", "next": "ja: 6; nein: 7"}),
            json!({"id": 6, "label": "Auszahlen", "type": "end"}),
            json!({"id": 7, "label": "Ablehnen", "type": "end"}),
        ];
        let kind = crate::find_kind("flow-chart").unwrap();
        let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &data) });
        assert_eq!(scene.omissions, []);
        let bounds = |name: &str| scene.text_boxes().find(|(text, _)| *text == name).unwrap().1;
        let (label, step) = (bounds("erneut"), bounds("Nachfordern"));
        // The arrow leaves the middle of the step. Left of it, the label would touch the box.
        assert!(label.x0 > step.center().x, "{label:?} {step:?}");
    }
}
