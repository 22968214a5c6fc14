//! Units of the figures and changes of a scorecard.

use crate::format::Locale;

/// Returns the formatted number with its unit. A unit other than a percent sign follows a no-break
/// space. An empty unit adds nothing.
///
/// In locales in which a percent sign follows the digits without a space, as in English, currency signs
/// at the start of the unit are put before the digits, after a sign.
pub fn add_unit(number: &str, unit: &str, locale: Locale) -> String {
    let suffix = unit.trim_start_matches(['€', '$', '£', '¥']);
    let currency = unit.get(..unit.len() - suffix.len()).unwrap_or("");
    let percent_separator = locale.percent_separator;
    if !currency.is_empty() && percent_separator.is_empty() {
        // Before the sign may be a direction mark.
        let signs = ['\u{2212}', '+'];
        let digits = number.rsplit_once(signs).map_or(number, |(_, digits)| digits);
        let sign = number.strip_suffix(digits).unwrap_or_default();
        return format!("{sign}{currency}{digits}{suffix}");
    }
    let space = match unit {
        "" => "",
        unit if unit.starts_with('%') => percent_separator,
        _ => "\u{a0}",
    };
    format!("{number}{space}{}", locale.localize_unit(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currency_signs_precede_digits_and_other_units_follow() {
        let english = |number, unit| add_unit(number, unit, Locale::parse("en"));
        assert_eq!(english("\u{2212}5", "€"), "\u{2212}€5");
        assert_eq!(english("4.2", "€m"), "€4.2m");
        assert_eq!(english("12", "%"), "12%");
        assert_eq!(english("3", "days"), "3\u{a0}days");
        assert_eq!(english("3", ""), "3");
        let german = |number, unit| add_unit(number, unit, Locale::parse("de"));
        assert_eq!(german("4,2 Mio.", "€"), "4,2 Mio.\u{a0}€");
        assert_eq!(german("12", "%"), "12\u{a0}%");
    }
}
