//! A raster image: decoding of PNG, JPEG and WebP within limits, PNG encoding, resampling.

use std::io::Cursor;

use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::orientation::Orientation;

/// Limits of an image file that is decoded.
#[derive(Debug, Clone, Copy)]
pub struct ImageLimits {
    /// Maximum side in pixels.
    max_side_px: u32,
    /// Maximum number of pixels.
    max_pixels: u32,
}

impl ImageLimits {
    /// Limits of a logo.
    pub const LOGO: Self = Self { max_side_px: 4096, max_pixels: 4_000_000 };
    /// Limits of a photo of a camera.
    pub const PHOTO: Self = Self { max_side_px: 8192, max_pixels: 16_000_000 };

    /// Returns whether an image of this size in pixels may be decoded.
    fn allow(self, width: u32, height: u32) -> bool {
        width > 0
            && height > 0
            && width.max(height) <= self.max_side_px
            && width.saturating_mul(height) <= self.max_pixels
    }
}

/// Side in pixels to which an image beyond [`ImageLimits::LOGO`] is reduced before the resampling, so
/// that only the decoder needs memory for all pixels.
const REDUCED_SIDE_PX: u32 = 1024;
/// Memory in bytes for each pixel of a file beyond [`ImageLimits::LOGO`] while it is decoded: up to 4
/// samples, and up to 8 for the coefficients of a progressive JPEG or the canvas of an animation.
const LARGE_DECODING_BYTES_PER_PIXEL: u64 = 12;
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
    /// Orientation in which the pixels are shown.
    orientation: Orientation,
    /// Samples of 8 bits that are not premultiplied, row by row.
    data: Vec<u8>,
}

impl Bitmap {
    /// Decodes a logo as [`Bitmap::decode_within`] does, with the limits [`ImageLimits::LOGO`].
    pub fn decode(bytes: &[u8]) -> Option<Bitmap> {
        Bitmap::decode_within(bytes, ImageLimits::LOGO)
    }

    /// Decodes a PNG, JPEG or WebP file, whichever its first bytes say, and shrinks it to at most
    /// 512 pixels per side. The proportions stay, and smaller images keep their size. Of an
    /// animation, decodes the first frame. Applies the EXIF orientation of a JPEG.
    ///
    /// The result contains a newly encoded PNG, so that no byte of the file reaches an image.
    /// Returns None if the file is not valid, exceeds the limits, or has metadata that need more than
    /// 32 MiB to decode.
    pub fn decode_within(bytes: &[u8], limits: ImageLimits) -> Option<Bitmap> {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Bitmap::shrink(&decode_jpeg(bytes, limits)?),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
                Bitmap::shrink(&decode_webp(bytes, limits)?)
            }
            _ => Bitmap::shrink(&decode_png(bytes, limits)?),
        }
    }

    /// Returns the memory for a logo as [`Bitmap::estimate_memory_within`] does.
    pub fn estimate_memory(bytes: &[u8]) -> u64 {
        Bitmap::estimate_memory_within(bytes, ImageLimits::LOGO)
    }

    /// Returns an upper estimate of the memory in bytes that [`Bitmap::decode_within`] takes for a
    /// file, by the size in its header. Zero if it would not decode the file.
    pub fn estimate_memory_within(bytes: &[u8], limits: ImageLimits) -> u64 {
        let size = match bytes {
            [0xff, 0xd8, 0xff, ..] => read_jpeg_size(bytes),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
                WebPDecoder::new(Cursor::new(bytes)).ok().map(|decoder| decoder.dimensions())
            }
            _ => read_png_size(bytes),
        };
        let Some((width, height)) = size.filter(|(width, height)| limits.allow(*width, *height))
        else {
            return 0;
        };
        let pixels = u64::from(width) * u64::from(height);
        if ImageLimits::LOGO.allow(width, height) {
            return pixels * DECODING_BYTES_PER_PIXEL;
        }
        let reduced = u64::from(REDUCED_SIDE_PX) * u64::from(REDUCED_SIDE_PX);
        pixels * LARGE_DECODING_BYTES_PER_PIXEL + reduced * DECODING_BYTES_PER_PIXEL
    }

    /// Decodes a PNG file, with the limits and the result of [`Bitmap::decode`].
    pub fn decode_png(bytes: &[u8]) -> Option<Bitmap> {
        Bitmap::shrink(&decode_png(bytes, ImageLimits::LOGO)?)
    }

    /// Converts decoded pixels to a bitmap of at most [`MAX_STORED_SIDE_PX`] per side, and applies
    /// their orientation. The proportions stay, and smaller images keep their size. Returns None if
    /// the PNG encoder fails.
    fn shrink(decoded: &DecodedPixels) -> Option<Bitmap> {
        let (pixels, width, height) = decoded.premultiplied_rgba();
        let factor = f64::from(MAX_STORED_SIDE_PX) / f64::from(width.max(height));
        let shrink = |side: u32| ((f64::from(side) * factor.min(1.0)).round() as u32).max(1);
        let (stored_width, stored_height) = (shrink(width), shrink(height));
        let pixels = resample(&pixels, (width, height), (stored_width, stored_height));
        let (pixels, width, height) =
            decoded.orientation.apply(pixels, stored_width, stored_height);
        let png = encode_png(&pixels, width, height)?;
        Some(Bitmap { width, height, pixels, png })
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

impl DecodedPixels {
    /// Returns the pixels as premultiplied RGBA with their width and height. An image beyond
    /// [`ImageLimits::LOGO`] is reduced to at most [`REDUCED_SIDE_PX`] per side: each new pixel is the
    /// mean of a square.
    fn premultiplied_rgba(&self) -> (Vec<u8>, u32, u32) {
        let Self { width, height, samples, data, .. } = self;
        if ImageLimits::LOGO.allow(*width, *height) {
            let pixels = data.chunks_exact(*samples).flat_map(to_premultiplied_rgba).collect();
            return (pixels, *width, *height);
        }
        let step = (*width).max(*height).div_ceil(REDUCED_SIDE_PX);
        let (new_width, new_height) = (width.div_ceil(step), height.div_ceil(step));
        let mut pixels = Vec::with_capacity(new_width as usize * new_height as usize * 4);
        for top in (0..*height).step_by(step as usize) {
            for left in (0..*width).step_by(step as usize) {
                let (right, bottom) = ((left + step).min(*width), (top + step).min(*height));
                pixels.extend(self.mean((left, top), (right, bottom)));
            }
        }
        (pixels, new_width, new_height)
    }

    /// Returns the mean of the premultiplied pixels from one corner (x, y) to another, which is
    /// excluded.
    fn mean(&self, from: (u32, u32), to: (u32, u32)) -> [u8; 4] {
        let mut sums = [0u32; 4];
        for y in from.1..to.1 {
            let row = y as usize * self.width as usize;
            let (first, last) = (row + from.0 as usize, row + to.0 as usize);
            for pixel in
                self.data[first * self.samples..last * self.samples].chunks_exact(self.samples)
            {
                let pixel = to_premultiplied_rgba(pixel);
                sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u32::from(value));
            }
        }
        let count = ((to.0 - from.0) * (to.1 - from.1)).max(1);
        sums.map(|sum| ((sum + count / 2) / count) as u8)
    }
}

/// Decodes a PNG file. None if it is not valid or too large.
fn decode_png(bytes: &[u8], limits: ImageLimits) -> Option<DecodedPixels> {
    let memory = png::Limits { bytes: MAX_DECODER_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), memory);
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width, reader.info().height);
    if !limits.allow(width, height) {
        return None;
    }
    let mut data = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut data).ok()?;
    let samples = frame.color_type.samples();
    Some(DecodedPixels { width, height, samples, orientation: Orientation::NORMAL, data })
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
fn decode_jpeg(bytes: &[u8], limits: ImageLimits) -> Option<DecodedPixels> {
    let side = limits.max_side_px as usize;
    let options = DecoderOptions::default()
        .set_max_width(side)
        .set_max_height(side)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    if !limits.allow(width, height) {
        return None;
    }
    let exif = decoder.exif().map(Vec::as_slice).unwrap_or_default();
    let orientation = Orientation::from_exif(exif);
    let data = decoder.decode().ok()?;
    let is_complete = data.len() == width as usize * height as usize * 3;
    is_complete.then_some(DecodedPixels { width, height, samples: 3, orientation, data })
}

/// Decodes a WebP file. None if it is not valid or too large.
fn decode_webp(bytes: &[u8], limits: ImageLimits) -> Option<DecodedPixels> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).ok()?;
    decoder.set_memory_limit(MAX_DECODER_BYTES);
    let (width, height) = decoder.dimensions();
    if !limits.allow(width, height) {
        return None;
    }
    let samples = if decoder.has_alpha() { 4 } else { 3 };
    let mut data = vec![0; decoder.output_buffer_size()?];
    decoder.read_image(&mut data).ok()?;
    Some(DecodedPixels { width, height, samples, orientation: Orientation::NORMAL, data })
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

    /// Returns a JPEG of 16 by 8 pixels: a gray block and to the right a light one.
    fn photo_jpeg(orientation: u8) -> Vec<u8> {
        let mut exif =
            b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
        exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
        let quantization = [&[0xff, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
        let frame = [0xff, 0xc0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0];
        // The code 0 means no difference to the last block, and 10 one of 9 bits.
        let dc = [&[0xff, 0xc4, 0, 21, 0, 1, 1][..], &[0; 14], &[0, 9]].concat();
        let ac = [&[0xff, 0xc4, 0, 20, 0x10, 1][..], &[0; 15], &[0]].concat();
        let scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0b0010_1111, 0b1111_1011];
        let segments = [&exif[..], &quantization, &frame, &dc, &ac, &scan, &[0xff, 0xd9]];
        [&[0xff, 0xd8], segments.concat().as_slice()].concat()
    }

    #[test]
    fn orientation_of_a_photo_is_applied() {
        let decode = |orientation: u8| Bitmap::decode(&photo_jpeg(orientation)).unwrap();
        let first_and_last = |bitmap: &Bitmap| {
            let last = bitmap.pixels.len() - 4;
            (bitmap.pixels[0] > 150, bitmap.pixels[last] > 150)
        };
        let normal = decode(1);
        assert_eq!((normal.width, normal.height, first_and_last(&normal)), (16, 8, (false, true)));
        let right = decode(6);
        assert_eq!((right.width, right.height, first_and_last(&right)), (8, 16, (false, true)));
        let left = decode(8);
        assert_eq!((left.width, left.height, first_and_last(&left)), (8, 16, (true, false)));
        let around = decode(3);
        assert_eq!((around.width, around.height, first_and_last(&around)), (16, 8, (true, false)));
        assert_eq!(Bitmap::decode_png(&left.png).unwrap().height, 16, "the PNG is turned as well");
    }

    #[test]
    fn photo_may_be_larger_than_a_logo() {
        let photo = encode_png(&[40, 80, 120, 255].repeat(4500 * 3500), 4500, 3500).unwrap();
        assert_eq!(Bitmap::decode(&photo), None);
        assert_eq!(Bitmap::estimate_memory(&photo), 0);
        let needed = Bitmap::estimate_memory_within(&photo, ImageLimits::PHOTO);
        assert!((180 << 20..240 << 20).contains(&needed), "{needed}");
        let bitmap = Bitmap::decode_within(&photo, ImageLimits::PHOTO).unwrap();
        assert_eq!((bitmap.width, bitmap.height), (512, 398));
        assert!(bitmap.pixels.chunks_exact(4).all(|pixel| pixel == [40, 80, 120, 255]));
        let too_large = encode_png(&[0; 4].repeat(4100 * 4000), 4100, 4000).unwrap();
        assert_eq!(Bitmap::decode_within(&too_large, ImageLimits::PHOTO), None);
    }
}
