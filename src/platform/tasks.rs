//! The queue of background tasks.
//!
//! A task is a row in the table `task`. It is written in the transaction that causes it, runs after
//! the commit, and survives a crash.
//!
//! Delivery is at least once: a handler may run again after a crash or an error, so handlers must
//! be idempotent. Tasks are merged: enqueuing a name and subject that is already waiting changes
//! the waiting task. A recurring task is rescheduled instead of deleted, so it also survives a
//! crash.
//!
//! Each kind of task belongs to a [`TaskQueue`] with its own threads, so that a mail server that
//! does not respond delays no other work.

mod failed_tasks;

pub use failed_tasks::FailedTask;
pub use failed_tasks::discard;
pub use failed_tasks::list_failed;
pub use failed_tasks::retry;

use std::collections::HashMap;
use std::collections::HashSet;
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

use rusqlite::named_params;

use crate::crypto;
use crate::db::Db;
use crate::db::Tx;
use crate::db::WriteTx;
use crate::db::panic_message;
use crate::error::Error;
use crate::error::Result;
use crate::threads;
use crate::time::Timestamp;

/// Number of threads for [`TaskQueue::Local`]. With two, one task can wait for the disk while
/// another one runs. More would take too many cores from requests.
const LOCAL_THREADS: usize = 2;

/// Number of threads for [`TaskQueue::Remote`]. They mostly wait.
const REMOTE_THREADS: usize = 4;

/// Nice value of the task threads. Beside busy request threads, each one gets about a tenth of a
/// core.
const TASK_NICENESS: i32 = 10;

/// Interval of polling for due tasks. Polling also finds tasks that other processes enqueue.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum number of attempts. The last one is about 1 h 45 min after the first one.
const MAX_ATTEMPTS: i64 = 8;

/// Delay after the first failure. Each further failure triples it.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(5);

/// Maximum delay between two attempts.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(3600);

/// A task as its handler receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Row id. It changes when the task is enqueued again.
    id: String,
    /// Name that selects the handler, such as `documents.thumbnail`.
    pub name: String,
    /// Object of the task, such as a document id.
    pub subject: String,
    /// Payload (JSON) of the last enqueue.
    pub payload: String,
    /// Number of failed attempts so far.
    pub attempts: i64,
}

/// A function that runs a task, outside any transaction. If it fails, the task is retried later.
///
/// `A` is the state of the application.
pub type Handler<A> = fn(&A, &Task) -> Result<()>;

/// The threads that run a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskQueue {
    /// For tasks that use only this machine. Tasks without a handler also belong here, so that they
    /// fail.
    Local,
    /// For tasks that wait for other servers, possibly until a timeout.
    Remote,
}

impl TaskQueue {
    const ALL: [Self; 2] = [Self::Local, Self::Remote];

    /// Returns the number of threads.
    fn thread_count(self) -> usize {
        match self {
            Self::Local => LOCAL_THREADS,
            Self::Remote => REMOTE_THREADS,
        }
    }

    /// Returns the prefix of the names of the threads.
    fn thread_name(self) -> &'static str {
        match self {
            Self::Local => "tasks",
            Self::Remote => "tasks-remote",
        }
    }
}

/// A kind of task: its name, its queue and its handler. `A` is the state of the application.
pub type TaskKind<A> = (&'static str, TaskQueue, Handler<A>);

/// Enqueues the task `name` for `subject`. It runs after the commit, but not before `run_at`, and
/// at most about a second later if a thread is free.
///
/// If such a task already waits, it gets the new `payload` (JSON), its attempts are reset to 0, and
/// it runs at the earlier of the two times. If it is running at present, it runs once more
/// immediately afterwards, even if `run_at` is later. A task that was given up is not changed.
pub fn enqueue(
    tx: &WriteTx<'_>,
    name: &str,
    subject: &str,
    payload: &str,
    run_at: Timestamp,
) -> Result<()> {
    // Because of the new id, a thread that is running the task does not delete the row.
    tx.execute(
        "insert into task (id, name, payload, subject, run_at, created)
         values (?1, ?2, ?3, ?4, ?5, ?6)
         on conflict (name, subject) where dead = 0 do update set
             id = excluded.id, payload = excluded.payload, attempts = 0, error = null,
             run_at = min(run_at, excluded.run_at)",
        (uuid::Uuid::now_v7().to_string(), name, payload, subject, run_at, tx.now),
    )?;
    // The threads find later tasks by polling. Each save of a document enqueues one, and would wake
    // all threads.
    if run_at <= tx.now {
        tx.notify_after_commit();
    }
    Ok(())
}

/// Returns whether a task of this name and subject waits, also for another attempt, or runs.
pub fn is_pending(tx: &Tx<'_>, name: &str, subject: &str) -> Result<bool> {
    tx.one(
        "select exists (select 1 from task where name = ?1 and subject = ?2 and dead = 0)",
        (name, subject),
        |row| row.get(0),
    )
}

/// The threads that run tasks. Dropping it stops them.
pub struct TaskRunner {
    db: Db,
    stopped: Arc<AtomicBool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// State that the task threads share.
struct RunnerState<A> {
    app: Arc<A>,
    db: Db,
    kinds: HashMap<&'static str, (TaskQueue, Handler<A>)>,
    /// Names of the tasks in [`TaskQueue::Remote`], as a JSON array.
    remote_names: String,
    /// Delay between two runs of each recurring task.
    recurring: HashMap<&'static str, Duration>,
    /// Name and subject of each running task. The claim of a task need not be stored, because a
    /// data directory has only one server. After a crash all rows are free again.
    running: Mutex<HashSet<(String, String)>>,
    /// Whether the recurring tasks are stored.
    has_recurring_tasks: AtomicBool,
    stopped: Arc<AtomicBool>,
}

impl TaskRunner {
    /// Starts the threads.
    ///
    /// `kinds` contains the queue and the handler of each task name. Each task in `recurring` runs
    /// now, and again after the given delay whenever it succeeds. After a failure the usual retry
    /// delay applies. If the recurring tasks cannot be stored, for example on a full disk, the
    /// threads log it and try again.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start<A: Send + Sync + 'static>(
        app: Arc<A>,
        db: Db,
        kinds: &[TaskKind<A>],
        recurring: &[(&'static str, Duration)],
    ) -> Result<Self> {
        let is_remote = |kind: &&TaskKind<A>| kind.1 == TaskQueue::Remote;
        let remote_names: Vec<&str> = kinds.iter().filter(is_remote).map(|kind| kind.0).collect();
        let stopped = Arc::new(AtomicBool::new(false));
        let shared = Arc::new(RunnerState {
            app,
            db: db.clone(),
            kinds: kinds.iter().map(|(name, queue, handler)| (*name, (*queue, *handler))).collect(),
            remote_names: serde_json::to_string(&remote_names)?,
            recurring: recurring.iter().copied().collect(),
            running: Mutex::new(HashSet::new()),
            has_recurring_tasks: AtomicBool::new(false),
            stopped: stopped.clone(),
        });
        shared.ensure_recurring_tasks();
        let mut threads = Vec::new();
        for queue in TaskQueue::ALL {
            for number in 0..queue.thread_count() {
                let shared = shared.clone();
                let thread = thread::Builder::new();
                let work = move || {
                    threads::lower_thread_priority(TASK_NICENESS);
                    shared.run_until_stopped(queue);
                };
                let name = format!("{}-{number}", queue.thread_name());
                threads.push(thread.name(name).spawn(work)?);
            }
        }
        Ok(Self { db, stopped, threads: Mutex::new(threads) })
    }

    /// Stops the threads and waits until they have finished their running tasks. Waiting tasks stay
    /// in the database. Further calls do nothing.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.db.requested_signal().notify();
        let threads = std::mem::take(&mut *lock(&self.threads));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a task thread panicked");
            }
        }
    }
}

impl Drop for TaskRunner {
    /// Stops the threads, see `stop`.
    fn drop(&mut self) {
        self.stop();
    }
}

impl<A> RunnerState<A> {
    /// Enqueues the recurring tasks unless this succeeded before. Logs a failure.
    fn ensure_recurring_tasks(&self) {
        if self.has_recurring_tasks.load(Ordering::Relaxed) {
            return;
        }
        let names: Vec<&str> = self.recurring.keys().copied().collect();
        let stored = self.db.write_with_reserve(move |tx| {
            names.iter().try_for_each(|name| enqueue(tx, name, "", "{}", tx.now))
        });
        match stored {
            Ok(()) => self.has_recurring_tasks.store(true, Ordering::Relaxed),
            Err(error) => {
                let error = error.operator_message();
                tracing::error!(error, "the recurring tasks cannot be stored");
            }
        }
    }

    /// Runs due tasks of a queue until the runner is stopped. If there is none or the queue cannot
    /// be read, waits for a notification or for [`POLL_INTERVAL`].
    fn run_until_stopped(&self, queue: TaskQueue) {
        let signal = self.db.requested_signal();
        while !self.stopped.load(Ordering::SeqCst) {
            // Counted before the search, so that a notification after the search ends the wait at
            // once.
            let seen = signal.count();
            self.ensure_recurring_tasks();
            match self.claim_due_task(queue) {
                Ok(Some(task)) => {
                    self.run_task(&task);
                    lock(&self.running).remove(&(task.name, task.subject));
                }
                Ok(None) => {
                    signal.wait_past(seen, POLL_INTERVAL);
                }
                Err(error) => {
                    tracing::error!(error = %error.operator_message(), "the task queue cannot be read");
                    signal.wait_past(seen, POLL_INTERVAL);
                }
            }
        }
    }

    /// Returns the most overdue task of a queue that is not running, and marks it as running. The
    /// caller must remove the mark. None if no such task is due.
    fn claim_due_task(&self, queue: TaskQueue) -> Result<Option<Task>> {
        let mut running = lock(&self.running);
        // The other threads of the queue run one task each at most. So if any due task is free, one
        // of the first tasks is, as many as there are threads.
        let limit = i64::try_from(queue.thread_count()).unwrap_or(i64::MAX);
        let due = self.db.read(|tx| list_due_tasks(tx, &self.remote_names, queue, limit))?;
        let free =
            due.into_iter().find(|task| running.insert((task.name.clone(), task.subject.clone())));
        Ok(free)
    }

    /// Runs the handler of a task and stores the result: deletes or reschedules the task after a
    /// success, and counts the attempt after a failure. A missing handler and a panic count as
    /// failures.
    ///
    /// If the result cannot be stored, logs the error and waits for [`POLL_INTERVAL`].
    fn run_task(&self, task: &Task) {
        let result = match self.kinds.get(task.name.as_str()) {
            None => Err(Error::internal("no handler is registered for this task")),
            Some((_, handler)) => catch_unwind(AssertUnwindSafe(|| handler(&self.app, task)))
                .unwrap_or_else(|panic| {
                    Err(Error::internal(format!("panicked: {}", panic_message(panic.as_ref()))))
                }),
        };
        let recurs_after = self.recurring.get(task.name.as_str()).copied();
        let stored = match result {
            Ok(()) => {
                let task = task.clone();
                self.db.write_with_reserve(move |tx| complete_task(tx, &task, recurs_after))
            }
            Err(error) => {
                let (task, error) = (task.clone(), error.operator_message());
                tracing::warn!(name = task.name, subject = task.subject, error, "a task failed");
                let jitter = crypto::random_bytes::<1>().map_or(0, |[byte]| byte);
                self.db.write_with_reserve(move |tx| {
                    record_failure(tx, &task, &error, jitter, recurs_after)
                })
            }
        };
        if let Err(error) = stored {
            // The row is unchanged, so the task runs again.
            tracing::error!(error = %error.operator_message(), name = task.name, "the result of a task cannot be stored");
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Selects the due tasks of [`TaskQueue::Local`] in the order of their times.
const LIST_LOCAL: &str = "
    select id, name, subject, payload, attempts
    from task
    where dead = 0 and run_at <= :now and name not in (select value from json_each(:remote))
    order by run_at
    limit :limit";

/// Selects the due tasks of [`TaskQueue::Remote`] in the order of their times. Finds them by their names,
/// because an import can leave many thousands of local tasks due, and the threads look each second.
const LIST_REMOTE: &str = "
    select id, name, subject, payload, attempts
    from task indexed by task_subject
    where dead = 0 and run_at <= :now and name in (select value from json_each(:remote))
    order by run_at
    limit :limit";

/// Returns at most `limit` due tasks of a queue, the most overdue first. Includes running tasks.
/// `remote_names` contains the names in [`TaskQueue::Remote`] as a JSON array.
fn list_due_tasks(
    tx: &Tx<'_>,
    remote_names: &str,
    queue: TaskQueue,
    limit: i64,
) -> Result<Vec<Task>> {
    let sql = match queue {
        TaskQueue::Local => LIST_LOCAL,
        TaskQueue::Remote => LIST_REMOTE,
    };
    let params = named_params! { ":now": tx.now, ":remote": remote_names, ":limit": limit };
    tx.all(sql, params, |row| {
        Ok(Task {
            id: row.get("id")?,
            name: row.get("name")?,
            subject: row.get("subject")?,
            payload: row.get("payload")?,
            attempts: row.get("attempts")?,
        })
    })
}

/// Deletes a successful task, or reschedules it to `recurs_after` from now if that is not None.
///
/// Has no effect if the task was enqueued again while it ran, because its id has changed then.
fn complete_task(tx: &WriteTx<'_>, task: &Task, recurs_after: Option<Duration>) -> Result<()> {
    match recurs_after {
        None => tx.execute("delete from task where id = ?1", [&task.id])?,
        Some(delay) => tx.execute(
            "update task set attempts = 0, error = null, run_at = ?2 where id = ?1",
            (&task.id, tx.now.saturating_add(delay)),
        )?,
    };
    Ok(())
}

/// Counts and stores a failed attempt. Reschedules the task, or gives it up after `MAX_ATTEMPTS`.
/// A recurring task (`recurs_after` is not None) is never given up.
///
/// Has no effect if the task was enqueued again while it ran, because its id has changed then.
fn record_failure(
    tx: &WriteTx<'_>,
    task: &Task,
    error: &str,
    jitter: u8,
    recurs_after: Option<Duration>,
) -> Result<()> {
    let attempts = task.attempts + 1;
    let dead = attempts >= MAX_ATTEMPTS && recurs_after.is_none();
    tx.execute(
        "update task set attempts = ?2, error = ?3, run_at = ?4, dead = ?5 where id = ?1",
        (
            &task.id,
            attempts,
            error,
            tx.now.saturating_add(compute_retry_delay(attempts, jitter)),
            dead,
        ),
    )?;
    Ok(())
}

/// Returns the delay before the next attempt after `failures` failures: `FIRST_RETRY_DELAY` after
/// the first, three times as long after each further one, at most `MAX_RETRY_DELAY`.
///
/// `jitter` (0 to 255) adds up to a fifth, so that tasks that failed together are not retried
/// together.
fn compute_retry_delay(failures: i64, jitter: u8) -> Duration {
    let exponent = u32::try_from(failures - 1).unwrap_or(0).min(16);
    let factor = 3u32.saturating_pow(exponent);
    let delay = FIRST_RETRY_DELAY.saturating_mul(factor).min(MAX_RETRY_DELAY);
    (delay + delay * u32::from(jitter) / (255 * 5)).min(MAX_RETRY_DELAY)
}

/// Locks a mutex, also after a panic of another thread.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
