//! A write job: the work of one caller, and the channel for its result.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;

use rusqlite::ErrorCode;
use tokio::sync::oneshot::Sender;

use crate::db::origin;
use crate::db::origin::WriteOrigin;
use crate::db::sync_failure::is_sync_failure;
use crate::db::tx::WriteTx;
use crate::error::Error;
use crate::error::Result;

/// Reason why a transaction is not stored. Every job of the transaction gets it as its result.
#[derive(Debug, Clone)]
pub(super) enum TxFailure {
    Busy,
    DiskFull,
    /// A flush failed, so the state of the file is unknown.
    SyncFailed(String),
    /// Another operation on a file failed.
    StorageFailed(String),
    Other(String),
}

impl From<rusqlite::Error> for TxFailure {
    /// Converts a lock held elsewhere to `Busy`, a full disk to `DiskFull`, a failed flush to
    /// `SyncFailed`, other I/O errors to `StorageFailed`, and every other error to `Other`.
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            _ if is_sync_failure(&error) => Self::SyncFailed(error.to_string()),
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
                Self::StorageFailed(error.to_string())
            }
            _ => Self::Other(error.to_string()),
        }
    }
}

impl From<TxFailure> for Error {
    /// Converts to the error that the caller of the write gets. `SyncFailed` becomes
    /// `StorageFailed`, and `Other` becomes `Internal`.
    fn from(failure: TxFailure) -> Self {
        match failure {
            TxFailure::Busy => Self::Busy,
            TxFailure::DiskFull => Self::DiskFull,
            TxFailure::SyncFailed(text) => {
                Self::StorageFailed(format!("writing has stopped after a failed flush: {text}"))
            }
            TxFailure::StorageFailed(text) => Self::StorageFailed(text),
            TxFailure::Other(text) => Self::internal(format!("the write was not stored: {text}")),
        }
    }
}

/// Result of the work of any caller. `Writer::write` knows its type.
pub(super) type AnyResult = Result<Box<dyn Any + Send>>;

/// Work of any caller.
pub(super) type AnyWork = Box<dyn Fn(&WriteTx<'_>) -> AnyResult + Send>;

/// The job of one [`Db::write`](crate::db::Db::write) call.
///
/// It has no type parameter, so that the compiler translates the writer once and not for each of
/// the more than 150 kinds of work.
pub(super) struct Job {
    work: AnyWork,
    result: Option<AnyResult>,
    /// Origin of the writes of the thread that created the job.
    origin: Arc<WriteOrigin>,
    response: Sender<AnyResult>,
    may_use_reserve: bool,
}

impl Job {
    /// Returns a job that sends its result to `response`. It has the origin of the current thread.
    pub(super) fn new(work: AnyWork, response: Sender<AnyResult>, may_use_reserve: bool) -> Self {
        Self { work, result: None, origin: origin::current(), response, may_use_reserve }
    }

    /// Runs the work and stores its result. A panic becomes an `Internal` error. Can run again
    /// after its changes were rolled back. The returned failure is a copy for the writer.
    ///
    /// # Errors
    /// The work failed, so the caller must undo its changes.
    pub(super) fn run(&mut self, tx: &WriteTx<'_>) -> std::result::Result<(), TxFailure> {
        let result = catch_unwind(AssertUnwindSafe(|| (self.work)(tx))).unwrap_or_else(|panic| {
            Err(Error::internal(format!("a write panicked: {}", panic_message(panic.as_ref()))))
        });
        let outcome = match &result {
            Ok(_) => Ok(()),
            Err(Error::DiskFull) => Err(TxFailure::DiskFull),
            Err(Error::StorageFailed(text)) => Err(TxFailure::StorageFailed(text.clone())),
            Err(error) => Err(TxFailure::Other(error.operator_message())),
        };
        self.result = Some(result);
        outcome
    }

    /// Returns the actor and the client that cause the write.
    pub(super) fn origin(&self) -> Arc<WriteOrigin> {
        self.origin.clone()
    }

    /// Returns whether the stored result is an error. False before the first run.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.result, Some(Err(_)))
    }

    /// Returns whether the stored result is `DiskFull`. False before the first run.
    pub(super) fn has_found_full_disk(&self) -> bool {
        matches!(self.result, Some(Err(Error::DiskFull)))
    }

    /// Returns whether the stored result is a failed operation on a file. False before the first run.
    pub(super) fn has_found_failed_storage(&self) -> bool {
        matches!(self.result, Some(Err(Error::StorageFailed(_))))
    }

    /// Replaces a failed operation on a file by `DiskFull` in the stored result.
    pub(super) fn report_full_disk(&mut self) {
        if self.has_found_failed_storage() {
            self.result = Some(Err(Error::DiskFull));
        }
    }

    /// Returns whether the job also runs if little space is free, and may use the reserve.
    pub(super) fn may_use_reserve(&self) -> bool {
        self.may_use_reserve
    }

    /// Sends the stored result to the waiting caller, or the failure in `committed` instead of it.
    pub(super) fn send_result(self, committed: std::result::Result<(), TxFailure>) {
        let result = match (committed, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(Error::internal("a write was committed before it ran")),
            (Err(failure), _) => Err(failure.into()),
        };
        // Sending fails only if the caller no longer waits.
        let _ = self.response.send(result);
    }
}

/// Returns the message of a panic payload, or `no message` if the payload is not a text.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
