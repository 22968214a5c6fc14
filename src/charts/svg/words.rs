//! Text in an SVG: as letters with the family they were measured in, or as outlines.

use kurbo::BezPath;

use crate::charts::scene::{Anchor, Tag, Text};
use crate::charts::svg::write::Writer;
use crate::charts::svg::{end, path_data, tag_attributes};
use crate::charts::text;

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
    match words.anchor {
        Anchor::Start => {}
        Anchor::Middle => drop(out.raw(" text-anchor=\"middle\"")),
        Anchor::End => drop(out.raw(" text-anchor=\"end\"")),
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
    out.color(" fill", words.color);
    if let Some(halo) = words.halo {
        out.color(" stroke", halo);
        out.raw(" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
    }
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

/// Text as the outlines that the PNG is drawn with.
pub fn outlines(words: &Text, tag: Option<&Tag>, out: &mut Writer) {
    let mut path = BezPath::new();
    text::outline(words, &mut path);
    if path.is_empty() {
        return;
    }
    out.raw("<path d=\"");
    path_data(&path, out);
    out.raw("\"").color(" fill", words.color);
    if let Some(halo) = words.halo {
        out.color(" stroke", halo);
        out.raw(" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
    }
    end("path", tag, out);
}
