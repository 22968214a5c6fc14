//! Failures of requests to remote servers.

use std::fmt;

use crate::error::Error;

/// The reason why a request got no usable response. It never contains a part of a response body, a
/// header or the path of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteFailure {
    /// No complete response before the deadline.
    Timeout,
    /// The address or the port of the server may not be reached. Complete message.
    AddressRefused(String),
    /// The response body is larger than the limit.
    TooLarge {
        /// Limit in bytes.
        max_bytes: u64,
    },
    /// The URL or the target of a redirect is invalid. Complete message.
    InvalidUrl(String),
    /// Any other failure, such as a failed lookup, connection or certificate check. Complete message.
    Failed(String),
}

impl fmt::Display for RemoteFailure {
    /// Writes a message for the user that entered the URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => Error::RemoteTimeout.fmt(f),
            Self::TooLarge { max_bytes } => {
                write!(f, "the remote response is larger than {max_bytes} bytes")
            }
            Self::AddressRefused(text) | Self::InvalidUrl(text) | Self::Failed(text) => {
                f.write_str(text)
            }
        }
    }
}

impl std::error::Error for RemoteFailure {}

impl From<RemoteFailure> for Error {
    /// Converts a timeout to `RemoteTimeout`, and any other failure to `RemoteRefused`.
    fn from(failure: RemoteFailure) -> Self {
        match failure {
            RemoteFailure::Timeout => Self::RemoteTimeout,
            failure => Self::RemoteRefused(failure.to_string()),
        }
    }
}
