//! The restore epoch of a database: a random text that every restore changes.
//!
//! A restore of an older state sets counters back, such as the revisions of documents. The next
//! changes then use values that stood for other content before the restore. Entity tags contain the
//! epoch, so that a tag from before the restore never matches content from after it.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::OptionalExtension;

use crate::crypto;
use crate::db::connection;
use crate::error::Result;

/// Length of an epoch in characters. Two of the restores of one database have the same epoch with a
/// probability of about 2⁻⁴⁷.
const EPOCH_CHARS: usize = 8;

/// Returns the epoch of a database, or an empty text if it was never restored.
pub(super) fn read(connection: &Connection) -> Result<Arc<str>> {
    let sql = "select value from meta where key = 'restore_epoch'";
    let epoch: Option<String> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(epoch.unwrap_or_default().into())
}

/// Prepares the copy of a database at `path` for its use in place of another one: gives it a new
/// epoch, and enables the write-ahead log, which copies do not use.
///
/// No other connection may use the copy.
pub(super) fn begin_new_epoch(path: &Path) -> Result<()> {
    let connection = connection::open(path)?;
    let sql = "insert into meta (key, value) values ('restore_epoch', ?1)
               on conflict (key) do update set value = excluded.value";
    connection.execute(sql, [crypto::random_base62(EPOCH_CHARS)?])?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}
