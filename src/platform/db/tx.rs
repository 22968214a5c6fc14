//! Transactions as values: `Tx` reads, `WriteTx` also writes, both carry the time.

use std::cell::Cell;
use std::ops::Deref;

use rusqlite::CachedStatement;
use rusqlite::Connection;
use rusqlite::OptionalExtension;
use rusqlite::Params;
use rusqlite::Row;

use crate::error::Result;
use crate::time::Timestamp;

/// A read transaction: one snapshot of the database, and the time at which it began.
pub struct Tx<'a> {
    connection: &'a Connection,
    /// When the transaction began. Rows written by it agree on this time.
    pub now: Timestamp,
    /// Number of the state of the database that it reads, for what is remembered of one. None where
    /// what is read may still change or be undone: in a write transaction.
    pub state: Option<u64>,
}

impl<'a> Tx<'a> {
    /// Wraps a connection on which a transaction has begun.
    pub(crate) fn new(connection: &'a Connection, now: Timestamp) -> Self {
        Self { connection, now, state: None }
    }

    /// The same, with the number of the state that it reads.
    pub(super) fn of_state(connection: &'a Connection, now: Timestamp, number: u64) -> Self {
        Self { connection, now, state: Some(number) }
    }

    /// A statement, prepared once per connection.
    pub fn prepare_cached(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(self.connection.prepare_cached(sql)?)
    }

    /// The first row that `sql` finds, if any.
    pub fn find<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.prepare_cached(sql)?.query_row(params, read).optional()?)
    }

    /// The one row that `sql` must find, such as a count; none is an internal error.
    pub fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        Ok(self.prepare_cached(sql)?.query_row(params, read)?)
    }

    /// All rows that `sql` finds.
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

/// A write transaction. Every change goes through [`WriteTx::execute`] as SQL text and parameters,
/// with ids and times made outside SQL, so that another node could replay it.
pub struct WriteTx<'a> {
    tx: Tx<'a>,
    done: &'a Done,
}

/// What a piece of work in a write transaction has done so far.
#[derive(Default)]
pub(super) struct Done {
    /// Asked for a ring of the bell.
    pub(super) rung: Cell<bool>,
    /// Changed rows, or tried to.
    pub(super) wrote: Cell<bool>,
}

impl<'a> WriteTx<'a> {
    pub(super) fn new(connection: &'a Connection, now: Timestamp, done: &'a Done) -> Self {
        Self { tx: Tx::new(connection, now), done }
    }

    /// Rings the database's [`Bell`](super::Bell) once this transaction is durable.
    pub fn ring(&self) {
        self.done.rung.set(true);
    }

    /// Changes rows; returns how many.
    ///
    /// # Errors
    /// A broken constraint comes back as [`rusqlite::Error`] within; translate it where it happens
    /// with [`on_unique`](super::on_unique).
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.done.wrote.set(true);
        Ok(self.tx.connection.prepare_cached(sql)?.execute(params)?)
    }
}

impl<'a> Deref for WriteTx<'a> {
    type Target = Tx<'a>;

    fn deref(&self) -> &Tx<'a> {
        &self.tx
    }
}
