//! Text as lists and searches compare it, without case and without diacritics; on one line; and as
//! pages write it.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A text in lower case and without diacritics.
pub fn fold(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.nfkd().filter(|it| !is_combining_mark(*it)) {
        match letter {
            // Letters that Unicode does not take apart.
            'ß' | 'ẞ' => plain.push_str("ss"),
            'ø' | 'Ø' => plain.push('o'),
            'æ' | 'Æ' => plain.push_str("ae"),
            'œ' | 'Œ' => plain.push_str("oe"),
            'ł' | 'Ł' => plain.push('l'),
            'đ' | 'Đ' => plain.push('d'),
            'ı' => plain.push('i'),
            _ => plain.extend(letter.to_lowercase()),
        }
    }
    plain
}

/// The words of a text, folded.
pub fn words(text: &str) -> Vec<String> {
    fold(text)
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A name or title as one line; the empty one has a name too.
pub fn line(text: &str) -> String {
    let line: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    if line.trim().is_empty() { "Untitled".to_owned() } else { line.trim().to_owned() }
}

/// A text with a capital letter at its beginning.
pub fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |it| it.to_uppercase().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_diacritics_fall_away() {
        let check = |text: &str, want: &[&str]| assert_eq!(words(text), want, "{text}");
        check("Säulen-Diagramm", &["saulen", "diagramm"]);
        check("GRÖSSE Größe", &["grosse", "grosse"]);
        check("e\u{301}tage", &["etage"]);
        check("  ", &[]);
    }
}
