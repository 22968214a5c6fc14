//! A raster image: decoding of PNG, JPEG and WebP within limits, PNG encoding, resampling.

use std::io::Cursor;

use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Maximum side of an image file that is decoded, in pixels.
const MAX_SIDE_PX: u32 = 4096;
/// Maximum number of pixels of an image file that is decoded.
const MAX_PIXELS: u32 = 4_000_000;
/// Memory in bytes for each pixel of a file while it is decoded and shrunk: up to 4 samples, RGBA
/// with a capacity of up to 8, and 16 for the sums of a resampled row.
const DECODING_BYTES_PER_PIXEL: u64 = 28;
/// Maximum memory that a decoder may allocate, in bytes.
const MAX_DECODER_BYTES: usize = 32 * 1024 * 1024;
/// Maximum side of a stored bitmap, in pixels: four pixels per point of the largest logo.
const MAX_STORED_SIDE_PX: u32 = 512;

/// A small raster image.
#[derive(Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Premultiplied RGBA, row by row.
    pub pixels: Vec<u8>,
    /// The same pixels as a PNG file.
    pub png: Vec<u8>,
}

/// The pixels of an image file.
struct DecodedPixels {
    width: u32,
    height: u32,
    /// Samples per pixel: 2 (gray, alpha), 3 (RGB) or 4 (RGBA).
    samples: usize,
    /// Samples of 8 bits that are not premultiplied, row by row.
    data: Vec<u8>,
}

impl Bitmap {
    /// Decodes a PNG, JPEG or WebP file, whichever its first bytes say, and shrinks it to at most
    /// 512 pixels per side. The proportions stay, and smaller images keep their size. Of an
    /// animation, decodes the first frame.
    ///
    /// The result contains a newly encoded PNG, so that no byte of the file reaches an image.
    /// Returns None if the file is not valid, exceeds 4096 pixels per side or 4 million pixels, or
    /// needs more than 32 MiB to decode.
    pub fn decode(bytes: &[u8]) -> Option<Bitmap> {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Bitmap::shrink(&decode_jpeg(bytes)?),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
                Bitmap::shrink(&decode_webp(bytes)?)
            }
            _ => Bitmap::decode_png(bytes),
        }
    }

    /// Returns an upper estimate of the memory in bytes that [`Bitmap::decode`] takes for a file, by
    /// the size in its header. Zero if it would not decode the file.
    pub fn estimate_memory(bytes: &[u8]) -> u64 {
        let size = match bytes {
            [0xff, 0xd8, 0xff, ..] => read_jpeg_size(bytes),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
                WebPDecoder::new(Cursor::new(bytes)).ok().map(|decoder| decoder.dimensions())
            }
            _ => read_png_size(bytes),
        };
        let size = size.filter(|(width, height)| is_size_allowed(*width, *height));
        let pixels = size.map_or(0, |(width, height)| u64::from(width) * u64::from(height));
        pixels * DECODING_BYTES_PER_PIXEL
    }

    /// Decodes a PNG file, with the limits and the result of [`Bitmap::decode`].
    pub fn decode_png(bytes: &[u8]) -> Option<Bitmap> {
        let limits = png::Limits { bytes: MAX_DECODER_BYTES };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(
            png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
        );
        let mut reader = decoder.read_info().ok()?;
        let (width, height) = (reader.info().width, reader.info().height);
        if !is_size_allowed(width, height) {
            return None;
        }
        let mut data = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut data).ok()?;
        let samples = frame.color_type.samples();
        Bitmap::shrink(&DecodedPixels { width, height, samples, data })
    }

    /// Converts decoded pixels to a bitmap of at most [`MAX_STORED_SIDE_PX`] per side. None if the
    /// PNG encoder fails.
    fn shrink(decoded: &DecodedPixels) -> Option<Bitmap> {
        let DecodedPixels { width, height, samples, data } = decoded;
        let pixels: Vec<u8> = data.chunks_exact(*samples).flat_map(to_premultiplied_rgba).collect();
        let factor = f64::from(MAX_STORED_SIDE_PX) / f64::from(*width.max(height));
        let shrink = |side: u32| ((f64::from(side) * factor.min(1.0)).round() as u32).max(1);
        let (stored_width, stored_height) = (shrink(*width), shrink(*height));
        let pixels = resample(&pixels, (*width, *height), (stored_width, stored_height));
        let png = encode_png(&pixels, stored_width, stored_height)?;
        Some(Bitmap { width: stored_width, height: stored_height, pixels, png })
    }

    /// Returns the largest square in the center as a PNG file of at most `max_side` pixels per side.
    /// None if `max_side` is 0 or the encoder fails.
    pub fn square_png(&self, max_side: u32) -> Option<Vec<u8>> {
        let side = self.width.min(self.height);
        let (left, top) = ((self.width - side) / 2, (self.height - side) / 2);
        let (row_bytes, first) = (self.width as usize * 4, left as usize * 4);
        let rows = self.pixels.chunks_exact(row_bytes).skip(top as usize).take(side as usize);
        let square: Vec<u8> =
            rows.flat_map(|row| &row[first..first + side as usize * 4]).copied().collect();
        let new_side = side.min(max_side);
        if new_side == 0 {
            return None;
        }
        let pixels = resample(&square, (side, side), (new_side, new_side));
        encode_png(&pixels, new_side, new_side)
    }

    /// Returns the pixels at another size, as premultiplied RGBA. `width` must not be 0.
    ///
    /// Each new pixel is the mean of the area it covers, which is at least one old pixel wide.
    /// Enlarged images are therefore smooth, and reduced images keep thin lines.
    pub fn resampled(&self, width: u32, height: u32) -> Vec<u8> {
        resample(&self.pixels, (self.width, self.height), (width, height))
    }
}

/// Returns whether an image of this size in pixels may be decoded.
fn is_size_allowed(width: u32, height: u32) -> bool {
    width > 0
        && height > 0
        && width.max(height) <= MAX_SIDE_PX
        && width.saturating_mul(height) <= MAX_PIXELS
}

/// Returns the width and height in the header of a PNG file. None if it has none.
fn read_png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let header = header.get(4..)?.strip_prefix(b"IHDR")?;
    let (width, rest) = header.split_first_chunk()?;
    let (height, _) = rest.split_first_chunk()?;
    Some((u32::from_be_bytes(*width), u32::from_be_bytes(*height)))
}

/// Returns the width and height in the header of a JPEG file. None if it is not valid.
fn read_jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut decoder = JpegDecoder::new(ZCursor::new(bytes));
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    Some((u32::from(info.width), u32::from(info.height)))
}

/// Decodes a JPEG file. None if it is not valid or too large.
fn decode_jpeg(bytes: &[u8]) -> Option<DecodedPixels> {
    let side = MAX_SIDE_PX as usize;
    let options = DecoderOptions::default()
        .set_max_width(side)
        .set_max_height(side)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    if !is_size_allowed(width, height) {
        return None;
    }
    let data = decoder.decode().ok()?;
    let is_complete = data.len() == width as usize * height as usize * 3;
    is_complete.then_some(DecodedPixels { width, height, samples: 3, data })
}

/// Decodes a WebP file. None if it is not valid or too large.
fn decode_webp(bytes: &[u8]) -> Option<DecodedPixels> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).ok()?;
    decoder.set_memory_limit(MAX_DECODER_BYTES);
    let (width, height) = decoder.dimensions();
    if !is_size_allowed(width, height) {
        return None;
    }
    let samples = if decoder.has_alpha() { 4 } else { 3 };
    let mut data = vec![0; decoder.output_buffer_size()?];
    decoder.read_image(&mut data).ok()?;
    Some(DecodedPixels { width, height, samples, data })
}

/// Converts a decoded pixel that is not premultiplied, of gray and alpha, RGB or RGBA, to
/// premultiplied RGBA. Other numbers of channels give a transparent pixel.
fn to_premultiplied_rgba(pixel: &[u8]) -> [u8; 4] {
    let premultiply =
        |channel: u8, alpha: u8| ((u16::from(channel) * u16::from(alpha) + 127) / 255) as u8;
    match *pixel {
        [grey, a] => [premultiply(grey, a), premultiply(grey, a), premultiply(grey, a), a],
        [r, g, b] => [r, g, b, 255],
        [r, g, b, a] => [premultiply(r, a), premultiply(g, a), premultiply(b, a), a],
        _ => [0; 4],
    }
}

/// Encodes premultiplied RGBA pixels as a PNG file with 8 bits per channel, which is not
/// premultiplied. None if the encoder fails.
fn encode_png(pixels: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
    let unpremultiply = |value: u8, alpha: u8| {
        (u16::from(value) * 255 + u16::from(alpha) / 2).checked_div(u16::from(alpha)).unwrap_or(0)
    };
    let rgba: Vec<u8> = pixels
        .chunks_exact(4)
        .flat_map(|pixel| {
            let channel = |index: usize| unpremultiply(pixel[index], pixel[3]).min(255) as u8;
            [channel(0), channel(1), channel(2), pixel[3]]
        })
        .collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().ok()?.write_image_data(&rgba).ok()?;
    Some(out)
}

/// Resamples premultiplied RGBA pixels from one size (width, height) to another. The new width must
/// not be 0.
fn resample(pixels: &[u8], from: (u32, u32), to: (u32, u32)) -> Vec<u8> {
    if from == to {
        return pixels.to_vec();
    }
    let (column_weights, row_weights) =
        (compute_weights(from.0, to.0), compute_weights(from.1, to.1));
    let old_width = from.0 as usize;
    // First horizontally, then vertically.
    let mut rows = vec![0f32; to.0 as usize * from.1 as usize * 4];
    for (row, out) in rows.chunks_exact_mut(to.0 as usize * 4).enumerate() {
        for (column, weights) in column_weights.iter().enumerate() {
            for (old_column, weight) in weights {
                for channel in 0..4 {
                    let value = f32::from(pixels[(row * old_width + old_column) * 4 + channel]);
                    out[column * 4 + channel] += value * weight;
                }
            }
        }
    }
    let row_length = to.0 as usize * 4;
    let mut out = Vec::with_capacity(row_length * to.1 as usize);
    for weights in &row_weights {
        for offset in 0..row_length {
            let sum: f32 = weights
                .iter()
                .map(|(old_row, weight)| rows[old_row * row_length + offset] * weight)
                .sum();
            out.push(sum.round().clamp(0.0, 255.0) as u8);
        }
    }
    out
}

/// Returns, for each new pixel along a side, the index and the weight of each old pixel that it
/// covers.
///
/// `from` and `to` are the lengths of the side in pixels. A new pixel covers at least the length of
/// one old pixel, and beyond the ends the outermost pixel counts again. The weights of a new pixel
/// add up to 1.
fn compute_weights(from: u32, to: u32) -> Vec<Vec<(usize, f32)>> {
    let step = f64::from(from) / f64::from(to.max(1));
    let half = step.max(1.0) / 2.0;
    (0..to)
        .map(|index| {
            let middle = (f64::from(index) + 0.5) * step;
            let (low, high) = (middle - half, middle + half);
            let last = f64::from(from) - 1.0;
            let mut weights: Vec<(usize, f32)> = Vec::new();
            let mut index = low.floor();
            while index < high {
                let weight = ((index + 1.0).min(high) - index.max(low)) / (high - low);
                if weight > 1e-9 {
                    // The area beyond the edge counts as the edge pixel.
                    weights.push((index.clamp(0.0, last) as usize, weight as f32));
                }
                index += 1.0;
            }
            weights
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_images_shrink_and_keep_their_color() {
        let large = encode_png(&[40, 80, 120, 160].repeat(1500 * 300), 1500, 300).unwrap();
        let bitmap = Bitmap::decode_png(&large).unwrap();
        assert_eq!((bitmap.width, bitmap.height), (512, 102));
        assert!(bitmap.pixels.chunks_exact(4).all(|pixel| pixel == [40, 80, 120, 160]));
        let too_wide = encode_png(&[0; 4].repeat(5000 * 2), 5000, 2).unwrap();
        assert_eq!(Bitmap::decode_png(&too_wide), None);
    }

    /// Returns a JPEG of 8 by 8 pixels, in one shade of gray. Its only block has no coefficients.
    fn gray_jpeg() -> Vec<u8> {
        let quantization = [&[0xff, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
        let frame = [0xff, 0xc0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0];
        // Each table has one code, the bit 0: no difference to the last block, end of the block.
        let huffman = |class: u8| [&[0xff, 0xc4, 0, 20, class, 1][..], &[0; 15], &[0]].concat();
        let scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0b0011_1111];
        let segments =
            [&quantization[..], &frame, &huffman(0), &huffman(0x10), &scan, &[0xff, 0xd9]];
        [&[0xff, 0xd8], segments.concat().as_slice()].concat()
    }

    #[test]
    fn jpeg_is_decoded_like_png() {
        let jpeg = gray_jpeg();
        let bitmap = Bitmap::decode(&jpeg).unwrap();
        assert_eq!((bitmap.width, bitmap.height), (8, 8));
        assert!(bitmap.pixels.chunks_exact(4).all(|pixel| pixel == [128, 128, 128, 255]));
        assert_eq!(Bitmap::decode(&jpeg[..40]), None);
    }

    #[test]
    fn webp_is_decoded_like_png() {
        let mut webp = Vec::new();
        let pixels = [200, 40, 10].repeat(8 * 4);
        let encoder = image_webp::WebPEncoder::new(&mut webp);
        encoder.encode(&pixels, 8, 4, image_webp::ColorType::Rgb8).unwrap();
        let bitmap = Bitmap::decode(&webp).unwrap();
        assert_eq!((bitmap.width, bitmap.height), (8, 4));
        assert!(bitmap.pixels.chunks_exact(4).all(|pixel| pixel == [200, 40, 10, 255]));
        assert_eq!(Bitmap::decode(&webp[..20]), None);
        assert_eq!(Bitmap::decode(&[0xff, 0xd8, 0xff, 0xe0, 0, 0]), None);
    }

    #[test]
    fn the_memory_of_a_file_is_estimated_from_its_header() {
        let large = encode_png(&[0; 4].repeat(1500 * 300), 1500, 300).unwrap();
        assert_eq!(Bitmap::estimate_memory(&large), 1500 * 300 * DECODING_BYTES_PER_PIXEL);
        assert_eq!(Bitmap::estimate_memory(&gray_jpeg()), 64 * DECODING_BYTES_PER_PIXEL);
        let mut webp = Vec::new();
        let encoder = image_webp::WebPEncoder::new(&mut webp);
        encoder.encode(&[9; 96], 8, 4, image_webp::ColorType::Rgb8).unwrap();
        assert_eq!(Bitmap::estimate_memory(&webp), 32 * DECODING_BYTES_PER_PIXEL);
        let too_wide = encode_png(&[0; 4].repeat(5000 * 2), 5000, 2).unwrap();
        for other in [&too_wide[..], &large[..20], &gray_jpeg()[..40], &webp[..20], b""] {
            assert_eq!(Bitmap::estimate_memory(other), 0);
        }
    }

    #[test]
    fn new_pixels_are_means_of_old_pixels() {
        let two = [0, 0, 0, 255, 200, 100, 50, 255];
        assert_eq!(resample(&two, (2, 1), (1, 1)), [100, 50, 25, 255]);
        assert_eq!(resample(&two, (2, 1), (4, 1))[4..8], [50, 25, 13, 255]);
    }
}
