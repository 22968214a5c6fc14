//! Arrows of a flow chart: lines with round corners, and labels that cover nothing else.

use kurbo::{BezPath, Point, Rect, Vec2};

use crate::Scene;
use crate::format::Omission;
use crate::frame::ChartStyle;
use crate::kinds::flow_chart::graph::{FlowGraph, Link};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};

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
/// contains the route of each link of `graph`. A label must be within `area` and must not overlap
/// `node_areas`, other labels or arrows, except its own arrow if it interrupts that arrow.
///
/// If fewer than half of the labels fit, none is drawn, because a single answer such as "Yes" could
/// seem to belong to another arrow. The scene counts the labels that are not drawn.
pub fn draw_labels(
    graph: &FlowGraph,
    routes: &[Vec<Point>],
    node_areas: &[Rect],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let mut occupied: Vec<Rect> = node_areas.to_vec();
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
        match list_label_candidates(link, route, style).into_iter().find(is_free) {
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
