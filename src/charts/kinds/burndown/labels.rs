//! Labels of a burndown chart beside its lines: the last actual value, and the name of the plan.

use kurbo::{Point, Rect};

use crate::Scene;
use crate::format::{NumberFormat, Term};
use crate::frame::ChartStyle;
use crate::kinds::burndown::{Day, LastActual, LineColors, Plot, find_last_actual};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};

/// Format and limits of the labels in the plot.
pub struct LabelLayout<'a> {
    /// Format of the amounts.
    pub format: &'a NumberFormat,
    /// Whether the lines are named at the lines and not in a legend.
    pub has_direct_labels: bool,
    /// Right edge for labels in points.
    pub right: f64,
}

/// Draws the last actual amount beside its dot. With direct labels the text starts with the name of
/// the line, and the plan gets its name above its line. Labels without space are omitted.
pub fn draw_line_labels(
    days: &[Day],
    plot: &Plot,
    colors: &LineColors,
    labels: &LabelLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let LabelLayout { format, has_direct_labels, right } = *labels;
    let size = style.label_size;
    let Some(LastActual { day, amount }) = find_last_actual(days) else { return };
    let dot = plot.position(day.moment, amount);
    let label = if has_direct_labels {
        format!("{} {}", style.locale.translate(Term::Actual), format.text(amount))
    } else {
        format.text(amount)
    };
    let width = style.text_width(&label, size);
    // Both lines fall, so a point above the plan has free space on its right, and a point below the
    // plan on its left.
    let prefers_right =
        day.planned.is_none_or(|planned| amount >= planned) || dot.x > plot.area.x1 - size;
    let (x, y, anchor) = if prefers_right && dot.x + size * 0.8 + width <= right {
        (dot.x + size * 0.8, dot.y + (HALF_CAP_HEIGHT_EM - 0.25) * size, Anchor::Start)
    } else {
        (dot.x - size * 0.3, dot.y + size * 1.4, Anchor::End)
    };
    let text = style.label_text(x, y, anchor, size, &label);
    let color = colors.actual.readable_on(style.background, 4.5);
    let limits =
        Rect::new(plot.area.x0, plot.area.y0 - size, right + 1.0, plot.area.y1 + size * 0.3);
    // Beside a point on the time axis, the label is a little above it.
    let excess = (text.bounds().y1 - limits.y1).max(0.0);
    let text = Text { y: text.y - excess, ..text };
    let bounds = text.bounds();
    if limits.contains_rect(bounds) {
        scene.text(Text { color, halo: Some(style.background), ..text });
    }
    if has_direct_labels {
        let line = plot.line_points(days, |day| day.planned);
        draw_plan_label(&line, dot.x, limits, bounds, style, scene);
    }
}

/// Draws the name of the plan above its line, in the part right of `start`, the last actual value.
/// `line` has the points of the plan.
///
/// Tries the points of the line and then the places between them, because a plan may have no more
/// than its two ends. The label must be within `limits` and must not overlap `occupied`. Without
/// such a position it is omitted.
fn draw_plan_label(
    line: &[Point],
    start: f64,
    limits: Rect,
    occupied: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = style.label_size;
    let later: Vec<Point> = line.iter().copied().filter(|point| point.x > start).collect();
    let end = later.last().map_or(start, |point| point.x);
    let label_at = |point: Point| {
        let (x, y) = (point.x + size * 0.5, point.y - size * 0.5);
        let name = style.locale.translate(Term::Planned);
        let text = style.label_text(x, y, Anchor::Start, size, name);
        let bounds = text.bounds();
        (limits.contains_rect(bounds) && !bounds.overlaps(occupied)).then_some(text)
    };
    let eighths = [4_usize, 3, 2, 1, 5];
    let points = eighths.iter().filter_map(|eighth| later.get(later.len() * eighth / 8).copied());
    let between = eighths
        .iter()
        .filter_map(|eighth| interpolate(line, start + (end - start) * *eighth as f64 / 8.0));
    if let Some(text) = points.chain(between).find_map(label_at) {
        scene.text(Text { color: style.muted_color, halo: Some(style.background), ..text });
    }
}

/// Returns the point at `x` of a line from left to right. None beside the line.
fn interpolate(line: &[Point], x: f64) -> Option<Point> {
    line.windows(2).find_map(|pair| match pair {
        [left, right] if (left.x..=right.x).contains(&x) && left.x < right.x => {
            Some(left.lerp(*right, (x - left.x) / (right.x - left.x)))
        }
        _ => None,
    })
}
