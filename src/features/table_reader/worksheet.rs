//! The cells of a worksheet as a spreadsheet program shows them, without headings and types of columns.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use serde::Serialize;
use serde::Serializer;
use serde_json::Number;

use super::date_format::DateFormat;
use super::serial_date;

/// Name and id of a worksheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SheetName {
    /// Id that does not depend on the order of the worksheets. In Excel files since 2007, it does not
    /// depend on the name either. In other files with worksheets it is the name, and `0` in text files.
    pub id: String,
    pub name: String,
}

/// The worksheets of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workbook {
    /// Visible worksheets in their order, or all if all are hidden.
    pub sheets: Vec<SheetName>,
    /// Whether the file has exactly one worksheet without a choice, as text files do.
    pub is_static: bool,
}

/// A worksheet of a file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Worksheet {
    pub name: String,
    pub sheet_id: String,
    /// Rows from row 1, each from column A. A row ends with its last cell that is not empty, and the
    /// worksheet with its last row that is not empty. Includes hidden rows and columns.
    pub rows: Vec<Vec<WorksheetCell>>,
}

/// A cell of a worksheet. It has 24 bytes, because a worksheet may have millions.
#[derive(Debug, Clone, PartialEq)]
pub enum WorksheetCell {
    /// A text, `TRUE` or `FALSE`, an error such as `#N/A`, or an empty text for an empty cell.
    Text(String),
    /// A number. It is an integer in JSON too if it has no fraction.
    Number(Number),
    Date(DateCell),
}

/// Type of a date cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DateKind {
    /// A date without a time.
    Date,
    /// A date with a time other than midnight.
    DateTime,
    /// A time of day without a date.
    Time,
    /// Hours, minutes and seconds that may exceed a day.
    Duration,
}

/// A date, a time or a duration in a cell. The texts are computed when they are needed.
#[derive(Debug, Clone, PartialEq)]
pub struct DateCell(DateSource);

/// Content of a [`DateCell`] in 16 bytes.
#[derive(Debug, Clone, PartialEq)]
enum DateSource {
    /// Milliseconds since 1899-12-30 in the count of days since 1900, with the precision of the format.
    Serial { ms: i64, format: Arc<DateFormat> },
    /// A date of a file that stores the displayed text.
    Displayed(Box<DisplayedDate>),
}

/// A date with its displayed text.
#[derive(Debug, Clone, PartialEq)]
struct DisplayedDate {
    kind: DateKind,
    display_value: Box<str>,
    date_string: Box<str>,
    format: Arc<DateFormat>,
}

impl WorksheetCell {
    /// Creates an empty cell.
    pub(super) fn empty() -> Self {
        Self::Text(String::new())
    }

    /// Returns whether the cell has no content.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }
}

impl DateCell {
    /// Creates a date from milliseconds since 1899-12-30, which are not negative and have the precision
    /// of the format.
    pub(super) fn from_ms(ms: i64, format: Arc<DateFormat>) -> Self {
        Self(DateSource::Serial { ms, format })
    }

    /// Creates a date with the texts of a file.
    pub(super) fn from_texts(
        kind: DateKind,
        display_value: &str,
        date_string: &str,
        format: Arc<DateFormat>,
    ) -> Self {
        let [display_value, date_string] = [display_value, date_string].map(Box::from);
        Self(DateSource::Displayed(Box::new(DisplayedDate {
            kind,
            display_value,
            date_string,
            format,
        })))
    }

    /// Returns the type, which follows from the value: a number of days without a fraction is a date
    /// even if the format shows a time. Only the format tells a duration from a time.
    pub fn kind(&self) -> DateKind {
        match &self.0 {
            DateSource::Displayed(date) => date.kind,
            DateSource::Serial { format, .. } if format.is_duration => DateKind::Duration,
            DateSource::Serial { ms, .. } if *ms < serial_date::DAY_MS => DateKind::Time,
            DateSource::Serial { ms, .. } if ms % serial_date::DAY_MS == 0 => DateKind::Date,
            DateSource::Serial { .. } => DateKind::DateTime,
        }
    }

    /// Returns the text that the cell shows, such as `3/31/2024`.
    pub fn display_value(&self) -> Cow<'_, str> {
        match &self.0 {
            DateSource::Serial { ms, format } => Cow::Owned(format.render(*ms)),
            DateSource::Displayed(date) => Cow::Borrowed(&date.display_value),
        }
    }

    /// Returns an upper bound of the size of [`Self::display_value`] in bytes.
    pub(super) fn max_display_bytes(&self) -> usize {
        match &self.0 {
            DateSource::Serial { format, .. } => format.max_text_bytes(),
            DateSource::Displayed(date) => date.display_value.len(),
        }
    }

    /// Returns the date in ISO 8601 without a zone: `2024-03-31`, `2024-03-31T13:05:00` or `13:05:00`,
    /// with milliseconds unless they are zero. The hours of a duration may exceed 24.
    pub fn date_string(&self) -> Cow<'_, str> {
        match &self.0 {
            DateSource::Serial { ms, format } if format.is_duration => {
                Cow::Owned(serial_date::format_time(*ms))
            }
            DateSource::Serial { ms, .. } => Cow::Owned(serial_date::format_date_ms(*ms)),
            DateSource::Displayed(date) => Cow::Borrowed(&date.date_string),
        }
    }

    /// Returns the number format, such as `m/d/yyyy`.
    pub fn formatting_string(&self) -> &str {
        match &self.0 {
            DateSource::Serial { format, .. } => &format.code,
            DateSource::Displayed(date) => &date.format.code,
        }
    }
}

/// JSON form of a [`DateCell`].
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorksheetDate")]
struct DateCellBody<'a> {
    r#type: DateKind,
    /// Text that the cell shows, such as `3/31/2024`.
    display_value: Cow<'a, str>,
    /// Date or time in ISO 8601 without a zone.
    date_string: Cow<'a, str>,
    /// Number format, such as `m/d/yyyy`.
    formatting_string: &'a str,
}

/// JSON form of a [`WorksheetCell`].
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the schema; `serialize` writes the cells without a copy")]
enum WorksheetCellBody<'a> {
    Text(String),
    Number(f64),
    Date(DateCellBody<'a>),
}

impl Serialize for WorksheetCell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => number.serialize(serializer),
            Self::Date(date) => DateCellBody {
                r#type: date.kind(),
                display_value: date.display_value(),
                date_string: date.date_string(),
                formatting_string: date.formatting_string(),
            }
            .serialize(serializer),
        }
    }
}

impl JsonSchema for WorksheetCell {
    fn schema_name() -> Cow<'static, str> {
        "WorksheetCell".into()
    }

    /// Returns the schema of `WorksheetCellBody`.
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        WorksheetCellBody::json_schema(schemas)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cell_is_small() {
        assert_eq!(size_of::<WorksheetCell>(), 24);
    }

    #[test]
    fn cells_become_json() {
        let format = Arc::new(DateFormat::compile("m/d/yyyy h:mm"));
        let date = |ms| WorksheetCell::Date(DateCell::from_ms(ms, Arc::clone(&format)));
        let day = serial_date::DAY_MS;
        let cells = [
            WorksheetCell::empty(),
            WorksheetCell::Text("a\"b".to_owned()),
            WorksheetCell::Number(5.into()),
            WorksheetCell::Number(Number::from_f64(0.5).unwrap()),
            date(45_382 * day),
            date(45_382 * day + 47_100_000),
            date(47_100_000),
        ];
        let object = |kind: &str, display: &str, iso: &str| {
            json!({
                "type": kind, "display_value": display, "date_string": iso,
                "formatting_string": "m/d/yyyy h:mm",
            })
        };
        assert_eq!(
            serde_json::to_value(&cells).unwrap(),
            json!([
                "",
                "a\"b",
                5,
                0.5,
                object("date", "3/31/2024 0:00", "2024-03-31"),
                object("datetime", "3/31/2024 13:05", "2024-03-31T13:05:00"),
                object("time", "1/0/1900 13:05", "13:05:00"),
            ])
        );
        let schema = serde_json::to_value(schemars::schema_for!(Worksheet)).unwrap();
        let cell = &schema["$defs"]["WorksheetCell"]["anyOf"];
        assert_eq!(cell[1]["type"], "number", "{schema}");
        assert_eq!(cell[2]["$ref"], "#/$defs/WorksheetDate", "{schema}");
    }
}
