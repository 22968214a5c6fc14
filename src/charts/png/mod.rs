//! Scene to PNG bytes: pixels by `raster`, then bytes by `encode`.

mod encode;
mod raster;
mod spare;
mod stamp;

use std::fmt;

use crate::scene::Scene;

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
    raster::with_pixels(scene, size, scale, options.transparent, |pixels| {
        encode::encode(pixels, size, options.transparent).map_err(Error::Encoding)
    })
}
