//! Compression of version bodies with zstd, optionally with the content of another version as
//! prefix.

use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe;
use zstd::zstd_safe::CParameter;
use zstd::zstd_safe::DCtx;
use zstd::zstd_safe::DParameter;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// zstd level. Higher levels are slower and save little, because versions differ little.
const COMPRESSION_LEVEL: i32 = 3;
/// Total size of both contents from which long-distance matching is on.
const LONG_DISTANCE_MIN_BYTES: usize = 1 << 20;
/// Base-2 logarithm of the largest window: 128 MiB, several times the largest document.
const MAX_WINDOW_LOG: u32 = 27;

/// Compresses `content` with zstd and a checksum. `base` is similar, uncompressed content that
/// saves space. The result does not contain it, so that decompression needs the same `base` again.
pub fn compress(content: &[u8], base: Option<&[u8]>) -> Result<Vec<u8>> {
    let total = content.len() + base.map_or(0, <[u8]>::len);
    let mut compressor = Compressor::new(COMPRESSION_LEVEL)?;
    // Four bytes that detect damage.
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    if total > LONG_DISTANCE_MIN_BYTES {
        let window = usize::BITS - total.leading_zeros();
        compressor.set_parameter(CParameter::WindowLog(window.min(MAX_WINDOW_LOG)))?;
        compressor.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
    }
    if let Some(base) = base {
        compressor.context_mut().ref_prefix(base).map_err(zstd_error)?;
    }
    let mut body = compressor.compress(content)?;
    body.shrink_to_fit();
    Ok(body)
}

/// Returns the content of a compressed body. `base` must be the uncompressed content that it was
/// compressed against, or `None` if there was none.
///
/// # Errors
/// `Internal` if the body is damaged or if `base` does not lead to the original content.
pub fn decompress(body: &[u8], base: Option<&[u8]>) -> Result<Vec<u8>> {
    let size = zstd_safe::get_frame_content_size(body).ok().flatten();
    let size =
        size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size < 1 << MAX_WINDOW_LOG);
    let size = size.ok_or_else(|| Error::internal("the body of a version is damaged"))?;
    let mut context = DCtx::create();
    context.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG)).map_err(zstd_error)?;
    if let Some(base) = base {
        context.ref_prefix(base).map_err(zstd_error)?;
    }
    let mut content = Vec::with_capacity(size);
    context.decompress(&mut content, body).map_err(zstd_error)?;
    Ok(content)
}

/// Converts a zstd error code to an internal error.
fn zstd_error(code: zstd_safe::ErrorCode) -> Error {
    Error::from(io::Error::other(zstd_safe::get_error_name(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pseudo-random letters, which do not compress well.
    fn random_text(length: usize) -> Vec<u8> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'a' + u8::try_from(state >> 60).unwrap_or_default()
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn content_similar_to_its_base_becomes_a_small_body_at_any_size() {
        for size in [0, 1, 700, 70_000, 3_000_000, 17_000_000] {
            let base = random_text(size);
            let mut content = base.clone();
            let middle = size / 2;
            content.splice(middle..middle, b"[something new]".iter().copied());
            let body = compress(&content, Some(&base)).unwrap();
            assert!(body.len() < 200 + size / 5000, "{size}: {}", body.len());
            assert_eq!(decompress(&body, Some(&base)).unwrap(), content, "{size}");
            let alone = compress(&content, None).unwrap();
            assert_eq!(decompress(&alone, None).unwrap(), content, "{size}");
        }
    }

    #[test]
    fn decompression_detects_damage_and_a_wrong_base() {
        let base = random_text(5000);
        let content = [&base[..], b"more"].concat();
        let body = compress(&content, Some(&base)).unwrap();
        assert!(decompress(&body, None).is_err());
        let mut other = base.clone();
        other[100] ^= 1;
        assert!(decompress(&body, Some(&other)).is_err());
        assert!(decompress(&body[..body.len() - 1], Some(&base)).is_err());
        assert!(decompress(b"", None).is_err());
        assert!(decompress(b"nonsense", None).is_err());
    }
}
