//! Checkpoints: keeps the write-ahead log short without slowing commits.
//!
//! - A background thread copies the log into the database file during batches of writes and when
//!   writing pauses.
//! - Under load the thread never finds the log idle, so SQLite cannot restart the log. Therefore
//!   the writer restarts the log between two batches. Little is left to copy at that time.
//! - A single client that writes continuously has no batches. Then the writer copies the log itself
//!   from time to time. The disk would not be faster with both at once, and every commit would wait
//!   for the flush of the thread.
//! - The log file keeps its length, because flushing overwritten pages takes half the time of
//!   flushing appended ones. Only a log above [`DbOptions::max_wal_bytes`] is truncated.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
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

use crate::db::connection;
use crate::db::options::CheckpointMode;
use crate::db::options::DbOptions;
use crate::db::sync_failure::is_sync_failure;
use crate::db::wal_pages;
use crate::error::Error;
use crate::error::Result;

/// Minimum time between two copies by the thread.
const COPY_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum time that the writer waits for readers of the log. All waiting writes wait as well.
const READER_WAIT_TIMEOUT: Duration = Duration::from_millis(50);

/// Number of pages in the log above which the writer restarts it: 8 MiB.
const RESTART_PAGES: i64 = 1024;

/// Approximate size of a page and its header in the log, in bytes.
const PAGE_BYTES: u64 = 8 << 10;

/// The part of the writer that runs the checkpoints.
pub(super) struct Checkpointer {
    wal: PathBuf,
    options: DbOptions,
    /// Length of the log, in bytes, at which the writer truncates it. Above the limit after a
    /// failed attempt.
    truncate_at_bytes: u64,
    /// Number of pages between two copies by the writer while a single client writes.
    copy_interval_pages: i64,
    /// Number of pages in the log at which the writer copies it next while a single client writes.
    next_copy_pages: i64,
    progress: Arc<Progress>,
    /// None with [`CheckpointMode::External`].
    thread: Option<CheckpointThread>,
}

/// State that the writer and the thread share.
#[derive(Default)]
struct Progress {
    /// Number of pages in the log when the thread last copied it.
    pages_at_last_copy: AtomicI64,
    /// Whether the last transaction since the last check of the thread had a single job.
    has_single_writes: AtomicBool,
    /// Message of the first failed flush. After it, no checkpoint runs.
    sync_failure: OnceLock<String>,
}

impl Progress {
    /// Stores and logs the error if it is the first failed flush. Ignores other errors.
    fn record_sync_failure(&self, error: &rusqlite::Error) {
        if is_sync_failure(error) && self.sync_failure.set(error.to_string()).is_ok() {
            tracing::error!(%error, "a flush failed; nothing is written until the next start");
        }
    }
}

/// The background thread. It ends when its channels are closed.
struct CheckpointThread {
    /// Announces a commit.
    committed: Sender<()>,
    /// Carries no messages. Closing it ends the thread.
    stop: Sender<()>,
    handle: JoinHandle<()>,
}

impl Checkpointer {
    /// Creates the checkpointer of the database at `path` and starts its thread. With
    /// [`CheckpointMode::External`], it has no thread and runs no checkpoints.
    ///
    /// # Errors
    /// The connection of the thread cannot be opened, or the thread cannot be started.
    pub(super) fn start(path: &Path, options: DbOptions) -> Result<Self> {
        let wal = path.with_extension("db-wal");
        let progress = Arc::new(Progress::default());
        // With a low limit, check before the log can grow past it.
        let limit_pages =
            i64::try_from(options.max_wal_bytes / PAGE_BYTES).unwrap_or(RESTART_PAGES);
        let copy_interval_pages = RESTART_PAGES.min(limit_pages).max(1);
        let mut checkpointer = Self {
            wal,
            options,
            truncate_at_bytes: options.max_wal_bytes,
            copy_interval_pages,
            next_copy_pages: copy_interval_pages,
            progress: progress.clone(),
            thread: None,
        };
        if options.checkpoint == CheckpointMode::Internal {
            let connection = connection::open_writer(path, options)?;
            let (committed, commits) = crossbeam_channel::bounded(1);
            let (stop, stopped) = crossbeam_channel::bounded(1);
            let work = move || {
                copy_in_background(&connection, &progress, &commits, &stopped);
                if progress.sync_failure.get().is_some() {
                    connection::disable_checkpoint_on_close(&connection);
                }
            };
            let handle = thread::Builder::new().name("db-checkpoint".to_owned()).spawn(work)?;
            checkpointer.thread = Some(CheckpointThread { committed, stop, handle });
        }
        Ok(checkpointer)
    }

    /// Announces the commit of a transaction with a single job to the thread. If the log has grown by
    /// `copy_interval_pages` since the last checkpoint here, truncates the log if its file is too long,
    /// and copies it otherwise. A failed checkpoint is no error. Does nothing with
    /// `CheckpointMode::External`.
    pub(super) fn after_single_job(&mut self, writer: &Connection) {
        if !self.announce_commit(true) {
            return;
        }
        let pages = wal_pages::pages_after_commit();
        if pages < self.copy_interval_pages {
            self.next_copy_pages = self.copy_interval_pages;
        }
        if pages < self.next_copy_pages {
            return;
        }
        self.next_copy_pages = pages + self.copy_interval_pages;
        if !self.truncate_if_too_long(writer) {
            // After a complete passive checkpoint the next write restarts the log, unless a reader
            // still needs it.
            let mode = if pages < 2 * self.copy_interval_pages { "passive" } else { "restart" };
            let _ = self.run_checkpoint(writer, mode);
        }
    }

    /// Announces the commit of a batch to the thread. Truncates the log if it is too long, or else
    /// restarts it if the last copy by the thread had at least `RESTART_PAGES`. A failed checkpoint is
    /// no error. Does nothing with `CheckpointMode::External`.
    pub(super) fn after_batch(&mut self, writer: &Connection) {
        if !self.announce_commit(false) || self.truncate_if_too_long(writer) {
            return;
        }
        if self.progress.pages_at_last_copy.load(Ordering::Relaxed) >= RESTART_PAGES {
            // Reset, so that the next attempt follows the next copy by the thread.
            self.progress.pages_at_last_copy.store(0, Ordering::Relaxed);
            // It fails if a reader needs the log. The next attempt follows the next copy.
            let _ = self.run_checkpoint(writer, "restart");
        }
    }

    /// Announces a commit to the thread. `is_single` says whether the transaction had a single job.
    ///
    /// Returns false if there is no thread, because another program runs the checkpoints.
    fn announce_commit(&self, is_single: bool) -> bool {
        let Some(thread) = &self.thread else { return false };
        self.progress.has_single_writes.store(is_single, Ordering::Relaxed);
        // A full channel already holds an announcement that the thread has not read.
        let _ = thread.committed.try_send(());
        true
    }

    /// Truncates the log if it is too long. Returns whether it was too long, even if the truncation
    /// failed, for example because a reader needs the log.
    ///
    /// After a failure it tries again when the log has grown further.
    fn truncate_if_too_long(&mut self, writer: &Connection) -> bool {
        let length = fs::metadata(&self.wal).map_or(0, |metadata| metadata.len());
        if length < self.truncate_at_bytes {
            return false;
        }
        match self.truncate(writer) {
            Ok(()) => self.truncate_at_bytes = self.options.max_wal_bytes,
            Err(_) => {
                // A long read, such as a backup, needs the log. Try again when it has grown
                // further.
                self.truncate_at_bytes = length + self.options.max_wal_bytes / 4;
                tracing::info!(length, "a reader prevents the truncation of the write-ahead log");
            }
        }
        true
    }

    /// Copies the whole log into the database file and truncates the log. Does nothing with
    /// [`CheckpointMode::External`].
    ///
    /// # Errors
    /// `Busy` if a reader still needs the log.
    pub(super) fn truncate(&self, writer: &Connection) -> Result<()> {
        self.run_checkpoint(writer, "truncate")
    }

    /// Returns the message of a failed flush of a checkpoint, or the message given to
    /// [`Self::stop_after_sync_failure`].
    pub(super) fn sync_failure(&self) -> Option<String> {
        self.progress.sync_failure.get().cloned()
    }

    /// Prevents all further checkpoints, also that of closing the connections.
    pub(super) fn stop_after_sync_failure(&self, writer: &Connection, message: &str) {
        if self.progress.sync_failure.set(message.to_owned()).is_ok() {
            tracing::error!(message, "a flush failed; nothing is written until the next start");
        }
        connection::disable_checkpoint_on_close(writer);
    }

    /// Runs a checkpoint of SQLite's `mode`. Does nothing with [`CheckpointMode::External`] and
    /// after a failed flush.
    ///
    /// # Errors
    /// `Busy` if another connection prevents it. In mode `passive`, SQLite does not wait for
    /// readers and copies only the pages that no reader needs.
    fn run_checkpoint(&self, writer: &Connection, mode: &str) -> Result<()> {
        if self.options.checkpoint == CheckpointMode::External
            || self.progress.sync_failure.get().is_some()
        {
            return Ok(());
        }
        writer.busy_timeout(READER_WAIT_TIMEOUT)?;
        let sql = format!("pragma wal_checkpoint({mode})");
        let busy: rusqlite::Result<i64> = writer.query_row(&sql, [], |row| row.get(0));
        writer.busy_timeout(connection::BUSY_TIMEOUT)?;
        if let Err(error) = &busy {
            self.progress.record_sync_failure(error);
        }
        if busy? == 0 { Ok(()) } else { Err(Error::Busy) }
    }
}

impl Drop for Checkpointer {
    /// Ends the background thread and waits for its end.
    fn drop(&mut self) {
        let Some(CheckpointThread { committed, stop, handle }) = self.thread.take() else { return };
        drop((committed, stop));
        if handle.join().is_err() {
            tracing::error!("the checkpoint thread panicked");
        }
    }
}

/// Runs the background thread until its channels are closed or a flush has failed.
///
/// After a commit it copies the log at the end of the first interval without transactions or with a
/// batch as the last transaction. It copies a long log twice.
fn copy_in_background(
    connection: &Connection,
    progress: &Progress,
    commits: &Receiver<()>,
    stopped: &Receiver<()>,
) {
    while commits.recv().is_ok() && progress.sync_failure.get().is_none() {
        loop {
            if let Err(RecvTimeoutError::Disconnected) = stopped.recv_timeout(COPY_INTERVAL) {
                return;
            }
            if !progress.has_single_writes.swap(false, Ordering::Relaxed) {
                break;
            }
        }
        let copy = || connection.query_row("pragma wal_checkpoint(passive)", [], |row| row.get(1));
        // Copying a long log takes time. Copy the pages written meanwhile immediately, because the
        // writer, which restarts the log, would otherwise have to copy them.
        let copied = copy().and_then(|count: i64| match count < RESTART_PAGES {
            true => Ok(count),
            false => copy(),
        });
        match copied {
            Ok(count) => progress.pages_at_last_copy.store(count, Ordering::Relaxed),
            Err(error) => {
                progress.record_sync_failure(&error);
                tracing::error!(%error, "a checkpoint of the write-ahead log failed");
            }
        }
    }
}
