//! Lines through points: linear, stepped or smooth interpolation, gaps, and decimation of dense
//! points.

use kurbo::{BezPath, Point, Rect};

/// Interpolation between neighboring points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines.
    Linear,
    /// Horizontal until the x coordinate of the next point, then vertical.
    Step,
    /// A monotone cubic curve, which never overshoots its points (Fritsch and Carlson, 1980).
    Smooth,
}

impl Interpolation {
    /// Parses the setting `interpolation`. Unknown names give linear interpolation.
    pub fn parse(name: &str) -> Interpolation {
        match name {
            "step" => Interpolation::Step,
            "smooth" => Interpolation::Smooth,
            _ => Interpolation::Linear,
        }
    }
}

/// Splits points at the gaps (None) and returns the non-empty runs between them.
pub fn split_at_gaps(points: &[Option<Point>]) -> Vec<Vec<Point>> {
    points
        .split(Option::is_none)
        .map(|run| run.iter().flatten().copied().collect::<Vec<_>>())
        .filter(|run| !run.is_empty())
        .collect()
}

/// Average number of points per half-point column above which a line is decimated.
const MAX_POINTS_PER_COLUMN: usize = 4;

/// Reduces dense points to the first, lowest, highest and last of each column that is half a canvas
/// point wide, so that no peak is lost.
///
/// Returns `points` unchanged if there are on average at most four per column. The points must run
/// from left to right. The kept points stay in their order. Lowest and highest refer to the y
/// coordinate.
pub fn decimate(points: Vec<Point>) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return points };
    let columns = ((last.x - first.x).abs() * 2.0).max(1.0) as usize;
    if points.len() <= columns * MAX_POINTS_PER_COLUMN {
        return points;
    }
    let column_of = |point: &Point| (point.x * 2.0).floor();
    let mut kept_points = Vec::with_capacity(columns * MAX_POINTS_PER_COLUMN);
    for group in points.chunk_by(|one, two| column_of(one) == column_of(two)) {
        let find_extreme = |is_better: fn(f64, f64) -> bool| {
            (0..group.len()).reduce(|best, index| {
                if is_better(group[index].y, group[best].y) { index } else { best }
            })
        };
        let (min, max) = (find_extreme(|a, b| a < b), find_extreme(|a, b| a > b));
        let mut kept = [Some(0), min, max, Some(group.len() - 1)];
        kept.sort();
        let mut previous = None;
        for index in kept.into_iter().flatten() {
            if previous != Some(index) {
                kept_points.push(group[index]);
            }
            previous = Some(index);
        }
    }
    kept_points
}

/// Returns whether straight lines between `points`, which run from left to right, touch or cross
/// `rect`. False for fewer than two points.
pub fn passes_through(points: &[Point], rect: Rect) -> bool {
    points.windows(2).any(|pair| {
        let [from, to] = pair else { return false };
        let (x0, x1) = (from.x.max(rect.x0), to.x.min(rect.x1));
        if x0 > x1 {
            return false;
        }
        let at = |x: f64| from.y + (to.y - from.y) * ((x - from.x) / (to.x - from.x).max(1e-9));
        let (one, two) = (at(x0), at(x1));
        one.min(two) <= rect.y1 && one.max(two) >= rect.y0
    })
}

/// Appends the line through `points` to `path`. Does nothing without points.
///
/// The line is a new subpath if `starts_subpath`. Otherwise a straight line connects it to the last
/// point of `path`.
pub fn append_curve(
    path: &mut BezPath,
    points: &[Point],
    interpolation: Interpolation,
    starts_subpath: bool,
) {
    let Some(first) = points.first() else { return };
    if starts_subpath {
        path.move_to(*first);
    } else {
        path.line_to(*first);
    }
    match interpolation {
        Interpolation::Linear => points[1..].iter().for_each(|point| path.line_to(*point)),
        Interpolation::Step => {
            for pair in points.windows(2) {
                path.line_to((pair[1].x, pair[0].y));
                path.line_to(pair[1]);
            }
        }
        Interpolation::Smooth => append_smooth_curve(path, points),
    }
}

/// Appends the monotone cubic curve through `points` to `path`, which already ends at the first of
/// them.
fn append_smooth_curve(path: &mut BezPath, points: &[Point]) {
    let slopes = compute_monotone_slopes(points);
    for (index, pair) in points.windows(2).enumerate() {
        let third = (pair[1].x - pair[0].x) / 3.0;
        let from = Point::new(pair[0].x + third, pair[0].y + slopes[index] * third);
        let to = Point::new(pair[1].x - third, pair[1].y - slopes[index + 1] * third);
        path.curve_to(from, to, pair[1]);
    }
}

/// Returns the slope (dy/dx) of the curve at each point.
///
/// The slope is the harmonic mean of the slopes on both sides. It is 0 at turning points, at the
/// first and at the last point, so that the curve never overshoots. Two points alone have the slope
/// of the line between them.
fn compute_monotone_slopes(points: &[Point]) -> Vec<f64> {
    let slope_between = |pair: &[Point]| {
        let dx = pair[1].x - pair[0].x;
        if dx.abs() < 1e-9 { 0.0 } else { (pair[1].y - pair[0].y) / dx }
    };
    let between: Vec<f64> = points.windows(2).map(slope_between).collect();
    let slope_at = |index: usize| {
        let before = index.checked_sub(1).and_then(|previous| between.get(previous)).copied();
        match (before, between.get(index).copied()) {
            (Some(before), Some(after)) if before * after > 0.0 => {
                2.0 * before * after / (before + after)
            }
            (None, Some(only)) | (Some(only), None) if between.len() == 1 => only,
            _ => 0.0,
        }
    };
    (0..points.len()).map(slope_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimation_keeps_the_peak_and_bounds_the_count() {
        let points: Vec<Point> = (0..100_000)
            .map(|n| Point::new(f64::from(n) / 200.0, if n == 54_321 { -9.0 } else { 1.0 }))
            .collect();
        let kept = decimate(points);
        assert!(kept.len() <= 4_100, "{}", kept.len());
        assert!(kept.iter().any(|point| point.y == -9.0));
    }

    #[test]
    fn gaps_split_a_line() {
        let point_at = |x: f64| Some(Point::new(x, 0.0));
        let runs = split_at_gaps(&[None, point_at(1.0), point_at(2.0), None, None, point_at(5.0)]);
        assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_smooth_line_does_not_overshoot_its_points() {
        let points = [(0.0, 0.0), (1.0, 10.0), (2.0, 10.0), (3.0, 0.0)].map(Point::from);
        let mut path = BezPath::new();
        append_curve(&mut path, &points, Interpolation::Smooth, true);
        let bounds = kurbo::Shape::bounding_box(&path);
        assert!(bounds.y0 >= -1e-9 && bounds.y1 <= 10.0 + 1e-9, "{bounds:?}");
    }

    #[test]
    fn a_line_passes_only_where_it_is_at_the_height_of_the_box() {
        let points = [Point::new(0.0, 100.0), Point::new(100.0, 0.0)];
        assert!(passes_through(&points, Rect::new(40.0, 40.0, 60.0, 60.0)));
        assert!(!passes_through(&points, Rect::new(10.0, 10.0, 30.0, 30.0)));
        assert!(!passes_through(&points, Rect::new(110.0, 0.0, 120.0, 100.0)));
    }
}
