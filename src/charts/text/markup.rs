//! The HTML subset of subtitles and footers: `a`, `b`, `strong`, `i`, `em`, `sup`, `sub`, `br`, `p`,
//! `div`.
//!
//! Other tags are dropped and their text is kept.

use std::borrow::Cow;
use std::sync::Arc;

use crate::text::face::Face;
use crate::text::measure::SOFT_HYPHEN;
use crate::text::measure::width;
use crate::text::sanitize::sanitize;
use crate::text::wrap::ellipsize;
use crate::text::wrap::to_visible_line;

/// A part of a line in one face, with one link or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Text, with the space that separates it from the next span.
    pub text: String,
    /// Weight and slope.
    pub face: Face,
    /// Width in points.
    pub width: f64,
    /// Address that the text links to. Its scheme is one of `LINK_SCHEMES`.
    pub link: Option<Arc<str>>,
}

/// Parses a text with markup and wraps it into at most `max_lines` lines.
///
/// Lines are at most `max_width` points wide, and `size` is the font size in points. There are no
/// empty lines, neither between two paragraphs nor after the last one. The last line ends with an
/// ellipsis if lines beyond `max_lines` are cut off. A word that is wider than a line is shortened.
///
/// Each piece of text between two tags is shortened to
/// [`MAX_LABEL_CHARS`](crate::text::MAX_LABEL_CHARS), and markup beyond 4000 bytes is ignored.
pub fn wrap_markup(source: &str, max_width: f64, max_lines: usize, size: f64) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0.0;
    for token in tokenize(source) {
        let Token::Word { text: word, face, link } = token else {
            // The end of a paragraph and the start of the next one are one line break.
            if lines.last().is_some_and(|line| !line.is_empty()) {
                lines.push(Vec::new());
            }
            used = 0.0;
            continue;
        };
        let word_width = width(&word, size, face);
        if used > 0.0 && used + width(&to_visible_line(&word), size, face) > max_width {
            lines.push(Vec::new());
            used = 0.0;
        }
        used += word_width;
        if let Some(line) = lines.last_mut() {
            match line.last_mut() {
                Some(span) if span.face == face && span.link == link => {
                    span.text.push_str(&word);
                    span.width += word_width;
                }
                _ => line.push(Span { text: word, face, width: word_width, link }),
            }
        }
    }
    lines.retain(|line| !line.is_empty());
    let is_cut = lines.len() > max_lines;
    lines.truncate(max_lines);
    let count = lines.len();
    for (index, line) in lines.iter_mut().enumerate() {
        finish_line(line, max_width, size, is_cut && index + 1 == count);
    }
    lines
}

/// Trims the end of a line, resolves its soft hyphens, and shortens spans with an ellipsis where
/// the line exceeds `max_width`. Removes spans of which nothing is left.
///
/// Adds an ellipsis if the text continues after the line (`continues`). `size` is the font size,
/// and lengths are in points.
fn finish_line(line: &mut Vec<Span>, max_width: f64, size: f64, continues: bool) {
    if let Some(last) = line.last_mut() {
        last.text = to_visible_line(&last.text).into_owned();
        if continues {
            last.text.push('…');
        }
        last.width = width(&last.text, size, last.face);
    }
    let mut left = max_width;
    for span in line.iter_mut() {
        span.text = span.text.replace(SOFT_HYPHEN, "");
        if span.width > left {
            let short = ellipsize(&span.text, left, size, span.face).into_owned();
            span.width = width(&short, size, span.face);
            span.text = short;
        }
        left = (left - span.width).max(0.0);
    }
    line.retain(|span| !span.text.is_empty());
}

/// Maximum number of bytes that are parsed. No canvas has room for a longer text.
const MAX_SOURCE_BYTES: usize = 4000;

/// A unit of parsed markup.
enum Token {
    /// Text up to the next place where a line may break.
    Word { text: String, face: Face, link: Option<Arc<str>> },
    /// A forced line break.
    Break,
}

/// Splits markup into words and forced line breaks.
///
/// Decodes entities and applies `sup` and `sub`. Each opening or closing `br`, `p` or `div` after
/// the first word is a line break. Ignores markup beyond [`MAX_SOURCE_BYTES`].
fn tokenize(source: &str) -> Vec<Token> {
    let mut out = Vec::new();
    // Number of open elements of each type.
    let (mut bold, mut italic, mut superscript, mut subscript) = (0i32, 0i32, 0i32, 0i32);
    let mut link: Option<Arc<str>> = None;
    let mut rest = &source[..source.floor_char_boundary(MAX_SOURCE_BYTES)];
    while !rest.is_empty() {
        if let Some(Tag { name, is_closing, attributes, after }) = parse_tag(rest) {
            let step = if is_closing { -1 } else { 1 };
            match name.as_str() {
                "a" if is_closing => link = None,
                "a" => link = find_address(attributes).map(Arc::from),
                "b" | "strong" => bold = (bold + step).max(0),
                "i" | "em" => italic = (italic + step).max(0),
                "sup" => superscript = (superscript + step).max(0),
                "sub" => subscript = (subscript + step).max(0),
                "br" | "p" | "div" if !out.is_empty() => out.push(Token::Break),
                _ => {}
            }
            rest = after;
            continue;
        }
        // A `<` that starts no tag is plain text.
        let mut tags = rest.match_indices('<').map(|(index, _)| index);
        let end = tags.find(|index| *index > 0).unwrap_or(rest.len());
        let face = Face::new(bold > 0, italic > 0);
        let mut plain = decode_entities(&rest[..end]);
        if superscript + subscript > 0 {
            let shifted_forms = if superscript > 0 { SUPERSCRIPT } else { SUBSCRIPT };
            plain = replace_shifted(&plain, shifted_forms, face).into();
        }
        push_words(&plain, face, link.as_ref(), &mut out);
        rest = &rest[end..];
    }
    out
}

/// Splits plain text where a line may break (UAX 14), and appends the words to `out`.
///
/// The text is sanitized first, which shortens it to
/// [`MAX_LABEL_CHARS`](crate::text::MAX_LABEL_CHARS). A word keeps the space after it. White space
/// at the start of `plain` goes to the previous word. White space alone is no word.
fn push_words(plain: &str, face: Face, link: Option<&Arc<str>>, out: &mut Vec<Token>) {
    if plain.starts_with(char::is_whitespace)
        && let Some(Token::Word { text, .. }) = out.last_mut()
        && !text.ends_with(' ')
    {
        text.push(' ');
    }
    let cleaned = sanitize(plain);
    if cleaned.is_empty() {
        return;
    }
    let mut start = 0;
    for (end, _) in unicode_linebreak::linebreaks(&cleaned) {
        let mut word = cleaned[start..end].to_owned();
        if end == cleaned.len() && plain.ends_with(char::is_whitespace) {
            word.push(' ');
        }
        start = end;
        out.push(Token::Word { text: word, face, link: link.cloned() });
    }
}

/// A tag and the text after it.
struct Tag<'a> {
    /// Name of the element in lower case.
    name: String,
    /// Whether it is a closing tag.
    is_closing: bool,
    /// Text between the name and the `>`.
    attributes: &'a str,
    after: &'a str,
}

/// Parses the opening or closing tag at the start of `rest`. Accepts any element name. None if `rest` does not start with a complete tag.
fn parse_tag(rest: &str) -> Option<Tag<'_>> {
    let inner = rest.strip_prefix('<')?;
    let is_closing = inner.starts_with('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    if !inner.starts_with(|character: char| character.is_ascii_alphabetic()) {
        return None;
    }
    let end = inner.find('>')?;
    let name: String = inner.chars().take_while(char::is_ascii_alphanumeric).collect();
    let attributes = inner[..end].get(name.len()..).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    Some(Tag { name, is_closing, attributes, after: &inner[end + 1..] })
}

/// Starts of addresses that links may have. Others, such as `javascript:`, could run a script.
const LINK_SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Returns the address in the attribute `href`. None if there is none, or if it has another scheme
/// than [`LINK_SCHEMES`], white space or a control character.
fn find_address(attributes: &str) -> Option<String> {
    let lower = attributes.to_ascii_lowercase();
    let starts = lower.match_indices("href").map(|(start, _)| start);
    let mut starts = starts.filter(|start| lower[..*start].ends_with(char::is_whitespace));
    let value = attributes[starts.next()? + "href".len()..].trim_start();
    let value = value.strip_prefix('=')?.trim_start();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split(char::is_whitespace).next()?,
    };
    let address = decode_entities(value).trim().to_owned();
    let has_scheme = |scheme: &&str| {
        address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    let is_clean = !address.contains(|char: char| char.is_whitespace() || char.is_control());
    (is_clean && LINK_SCHEMES.iter().any(has_scheme)).then_some(address)
}

/// Supported named entities: the five of XML and common ones of HTML.
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

/// Maximum length of the name or number of an entity, in bytes.
const MAX_ENTITY_BYTES: usize = 8;

/// Replaces entities that end with a semicolon by their characters. Unknown entities stay as they
/// are.
fn decode_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.bytes().take(MAX_ENTITY_BYTES + 2).position(|byte| byte == b';');
        match end.and_then(|end| Some((decode_entity(&rest[1..end])?, end))) {
            Some((characters, end)) => {
                out.push_str(&characters);
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

/// Decodes an entity without its `&` and `;`, such as `amp`, `#8364` or `#x20ac`. None if it is not
/// supported or not a valid code point.
fn decode_entity(name: &str) -> Option<Cow<'static, str>> {
    let Some(number) = name.strip_prefix('#') else {
        let found = ENTITIES.iter().find(|(entity, _)| *entity == name)?;
        return Some(Cow::Borrowed(found.1));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(Cow::Owned(char::from_u32(code)?.to_string()))
}

/// Characters with a superscript and a subscript form, in the order of the two lists below.
const UNSHIFTED: &str = "0123456789+-=()n";
const SUPERSCRIPT: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ";
const SUBSCRIPT: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙ";

/// Replaces each character of [`UNSHIFTED`] by the one at the same position in `shifted_forms`,
/// which is [`SUPERSCRIPT`] or [`SUBSCRIPT`]. All other characters stay unchanged, and so does a
/// character if the font of `face` has no glyph for its shifted form.
fn replace_shifted(text: &str, shifted_forms: &str, face: Face) -> String {
    let replace = |character: char| {
        let index = UNSHIFTED.chars().position(|candidate| candidate == character);
        let form = index.and_then(|index| shifted_forms.chars().nth(index));
        form.filter(|form| face.font().has_glyph(*form)).unwrap_or(character)
    };
    text.chars().map(replace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(source: &str, max_width: f64, max_lines: usize) -> Vec<String> {
        let join = |line: &Vec<Span>| line.iter().map(|span| span.text.as_str()).collect();
        wrap_markup(source, max_width, max_lines, 12.0).iter().map(join).collect()
    }

    #[test]
    fn links_have_harmless_addresses_only() {
        let links = |source: &str| -> Vec<(String, Option<String>)> {
            let spans = wrap_markup(source, 500.0, 2, 12.0).into_iter().flatten();
            spans.map(|span| (span.text, span.link.map(|link| link.to_string()))).collect()
        };
        let source = "Source: <a class=x href=\"https://example.org/?a=1&amp;b=2\">the <b>bureau</b></a>, 2026";
        let address = Some("https://example.org/?a=1&b=2".to_owned());
        let want = [
            ("Source: ".to_owned(), None),
            ("the ".to_owned(), address.clone()),
            ("bureau".to_owned(), address),
            (", 2026".to_owned(), None),
        ];
        assert_eq!(links(source), want);
        let address = |tag: &str| links(&format!("<a {tag}>text</a>"))[0].1.clone();
        assert_eq!(address("HREF='MAILTO:a@example.org'").unwrap(), "MAILTO:a@example.org");
        assert_eq!(address("href = http://example.org").unwrap(), "http://example.org");
        for harmful in [
            "href=\"javascript:alert(1)\"",
            "href=\"java\tscript:alert(1)\"",
            "href=\"&#106;avascript:alert(1)\"",
            "href=\" data:text/html,x\"",
            "href=\"//example.org\"",
            "href=\"https://exa\nmple.org\"",
            "data-href=\"https://example.org\"",
            "href",
            "",
        ] {
            assert_eq!(address(harmful), None, "{harmful}");
        }
    }

    #[test]
    fn tags_change_the_face_and_are_not_shown() {
        let lines = wrap_markup("Sales <b>in <i>euro</i></b><script>x</script>", 500.0, 2, 12.0);
        let faces: Vec<_> = lines[0].iter().map(|span| span.face).collect();
        assert_eq!(faces, [Face::REGULAR, Face::BOLD, Face::BOLD_ITALIC, Face::REGULAR]);
        assert_eq!(plain("a < b &amp; c", 500.0, 1), ["a < b & c"]);
    }

    #[test]
    fn lines_break_at_br_and_at_the_width() {
        assert_eq!(plain("one<br>two", 500.0, 3), ["one", "two"]);
        assert_eq!(plain("one two three four", 60.0, 2).len(), 2);
        assert!(plain("one two three four", 60.0, 1)[0].ends_with('…'));
    }

    #[test]
    fn paragraphs_have_no_empty_lines_between_them() {
        assert_eq!(plain("<p>First</p><p>Second</p>", 500.0, 2), ["First", "Second"]);
        assert_eq!(plain("<p>a<br>b</p>", 500.0, 2), ["a", "b"]);
        assert_eq!(plain("<div>a</div>\n <div>b</div>\n", 500.0, 2), ["a", "b"]);
        assert_eq!(plain("<p>a</p><p>&nbsp;</p><p>b</p><p>c</p>", 500.0, 2), ["a", "b…"]);
        assert_eq!(plain("a<br><br>b", 500.0, 2), ["a", "b"]);
        assert_eq!(plain("<b>a</b> <i>b</i>", 500.0, 1), ["a b"]);
    }

    #[test]
    fn text_may_start_with_a_multibyte_character() {
        assert_eq!(plain("Übersicht <b>عام</b>中", 500.0, 1), ["Übersicht عام中"]);
        let long = format!("a{}", "ü".repeat(2500));
        assert!(plain(&long, 100.0, 1)[0].starts_with("aü"));
    }

    #[test]
    fn entities_and_superscripts_become_characters() {
        let source = "m<sup>2</sup> CO<sub>2</sub> 5&nbsp;&euro; &#8364;&#x20ac; &amp;lt; &odd; &";
        assert_eq!(plain(source, 500.0, 1), ["m² CO2 5 € €€ &lt; &odd; &"]);
        // The built-in font has no subscript digits.
        assert_eq!(plain("&#x110000; &#0; a&shy;b&é;", 500.0, 1), ["&#x110000; ab&é;"]);
    }

    #[test]
    fn lines_break_where_unicode_allows() {
        assert_eq!(plain("Donau\u{ad}dampf\u{ad}schiff", 60.0, 3), ["Donau-", "dampf-", "schiff"]);
        assert_eq!(plain("Donau\u{ad}dampf", 500.0, 3), ["Donaudampf"]);
        assert_eq!(plain("各地区商品出口额", 50.0, 3), ["各地区商", "品出口额"]);
        assert_eq!(plain("10\u{a0}000 t of steel", 60.0, 3), ["10\u{a0}000 t of", "steel"]);
    }

    #[test]
    fn broken_markup_is_plain_text() {
        assert_eq!(plain("<", 500.0, 1), ["<"]);
        assert_eq!(plain("<b", 500.0, 1), ["<b"]);
        assert!(plain("<b></b>", 500.0, 1).is_empty());
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(plain("Été <b>é</b>ü", 500.0, 1), ["Été éü"]);
        assert_eq!(plain("<é", 500.0, 1), ["<é"]);
        assert!(!plain(&"ééé ".repeat(900), 500.0, 2).is_empty());
    }
}
