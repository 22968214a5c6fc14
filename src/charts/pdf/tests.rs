//! Tests of the PDF writer.

use std::io::Read;
use std::sync::Arc;

use flate2::read::ZlibDecoder;
use kurbo::{BezPath, Point, Rect, Shape};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

use super::*;
use crate::bitmap::Bitmap;
use crate::color::Color;
use crate::pdf::fonts::FontSubsets;
use crate::scene::{Anchor, Primitive, Stroke, Text};
use crate::text::{Face, FontCollection};

/// Returns the content stream of a scene without a background.
fn content_of(scene: &Scene) -> String {
    let mut content = ContentWriter::new(scene);
    scene.shapes.iter().for_each(|shape| content.write_primitive(&shape.primitive));
    String::from_utf8_lossy(&content.finish().stream).into_owned()
}

/// Returns a text at the middle of the canvas.
fn text(text: &str) -> Text {
    Text {
        x: 50.0,
        y: 25.0,
        anchor: Anchor::Start,
        angle: 0.0,
        size: 10.0,
        face: Face::REGULAR,
        color: Color::hex(0),
        halo: None,
        text: text.to_owned(),
        width: 30.0,
        full: None,
    }
}

/// Returns all decompressed streams of a file as text.
fn streams_of(file: &[u8]) -> String {
    let mut texts = String::new();
    let mut rest = file;
    while let Some(at) = rest.windows(7).position(|window| window == b"stream\n") {
        rest = &rest[at + 7..];
        let mut bytes = Vec::new();
        if ZlibDecoder::new(rest).read_to_end(&mut bytes).is_ok() {
            texts.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    texts
}

/// Collects an outline of skrifa.
#[derive(Default)]
struct PathPen(BezPath);

impl OutlinePen for PathPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to((f64::from(x), f64::from(y)));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to((f64::from(x), f64::from(y)));
    }
    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.0.quad_to((f64::from(cx), f64::from(cy)), (f64::from(x), f64::from(y)));
    }
    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        let [a, b, end] =
            [(ax, ay), (bx, by), (x, y)].map(|(x, y)| Point::new(f64::from(x), f64::from(y)));
        self.0.curve_to(a, b, end);
    }
    fn close(&mut self) {
        self.0.close_path();
    }
}

#[test]
fn embedded_fonts_have_the_outlines_and_advances_of_their_source() {
    let font = FontCollection::builtin().fonts().first().unwrap();
    let characters = " AOgé&%8";
    let ids: Vec<u16> = characters.chars().map(|letter| font.table_glyph_id(letter)).collect();
    let file = font_file::build(font, &ids).bytes;
    let embedded = FontRef::new(&file).unwrap();
    let source = FontRef::new(font.bytes()).unwrap();
    let settings = || DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
    for (index, id) in ids.iter().enumerate() {
        let (mut copy, mut original) = (PathPen::default(), PathPen::default());
        let outlines = embedded.outline_glyphs();
        outlines.get(GlyphId::new(index as u32)).unwrap().draw(settings(), &mut copy).unwrap();
        let outlines = source.outline_glyphs();
        outlines.get(GlyphId::from(*id)).unwrap().draw(settings(), &mut original).unwrap();
        assert_eq!(copy.0.area(), original.0.area(), "glyph {index}");
        assert_eq!(copy.0.bounding_box(), original.0.bounding_box(), "glyph {index}");
        let advance = |font: &FontRef, id: GlyphId| {
            font.glyph_metrics(Size::unscaled(), LocationRef::default()).advance_width(id)
        };
        let copied = advance(&embedded, GlyphId::new(index as u32));
        assert_eq!(copied, advance(&source, GlyphId::from(*id)), "glyph {index}");
    }
}

#[test]
fn glyphs_are_mapped_to_their_characters() {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    // The first two have the glyph for missing characters.
    scene.text(text("\u{12000}\u{12008} A\u{ad}B"));
    let streams = streams_of(&write(&scene, &Options::default()));
    for mapping in ["<0001> <D808DC00>", "<0002> <D808DC08>", "> <0041>", "> <0042>"] {
        assert!(streams.contains(mapping), "{mapping}: {streams}");
    }
    assert!(!streams.contains("00AD"), "a soft hyphen is no character of the line");
}

#[test]
fn a_glyph_is_embedded_once_for_the_same_characters() {
    let mut fonts = FontSubsets::default();
    let mut content = pdf_writer::Content::new();
    text_line::write(&text("AAB"), &mut fonts, &mut content);
    text_line::write(&text("BA"), &mut fonts, &mut content);
    let shown = content.finish().into_vec();
    let shown = String::from_utf8_lossy(&shown);
    assert!(shown.contains(r"[(\000\001\000\001\000\002)] TJ"), "{shown}");
    // The letters have a distance of their own.
    assert!(shown.contains(r"[(\000\002) 10 (\000\001)] TJ"), "{shown}");
}

#[test]
fn clips_restore_the_state_before_them() {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    let (area, red) = (Rect::new(0.0, 0.0, 9.0, 9.0), Color::hex(0xff0000));
    scene.push(Primitive::EndClip);
    scene.rect(area, red);
    scene.push(Primitive::BeginClip(Rect::new(1.0, 2.0, 31.0, 42.0)));
    scene.rect(area, Color::hex(0x0000ff));
    scene.push(Primitive::EndClip);
    scene.rect(area, red);
    scene.push(Primitive::BeginClip(area));
    let content = content_of(&scene);
    let expected = "1 0 0 rg\n0 0 9 9 re\nf\nq\n1 2 30 40 re\nW\nn\n0 0 1 rg\n0 0 9 9 re\nf\nQ\n\
                    0 0 9 9 re\nf\nq\n0 0 9 9 re\nW\nn\nQ\nEMC";
    assert!(content.trim_end().ends_with(expected), "{content}");
}

#[test]
fn translucent_dashed_and_round_strokes_are_kept() {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    let color = Color { a: 102, ..Color::hex(0x00ff00) };
    scene.line((0.0, 0.0), (9.0, 9.0), Stroke::new(color, 2.5).dashed(3.0, 1.5).rounded());
    scene.line((0.0, 0.0), (9.0, 9.0), Stroke::new(Color::hex(0), 1.0));
    let content = content_of(&scene);
    assert!(content.contains("/S102 gs\n0 1 0 RG\n2.5 w\n[3 1.5] 0 d\n1 J\n"), "{content}");
    assert!(content.contains("/S255 gs\n0 0 0 RG\n1 w\n[] 0 d\n0 J\n"), "{content}");
    let file = write(&scene, &Options::default());
    let file = String::from_utf8_lossy(&file);
    assert!(file.contains("/CA 0.4\n") && file.contains("/CA 1\n"), "{file}");
}

#[test]
fn images_with_opacity_have_a_mask() {
    let bitmap = |alpha: u8| {
        let pixels = vec![alpha / 2, 0, 0, alpha, 0, 0, 0, alpha];
        Arc::new(Bitmap { width: 2, height: 1, pixels, png: Vec::new() })
    };
    let (opaque, translucent) = (bitmap(255), bitmap(100));
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    for bitmap in [&opaque, &translucent, &opaque] {
        let rect = Rect::new(10.0, 10.0, 30.0, 20.0);
        scene.push(Primitive::Image { rect, bitmap: bitmap.clone() });
    }
    let content = content_of(&scene);
    assert_eq!(content.matches("20 0 0 -10 10 20 cm\n/I0 Do").count(), 2, "{content}");
    assert_eq!(content.matches("20 0 0 -10 10 20 cm\n/I1 Do").count(), 1, "{content}");
    let file = write(&scene, &Options::default());
    let file = String::from_utf8_lossy(&file);
    assert_eq!(file.matches("/Subtype /Image").count(), 3, "two images and one mask");
    assert_eq!(file.matches("/SMask ").count(), 1);
}

#[test]
fn equal_scenes_give_equal_bytes_without_a_time() {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    scene.title = "Größe (a) \\ 日本".to_owned();
    scene.lang = "ja".to_owned();
    scene.text(Text { halo: Some(Color::hex(0xffffff)), angle: -45.0, ..text("Text 日") });
    let file = write(&scene, &Options::default());
    assert_eq!(file, write(&scene, &Options::default()));
    let text = String::from_utf8_lossy(&file);
    for absent in ["/CreationDate", "/ModDate", "/ID"] {
        assert!(!text.contains(absent), "{absent}");
    }
    assert!(text.contains("/Lang (ja)") && text.contains("/DisplayDocTitle true"), "{text}");
    assert!(text.contains("/MediaBox [0 0 100 50]"), "{text}");
}

#[test]
fn numbers_that_are_not_finite_do_not_reach_the_file() {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    let stroke = Stroke::new(Color::hex(0), f64::INFINITY).dashed(f64::NAN, 1.0);
    scene.line((f64::NAN, 1e300), (-1e300, f64::INFINITY), stroke);
    scene.text(Text { x: f64::NAN, angle: f64::NAN, size: f64::INFINITY, ..text("A") });
    let content = content_of(&scene);
    for word in ["NaN", "inf", "e3"] {
        assert!(!content.contains(word), "{word}: {content}");
    }
}

#[test]
fn a_transparent_page_has_no_background() {
    let scene = Scene::new(100.0, 50.0, Color::hex(0xff8000));
    let with = streams_of(&write(&scene, &Options { transparent: false }));
    assert!(with.contains("0 0 100 50 re"), "{with}");
    let without = streams_of(&write(&scene, &Options { transparent: true }));
    assert!(!without.contains(" re"), "{without}");
}

#[test]
fn a_link_covers_its_text_and_names_it() {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    scene.push(Primitive::BeginLink("https://example.org/ü".into()));
    scene.text(text("Bureau"));
    scene.push(Primitive::EndLink);
    scene.text(Text { y: 45.0, ..text("no link") });
    let file = write(&scene, &Options::default());
    let file = String::from_utf8_lossy(&file);
    assert_eq!(file.matches("/Subtype /Link").count(), 1, "{file}");
    assert!(file.contains("/URI (https://example.org/%C3%BC)"), "{file}");
    assert!(file.contains("/Contents (Bureau)") && file.contains("/S /Link"), "{file}");
    let start = file.find("/Rect [").unwrap() + 7;
    let corners = file[start..].split(']').next().unwrap().split(' ');
    let corners: Vec<f64> = corners.map(|number| number.parse().unwrap()).collect();
    // The baseline is in the middle of the page, and the y axis points up.
    assert!((corners[0], corners[2]) == (50.0, 80.0), "{corners:?}");
    assert!(corners[1] < 25.0 && corners[1] > 18.0 && corners[3] > 30.0, "{corners:?}");
}
