//! Records in JSON as the rows of a table.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::Deserializer;
use serde::de::MapAccess;
use serde::de::Visitor;
use serde_json::value::RawValue;

use super::json_table;
use super::limits::MAX_CELLS;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::limits::damaged;
use chartroom_platform::error::Result;

/// Maximum number of records, as that of the rows of a worksheet.
const MAX_RECORDS: usize = 1 << 20;

/// The members of a JSON object in their order, with the unparsed texts of their values.
#[derive(Debug, Default)]
pub(super) struct Members<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            /// Collects the members.
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        from.deserialize_map(MembersVisitor).map(Members)
    }
}

/// Returns whether the text of a value is that of a list or an object.
pub(super) fn is_nested(value: &RawValue) -> bool {
    value.get().starts_with(['[', '{'])
}

/// Converts a JSON array of objects to the text of an array of arrays with the keys as headings, in
/// the order of their first use. Keys that an object lacks give null. `None` for other JSON, for objects
/// with lists or objects as values, and beyond the limits of columns and cells. An array without objects
/// gives one empty row of headings.
pub fn rows_of_records(bytes: &[u8]) -> Option<Vec<u8>> {
    let bytes = json_table::without_byte_order_mark(bytes);
    let records: Vec<&RawValue> = serde_json::from_slice(bytes).ok()?;
    let read = |index: usize| {
        let Members(members) = serde_json::from_str(records[index].get()).map_err(damaged)?;
        if members.iter().any(|(_, value)| is_nested(value)) {
            return Err(body_error("has lists in its records"));
        }
        Ok(members.into_iter().map(|(key, value)| (key, value.get())).collect())
    };
    write_rows(records.len(), read).ok()
}

/// Writes records as the text of a JSON array of arrays, the first of which has the keys. `read` returns the
/// keys of a record with the texts of their values, and is called twice for each. Of several values with the
/// same key, the last one counts.
///
/// # Errors
/// Those of `read`. `InvalidFields` about `body` for more than `MAX_RECORDS` records, `MAX_COLUMNS` different keys or
/// `MAX_CELLS` cells: a short text could otherwise give more cells than the memory has bytes.
pub(super) fn write_rows<T: AsRef<str>>(
    count: usize,
    read: impl Fn(usize) -> Result<Vec<(String, T)>>,
) -> Result<Vec<u8>> {
    if count > MAX_RECORDS {
        return Err(body_error(format!("has more than {MAX_RECORDS} records")));
    }
    let mut headings: Vec<String> = Vec::new();
    let mut columns: HashMap<String, usize> = HashMap::new();
    for index in 0..count {
        for (key, _) in read(index)? {
            if columns.contains_key(&key) {
                continue;
            }
            if headings.len() == MAX_COLUMNS {
                return Err(body_error(format!("has more than {MAX_COLUMNS} columns")));
            }
            columns.insert(key.clone(), headings.len());
            headings.push(key);
        }
    }
    if headings.len().saturating_mul(count) > MAX_CELLS {
        return Err(body_error(format!("has more than {MAX_CELLS} cells")));
    }
    let mut text = vec![b'['];
    serde_json::to_writer(&mut text, &headings).map_err(damaged)?;
    for index in 0..count {
        let record = read(index)?;
        let mut cells: Vec<&str> = vec!["null"; headings.len()];
        for (key, value) in &record {
            if let Some(cell) = columns.get(key).and_then(|column| cells.get_mut(*column)) {
                *cell = value.as_ref();
            }
        }
        text.extend_from_slice(b",[");
        text.extend_from_slice(cells.join(",").as_bytes());
        text.push(b']');
    }
    text.push(b']');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_rows_with_the_keys_as_headings() {
        let rows = |text: &str| {
            rows_of_records(text.as_bytes()).map(|rows| String::from_utf8(rows).unwrap())
        };
        let check =
            |text: &str, want: &str| assert_eq!(rows(text).as_deref(), Some(want), "{text}");
        check(
            "\u{feff}[{\"b\": 1, \"a\\n\": null}, {\"c\": \"ü\", \"b\" : 2.50 }]",
            "[[\"b\",\"a\\n\",\"c\"],[1,null,null],[2.50,null,\"ü\"]]",
        );
        check(r#"[{"a":1,"a":2}]"#, r#"[["a"],[2]]"#);
        check("[]", "[[]]");
        check("[{},{}]", "[[],[],[]]");
        for text in [r#"[{"a":[1]}]"#, r#"[{"a":{}}]"#, "[1]", "{}", r#"[{"a":1}"#, ""] {
            assert_eq!(rows(text), None, "{text}");
        }
    }

    #[test]
    fn records_with_many_keys_take_no_multiple_of_their_text() {
        // 90,000 columns of as many records have eight billion cells.
        let records: Vec<String> = (0..90_000).map(|key| format!("{{\"k{key}\":1}}")).collect();
        assert_eq!(rows_of_records(format!("[{}]", records.join(",")).as_bytes()), None);
        let wide: Vec<String> = (0..MAX_COLUMNS).map(|key| format!("\"k{key}\":1")).collect();
        let wide = format!("[{{{}}}{}]", wide.join(","), ",{}".repeat(MAX_CELLS / MAX_COLUMNS));
        assert_eq!(rows_of_records(wide.as_bytes()), None, "too many cells");
    }
}
