//! Records in JSON with the headings of a table as keys, instead of the keys of a chart kind.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::records::Records;
use crate::features::portfolio::KindInfo;
use crate::features::table_reader;
use chartroom_platform::error::Result;

/// Maximum size in bytes of records that are mapped. Larger ones keep their keys, because their
/// conversion to a table needs a multiple of the memory.
const MAX_MAPPED_BYTES: i64 = 4 << 20;

/// Returns the records as a JSON array of arrays, the first of which has the keys as headings.
/// `None` if a record has a key of the kind or a list or object as value, if there are no records
/// or no keys, and for more than `MAX_MAPPED_BYTES`.
///
/// `settings` are those of the document. They list the keys of a kind that only repeats a column.
///
/// # Errors
/// `Internal` if the records or the settings are not valid JSON.
pub fn rows_of_foreign_records(
    data: &Records,
    kind: &KindInfo,
    settings: &str,
) -> Result<Option<Vec<u8>>> {
    if data.count == 0 || data.bytes > MAX_MAPPED_BYTES || has_keys_of_kind(data, kind, settings)? {
        return Ok(None);
    }
    let rows = table_reader::rows_of_records(&data.to_json());
    // Records without any key have no headings.
    Ok(rows.filter(|rows| !rows.starts_with(b"[[]")))
}

/// Returns whether a record has a key of the kind. Keys of repeated columns do not count. If the
/// kind requires only repeated columns, the keys count that `series` or `columns` in the settings
/// list.
fn has_keys_of_kind(data: &Records, kind: &KindInfo, settings: &str) -> Result<bool> {
    let mut keys: Vec<String> = kind
        .columns
        .iter()
        .filter(|column| !column.repeats)
        .map(|column| column.key.clone())
        .collect();
    if !kind.columns.iter().any(|column| column.required && !column.repeats) {
        let settings: Value = serde_json::from_str(settings)?;
        let lists = ["series", "columns"].into_iter().filter_map(|list| settings[list].as_array());
        let listed = lists.flatten().filter_map(|entry| entry["key"].as_str());
        keys.extend(listed.map(str::to_owned));
    }
    for chunk in &data.chunks {
        let list = format!("[{}]", chunk.body);
        let records: Vec<HashMap<String, IgnoredAny>> = serde_json::from_str(&list)?;
        let has_key = |record: &HashMap<String, IgnoredAny>| {
            keys.iter().any(|key| record.contains_key(key.as_str()))
        };
        if records.iter().any(has_key) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::portfolio;

    #[test]
    fn only_records_without_a_key_of_the_kind_become_rows() {
        let rows = |kind: &str, text: &str| {
            let records = Records::parse(text, 10).unwrap();
            let kind = portfolio::find_kind(kind).unwrap();
            let settings = r#"{"columns":[{"key":"Own"}]}"#;
            let rows = rows_of_foreign_records(&records, kind, settings).unwrap();
            rows.map(|rows| String::from_utf8(rows).unwrap())
        };
        let cities = r#"[{"Stadt":"Köln","Umsatz":95},{"Stadt":"Bonn","Umsatz":12}]"#;
        let want = r#"[["Stadt","Umsatz"],["Köln",95],["Bonn",12]]"#;
        assert_eq!(rows("bar", cities).as_deref(), Some(want));
        assert_eq!(rows("bar", r#"[{"Stadt":"Köln"},{"label":"Bonn","x":1}]"#), None);
        assert_eq!(rows("bar", r#"[{"Stadt":["Köln"]}]"#), None);
        assert_eq!(rows("bar", "[]"), None);
        assert_eq!(rows("bar", "[{},{}]"), None);
        assert_eq!(rows("table", r#"[{"Own":1}]"#), None);
        assert_eq!(rows("table", cities).as_deref(), Some(want));
    }
}
