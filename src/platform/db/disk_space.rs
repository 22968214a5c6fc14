//! Free space of the data directory: the limit below which writes are refused, and the reserve.
//!
//! Below the limit only writes run that [`Db::write_with_reserve`](super::Db::write_with_reserve)
//! marks, such as deletions and sign-ins. The reserve is a directory of files that keep space
//! allocated. If such a write finds the disk full, the writer deletes these files and repeats the
//! write. It creates them again when enough space is available.
//!
//! A quota of the file system can end earlier than its free space, and SQLite reports an exceeded one
//! as a failed operation. A failed write therefore tests the quota with a small file.

use std::fs;
use std::fs::File;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use rusqlite::Connection;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use crate::db::files;
use crate::error::Result;

/// Name of the directory with the reserve, in the data directory.
const RESERVE_DIR_NAME: &str = "reserve";

/// Number of files in the reserve. Several files also reserve entries in the table of files of the
/// file system (inodes).
const RESERVE_FILES: u64 = 16;

/// Size of each file in the reserve, in bytes.
const RESERVE_FILE_BYTES: u64 = 1 << 20;

/// Free bytes below which the start releases the reserve. Opening the database creates the shared
/// memory file of the write-ahead log, which has 32 KiB.
const MIN_START_BYTES: u64 = 1 << 20;

/// Number of free inodes below which the start releases the reserve. The start creates the
/// write-ahead log, its shared memory file and files of the search index.
const MIN_START_INODES: u64 = 16;

/// Name of the file in the data directory that tests the quota.
const QUOTA_TEST_FILE_NAME: &str = "quota-test";

/// Size of that file in bytes: more than a failed write leaves of a quota, which counts blocks.
const QUOTA_TEST_BYTES: usize = 128 << 10;

/// Minimum time between two attempts to create the reserve.
const CREATION_INTERVAL: Duration = Duration::from_secs(10);

/// The view of the writer on the free space of the data directory.
pub(super) struct DiskSpace {
    dir: PathBuf,
    /// Minimum of free bytes. 0 disables all checks.
    min_free_bytes: u64,
    /// Whether this process creates the reserve.
    keeps_reserve: Arc<AtomicBool>,
    /// Time of the last attempt to create the reserve.
    last_creation: Option<Instant>,
    /// Whether the quota of the file system was exceeded and the reserve is not complete again.
    is_over_quota: bool,
}

impl DiskSpace {
    /// Returns the view on the file system of the directory `dir`. The reserve is created only
    /// while `keeps_reserve` is true. `is_over_quota` is the result of
    /// [`release_reserve_if_start_needs_it`].
    pub(super) fn new(
        dir: &Path,
        min_free_bytes: u64,
        keeps_reserve: Arc<AtomicBool>,
        is_over_quota: bool,
    ) -> Self {
        let last_creation = is_over_quota.then(Instant::now);
        Self { dir: dir.to_owned(), min_free_bytes, keeps_reserve, last_creation, is_over_quota }
    }

    /// Returns whether less than the minimum is free.
    ///
    /// Unused pages of the database, which deletions leave, count as free. If the file system does
    /// not report its free space, the result is false. Creates the reserve if it is absent and
    /// enough space is available.
    pub(super) fn is_low(&mut self, connection: &Connection) -> bool {
        if self.min_free_bytes == 0 {
            return false;
        }
        if self.is_still_over_quota() {
            return count_unused_bytes(connection) < self.min_free_bytes;
        }
        let Some(free) = find_free_bytes(&self.dir) else { return false };
        if free >= self.min_free_bytes {
            self.keep_reserve(free);
            return false;
        }
        free.saturating_add(count_unused_bytes(connection)) < self.min_free_bytes
    }

    /// Returns whether the quota of the file system is exceeded, after a failed operation. From then
    /// on, little space counts as free until the reserve is complete again.
    pub(super) fn is_quota_exceeded(&mut self) -> bool {
        let is_exceeded = is_quota_exceeded(&self.dir);
        if is_exceeded {
            self.is_over_quota = true;
            self.last_creation = Some(Instant::now());
        }
        is_exceeded
    }

    /// Returns whether the quota was exceeded and has too little room for the reserve, or for a small
    /// file if another process keeps the reserve. Tests it at most once per [`CREATION_INTERVAL`].
    fn is_still_over_quota(&mut self) -> bool {
        let is_due = self.last_creation.is_none_or(|time| time.elapsed() >= CREATION_INTERVAL);
        if self.is_over_quota && is_due {
            self.last_creation = Some(Instant::now());
            self.is_over_quota = match self.keeps_reserve.load(Ordering::Relaxed) {
                true => !self.try_create_reserve(),
                false => is_quota_exceeded(&self.dir),
            };
        }
        self.is_over_quota
    }

    /// Deletes the reserve. Returns whether it contained a file.
    pub(super) fn release_reserve(&self) -> bool {
        let released = release_reserve(&self.dir);
        if released {
            tracing::warn!("the disk is full; the reserve of the data directory is released");
        }
        released
    }

    /// Creates missing files of the reserve, at most once per [`CREATION_INTERVAL`], if at least
    /// the minimum of the `free` bytes would remain and this process keeps the reserve. After a
    /// failure, logs it and deletes the reserve.
    fn keep_reserve(&mut self, free: u64) {
        let is_due = self.last_creation.is_none_or(|time| time.elapsed() >= CREATION_INTERVAL);
        let is_possible = free >= self.min_free_bytes + RESERVE_FILES * RESERVE_FILE_BYTES;
        if !is_due || !is_possible || !self.keeps_reserve.load(Ordering::Relaxed) {
            return;
        }
        self.last_creation = Some(Instant::now());
        self.try_create_reserve();
    }

    /// Creates missing files of the reserve. After a failure, logs it, deletes the reserve and returns
    /// false.
    fn try_create_reserve(&self) -> bool {
        let created = create_reserve(&self.dir);
        if let Err(error) = &created {
            let error = error.operator_message();
            tracing::warn!(error, "the reserve of the data directory cannot be created");
            release_reserve(&self.dir);
        }
        created.is_ok()
    }
}

/// Returns the number of free bytes on the disk of `dir`, or None if the file system does not
/// report it. Bytes that only the system administrator may use are not free.
pub(super) fn find_free_bytes(dir: &Path) -> Option<u64> {
    let state = rustix::fs::statvfs(dir).ok()?;
    Some(state.f_bavail.saturating_mul(state.f_frsize))
}

/// Deletes the reserve of `dir` if the file system has too little space or too few inodes to open
/// the database, or its quota is exceeded. Returns whether the quota is exceeded.
pub(super) fn release_reserve_if_start_needs_it(dir: &Path) -> bool {
    let is_over_quota = is_quota_exceeded(dir);
    let is_full = is_over_quota
        || rustix::fs::statvfs(dir).is_ok_and(|state| {
            // File systems without a fixed number of inodes report 0 inodes in total.
            state.f_bavail.saturating_mul(state.f_frsize) < MIN_START_BYTES
                || state.f_files > 0 && state.f_favail < MIN_START_INODES
        });
    if is_full && release_reserve(dir) {
        tracing::warn!("the disk is full at the start; the reserve is released");
    }
    is_over_quota
}

/// Returns whether the quota of the file system of `dir` leaves no room for a small file. False on a
/// full disk, and for every other failure.
fn is_quota_exceeded(dir: &Path) -> bool {
    let path = dir.join(QUOTA_TEST_FILE_NAME);
    // Left by a crash, or not there.
    let _ = fs::remove_file(&path);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(&[0; QUOTA_TEST_BYTES]));
    let _ = fs::remove_file(&path);
    // A full disk, also one without free inodes, has another error.
    written.is_err_and(|error| error.raw_os_error() == Some(Errno::DQUOT.raw_os_error()))
}

/// Returns the size in bytes of the pages in the database that contain nothing, or 0 if it is
/// unknown.
fn count_unused_bytes(connection: &Connection) -> u64 {
    let count = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    match (count("freelist_count"), count("page_size")) {
        (Ok(pages), Ok(page_bytes)) => {
            pages.unsigned_abs().saturating_mul(page_bytes.unsigned_abs())
        }
        _ => 0,
    }
}

/// Returns the path of the file of the reserve with this number, from 0. Does not check that it exists.
fn reserve_file(dir: &Path, number: u64) -> PathBuf {
    dir.join(RESERVE_DIR_NAME).join(number.to_string())
}

/// Deletes the files of the reserve, ignoring errors. Returns whether it deleted one.
fn release_reserve(dir: &Path) -> bool {
    let mut released = false;
    for number in 0..RESERVE_FILES {
        released |= fs::remove_file(reserve_file(dir, number)).is_ok();
    }
    released
}

/// Creates the missing files of the reserve, and replaces files that are too short. Stops at the first
/// error and keeps the files until then.
fn create_reserve(dir: &Path) -> Result<()> {
    files::create_private_dir(&dir.join(RESERVE_DIR_NAME))?;
    for number in 0..RESERVE_FILES {
        let path = reserve_file(dir, number);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() >= RESERVE_FILE_BYTES => continue,
            // A crash can leave a file without its space.
            Ok(_) => fs::remove_file(&path)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        allocate_reserve_file(&files::create_private_file(&path)?)?;
    }
    Ok(())
}

/// Allocates `RESERVE_FILE_BYTES` of disk space for a new file of the reserve with `fallocate`.
///
/// Writes zeros instead if the file system does not support `fallocate`. Does not sync the file.
///
/// # Errors
/// If the disk has not enough space, or for another I/O error.
fn allocate_reserve_file(mut file: &File) -> Result<()> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, RESERVE_FILE_BYTES) {
        // Not every file system can allocate space without data.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            let block = [0; 64 << 10];
            for _ in 0..RESERVE_FILE_BYTES / block.len() as u64 {
                file.write_all(&block)?;
            }
            Ok(())
        }
        other => Ok(other.map_err(std::io::Error::from)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of files in the reserve.
    fn count_reserve_files(dir: &Path) -> usize {
        fs::read_dir(dir.join(RESERVE_DIR_NAME)).map_or(0, Iterator::count)
    }

    #[test]
    fn the_reserve_is_created_completed_and_released() {
        let dir = tempfile::tempdir().unwrap();
        let connection = Connection::open_in_memory().unwrap();
        let keeps_reserve = Arc::new(AtomicBool::new(false));
        let mut space = DiskSpace::new(dir.path(), 1, keeps_reserve.clone(), false);
        assert!(!space.is_low(&connection));
        assert_eq!(count_reserve_files(dir.path()), 0, "only the server creates the reserve");
        keeps_reserve.store(true, Ordering::Relaxed);
        assert!(!space.is_low(&connection));
        assert_eq!(count_reserve_files(dir.path()), 16);
        fs::write(reserve_file(dir.path(), 3), "").unwrap();
        create_reserve(dir.path()).unwrap();
        let allocated = fs::metadata(reserve_file(dir.path(), 3)).unwrap().len();
        assert_eq!(allocated, RESERVE_FILE_BYTES);
        assert!(space.release_reserve());
        assert!(!space.release_reserve());
        assert_eq!(count_reserve_files(dir.path()), 0);
    }

    #[test]
    fn an_exceeded_quota_counts_as_a_full_disk_until_the_reserve_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let connection = Connection::open_in_memory().unwrap();
        let keeps_reserve = Arc::new(AtomicBool::new(true));
        let mut space = DiskSpace::new(dir.path(), 1, keeps_reserve, true);
        assert!(space.is_low(&connection) && space.is_low(&connection));
        assert_eq!(count_reserve_files(dir.path()), 0);
        space.last_creation = None;
        assert!(!space.is_low(&connection));
        assert_eq!(count_reserve_files(dir.path()), 16);
        assert!(!space.is_quota_exceeded(), "the directory has no quota");
        let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.collect::<Vec<_>>(), [RESERVE_DIR_NAME]);
    }

    #[test]
    fn unused_pages_are_counted_and_a_disk_below_the_minimum_is_low() {
        let dir = tempfile::tempdir().unwrap();
        let connection = Connection::open(dir.path().join("a.db")).unwrap();
        assert_eq!(count_unused_bytes(&connection), 0);
        connection
            .execute_batch(
                "create table t (body); insert into t values (zeroblob(1000000)); delete from t",
            )
            .unwrap();
        assert!(count_unused_bytes(&connection) >= 900_000);
        let mut space = DiskSpace::new(dir.path(), u64::MAX / 2, Arc::default(), false);
        assert!(space.is_low(&connection), "no disk has so much free space");
    }
}
