//! Decides whether the rows of a bullet chart share a scale.

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::FormatRules;
use crate::number_text::NumberUnit;

/// Data columns of the quality bands, lowest band first.
pub const BAND_KEYS: [&str; 3] = ["band1", "band2", "band3"];
/// Ratio of the largest numbers of two rows from which rows have their own scales. The bar of the
/// smaller one would be shorter than a fiftieth of the plot.
const MIN_RATIO: f64 = 50.0;
/// Minimum length of the scale of a row as a multiple of its largest number.
const MIN_HEADROOM: f64 = 1.02;
/// Number of steps of a scale for its round end. With more, the end is closer to the data and less round.
const STEP_COUNT: usize = 8;

/// Returns the number format of values, targets and bands, which have a common axis.
pub fn read_shared_rules(chart: &Chart) -> FormatRules {
    chart.shared_format_rules(["value", "target"].into_iter().chain(BAND_KEYS))
}

/// Returns whether each row has its own scale, by the setting `scale`.
///
/// Without the setting, rows have their own scales if their units differ, because a common scale
/// would compare dollars with days. They also have them if the numbers of a row would be invisible
/// on a common scale, unless all numbers have the same unit, so that readers compare them, or the
/// settings have ends or a scale for the axis.
pub fn has_own_scales(chart: &Chart) -> bool {
    let with_value = |record: &&Value| data::number(data::field(record, "value")).is_some();
    let mut units = chart.data.iter().filter(with_value).map(find_unit);
    let first = units.next().unwrap_or_default();
    match chart.str_setting("scale") {
        "own" => true,
        "common" => false,
        _ if units.any(|unit| unit != first) => true,
        _ => first.is_empty() && !has_shared_axis(chart) && differ_in_magnitude(chart),
    }
}

/// Returns the ends of the scale of a row with its own scale, with zero included.
///
/// The scale ends exactly at the outermost end of the bands, which the author chose. A value or a target
/// beyond the bands gets a round end with some space, because a bar that fills its row would look cut off
/// or complete. If `is_share`, a scale of numbers up to 100 % ends there at most, because many shares cannot
/// exceed it.
pub fn find_ends(
    numbers: impl Iterator<Item = f64>,
    bands: &[f64],
    rules: &FormatRules,
    is_share: bool,
) -> (f64, f64) {
    let (low, high) =
        numbers.fold((0.0_f64, 0.0_f64), |(low, high), number| (low.min(number), high.max(number)));
    let (band_low, band_high) = bands
        .iter()
        .fold((0.0_f64, 0.0_f64), |(low, high), band| (low.min(*band), high.max(*band)));
    let needed = (low.min(band_low) * MIN_HEADROOM, high.max(band_high) * MIN_HEADROOM);
    if needed.0 >= needed.1 {
        return (low, high);
    }
    let (round, _) = rules.round_ticks(needed.0, needed.1, STEP_COUNT);
    let round_high = if is_share && high <= 100.0 { round.1.min(100.0) } else { round.1 };
    let start = if low < band_low { round.0 } else { band_low };
    (start, if high > band_high { round_high } else { band_high })
}

/// Returns the unit of a record, from its own field or from parentheses at the end of its name, such
/// as `Revenue (€)`. Empty without a unit.
fn find_unit(record: &Value) -> Cow<'_, str> {
    let unit = data::display_text(data::field(record, "unit"));
    if !unit.is_empty() {
        return unit;
    }
    let label = data::record_label(record);
    let in_parentheses =
        label.trim_end().strip_suffix(')').and_then(|label| Some(label.rsplit_once('(')?.1));
    let unit = in_parentheses.and_then(|unit| NumberUnit::find(&format!("1 {unit}")));
    Cow::Owned(unit.map_or(String::new(), |unit| unit.text))
}

/// Returns whether the settings have a unit for all numbers, or ends or a scale for the value axis.
fn has_shared_axis(chart: &Chart) -> bool {
    let rules = read_shared_rules(chart);
    let axis = chart.setting("axis");
    let has_axis_settings = ["min", "max", "scale"].iter().any(|key| !axis[*key].is_null());
    has_axis_settings || rules.percent || !(rules.prefix.is_empty() && rules.suffix.is_empty())
}

/// Returns whether the largest numbers of two rows have at least the ratio `MIN_RATIO`. Rows with
/// zeros only do not count.
fn differ_in_magnitude(chart: &Chart) -> bool {
    let magnitude = |record: &Value| {
        let numbers = ["value", "target"].iter().chain(&BAND_KEYS);
        let numbers = numbers.filter_map(|key| data::number(data::field(record, key)));
        numbers.map(f64::abs).fold(0.0, f64::max)
    };
    let magnitudes = chart.data.iter().map(magnitude).filter(|magnitude| *magnitude > 0.0);
    let (low, high) = magnitudes
        .fold((f64::INFINITY, 0.0_f64), |(low, high), size| (low.min(size), high.max(size)));
    high >= low * MIN_RATIO
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::bullet::KIND;

    fn row(label: &str, value: f64, target: f64) -> Value {
        json!({ "label": label, "value": value, "target": target })
    }

    #[test]
    fn a_row_ends_at_a_round_number_beyond_its_data() {
        let check = |numbers: [f64; 2], bands: &[f64], is_share: bool, expected: (f64, f64)| {
            let rules = FormatRules::default();
            let ends = find_ends(numbers.into_iter(), bands, &rules, is_share);
            assert_eq!(ends, expected, "{numbers:?} {bands:?}");
        };
        check([1_240_500.0, 1_100_000.0], &[], false, (0.0, 1_400_000.0));
        check([41.3, 45.0], &[], true, (0.0, 50.0));
        check([100.0, 95.0], &[], true, (0.0, 100.0));
        check([-5.0, -2.0], &[], false, (-6.0, 0.0));
        check([80.0, 90.0], &[50.0, 95.0], false, (0.0, 95.0));
        check([110.0, 90.0], &[50.0, 95.0], false, (0.0, 120.0));
        check([0.0, 0.0], &[], false, (0.0, 0.0));
    }

    #[test]
    fn rows_that_do_not_fit_on_one_axis_have_own_scales() {
        let check = |records: &[Value], settings: Value, expected: bool| {
            let chart = Chart { settings: &settings, ..Chart::new(&KIND, records) };
            assert_eq!(has_own_scales(&chart), expected, "{records:?} {settings}");
        };
        let records = [row("Revenue", 12.5e6, 14e6), row("Satisfaction", 78.0, 85.0)];
        check(&records, json!({}), true);
        check(&records, json!({ "scale": "common" }), false);
        check(&records, json!({ "axis": { "max": 2e7 } }), false);
        let euros = json!({ "rulesets": { "value": { "suffix": " €" } } });
        check(&records, euros, false);
        let records = [row("North", 120.0, 100.0), row("South", 1.0, 60.0)];
        check(&records, json!({}), false);
        let records = [row("Revenue (k€)", 540.0, 600.0), row("Satisfaction (%)", 78.0, 85.0)];
        check(&records, json!({}), true);
        let records = [row("Berlin (DE)", 540.0, 600.0), row("Paris (FR)", 78.0, 85.0)];
        check(&records, json!({}), false);
    }
}
