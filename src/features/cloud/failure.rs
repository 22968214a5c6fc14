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
    /// Returns the reason for people, in lower case and without a full stop.
    pub fn describe(&self, provider: Provider) -> String {
        let title = provider.title();
        match self {
            Self::Server(error) => error.to_string(),
            Self::NotConfigured => format!("this server has no access to {title} any more"),
            Self::ReconnectRequired => {
                format!("the connection to {title} has ended; connect again")
            }
            Self::Provider(error) => describe(error, title),
        }
    }

    /// Returns the error of the API for work with a provider. `object` is the kind of object of a 404.
    pub fn into_error(self, provider: Provider, object: &'static str) -> Error {
        let message = self.describe(provider);
        let (kind, retry_after) = match self {
            Self::Server(error) => return error,
            Self::NotConfigured => return Error::Conflict(message),
            Self::ReconnectRequired => (CloudProblemKind::ReconnectRequired, None),
            Self::Provider(CloudError::NotFound) => return Error::NotFound(object),
            Self::Provider(CloudError::NameConflict) => {
                return Error::field_conflict("title", message);
            }
            Self::Provider(CloudError::TooLarge) => return Error::TooLarge(message),
            Self::Provider(CloudError::WrongType(_)) => return Error::Invalid(message),
            Self::Provider(CloudError::Timeout) => return Error::RemoteTimeout,
            Self::Provider(CloudError::Busy { retry_after }) => {
                (CloudProblemKind::Busy, retry_after)
            }
            Self::Provider(error) => (kind_of(&error), None),
        };
        Error::Cloud(Box::new(CloudProblem { kind, message, revision: None, retry_after }))
    }
}

/// Returns the kind of problem for an error that has no other form in the API.
fn kind_of(error: &CloudError) -> CloudProblemKind {
    match error {
        CloudError::Unauthorized | CloudError::MissingScope => CloudProblemKind::ReconnectRequired,
        CloudError::RevisionConflict => CloudProblemKind::RevisionConflict,
        CloudError::CursorExpired => CloudProblemKind::CursorExpired,
        CloudError::Forbidden => CloudProblemKind::Forbidden,
        CloudError::Full => CloudProblemKind::Full,
        CloudError::Locked => CloudProblemKind::Locked,
        _ => CloudProblemKind::Failed,
    }
}

/// Returns the reason of an error of the provider with this name.
fn describe(error: &CloudError, title: &str) -> String {
    match error {
        CloudError::Unauthorized => format!("the connection to {title} has ended; connect again"),
        CloudError::MissingScope => {
            format!("the connection to {title} lacks a permission; connect again")
        }
        CloudError::NotFound => format!("there is no such file at {title}"),
        CloudError::RevisionConflict => format!("the file at {title} has changed meanwhile"),
        CloudError::NameConflict => format!("the folder at {title} has an entry with this name"),
        CloudError::CursorExpired => format!("{title} wants the list to begin again"),
        CloudError::Forbidden => format!("{title} does not permit this to the account"),
        CloudError::WrongLinkPassword => {
            "the link has a password; add the right one to the address: \
             #shared_link_password=PASSWORD"
                .to_owned()
        }
        CloudError::Full => format!("the storage of the account at {title} is full"),
        CloudError::Locked => format!("another program has locked the file at {title}"),
        CloudError::Busy { .. } => format!("{title} accepts no more requests at present"),
        CloudError::TooLarge => format!("the file at {title} is too large"),
        CloudError::WrongType(message) => (*message).to_owned(),
        CloudError::Rejected { status: 300..400, .. } => {
            format!("{title} redirects without an address")
        }
        CloudError::Rejected { status: 451, .. } => {
            format!("{title} does not show the file for legal reasons")
        }
        CloudError::Rejected { status, code } if code.is_empty() && error.is_lasting() => {
            format!("{title} refused the request with status {status}")
        }
        CloudError::Rejected { status, code } if error.is_lasting() => {
            format!("{title} refused the request with status {status} and code {code}")
        }
        CloudError::Rejected { status, code } if code.is_empty() => {
            format!("{title} responded with status {status}")
        }
        CloudError::Rejected { status, code } => {
            format!("{title} responded with status {status} and code {code}")
        }
        CloudError::Unreadable => format!("{title} sent a response that cannot be read"),
        CloudError::Timeout => "the source did not respond in time".to_owned(),
        CloudError::Unreachable(reason) => format!("{title} cannot be reached: {reason}"),
    }
}
