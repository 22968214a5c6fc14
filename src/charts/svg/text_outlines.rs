//! Text as glyph outlines.
//!
//! The SVG defines a repeated glyph once and refers to it. A glyph that occurs once is part of a
//! path at its place.

use std::collections::HashMap;

use kurbo::{Affine, BezPath};

use crate::scene::{Mark, PlacedGlyph, Primitive, Scene, Text};
use crate::svg::attributes::write_mark_attributes;
use crate::svg::attributes::write_path_data;
use crate::svg::attributes::write_text_paint_attributes;
use crate::svg::xml_writer::XmlWriter;

/// A glyph in a font size: address of its outline and bits of the size.
///
/// The size is part of the key, because definitions are in points. A reference with a scale would
/// be inexact, because numbers have two decimals. An image has few font sizes.
type GlyphKey = (*const BezPath, u64);

/// The glyphs that a scene draws more than once.
pub struct SharedGlyphs {
    /// Prefix of the ids.
    prefix: String,
    /// Index of each glyph in `definitions`, which is the number in its id.
    numbers: HashMap<GlyphKey, usize>,
    /// Outline and font size of each glyph, in the order of their second use. A map would have
    /// another order in each process, and the bytes would differ.
    definitions: Vec<(&'static BezPath, f64)>,
}

/// Returns the key of a glyph in the font size of its text.
fn make_glyph_key(text: &Text, glyph: &PlacedGlyph) -> GlyphKey {
    (std::ptr::from_ref(glyph.outline), text.size.to_bits())
}

impl SharedGlyphs {
    /// Collects the glyphs that occur at least twice in the same font size in all texts without a
    /// halo. Blank glyphs do not count.
    ///
    /// A halo must be below the whole text, so that such a text is a single path.
    pub fn collect(scene: &Scene) -> SharedGlyphs {
        let mut uses: HashMap<GlyphKey, usize> = HashMap::new();
        let mut numbers = HashMap::new();
        let mut definitions = Vec::new();
        for shape in &scene.shapes {
            let Primitive::Text(text) = &shape.primitive else { continue };
            if text.halo.is_some() {
                continue;
            }
            for glyph in text.placed_glyphs() {
                let key = make_glyph_key(text, &glyph);
                let count = uses.entry(key).or_default();
                *count += 1;
                if *count == 2 && !glyph.outline.is_empty() {
                    numbers.insert(key, definitions.len());
                    definitions.push((glyph.outline, text.size));
                }
            }
        }
        SharedGlyphs { prefix: format!("{}g", scene.id_prefix), numbers, definitions }
    }

    /// Writes a `defs` element with the shared glyphs, or nothing if there are none.
    pub fn write_definitions(&self, out: &mut XmlWriter) {
        if self.definitions.is_empty() {
            return;
        }
        out.raw("<defs>");
        for (index, (outline, size)) in self.definitions.iter().enumerate() {
            out.raw("<path id=\"").raw(&self.prefix).raw(&index.to_string()).raw("\" d=\"");
            write_path_data(&(Affine::scale(*size) * *outline), out);
            out.raw("\"/>");
        }
        out.raw("</defs>");
    }

    /// Writes a text as a group of outlines. Writes nothing if all its glyphs are blank.
    ///
    /// A shortened text has its full text as `<title>`, other texts have the tip of their mark.
    pub fn write_text(&self, text: &Text, mark: Option<&Mark>, out: &mut XmlWriter) {
        let glyphs = text.placed_glyphs();
        if glyphs.iter().all(|glyph| glyph.outline.is_empty()) {
            return;
        }
        out.raw("<g");
        write_text_paint_attributes(text, out);
        if let Some(mark) = mark {
            write_mark_attributes(mark, out);
        }
        if text.halo.is_none() {
            out.raw(" transform=\"translate(").value(text.x).raw(" ").value(text.y).raw(")");
            if text.angle != 0.0 {
                out.raw(" rotate(").value(text.angle).raw(")");
            }
            out.raw("\"");
        }
        out.raw(">");
        if let Some(title) =
            text.full.as_ref().or(mark.map(|mark| &mark.tip)).filter(|tip| !tip.is_empty())
        {
            out.raw("<title>").escaped(title).raw("</title>");
        }
        let mut path = BezPath::new();
        if text.halo.is_some() {
            text.append_outline(&mut path);
        } else {
            self.write_references(text, &glyphs, &mut path, out);
        }
        if !path.is_empty() {
            out.raw("<path d=\"");
            write_path_data(&path, out);
            out.raw("\"/>");
        }
        out.raw("</g>");
    }

    /// Writes references to the shared glyphs of a text and appends its other glyphs to `path`.
    /// Positions are relative to the anchor point, without the angle of the text.
    fn write_references(
        &self,
        text: &Text,
        glyphs: &[PlacedGlyph],
        path: &mut BezPath,
        out: &mut XmlWriter,
    ) {
        for glyph in glyphs {
            let PlacedGlyph { outline, x, y } = *glyph;
            let Some(number) = self.numbers.get(&make_glyph_key(text, glyph)) else {
                let transform = Affine::translate((x, y)) * Affine::scale(text.size);
                path.extend(outline.elements().iter().map(|element| transform * *element));
                continue;
            };
            out.raw("<use xlink:href=\"#").raw(&self.prefix).raw(&number.to_string()).raw("\"");
            out.number(" x", x);
            if y != 0.0 {
                out.number(" y", y);
            }
            out.raw("/>");
        }
    }
}
