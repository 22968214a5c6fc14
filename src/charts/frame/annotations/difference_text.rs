//! Labels of differences between two values.

use crate::differences;
use crate::format::{FormatRules, Locale, NumberFormat};
use crate::style::DifferenceDisplay;

/// Unit of differences of percentages: percentage points, in the international notation.
const PERCENTAGE_POINTS: &str = "\u{a0}pp";
/// Percentages and factors below this magnitude have a decimal.
const MAX_WITH_DECIMAL: f64 = 10.0;

/// Returns the label of the difference from one value to another. `rules` is the number format of the
/// values, and `is_share` states that they are percentages whatever the rules say.
///
/// A percentage and a factor need a first value above zero and a second one that is not below zero.
/// Otherwise the label is the absolute difference. The change of a percentage has percentage points
/// instead of both numbers, because the percentage of a percentage would be mistaken for them.
pub fn format_difference(
    (from, to): (f64, f64),
    display: DifferenceDisplay,
    (rules, is_share): (&FormatRules, bool),
    locale: Locale,
) -> String {
    let is_share = is_share || rules.percent || rules.suffix.contains('%');
    let absolute = || format_absolute((from, to), rules, is_share, locale);
    if !has_ratio(from, to) {
        return absolute();
    }
    match display {
        DifferenceDisplay::Absolute => absolute(),
        DifferenceDisplay::Both if is_share => absolute(),
        DifferenceDisplay::Percent => format_percent(from, to, locale),
        DifferenceDisplay::Both => {
            let percent = format_percent(from, to, locale);
            format!("{percent}{}{}", locale.number_separator(), absolute())
        }
        DifferenceDisplay::Factor => {
            let factor = to / from;
            let format = NumberFormat::for_values(
                [factor].into_iter(),
                &FormatRules { decimals: Some(count_decimals(factor)), grouped: true, ..plain() },
                locale,
            );
            format!("×{}", format.text(factor))
        }
    }
}

/// Returns whether the ratio of two values has a meaning: the first is above zero and the second is
/// not below zero.
pub fn has_ratio(from: f64, to: f64) -> bool {
    from > 0.0 && to >= 0.0 && (to / from).is_finite()
}

/// Formats `to` - `from` with the prefix and suffix of the values, or in percentage points.
fn format_absolute(
    (from, to): (f64, f64),
    rules: &FormatRules,
    is_share: bool,
    locale: Locale,
) -> String {
    let difference = differences::subtract(from, to);
    let rules = match is_share {
        true => {
            FormatRules { suffix: PERCENTAGE_POINTS.to_owned(), percent: false, ..rules.clone() }
        }
        false => differences::difference_rules(rules),
    };
    NumberFormat::for_values([difference].into_iter(), &rules, locale).signed_text(difference)
}

/// Formats the change from one value to another in percent of the first, which must be above zero.
fn format_percent(from: f64, to: f64, locale: Locale) -> String {
    let percent = differences::subtract(from, to) / from * 100.0;
    let decimals = Some(count_decimals(percent));
    let rules = FormatRules { percent: true, decimals, grouped: true, ..plain() };
    NumberFormat::for_values([percent].into_iter(), &rules, locale).signed_text(percent)
}

/// Returns 1 for a number below 10 that is not almost whole, otherwise 0.
fn count_decimals(number: f64) -> usize {
    let is_whole = (number - number.round()).abs() < 0.05;
    usize::from(number.abs() < MAX_WITH_DECIMAL && !is_whole)
}

/// Returns the rules of numbers without a unit.
fn plain() -> FormatRules {
    FormatRules::default()
}

#[cfg(test)]
mod tests {
    use DifferenceDisplay::{Absolute, Both, Factor, Percent};

    use super::*;

    fn label(values: (f64, f64), display: DifferenceDisplay, tag: &str) -> String {
        let rules =
            FormatRules { suffix: " €".to_owned(), grouped: true, ..FormatRules::default() };
        format_difference(values, display, (&rules, false), Locale::parse(tag))
    }

    #[test]
    fn labels_have_the_unit_and_the_notation_of_the_language() {
        assert_eq!(label((28.0, 31.4), Both, "en"), "+12% · +3.40 €");
        assert_eq!(label((28.0, 31.4), Both, "de"), "+12\u{a0}% · +3,40 €");
        assert_eq!(label((1200.0, 300.0), Absolute, "de"), "−900 €");
        assert_eq!(label((1200.0, 300.0), Percent, "en"), "−75%");
        assert_eq!(label((200.0, 500.0), Factor, "de"), "×2,5");
        assert_eq!(label((0.1, 0.3), Both, "en"), "+200% · +0.20 €");
        assert_eq!(label((5.0, 5.0), Both, "en"), "0% · 0 €");
        assert_eq!(label((4.0, 0.0), Both, "en"), "−100% · −4 €");
    }

    #[test]
    fn ratios_without_a_meaning_are_left_out() {
        for values in [(0.0, 3.0), (-2.0, 1.0), (-2.0, -5.0)] {
            let difference = label(values, Absolute, "en");
            for display in [Both, Percent, Factor] {
                assert_eq!(label(values, display, "en"), difference);
            }
        }
        assert_eq!(label((5.0, -5.0), Both, "en"), "−10 €");
    }

    #[test]
    fn small_changes_are_not_zero_and_percentages_change_by_points() {
        assert_eq!(label((100_000.0, 100_030.0), Percent, "en"), "+0.03%");
        let share = FormatRules { percent: true, ..FormatRules::default() };
        let format = |display| {
            format_difference((40.0, 43.4), display, (&share, false), Locale::parse("en"))
        };
        assert_eq!(format(Both), "+3.4\u{a0}pp");
        assert_eq!(format(Percent), "+8.5%");
        let rules = FormatRules { suffix: " %".to_owned(), ..FormatRules::default() };
        let text = format_difference((40.0, 43.4), Absolute, (&rules, false), Locale::parse("en"));
        assert_eq!(text, "+3.4\u{a0}pp");
    }
}
