//! Tests of the hints of all kinds.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;

/// Calls `visit` with the path and the schema of each setting of a kind, also of nested members.
fn visit_settings<'s>(schema: &'s Value, prefix: &str, visit: &mut dyn FnMut(String, &'s Value)) {
    let members = schema.get("properties").and_then(Value::as_object);
    for (name, member) in members.into_iter().flatten() {
        let path = format!("{prefix}{name}");
        visit(path.clone(), member);
        visit_settings(member, &format!("{path}."), visit);
        if let Some(item) = member.get("items") {
            visit_settings(item, &format!("{path}[]."), visit);
        }
        if let Some(any_member) = member.get("additionalProperties").filter(|any| any.is_object()) {
            visit_settings(any_member, &format!("{path}.*."), visit);
        }
    }
}

/// Returns whether a value is valid for a setting.
fn is_valid(setting: &Value, value: &Value) -> bool {
    match setting.get("enum").and_then(Value::as_array) {
        Some(values) => values.contains(value),
        None => match setting["type"].as_str() {
            Some("boolean") => value.is_boolean(),
            Some("string") => value.is_string(),
            Some("number" | "integer") => value.is_number(),
            _ => false,
        },
    }
}

/// Adds the problems of a condition of a setting.
fn check_condition(kind: &KindInfo, path: &str, condition: &Condition, problems: &mut Vec<String>) {
    let mut report = |text: String| problems.push(format!("{} {path}: {text}", kind.slug));
    match condition {
        Condition::SettingIs(SettingIs { setting, values }) => {
            match find_setting(&kind.settings_schema, setting) {
                None => report(format!("there is no setting {setting}")),
                Some(schema) => {
                    for value in values.iter().filter(|value| !is_valid(schema, value)) {
                        report(format!("{setting} cannot be {value}"));
                    }
                }
            }
            if values.is_empty() || setting == path {
                report(format!("the condition on {setting} never changes"));
            }
        }
        Condition::SettingIsSet(SettingIsSet { setting, .. }) => {
            if find_setting(&kind.settings_schema, setting).is_none() {
                report(format!("there is no setting {setting}"));
            }
        }
        Condition::ColumnHasValues(ColumnHasValues { column, .. }) => {
            if !kind.columns.iter().any(|known| known.key == *column) {
                report(format!("there is no column {column}"));
            }
        }
        Condition::Any(AnyCondition { any }) => {
            any.iter().for_each(|part| check_condition(kind, path, part, problems));
        }
    }
}

/// Adds the problems of the label, section and choices of a setting.
fn check_setting(kind: &KindInfo, path: &str, setting: &Value, problems: &mut Vec<String>) {
    let mut report = |text: String| problems.push(format!("{} {path}: {text}", kind.slug));
    if setting["title"].as_str().is_none_or(str::is_empty) {
        report("no title".to_owned());
    }
    let name = path.split(['.', '[']).next().unwrap();
    let sections = kind.form.as_array().unwrap();
    let lists = |section: &&Value| section["settings"].as_array().unwrap().contains(&json!(name));
    let found: Vec<&Value> = sections.iter().filter(lists).collect();
    if found.len() != 1 || found[0]["title"].as_str().is_none_or(str::is_empty) {
        report(format!("{} sections", found.len()));
    }
    let values = setting.get("enum").and_then(Value::as_array);
    let values: BTreeSet<&str> = values.into_iter().flatten().filter_map(Value::as_str).collect();
    let choices = kind.ui.get(path).map(|hint| &hint.choices);
    let labelled: BTreeSet<&str> = choices.into_iter().flatten().map(|(key, _)| &**key).collect();
    if values != labelled {
        report(format!("the choices are {values:?}, the labels are {labelled:?}"));
    }
}

/// Adds the problems of a hint: unknown icons, columns and ranges.
fn check_hint(kind: &KindInfo, path: &str, hint: &SettingUi, problems: &mut Vec<String>) {
    let mut report = |text: String| problems.push(format!("{} {path}: {text}", kind.slug));
    let sprite = include_str!("../../../../assets/web/icons.svg");
    for choice in hint.choices.values() {
        let is_known = |icon: &String| sprite.contains(&format!("<symbol id=\"{icon}\""));
        if choice.label.is_empty() || !choice.icon.as_ref().is_none_or(is_known) {
            report(format!("label {:?}, icon {:?}", choice.label, choice.icon));
        }
    }
    let formatted = hint.formats.iter().flat_map(|card| &card.columns);
    for column in hint.keys_from.iter().chain(formatted) {
        let is_column =
            |known: &portfolio::Column| known.key == *column || (column == "*" && known.repeats);
        if !kind.columns.iter().any(is_column) {
            report(format!("there is no column {column}"));
        }
    }
    for rule in hint.formats.iter().flat_map(|card| &card.rules) {
        if find_setting(&kind.settings_schema, &format!("{path}.*.{rule}")).is_none() {
            report(format!("there is no rule {rule}"));
        }
    }
    if hint.step.is_some_and(|step| step <= 0.0) {
        report("step must be above zero".to_owned());
    }
    let setting = find_setting(&kind.settings_schema, path).unwrap();
    let limit = |own: Option<f64>, keyword: &str| own.or_else(|| setting.get(keyword)?.as_f64());
    if hint.control == Some(Control::Slider) {
        let range = limit(hint.minimum, "minimum").zip(limit(hint.maximum, "maximum"));
        if !range.is_some_and(|(minimum, maximum)| minimum < maximum) {
            report("a slider needs a range".to_owned());
        }
    }
    if !hint.suggestions.is_empty() && setting["type"] != "string" {
        report("only a text has suggestions".to_owned());
    }
}

#[test]
fn every_setting_has_a_label_a_section_and_words_for_its_choices() {
    let mut problems = Vec::new();
    let mut count = 0;
    for kind in portfolio::kinds() {
        visit_settings(&kind.settings_schema, "", &mut |path, setting| {
            count += 1;
            check_setting(kind, &path, setting, &mut problems);
        });
        for (path, hint) in &kind.ui {
            if find_setting(&kind.settings_schema, path).is_none() {
                problems.push(format!("{}: there is no setting {path}", kind.slug));
                continue;
            }
            check_hint(kind, path, hint, &mut problems);
            hint.show_if
                .iter()
                .for_each(|condition| check_condition(kind, path, condition, &mut problems));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 1000, "{count} settings");
}

#[test]
fn every_common_hint_is_used() {
    let common = COMMON_HINTS.as_ref().unwrap();
    for (path, hint) in common {
        let schemas = || {
            portfolio::kinds().iter().filter_map(|kind| find_setting(&kind.settings_schema, path))
        };
        assert!(schemas().count() > 1, "{path}: not common");
        assert!(hint.show_if.is_empty(), "{path}: a condition depends on the kind");
        for value in hint.choices.keys() {
            let is_choice = |schema: &Value| {
                schema["enum"].as_array().is_some_and(|values| values.contains(&json!(value)))
            };
            assert!(schemas().any(is_choice), "{path}: no kind has the choice {value}");
        }
    }
}

#[test]
fn unknown_members_are_errors() {
    let parse = |hint: Value| serde_json::from_value::<SettingUi>(hint);
    assert!(parse(json!({ "unit": "%", "show_if": [{ "setting": "a", "is": [true] }] })).is_ok());
    for hint in [
        json!({ "units": "%" }),
        json!({ "control": "wheel" }),
        json!({ "choices": { "a": { "label": "A", "image": "b" } } }),
        json!({ "show_if": [{ "setting": "a", "equals": true }] }),
        json!({ "show_if": [{ "setting": "a", "is": [true], "is_set": true }] }),
        json!({ "show_if": [{ "any": [{ "column": "a" }] }] }),
    ] {
        assert!(parse(hint.clone()).is_err(), "{hint}");
    }
}

#[test]
fn own_hints_replace_common_ones_member_by_member() {
    let schema = json!({ "properties": { "sort": { "enum": ["none", "asc"] } } });
    let own: SettingHints = serde_json::from_value(json!({
        "sort": { "help": "Own text.", "choices": { "none": "Own" } },
    }))
    .unwrap();
    let merged = merge_common_hints(&schema, own).unwrap();
    let labels: Vec<&str> = merged["sort"].choices.values().map(|choice| &*choice.label).collect();
    assert_eq!(merged.len(), 1);
    assert_eq!(labels, ["Ascending", "Own"]);
    assert_eq!(merged["sort"].help.as_deref(), Some("Own text."));
}
