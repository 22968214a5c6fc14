//! The logo of a theme: an SVG reduced to plain shapes, or a re-encoded raster image.
//!
//! No byte of the source reaches an image.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;

use crate::bitmap::Bitmap;
use crate::vector_image::VectorImage;

/// Maximum length of a data URI, in bytes.
const MAX_URI_BYTES: usize = 700_000;

/// A logo in a corner of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Logo {
    /// Image to draw.
    pub image: LogoImage,
    /// Whether the logo is beside or above the title. Otherwise it is on the line of the footer.
    pub is_top: bool,
    /// Whether the logo is at the left edge. Otherwise it is at the right edge.
    pub is_left: bool,
}

/// The image of a logo.
#[derive(Clone, Debug, PartialEq)]
pub enum LogoImage {
    /// Shapes of an SVG.
    Vector(VectorImage),
    /// Pixels of a raster image.
    Bitmap(Arc<Bitmap>),
}

impl Logo {
    /// Parses a data URI (`data:image/svg+xml` or `data:image/png`) and the name of a corner.
    ///
    /// The corners are `top-left`, `top-right`, `bottom-left` and `bottom-right`. A name that does
    /// not start with `top` is at the bottom, and one that does not end with `left` is at the
    /// right.
    ///
    /// # Errors
    /// The reason as text for people, if `uri` is too long, is not a valid data URI, or contains
    /// neither an SVG with plain shapes nor a PNG of at most 4 million pixels.
    pub fn parse(uri: &str, position: &str) -> Result<Logo, &'static str> {
        if uri.len() > MAX_URI_BYTES {
            return Err("it is longer than 700,000 bytes");
        }
        let Some(rest) = uri.trim().strip_prefix("data:") else {
            return Err("it is neither a data URI nor a file of the theme's organization");
        };
        let (kind, data) = rest.split_once(',').ok_or("it is not a valid data URI")?;
        let bytes: Cow<'_, [u8]> = match kind.strip_suffix(";base64") {
            None => percent_decode_str(data).into(),
            Some(_) => {
                let encoded: String =
                    data.chars().filter(|character| !character.is_ascii_whitespace()).collect();
                Cow::Owned(STANDARD.decode(encoded).map_err(|_| "it is not valid base64")?)
            }
        };
        let image = match kind.split(';').next().unwrap_or_default() {
            "image/svg+xml" => parse_vector_image(&bytes)?,
            "image/png" => {
                let bitmap = Bitmap::decode_png(&bytes)
                    .ok_or("it is not a PNG of at most 4 million pixels")?;
                LogoImage::Bitmap(Arc::new(bitmap))
            }
            _ => return Err("its media type must be image/svg+xml or image/png"),
        };
        Ok(Logo::new(image, position))
    }

    /// Parses the content of a file, which is a PNG, JPEG, WebP or SVG by its first bytes, and the
    /// name of a corner as in [`Logo::parse`].
    ///
    /// # Errors
    /// The reason as text for people, if the file is neither an SVG with plain shapes nor a raster
    /// image of at most 4 million pixels.
    pub fn parse_file(bytes: &[u8], position: &str) -> Result<Logo, &'static str> {
        let start = bytes.trim_ascii_start().first();
        let image = match start == Some(&b'<') || bytes.starts_with("\u{feff}".as_bytes()) {
            true => parse_vector_image(bytes)?,
            false => {
                let bitmap = Bitmap::decode(bytes).ok_or(
                    "it is not a valid PNG, JPEG or WebP image of at most 4,096 pixels per side \
                     and 4 million pixels",
                )?;
                LogoImage::Bitmap(Arc::new(bitmap))
            }
        };
        Ok(Logo::new(image, position))
    }

    /// Returns a logo in the corner with this name.
    fn new(image: LogoImage, position: &str) -> Logo {
        let (is_top, is_left) = (position.starts_with("top"), position.ends_with("left"));
        Logo { image, is_top, is_left }
    }

    /// Returns the width of the image divided by its height.
    pub fn aspect_ratio(&self) -> f64 {
        match &self.image {
            LogoImage::Vector(image) => image.aspect_ratio(),
            LogoImage::Bitmap(bitmap) => f64::from(bitmap.width) / f64::from(bitmap.height.max(1)),
        }
    }
}

/// Parses an SVG file as the image of a logo.
///
/// # Errors
/// The reason as text for people.
fn parse_vector_image(bytes: &[u8]) -> Result<LogoImage, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not an SVG")?;
    let image = VectorImage::parse(text).ok_or("it is not an SVG with plain shapes")?;
    Ok(LogoImage::Vector(image))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PNG of 6 by 3 pixels.
    fn png() -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, 6, 3);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let pixels = [10, 20, 30, 255].repeat(6 * 3);
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        out
    }

    #[test]
    fn svg_and_png_are_parsed_and_other_sources_rejected() {
        let svg = "<svg viewBox='0 0 40 10'><rect width='40' height='10' fill='#c00'/></svg>";
        let plain = format!("data:image/svg+xml;utf8,{}", svg.replace('#', "%23"));
        let packed = format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg));
        let one = Logo::parse(&plain, "top-left").unwrap();
        assert_eq!(one.image, Logo::parse(&packed, "").unwrap().image);
        assert!(one.is_top && one.is_left && (one.aspect_ratio() - 4.0).abs() < 1e-9);
        let dots = STANDARD.encode(png());
        let dots = Logo::parse(&format!("data:image/png;base64,{dots}"), "bottom-right").unwrap();
        assert!(!dots.is_top && !dots.is_left && (dots.aspect_ratio() - 2.0).abs() < 1e-9);
        assert_eq!(Logo::parse_file(svg.as_bytes(), "top-left").unwrap(), one);
        assert_eq!(Logo::parse_file(&png(), "").unwrap(), dots);
        assert!(Logo::parse_file(b"GIF89a", "").is_err());
        let script = "data:image/svg+xml,<svg><script>x</script></svg>";
        let huge = format!("data:image/png;base64,{}", "A".repeat(MAX_URI_BYTES));
        for invalid in
            ["logo.png", "data:", "data:text/html,x", "data:image/png;base64,AA", script, &huge]
        {
            assert!(Logo::parse(invalid, "").is_err(), "{invalid:.40}");
        }
    }
}
