//! Replacement of columns in a CSV text.

use std::borrow::Cow;

use super::csv_rows::CsvRows;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::number_dates::NumberDate;
use chartroom_platform::error::Result;

/// Returns a CSV text in which ISO dates replace the cells of the columns `dates` that their
/// notation can read. The first `rows_above` rows, not counting blank lines, keep their cells.
/// Blank lines and whitespace around cells are lost. Without `dates`, returns the text unchanged.
///
/// # Errors
/// `InvalidFields` about `body` if a row has too many cells.
pub(super) fn replace_dates<'a>(
    text: Cow<'a, str>,
    delimiter: u8,
    rows_above: usize,
    dates: &[(usize, NumberDate)],
) -> Result<Cow<'a, str>> {
    if dates.is_empty() {
        return Ok(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rows = CsvRows::new(&text, delimiter, MAX_COLUMNS);
    let mut index = 0;
    let too_many = |_| body_error(format!("has more than {MAX_COLUMNS} columns"));
    while let Some(row) = rows.next_row().map_err(too_many)? {
        for (column, cell) in row.cells().enumerate() {
            if column > 0 {
                out.push(char::from(delimiter));
            }
            let notation = dates.iter().find(|(known, _)| *known == column && index >= rows_above);
            match notation.and_then(|(_, notation)| notation.to_iso(cell)) {
                Some(iso) => out.push_str(&iso),
                None => push_cell(&mut out, cell, delimiter),
            }
        }
        // A line without separators would be skipped.
        if row.len() == 1 && row.cell(0).is_empty() {
            out.push_str("\"\"");
        }
        out.push('\n');
        index += 1;
    }
    Ok(Cow::Owned(out))
}

/// Appends a cell, in quotation marks if necessary. Quotation marks in it are doubled.
pub(super) fn push_cell(out: &mut String, cell: &str, delimiter: u8) {
    let needs_quotes = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if cell.bytes().any(needs_quotes) {
        out.push('"');
        out.push_str(&cell.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_columns_of_dates_below_the_headings_change() {
        let text = "45292;Date\n\"a;\"\"b\";45292\n\n;n/a\n45292; 45293 \n";
        let dates = [(1, NumberDate::Serial { is_1904: false })];
        let replaced = replace_dates(text.into(), b';', 1, &dates).unwrap();
        let want = "45292;Date\n\"a;\"\"b\";2024-01-01\n;n/a\n45292;2024-01-02\n";
        assert_eq!(replaced, want);
    }
}
