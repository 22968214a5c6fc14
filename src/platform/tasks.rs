//! The task queue: rows written with their cause, run after its commit, and again after a crash.
//!
//! A task is at-least-once: its handler may run again after a crash or an error, so it must not
//! matter how often it ran. While a task waits, a second one of the same name and subject joins it.
//! A task that recurs is a row that is put off instead of deleted, so it survives a crash as well.

mod given_up;

pub use given_up::Failed;
pub use given_up::discard;
pub use given_up::failed;
pub use given_up::retry;

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

use crate::crypto;
use crate::db::Db;
use crate::db::Tx;
use crate::db::WriteTx;
use crate::db::panic_text;
use crate::error::Error;
use crate::error::Result;
use crate::threads;
use crate::time::Timestamp;

/// Tasks that run at once: enough to keep going while one waits, too few to take all cores.
const AT_ONCE: usize = 2;

/// Steps by which they give way to requests: about a tenth of a busy core is left to each.
const STEPS: i32 = 10;

/// How often to look for due tasks without being woken: also finds those of other processes.
const BEAT: Duration = Duration::from_secs(1);

/// Attempts before a task is given up, about an hour and three quarters after the first.
const ATTEMPTS: i64 = 8;

/// Pause after the first failure; each further one is three times as long.
const FIRST_PAUSE: Duration = Duration::from_secs(5);

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// One piece of queued work, as its handler gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Changes when it is enqueued again.
    id: String,
    /// Which handler runs it, such as `documents.thumbnail`.
    pub name: String,
    /// What it is about, such as a document's id.
    pub subject: String,
    /// JSON, as it was enqueued last.
    pub payload: String,
    /// Failed attempts so far.
    pub attempts: i64,
}

/// Runs a task, outside any transaction. An error means: again later.
///
/// `A` is the state of the application.
pub type Handler<A> = fn(&A, &Task) -> Result<()>;

/// Has `name` run for `subject` after this transaction, or at `run_at` if that is later.
///
/// A task of that name and subject that waits already takes over `payload` (JSON) and starts
/// counting its attempts anew; it runs at the earlier of the two times. One that is running just
/// now runs once more.
pub fn enqueue(
    tx: &WriteTx<'_>,
    name: &str,
    subject: &str,
    payload: &str,
    run_at: Timestamp,
) -> Result<()> {
    // The new id tells a runner, which is at work on the row, that it must not delete it.
    tx.execute(
        "insert into task (id, name, payload, subject, run_at, created)
         values (?1, ?2, ?3, ?4, ?5, ?6)
         on conflict (name, subject) where dead = 0 do update set
             id = excluded.id, payload = excluded.payload, attempts = 0, error = null,
             run_at = min(run_at, excluded.run_at)",
        (uuid::Uuid::now_v7().to_string(), name, payload, subject, run_at, tx.now),
    )?;
    tx.ring();
    Ok(())
}

/// How many tasks wait, and how many were given up.
pub fn counts(tx: &Tx<'_>) -> Result<(i64, i64)> {
    tx.one("select count(*) - ifnull(sum(dead), 0), ifnull(sum(dead), 0) from task", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Whether a task of this name and subject waits or runs.
pub fn is_waiting(tx: &Tx<'_>, name: &str, subject: &str) -> Result<bool> {
    tx.one(
        "select exists (select 1 from task where name = ?1 and subject = ?2 and dead = 0)",
        (name, subject),
        |row| row.get(0),
    )
}

/// The threads that run tasks.
pub struct Runner {
    db: Db,
    stopped: Arc<AtomicBool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared<A> {
    app: Arc<A>,
    db: Db,
    handlers: HashMap<&'static str, Handler<A>>,
    /// The tasks that recur, and how often.
    recurring: HashMap<&'static str, Duration>,
    /// Name and subject of what runs just now. There is one server per data directory, so the
    /// claim need not be stored: after a crash the rows are simply still there.
    running: Mutex<HashSet<(String, String)>>,
    stopped: Arc<AtomicBool>,
}

impl Runner {
    /// Starts the threads. `handlers` are all the tasks' names and what runs them; those that are
    /// in `recurring` run now and then again and again, this long after they ended.
    pub fn start<A: Send + Sync + 'static>(
        app: Arc<A>,
        db: Db,
        handlers: &[(&'static str, Handler<A>)],
        recurring: &[(&'static str, Duration)],
    ) -> Result<Self> {
        let names: Vec<&str> = recurring.iter().map(|(name, _)| *name).collect();
        db.write(move |tx| names.iter().try_for_each(|name| enqueue(tx, name, "", "{}", tx.now)))?;
        let stopped = Arc::new(AtomicBool::new(false));
        let shared = Arc::new(Shared {
            app,
            db: db.clone(),
            handlers: handlers.iter().copied().collect(),
            recurring: recurring.iter().copied().collect(),
            running: Mutex::new(HashSet::new()),
            stopped: stopped.clone(),
        });
        let mut threads = Vec::new();
        for number in 0..AT_ONCE {
            let shared = shared.clone();
            let thread = thread::Builder::new().name(format!("tasks-{number}"));
            let work = move || {
                threads::give_way(STEPS);
                shared.run();
            };
            threads.push(thread.spawn(work)?);
        }
        Ok(Self { db, stopped, threads: Mutex::new(threads) })
    }

    /// Ends after the tasks that are running. What waits stays in the database.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.db.bell().ring();
        let threads = std::mem::take(&mut *lock(&self.threads));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a task thread panicked");
            }
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<A> Shared<A> {
    fn run(&self) {
        let bell = self.db.bell();
        while !self.stopped.load(Ordering::SeqCst) {
            // Counted before looking, so that a ring after the look ends the wait at once.
            let heard = bell.rings();
            match self.claim() {
                Ok(Some(task)) => {
                    self.run_one(&task);
                    lock(&self.running).remove(&(task.name, task.subject));
                }
                Ok(None) => {
                    bell.wait(heard, BEAT);
                }
                Err(error) => {
                    tracing::error!(error = %error.full(), "the task queue cannot be read");
                    bell.wait(heard, BEAT);
                }
            }
        }
    }

    /// The most overdue task that does not run yet.
    fn claim(&self) -> Result<Option<Task>> {
        let mut running = lock(&self.running);
        // One more than can run: of those, one is free if any is.
        let limit = i64::try_from(AT_ONCE).unwrap_or(i64::MAX);
        let due = self.db.read(|tx| due(tx, limit))?;
        let free =
            due.into_iter().find(|task| running.insert((task.name.clone(), task.subject.clone())));
        Ok(free)
    }

    fn run_one(&self, task: &Task) {
        let result = match self.handlers.get(task.name.as_str()) {
            None => Err(Error::internal("this program has no such task")),
            Some(handler) => catch_unwind(AssertUnwindSafe(|| handler(&self.app, task)))
                .unwrap_or_else(|panic| {
                    Err(Error::internal(format!("panicked: {}", panic_text(panic.as_ref()))))
                }),
        };
        let again = self.recurring.get(task.name.as_str()).copied();
        let ended = match result {
            Ok(()) => {
                let task = task.clone();
                self.db.write(move |tx| done(tx, &task, again))
            }
            Err(error) => {
                let (task, error) = (task.clone(), error.full());
                tracing::warn!(name = task.name, subject = task.subject, error, "a task failed");
                let jitter = crypto::random::<1>().map_or(0, |[byte]| byte);
                self.db.write(move |tx| put_off(tx, &task, &error, jitter, again))
            }
        };
        if let Err(error) = ended {
            // The row is as it was: the task runs again.
            tracing::error!(error = %error.full(), name = task.name, "a task's end is not stored");
            thread::sleep(BEAT);
        }
    }
}

fn due(tx: &Tx<'_>, limit: i64) -> Result<Vec<Task>> {
    tx.all(
        "select id, name, subject, payload, attempts from task
         where dead = 0 and run_at <= ?1 order by run_at limit ?2",
        (tx.now, limit),
        |row| {
            Ok(Task {
                id: row.get(0)?,
                name: row.get(1)?,
                subject: row.get(2)?,
                payload: row.get(3)?,
                attempts: row.get(4)?,
            })
        },
    )
}

/// Removes the task, or puts it off when it recurs; not if it was enqueued again meanwhile.
fn done(tx: &WriteTx<'_>, task: &Task, again: Option<Duration>) -> Result<()> {
    match again {
        None => tx.execute("delete from task where id = ?1", [&task.id])?,
        Some(pause) => tx.execute(
            "update task set attempts = 0, error = null, run_at = ?2 where id = ?1",
            (&task.id, tx.now.after(pause)),
        )?,
    };
    Ok(())
}

/// Puts the task off, or gives it up; not if it was enqueued again meanwhile. One that recurs is
/// never given up.
fn put_off(
    tx: &WriteTx<'_>,
    task: &Task,
    error: &str,
    jitter: u8,
    again: Option<Duration>,
) -> Result<()> {
    let attempts = task.attempts + 1;
    let dead = attempts >= ATTEMPTS && again.is_none();
    tx.execute(
        "update task set attempts = ?2, error = ?3, run_at = ?4, dead = ?5 where id = ?1",
        (&task.id, attempts, error, tx.now.after(pause(attempts, jitter)), dead),
    )?;
    Ok(())
}

/// How long to wait after so many failures. `jitter` adds up to a fifth, so that tasks that failed
/// together do not come back together.
fn pause(failures: i64, jitter: u8) -> Duration {
    let exponent = u32::try_from(failures - 1).unwrap_or(0).min(16);
    let pause = FIRST_PAUSE.saturating_mul(3u32.saturating_pow(exponent)).min(LONGEST_PAUSE);
    (pause + pause * u32::from(jitter) / (255 * 5)).min(LONGEST_PAUSE)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
