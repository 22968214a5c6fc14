//! Compression of the pixels in bands of rows, as the zlib stream of a PNG file (RFC 1950).

use std::ops::Range;
use std::thread;
use std::time::Duration;

use flate2::{Compress, Compression, FlushCompress, Status};
use simd_adler32::Adler32;

use crate::png::load::RunningImage;
use crate::png::pool::Pool;
use crate::png::rows;
use crate::png::rows::Layout;

/// Compression level. Level 2 of zlib-rs takes a fifth of the time of the default level for 10 %
/// more bytes.
const DEFLATE_LEVEL: u32 = 2;
/// First bytes of a zlib stream: the method deflate with a window of 32 KiB, and a fast level.
const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];
/// Number of rows that are packed at a time. All rows together would double the memory.
const BAND_ROWS: usize = 64;
/// Minimum number of pixels of an image that is compressed in two parts. Starting a thread takes as long
/// as compressing 20,000 pixels.
const MIN_SPLIT_PIXELS: usize = 500_000;

/// Reusable buffers. Allocating the deflate tables takes 10 % of the time of a small image.
struct Buffers {
    deflate: Compress,
    rows: Vec<u8>,
}

static BUFFERS: Pool<Buffers> = Pool::new();

/// Frees the buffers that no image has used for `time`.
pub fn release_idle_buffers(time: Duration) {
    BUFFERS.drop_idle(time);
}

/// The pixels of an image in memory.
#[derive(Clone, Copy)]
pub struct RowImage<'a> {
    pub pixels: &'a [u8],
    /// Width in pixels.
    pub width: usize,
    pub layout: Layout,
}

/// Some rows as deflate blocks.
struct Part {
    blocks: Vec<u8>,
    /// Checksum of the filtered rows, and their bytes.
    checksum: u32,
    bytes: usize,
}

impl RowImage<'_> {
    /// Filters the rows as PNG requires and compresses them. Returns the zlib stream.
    ///
    /// A large image is compressed in two parts, at the same time on two threads if no other image is
    /// rendered. The bytes are the same in both cases.
    ///
    /// # Errors
    /// If the compression fails, which is not expected.
    pub fn compress(self, running: &RunningImage) -> Result<Vec<u8>, png::EncodingError> {
        let height = self.pixels.len() / self.row_bytes().max(1);
        let middle = (height / 2).next_multiple_of(BAND_ROWS);
        if self.width * height < MIN_SPLIT_PIXELS || middle >= height {
            return Ok(join(&[self.deflate(0..height, true)?]));
        }
        let deflate_second = || self.deflate(middle..height, true);
        let (first, second) = thread::scope(|scope| {
            let thread = running.is_only_one().then(|| {
                // Fails if the system has no further thread.
                thread::Builder::new().spawn_scoped(scope, deflate_second).ok()
            });
            let first = self.deflate(0..middle, false);
            let second = match thread.flatten() {
                Some(thread) => {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                None => deflate_second(),
            };
            (first, second)
        });
        Ok(join(&[first?, second?]))
    }

    /// Returns the length of a row of pixels in memory in bytes.
    fn row_bytes(&self) -> usize {
        self.width * self.layout.memory_depth()
    }

    /// Filters and compresses the rows with these indices. The blocks end at a whole byte, and end the
    /// stream if `is_last`.
    fn deflate(&self, rows: Range<usize>, is_last: bool) -> Result<Part, png::EncodingError> {
        let mut buffers = BUFFERS.acquire().unwrap_or_else(|| Buffers {
            deflate: Compress::new(Compression::new(DEFLATE_LEVEL), false),
            rows: Vec::new(),
        });
        let row_bytes = self.row_bytes();
        let length = self.width * self.layout.depth() + 1;
        let mut blocks = Vec::with_capacity((length * rows.len() / 24).max(4096));
        let mut checksum = Adler32::new();
        buffers.deflate.reset();
        for first in rows.clone().step_by(BAND_ROWS) {
            let last = (first + BAND_ROWS).min(rows.end);
            // Includes the row above the band, because the filter of its first row needs it.
            let above = first.min(1);
            buffers.rows.resize(length * (last - first + above), 0);
            let band = &self.pixels[(first - above) * row_bytes..last * row_bytes];
            for (from, to) in
                band.chunks_exact(row_bytes).zip(buffers.rows.chunks_exact_mut(length))
            {
                rows::fill_row(from, self.layout, to);
            }
            rows::filter_rows(&mut buffers.rows, length, self.layout.depth());
            let flush = match (last == rows.end, is_last) {
                (false, _) => FlushCompress::None,
                (true, false) => FlushCompress::Sync,
                (true, true) => FlushCompress::Finish,
            };
            let filtered = &buffers.rows[above * length..];
            checksum.write(filtered);
            compress_all(&mut buffers.deflate, filtered, flush, &mut blocks)?;
        }
        BUFFERS.release(buffers);
        Ok(Part { blocks, checksum: checksum.finish(), bytes: length * rows.len() })
    }
}

/// Joins parts, which must be in the order of the rows, to a zlib stream with header and checksum.
fn join(parts: &[Part]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.blocks.len()).sum();
    let mut stream = Vec::with_capacity(length + 6);
    stream.extend(ZLIB_HEADER);
    let mut checksum = 1;
    for part in parts {
        stream.extend(&part.blocks);
        checksum = join_checksums(checksum, part.checksum, part.bytes);
    }
    stream.extend(checksum.to_be_bytes());
    stream
}

/// Returns the Adler-32 checksum (RFC 1950) of bytes with the checksum `one`, followed by `bytes` bytes
/// with the checksum `other`.
fn join_checksums(one: u32, other: u32, bytes: usize) -> u32 {
    /// The largest prime below 65,536.
    const MODULUS: u64 = 65_521;
    let halves = |checksum: u32| (u64::from(checksum & 0xffff), u64::from(checksum >> 16));
    let ((sum_one, sums_one), (sum_other, sums_other)) = (halves(one), halves(other));
    // Each sum starts at 1, which counts only once.
    let sum = (sum_one + sum_other + MODULUS - 1) % MODULUS;
    let repeated = (bytes as u64 % MODULUS) * (sum_one + MODULUS - 1);
    let sums = (sums_one + sums_other + repeated) % MODULUS;
    (sums << 16 | sum) as u32
}

/// Compresses all of `rows` and appends the result to `out`. With `FlushCompress::None`, the last blocks may
/// stay in `deflate` for the next call. `FlushCompress::Finish` ends the stream.
fn compress_all(
    deflate: &mut Compress,
    mut rows: &[u8],
    flush: FlushCompress,
    out: &mut Vec<u8>,
) -> Result<(), png::EncodingError> {
    loop {
        let before = deflate.total_in();
        let status = deflate
            .compress_vec(rows, out, flush)
            .map_err(|error| png::EncodingError::IoError(error.into()))?;
        rows = &rows[(deflate.total_in() - before) as usize..];
        let is_done = match flush {
            FlushCompress::Finish => status == Status::StreamEnd,
            FlushCompress::None => rows.is_empty(),
            // If the buffer is full, further bytes of the blocks may wait.
            _ => rows.is_empty() && out.len() < out.capacity(),
        };
        if is_done {
            return Ok(());
        }
        out.reserve(out.capacity());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_blocks_are_written_whatever_the_capacity_of_the_buffer_is() {
        let rows: Vec<u8> = (0..20_000u32).map(|index| (index * index / 77 % 251) as u8).collect();
        for capacity in (1..12_000).step_by(53) {
            let mut blocks = Vec::with_capacity(capacity);
            let mut deflate = Compress::new(Compression::new(DEFLATE_LEVEL), false);
            compress_all(&mut deflate, &rows, FlushCompress::Sync, &mut blocks).expect("blocks");
            let mut found = Vec::with_capacity(rows.len() + 1);
            let mut inflate = flate2::Decompress::new(false);
            inflate
                .decompress_vec(&blocks, &mut found, flate2::FlushDecompress::Sync)
                .expect("valid blocks");
            assert!(found == rows, "{} bytes with {capacity}", found.len());
        }
    }

    #[test]
    fn checksums_are_joined() {
        let bytes: Vec<u8> = (0..200_000u32).map(|index| (index * 31 % 253) as u8).collect();
        let checksum = |bytes: &[u8]| {
            let mut checksum = Adler32::new();
            checksum.write(bytes);
            checksum.finish()
        };
        for middle in [0, 1, 65_521, 123_456, 200_000] {
            let (one, other) = bytes.split_at(middle);
            let joined = join_checksums(checksum(one), checksum(other), other.len());
            assert_eq!(joined, checksum(&bytes), "{middle}");
        }
    }
}
