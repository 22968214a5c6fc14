//! Texts that stand for booleans.

/// Parses a boolean as people write it in tables, in English and German, such as `yes`, `Nein` or `x`.
/// Case does not count, but whitespace around the text does. `None` for other texts, including numbers
/// and the empty text.
pub fn parse_boolean(cell: &str) -> Option<bool> {
    const TRUE: [&str; 6] = ["true", "yes", "x", "ja", "wahr", "✓"];
    const FALSE: [&str; 4] = ["false", "no", "nein", "falsch"];
    let is_in = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(cell));
    if is_in(&TRUE) { Some(true) } else { is_in(&FALSE).then_some(false) }
}
