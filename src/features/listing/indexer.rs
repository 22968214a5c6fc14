//! The indexer thread: brings committed changes into the search index.

use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use super::index;
use crate::app::App;
use crate::features::tree;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::search;
use chartroom_platform::search::SearchIndexWriter;
use chartroom_platform::tasks::Task;
use chartroom_platform::threads;

/// Minimum time between two commits of the index, because each commit costs several milliseconds of
/// disk time. A commit after a pause, or one that a search waits for, is immediate.
const MIN_COMMIT_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum time between two commits under continuous load.
const MAX_COMMIT_INTERVAL: Duration = Duration::from_secs(1);
/// The thread waits this many times as long as the last commit took. Larger and fewer commits cost
/// less, because fewer segments are merged.
const COMMIT_INTERVAL_FACTOR: u32 = 4;
/// Increment of the thread's nice value. It leaves the thread about a third of a busy core, so that
/// requests are served first and the index follows shortly after.
const NICE_INCREMENT: i32 = 5;
/// Interval between two checks without a commit signal. Also finds changes by other processes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Number of idle polls after which the thread releases the memory of the index writer.
const IDLE_POLLS_BEFORE_RELEASE: u32 = 2;
/// Maximum time for a task to wait for the rebuild.
const REBUILD_TIMEOUT: Duration = Duration::from_secs(600);

/// Name of the task that makes the running server rebuild the index.
pub const REINDEX_TASK: &str = "listing.reindex";

/// Runs [`REINDEX_TASK`]: requests a rebuild from the indexer thread and waits until the rebuild has
/// finished.
///
/// # Errors
/// If the rebuild does not finish within `REBUILD_TIMEOUT`.
pub fn run_reindex_task(app: &App, _: &Task) -> Result<()> {
    match app.search.rebuild_and_wait(REBUILD_TIMEOUT, || app.db.commit_signal().notify()) {
        true => Ok(()),
        false => Err(Error::internal("the search index is not built yet")),
    }
}

/// The indexer thread. Dropping it stops the thread.
pub struct Indexer {
    app: Arc<App>,
    stopped: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Indexer {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(app: Arc<App>) -> Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        let (thread_app, thread_stopped) = (app.clone(), stopped.clone());
        let work = move || {
            // Threads that the index starts inherit the nice value.
            threads::lower_thread_priority(NICE_INCREMENT);
            run(&thread_app, &thread_stopped);
        };
        let thread = thread::Builder::new().name("indexer".to_owned()).spawn(work)?;
        Ok(Self { app, stopped, thread: Mutex::new(Some(thread)) })
    }

    /// Stops the thread after its current commit and waits until it has ended. Remaining changes
    /// are indexed after the next start of the server.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.app.db.commit_signal().notify();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the indexer panicked");
        }
    }
}

impl Drop for Indexer {
    /// Stops the thread, and waits until it has ended.
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs the thread until it is stopped: restarts indexing after each error or panic, which it logs.
///
/// The first restart opens the index again, which checks its files. If the index causes another
/// error before anything is indexed, the second restart rebuilds it from nothing.
fn run(app: &App, stopped: &AtomicBool) {
    let mut index_errors = 0;
    while !stopped.load(Ordering::SeqCst) {
        let run = AssertUnwindSafe(|| follow_changes(app, stopped, &mut index_errors));
        let Err(error) = catch_unwind(run).unwrap_or_else(|_| Err(Error::internal("a panic")))
        else {
            continue;
        };
        let message = error.operator_message();
        tracing::error!(error = %message, "the search index cannot be updated");
        app.search.report_failure(message);
        if search::is_index_error(&error) {
            index_errors += 1;
        }
        if index_errors > 1 {
            app.search.request_rebuild();
        }
        let seen_commits = app.db.commit_signal().count();
        app.db.commit_signal().wait_past(seen_commits, POLL_INTERVAL);
    }
}

/// Indexes changes until the thread is stopped or an error occurs. Also rebuilds the index on
/// request, and merges segments and releases memory when idle.
///
/// Sets `index_errors` to 0 when it has indexed changes.
fn follow_changes(app: &App, stopped: &AtomicBool, index_errors: &mut u32) -> Result<()> {
    let mut source = index::read_source(&app.db)?;
    let mut writer = match app.search.take_rebuild_request() {
        true => SearchIndexWriter::create_empty(&app.search, &source)?,
        false => SearchIndexWriter::open(&app.search, &source)?,
    };
    let (mut is_checked, mut idle_polls, mut is_released) = (false, 0, false);
    while !stopped.load(Ordering::SeqCst) {
        // Armed before reading, so that a commit after the read ends the wait at once.
        let seen_commits = app.db.commit_signal().arm();
        if app.search.take_rebuild_request() {
            if let Err(error) = writer.close() {
                // The new index does not need the old one.
                tracing::warn!(error = %error.operator_message(), "the old search index was not closed");
            }
            source = index::read_source(&app.db)?;
            writer = SearchIndexWriter::create_empty(&app.search, &source)?;
        }
        app.search.take_commit_request();
        let began = Instant::now();
        // A new index has no entries of descendants that need an update.
        let initial_change = if writer.is_complete() { 0 } else { source.last_change };
        if index::index_next_changes(app, &mut writer, initial_change)? {
            (idle_polls, is_released, *index_errors) = (0, false, 0);
            if writer.is_complete() {
                let interval = began
                    .elapsed()
                    .saturating_mul(COMMIT_INTERVAL_FACTOR)
                    .clamp(MIN_COMMIT_INTERVAL, MAX_COMMIT_INTERVAL);
                wait_for_next_commit(app, stopped, began + interval);
            }
            continue;
        }
        if !is_checked {
            is_checked = true;
            request_rebuild_if_incomplete(app, &writer)?;
        }
        if !app.search.is_rebuild_requested()
            && app.db.commit_signal().wait_past(seen_commits, POLL_INTERVAL) == seen_commits
        {
            idle_polls += 1;
            if idle_polls >= IDLE_POLLS_BEFORE_RELEASE
                && !is_released
                && writer.merge_segments(&app.search)?
            {
                is_released = true;
                writer.release_writer()?;
                request_rebuild_if_incomplete(app, &writer)?;
            }
        }
    }
    writer.close()
}

/// Waits until `end`, or until a search needs the index or the thread is stopped.
fn wait_for_next_commit(app: &App, stopped: &AtomicBool, end: Instant) {
    let signal = app.db.commit_signal();
    loop {
        let seen_commits = signal.count();
        let remaining = end.saturating_duration_since(Instant::now());
        if remaining.is_zero() || stopped.load(Ordering::SeqCst) || app.search.take_commit_request()
        {
            return;
        }
        signal.wait_past(seen_commits, remaining);
    }
}

/// Requests a rebuild if the index does not hold as many nodes as the database. Does nothing while
/// the index lacks changes.
fn request_rebuild_if_incomplete(app: &App, writer: &SearchIndexWriter) -> Result<()> {
    let (present, last) =
        app.db.read(|tx| Ok((tree::count_active(tx)?, tree::last_change_number(tx)?)))?;
    if last == writer.cursor() && present != writer.entry_count() {
        let found = writer.entry_count();
        tracing::warn!(found, present, "the search index is incomplete; it is rebuilt");
        app.search.request_rebuild();
    }
    Ok(())
}
