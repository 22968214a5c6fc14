//! Crossings of straight lines and rectangles.

use kurbo::{Line, Point, Rect};

/// Returns whether a line segment crosses a rectangle or lies within it.
pub fn crosses_rect(line: Line, rect: Rect) -> bool {
    let down = Line::new((rect.x0, rect.y0), (rect.x1, rect.y1));
    let up = Line::new((rect.x0, rect.y1), (rect.x1, rect.y0));
    rect.contains(line.p0) || rect.contains(line.p1) || cross(line, down) || cross(line, up)
}

/// Returns whether two line segments have a common point. A touch counts.
pub fn cross(a: Line, b: Line) -> bool {
    let side = |line: Line, point: Point| (line.p1 - line.p0).cross(point - line.p0);
    // On the same straight line, the sides do not tell whether the lines are separate.
    Rect::from_points(a.p0, a.p1).overlaps(Rect::from_points(b.p0, b.p1))
        && side(a, b.p0) * side(a, b.p1) <= 0.0
        && side(b, a.p0) * side(b, a.p1) <= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_crosses_a_rectangle_without_an_end_in_it() {
        let rect = Rect::new(0.0, 0.0, 10.0, 4.0);
        for (from, to, expected) in [
            ((-1.0, 2.0), (11.0, 2.0), true),
            ((5.0, -1.0), (5.0, 9.0), true),
            ((1.0, 1.0), (2.0, 2.0), true),
            ((-1.0, 5.0), (11.0, 5.0), false),
            ((11.0, -1.0), (12.0, 9.0), false),
        ] {
            assert_eq!(crosses_rect(Line::new(from, to), rect), expected, "{from:?} {to:?}");
        }
    }

    #[test]
    fn lines_cross_at_a_common_point() {
        for (a, b, expected) in [
            (((0.0, 0.0), (4.0, 4.0)), ((0.0, 4.0), (4.0, 0.0)), true),
            (((0.0, 0.0), (4.0, 0.0)), ((2.0, 0.0), (2.0, 5.0)), true),
            (((0.0, 0.0), (4.0, 0.0)), ((2.0, 1.0), (2.0, 5.0)), false),
            // Parts of the same straight line.
            (((0.0, 0.0), (4.0, 2.0)), ((2.0, 1.0), (8.0, 4.0)), true),
            (((0.0, 0.0), (4.0, 2.0)), ((4.0, 2.0), (8.0, 4.0)), true),
            (((0.0, 0.0), (4.0, 2.0)), ((6.0, 3.0), (8.0, 4.0)), false),
            (((0.0, 0.0), (4.0, 0.0)), ((5.0, 0.0), (8.0, 0.0)), false),
            // Lines without length.
            (((0.0, 0.0), (4.0, 2.0)), ((2.0, 1.0), (2.0, 1.0)), true),
            (((0.0, 0.0), (4.0, 2.0)), ((6.0, 3.0), (6.0, 3.0)), false),
            (((1.0, 1.0), (1.0, 1.0)), ((1.0, 1.0), (1.0, 1.0)), true),
            (((1.0, 1.0), (1.0, 1.0)), ((3.0, 2.0), (3.0, 2.0)), false),
        ] {
            let (one, two) = (Line::new(a.0, a.1), Line::new(b.0, b.1));
            assert_eq!(cross(one, two), expected, "{a:?} {b:?}");
            assert_eq!(cross(two, one), expected, "{b:?} {a:?}");
        }
        // An extension of a diagonal of the rectangle.
        let line = Line::new((20.0, 8.0), (30.0, 12.0));
        assert!(!crosses_rect(line, Rect::new(0.0, 0.0, 10.0, 4.0)));
    }
}
