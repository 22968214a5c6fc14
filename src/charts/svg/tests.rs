//! Tests of the SVG writer.

use super::*;
use crate::scene::{Anchor, Text};
use crate::text::Face;

fn text(characters: &str, halo: Option<Color>) -> Text {
    Text {
        x: 10.0,
        y: 20.0,
        anchor: Anchor::Middle,
        angle: -45.0,
        size: 12.0,
        face: Face::BOLD,
        color: Color::hex(0x1a1a1a),
        halo,
        text: characters.to_owned(),
        width: 30.0,
        full: Some("Short & long".to_owned()),
    }
}

fn scene_with(title: &str, texts: impl IntoIterator<Item = Text>) -> Scene {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    scene.title = title.to_owned();
    texts.into_iter().for_each(|text| scene.text(text));
    scene
}

fn scene() -> Scene {
    scene_with("A <b> & \"c\"", [text("Short…", None)])
}

fn outlines(texts: impl IntoIterator<Item = Text>) -> String {
    let options = Options { text: TextMode::Outlines, ..Options::default() };
    write(&scene_with("Title", texts), &options)
}

#[test]
fn text_is_written_as_escaped_characters() {
    let svg = write(&scene(), &Options::default());
    assert!(svg.contains("<title>Short &amp; long</title>Short…</text>"), "{svg}");
    assert!(svg.contains("rotate(-45 10 20)") && svg.contains("A &lt;b&gt; &amp;"));
}

#[test]
fn links_are_escaped_and_in_a_group() {
    let mut scene = scene();
    assert!(write(&scene, &Options::default()).contains(" role=\"img\" "));
    scene.push(Primitive::BeginLink("https://example.org/?a=1&b=\"x\"".into()));
    scene.text(text("Source", None));
    scene.push(Primitive::EndLink);
    for mode in [TextMode::Letters, TextMode::Outlines] {
        let svg = write(&scene, &Options { text: mode, ..Options::default() });
        assert!(svg.contains(" role=\"group\" "), "{svg}");
        let address = "href=\"https://example.org/?a=1&amp;b=&quot;x&quot;\"";
        assert!(
            svg.contains(&format!("<a {address} target=\"_blank\" rel=\"noopener noreferrer\">")),
            "{svg}"
        );
        assert!(svg.trim_end().ends_with("</a></g></svg>"), "{svg}");
    }
}

#[test]
fn transparent_images_have_no_background() {
    let full = "width=\"100%\"";
    assert!(write(&scene(), &Options::default()).contains(full));
    let options = Options { transparent: true, ..Options::default() };
    assert!(!write(&scene(), &options).contains(full));
}

#[test]
fn only_interactive_scenes_have_mark_attributes() {
    let mut scene = scene();
    let draw_mark = |scene: &mut Scene| {
        scene.begin_mark("bar", Some(3), || (Some("a\"b".to_owned()), "tip".to_owned()));
        scene.rect(Rect::new(0.0, 0.0, 5.0, 5.0), Color::hex(0));
    };
    draw_mark(&mut scene);
    assert!(!write(&scene, &Options::default()).contains("data-"));
    scene.interactive = true;
    draw_mark(&mut scene);
    let svg = write(&scene, &Options::default());
    let attributes = "data-part=\"bar\" data-row=\"3\" data-field=\"a&quot;b\"><title>tip</title>";
    assert!(svg.contains(attributes), "{svg}");
}

#[test]
fn thousands_of_equal_rectangles_become_one_path() {
    let mut scene = scene();
    for index in 0..3000 {
        let x = f64::from(index % 90);
        scene.rect(Rect::new(x, 0.0, x + 1.0, 5.0), Color::hex(0x3f90da));
    }
    let svg = write(&scene, &Options::default());
    assert!(svg.matches("<rect").count() <= 1 && svg.contains("h1v5h-1z"));
}

#[test]
fn right_to_left_text_is_anchored_as_in_the_png() {
    let right_to_left = Text {
        anchor: Anchor::Start,
        angle: 0.0,
        face: Face::REGULAR,
        width: 90.0,
        full: None,
        ..text("\u{645}\u{628}\u{64a}\u{639} Apple 2024", None)
    };
    let ends_at_x = Text { anchor: Anchor::End, ..right_to_left.clone() };
    let svg = write(&scene_with("", [right_to_left, ends_at_x]), &Options::default());
    assert_eq!(svg.matches(" direction=\"rtl\"").count(), 2, "{svg}");
    assert_eq!(svg.matches(" text-anchor=\"end\"").count(), 1, "only the left one: {svg}");
}

#[test]
fn repeated_glyphs_are_defined_once() {
    let svg = outlines([text("abca", None), text("ab", None)]);
    assert_eq!(svg.matches("<path id=\"g").count(), 2, "{svg}");
    assert_eq!(svg.matches("<use xlink:href=\"#g").count(), 5, "{svg}");
    assert_eq!(svg.matches("<path d=\"M").count(), 1, "only the c is not repeated: {svg}");
    assert!(svg.contains("transform=\"translate(10 20) rotate(-45)\""), "{svg}");
    assert!(!svg.contains("<text") && !svg.contains("<style") && !svg.contains("style="));
    assert!(svg.contains(">Title</title>") && svg.contains("<title>Short &amp; long</title>"));
}

#[test]
fn text_with_a_halo_is_one_path() {
    let svg = outlines([text("aaa", Some(Color::hex(0xffffff)))]);
    assert!(!svg.contains("<use") && svg.matches("<path d=\"M").count() == 1, "{svg}");
}

#[test]
fn blank_text_is_not_written_as_outlines() {
    assert!(!outlines([text(" ", None)]).contains("<g fill"));
}
