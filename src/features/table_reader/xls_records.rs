//! Records of workbooks of Excel 97 to 2003 (MS-XLS), with the strings that continue in several of them.

use super::limits::damaged;
use super::shared_strings::SharedStrings;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Types of records (MS-XLS, section 2.3).
pub(super) mod record {
    pub const FORMULA: u16 = 0x0006;
    pub const EOF: u16 = 0x000a;
    pub const DATE_1904: u16 = 0x0022;
    pub const FILE_PASS: u16 = 0x002f;
    pub const CONTINUE: u16 = 0x003c;
    pub const BOUND_SHEET: u16 = 0x0085;
    pub const MUL_RK: u16 = 0x00bd;
    pub const XF: u16 = 0x00e0;
    pub const MERGED_CELLS: u16 = 0x00e5;
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

/// A record without its continuations.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub kind: u16,
    pub data: &'a [u8],
}

/// Reads the record at the start of `stream`, and returns also the rest. None
/// at the end, or if the record is not complete.
pub(super) fn next_record(stream: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let kind = u16_at(stream, 0)?;
    let length = usize::from(u16_at(stream, 2)?);
    let data = stream.get(4..4 + length)?;
    Some((Record { kind, data }, &stream[4 + length..]))
}

/// Parses a string with a length of 16 bits and without formats at the start of `data`. A long one
/// continues in the `Continue` records at the start of `rest`, the records after `data`.
pub(super) fn parse_string(data: &[u8], rest: &[u8]) -> Result<String> {
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
pub(super) fn decode_characters(
    data: &[u8],
    count: usize,
    is_wide: bool,
) -> Result<(String, usize)> {
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
pub(super) struct ContinuedRecord<'a> {
    /// Rest of the current record.
    pub data: &'a [u8],
    /// Records after the current one.
    pub rest: &'a [u8],
}

impl<'a> ContinuedRecord<'a> {
    /// Reads `count` strings of an `SST` record and its continuations in order, without their formats.
    /// Stops at the end of the records, even if there are fewer.
    pub fn read_strings(mut self, count: u32) -> Result<SharedStrings> {
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

/// Reads a little-endian number at the byte offset `at`. None if `data` ends before its end.
pub(super) fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?))
}

/// Reads a little-endian number at the byte offset `at`. None if `data` ends before its end.
pub(super) fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

/// Reads a little-endian number at the byte offset `at`. None if `data` ends before its end.
pub(super) fn f64_at(data: &[u8], at: usize) -> Option<f64> {
    Some(f64::from_le_bytes(data.get(at..at + 8)?.try_into().ok()?))
}

/// Creates the error `InvalidFields` about `body` for a record that ends too early.
pub(super) fn truncated() -> Error {
    damaged("a record is truncated")
}
