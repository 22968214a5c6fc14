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

/// Size in bytes that a disk writes atomically.
const SECTOR: usize = 512;

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

/// Reads a journal.
pub fn read(path: &Path) -> Vec<Record> {
    let bytes = fs::read(path).unwrap();
    let mut records = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let head = &bytes[at..at + 17];
        let file = u32::from_le_bytes(head[1..5].try_into().unwrap());
        let number = u64::from_le_bytes(head[5..13].try_into().unwrap());
        let length = u32::from_le_bytes(head[13..17].try_into().unwrap()) as usize;
        let data = &bytes[at + 17..at + 17 + length];
        let path = || String::from_utf8(data.to_vec()).unwrap();
        let number_as_size = usize::try_from(number).unwrap();
        records.push(match head[0] {
            b'O' => Record::Open { file, created: number == 1, path: path() },
            b'W' => Record::Write { file, at: number_as_size, bytes: data.to_vec() },
            b'T' => Record::Truncate { file, size: number_as_size },
            b'B' => Record::SyncBegins { file, token: number },
            b'E' => Record::SyncEnds { token: number },
            b'U' => Record::Unlink { path: path() },
            other => panic!("unknown record {other}"),
        });
        at += 17 + length;
    }
    records
}

/// A random generator with a fixed sequence (splitmix64), so that a failure can be reproduced.
pub struct Chance(pub u64);

impl Chance {
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

    fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

#[derive(Default)]
struct File {
    /// Content that is certainly on the disk.
    safe: Vec<u8>,
    /// Changes that may be on the disk, in order.
    unsafe_changes: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Naming {
    Made(String, u32),
    Removed(String),
}

/// The disk at some moment of the recording.
#[derive(Default)]
pub struct Disk {
    files: BTreeMap<u32, File>,
    paths: BTreeMap<u32, String>,
    safe_names: BTreeMap<String, u32>,
    namings: Vec<Naming>,
    /// Syncs in progress: token → number of changes of the file (or of names) that it covers.
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
                    self.namings.push(Naming::Made(path.clone(), *file));
                }
            }
            Record::Write { file, at, bytes } => {
                self.change(*file, Change::Write { at: *at, bytes: bytes.clone() });
            }
            Record::Truncate { file, size } => self.change(*file, Change::Truncate(*size)),
            Record::SyncBegins { file, token } => {
                let changes = self.files[file].unsafe_changes.len();
                self.syncs.insert(*token, (*file, changes, self.namings.len()));
            }
            Record::SyncEnds { token } => self.sync(*token),
            Record::Unlink { path } => self.namings.push(Naming::Removed(path.clone())),
        }
    }

    fn change(&mut self, file: u32, change: Change) {
        self.files.entry(file).or_default().unsafe_changes.push(change);
    }

    fn sync(&mut self, token: u64) {
        let (file, changes, namings) = self.syncs.remove(&token).unwrap();
        let state = self.files.get_mut(&file).unwrap();
        for change in state.unsafe_changes.drain(..changes) {
            apply(&mut state.safe, &change);
        }
        for (other, covered, _) in self.syncs.values_mut().filter(|it| it.0 == file) {
            debug_assert_eq!(*other, file);
            *covered = covered.saturating_sub(changes);
        }
        // The only directory that is opened is the one with all files.
        let is_directory = !self.paths[&file].contains("chartroom.");
        if is_directory {
            for naming in self.namings.drain(..namings) {
                name(&mut self.safe_names, &naming);
            }
            for (_, _, covered) in self.syncs.values_mut() {
                *covered = covered.saturating_sub(namings);
            }
        }
    }

    /// Writes one possible content of the disk into `dir`, for a crash at this moment.
    pub fn crash(&self, chance: &mut Chance, dir: &Path) {
        let kept = [0, 50, 90, 100][chance.below(4)];
        let torn = [0, 30][chance.below(2)];
        let mut names = self.safe_names.clone();
        for naming in &self.namings {
            if chance.happens(kept) {
                name(&mut names, naming);
            }
        }
        for (path, file) in names {
            let state = &self.files[&file];
            let mut bytes = state.safe.clone();
            for change in &state.unsafe_changes {
                if chance.happens(kept) {
                    apply_torn(&mut bytes, change, torn, chance);
                }
            }
            let name = Path::new(&path).file_name().unwrap();
            fs::write(dir.join(name), bytes).unwrap();
        }
    }
}

fn name(names: &mut BTreeMap<String, u32>, naming: &Naming) {
    match naming {
        Naming::Made(path, file) => names.insert(path.clone(), *file),
        Naming::Removed(path) => names.remove(path),
    };
}

fn apply(to: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Truncate(size) => to.resize(*size, 0),
        Change::Write { at, bytes } => {
            let end = at + bytes.len();
            if to.len() < end {
                to.resize(end, 0);
            }
            to[*at..end].copy_from_slice(bytes);
        }
    }
}

/// Applies a change like [`apply`]. With a probability of `torn` percent, only some sectors are
/// written.
fn apply_torn(to: &mut Vec<u8>, change: &Change, torn: usize, chance: &mut Chance) {
    match change {
        Change::Write { at, bytes } if chance.happens(torn) => {
            for (number, sector) in bytes.chunks(SECTOR).enumerate() {
                if chance.happens(50) {
                    let at = at + number * SECTOR;
                    apply(to, &Change::Write { at, bytes: sector.to_vec() });
                }
            }
        }
        whole => apply(to, whole),
    }
}
