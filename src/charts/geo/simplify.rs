//! Reduction of lines to the points that a canvas can show.

use kurbo::Point;

/// Returns the points of a line that differ from straight lines between the others by more than
/// `tolerance` (Douglas and Peucker). The ends remain, and of a closed line also the point farthest
/// from them.
pub fn simplify_line(points: &[Point], tolerance: f64) -> Vec<Point> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let last = points.len() - 1;
    let mut is_kept = vec![false; points.len()];
    keep(&mut is_kept, 0);
    keep(&mut is_kept, last);
    let mut ranges = vec![(0, last)];
    while let Some((start, end)) = ranges.pop() {
        let Some((index, distance)) = find_farthest(points, start, end) else { continue };
        // A closed line has the same ends. It must not become a point.
        let is_closed_line = start == 0 && end == last && points.first() == points.last();
        if distance > tolerance * tolerance || is_closed_line {
            keep(&mut is_kept, index);
            ranges.push((start, index));
            ranges.push((index, end));
        }
    }
    points.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(point, _)| *point).collect()
}

/// Sets the entry at `index` to true. Does nothing beyond the end.
fn keep(is_kept: &mut [bool], index: usize) {
    is_kept.get_mut(index).into_iter().for_each(|kept| *kept = true);
}

/// Returns the index of the point between two others with the largest distance to the line segment
/// between them, and the square of this distance. `start` and `end` are indices. None if there is
/// no point between them.
fn find_farthest(points: &[Point], start: usize, end: usize) -> Option<(usize, f64)> {
    let (from, to) = (*points.get(start)?, *points.get(end)?);
    let along = to - from;
    let length = along.hypot2();
    let mut farthest = None;
    let mut max_distance = -1.0;
    for (offset, point) in points.get(start + 1..end)?.iter().enumerate() {
        let offset_vector = *point - from;
        let share =
            if length > 0.0 { (offset_vector.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let distance = (offset_vector - along * share).hypot2();
        if distance > max_distance {
            max_distance = distance;
            farthest = Some((start + 1 + offset, distance));
        }
    }
    farthest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_near_a_straight_line_are_removed() {
        let line: Vec<Point> =
            (0..=100).map(|x| Point::new(f64::from(x), 0.1 * f64::from(x % 2))).collect();
        assert_eq!(simplify_line(&line, 0.3).len(), 2);
        assert_eq!(simplify_line(&line, 0.01).len(), 101);
    }

    #[test]
    fn an_island_keeps_its_shape() {
        let corners = [(0.0, 0.0), (5.0, 0.1), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0), (0.0, 0.0)];
        let island: Vec<Point> = corners.into_iter().map(Point::from).collect();
        assert_eq!(simplify_line(&island, 0.5).len(), 5);
        assert_eq!(simplify_line(&island, 50.0).len(), 3, "its farthest point remains");
    }
}
