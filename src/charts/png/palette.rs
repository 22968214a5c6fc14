//! Colors of an image with at most 256 colors, and how paints blend with them.

use std::ops::Range;

use crate::color::Color;

/// Number of coverage levels above 0. Few levels keep the number of colors low, and an edge that is
/// off by a thirty-second of its contrast looks the same.
const LEVELS: usize = 16;
/// Entry of a blend table that is not computed yet.
const UNKNOWN: u16 = u16::MAX;
/// Entries of a blend table: one per level and color below.
const TABLE_LENGTH: usize = (LEVELS + 1) * 256;
/// Maximum number of blend tables, one per paint.
const MAX_TABLES: usize = 32;
/// Number of colors that fills can still get when edges get no new ones.
const RESERVED_COLORS: usize = 24;

/// The colors of an image in the order of their first use.
#[derive(Default)]
pub struct Palette {
    colors: Vec<[u8; 3]>,
    /// Red, green and blue of the colors. The compiler can use SIMD to compare them.
    channels: [Vec<u8>; 3],
    tables: Vec<BlendTable>,
}

/// Results of blending one paint over the colors of the palette.
struct BlendTable {
    paint: Color,
    /// Index of the result by level and color below, or [`UNKNOWN`].
    results: Box<[u16]>,
}

impl Palette {
    /// Removes all colors and blend tables, and adds the background with the index 0. Ignores its
    /// alpha.
    pub fn reset(&mut self, background: Color) {
        self.colors.clear();
        self.channels.iter_mut().for_each(Vec::clear);
        self.tables.clear();
        self.add([background.r, background.g, background.b]);
    }

    /// Returns the colors by index.
    pub fn colors(&self) -> &[[u8; 3]] {
        &self.colors
    }

    /// Returns the color with an index, black if there is none.
    pub fn color(&self, index: u8) -> [u8; 3] {
        self.colors.get(usize::from(index)).copied().unwrap_or_default()
    }

    /// Returns the index of exactly this color. Adds the color if it is missing. None if it is
    /// missing and the palette is full.
    pub fn find_exact(&mut self, color: [u8; 3]) -> Option<u8> {
        match self.find_nearest(color, 0..self.colors.len()) {
            Some((0, index)) => Some(index),
            _ => self.add(color),
        }
    }

    /// Returns the number of the blend table of a paint, for `Palette::blend`. Adds a missing
    /// table. If there are already `MAX_TABLES`, removes all tables first, so that earlier numbers
    /// become invalid.
    pub fn select(&mut self, paint: Color) -> usize {
        if let Some(found) = self.tables.iter().position(|table| table.paint == paint) {
            return found;
        }
        if self.tables.len() >= MAX_TABLES {
            self.tables.clear();
        }
        let mut results = vec![UNKNOWN; TABLE_LENGTH];
        // Without coverage, each color stays.
        results.iter_mut().zip(0..256).for_each(|(result, below)| *result = below);
        self.tables.push(BlendTable { paint, results: results.into() });
        self.tables.len() - 1
    }

    /// Blends a paint over pixels, which are indices of colors. The coverage of the pixel `i` is
    /// `coverages[i * STEP]`, 255 for a covered pixel, and is rounded to `LEVELS`. Adds new colors
    /// to the palette.
    ///
    /// Returns the number of pixels that are blended, from the first on. It is lower than the
    /// number of pixels if the palette has no similar color and no room for the next one.
    pub fn blend<const STEP: usize>(
        &mut self,
        table: usize,
        pixels: &mut [u8],
        coverages: &[u8],
    ) -> usize {
        let mut done = 0;
        loop {
            let results = &self.tables[table].results;
            let mut missing_slot = None;
            for pixel in &mut pixels[done..] {
                let level = (usize::from(coverages[done * STEP]) + 8) >> 4;
                let slot = level << 8 | usize::from(*pixel);
                let result = results[slot];
                if result == UNKNOWN {
                    missing_slot = Some(slot);
                    break;
                }
                *pixel = result as u8;
                done += 1;
            }
            if missing_slot.is_none_or(|slot| self.compute_blend(table, slot).is_none()) {
                return done;
            }
        }
    }

    /// Computes and stores an entry of a blend table. `slot` is the level times 256 plus the color
    /// below. Returns the index of the resulting color, or None if the palette has no similar color
    /// and no room for it.
    #[cold]
    fn compute_blend(&mut self, table: usize, slot: usize) -> Option<u8> {
        let (level, below) = (slot >> 8, slot as u8);
        let paint = self.tables[table].paint;
        let alpha = level as u32 * u32::from(paint.a);
        let whole = LEVELS as u32 * 255;
        let old = self.color(below);
        let mix = |above: u8, below: u8| {
            ((u32::from(above) * alpha + u32::from(below) * (whole - alpha) + whole / 2) / whole)
                as u8
        };
        let new = [mix(paint.r, old[0]), mix(paint.g, old[1]), mix(paint.b, old[2])];
        let result = match level {
            _ if new == old => below,
            LEVELS if paint.a == 255 => self.find_exact(new)?,
            _ => self.find_or_add_similar(new, below, level == LEVELS)?,
        };
        self.tables[table].results[slot] = u16::from(result);
        Some(result)
    }

    /// Returns the index of a color that is similar to `color`, the result of blending over the
    /// color `below`. Adds the color if there is none. None if the palette has no room for it.
    ///
    /// The fuller the palette, the more the color may differ, but it is never `below`. Colors of
    /// areas (`is_area`) differ less than those of edges.
    fn find_or_add_similar(&mut self, color: [u8; 3], below: u8, is_area: bool) -> Option<u8> {
        let tolerance = match self.colors.len() {
            0..128 => 0,
            _ if is_area => 3,
            128..160 => 4,
            160..192 => 8,
            _ => 12,
        };
        let below = usize::from(below);
        let lower = self.find_nearest(color, 0..below);
        let upper = self.find_nearest(color, below + 1..self.colors.len());
        match lower.into_iter().chain(upper).min() {
            Some((distance, index)) if distance <= tolerance => Some(index),
            _ if self.colors.len() + RESERVED_COLORS < 256 => self.add(color),
            _ => None,
        }
    }

    /// Returns the maximum difference of a channel and the index of the color in `range` with the
    /// lowest such difference, the first of equal ones. None if the range is empty.
    fn find_nearest(&self, color: [u8; 3], range: Range<usize>) -> Option<(u8, u8)> {
        let [reds, greens, blues] = &self.channels;
        let first = range.start;
        let channels =
            reds[range.clone()].iter().zip(&greens[range.clone()]).zip(&blues[range.clone()]);
        let mut distances = [u8::MAX; 256];
        for (distance, ((r, g), b)) in distances.iter_mut().zip(channels) {
            let [r, g, b] = [r.abs_diff(color[0]), g.abs_diff(color[1]), b.abs_diff(color[2])];
            *distance = r.max(g).max(b);
        }
        let distances = &distances[..range.len()];
        let nearest = distances.iter().copied().fold(u8::MAX, u8::min);
        let index = distances.iter().position(|distance| *distance == nearest)?;
        Some((nearest, (first + index) as u8))
    }

    /// Adds a color at the end, without looking for the same color, and returns its index. None if
    /// the palette is full.
    fn add(&mut self, color: [u8; 3]) -> Option<u8> {
        let index = u8::try_from(self.colors.len()).ok()?;
        self.colors.push(color);
        self.channels.iter_mut().zip(color).for_each(|(channel, value)| channel.push(value));
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::WHITE;

    /// Blends a color over one pixel and returns its color.
    fn blend_once(palette: &mut Palette, below: u8, paint: Color, coverage: u8) -> Option<[u8; 3]> {
        let table = palette.select(paint);
        let mut pixels = [below];
        let done = palette.blend::<1>(table, &mut pixels, &[coverage]);
        (done == 1).then(|| palette.color(pixels[0]))
    }

    #[test]
    fn covered_pixels_get_exactly_the_paint() {
        let mut palette = Palette::default();
        palette.reset(WHITE);
        let paint = Color::hex(0x123456);
        assert_eq!(blend_once(&mut palette, 0, paint, 255), Some([0x12, 0x34, 0x56]));
        assert_eq!(blend_once(&mut palette, 0, paint, 0), Some([255; 3]));
        let half = blend_once(&mut palette, 0, Color::hex(0), 128).unwrap();
        assert!(half.iter().all(|channel| channel.abs_diff(127) <= 1), "{half:?}");
    }

    #[test]
    fn edges_leave_room_for_fills() {
        let mut palette = Palette::default();
        palette.reset(WHITE);
        // Colors that are far from each other.
        let paints = (0..700).map(|index| {
            Color::hex(((index % 9 * 28) << 16) | ((index / 9 % 9 * 28) << 8) | (index / 81 * 28))
        });
        for paint in paints {
            blend_once(&mut palette, 0, paint, 240);
        }
        assert!(palette.colors().len() <= 256 - RESERVED_COLORS, "{}", palette.colors().len());
        for index in 0..RESERVED_COLORS as u8 {
            assert!(palette.find_exact([index, 255, 1]).is_some());
        }
        assert_eq!(palette.find_exact([99, 255, 1]), None);
    }

    #[test]
    fn translucent_paints_darken_until_they_are_opaque() {
        let mut palette = Palette::default();
        palette.reset(WHITE);
        let paint = Color { a: 40, ..Color::hex(0x3f90da) };
        let table = palette.select(paint);
        let mut pixels = [0];
        for _ in 0..100 {
            assert_eq!(palette.blend::<1>(table, &mut pixels, &[255]), 1);
        }
        let [r, g, b] = palette.color(pixels[0]);
        assert!(r.abs_diff(0x3f) <= 12 && g.abs_diff(0x90) <= 12 && b.abs_diff(0xda) <= 12);
    }
}
