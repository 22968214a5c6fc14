//! Points and sectors of circles and rings.

use std::f64::consts::FRAC_PI_2;

use kurbo::{Arc, BezPath, Point, Vec2};

/// Maximum distance in points between a curve and the exact circle.
const TOLERANCE: f64 = 0.01;

/// Returns the point on a circle at an angle in radians, clockwise from twelve o'clock. `radius` is
/// in points.
pub fn point_on_circle(center: Point, radius: f64, angle: f64) -> Point {
    center + Vec2::new(angle.sin(), -angle.cos()) * radius
}

/// Returns the closed sector of a ring between two angles in radians, clockwise from twelve
/// o'clock.
///
/// `radii` are the outer and the inner radius in points. An inner radius of 0 gives a sector of the
/// full circle, with a corner at the center.
pub fn sector(center: Point, radii: (f64, f64), (from, to): (f64, f64)) -> BezPath {
    let (outer, inner) = radii;
    let mut path = BezPath::new();
    path.move_to(point_on_circle(center, outer, from));
    let arc =
        |radius, from: f64, sweep| Arc::new(center, (radius, radius), from - FRAC_PI_2, sweep, 0.0);
    path.extend(arc(outer, from, to - from).append_iter(TOLERANCE));
    if inner > 0.0 {
        path.line_to(point_on_circle(center, inner, to));
        path.extend(arc(inner, to, from - to).append_iter(TOLERANCE));
    } else {
        path.line_to(center);
    }
    path.close_path();
    path
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use kurbo::Shape as _;

    use super::*;

    #[test]
    fn a_sector_has_the_expected_area() {
        let center = Point::new(50.0, 50.0);
        let quarter = sector(center, (10.0, 0.0), (0.0, FRAC_PI_2)).area().abs();
        assert!((quarter - 25.0 * PI).abs() < 0.1, "{quarter}");
        let half = sector(center, (10.0, 5.0), (-FRAC_PI_2, FRAC_PI_2)).area().abs();
        assert!((half - 37.5 * PI).abs() < 0.1, "{half}");
    }
}
