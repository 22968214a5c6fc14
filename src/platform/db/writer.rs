//! The writer: waiting write jobs share a transaction and its fsync (group commit).
//!
//! A write that finds the connection free runs on the thread of its caller, because waking another
//! thread takes as long as the disk. Jobs that arrive meanwhile wait for the writer thread, which
//! puts all of them into its next transaction. No job waits on purpose for a larger batch. All
//! callers get their results after the commit, because a job may have read changes of an earlier
//! job of its batch.

mod batch;
pub(super) mod job;
mod write_connection;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::TryLockError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use crossbeam_channel::Receiver;
use crossbeam_channel::Sender;
use crossbeam_channel::TrySendError;
use tokio::sync::oneshot;

use crate::db::checkpoint::Checkpointer;
use crate::db::disk_space::DiskSpace;
use crate::db::options::DbOptions;
use crate::db::signal::CommitSignals;
use crate::db::tx::WriteTx;
use crate::error::Error;
use crate::error::Result;
use batch::Batch;
use job::AnyResult;
use job::AnyWork;
use job::Job;
use job::TxFailure;
use write_connection::WriteConnection;

/// Maximum number of jobs in one transaction.
const MAX_BATCH_JOBS: usize = 512;

/// Age of a transaction after which no further job joins it.
const MAX_BATCH_TIME: Duration = Duration::from_millis(20);

/// Maximum number of waiting jobs. Further jobs fail with `Busy`, because they would take too long.
const MAX_WAITING_JOBS: usize = 4096;

thread_local! {
    /// Whether this thread is inside a write transaction. A nested write would deadlock.
    static IS_WRITING: Cell<bool> = const { Cell::new(false) };
}

/// A guard that marks the current thread as writing until it is dropped, also during a panic.
struct WritingGuard;

impl WritingGuard {
    /// Marks the current thread as writing.
    fn new() -> Self {
        IS_WRITING.set(true);
        Self
    }
}

impl Drop for WritingGuard {
    /// Marks the current thread as not writing.
    fn drop(&mut self) {
        IS_WRITING.set(false);
    }
}

/// A message to the writer thread.
enum Message {
    Job(Job),
    /// Truncate the write-ahead log and send the result.
    Checkpoint(Sender<Result<()>>),
    Stop,
}

/// The handle of the writing connection and its thread.
pub(super) struct Writer {
    messages: Sender<Message>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// State that the writer thread and the callers share.
struct Shared {
    /// None after the writer has stopped.
    core: Mutex<Option<WriterCore>>,
    /// Whether the thread has received a message and waits for the connection. Callers then do not
    /// take the connection, so that jobs run in the order of their arrival.
    is_thread_waiting: AtomicBool,
    /// Number of finished transactions. It is increased before the callers get their results.
    commits: Arc<AtomicU64>,
}

impl Shared {
    /// Waits for the connection and locks it. The content is None after the writer has stopped.
    fn lock(&self) -> MutexGuard<'_, Option<WriterCore>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the writer thread until it gets [`Message::Stop`] or the channel is closed. Then closes
    /// the connection.
    fn run(&self, messages: &Receiver<Message>) {
        IS_WRITING.set(true);
        while let Ok(message) = messages.recv() {
            self.is_thread_waiting.store(true, Ordering::SeqCst);
            let mut core = self.lock();
            self.is_thread_waiting.store(false, Ordering::SeqCst);
            if !core.as_mut().is_some_and(|core| core.handle_message(message)) {
                break;
            }
        }
        self.lock().take();
    }
}

impl Writer {
    /// Opens the writing connection and starts the writer thread and the checkpoints.
    pub(super) fn start(
        path: &Path,
        options: DbOptions,
        signals: Arc<CommitSignals>,
        space: DiskSpace,
    ) -> Result<Self> {
        let connection = WriteConnection::open(path, options)?;
        let checkpointer = Checkpointer::start(path, options)?;
        let (sender, messages) = crossbeam_channel::bounded(MAX_WAITING_JOBS);
        let commits = Arc::new(AtomicU64::new(0));
        let core = WriterCore {
            connection,
            commits: commits.clone(),
            messages: messages.clone(),
            signals,
            checkpointer,
            space,
        };
        let core = Mutex::new(Some(core));
        let is_thread_waiting = AtomicBool::new(false);
        let shared = Arc::new(Shared { core, is_thread_waiting, commits });
        let work = shared.clone();
        let thread = thread::Builder::new()
            .name("db-writer".to_owned())
            .spawn(move || work.run(&messages))?;
        Ok(Self { messages: sender, shared, thread: Mutex::new(Some(thread)) })
    }

    /// Runs a job in a write transaction and waits for the commit and the result of `work`. Uses
    /// this thread if the connection is free, otherwise the writer thread. `may_use_reserve`: the
    /// job also runs while little disk space is free, and again after the release of the reserve.
    ///
    /// # Errors
    /// `Internal` inside a write of this thread, `Busy` if the queue is full or the writer has
    /// stopped, otherwise the error of `work` or of the commit.
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&WriteTx<'_>) -> Result<T> + Send + 'static,
        may_use_reserve: bool,
    ) -> Result<T> {
        let work = move |tx: &WriteTx<'_>| work(tx).map(|result| Box::new(result) as Box<_>);
        let result = self.write_any(Box::new(work), may_use_reserve)?;
        result.downcast().map(|result| *result).map_err(|_| Error::internal("another result type"))
    }

    /// Does the same as [`Self::write`] for a result of any type.
    fn write_any(&self, work: AnyWork, may_use_reserve: bool) -> AnyResult {
        if IS_WRITING.get() {
            return Err(Error::internal("a write inside a write transaction would deadlock"));
        }
        // A oneshot channel blocks immediately. Other channels spin first, and dozens of spinning
        // callers would take the core from the thread that they wait for.
        let (response, result) = oneshot::channel();
        let job = Job::new(work, response, may_use_reserve);
        match self.try_lock_idle() {
            Some(mut core) => {
                let Some(core) = core.as_mut() else { return Err(Error::Busy) };
                let _guard = WritingGuard::new();
                core.run_single_job(job);
            }
            None => self.send(Message::Job(job))?,
        }
        result.blocking_recv().map_err(|_| Error::Busy)?
    }

    /// Returns the number of finished transactions of this process, failed ones included. A new
    /// snapshot contains at least these.
    pub(super) fn commits(&self) -> u64 {
        self.shared.commits.load(Ordering::SeqCst)
    }

    /// Locks the connection without waiting. Returns None if a job uses it or waits for it. The
    /// content of the guard is None after the writer has stopped.
    fn try_lock_idle(&self) -> Option<MutexGuard<'_, Option<WriterCore>>> {
        if !self.messages.is_empty() || self.shared.is_thread_waiting.load(Ordering::SeqCst) {
            return None;
        }
        match self.shared.core.try_lock() {
            Ok(core) => Some(core),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Truncates the write-ahead log on the writer thread, after the jobs that are already in the
    /// queue, and waits for the result.
    ///
    /// # Errors
    /// `Busy` if a reader needs the log, the queue is full or the writer has stopped,
    /// `StorageFailed` after a failed flush.
    pub(super) fn checkpoint(&self) -> Result<()> {
        let (response, result) = crossbeam_channel::bounded(1);
        self.send(Message::Checkpoint(response))?;
        result.recv().map_err(|_| Error::Busy)?
    }

    /// Stops the thread after the jobs in the queue, and waits for its end unless called on it.
    /// Does nothing if it was stopped before.
    pub(super) fn stop(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        // Sending fails only if the thread has already ended.
        let _ = self.messages.send(Message::Stop);
        // The writer thread itself runs this if a job held the last clone of the database. A thread
        // cannot join itself.
        if thread.thread().id() != thread::current().id() && thread.join().is_err() {
            tracing::error!("the writer thread panicked");
        }
    }

    /// Sends a message to the thread without waiting.
    ///
    /// # Errors
    /// `Busy` if the queue is full or the thread has ended.
    fn send(&self, message: Message) -> Result<()> {
        self.messages.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) | TrySendError::Disconnected(_) => Error::Busy,
        })
    }
}

impl Drop for Writer {
    /// Stops the writer thread after the jobs in the queue, see `stop`.
    fn drop(&mut self) {
        self.stop();
    }
}

/// The writing connection with its queue. One thread uses it at a time.
struct WriterCore {
    connection: WriteConnection,
    commits: Arc<AtomicU64>,
    messages: Receiver<Message>,
    signals: Arc<CommitSignals>,
    checkpointer: Checkpointer,
    space: DiskSpace,
}

impl WriterCore {
    /// Handles a message. A job runs in one batch with the jobs that follow in the queue, and a
    /// message that ends the batch is handled after it. Returns false after [`Message::Stop`].
    fn handle_message(&mut self, first: Message) -> bool {
        let mut next = Some(first);
        while let Some(message) = next.take() {
            match message {
                Message::Job(job) => {
                    // A message that ends the batch and is handled after it.
                    let mut pending = None;
                    let messages = self.messages.clone();
                    self.run_batch(job, || match messages.try_recv() {
                        Ok(Message::Job(job)) => Some(job),
                        Ok(message) => {
                            pending = Some(message);
                            None
                        }
                        Err(_) => None,
                    });
                    next = pending;
                }
                Message::Checkpoint(response) => {
                    let _ = response.send(self.truncate_log());
                }
                Message::Stop => return false,
            }
        }
        true
    }

    /// Runs one job in its own transaction and sends its result. A failing job is rolled back.
    ///
    /// The job fails without running after a failed flush, or with `DiskFull` if space is low and
    /// it may not use the reserve. If it finds the disk full and may use the reserve, releases the
    /// reserve and runs the job again.
    fn run_single_job(&mut self, mut job: Job) {
        if let Err(failure) = self.check_may_write() {
            return job.send_result(Err(failure));
        }
        if !job.may_use_reserve() && self.space.is_low(&self.connection.connection) {
            return job.send_result(Err(TxFailure::DiskFull));
        }
        let (mut outcome, mut requested_signal) = self.try_single_job(&mut job);
        self.recognize_exceeded_quota(&mut outcome, std::slice::from_mut(&mut job));
        let is_full = matches!(outcome, Err(TxFailure::DiskFull)) || job.has_found_full_disk();
        if is_full && job.may_use_reserve() && self.space.release_reserve() {
            self.connection.recover();
            (outcome, requested_signal) = self.try_single_job(&mut job);
        }
        self.finish_transaction(vec![job], outcome, requested_signal);
        self.checkpointer.after_single_job(&self.connection.connection);
    }

    /// Runs one job in its own transaction. Returns the result of the transaction, which is `Ok`
    /// also after the rollback of the failed job, and whether the job succeeded and requested a
    /// signal.
    fn try_single_job(&mut self, job: &mut Job) -> (std::result::Result<(), TxFailure>, bool) {
        if let Err(failure) = self.connection.execute("begin immediate") {
            return (Err(failure), false);
        }
        let (result, effects) = self.connection.run_job(job);
        match result {
            Ok(()) => (self.connection.execute("commit"), effects.requested_signal.get()),
            Err(failure) if !self.connection.is_in_transaction() => (Err(failure), false),
            Err(_) => (self.connection.execute("rollback"), false),
        }
    }

    /// Runs `first` and the jobs from `next_job` in one transaction and sends their results.
    ///
    /// The batch ends when `next_job` returns None, at [`MAX_BATCH_JOBS`] or after
    /// [`MAX_BATCH_TIME`]. If the transaction fails, it takes further jobs without running them,
    /// and all jobs of the batch fail. If space is low, jobs that may not use the reserve fail with
    /// `DiskFull`. On a full disk, the others run again after its release.
    fn run_batch(&mut self, first: Job, mut next_job: impl FnMut() -> Option<Job>) {
        let start = Instant::now();
        let mut batch = Batch::default();
        let mut next = Some(first);
        let is_low = self.space.is_low(&self.connection.connection);
        let mut outcome =
            self.check_may_write().and_then(|()| self.connection.execute("begin immediate"));
        while let Some(job) = next.take() {
            if is_low && !job.may_use_reserve() {
                job.send_result(Err(TxFailure::DiskFull));
            } else {
                batch.push(job);
                if outcome.is_ok() {
                    outcome = batch.run_last_job(&mut self.connection);
                }
            }
            let is_too_old = start.elapsed() >= MAX_BATCH_TIME;
            if batch.jobs.len() >= MAX_BATCH_JOBS || is_too_old && outcome.is_ok() {
                break;
            }
            next = next_job();
        }
        let mut committed = outcome
            .and_then(|()| self.check_may_write())
            .and_then(|()| self.connection.execute("commit"));
        self.recognize_exceeded_quota(&mut committed, &mut batch.jobs);
        let repeated = self.take_jobs_for_reserve(&mut batch.jobs, &committed);
        self.finish_transaction(batch.jobs, committed, batch.requested_signal);
        self.checkpointer.after_batch(&self.connection.connection);
        for job in repeated {
            self.run_single_job(job);
        }
    }

    /// Replaces a failed operation on a file by `DiskFull` if the quota of the file system is exceeded,
    /// in the result of a finished transaction and in those of its jobs.
    ///
    /// SQLite reports only a full disk as such, and an exceeded quota as any other failure.
    fn recognize_exceeded_quota(
        &mut self,
        outcome: &mut std::result::Result<(), TxFailure>,
        jobs: &mut [Job],
    ) {
        let has_failed = matches!(outcome, Err(TxFailure::StorageFailed(_)));
        if !has_failed && !jobs.iter().any(Job::has_found_failed_storage) {
            return;
        }
        if self.space.is_quota_exceeded() {
            jobs.iter_mut().for_each(Job::report_full_disk);
            if has_failed {
                *outcome = Err(TxFailure::DiskFull);
            }
        }
    }

    /// Removes from `jobs` and returns the jobs of a finished transaction that found the disk full
    /// and may use the reserve, and deletes the reserve. `committed` with `DiskFull` means that all
    /// found it full. Does not run the jobs. Removes nothing if there is no reserve.
    fn take_jobs_for_reserve(
        &self,
        jobs: &mut Vec<Job>,
        committed: &std::result::Result<(), TxFailure>,
    ) -> Vec<Job> {
        let failed_together = matches!(committed, Err(TxFailure::DiskFull));
        let is_repeatable =
            |job: &mut Job| job.may_use_reserve() && (failed_together || job.has_found_full_disk());
        if jobs.iter_mut().any(is_repeatable) && self.space.release_reserve() {
            return jobs.extract_if(.., is_repeatable).collect();
        }
        Vec::new()
    }

    /// Checks that no flush has failed. After a failed flush nothing is written until the next
    /// start, because the operating system may have dropped unwritten pages.
    ///
    /// # Errors
    /// The failed flush.
    fn check_may_write(&mut self) -> std::result::Result<(), TxFailure> {
        if let Some(message) = self.checkpointer.sync_failure() {
            self.connection.sync_failure.get_or_insert(message);
        }
        match &self.connection.sync_failure {
            Some(message) => Err(TxFailure::SyncFailed(message.clone())),
            None => Ok(()),
        }
    }

    /// Truncates the write-ahead log.
    ///
    /// # Errors
    /// `Busy` if a reader still needs the log, `StorageFailed` after a failed flush.
    fn truncate_log(&mut self) -> Result<()> {
        self.check_may_write()?;
        self.checkpointer.truncate(&self.connection.connection)
    }

    /// Increments the commit count, sends the commit signals and then the results to the callers of
    /// a finished transaction.
    ///
    /// `committed` is `Ok` also after the rollback of a single failed job. After a failed commit it
    /// restores the connection instead of sending the signals, and all jobs get the failure as
    /// their result. After a failed flush it also stops the checkpoints.
    fn finish_transaction(
        &mut self,
        jobs: Vec<Job>,
        committed: std::result::Result<(), TxFailure>,
        requested_signal: bool,
    ) {
        self.commits.fetch_add(1, Ordering::SeqCst);
        if let Err(failure) = &committed {
            tracing::error!(?failure, jobs = jobs.len(), "a commit failed");
            self.connection.recover();
        } else {
            self.signals.notify_commit(requested_signal);
        }
        if let Some(message) = &self.connection.sync_failure {
            self.checkpointer.stop_after_sync_failure(&self.connection.connection, message);
        }
        for job in jobs {
            job.send_result(committed.clone());
        }
    }
}

#[cfg(test)]
mod tests;
