//! Leader lines from slices to their labels.

use kurbo::{BezPath, Point, Rect};

use super::{CIRCLE_GAP, Label, SliceLayout};
use crate::slices::Slice;

/// Minimum distance in points between the lines of neighbors. Closer lines look like one.
const MIN_DISTANCE: f64 = 1.5;

/// The corners of a line from the edge of a slice over a bend to a label.
#[derive(Clone, Copy)]
pub(super) struct LeaderLine {
    start: Point,
    /// Corner outside of the circle. None for a straight line.
    bend: Option<Point>,
    end: Point,
}

impl LeaderLine {
    /// Returns the path of the line.
    pub(super) fn path(&self) -> BezPath {
        let mut path = BezPath::new();
        path.move_to(self.start);
        if let Some(bend) = self.bend {
            path.line_to(bend);
        }
        path.line_to(self.end);
        path
    }

    /// Returns the straight parts of the line.
    fn parts(&self) -> [(Point, Point); 2] {
        let bend = self.bend.unwrap_or(self.start);
        [(self.start, bend), (bend, self.end)]
    }

    /// Returns whether a part of the line crosses or almost touches one of another line.
    fn meets(&self, other: &LeaderLine) -> bool {
        let others = other.parts();
        self.parts().iter().any(|part| others.iter().any(|other| are_close(*part, *other)))
    }
}

impl SliceLayout {
    /// Returns the line from the edge of a slice to its label at the y coordinate `middle`. The line bends
    /// outside of the circle, so that it avoids the circle unless the label is far from its slice.
    pub(super) fn leader_line(&self, slice: &Slice, label: &Label, middle: f64) -> LeaderLine {
        let side = if label.is_right { 1.0 } else { -1.0 };
        let end = Point::new(self.label_x(label, middle) - side * 3.0, middle);
        let point_at = |radius: f64| self.center + slice.label_direction * radius;
        let to_label = end - self.center;
        let cosine = slice.label_direction.dot(to_label) / to_label.hypot().max(1.0);
        // From this distance, a straight line to the label just misses the circle.
        let half_angle_cosine = ((1.0 + cosine.clamp(0.0, 1.0)) / 2.0).sqrt();
        let distance = (self.radius + 2.0) / half_angle_cosine.max(0.1);
        let bend = distance.min(self.radius + CIRCLE_GAP - 5.0);
        let has_bend = bend > self.radius + 4.0;
        let start = point_at(self.radius + 2.0);
        LeaderLine { start, bend: has_bend.then(|| point_at(bend)), end }
    }

    /// Returns whether the leader lines of two labels next to each other cross or almost touch.
    pub(super) fn has_crossing_lines(&self, slices: &[Slice], area: Rect) -> bool {
        [false, true].iter().any(|is_right| {
            let column = self.arrange_column(*is_right, slices, area);
            let lines: Vec<LeaderLine> = column
                .iter()
                .map(|(label, middle)| self.leader_line(&slices[label.slice], label, *middle))
                .collect();
            lines.windows(2).any(|pair| pair[0].meets(&pair[1]))
        })
    }
}

/// Returns whether two straight lines cross, or have ends nearer than `MIN_DISTANCE` to the other line.
fn are_close((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    let side = |from: Point, to: Point, point: Point| (to - from).cross(point - from);
    let are_apart = |one: f64, two: f64| one * two < 0.0;
    let crosses =
        are_apart(side(a, b, c), side(a, b, d)) && are_apart(side(c, d, a), side(c, d, b));
    let is_near = |point: Point, from: Point, to: Point| {
        let line = to - from;
        let share = (point - from).dot(line) / line.hypot2().max(1e-9);
        (point - (from + line * share.clamp(0.0, 1.0))).hypot() < MIN_DISTANCE
    };
    crosses || is_near(a, c, d) || is_near(b, c, d) || is_near(c, a, b) || is_near(d, a, b)
}
