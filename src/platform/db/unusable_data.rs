//! The error for data that an operator must repair.

use std::fmt;

use crate::error::Error;

/// The reason why the program cannot use its data: from a newer version, damaged, or of another
/// program. It is the cause of an [`Error::Internal`]; see [`unusable_data_message`].
#[derive(Debug)]
pub struct UnusableData(pub String);

impl fmt::Display for UnusableData {
    /// Writes the reason without additions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnusableData {}

impl UnusableData {
    /// Returns an `Error::Internal` with an `UnusableData` of this message as its cause.
    pub(super) fn error(message: impl Into<String>) -> Error {
        Error::Internal(Box::new(Self(message.into())))
    }
}

/// Returns the message for the operator if the cause of `error` is `UnusableData`, and None for
/// every other error. Commands end with exit code 4 if there is a message.
pub fn unusable_data_message(error: &Error) -> Option<&str> {
    match error {
        Error::Internal(cause) => cause.downcast_ref::<UnusableData>().map(|data| data.0.as_str()),
        _ => None,
    }
}
