//! Reader of workbooks of Excel 2007 and newer (ECMA-376): xlsx and xlsm.
//!
//! Reads the parts as streams and keeps only the shared texts and the cells of one worksheet.
//! Formulas give their stored value, and a merged cell gives its value in the first cell.

use std::borrow::Cow;

use super::cell_sink::CellSink;
use super::cell_sink::DateText;
use super::cell_sink::MergedRange;
use super::limits::damaged;
use super::number_format::CellFormat;
use super::number_format::CellFormats;
use super::relations::Relations;
use super::report::TableFormat;
use super::report::parse_cell_address;
use super::serial_date;
use super::shared_strings::SharedStrings;
use super::sheet_list;
use super::sheet_list::SheetEntry;
use super::workbook::SharedContent;
use super::workbook::SheetList;
use super::workbook::WorkbookParts;
use super::xml_reader::XmlElement;
use super::xml_reader::XmlNode;
use super::xml_reader::XmlReader;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Result;

/// Readers of the parts of a workbook in XML.
pub(super) static PARTS: WorkbookParts = WorkbookParts {
    format: TableFormat::Xlsx,
    read_workbook,
    read_shared_strings,
    read_formats,
    read_sheet,
};

/// Reads the list of worksheets with the paths of their parts, and whether dates count from 1904.
/// `path` is the part of the workbook. Leaves out sheets with only a chart or a macro.
fn read_workbook(archive: &ZipArchive<'_>, path: &str, relations: &Relations) -> Result<SheetList> {
    let mut reader = XmlReader::new(archive.require_part(path)?);
    let mut list = SheetList::default();
    let mut number = 0;
    loop {
        match reader.next()? {
            XmlNode::Start(element) => match element.name() {
                "workbookPr" => {
                    let value = element.attribute("date1904").unwrap_or_default();
                    list.is_1904 = matches!(&*value, "1" | "true" | "on");
                }
                "sheet" => {
                    number += 1;
                    let state = element.attribute("state").unwrap_or_default();
                    let id = element.attribute_with_any_prefix("id").unwrap_or_default();
                    // Sheets with only a chart or a macro have another type.
                    if let Some(place) = relations.find_id(&id, "worksheet") {
                        let name = element.attribute("name").unwrap_or_default().into_owned();
                        let sheet = SheetEntry {
                            id: read_sheet_id(&element, &name),
                            name,
                            is_hidden: matches!(&*state, "hidden" | "veryHidden"),
                            number,
                            place: list.paths.len(),
                        };
                        list.paths.push(place.to_owned());
                        sheet_list::add_sheet(&mut list.sheets, sheet)?;
                    }
                }
                _ => {}
            },
            XmlNode::Eof => return Ok(list),
            _ => {}
        }
    }
}

/// Returns the id of a worksheet: the attribute `sheetId`, or the name of a worksheet without one, which
/// no program writes.
fn read_sheet_id(element: &XmlElement<'_>, name: &str) -> String {
    element.attribute("sheetId").map_or_else(|| name.to_owned(), Cow::into_owned)
}

/// Reads the texts that cells refer to by number, without their formats and their phonetic readings.
fn read_shared_strings(archive: &ZipArchive<'_>, path: &str) -> Result<SharedStrings> {
    let mut strings = SharedStrings::default();
    let mut reader = XmlReader::new(archive.require_part(path)?);
    let (mut in_text, mut in_phonetic) = (false, false);
    loop {
        match reader.next()? {
            XmlNode::Start(element) => match element.name() {
                "t" => in_text = !in_phonetic,
                "rPh" => in_phonetic = true,
                _ => {}
            },
            XmlNode::End(element) => match element.name() {
                "t" => in_text = false,
                "rPh" => in_phonetic = false,
                "si" => strings.end_text()?,
                _ => {}
            },
            XmlNode::Text(text) if in_text => strings.append(&unescape_characters(&text))?,
            XmlNode::Eof => return Ok(strings),
            _ => {}
        }
    }
}

/// Reads the number format of each cell format, in the order of their indexes.
fn read_formats(archive: &ZipArchive<'_>, path: &str) -> Result<CellFormats> {
    let mut reader = XmlReader::new(archive.require_part(path)?);
    let (mut formats, mut in_cell_formats) = (CellFormats::default(), false);
    let format_id = |element: &XmlElement<'_>| -> u16 {
        element.attribute("numFmtId").and_then(|id| id.parse().ok()).unwrap_or_default()
    };
    loop {
        match reader.next()? {
            XmlNode::Start(element) => match element.name() {
                "numFmt" => {
                    let code = element.attribute("formatCode").unwrap_or_default();
                    formats.add_code(format_id(&element), &code);
                }
                "cellXfs" => in_cell_formats = true,
                "xf" if in_cell_formats => formats.add_cell_format(format_id(&element))?,
                _ => {}
            },
            XmlNode::End(element) if element.name() == "cellXfs" => in_cell_formats = false,
            XmlNode::Eof => return Ok(formats),
            _ => {}
        }
    }
}

/// Reads the merged ranges after the cells of a worksheet, if `sink` needs them.
fn read_merged_ranges(mut reader: XmlReader<'_>, sink: &mut dyn CellSink) -> Result<()> {
    while sink.needs_merged_ranges() {
        match reader.next()? {
            XmlNode::Start(element) if element.name() == "mergeCell" => {
                let range = element.attribute("ref").unwrap_or_default();
                if let Some(range) = parse_range(&range) {
                    sink.merge(range)?;
                }
            }
            XmlNode::End(element) if element.name() == "mergeCells" => return Ok(()),
            XmlNode::Eof => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

/// Parses a range such as `A1:B2`. None for other texts.
fn parse_range(text: &str) -> Option<MergedRange> {
    let (first, last) = text.split_once(':')?;
    let (first_row, first_column) = parse_cell_address(first)?;
    let (last_row, last_column) = parse_cell_address(last)?;
    Some(MergedRange { first_row, last_row, first_column, last_column })
}

/// Content of a cell while its element is read.
#[derive(Default)]
struct OpenCell<'a> {
    row: u32,
    column: u32,
    /// Attribute `t`.
    kind: String,
    format: CellFormat<'a>,
    /// Text of the value.
    value: String,
}

/// Adds the cells of the worksheet in the part `path` to `sink`. A row or cell without an address
/// follows the one before it.
fn read_sheet(
    archive: &ZipArchive<'_>,
    path: &str,
    shared: &SharedContent,
    sink: &mut dyn CellSink,
) -> Result<()> {
    let mut reader = XmlReader::new(archive.require_part(path)?);
    let (mut row, mut column) = (0u32, 0u32);
    let (mut cell, mut in_cell, mut in_value) = (OpenCell::default(), false, false);
    loop {
        match reader.next()? {
            XmlNode::Start(element) => match element.name() {
                "row" => {
                    if let Some(number) = element.attribute("r") {
                        row = parse_row(&number)?;
                    }
                    column = 0;
                }
                "c" => {
                    in_cell = true;
                    if let Some(address) = element.attribute("r") {
                        (row, column) = parse_cell_address(&address)
                            .ok_or_else(|| damaged("a cell has an invalid address"))?;
                    }
                    cell.start(&element, (row, column), &shared.formats);
                }
                "v" | "t" => in_value = in_cell,
                "rPh" => in_cell = false,
                _ => {}
            },
            XmlNode::Text(text) if in_value => cell.append(&text)?,
            XmlNode::End(element) => match element.name() {
                "v" | "t" => in_value = false,
                "rPh" => in_cell = true,
                "c" => {
                    in_cell = false;
                    cell.push_into(&shared.strings, sink)?;
                    column = column.saturating_add(1);
                }
                "row" => row = row.saturating_add(1),
                "sheetData" => return read_merged_ranges(reader, sink),
                _ => {}
            },
            XmlNode::Eof => return Ok(()),
            _ => {}
        }
    }
}

impl<'a> OpenCell<'a> {
    /// Starts a cell at a row and a column, from 0. Takes its type and format from the element, and
    /// clears the value of the cell before.
    fn start(
        &mut self,
        element: &XmlElement<'_>,
        (row, column): (u32, u32),
        formats: &'a CellFormats,
    ) {
        (self.row, self.column) = (row, column);
        self.kind.clear();
        self.kind.push_str(&element.attribute("t").unwrap_or_default());
        self.value.clear();
        let style = element.attribute("s").and_then(|style| style.parse::<usize>().ok());
        self.format = formats.get(style.unwrap_or_default());
    }

    /// Appends to the text of the value.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the value is too long.
    fn append(&mut self, text: &str) -> Result<()> {
        // The grid checks the exact limit; this one bounds the memory.
        if self.value.len() + text.len() > 4 << 20 {
            return Err(damaged("a cell is too long"));
        }
        self.value.push_str(text);
        Ok(())
    }

    /// Adds the cell to the worksheet by its type: a shared text, text, boolean, date or number. An
    /// empty value adds nothing. A value that is no
    /// number or date becomes a text.
    fn push_into(&self, strings: &SharedStrings, sink: &mut dyn CellSink) -> Result<()> {
        let (row, column, value) = (self.row, self.column, self.value.trim());
        match &*self.kind {
            "s" if !value.is_empty() => {
                let index =
                    value.parse().map_err(|_| damaged("a cell has an invalid text number"))?;
                sink.push_text(row, column, strings.get(index)?)
            }
            "str" | "inlineStr" => sink.push_text(row, column, &unescape_characters(&self.value)),
            "b" if !value.is_empty() => {
                sink.push_boolean(row, column, matches!(value, "1" | "true"))
            }
            "e" if !value.is_empty() => sink.push_error(row, column, value),
            "d" => match serial_date::shorten_iso_date(value) {
                Some(iso) => {
                    let date = DateText { iso: &iso, displayed: "", format: self.format };
                    sink.push_date(row, column, date)
                }
                None => sink.push_text(row, column, value),
            },
            _ if value.is_empty() => Ok(()),
            _ => match value.parse() {
                Ok(number) => sink.push_number(row, column, number, self.format),
                Err(_) => sink.push_text(row, column, value),
            },
        }
    }
}

/// Parses the number of a row, from 1, and returns its index, from 0.
///
/// # Errors
/// `InvalidFields` about `body` if the number is invalid.
fn parse_row(number: &str) -> Result<u32> {
    let row: Option<u32> = number.parse().ok();
    row.and_then(|row| row.checked_sub(1)).ok_or_else(|| damaged("a row has an invalid number"))
}

/// Replaces the escape sequences `_xHHHH_` of characters that XML cannot contain. Two sequences may
/// stand for one character, as a surrogate pair of UTF-16. Invalid sequences stay.
fn unescape_characters(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("_x") {
        out.push_str(&rest[..start]);
        let escaped = &rest[start..];
        let first = escaped_unit(escaped);
        let second = first.and_then(|_| escaped_unit(&escaped[7..]));
        match char::decode_utf16(first.into_iter().chain(second)).next() {
            Some(Ok(character)) => {
                out.push(character);
                rest = &escaped[7 * character.len_utf16()..];
            }
            _ => {
                out.push_str("_x");
                rest = &escaped[2..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the unit of UTF-16 of the escape sequence `_xHHHH_` at the start of `text`. None if there
/// is none.
fn escaped_unit(text: &str) -> Option<u16> {
    let code = text.strip_prefix("_x")?.get(..4)?;
    let is_complete = text.get(6..7) == Some("_");
    let is_code = is_complete && code.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(code, 16).ok().filter(|_| is_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_characters_are_replaced() {
        let check = |text, want| assert_eq!(unescape_characters(text), want);
        check("a_x000D_b_x005F_x", "a\rb_x");
        check("_xyz_ _x00", "_xyz_ _x00");
        check("_x004é_", "_x004é_");
        check("_xD800_", "_xD800_");
        check("_xD83D__xDE00_!", "\u{1f600}!");
        check("_xDE00__xD83D_", "_xDE00__xD83D_");
        check("_x+041_", "_x+041_");
    }
}
