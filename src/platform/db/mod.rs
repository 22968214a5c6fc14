//! The SQLite database: many readers, one writer with group commit, schema upgrades and backups.
//!
//! [`Db::write`] returns after the commit has reached the disk (`synchronous=FULL`). A finished
//! write therefore survives a crash of the process and a power loss. Waiting writes share one
//! commit.

mod checkpoint;
mod connection;
mod disk_space;
mod files;
mod memo;
mod options;
mod origin;
mod restore_epoch;
mod shared_snapshot;
mod signal;
mod sync_failure;
mod unusable_data;
mod wal_pages;
mod writer;
pub mod backup;
pub mod lock;
pub mod schema;
pub mod tx;
pub mod upgrade;

use std::path::Path;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

pub use connection::DATABASE_FILE_NAME;
pub use options::CheckpointMode;
pub use options::DbOptions;
pub use options::StorageQuota;
pub use origin::OriginScope;
pub use origin::WriteActor;
pub use origin::WriteOrigin;
pub(crate) use origin::current as current_origin;
pub use origin::set_actor;
pub use signal::WakeSignal;
pub use tx::Tx;
pub use tx::WriteTx;
pub use unusable_data::UnusableData;
pub use unusable_data::unusable_data_message;
pub(crate) use writer::job::panic_message;

use connection::ReaderPool;
use disk_space::DiskSpace;
use shared_snapshot::Snapshot;
use signal::CommitSignals;

use crate::error::Error;
use crate::error::Result;

/// Maximum number of reader connections. A read without a free connection waits for
/// [`READER_WAIT_TIMEOUT`].
const MAX_READERS: u32 = 32;

/// Maximum time that a read waits for a free connection before it fails with `Busy`.
const READER_WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time that a clean stop tries to truncate the write-ahead log.
const MAX_CLOSE_WAIT: Duration = Duration::from_secs(2);

/// Releases the snapshot that [`Db::read_with_shared_snapshot`] retained on this thread.
///
/// A thread calls it before it waits for work, because an open snapshot prevents the truncation of
/// the write-ahead log.
pub fn release_snapshot() {
    shared_snapshot::release_snapshot();
}

/// The database of one data directory. Clones are cheap and share its threads and connections.
#[derive(Clone)]
pub struct Db {
    inner: Arc<Inner>,
}

/// The shared state of all clones of a [`Db`].
struct Inner {
    /// Number that distinguishes the databases that this process has opened.
    instance: u64,
    readers: ReaderPool,
    writer: writer::Writer,
    signals: Arc<CommitSignals>,
    /// See [`Db::restore_epoch`].
    restore_epoch: Arc<str>,
    /// Whether the writer creates the reserve.
    keeps_reserve: Arc<AtomicBool>,
    options: DbOptions,
    dir: PathBuf,
    // The last field: it is dropped after the connections are closed.
    _lock: lock::SharedLock,
}

impl Db {
    /// Opens the database in the existing directory `dir` with the default options.
    ///
    /// Creates the database if it is absent and upgrades an older schema.
    ///
    /// # Errors
    /// [`UnusableData`] if a newer version of the program wrote it, if the file is not a database,
    /// or if the upgrade fails. `Conflict` if another process has an exclusive lock (a restore) for
    /// 10 s, or if an upgrade is necessary while another process uses the database for more than 5
    /// s.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_with(dir, DbOptions::default())
    }

    /// Opens the database in `dir` with the given options, see [`Db::open`].
    pub fn open_with(dir: &Path, options: DbOptions) -> Result<Self> {
        connection::require_sqlite_version(rusqlite::version_number())?;
        let is_over_quota =
            options.min_free_bytes > 0 && disk_space::release_reserve_if_start_needs_it(dir);
        let lock = upgrade::prepare_and_lock(dir)?;
        let path = dir.join(DATABASE_FILE_NAME);
        let signals = Arc::new(CommitSignals::default());
        let keeps_reserve = Arc::new(AtomicBool::new(false));
        let (min_free, keeps) = (options.min_free_bytes, keeps_reserve.clone());
        let space = DiskSpace::new(dir, min_free, keeps, is_over_quota);
        let writer = writer::Writer::start(&path, options, signals.clone(), space)?;
        let readers = ReaderPool::open(&path, MAX_READERS, READER_WAIT_TIMEOUT)?;
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let instance = OPENED.fetch_add(1, Ordering::Relaxed);
        let reader = readers.take()?;
        let restore_epoch = restore_epoch::read(&reader)?;
        drop(reader);
        let inner = Inner {
            instance,
            readers,
            writer,
            signals,
            restore_epoch,
            keeps_reserve,
            options,
            dir: dir.to_owned(),
            _lock: lock,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs `work` in a read transaction, which is one snapshot and never waits for writers. Within
    /// [`Db::read_in_one_snapshot`] and [`Db::read_with_shared_snapshot`] this is the snapshot that
    /// all reads share, otherwise a new one.
    ///
    /// # Errors
    /// Returns the error of `work`, or `Busy` if no connection becomes free within 5 s.
    pub fn read<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let snapshot = self.take_snapshot()?;
        work(&snapshot.begin_tx(&self.inner.restore_epoch))
    }

    /// Returns the snapshot for a read of this thread. Separate from [`Db::read`], so that the
    /// compiler translates it once and not for each kind of work.
    fn take_snapshot(&self) -> Result<Rc<Snapshot>> {
        let take_reader = || self.inner.readers.take();
        shared_snapshot::take_snapshot(
            self.inner.instance,
            self.inner.writer.commits(),
            take_reader,
        )
    }

    /// Runs `work` such that all its calls of [`Db::read`] on this thread use the same snapshot.
    ///
    /// This is cheaper than one snapshot per read, and all reads see the same content. A write by
    /// this thread ends the snapshot, so that later reads see the write. `work` must be short,
    /// because a snapshot prevents the truncation of the write-ahead log. Within another such call,
    /// `work` shares its snapshot.
    pub fn read_in_one_snapshot<T>(&self, work: impl FnOnce() -> T) -> T {
        let _sharing =
            shared_snapshot::SharingGuard::begin(self.inner.instance, self.inner.writer.commits());
        work()
    }

    /// Runs `work` like [`Db::read_in_one_snapshot`], and keeps the snapshot open for the next call
    /// on this thread if `has_more_work` then returns true.
    ///
    /// The next call uses the snapshot only if no commit happened in between and it is younger than
    /// 20 ms. A thread that finds no more work must call [`release_snapshot`].
    pub fn read_with_shared_snapshot<T>(
        &self,
        work: impl FnOnce() -> T,
        has_more_work: impl FnOnce() -> bool,
    ) -> T {
        let sharing =
            shared_snapshot::SharingGuard::begin(self.inner.instance, self.inner.writer.commits());
        let result = work();
        if has_more_work() {
            sharing.finish_retaining();
        }
        result
    }

    /// Runs `work` in a write transaction and returns after the commit is durable.
    ///
    /// An error or a panic of `work` rolls back its own changes and no others.
    ///
    /// Parse, hash and compress before this call, because writers wait for each other. `work` can
    /// run twice (the first run is then rolled back), so it must have no side effects outside the
    /// transaction. It may run on another thread.
    ///
    /// # Errors
    /// Returns the error of `work`, `Busy` if too many writes wait or the database is closed,
    /// `Internal` if `work` panics or the caller is inside a write, or `Busy`, `DiskFull`,
    /// `StorageFailed` or `Internal` if the commit failed. After an error no change of `work` is
    /// stored. `DiskFull` without running `work` if less than `min_free_bytes` is free.
    /// `StorageFailed` for every write after a failed flush, until the database is opened again.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        // A read after the write must see it, so it must not use the old snapshot.
        shared_snapshot::release_snapshot();
        self.inner.writer.write(work, false)
    }

    /// Runs `work` like [`Db::write`], also if less than `min_free_bytes` of the disk is free. On a
    /// full disk it releases the reserve and runs `work` again.
    ///
    /// For changes that must work on a full disk because they free space or keep the service
    /// usable: deletions, sign-ins, revocations and the state of tasks.
    pub fn write_with_reserve<T: Send + 'static>(
        &self,
        work: impl Fn(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        shared_snapshot::release_snapshot();
        self.inner.writer.write(work, true)
    }

    /// Waits until the requests that a server in another process receives from now on see all
    /// commits of this process. Returns immediately without a commit or a server.
    ///
    /// A command calls it before it ends, because a server can use values of the database for 20 ms
    /// after a commit of another process.
    pub fn wait_until_server_sees_commits(&self) {
        if self.inner.writer.commits() > 0
            && !matches!(lock::is_server_running(&self.inner.dir), Ok(false))
        {
            thread::sleep(shared_snapshot::MAX_SNAPSHOT_AGE);
        }
    }

    /// Lets this process create the reserve, now or with a later write, whenever enough space is
    /// available. Runs an empty write for this and ignores its failure. If `min_free_bytes` is 0, there
    /// is no reserve.
    pub fn keep_reserve(&self) {
        self.inner.keeps_reserve.store(true, Ordering::Relaxed);
        // Each write checks the free space. A failure does not matter here.
        let _ = self.write(|_| Ok(()));
    }

    /// Returns the limits of the content that each account may store, as given when the database was
    /// opened.
    pub fn quota(&self) -> StorageQuota {
        self.inner.options.quota
    }

    /// Returns whether at least `min_free_bytes` of the disk of the data directory is free. Returns
    /// true if the file system does not report its free space.
    ///
    /// Caches outside the database check it before they store a file.
    pub fn has_free_space(&self) -> bool {
        disk_space::find_free_bytes(&self.inner.dir)
            .is_none_or(|free| free >= self.inner.options.min_free_bytes)
    }

    /// Returns the signal that is notified after each commit with a transaction that called
    /// [`WriteTx::notify_after_commit`]. The task runner waits for it.
    pub fn requested_signal(&self) -> &WakeSignal {
        &self.inner.signals.requested
    }

    /// Returns the signal that is notified after each commit if it is armed, see
    /// [`WakeSignal::arm`].
    ///
    /// For threads that follow all changes, such as the search indexer.
    pub fn commit_signal(&self) -> &WakeSignal {
        &self.inner.signals.every_commit
    }

    /// Returns a text that every restore of a backup and every rollback changes. Empty if neither
    /// has happened.
    ///
    /// Entity tags contain it, because a restore sets revisions back.
    pub fn restore_epoch(&self) -> &str {
        &self.inner.restore_epoch
    }

    /// Returns the data directory.
    pub fn dir(&self) -> &Path {
        &self.inner.dir
    }

    /// Copies the write-ahead log into the database file and truncates it, after the waiting
    /// writes.
    ///
    /// Does nothing with [`CheckpointMode::External`].
    ///
    /// # Errors
    /// `Busy` if a reader still needs the log, too many writes wait or the database is closed.
    /// `StorageFailed` after a failed flush.
    pub fn checkpoint(&self) -> Result<()> {
        self.inner.writer.checkpoint()
    }

    /// Truncates the write-ahead log and stops the writer after all waiting writes.
    ///
    /// If a reader still needs the log after 2 s, it is not truncated, which is no error. Later
    /// writes fail with `Busy`. Reads still work.
    ///
    /// # Errors
    /// The errors of [`Self::checkpoint`] except `Busy`. The writer is also stopped then.
    pub fn close(&self) -> Result<()> {
        let start = Instant::now();
        let mut result = self.checkpoint();
        // The checkpoint thread or a reader may use the log at this moment.
        while matches!(result, Err(Error::Busy)) && start.elapsed() < MAX_CLOSE_WAIT {
            thread::sleep(Duration::from_millis(20));
            result = self.checkpoint();
        }
        self.inner.writer.stop();
        match result {
            // A reader still needs the log. Nothing is lost: the next start reads the log.
            Err(Error::Busy) => Ok(()),
            other => other,
        }
    }
}

/// Returns the id that the database got when it was created. Its copies and backups have the same id.
pub fn database_id(tx: &Tx<'_>) -> Result<String> {
    tx.one("select value from meta where key = 'database_id'", [], |row| row.get(0))
}

/// Opens a connection to the existing database of `dir` without upgrading or checking its schema
/// version. Takes no lock.
pub(crate) fn open_any_version(dir: &Path) -> Result<rusqlite::Connection> {
    Ok(connection::open(&dir.join(DATABASE_FILE_NAME))?)
}

/// Replaces a violation of a unique or primary-key constraint by `error`. Returns other results
/// unchanged.
pub fn map_unique_violation<T>(result: Result<T>, error: impl FnOnce() -> Error) -> Result<T> {
    match result {
        Err(Error::Internal(cause)) => {
            let code = cause.downcast_ref::<rusqlite::Error>().and_then(|database_error| {
                match database_error {
                    rusqlite::Error::SqliteFailure(failure, _) => Some(failure.extended_code),
                    _ => None,
                }
            });
            match code {
                Some(
                    rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
                    | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
                ) => Err(error()),
                _ => Err(Error::Internal(cause)),
            }
        }
        other => other,
    }
}
