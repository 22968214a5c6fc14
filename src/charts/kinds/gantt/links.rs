//! Arrows from a task to those that wait for it.

use std::collections::HashMap;

use kurbo::{BezPath, Point, Vec2};

use crate::Scene;
use crate::frame::Look;
use crate::kinds::gantt::lanes::{Lanes, Spot};
use crate::kinds::gantt::tasks::Plan;
use crate::scene::{Anchor, Stroke};

/// More arrows than this are a tangle; the rest is left out.
const MOST: usize = 400;

/// Draws the arrows of all tasks that stand in the picture; returns whether there are any.
pub fn draw(plan: &Plan, lanes: &Lanes, look: &Look, scene: &mut Scene) -> bool {
    if plan.tasks.iter().all(|it| it.after.is_empty()) {
        return false;
    }
    let ids: HashMap<&str, usize> = plan
        .tasks
        .iter()
        .enumerate()
        .filter(|(_, task)| !task.id.is_empty())
        .map(|(index, task)| (task.id.as_str(), index))
        .collect();
    let mut count = 0;
    for (task, to) in plan.tasks.iter().zip(&lanes.spots) {
        for id in &task.after {
            let from = ids.get(id.as_str()).and_then(|it| lanes.spots[*it].as_ref());
            let (Some(from), Some(to)) = (from, to) else { continue };
            if from.lane != to.lane && count < MOST {
                arrow(from, to, lanes, look, scene);
                count += 1;
            }
        }
    }
    count > 0
}

/// Down (or up) from the end of one bar, then right into the other; when that one starts earlier
/// or has its name there, into its side from above (or below).
fn arrow(from: &Spot, to: &Spot, lanes: &Lanes, look: &Look, scene: &mut Scene) {
    let half = lanes.thickness / 2.0;
    let down = if to.lane > from.lane { 1.0 } else { -1.0 };
    let x = (from.to - half.min(5.0)).max(from.from);
    let start = Point::new(x, lanes.middle(from.lane) + half * down);
    let head = (half * 0.7).clamp(2.0, 5.0);
    let mut path = BezPath::new();
    path.move_to(start);
    let named_left =
        to.name.as_ref().is_some_and(|it| it.ink.is_none() && it.anchor == Anchor::End);
    let tip = if to.from - head >= x && !named_left {
        let tip = Point::new(to.from, lanes.middle(to.lane));
        path.line_to((x, tip.y));
        path.line_to(tip - Vec2::new(head, 0.0));
        (tip, Vec2::new(1.0, 0.0))
    } else {
        let side = lanes.middle(to.lane) - half * down;
        let first = if to.to - to.from > 2.5 * half {
            to.from + half.min(5.0)
        } else {
            f64::midpoint(to.from, to.to)
        };
        let at = x.clamp(first, to.to.max(first));
        let turn = side - down * (head + 1.0);
        if at != x {
            path.line_to((x, turn));
            path.line_to((at, turn));
        }
        path.line_to((at, side - down * head));
        (Point::new(at, side), Vec2::new(0.0, down))
    };
    let color = look.muted.mix(look.background, 0.25);
    scene.stroke(path, Stroke::new(color, 1.0));
    let (tip, along) = tip;
    let aside = Vec2::new(-along.y, along.x) * head * 0.6;
    let mut triangle = BezPath::new();
    triangle.move_to(tip);
    triangle.line_to(tip - along * head + aside);
    triangle.line_to(tip - along * head - aside);
    triangle.close_path();
    scene.fill(triangle, color);
}
