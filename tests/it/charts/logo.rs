//! Tests of the theme logo: position, overlaps, output formats, and errors.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_charts::scene::{Primitive, Scene};
use kurbo::Rect;
use serde_json::{Value, json};

use super::ChartCase;

/// An SVG logo: a green rectangle of 60 x 20 points, and scripts that must not be rendered.
const LOGO_SVG: &str = "data:image/svg+xml,<svg viewBox='0 0 60 20'><script>x()</script>\
    <rect width='60' height='20' fill='%23008040' onload='x()'/></svg>";
/// Color of the logo as red, green and blue.
const LOGO_COLOR: [u8; 3] = [0, 0x80, 0x40];

/// Creates a PNG logo with the same look, as a data URI.
fn create_png_logo() -> String {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 60, 20);
    encoder.set_color(png::ColorType::Rgb);
    let pixels = LOGO_COLOR.repeat(60 * 20);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    format!("data:image/png;base64,{}", STANDARD.encode(bytes))
}

/// Returns the sample of the bar chart with a logo and a style.
fn case_with_logo(logo: &str, position: &str, style: Value) -> ChartCase {
    let theme = json!({"logo": logo, "logo_position": position});
    ChartCase { theme, style, ..ChartCase::sample(chartroom_charts::find_kind("bar").unwrap()) }
}

/// Returns the rectangle of the logo, which is the only image or clip in the scene.
fn find_logo(scene: &Scene) -> Option<Rect> {
    scene.shapes.iter().find_map(|shape| match shape.primitive {
        Primitive::Image { rect, .. } | Primitive::BeginClip(rect) => Some(rect),
        _ => None,
    })
}

#[test]
fn logo_is_in_its_corner_and_overlaps_nothing() {
    let long_text = "Words that go on and on, so that they need every bit of the width. ".repeat(3);
    let styles = [
        json!({}),
        json!({"subtitle": long_text, "footer": long_text}),
        json!({"no_title": true, "no_footnote": true}),
    ];
    for logo in [LOGO_SVG.to_owned(), create_png_logo()] {
        for position in ["top-left", "top-right", "bottom-left", "bottom-right"] {
            for style in &styles {
                for (width, height) in [(720.0, 405.0), (320.0, 240.0), (240.0, 600.0)] {
                    let mut case =
                        case_with_logo(&logo, position, style.clone()).with_size(width, height);
                    case.title = long_text.clone();
                    assert_logo_in_corner_without_overlap(&case, position);
                }
            }
        }
    }
}

/// Panics unless the logo is in its corner, keeps its aspect ratio, and overlaps no text or bar.
fn assert_logo_in_corner_without_overlap(case: &ChartCase, position: &str) {
    let scene = case.render();
    let rect = find_logo(&scene).unwrap();
    let center = rect.center();
    assert_eq!(center.x < case.width / 2.0, position.ends_with("left"), "{position} {rect:?}");
    assert_eq!(center.y < case.height / 2.0, position.starts_with("top"), "{position} {rect:?}");
    assert!((rect.width() / rect.height() - 3.0).abs() < 1e-6, "{rect:?}");
    let is_separate = |other: Rect| {
        let overlap = other.intersect(rect);
        overlap.width() <= 0.0 || overlap.height() <= 0.0
    };
    for (text, bounds) in scene.text_boxes() {
        assert!(is_separate(bounds), "{position} {}: {text:?} on the logo", case.width);
    }
    for shape in &scene.shapes {
        if let Primitive::Rect { rect: bar, .. } = shape.primitive {
            assert!(is_separate(bar), "{position}: a bar on the logo");
        }
    }
}

#[test]
fn svg_and_png_show_the_logo_without_its_scripts() {
    for logo in [LOGO_SVG.to_owned(), create_png_logo()] {
        let case = case_with_logo(&logo, "bottom-right", json!({}));
        let scene = case.render();
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
        let svg = case.render_svg();
        assert!(svg.contains("#008040") || svg.contains("<image "), "{svg}");
        assert!(!svg.contains("script") && !svg.contains("onload") && !svg.contains("x()"));
        let center = find_logo(&scene).unwrap().center();
        let bytes =
            chartroom_charts::png::encode(&scene, &chartroom_charts::png::Options::default())
                .unwrap();
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let offset = (center.y as usize * 2 * 1440 + center.x as usize * 2) * 3;
        assert_eq!(pixels[offset..offset + 3], LOGO_COLOR);
    }
}

#[test]
fn logo_is_hidden_on_request_and_invalid_logo_causes_a_warning() {
    let without_logo = case_with_logo("", "top-left", json!({})).render_svg();
    assert_eq!(
        case_with_logo(LOGO_SVG, "top-left", json!({"no_branding": true})).render_svg(),
        without_logo
    );
    for (logo, reason) in [
        ("logo.png", "it is neither a data URI nor a file of the theme's organization"),
        ("data:image/webp;base64,AAAA", "its media type must be image/svg+xml or image/png"),
        ("data:image/svg+xml,<svg><text>x</text></svg>", "it is not an SVG with plain shapes"),
        ("data:image/png;base64,AAAA", "it is not a PNG of at most 4 million pixels"),
    ] {
        let case = case_with_logo(logo, "top-left", json!({}));
        let warning = format!("The logo of the theme is left out: {reason}.");
        assert_eq!(case.render().warnings, [warning]);
        assert_eq!(case.render_svg(), without_logo);
    }
}
