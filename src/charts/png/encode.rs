//! Pixels to the bytes of a PNG file: packed, filtered and deflated in bands.
//!
//! The `png` crate writes the file; packing, filter and deflate run here over many rows at a time,
//! because going row by row through its stream cost as much as the deflate itself.

use flate2::{Compress, Compression, FlushCompress, Status};

use crate::png::spare::Spare;

/// Measured: level 2 of zlib-rs costs a fifth of the usual level for a tenth more bytes.
const LEVEL: u32 = 2;

/// How a row is told: the number that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    /// Bytes as they are.
    None = 0,
    /// Differences from the row above.
    Up = 2,
}

/// A row is told by its differences from the one above where these are at most this part of the
/// changes along it, one in so many. Measured on five typical charts: anything from a half to a
/// fifth is within a hundredth of the smallest file.
const CHANGES_PER_DIFFERENCE: usize = 3;

/// What is kept between pictures: its tables alone cost a tenth of a small picture.
struct Kept {
    deflate: Compress,
    rows: Vec<u8>,
}

static SPARE: Spare<Kept> = Spare::new();

/// Rows that are packed at a time; all of a picture would take as much memory as its pixels.
const BAND: usize = 64;

/// Encodes premultiplied RGBA; opaque pictures are written without alpha, a fifth smaller.
pub fn encode(
    pixels: &[u8],
    (width, height): (u16, u16),
    alpha: bool,
) -> Result<Vec<u8>, png::EncodingError> {
    let mut kept = SPARE.take().unwrap_or_else(|| Kept {
        deflate: Compress::new(Compression::new(LEVEL), true),
        rows: Vec::new(),
    });
    let data = deflated(&mut kept, pixels, usize::from(width), alpha)?;
    SPARE.give(kept);
    let mut out = Vec::with_capacity(data.len() + 128);
    let mut encoder = png::Encoder::new(&mut out, u32::from(width), u32::from(height));
    encoder.set_color(if alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_chunk(png::chunk::IDAT, &data)?;
    writer.finish()?;
    Ok(out)
}

/// The pixels as a compressed stream of filtered rows.
fn deflated(
    kept: &mut Kept,
    pixels: &[u8],
    width: usize,
    alpha: bool,
) -> Result<Vec<u8>, png::EncodingError> {
    let length = width * if alpha { 4 } else { 3 } + 1;
    let height = pixels.len() / (width * 4).max(1);
    let mut out = Vec::with_capacity((length * height / 24).max(4096));
    kept.deflate.reset();
    for first in (0..height).step_by(BAND) {
        let last = (first + BAND).min(height);
        // With the row above, from which the first one is told.
        let above = first.min(1);
        kept.rows.resize(length * (last - first + above), 0);
        fill_rows(
            &pixels[(first - above) * width * 4..last * width * 4],
            width,
            alpha,
            &mut kept.rows,
        );
        filter_rows(&mut kept.rows, length, if alpha { 4 } else { 3 });
        let flush = if last == height { FlushCompress::Finish } else { FlushCompress::None };
        feed(&mut kept.deflate, &kept.rows[above * length..], flush, &mut out)?;
    }
    Ok(out)
}

/// Each row begins with the number of its filter, 0 for now.
fn fill_rows(pixels: &[u8], width: usize, alpha: bool, rows: &mut [u8]) {
    let length = width * if alpha { 4 } else { 3 } + 1;
    for (from, to) in pixels.chunks_exact(width * 4).zip(rows.chunks_exact_mut(length)) {
        to[0] = Filter::None as u8;
        if alpha {
            to[1..].copy_from_slice(from);
            to[1..].chunks_exact_mut(4).for_each(unmultiply);
        } else {
            pack(from, &mut to[1..]);
        }
    }
}

/// Drops the alpha of opaque pixels, four pixels at a time: they make three whole words.
fn pack(pixels: &[u8], out: &mut [u8]) {
    for (from, to) in pixels.chunks_exact(16).zip(out.chunks_exact_mut(12)) {
        let word =
            |at: usize| u32::from_le_bytes([from[at * 4], from[at * 4 + 1], from[at * 4 + 2], 0]);
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

/// PNG does not know premultiplied colours.
fn unmultiply(pixel: &mut [u8]) {
    let alpha = u32::from(pixel[3]);
    if alpha > 0 && alpha < 255 {
        for channel in &mut pixel[..3] {
            *channel = ((u32::from(*channel) * 255 + alpha / 2) / alpha).min(255) as u8;
        }
    }
}

/// Turns rows into their differences from the ones above where that tells them shorter: upright
/// edges, grounds and level lines then are zeros, while letters and slopes stay as they are. From the
/// last row up, so that each is told from the untouched one above it.
fn filter_rows(rows: &mut [u8], length: usize, depth: usize) {
    let count = rows.len() / length;
    for row in (1..count).rev() {
        let (above, below) = rows.split_at_mut(row * length);
        let above = &above[(row - 1) * length + 1..];
        let (number, row) = below[..length].split_at_mut(1);
        if row == above {
            row.fill(0);
        } else if is_told_from(row, above, depth) {
            for (byte, over) in row.iter_mut().zip(above) {
                *byte = byte.wrapping_sub(*over);
            }
        } else {
            continue;
        }
        number[0] = Filter::Up as u8;
    }
}

/// Whether a row has few differences from the one above for the changes along itself.
fn is_told_from(row: &[u8], above: &[u8], depth: usize) -> bool {
    let differences = unequal(row, above);
    differences * CHANGES_PER_DIFFERENCE <= unequal(&row[depth..], row)
}

/// How many bytes differ, as far as both reach. By blocks whose count fits into a byte, which the
/// compiler turns into wide instructions.
fn unequal(one: &[u8], other: &[u8]) -> usize {
    let block = |(one, other): (&[u8], &[u8])| {
        let count: u8 = one.iter().zip(other).map(|(one, other)| u8::from(one != other)).sum();
        usize::from(count)
    };
    one.chunks(255).zip(other.chunks(255)).map(block).sum()
}

/// Compresses all of `rows`; with [`FlushCompress::Finish`] the stream ends with them.
fn feed(
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

    fn round_trip(pixels: &[u8], size: (u16, u16), alpha: bool) -> Vec<u8> {
        let file = encode(pixels, size, alpha).expect("an encoded picture");
        let decoder = png::Decoder::new(std::io::Cursor::new(file));
        let mut reader = decoder.read_info().expect("a readable picture");
        let mut out = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut out).expect("whole data");
        out
    }

    #[test]
    fn opaque_pixels_survive_without_their_alpha() {
        let pixels: Vec<u8> = (0..4 * 11 * 3).map(|it| (it * 7 % 251) as u8).collect();
        let expected: Vec<u8> =
            pixels.chunks_exact(4).flat_map(|it| it[..3].iter().copied()).collect();
        assert_eq!(round_trip(&pixels, (11, 3), false), expected);
    }

    #[test]
    fn see_through_pixels_get_their_colour_back() {
        let pixels = [64, 0, 128, 128, 9, 9, 9, 255, 0, 0, 0, 0];
        let expected = [128, 0, 255, 128, 9, 9, 9, 255, 0, 0, 0, 0];
        assert_eq!(round_trip(&pixels, (3, 1), true), expected);
    }

    /// Equal rows, edges that go down and rows like nothing above, over more than one band.
    #[test]
    fn rows_survive_however_they_are_told() {
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
        assert!(out.chunks_exact(3).eq(pixels.chunks_exact(4).map(|it| &it[..3])));
    }

    #[test]
    fn a_row_is_told_by_the_one_above_when_it_is_like_it() {
        let mut rows = vec![0; 4 * 13];
        rows[1..13].copy_from_slice(&[9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6]);
        rows.copy_within(1..13, 14);
        rows.copy_within(1..13, 27);
        rows[27] = 8;
        rows[40..].fill(200);
        filter_rows(&mut rows, 13, 3);
        let numbers: Vec<u8> = rows.chunks(13).map(|it| it[0]).collect();
        assert_eq!(numbers, [0, 2, 2, 0]);
        assert!(rows[14..26].iter().all(|it| *it == 0));
        assert_eq!(rows[27], 255);
    }

    #[test]
    fn differing_bytes_are_counted_across_blocks() {
        let one = vec![1; 1000];
        let mut other = one.clone();
        other.iter_mut().step_by(3).for_each(|it| *it = 2);
        assert_eq!(unequal(&one, &other), 334);
        assert_eq!(unequal(&one, &vec![2; 900]), 900);
    }

    #[test]
    fn data_that_do_not_shrink_are_whole_too() {
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let pixels: Vec<u8> = (0..4 * 300 * 200).map(|_| noise()).collect();
        let out = round_trip(&pixels, (300, 200), false);
        assert!(out.chunks_exact(3).eq(pixels.chunks_exact(4).map(|it| &it[..3])));
    }
}
