//! The logo of a theme: an SVG, reduced to outlines as backgrounds are, or a PNG, read and written
//! anew. Nothing of the given bytes reaches a picture.

use std::borrow::Cow;
use std::io::Cursor;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;

use crate::ground::Ground;

/// Longest data URI that is read, in bytes.
const MAX_BYTES: usize = 700_000;
/// Longest side of a PNG that is read, in pixels.
const MAX_SIDE: u32 = 4096;
/// Most pixels of a PNG that is read.
const MAX_PIXELS: u32 = 4_000_000;
/// Memory that reading a PNG may take, in bytes.
const MAX_MEMORY: usize = 32 * 1024 * 1024;
/// Longest side that is kept, in pixels: four a point of the largest that is drawn.
const KEPT_SIDE: u32 = 512;

/// A mark of whose chart it is, in a corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Logo {
    /// What it shows.
    pub art: Art,
    /// Whether it stands in the head, beside or above the title; else on the line of the footer.
    pub top: bool,
    /// Whether it stands at the left edge.
    pub left: bool,
}

/// What a logo shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Art {
    /// Outlines.
    Outlines(Ground),
    /// Pixels.
    Pixels(Arc<Bitmap>),
}

/// A small picture of pixels.
#[derive(Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Premultiplied RGBA, row by row.
    pub pixels: Vec<u8>,
    /// The same as a PNG.
    pub png: Vec<u8>,
}

impl Logo {
    /// Reads a data URI (`data:image/svg+xml` or `data:image/png`) and the name of a corner, such as
    /// `top-left`; an unknown one is the lower right.
    ///
    /// # Errors
    /// Why it cannot be drawn, in plain words.
    pub fn parse(uri: &str, position: &str) -> Result<Logo, &'static str> {
        if uri.len() > MAX_BYTES {
            return Err("it is too large");
        }
        let Some(rest) = uri.trim().strip_prefix("data:") else {
            return Err("files of an organization cannot be drawn yet");
        };
        let (kind, data) = rest.split_once(',').ok_or("it is no data URI")?;
        let bytes: Cow<'_, [u8]> = match kind.strip_suffix(";base64") {
            None => percent_decode_str(data).into(),
            Some(_) => {
                let plain: String = data.chars().filter(|it| !it.is_ascii_whitespace()).collect();
                Cow::Owned(STANDARD.decode(plain).map_err(|_| "it is no base64")?)
            }
        };
        let art = match kind.split(';').next().unwrap_or_default() {
            "image/svg+xml" => {
                let text = std::str::from_utf8(&bytes).map_err(|_| "it is no SVG")?;
                let ground = Ground::parse(text).ok_or("it is no SVG that can be drawn")?;
                Art::Outlines(ground)
            }
            "image/png" => {
                let bitmap = read(&bytes).ok_or("it is no PNG of at most 4 million pixels")?;
                Art::Pixels(Arc::new(bitmap))
            }
            _ => return Err("it is neither SVG nor PNG"),
        };
        let (top, left) = (position.starts_with("top"), position.ends_with("left"));
        Ok(Logo { art, top, left })
    }

    /// Width as a multiple of the height.
    pub fn ratio(&self) -> f64 {
        match &self.art {
            Art::Outlines(ground) => ground.ratio(),
            Art::Pixels(bitmap) => f64::from(bitmap.width) / f64::from(bitmap.height.max(1)),
        }
    }
}

/// The pixels of a PNG, shrunk to what a logo needs.
fn read(bytes: &[u8]) -> Option<Bitmap> {
    let limits = png::Limits { bytes: MAX_MEMORY };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width, reader.info().height);
    let fits = width.max(height) <= MAX_SIDE && width.saturating_mul(height) <= MAX_PIXELS;
    if !fits || width == 0 || height == 0 {
        return None;
    }
    let mut data = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut data).ok()?;
    let premultiply = |it: u8, alpha: u8| ((u16::from(it) * u16::from(alpha) + 127) / 255) as u8;
    let rgba = |pixel: &[u8]| match *pixel {
        [grey, a] => [premultiply(grey, a), premultiply(grey, a), premultiply(grey, a), a],
        [r, g, b, a] => [premultiply(r, a), premultiply(g, a), premultiply(b, a), a],
        _ => [0; 4],
    };
    let samples = frame.color_type.samples();
    let pixels: Vec<u8> = data.chunks_exact(samples).flat_map(rgba).collect();
    let share = f64::from(KEPT_SIDE) / f64::from(width.max(height));
    let side = |it: u32| ((f64::from(it) * share.min(1.0)).round() as u32).max(1);
    let (wide, high) = (side(width), side(height));
    let pixels = scaled(&pixels, (width, height), (wide, high));
    let png = written(&pixels, wide, high)?;
    Some(Bitmap { width: wide, height: high, pixels, png })
}

fn written(pixels: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
    let straight = |it: u8, alpha: u8| {
        (u16::from(it) * 255 + u16::from(alpha) / 2).checked_div(u16::from(alpha)).unwrap_or(0)
    };
    let rgba: Vec<u8> = pixels
        .chunks_exact(4)
        .flat_map(|it| {
            let of = |index: usize| straight(it[index], it[3]).min(255) as u8;
            [of(0), of(1), of(2), it[3]]
        })
        .collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().ok()?.write_image_data(&rgba).ok()?;
    Some(out)
}

/// Premultiplied pixels at another size: each new one is the mean of what it covers, at least one
/// pixel wide, so that larger pictures are smooth and smaller ones lose no line.
pub fn scaled(pixels: &[u8], from: (u32, u32), to: (u32, u32)) -> Vec<u8> {
    if from == to {
        return pixels.to_vec();
    }
    let (across, down) = (cover(from.0, to.0), cover(from.1, to.1));
    let wide = from.0 as usize;
    // First from side to side, then from top to bottom.
    let mut rows = vec![0f32; to.0 as usize * from.1 as usize * 4];
    for (row, out) in rows.chunks_exact_mut(to.0 as usize * 4).enumerate() {
        for (column, parts) in across.iter().enumerate() {
            for (at, share) in parts {
                for channel in 0..4 {
                    let value = f32::from(pixels[(row * wide + at) * 4 + channel]);
                    out[column * 4 + channel] += value * share;
                }
            }
        }
    }
    let line = to.0 as usize * 4;
    let mut out = Vec::with_capacity(line * to.1 as usize);
    for parts in &down {
        for place in 0..line {
            let sum: f32 = parts.iter().map(|(at, share)| rows[at * line + place] * share).sum();
            out.push(sum.round().clamp(0.0, 255.0) as u8);
        }
    }
    out
}

/// For each new pixel along a side the old ones that it covers, with their shares.
fn cover(from: u32, to: u32) -> Vec<Vec<(usize, f32)>> {
    let step = f64::from(from) / f64::from(to.max(1));
    let half = step.max(1.0) / 2.0;
    (0..to)
        .map(|index| {
            let middle = (f64::from(index) + 0.5) * step;
            let (low, high) = (middle - half, middle + half);
            let most = f64::from(from) - 1.0;
            let mut parts: Vec<(usize, f32)> = Vec::new();
            let mut at = low.floor();
            while at < high {
                let share = ((at + 1.0).min(high) - at.max(low)) / (high - low);
                if share > 1e-9 {
                    // What lies beyond the edge is as the edge is.
                    parts.push((at.clamp(0.0, most) as usize, share as f32));
                }
                at += 1.0;
            }
            parts
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, pixel: [u8; 4]) -> Vec<u8> {
        let pixels = pixel.repeat((width * height) as usize);
        written(&pixels, width, height).unwrap()
    }

    #[test]
    fn both_forms_are_read_and_others_refused() {
        let svg = "<svg viewBox='0 0 40 10'><rect width='40' height='10' fill='#c00'/></svg>";
        let plain = format!("data:image/svg+xml;utf8,{}", svg.replace('#', "%23"));
        let packed = format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg));
        let one = Logo::parse(&plain, "top-left").unwrap();
        assert_eq!(one.art, Logo::parse(&packed, "").unwrap().art);
        assert!(one.top && one.left && (one.ratio() - 4.0).abs() < 1e-9);
        let dots = STANDARD.encode(png(6, 3, [10, 20, 30, 255]));
        let dots = Logo::parse(&format!("data:image/png;base64,{dots}"), "bottom-right").unwrap();
        assert!(!dots.top && !dots.left && (dots.ratio() - 2.0).abs() < 1e-9);
        let script = "data:image/svg+xml,<svg><script>x</script></svg>";
        let huge = format!("data:image/png;base64,{}", "A".repeat(MAX_BYTES));
        for odd in
            ["logo.png", "data:", "data:text/html,x", "data:image/png;base64,AA", script, &huge]
        {
            assert!(Logo::parse(odd, "").is_err(), "{odd:.40}");
        }
    }

    #[test]
    fn large_pictures_shrink_and_keep_their_colour() {
        let Some(bitmap) = read(&png(1500, 300, [40, 80, 120, 160])) else { panic!("no picture") };
        assert_eq!((bitmap.width, bitmap.height), (512, 102));
        assert!(bitmap.pixels.chunks_exact(4).all(|it| it == [40, 80, 120, 160]));
        assert_eq!(read(&png(5000, 2, [0; 4])), None);
    }

    #[test]
    fn new_pixels_are_means_of_old_ones() {
        let two = [0, 0, 0, 255, 200, 100, 50, 255];
        assert_eq!(scaled(&two, (2, 1), (1, 1)), [100, 50, 25, 255]);
        assert_eq!(scaled(&two, (2, 1), (4, 1))[4..8], [50, 25, 13, 255]);
    }
}
