//! PNG encoding: packs, filters and deflates the pixels in bands of rows.
//!
//! The `png` crate only writes the file structure. Its row-by-row stream took as long as the
//! deflate compression itself, so this file packs, filters and compresses many rows at a time.

use flate2::{Compress, Compression, FlushCompress, Status};

use crate::png::pool::Pool;
use crate::png::surface::Pixels;

/// Compression level. Level 2 of zlib-rs takes a fifth of the time of the default level for 10 %
/// more bytes.
const DEFLATE_LEVEL: u32 = 2;

/// Filter type of a row, as in its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    /// Unfiltered bytes.
    None = 0,
    /// Differences from the row above.
    Up = 2,
}

/// Minimum number of changes along a row, per difference from the row above, to use [`Filter::Up`].
///
/// On five typical charts, every value from 2 to 5 is within 1 % of the smallest file.
const MIN_CHANGES_PER_DIFFERENCE: usize = 3;

/// Reusable buffers. Allocating the deflate tables takes 10 % of the time of a small image.
struct EncoderBuffers {
    deflate: Compress,
    rows: Vec<u8>,
}

static BUFFERS: Pool<EncoderBuffers> = Pool::new();

/// Number of rows that are packed at a time. All rows together would double the memory.
const BAND_ROWS: usize = 64;

/// Layout of the pixels of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Indices into the palette of the file.
    Indexed,
    /// Red, green and blue. Opaque images are 20 % smaller without an alpha channel.
    Rgb,
    /// Red, green, blue and straight alpha.
    Rgba,
}

impl Layout {
    /// Returns the number of bytes per pixel.
    fn depth(self) -> usize {
        match self {
            Layout::Indexed => 1,
            Layout::Rgb => 3,
            Layout::Rgba => 4,
        }
    }
}

/// Encodes pixels as a PNG file: with the palette of indexed pixels, and otherwise with an alpha
/// channel if `has_alpha`.
pub fn encode_pixels(
    pixels: Pixels,
    (width, height): (u16, u16),
    has_alpha: bool,
) -> Result<Vec<u8>, png::EncodingError> {
    let mut buffers = BUFFERS.acquire().unwrap_or_else(|| EncoderBuffers {
        deflate: Compress::new(Compression::new(DEFLATE_LEVEL), true),
        rows: Vec::new(),
    });
    let (pixels, layout, palette) = match pixels {
        Pixels::Indexed(indices, palette) => (indices, Layout::Indexed, palette),
        Pixels::Rgba(pixels) if has_alpha => (pixels, Layout::Rgba, &[][..]),
        Pixels::Rgba(pixels) => (pixels, Layout::Rgb, &[][..]),
    };
    let data = deflate_rows(&mut buffers, pixels, usize::from(width), layout)?;
    BUFFERS.release(buffers);
    let mut out = Vec::with_capacity(data.len() + 128);
    let mut encoder = png::Encoder::new(&mut out, u32::from(width), u32::from(height));
    encoder.set_color(match layout {
        Layout::Indexed => png::ColorType::Indexed,
        Layout::Rgb => png::ColorType::Rgb,
        Layout::Rgba => png::ColorType::Rgba,
    });
    if layout == Layout::Indexed {
        encoder.set_palette(palette.as_flattened());
    }
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_chunk(png::chunk::IDAT, &data)?;
    writer.finish()?;
    Ok(out)
}

/// Compresses the pixels as a zlib stream of filtered rows. `width` is in pixels.
fn deflate_rows(
    buffers: &mut EncoderBuffers,
    pixels: &[u8],
    width: usize,
    layout: Layout,
) -> Result<Vec<u8>, png::EncodingError> {
    let row_bytes = width * if layout == Layout::Indexed { 1 } else { 4 };
    let length = width * layout.depth() + 1;
    let height = pixels.len() / row_bytes.max(1);
    let mut out = Vec::with_capacity((length * height / 24).max(4096));
    buffers.deflate.reset();
    for first in (0..height).step_by(BAND_ROWS) {
        let last = (first + BAND_ROWS).min(height);
        // Includes the row above the band, because the filter of its first row needs it.
        let above = first.min(1);
        buffers.rows.resize(length * (last - first + above), 0);
        let band = &pixels[(first - above) * row_bytes..last * row_bytes];
        for (from, to) in band.chunks_exact(row_bytes).zip(buffers.rows.chunks_exact_mut(length)) {
            fill_row(from, layout, to);
        }
        filter_rows(&mut buffers.rows, length, layout.depth());
        let flush = if last == height { FlushCompress::Finish } else { FlushCompress::None };
        compress_all(&mut buffers.deflate, &buffers.rows[above * length..], flush, &mut out)?;
    }
    Ok(out)
}

/// Packs the pixels of a row into a row of the file, which starts with the filter type 0.
fn fill_row(pixels: &[u8], layout: Layout, row: &mut [u8]) {
    let (filter_type, bytes) = row.split_at_mut(1);
    filter_type[0] = Filter::None as u8;
    match layout {
        Layout::Indexed => bytes.copy_from_slice(pixels),
        Layout::Rgb => pack_rgb(pixels, bytes),
        Layout::Rgba => {
            bytes.copy_from_slice(pixels);
            bytes.chunks_exact_mut(4).for_each(unpremultiply);
        }
    }
}

/// Copies RGBA pixels as RGB. Copies four pixels at a time, because they form three 32-bit words.
fn pack_rgb(pixels: &[u8], out: &mut [u8]) {
    for (from, to) in pixels.chunks_exact(16).zip(out.chunks_exact_mut(12)) {
        let word = |index: usize| {
            u32::from_le_bytes([from[index * 4], from[index * 4 + 1], from[index * 4 + 2], 0])
        };
        let [one, two, three, four] = [word(0), word(1), word(2), word(3)];
        to[..4].copy_from_slice(&(one | two << 24).to_le_bytes());
        to[4..8].copy_from_slice(&(two >> 8 | three << 16).to_le_bytes());
        to[8..].copy_from_slice(&(three >> 16 | four << 8).to_le_bytes());
    }
    let whole = pixels.len() / 16;
    let rest = pixels[whole * 16..].chunks_exact(4);
    for (from, to) in rest.zip(out[whole * 12..].chunks_exact_mut(3)) {
        to.copy_from_slice(&from[..3]);
    }
}

/// Converts a pixel from premultiplied to straight alpha, which PNG requires. A fully transparent
/// pixel stays as it is.
fn unpremultiply(pixel: &mut [u8]) {
    let alpha = u32::from(pixel[3]);
    if alpha > 0 && alpha < 255 {
        for channel in &mut pixel[..3] {
            *channel = ((u32::from(*channel) * 255 + alpha / 2) / alpha).min(255) as u8;
        }
    }
}

/// Applies [`Filter::Up`] to the rows that it probably makes more compressible.
///
/// It turns vertical edges, areas and horizontal lines into zeros. Text and slopes stay unfiltered.
/// `length` is the length of a row in bytes including its filter type, `depth` the bytes per pixel.
/// Never filters the first row. Processes the last row first, because the filter needs the
/// unfiltered row above.
fn filter_rows(rows: &mut [u8], length: usize, depth: usize) {
    let count = rows.len() / length;
    for row in (1..count).rev() {
        let (above, below) = rows.split_at_mut(row * length);
        let above = &above[(row - 1) * length + 1..];
        let (filter_type, row) = below[..length].split_at_mut(1);
        if row == above {
            row.fill(0);
        } else if prefers_up_filter(row, above, depth) {
            for (byte, over) in row.iter_mut().zip(above) {
                *byte = byte.wrapping_sub(*over);
            }
        } else {
            continue;
        }
        filter_type[0] = Filter::Up as u8;
    }
}

/// Returns whether a row has few differences from the row above, compared to the changes along it.
fn prefers_up_filter(row: &[u8], above: &[u8], depth: usize) -> bool {
    let differences = count_unequal_bytes(row, above);
    differences * MIN_CHANGES_PER_DIFFERENCE <= count_unequal_bytes(&row[depth..], row)
}

/// Returns the number of bytes that differ, up to the length of the shorter slice.
///
/// Counts in blocks of 255 bytes, so that each count fits into a byte and the compiler can use
/// SIMD.
fn count_unequal_bytes(one: &[u8], other: &[u8]) -> usize {
    let block = |(one, other): (&[u8], &[u8])| {
        let count: u8 = one.iter().zip(other).map(|(one, other)| u8::from(one != other)).sum();
        usize::from(count)
    };
    one.chunks(255).zip(other.chunks(255)).map(block).sum()
}

/// Compresses all of `rows`. [`FlushCompress::Finish`] also ends the stream.
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
            _ => rows.is_empty(),
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

    fn round_trip(pixels: &[u8], size: (u16, u16), has_alpha: bool) -> Vec<u8> {
        let file = encode_pixels(Pixels::Rgba(pixels), size, has_alpha).expect("an encoded image");
        let decoder = png::Decoder::new(std::io::Cursor::new(file));
        let mut reader = decoder.read_info().expect("a readable image");
        let mut out = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut out).expect("complete data");
        out
    }

    #[test]
    fn opaque_pixels_survive_a_round_trip() {
        let pixels: Vec<u8> = (0..4 * 11 * 3).map(|index| (index * 7 % 251) as u8).collect();
        let expected: Vec<u8> =
            pixels.chunks_exact(4).flat_map(|pixel| pixel[..3].iter().copied()).collect();
        assert_eq!(round_trip(&pixels, (11, 3), false), expected);
    }

    #[test]
    fn translucent_pixels_keep_their_color() {
        let pixels = [64, 0, 128, 128, 9, 9, 9, 255, 0, 0, 0, 0];
        let expected = [128, 0, 255, 128, 9, 9, 9, 255, 0, 0, 0, 0];
        assert_eq!(round_trip(&pixels, (3, 1), true), expected);
    }

    /// Equal rows, vertical edges and unrelated rows, over more than one band.
    #[test]
    fn rows_survive_every_filter() {
        let (width, height) = (120, 150);
        let pixel = |x: usize, y: usize| {
            let bar = y % 20 < 10 && x > 8 && x < 20 + y / 20 * 10;
            let letter = y % 37 == 5 && x.is_multiple_of(3);
            let shade = match (letter, bar) {
                (true, _) => (x * 7 + y) as u8,
                (_, true) => 90,
                _ => 255,
            };
            [shade, shade / 2, shade, 255]
        };
        let pixels: Vec<u8> =
            (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
        let out = round_trip(&pixels, (width as u16, height as u16), false);
        assert!(out.chunks_exact(3).eq(pixels.chunks_exact(4).map(|pixel| &pixel[..3])));
    }

    #[test]
    fn similar_rows_use_the_up_filter() {
        let mut rows = vec![0; 4 * 13];
        rows[1..13].copy_from_slice(&[9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6]);
        rows.copy_within(1..13, 14);
        rows.copy_within(1..13, 27);
        rows[27] = 8;
        rows[40..].fill(200);
        filter_rows(&mut rows, 13, 3);
        let filter_types: Vec<u8> = rows.chunks(13).map(|row| row[0]).collect();
        assert_eq!(filter_types, [0, 2, 2, 0]);
        assert!(rows[14..26].iter().all(|byte| *byte == 0));
        assert_eq!(rows[27], 255);
    }

    #[test]
    fn differing_bytes_are_counted_across_blocks() {
        let one = vec![1; 1000];
        let mut other = one.clone();
        other.iter_mut().step_by(3).for_each(|byte| *byte = 2);
        assert_eq!(count_unequal_bytes(&one, &other), 334);
        assert_eq!(count_unequal_bytes(&one, &vec![2; 900]), 900);
    }

    #[test]
    fn incompressible_pixels_survive_a_round_trip() {
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let pixels: Vec<u8> = (0..4 * 300 * 200).map(|_| noise()).collect();
        let out = round_trip(&pixels, (300, 200), false);
        assert!(out.chunks_exact(3).eq(pixels.chunks_exact(4).map(|pixel| &pixel[..3])));
    }
}
