//! Decoding of WOFF2 font files.

use std::io::Read;
use std::panic;
use std::panic::AssertUnwindSafe;

use brotli::Decompressor;

/// Size of the input buffer of the decompressor in bytes.
const BUFFER_BYTES: usize = 16 << 10;

/// Decodes a WOFF2 file to a TrueType or OpenType file of at most `max_bytes` bytes. None if the
/// file is not valid or larger.
pub fn decode_woff2(bytes: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
    let mut decompress = |compressed: &[u8], size: usize| {
        if size > max_bytes {
            return Err("the font is too large".into());
        }
        let mut out = Vec::with_capacity(size);
        // One byte more shows that there is more data than the header says.
        Decompressor::new(compressed, BUFFER_BYTES).take(size as u64 + 1).read_to_end(&mut out)?;
        Ok(out)
    };
    // The decoder checks its input, but not all its index operations are proven safe from panics.
    let decode =
        AssertUnwindSafe(|| wuff::decompress_woff2_with_custom_brotli(bytes, &mut decompress).ok());
    let decoded = panic::catch_unwind(decode).ok().flatten()?;
    (decoded.len() <= max_bytes).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use ttf2woff2::BrotliQuality;

    use super::*;
    use crate::text::read_font_properties;

    #[test]
    fn an_encoded_font_is_decoded_to_the_same_family() {
        let woff2 = ttf2woff2::encode(notosans::BOLD_TTF, BrotliQuality::from(1)).unwrap();
        let decoded = decode_woff2(&woff2, 4 << 20).unwrap();
        assert_eq!(read_font_properties(&decoded).unwrap().family, "Noto Sans");
        assert_eq!(decode_woff2(&woff2, 1000), None, "larger than the limit");
        for length in (0..woff2.len()).step_by(woff2.len() / 40) {
            assert_eq!(decode_woff2(&woff2[..length], 4 << 20), None, "{length} bytes");
        }
    }
}
