//! Classes of values in texts, such as `18–29`, `65+`, `100 and more` and `under 18`.

use crate::number_text;
use crate::number_text::DecimalSeparator;

/// Maximum length of a class in bytes. Longer texts are no classes.
const MAX_BYTES: usize = 60;
/// Separators of the two ends of a class, in lower case. Longer ones come before their parts.
const SEPARATORS: [&str; 12] = [
    " to under ",
    " to less than ",
    " bis unter ",
    " to ",
    " bis ",
    " à ",
    " a ",
    " tot ",
    "–",
    "—",
    "...",
    "-",
];
/// Beginnings of classes without an upper end.
const ABOVE_PREFIXES: [&str; 18] = [
    ">=",
    ">",
    "≥",
    "over ",
    "above ",
    "more than ",
    "at least ",
    "from ",
    "ab ",
    "über ",
    "mehr als ",
    "mindestens ",
    "plus de ",
    "más de ",
    "oltre ",
    "più di ",
    "mais de ",
    "meer dan ",
];
/// Endings of classes without an upper end.
const ABOVE_SUFFIXES: [&str; 27] = [
    "+",
    " plus",
    " and more",
    " and over",
    " and older",
    " and above",
    " and up",
    " or more",
    " or over",
    " or older",
    " und mehr",
    " und älter",
    " und darüber",
    " und höher",
    " oder mehr",
    " oder älter",
    " u. mehr",
    " u. ä.",
    " et plus",
    " ou plus",
    " y más",
    " o más",
    " e più",
    " e oltre",
    " e mais",
    " en meer",
    " of meer",
];
/// Beginnings of classes without a lower end.
const BELOW_PREFIXES: [&str; 17] = [
    "<=",
    "<",
    "≤",
    "under ",
    "below ",
    "less than ",
    "up to ",
    "bis unter ",
    "bis ",
    "unter ",
    "weniger als ",
    "höchstens ",
    "moins de ",
    "menos de ",
    "meno di ",
    "fino a ",
    "minder dan ",
];
/// Endings of classes without a lower end.
const BELOW_SUFFIXES: [&str; 8] = [
    " and less",
    " and under",
    " and younger",
    " or less",
    " or younger",
    " und weniger",
    " und jünger",
    " oder weniger",
];

/// The ends of a class. One of them may be open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// Lower end. None if the class has all values below the upper end.
    pub from: Option<f64>,
    /// Upper end. None if the class has all values from the lower end.
    pub to: Option<f64>,
}

/// Parses a class in the languages of Western Europe. None for other texts, also for single numbers.
///
/// A word after a number is its unit, as in `18–29 years` and `65 years and more`.
pub fn parse(text: &str, separator: DecimalSeparator) -> Option<Class> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = text.trim().to_lowercase().replace(['\u{a0}', '\u{202f}', '\u{2009}'], " ");
    let number = |text: &str| parse_number(text, separator);
    let above = ABOVE_SUFFIXES.iter().find_map(|suffix| text.strip_suffix(suffix));
    let above =
        above.or_else(|| ABOVE_PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)));
    if let Some(from) = above.and_then(number) {
        return Some(Class { from: Some(from), to: None });
    }
    let below = BELOW_SUFFIXES.iter().find_map(|suffix| text.strip_suffix(suffix));
    let below =
        below.or_else(|| BELOW_PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)));
    if let Some(to) = below.and_then(number) {
        return Some(Class { from: None, to: Some(to) });
    }
    let text = ["from ", "von "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(&text);
    SEPARATORS.iter().find_map(|between| {
        // A sign at the start belongs to the first number.
        let start = text.char_indices().nth(1)?.0;
        let at = start + text.get(start..)?.find(between)?;
        let (from, to) = (number(text.get(..at)?)?, number(text.get(at + between.len()..)?)?);
        (from < to).then_some(Class { from: Some(from), to: Some(to) })
    })
}

/// Returns whether a text is a class with a decimal point, a decimal comma or without both.
pub fn is_class(text: &str) -> bool {
    let separators = [DecimalSeparator::Point, DecimalSeparator::Comma];
    separators.iter().any(|separator| parse(text, *separator).is_some())
}

/// Parses a number with at most one word after it. None for other texts.
fn parse_number(text: &str, separator: DecimalSeparator) -> Option<f64> {
    let text = text.trim();
    let without_word = || {
        let (number, word) = text.rsplit_once(' ')?;
        let is_word = word.chars().all(|character| character.is_alphabetic() || character == '.');
        if is_word { number_text::read(number, separator) } else { None }
    };
    number_text::read(text, separator).or_else(without_word).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_as_tables_write_them() {
        for (text, from, to) in [
            ("18–29", Some(18.0), Some(29.0)),
            ("18 - 29 years", Some(18.0), Some(29.0)),
            ("1 to 9", Some(1.0), Some(9.0)),
            ("von 10 bis unter 20", Some(10.0), Some(20.0)),
            ("1,000–1,999", Some(1000.0), Some(1999.0)),
            ("-5–5", Some(-5.0), Some(5.0)),
            ("65+", Some(65.0), None),
            ("65 years and older", Some(65.0), None),
            ("100 and more", Some(100.0), None),
            ("≥ 2.5", Some(2.5), None),
            ("80 Jahre und mehr", Some(80.0), None),
            ("under 18", None, Some(18.0)),
            ("unter 3 Jahre", None, Some(3.0)),
            ("< 10", None, Some(10.0)),
        ] {
            let class = parse(text, DecimalSeparator::Point);
            assert_eq!(class, Some(Class { from, to }), "{text}");
        }
        for text in ["65", "Total", "", "2020-01-05", "29–18", "A–C", "more", "-5"] {
            assert_eq!(parse(text, DecimalSeparator::Point), None, "{text}");
        }
    }
}
