//! Text as letters, which the reader's program shapes.

use crate::charts::scene::{Anchor, Tag, Text};
use crate::charts::svg;
use crate::charts::svg::write::Writer;
use crate::charts::text;

/// Writes a text.
pub fn text(words: &Text, tag: Option<&Tag>, out: &mut Writer) {
    out.raw("<text").number(" x", words.x).number(" y", words.y).number(" font-size", words.size);
    // In such text the start is the right end.
    let rtl = text::is_rtl(&words.text);
    match words.anchor {
        Anchor::Middle => drop(out.raw(" text-anchor=\"middle\"")),
        Anchor::Start if rtl => drop(out.raw(" text-anchor=\"end\"")),
        Anchor::End if !rtl => drop(out.raw(" text-anchor=\"end\"")),
        Anchor::Start | Anchor::End => {}
    }
    if rtl {
        out.raw(" direction=\"rtl\"");
    }
    if words.face.is_bold() {
        out.raw(" font-weight=\"700\"");
    }
    if words.face.is_italic() {
        out.raw(" font-style=\"italic\"");
    }
    ink(words, out);
    if words.angle != 0.0 {
        out.raw(" transform=\"rotate(").value(words.angle).raw(" ");
        out.value(words.x).raw(" ").value(words.y).raw(")\"");
    }
    if let Some(tag) = tag {
        svg::tag_attributes(tag, out);
    }
    out.raw(">");
    if let Some(full) = &words.full {
        out.raw("<title>").escaped(full).raw("</title>");
    }
    out.escaped(&words.text).raw("</text>");
}

/// Colour and rim of a text.
pub fn ink(words: &Text, out: &mut Writer) {
    out.color(" fill", words.color);
    if let Some(halo) = words.halo {
        out.color(" stroke", halo);
        out.raw(" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::color::Color;
    use crate::charts::scene::Scene;
    use crate::charts::text::Face;

    #[test]
    fn text_that_begins_with_arabic_stands_where_the_png_has_it() {
        let words = Text {
            x: 10.0,
            y: 20.0,
            anchor: Anchor::Start,
            angle: 0.0,
            size: 12.0,
            face: Face::Regular,
            color: Color::hex(0x1a1a1a),
            halo: None,
            text: "\u{645}\u{628}\u{64a}\u{639} Apple 2024".to_owned(),
            width: 90.0,
            full: None,
        };
        let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
        scene.text(words.clone());
        scene.text(Text { anchor: Anchor::End, ..words });
        let svg = svg::write(&scene, &svg::Options::default());
        assert_eq!(svg.matches(" direction=\"rtl\"").count(), 2, "{svg}");
        assert_eq!(svg.matches(" text-anchor=\"end\"").count(), 1, "the left one: {svg}");
    }
}
