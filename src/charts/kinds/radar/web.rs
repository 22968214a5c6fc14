//! Geometry of the radar chart: the spokes around the center.

use std::f64::consts::{FRAC_PI_2, TAU};

use kurbo::Point;

use crate::scale::LinearScale;

/// The spokes and the scale along them.
pub struct Web {
    pub center: Point,
    /// Converts values to distances from the center in points.
    pub scale: LinearScale,
    pub spoke_count: usize,
    /// Whether the gridlines are circles instead of polygons.
    pub is_circular: bool,
}

impl Web {
    /// Returns the direction of a spoke as a unit vector.
    pub fn spoke_direction(&self, spoke: usize) -> (f64, f64) {
        spoke_direction(spoke, self.spoke_count)
    }

    /// Returns the point on a spoke at this distance from the center.
    pub fn point(&self, spoke: usize, distance: f64) -> Point {
        let (x, y) = self.spoke_direction(spoke);
        Point::new(self.center.x + x * distance, self.center.y + y * distance)
    }
}

/// Returns the direction of one of `spoke_count` spokes as a unit vector. The first one points up,
/// the others follow clockwise.
pub fn spoke_direction(spoke: usize, spoke_count: usize) -> (f64, f64) {
    let angle = TAU * spoke as f64 / spoke_count.max(1) as f64 - FRAC_PI_2;
    let (sin, cos) = angle.sin_cos();
    (cos, sin)
}
