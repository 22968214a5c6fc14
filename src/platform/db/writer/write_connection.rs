//! The writing connection: runs statements and jobs, and recovers from a failed transaction.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Connection;

use super::job::Job;
use super::job::TxFailure;
use crate::db::connection;
use crate::db::options::DbOptions;
use crate::db::restore_epoch;
use crate::db::tx::JobEffects;
use crate::db::tx::Tx;
use crate::db::tx::WriteTx;
use crate::error::Result;
use crate::time::Timestamp;

/// The one connection that writes.
pub(super) struct WriteConnection {
    pub(super) connection: Connection,
    path: PathBuf,
    options: DbOptions,
    restore_epoch: Arc<str>,
    /// Time of the last job. The time of the next job is not earlier, even if the system clock is
    /// set back, because the order of rows depends on their times.
    last_time: Timestamp,
    /// Message of the first failed flush. After it, the connection must not write.
    pub(super) sync_failure: Option<String>,
}

impl WriteConnection {
    /// Opens the database file at `path` for writing.
    pub(super) fn open(path: &Path, options: DbOptions) -> Result<Self> {
        let connection = connection::open_writer(path, options)?;
        let restore_epoch = restore_epoch::read(&connection)?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            options,
            restore_epoch,
            last_time: Timestamp(0),
            sync_failure: None,
        })
    }

    /// Returns whether a transaction is open.
    pub(super) fn is_in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    /// Executes a statement without parameters, such as `begin immediate`. Stores a failed flush in
    /// `sync_failure`.
    pub(super) fn execute(&mut self, sql: &str) -> std::result::Result<(), TxFailure> {
        let executed =
            self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
        let executed = executed.map(drop).map_err(TxFailure::from);
        if let Err(TxFailure::SyncFailed(message)) = &executed {
            self.sync_failure.get_or_insert_with(|| message.clone());
        }
        executed
    }

    /// Runs a job in the open transaction and returns its result and its effects. Neither commits
    /// nor rolls back.
    ///
    /// The time of the transaction is never earlier than that of the job before. If the result is
    /// an error, the caller must undo the changes of the job, unless SQLite has already rolled back
    /// the transaction.
    pub(super) fn run_job(
        &mut self,
        job: &mut Job,
    ) -> (std::result::Result<(), TxFailure>, JobEffects) {
        self.last_time = self.last_time.max(Timestamp::now());
        let effects = JobEffects::default();
        let tx = Tx::new(&self.connection, self.last_time, &self.restore_epoch);
        let origin = job.origin();
        let mut result = job.run(&WriteTx::new(tx, &origin, self.options.quota, &effects));
        if effects.has_sync_failed.get() {
            let message = "a statement could not flush the write-ahead log".to_owned();
            self.sync_failure.get_or_insert_with(|| message.clone());
            result = Err(TxFailure::SyncFailed(message));
        }
        if !self.is_in_transaction() {
            // SQLite rolls back the whole transaction on a full disk and on some I/O errors.
            let failure = TxFailure::Other("SQLite rolled back the transaction".to_owned());
            result = result.and(Err(failure));
        }
        (result, effects)
    }

    /// Rolls back the open transaction. Opens a new connection if the rollback fails, and logs if
    /// that fails too. Does nothing if no transaction is open.
    pub(super) fn recover(&mut self) {
        if !self.is_in_transaction() || self.execute("rollback").is_ok() {
            return;
        }
        match connection::open_writer(&self.path, self.options) {
            Ok(connection) => self.connection = connection,
            Err(error) => tracing::error!(%error, "the database cannot be opened again"),
        }
    }
}
