//! Formats of the changes of a scorecard.

use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::differences;
use crate::format::{FormatRules, NumberFormat};
use crate::unit_texts;

use crate::unit_texts::add_unit;

/// Unit of a computed change of values that are percentages: percentage points.
const PERCENTAGE_POINTS: &str = "pp";
/// Units of percentages in records, in lower case.
const PERCENT_UNITS: [&str; 4] = ["%", "percent", "per cent", "prozent"];
/// Percentages beyond this limit compare with a previous value that is almost 0.
const MAX_PERCENT: f64 = 1e6;

/// Format of the changes of all records.
pub struct ChangeFormat {
    /// Rules of the column.
    rules: FormatRules,
    /// Common format with the same number of decimals for all changes. None if their units differ.
    common: Option<NumberFormat>,
    /// Whether changes are computed from previous values, because no record has a change.
    is_computed: bool,
    /// Whether the rules of the values say that they are percentages.
    has_percentages: bool,
}

impl ChangeFormat {
    /// Creates the format of the changes of a chart.
    ///
    /// If no record has a change, the changes are those from the previous value to the value: a percentage
    /// of the previous value, or percentage points if the values are percentages. Percentages have at most
    /// one decimal, unless the rules of the column say otherwise.
    pub fn new(chart: &Chart) -> Self {
        let value_rules = chart.format_rules("value");
        let mut format = Self {
            rules: chart.format_rules("change"),
            common: None,
            is_computed: chart.data.iter().all(|record| read_given_change(record).is_none()),
            has_percentages: value_rules.percent || value_rules.suffix.contains('%'),
        };
        let changes: Vec<(f64, &str)> =
            chart.data.iter().filter_map(|record| format.read_change(record)).collect();
        if format.is_computed {
            let rules = &mut format.rules;
            (rules.percent, rules.prefix, rules.suffix) = (false, String::new(), String::new());
            let has_percent = changes.iter().any(|(_, unit)| *unit == "%");
            let needs_decimal =
                changes.iter().any(|(change, _)| (change * 10.0).round() % 10.0 != 0.0);
            let decimals = rules.decimals.or(has_percent.then_some(usize::from(needs_decimal)));
            rules.decimals = decimals;
        }
        let first = changes.first().map(|(_, unit)| *unit);
        if changes.iter().all(|(_, unit)| Some(*unit) == first) {
            let numbers = changes.iter().map(|(change, _)| *change);
            format.common = Some(NumberFormat::for_values(numbers, &format.rules, chart.locale()));
        }
        format
    }

    /// Returns the change of a record with its text, which begins with a sign and ends with the unit.
    /// None if the record has no change.
    pub fn read(&self, chart: &Chart, record: &Value) -> Option<(f64, String)> {
        let (change, own_unit) = self.read_change(record)?;
        let has_unit_rule =
            self.rules.percent || !self.rules.prefix.is_empty() || !self.rules.suffix.is_empty();
        let text = match &self.common {
            Some(format) if has_unit_rule || own_unit.is_empty() => format.signed_text(change),
            Some(format) => add_unit(&format.signed_text(change), own_unit, chart.locale()),
            None => {
                let mut rules = self.rules.clone();
                if !own_unit.is_empty() {
                    rules.percent = false;
                    rules.prefix.clear();
                    rules.suffix.clear();
                }
                let format =
                    NumberFormat::for_values(std::iter::once(change), &rules, chart.locale());
                add_unit(&format.signed_text(change), own_unit, chart.locale())
            }
        };
        Some((change, text))
    }

    /// Returns the change of a record with its unit, which is empty without one. None if the record has no
    /// change.
    fn read_change<'a>(&self, record: &'a Value) -> Option<(f64, &'a str)> {
        match self.is_computed {
            true => self.compute_change(record),
            false => Some((read_given_change(record)?, read_unit(record))),
        }
    }

    /// Computes the change of a record from its previous value, with its unit. None without one of both
    /// values, and if a percentage of the previous value has no meaning, because that is not positive or
    /// almost 0.
    fn compute_change(&self, record: &Value) -> Option<(f64, &'static str)> {
        let number = |key: &str| data::number(data::field(record, key));
        let (value, previous) = (number("value")?, number("previous")?);
        let difference = differences::subtract(previous, value);
        let unit = data::display_text(data::field(record, "unit")).trim().to_lowercase();
        if self.has_percentages || PERCENT_UNITS.contains(&unit.as_str()) {
            return Some((difference, PERCENTAGE_POINTS));
        }
        let percent = difference / previous * 100.0;
        (previous > 0.0 && percent.abs() < MAX_PERCENT).then_some((percent, "%"))
    }
}

/// Returns the number in the column of changes. None if the record has none.
fn read_given_change(record: &Value) -> Option<f64> {
    data::number(data::field(record, "change"))
}

/// Returns the unit in the text of the change of a record. Empty without one.
fn read_unit(record: &Value) -> &str {
    record[unit_texts::CHANGE_UNIT_KEY].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the texts of a scorecard with these changes.
    fn draw_changes(changes: &[Value]) -> Vec<String> {
        let record =
            |change: &Value| json!({"label": "A", "value": 5, "unit": "%", "change": change});
        let records: Vec<Value> = changes.iter().map(record).collect();
        let scene = crate::draw(&Chart::new(crate::find_kind("scorecard").unwrap(), &records));
        assert_eq!(scene.warnings, [""; 0]);
        scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
    }

    /// Returns the texts of a scorecard with these records.
    fn draw_records(records: &[Value]) -> Vec<String> {
        let scene = crate::draw(&Chart::new(crate::find_kind("scorecard").unwrap(), records));
        scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
    }

    #[test]
    fn changes_follow_from_previous_values() {
        let texts = draw_records(&[
            json!({"label": "Sales", "value": 1284, "previous": 1201}),
            json!({"label": "Cost", "value": "€450", "previous": "€500"}),
            json!({"label": "Margin", "value": "11.4 %", "previous": "10.6 %"}),
            json!({"label": "Returns", "value": 0, "previous": 4, "unit": "%"}),
            json!({"label": "New", "value": 5, "previous": 0}),
            json!({"label": "Profit", "value": 5, "previous": -2}),
            json!({"label": "Orders", "value": 7, "previous": null}),
        ]);
        let changes = texts.iter().filter(|text| text.starts_with(['+', '\u{2212}']));
        let changes: Vec<&str> = changes.map(String::as_str).collect();
        assert_eq!(
            changes,
            ["+6.9%", "\u{2212}10.0%", "+0.8\u{a0}pp", "\u{2212}4.0\u{a0}pp"],
            "{texts:?}"
        );
        assert!(texts.iter().any(|text| text == "€450"), "{texts:?}");
        let texts = draw_records(&[json!({"label": "A", "value": 3, "previous": 2})]);
        assert!(texts.iter().any(|text| text == "+50%"), "{texts:?}");
    }

    #[test]
    fn previous_values_do_not_replace_changes() {
        let texts = draw_records(&[
            json!({"label": "A", "value": 3, "previous": 2, "change": "+1 pp"}),
            json!({"label": "B", "value": 5, "previous": 4}),
        ]);
        assert!(texts.iter().any(|text| text == "+1\u{a0}pp"), "{texts:?}");
        assert!(!texts.iter().any(|text| text.contains('%')), "{texts:?}");
    }

    #[test]
    fn changes_keep_their_different_units() {
        let changes = ["+7.7%", "+0.3 pp", "-3", "0", "-€5", "+$12"];
        let texts = draw_changes(&changes.map(Value::from));
        for wanted in ["+7.7%", "+0.3\u{a0}pp", "\u{2212}3", "0", "\u{2212}€5", "+$12"] {
            assert!(texts.iter().any(|text| text == wanted), "{wanted}: {texts:?}");
        }
    }

    #[test]
    fn changes_with_a_common_unit_have_equal_decimals() {
        let texts = draw_changes(&[json!("+7%"), json!("-1.5%")]);
        assert!(texts.iter().any(|text| text == "+7.0%"), "{texts:?}");
        assert!(texts.iter().any(|text| text == "\u{2212}1.5%"), "{texts:?}");
        let texts = draw_changes(&[json!(7), json!(-1.5)]);
        assert!(texts.iter().any(|text| text == "+7.0"), "{texts:?}");
    }
}
