//! Reader of workbooks of Excel 97 to 2003 (MS-XLS, BIFF8). Reads the records
//! of one worksheet in order and ignores its declared dimensions.

use super::compound_file;
use super::limits::Limits;
use super::limits::body_error;
use super::limits::damaged;
use super::number_format::CellFormats;
use super::number_format::NumberFormat;
use super::report::TableFormat;
use super::shared_strings::SharedStrings;
use super::sheet_cells;
use super::sheet_cells::SheetCells;
use super::sheet_cells::SheetEntry;
use super::table::Table;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Types of records (MS-XLS, section 2.3).
mod record {
    pub const FORMULA: u16 = 0x0006;
    pub const EOF: u16 = 0x000a;
    pub const DATE_1904: u16 = 0x0022;
    pub const FILE_PASS: u16 = 0x002f;
    pub const CONTINUE: u16 = 0x003c;
    pub const BOUND_SHEET: u16 = 0x0085;
    pub const MUL_RK: u16 = 0x00bd;
    pub const XF: u16 = 0x00e0;
    pub const SST: u16 = 0x00fc;
    pub const LABEL_SST: u16 = 0x00fd;
    pub const NUMBER: u16 = 0x0203;
    pub const LABEL: u16 = 0x0204;
    pub const BOOL_ERR: u16 = 0x0205;
    pub const STRING: u16 = 0x0207;
    pub const RK: u16 = 0x027e;
    pub const FORMAT: u16 = 0x041e;
    pub const BOF: u16 = 0x0809;
}

/// Version of the records in the `BOF` record of Excel 97 and newer.
const BIFF8: u16 = 0x0600;

/// Reads the worksheet with the name `sheet`, or the first visible one if None, of a compound file.
///
/// # Errors
/// `InvalidFields` about `body`, `data` or `sheet`.
pub(super) fn read<'a>(bytes: &[u8], sheet: Option<&str>, limits: Limits) -> Result<Table<'a>> {
    let stream = compound_file::read_stream(bytes, &["Workbook", "Book"])?;
    let workbook = Workbook::read(&stream)?;
    let (sheet, others) = sheet_cells::choose_sheet(workbook.sheets, sheet)?;
    let mut cells = SheetCells::new(TableFormat::Xls, limits, workbook.is_1904);
    cells.set_sheet(sheet.name, others);
    let records = stream.get(sheet.place..).ok_or_else(truncated)?;
    SheetReader { strings: &workbook.strings, formats: &workbook.formats, cells: &mut cells }
        .read(records)?;
    cells.finish()
}

/// A record without its continuations.
#[derive(Clone, Copy)]
struct Record<'a> {
    kind: u16,
    data: &'a [u8],
}

/// Reads the record at the start of `stream`, and returns also the rest. None
/// at the end, or if the record is not complete.
fn next_record(stream: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let kind = u16_at(stream, 0)?;
    let length = usize::from(u16_at(stream, 2)?);
    let data = stream.get(4..4 + length)?;
    Some((Record { kind, data }, &stream[4 + length..]))
}

/// The part of a workbook that all worksheets share.
#[derive(Default)]
struct Workbook {
    /// Worksheets with the offsets of their records.
    sheets: Vec<SheetEntry<usize>>,
    strings: SharedStrings,
    formats: CellFormats,
    is_1904: bool,
}

impl Workbook {
    /// Reads the records of the workbook itself up to its end, which precede those of the worksheets.
    /// `stream` starts with them.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is older than Excel 97, has a password or is damaged.
    fn read(stream: &[u8]) -> Result<Self> {
        let mut workbook = Self::default();
        let mut rest = stream;
        while let Some((Record { kind, data }, next)) = next_record(rest) {
            match kind {
                record::BOF if u16_at(data, 0) != Some(BIFF8) => {
                    return Err(body_error("is a file of Excel 95 or older; save it as xlsx"));
                }
                record::FILE_PASS => return Err(body_error("is protected with a password")),
                record::DATE_1904 => workbook.is_1904 = u16_at(data, 0) == Some(1),
                record::BOUND_SHEET => {
                    if let Some(sheet) = parse_sheet(data)? {
                        sheet_cells::add_sheet(&mut workbook.sheets, sheet)?;
                    }
                }
                record::FORMAT => {
                    let text = parse_string(data.get(2..).unwrap_or_default(), next)?;
                    let id = u16_at(data, 0).unwrap_or_default();
                    workbook.formats.add_code(id, &text);
                }
                record::XF => {
                    workbook.formats.add_cell_format(u16_at(data, 2).unwrap_or_default())?;
                }
                record::SST => {
                    let count = u32_at(data, 4).unwrap_or_default();
                    let data = data.get(8..).unwrap_or_default();
                    workbook.strings = ContinuedRecord { data, rest: next }.read_strings(count)?;
                }
                record::EOF => break,
                _ => {}
            }
            rest = next;
        }
        Ok(workbook)
    }
}

/// Parses a `BoundSheet8` record. `place` is the offset of the worksheet in the stream, in bytes. None
/// for a sheet with only a chart or a macro.
fn parse_sheet(data: &[u8]) -> Result<Option<SheetEntry<usize>>> {
    let [state, kind] = [4, 5].map(|at| data.get(at).copied().unwrap_or_default());
    if kind != 0 {
        return Ok(None);
    }
    let count = usize::from(*data.get(6).ok_or_else(truncated)?);
    let is_wide = data.get(7).is_some_and(|flags| flags & 1 != 0);
    let (name, _) = decode_characters(data.get(8..).unwrap_or_default(), count, is_wide)?;
    let place = u32_at(data, 0).ok_or_else(truncated)? as usize;
    Ok(Some(SheetEntry { name, is_hidden: state & 3 != 0, place }))
}

/// Parses a string with a length of 16 bits and without formats at the start of `data`. A long one
/// continues in the `Continue` records at the start of `rest`, the records after `data`.
fn parse_string(data: &[u8], rest: &[u8]) -> Result<String> {
    let count = usize::from(u16_at(data, 0).ok_or_else(truncated)?);
    let is_wide = data.get(2).is_some_and(|flags| flags & 1 != 0);
    let mut record = ContinuedRecord { data: data.get(3..).unwrap_or_default(), rest };
    let mut text = String::new();
    record.read_characters(count, is_wide, |part| {
        text.push_str(part);
        Ok(())
    })?;
    Ok(text)
}

/// Decodes `count` characters of one byte (Latin-1) or, if `is_wide`, of two (units of UTF-16
/// in little-endian order). Returns also their length in bytes. Invalid UTF-16 becomes U+FFFD.
///
/// # Errors
/// `InvalidFields` about `body` if `data` is too short.
fn decode_characters(data: &[u8], count: usize, is_wide: bool) -> Result<(String, usize)> {
    let length = if is_wide { 2 * count } else { count };
    let data = data.get(..length).ok_or_else(truncated)?;
    let units = data.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let text = match is_wide {
        true => char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect(),
        false => data.iter().copied().map(char::from).collect(),
    };
    Ok((text, length))
}

/// Reader of a record and its `Continue` records.
struct ContinuedRecord<'a> {
    /// Rest of the current record.
    data: &'a [u8],
    /// Records after the current one.
    rest: &'a [u8],
}

impl<'a> ContinuedRecord<'a> {
    /// Reads `count` strings of an `SST` record and its continuations in order, without their formats.
    /// Stops at the end of the records, even if there are fewer.
    fn read_strings(mut self, count: u32) -> Result<SharedStrings> {
        let mut strings = SharedStrings::default();
        for _ in 0..count {
            let Some(header) = self.take(3)? else { break };
            let count = u16_at(header, 0).unwrap_or_default();
            let flags = header[2];
            let runs = match flags & 8 != 0 {
                true => self.take(2)?.and_then(|bytes| u16_at(bytes, 0)).unwrap_or_default(),
                false => 0,
            };
            let extension = match flags & 4 != 0 {
                true => self.take(4)?.and_then(|bytes| u32_at(bytes, 0)).unwrap_or_default(),
                false => 0,
            };
            let is_wide = flags & 1 != 0;
            self.read_characters(usize::from(count), is_wide, |part| strings.append(part))?;
            strings.end_text()?;
            self.skip(4 * usize::from(runs))?;
            self.skip(extension as usize)?;
        }
        Ok(strings)
    }

    /// Reads `count` characters, which may continue in the next record, and passes the part of each
    /// record to `append`. The next record starts with new flags, which may change the width.
    fn read_characters(
        &mut self,
        mut count: usize,
        mut is_wide: bool,
        mut append: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        loop {
            let width = if is_wide { 2 } else { 1 };
            let here = count.min(self.data.len() / width);
            let (text, length) = decode_characters(self.data, here, is_wide)?;
            append(&text)?;
            self.data = &self.data[length..];
            count -= here;
            if count == 0 {
                return Ok(());
            }
            if !self.next_part() {
                return Err(truncated());
            }
            let (flags, data) = self.data.split_first().ok_or_else(truncated)?;
            (is_wide, self.data) = (flags & 1 != 0, data);
        }
    }

    /// Moves to the next record if it is a `Continue` record, and returns true. Otherwise changes
    /// nothing and returns false.
    fn next_part(&mut self) -> bool {
        match next_record(self.rest) {
            Some((Record { kind: record::CONTINUE, data }, rest)) => {
                (self.data, self.rest) = (data, rest);
                true
            }
            _ => false,
        }
    }

    /// Returns the next `count` bytes, which are never split between two records. None at the end of
    /// all records.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the record ends within the bytes.
    fn take(&mut self, count: usize) -> Result<Option<&'a [u8]>> {
        while self.data.is_empty() {
            if !self.next_part() {
                return Ok(None);
            }
        }
        let (taken, rest) = self.data.split_at_checked(count).ok_or_else(truncated)?;
        self.data = rest;
        Ok(Some(taken))
    }

    /// Skips `count` bytes, which may continue in the next records.
    fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            let here = count.min(self.data.len());
            self.data = &self.data[here..];
            count -= here;
            if count > 0 && !self.next_part() {
                return Err(truncated());
            }
        }
        Ok(())
    }
}

/// Reader of the records of one worksheet.
struct SheetReader<'a, 'b> {
    strings: &'a SharedStrings,
    formats: &'a CellFormats,
    cells: &'b mut SheetCells,
}

impl SheetReader<'_, '_> {
    /// Adds the cells of the records at the start of `stream` to the worksheet, up to its end. Skips
    /// charts within it.
    fn read(&mut self, mut stream: &[u8]) -> Result<()> {
        let mut open = 0usize;
        // Address of the last formula. Its text may be the next record.
        let mut formula = (0, 0);
        while let Some((record, rest)) = next_record(stream) {
            match record.kind {
                record::BOF => open += 1,
                record::EOF if open <= 1 => return Ok(()),
                record::EOF => open -= 1,
                _ if open > 1 => {}
                record::FORMULA => formula = self.read_formula(record.data)?,
                record::STRING => {
                    let text = parse_string(record.data, rest)?;
                    self.cells.push_text(formula.0, formula.1, &text)?;
                }
                record::MUL_RK => self.read_numbers(record.data)?,
                kind => self.read_cell(kind, record.data, rest)?,
            }
            stream = rest;
        }
        Ok(())
    }

    /// Adds the cell of a record with one number, text, boolean or error. Ignores other records. `rest`
    /// are the records after it, in which a long text continues.
    fn read_cell(&mut self, kind: u16, data: &[u8], rest: &[u8]) -> Result<()> {
        if !matches!(
            kind,
            record::NUMBER | record::RK | record::LABEL_SST | record::LABEL | record::BOOL_ERR
        ) {
            return Ok(());
        }
        let (row, column) = address(data)?;
        match kind {
            record::NUMBER => {
                let number = f64_at(data, 6).ok_or_else(truncated)?;
                self.cells.push_number(row, column, number, self.format(data))
            }
            record::RK => {
                let number = decode_rk(u32_at(data, 6).ok_or_else(truncated)?);
                self.cells.push_number(row, column, number, self.format(data))
            }
            record::LABEL_SST => {
                let index = u32_at(data, 6).ok_or_else(truncated)? as usize;
                self.cells.push_text(row, column, self.strings.get(index)?)
            }
            record::LABEL => {
                let text = parse_string(data.get(6..).unwrap_or_default(), rest)?;
                self.cells.push_text(row, column, &text)
            }
            _ => {
                let [value, is_error] = [6, 7].map(|at| data.get(at).copied().unwrap_or_default());
                self.push_boolean_or_error(row, column, value, is_error == 1)
            }
        }
    }

    /// Adds the cells of a `MulRk` record: consecutive numbers of a row.
    fn read_numbers(&mut self, data: &[u8]) -> Result<()> {
        let (row, first) = address(data)?;
        // The last two bytes are the last column.
        let cells = data.get(4..data.len().saturating_sub(2)).unwrap_or_default();
        for (column, cell) in (first..).zip(cells.chunks_exact(6)) {
            let format = u16_at(cell, 0).map_or(0, usize::from);
            let format = self.formats.get(format);
            let number = decode_rk(u32_at(cell, 2).unwrap_or_default());
            self.cells.push_number(row, column, number, format)?;
        }
        Ok(())
    }

    /// Adds the stored value of a formula, if it is a number, boolean or error. A text follows in a
    /// `String` record, which the caller reads. Returns row and column of the cell, from 0.
    fn read_formula(&mut self, data: &[u8]) -> Result<(u32, u32)> {
        let (row, column) = address(data)?;
        let value = data.get(6..14).ok_or_else(truncated)?;
        match value {
            // Text: in the next record. 3: an empty text.
            [0 | 3, .., 0xff, 0xff] => {}
            [1, _, value, .., 0xff, 0xff] => {
                self.push_boolean_or_error(row, column, *value, false)?;
            }
            [2, _, value, .., 0xff, 0xff] => {
                self.push_boolean_or_error(row, column, *value, true)?;
            }
            _ => {
                let number = f64_at(data, 6).ok_or_else(truncated)?;
                self.cells.push_number(row, column, number, self.format(data))?;
            }
        }
        Ok((row, column))
    }

    /// Adds a boolean, false for 0, or if `is_error` reports the error with the code `value`.
    fn push_boolean_or_error(
        &mut self,
        row: u32,
        column: u32,
        value: u8,
        is_error: bool,
    ) -> Result<()> {
        if is_error {
            self.cells.add_error(row, column, error_text(value));
            return Ok(());
        }
        self.cells.push_boolean(row, column, value != 0)
    }

    /// Returns the number format of a cell record with the content `data`. Plain numbers if it is
    /// unknown.
    fn format(&self, data: &[u8]) -> NumberFormat {
        let index = u16_at(data, 4).map_or(usize::MAX, usize::from);
        self.formats.get(index)
    }
}

/// Returns row and column of a cell record, from 0. An error if the record is too short.
fn address(data: &[u8]) -> Result<(u32, u32)> {
    match (u16_at(data, 0), u16_at(data, 2)) {
        (Some(row), Some(column)) => Ok((u32::from(row), u32::from(column))),
        _ => Err(truncated()),
    }
}

/// Decodes an `RK` number: bit 1 tells an integer of 30 bits from the upper 30 bits of a float, and bit
/// 0 divides the number by 100.
pub(super) fn decode_rk(bits: u32) -> f64 {
    let number = match bits & 2 != 0 {
        true => f64::from(bits as i32 >> 2),
        false => f64::from_bits(u64::from(bits & !3) << 32),
    };
    if bits & 1 != 0 { number / 100.0 } else { number }
}

/// Returns the text of an error value such as `#N/A` for 0x2a, and `#ERROR!` for an unknown code.
pub(super) fn error_text(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0f => "#VALUE!",
        0x17 => "#REF!",
        0x1d => "#NAME?",
        0x24 => "#NUM!",
        0x2a => "#N/A",
        _ => "#ERROR!",
    }
}

/// Reads a little-endian number at the byte offset `at`. None if `data` ends before its end.
fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?))
}

/// Reads a little-endian number at the byte offset `at`. None if `data` ends before its end.
fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

/// Reads a little-endian number at the byte offset `at`. None if `data` ends before its end.
fn f64_at(data: &[u8], at: usize) -> Option<f64> {
    Some(f64::from_le_bytes(data.get(at..at + 8)?.try_into().ok()?))
}

/// Creates the error `InvalidFields` about `body` for a record that ends too early.
fn truncated() -> Error {
    damaged("a record is truncated")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_of_formulas_and_labels_continue_in_the_next_record() {
        let record = |kind: u16, parts: &[&[u8]]| {
            let data = parts.concat();
            [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), &data].concat()
        };
        let (length, first, second) = (9000u16.to_le_bytes(), [b'a'; 8000], [b'b'; 997]);
        // Three characters of two bytes.
        let wide = [0xac, 0x20].repeat(3);
        let texts = |kind, cell: &[u8]| {
            [
                record(kind, &[cell, &length, &[0], &first]),
                record(record::CONTINUE, &[&[0], &second]),
                record(record::CONTINUE, &[&[1], &wide]),
            ]
        };
        let heading = record(record::LABEL, &[&[0; 6], &[1, 0, 0], b"x"]);
        let formula = record(record::FORMULA, &[&[1], &[0; 11], &[0xff, 0xff]]);
        let mut stream = [record(record::BOF, &[]), heading, formula].concat();
        stream.extend(texts(record::STRING, &[]).concat());
        stream.extend(texts(record::LABEL, &[2, 0, 0, 0, 0, 0]).concat());
        stream.extend(record(record::EOF, &[]));
        let limits = Limits { max_rows: 10, max_text_bytes: 1 << 20, deadline: None };
        let mut cells = SheetCells::new(TableFormat::Xls, limits, false);
        let (strings, formats) = (SharedStrings::default(), CellFormats::default());
        let mut reader = SheetReader { strings: &strings, formats: &formats, cells: &mut cells };
        reader.read(&stream).unwrap();
        let table = cells.finish().unwrap();
        let mut rows = table.rows().unwrap();
        let want = format!("{}{}€€€", "a".repeat(8000), "b".repeat(997));
        for _ in 0..2 {
            assert!(rows.next_row().unwrap().unwrap().cell(0).text == want);
        }
    }

    #[test]
    fn short_numbers_are_decoded() {
        // Examples of MS-XLS, section 2.5.217.
        assert_eq!(decode_rk((123 << 2) | 2), 123.0);
        assert_eq!(decode_rk((12345 << 2) | 3), 123.45);
        assert_eq!(decode_rk(((-5i32 as u32) << 2) | 2), -5.0);
        assert_eq!(decode_rk((1.5f64.to_bits() >> 32) as u32), 1.5);
        assert_eq!(decode_rk((150f64.to_bits() >> 32) as u32 | 1), 1.5);
    }
}
