//! Text as the outlines that the PNG is drawn with: a glyph that a picture has more than once
//! stands once among the definitions, the others are paths where they are.

use std::collections::HashMap;

use kurbo::{Affine, BezPath};

use crate::scene::{Form, Scene, Tag, Text};
use crate::svg;
use crate::svg::words;
use crate::svg::write::Writer;
use crate::text;
use crate::text::Placed;

/// A glyph, by where its outline lies, in one size. Sizes are few in a picture, and a glyph in
/// points needs no scale, whose two decimals would be too coarse.
type Key = (*const BezPath, u64);

/// The glyphs of a picture that are drawn more than once.
pub struct Glyphs {
    /// Starts each name.
    prefix: String,
    /// Number of each glyph in `order`.
    numbers: HashMap<Key, usize>,
    /// Outline and size of each, as they first come again, which gives the same bytes each time.
    order: Vec<(&'static BezPath, f64)>,
}

fn key(words: &Text, glyph: &Placed) -> Key {
    (std::ptr::from_ref(glyph.outline), words.size.to_bits())
}

impl Glyphs {
    /// Those of all texts but the rimmed ones: a rim must lie under the whole text, so that one is
    /// a single path.
    pub fn of(scene: &Scene) -> Glyphs {
        let mut uses: HashMap<Key, usize> = HashMap::new();
        let mut numbers = HashMap::new();
        let mut order = Vec::new();
        for shape in &scene.shapes {
            let Form::Text(words) = &shape.form else { continue };
            if words.halo.is_some() {
                continue;
            }
            for glyph in text::placed(words) {
                let key = key(words, &glyph);
                let count = uses.entry(key).or_default();
                *count += 1;
                if *count == 2 && !glyph.outline.is_empty() {
                    numbers.insert(key, order.len());
                    order.push((glyph.outline, words.size));
                }
            }
        }
        Glyphs { prefix: format!("{}g", scene.id_prefix), numbers, order }
    }

    /// Writes the definitions.
    pub fn define(&self, out: &mut Writer) {
        if self.order.is_empty() {
            return;
        }
        out.raw("<defs>");
        for (index, (outline, size)) in self.order.iter().enumerate() {
            out.raw("<path id=\"").raw(&self.prefix).raw(&index.to_string()).raw("\" d=\"");
            svg::path_data(&(Affine::scale(*size) * *outline), out);
            out.raw("\"/>");
        }
        out.raw("</defs>");
    }

    /// Writes a text. What has no ink, such as spaces alone, writes nothing.
    pub fn text(&self, words: &Text, tag: Option<&Tag>, out: &mut Writer) {
        let glyphs = text::placed(words);
        if glyphs.iter().all(|it| it.outline.is_empty()) {
            return;
        }
        out.raw("<g");
        words::ink(words, out);
        if let Some(tag) = tag {
            svg::tag_attributes(tag, out);
        }
        if words.halo.is_none() {
            out.raw(" transform=\"translate(").value(words.x).raw(" ").value(words.y).raw(")");
            if words.angle != 0.0 {
                out.raw(" rotate(").value(words.angle).raw(")");
            }
            out.raw("\"");
        }
        out.raw(">");
        if let Some(title) = words.full.as_ref().or(tag.map(|it| &it.tip)) {
            out.raw("<title>").escaped(title).raw("</title>");
        }
        let mut rest = BezPath::new();
        if words.halo.is_some() {
            text::outline(words, &mut rest);
        } else {
            self.uses(words, &glyphs, &mut rest, out);
        }
        if !rest.is_empty() {
            out.raw("<path d=\"");
            svg::path_data(&rest, out);
            out.raw("\"/>");
        }
        out.raw("</g>");
    }

    /// Points at the defined glyphs of a text and adds the others to `rest`.
    fn uses(&self, words: &Text, glyphs: &[Placed], rest: &mut BezPath, out: &mut Writer) {
        for glyph in glyphs {
            let Placed { outline, x, y } = *glyph;
            let Some(number) = self.numbers.get(&key(words, glyph)) else {
                let place = Affine::translate((x, y)) * Affine::scale(words.size);
                rest.extend(outline.elements().iter().map(|it| place * *it));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::scene::Anchor;
    use crate::svg::{Lettering, Options};
    use crate::text::Face;

    fn words(text: &str, halo: Option<Color>) -> Text {
        Text {
            x: 10.0,
            y: 20.0,
            anchor: Anchor::Middle,
            angle: -45.0,
            size: 12.0,
            face: Face::Bold,
            color: Color::hex(0x1a1a1a),
            halo,
            text: text.to_owned(),
            width: 30.0,
            full: Some("Short & long".to_owned()),
        }
    }

    fn drawn(texts: impl IntoIterator<Item = Text>) -> String {
        let mut scene = Scene::new(100.0, 50.0, Color::hex(0xffffff));
        scene.title = "Title".to_owned();
        texts.into_iter().for_each(|it| scene.text(it));
        svg::write(&scene, &Options { text: Lettering::Outlines, ..Options::default() })
    }

    #[test]
    fn a_glyph_that_comes_again_is_defined_once() {
        let svg = drawn([words("abca", None), words("ab", None)]);
        assert_eq!(svg.matches("<path id=\"g").count(), 2, "{svg}");
        assert_eq!(svg.matches("<use xlink:href=\"#g").count(), 5, "{svg}");
        assert_eq!(svg.matches("<path d=\"M").count(), 1, "the c is alone: {svg}");
        assert!(svg.contains("transform=\"translate(10 20) rotate(-45)\""), "{svg}");
        assert!(!svg.contains("<text") && !svg.contains("<style") && !svg.contains("style="));
        assert!(svg.contains(">Title</title>") && svg.contains("<title>Short &amp; long</title>"));
    }

    #[test]
    fn a_rim_lies_under_the_whole_text() {
        let svg = drawn([words("aaa", Some(Color::hex(0xffffff)))]);
        assert!(!svg.contains("<use") && svg.matches("<path d=\"M").count() == 1, "{svg}");
    }

    #[test]
    fn what_has_no_ink_is_not_written() {
        assert!(!drawn([words(" ", None)]).contains("<g fill"));
    }
}
