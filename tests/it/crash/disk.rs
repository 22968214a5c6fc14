//! A disk that loses power. Reads the journal of the shim and builds an image that a crash at a
//! given moment may leave.
//!
//! Data written before the start of an fsync is on the disk once that fsync has ended. Of all later
//! data, any part may be there. Whole writes are missing, and others are torn between two sectors,
//! in any combination. Files may have their old length. Names that were created or removed without
//! an fsync of their directory may be as before.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Size in bytes of the unit that a disk writes atomically.
const SECTOR_BYTES: usize = 512;

/// One record of the journal; see `shim.c`.
#[derive(Debug, Clone)]
pub enum Record {
    Open { file: u32, created: bool, path: String },
    Write { file: u32, at: usize, bytes: Vec<u8> },
    Truncate { file: u32, size: usize },
    SyncBegins { file: u32, token: u64 },
    SyncEnds { token: u64 },
    Unlink { path: String },
}

/// Reads the journal that the shim has written.
pub fn read_journal(path: &Path) -> Vec<Record> {
    let bytes = fs::read(path).unwrap();
    let mut records = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        let header = &bytes[position..position + 17];
        let file = u32::from_le_bytes(header[1..5].try_into().unwrap());
        let number = u64::from_le_bytes(header[5..13].try_into().unwrap());
        let length = u32::from_le_bytes(header[13..17].try_into().unwrap()) as usize;
        let data = &bytes[position + 17..position + 17 + length];
        let path = || String::from_utf8(data.to_vec()).unwrap();
        let number_as_usize = usize::try_from(number).unwrap();
        records.push(match header[0] {
            b'O' => Record::Open { file, created: number == 1, path: path() },
            b'W' => Record::Write { file, at: number_as_usize, bytes: data.to_vec() },
            b'T' => Record::Truncate { file, size: number_as_usize },
            b'B' => Record::SyncBegins { file, token: number },
            b'E' => Record::SyncEnds { token: number },
            b'U' => Record::Unlink { path: path() },
            other => panic!("unknown record {other}"),
        });
        position += 17 + length;
    }
    records
}

/// A random generator with a fixed sequence (splitmix64), so that a failure can be reproduced.
pub struct SeededRandom(pub u64);

impl SeededRandom {
    /// Returns the next random number.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// Returns true with a probability of `percent`.
    fn random_bool_percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A change of the content of a file.
#[derive(Debug, Clone)]
enum FileChange {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

/// A file with its durable and its pending content.
#[derive(Default)]
struct SimulatedFile {
    /// Content that is certainly on the disk.
    durable_content: Vec<u8>,
    /// Changes that may be on the disk, in order.
    pending_changes: Vec<FileChange>,
}

/// A change of the names in the directory.
#[derive(Debug, Clone)]
enum NameChange {
    Created(String, u32),
    Removed(String),
}

/// The disk at some moment of the recording.
#[derive(Default)]
pub struct Disk {
    files: BTreeMap<u32, SimulatedFile>,
    paths: BTreeMap<u32, String>,
    durable_names: BTreeMap<String, u32>,
    pending_names: Vec<NameChange>,
    /// Syncs in progress: token → file, and the numbers of pending changes of that file and of
    /// pending name changes that the sync covers.
    syncs: BTreeMap<u64, (u32, usize, usize)>,
}

impl Disk {
    /// Applies a record.
    pub fn apply(&mut self, record: &Record) {
        match record {
            Record::Open { file, created, path } => {
                self.files.entry(*file).or_default();
                self.paths.insert(*file, path.clone());
                if *created {
                    self.pending_names.push(NameChange::Created(path.clone(), *file));
                }
            }
            Record::Write { file, at, bytes } => {
                self.add_change(*file, FileChange::Write { at: *at, bytes: bytes.clone() });
            }
            Record::Truncate { file, size } => self.add_change(*file, FileChange::Truncate(*size)),
            Record::SyncBegins { file, token } => {
                let changes = self.files[file].pending_changes.len();
                self.syncs.insert(*token, (*file, changes, self.pending_names.len()));
            }
            Record::SyncEnds { token } => self.end_sync(*token),
            Record::Unlink { path } => self.pending_names.push(NameChange::Removed(path.clone())),
        }
    }

    /// Adds a pending change of a file.
    fn add_change(&mut self, file: u32, change: FileChange) {
        self.files.entry(file).or_default().pending_changes.push(change);
    }

    /// Makes the changes durable that an ended sync covers.
    fn end_sync(&mut self, token: u64) {
        let (file, change_count, name_count) = self.syncs.remove(&token).unwrap();
        let file_state = self.files.get_mut(&file).unwrap();
        for change in file_state.pending_changes.drain(..change_count) {
            apply_change(&mut file_state.durable_content, &change);
        }
        for (other_file, covered_count, _) in self.syncs.values_mut().filter(|sync| sync.0 == file)
        {
            debug_assert_eq!(*other_file, file);
            *covered_count = covered_count.saturating_sub(change_count);
        }
        // The only directory that is opened is the one with all files.
        let is_directory = !self.paths[&file].contains("chartroom.");
        if is_directory {
            for naming in self.pending_names.drain(..name_count) {
                apply_name_change(&mut self.durable_names, &naming);
            }
            for (_, _, covered_count) in self.syncs.values_mut() {
                *covered_count = covered_count.saturating_sub(name_count);
            }
        }
    }

    /// Writes one possible content of the disk into `dir`, for a crash at this moment.
    pub fn write_crash_image(&self, random: &mut SeededRandom, dir: &Path) {
        let kept_percent = [0, 50, 90, 100][random.below(4)];
        let torn_percent = [0, 30][random.below(2)];
        let mut names = self.durable_names.clone();
        for naming in &self.pending_names {
            if random.random_bool_percent(kept_percent) {
                apply_name_change(&mut names, naming);
            }
        }
        for (path, file) in names {
            let file_state = &self.files[&file];
            let mut bytes = file_state.durable_content.clone();
            for change in &file_state.pending_changes {
                if random.random_bool_percent(kept_percent) {
                    apply_change_torn(&mut bytes, change, torn_percent, random);
                }
            }
            let name = Path::new(&path).file_name().unwrap();
            fs::write(dir.join(name), bytes).unwrap();
        }
    }
}

/// Applies a name change to a directory.
fn apply_name_change(names: &mut BTreeMap<String, u32>, naming: &NameChange) {
    match naming {
        NameChange::Created(path, file) => names.insert(path.clone(), *file),
        NameChange::Removed(path) => names.remove(path),
    };
}

/// Applies a change to the content of a file.
fn apply_change(content: &mut Vec<u8>, change: &FileChange) {
    match change {
        FileChange::Truncate(size) => content.resize(*size, 0),
        FileChange::Write { at, bytes } => {
            let end = at + bytes.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            content[*at..end].copy_from_slice(bytes);
        }
    }
}

/// Applies a change like [`apply_change`]. With a probability of `torn_percent`, only some sectors
/// are written.
fn apply_change_torn(
    content: &mut Vec<u8>,
    change: &FileChange,
    torn_percent: usize,
    random: &mut SeededRandom,
) {
    match change {
        FileChange::Write { at, bytes } if random.random_bool_percent(torn_percent) => {
            for (index, sector) in bytes.chunks(SECTOR_BYTES).enumerate() {
                if random.random_bool_percent(50) {
                    let at = at + index * SECTOR_BYTES;
                    apply_change(content, &FileChange::Write { at, bytes: sector.to_vec() });
                }
            }
        }
        whole => apply_change(content, whole),
    }
}
