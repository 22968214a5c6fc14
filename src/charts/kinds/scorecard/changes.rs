//! Formats of the changes of a scorecard.

use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::{FormatRules, NumberFormat};
use crate::unit_texts;

use crate::unit_texts::add_unit;

/// Format of the changes of all records.
pub struct ChangeFormat {
    /// Rules of the column.
    rules: FormatRules,
    /// Common format with the same number of decimals for all changes. None if their units differ.
    common: Option<NumberFormat>,
}

impl ChangeFormat {
    /// Creates the format of the changes of a chart.
    pub fn new(chart: &Chart) -> Self {
        let rules = chart.format_rules("change");
        let changes =
            || chart.data.iter().filter_map(|record| Some((record, read_change(record)?)));
        let mut units = changes().map(|(record, _)| read_unit(record));
        let first = units.next();
        let is_common = units.all(|unit| Some(unit) == first);
        let format = || {
            NumberFormat::for_values(changes().map(|(_, change)| change), &rules, chart.locale())
        };
        Self { common: is_common.then(format), rules }
    }

    /// Returns the change of a record with its text, which begins with a sign and ends with the unit.
    /// None if the record has no change.
    pub fn read(&self, chart: &Chart, record: &Value) -> Option<(f64, String)> {
        let change = read_change(record)?;
        let own_unit = read_unit(record);
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
}

/// Returns the change of a record. None if it has none.
fn read_change(record: &Value) -> Option<f64> {
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
