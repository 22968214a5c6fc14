//! Text helpers: case and diacritic folding for comparison, single-line titles, capitalization,
//! sizes.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns a text in lower case, without diacritics and with compatibility characters and ligatures
/// replaced (`㎏` by `kg`, `ß` by `ss`), for comparison.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.nfkd().filter(|letter| !is_combining_mark(*letter)) {
        match letter {
            // Letters that Unicode does not decompose.
            'ß' | 'ẞ' => folded.push_str("ss"),
            'ø' | 'Ø' => folded.push('o'),
            'æ' | 'Æ' => folded.push_str("ae"),
            'œ' | 'Œ' => folded.push_str("oe"),
            'ł' | 'Ł' => folded.push('l'),
            'đ' | 'Đ' => folded.push('d'),
            'ı' => folded.push('i'),
            _ => folded.extend(letter.to_lowercase()),
        }
    }
    folded
}

/// Returns a key for sorting by bytes that puts texts in natural order: numbers in a text are compared by
/// their value, so that `chart 2` comes before `chart 10`. Numbers of more than 99 digits are compared as texts.
pub fn natural_sort_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from_digits) = rest.split_at(start);
        let end = from_digits.find(|letter: char| !letter.is_ascii_digit());
        let (digits, after) = from_digits.split_at(end.unwrap_or(from_digits.len()));
        let number = digits.trim_start_matches('0');
        key.push_str(before);
        // The number of digits decides first.
        key.push_str(&format!("{:02}{number}", number.len().min(99)));
        rest = after;
    }
    key.push_str(rest);
    key
}

/// Folds a text, see `fold`, and returns its words in order: runs of letters and digits. Empty if
/// there is none.
pub fn fold_words(text: &str) -> Vec<String> {
    fold(text)
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns a title without surrounding spaces, and with line breaks and other control characters
/// replaced by spaces. An empty title becomes `Untitled`.
pub fn single_line_title(text: &str) -> String {
    let line: String =
        text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if line.trim().is_empty() { "Untitled".to_owned() } else { line.trim().to_owned() }
}

/// Returns a text with its first character in upper case and the rest unchanged.
pub fn capitalize_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Formats a number of bytes for people in the largest unit that fits, with one decimal and rounded
/// down: `1.5 MiB`, or `1023 bytes` below 1 KiB.
pub fn format_bytes(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|(shift, _)| bytes >> shift > 0) {
        // Whole numbers avoid the rounding of floating-point numbers: 1023 KiB is not 1.0 MiB.
        Some((shift, unit)) => {
            let tenths = (u128::from(bytes) * 10) >> shift;
            format!("{}.{} {unit}", tenths / 10, tenths % 10)
        }
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sorted_by_value() {
        let sorted = ["", "007", "7a", "10", "a", "chart 2", "chart 9 b", "chart 10", "chart 10 a"];
        let mut keys: Vec<_> = sorted.iter().map(|text| natural_sort_key(text)).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        keys.dedup();
        assert_eq!(keys.len(), sorted.len());
        assert!(natural_sort_key(&"9".repeat(150)) > natural_sort_key(&"8".repeat(150)));
    }

    #[test]
    fn sizes_have_one_decimal() {
        let check = |bytes: u64, want: &str| assert_eq!(format_bytes(bytes), want);
        check(0, "0 bytes");
        check(1023, "1023 bytes");
        check(1024, "1.0 KiB");
        check((1 << 20) - 1, "1023.9 KiB");
        check(3 << 29, "1.5 GiB");
        check(u64::MAX, "17179869183.9 GiB");
    }

    #[test]
    fn folding_removes_case_and_diacritics() {
        let check = |text: &str, want: &[&str]| assert_eq!(fold_words(text), want, "{text}");
        check("Säulen-Diagramm", &["saulen", "diagramm"]);
        check("GRÖSSE Größe", &["grosse", "grosse"]);
        check("e\u{301}tage", &["etage"]);
        check("  ", &[]);
    }
}
