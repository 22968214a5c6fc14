//! Tests of the PNG writer: snapshots compared with a tolerance, sizes, and transparency.

use std::fs;
use std::io::Cursor;

use chartroom_charts::color::Color;
use chartroom_charts::png::{Error, Options, encode};
use chartroom_charts::scene::Scene;
use kurbo::Rect;

use crate::charts::{ChartCase, repo_path};

/// A decoded image with four channels per pixel.
pub struct DecodedImage {
    width: u32,
    height: u32,
    /// Whether the file has an alpha channel.
    has_alpha: bool,
    pub pixels: Vec<[u8; 4]>,
}

/// Decodes a PNG. An image without an alpha channel is opaque.
pub fn decode_png(bytes: &[u8]) -> DecodedImage {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Replaces the indices of a palette by its colors.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    let (channels, has_alpha) = match info.color_type {
        png::ColorType::Rgb => (3, false),
        png::ColorType::Rgba => (4, true),
        other => panic!("unexpected {other:?}"),
    };
    let to_rgba = |channels: &[u8]| {
        [channels[0], channels[1], channels[2], if has_alpha { channels[3] } else { 255 }]
    };
    let pixels = buffer[..info.buffer_size()].chunks_exact(channels).map(to_rgba).collect();
    DecodedImage { width: info.width, height: info.height, has_alpha, pixels }
}

impl DecodedImage {
    /// Returns the red, green, blue and alpha of a pixel.
    fn pixel_at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[(y * self.width + x) as usize]
    }

    /// Returns the share of pixels (0 to 1) that differ by more than 24 in some channel. Returns 1
    /// for images of different size.
    fn different_share(&self, other: &DecodedImage) -> f64 {
        if (self.width, self.height) != (other.width, other.height) {
            return 1.0;
        }
        let differs = |(first, second): (&[u8; 4], &[u8; 4])| {
            first.iter().zip(second).any(|(a, b)| a.abs_diff(*b) > 24)
        };
        let count =
            self.pixels.iter().zip(&other.pixels).filter(|pixel_pair| differs(*pixel_pair)).count();
        count as f64 / self.pixels.len() as f64
    }
}

const OPAQUE: Options = Options { scale: 1.0, transparent: false };
const TRANSPARENT: Options = Options { scale: 1.0, transparent: true };

/// Maximum share of different pixels. Rounding in the rasterizer may differ between processors, and
/// a moved label differs in more pixels than this.
const MAX_DIFFERENT_SHARE: f64 = 0.001;

/// Compares each sample with its snapshot. `UPDATE_SNAPSHOTS=1` rewrites the snapshots.
#[test]
fn samples_match_their_png_snapshots() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut changed = Vec::new();
    for kind in chartroom_charts::kinds() {
        for theme in ["light", "dark"] {
            let path = repo_path(&format!("tests/it/raster/{}-{theme}.png", kind.slug));
            let scene = ChartCase::sample(kind).with_size(360.0, 225.0).with_theme(theme).render();
            let png = encode(&scene, &OPAQUE).unwrap();
            if update {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &png).unwrap();
            }
            let snapshot = fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            let difference = decode_png(&png).different_share(&decode_png(&snapshot));
            if difference > MAX_DIFFERENT_SHARE {
                changed.push(format!("{} {theme}: {difference:.4}", kind.slug));
            }
        }
    }
    assert!(
        changed.is_empty(),
        "differs from the snapshot, review and run with UPDATE_SNAPSHOTS=1: {changed:?}"
    );
}

#[test]
fn snapshot_comparison_detects_a_change() {
    let kind = chartroom_charts::find_kind("bar").unwrap();
    let original_image = ChartCase::sample(kind).with_size(360.0, 225.0);
    let mut changed_image = ChartCase::sample(kind).with_size(360.0, 225.0);
    changed_image.data[1]["value"] = 700.into();
    let [original_image, changed_image] = [original_image, changed_image]
        .map(|case| decode_png(&encode(&case.render(), &OPAQUE).unwrap()));
    assert!(original_image.different_share(&changed_image) > MAX_DIFFERENT_SHARE * 5.0);
    assert_eq!(original_image.different_share(&original_image), 0.0);
}

#[test]
fn png_encoding_is_deterministic() {
    for kind in chartroom_charts::kinds() {
        let scene = ChartCase::sample(kind).render();
        assert_eq!(encode(&scene, &OPAQUE).unwrap(), encode(&scene, &OPAQUE).unwrap());
    }
}

/// Large images are compressed in two parts.
#[test]
fn large_images_are_the_same_as_small_ones_with_more_pixels() {
    for kind in chartroom_charts::kinds() {
        let scene = ChartCase::sample(kind).with_size(720.0, 405.0).render();
        let large = decode_png(&encode(&scene, &Options { scale: 2.0, ..OPAQUE }).unwrap());
        let small = decode_png(&encode(&scene, &OPAQUE).unwrap());
        assert_eq!((large.width, large.height), (1440, 810), "{}", kind.slug);
        // The mean of each color channel is nearly the same.
        let mean = |image: &DecodedImage, channel: usize| {
            let sum: f64 = image.pixels.iter().map(|pixel| f64::from(pixel[channel])).sum();
            sum / image.pixels.len() as f64
        };
        for channel in 0..3 {
            let difference = mean(&large, channel) - mean(&small, channel);
            assert!(difference.abs() < 2.0, "{}: {difference}", kind.slug);
        }
    }
}

#[test]
fn png_size_is_points_times_scale() {
    let scene = Scene::new(120.0, 80.0, Color::hex(0xffffff));
    for (scale, size) in [(0.5, (60, 40)), (1.0, (120, 80)), (2.0, (240, 160)), (4.0, (480, 320))] {
        let image = decode_png(&encode(&scene, &Options { scale, transparent: false }).unwrap());
        assert_eq!((image.width, image.height), size, "scale {scale}");
    }
}

#[test]
fn only_transparent_images_have_an_alpha_channel() {
    let mut scene = Scene::new(40.0, 40.0, Color::hex(0x102030));
    scene.rect(Rect::new(10.0, 10.0, 30.0, 30.0), Color::hex(0xff0000));
    let opaque = decode_png(&encode(&scene, &OPAQUE).unwrap());
    assert!(!opaque.has_alpha);
    assert_eq!(opaque.pixel_at(2, 2), [0x10, 0x20, 0x30, 255]);
    let transparent = decode_png(&encode(&scene, &TRANSPARENT).unwrap());
    assert!(transparent.has_alpha);
    assert_eq!(transparent.pixel_at(2, 2)[3], 0);
    for image in [opaque, transparent] {
        assert_eq!(image.pixel_at(20, 20), [255, 0, 0, 255]);
    }
}

#[test]
fn bar_edges_are_not_antialiased() {
    let mut scene = Scene::new(40.0, 40.0, Color::hex(0xffffff));
    scene.rect(Rect::new(10.3, 5.6, 20.4, 30.3), Color::hex(0x0000ff));
    let image = decode_png(&encode(&scene, &OPAQUE).unwrap());
    let mixed_pixels =
        image.pixels.iter().filter(|pixel| ![[255; 4], [0, 0, 255, 255]].contains(pixel));
    assert_eq!(mixed_pixels.count(), 0);
}

#[test]
fn images_above_the_size_limit_are_refused() {
    let scene = Scene::new(4096.0, 4096.0, Color::hex(0xffffff));
    for scale in [4.0, 8.0] {
        let result = encode(&scene, &Options { scale, transparent: false });
        assert!(matches!(result, Err(Error::TooLarge { .. })), "scale {scale}");
    }
}

#[test]
fn invalid_scales_do_not_panic() {
    let scene = Scene::new(40.0, 40.0, Color::hex(0xffffff));
    for scale in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-9, 1e300] {
        let _ = encode(&scene, &Options { scale, transparent: false });
    }
}
