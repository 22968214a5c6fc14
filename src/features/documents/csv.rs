//! Records from a table as CSV text: the first row names the columns.
//!
//! Columns go to the kind's columns by key or title; what the kind needs and nothing was named for is
//! taken from the columns that are left, by what they hold. Numbers may carry thousands separators.

use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use super::json::Object;
use super::records::Records;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Most columns of a table.
const MAX_COLUMNS: usize = 1000;

/// A table as it was sent.
pub struct Table {
    /// One a column.
    headings: Vec<String>,
    /// Rows of as many cells as there are headings.
    rows: Vec<Vec<String>>,
    /// Whether a comma is the decimal mark: so it is where a semicolon parts the cells.
    decimal_comma: bool,
}

/// The records of a table, and where they go.
pub struct Mapped {
    pub records: Records,
    /// Key and heading of the columns that repeat, for the settings.
    pub repeated: Vec<(String, String)>,
}

impl Table {
    /// Reads CSV text (RFC 4180; commas, semicolons or tabs part the cells).
    ///
    /// # Errors
    /// `Fields` about `body`, with the row.
    pub fn parse(bytes: &[u8], most_rows: usize) -> Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(|_| refused("is not valid UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}');
        let delimiter = delimiter(text);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let headings: Vec<String> = reader
            .headers()
            .map_err(|error| refused(&error.to_string()))?
            .iter()
            .map(str::to_owned)
            .collect();
        if headings.iter().all(String::is_empty) {
            return Err(refused("has no first row that names the columns"));
        }
        if headings.len() > MAX_COLUMNS {
            return Err(refused(&format!("has more than {MAX_COLUMNS} columns")));
        }
        let mut rows = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| refused(&error.to_string()))?;
            if row.len() > headings.len() {
                let line = row.position().map_or(0, csv::Position::line);
                return Err(refused(&format!("has more cells than columns in line {line}")));
            }
            if row.iter().all(str::is_empty) {
                continue;
            }
            if rows.len() == most_rows {
                return Err(Error::field("data", format!("has more than {most_rows} records")));
            }
            let mut cells: Vec<String> = row.iter().map(str::to_owned).collect();
            cells.resize(headings.len(), String::new());
            rows.push(cells);
        }
        Ok(Self { headings, rows, decimal_comma: delimiter == b';' })
    }

    /// The records for a kind of these columns.
    pub fn records(&self, columns: &[Column]) -> Result<Mapped> {
        let contents: Vec<Content> = (0..self.headings.len()).map(|it| self.content(it)).collect();
        let places = self.places(columns, &contents);
        let mut records = Records::default();
        for row in &self.rows {
            let mut record = Object::default();
            for ((cell, place), content) in row.iter().zip(&places).zip(&contents) {
                if !cell.is_empty() {
                    let column_type = place.column.map(|it| it.column_type);
                    record.set(&place.key, raw(cell, column_type, content)?);
                }
            }
            records.push(&record.text()?);
        }
        let repeated = places
            .iter()
            .filter(|it| it.column.is_some_and(|column| column.repeats))
            .map(|it| (it.key.clone(), it.heading.clone()));
        Ok(Mapped { repeated: repeated.collect(), records })
    }

    /// What a column's cells all are.
    fn content(&self, index: usize) -> Content {
        let cells = || self.rows.iter().map(|row| row[index].as_str()).filter(|it| !it.is_empty());
        if cells().next().is_none() {
            return Content::Empty;
        }
        let numbers = |comma| cells().all(|cell| number(cell, comma).is_some());
        // A column that reads as numbers only the other way round is of the other way round.
        match [self.decimal_comma, !self.decimal_comma].into_iter().find(|it| numbers(*it)) {
            Some(decimal_comma) => Content::Numbers { decimal_comma },
            None => Content::Texts,
        }
    }

    /// Where each column of the table goes.
    fn places<'a>(&self, columns: &'a [Column], contents: &[Content]) -> Vec<Place<'a>> {
        let mut places: Vec<Place<'a>> = self
            .headings
            .iter()
            .enumerate()
            .map(|(index, heading)| Place {
                key: if heading.is_empty() {
                    format!("column{}", index + 1)
                } else {
                    heading.clone()
                },
                heading: heading.clone(),
                column: None,
            })
            .collect();
        let named = |column: &&Column, heading: &str| {
            heading == column.key || heading.to_lowercase() == column.title.to_lowercase()
        };
        for place in &mut places {
            let found = columns.iter().find(|it| !it.repeats && named(it, &place.heading));
            place.take(found);
        }
        for column in columns.iter().filter(|it| it.required && !it.repeats) {
            let is_there =
                places.iter().any(|it| it.column.is_some_and(|has| has.key == column.key));
            let free = places.iter_mut().zip(contents).find(|(place, content)| {
                place.column.is_none() && content.suits(column.column_type)
            });
            if let (false, Some((place, _))) = (is_there, free) {
                place.take(Some(column));
            }
        }
        if let Some(series) = columns.iter().find(|it| it.repeats) {
            let free = places.iter_mut().zip(contents);
            for (place, content) in free {
                if place.column.is_none() && content.suits(series.column_type) {
                    // Repeated columns keep keys of their own.
                    place.column = Some(series);
                }
            }
        }
        places
    }
}

/// The settings of a document that now has these repeated columns: its list of them is written
/// anew, unless it names the same ones. None when nothing changes.
pub fn settings_with(
    settings: &str,
    columns: &[Column],
    repeated: &[(String, String)],
) -> Result<Option<String>> {
    let Some(column) = columns.iter().find(|it| it.repeats) else { return Ok(None) };
    let setting = if column.role == "series" { "series" } else { "columns" };
    let mut settings = Object::parse(settings)?;
    let present = settings.0.iter().find(|(key, _)| key == setting).map(|it| it.1.get());
    let present: Value = serde_json::from_str(present.unwrap_or("null"))?;
    let names = present.as_array().map_or(&[][..], |it| &it[..]);
    let is_same = names.len() == repeated.len()
        && names.iter().zip(repeated).all(|(name, (key, _))| name["key"] == **key);
    if is_same || repeated.is_empty() {
        return Ok(None);
    }
    let list: Vec<Value> =
        repeated.iter().map(|(key, title)| json!({ "key": key, "title": title })).collect();
    settings.set(setting, RawValue::from_string(serde_json::to_string(&list)?)?);
    Ok(Some(settings.text()?))
}

/// A column of the table in the records.
struct Place<'a> {
    key: String,
    heading: String,
    column: Option<&'a Column>,
}

impl<'a> Place<'a> {
    fn take(&mut self, column: Option<&'a Column>) {
        if let Some(column) = column {
            self.key.clone_from(&column.key);
            self.column = Some(column);
        }
    }
}

/// What the cells of a column are.
enum Content {
    /// There are none.
    Empty,
    /// Numbers, all of them.
    Numbers { decimal_comma: bool },
    /// Anything else.
    Texts,
}

impl Content {
    fn suits(&self, wanted: ColumnType) -> bool {
        match self {
            Self::Empty => false,
            Self::Numbers { .. } => matches!(wanted, ColumnType::Number | ColumnType::Text),
            Self::Texts => matches!(wanted, ColumnType::Text | ColumnType::Date),
        }
    }
}

/// A cell as JSON.
fn raw(cell: &str, column: Option<ColumnType>, content: &Content) -> Result<Box<RawValue>> {
    let text = match (column, content) {
        (Some(ColumnType::Boolean), _) => boolean(cell).to_string(),
        (Some(ColumnType::Text | ColumnType::Date | ColumnType::Color), _)
        | (_, Content::Texts) => Value::from(cell).to_string(),
        (_, Content::Numbers { decimal_comma }) => {
            number(cell, *decimal_comma).unwrap_or_else(|| "null".to_owned())
        }
        (_, Content::Empty) => "null".to_owned(),
    };
    Ok(RawValue::from_string(text)?)
}

fn boolean(cell: &str) -> bool {
    matches!(cell.to_lowercase().as_str(), "true" | "yes" | "1" | "x")
}

/// The number in a cell, in JSON's spelling. Thousands may be parted by the mark that is not the
/// decimal one, by an apostrophe or by a space; a percent sign is left out.
fn number(cell: &str, decimal_comma: bool) -> Option<String> {
    let cell = cell.strip_suffix('%').map_or(cell, str::trim_end);
    let (sign, digits) = match cell.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => ("-", rest),
        None => ("", cell.strip_prefix('+').unwrap_or(cell)),
    };
    let (decimal, group) = if decimal_comma { (',', '.') } else { ('.', ',') };
    let (whole, fraction) = match digits.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let is_mark = |letter: char| {
        letter == group || matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '\u{2019}')
    };
    let mut groups = whole.split(is_mark);
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let grouped = rest.iter().all(|it| it.len() == 3 && is_digits(it)) && first.len() <= 3;
    // A leading zero belongs to a code, not to an amount.
    let is_code = first.len() > 1 && first.starts_with('0');
    if !is_digits(first) || is_code || !(rest.is_empty() || grouped) {
        return None;
    }
    match fraction {
        Some(fraction) if !is_digits(fraction) => None,
        Some(fraction) => Some(format!("{sign}{first}{}.{fraction}", rest.concat())),
        None => Some(format!("{sign}{first}{}", rest.concat())),
    }
}

/// What parts the cells: of comma, semicolon and tab the one that the first row has most of, outside
/// quotes.
fn delimiter(text: &str) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if quoted => {}
            _ => counts.iter_mut().filter(|it| it.0 == byte).for_each(|it| it.1 += 1),
        }
    }
    // The first of equals: max_by_key would give the last.
    counts.iter().rev().max_by_key(|it| it.1).map_or(b',', |it| it.0)
}

fn refused(message: &str) -> Error {
    Error::field("body", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::portfolio;

    fn read(kind: &str, text: &str) -> Mapped {
        let columns = &portfolio::find(kind).unwrap().columns;
        Table::parse(text.as_bytes(), 100).unwrap().records(columns).unwrap()
    }

    fn bodies(mapped: &Mapped) -> String {
        mapped.records.chunks.iter().map(|it| it.body.as_str()).collect()
    }

    #[test]
    fn columns_go_by_name_and_then_by_what_they_hold() {
        let named = read("bar", "value,Label,Note\n\"1,284.50\",North,a\n-7,South,\n");
        assert_eq!(
            bodies(&named),
            r#"{"value":1284.50,"label":"North","Note":"a"},{"value":-7,"label":"South"}"#
        );
        let typed = read("bar", "\u{feff}Region;Umsatz\r\nNord;1.284,5\r\nSüd;12 %\r\n");
        assert_eq!(bodies(&typed), r#"{"label":"Nord","value":1284.5},{"label":"Süd","value":12}"#);
    }

    #[test]
    fn numbers_are_known_with_separators_and_codes_are_not_numbers() {
        let check = |cell: &str, comma, want: Option<&str>| {
            assert_eq!(number(cell, comma).as_deref(), want, "{cell}");
        };
        check("1,234,567", false, Some("1234567"));
        check("1 234.50", false, Some("1234.50"));
        check("1'234", false, Some("1234"));
        check("1.234,5", true, Some("1234.5"));
        check("-0.5", false, Some("-0.5"));
        check("\u{2212}3", false, Some("-3"));
        check("45 %", false, Some("45"));
        check("1,23", false, None);
        check("12,34,567", false, None);
        check("007", false, None);
        check("1e5", false, None);
        check("", false, None);
        check("2026-01-02", false, None);
    }

    #[test]
    fn a_comma_is_the_decimal_mark_where_nothing_else_fits() {
        let mapped = read("bar", "label\tvalue\nA\t1,5\nB\t22,25\n");
        assert_eq!(bodies(&mapped), r#"{"label":"A","value":1.5},{"label":"B","value":22.25}"#);
    }

    #[test]
    fn repeated_columns_are_named_in_the_settings() {
        let columns = &portfolio::find("grouped-column").unwrap().columns;
        let mapped = read("grouped-column", "Year,Shops,Online,Note\n2020,48.2,21.5,x\n");
        assert_eq!(bodies(&mapped), r#"{"label":"2020","Shops":48.2,"Online":21.5,"Note":"x"}"#);
        let settings = r#"{"mode":"grouped","series":[{"key":"a"}],"axis":{"max":1.50}}"#;
        let series = r#"[{"key":"Shops","title":"Shops"},{"key":"Online","title":"Online"}]"#;
        let want = format!(r#"{{"mode":"grouped","series":{series},"axis":{{"max":1.50}}}}"#);
        let written = settings_with(settings, columns, &mapped.repeated).unwrap();
        assert_eq!(written, Some(want.clone()));
        assert_eq!(settings_with(&want, columns, &mapped.repeated).unwrap(), None);
    }

    #[test]
    fn a_table_that_is_none_is_refused() {
        let check = |bytes: &[u8], want: &str| {
            let error = Table::parse(bytes, 1).err().unwrap().to_string();
            assert_eq!(error, want);
        };
        check(b"", "body: has no first row that names the columns");
        check(b"a,b\n1,2,3\n", "body: has more cells than columns in line 2");
        check(b"a\n1\n2\n", "data: has more than 1 records");
        check(b"a\n\xff\n", "body: is not valid UTF-8");
    }
}
