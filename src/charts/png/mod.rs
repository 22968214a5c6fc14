//! Scene to PNG bytes: pixels by [`raster`], then a fast, small encoding.

mod raster;
mod stamp;

use std::fmt;

use crate::charts::scene::{Form, Scene};

/// What a caller may choose about a PNG.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Pixels a point, 0.05 to 8.
    pub scale: f64,
    /// Leaves the background out.
    pub transparent: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { scale: 2.0, transparent: false }
    }
}

/// Why there is no PNG.
#[derive(Debug)]
pub enum Error {
    /// The picture would have more pixels than [`MOST_SIDE`] or [`MOST_PIXELS`] allow.
    TooLarge {
        /// Width in pixels.
        width: u64,
        /// Height in pixels.
        height: u64,
    },
    /// The encoder refused, which an in-memory picture gives no reason for.
    Encoding(png::EncodingError),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::TooLarge { width, height } => {
                write!(out, "a picture of {width} x {height} pixels is too large")
            }
            Error::Encoding(error) => write!(out, "the picture could not be encoded: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// Most pixels a side.
pub const MOST_SIDE: u64 = 8192;
/// Most pixels in all; each costs 7 bytes while a picture is made.
pub const MOST_PIXELS: u64 = 32_000_000;

/// Draws and encodes the picture. The same scene gives the same bytes.
///
/// # Errors
///
/// [`Error::TooLarge`] when size times scale is beyond the limits.
pub fn encode(scene: &Scene, options: &Options) -> Result<Vec<u8>, Error> {
    let scale = if options.scale.is_finite() { options.scale.clamp(0.05, 8.0) } else { 1.0 };
    let pixels = |points: f64| ((points * scale).round() as u64).max(1);
    let (width, height) = (pixels(scene.width), pixels(scene.height));
    if width > MOST_SIDE || height > MOST_SIDE || width * height > MOST_PIXELS {
        return Err(Error::TooLarge { width, height });
    }
    let size = (width as u16, height as u16);
    let filter = filter(scene);
    raster::with_pixels(scene, size, scale, options.transparent, |pixels, buffer| {
        pack(pixels, options.transparent, buffer);
        write(buffer, size, options.transparent, filter).map_err(Error::Encoding)
    })
}

/// Rows of many upright columns equal the row above, which the filter Up turns into zeros; text,
/// slices, dots and lines come out a sixth smaller without a filter.
fn filter(scene: &Scene) -> png::Filter {
    let upright = |form: &Form| match form {
        Form::Rect { rect, .. } if rect.height() > rect.width() => rect.height(),
        _ => 0.0,
    };
    let columns: f64 = scene.shapes.iter().map(|it| upright(&it.form)).sum();
    // Measured: from about five full-height columns on Up gives the smaller file.
    if columns > 5.0 * scene.height { png::Filter::Up } else { png::Filter::NoFilter }
}

fn write(
    packed: &[u8],
    (width, height): (u16, u16),
    alpha: bool,
    filter: png::Filter,
) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::with_capacity(96 * 1024);
    let mut encoder = png::Encoder::new(&mut out, u32::from(width), u32::from(height));
    encoder.set_color(if alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_filter(filter);
    // Measured: level 2 of zlib-rs costs a fifth of the usual level for a tenth more bytes.
    encoder.set_deflate_compression(png::DeflateCompression::Level(2));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(packed)?;
    writer.finish()?;
    Ok(out)
}

/// From premultiplied RGBA to what the file holds: opaque pictures without alpha, a fifth smaller;
/// see-through ones without the premultiplication, which PNG does not know.
fn pack(pixels: &[u8], alpha: bool, out: &mut Vec<u8>) {
    if alpha {
        out.clear();
        out.extend_from_slice(pixels);
        out.chunks_exact_mut(4).for_each(unmultiply);
        return;
    }
    out.resize(pixels.len() / 4 * 3, 0);
    // Four pixels at a time are three whole words.
    for (from, to) in pixels.chunks_exact(16).zip(out.chunks_exact_mut(12)) {
        let word =
            |at: usize| u32::from_le_bytes([from[at * 4], from[at * 4 + 1], from[at * 4 + 2], 0]);
        let [one, two, three, four] = [word(0), word(1), word(2), word(3)];
        to[..4].copy_from_slice(&(one | two << 24).to_le_bytes());
        to[4..8].copy_from_slice(&(two >> 8 | three << 16).to_le_bytes());
        to[8..].copy_from_slice(&(three >> 16 | four << 8).to_le_bytes());
    }
    let whole = pixels.len() / 16;
    let rest = pixels[whole * 16..].chunks_exact(4);
    for (from, to) in rest.zip(out[whole * 12..].chunks_exact_mut(3)) {
        to.copy_from_slice(&from[..3]);
    }
}

fn unmultiply(pixel: &mut [u8]) {
    let alpha = u32::from(pixel[3]);
    if alpha > 0 && alpha < 255 {
        for channel in &mut pixel[..3] {
            *channel = ((u32::from(*channel) * 255 + alpha / 2) / alpha).min(255) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_drops_every_fourth_byte() {
        let pixels: Vec<u8> = (0..4 * 11).collect();
        let mut out = Vec::new();
        pack(&pixels, false, &mut out);
        let expected: Vec<u8> = pixels.iter().copied().filter(|it| it % 4 != 3).collect();
        assert_eq!(out, expected);
    }

    #[test]
    fn see_through_pixels_get_their_colour_back() {
        let mut out = Vec::new();
        pack(&[64, 0, 128, 128, 9, 9, 9, 255, 0, 0, 0, 0], true, &mut out);
        assert_eq!(out, [128, 0, 255, 128, 9, 9, 9, 255, 0, 0, 0, 0]);
    }
}
