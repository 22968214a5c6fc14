//! A line of text as operators that show glyphs.

use pdf_writer::Content;
use pdf_writer::Name;
use pdf_writer::Str;

use crate::pdf::fonts::{FontSubsets, SubsetGlyph};
use crate::pdf::values::{text_matrix, to_number};
use crate::scene::Text;
use crate::text::{GlyphRun, ShapedGlyph};

/// Units of widths and distances in an operator, per em.
const UNITS_PER_EM: f64 = 1000.0;

/// Writes a text in the fill color, without its halo. Adds its glyphs to `fonts`.
///
/// Each glyph is shown at the position of the shaper, also if that is not after the glyph before. Marks
/// without characters come last, because readers take a jump between letters for a space.
pub fn write(text: &Text, fonts: &mut FontSubsets, content: &mut Content) {
    let (run, start) = text.shape();
    if run.glyphs.is_empty() {
        return;
    }
    let characters = characters_of_glyphs(&run, &text.text);
    let mut glyphs: Vec<(&ShapedGlyph, SubsetGlyph)> = Vec::with_capacity(run.glyphs.len());
    let mut marks = Vec::new();
    for (glyph, characters) in run.glyphs.iter().zip(characters) {
        let has_characters = !characters.is_empty();
        let subset = fonts.add(glyph, characters);
        let part = if has_characters || subset.width > 0.0 { &mut glyphs } else { &mut marks };
        part.push((glyph, subset));
    }
    glyphs.extend(marks);
    content.begin_text();
    content.set_text_matrix(text_matrix(text, start));
    let mut pen = 0.0;
    let mut rise = 0.0;
    let is_alike = |one: &(&ShapedGlyph, SubsetGlyph), two: &(&ShapedGlyph, SubsetGlyph)| {
        one.1.font == two.1.font && one.0.y == two.0.y
    };
    for part in glyphs.chunk_by(is_alike) {
        let Some((glyph, subset)) = part.first() else { continue };
        content.set_font(Name(format!("T{}", subset.font).as_bytes()), to_number(text.size));
        let part_rise = to_number(-f64::from(glyph.y) * text.size);
        if part_rise != rise {
            content.set_rise(part_rise);
            rise = part_rise;
        }
        show_part(part, &mut pen, content);
    }
    if rise != 0.0 {
        content.set_rise(0.0);
    }
    content.end_text();
}

/// Shows glyphs of one font. `pen` is the position after the last glyph, in thousandths of an em.
fn show_part(part: &[(&ShapedGlyph, SubsetGlyph)], pen: &mut f64, content: &mut Content) {
    let mut operator = content.show_positioned();
    let mut items = operator.items();
    let mut shown: Vec<u8> = Vec::new();
    for (glyph, subset) in part {
        // A positive adjustment moves to the left.
        let adjustment = (*pen - f64::from(glyph.x) * UNITS_PER_EM).round();
        if adjustment != 0.0 {
            if !shown.is_empty() {
                items.show(Str(&shown));
                shown.clear();
            }
            items.adjust(adjustment as f32);
            *pen -= adjustment;
        }
        shown.extend(subset.cid.to_be_bytes());
        *pen += f64::from(subset.width);
    }
    if !shown.is_empty() {
        items.show(Str(&shown));
    }
}

/// Returns the characters that each glyph of a run stands for. Together they are the text without soft
/// hyphens, each character once.
///
/// If several glyphs stand for the same characters, such as a letter and its marks, the first one with an
/// advance has all of them and the others have none.
fn characters_of_glyphs(run: &GlyphRun, text: &str) -> Vec<String> {
    let mut starts: Vec<u32> = run.glyphs.iter().map(|glyph| glyph.cluster).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut owners: Vec<Option<usize>> = vec![None; starts.len()];
    for (index, glyph) in run.glyphs.iter().enumerate() {
        let Ok(cluster) = starts.binary_search(&glyph.cluster) else { continue };
        let owner = &mut owners[cluster];
        if owner.is_none_or(|owner| !has_advance(&run.glyphs[owner]) && has_advance(glyph)) {
            *owner = Some(index);
        }
    }
    let mut characters = vec![String::new(); run.glyphs.len()];
    for (cluster, owner) in owners.into_iter().enumerate() {
        let from = starts[cluster] as usize;
        let to = starts.get(cluster + 1).map_or(text.len(), |next| *next as usize);
        if let (Some(owner), Some(part)) = (owner, text.get(from..to)) {
            characters[owner] = part.replace('\u{ad}', "");
        }
    }
    characters
}

/// Returns whether the next glyph is not at the same place. Marks have no advance.
fn has_advance(glyph: &ShapedGlyph) -> bool {
    glyph.font.glyph_advance(glyph.id) > 0.0
}
