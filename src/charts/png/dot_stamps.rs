//! Fast drawing of many equal dots.
//!
//! One coverage mask per sub-pixel position is computed first, and each dot blends one of them.

use kurbo::Point;

use crate::color::Color;
use crate::png::surface::{Mask, Surface};

/// Sub-pixel positions per axis. An error of an eighth of a pixel is invisible.
const SUBPIXEL_STEPS: usize = 4;

/// Draws a filled circle with a smooth edge around each of the points, without an outline.
///
/// Points and `radius` are in points, with `scale` pixels per point. The radius is limited to 0.3
/// to 64 pixels.
pub fn draw_dots(surface: &mut Surface, points: &[Point], radius: f64, scale: f64, fill: Color) {
    let radius = (radius * scale).clamp(0.3, 64.0);
    let reach = radius.ceil() as i64 + 1;
    let masks: Vec<Mask> = (0..SUBPIXEL_STEPS * SUBPIXEL_STEPS)
        .map(|position| {
            let (step_x, step_y) = (position % SUBPIXEL_STEPS, position / SUBPIXEL_STEPS);
            compute_mask(radius, reach, step_x as f64, step_y as f64)
        })
        .collect();
    for point in points {
        let (x, y) = (point.x * scale, point.y * scale);
        let (column, row) = (x.floor(), y.floor());
        let step =
            |fraction: f64| ((fraction * SUBPIXEL_STEPS as f64) as usize).min(SUBPIXEL_STEPS - 1);
        let mask = &masks[step(y - row) * SUBPIXEL_STEPS + step(x - column)];
        let corner = (column as i64 - reach, row as i64 - reach);
        surface.fill_mask(corner, mask, fill);
    }
}

/// Computes the square coverage mask of a dot with its center at a sub-pixel position, 0 to 3 on each axis.
///
/// `radius` is in pixels. `reach` is the number of pixels between the pixel of the center and the edge of
/// the mask.
fn compute_mask(radius: f64, reach: i64, step_x: f64, step_y: f64) -> Mask {
    let side = (2 * reach + 1) as usize;
    let center = |step: f64| reach as f64 + (step + 0.5) / SUBPIXEL_STEPS as f64;
    let (x, y) = (center(step_x), center(step_y));
    let coverage = |index: usize| {
        let dx = (index % side) as f64 + 0.5 - x;
        let dy = (index / side) as f64 + 0.5 - y;
        // The edge of a circle is almost straight within a pixel, so the distance gives the
        // coverage.
        let inside = radius + 0.5 - dx.hypot(dy);
        (inside.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Mask::new(side, (0..side * side).map(coverage).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::png::surface::Pixels;

    #[test]
    fn a_dot_covers_its_area_within_the_image() {
        let mut surface = Surface::default();
        surface.reset((20, 20), None);
        let points = [Point::new(10.0, 10.0), Point::new(0.0, 0.0), Point::new(1e4, -1e4)];
        draw_dots(&mut surface, &points[..1], 4.0, 1.0, Color::hex(0));
        let Pixels::Rgba(pixels) = surface.pixels() else { panic!("a transparent image is RGBA") };
        let area: f64 = pixels.chunks_exact(4).map(|pixel| f64::from(pixel[3]) / 255.0).sum();
        assert!((area - 16.0 * std::f64::consts::PI).abs() < 1.5, "{area}");
        draw_dots(&mut surface, &points, 4.0, 1.0, Color::hex(0));
    }
}
