//! Wrapping and shortening of plain text.

use std::borrow::Cow;

use crate::text::face::Face;
use crate::text::measure::SOFT_HYPHEN;
use crate::text::measure::width;

/// Shortens a text with an ellipsis until it is at most `max_width` points wide.
///
/// Returns the text itself if it fits, and an empty text if not even one character and the ellipsis
/// fit. Removes spaces and punctuation before the ellipsis. `size` is the font size in points.
pub fn ellipsize(text: &str, max_width: f64, size: f64, face: Face) -> Cow<'_, str> {
    if width(text, size, face) <= max_width {
        return Cow::Borrowed(text);
    }
    let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    let mut low = 0;
    let mut high = starts.len();
    let shortened = |count: usize| {
        let end = starts.get(count).copied().unwrap_or(text.len());
        format!("{}…", text[..end].trim_end_matches([' ', ',', '.', ';', ':', '-', '–']))
    };
    while low + 1 < high {
        let middle = low.midpoint(high);
        if width(&shortened(middle), size, face) <= max_width {
            low = middle;
        } else {
            high = middle;
        }
    }
    if low == 0 { Cow::Borrowed("") } else { Cow::Owned(shortened(low)) }
}

/// Returns the visible form of a text that ends a line.
///
/// Trims the end, removes soft hyphens, and adds a hyphen if the line breaks at a soft hyphen.
pub(super) fn to_visible_line(part: &str) -> Cow<'_, str> {
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

/// Breaks a text into at most `max_lines` lines that are at most `max_width` points wide.
///
/// Lines break only where necessary, at places that Unicode (UAX 14) allows. A line feed alone does
/// not break a line. The last line takes the rest of the text and is shortened if necessary, and so
/// is a word that is wider than a line. If nothing of a line fits, the line before it takes the rest
/// and is shortened, so that a text that is not whole always has an ellipsis, or no lines at all.
/// Soft hyphens are removed or become hyphens at line ends. `size` is the font size in points.
pub fn wrap(text: &str, max_width: f64, max_lines: usize, size: f64, face: Face) -> Vec<String> {
    if text.is_empty() || max_lines == 0 {
        return Vec::new();
    }
    if width(text, size, face) <= max_width {
        return vec![text.replace(SOFT_HYPHEN, "")];
    }
    let (mut lines, starts) = break_lines(text, max_width, max_lines, size, face);
    for line in &mut lines {
        *line = ellipsize(line, max_width, size, face).into_owned();
    }
    while let Some(empty) = lines.iter().position(String::is_empty) {
        lines.truncate(empty);
        if let (Some(last), Some(start)) = (lines.last_mut(), starts.get(empty.wrapping_sub(1))) {
            let rest = text[*start..].trim_end().replace(SOFT_HYPHEN, "");
            *last = ellipsize(&rest, max_width, size, face).into_owned();
        }
    }
    lines
}

/// Breaks a text into at most `max_lines` lines, and returns them and the byte offset of each in the
/// text. The last line takes the rest of the text. It and lines of a single long word may be wider
/// than `max_width` points.
fn break_lines(
    text: &str,
    max_width: f64,
    max_lines: usize,
    size: f64,
    face: Face,
) -> (Vec<String>, Vec<usize>) {
    let mut lines: Vec<String> = Vec::new();
    let mut starts = vec![0];
    let mut start = 0;
    let mut last_break = 0;
    for (end, _) in unicode_linebreak::linebreaks(text) {
        let is_too_wide = width(&to_visible_line(&text[start..end]), size, face) > max_width;
        if is_too_wide && last_break > start {
            if lines.len() + 1 == max_lines {
                break;
            }
            lines.push(to_visible_line(&text[start..last_break]).into_owned());
            start = last_break;
            starts.push(start);
        }
        last_break = end;
    }
    lines.push(text[start..].trim_end().replace(SOFT_HYPHEN, ""));
    (lines, starts)
}

/// Wraps a text into as many lines as [`wrap`], but of about equal length.
///
/// This avoids a last line of one or two words. A text that [`wrap`] has to shorten is returned as
/// [`wrap`] returns it.
pub fn wrap_balanced(
    text: &str,
    max_width: f64,
    max_lines: usize,
    size: f64,
    face: Face,
) -> Vec<String> {
    let mut lines = wrap(text, max_width, max_lines, size, face);
    let is_shortened = |lines: &[String]| lines.iter().any(|line| line.ends_with('…'));
    if lines.len() < 2 || is_shortened(&lines) {
        return lines;
    }
    let (mut low, mut high) = (max_width / lines.len() as f64 * 0.5, max_width);
    for _ in 0..6 {
        let middle = low.midpoint(high);
        let (candidate, _) = break_lines(text, middle, lines.len(), size, face);
        let fits = |line: &String| !line.is_empty() && width(line, size, face) <= middle;
        if candidate.len() == lines.len() && candidate.iter().all(fits) {
            (lines, high) = (candidate, middle);
        } else {
            low = middle;
        }
    }
    lines
}

/// Returns whether a character is a letter of the scripts up to Cyrillic, which do not join their letters.
fn is_partable(character: char) -> bool {
    character.is_alphabetic() && character < '\u{530}'
}

/// Letters at each end of a word that stay together if the word is broken within.
const MIN_LETTERS_OF_PART: usize = 3;

/// Allows line breaks with a hyphen within words that are wider than a line of `max_width` points, by
/// soft hyphens between their letters. Other words stay whole, and so do words in other scripts than
/// Latin, Greek and Cyrillic.
pub fn part_long_words(text: &str, max_width: f64, size: f64, face: Face) -> Cow<'_, str> {
    if width(text, size, face) <= max_width {
        return Cow::Borrowed(text);
    }
    let mut parted = String::with_capacity(text.len());
    let mut start = 0;
    for (end, _) in unicode_linebreak::linebreaks(text) {
        let word = &text[start..end];
        start = end;
        if width(&to_visible_line(word), size, face) <= max_width {
            parted.push_str(word);
            continue;
        }
        let letters = word.trim_end().chars().count();
        let mut previous = ' ';
        for (index, letter) in word.chars().enumerate() {
            let is_inside = index >= MIN_LETTERS_OF_PART && index + MIN_LETTERS_OF_PART <= letters;
            if is_inside && is_partable(previous) && is_partable(letter) {
                parted.push(SOFT_HYPHEN);
            }
            parted.push(letter);
            previous = letter;
        }
    }
    Cow::Owned(parted)
}

/// Wraps a text into at most `max_lines` lines of about equal length. Returns None if the text
/// would have to be shortened.
pub fn wrap_whole(
    text: &str,
    max_width: f64,
    max_lines: usize,
    size: f64,
    face: Face,
) -> Option<Vec<String>> {
    // Texts that are far too long are not wrapped, because that takes much longer than measuring.
    if width(text, size, face) > (max_width + size) * max_lines as f64 {
        return None;
    }
    let lines = wrap_balanced(text, max_width, max_lines, size, face);
    is_whole(&lines, text).then_some(lines)
}

/// Returns whether the lines of a wrapped text have all of it. Compares the numbers of characters
/// other than white space and hyphens. False if a line ends with an ellipsis and `text` contains
/// none.
pub fn is_whole(lines: &[String], text: &str) -> bool {
    let count_letters = |text: &str| {
        let is_letter = |c: &char| !c.is_whitespace() && !matches!(*c, SOFT_HYPHEN | '-');
        text.chars().filter(is_letter).count()
    };
    lines.iter().map(|line| count_letters(line)).sum::<usize>() == count_letters(text)
        && (text.contains('…') || !lines.iter().any(|line| line.ends_with('…')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_whole_has_an_ellipsis_or_no_lines() {
        // "W…" does not fit, but "A…".
        assert_eq!(wrap("A Wonderful idea", 20.0, 3, 12.0, Face::REGULAR), ["A…"]);
        for (text, width) in [("愛知県10", 14.0), ("Wonderful ideas", 8.0), ("i Wonderful", 4.0)]
        {
            assert_eq!(wrap(text, width, 2, 12.0, Face::REGULAR), Vec::<String>::new(), "{text}");
        }
        for text in ["A Wonderful idea", "Wi Quality", "愛知県10", "A soft\u{ad}hyphen", "a  b"]
        {
            for width in (1..120).map(f64::from) {
                for max_lines in 1..4 {
                    let lines = wrap(text, width, max_lines, 12.0, Face::REGULAR);
                    let is_marked = lines.iter().any(|line| line.ends_with('…'));
                    let is_honest = lines.is_empty() || is_marked != is_whole(&lines, text);
                    assert!(is_honest, "{text} {width} {max_lines}: {lines:?}");
                }
            }
        }
    }

    #[test]
    fn lines_may_end_between_the_characters_of_a_chinese_name() {
        let lines = wrap("愛知県", 14.0, 3, 12.0, Face::REGULAR);
        assert!(is_whole(&lines, "愛知県"), "{lines:?}");
        assert_eq!(wrap_whole("愛知県10", 14.0, 2, 12.0, Face::REGULAR), None);
    }

    #[test]
    fn shortened_text_fits_and_ends_with_an_ellipsis() {
        let short = ellipsize("A rather long label", 60.0, 12.0, Face::REGULAR);
        assert!(short.ends_with('…') && short.len() > 3, "{short}");
        assert!(width(&short, 12.0, Face::REGULAR) <= 60.0);
        assert_eq!(ellipsize("word", 1.0, 12.0, Face::REGULAR), "");
    }

    #[test]
    fn lines_break_between_words_within_the_width() {
        let lines = wrap("Exports of goods and services", 90.0, 3, 12.0, Face::REGULAR);
        assert!(lines.len() >= 2, "{lines:?}");
        assert!(lines.iter().all(|line| width(line, 12.0, Face::REGULAR) <= 90.0));
        assert_eq!(wrap("Exports of goods and services", 90.0, 1, 12.0, Face::REGULAR).len(), 1);
        assert!(wrap("Exports of goods", 4.0, 3, 12.0, Face::REGULAR).is_empty());
        assert!(wrap("Libraries 4", 9.0, 2, 12.0, Face::REGULAR).is_empty());
    }

    #[test]
    fn balanced_lines_leave_no_short_last_line() {
        let (title, max_width) = ("The power price decides whether the new plant pays", 275.0);
        assert_eq!(wrap(title, max_width, 3, 12.0, Face::BOLD)[1], "plant pays");
        let lines = wrap_balanced(title, max_width, 3, 12.0, Face::BOLD);
        assert_eq!(lines, ["The power price decides", "whether the new plant pays"]);
        let long = "A title that goes on and on until nobody would read it";
        let shortened = wrap(long, 90.0, 2, 12.0, Face::BOLD);
        assert_eq!(wrap_balanced(long, 90.0, 2, 12.0, Face::BOLD), shortened);
    }

    #[test]
    fn whole_text_is_never_shortened() {
        let name = "Sachmittel und Verbrauchsmaterial";
        let wrap = |width, lines| wrap_whole(name, width, lines, 12.0, Face::REGULAR);
        assert_eq!(wrap(500.0, 1), Some(vec![name.to_owned()]));
        assert_eq!(wrap(120.0, 2).unwrap().join(" "), name);
        assert_eq!(wrap(120.0, 1), None);
        assert_eq!(wrap(60.0, 4), None, "the longest word is wider");
        assert_eq!(wrap_whole("", 60.0, 2, 12.0, Face::REGULAR), Some(Vec::new()));
    }

    #[test]
    fn only_words_that_are_wider_than_a_line_are_parted() {
        let title = "Das Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz von 1999";
        let parted = part_long_words(title, 200.0, 12.0, Face::BOLD);
        let lines = wrap_balanced(&parted, 200.0, 3, 12.0, Face::BOLD);
        assert!(is_whole(&lines, title), "{lines:?}");
        assert!(lines.iter().all(|line| width(line, 12.0, Face::BOLD) <= 200.0), "{lines:?}");
        assert!(lines.iter().any(|line| line.ends_with('-')), "{lines:?}");
        let words = "Exports of goods and services";
        assert_eq!(part_long_words(words, 90.0, 12.0, Face::BOLD), words);
        let letters =
            part_long_words("Donau4711 www", 20.0, 12.0, Face::BOLD).replace(SOFT_HYPHEN, "|");
        assert_eq!(letters, "Don|a|u4711 www");
    }

    #[test]
    fn soft_hyphens_show_only_at_a_line_break() {
        let word = "Donau\u{ad}dampf\u{ad}schiff\u{ad}fahrt";
        let plain = "Donaudampfschifffahrt";
        assert_eq!(width(word, 12.0, Face::REGULAR), width(plain, 12.0, Face::REGULAR));
        assert_eq!(wrap(word, 500.0, 2, 12.0, Face::REGULAR), [plain]);
        let parted = wrap(word, 80.0, 3, 12.0, Face::REGULAR);
        assert_eq!(parted, ["Donaudampf-", "schifffahrt"]);
        assert!(parted.iter().all(|line| width(line, 12.0, Face::REGULAR) <= 80.0));
    }

    #[test]
    fn chinese_breaks_between_characters_but_not_before_a_full_stop() {
        let text = "各地区商品出口额逐年增长。";
        let lines = wrap(text, 80.0, 5, 12.0, Face::REGULAR);
        assert!(lines.len() >= 2 && lines.concat() == text, "{lines:?}");
        assert!(lines.iter().all(|line| !line.starts_with('。')), "{lines:?}");
    }
}
