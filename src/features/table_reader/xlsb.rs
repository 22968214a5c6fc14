//! Reader of binary workbooks of Excel 2007 and newer (MS-XLSB), as streams of records.

use std::io::BufReader;
use std::io::Read;

use super::cell_sink::CellSink;
use super::cell_sink::MergedRange;
use super::limits::damaged;
use super::number_format::CellFormats;
use super::relations::Relations;
use super::report::TableFormat;
use super::shared_strings::SharedStrings;
use super::sheet_list;
use super::sheet_list::SheetEntry;
use super::workbook::SharedContent;
use super::workbook::SheetList;
use super::workbook::WorkbookParts;
use super::xls;
use super::zip_archive::ZipArchive;
use super::zip_archive::ZipPart;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Types of records (MS-XLSB, section 2.3).
mod record {
    pub const ROW: u32 = 0;
    pub const CELL_BLANK: u32 = 1;
    pub const CELL_RK: u32 = 2;
    pub const CELL_ERROR: u32 = 3;
    pub const CELL_BOOL: u32 = 4;
    pub const CELL_REAL: u32 = 5;
    pub const CELL_TEXT: u32 = 6;
    pub const CELL_SHARED: u32 = 7;
    pub const FORMULA_TEXT: u32 = 8;
    pub const FORMULA_NUMBER: u32 = 9;
    pub const FORMULA_BOOL: u32 = 10;
    pub const FORMULA_ERROR: u32 = 11;
    pub const SHORT_BLANK: u32 = 12;
    pub const SHORT_SHARED: u32 = 18;
    pub const SHARED_ITEM: u32 = 19;
    pub const FORMAT: u32 = 44;
    pub const XF: u32 = 47;
    pub const END_SHEET_DATA: u32 = 146;
    pub const MERGED_CELLS: u32 = 176;
    pub const WORKBOOK_PROPERTIES: u32 = 153;
    pub const BUNDLE_SHEET: u32 = 156;
    pub const BEGIN_CELL_XFS: u32 = 617;
    pub const END_CELL_XFS: u32 = 618;
}

/// Maximum length of a record in bytes. Longer ones are skipped, because none
/// with a cell is longer.
const MAX_RECORD_BYTES: u32 = 1 << 20;

/// Readers of the parts of a workbook in the binary format.
pub(super) static PARTS: WorkbookParts = WorkbookParts {
    format: TableFormat::Xlsb,
    read_workbook,
    read_shared_strings,
    read_formats,
    read_sheet,
};

/// Reader of the records of a part.
struct RecordReader<'a> {
    part: BufReader<ZipPart<'a>>,
    /// Content of the record that was read last. Empty if it is too long.
    data: Vec<u8>,
}

impl<'a> RecordReader<'a> {
    /// Opens the part with the path `path`, before its first record. An error if there is no such part.
    fn open(archive: &ZipArchive<'a>, path: &str) -> Result<Self> {
        Ok(Self { part: BufReader::new(archive.require_part(path)?), data: Vec::new() })
    }

    /// Reads the content of the next record into `data` and returns its type. None at the end. A record
    /// longer than `MAX_RECORD_BYTES` gives its type, but an empty `data`.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the part is damaged, or after the deadline of the table.
    fn next(&mut self) -> Result<Option<u32>> {
        self.part.get_mut().mark()?;
        let Some(kind) = self.read_number(2)? else { return Ok(None) };
        let length = self.read_number(4)?.ok_or_else(truncated)?;
        self.data.clear();
        if length > MAX_RECORD_BYTES {
            self.skip(length)?;
            return Ok(Some(kind));
        }
        let mut content = self.part.by_ref().take(u64::from(length));
        let read = content.read_to_end(&mut self.data).map_err(damaged)?;
        if read < length as usize {
            return Err(truncated());
        }
        Ok(Some(kind))
    }

    /// Skips the next `length` bytes of the part. An error if it ends before.
    fn skip(&mut self, mut length: u32) -> Result<()> {
        let mut buffer = [0; 4096];
        while length > 0 {
            self.part.get_mut().mark()?;
            let wanted = buffer.len().min(length as usize);
            self.part.read_exact(&mut buffer[..wanted]).map_err(damaged)?;
            length -= u32::try_from(wanted).unwrap_or(length);
        }
        Ok(())
    }

    /// Reads a number with 7 bits in each byte, the lowest bits first, from at most `max_bytes` bytes.
    /// None if the part ends before the first byte.
    fn read_number(&mut self, max_bytes: u32) -> Result<Option<u32>> {
        let mut number = 0;
        for index in 0..max_bytes {
            let mut byte = [0];
            if self.part.read(&mut byte).map_err(damaged)? == 0 {
                return if index == 0 { Ok(None) } else { Err(truncated()) };
            }
            number |= u32::from(byte[0] & 0x7f) << (7 * index);
            if byte[0] & 0x80 == 0 {
                break;
            }
        }
        Ok(Some(number))
    }

    /// Returns the little-endian number at the byte offset `at` of the current record. An error if the
    /// record ends before.
    fn u32_at(&self, at: usize) -> Result<u32> {
        let bytes = self.data.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_le_bytes).ok_or_else(truncated)
    }

    /// Returns the little-endian number at the byte offset `at` of the current record. An error if the
    /// record ends before.
    fn u16_at(&self, at: usize) -> Result<u16> {
        let bytes = self.data.get(at..at + 2).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u16::from_le_bytes).ok_or_else(truncated)
    }

    /// Returns the byte at the offset `at` of the current record. An error if the record ends before.
    fn u8_at(&self, at: usize) -> Result<u8> {
        self.data.get(at).copied().ok_or_else(truncated)
    }

    /// Returns the merged range in the current record.
    fn merged_range(&self) -> Result<MergedRange> {
        Ok(MergedRange {
            first_row: self.u32_at(0)?,
            last_row: self.u32_at(4)?,
            first_column: self.u32_at(8)?,
            last_column: self.u32_at(12)?,
        })
    }

    /// Returns the string in UTF-16 at the byte offset `at` of the current record, and the offset after
    /// it. It has a length of 32 bits before it. An absent string is empty.
    fn string_at(&self, at: usize) -> Result<(String, usize)> {
        let count = self.u32_at(at)? as usize;
        if count == u32::MAX as usize {
            return Ok((String::new(), at + 4));
        }
        let end = count.checked_mul(2).and_then(|length| length.checked_add(at + 4));
        let bytes = end.and_then(|end| self.data.get(at + 4..end)).ok_or_else(truncated)?;
        let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let text = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
        Ok((text, at + 4 + bytes.len()))
    }
}

/// Reads the list of worksheets with the paths of their parts, and whether dates count from 1904.
/// `path` is the part of the workbook. Leaves out sheets with only a chart or a macro.
fn read_workbook(archive: &ZipArchive<'_>, path: &str, relations: &Relations) -> Result<SheetList> {
    let mut reader = RecordReader::open(archive, path)?;
    let mut list = SheetList::default();
    let mut number = 0;
    while let Some(kind) = reader.next()? {
        match kind {
            record::WORKBOOK_PROPERTIES => list.is_1904 = reader.u8_at(0)? & 1 != 0,
            record::BUNDLE_SHEET => {
                number += 1;
                let (id, end) = reader.string_at(8)?;
                let (name, _) = reader.string_at(end)?;
                if let Some(place) = relations.find_id(&id, "worksheet") {
                    let sheet = SheetEntry {
                        // The same number as `sheetId` in XML.
                        id: reader.u32_at(4)?.to_string(),
                        name,
                        is_hidden: reader.u32_at(0)? != 0,
                        number,
                        place: list.paths.len(),
                    };
                    list.paths.push(place.to_owned());
                    sheet_list::add_sheet(&mut list.sheets, sheet)?;
                }
            }
            _ => {}
        }
    }
    Ok(list)
}

/// Reads the texts that cells refer to by number, without their formats.
fn read_shared_strings(archive: &ZipArchive<'_>, path: &str) -> Result<SharedStrings> {
    let mut reader = RecordReader::open(archive, path)?;
    let mut strings = SharedStrings::default();
    while let Some(kind) = reader.next()? {
        if kind == record::SHARED_ITEM {
            strings.append(&reader.string_at(1)?.0)?;
            strings.end_text()?;
        }
    }
    Ok(strings)
}

/// Reads the number format of each cell format, in the order of their indexes.
fn read_formats(archive: &ZipArchive<'_>, path: &str) -> Result<CellFormats> {
    let mut reader = RecordReader::open(archive, path)?;
    let (mut formats, mut in_cell_formats) = (CellFormats::default(), false);
    while let Some(kind) = reader.next()? {
        match kind {
            record::FORMAT => {
                let (code, _) = reader.string_at(2)?;
                formats.add_code(reader.u16_at(0)?, &code);
            }
            record::BEGIN_CELL_XFS => in_cell_formats = true,
            record::END_CELL_XFS => in_cell_formats = false,
            record::XF if in_cell_formats => formats.add_cell_format(reader.u16_at(2)?)?,
            _ => {}
        }
    }
    Ok(formats)
}

/// Adds the cells of the worksheet in the part `path` to `sink`, and then the merged ranges if it needs
/// them.
fn read_sheet(
    archive: &ZipArchive<'_>,
    path: &str,
    shared: &SharedContent,
    sink: &mut dyn CellSink,
) -> Result<()> {
    let mut reader = RecordReader::open(archive, path)?;
    let (mut row, mut next_column) = (0, 0);
    while let Some(kind) = reader.next()? {
        match kind {
            record::ROW => (row, next_column) = (reader.u32_at(0)?, 0),
            record::END_SHEET_DATA if !sink.needs_merged_ranges() => return Ok(()),
            record::MERGED_CELLS => sink.merge(reader.merged_range()?)?,
            record::CELL_BLANK..=record::FORMULA_ERROR => {
                let column = reader.u32_at(0)?;
                let address = (row, column);
                CellRecord { reader: &reader, kind, start: 4, address }.read(shared, sink)?;
                next_column = column.saturating_add(1);
            }
            // The same without a column, because they follow the cell before.
            record::SHORT_BLANK..=record::SHORT_SHARED => {
                let kind = kind - record::SHORT_BLANK + record::CELL_BLANK;
                let address = (row, next_column);
                CellRecord { reader: &reader, kind, start: 0, address }.read(shared, sink)?;
                next_column = next_column.saturating_add(1);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The current record, which has a cell.
struct CellRecord<'a, 'b> {
    reader: &'a RecordReader<'b>,
    kind: u32,
    /// Offset of the format, which the value follows.
    start: usize,
    /// Row and column.
    address: (u32, u32),
}

impl CellRecord<'_, '_> {
    /// Adds the cell to `sink`. Ignores a blank cell.
    fn read(&self, shared: &SharedContent, sink: &mut dyn CellSink) -> Result<()> {
        let Self { reader, kind, start, address: (row, column) } = *self;
        // The upper byte has flags.
        let style = (reader.u32_at(start)? & 0x00ff_ffff) as usize;
        let format = shared.formats.get(style);
        let value = start + 4;
        match kind {
            record::CELL_RK => {
                sink.push_number(row, column, xls::decode_rk(reader.u32_at(value)?), format)
            }
            record::CELL_REAL | record::FORMULA_NUMBER => {
                let [low, high] = [reader.u32_at(value)?, reader.u32_at(value + 4)?];
                let bits = u64::from(high) << 32 | u64::from(low);
                sink.push_number(row, column, f64::from_bits(bits), format)
            }
            record::CELL_ERROR | record::FORMULA_ERROR => {
                sink.push_error(row, column, xls::error_text(reader.u8_at(value)?))
            }
            record::CELL_BOOL | record::FORMULA_BOOL => {
                sink.push_boolean(row, column, reader.u8_at(value)? != 0)
            }
            record::CELL_TEXT | record::FORMULA_TEXT => {
                sink.push_text(row, column, &reader.string_at(value)?.0)
            }
            record::CELL_SHARED => {
                sink.push_text(row, column, shared.strings.get(reader.u32_at(value)? as usize)?)
            }
            _ => Ok(()),
        }
    }
}

/// Creates the error `InvalidFields` about `body` for a record that ends too early.
fn truncated() -> Error {
    damaged("a record is truncated")
}
