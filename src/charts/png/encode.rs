//! PNG encoding: writes the palette and the compressed pixels as a file.
//!
//! The `png` crate only writes the file structure. Its row-by-row stream took as long as the
//! deflate compression itself, so `deflate.rs` packs, filters and compresses many rows at a time.

use crate::png::deflate::RowImage;
use crate::png::load::RunningImage;
use crate::png::rows::Layout;
use crate::png::surface::Pixels;

/// Returns pixels as the bytes of a PNG file with 8 bits per channel: with the palette of indexed pixels,
/// otherwise as RGBA if `has_alpha`, and as RGB without it. Width and height are in pixels.
///
/// # Errors
/// If the compression or the writer fails, which is not expected.
pub fn encode_pixels(
    pixels: Pixels,
    (width, height): (u16, u16),
    has_alpha: bool,
    running: &RunningImage,
) -> Result<Vec<u8>, png::EncodingError> {
    let (pixels, layout, palette) = match pixels {
        Pixels::Indexed(indices, palette) => (indices, Layout::Indexed, palette),
        Pixels::Rgba(pixels) if has_alpha => (pixels, Layout::Rgba, &[][..]),
        Pixels::Rgba(pixels) => (pixels, Layout::Rgb, &[][..]),
    };
    let data = RowImage { pixels, width: usize::from(width), layout }.compress(running)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(pixels: &[u8], size: (u16, u16), has_alpha: bool) -> Vec<u8> {
        let file = encode_pixels(Pixels::Rgba(pixels), size, has_alpha, &RunningImage::start())
            .expect("an encoded image");
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

    /// The image is compressed in two parts.
    #[test]
    fn large_images_are_the_same_on_one_and_two_threads() {
        let size = (1000, 701);
        let pixels: Vec<u8> = (0..1000 * 701usize)
            .map(|index| (index / 1000 % 7 * (index % 250 / 99)) as u8)
            .collect();
        let palette: Vec<[u8; 3]> = (0..=255).map(|index| [index, 255 - index, 7]).collect();
        let encode = |running: &RunningImage| {
            let pixels = Pixels::Indexed(&pixels, &palette);
            encode_pixels(pixels, size, false, running).expect("an encoded image")
        };
        let first = RunningImage::start();
        let alone = encode(&first);
        let second = RunningImage::start();
        assert!(!second.is_only_one());
        assert!(alone == encode(&second));
        let mut decoder = png::Decoder::new(std::io::Cursor::new(alone));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().expect("a readable image");
        let mut out = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut out).expect("complete data");
        let expected = pixels.iter().flat_map(|index| palette[usize::from(*index)]);
        assert!(out.into_iter().eq(expected));
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
