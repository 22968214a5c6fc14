//! The error type of the whole program, in the terms of the caller.
//!
//! How to choose a variant:
//!
//! - `Invalid` or `InvalidFields`: the request breaks a rule. Prefer `InvalidFields` and name the
//!   field.
//! - `NotFound`: the object does not exist, or the caller may not read it. Both cases must look the
//!   same, so that a caller cannot probe for hidden objects.
//! - `Forbidden`: the caller may read the object but not perform the action.
//! - `Internal`: everything else. The log gets the cause, the caller gets a general text.

use std::fmt;

/// A `Result` with the program's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An invalid field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Path of the field, such as `style.margin.top` or `data[3].value`, or the name of a query
    /// parameter.
    pub field: String,
    /// Rule that the field breaks, in lower case and without a full stop: `must not be empty`.
    pub message: String,
}

/// The current version of an object that another request changed since the caller read it (412).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentVersion {
    /// Current strong entity tag, with its quotes.
    pub etag: String,
    /// Time of the last change, RFC 3339.
    pub updated: String,
    /// Account that made the last change.
    pub updated_by: String,
    /// Name of that account. None if the caller may not see the name.
    pub updated_by_name: Option<String>,
}

/// An offer that the caller must confirm before the request is carried out (409).
#[derive(Debug, Clone, PartialEq)]
pub struct RequiredConfirmation {
    /// Why the request needs it, in lower case and without a full stop.
    pub message: String,
    /// Members of the problem document, such as the offer and the confirmation to send.
    pub members: serde_json::Map<String, serde_json::Value>,
}

/// Reason why a provider of cloud storage did not carry out a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudProblem {
    /// Kind of the reason.
    pub kind: CloudProblemKind,
    /// Message for people, in lower case and without a full stop.
    pub message: String,
    /// Current revision of the file after a conflict, if it is known.
    pub revision: Option<String>,
    /// Seconds for which the provider wants no request.
    pub retry_after: Option<u64>,
}

/// Kind of a [`CloudProblem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudProblemKind {
    /// 403: the user must permit the access again.
    ReconnectRequired,
    /// 409: the file has changed since the given revision.
    RevisionConflict,
    /// 409: the list of the folder must begin again.
    CursorExpired,
    /// 502: the account at the provider may not do this.
    Forbidden,
    /// 502: the storage at the provider is full.
    Full,
    /// 502: another program has locked the file.
    Locked,
    /// 502: the provider accepts no more requests at present.
    Busy,
    /// 502: the file at the provider is no document that this server can read.
    Unreadable,
    /// 502: any other refusal or failure of the provider.
    Failed,
}

/// Reason why a second factor keeps a request from being carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactorError {
    /// 401: the password is right, and the account also needs a code.
    CodeRequired,
    /// 401: the password is right, but the code is not.
    WrongCode,
    /// 403: an organization of the account requires a second factor, and the account has none.
    SetupRequired,
}

/// Reason for the failure of a request, a command or a task.
#[derive(Debug)]
pub enum Error {
    /// 400: the request cannot be understood or breaks a rule.
    Invalid(String),
    /// 400: these fields are invalid.
    InvalidFields(Vec<FieldError>),
    /// 401: the request has no credentials or invalid ones. The text says which.
    SignInRequired(&'static str),
    /// 401 or 403: the second factor of the account is missing.
    SecondFactor(SecondFactorError),
    /// 402: a seat or a plan is missing.
    PaymentRequired(String),
    /// 403: the caller may read the object but not perform this action.
    Forbidden(String),
    /// 404: the object does not exist, or the caller may not know that it exists. The text is the
    /// kind of object, such as `document`.
    NotFound(&'static str),
    /// 405: the path does not support the method. The text is the value of the `Allow` header.
    MethodNotAllowed(String),
    /// 408: the client did not send the body in time.
    RequestTimeout,
    /// 409: the request conflicts with the current state of the object.
    Conflict(String),
    /// 409: the value of a field conflicts with another object, such as a name that is taken. The
    /// message is a complete sentence without its capital letter and full stop.
    FieldConflict(FieldError),
    /// 409: the request needs the confirmation of an offer that the caller has seen.
    ConfirmationRequired(Box<RequiredConfirmation>),
    /// 412: another request changed the object since the caller read it.
    PreconditionFailed(Box<CurrentVersion>),
    /// 413: the content exceeds a limit. The text names the limit.
    TooLarge(String),
    /// 415: the route does not accept the content type of the body.
    UnsupportedMediaType(String),
    /// 429: the client exceeded a rate limit. The number is the time until the next request is
    /// accepted, in seconds.
    TooManyRequests(u64),
    /// 502: a remote source refused the request or failed.
    RemoteRefused(String),
    /// 403, 409 or 502: a provider of cloud storage did not carry out the request.
    Cloud(Box<CloudProblem>),
    /// 503: a queue is full. The same request can succeed a moment later.
    Busy,
    /// 504: a remote source did not respond before the deadline.
    RemoteTimeout,
    /// 504: the name servers failed, so that it is unknown whether a DNS record exists. The text is
    /// the reason.
    NameServerFailed(String),
    /// 503: the server cannot read or write its files. The text is the cause, for the operator
    /// only.
    StorageFailed(String),
    /// 507: the disk of the server is full.
    DiskFull,
    /// 507: the account would exceed its storage quota. The text names usage and limit.
    QuotaExceeded(String),
    /// 500: a fault of the server. The log gets the cause, the caller gets a general text.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns an [`Error::InvalidFields`] with one field.
    pub fn invalid_field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidFields(vec![FieldError { field: field.into(), message: message.into() }])
    }

    /// Returns an [`Error::FieldConflict`].
    pub fn field_conflict(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::FieldConflict(FieldError { field: field.into(), message: message.into() })
    }

    /// Returns an [`Error::Internal`] with a text, for states that only a fault of the program
    /// causes.
    pub fn internal(text: impl Into<String>) -> Self {
        Self::Internal(text.into().into())
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.status_code_title().0
    }

    /// Returns the machine-readable code in snake case. Clients depend on it, so it never changes.
    pub fn code(&self) -> &'static str {
        self.status_code_title().1
    }

    /// Returns the short title of this kind of error, for people.
    pub fn title(&self) -> &'static str {
        self.status_code_title().2
    }

    /// Returns the message for the log and the operator, with the cause of an internal error.
    ///
    /// Never show it to a caller of the API; `Display` gives the message for callers.
    pub fn operator_message(&self) -> String {
        match self {
            Self::Internal(cause) => cause.to_string(),
            Self::StorageFailed(cause) => format!("the files of the server failed: {cause}"),
            other => other.to_string(),
        }
    }

    /// Returns status, code and title. The statuses are from RFC 9110, 507 is from RFC 4918.
    fn status_code_title(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Invalid(_) => (400, "invalid_request", "Invalid request"),
            Self::InvalidFields(_) => (400, "invalid_field", "Invalid field"),
            Self::SignInRequired(_) => (401, "sign_in_required", "Sign-in required"),
            Self::SecondFactor(SecondFactorError::CodeRequired) => {
                (401, "second_factor_required", "Second factor required")
            }
            Self::SecondFactor(SecondFactorError::WrongCode) => {
                (401, "second_factor_wrong", "Wrong code")
            }
            Self::SecondFactor(SecondFactorError::SetupRequired) => {
                (403, "second_factor_setup_required", "Second factor must be set up")
            }
            Self::PaymentRequired(_) => (402, "payment_required", "Payment required"),
            Self::Forbidden(_) => (403, "forbidden", "Not allowed"),
            Self::NotFound(_) => (404, "not_found", "Not found"),
            Self::MethodNotAllowed(_) => (405, "method_not_allowed", "Method not allowed"),
            Self::RequestTimeout => (408, "request_timeout", "Request too slow"),
            Self::Conflict(_) | Self::FieldConflict(_) => (409, "conflict", "Conflict"),
            Self::ConfirmationRequired(_) => {
                (409, "confirmation_required", "Confirmation required")
            }
            Self::PreconditionFailed(_) => (412, "precondition_failed", "Changed meanwhile"),
            Self::TooLarge(_) => (413, "too_large", "Too large"),
            Self::UnsupportedMediaType(_) => {
                (415, "unsupported_media_type", "Unsupported media type")
            }
            Self::TooManyRequests(_) => (429, "too_many_requests", "Too many requests"),
            Self::RemoteRefused(_) => (502, "remote_refused", "Remote source refused"),
            Self::Cloud(problem) => problem.kind.status_code_title(),
            Self::Busy => (503, "busy", "Busy"),
            Self::RemoteTimeout => (504, "remote_timeout", "Remote source too slow"),
            Self::NameServerFailed(_) => (504, "name_server_failed", "Name server failed"),
            Self::StorageFailed(_) => (503, "storage_failed", "Storage failed"),
            Self::DiskFull => (507, "disk_full", "Disk full"),
            Self::QuotaExceeded(_) => (507, "quota_exceeded", "Storage quota exceeded"),
            Self::Internal(_) => (500, "internal", "Internal error"),
        }
    }
}

impl CloudProblemKind {
    /// Returns HTTP status, code and title.
    fn status_code_title(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::ReconnectRequired => (403, "reconnect_required", "Connection must be renewed"),
            Self::RevisionConflict => (409, "revision_conflict", "Changed meanwhile"),
            Self::CursorExpired => (409, "cursor_expired", "List must begin again"),
            Self::Forbidden => (502, "remote_forbidden", "Provider forbids it"),
            Self::Full => (502, "remote_full", "Provider storage full"),
            Self::Locked => (502, "remote_locked", "Locked at the provider"),
            Self::Busy => (502, "remote_busy", "Provider busy"),
            Self::Unreadable => (502, "remote_unreadable", "File not readable"),
            Self::Failed => (502, "remote_failed", "Provider failed"),
        }
    }
}

/// Formats the message for the caller, which hides the cause of an internal error.
impl fmt::Display for Error {
    /// Writes the message for the caller, without the cause of an internal error or of failed
    /// storage. Joins several invalid fields with `; `.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text)
            | Self::PaymentRequired(text)
            | Self::Forbidden(text)
            | Self::Conflict(text)
            | Self::TooLarge(text)
            | Self::UnsupportedMediaType(text)
            | Self::RemoteRefused(text)
            | Self::NameServerFailed(text)
            | Self::QuotaExceeded(text) => f.write_str(text),
            Self::InvalidFields(fields) => {
                let texts: Vec<String> = fields
                    .iter()
                    .map(|field| format!("{}: {}", field.field, field.message))
                    .collect();
                f.write_str(&texts.join("; "))
            }
            Self::FieldConflict(error) => write!(f, "{}: {}", error.field, error.message),
            Self::SignInRequired(text) => f.write_str(text),
            Self::SecondFactor(SecondFactorError::CodeRequired) => f.write_str(
                "the account has a second factor: a code of its app or a recovery code is required",
            ),
            Self::SecondFactor(SecondFactorError::WrongCode) => {
                f.write_str("the code is wrong, has expired or was used before")
            }
            Self::SecondFactor(SecondFactorError::SetupRequired) => f.write_str(
                "an organization of the account requires a second factor: set it up on the page \
                 /account/security",
            ),
            Self::NotFound(object_kind) => write!(f, "no such {object_kind}"),
            Self::MethodNotAllowed(allow) => write!(f, "the path supports only {allow}"),
            Self::RequestTimeout => f.write_str("the request body did not arrive in time"),
            Self::ConfirmationRequired(required) => f.write_str(&required.message),
            Self::Cloud(problem) => f.write_str(&problem.message),
            Self::PreconditionFailed(current) => {
                write!(f, "the object was changed at {} by another request", current.updated)
            }
            Self::TooManyRequests(seconds) => {
                write!(f, "too many requests; try again in {seconds} s")
            }
            Self::Busy => f.write_str("the server is busy; try again in a moment"),
            Self::RemoteTimeout => f.write_str("the remote source did not respond in time"),
            Self::StorageFailed(_) => {
                f.write_str("the server cannot read or write its files; ask its operator")
            }
            Self::DiskFull => f.write_str(
                "the server's disk is full; reading, deleting and signing in still work",
            ),
            Self::Internal(_) => f.write_str("internal server error"),
        }
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Error {
    /// Converts a full disk to `DiskFull`, a failed file operation to `StorageFailed`, and every
    /// other error to `Internal`, which keeps it as the cause.
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Self::DiskFull,
            Some(rusqlite::ErrorCode::SystemIoFailure | rusqlite::ErrorCode::CannotOpen) => {
                Self::StorageFailed(error.to_string())
            }
            _ => Self::Internal(Box::new(error)),
        }
    }
}

impl From<std::io::Error> for Error {
    /// Converts a full disk or an exceeded quota of the file system to `DiskFull`, and every other
    /// error to `Internal`, which keeps it as the cause.
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Internal(Box::new(error)),
        }
    }
}

impl From<serde_json::Error> for Error {
    /// Converts to `Internal`. Convert a mistake in a request to `InvalidFields` instead.
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(Box::new(error))
    }
}

/// Conversion of an absent value into [`Error::NotFound`].
pub trait OrNotFound<T> {
    /// Returns the value.
    ///
    /// # Errors
    /// `NotFound(object_kind)` if the value is absent.
    fn or_not_found(self, object_kind: &'static str) -> Result<T>;
}

impl<T> OrNotFound<T> for Option<T> {
    /// Returns the value, or `Error::NotFound(object_kind)` for None.
    fn or_not_found(self, object_kind: &'static str) -> Result<T> {
        self.ok_or(Error::NotFound(object_kind))
    }
}
