//! Numbers as people and spreadsheet programs write them, such as `1.234,5 €`, `(1,234)`, `12.5k`
//! and `+4,2 %`.
//!
//! A text such as `1,234` has two readings. [`SeparatorVotes`] therefore decides for a
//! whole column: one text with only one reading, such as `95,5`, decides for all others.

mod affixes;
mod separator_votes;
mod units;

pub use affixes::NumberUnit;
pub use separator_votes::{ColumnReading, SeparatorVotes};

use std::borrow::Cow;

use affixes::{strip_currency, strip_parentheses, strip_sign_and_currency, strip_suffixes};

use crate::format::Locale;
use units::split_unit;

/// Maximum length of a number with its currency and unit, in bytes. Longer texts are not numbers.
pub const MAX_BYTES: usize = 60;

/// Maximum length of a dash with a currency and the spaces between them, in bytes.
const MAX_EMPTY_AMOUNT_BYTES: usize = 24;

/// Texts that stand for a missing value.
const PLACEHOLDERS: [&str; 21] = [
    "-", "--", "---", "––", "–", "—", "\u{2212}", "nan", ".", "..", "...", "…", ":", "/", "n/a",
    "na", "k. a.", "k.a.", "null", "none", "#n/a",
];

/// The sign between the whole number and its decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecimalSeparator {
    /// As in `1,234.5`.
    Point,
    /// As in `1.234,5`.
    Comma,
}

impl DecimalSeparator {
    /// Returns the separator of a locale.
    pub fn of_locale(locale: Locale) -> Self {
        if locale.decimal_separator == ',' { Self::Comma } else { Self::Point }
    }

    /// Returns the other separator.
    pub fn other(self) -> Self {
        match self {
            Self::Point => Self::Comma,
            Self::Comma => Self::Point,
        }
    }

    fn decimal_char(self) -> char {
        if self == Self::Point { '.' } else { ',' }
    }
}

/// Returns the number in a text as a JSON number without exponent, unless the text has one. `None`
/// if the text is not a number with this decimal separator, or one out of range, such as `1e999`.
///
/// - Digits may be in groups of three, or as in India. The separator of the groups is the other one
///   of comma and point, a space or an apostrophe, and only one of them.
/// - The sign is `-`, `−` or `+` before the number, `-` after it, or parentheses for a negative
///   number.
/// - Currency and percent sign are ignored. A magnitude such as `k`, `Mio.` or `万` multiplies the
///   number.
/// - Digits and separators may be Arabic, digits also of full width.
pub fn read_as_json(text: &str, separator: DecimalSeparator) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = to_ascii(text, separator);
    let text = text.trim();
    // `(5) €` has its currency outside.
    let has_rest = text.starts_with('(') != text.ends_with(')');
    let outside = if has_rest { strip_currency(text).unwrap_or(text) } else { text };
    let (text, in_parentheses) = strip_parentheses(outside);
    let (text, is_negative) = strip_sign_and_currency(text)?;
    let (text, exponent) = strip_suffixes(text);
    let (text, has_sign_after) = match text.strip_suffix(['-', '\u{2212}']) {
        Some(rest) if !rest.ends_with(separator.decimal_char()) => (rest.trim_end(), true),
        _ => (text, false),
    };
    if usize::from(in_parentheses) + usize::from(is_negative) + usize::from(has_sign_after) > 1 {
        return None;
    }
    let (body, power) = split_power(text);
    let (whole, decimals) = match body.split_once(separator.decimal_char()) {
        // `95,–` is a price without decimals.
        Some((whole, "-" | "–" | "—" | "\u{2212}")) => (whole, ""),
        Some((whole, decimals)) => (whole, decimals),
        None => (body, ""),
    };
    let whole = if whole.is_empty() && !decimals.is_empty() {
        "0".to_owned()
    } else {
        join_groups(whole, separator)?
    };
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut number = String::new();
    if in_parentheses || is_negative || has_sign_after {
        number.push('-');
    }
    push_scaled(&mut number, &whole, decimals, exponent);
    let power = power?;
    number.push_str(&power);
    // Without a power, the number has too few digits to be out of range. JSON has no infinite
    // numbers.
    let is_finite = || number.parse::<f64>().is_ok_and(f64::is_finite);
    (power.is_empty() || is_finite()).then_some(number)
}

/// Notation of the numbers in a column of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberNotation {
    /// Decimal separator.
    pub separator: DecimalSeparator,
    /// Unit of measure after the numbers, such as `km`. Texts with another one are no numbers of
    /// the column.
    pub unit: Option<&'static str>,
}

impl NumberNotation {
    /// Creates the notation of numbers without a unit.
    pub fn new(separator: DecimalSeparator) -> Self {
        Self { separator, unit: None }
    }

    /// Returns the number in a text as a JSON number, see [`read_as_json`]. The text may lack the
    /// unit. `None` also for a text with another unit of measure.
    pub fn read_as_json(self, text: &str) -> Option<String> {
        let split = self.unit.and_then(|unit| split_unit(text).filter(|(_, found)| *found == unit));
        read_as_json(split.map_or(text, |(number, _)| number), self.separator)
    }

    /// Returns the number in a text, see [`Self::read_as_json`].
    pub fn read(self, text: &str) -> Option<f64> {
        self.read_as_json(text)?.parse().ok()
    }
}

/// Returns whether a text is a number with a unit of measure, with any decimal separator. A
/// currency is no such unit.
pub fn has_unit(text: &str) -> bool {
    split_unit(text).is_some_and(|(number, _)| {
        [DecimalSeparator::Point, DecimalSeparator::Comma]
            .iter()
            .any(|separator| read_as_json(number, *separator).is_some())
    })
}

/// Returns whether a text is a unit of measure, a currency or a percent sign.
pub fn is_unit(text: &str) -> bool {
    units::UNITS.contains(&text) || strip_currency(text) == Some("")
}

/// Returns the number in a text, see [`read_as_json`].
pub fn read(text: &str, separator: DecimalSeparator) -> Option<f64> {
    read_as_json(text, separator)?.parse().ok()
}

/// Returns whether a text without space around it is empty or stands for a missing value, such as
/// `n/a` or a dash. A dash with a currency is missing too, because spreadsheets print `- €` for no
/// amount.
pub fn is_missing(text: &str) -> bool {
    let is_placeholder =
        |text: &str| PLACEHOLDERS.iter().any(|known| known.eq_ignore_ascii_case(text));
    let may_be_amount = text.len() <= MAX_EMPTY_AMOUNT_BYTES && !text.contains(char::is_numeric);
    text.is_empty()
        || is_placeholder(text)
        || may_be_amount && strip_currency(text).is_some_and(is_placeholder)
}

/// Returns whether a text has only characters of a number in the notation of JSON. Such a text has
/// no separators of groups, but a point may separate groups: `1.234`.
pub fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
}

/// Replaces Arabic and full-width digits, separators and percent signs by those of ASCII, and
/// removes direction marks.
fn to_ascii(text: &str, separator: DecimalSeparator) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let convert = |character: char| match character {
        '\u{61c}' | '\u{200e}' | '\u{200f}' => None,
        '٫' => Some(separator.decimal_char()),
        '٬' => Some(separator.other().decimal_char()),
        '٪' => Some('%'),
        _ => Some(to_ascii_digit(character)),
    };
    Cow::Owned(text.chars().filter_map(convert).collect())
}

/// Returns the ASCII digit of an Arabic or full-width digit. Other characters stay.
pub(crate) fn to_ascii_digit(character: char) -> char {
    let zero = match character {
        '٠'..='٩' => '٠',
        '０'..='９' => '０',
        _ => return character,
    };
    let digit = u32::from(character) - u32::from(zero);
    char::from_digit(digit, 10).unwrap_or(character)
}

/// Splits a power of ten such as `E+03` off. The power is empty without one, and `None` if it has
/// no digits.
fn split_power(text: &str) -> (&str, Option<String>) {
    let Some((body, power)) = text.split_once(['e', 'E']) else {
        return (text, Some(String::new()));
    };
    let digits = power.strip_prefix(['+', '-']).unwrap_or(power);
    let is_valid =
        (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (body, is_valid.then(|| format!("e{power}")))
}

/// Returns the digits of a whole number without the separators of its groups. `None` if it has
/// other characters, or groups of a wrong length.
fn join_groups(whole: &str, separator: DecimalSeparator) -> Option<String> {
    let is_separator = |character: char| {
        character == separator.other().decimal_char()
            || matches!(
                character,
                ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '\u{2019}' | '\u{2bc}'
            )
    };
    let Some(used) = whole.chars().find(|character| is_separator(*character)) else {
        let is_number = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
        return is_number.then(|| whole.to_owned());
    };
    let groups: Vec<&str> = whole.split(used).collect();
    let (first, rest) = groups.split_first()?;
    let (last, middle) = rest.split_last()?;
    let are_digits = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()));
    // Leading zeros are those of a decimal number or of a code.
    let is_first = (1..=3).contains(&first.len()) && !first.starts_with('0');
    // Groups of two digits are those of lakh and crore. With a single group they would be the same.
    let has_equal_groups = [3, 2].iter().any(|length| {
        middle.iter().all(|group| group.len() == *length) && (*length == 3 || first.len() < 3)
    });
    let is_grouped = are_digits && is_first && last.len() == 3 && has_equal_groups;
    is_grouped.then(|| groups.concat())
}

/// Appends a decimal number, multiplied by a power of ten.
fn push_scaled(out: &mut String, whole: &str, decimals: &str, exponent: usize) {
    let (moved, kept) = decimals.split_at(exponent.min(decimals.len()));
    let digits = format!("{whole}{moved}{}", "0".repeat(exponent - moved.len()));
    let digits = digits.trim_start_matches('0');
    out.push_str(if digits.is_empty() { "0" } else { digits });
    if !kept.is_empty() {
        out.push('.');
        out.push_str(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::DecimalSeparator::{Comma, Point};
    use super::*;

    /// Checks both readings of a text.
    fn check(text: &str, with_point: Option<&str>, with_comma: Option<&str>) {
        let readings = [Point, Comma].map(|separator| read_as_json(text, separator));
        let readings = readings.each_ref().map(Option::as_deref);
        assert_eq!(readings, [with_point, with_comma], "{text}");
    }

    #[test]
    fn groups_and_decimals_have_different_separators() {
        check("1284", Some("1284"), Some("1284"));
        check("1,284.50", Some("1284.50"), None);
        check("1.284,50", None, Some("1284.50"));
        check("1,284", Some("1284"), Some("1.284"));
        check("1.284", Some("1.284"), Some("1284"));
        check("95,5", None, Some("95.5"));
        check("0,125", None, Some("0.125"));
        check("1,234,567", Some("1234567"), None);
        check("12,34,567", Some("1234567"), None);
        check("1 284 350,50", None, Some("1284350.50"));
        check("1\u{202f}284\u{202f}350", Some("1284350"), Some("1284350"));
        check("1’234.50", Some("1234.50"), None);
        check("1'234'567", Some("1234567"), Some("1234567"));
        check(".5", Some("0.5"), None);
        check("5.", Some("5"), None);
    }

    #[test]
    fn signs_may_be_before_after_or_around() {
        for text in
            ["-1,234.5", "(1,234.5)", "1,234.5-", "($1,234.5)", "(1,234.5) €", "$ (1,234.5)"]
        {
            check(text, Some("-1234.5"), None);
        }
        check("+4,2 %", None, Some("4.2"));
        check("-$5", Some("-5"), Some("-5"));
        check("$-5", Some("-5"), Some("-5"));
        check("--5", None, None);
        check("-(5)", None, None);
        check("(-5)", None, None);
        check("5--", None, None);
    }

    #[test]
    fn currencies_and_percent_signs_are_ignored_and_magnitudes_multiply() {
        check("1.234,50 €", None, Some("1234.50"));
        check("€ 1.234,50", None, Some("1234.50"));
        check("CHF 95.–", Some("95"), None);
        check("R$ 10,00", None, Some("10.00"));
        check("45 %", Some("45"), Some("45"));
        check("12.5k", Some("12500"), None);
        check("1,5 Mio. €", None, Some("1500000"));
        check("2 Mrd. EUR", Some("2000000000"), Some("2000000000"));
        check("$3.25bn", Some("3250000000"), None);
        check("0.0005k", Some("0.5"), None);
        check("1.5E+03", Some("1.5e+03"), None);
        check("12 k€", Some("12000"), Some("12000"));
        check("12,5 TEUR", None, Some("12500"));
        check("3 T€", Some("3000"), Some("3000"));
    }

    #[test]
    fn numbers_of_arabic_and_east_asian_texts_are_read() {
        check("١٬٢٣٤٫٥", Some("1234.5"), Some("1234.5"));
        check("\u{61c}\u{2212}٠٫٠٥", Some("-0.05"), Some("-0.05"));
        check("١٢٫٥٪\u{61c}", Some("12.5"), Some("12.5"));
        check("٣\u{a0}مليون", Some("3000000"), Some("3000000"));
        check("\u{200e}-7\u{200e}%\u{200e}", Some("-7"), Some("-7"));
        check("1,235万", Some("12350000"), Some("12350"));
        check("1.2兆円", Some("1200000000000"), None);
        check("3.5万亿元", Some("3500000000000"), None);
        check("¥２億", Some("200000000"), Some("200000000"));
        check("4.2만", Some("42000"), None);
    }

    #[test]
    fn other_texts_are_not_numbers() {
        for text in [
            "",
            "-",
            "k",
            "€",
            "%",
            "1,23,4",
            "1 2",
            "2020 2021",
            "2026-01-02",
            "12:30",
            "1.2.3",
            "1,2,3",
            "31.12.2023",
            "1e",
            "e5",
            "twelve",
            "n/a",
            "#DIV/0!",
            "12abc",
            "NaN",
            "inf",
            "1 284,350.5.1",
            "1'234,567 890",
            "5 k k",
            "007,5.5",
        ] {
            check(text, None, None);
        }
        check(&"1".repeat(61), None, None);
    }

    #[test]
    fn one_unambiguous_text_decides_for_the_column() {
        let choose = |texts: &[&str], default| {
            let mut votes = SeparatorVotes::default();
            texts.iter().for_each(|text| votes.add(text));
            let reading = votes.decide(default);
            (reading.notation.separator, reading.numbers, reading.ambiguous)
        };
        assert_eq!(choose(&["1,234", "95,5"], Point), (Comma, 2, None));
        assert_eq!(choose(&["1.234", "95.5"], Comma), (Point, 2, None));
        assert_eq!(choose(&["1,234", "5"], Point), (Point, 2, Some("1,234".to_owned())));
        assert_eq!(choose(&["1,234", "n/a"], Comma), (Comma, 1, Some("1,234".to_owned())));
        assert_eq!(choose(&["1,5", "2,5", "3.5"], Point), (Comma, 2, None));
        assert_eq!(choose(&["5", "6"], Comma), (Comma, 2, None));
    }

    #[test]
    fn numbers_out_of_range_are_no_numbers() {
        for text in ["1e999", "951e999%", "-1E+999", "(9e400)"] {
            check(text, None, None);
        }
        check("1e30", Some("1e30"), Some("1e30"));
    }

    #[test]
    fn numbers_of_a_column_have_one_unit() {
        let choose = |texts: &[&str]| {
            let mut votes = SeparatorVotes::default();
            texts.iter().for_each(|text| votes.add(text));
            let reading = votes.decide(Point);
            (reading.notation.unit, reading.numbers)
        };
        assert_eq!(choose(&["12,3 km", "8 km", "5"]), (Some("km"), 3));
        assert_eq!(choose(&["12 km", "closed"]), (Some("km"), 1));
        assert_eq!(choose(&["1.2 kg", "900 g", "5"]), (None, 1));
        assert_eq!(choose(&["12 A", "12 B", "14 A"]), (None, 0));
        assert_eq!(choose(&["12 A", "14 A"]), (Some("A"), 2));
        let notation = NumberNotation { separator: Comma, unit: Some("km") };
        assert_eq!(notation.read("1.234,5 km"), Some(1234.5));
        assert_eq!(notation.read("(2) km"), Some(-2.0));
        assert_eq!(notation.read("5"), Some(5.0));
        assert_eq!(notation.read("5 kg"), None);
        assert!(has_unit("900 g") && has_unit("1,5 km") && !has_unit("5") && !has_unit("5 €"));
    }

    #[test]
    fn a_dash_with_a_currency_is_missing() {
        for text in ["", "-", "n/a", "- €", "€ -", "-   €", "EUR –", "- %"] {
            assert!(is_missing(text), "{text}");
        }
        for text in ["€", "5 €", "- 5", "x €", "nano"] {
            assert!(!is_missing(text), "{text}");
        }
    }
}
