//! Keeps the write-ahead log short without slowing commits.
//!
//! A thread of its own copies the log into the database file while writes go on. That alone never
//! finds the log idle under full load, so the writer empties it between two batches when it has
//! grown past its limit; little is left to copy by then.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Receiver;
use crossbeam_channel::RecvTimeoutError;
use crossbeam_channel::Sender;
use rusqlite::Connection;

use crate::platform::db::Checkpoint;
use crate::platform::db::Options;
use crate::platform::db::connection;
use crate::platform::error::Error;
use crate::platform::error::Result;

/// How often the thread copies.
const BEAT: Duration = Duration::from_millis(200);

/// How long the writer waits for readers of the old log. Their waiting callers wait too.
const PATIENCE: Duration = Duration::from_millis(50);

/// The log's keeper; belongs to the writer.
pub(super) struct Checkpointer {
    wal: PathBuf,
    options: Options,
    /// The log's length at which the writer tries next: above the limit after a vain attempt.
    next: u64,
    thread: Option<Background>,
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
        let mut keeper = Self { wal, options, next: options.wal_limit, thread: None };
        if options.checkpoint == Checkpoint::Own {
            let connection = connection::writer(path, options)?;
            let (committed, news) = crossbeam_channel::bounded(1);
            let (end, ended) = crossbeam_channel::bounded(1);
            let work = move || copy_in_background(&connection, &news, &ended);
            let handle = thread::Builder::new().name("db-checkpoint".to_owned()).spawn(work)?;
            keeper.thread = Some(Background { committed, end, handle });
        }
        Ok(keeper)
    }

    /// To be called by the writer after each batch.
    pub(super) fn after_commit(&mut self, writer: &Connection) {
        let Some(thread) = &self.thread else { return };
        // Full means that the thread has not looked yet: one word is enough.
        let _ = thread.committed.try_send(());
        let length = fs::metadata(&self.wal).map_or(0, |it| it.len());
        if length < self.next {
            return;
        }
        match self.truncate(writer) {
            Ok(()) => self.next = self.options.wal_limit,
            Err(_) => {
                // A long read, such as a backup, holds the log. Not before it has grown again.
                self.next = length + self.options.wal_limit / 4;
                tracing::info!(length, "a reader keeps the write-ahead log from being emptied");
            }
        }
    }

    /// Copies all and empties the log.
    ///
    /// # Errors
    /// `Busy` when a reader still needs it.
    pub(super) fn truncate(&self, writer: &Connection) -> Result<()> {
        if self.options.checkpoint == Checkpoint::External {
            return Ok(());
        }
        writer.busy_timeout(PATIENCE)?;
        let busy: rusqlite::Result<i64> =
            writer.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0));
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

/// The thread: after news of a commit, one copy per beat. Ends when the channels close.
fn copy_in_background(connection: &Connection, news: &Receiver<()>, end: &Receiver<()>) {
    while news.recv().is_ok() {
        let copied =
            connection.query_row("pragma wal_checkpoint(passive)", [], |row| row.get::<_, i64>(0));
        if let Err(error) = copied {
            tracing::error!(%error, "the write-ahead log could not be copied");
        }
        if let Err(RecvTimeoutError::Disconnected) = end.recv_timeout(BEAT) {
            return;
        }
    }
}
