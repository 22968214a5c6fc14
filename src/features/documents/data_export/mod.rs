//! The records of a document as a table for other programs: CSV and XLSX.
//!
//! Both visit the records twice, first for the columns, and keep one record in memory at a time.

mod csv;
mod xlsx;
mod zip_writer;

use std::collections::HashMap;
use std::collections::HashSet;

use serde_json::Map;
use serde_json::Value;

use super::records;
use crate::features::portfolio::Column;
use crate::features::portfolio::KindInfo;
use chartroom_charts::format::date;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

pub use csv::write_csv;
pub use xlsx::write_xlsx;

/// Maximum number of columns, the limit of spreadsheet programs.
const MAX_COLUMNS: usize = 16_384;
/// Maximum number of cells, empty ones included. Records without common keys have many of them.
const MAX_CELLS: usize = 20_000_000;
/// Maximum size of a file in bytes.
const MAX_FILE_BYTES: usize = 64 << 20;
/// First integer beyond those that a spreadsheet program holds exactly, 2^53. A larger one may be
/// rounded to it.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Media type of a CSV file.
pub const CSV_TYPE: &str = "text/csv; charset=utf-8";
/// Media type of an XLSX file.
pub const XLSX_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A table with one row for each record.
pub struct ExportTable<'a> {
    columns: Vec<ExportColumn>,
    /// JSON text of each record.
    records: Vec<&'a str>,
}

/// A column of the table.
struct ExportColumn {
    key: String,
    heading: String,
    /// Whether all its texts are dates, and it has one.
    has_dates: bool,
}

/// A cell of the table.
#[derive(Debug, PartialEq)]
enum Cell<'a> {
    Empty,
    /// A number as JSON text.
    Number(String),
    Boolean(bool),
    /// A date without a time zone, with its text.
    Date(Date, &'a str),
    Text(&'a str),
    /// A list, an object, or an integer with too many digits for a spreadsheet, as JSON text.
    Json(String),
}

/// A date of the calendar.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Date {
    /// Seconds since 1970 by the clock of the data.
    seconds: f64,
    /// Whether its text has a time of day.
    has_time: bool,
}

impl<'a> ExportTable<'a> {
    /// Finds the columns of the records, JSON objects joined by commas. The columns of the chart kind
    /// come first, then the others in order of appearance. A heading is the name of the series in
    /// the settings, else that of the column of the kind, else the key.
    ///
    /// # Errors
    /// `TooLarge` if there are too many columns or cells. `Internal` if a record is not an object.
    pub fn new(joined: &'a str, kind: Option<&KindInfo>, settings: &Value) -> Result<Self> {
        let records = records::split_records(joined);
        let mut indexes: HashMap<String, usize> = HashMap::new();
        let mut columns: Vec<ExportColumn> = Vec::new();
        let mut has_other_text: Vec<bool> = Vec::new();
        for record in &records {
            for (key, value) in parse_record(record)? {
                let index = *indexes.entry(key).or_insert_with_key(|key| {
                    let heading = find_heading(key, kind, settings);
                    columns.push(ExportColumn { key: key.clone(), heading, has_dates: false });
                    has_other_text.push(false);
                    columns.len() - 1
                });
                match value.as_str().map(parse_date) {
                    Some(Some(_)) => columns[index].has_dates = true,
                    Some(None) => has_other_text[index] = true,
                    None => {}
                }
            }
            if columns.len() > MAX_COLUMNS || columns.len() * records.len() > MAX_CELLS {
                return Err(too_large("the records have too many different keys"));
            }
        }
        for (column, has_other_text) in columns.iter_mut().zip(has_other_text) {
            column.has_dates &= !has_other_text;
        }
        let known = kind.map_or(&[][..], |kind| &kind.columns);
        let position = |key: &str| known.iter().position(|column| column.key == key);
        columns.sort_by_key(|column| position(&column.key).unwrap_or(known.len()));
        make_headings_unique(&mut columns);
        Ok(Self { columns, records })
    }

    /// Calls `visit` with the cells of each row, in order. A row has a cell for each column.
    ///
    /// # Errors
    /// Those of `visit`, at which it stops.
    fn for_each_row(&self, mut visit: impl FnMut(&[Cell<'_>]) -> Result<()>) -> Result<()> {
        for record in &self.records {
            let record = parse_record(record)?;
            let cells = self.columns.iter().map(|column| match record.get(&column.key) {
                Some(value) => build_cell(value, column.has_dates),
                None => Cell::Empty,
            });
            visit(&cells.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

/// Parses a record.
fn parse_record(text: &str) -> Result<Map<String, Value>> {
    serde_json::from_str(text).map_err(|error| Error::internal(format!("a record: {error}")))
}

/// Returns the error for a table that is too large, with the way out.
fn too_large(reason: &str) -> Error {
    Error::TooLarge(format!("{reason} for a table; read the document as JSON instead"))
}

/// Returns the heading of a column before headings become unique.
fn find_heading(key: &str, kind: Option<&KindInfo>, settings: &Value) -> String {
    let mut series = settings["series"].as_array().into_iter().flatten();
    let named = series.find(|entry| entry["key"] == key).and_then(|entry| entry["title"].as_str());
    let mut known = kind.into_iter().flat_map(|kind| &kind.columns);
    let title = known.find(|column| column.key == key && !column.repeats).map(Column::local_title);
    named.filter(|title| !title.trim().is_empty()).or(title).unwrap_or(key).to_owned()
}

/// Replaces headings that an earlier column has by the key, or else by the key and a number.
fn make_headings_unique(columns: &mut [ExportColumn]) {
    let mut taken = HashSet::new();
    for column in columns {
        let mut heading = column.heading.clone();
        let mut number = 1;
        while !taken.insert(heading.to_lowercase()) {
            heading =
                if number == 1 { column.key.clone() } else { format!("{} {number}", column.key) };
            number += 1;
        }
        column.heading = heading;
    }
}

/// Returns the cell of a value. A text becomes a date only in a column of dates.
fn build_cell(value: &Value, has_dates: bool) -> Cell<'_> {
    match value {
        Value::Null => Cell::Empty,
        Value::Bool(value) => Cell::Boolean(*value),
        Value::Number(number) => {
            let is_exact = number.as_f64().is_some_and(|value| value.abs() < MAX_EXACT_INTEGER);
            let text = number.to_string();
            if is_exact || number.is_f64() { Cell::Number(text) } else { Cell::Json(text) }
        }
        Value::String(text) => match parse_date(text).filter(|_| has_dates) {
            Some(date) => Cell::Date(date, text),
            None => Cell::Text(text),
        },
        Value::Array(_) | Value::Object(_) => Cell::Json(value.to_string()),
    }
}

/// Parses a date such as `2024-03-09`, optionally with a time such as `T14:30` or ` 14:30:15`. Returns
/// None for every other text: less precise dates, and times with a zone, are no dates in a
/// spreadsheet.
fn parse_date(text: &str) -> Option<Date> {
    let pattern = b"0000-00-00T00:00:00";
    let fits = |(index, byte): (usize, &u8)| match pattern[index] {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b' '),
        other => *byte == other,
    };
    let is_length = matches!(text.len(), 10 | 16 | 19);
    if !is_length || !text.bytes().collect::<Vec<_>>().iter().enumerate().all(fits) {
        return None;
    }
    date::parse(text).map(|seconds| Date { seconds, has_time: text.len() > 10 })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the headings and the rows of a table of these records.
    fn list_rows(joined: &str) -> (Vec<String>, Vec<String>) {
        let table = ExportTable::new(joined, None, &json!({})).unwrap();
        let mut rows = Vec::new();
        table
            .for_each_row(|cells| {
                rows.push(format!("{cells:?}"));
                Ok(())
            })
            .unwrap();
        (table.columns.into_iter().map(|column| column.heading).collect(), rows)
    }

    #[test]
    fn values_keep_their_types() {
        let (headings, rows) = list_rows(
            r#"{"a":1.50,"b":"2","c":true,"d":null},{"e":[1,2],"a":-3,"f":9007199254740993}"#,
        );
        assert_eq!(headings, ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(
            rows,
            [
                r#"[Number("1.5"), Text("2"), Boolean(true), Empty, Empty, Empty]"#,
                r#"[Number("-3"), Empty, Empty, Empty, Json("[1,2]"), Json("9007199254740993")]"#,
            ]
        );
    }

    #[test]
    fn only_columns_with_complete_dates_have_dates() {
        let (_, rows) =
            list_rows(r#"{"a":"2024-03-09","b":"2024-03-09"},{"a":"2024-03-10 14:30","b":"n/a"}"#);
        assert!(rows[0].starts_with("[Date("), "{}", rows[0]);
        assert!(rows[0].ends_with(r#"Text("2024-03-09")]"#), "{}", rows[0]);
        for text in ["2024-02-30", "2024-3-9", "2024", "2024-03-09T14:30Z", "2024-03-09T25:00", ""]
        {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn headings_are_unique() {
        let settings = json!({ "series": [{ "key": "s1", "title": "North" }, { "key": "s2", "title": "north" }] });
        let table = ExportTable::new(r#"{"s1":1,"s2":2,"North":3}"#, None, &settings).unwrap();
        let headings: Vec<_> = table.columns.iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(headings, ["North", "s2", "North 2"]);
    }

    #[test]
    fn too_many_cells_are_refused() {
        let records: Vec<String> = (0..5000).map(|index| format!("{{\"k{index}\":1}}")).collect();
        let error = ExportTable::new(&records.join(","), None, &json!({})).err().unwrap();
        assert!(matches!(error, Error::TooLarge(_)), "{error}");
        assert!(ExportTable::new("", None, &json!({})).unwrap().columns.is_empty());
    }
}
