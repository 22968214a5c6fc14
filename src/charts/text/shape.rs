//! Shaping: turns characters into positioned glyphs.
//!
//! Digits and punctuation take their advances from a table. All other text is shaped with
//! ligatures, combining marks and right-to-left order. Each thread caches its shaped runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use harfrust::{Buffer, Direction, ShapeOptions, ShaperFont};
use unicode_bidi::BidiInfo;
use unicode_width::UnicodeWidthChar;

use crate::text::face::Face;
use crate::text::font::Font;

/// A glyph and its position in em, relative to the start of the run, y down.
#[derive(Clone, Copy, Debug)]
pub struct ShapedGlyph {
    /// Font of the glyph. A fallback font if the font of the text lacks the character.
    pub font: &'static Font,
    /// Id of the glyph in its font. 0 is the box for a missing glyph.
    pub id: u16,
    /// Distance to the right, in em.
    pub x: f32,
    /// Distance downwards, in em.
    pub y: f32,
    /// Byte in the text where the characters of the glyph start. Glyphs that stand for the same
    /// characters together have the same one.
    pub cluster: u32,
}

/// A shaped line of text.
#[derive(Clone, Debug, Default)]
pub struct GlyphRun {
    /// Glyphs in visual order, left to right.
    pub glyphs: Vec<ShapedGlyph>,
    /// Advance of the whole run, in em.
    pub width: f32,
    /// The first character that has no glyph in any font, so that the run shows a box for it.
    pub missing_char: Option<char>,
}

/// Maximum number of cached runs per thread. A chart has a few hundred texts, a page of charts
/// some thousand.
const MAX_CACHED_RUNS: usize = 4096;

/// Runs by the address of their font, which never moves, and their text.
type RunCache = HashMap<(usize, Box<str>), Rc<GlyphRun>>;

thread_local! {
    static RUNS: RefCell<RunCache> = RefCell::new(HashMap::new());
}

/// Shapes a line of text with the font of a face, or returns the run that this thread has cached.
/// Characters that the font lacks come from its fallback fonts.
///
/// Numbers and other ASCII text without letters are not cached, because the table of advances
/// suffices for them.
pub fn shape(text: &str, face: Face) -> Rc<GlyphRun> {
    let font = face.font();
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic())
        && text.chars().all(|character| font.table_advance(character).is_some())
    {
        return Rc::new(shape_from_table(text, font));
    }
    RUNS.with_borrow_mut(|runs| {
        let key = (std::ptr::from_ref(font).addr(), Box::from(text));
        if let Some(run) = runs.get(&key) {
            return run.clone();
        }
        if runs.len() >= MAX_CACHED_RUNS {
            runs.clear();
        }
        let run = Rc::new(shape_bidi(text, font));
        runs.insert(key, run.clone());
        run
    })
}

/// Places the glyphs of a text with all characters in the table of advances.
///
/// Adding up the advances is exact, because digits and punctuation have no kerning.
fn shape_from_table(text: &str, font: &'static Font) -> GlyphRun {
    let mut run = GlyphRun::default();
    for (byte, character) in text.char_indices() {
        let id = font.table_glyph_id(character);
        run.glyphs.push(ShapedGlyph { font, id, x: run.width, y: 0.0, cluster: byte as u32 });
        run.width += font.table_advance(character).unwrap_or(0.0);
    }
    run
}

/// Splits a line by direction (Unicode bidirectional algorithm) and shapes each part. If it
/// contains right-to-left text, only its first paragraph is shaped.
fn shape_bidi(text: &str, font: &'static Font) -> GlyphRun {
    let mut run = GlyphRun::default();
    let info = BidiInfo::new(text, None);
    if !unicode_bidi::level::has_rtl(&info.levels) {
        shape_with_fallbacks(text, 0..text.len(), font, Direction::LeftToRight, &mut run);
        return run;
    }
    let Some(paragraph) = info.paragraphs.first() else { return run };
    let (levels, ranges) = info.visual_runs(paragraph, paragraph.range.clone());
    for range in ranges {
        let rtl = levels.get(range.start).is_some_and(|level| level.is_rtl());
        let direction = if rtl { Direction::RightToLeft } else { Direction::LeftToRight };
        shape_with_fallbacks(text, range, font, direction, &mut run);
    }
    run
}

/// Shapes the bytes `range` of a text, which have one direction, and appends them to `run`. Each part
/// uses a font that has its characters, or `font` for characters that no font has.
fn shape_with_fallbacks(
    text: &str,
    range: Range<usize>,
    font: &'static Font,
    direction: Direction,
    run: &mut GlyphRun,
) {
    let mut parts: Vec<(&'static Font, Range<usize>)> = Vec::new();
    let first = range.start;
    for (start, character) in text[range].char_indices() {
        let start = first + start;
        let end = start + character.len_utf8();
        // Direction marks are invisible, so that every font can have them.
        let is_mark = matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}');
        match parts.last_mut() {
            // Combining marks stay with their character, and a space with the words around it.
            Some((part_font, range))
                if is_mark
                    || joins_previous_char(character)
                    || character == ' ' && part_font.has_glyph(character) =>
            {
                range.end = end;
            }
            last => {
                let char_font = if is_mark { font } else { font.find_font_for_char(character) };
                match last {
                    Some((part_font, range)) if std::ptr::eq(*part_font, char_font) => {
                        range.end = end;
                    }
                    _ => parts.push((char_font, start..end)),
                }
            }
        }
    }
    if direction == Direction::RightToLeft {
        parts.reverse();
    }
    for (font, range) in parts {
        shape_with_font(text, range, font, direction, run);
    }
}

/// Returns whether a character joins or changes the one before it.
fn joins_previous_char(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
        || unicode_normalization::char::is_combining_mark(character)
}

/// Shapes the bytes `range` of a text with one font, and appends its glyphs at the end of `run`. A
/// character without a glyph is appended as a box, and `run` keeps the first such character. If
/// shaping fails, appends nothing and marks the first character as missing.
fn shape_with_font(
    text: &str,
    range: Range<usize>,
    font: &'static Font,
    direction: Direction,
    run: &mut GlyphRun,
) {
    let first = range.start as u32;
    let text = &text[range];
    let mut add_missing = |byte: u32| {
        let character = text.get(byte as usize..).and_then(|rest| rest.chars().next());
        run.missing_char = run.missing_char.or(character);
    };
    let Some(shaper) = font.shaper() else { return add_missing(0) };
    let mut buffer = Buffer::new();
    buffer.push_str(text);
    buffer.set_direction(direction);
    buffer.guess_segment_properties();
    let em = 1.0 / f32::from(shaper.units_per_em().max(1));
    if harfrust::shape(&ShaperFont::new(shaper), &mut buffer, ShapeOptions::new()).is_err() {
        return add_missing(0);
    }
    for (info, position) in buffer.glyph_infos().iter().zip(buffer.glyph_positions()) {
        let mut advance = position.x_advance as f32 * em;
        if info.glyph_id == 0 {
            add_missing(info.cluster);
            advance = advance.max(find_min_fallback_advance(text, info.cluster));
        }
        run.glyphs.push(ShapedGlyph {
            font,
            id: u16::try_from(info.glyph_id).unwrap_or(0),
            x: run.width + position.x_offset as f32 * em,
            y: -(position.y_offset as f32) * em,
            cluster: first + info.cluster,
        });
        run.width += advance;
    }
}

/// Returns the minimum advance in em of the character at byte `at`, in any font that a browser may
/// choose for it.
///
/// It is 1 for wide characters, such as Chinese, Japanese and Korean ones, and 1.25 for emoji. The
/// advance of other characters is unknown, so the result is 0 for them.
fn find_min_fallback_advance(text: &str, at: u32) -> f32 {
    let character = text.get(at as usize..).and_then(|rest| rest.chars().next());
    match character.and_then(UnicodeWidthChar::width) {
        // The glyphs of emoji fonts are wider than a square.
        Some(2) if character >= Some('\u{1f000}') && character < Some('\u{20000}') => 1.25,
        Some(2) => 1.0,
        _ => 0.0,
    }
}
