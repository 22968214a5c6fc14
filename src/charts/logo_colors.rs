//! The main colors of a logo, as a proposal for the colors of a theme.

use std::collections::HashMap;

use kurbo::Rect;

use crate::bitmap::Bitmap;
use crate::color::{Color, WHITE};
use crate::logo::{Logo, LogoImage};
use crate::png;
use crate::scene::{Primitive, Scene};

/// Longer side of the raster image of a vector logo, in pixels.
const SIDE_PX: f64 = 256.0;
/// Minimum opacity of a pixel that counts. Pixels at the edges of shapes are more transparent.
const MIN_ALPHA: u8 = 250;
/// Maximum number of different colors that are compared, the most frequent ones.
const MAX_COMPARED: usize = 1024;
/// Difference (CIEDE2000) below which two colors count as one.
const MIN_DIFFERENCE: f64 = 14.0;
/// Minimum share of a color in the pixels that count. Mixed colors at edges have less.
const MIN_SHARE: f64 = 0.01;
/// Minimum value of all channels of a color that counts as white.
const MIN_WHITE: u8 = 235;
/// Minimum difference between the channels of a color that is not gray.
const MIN_CHROMA: u8 = 24;

impl Logo {
    /// Returns the main colors of the logo, at most `max`: first those with a hue, then shades of
    /// gray, each by the area that they cover. White and transparent areas do not count, because
    /// they are usually the background. Empty if the logo has no other color.
    pub fn main_colors(&self, max: usize) -> Vec<Color> {
        let drawn;
        let pixels = match &self.image {
            LogoImage::Bitmap(bitmap) => &bitmap.pixels,
            LogoImage::Vector(_) => match self.rasterize() {
                Some(bitmap) => {
                    drawn = bitmap;
                    &drawn.pixels
                }
                None => return Vec::new(),
            },
        };
        let mut found = merge_similar_colors(&count_colors(pixels));
        found.sort_by_key(|(color, pixels)| {
            (chroma(*color) < MIN_CHROMA, std::cmp::Reverse(*pixels))
        });
        found.into_iter().map(|(color, _)| color).take(max).collect()
    }

    /// Draws a vector logo as pixels. None if the encoder or the decoder fails.
    fn rasterize(&self) -> Option<Bitmap> {
        let LogoImage::Vector(image) = &self.image else { return None };
        let ratio = self.aspect_ratio();
        // Not rounded to whole pixels, because the paths cover the canvas. They would exceed a canvas
        // with other proportions by any length.
        let (width, height) = (SIDE_PX * ratio.min(1.0), SIDE_PX / ratio.max(1.0));
        let mut scene = Scene::new(width, height, WHITE);
        scene.push(Primitive::BeginClip(Rect::new(0.0, 0.0, width, height)));
        image.covering_primitives(width, height).into_iter().for_each(|path| scene.push(path));
        scene.push(Primitive::EndClip);
        let options = png::Options { scale: 1.0, transparent: true };
        Bitmap::decode_png(&png::encode(&scene, &options).ok()?)
    }
}

/// Counts the pixels of each opaque color except white, in premultiplied RGBA. The most frequent
/// colors come first.
fn count_colors(pixels: &[u8]) -> Vec<(Color, usize)> {
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    for pixel in pixels.chunks_exact(4).filter(|pixel| pixel[3] >= MIN_ALPHA) {
        *counts.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
    }
    let mut colors: Vec<(Color, usize)> = counts
        .into_iter()
        .filter(|(channels, _)| channels.iter().any(|channel| *channel < MIN_WHITE))
        .map(|([r, g, b], count)| (Color { r, g, b, a: 255 }, count))
        .collect();
    // Equal counts need an order of their own, because a hash map has none.
    colors.sort_by_key(|(color, count)| (std::cmp::Reverse(*count), color.r, color.g, color.b));
    colors
}

/// Adds the pixels of similar colors to the most frequent one of them. Leaves out colors with few
/// pixels.
fn merge_similar_colors(counts: &[(Color, usize)]) -> Vec<(Color, usize)> {
    let mut merged: Vec<(Color, usize)> = Vec::new();
    for (color, count) in counts.iter().take(MAX_COMPARED) {
        match merged.iter_mut().find(|(other, _)| other.difference(*color) < MIN_DIFFERENCE) {
            Some((_, pixels)) => *pixels += count,
            None => merged.push((*color, *count)),
        }
    }
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    merged.retain(|(_, pixels)| *pixels as f64 >= total as f64 * MIN_SHARE);
    merged
}

/// Returns the difference between the largest and the smallest channel: 0 for gray.
fn chroma(color: Color) -> u8 {
    color.r.max(color.g).max(color.b) - color.r.min(color.g).min(color.b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the main colors of a file.
    fn colors(file: &[u8]) -> Vec<String> {
        let logo = Logo::parse_file(file, "").unwrap();
        logo.main_colors(4).iter().map(Color::to_string).collect()
    }

    #[test]
    fn a_vector_logo_has_the_colors_of_its_shapes_by_area() {
        let svg = "<svg viewBox='0 0 100 20'><rect width='100' height='20' fill='#fff'/>\
            <rect width='50' height='20' fill='#222'/><circle cx='60' cy='10' r='4' fill='#0a7d4f'/>\
            <rect x='70' width='20' height='20' fill='#c2185b'/></svg>";
        assert_eq!(colors(svg.as_bytes()), ["#c2185b", "#0a7d4f", "#222222"]);
        let white = "<svg viewBox='0 0 9 9'><rect width='9' height='9' fill='#fefefe'/></svg>";
        assert_eq!(colors(white.as_bytes()), [] as [&str; 0]);
        let stripe = |width: &str, height: &str| {
            let shape =
                format!("<rect width='{width}' height='{height}' fill='#0a7d4f'/>").repeat(9);
            colors(format!("<svg viewBox='0 0 {width} {height}'>{shape}</svg>").as_bytes())
        };
        assert_eq!(stripe("64", "1"), ["#0a7d4f"]);
        // Extreme proportions leave no opaque pixel.
        assert_eq!(stripe("1000000", "1"), [] as [&str; 0]);
        assert_eq!(stripe("1", "1000000"), [] as [&str; 0]);
    }

    #[test]
    fn noise_and_transparent_pixels_of_a_bitmap_do_not_count() {
        let mut out = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut out, 40, 10);
        encoder.set_color(::png::ColorType::Rgba);
        encoder.set_depth(::png::BitDepth::Eight);
        let noise = |index: u32| [200 + (index % 5) as u8, 20, 30, 255];
        let pixels = (0..400u32).flat_map(|index| match index % 40 {
            0..20 => noise(index),
            20..30 => [10, 90, 200, 255],
            _ => [0, 255, 0, 40],
        });
        let pixels: Vec<u8> = pixels.collect();
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        let found = colors(&out);
        assert_eq!((found.len(), found[1].as_str()), (2, "#0a5ac8"), "{found:?}");
        assert!(found[0].ends_with("141e"), "{found:?}");
    }
}
