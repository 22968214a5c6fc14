//! Checks of uploaded files.

use super::rules::AssetType;
use super::rules::MAX_ASSET_BYTES;
use super::svg_sanitizer;
use crate::features::portfolio;
use chartroom_charts::logo::Logo;
use chartroom_charts::text;
use chartroom_charts::text::FontProperties;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Memory in bytes that the check of an image takes at most: 4 million pixels with up to 16 bytes.
pub const IMAGE_MEMORY_BYTES: u64 = 66 << 20;

/// A checked file.
#[derive(Debug, Clone)]
pub struct AssetContent {
    /// Type, from the content.
    pub asset_type: AssetType,
    /// Properties of a font.
    pub font: Option<FontProperties>,
    /// SHA-256 of `body`.
    pub hash: Sha256Hash,
    /// Bytes to store. An SVG is sanitized, other files are unchanged.
    pub body: Vec<u8>,
}

impl AssetContent {
    /// Checks an uploaded file by its content. `field` names the file in the error. Decodes images
    /// and compressed fonts.
    ///
    /// # Errors
    /// `InvalidFields` about `field` if the file has another type, is damaged, or breaks a limit of
    /// its type. `TooLarge` if it has more than [`MAX_ASSET_BYTES`].
    pub fn check(field: &str, file: &[u8]) -> Result<Self> {
        let invalid = |message: &str| Error::invalid_field(field, message);
        if file.len() > MAX_ASSET_BYTES {
            let text = format!("a file of an organization may have {} MiB", MAX_ASSET_BYTES >> 20);
            return Err(Error::TooLarge(text));
        }
        let asset_type = AssetType::detect(file).ok_or_else(|| {
            invalid("must be a PNG, JPEG, WebP or SVG image, or a WOFF2, TTF or OTF font")
        })?;
        let (mut font, mut sanitized) = (None, None);
        match asset_type {
            AssetType::Svg => {
                let svg = svg_sanitizer::sanitize_svg(file, MAX_ASSET_BYTES);
                sanitized = Some(svg.map_err(|rule| invalid(&format!("the SVG {rule}")))?);
            }
            AssetType::Png | AssetType::Jpeg | AssetType::Webp => {
                Logo::parse_file(file, "").map_err(|_| {
                    invalid(
                        "must be an intact image of at most 4,096 pixels per side and 4 million \
                         pixels",
                    )
                })?;
            }
            AssetType::Woff2 | AssetType::Ttf | AssetType::Otf => {
                let decoded = portfolio::decode_font(file);
                let properties = decoded.and_then(|font| text::read_font_properties(&font));
                font = Some(properties.ok_or_else(|| {
                    invalid("must be an intact font with a family name and a character map")
                })?);
            }
        }
        let body = sanitized.map_or_else(|| file.to_vec(), String::into_bytes);
        Ok(Self { asset_type, font, hash: crypto::sha256(&body), body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_rejected() {
        let check = |file: &[u8], want: &str| {
            let error = AssetContent::check("file", file).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        };
        check(b"", "must be a PNG");
        check(b"GIF89a", "must be a PNG");
        check(b"\x89PNG\r\n\x1a\n", "must be an intact image");
        check(b"\xff\xd8\xff\xe0 no image", "must be an intact image");
        check(b"wOF2 no font", "must be an intact font");
        check(&notosans::REGULAR_TTF[..2000], "must be an intact font");
        check(b"<html>", "the SVG must");
        check(&vec![b' '; MAX_ASSET_BYTES + 1], "5 MiB");
    }

    #[test]
    fn a_font_has_its_family_and_an_svg_is_sanitized() {
        let font = AssetContent::check("file", notosans::BOLD_TTF).unwrap();
        let properties = font.font.unwrap();
        assert_eq!((font.asset_type, properties.family.as_str()), (AssetType::Ttf, "Noto Sans"));
        assert_eq!((properties.weights, properties.is_italic), ((700, 700), false));
        assert_eq!(font.body, notosans::BOLD_TTF);
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='a()'><rect width='1'/></svg>";
        let svg = AssetContent::check("file", svg).unwrap();
        let expected = "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"1\"/></svg>";
        assert_eq!(String::from_utf8(svg.body).unwrap(), expected);
    }
}
