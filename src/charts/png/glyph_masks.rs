//! Fast drawing of the glyphs of horizontal text.
//!
//! Charts repeat the same digits and letters in a few sizes. The coverage of a glyph is computed once per
//! sub-pixel position, and each occurrence blends it. Equal pixels of equal glyphs also make smaller files.

use std::collections::HashMap;

use kurbo::{Affine, BezPath, Point, Shape};
use vello_common::fearless_simd::Level;
use vello_common::peniko::Fill;
use vello_common::strip_generator::{StripGenerator, StripStorage};
use vello_common::tile::Tile;

use crate::color::Color;
use crate::png::surface::{Mask, Surface};

/// Sub-pixel positions per axis. An error of an eighth of a pixel is invisible.
const SUBPIXEL_STEPS: f64 = 4.0;
/// Maximum width and height of a mask in pixels. Larger glyphs are rare.
const MAX_SIDE: u16 = 128;
/// Maximum number of bytes of all masks.
const MAX_BYTES: usize = 1 << 20;
/// Memory of a mask in bytes, besides its coverage.
const MASK_BYTES: usize = 200;

/// The masks of glyphs that were drawn before, until there are too many.
pub struct GlyphMasks {
    masks: HashMap<GlyphKey, GlyphMask>,
    bytes: usize,
    generator: StripGenerator,
    strips: StripStorage,
}

/// A glyph at a sub-pixel position.
#[derive(PartialEq, Eq, Hash)]
struct GlyphKey {
    /// Address of the outline, which never moves.
    outline: usize,
    /// Bits of the font size in pixels.
    size: u64,
    /// Sub-pixel positions of the origin.
    step: [u8; 2],
}

/// Coverage of a glyph.
struct GlyphMask {
    /// None if the glyph is too large.
    mask: Option<Mask>,
    /// Distance of the top left corner from the pixel of the origin.
    corner: (i64, i64),
}

impl GlyphMasks {
    /// Creates an empty store.
    pub fn new() -> GlyphMasks {
        GlyphMasks {
            masks: HashMap::new(),
            bytes: 0,
            generator: StripGenerator::new(MAX_SIDE, MAX_SIDE, Level::new()),
            strips: StripStorage::default(),
        }
    }

    /// Draws a glyph with its outline in em and its origin at a point, moved by at most an eighth of a
    /// pixel. `origin` and `size`, the length of an em, are in pixels. Keeps the coverage, so that the
    /// next equal glyph is faster.
    ///
    /// Returns true if the glyph is drawn, and false if it is too large for a mask and not drawn.
    pub fn draw(
        &mut self,
        surface: &mut Surface,
        outline: &'static BezPath,
        origin: Point,
        size: f64,
        color: Color,
    ) -> bool {
        let (column, row) = (origin.x.floor(), origin.y.floor());
        let step = |fraction: f64| (fraction * SUBPIXEL_STEPS).min(SUBPIXEL_STEPS - 1.0) as u8;
        let key = GlyphKey {
            outline: std::ptr::from_ref(outline).addr(),
            size: size.to_bits(),
            step: [step(origin.x - column), step(origin.y - row)],
        };
        if self.bytes > MAX_BYTES {
            self.masks.clear();
            self.bytes = 0;
        }
        let Self { masks, bytes, generator, strips } = self;
        let step = key.step;
        let glyph = masks.entry(key).or_insert_with(|| {
            let glyph = compute_mask(generator, strips, outline, size, step);
            *bytes += MASK_BYTES + glyph.mask.as_ref().map_or(0, Mask::bytes);
            glyph
        });
        let Some(mask) = &glyph.mask else { return false };
        let corner = (column as i64 + glyph.corner.0, row as i64 + glyph.corner.1);
        surface.fill_mask(corner, mask, color);
        true
    }
}

/// Computes the coverage of a glyph with its origin at a sub-pixel position, 0 to 3 on each axis. `size` is
/// the length of an em in pixels. The result has no mask if a side is longer than `MAX_SIDE`.
fn compute_mask(
    generator: &mut StripGenerator,
    strips: &mut StripStorage,
    outline: &BezPath,
    size: f64,
    step: [u8; 2],
) -> GlyphMask {
    let [x, y] = step.map(|step| (f64::from(step) + 0.5) / SUBPIXEL_STEPS);
    let placed = Affine::translate((x, y)) * Affine::scale(size);
    let bounds = placed.transform_rect_bbox(outline.bounding_box()).expand();
    // False for NaN.
    let fits = |side: f64| side <= f64::from(MAX_SIDE);
    if !fits(bounds.width()) || !fits(bounds.height()) {
        return GlyphMask { mask: None, corner: (0, 0) };
    }
    let (width, height) = (bounds.width() as usize, bounds.height() as usize);
    let mut coverage = vec![0; width * height];
    generator.reset(MAX_SIDE, MAX_SIDE);
    strips.clear();
    let transform = Affine::translate((-bounds.x0, -bounds.y0)) * placed;
    generator.generate_filled_path(outline, Fill::NonZero, transform, None, strips, None);
    let rows = usize::from(Tile::HEIGHT);
    for pair in strips.strips.windows(2) {
        let [strip, next] = pair else { continue };
        let alphas = &strips.alphas[strip.alpha_idx() as usize..];
        let (left, top) = (usize::from(strip.x), usize::from(strip.y));
        let end = left + usize::from(strip.width_to(next));
        let fill_end = match next.fill_gap() && next.y == strip.y {
            true => usize::from(next.x),
            false => end,
        };
        for row in 0..rows.min(height.saturating_sub(top)) {
            let line = &mut coverage[(top + row) * width..(top + row + 1) * width];
            for column in left..fill_end.min(width) {
                line[column] = match column < end {
                    true => alphas[(column - left) * rows + row],
                    false => 255,
                };
            }
        }
    }
    let corner = (bounds.x0 as i64, bounds.y0 as i64);
    GlyphMask { mask: Some(Mask::new(width, coverage)), corner }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::png::surface::Pixels;
    use crate::text::Face;

    /// Returns the coverage of all pixels after an “8” was drawn at a point of a surface of 40 x 40 pixels.
    fn draw_eight(origin: Point, size: f64) -> (Vec<u8>, f64) {
        let outline = Face::REGULAR.font().glyph_outline(Face::REGULAR.font().table_glyph_id('8'));
        let mut surface = Surface::default();
        surface.reset((40, 40), None);
        let mut glyphs = GlyphMasks::new();
        for _ in 0..2 {
            surface.reset((40, 40), None);
            assert!(glyphs.draw(&mut surface, outline, origin, size, Color::hex(0)));
        }
        assert_eq!(glyphs.masks.len(), 1);
        let Pixels::Rgba(pixels) = surface.pixels() else { panic!("a transparent image is RGBA") };
        (pixels.chunks_exact(4).map(|pixel| pixel[3]).collect(), outline.area().abs())
    }

    #[test]
    fn a_glyph_covers_its_area_at_its_position() {
        for origin in [Point::new(8.1, 30.9), Point::new(9.6, 30.4)] {
            let (coverage, area) = draw_eight(origin, 30.0);
            let sum: f64 = coverage.iter().map(|coverage| f64::from(*coverage) / 255.0).sum();
            assert!((sum / (area * 900.0) - 1.0).abs() < 0.02, "{sum} of {}", area * 900.0);
            let lowest = coverage.iter().rposition(|coverage| *coverage > 99).unwrap() / 40;
            assert_eq!(lowest, 30, "the digit stands on the baseline");
        }
        let (coverage, _) = draw_eight(Point::new(-5.0, 45.0), 30.0);
        assert!(coverage.contains(&255), "cut off at the edges");
    }

    #[test]
    fn large_glyphs_are_left_to_the_caller() {
        let outline = Face::REGULAR.font().glyph_outline(Face::REGULAR.font().table_glyph_id('8'));
        let mut surface = Surface::default();
        surface.reset((40, 40), None);
        let mut glyphs = GlyphMasks::new();
        assert!(!glyphs.draw(&mut surface, outline, Point::ZERO, 500.0, Color::hex(0)));
        assert!(!glyphs.draw(&mut surface, outline, Point::ZERO, f64::NAN, Color::hex(0)));
        assert!(glyphs.bytes > 0);
    }
}
