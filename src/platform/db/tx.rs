//! Read and write transactions. Both carry the time at which they began.

use std::cell::Cell;
use std::ops::Deref;

use rusqlite::CachedStatement;
use rusqlite::Connection;
use rusqlite::OptionalExtension;
use rusqlite::Params;
use rusqlite::Row;

use crate::db::options::StorageQuota;
use crate::db::origin::WriteOrigin;
use crate::db::sync_failure::is_sync_failure;
use crate::error::Result;
use crate::time::Timestamp;

/// A read transaction: one snapshot of the database.
pub struct Tx<'a> {
    connection: &'a Connection,
    /// Time at which the transaction began. All rows that it writes use this time.
    pub now: Timestamp,
    /// Number of the snapshot, which [`Tx::memoize`] uses as a cache key. Snapshots with the same
    /// number contain the same finished commits of this process. None in a write transaction,
    /// because its content can still change or be rolled back.
    pub snapshot_number: Option<u64>,
    /// Text that every restore of an older state changes, see [`Db::restore_epoch`].
    ///
    /// [`Db::restore_epoch`]: super::Db::restore_epoch
    pub restore_epoch: &'a str,
}

impl<'a> Tx<'a> {
    /// Wraps a connection that has begun a transaction, without a snapshot number.
    pub(crate) fn new(connection: &'a Connection, now: Timestamp, restore_epoch: &'a str) -> Self {
        Self { connection, now, snapshot_number: None, restore_epoch }
    }

    /// Returns the prepared statement for `sql` from the cache of the connection.
    pub fn prepare_cached(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(self.connection.prepare_cached(sql)?)
    }

    /// Returns the first row of a query, converted by `read`, or None if it has no rows. Ignores
    /// further rows.
    pub fn find<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.prepare_cached(sql)?.query_row(params, read).optional()?)
    }

    /// Returns the first row of a query that always has one, such as a count, converted by `read`.
    /// Ignores further rows.
    ///
    /// # Errors
    /// `Internal` if the query has no rows.
    pub fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        Ok(self.prepare_cached(sql)?.query_row(params, read)?)
    }

    /// Returns all rows of a query, each converted by `read`.
    pub fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.prepare_cached(sql)?;
        let rows = statement.query_map(params, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// A write transaction.
///
/// Every change is an SQL statement with parameters, see [`WriteTx::execute`]. The program
/// generates ids and times, not SQL, so that another node could replay the statements.
pub struct WriteTx<'a> {
    tx: Tx<'a>,
    effects: &'a JobEffects,
    /// Actor and client that cause the write.
    pub origin: &'a WriteOrigin,
    /// Limits of the content that accounts may store.
    pub quota: StorageQuota,
}

/// Effects of one write job on its transaction so far.
#[derive(Default)]
pub(super) struct JobEffects {
    /// Whether the job called [`WriteTx::notify_after_commit`].
    pub(super) requested_signal: Cell<bool>,
    /// Whether the job executed a statement that may have changed rows.
    pub(super) has_written: Cell<bool>,
    /// Whether a flush of a file failed in a statement of the job.
    pub(super) has_sync_failed: Cell<bool>,
}

impl<'a> WriteTx<'a> {
    /// Wraps a write transaction of `origin`. The effects are recorded in `effects`.
    pub(super) fn new(
        tx: Tx<'a>,
        origin: &'a WriteOrigin,
        quota: StorageQuota,
        effects: &'a JobEffects,
    ) -> Self {
        Self { tx, effects, origin, quota }
    }

    /// Returns the same transaction without storage limits, for changes that only pass content from
    /// one account to another and must not fail because the new owner has too much.
    pub fn without_quota(&self) -> WriteTx<'_> {
        WriteTx { quota: StorageQuota::default(), ..self.with_origin(self.origin) }
    }

    /// Returns the same transaction with another origin, for a change in the name of an account that
    /// the transaction has created.
    pub fn with_origin<'b>(&'b self, origin: &'b WriteOrigin) -> WriteTx<'b> {
        let tx = Tx {
            connection: self.tx.connection,
            now: self.tx.now,
            snapshot_number: self.tx.snapshot_number,
            restore_epoch: self.tx.restore_epoch,
        };
        WriteTx { tx, effects: self.effects, origin, quota: self.quota }
    }

    /// Runs `work`, undoes its changes of the database, and returns its result: the answer to what a
    /// change would do.
    ///
    /// # Errors
    /// The errors of `work` and of the database.
    pub fn try_out<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let requested_signal = self.effects.requested_signal.get();
        self.execute("savepoint try_out", [])?;
        let result = work();
        self.effects.requested_signal.set(requested_signal);
        // An error such as a full disk can end the whole transaction, and the savepoint with it.
        if result.is_err() && self.tx.connection.is_autocommit() {
            return result;
        }
        self.execute("rollback to try_out", [])?;
        self.execute("release try_out", [])?;
        result
    }

    /// Requests a notification of [`Db::requested_signal`](super::Db::requested_signal) after the
    /// commit of this transaction. It is dropped if the job fails and its changes are undone.
    pub fn notify_after_commit(&self) {
        self.effects.requested_signal.set(true);
    }

    /// Executes a statement that changes rows and returns the number of changed rows, without those
    /// changed by a cascade. Marks the job as having written, even if the statement fails.
    ///
    /// # Errors
    /// `DiskFull` if the disk is full. A violated constraint is an `Internal` with the
    /// [`rusqlite::Error`]. Translate it where it occurs with
    /// [`map_unique_violation`](super::map_unique_violation).
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.effects.has_written.set(true);
        let changed = self.tx.connection.prepare_cached(sql)?.execute(params);
        if let Err(error) = &changed
            && is_sync_failure(error)
        {
            self.effects.has_sync_failed.set(true);
        }
        Ok(changed?)
    }
}

impl<'a> Deref for WriteTx<'a> {
    type Target = Tx<'a>;

    /// Returns the inner transaction for reading, with its time and its other fields.
    fn deref(&self) -> &Tx<'a> {
        &self.tx
    }
}
