//! Columns of a JSON array of records, read as a table. One record at a time is in memory.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::de;
use serde::de::Deserializer;
use serde::de::SeqAccess;
use serde::de::Visitor;
use serde_json::value::RawValue;

use super::json;
use super::json::JsonType;
use super::json::RawObject;
use crate::features::table_reader::Cell;
use crate::features::table_reader::ContentCheck;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::ColumnProfiler;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum size of a row in bytes. A row is parsed as a whole.
const MAX_ROW_BYTES: usize = 1 << 20;
/// Maximum number of cells of a table, including empty cells, as in CSV.
const MAX_CELLS: usize = 3_000_000;
/// Maximum length of a heading in bytes, as in CSV.
const MAX_HEADING_BYTES: usize = 1000;

/// Maximum size of a table.
#[derive(Debug, Clone, Copy)]
pub struct RecordTableLimits {
    pub max_columns: usize,
    pub max_records: usize,
}

/// Returns the types and properties of the columns of a table, which `text` contains as a JSON
/// array of objects. Parses it three times, so that little memory is needed.
///
/// Keys of records become headings in the order of their first record. Cells are texts, numbers or
/// booleans. Other values count as their JSON text, and null as an empty cell.
///
/// # Errors
/// `InvalidFields` about `body` or `data[3]` if the text is not such a table, or a limit is
/// exceeded.
pub fn profile_columns(text: &str, limits: RecordTableLimits) -> Result<Vec<ColumnProfile>> {
    let headings = read_headings(text, limits)?;
    let mut checks = vec![ContentCheck::default(); headings.names.len()];
    for_each_cell(text, &headings, |index, cell| checks[index].add_cell(Cell::from_text(cell)))?;
    let mut profilers: Vec<ColumnProfiler> = headings
        .names
        .iter()
        .zip(&checks)
        .map(|(heading, check)| {
            ColumnProfiler::new(heading, check.content(DecimalSeparator::Point).cell_type())
        })
        .collect();
    for_each_cell(text, &headings, |index, cell| profilers[index].add_cell(cell))?;
    let mut profiles: Vec<ColumnProfile> =
        profilers.into_iter().map(ColumnProfiler::finish).collect();
    tables::settle_coordinates(&mut profiles);
    tables::settle_durations(&mut profiles);
    tables::settle_counts(&mut profiles);
    Ok(profiles)
}

/// Headings of a table.
struct Headings {
    names: Vec<String>,
    index_of: HashMap<String, usize>,
}

/// Collects the headings in the order of their first use, and checks the limits for records,
/// columns, cells and the length of headings.
fn read_headings(text: &str, limits: RecordTableLimits) -> Result<Headings> {
    let mut headings = Headings { names: Vec::new(), index_of: HashMap::new() };
    let mut records = 0;
    for_each_row(text, |index, row| {
        let known = headings.names.len();
        for (key, _) in parse_object(index, row)?.0 {
            if !headings.index_of.contains_key(&key) {
                headings.index_of.insert(key.clone(), headings.names.len());
                headings.names.push(key);
            }
        }
        records = index + 1;
        if records > limits.max_records {
            let message = format!("has more than {} records", limits.max_records);
            return Err(Error::invalid_field("body", message));
        }
        check_headings(&headings.names, known, limits)
    })?;
    if headings.names.iter().all(String::is_empty) {
        return Err(Error::invalid_field("body", "must have records with keys"));
    }
    if records * headings.names.len() > MAX_CELLS {
        return Err(Error::invalid_field("body", format!("has more than {MAX_CELLS} cells")));
    }
    Ok(headings)
}

/// Checks the number of all headings, and the length in bytes of those after the first `known`.
fn check_headings(names: &[String], known: usize, limits: RecordTableLimits) -> Result<()> {
    if names.len() > limits.max_columns {
        let message = format!("has more than {} columns", limits.max_columns);
        return Err(Error::invalid_field("body", message));
    }
    if names[known..].iter().any(|name| name.len() > MAX_HEADING_BYTES) {
        let message = format!("has a heading of more than {MAX_HEADING_BYTES} bytes");
        return Err(Error::invalid_field("body", message));
    }
    Ok(())
}

/// Calls `visit` with the index of the column and the trimmed text of each cell, record by record
/// and in the order of `headings`. Missing cells are empty texts.
fn for_each_cell(
    text: &str,
    headings: &Headings,
    mut visit: impl FnMut(usize, &str),
) -> Result<()> {
    for_each_row(text, |index, row| {
        let mut cells: Vec<Cow<'_, str>> = vec![Cow::Borrowed(""); headings.names.len()];
        let object = parse_object(index, row)?;
        for (key, value) in &object.0 {
            if let Some(column) = headings.index_of.get(key) {
                cells[*column] = Cow::Owned(cell_text(value)?.into_owned());
            }
        }
        cells.iter().enumerate().for_each(|(column, cell)| visit(column, cell.trim()));
        Ok(())
    })
}

/// Returns the text of a cell: that of a string, nothing for null, and JSON for other values.
fn cell_text(value: &RawValue) -> Result<Cow<'_, str>> {
    let text = value.get();
    match json::json_type(text) {
        JsonType::Text => Ok(Cow::Owned(serde_json::from_str(text)?)),
        JsonType::Null => Ok(Cow::Borrowed("")),
        _ => Ok(Cow::Borrowed(text)),
    }
}

/// Parses the record at `index`, counted from 0, as an object. The error names `data[index]`.
fn parse_object(index: usize, row: &str) -> Result<RawObject> {
    if json::json_type(row) != JsonType::Object {
        return Err(row_error(index, "must be an object"));
    }
    RawObject::parse(row).map_err(|error| row_error(index, &error.to_string()))
}

/// Returns the `InvalidFields` error about the record at `index`, counted from 0.
fn row_error(index: usize, message: &str) -> Error {
    Error::invalid_field(format!("data[{index}]"), message)
}

/// Calls `visit` with the index, from 0, and the JSON text of each element of the array in `text`.
/// Does not check that the elements are objects.
///
/// # Errors
/// `InvalidFields` about `body` if the text is not an array, or about a row that is too large. The
/// first error of the function.
fn for_each_row(text: &str, visit: impl FnMut(usize, &str) -> Result<()>) -> Result<()> {
    let mut error = None;
    let visitor = RowVisitor { visit, error: &mut error };
    let result = serde_json::Deserializer::from_str(text).deserialize_seq(visitor);
    match (error, result) {
        (Some(error), _) => Err(error),
        (None, Err(_)) => {
            let message = "must be a JSON array of records";
            Err(Error::invalid_field("body", message))
        }
        (None, Ok(())) => Ok(()),
    }
}

/// Deserializes an array row by row.
struct RowVisitor<'a, F> {
    visit: F,
    /// Error to report instead of the error of the deserializer.
    error: &'a mut Option<Error>,
}

impl<'de, F: FnMut(usize, &str) -> Result<()>> Visitor<'de> for RowVisitor<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array")
    }

    /// Calls `visit` for each element, and stops at the first error, which it stores in `error`.
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> std::result::Result<(), A::Error> {
        let mut index = 0;
        while let Some(row) = array.next_element::<&RawValue>()? {
            let result = if row.get().len() > MAX_ROW_BYTES {
                Err(row_error(index, &format!("has more than {MAX_ROW_BYTES} bytes")))
            } else {
                (self.visit)(index, row.get())
            };
            if let Err(error) = result {
                *self.error = Some(error);
                return Err(de::Error::custom("invalid row"));
            }
            index += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tables::TableColumnType;

    const LIMITS: RecordTableLimits = RecordTableLimits { max_columns: 3, max_records: 3 };

    #[test]
    fn keys_become_columns() {
        {
            let text = r#"[{"Name":"A","Wert":1.5},{"Wert":"2","Name":null,"Ok":true}]"#;
            let profiles = profile_columns(text, LIMITS).unwrap();
            let headings: Vec<&str> =
                profiles.iter().map(|profile| profile.heading.as_str()).collect();
            assert_eq!(headings, ["Name", "Wert", "Ok"]);
            assert_eq!(profiles[1].column_type, TableColumnType::Number);
            assert_eq!(profiles[1].range, Some((1.5, 2.0)));
            assert_eq!(profiles[2].column_type, TableColumnType::Boolean);
            assert_eq!((profiles[0].records, profiles[0].empty), (2, 1));
        }
    }

    #[test]
    fn invalid_tables_are_rejected() {
        let check = |text: &str, want: &str| {
            assert_eq!(profile_columns(text, LIMITS).unwrap_err().to_string(), want, "{text}");
        };
        let array = "body: must be a JSON array of records";
        check("{}", array);
        check("[{}", array);
        check("[]", "body: must have records with keys");
        check("[{}]", "body: must have records with keys");
        check("[1]", "data[0]: must be an object");
        check(r#"[{"a":1},[1]]"#, "data[1]: must be an object");
        check(r#"[{"a":1,"b":1,"c":1,"d":1}]"#, "body: has more than 3 columns");
        check(r#"[{"a":1},{"a":1},{"a":1},{"a":1}]"#, "body: has more than 3 records");
        let heading = "x".repeat(MAX_HEADING_BYTES + 1);
        let long_heading = "body: has a heading of more than 1000 bytes";
        check(&format!(r#"[{{"a":1}},{{"{heading}":1,"a":1,"b":1}}]"#), long_heading);
        check(&format!(r#"[{{"a":1}},{{"b":1,"{heading}":1}}]"#), long_heading);
        let long = format!(r#"[{{"a":"{}"}}]"#, "x".repeat(MAX_ROW_BYTES));
        check(&long, "data[0]: has more than 1048576 bytes");
    }
}
