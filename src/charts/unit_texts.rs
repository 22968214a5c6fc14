//! Units in the values of a scorecard or a bullet chart and in the changes of a scorecard, such as `99.9 %`,
//! `340 ms` and `+0.3 pp`, each of which may differ.

use std::borrow::Cow;

use serde_json::Value;

use crate::data;
use crate::format::Locale;
use crate::number_text::NumberUnit;

/// Kinds with a unit in each record.
const KINDS: [&str; 2] = ["scorecard", "bullet"];

/// Keys of the figures that have the unit of their record.
const KEYS: [&str; 6] = ["value", "target", "previous", "band1", "band2", "band3"];

/// Field that [`split_units`] adds to a record without one of its figures, because that has another unit
/// than the value.
pub(crate) const OTHER_UNIT_KEY: &str = "hasOtherUnit";

/// Field that [`split_units`] adds to a record with the unit of its change.
pub(crate) const CHANGE_UNIT_KEY: &str = "changeUnit";

/// Adds the field `unit` to records that have none and a unit in the text of their value or, without
/// a value, of their target. Removes a unit after a number from all figures, and a figure with another unit.
/// Also moves the unit of a change to a field of its own. Records of other kinds than those of [`KINDS`] stay
/// unchanged.
pub(crate) fn split_units<'a>(records: &'a [Value], slug: &str) -> Cow<'a, [Value]> {
    let has_units = |record| find_unit(record).is_some() || find_change_unit(record).is_some();
    if !KINDS.contains(&slug) || !records.iter().any(has_units) {
        return Cow::Borrowed(records);
    }
    let mut replaced = records.to_vec();
    for record in &mut replaced {
        split_change(record);
        let (Some(unit), Some(fields)) = (find_unit(record), record.as_object_mut()) else {
            continue;
        };
        for key in KEYS {
            let text = fields.get(key).and_then(Value::as_str).map(str::trim);
            let own = text.and_then(NumberUnit::find).map(|own| own.text.trim().to_owned());
            if own.as_ref().is_some_and(|own| *own != unit) {
                fields.insert(key.to_owned(), Value::Null);
                fields.insert(OTHER_UNIT_KEY.to_owned(), Value::from(true));
                continue;
            }
            // Numbers with different units of measure would not be numbers of one column.
            let Some((text, number)) =
                text.and_then(|text| Some((text, text.strip_suffix(unit.as_str())?.trim_end())))
            else {
                continue;
            };
            // Without its unit, `12.5 m€` would not be a number.
            let number = match (data::parse_number(number), data::parse_number(text)) {
                (None, Some(value)) => Value::from(value),
                _ => Value::from(number),
            };
            fields.insert(key.to_owned(), number);
        }
        fields.insert("unit".to_owned(), Value::from(unit));
    }
    Cow::Owned(replaced)
}

/// Moves the unit of the change to the field [`CHANGE_UNIT_KEY`]. Does nothing without a unit.
fn split_change(record: &mut Value) {
    let Some((number, unit)) = find_change_unit(record) else { return };
    if let Some(fields) = record.as_object_mut() {
        fields.insert("change".to_owned(), Value::from(number));
        fields.insert(CHANGE_UNIT_KEY.to_owned(), Value::from(unit));
    }
}

/// Returns the text of the change without a unit at its end, and the unit. None if the text is not a
/// number with a unit.
fn find_change_unit(record: &Value) -> Option<(String, String)> {
    let text = data::field(record, "change").as_str()?.trim();
    let unit = NumberUnit::find(text)?.text.trim().to_owned();
    let number = text.strip_suffix(unit.as_str()).unwrap_or(text).trim_end();
    data::parse_number(number).map(|_| (number.to_owned(), unit))
}

/// Returns the unit in the text of the value or, without a value, of the next figure. None if the record
/// has a field `unit`, or the text is not a number with a unit.
fn find_unit(record: &Value) -> Option<String> {
    if !data::display_text(data::field(record, "unit")).trim().is_empty() {
        return None;
    }
    // The unit of a target says nothing about a value without one.
    let fields = KEYS.map(|key| data::field(record, key));
    let text = fields.into_iter().find(|field| !field.is_null())?.as_str()?.trim();
    let unit = NumberUnit::find(text)?.text.trim().to_owned();
    let number = text.strip_suffix(unit.as_str()).unwrap_or(text);
    data::parse_number(number).or_else(|| data::parse_number(text)).map(|_| unit)
}

/// Returns the formatted number with its unit. A unit other than a percent sign follows a no-break
/// space. An empty unit adds nothing.
///
/// In locales in which a percent sign follows the digits without a space, as in English, currency signs
/// at the start of the unit are put before the digits, after a sign.
pub(crate) fn add_unit(number: &str, unit: &str, locale: Locale) -> String {
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
    use serde_json::json;

    use super::*;
    use crate::Chart;

    #[test]
    fn each_figure_of_a_scorecard_has_its_unit() {
        let records = [
            json!({ "label": "Availability", "value": "99.97 %" }),
            json!({ "label": "Response", "value": "340 ms", "target": "300 ms" }),
            json!({ "label": "Cost", "value": "€450" }),
            json!({ "label": "Tickets", "value": 17 }),
            json!({ "label": "Weight", "value": "5", "unit": "t" }),
        ];
        let chart = Chart::new(crate::find_kind("scorecard").unwrap(), &records);
        let scene = crate::draw(&chart);
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for text in ["99.97%", "340\u{a0}ms", "Target 300\u{a0}ms", "€450", "17", "5\u{a0}t"] {
            assert!(texts.contains(&text), "{text}: {texts:?}");
        }
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
        let records = [json!({ "label": "Latency", "value": "1.5 s", "target": "800 ms" })];
        let scene = crate::draw(&Chart::new(crate::find_kind("scorecard").unwrap(), &records));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(texts.contains(&"1.5\u{a0}s"), "{texts:?}");
        assert!(!texts.iter().any(|text| text.contains("800")), "{texts:?}");
        assert_eq!(scene.warnings, ["Missing values: 1."]);
        assert!(matches!(split_units(&records, "bar"), Cow::Borrowed(_)));
    }

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
