//! The SQLite file: many readers, one writer with group commit, upgrades, backups.
//!
//! A write is answered after its commit has reached the disk (`synchronous=FULL`), so an answered
//! write survives the end of the process and the loss of power. Waiting writes share one commit.

mod bell;
mod checkpoint;
mod connection;
mod files;
mod held;
mod memo;
mod writer;
pub mod backup;
pub mod lock;
pub mod shape;
pub mod tx;
pub mod upgrade;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

pub use bell::Bell;
pub use tx::Tx;
pub use tx::WriteTx;
pub(crate) use writer::job::text as panic_text;

use bell::Bells;
use connection::Readers;

use crate::error::Error;
use crate::error::Result;

/// The database file's name in the data directory.
pub const FILE: &str = "chartroom.db";

/// Most reader connections. A read that finds none free waits, at most [`READER_WAIT`].
const READERS: u32 = 32;

/// How long a read waits for a free connection before it is refused as busy.
const READER_WAIT: Duration = Duration::from_secs(5);

/// Who copies the write-ahead log back into the database file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Checkpoint {
    /// This program.
    #[default]
    #[serde(rename = "self")]
    Own,
    /// Another program that streams the log away, such as Litestream: the log is left to it.
    External,
}

/// How a database is opened. The default is right but for [`Checkpoint::External`].
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Who keeps the write-ahead log short.
    pub checkpoint: Checkpoint,
    /// Length of the log, in bytes, from which the writer itself empties it between two batches.
    pub wal_limit: u64,
    /// False leaves commits to the operating system's cache: an answered write may then be lost
    /// and the file damaged. Only for proving that the crash test finds such damage.
    pub durable: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { checkpoint: Checkpoint::Own, wal_limit: 64 << 20, durable: true }
    }
}

/// How long a clean stop tries to empty the write-ahead log.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);

/// Ends the snapshot that stayed on this thread, which has nothing to do for now.
pub fn rest() {
    held::let_go();
}

/// The database of one data directory. Cheap to clone; all clones share its threads.
#[derive(Clone)]
pub struct Db {
    inner: Arc<Inner>,
}

struct Inner {
    /// Tells the databases that this process has opened apart.
    number: u64,
    readers: Readers,
    writer: writer::Writer,
    bells: Arc<Bells>,
    dir: PathBuf,
    // Last: let go only when the connections are closed.
    _use: lock::Use,
}

/// The data needs a person's attention: too new, damaged, not ours. Travels inside
/// [`Error::Internal`]; see [`attention`].
#[derive(Debug)]
pub struct Attention(pub String);

impl std::fmt::Display for Attention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Attention {}

impl Attention {
    fn error(text: impl Into<String>) -> Error {
        Error::Internal(Box::new(Self(text.into())))
    }
}

/// The text for the operator when `error` means that the data needs attention (exit code 4).
pub fn attention(error: &Error) -> Option<&str> {
    match error {
        Error::Internal(cause) => cause.downcast_ref::<Attention>().map(|it| it.0.as_str()),
        _ => None,
    }
}

impl Db {
    /// Opens the database in `dir`; makes it when it is absent, upgrades it when it is old.
    ///
    /// # Errors
    /// [`Attention`] when it was written by a newer version; `Conflict` when another process has
    /// the directory to itself (a restore) or an upgrade finds it in use.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_with(dir, Options::default())
    }

    /// Opens the database in `dir` with other than the usual options.
    pub fn open_with(dir: &Path, options: Options) -> Result<Self> {
        connection::require_version(rusqlite::version_number())?;
        let lock = upgrade::ready(dir)?;
        let path = dir.join(FILE);
        let bells = Arc::new(Bells::default());
        let writer = writer::Writer::start(&path, options, bells.clone())?;
        let readers = connection::readers(&path, READERS, READER_WAIT)?;
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let inner = Inner { number, readers, writer, bells, dir: dir.to_owned(), _use: lock };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs `work` in a read transaction: one snapshot, no waiting for writers.
    ///
    /// # Errors
    /// What `work` returns; `Busy` when no connection gets free within some seconds.
    pub fn read<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        held::read(
            self.inner.number,
            self.inner.writer.commits(),
            || self.inner.readers.get().map_err(|_| Error::Busy),
            work,
        )
    }

    /// Runs `work` with all reads of this thread within it in one snapshot, which costs less than
    /// one for each and shows them one state. A write ends it, so that what is read afterwards shows
    /// the write. `work` must be short: a snapshot keeps the write-ahead log from being emptied.
    pub fn read_once<T>(&self, work: impl FnOnce() -> T) -> T {
        let _sharing = held::Sharing::begin(self.inner.writer.commits());
        work()
    }

    /// [`Db::read_once`], one of many on this thread: while there is `more` to do at once, the
    /// snapshot stays for it, unless a write was answered in between. A thread that then finds
    /// nothing to do after all calls [`rest`].
    pub fn read_in_turn<T>(&self, work: impl FnOnce() -> T, more: impl FnOnce() -> bool) -> T {
        let sharing = held::Sharing::begin(self.inner.writer.commits());
        let result = work();
        if more() {
            sharing.stay();
        }
        result
    }

    /// Runs `work` in a write transaction and answers after it is durable.
    /// An error (or a panic) from `work` undoes all that it wrote, and nothing else.
    ///
    /// Do slow things (parsing, hashing, compressing) before: all writers wait for each other.
    /// `work` may run twice, the first time for nothing, so it acts on nothing but the transaction.
    ///
    /// # Errors
    /// What `work` returns; `Busy` when too many writes wait; `DiskFull` and `Internal` when the
    /// commit failed: then nothing of it is stored.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        // What is read after the write must show it.
        held::let_go();
        self.inner.writer.write(work)
    }

    /// Rung after each commit of a transaction that called [`WriteTx::ring`].
    pub fn bell(&self) -> &Bell {
        &self.inner.bells.asked
    }

    /// Touched after each commit, for whoever follows what is written.
    pub fn committed(&self) -> &Bell {
        &self.inner.bells.committed
    }

    /// The data directory.
    pub fn dir(&self) -> &Path {
        &self.inner.dir
    }

    /// Copies the write-ahead log into the database file and empties it, as far as readers let.
    /// Does nothing under [`Checkpoint::External`].
    pub fn checkpoint(&self) -> Result<()> {
        self.inner.writer.checkpoint()
    }

    /// Ends the writer after what waits: a clean stop. Later writes are refused as busy, reads
    /// still work.
    pub fn close(&self) -> Result<()> {
        let begun = Instant::now();
        let mut result = self.checkpoint();
        // The copying thread or a last reader may be at work just now.
        while matches!(result, Err(Error::Busy)) && begun.elapsed() < CLOSE_PATIENCE {
            thread::sleep(Duration::from_millis(20));
            result = self.checkpoint();
        }
        self.inner.writer.stop();
        match result {
            // A reader still needs the log. The next start reads on from it: nothing is lost.
            Err(Error::Busy) => Ok(()),
            other => other,
        }
    }
}

/// The database's own id, which its copies share.
pub fn id(tx: &Tx<'_>) -> Result<String> {
    tx.one("select value from meta where key = 'database_id'", [], |row| row.get(0))
}

/// A connection for looking at the database of `dir` as it is, whatever its version.
pub(crate) fn inspect(dir: &Path) -> Result<rusqlite::Connection> {
    Ok(connection::open(&dir.join(FILE))?)
}

/// Turns a broken unique or primary-key constraint into the caller's error; other errors pass.
pub fn on_unique<T>(result: Result<T>, error: impl FnOnce() -> Error) -> Result<T> {
    match result {
        Err(Error::Internal(cause)) => {
            let code = cause.downcast_ref::<rusqlite::Error>().and_then(|it| match it {
                rusqlite::Error::SqliteFailure(failure, _) => Some(failure.extended_code),
                _ => None,
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
