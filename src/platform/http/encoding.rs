//! Compressed bodies: which encoding a client takes, and the bytes in it.

use std::cell::RefCell;
use std::io::Write;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// Smaller bodies fit into one packet anyway.
pub const MIN_BYTES: usize = 1024;

/// Levels chosen for speed: about 100 MB/s and more on one core, most of the gain.
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
    /// All, the preferred (fastest for its size) first.
    pub const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    /// The word in `Content-Encoding` and `Accept-Encoding`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// What the entity tag of the compressed bytes ends in.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Zstd => "-zs",
            Self::Brotli => "-br",
            Self::Gzip => "-gz",
        }
    }

    /// What the client likes best of those that we have.
    pub fn accepted(headers: &HeaderMap) -> Option<Self> {
        let list = headers.get(ACCEPT_ENCODING)?.to_str().ok()?;
        let weigh = |encoding: Self| {
            let named = |word: &str| {
                list.split(',').find_map(|item| {
                    let (name, params) = item.split_once(';').unwrap_or((item, ""));
                    name.trim().eq_ignore_ascii_case(word).then(|| weight(params))
                })
            };
            named(encoding.word()).or_else(|| named("*")).unwrap_or(0)
        };
        let mut best = (0, None);
        for encoding in Self::ALL {
            let weight = weigh(encoding);
            if weight > best.0 {
                best = (weight, Some(encoding));
            }
        }
        best.1
    }

    /// The bytes in this encoding, or nothing when that failed or is no gain.
    pub fn encode(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let encoded = match self {
            Self::Zstd => zstd(bytes),
            Self::Brotli => brotli(bytes),
            Self::Gzip => gzip(bytes),
        }?;
        (encoded.len() < bytes.len()).then_some(encoded)
    }
}

/// A `q` parameter in thousandths; 1000 when there is none or it cannot be read.
fn weight(params: &str) -> u32 {
    let q = params.split(';').find_map(|it| it.trim().strip_prefix("q="));
    let Some(q) = q.and_then(|it| it.trim().parse::<f32>().ok()) else { return 1000 };
    // A quality is between 0 and 1, so that the product fits.
    (q.clamp(0.0, 1.0) * 1000.0) as u32
}

fn zstd(bytes: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        // Kept, since making one costs more than compressing a few kilobytes.
        static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> =
            const { RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|kept| {
        if kept.is_none() {
            *kept = zstd::bulk::Compressor::new(ZSTD_LEVEL).ok();
        }
        kept.as_mut()?.compress(bytes).ok()
    })
}

fn brotli(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoded = Vec::with_capacity(bytes.len() / 2);
    let params = BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    brotli::BrotliCompress(&mut bytes, &mut encoded, &params).ok()?;
    Some(encoded)
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let encoded = Vec::with_capacity(bytes.len() / 2);
    let mut encoder = GzEncoder::new(encoded, Compression::new(GZIP_LEVEL));
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// Whether bodies of this media type shrink. Pictures, fonts and archives already are small.
pub fn shrinks(content_type: &str) -> bool {
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
    fn the_client_chooses_and_ties_go_to_the_fastest() {
        let check = |header: &'static str, want| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, header.parse().unwrap());
            assert_eq!(Encoding::accepted(&headers), want, "{header}");
        };
        check("gzip, deflate, br, zstd", Some(Encoding::Zstd));
        check("gzip, br", Some(Encoding::Brotli));
        check("GZIP;q=1.0, br;q=0.5", Some(Encoding::Gzip));
        check("*", Some(Encoding::Zstd));
        check("*;q=0.5, zstd;q=0", Some(Encoding::Brotli));
        check("identity", None);
        check("gzip;q=0", None);
        check("", None);
    }

    #[test]
    fn bodies_come_back_from_every_encoding() {
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
    fn what_does_not_shrink_is_left_alone() {
        for kind in ["image/png", "font/woff2", "application/zip"] {
            assert!(!shrinks(kind), "{kind}");
        }
        for kind in ["text/html; charset=utf-8", "image/svg+xml", "application/problem+json"] {
            assert!(shrinks(kind), "{kind}");
        }
        assert_eq!(Encoding::Gzip.encode(b"x"), None);
    }
}
