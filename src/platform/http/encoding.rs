//! Content encodings: negotiation with the client, and compression of bodies.

use std::cell::RefCell;
use std::io::Write;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// Minimum size in bytes of a body to compress. Smaller bodies fit into one packet anyway.
pub const MIN_COMPRESSIBLE_BYTES: usize = 1024;

// Levels chosen for speed: at least 100 MB/s on one core with most of the size reduction.
const ZSTD_LEVEL: i32 = 3;
const BROTLI_QUALITY: i32 = 4;
const GZIP_LEVEL: u32 = 4;

/// A content encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Zstandard (RFC 8878).
    Zstd,
    /// Brotli (RFC 7932).
    Brotli,
    /// Gzip (RFC 1952).
    Gzip,
}

impl Encoding {
    /// All encodings in order of preference, the fastest one first.
    pub const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    /// Returns the name in `Content-Encoding` and `Accept-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Returns the suffix of the entity tag of a compressed body, which precedes the closing quote.
    pub fn etag_suffix(self) -> &'static str {
        match self {
            Self::Zstd => "-zs",
            Self::Brotli => "-br",
            Self::Gzip => "-gz",
        }
    }

    /// Returns the supported encoding that the client prefers, by `Accept-Encoding`. Returns None
    /// if it accepts none of them or the header is absent.
    ///
    /// All header lines count, except those that are not visible ASCII. `*` stands for the
    /// encodings that they do not name. Equal preferences are resolved by the order of
    /// [`Encoding::ALL`].
    pub fn negotiate(headers: &HeaderMap) -> Option<Self> {
        let lines =
            || headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        let quality_of = |encoding: Self| {
            let quality_of_name = |wanted: &str| {
                lines().flat_map(|line| line.split(',')).find_map(|item| {
                    let (name, params) = item.split_once(';').unwrap_or((item, ""));
                    name.trim().eq_ignore_ascii_case(wanted).then(|| parse_quality(params))
                })
            };
            quality_of_name(encoding.name()).or_else(|| quality_of_name("*")).unwrap_or(0)
        };
        let mut best = (0, None);
        for encoding in Self::ALL {
            let quality = quality_of(encoding);
            if quality > best.0 {
                best = (quality, Some(encoding));
            }
        }
        best.1
    }

    /// Compresses `bytes`. Returns None if that fails or does not make them smaller.
    pub fn encode(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let encoded = match self {
            Self::Zstd => compress_zstd(bytes),
            Self::Brotli => compress_brotli(bytes),
            Self::Gzip => compress_gzip(bytes),
        }?;
        (encoded.len() < bytes.len()).then_some(encoded)
    }
}

/// Parses the parameter `q` and returns it in thousandths, rounded down and limited to 0 to 1000.
/// Returns 1000 if it is absent or not a number.
pub(crate) fn parse_quality(params: &str) -> u32 {
    let q = params
        .split(';')
        .find_map(|param| param.trim().strip_prefix(['q', 'Q'])?.strip_prefix('='));
    // The parser also reads `nan` and `inf`.
    let q = q.and_then(|text| text.trim().parse::<f32>().ok()).filter(|q| q.is_finite());
    let Some(q) = q else { return 1000 };
    // The clamped product fits into u32.
    (q.clamp(0.0, 1.0) * 1000.0) as u32
}

/// Compresses at `ZSTD_LEVEL` with the reused compressor of this thread. Returns None if that
/// fails.
fn compress_zstd(bytes: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        // Reused, because creating a compressor costs more than compressing a few kilobytes.
        static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> =
            const { RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|compressor| {
        if compressor.is_none() {
            *compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL).ok();
        }
        compressor.as_mut()?.compress(bytes).ok()
    })
}

/// Compresses at [`BROTLI_QUALITY`]. Returns None if that fails.
fn compress_brotli(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoded = Vec::with_capacity(bytes.len() / 2);
    let params = BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    brotli::BrotliCompress(&mut bytes, &mut encoded, &params).ok()?;
    Some(encoded)
}

/// Compresses at `GZIP_LEVEL`. Returns None if that fails.
fn compress_gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let encoded = Vec::with_capacity(bytes.len() / 2);
    let mut encoder = GzEncoder::new(encoded, Compression::new(GZIP_LEVEL));
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// Returns whether the server compresses bodies of this media type: text, JSON, XML (with SVG),
/// JavaScript and WebAssembly.
///
/// The type must be in lower case. Its parameters are ignored. Bitmap images, fonts and archives
/// are compressed already.
pub fn is_compressible(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    kind.starts_with("text/")
        || kind.ends_with("json")
        || kind.ends_with("xml")
        || matches!(kind, "application/javascript" | "application/wasm")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_client_chooses_and_ties_are_resolved_by_speed() {
        let check = |header: &'static str, want| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, header.parse().unwrap());
            assert_eq!(Encoding::negotiate(&headers), want, "{header}");
        };
        check("gzip, deflate, br, zstd", Some(Encoding::Zstd));
        check("gzip, br", Some(Encoding::Brotli));
        check("GZIP;q=1.0, br;q=0.5", Some(Encoding::Gzip));
        check("*", Some(Encoding::Zstd));
        check("*;q=0.5, zstd;q=0", Some(Encoding::Brotli));
        check("identity", None);
        check("gzip;q=0", None);
        check("gzip;Q=0.5, br;q=0.1", Some(Encoding::Gzip));
        for quality in ["gzip;q=nan", "gzip;q=-inf", "gzip;q=high"] {
            check(quality, Some(Encoding::Gzip));
        }
        check("", None);
    }

    #[test]
    fn all_header_lines_count() {
        let check = |lines: &[&[u8]], want| {
            let mut headers = HeaderMap::new();
            for line in lines {
                let line = hyper::header::HeaderValue::from_bytes(line).unwrap();
                headers.append(ACCEPT_ENCODING, line);
            }
            assert_eq!(Encoding::negotiate(&headers), want, "{lines:?}");
        };
        check(&[b"identity", b"gzip"], Some(Encoding::Gzip));
        check(&[b"gzip;q=0", b"br;q=0.1"], Some(Encoding::Brotli));
        check(&[b"\xff", b"br"], Some(Encoding::Brotli));
        check(&[b"*;q=0", b"zstd"], Some(Encoding::Zstd));
        check(&[], None);
    }

    #[test]
    fn every_encoding_round_trips() {
        let text = "a chart of many bars, ".repeat(200);
        let bytes = text.as_bytes();
        let zs = Encoding::Zstd.encode(bytes).unwrap();
        assert_eq!(zstd::decode_all(zs.as_slice()).unwrap(), bytes);
        let mut plain = Vec::new();
        let br = Encoding::Brotli.encode(bytes).unwrap();
        brotli::Decompressor::new(br.as_slice(), 4096).read_to_end(&mut plain).unwrap();
        assert_eq!(plain, bytes);
        let gz = Encoding::Gzip.encode(bytes).unwrap();
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(gz.as_slice()).read_to_end(&mut plain).unwrap();
        assert_eq!(plain, bytes);
    }

    #[test]
    fn compressed_media_types_and_tiny_bodies_are_not_compressed() {
        for kind in ["image/png", "font/woff2", "application/zip"] {
            assert!(!is_compressible(kind), "{kind}");
        }
        for kind in ["text/html; charset=utf-8", "image/svg+xml", "application/problem+json"] {
            assert!(is_compressible(kind), "{kind}");
        }
        assert_eq!(Encoding::Gzip.encode(b"x"), None);
    }
}
