//! Places for texts beside the marks that they describe, with lines to them.

use std::f64::consts::TAU;

use kurbo::{Line, Point, Rect, Size, Vec2};

use crate::shape::line::cross;

/// Number of directions in which a place is tried.
const DIRECTION_COUNT: usize = 48;
/// Distance between tried places in one direction in points.
const STEP_PT: f64 = 3.0;

/// A text that needs a place.
pub struct Callout<'a> {
    /// Point of the mark at which the line starts.
    pub start: Point,
    /// Size of the text in points.
    pub size: Size,
    /// Maximum length of the line in points.
    pub max_length: f64,
    /// Distance between the line and the text in points.
    pub gap: f64,
    /// Bounds of other texts, through which the line may not pass.
    pub taken: &'a [Rect],
    /// Lines of other texts, which the line may not cross.
    pub lines: &'a [Line],
}

impl Callout<'_> {
    /// Returns the rectangle with the shortest line for which `is_free` is true, and this line. Tries the
    /// nearest free rectangle in each direction. None without one.
    pub fn find_place(&self, is_free: impl Fn(Rect) -> bool) -> Option<(Rect, Line)> {
        let Callout { start, size, max_length, gap, .. } = *self;
        let steps = ((max_length + size.width) / STEP_PT) as usize;
        let nearest_in = |direction: usize| {
            let direction = Vec2::from_angle(TAU * direction as f64 / DIRECTION_COUNT as f64);
            let rect = |step: usize| {
                Rect::from_center_size(start + direction * (step as f64 * STEP_PT), size)
            };
            let rect = (1..steps).map(rect).find(|rect| is_free(*rect))?;
            let reach = rect.inflate(gap, gap);
            let end =
                Point::new(start.x.clamp(reach.x0, reach.x1), start.y.clamp(reach.y0, reach.y1));
            let line = Line::new(start, end);
            let is_short = (end - start).hypot() <= max_length;
            let crosses_line = || self.lines.iter().any(|other| cross(line, *other));
            (is_short && !self.crosses_text(line) && !crosses_line()).then_some((rect, line))
        };
        let length = |(_, line): &(Rect, Line)| (line.p1 - line.p0).hypot();
        let places = (0..DIRECTION_COUNT).filter_map(nearest_in);
        places.min_by(|one, two| length(one).total_cmp(&length(two)))
    }

    /// Returns whether a line passes through a text that does not contain its start.
    fn crosses_text(&self, line: Line) -> bool {
        let others = self.taken.iter().filter(|rect| !rect.contains(line.p0));
        let count = (line.p1 - line.p0).hypot().ceil().max(1.0);
        let point = |index: usize| line.p0.lerp(line.p1, index as f64 / count);
        others.into_iter().any(|rect| (0..=count as usize).any(|index| rect.contains(point(index))))
    }
}
