//! Validation of a document's settings against the settings schema of its chart kind.
//!
//! The schemas in `kind.json` use a small part of JSON Schema (draft 2020-12): `type`, `enum`,
//! `minimum`, `maximum`, `maxItems`, `required`, `properties`, `items` and `additionalProperties`.
//! This file checks exactly these keywords. A test rejects a schema that uses another one.

use serde_json::Map;
use serde_json::Value;

use super::KindInfo;
use chartroom_platform::error::FieldError;

/// Maximum number of problems that one validation reports.
const MAX_PROBLEMS: usize = 20;

/// Returns the settings that do not fit the settings schema of the kind, required ones that are
/// missing included. Each has its path, such as `settings.axis.min`. Stops after `MAX_PROBLEMS`
/// problems. Empty if all settings fit.
///
/// Settings that the schema does not know are no problem, unless its `additionalProperties` is a
/// schema that they do not fit.
pub fn validate_settings(kind: &KindInfo, settings: &Value) -> Vec<FieldError> {
    let mut problems = Vec::new();
    collect_problems(&kind.settings_schema, settings, "settings", &mut problems);
    problems
}

/// Adds the problems of `value` under `schema`, up to `MAX_PROBLEMS` in total. `path` names the
/// value in the messages. If the value itself does not fit, its items and fields are not checked.
fn collect_problems(schema: &Value, value: &Value, path: &str, problems: &mut Vec<FieldError>) {
    if problems.len() >= MAX_PROBLEMS {
        return;
    }
    if let Some(message) = find_mismatch(schema, value) {
        problems.push(FieldError { field: path.to_owned(), message });
        return;
    }
    match value {
        Value::Array(items) => {
            let Some(item_schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                collect_problems(item_schema, item, &format!("{path}[{index}]"), problems);
            }
        }
        Value::Object(fields) => collect_field_problems(schema, fields, path, problems),
        _ => {}
    }
}

/// Adds the problems of an object: fields that are missing, and fields that have problems.
fn collect_field_problems(
    schema: &Value,
    fields: &Map<String, Value>,
    path: &str,
    problems: &mut Vec<FieldError>,
) {
    for name in list_strings(schema, "required") {
        if !fields.contains_key(name) && problems.len() < MAX_PROBLEMS {
            let message = "is required".to_owned();
            problems.push(FieldError { field: format!("{path}.{name}"), message });
        }
    }
    for (name, value) in fields {
        let declared = schema.get("properties").and_then(|properties| properties.get(name));
        if let Some(field_schema) = declared.or_else(|| schema.get("additionalProperties")) {
            collect_problems(field_schema, value, &format!("{path}.{name}"), problems);
        }
    }
}

/// Returns the message for a value that has the wrong type, is not in the list of allowed values,
/// is out of range or has too many items. Returns None for any other value. Does not check the
/// items and fields themselves.
///
/// The `type` of a schema is one word or a list of words.
fn find_mismatch(schema: &Value, value: &Value) -> Option<String> {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(_) => list_strings(schema, "type").collect(),
        None => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| has_type(value, name)) {
        return Some(format!(
            "must be {}",
            types.iter().map(|name| describe_type(name)).collect::<Vec<_>>().join(" or ")
        ));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let words: Vec<String> = allowed.iter().map(Value::to_string).collect();
        return Some(format!("must be one of {}", words.join(", ")));
    }
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    match value {
        Value::Number(number) => {
            let number = number.as_f64()?;
            let (minimum, maximum) = (limit("minimum"), limit("maximum"));
            match (minimum, maximum) {
                (Some(least), _) if number < least => Some(format!("must be at least {least}")),
                (_, Some(most)) if number > most => Some(format!("must be at most {most}")),
                _ => None,
            }
        }
        Value::Array(items) => {
            let most = schema.get("maxItems").and_then(Value::as_u64)?;
            let is_longer = u64::try_from(items.len()).is_ok_and(|length| length > most);
            is_longer.then(|| format!("must have at most {most} items"))
        }
        _ => None,
    }
}

/// Returns the strings of a list in a schema; nothing if the keyword is absent. Skips items that
/// are no strings.
fn list_strings<'s>(schema: &'s Value, keyword: &str) -> impl Iterator<Item = &'s str> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

/// Returns whether `value` is of the type of JSON Schema with this name. A number without a
/// fraction, such as 2.0, is an integer. False for an unknown name.
fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// Returns a type of JSON Schema with its article, for messages. An unknown name gives `an object`.
fn describe_type(name: &str) -> &'static str {
    match name {
        "null" => "null",
        "boolean" => "true or false",
        "string" => "a string",
        "number" => "a number",
        "integer" => "an integer",
        "array" => "an array",
        _ => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::features::portfolio;

    /// Keywords that this file checks, and those that only describe.
    const KEYWORDS: [&str; 13] = [
        "$schema",
        "additionalProperties",
        "default",
        "description",
        "enum",
        "items",
        "maxItems",
        "maximum",
        "minimum",
        "properties",
        "required",
        "title",
        "type",
    ];

    #[test]
    fn every_kind_accepts_its_own_settings_and_rejects_a_number() {
        for kind in portfolio::kinds() {
            for settings in [&kind.default_settings, &kind.sample().settings] {
                assert_eq!(validate_settings(kind, settings), [], "{}: {settings}", kind.slug);
            }
            let found = validate_settings(kind, &json!(7));
            assert_eq!((found.len(), found[0].field.as_str()), (1, "settings"), "{}", kind.slug);
        }
    }

    #[test]
    fn every_schema_uses_only_keywords_that_are_checked() {
        fn visit(schema: &Value, path: &str) {
            let Some(keywords) = schema.as_object() else {
                // `"additionalProperties": true` allows everything.
                assert_eq!(schema, &Value::Bool(true), "{path}");
                return;
            };
            for (keyword, value) in keywords {
                assert!(KEYWORDS.contains(&keyword.as_str()), "{path}: {keyword}");
                let own = |name: &str| format!("{path}.{name}");
                match (keyword.as_str(), value) {
                    ("properties", Value::Object(fields)) => {
                        fields.iter().for_each(|(name, field)| visit(field, &own(name)));
                    }
                    ("items" | "additionalProperties", _) => visit(value, &own(keyword)),
                    _ => {}
                }
            }
            if let Some(name) = keywords.get("type").and_then(Value::as_str) {
                let types = ["array", "boolean", "integer", "null", "number", "object", "string"];
                assert!(types.contains(&name), "{path}: {name}");
            }
        }
        for kind in portfolio::kinds() {
            visit(&kind.settings_schema, &kind.slug);
        }
    }

    #[test]
    fn each_keyword_has_its_message() {
        let schema = json!({
            "type": "object",
            "required": ["key"],
            "properties": {
                "key": { "type": "string" },
                "mode": { "enum": ["a", "b"] },
                "share": { "type": "number", "minimum": 0, "maximum": 1 },
                "count": { "type": ["integer", "null"] },
                "names": { "type": "array", "maxItems": 2, "items": { "type": "string" } },
            },
            "additionalProperties": { "type": "boolean" },
        });
        let expect = |settings: Value, expected: &[(&str, &str)]| {
            let mut found = Vec::new();
            collect_problems(&schema, &settings, "settings", &mut found);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|problem| (problem.field.as_str(), problem.message.as_str()))
                .collect();
            assert_eq!(found, expected, "{settings}");
        };
        let valid =
            json!({ "key": "", "mode": "b", "share": 1, "count": null, "names": [], "x": true });
        expect(valid, &[]);
        expect(json!({}), &[("settings.key", "is required")]);
        expect(json!([]), &[("settings", "must be an object")]);
        expect(json!({ "key": 1 }), &[("settings.key", "must be a string")]);
        expect(
            json!({ "key": "", "mode": "c" }),
            &[("settings.mode", "must be one of \"a\", \"b\"")],
        );
        expect(json!({ "key": "", "share": -1 }), &[("settings.share", "must be at least 0")]);
        expect(json!({ "key": "", "share": 1.5 }), &[("settings.share", "must be at most 1")]);
        expect(
            json!({ "key": "", "count": 1.5 }),
            &[("settings.count", "must be an integer or null")],
        );
        expect(json!({ "key": "", "count": 2.0 }), &[]);
        expect(
            json!({ "key": "", "names": ["a", "b", "c"] }),
            &[("settings.names", "must have at most 2 items")],
        );
        expect(
            json!({ "key": "", "names": ["a", 2] }),
            &[("settings.names[1]", "must be a string")],
        );
        expect(json!({ "key": "", "x": 1 }), &[("settings.x", "must be true or false")]);
    }

    #[test]
    fn the_number_of_problems_has_a_limit() {
        let schema = json!({ "items": { "type": "string" } });
        let mut found = Vec::new();
        collect_problems(&schema, &json!(vec![0; 100]), "settings", &mut found);
        assert_eq!(found.len(), MAX_PROBLEMS);
    }
}
