//! Geometry of the radar chart: the spokes around the center.

use std::f64::consts::{FRAC_PI_2, TAU};

use kurbo::{Point, Vec2};

use crate::scale::LinearScale;

/// The spokes and the scale along them.
pub struct Web {
    /// Point at which the spokes start.
    pub center: Point,
    /// Converts values to distances from the center in points.
    pub scale: LinearScale,
    /// Number of spokes, one per criterion.
    pub spoke_count: usize,
    /// Whether the gridlines are circles instead of polygons.
    pub is_circular: bool,
}

impl Web {
    /// Returns the direction of a spoke as a unit vector. Spoke 0 points up, the others follow
    /// clockwise.
    pub fn spoke_direction(&self, spoke: usize) -> Vec2 {
        spoke_direction(spoke, self.spoke_count)
    }

    /// Returns the point on a spoke at this distance from the center, in points.
    pub fn point(&self, spoke: usize, distance: f64) -> Point {
        self.center + self.spoke_direction(spoke) * distance
    }
}

/// Returns the direction of one of `spoke_count` evenly spaced spokes as a unit vector, with y
/// downwards. Spoke 0 points up, the others follow clockwise.
pub fn spoke_direction(spoke: usize, spoke_count: usize) -> Vec2 {
    let angle = TAU * spoke as f64 / spoke_count.max(1) as f64 - FRAC_PI_2;
    let (sin, cos) = angle.sin_cos();
    Vec2::new(cos, sin)
}
