//! A write that waits for its transaction, and what it is told.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use rusqlite::ErrorCode;
use tokio::sync::oneshot::Sender;

use crate::db::WriteTx;
use crate::error::Error;
use crate::error::Result;

/// Why a whole batch is not stored; answered to every job of it.
#[derive(Debug, Clone)]
pub(super) enum Failure {
    Busy,
    DiskFull,
    Other(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            _ => Self::Other(error.to_string()),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Busy => Self::Busy,
            Failure::DiskFull => Self::DiskFull,
            Failure::Other(text) => Self::internal(format!("nothing was stored: {text}")),
        }
    }
}

/// What a waiting write is to the thread.
pub(super) trait Job: Send {
    /// Does the work, perhaps anew after it was undone. An error: it is to be undone.
    fn run(&mut self, tx: &WriteTx<'_>) -> std::result::Result<(), Failure>;
    /// Whether it ended with an error when it ran last.
    fn failed(&self) -> bool;
    /// Tells the caller how it ended.
    fn answer(self: Box<Self>, committed: std::result::Result<(), Failure>);
}

pub(super) struct Write<T, F> {
    work: F,
    result: Option<Result<T>>,
    response: Sender<Result<T>>,
}

impl<T, F> Write<T, F> {
    /// A write that is answered through `reply`.
    pub(super) fn new(work: F, response: Sender<Result<T>>) -> Self {
        Self { work, result: None, response }
    }
}

impl<T: Send, F: Fn(&WriteTx<'_>) -> Result<T> + Send> Job for Write<T, F> {
    fn run(&mut self, tx: &WriteTx<'_>) -> std::result::Result<(), Failure> {
        let result = catch_unwind(AssertUnwindSafe(|| (self.work)(tx))).unwrap_or_else(|panic| {
            Err(Error::internal(format!("a write panicked: {}", text(panic.as_ref()))))
        });
        let ran = match &result {
            Ok(_) => Ok(()),
            Err(Error::DiskFull) => Err(Failure::DiskFull),
            Err(error) => Err(Failure::Other(error.full())),
        };
        self.result = Some(result);
        ran
    }

    fn failed(&self) -> bool {
        matches!(self.result, Some(Err(_)))
    }

    fn answer(self: Box<Self>, committed: std::result::Result<(), Failure>) {
        let result = match (committed, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(Error::internal("a write was answered before it ran")),
            (Err(failure), _) => Err(failure.into()),
        };
        // A caller that is gone needs no answer.
        let _ = self.response.send(result);
    }
}

/// What a panic said.
pub(crate) fn text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text")
}
