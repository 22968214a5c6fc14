//! Maximum sizes of the values in an event.
//!
//! Clients determine many of them, for example the titles in the path of a document, and the log of 90
//! days must stay readable and exportable.

use serde_json::Value;

use super::event::EventTarget;

/// Maximum number of characters of a text in an event, with the ellipsis.
const MAX_TEXT_CHARS: usize = 500;
/// Maximum number of values of a list in an event, without the ellipsis.
pub const MAX_LIST_ITEMS: usize = 100;

/// Returns a text, or its beginning with an ellipsis if it is too long.
fn shorten_text(text: &str) -> String {
    if text.chars().nth(MAX_TEXT_CHARS).is_none() {
        return text.to_owned();
    }
    text.chars().take(MAX_TEXT_CHARS - 1).chain(['…']).collect()
}

/// Returns a JSON value with shortened texts. A list that is too long has its first values and an
/// ellipsis.
pub fn shorten_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(shorten_text(text)),
        Value::Array(items) => {
            let ellipsis = (items.len() > MAX_LIST_ITEMS).then(|| Value::from("…"));
            let items = items.iter().take(MAX_LIST_ITEMS).map(shorten_value);
            Value::Array(items.chain(ellipsis).collect())
        }
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(name, value)| (name.clone(), shorten_value(value))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Returns a target with a shortened id and name.
pub fn shorten_target(target: &EventTarget) -> EventTarget {
    let EventTarget { kind, id, name } = target;
    EventTarget { kind, id: shorten_text(id), name: shorten_text(name) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_texts_and_lists_end_with_an_ellipsis() {
        let fits = "ü".repeat(500);
        assert_eq!(shorten_text(&fits), fits);
        assert_eq!(shorten_text(&"ü".repeat(501)), format!("{}…", "ü".repeat(499)));
        let numbers = |count: usize| json!((0..count).collect::<Vec<_>>());
        assert_eq!(shorten_value(&numbers(100)), numbers(100));
        let shortened = shorten_value(&json!({ "a": { "b": numbers(1000) }, "c": null }));
        let mut list = numbers(100);
        list.as_array_mut().unwrap().push("…".into());
        assert_eq!(shortened, json!({ "a": { "b": list }, "c": null }));
    }
}
