//! Structural comparison of two JSON objects.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::features::documents::render_memory::estimate_parsed_json;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum number of changes in the result.
const MAX_CHANGES: usize = 1000;
/// Maximum memory of both parsed objects in bytes.
const MAX_MEMORY_BYTES: u64 = 64 << 20;

/// A changed value. An added value has no `old`, a removed value has no `new`.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct PathChange {
    /// JSON Pointer (RFC 6901), such as `/margin/top`.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Value>,
}

/// Returns the changes from one JSON object to another, both given as text: the changed and removed
/// members in the order of `old`, then the added ones. Equal objects give no changes.
///
/// Descends into objects, and into arrays of equal length. Reports at most [`MAX_CHANGES`].
///
/// # Errors
/// `TooLarge` if the parsed objects would take too much memory.
pub fn compare_objects(old: &str, new: &str) -> Result<Vec<PathChange>> {
    let mut changes = Vec::new();
    if old != new {
        let bytes: u64 = [old, new].iter().map(|text| estimate_parsed_json(text.as_bytes())).sum();
        if bytes > MAX_MEMORY_BYTES {
            return Err(Error::TooLarge("the versions are too large to compare".to_owned()));
        }
        let (old, new) = (serde_json::from_str(old)?, serde_json::from_str(new)?);
        collect_changes(&mut String::new(), Some(&old), Some(&new), &mut changes);
    }
    Ok(changes)
}

/// Appends the changes between two values at `path`, a JSON Pointer. `None` stands for a missing
/// value. Two objects, and two arrays of equal length, are compared member by member. Other
/// different values are one change. Stops at [`MAX_CHANGES`].
fn collect_changes(
    path: &mut String,
    old: Option<&Value>,
    new: Option<&Value>,
    changes: &mut Vec<PathChange>,
) {
    if old == new || changes.len() == MAX_CHANGES {
        return;
    }
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                let segment = key.replace('~', "~0").replace('/', "~1");
                collect_changes_below(path, &segment, old.get(key), new.get(key), changes);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                collect_changes_below(path, &index.to_string(), Some(old), Some(new), changes);
            }
        }
        _ => changes.push(PathChange { path: path.clone(), old: old.cloned(), new: new.cloned() }),
    }
}

/// Appends the changes of one member or element of the value at `path`, which is the same again
/// afterwards.
///
/// `segment` is its key or index as an escaped segment of a JSON Pointer.
fn collect_changes_below(
    path: &mut String,
    segment: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    changes: &mut Vec<PathChange>,
) {
    let length = path.len();
    path.push('/');
    path.push_str(segment);
    collect_changes(path, old, new, changes);
    path.truncate(length);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_reported_by_path() {
        let old = r#"{"a":1,"b":{"c":[1,2],"d":null},"e/f":0,"same":{"x":1.0}}"#;
        let new = r#"{"b":{"c":[1,3],"d":{}},"e/f":[0],"same":{"x":1.0},"g":null}"#;
        let changes = serde_json::to_value(compare_objects(old, new).unwrap()).unwrap();
        assert_eq!(
            changes,
            json!([
                { "path": "/a", "old": 1 },
                { "path": "/b/c/1", "old": 2, "new": 3 },
                { "path": "/b/d", "old": null, "new": {} },
                { "path": "/e~1f", "old": 0, "new": [0] },
                { "path": "/g", "new": null },
            ])
        );
        assert_eq!(compare_objects(old, old).unwrap(), []);
        let many: Vec<String> = (0..2000).map(|number| format!("\"{number}\":1")).collect();
        let many = format!("{{{}}}", many.join(","));
        assert_eq!(compare_objects("{}", &many).unwrap().len(), MAX_CHANGES);
    }
}
