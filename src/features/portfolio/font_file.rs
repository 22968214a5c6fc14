//! Reading of font files.

use std::fs;
use std::path::Path;

/// Maximum size of a font file in bytes. Fonts for Chinese, Japanese and Korean have 5 to 20 MB.
const MAX_FONT_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a font file if it is a regular file of at most `MAX_FONT_BYTES`. Does not check that it
/// contains a font.
///
/// # Errors
/// A message without the path.
pub(super) fn read_font(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MAX_FONT_BYTES {
        return Err(format!("must be a file of at most {} MiB", MAX_FONT_BYTES >> 20));
    }
    fs::read(path).map_err(|error| error.to_string())
}
