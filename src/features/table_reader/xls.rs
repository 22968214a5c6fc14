//! Reader of workbooks of Excel 97 to 2003 (MS-XLS, BIFF8). Reads the records
//! of one worksheet in order and ignores its declared dimensions.

use super::cell_sink::CellSink;
use super::cell_sink::MergedRange;
use super::compound_file;
use super::limits::body_error;
use super::number_format::CellFormat;
use super::number_format::CellFormats;
use super::shared_strings::SharedStrings;
use super::sheet_list;
use super::sheet_list::SheetEntry;
use super::xls_records::ContinuedRecord;
use super::xls_records::Record;
use super::xls_records::decode_characters;
use super::xls_records::f64_at;
use super::xls_records::next_record;
use super::xls_records::parse_string;
use super::xls_records::record;
use super::xls_records::truncated;
use super::xls_records::u16_at;
use super::xls_records::u32_at;
use chartroom_platform::error::Result;

/// Version of the records in the `BOF` record of Excel 97 and newer.
const BIFF8: u16 = 0x0600;

/// An open workbook with the content that all worksheets share.
#[derive(Default)]
pub(super) struct XlsWorkbook {
    /// Records of the workbook and its worksheets.
    stream: Vec<u8>,
    /// Worksheets. `place` is the offset of their records in `stream`.
    sheets: Vec<SheetEntry>,
    strings: SharedStrings,
    formats: CellFormats,
    is_1904: bool,
}

impl XlsWorkbook {
    /// Reads the records of the workbook itself in a compound file.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is older than Excel 97, has a password or is damaged.
    pub fn open(bytes: &[u8]) -> Result<Self> {
        let stream = compound_file::read_stream(bytes, &["Workbook", "Book"])?;
        let workbook = Self::read_globals(&stream)?;
        Ok(Self { stream, ..workbook })
    }

    /// Moves the list of worksheets out of the workbook.
    pub fn take_sheets(&mut self) -> Vec<SheetEntry> {
        std::mem::take(&mut self.sheets)
    }

    /// Returns whether dates count from 1904.
    pub fn is_1904(&self) -> bool {
        self.is_1904
    }

    /// Reads some worksheets in order.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if a record is damaged, and the errors of `sink`.
    pub fn read_sheets(&self, sheets: &[SheetEntry], sink: &mut dyn CellSink) -> Result<()> {
        for sheet in sheets {
            sink.start_sheet(sheet)?;
            let records = self.stream.get(sheet.place..).ok_or_else(truncated)?;
            let (strings, formats) = (&self.strings, &self.formats);
            SheetReader { strings, formats, sink: &mut *sink }.read(records)?;
        }
        Ok(())
    }

    /// Reads the records of the workbook itself up to its end, which precede those of the worksheets.
    /// `stream` starts with them.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is older than Excel 97, has a password or is damaged.
    fn read_globals(stream: &[u8]) -> Result<Self> {
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
                        sheet_list::add_sheet(&mut workbook.sheets, sheet)?;
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
fn parse_sheet(data: &[u8]) -> Result<Option<SheetEntry>> {
    let [state, kind] = [4, 5].map(|at| data.get(at).copied().unwrap_or_default());
    if kind != 0 {
        return Ok(None);
    }
    let count = usize::from(*data.get(6).ok_or_else(truncated)?);
    let is_wide = data.get(7).is_some_and(|flags| flags & 1 != 0);
    let (name, _) = decode_characters(data.get(8..).unwrap_or_default(), count, is_wide)?;
    let place = u32_at(data, 0).ok_or_else(truncated)? as usize;
    Ok(Some(SheetEntry { id: name.clone(), name, is_hidden: state & 3 != 0, number: 0, place }))
}

/// Reader of the records of one worksheet.
struct SheetReader<'a, 'b> {
    strings: &'a SharedStrings,
    formats: &'a CellFormats,
    sink: &'b mut dyn CellSink,
}

impl<'a> SheetReader<'a, '_> {
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
                    self.sink.push_text(formula.0, formula.1, &text)?;
                }
                record::MUL_RK => self.read_numbers(record.data)?,
                record::MERGED_CELLS => self.read_merged_ranges(record.data)?,
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
                self.sink.push_number(row, column, number, self.format(data))
            }
            record::RK => {
                let number = decode_rk(u32_at(data, 6).ok_or_else(truncated)?);
                self.sink.push_number(row, column, number, self.format(data))
            }
            record::LABEL_SST => {
                let index = u32_at(data, 6).ok_or_else(truncated)? as usize;
                self.sink.push_text(row, column, self.strings.get(index)?)
            }
            record::LABEL => {
                let text = parse_string(data.get(6..).unwrap_or_default(), rest)?;
                self.sink.push_text(row, column, &text)
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
            self.sink.push_number(row, column, number, format)?;
        }
        Ok(())
    }

    /// Passes on the ranges of a `MergeCells` record, which follows the cells.
    fn read_merged_ranges(&mut self, data: &[u8]) -> Result<()> {
        for range in data.get(2..).unwrap_or_default().chunks_exact(8) {
            let [first_row, last_row, first_column, last_column] =
                [0, 2, 4, 6].map(|at| u16_at(range, at).map_or(0, u32::from));
            self.sink.merge(MergedRange { first_row, last_row, first_column, last_column })?;
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
                self.sink.push_number(row, column, number, self.format(data))?;
            }
        }
        Ok((row, column))
    }

    /// Adds a boolean, false for 0, or if `is_error` the error with the code `value`.
    fn push_boolean_or_error(
        &mut self,
        row: u32,
        column: u32,
        value: u8,
        is_error: bool,
    ) -> Result<()> {
        if is_error {
            return self.sink.push_error(row, column, error_text(value));
        }
        self.sink.push_boolean(row, column, value != 0)
    }

    /// Returns the number format of a cell record with the content `data`. Plain numbers if it is
    /// unknown.
    fn format(&self, data: &[u8]) -> CellFormat<'a> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::table_reader::limits::Limits;
    use crate::features::table_reader::report::TableFormat;
    use crate::features::table_reader::sheet_cells::SheetCells;
    use crate::features::table_reader::text_options::TextOptions;

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
        let mut reader = SheetReader { strings: &strings, formats: &formats, sink: &mut cells };
        reader.read(&stream).unwrap();
        let table = cells.finish(TextOptions::default()).unwrap();
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
