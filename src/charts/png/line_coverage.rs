//! Fast drawing of solid lines with round joins and caps, such as the thousand segments of a line
//! chart.
//!
//! Expanding such a line to an outline and sorting the edges of that takes four times as long.
//! Here, the coverage of a pixel follows from its distance to the nearest segment.

use kurbo::{Point, Vec2};

use crate::color::Color;
use crate::png::surface::{PixelRect, Surface};

/// Number of columns of a cell. Only touched cells of a row are blended.
const CELL_COLUMNS: usize = 16;

/// Number of neighboring pixels that are computed together. Divides [`CELL_COLUMNS`].
const BLOCK_COLUMNS: usize = 8;

/// Reusable coverage of the pixels around a line. All zero between two lines.
#[derive(Default)]
pub struct LineCoverage {
    /// Coverage of each pixel of the rectangle around the line, row by row.
    coverage: Vec<u8>,
    /// Whether a cell may have coverage, row by row.
    touched: Vec<bool>,
}

/// A line of one width in the rectangle of pixels around it.
struct LineRaster<'a> {
    buffers: &'a mut LineCoverage,
    area: PixelRect,
    /// Number of pixels of a row of the buffer, at least those of the rectangle: a multiple of
    /// [`CELL_COLUMNS`].
    row_length: usize,
    /// Half of the width of the line in pixels.
    radius: f32,
}

impl LineCoverage {
    /// Draws a solid line through points, which are in pixels, with round joins and caps, within
    /// the clip of the surface. `width` is in pixels. A single point gives a dot, and no point
    /// draws nothing. Where the line crosses itself, a translucent color is blended only once.
    pub fn draw(&mut self, surface: &mut Surface, points: &[Point], width: f64, color: Color) {
        let reach = width / 2.0 + 0.5;
        let ends = |coordinate: fn(&Point) -> f64| {
            let coordinates = || points.iter().map(coordinate);
            let start = coordinates().fold(f64::INFINITY, f64::min) - reach;
            let end = coordinates().fold(f64::NEG_INFINITY, f64::max) + reach;
            (start.floor() as i64, end.ceil() as i64)
        };
        let ((x0, x1), (y0, y1)) = (ends(|point| point.x), ends(|point| point.y));
        let area = PixelRect { x0, y0, x1, y1 }.intersect(surface.clip());
        if points.is_empty() || area.x0 >= area.x1 || area.y0 >= area.y1 {
            return;
        }
        let row_length = ((area.x1 - area.x0) as usize).next_multiple_of(CELL_COLUMNS);
        let pixels = row_length * (area.y1 - area.y0) as usize;
        if self.coverage.len() < pixels {
            self.coverage.resize(pixels, 0);
            self.touched.resize(pixels / CELL_COLUMNS, false);
        }
        let radius = (width / 2.0) as f32;
        let mut raster = LineRaster { buffers: self, area, row_length, radius };
        match points {
            [only] => raster.cover_segment(*only, *only),
            _ => points.windows(2).for_each(|pair| raster.cover_segment(pair[0], pair[1])),
        }
        raster.blend(surface, color);
    }
}

impl LineRaster<'_> {
    /// Raises the buffered coverage of the pixels near a segment, and marks their cells as touched.
    /// The surface does not change. Ignores a segment with an end that is not finite.
    fn cover_segment(&mut self, from: Point, to: Point) {
        if !from.is_finite() || !to.is_finite() {
            return;
        }
        let reach = f64::from(self.radius) + 0.5;
        let first_row = ((from.y.min(to.y) - reach).floor() as i64).max(self.area.y0);
        let end_row = ((from.y.max(to.y) + reach).ceil() as i64).min(self.area.y1);
        for row in first_row..end_row {
            let middle = row as f64 + 0.5;
            // Position along the segment, 0 to 1, where it comes near the row and leaves it.
            let position = |y: f64| match to.y - from.y {
                height if height.abs() < 1e-9 => None,
                height => Some(((y - from.y) / height).clamp(0.0, 1.0)),
            };
            let (start, end) =
                position(middle - reach).zip(position(middle + reach)).unwrap_or((0.0, 1.0));
            let (one, other) = (from.lerp(to, start).x, from.lerp(to, end).x);
            let first = ((one.min(other) - reach).floor() as i64).max(self.area.x0);
            let last = ((one.max(other) + reach).ceil() as i64).min(self.area.x1);
            if first < last {
                let offset = (row - self.area.y0) as usize * self.row_length;
                let start = (first - self.area.x0) as usize / BLOCK_COLUMNS * BLOCK_COLUMNS;
                let end = ((last - self.area.x0) as usize).next_multiple_of(BLOCK_COLUMNS);
                let left = (self.area.x0 + start as i64) as f64 + 0.5;
                let (start, end) = (offset + start, offset + end);
                self.buffers.touched[start / CELL_COLUMNS..=(end - 1) / CELL_COLUMNS].fill(true);
                let pixels = &mut self.buffers.coverage[start..end];
                cover_row(pixels, Point::new(left, middle), (from, to), self.radius);
            }
        }
    }

    /// Blends a color over the covered pixels of the surface, and makes the buffered coverage zero
    /// again.
    fn blend(self, surface: &mut Surface, color: Color) {
        let PixelRect { x0, y0, x1, y1 } = self.area;
        let cells_per_row = self.row_length / CELL_COLUMNS;
        let LineCoverage { coverage, touched } = self.buffers;
        let paint = surface.select(color);
        let rows =
            coverage.chunks_exact_mut(self.row_length).zip(touched.chunks_exact_mut(cells_per_row));
        for ((coverage, touched), y) in rows.zip(y0..y1) {
            let cells = coverage.chunks_exact_mut(CELL_COLUMNS).zip(touched);
            for ((coverage, is_touched), x) in cells.zip((x0..).step_by(CELL_COLUMNS)) {
                if *is_touched {
                    let length = (x1 - x).min(CELL_COLUMNS as i64) as usize;
                    surface.blend_coverage((x, y), &coverage[..length], paint);
                    coverage.fill(0);
                    *is_touched = false;
                }
            }
        }
    }
}

/// Raises the coverage of neighboring pixels of one row to that of a segment, where it is higher.
/// `first` is the center of the first pixel, and `pixels` has whole blocks. The segment has round
/// caps.
///
/// The distances of the first pixel of a block have 64 bits, and those of the others 32.
fn cover_row(pixels: &mut [u8], first: Point, (from, to): (Point, Point), radius: f32) {
    let length = from.distance(to);
    // A segment without length is a point.
    let direction = if length > 1e-9 { (to - from) / length } else { Vec2::new(1.0, 0.0) };
    let steps = (direction.x as f32, direction.y as f32);
    for (block, index) in pixels.chunks_exact_mut(BLOCK_COLUMNS).zip(0u32..) {
        let offset = first + Vec2::new(f64::from(index) * BLOCK_COLUMNS as f64, 0.0) - from;
        let (along, across) = (offset.dot(direction), offset.cross(direction));
        let distances = (across as f32, -along as f32, (along - length) as f32);
        let covered = compute_block(distances, steps, radius);
        for (pixel, covered) in block.iter_mut().zip(covered) {
            *pixel = (*pixel).max(covered);
        }
    }
}

/// Returns the coverage of the pixels of a block: 0 to 255.
///
/// `across`, `before` and `after` are the distances of the first pixel from the straight line through
/// the segment, and along it from the start (positive before it) and the end (positive after it), in
/// pixels. `along_step` and `across_step` are the changes of the position along
/// and across the segment from pixel to pixel.
///
/// Written so that the compiler can use SIMD: without branches, and with comparisons instead of
/// `f32::max`, which must handle NaN.
fn compute_block(
    (across, before, after): (f32, f32, f32),
    (along_step, across_step): (f32, f32),
    radius: f32,
) -> [u8; BLOCK_COLUMNS] {
    let max = |one: f32, other: f32| if one > other { one } else { other };
    let min = |one: f32, other: f32| if one < other { one } else { other };
    let mut covered = [0.0; BLOCK_COLUMNS];
    for (index, covered) in covered.iter_mut().enumerate() {
        let column = index as f32;
        let across = across + across_step * column;
        let beyond = max(max(before - along_step * column, after + along_step * column), 0.0);
        let distance = (across * across + beyond * beyond).sqrt();
        // Part of the pixel between the edges of the line, which are almost straight within it.
        *covered = max(min(distance + 0.5, radius) - max(distance - 0.5, -radius), 0.0);
    }
    // Above 2^23, the last bit of a 32-bit number is worth 1, so that the sum is rounded.
    covered.map(|covered| (min(covered, 1.0) * 255.0 + 8_388_608.0).to_bits() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::png::surface::Pixels;

    /// Draws a line on a transparent canvas of 60 x 40 pixels and returns the alpha of each pixel.
    fn draw(points: &[Point], width: f64, clip: Option<PixelRect>) -> Vec<u8> {
        let mut surface = Surface::default();
        surface.reset((60, 40), None);
        if let Some(clip) = clip {
            surface.begin_clip(clip);
        }
        let mut buffers = LineCoverage::default();
        buffers.draw(&mut surface, points, width, Color::hex(0));
        assert!(buffers.coverage.iter().all(|coverage| *coverage == 0));
        assert!(buffers.touched.iter().all(|touched| !touched));
        let Pixels::Rgba(pixels) = surface.pixels() else { panic!("a transparent image is RGBA") };
        pixels.chunks_exact(4).map(|pixel| pixel[3]).collect()
    }

    fn area(alpha: &[u8]) -> f64 {
        alpha.iter().map(|alpha| f64::from(*alpha) / 255.0).sum()
    }

    #[test]
    fn a_line_covers_its_length_times_its_width_and_round_caps() {
        for (from, to) in [
            ((10.0, 10.0), (50.0, 30.0)),
            ((10.3, 20.0), (49.0, 20.2)),
            ((30.0, 5.0), (30.0, 35.0)),
        ] {
            for width in [0.4, 1.0, 3.0, 6.5] {
                let (from, to): (Point, Point) = (from.into(), to.into());
                let caps = std::f64::consts::PI * width * width / 4.0;
                let expected = from.distance(to) * width + caps;
                let found = area(&draw(&[from, to], width, None));
                assert!((found / expected - 1.0).abs() < 0.06, "{found} of {expected}, {width}");
            }
        }
    }

    #[test]
    fn joins_are_round_and_crossings_count_once() {
        let points = [(10.0, 10.0), (50.0, 10.0), (30.0, 30.0), (30.0, 2.0)].map(Point::from);
        let alpha = draw(&points, 4.0, None);
        let at = |x: usize, y: usize| alpha[y * 60 + x];
        assert_eq!([at(30, 10), at(50, 9), at(30, 29)], [255; 3]);
        // The outer corner of the join at (50, 10), which a miter would fill.
        assert_eq!(at(53, 8), 0);
        assert_eq!(at(40, 15), 0);
    }

    #[test]
    fn points_far_away_and_clips_cut_the_line() {
        let points = [(-1e9, 20.0), (1e9, 20.0)].map(Point::from);
        assert_eq!(area(&draw(&points, 2.0, None)), 120.0);
        let clip = PixelRect { x0: 5, y0: 0, x1: 25, y1: 20 };
        assert_eq!(area(&draw(&points, 2.0, Some(clip))), 20.0);
        assert_eq!(area(&draw(&[Point::new(f64::NAN, 1.0), Point::new(2.0, 2.0)], 2.0, None)), 0.0);
        assert_eq!(area(&draw(&[], 2.0, None)), 0.0);
        assert!(area(&draw(&[Point::new(20.0, 20.0)], 6.0, None)) > 27.0);
    }
}
