//! The unit of a number in a text.

use super::affixes::{CURRENCIES, longest, strip_parentheses};
use super::units::split_unit;

/// The currency, percent sign or unit of measure of a number in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NumberUnit {
    /// Sign or code, with a no-break space toward the number: after a prefix if the text has a
    /// space there, and before a suffix unless that touches the number. Suffixes such as `円` have
    /// none.
    pub text: String,
    /// Whether the unit stands before the number.
    pub is_prefix: bool,
}

impl NumberUnit {
    /// Returns the currency, percent sign or unit of measure in a text that is a number. A currency
    /// before the number has precedence. `None` if there is none. A magnitude such as `k` is no unit.
    pub fn find(text: &str) -> Option<Self> {
        let (text, _) = strip_parentheses(text.trim());
        let start = text.trim_start_matches(['-', '\u{2212}', '–', '+', ' ', '\u{a0}']);
        if let Some(code) = longest(CURRENCIES.iter().filter(|code| start.starts_with(**code))) {
            let space =
                if start[code.len()..].starts_with(char::is_whitespace) { "\u{a0}" } else { "" };
            return Some(Self { text: format!("{code}{space}"), is_prefix: true });
        }
        if let Some((_, unit)) = split_unit(text) {
            let space = if text.contains(char::is_whitespace) { "\u{a0}" } else { "" };
            return Some(Self { text: format!("{space}{unit}"), is_prefix: false });
        }
        let signs = ["%", "‰", "٪"].iter().chain(&CURRENCIES);
        let sign = longest(signs.filter(|sign| text.ends_with(**sign)))?;
        let before = &text[..text.len() - sign.len()];
        let has_no_space = before.ends_with(char::is_numeric) || ["円", "元", "원"].contains(&sign);
        let space = if has_no_space { "" } else { "\u{a0}" };
        Some(Self { text: format!("{space}{sign}"), is_prefix: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_on_both_sides() {
        let unit = |text: &str| NumberUnit::find(text).map(|unit| (unit.text, unit.is_prefix));
        let suffix = |text: &str| Some((text.to_owned(), false));
        let prefix = |text: &str| Some((text.to_owned(), true));
        assert_eq!(unit("1.284,5 €"), suffix("\u{a0}€"));
        assert_eq!(unit("95,–€"), suffix("\u{a0}€"));
        assert_eq!(unit("(12 kr)"), suffix("\u{a0}kr"));
        assert_eq!(unit("3,5 Mio. EUR"), suffix("\u{a0}EUR"));
        assert_eq!(unit("-4.2%"), suffix("%"));
        assert_eq!(unit("-$1,234"), prefix("$"));
        assert_eq!(unit("US$ 5"), prefix("US$\u{a0}"));
        assert_eq!(unit("١٢٪"), suffix("٪"));
        assert_eq!(unit("1.2兆円"), suffix("円"));
        assert_eq!(unit("12.5k"), None);
        assert_eq!(unit("-7"), None);
    }
}
