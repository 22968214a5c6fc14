//! Tables in JSON: an array of arrays, the first of which has the headings.

use std::fmt;

use serde::Deserializer;
use serde::de;
use serde::de::DeserializeSeed;
use serde::de::SeqAccess;
use serde::de::Visitor;

use super::cell_sink::CellSink;
use super::limits::Limits;
use super::number_format::CellFormat;
use super::report::TableFormat;
use super::sheet_cells::SheetCells;
use super::table::Table;
use super::text_options::TextOptions;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Byte order mark of UTF-8, which some programs write before JSON.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns a JSON text without its byte order mark.
pub fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Returns whether a JSON text starts like an array of arrays. Does not parse the rest.
pub(super) fn is_table(bytes: &[u8]) -> bool {
    let rest = without_byte_order_mark(bytes).trim_ascii_start().strip_prefix(b"[");
    rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"["))
}

/// Reads a table from an array of arrays of strings, numbers, booleans and nulls.
///
/// # Errors
/// The errors of [`read_cells`] and of [`SheetCells::finish`].
pub(super) fn read<'a>(bytes: &[u8], limits: Limits, options: TextOptions) -> Result<Table<'a>> {
    read_cells(bytes, limits)?.finish(options)
}

/// Reads the cells of an array of arrays of strings, numbers, booleans and nulls.
///
/// # Errors
/// `InvalidFields` about `body` with the place of the first mistake, or about a limit.
pub(super) fn read_cells(bytes: &[u8], limits: Limits) -> Result<SheetCells> {
    let mut cells = SheetCells::new(TableFormat::Json, limits, false);
    let mut error = None;
    let mut reader = serde_json::Deserializer::from_slice(without_byte_order_mark(bytes));
    let rows = Rows { cells: &mut cells, error: &mut error };
    let read = reader.deserialize_seq(rows).and_then(|()| reader.end());
    match (error, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(Error::invalid_field("body", error.to_string())),
        (None, Ok(())) => Ok(cells),
    }
}

/// Reads the outer array.
struct Rows<'a> {
    cells: &'a mut SheetCells,
    /// Error to report instead of the error of the deserializer.
    error: &'a mut Option<Error>,
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of arrays")
    }

    /// Adds the inner arrays as rows, counted from 0.
    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> std::result::Result<(), A::Error> {
        let mut row = 0;
        while rows
            .next_element_seed(Row { cells: &mut *self.cells, error: &mut *self.error, row })?
            .is_some()
        {
            row += 1;
        }
        Ok(())
    }
}

/// Reads an inner array.
struct Row<'a> {
    cells: &'a mut SheetCells,
    error: &'a mut Option<Error>,
    row: u32,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> std::result::Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of cells")
    }

    /// Adds the values of the array as cells of the row, in columns counted from 0.
    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> std::result::Result<(), A::Error> {
        let mut column = 0;
        loop {
            let address = (self.row, column);
            let cell = JsonCell { cells: &mut *self.cells, error: &mut *self.error, address };
            if row.next_element_seed(cell)?.is_none() {
                return Ok(());
            }
            column += 1;
        }
    }
}

/// Reads a cell.
struct JsonCell<'a> {
    cells: &'a mut SheetCells,
    error: &'a mut Option<Error>,
    address: (u32, u32),
}

impl JsonCell<'_> {
    /// Stores an error for [`read`], and returns a substitute that ends the reading.
    fn check<E: de::Error>(self, result: Result<()>) -> std::result::Result<(), E> {
        result.map_err(|error| {
            *self.error = Some(error);
            E::custom("invalid cell")
        })
    }
}

impl<'de> DeserializeSeed<'de> for JsonCell<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> std::result::Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonCell<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a number, true, false or null")
    }

    /// Ignores `null`, which is an empty cell.
    fn visit_unit<E: de::Error>(self) -> std::result::Result<(), E> {
        Ok(())
    }

    /// Adds a boolean at the address of the cell.
    fn visit_bool<E: de::Error>(self, value: bool) -> std::result::Result<(), E> {
        let (row, column) = self.address;
        let result = self.cells.push_boolean(row, column, value);
        self.check(result)
    }

    /// Adds a whole number at the address of the cell, with all its digits.
    fn visit_i64<E: de::Error>(self, value: i64) -> std::result::Result<(), E> {
        let (row, column) = self.address;
        let result = self.cells.push_integer(row, column, &value.to_string());
        self.check(result)
    }

    /// Adds a whole number at the address of the cell, with all its digits.
    fn visit_u64<E: de::Error>(self, value: u64) -> std::result::Result<(), E> {
        let (row, column) = self.address;
        let result = self.cells.push_integer(row, column, &value.to_string());
        self.check(result)
    }

    /// Adds a number at the address of the cell.
    fn visit_f64<E: de::Error>(self, value: f64) -> std::result::Result<(), E> {
        let (row, column) = self.address;
        let result = self.cells.push_number(row, column, value, CellFormat::default());
        self.check(result)
    }

    /// Adds a text at the address of the cell. A blank one is an empty cell.
    fn visit_str<E: de::Error>(self, value: &str) -> std::result::Result<(), E> {
        let (row, column) = self.address;
        let result = self.cells.push_text(row, column, value);
        self.check(result)
    }
}
