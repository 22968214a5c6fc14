//! What the writer of SVG writes, shape by shape.

use super::*;
use crate::scene::{Anchor, Text};
use crate::text::Face;

fn scene() -> Scene {
    let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
    scene.title = "A <b> & \"c\"".to_owned();
    scene.text(words());
    scene
}

fn words() -> Text {
    Text {
        x: 10.0,
        y: 20.0,
        anchor: Anchor::Middle,
        angle: -45.0,
        size: 12.0,
        face: Face::Bold,
        color: Color::hex(0x1a1a1a),
        halo: None,
        text: "Short…".to_owned(),
        width: 30.0,
        full: Some("Short & long".to_owned()),
    }
}

#[test]
fn text_keeps_its_letters() {
    let letters = write(&scene(), &Options::default());
    assert!(letters.contains("<title>Short &amp; long</title>Short…</text>"), "{letters}");
    assert!(letters.contains("rotate(-45 10 20)") && letters.contains("A &lt;b&gt; &amp;"));
}

#[test]
fn the_background_goes_when_transparent() {
    let full = "width=\"100%\"";
    assert!(write(&scene(), &Options::default()).contains(full));
    let options = Options { transparent: true, ..Options::default() };
    assert!(!write(&scene(), &options).contains(full));
}

#[test]
fn marks_are_named_only_in_interactive_pictures() {
    let mut scene = scene();
    let mark = |scene: &mut Scene| {
        scene.tag("bar", Some(3), || (Some("a\"b".to_owned()), "tip".to_owned()));
        scene.rect(Rect::new(0.0, 0.0, 5.0, 5.0), Color::hex(0));
    };
    mark(&mut scene);
    assert!(!write(&scene, &Options::default()).contains("data-"));
    scene.interactive = true;
    mark(&mut scene);
    let svg = write(&scene, &Options::default());
    let named = "data-part=\"bar\" data-row=\"3\" data-field=\"a&quot;b\"><title>tip</title>";
    assert!(svg.contains(named), "{svg}");
}

#[test]
fn thousands_of_equal_boxes_are_one_path() {
    let mut scene = scene();
    for at in 0..3000 {
        let x = f64::from(at % 90);
        scene.rect(Rect::new(x, 0.0, x + 1.0, 5.0), Color::hex(0x3f90da));
    }
    let svg = write(&scene, &Options::default());
    assert!(svg.matches("<rect").count() <= 1 && svg.contains("h1v5h-1z"));
}
