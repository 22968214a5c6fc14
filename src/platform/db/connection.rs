//! Database connections: one writer, and a pool of read-only connections.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use rustix::fs::Access;

use crate::db::options::CheckpointMode;
use crate::db::options::DbOptions;
use crate::db::unusable_data::UnusableData;
use crate::db::wal_pages;
use crate::error::Error;
use crate::error::Result;

/// Name of the database file in the data directory.
pub const DATABASE_FILE_NAME: &str = "chartroom.db";

/// Minimum version of SQLite. Before 3.51.3, a race between a writer and a checkpoint that resets
/// the write-ahead log could damage the file.
const MIN_SQLITE_VERSION: i32 = 3_051_003;

/// Maximum time that SQLite waits for a lock of another process or connection.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of cached prepared statements per connection, more than one connection ever uses.
const MAX_CACHED_STATEMENTS: usize = 256;

/// The pool of read-only connections.
pub(super) type ReaderPool = r2d2::Pool<ReaderManager>;

/// A read-only connection that returns to its pool when it is dropped.
pub(super) type PooledReader = r2d2::PooledConnection<ReaderManager>;

/// The factory of read-only connections for the pool.
pub(super) struct ReaderManager {
    path: PathBuf,
}

impl r2d2::ManageConnection for ReaderManager {
    type Connection = Connection;
    type Error = rusqlite::Error;

    /// Opens a further read-only connection for the pool.
    fn connect(&self) -> rusqlite::Result<Connection> {
        let connection = open(&self.path)?;
        // 4 MiB of pages per connection. One page of search results reads half as much. The cache
        // of the operating system holds the rest of the database.
        connection.pragma_update(None, "cache_size", -4096)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }

    /// Runs an empty batch of statements. The pool does not call it when it hands out a connection.
    fn is_valid(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        connection.execute_batch("")
    }

    /// Returns whether the connection is still in a transaction. The pool then closes it instead of
    /// reusing it.
    fn has_broken(&self, connection: &mut Connection) -> bool {
        !connection.is_autocommit()
    }
}

/// Time after which a connection that nobody uses is closed, so that its pages go back to the system.
/// The pool looks for such connections each 30 seconds.
const MAX_IDLE_TIME: Duration = Duration::from_secs(10);

/// Returns a pool of up to `max_readers` connections. Opens one at once and the others on demand, and
/// closes those that are idle for some time.
///
/// Taking a connection from the pool fails if none becomes free within `wait_timeout`.
pub(super) fn open_reader_pool(
    path: &Path,
    max_readers: u32,
    wait_timeout: Duration,
) -> Result<ReaderPool> {
    r2d2::Pool::builder()
        .max_size(max_readers)
        .min_idle(Some(1))
        .max_lifetime(None)
        .idle_timeout(Some(MAX_IDLE_TIME))
        .connection_timeout(wait_timeout)
        .test_on_check_out(false)
        .build(ReaderManager { path: path.to_owned() })
        .map_err(|error| Error::Internal(Box::new(error)))
}

/// Begins a read transaction. Its snapshot is that of the first statement after this call.
pub(super) fn begin_read(connection: &Connection) -> Result<()> {
    connection.prepare_cached("begin")?.execute([])?;
    Ok(())
}

/// Ends a read transaction. Logs a failure.
pub(super) fn end_read(connection: &Connection) {
    let ended = connection.prepare_cached("commit").and_then(|mut statement| statement.execute([]));
    if let Err(error) = ended {
        // The pool discards a connection that is still in a transaction, see `has_broken`.
        tracing::warn!(%error, "a read transaction did not end");
    }
}

/// Opens a connection for writing or for checkpoints. With [`CheckpointMode::Internal`], closing it
/// runs a checkpoint if it is the last connection.
pub(super) fn open_writer(path: &Path, options: DbOptions) -> Result<Connection> {
    let connection = open(path)?;
    // 4 MiB of pages hold the inner pages of every index. With a larger cache, a commit of new
    // pages misses the cache of the processor and takes 50 % longer.
    connection.pragma_update(None, "cache_size", -4096)?;
    if can_use_temporary_files() {
        connection.pragma_update(None, "temp_store", "default")?;
    }
    connection.wal_hook(Some(wal_pages::store_page_count));
    if options.checkpoint == CheckpointMode::Internal {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    }
    if !options.durable {
        connection.pragma_update(None, "synchronous", "off")?;
    }
    Ok(connection)
}

/// Prevents the checkpoint that closing a connection of [`open_writer`] would run. Logs a failure.
pub(super) fn disable_checkpoint_on_close(connection: &Connection) {
    if let Err(error) = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) {
        tracing::warn!(%error, "the checkpoint of a connection cannot be disabled");
    }
}

/// Returns whether SQLite finds a directory for temporary files.
///
/// SQLite searches these directories in this order (<https://sqlite.org/tempfiles.html>, section
/// 5).
///
/// A savepoint keeps the pages that a rollback would restore in memory. A connection that may use
/// files writes more than SQLITE_STMTJRNL_SPILL bytes of them to a file. Other connections allocate
/// the memory in blocks of one kilobyte and walk through all blocks after every statement. That
/// costs a third of the time of small writes and almost all of the time of large ones.
fn can_use_temporary_files() -> bool {
    let configured = ["SQLITE_TMPDIR", "TMPDIR"].into_iter().filter_map(std::env::var_os);
    let defaults = ["/var/tmp", "/usr/tmp", "/tmp", "."].into_iter().map(Into::into);
    configured.chain(defaults).any(|directory| {
        Path::new(&directory).is_dir()
            && rustix::fs::access(&directory, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    })
}

/// Opens an existing database file for reading and writing, with the settings that all connections
/// start with.
///
/// The busy timeout comes first, because the other settings may wait for a lock. Memory mapping is
/// off, because an I/O error in mapped memory is a signal (SIGBUS) instead of an error. Neither a
/// commit nor a close runs a checkpoint.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update_and_check(None, "mmap_size", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Checks that the SQLite library is new enough. The format of `version` is
/// `SQLITE_VERSION_NUMBER`.
///
/// # Errors
/// [`UnusableData`] if it is older than 3.51.3.
pub(super) fn require_sqlite_version(version: i32) -> Result<()> {
    if version < MIN_SQLITE_VERSION {
        return Err(UnusableData::error(format!(
            "the program is built with SQLite {version}, but needs {MIN_SQLITE_VERSION} or newer"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_sqlite_version_is_refused() {
        assert!(require_sqlite_version(3_051_002).is_err());
        assert!(require_sqlite_version(MIN_SQLITE_VERSION).is_ok());
        assert!(require_sqlite_version(rusqlite::version_number()).is_ok());
    }
}
