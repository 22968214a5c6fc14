//! Reasons why a provider did not do what was asked.

use chartroom_platform::remote::RemoteFailure;

/// Result of a request to a provider.
pub type CloudResult<T> = Result<T, CloudError>;

/// The reason why a request to a provider failed. It never contains a part of a response but the error
/// code of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CloudError {
    /// The access token or the refresh token is not valid any more.
    Unauthorized,
    /// The connection lacks a permission.
    MissingScope,
    /// There is no such file or folder, or the account may not see it.
    NotFound,
    /// The file has changed since the given revision.
    RevisionConflict,
    /// The folder has an entry with this name.
    NameConflict,
    /// The cursor is too old, so that the folder must be listed from its beginning.
    CursorExpired,
    /// The account may not do this.
    Forbidden,
    /// The shared link has a password, and the request none or another one.
    WrongLinkPassword,
    /// The storage of the account is full.
    Full,
    /// Another program has locked the file.
    Locked,
    /// The provider accepts no more requests at present.
    Busy {
        /// Seconds for which the provider wants no request.
        retry_after: Option<u64>,
    },
    /// The file is larger than the limit.
    TooLarge,
    /// The object has the wrong type, such as a folder in place of a file. Complete message.
    WrongType(&'static str),
    /// The provider refused the request.
    Rejected {
        /// HTTP status.
        status: u16,
        /// Error code of the provider, or an empty text. At most 100 characters, without line breaks.
        code: String,
    },
    /// The response has not the form that the provider documents, or is incomplete.
    Unreadable,
    /// No complete response before the deadline.
    Timeout,
    /// The provider cannot be reached. Complete message.
    Unreachable(String),
}

/// The error for a file where a folder is needed.
pub(crate) const NOT_A_FOLDER: CloudError = CloudError::WrongType("this is a file, not a folder");
/// The error for a folder where a file is needed.
pub(crate) const NOT_A_FILE: CloudError = CloudError::WrongType("this is a folder, not a file");

impl CloudError {
    /// Returns the error for a status and an error code of the provider that mean nothing more specific.
    /// Keeps only letters, digits and `_-./` of the code.
    pub(crate) fn rejected(status: u16, code: &str) -> Self {
        let is_kept =
            |character: &char| character.is_ascii_alphanumeric() || "_-./".contains(*character);
        Self::Rejected { status, code: code.chars().filter(is_kept).take(100).collect() }
    }

    /// Returns whether another attempt fails in the same way, as long as nothing changes at the provider.
    pub fn is_lasting(&self) -> bool {
        match self {
            // 409 and 423 end with the work of another program, 420 limits requests, and 421 and 499
            // are about one connection. 401 and 403 are those of a download URL, which is another one
            // in the next attempt.
            Self::Rejected { status, .. } => {
                matches!(status, 300..500)
                    && !matches!(status, 401 | 403 | 408 | 409 | 420 | 421 | 423 | 425 | 429 | 499)
            }
            Self::Unauthorized
            | Self::MissingScope
            | Self::NotFound
            | Self::Forbidden
            | Self::WrongLinkPassword
            | Self::TooLarge
            | Self::WrongType(_) => true,
            _ => false,
        }
    }
}

impl From<RemoteFailure> for CloudError {
    fn from(failure: RemoteFailure) -> Self {
        match failure {
            RemoteFailure::Timeout => Self::Timeout,
            RemoteFailure::TooLarge { .. } => Self::TooLarge,
            RemoteFailure::AddressRefused(message)
            | RemoteFailure::InvalidUrl(message)
            | RemoteFailure::Failed(message) => Self::Unreachable(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_about_the_moment_are_not_lasting() {
        let is_lasting = |status: u16| CloudError::rejected(status, "").is_lasting();
        for status in [401, 408, 409, 420, 421, 423, 425, 429, 499, 500] {
            assert!(!is_lasting(status), "{status}");
        }
        for status in [302, 400, 405, 418, 422, 451] {
            assert!(is_lasting(status), "{status}");
        }
    }
}
