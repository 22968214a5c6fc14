//! The small HTML subset of subtitles and footers: `b`, `i`, `br` and their kin; other tags are
//! dropped and their text is kept.

use std::borrow::Cow;

use crate::charts::text;
use crate::charts::text::Face;

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
        if used > 0.0 && used + text::width(word.trim_end(), size, face) > room {
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

/// Drops the space at the end, and shortens what is too wide or goes on below the last line.
fn finish(line: &mut Vec<Span>, room: f64, size: f64, goes_on: bool) {
    if let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if goes_on {
            last.text.push('…');
        }
        last.width = text::width(&last.text, size, last.face);
    }
    let mut left = room;
    for span in line.iter_mut() {
        if span.width > left {
            let short = text::fit(&span.text, left, size, span.face).into_owned();
            span.width = text::width(&short, size, span.face);
            span.text = short;
        }
        left = (left - span.width).max(0.0);
    }
    line.retain(|span| !span.text.is_empty());
}

enum Piece {
    Word { text: String, face: Face },
    Break,
}

fn pieces(source: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let (mut bold, mut italic) = (0i32, 0i32);
    let mut rest = &source[..source.floor_char_boundary(4000)];
    while !rest.is_empty() {
        if let Some((name, closes, after)) = tag(rest) {
            let step = if closes { -1 } else { 1 };
            match name.as_str() {
                "b" | "strong" => bold = (bold + step).max(0),
                "i" | "em" => italic = (italic + step).max(0),
                "br" | "p" | "div" if !out.is_empty() => out.push(Piece::Break),
                _ => {}
            }
            rest = after;
            continue;
        }
        // A sign that opens no tag is text.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find('<').map_or(rest.len(), |at| at + first);
        let plain = decoded(&rest[..end]);
        let face = Face::of(bold > 0, italic > 0);
        words(&plain, face, &mut out);
        rest = &rest[end..];
    }
    out
}

/// Splits at spaces; each word keeps one space behind it.
fn words(plain: &str, face: Face, out: &mut Vec<Piece>) {
    if plain.starts_with(char::is_whitespace)
        && let Some(Piece::Word { text, .. }) = out.last_mut()
        && !text.ends_with(' ')
    {
        text.push(' ');
    }
    let cleaned = text::clean(plain);
    let mut parts = cleaned.split(' ').filter(|it| !it.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let mut word = part.to_owned();
        if parts.peek().is_some() || plain.ends_with(char::is_whitespace) {
            word.push(' ');
        }
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

/// The five entities of XML and the hard space; anything else stays as it is.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    let text = text.replace("&#39;", "'").replace("&apos;", "'").replace("&nbsp;", "\u{a0}");
    Cow::Owned(text.replace("&amp;", "&"))
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
