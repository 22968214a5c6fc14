//! The pixels of an image while it is drawn.
//!
//! Most charts have few colors. Their pixels are indices into a palette, which take a quarter of
//! the memory of RGBA and a third of the time to compress. A surface changes to RGBA as soon as its
//! image needs more colors than the palette can hold.

use std::ops::Range;

use vello_common::strip_generator::StripStorage;
use vello_common::tile::Tile;

use crate::color::Color;
use crate::png::palette::Palette;

/// The pixels of an image, row by row.
pub enum Pixels<'a> {
    /// Indices into a palette of opaque colors.
    Indexed(&'a [u8], &'a [[u8; 3]]),
    /// Premultiplied RGBA.
    Rgba(&'a [u8]),
}

/// A rectangle of whole pixels. Empty if an end is not above its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRect {
    /// First column.
    pub x0: i64,
    /// First row.
    pub y0: i64,
    /// Column after the last one.
    pub x1: i64,
    /// Row after the last one.
    pub y1: i64,
}

impl PixelRect {
    /// Returns the pixels that are in both rectangles. The result has an end at or below its start
    /// if there are none.
    pub fn intersect(self, other: PixelRect) -> PixelRect {
        PixelRect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }
}

/// Coverage of the pixels of a small rectangle.
pub struct Mask {
    width: usize,
    /// Coverage of each pixel, row by row.
    coverage: Vec<u8>,
    /// Columns with coverage by row.
    covered: Vec<Range<usize>>,
}

impl Mask {
    /// Creates a mask from its width in pixels and the coverage of each pixel, row by row, 255 for
    /// a covered pixel.
    pub fn new(width: usize, coverage: Vec<u8>) -> Mask {
        let is_covered = |coverage: &u8| *coverage > 0;
        let covered_columns = |row: &[u8]| {
            let start = row.iter().position(is_covered).unwrap_or(0);
            start..row.iter().rposition(is_covered).map_or(start, |last| last + 1)
        };
        let covered = coverage.chunks(width.max(1)).map(covered_columns).collect();
        Mask { width, coverage, covered }
    }

    /// Returns the memory of the mask in bytes, without its fixed part.
    pub fn bytes(&self) -> usize {
        self.coverage.len() + self.covered.len() * size_of::<Range<usize>>()
    }
}

/// An image that is drawn.
#[derive(Default)]
pub struct Surface {
    width: usize,
    height: usize,
    clips: Vec<PixelRect>,
    is_indexed: bool,
    indices: Vec<u8>,
    palette: Palette,
    rgba: Vec<u8>,
}

impl Surface {
    /// Sets the size in pixels, and makes all pixels the color of the background, or transparent if
    /// it is None. Ends all clips. Pixels are palette indices if the background is opaque,
    /// otherwise RGBA.
    pub fn reset(&mut self, (width, height): (u16, u16), background: Option<Color>) {
        (self.width, self.height) = (usize::from(width), usize::from(height));
        let count = self.width * self.height;
        self.clips.clear();
        self.is_indexed = background.is_some_and(|color| color.a == 255);
        match background {
            Some(color) if self.is_indexed => {
                self.palette.reset(color);
                self.indices.clear();
                self.indices.resize(count, 0);
            }
            _ => {
                self.rgba.clear();
                self.rgba.resize(count * 4, 0);
                if let Some(color) = background {
                    self.rgba.chunks_exact_mut(4).for_each(|pixel| blend_rgba(pixel, color, 255));
                }
            }
        }
    }

    /// Returns the pixels of the whole image, also outside the current clip. They are palette
    /// indices with their palette, or premultiplied RGBA if the background is not opaque or the
    /// image has more colors than the palette can hold.
    pub fn pixels(&self) -> Pixels<'_> {
        if self.is_indexed {
            Pixels::Indexed(&self.indices, self.palette.colors())
        } else {
            Pixels::Rgba(&self.rgba)
        }
    }

    /// Limits drawing to the part of a rectangle in the current clip, until the matching
    /// `end_clip`.
    pub fn begin_clip(&mut self, rect: PixelRect) {
        let clip = self.clip().intersect(rect);
        self.clips.push(clip);
    }

    /// Ends the innermost clip. Does nothing if no clip is open.
    pub fn end_clip(&mut self) {
        self.clips.pop();
    }

    /// Returns the innermost clip, or the whole image if no clip is open.
    pub fn clip(&self) -> PixelRect {
        let whole = PixelRect { x0: 0, y0: 0, x1: self.width as i64, y1: self.height as i64 };
        self.clips.last().copied().unwrap_or(whole)
    }

    /// Blends a color over the part of a rectangle in the clip.
    pub fn fill_rect(&mut self, rect: PixelRect, color: Color) {
        let paint = self.select(color);
        self.fill_with(rect, paint);
    }

    /// Blends a color over the pixels in the clip that the strips of `vello_common` cover,
    /// including the filled gaps between strips.
    pub fn fill_strips(&mut self, strips: &StripStorage, color: Color) {
        let paint = self.select(color);
        for pair in strips.strips.windows(2) {
            let [strip, next] = pair else { continue };
            let width = strip.width_to(next);
            let start = strip.alpha_idx() as usize;
            let coverages = &strips.alphas[start..start + usize::from(width) * ROWS];
            let (x0, y0) = (i64::from(strip.x), i64::from(strip.y));
            let (end, y1) = (x0 + i64::from(width), y0 + ROWS as i64);
            let visible = PixelRect { x0, y0, x1: end, y1 }.intersect(self.clip());
            if visible.x0 < visible.x1 {
                for y in visible.y0..visible.y1 {
                    let first = (visible.x0 - x0) as usize * ROWS + (y - y0) as usize;
                    let pixels = self.offset(visible.x0, y)..self.offset(visible.x1, y);
                    self.blend::<ROWS>(pixels, &coverages[first..], paint);
                }
            }
            if next.fill_gap() && next.y == strip.y {
                self.fill_with(PixelRect { x0: end, y0, x1: i64::from(next.x), y1 }, paint);
            }
        }
    }

    /// Blends a color over the pixels in the clip that a mask covers, with its top left corner at
    /// (`left`, `top`) of the image.
    pub fn fill_mask(&mut self, (left, top): (i64, i64), mask: &Mask, color: Color) {
        let (clip, paint) = (self.clip(), self.select(color));
        for ((row, columns), y) in mask.covered.iter().enumerate().zip(top..) {
            let x0 = clip.x0.max(left + columns.start as i64);
            let x1 = clip.x1.min(left + columns.end as i64);
            if x0 < x1 && (clip.y0..clip.y1).contains(&y) {
                let first = row * mask.width + (x0 - left) as usize;
                let pixels = self.offset(x0, y)..self.offset(x1, y);
                self.blend::<1>(pixels, &mask.coverage[first..], paint);
            }
        }
    }

    /// Blends premultiplied RGBA pixels over a rectangle of the same size. Pixels outside the clip
    /// stay.
    pub fn draw_pixels(&mut self, rect: PixelRect, pixels: &[u8]) {
        let clip = rect.intersect(self.clip());
        let width = (rect.x1 - rect.x0).max(1) as usize;
        for (row, y) in pixels.chunks_exact(width * 4).zip(rect.y0..) {
            for (source, x) in row.chunks_exact(4).zip(rect.x0..) {
                if (clip.x0..clip.x1).contains(&x) && (clip.y0..clip.y1).contains(&y) {
                    self.draw_pixel(self.offset(x, y), source);
                }
            }
        }
    }

    /// Blends a premultiplied RGBA pixel over the pixel with the index `offset`. Converts the image
    /// to RGBA if the palette has no room for the resulting color.
    fn draw_pixel(&mut self, offset: usize, source: &[u8]) {
        let transparency = 255 - u16::from(source[3]);
        let mix = |below: u8, above: u8| {
            above.saturating_add(((u16::from(below) * transparency + 127) / 255) as u8)
        };
        if self.is_indexed {
            let [r, g, b] = self.palette.color(self.indices[offset]);
            let color = [mix(r, source[0]), mix(g, source[1]), mix(b, source[2])];
            match self.palette.find_exact(color) {
                Some(index) => {
                    self.indices[offset] = index;
                    return;
                }
                None => self.convert_to_rgba(),
            }
        }
        for (below, above) in self.rgba[offset * 4..offset * 4 + 4].iter_mut().zip(source) {
            *below = mix(*below, *above);
        }
    }

    /// Returns the paint for a color, which may add the color to the palette. Valid until the next
    /// one is selected.
    pub fn select(&mut self, color: Color) -> Paint {
        if !self.is_indexed {
            return Paint { color, table: 0, index: None };
        }
        let index = match color.a {
            255 => self.palette.find_exact([color.r, color.g, color.b]),
            _ => None,
        };
        Paint { color, table: self.palette.select(color), index }
    }

    /// Blends a paint over neighboring pixels of a row. `coverages` has the coverage of each pixel
    /// from (x, y) to the right, 255 for a covered pixel. The pixels must be within the image,
    /// because they are not clipped here.
    pub fn blend_coverage(&mut self, (x, y): (i64, i64), coverages: &[u8], paint: Paint) {
        let first = self.offset(x, y);
        self.blend::<1>(first..first + coverages.len(), coverages, paint);
    }

    /// Returns the index of the pixel in column `x` and row `y` in the image, in pixels and not in
    /// bytes.
    fn offset(&self, x: i64, y: i64) -> usize {
        y as usize * self.width + x as usize
    }

    /// Blends a paint with full coverage over the part of a rectangle in the clip.
    fn fill_with(&mut self, rect: PixelRect, paint: Paint) {
        let PixelRect { x0, y0, x1, y1 } = rect.intersect(self.clip());
        if x0 >= x1 {
            return;
        }
        for y in y0..y1 {
            let pixels = self.offset(x0, y)..self.offset(x1, y);
            match paint.index {
                Some(index) if self.is_indexed => self.indices[pixels].fill(index),
                _ => self.blend::<0>(pixels, &[255], paint),
            }
        }
    }

    /// Blends a paint over a range of pixel indices, without clipping. The coverage of the pixel
    /// `i` of the range is `coverages[i * STEP]`. Converts the image to RGBA if the palette has no
    /// room for a new color.
    fn blend<const STEP: usize>(&mut self, pixels: Range<usize>, coverages: &[u8], paint: Paint) {
        let mut done = 0;
        if self.is_indexed {
            let indices = &mut self.indices[pixels.clone()];
            done = self.palette.blend::<STEP>(paint.table, indices, coverages);
            if done == pixels.len() {
                return;
            }
            self.convert_to_rgba();
        }
        let rgba = &mut self.rgba[(pixels.start + done) * 4..pixels.end * 4];
        for (pixel, index) in rgba.chunks_exact_mut(4).zip(done..) {
            let coverage = coverages[index * STEP];
            if coverage > 0 {
                blend_rgba(pixel, paint.color, coverage);
            }
        }
    }

    /// Replaces the indices by opaque RGBA pixels, until the next reset.
    #[cold]
    fn convert_to_rgba(&mut self) {
        self.is_indexed = false;
        let colors: [[u8; 4]; 256] = std::array::from_fn(|index| {
            let [r, g, b] = self.palette.color(index as u8);
            [r, g, b, 255]
        });
        self.rgba.resize(self.indices.len() * 4, 255);
        for (pixel, index) in self.rgba.chunks_exact_mut(4).zip(&self.indices) {
            pixel.copy_from_slice(&colors[usize::from(*index)]);
        }
    }
}

/// Number of rows of a strip.
const ROWS: usize = Tile::HEIGHT as usize;

/// A color to draw with.
#[derive(Clone, Copy)]
pub struct Paint {
    color: Color,
    /// Number of its blend table in the palette.
    table: usize,
    /// Index in the palette. None if the color is translucent or the palette is full.
    index: Option<u8>,
}

/// Blends a color over a premultiplied RGBA pixel. `coverage` is 255 for a covered pixel.
#[inline]
fn blend_rgba(pixel: &mut [u8], color: Color, coverage: u8) {
    let alpha = (u32::from(coverage) * u32::from(color.a) + 127) / 255;
    let channels = [color.r, color.g, color.b, 255].map(u32::from);
    for (below, above) in pixel.iter_mut().zip(channels) {
        *below = ((above * alpha + u32::from(*below) * (255 - alpha) + 127) / 255) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::WHITE;

    const SIZE: (u16, u16) = (40, 30);
    const WHOLE: PixelRect = PixelRect { x0: 0, y0: 0, x1: 40, y1: 30 };

    /// Returns the red, green and blue of a pixel.
    fn color_at(surface: &Surface, x: usize, y: usize) -> [u8; 3] {
        let offset = y * 40 + x;
        match surface.pixels() {
            Pixels::Indexed(indices, palette) => palette[usize::from(indices[offset])],
            Pixels::Rgba(rgba) => [rgba[offset * 4], rgba[offset * 4 + 1], rgba[offset * 4 + 2]],
        }
    }

    #[test]
    fn images_with_many_colors_change_to_rgba_and_keep_their_pixels() {
        let mut surface = Surface::default();
        surface.reset(SIZE, Some(WHITE));
        let color = |index: i64| Color::hex((index as u32 * 0x01_0307) & 0xff_ffff);
        for index in 0..600 {
            let (x0, y0) = (index % 40, index / 40);
            surface.fill_rect(PixelRect { x0, y0, x1: x0 + 1, y1: y0 + 1 }, color(index));
            let is_indexed = matches!(surface.pixels(), Pixels::Indexed(..));
            assert_eq!(is_indexed, index < 255, "after {index} colors");
        }
        for index in 0..600 {
            let Color { r, g, b, .. } = color(index);
            assert_eq!(color_at(&surface, index as usize % 40, index as usize / 40), [r, g, b]);
        }
        assert_eq!(color_at(&surface, 39, 29), [255; 3]);
    }

    #[test]
    fn clips_limit_drawing_and_end_in_order() {
        let mut surface = Surface::default();
        surface.reset(SIZE, Some(WHITE));
        surface.begin_clip(PixelRect { x0: 5, y0: 5, x1: 20, y1: 20 });
        surface.begin_clip(PixelRect { x0: 10, y0: 0, x1: 40, y1: 30 });
        surface.fill_rect(WHOLE, Color::hex(0xff0000));
        surface.end_clip();
        assert_eq!(color_at(&surface, 10, 5), [255, 0, 0]);
        assert_eq!(color_at(&surface, 9, 5), [255; 3]);
        assert_eq!(color_at(&surface, 20, 5), [255; 3]);
        surface.fill_rect(WHOLE, Color::hex(0x0000ff));
        surface.end_clip();
        surface.end_clip();
        assert_eq!(color_at(&surface, 5, 5), [0, 0, 255]);
        assert_eq!(color_at(&surface, 4, 5), [255; 3]);
    }

    #[test]
    fn masks_beyond_the_image_are_cut_off() {
        let mut surface = Surface::default();
        surface.reset(SIZE, Some(WHITE));
        let mask = Mask::new(3, vec![255; 9]);
        for corner in [(-2, -2), (39, 29), (-9, 4), (i64::from(i32::MAX), 0)] {
            surface.fill_mask(corner, &mask, Color::hex(0));
        }
        assert_eq!(color_at(&surface, 0, 0), [0; 3]);
        assert_eq!(color_at(&surface, 1, 1), [255; 3]);
        assert_eq!(color_at(&surface, 39, 29), [0; 3]);
    }
}
