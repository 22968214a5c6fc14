//! A table as a CSV file (RFC 4180) in UTF-8 without a byte order mark.
//!
//! A byte order mark would become part of the first heading in most programs. Spreadsheet programs
//! that need one read the XLSX file.

use super::Cell;
use super::ExportTable;
use super::MAX_FILE_BYTES;
use super::too_large;
use chartroom_platform::csv;
use chartroom_platform::error::Result;

/// Writes the headings and the records as CSV. Dates stay as they are stored. A text that a spreadsheet
/// would evaluate as a formula gets an apostrophe, but a number does not.
///
/// # Errors
/// `TooLarge` if the file would exceed `MAX_FILE_BYTES`.
pub fn write_csv(table: &ExportTable<'_>) -> Result<Vec<u8>> {
    let mut out = String::new();
    for (index, column) in table.columns.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        csv::push_value(&mut out, &column.heading);
    }
    out.push_str("\r\n");
    table.for_each_row(|cells| {
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            match cell {
                Cell::Empty => {}
                Cell::Number(text) => out.push_str(text),
                Cell::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
                Cell::Date(_, text) | Cell::Text(text) => csv::push_value(&mut out, text),
                Cell::Json(text) => csv::push_value(&mut out, text),
            }
        }
        out.push_str("\r\n");
        match out.len() > MAX_FILE_BYTES {
            true => Err(too_large("the records are too large")),
            false => Ok(()),
        }
    })?;
    Ok(out.into_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn formulas_are_defused_and_numbers_are_not() {
        let records =
            r#"{"label":"=1+1","value":-2},{"label":"a, \"b\"","value":1e21},{"label":"é"}"#;
        let table = ExportTable::new(records, None, &json!({})).unwrap();
        let text = String::from_utf8(write_csv(&table).unwrap()).unwrap();
        assert_eq!(text, "label,value\r\n'=1+1,-2\r\n\"a, \"\"b\"\"\",1e+21\r\né,\r\n");
    }
}
