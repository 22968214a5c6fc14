//! Numbers among the cells of a text file, which does not tell numbers from texts.

use serde_json::Number;

use super::worksheet::WorksheetCell;

/// Maximum number of significant digits, all of which a floating-point number keeps.
const MAX_DIGITS: usize = 15;

/// A text as a number.
struct TextNumber {
    number: Number,
    /// Whether the text has an exponent, such as `1e5`.
    has_exponent: bool,
    /// Whether the text has a decimal comma.
    has_comma: bool,
}

/// Replaces the texts that are numbers without a loss: no leading zeros, no plus sign, no separators of
/// thousands, and at most 15 digits.
///
/// A text with an exponent, such as `1e5`, is a number only below the first row and if its column has no
/// other texts there, because it may be an id. If `accepts_comma` and any text has a decimal comma, a
/// point is no decimal separator.
pub(super) fn replace_numbers(rows: &mut [Vec<WorksheetCell>], accepts_comma: bool) {
    let mut has_comma = false;
    // Whether each column has texts below the first row.
    let mut has_text: Vec<bool> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        has_text.resize(has_text.len().max(row.len()), false);
        for (cell, has_text) in row.iter().zip(&mut has_text) {
            let WorksheetCell::Text(text) = cell else { continue };
            let number = TextNumber::parse(text);
            has_comma |= accepts_comma && number.as_ref().is_some_and(|number| number.has_comma);
            *has_text |= index > 0 && !text.is_empty() && number.is_none();
        }
    }
    for (index, row) in rows.iter_mut().enumerate() {
        for (cell, has_text) in row.iter_mut().zip(&has_text) {
            let WorksheetCell::Text(text) = cell else { continue };
            let Some(number) = TextNumber::parse(text) else { continue };
            let is_other_separator = text.contains(if has_comma { '.' } else { ',' });
            let may_be_id = number.has_exponent && (index == 0 || *has_text);
            if !is_other_separator && !may_be_id {
                *cell = WorksheetCell::Number(number.number);
            }
        }
    }
}

impl TextNumber {
    /// Parses a number with a decimal point or comma. None if the text is no number or would lose
    /// something as one.
    fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, decimals) = match mantissa.split_once(['.', ',']) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (mantissa, None),
        };
        let is_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
        let exponent_digits = exponent.map(|exponent| exponent.trim_start_matches(['+', '-']));
        let is_valid = is_digits(whole)
            && !has_leading_zero
            && decimals.is_none_or(is_digits)
            && exponent_digits.is_none_or(is_digits)
            && whole.len() + decimals.map_or(0, str::len) <= MAX_DIGITS;
        if !is_valid {
            return None;
        }
        let has_comma = mantissa.contains(',');
        let number = match (decimals, exponent) {
            (None, None) => Number::from(text.parse::<i64>().ok()?),
            _ => Number::from_f64(text.replace(',', ".").parse().ok()?)?,
        };
        let is_zero = number.as_f64() == Some(0.0);
        let has_other_digits = mantissa.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        // A sign of zero would be lost, and so would the digits of a too small number.
        if is_zero && (text.starts_with('-') || has_other_digits) {
            return None;
        }
        Some(Self { number, has_exponent: exponent.is_some(), has_comma })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::*;

    /// Converts rows of texts.
    fn convert(rows: &[&[&str]], accepts_comma: bool) -> Value {
        let text = |text: &&str| WorksheetCell::Text((*text).to_owned());
        let mut rows: Vec<Vec<WorksheetCell>> =
            rows.iter().map(|row| row.iter().map(text).collect()).collect();
        replace_numbers(&mut rows, accepts_comma);
        serde_json::to_value(rows).unwrap()
    }

    #[test]
    fn only_texts_without_a_loss_become_numbers() {
        let row = ["0", "-12", "1.50", "0.25", "123456789012345", "2024"];
        assert_eq!(
            convert(&[&row], false),
            json!([[0, -12, 1.5, 0.25, 123_456_789_012_345_i64, 2024]])
        );
        for text in [
            "007",
            "+5",
            "-0",
            "-0.0",
            "1,5",
            "1,234",
            ".5",
            "5.",
            "1234567890123456",
            "1 000",
            "5 %",
            "",
            "TRUE",
            "NaN",
            "inf",
            "0x10",
            "1_000",
            "--1",
            "1e",
            "1e999",
            "1e-999",
            "00.5",
            "1e+-5",
            "1.234.567",
            "٣",
        ] {
            assert_eq!(convert(&[&["x"], &[text]], false)[1][0], json!(text), "{text}");
        }
    }

    #[test]
    fn exponents_are_numbers_only_in_columns_without_texts() {
        let rows: [&[&str]; 4] = [&["a", "1e2"], &["1e5", "1E-2"], &["2.5", "7"], &["", "x1"]];
        assert_eq!(
            convert(&rows, false),
            json!([["a", "1e2"], [1e5, "1E-2"], [2.5, 7], ["", "x1"]])
        );
    }

    #[test]
    fn a_decimal_comma_excludes_the_decimal_point() {
        assert_eq!(convert(&[&["1,5", "1.234", "7"]], true), json!([[1.5, "1.234", 7]]));
        assert_eq!(convert(&[&["1.5", "1.234"]], true), json!([[1.5, 1.234]]));
    }
}
