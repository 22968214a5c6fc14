//! Crash-safe file operations: copies of the database, and the replacement of the database file.

use std::fs;
use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use rusqlite::Connection;
use rusqlite::backup::Backup;
use rusqlite::backup::StepResult;

use crate::crypto;
use crate::db::connection;
use crate::db::connection::DATABASE_FILE_NAME;
use crate::db::unusable_data::UnusableData;
use crate::error::Error;
use crate::error::Result;
use crate::search;
use crate::time::Timestamp;

/// Number of written bytes after which a large file is flushed to the disk.
///
/// If much data waits for the disk, a commit of the database that happens meanwhile waits for all
/// of it. Eight mebibytes delay a commit by less than 100 ms, even on a slow disk.
const FLUSH_INTERVAL_BYTES: u64 = 8 << 20;

/// Number of pages of 8 KiB that one step of a database copy reads, so that a step and the flush
/// after it stay short.
const COPY_STEP_PAGES: i32 = 1024;

/// Flushes the entries of `dir`, so that new and renamed files survive a power loss.
pub(super) fn sync_dir(dir: &Path) -> Result<()> {
    Ok(File::open(dir)?.sync_all()?)
}

/// Creates a new file with mode 0600.
///
/// # Errors
/// The file exists or cannot be created.
pub(super) fn create_private_file(path: &Path) -> Result<File> {
    Ok(OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?)
}

/// A writer of a large file that flushes it to the disk at intervals of [`FLUSH_INTERVAL_BYTES`].
pub(super) struct LargeFile {
    file: File,
    /// Number of bytes written since the last flush.
    unflushed_bytes: u64,
}

impl LargeFile {
    /// Creates a new, empty file with mode 0600.
    ///
    /// # Errors
    /// Those of [`create_private_file`]: the file exists or cannot be created.
    pub(super) fn create(path: &Path) -> Result<Self> {
        Ok(Self { file: create_private_file(path)?, unflushed_bytes: 0 })
    }

    /// Flushes content and metadata of the complete file to the disk.
    pub(super) fn finish(self) -> Result<()> {
        Ok(self.file.sync_all()?)
    }
}

impl Write for LargeFile {
    /// Writes some of `bytes` and returns their number. Flushes the file to the disk after each
    /// `FLUSH_INTERVAL_BYTES`, so that a call can take long.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.unflushed_bytes += written as u64;
        if self.unflushed_bytes >= FLUSH_INTERVAL_BYTES {
            self.file.sync_data()?;
            self.unflushed_bytes = 0;
        }
        Ok(written)
    }

    /// Flushes the buffer of the program, which a file does not have. Does not flush to the disk,
    /// unlike `finish`.
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Creates a directory and its parents with mode 0700. An existing directory stays unchanged.
pub(super) fn create_private_dir(path: &Path) -> Result<()> {
    Ok(fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?)
}

/// Formats a time in UTC for a file name, without fractions of a second: `20261121T134503Z`.
pub(super) fn format_file_timestamp(time: Timestamp) -> String {
    let text = time.to_string();
    let to_seconds = text.split('.').next().unwrap_or(&text);
    to_seconds.chars().filter(|char| !matches!(char, '-' | ':')).chain(['Z']).collect()
}

/// A temporary directory, removed with its content on drop.
pub(super) struct TemporaryDir(PathBuf);

impl TemporaryDir {
    /// Creates a temporary directory in `parent`, so that its files can be renamed to paths in
    /// `parent`.
    pub(super) fn new(parent: &Path) -> Result<Self> {
        let path = parent.join(format!(".temporary-{}", crypto::random_base62(12)?));
        create_private_dir(&path)?;
        Ok(Self(path))
    }

    /// Returns the path of the directory.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDir {
    /// Removes the directory with its content. Logs a failure.
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "a temporary directory cannot be removed");
        }
    }
}

/// Copies one snapshot of an open database to a new file without a write-ahead log and flushes it.
///
/// Other connections can read and write the source meanwhile. The copy flushes the new file after
/// each step, so that their commits do not wait for all of its data.
///
/// # Errors
/// `Busy` if the source stays locked for 10 s. Also fails if `from` is in a transaction, or if the
/// file exists. A new file stays after an error.
pub(super) fn copy_database(from: &Connection, to: &Path) -> Result<()> {
    let file = create_private_file(to)?;
    let mut copy = Connection::open(to)?;
    // The copy is incomplete before the fsync at the end, so earlier flushes are useless.
    copy.pragma_update(None, "synchronous", "off")?;
    // The steps use the snapshot of this transaction. Without it, a write between two steps would
    // restart the copy.
    let snapshot = from.unchecked_transaction()?;
    snapshot.query_row("select count(*) from sqlite_schema", [], |_| Ok(()))?;
    let mut last_step = Instant::now();
    let backup = Backup::new(&snapshot, &mut copy)?;
    loop {
        match backup.step(COPY_STEP_PAGES)? {
            StepResult::Done => break,
            StepResult::More => {
                file.sync_data()?;
                last_step = Instant::now();
            }
            _ if last_step.elapsed() > connection::BUSY_TIMEOUT => return Err(Error::Busy),
            _ => thread::sleep(Duration::from_millis(20)),
        }
    }
    drop(backup);
    snapshot.finish()?;
    copy.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()))?;
    copy.close().map_err(|(_, error)| error)?;
    file.sync_all()?;
    sync_dir(parent_dir(to))
}

/// Returns the directory that contains a file, `.` for a bare file name.
pub(super) fn parent_dir(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces the database of `dir` by the file `fresh`, which is moved, and deletes the search index
/// of the old one. Returns the new directory with the old database, empty if there was none. The
/// log of the old database is copied into it if possible and kept beside it otherwise.
///
/// The caller must hold the exclusive lock of `dir`. A crash at any moment leaves one complete
/// database in place, unless the log of the old one could not be copied into it.
pub(super) fn replace_database(dir: &Path, fresh: &Path, now: Timestamp) -> Result<PathBuf> {
    let database = dir.join(DATABASE_FILE_NAME);
    let replaced_dir = create_replaced_dir(dir, now)?;
    // The search index belongs to the old database. The next server builds a new one.
    match fs::remove_dir_all(dir.join(search::INDEX_DIR_NAME)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    if database.exists() {
        if let Err(error) = truncate_wal(&database) {
            // A damaged old database is a reason for the replacement, so this is no error.
            tracing::warn!(%error, "the log of the old database cannot be truncated; keeping both");
        }
        for extension in ["db", "db-wal"] {
            let old = database.with_extension(extension);
            if let Some(name) = old.file_name()
                && old.exists()
            {
                fs::hard_link(&old, replaced_dir.join(name))?;
            }
        }
        sync_dir(&replaced_dir)?;
        // SQLite would apply an old log to the new database.
        for extension in ["db-wal", "db-shm"] {
            match fs::remove_file(database.with_extension(extension)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        sync_dir(dir)?;
    }
    fs::rename(fresh, &database)?;
    sync_dir(dir)?;
    Ok(replaced_dir)
}

/// Creates a new directory `replaced-<time>` for the old files. Appends `.2`, `.3` and so on if
/// that exists.
fn create_replaced_dir(dir: &Path, now: Timestamp) -> Result<PathBuf> {
    let base = dir.join(format!("replaced-{}", format_file_timestamp(now)));
    let mut path = base.clone();
    let mut count = 1;
    while path.exists() {
        count += 1;
        path = base.with_extension(count.to_string());
    }
    create_private_dir(&path)?;
    Ok(path)
}

/// Copies the whole write-ahead log into the database file, so that the file alone is complete, and
/// truncates the log.
///
/// # Errors
/// [`UnusableData`] if another connection uses the log.
fn truncate_wal(database: &Path) -> Result<()> {
    let connection = connection::open(database)?;
    let busy: i64 =
        connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))?;
    connection.close().map_err(|(_, error)| error)?;
    if busy == 0 { Ok(()) } else { Err(UnusableData::error("the write-ahead log is in use")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_timestamps_have_no_separators() {
        assert_eq!(format_file_timestamp(Timestamp(1_795_269_599_123)), "20261121T135959Z");
    }
}
