//! A ZIP file in memory with deflated parts, as far as spreadsheet files need it.

use std::io;
use std::io::Write;

use flate2::Compression;
use flate2::Crc;
use flate2::write::DeflateEncoder;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Version 2.0 of the format, which has deflated parts.
const VERSION: u16 = 20;
/// Flag for names in UTF-8.
const UTF8_NAMES: u16 = 1 << 11;
/// Method of a deflated part.
const DEFLATED: u16 = 8;
/// Date of all parts, 1 January 1980, so that equal tables give equal files.
const DATE: u16 = 1 << 5 | 1;
/// Offset of the checksum in the header of a part. The sizes follow it.
const CHECKSUM_OFFSET: usize = 14;

/// A ZIP file that is written part by part.
#[derive(Default)]
pub struct ZipWriter {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// A complete part.
struct Entry {
    name: &'static str,
    offset: u32,
    checksum: u32,
    compressed: u32,
    size: u32,
}

/// Compresses the bytes of a part and computes their checksum.
pub struct PartWriter<'a> {
    encoder: DeflateEncoder<&'a mut Vec<u8>>,
    checksum: Crc,
    size: usize,
}

impl PartWriter<'_> {
    /// Returns the size of the written bytes before compression.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Write for PartWriter<'_> {
    /// Compresses some of the bytes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.encoder.write(bytes)?;
        self.checksum.update(&bytes[..written]);
        self.size += written;
        Ok(written)
    }

    /// Writes the compressed bytes.
    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

impl ZipWriter {
    /// Adds a part with the bytes that `write` writes.
    ///
    /// # Errors
    /// The errors of `write`. `TooLarge` if the file exceeds 4 GiB.
    pub fn add_part(
        &mut self,
        name: &'static str,
        write: impl FnOnce(&mut PartWriter<'_>) -> Result<()>,
    ) -> Result<()> {
        let start = self.bytes.len();
        self.push_u32(0x0403_4b50);
        self.push_common(0, 0, 0, name);
        // No extra fields.
        self.push_u16(0);
        self.bytes.extend_from_slice(name.as_bytes());
        let content_start = self.bytes.len();
        let (checksum, size) = {
            let encoder = DeflateEncoder::new(&mut self.bytes, Compression::new(6));
            let mut part = PartWriter { encoder, checksum: Crc::new(), size: 0 };
            write(&mut part)?;
            let PartWriter { encoder, checksum, size } = part;
            encoder.finish()?;
            (checksum.sum(), size)
        };
        let entry = Entry {
            name,
            offset: to_u32(start)?,
            checksum,
            compressed: to_u32(self.bytes.len() - content_start)?,
            size: to_u32(size)?,
        };
        let sizes = [entry.checksum, entry.compressed, entry.size];
        for (index, value) in sizes.into_iter().enumerate() {
            let at = start + CHECKSUM_OFFSET + index * 4;
            self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory and returns the file.
    ///
    /// # Errors
    /// `TooLarge` if the file exceeds 4 GiB.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let start = self.bytes.len();
        let entries = std::mem::take(&mut self.entries);
        for entry in &entries {
            self.push_u32(0x0201_4b50);
            self.push_u16(VERSION);
            self.push_common(entry.checksum, entry.compressed, entry.size, entry.name);
            // No extra fields, no comment, the first disk, no attributes.
            for _ in 0..4 {
                self.push_u16(0);
            }
            self.push_u32(0);
            self.push_u32(entry.offset);
            self.bytes.extend_from_slice(entry.name.as_bytes());
        }
        let size = to_u32(self.bytes.len() - start)?;
        self.push_u32(0x0605_4b50);
        self.push_u32(0);
        let count = u16::try_from(entries.len()).map_err(|_| too_many_bytes())?;
        self.push_u16(count);
        self.push_u16(count);
        self.push_u32(size);
        self.push_u32(to_u32(start)?);
        self.push_u16(0);
        Ok(self.bytes)
    }

    /// Writes the fields that the header of a part and its directory entry have in common.
    fn push_common(&mut self, checksum: u32, compressed: u32, size: u32, name: &str) {
        for value in [VERSION, UTF8_NAMES, DEFLATED, 0, DATE] {
            self.push_u16(value);
        }
        for value in [checksum, compressed, size] {
            self.push_u32(value);
        }
        // The names are constants of a few bytes.
        self.push_u16(name.len() as u16);
    }

    /// Appends a number of 16 bits.
    fn push_u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends a number of 32 bits.
    fn push_u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }
}

/// Converts a size or an offset to 32 bits.
fn to_u32(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| too_many_bytes())
}

/// Returns the error for a file that the format without ZIP64 cannot hold.
fn too_many_bytes() -> Error {
    Error::TooLarge("the file would exceed 4 GiB".to_owned())
}
