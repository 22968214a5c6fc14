//! The parameter `fields`, which selects fields of a response: `kind,files(id,parents),user/me`.

use serde_json::Map;
use serde_json::Value;

use super::errors;
use crate::http::Response;

/// Names that a selection may have. A selection of another name is an error also at Google.
const NAMES: &str = "kind user displayName me permissionId emailAddress id name mimeType parents version \
    createdTime modifiedTime trashed explicitlyTrashed ownedByMe resourceKey shortcutDetails targetId \
    targetMimeType targetResourceKey size headRevisionId sha256Checksum originalFilename etag title \
    createdDate modifiedDate labels starred hidden restricted viewed fileSize isRoot files \
    nextPageToken incompleteSearch exportLinks md5Checksum capabilities webViewLink description \
    teamDriveId driveId items shared exportFormats importFormats";

/// Maximum depth of a selection.
const MAX_DEPTH: usize = 8;

/// Returns the selected fields of a value.
///
/// # Errors
/// 400 for an invalid selection.
pub(super) fn select(value: &Value, fields: &str) -> Result<Value, Response> {
    let fail = || errors::invalid("invalidParameter", "fields", "Invalid field selection");
    let items = split(fields).ok_or_else(fail)?;
    apply(value, &items, 0).ok_or_else(fail)
}

/// Splits a selection at the commas outside of parentheses. Returns None without balance.
fn split(fields: &str) -> Option<Vec<&str>> {
    let (mut depth, mut start, mut items) = (0_usize, 0, Vec::new());
    for (index, character) in fields.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                items.push(fields[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    items.push(fields[start..].trim());
    (depth == 0).then_some(items)
}

/// Applies the parts of a selection to a value, and to each value of an array.
fn apply(value: &Value, items: &[&str], depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Value::Array(values) = value {
        let values: Option<_> = values.iter().map(|value| apply(value, items, depth)).collect();
        return values.map(Value::Array);
    }
    if items.contains(&"*") {
        return Some(value.clone());
    }
    let mut selected = Map::new();
    for item in items {
        let end = item.find(['(', '/']).unwrap_or(item.len());
        let (name, rest) = item.split_at(end);
        if !NAMES.split_whitespace().any(|known| known == name) {
            return None;
        }
        let inner = match rest.as_bytes().first() {
            Some(b'(') => split(rest.strip_prefix('(')?.strip_suffix(')')?)?,
            Some(_) => vec![rest.strip_prefix('/')?],
            None => vec!["*"],
        };
        if let Some(field) = value.get(name) {
            selected.insert(name.to_owned(), apply(field, &inner, depth + 1)?);
        }
    }
    Some(Value::Object(selected))
}
