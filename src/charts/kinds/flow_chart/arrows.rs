//! Draws arrows with round corners, and the words at them where they cover nothing.

use kurbo::{BezPath, Point, Rect, Vec2};

use crate::Scene;
use crate::frame::Look;
use crate::kinds::flow_chart::graph::{Graph, Link};
use crate::scene::{Anchor, CENTER, Stroke, Text};

/// Draws an arrow along these corners of the picture.
pub fn arrow(points: &[Point], look: &Look, scene: &mut Scene) {
    let (Some(first), Some(tip)) = (points.first(), points.last()) else { return };
    let before = points.iter().rev().find(|it| (**it - *tip).hypot() > 0.01);
    let Some(before) = before else { return };
    let along = (*tip - *before).normalize();
    let head = (look.unit * 6.0).min((*tip - *before).hypot());
    let color = look.muted;
    let mut path = BezPath::new();
    path.move_to(*first);
    for corner in points.windows(3) {
        let [from, at, to] = corner else { continue };
        let (came, goes) = (*from - *at, *to - *at);
        let radius = (look.unit * 5.0).min(came.hypot() / 2.0).min(goes.hypot() / 2.0);
        if radius < 0.1 {
            path.line_to(*at);
            continue;
        }
        path.line_to(*at + came.normalize() * radius);
        path.quad_to(*at, *at + goes.normalize() * radius);
    }
    path.line_to(*tip - along * head * 0.8);
    scene.stroke(path, Stroke::new(color, 1.25 * look.unit));
    let aside = Vec2::new(-along.y, along.x) * head * 0.5;
    let mut triangle = BezPath::new();
    triangle.move_to(*tip);
    triangle.line_to(*tip - along * head + aside);
    triangle.line_to(*tip - along * head - aside);
    triangle.close_path();
    scene.fill(triangle, color);
}

/// Writes the words at the arrows, each near the step that it leaves; where only the lesser part
/// of them has room, none, because a lone answer may seem to belong to another arrow.
pub fn words(
    graph: &Graph,
    routes: &[Vec<Point>],
    boxes: &[Rect],
    area: Rect,
    look: &Look,
    scene: &mut Scene,
) {
    let mut taken: Vec<Rect> = boxes.to_vec();
    let mut placed = Vec::new();
    let mut dropped = 0;
    for (index, (link, route)) in graph.links.iter().zip(routes).enumerate() {
        if link.label.is_empty() {
            continue;
        }
        let free = |place: Rect, on: bool| {
            let others = routes.iter().enumerate().filter(|it| !(on && it.0 == index));
            area.contains_rect(place)
                && !taken.iter().any(|it| it.overlaps(place))
                && !others.into_iter().any(|it| crosses(it.1, place))
        };
        let place = spots(link, route, look).into_iter().find(|it| free(it.0, it.1));
        match place {
            Some((place, on)) => {
                placed.push((place, on, &link.label));
                taken.push(place);
            }
            None => dropped += 1,
        }
    }
    if dropped > placed.len() {
        dropped += placed.len();
        placed.clear();
    }
    for (place, on, words) in placed {
        let (at, size) = (place.center(), look.small);
        if on {
            scene.rect(place, look.background);
        }
        let set = look.text(at.x, at.y + CENTER * size, Anchor::Middle, size, words);
        scene.text(Text { color: look.value_ink, ..set });
    }
    if dropped > 0 {
        scene.warn(format!("Words at arrows without room: {dropped}."));
    }
}

/// Boxes where the words may stand: beside the parts of the way, or on them.
fn spots(link: &Link, route: &[Point], look: &Look) -> Vec<(Rect, bool)> {
    let unit = look.unit;
    let size = kurbo::Size::new(look.width(&link.label, look.small) + unit * 3.0, look.small * 1.2);
    let mut spots = Vec::new();
    let last = route.len().saturating_sub(2);
    for (index, part) in route.windows(2).enumerate() {
        let [from, to] = part else { continue };
        let length = (*to - *from).hypot();
        // The arrow head stays visible.
        let shown = length - if index == last { unit * 6.0 } else { 0.0 };
        let level = (from.y - to.y).abs() < 0.1;
        let needed = if level { size.width } else { size.height };
        let aside = if level {
            Vec2::new(0.0, -size.height / 2.0 - unit)
        } else {
            Vec2::new(size.width / 2.0 + unit, 0.0)
        };
        for share in [0.5, 0.3, 0.7] {
            let at = *from + (*to - *from) * (shown / length.max(0.01)) * share;
            let on = Rect::from_center_size(at, size);
            if shown >= needed + unit * 14.0 {
                spots.push((on, true));
            }
            if shown >= needed * 0.5 {
                spots.push((on + aside, false));
                spots.push((on - aside, false));
            }
        }
    }
    spots
}

/// Whether a way touches a box.
fn crosses(route: &[Point], place: Rect) -> bool {
    route.windows(2).any(|part| match part {
        [from, to] => Rect::from_points(*from, *to).inflate(0.5, 0.5).overlaps(place),
        _ => false,
    })
}
