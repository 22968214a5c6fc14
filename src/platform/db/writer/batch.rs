//! The jobs of one transaction, of which a failing one undoes only itself.
//!
//! Most that fail have written nothing yet, so nothing is kept for undoing: should one have, the
//! transaction is begun anew without it, and the others run once more, from then on in savepoints of
//! their own. A savepoint for each from the start costs a copy of every page that the job changes, a
//! third of the time of small writes.

use super::Core;
use super::job::Failure;
use super::job::Job;
use crate::db::WriteTx;
use crate::db::tx::Done;
use crate::time::Timestamp;

/// The jobs of one transaction.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) jobs: Vec<Box<dyn Job>>,
    /// Whether each runs in a savepoint of its own, since one has failed after it had written.
    guarded: bool,
    /// Whether one of them asked for a ring of the bell.
    pub(super) rung: bool,
}

impl Core {
    /// Runs the job that a batch has got last. An error here is the whole batch's.
    pub(super) fn last_of(&mut self, batch: &mut Batch) -> std::result::Result<(), Failure> {
        let Some(job) = batch.jobs.last_mut() else { return Ok(()) };
        if batch.guarded {
            batch.rung |= self.guarded(job.as_mut())?;
            return Ok(());
        }
        let (ran, done) = self.run(job.as_mut());
        if self.connection.is_autocommit() {
            return ran;
        }
        match ran {
            Ok(()) => batch.rung |= done.rung.get(),
            Err(_) if done.wrote.get() => self.again(batch)?,
            Err(_) => {}
        }
        Ok(())
    }

    /// Begins the transaction of a batch anew without what the job that came last has written, and
    /// guards the others against each other from now on.
    fn again(&mut self, batch: &mut Batch) -> std::result::Result<(), Failure> {
        batch.guarded = true;
        batch.rung = false;
        self.step("rollback")?;
        self.step("begin immediate")?;
        for job in batch.jobs.iter_mut().filter(|it| !it.failed()) {
            batch.rung |= self.guarded(job.as_mut())?;
        }
        Ok(())
    }

    /// One job in a savepoint of its own; whether the bell is to be rung for it. An error here is the
    /// whole batch's.
    fn guarded(&mut self, job: &mut dyn Job) -> std::result::Result<bool, Failure> {
        self.step("savepoint job")?;
        let (ran, done) = self.run(job);
        if self.connection.is_autocommit() {
            return ran.map(|()| false);
        }
        if ran.is_err() && done.wrote.get() {
            self.step("rollback to job")?;
        }
        self.step("release job")?;
        Ok(ran.is_ok() && done.rung.get())
    }

    /// Runs a job, and tells what it did. An error: it is to be undone, if SQLite has not done that
    /// already.
    pub(super) fn run(&mut self, job: &mut dyn Job) -> (std::result::Result<(), Failure>, Done) {
        self.last = self.last.max(Timestamp::now());
        let done = Done::default();
        let mut ran = job.run(&WriteTx::new(&self.connection, self.last, &done));
        if self.connection.is_autocommit() {
            // A full disk and some I/O errors make SQLite give the whole transaction up.
            ran = ran.and(Err(Failure::Other("the transaction was rolled back".to_owned())));
        }
        (ran, done)
    }
}
