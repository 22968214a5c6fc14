//! The signs around the digits of a number in a text: parentheses, sign, currency, percent sign and
//! magnitude.

use std::borrow::Cow;

/// Currency signs and codes that may stand before or after a number.
pub const CURRENCIES: [&str; 47] = [
    "€", "$", "£", "¥", "₹", "₽", "₩", "₺", "₪", "₫", "฿", "₴", "₦", "zł", "Kč", "Ft", "kr.", "kr",
    "Fr.", "SFr.", "R$", "US$", "A$", "C$", "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK",
    "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "CAD", "AUD", "MXN", "TRY", "ZAR", "RUB", "円", "元",
    "원",
];

/// Suffixes that stand for a power of ten, with its exponent. Words and letters with different
/// meanings in different languages are absent: billion, B and T. In German accounts, `TEUR` are
/// thousand euros. In Swedish ones, `mkr` are million crowns.
const MAGNITUDES: [(&str, usize); 79] = [
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
    ("mn", 6),
    ("bn", 9),
    ("tn", 12),
    ("lakh", 5),
    ("crore", 7),
    ("Mill.", 6),
    ("Mill", 6),
    ("Bio.", 12),
    ("Bio", 12),
    ("mille", 3),
    ("milliard", 9),
    ("mil", 3),
    ("mill.", 6),
    ("millón", 6),
    ("millones", 6),
    ("mil millones", 9),
    ("milhões", 6),
    ("mila", 3),
    ("milione", 6),
    ("milioni", 6),
    ("miliardo", 9),
    ("miliardi", 9),
    ("mln.", 6),
    ("mld.", 9),
    ("mio.", 6),
    ("mia.", 9),
    ("mia", 9),
    ("tys.", 3),
    ("tys", 3),
    ("tusen", 3),
    ("miljon", 6),
    ("miljoner", 6),
    ("miljard", 9),
    ("miljarder", 9),
    ("tkr", 3),
    ("mkr", 6),
    ("k", 3),
    ("K", 3),
    ("M", 6),
    ("千", 3),
    ("百万", 6),
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

/// Returns the currency, `%` or `‰` at the start or, if there is none, at the end of a text. All signs and
/// codes of a currency give the same result, such as `€` for `EUR`. `None` if the text has none. Does not
/// check that the rest is a number.
pub(super) fn find_sign(text: &str) -> Option<&'static str> {
    let is_part = |byte: u8| byte.is_ascii_digit() || b".,-+' ".contains(&byte);
    if text.bytes().all(is_part) {
        return None;
    }
    let is_around =
        |sign: char| sign.is_whitespace() || "()-+−–△\u{200e}\u{200f}\u{61c}".contains(sign);
    let text = text.trim_matches(is_around);
    let before = longest(CURRENCIES.iter().filter(|code| text.starts_with(**code)));
    let after = || {
        let signs = ["%", "‰", "٪", "％"].iter().chain(&CURRENCIES);
        longest(signs.filter(|sign| text.ends_with(**sign)))
    };
    let sign = before.or_else(after)?;
    Some(match sign {
        "٪" | "％" => "%",
        "EUR" => "€",
        "US$" | "USD" => "$",
        "GBP" => "£",
        "円" | "JPY" => "¥",
        "CNY" => "元",
        "INR" => "₹",
        "RUB" => "₽",
        "TRY" => "₺",
        "원" => "₩",
        "PLN" => "zł",
        "CZK" => "Kč",
        "HUF" => "Ft",
        "BRL" => "R$",
        "AUD" => "A$",
        "CAD" => "C$",
        "Fr." | "SFr." => "CHF",
        "kr." => "kr",
        other => other,
    })
}

/// Replaces `mi` and `bi` at the end of a text with `R$` by `M` and `bn`, because they stand for millions
/// and billions in Portuguese. Other texts stay, because there `mi` are miles.
pub(super) fn expand_reais(text: &str) -> Cow<'_, str> {
    let amount = |ending| text.strip_suffix(ending).filter(|_| text.contains("R$"));
    match (amount("mi"), amount("bi")) {
        (Some(amount), _) => Cow::Owned(format!("{amount}M")),
        (_, Some(amount)) => Cow::Owned(format!("{amount}bn")),
        _ => Cow::Borrowed(text),
    }
}

/// Returns the sign with the most bytes. `None` without signs.
pub(super) fn longest<'a>(signs: impl Iterator<Item = &'a &'static str>) -> Option<&'static str> {
    signs.copied().max_by_key(|sign| sign.len())
}

/// Removes parentheses around the whole text and the spaces within them. Returns the text, and whether
/// there were parentheses.
pub(super) fn strip_parentheses(text: &str) -> (&str, bool) {
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (text, false),
    }
}

/// Removes a currency from the start or end of a text, or a percent sign from its end: the longest of
/// them. Returns the rest without spaces around it. `None` if there is no such sign.
pub(super) fn strip_currency(text: &str) -> Option<&str> {
    let before = CURRENCIES.iter().filter_map(|currency| text.strip_prefix(currency));
    let after = CURRENCIES.iter().chain(&["%", "‰"]).filter_map(|sign| text.strip_suffix(sign));
    before.chain(after).min_by_key(|rest| rest.len()).map(str::trim)
}

/// Removes a plus or minus sign and one currency before the number, in any order. Returns the rest, and
/// whether the sign is a minus. `None` if there are two signs. Without both, returns the text and false.
pub(super) fn strip_sign_and_currency(mut text: &str) -> Option<(&str, bool)> {
    let mut sign = None;
    let mut has_currency = false;
    loop {
        if let Some(rest) = text.strip_prefix(['-', '\u{2212}', '–', '△']) {
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

/// Returns whether a text has a currency before or after its number. Does not check the number.
pub(super) fn has_currency(text: &str) -> bool {
    let (text, _) = strip_parentheses(text);
    find_sign(text).is_some_and(|sign| !["%", "‰"].contains(&sign))
}

/// Removes a percent sign or a currency, and a magnitude such as `Mio.`, after the number, in any order.
/// With `has_millions`, `m` is a magnitude, too. Returns the rest, and the exponent of the power of ten
/// of the magnitude, which is 0 without one.
pub(super) fn strip_suffixes(mut text: &str, has_millions: bool) -> (&str, usize) {
    let millions = has_millions.then_some(&("m", 6));
    let (mut exponent, mut has_unit) = (0, false);
    loop {
        // First, because `TEUR` ends with a currency.
        if exponent == 0
            && let Some((rest, power)) = MAGNITUDES
                .iter()
                .chain(millions)
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
