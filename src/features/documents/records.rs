//! The records of `data` as text in chunks, and the check of a record against its kind.

use serde::de::SeqAccess;
use serde::de::Visitor;
use serde::{Deserializer, de};
use serde_json::value::RawValue;

use super::json;
use super::json::Object;
use super::json::Shape;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;

/// Bytes to which a chunk is filled: with its row it stays on one page of the database. One record
/// that is larger is a chunk of its own.
pub const CHUNK_BYTES: usize = 4000;

/// A run of records as JSON text, joined by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Index of its first record.
    pub first: i64,
    /// How many records.
    pub count: i64,
    /// The text.
    pub body: String,
}

/// All records of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Records {
    /// How many.
    pub count: i64,
    /// Bytes of the text of all, with the commas between them.
    pub bytes: i64,
    /// The text.
    pub chunks: Vec<Chunk>,
}

impl Records {
    /// Reads `data` as it was sent: an array of objects.
    ///
    /// # Errors
    /// `Fields` with the path, such as `data[3]`.
    pub fn parse(text: &str, most: usize) -> Result<Self> {
        if json::shape(text) != Shape::Array {
            return Err(Error::field("data", "must be an array of objects"));
        }
        let mut reading = Reading { records: Self::default(), most, error: None };
        let read = serde_json::Deserializer::from_str(text).deserialize_seq(&mut reading);
        match (reading.error, read) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(Error::field("data", error.to_string())),
            (None, Ok(())) => Ok(reading.records),
        }
    }

    /// Takes records that were stored before, joined by commas.
    pub fn stored(joined: &str) -> Self {
        let mut records = Self::default();
        super::history::read::split(joined).into_iter().for_each(|it| records.push(it));
        records
    }

    /// Appends a record, which must be a compact JSON object.
    pub fn push(&mut self, record: &str) {
        let added = i64::try_from(record.len()).unwrap_or(i64::MAX);
        self.bytes += added + i64::from(self.count > 0);
        match self.chunks.last_mut() {
            Some(chunk) if fits(chunk.body.len(), record.len()) => {
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
}

/// Whether a record of `added` bytes goes into a chunk that has `present`.
pub fn fits(present: usize, added: usize) -> bool {
    present + 1 + added <= CHUNK_BYTES
}

/// Takes an array's records one by one, so that they never stand in memory as values.
struct Reading {
    records: Records,
    most: usize,
    error: Option<Error>,
}

impl<'de> Visitor<'de> for &mut Reading {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> std::result::Result<(), A::Error> {
        let mut index = 0;
        let mut record = String::new();
        while let Some(text) = array.next_element::<&RawValue>()? {
            if index == self.most {
                let message = format!("has more than {} records", self.most);
                self.error = Some(Error::field("data", message));
                return Err(de::Error::custom("too many"));
            }
            record.clear();
            if let Err(error) = object(text.get(), &format_args!("data[{index}]"), &mut record) {
                self.error = Some(error);
                return Err(de::Error::custom("not a record"));
            }
            self.records.push(&record);
            index += 1;
        }
        Ok(())
    }
}

/// The compact form of a text that must be an object.
///
/// # Errors
/// `Fields` with `field`.
pub fn object(text: &str, field: &dyn std::fmt::Display, out: &mut String) -> Result<()> {
    if json::shape(text) != Shape::Object {
        return Err(Error::field(field.to_string(), "must be an object"));
    }
    json::compact(text, out).map_err(|odd| Error::field(field.to_string(), odd.to_string()))
}

/// Checks the values of a record's known columns. A missing or null value is allowed, and so is
/// any value under a key that the kind does not know.
///
/// # Errors
/// `Fields` with every column at fault, such as `data.value`.
pub fn check_types(record: &Object, columns: &[Column]) -> Result<()> {
    let mut wrong = Vec::new();
    for (key, value) in &record.0 {
        let Some(column) = columns.iter().find(|it| it.key == *key) else { continue };
        if let Some(message) = mismatch(column.column_type, json::shape(value.get())) {
            wrong.push(FieldError { field: format!("data.{key}"), message: message.to_owned() });
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Error::Fields(wrong)) }
}

fn mismatch(wanted: ColumnType, found: Shape) -> Option<&'static str> {
    match (wanted, found) {
        (_, Shape::Null)
        | (ColumnType::Text | ColumnType::Date, Shape::Text | Shape::Number)
        | (ColumnType::Number, Shape::Number)
        | (ColumnType::Boolean, Shape::Boolean)
        | (ColumnType::Color, Shape::Text) => None,
        (ColumnType::Text, _) => Some("must be a text or a number"),
        (ColumnType::Date, _) => Some("must be a date as text or a number"),
        (ColumnType::Number, _) => Some("must be a number"),
        (ColumnType::Boolean, _) => Some("must be true or false"),
        (ColumnType::Color, _) => Some("must be a colour as text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(records: &Records) -> String {
        let bodies: Vec<&str> = records.chunks.iter().map(|it| it.body.as_str()).collect();
        bodies.join(",")
    }

    #[test]
    fn chunks_hold_every_record_once_and_stay_small() {
        let list: Vec<String> = (0..1000)
            .map(|it| format!("{{\"label\":\"Region {it}\",\"value\":{it}.50}}"))
            .collect();
        let records = Records::parse(&format!("[{}]", list.join(" ,\n")), 1000).unwrap();
        assert_eq!(joined(&records), list.join(","));
        assert_eq!(records.count, 1000);
        assert_eq!(records.bytes as usize, list.join(",").len());
        let mut next = 0;
        for chunk in &records.chunks {
            assert!(chunk.body.len() <= CHUNK_BYTES);
            assert_eq!(chunk.first, next);
            next += chunk.count;
        }
        assert_eq!(next, 1000);
    }

    #[test]
    fn what_is_not_an_array_of_objects_is_named() {
        let check = |text: &str, want: &str| {
            assert_eq!(Records::parse(text, 2).unwrap_err().to_string(), want, "{text}");
        };
        check("{}", "data: must be an array of objects");
        check("[{},1]", "data[1]: must be an object");
        check("[{},{\"a\":1e999}]", "data[1]: has a number that is out of range");
        check("[{},{},{}]", "data: has more than 2 records");
        assert_eq!(Records::parse("[ ]", 2).unwrap(), Records::default());
    }

    #[test]
    fn known_columns_are_checked_and_others_are_free() {
        let column = |key: &str, column_type| Column {
            key: key.to_owned(),
            title: key.to_owned(),
            column_type,
            role: String::new(),
            required: true,
            repeats: false,
        };
        let columns = [column("label", ColumnType::Text), column("value", ColumnType::Number)];
        let check = |text: &str| {
            check_types(&Object::parse(text).unwrap(), &columns).map_err(|it| it.to_string())
        };
        assert_eq!(check(r#"{"label":2024,"value":-1.5,"more":[1]}"#), Ok(()));
        assert_eq!(check(r#"{"value":null}"#), Ok(()));
        assert_eq!(check(r#"{"value":"12"}"#), Err("data.value: must be a number".to_owned()));
        assert_eq!(
            check(r#"{"label":{},"value":true}"#),
            Err("data.label: must be a text or a number; data.value: must be a number".to_owned())
        );
    }
}
