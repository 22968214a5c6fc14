//! Reasons why work with a connection failed.

use chartroom_cloud::CloudError;
use chartroom_cloud::Provider;
use chartroom_platform::error::CloudProblem;
use chartroom_platform::error::CloudProblemKind;
use chartroom_platform::error::Error;

/// Result of work with a connection.
pub type CloudOutcome<T> = Result<T, CloudFailure>;

/// The reason why work with a connection failed.
#[derive(Debug)]
pub enum CloudFailure {
    /// This server has no client id for the provider any more.
    NotConfigured,
    /// The user must permit the access again.
    ReconnectRequired,
    /// The provider refused or failed.
    Provider(CloudError),
    /// This server failed.
    Server(Error),
}

impl From<Error> for CloudFailure {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

impl From<CloudError> for CloudFailure {
    fn from(error: CloudError) -> Self {
        Self::Provider(error)
    }
}

impl CloudFailure {
    /// Returns the error of the API for work with a provider. `object` is the kind of object of a 404.
    pub fn into_error(self, provider: Provider, object: &'static str) -> Error {
        let title = provider.title();
        match self {
            Self::Server(error) => error,
            Self::NotConfigured => {
                Error::Conflict(format!("this server has no access to {title} any more"))
            }
            Self::ReconnectRequired => reconnect_required(title),
            Self::Provider(error) => convert(error, title, object),
        }
    }
}

/// Returns the error for a connection that the user must renew.
fn reconnect_required(title: &str) -> Error {
    let message = format!("the connection to {title} has ended; connect again");
    cloud_error(CloudProblemKind::ReconnectRequired, message)
}

/// Returns an error without a revision.
fn cloud_error(kind: CloudProblemKind, message: String) -> Error {
    Error::Cloud(Box::new(CloudProblem { kind, message, revision: None, retry_after: None }))
}

/// Converts an error of a provider.
fn convert(error: CloudError, title: &str, object: &'static str) -> Error {
    use CloudProblemKind as Kind;
    let (kind, message) = match error {
        CloudError::Unauthorized => return reconnect_required(title),
        CloudError::MissingScope => {
            let message = format!("the connection to {title} lacks a permission; connect again");
            (Kind::ReconnectRequired, message)
        }
        CloudError::NotFound => return Error::NotFound(object),
        CloudError::RevisionConflict => {
            (Kind::RevisionConflict, format!("the file at {title} has changed meanwhile"))
        }
        CloudError::NameConflict => {
            let message = format!("the folder at {title} has an entry with this name");
            return Error::field_conflict("title", message);
        }
        CloudError::CursorExpired => {
            (Kind::CursorExpired, format!("{title} wants the list to begin again"))
        }
        CloudError::Forbidden => {
            (Kind::Forbidden, format!("{title} does not permit this to the account"))
        }
        CloudError::Full => (Kind::Full, format!("the storage of the account at {title} is full")),
        CloudError::Locked => {
            (Kind::Locked, format!("another program has locked the file at {title}"))
        }
        CloudError::Busy { retry_after } => {
            let message = format!("{title} accepts no more requests at present");
            let kind = Kind::Busy;
            let problem = CloudProblem { kind, message, revision: None, retry_after };
            return Error::Cloud(Box::new(problem));
        }
        CloudError::TooLarge => {
            return Error::TooLarge(format!("the file at {title} is too large"));
        }
        CloudError::WrongType(message) => return Error::Invalid(message.to_owned()),
        CloudError::Rejected { status, code } if code.is_empty() => {
            (Kind::Failed, format!("{title} responded with status {status}"))
        }
        CloudError::Rejected { status, code } => {
            (Kind::Failed, format!("{title} responded with status {status} and code {code}"))
        }
        CloudError::Unreadable => {
            (Kind::Failed, format!("{title} sent a response that cannot be read"))
        }
        CloudError::Timeout => return Error::RemoteTimeout,
        CloudError::Unreachable(reason) => {
            (Kind::Failed, format!("{title} cannot be reached: {reason}"))
        }
    };
    cloud_error(kind, message)
}
