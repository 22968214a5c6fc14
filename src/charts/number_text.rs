//! Numbers as people and spreadsheet programs write them, such as `1.234,5 €`, `(1,234)`, `12.5k`
//! and `+4,2 %`.
//!
//! A text such as `1,234` has two readings. [`SeparatorVotes`] therefore decides for a
//! whole column: one text with only one reading, such as `95,5`, decides for all others.

mod affixes;
mod group_votes;
mod number_unit;
mod separator_votes;
#[cfg(test)]
mod tests;
mod units;

pub use affixes::CURRENCIES;
pub use number_unit::NumberUnit;
pub use separator_votes::{ColumnReading, SeparatorVotes, TextVote};

use std::borrow::Cow;

use affixes::{
    expand_reais, find_sign, has_currency, strip_currency, strip_parentheses,
    strip_sign_and_currency, strip_suffixes,
};

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

    /// Returns `.` or `,`.
    fn decimal_char(self) -> char {
        if self == Self::Point { '.' } else { ',' }
    }
}

/// Returns the number in a text as the text of a JSON number, without exponent unless the text has one.
/// `None` if the text is not a number with this decimal separator, if it is longer than `MAX_BYTES`, or if
/// the number is out of range, such as `1e999`.
///
/// - Digits may be in groups of three, or as in India. The separator of the groups is the other one
///   of comma and point, a space or an apostrophe, and only one of them.
/// - The sign is `-`, `−`, `+` or the Japanese minus `△` before the number, `-` after it, or
///   parentheses for a negative number. A dash in place of the decimals, as in `95.–` and `95.--`,
///   is no sign.
/// - Currency and percent sign are ignored. A magnitude such as `k`, `Mio.` or `万` multiplies the
///   number.
/// - Digits and separators may be Arabic or of full width, digits also Persian or Devanagari.
/// - `m` after an amount of money, as in `€1.2m`, stands for millions. Without a currency, it is a unit of
///   measure, unless the column tells otherwise: see [`NumberNotation::has_millions`].
pub fn read_as_json(text: &str, separator: DecimalSeparator) -> Option<String> {
    read_with_millions(text, separator, false)
}

/// Returns the number in a text like [`read_as_json`]. With `has_millions`, `m` after a number without a
/// currency stands for millions, too.
fn read_with_millions(
    text: &str,
    separator: DecimalSeparator,
    has_millions: bool,
) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Some(zero) = text.trim_start().strip_prefix('±') {
        // `±0` is no change, and `±5` a tolerance.
        let number = read_with_millions(zero, separator, has_millions)?;
        return number.parse().is_ok_and(|number: f64| number == 0.0).then_some(number);
    }
    let has_millions = text.contains('m') && (has_millions || has_currency(text));
    let text = to_ascii(text, separator);
    let text = expand_reais(text.trim());
    let text = text.as_ref();
    // `(5) €` has its currency outside.
    let has_rest = text.starts_with('(') != text.ends_with(')');
    let outside = if has_rest { strip_currency(text).unwrap_or(text) } else { text };
    let (text, in_parentheses) = strip_parentheses(outside);
    let (text, is_negative) = strip_sign_and_currency(text)?;
    let (text, exponent) = strip_suffixes(text, has_millions);
    let (text, has_sign_after) = match strip_empty_decimals(text, separator) {
        Some(whole) => (whole, false),
        None => match text.strip_suffix(['-', '\u{2212}']) {
            Some(rest) => (rest.trim_end(), true),
            None => (text, false),
        },
    };
    if usize::from(in_parentheses) + usize::from(is_negative) + usize::from(has_sign_after) > 1 {
        return None;
    }
    let (body, power) = split_power(text);
    let power = power?;
    let (whole, decimals) = body.split_once(separator.decimal_char()).unwrap_or((body, ""));
    let whole = if whole.is_empty() && !decimals.is_empty() {
        "0".to_owned()
    } else {
        // A number with a power has no groups.
        join_groups(whole, separator).filter(|joined| power.is_empty() || joined == whole)?
    };
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut number = String::new();
    if in_parentheses || is_negative || has_sign_after {
        number.push('-');
    }
    push_scaled(&mut number, &whole, decimals, exponent);
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
    /// Currency or percent sign of the numbers.
    pub sign: SignRule,
    /// Whether `m` after a number stands for millions, as in `79.4m` beside `1.2bn` and `540k`.
    pub has_millions: bool,
}

/// Currencies and percent signs that the numbers of a column may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SignRule {
    /// All numbers of the column have the same sign or none.
    #[default]
    Any,
    /// Numbers with a sign do not belong to the column.
    Without,
    /// Numbers with another sign do not belong to the column. In a column of percentages, `‰` is
    /// converted.
    One(&'static str),
}

impl NumberNotation {
    /// Creates the notation of numbers without a unit of measure and with any currency or percent sign.
    pub fn new(separator: DecimalSeparator) -> Self {
        Self { separator, unit: None, sign: SignRule::Any, has_millions: false }
    }

    /// Returns the number in a text as the text of a JSON number. The text may lack unit and sign. `None`
    /// if it is no number, or for a text with another unit of measure, currency or percent sign. In a
    /// column of percentages, a number with `‰` is divided by ten.
    pub fn read_as_json(self, text: &str) -> Option<String> {
        let split = self.unit.and_then(|unit| split_unit(text).filter(|(_, found)| *found == unit));
        let number = split.map_or(text, |(number, _)| number);
        let number = read_with_millions(number, self.separator, self.has_millions)?;
        let found = if self.sign == SignRule::Any { None } else { find_sign(text) };
        match (self.sign, found) {
            (SignRule::Any, _) | (_, None) => Some(number),
            (SignRule::One(sign), Some(found)) if sign == found => Some(number),
            (SignRule::One("%"), Some("‰")) => {
                // Shifts the decimal point, because a division would add binary rounding.
                let tenth = if number.contains('e') { None } else { Some(format!("{number}e-1")) };
                tenth?.parse::<f64>().ok().map(|tenth| tenth.to_string())
            }
            _ => None,
        }
    }

    /// Returns whether a text is a number with a currency or percent sign that does not belong to
    /// the column.
    pub fn has_other_sign(self, text: &str) -> bool {
        let with_any_sign = Self { sign: SignRule::Any, ..self };
        self.sign != SignRule::Any
            && self.read_as_json(text).is_none()
            && with_any_sign.read_as_json(text).is_some()
    }

    /// Returns whether a text is a number with another currency or percent sign than the column, or with
    /// any unit of measure. The caller has ruled out texts that `read_as_json` reads.
    pub fn has_other_unit(self, text: &str) -> bool {
        has_unit(text) || self.has_other_sign(text)
    }

    /// Returns the number in a text. `None` for texts that `read_as_json` does not read.
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

/// Returns whether a text is only a unit of measure, a currency or a percent sign, without a number.
pub fn is_unit(text: &str) -> bool {
    units::UNITS.contains(&text) || strip_currency(text) == Some("")
}

/// Returns whether a text is a unit, a magnitude such as `Mio. €`, or begins with a unit, as in `Mt CO2` and
/// `€/Monat`.
pub fn names_unit(text: &str) -> bool {
    let first = text.split([' ', '\u{a0}', '/']).next().unwrap_or_default();
    is_unit(text) || is_scale(text) || is_unit(first)
}

/// Returns whether a text is a magnitude with or without a currency, such as `Mrd. €`, `Tsd.` and
/// `1 000`, as it stands below the headings of statistical tables.
pub fn is_scale(text: &str) -> bool {
    // A digit before the text makes it a number if it is a magnitude.
    let is_word = || {
        text.starts_with(|first: char| !first.is_numeric())
            && strip_suffixes(&format!("1 {text}"), false).1 > 0
            && read(&format!("1 {text}"), DecimalSeparator::Point).is_some()
    };
    let is_power = |number: f64| [1e3, 1e6, 1e9].contains(&number);
    let separators = [DecimalSeparator::Point, DecimalSeparator::Comma];
    let is_number = text.starts_with('1') && text.len() <= "1 000 000 000".len();
    is_number && separators.iter().any(|separator| read(text, *separator).is_some_and(is_power))
        || is_word()
}

/// Returns the number in a text. `None` for texts that the function `read_as_json` does not read.
pub fn read(text: &str, separator: DecimalSeparator) -> Option<f64> {
    read_as_json(text, separator)?.parse().ok()
}

/// Returns whether a number has a plus sign before its first digit, as in `+4` and `€ +4`.
pub fn has_plus_sign(text: &str) -> bool {
    text.chars().take_while(|character| !character.is_numeric()).any(|character| character == '+')
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

/// Returns whether a text has only ASCII digits and the signs `.`, `-`, `+`, `e` and `E`, and does not end
/// with `-`. It may still be no number, and its point may separate groups, as in `1.234`.
pub fn is_plain(text: &str) -> bool {
    // JSON has no sign after the number.
    !text.ends_with('-')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
}

/// Returns the text before the separator of a price with one or two dashes in place of the decimals, such
/// as `95` for `95,–`, `95.-` and `95.--`. `None` for other texts. Does not check the digits.
fn strip_empty_decimals(text: &str, separator: DecimalSeparator) -> Option<&str> {
    let rest = text.trim_end_matches(['-', '–', '—', '\u{2212}']);
    let has_dashes = (1..=2).contains(&text[rest.len()..].chars().count());
    let whole = rest.strip_suffix(separator.decimal_char()).filter(|_| has_dashes)?;
    (!whole.is_empty() && !whole.contains(separator.decimal_char())).then_some(whole)
}

/// Replaces digits, separators, percent signs and minus signs of Arabic, Persian, Devanagari and of full
/// width by those of ASCII, and removes direction marks. The Arabic decimal separator becomes `separator`,
/// the Arabic separator of groups the other one.
fn to_ascii(text: &str, separator: DecimalSeparator) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let convert = |character: char| match character {
        '\u{61c}' | '\u{200e}' | '\u{200f}' => None,
        '٫' => Some(separator.decimal_char()),
        '٬' => Some(separator.other().decimal_char()),
        '٪' | '％' => Some('%'),
        '，' => Some(','),
        '．' => Some('.'),
        '－' => Some('-'),
        _ => Some(to_ascii_digit(character)),
    };
    Cow::Owned(text.chars().filter_map(convert).collect())
}

/// Returns the ASCII digit of an Arabic, Persian, Devanagari or full-width digit. Other characters
/// stay.
pub(crate) fn to_ascii_digit(character: char) -> char {
    let zero = match character {
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        '०'..='९' => '०',
        '０'..='９' => '０',
        _ => return character,
    };
    let digit = u32::from(character) - u32::from(zero);
    char::from_digit(digit, 10).unwrap_or(character)
}

/// Splits a power of ten such as `E+03` off. Returns the text before it, and the power as `e+03`. The power
/// is empty without one, and `None` if it is not a sign and one to three digits.
fn split_power(text: &str) -> (&str, Option<String>) {
    let Some((body, power)) = text.split_once(['e', 'E']) else {
        return (text, Some(String::new()));
    };
    let digits = power.strip_prefix(['+', '-']).unwrap_or(power);
    let is_valid =
        (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (body, is_valid.then(|| format!("e{power}")))
}

/// Returns the digits of a whole number without the separators of its groups, which must all be the same:
/// the other one of comma and point, a space or an apostrophe.
///
/// `None` if it has other characters, a leading zero before a separator, or groups of a wrong length: the
/// last one has three digits, the middle ones all three or, as in India, all two.
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

/// Appends the decimal number with the digits `whole` and `decimals` to `out`, multiplied by ten to the
/// power of `exponent`. Removes leading zeros.
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
