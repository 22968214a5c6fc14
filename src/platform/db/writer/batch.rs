//! The jobs of one transaction. A failing job undoes only its own changes.
//!
//! Most failing jobs fail before they write, so jobs run without savepoints at first. If a job
//! fails after a write, the transaction is rolled back and started again without this job. The
//! other jobs run a second time, each in its own savepoint from then on. A savepoint for every job
//! from the start would copy every page that the job changes, which costs a third of the time of
//! small writes.

use super::job::Job;
use super::job::TxFailure;
use super::write_connection::WriteConnection;

/// The jobs of one transaction.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) jobs: Vec<Job>,
    /// Whether each job runs in its own savepoint, because a job has failed after a write.
    uses_savepoints: bool,
    /// Whether a successful job has requested a notification after the commit.
    pub(super) requested_signal: bool,
}

impl Batch {
    /// Adds a job without running it.
    pub(super) fn push(&mut self, job: Job) {
        self.jobs.push(job);
    }

    /// Runs the job that was added last. If it fails after a write, rolls back the transaction and
    /// runs all jobs that have not failed a second time, each in a savepoint. Later jobs of the
    /// batch then also get savepoints.
    ///
    /// # Errors
    /// Returns an error if the whole transaction failed. The error of the job itself stays in the
    /// job.
    pub(super) fn run_last_job(
        &mut self,
        connection: &mut WriteConnection,
    ) -> std::result::Result<(), TxFailure> {
        let Some(job) = self.jobs.last_mut() else { return Ok(()) };
        if self.uses_savepoints {
            self.requested_signal |= run_in_savepoint(connection, job)?;
            return Ok(());
        }
        let (result, effects) = connection.run_job(job);
        if !connection.is_in_transaction() {
            return result;
        }
        match result {
            Ok(()) => self.requested_signal |= effects.requested_signal.get(),
            Err(_) if effects.has_written.get() => self.restart_with_savepoints(connection)?,
            Err(_) => {}
        }
        Ok(())
    }

    /// Rolls back the transaction, begins a new one and runs in it all jobs that have not failed,
    /// each in a savepoint.
    ///
    /// # Errors
    /// Returns an error if the whole transaction failed. The error of a job itself stays in the
    /// job.
    fn restart_with_savepoints(
        &mut self,
        connection: &mut WriteConnection,
    ) -> std::result::Result<(), TxFailure> {
        self.uses_savepoints = true;
        self.requested_signal = false;
        connection.execute("rollback")?;
        connection.execute("begin immediate")?;
        for job in self.jobs.iter_mut().filter(|job| !job.has_failed()) {
            self.requested_signal |= run_in_savepoint(connection, job)?;
        }
        Ok(())
    }
}

/// Runs a job in its own savepoint and undoes its changes if it fails. Returns whether it succeeded
/// and requested a notification.
///
/// # Errors
/// Returns an error if the whole transaction failed. The error of the job itself stays in the job.
fn run_in_savepoint(
    connection: &mut WriteConnection,
    job: &mut Job,
) -> std::result::Result<bool, TxFailure> {
    connection.execute("savepoint job")?;
    let (result, effects) = connection.run_job(job);
    if !connection.is_in_transaction() {
        return result.map(|()| false);
    }
    if result.is_err() && effects.has_written.get() {
        connection.execute("rollback to job")?;
    }
    connection.execute("release job")?;
    Ok(result.is_ok() && effects.requested_signal.get())
}
