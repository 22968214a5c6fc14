//! Records of a document as JSON text in chunks, and the validation of a record.

use serde::de::SeqAccess;
use serde::de::Visitor;
use serde::{Deserializer, de};
use serde_json::value::RawValue;

use super::json;
use super::json::JsonType;
use super::json::RawObject;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;

/// Maximum size of a chunk, so that its row fits on one database page. A larger record is a chunk
/// of its own.
pub const MAX_CHUNK_BYTES: usize = 4000;

/// Consecutive records as JSON text, joined by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Index of the first record.
    pub first: i64,
    /// Number of records.
    pub count: i64,
    /// JSON text of the records.
    pub body: String,
}

/// Maximum number and size of the records of a document.
#[derive(Debug, Clone, Copy)]
pub struct RecordLimits {
    /// Maximum number of records.
    pub max_records: usize,
    /// Maximum size of the data in bytes.
    pub max_bytes: usize,
}

/// All records of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Records {
    /// Number of records.
    pub count: i64,
    /// Size of all records in bytes, with the commas between them.
    pub bytes: i64,
    /// JSON text of the records.
    pub chunks: Vec<Chunk>,
}

impl Records {
    /// Returns the records in the reverse order, in new chunks. The fields of a record keep theirs.
    ///
    /// # Errors
    /// `Internal` if the records are not valid JSON.
    pub fn reversed(&self) -> Result<Self> {
        let mut reversed = Self::default();
        for chunk in self.chunks.iter().rev() {
            let list = format!("[{}]", chunk.body);
            let records: Vec<&RawValue> = serde_json::from_str(&list)?;
            records.iter().rev().for_each(|record| reversed.push(record.get()));
        }
        Ok(reversed)
    }

    /// Parses the field `data` of a request, which is an array of at most `max_records` objects,
    /// and normalizes each record to compact JSON. Does not check the size in bytes.
    ///
    /// # Errors
    /// `InvalidFields` with the path of the first error, such as `data[3]`.
    pub fn parse(text: &str, max_records: usize) -> Result<Self> {
        if json::json_type(text) != JsonType::Array {
            return Err(Error::invalid_field("data", "must be an array of objects"));
        }
        let mut visitor = RecordsVisitor { records: Self::default(), max_records, error: None };
        let read = serde_json::Deserializer::from_str(text).deserialize_seq(&mut visitor);
        match (visitor.error, read) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(Error::invalid_field("data", error.to_string())),
            (None, Ok(())) => Ok(visitor.records),
        }
    }

    /// Splits stored records, joined by commas, into chunks. An empty text has no records. Does not
    /// check or change the JSON.
    pub fn from_joined(joined: &str) -> Self {
        let mut records = Self::default();
        split_records(joined).into_iter().for_each(|record| records.push(record));
        records
    }

    /// Appends a record, which must be a compact JSON object, to the last chunk or as a new one.
    /// Checks no limit.
    pub fn push(&mut self, record: &str) {
        let added = i64::try_from(record.len()).unwrap_or(i64::MAX);
        self.bytes += added + i64::from(self.count > 0);
        match self.chunks.last_mut() {
            Some(chunk) if fits_in_chunk(chunk.body.len(), record.len()) => {
                chunk.body.push(',');
                chunk.body.push_str(record);
                chunk.count += 1;
            }
            _ => {
                let chunk = Chunk { first: self.count, count: 1, body: record.to_owned() };
                self.chunks.push(chunk);
            }
        }
        self.count += 1;
    }

    /// Returns the records as the text of one JSON array, `[]` without records.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or(0) + 2);
        out.push(b'[');
        for chunk in &self.chunks {
            if chunk.first > 0 {
                out.push(b',');
            }
            out.extend_from_slice(chunk.body.as_bytes());
        }
        out.push(b']');
        out
    }

    /// Returns the records as stored records are read: as JSON text, joined by commas.
    pub fn to_joined(&self) -> String {
        let bodies: Vec<&str> = self.chunks.iter().map(|chunk| chunk.body.as_str()).collect();
        bodies.join(",")
    }

    /// Checks the size of all records in bytes.
    ///
    /// # Errors
    /// `TooLarge` if it is more than `max_bytes`.
    pub fn check_size(&self, max_bytes: usize) -> Result<()> {
        check_size(self.bytes, max_bytes)
    }
}

/// Checks the size of records in bytes, including the commas between them.
///
/// # Errors
/// `TooLarge` if the records have more than `max_bytes`.
pub fn check_size(bytes: i64, max_bytes: usize) -> Result<()> {
    if usize::try_from(bytes).is_ok_and(|bytes| bytes <= max_bytes) {
        return Ok(());
    }
    Err(Error::TooLarge(format!("data would be larger than {max_bytes} bytes")))
}

/// Returns true if a record of `record_bytes` and a comma fit into a chunk that has `chunk_bytes`
/// already.
pub fn fits_in_chunk(chunk_bytes: usize, record_bytes: usize) -> bool {
    chunk_bytes + 1 + record_bytes <= MAX_CHUNK_BYTES
}

/// Deserializes an array record by record, so that the values are never all in memory.
struct RecordsVisitor {
    records: Records,
    max_records: usize,
    /// Error to report instead of the error of the deserializer.
    error: Option<Error>,
}

impl<'de> Visitor<'de> for &mut RecordsVisitor {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of objects")
    }

    /// Normalizes and collects each record. Stops at the first invalid record and above the maximum
    /// number, and stores the error in `error`.
    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> std::result::Result<(), A::Error> {
        let mut index = 0;
        let mut record = String::new();
        while let Some(text) = array.next_element::<&RawValue>()? {
            if index == self.max_records {
                let message = format!("has more than {} records", self.max_records);
                self.error = Some(Error::invalid_field("data", message));
                return Err(de::Error::custom("too many"));
            }
            record.clear();
            if let Err(error) =
                append_compact_object(text.get(), &format_args!("data[{index}]"), &mut record)
            {
                self.error = Some(error);
                return Err(de::Error::custom("not a record"));
            }
            self.records.push(&record);
            index += 1;
        }
        Ok(())
    }
}

/// Checks that `text` is an object, and appends its normalized form to `out`. `text` must be valid
/// JSON and must not start with whitespace.
///
/// # Errors
/// `InvalidFields` about `field` if it is not an object, or contains an unpaired surrogate or a
/// number out of range. Then `out` may contain a part of the text.
pub fn append_compact_object(
    text: &str,
    field: &dyn std::fmt::Display,
    out: &mut String,
) -> Result<()> {
    if json::json_type(text) != JsonType::Object {
        return Err(Error::invalid_field(field.to_string(), "must be an object"));
    }
    json::append_compact(text, out)
        .map_err(|error| Error::invalid_field(field.to_string(), error.to_string()))
}

/// Checks the types of a record's values against the columns of the chart kind with the same keys.
///
/// Missing and null values are valid, and so is any value of an unknown key.
///
/// # Errors
/// `InvalidFields` with each invalid column, such as `data.value`.
pub fn check_types(record: &RawObject, columns: &[Column]) -> Result<()> {
    let mut errors = Vec::new();
    for (key, value) in &record.0 {
        let Some(column) = columns.iter().find(|column| column.key == *key) else { continue };
        let is_duration = column.column_type == ColumnType::Number
            && serde_json::from_str::<&str>(value.get())
                .is_ok_and(|text| chartroom_charts::clock_value(text).is_some());
        if is_duration {
            continue;
        }
        if let Some(message) = find_type_mismatch(column.column_type, json::json_type(value.get()))
        {
            errors.push(FieldError { field: format!("data.{key}"), message: message.to_owned() });
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::InvalidFields(errors)) }
}

/// Returns the error message if a value of the type `found` is not valid in a column, else `None`.
fn find_type_mismatch(wanted: ColumnType, found: JsonType) -> Option<&'static str> {
    match (wanted, found) {
        (_, JsonType::Null)
        | (ColumnType::Text | ColumnType::Date, JsonType::Text | JsonType::Number)
        | (ColumnType::Number, JsonType::Number)
        | (ColumnType::Boolean, JsonType::Boolean)
        | (ColumnType::Color, JsonType::Text) => None,
        (ColumnType::Text, _) => Some("must be a string or a number"),
        (ColumnType::Date, _) => Some("must be a date as string or number"),
        (ColumnType::Number, _) => Some("must be a number"),
        (ColumnType::Boolean, _) => Some("must be true or false"),
        (ColumnType::Color, _) => Some("must be a color as string"),
    }
}

/// Returns the part of `joined` that holds its first `count` records, without the comma after them.
/// Empty if `count` is not positive.
///
/// `joined` is a list of JSON objects joined by commas, as in [`Chunk::body`].
///
/// # Errors
/// `Internal` if there are fewer than `count` records.
pub fn first_records(joined: &str, count: i64) -> Result<&str> {
    let mut missing = count;
    if missing <= 0 || joined.is_empty() {
        return if missing <= 0 { Ok("") } else { Err(too_few_records()) };
    }
    for end in record_ends(joined) {
        missing -= 1;
        if missing == 0 {
            return Ok(&joined[..end]);
        }
    }
    Err(too_few_records())
}

/// Returns the internal error for a version with fewer records than its record count.
fn too_few_records() -> Error {
    Error::internal("a version has fewer records than its record count")
}

/// Splits a list of JSON objects joined by commas into the text of each object, in order. An empty
/// text has no objects.
pub fn split_records(joined: &str) -> Vec<&str> {
    let mut start = 0;
    let cut_record = |end: usize| {
        let record = &joined[start..end];
        start = end + 1;
        record
    };
    if joined.is_empty() { Vec::new() } else { record_ends(joined).map(cut_record).collect() }
}

/// Iterates over the byte offset of the end of each record in `joined`, which must not be empty.
///
/// A comma ends a record only outside of strings, objects and arrays.
fn record_ends(joined: &str) -> impl Iterator<Item = usize> {
    let bytes = joined.as_bytes();
    let (mut at, mut depth, mut in_string) = (0, 0usize, false);
    let mut ended = false;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'\\' if in_string => at += 1,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => return Some(at - 1),
                _ => {}
            }
        }
        (!std::mem::replace(&mut ended, true)).then_some(bytes.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(records: &Records) -> String {
        let bodies: Vec<&str> = records.chunks.iter().map(|chunk| chunk.body.as_str()).collect();
        bodies.join(",")
    }

    #[test]
    fn chunks_contain_each_record_once_and_are_small() {
        let list: Vec<String> = (0..1000)
            .map(|number| format!("{{\"label\":\"Region {number}\",\"value\":{number}.50}}"))
            .collect();
        let records = Records::parse(&format!("[{}]", list.join(" ,\n")), 1000).unwrap();
        assert_eq!(joined(&records), list.join(","));
        assert_eq!(records.count, 1000);
        assert_eq!(records.bytes as usize, list.join(",").len());
        let mut next = 0;
        for chunk in &records.chunks {
            assert!(chunk.body.len() <= MAX_CHUNK_BYTES);
            assert_eq!(chunk.first, next);
            next += chunk.count;
        }
        assert_eq!(next, 1000);
    }

    #[test]
    fn joined_records_are_split_at_commas_between_them_only() {
        let joined = r#"{"a":"},{\"\\","b":[1,{"c":2.50}]},{},{"é":null}"#;
        assert_eq!(split_records(joined).len(), 3);
        assert_eq!(split_records(joined)[1], "{}");
        assert_eq!(split_records(""), Vec::<&str>::new());
        assert_eq!(first_records(joined, 0).unwrap(), "");
        assert_eq!(first_records(joined, 3).unwrap(), joined);
        assert!(first_records(joined, 4).is_err());
        assert!(first_records("", 1).is_err());
    }

    #[test]
    fn parse_rejects_data_that_is_not_an_array_of_objects() {
        let check = |text: &str, want: &str| {
            assert_eq!(Records::parse(text, 2).unwrap_err().to_string(), want, "{text}");
        };
        check("{}", "data: must be an array of objects");
        check("[{},1]", "data[1]: must be an object");
        check("[{},{\"a\":1e999}]", "data[1]: contains a number that is out of range");
        check("[{},{},{}]", "data: has more than 2 records");
        assert_eq!(Records::parse("[ ]", 2).unwrap(), Records::default());
    }

    #[test]
    fn only_known_columns_are_checked() {
        let column = |key: &str, column_type| Column {
            key: key.to_owned(),
            title: key.to_owned(),
            german_title: String::new(),
            column_type,
            role: String::new(),
            required: true,
            repeats: false,
            synonyms: Vec::new(),
            own_synonyms: 0,
            title_setting: None,
        };
        let columns = [column("label", ColumnType::Text), column("value", ColumnType::Number)];
        let check = |text: &str| {
            check_types(&RawObject::parse(text).unwrap(), &columns)
                .map_err(|error| error.to_string())
        };
        assert_eq!(check(r#"{"label":2024,"value":-1.5,"more":[1]}"#), Ok(()));
        assert_eq!(check(r#"{"value":null}"#), Ok(()));
        assert_eq!(check(r#"{"value":"12"}"#), Err("data.value: must be a number".to_owned()));
        assert_eq!(
            check(r#"{"label":{},"value":true}"#),
            Err("data.label: must be a string or a number; data.value: must be a number".to_owned())
        );
    }
}
