//! Lines through points: straight, stepped or smooth, with gaps, and thinned when too dense.

use kurbo::{BezPath, Point};

/// How neighbouring points are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// By straight lines.
    Linear,
    /// Level until the next point, then plumb.
    Step,
    /// By a curve that never swings beyond its points (Fritsch and Carlson, 1980).
    Smooth,
}

impl Join {
    /// Reads the `interpolation` setting.
    pub fn parse(word: &str) -> Join {
        match word {
            "step" => Join::Step,
            "smooth" => Join::Smooth,
            _ => Join::Linear,
        }
    }
}

/// The runs of neighbouring points without a gap between them.
pub fn runs(points: &[Option<Point>]) -> Vec<Vec<Point>> {
    points
        .split(Option::is_none)
        .map(|run| run.iter().flatten().copied().collect::<Vec<_>>())
        .filter(|run| !run.is_empty())
        .collect()
}

/// Points per column of half a point width beyond which a line is thinned.
const DENSE: usize = 4;

/// Keeps the first, lowest, highest and last point of every half-point column when there are
/// many more points than columns, so that no peak is lost. The points run from left to right.
pub fn thinned(points: Vec<Point>) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return points };
    let columns = ((last.x - first.x).abs() * 2.0).max(1.0) as usize;
    if points.len() <= columns * DENSE {
        return points;
    }
    let column = |point: &Point| (point.x * 2.0).floor();
    let mut out = Vec::with_capacity(columns * DENSE);
    for group in points.chunk_by(|one, two| column(one) == column(two)) {
        let by = |keep: fn(f64, f64) -> bool| {
            (0..group.len())
                .reduce(|best, it| if keep(group[it].y, group[best].y) { it } else { best })
        };
        let mut kept = [Some(0), by(|a, b| a < b), by(|a, b| a > b), Some(group.len() - 1)];
        kept.sort();
        let mut previous = None;
        for at in kept.into_iter().flatten() {
            if previous != Some(at) {
                out.push(group[at]);
            }
            previous = Some(at);
        }
    }
    out
}

/// Adds the line through `points` to `path`, going on from its last point unless `start`.
pub fn join(path: &mut BezPath, points: &[Point], join: Join, start: bool) {
    let Some(first) = points.first() else { return };
    if start {
        path.move_to(*first);
    } else {
        path.line_to(*first);
    }
    match join {
        Join::Linear => points[1..].iter().for_each(|it| path.line_to(*it)),
        Join::Step => {
            for pair in points.windows(2) {
                path.line_to((pair[1].x, pair[0].y));
                path.line_to(pair[1]);
            }
        }
        Join::Smooth => smooth(path, points),
    }
}

fn smooth(path: &mut BezPath, points: &[Point]) {
    let slopes = slopes(points);
    for (index, pair) in points.windows(2).enumerate() {
        let third = (pair[1].x - pair[0].x) / 3.0;
        let from = Point::new(pair[0].x + third, pair[0].y + slopes[index] * third);
        let to = Point::new(pair[1].x - third, pair[1].y - slopes[index + 1] * third);
        path.curve_to(from, to, pair[1]);
    }
}

/// The slope at each point: the harmonic mean of its neighbours', level at turning points.
fn slopes(points: &[Point]) -> Vec<f64> {
    let slope = |pair: &[Point]| {
        let across = pair[1].x - pair[0].x;
        if across.abs() < 1e-9 { 0.0 } else { (pair[1].y - pair[0].y) / across }
    };
    let between: Vec<f64> = points.windows(2).map(slope).collect();
    let at = |index: usize| {
        let before = index.checked_sub(1).and_then(|it| between.get(it)).copied();
        match (before, between.get(index).copied()) {
            (Some(before), Some(after)) if before * after > 0.0 => {
                2.0 * before * after / (before + after)
            }
            (None, Some(only)) | (Some(only), None) if between.len() == 1 => only,
            _ => 0.0,
        }
    };
    (0..points.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_peak_and_bounds_the_count() {
        let points: Vec<Point> = (0..100_000)
            .map(|it| Point::new(f64::from(it) / 200.0, if it == 54_321 { -9.0 } else { 1.0 }))
            .collect();
        let kept = thinned(points);
        assert!(kept.len() <= 4_100, "{}", kept.len());
        assert!(kept.iter().any(|it| it.y == -9.0));
    }

    #[test]
    fn gaps_part_a_line() {
        let at = |x: f64| Some(Point::new(x, 0.0));
        let runs = runs(&[None, at(1.0), at(2.0), None, None, at(5.0)]);
        assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_smooth_line_stays_between_its_points() {
        let points = [(0.0, 0.0), (1.0, 10.0), (2.0, 10.0), (3.0, 0.0)].map(Point::from);
        let mut path = BezPath::new();
        join(&mut path, &points, Join::Smooth, true);
        let bounds = kurbo::Shape::bounding_box(&path);
        assert!(bounds.y0 >= -1e-9 && bounds.y1 <= 10.0 + 1e-9, "{bounds:?}");
    }
}
