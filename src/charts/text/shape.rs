//! Letters to placed glyphs: a table for figures, shaping (with ligatures, marks and
//! right-to-left order) for everything else, kept per thread.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use harfrust::{Buffer, Direction, ShapeOptions, ShaperFont};
use unicode_bidi::BidiInfo;
use unicode_width::UnicodeWidthChar;

use crate::text::face::Face;
use crate::text::font::Font;

/// A glyph and where it stands, in em from the start of the run, y down.
#[derive(Clone, Copy, Debug)]
pub struct Glyph {
    /// Whose glyph it is: not the text's own font when that lacks the letter.
    pub font: &'static Font,
    /// Number of the glyph in its font; 0 is the box for a missing one.
    pub id: u16,
    /// Rightwards.
    pub x: f32,
    /// Downwards.
    pub y: f32,
}

/// A shaped line.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// In drawing order, left to right.
    pub glyphs: Vec<Glyph>,
    /// Advance of the whole in em.
    pub width: f32,
    /// Whether a letter has no glyph and shows as a box.
    pub missing: bool,
}

/// Runs kept per thread; a chart has a few hundred texts, a page of charts some thousand.
const KEPT_RUNS: usize = 4096;

/// By the address of the font, which stays where it is, and the text.
type Kept = HashMap<(usize, Box<str>), Rc<Run>>;

thread_local! {
    static RUNS: RefCell<Kept> = RefCell::new(HashMap::new());
}

/// Shapes a line of text.
pub fn shape(text: &str, face: Face) -> Rc<Run> {
    let font = face.font();
    if text.bytes().all(|it| it.is_ascii() && !it.is_ascii_alphabetic())
        && text.chars().all(|it| font.table_advance(it).is_some())
    {
        return Rc::new(from_table(text, font));
    }
    RUNS.with_borrow_mut(|runs| {
        let key = (std::ptr::from_ref(font).addr(), Box::from(text));
        if let Some(run) = runs.get(&key) {
            return run.clone();
        }
        if runs.len() >= KEPT_RUNS {
            runs.clear();
        }
        let run = Rc::new(shape_anew(text, font));
        runs.insert(key, run.clone());
        run
    })
}

/// Figures and signs are not kerned, so their advances are the whole truth.
fn from_table(text: &str, font: &'static Font) -> Run {
    let mut run = Run::default();
    for letter in text.chars() {
        run.glyphs.push(Glyph { font, id: font.table_glyph(letter), x: run.width, y: 0.0 });
        run.width += font.table_advance(letter).unwrap_or(0.0);
    }
    run
}

fn shape_anew(text: &str, font: &'static Font) -> Run {
    let mut run = Run::default();
    let info = BidiInfo::new(text, None);
    if !unicode_bidi::level::has_rtl(&info.levels) {
        shape_part(text, font, Direction::LeftToRight, &mut run);
        return run;
    }
    let Some(paragraph) = info.paragraphs.first() else { return run };
    let (levels, ranges) = info.visual_runs(paragraph, paragraph.range.clone());
    for range in ranges {
        let rtl = levels.get(range.start).is_some_and(|level| level.is_rtl());
        let direction = if rtl { Direction::RightToLeft } else { Direction::LeftToRight };
        shape_part(&text[range], font, direction, &mut run);
    }
    run
}

/// Text of one direction, each part of it in a font that has its letters.
fn shape_part(text: &str, font: &'static Font, direction: Direction, run: &mut Run) {
    let mut parts: Vec<(&'static Font, Range<usize>)> = Vec::new();
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        match parts.last_mut() {
            // Marks go with their letter, and a word space with the words round it.
            Some((with, range)) if clings(letter) || letter == ' ' && with.has(letter) => {
                range.end = end;
            }
            last => {
                let able = font.able(letter);
                match last {
                    Some((with, range)) if std::ptr::eq(*with, able) => range.end = end,
                    _ => parts.push((able, at..end)),
                }
            }
        }
    }
    if direction == Direction::RightToLeft {
        parts.reverse();
    }
    for (font, range) in parts {
        shape_in(&text[range], font, direction, run);
    }
}

/// Whether a letter joins or changes the one before it.
fn clings(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
        || unicode_normalization::char::is_combining_mark(letter)
}

fn shape_in(text: &str, font: &'static Font, direction: Direction, run: &mut Run) {
    let Some(data) = font.shaper() else {
        run.missing = true;
        return;
    };
    let mut buffer = Buffer::new();
    buffer.push_str(text);
    buffer.set_direction(direction);
    buffer.guess_segment_properties();
    let em = 1.0 / f32::from(data.units_per_em().max(1));
    if harfrust::shape(&ShaperFont::new(data), &mut buffer, ShapeOptions::new()).is_err() {
        run.missing = true;
        return;
    }
    for (info, position) in buffer.glyph_infos().iter().zip(buffer.glyph_positions()) {
        let mut advance = position.x_advance as f32 * em;
        if info.glyph_id == 0 {
            run.missing = true;
            advance = advance.max(breadth(text, info.cluster));
        }
        run.glyphs.push(Glyph {
            font,
            id: u16::try_from(info.glyph_id).unwrap_or(0),
            x: run.width + position.x_offset as f32 * em,
            y: -(position.y_offset as f32) * em,
        });
        run.width += advance;
    }
}

/// Em that a letter takes in whatever font a browser finds for it: a full square for Chinese,
/// Japanese, Korean and emoji, nothing certain for others.
fn breadth(text: &str, at: u32) -> f32 {
    let letter = text.get(at as usize..).and_then(|rest| rest.chars().next());
    match letter.and_then(UnicodeWidthChar::width) {
        // Emoji fonts are wider than their square.
        Some(2) if letter >= Some('\u{1f000}') && letter < Some('\u{20000}') => 1.25,
        Some(2) => 1.0,
        _ => 0.0,
    }
}
