//! Percentages of a whole. Each is rounded on its own, so that equal values are printed equal and
//! no printed share is wrong. A note says so where the printed shares do not add up to 100.

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{FormatRules, Omission};

/// Smallest percentage that is rounded. Smaller ones keep all their digits.
const MIN_ROUNDED_SHARE: f64 = 0.001;
/// Number of parts of a percent to which larger ones are rounded, so that 15.5 of
/// 100.00000000000001, the sum of numbers with one decimal, is 15.5 % and not less.
const SHARE_PRECISION: f64 = 1e9;

/// Maximum distance of the sum of rounded percentages to 100.
const MAX_ROUNDING_IN_PERCENT: f64 = 1.0;

/// Returns whether a total of percentages is about 100, so that they are the parts of a whole.
pub fn is_whole(total: f64) -> bool {
    (total - 100.0).abs() <= MAX_ROUNDING_IN_PERCENT
}

/// Returns the format rules of the values of the parts of a whole. Values without a unit are
/// percentages if the setting `valueTitle` says so, as in `Votes (%)`, and they add up to about 100:
/// their shares would repeat them with other decimals.
pub fn value_rules(chart: &Chart) -> FormatRules {
    let mut rules = chart.format_rules("value");
    let has_unit = rules.percent || !rules.prefix.is_empty() || !rules.suffix.is_empty();
    let name = chart.str_setting("valueTitle").to_lowercase();
    if !has_unit && ["%", "percent", "prozent"].iter().any(|word| name.contains(word)) {
        let values =
            chart.data.iter().filter_map(|record| data::number(data::field(record, "value")));
        rules.percent = is_whole(values.filter(|value| *value > 0.0).sum());
    }
    rules
}

/// Returns the values as percentages (0 to 100) of their sum, rounded to a billionth of a percent against
/// binary rounding errors, except very small ones. All are 0 if the sum is not positive or not finite. The
/// values must not be negative.
pub fn shares(values: &[f64]) -> Vec<f64> {
    let total: f64 = values.iter().sum();
    if total <= 0.0 || !total.is_finite() {
        return vec![0.0; values.len()];
    }
    let round = |share: f64| match share < MIN_ROUNDED_SHARE {
        true => share,
        false => (share * SHARE_PRECISION).round() / SHARE_PRECISION,
    };
    values.iter().map(|value| round(value / total * 100.0)).collect()
}

/// Adds the omission `Rounding` to the scene, which becomes a note, if shares that are percentages and are
/// printed with `decimals` do not add up to 100.
///
/// Shares that would be rounded to 0 or 100 count in full, because they are printed with more
/// decimals.
pub fn note_rounding(shares: &[f64], decimals: usize, scene: &mut Scene) {
    let unit = 10f64.powi(decimals.min(9) as i32);
    let round = |share: &f64| match (share * unit).round() {
        0.0 => share * unit,
        units if units >= 100.0 * unit => share * unit,
        units => units,
    };
    let sum: f64 = shares.iter().map(round).sum();
    // Shares without a sum are those of an empty whole.
    if sum > 0.0 && (sum - 100.0 * unit).abs() >= 0.5 {
        scene.omit(Omission::Rounding, 1);
    }
}

/// Returns for each value its number of `count` equal marks, divided among the values in proportion (largest
/// remainder method). Of equal remainders, the first values get the marks.
///
/// Returns zeros if the sum is not positive or not finite. The values must not be negative.
pub fn distribute(values: &[f64], count: usize) -> Vec<usize> {
    let exact: Vec<f64> =
        shares(values).into_iter().map(|share| share / 100.0 * count as f64).collect();
    let mut marks: Vec<usize> = exact.iter().map(|share| share.floor() as usize).collect();
    let total: f64 = exact.iter().sum();
    let missing = (total.round() as usize).saturating_sub(marks.iter().sum());
    let mut order: Vec<(usize, f64)> =
        exact.iter().map(|share| share.fract()).enumerate().collect();
    order.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    for (index, _) in order.into_iter().take(missing) {
        marks.get_mut(index).into_iter().for_each(|count| *count += 1);
    }
    marks
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::color;

    #[test]
    fn equal_values_have_equal_shares() {
        assert_eq!(shares(&[1.0, 1.0, 2.0]), [25.0, 25.0, 50.0]);
        let thirds = shares(&[7.0, 7.0, 7.0]);
        assert!(thirds.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(shares(&[0.0, 0.0]), [0.0, 0.0]);
        // The sum is 100.00000000000001.
        let votes = [35.2, 28.1, 15.5, 11.7, 9.5];
        assert_eq!(shares(&votes), votes);
        assert!(shares(&[1e-12, 1.0])[0] > 0.0);
    }

    #[test]
    fn a_note_appears_if_the_printed_shares_do_not_add_up() {
        let has_note = |values: &[f64], decimals| {
            let mut scene = Scene::new(720.0, 405.0, color::WHITE);
            note_rounding(&shares(values), decimals, &mut scene);
            !scene.omissions.is_empty()
        };
        assert!(has_note(&[1.0, 1.0, 1.0], 0));
        assert!(has_note(&[1.0, 1.0, 1.0], 1));
        assert!(!has_note(&[2.0, 1.0], 0));
        assert!(!has_note(&[0.001, 99.999], 0));
        assert!(!has_note(&[0.0, 0.0], 0));
    }

    #[test]
    fn percentages_of_a_whole_are_not_repeated_as_shares() {
        let draw = |title: &str, last: f64| {
            let settings = json!({"valueTitle": title});
            let values = [("A", 28.5), ("B", 40.6), ("C", last)];
            let data = values.map(|(name, value)| json!({"label": name, "value": value}));
            let kind = crate::find_kind("pie").unwrap();
            let chart = Chart { settings: &settings, ..Chart::new(kind, &data) };
            let scene = crate::draw(&chart);
            scene.text_boxes().map(|(text, _)| text.to_owned()).collect::<Vec<String>>().join("|")
        };
        let votes = draw("Votes (%)", 30.9);
        assert!(votes.contains("28.5%") && !votes.contains('·'), "{votes}");
        assert!(draw("Anteil in Prozent", 30.9).contains("28.5%"));
        // Values in percent that are no parts of a whole have shares.
        assert!(draw("Growth (%)", 12.0).contains("28.5 · 35%"));
        assert!(draw("Votes", 30.9).contains("28.5 · 29%"));
    }

    #[test]
    fn marks_add_up_to_their_count() {
        assert_eq!(distribute(&[1.0, 1.0, 1.0], 100), [34, 33, 33]);
        assert_eq!(distribute(&[2.0, 1.0], 100), [67, 33]);
        assert_eq!(distribute(&[0.0, 0.0], 100), [0, 0]);
    }
}
