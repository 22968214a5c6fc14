//! The one writing connection: waiting writes share a transaction and its fsync.
//!
//! A write that finds the connection free runs on its caller's own thread, for waking another one
//! takes as long as the disk. What comes meanwhile waits for the writing thread, which takes all of
//! it into its next transaction; nothing waits on purpose. Nobody is answered before the commit: a
//! job may have read what an earlier one of its batch wrote.

mod batch;
pub(super) mod job;

use std::cell::Cell;
use std::path::Path;
use std::path::PathBuf;
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
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::db::Options;
use crate::db::WriteTx;
use crate::db::bell::Bells;
use crate::db::checkpoint::Checkpointer;
use crate::db::connection;
use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;
use batch::Batch;
use job::Failure;
use job::Job;
use job::Write;

/// Most jobs in one transaction.
const BATCH: usize = 512;

/// No further job joins a transaction that has been running this long.
const BATCH_TIME: Duration = Duration::from_millis(20);

/// Most jobs that wait. The next is refused as busy, which is better than an answer too late.
const WAITING: usize = 4096;

thread_local! {
    /// Whether this thread is writing: it would wait for itself for ever.
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// Marks the caller's thread as writing for as long as it lives, also through a panic.
struct Mark;

impl Mark {
    fn set() -> Self {
        WRITING.set(true);
        Self
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        WRITING.set(false);
    }
}

enum Message {
    Job(Box<dyn Job>),
    Checkpoint(Sender<Result<()>>),
    Stop,
}

/// The connection and its thread, from outside.
pub(super) struct Writer {
    inbox: Sender<Message>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread and the callers share.
struct Shared {
    /// None after the end.
    core: Mutex<Option<Core>>,
    /// Whether the thread has taken a message and waits for the connection: it goes first.
    claimed: AtomicBool,
    /// How many transactions have been committed, counted before they are answered.
    commits: Arc<AtomicU64>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Core>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's work.
    fn run(&self, outbox: &Receiver<Message>) {
        WRITING.set(true);
        while let Ok(message) = outbox.recv() {
            self.claimed.store(true, Ordering::SeqCst);
            let mut core = self.lock();
            self.claimed.store(false, Ordering::SeqCst);
            if !core.as_mut().is_some_and(|it| it.serve(message)) {
                break;
            }
        }
        self.lock().take();
    }
}

impl Writer {
    /// Opens the writing connection and starts the thread.
    pub(super) fn start(path: &Path, options: Options, bells: Arc<Bells>) -> Result<Self> {
        let connection = connection::writer(path, options)?;
        let checkpointer = Checkpointer::start(path, options)?;
        let (inbox, outbox) = crossbeam_channel::bounded(WAITING);
        let commits = Arc::new(AtomicU64::new(0));
        let core = Core {
            connection,
            commits: commits.clone(),
            path: path.to_owned(),
            options,
            outbox: outbox.clone(),
            bells,
            checkpointer,
            last: Timestamp(0),
        };
        let core = Mutex::new(Some(core));
        let shared = Arc::new(Shared { core, claimed: AtomicBool::new(false), commits });
        let work = shared.clone();
        let thread =
            thread::Builder::new().name("db-writer".to_owned()).spawn(move || work.run(&outbox))?;
        Ok(Self { inbox, shared, thread: Mutex::new(Some(thread)) })
    }

    /// See [`Db::write`](super::Db::write).
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if WRITING.get() {
            return Err(Error::internal("a write transaction asked for another one"));
        }
        // Whoever waits sleeps at once: other channels look again for a while first, and dozens of
        // writers that do take the core from the one they wait for.
        let (response, answer) = oneshot::channel();
        let job = Box::new(Write::new(work, response));
        match self.free() {
            Some(mut core) => {
                let Some(core) = core.as_mut() else { return Err(Error::Busy) };
                let _mark = Mark::set();
                core.alone(job);
            }
            None => self.send(Message::Job(job))?,
        }
        answer.blocking_recv().map_err(|_| Error::Busy)?
    }

    /// How many commits of this process readers can see, at least.
    pub(super) fn commits(&self) -> u64 {
        self.shared.commits.load(Ordering::SeqCst)
    }

    /// The connection, if nobody uses it or waits for it.
    fn free(&self) -> Option<MutexGuard<'_, Option<Core>>> {
        if !self.inbox.is_empty() || self.shared.claimed.load(Ordering::SeqCst) {
            return None;
        }
        match self.shared.core.try_lock() {
            Ok(core) => Some(core),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// See [`Db::checkpoint`](super::Db::checkpoint).
    pub(super) fn checkpoint(&self) -> Result<()> {
        let (response, answer) = crossbeam_channel::bounded(1);
        self.send(Message::Checkpoint(response))?;
        answer.recv().map_err(|_| Error::Busy)?
    }

    /// Ends the thread after the jobs that wait.
    pub(super) fn stop(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        // Refused only when the thread is gone already.
        let _ = self.inbox.send(Message::Stop);
        // The last owner may be a job, dropped by the thread itself.
        if thread.thread().id() != thread::current().id() && thread.join().is_err() {
            tracing::error!("the writing thread panicked");
        }
    }

    fn send(&self, message: Message) -> Result<()> {
        self.inbox.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) | TrySendError::Disconnected(_) => Error::Busy,
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The connection, from inside.
struct Core {
    connection: Connection,
    commits: Arc<AtomicU64>,
    path: PathBuf,
    options: Options,
    outbox: Receiver<Message>,
    bells: Arc<Bells>,
    checkpointer: Checkpointer,
    /// The last job's time: the clock may be set back, the rows' times do not follow it.
    last: Timestamp,
}

impl Core {
    /// Does what a message asks, for the thread. False: it was the last.
    fn serve(&mut self, first: Message) -> bool {
        let mut next = Some(first);
        while let Some(message) = next.take() {
            match message {
                Message::Job(job) => {
                    let mut other = None;
                    let outbox = self.outbox.clone();
                    self.batch(job, || match outbox.try_recv() {
                        Ok(Message::Job(job)) => Some(job),
                        Ok(message) => {
                            other = Some(message);
                            None
                        }
                        Err(_) => None,
                    });
                    next = other;
                }
                Message::Checkpoint(response) => {
                    let _ = response.send(self.checkpointer.truncate(&self.connection));
                }
                Message::Stop => return false,
            }
        }
        true
    }

    /// One transaction for one job, on its caller's thread.
    fn alone(&mut self, mut job: Box<dyn Job>) {
        let mut rung = false;
        let mut ended = self.step("begin immediate");
        if ended.is_ok() {
            let (ran, done) = self.run(job.as_mut());
            ended = match ran {
                Ok(()) => {
                    rung = done.rung.get();
                    self.step("commit")
                }
                Err(failure) if self.connection.is_autocommit() => Err(failure),
                Err(_) => self.step("rollback"),
            };
        }
        self.ended(vec![job], ended, rung);
        self.checkpointer.after_one(&self.connection);
    }

    /// One transaction for `first` and what else `more` gives.
    fn batch(&mut self, first: Box<dyn Job>, mut more: impl FnMut() -> Option<Box<dyn Job>>) {
        let began = Instant::now();
        let mut batch = Batch::default();
        let mut next = Some(first);
        let mut outcome = self.step("begin immediate");
        while let Some(job) = next.take() {
            batch.jobs.push(job);
            if outcome.is_ok() {
                outcome = self.last_of(&mut batch);
            }
            if batch.jobs.len() >= BATCH || began.elapsed() >= BATCH_TIME && outcome.is_ok() {
                break;
            }
            next = more();
        }
        let committed = outcome.and_then(|()| self.step("commit"));
        self.ended(batch.jobs, committed, batch.rung);
        self.checkpointer.after_batch(&self.connection);
    }

    /// Tells the callers of a transaction how it ended.
    fn ended(
        &mut self,
        jobs: Vec<Box<dyn Job>>,
        committed: std::result::Result<(), Failure>,
        rung: bool,
    ) {
        self.commits.fetch_add(1, Ordering::SeqCst);
        if let Err(failure) = &committed {
            tracing::error!(?failure, jobs = jobs.len(), "a commit failed");
            self.recover();
        } else {
            self.bells.after_commit(rung);
        }
        for job in jobs {
            job.answer(committed.clone());
        }
    }

    fn step(&self, sql: &str) -> std::result::Result<(), Failure> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// Leaves the failed transaction, if need be with a new connection.
    fn recover(&mut self) {
        if self.connection.is_autocommit() || self.step("rollback").is_ok() {
            return;
        }
        match connection::writer(&self.path, self.options) {
            Ok(connection) => self.connection = connection,
            Err(error) => tracing::error!(%error, "the database could not be opened again"),
        }
    }
}

#[cfg(test)]
mod tests;
