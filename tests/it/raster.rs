//! The PNG writer: pinned pictures, compared with a tolerance, and its promises about pixels.

use std::fs;
use std::io::Cursor;

use chartroom_charts::color::Color;
use chartroom_charts::png::{Error, Options, encode};
use chartroom_charts::scene::Scene;
use kurbo::Rect;

use crate::charts::{Case, root};

/// A decoded picture with four channels a pixel.
struct Picture {
    width: u32,
    height: u32,
    alpha: bool,
    pixels: Vec<[u8; 4]>,
}

fn decode(bytes: &[u8]) -> Picture {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    let (channels, alpha) = match info.color_type {
        png::ColorType::Rgb => (3, false),
        png::ColorType::Rgba => (4, true),
        other => panic!("unexpected {other:?}"),
    };
    let pixel = |it: &[u8]| [it[0], it[1], it[2], if alpha { it[3] } else { 255 }];
    let pixels = buffer[..info.buffer_size()].chunks_exact(channels).map(pixel).collect();
    Picture { width: info.width, height: info.height, alpha, pixels }
}

impl Picture {
    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[(y * self.width + x) as usize]
    }

    /// Share of the pixels that differ by more than a little in some channel.
    fn difference(&self, other: &Picture) -> f64 {
        if (self.width, self.height) != (other.width, other.height) {
            return 1.0;
        }
        let far = |(one, two): (&[u8; 4], &[u8; 4])| {
            one.iter().zip(two).any(|(a, b)| a.abs_diff(*b) > 24)
        };
        let count = self.pixels.iter().zip(&other.pixels).filter(|it| far(*it)).count();
        count as f64 / self.pixels.len() as f64
    }
}

const PLAIN: Options = Options { scale: 1.0, transparent: false };
const CLEAR: Options = Options { scale: 1.0, transparent: true };

/// Rounding in the rasterizer may differ between processors; a moved label differs more than this.
const TOLERANCE: f64 = 0.001;

/// Compares each sample with its pinned pixels. `UPDATE_SNAPSHOTS=1` rewrites the pictures.
#[test]
fn samples_have_the_pinned_pixels() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut changed = Vec::new();
    for kind in chartroom_charts::kinds() {
        for theme in ["light", "dark"] {
            let path = root(&format!("tests/it/raster/{}-{theme}.png", kind.slug));
            let scene = Case::sample(kind).sized(360.0, 225.0).themed(theme).draw();
            let drawn = encode(&scene, &PLAIN).unwrap();
            if update {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &drawn).unwrap();
            }
            let pinned = fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            let difference = decode(&drawn).difference(&decode(&pinned));
            if difference > TOLERANCE {
                changed.push(format!("{} {theme}: {difference:.4}", kind.slug));
            }
        }
    }
    assert!(changed.is_empty(), "not as pinned, look and run with UPDATE_SNAPSHOTS=1: {changed:?}");
}

#[test]
fn the_comparison_sees_a_changed_picture() {
    let kind = chartroom_charts::find_kind("bar").unwrap();
    let one = Case::sample(kind).sized(360.0, 225.0);
    let mut two = Case::sample(kind).sized(360.0, 225.0);
    two.data[1]["value"] = 700.into();
    let [one, two] = [one, two].map(|it| decode(&encode(&it.draw(), &PLAIN).unwrap()));
    assert!(one.difference(&two) > TOLERANCE * 5.0);
    assert_eq!(one.difference(&one), 0.0);
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    for kind in chartroom_charts::kinds() {
        let scene = Case::sample(kind).draw();
        assert_eq!(encode(&scene, &PLAIN).unwrap(), encode(&scene, &PLAIN).unwrap());
    }
}

#[test]
fn size_is_points_times_scale() {
    let scene = Scene::new(120.0, 80.0, Color::hex(0xffffff));
    for (scale, size) in [(0.5, (60, 40)), (1.0, (120, 80)), (2.0, (240, 160)), (4.0, (480, 320))] {
        let picture = decode(&encode(&scene, &Options { scale, transparent: false }).unwrap());
        assert_eq!((picture.width, picture.height), size, "scale {scale}");
    }
}

#[test]
fn only_transparent_pictures_have_an_alpha_channel() {
    let mut scene = Scene::new(40.0, 40.0, Color::hex(0x102030));
    scene.rect(Rect::new(10.0, 10.0, 30.0, 30.0), Color::hex(0xff0000));
    let plain = decode(&encode(&scene, &PLAIN).unwrap());
    assert!(!plain.alpha);
    assert_eq!(plain.at(2, 2), [0x10, 0x20, 0x30, 255]);
    let clear = decode(&encode(&scene, &CLEAR).unwrap());
    assert!(clear.alpha);
    assert_eq!(clear.at(2, 2)[3], 0);
    for picture in [plain, clear] {
        assert_eq!(picture.at(20, 20), [255, 0, 0, 255]);
    }
}

#[test]
fn edges_of_bars_are_sharp() {
    let mut scene = Scene::new(40.0, 40.0, Color::hex(0xffffff));
    scene.rect(Rect::new(10.3, 5.6, 20.4, 30.3), Color::hex(0x0000ff));
    let picture = decode(&encode(&scene, &PLAIN).unwrap());
    let mixed = picture.pixels.iter().filter(|it| ![[255; 4], [0, 0, 255, 255]].contains(it));
    assert_eq!(mixed.count(), 0);
}

#[test]
fn pictures_beyond_the_limits_are_refused() {
    let scene = Scene::new(4096.0, 4096.0, Color::hex(0xffffff));
    for scale in [4.0, 8.0] {
        let answer = encode(&scene, &Options { scale, transparent: false });
        assert!(matches!(answer, Err(Error::TooLarge { .. })), "scale {scale}");
    }
}

#[test]
fn odd_scales_are_no_panic() {
    let scene = Scene::new(40.0, 40.0, Color::hex(0xffffff));
    for scale in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-9, 1e300] {
        let _ = encode(&scene, &Options { scale, transparent: false });
    }
}
