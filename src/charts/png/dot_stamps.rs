//! Fast drawing of many equal dots.
//!
//! One coverage mask per sub-pixel position is computed first, and each dot blends one of them.

use kurbo::Point;

use crate::color::Color;

/// Sub-pixel positions per axis. An error of an eighth of a pixel is invisible.
const SUBPIXEL_STEPS: usize = 4;

/// Coverage mask of a dot at one sub-pixel position.
struct Mask {
    /// Width and height in pixels.
    side: usize,
    /// Coverage of each pixel, row by row, 255 for a covered pixel.
    coverage: Vec<u8>,
}

/// Blends a dot at each of the points over premultiplied RGBA pixels. Parts beyond the image are
/// skipped.
///
/// Points and `radius` are in points, with `scale` pixels per point. The radius is limited to 0.3
/// to 64 pixels.
pub fn blend_dots(
    pixels: &mut [u8],
    (width, height): (u16, u16),
    points: &[Point],
    radius: f64,
    scale: f64,
    fill: Color,
) {
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
        blend_mask(pixels, (i64::from(width), i64::from(height)), corner, mask, fill);
    }
}

/// Computes the mask of a dot with its center at a sub-pixel position, 0 to 3 on each axis.
///
/// `radius` is in pixels. `reach` is the number of pixels from the center to the edge of the mask.
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
    Mask { side, coverage: (0..side * side).map(coverage).collect() }
}

/// Blends a mask in one color over the pixels, with its top left corner at (`left`, `top`). Cuts
/// off the parts beyond the image.
fn blend_mask(
    pixels: &mut [u8],
    (width, height): (i64, i64),
    (left, top): (i64, i64),
    mask: &Mask,
    fill: Color,
) {
    let side = mask.side as i64;
    let (from_x, to_x) = ((-left).clamp(0, side), (width - left).clamp(0, side));
    let (from_y, to_y) = ((-top).clamp(0, side), (height - top).clamp(0, side));
    if from_x >= to_x {
        return;
    }
    let channels = [fill.r, fill.g, fill.b, 255].map(u32::from);
    for y in from_y..to_y {
        let start = ((top + y) * width + left + from_x) as usize * 4;
        let end = ((top + y) * width + left + to_x) as usize * 4;
        let row = &mut pixels[start..end];
        let coverages = &mask.coverage[(y * side + from_x) as usize..(y * side + to_x) as usize];
        for (pixel, coverage) in row.chunks_exact_mut(4).zip(coverages) {
            if *coverage == 0 {
                continue;
            }
            let alpha = (u32::from(*coverage) * u32::from(fill.a) + 127) / 255;
            for (below, above) in pixel.iter_mut().zip(channels) {
                *below = ((above * alpha + u32::from(*below) * (255 - alpha) + 127) / 255) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_covers_its_area_within_the_image() {
        let mut pixels = vec![0u8; 20 * 20 * 4];
        let points = [Point::new(10.0, 10.0), Point::new(0.0, 0.0), Point::new(1e4, -1e4)];
        blend_dots(&mut pixels, (20, 20), &points[..1], 4.0, 1.0, Color::hex(0));
        let area: f64 = pixels.chunks_exact(4).map(|pixel| f64::from(pixel[3]) / 255.0).sum();
        assert!((area - 16.0 * std::f64::consts::PI).abs() < 1.5, "{area}");
        blend_dots(&mut pixels, (20, 20), &points, 4.0, 1.0, Color::hex(0));
    }
}
