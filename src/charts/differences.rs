//! Differences of two values, without the rounding errors of their subtraction, and signed texts.

use crate::format::{FormatRules, Locale, NumberFormat};

/// Number of significant digits of the larger value that a difference keeps. A number of 64 bits
/// has 15 to 17.
const SIGNIFICANT_DIGITS: i32 = 13;
/// Minimum of values that are written in millions.
const MIN_MILLIONS: f64 = 1e6;
/// Maximum number of decimals that are compared.
const MAX_DECIMALS: usize = 7;

/// Returns `to` - `from`, rounded to `SIGNIFICANT_DIGITS` digits of the larger magnitude, so that
/// the difference of 0.3 and 0.1 is 0.2. Never returns negative zero.
pub fn subtract(from: f64, to: f64) -> f64 {
    let largest = from.abs().max(to.abs());
    if largest == 0.0 {
        return 0.0;
    }
    let decimals = SIGNIFICANT_DIGITS - 1 - largest.log10().floor() as i32;
    let difference = to - from;
    // A power beyond these limits would overflow. Nobody reads the digits of such numbers.
    if !(-200..=200).contains(&decimals) {
        return difference;
    }
    let rounded = match decimals {
        0.. => (difference * 10f64.powi(decimals)).round() / 10f64.powi(decimals),
        _ => (difference / 10f64.powi(-decimals)).round() * 10f64.powi(-decimals),
    };
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Returns the format rules of differences: those of the values without the percent sign, because
/// the difference of two percentages is a number of percentage points.
pub fn difference_rules(rules: &FormatRules) -> FormatRules {
    let is_share = rules.suffix.contains('%');
    let suffix = if is_share { String::new() } else { rules.suffix.clone() };
    FormatRules { percent: false, suffix, ..rules.clone() }
}

/// Returns the number format of the differences of `values`, with the `rules` of the values. It has no
/// more decimals than the values in print, because 110.50 beside 1,311 and 1,201 feigns a precision
/// that readers cannot check. A difference other than zero is not written as zero.
pub fn difference_format(
    differences: impl Iterator<Item = f64> + Clone,
    values: impl Iterator<Item = f64> + Clone,
    rules: &FormatRules,
    locale: Locale,
) -> NumberFormat {
    let rules = difference_rules(rules);
    let format = NumberFormat::for_values(differences.clone(), &rules, locale);
    let largest = values.clone().map(f64::abs).fold(0.0, f64::max);
    let shown = match largest {
        // A value in millions has decimals of millions.
        MIN_MILLIONS.. => Some(0),
        _ => count_shown_decimals(values, &rules, locale),
    };
    match (shown, count_shown_decimals(differences.clone(), &rules, locale)) {
        (Some(limit), Some(decimals)) if decimals > limit && rules.decimals.is_none() => {
            let rules = FormatRules { decimals: Some(limit), ..rules };
            NumberFormat::for_values(differences, &rules, locale)
        }
        _ => format,
    }
}

/// Returns the number of decimals with which a common format writes the largest of the numbers. None
/// if that has a scale unit that a fixed number of decimals does not have.
fn count_shown_decimals(
    numbers: impl Iterator<Item = f64> + Clone,
    rules: &FormatRules,
    locale: Locale,
) -> Option<usize> {
    let largest = numbers.clone().max_by(|one, two| one.abs().total_cmp(&two.abs()))?;
    let text = NumberFormat::for_values(numbers.clone(), rules, locale).text(largest);
    (0..=MAX_DECIMALS).find(|decimals| {
        let rules = FormatRules { decimals: Some(*decimals), ..rules.clone() };
        NumberFormat::for_values(numbers.clone(), &rules, locale).text(largest) == text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_the_decimals_of_their_values() {
        let texts = |values: &[f64], differences: &[f64]| -> Vec<String> {
            let rules = FormatRules { grouped: true, ..FormatRules::default() };
            let numbers = (differences.iter().copied(), values.iter().copied());
            let format = difference_format(numbers.0, numbers.1, &rules, Locale::default());
            differences.iter().map(|difference| format.signed_text(*difference)).collect()
        };
        assert_eq!(texts(&[1311.0, 1200.5, 450.25, 400.0], &[110.5, 50.25]), ["+111", "+50"]);
        assert_eq!(texts(&[450.25, 400.0], &[50.25, -7.5]), ["+50.25", "\u{2212}7.50"]);
        // Not zero.
        assert_eq!(texts(&[1311.0, 1310.6, 20.25], &[0.4, 30.75]), ["+0.4", "+31"]);
        assert_eq!(texts(&[2_500_000.0, 2_499_889.5], &[110.5]), ["+111"]);
    }

    #[test]
    fn differences_have_no_rounding_errors() {
        assert_eq!(subtract(0.1, 0.3), 0.2);
        assert_eq!(subtract(1234.56, 1234.5), -0.06);
        assert_eq!(subtract(0.30000000000000004, 0.3), 0.0);
        assert_eq!(subtract(-5e12, 7e12), 12e12);
        assert_eq!(subtract(0.0, 0.0), 0.0);
        assert!(subtract(-1e290, 1e290).is_finite() && subtract(0.0, 1e-280).is_finite());
    }
}
