//! The part of the fonts that a picture needs, as style rules: for files that are read where the
//! fonts are not.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use skera::{DEFAULT_LAYOUT_FEATURES, Plan, SubsetFlags};
use skrifa::raw::collections::IntSet;
use skrifa::{FontRef, Tag};
use ttf2woff2::BrotliQuality;

use crate::scene::{Form, Scene};
use crate::text;
use crate::text::Font;

/// Effort of the compression: 11 is 5 % smaller than this and takes ten times as long.
const QUALITY: u8 = 5;

/// One `@font-face` rule for each font that the picture's texts are drawn with, with the glyphs of
/// their letters alone, as WOFF2 in the rule. The same picture gives the same bytes.
pub fn font_faces(scene: &Scene) -> String {
    let mut fonts: Vec<(&'static Font, IntSet<u32>)> = Vec::new();
    for shape in &scene.shapes {
        let Form::Text(words) = &shape.form else { continue };
        for font in text::fonts_of(&words.text, words.face) {
            let letters = words.text.chars().map(u32::from);
            match fonts.iter_mut().find(|(known, _)| std::ptr::eq(*known, font)) {
                Some((_, known)) => known.extend(letters),
                None => fonts.push((font, letters.collect())),
            }
        }
    }
    let mut rules = String::new();
    for (font, letters) in fonts {
        // A font that cannot be cut is left out: the reader's own takes its place.
        let Some(cut) = subset(font.bytes(), &letters) else { continue };
        let style = if font.is_italic() { "italic" } else { "normal" };
        // Writing to a String cannot fail. Names of families have no quotes, see `Font::family`.
        let _ = write!(
            rules,
            "@font-face{{font-family:'{}';font-weight:{};font-style:{style};\
             src:url(data:font/woff2;base64,{}) format('woff2')}}",
            font.family(),
            font.weight(),
            STANDARD.encode(cut)
        );
    }
    rules
}

/// The font with what these letters need, its ligatures and its kerning, as WOFF2. None for a font
/// with PostScript outlines, which the library copies whole under other numbers.
fn subset(bytes: &[u8], letters: &IntSet<u32>) -> Option<Vec<u8>> {
    let font = FontRef::new(bytes).ok()?;
    if [Tag::new(b"CFF "), Tag::new(b"CFF2")].iter().any(|tag| font.table_data(*tag).is_some()) {
        return None;
    }
    let all_scripts = IntSet::all();
    let features = DEFAULT_LAYOUT_FEATURES.iter().copied().collect();
    let plan = Plan::new(
        &IntSet::empty(),
        letters,
        &font,
        // Hints are for screens of few pixels; the box for a missing letter is drawn as it is.
        SubsetFlags::SUBSET_FLAGS_NO_HINTING | SubsetFlags::SUBSET_FLAGS_NOTDEF_OUTLINE,
        &IntSet::empty(),
        &all_scripts,
        &features,
        &IntSet::empty(),
        &IntSet::empty(),
    );
    let cut = skera::subset_font(&font, &plan).ok()?;
    ttf2woff2::encode(&cut, BrotliQuality::from(QUALITY)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::scene::{Anchor, Text};
    use crate::text::Face;

    #[test]
    fn each_face_is_carried_once_and_is_small() {
        let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
        for (face, text) in [(Face::Bold, "Größe"), (Face::Regular, "12"), (Face::Bold, "ab")] {
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
        let rules = font_faces(&scene);
        assert_eq!(rules, font_faces(&scene));
        assert_eq!(rules.matches("font-weight:700;font-style:normal").count(), 1);
        assert_eq!(rules.matches("font-weight:400;font-style:normal").count(), 1);
        assert!(rules.len() < 8000, "{} bytes", rules.len());
        assert_eq!(font_faces(&Scene::new(100.0, 50.0, Color::hex(0))), "");
    }
}
