//! Clipping of polygons to a rectangle, so that no shape is far outside of the canvas.

use kurbo::{Point, Rect};

/// Returns the part of a ring inside a rectangle (Sutherland and Hodgman). The last point of a ring
/// is joined to the first one. Parts of the result may run along the edges of the rectangle. Empty
/// if the ring is outside.
pub fn clip_ring(ring: &[Point], rect: Rect) -> Vec<Point> {
    let is_inside = |point: &Point| {
        point.x >= rect.x0 && point.x <= rect.x1 && point.y >= rect.y0 && point.y <= rect.y1
    };
    if ring.iter().all(is_inside) {
        return ring.to_vec();
    }
    let left = clip_to_half_plane(ring, |point| point.x - rect.x0);
    let right = clip_to_half_plane(&left, |point| rect.x1 - point.x);
    let top = clip_to_half_plane(&right, |point| point.y - rect.y0);
    clip_to_half_plane(&top, |point| rect.y1 - point.y)
}

/// Returns the part of a ring in which `distance` is not negative. `distance` is the signed
/// distance of a point from the edge of the half-plane.
fn clip_to_half_plane(ring: &[Point], distance: impl Fn(Point) -> f64) -> Vec<Point> {
    let mut clipped = Vec::with_capacity(ring.len());
    let Some(mut before) = ring.last().copied() else { return clipped };
    for &point in ring {
        let (from, to) = (distance(before), distance(point));
        if (from < 0.0) != (to < 0.0) {
            clipped.push(before.lerp(point, from / (from - to)));
        }
        if to >= 0.0 {
            clipped.push(point);
        }
        before = point;
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_cut_at_the_edges() {
        let rect = Rect::new(0.0, 0.0, 10.0, 10.0);
        let square = |x0: f64, x1: f64| Rect::new(x0, 2.0, x1, 8.0);
        let ring = |rect: Rect| {
            [(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1), (rect.x0, rect.y1)]
                .map(Point::from)
        };
        assert_eq!(clip_ring(&ring(square(1.0, 9.0)), rect), ring(square(1.0, 9.0)));
        assert!(clip_ring(&ring(square(11.0, 19.0)), rect).is_empty());
        let cut = clip_ring(&ring(square(5.0, 15.0)), rect);
        assert!(cut.iter().all(|point| point.x <= 10.0) && cut.len() == 4, "{cut:?}");
    }
}
