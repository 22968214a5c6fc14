//! Types, names and limits of assets.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use unicode_normalization::UnicodeNormalization;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum size of an asset in bytes.
pub const MAX_ASSET_BYTES: usize = 5 << 20;
/// Maximum number of assets of an organization. Their list has no pages.
pub const MAX_ASSETS: u32 = 100;
/// Maximum length of a filename in characters.
const MAX_FILENAME_CHARS: usize = 100;

/// Type of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetType {
    /// Raster image.
    Png,
    /// Raster image.
    Jpeg,
    /// Raster image.
    Webp,
    /// Vector image.
    Svg,
    /// Compressed font.
    Woff2,
    /// Font with TrueType outlines.
    Ttf,
    /// Font with PostScript outlines.
    Otf,
}

impl AssetType {
    /// All types.
    const ALL: [Self; 7] =
        [Self::Png, Self::Jpeg, Self::Webp, Self::Svg, Self::Woff2, Self::Ttf, Self::Otf];

    /// Returns the media type, which is also the stored name.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Svg => "image/svg+xml",
            Self::Woff2 => "font/woff2",
            Self::Ttf => "font/ttf",
            Self::Otf => "font/otf",
        }
    }

    /// Returns whether the type is a font.
    pub fn is_font(self) -> bool {
        matches!(self, Self::Woff2 | Self::Ttf | Self::Otf)
    }

    /// Returns whether the type is a raster image.
    pub fn is_raster(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg | Self::Webp)
    }

    /// Returns the type of a file by its first bytes. None if it is unknown. Text that may be XML
    /// counts as SVG.
    pub fn detect(file: &[u8]) -> Option<Self> {
        match file {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'w', b'O', b'F', b'2', ..] => Some(Self::Woff2),
            [0, 1, 0, 0, ..] | [b't', b'r', b'u', b'e', ..] => Some(Self::Ttf),
            [b'O', b'T', b'T', b'O', ..] => Some(Self::Otf),
            _ => {
                let text = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
                (text.trim_ascii_start().first() == Some(&b'<')).then_some(Self::Svg)
            }
        }
    }
}

impl ToSql for AssetType {
    /// Stores the media type.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.media_type()))
    }
}

impl FromSql for AssetType {
    /// Reads the media type. Another text is an `InvalidType`.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let found = Self::ALL.into_iter().find(|kind| kind.media_type() == text);
        found.ok_or(FromSqlError::InvalidType)
    }
}

/// Returns the filename of an asset in Unicode NFC, as it is stored. Some systems spell the same
/// letters in another way. The name may be invalid.
pub fn normalize_filename(text: &str) -> String {
    text.nfc().collect()
}

/// Parses the filename of an asset: 1 to 100 letters, digits, spaces and the
/// characters `.`, `_`, `-`, `(`, `)`, in Unicode NFC. It does not begin with a dot, and neither
/// begins nor ends with a space. `field` is the name of the field in the error.
///
/// # Errors
/// `InvalidFields` about `field`.
pub fn parse_filename(field: &str, text: &str) -> Result<String> {
    let name = normalize_filename(text);
    let is_valid = |letter: char| letter.is_alphanumeric() || " ._-()".contains(letter);
    if !(1..=MAX_FILENAME_CHARS).contains(&name.chars().count())
        || !name.chars().all(is_valid)
        || name.starts_with(['.', ' '])
        || name.ends_with(' ')
    {
        let message = format!(
            "must have 1 to {MAX_FILENAME_CHARS} letters, digits, spaces or ._-() and must not \
             begin with a dot"
        );
        return Err(Error::invalid_field(field, message));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filenames_are_plain() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(parse_filename("filename", text).ok().as_deref(), want, "{text:?}");
        };
        check("logo.png", Some("logo.png"));
        check("Größe (2).svg", Some("Größe (2).svg"));
        check("Cafe\u{301}.svg", Some("Café.svg"));
        for invalid in ["", ".a", "..", " a", "a ", "a/b", "a\\b", "a\u{7}", "a:b", "a\"b"] {
            check(invalid, None);
        }
        check(&"x".repeat(101), None);
    }

    #[test]
    fn the_content_decides_about_the_type() {
        let check = |file: &[u8], want| assert_eq!(AssetType::detect(file), want, "{file:?}");
        check(b"\x89PNG\r\n\x1a\n", Some(AssetType::Png));
        check(b"\xff\xd8\xff\xe0", Some(AssetType::Jpeg));
        check(b"RIFF\0\0\0\0WEBPVP8 ", Some(AssetType::Webp));
        check(b"RIFF\0\0\0\0WAVE", None);
        check(b"wOF2", Some(AssetType::Woff2));
        check(b"wOFF", None);
        check(b"\0\x01\0\0", Some(AssetType::Ttf));
        check(b"OTTO", Some(AssetType::Otf));
        check("\u{feff} <svg".as_bytes(), Some(AssetType::Svg));
        check(b"GIF89a", None);
        check(b"", None);
    }
}
