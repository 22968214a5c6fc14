//! Headings of tables that the columns of all kinds share.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use chartroom_platform::assets;

/// Synonyms that the columns of all kinds share, by the key of the column. A message if
/// `assets/synonyms.json` is missing or invalid.
static COMMON_SYNONYMS: LazyLock<std::result::Result<HashMap<String, Vec<Value>>, String>> =
    LazyLock::new(|| {
        let path = "synonyms.json";
        let file = assets::embedded_file(path).ok_or("assets/synonyms.json is missing")?;
        serde_json::from_slice(file).map_err(|error| format!("{path}: {error}"))
    });

/// Keys of amounts. Their common synonyms are only for columns of numbers.
const NUMBER_KEYS: [&str; 5] = ["value", "target", "min", "max", "size"];

/// Adds the synonyms that all kinds share to the columns with the same key, after their own and
/// without duplicates. A column with one of the `NUMBER_KEYS` but another type than `number` gets
/// none. `data_columns` is a JSON array of columns. Does nothing for another value.
///
/// # Errors
/// A message if `assets/synonyms.json` is missing or invalid.
pub fn add_common_synonyms(data_columns: &mut Value) -> std::result::Result<(), String> {
    let common = COMMON_SYNONYMS.as_ref().map_err(Clone::clone)?;
    let columns = data_columns.as_array_mut().into_iter().flatten();
    for column in columns.filter_map(Value::as_object_mut) {
        let Some(words) = column.get("key").and_then(|key| common.get(key.as_str()?)) else {
            continue;
        };
        // The target of a flow is a text, unlike that of an amount.
        let is_amount =
            column.get("key").is_some_and(|key| NUMBER_KEYS.iter().any(|name| key == name));
        if is_amount && column.get("type").is_some_and(|kind| kind != "number") {
            continue;
        }
        let own = column.entry("synonyms").or_insert_with(|| Value::Array(Vec::new()));
        if let Some(own) = own.as_array_mut() {
            let added: Vec<Value> =
                words.iter().filter(|word| !own.contains(word)).cloned().collect();
            own.extend(added);
        }
    }
    Ok(())
}
