//! Different units of the values that a chart adds up or compares on one scale.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::Omission;
use crate::number_text;

/// Kinds with one value or two comparable ones for each record, and one scale for all of them.
const KINDS: [&str; 23] = [
    "bar",
    "bar-mekko",
    "beeswarm",
    "box-plot",
    "donut",
    "dumbbell",
    "funnel",
    "half-donut",
    "histogram",
    "lollipop",
    "marimekko",
    "pareto",
    "parliament",
    "pictogram",
    "pie",
    "radial-bar",
    "sankey",
    "sunburst",
    "treemap",
    "variance",
    "waffle",
    "waterfall",
    "word-cloud",
];

/// Headings of columns of units and currencies, in lower case and without accents.
pub const UNIT_HEADINGS: [&str; 13] = [
    "currency",
    "devise",
    "einheit",
    "einheiten",
    "masseinheit",
    "mengeneinheit",
    "unidad",
    "unit",
    "unit of measure",
    "unite",
    "units",
    "uom",
    "wahrung",
];

/// Maximum number of different units. A column with more texts has something else, such as the numbers of
/// apartments.
const MAX_UNITS: usize = 50;

/// Keys of the values that the kinds show.
const VALUE_KEYS: [&str; 8] =
    ["value", "values", "seats", "width", "actual", "plan", "before", "after"];

/// Headings, in lower case, of targets that have the unit of the value before them.
const TARGET_KEYS: [&str; 7] = ["soll", "plan", "target", "ziel", "budget", "goal", "previous"];

/// Adds a note with the units of the records, if they have several, to a chart with one scale for all
/// values. The units are in a column with one of the [`UNIT_HEADINGS`] as key. Most tables with such a column have
/// one of them. Units of another column of numbers, and units beside values with a unit of their own, do not count.
pub(crate) fn report(chart: &Chart, scene: &mut Scene) {
    let rules = chart.format_rules("value");
    let has_own_unit = rules.percent || !rules.suffix.is_empty() || !rules.prefix.is_empty();
    if !KINDS.contains(&chart.kind.slug) || has_own_unit {
        return;
    }
    let has_series = chart.kind.slug == "marimekko";
    let mut texts: Vec<String> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    for fields in chart.data.iter().filter_map(Value::as_object) {
        let Some(text) = find_unit(fields, has_series).filter(|text| !text.is_empty()) else {
            continue;
        };
        if known.insert(text.clone()) {
            texts.push(text);
        }
        if texts.len() > MAX_UNITS {
            return;
        }
    }
    let units = list_units(texts);
    if units.len() > 1 {
        units.iter().for_each(|unit| scene.omit_named(Omission::MixedUnits, unit));
    }
}

/// Returns the different units among different texts. None of them if most texts are no known units, such as
/// the names of organizational units.
fn list_units(texts: Vec<String>) -> Vec<String> {
    let known_count = texts.iter().filter(|text| number_text::names_unit(text)).count();
    if known_count * 2 < texts.len() {
        return Vec::new();
    }
    let mut units: Vec<String> = Vec::new();
    for text in texts {
        if !units.iter().any(|other| other.to_lowercase() == text.to_lowercase()) {
            units.push(text);
        }
    }
    units
}

/// Returns the unit of the value of a record. None without a column of units, and if the numbers next to it
/// are not those that the chart shows. Of two equally near ones, the number before the unit counts.
fn find_unit(fields: &Map<String, Value>, has_series: bool) -> Option<String> {
    let (position, (_, unit)) = fields
        .iter()
        .enumerate()
        .find(|(_, (key, value))| value.is_string() && is_unit_key(key))?;
    let numbers =
        fields.iter().enumerate().filter(|(_, (_, value))| value.is_number() || value.is_array());
    let nearest = numbers.min_by_key(|(index, _)| (index.abs_diff(position), *index))?;
    let is_value = |key: &str| VALUE_KEYS.contains(&key);
    let before = |index: usize| fields.keys().nth(index.checked_sub(1)?);
    let is_target_of_value = || {
        let is_target = TARGET_KEYS.contains(&nearest.1.0.trim().to_lowercase().as_str());
        is_target && before(nearest.0).is_some_and(|key| is_value(key))
    };
    let is_shown = has_series || is_value(nearest.1.0) || is_target_of_value();
    is_shown.then(|| data::display_text(unit).trim().to_owned())
}

/// Returns whether a key is one of the [`UNIT_HEADINGS`], in any case and also with umlauts.
fn is_unit_key(key: &str) -> bool {
    let key = key.trim();
    // Few keys are as long as a heading of units.
    if !(3..=15).contains(&key.len()) {
        return false;
    }
    let folded = key.to_lowercase().replace('ä', "a").replace('é', "e").replace('ß', "ss");
    UNIT_HEADINGS.contains(&folded.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_with_different_units_are_noted_in_charts_with_one_scale() {
        let records = |key: &str, units: [&str; 3]| -> Vec<Value> {
            let record = |(index, unit): (usize, &str)| json!({"label": format!("Item {index}"), "seats": 3, "value": 5 + index, key: unit});
            units.into_iter().enumerate().map(record).collect()
        };
        let warnings = |slug: &str, data: &[Value]| {
            let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), data));
            let texts: Vec<String> = scene.text_boxes().map(|(text, _)| text.to_owned()).collect();
            let note = texts.iter().any(|text| text.contains("different units"));
            (scene.warnings.iter().any(|text| text.contains("different units")), note)
        };
        let mixed = records("Unit", ["kg", "EUR", "kg"]);
        for slug in ["pie", "donut", "half-donut", "waffle", "treemap", "sunburst", "pareto", "bar"]
        {
            assert_eq!(warnings(slug, &mixed), (true, true), "{slug}");
        }
        for key in ["Einheit", "Maßeinheit", "Währung", "unit"] {
            assert!(warnings("pie", &records(key, ["kg", "t", ""])).0, "{key}");
        }
        let scene = crate::draw(&Chart::new(crate::find_kind("pie").unwrap(), &mixed));
        assert_eq!(scene.warnings[0], "Values in different units: 2 (kg, EUR).");
        assert!(warnings("pie", &records("Unit", ["kg", "Stück", "l"])).0);
        for other in [
            records("Unit", ["kg", "KG ", ""]),
            records("Team", ["A", "B", "C"]),
            records("Unit", ["Vertrieb", "Controlling", "EMEA"]),
        ] {
            assert_eq!(warnings("pie", &other), (false, false), "{other:?}");
        }
        // A target has the unit of the value before it.
        let goals = ["%", "kg", "€"]
            .map(|unit| json!({"label": unit, "value": 4, "Soll": 5, "Einheit": unit}));
        assert_eq!(warnings("bar", &goals), (true, true));
        let plans = ["%", "kg", "€"]
            .map(|unit| json!({"label": unit, "actual": 4, "plan": 5, "Einheit": unit}));
        assert_eq!(warnings("variance", &plans), (true, true));
        // The units are those of the amounts, and the values are prices.
        let stock = [("Stk", 24, 2880), ("m", 310, 248), ("l", 40, 120)].map(|(unit, amount, price)| {
            json!({"label": unit, "Menge": amount, "Einheit": unit, "value": price})
        });
        assert_eq!(warnings("pie", &stock), (false, false));
        let settings = json!({"rulesets": {"value": {"suffix": " €"}}});
        let kind = crate::find_kind("pie").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &mixed) });
        assert_eq!(scene.warnings, [""; 0]);
        let many: Vec<Value> = (0..30_000)
            .map(|number| json!({"label": number, "value": 1, "Unit": format!("{number} m")}))
            .collect();
        assert!(list_units((0..40).map(|number| format!("W {number}")).collect()).len() > 1);
        assert_eq!(warnings("pie", &many), (false, false));
        // Each record has a unit of its own there.
        assert!(!warnings("bullet", &records("unit", ["kg", "EUR", "kg"])).0);
    }
}
