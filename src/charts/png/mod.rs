//! PNG writer: rasterizes a scene and encodes the pixels.

mod deflate;
mod dot_stamps;
mod encode;
mod glyph_masks;
mod line_coverage;
mod load;
mod palette;
mod pool;
mod raster;
mod rows;
mod surface;

use std::fmt;
use std::time::Duration;

use crate::png::load::RunningImage;
use crate::scene::Scene;

/// Options of [`encode`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Pixels per point. Clamped to 0.05 to 8. 1 if not finite.
    pub scale: f64,
    /// Whether the background is left out.
    pub transparent: bool,
}

impl Default for Options {
    /// Returns two pixels per point, with background.
    fn default() -> Options {
        Options { scale: 2.0, transparent: false }
    }
}

/// Frees the buffers that no image has used for `time`. The next image allocates new ones.
pub fn release_idle_buffers(time: Duration) {
    raster::release_idle_canvases(time);
    deflate::release_idle_buffers(time);
}

/// Error of [`encode`].
#[derive(Debug)]
pub enum Error {
    /// The image would exceed [`MAX_SIDE_PX`] or [`MAX_PIXELS`].
    TooLarge {
        /// Width in pixels.
        width: u64,
        /// Height in pixels.
        height: u64,
    },
    /// The PNG encoder failed. Not expected, because the image is written to memory.
    Encoding(png::EncodingError),
}

impl fmt::Display for Error {
    /// Writes a message with the size and the limits in pixels, or with the error of the encoder.
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::TooLarge { width, height } => {
                write!(
                    out,
                    "an image of {width} x {height} pixels is too large; at most {MAX_SIDE_PX} pixels a side \
                     and {MAX_PIXELS} pixels are allowed"
                )
            }
            Error::Encoding(error) => write!(out, "the image could not be encoded: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// Maximum side of an image, in pixels.
pub const MAX_SIDE_PX: u64 = 8192;
/// Maximum number of pixels of an image. Each takes at most 9 bytes of memory during rendering.
pub const MAX_PIXELS: u64 = 32_000_000;

/// Rasterizes a scene and returns a complete PNG file. Width and height are rounded to whole
/// pixels, at least one. Equal scenes and options give equal bytes.
///
/// # Errors
/// [`Error::TooLarge`] if the size in points times the scale exceeds the limits.
/// [`Error::Encoding`] if the encoder fails, which is not expected.
pub fn encode(scene: &Scene, options: &Options) -> Result<Vec<u8>, Error> {
    let scale = if options.scale.is_finite() { options.scale.clamp(0.05, 8.0) } else { 1.0 };
    let pixels = |points: f64| ((points * scale).round() as u64).max(1);
    let (width, height) = (pixels(scene.width), pixels(scene.height));
    if width > MAX_SIDE_PX || height > MAX_SIDE_PX || width * height > MAX_PIXELS {
        return Err(Error::TooLarge { width, height });
    }
    let size = (width as u16, height as u16);
    let running = RunningImage::start();
    raster::rasterize(scene, size, scale, options.transparent, |pixels| {
        encode::encode_pixels(pixels, size, options.transparent, &running).map_err(Error::Encoding)
    })
}
