//! Rule sets of columns that follow from a table: units of numbers, and plus signs.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use chartroom_charts::number_text::NumberUnit;

/// Rule of a column whether positive numbers have a plus sign.
const PLUS_SIGN: &str = "plusSign";

/// Adds `units` to the rule sets of columns without a unit, and plus signs to those of the columns `signed`
/// without a choice of the user. Removes those of an earlier table, which `earlier` has by the key of the
/// column, and rule sets that become empty by that. Returns the units and signs from this table in the same
/// form.
pub fn update(
    rule_sets: &mut Map<String, Value>,
    earlier: &Value,
    units: &[(String, NumberUnit)],
    signed: &[String],
) -> Map<String, Value> {
    remove_units(rule_sets, earlier);
    let mut set = Map::new();
    for (key, unit) in units {
        let rules = rule_sets.entry(key.clone()).or_insert_with(|| json!({}));
        let has_unit = ["prefix", "suffix"]
            .iter()
            .any(|name| rules[name].as_str().is_some_and(|text| !text.is_empty()))
            || rules["displayAsPercentage"] == true;
        if let (false, Some(rules)) = (has_unit, rules.as_object_mut()) {
            let (name, value) = match (unit.is_prefix, unit.text.trim_start()) {
                (true, _) => ("prefix", Value::from(unit.text.as_str())),
                (false, "%") => ("displayAsPercentage", Value::from(true)),
                (false, _) => ("suffix", Value::from(unit.text.as_str())),
            };
            set.insert(key.clone(), json!({ name: value.clone() }));
            rules.insert(name.to_owned(), value);
        }
    }
    add_plus_signs(signed, rule_sets, &mut set);
    let is_emptied = |key: &String, rules: &Value| {
        rules.as_object().is_some_and(Map::is_empty) && earlier.get(key).is_some()
    };
    rule_sets.retain(|key, rules| !is_emptied(key, rules));
    set
}

/// Removes the units of an earlier table from the rule sets, except those changed since. Both have the
/// rules of each column by its key. A rule set that becomes empty stays.
fn remove_units(rule_sets: &mut Map<String, Value>, earlier: &Value) {
    for (key, unit) in earlier.as_object().into_iter().flatten() {
        let Some(rules) = rule_sets.get_mut(key).and_then(Value::as_object_mut) else { continue };
        for (name, value) in unit.as_object().into_iter().flatten() {
            if rules.get(name) == Some(value) {
                rules.shift_remove(name);
            }
        }
    }
}

/// Adds plus signs to the rule sets of the columns with these keys, unless their rules have a choice
/// already. Adds the same rules to `set`.
fn add_plus_signs(
    keys: &[String],
    rule_sets: &mut Map<String, Value>,
    set: &mut Map<String, Value>,
) {
    for key in keys {
        let rules = rule_sets.entry(key.clone()).or_insert_with(|| json!({}));
        if let Some(rules) = rules.as_object_mut().filter(|rules| !rules.contains_key(PLUS_SIGN)) {
            rules.insert(PLUS_SIGN.to_owned(), Value::from(true));
            set.entry(key.clone()).or_insert_with(|| json!({}))[PLUS_SIGN] = Value::from(true);
        }
    }
}
