//! The SQLite file: many readers, one writer with group commit, upgrades, backups.

pub mod tx;

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use rusqlite::Connection;

pub use tx::Tx;
pub use tx::WriteTx;

use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::time::Timestamp;

/// The database of one data directory. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    // PLACEHOLDER until the storage engine is merged; the API below stays.
    connection: Arc<Mutex<Connection>>,
}

impl Db {
    /// Opens (or makes) the database file in `dir`.
    pub fn open(dir: &Path) -> Result<Self> {
        let connection = Connection::open(dir.join("chartroom.db"))?;
        connection.execute_batch("pragma journal_mode=wal; pragma foreign_keys=on;")?;
        let version: i64 = connection.query_row("pragma user_version", [], |row| row.get(0))?;
        if version == 0 {
            connection.execute_batch(include_str!("../../../schema.sql"))?;
            connection.execute_batch("pragma user_version = 1")?;
        }
        Ok(Self { connection: Arc::new(Mutex::new(connection)) })
    }

    /// Runs `work` in a read transaction: one snapshot, no waiting for writers.
    pub fn read<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let connection = self.connection.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        work(&Tx::new(&connection, Timestamp::now()))
    }

    /// Runs `work` in a write transaction and answers after it is durable.
    /// An error (or a panic) from `work` undoes all that it wrote.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let connection = self.connection.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        connection.execute_batch("begin immediate")?;
        let result = work(&WriteTx::new(&connection, Timestamp::now()));
        connection.execute_batch(if result.is_ok() { "commit" } else { "rollback" })?;
        result
    }
}

/// Turns a broken unique or primary-key constraint into the caller's error; other errors pass.
pub fn on_unique<T>(result: Result<T>, error: impl FnOnce() -> Error) -> Result<T> {
    match result {
        Err(Error::Internal(cause)) => {
            let code = cause.downcast_ref::<rusqlite::Error>().and_then(|it| match it {
                rusqlite::Error::SqliteFailure(failure, _) => Some(failure.extended_code),
                _ => None,
            });
            match code {
                Some(
                    rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
                    | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
                ) => Err(error()),
                _ => Err(Error::Internal(cause)),
            }
        }
        other => other,
    }
}
