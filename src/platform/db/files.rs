//! Files that must not be half written: copies of the database, and putting one in its place.

use std::fs;
use std::fs::File;
use std::fs::OpenOptions;
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
use crate::db::Attention;
use crate::db::FILE;
use crate::db::connection;
use crate::error::Error;
use crate::error::Result;
use crate::search;
use crate::time::Timestamp;

/// Names of files made or renamed in `dir` are on the disk when this returns.
pub(super) fn sync_dir(dir: &Path) -> Result<()> {
    Ok(File::open(dir)?.sync_all()?)
}

/// A new file that only its owner can read.
pub(super) fn new_file(path: &Path) -> Result<File> {
    Ok(OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?)
}

/// A directory that only its owner can enter; one that exists stays as it is.
pub(super) fn private_dir(path: &Path) -> Result<()> {
    Ok(fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?)
}

/// A time for a file name, such as `20261121T134503Z`.
pub(super) fn stamp(time: Timestamp) -> String {
    let text = time.to_string();
    let to_seconds = text.split('.').next().unwrap_or(&text);
    to_seconds.chars().filter(|it| !matches!(it, '-' | ':')).chain(['Z']).collect()
}

/// A directory that is removed with all in it when this is dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in `parent`, so that its files can be renamed to places beside it.
    pub(super) fn new(parent: &Path) -> Result<Self> {
        let path = parent.join(format!(".scratch-{}", crypto::random_base62(12)?));
        private_dir(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "a temporary directory stays");
        }
    }
}

/// Copies one snapshot of an open database to a new file, complete in itself, on the disk.
/// Readers and writers of the source go on.
pub(super) fn copy_database(from: &Connection, to: &Path) -> Result<()> {
    let file = new_file(to)?;
    let mut copy = Connection::open(to)?;
    // The file is worth nothing before the fsync at the end.
    copy.pragma_update(None, "synchronous", "off")?;
    let began = Instant::now();
    loop {
        // All in one step: one read transaction, so that no write starts the copy anew.
        match Backup::new(from, &mut copy)?.step(-1)? {
            StepResult::Done => break,
            _ if began.elapsed() > connection::BUSY => return Err(Error::Busy),
            _ => thread::sleep(Duration::from_millis(20)),
        }
    }
    copy.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()))?;
    copy.close().map_err(|(_, error)| error)?;
    file.sync_all()?;
    sync_dir(parent(to))
}

/// The directory that a file is in.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts `fresh` in the place of the database of `dir` and keeps the old one; returns where.
/// The caller holds the directory alone. At every moment there is one whole database in place.
pub(super) fn replace_database(dir: &Path, fresh: &Path, now: Timestamp) -> Result<PathBuf> {
    let database = dir.join(FILE);
    let aside = aside(dir, now)?;
    // The search index is of the old database; a server builds it anew.
    match fs::remove_dir_all(dir.join(search::DIR)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    if database.exists() {
        if let Err(error) = settle(&database) {
            // It may be replaced because it is damaged.
            tracing::warn!(%error, "the old database is kept aside as it is");
        }
        for extension in ["db", "db-wal"] {
            let old = database.with_extension(extension);
            if let Some(name) = old.file_name()
                && old.exists()
            {
                fs::hard_link(&old, aside.join(name))?;
            }
        }
        sync_dir(&aside)?;
        // A log left behind would be read as part of the new database.
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
    Ok(aside)
}

/// A new directory for what is replaced.
fn aside(dir: &Path, now: Timestamp) -> Result<PathBuf> {
    let base = dir.join(format!("replaced-{}", stamp(now)));
    let mut path = base.clone();
    let mut count = 1;
    while path.exists() {
        count += 1;
        path = base.with_extension(count.to_string());
    }
    private_dir(&path)?;
    Ok(path)
}

/// Copies all of the write-ahead log into the file; closing it then removes the log.
fn settle(database: &Path) -> Result<()> {
    let connection = connection::open(database)?;
    let busy: i64 =
        connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))?;
    connection.close().map_err(|(_, error)| error)?;
    if busy == 0 { Ok(()) } else { Err(Attention::error("the write-ahead log is in use")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_becomes_a_file_name() {
        assert_eq!(stamp(Timestamp(1_795_269_599_123)), "20261121T135959Z");
    }
}
