//! Text in an SVG as letters, with the family they were measured in.

use crate::scene::{Anchor, Tag, Text};
use crate::svg::tag_attributes;
use crate::svg::write::Writer;
use crate::text;

/// The list of families that a text asks for: its own, and what most readers have.
pub fn families<'a>(names: impl Iterator<Item = &'a str>, out: &mut Writer) {
    for name in names {
        // Quotes are needed round what is not a row of words.
        let word = |it: &str| {
            it.starts_with(|it: char| it.is_ascii_alphabetic())
                && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '-')
        };
        let quote = if name.split(' ').all(word) { "" } else { "'" };
        out.raw(quote).escaped(name).raw(quote).raw(", ");
    }
    out.raw("system-ui, sans-serif");
}

/// A text as letters; `usual` is the family that the picture around it asks for.
pub fn element(words: &Text, usual: &str, tag: Option<&Tag>, out: &mut Writer) {
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
    let font = words.face.font();
    let others = text::other_families(&words.text, words.face);
    if font.family() != usual || !others.is_empty() {
        out.raw(" font-family=\"");
        families([font.family()].into_iter().chain(others), out);
        out.raw("\"");
    }
    if font.weight() != 400 {
        out.raw(" font-weight=\"").raw(&font.weight().to_string()).raw("\"");
    }
    if font.is_italic() {
        out.raw(" font-style=\"italic\"");
    }
    ink(words, out);
    if words.angle != 0.0 {
        out.raw(" transform=\"rotate(").value(words.angle).raw(" ");
        out.value(words.x).raw(" ").value(words.y).raw(")\"");
    }
    if let Some(tag) = tag {
        tag_attributes(tag, out);
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
    use crate::color::Color;
    use crate::scene::Scene;
    use crate::svg;
    use crate::text::Face;

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
