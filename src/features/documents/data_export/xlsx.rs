//! A table as an XLSX file (ECMA-376) with one worksheet. Texts are inline, so that no list of texts
//! is in memory.

use std::io::Write;

use super::Cell;
use super::Date;
use super::ExportTable;
use super::MAX_FILE_BYTES;
use super::too_large;
use super::zip_writer::PartWriter;
use super::zip_writer::ZipWriter;
use chartroom_platform::error::Result;

/// Maximum number of rows of a worksheet, with the headings.
const MAX_ROWS: usize = 1_048_576;
/// Maximum length of a text in a cell, in UTF-16 units.
const MAX_TEXT_UNITS: usize = 32_767;
/// Maximum length of the name of a worksheet, in UTF-16 units.
const MAX_NAME_UNITS: usize = 31;
/// Maximum size of the worksheet in bytes before compression.
const MAX_SHEET_BYTES: usize = 4 * MAX_FILE_BYTES;

/// Numbers of the formats in [`STYLES`].
const HEADING_STYLE: u32 = 1;
const DATE_STYLE: u32 = 2;
const TIME_STYLE: u32 = 3;

/// Days from 30 December 1899, day 0 of spreadsheets, to 1 January 1970.
const EPOCH_DAYS: f64 = 25_569.0;
/// The first day, 1 March 1900, that all spreadsheets number alike.
const FIRST_COMMON_DAY: f64 = 61.0;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

const CONTENT_TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#;

const PACKAGE_RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;

const WORKBOOK_RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;

const STYLES: &str = r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>"#;

/// Beginning of the worksheet. The row of the headings stays visible.
const SHEET_START: &str = r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>"#;

const SHEET_END: &str = "</sheetData></worksheet>";

/// Writes the headings and the records as XLSX. `title` names the worksheet. Numbers, booleans and dates
/// are values of these types. Texts are never formulas.
///
/// # Errors
/// `TooLarge` if a text, the rows or the file exceed the limits.
pub fn write_xlsx(table: &ExportTable<'_>, title: &str) -> Result<Vec<u8>> {
    if table.records.len() >= MAX_ROWS {
        return Err(too_large("there are too many records"));
    }
    let mut file = ZipWriter::default();
    let workbook = format!(
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="{}" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
        escape_text(&sheet_name(title))
    );
    for (name, text) in [
        ("[Content_Types].xml", CONTENT_TYPES),
        ("_rels/.rels", PACKAGE_RELATIONS),
        ("xl/workbook.xml", &workbook),
        ("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS),
        ("xl/styles.xml", STYLES),
    ] {
        file.add_part(name, |part| Ok(write!(part, "{DECLARATION}{text}")?))?;
    }
    file.add_part("xl/worksheets/sheet1.xml", |part| write_sheet(table, part))?;
    let bytes = file.finish()?;
    match bytes.len() > MAX_FILE_BYTES {
        true => Err(too_large("the records are too large")),
        false => Ok(bytes),
    }
}

/// Writes the worksheet.
fn write_sheet(table: &ExportTable<'_>, part: &mut PartWriter<'_>) -> Result<()> {
    let names: Vec<String> = (0..table.columns.len()).map(column_name).collect();
    write!(part, "{DECLARATION}{SHEET_START}<row r=\"1\">")?;
    for (column, name) in table.columns.iter().zip(&names) {
        write_text(part, &format!("{name}1"), HEADING_STYLE, &column.heading)?;
    }
    part.write_all(b"</row>")?;
    let mut row = 1;
    table.for_each_row(|cells| {
        row += 1;
        write!(part, "<row r=\"{row}\">")?;
        for (cell, name) in cells.iter().zip(&names) {
            write_cell(part, &format!("{name}{row}"), cell)?;
        }
        part.write_all(b"</row>")?;
        match part.size() > MAX_SHEET_BYTES {
            true => Err(too_large("the records are too large")),
            false => Ok(()),
        }
    })?;
    Ok(part.write_all(SHEET_END.as_bytes())?)
}

/// Writes a cell at an address such as `B7`. Writes nothing for an empty one.
fn write_cell(part: &mut PartWriter<'_>, address: &str, cell: &Cell<'_>) -> Result<()> {
    match cell {
        Cell::Empty => Ok(()),
        Cell::Number(text) => Ok(write!(part, "<c r=\"{address}\"><v>{text}</v></c>")?),
        Cell::Boolean(value) => {
            let digit = u8::from(*value);
            Ok(write!(part, "<c r=\"{address}\" t=\"b\"><v>{digit}</v></c>")?)
        }
        Cell::Date(date, text) => match serial_number(*date) {
            Some(number) => {
                let style = if date.has_time { TIME_STYLE } else { DATE_STYLE };
                Ok(write!(part, "<c r=\"{address}\" s=\"{style}\"><v>{number}</v></c>")?)
            }
            None => write_text(part, address, 0, text),
        },
        Cell::Text(text) => write_text(part, address, 0, text),
        Cell::Json(text) => write_text(part, address, 0, text),
    }
}

/// Writes a cell with a text.
///
/// # Errors
/// `TooLarge` if it is longer than spreadsheet programs allow.
fn write_text(part: &mut PartWriter<'_>, address: &str, style: u32, text: &str) -> Result<()> {
    if text.len() > MAX_TEXT_UNITS && text.encode_utf16().count() > MAX_TEXT_UNITS {
        return Err(too_large("a text has more than 32,767 characters, which is too long"));
    }
    let text = escape_text(text);
    let start = format!("<c r=\"{address}\" s=\"{style}\" t=\"inlineStr\">");
    Ok(write!(part, "{start}<is><t xml:space=\"preserve\">{text}</t></is></c>")?)
}

/// Returns the number of a date in spreadsheets: days since 30 December 1899. None for dates that not
/// all spreadsheets number alike.
fn serial_number(date: Date) -> Option<f64> {
    let days = date.seconds / 86_400.0 + EPOCH_DAYS;
    (days >= FIRST_COMMON_DAY).then_some(days)
}

/// Returns the letters of a column by its index: A, B, … Z, AA.
fn column_name(mut index: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + (index % 26) as u8));
        match index / 26 {
            0 => break,
            rest => index = rest - 1,
        }
    }
    letters.into_iter().rev().collect()
}

/// Returns a valid name for the worksheet: the title without characters that are not allowed, cut to
/// the maximum length. `Data` if nothing remains.
fn sheet_name(title: &str) -> String {
    let is_allowed = |letter: &char| !letter.is_control() && !r"[]:*?/\".contains(*letter);
    let mut name = String::new();
    let mut units = 0;
    for letter in title.trim().chars().filter(is_allowed) {
        units += letter.len_utf16();
        if units > MAX_NAME_UNITS {
            break;
        }
        name.push(letter);
    }
    let name = name.trim().trim_matches('\'');
    // Excel reserves the name "History".
    let is_valid = !name.is_empty() && !name.eq_ignore_ascii_case("history");
    if is_valid { name.to_owned() } else { "Data".to_owned() }
}

/// Escapes a text for XML. Characters that XML does not allow get the form `_x0001_`, and texts of
/// this form get `_x005F_` for their first character (ECMA-376, 22.9.2.19).
fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, letter) in text.char_indices() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '_' if is_escape(&text[index..]) => out.push_str("_x005F_"),
            '\t' | '\n' => out.push(letter),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("_x{:04X}_", u32::from(letter)));
            }
            _ => out.push(letter),
        }
    }
    out
}

/// Returns whether a text begins with an escape such as `_x0001_`.
fn is_escape(text: &str) -> bool {
    let Some(code) = text.strip_prefix("_x") else { return false };
    let bytes = code.as_bytes();
    bytes.len() >= 5 && bytes[..4].iter().all(u8::is_ascii_hexdigit) && bytes[4] == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::documents::data_export::parse_date;

    #[test]
    fn columns_are_named_with_letters() {
        for (index, name) in
            [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")]
        {
            assert_eq!(column_name(index), name);
        }
    }

    #[test]
    fn names_of_worksheets_are_valid() {
        assert_eq!(sheet_name("Sales 2024/25: [EU]?"), "Sales 202425 EU");
        assert_eq!(sheet_name("'quoted'"), "quoted");
        assert_eq!(sheet_name(" :/ "), "Data");
        assert_eq!(sheet_name("History"), "Data");
        assert_eq!(sheet_name(&"😀".repeat(40)).encode_utf16().count(), 30);
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            escape_text("<a & \"b\">\u{1}\r\n_x0041_ _x"),
            "&lt;a &amp; &quot;b&quot;&gt;_x0001__x000D_\n_x005F_x0041_ _x"
        );
    }

    #[test]
    fn dates_have_the_numbers_of_spreadsheets() {
        let number = |text: &str| serial_number(parse_date(text).unwrap());
        assert_eq!(number("2024-03-09"), Some(45_360.0));
        assert_eq!(number("2024-03-09T12:00"), Some(45_360.5));
        assert_eq!(number("1900-03-01"), Some(61.0));
        assert_eq!(number("1900-02-28"), None);
    }
}
