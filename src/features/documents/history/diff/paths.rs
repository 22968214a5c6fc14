//! Where two JSON objects differ.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use chartroom_platform::error::Result;

/// Most differences that are told.
const MOST: usize = 1000;

/// A value that differs. What was not there has no `old`, what is not there any more no `new`.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct PathChange {
    /// JSON Pointer (RFC 6901), such as `/margin/top`.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Value>,
}

/// Where two texts of JSON objects differ, as deep as both have objects or arrays of one length.
pub fn compare(old: &str, new: &str) -> Result<Vec<PathChange>> {
    let mut found = Vec::new();
    if old != new {
        let (old, new) = (serde_json::from_str(old)?, serde_json::from_str(new)?);
        walk(&mut String::new(), Some(&old), Some(&new), &mut found);
    }
    Ok(found)
}

fn walk(path: &mut String, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<PathChange>) {
    if old == new || found.len() == MOST {
        return;
    }
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                let below = key.replace('~', "~0").replace('/', "~1");
                step(path, &below, old.get(key), new.get(key), found);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                step(path, &index.to_string(), Some(old), Some(new), found);
            }
        }
        _ => found.push(PathChange { path: path.clone(), old: old.cloned(), new: new.cloned() }),
    }
}

fn step(
    path: &mut String,
    below: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    found: &mut Vec<PathChange>,
) {
    let length = path.len();
    path.push('/');
    path.push_str(below);
    walk(path, old, new, found);
    path.truncate(length);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_told_by_path() {
        let old = r#"{"a":1,"b":{"c":[1,2],"d":null},"e/f":0,"same":{"x":1.0}}"#;
        let new = r#"{"b":{"c":[1,3],"d":{}},"e/f":[0],"same":{"x":1.0},"g":null}"#;
        let found = serde_json::to_value(compare(old, new).unwrap()).unwrap();
        assert_eq!(
            found,
            json!([
                { "path": "/a", "old": 1 },
                { "path": "/b/c/1", "old": 2, "new": 3 },
                { "path": "/b/d", "old": null, "new": {} },
                { "path": "/e~1f", "old": 0, "new": [0] },
                { "path": "/g", "new": null },
            ])
        );
        assert_eq!(compare(old, old).unwrap(), []);
        let many: Vec<String> = (0..2000).map(|it| format!("\"{it}\":1")).collect();
        let many = format!("{{{}}}", many.join(","));
        assert_eq!(compare("{}", &many).unwrap().len(), MOST);
    }
}
