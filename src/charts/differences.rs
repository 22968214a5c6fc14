//! Differences of two values, without the rounding errors of their subtraction, and signed texts.

use crate::format::FormatRules;

/// Number of significant digits of the larger value that a difference keeps. A number of 64 bits
/// has 15 to 17.
const SIGNIFICANT_DIGITS: i32 = 13;

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

#[cfg(test)]
mod tests {
    use super::*;

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
