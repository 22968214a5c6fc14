//! Dependency arrows: from a task to the tasks that depend on it.

use std::collections::HashMap;

use kurbo::{BezPath, Point, Vec2};

use crate::Scene;
use crate::frame::ChartStyle;
use crate::kinds::gantt::lanes::{LaneLayout, PlacedTask};
use crate::kinds::gantt::tasks::Schedule;
use crate::scene::{Anchor, Stroke};

/// Maximum number of arrows. More would not be readable, so the rest is omitted.
const MAX_ARROWS: usize = 400;

/// Draws the arrows between placed tasks in different lanes, but not more than `MAX_ARROWS`.
/// Returns whether it draws any. Ignores unknown ids. If several tasks have an id, arrows start at
/// the last of them.
pub fn draw_arrows(
    schedule: &Schedule,
    lanes: &LaneLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    if schedule.tasks.iter().all(|task| task.depends_on.is_empty()) {
        return false;
    }
    let ids: HashMap<&str, usize> = schedule
        .tasks
        .iter()
        .enumerate()
        .filter(|(_, task)| !task.id.is_empty())
        .map(|(index, task)| (task.id.as_str(), index))
        .collect();
    let mut count = 0;
    for (task, to) in schedule.tasks.iter().zip(&lanes.placed_tasks) {
        for id in &task.depends_on {
            let from = ids.get(id.as_str()).and_then(|index| lanes.placed_tasks[*index].as_ref());
            let (Some(from), Some(to)) = (from, to) else { continue };
            if from.lane != to.lane && count < MAX_ARROWS {
                draw_arrow(from, to, lanes, style, scene);
                count += 1;
            }
        }
    }
    count > 0
}

/// Draws an arrow from bar `from`, near its right end, to bar `to` in another lane.
///
/// It runs down (or up) and then right into the left end of `to`. If `to` starts too early for that
/// or has its label left of the bar, the arrow enters `to` from above (or below).
fn draw_arrow(
    from: &PlacedTask,
    to: &PlacedTask,
    lanes: &LaneLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let half = lanes.bar_height / 2.0;
    // 1 for an arrow that runs down, -1 for one that runs up.
    let direction_y = if to.lane > from.lane { 1.0 } else { -1.0 };
    let x = (from.right - half.min(5.0)).max(from.left);
    let start = Point::new(x, lanes.middle(from.lane) + half * direction_y);
    let head_length = (half * 0.7).clamp(2.0, 5.0);
    let mut path = BezPath::new();
    path.move_to(start);
    let has_label_left = to
        .label
        .as_ref()
        .is_some_and(|label| label.color_on_bar.is_none() && label.anchor == Anchor::End);
    let (tip, direction) = if to.left - head_length >= x && !has_label_left {
        let tip = Point::new(to.left, lanes.middle(to.lane));
        path.line_to((x, tip.y));
        path.line_to(tip - Vec2::new(head_length, 0.0));
        (tip, Vec2::new(1.0, 0.0))
    } else {
        let edge_y = lanes.middle(to.lane) - half * direction_y;
        let first_x = if to.right - to.left > 2.5 * half {
            to.left + half.min(5.0)
        } else {
            f64::midpoint(to.left, to.right)
        };
        let entry_x = x.clamp(first_x, to.right.max(first_x));
        let turn_y = edge_y - direction_y * (head_length + 1.0);
        if entry_x != x {
            path.line_to((x, turn_y));
            path.line_to((entry_x, turn_y));
        }
        path.line_to((entry_x, edge_y - direction_y * head_length));
        (Point::new(entry_x, edge_y), Vec2::new(0.0, direction_y))
    };
    let color = style.muted_color.mix(style.background, 0.25);
    scene.stroke(path, Stroke::new(color, 1.0));
    let aside = Vec2::new(-direction.y, direction.x) * head_length * 0.6;
    let mut triangle = BezPath::new();
    triangle.move_to(tip);
    triangle.line_to(tip - direction * head_length + aside);
    triangle.line_to(tip - direction * head_length - aside);
    triangle.close_path();
    scene.fill(triangle, color);
}
