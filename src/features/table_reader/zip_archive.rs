//! ZIP files of spreadsheet programs. Every part is read as a stream, and no more of it than
//! its directory entry declares, so that a small file cannot become a large one unnoticed.

use std::io;
use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::limits::Limits;
use super::limits::body_error;
use super::limits::damaged;
use chartroom_platform::error::Result;

/// First bytes of a ZIP file.
pub(super) const ZIP_MARK: &[u8] = b"PK\x03\x04";
/// Maximum number of parts. A workbook with 200 worksheets and charts has about 1,000.
const MAX_ENTRIES: usize = 2000;
/// Maximum decompressed size of a part in bytes.
const MAX_PART_BYTES: u64 = 96 << 20;
/// Maximum decompressed size of all parts together in bytes.
const MAX_TOTAL_BYTES: u64 = 192 << 20;

/// Mark and size of the record at the end of a ZIP file, which a comment of
/// 65,535 bytes may follow.
const END_MARK: &[u8] = b"PK\x05\x06";
const END_BYTES: usize = 22;
/// Mark and size of an entry of the directory, which name, extra fields and comment follow.
const ENTRY_MARK: &[u8] = b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
/// Size of the header before the data of a part, which name and extra fields follow.
const LOCAL_BYTES: usize = 30;
/// Value of a field of 32 bits if the extra fields of ZIP64 have the value.
const IN_ZIP64: u64 = 0xffff_ffff;

/// The directory of a ZIP file.
pub(super) struct ZipArchive<'a> {
    bytes: &'a [u8],
    entries: Vec<ZipEntry>,
    limits: Limits,
}

/// A part of a ZIP file.
struct ZipEntry {
    /// Path in lower case, without a slash at the start.
    path: String,
    is_encrypted: bool,
    /// 0: stored, 8: deflated.
    method: u16,
    checksum: u32,
    compressed_bytes: u64,
    bytes: u64,
    /// Offset of the header before the data.
    offset: u64,
}

impl<'a> ZipArchive<'a> {
    /// Reads the directory at the end of a ZIP file. Decompresses nothing, and trusts the declared
    /// sizes, which reading a part enforces.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if there is no complete directory, or if
    /// the parts are too many or would be too large.
    pub fn open(bytes: &'a [u8], limits: Limits) -> Result<Self> {
        let start = bytes.len().saturating_sub(END_BYTES + usize::from(u16::MAX));
        let end = bytes[start..]
            .windows(END_MARK.len())
            .rposition(|window| window == END_MARK)
            .ok_or_else(|| damaged("the ZIP directory is missing"))?;
        let end = Fields(&bytes[start + end..]);
        // The record of ZIP64 is not needed, because the directory of a file
        // below 4 GiB is found without.
        let count = usize::from(end.u16_at(10).ok_or_else(truncated)?);
        let mut at = to_usize(u64::from(end.u32_at(16).ok_or_else(truncated)?));
        if count > MAX_ENTRIES {
            return Err(body_error(format!("is a ZIP file with more than {MAX_ENTRIES} parts")));
        }
        let mut entries = Vec::with_capacity(count);
        let mut total = 0;
        for _ in 0..count {
            let (entry, length) = ZipEntry::parse(bytes.get(at..).unwrap_or_default())?;
            total += entry.bytes.min(MAX_TOTAL_BYTES);
            if entry.bytes > MAX_PART_BYTES || total > MAX_TOTAL_BYTES {
                return Err(body_error(format!(
                    "would be too large without compression; at most {} MiB for each part and {} MiB together are allowed",
                    MAX_PART_BYTES >> 20,
                    MAX_TOTAL_BYTES >> 20
                )));
            }
            entries.push(entry);
            at += length;
        }
        Ok(Self { bytes, entries, limits })
    }

    /// Returns the declared decompressed size of all parts in bytes. Reading the parts yields no more.
    pub fn total_bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.bytes).sum()
    }

    /// Returns whether there is a part with a path, without regard to case and slashes at the start.
    pub fn has_part(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Opens a part for reading by its path, without regard to case. None if there is no such part.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the part is encrypted, truncated or
    /// compressed in another way than by Deflate.
    pub fn open_part(&self, path: &str) -> Result<Option<ZipPart<'a>>> {
        self.find(path).map(|entry| self.open_entry(entry)).transpose()
    }

    /// Opens a part that the format requires, for reading.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if there is no such part, and as for [`ZipArchive::open_part`].
    pub fn require_part(&self, path: &str) -> Result<ZipPart<'a>> {
        self.open_part(path)?.ok_or_else(|| damaged(format_args!("there is no {path}")))
    }

    /// Returns the first entry with a path, without regard to case and slashes at the start of `path`.
    fn find(&self, path: &str) -> Option<&ZipEntry> {
        let path = path.trim_start_matches('/').to_lowercase();
        self.entries.iter().find(|entry| entry.path == path)
    }

    /// Returns a reader of the part of an entry, at its start. The local header tells where its data
    /// starts, and the directory entry its sizes.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the part is encrypted, truncated or compressed in another way
    /// than by Deflate.
    fn open_entry(&self, entry: &ZipEntry) -> Result<ZipPart<'a>> {
        if entry.is_encrypted {
            return Err(body_error("is protected with a password"));
        }
        let header = self.bytes.get(to_usize(entry.offset)..).ok_or_else(truncated)?;
        let fields = Fields(header);
        let names = [26, 28].map(|at| fields.u16_at(at).map_or(0, usize::from));
        let data = header.get(LOCAL_BYTES + names[0] + names[1]..).ok_or_else(truncated)?;
        let data = data.get(..to_usize(entry.compressed_bytes)).ok_or_else(truncated)?;
        let source = match entry.method {
            0 => PartSource::Stored(data),
            8 => PartSource::Deflated(DeflateDecoder::new(data)),
            method => return Err(damaged(format_args!("the ZIP method {method} is unknown"))),
        };
        Ok(ZipPart {
            source,
            remaining: entry.bytes,
            checksum: entry.checksum,
            crc: Crc::new(),
            unmarked: 0,
            marks: 0,
            limits: self.limits,
        })
    }
}

impl ZipEntry {
    /// Parses the entry of the directory at the start of `bytes`. Returns also its length in bytes, to
    /// the start of the next entry.
    fn parse(bytes: &[u8]) -> Result<(Self, usize)> {
        let fields = Fields(bytes);
        if !bytes.starts_with(ENTRY_MARK) || bytes.len() < ENTRY_BYTES {
            return Err(damaged("the ZIP directory is not complete"));
        }
        let u16_at = |at| fields.u16_at(at).unwrap_or_default();
        let u32_at = |at| u64::from(fields.u32_at(at).unwrap_or_default());
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(at)));
        let extra_start = ENTRY_BYTES + name;
        let path = bytes.get(ENTRY_BYTES..extra_start).ok_or_else(truncated)?;
        let path = String::from_utf8_lossy(path).replace('\\', "/").to_lowercase();
        let mut entry = Self {
            path: path.trim_start_matches('/').to_owned(),
            is_encrypted: u16_at(8) & 1 != 0,
            method: u16_at(10),
            checksum: fields.u32_at(16).unwrap_or_default(),
            compressed_bytes: u32_at(20),
            bytes: u32_at(24),
            offset: u32_at(42),
        };
        entry.apply_zip64(bytes.get(extra_start..extra_start + extra).ok_or_else(truncated)?);
        Ok((entry, extra_start + extra + comment))
    }

    /// Replaces sizes and offset of the entry that do not fit into 32 bits by those of the ZIP64 extra
    /// field. `extra` are all extra fields. Leaves them as they are without such a field.
    fn apply_zip64(&mut self, mut extra: &[u8]) {
        while let (Some(id), Some(length)) = (Fields(extra).u16_at(0), Fields(extra).u16_at(2)) {
            let Some(content) = extra.get(4..4 + usize::from(length)) else { return };
            if id == 1 {
                let mut values = content.chunks_exact(8).map(|value| {
                    value.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
                });
                for field in [&mut self.bytes, &mut self.compressed_bytes, &mut self.offset] {
                    if *field == IN_ZIP64 {
                        *field = values.next().unwrap_or(IN_ZIP64);
                    }
                }
                return;
            }
            extra = &extra[4 + usize::from(length)..];
        }
    }
}

/// A part of a ZIP file, decompressed while it is read.
///
/// Reading fails if the part is longer or shorter than declared, or has another checksum.
pub(super) struct ZipPart<'a> {
    source: PartSource<'a>,
    /// Number of declared bytes that are not yet read.
    remaining: u64,
    checksum: u32,
    crc: Crc,
    /// Number of bytes that were read since the last mark.
    unmarked: usize,
    /// Number of marks.
    marks: usize,
    limits: Limits,
}

enum PartSource<'a> {
    Stored(&'a [u8]),
    Deflated(DeflateDecoder<&'a [u8]>),
}

/// Maximum number of bytes between two marks, which bounds the memory of one XML tag or text.
const MAX_UNMARKED_BYTES: usize = 4 << 20;

impl ZipPart<'_> {
    /// Restarts the count of bytes that may be read before the next mark, at most `MAX_UNMARKED_BYTES`.
    /// Every 1,024th call also checks the deadline.
    ///
    /// # Errors
    /// `InvalidFields` about `body` after the deadline of the table.
    pub fn mark(&mut self) -> Result<()> {
        self.unmarked = 0;
        self.marks += 1;
        self.limits.check_time(self.marks)
    }
}

impl Read for ZipPart<'_> {
    /// Reads the next decompressed bytes of the part. Returns 0 at its end, after the size and the
    /// checksum were checked. Fails after `MAX_UNMARKED_BYTES` bytes without a mark.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.source {
            PartSource::Stored(data) => data.read(buffer)?,
            PartSource::Deflated(decoder) => decoder.read(buffer)?,
        };
        let invalid = |text| io::Error::new(io::ErrorKind::InvalidData, text);
        self.crc.update(&buffer[..count]);
        self.remaining = self
            .remaining
            .checked_sub(count as u64)
            .ok_or_else(|| invalid("a part is larger than declared"))?;
        if count == 0 && !buffer.is_empty() {
            if self.remaining > 0 {
                return Err(invalid("a part ends too early"));
            }
            if self.crc.sum() != self.checksum {
                return Err(invalid("a part has a wrong checksum"));
            }
        }
        self.unmarked += count;
        if self.unmarked > MAX_UNMARKED_BYTES {
            return Err(invalid("a tag or text is too long"));
        }
        Ok(count)
    }
}

/// Numbers in little-endian order.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// Returns the number at the byte offset `at`. None if the bytes end before its end.
    fn u16_at(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(self.0.get(at..at + 2)?.try_into().ok()?))
    }

    /// Returns the number at the byte offset `at`. None if the bytes end before its end.
    fn u32_at(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.0.get(at..at + 4)?.try_into().ok()?))
    }
}

/// Creates the error `InvalidFields` about `body` for a ZIP file that ends too early.
fn truncated() -> chartroom_platform::error::Error {
    damaged("the ZIP file is truncated")
}

/// Converts an offset or size in bytes. One beyond the address space becomes the maximum, which is
/// beyond the end of every file too.
fn to_usize(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
