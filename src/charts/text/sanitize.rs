//! Removal of characters from user text that must not appear in an image.

use std::borrow::Cow;

use crate::text::face::Face;

/// Maximum length of a label, in characters. A longer text would not fit on any chart.
pub const MAX_LABEL_CHARS: usize = 200;

/// Returns user text in a form that is safe to show.
///
/// Replaces each run of control characters and white space by one space, removes direction
/// characters and characters that XML forbids, trims the ends, and shortens the text to
/// [`MAX_LABEL_CHARS`] characters, not counting spaces, and an ellipsis. White space other than
/// runs of spaces stays if nothing else has to change.
///
/// Subscripts, such as that of CO₂, and other characters with a plain form become that form if no
/// font of the current family and its fallbacks has a glyph for them.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| {
        !character.is_control()
            && !is_forbidden(character)
            && replace_missing(character) == character
    };
    let has_double_space = text.as_bytes().windows(2).any(|pair| pair == b"  ");
    if !has_double_space
        && text.len() <= MAX_LABEL_CHARS
        && text.chars().all(is_plain)
        && text.trim() == text
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(MAX_LABEL_CHARS * 4));
    let mut count = 0;
    for word in text.split(|character: char| character.is_whitespace() || character.is_control()) {
        if word.chars().all(is_forbidden) {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        for character in word.chars().filter(|character| !is_forbidden(*character)) {
            count += 1;
            if count > MAX_LABEL_CHARS {
                out.push('…');
                return Cow::Owned(out);
            }
            out.push(replace_missing(character));
        }
    }
    Cow::Owned(out)
}

/// Returns whether a character is removed although it is not a control character.
///
/// Bidirectional formatting characters could move a label away from its place. U+FFFE and U+FFFF
/// are not valid in XML.
fn is_forbidden(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns the plain form of a subscript, of a superscript sign or of a no-break hyphen if no font has
/// a glyph for it, because `CO2` is easier to read than a box. Otherwise returns the character itself.
fn replace_missing(character: char) -> char {
    let plain = match character {
        '\u{2010}' | '\u{2011}' => '-',
        '⁺' | '₊' => '+',
        '⁻' | '₋' => '\u{2212}',
        '₀'..='₉' => {
            let digit = u32::from(character) - u32::from('₀');
            char::from_digit(digit, 10).unwrap_or(character)
        }
        _ => return character,
    };
    let has_glyph = Face::REGULAR.font().find_font_for_char(character).has_glyph(character);
    if has_glyph { character } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(sanitize("a\u{0}b\n\n c\u{202e}d"), "a b cd");
        assert_eq!(sanitize("a \u{202a} b \u{2069}"), "a b");
        assert_eq!(sanitize(&"x".repeat(500)).chars().count(), MAX_LABEL_CHARS + 1);
    }

    #[test]
    fn characters_without_a_glyph_get_their_plain_form() {
        assert_eq!(sanitize("CO₂-Ausstoß in t"), "CO2-Ausstoß in t");
        assert_eq!(sanitize("m² · s⁻¹"), "m² · s\u{2212}¹");
        assert_eq!(sanitize("E\u{2011}Autos"), "E-Autos");
        // No other letters stand for them.
        assert_eq!(sanitize("✓ ☎"), "✓ ☎");
    }
}
