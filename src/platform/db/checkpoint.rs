//! Keeps the write-ahead log short without slowing commits.
//!
//! A thread of its own copies the log into the database file while batches are written, and when
//! writing pauses. Under load that never finds the log idle, so the writer sees to it between two
//! batches that the log begins anew; little is left to copy by then. A single writer that keeps
//! writing copies the log itself now and then: the disk would not do both at once any faster, and
//! every one of its commits would wait for the thread's. The file keeps its length: flushing what
//! overwrites it takes half the time of flushing what makes it longer. Only an overlong one is cut.

use std::cell::Cell;
use std::ffi::c_int;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Receiver;
use crossbeam_channel::RecvTimeoutError;
use crossbeam_channel::Sender;
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use crate::db::Checkpoint;
use crate::db::Options;
use crate::db::connection;
use crate::error::Error;
use crate::error::Result;

/// How often the thread copies.
const BEAT: Duration = Duration::from_millis(100);

/// How long the writer waits for readers of the old log. Their waiting callers wait too.
const PATIENCE: Duration = Duration::from_millis(50);

/// Pages in the log from which on the writer has it begin anew: 8 MiB.
const ANEW: i64 = 1024;

/// Bytes of a page and its head in the log, nearly.
const PAGE: u64 = 8 << 10;

thread_local! {
    /// Pages in the log after the last commit of this thread.
    static LOGGED: Cell<i64> = const { Cell::new(0) };
}

/// Takes note of the log's pages, at each commit of a writing connection.
#[allow(clippy::unnecessary_wraps)] // the form of the hook
pub(super) fn count(_: &Wal, pages: c_int) -> rusqlite::Result<()> {
    LOGGED.set(i64::from(pages));
    Ok(())
}

/// The log's keeper; belongs to the writer.
pub(super) struct Checkpointer {
    wal: PathBuf,
    options: Options,
    /// The log's length at which the writer cuts it: above the limit after a vain attempt.
    next: u64,
    /// Pages in the log at which a single writer copies it, and at which it does next.
    often: i64,
    due: i64,
    seen: Arc<Seen>,
    thread: Option<Background>,
}

/// What writer and thread tell each other.
#[derive(Default)]
struct Seen {
    /// Pages in the log at the thread's last look.
    pages: AtomicI64,
    /// Whether a write has come alone since the thread's last beat.
    alone: AtomicBool,
}

/// The thread. Its channels close when this is dropped, which ends it.
struct Background {
    /// Carries a commit's news.
    committed: Sender<()>,
    /// Never used but to be closed.
    end: Sender<()>,
    handle: JoinHandle<()>,
}

impl Checkpointer {
    /// Starts the thread, unless another program does the work.
    pub(super) fn start(path: &Path, options: Options) -> Result<Self> {
        let wal = path.with_extension("db-wal");
        let seen = Arc::new(Seen::default());
        let next = options.wal_limit;
        // A short log is not to grow past its limit before that is looked at.
        let often = ANEW.min(i64::try_from(options.wal_limit / PAGE).unwrap_or(ANEW)).max(1);
        let mut keeper =
            Self { wal, options, next, often, due: often, seen: seen.clone(), thread: None };
        if options.checkpoint == Checkpoint::Own {
            let connection = connection::writer(path, options)?;
            let (committed, news) = crossbeam_channel::bounded(1);
            let (end, ended) = crossbeam_channel::bounded(1);
            let work = move || copy_in_background(&connection, &seen, &news, &ended);
            let handle = thread::Builder::new().name("db-checkpoint".to_owned()).spawn(work)?;
            keeper.thread = Some(Background { committed, end, handle });
        }
        Ok(keeper)
    }

    /// To be called by the writer after a transaction that was one caller's alone.
    pub(super) fn after_one(&mut self, writer: &Connection) {
        if !self.tell(true) {
            return;
        }
        let pages = LOGGED.get();
        if pages < self.often {
            self.due = self.often;
        }
        if pages < self.due {
            return;
        }
        self.due = pages + self.often;
        if !self.cut(writer) {
            // The next write begins the log anew if all of it was copied and no reader needs it.
            let mode = if pages < 2 * self.often { "passive" } else { "restart" };
            let _ = self.checkpoint(writer, mode);
        }
    }

    /// To be called by the writer after each batch.
    pub(super) fn after_batch(&mut self, writer: &Connection) {
        if !self.tell(false) || self.cut(writer) {
            return;
        }
        if self.seen.pages.load(Ordering::Relaxed) >= ANEW {
            // Taken, so that the next try comes after the thread's next look.
            self.seen.pages.store(0, Ordering::Relaxed);
            // A reader may hold the log: then at the next look.
            let _ = self.checkpoint(writer, "restart");
        }
    }

    /// Tells the thread of a commit. False: there is none, another program does the work.
    fn tell(&self, alone: bool) -> bool {
        let Some(thread) = &self.thread else { return false };
        self.seen.alone.store(alone, Ordering::Relaxed);
        // Full means that the thread has not looked yet: one word is enough.
        let _ = thread.committed.try_send(());
        true
    }

    /// Cuts an overlong log. False: it is not overlong.
    fn cut(&mut self, writer: &Connection) -> bool {
        let length = fs::metadata(&self.wal).map_or(0, |it| it.len());
        if length < self.next {
            return false;
        }
        match self.truncate(writer) {
            Ok(()) => self.next = self.options.wal_limit,
            Err(_) => {
                // A long read, such as a backup, holds the log. Not before it has grown again.
                self.next = length + self.options.wal_limit / 4;
                tracing::info!(length, "a reader keeps the write-ahead log from being emptied");
            }
        }
        true
    }

    /// Copies all and empties the log.
    ///
    /// # Errors
    /// `Busy` when a reader still needs it.
    pub(super) fn truncate(&self, writer: &Connection) -> Result<()> {
        self.checkpoint(writer, "truncate")
    }

    fn checkpoint(&self, writer: &Connection, mode: &str) -> Result<()> {
        if self.options.checkpoint == Checkpoint::External {
            return Ok(());
        }
        writer.busy_timeout(PATIENCE)?;
        let sql = format!("pragma wal_checkpoint({mode})");
        let busy: rusqlite::Result<i64> = writer.query_row(&sql, [], |row| row.get(0));
        writer.busy_timeout(connection::BUSY)?;
        if busy? == 0 { Ok(()) } else { Err(Error::Busy) }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        let Some(Background { committed, end, handle }) = self.thread.take() else { return };
        drop((committed, end));
        if handle.join().is_err() {
            tracing::error!("the checkpoint thread panicked");
        }
    }
}

/// The thread: after news of a commit, one copy at the next beat within which no write came alone.
/// Ends when the channels close.
fn copy_in_background(
    connection: &Connection,
    seen: &Seen,
    news: &Receiver<()>,
    end: &Receiver<()>,
) {
    while news.recv().is_ok() {
        loop {
            if let Err(RecvTimeoutError::Disconnected) = end.recv_timeout(BEAT) {
                return;
            }
            if !seen.alone.swap(false, Ordering::Relaxed) {
                break;
            }
        }
        let copy = || connection.query_row("pragma wal_checkpoint(passive)", [], |row| row.get(1));
        // What was written while a long log was copied is copied at once: the writer, which has the
        // log begin anew, would have to wait for it.
        let copied = copy().and_then(|count: i64| if count < ANEW { Ok(count) } else { copy() });
        match copied {
            Ok(count) => seen.pages.store(count, Ordering::Relaxed),
            Err(error) => tracing::error!(%error, "the write-ahead log could not be copied"),
        }
    }
}
