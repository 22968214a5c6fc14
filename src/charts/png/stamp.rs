//! Many equal dots, blended from a few masks drawn before, one a sub-pixel place.

use kurbo::Point;

use crate::color::Color;

/// Sub-pixel places along each axis; a quarter of a pixel is finer than the eye.
const PHASES: usize = 4;

/// Coverage of a dot whose centre lies a fraction of a pixel beside a pixel's corner.
struct Mask {
    side: usize,
    cover: Vec<u8>,
}

/// Blends a dot of `radius` points (at `scale` pixels a point) over premultiplied RGBA pixels
/// at each of the points.
pub fn dots(
    pixels: &mut [u8],
    (width, height): (u16, u16),
    points: &[Point],
    (radius, scale): (f64, f64),
    fill: Color,
) {
    let radius = (radius * scale).clamp(0.3, 64.0);
    let reach = radius.ceil() as i64 + 1;
    let masks: Vec<Mask> = (0..PHASES * PHASES)
        .map(|at| mask(radius, reach, (at % PHASES) as f64, (at / PHASES) as f64))
        .collect();
    for point in points {
        let (x, y) = (point.x * scale, point.y * scale);
        let (column, row) = (x.floor(), y.floor());
        let phase = |rest: f64| ((rest * PHASES as f64) as usize).min(PHASES - 1);
        let mask = &masks[phase(y - row) * PHASES + phase(x - column)];
        let corner = (column as i64 - reach, row as i64 - reach);
        blend(pixels, (i64::from(width), i64::from(height)), corner, mask, fill);
    }
}

fn mask(radius: f64, reach: i64, phase_x: f64, phase_y: f64) -> Mask {
    let side = (2 * reach + 1) as usize;
    let center = |phase: f64| reach as f64 + (phase + 0.5) / PHASES as f64;
    let (x, y) = (center(phase_x), center(phase_y));
    let cover = |index: usize| {
        let across = (index % side) as f64 + 0.5 - x;
        let down = (index / side) as f64 + 0.5 - y;
        // The edge of a circle is nearly straight across a pixel: distance is coverage.
        let inside = radius + 0.5 - across.hypot(down);
        (inside.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Mask { side, cover: (0..side * side).map(cover).collect() }
}

fn blend(
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
        let covers = &mask.cover[(y * side + from_x) as usize..(y * side + to_x) as usize];
        for (pixel, cover) in row.chunks_exact_mut(4).zip(covers) {
            if *cover == 0 {
                continue;
            }
            let alpha = (u32::from(*cover) * u32::from(fill.a) + 127) / 255;
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
    fn a_dot_covers_its_area_and_stays_inside() {
        let mut pixels = vec![0u8; 20 * 20 * 4];
        let points = [Point::new(10.0, 10.0), Point::new(0.0, 0.0), Point::new(1e4, -1e4)];
        dots(&mut pixels, (20, 20), &points[..1], (4.0, 1.0), Color::hex(0));
        let area: f64 = pixels.chunks_exact(4).map(|it| f64::from(it[3]) / 255.0).sum();
        assert!((area - 16.0 * std::f64::consts::PI).abs() < 1.5, "{area}");
        dots(&mut pixels, (20, 20), &points, (4.0, 1.0), Color::hex(0));
    }
}
