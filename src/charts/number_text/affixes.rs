//! The signs around the digits of a number in a text: parentheses, sign, currency, percent sign and
//! magnitude.

use super::units::split_unit;

/// Currency signs and codes that may stand before or after a number.
const CURRENCIES: [&str; 47] = [
    "€", "$", "£", "¥", "₹", "₽", "₩", "₺", "₪", "₫", "฿", "₴", "₦", "zł", "Kč", "Ft", "kr.", "kr",
    "Fr.", "SFr.", "R$", "US$", "A$", "C$", "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK",
    "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "CAD", "AUD", "MXN", "TRY", "ZAR", "RUB", "円", "元",
    "원",
];

/// Suffixes that stand for a power of ten, with its exponent. Words and letters with different
/// meanings in different languages are absent: billion, B and T. In German accounts, `TEUR` are
/// thousand euros.
const MAGNITUDES: [(&str, usize); 43] = [
    ("thousand", 3),
    ("million", 6),
    ("millions", 6),
    ("Tausend", 3),
    ("Million", 6),
    ("Millionen", 6),
    ("Milliarde", 9),
    ("Milliarden", 9),
    ("milliards", 9),
    ("TEUR", 3),
    ("T€", 3),
    ("TCHF", 3),
    ("Tsd.", 3),
    ("Tsd", 3),
    ("Mio.", 6),
    ("Mio", 6),
    ("Mrd.", 9),
    ("Mrd", 9),
    ("mln", 6),
    ("mld", 9),
    ("mrd", 9),
    ("mio", 6),
    ("Md", 9),
    ("bn", 9),
    ("tn", 12),
    ("k", 3),
    ("K", 3),
    ("M", 6),
    ("万", 4),
    ("萬", 4),
    ("만", 4),
    ("億", 8),
    ("亿", 8),
    ("억", 8),
    ("兆", 12),
    ("万亿", 12),
    ("萬億", 12),
    ("조", 12),
    ("ألف", 3),
    ("مليون", 6),
    ("مليار", 9),
    ("ترليون", 12),
    ("تريليون", 12),
];

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
    /// Returns the unit in a text that [`super::NumberNotation::read_as_json`] accepts. A magnitude
    /// such as `k` is no unit.
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

/// Returns the longest of some signs.
fn longest<'a>(signs: impl Iterator<Item = &'a &'static str>) -> Option<&'static str> {
    signs.copied().max_by_key(|sign| sign.len())
}

/// Removes parentheses around the whole text. Returns whether there were some.
pub(super) fn strip_parentheses(text: &str) -> (&str, bool) {
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (text, false),
    }
}

/// Removes a currency or percent sign from one side of a text. `None` if there is none.
pub(super) fn strip_currency(text: &str) -> Option<&str> {
    let before = CURRENCIES.iter().filter_map(|currency| text.strip_prefix(currency));
    let after = CURRENCIES.iter().chain(&["%", "‰"]).filter_map(|sign| text.strip_suffix(sign));
    before.chain(after).min_by_key(|rest| rest.len()).map(str::trim)
}

/// Removes the sign and a currency before the number, in any order. Returns whether the sign is a
/// minus. `None` if there are two signs.
pub(super) fn strip_sign_and_currency(mut text: &str) -> Option<(&str, bool)> {
    let mut sign = None;
    let mut has_currency = false;
    loop {
        if let Some(rest) = text.strip_prefix(['-', '\u{2212}', '–']) {
            if sign.replace(true).is_some() {
                return None;
            }
            text = rest.trim_start();
        } else if let Some(rest) = text.strip_prefix('+') {
            if sign.replace(false).is_some() {
                return None;
            }
            text = rest.trim_start();
        } else if let Some(rest) = CURRENCIES
            .iter()
            .filter_map(|currency| text.strip_prefix(currency))
            .min_by_key(|rest| rest.len())
            .filter(|_| !has_currency)
        {
            has_currency = true;
            text = rest.trim_start();
        } else {
            return Some((text, sign == Some(true)));
        }
    }
}

/// Removes a percent sign or a currency, and a magnitude, after the number. Returns the exponent of
/// the magnitude.
pub(super) fn strip_suffixes(mut text: &str) -> (&str, usize) {
    let (mut exponent, mut has_unit) = (0, false);
    loop {
        // First, because `TEUR` ends with a currency.
        if exponent == 0
            && let Some((rest, power)) = MAGNITUDES
                .iter()
                .filter_map(|(suffix, power)| Some((text.strip_suffix(suffix)?, *power)))
                .min_by_key(|(rest, _)| rest.len())
                .filter(|(rest, _)| rest.trim_end().ends_with(|end: char| end.is_ascii_digit()))
        {
            exponent = power;
            text = rest.trim_end();
        } else if !has_unit
            && let Some(rest) = text.strip_suffix(['%', '‰']).or_else(|| {
                let rests = CURRENCIES.iter().filter_map(|currency| text.strip_suffix(currency));
                rests.min_by_key(|rest| rest.len())
            })
        {
            has_unit = true;
            text = rest.trim_end();
        } else {
            return (text, exponent);
        }
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
