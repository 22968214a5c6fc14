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
