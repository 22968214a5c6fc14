//! Text: measured, shortened, wrapped and shaped with the very fonts that the reader gets.

mod face;
mod font;
mod fonts;
mod html;
mod shape;

use std::borrow::Cow;

pub use face::{Face, Faces};
pub use font::{Font, font};
pub use fonts::{FAMILY, Fonts};
pub use html::{Span, lines};
pub use shape::{Glyph, Run, shape};

/// Longest label that is read, in letters; more would not fit on any chart.
pub const LONGEST: usize = 200;

/// Says where a word may be parted, and shows only where it is.
const SOFT_HYPHEN: char = '\u{ad}';

/// Width in points of a line of text at this font size.
///
/// Latin is summed from a table, which leaves out kerning (under 0.2 % on a long title);
/// everything else is shaped.
pub fn width(text: &str, size: f64, face: Face) -> f64 {
    let font = font(face);
    let mut em = 0.0f32;
    for letter in text.chars().filter(|it| *it != SOFT_HYPHEN) {
        match font.table_advance(letter) {
            Some(advance) => em += advance,
            None => return f64::from(shape(text, face).width) * size,
        }
    }
    f64::from(em) * size
}

/// Whether a letter of the text is in no font, so that it shows as a box.
pub fn is_missing(text: &str, face: Face) -> bool {
    let font = font(face);
    let tabled = |it: char| font.table_advance(it).is_some();
    !text.chars().all(tabled) && shape(text, face).missing
}

/// The fonts that a text is drawn with: that of its face, and those that have what it lacks.
pub fn fonts_of(text: &str, face: Face) -> Vec<&'static Font> {
    let mut found = vec![font(face)];
    for glyph in &shape(text, face).glyphs {
        if !found.iter().any(|it| std::ptr::eq(*it, glyph.font)) {
            found.push(glyph.font);
        }
    }
    found
}

/// The families beside the face's own that letters of the text are drawn in, in order.
pub fn other_families(text: &str, face: Face) -> Vec<&'static str> {
    let font = font(face);
    if text.chars().all(|it| font.table_advance(it).is_some()) {
        return Vec::new();
    }
    let mut found: Vec<&'static str> = Vec::new();
    for glyph in &shape(text, face).glyphs {
        let family = glyph.font.family();
        if family != font.family() && !found.contains(&family) {
            found.push(family);
        }
    }
    found
}

/// Text as people may see it: control characters out, white space single, not over [`LONGEST`].
pub fn clean(text: &str) -> Cow<'_, str> {
    let plain = |it: char| !it.is_control() && !is_invisible(it);
    let doubled = text.as_bytes().windows(2).any(|it| it == b"  ");
    if !doubled && text.len() <= LONGEST && text.chars().all(plain) && text.trim() == text {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(LONGEST * 4));
    let mut count = 0;
    for word in text.split(|it: char| it.is_whitespace() || it.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        for letter in word.chars().filter(|it| !is_invisible(*it)) {
            count += 1;
            if count > LONGEST {
                out.push('…');
                return Cow::Owned(out);
            }
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

/// Marks that steer the direction of other text could pull a label out of its place, and
/// U+FFFE and U+FFFF are no characters of XML.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// The text, or as much of it as fits with an ellipsis; empty when not even one letter fits.
pub fn fit(text: &str, room: f64, size: f64, face: Face) -> Cow<'_, str> {
    if width(text, size, face) <= room {
        return Cow::Borrowed(text);
    }
    let letters: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut low = 0;
    let mut high = letters.len();
    let shortened = |count: usize| {
        let end = letters.get(count).copied().unwrap_or(text.len());
        format!("{}…", text[..end].trim_end_matches([' ', ',', '.', ';', ':', '-', '–']))
    };
    while low + 1 < high {
        let middle = low.midpoint(high);
        if width(&shortened(middle), size, face) <= room { low = middle } else { high = middle }
    }
    if low == 0 { Cow::Borrowed("") } else { Cow::Owned(shortened(low)) }
}

/// Whether a text runs from right to left: its first letter that has a direction says so.
pub fn is_rtl(text: &str) -> bool {
    // No letter before Hebrew does.
    text.chars().any(|it| it >= '\u{590}')
        && unicode_bidi::get_base_direction(text) == unicode_bidi::Direction::Rtl
}

/// A part of a text as it stands at the end of a line: without space behind it, and with a hyphen
/// where its word goes on below. Soft hyphens elsewhere are gone.
fn at_line_end(part: &str) -> Cow<'_, str> {
    let part = part.trim_end();
    if !part.contains(SOFT_HYPHEN) {
        return Cow::Borrowed(part);
    }
    let mut line = part.replace(SOFT_HYPHEN, "");
    if part.ends_with(SOFT_HYPHEN) {
        line.push('-');
    }
    Cow::Owned(line)
}

/// The text in at most `most` lines, broken by the rules of Unicode (UAX 14), none wider than `room`; the last one is shortened if need be.
pub fn wrap(text: &str, room: f64, most: usize, size: f64, face: Face) -> Vec<String> {
    if text.is_empty() || most == 0 {
        return Vec::new();
    }
    if width(text, size, face) <= room {
        return vec![text.replace(SOFT_HYPHEN, "")];
    }
    let mut lines: Vec<String> = Vec::new();
    let mut start = 0;
    let mut last_break = 0;
    for (at, _) in unicode_linebreak::linebreaks(text) {
        if width(&at_line_end(&text[start..at]), size, face) > room && last_break > start {
            if lines.len() + 1 == most {
                break;
            }
            lines.push(at_line_end(&text[start..last_break]).into_owned());
            start = last_break;
        }
        last_break = at;
    }
    lines.push(text[start..].trim_end().replace(SOFT_HYPHEN, ""));
    for line in &mut lines {
        *line = fit(line, room, size, face).into_owned();
    }
    // Without a word before it the rest would be another name.
    let whole = lines.iter().take_while(|line| !line.is_empty()).count();
    lines.truncate(whole);
    lines
}

/// The text wrapped as by [`wrap`], in lines of about equal length: the last one is not left with a word or two.
pub fn balanced(text: &str, room: f64, most: usize, size: f64, face: Face) -> Vec<String> {
    let mut lines = wrap(text, room, most, size, face);
    let cut = |lines: &[String]| lines.iter().any(|it| it.ends_with('…'));
    if lines.len() < 2 || cut(&lines) {
        return lines;
    }
    let (mut low, mut high) = (room / lines.len() as f64 * 0.5, room);
    for _ in 0..6 {
        let middle = low.midpoint(high);
        let tried = wrap(text, middle, lines.len(), size, face);
        if tried.len() == lines.len() && !cut(&tried) {
            (lines, high) = (tried, middle);
        } else {
            low = middle;
        }
    }
    lines
}

/// Adds the outlines of a text, as it stands in the picture, to `path`.
pub fn outline(words: &crate::scene::Text, path: &mut kurbo::BezPath) {
    let turn = kurbo::Affine::translate((words.x, words.y))
        * kurbo::Affine::rotate(words.angle.to_radians());
    for Placed { outline, x, y } in placed(words) {
        let place = turn * kurbo::Affine::translate((x, y)) * kurbo::Affine::scale(words.size);
        path.extend(outline.elements().iter().map(|it| place * *it));
    }
}

/// A glyph of a text that is placed but not turned.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// In em, from the baseline, y down. A glyph of a font has one, wherever it is used.
    pub outline: &'static kurbo::BezPath,
    /// How far it stands right of the anchor, in points.
    pub x: f64,
    /// How far it stands below the baseline, in points.
    pub y: f64,
}

/// The glyphs of a text in drawing order.
pub fn placed(words: &crate::scene::Text) -> Vec<Placed> {
    let run = shape(&words.text, words.face);
    let width = f64::from(run.width) * words.size;
    let start = match words.anchor {
        crate::scene::Anchor::Start => 0.0,
        crate::scene::Anchor::Middle => -width / 2.0,
        crate::scene::Anchor::End => -width,
    };
    let place = |it: &Glyph| Placed {
        outline: it.font.outline(it.id),
        x: start + f64::from(it.x) * words.size,
        y: f64::from(it.y) * words.size,
    };
    run.glyphs.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_equally_wide() {
        let one = width("1111", 12.0, Face::Regular);
        let eight = width("8888", 12.0, Face::Regular);
        assert!((one - eight).abs() < 1e-6 && one > 20.0, "{one} {eight}");
    }

    #[test]
    fn the_table_and_the_shaper_agree() {
        let text = "Umsatz nach Regionen, 2024";
        let table = width(text, 12.0, Face::Regular);
        let shaped = f64::from(shape(text, Face::Regular).width) * 12.0;
        assert!((table - shaped).abs() / shaped < 0.02, "{table} {shaped}");
    }

    #[test]
    fn shortened_text_fits_and_says_so() {
        let short = fit("A rather long label", 60.0, 12.0, Face::Regular);
        assert!(short.ends_with('…') && short.len() > 3, "{short}");
        assert!(width(&short, 12.0, Face::Regular) <= 60.0);
        assert_eq!(fit("word", 1.0, 12.0, Face::Regular), "");
    }

    #[test]
    fn lines_break_between_words_and_keep_to_the_room() {
        let lines = wrap("Exports of goods and services", 90.0, 3, 12.0, Face::Regular);
        assert!(lines.len() >= 2, "{lines:?}");
        assert!(lines.iter().all(|it| width(it, 12.0, Face::Regular) <= 90.0));
        assert_eq!(wrap("Exports of goods and services", 90.0, 1, 12.0, Face::Regular).len(), 1);
        assert!(wrap("Exports of goods", 4.0, 3, 12.0, Face::Regular).is_empty());
        assert!(wrap("Libraries 4", 9.0, 2, 12.0, Face::Regular).is_empty());
    }

    #[test]
    fn balanced_lines_leave_no_word_alone() {
        let (title, room) = ("The power price decides whether the new plant pays", 275.0);
        assert_eq!(wrap(title, room, 3, 12.0, Face::Bold)[1], "plant pays");
        let lines = balanced(title, room, 3, 12.0, Face::Bold);
        assert_eq!(lines, ["The power price decides", "whether the new plant pays"]);
        let long = "A title that goes on and on until nobody would read it";
        let cut = wrap(long, 90.0, 2, 12.0, Face::Bold);
        assert_eq!(balanced(long, 90.0, 2, 12.0, Face::Bold), cut, "what is cut stays");
    }

    #[test]
    fn a_soft_hyphen_shows_where_its_word_is_parted_and_nowhere_else() {
        let word = "Donau\u{ad}dampf\u{ad}schiff\u{ad}fahrt";
        let plain = "Donaudampfschifffahrt";
        assert_eq!(width(word, 12.0, Face::Regular), width(plain, 12.0, Face::Regular));
        assert_eq!(wrap(word, 500.0, 2, 12.0, Face::Regular), [plain]);
        let parted = wrap(word, 80.0, 3, 12.0, Face::Regular);
        assert_eq!(parted, ["Donaudampf-", "schifffahrt"]);
        assert!(parted.iter().all(|it| width(it, 12.0, Face::Regular) <= 80.0));
    }

    #[test]
    fn lines_of_chinese_break_between_letters_but_not_before_a_stop() {
        let text = "各地区商品出口额逐年增长。";
        let lines = wrap(text, 80.0, 5, 12.0, Face::Regular);
        assert!(lines.len() >= 2 && lines.concat() == text, "{lines:?}");
        assert!(lines.iter().all(|it| !it.starts_with('。')), "{lines:?}");
    }

    #[test]
    fn a_letter_without_glyph_has_the_room_that_another_font_takes() {
        let chinese = width("出口", 10.0, Face::Regular);
        assert!((chinese - 20.0).abs() < 1e-6, "two full squares, not {chinese}");
        assert!(width("\u{1f680}", 10.0, Face::Regular) >= 10.0);
    }

    #[test]
    fn arabic_and_missing_letters_are_boxes_and_no_panic() {
        assert!(shape("\u{645}\u{631}\u{62d}\u{628}\u{627} abc", Face::Regular).missing);
        assert!(width("\u{65e5}\u{672c}", 12.0, Face::Regular) > 0.0);
    }

    #[test]
    fn control_characters_go() {
        assert_eq!(clean("a\u{0}b\n\n c\u{202e}d"), "a b cd");
        assert_eq!(clean(&"x".repeat(500)).chars().count(), LONGEST + 1);
    }
}
