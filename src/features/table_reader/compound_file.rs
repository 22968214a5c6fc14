//! Streams of OLE compound files (MS-CFB), such as workbooks of Excel 97. Every chain of sectors is
//! bounded by the number of sectors, because a chain may be circular.

use super::limits::body_error;
use super::limits::damaged;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// First bytes of a compound file.
pub(super) const OLE_MARK: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// Size of the header. The first sector starts after it, or after one sector if that is larger.
const HEADER_BYTES: usize = 512;
/// Number of sectors of the allocation table that the header lists.
const HEADER_TABLE_SECTORS: usize = 109;
/// Smallest sector number that is a mark, such as the end of a chain.
const FIRST_MARK: u32 = 0xffff_fffa;
/// Size of an entry of the directory.
const ENTRY_BYTES: usize = 128;
/// Streams below this size are in the sectors of the small stream.
const MIN_LARGE_STREAM_BYTES: usize = 4096;
/// Size of a sector of the small stream.
const SMALL_SECTOR_BYTES: usize = 64;

/// Reads the stream with the first of the `names` that the file has, without regard to case.
///
/// # Errors
/// `InvalidFields` about `body` if the file is damaged, encrypted or has none of the streams.
pub(super) fn read_stream(bytes: &[u8], names: &[&str]) -> Result<Vec<u8>> {
    let file = CompoundFile::open(bytes)?;
    let directory = file.read_chain(file.u32_at(48)?, usize::MAX)?;
    let entries: Vec<Entry> = directory.chunks_exact(ENTRY_BYTES).map(Entry::parse).collect();
    let find = |name: &&str| entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name));
    if entries.iter().any(|entry| entry.name == "EncryptedPackage") {
        return Err(body_error("is protected with a password"));
    }
    let Some(entry) = names.iter().find_map(find) else {
        return Err(body_error("is an Office file without a workbook"));
    };
    if entry.bytes >= MIN_LARGE_STREAM_BYTES {
        return file.read_chain(entry.start, entry.bytes);
    }
    let root = entries.first().ok_or_else(truncated)?;
    let small_stream = file.read_chain(root.start, root.bytes)?;
    let small_table = to_numbers(&file.read_chain(file.u32_at(60)?, usize::MAX)?);
    collect_chain(entry.start, &small_table, entry.bytes, |sector| {
        let start = sector * SMALL_SECTOR_BYTES;
        small_stream.get(start..small_stream.len().min(start + SMALL_SECTOR_BYTES))
    })
}

/// A compound file with its allocation table.
struct CompoundFile<'a> {
    bytes: &'a [u8],
    sector_bytes: usize,
    /// Number of the next sector of each sector.
    table: Vec<u32>,
}

impl<'a> CompoundFile<'a> {
    /// Reads the header and the allocation table.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is truncated, or its header or table is not valid.
    fn open(bytes: &'a [u8]) -> Result<Self> {
        let mut file = Self { bytes, sector_bytes: 0, table: Vec::new() };
        file.sector_bytes = match file.u32_at(30)? & 0xffff {
            9 => 512,
            12 => 4096,
            _ => return Err(damaged("the size of its sectors is invalid")),
        };
        let max_sectors = bytes.len() / file.sector_bytes + 1;
        let mut table_sectors = Vec::new();
        for index in 0..HEADER_TABLE_SECTORS {
            table_sectors.push(file.u32_at(76 + 4 * index)?);
        }
        // A chain of sectors lists further sectors of the table. Each ends in
        // the number of the next one.
        let mut next = file.u32_at(68)?;
        for _ in 0..max_sectors {
            if next >= FIRST_MARK {
                break;
            }
            let mut numbers = to_numbers(file.sector(next as usize).ok_or_else(truncated)?);
            next = numbers.pop().unwrap_or(FIRST_MARK);
            table_sectors.extend(numbers);
            if table_sectors.len() > max_sectors + HEADER_TABLE_SECTORS + file.sector_bytes {
                return Err(damaged("its allocation table is too long"));
            }
        }
        for sector in table_sectors.into_iter().filter(|sector| *sector < FIRST_MARK) {
            if file.table.len() > max_sectors + file.sector_bytes {
                break;
            }
            let numbers = to_numbers(file.sector(sector as usize).ok_or_else(truncated)?);
            file.table.extend(numbers);
        }
        Ok(file)
    }

    /// Returns the bytes of the sector with this number, from 0 after the header. The last one may
    /// be shorter. None beyond the end of the file.
    fn sector(&self, index: usize) -> Option<&'a [u8]> {
        let start = HEADER_BYTES.max(self.sector_bytes) + index.checked_mul(self.sector_bytes)?;
        self.bytes.get(start..self.bytes.len().min(start + self.sector_bytes))
    }

    /// Reads the chain that starts with the sector `start`, at most `max_bytes` bytes. A shorter
    /// chain is no error.
    fn read_chain(&self, start: u32, max_bytes: usize) -> Result<Vec<u8>> {
        collect_chain(start, &self.table, max_bytes, |sector| self.sector(sector))
    }

    /// Reads a little-endian number at a byte offset. An error if the file ends before it.
    fn u32_at(&self, at: usize) -> Result<u32> {
        let bytes = self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_le_bytes).ok_or_else(truncated)
    }
}

/// Concatenates the sectors of the chain that starts with the sector `start`, at most `max_bytes`
/// bytes. `table` has the number of the next sector of each sector, and `sector` returns the bytes
/// of one.
///
/// # Errors
/// `InvalidFields` about `body` if a sector is missing or the chain is circular.
fn collect_chain<'a>(
    start: u32,
    table: &[u32],
    max_bytes: usize,
    sector: impl Fn(usize) -> Option<&'a [u8]>,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut next = start;
    // A chain has each sector at most once.
    for _ in 0..=table.len() {
        if next >= FIRST_MARK || out.len() >= max_bytes {
            out.truncate(max_bytes);
            return Ok(out);
        }
        out.extend_from_slice(sector(next as usize).ok_or_else(truncated)?);
        next = *table.get(next as usize).ok_or_else(truncated)?;
    }
    Err(damaged("a chain of sectors is circular"))
}

/// An entry of the directory.
struct Entry {
    name: String,
    start: u32,
    bytes: usize,
}

impl Entry {
    /// Reads an entry from its `ENTRY_BYTES` bytes: the name in UTF-16, the first sector and the
    /// size in bytes.
    fn parse(entry: &[u8]) -> Self {
        let units = entry[..64].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let name: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        let u32_at =
            |at: usize| entry[at..at + 4].try_into().map(u32::from_le_bytes).unwrap_or_default();
        Self {
            name: String::from_utf16_lossy(&name),
            start: u32_at(116),
            bytes: usize::try_from(u32_at(120)).unwrap_or(usize::MAX),
        }
    }
}

/// Reads numbers of 32 bits in little-endian order. Ignores an incomplete one at the end.
fn to_numbers(bytes: &[u8]) -> Vec<u32> {
    let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
    bytes.chunks_exact(4).map(number).collect()
}

/// Returns the error about a file that ends too early.
fn truncated() -> Error {
    damaged("the file is truncated")
}
