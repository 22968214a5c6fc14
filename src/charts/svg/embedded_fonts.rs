//! Font subsets as `@font-face` rules, for viewers that do not have the fonts.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::panic;
use std::panic::AssertUnwindSafe;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use skera::{DEFAULT_LAYOUT_FEATURES, Plan, SubsetFlags};
use skrifa::raw::collections::IntSet;
use skrifa::{FontRef, Tag};
use ttf2woff2::BrotliQuality;

use crate::scene::{Primitive, Scene};
use crate::text;
use crate::text::Font;

/// Brotli quality. The maximum of 11 gives 5 % fewer bytes and takes ten times as long.
const BROTLI_QUALITY: u8 = 5;
/// Maximum size in bytes of a font that is embedded as a whole.
const MAX_WHOLE_FONT_BYTES: usize = 1 << 20;

/// Returns one `@font-face` rule for each font of the texts of a scene that can be reduced to a
/// subset. Empty if there is none.
///
/// Each rule embeds a WOFF2 file with only the glyphs that the texts need. Equal scenes give equal
/// bytes.
pub fn font_face_rules(scene: &Scene) -> String {
    let mut fonts: Vec<(&'static Font, IntSet<u32>)> = Vec::new();
    for shape in &scene.shapes {
        let Primitive::Text(line) = &shape.primitive else { continue };
        for font in text::find_used_fonts(&line.text, line.face) {
            let characters = line.text.chars().map(u32::from);
            match fonts.iter_mut().find(|(known, _)| std::ptr::eq(*known, font)) {
                Some((_, known)) => known.extend(characters),
                None => fonts.push((font, characters.collect())),
            }
        }
    }
    let mut rules = String::new();
    for (font, characters) in fonts {
        // Without a subset, the viewer uses its own fonts.
        let subset = || subset_to_woff2(font.bytes(), &characters);
        // The subsetter is not proven safe from panics for fonts that break the specification.
        let Ok(Some(woff2)) = panic::catch_unwind(AssertUnwindSafe(subset)) else { continue };
        let style = if font.is_italic() { "italic" } else { "normal" };
        // Writing to a String cannot fail. Family names contain no quotes, see `Font::family`.
        let _ = write!(
            rules,
            "@font-face{{font-family:'{}';font-weight:{};font-style:{style};\
             src:url(data:font/woff2;base64,{}) format('woff2')}}",
            font.family(),
            font.weight(),
            STANDARD.encode(woff2)
        );
    }
    rules
}

/// Returns a subset of a font for the given characters, with ligatures and kerning, as WOFF2.
///
/// A font with PostScript outlines is not reduced, because skera copies such outlines completely
/// and renumbers the glyphs. None if the font cannot be parsed or reduced, or has PostScript
/// outlines and more than [`MAX_WHOLE_FONT_BYTES`].
fn subset_to_woff2(bytes: &[u8], characters: &IntSet<u32>) -> Option<Vec<u8>> {
    let font = FontRef::new(bytes).ok()?;
    if [Tag::new(b"CFF "), Tag::new(b"CFF2")].iter().any(|tag| font.table_data(*tag).is_some()) {
        let is_small = bytes.len() <= MAX_WHOLE_FONT_BYTES;
        return is_small.then(|| ttf2woff2::encode(bytes, quality()).ok()).flatten();
    }
    let all_scripts = IntSet::all();
    let features = DEFAULT_LAYOUT_FEATURES.iter().copied().collect();
    let plan = Plan::new(
        &IntSet::empty(),
        characters,
        &font,
        // Hints only help on low-resolution screens. The box for missing glyphs keeps its outline.
        SubsetFlags::SUBSET_FLAGS_NO_HINTING | SubsetFlags::SUBSET_FLAGS_NOTDEF_OUTLINE,
        &IntSet::empty(),
        &all_scripts,
        &features,
        &IntSet::empty(),
        &IntSet::empty(),
    );
    let subset = skera::subset_font(&font, &plan).ok()?;
    ttf2woff2::encode(&subset, quality()).ok()
}

/// Returns a subset of a font for the characters in the ranges, with ligatures and kerning, as WOFF2.
/// Equal arguments give equal bytes. None if the font cannot be parsed or reduced.
///
/// Characters without a glyph in the font are ignored.
pub fn subset_font_ranges(bytes: &[u8], ranges: &[RangeInclusive<u32>]) -> Option<Vec<u8>> {
    let mut characters = IntSet::empty();
    for range in ranges {
        characters.insert_range(range.clone());
    }
    subset_to_woff2(bytes, &characters)
}

/// Returns the compression quality of embedded fonts.
fn quality() -> BrotliQuality {
    BrotliQuality::from(BROTLI_QUALITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::scene::{Anchor, Text};
    use crate::text::Face;

    #[test]
    fn each_face_is_embedded_once_and_is_small() {
        let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
        for (face, text) in [(Face::BOLD, "Größe"), (Face::REGULAR, "12"), (Face::BOLD, "ab")] {
            scene.text(Text {
                x: 0.0,
                y: 20.0,
                anchor: Anchor::Start,
                angle: 0.0,
                size: 12.0,
                face,
                color: Color::hex(0),
                halo: None,
                text: text.to_owned(),
                width: 30.0,
                full: None,
            });
        }
        let rules = font_face_rules(&scene);
        assert_eq!(rules, font_face_rules(&scene));
        assert_eq!(rules.matches("font-weight:700;font-style:normal").count(), 1);
        assert_eq!(rules.matches("font-weight:400;font-style:normal").count(), 1);
        assert!(rules.len() < 8000, "{} bytes", rules.len());
        assert_eq!(font_face_rules(&Scene::new(100.0, 50.0, Color::hex(0))), "");
    }
}
