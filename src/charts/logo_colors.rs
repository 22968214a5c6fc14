//! The main colors of a logo, as a proposal for the colors of a theme.

use std::collections::HashMap;

use kurbo::Rect;

use crate::bitmap::Bitmap;
use crate::color::{Color, WHITE};
use crate::logo::{Logo, LogoImage};
use crate::png;
use crate::scene::{Primitive, Scene};
use crate::vector_image::VectorImage;

/// Longer side of the raster image of a vector logo, in pixels.
const SIDE_PX: f64 = 256.0;
/// Minimum opacity of a pixel that counts. Pixels at the edges of shapes are more transparent.
const MIN_ALPHA: u8 = 250;
/// Maximum number of different colors that are compared, the most frequent ones.
const MAX_COMPARED: usize = 1024;
/// Difference (CIEDE2000) below which two colors count as one.
const MIN_DIFFERENCE: f64 = 14.0;
/// The same for two colors with [`MIN_SOLID_SHARE`], which are no noise of one color.
const MIN_SOLID_DIFFERENCE: f64 = 5.0;
/// Minimum share of exactly one color that is solid.
const MIN_SOLID_SHARE: f64 = 0.02;
/// Minimum share of a color in the pixels that count.
const MIN_SHARE: f64 = 0.01;
/// The same for a color with at least [`MIN_ACCENT_CHROMA`].
const MIN_ACCENT_SHARE: f64 = 0.001;
/// Minimum chroma of an accent.
const MIN_ACCENT_CHROMA: u8 = 96;
/// Maximum share of a color that is a mixture at the edges of two others.
const MAX_MIXED_SHARE: f64 = 0.1;
/// Maximum distance of a mixture from the line between two other colors, in units of a channel.
const MAX_MIXED_DISTANCE: f64 = 28.0;
/// Minimum share of the pixels at the border that makes a color the background.
const MIN_BACKGROUND_SHARE: f64 = 0.6;
/// Minimum value of all channels of a color that counts as white.
const MIN_WHITE: u8 = 235;
/// Minimum difference between the channels of a color that is not gray.
const MIN_CHROMA: u8 = 24;

/// A color of a logo, with the similar ones that count as this color.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    color: Color,
    /// Number of pixels of this and of similar colors.
    pixels: usize,
    /// Number of pixels of exactly this color.
    exact_pixels: usize,
}

impl Logo {
    /// Returns the main colors of the logo, at most `max`: first those with a hue, by the area that
    /// they cover and their chroma, then shades of gray by area. Empty if the logo has no color.
    ///
    /// White and transparent areas do not count. Another color at the border is the background and
    /// does not count either, unless it is the only color. A vector logo also has the colors of its
    /// gradients and translucent shapes.
    pub fn main_colors(&self, max: usize) -> Vec<Color> {
        let mut found = match &self.image {
            LogoImage::Bitmap(bitmap) => find_pixel_colors(bitmap),
            LogoImage::Vector(image) => {
                let drawn = self.rasterize();
                let found = drawn.as_ref().map(find_pixel_colors).unwrap_or_default();
                add_declared_colors(found, image)
            }
        };
        found.sort_by_key(|candidate| {
            let chroma = chroma(candidate.color);
            let weight = if chroma < MIN_CHROMA { 1 } else { usize::from(chroma) };
            (chroma < MIN_CHROMA, std::cmp::Reverse(candidate.pixels * weight))
        });
        found.into_iter().map(|candidate| candidate.color).take(max).collect()
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

/// Adds the colors of a vector image that its pixels do not show: those of translucent shapes by area,
/// and those of gradients in their order.
fn add_declared_colors(mut found: Vec<Candidate>, image: &VectorImage) -> Vec<Candidate> {
    /// Pixels of the whole image, as the unit of all candidates.
    const CANVAS_PX: f64 = SIDE_PX * SIDE_PX;
    let has_pixels = !found.is_empty();
    let painted = image.painted_colors().into_iter();
    let painted = painted.filter(|(color, _)| !has_pixels || color.a < MIN_ALPHA);
    let stops = image.gradient_colors().iter().enumerate();
    let stops = stops.map(|(index, color)| (*color, 0.1 / (index + 1) as f64));
    for (color, share) in painted.chain(stops) {
        let color = color.with_opacity(1.0);
        let is_known =
            |candidate: &Candidate| candidate.color.difference(color) < MIN_SOLID_DIFFERENCE;
        if !is_white(color) && !found.iter().any(is_known) {
            let pixels = ((share * CANVAS_PX) as usize).max(1);
            found.push(Candidate { color, pixels, exact_pixels: pixels });
        }
    }
    found
}

/// Returns the colors of the opaque pixels of an image, without white, mixtures and the background.
fn find_pixel_colors(bitmap: &Bitmap) -> Vec<Candidate> {
    let counts = count_colors(bitmap.pixels.chunks_exact(4));
    let mut merged = merge_similar_colors(&counts);
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    merged.retain(|candidate| {
        let is_accent = chroma(candidate.color) >= MIN_ACCENT_CHROMA;
        let min_share = if is_accent { MIN_ACCENT_SHARE } else { MIN_SHARE };
        candidate.pixels as f64 >= total as f64 * min_share
    });
    let all = merged.clone();
    let max_pixels = total as f64 * MAX_MIXED_SHARE;
    merged.retain(|candidate| candidate.pixels as f64 > max_pixels || !is_mixture(candidate, &all));
    if merged.len() > 1
        && let Some(background) = find_background(bitmap, &merged)
    {
        merged.remove(background);
    }
    merged
}

/// Counts the pixels of each opaque color except white, in premultiplied RGBA. The most frequent
/// colors come first.
fn count_colors<'a>(pixels: impl Iterator<Item = &'a [u8]>) -> Vec<(Color, usize)> {
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    for pixel in pixels.filter(|pixel| pixel[3] >= MIN_ALPHA) {
        *counts.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
    }
    let colors = counts.into_iter().map(|([r, g, b], count)| (Color { r, g, b, a: 255 }, count));
    let mut colors: Vec<(Color, usize)> = colors.filter(|(color, _)| !is_white(*color)).collect();
    // Equal counts need an order of their own, because a hash map has none.
    colors.sort_by_key(|(color, count)| (std::cmp::Reverse(*count), color.r, color.g, color.b));
    colors
}

/// Adds the pixels of similar colors to the most frequent one of them.
fn merge_similar_colors(counts: &[(Color, usize)]) -> Vec<Candidate> {
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let min_solid = total as f64 * MIN_SOLID_SHARE;
    let mut merged: Vec<Candidate> = Vec::new();
    for (color, count) in counts.iter().take(MAX_COMPARED) {
        let is_solid = *count as f64 >= min_solid;
        let is_same = |other: &&mut Candidate| {
            let difference = other.color.difference(*color);
            let both_solid = is_solid && other.exact_pixels as f64 >= min_solid;
            difference < if both_solid { MIN_SOLID_DIFFERENCE } else { MIN_DIFFERENCE }
        };
        match merged.iter_mut().find(is_same) {
            Some(other) => other.pixels += count,
            None => {
                merged.push(Candidate { color: *color, pixels: *count, exact_pixels: *count });
            }
        }
    }
    merged
}

/// Returns whether a color is probably a mixture at the edges of two others: it is between two more
/// frequent ones, or between one and white, and its pixels have many different colors.
fn is_mixture(candidate: &Candidate, all: &[Candidate]) -> bool {
    if candidate.exact_pixels * 2 > candidate.pixels {
        return false;
    }
    let larger = all.iter().filter(|other| other.pixels > candidate.pixels);
    let ends: Vec<Color> = larger.map(|other| other.color).chain([WHITE]).collect();
    let pairs = ends
        .iter()
        .enumerate()
        .flat_map(|(index, end)| ends.iter().skip(index + 1).map(move |other| (*end, *other)));
    pairs.into_iter().any(|(end, other)| is_between(candidate.color, end, other))
}

/// Returns whether a color is near the line between two others, and not near its ends.
fn is_between(color: Color, start: Color, end: Color) -> bool {
    let vector = |color: Color| [color.r, color.g, color.b].map(f64::from);
    let (color, start, end) = (vector(color), vector(start), vector(end));
    let dot = |left: [f64; 3], right: [f64; 3]| left.iter().zip(right).map(|(x, y)| x * y).sum();
    let minus = |left: [f64; 3], right: [f64; 3]| [0, 1, 2].map(|axis| left[axis] - right[axis]);
    let line = minus(end, start);
    let length: f64 = dot(line, line);
    let along: f64 = dot(minus(color, start), line);
    let share = along / length.max(1.0);
    let nearest = [0, 1, 2].map(|axis| start[axis] + share * line[axis]);
    let offset = minus(color, nearest);
    let distance: f64 = dot(offset, offset);
    (0.1..=0.9).contains(&share) && distance <= MAX_MIXED_DISTANCE.powi(2)
}

/// Returns the index of the color that most pixels at the border of the image have.
fn find_background(bitmap: &Bitmap, candidates: &[Candidate]) -> Option<usize> {
    let (width, height) = (bitmap.width as usize, bitmap.height as usize);
    let border = bitmap.pixels.chunks_exact(4).enumerate().filter(|(index, _)| {
        let (x, y) = (index % width.max(1), index / width.max(1));
        x == 0 || y == 0 || x + 1 == width || y + 1 == height
    });
    let border: Vec<&[u8]> = border.map(|(_, pixel)| pixel).collect();
    let min_pixels = border.len() as f64 * MIN_BACKGROUND_SHARE;
    let mut pixels = vec![0; candidates.len()];
    for (color, count) in count_colors(border.into_iter()).into_iter().take(MAX_COMPARED) {
        let differences = candidates.iter().map(|candidate| candidate.color.difference(color));
        let nearest = differences.enumerate().min_by(|left, right| left.1.total_cmp(&right.1));
        if let Some((index, difference)) = nearest
            && difference < MIN_DIFFERENCE
        {
            pixels[index] += count;
        }
    }
    pixels.iter().position(|count| *count as f64 >= min_pixels)
}

/// Returns whether a color is white or nearly white.
fn is_white(color: Color) -> bool {
    [color.r, color.g, color.b].iter().all(|channel| *channel >= MIN_WHITE)
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
        assert_eq!(stripe("1000000", "1"), ["#0a7d4f"]);
        assert_eq!(stripe("1", "1000000"), ["#0a7d4f"]);
    }

    #[test]
    fn gradients_and_translucent_shapes_have_their_declared_colors() {
        let svg = "<svg viewBox='0 0 100 20'><defs><linearGradient id='g'>\
            <stop offset='0' stop-color='#ff6600'/><stop offset='1' style='stop-color:#6600cc'/>\
            </linearGradient></defs><rect width='40' height='20' fill='url(#g)'/>\
            <rect x='50' width='50' height='20' fill='#00796b' opacity='0.5'/></svg>";
        assert_eq!(colors(svg.as_bytes()), ["#00796b", "#ff6600", "#6600cc"]);
    }

    #[test]
    fn the_background_counts_only_without_another_color() {
        let draw = |shapes: &str| {
            colors(
                format!(
                    "<svg viewBox='0 0 60 60'><rect width='60' height='60' fill='#003087'/>\
                     {shapes}</svg>"
                )
                .as_bytes(),
            )
        };
        assert_eq!(draw("<circle cx='30' cy='30' r='20' fill='#ffc439'/>"), ["#ffc439"]);
        assert_eq!(draw("<circle cx='30' cy='30' r='20' fill='#fff'/>"), ["#003087"]);
    }

    #[test]
    fn similar_solid_colors_and_small_accents_are_kept() {
        let svg = "<svg viewBox='0 0 100 50'><rect width='40' height='50' fill='#003087'/>\
            <rect x='45' width='35' height='50' fill='#002a5c'/>\
            <rect x='85' y='10' width='3' height='3' fill='#e30613'/></svg>";
        assert_eq!(colors(svg.as_bytes()), ["#003087", "#002a5c", "#e30613"]);
    }

    /// Encodes a PNG with this color of each pixel.
    fn encode(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut out, width, height);
        encoder.set_color(::png::ColorType::Rgba);
        encoder.set_depth(::png::BitDepth::Eight);
        let indexes = (0..width * height).map(|index| (index % width, index / width));
        let pixels: Vec<u8> = indexes.flat_map(|(x, y)| pixel(x, y)).collect();
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        out
    }

    #[test]
    fn mixtures_at_edges_are_left_out() {
        // A blurred edge from blue to yellow.
        let file = encode(100, 20, |x, y| {
            let share = (f64::from(x) - 46.0 + f64::from(y) / 20.0).clamp(0.0, 8.0) / 8.0;
            let mix = |from: f64, to: f64| (from + (to - from) * share).round() as u8;
            [mix(10.0, 240.0), mix(60.0, 200.0), mix(200.0, 20.0), 255]
        });
        assert_eq!(colors(&file), ["#f0c814", "#0a3cc8"]);
    }

    #[test]
    fn noise_and_transparent_pixels_of_a_bitmap_do_not_count() {
        let out = encode(40, 10, |x, _| match x {
            0..20 => [200 + (x % 5) as u8, 20, 30, 255],
            20..30 => [10, 90, 200, 255],
            _ => [0, 255, 0, 40],
        });
        let found = colors(&out);
        assert_eq!((found.len(), found[1].as_str()), (2, "#0a5ac8"), "{found:?}");
        assert!(found[0].ends_with("141e"), "{found:?}");
    }
}
