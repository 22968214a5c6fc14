//! Outlines of glyphs: collected within limits, and cached within a budget.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use kurbo::{BezPath, PathEl, Point};
use skrifa::outline::OutlinePen;

/// Maximum number of drawing commands of an outline. The most complex letters have 1,000. A file of
/// a few bytes can describe 65,535 points.
const MAX_OUTLINE_ELEMENTS: usize = 5_000;
/// Maximum distance of a point of an outline from the origin of its glyph, in em.
const MAX_OUTLINE_DISTANCE_EM: f64 = 32.0;
/// Maximum length of an outline in em. Rasterizing an outline takes time in proportion to its
/// length. The most complex letters have 200 em.
const MAX_OUTLINE_LENGTH_EM: f64 = 2_000.0;

/// Memory that the outlines of several fonts may take. They stay in memory until the process ends.
#[derive(Debug)]
pub struct OutlineBudget {
    remaining_bytes: AtomicUsize,
    /// Budget that must have the memory too.
    total: Option<&'static OutlineBudget>,
}

impl OutlineBudget {
    /// Creates a budget of `bytes`. Outlines also count for the budget `total`.
    pub const fn new(bytes: usize, total: Option<&'static OutlineBudget>) -> OutlineBudget {
        OutlineBudget { remaining_bytes: AtomicUsize::new(bytes), total }
    }

    /// Takes memory out of the budget. Takes nothing and returns false if less remains.
    fn take(&self, bytes: usize) -> bool {
        let subtract = |remaining: usize| remaining.checked_sub(bytes);
        if self.remaining_bytes.fetch_update(Relaxed, Relaxed, subtract).is_err() {
            return false;
        }
        let has_total = self.total.is_none_or(|total| total.take(bytes));
        if !has_total {
            self.remaining_bytes.fetch_add(bytes, Relaxed);
        }
        has_total
    }
}

/// Returns the outline if it is small enough for a letter and if the budget has memory for it, else
/// an empty one. The outline is in em.
pub fn limit_outline(path: BezPath, budget: Option<&OutlineBudget>) -> BezPath {
    let bytes = size_of_val(path.elements());
    let fits = has_letter_size(&path) && budget.is_none_or(|budget| budget.take(bytes));
    // The path that was collected can have twice the capacity that it needs.
    if fits { path.elements().iter().copied().collect() } else { BezPath::new() }
}

/// Returns whether an outline in em is small enough for a letter.
fn has_letter_size(path: &BezPath) -> bool {
    let (mut last, mut length) = (Point::ZERO, 0.0);
    for element in path.elements() {
        let points = match *element {
            PathEl::MoveTo(point) | PathEl::LineTo(point) => [point; 3],
            PathEl::QuadTo(one, point) => [one, point, point],
            PathEl::CurveTo(one, two, point) => [one, two, point],
            PathEl::ClosePath => continue,
        };
        for point in points {
            if point.to_vec2().hypot() > MAX_OUTLINE_DISTANCE_EM {
                return false;
            }
            length += last.distance(point);
            last = point;
        }
    }
    length <= MAX_OUTLINE_LENGTH_EM
}

/// Collects the drawing commands of a glyph into a path.
#[derive(Default)]
pub struct OutlineCollector {
    path: BezPath,
    /// Whether the outline has more than [`MAX_OUTLINE_ELEMENTS`]. Further commands are ignored.
    is_too_complex: bool,
}

impl OutlineCollector {
    /// Returns the path. Empty if the outline is too complex for a letter.
    pub fn into_path(self) -> BezPath {
        if self.is_too_complex { BezPath::new() } else { self.path }
    }

    /// Adds a drawing command, unless the outline has too many.
    fn push(&mut self, element: PathEl) {
        self.is_too_complex |= self.path.elements().len() >= MAX_OUTLINE_ELEMENTS;
        if !self.is_too_complex {
            self.path.push(element);
        }
    }
}

impl OutlinePen for OutlineCollector {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push(PathEl::MoveTo((x, y).into()));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.push(PathEl::LineTo((x, y).into()));
    }
    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.push(PathEl::QuadTo((cx, cy).into(), (x, y).into()));
    }
    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.push(PathEl::CurveTo((ax, ay).into(), (bx, by).into(), (x, y).into()));
    }
    fn close(&mut self) {
        self.push(PathEl::ClosePath);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_with_too_many_commands_is_empty() {
        let collect = |lines: usize| {
            let mut collector = OutlineCollector::default();
            collector.move_to(0.0, 0.0);
            (0..lines).for_each(|_| collector.line_to(0.5, 0.5));
            collector.into_path().elements().len()
        };
        assert_eq!(collect(MAX_OUTLINE_ELEMENTS - 1), MAX_OUTLINE_ELEMENTS);
        assert_eq!(collect(MAX_OUTLINE_ELEMENTS), 0);
    }

    #[test]
    fn outlines_beyond_a_budget_are_empty() {
        let path = BezPath::from_vec(vec![PathEl::MoveTo(Point::ZERO), PathEl::ClosePath]);
        let bytes = size_of_val(path.elements());
        static TOTAL: OutlineBudget = OutlineBudget::new(3 * size_of::<[PathEl; 2]>(), None);
        let budget = || OutlineBudget::new(2 * bytes + 1, Some(&TOTAL));
        let (one, two) = (budget(), budget());
        let is_kept = |budget: &OutlineBudget| {
            !limit_outline(path.clone(), Some(budget)).elements().is_empty()
        };
        assert_eq!([&one, &one, &one].map(is_kept), [true, true, false], "its own budget");
        assert_eq!([&two, &two].map(is_kept), [true, false], "the common budget");
        assert!(!limit_outline(path.clone(), None).elements().is_empty());
    }
}
