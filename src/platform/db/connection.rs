//! Database connections: one writer, and a pool of read-only connections.

use std::path::Path;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rustix::fs::Access;

use crate::db::options::CheckpointMode;
use crate::db::options::DbOptions;
use crate::db::unusable_data::UnusableData;
use crate::db::wal_pages;
use crate::error::Error;
use crate::error::Result;
use crate::text;

/// Name of the database file in the data directory.
pub const DATABASE_FILE_NAME: &str = "chartroom.db";

/// Minimum version of SQLite. Before 3.51.3, a race between a writer and a checkpoint that resets
/// the write-ahead log could damage the file.
const MIN_SQLITE_VERSION: i32 = 3_051_003;

/// Maximum time that SQLite waits for a lock of another process or connection.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of cached prepared statements per connection, more than one connection ever uses.
const MAX_CACHED_STATEMENTS: usize = 256;

/// Number of read-only connections with a large page cache, in addition to one for each core. Those that
/// are in use at the same time while nothing is overloaded.
const MORE_CACHING_READERS: u32 = 4;

/// Page cache in KiB of each of the first read-only connections. One page of search results reads half
/// as much. The cache of the operating system holds the rest of the database.
const LARGE_CACHE_KIB: i32 = 4096;

/// Page cache in KiB of each further read-only connection. Requests of many clients at once use them
/// all, and each would keep the pages of the largest read.
const SMALL_CACHE_KIB: i32 = 512;

/// The read-only connections.
pub(super) struct ReaderPool {
    /// Few connections with a large page cache, which are used first.
    caching: r2d2::Pool<ReaderManager>,
    /// Connections for times when all others are in use.
    further: r2d2::Pool<ReaderManager>,
}

/// A read-only connection that returns to its pool when it is dropped.
pub(super) type PooledReader = r2d2::PooledConnection<ReaderManager>;

/// The factory of read-only connections for the pool.
pub(super) struct ReaderManager {
    path: PathBuf,
    cache_kib: i32,
}

impl r2d2::ManageConnection for ReaderManager {
    type Connection = Connection;
    type Error = rusqlite::Error;

    /// Opens a further read-only connection for the pool.
    fn connect(&self) -> rusqlite::Result<Connection> {
        let connection = open(&self.path)?;
        // A negative number is a size in KiB.
        connection.pragma_update(None, "cache_size", -self.cache_kib)?;
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

impl ReaderPool {
    /// Returns a pool of up to `max_readers` connections. Opens one at once and the others on demand,
    /// and closes those that are idle for some time.
    ///
    /// Taking a connection from the pool fails if none becomes free within `wait_timeout`.
    pub(super) fn open(path: &Path, max_readers: u32, wait_timeout: Duration) -> Result<Self> {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        let caching = u32::try_from(cores).unwrap_or(u32::MAX).saturating_add(MORE_CACHING_READERS);
        // At least one connection of each kind.
        let caching = caching.min(max_readers - 1);
        let build = |max_size, min_idle, cache_kib| {
            r2d2::Pool::builder()
                .max_size(max_size)
                .min_idle(Some(min_idle))
                .max_lifetime(None)
                .idle_timeout(Some(MAX_IDLE_TIME))
                .connection_timeout(wait_timeout)
                .test_on_check_out(false)
                .build(ReaderManager { path: path.to_owned(), cache_kib })
                .map_err(|error| Error::Internal(Box::new(error)))
        };
        Ok(Self {
            caching: build(caching, 1, LARGE_CACHE_KIB)?,
            further: build(max_readers - caching, 0, SMALL_CACHE_KIB)?,
        })
    }

    /// Takes a connection, if possible one with a large page cache.
    ///
    /// # Errors
    /// `Busy` if none becomes free in time.
    pub(super) fn take(&self) -> Result<PooledReader> {
        if let Some(reader) = self.caching.try_get() {
            return Ok(reader);
        }
        let may_open = self.caching.state().connections < self.caching.max_size();
        let pool = if may_open { &self.caching } else { &self.further };
        pool.get().map_err(|_| Error::Busy)
    }
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
/// commit nor a close runs a checkpoint. Plans do not depend on bound values (QPSG). Otherwise SQLite
/// would prepare each statement with a bound limit again whenever its parameters change.
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
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    add_functions(&connection)?;
    Ok(connection)
}

/// Adds the SQL functions `natural_sort_key(text)`, see [`text::natural_sort_key`], and
/// `lower_case(text)`, which unlike `lower` of SQLite also converts letters outside ASCII. No index and
/// no trigger uses them, so that other programs can open the database.
fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("lower_case", 1, flags, |context| {
        Ok(context.get_raw(0).as_str()?.to_lowercase())
    })?;
    connection.create_scalar_function("natural_sort_key", 1, flags, |context| {
        Ok(text::natural_sort_key(context.get_raw(0).as_str()?))
    })
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
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn only_few_readers_keep_many_pages() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(DATABASE_FILE_NAME);
        Connection::open(&path).unwrap();
        let pool = ReaderPool::open(&path, 32, Duration::from_secs(5)).unwrap();
        let count_large = || {
            let readers: Vec<_> = (0..32).map(|_| pool.take().unwrap()).collect();
            let sizes = readers.iter().map(|reader| {
                reader.pragma_query_value(None, "cache_size", |row| row.get::<_, i32>(0)).unwrap()
            });
            let (large, small): (Vec<i32>, Vec<i32>) = sizes.partition(|size| *size == -4096);
            assert!(small.iter().all(|size| *size == -512), "{small:?}");
            large.len()
        };
        let cores = thread::available_parallelism().unwrap().get();
        // All connections are opened for the first count and exist for the second one.
        for _ in 0..2 {
            assert_eq!(count_large(), (cores + 4).min(31));
        }
        let size = pool.take().unwrap().pragma_query_value(None, "cache_size", |row| row.get(0));
        assert_eq!(size, Ok(-4096), "a single read uses a large cache");
    }

    #[test]
    fn a_statement_with_other_limits_is_not_prepared_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(DATABASE_FILE_NAME);
        Connection::open(&path).unwrap();
        let connection = open(&path).unwrap();
        connection.execute_batch("create table numbers as select 1 as n union select 2").unwrap();
        let mut statement = connection.prepare("select n from numbers limit ? offset ?").unwrap();
        for limit in [1, 2, 1] {
            let rows = statement.query_map([limit, 0], |row| row.get::<_, i64>(0)).unwrap();
            assert_eq!(rows.count(), usize::try_from(limit).unwrap());
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }

    #[test]
    fn an_old_sqlite_version_is_refused() {
        assert!(require_sqlite_version(3_051_002).is_err());
        assert!(require_sqlite_version(MIN_SQLITE_VERSION).is_ok());
        assert!(require_sqlite_version(rusqlite::version_number()).is_ok());
    }
}
