//! The small HTML subset of subtitles and footers: `b`, `i`, `sup`, `sub`, `br` and their kin; other
//! tags are dropped and their text is kept.

use std::borrow::Cow;

use crate::text;
use crate::text::Face;

/// A piece of a line in one face.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The letters, with the space that parts them from the next span.
    pub text: String,
    /// Bold, italic or both.
    pub face: Face,
    /// Width in points.
    pub width: f64,
}

/// Reads the markup and sets it in at most `most` lines of `room` points.
pub fn lines(source: &str, room: f64, most: usize, size: f64) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0.0;
    for piece in pieces(source) {
        let Piece::Word { text: word, face } = piece else {
            lines.push(Vec::new());
            used = 0.0;
            continue;
        };
        let width = text::width(&word, size, face);
        if used > 0.0 && used + text::width(&text::at_line_end(&word), size, face) > room {
            lines.push(Vec::new());
            used = 0.0;
        }
        used += width;
        if let Some(line) = lines.last_mut() {
            match line.last_mut() {
                Some(span) if span.face == face => {
                    span.text.push_str(&word);
                    span.width += width;
                }
                _ => line.push(Span { text: word, face, width }),
            }
        }
    }
    let cut = lines.len() > most;
    lines.truncate(most);
    lines.retain(|line| !line.is_empty());
    let count = lines.len();
    for (index, line) in lines.iter_mut().enumerate() {
        finish(line, room, size, cut && index + 1 == count);
    }
    lines
}

/// Drops the space at the end, shows the hyphen of a parted word, and shortens what is too wide or goes on below the last line.
fn finish(line: &mut Vec<Span>, room: f64, size: f64, goes_on: bool) {
    if let Some(last) = line.last_mut() {
        last.text = text::at_line_end(&last.text).into_owned();
        if goes_on {
            last.text.push('…');
        }
        last.width = text::width(&last.text, size, last.face);
    }
    let mut left = room;
    for span in line.iter_mut() {
        span.text = span.text.replace(text::SOFT_HYPHEN, "");
        if span.width > left {
            let short = text::fit(&span.text, left, size, span.face).into_owned();
            span.width = text::width(&short, size, span.face);
            span.text = short;
        }
        left = (left - span.width).max(0.0);
    }
    line.retain(|span| !span.text.is_empty());
}

/// Longer texts than this have no room anywhere.
const MOST_BYTES: usize = 4000;

enum Piece {
    Word { text: String, face: Face },
    Break,
}

fn pieces(source: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let (mut bold, mut italic, mut raised, mut lowered) = (0i32, 0i32, 0i32, 0i32);
    let mut rest = &source[..source.floor_char_boundary(MOST_BYTES)];
    while !rest.is_empty() {
        if let Some((name, closes, after)) = tag(rest) {
            let step = if closes { -1 } else { 1 };
            match name.as_str() {
                "b" | "strong" => bold = (bold + step).max(0),
                "i" | "em" => italic = (italic + step).max(0),
                "sup" => raised = (raised + step).max(0),
                "sub" => lowered = (lowered + step).max(0),
                "br" | "p" | "div" if !out.is_empty() => out.push(Piece::Break),
                _ => {}
            }
            rest = after;
            continue;
        }
        // What starts with `<` and is no tag is text up to the next one.
        let mut tags = rest.match_indices('<').map(|it| it.0);
        let end = tags.find(|at| *at > 0).unwrap_or(rest.len());
        let face = Face::of(bold > 0, italic > 0);
        let mut plain = decoded(&rest[..end]);
        if raised + lowered > 0 {
            plain = shifted(&plain, if raised > 0 { RAISED } else { LOWERED }, face).into();
        }
        words(&plain, face, &mut out);
        rest = &rest[end..];
    }
    out
}

/// Splits where a line may end by the rules of Unicode (UAX 14); each word keeps one space behind it.
fn words(plain: &str, face: Face, out: &mut Vec<Piece>) {
    if plain.starts_with(char::is_whitespace)
        && let Some(Piece::Word { text, .. }) = out.last_mut()
        && !text.ends_with(' ')
    {
        text.push(' ');
    }
    let cleaned = text::clean(plain);
    let mut start = 0;
    for (end, _) in unicode_linebreak::linebreaks(&cleaned) {
        let mut word = cleaned[start..end].to_owned();
        if end == cleaned.len() && plain.ends_with(char::is_whitespace) {
            word.push(' ');
        }
        start = end;
        out.push(Piece::Word { text: word, face });
    }
}

/// The tag that `rest` begins with: lower-case name, whether it closes, and what follows it.
fn tag(rest: &str) -> Option<(String, bool, &str)> {
    let inner = rest.strip_prefix('<')?;
    let closes = inner.starts_with('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    if !inner.starts_with(|it: char| it.is_ascii_alphabetic()) {
        return None;
    }
    let end = inner.find('>')?;
    let name: String = inner.chars().take_while(char::is_ascii_alphanumeric).collect();
    Some((name.to_ascii_lowercase(), closes, &inner[end + 1..]))
}

/// Entities that people write, beside the five of XML.
const ENTITIES: [(&str, &str); 23] = [
    ("lt", "<"),
    ("gt", ">"),
    ("amp", "&"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("euro", "€"),
    ("pound", "£"),
    ("yen", "¥"),
    ("cent", "¢"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("middot", "·"),
    ("bull", "•"),
    ("deg", "°"),
    ("times", "×"),
    ("plusmn", "±"),
    ("sup2", "²"),
    ("shy", "\u{ad}"),
];

/// Longest name or number of an entity, in bytes.
const LONGEST_ENTITY: usize = 8;

/// Entities as the letters that they stand for; those that are unknown stay as they are.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(LONGEST_ENTITY + 2).position(|it| it == b';');
        match end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((letters, end)) => {
                out.push_str(&letters);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn entity(name: &str) -> Option<Cow<'static, str>> {
    let Some(number) = name.strip_prefix('#') else {
        let found = ENTITIES.iter().find(|it| it.0 == name)?;
        return Some(Cow::Borrowed(found.1));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(Cow::Owned(char::from_u32(code)?.to_string()))
}

/// Letters that fonts have raised or lowered.
const PLAIN: &str = "0123456789+-=()n";
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ";
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙ";

/// Raised or lowered text in the letters that its font has for it; others stay as they are.
fn shifted(text: &str, to: &str, face: Face) -> String {
    let one = |letter: char| {
        let place = PLAIN.chars().position(|it| it == letter);
        let other = place.and_then(|at| to.chars().nth(at));
        other.filter(|it| text::font(face).has(*it)).unwrap_or(letter)
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(source: &str, room: f64, most: usize) -> Vec<String> {
        let join = |line: &Vec<Span>| line.iter().map(|it| it.text.as_str()).collect();
        lines(source, room, most, 12.0).iter().map(join).collect()
    }

    #[test]
    fn tags_change_the_face_and_never_show() {
        let set = lines("Sales <b>in <i>euro</i></b><script>x</script>", 500.0, 2, 12.0);
        let faces: Vec<_> = set[0].iter().map(|it| it.face).collect();
        assert_eq!(faces, [Face::Regular, Face::Bold, Face::BoldItalic, Face::Regular]);
        assert_eq!(plain("a < b &amp; c", 500.0, 1), ["a < b & c"]);
    }

    #[test]
    fn lines_break_where_asked_and_where_needed() {
        assert_eq!(plain("one<br>two", 500.0, 3), ["one", "two"]);
        assert_eq!(plain("one two three four", 60.0, 2).len(), 2);
        assert!(plain("one two three four", 60.0, 1)[0].ends_with('…'));
    }

    #[test]
    fn letters_of_several_bytes_may_start_a_text() {
        assert_eq!(plain("Übersicht <b>عام</b>中", 500.0, 1), ["Übersicht عام中"]);
        let long = format!("a{}", "ü".repeat(2500));
        assert!(plain(&long, 100.0, 1)[0].starts_with("aü"));
    }

    #[test]
    fn entities_and_raised_figures_are_letters() {
        let source = "m<sup>2</sup> CO<sub>2</sub> 5&nbsp;&euro; &#8364;&#x20ac; &amp;lt; &odd; &";
        assert_eq!(plain(source, 500.0, 1), ["m² CO2 5 € €€ &lt; &odd; &"]);
        // The built-in font has no lowered figures.
        assert_eq!(plain("&#x110000; &#0; a&shy;b&é;", 500.0, 1), ["&#x110000; ab&é;"]);
    }

    #[test]
    fn lines_break_by_the_rules_of_unicode() {
        assert_eq!(plain("Donau\u{ad}dampf\u{ad}schiff", 60.0, 3), ["Donau-", "dampf-", "schiff"]);
        assert_eq!(plain("Donau\u{ad}dampf", 500.0, 3), ["Donaudampf"]);
        assert_eq!(plain("各地区商品出口额", 50.0, 3), ["各地区商", "品出口额"]);
        assert_eq!(plain("10\u{a0}000 t of steel", 60.0, 3), ["10\u{a0}000 t of", "steel"]);
    }

    #[test]
    fn broken_markup_is_text() {
        assert_eq!(plain("<", 500.0, 1), ["<"]);
        assert_eq!(plain("<b", 500.0, 1), ["<b"]);
        assert!(plain("<b></b>", 500.0, 1).is_empty());
    }

    #[test]
    fn text_may_begin_with_any_letter() {
        assert_eq!(plain("Été <b>é</b>ü", 500.0, 1), ["Été éü"]);
        assert_eq!(plain("<é", 500.0, 1), ["<é"]);
        // Long ones are cut between letters.
        assert!(!plain(&"ééé ".repeat(900), 500.0, 2).is_empty());
    }
}
