//! Bodies of versions: zstd, against another version's content where there is one.

use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe;
use zstd::zstd_safe::CParameter;
use zstd::zstd_safe::DCtx;
use zstd::zstd_safe::DParameter;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Fast, and as small as higher levels where versions differ little.
const LEVEL: i32 = 3;
/// From this size of both contents on, equal parts that lie far from each other are looked for.
const FAR: usize = 1 << 20;
/// Logarithm of the largest window: 128 MiB, several of the largest documents.
const MOST_WINDOW: u32 = 27;

/// Compresses a content; `base` is the content that it resembles.
pub fn pack(content: &[u8], base: Option<&[u8]>) -> Result<Vec<u8>> {
    let total = content.len() + base.map_or(0, <[u8]>::len);
    let mut compressor = Compressor::new(LEVEL)?;
    // Only to tell damage from content: four bytes.
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    if total > FAR {
        let window = usize::BITS - total.leading_zeros();
        compressor.set_parameter(CParameter::WindowLog(window.min(MOST_WINDOW)))?;
        compressor.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
    }
    if let Some(base) = base {
        compressor.context_mut().ref_prefix(base).map_err(failed)?;
    }
    let mut body = compressor.compress(content)?;
    body.shrink_to_fit();
    Ok(body)
}

/// The content of a body that was compressed against `base`.
///
/// # Errors
/// Internal, when the body is damaged or the base is another one.
pub fn unpack(body: &[u8], base: Option<&[u8]>) -> Result<Vec<u8>> {
    let size = zstd_safe::get_frame_content_size(body).ok().flatten();
    let size = size.and_then(|it| usize::try_from(it).ok()).filter(|it| *it < 1 << MOST_WINDOW);
    let size = size.ok_or_else(|| Error::internal("the body of a version is damaged"))?;
    let mut context = DCtx::create();
    context.set_parameter(DParameter::WindowLogMax(MOST_WINDOW)).map_err(failed)?;
    if let Some(base) = base {
        context.ref_prefix(base).map_err(failed)?;
    }
    let mut content = Vec::with_capacity(size);
    context.decompress(&mut content, body).map_err(failed)?;
    Ok(content)
}

fn failed(code: zstd_safe::ErrorCode) -> Error {
    Error::from(io::Error::other(zstd_safe::get_error_name(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text that does not repeat itself.
    fn text(length: usize) -> Vec<u8> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'a' + u8::try_from(state >> 60).unwrap_or_default()
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn what_differs_little_takes_little_whatever_its_size() {
        for size in [0, 1, 700, 70_000, 3_000_000, 17_000_000] {
            let base = text(size);
            let mut content = base.clone();
            let middle = size / 2;
            content.splice(middle..middle, b"[something new]".iter().copied());
            let body = pack(&content, Some(&base)).unwrap();
            assert!(body.len() < 200 + size / 5000, "{size}: {}", body.len());
            assert_eq!(unpack(&body, Some(&base)).unwrap(), content, "{size}");
            let alone = pack(&content, None).unwrap();
            assert_eq!(unpack(&alone, None).unwrap(), content, "{size}");
        }
    }

    #[test]
    fn damage_and_another_base_are_noticed() {
        let base = text(5000);
        let content = [&base[..], b"more"].concat();
        let body = pack(&content, Some(&base)).unwrap();
        assert!(unpack(&body, None).is_err());
        let mut other = base.clone();
        other[100] ^= 1;
        assert!(unpack(&body, Some(&other)).is_err());
        assert!(unpack(&body[..body.len() - 1], Some(&base)).is_err());
        assert!(unpack(b"", None).is_err());
        assert!(unpack(b"nonsense", None).is_err());
    }
}
