//! The logo of a theme: in its corner, clear of texts, in SVG and PNG alike, and hidden on request.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_charts::scene::{Primitive, Scene};
use kurbo::Rect;
use serde_json::{Value, json};

use super::Case;

/// A drawing of one green box.
const SVG: &str = "data:image/svg+xml,<svg viewBox='0 0 60 20'><script>x()</script>\
    <rect width='60' height='20' fill='%23008040' onload='x()'/></svg>";
const GREEN: [u8; 3] = [0, 0x80, 0x40];

/// The same in pixels.
fn png() -> String {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 60, 20);
    encoder.set_color(png::ColorType::Rgb);
    let pixels = GREEN.repeat(60 * 20);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    format!("data:image/png;base64,{}", STANDARD.encode(bytes))
}

fn case(logo: &str, position: &str, style: Value) -> Case {
    let theme = json!({"logo": logo, "logo_position": position});
    Case { theme, style, ..Case::sample(chartroom_charts::find_kind("bar").unwrap()) }
}

/// The box of the logo: the only clip with outlines, or the only image.
fn place(scene: &Scene) -> Option<Rect> {
    scene.shapes.iter().find_map(|it| match it.primitive {
        Primitive::Image { rect, .. } | Primitive::BeginClip(rect) => Some(rect),
        _ => None,
    })
}

#[test]
fn it_stands_in_its_corner_clear_of_everything() {
    let words = "Words that go on and on, so that they need every bit of the width. ".repeat(3);
    let styles = [
        json!({}),
        json!({"subtitle": words, "footer": words}),
        json!({"no_title": true, "no_footnote": true}),
    ];
    for logo in [SVG.to_owned(), png()] {
        for position in ["top-left", "top-right", "bottom-left", "bottom-right"] {
            for style in &styles {
                for (width, height) in [(720.0, 405.0), (320.0, 240.0), (240.0, 600.0)] {
                    let mut case = case(&logo, position, style.clone()).sized(width, height);
                    case.title = words.clone();
                    assert_clear(&case, position);
                }
            }
        }
    }
}

fn assert_clear(case: &Case, position: &str) {
    let scene = case.draw();
    let rect = place(&scene).unwrap();
    let middle = rect.center();
    assert_eq!(middle.x < case.width / 2.0, position.ends_with("left"), "{position} {rect:?}");
    assert_eq!(middle.y < case.height / 2.0, position.starts_with("top"), "{position} {rect:?}");
    assert!((rect.width() / rect.height() - 3.0).abs() < 1e-6, "{rect:?}");
    let apart = |other: Rect| {
        let common = other.intersect(rect);
        common.width() <= 0.0 || common.height() <= 0.0
    };
    for (text, bounds) in scene.text_boxes() {
        assert!(apart(bounds), "{position} {}: {text:?} on the logo", case.width);
    }
    for shape in &scene.shapes {
        if let Primitive::Rect { rect: bar, .. } = shape.primitive {
            assert!(apart(bar), "{position}: a bar on the logo");
        }
    }
}

#[test]
fn svg_and_png_show_it_and_neither_what_it_came_from() {
    for logo in [SVG.to_owned(), png()] {
        let case = case(&logo, "bottom-right", json!({}));
        let scene = case.draw();
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
        let svg = case.svg();
        assert!(svg.contains("#008040") || svg.contains("<image "), "{svg}");
        assert!(!svg.contains("script") && !svg.contains("onload") && !svg.contains("x()"));
        let middle = place(&scene).unwrap().center();
        let bytes =
            chartroom_charts::png::encode(&scene, &chartroom_charts::png::Options::default())
                .unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let at = (middle.y as usize * 2 * 1440 + middle.x as usize * 2) * 3;
        assert_eq!(pixels[at..at + 3], GREEN);
    }
}

#[test]
fn it_is_hidden_on_request_and_told_when_it_cannot_be_drawn() {
    let plain = case("", "top-left", json!({})).svg();
    assert_eq!(case(SVG, "top-left", json!({"no_branding": true})).svg(), plain);
    for (odd, reason) in [
        ("logo.png", "it must be a data URI; files of an organization are not supported yet"),
        ("data:image/webp;base64,AAAA", "its media type must be image/svg+xml or image/png"),
        ("data:image/svg+xml,<svg><text>x</text></svg>", "it is not an SVG with plain shapes"),
        ("data:image/png;base64,AAAA", "it is not a PNG of at most 4 million pixels"),
    ] {
        let case = case(odd, "top-left", json!({}));
        let told = format!("The logo of the theme is left out: {reason}.");
        assert_eq!(case.draw().warnings, [told]);
        assert_eq!(case.svg(), plain);
    }
}
