//! How connections are opened: one writer, a pool of readers that cannot write.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use rustix::fs::Access;

use crate::db::Attention;
use crate::db::Checkpoint;
use crate::db::Options;
use crate::db::checkpoint;
use crate::error::Error;
use crate::error::Result;

/// The oldest SQLite we run on. Before 3.51.3 a race between a checkpoint that resets the
/// write-ahead log and a writer could damage the file.
const OLDEST_SQLITE: i32 = 3_051_003;

/// How long SQLite waits for another process's lock.
pub(super) const BUSY: Duration = Duration::from_secs(10);

/// Prepared statements kept per connection: more than the program has in one place.
const STATEMENTS: usize = 256;

/// The readers' pool.
pub(super) type Readers = r2d2::Pool<Manager>;

/// A reader on loan from the pool.
pub(super) type Reader = r2d2::PooledConnection<Manager>;

/// Opens reader connections for the pool.
pub(super) struct Manager {
    path: PathBuf,
}

impl r2d2::ManageConnection for Manager {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Connection> {
        let connection = open(&self.path)?;
        // 4 MiB of pages each, of which a search reads half to show a page of what it found; the
        // operating system's cache holds the rest.
        connection.pragma_update(None, "cache_size", -4096)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }

    fn is_valid(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        connection.execute_batch("")
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        !connection.is_autocommit()
    }
}

/// A pool of at most `most` readers, opened as they are needed.
pub(super) fn readers(path: &Path, most: u32, wait: Duration) -> Result<Readers> {
    r2d2::Pool::builder()
        .max_size(most)
        .min_idle(Some(1))
        .max_lifetime(None)
        .idle_timeout(None)
        .connection_timeout(wait)
        .test_on_check_out(false)
        .build(Manager { path: path.to_owned() })
        .map_err(|error| Error::Internal(Box::new(error)))
}

/// Begins a read transaction.
pub(super) fn begin(connection: &Connection) -> Result<()> {
    connection.prepare_cached("begin")?.execute([])?;
    Ok(())
}

/// Ends a read transaction.
pub(super) fn end(connection: &Connection) {
    let ended = connection.prepare_cached("commit").and_then(|mut it| it.execute([]));
    if let Err(error) = ended {
        // The pool throws a connection away that is still inside a transaction.
        tracing::warn!(%error, "a read transaction did not end");
    }
}

/// The writing connection.
pub(super) fn writer(path: &Path, options: Options) -> Result<Connection> {
    let connection = open(path)?;
    // 4 MiB of pages: the inner pages of every index stay here. With more, each commit of new pages
    // goes through memory that the processor's cache no longer holds, and takes half as long again.
    connection.pragma_update(None, "cache_size", -4096)?;
    if may_use_temporary_files() {
        connection.pragma_update(None, "temp_store", "default")?;
    }
    connection.wal_hook(Some(checkpoint::count));
    if options.checkpoint == Checkpoint::Own {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    }
    if !options.durable {
        connection.pragma_update(None, "synchronous", "off")?;
    }
    Ok(connection)
}

/// Whether SQLite finds a folder for temporary files: it looks at these in this order
/// (<https://sqlite.org/tempfiles.html>, section 5).
///
/// What a savepoint would have to bring back stands in memory, and then, in a connection that may
/// use files, beyond SQLITE_STMTJRNL_SPILL bytes in one. Others take that memory by the kilobyte, each
/// from the allocator, and walk along all of it after every statement: a third of the time of
/// small writes, and nearly all of that of large ones.
fn may_use_temporary_files() -> bool {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].into_iter().filter_map(std::env::var_os);
    let usual = ["/var/tmp", "/usr/tmp", "/tmp", "."].into_iter().map(Into::into);
    named.chain(usual).any(|folder| {
        Path::new(&folder).is_dir()
            && rustix::fs::access(&folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    })
}

/// Opens an existing file with the settings that every connection has.
///
/// The busy timeout comes first, since the others may meet a lock. Nothing is mapped into memory:
/// an I/O error must be an error, not a signal. Checkpoints are never left to a commit or to a close.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update_and_check(None, "mmap_size", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Refuses a SQLite library that is too old; `number` as in `SQLITE_VERSION_NUMBER`.
pub(super) fn require_version(number: i32) -> Result<()> {
    if number < OLDEST_SQLITE {
        return Err(Attention::error(format!(
            "built with SQLite {number}, but needs {OLDEST_SQLITE} or newer"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_sqlite_is_refused() {
        assert!(require_version(3_051_002).is_err());
        assert!(require_version(OLDEST_SQLITE).is_ok());
        assert!(require_version(rusqlite::version_number()).is_ok());
    }
}
